/* sd_hash.c - names of custom operations, and the numbers that they may have */
#include "format/samediff/samediff.h"

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

bool tn_sd_hash_is(const struct tn_nd4j_hasher *hasher, struct tn_bytes op_name,
                   int64_t number)
{
    if (tn_nd4j_hash(hasher, op_name) == number)
        return true;
    for (unsigned i = 0; i < sizeof aliases / sizeof aliases[0]; i++)
        if (tn_bytes_is(op_name, aliases[i][0]))
            return tn_nd4j_hash(hasher, tn_text(aliases[i][1])) == number;
    return false;
}
