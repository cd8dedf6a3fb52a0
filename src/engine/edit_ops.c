/* edit_ops.c - actions on nodes: attributes, inputs, nodes themselves */
#include <inttypes.h>

#include "engine/edit_action.h"
#include "engine/edit_value.h"

/* ---- attributes --------------------------------------------------------- */

/* The kind that the attribute has now, if it has one. */
static struct tn_value_hint hint_of(struct tn_edit *edit, uint32_t op,
                                    const char *name, struct tn_arena *arena)
{
    struct tn_error      ignored = TN_ERROR_INIT;
    struct tn_attr_value value;

    if (tn_draft_get_attr(&edit->draft, op, name, arena, &value, &ignored) !=
        TN_OK)
        return (struct tn_value_hint){ 0 };
    return (struct tn_value_hint){ true, value.kind, value.is_list };
}

enum tn_status tn_edit_act_set_attr(struct tn_edit        *edit,
                                    const struct tn_words *words,
                                    struct tn_error       *error)
{
    struct tn_words      rest = { words->count - 2, words->items + 2 };
    struct tn_attr_value value;
    struct tn_arena      arena;
    uint32_t             op;

    TN_TRY(tn_edit_find_op(edit, words->items[0], &op, error));
    tn_arena_init(&arena, &edit->store->memory);
    struct tn_value_hint hint = hint_of(edit, op, words->items[1], &arena);
    if (tn_edit_value_read(edit, &arena, &rest, &hint, &value, error) == TN_OK)
        tn_edit_set_attr(edit, op, words->items[1], &value, error);
    tn_arena_done(&arena);
    return error->status;
}

enum tn_status tn_edit_act_remove_attr(struct tn_edit        *edit,
                                       const struct tn_words *words,
                                       struct tn_error       *error)
{
    uint32_t op;

    TN_TRY(tn_edit_find_op(edit, words->items[0], &op, error));
    return tn_edit_remove_attr(edit, op, words->items[1], error);
}

/* ---- inputs ------------------------------------------------------------- */

enum tn_status tn_edit_act_set_input(struct tn_edit        *edit,
                                     const struct tn_words *words,
                                     struct tn_error       *error)
{
    uint64_t index;
    uint32_t op;

    TN_TRY(tn_edit_find_op(edit, words->items[0], &op, error));
    TN_TRY(tn_edit_number(words->items[1], &index, error));
    if (index >= UINT32_MAX)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE, "input %s",
                            words->items[1]);
    return tn_edit_set_input(edit, op, (uint32_t)index, words->items[2], error);
}

/* ---- nodes -------------------------------------------------------------- */

enum tn_status tn_edit_act_remove_op(struct tn_edit        *edit,
                                     const struct tn_words *words,
                                     struct tn_error       *error)
{
    uint32_t op;

    TN_TRY(tn_edit_find_op(edit, words->items[0], &op, error));
    return tn_edit_remove_op(edit, op, error);
}
