/*
 * paddle_check_program.c - what must hold inside a program
 *
 * Walks the wire, not the tables: what is wrong there may not have made it
 * into them.  Names are looked up in the block and in those around it.
 */
#include "format/paddle/paddle_check.h"

#include <stdio.h>

enum { WHERE = 160, FIRST_VALUE = 3, LAST_VALUE = 21, ROLE_FIELD = 3 };

/* Inputs or outputs of the model. */
struct columns {
    uint64_t count;
    bool     has_negative;
};

struct program {
    struct tn_paddle_checker *k;
    struct tn_arena           arena;
    struct tn_intern          names;
    struct tn_pairs           declared; /* (block, name) -> variable          */
    int64_t                  *parents;  /* by block                           */
    struct columns            feeds, fetches;
    struct tn_list            cols; /* int64_t: of the feeds, then fetches    */
};

static struct tn_span span_of(const struct tn_pb_field *field)
{
    return tn_pb_body_span(field);
}

/* ---- blocks ------------------------------------------------------------- */

static void check_block_head(struct program *p, uint32_t index)
{
    struct tn_span     wire = p->k->detail->blocks[index];
    struct tn_cursor   c    = tn_cursor_span(wire, p->k->error);
    int64_t            idx = -1, parent = INT64_MIN;
    struct tn_pb_field field;
    char               where[WHERE];

    while (tn_pb_next(&c, &field)) {
        if (field.number == BLOCK_IDX)
            idx = (int32_t)field.value;
        else if (field.number == BLOCK_PARENT)
            parent = (int32_t)field.value;
    }
    snprintf(where, sizeof where, "blocks[%" PRIu32 "]", index);
    if (idx != (int64_t)index)
        tn_paddle_complain(p->k, TN_LEVEL_ERROR, "block-number", wire, where,
                           "says that it is block %" PRId64, idx);
    if (parent < -1 || parent >= (int64_t)index || (index && parent < 0))
        tn_paddle_complain(p->k, TN_LEVEL_ERROR, "block-parent", wire, where,
                           "says that block %" PRId64 " is around it", parent);
    p->parents[index] = parent >= 0 && parent < (int64_t)index ? parent : -1;
}

/* ---- variables ---------------------------------------------------------- */

static void check_var_type(struct program *p, const struct tn_paddle_var *var,
                           const char *where)
{
    bool is_known = (var->type >= TN_PADDLE_LOD_TENSOR && var->type <= 18) ||
                    (var->type >= 25 && var->type <= 31);

    if (!var->has_type || !is_known)
        tn_paddle_complain(p->k, TN_LEVEL_ERROR, "variable-type", var->wire,
                           where, "a variable of type %" PRIu32, var->type);
    else if (var->has_desc && tn_lod_dtype(var->data_type) == TN_UNDEFINED &&
             var->data_type != 29)
        tn_paddle_complain(p->k, TN_LEVEL_ERROR, "variable-type", var->wire,
                           where, "elements of type %" PRIu32, var->data_type);
}

static void check_var(struct program *p, uint64_t index)
{
    const struct tn_paddle_var *var = &p->k->detail->vars[index];
    char                        where[WHERE];

    snprintf(where, sizeof where, "blocks[%" PRIu32 "].vars[%" PRIu64 "]",
             var->block, index - p->k->detail->first_vars[var->block]);
    check_var_type(p, var, where);
    if (var->name.size == 0) {
        tn_paddle_complain(p->k, TN_LEVEL_ERROR, "unnamed-variable", var->wire,
                           where, "a variable without a name");
        return;
    }
    uint32_t name  = tn_intern_borrow(&p->names, var->name, p->k->error);
    uint32_t first = tn_pairs_add(&p->declared, var->block, name,
                                  (uint32_t)index, p->k->error);
    if (first != (uint32_t)index && !tn_failed(p->k->error))
        tn_paddle_complain(p->k, TN_LEVEL_ERROR, "duplicate-variable",
                           var->wire, where, "'%.*s' is declared twice",
                           TN_FMT(var->name));
}

/* ---- operators ---------------------------------------------------------- */

struct op_check {
    struct program *p;
    uint32_t        block;
    struct tn_span  wire;
    char            where[WHERE];
    struct tn_bytes type;
    bool            has_col;
    int64_t         col;
    uint32_t        role;
};

static bool is_declared(const struct program *p, uint32_t block,
                        struct tn_bytes name)
{
    uint32_t id = tn_intern_find(&p->names, name);

    if (id == TN_NO_NAME)
        return false;
    for (int64_t at = block; at >= 0; at = p->parents[at])
        if (tn_pairs_find(&p->declared, (uint32_t)at, id) != UINT32_MAX)
            return true;
    return false;
}

static void check_slot(struct op_check *o, struct tn_cursor c)
{
    struct tn_pb_field field;

    while (tn_pb_next(&c, &field)) {
        if (field.number != SLOT_ARGUMENTS || field.type != TN_WIRE_LEN)
            continue;
        struct tn_span  at   = span_of(&field);
        struct tn_bytes name = tn_pb_text(&field);
        if (name.size == 0 || tn_bytes_is(name, "@EMPTY@") ||
            is_declared(o->p, o->block, name))
            continue;
        tn_paddle_complain(o->p->k, TN_LEVEL_ERROR, "undeclared-variable", at,
                           o->where, "'%.*s' is declared in no block around",
                           TN_FMT(name));
    }
}

/* Field by type of an attribute, and whether there may be none or many. */
static const struct {
    uint8_t field;
    bool    is_list;
} values[] = { { 3, false },  { 4, false },  { 5, false },  { 6, true },
               { 7, true },   { 8, true },   { 10, false }, { 11, true },
               { 12, false }, { 13, false }, { 14, true },  { 15, true },
               { 16, true },  { 17, false }, { 18, true },  { 19, false },
               { 20, false }, { 21, true } };

enum { BLOCK_VALUE = 12, BLOCKS_VALUE = 14 };

static void check_block_value(struct op_check *o, struct tn_span at,
                              uint64_t block)
{
    if (block == 0 || block == o->block ||
        block >= o->p->k->detail->block_count)
        tn_paddle_complain(o->p->k, TN_LEVEL_ERROR, "attribute-block", at,
                           o->where, "names block %" PRId64 " of %" PRIu32,
                           (int64_t)block, o->p->k->detail->block_count);
}

struct attr_check {
    struct tn_span  wire;
    struct tn_bytes name;
    uint64_t        type;
    uint64_t        counts[LAST_VALUE + 1]; /* by field                       */
};

static void read_attr(struct op_check *o, struct attr_check *a,
                      struct tn_cursor c)
{
    struct tn_pb_field field;
    uint64_t           block;

    while (tn_pb_next(&c, &field)) {
        uint32_t number = field.number;
        if (number >= FIRST_VALUE && number <= LAST_VALUE)
            a->counts[number]++;
        if (number == ATTR_NAME && field.type == TN_WIRE_LEN)
            a->name = tn_pb_text(&field);
        else if (number == ATTR_TYPE)
            a->type = field.value;
        else if (number == ROLE_FIELD && tn_bytes_is(a->name, "op_role"))
            o->role = (uint32_t)field.value;
        else if (number == ROLE_FIELD && tn_bytes_is(a->name, "col")) {
            o->col     = (int32_t)field.value;
            o->has_col = true;
        } else if (number == BLOCK_VALUE || number == BLOCKS_VALUE)
            while (tn_pb_number(&c, &field, TN_WIRE_VARINT, &block))
                check_block_value(o, a->wire, block);
    }
}

static void check_attr(struct op_check *o, const struct tn_pb_field *message)
{
    struct attr_check a      = { .wire = span_of(message), .type = UINT64_MAX };
    uint64_t          others = 0;

    read_attr(o, &a, message->body);
    if (a.type >= sizeof values / sizeof values[0]) {
        tn_paddle_complain(o->p->k, TN_LEVEL_ERROR, "attribute-type", a.wire,
                           o->where, "'%.*s' is of type %" PRId64,
                           TN_FMT(a.name), (int64_t)a.type);
        return;
    }
    for (uint32_t i = FIRST_VALUE; i <= LAST_VALUE; i++)
        if (i != values[a.type].field)
            others += a.counts[i];
    if (others || (!values[a.type].is_list && !a.counts[values[a.type].field]))
        tn_paddle_complain(o->p->k, TN_LEVEL_ERROR, "attribute-value", a.wire,
                           o->where, "'%.*s' has %s", TN_FMT(a.name),
                           others ? "a value of another type" : "no value");
}

static void complain_column(struct program *p, bool is_feed, struct tn_span at,
                            const char *where, const char *what)
{
    if (is_feed)
        tn_paddle_complain(p->k, TN_LEVEL_ERROR, "feed-column", at, where, "%s",
                           what);
    else
        tn_paddle_complain(p->k, TN_LEVEL_ERROR, "fetch-column", at, where,
                           "%s", what);
}

static void note_column(struct op_check *o)
{
    struct program *p       = o->p;
    bool            is_feed = tn_bytes_is(o->type, "feed");

    if (o->block != 0 || (!is_feed && !tn_bytes_is(o->type, "fetch")))
        return;
    struct columns *columns = is_feed ? &p->feeds : &p->fetches;
    int64_t        *slot    = tn_list_push(&p->cols, int64_t, p->k->error);
    columns->count++;
    if (slot)
        *slot = is_feed ? o->col : -1 - o->col;
    if (o->has_col && o->col >= 0)
        return;
    columns->has_negative = true;
    complain_column(p, is_feed, o->wire, o->where, "no column");
}

enum { ROLE_BACKWARD = 1, ROLE_OPTIMIZE = 2, ROLE_LR = 16 };

/* The operator is of training, and not of running the model. */
static bool is_training(uint32_t role)
{
    return role & (ROLE_BACKWARD | ROLE_OPTIMIZE | ROLE_LR);
}

static void check_op(struct program *p, uint32_t block, uint32_t ordinal,
                     const struct tn_pb_field *message)
{
    struct op_check    o = { .p = p, .block = block, .wire = span_of(message) };
    struct tn_cursor   c = message->body;
    struct tn_pb_field field;

    snprintf(o.where, sizeof o.where, "blocks[%" PRIu32 "].ops[%" PRIu32 "]",
             block, ordinal);
    while (tn_pb_next(&c, &field)) {
        if (field.type != TN_WIRE_LEN)
            continue;
        if (field.number == OP_INPUTS || field.number == OP_OUTPUTS)
            check_slot(&o, field.body);
        else if (field.number == OP_ATTRS)
            check_attr(&o, &field);
        else if (field.number == OP_TYPE)
            o.type = tn_pb_text(&field);
    }
    if (o.type.size == 0)
        tn_paddle_complain(p->k, TN_LEVEL_ERROR, "untyped-operator", o.wire,
                           o.where, "an operator without a type");
    p->k->training_count += is_training(o.role);
    note_column(&o);
}

static void check_ops(struct program *p, uint32_t block)
{
    struct tn_cursor c =
        tn_cursor_span(p->k->detail->blocks[block], p->k->error);
    struct tn_pb_field field;
    uint32_t           ordinal = 0;

    while (tn_pb_next(&c, &field) && !p->k->report->is_stopped)
        if (field.number == BLOCK_OPS && field.type == TN_WIRE_LEN)
            check_op(p, block, ordinal++, &field);
}

/* ---- inputs and outputs ------------------------------------------------- */

/* Columns are 0 to n - 1, each once: mark them off. */
static void check_columns(struct program *p, const struct columns *columns,
                          bool is_feed)
{
    struct tn_span nowhere = { NULL, 0, 0 };
    bool          *seen = tn_new(&p->arena, bool, columns->count, p->k->error);

    for (uint64_t i = 0; seen && i < p->cols.count; i++) {
        int64_t col = *tn_list_at(&p->cols, int64_t, i);
        char    what[80];
        if ((col >= 0) != is_feed)
            continue;
        col = is_feed ? col : -1 - col;
        snprintf(what, sizeof what,
                 "column %" PRId64 " of %" PRIu64 ", or it is there twice", col,
                 columns->count);
        if ((uint64_t)col < columns->count && !seen[col])
            seen[col] = true;
        else
            complain_column(p, is_feed, nowhere, "", what);
    }
}

static void check_ends(struct program *p)
{
    struct tn_span nowhere = { NULL, 0, 0 };

    if (p->feeds.count == 0)
        tn_paddle_complain(p->k, TN_LEVEL_WARNING, "no-feed", nowhere, "",
                           "the program has no feed operator");
    if (p->fetches.count == 0)
        tn_paddle_complain(p->k, TN_LEVEL_WARNING, "no-fetch", nowhere, "",
                           "the program has no fetch operator");
    if (!p->feeds.has_negative)
        check_columns(p, &p->feeds, true);
    if (!p->fetches.has_negative)
        check_columns(p, &p->fetches, false);
}

static void check_version(struct program *p)
{
    int64_t version = p->k->detail->version;

    if (p->k->detail->has_version && (version < 0 || version >= 100000000))
        tn_paddle_complain(p->k, TN_LEVEL_WARNING, "odd-version",
                           p->k->model->wire, "version",
                           "%" PRId64 " is no version", version);
}

/* ---- from the top ------------------------------------------------------- */

static void check_all(struct program *p)
{
    const struct tn_paddle_detail *detail = p->k->detail;

    p->parents = tn_new(&p->arena, int64_t, detail->block_count, p->k->error);
    for (uint32_t i = 0; p->parents && i < detail->block_count; i++)
        check_block_head(p, i);
    for (uint64_t i = 0; i < detail->var_count && !tn_failed(p->k->error); i++)
        check_var(p, i);
    for (uint32_t i = 0; i < detail->block_count && !tn_failed(p->k->error);
         i++)
        check_ops(p, i);
    if (tn_failed(p->k->error))
        return;
    check_ends(p);
    check_version(p);
}

enum tn_status tn_paddle_check_program(struct tn_paddle_checker *k)
{
    struct program p = { .k = k };

    tn_arena_init(&p.arena, k->model->memory);
    tn_intern_init(&p.names, &p.arena);
    tn_pairs_init(&p.declared, k->model->memory);
    tn_list_init(&p.cols, k->model->memory, sizeof(int64_t));
    check_all(&p);
    tn_list_done(&p.cols);
    tn_pairs_done(&p.declared);
    tn_intern_done(&p.names);
    tn_arena_done(&p.arena);
    return k->error->status;
}
