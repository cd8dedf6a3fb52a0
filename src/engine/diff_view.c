/*
 * diff_view.c - a comparison as a picture: both sides in one
 *
 * Draws the right model, with the parts that only the left one has added beside
 * their inputs.  An edit makes this combined model, which is never written.
 * Without operators on the right, these are the tensors of both.
 */
#include <tenon/diff.h>
#include <tenon/edit.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/expect.h"
#include "base/sized.h"
#include "engine/diff_models.h"
#include "engine/edit_draft.h"
#include "engine/opened.h"
#include "engine/view_model.h"
#include "ir/attr.h"
#include "view/picture.h"

struct both {
    const struct tn_diff_match *match;
    const struct tn_model      *left, *right;
    struct tn_edit             *edit;
    struct tn_arena             arena;
    struct tn_intern            names; /* of ops and values of both           */
    uint32_t                    removed;
    struct tn_error            *error;
};

static const char *text_of(struct both *b, struct tn_bytes text)
{
    return tn_text_format(&b->arena, b->error, "%.*s", TN_FMT(text));
}

/* A name that neither side has: with a suffix, if necessary. */
static const char *new_name(struct both *b, struct tn_bytes name)
{
    const char *text = text_of(b, name);

    while (text && tn_intern_find(&b->names, tn_text(text)) != TN_NO_NAME)
        text = tn_text_format(&b->arena, b->error, "%s_removed", text);
    if (text)
        tn_intern_borrow(&b->names, tn_text(text), b->error);
    return text;
}

/* Names of a removed op in the picture, and of its values. */
static const char *name_op(struct both *b, const char **made, uint32_t op)
{
    struct tn_op_info info  = tn_model_op(b->left, op);
    bool              by_op = b->right->dialect->producer_of != NULL;
    const char       *name  = info.name.size ? new_name(b, info.name) : "";

    for (uint32_t i = 0; name && i < info.output_count; i++) {
        uint32_t value = tn_op_output(b->left, op, i);
        if (value == TN_NONE)
            continue;
        struct tn_bytes old = tn_model_value_name(b->left, value);
        /* "node:1": where values are called by their node */
        made[value] =
            by_op && tn_bytes_starts_with(old, text_of(b, info.name))
                ? tn_text_format(&b->arena, b->error, "%s%.*s", name,
                                 TN_FMT(tn_bytes(old.data + info.name.size,
                                                 old.size - info.name.size)))
                : new_name(b, old);
    }
    return name;
}

static void list_names(struct both *b)
{
    for (uint32_t i = 0; i < b->right->values.count; i++)
        tn_intern_borrow(&b->names, tn_model_value_name(b->right, i), b->error);
    for (uint32_t i = 0; i < b->right->ops.count; i++)
        tn_intern_borrow(
            &b->names,
            tn_model_name(b->right, tn_model_op_at(b->right, i)->name),
            b->error);
}

/* Names of values of removed ops in the picture, by value of the left model;
 * NULL: as in the right one. */
static const char *name_of_value(struct both *b, const char **made,
                                 uint32_t value)
{
    if (value == TN_NONE)
        return "";
    const struct tn_value *row =
        tn_model_value_at(b->left, tn_model_defining_value(b->left, value));
    if (made[value])
        return made[value];
    if (row->producer != TN_NONE) {
        uint32_t op = b->match->ops[0][row->producer];
        if (op != TN_NONE &&
            row->output < tn_model_op_at(b->right, op)->output_count)
            return text_of(
                b, tn_model_value_name(
                       b->right, tn_op_output(b->right, op, row->output)));
    }
    return text_of(b, tn_model_value_name(b->left, value));
}

/* The graph of the right model that an op of the left one belongs to.  Those of
 * a removed graph belong to the op around it. */
static uint32_t home_of(const struct both *b, uint32_t op)
{
    return b->match->graphs[0][tn_model_op_at(b->left, op)->graph];
}

static bool is_removed(const struct both *b, uint32_t op)
{
    return b->match->ops[0][op] == TN_NONE && home_of(b, op) != TN_NONE;
}

static void add_removed(struct both *b, const char **made, const char *name,
                        uint32_t op)
{
    struct tn_op_info info   = tn_model_op(b->left, op);
    uint32_t          all    = info.input_count + info.control_count;
    const char      **inputs = tn_new(&b->arena, const char *, all, b->error);
    const char      **outputs =
        tn_new(&b->arena, const char *, info.output_count, b->error);
    struct tn_op_spec spec = { .inputs        = inputs,
                               .input_count   = all,
                               .control_count = info.control_count,
                               .outputs       = outputs,
                               .output_count  = info.output_count };

    if (!inputs || !outputs)
        return;
    for (uint32_t i = 0; i < all; i++)
        inputs[i] = name_of_value(b, made, tn_op_input(b->left, op, i));
    for (uint32_t i = 0; i < info.output_count; i++) {
        uint32_t value = tn_op_output(b->left, op, i);
        outputs[i]     = value == TN_NONE ? "" : made[value];
    }
    spec.name   = name;
    spec.type   = text_of(b, info.type);
    spec.domain = text_of(b, info.domain);
    if (!tn_failed(b->error) && tn_edit_add_op(b->edit, home_of(b, op), TN_NONE,
                                               &spec, NULL, b->error) == TN_OK)
        b->removed++;
}

/* Where a removed op led: an op that took what it made, and is still there,
 * comes after it, as a dashed line shows. */
static void follow_removed(struct both *b, const char **made, uint32_t op)
{
    uint32_t          to    = b->match->ops[0][op];
    struct tn_op_info old   = tn_model_op(b->left, op);
    struct tn_op_info info  = tn_model_op(b->right, to);
    uint32_t          count = info.input_count + info.control_count;
    uint32_t          more  = 0;
    const char      **names = tn_new(&b->arena, const char *,
                                     count + (uint64_t)old.input_count, b->error);

    for (uint32_t i = 0; names && i < old.input_count; i++) {
        uint32_t value = tn_op_input(b->left, op, i);
        if (value == TN_NONE)
            continue;
        value = tn_model_defining_value(b->left, value);
        if (made[value])
            names[count + more++] = made[value];
    }
    for (uint32_t i = 0; more && i < count; i++) {
        uint32_t value = tn_op_input(b->right, to, i);
        names[i]       = value == TN_NONE
                             ? ""
                             : text_of(b, tn_model_value_name(b->right, value));
    }
    if (more && !tn_failed(b->error))
        tn_draft_set_inputs(&b->edit->draft, to, names, count + more,
                            info.control_count + more, b->error);
}

/* All at once: an op may use what a later one of the file makes. */
static void add_all_removed(struct both *b)
{
    uint64_t     count = b->left->ops.count;
    const char **made =
        tn_new(&b->arena, const char *, b->left->values.count, b->error);
    const char **names = tn_new(&b->arena, const char *, count, b->error);

    if (!made || !names)
        return;
    for (uint32_t op = 0; op < count; op++)
        if (is_removed(b, op))
            names[op] = name_op(b, made, op);
    for (uint32_t op = 0; op < count && !tn_failed(b->error); op++)
        if (is_removed(b, op))
            add_removed(b, made, names[op], op);
    for (uint32_t op = 0; op < count && b->removed && !tn_failed(b->error);
         op++)
        if (b->match->ops[0][op] != TN_NONE)
            follow_removed(b, made, op);
}

/* ---- states -------------------------------------------------------------- */

/* The inputs of operators, if the tensor is not in an attribute. */
static uint32_t value_of_tensor(const struct both      *b,
                                const struct tn_tensor *tensor)
{
    return tensor->node != TN_NONE || tensor->graph == TN_NONE
               ? TN_NONE
               : tn_model_find_value(b->right, tensor->graph, tensor->name);
}

static void mark_tensor(const struct both *b, uint8_t *values,
                        const struct tn_tensor *tensor)
{
    uint32_t value = value_of_tensor(b, tensor);

    if (value != TN_NONE)
        values[value] = true;
}

/* Ops that use a tensor with other elements are changed, too. */
static void mark_users(const struct both *b, const uint8_t *values,
                       uint8_t *of_right)
{
    for (uint32_t op = 0; op < b->right->ops.count; op++) {
        const struct tn_op *row = tn_model_op_at(b->right, op);
        for (uint32_t i = 0; i < row->input_count && !of_right[op]; i++) {
            uint32_t value =
                tn_model_ref_at(b->right, (uint64_t)row->first_input + i);
            if (value != TN_NONE &&
                values[tn_model_defining_value(b->right, value)])
                of_right[op] = TN_OP_CHANGED;
        }
    }
}

static void mark_changes(struct both *b, const struct tn_diff *diff,
                         uint8_t *of_right)
{
    uint8_t *values =
        tn_new(&b->arena, uint8_t, b->right->values.count, b->error);

    for (uint64_t i = 0; values && i < tn_diff_count(diff); i++) {
        const struct tn_diff_change *change = tn_diff_change_at(diff, i);
        if (change->right == TN_NONE)
            continue;
        if (change->part == TN_DIFF_OPERATOR && change->kind == TN_DIFF_ADDED)
            of_right[change->right] = TN_OP_ADDED;
        else if (change->part == TN_DIFF_OPERATOR &&
                 change->kind == TN_DIFF_CHANGED)
            of_right[change->right] = TN_OP_CHANGED;
        else if (change->part == TN_DIFF_TENSOR &&
                 change->kind == TN_DIFF_CHANGED)
            mark_tensor(b, values,
                        tn_list_at(&b->right->tensors, struct tn_tensor,
                                   change->right));
    }
    if (values)
        mark_users(b, values, of_right);
}

/* ---- what changed, as text ------------------------------------------------
 */

/* A facet as text: what was, an arrow, what is. */
static struct tn_bytes facet_text(struct both                *b,
                                  const struct tn_diff_facet *facet)
{
    const char *text;

    if (!facet->left.size)
        text = tn_text_format(&b->arena, b->error, "added: %.*s",
                              TN_FMT(facet->right));
    else if (!facet->right.size)
        text = tn_text_format(&b->arena, b->error, "removed: %.*s",
                              TN_FMT(facet->left));
    else
        text = tn_text_format(&b->arena, b->error, "%.*s \xe2\x86\x92 %.*s",
                              TN_FMT(facet->left), TN_FMT(facet->right));
    return tn_text(text ? text : "");
}

/* How many elements differ, and by how much. */
static struct tn_bytes elements_text(struct both                 *b,
                                     const struct tn_diff_change *change)
{
    const struct tn_tensor *tensor =
        tn_list_at(&b->right->tensors, struct tn_tensor, change->right);
    const char *text = "other elements";

    if (change->max_absolute == 0 && tn_dtype_bits(tn_tensor_dtype(tensor)))
        text = "other bits of equal values";
    else if (change->max_absolute > 0)
        text = tn_text_format(&b->arena, b->error,
                              "%" PRIu64 " of %" PRIu64
                              " elements, by up to %.3g (relative %.2g)",
                              change->changed_count, change->element_count,
                              change->max_absolute, change->max_relative);
    return tn_text(text ? text : "");
}

/* What differs in a tensor: its type, or its elements. */
static struct tn_bytes tensor_text(struct both                 *b,
                                   const struct tn_diff_change *change)
{
    return change->facet_count ? facet_text(b, &change->facets[0])
                               : elements_text(b, change);
}

static void keep_changes(struct both *b, struct tn_list *list,
                         struct tn_view_changes *to)
{
    struct tn_view_change *items =
        tn_new(&b->arena, struct tn_view_change, list->count, b->error);

    if (items && list->count)
        memcpy(items, list->items, (size_t)list->count * sizeof *items);
    *to = (struct tn_view_changes){ items, items ? (uint32_t)list->count : 0 };
    list->count = 0;
}

static void add_change(struct both *b, struct tn_list *list,
                       struct tn_bytes name, struct tn_bytes text)
{
    struct tn_view_change *change =
        tn_list_push(list, struct tn_view_change, b->error);

    if (change)
        *change = (struct tn_view_change){ name, text };
}

/* Of one op: its facets, then the tensors that it takes and that differ. */
static void tell_op(struct both *b, const struct tn_diff_change *change,
                    const struct tn_diff_change *const *of_values, uint32_t op,
                    struct tn_list *list)
{
    const struct tn_op *row = tn_model_op_at(b->right, op);

    for (uint32_t i = 0; change && i < change->facet_count; i++)
        add_change(b, list, change->facets[i].name,
                   facet_text(b, &change->facets[i]));
    for (uint32_t i = 0; i < row->input_count; i++) {
        uint32_t value =
            tn_model_ref_at(b->right, (uint64_t)row->first_input + i);
        const struct tn_diff_change *tensor =
            value == TN_NONE
                ? NULL
                : of_values[tn_model_defining_value(b->right, value)];
        if (tensor)
            add_change(b, list, tensor->name, tensor_text(b, tensor));
    }
}

/* Changes that belong to no box of the picture. */
static void tell_model(struct both *b, const struct tn_diff *diff,
                       struct tn_list *list, struct tn_view_changes *to)
{
    static const char *const parts[TN_DIFF_PARTS] = {
        [TN_DIFF_INPUT] = "input",     [TN_DIFF_OUTPUT] = "output",
        [TN_DIFF_VERSION] = "version", [TN_DIFF_SIGNATURE] = "signature",
        [TN_DIFF_GRAPH] = "graph",     [TN_DIFF_METADATA] = "metadata",
    };
    static const char *const marks[] = {
        [TN_DIFF_ADDED] = "+",   [TN_DIFF_REMOVED] = "-",
        [TN_DIFF_CHANGED] = "~", [TN_DIFF_RENAMED] = ">",
        [TN_DIFF_MOVED] = "^",
    };

    for (uint64_t i = 0; i < tn_diff_count(diff) && !tn_failed(b->error); i++) {
        const struct tn_diff_change *change = tn_diff_change_at(diff, i);
        if (!parts[change->part])
            continue;
        const char *name = tn_text_format(
            &b->arena, b->error, "%s %s %.*s", marks[change->kind],
            parts[change->part], TN_FMT(change->name));
        struct tn_bytes text = change->new_name.size ? change->new_name
                               : change->facet_count
                                   ? facet_text(b, &change->facets[0])
                                   : change->type;
        if (name)
            add_change(b, list, tn_text(name), text);
    }
    keep_changes(b, list, to);
}

static void tell_changes(struct both *b, const struct tn_diff *diff,
                         const uint8_t          *of_right,
                         struct tn_view_changes *changes,
                         struct tn_view_changes *of_model)
{
    const struct tn_diff_change **of_ops =
        tn_new(&b->arena, const struct tn_diff_change *, b->right->ops.count,
               b->error);
    const struct tn_diff_change **of_values =
        tn_new(&b->arena, const struct tn_diff_change *, b->right->values.count,
               b->error);
    struct tn_list list;

    if (!of_ops || !of_values)
        return;
    for (uint64_t i = 0; i < tn_diff_count(diff); i++) {
        const struct tn_diff_change *change = tn_diff_change_at(diff, i);
        if (change->right == TN_NONE || change->kind != TN_DIFF_CHANGED)
            continue;
        if (change->part == TN_DIFF_OPERATOR) {
            of_ops[change->right] = change;
        } else if (change->part == TN_DIFF_TENSOR) {
            uint32_t value =
                value_of_tensor(b, tn_list_at(&b->right->tensors,
                                              struct tn_tensor, change->right));
            if (value != TN_NONE)
                of_values[value] = change;
        }
    }
    tn_list_init(&list, b->right->memory, sizeof(struct tn_view_change));
    for (uint32_t op = 0; op < b->right->ops.count && !tn_failed(b->error);
         op++)
        if (of_right[op] == TN_OP_CHANGED) {
            tell_op(b, of_ops[op], of_values, op, &list);
            keep_changes(b, &list, &changes[op]);
        }
    tell_model(b, diff, &list, of_model);
    tn_list_done(&list);
}

/* ---- all ------------------------------------------------------------------
 */

/* The ops of each graph are those of the right model, then removed ones. */
static void place_states(const struct both *b, const struct tn_model *drawn,
                         const uint8_t                *of_right,
                         const struct tn_view_changes *changes_of_right,
                         uint8_t *states, struct tn_view_changes *changes)
{
    for (uint32_t g = 0; g < drawn->graphs.count && g < b->right->graphs.count;
         g++) {
        const struct tn_graph *to   = tn_model_graph_at(drawn, g),
                              *from = tn_model_graph_at(b->right, g);
        for (uint64_t i = 0; i < to->op_count; i++) {
            states[to->first_op + i] = i < from->op_count
                                           ? of_right[from->first_op + i]
                                           : (uint8_t)TN_OP_REMOVED;
            if (i < from->op_count)
                changes[to->first_op + i] =
                    changes_of_right[from->first_op + i];
        }
    }
}

static const char *name_of_both(struct both *b)
{
    return tn_text_format(&b->arena, b->error, "%s \xe2\x86\x92 %s",
                          tn_view_name(tn_model_path(b->left)),
                          tn_view_name(tn_model_path(b->right)));
}

static enum tn_status draw(struct both *b, const struct tn_diff *diff,
                           const struct tn_target  *target,
                           const struct tn_options *options,
                           struct tn_view_summary  *summary)
{
    struct tn_model *drawn = NULL;
    uint8_t         *of_right =
        tn_new(&b->arena, uint8_t, b->right->ops.count, b->error);

    struct tn_view_changes *told_of_right = tn_new(
        &b->arena, struct tn_view_changes, b->right->ops.count, b->error);
    struct tn_view_changes of_model = { NULL, 0 };

    if (!of_right || !told_of_right)
        return b->error->status;
    TN_TRY(tn_edit_commit(b->edit, &drawn, b->error));
    uint8_t *states = tn_new(&b->arena, uint8_t, drawn->ops.count, b->error);
    struct tn_view_changes *told =
        tn_new(&b->arena, struct tn_view_changes, drawn->ops.count, b->error);
    const char *name = name_of_both(b);
    if (states && told && name) {
        mark_changes(b, diff, of_right);
        tell_changes(b, diff, of_right, told_of_right, &of_model);
        place_states(b, drawn, of_right, told_of_right, states, told);
    }
    if (!tn_failed(b->error))
        tn_view_states(drawn,
                       &(struct tn_view_difference){ states, told, &of_model },
                       name, target, options, summary, b->error);
    tn_model_close(drawn);
    return b->error->status;
}

/* ---- models without graphs ------------------------------------------------
 */

/* Tensors that only the left model has come after those of the right one. */
static void add_removed_tensors(struct both *b)
{
    for (uint32_t i = 0; i < b->right->tensors.count; i++)
        tn_intern_borrow(
            &b->names, tn_tensor_name(tn_model_tensor(b->right, i)), b->error);
    for (uint32_t i = 0; i < b->left->tensors.count && !tn_failed(b->error);
         i++) {
        const struct tn_tensor *tensor = tn_model_tensor(b->left, i);
        if (b->match->tensors[0][i] != TN_NONE)
            continue;
        const char *name = new_name(b, tn_tensor_name(tensor));
        if (name)
            tn_edit_add_tensor(b->edit, 0, name, tensor, b->error);
    }
}

static void tell_tensor(struct both *b, const struct tn_diff_change *change,
                        struct tn_list *list)
{
    if (change->new_name.size)
        add_change(b, list, tn_text("name"),
                   facet_text(b, &(struct tn_diff_facet){
                                     .left  = change->name,
                                     .right = change->new_name }));
    for (uint32_t i = 0; i < change->facet_count; i++)
        add_change(b, list, change->facets[i].name,
                   facet_text(b, &change->facets[i]));
    if (change->changed_count)
        add_change(b, list, tn_text("elements"), elements_text(b, change));
}

/* By tensor of the picture. */
static void tell_tensors(struct both *b, const struct tn_diff *diff,
                         uint8_t *states, struct tn_view_changes *told,
                         struct tn_view_changes *of_model)
{
    struct tn_list list;

    tn_list_init(&list, b->right->memory, sizeof(struct tn_view_change));
    for (uint64_t i = 0; i < tn_diff_count(diff) && !tn_failed(b->error); i++) {
        const struct tn_diff_change *change = tn_diff_change_at(diff, i);
        if (change->part != TN_DIFF_TENSOR || change->right == TN_NONE)
            continue;
        states[change->right] =
            change->kind == TN_DIFF_ADDED ? TN_OP_ADDED : TN_OP_CHANGED;
        if (change->kind == TN_DIFF_ADDED)
            continue;
        tell_tensor(b, change, &list);
        keep_changes(b, &list, &told[change->right]);
    }
    tell_model(b, diff, &list, of_model);
    tn_list_done(&list);
}

static enum tn_status draw_tensors(struct both *b, const struct tn_diff *diff,
                                   const struct tn_target  *target,
                                   const struct tn_options *options,
                                   struct tn_view_summary  *summary)
{
    struct tn_model       *drawn    = NULL;
    struct tn_view_changes of_model = { NULL, 0 };

    TN_TRY(tn_edit_commit(b->edit, &drawn, b->error));
    uint64_t count  = drawn->tensors.count;
    uint8_t *states = tn_new(&b->arena, uint8_t, count, b->error);
    struct tn_view_changes *told =
        tn_new(&b->arena, struct tn_view_changes, count, b->error);
    const char *name = name_of_both(b);
    for (uint64_t i = b->right->tensors.count; states && i < count; i++)
        states[i] = TN_OP_REMOVED;
    if (states && told && name)
        tell_tensors(b, diff, states, told, &of_model);
    if (!tn_failed(b->error))
        tn_view_states(drawn,
                       &(struct tn_view_difference){ states, told, &of_model },
                       name, target, options, summary, b->error);
    tn_model_close(drawn);
    return b->error->status;
}

/* ---- all of it ------------------------------------------------------------
 */

enum tn_status tn_diff_write_view(const struct tn_diff    *diff,
                                  const struct tn_target  *target,
                                  const struct tn_options *options,
                                  struct tn_view_summary  *summary,
                                  struct tn_error         *error)
{
    TN_ERROR_OR_OWN(error);
    TN_EXPECT_TARGET(target, error);
    TN_TAKE_OPTIONS(options);
    const struct tn_diff_match *match = tn_diff_matching(diff);
    struct both                 b     = { .match = match,
                                          .left  = match->left.model,
                                          .right = match->right.model,
                                          .error = error };

    bool has_ops = tn_diff_summarize(diff).has_ops;
    if (!has_ops && b.right->graphs.count)
        return tn_error_set(
            error, TN_UNSUPPORTED, TN_NOWHERE,
            "cannot draw both in one picture: B has operators, and A (%s) has "
            "none of that framework",
            tn_model_format(b.left));
    TN_TRY(tn_edit_open(&b.edit, b.right, options, error));
    tn_arena_init(&b.arena, b.right->memory);
    tn_intern_init(&b.names, &b.arena);
    list_names(&b);
    if (has_ops)
        add_all_removed(&b);
    else
        add_removed_tensors(&b);
    if (!tn_failed(error))
        (has_ops ? draw : draw_tensors)(&b, diff, target, options, summary);
    tn_intern_done(&b.names);
    tn_arena_done(&b.arena);
    tn_edit_close(b.edit);
    return error->status;
}
