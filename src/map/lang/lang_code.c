/*
 * lang_code.c - the rules of a set, found by op and made ready when needed
 *
 * Nothing is prepared before a node asks for it: a model with ten kinds of ops
 * pays for ten of the rules.
 */
#include <inttypes.h>

#include "map/lang/lang_attr.h"
#include "map/lang/lang_builtin.h"
#include "map/lang/lang_code.h"
#include "map/lang/lang_pack.h"

/* A visible name, and its slot. */
struct tn_sight {
    struct tn_bytes name;
    uint32_t        slot;
};

struct tn_builder {
    struct tn_code_set  *set;
    struct tn_code_file *file;
    struct tn_list       sights; /* struct sight; the last of a name counts */
    uint32_t             slot_count;
    uint32_t             depth;
    uint32_t             swap_count;
    const struct tn_lang_head *outputs; /* of the rule; NULL: not in a rule   */
    uint32_t                   first_output;
    struct tn_error           *error;
};

static bool build_code(struct tn_builder *b, const struct tn_lang_expr *expr,
                       struct tn_code *code);
static bool build_block(struct tn_builder *b, const struct tn_lang_block *block,
                        struct tn_code_block *code);
static bool build_call(struct tn_builder *b, const struct tn_lang_expr *expr,
                       struct tn_code *code);
/* The version of a domain that nodes of the net are of; 0: not known. */
int64_t tn_code_version(const struct tn_code_set *set, struct tn_bytes domain)
{
    const struct tn_list *versions = &set->net->versions;

    for (uint64_t i = 0; domain.size && i < versions->count; i++) {
        const struct tn_net_version *row =
            tn_list_at(versions, struct tn_net_version, i);
        if (tn_bytes_equal(row->domain, domain))
            return row->version;
    }
    return domain.size ? 0 : set->net->version;
}

/* ---- one rule made ready to run: its names become slots ----------------- */

/* INVALID, at that place: "what 'name'".  Is false. */
static bool build_refuse(struct tn_builder *b, const struct tn_location *place,
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

/* A new slot, whose name is visible from now on. */
static uint32_t build_add_slot(struct tn_builder *b, struct tn_bytes name)
{
    struct tn_sight *sight =
        tn_list_push(&b->sights, struct tn_sight, b->error);

    if (!sight)
        return TN_NONE;
    *sight = (struct tn_sight){ name, b->slot_count++ };
    return sight->slot;
}

/* What a step binds: a visible name is bound again. */
static uint32_t bind_slot(struct tn_builder *b, struct tn_bytes name)
{
    uint32_t slot = find_slot(b, name);

    return slot != TN_NONE ? slot : build_add_slot(b, name);
}

/* The variable of a loop hides others of its name until the end of the loop,
 * when the caller cuts the list of visible names. */
static uint32_t loop_slot(struct tn_builder *b, struct tn_bytes name)
{
    return name.size ? build_add_slot(b, name) : TN_NONE;
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
               build_refuse(b, &expr->place, "no such name:", expr->text);
    }
}

static bool make_items(struct tn_builder *b, const struct tn_lang_expr *expr,
                       uint32_t first, struct tn_code *items)
{
    for (uint32_t i = first; i < expr->item_count; i++)
        if (expr->items[i] && !build_code(b, expr->items[i], &items[i]))
            return false;
    return true;
}

/* The list is computed outside, the rest sees the variables. */
static bool make_each(struct tn_builder *b, const struct tn_lang_expr *expr,
                      struct tn_code *code, struct tn_code *items)
{
    uint64_t before = b->sights.count;

    if (!build_code(b, expr->items[1], &items[1]))
        return false;
    code->second = loop_slot(b, expr->second);
    code->slot   = loop_slot(b, expr->text);
    bool is_made = build_code(b, expr->items[0], &items[0]) &&
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
    return expr->kind != TN_LANG_CALL || build_call(b, expr, code);
}

/* False: refused, or failed. */
static bool build_code(struct tn_builder *b, const struct tn_lang_expr *expr,
                       struct tn_code *code)
{
    *code = (struct tn_code){ .kind   = (uint16_t)expr->kind,
                              .slot   = TN_NONE,
                              .second = TN_NONE,
                              .expr   = expr };
    if (b->depth >= TN_LANG_DEPTH_MAX)
        return build_refuse(b, &expr->place, "nested too deeply:", expr->text);
    b->depth++;
    bool is_made = make_kind(b, expr, code);
    b->depth--;
    return is_made && !tn_failed(b->error);
}

static bool build_literal(struct tn_builder *b, const struct tn_lang_expr *expr,
                          struct tn_item *item)
{
    struct tn_code code = { 0 };

    if (!build_code(b, expr, &code))
        return false;
    return tn_code_literal(&code, &b->set->arena, item, b->error) ||
           build_refuse(b, &expr->place, "not a literal:", expr->text);
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

/* Variables of a loop end with it; names that its body binds stay visible. */
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

/* A name that one round of a loop binds is bound in the next. */
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
    if (step->expr && !build_code(b, step->expr, &code->expr))
        return false;
    if (step->kind == TN_LANG_FOR)
        bind_rounds(b, &step->body);
    uint64_t before = b->sights.count;
    if (!make_slots(b, step, code))
        return false;
    uint64_t loops = step->kind == TN_LANG_FOR ? b->sights.count - before : 0;
    if (!build_block(b, &step->body, &code->body) ||
        !build_block(b, &step->other, &code->other))
        return false;
    end_loop(b, before, (uint32_t)loops);
    return true;
}

static bool build_block(struct tn_builder *b, const struct tn_lang_block *block,
                        struct tn_code_block *code)
{
    struct tn_code_step *steps =
        tn_new(&b->set->arena, struct tn_code_step, block->count, b->error);

    if (!steps)
        return false;
    if (b->depth >= TN_LANG_DEPTH_MAX && block->count)
        return build_refuse(b, &block->steps->place,
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
    /* An ignored attribute has no name here: an input may have the same
     * name. */
    code->slot = attr->is_ignored
                     ? b->slot_count++
                     : build_add_slot(b, attr->as.size ? attr->as : attr->name);
    if (attr->is_match && !build_literal(b, attr->value, &code->wanted))
        return false;
    if (attr->value && !attr->is_match)
        return build_literal(b, attr->value, &code->fallback);
    if (known && known->has_default && !attr->is_ignored)
        return tn_attr_to_item(&known->value, &b->set->arena, &code->fallback,
                               b->error);
    return true;
}

static bool build_frame(struct tn_builder *b, const struct tn_lang_head *head,
                        const struct tn_vocab_op *op,
                        struct tn_code_frame     *frame);

static const struct tn_vocab_op *find_source(struct tn_builder         *b,
                                             const struct tn_lang_head *head)
{
    int64_t version = tn_code_version(b->set, head->domain);

    if (!b->set->has_from)
        return NULL;
    return tn_vocab_find(&b->set->from, head->domain, head->op,
                         version ? version : INT64_MAX, b->error);
}

/* Slots of the inputs, one after the other.  If a name occurs twice, both must
 * be the same value. */
static bool make_inputs(struct tn_builder *b, const struct tn_lang_head *head,
                        struct tn_code_frame *frame)
{
    frame->first_input = b->slot_count;
    frame->inputs      = tn_new(&b->set->arena, struct tn_code_input,
                                head->input_count, b->error);
    if (!frame->inputs)
        return false;
    for (uint32_t i = 0; i < head->input_count; i++) {
        const struct tn_lang_param *param       = &head->inputs[i];
        struct tn_code_input       *input       = &frame->inputs[i];
        bool                        is_nameless = tn_bytes_is(param->name, "_");
        *input = (struct tn_code_input){ .same_as = TN_NONE };
        if (!is_nameless)
            input->same_as = find_slot(b, param->name);
        if (is_nameless)
            b->slot_count++;
        else
            build_add_slot(b, param->name);
        input->literal = tn_item_none();
        if (param->literal &&
            !build_literal(b, param->literal, &input->literal))
            return false;
    }
    return !tn_failed(b->error);
}

/* Nodes that make inputs; parsing has bounded how many there are. */
static bool make_makers(struct tn_builder *b, const struct tn_lang_head *head,
                        struct tn_code_frame *frame)
{
    for (uint32_t i = 0; i < head->input_count; i++) {
        const struct tn_lang_pattern *pattern = head->inputs[i].maker;
        if (!pattern)
            continue;
        struct tn_code_frame *maker =
            tn_new(&b->set->arena, struct tn_code_frame, 1, b->error);
        if (!maker)
            return false;
        maker->pattern               = pattern;
        frame->inputs[i].maker       = maker;
        const struct tn_vocab_op *op = find_source(b, &pattern->head);
        if (tn_failed(b->error) || !build_frame(b, &pattern->head, op, maker))
            return false;
    }
    return true;
}

/* Slots of what a head names: inputs, attributes with their defaults, outputs.
 * `op` is what the vocabulary says of it, or NULL. */
static bool build_frame(struct tn_builder *b, const struct tn_lang_head *head,
                        const struct tn_vocab_op *op,
                        struct tn_code_frame     *frame)
{
    frame->head  = head;
    frame->set   = b->set;
    frame->swap  = head->is_any_order ? UINT32_C(1) << b->swap_count++ : 0;
    frame->attrs = tn_new(&b->set->arena, struct tn_code_head_attr,
                          head->attr_count, b->error);
    if (!frame->attrs || !make_inputs(b, head, frame))
        return false;
    for (uint32_t i = 0; i < head->attr_count; i++)
        if (!make_head_attr(b, &head->attrs[i], op, &frame->attrs[i]))
            return false;
    if (!make_makers(b, head, frame))
        return false;
    frame->first_output = b->slot_count;
    for (uint32_t i = 0; i < head->output_count; i++)
        build_add_slot(b, head->outputs[i].name);
    return !tn_failed(b->error);
}

/* ---- rules -------------------------------------------------------------- */

static bool make_shape(struct tn_builder *b, const struct tn_lang_shape *shape,
                       struct tn_code_shape *code)
{
    return (!shape->dtype || build_code(b, shape->dtype, &code->dtype)) &&
           (!shape->dims || build_code(b, shape->dims, &code->dims)) &&
           (!shape->value || build_code(b, shape->value, &code->value));
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
    const struct tn_lang_head *head = &code->rule->head;
    const struct tn_vocab_op  *op   = find_source(b, head);

    if (tn_failed(b->error) || !build_frame(b, head, op, &code->frame))
        return false;
    code->swap_count = b->swap_count;
    b->outputs       = head;
    b->first_output  = code->frame.first_output;
    if (head->guard && !build_code(b, head->guard, &code->guard))
        return false;
    if (!build_block(b, &code->rule->body, &code->body) ||
        !make_shapes(b, code))
        return false;
    code->frame.slot_count = b->slot_count;
    return true;
}

/* In the arena of the set; NULL on failure. */
static struct tn_code_rule *build_rule(struct tn_code_set         *set,
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

/* ---- what calls of a rule refer to --------------------------------------- */

/*
 * A def, table or macro is prepared on first use.  Each sees only what stands
 * above it, so this recursion ends.
 */

/* ---- definitions -------------------------------------------------------- */

/* For a def or macro: no name around it is visible. */
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
        build_add_slot(&inner, def->params[i]);
    bool is_made      = build_code(&inner, def->body, &code->body);
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
        if (!build_literal(b, table->keys[i], &keys[i]) ||
            !build_literal(b, table->values[i], &values[i]))
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
    bool is_made = build_frame(&inner, &macro->head, NULL, &code->frame) &&
                   build_block(&inner, &macro->body, &code->body);
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
        return build_refuse(b, &expr->place,
                            "not an output:", expr->items[0]->text);
    code->items = item;
    return true;
}

static bool make_builtin(struct tn_builder *b, const struct tn_lang_expr *expr,
                         struct tn_code *code)
{
    code->of.builtin = tn_builtin_find(expr->text);
    if (!code->of.builtin)
        return build_refuse(b, &expr->place, "no such function:", expr->text);
    if (expr->item_count < code->of.builtin->min_count ||
        expr->item_count > code->of.builtin->max_count)
        return build_refuse(b, &expr->place, "wrong number of arguments for",
                            expr->text);
    if (code->of.builtin->has_word && expr->items[0]->kind == TN_LANG_STRING &&
        !code->of.builtin->has_word(expr->items[0]->text))
        return build_refuse(b, &expr->place,
                            "no such operation:", expr->items[0]->text);
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
        return build_refuse(b, &expr->place, "wrong number of arguments for",
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
        return build_refuse(b, &expr->place, "wrong number of arguments for",
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
            return build_refuse(b, &attr->place, "the macro has no attribute",
                                attr->name);
    }
    return build_code(b, attr->value, &code->value);
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

/* Resolves what a call refers to; its arguments are ready. */
static bool build_call(struct tn_builder *b, const struct tn_lang_expr *expr,
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
    case TN_LANG_TO_CONST:
    case TN_LANG_TO_RESCALED: break;
    }
    return true;
}

enum tn_status tn_code_init(struct tn_code_set *set, struct tn_memory *memory,
                            const struct tn_net *net, const char *to,
                            int64_t to_version, struct tn_error *error)
{
    *set = (struct tn_code_set){ .net        = net,
                                 .to_dialect = to,
                                 .to_version = to_version };
    tn_arena_init(&set->arena, memory);
    tn_intern_init(&set->types, &set->arena);
    tn_list_init(&set->heads, memory, sizeof(struct tn_code_head));
    tn_list_init(&set->entries, memory, sizeof(struct tn_code_entry));
    set->has_from = tn_vocab_is_builtin(net->dialect);
    set->has_to   = to && tn_vocab_is_builtin(to);
    if (set->has_from)
        TN_TRY(tn_vocab_open(&set->from, &set->arena, net->dialect, error));
    if (set->has_to)
        TN_TRY(tn_vocab_open(&set->to, &set->arena, to, error));
    return error->status;
}

void tn_code_done(struct tn_code_set *set)
{
    tn_list_done(&set->entries);
    tn_list_done(&set->heads);
    tn_intern_done(&set->types);
    tn_arena_done(&set->arena);
}

static struct tn_code_file *add_file(struct tn_code_set        *set,
                                     const struct tn_lang_file *file,
                                     struct tn_error           *error)
{
    struct tn_code_file *code =
        tn_new(&set->arena, struct tn_code_file, 1, error);
    if (!code)
        return NULL;
    code->file   = file;
    code->defs   = tn_new(&set->arena, const struct tn_code_def *,
                          file->defs.count, error);
    code->tables = tn_new(&set->arena, const struct tn_code_table *,
                          file->tables.count, error);
    code->macros = tn_new(&set->arena, const struct tn_code_macro *,
                          file->macros.count, error);
    return code->defs && code->tables && code->macros ? code : NULL;
}

/* The chain of an op type, made if new. */
static struct tn_code_head *head_of(struct tn_code_set *set,
                                    struct tn_bytes     type,
                                    struct tn_error    *error)
{
    uint32_t id = tn_intern_borrow(&set->types, type, error);

    if (id == TN_NO_NAME)
        return NULL;
    if (id >= set->heads.count) {
        struct tn_code_head *head =
            tn_list_push(&set->heads, struct tn_code_head, error);
        if (head)
            *head = (struct tn_code_head){ TN_NONE, TN_NONE };
        return head;
    }
    return tn_list_at(&set->heads, struct tn_code_head, id);
}

static void add_rule(struct tn_code_set *set, struct tn_code_file *file,
                     struct tn_lang_rule *rule, struct tn_error *error)
{
    struct tn_code_head  *head = head_of(set, rule->head.op, error);
    uint32_t              id   = (uint32_t)set->entries.count;
    struct tn_code_entry *entry =
        head ? tn_list_push(&set->entries, struct tn_code_entry, error) : NULL;

    if (!entry)
        return;
    *entry = (struct tn_code_entry){
        .domain = rule->head.domain, .rule = rule, .file = file, .next = TN_NONE
    };
    if (head->first == TN_NONE)
        head->first = id;
    else
        tn_list_at(&set->entries, struct tn_code_entry, head->last)->next = id;
    head->last = id;
}

static bool fits_version(const struct tn_code_set  *set,
                         const struct tn_lang_file *file,
                         const struct tn_lang_head *head)
{
    int64_t version = tn_code_version(set, head->domain);

    if ((file->is_older && head->since <= set->to_version) ||
        (file->is_newer && head->until >= set->to_version))
        return false; /* the form that it has there */
    return version == 0 || (version >= head->since && version <= head->until);
}

enum tn_status tn_code_add(struct tn_code_set        *set,
                           const struct tn_lang_file *file,
                           struct tn_error           *error)
{
    const char *to = set->to_dialect ? set->to_dialect : "";
    bool        is_on =
        tn_bytes_is(file->from, set->net->dialect) && tn_bytes_is(file->to, to);
    bool is_back = set->to_dialect &&
                   tn_bytes_is(file->to, set->net->dialect) &&
                   tn_bytes_is(file->from, to);
    const struct tn_list *rules = is_on ? &file->rules : &file->back;

    if (!is_on && !is_back)
        return error->status;
    struct tn_code_file *code = add_file(set, file, error);
    for (uint64_t i = 0; code && i < rules->count; i++) {
        struct tn_lang_rule *rule = tn_list_at(rules, struct tn_lang_rule, i);
        if (!fits_version(set, file, &rule->head)) {
            head_of(set, rule->head.op, error);
            continue;
        }
        set->has_patterns |= rule->has_pattern;
        set->has_pairs |= rule->takes_pairs;
        add_rule(set, code, rule, error);
    }
    return error->status;
}

bool tn_code_same_domain(const struct tn_code_set *set, struct tn_bytes a,
                         struct tn_bytes b)
{
    if (tn_bytes_equal(a, b))
        return true;
    return set->has_from && tn_vocab_domain(&set->from, a) &&
           tn_vocab_domain(&set->from, a) == tn_vocab_domain(&set->from, b);
}

/* The rules of one op and domain, linked in order as they are made. */
static const struct tn_code_rule *make_chain(struct tn_code_set *set,
                                             uint32_t            first,
                                             struct tn_bytes     domain,
                                             struct tn_error    *error)
{
    struct tn_code_rule *top = NULL, *last = NULL;

    for (uint32_t i = first; i != TN_NONE;) {
        struct tn_code_entry *entry =
            tn_list_at(&set->entries, struct tn_code_entry, i);
        i = entry->next;
        if (!tn_code_same_domain(set, entry->domain, domain))
            continue;
        entry->code = build_rule(set, entry, error);
        if (!entry->code)
            return NULL;
        if (last)
            last->next = entry->code;
        else
            top = entry->code;
        last = entry->code;
    }
    return top;
}

const struct tn_code_rule *tn_code_find(struct tn_code_set *set,
                                        struct tn_bytes     type,
                                        struct tn_bytes     domain,
                                        struct tn_error    *error)
{
    uint32_t id = tn_intern_find(&set->types, type);

    if (id == TN_NO_NAME)
        return NULL;
    uint32_t first = tn_list_at(&set->heads, struct tn_code_head, id)->first;
    for (uint32_t i = first; i != TN_NONE;) {
        const struct tn_code_entry *entry =
            tn_list_at(&set->entries, struct tn_code_entry, i);
        if (tn_code_same_domain(set, entry->domain, domain))
            return entry->code ? entry->code
                               : make_chain(set, first, domain, error);
        i = entry->next;
    }
    return NULL;
}

bool tn_code_knows(const struct tn_code_set *set, struct tn_bytes type)
{
    return tn_intern_find(&set->types, type) != TN_NO_NAME;
}

const struct tn_vocab_op *tn_code_target(struct tn_code_set *set,
                                         struct tn_bytes     domain,
                                         struct tn_bytes     type,
                                         struct tn_error    *error)
{
    int64_t version = domain.size ? 0 : set->to_version;

    if (!set->has_to)
        return NULL;
    return tn_vocab_find(&set->to, domain, type, version ? version : INT64_MAX,
                         error);
}
