/*
 * sd_hash.c - custom operations are numbered by a hash of their name
 *
 * A character counts as two bytes, the second of which is zero.
 */
#include "format/samediff/samediff.h"

#define SEED   UINT64_C(0x544B2FBACAAF1684)
#define START  UINT64_C(0xBB40E64DA205B064)
#define FACTOR UINT64_C(7664345821815920749)

void tn_sd_hasher_init(struct tn_sd_hasher *hasher)
{
    uint64_t h = SEED;

    for (unsigned i = 0; i < 256; i++) {
        for (unsigned round = 0; round < 31; round++) {
            h ^= h >> 7;
            h ^= h << 11;
            h ^= h >> 10;
        }
        hasher->table[i] = h;
    }
}

int64_t tn_sd_hash(const struct tn_sd_hasher *hasher, struct tn_bytes name)
{
    uint64_t h = START;

    for (size_t i = 0; i < name.size; i++) {
        h = h * FACTOR ^ hasher->table[name.data[i]];
        h = h * FACTOR ^ hasher->table[0];
    }
    return (int64_t)h;
}

/* Names that people write, and the kernels that run. */
static const char *const aliases[][2] = {
    { "mmul", "matmul" },
    { "stridedslice", "strided_slice" },
    { "tensorarrayv3", "create_list" },
    { "tensorarraywritev3", "write_list" },
    { "tensorarrayreadv3", "read_list" },
    { "tensorarraysizev3", "size_list" },
    { "tensorarraysplitv3", "split_list" },
    { "tensorarrayscatterv3", "scatter_list" },
    { "tensorarraygatherv3", "gather_list" },
};

bool tn_sd_hash_is(const struct tn_sd_hasher *hasher, struct tn_bytes op_name,
                   int64_t number)
{
    if (tn_sd_hash(hasher, op_name) == number)
        return true;
    for (unsigned i = 0; i < sizeof aliases / sizeof aliases[0]; i++)
        if (tn_bytes_is(op_name, aliases[i][0]))
            return tn_sd_hash(hasher, tn_text(aliases[i][1])) == number;
    return false;
}
