/* pickle_write.c - data as a pickle of protocol 4, without a memo */
#include "base/varint.h"
#include "wire/pickle/pickle_machine.h"

static void put_short_text(struct tn_buffer *to, const char *text)
{
    tn_buffer_byte(to, 0x8c);
    tn_buffer_byte(to, (uint8_t)strlen(text));
    tn_buffer_text(to, text);
}

static void put_name(struct tn_buffer *to, const char *module, const char *name)
{
    put_short_text(to, module);
    put_short_text(to, name);
    tn_buffer_byte(to, 0x93);
}

void tn_pickle_begin(struct tn_buffer *to)
{
    tn_buffer_byte(to, 0x80);
    tn_buffer_byte(to, 4);
}

void tn_pickle_end(struct tn_buffer *to)
{
    tn_buffer_byte(to, '.');
}

void tn_pickle_put_text(struct tn_buffer *to, struct tn_bytes text)
{
    if (text.size < 256) {
        tn_buffer_byte(to, 0x8c);
        tn_buffer_byte(to, (uint8_t)text.size);
    } else {
        tn_buffer_byte(to, 0x8d);
        tn_buffer_u64(to, text.size);
    }
    tn_buffer_add(to, text);
}

static void put_int(struct tn_buffer *to, int64_t value)
{
    if (value >= INT32_MIN && value <= INT32_MAX) {
        tn_buffer_byte(to, 'J');
        tn_buffer_u32(to, (uint32_t)value);
    } else {
        tn_buffer_byte(to, 0x8a);
        tn_buffer_byte(to, 8);
        tn_buffer_u64(to, (uint64_t)value);
    }
}

void tn_pickle_open_dict(struct tn_buffer *to)
{
    tn_buffer_text(to, "}(");
}

void tn_pickle_close_dict(struct tn_buffer *to)
{
    tn_buffer_byte(to, 'u');
}

/* bfloat16 goes as the integers that its bits are. */
static const char *code_of(enum tn_dtype dtype)
{
    return tn_pickle_code(dtype == TN_BFLOAT16 ? TN_UINT16 : dtype);
}

/* dtype('f4', False, True), then its state: the byte order and no fields */
static void put_dtype(struct tn_buffer *to, enum tn_dtype dtype)
{
    put_name(to, "numpy", "dtype");
    put_short_text(to, code_of(dtype));
    tn_buffer_text(to, "\x89\x88\x87R(");
    put_int(to, 3);
    put_short_text(to, tn_dtype_size(dtype) == 1 ? "|" : "<");
    tn_buffer_text(to, "NNN");
    put_int(to, -1);
    put_int(to, -1);
    put_int(to, 0);
    tn_buffer_text(to, "tb");
}

/* _reconstruct(ndarray, (0,), b'b'), then the first four parts of its state */
enum tn_status tn_pickle_array_head(struct tn_buffer *to, enum tn_dtype dtype,
                                    uint32_t rank, const uint64_t *dims)
{
    uint64_t size = tn_dtype_size(dtype);

    if (!code_of(dtype))
        return tn_error_set(to->error, TN_UNSUPPORTED, TN_NOWHERE,
                            "numpy has no %s", tn_dtype_name(dtype));
    put_name(to, "numpy.core.multiarray", "_reconstruct");
    put_name(to, "numpy", "ndarray");
    put_int(to, 0);
    tn_buffer_text(to, "\x85"
                       "C\x01"
                       "b\x87R(");
    put_int(to, 1);
    tn_buffer_byte(to, '(');
    for (uint32_t i = 0; i < rank; i++) {
        put_int(to, (int64_t)dims[i]);
        size *= dims[i];
    }
    tn_buffer_byte(to, 't');
    put_dtype(to, dtype);
    tn_buffer_text(to, "\x89\x8e"); /* not Fortran's order; the bytes */
    tn_buffer_u64(to, size);
    return to->error->status;
}

void tn_pickle_array_tail(struct tn_buffer *to)
{
    tn_buffer_text(to, "tb");
}
