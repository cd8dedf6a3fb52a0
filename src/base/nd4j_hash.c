/* nd4j_hash.c - custom operations of nd4j are numbered by a hash of their name
 */
#include "base/nd4j_hash.h"

#define SEED   UINT64_C(0x544B2FBACAAF1684)
#define START  UINT64_C(0xBB40E64DA205B064)
#define FACTOR UINT64_C(7664345821815920749)

void tn_nd4j_hasher_init(struct tn_nd4j_hasher *hasher)
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

int64_t tn_nd4j_hash(const struct tn_nd4j_hasher *hasher, struct tn_bytes name)
{
    uint64_t h = START;

    for (size_t i = 0; i < name.size; i++) {
        h = h * FACTOR ^ hasher->table[name.data[i]];
        h = h * FACTOR ^ hasher->table[0];
    }
    return (int64_t)h;
}
