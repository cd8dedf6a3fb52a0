/*
 * lang_builtin.h - functions of the rule language
 *
 * A function sees its arguments evaluated.  Unless it says that it takes
 * unknown ones, it is not even called with them: the first is the answer.
 */
#ifndef TN_MAP_LANG_BUILTIN_H
#define TN_MAP_LANG_BUILTIN_H

#include "map/lang_code.h"

struct tn_call {
    struct tn_eval            *eval;
    const struct tn_lang_expr *expr; /* for refusals                          */
    const struct tn_item      *args;
    uint32_t                   count;
};

struct tn_builtin {
    const char *name;
    uint32_t    min_count, max_count;
    bool        takes_unknown;
    bool is_lazy; /* the second argument stands in for an unknown first */
    struct tn_item (*run)(const struct tn_call *call);
};

/* NULL: there is no such function. */
const struct tn_builtin *tn_builtin_find(struct tn_bytes name);

/* shape(X), dtype(X) and value(X), for other functions. */
struct tn_item tn_builtin_shape(const struct tn_call *call, struct tn_item x);
struct tn_item tn_builtin_dtype(const struct tn_call *call, struct tn_item x);
struct tn_item tn_builtin_value(const struct tn_call *call, struct tn_item x);

/* The tables that it looks in; each ends with a row without a name. */
extern const struct tn_builtin tn_builtins_of_lists[];
extern const struct tn_builtin tn_builtins_of_values[];
extern const struct tn_builtin tn_builtins_of_elements[];

#endif
