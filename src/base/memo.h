/*
 * memo.h - bytes that were found good, so as not to look into them again
 *
 * A model has a million nodes, and most of their attributes are the same few
 * hundred byte strings.  A check that has found nothing wrong with one keeps
 * where it lies, and steps over the next that is the same.  One place for each
 * hash: what comes later takes the place of what came before, so the memo
 * never grows, and a file without repetitions pays one hash for each string.
 *
 * The bytes are borrowed and must outlive the memo, as the views of a cursor
 * do.
 */
#ifndef TN_BASE_MEMO_H
#define TN_BASE_MEMO_H

#include "base/intern.h"

#define TN_MEMO_PLACES 1024u

/* Longer ones are rarely the same, and are not worth a hash. */
#define TN_MEMO_LONGEST 128u

struct tn_memo {
    struct tn_memo_good {
        struct tn_bytes bytes; /* empty: none                                 */
        const void     *about; /* what they were taken for                    */
    } places[TN_MEMO_PLACES];
};

/* Where the bytes are, or would be. */
static inline uint32_t tn_memo_place(struct tn_bytes bytes)
{
    return tn_hash_bytes(bytes, TN_MEMO_PLACES) % TN_MEMO_PLACES;
}

static inline bool tn_memo_has(const struct tn_memo *memo, uint32_t place,
                               struct tn_bytes bytes, const void *about)
{
    const struct tn_memo_good *good = &memo->places[place];

    return good->about == about && tn_bytes_equal(good->bytes, bytes);
}

static inline void tn_memo_keep(struct tn_memo *memo, uint32_t place,
                                struct tn_bytes bytes, const void *about)
{
    memo->places[place] = (struct tn_memo_good){ bytes, about };
}

#endif
