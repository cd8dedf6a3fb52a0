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
};

static bool has_failed(const struct packing *x)
{
    return tn_failed(x->p.in.error);
}

/* What an outline says of where the rest of its item begins: one more than the
 * byte, because 0 is an item that is complete. */
static uint32_t begin_rest(struct packing *x)
{
    x->rest->last = (struct tn_location){ 0 };
    return (uint32_t)x->rest->p.out->size + 1;
}

/* Most places are in the line of the last one, where columns differ as offsets
 * do: the step of the offset, and whether that is all. */
static struct tn_location pack_place(struct packing    *x,
                                     struct tn_location place)
{
    struct tn_location last = x->last;
    int64_t            step = (int64_t)(place.offset - last.offset);
    bool               is_other = place.line != last.line ||
                    place.column - last.column != (uint32_t)step;
    uint64_t packed =
        tn_pack_number(&x->p, tn_zigzag_encode(step) << 1 | is_other);

    step         = tn_zigzag_decode(packed >> 1);
    place.file   = x->file;
    place.offset = last.offset + (uint64_t)step;
    if (packed & 1) {
        place.line = last.line + (uint32_t)tn_pack_signed(
                                     &x->p, (int32_t)(place.line - last.line));
        place.column = tn_pack_u32(&x->p, place.column);
    } else {
        place.line   = last.line;
        place.column = last.column + (uint32_t)step;
    }
    x->last = place;
    return place;
}

static struct tn_lang_piece pack_piece(struct packing      *x,
                                       struct tn_lang_piece piece)
{
    piece.at   = tn_pack_u32(&x->p, piece.at);
    piece.size = tn_pack_u32(&x->p, piece.size);
    return piece;
}

/* ---- expressions -------------------------------------------------------- */

static const struct tn_lang_expr *pack_expr(struct packing            *x,
                                            const struct tn_lang_expr *was);

static const struct tn_lang_expr **pack_exprs(struct packing             *x,
                                              const struct tn_lang_expr **was,
                                              uint32_t                   *count)
{
    *count = tn_pack_u32(&x->p, *count);
    const struct tn_lang_expr **to =
        tn_pack_room(&x->p, const struct tn_lang_expr *, *count);
    for (uint32_t i = 0; i < *count && !has_failed(x); i++) {
        const struct tn_lang_expr *item = pack_expr(x, was ? was[i] : NULL);
        if (to)
            to[i] = item;
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
        attr.value      = pack_expr(x, attr.value);
        attr.as         = tn_pack_text(&x->p, attr.as);
        attr.is_ignored = tn_pack_bool(&x->p, attr.is_ignored);
        attr.is_match   = tn_pack_bool(&x->p, attr.is_match);
        attr.place      = pack_place(x, attr.place);
        if (to)
            to[i] = attr;
    }
    return to ? to : was;
}

/* Most expressions have few of their fields. */
enum {
    HAS_NUMBER = 1,
    HAS_REAL   = 2,
    HAS_TEXT   = 4,
    HAS_CALL   = 8,
    HAS_ITEMS  = 16
};

static uint32_t fields_of(const struct tn_lang_expr *e)
{
    bool is_zero = !memcmp(&e->real, &(double){ 0 }, sizeof e->real);

    return (e->number ? HAS_NUMBER : 0) | (is_zero ? 0 : HAS_REAL) |
           (e->text.data ? HAS_TEXT : 0) |
           (e->callee || e->target || e->second.data || e->domain.data ||
                    e->attr_count
                ? HAS_CALL
                : 0) |
           (e->item_count ? HAS_ITEMS : 0);
}

static void pack_call(struct packing *x, struct tn_lang_expr *e)
{
    e->callee = (enum tn_lang_callee)tn_pack_u32(&x->p, e->callee);
    e->target = tn_pack_u32(&x->p, e->target);
    e->second = tn_pack_text(&x->p, e->second);
    e->domain = tn_pack_text(&x->p, e->domain);
    e->attrs  = pack_attrs(x, e->attrs, &e->attr_count);
}

/* 0: none; else one more than the kind. */
static const struct tn_lang_expr *pack_expr(struct packing            *x,
                                            const struct tn_lang_expr *was)
{
    struct tn_lang_expr e = was ? *was : (struct tn_lang_expr){ 0 };
    uint32_t kind         = tn_pack_u32(&x->p, was ? (uint32_t)e.kind + 1 : 0);

    if (!kind)
        return NULL;
    uint32_t has = tn_pack_u32(&x->p, fields_of(&e));
    e.kind       = (enum tn_lang_kind)(kind - 1);
    e.depth      = tn_pack_u32(&x->p, e.depth);
    if (has & HAS_NUMBER)
        e.number = tn_pack_signed(&x->p, e.number);
    if (has & HAS_REAL)
        e.real = tn_pack_real(&x->p, e.real);
    if (has & HAS_TEXT)
        e.text = tn_pack_text(&x->p, e.text);
    if (has & HAS_CALL)
        pack_call(x, &e);
    if (has & HAS_ITEMS)
        e.items = pack_exprs(x, e.items, &e.item_count);
    e.place                 = pack_place(x, e.place);
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

        s.kind         = (enum tn_lang_step_kind)tn_pack_u32(&x->p, s.kind);
        s.names        = pack_names(x, s.names, &s.name_count);
        s.last_is_many = tn_pack_bool(&x->p, s.last_is_many);
        s.expr         = pack_expr(x, s.expr);
        s.why          = tn_pack_text(&x->p, s.why);
        s.body         = pack_block(x, s.body);
        s.other        = pack_block(x, s.other);
        s.place        = pack_place(x, s.place);
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

        one.name    = tn_pack_text(&x->p, one.name);
        one.arity   = (enum tn_lang_arity)tn_pack_u32(&x->p, one.arity);
        one.place   = pack_place(x, one.place);
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
    rule->text        = pack_piece(x, rule->text);
    rule->place       = pack_place(x, rule->place);
    rule->rest        = tn_pack_u32(&x->p, x->rest ? begin_rest(x) : 0);
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
    def->rest  = tn_pack_u32(&x->p, x->rest ? begin_rest(x) : 0);
    if (x->rest)
        pack_def_rest(x->rest, def);
}

static void pack_table_rest(struct packing *x, struct tn_lang_table *table)
{
    table->keys   = pack_exprs(x, table->keys, &table->count);
    table->values = pack_exprs(x, table->values, &table->count);
}

static void pack_table_outline(struct packing *x, struct tn_lang_table *table)
{
    table->name  = tn_pack_text(&x->p, table->name);
    table->place = pack_place(x, table->place);
    table->rest  = tn_pack_u32(&x->p, x->rest ? begin_rest(x) : 0);
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
    macro->rest  = tn_pack_u32(&x->p, x->rest ? begin_rest(x) : 0);
    if (x->rest)
        pack_macro_rest(x->rest, macro);
    pack_head_outline(x, &macro->head);
}

static void pack_example(struct packing *x, struct tn_lang_example *example)
{
    example->rule    = tn_pack_u32(&x->p, example->rule);
    example->is_back = tn_pack_bool(&x->p, example->is_back);
    example->text    = pack_piece(x, example->text);
    example->place   = pack_place(x, example->place);
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
    file->rest = tn_pack_u32(&x->p, x->rest ? begin_rest(x) : 0);
    if (x->rest)
        pack_file_rest(x->rest, file);
}

void tn_lang_pack(const struct tn_lang_file *file, struct tn_buffer *out)
{
    struct tn_lang_file  copy = *file;
    struct tn_pack_texts texts;
    struct tn_buffer     outline;

    tn_pack_texts_init(&texts, file->arena, out->error);
    tn_buffer_init(&outline, out->memory, out->error);
    struct packing rest = { .p    = tn_pack_writer(out, &texts),
                            .file = file->name };
    struct packing x    = { .p    = tn_pack_writer(&outline, &texts),
                            .file = file->name,
                            .rest = &rest };
    pack_outline(&x, &copy);
    uint64_t begin = out->size;
    tn_buffer_add(out, tn_buffer_bytes(&outline));
    tn_pack_end(out, &texts, begin);
    tn_buffer_done(&outline);
    tn_pack_texts_done(&texts);
}

enum tn_status tn_lang_unpack(struct tn_lang_file *file, struct tn_arena *arena,
                              const char *name, struct tn_bytes packed,
                              struct tn_error *error)
{
    tn_lang_init(file, arena, name);
    TN_TRY(tn_packed_open(&file->packed, packed, error));
    struct packing x = { .p    = tn_pack_reader(&file->packed,
                                                file->packed.outline, arena,
                                                error),
                         .file = name };
    pack_outline(&x, file);
    return error->status;
}

/* ---- the rest of items -------------------------------------------------- */

static struct packing rest_of(const struct tn_lang_file *file, uint32_t rest,
                              struct tn_error *error)
{
    return (struct packing){ .p =
                                 tn_pack_reader(&file->packed, rest - 1,
                                                file->arena, error),
                             .file = file->name };
}

/* What could not be read for want of memory may be tried again. */
#define COMPLETE(file, T, item, pack, error)                                   \
    do {                                                                       \
        if ((item)->rest) {                                                    \
            struct packing x_     = rest_of((file), (item)->rest, (error));    \
            T              whole_ = *(item);                                   \
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
        struct packing x = rest_of(file, file->rest, error);
        pack_file_rest(&x, file);
        file->rest = 0;
    }
    return error->status;
}
