/*
 * paddle_check.c - checks whether a model is complete and consistent
 *
 * The program: blocks are numbered and nested, names are declared, attributes
 * have values of their type, inputs and outputs are numbered without gaps.  The
 * parameters: each stored variable has data of its type and shape, and no file
 * is unused.  Notes list what should not be published.
 */
#include <stdarg.h>
#include <stdio.h>

#include "format/paddle/paddle.h"
#include "ir/attr.h"
#include "ir/levels.h"
#include "ir/value_findings.h"
#include "ir/value_sizes.h"

struct tn_paddle_checker {
    const struct tn_model         *model;
    const struct tn_paddle_detail *detail; /* NULL: no program                */
    struct tn_report              *report;
    struct tn_error               *error;
    uint64_t                       training_count; /* operators of training   */
};

static void complain(struct tn_paddle_checker *k, enum tn_finding_level level,
                     const char *rule, struct tn_span at, const char *where,
                     const char *format, ...) TN_PRINTF(6, 7);

/* `at` says file and offset; an empty one says neither. */
static void complain(struct tn_paddle_checker *k, enum tn_finding_level level,
                     const char *rule, struct tn_span at, const char *where,
                     const char *format, ...)
{
    char    what[200];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    tn_report_format(k->report, level, rule, at.source ? at.source->name : "",
                     at.source ? at.offset : TN_NOWHERE, where, "%s", what);
}

/* ---- what must hold inside a program ------------------------------------ */

/*
 * Walks the wire, not the tables: what is wrong there may not have made it
 * into them.  Names are looked up in the block and in those around it.
 */

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
        complain(p->k, TN_LEVEL_ERROR, "block-number", wire, where,
                 "says that it is block %" PRId64, idx);
    if (parent < -1 || parent >= (int64_t)index || (index && parent < 0))
        complain(p->k, TN_LEVEL_ERROR, "block-parent", wire, where,
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
        complain(p->k, TN_LEVEL_ERROR, "variable-type", var->wire, where,
                 "a variable of type %" PRIu32, var->type);
    else if (var->has_desc && tn_lod_dtype(var->data_type) == TN_UNDEFINED &&
             var->data_type != 29)
        complain(p->k, TN_LEVEL_ERROR, "variable-type", var->wire, where,
                 "elements of type %" PRIu32, var->data_type);
}

static void check_var(struct program *p, uint64_t index)
{
    const struct tn_paddle_var *var = &p->k->detail->vars[index];
    char                        where[WHERE];

    snprintf(where, sizeof where, "blocks[%" PRIu32 "].vars[%" PRIu64 "]",
             var->block, index - p->k->detail->first_vars[var->block]);
    check_var_type(p, var, where);
    if (var->name.size == 0) {
        complain(p->k, TN_LEVEL_ERROR, "unnamed-variable", var->wire, where,
                 "a variable without a name");
        return;
    }
    uint32_t name  = tn_intern_borrow(&p->names, var->name, p->k->error);
    uint32_t first = tn_pairs_add(&p->declared, var->block, name,
                                  (uint32_t)index, p->k->error);
    if (first != (uint32_t)index && !tn_failed(p->k->error))
        complain(p->k, TN_LEVEL_ERROR, "duplicate-variable", var->wire, where,
                 "'%.*s' is declared twice", TN_FMT(var->name));
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
        complain(o->p->k, TN_LEVEL_ERROR, "undeclared-variable", at, o->where,
                 "'%.*s' is declared in no block around", TN_FMT(name));
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
        complain(o->p->k, TN_LEVEL_ERROR, "attribute-block", at, o->where,
                 "names block %" PRId64 " of %" PRIu32, (int64_t)block,
                 o->p->k->detail->block_count);
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
        complain(o->p->k, TN_LEVEL_ERROR, "attribute-type", a.wire, o->where,
                 "'%.*s' is of type %" PRId64, TN_FMT(a.name), (int64_t)a.type);
        return;
    }
    for (uint32_t i = FIRST_VALUE; i <= LAST_VALUE; i++)
        if (i != values[a.type].field)
            others += a.counts[i];
    if (others || (!values[a.type].is_list && !a.counts[values[a.type].field]))
        complain(o->p->k, TN_LEVEL_ERROR, "attribute-value", a.wire, o->where,
                 "'%.*s' has %s", TN_FMT(a.name),
                 others ? "a value of another type" : "no value");
}

static void complain_column(struct program *p, bool is_feed, struct tn_span at,
                            const char *where, const char *what)
{
    if (is_feed)
        complain(p->k, TN_LEVEL_ERROR, "feed-column", at, where, "%s", what);
    else
        complain(p->k, TN_LEVEL_ERROR, "fetch-column", at, where, "%s", what);
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

/* Whether the operator belongs to training, not to running the model. */
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
        complain(p->k, TN_LEVEL_ERROR, "untyped-operator", o.wire, o.where,
                 "an operator without a type");
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

static void check_io_lists(struct program *p)
{
    struct tn_span nowhere = { NULL, 0, 0 };

    if (p->feeds.count == 0)
        complain(p->k, TN_LEVEL_WARNING, "no-feed", nowhere, "",
                 "the program has no feed operator");
    if (p->fetches.count == 0)
        complain(p->k, TN_LEVEL_WARNING, "no-fetch", nowhere, "",
                 "the program has no fetch operator");
    if (!p->feeds.has_negative)
        check_columns(p, &p->feeds, true);
    if (!p->fetches.has_negative)
        check_columns(p, &p->fetches, false);
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
    check_io_lists(p);
    int64_t version = p->k->detail->version;

    if (p->k->detail->has_version && (version < 0 || version >= 100000000))
        complain(p->k, TN_LEVEL_WARNING, "odd-version", p->k->model->wire,
                 "version", "%" PRId64 " is not a version", version);
}

/* The whole program: blocks, variables, operators, inputs and outputs. */
static enum tn_status check_program(struct tn_paddle_checker *k)
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

/* ---- variables that are read before anything writes them ---------------- */

/*
 * Operators run in the order of their block.  A variable that is declared has
 * no value until an operator, a feed or a parameter gives it one: Paddle stops
 * where one is read before.  This is certain only for operators in the
 * outermost block and in its loops; in a branch, or in a loop in a loop, a read
 * may run after a write that comes later in the file.
 *
 * What nothing ever writes is left alone: a program may be fed by hand.
 */

/* How deep in loops such a read is certain. */
#define CERTAIN 1

struct order {
    struct tn_value_findings findings;
    struct tn_error         *error;
    struct tn_arena          arena;
    uint32_t                *homes; /* by value: the block that declares it;
                                       TN_NONE: it is not a tensor, or
                                       unknown                                */
    uint32_t       *inner; /* by op: the first graph in it, + 1              */
    uint32_t       *next;  /* by graph: the next one, + 1                    */
    struct tn_pairs ever, written; /* (home, name): by some op, by now       */
};

static uint32_t find_home(const struct tn_model *model, uint32_t value)
{
    const struct tn_value *row   = tn_model_value_at(model, value);
    uint32_t               graph = row->graph;
    struct tn_declared     told;

    for (int depth = 0; graph != TN_NONE && depth < TN_PADDLE_DEPTH_LIMIT;
         depth++) {
        if (tn_paddle_declared(model, graph, tn_model_name(model, row->name),
                               &told))
            return told.has_type && !told.is_list ? graph : TN_NONE;
        graph = tn_model_graph_at(model, graph)->parent_graph;
    }
    return TN_NONE;
}

/* Whether it has a value before anything runs. */
static bool is_given(const struct order *o, uint32_t home, uint32_t name)
{
    const struct tn_model *model = o->findings.model;
    uint32_t               value = tn_model_find_value(model, home, name);
    uint32_t               kind;

    if (value == TN_NONE)
        return false;
    kind = tn_model_value_at(model, value)->kind;
    return kind == TN_VALUE_INPUT || kind == TN_VALUE_INITIALIZER;
}

static void check_read(const struct order *o, uint32_t op, uint32_t value)
{
    const struct tn_model *model = o->findings.model;
    uint32_t               name, home;

    if (value == TN_NONE || o->homes[value] == TN_NONE)
        return;
    name = tn_model_value_at(model, value)->name;
    home = o->homes[value];
    if (tn_pairs_find(&o->ever, home, name) == UINT32_MAX ||
        tn_pairs_find(&o->written, home, name) != UINT32_MAX ||
        is_given(o, home, name))
        return;
    tn_value_complain(&o->findings, op, "unset-variable",
                      "'%.*s' is read, and is written later only",
                      TN_FMT(tn_value_short_name(model, value)));
}

static void note_written(struct order *o, struct tn_pairs *to, uint32_t op)
{
    const struct tn_model *model = o->findings.model;
    const struct tn_op    *row   = tn_model_op_at(model, op);

    for (uint32_t i = 0; i < row->output_count && !tn_failed(o->error); i++) {
        uint32_t value = tn_op_output(model, op, i);
        if (value != TN_NONE && o->homes[value] != TN_NONE)
            tn_pairs_add(to, o->homes[value],
                         tn_model_value_at(model, value)->name, 0, o->error);
    }
}

/* Operators that run blocks, or take one of their inputs, name variables that
 * may have no value. */
static bool reads_all(const struct order *o, uint32_t op)
{
    const struct tn_model *model = o->findings.model;
    struct tn_bytes        type =
        tn_model_name(model, tn_model_op_at(model, op)->type);
    static const char *const others[] = {
        "fetch", "select_input",      "select_output",
        "while", "conditional_block", "conditional_block_infer"
    };

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (tn_bytes_is(type, others[i]))
            return false;
    return true;
}

static bool is_loop(const struct order *o, uint32_t op)
{
    const struct tn_model *model = o->findings.model;

    return tn_bytes_is(tn_model_name(model, tn_model_op_at(model, op)->type),
                       "while");
}

static void walk(struct order *o, uint32_t graph, int loops, int depth)
{
    const struct tn_model *model = o->findings.model;
    const struct tn_graph *row   = tn_model_graph_at(model, graph);

    if (depth > TN_PADDLE_DEPTH_LIMIT)
        return;
    for (uint32_t i = 0; i < row->op_count && !tn_failed(o->error); i++) {
        uint32_t op    = row->first_op + i;
        uint32_t count = tn_model_op_at(model, op)->input_count;
        if (loops > CERTAIN || o->inner[op] || !reads_all(o, op))
            count = 0;
        for (uint32_t k = 0; k < count && !o->findings.report->is_stopped; k++)
            check_read(o, op, tn_op_input(model, op, k));
        for (uint32_t inner = o->inner[op]; inner; inner = o->next[inner - 1])
            walk(o, inner - 1, is_loop(o, op) ? loops + 1 : CERTAIN + 1,
                 depth + 1);
        note_written(o, &o->written, op);
    }
}

static void chain_blocks(struct order *o)
{
    const struct tn_model *model = o->findings.model;

    for (uint32_t i = (uint32_t)model->graphs.count; i-- > 1;) {
        const struct tn_graph *row   = tn_model_graph_at(model, i);
        const struct tn_graph *outer = NULL;
        if (row->parent_graph < i)
            outer = tn_model_graph_at(model, row->parent_graph);
        if (!outer || row->parent_node >= outer->op_count)
            continue;
        o->next[i] = o->inner[outer->first_op + row->parent_node];
        o->inner[outer->first_op + row->parent_node] = i + 1;
    }
}

static void survey(struct order *o)
{
    const struct tn_model *model = o->findings.model;

    for (uint32_t i = 0; i < model->values.count; i++)
        o->homes[i] = find_home(model, i);
    for (uint32_t op = 0; op < model->ops.count && !tn_failed(o->error); op++)
        note_written(o, &o->ever, op);
    chain_blocks(o);
}

/* Variables that are read before anything writes them; the model has its
 * graph. */
static enum tn_status check_order(const struct tn_model *model,
                                  struct tn_report      *report,
                                  struct tn_error       *error)
{
    uint64_t     graphs = model->graphs.count;
    struct order o      = {
             .findings = { .model  = model,
                           .report = report,
                           .file =
                          model->wire.source ? model->wire.source->name : "" },
             .error    = error,
    };

    if (graphs == 0 || !tn_model_graph_at(model, 0)->inputs.count)
        return error->status; /* fed by hand */
    tn_arena_init(&o.arena, model->memory);
    tn_pairs_init(&o.ever, model->memory);
    tn_pairs_init(&o.written, model->memory);
    o.homes = tn_new(&o.arena, uint32_t, model->values.count, error);
    o.inner = tn_new(&o.arena, uint32_t, model->ops.count, error);
    o.next  = tn_new(&o.arena, uint32_t, graphs, error);
    if (!tn_failed(error))
        survey(&o);
    if (!tn_failed(error))
        walk(&o, 0, 0, 0);
    tn_pairs_done(&o.written);
    tn_pairs_done(&o.ever);
    tn_arena_done(&o.arena);
    return error->status;
}

/* ---- declared types, ranks and sizes against those of operators ---------- */

/*
 * The vocabulary has the operators for which there are rules, with the slots
 * that rules use: only those are checked.
 */

/* The block that declares it may be around the one that uses it. */
static bool find_declared(const struct tn_model *model, uint32_t value,
                          struct tn_declared *told)
{
    const struct tn_value *row   = tn_model_value_at(model, value);
    struct tn_bytes        name  = tn_model_name(model, row->name);
    uint32_t               graph = row->graph;

    for (int depth = 0; graph != TN_NONE && depth < TN_PADDLE_DEPTH_LIMIT;
         depth++) {
        if (tn_paddle_declared(model, graph, name, told))
            return told->has_type;
        graph = tn_model_graph_at(model, graph)->parent_graph;
    }
    return false;
}

/* Lists of tensors are left out: operators that take any do not say so. */
static void declare(void *context, uint8_t *types)
{
    const struct tn_model *model = context;
    struct tn_declared     told;

    for (uint32_t i = 0; i < model->values.count; i++)
        if (find_declared(model, i, &told) && !told.is_list &&
            told.dtype != TN_UNDEFINED)
            types[i] = TN_TYPE(told.dtype, TN_WRAP_NONE);
}

/* Ranks of 0 are not compared: programs before Paddle 2.5 have no scalars, and
 * use rank 0 for variables whose shape was not inferred. */
static void declare_ranks(void *context, uint8_t *ranks)
{
    const struct tn_model *model = context;
    struct tn_declared     told;

    for (uint32_t i = 0; i < model->values.count; i++)
        if (find_declared(model, i, &told) && !told.is_list && told.rank)
            ranks[i] = TN_RANK(told.rank);
}

/* Blocks that operators run may write variables with other sizes in the next
 * round: sizes are not compared then. */
static void declare_sizes(void *context, struct tn_sizing *to)
{
    const struct tn_model *model = context;
    struct tn_declared     told;

    for (uint32_t i = 0; model->graphs.count == 1 && !tn_failed(to->error) &&
                         i < model->values.count;
         i++) {
        const struct tn_dims *dims = NULL;
        if (find_declared(model, i, &told) && !told.is_list && told.rank &&
            told.rank < TN_VOCAB_RANK_LIMIT)
            dims = tn_dims_new(&to->arena, told.rank, told.dims, to->error);
        if (dims)
            tn_sizing_tell(to, i, dims);
    }
}

/* Operators with an attribute that says what they make. */
static const struct maker {
    const char   *op, *attr;
    enum tn_dtype otherwise; /* when it says -1                              */
} makers[] = {
    { "arg_max", "dtype", TN_INT64 },
    { "arg_min", "dtype", TN_INT64 },
    { "assign_value", "dtype", TN_UNDEFINED },
    { "cast", "out_dtype", TN_UNDEFINED },
    { "eye", "dtype", TN_UNDEFINED },
    { "fill_constant", "dtype", TN_UNDEFINED },
    { "fill_constant_batch_size_like", "dtype", TN_UNDEFINED },
};

static uint8_t type_said(const struct tn_model *model, uint32_t op,
                         const struct maker *maker)
{
    struct tn_error             failure = TN_ERROR_INIT;
    struct tn_attr             *attr    = NULL;
    const struct tn_attr_value *value;
    enum tn_dtype               dtype = TN_UNDEFINED;

    if (tn_attr_find(&attr, model, op, maker->attr, &failure) == TN_OK) {
        value = tn_attr_get(attr);
        if (value->kind == TN_ATTR_DTYPE && value->count == 1)
            dtype = (enum tn_dtype)value->of.ints[0];
        else if (value->kind == TN_ATTR_INT && value->count == 1)
            dtype = value->of.ints[0] < 0
                        ? maker->otherwise
                        : tn_lod_dtype((uint32_t)value->of.ints[0]);
    }
    tn_attr_close(attr);
    return dtype == TN_UNDEFINED ? 0 : TN_TYPE(dtype, TN_WRAP_NONE);
}

static uint8_t made(void *context, uint32_t op, const struct tn_vocab_op *kind,
                    uint32_t output)
{
    (void)output;
    for (size_t i = 0; i < sizeof makers / sizeof makers[0]; i++)
        if (tn_bytes_is(kind->name, makers[i].op))
            return type_said(context, op, &makers[i]);
    return 0;
}

/* ---- ranks that attributes determine ------------------------------------- */

/* Operators whose result has as many dims as a list has numbers, plus a
 * constant, unless an input has the numbers. */
static const struct shaper {
    const char *op, *attr;
    const char *instead[2]; /* slots                                          */
    bool        is_more;    /* than the rank of X                             */
} shapers[] = {
    { "assign_value", "shape", { NULL, NULL }, false },
    { "expand_v2", "shape", { "Shape", "expand_shapes_tensor" }, false },
    { "fill_constant", "shape", { "ShapeTensor", "ShapeTensorList" }, false },
    { "gaussian_random", "shape", { "ShapeTensor", "ShapeTensorList" }, false },
    { "reshape", "shape", { "Shape", "ShapeTensor" }, false },
    { "reshape2", "shape", { "Shape", "ShapeTensor" }, false },
    { "uniform_random", "shape", { "ShapeTensor", "ShapeTensorList" }, false },
    { "unsqueeze", "axes", { "AxesTensor", "AxesTensorList" }, true },
    { "unsqueeze2", "axes", { "AxesTensor", "AxesTensorList" }, true },
};

/* The first value in a slot of inputs; TN_NONE if there is none. */
static uint32_t find_in_slot(const struct tn_model *model, uint32_t op,
                             const char *slot)
{
    const struct tn_op *row     = tn_model_op_at(model, op);
    struct tn_error     failure = TN_ERROR_INIT;
    struct tn_cursor    node =
        tn_cursor_span(tn_model_op_wire(model, row), &failure);
    struct tn_bytes name;
    uint32_t        count, index = 0;

    while (model->dialect->next_slot(&node, false, &name, &count)) {
        if (tn_bytes_is(name, slot) && count && index < row->input_count)
            return tn_model_ref_at(model, (uint64_t)row->first_input + index);
        index += count;
    }
    return TN_NONE;
}

/* How long the list is; 0: it is none, or empty. */
static uint32_t count_numbers(const struct tn_model *model, uint32_t op,
                              const char *name)
{
    struct tn_error             failure = TN_ERROR_INIT;
    struct tn_attr             *attr    = NULL;
    const struct tn_attr_value *value;
    uint32_t                    count = 0;

    if (tn_attr_find(&attr, model, op, name, &failure) == TN_OK) {
        value = tn_attr_get(attr);
        if (value->is_list && value->kind == TN_ATTR_INT)
            count = value->count;
    }
    tn_attr_close(attr);
    return count;
}

static uint8_t shaped(const struct tn_model *model, uint32_t op,
                      const struct shaper *s)
{
    struct tn_declared told;
    uint32_t           count = count_numbers(model, op, s->attr);
    uint32_t           x;

    for (int i = 0; i < 2 && s->instead[i]; i++)
        if (find_in_slot(model, op, s->instead[i]) != TN_NONE)
            return 0;
    if (!count)
        return 0;
    if (s->is_more) {
        x = find_in_slot(model, op, "X");
        if (x == TN_NONE || !find_declared(model, x, &told) || !told.rank)
            return 0;
        count += told.rank;
    }
    return TN_RANK(count);
}

static uint8_t made_rank(void *context, uint32_t op,
                         const struct tn_vocab_op *kind, uint32_t output)
{
    (void)output;
    for (size_t i = 0; i < sizeof shapers / sizeof shapers[0]; i++)
        if (tn_bytes_is(kind->name, shapers[i].op))
            return shaped(context, op, &shapers[i]);
    return 0;
}

/* ---- conditions --------------------------------------------------------- */

/* One element decides what runs. */
static const struct decider {
    const char *op, *slot;
    bool        takes_int32; /* a branch by its number                       */
} deciders[] = {
    { "conditional_block", "Cond", false },
    { "conditional_block_infer", "Cond", false },
    { "select_input", "Mask", true },
    { "select_output", "Mask", true },
    { "while", "Condition", false },
};

/* The first conditions were lists of any tensors, of which none is empty. */
static bool is_list_of_any(const struct tn_model *model, uint32_t op,
                           const struct decider *d)
{
    struct tn_error             failure = TN_ERROR_INIT;
    struct tn_attr             *attr    = NULL;
    const struct tn_attr_value *value;
    bool                        is_scalar = false;

    if (strcmp(d->slot, "Cond"))
        return false;
    if (tn_attr_find(&attr, model, op, "is_scalar_condition", &failure) ==
        TN_OK) {
        value     = tn_attr_get(attr);
        is_scalar = value->kind == TN_ATTR_BOOL && value->count == 1 &&
                    value->of.ints[0];
    }
    tn_attr_close(attr);
    return !is_scalar;
}

static void check_decider(const struct tn_value_findings *to, uint32_t op,
                          const struct decider *d)
{
    uint32_t           value = find_in_slot(to->model, op, d->slot);
    struct tn_bytes    name;
    struct tn_declared told;

    if (value == TN_NONE || !find_declared(to->model, value, &told) ||
        told.is_list || is_list_of_any(to->model, op, d))
        return;
    name = tn_value_short_name(to->model, value);
    if (told.dtype != TN_UNDEFINED && told.dtype != TN_BOOL &&
        !(d->takes_int32 && told.dtype == TN_INT32))
        tn_value_complain(to, op, "type-not-allowed",
                          "'%.*s' is %s, which %s does not take as '%s'",
                          TN_FMT(name), tn_dtype_name(told.dtype), d->op,
                          d->slot);
    for (uint32_t i = 0; i < told.rank; i++)
        if (told.dims[i] != 1 && told.dims[i] != -1) {
            tn_value_complain(to, op, "condition-size",
                              "dimension %" PRIu32 " of '%.*s' is %" PRId64
                              "; %s takes one element as '%s'",
                              i, TN_FMT(name), told.dims[i], d->op, d->slot);
            return;
        }
}

static void check_conditions(const struct tn_value_findings *to)
{
    const struct tn_model *model = to->model;

    for (uint32_t op = 0; op < model->ops.count && !to->report->is_stopped;
         op++) {
        const struct tn_op *row  = tn_model_op_at(model, op);
        struct tn_bytes     type = tn_model_name(model, row->type);
        for (size_t i = 0; i < sizeof deciders / sizeof deciders[0]; i++)
            if (row->wire_length && row->first_attr == TN_NONE &&
                tn_bytes_is(type, deciders[i].op))
                check_decider(to, op, &deciders[i]);
    }
}

/* ---- from the top ------------------------------------------------------- */

static enum tn_status check_model(const struct tn_model *model,
                                  struct tn_report      *report,
                                  struct tn_error       *error)
{
    struct tn_vocab_use use = {
        .context        = (void *)(uintptr_t)model,
        .declare        = declare,
        .declare_ranks  = declare_ranks,
        .declare_sizes  = declare_sizes,
        .made           = made,
        .made_rank      = made_rank,
        .compares_types = true,
        .half           = TN_VOCAB_VALUES,
        .file           = model->wire.source ? model->wire.source->name : "",
    };

    check_conditions(&(struct tn_value_findings){
        .model = model, .report = report, .file = use.file });
    TN_TRY(check_order(model, report, error));
    return tn_vocab_check_builtin(model, &use, "paddle", report, error);
}

/* A writer that lays a program out again does not need its graph: it is read
 * only for this check. */
static enum tn_status check_types(struct tn_paddle_checker *k)
{
    struct tn_model again;

    if (k->model->wants_graph)
        return check_model(k->model, k->report, k->error);
    tn_model_init(&again, k->model->memory);
    again.wants_graph = true;
    if (tn_paddle_program_read(&again, k->model->wire, k->error) == TN_OK)
        check_model(&again, k->report, k->error);
    tn_model_done(&again);
    return k->error->status;
}

#define WHERE 160

/* ---- parameters --------------------------------------------------------- */

static void check_dtype(struct tn_paddle_checker   *k,
                        const struct tn_paddle_var *var,
                        const struct tn_tensor *row, const char *where)
{
    enum tn_dtype told    = tn_lod_dtype(var->data_type);
    enum tn_dtype found   = row->elements.shape.dtype;
    bool          is_half = found == TN_FLOAT16 || found == TN_BFLOAT16;

    if (!var->has_desc || told == found || var->type == TN_PADDLE_VOCAB)
        return;
    if (told == TN_FLOAT32 && is_half)
        complain(k, TN_LEVEL_WARNING, "parameter-precision", row->wire, where,
                 "stored as %s, declared as float32 in the program",
                 tn_dtype_name(found));
    else
        complain(
            k, TN_LEVEL_ERROR, "parameter-dtype", row->wire, where,
            "stored as %s, declared as %s in the program", tn_dtype_name(found),
            told == TN_UNDEFINED ? "no element type" : tn_dtype_name(told));
}

static bool has_same_dims(const struct tn_paddle_var *var,
                          const struct tn_shape      *shape)
{
    if (var->rank != shape->rank)
        return false;
    for (uint32_t i = 0; i < var->rank; i++)
        if (var->dims[i] >= 0 && (uint64_t)var->dims[i] != shape->dims[i])
            return false;
    return true;
}

static void check_shape(struct tn_paddle_checker   *k,
                        const struct tn_paddle_var *var,
                        const struct tn_tensor *row, const char *where)
{
    const struct tn_shape *shape = &row->elements.shape;

    if (!var->has_desc || var->type == TN_PADDLE_VOCAB ||
        var->type == TN_PADDLE_SELECTED_ROWS || has_same_dims(var, shape))
        return;
    if (tn_paddle_dims_fit(var, shape->rank, shape->dims))
        complain(k, TN_LEVEL_WARNING, "parameter-rank", row->wire, where,
                 "stored with %" PRIu32 " dimensions, declared with %" PRIu32
                 " in the program",
                 shape->rank, var->rank);
    else
        complain(k, TN_LEVEL_ERROR, "parameter-shape", row->wire, where,
                 "stored in a shape that is not the "
                 "program's");
}

static void check_levels(struct tn_paddle_checker *k,
                         const struct tn_tensor *row, const char *where)
{
    uint64_t        count = tn_tensor_level_count(row);
    uint64_t        rows  = tn_tensor_rank(row) ? tn_tensor_dims(row)[0] : 1;
    struct tn_error error = TN_ERROR_INIT;

    if (!count)
        return;
    complain(k, TN_LEVEL_WARNING, "parameter-lod", row->wire, where,
             "%" PRIu64 " LoD level%s on a parameter", count,
             count == 1 ? "" : "s");
    if (tn_levels_check(row->levels, rows, &error) == TN_OK)
        return;
    if (tn_machine_failed(&error))
        *k->error = error;
    else
        complain(k, TN_LEVEL_ERROR, "wrong-lod",
                 (struct tn_span){ row->wire.source, error.offset, 0 }, where,
                 "%s", error.what);
}

static void check_tensor(struct tn_paddle_checker *k,
                         const struct tn_tensor   *row)
{
    char                        where[WHERE];
    const struct tn_paddle_var *var;
    struct tn_bytes             name = tn_tensor_name(row);

    snprintf(where, sizeof where, "%.*s", TN_FMT(name));
    check_levels(k, row, where);
    if (!k->detail || row->graph == TN_NONE)
        return;
    var = tn_paddle_find_stored(k->detail, name);
    if (!var)
        return;
    check_dtype(k, var, row, where);
    check_shape(k, var, row, where);
}

/* A name that cannot be the name of a file, if the parameters are split. */
static void check_name(struct tn_paddle_checker   *k,
                       const struct tn_paddle_var *var, const char *where)
{
    struct tn_error quiet = TN_ERROR_INIT;

    if (tn_paddle_check_name(var->name, &quiet) != TN_OK)
        complain(k, TN_LEVEL_WARNING, "unsafe-name", var->wire, where, "%s",
                 quiet.what);
}

static void check_is_there(struct tn_paddle_checker   *k,
                           const struct tn_paddle_var *var, const char *where)
{
    if (!k->detail->has_data[var - k->detail->vars])
        complain(k, TN_LEVEL_ERROR, "missing-parameter", var->wire, where,
                 "the program stores it, and no file has it");
}

static void check_stored(struct tn_paddle_checker *k)
{
    const struct tn_paddle_detail *detail = k->detail;

    for (uint64_t i = 0; i < detail->stored_count; i++) {
        const struct tn_paddle_var *var = detail->stored[i];
        char                        where[WHERE];
        if (k->report->is_stopped)
            return;
        snprintf(where, sizeof where, "%.*s", TN_FMT(var->name));
        check_name(k, var, where);
        check_is_there(k, var, where);
    }
}

/* What a conversion requires. */
static void check_parameters(struct tn_paddle_checker *k)
{
    const struct tn_paddle_detail *detail = k->detail;

    for (uint64_t i = 0; i < detail->stored_count; i++) {
        char where[WHERE];
        if (k->report->is_stopped)
            return;
        snprintf(where, sizeof where, "%.*s", TN_FMT(detail->stored[i]->name));
        check_is_there(k, detail->stored[i], where);
    }
}

/* ---- files that the model does not refer to ----------------------------- */

static bool is_expected(const struct tn_paddle_checker *k,
                        struct tn_bundle *bundle, const char *name)
{
    const struct tn_source *program = k->model->wire.source;

    return !strcmp(name, bundle->name) || !strcmp(name, "__model__") ||
           (program && !strcmp(name, program->name)) ||
           tn_paddle_find_stored(k->detail, tn_text(name));
}

/* Only a folder with a file for each variable is the model's own. */
static enum tn_status check_files(struct tn_paddle_checker *k,
                                  struct tn_bundle         *bundle)
{
    const char *const *entries;
    uint64_t           count;

    if (!k->detail->is_separate || !tn_bundle_has_folder(bundle))
        return TN_OK;
    TN_TRY(tn_bundle_list(bundle, "", &entries, &count, k->error));
    for (uint64_t i = 0; i < count; i++) {
        size_t size = strlen(entries[i]);
        if (size == 0 || entries[i][size - 1] == '/' ||
            is_expected(k, bundle, entries[i]))
            continue;
        tn_report_format(k->report, TN_LEVEL_WARNING, "left-over-file",
                         entries[i], TN_NOWHERE, "",
                         "the program does not name this file");
    }
    return TN_OK;
}

/* ---- data that should not be published ----------------------------------- */

static void check_leaks(struct tn_paddle_checker *k)
{
    struct tn_span nowhere = { NULL, 0, 0 };

    if (k->detail->info_fault)
        complain(k, TN_LEVEL_WARNING, "info-file", nowhere, "", "%s",
                 k->detail->info_fault);
    if (k->detail->callstack_size)
        complain(k, TN_LEVEL_NOTE, "op-callstack", nowhere, "",
                 "%" PRIu64 " bytes of source paths and lines, "
                 "%" PRIu64 " %% of the program; 'tenon strip "
                 "--callstack' removes them",
                 k->detail->callstack_size,
                 k->detail->callstack_size * 100 / k->model->wire.length);
    if (k->training_count)
        complain(k, TN_LEVEL_NOTE, "training-ops", nowhere, "",
                 "%" PRIu64 " operators of training; 'tenon strip "
                 "--training' removes them",
                 k->training_count);
}

enum tn_status tn_paddle_check(struct tn_bundle      *bundle,
                               const struct tn_model *model,
                               struct tn_report *report, struct tn_error *error)
{
    struct tn_paddle_checker k = { .model  = model,
                                   .report = report,
                                   .error  = error };

    if (model->dialect) {
        k.detail = model->detail;
        TN_TRY(check_program(&k));
        TN_TRY(check_types(&k));
        check_leaks(&k);
        check_stored(&k);
        TN_TRY(check_files(&k, bundle));
    }
    for (uint64_t i = 0; i < model->tensors.count && !report->is_stopped; i++)
        check_tensor(&k, tn_list_at(&model->tensors, struct tn_tensor, i));
    return error->status;
}

enum tn_status tn_paddle_check_graph(const struct tn_model *model,
                                     struct tn_report      *report,
                                     struct tn_error       *error)
{
    struct tn_paddle_checker k = { .model  = model,
                                   .detail = model->detail,
                                   .report = report,
                                   .error  = error };

    if (!model->dialect || !k.detail)
        return TN_OK;
    if (model->is_edited) /* its program is not that of the file */
        return model->wants_graph ? check_model(model, report, error) : TN_OK;
    check_parameters(&k);
    TN_TRY(check_program(&k));
    return check_types(&k);
}
