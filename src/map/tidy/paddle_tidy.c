/* paddle_tidy.c - puts the arguments of a Paddle program in order */
#include "map/tidy/paddle_tidy.h"

#include <inttypes.h>
#include <stdio.h>

#include "ir/attr.h"
#include "ir/vocab.h"
#include "map/net/net_build.h"

/* Arguments of an op that are in one slot. */
struct slot {
    struct tn_bytes name;
    uint32_t        first, count;
    bool            is_known;
};

struct tidying {
    struct tn_net  *net;
    struct tn_arena scratch;
    struct tn_vocab vocab;
    struct tn_list  slots;  /* struct slot: of one op, inputs or outputs      */
    struct tn_list  placed; /* uint32_t: values, as the vocabulary has them   */
    uint32_t        more;   /* arguments of that op that are in no slot       */
    struct tn_list *notes;  /* may be NULL                                   */
    bool           *is_used; /* by value                                      */
};

/* ---- numbers that are vectors ------------------------------------------- */

/* Before Paddle 2.5 every tensor had dims: a scalar of today was a vector of
 * one element then, and the program declares it as one. */
static const char *const reducing[] = {
    "arg_max",        "arg_min",     "dot",        "einsum",
    "frobenius_norm", "gather",      "is_empty",   "logsumexp",
    "matmul",         "matmul_v2",   "mean",       "p_norm",
    "reduce_all",     "reduce_any",  "reduce_max", "reduce_mean",
    "reduce_min",     "reduce_prod", "reduce_sum", "size",
    "slice",          "squeeze",     "squeeze2",   "strided_slice",
    "unbind",         "unstack",
};

static bool may_reduce(const struct tn_net_node *node)
{
    for (size_t i = 0; i < sizeof reducing / sizeof *reducing; i++)
        if (tn_bytes_is(node->op->type, reducing[i]))
            return !node->is_removed && node->source != TN_NONE;
    return false;
}

/* The declaration of an op's output, in its block or an enclosing one. */
static bool find_declared(const struct tidying *t, uint32_t op, uint32_t output,
                          struct tn_declared *to)
{
    const struct tn_model *model = t->net->source;
    uint32_t value = output < tn_model_op_at(model, op)->output_count
                         ? tn_op_output(model, op, output)
                         : TN_NONE;

    if (value == TN_NONE || !model->dialect->declared)
        return false;
    struct tn_bytes name  = tn_model_value_name(model, value);
    uint32_t        graph = tn_model_value_at(model, value)->graph;
    for (uint64_t left = model->graphs.count; left && graph != TN_NONE;
         left--) {
        if (model->dialect->declared(model, graph, name, to))
            return to->has_type;
        graph = tn_model_graph_at(model, graph)->parent_graph;
    }
    return false;
}

/* Adds a node between another one and its `output`. */
static void put_behind(struct tidying *t, uint32_t node, uint32_t output)
{
    struct tn_net *net   = t->net;
    uint32_t       value = tn_net_node(net, node).outputs[output];
    uint32_t       graph = tn_net_node(net, node).graph;
    uint32_t made = tn_net_add_value(net, graph, tn_net_value(net, value).name);
    uint32_t count    = tn_net_node(net, node).output_count;
    uint32_t *outputs = tn_new(net->arena, uint32_t, count, net->error);
    int64_t  *one     = tn_new(net->arena, int64_t, 1, net->error);

    if (tn_failed(net->error))
        return;
    memcpy(outputs, tn_net_node(net, node).outputs, count * sizeof *outputs);
    outputs[output] = made;
    tn_net_set_outputs(net, node, outputs, count);
    *one                           = 1;
    const struct tn_net_attr shape = {
        tn_text("shape"),
        { .kind = TN_ATTR_INT, .is_list = true, .count = 1, .of.ints = one }
    };
    const struct tn_net_node reshape = { .op = tn_net_own_op(net, "reshape2"),
                                         .graph        = graph,
                                         .inputs       = &made,
                                         .input_count  = 1,
                                         .outputs      = &value,
                                         .output_count = 1,
                                         .attrs        = &shape,
                                         .attr_count   = 1,
                                         .source       = TN_NONE };
    tn_net_add_node(net, &reshape);
}

static enum tn_status keep_vectors(struct tidying *t)
{
    uint64_t           count = t->net->nodes.count;
    struct tn_declared told;

    for (uint32_t i = 0; i < count; i++) {
        const struct tn_net_node node = tn_net_node(t->net, i);
        if (!may_reduce(&node))
            continue;
        for (uint32_t k = 0; k < node.output_count; k++)
            if (node.outputs[k] != TN_NONE &&
                find_declared(t, node.source, k, &told) && told.rank == 1 &&
                told.dims[0] == 1)
                put_behind(t, i, k);
        if (tn_failed(t->net->error))
            break;
    }
    return t->net->error->status;
}

/* ---- users of values ---------------------------------------------------- */

static void use_all(struct tidying *t, const uint32_t *values, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        if (values[i] != TN_NONE)
            t->is_used[values[i]] = true;
}

static enum tn_status find_uses(struct tidying *t)
{
    const struct tn_net *net = t->net;

    t->is_used = tn_new(&t->scratch, bool, net->values.count, net->error);
    if (!t->is_used)
        return net->error->status;
    for (uint32_t i = 0; i < net->nodes.count; i++)
        if (!tn_net_node(net, i).is_removed)
            use_all(t, tn_net_node(net, i).inputs,
                    tn_net_node(net, i).input_count);
    for (uint32_t i = 0; i < net->graphs.count; i++) {
        const struct tn_list *outputs = &tn_net_graph(net, i)->outputs;
        for (uint64_t k = 0; k < outputs->count; k++)
            use_all(t, tn_list_at(outputs, uint32_t, k), 1);
    }
    return TN_OK;
}

/* ---- slots -------------------------------------------------------------- */

/* False: the file does not say, or an edit says otherwise. */
static bool list_slots(struct tidying *t, uint32_t op, bool is_output,
                       uint32_t count)
{
    const struct tn_model *model = t->net->source;
    const struct tn_op    *row   = tn_model_op_at(model, op);
    uint64_t               sum   = 0;
    struct slot            slot  = { 0 };

    t->slots.count = 0;
    if (!row->wire_length || !model->dialect->next_slot)
        return false;
    struct tn_cursor c =
        tn_cursor_span(tn_model_op_wire(model, row), t->net->error);
    while (model->dialect->next_slot(&c, is_output, &slot.name, &slot.count)) {
        struct slot *to = tn_list_push(&t->slots, struct slot, t->net->error);
        if (!to)
            return false;
        slot.first = (uint32_t)sum;
        *to        = slot;
        sum += slot.count;
    }
    /* Arguments that were added when the program was loaded are at the end. */
    t->more = sum <= count ? count - (uint32_t)sum : 0;
    return !tn_failed(t->net->error) && sum + t->more == count;
}

static struct slot *find_slot(struct tidying *t, struct tn_bytes name)
{
    for (uint64_t i = 0; i < t->slots.count; i++) {
        struct slot *slot = tn_list_at(&t->slots, struct slot, i);
        if (tn_bytes_equal(slot->name, name))
            return slot;
    }
    return NULL;
}

static void place(struct tidying *t, uint32_t value)
{
    uint32_t *to = tn_list_push(&t->placed, uint32_t, t->net->error);

    if (to)
        *to = value;
}

static enum tn_status set_count(struct tidying *t, uint32_t node,
                                struct tn_bytes name, uint32_t count)
{
    const char *text =
        tn_text_format(t->net->arena, t->net->error, "%.*s", TN_FMT(name));

    if (text)
        tn_net_set_int(t->net, node, text, TN_ATTR_INT, count);
    return t->net->error->status;
}

static enum tn_status place_argument(struct tidying *t, uint32_t node,
                                     const struct tn_vocab_arg *arg,
                                     const uint32_t            *values)
{
    struct slot *slot  = find_slot(t, arg->name);
    uint32_t     count = slot ? slot->count : 0;
    bool is_one = arg->arity == TN_VOCAB_ONE || arg->arity == TN_VOCAB_OPTIONAL;

    if (slot)
        slot->is_known = true;
    if (is_one && count > 1)
        return tn_error_set(t->net->error, TN_UNSUPPORTED, TN_NOWHERE,
                            "%" PRIu32 " arguments in the slot '%.*s', which "
                            "takes one",
                            count, TN_FMT(arg->name));
    if (arg->arity == TN_VOCAB_COUNTED)
        TN_TRY(set_count(t, node, arg->list, count));
    if (is_one && !count)
        place(t, TN_NONE);
    for (uint32_t i = 0; i < count; i++)
        place(t, values[slot->first + i]);
    return t->net->error->status;
}

/* Arguments in other slots would be lost. */
static enum tn_status check_rest(const struct tidying *t,
                                 const uint32_t       *values)
{
    for (uint64_t i = 0; i < t->slots.count; i++) {
        const struct slot *slot = tn_list_at(&t->slots, struct slot, i);
        for (uint32_t k = 0; !slot->is_known && k < slot->count; k++)
            if (values[slot->first + k] != TN_NONE &&
                t->is_used[values[slot->first + k]])
                return tn_error_set(t->net->error, TN_UNSUPPORTED, TN_NOWHERE,
                                    "the slot '%.*s' is not known",
                                    TN_FMT(slot->name));
    }
    return TN_OK;
}

/* The arguments of a node in the order of `args`, in t->placed; false: they
 * stay as they are. */
static bool place_all(struct tidying *t, uint32_t node, bool is_output,
                      const struct tn_vocab_arg *args, uint32_t arg_count)
{
    const struct tn_net_node n      = tn_net_node(t->net, node);
    const uint32_t          *values = is_output ? n.outputs : n.inputs;

    t->placed.count = 0;
    if (!list_slots(t, n.source, is_output,
                    is_output ? n.output_count : n.input_count))
        return false;
    for (uint32_t i = 0; i < arg_count; i++)
        if (place_argument(t, node, &args[i], values) != TN_OK)
            return false;
    if (t->more > t->placed.count ||
        (t->more && !tn_bytes_is(n.op->type, "write_to_array")))
        return false;
    for (uint32_t i = 0; i < t->more; i++)
        *tn_list_at(&t->placed, uint32_t, t->placed.count - t->more + i) =
            values[n.input_count - t->more + i];
    return check_rest(t, values) == TN_OK;
}

/* ---- nodes -------------------------------------------------------------- */

static void order_inputs(struct tidying *t, uint32_t node,
                         const struct tn_vocab_op *op)
{
    if (!place_all(t, node, false, op->inputs, op->input_count))
        return;
    const uint32_t *items = t->placed.items;
    uint64_t        count = t->placed.count;
    while (count && items[count - 1] == TN_NONE)
        count--;
    tn_net_set_inputs(t->net, node, items, (uint32_t)count);
}

static void order_outputs(struct tidying *t, uint32_t node,
                          const struct tn_vocab_op *op)
{
    if (!place_all(t, node, true, op->outputs, op->output_count))
        return;
    uint32_t  count   = (uint32_t)t->placed.count;
    uint32_t *outputs = tn_new(t->net->arena, uint32_t, count, t->net->error);
    for (uint32_t i = 0; outputs && i < count; i++) {
        uint32_t value = *tn_list_at(&t->placed, uint32_t, i);
        outputs[i] = value != TN_NONE && t->is_used[value] ? value : TN_NONE;
    }
    if (outputs)
        tn_net_set_outputs(t->net, node, outputs, count);
}

/* Of kernels, of training, and of the program's author: they do not affect what
 * is computed. */
static const char *const hints[] = {
    "Scale_in",
    "Scale_in_eltwise",
    "Scale_out",
    "Scale_weights",
    "Scale_x",
    "Scale_y",
    "col",
    "data_format",
    "epmap",
    "exhaustive_search",
    "fix_seed",
    "force_cpu",
    "force_fp32_output",
    "fuse_alpha",
    "fuse_beta",
    "fuse_brelu_threshold",
    "fuse_residual_connection",
    "grad_inplace",
    "height_sections",
    "is_distributed",
    "is_sparse",
    "is_test",
    "legacy.type",
    "mkldnn_data_type",
    "name",
    "place_type",
    "remote_prefetch",
    "scale_out",
    "scale_x",
    "scale_y",
    "seed",
    "skip_quant",
    "struct_name",
    "table_names",
    "trainer_id",
    "workspace_size_MB",
    "x_data_format",
    "y_data_format",
};
static const char *const hint_prefixes[] = { "op_", "use_", "with_quant" };

static bool is_hint(struct tn_bytes name)
{
    for (size_t i = 0; i < sizeof hint_prefixes / sizeof *hint_prefixes; i++)
        if (tn_bytes_starts_with(name, hint_prefixes[i]))
            return true;
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        if (tn_bytes_is(name, hints[i]))
            return true;
    return false;
}

/* No rule can read an attribute that the vocabulary does not have. */
static void note_attrs(struct tidying *t, const struct tn_net_node *node,
                       const struct tn_vocab_op *op)
{
    for (uint32_t i = 0; t->notes && i < node->attr_count; i++) {
        struct tn_bytes name = node->attrs[i].name;
        char            why[96];

        if (tn_vocab_find_attr(op, name) || is_hint(name))
            continue;
        snprintf(why, sizeof why, "the attribute '%.*s' is not looked at",
                 (int)(name.size < 48 ? name.size : 48),
                 (const char *)name.data);
        tn_tidy_note(t->notes, t->net, node,
                     tn_text_dup(t->net->arena, why, t->net->error));
    }
}

static enum tn_status place_error(const struct tidying *t, uint32_t node)
{
    char where[sizeof t->net->error->where];

    tn_op_path(t->net->source, tn_net_node(t->net, node).source, where,
               sizeof where);
    tn_error_where(t->net->error, "%s", where);
    return t->net->error->status;
}

static enum tn_status tidy_node(struct tidying *t, uint32_t id)
{
    struct tn_error           unheard = TN_ERROR_INIT;
    const struct tn_net_node  node    = tn_net_node(t->net, id);
    const struct tn_vocab_op *op;

    if (node.is_removed || node.source == TN_NONE)
        return TN_OK;
    op = tn_vocab_find(&t->vocab, node.op->domain, node.op->type, INT64_MAX,
                       &unheard);
    if (!op)
        return TN_OK;
    note_attrs(t, &node, op);
    order_inputs(t, id, op);
    if (!tn_failed(t->net->error))
        order_outputs(t, id, op);
    return tn_failed(t->net->error) ? place_error(t, id) : TN_OK;
}

static enum tn_status tidy_all(struct tidying *t)
{
    TN_TRY(tn_vocab_open(&t->vocab, &t->scratch, "paddle", t->net->error));
    TN_TRY(keep_vectors(t));
    TN_TRY(find_uses(t));
    for (uint32_t i = 0; i < t->net->nodes.count; i++)
        TN_TRY(tidy_node(t, i));
    TN_TRY(tn_paddle_lods(t->net, &t->vocab, t->notes));
    TN_TRY(tn_paddle_crf(t->net));
    return tn_paddle_quant(t->net);
}

enum tn_status tn_paddle_tidy(struct tn_net *net, struct tn_list *notes)
{
    struct tidying t = { .net = net, .notes = notes };

    tn_arena_init(&t.scratch, net->arena->memory);
    tn_list_init(&t.slots, net->arena->memory, sizeof(struct slot));
    tn_list_init(&t.placed, net->arena->memory, sizeof(uint32_t));
    tidy_all(&t);
    tn_list_done(&t.placed);
    tn_list_done(&t.slots);
    tn_arena_done(&t.scratch);
    return net->error->status;
}
