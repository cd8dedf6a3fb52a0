/* onnx_cells_test.c - which layers become loops.  What they compute is judged
 * by tests/judges/onnx_sweep.py. */
#include "map/net/net_build.h"
#include "map/tidy/onnx_tidy.h"

#include <stdio.h>

#include "support/net_bench.h"
#include "support/net_lines.h"

struct net_case {
    const char *name, *line;
    const char *attr, *text; /* an attribute of the layer; NULL: none         */
    int64_t     version, ways;
    uint32_t    loops;
};

static const struct net_case rows[] = {
    { "a GRU", "y,h = GRU x,w,r,b,_,h0", NULL, NULL, 17, 1, 1 },
    { "nothing but weights", "y,h = GRU x,w,r", NULL, NULL, 17, 1, 1 },
    { "lengths", "y,h = GRU x,w,r,b,n,h0", NULL, NULL, 17, 1, 1 },
    { "an old opset", "y,h = GRU x,w,r,b,_,h0", NULL, NULL, 11, 1, 1 },
    { "in reverse", "y,h = GRU x,w,r,b,_,h0", "direction", "reverse", 17, 1,
      1 },
    { "both directions", "y,h = GRU x,w,r,b,_,h0", "direction", "bidirectional",
      17, 2, 2 },
    { "an RNN", "y,h = RNN x,w1,r1,b1,_,h0", NULL, NULL, 17, 1, 1 },
    { "a function", "y,h = RNN x,w1,r1,b1,_,h0", "activations", "Relu", 17, 1,
      1 },
    { "an unknown function", "y,h = RNN x,w1,r1,b1,_,h0", "activations",
      "Affine", 17, 1, 0 },
    { "too few functions", "y,h = GRU x,w,r,b,_,h0", "activations", "Tanh", 17,
      1, 0 },
    { "a clip", "y,h = GRU x,w,r,b,_,h0", "clip", "3", 17, 1, 0 },
    { "an opset without Slice", "y,h = GRU x,w,r,b,_,h0", NULL, NULL, 9, 1, 0 },
    { "weights of another layer", "y,h = GRU x,w1,r1,b,_,h0", NULL, NULL, 17, 1,
      0 },
    { "a bias of another layer", "y,h = GRU x,w,r,b1,_,h0", NULL, NULL, 17, 1,
      0 },
    { "more directions than weights", "y,h = GRU x,w,r,b,_,h0", "direction",
      "bidirectional", 17, 1, 0 },
    { "no sequence", "y,h = GRU _,w,r,b,_,h0", NULL, NULL, 17, 1, 0 },
};

static void tell(struct tn_net *net, const char *name, uint32_t rank,
                 const int64_t *dims)
{
    uint32_t value = net_line_find(net, name);

    if (value == TN_NONE || tn_failed(net->error))
        return;
    tn_net_set_type(net, value,
                    &(struct tn_net_type){ .dtype    = TN_FLOAT32,
                                           .has_rank = true,
                                           .rank     = rank,
                                           .dims     = dims });
}

static void set_text(struct tn_net *net, const char *name, const char *text)
{
    struct tn_bytes *item = tn_new(net->arena, struct tn_bytes, 1, net->error);

    if (!item)
        return;
    *item = tn_text(text);
    tn_net_set_attr(net, 0, name,
                    &(struct tn_attr_value){ .kind       = TN_ATTR_STRING,
                                             .count      = 1,
                                             .of.strings = item });
}

static void fill(struct tn_net *net, const struct net_case *row)
{
    int64_t d = row->ways;

    net->version = row->version;
    net_add_io(net, 0, "x,w,r,b,w1,r1,b1,n,h0 -> y,h");
    tell(net, "x", 3, (int64_t[]){ -1, -1, 3 });
    tell(net, "w", 3, (int64_t[]){ d, 12, 3 });
    tell(net, "r", 3, (int64_t[]){ d, 12, 4 });
    tell(net, "b", 2, (int64_t[]){ d, 24 });
    tell(net, "w1", 3, (int64_t[]){ d, 4, 3 });
    tell(net, "r1", 3, (int64_t[]){ d, 4, 4 });
    tell(net, "b1", 2, (int64_t[]){ d, 8 });
    tell(net, "h0", 3, (int64_t[]){ d, -1, 4 });
    net_add_line(net, 0, row->line);
    if (row->attr)
        set_text(net, row->attr, row->text);
}

static void layers_become_loops(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bench b;
        uint64_t     found;

        printf("%s\n", rows[i].name);
        set_up(&b, "onnx");
        fill(&b.net, &rows[i]);
        assert_int_equal(tn_onnx_cells(&b.net, &found), TN_OK);
        assert_int_equal(found, rows[i].loops > 0);
        assert_int_equal(count_nodes(&b.net, "Loop"), rows[i].loops);
        assert_int_equal(count_nodes(&b.net, "GRU") +
                             count_nodes(&b.net, "RNN"),
                         rows[i].loops == 0);
        tear_down(&b);
    }
}

static const struct net_case simple = {
    "no bias", "y,h = RNN x,w1,r1,_,n,h0", NULL, NULL, 17, 1, 1
};

static void fill_simple(struct tn_net *net)
{
    fill(net, &simple);
}

static enum tn_status run(struct tn_net *net)
{
    uint64_t found;

    return tn_onnx_cells(net, &found);
}

static void any_allocation_may_fail(void **state)
{
    (void)state;
    survives_no_memory(
        "onnx", fill_simple, run,
        "y/Reshape:Reshape(h0,) y/Reshape_1:Reshape(w1,) "
        "y/Transpose:Transpose(y/Reshape_1) y/Reshape_2:Reshape(r1,) "
        "y/Transpose_1:Transpose(y/Reshape_2) y/Cast:Cast(n) "
        "y/Reshape_3:Reshape(y/Cast,) y/Shape:Shape(x) "
        "y/Gather_1:Gather(y/Shape,) "
        "y/Loop,y/Loop_1:Loop(y/Gather_1,,y/Reshape)[round,going,h_1| "
        "y/Gather:Gather(x,round) "
        "y/MatMul:MatMul(y/Gather,y/Transpose) "
        "y/MatMul_1:MatMul(h_1,y/Transpose_1) "
        "y/Add:Add(y/MatMul,y/MatMul_1) y/Tanh:Tanh(y/Add) "
        "y/Less:Less(round,y/Reshape_3) y/Where:Where(y/Less,y/Tanh,) "
        "y/Where_1:Where(y/Less,y/Tanh,h_1) "
        "->going,y/Where_1,y/Where] h:Unsqueeze(y/Loop,) "
        "y:Unsqueeze(y/Loop_1,) ->y,h");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layers_become_loops),
        cmocka_unit_test(any_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
