/*
 * map_apply_fuzz.c - hostile rules over hostile nodes
 *
 *   u8   version of the net, 0: none
 *   u8   node_count, at most 31; per node: u8 op, u8 input_count, inputs,
 *        u8 output_count, u8 attribute
 *   u8[] the rest: text of rules, after a line "rules onnx -> nd4j 1", or of
 *        shapes, after "shapes onnx 1" when the first byte is odd
 *
 * Inputs may be values that come later, or none: a net of strangers.  Whatever
 * the rules are, they end, within the steps, nodes and memory that are allowed,
 * and the net that they make is one: ids are in range, names differ.
 */
#include <assert.h>
#include <stdint.h>

#include "base/cursor.h"
#include "map/lang/lang_apply.h"
#include "map/net/net_build.h"

#define NODES_MAX   31
#define OUTPUTS_MAX 3
#define BUDGET      (UINT64_C(256) << 20)

static const char *const ops[] = { "Relu", "Add",   "Concat", "Split",
                                   "Conv", "Shape", "If",     "Reshape" };

static const int64_t ints[]   = { 1, -1, 0, 3, INT64_MAX, INT64_MIN };
static const float   floats[] = { 0.5F, -1, 0 };

/* An attribute of one of a few kinds; graphs may not exist. */
static struct tn_net_attr attr_of(uint8_t byte)
{
    static const char *const names[] = { "axis", "axes", "alpha", "body" };
    struct tn_net_attr       attr    = { .name = tn_text(names[byte & 3]) };

    attr.value.is_list = byte & 4;
    attr.value.count   = byte & 4 ? byte >> 5 & 3 : 1;
    attr.value.kind    = byte & 8 ? TN_ATTR_GRAPH : TN_ATTR_INT;
    attr.value.of.ints = ints + (byte >> 4 & 1) * 2;
    if ((byte & 3) == 2) {
        attr.value.kind      = TN_ATTR_FLOAT;
        attr.value.of.floats = floats;
    }
    return attr;
}

/* All values first, so that nodes may use what comes later. */
static void add_values(struct tn_net *net)
{
    static const int64_t dims[] = { 2, -1, 3 };
    uint64_t             count  = 3;

    for (unsigned i = 0; i < NODES_MAX * OUTPUTS_MAX; i++)
        tn_net_add_value(net, 0, tn_text("v"));
    tn_net_add_ints(net, 0, tn_text("c"), TN_INT64, ints, 1, &count);
    uint32_t x = tn_net_add_value(net, 0, tn_text("x"));
    if (tn_failed(net->error))
        return;
    tn_net_set_type(
        net, x,
        &(struct tn_net_type){
            .dtype = TN_FLOAT32, .has_rank = true, .rank = 3, .dims = dims });
    tn_net_add_input(net, 0, x, tn_text(""));
}

static void add_node(struct tn_net *net, struct tn_cursor *c, uint32_t index)
{
    uint32_t           inputs[8], outputs[OUTPUTS_MAX];
    struct tn_net_node node = { .op     = tn_net_own_op(net, ops[tn_u8(c) & 7]),
                                .source = TN_NONE };

    node.input_count = tn_u8(c) & 7;
    for (uint32_t i = 0; i < node.input_count; i++) {
        uint32_t value = tn_u8(c);
        inputs[i]      = value < net->values.count ? value : TN_NONE;
    }
    node.output_count = tn_u8(c) % (OUTPUTS_MAX + 1);
    for (uint32_t i = 0; i < node.output_count; i++)
        outputs[i] = index * OUTPUTS_MAX + i;
    struct tn_net_attr attr = attr_of(tn_u8(c));
    node.inputs             = inputs;
    node.outputs            = outputs;
    node.attrs              = &attr;
    node.attr_count         = 1;
    tn_net_add_node(net, &node);
    if (node.output_count)
        tn_net_add_output(net, 0, outputs[0], tn_text(""));
}

static void assert_is_net(const struct tn_net *net)
{
    for (uint32_t i = 0; i < net->nodes.count; i++) {
        const struct tn_net_node node = tn_net_node(net, i);
        assert(node.graph < net->graphs.count);
        for (uint32_t k = 0; k < node.input_count; k++)
            assert(node.inputs[k] == TN_NONE ||
                   node.inputs[k] < net->values.count);
        for (uint32_t k = 0; k < node.output_count; k++)
            assert(node.outputs[k] == TN_NONE ||
                   tn_net_value(net, node.outputs[k]).producer == i);
    }
}

static void run(struct tn_net *from, struct tn_bytes text, bool is_shapes)
{
    struct tn_lang_file        file;
    struct tn_net              to;
    struct tn_map_report       report;
    struct tn_infer           *facts   = NULL;
    const struct tn_lang_file *files[] = { &file };

    tn_net_init(&to, from->arena, "nd4j", from->error);
    tn_map_report_init(&report, from->arena);
    if (tn_lang_parse(&file, from->arena, "fuzz", text, from->error) == TN_OK &&
        tn_infer_open(&facts, from, is_shapes ? &file : NULL) == TN_OK &&
        tn_infer_run(facts) == TN_OK && !is_shapes &&
        tn_lang_apply(files, 1, facts, from, NULL, &to, &report) == TN_OK)
        assert_is_net(&to);
    for (uint32_t i = 0; facts && i < from->values.count; i++) {
        struct tn_item item;
        if (tn_fold(facts, i, &item) == TN_OK && item.kind == TN_ITEM_LIST)
            assert(item.count <= TN_FOLD_MAX);
    }
    tn_infer_close(facts);
    tn_map_report_done(&report);
    tn_lang_done(&file);
    tn_net_done(&to);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tn_error  error = TN_ERROR_INIT, none = TN_ERROR_INIT;
    struct tn_memory memory;
    struct tn_arena  arena;
    struct tn_net    net;
    struct tn_cursor c = tn_cursor_bytes(tn_bytes(data, size), 0, &none);

    tn_memory_init(&memory, NULL, BUDGET);
    tn_arena_init(&arena, &memory);
    tn_net_init(&net, &arena, "onnx", &error);
    tn_net_add_graph(&net, TN_GRAPH_MAIN, tn_text("g"), TN_NONE);
    add_values(&net);
    net.version        = tn_u8(&c);
    bool     is_shapes = net.version & 1;
    uint32_t count     = tn_u8(&c) & NODES_MAX;
    for (uint32_t i = 0; i < count && !tn_failed(&none); i++)
        add_node(&net, &c, i);
    if (!tn_failed(&none)) {
        struct tn_bytes rest = tn_bytes(c.at, (size_t)(c.end - c.at));
        char           *text = tn_text_format(
                      &arena, &error, "%s 1\n%.*s",
            is_shapes ? "shapes onnx" : "rules onnx -> nd4j", TN_FMT(rest));
        if (text)
            run(&net, tn_text(text), is_shapes);
    }
    tn_net_done(&net);
    tn_arena_done(&arena);
    assert(memory.used == 0);
    return 0;
}
