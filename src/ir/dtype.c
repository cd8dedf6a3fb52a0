/* dtype.c - the table of element types */
#include <tenon/dtype.h>

#include <string.h>

static const struct {
    const char *name;
    unsigned    bits;
} types[] = {
#define X(name, text, bits) { text, bits },
    TN_DTYPE_MAP(X)
#undef X
};

static unsigned clamp(enum tn_dtype dtype)
{
    return (unsigned)dtype < TN_DTYPE_COUNT ? (unsigned)dtype : TN_UNDEFINED;
}

const char *tn_dtype_name(enum tn_dtype dtype)
{
    return types[clamp(dtype)].name;
}

enum tn_dtype tn_dtype_find(const char *name)
{
    for (unsigned i = 0; i < TN_DTYPE_COUNT; i++) {
        if (!strcmp(types[i].name, name))
            return (enum tn_dtype)i;
    }
    return TN_UNDEFINED;
}

unsigned tn_dtype_bits(enum tn_dtype dtype)
{
    return types[clamp(dtype)].bits;
}

unsigned tn_dtype_size(enum tn_dtype dtype)
{
    return (tn_dtype_bits(dtype) + 7) / 8;
}
