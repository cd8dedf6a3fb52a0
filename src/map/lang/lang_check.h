/*
 * lang_check.h - a rule file against the vocabularies of its dialects
 *
 * Everything that a rule names must exist, everything that a node has must be
 * named, and every output must be bound on every path.  So a rule that silently
 * drops an attribute, or sets one that no op has, is found before it runs:
 *
 *   heads     the op exists in some version that the head is for; the number
 *             of inputs and outputs fits; attributes exist, are all named, and
 *             are used or ignored
 *   bodies    names are bound before they are used, all outputs at the end; ops
 *             exist, with their attributes, inputs and outputs; functions,
 *             tables and macros get as many arguments as they take
 */
#ifndef TN_MAP_LANG_CHECK_H
#define TN_MAP_LANG_CHECK_H

#include "ir/vocab.h"
#include "map/lang/lang.h"

/* A dialect as rules see it. */
struct tn_lang_side {
    struct tn_vocab *vocab; /* NULL: ops are not checked                      */
    int64_t oldest, newest; /* versions that are read: others need no rules   */
    int64_t version;        /* that is written                                */
    bool    has_others;     /* rules may be for ops that it does not know     */
};

/* Called for everything that is wrong; `what` is one line. */
typedef void tn_on_lang_finding(void *context, const struct tn_location *place,
                                const char *what);

/* The first finding is also the error.  `from` and `to` are those of the file;
 * `on` may be NULL. */
enum tn_status tn_lang_check(const struct tn_lang_file *file,
                             const struct tn_lang_side *from,
                             const struct tn_lang_side *to,
                             tn_on_lang_finding *on, void *context,
                             struct tn_error *error);

/* The built-in vocabulary of a dialect, in the versions that our rules are
 * for. */
enum tn_status tn_lang_side_open(struct tn_lang_side *side,
                                 struct tn_vocab *vocab, struct tn_arena *arena,
                                 struct tn_bytes  dialect,
                                 struct tn_error *error);

#endif
