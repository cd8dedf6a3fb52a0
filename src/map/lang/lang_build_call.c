/*
 * lang_build_call.c - whom calls of a rule call
 *
 * A def, table or macro is made ready when it is first used.  Rules see only
 * what stands above them, so that this ends.
 */
#include "map/lang/lang_attr.h"
#include "map/lang/lang_build.h"
#include "map/lang/lang_builtin.h"
#include "map/lang/lang_pack.h"

/* ---- definitions -------------------------------------------------------- */

/* For a def or macro: of the names around it none is in sight. */
static struct tn_builder inside(const struct tn_builder *b)
{
    struct tn_builder inner = {
        .set = b->set, .file = b->file, .depth = b->depth, .error = b->error
    };

    tn_list_init(&inner.sights, b->set->arena.memory, sizeof(struct tn_sight));
    return inner;
}

static const struct tn_code_def *make_def(struct tn_builder *b, uint32_t index)
{
    struct tn_lang_def *def =
        tn_list_at(&b->file->file->defs, struct tn_lang_def, index);
    struct tn_builder   inner = inside(b);
    struct tn_code_def *code =
        tn_new(&b->set->arena, struct tn_code_def, 1, b->error);

    if (!code || tn_lang_complete_def(b->file->file, def, b->error) != TN_OK)
        return NULL;
    for (uint32_t i = 0; i < def->param_count; i++)
        tn_build_add_slot(&inner, def->params[i]);
    bool is_made      = tn_build_code(&inner, def->body, &code->body);
    code->name        = def->name;
    code->param_count = def->param_count;
    code->slot_count  = inner.slot_count;
    tn_list_done(&inner.sights);
    return is_made && !tn_failed(b->error) ? code : NULL;
}

static const struct tn_code_table *make_table(struct tn_builder *b,
                                              uint32_t           index)
{
    struct tn_lang_table *table =
        tn_list_at(&b->file->file->tables, struct tn_lang_table, index);
    struct tn_arena *arena = &b->set->arena;

    if (tn_lang_complete_table(b->file->file, table, b->error) != TN_OK)
        return NULL;
    struct tn_code_table *code =
        tn_new(arena, struct tn_code_table, 1, b->error);
    struct tn_item *keys =
        tn_new(arena, struct tn_item, table->count, b->error);
    struct tn_item *values =
        tn_new(arena, struct tn_item, table->count, b->error);

    if (!code || !keys || !values)
        return NULL;
    for (uint32_t i = 0; i < table->count; i++)
        if (!tn_build_literal(b, table->keys[i], &keys[i]) ||
            !tn_build_literal(b, table->values[i], &values[i]))
            return NULL;
    *code = (struct tn_code_table){ keys, values, table->count, table->name };
    return code;
}

static const struct tn_code_macro *make_macro(struct tn_builder *b,
                                              uint32_t           index)
{
    struct tn_lang_macro *macro =
        tn_list_at(&b->file->file->macros, struct tn_lang_macro, index);
    struct tn_builder     inner = inside(b);
    struct tn_code_macro *code =
        tn_new(&b->set->arena, struct tn_code_macro, 1, b->error);

    if (!code ||
        tn_lang_complete_macro(b->file->file, macro, b->error) != TN_OK)
        return NULL;
    code->index  = index;
    bool is_made = tn_build_frame(&inner, &macro->head, NULL, &code->frame) &&
                   tn_build_block(&inner, &macro->body, &code->body);
    code->frame.slot_count = inner.slot_count;
    tn_list_done(&inner.sights);
    return is_made && !tn_failed(b->error) ? code : NULL;
}

/* ---- calls -------------------------------------------------------------- */

/* wanted(Y) asks of an output, which is bound to nothing yet: its argument
 * becomes the index of the output.  Of a macro's outputs nothing is known. */
static bool make_wanted(struct tn_builder *b, const struct tn_lang_expr *expr,
                        struct tn_code *code)
{
    struct tn_code *item = tn_new(&b->set->arena, struct tn_code, 1, b->error);

    if (!item)
        return false;
    uint32_t slot = code->items[0].slot;
    *item         = (struct tn_code){ .kind = TN_LANG_INT, .expr = expr };
    item->of.item = tn_item_none();
    if (b->outputs && slot >= b->first_output &&
        slot - b->first_output < b->outputs->output_count)
        item->of.item = tn_item_int(slot - b->first_output);
    else if (b->outputs)
        return tn_build_refuse(b, &expr->place,
                               "not an output:", expr->items[0]->text);
    code->items = item;
    return true;
}

static bool make_builtin(struct tn_builder *b, const struct tn_lang_expr *expr,
                         struct tn_code *code)
{
    code->of.builtin = tn_builtin_find(expr->text);
    if (!code->of.builtin)
        return tn_build_refuse(b, &expr->place,
                               "no such function:", expr->text);
    if (expr->item_count < code->of.builtin->min_count ||
        expr->item_count > code->of.builtin->max_count)
        return tn_build_refuse(b, &expr->place, "wrong number of arguments for",
                               expr->text);
    return !tn_bytes_is(expr->text, "wanted") || make_wanted(b, expr, code);
}

static bool use_def(struct tn_builder *b, const struct tn_lang_expr *expr,
                    struct tn_code *code)
{
    const struct tn_code_def **def = &b->file->defs[expr->target];

    if (!*def)
        *def = make_def(b, expr->target);
    code->of.def = *def;
    if (*def && (*def)->param_count != expr->item_count)
        return tn_build_refuse(b, &expr->place, "wrong number of arguments for",
                               expr->text);
    return *def != NULL;
}

static bool use_table(struct tn_builder *b, const struct tn_lang_expr *expr,
                      struct tn_code *code)
{
    const struct tn_code_table **table = &b->file->tables[expr->target];

    if (!*table)
        *table = make_table(b, expr->target);
    code->of.table = *table;
    if (*table && expr->item_count != 1)
        return tn_build_refuse(b, &expr->place, "wrong number of arguments for",
                               expr->text);
    return *table != NULL;
}

/* What the target's vocabulary says of an attribute. */
static void set_kind(struct tn_code_attr *code, const struct tn_vocab_op *op)
{
    const struct tn_vocab_attr *known =
        op ? tn_vocab_find_attr(op, code->name) : NULL;

    if (!known)
        return;
    code->kind    = tn_attr_kind_of(known->type);
    code->is_list = known->is_list;
}

static uint32_t macro_slot(const struct tn_code_macro *macro,
                           struct tn_bytes             name)
{
    for (uint32_t i = 0; i < macro->frame.head->attr_count; i++)
        if (tn_bytes_equal(macro->frame.attrs[i].name, name))
            return macro->frame.attrs[i].slot;
    return TN_NONE;
}

static bool make_call_attr(struct tn_builder          *b,
                           const struct tn_lang_attr  *attr,
                           const struct tn_vocab_op   *op,
                           const struct tn_code_macro *macro,
                           struct tn_code_attr        *code)
{
    code->name  = attr->name;
    code->place = attr->place;
    code->slot  = TN_NONE;
    set_kind(code, op);
    if (macro) {
        code->slot = macro_slot(macro, attr->name);
        if (code->slot == TN_NONE)
            return tn_build_refuse(b, &attr->place,
                                   "the macro has no attribute", attr->name);
    }
    return tn_build_code(b, attr->value, &code->value);
}

static bool make_op(struct tn_builder *b, const struct tn_lang_expr *expr,
                    const struct tn_code_macro *macro, struct tn_code *code)
{
    const struct tn_vocab_op *known =
        macro ? NULL
              : tn_code_target(b->set, expr->domain, expr->text, b->error);
    struct tn_code_op *op =
        tn_new(&b->set->arena, struct tn_code_op, 1, b->error);
    struct tn_code_attr *attrs =
        tn_new(&b->set->arena, struct tn_code_attr, expr->attr_count, b->error);

    if (!op || !attrs || tn_failed(b->error))
        return false;
    for (uint32_t i = 0; i < expr->attr_count; i++)
        if (!make_call_attr(b, &expr->attrs[i], known, macro, &attrs[i]))
            return false;
    *op         = (struct tn_code_op){ .macro      = macro,
                                       .type       = expr->text,
                                       .domain     = expr->domain,
                                       .attrs      = attrs,
                                       .attr_count = expr->attr_count };
    code->of.op = op;
    return true;
}

static bool use_macro(struct tn_builder *b, const struct tn_lang_expr *expr,
                      struct tn_code *code)
{
    const struct tn_code_macro **macro = &b->file->macros[expr->target];

    if (!*macro)
        *macro = make_macro(b, expr->target);
    return *macro && make_op(b, expr, *macro, code);
}

bool tn_build_call(struct tn_builder *b, const struct tn_lang_expr *expr,
                   struct tn_code *code)
{
    const struct tn_lang_file *file = b->file->file;

    code->callee = (uint16_t)expr->callee;
    switch (expr->callee) {
    case TN_LANG_TO_BUILTIN: return make_builtin(b, expr, code);
    case TN_LANG_TO_DEF:
        return expr->target < file->defs.count && use_def(b, expr, code);
    case TN_LANG_TO_TABLE:
        return expr->target < file->tables.count && use_table(b, expr, code);
    case TN_LANG_TO_MACRO:
        return expr->target < file->macros.count && use_macro(b, expr, code);
    case TN_LANG_TO_OP: return make_op(b, expr, NULL, code);
    case TN_LANG_TO_CONST: break;
    }
    return true;
}
