/*
 * lang_builtin.h - functions of the rule language
 *
 * A function gets evaluated arguments.  Unless its row says that it accepts
 * unknown ones, it is not called with them: the result is the first unknown
 * argument.
 */
#ifndef TN_MAP_LANG_BUILTIN_H
#define TN_MAP_LANG_BUILTIN_H

#include "map/lang/lang_code.h"

struct tn_call {
    struct tn_eval            *eval;
    const struct tn_lang_expr *expr; /* for refusals                          */
    const struct tn_item      *args;
    uint32_t                   count;
};

struct tn_builtin {
    const char *name;
    uint32_t    min_count, max_count;
    struct tn_item (*run)(const struct tn_call *call);
    bool takes_unknown;
    bool is_lazy; /* instead of `run`: the result is the first argument, or the
                     second if that is unknown                                */
    bool (*has_word)(struct tn_bytes word); /* whether the first argument may be
                                               that text; NULL: any           */
};

/* NULL if there is no such function. */
const struct tn_builtin *tn_builtin_find(struct tn_bytes name);

/* The tables that it looks in; each ends with a row without a name. */
extern const struct tn_builtin tn_builtins_of_numbers[];    /* lang_number.c  */
extern const struct tn_builtin tn_builtins_of_dtypes[];     /* lang_dtype.c   */
extern const struct tn_builtin tn_builtins_of_texts[];      /* lang_text.c    */
extern const struct tn_builtin tn_builtins_of_lists[];      /* lang_list.c    */
extern const struct tn_builtin tn_builtins_of_shapes[];     /* lang_shape.c   */
extern const struct tn_builtin tn_builtins_of_values[];     /* lang_value.c   */
extern const struct tn_builtin tn_builtins_of_elements[];   /* lang_element.c */
extern const struct tn_builtin tn_builtins_of_arithmetic[]; /* lang_element.c */

/* For functions with any number of arguments. */
#define TN_BUILTIN_MANY 64

/* ---- for the functions themselves --------------------------------------- */

/* The rule does not apply: "name: why". */
struct tn_item tn_builtin_refuse(const struct tn_call *call, const char *why);

/* An argument of that kind; false after a refusal if it is of another kind. */
bool tn_builtin_list_arg(const struct tn_call *call, uint32_t index,
                         struct tn_item *list);
bool tn_builtin_int_arg(const struct tn_call *call, uint32_t index,
                        int64_t *number);
bool tn_builtin_text_arg(const struct tn_call *call, uint32_t index,
                         struct tn_bytes *text);

/* A list whose items are known; if false, *list is the result of the
 * function. */
bool tn_builtin_known_list_arg(const struct tn_call *call, uint32_t index,
                               struct tn_item *list);

/* The first unknown item, or NULL. */
const struct tn_item *tn_builtin_unknown_in(struct tn_item list);

/* The result is unknown. */
static inline struct tn_item tn_builtin_unknown(const struct tn_call *call)
{
    struct tn_item unknown = tn_item_unknown(call->expr);

    if (call->count && call->args[0].kind == TN_ITEM_VALUE)
        unknown.count = (uint32_t)call->args[0].of.number + 1;
    return unknown;
}

/* Room for a list (NULL if there is none), and the finished list. */
static inline struct tn_item *tn_builtin_new_list(const struct tn_call *call,
                                                  uint64_t              count)
{
    return tn_eval_list(call->eval, call->expr, count);
}

static inline struct tn_item tn_builtin_made(const struct tn_item *items,
                                             uint64_t              count)
{
    return items ? tn_item_list(items, (uint32_t)count) : tn_item_none();
}

/* The value that this one is a copy of, and that of; itself if it is none. */
uint32_t tn_builtin_behind(const struct tn_net *net, uint32_t value);

/* shape(X), dtype(X) and value(X), for other functions. */
struct tn_item tn_builtin_shape(const struct tn_call *call, struct tn_item x);
struct tn_item tn_builtin_dtype(const struct tn_call *call, struct tn_item x);
struct tn_item tn_builtin_value(const struct tn_call *call, struct tn_item x);

#endif
