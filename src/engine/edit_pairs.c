/*
 * edit_pairs.c - inserts and removes nodes that change little or nothing
 *
 * When a node is removed, its users take its input instead.  If its output is
 * an output of the graph, the op before it gets that name instead, if results
 * have names of their own.
 *
 * A value may have two names ("x" and "x:0" in TensorFlow): here it is always
 * the output of its op.  Variables that are written more than once (Paddle) are
 * left alone.
 */
#include "engine/edit_pairs.h"

#include "engine/edit_known.h"
#include "engine/edit_pair_ops.h"
#include "ir/dialect_facts.h"

#include <inttypes.h>

struct pairing {
    struct tn_draft       *draft;
    const struct tn_model *model;
    struct tn_error       *error;
    struct tn_arena        arena;
    uint32_t        *same; /* by value: the value that it is, or itself      */
    struct tn_bytes *name; /* by value: its name now; .data NULL: as before  */
    bool            *is_output; /* by value: of a graph                       */
    bool            *is_given; /* by value: callers of a signature give it    */
    uint32_t        *uses;     /* by value: by ops                           */
    bool            *is_fixed; /* by value: written again, or waited for     */
    const struct tn_pair_ops      *words;
    const struct tn_dialect_facts *facts;
    struct tn_known                known;
    bool                           has_known;
};

/* Values have the names of the ops that make them (TensorFlow). */
static bool names_ops(const struct tn_dialect_facts *facts)
{
    return !facts->lists_io && !facts->names_io && !facts->has_inputs_as_ops;
}

static bool is_op(const struct pairing *p, uint32_t op, const char *type)
{
    const struct tn_op_info info = tn_model_op(p->model, op);

    return type && tn_bytes_is(info.type, type) &&
           (!info.domain.size ||
            (p->facts->own_domain &&
             tn_bytes_is(info.domain, p->facts->own_domain)));
}

static bool is_both(const struct pairing *p, uint32_t op)
{
    for (const char *const *type = p->words->both; *type; type++)
        if (is_op(p, op, *type))
            return true;
    return false;
}

/* The output of the op, or the value that the graph defines. */
static uint32_t own_value(const struct tn_model *model, uint32_t value)
{
    if (value == TN_NONE)
        return TN_NONE;
    value                    = tn_model_defining_value(model, value);
    const struct tn_value *v = tn_model_value_at(model, value);
    if (v->producer == TN_NONE ||
        v->output >= tn_model_op(model, v->producer).output_count)
        return value;
    uint32_t made = tn_op_output(model, v->producer, v->output);
    return made == TN_NONE ? value : made;
}

/* Inputs without those that are only waited for. */
static uint32_t data_count(const struct tn_model *model, uint32_t op)
{
    const struct tn_op *row = tn_model_op_at(model, op);

    return row->input_count - row->control_count;
}

/* The value that an op takes; TN_NONE: none. */
static uint32_t input_of(const struct pairing *p, uint32_t op, uint32_t index)
{
    return index < data_count(p->model, op)
               ? own_value(p->model, tn_op_input(p->model, op, index))
               : TN_NONE;
}

/* Which input of an op is the one that it copies: of slots, the one called X.
 * TN_NONE: not known. */
static uint32_t main_input(const struct pairing *p, uint32_t op)
{
    const struct tn_op *row   = tn_model_op_at(p->model, op);
    uint32_t            count = 0, index = 0;
    struct tn_bytes     name;

    if (!p->model->dialect->next_slot || row->input_count == 1)
        return 0;
    if (!row->wire_length || row->first_attr != TN_NONE)
        return TN_NONE;
    struct tn_cursor node =
        tn_cursor_span(tn_model_op_wire(p->model, row), p->error);
    while (p->model->dialect->next_slot(&node, false, &name, &count)) {
        if (tn_bytes_is(name, "X"))
            return count == 1 ? index : TN_NONE;
        index += count;
    }
    return TN_NONE;
}

static uint32_t producer_of(const struct pairing *p, uint32_t value)
{
    return value == TN_NONE ? TN_NONE
                            : tn_model_value_at(p->model, value)->producer;
}

/* ---- which nodes may be removed ------------------------------------------ */

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

static uint32_t quantised_value(const struct pairing *p, uint32_t op,
                                uint32_t before)
{
    if (is_both(p, op))
        return input_of(p, op, 0);
    if (!is_op(p, op, p->words->dequantize) || before == TN_NONE ||
        !is_op(p, before, p->words->quantize))
        return TN_NONE;
    uint32_t from = main_input(p, before);
    return from == TN_NONE ? TN_NONE : input_of(p, before, from);
}

/* The value that replaces the results of an op; TN_NONE: the op stays. */
static uint32_t value_before(struct pairing *p, uint32_t op,
                             enum tn_pair_kind kind)
{
    uint32_t from   = main_input(p, op);
    uint32_t in     = from == TN_NONE ? TN_NONE : input_of(p, op, from);
    uint32_t before = producer_of(p, in);

    if (in == TN_NONE || tn_model_op(p->model, op).output_count != 1 ||
        tn_model_op_at(p->model, op)->control_count)
        return TN_NONE;
    if (kind == TN_PAIR_IDENTITY)
        return is_op(p, op, p->words->copy) ? in : TN_NONE;
    if (kind == TN_PAIR_QDQ)
        return quantised_value(p, op, before);
    if (!is_op(p, op, p->words->cast))
        return TN_NONE;
    enum tn_dtype to = dtype_of(p, tn_op_output(p->model, op, 0));
    if (to != TN_UNDEFINED && dtype_of(p, in) == to)
        return in;
    if (before == TN_NONE || !is_op(p, before, p->words->cast))
        return TN_NONE;
    uint32_t first = input_of(p, before, 0);
    return to != TN_UNDEFINED && first != TN_NONE && dtype_of(p, first) == to &&
                   holds(dtype_of(p, in), to)
               ? first
               : TN_NONE;
}

/* Follows a chain of copies to its end, and shortens the chain on the way. */
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

    return v->kind == TN_VALUE_OUTPUT && !names_ops(p->facts) &&
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
        uint32_t count = data_count(p->model, op);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t value = input_of(p, op, i);
            if (value == TN_NONE ||
                (resolve(p, value) == value && !p->name[value].data))
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

/* Declarations of values that were replaced. */
static enum tn_status forget_values(struct pairing *p)
{
    if (!p->facts->lists_io)
        return TN_OK;
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

/* Signatures call the first output of "x" "x:0". */
static uint32_t value_called(const struct pairing *p, uint32_t graph,
                             struct tn_bytes name)
{
    uint32_t value = tn_model_find_named(p->model, graph, name);

    if (value == TN_NONE && tn_bytes_ends_with(name, ":0"))
        value = tn_model_find_named(p->model, graph,
                                    tn_bytes(name.data, name.size - 2));
    return value;
}

static void mark_outputs(struct pairing *p, uint32_t graph,
                         struct tn_io_list outputs)
{
    const struct tn_model *m = p->model;

    for (uint32_t i = 0; i < outputs.count; i++) {
        uint32_t value = value_called(p, graph, outputs.items[i].name);
        if (value == TN_NONE)
            continue;
        value               = own_value(m, value);
        p->is_output[value] = true;
        /* It would only add one more value that nothing uses. */
        p->is_fixed[value] |= outputs.items[i].is_guessed;
    }
}

/* An input of a signature may be the result of an op. */
static void mark_given(struct pairing *p, uint32_t graph,
                       struct tn_io_list inputs)
{
    for (uint32_t i = 0; i < inputs.count; i++) {
        uint32_t value = value_called(p, graph, inputs.items[i].name);
        if (value != TN_NONE)
            p->is_given[own_value(p->model, value)] = true;
    }
}

static void find_outputs(struct pairing *p)
{
    const struct tn_model *m = p->model;

    for (uint32_t g = 0; g < m->graphs.count; g++)
        mark_outputs(p, g, tn_model_graph_at(m, g)->outputs);
    for (uint32_t i = 0; i < tn_model_signature_count(m); i++) {
        uint32_t graph = m->signature_graphs ? m->signature_graphs[i] : 0;
        mark_outputs(p, graph, tn_model_signature(m, i)->outputs);
        mark_given(p, graph, tn_model_signature(m, i)->inputs);
    }
}

/* Counts users, and finds what is written again or only waited for. */
static void find_users(struct pairing *p)
{
    const struct tn_model *m = p->model;

    for (uint32_t op = 0; op < m->ops.count; op++) {
        const struct tn_op *row = tn_model_op_at(m, op);
        for (uint32_t i = 0; i < row->input_count; i++) {
            uint32_t value = own_value(m, tn_op_input(m, op, i));
            if (value == TN_NONE)
                continue;
            p->uses[value]++;
            p->is_fixed[value] |= i >= data_count(m, op);
        }
        for (uint32_t i = 0; i < row->output_count; i++) {
            uint32_t value = own_value(m, tn_op_output(m, op, i));
            if (value != TN_NONE)
                p->is_fixed[value] |=
                    tn_model_value_at(m, value)->producer != op;
        }
    }
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
        for (uint32_t i = 0; i < data_count(p->model, op); i++) {
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
        if (p->is_fixed[after] || p->is_fixed[before] || p->is_given[after])
            continue;
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
        uint32_t middle = input_of(p, op, main_input(p, op));
        if (middle != TN_NONE)
            p->uses[middle]--;
        TN_TRY(tn_draft_remove_op(p->draft, op, p->error));
        ++*count;
        /* Removes the other half, if it was the only user. */
        uint32_t maker = producer_of(p, middle);
        if (kind != TN_PAIR_IDENTITY && maker != TN_NONE &&
            resolve(p, middle) == middle && middle != before &&
            !p->uses[middle] && !p->is_output[middle])
            TN_TRY(tn_draft_remove_op(p->draft, maker, p->error));
    }
    return p->error->status;
}

/* How many remaining ops use each value. */
static void count_uses(struct pairing *p)
{
    memset(p->uses, 0, (size_t)p->model->values.count * sizeof *p->uses);
    for (uint32_t op = 0; op < p->model->ops.count; op++)
        for (uint32_t i = 0; !tn_draft_op_at(p->draft, op)->is_removed &&
                             i < data_count(p->model, op);
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

static bool is_constant(const struct pairing *p, uint32_t op)
{
    return is_op(p, op, "Constant") || is_op(p, op, "Const");
}

/* Scales and zero points that only removed ops used. */
static enum tn_status drop_constants(struct pairing *p)
{
    count_uses(p);
    for (uint32_t op = 0; op < p->model->ops.count; op++) {
        if (!tn_draft_op_at(p->draft, op)->is_removed)
            continue;
        uint32_t copied = main_input(p, op);
        for (uint32_t i = 0; i < data_count(p->model, op); i++) {
            uint32_t value = i == copied ? TN_NONE : input_of(p, op, i);
            if (value == TN_NONE || p->uses[value] || p->is_output[value] ||
                p->is_fixed[value])
                continue;
            const struct tn_value *v     = tn_model_value_at(p->model, value);
            uint32_t               maker = producer_of(p, value);
            if (maker != TN_NONE && is_constant(p, maker) &&
                !tn_draft_op_at(p->draft, maker)->is_removed)
                TN_TRY(tn_draft_remove_op(p->draft, maker, p->error));
            if (v->kind != TN_VALUE_INITIALIZER || is_input(p, value))
                continue;
            p->uses[value] = 1; /* it is removed only once */
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

static enum tn_status expect_kind(const struct pairing *p,
                                  enum tn_pair_kind     kind)
{
    const struct tn_pair_ops *words = p->words;

    if (kind == TN_PAIR_IDENTITY ? words->copy != NULL
        : kind == TN_PAIR_CAST
            ? words->cast != NULL
            : words->quantize != NULL || words->both[0] != NULL)
        return TN_OK;
    return tn_error_set(p->error, TN_UNSUPPORTED, TN_NOWHERE,
                        "%s has no operator that %s", p->facts->title,
                        kind == TN_PAIR_IDENTITY ? "copies a value"
                        : kind == TN_PAIR_CAST   ? "casts"
                                                 : "quantises");
}

static enum tn_status run_removal(struct pairing *p, enum tn_pair_kind kind,
                                  uint64_t *count)
{
    uint64_t values = p->model->values.count;

    p->same      = tn_new(&p->arena, uint32_t, values, p->error);
    p->name      = tn_new(&p->arena, struct tn_bytes, values, p->error);
    p->is_output = tn_new(&p->arena, bool, values, p->error);
    p->is_given  = tn_new(&p->arena, bool, values, p->error);
    p->uses      = tn_new(&p->arena, uint32_t, values, p->error);
    p->is_fixed  = tn_new(&p->arena, bool, values, p->error);
    if (tn_failed(p->error))
        return p->error->status;
    for (uint32_t i = 0; i < values; i++)
        p->same[i] = i;
    if (kind == TN_PAIR_CAST) {
        p->has_known = true;
        TN_TRY(tn_known_open(&p->known, p->draft->memory, p->model, p->error));
        TN_TRY(tn_known_infer(&p->known));
    }
    find_outputs(p);
    find_users(p);
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
    struct pairing p = { .draft = draft,
                         .model = draft->base,
                         .words = tn_pair_ops_of(draft->dialect),
                         .facts = tn_dialect_facts(draft->dialect->name),
                         .error = error };

    *count = 0;
    TN_TRY(expect_kind(&p, kind));
    tn_arena_init(&p.arena, draft->memory);
    run_removal(&p, kind, count);
    if (p.has_known)
        tn_known_close(&p.known);
    tn_arena_done(&p.arena);
    return error->status;
}

/* ---- putting them in ----------------------------------------------------- */

struct inserting {
    struct tn_draft               *draft;
    const struct tn_pair          *pair;
    const struct tn_pair_ops      *words;
    const struct tn_dialect_facts *facts;
    struct tn_error               *error;
    struct tn_fresh                fresh;
    struct tn_bytes                stem;   /* of the names of what is added   */
    struct tn_io                   type;   /* of the value, as far as known   */
    uint32_t                       before; /* op                              */
    const char                    *last;   /* value                           */
};

/* In files that declare the type of every value, this one is declared, too. */
static enum tn_status declare(struct inserting *i, enum tn_dtype dtype)
{
    struct tn_io io = i->type;

    if (i->facts->lists_io || !i->facts->types_values)
        return TN_OK;
    io.name  = tn_text(i->last);
    io.dtype = dtype;
    io.note  = "";
    return tn_draft_set_values(i->draft, 0, (struct tn_io_list){ 1, &io },
                               false, i->error);
}

static enum tn_status add(struct inserting *i, const char *type,
                          const char *tail, const char *const *inputs,
                          uint32_t count, uint32_t *op)
{
    const char *made     = tn_fresh_name(&i->fresh, i->stem, tail, i->error);
    bool        is_named = names_ops(i->facts);
    const char *name =
        is_named ? made
                 : tn_fresh_name(&i->fresh, tn_text(made), "_node", i->error);

    TN_TRY(tn_draft_add_op(i->draft, 0, i->before,
                           &(struct tn_op_spec){ .name         = name,
                                                 .type         = type,
                                                 .inputs       = inputs,
                                                 .input_count  = count,
                                                 .outputs      = &made,
                                                 .output_count = !is_named },
                           op, i->error));
    i->last = made;
    return TN_OK;
}

static enum tn_status add_cast(struct inserting *i, enum tn_dtype from,
                               enum tn_dtype to)
{
    uint32_t op;

    TN_TRY(add(i, i->words->cast, "_cast", &i->last, 1, &op));
    TN_TRY(tn_pair_describe(i->draft, op, from, to, i->error));
    return declare(i, to);
}

static enum tn_status add_copy(struct inserting *i)
{
    uint32_t op;

    TN_TRY(add(i, i->words->copy, "_identity", &i->last, 1, &op));
    TN_TRY(
        tn_pair_describe(i->draft, op, i->type.dtype, i->type.dtype, i->error));
    return declare(i, i->type.dtype);
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

    *name = tn_fresh_name(&i->fresh, i->stem, tail, i->error);
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

static enum tn_status expect_words(struct inserting *i)
{
    bool is_there = i->pair->kind == TN_PAIR_IDENTITY ? i->words->copy != NULL
                    : i->pair->kind == TN_PAIR_CAST   ? i->words->cast != NULL
                                                      : i->facts->lists_io;

    if (is_there)
        return TN_OK;
    return tn_error_set(i->error, TN_UNSUPPORTED, TN_NOWHERE,
                        i->pair->kind == TN_PAIR_QDQ
                            ? "this works on ONNX models only, not on %s: "
                              "convert the model first, by 'tenon convert'"
                            : "%s has no operator that does this",
                        i->facts->title);
}

static enum tn_status check_pair(struct inserting *i)
{
    const struct tn_pair *pair  = i->pair;
    enum tn_dtype         dtype = i->type.dtype;
    bool is_small = pair->dtype == TN_INT8 || pair->dtype == TN_UINT8;
    bool is_typed = pair->kind != TN_PAIR_IDENTITY || names_ops(i->facts) ||
                    (i->facts->types_values && !i->facts->lists_io);

    if (!is_typed)
        return TN_OK;
    if (dtype == TN_UNDEFINED)
        return tn_error_set(i->error, TN_UNSUPPORTED, TN_NOWHERE,
                            "the type of '%.*s' is not known",
                            TN_FMT(pair->value));
    if (pair->kind != TN_PAIR_QDQ)
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

static void find_type(struct inserting *i)
{
    struct tn_known known;

    i->type = (struct tn_io){ .note = "" };
    if (tn_known_open(&known, i->draft->memory, i->draft->base, i->error) ==
            TN_OK &&
        tn_known_infer(&known) == TN_OK)
        i->type =
            tn_known_io(&known, i->pair->value, i->draft->arena, i->error);
    tn_known_close(&known);
}

/* Returning a value from a program is not a use (Paddle): an output keeps its
 * name. */
static bool takes(const struct inserting *i, uint32_t op, uint32_t index,
                  uint32_t value)
{
    const struct tn_model *m = i->draft->base;

    return own_value(m, tn_op_input(m, op, index)) == value &&
           !(i->facts->has_inputs_as_ops &&
             tn_bytes_is(tn_model_op(m, op).type, "fetch"));
}

/* The first op of the main graph that uses the value, or has a graph that
 * does; and how many do. */
static uint64_t find_takers(struct inserting *i, uint32_t value,
                            uint32_t *users)
{
    const struct tn_model *m     = i->draft->base;
    const struct tn_graph *main  = tn_model_graph_at(m, 0);
    uint64_t               count = 0;

    i->before = TN_NONE;
    for (uint32_t op = 0; op < m->ops.count; op++) {
        bool is_user = false;
        for (uint32_t k = 0; k < data_count(m, op); k++)
            is_user |= takes(i, op, k, value);
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
                             const uint32_t *users, uint64_t count)
{
    const struct tn_model *m = i->draft->base;

    if (i->pair->kind == TN_PAIR_IDENTITY)
        TN_TRY(add_copy(i));
    else if (i->pair->kind == TN_PAIR_QDQ)
        TN_TRY(add_qdq(i));
    else {
        TN_TRY(add_cast(i, i->type.dtype, i->pair->dtype));
        TN_TRY(add_cast(i, i->pair->dtype, i->type.dtype));
    }
    for (uint64_t u = 0; u < count; u++)
        for (uint32_t k = 0; k < data_count(m, users[u]); k++)
            if (takes(i, users[u], k, value))
                TN_TRY(tn_draft_set_input(i->draft, users[u], k, i->last,
                                          i->error));
    return TN_OK;
}

static enum tn_status expect_one_writer(struct inserting *i, uint32_t value)
{
    const struct tn_model *m = i->draft->base;

    for (uint32_t op = 0; op < m->ops.count; op++)
        for (uint32_t k = 0; k < tn_model_op(m, op).output_count; k++)
            if (own_value(m, tn_op_output(m, op, k)) == value &&
                tn_model_value_at(m, value)->producer != op)
                return tn_error_set(
                    i->error, TN_UNSUPPORTED, TN_NOWHERE,
                    "several operators write '%.*s': choose a value before or "
                    "after it",
                    TN_FMT(i->pair->value));
    return TN_OK;
}

static enum tn_status run_insertion(struct inserting *i, struct tn_arena *arena)
{
    const struct tn_model *m     = i->draft->base;
    uint32_t               value = tn_model_find_named(m, 0, i->pair->value);
    uint32_t *users = tn_new(arena, uint32_t, m->ops.count, i->error);

    if (!users)
        return i->error->status;
    if (value == TN_NONE)
        return tn_error_set(i->error, TN_NOT_FOUND, TN_NOWHERE,
                            "the main graph has no value '%.*s'",
                            TN_FMT(i->pair->value));
    value          = own_value(m, value);
    uint64_t count = find_takers(i, value, users);
    if (!count)
        return tn_error_set(i->error, TN_INVALID, TN_NOWHERE,
                            "no node uses '%.*s'", TN_FMT(i->pair->value));
    TN_TRY(expect_one_writer(i, value));
    find_type(i);
    if (tn_failed(i->error))
        return i->error->status;
    TN_TRY(check_pair(i));
    const struct tn_value *v = tn_model_value_at(m, value);
    i->stem                  = names_ops(i->facts) && v->producer != TN_NONE
                                   ? tn_model_op(m, v->producer).name
                                   : i->pair->value;
    i->last =
        (const char *)tn_bytes_dup(i->draft->arena, i->pair->value, i->error)
            .data;
    return i->last ? insert(i, value, users, count) : i->error->status;
}

enum tn_status tn_draft_insert_pair(struct tn_draft      *draft,
                                    const struct tn_pair *pair,
                                    struct tn_error      *error)
{
    struct inserting i = { .draft = draft,
                           .pair  = pair,
                           .words = tn_pair_ops_of(draft->dialect),
                           .facts = tn_dialect_facts(draft->dialect->name),
                           .stem  = pair->value,
                           .error = error };
    struct tn_arena  arena;

    TN_TRY(expect_words(&i));
    tn_arena_init(&arena, draft->memory);
    tn_fresh_init(&i.fresh, draft->base, draft->arena);
    run_insertion(&i, &arena);
    tn_fresh_done(&i.fresh);
    tn_arena_done(&arena);
    return error->status;
}
