/*
 * lang_build.c - one rule made ready to run: its names become slots
 */
#include "map/lang/lang_build.h"

#include <inttypes.h>

#include "map/lang/lang_attr.h"
#include "map/lang/lang_pack.h"

bool tn_build_refuse(struct tn_builder *b, const struct tn_map_place *place,
                     const char *what, struct tn_bytes name)
{
    tn_error_set(b->error, TN_INVALID, place->offset, "%s '%.*s'", what,
                 TN_FMT(name));
    tn_error_where(b->error, "line %" PRIu32 ", column %" PRIu32, place->line,
                   place->column);
    if (place->file)
        tn_error_file(b->error, place->file);
    return false;
}

/* ---- names -------------------------------------------------------------- */

static uint32_t find_slot(const struct tn_builder *b, struct tn_bytes name)
{
    for (uint64_t i = b->sights.count; i-- > 0;) {
        const struct tn_sight *sight =
            tn_list_at(&b->sights, struct tn_sight, i);
        if (tn_bytes_equal(sight->name, name))
            return sight->slot;
    }
    return TN_NONE;
}

uint32_t tn_build_add_slot(struct tn_builder *b, struct tn_bytes name)
{
    struct tn_sight *sight =
        tn_list_push(&b->sights, struct tn_sight, b->error);

    if (!sight)
        return TN_NONE;
    *sight = (struct tn_sight){ name, b->slot_count++ };
    return sight->slot;
}

/* What a step binds: a name in sight is bound again. */
static uint32_t bind_slot(struct tn_builder *b, struct tn_bytes name)
{
    uint32_t slot = find_slot(b, name);

    return slot != TN_NONE ? slot : tn_build_add_slot(b, name);
}

/* The variable of a loop hides what has its name, as long as the loop lasts:
 * the caller cuts the list of sights. */
static uint32_t loop_slot(struct tn_builder *b, struct tn_bytes name)
{
    return name.size ? tn_build_add_slot(b, name) : TN_NONE;
}

/* ---- expressions -------------------------------------------------------- */

static bool make_leaf(struct tn_builder *b, const struct tn_lang_expr *expr,
                      struct tn_code *code)
{
    struct tn_item *item = &code->of.item;

    item->of.number = expr->number;
    switch (expr->kind) {
    case TN_LANG_NONE: item->kind = TN_ITEM_NONE; return true;
    case TN_LANG_UNKNOWN:
        *item = (struct tn_item){ .kind = TN_ITEM_UNKNOWN, .of.expr = expr };
        return true;
    case TN_LANG_BOOL: item->kind = TN_ITEM_BOOL; return true;
    case TN_LANG_INT: item->kind = TN_ITEM_INT; return true;
    case TN_LANG_DTYPE: item->kind = TN_ITEM_DTYPE; return true;
    case TN_LANG_FLOAT: *item = tn_item_float(expr->real); return true;
    case TN_LANG_STRING: *item = tn_item_text(expr->text); return true;
    default:
        code->slot = find_slot(b, expr->text);
        return code->slot != TN_NONE ||
               tn_build_refuse(b, &expr->place, "no such name:", expr->text);
    }
}

static bool make_items(struct tn_builder *b, const struct tn_lang_expr *expr,
                       uint32_t first, struct tn_code *items)
{
    for (uint32_t i = first; i < expr->item_count; i++)
        if (expr->items[i] && !tn_build_code(b, expr->items[i], &items[i]))
            return false;
    return true;
}

/* The list is computed outside, the rest sees the variables. */
static bool make_each(struct tn_builder *b, const struct tn_lang_expr *expr,
                      struct tn_code *code, struct tn_code *items)
{
    uint64_t before = b->sights.count;

    if (!tn_build_code(b, expr->items[1], &items[1]))
        return false;
    code->second = loop_slot(b, expr->second);
    code->slot   = loop_slot(b, expr->text);
    bool is_made = tn_build_code(b, expr->items[0], &items[0]) &&
                   make_items(b, expr, 2, items);
    b->sights.count = before;
    return is_made;
}

static bool make_kind(struct tn_builder *b, const struct tn_lang_expr *expr,
                      struct tn_code *code)
{
    if (expr->kind <= TN_LANG_NAME)
        return make_leaf(b, expr, code);
    struct tn_code *items =
        tn_new(&b->set->arena, struct tn_code, expr->item_count, b->error);
    if (!items)
        return false;
    code->items      = items;
    code->item_count = expr->item_count;
    if (expr->kind == TN_LANG_EACH)
        return make_each(b, expr, code, items);
    if (!make_items(b, expr, 0, items))
        return false;
    return expr->kind != TN_LANG_CALL || tn_build_call(b, expr, code);
}

bool tn_build_code(struct tn_builder *b, const struct tn_lang_expr *expr,
                   struct tn_code *code)
{
    *code = (struct tn_code){ .kind   = (uint16_t)expr->kind,
                              .slot   = TN_NONE,
                              .second = TN_NONE,
                              .expr   = expr };
    if (b->depth >= TN_LANG_DEPTH_MAX)
        return tn_build_refuse(b, &expr->place,
                               "nested too deeply:", expr->text);
    b->depth++;
    bool is_made = make_kind(b, expr, code);
    b->depth--;
    return is_made && !tn_failed(b->error);
}

bool tn_build_literal(struct tn_builder *b, const struct tn_lang_expr *expr,
                      struct tn_item *item)
{
    struct tn_code code = { 0 };

    if (!tn_build_code(b, expr, &code))
        return false;
    return tn_code_literal(&code, &b->set->arena, item, b->error) ||
           tn_build_refuse(b, &expr->place, "not a literal:", expr->text);
}

/* ---- steps -------------------------------------------------------------- */

static bool make_slots(struct tn_builder *b, const struct tn_lang_step *step,
                       struct tn_code_step *code)
{
    uint32_t *slots =
        tn_new(&b->set->arena, uint32_t, step->name_count, b->error);

    if (!slots)
        return false;
    for (uint32_t i = 0; i < step->name_count; i++) {
        bool is_unwanted = tn_bytes_is(step->names[i], "_");
        slots[i]         = is_unwanted                 ? TN_NONE
                           : step->kind == TN_LANG_FOR ? loop_slot(b, step->names[i])
                                                       : bind_slot(b, step->names[i]);
    }
    code->slots      = slots;
    code->slot_count = step->name_count;
    return !tn_failed(b->error);
}

/* Variables of a loop end with it; what its body binds stays in sight. */
static void end_loop(struct tn_builder *b, uint64_t before, uint32_t name_count)
{
    struct tn_sight *sights = b->sights.items;
    uint64_t         end    = before + name_count;

    if (end > b->sights.count)
        return;
    memmove(&sights[before], &sights[end],
            (size_t)(b->sights.count - end) * sizeof *sights);
    b->sights.count -= name_count;
}

/* What one round of a loop binds is there in the next. */
static void bind_rounds(struct tn_builder *b, const struct tn_lang_block *block)
{
    for (uint32_t i = 0; i < block->count; i++) {
        const struct tn_lang_step *step = &block->steps[i];
        bool binds = step->kind == TN_LANG_LET || step->kind == TN_LANG_EMIT;
        for (uint32_t k = 0; binds && k < step->name_count; k++)
            if (!tn_bytes_is(step->names[k], "_"))
                bind_slot(b, step->names[k]);
        bind_rounds(b, &step->body);
        bind_rounds(b, &step->other);
    }
}

static bool make_step(struct tn_builder *b, const struct tn_lang_step *step,
                      struct tn_code_step *code)
{
    *code = (struct tn_code_step){ .kind         = step->kind,
                                   .last_is_many = step->last_is_many,
                                   .step         = step };
    if (step->expr && !tn_build_code(b, step->expr, &code->expr))
        return false;
    if (step->kind == TN_LANG_FOR)
        bind_rounds(b, &step->body);
    uint64_t before = b->sights.count;
    if (!make_slots(b, step, code))
        return false;
    uint64_t loops = step->kind == TN_LANG_FOR ? b->sights.count - before : 0;
    if (!tn_build_block(b, &step->body, &code->body) ||
        !tn_build_block(b, &step->other, &code->other))
        return false;
    end_loop(b, before, (uint32_t)loops);
    return true;
}

bool tn_build_block(struct tn_builder *b, const struct tn_lang_block *block,
                    struct tn_code_block *code)
{
    struct tn_code_step *steps =
        tn_new(&b->set->arena, struct tn_code_step, block->count, b->error);

    if (!steps)
        return false;
    if (b->depth >= TN_LANG_DEPTH_MAX && block->count)
        return tn_build_refuse(b, &block->steps->place,
                               "nested too deeply:", tn_text("{"));
    b->depth++;
    for (uint32_t i = 0; i < block->count; i++)
        if (!make_step(b, &block->steps[i], &steps[i]))
            return false;
    b->depth--;
    *code = (struct tn_code_block){ steps, block->count };
    return true;
}

/* ---- heads -------------------------------------------------------------- */

static bool make_head_attr(struct tn_builder         *b,
                           const struct tn_lang_attr *attr,
                           const struct tn_vocab_op  *op,
                           struct tn_code_head_attr  *code)
{
    const struct tn_vocab_attr *known =
        op ? tn_vocab_find_attr(op, attr->name) : NULL;

    *code               = (struct tn_code_head_attr){ .name       = attr->name,
                                                      .place      = attr->place,
                                                      .is_match   = attr->is_match,
                                                      .is_ignored = attr->is_ignored };
    code->fallback.kind = TN_ITEM_NONE;
    /* What is ignored has no name: an input may have the same. */
    code->slot =
        attr->is_ignored
            ? b->slot_count++
            : tn_build_add_slot(b, attr->as.size ? attr->as : attr->name);
    if (attr->is_match && !tn_build_literal(b, attr->value, &code->wanted))
        return false;
    if (attr->value && !attr->is_match)
        return tn_build_literal(b, attr->value, &code->fallback);
    if (known && known->has_default && !attr->is_ignored)
        return tn_attr_to_item(&known->value, &b->set->arena, &code->fallback,
                               b->error);
    return true;
}

bool tn_build_frame(struct tn_builder *b, const struct tn_lang_head *head,
                    const struct tn_vocab_op *op, struct tn_code_frame *frame)
{
    frame->head  = head;
    frame->attrs = tn_new(&b->set->arena, struct tn_code_head_attr,
                          head->attr_count, b->error);
    if (!frame->attrs)
        return false;
    for (uint32_t i = 0; i < head->input_count; i++)
        tn_build_add_slot(b, head->inputs[i].name);
    for (uint32_t i = 0; i < head->attr_count; i++)
        if (!make_head_attr(b, &head->attrs[i], op, &frame->attrs[i]))
            return false;
    frame->first_output = b->slot_count;
    for (uint32_t i = 0; i < head->output_count; i++)
        tn_build_add_slot(b, head->outputs[i].name);
    return !tn_failed(b->error);
}

/* ---- rules -------------------------------------------------------------- */

static bool make_shape(struct tn_builder *b, const struct tn_lang_shape *shape,
                       struct tn_code_shape *code)
{
    return (!shape->dtype || tn_build_code(b, shape->dtype, &code->dtype)) &&
           (!shape->dims || tn_build_code(b, shape->dims, &code->dims)) &&
           (!shape->value || tn_build_code(b, shape->value, &code->value));
}

static bool make_shapes(struct tn_builder *b, struct tn_code_rule *code)
{
    const struct tn_lang_rule *rule = code->rule;
    struct tn_code_shape *shapes = tn_new(&b->set->arena, struct tn_code_shape,
                                          rule->shape_count, b->error);

    if (!shapes)
        return false;
    for (uint32_t i = 0; i < rule->shape_count; i++)
        if (!make_shape(b, &rule->shapes[i], &shapes[i]))
            return false;
    code->shapes = shapes;
    return true;
}

static bool make_rule(struct tn_builder *b, struct tn_code_rule *code)
{
    const struct tn_lang_head *head    = &code->rule->head;
    int64_t                    version = tn_code_version(b->set, head->domain);
    const struct tn_vocab_op  *op      = NULL;

    if (b->set->has_from)
        op = tn_vocab_find(&b->set->from, head->domain, head->op,
                           version ? version : INT64_MAX, b->error);
    if (tn_failed(b->error) || !tn_build_frame(b, head, op, &code->frame))
        return false;
    b->outputs      = head;
    b->first_output = code->frame.first_output;
    if (head->guard && !tn_build_code(b, head->guard, &code->guard))
        return false;
    if (!tn_build_block(b, &code->rule->body, &code->body) ||
        !make_shapes(b, code))
        return false;
    code->frame.slot_count = b->slot_count;
    return true;
}

struct tn_code_rule *tn_build_rule(struct tn_code_set         *set,
                                   const struct tn_code_entry *entry,
                                   struct tn_error            *error)
{
    struct tn_builder b = { .set = set, .file = entry->file, .error = error };
    struct tn_code_rule *code =
        tn_new(&set->arena, struct tn_code_rule, 1, error);

    if (!code ||
        tn_lang_complete_rule(entry->file->file, entry->rule, error) != TN_OK)
        return NULL;
    tn_list_init(&b.sights, set->arena.memory, sizeof(struct tn_sight));
    code->rule   = entry->rule;
    code->file   = entry->file->file;
    bool is_made = make_rule(&b, code);
    tn_list_done(&b.sights);
    return is_made && !tn_failed(error) ? code : NULL;
}
