/*
 * pickle_machine.h - the stack machine that reads pickles
 *
 * After a failure, which is in the error of the cursor, it does nothing that
 * matters.
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

/* The value on top, taken or left there; NULL when there is none above the
 * last mark. */

/* Containers: of all that was pushed since the last mark, which is gone then,
 * or of the few values on top. */

/* The value on top into a slot of the memo, and a slot onto the stack. */

/* What a call, or a state, makes of the values on top. */

/* What numpy calls a type ("f4"), or NULL when it has none. */
const char *tn_pickle_code(enum tn_dtype dtype);

/* Text or bytes that read so. */
static inline bool tn_pickle_is_text(const struct tn_pickle *value,
                                     const char             *text)
{
    return tn_bytes_is(tn_pickle_text(value), text);
}

#endif
