/*
 * pickle_machine.h - the stack machine that reads pickles, for its own files
 *
 * pickle.c runs opcodes, pickle_stack.c has what they do to the stack and the
 * memo, pickle_call.c knows the constructors.  After a failure, which is in
 * the error of the cursor, all of them do nothing that matters.
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

/* Fails at the opcode being run. */
TN_COLD void tn_pickle_refuse(struct tn_pickle_machine *m,
                              enum tn_status status, const char *what);

/* A new value, not yet on the stack; NULL after a failure. */
struct tn_pickle *tn_pickle_make(struct tn_pickle_machine *m,
                                 enum tn_pickle_kind       kind);
void tn_pickle_push(struct tn_pickle_machine *m, struct tn_pickle *value);
struct tn_pickle *tn_pickle_push_new(struct tn_pickle_machine *m,
                                     enum tn_pickle_kind       kind);

/* The value on top, taken or left there; NULL when there is none above the
 * last mark. */
struct tn_pickle *tn_pickle_pop(struct tn_pickle_machine *m);
struct tn_pickle *tn_pickle_top(struct tn_pickle_machine *m);

/* What lies below a mark is out of reach until it is gone. */
void tn_pickle_push_mark(struct tn_pickle_machine *m);

/* Containers: of all that was pushed since the last mark, which is gone then,
 * or of the few values on top. */
void tn_pickle_push_tuple(struct tn_pickle_machine *m);
void tn_pickle_push_short_tuple(struct tn_pickle_machine *m, uint64_t count);
void tn_pickle_set_items(struct tn_pickle_machine *m);
void tn_pickle_set_item(struct tn_pickle_machine *m);
void tn_pickle_append_items(struct tn_pickle_machine *m);
void tn_pickle_append_item(struct tn_pickle_machine *m);

/* The value on top into a slot of the memo, and a slot onto the stack. */
void tn_pickle_memoize(struct tn_pickle_machine *m, uint64_t slot);
void tn_pickle_fetch(struct tn_pickle_machine *m, uint64_t slot);

/* A name that pickles may use; UNSUPPORTED for all others. */
void tn_pickle_push_name(struct tn_pickle_machine *m, struct tn_bytes module,
                         struct tn_bytes name);
/* What a call, or a state, makes of the values on top. */
void tn_pickle_reduce(struct tn_pickle_machine *m);
void tn_pickle_build(struct tn_pickle_machine *m);

/* What numpy calls a type ("f4"), or NULL when it has none. */
const char *tn_pickle_code(enum tn_dtype dtype);

/* Text or bytes that read so. */
static inline bool tn_pickle_is_text(const struct tn_pickle *value,
                                     const char             *text)
{
    return tn_bytes_is(tn_pickle_text(value), text);
}

#endif
