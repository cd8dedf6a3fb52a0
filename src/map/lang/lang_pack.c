/*
 * lang_pack.c - rule files as bytes, and back
 *
 * From the top: expressions, steps, heads; the rest of each kind of item; the
 * outline; files.
 */
#include "map/lang/lang_pack.h"

#include "base/pack.h"
#include "base/varint.h"

struct packing {
    struct tn_pack  p;
    const char     *file; /* that all places are in                           */
    struct packing *rest; /* writing an outline: where the rest of items goes */
    struct tn_location last; /* the next place is near it                    */
    uint32_t           last_rest;
};

static bool has_failed(const struct packing *x)
{
    return tn_failed(x->p.in.error);
}

/* Where the rest of an item begins, as the outline has it: one more than the
 * byte, because 0 means a complete item.  The distance from the one before is
 * packed. */
static uint32_t pack_rest(struct packing *x, struct tn_location near)
{
    uint32_t begin = 0;

    if (x->rest) {
        x->rest->last = near;
        begin         = tn_pack_tree(&x->rest->p) + 1;
    }
    x->last_rest += tn_pack_u32(&x->p, begin - x->last_rest);
    return x->last_rest;
}

/* Places are packed in the order of the text, as far as it is known.  Most are
 * in the line of the last one, where columns differ as offsets do, and close to
 * its end: the step of the offset, and whether that is all. */
static struct tn_location pack_place(struct packing    *x,
                                     struct tn_location place)
{
    struct tn_location last = x->last;
    uint64_t           step = place.offset - last.offset;
    bool               is_other =
        place.line != last.line || place.column - last.column != (uint32_t)step;

    if (is_other)
        step -= place.column;
    uint64_t packed =
        tn_pack_number(&x->p, tn_zigzag_encode((int64_t)step) << 1 | is_other);
    step       = (uint64_t)tn_zigzag_decode(packed >> 1);
    place.file = x->file;
    if (packed & 1) {
        place.line = last.line + (uint32_t)tn_pack_signed(
                                     &x->p, (int32_t)(place.line - last.line));
        place.column = tn_pack_u32(&x->p, place.column);
        step += place.column;
    } else {
        place.line   = last.line;
        place.column = last.column + (uint32_t)step;
    }
    place.offset = last.offset + step;
    x->last      = place;
    return place;
}

/* The last place is that of a text: the next is behind it. */
static void pass_text(struct packing *x, uint64_t size)
{
    x->last.offset += size;
    x->last.column += (uint32_t)size;
}

static struct tn_lang_piece pack_piece(struct packing      *x,
                                       struct tn_lang_piece piece)
{
    uint32_t near = (uint32_t)x->last.offset;

    piece.at =
        near + (uint32_t)tn_pack_signed(&x->p, (int32_t)(piece.at - near));
    piece.size = tn_pack_u32(&x->p, piece.size);
    return piece;
}

/* ---- expressions -------------------------------------------------------- */

static const struct tn_lang_expr *pack_expr(struct packing            *x,
                                            const struct tn_lang_expr *was);

/* `between`: a place that is behind the first; NULL: none. */
static const struct tn_lang_expr **pack_exprs(struct packing             *x,
                                              const struct tn_lang_expr **was,
                                              uint32_t                   *count,
                                              struct tn_location *between,
                                              uint32_t            width)
{
    *count = tn_pack_u32(&x->p, *count);
    const struct tn_lang_expr **to =
        tn_pack_room(&x->p, const struct tn_lang_expr *, *count);
    for (uint32_t i = 0; i < *count && !has_failed(x); i++) {
        const struct tn_lang_expr *item = pack_expr(x, was ? was[i] : NULL);
        if (to)
            to[i] = item;
        if (i == 0 && between) {
            *between = pack_place(x, *between);
            pass_text(x, width);
        }
    }
    return to ? to : was;
}

static const struct tn_lang_attr *pack_attrs(struct packing            *x,
                                             const struct tn_lang_attr *was,
                                             uint32_t                  *count)
{
    *count                  = tn_pack_u32(&x->p, *count);
    struct tn_lang_attr *to = tn_pack_room(&x->p, struct tn_lang_attr, *count);
    for (uint32_t i = 0; i < *count && !has_failed(x); i++) {
        struct tn_lang_attr attr = was ? was[i] : (struct tn_lang_attr){ 0 };

        attr.name       = tn_pack_text(&x->p, attr.name);
        attr.as         = tn_pack_text(&x->p, attr.as);
        attr.is_ignored = tn_pack_bool(&x->p, attr.is_ignored);
        attr.is_match   = tn_pack_bool(&x->p, attr.is_match);
        attr.place      = pack_place(x, attr.place);
        pass_text(x, attr.name.size);
        attr.value = pack_expr(x, attr.value);
        if (to)
            to[i] = attr;
    }
    return to ? to : was;
}

/* Most expressions have few of their fields: those that are usual for the kind.
 * The kind is packed together with what is different. */
enum {
    HAS_NUMBER = 1,
    HAS_REAL   = 2,
    HAS_TEXT   = 4,
    HAS_CALL   = 8,
    HAS_ITEMS  = 16,
    HAS_DEPTH  = 32, /* other than its items and attributes make             */
    KINDS      = 64
};

static uint32_t usual_fields(enum tn_lang_kind kind)
{
    switch (kind) {
    case TN_LANG_NONE:
    case TN_LANG_UNKNOWN: return 0;
    case TN_LANG_BOOL:
    case TN_LANG_INT:
    case TN_LANG_DTYPE: return HAS_NUMBER;
    case TN_LANG_FLOAT: return HAS_REAL;
    case TN_LANG_STRING:
    case TN_LANG_NAME: return HAS_TEXT;
    case TN_LANG_CALL: return HAS_TEXT | HAS_ITEMS;
    default: return HAS_ITEMS;
    }
}

/* Operators of two items are between them in the text. */
static bool is_before_items(enum tn_lang_kind kind)
{
    return kind < TN_LANG_OR;
}

/* The length of its word or mark in the text, if it follows from the kind: the
 * next place is after it. */
static uint32_t width_of(const struct tn_lang_expr *e)
{
    uint32_t digits = e->number < 0 ? 2 : 1;

    switch (e->kind) {
    case TN_LANG_NONE: return 4;
    case TN_LANG_BOOL: return e->number ? 4 : 5;
    case TN_LANG_INT:
        for (int64_t n = e->number / 10; n; n /= 10)
            digits++;
        return digits;
    case TN_LANG_STRING: return (uint32_t)e->text.size + 2;
    case TN_LANG_DTYPE:
        return (uint32_t)strlen(tn_dtype_name((enum tn_dtype)e->number));
    case TN_LANG_NAME: return (uint32_t)e->text.size;
    case TN_LANG_CALL: return (uint32_t)e->text.size + 1;
    case TN_LANG_INDEX:
    case TN_LANG_SLICE: return 0;
    case TN_LANG_NOT:
    case TN_LANG_AND: return 3;
    case TN_LANG_IF:
    case TN_LANG_OR:
    case TN_LANG_EQ:
    case TN_LANG_NE:
    case TN_LANG_LE:
    case TN_LANG_GE:
    case TN_LANG_IN:
    case TN_LANG_FLOOR:
    case TN_LANG_POWER: return 2;
    default: return 1;
    }
}

/* Of what closes it behind its items. */
static uint32_t end_of(enum tn_lang_kind kind)
{
    return kind == TN_LANG_CALL || kind == TN_LANG_LIST ||
           kind == TN_LANG_EACH || kind == TN_LANG_INDEX ||
           kind == TN_LANG_SLICE;
}

static uint32_t depth_of(const struct tn_lang_expr *e)
{
    uint32_t below = 0;

    for (uint32_t i = 0; i < e->item_count; i++)
        if (e->items[i] && e->items[i]->depth > below)
            below = e->items[i]->depth;
    for (uint32_t i = 0; i < e->attr_count; i++)
        if (e->attrs[i].value && e->attrs[i].value->depth > below)
            below = e->attrs[i].value->depth;
    return below + 1;
}

static uint32_t fields_of(const struct tn_lang_expr *e)
{
    bool is_zero = !memcmp(&e->real, &(double){ 0 }, sizeof e->real);

    return (e->number ? HAS_NUMBER : 0) | (is_zero ? 0 : HAS_REAL) |
           (e->text.data ? HAS_TEXT : 0) |
           (e->callee || e->target || e->second.data || e->domain.data ||
                    e->attr_count
                ? HAS_CALL
                : 0) |
           (e->item_count ? HAS_ITEMS : 0) |
           (e->depth != depth_of(e) ? HAS_DEPTH : 0);
}

/* The callee, and which of the other fields there are. */
enum { CALL_TARGET = 8, CALL_SECOND = 16, CALL_DOMAIN = 32, CALL_ATTRS = 64 };

/* True: there are attributes. */
static bool pack_call(struct packing *x, struct tn_lang_expr *e)
{
    uint32_t has =
        tn_pack_u32(&x->p, (uint32_t)e->callee | (e->target ? CALL_TARGET : 0) |
                               (e->second.data ? CALL_SECOND : 0) |
                               (e->domain.data ? CALL_DOMAIN : 0) |
                               (e->attr_count ? CALL_ATTRS : 0));

    e->callee = (enum tn_lang_callee)(has % CALL_TARGET);
    if (has & CALL_TARGET)
        e->target = tn_pack_u32(&x->p, e->target);
    if (has & CALL_SECOND)
        e->second = tn_pack_text(&x->p, e->second);
    if (has & CALL_DOMAIN)
        e->domain = tn_pack_text(&x->p, e->domain);
    return has & CALL_ATTRS;
}

/* 0: none; else one more than the kind. */
static const struct tn_lang_expr *pack_expr(struct packing            *x,
                                            const struct tn_lang_expr *was)
{
    struct tn_lang_expr e     = was ? *was : (struct tn_lang_expr){ 0 };
    uint32_t            other = was ? fields_of(&e) ^ usual_fields(e.kind) : 0;
    uint32_t            kind =
        tn_pack_u32(&x->p, was ? (uint32_t)e.kind + 1 + other * KINDS : 0);

    if (!kind)
        return NULL;
    e.kind       = (enum tn_lang_kind)(kind % KINDS - 1);
    uint32_t has = kind / KINDS ^ usual_fields(e.kind);
    if (has & HAS_NUMBER)
        e.number = tn_pack_signed(&x->p, e.number);
    if (has & HAS_REAL)
        e.real = tn_pack_real(&x->p, e.real);
    if (has & HAS_TEXT)
        e.text = tn_pack_text(&x->p, e.text);
    bool has_attrs = has & HAS_CALL && pack_call(x, &e);
    bool is_first  = is_before_items(e.kind);
    if (is_first) {
        e.place = pack_place(x, e.place);
        pass_text(x, width_of(&e));
    }
    if (has & HAS_ITEMS)
        e.items = pack_exprs(x, e.items, &e.item_count,
                             is_first ? NULL : &e.place, width_of(&e));
    if (has_attrs)
        e.attrs = pack_attrs(x, e.attrs, &e.attr_count);
    pass_text(x, end_of(e.kind));
    if (has & HAS_DEPTH)
        e.depth = tn_pack_u32(&x->p, e.depth);
    else if (!has_failed(x))
        e.depth = depth_of(&e);
    struct tn_lang_expr *to = tn_pack_room(&x->p, struct tn_lang_expr, 1);
    if (to)
        *to = e;
    return to ? to : was;
}

/* ---- steps -------------------------------------------------------------- */

static const struct tn_bytes *pack_names(struct packing        *x,
                                         const struct tn_bytes *was,
                                         uint32_t              *count)
{
    *count              = tn_pack_u32(&x->p, *count);
    struct tn_bytes *to = tn_pack_room(&x->p, struct tn_bytes, *count);
    for (uint32_t i = 0; i < *count; i++) {
        struct tn_bytes name =
            tn_pack_text(&x->p, was ? was[i] : tn_bytes(NULL, 0));
        if (to)
            to[i] = name;
    }
    return to ? to : was;
}

static struct tn_lang_block pack_block(struct packing      *x,
                                       struct tn_lang_block block)
{
    const struct tn_lang_step *was = block.steps;

    block.count = tn_pack_u32(&x->p, block.count);
    struct tn_lang_step *to =
        tn_pack_room(&x->p, struct tn_lang_step, block.count);
    for (uint32_t i = 0; i < block.count && !has_failed(x); i++) {
        struct tn_lang_step s = was ? was[i] : (struct tn_lang_step){ 0 };

        s.kind  = (enum tn_lang_step_kind)tn_pack_u32(&x->p, s.kind);
        s.place = pack_place(x, s.place);
        s.names = pack_names(x, s.names, &s.name_count);
        for (uint32_t n = 0; n < s.name_count && !has_failed(x); n++)
            pass_text(x, s.names[n].size + (n ? 2 : 0)); /* "a, b" */
        s.last_is_many = tn_pack_bool(&x->p, s.last_is_many);
        s.expr         = pack_expr(x, s.expr);
        s.why          = tn_pack_text(&x->p, s.why);
        s.body         = pack_block(x, s.body);
        s.other        = pack_block(x, s.other);
        if (to)
            to[i] = s;
    }
    block.steps = to ? to : was;
    return block;
}

/* ---- heads -------------------------------------------------------------- */

static void pack_head_outline(struct packing *x, struct tn_lang_head *head);
static void pack_head_rest(struct packing *x, struct tn_lang_head *head);

/* A node inside of a head; 0: there is none. */
static const struct tn_lang_pattern *pack_pattern(
    struct packing *x, const struct tn_lang_pattern *was)
{
    struct tn_lang_pattern one = was ? *was : (struct tn_lang_pattern){ 0 };

    if (!tn_pack_bool(&x->p, was))
        return NULL;
    pack_head_outline(x, &one.head);
    pack_head_rest(x, &one.head);
    one.output                 = tn_pack_u32(&x->p, one.output);
    one.is_once                = tn_pack_bool(&x->p, one.is_once);
    one.is_maybe               = tn_pack_bool(&x->p, one.is_maybe);
    struct tn_lang_pattern *to = tn_pack_room(&x->p, struct tn_lang_pattern, 1);
    if (to)
        *to = one;
    return to ? to : was;
}

static const struct tn_lang_param *pack_params(struct packing             *x,
                                               const struct tn_lang_param *was,
                                               uint32_t *count)
{
    *count = tn_pack_u32(&x->p, *count);
    struct tn_lang_param *to =
        tn_pack_room(&x->p, struct tn_lang_param, *count);
    for (uint32_t i = 0; i < *count && !has_failed(x); i++) {
        struct tn_lang_param one = was ? was[i] : (struct tn_lang_param){ 0 };

        one.name  = tn_pack_text(&x->p, one.name);
        one.arity = (enum tn_lang_arity)tn_pack_u32(&x->p, one.arity);
        one.place = pack_place(x, one.place);
        pass_text(x, one.name.size);
        one.maker   = pack_pattern(x, one.maker);
        one.literal = pack_expr(x, one.literal);
        if (to)
            to[i] = one;
    }
    return to ? to : was;
}

/* What a head is for. */
static void pack_head_outline(struct packing *x, struct tn_lang_head *head)
{
    head->op     = tn_pack_text(&x->p, head->op);
    head->domain = tn_pack_text(&x->p, head->domain);
    head->since  = tn_pack_signed(&x->p, head->since);
    head->until  = tn_pack_signed(&x->p, head->until);
    head->place  = pack_place(x, head->place);
}

static void pack_head_rest(struct packing *x, struct tn_lang_head *head)
{
    head->inputs       = pack_params(x, head->inputs, &head->input_count);
    head->outputs      = pack_params(x, head->outputs, &head->output_count);
    head->attrs        = pack_attrs(x, head->attrs, &head->attr_count);
    head->guard        = pack_expr(x, head->guard);
    head->is_any_order = tn_pack_bool(&x->p, head->is_any_order);
}

/* ---- items: an outline, and the rest ------------------------------------ */

static void pack_rule_rest(struct packing *x, struct tn_lang_rule *rule)
{
    const struct tn_lang_shape *was = rule->shapes;

    pack_head_rest(x, &rule->head);
    rule->body        = pack_block(x, rule->body);
    rule->shape_count = tn_pack_u32(&x->p, rule->shape_count);
    struct tn_lang_shape *to =
        tn_pack_room(&x->p, struct tn_lang_shape, rule->shape_count);
    for (uint32_t i = 0; i < rule->shape_count; i++) {
        struct tn_lang_shape shape =
            was ? was[i] : (struct tn_lang_shape){ NULL, NULL, NULL };

        shape.dtype = pack_expr(x, shape.dtype);
        shape.dims  = pack_expr(x, shape.dims);
        shape.value = pack_expr(x, shape.value);
        if (to)
            to[i] = shape;
    }
    rule->shapes = to ? to : was;
}

static void pack_rule_outline(struct packing *x, struct tn_lang_rule *rule)
{
    pack_head_outline(x, &rule->head);
    rule->native      = tn_pack_text(&x->p, rule->native);
    rule->is_reversed = tn_pack_bool(&x->p, rule->is_reversed);
    rule->has_pattern = tn_pack_bool(&x->p, rule->has_pattern);
    rule->takes_pairs = tn_pack_bool(&x->p, rule->takes_pairs);
    rule->place       = pack_place(x, rule->place);
    rule->text        = pack_piece(x, rule->text);
    rule->rest        = pack_rest(x, rule->place);
    if (x->rest)
        pack_rule_rest(x->rest, rule);
}

static void pack_def_rest(struct packing *x, struct tn_lang_def *def)
{
    def->params = pack_names(x, def->params, &def->param_count);
    def->body   = pack_expr(x, def->body);
}

static void pack_def_outline(struct packing *x, struct tn_lang_def *def)
{
    def->name  = tn_pack_text(&x->p, def->name);
    def->place = pack_place(x, def->place);
    def->rest  = pack_rest(x, def->place);
    if (x->rest)
        pack_def_rest(x->rest, def);
}

static void pack_table_rest(struct packing *x, struct tn_lang_table *table)
{
    table->keys   = pack_exprs(x, table->keys, &table->count, NULL, 0);
    table->values = pack_exprs(x, table->values, &table->count, NULL, 0);
}

static void pack_table_outline(struct packing *x, struct tn_lang_table *table)
{
    table->name  = tn_pack_text(&x->p, table->name);
    table->place = pack_place(x, table->place);
    table->rest  = pack_rest(x, table->place);
    if (x->rest)
        pack_table_rest(x->rest, table);
}

static void pack_macro_rest(struct packing *x, struct tn_lang_macro *macro)
{
    pack_head_rest(x, &macro->head);
    macro->body = pack_block(x, macro->body);
}

static void pack_macro_outline(struct packing *x, struct tn_lang_macro *macro)
{
    macro->name  = tn_pack_text(&x->p, macro->name);
    macro->place = pack_place(x, macro->place);
    macro->rest  = pack_rest(x, macro->place);
    if (x->rest)
        pack_macro_rest(x->rest, macro);
    pack_head_outline(x, &macro->head);
}

static void pack_example(struct packing *x, struct tn_lang_example *example)
{
    example->rule    = tn_pack_u32(&x->p, example->rule);
    example->is_back = tn_pack_bool(&x->p, example->is_back);
    example->place   = pack_place(x, example->place);
    example->text    = pack_piece(x, example->text);
}

static void pack_ignored(struct packing *x, struct tn_bytes *name)
{
    *name = tn_pack_text(&x->p, *name);
}

/* ---- files -------------------------------------------------------------- */

/* The items of a list, whose outlines `pack` packs. */
#define PACK_LIST(x, list, T, pack)                                            \
    do {                                                                       \
        uint64_t list_count_ = tn_pack_number(&(x)->p, (list)->count);         \
        if (!(x)->p.out && !has_failed(x))                                     \
            tn_list_grow((list), list_count_, (x)->p.in.error);                \
        for (uint64_t list_i_ = 0; list_i_ < (list)->count; list_i_++) {       \
            T item_ = *tn_list_at((list), T, list_i_);                         \
            pack((x), &item_);                                                 \
            if (!(x)->p.out)                                                   \
                *tn_list_at((list), T, list_i_) = item_;                       \
        }                                                                      \
    } while (0)

static void pack_file_rest(struct packing *x, struct tn_lang_file *file)
{
    PACK_LIST(x, &file->examples, struct tn_lang_example, pack_example);
}

static void pack_outline(struct packing *x, struct tn_lang_file *file)
{
    file->from          = tn_pack_text(&x->p, file->from);
    file->to            = tn_pack_text(&x->p, file->to);
    file->is_both_ways  = tn_pack_bool(&x->p, file->is_both_ways);
    file->is_shapes     = tn_pack_bool(&x->p, file->is_shapes);
    file->is_simplifier = tn_pack_bool(&x->p, file->is_simplifier);
    file->is_older      = tn_pack_bool(&x->p, file->is_older);
    file->is_newer      = tn_pack_bool(&x->p, file->is_newer);
    PACK_LIST(x, &file->rules, struct tn_lang_rule, pack_rule_outline);
    PACK_LIST(x, &file->back, struct tn_lang_rule, pack_rule_outline);
    PACK_LIST(x, &file->defs, struct tn_lang_def, pack_def_outline);
    PACK_LIST(x, &file->tables, struct tn_lang_table, pack_table_outline);
    PACK_LIST(x, &file->macros, struct tn_lang_macro, pack_macro_outline);
    PACK_LIST(x, &file->ignored, struct tn_bytes, pack_ignored);
    file->rest = pack_rest(x, (struct tn_location){ 0 });
    if (x->rest)
        pack_file_rest(x->rest, file);
}

static void pack_file(const struct tn_lang_file *file,
                      struct tn_pack_texts *texts, struct tn_buffer *out,
                      struct tn_buffer *outline)
{
    struct tn_lang_file copy = *file;
    struct packing      rest = { .p    = tn_pack_writer(out, texts),
                                 .file = file->name };
    struct packing      x    = { .p    = tn_pack_writer(outline, texts),
                                 .file = file->name,
                                 .rest = &rest };

    pack_outline(&x, &copy);
}

void tn_lang_pack(const struct tn_lang_file *file, struct tn_buffer *out,
                  struct tn_buffer *cuts)
{
    struct tn_pack_texts texts;
    struct tn_buffer     outline;
    size_t               begin = out->size;

    tn_pack_texts_init(&texts, file->arena, out->error);
    tn_buffer_init(&outline, out->memory, out->error);
    pack_file(file, &texts, out, &outline);
    out->size = begin;
    tn_buffer_clear(&outline);
    tn_pack_texts_rank(&texts);
    pack_file(file, &texts, out, &outline);
    tn_pack_end(out, &texts, &outline, cuts);
    tn_buffer_done(&outline);
    tn_pack_texts_done(&texts);
}

enum tn_status tn_lang_unpack(struct tn_lang_file *file, struct tn_arena *arena,
                              const char *name, struct tn_bytes packed,
                              struct tn_pack_blocks *blocks,
                              struct tn_error       *error)
{
    tn_lang_init(file, arena, name);
    TN_TRY(tn_packed_open(&file->packed, packed, blocks, error));
    struct packing x = { .p = tn_pack_reader(
                             &file->packed, file->packed.outline, arena, error),
                         .file = name };
    pack_outline(&x, file);
    return error->status;
}

/* ---- the rest of items -------------------------------------------------- */

static struct packing rest_of(const struct tn_lang_file *file, uint32_t rest,
                              struct tn_location near, struct tn_error *error)
{
    return (struct packing){ .p    = tn_pack_reader(&file->packed, rest - 1,
                                                    file->arena, error),
                             .file = file->name,
                             .last = near };
}

/* What could not be read because memory ran out may be tried again. */
#define COMPLETE(file, T, item, pack, error)                                   \
    do {                                                                       \
        if ((item)->rest) {                                                    \
            struct packing x_ =                                                \
                rest_of((file), (item)->rest, (item)->place, (error));         \
            T whole_ = *(item);                                                \
            pack(&x_, &whole_);                                                \
            whole_.rest = 0;                                                   \
            if (!tn_failed(error))                                             \
                *(item) = whole_;                                              \
        }                                                                      \
    } while (0)

enum tn_status tn_lang_complete_rule(const struct tn_lang_file *file,
                                     struct tn_lang_rule       *rule,
                                     struct tn_error           *error)
{
    COMPLETE(file, struct tn_lang_rule, rule, pack_rule_rest, error);
    return error->status;
}

enum tn_status tn_lang_complete_def(const struct tn_lang_file *file,
                                    struct tn_lang_def        *def,
                                    struct tn_error           *error)
{
    COMPLETE(file, struct tn_lang_def, def, pack_def_rest, error);
    return error->status;
}

enum tn_status tn_lang_complete_table(const struct tn_lang_file *file,
                                      struct tn_lang_table      *table,
                                      struct tn_error           *error)
{
    COMPLETE(file, struct tn_lang_table, table, pack_table_rest, error);
    return error->status;
}

enum tn_status tn_lang_complete_macro(const struct tn_lang_file *file,
                                      struct tn_lang_macro      *macro,
                                      struct tn_error           *error)
{
    COMPLETE(file, struct tn_lang_macro, macro, pack_macro_rest, error);
    return error->status;
}

#define COMPLETE_LIST(file, list, T, complete, error)                          \
    for (uint64_t i = 0; i < (list)->count; i++)                               \
    TN_TRY(complete((file), tn_list_at((list), T, i), (error)))

enum tn_status tn_lang_complete(struct tn_lang_file *file,
                                struct tn_error     *error)
{
    COMPLETE_LIST(file, &file->rules, struct tn_lang_rule,
                  tn_lang_complete_rule, error);
    COMPLETE_LIST(file, &file->back, struct tn_lang_rule, tn_lang_complete_rule,
                  error);
    COMPLETE_LIST(file, &file->defs, struct tn_lang_def, tn_lang_complete_def,
                  error);
    COMPLETE_LIST(file, &file->tables, struct tn_lang_table,
                  tn_lang_complete_table, error);
    COMPLETE_LIST(file, &file->macros, struct tn_lang_macro,
                  tn_lang_complete_macro, error);
    if (file->rest) {
        struct packing x =
            rest_of(file, file->rest, (struct tn_location){ 0 }, error);
        pack_file_rest(&x, file);
        file->rest = 0;
    }
    return error->status;
}
