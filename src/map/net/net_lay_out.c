/*
 * net_lay_out.c - a net becomes the flat tables of a model
 *
 * The model counts as edited and has no file: a writer takes all of it from the
 * tables.  Only what is needed is laid out: nodes that are not removed, graphs
 * that such nodes hold, constants that something uses.
 *
 * First all values get their names.
 */
#include <inttypes.h>

#include "base/buffer.h"
#include "ir/attr.h"
#include "ir/pairs.h"
#include "map/net/net.h"
#include "map/net/net_load.h"

/* An identity that gives an output. */
struct tn_lay_relay {
    uint32_t graph;
    uint32_t from; /* value */
    uint32_t to;   /* name */
};

/* A scope in which each name may be used once; all names are in the model's
 * table. */
struct tn_lay_scope {
    struct tn_list  taken; /* uint64_t: a bit for each name of the model     */
    struct tn_pairs tries; /* (name, 0) -> in numbers                        */
    struct tn_list  numbers; /* uint32_t: the last _N made of a name         */
};

/* What is kept of a constant after the values of the net were freed. */
struct tn_lay_constant {
    const struct tn_elements *elements;
    const struct tn_tensor   *origin;
    uint32_t                  name, graph; /* of the model                    */
    bool                      is_trained;
};

/* An op of the net in the model. */
struct tn_lay_op {
    uint32_t type, domain; /* names                                           */
    uint32_t kind;         /* of the model; TN_NONE: none has been laid yet   */
    bool     is_known;
};

struct tn_laying {
    struct tn_net   *net;
    struct tn_model *model;
    struct tn_list  *origins; /* by tensor; NULL: not wanted             */
    struct tn_error *error;
    struct tn_arena  scratch;
    const struct tn_dialect_facts *facts;
    bool names_nodes; /* also those that have no name                         */
    struct tn_lay_op *ops; /* by op of the net's table                        */
    uint32_t *names; /* by value: the model's name; TN_NO_NAME: none yet      */
    bool     *is_used; /* by value: by a node that stays                    */
    bool *is_input; /* by value: of a graph                                  */
    uint8_t *plain; /* by node: 1, all that it makes are outputs and no more; 2,
                       not; 0, not asked                                      */
    uint8_t *wanted;     /* by value: 1, once an output of the main graph; 2,
                            more often                                        */
    bool     *is_output; /* by value: it has an output's name                 */
    uint32_t *holder;    /* by graph: the node that holds it                  */
    uint32_t *slot;      /* by graph: in which attribute                      */
    uint32_t *placed;    /* by graph: TN_NONE: it is not needed               */
    uint32_t *numbers;   /* by graph: in the model                            */
    uint32_t **end_names; /* by graph: of its outputs                       */
    struct tn_io_list *inputs, *outputs; /* by graph                          */
    uint32_t *ordinal; /* by node: in its graph; NULL: there is but one     */
    struct tn_list  relays; /* struct tn_lay_relay */
    struct tn_list  queue;  /* uint32_t: graphs whose nodes stay              */
    struct tn_list  constants; /* struct tn_lay_constant */
    struct tn_pairs lists; /* address of a list of attributes -> first slot  */
    struct tn_lay_scope value_names, op_names;
    const struct tn_op_names
                    *given; /* see tn_op_names_find(); NULL: not there */
    struct tn_buffer wish;  /* a name before it is one                      */
};

enum { LOOK_AHEAD = 8 }; /* nodes */

/* ---- names of the source's nodes ---------------------------------------- */

/* Two bits for each name of the model. */
enum { OF_NODE = 1, REPEATED = 2 };

static unsigned said_of(const struct tn_op_names *names, uint32_t id)
{
    return names->bits[id / 32] >> id % 32 * 2 & 3;
}

static void say(const struct tn_op_names *names, uint32_t id, unsigned what)
{
    names->bits[id / 32] |= (uint64_t)what << id % 32 * 2;
}

/* The slot of a text, or the free one where it belongs. */
static struct tn_intern_slot *name_slot(const struct tn_op_names *names,
                                        struct tn_bytes text, uint32_t hash)
{
    uint64_t mask = names->slot_count - 1;

    for (uint64_t i = hash & mask;; i = (i + 1) & mask) {
        struct tn_intern_slot *slot = &names->slots[i];
        if (!slot->entry ||
            (slot->hash == hash &&
             tn_bytes_equal(tn_intern_text(names->of, slot->entry - 1), text)))
            return slot;
    }
}

/* The id of the first node's name that is this text; TN_NO_NAME: none is. */
static uint32_t find_op_name(const struct tn_op_names *names,
                             struct tn_bytes           text)
{
    uint32_t entry =
        name_slot(names, text, tn_hash_bytes(text, names->of->seed))->entry;

    return entry ? entry - 1 : TN_NO_NAME;
}

static void add_op_name(const struct tn_op_names *names, uint32_t id,
                        uint32_t hash)
{
    struct tn_intern_slot *slot =
        name_slot(names, tn_intern_text(names->of, id), hash);

    if (slot->entry)
        say(names, id, REPEATED);
    else
        *slot = (struct tn_intern_slot){ id + 1, hash };
    say(names, id, OF_NODE);
}

/* A million names and their slots are in no cache: they are fetched a few ahead
 * of their turn. */
static void add_op_names(const struct tn_op_names *names,
                         const struct tn_model    *model)
{
    enum { AHEAD = 8 };
    uint32_t hashes[AHEAD], ids[AHEAD];
    uint64_t count = model->ops.count;

    for (uint64_t i = 0; i < count + AHEAD; i++) {
        if (i >= AHEAD && ids[i % AHEAD] != TN_NO_NAME)
            add_op_name(names, ids[i % AHEAD], hashes[i % AHEAD]);
        if (i >= count) {
            ids[i % AHEAD] = TN_NO_NAME;
            continue;
        }
        uint32_t        id   = tn_model_op_at(model, (uint32_t)i)->name;
        struct tn_bytes text = tn_intern_text(names->of, id);
        ids[i % AHEAD]       = text.size ? id : TN_NO_NAME;
        hashes[i % AHEAD]    = tn_hash_bytes(text, names->of->seed);
#if defined(__GNUC__)
        __builtin_prefetch(
            &names->slots[hashes[i % AHEAD] & (names->slot_count - 1)], 1);
#endif
    }
}

void tn_op_names_find(struct tn_op_names *names, const struct tn_model *model)
{
    struct tn_error ignored = TN_ERROR_INIT;
    uint64_t        words   = tn_intern_count(&model->names) / 32 + 1;

    if (names->is_done)
        return;
    names->slot_count = 64;
    while (names->slot_count * 3 <= model->ops.count * 4)
        names->slot_count *= 2;
    tn_arena_init(&names->arena, model->memory);
    names->of    = &model->names;
    names->slots = tn_new(&names->arena, struct tn_intern_slot,
                          names->slot_count, &ignored);
    names->bits  = tn_new(&names->arena, uint64_t, words, &ignored);
    if (tn_failed(&ignored)) {
        tn_arena_done(&names->arena);
        return;
    }
    names->is_done = true;
    add_op_names(names, model);
}

void tn_op_names_done(struct tn_op_names *names)
{
    if (names->is_done)
        tn_arena_done(&names->arena);
    names->is_done = false;
}

/* ---- names of values when a net is laid out ------------------------------ */

/*
 * The public names of inputs and outputs are assigned first, and other values
 * that have such a name are renamed.  An output that is not the result of a
 * node of its own graph (an input, a constant, a value from outside, one that
 * is an output already) goes through an identity. nd4j's files have no list of
 * outputs: outputs are the values that no op uses, except results beside one
 * that is used.  So for nd4j an output that is also used, or whose neighbours
 * are not all outputs, goes through an identity, too.
 */

enum { NOT_ASKED, PLAIN, NOT_PLAIN }; /* tn_laying.plain */

static void lay_scope_init(struct tn_lay_scope *scope, struct tn_memory *memory)
{
    tn_list_init(&scope->taken, memory, sizeof(uint64_t));
    tn_pairs_init(&scope->tries, memory);
    tn_list_init(&scope->numbers, memory, sizeof(uint32_t));
}

static void lay_scope_done(struct tn_lay_scope *scope)
{
    tn_list_done(&scope->taken);
    tn_pairs_done(&scope->tries);
    tn_list_done(&scope->numbers);
}

/* False if it was taken before. */
static bool take(struct tn_laying *l, struct tn_lay_scope *scope, uint32_t name)
{
    uint64_t bit = UINT64_C(1) << name % 64, index = name / 64;

    if (index >= scope->taken.count &&
        !tn_list_grow(&scope->taken, index + 1 - scope->taken.count, l->error))
        return true;
    uint64_t *word    = tn_list_at(&scope->taken, uint64_t, index);
    bool      is_free = !(*word & bit);
    *word |= bit;
    return is_free;
}

/* The last number that was made for the wish, 0 for none yet; NULL on failure.
 */
static uint32_t *last_number(struct tn_laying *l, struct tn_lay_scope *scope,
                             uint32_t wish)
{
    uint32_t at = tn_pairs_find(&scope->tries, wish, 0);

    if (at != TN_NONE)
        return tn_list_at(&scope->numbers, uint32_t, at);
    tn_pairs_add(&scope->tries, wish, 0, (uint32_t)scope->numbers.count,
                 l->error);
    return tn_list_push(&scope->numbers, uint32_t, l->error);
}

/* "_12"; printf takes as long as all the rest of a name. */
static void add_number(struct tn_buffer *to, uint32_t number)
{
    char  text[16];
    char *at = text + sizeof text;

    do
        *--at = (char)('0' + number % 10);
    while (number /= 10);
    *--at = '_';
    tn_buffer_add(to, tn_bytes(at, (size_t)(text + sizeof text - at)));
}

/* In the scope of nodes a text has one id: that of the source's node, if it is
 * the name of one; TN_NO_NAME: it is not. */
static uint32_t given_name(const struct tn_laying *l, struct tn_bytes text)
{
    return l->given ? find_op_name(l->given, text) : TN_NO_NAME;
}

/* wish_1, wish_2...: continues after the last number for the same wish. */
static uint32_t numbered(struct tn_laying *l, struct tn_lay_scope *scope,
                         uint32_t wish)
{
    struct tn_intern *names = &l->model->names;
    struct tn_bytes   of    = tn_intern_text(names, wish);
    uint32_t         *last  = last_number(l, scope, wish);

    while (last && !tn_failed(l->error)) {
        tn_buffer_clear(&l->wish);
        tn_buffer_add(&l->wish, of);
        add_number(&l->wish, ++*last);
        struct tn_bytes text = tn_buffer_bytes(&l->wish);
        uint32_t id = scope == &l->op_names ? given_name(l, text) : TN_NO_NAME;
        if (id == TN_NO_NAME)
            id = tn_intern_copy(names, text, l->error);
        if (id == TN_NO_NAME || take(l, scope, id))
            return id;
    }
    return TN_NO_NAME;
}

/* A name that is free in the scope, derived from one that is in the table;
 * TN_NO_NAME on failure. */
static uint32_t lay_known_name(struct tn_laying *l, struct tn_lay_scope *scope,
                               uint32_t wish)
{
    if (wish == TN_NO_NAME || take(l, scope, wish))
        return wish;
    return numbered(l, scope, wish);
}

/* The same for a text, which must outlive the model. */
static uint32_t lay_name(struct tn_laying *l, struct tn_lay_scope *scope,
                         struct tn_bytes wish)
{
    return lay_known_name(l, scope,
                          tn_intern_borrow(&l->model->names,
                                           wish.size ? wish : tn_text("v"),
                                           l->error));
}

/* Whether a name of the net has the same id in the model. */
static bool has_name(const struct tn_laying *l, uint32_t name)
{
    const struct tn_net_names *names = &l->net->pool->names;

    return names->given == &l->model->names && name < names->given_count;
}

/* A node that was added to make a value is named after the value and its own
 * operator. */
static uint32_t name_inner(struct tn_laying *l, uint32_t value)
{
    const struct tn_net_value v    = tn_net_value(l->net, value);
    struct tn_bytes           what = tn_text("const");

    if (v.producer != TN_NONE)
        what = tn_net_node(l->net, v.producer).op->type;
    tn_buffer_clear(&l->wish);
    tn_buffer_add(&l->wish, v.name);
    tn_buffer_byte(&l->wish, '/');
    tn_buffer_add(&l->wish, what);
    return lay_known_name(
        l, &l->value_names,
        tn_intern_copy(&l->model->names, tn_buffer_bytes(&l->wish), l->error));
}

static uint32_t name_of(struct tn_laying *l, uint32_t value)
{
    const struct tn_net_value_row *row = tn_net_value_row(l->net, value);

    if (row->is_inner)
        return name_inner(l, value);
    struct tn_bytes name = tn_net_text(l->net, row->name);
    if (name.size && has_name(l, row->name))
        return lay_known_name(l, &l->value_names, row->name);
    return lay_name(l, &l->value_names, name);
}

/* Whether a node that stays makes it. */
static bool lay_is_made(const struct tn_laying *l, uint32_t value)
{
    uint32_t producer = tn_net_value(l->net, value).producer;

    return producer != TN_NONE && !tn_net_node(l->net, producer).is_removed;
}

static bool is_made_here(const struct tn_laying *l, uint32_t value,
                         uint32_t graph)
{
    return tn_net_value(l->net, value).graph == graph && lay_is_made(l, value);
}

static void relay(struct tn_laying *l, uint32_t graph, uint32_t from,
                  uint32_t to)
{
    struct tn_lay_relay *r =
        tn_list_push(&l->relays, struct tn_lay_relay, l->error);

    if (r)
        *r = (struct tn_lay_relay){ graph, from, to };
    l->is_used[from] = true;
    if (tn_net_value(l->net, from).producer != TN_NONE)
        l->plain[tn_net_value(l->net, from).producer] = NOT_PLAIN;
}

/* Public names of inputs and outputs of the main graph are kept as they are. */
static void name_inputs(struct tn_laying *l)
{
    const struct tn_list *inputs = &tn_net_graph(l->net, 0)->inputs;

    for (uint32_t i = 0; i < inputs->count; i++) {
        uint32_t        value = *tn_list_at(inputs, uint32_t, i);
        struct tn_bytes text  = tn_net_input_name(l->net, 0, i);
        uint32_t        name = tn_intern_copy(&l->model->names, text, l->error);
        if (name == TN_NO_NAME)
            return;
        if (!take(l, &l->value_names, name))
            tn_error_set(l->error, TN_INVALID, TN_NOWHERE,
                         "two inputs are named '%.*s'", TN_FMT(text));
        l->names[value] = name;
    }
}

/* Whether nd4j's readers recognize it as an output.  Computed once for a node,
 * which may have very many outputs. */
static bool is_plain_output(const struct tn_laying *l, uint32_t value)
{
    uint32_t                 id   = tn_net_value(l->net, value).producer;
    const struct tn_net_node node = tn_net_node(l->net, id);

    for (uint32_t i = 0; !l->plain[id] && i < node.output_count; i++)
        if (node.outputs[i] == TN_NONE || l->is_used[node.outputs[i]] ||
            l->wanted[node.outputs[i]] != 1)
            l->plain[id] = NOT_PLAIN;
    if (!l->plain[id])
        l->plain[id] = PLAIN;
    return l->plain[id] == PLAIN;
}

static void name_output(struct tn_laying *l, uint32_t graph, uint32_t index,
                        uint32_t name)
{
    uint32_t value =
        *tn_list_at(&tn_net_graph(l->net, graph)->outputs, uint32_t, index);
    bool is_direct =
        is_made_here(l, value, graph) && !l->is_output[value] &&
        !(l->facts->names_everything && !is_plain_output(l, value));

    l->end_names[graph][index] = name;
    if (is_direct) {
        l->names[value]     = name;
        l->is_output[value] = true;
    } else {
        relay(l, graph, value, name);
    }
}

/* An output that is an input of the same name needs no identity. */
static bool is_input_too(const struct tn_laying *l, uint32_t value,
                         uint32_t name)
{
    return l->is_input[value] && l->names[value] == name;
}

static void name_outputs(struct tn_laying *l)
{
    const struct tn_list *outputs = &tn_net_graph(l->net, 0)->outputs;

    for (uint32_t i = 0; i < outputs->count; i++) {
        uint8_t *wanted = &l->wanted[*tn_list_at(outputs, uint32_t, i)];
        *wanted         = *wanted ? 2 : 1;
    }
    for (uint32_t i = 0; i < outputs->count && !tn_failed(l->error); i++) {
        uint32_t        value = *tn_list_at(outputs, uint32_t, i);
        struct tn_bytes text  = tn_net_output_name(l->net, 0, i);
        uint32_t        name = tn_intern_copy(&l->model->names, text, l->error);
        l->end_names[0][i]   = name;
        if (name == TN_NO_NAME || is_input_too(l, value, name))
            continue;
        if (!take(l, &l->value_names, name))
            tn_error_set(l->error, TN_INVALID, TN_NOWHERE,
                         "two outputs are named '%.*s': choose one of them "
                         "with --outputs",
                         TN_FMT(text));
        else
            name_output(l, 0, i, name);
    }
}

static void name_inner_outputs(struct tn_laying *l, uint32_t graph)
{
    const struct tn_list *outputs = &tn_net_graph(l->net, graph)->outputs;

    for (uint32_t i = 0; i < outputs->count && !tn_failed(l->error); i++) {
        uint32_t value = *tn_list_at(outputs, uint32_t, i);
        name_output(l, graph, i, name_of(l, value));
    }
}

/* Values that are used or made, except public inputs and outputs. */
static void name_rest(struct tn_laying *l, bool is_inner)
{
    for (uint32_t i = 0; i < l->net->values.count && !tn_failed(l->error); i++)
        if (l->names[i] == TN_NO_NAME &&
            tn_net_value(l->net, i).is_inner == is_inner &&
            (l->is_used[i] || l->is_input[i] || lay_is_made(l, i)))
            l->names[i] = name_of(l, i);
}

/* Names for all values that are needed, and the identities that outputs need.
 */
static void lay_name_values(struct tn_laying *l)
{
    name_inputs(l);
    name_outputs(l);
    for (uint32_t i = 1; i < l->net->graphs.count && !tn_failed(l->error); i++)
        if (l->placed[i] != TN_NONE)
            name_inner_outputs(l, i);
    name_rest(l, false);
    name_rest(l, true);
}

/* ---- what is needed ----------------------------------------------------- */

static void keep_graph(struct tn_laying *l, uint32_t graph)
{
    const struct tn_list *inputs = &tn_net_graph(l->net, graph)->inputs;
    uint32_t             *slot   = tn_list_push(&l->queue, uint32_t, l->error);

    for (uint64_t i = 0; i < inputs->count; i++)
        l->is_input[*tn_list_at(inputs, uint32_t, i)] = true;
    if (slot)
        *slot = graph;
    l->placed[graph] = 0;
}

static void hold_graphs(struct tn_laying *l, uint32_t id)
{
    const struct tn_net_node node = tn_net_node(l->net, id);

    for (uint32_t i = 0; i < node.attr_count; i++) {
        const struct tn_attr_value *value = &node.attrs[i].value;
        for (uint32_t k = 0; value->kind == TN_ATTR_GRAPH && k < value->count;
             k++) {
            uint64_t graph = (uint64_t)value->of.ints[k];
            if (graph == 0 || graph >= l->net->graphs.count ||
                l->holder[graph] != TN_NONE) {
                tn_error_set(l->error, TN_INVALID, TN_NOWHERE,
                             "graph %" PRIu64
                             " does not belong to exactly one node",
                             graph);
                return;
            }
            l->holder[graph] = id;
            l->slot[graph]   = i;
            keep_graph(l, (uint32_t)graph);
        }
    }
}

static void find_uses(struct tn_laying *l, uint32_t graph)
{
    const struct tn_list *nodes = &tn_net_graph(l->net, graph)->nodes;

    for (uint64_t i = 0; i < nodes->count && !tn_failed(l->error); i++) {
        uint32_t                 id   = *tn_list_at(nodes, uint32_t, i);
        const struct tn_net_node node = tn_net_node(l->net, id);
        if (node.is_removed)
            continue;
        hold_graphs(l, id);
        for (uint32_t k = 0; k < node.input_count; k++)
            if (node.inputs[k] != TN_NONE)
                l->is_used[node.inputs[k]] = true;
    }
}

/* From independent graphs to those that their nodes hold. */
static void find_needs(struct tn_laying *l)
{
    for (uint32_t i = 0; i < l->net->graphs.count; i++) {
        enum tn_graph_kind kind = tn_net_graph(l->net, i)->kind;
        l->placed[i]            = TN_NONE;
        if (kind == TN_GRAPH_MAIN || kind == TN_GRAPH_FUNCTION)
            keep_graph(l, i);
    }
    for (uint64_t at = 0; at < l->queue.count && !tn_failed(l->error); at++)
        find_uses(l, *tn_list_at(&l->queue, uint32_t, at));
}

/* ---- inputs and outputs ------------------------------------------------- */

static const char *note_of(enum tn_net_wrap wrap)
{
    return wrap == TN_NET_SEQUENCE   ? "sequence"
           : wrap == TN_NET_OPTIONAL ? "optional"
                                     : "";
}

static void lay_io(struct tn_laying *l, struct tn_io *io,
                   const struct tn_net_type *type, struct tn_bytes name)
{
    struct tn_dim *dims =
        tn_new(&l->model->arena, struct tn_dim, type->rank, l->error);

    for (uint32_t i = 0; dims && i < type->rank; i++) {
        dims[i].value = type->dims[i];
        if (type->symbols && type->dims[i] < 0)
            dims[i].symbol = type->symbols[i];
    }
    *io = (struct tn_io){ .name     = name,
                          .dtype    = type->dtype,
                          .has_rank = type->has_rank,
                          .rank     = dims ? type->rank : 0,
                          .dims     = dims,
                          .note     = note_of(type->wrap) };
}

/* Dims that do not follow from the nodes are taken from the model, and a dim
 * with a name in the model keeps it, because callers know that name. */
static void fill_dims(struct tn_io *io, const struct tn_net_type *told)
{
    struct tn_dim *dims = (struct tn_dim *)(uintptr_t)io->dims;

    for (uint32_t i = 0; i < io->rank; i++) {
        bool has_name = told->symbols && told->symbols[i].size;
        if (dims[i].value >= 0 && !has_name)
            continue;
        dims[i].value = told->dims[i];
        if (has_name)
            dims[i].symbol = told->symbols[i];
    }
}

static void lay_output_io(struct tn_laying *l, struct tn_io *io,
                          const struct tn_net_type *type,
                          const struct tn_net_type *told, struct tn_bytes name)
{
    struct tn_net_type now = *type;

    if (told && told->has_rank && !now.has_rank && told->wrap == now.wrap) {
        now       = *told;
        now.dtype = type->dtype;
    }
    if (told && now.dtype == TN_UNDEFINED && told->wrap == now.wrap)
        now.dtype = told->dtype;
    lay_io(l, io, &now, name);
    if (told && told->has_rank && told->rank == io->rank)
        fill_dims(io, told);
}

static struct tn_io_list lay_inputs(struct tn_laying *l, uint32_t graph)
{
    const struct tn_list *from = &tn_net_graph(l->net, graph)->inputs;
    struct tn_io         *io_list =
        tn_new(&l->model->arena, struct tn_io, from->count, l->error);

    for (uint32_t i = 0; io_list && i < from->count; i++) {
        uint32_t value = *tn_list_at(from, uint32_t, i);
        lay_io(l, &io_list[i], tn_net_value(l->net, value).type,
               tn_model_name(l->model, l->names[value]));
    }
    return (struct tn_io_list){ io_list ? (uint32_t)from->count : 0, io_list };
}

static struct tn_io_list lay_outputs(struct tn_laying *l, uint32_t graph)
{
    const struct tn_list *from = &tn_net_graph(l->net, graph)->outputs;
    struct tn_io         *io_list =
        tn_new(&l->model->arena, struct tn_io, from->count, l->error);

    for (uint32_t i = 0; io_list && i < from->count; i++) {
        uint32_t value = *tn_list_at(from, uint32_t, i);
        lay_output_io(l, &io_list[i], tn_net_value(l->net, value).type,
                      tn_net_told_output(l->net, graph, i),
                      tn_model_name(l->model, l->end_names[graph][i]));
    }
    return (struct tn_io_list){ io_list ? (uint32_t)from->count : 0, io_list };
}

static void lay_io_lists(struct tn_laying *l)
{
    for (uint32_t i = 0; i < l->net->graphs.count && !tn_failed(l->error); i++)
        if (l->placed[i] != TN_NONE) {
            l->inputs[i]  = lay_inputs(l, i);
            l->outputs[i] = lay_outputs(l, i);
        }
}

/* ---- attributes --------------------------------------------------------- */

static void note_origin(struct tn_laying *l, const struct tn_tensor *origin)
{
    const struct tn_tensor **slot =
        l->origins
            ? tn_list_push(l->origins, const struct tn_tensor *, l->error)
            : NULL;

    if (slot)
        *slot = origin;
}

static uint32_t intern(struct tn_laying *l, struct tn_bytes text)
{
    if (!text.size)
        return TN_NO_NAME;
    return tn_intern_copy(&l->model->names, text, l->error);
}

/* Graphs by the numbers that they get in the model. */
static const struct tn_attr_value *lay_graphs(struct tn_laying           *l,
                                              const struct tn_attr_value *from)
{
    struct tn_attr_value *to =
        tn_new(&l->model->arena, struct tn_attr_value, 1, l->error);
    int64_t *ids = tn_new(&l->model->arena, int64_t, from->count, l->error);

    if (!to || !ids)
        return NULL;
    *to         = *from;
    to->of.ints = ids;
    for (uint32_t i = 0; i < from->count; i++)
        ids[i] = l->numbers[from->of.ints[i]];
    return to;
}

/* Tensors of attributes are tensors of the model, as those of files are. */
static void lay_tensors(struct tn_laying *l, uint32_t op, uint32_t slot,
                        const struct tn_attr_value *value)
{
    for (uint32_t i = 0; i < value->count; i++) {
        struct tn_tensor   *t = tn_model_add_tensor(l->model, l->error);
        const struct tn_op *o = tn_model_op_at(l->model, op);
        if (!t)
            return;
        note_origin(l, value->of.tensors[i]);
        t->elements = value->of.tensors[i]->elements;
        t->role     = TN_ROLE_ATTRIBUTE;
        t->name     = o->name;
        t->graph    = o->graph;
        t->node     = op - tn_model_graph_at(l->model, o->graph)->first_op;
        t->slot     = slot;
        t->part     = value->is_list ? i : TN_NONE;
    }
}

static void lay_slot(struct tn_laying *l, const struct tn_net_attr *attr)
{
    struct tn_attr_slot *slot =
        tn_list_push(&l->model->attrs, struct tn_attr_slot, l->error);

    if (!slot)
        return;
    slot->name  = intern(l, attr->name);
    slot->value = attr->value.kind == TN_ATTR_GRAPH
                      ? lay_graphs(l, &attr->value)
                      : &attr->value;
}

/* Where the slots of a list are: nodes that share it share them. */
static uint32_t lay_slots(struct tn_laying *l, const struct tn_net_node *node)
{
    uint64_t address = (uintptr_t)node->attrs;
    uint32_t next    = (uint32_t)l->model->attrs.count;
    uint32_t first   = tn_pairs_add(&l->lists, (uint32_t)(address >> 32),
                                    (uint32_t)address, next, l->error);

    for (uint32_t i = 0; first == next && i < node->attr_count; i++)
        lay_slot(l, &node->attrs[i]);
    return first;
}

static void lay_attrs(struct tn_laying *l, uint32_t op,
                      const struct tn_net_node *node)
{
    struct tn_op *row = tn_model_op_at(l->model, op);

    row->first_attr = (uint32_t)l->model->attrs.count;
    row->attr_count = node->attr_count;
    if (node->attr_count)
        row->first_attr = lay_slots(l, node);
    for (uint32_t i = 0; i < node->attr_count; i++)
        if (node->attrs[i].value.kind == TN_ATTR_TENSOR)
            lay_tensors(l, op, i, &node->attrs[i].value);
}

/* ---- nodes -------------------------------------------------------------- */

static void lay_input(struct tn_laying *l, uint32_t graph, uint32_t value)
{
    tn_model_add_input(
        l->model, tn_model_value(l->model, graph, l->names[value], l->error),
        l->error);
}

static void lay_output(struct tn_laying *l, uint32_t op, uint32_t index,
                       uint32_t name)
{
    uint32_t graph = tn_model_op_at(l->model, op)->graph;
    uint32_t value = tn_model_value(l->model, graph, name, l->error);

    if (value == TN_NONE)
        return;
    tn_model_define(l->model, value, TN_VALUE_OUTPUT, op, index);
    tn_model_add_output(l->model, value, l->error);
}

/* Every op of nd4j has a name; elsewhere it may have none. */
static struct tn_bytes node_name(const struct tn_laying   *l,
                                 const struct tn_net_node *node)
{
    if (node->name.size || !l->facts->names_everything)
        return node->name;
    for (uint32_t i = 0; i < node->output_count; i++)
        if (node->outputs[i] != TN_NONE)
            return tn_model_name(l->model, l->names[node->outputs[i]]);
    return node->op->type;
}

/* ONNX's Loop has a count and a condition, given or not. */
enum { LOOP_INPUTS = 2 };

/* How many inputs are written: those at the end that are not given are left
 * out. */
static uint32_t given_count(const struct tn_net_node *node)
{
    bool     is_loop = tn_bytes_is(node->op->type, "Loop");
    uint32_t count   = node->input_count;

    while (count > (is_loop ? LOOP_INPUTS : 0) &&
           node->inputs[count - 1] == TN_NONE)
        count--;
    return count;
}

/* nd4j does not allow missing inputs in the middle. */
static enum tn_status refuse_hole(const struct tn_laying   *l,
                                  const struct tn_net_node *node,
                                  const char *what, uint32_t index)
{
    return tn_error_set(l->error, TN_UNSUPPORTED, TN_NOWHERE,
                        "%.*s '%.*s': %s %" PRIu32 " is left out, which %s "
                        "cannot say",
                        TN_FMT(node->op->type), TN_FMT(node->name), what, index,
                        l->net->dialect);
}

static enum tn_status lay_node_inputs(struct tn_laying         *l,
                                      const struct tn_net_node *node,
                                      uint32_t                  graph)
{
    uint32_t count = given_count(node);

    for (uint32_t i = 0; i < count; i++) {
        uint32_t value = node->inputs[i];
        if (value != TN_NONE)
            lay_input(l, graph, value);
        else if (l->facts->names_everything)
            return refuse_hole(l, node, "input", i);
        else
            tn_model_add_input(l->model, TN_NONE, l->error);
    }
    return l->error->status;
}

static void lay_node_outputs(struct tn_laying         *l,
                             const struct tn_net_node *node, uint32_t op)
{
    for (uint32_t i = 0; i < node->output_count; i++) {
        if (node->outputs[i] != TN_NONE)
            lay_output(l, op, i, l->names[node->outputs[i]]);
        else if (l->facts->names_everything)
            lay_output(l, op, i,
                       lay_name(l, &l->value_names, node_name(l, node)));
        else
            tn_model_add_output(l->model, TN_NONE, l->error);
    }
}

static void lay_controls(struct tn_laying *l, const struct tn_net_node *node,
                         uint32_t graph, uint32_t op)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < node->control_count; i++) {
        const struct tn_net_node before =
            tn_net_node(l->net, node->controls[i]);
        if (before.is_removed || !before.output_count ||
            before.outputs[0] == TN_NONE)
            continue;
        lay_input(l, graph, before.outputs[0]);
        count++;
    }
    tn_model_op_at(l->model, op)->control_count = count;
}

/* The model's name of a node before it is made different from all others;
 * TN_NO_NAME: it has none, and needs none. */
static uint32_t wished_name(struct tn_laying *l, uint32_t id,
                            const struct tn_net_node *node)
{
    uint32_t name = tn_net_node_row(l->net, id)->name;

    if (node->name.size && l->given) {
        if (has_name(l, name) && said_of(l->given, name) == OF_NODE)
            return name;
        uint32_t given = given_name(l, node->name);
        if (given != TN_NO_NAME)
            return given;
    }
    if (node->name.size && has_name(l, name))
        return tn_intern_adopt(&l->model->names, name, l->error);
    if (node->name.size)
        return tn_intern_borrow(&l->model->names, node->name, l->error);
    if (!l->names_nodes)
        return TN_NO_NAME;
    for (uint32_t i = 0; i < node->output_count; i++)
        if (node->outputs[i] != TN_NONE)
            return l->names[node->outputs[i]];
    return tn_intern_borrow(&l->model->names,
                            node->op->type.size ? node->op->type : tn_text("v"),
                            l->error);
}

static struct tn_lay_op op_of(struct tn_laying *l, struct tn_bytes type,
                              struct tn_bytes domain)
{
    return (struct tn_lay_op){ intern(l, type), intern(l, domain), TN_NONE,
                               true };
}

static uint32_t new_op(struct tn_laying *l, uint32_t graph, uint32_t name,
                       struct tn_lay_op *of)
{
    uint32_t op = tn_model_add_op(l->model, graph, l->error);

    if (op == TN_NONE)
        return TN_NONE;
    struct tn_op *row = tn_model_op_at(l->model, op);
    if (name != TN_NO_NAME)
        row->name = lay_known_name(l, &l->op_names, name);
    row->type       = of->type;
    row->domain     = of->domain;
    row->first_attr = (uint32_t)l->model->attrs.count;
    tn_model_graph_at(l->model, graph)->op_count++;
    if (of->kind == TN_NONE)
        of->kind =
            tn_model_count_op(l->model, row->domain, row->type, l->error);
    else
        tn_model_count_kind(l->model, of->kind);
    return op;
}

static enum tn_status lay_node(struct tn_laying *l, uint32_t id, uint32_t graph)
{
    const struct tn_net_node node = tn_net_node(l->net, id);
    struct tn_lay_op        *of   = &l->ops[tn_net_node_row(l->net, id)->op];

    if (!of->is_known)
        *of = op_of(l, node.op->type, node.op->domain);
    uint32_t op = new_op(l, graph, wished_name(l, id, &node), of);
    if (op == TN_NONE || tn_failed(l->error))
        return l->error->status;
    if (l->ordinal)
        l->ordinal[id] = op - tn_model_graph_at(l->model, graph)->first_op;
    lay_attrs(l, op, &node);
    TN_TRY(lay_node_inputs(l, &node, graph));
    lay_controls(l, &node, graph, op);
    lay_node_outputs(l, &node, op);
    return l->error->status;
}

static void lay_relay(struct tn_laying *l, const struct tn_lay_relay *r,
                      uint32_t graph)
{
    struct tn_lay_op of    = op_of(l, tn_text(l->facts->identity), tn_text(""));
    uint32_t         given = given_name(l, tn_model_name(l->model, r->to));
    uint32_t op = new_op(l, graph, given == TN_NO_NAME ? r->to : given, &of);

    if (op == TN_NONE)
        return;
    lay_input(l, graph, r->from);
    lay_output(l, op, 0, r->to);
}

/* ---- constants ---------------------------------------------------------- */

static void note_constant(struct tn_laying *l, uint32_t id)
{
    const struct tn_net_value value = tn_net_value(l->net, id);
    uint32_t                  graph = l->numbers[value.graph];
    struct tn_lay_constant   *row =
        tn_list_push(&l->constants, struct tn_lay_constant, l->error);

    if (row)
        *row = (struct tn_lay_constant){ .elements = value.constant,
                                         .origin   = value.origin,
                                         .name     = l->names[id],
                                         /* of a graph that dissolved: the main
                                          * one is around all */
                                         .graph = graph == TN_NONE ? 0 : graph,
                                         .is_trained = value.is_trained };
}

static void note_constants(struct tn_laying *l)
{
    for (uint32_t i = 0; i < l->net->values.count && !tn_failed(l->error); i++)
        if (tn_net_value(l->net, i).constant && l->is_used[i])
            note_constant(l, i);
}

static void lay_constant(struct tn_laying             *l,
                         const struct tn_lay_constant *from)
{
    struct tn_tensor *t = tn_model_add_tensor(l->model, l->error);

    if (!t)
        return;
    note_origin(l, from->origin);
    t->name     = from->name;
    t->graph    = from->graph;
    t->node     = TN_NONE;
    t->part     = TN_NONE;
    t->role     = from->is_trained && l->facts->has_training ? TN_ROLE_VARIABLE
                                                             : TN_ROLE_INITIALIZER;
    t->elements = *from->elements;
    tn_model_define(l->model,
                    tn_model_value(l->model, from->graph, t->name, l->error),
                    TN_VALUE_INITIALIZER, TN_NONE, 0);
}

static void lay_constants(struct tn_laying *l)
{
    for (uint64_t i = 0; i < l->constants.count && !tn_failed(l->error); i++)
        lay_constant(l, tn_list_at(&l->constants, struct tn_lay_constant, i));
}

/* ---- graphs ------------------------------------------------------------- */

static const char *path_of(struct tn_laying *l, uint32_t graph)
{
    const struct tn_net_graph *g = tn_net_graph(l->net, graph);
    char                       holder[256];

    if (graph == 0)
        return l->facts->main_graph;
    if (g->kind == TN_GRAPH_FUNCTION)
        return tn_text_format(&l->model->arena, l->error, "functions['%.*s']",
                              TN_FMT(g->name));
    uint32_t node = l->holder[graph];
    tn_model_path_of(l->model, l->numbers[tn_net_node(l->net, node).graph],
                     l->ordinal[node], holder, sizeof holder);
    return tn_text_format(&l->model->arena, l->error,
                          "%s.attribute[%" PRIu32 "].g", holder,
                          l->slot[graph]);
}

static void fill_graph(struct tn_laying *l, uint32_t graph)
{
    const struct tn_net_graph *g = tn_net_graph(l->net, graph);
    struct tn_graph *row  = tn_model_graph_at(l->model, l->numbers[graph]);
    uint32_t         node = l->holder[graph];

    row->name         = intern(l, g->name.size ? g->name : tn_text("graph"));
    row->domain       = intern(l, g->domain);
    row->inputs       = l->inputs[graph];
    row->outputs      = l->outputs[graph];
    row->is_touched   = true;
    row->parent_graph = TN_NONE;
    row->parent_node  = TN_NONE;
    if (node == TN_NONE)
        return;
    row->parent_graph = l->numbers[tn_net_node(l->net, node).graph];
    row->parent_node  = l->ordinal[node];
    row->parent_slot  = l->slot[graph];
    row->depth = tn_model_graph_at(l->model, row->parent_graph)->depth + 1;
}

static void define_inputs(struct tn_laying *l, uint32_t graph)
{
    const struct tn_list *inputs = &tn_net_graph(l->net, graph)->inputs;

    for (uint64_t i = 0; i < inputs->count; i++) {
        uint32_t value = *tn_list_at(inputs, uint32_t, i);
        tn_model_define(l->model,
                        tn_model_value(l->model, l->numbers[graph],
                                       l->names[value], l->error),
                        TN_VALUE_INPUT, TN_NONE, 0);
    }
}

/* Numbers before anything is placed, since attributes name graphs that come
 * later. */
static void number_graphs(struct tn_laying *l)
{
    uint32_t next = 0;

    for (uint32_t i = 0; i < l->net->graphs.count; i++)
        l->numbers[i] = l->placed[i] == TN_NONE ? TN_NONE : next++;
}

/* Where a name begins and ends, for fetch_name(). */
static void fetch_text(const struct tn_laying *l, uint32_t node)
{
#if defined(__GNUC__)
    struct tn_bytes name =
        tn_net_text(l->net, tn_net_node_row(l->net, node)->name);

    if (name.size && !l->given) {
        __builtin_prefetch(name.data);
        __builtin_prefetch(name.data + name.size - 1);
    }
#else
    (void)l;
    (void)node;
#endif
}

/* A million names are in no cache. */
static void fetch_name(const struct tn_laying *l, uint32_t node)
{
    struct tn_bytes name =
        tn_net_text(l->net, tn_net_node_row(l->net, node)->name);

    if (name.size && !l->given)
        tn_intern_fetch(&l->model->names, name);
}

static enum tn_status lay_graph(struct tn_laying *l, uint32_t graph,
                                uint64_t *relay)
{
    const struct tn_net_graph *g    = tn_net_graph(l->net, graph);
    const char                *path = path_of(l, graph);
    uint32_t id = path ? tn_model_add_graph(l->model, g->kind, path,
                                            l->facts->node_list, l->error)
                       : TN_NONE;

    if (id == TN_NONE || tn_failed(l->error))
        return l->error->status;
    fill_graph(l, graph);
    define_inputs(l, graph);
    for (uint64_t i = 0; i < g->nodes.count; i++) {
        uint32_t node = *tn_list_at(&g->nodes, uint32_t, i);
        if (g->nodes.count - i > 2 * LOOK_AHEAD)
            fetch_text(l, *tn_list_at(&g->nodes, uint32_t, i + 2 * LOOK_AHEAD));
        if (g->nodes.count - i > LOOK_AHEAD)
            fetch_name(l, *tn_list_at(&g->nodes, uint32_t, i + LOOK_AHEAD));
        if (!tn_net_node(l->net, node).is_removed)
            TN_TRY(lay_node(l, node, id));
    }
    for (; *relay < l->relays.count; ++*relay) {
        const struct tn_lay_relay *r =
            tn_list_at(&l->relays, struct tn_lay_relay, *relay);
        if (r->graph != graph)
            break;
        lay_relay(l, r, id);
    }
    return l->error->status;
}

/* ---- the whole ---------------------------------------------------------- */

static void lay_versions(struct tn_laying *l)
{
    if (l->net->version)
        tn_model_add_fact_format(l->model, l->error, "opset",
                                 "ai.onnx %" PRId64, l->net->version);
    for (uint64_t i = 0; i < l->net->versions.count; i++) {
        const struct tn_net_version *v =
            tn_list_at(&l->net->versions, struct tn_net_version, i);
        tn_model_add_fact_format(l->model, l->error, "opset", "%.*s %" PRId64,
                                 TN_FMT(v->domain), v->version);
    }
}

/* Every value that is used must come from somewhere. */
static enum tn_status check_values(struct tn_laying *l)
{
    for (uint32_t i = 0; i < l->net->values.count; i++) {
        const struct tn_net_value v = tn_net_value(l->net, i);
        if (l->is_used[i] && !v.constant && !l->is_input[i] &&
            !lay_is_made(l, i))
            return tn_error_set(l->error, TN_MALFORMED, TN_NOWHERE,
                                "nothing defines '%.*s'", TN_FMT(v.name));
    }
    return TN_OK;
}

/* They are ops by now. */
static void drop_nodes(struct tn_net *net)
{
    for (uint32_t i = 0; i < net->graphs.count; i++)
        tn_list_done(&tn_net_graph(net, i)->nodes);
    tn_list_done(&net->nodes);
    tn_arena_done(&net->edges);
}

static enum tn_status lay_all(struct tn_laying *l)
{
    uint64_t relay = 0;

    find_needs(l);
    if (tn_failed(l->error) ||
        (!l->given &&
         !tn_intern_reserve(&l->model->names, l->net->nodes.count, l->error)))
        return l->error->status;
    number_graphs(l);
    lay_name_values(l);
    if (tn_failed(l->error))
        return l->error->status;
    TN_TRY(check_values(l));
    lay_io_lists(l);
    note_constants(l);
    tn_list_done(&l->net->values); /* only their names are still needed */
    for (uint32_t i = 0; i < l->net->graphs.count; i++)
        if (l->placed[i] != TN_NONE)
            TN_TRY(lay_graph(l, i, &relay));
    drop_nodes(l->net);
    lay_constants(l);
    lay_versions(l);
    tn_model_resolve(l->model);
    return tn_model_finish(l->model, l->error);
}

static bool make_tables(struct tn_laying *l)
{
    uint64_t values = l->net->values.count, graphs = l->net->graphs.count;

    l->names     = tn_new(&l->scratch, uint32_t, values, l->error);
    l->is_used   = tn_new(&l->scratch, bool, values, l->error);
    l->is_input  = tn_new(&l->scratch, bool, values, l->error);
    l->is_output = tn_new(&l->scratch, bool, values, l->error);
    l->wanted    = tn_new(&l->scratch, uint8_t, values, l->error);
    l->ops = tn_new(&l->scratch, struct tn_lay_op, l->net->pool->ops.ops.count,
                    l->error);
    l->plain     = tn_new(&l->scratch, uint8_t, l->net->nodes.count, l->error);
    l->holder    = tn_new(&l->scratch, uint32_t, graphs, l->error);
    l->slot      = tn_new(&l->scratch, uint32_t, graphs, l->error);
    l->placed    = tn_new(&l->scratch, uint32_t, graphs, l->error);
    l->numbers   = tn_new(&l->scratch, uint32_t, graphs, l->error);
    l->inputs    = tn_new(&l->scratch, struct tn_io_list, graphs, l->error);
    l->outputs   = tn_new(&l->scratch, struct tn_io_list, graphs, l->error);
    l->end_names = tn_new(&l->scratch, uint32_t *, graphs, l->error);
    if (graphs > 1)
        l->ordinal =
            tn_new(&l->scratch, uint32_t, l->net->nodes.count, l->error);
    for (uint32_t i = 0; i < graphs && !tn_failed(l->error); i++) {
        l->holder[i] = TN_NONE;
        l->end_names[i] =
            tn_new(&l->scratch, uint32_t,
                   tn_net_graph(l->net, i)->outputs.count, l->error);
    }
    if (tn_failed(l->error))
        return false;
    memset(l->names, 0xff, (size_t)values * sizeof *l->names);
    return true;
}

enum tn_status tn_net_lay_out(struct tn_net           *net,
                              const struct tn_dialect *dialect,
                              struct tn_model *model, struct tn_list *origins,
                              struct tn_op_names *given, struct tn_error *error)
{
    struct tn_laying l = { .net     = net,
                           .model   = model,
                           .origins = origins,
                           .error   = error,
                           .facts   = tn_dialect_facts(dialect->name) };

    /* Where a graph stays what it is, nodes without a name stay so. */
    l.names_nodes = l.facts->names_everything ||
                    (net->source && net->source->dialect != dialect);
    if (given && given->is_done && !l.names_nodes &&
        net->pool->names.given == &model->names) {
        given->of = &model->names;
        l.given   = given;
    }
    if (!l.facts->can_be_built)
        return tn_error_set(
            error, TN_UNSUPPORTED, TN_NOWHERE,
            "graphs of dialect '%s' cannot be written from scratch",
            dialect->name);
    model->dialect     = dialect;
    model->wants_graph = true;
    model->is_edited   = true;
    tn_arena_init(&l.scratch, model->memory);
    tn_list_init(&l.relays, model->memory, sizeof(struct tn_lay_relay));
    tn_list_init(&l.queue, model->memory, sizeof(uint32_t));
    tn_list_init(&l.constants, model->memory, sizeof(struct tn_lay_constant));
    tn_pairs_init(&l.lists, model->memory);
    lay_scope_init(&l.value_names, model->memory);
    lay_scope_init(&l.op_names, model->memory);
    tn_buffer_init(&l.wish, model->memory, error);
    if (make_tables(&l))
        lay_all(&l);
    lay_scope_done(&l.value_names);
    lay_scope_done(&l.op_names);
    tn_buffer_done(&l.wish);
    tn_pairs_done(&l.lists);
    tn_list_done(&l.relays);
    tn_list_done(&l.queue);
    tn_list_done(&l.constants);
    tn_arena_done(&l.scratch);
    return error->status;
}
