/* tflite_tidy.c - a TFLite graph, as it was saved, becomes one that rules know */
#include "map/tidy/tflite_tidy.h"

#include "base/little.h"
#include "ir/attr.h"
#include "map/net/net_build.h"
#include "wire/fb/flex.h"

enum { RANK_MAX = 16 };

const struct tn_value_about *tn_tflite_about(const struct tn_tflite_work *work,
                                             uint32_t                     value)
{
    return value < work->values ? work->about[value] : NULL;
}

void tn_tflite_note(struct tn_tflite_work *work, uint32_t node, const char *why)
{
    const struct tn_net_node n = tn_net_node(work->net, node);

    tn_tidy_note(work->notes, work->net, &n, why);
}

/* ---- what the file says --------------------------------------------------- */

/* A type and a rank: sizes of values that operators make are only hints. */
static void set_type(struct tn_net *net, uint32_t value,
                     const struct tn_value_about *about)
{
    struct tn_net_type type = *tn_net_value(net, value).type;
    int64_t            open[RANK_MAX];

    if (type.wrap != TN_NET_TENSOR)
        return;
    if (type.dtype == TN_UNDEFINED)
        type.dtype = about->dtype;
    if (!type.has_rank && about->has_rank && about->rank <= RANK_MAX) {
        for (uint32_t i = 0; i < about->rank; i++)
            open[i] = -1;
        type.has_rank = true;
        type.rank     = about->rank;
        type.dims     = open;
    }
    tn_net_set_type(net, value, &type);
}

static void describe(struct tn_tflite_work *work, uint32_t value,
                     uint32_t model_value)
{
    struct tn_net         *net   = work->net;
    const struct tn_model *model = net->source;

    if (value == TN_NONE || model_value == TN_NONE || value >= work->values ||
        work->about[value])
        return;
    struct tn_value_about *about =
        tn_new(&work->arena, struct tn_value_about, 1, net->error);
    if (!about ||
        !model->dialect->describe_value(
            model, tn_model_value_at(model, model_value)->graph,
            tn_model_value_name(model, model_value), &work->arena, about,
            net->error))
        return;
    work->about[value] = about;
    set_type(net, value, about);
}

/* Values of other graphs may have been renamed, so they are found by their
 * operators. */
static enum tn_status describe_all(struct tn_tflite_work *work)
{
    struct tn_net *net = work->net;

    work->values = (uint32_t)net->values.count;
    work->about  = tn_new(&work->arena, const struct tn_value_about *,
                          (uint64_t)work->values + 1, net->error);
    if (!work->about)
        return net->error->status;
    if (!net->source || !net->source->dialect->describe_value)
        return TN_OK;
    for (uint32_t i = 0; i < net->nodes.count && !tn_failed(net->error); i++) {
        const struct tn_net_node node = tn_net_node(net, i);
        if (node.is_removed || node.source == TN_NONE)
            continue;
        for (uint32_t k = 0; k < node.input_count; k++)
            describe(work, node.inputs[k],
                     tn_op_input(net->source, node.source, k));
        for (uint32_t k = 0; k < node.output_count; k++)
            describe(work, node.outputs[k],
                     tn_op_output(net->source, node.source, k));
    }
    return net->error->status;
}

/* ---- attributes ------------------------------------------------------------ */

/* Options of a file may leave out what follows from its values. */
static const struct {
    const char *type, *attr;
    uint32_t    output;
} typed_ops[] = {
    { "ARG_MAX", "output_type", 0 },
    { "ARG_MIN", "output_type", 0 },
    { "BITCAST", "out_data_type", 0 },
    { "CAST", "out_data_type", 0 },
    { "MULTINOMIAL", "out_data_type", 0 },
    { "SHAPE", "out_type", 0 },
    { "STABLEHLO_CONVERT", "out_data_type", 0 },
    { "STABLEHLO_IOTA", "out_data_type", 0 },
    { "UNIQUE", "idx_out_type", 1 },
};

static void set_float(struct tn_net *net, uint32_t node, const char *name,
                      double number)
{
    float *kept = tn_new(net->arena, float, 1, net->error);

    if (!kept)
        return;
    *kept = (float)number;
    tn_net_set_attr(net, node, name,
                    &(struct tn_attr_value){ .kind      = TN_ATTR_FLOAT,
                                             .count     = 1,
                                             .of.floats = kept });
}

static void say_type(struct tn_tflite_work *work, uint32_t id)
{
    const struct tn_net_node node = tn_net_node(work->net, id);

    for (size_t i = 0; i < sizeof typed_ops / sizeof *typed_ops; i++) {
        if (!tn_bytes_is(node.op->type, typed_ops[i].type) ||
            typed_ops[i].output >= node.output_count ||
            node.outputs[typed_ops[i].output] == TN_NONE)
            continue;
        const struct tn_value_about *about =
            tn_tflite_about(work, node.outputs[typed_ops[i].output]);
        if (about && about->dtype != TN_UNDEFINED)
            tn_net_set_int(work->net, id, typed_ops[i].attr, TN_ATTR_DTYPE,
                           about->dtype);
    }
}

/* ---- options of custom operators ------------------------------------------- */

/* Custom kernels that were copied from TFLite's have their structs as options:
 * numbers of 32 bits. */
static const struct {
    const char *type;
    const char *fields[5]; /* the first says SAME (1) or VALID (2) */
} struct_ops[] = {
    { "Convolution2DTransposeBias", { "padding", "stride_w", "stride_h" } },
    { "MaxPoolingWithArgmax2D",
      { "padding", "stride_w", "stride_h", "filter_width", "filter_height" } },
};

static bool read_struct(struct tn_net *net, uint32_t id, struct tn_bytes type,
                        struct tn_bytes bytes)
{
    for (size_t i = 0; i < sizeof struct_ops / sizeof *struct_ops; i++) {
        if (!tn_bytes_is(type, struct_ops[i].type))
            continue;
        for (size_t k = 0; k < 5 && struct_ops[i].fields[k]; k++) {
            if (bytes.size < 4 * (k + 1))
                break;
            uint32_t number = tn_load32(bytes.data + 4 * k);
            if (k)
                tn_net_set_int(net, id, struct_ops[i].fields[k], TN_ATTR_INT,
                               (int32_t)number);
            else
                tn_net_set_text(net, id, struct_ops[i].fields[k],
                                tn_text(number == 2 ? "VALID" : "SAME"));
        }
        return true;
    }
    return false;
}

static void read_item(struct tn_net *net, uint32_t id,
                      const struct tn_flex_item *item)
{
    const char *name = tn_text_format(net->arena, net->error, "%.*s",
                                      TN_FMT(item->key));

    if (!name)
        return;
    if (item->kind == TN_FLEX_INT)
        tn_net_set_int(net, id, name, TN_ATTR_INT, item->number);
    if (item->kind == TN_FLEX_BOOL)
        tn_net_set_int(net, id, name, TN_ATTR_BOOL, item->number != 0);
    if (item->kind == TN_FLEX_FLOAT)
        set_float(net, id, name, item->real);
    if (item->kind == TN_FLEX_STRING)
        tn_net_set_text(net, id, name, item->text);
}

/* More options than any operator has are not read. */
enum { OPTIONS_MAX = 256 };

static void read_options(struct tn_net *net, uint32_t id)
{
    const struct tn_net_node    node = tn_net_node(net, id);
    const struct tn_attr_value *raw  = tn_net_attr(&node, "custom_options");
    struct tn_flex_map          map;
    struct tn_flex_item         item;

    if (!raw || raw->kind != TN_ATTR_STRING || !raw->count)
        return;
    struct tn_bytes bytes = raw->of.strings[0];
    if (read_struct(net, id, node.op->type, bytes) ||
        !tn_flex_open(&map, bytes))
        return;
    for (uint64_t i = 0;
         i < map.count && i < OPTIONS_MAX && !tn_failed(net->error); i++)
        if (tn_flex_at(&map, i, &item))
            read_item(net, id, &item);
}

static void set_options(struct tn_tflite_work *work)
{
    struct tn_net *net = work->net;

    for (uint32_t i = 0; i < net->nodes.count && !tn_failed(net->error); i++) {
        const struct tn_net_node node = tn_net_node(net, i);
        if (node.is_removed)
            continue;
        if (node.op->domain.size)
            read_options(net, i);
        else
            say_type(work, i);
    }
}

/* ---- what ONNX has no place for --------------------------------------------- */

/* ONNX's LSTM does not clip its cell.  A cell that begins at zero grows by one at
 * most in each step, so it stays within the limit for as many steps. */
static void note_clips(struct tn_tflite_work *work)
{
    struct tn_net *net = work->net;

    for (uint32_t i = 0; i < net->nodes.count && !tn_failed(net->error); i++) {
        const struct tn_net_node node   = tn_net_node(net, i);
        struct tn_tflite_states  states = tn_tflite_states_of(&node);
        if (node.is_removed || !states.count || states.is_step)
            continue;
        const struct tn_attr_value  *clip = tn_net_attr(&node, "cell_clip");
        const struct tn_attr_value  *turn = tn_net_attr(&node, "time_major");
        const struct tn_value_about *x =
            node.input_count && node.inputs[0] != TN_NONE
                ? tn_tflite_about(work, node.inputs[0])
                : NULL;
        bool is_first = turn && turn->kind == TN_ATTR_BOOL && turn->of.ints[0];
        int64_t steps =
            x && x->has_rank && x->rank == 3 ? x->dims[is_first ? 0 : 1] : -1;
        if (clip && clip->kind == TN_ATTR_FLOAT && clip->of.floats[0] > 0 &&
            (steps < 0 || (double)steps > (double)clip->of.floats[0]))
            tn_tflite_note(work, i, "its cell is not clipped in ONNX");
    }
}

/* Called subgraphs were inlined, so they are removed. */
static void drop_functions(struct tn_net *net)
{
    for (uint32_t i = 0; i < net->nodes.count; i++) {
        const struct tn_net_node node = tn_net_node(net, i);
        if (!node.is_removed &&
            tn_net_graph(net, node.graph)->kind == TN_GRAPH_FUNCTION)
            tn_net_remove(net, i);
    }
}

enum tn_status tn_tflite_tidy(struct tn_net *net, struct tn_list *notes,
                              struct tn_tflite_tidied *did)
{
    struct tn_tflite_work work = { .net = net, .notes = notes, .did = did };

    tn_arena_init(&work.arena, net->arena->memory);
    describe_all(&work);
    set_options(&work);
    note_clips(&work);
    if (!tn_failed(net->error))
        tn_tflite_quantize(&work);
    if (!tn_failed(net->error))
        tn_tflite_calls(&work);
    if (!tn_failed(net->error))
        tn_tflite_state(&work);
    if (!tn_failed(net->error))
        drop_functions(net);
    if (!tn_failed(net->error))
        tn_tflite_cells(&work);
    tn_arena_done(&work.arena);
    return net->error->status;
}
