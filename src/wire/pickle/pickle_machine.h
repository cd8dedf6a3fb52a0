/*
 * pickle_machine.h - the stack machine that reads pickles
 *
 * Failures are in the error of the cursor; after one, all functions are
 * harmless.
 */
#ifndef TN_WIRE_PICKLE_MACHINE_H
#define TN_WIRE_PICKLE_MACHINE_H

#include "wire/pickle/pickle.h"

struct tn_pickle_machine {
    struct tn_cursor *c;
    struct tn_arena  *arena;
    struct tn_error  *error;
    struct tn_list    stack; /* struct tn_pickle *              */
    struct tn_list    marks; /* uint64_t: heights of the stack   */
    struct tn_list    memo;  /* struct tn_pickle *; NULL: unused */
    uint64_t          memoized;
    uint64_t          at; /* offset of the opcode being run   */
    bool              is_done;
};

/* A new value, not yet on the stack; NULL after a failure. */

/* The value on top, removed or left there; NULL if there is none above the last
 * mark. */

/* Make containers: of everything that was pushed since the last mark, which is
 * removed, or of the few values on top. */

/* Store the value on top in a slot of the memo, and push a slot onto the
 * stack. */

/* Apply a call, or a state, to the values on top. */

/* numpy's name of a type ("f4"), or NULL if it has none. */
const char *tn_pickle_code(enum tn_dtype dtype);

/* Whether it is this text, as text or bytes. */
static inline bool tn_pickle_is_text(const struct tn_pickle *value,
                                     const char             *text)
{
    return tn_bytes_is(tn_pickle_text(value), text);
}

#endif
