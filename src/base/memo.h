/*
 * memo.h - remembers bytes that were checked, so that they are checked once
 *
 * A model may have a million nodes, and most of their attributes are the same
 * few hundred byte strings.  A check that found nothing wrong with one keeps
 * its address, and skips the next one that is equal.  There is one slot for
 * each hash: a later string replaces an earlier one, so the memo never grows,
 * and a file without repetitions pays one hash for each string.
 *
 * The bytes are borrowed and must outlive the memo, as the views of a cursor
 * do.
 */
#ifndef TN_BASE_MEMO_H
#define TN_BASE_MEMO_H

#include "base/intern.h"

#define TN_MEMO_SLOTS 1024u

/* Longer strings are rarely equal, and not worth a hash. */
#define TN_MEMO_LONGEST 128u

struct tn_memo {
    struct tn_memo_good {
        struct tn_bytes bytes; /* empty: none                                 */
        const void     *about; /* what they were checked as                   */
    } slots[TN_MEMO_SLOTS];
};

/* The slot of these bytes. */
static inline uint32_t tn_memo_slot(struct tn_bytes bytes)
{
    return tn_hash_bytes(bytes, TN_MEMO_SLOTS) % TN_MEMO_SLOTS;
}

static inline bool tn_memo_has(const struct tn_memo *memo, uint32_t slot,
                               struct tn_bytes bytes, const void *about)
{
    const struct tn_memo_good *good = &memo->slots[slot];

    return good->about == about && tn_bytes_equal(good->bytes, bytes);
}

static inline void tn_memo_keep(struct tn_memo *memo, uint32_t slot,
                                struct tn_bytes bytes, const void *about)
{
    memo->slots[slot] = (struct tn_memo_good){ bytes, about };
}

#endif
