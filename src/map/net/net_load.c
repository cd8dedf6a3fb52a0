/*
 * net_load.c - a model becomes a net
 *
 * Graphs keep their numbers, so that attributes which name graphs stay right.
 * Values are made first, then constants, inputs, nodes and outputs.
 *
 * A dialect may let an op write a name that has been written before (Paddle):
 * here each write is another value, and later readers of the name get the last
 * one.
 *
 * In a TensorFlow function an output is called "node:argument:index", which is
 * only a number once the op's outputs are known: from its vocabulary, or from
 * the function that it calls.
 */
#include <inttypes.h>

#include "base/number.h"
#include "ir/attr_key.h"
#include "ir/output_name.h"
#include "ir/vocab.h"
#include "map/net/net_build.h"
#include "map/net/net_load.h"

/* A variable that a block writes, of those of a block around it. */
struct tn_net_written {
    uint32_t home;
    uint32_t next; /* of the same block, + 1; 0: it is the last               */
};

/* The list of ops that are alike, as the rows of both have it. */
struct tn_net_alike {
    uint32_t alike, source, list; /* alike 0: none                            */
};

enum { ALIKE_SLOTS = 256 };

struct tn_net_loading {
    struct tn_net          *net;
    const struct tn_model  *model;
    const struct tn_net_io *io;
    struct tn_arena         scratch, op_scratch; /* of all; of one op         */
    struct tn_list decoded;   /* struct tn_attr_named                         */
    struct tn_net_list attrs; /* of the op at hand                            */
    uint32_t           list;  /* the same, as a row has it                    */
    struct tn_buffer   key; /* its attributes, as the file says them          */
    struct tn_intern keys;  /* of lists that are the same for equal ops       */
    struct tn_list   lists; /* uint32_t: as a row has them, by id of the key  */
    struct tn_net_alike alike[ALIKE_SLOTS]; /* by number: the last one */
    struct tn_pairs op_ids; /* (type, domain) of the model -> in net->ops    */
    uint32_t *now; /* by value of the model: the net's, as the name stands  */
    bool     *is_cut; /* by value of the model: an input, also of an op   */
    uint32_t *nodes; /* by op of the model: the net's node, or TN_NONE        */
    uint32_t *made;  /* values of the model by producing op: first_made says  */
    uint32_t *first_made; /* where those of an op begin */
    uint32_t *tensors; /* by op: the tensor in its attributes, or TN_NONE    */
    bool *is_used; /* by value of the model: an op takes it; NULL: not asked */
    uint32_t called; /* graph that the chosen signature calls; 0: the main    */
    const struct tn_signature *calling; /* that signature                     */
    struct tn_vocab vocab; /* TensorFlow's, for the outputs of functions */
    bool            has_vocab;
    uint64_t output_budget; /* how many outputs may still be named       */

    /* Where graphs declare variables, else NULL; by value of the model: */
    uint32_t *home; /* the one that stands for the variable                   */
    uint32_t *stamps; /* of Paddle's blocks */
    bool *is_handed;  /* of homes: `now` is what a loop hands to its block  */
    struct tn_list written;  /* struct tn_net_written                     */
    uint32_t *first_written; /* by graph: in `written`, + 1               */
    uint32_t *first_inner, *next_inner; /* by graph: those directly inside */
};

static enum tn_status net_load_inputs(struct tn_net_loading *l);
static enum tn_status net_load_outputs(struct tn_net_loading *l);
static enum tn_status net_find_homes(struct tn_net_loading *l);
static uint32_t       net_array_before(struct tn_net_loading *l, uint32_t op);
static enum tn_status net_load_blocks(struct tn_net_loading *l);

/* Outputs of one op, and for each value that is named, of all ops. */
enum { OUTPUT_LIMIT = 65536, OUTPUTS_PER_VALUE = 64 };

/* ---- graphs and values -------------------------------------------------- */

/* The values of a function's attributes that a call does not set. */
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
            l->net->arena,
            tn_net_domain(l->net, tn_model_name(l->model, g->domain)),
            l->net->error);
        if (g->kind == TN_GRAPH_FUNCTION && l->model->dialect->next_default &&
            g->wire.length)
            load_defaults(l, g, id);
    }
}

/* Resolves an outer value to the one it refers to. */
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

/* An input with a default has the default's type, except in nd4j, where the
 * default is whatever was fed before the model was saved. */
static bool is_default_ignored(const struct tn_net_loading *l,
                               const struct tn_value       *value)
{
    return value->kind == TN_VALUE_INPUT && l->net->facts->has_examples;
}

/* No dialect can compute with sparse constants. */
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

/* How many outputs an op of the vocabulary has; -1: not known. */
static int net_known_outputs(struct tn_net_loading *l, uint32_t op)
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

/* How many outputs an op has by its definition and its attributes, used or not;
 * 1 if it has no definition. */
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

static enum tn_status net_place_op(const struct tn_net_loading *l, uint32_t op)
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

/* For ids that are all written. */
static uint32_t *take_ids(struct tn_arena *arena, uint64_t count,
                          struct tn_error *error)
{
    return tn_arena_take(arena, count * sizeof(uint32_t), alignof(uint32_t),
                         error);
}

static enum tn_status load_inputs(struct tn_net_loading *l, uint32_t op,
                                  struct tn_net_node *node)
{
    const struct tn_op *row   = tn_model_op_at(l->model, op);
    uint32_t            count = row->input_count - row->control_count;
    bool                more  = l->home && is_type(l, op, "write_to_array");
    uint32_t           *inputs =
        take_ids(&l->op_scratch, (uint64_t)count + more, l->net->error);

    for (uint32_t i = 0; inputs && i < count; i++) {
        uint32_t value =
            tn_model_ref_at(l->model, (uint64_t)row->first_input + i);
        inputs[i] = value == TN_NONE ? TN_NONE : l->now[home_of(l, value)];
        if (value != TN_NONE && inputs[i] == TN_NONE)
            return tn_error_set(l->net->error, TN_MALFORMED, TN_NOWHERE,
                                "nothing defines input %" PRIu32 ", '%.*s'", i,
                                TN_FMT(tn_model_value_name(l->model, value)));
    }
    if (inputs && more)
        inputs[count++] = net_array_before(l, op);
    node->inputs      = inputs;
    node->input_count = count;
    return l->net->error->status;
}

/* An input that the model names is written by `feed`, and may be written over
 * by others. */
static bool is_cut(const struct tn_net_loading *l, uint32_t op, uint32_t home)
{
    return l->is_cut[home] &&
           (!l->home || l->io->input_count || is_type(l, op, "feed"));
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
        take_ids(&l->op_scratch, row->output_count, l->net->error);

    for (uint32_t i = 0; outputs && i < row->output_count; i++) {
        uint32_t value =
            tn_model_ref_at(l->model, (uint64_t)row->first_output + i);
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

/* Encoded attributes up to this size are likely to occur again. */
enum { KEY_SIZE = 512 };

/* By the bytes of all attributes. */
static bool find_list_by_key(struct tn_net_loading *l, uint32_t op)
{
    l->list = 0;
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
    l->list = *tn_list_at(&l->lists, uint32_t, id);
    return true;
}

/* Ops whose attributes are the same bytes share one list, which is decoded
 * once; false if there is none yet.  Most ops are already known to be like an
 * earlier one. */
static bool find_list(struct tn_net_loading *l, uint32_t op)
{
    const struct tn_op  *row        = tn_model_op_at(l->model, op);
    uint32_t             alike      = tn_op_alike(row);
    struct tn_net_alike *slot       = &l->alike[alike % ALIKE_SLOTS];
    bool                 has_number = alike && row->first_attr == TN_NONE;

    if (has_number && slot->alike == alike && slot->source == row->source)
        l->list = slot->list;
    else if (!find_list_by_key(l, op)) {
        l->attrs = tn_net_list_at(l->net, 0);
        return false;
    }
    if (has_number)
        *slot = (struct tn_net_alike){ alike, row->source, l->list };
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

/* A Const without control inputs is its value.  With some, tidying must first
 * find out why. */
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

/* A node, by the ids that the model has for its parts. */
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
    /* The model has the tensor, so nothing else of the op is kept. */
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

/* Loads one op; errors get its name. */
static enum tn_status net_load_op(struct tn_net_loading *l, uint32_t op)
{
    return load_node(l, op) == TN_OK ? TN_OK : net_place_op(l, op);
}

static enum tn_status load_nodes(struct tn_net_loading *l)
{
    l->output_budget =
        OUTPUT_LIMIT +
        OUTPUTS_PER_VALUE * (l->model->values.count + l->model->ops.count);

    if (l->home)
        return net_load_blocks(l);
    for (uint32_t i = 0; i < l->model->ops.count; i++) {
        uint32_t graph = tn_model_op_at(l->model, i)->graph;
        if (tn_model_graph_at(l->model, graph)->kind != TN_GRAPH_OTHER)
            TN_TRY(net_load_op(l, i));
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
    struct tn_bytes domain = tn_net_domain(l->net, tn_bytes(fact.data, at - 1));
    if (!domain.size) {
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

/* Allocates room for all of the model at once, because most of it will be in
 * the net. */
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
    TN_TRY(net_find_homes(l));
    load_graphs(l);
    if (!tn_failed(l->net->error))
        load_values(l);
    if (!tn_failed(l->net->error))
        load_constants(l);
    if (tn_failed(l->net->error))
        return l->net->error->status;
    TN_TRY(net_load_inputs(l));
    TN_TRY(load_nodes(l));
    for (uint32_t i = 0; i < l->model->ops.count; i++)
        load_controls(l, i);
    load_versions(l);
    return net_load_outputs(l);
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
                           const struct tn_net_io *io)
{
    static const struct tn_net_io none;
    struct tn_net_loading         l = { .net   = net,
                                        .model = model,
                                        .io    = io ? io : &none };

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

/* ---- inputs and outputs of a net ---------------------------------------- */

/*
 * For the main graph: those that the caller names; else those of a signature,
 * by the names of its arguments; else those of the model.  The public name of
 * an input or output is the one that was used to ask for it: "Add:0" stays
 * "Add:0", though the value is called "Add".  Other graphs have their own.
 */

/* One requested input or output. */
struct wanted {
    struct tn_bytes     value; /* how the model calls it                     */
    struct tn_bytes     name;  /* its public name */
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
static bool type_of(struct tn_net *net, const struct tn_io *io,
                    struct tn_net_type *type)
{
    int64_t         *dims = tn_new(net->arena, int64_t, io->rank, net->error);
    struct tn_bytes *symbols =
        tn_new(net->arena, struct tn_bytes, io->rank, net->error);

    if (!dims || !symbols)
        return false;
    for (uint32_t i = 0; i < io->rank; i++) {
        dims[i]    = io->dims[i].value;
        symbols[i] = io->dims[i].symbol;
    }
    *type = (struct tn_net_type){ .dtype    = io->dtype,
                                  .wrap     = wrap_of(io->note),
                                  .has_rank = io->has_rank,
                                  .rank     = io->rank,
                                  .dims     = dims,
                                  .symbols  = io->has_rank ? symbols : NULL };
    return true;
}

/* What the model declares about an input or output. */
static void net_load_type(struct tn_net *net, uint32_t value,
                          const struct tn_io *io)
{
    struct tn_net_type type;

    if (type_of(net, io, &type))
        tn_net_set_type(net, value, &type);
}

/* ---- values by name ----------------------------------------------------- */

/* The value of that name in the graph or in one around it. */
static uint32_t find_in_scope(const struct tn_net_loading *l, uint32_t graph,
                              struct tn_bytes name)
{
    uint32_t found = TN_NONE;

    for (uint64_t left = l->model->graphs.count;
         left && found == TN_NONE && graph != TN_NONE; left--) {
        found = tn_model_find_named(l->model, graph, name);
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
static uint32_t find_io(const struct tn_net_loading *l, uint32_t graph,
                        struct tn_bytes name)
{
    uint32_t        found = find_in_scope(l, graph, name);
    struct tn_bytes base;
    uint32_t        output;

    if (found == TN_NONE && cut_output(name, &base, &output) && output == 0)
        found = find_in_scope(l, graph, base);
    return found;
}

/* ---- choosing inputs and outputs ---------------------------------------- */

static bool is_callable(const struct tn_signature *signature)
{
    return signature->name.size < 2 ||
           memcmp(signature->name.data, "__", 2) != 0;
}

/* Unused values of a SavedModel belong to the ops that save and restore it. */
static bool is_callable_only(const struct tn_net_loading *l)
{
    return !l->io->output_count && l->model->is_called_by_signature;
}

/* NULL without a failure: the model has none. */
static const struct tn_signature *choose_signature(struct tn_net_loading *l)
{
    const char *wish = l->io->signature ? l->io->signature : "serving_default";
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
    if (l->io->signature)
        tn_error_because(l->net->error, TN_INVALID, TN_REASON_UNKNOWN_SIGNATURE,
                         TN_NOWHERE, "unknown signature '%s'",
                         l->io->signature);
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

/* What the model declares about the value of that name. */
static const struct tn_io *find_type(const struct tn_net_loading *l,
                                     struct tn_bytes name, bool is_input)
{
    const struct tn_graph *main    = tn_model_graph_at(l->model, 0);
    struct tn_io_list      io_list = is_input ? main->inputs : main->outputs;
    uint32_t               output  = 0;
    struct tn_bytes        base    = name;

    if (!cut_output(name, &base, &output) || output)
        base = name;
    for (uint32_t i = 0; i < io_list.count; i++)
        if (tn_bytes_equal(io_list.items[i].name, name) ||
            tn_bytes_equal(io_list.items[i].name, base))
            return &io_list.items[i];
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

static struct wanted *take_io_list(struct tn_net_loading *l,
                                   struct tn_io_list io_list, bool has_keys)
{
    struct wanted *wanted =
        tn_new(&l->scratch, struct wanted, io_list.count, l->net->error);

    for (uint32_t i = 0; wanted && i < io_list.count; i++) {
        const struct tn_io *io = &io_list.items[i];
        wanted[i]              = (struct wanted){
                         io->name, has_keys && io->key.size ? io->key : io->name, io, false
        };
    }
    return wanted;
}

/* The inputs and outputs of the main graph that are wanted; NULL on failure. */
static struct wanted *want(struct tn_net_loading *l, bool is_input,
                           uint32_t *count)
{
    const struct tn_net_io    *e = l->io;
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
    if (signature && l->model->signature_graphs) {
        l->calling = signature;
        l->called  = l->model->signature_graphs[signature -
                                               tn_list_at(&l->model->signatures,
                                                          struct tn_signature,
                                                          0)];
        if (l->called == TN_NONE) {
            tn_error_set(l->net->error, TN_NOT_FOUND, TN_NOWHERE,
                         "the subgraph of the signature '%.*s' was removed",
                         TN_FMT(signature->name));
            return NULL;
        }
    }
    struct tn_io_list io_list = signature && is_input ? signature->inputs
                                : signature           ? signature->outputs
                                : is_input
                                    ? tn_model_graph_at(l->model, 0)->inputs
                                    : tn_model_graph_at(l->model, 0)->outputs;
    *count                    = io_list.count;
    return take_io_list(l, io_list, signature != NULL);
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
    uint32_t value = find_io(l, graph, w->value);
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
        net_load_type(l->net, id, w->type);
    else if (value == TN_NONE && is_offsets(l, w->value))
        type_offsets(l->net, id);
    tn_net_add_input(l->net, graph, id, w->name);
}

static enum tn_status check_given(struct tn_net_loading *l,
                                  const struct wanted   *w)
{
    struct tn_bytes base = w->value;
    uint32_t        output;

    if (!w->is_given || find_io(l, 0, w->value) != TN_NONE ||
        is_offsets(l, w->value))
        return TN_OK;
    if (cut_output(w->value, &base, &output) &&
        tn_model_find_named(l->model, 0, base) != TN_NONE)
        return TN_OK;
    return tn_error_because(
        l->net->error, TN_INVALID, TN_REASON_UNKNOWN_INPUT, TN_NOWHERE,
        "the graph has no value '%.*s' to use as an input", TN_FMT(w->name));
}

/* ---- a signature of another graph --------------------------------------- */

/*
 * Then the main graph is one node, CALL, of that graph, which is a function;
 * nothing needs what else the main graph has.
 */

/* The signature's name for an argument of the graph. */
static struct tn_bytes key_of(struct tn_io_list arguments, struct tn_bytes name)
{
    for (uint32_t i = 0; i < arguments.count; i++)
        if (arguments.items[i].key.size &&
            tn_bytes_equal(arguments.items[i].name, name))
            return arguments.items[i].key;
    return name;
}

static void load_call_inputs(struct tn_net_loading *l)
{
    struct tn_io_list from = tn_model_graph_at(l->model, l->called)->inputs;

    for (uint32_t i = 0; i < from.count && !tn_failed(l->net->error); i++) {
        const struct tn_io *io  = &from.items[i];
        struct tn_bytes     key = key_of(l->calling->inputs, io->name);
        if (io->has_default)
            continue; /* a constant of the function */
        uint32_t value = tn_net_add_value(l->net, 0, key);
        if (value == TN_NONE)
            return;
        net_load_type(l->net, value, io);
        tn_net_add_input(l->net, 0, value, key);
    }
}

/* The values of its outputs, by output of the function; NULL on failure. */
static uint32_t *add_call(struct tn_net_loading *l)
{
    const struct tn_graph *g      = tn_model_graph_at(l->model, l->called);
    const struct tn_list  *inputs = &tn_net_graph(l->net, 0)->inputs;
    struct tn_bytes *name = tn_new(l->net->arena, struct tn_bytes, 1,
                                   l->net->error);
    uint32_t        *made =
        tn_new(&l->scratch, uint32_t, g->outputs.count, l->net->error);

    for (uint32_t i = 0; made && i < g->outputs.count; i++)
        made[i] = tn_net_add_value(
            l->net, 0,
            key_of(l->calling->outputs, g->outputs.items[i].name));
    if (tn_failed(l->net->error) || !name)
        return NULL;
    *name                   = tn_model_name(l->model, g->name);
    struct tn_net_node node = { .op           = tn_net_own_op(l->net, "CALL"),
                                .graph        = 0,
                                .inputs       = inputs->items,
                                .input_count  = (uint32_t)inputs->count,
                                .outputs      = made,
                                .output_count = g->outputs.count,
                                .source       = TN_NONE };
    uint32_t           id   = tn_net_add_node(l->net, &node);
    if (id != TN_NONE)
        tn_net_set_attr(l->net, id, "subgraph",
                        &(struct tn_attr_value){ .kind       = TN_ATTR_FUNCTION,
                                                 .count      = 1,
                                                 .of.strings = name });
    return tn_failed(l->net->error) ? NULL : made;
}

/* In the order of the signature. */
static void load_call_outputs(struct tn_net_loading *l)
{
    struct tn_io_list of    = tn_model_graph_at(l->model, l->called)->outputs;
    struct tn_io_list named = l->calling->outputs;
    const uint32_t   *made  = add_call(l);

    for (uint32_t i = 0; made && i < named.count && !tn_failed(l->net->error);
         i++) {
        uint32_t k = 0;
        while (k < of.count &&
               !tn_bytes_equal(of.items[k].name, named.items[i].name))
            k++;
        if (k == of.count)
            tn_error_set(l->net->error, TN_MALFORMED, TN_NOWHERE,
                         "'%.*s' is not an output of its subgraph",
                         TN_FMT(named.items[i].key));
        else
            tn_net_add_output(l->net, 0, made[k], named.items[i].key);
    }
}

/* Sets the inputs and outputs that the model or the caller names.  Inputs come
 * first: nodes that would produce them are then not needed. */
static enum tn_status net_load_inputs(struct tn_net_loading *l)
{
    uint32_t       count;
    struct wanted *wanted = want(l, true, &count);

    if (wanted && l->called) {
        load_call_inputs(l);
        count = 0;
    }
    for (uint32_t i = 0; wanted && i < count && !tn_failed(l->net->error); i++)
        if (check_given(l, &wanted[i]) == TN_OK)
            add_input(l, 0, &wanted[i]);
    for (uint32_t g = 1; g < l->model->graphs.count; g++) {
        struct tn_io_list io_list = tn_model_graph_at(l->model, g)->inputs;
        wanted                    = take_io_list(l, io_list, false);
        for (uint32_t i = 0; wanted && i < io_list.count; i++)
            if (io_list.items[i].name.size && !tn_failed(l->net->error))
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

/* Makes an output that nothing has named before: "split:2". */
static uint32_t make_output(struct tn_net_loading *l, struct tn_bytes name)
{
    struct tn_bytes base;
    uint32_t        output, value;

    if (!cut_output(name, &base, &output))
        return TN_NONE;
    value         = tn_model_find_named(l->model, 0, base);
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
    uint32_t value = find_io(l, graph, w->value);
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
        net_load_type(l->net, id, w->type);
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

/* Kernels always make all their results: an unused one beside one that is used
 * is not an output of the model. */
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

/* An output that neither the caller nor a signature nor the file names. */
static bool is_guess(const struct tn_net_loading *l, const struct wanted *w)
{
    if (w->is_given || !w->type || w->type->key.size)
        return false;
    return !l->model->dialect->names_outputs || w->type->is_guessed;
}

/* If no file lists outputs, every unused result looks like one; in a GraphDef,
 * except nodes without results, and inputs. */
static bool is_no_output(struct tn_net_loading *l, const struct wanted *w)
{
    uint32_t value = find_io(l, 0, w->value);

    if (!is_guess(l, w) || value == TN_NONE)
        return false;
    uint32_t op = tn_model_value_at(l->model, value)->producer;
    if (l->net->facts->names_everything)
        return op != TN_NONE && is_by_the_way(l, op);
    return l->is_cut[value] || (op != TN_NONE && net_known_outputs(l, op) == 0);
}

/* A value that an op keeps for its gradient is not an output of the model. */
static bool is_reserve(struct tn_net_loading *l, uint32_t op, uint32_t output)
{
    const struct tn_vocab_op *known = find_op(l, op);

    return known && !known->has_lists && output < known->output_count &&
           tn_bytes_starts_with(known->outputs[output].name, "reserve_space");
}

/* The other results of an op of a GraphDef whose first result is not used: all
 * results of a node at the end of a graph are outputs. */
static void add_others(struct tn_net_loading *l, const struct wanted *w)
{
    uint32_t value = find_io(l, 0, w->value);
    uint32_t op    = value == TN_NONE
                         ? TN_NONE
                         : tn_model_value_at(l->model, value)->producer;
    uint32_t node  = op == TN_NONE ? TN_NONE : l->nodes[op];
    uint32_t count =
        node == TN_NONE ? 0 : tn_net_node(l->net, node).output_count;

    if (l->model->dialect->names_outputs || !is_guess(l, w))
        return;
    for (uint32_t i = 1; i < count && !tn_failed(l->net->error); i++) {
        if (is_reserve(l, op, i))
            continue;
        char *name = tn_text_format(l->net->arena, l->net->error,
                                    "%.*s:%" PRIu32, TN_FMT(w->value), i);
        if (!name)
            return;
        add_output(
            l, 0,
            &(struct wanted){ .value = tn_text(name), .name = tn_text(name) });
    }
}

static enum tn_status net_load_outputs(struct tn_net_loading *l)
{
    uint32_t       count;
    struct wanted *wanted = want(l, false, &count);

    if (wanted && l->called) {
        load_call_outputs(l);
        count = 0;
    }
    for (uint32_t i = 0; wanted && i < count && !tn_failed(l->net->error);
         i++) {
        if (is_no_output(l, &wanted[i]))
            continue;
        add_output(l, 0, &wanted[i]);
        add_others(l, &wanted[i]);
        tn_net_graph(l->net, 0)->are_outputs_guessed |= is_guess(l, &wanted[i]);
    }
    for (uint32_t g = 1; g < l->model->graphs.count; g++) {
        struct tn_io_list io_list = tn_model_graph_at(l->model, g)->outputs;
        if (tn_model_graph_at(l->model, g)->kind == TN_GRAPH_OTHER)
            continue;
        wanted = take_io_list(l, io_list, false);
        for (uint32_t i = 0; wanted && i < io_list.count; i++)
            if (io_list.items[i].name.size && !tn_failed(l->net->error))
                add_output(l, g, &wanted[i]);
    }
    return l->net->error->status;
}

/* ---- a Paddle program becomes a net: blocks that write variables -------- */

/*
 * A block of Paddle runs with the variables of the blocks around it, reads them
 * as they are then and writes them.  In a net a graph has values of its own,
 * and what it writes comes out of the node that holds it:
 *
 *   while              Loop(none, condition, v...) {body}
 *   conditional_block  If(condition) {the block} else {the variables as before}
 *   select_input       If(mask) {the second} else {the first}
 *
 * with a v for each variable of the outside that the block, or one within it,
 * writes (flow.h).  A condition of Paddle has one element, that of a net none.
 *
 * A variable that has not been written before must not be read, but an If must
 * give something: zeros of the declared type, or an empty list.
 *
 * write_to_array changes its array.  Here it takes the array as it was, in
 * `Array`, and gives another; an element that is there already goes first:
 *
 *   kept <- If(I < length) {array_erase(Array, I)} else {Array}
 */

/* A variable that crosses the border of a block. */
struct crossing {
    uint32_t home;
    uint32_t before; /* what it was                                           */
    bool     was_defined, was_handed;
};

struct crossings {
    struct crossing *items;
    uint32_t         count;
};

enum { DEPTH_MAX = 128 };

/* ---- variables ---------------------------------------------------------- */

/* The outermost value of that name which means the same variable: declared in
 * one block, it is used in others inside. */
static uint32_t find_home(const struct tn_net_loading *l, uint32_t value)
{
    const struct tn_value *row   = tn_model_value_at(l->model, value);
    struct tn_bytes        name  = tn_model_name(l->model, row->name);
    uint32_t               graph = row->graph, home = value;
    struct tn_declared     unused;

    for (int left = DEPTH_MAX; left; left--) {
        if (l->model->dialect->declared(l->model, graph, name, &unused))
            return home;
        graph = tn_model_graph_at(l->model, graph)->parent_graph;
        if (graph == TN_NONE)
            return home;
        uint32_t outer = tn_model_find_value(l->model, graph, row->name);
        if (outer != TN_NONE)
            home = outer;
    }
    return home;
}

static uint32_t depth_of(const struct tn_net_loading *l, uint32_t graph)
{
    return tn_model_graph_at(l->model, graph)->depth;
}

static void write_outside(struct tn_net_loading *l, uint32_t graph,
                          uint32_t home)
{
    uint32_t outside = tn_model_value_at(l->model, home)->graph;

    if (depth_of(l, outside) >= depth_of(l, graph) ||
        l->stamps[home] == graph + 1)
        return;
    struct tn_net_written *row =
        tn_list_push(&l->written, struct tn_net_written, l->net->error);
    if (!row)
        return;
    *row = (struct tn_net_written){ home, l->first_written[graph] };
    l->first_written[graph] = (uint32_t)l->written.count;
    l->stamps[home]         = graph + 1;
}

static void find_written(struct tn_net_loading *l, uint32_t graph)
{
    const struct tn_graph *g = tn_model_graph_at(l->model, graph);

    for (uint32_t i = 0; i < g->op_count; i++) {
        uint32_t op = g->first_op + i;
        for (uint32_t k = 0; k < tn_model_op_at(l->model, op)->output_count;
             k++)
            if (tn_op_output(l->model, op, k) != TN_NONE)
                write_outside(l, graph, l->home[tn_op_output(l->model, op, k)]);
    }
    for (uint32_t inner = l->first_inner[graph]; inner != TN_NONE;
         inner          = l->next_inner[inner])
        for (uint32_t at = l->first_written[inner]; at;
             at = tn_list_at(&l->written, struct tn_net_written, at - 1)->next)
            write_outside(
                         l, graph,
                         tn_list_at(&l->written, struct tn_net_written, at - 1)->home);
}

/* Blocks come after those that contain them. */
static enum tn_status find_all_written(struct tn_net_loading *l)
{
    uint32_t count = (uint32_t)l->model->graphs.count;

    for (uint32_t i = count; i-- > 1;) {
        uint32_t parent = tn_model_graph_at(l->model, i)->parent_graph;
        if (parent >= i)
            continue;
        find_written(l, i);
        l->next_inner[i]       = l->first_inner[parent];
        l->first_inner[parent] = i;
    }
    return l->net->error->status;
}

/* In dialects whose graphs declare variables: before anything is loaded; and
 * all ops, with the blocks that they hold. */
static enum tn_status net_find_homes(struct tn_net_loading *l)
{
    uint64_t         values = l->model->values.count;
    uint64_t         graphs = l->model->graphs.count;
    struct tn_error *error  = l->net->error;

    if (!l->model->dialect->declared)
        return TN_OK;
    l->home          = tn_new(&l->scratch, uint32_t, values, error);
    l->stamps        = tn_new(&l->scratch, uint32_t, values, error);
    l->is_handed     = tn_new(&l->scratch, bool, values, error);
    l->first_written = tn_new(&l->scratch, uint32_t, graphs, error);
    l->first_inner   = tn_new(&l->scratch, uint32_t, graphs, error);
    l->next_inner    = tn_new(&l->scratch, uint32_t, graphs, error);
    if (tn_failed(error))
        return error->status;
    memset(l->first_inner, 0xff, (size_t)graphs * sizeof *l->first_inner);
    for (uint32_t i = 0; i < values; i++)
        l->home[i] = find_home(l, i);
    return find_all_written(l);
}

static bool is_defined(const struct tn_net_loading *l, uint32_t home)
{
    const struct tn_net_value now = tn_net_value(l->net, l->now[home]);

    return now.producer != TN_NONE || now.constant || l->is_cut[home] ||
           l->is_handed[home];
}

static struct tn_bytes name_of(const struct tn_net_loading *l, uint32_t home)
{
    return tn_model_name(l->model, tn_model_value_at(l->model, home)->name);
}

/* What an enclosing block declares about the value. */
static bool find_declared(const struct tn_net_loading *l, uint32_t home,
                          struct tn_declared *to)
{
    uint32_t graph = tn_model_value_at(l->model, home)->graph;

    for (int left = DEPTH_MAX; left && graph != TN_NONE; left--) {
        if (l->model->dialect->declared(l->model, graph, name_of(l, home), to))
            return true;
        graph = tn_model_graph_at(l->model, graph)->parent_graph;
    }
    return false;
}

/* ---- nodes that are not in the file ------------------------------------- */

/* Arguments are in the order of the vocabulary. */
static uint32_t add_node(struct tn_net_loading *l, uint32_t graph,
                         const char *type, const uint32_t *inputs,
                         uint32_t input_count, struct tn_bytes wish)
{
    uint32_t output = tn_net_add_value(l->net, graph, wish);

    if (output == TN_NONE)
        return TN_NONE;
    struct tn_net_node node = { .op           = tn_net_own_op(l->net, type),
                                .graph        = graph,
                                .inputs       = inputs,
                                .input_count  = input_count,
                                .outputs      = &output,
                                .output_count = 1,
                                .source       = TN_NONE };
    return tn_net_add_node(l->net, &node) == TN_NONE ? TN_NONE : output;
}

static void set_ints(struct tn_net_loading *l, uint32_t value, const char *name,
                     const int64_t *items, uint32_t count, bool is_list)
{
    if (value != TN_NONE)
        tn_net_set_ints(l->net, tn_net_value(l->net, value).producer, name,
                        items, count, is_list);
}

static void set_graph(struct tn_net_loading *l, uint32_t node, const char *name,
                      uint32_t graph)
{
    tn_net_set_int(l->net, node, name, TN_ATTR_GRAPH, graph);
}

static uint32_t as_scalar(struct tn_net_loading *l, uint32_t graph,
                          uint32_t value)
{
    uint32_t made =
        add_node(l, graph, "reshape2", &value, 1, tn_text("condition"));

    set_ints(l, made, "shape", NULL, 0, true);
    return made;
}

/* The value of a variable that is not written yet; TN_NONE on failure. */
static uint32_t placeholder(struct tn_net_loading *l, uint32_t graph,
                            uint32_t home)
{
    struct tn_declared told = { 0 };
    uint32_t           made;

    if (!find_declared(l, home, &told) || !told.has_type) {
        tn_error_set(l->net->error, TN_UNSUPPORTED, TN_NOWHERE,
                     "'%.*s' is used before the block that writes it",
                     TN_FMT(name_of(l, home)));
        return TN_NONE;
    }
    int64_t *dims = tn_new(&l->scratch, int64_t, told.rank, l->net->error);
    for (uint32_t i = 0; dims && i < told.rank; i++)
        dims[i] = told.dims[i] < 0 ? 1 : told.dims[i];
    made = add_node(l, graph, told.is_list ? "create_array" : "fill_constant",
                    NULL, 0, name_of(l, home));
    if (dims && !told.is_list)
        set_ints(l, made, "shape", dims, told.rank, true);
    set_ints(l, made, "dtype", &(int64_t){ told.number }, 1, false);
    return tn_failed(l->net->error) ? TN_NONE : made;
}

static uint32_t current(struct tn_net_loading *l, uint32_t graph, uint32_t home)
{
    return is_defined(l, home) ? l->now[home] : placeholder(l, graph, home);
}

/* ---- variables that cross the border of a block -------------------------- */

static struct crossings list_crossings(struct tn_net_loading *l, uint32_t block)
{
    struct crossings all = { NULL, 0 };

    for (uint32_t at = l->first_written[block]; at;
         at = tn_list_at(&l->written, struct tn_net_written, at - 1)->next)
        all.count++;
    all.items = tn_new(&l->scratch, struct crossing, all.count, l->net->error);
    uint32_t at = l->first_written[block];
    /* They are in reverse order. */
    for (uint32_t i = all.count; all.items && i-- > 0;) {
        struct tn_net_written *row =
            tn_list_at(&l->written, struct tn_net_written, at - 1);
        uint32_t home = row->home;
        all.items[i] =
            (struct crossing){ home, l->now[home], is_defined(l, home),
                               l->is_handed[home] };
        at = row->next;
    }
    return all;
}

/* The node gives each variable as it is after it. */
static uint32_t add_structure(struct tn_net_loading *l, uint32_t op,
                              const char *type, const uint32_t *inputs,
                              uint32_t input_count, struct crossings all)
{
    uint32_t  graph   = tn_model_op_at(l->model, op)->graph;
    uint32_t *outputs = tn_new(&l->scratch, uint32_t, all.count, l->net->error);

    for (uint32_t i = 0; outputs && i < all.count; i++) {
        uint32_t home = all.items[i].home;
        outputs[i]    = tn_net_add_value(l->net, graph, name_of(l, home));
        l->now[home]  = outputs[i];
    }
    if (tn_failed(l->net->error))
        return TN_NONE;
    struct tn_net_node node = { .op           = tn_net_own_op(l->net, type),
                                .graph        = graph,
                                .inputs       = inputs,
                                .input_count  = input_count,
                                .outputs      = outputs,
                                .output_count = all.count,
                                .source       = op };
    l->nodes[op]            = tn_net_add_node(l->net, &node);
    return l->nodes[op];
}

static void add_block_output(struct tn_net_loading *l, uint32_t graph,
                             uint32_t value)
{
    if (value != TN_NONE && !tn_failed(l->net->error))
        tn_net_add_output(l->net, graph, value, tn_bytes(NULL, 0));
}

/* ---- arguments ---------------------------------------------------------- */

/* The one with that number in a slot: the variable, or TN_NONE. */
static uint32_t argument(struct tn_net_loading *l, uint32_t op,
                         const char *slot, uint32_t number)
{
    const struct tn_op *row = tn_model_op_at(l->model, op);
    uint32_t            at = 0, count = 0, value = TN_NONE;
    struct tn_bytes     name;

    if (!row->wire_length)
        return TN_NONE;
    struct tn_cursor c = tn_cursor_span(
        (struct tn_span){
            *tn_list_at(&l->model->sources, struct tn_source *, row->source),
            row->wire_offset, row->wire_length },
        l->net->error);
    while (l->model->dialect->next_slot(&c, false, &name, &count)) {
        if (tn_bytes_is(name, slot) && number < count &&
            at + number < row->input_count)
            value = tn_op_input(l->model, op, at + number);
        at += count;
    }
    return value == TN_NONE ? TN_NONE : l->home[value];
}

static enum tn_status refuse(struct tn_net_loading *l, uint32_t op,
                             const char *why)
{
    tn_error_set(l->net->error, TN_MALFORMED, TN_NOWHERE, "%s", why);
    return net_place_op(l, op);
}

/* The block of an op, which no other op has; TN_NONE with the error set. */
static uint32_t block_of(struct tn_net_loading *l, uint32_t op)
{
    const struct tn_op *row = tn_model_op_at(l->model, op);

    l->decoded.count = 0;
    if (tn_attr_list(l->model, op, l->net->arena, &l->decoded, l->net->error) !=
        TN_OK)
        return TN_NONE;
    for (uint64_t i = 0; i < l->decoded.count; i++) {
        const struct tn_attr_named *attr =
            tn_list_at(&l->decoded, struct tn_attr_named, i);
        if (!tn_bytes_is(attr->name, "sub_block") ||
            attr->value.kind != TN_ATTR_GRAPH || attr->value.count != 1 ||
            (uint64_t)attr->value.of.ints[0] >= l->model->graphs.count)
            continue;
        uint32_t               block = (uint32_t)attr->value.of.ints[0];
        const struct tn_graph *g     = tn_model_graph_at(l->model, block);
        if (g->kind == TN_GRAPH_SUBGRAPH && g->parent_graph == row->graph &&
            tn_model_graph_at(l->model, row->graph)->first_op +
                    (uint64_t)g->parent_node ==
                op)
            return block;
    }
    refuse(l, op, "it has no block of its own");
    return TN_NONE;
}

/* ---- structures --------------------------------------------------------- */

static enum tn_status load_block(struct tn_net_loading *l, uint32_t graph,
                                 int depth);

static void hand_in(struct tn_net_loading *l, uint32_t body,
                    struct crossings all)
{
    uint32_t round = tn_net_add_value(l->net, body, tn_text("round"));
    uint32_t going = tn_net_add_value(l->net, body, tn_text("going"));

    if (tn_failed(l->net->error))
        return;
    tn_net_set_scalar(l->net, round, TN_INT64);
    tn_net_set_scalar(l->net, going, TN_BOOL);
    tn_net_add_input(l->net, body, round, tn_bytes(NULL, 0));
    tn_net_add_input(l->net, body, going, tn_bytes(NULL, 0));
    for (uint32_t i = 0; i < all.count && !tn_failed(l->net->error); i++) {
        uint32_t home = all.items[i].home;
        uint32_t now  = tn_net_add_value(l->net, body, name_of(l, home));
        if (now == TN_NONE)
            return;
        tn_net_add_input(l->net, body, now, tn_bytes(NULL, 0));
        l->now[home]       = now;
        l->is_handed[home] = true;
    }
}

static enum tn_status load_loop(struct tn_net_loading *l, uint32_t op,
                                int depth)
{
    uint32_t         graph = tn_model_op_at(l->model, op)->graph;
    uint32_t         going = argument(l, op, "Condition", 0);
    uint32_t         body  = block_of(l, op);
    struct crossings all;

    if (body == TN_NONE)
        return l->net->error->status;
    if (going == TN_NONE || !is_defined(l, going))
        return refuse(l, op, "nothing defines the condition");
    all = list_crossings(l, body);
    uint32_t *inputs =
        tn_new(&l->scratch, uint32_t, (uint64_t)all.count + 2, l->net->error);
    if (!all.items || !inputs)
        return l->net->error->status;
    inputs[0] = TN_NONE;
    inputs[1] = as_scalar(l, graph, l->now[going]);
    for (uint32_t i = 0; i < all.count && !tn_failed(l->net->error); i++)
        inputs[i + 2] = current(l, graph, all.items[i].home);
    if (tn_failed(l->net->error))
        return net_place_op(l, op);
    hand_in(l, body, all);
    TN_TRY(load_block(l, body, depth + 1));
    add_block_output(l, body, as_scalar(l, body, l->now[going]));
    for (uint32_t i = 0; i < all.count; i++)
        add_block_output(l, body, l->now[all.items[i].home]);
    set_graph(l, add_structure(l, op, "Loop", inputs, all.count + 2, all),
              "body", body);
    return l->net->error->status;
}

/* A graph that returns the variables unchanged. */
static uint32_t add_unchanged(struct tn_net_loading *l, uint32_t parent,
                              struct crossings all)
{
    uint32_t graph =
        tn_net_add_graph(l->net, TN_GRAPH_SUBGRAPH, tn_text("else"), parent);

    for (uint32_t i = 0;
         graph != TN_NONE && i < all.count && !tn_failed(l->net->error); i++) {
        const struct crossing *c = &all.items[i];
        add_block_output(l, graph,
                         c->was_defined
                             ? add_node(l, graph, "assign", &c->before, 1,
                                        name_of(l, c->home))
                             : placeholder(l, graph, c->home));
    }
    return graph;
}

/* All elements of the condition must be true; it has one, mostly. */
static uint32_t branch_condition(struct tn_net_loading *l, uint32_t op,
                                 uint32_t value)
{
    uint32_t graph  = tn_model_op_at(l->model, op)->graph;
    bool     is_one = false;

    for (uint64_t i = 0; i < l->decoded.count; i++) {
        const struct tn_attr_named *attr =
            tn_list_at(&l->decoded, struct tn_attr_named, i);
        if (tn_bytes_is(attr->name, "is_scalar_condition") &&
            attr->value.kind == TN_ATTR_BOOL)
            is_one = attr->value.of.ints[0];
    }
    if (!is_one) {
        value = add_node(l, graph, "reduce_all", &value, 1, tn_text("all"));
        set_ints(l, value, "reduce_all", &(int64_t){ 1 }, 1, false);
    }
    return value == TN_NONE ? TN_NONE : as_scalar(l, graph, value);
}

static enum tn_status load_branch(struct tn_net_loading *l, uint32_t op,
                                  int depth)
{
    uint32_t         graph = tn_model_op_at(l->model, op)->graph;
    uint32_t         given = argument(l, op, "Cond", 0);
    uint32_t         block = block_of(l, op), cond, other;
    struct crossings all;

    if (block == TN_NONE)
        return l->net->error->status;
    if (given == TN_NONE || !is_defined(l, given) ||
        argument(l, op, "Cond", 1) != TN_NONE)
        return refuse(l, op, "expected one condition that is defined");
    cond = branch_condition(l, op, l->now[given]);
    all  = list_crossings(l, block);
    if (!all.items || cond == TN_NONE)
        return l->net->error->status;
    TN_TRY(load_block(l, block, depth + 1));
    for (uint32_t i = 0; i < all.count; i++) {
        add_block_output(l, block, l->now[all.items[i].home]);
        l->is_handed[all.items[i].home] = all.items[i].was_handed;
    }
    other = add_unchanged(l, graph, all);
    if (tn_failed(l->net->error))
        return net_place_op(l, op);
    uint32_t node = add_structure(l, op, "If", &cond, 1, all);
    set_graph(l, node, "then_branch", block);
    set_graph(l, node, "else_branch", other);
    return l->net->error->status;
}

/* A graph that returns one value from outside. */
static uint32_t add_pick(struct tn_net_loading *l, uint32_t parent,
                         uint32_t value, struct tn_bytes name)
{
    uint32_t graph =
        tn_net_add_graph(l->net, TN_GRAPH_SUBGRAPH, tn_text("branch"), parent);

    if (graph != TN_NONE)
        add_block_output(l, graph,
                         add_node(l, graph, "assign", &value, 1, name));
    return graph;
}

static enum tn_status load_select(struct tn_net_loading *l, uint32_t op)
{
    uint32_t graph  = tn_model_op_at(l->model, op)->graph;
    uint32_t mask   = argument(l, op, "Mask", 0);
    uint32_t pair[] = { argument(l, op, "X", 1), argument(l, op, "X", 0) };
    uint32_t out    = tn_model_op_at(l->model, op)->output_count
                          ? tn_op_output(l->model, op, 0)
                          : TN_NONE;

    if (mask == TN_NONE || !is_defined(l, mask) || pair[0] == TN_NONE ||
        pair[1] == TN_NONE || out == TN_NONE)
        return refuse(l, op, "expected two values and a mask");
    uint32_t cond =
        add_node(l, graph, "cast", &l->now[mask], 1, tn_text("mask"));
    set_ints(l, cond, "out_dtype", &(int64_t){ 0 }, 1, false);
    cond              = as_scalar(l, graph, cond);
    uint32_t from[]   = { current(l, graph, pair[0]),
                          current(l, graph, pair[1]) };
    uint32_t graphs[] = { TN_NONE, TN_NONE };
    for (int i = 0; i < 2 && !tn_failed(l->net->error); i++)
        graphs[i] = add_pick(l, graph, from[i], name_of(l, l->home[out]));
    if (tn_failed(l->net->error))
        return net_place_op(l, op);
    struct crossing  one  = { .home = l->home[out] };
    struct crossings all  = { &one, 1 };
    uint32_t         node = add_structure(l, op, "If", &cond, 1, all);
    set_graph(l, node, "then_branch", graphs[0]);
    set_graph(l, node, "else_branch", graphs[1]);
    return l->net->error->status;
}

/* ---- arrays ------------------------------------------------------------- */

/* `array` without element I, when it has one. */
static uint32_t without(struct tn_net_loading *l, uint32_t graph,
                        uint32_t array, uint32_t index)
{
    struct tn_bytes name = tn_net_value(l->net, array).name;
    uint32_t        length =
        add_node(l, graph, "lod_array_length", &array, 1, tn_text("length"));
    uint32_t inside =
        add_node(l, graph, "less_than", (uint32_t[]){ index, length }, 2,
                 tn_text("inside"));
    uint32_t has = as_scalar(l, graph, inside);
    uint32_t then =
        tn_net_add_graph(l->net, TN_GRAPH_SUBGRAPH, tn_text("has"), graph);
    uint32_t other = add_pick(l, graph, array, name);
    uint32_t kept  = add_node(l, graph, "If", &has, 1, name);
    if (tn_failed(l->net->error))
        return TN_NONE;
    add_block_output(l, then,
                     add_node(l, then, "array_erase",
                              (uint32_t[]){ array, index }, 2, name));
    uint32_t node = tn_net_value(l->net, kept).producer;
    set_graph(l, node, "then_branch", then);
    set_graph(l, node, "else_branch", other);
    return kept;
}

/* The array that a write_to_array writes, before it does and without the
 * element that it writes; TN_NONE on failure. */
static uint32_t net_array_before(struct tn_net_loading *l, uint32_t op)
{
    const struct tn_op *row   = tn_model_op_at(l->model, op);
    uint32_t            index = argument(l, op, "I", 0);

    if (row->output_count != 1 || index == TN_NONE ||
        tn_op_output(l->model, op, 0) == TN_NONE) {
        tn_error_set(l->net->error, TN_MALFORMED, TN_NOWHERE,
                     "expected an index and an array");
        return TN_NONE;
    }
    uint32_t home = l->home[tn_op_output(l->model, op, 0)];
    if (!is_defined(l, home))
        return placeholder(l, row->graph, home);
    return without(l, row->graph, l->now[home], l->now[index]);
}

/* ---- the whole ---------------------------------------------------------- */

static enum tn_status load_op(struct tn_net_loading *l, uint32_t op, int depth)
{
    struct tn_bytes type =
        tn_model_name(l->model, tn_model_op_at(l->model, op)->type);

    if (tn_bytes_is(type, "while"))
        return load_loop(l, op, depth);
    if (tn_bytes_is(type, "conditional_block") ||
        tn_bytes_is(type, "conditional_block_infer"))
        return load_branch(l, op, depth);
    if (tn_bytes_is(type, "select_input"))
        return load_select(l, op);
    return net_load_op(l, op);
}

static enum tn_status load_block(struct tn_net_loading *l, uint32_t graph,
                                 int depth)
{
    const struct tn_graph *g = tn_model_graph_at(l->model, graph);

    if (depth > DEPTH_MAX)
        return tn_error_set(l->net->error, TN_LIMIT, TN_NOWHERE,
                            "blocks nested deeper than %d", DEPTH_MAX);
    for (uint32_t i = 0; i < g->op_count; i++)
        TN_TRY(load_op(l, g->first_op + i, depth));
    return TN_OK;
}

static enum tn_status net_load_blocks(struct tn_net_loading *l)
{
    return load_block(l, 0, 0);
}
