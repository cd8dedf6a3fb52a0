/* onnx_directions_test.c - which layers are turned, and which become one.  What
 * they compute is judged by tests/judges/tensorflow_rnn.py. */
#include "map/net/net_build.h"
#include "map/tidy/onnx_tidy.h"

#include <stdio.h>

#include "support/net_bench.h"
#include "support/net_lines.h"

#define TURNED(out, in) out " = Slice " in ",#-1,#-2147483647,#0,#-1"
#define BACK                                                                   \
    TURNED("r", "x"), "p,g,d = LSTM r,w,u,b,_,h0,c0", "q = Squeeze p,#1"
#define THERE "y,h,c = LSTM x,w,u,b,_,h0,c0", "s = Squeeze y,#1"

struct net_case {
    const char *name, *io;
    const char *lines[8];
    unsigned    turned, both, slices; /* layers, and Slices that are left    */
};

static const struct net_case rows[] = {
    { "reversed before and behind",
      "x,w,u,b,h0,c0 -> z",
      { BACK, TURNED("z", "q") },
      1,
      0,
      0 },
    { "reversed before alone", "x,w,u,b,h0,c0 -> q", { BACK }, 1, 0, 1 },
    { "only the states are used", "x,w,u,b,h0,c0 -> g", { BACK }, 1, 0, 0 },
    { "the result is used as it is", "x,w,u,b,h0,c0 -> p", { BACK }, 0, 0, 1 },
    { "another axis",
      "x,w,u,b,h0,c0 -> q",
      { "r = Slice x,#-1,#-2147483647,#1,#-1", "p,g = GRU r,w,u,b,_,h0",
        "q = Squeeze p,#1" },
      0,
      0,
      1 },
    { "not from the end",
      "x,w,u,b,h0,c0 -> q",
      { "r = Slice x,#-2,#-2147483647,#0,#-1", "p,g = GRU r,w,u,b,_,h0",
        "q = Squeeze p,#1" },
      0,
      0,
      1 },
    { "from the last of five, by its number",
      "x,w,u,b,h0 -> z",
      { "r = Slice x,#4,#-2147483647,#0,#-1", "p,g = GRU r,w,u,b,_,h0",
        "q = Squeeze p,#1", TURNED("z", "q") },
      1,
      0,
      0 },
    { "from one before the last",
      "x,w,u,b,h0 -> q",
      { "r = Slice x,#3,#-2147483647,#0,#-1", "p,g = GRU r,w,u,b,_,h0",
        "q = Squeeze p,#1" },
      0,
      0,
      1 },
    { "lengths, but all is reversed",
      "x,w,u,b,h0,n -> q",
      { TURNED("r", "x"), "p,g = GRU r,w,u,b,n,h0", "q = Squeeze p,#1" },
      0,
      0,
      1 },
    { "lengths that are all of it",
      "x,w,u,b,h0 -> z",
      { TURNED("r", "x"), "k = Shape x", "n = Gather k,#0", "e = Expand n,h0",
        "p,g = GRU r,w,u,b,e,h0", "q = Squeeze p,#1", TURNED("z", "q") },
      1,
      0,
      0 },
    { "both directions",
      "x,w,u,b,h0,c0 -> s,z",
      { THERE, BACK, TURNED("z", "q") },
      0,
      1,
      0 },
    { "the state of one is that of the other",
      "x,w,u,b,h0,c0 -> s,z",
      { THERE, "i = Neg h", TURNED("r", "x"), "p,g,d = LSTM r,w,u,b,_,i,c0",
        "q = Squeeze p,#1", TURNED("z", "q") },
      1,
      0,
      0 },
    { "another sequence",
      "x,x2,w,u,b,h0,c0 -> s,z",
      { THERE, TURNED("r", "x2"), "p,g,d = LSTM r,w,u,b,_,h0,c0",
        "q = Squeeze p,#1", TURNED("z", "q") },
      1,
      0,
      0 },
    { "one has no bias",
      "x,w,u,b,h0,c0 -> s,z",
      { THERE, TURNED("r", "x"), "p,g,d = LSTM r,w,u,_,_,h0,c0",
        "q = Squeeze p,#1", TURNED("z", "q") },
      1,
      0,
      0 },
};

/* Sequences have five steps. */
static void fill(struct tn_net *net, const struct net_case *row)
{
    static const int64_t dims[] = { 5, 2, 3 };

    net_add_io(net, 0, row->io);
    tn_net_set_type(
        net, net_line_find(net, "x"),
        &(struct tn_net_type){
            .dtype = TN_FLOAT32, .has_rank = true, .rank = 3, .dims = dims });
    for (size_t i = 0; i < 8 && row->lines[i]; i++)
        net_add_line(net, 0, row->lines[i]);
}

static unsigned count_directions(const struct tn_net *net, const char *way)
{
    unsigned count = 0;

    for (uint32_t i = 0; i < net->nodes.count; i++) {
        const struct tn_attr_value *is =
            tn_net_node(net, i).is_removed
                ? NULL
                : tn_net_attr_of(net, i, "direction");
        count += is && tn_bytes_is(is->of.strings[0], way);
    }
    return count;
}

static void layers_get_directions(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bench b;
        uint64_t     found;
        printf("%s\n", rows[i].name);
        set_up(&b, "onnx");
        fill(&b.net, &rows[i]);
        assert_int_equal(tn_onnx_directions(&b.net, &found), TN_OK);
        assert_int_equal(count_directions(&b.net, "reverse"), rows[i].turned);
        assert_int_equal(count_directions(&b.net, "bidirectional"),
                         rows[i].both);
        assert_true(found >= rows[i].turned + 2 * rows[i].both);
        assert_int_equal(count_nodes(&b.net, "Slice"), rows[i].slices);
        tear_down(&b);
    }
}

static void fill_both(struct tn_net *net)
{
    static const struct net_case both = {
        NULL, "x,w,u,b,h0,c0 -> s,z", { THERE, BACK, TURNED("z", "q") }, 0, 0, 0
    };

    fill(net, &both);
}

static enum tn_status run(struct tn_net *net)
{
    uint64_t found;

    return tn_onnx_directions(net, &found);
}

static void any_allocation_may_fail(void **state)
{
    (void)state;
    survives_no_memory(
        "onnx", fill_both, run,
        "y/Concat:Concat(w,w) y/Concat_1:Concat(u,u) y/Concat_2:Concat(b,b) "
        "y/Concat_3:Concat(h0,h0) y/Concat_4:Concat(c0,c0) "
        "y/LSTM,y/LSTM_1,y/LSTM_2:LSTM(x,y/Concat,y/Concat_1,y/Concat_2,,"
        "y/Concat_3,y/Concat_4) y/Split,y/Split_1:Split(y/LSTM) "
        "s:Squeeze(y/Split,#1) z:Squeeze(y/Split_1,) ->s,z");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layers_get_directions),
        cmocka_unit_test(any_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
