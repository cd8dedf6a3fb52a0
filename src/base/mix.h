/*
 * mix.h - one step of a hash whose input may be chosen by an attacker
 *
 * Folds both halves of the full product.  In the low half alone a bit never
 * moves down, so that differences in high bits appear at predictable places and
 * can be cancelled by later input.  The high half depends on every bit of a
 * factor that the attacker does not know.
 */
#ifndef TN_BASE_MIX_H
#define TN_BASE_MIX_H

#include <stdint.h>

static inline uint64_t tn_mix(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
    __extension__ typedef unsigned __int128 wide;
    wide                                    product = (wide)a * b;

    return (uint64_t)product ^ (uint64_t)(product >> 64);
#else
    uint64_t low    = (a & UINT32_MAX) * (b & UINT32_MAX);
    uint64_t cross  = (a >> 32) * (b & UINT32_MAX) + (low >> 32);
    uint64_t middle = (a & UINT32_MAX) * (b >> 32) + (cross & UINT32_MAX);

    return a * b ^ ((a >> 32) * (b >> 32) + (cross >> 32) + (middle >> 32));
#endif
}

/* A factor that cannot be guessed from outside: addresses differ from run to
 * run. */
static inline uint64_t tn_mix_seed(const void *place)
{
    return tn_mix((uint64_t)(uintptr_t)place ^ UINT64_C(0x9e3779b97f4a7c15),
                  UINT64_C(0xe7037ed1a0b428db));
}

#endif
