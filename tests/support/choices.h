/*
 * choices.h - bytes as choices, for fuzzers that build what they try
 *
 * A fuzzer that flips bytes of a file seldom gets past the first wall.  One
 * that takes its bytes as answers to "which of these?" builds something that is
 * well formed, and odd in as many places as the bytes want.
 */
#ifndef TN_TESTS_CHOICES_H
#define TN_TESTS_CHOICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tn_choices {
    const uint8_t *at, *end;
};

/* One of `count`; the first when no byte is left, which should be the one that
 * adds nothing. */
static inline uint32_t tn_choose(struct tn_choices *c, uint32_t count)
{
    uint32_t bytes = count > 256 ? 2 : 1, value = 0;

    for (; bytes && c->at < c->end; bytes--)
        value = value << 8 | *c->at++;
    return value % count;
}

/* Once in `count` times, and never when no byte is left. */
static inline bool tn_seldom(struct tn_choices *c, uint32_t count)
{
    return tn_choose(c, count) == count - 1;
}

#define TN_CHOOSE(c, list)                                                     \
    ((list)[tn_choose(c, (uint32_t)(sizeof(list) / sizeof(list)[0]))])

#endif
