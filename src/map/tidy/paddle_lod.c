/*
 * paddle_lod.c - sequences of unequal lengths, which Paddle has beside a tensor
 *
 * The rows of a tensor can be several sequences one after the other (LoD).
 * Their offsets are not an argument of any operator: most operators pass them
 * from inputs to outputs.  Here they become an ordinary value, n + 1 offsets of
 * rows for n sequences.  It comes from
 *
 *   an input NAME@lod     if the caller names it among the inputs
 *   lod_reset             another tensor, or an attribute
 *   im2sequence,          which make sequences: an output, the last one, that
 *   sequence_unpad, ...   no file has
 *
 * and goes to operators on sequences as their last argument, `Offsets`, which
 * no file has either.  Without it all rows are one sequence, which is reported.
 */
#include "map/tidy/paddle_tidy.h"

#include "ir/attr.h"
#include "map/net/net_build.h"

/* The value has sequences, but their offsets are unknown. */
#define UNTOLD (TN_NONE - 1)

struct lods {
    struct tn_net   *net;
    struct tn_vocab *vocab;
    struct tn_list  *notes; /* may be NULL                              */
    struct tn_list   of;    /* uint32_t by value: its offsets; TN_NONE:
                               no sequences; or UNTOLD                  */
};

/* ---- operators ---------------------------------------------------------- */

enum gives {
    GIVES_NONE,  /* no sequences                                              */
    GIVES_TAKEN, /* those that it takes                                       */
    GIVES_NEW,   /* others: its last output                                   */
};

#define TAKES_NONE 255

struct habit {
    const char *type;
    uint8_t     takes; /* the offsets of that argument                        */
    uint8_t     gives;
};

static const struct habit habits[] = {
    { "box_clip", 0, GIVES_TAKEN },
    { "crf_decoding", 0, GIVES_TAKEN },
    { "distribute_fpn_proposals", 0, GIVES_NONE },
    { "fusion_gru", 0, GIVES_TAKEN },
    { "fusion_lstm", 0, GIVES_TAKEN },
    { "gru", 0, GIVES_TAKEN },
    { "generate_proposals", TAKES_NONE, GIVES_NEW },
    { "generate_proposals_v2", TAKES_NONE, GIVES_NEW },
    { "im2sequence", TAKES_NONE, GIVES_NEW },
    { "lstm", 0, GIVES_TAKEN },
    { "roi_align", 1, GIVES_NONE },
    { "roi_pool", 1, GIVES_NONE },
    { "sequence_conv", 0, GIVES_TAKEN },
    { "sequence_expand", 1, GIVES_TAKEN },
    { "sequence_expand_as", 1, GIVES_TAKEN },
    { "sequence_pad", 0, GIVES_NONE },
    { "sequence_pool", 0, GIVES_NONE },
    { "sequence_reshape", 0, GIVES_NEW },
    { "sequence_reverse", 0, GIVES_TAKEN },
    { "sequence_softmax", 0, GIVES_TAKEN },
    { "sequence_unpad", TAKES_NONE, GIVES_NEW },
};

static const struct habit *find_habit(struct tn_bytes type)
{
    for (size_t i = 0; i < sizeof habits / sizeof *habits; i++)
        if (tn_bytes_is(type, habits[i].type))
            return &habits[i];
    return NULL;
}

/* Operators whose rows differ from those of their inputs. */
static const char *const other_rows[] = {
    "arg_max",
    "arg_min",
    "array_erase",
    "assign_value",
    "create_array",
    "expand",
    "expand_as_v2",
    "expand_v2",
    "fill_constant",
    "fill_constant_batch_size_like",
    "flatten",
    "flatten2",
    "flatten_contiguous_range",
    "gather",
    "gather_nd",
    "index_select",
    "lod_array_length",
    "masked_select",
    "mean",
    "range",
    "read_from_array",
    "reduce_all",
    "reduce_any",
    "reduce_max",
    "reduce_mean",
    "reduce_min",
    "reduce_prod",
    "reduce_sum",
    "rnn",
    "shape",
    "shape64",
    "size",
    "slice",
    "split",
    "squeeze",
    "squeeze2",
    "stack",
    "strided_slice",
    "tensor_array_to_tensor",
    "tile",
    "transpose",
    "transpose2",
    "unbind",
    "unique",
    "unsqueeze",
    "unsqueeze2",
    "unstack",
    "where_index",
    "write_to_array",
};

static bool changes_rows(struct tn_bytes type)
{
    for (size_t i = 0; i < sizeof other_rows / sizeof *other_rows; i++)
        if (tn_bytes_is(type, other_rows[i]))
            return true;
    return false;
}

/* ---- offsets of values -------------------------------------------------- */

static uint32_t offsets_of(const struct lods *l, uint32_t value)
{
    return value < l->of.count ? *tn_list_at(&l->of, uint32_t, value) : TN_NONE;
}

static void set_offsets(struct lods *l, uint32_t value, uint32_t offsets)
{
    while (l->of.count <= value && !tn_failed(l->net->error)) {
        uint32_t *next = tn_list_push(&l->of, uint32_t, l->net->error);
        if (next)
            *next = TN_NONE;
    }
    if (value < l->of.count)
        *tn_list_at(&l->of, uint32_t, value) = offsets;
}

static void set_outputs(struct lods *l, const struct tn_net_node *node,
                        uint32_t offsets)
{
    for (uint32_t i = 0; i < node->output_count; i++)
        if (node->outputs[i] != TN_NONE && offsets != TN_NONE)
            set_offsets(l, node->outputs[i], offsets);
}

/* Inputs that are sequences, and inputs that are their offsets. */
static void find_inputs(struct lods *l)
{
    static const char suffix[] = "@lod";

    const struct tn_net_graph *main  = tn_net_graph(l->net, 0);
    const struct tn_model     *model = l->net->source;
    struct tn_declared         told;

    for (uint32_t i = 0; i < main->inputs.count; i++) {
        struct tn_bytes name = tn_net_input_name(l->net, 0, i);
        if (model->dialect->declared(model, 0, name, &told) && told.levels)
            set_offsets(l, *tn_list_at(&main->inputs, uint32_t, i), UNTOLD);
    }
    for (uint32_t i = 0; i < main->inputs.count; i++) {
        struct tn_bytes name = tn_net_input_name(l->net, 0, i);
        size_t          tail = sizeof suffix - 1;
        if (name.size <= tail || !tn_bytes_ends_with(name, suffix))
            continue;
        struct tn_bytes stem = tn_bytes(name.data, name.size - tail);
        for (uint32_t k = 0; k < main->inputs.count; k++)
            if (tn_bytes_equal(tn_net_input_name(l->net, 0, k), stem))
                set_offsets(l, *tn_list_at(&main->inputs, uint32_t, k),
                            *tn_list_at(&main->inputs, uint32_t, i));
    }
}

static const char one_sequence[] =
    "takes all rows as one sequence; an input NAME@lod would say where they "
    "begin";

/* ---- nodes -------------------------------------------------------------- */

/* The last argument of the vocabulary. */
static void hand_offsets(struct lods *l, uint32_t node,
                         const struct tn_vocab_op *op, uint32_t offsets)
{
    const struct tn_net_node n     = tn_net_node(l->net, node);
    uint32_t                 count = op->input_count;
    uint32_t *inputs = tn_new(l->net->arena, uint32_t, count, l->net->error);

    if (!inputs || n.input_count >= count)
        return;
    memset(inputs, 0xff, count * sizeof *inputs);
    if (n.input_count)
        memcpy(inputs, n.inputs, n.input_count * sizeof *inputs);
    inputs[count - 1] = offsets;
    tn_net_set_inputs(l->net, node, inputs, count);
}

static uint32_t make_offsets(struct lods *l, uint32_t node,
                             const struct tn_vocab_op *op)
{
    struct tn_net *net     = l->net;
    uint32_t       count   = op->output_count;
    uint32_t      *outputs = tn_new(net->arena, uint32_t, count, net->error);
    uint32_t       made =
        tn_net_add_value(net, tn_net_node(net, node).graph, tn_text("offsets"));
    const struct tn_net_node n = tn_net_node(net, node);

    if (!outputs || made == TN_NONE)
        return TN_NONE;
    memset(outputs, 0xff, count * sizeof *outputs);
    for (uint32_t i = 0; i < n.output_count && i < count; i++)
        outputs[i] = n.outputs[i];
    outputs[count - 1] = made;
    tn_net_set_outputs(net, node, outputs, count);
    return made;
}

/* An attribute that no file has; rules read it. */
static void set_flag(struct lods *l, uint32_t node, const char *name)
{
    tn_net_set_int(l->net, node, name, TN_ATTR_BOOL, 1);
}

/* The number of rows of each image is then an argument. */
static bool has_counts(const struct tn_net_node *node)
{
    uint32_t at = tn_bytes_is(node->op->type, "roi_align") ||
                          tn_bytes_is(node->op->type, "roi_pool")
                      ? 2
                  : tn_bytes_is(node->op->type, "distribute_fpn_proposals") ? 1
                                                                            : 0;

    return at && at < node->input_count && node->inputs[at] != TN_NONE;
}

static void take_sequences(struct lods *l, uint32_t node,
                           const struct tn_vocab_op *op,
                           const struct habit       *how)
{
    struct tn_net_node n     = tn_net_node(l->net, node);
    uint32_t           taken = how->takes < n.input_count
                                   ? offsets_of(l, n.inputs[how->takes])
                                   : TN_NONE;

    if (has_counts(&n))
        taken = TN_NONE;
    else if (how->takes != TAKES_NONE && taken >= UNTOLD)
        tn_tidy_note(l->notes, l->net, &n, one_sequence);
    else if (how->takes != TAKES_NONE)
        hand_offsets(l, node, op, taken);
    if (tn_bytes_is(n.op->type, "sequence_expand") &&
        offsets_of(l, n.inputs[0]) != TN_NONE)
        set_flag(l, node, "x_has_sequences");
    n = tn_net_node(l->net, node);
    if (how->gives == GIVES_TAKEN)
        set_outputs(l, &n, taken);
    else if (how->gives == GIVES_NEW && n.output_count)
        set_outputs(l, &n, make_offsets(l, node, op));
}

/* Each of several inputs has offsets of its own: all offsets come after all
 * inputs. */
static void join_sequences(struct lods *l, uint32_t node,
                           const struct tn_vocab_op *op)
{
    const struct tn_net_node n     = tn_net_node(l->net, node);
    uint32_t                 count = n.input_count;
    uint32_t                *inputs =
        tn_new(l->net->arena, uint32_t, 2 * (uint64_t)count, l->net->error);

    for (uint32_t i = 0; inputs && i < count; i++) {
        inputs[i]         = n.inputs[i];
        inputs[count + i] = offsets_of(l, n.inputs[i]);
        if (inputs[count + i] < UNTOLD)
            continue;
        tn_tidy_note(l->notes, l->net, &n, one_sequence);
        inputs = NULL;
    }
    if (tn_failed(l->net->error))
        return;
    if (inputs)
        tn_net_set_inputs(l->net, node, inputs, 2 * count);
    const struct tn_net_node joined = tn_net_node(l->net, node);
    if (joined.output_count)
        set_outputs(l, &joined, make_offsets(l, node, op));
}

/* A node that is not in the file: of one input, with one attribute. */
static uint32_t add_node(struct lods *l, uint32_t graph, const char *type,
                         uint32_t from, const struct tn_net_attr *attr)
{
    uint32_t made = tn_net_add_value(l->net, graph, tn_text("offsets"));
    const struct tn_net_node node = { .op     = tn_net_own_op(l->net, type),
                                      .graph  = graph,
                                      .inputs = &from,
                                      .input_count  = 1,
                                      .outputs      = &made,
                                      .output_count = 1,
                                      .attrs        = attr,
                                      .attr_count   = 1,
                                      .source       = TN_NONE };

    return made == TN_NONE || tn_net_add_node(l->net, &node) == TN_NONE
               ? TN_NONE
               : made;
}

static uint32_t flat_int64(struct lods *l, uint32_t graph, uint32_t value)
{
    static const int64_t int64_number = 3, all = -1;

    uint32_t made = add_node(
        l, graph, "cast", value,
        &(struct tn_net_attr){
            tn_text("out_dtype"),
            { .kind = TN_ATTR_INT, .count = 1, .of.ints = &int64_number } });
    return made == TN_NONE
               ? TN_NONE
               : add_node(l, graph, "reshape2", made,
                          &(struct tn_net_attr){ tn_text("shape"),
                                                 { .kind    = TN_ATTR_INT,
                                                   .is_list = true,
                                                   .count   = 1,
                                                   .of.ints = &all } });
}

/* The offsets of Y, or what Y holds, or an attribute. */
static void reset_offsets(struct lods *l, uint32_t node)
{
    const struct tn_net_node    n      = tn_net_node(l->net, node);
    const struct tn_attr_value *target = tn_net_attr(&n, "target_lod");
    uint32_t y = n.input_count > 1 ? n.inputs[1] : TN_NONE, offsets = TN_NONE;

    if (y != TN_NONE && offsets_of(l, y) != TN_NONE) {
        offsets = offsets_of(l, y);
    } else if (y != TN_NONE) {
        offsets = flat_int64(l, n.graph, y);
    } else if (target && target->kind == TN_ATTR_INT && target->is_list &&
               target->count > 1) {
        const uint64_t dims[] = { target->count };
        offsets = tn_net_add_ints(l->net, n.graph, tn_text("offsets"), TN_INT64,
                                  target->of.ints, 1, dims);
    }
    set_outputs(l, &n, offsets);
}

/* A batch consists of sequences, if there are any. */
static void count_sequences(struct lods *l, uint32_t node,
                            const struct tn_vocab_op *op)
{
    const struct tn_net_node    n     = tn_net_node(l->net, node);
    const struct tn_attr_value *index = tn_net_attr(&n, "input_dim_idx");
    uint32_t taken = n.input_count ? offsets_of(l, n.inputs[0]) : TN_NONE;

    if (taken == TN_NONE || (index && index->of.ints[0] != 0))
        return;
    if (taken != UNTOLD) {
        hand_offsets(l, node, op, taken);
        return;
    }
    tn_tidy_note(l->notes, l->net, &n, one_sequence);
    set_flag(l, node, "is_one_sequence");
}

/* Only a shape that copies the first dim is certain to keep rows. */
static bool keeps_rows(const struct tn_net_node *node)
{
    const struct tn_attr_value *shape = tn_net_attr(node, "shape");

    if (!tn_bytes_is(node->op->type, "reshape2") &&
        !tn_bytes_is(node->op->type, "reshape"))
        return !changes_rows(node->op->type);
    return shape && shape->kind == TN_ATTR_INT && shape->is_list &&
           shape->count && shape->of.ints[0] == 0;
}

static void share(struct lods *l, const struct tn_net_node *node)
{
    if (!keeps_rows(node))
        return;
    for (uint32_t i = 0; i < node->input_count; i++)
        if (node->inputs[i] != TN_NONE &&
            offsets_of(l, node->inputs[i]) != TN_NONE) {
            set_outputs(l, node, offsets_of(l, node->inputs[i]));
            return;
        }
}

static void go_through(struct lods *l, uint32_t node)
{
    struct tn_error           unheard = TN_ERROR_INIT;
    const struct tn_net_node  n       = tn_net_node(l->net, node);
    const struct habit       *how     = find_habit(n.op->type);
    const struct tn_vocab_op *op =
        tn_vocab_find(l->vocab, n.op->domain, n.op->type, INT64_MAX, &unheard);

    if (n.is_removed || !op)
        return;
    if (how)
        take_sequences(l, node, op, how);
    else if (tn_bytes_is(n.op->type, "sequence_concat"))
        join_sequences(l, node, op);
    else if (tn_bytes_is(n.op->type, "lod_reset"))
        reset_offsets(l, node);
    else if (tn_bytes_is(n.op->type, "fill_constant_batch_size_like"))
        count_sequences(l, node, op);
    else if (tn_bytes_is(n.op->type, "multiclass_nms") ||
             tn_bytes_is(n.op->type, "multiclass_nms2"))
        tn_tidy_note(l->notes, l->net, &n,
                     "does not tell whose rows are which image's");
    else
        share(l, &n);
}

enum tn_status tn_paddle_lods(struct tn_net *net, struct tn_vocab *vocab,
                              struct tn_list *notes)
{
    struct lods l = { .net = net, .vocab = vocab, .notes = notes };

    tn_list_init(&l.of, net->arena->memory, sizeof(uint32_t));
    if (net->source->dialect->declared)
        find_inputs(&l);
    for (uint32_t g = 0; g < net->graphs.count; g++)
        for (uint64_t i = 0, count = tn_net_graph(net, g)->nodes.count;
             i < count && !tn_failed(net->error); i++)
            go_through(&l,
                       *tn_list_at(&tn_net_graph(net, g)->nodes, uint32_t, i));
    tn_list_done(&l.of);
    return net->error->status;
}
