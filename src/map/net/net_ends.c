/*
 * net_ends.c - where a net begins and ends
 *
 * Of the main graph: what the caller names; else what a signature names, by
 * the names of its arguments; else what the model says.  The world's name of an
 * end is the one that it was asked for by: "Add:0" stays "Add:0", though the
 * value is called "Add".  Other graphs have their own ends.
 */
#include <inttypes.h>

#include "map/net/net_build.h"
#include "map/net/net_load.h"
#include "map/net/net_loading.h"

/* One end as it is asked for. */
struct wanted {
    struct tn_bytes     value; /* how the model calls it                     */
    struct tn_bytes     name;  /* how the world does                         */
    const struct tn_io *type;  /* what is known of it; may be NULL           */
    bool                is_given; /* by the caller                           */
};

static enum tn_net_wrap wrap_of(const char *note)
{
    if (note && strcmp(note, "sequence") == 0)
        return TN_NET_SEQUENCE;
    if (note && strcmp(note, "optional") == 0)
        return TN_NET_OPTIONAL;
    return TN_NET_TENSOR;
}

/* False on failure. */
static bool type_of(struct tn_net *net, const struct tn_io *end,
                    struct tn_net_type *type)
{
    int64_t         *dims = tn_new(net->arena, int64_t, end->rank, net->error);
    struct tn_bytes *symbols =
        tn_new(net->arena, struct tn_bytes, end->rank, net->error);

    if (!dims || !symbols)
        return false;
    for (uint32_t i = 0; i < end->rank; i++) {
        dims[i]    = end->dims[i].value;
        symbols[i] = end->dims[i].symbol;
    }
    *type = (struct tn_net_type){ .dtype    = end->dtype,
                                  .wrap     = wrap_of(end->note),
                                  .has_rank = end->has_rank,
                                  .rank     = end->rank,
                                  .dims     = dims,
                                  .symbols  = end->has_rank ? symbols : NULL };
    return true;
}

void tn_net_load_type(struct tn_net *net, uint32_t value,
                      const struct tn_io *end)
{
    struct tn_net_type type;

    if (type_of(net, end, &type))
        tn_net_set_type(net, value, &type);
}

/* ---- values by name ----------------------------------------------------- */

static uint32_t find_named(const struct tn_net_loading *l, uint32_t graph,
                           struct tn_bytes name)
{
    uint32_t id = tn_intern_find(&l->model->names, name);

    return id == TN_NO_NAME ? TN_NONE
                            : tn_model_find_value(l->model, graph, id);
}

/* In the graph or around it. */
static uint32_t find_in_scope(const struct tn_net_loading *l, uint32_t graph,
                              struct tn_bytes name)
{
    uint32_t found = TN_NONE;

    for (uint64_t left = l->model->graphs.count;
         left && found == TN_NONE && graph != TN_NONE; left--) {
        found = find_named(l, graph, name);
        graph = tn_model_graph_at(l->model, graph)->parent_graph;
    }
    return found;
}

/* "split:2" is output 2 of what is called "split"; false: no such form. */
static bool cut_output(struct tn_bytes name, struct tn_bytes *base,
                       uint32_t *output)
{
    size_t at = name.size;

    while (at && name.data[at - 1] >= '0' && name.data[at - 1] <= '9')
        at--;
    if (at == name.size || name.size - at > 5 || at < 2 ||
        name.data[at - 1] != ':')
        return false;
    *base   = tn_bytes(name.data, at - 1);
    *output = 0;
    for (; at < name.size; at++)
        *output = *output * 10 + (uint32_t)(name.data[at] - '0');
    return true;
}

/* As it is written, or "x" for "x:0". */
static uint32_t find_end(const struct tn_net_loading *l, uint32_t graph,
                         struct tn_bytes name)
{
    uint32_t        found = find_in_scope(l, graph, name);
    struct tn_bytes base;
    uint32_t        output;

    if (found == TN_NONE && cut_output(name, &base, &output) && output == 0)
        found = find_in_scope(l, graph, base);
    return found;
}

/* ---- which ends --------------------------------------------------------- */

static bool is_callable(const struct tn_signature *signature)
{
    return signature->name.size < 2 ||
           memcmp(signature->name.data, "__", 2) != 0;
}

/* What nobody consumes in a SavedModel is what saves and restores it. */
static bool is_callable_only(const struct tn_net_loading *l)
{
    return !l->ends->output_count && l->model->is_called_by_signature;
}

/* NULL without a failure: the model has none. */
static const struct tn_signature *choose_signature(struct tn_net_loading *l)
{
    const char *wish =
        l->ends->signature ? l->ends->signature : "serving_default";
    const struct tn_signature *only  = NULL;
    uint32_t                   count = 0;

    for (uint32_t i = 0; i < l->model->signatures.count; i++) {
        const struct tn_signature *s =
            tn_list_at(&l->model->signatures, struct tn_signature, i);
        if (tn_bytes_is(s->name, wish))
            return s;
        if (is_callable(s)) {
            only = s;
            count++;
        }
    }
    if (l->ends->signature)
        tn_error_because(l->net->error, TN_INVALID, TN_REASON_UNKNOWN_SIGNATURE,
                         TN_NOWHERE, "unknown signature '%s'",
                         l->ends->signature);
    else if (count > 1)
        tn_error_because(l->net->error, TN_INVALID,
                         TN_REASON_SEVERAL_SIGNATURES, TN_NOWHERE,
                         "the model has %" PRIu32
                         " signatures, none of them serving_default: choose "
                         "one, or choose inputs and outputs",
                         count);
    else if (count == 0 && is_callable_only(l))
        tn_error_because(
            l->net->error, TN_INVALID, TN_REASON_NO_SIGNATURE, TN_NOWHERE,
            "the model has no signature: choose inputs and outputs");
    return count == 1 && !tn_failed(l->net->error) ? only : NULL;
}

/* What the model says of the value that is called so. */
static const struct tn_io *find_type(const struct tn_net_loading *l,
                                     struct tn_bytes name, bool is_input)
{
    const struct tn_graph *main   = tn_model_graph_at(l->model, 0);
    struct tn_io_list      ends   = is_input ? main->inputs : main->outputs;
    uint32_t               output = 0;
    struct tn_bytes        base   = name;

    if (!cut_output(name, &base, &output) || output)
        base = name;
    for (uint32_t i = 0; i < ends.count; i++)
        if (tn_bytes_equal(ends.items[i].name, name) ||
            tn_bytes_equal(ends.items[i].name, base))
            return &ends.items[i];
    return NULL;
}

static struct wanted *take_given(struct tn_net_loading *l,
                                 const char *const *names, uint32_t count,
                                 bool is_input)
{
    struct wanted *wanted =
        tn_new(&l->scratch, struct wanted, count, l->net->error);

    for (uint32_t i = 0; wanted && i < count; i++)
        wanted[i] =
            (struct wanted){ tn_text(names[i]), tn_text(names[i]),
                             find_type(l, tn_text(names[i]), is_input), true };
    return wanted;
}

static struct wanted *take_ends(struct tn_net_loading *l,
                                struct tn_io_list ends, bool has_keys)
{
    struct wanted *wanted =
        tn_new(&l->scratch, struct wanted, ends.count, l->net->error);

    for (uint32_t i = 0; wanted && i < ends.count; i++) {
        const struct tn_io *end = &ends.items[i];
        wanted[i] =
            (struct wanted){ end->name,
                             has_keys && end->key.size ? end->key : end->name,
                             end, false };
    }
    return wanted;
}

/* The ends of the main graph that are wanted; NULL on failure. */
static struct wanted *want(struct tn_net_loading *l, bool is_input,
                           uint32_t *count)
{
    const struct tn_net_io    *e = l->ends;
    const struct tn_signature *signature;

    *count = is_input ? e->input_count : e->output_count;
    if (*count)
        return take_given(l, is_input ? e->inputs : e->outputs, *count,
                          is_input);
    bool other_given = is_input ? e->output_count : e->input_count;
    signature = other_given && !e->signature ? NULL : choose_signature(l);
    if (tn_failed(l->net->error))
        return NULL;
    if (signature)
        l->net->signature = signature->name;
    struct tn_io_list ends = signature && is_input ? signature->inputs
                             : signature           ? signature->outputs
                             : is_input
                                 ? tn_model_graph_at(l->model, 0)->inputs
                                 : tn_model_graph_at(l->model, 0)->outputs;
    *count                 = ends.count;
    return take_ends(l, ends, signature != NULL);
}

/* ---- inputs ------------------------------------------------------------- */

/* "words@lod": where the sequences of an input of Paddle begin, which is beside
 * the tensor there. */
static bool is_offsets(const struct tn_net_loading *l, struct tn_bytes name)
{
    static const char  suffix[] = "@lod";
    struct tn_declared told;
    size_t             tail = sizeof suffix - 1;

    return l->home && name.size > tail &&
           !memcmp(name.data + name.size - tail, suffix, tail) &&
           l->model->dialect->declared(
               l->model, 0, tn_bytes(name.data, name.size - tail), &told) &&
           told.levels == 1;
}

static void type_offsets(struct tn_net *net, uint32_t value)
{
    static const int64_t open[] = { -1 };

    tn_net_set_type(
        net, value,
        &(struct tn_net_type){
            .dtype = TN_INT64, .has_rank = true, .rank = 1, .dims = open });
}

static void add_input(struct tn_net_loading *l, uint32_t graph,
                      const struct wanted *w)
{
    uint32_t value = find_end(l, graph, w->value);
    uint32_t id = value == TN_NONE ? tn_net_add_value(l->net, graph, w->value)
                                   : l->now[value];

    if (id == TN_NONE || tn_failed(l->net->error))
        return;
    if (tn_net_value(l->net, id).constant && !w->is_given)
        return; /* it has a default, which stands */
    if (value != TN_NONE && l->is_cut[value]) {
        tn_error_set(l->net->error, TN_INVALID, TN_NOWHERE,
                     "'%.*s' is given twice as an input", TN_FMT(w->name));
        return;
    }
    if (value != TN_NONE)
        l->is_cut[value] = true;
    if (tn_net_value(l->net, id).constant)
        tn_net_set_producer(l->net, id, TN_NONE, 0);
    if (w->type)
        tn_net_load_type(l->net, id, w->type);
    else if (value == TN_NONE && is_offsets(l, w->value))
        type_offsets(l->net, id);
    tn_net_add_input(l->net, graph, id, w->name);
}

static enum tn_status check_given(struct tn_net_loading *l,
                                  const struct wanted   *w)
{
    struct tn_bytes base = w->value;
    uint32_t        output;

    if (!w->is_given || find_end(l, 0, w->value) != TN_NONE ||
        is_offsets(l, w->value))
        return TN_OK;
    if (cut_output(w->value, &base, &output) &&
        find_named(l, 0, base) != TN_NONE)
        return TN_OK;
    return tn_error_because(
        l->net->error, TN_INVALID, TN_REASON_UNKNOWN_INPUT, TN_NOWHERE,
        "the graph has no value '%.*s' to use as an input", TN_FMT(w->name));
}

enum tn_status tn_net_load_inputs(struct tn_net_loading *l)
{
    uint32_t       count;
    struct wanted *wanted = want(l, true, &count);

    for (uint32_t i = 0; wanted && i < count && !tn_failed(l->net->error); i++)
        if (check_given(l, &wanted[i]) == TN_OK)
            add_input(l, 0, &wanted[i]);
    for (uint32_t g = 1; g < l->model->graphs.count; g++) {
        struct tn_io_list ends = tn_model_graph_at(l->model, g)->inputs;
        wanted                 = take_ends(l, ends, false);
        for (uint32_t i = 0; wanted && i < ends.count; i++)
            if (ends.items[i].name.size && !tn_failed(l->net->error))
                add_input(l, g, &wanted[i]);
    }
    return l->net->error->status;
}

/* ---- outputs ------------------------------------------------------------ */

/* The node has more outputs than were known. */
static void grow_outputs(struct tn_net *net, uint32_t node, uint32_t count)
{
    const struct tn_net_node n = tn_net_node(net, node);
    uint32_t *outputs = tn_new(net->arena, uint32_t, count, net->error);

    if (!outputs)
        return;
    memset(outputs, 0xff, count * sizeof *outputs);
    if (n.output_count)
        memcpy(outputs, n.outputs, n.output_count * sizeof *outputs);
    tn_net_set_outputs(net, node, outputs, count);
}

/* An output that nobody has named before: "split:2". */
static uint32_t make_output(struct tn_net_loading *l, struct tn_bytes name)
{
    struct tn_bytes base;
    uint32_t        output, value;

    if (!cut_output(name, &base, &output))
        return TN_NONE;
    value         = find_named(l, 0, base);
    uint32_t op   = value == TN_NONE
                        ? TN_NONE
                        : tn_model_value_at(l->model, value)->producer;
    uint32_t node = op == TN_NONE ? TN_NONE : l->nodes[op];
    if (node == TN_NONE)
        return TN_NONE;
    if (output >= tn_net_node(l->net, node).output_count)
        grow_outputs(l->net, node, output + 1);
    uint32_t made = tn_net_add_value(l->net, 0, name);
    if (tn_failed(l->net->error) || made == TN_NONE)
        return TN_NONE;
    tn_net_set_output(l->net, node, output, made);
    return made;
}

static void add_output(struct tn_net_loading *l, uint32_t graph,
                       const struct wanted *w)
{
    uint32_t value = find_end(l, graph, w->value);
    uint32_t id    = value != TN_NONE ? l->now[value]
                     : graph == 0     ? make_output(l, w->value)
                                      : TN_NONE;

    if (tn_failed(l->net->error))
        return;
    if (id == TN_NONE) {
        tn_error_because(l->net->error, w->is_given ? TN_INVALID : TN_MALFORMED,
                         TN_REASON_UNKNOWN_OUTPUT, TN_NOWHERE,
                         "the graph has no output '%.*s'", TN_FMT(w->name));
        return;
    }
    const struct tn_net_value v = tn_net_value(l->net, id);
    struct tn_net_type        told;
    if (w->type && !v.type->has_rank && !v.constant)
        tn_net_load_type(l->net, id, w->type);
    tn_net_add_output(l->net, graph, id, w->name);
    if (graph == 0 && w->type && type_of(l->net, w->type, &told))
        tn_net_tell_output(l->net, graph, &told);
}

static bool *find_used(struct tn_net_loading *l)
{
    if (l->is_used)
        return l->is_used;
    l->is_used =
        tn_new(&l->scratch, bool, l->model->values.count, l->net->error);
    for (uint32_t i = 0; l->is_used && i < l->model->ops.count; i++)
        for (uint32_t k = 0; k < tn_model_op_at(l->model, i)->input_count; k++)
            if (tn_op_input(l->model, i, k) != TN_NONE)
                l->is_used[tn_op_input(l->model, i, k)] = true;
    return l->is_used;
}

/* Kernels have all their results: next to one that is used, one that is not is
 * by the way. */
static bool is_by_the_way(struct tn_net_loading *l, uint32_t op)
{
    const bool *is_used = find_used(l);
    uint32_t    count   = tn_model_op_at(l->model, op)->output_count;

    for (uint32_t i = 0; is_used && i < count; i++) {
        uint32_t value = tn_op_output(l->model, op, i);
        if (value != TN_NONE && is_used[value])
            return true;
    }
    return false;
}

/* Neither the caller nor a signature nor the file says that it is an output. */
static bool is_guess(const struct tn_net_loading *l, const struct wanted *w)
{
    if (w->is_given || !w->type || w->type->key.size)
        return false;
    return !l->model->dialect->names_outputs || w->type->is_guessed;
}

/* Where no file lists outputs, every result that nobody uses looks like one:
 * of a GraphDef, those that give nothing, and inputs, are none. */
static bool is_no_output(struct tn_net_loading *l, const struct wanted *w)
{
    uint32_t value = find_end(l, 0, w->value);

    if (!is_guess(l, w) || value == TN_NONE)
        return false;
    uint32_t op = tn_model_value_at(l->model, value)->producer;
    if (l->net->facts->names_everything)
        return op != TN_NONE && is_by_the_way(l, op);
    return l->is_cut[value] ||
           (op != TN_NONE && tn_net_known_outputs(l, op) == 0);
}

/* The other results of an op of a GraphDef whose first one nobody uses: a node
 * at the end of a graph gives all that it has. */
static void add_others(struct tn_net_loading *l, const struct wanted *w)
{
    uint32_t value = find_end(l, 0, w->value);
    uint32_t op    = value == TN_NONE
                         ? TN_NONE
                         : tn_model_value_at(l->model, value)->producer;
    uint32_t node  = op == TN_NONE ? TN_NONE : l->nodes[op];
    uint32_t count =
        node == TN_NONE ? 0 : tn_net_node(l->net, node).output_count;

    if (l->model->dialect->names_outputs || !is_guess(l, w))
        return;
    for (uint32_t i = 1; i < count && !tn_failed(l->net->error); i++) {
        char *name = tn_text_format(l->net->arena, l->net->error,
                                    "%.*s:%" PRIu32, TN_FMT(w->value), i);
        if (!name)
            return;
        add_output(
            l, 0,
            &(struct wanted){ .value = tn_text(name), .name = tn_text(name) });
    }
}

enum tn_status tn_net_load_outputs(struct tn_net_loading *l)
{
    uint32_t       count;
    struct wanted *wanted = want(l, false, &count);

    for (uint32_t i = 0; wanted && i < count && !tn_failed(l->net->error);
         i++) {
        if (is_no_output(l, &wanted[i]))
            continue;
        add_output(l, 0, &wanted[i]);
        add_others(l, &wanted[i]);
        tn_net_graph(l->net, 0)->are_outputs_guessed |= is_guess(l, &wanted[i]);
    }
    for (uint32_t g = 1; g < l->model->graphs.count; g++) {
        struct tn_io_list ends = tn_model_graph_at(l->model, g)->outputs;
        if (tn_model_graph_at(l->model, g)->kind == TN_GRAPH_OTHER)
            continue;
        wanted = take_ends(l, ends, false);
        for (uint32_t i = 0; wanted && i < ends.count; i++)
            if (ends.items[i].name.size && !tn_failed(l->net->error))
                add_output(l, g, &wanted[i]);
    }
    return l->net->error->status;
}
