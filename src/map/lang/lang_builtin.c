/*
 * lang_builtin.c - the functions of the rule language: finding one, and what
 * they have in common
 */
#include "map/lang/lang_builtin.h"

const struct tn_builtin *tn_builtin_find(struct tn_bytes name)
{
    static const struct tn_builtin *const tables[] = {
        tn_builtins_of_numbers,  tn_builtins_of_dtypes,
        tn_builtins_of_texts,    tn_builtins_of_lists,
        tn_builtins_of_shapes,   tn_builtins_of_values,
        tn_builtins_of_elements, tn_builtins_of_arithmetic,
    };

    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (const struct tn_builtin *row = tables[i]; row->name; row++)
            if (tn_bytes_is(name, row->name))
                return row;
    return NULL;
}

struct tn_item tn_builtin_refuse(const struct tn_call *call, const char *why)
{
    return tn_eval_refuse(call->eval, call->expr, "%.*s: %s",
                          TN_FMT(call->expr->text), why);
}

bool tn_builtin_list_arg(const struct tn_call *call, uint32_t index,
                         struct tn_item *list)
{
    *list = call->args[index];
    if (list->kind == TN_ITEM_LIST)
        return true;
    tn_builtin_refuse(call, "expected a list");
    return false;
}

bool tn_builtin_int_arg(const struct tn_call *call, uint32_t index,
                        int64_t *number)
{
    if (tn_item_to_int(call->args[index], number))
        return true;
    tn_builtin_refuse(call, "expected an int");
    return false;
}

bool tn_builtin_text_arg(const struct tn_call *call, uint32_t index,
                         struct tn_bytes *text)
{
    *text = tn_item_bytes(call->args[index]);
    if (call->args[index].kind == TN_ITEM_STRING)
        return true;
    tn_builtin_refuse(call, "expected a string");
    return false;
}

const struct tn_item *tn_builtin_unknown_in(struct tn_item list)
{
    for (uint32_t i = 0; i < list.count; i++)
        if (list.of.items[i].kind == TN_ITEM_UNKNOWN)
            return &list.of.items[i];
    return NULL;
}

bool tn_builtin_known_list_arg(const struct tn_call *call, uint32_t index,
                               struct tn_item *list)
{
    if (!tn_builtin_list_arg(call, index, list))
        return false;
    const struct tn_item *unknown = tn_builtin_unknown_in(*list);
    if (unknown)
        *list = *unknown;
    return !unknown;
}
