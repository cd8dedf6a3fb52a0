/* onnx_rnn_test.c - which loops become RNN, and which stay.  LSTM and GRU are
 * judged by tests/judges/tensorflow_rnn.py. */
#include "map/net/net_build.h"
#include "map/tidy/onnx_tidy.h"

#include <stdio.h>
#include <string.h>

#include "support/net_bench.h"
#include "support/net_lines.h"

struct net_case {
    const char *name, *loop, *io;
    const char *body[12];
    const char *want; /* NULL: the Loop stays                                 */
};

#define CELL                                                                   \
    "r = Gather x,i", "j = Concat r,g", "p = MatMul j,w", "q = Add p,b",       \
        "y = Tanh q", "s1 = Identity y", "go1 = Identity go"
static const struct net_case rows[] = {
    { "a simple cell",
      "h,s = Loop m,_,h0 body={1}",
      "i,go,g -> go1,y,s1",
      { CELL },
      "RNN" },
    { "a condition",
      "h,s = Loop m,a,h0 body={1}",
      "i,go,g -> go1,y,s1",
      { CELL },
      NULL },
    { "no number of rounds",
      "h,s = Loop _,_,h0 body={1}",
      "i,go,g -> go1,y,s1",
      { CELL },
      NULL },
    { "something else is given, too",
      "h,s = Loop m,_,h0 body={1}",
      "i,go,g -> go1,y,q",
      { CELL },
      NULL },
    { "another row than the round's",
      "h,s = Loop m,_,h0 body={1}",
      "i,go,g -> go1,y,s1",
      { "k = F i", "r = Gather x,k", "j = Concat r,g", "p = MatMul j,w",
        "y = Tanh p", "s1 = Identity y", "go1 = Identity go" },
      NULL },
    { "a state for all of the batch",
      "h,s = Loop m,_,one body={1}",
      "i,go,g -> go1,y,s1",
      { CELL },
      NULL },
    { "a bias of another size",
      "h,s = Loop m,_,h0 body={1}",
      "i,go,g -> go1,y,s1",
      { "r = Gather x,i", "j = Concat r,g", "p = MatMul j,w", "q = Add p,a",
        "y = Tanh q", "s1 = Identity y", "go1 = Identity go" },
      NULL },
    { "weights of another size",
      "h,s = Loop m,_,h0 body={1}",
      "i,go,g -> go1,y,s1",
      { "r = Gather x,i", "j = Concat r,g", "p = MatMul j,v", "y = Tanh p",
        "s1 = Identity y", "go1 = Identity go" },
      NULL },
    { "two rows of a sequence",
      "h,s = Loop m,_,h0 body={1}",
      "i,go,g -> go1,y,s1",
      { "r = Gather x,i", "j = Concat r,g", "p = MatMul j,w", "q = MatMul r,b",
        "k = Add p,q", "y = Tanh k", "s1 = Identity y", "go1 = Identity go" },
      NULL },
    { "another function",
      "h,s = Loop m,_,h0 body={1}",
      "i,go,g -> go1,y,s1",
      { "r = Gather x,i", "j = Concat r,g", "p = MatMul j,w", "y = Elu p",
        "s1 = Identity y", "go1 = Identity go" },
      NULL },
};

#define FIRST "r = Gather x,i", "j = Concat r,g", "p = MatMul j,w", "y = Tanh p"
#define LAST  "z = Tanh q", "s1 = Identity z", "go1 = Identity go"
static const struct {
    struct net_case net;
    uint32_t        layers, loops;
} stacks[] = {
    { { "two cells",
        "h,k,s = Loop m,_,h0,k0 body={1}",
        "i,go,g,f -> go1,y,z,s1",
        { FIRST, "l = Concat y,f", "q = MatMul l,u", LAST },
        "RNN" },
      2,
      0 },
    { { "two cells, the second one first",
        "k,h,s = Loop m,_,k0,h0 body={1}",
        "i,go,f,g -> go1,z,y,s1",
        { FIRST, "l = Concat y,f", "q = MatMul l,u", LAST },
        "RNN" },
      2,
      0 },
    { { "the second takes the sum of what the first takes and gives",
        "h,k,s = Loop m,_,h0,k0 body={1}",
        "i,go,g,f -> go1,y,z,s1",
        { FIRST, "t = Add y,y", "l = Concat t,f", "q = MatMul l,u", LAST },
        "RNN" },
      2,
      0 },
    { { "all that both give is added",
        "h,k,s = Loop m,_,h0,k0 body={1}",
        "i,go,g,f -> go1,y,z,s1",
        { FIRST, "l = Concat y,f", "q = MatMul l,u", "z = Tanh q",
          "s1 = Add y,z", "go1 = Identity go" },
        "RNN" },
      2,
      0 },
    { { "the second takes the last state of the first",
        "h,k,s = Loop m,_,h0,k0 body={1}",
        "i,go,g,f -> go1,y,z,s1",
        { FIRST, "l = Concat g,f", "q = MatMul l,u", LAST },
        "RNN" },
      0,
      1 },
    { { "the second is no cell",
        "h,k,s = Loop m,_,h0,k0 body={1}",
        "i,go,g,f -> go1,y,z,s1",
        { FIRST, "l = Concat y,f", "q = Elu l", LAST },
        "RNN" },
      1,
      1 },
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

static void join_columns(struct tn_net *net)
{
    static const int64_t one = 1;

    for (uint32_t i = 0; i < net->nodes.count && !tn_failed(net->error); i++)
        if (tn_bytes_is(tn_net_node(net, i).op->type, "Concat"))
            tn_net_set_attr(net, i, "axis",
                            &(struct tn_attr_value){ .kind    = TN_ATTR_INT,
                                                     .count   = 1,
                                                     .of.ints = &one });
}

static void fill(struct tn_net *net, const struct net_case *row)
{
    net_add_io(net, 0,
               strstr(row->loop, "k0") ? "x,h0,w,b,m,a,v,one,k0,u -> h,k,s"
                                       : "x,h0,w,b,m,a,v,one -> h,s");
    tell(net, "k0", 2, (int64_t[]){ -1, 4 });
    tell(net, "u", 2, (int64_t[]){ 8, 4 });
    tell(net, "v", 2, (int64_t[]){ 4, 4 });
    tell(net, "one", 2, (int64_t[]){ 1, 4 });
    tell(net, "a", 1, (int64_t[]){ 5 });
    tell(net, "w", 2, (int64_t[]){ 7, 4 });
    tell(net, "b", 1, (int64_t[]){ 4 });
    tell(net, "x", 3, (int64_t[]){ -1, -1, 3 });
    tell(net, "h0", 2, (int64_t[]){ -1, 4 });
    net_add_line(net, 0, row->loop);
    net_add_subgraph(net, 0, row->io, row->body);
    join_columns(net);
}

static void assert_row(const struct net_case *row)
{
    struct bench b;
    uint64_t     found;

    set_up(&b, "onnx");
    fill(&b.net, row);
    assert_int_equal(tn_onnx_rnn(&b.net, &found, NULL), TN_OK);
    assert_int_equal(found, row->want != NULL);
    assert_int_equal(count_nodes(&b.net, "Loop"), row->want == NULL);
    if (row->want)
        assert_int_equal(count_nodes(&b.net, row->want), 1);
    tear_down(&b);
}

static void loops_that_are_cells_become_layers(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        printf("%s\n", rows[i].name);
        assert_row(&rows[i]);
    }
}

static void every_cell_of_a_loop_becomes_a_layer(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof stacks / sizeof *stacks; i++) {
        struct bench b;
        uint64_t     found;

        printf("%s\n", stacks[i].net.name);
        set_up(&b, "onnx");
        fill(&b.net, &stacks[i].net);
        assert_int_equal(tn_onnx_rnn(&b.net, &found, NULL), TN_OK);
        assert_int_equal(found, stacks[i].layers);
        assert_int_equal(count_nodes(&b.net, stacks[i].net.want),
                         stacks[i].layers);
        assert_int_equal(count_nodes(&b.net, "Loop"), stacks[i].loops);
        tear_down(&b);
    }
}

static void fill_first(struct tn_net *net)
{
    fill(net, &rows[0]);
}

static enum tn_status run(struct tn_net *net)
{
    uint64_t found;

    return tn_onnx_rnn(net, &found, NULL);
}

static void any_allocation_may_fail(void **state)
{
    (void)state;
    survives_no_memory(
        "onnx", fill_first, run,
        "h/Reshape:Reshape(m,) h/Slice:Slice(x,,h/Reshape,) "
        "h/Transpose:Transpose(w) h/Slice_1:Slice(h/Transpose,,,) "
        "h/Unsqueeze:Unsqueeze(h/Slice_1,) h/Slice_2:Slice(h/Transpose,,,) "
        "h/Unsqueeze_1:Unsqueeze(h/Slice_2,) "
        "h/Concat:Concat(b,) h/Unsqueeze_2:Unsqueeze(h/Concat,) "
        "h/Unsqueeze_3:Unsqueeze(h0,) "
        "h/RNN,h/RNN_1:RNN(h/Slice,h/Unsqueeze,h/Unsqueeze_1,h/Unsqueeze_2,,"
        "h/Unsqueeze_3) h:Squeeze(h/RNN_1,) s:Squeeze(h/RNN,) ->h,s");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_that_are_cells_become_layers),
        cmocka_unit_test(every_cell_of_a_loop_becomes_a_layer),
        cmocka_unit_test(any_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
