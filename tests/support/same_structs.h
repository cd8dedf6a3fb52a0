/*
 * same_structs.h - structs that must be the same to the last byte
 *
 * Whoever compares copies two structs, follows what they point to, which takes
 * the pointers out of the copies, and compares the bytes that are left: so a
 * field that somebody adds later is compared, too.
 */
#ifndef TN_TESTS_SAME_STRUCTS_H
#define TN_TESTS_SAME_STRUCTS_H

#include "support/hostile.h"

/* A field, by same(a, b). */
#define TN_FOLLOW(same, a, b, field)                                           \
    do {                                                                       \
        same(&(a).field, &(b).field);                                          \
        memset(&(a).field, 0, sizeof(a).field);                                \
        memset(&(b).field, 0, sizeof(b).field);                                \
    } while (0)

/* An array that a field points to, and its length. */
#define TN_FOLLOW_ARRAY(same, a, b, items, count)                              \
    do {                                                                       \
        assert_int_equal((a).count, (b).count);                                \
        for (uint64_t i_ = 0; i_ < (a).count; i_++)                            \
            same(&(a).items[i_], &(b).items[i_]);                              \
        (a).items = NULL;                                                      \
        (b).items = NULL;                                                      \
    } while (0)

/* What is left. */
#define TN_SAME_REST(a, b) assert_memory_equal(&(a), &(b), sizeof(a))

static inline void same_text(const struct tn_bytes *a, const struct tn_bytes *b)
{
    assert_int_equal(!a->data, !b->data);
    assert_true(tn_bytes_equal(*a, *b));
}

#endif
