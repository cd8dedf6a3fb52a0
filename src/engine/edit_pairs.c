/*
 * edit_pairs.c - inserts and removes nodes that change little or nothing
 *
 * When a node is removed, its users take its input instead.  If its output is
 * an output of the graph, the op before it gets that name instead.
 */
#include "engine/edit_pairs.h"

#include "engine/edit_known.h"
#include "format/onnx/onnx.h"

#include <inttypes.h>

struct pairing {
    struct tn_draft       *draft;
    const struct tn_model *model;
    struct tn_error       *error;
    struct tn_arena        arena;
    uint32_t        *same; /* by value: the value that it is, or itself      */
    struct tn_bytes *name; /* by value: its name now; .data NULL: as before  */
    bool            *is_output; /* by value: of a graph                       */
    uint32_t        *uses;      /* by value: by ops                           */
    struct tn_known  known;
    bool             has_known;
};

static bool is_op(const struct pairing *p, uint32_t op, const char *type)
{
    const struct tn_op_info info = tn_model_op(p->model, op);

    return tn_bytes_is(info.type, type) &&
           (!info.domain.size || tn_bytes_is(info.domain, "ai.onnx"));
}

/* The value that an op takes, as its graph defines it; TN_NONE: none. */
static uint32_t input_of(const struct pairing *p, uint32_t op, uint32_t index)
{
    uint32_t value = index < tn_model_op(p->model, op).input_count
                         ? tn_op_input(p->model, op, index)
                         : TN_NONE;

    return value == TN_NONE ? TN_NONE
                            : tn_model_defining_value(p->model, value);
}

static uint32_t producer_of(const struct pairing *p, uint32_t value)
{
    return value == TN_NONE ? TN_NONE
                            : tn_model_value_at(p->model, value)->producer;
}

/* ---- what may go --------------------------------------------------------- */

static enum tn_dtype dtype_of(struct pairing *p, uint32_t value)
{
    if (value == TN_NONE || tn_model_value_at(p->model, value)->graph != 0)
        return TN_UNDEFINED;
    uint32_t known =
        tn_known_find(&p->known, tn_model_value_name(p->model, value));
    return known == TN_NONE ? TN_UNDEFINED
                            : tn_net_value(&p->known.net, known).type->dtype;
}

/* Whether every value of a type is one of the other. */
static bool holds(enum tn_dtype wide, enum tn_dtype narrow)
{
    static const struct {
        enum tn_dtype narrow, wide;
    } rows[] = {
        { TN_FLOAT16, TN_FLOAT32 },  { TN_FLOAT16, TN_FLOAT64 },
        { TN_BFLOAT16, TN_FLOAT32 }, { TN_BFLOAT16, TN_FLOAT64 },
        { TN_FLOAT32, TN_FLOAT64 },  { TN_INT8, TN_INT16 },
        { TN_INT8, TN_INT32 },       { TN_INT8, TN_INT64 },
        { TN_INT8, TN_FLOAT32 },     { TN_UINT8, TN_INT16 },
        { TN_UINT8, TN_INT32 },      { TN_UINT8, TN_INT64 },
        { TN_UINT8, TN_FLOAT32 },    { TN_INT16, TN_INT32 },
        { TN_INT16, TN_INT64 },      { TN_INT32, TN_INT64 },
        { TN_INT32, TN_FLOAT64 },    { TN_BOOL, TN_INT32 },
        { TN_BOOL, TN_INT64 },       { TN_BOOL, TN_FLOAT32 },
        { TN_BOOL, TN_UINT8 },       { TN_BOOL, TN_FLOAT16 },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].narrow == narrow && rows[i].wide == wide)
            return true;
    return wide == narrow && wide != TN_UNDEFINED;
}

/* The value that the results of an op are, without it; TN_NONE: it stays. */
static uint32_t value_before(struct pairing *p, uint32_t op,
                             enum tn_pair_kind kind)
{
    uint32_t in = input_of(p, op, 0), before = producer_of(p, in);

    if (in == TN_NONE || tn_model_op(p->model, op).output_count != 1)
        return TN_NONE;
    if (kind == TN_PAIR_IDENTITY)
        return is_op(p, op, "Identity") ? in : TN_NONE;
    if (kind == TN_PAIR_QDQ)
        return is_op(p, op, "DequantizeLinear") && before != TN_NONE &&
                       is_op(p, before, "QuantizeLinear")
                   ? input_of(p, before, 0)
                   : TN_NONE;
    if (!is_op(p, op, "Cast"))
        return TN_NONE;
    enum tn_dtype to = dtype_of(p, tn_op_output(p->model, op, 0));
    if (to != TN_UNDEFINED && dtype_of(p, in) == to)
        return in;
    if (before == TN_NONE || !is_op(p, before, "Cast"))
        return TN_NONE;
    uint32_t first = input_of(p, before, 0);
    return to != TN_UNDEFINED && first != TN_NONE && dtype_of(p, first) == to &&
                   holds(dtype_of(p, in), to)
               ? first
               : TN_NONE;
}

/* The value that a value is in the end; chains are made short on the way. */
static uint32_t resolve(struct pairing *p, uint32_t value)
{
    uint32_t end = value;

    while (p->same[end] != end)
        end = p->same[end];
    while (p->same[value] != end) {
        uint32_t next  = p->same[value];
        p->same[value] = end;
        value          = next;
    }
    return end;
}

/* An output of a graph keeps its name: then the op before must be able to give
 * it. */
static bool can_take_name(const struct pairing *p, uint32_t value,
                          uint32_t after)
{
    const struct tn_value *v = tn_model_value_at(p->model, value);

    return v->kind == TN_VALUE_OUTPUT &&
           v->graph == tn_model_value_at(p->model, after)->graph &&
           !p->is_output[value] && !p->name[value].data;
}

/* ---- the draft ----------------------------------------------------------- */

static struct tn_bytes name_of(const struct pairing *p, uint32_t value)
{
    return p->name[value].data ? p->name[value]
                               : tn_model_value_name(p->model, value);
}

static enum tn_status rewire(struct pairing *p)
{
    for (uint32_t op = 0; op < p->model->ops.count; op++) {
        if (tn_draft_op_at(p->draft, op)->is_removed)
            continue;
        uint32_t count = tn_model_op(p->model, op).input_count;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t value = input_of(p, op, i);
            if (value == TN_NONE)
                continue;
            struct tn_bytes name = name_of(p, resolve(p, value));
            if (tn_bytes_equal(name, tn_model_value_name(p->model, value)))
                continue;
            struct tn_draft_change *change =
                tn_draft_touch_op(p->draft, op, p->error);
            if (!change)
                return p->error->status;
            change->inputs[i] = name;
        }
    }
    return TN_OK;
}

static enum tn_status rename_outputs(struct pairing *p)
{
    for (uint32_t i = 0; i < p->model->values.count; i++) {
        const struct tn_value *v = tn_model_value_at(p->model, i);
        if (!p->name[i].data)
            continue;
        struct tn_draft_change *change =
            tn_draft_touch_op(p->draft, v->producer, p->error);
        if (!change)
            return p->error->status;
        change->outputs[v->output] = p->name[i];
    }
    return TN_OK;
}

/* What the file says of values that are others now. */
static enum tn_status forget_values(struct pairing *p)
{
    uint64_t      most  = p->model->values.count;
    struct tn_io *all   = tn_new(&p->arena, struct tn_io, most, p->error);
    uint32_t      count = 0;

    for (uint32_t i = 0; all && i < most; i++) {
        const struct tn_value *v = tn_model_value_at(p->model, i);
        if (v->graph == 0 && (p->same[i] != i || p->name[i].data))
            all[count++] =
                (struct tn_io){ .name = tn_model_value_name(p->model, i),
                                .note = "" };
    }
    return all ? tn_draft_set_values(p->draft, 0,
                                     (struct tn_io_list){ count, all }, false,
                                     p->error)
               : p->error->status;
}

static enum tn_status find_outputs(struct pairing *p)
{
    const struct tn_model *m = p->model;

    for (uint32_t g = 0; g < m->graphs.count; g++) {
        struct tn_io_list outputs = tn_model_graph_at(m, g)->outputs;
        for (uint32_t i = 0; i < outputs.count; i++) {
            uint32_t name = tn_intern_find(&m->names, outputs.items[i].name);
            uint32_t value =
                name == TN_NO_NAME ? TN_NONE : tn_model_find_value(m, g, name);
            if (value != TN_NONE)
                p->is_output[tn_model_defining_value(m, value)] = true;
        }
    }
    for (uint32_t op = 0; op < m->ops.count; op++)
        for (uint32_t i = 0; i < tn_model_op(m, op).input_count; i++)
            if (input_of(p, op, i) != TN_NONE)
                p->uses[input_of(p, op, i)]++;
    return p->error->status;
}

/* An op in a graph that sees another value of the same name cannot use it. */
static bool is_hidden(const struct pairing *p, uint32_t value, uint32_t graph)
{
    const struct tn_value *v = tn_model_value_at(p->model, value);

    while (graph != TN_NONE && graph != v->graph) {
        uint32_t there = tn_model_find_value(p->model, graph, v->name);
        if (there != TN_NONE &&
            tn_model_defining_value(p->model, there) != value)
            return true;
        graph = tn_model_graph_at(p->model, graph)->parent_graph;
    }
    return false;
}

/* By value: users in graphs inside of its own. */
static bool *find_inner_uses(struct pairing *p)
{
    bool *is_inner = tn_new(&p->arena, bool, p->model->values.count, p->error);

    for (uint32_t op = 0; is_inner && op < p->model->ops.count; op++)
        for (uint32_t i = 0; i < tn_model_op(p->model, op).input_count; i++) {
            uint32_t value = input_of(p, op, i);
            if (value != TN_NONE && tn_model_value_at(p->model, value)->graph !=
                                        tn_model_op_at(p->model, op)->graph)
                is_inner[value] = true;
        }
    return is_inner;
}

static enum tn_status take_out(struct pairing *p, enum tn_pair_kind kind,
                               uint64_t *count)
{
    bool *is_inner = find_inner_uses(p);

    for (uint32_t op = 0; is_inner && op < p->model->ops.count; op++) {
        uint32_t before = value_before(p, op, kind);
        uint32_t after =
            before == TN_NONE ? TN_NONE : tn_op_output(p->model, op, 0);
        if (after == TN_NONE)
            continue;
        before = resolve(p, before);
        /* Graphs in graphs are left alone where names may hide each other. */
        if (is_inner[after] && before != after &&
            (tn_model_value_at(p->model, before)->graph !=
                 tn_model_value_at(p->model, after)->graph ||
             is_hidden(p, before, tn_model_op_at(p->model, op)->graph)))
            continue;
        if (p->is_output[after] && !can_take_name(p, before, after))
            continue;
        if (p->is_output[after]) {
            p->name[before]      = tn_model_value_name(p->model, after);
            p->is_output[before] = true;
        }
        p->same[after]  = before;
        uint32_t middle = input_of(p, op, 0);
        if (middle != TN_NONE)
            p->uses[middle]--;
        TN_TRY(tn_draft_remove_op(p->draft, op, p->error));
        ++*count;
        /* The other half, if it was the only user. */
        uint32_t maker = producer_of(p, middle);
        if (kind != TN_PAIR_IDENTITY && maker != TN_NONE &&
            resolve(p, middle) == middle && middle != before &&
            !p->uses[middle] && !p->is_output[middle])
            TN_TRY(tn_draft_remove_op(p->draft, maker, p->error));
    }
    return p->error->status;
}

/* How many ops that stay take each value. */
static void count_uses(struct pairing *p)
{
    memset(p->uses, 0, (size_t)p->model->values.count * sizeof *p->uses);
    for (uint32_t op = 0; op < p->model->ops.count; op++)
        for (uint32_t i = 0; !tn_draft_op_at(p->draft, op)->is_removed &&
                             i < tn_model_op(p->model, op).input_count;
             i++)
            if (input_of(p, op, i) != TN_NONE)
                p->uses[resolve(p, input_of(p, op, i))]++;
}

static bool is_input(const struct pairing *p, uint32_t value)
{
    struct tn_io_list inputs = tn_model_graph_at(p->model, 0)->inputs;
    struct tn_bytes   name   = tn_model_value_name(p->model, value);

    for (uint32_t i = 0; i < inputs.count; i++)
        if (tn_bytes_equal(inputs.items[i].name, name))
            return true;
    return false;
}

/* Scales and zero points that only removed ops have taken. */
static enum tn_status drop_constants(struct pairing *p)
{
    count_uses(p);
    for (uint32_t op = 0; op < p->model->ops.count; op++) {
        if (!tn_draft_op_at(p->draft, op)->is_removed)
            continue;
        for (uint32_t i = 1; i < tn_model_op(p->model, op).input_count; i++) {
            uint32_t value = input_of(p, op, i);
            if (value == TN_NONE || p->uses[value] || p->is_output[value])
                continue;
            const struct tn_value *v     = tn_model_value_at(p->model, value);
            uint32_t               maker = producer_of(p, value);
            if (maker != TN_NONE && is_op(p, maker, "Constant") &&
                !tn_draft_op_at(p->draft, maker)->is_removed)
                TN_TRY(tn_draft_remove_op(p->draft, maker, p->error));
            if (v->kind != TN_VALUE_INITIALIZER || is_input(p, value))
                continue;
            p->uses[value] = 1; /* it goes once */
            const char *name =
                tn_text_format(&p->arena, p->error, "%.*s",
                               TN_FMT(tn_model_value_name(p->model, value)));
            if (!name)
                return p->error->status;
            TN_TRY(tn_draft_remove_tensor(p->draft, v->graph, name, p->error));
        }
    }
    return TN_OK;
}

static enum tn_status run_removal(struct pairing *p, enum tn_pair_kind kind,
                                  uint64_t *count)
{
    uint64_t values = p->model->values.count;

    p->same      = tn_new(&p->arena, uint32_t, values, p->error);
    p->name      = tn_new(&p->arena, struct tn_bytes, values, p->error);
    p->is_output = tn_new(&p->arena, bool, values, p->error);
    p->uses      = tn_new(&p->arena, uint32_t, values, p->error);
    if (tn_failed(p->error))
        return p->error->status;
    for (uint32_t i = 0; i < values; i++)
        p->same[i] = i;
    if (kind == TN_PAIR_CAST) {
        p->has_known = true;
        TN_TRY(tn_known_open(&p->known, p->draft->memory, p->model, p->error));
        TN_TRY(tn_known_infer(&p->known));
    }
    TN_TRY(find_outputs(p));
    TN_TRY(take_out(p, kind, count));
    if (!*count)
        return TN_OK;
    TN_TRY(rename_outputs(p));
    TN_TRY(rewire(p));
    TN_TRY(drop_constants(p));
    return forget_values(p);
}

enum tn_status tn_draft_remove_pairs(struct tn_draft  *draft,
                                     enum tn_pair_kind kind, uint64_t *count,
                                     struct tn_error *error)
{
    struct pairing p = { .draft = draft, .model = draft->base, .error = error };

    *count = 0;
    tn_arena_init(&p.arena, draft->memory);
    run_removal(&p, kind, count);
    if (p.has_known)
        tn_known_close(&p.known);
    tn_arena_done(&p.arena);
    return error->status;
}

/* ---- putting them in ----------------------------------------------------- */

struct inserting {
    struct tn_draft      *draft;
    const struct tn_pair *pair;
    struct tn_error      *error;
    struct tn_fresh       fresh;
    uint32_t              before; /* op                                       */
    const char           *last;   /* value                                    */
};

static enum tn_status add(struct inserting *i, const char *type,
                          const char *tail, const char *const *inputs,
                          uint32_t count, uint32_t *op)
{
    const char *made = tn_fresh_name(&i->fresh, i->pair->value, tail, i->error);
    const char *name =
        tn_fresh_name(&i->fresh, tn_text(made), "_node", i->error);

    TN_TRY(tn_draft_add_op(i->draft, 0, i->before,
                           &(struct tn_op_spec){ .name         = name,
                                                 .type         = type,
                                                 .inputs       = inputs,
                                                 .input_count  = count,
                                                 .outputs      = &made,
                                                 .output_count = 1 },
                           op, i->error));
    i->last = made;
    return TN_OK;
}

static enum tn_status add_cast(struct inserting *i, enum tn_dtype dtype)
{
    int64_t  to = (int64_t)tn_onnx_type_number(dtype);
    uint32_t op;

    TN_TRY(add(i, "Cast", "_cast", &i->last, 1, &op));
    return tn_draft_set_attr(i->draft, op, "to",
                             &(struct tn_attr_value){ .kind    = TN_ATTR_INT,
                                                      .count   = 1,
                                                      .of.ints = &to },
                             i->error);
}

/* A scalar of a few bytes. */
static enum tn_status add_scalar(struct inserting *i, const char *tail,
                                 enum tn_dtype dtype, const uint8_t *bytes,
                                 size_t size, const char **name)
{
    struct tn_arena  *arena  = i->draft->arena;
    struct tn_source *source = tn_new(arena, struct tn_source, 1, i->error);
    struct tn_bytes kept = tn_bytes_dup(arena, tn_bytes(bytes, size), i->error);
    struct tn_elements made = { .shape = { dtype, 0, NULL } };

    *name = tn_fresh_name(&i->fresh, i->pair->value, tail, i->error);
    if (!source || !kept.data || tn_failed(i->error))
        return i->error->status;
    tn_source_memory(source, i->draft->memory, kept);
    made.payload =
        tn_payload_raw(&made.shape, (struct tn_span){ source, 0, size }, 1);
    return tn_draft_add_tensor(i->draft, 0, *name, &made, i->error);
}

static enum tn_status add_qdq(struct inserting *i)
{
    const struct tn_pair *pair = i->pair;
    uint8_t               scale[4], zero = (uint8_t)pair->zero;
    uint32_t              bits, op;
    const char           *arguments[3];

    memcpy(&bits, &pair->scale, sizeof bits);
    for (int k = 0; k < 4; k++)
        scale[k] = (uint8_t)(bits >> (8 * k));
    TN_TRY(add_scalar(i, "_scale", TN_FLOAT32, scale, 4, &arguments[1]));
    TN_TRY(add_scalar(i, "_zero", pair->dtype, &zero, 1, &arguments[2]));
    arguments[0] = i->last;
    TN_TRY(add(i, "QuantizeLinear", "_quantized", arguments, 3, &op));
    arguments[0] = i->last;
    return add(i, "DequantizeLinear", "_dequantized", arguments, 3, &op);
}

static enum tn_status check_pair(struct inserting *i, enum tn_dtype dtype)
{
    const struct tn_pair *pair = i->pair;
    bool is_small = pair->dtype == TN_INT8 || pair->dtype == TN_UINT8;

    if (pair->kind == TN_PAIR_IDENTITY)
        return TN_OK;
    if (dtype == TN_UNDEFINED)
        return tn_error_set(i->error, TN_UNSUPPORTED, TN_NOWHERE,
                            "the type of '%.*s' is not known",
                            TN_FMT(pair->value));
    if (pair->kind == TN_PAIR_CAST)
        return TN_OK;
    if (dtype != TN_FLOAT32)
        return tn_error_set(i->error, TN_INVALID, TN_NOWHERE,
                            "'%.*s' is %s, and only float32 can be quantised",
                            TN_FMT(pair->value), tn_dtype_name(dtype));
    if (!is_small || !(pair->scale > 0) ||
        pair->zero < (pair->dtype == TN_INT8 ? -128 : 0) ||
        pair->zero > (pair->dtype == TN_INT8 ? 127 : 255))
        return tn_error_set(i->error, TN_INVALID, TN_NOWHERE,
                            "a scale above 0, a zero point of the type, and "
                            "int8 or uint8 are needed");
    return TN_OK;
}

static enum tn_dtype find_dtype(struct inserting *i)
{
    struct tn_known known;
    enum tn_dtype   dtype = TN_UNDEFINED;

    if (tn_known_open(&known, i->draft->memory, i->draft->base, i->error) ==
            TN_OK &&
        tn_known_infer(&known) == TN_OK) {
        uint32_t value = tn_known_find(&known, i->pair->value);
        if (value != TN_NONE)
            dtype = tn_net_value(&known.net, value).type->dtype;
    }
    tn_known_close(&known);
    return dtype;
}

/* The first op of the main graph that uses the value, or has a graph that
 * does; and how many do. */
static uint64_t find_users(struct inserting *i, uint32_t value, uint32_t *users)
{
    const struct tn_model *m     = i->draft->base;
    const struct tn_graph *main  = tn_model_graph_at(m, 0);
    uint64_t               count = 0;

    i->before = TN_NONE;
    for (uint32_t op = 0; op < m->ops.count; op++) {
        bool is_user = false;
        for (uint32_t k = 0; k < tn_model_op(m, op).input_count; k++) {
            uint32_t in = tn_op_input(m, op, k);
            is_user |= in != TN_NONE && tn_model_defining_value(m, in) == value;
        }
        if (!is_user)
            continue;
        users[count++] = op;
        uint32_t graph = tn_model_op_at(m, op)->graph, at = op;
        while (graph != 0 && graph != TN_NONE) {
            const struct tn_graph *g = tn_model_graph_at(m, graph);
            at                       = g->parent_node;
            graph                    = g->parent_graph;
            if (graph == 0)
                at += main->first_op;
        }
        if (graph == 0 && (i->before == TN_NONE || at < i->before))
            i->before = at;
    }
    return count;
}

static enum tn_status insert(struct inserting *i, uint32_t value,
                             enum tn_dtype dtype, const uint32_t *users,
                             uint64_t count)
{
    const struct tn_model *m = i->draft->base;
    uint32_t               op;

    if (i->pair->kind == TN_PAIR_IDENTITY)
        TN_TRY(add(i, "Identity", "_identity", &i->last, 1, &op));
    else if (i->pair->kind == TN_PAIR_QDQ)
        TN_TRY(add_qdq(i));
    else {
        TN_TRY(add_cast(i, i->pair->dtype));
        TN_TRY(add_cast(i, dtype));
    }
    for (uint64_t u = 0; u < count; u++)
        for (uint32_t k = 0; k < tn_model_op(m, users[u]).input_count; k++) {
            uint32_t in = tn_op_input(m, users[u], k);
            if (in != TN_NONE && tn_model_defining_value(m, in) == value)
                TN_TRY(tn_draft_set_input(i->draft, users[u], k, i->last,
                                          i->error));
        }
    return TN_OK;
}

static enum tn_status run_insertion(struct inserting *i, struct tn_arena *arena)
{
    const struct tn_model *m    = i->draft->base;
    uint32_t               name = tn_intern_find(&m->names, i->pair->value);
    uint32_t               value =
        name == TN_NO_NAME ? TN_NONE : tn_model_find_value(m, 0, name);
    uint32_t *users = tn_new(arena, uint32_t, m->ops.count, i->error);

    if (!users)
        return i->error->status;
    if (value == TN_NONE)
        return tn_error_set(i->error, TN_NOT_FOUND, TN_NOWHERE,
                            "the main graph has no value '%.*s'",
                            TN_FMT(i->pair->value));
    uint64_t count = find_users(i, value, users);
    if (!count)
        return tn_error_set(i->error, TN_INVALID, TN_NOWHERE,
                            "no node uses '%.*s'", TN_FMT(i->pair->value));
    enum tn_dtype dtype = find_dtype(i);
    if (tn_failed(i->error))
        return i->error->status;
    TN_TRY(check_pair(i, dtype));
    i->last =
        (const char *)tn_bytes_dup(i->draft->arena, i->pair->value, i->error)
            .data;
    return i->last ? insert(i, value, dtype, users, count) : i->error->status;
}

enum tn_status tn_draft_insert_pair(struct tn_draft      *draft,
                                    const struct tn_pair *pair,
                                    struct tn_error      *error)
{
    struct inserting i = { .draft = draft, .pair = pair, .error = error };
    struct tn_arena  arena;

    tn_arena_init(&arena, draft->memory);
    tn_fresh_init(&i.fresh, draft->base, draft->arena);
    run_insertion(&i, &arena);
    tn_fresh_done(&i.fresh);
    tn_arena_done(&arena);
    return error->status;
}
