/* highwayhash_judge.c - Debian's HighwayHash says the same as ours */
#include <highwayhash/c_bindings.h>
#include <stdio.h>

#include "codec/highwayhash.h"

int main(void)
{
    static const uint64_t keys[][4] = {
        { 0, 0, 0, 0 },
        { 1, UINT64_C(0x9e3779b97f4a7c15), UINT64_MAX, 42 },
    };
    static uint8_t bytes[3000];

    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * i * 7 + i);
    for (size_t k = 0; k < 2; k++)
        for (size_t n = 0; n <= sizeof bytes; n++)
            if (HighwayHash64(keys[k], (const char *)bytes, n) !=
                tn_highwayhash64(keys[k], tn_bytes(bytes, n))) {
                printf("key %zu, %zu bytes: the hashes differ\n", k, n);
                return 1;
            }
    return 0;
}
