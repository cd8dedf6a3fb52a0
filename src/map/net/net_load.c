/*
 * net_load.c - a model becomes a net
 *
 * Graphs keep their numbers, so that attributes which name graphs stay right.
 * Values are made first, then constants, inputs, nodes and outputs.
 *
 * A dialect may let an op write a name that has been written before (Paddle):
 * each time it is another value here, and whoever reads the name later reads
 * the last one.  Its blocks are net_blocks.c's.
 *
 * In a TensorFlow function an output is called "node:argument:index", which is
 * only a number once the op's outputs are known: from its vocabulary, or from
 * the function that it calls.
 */
#include <inttypes.h>

#include "base/number.h"
#include "ir/output_name.h"
#include "map/net/net_build.h"
#include "map/net/net_load.h"
#include "map/net/net_loading.h"

/* Outputs of one op, and of all of them for each value that somebody names. */
enum { OUTPUT_LIMIT = 65536, OUTPUTS_PER_VALUE = 64 };

/* ---- graphs and values -------------------------------------------------- */

/* What a function takes when its caller says nothing. */
static void load_defaults(struct tn_net_loading *l, const struct tn_graph *g,
                          uint32_t id)
{
    struct tn_error   *error = l->net->error;
    struct tn_cursor   c     = tn_cursor_span(g->wire, error);
    struct tn_net_attr one   = { 0 };
    struct tn_list     found;
    struct tn_span     wire;

    tn_list_init(&found, l->net->arena->memory, sizeof one);
    while (l->model->dialect->next_default(&c, &one.name, &wire) &&
           l->model->dialect->decode(l->model, TN_NONE, wire, l->net->arena,
                                     &one.value, error) == TN_OK) {
        struct tn_net_attr *to =
            tn_list_push(&found, struct tn_net_attr, error);
        if (to)
            *to = one;
    }
    struct tn_net_attr *kept =
        tn_new(l->net->arena, struct tn_net_attr, found.count, error);
    if (kept && found.count) {
        memcpy(kept, found.items, (size_t)found.count * sizeof *kept);
        tn_net_graph(l->net, id)->defaults      = kept;
        tn_net_graph(l->net, id)->default_count = (uint32_t)found.count;
    }
    tn_list_done(&found);
}

static void load_graphs(struct tn_net_loading *l)
{
    for (uint32_t i = 0; i < l->model->graphs.count; i++) {
        const struct tn_graph *g = tn_model_graph_at(l->model, i);
        uint32_t               id =
            tn_net_add_graph(l->net, (enum tn_graph_kind)g->kind,
                             tn_model_name(l->model, g->name), g->parent_graph);
        if (id == TN_NONE)
            return;
        tn_net_graph(l->net, id)->domain = tn_bytes_dup(
            l->net->arena, tn_model_name(l->model, g->domain), l->net->error);
        if (g->kind == TN_GRAPH_FUNCTION && l->model->dialect->next_default &&
            g->wire.length)
            load_defaults(l, g, id);
    }
}

/* Of an outer value, the one that it means. */
static uint32_t find_outside(const struct tn_net_loading *l,
                             const struct tn_value       *value)
{
    uint32_t graph = tn_model_graph_at(l->model, value->graph)->parent_graph;

    for (uint64_t left = l->model->graphs.count; left && graph != TN_NONE;
         left--) {
        uint32_t found = tn_model_find_value(l->model, graph, value->name);
        if (found != TN_NONE &&
            tn_model_value_at(l->model, found)->kind != TN_VALUE_OUTER &&
            tn_model_value_at(l->model, found)->kind != TN_VALUE_UNDEFINED)
            return l->now[found];
        graph = tn_model_graph_at(l->model, graph)->parent_graph;
    }
    return TN_NONE;
}

static void load_values(struct tn_net_loading *l)
{
    uint64_t count = l->model->values.count;

    for (uint32_t i = 0; i < count && !tn_failed(l->net->error); i++) {
        const struct tn_value *value = tn_model_value_at(l->model, i);
        l->now[i]                    = TN_NONE;
        if (l->home ? l->home[i] != i : value->kind == TN_VALUE_OUTER)
            continue;
        l->now[i] = tn_net_add_nameless(l->net, value->graph);
        if (l->now[i] != TN_NONE)
            tn_net_name_as_given(l->net, l->now[i], value->name);
    }
    for (uint32_t i = 0; i < count && !tn_failed(l->net->error); i++)
        if (!l->home && tn_model_value_at(l->model, i)->kind == TN_VALUE_OUTER)
            l->now[i] = find_outside(l, tn_model_value_at(l->model, i));
}

/* ---- constants ---------------------------------------------------------- */

static void set_constant(struct tn_net_loading *l, uint32_t value,
                         const struct tn_tensor *tensor)
{
    tn_net_set_constant(l->net, value, &tensor->elements, tensor);
    tn_net_set_trained(l->net, value, tensor->role == TN_ROLE_VARIABLE);
}

/* An input with a default is what the default says, but in nd4j, where it is
 * what somebody happened to feed before saving. */
static bool is_default_ignored(const struct tn_net_loading *l,
                               const struct tn_value       *value)
{
    return value->kind == TN_VALUE_INPUT && l->net->facts->has_examples;
}

/* No dialect of ours computes with what is written down sparsely. */
static void refuse_sparse(struct tn_net_loading  *l,
                          const struct tn_tensor *tensor)
{
    tn_error_set(
        l->net->error, TN_UNSUPPORTED, TN_NOWHERE,
        "the constant '%.*s' is sparse; only dense constants can be converted",
        TN_FMT(tn_model_name(l->model, tensor->name)));
}

static void load_constants(struct tn_net_loading *l)
{
    for (uint64_t i = 0; i < l->model->tensors.count; i++) {
        const struct tn_tensor *t = tn_model_tensor(l->model, i);
        if (t->role == TN_ROLE_SPARSE_VALUES && t->graph != TN_NONE) {
            refuse_sparse(l, t);
            return;
        }
        if (t->graph == TN_NONE || t->node != TN_NONE ||
            (t->role != TN_ROLE_INITIALIZER && t->role != TN_ROLE_VARIABLE))
            continue;
        uint32_t value = tn_model_find_value(l->model, t->graph, t->name);
        if (value == TN_NONE || l->now[value] == TN_NONE ||
            is_default_ignored(l, tn_model_value_at(l->model, value)))
            continue;
        set_constant(l, l->now[value], t);
        if (tn_failed(l->net->error))
            return;
    }
}

/* ---- what ops produce --------------------------------------------------- */

/* In dialects where names of values say whose output they are, the tables list
 * only the first output of an op: the others are found through the values. */
static void list_made(struct tn_net_loading *l)
{
    uint64_t count = l->model->values.count;

    for (uint32_t i = 0; i < count; i++) {
        const struct tn_value *v = tn_model_value_at(l->model, i);
        if (v->producer != TN_NONE && v->kind == TN_VALUE_OUTPUT)
            l->first_made[v->producer + 1]++;
    }
    for (uint64_t i = 0; i < l->model->ops.count; i++)
        l->first_made[i + 1] += l->first_made[i];
    uint32_t *next =
        tn_new(&l->scratch, uint32_t, l->model->ops.count + 1, l->net->error);
    if (!next)
        return;
    memcpy(next, l->first_made,
           (size_t)(l->model->ops.count + 1) * sizeof *next);
    for (uint32_t i = 0; i < count; i++) {
        const struct tn_value *v = tn_model_value_at(l->model, i);
        if (v->producer != TN_NONE && v->kind == TN_VALUE_OUTPUT)
            l->made[next[v->producer]++] = i;
    }
}

static const struct tn_vocab_op *find_op(struct tn_net_loading *l, uint32_t op)
{
    struct tn_error     unheard = TN_ERROR_INIT;
    const struct tn_op *row     = tn_model_op_at(l->model, op);

    if (!l->has_vocab)
        l->has_vocab = tn_vocab_open(&l->vocab, &l->scratch, l->net->dialect,
                                     &unheard) == TN_OK;
    if (!l->has_vocab)
        return NULL;
    return tn_vocab_find(&l->vocab, tn_model_name(l->model, row->domain),
                         tn_model_name(l->model, row->type), INT64_MAX,
                         &unheard);
}

int tn_net_known_outputs(struct tn_net_loading *l, uint32_t op)
{
    const struct tn_vocab_op *known = find_op(l, op);

    return known && known->has_signature && !known->has_lists &&
                   known->max_outputs == known->min_outputs
               ? (int)known->max_outputs
               : -1;
}

static const struct tn_attr_value *find_attr(const struct tn_net_loading *l,
                                             struct tn_bytes              name)
{
    for (uint32_t i = 0; i < l->attrs.count; i++)
        if (tn_bytes_equal(l->attrs.attrs[i].name, name))
            return &l->attrs.attrs[i].value;
    return NULL;
}

/* How many values an argument stands for; more than OUTPUT_LIMIT are as many
 * as that. */
static uint32_t arg_width(const struct tn_net_loading *l,
                          const struct tn_vocab_arg   *arg)
{
    const struct tn_attr_value *list = find_attr(l, arg->list);

    if (arg->arity == TN_VOCAB_COUNTED && list && list->kind == TN_ATTR_INT &&
        !list->is_list && list->of.ints[0] >= 0)
        return list->of.ints[0] < OUTPUT_LIMIT ? (uint32_t)list->of.ints[0]
                                               : OUTPUT_LIMIT;
    if (arg->arity == TN_VOCAB_BY_TYPES && list)
        return list->count < OUTPUT_LIMIT ? list->count : OUTPUT_LIMIT;
    return 1;
}

/* How many outputs an op has by its definition and its attributes, whether
 * somebody uses them or not; 1 when nothing defines it. */
static uint32_t defined_outputs(struct tn_net_loading *l, uint32_t op)
{
    const struct tn_vocab_op *known = find_op(l, op);
    uint32_t                  count = 0;

    if (!known || !known->has_signature)
        return 1;
    for (uint32_t i = 0; i < known->output_count && count < OUTPUT_LIMIT; i++)
        count += arg_width(l, &known->outputs[i]);
    return count;
}

/* Where the argument of that name begins among the outputs; false: no idea. */
static bool find_argument(struct tn_net_loading *l, uint32_t op,
                          struct tn_bytes argument, uint32_t *begin)
{
    const struct tn_vocab_op *known = find_op(l, op);
    struct tn_bytes           type =
        tn_model_name(l->model, tn_model_op_at(l->model, op)->type);

    *begin = 0;
    for (uint32_t i = 0; known && i < known->output_count; i++) {
        if (tn_bytes_equal(known->outputs[i].name, argument))
            return true;
        *begin += arg_width(l, &known->outputs[i]);
    }
    for (uint32_t i = 0; i < l->model->graphs.count; i++) {
        const struct tn_graph *g = tn_model_graph_at(l->model, i);
        if (g->kind != TN_GRAPH_FUNCTION ||
            !tn_bytes_equal(tn_model_name(l->model, g->name), type))
            continue;
        for (*begin = 0; *begin < g->outputs.count; ++*begin)
            if (tn_bytes_equal(g->outputs.items[*begin].key, argument))
                return true;
    }
    return false;
}

/* Which output of its op a value is. */
static uint32_t output_of(struct tn_net_loading *l, uint32_t op,
                          const struct tn_value *value)
{
    uint32_t              graph = tn_model_op_at(l->model, op)->graph;
    struct tn_output_name name =
        tn_output_name_parse(tn_model_name(l->model, value->name));
    uint32_t begin;

    if (!l->net->facts->has_function_outputs ||
        tn_model_graph_at(l->model, graph)->kind != TN_GRAPH_FUNCTION ||
        !name.is_one || !find_argument(l, op, name.argument, &begin))
        return value->output;
    return begin + value->output;
}

/* ---- nodes -------------------------------------------------------------- */

enum tn_status tn_net_place_op(const struct tn_net_loading *l, uint32_t op)
{
    char path[sizeof l->net->error->where];

    tn_op_path(l->model, op, path, sizeof path);
    tn_error_where(l->net->error, "%s", path);
    return l->net->error->status;
}

static bool is_type(const struct tn_net_loading *l, uint32_t op,
                    const char *type)
{
    return tn_bytes_is(
        tn_model_name(l->model, tn_model_op_at(l->model, op)->type), type);
}

static uint32_t home_of(const struct tn_net_loading *l, uint32_t value)
{
    return l->home ? l->home[value] : value;
}

static enum tn_status load_inputs(struct tn_net_loading *l, uint32_t op,
                                  struct tn_net_node *node)
{
    const struct tn_op *row   = tn_model_op_at(l->model, op);
    uint32_t            count = row->input_count - row->control_count;
    bool                more  = l->home && is_type(l, op, "write_to_array");
    uint32_t           *inputs =
        tn_new(&l->op_scratch, uint32_t, (uint64_t)count + more, l->net->error);

    for (uint32_t i = 0; inputs && i < count; i++) {
        uint32_t value = tn_op_input(l->model, op, i);
        inputs[i]      = value == TN_NONE ? TN_NONE : l->now[home_of(l, value)];
        if (value != TN_NONE && inputs[i] == TN_NONE)
            return tn_error_set(l->net->error, TN_MALFORMED, TN_NOWHERE,
                                "nothing defines input %" PRIu32 ", '%.*s'", i,
                                TN_FMT(tn_model_value_name(l->model, value)));
    }
    if (inputs && more)
        inputs[count++] = tn_net_array_before(l, op);
    node->inputs      = inputs;
    node->input_count = count;
    return l->net->error->status;
}

/* An input that the model names is written by `feed`, and may be written over
 * by others. */
static bool is_cut(const struct tn_net_loading *l, uint32_t op, uint32_t home)
{
    return l->is_cut[home] &&
           (!l->home || l->ends->input_count || is_type(l, op, "feed"));
}

/* A name that is written again is another value from here on. */
static uint32_t output_value(struct tn_net_loading *l, uint32_t op,
                             uint32_t value)
{
    const struct tn_value *row  = tn_model_value_at(l->model, value);
    uint32_t               home = home_of(l, value);

    if (is_cut(l, op, home))
        return TN_NONE;
    const struct tn_net_value now = tn_net_value(l->net, l->now[home]);
    if (now.producer != TN_NONE || now.constant || now.graph != row->graph ||
        l->is_cut[home] || (l->home && l->is_handed[home]))
        l->now[home] = tn_net_add_value(l->net, row->graph,
                                        tn_model_name(l->model, row->name));
    return l->now[home];
}

static enum tn_status load_listed(struct tn_net_loading *l, uint32_t op,
                                  struct tn_net_node *node)
{
    const struct tn_op *row = tn_model_op_at(l->model, op);
    uint32_t           *outputs =
        tn_new(&l->op_scratch, uint32_t, row->output_count, l->net->error);

    for (uint32_t i = 0; outputs && i < row->output_count; i++) {
        uint32_t value = tn_op_output(l->model, op, i);
        outputs[i] = value == TN_NONE ? TN_NONE : output_value(l, op, value);
    }
    node->outputs      = outputs;
    node->output_count = row->output_count;
    return l->net->error->status;
}

static enum tn_status load_named(struct tn_net_loading *l, uint32_t op,
                                 struct tn_net_node *node)
{
    uint64_t *budget = &l->output_budget;
    uint32_t  first = l->first_made[op], end = l->first_made[op + 1];
    uint32_t  count = defined_outputs(l, op);

    for (uint32_t i = first; i < end; i++) {
        uint32_t output =
            output_of(l, op, tn_model_value_at(l->model, l->made[i]));
        if (output >= OUTPUT_LIMIT || output >= *budget)
            return tn_error_set(l->net->error, TN_LIMIT, TN_NOWHERE,
                                "output %" PRIu32 " is named, more than any "
                                "op has",
                                output);
        count = output < count ? count : output + 1;
    }
    if (count >= OUTPUT_LIMIT || count > *budget)
        return tn_error_set(l->net->error, TN_LIMIT, TN_NOWHERE,
                            "%" PRIu32 " outputs, more than a graph of this "
                            "size has",
                            count);
    *budget -= count;
    uint32_t *outputs = tn_new(&l->op_scratch, uint32_t, count, l->net->error);
    if (!outputs)
        return l->net->error->status;
    memset(outputs, 0xff, count * sizeof *outputs);
    for (uint32_t i = first; i < end; i++)
        outputs[output_of(l, op, tn_model_value_at(l->model, l->made[i]))] =
            output_value(l, op, l->made[i]);
    node->outputs      = outputs;
    node->output_count = count;
    return TN_OK;
}

/* Bytes of attributes that others may well have, too. */
enum { KEY_SIZE = 512 };

/* Ops whose attributes are the same bytes share one list, decoded once; false:
 * there is none yet. */
static bool find_list(struct tn_net_loading *l, uint32_t op)
{
    l->list  = 0;
    l->attrs = tn_net_list_at(l->net, 0);
    tn_buffer_clear(&l->key);
    if (!tn_attr_key(l->model, op, KEY_SIZE, &l->key)) {
        tn_buffer_clear(&l->key);
        return false;
    }
    if (!l->key.size)
        return true;
    uint32_t id = tn_intern_find(&l->keys, tn_buffer_bytes(&l->key));
    if (id == TN_NO_NAME)
        return false;
    l->list  = *tn_list_at(&l->lists, uint32_t, id);
    l->attrs = tn_net_list_at(l->net, l->list);
    return true;
}

static enum tn_status decode_list(struct tn_net_loading *l, uint32_t op,
                                  struct tn_arena *arena)
{
    l->decoded.count = 0;
    TN_TRY(tn_attr_list(l->model, op, arena, &l->decoded, l->net->error));
    uint64_t            count = l->decoded.count;
    struct tn_net_attr *attrs =
        tn_new(&l->op_scratch, struct tn_net_attr, count, l->net->error);
    if (!attrs)
        return l->net->error->status;
    for (uint64_t i = 0; i < count; i++) {
        const struct tn_attr_named *from =
            tn_list_at(&l->decoded, struct tn_attr_named, i);
        attrs[i] = (struct tn_net_attr){ from->name, from->value };
    }
    l->attrs = (struct tn_net_list){ attrs, (uint32_t)count, false };
    return TN_OK;
}

static void add_list(struct tn_net_loading *l)
{
    uint32_t *list = tn_list_push(&l->lists, uint32_t, l->net->error);

    if (!list)
        return;
    *list = l->list;
    if (tn_intern_copy(&l->keys, tn_buffer_bytes(&l->key), l->net->error) ==
        TN_NO_NAME)
        l->lists.count--;
}

static void keep_list(struct tn_net_loading *l)
{
    l->list = tn_net_keep_attrs(l->net, l->attrs.attrs, l->attrs.count);
    if (l->key.size && !tn_failed(l->net->error) &&
        tn_net_list_at(l->net, l->list).is_common)
        add_list(l);
}

/* Const without control inputs: what it holds is the value.  With some, who
 * tidies the graph must first see why. */
static bool is_constant(const struct tn_net_loading *l, uint32_t op)
{
    const struct tn_op *row = tn_model_op_at(l->model, op);

    return l->net->facts->has_constant_ops && !row->input_count &&
           row->output_count == 1 &&
           tn_bytes_is(tn_model_name(l->model, row->type), "Const");
}

static bool load_as_constant(struct tn_net_loading *l, uint32_t op)
{
    const struct tn_attr_value *held = find_attr(l, tn_text("value"));

    if (!is_constant(l, op) || !held || held->kind != TN_ATTR_TENSOR ||
        held->count != 1)
        return false;
    uint32_t value = tn_op_output(l->model, op, 0);
    if (value == TN_NONE || l->is_cut[value])
        return true;
    const struct tn_tensor *tensor =
        l->tensors[op] == TN_NONE ? held->of.tensors[0]
                                  : tn_model_tensor(l->model, l->tensors[op]);
    for (uint32_t i = l->first_made[op]; i < l->first_made[op + 1]; i++)
        if (tn_model_value_at(l->model, l->made[i])->output == 0)
            set_constant(l, l->now[l->made[i]], tensor);
    return true;
}

/* What a node is, by the ids that the model has for it. */
static uint32_t op_of(struct tn_net_loading *l, const struct tn_op *row)
{
    uint32_t id = tn_pairs_find(&l->op_ids, row->type, row->domain);

    if (id == TN_NONE) {
        id = tn_net_op_id(l->net, tn_model_name(l->model, row->type),
                          tn_model_name(l->model, row->domain));
        if (id != TN_NONE)
            tn_pairs_add(&l->op_ids, row->type, row->domain, id, l->net->error);
    }
    return id;
}

static enum tn_status load_node(struct tn_net_loading *l, uint32_t op)
{
    const struct tn_op    *from = tn_model_op_at(l->model, op);
    struct tn_net_node_row row  = { .name   = from->name,
                                    .op     = op_of(l, from),
                                    .graph  = from->graph,
                                    .source = op };
    struct tn_net_node     node = { .source = op };

    tn_arena_rewind(&l->op_scratch);
    /* The model has the tensor, so that nothing else of it need stay. */
    if (is_constant(l, op) && l->tensors[op] != TN_NONE) {
        TN_TRY(decode_list(l, op, &l->op_scratch));
        if (load_as_constant(l, op))
            return l->net->error->status;
    }
    bool has_list = find_list(l, op);
    if (!has_list)
        TN_TRY(decode_list(l, op, l->net->arena));
    if (load_as_constant(l, op))
        return l->net->error->status;
    TN_TRY(load_inputs(l, op, &node));
    if (l->model->dialect->names_outputs)
        TN_TRY(load_listed(l, op, &node));
    else
        TN_TRY(load_named(l, op, &node));
    if (!has_list)
        keep_list(l);
    if (tn_failed(l->net->error))
        return l->net->error->status;
    row.attrs    = l->list;
    l->nodes[op] = tn_net_add_row(l->net, &row, &node);
    return l->net->error->status;
}

enum tn_status tn_net_load_op(struct tn_net_loading *l, uint32_t op)
{
    return load_node(l, op) == TN_OK ? TN_OK : tn_net_place_op(l, op);
}

static enum tn_status load_nodes(struct tn_net_loading *l)
{
    l->output_budget =
        OUTPUT_LIMIT +
        OUTPUTS_PER_VALUE * (l->model->values.count + l->model->ops.count);

    if (l->home)
        return tn_net_load_blocks(l);
    for (uint32_t i = 0; i < l->model->ops.count; i++) {
        uint32_t graph = tn_model_op_at(l->model, i)->graph;
        if (tn_model_graph_at(l->model, graph)->kind != TN_GRAPH_OTHER)
            TN_TRY(tn_net_load_op(l, i));
    }
    return TN_OK;
}

/* Control inputs are names of ops; those that became constants order nothing.
 */
static void load_controls(struct tn_net_loading *l, uint32_t op)
{
    const struct tn_op *row   = tn_model_op_at(l->model, op);
    uint32_t           *nodes = NULL;
    uint32_t            count = 0;

    if (!row->control_count || l->nodes[op] == TN_NONE)
        return;
    tn_arena_rewind(&l->op_scratch);
    nodes = tn_new(&l->op_scratch, uint32_t, row->control_count, l->net->error);
    for (uint32_t i = 0; nodes && i < row->control_count; i++) {
        uint32_t value    = tn_op_input(l->model, op,
                                        row->input_count - row->control_count + i);
        uint32_t producer = value == TN_NONE
                                ? TN_NONE
                                : tn_model_value_at(l->model, value)->producer;
        if (producer != TN_NONE && l->nodes[producer] != TN_NONE)
            nodes[count++] = l->nodes[producer];
    }
    if (nodes)
        tn_net_set_controls(l->net, l->nodes[op], nodes, count);
}

/* ---- versions ----------------------------------------------------------- */

/* "ai.onnx 17" */
static void load_version(struct tn_net_loading *l, struct tn_bytes fact)
{
    size_t  at = fact.size;
    int64_t version;

    while (at && fact.data[at - 1] != ' ')
        at--;
    if (!at ||
        !tn_int64_parse(tn_bytes(fact.data + at, fact.size - at), &version))
        return;
    struct tn_bytes domain = tn_bytes(fact.data, at - 1);
    if (tn_bytes_is(domain, "ai.onnx") || !domain.size) {
        l->net->version = version;
        return;
    }
    struct tn_net_version *row =
        tn_list_push(&l->net->versions, struct tn_net_version, l->net->error);
    if (row)
        *row = (struct tn_net_version){ domain, version };
}

static void load_versions(struct tn_net_loading *l)
{
    for (uint64_t i = 0; i < l->model->facts.count; i++) {
        const struct tn_fact *fact =
            tn_list_at(&l->model->facts, struct tn_fact, i);
        if (tn_bytes_is(fact->key, "opset"))
            load_version(l, fact->value);
    }
}

/* ---- the whole ---------------------------------------------------------- */

static void note_tensors(struct tn_net_loading *l)
{
    memset(l->tensors, 0xff, (size_t)l->model->ops.count * sizeof *l->tensors);
    for (uint64_t i = 0; i < l->model->tensors.count; i++) {
        const struct tn_tensor *t = tn_model_tensor(l->model, i);
        if (t->graph == TN_NONE || t->node == TN_NONE ||
            t->role != TN_ROLE_ATTRIBUTE)
            continue;
        uint64_t op =
            (uint64_t)tn_model_graph_at(l->model, t->graph)->first_op + t->node;
        if (op < l->model->ops.count)
            l->tensors[op] = (uint32_t)i;
    }
}

static bool make_tables(struct tn_net_loading *l)
{
    uint64_t values = l->model->values.count, ops = l->model->ops.count;

    l->now        = tn_new(&l->scratch, uint32_t, values, l->net->error);
    l->is_cut     = tn_new(&l->scratch, bool, values, l->net->error);
    l->made       = tn_new(&l->scratch, uint32_t, values, l->net->error);
    l->nodes      = tn_new(&l->scratch, uint32_t, ops, l->net->error);
    l->tensors    = tn_new(&l->scratch, uint32_t, ops, l->net->error);
    l->first_made = tn_new(&l->scratch, uint32_t, ops + 2, l->net->error);
    if (tn_failed(l->net->error))
        return false;
    memset(l->nodes, 0xff, (size_t)ops * sizeof *l->nodes);
    note_tensors(l);
    list_made(l);
    return !tn_failed(l->net->error);
}

/* Most of what the model has will be in the net, which need not grow then. */
static bool make_room(struct tn_net_loading *l)
{
    return tn_net_reserve(l->net, l->model->values.count,
                          l->model->ops.count) &&
           tn_net_give_names(l->net, &l->model->names) == TN_OK;
}

static enum tn_status load_all(struct tn_net_loading *l)
{
    if (!make_tables(l) || !make_room(l))
        return l->net->error->status;
    TN_TRY(tn_net_find_homes(l));
    load_graphs(l);
    if (!tn_failed(l->net->error))
        load_values(l);
    if (!tn_failed(l->net->error))
        load_constants(l);
    if (tn_failed(l->net->error))
        return l->net->error->status;
    TN_TRY(tn_net_load_inputs(l));
    TN_TRY(load_nodes(l));
    for (uint32_t i = 0; i < l->model->ops.count; i++)
        load_controls(l, i);
    load_versions(l);
    return tn_net_load_outputs(l);
}

static void loading_init(struct tn_net_loading *l, struct tn_memory *memory)
{
    tn_arena_init(&l->scratch, memory);
    tn_arena_init(&l->op_scratch, memory);
    tn_list_init(&l->decoded, memory, sizeof(struct tn_attr_named));
    tn_buffer_init(&l->key, memory, l->net->error);
    tn_intern_init(&l->keys, &l->scratch);
    tn_pairs_init(&l->op_ids, memory);
    tn_list_init(&l->lists, memory, sizeof(uint32_t));
    tn_list_init(&l->written, memory, sizeof(struct tn_net_written));
}

static void loading_done(struct tn_net_loading *l)
{
    tn_list_done(&l->written);
    tn_list_done(&l->lists);
    tn_pairs_done(&l->op_ids);
    tn_intern_done(&l->keys);
    tn_buffer_done(&l->key);
    tn_list_done(&l->decoded);
    tn_arena_done(&l->op_scratch);
    tn_arena_done(&l->scratch);
}

enum tn_status tn_net_load(struct tn_net *net, const struct tn_model *model,
                           const struct tn_net_io *ends)
{
    static const struct tn_net_io none;
    struct tn_net_loading         l = { .net   = net,
                                        .model = model,
                                        .ends  = ends ? ends : &none };

    if (!model->wants_graph || !model->dialect || !model->graphs.count)
        return tn_error_set(net->error, TN_INVALID, TN_NOWHERE,
                            "the model was opened without its graph");
    net->source  = model;
    net->dialect = model->dialect->name;
    net->facts   = tn_dialect_facts(net->dialect);
    loading_init(&l, net->arena->memory);
    load_all(&l);
    loading_done(&l);
    return net->error->status;
}
