/* tf_block_lstm_test.c - which BlockLSTMs become loops.  What these compute is
 * judged by tests/judges/tensorflow_rnn.py. */
#include "map/net/net_build.h"
#include "map/tidy/tf_tidy.h"

#include <stdio.h>

#include "support/net_bench.h"
#include "support/net_lines.h"

/* i c f o d g h are the results. */
#define BLOCK(op, n) "i,c,f,o,d,g,h = " op " " n ",x,c0,h0,w,p,q,r,b"
#define ROWS         "s = Shape x", "n = StridedSlice s,#0,#2,#1"
#define LAST         "l = StridedSlice c,#-1,#9,#1"

struct net_case {
    const char *name, *outputs;
    const char *lines[4];
    int64_t     steps;
    double      clip;
    unsigned    loops, slices; /* StridedSlices that are left                 */
};

static const struct net_case rows[] = {
    { "outputs alone are a layer",
      "h",
      { BLOCK("BlockLSTM", "m") },
      -1,
      -1,
      0,
      0 },
    { "gates of open steps", "h,f", { BLOCK("BlockLSTM", "m") }, -1, -1, 1, 0 },
    { "gates of known steps", "h,f", { BLOCK("BlockLSTM", "m") }, 7, -1, 0, 0 },
    { "clipping", "h", { BLOCK("BlockLSTM", "m") }, -1, 3, 1, 0 },
    { "clipping, known steps", "h", { BLOCK("BlockLSTM", "m") }, 7, 3, 0, 0 },
    { "the second version",
      "h,f",
      { BLOCK("BlockLSTMV2", "m") },
      -1,
      -1,
      1,
      0 },
    { "the last memory",
      "h,l",
      { ROWS, BLOCK("BlockLSTM", "n"), LAST },
      -1,
      -1,
      1,
      1 },
    { "the last memory of known steps",
      "h,l",
      { ROWS, BLOCK("BlockLSTM", "n"), LAST },
      7,
      -1,
      1,
      1 },
    { "the last of fewer steps",
      "h,l",
      { BLOCK("BlockLSTM", "m"), LAST },
      -1,
      -1,
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

static void set_attrs(struct tn_net *net, const struct net_case *row)
{
    static const int64_t one  = 1;
    float               *clip = tn_new(net->arena, float, 1, net->error);

    if (!clip)
        return;
    *clip = (float)row->clip;
    for (uint32_t i = 0; i < net->nodes.count; i++) {
        bool is_slice =
            tn_bytes_is(tn_net_node(net, i).op->type, "StridedSlice");
        if (is_slice)
            tn_net_set_attr(net, i, "shrink_axis_mask",
                            &(struct tn_attr_value){ .kind    = TN_ATTR_INT,
                                                     .count   = 1,
                                                     .of.ints = &one });
        else if (tn_net_node(net, i).output_count == 7)
            tn_net_set_attr(net, i, "cell_clip",
                            &(struct tn_attr_value){ .kind      = TN_ATTR_FLOAT,
                                                     .count     = 1,
                                                     .of.floats = clip });
    }
}

static void fill(struct tn_net *net, const struct net_case *row)
{
    char io[64];

    snprintf(io, sizeof io, "m,x,c0,h0,w,p,q,r,b -> %s", row->outputs);
    net_add_io(net, 0, io);
    tell(net, "x", 3, (int64_t[]){ row->steps, -1, 3 });
    for (size_t i = 0; i < 4 && row->lines[i]; i++)
        net_add_line(net, 0, row->lines[i]);
    set_attrs(net, row);
}

static void blocks_become_loops(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bench b;
        uint64_t     found;
        printf("%s\n", rows[i].name);
        set_up(&b, "tensorflow");
        fill(&b.net, &rows[i]);
        assert_true(tn_tf_has_block_lstm(&b.net));
        assert_int_equal(tn_tf_block_lstm(&b.net, &found), TN_OK);
        assert_int_equal(found, rows[i].loops);
        assert_int_equal(count_nodes(&b.net, "Loop"), rows[i].loops);
        assert_int_equal(count_nodes(&b.net, "LSTMBlockCell"), rows[i].loops);
        assert_int_equal(count_nodes(&b.net, "StridedSlice"), rows[i].slices);
        tear_down(&b);
    }
}

static void fill_second(struct tn_net *net)
{
    fill(net, &rows[5]);
}

static enum tn_status run(struct tn_net *net)
{
    uint64_t found;

    return tn_tf_block_lstm(net, &found);
}

static void any_allocation_may_fail(void **state)
{
    (void)state;
    survives_no_memory(
        "tensorflow", fill_second, run,
        "i_4,i_5,i_6,i_7:Split(i_3,w) i_9:ConcatV2(i_4,i_6,i_5,i_7,i_8) "
        "i_11,i_12,i_13,i_14:Split(i_10,b) "
        "i_16:ConcatV2(i_11,i_13,i_12,i_14,i_15) "
        "i_24,i_25,i_26,i_27:Loop(m,,h0,c0)[round,going,h_1,c_1| "
        "i_2:GatherV2(x,round,i_1) "
        "i_17,i_18,i_19,i_20,i_21,i_22,i_23:LSTMBlockCell(i_2,c_1,h_1,i_9,p,q,"
        "r,i_16) "
        "->going,i_23,i_18,i_19,i_23] i_28:Shape(x) "
        "i_31:GatherV2(i_28,i_29,i_30) i_32:Sub(i_31,m) "
        "i_34:Reshape(i_32,i_33) i_38:ConcatV2(i_35,i_34,i_36,i_37) "
        "i_40:Reshape(i_38,i_39) f:Pad(i_26,i_40) i_42:Shape(x) "
        "i_45:GatherV2(i_42,i_43,i_44) i_46:Sub(i_45,m) "
        "i_48:Reshape(i_46,i_47) i_52:ConcatV2(i_49,i_48,i_50,i_51) "
        "i_54:Reshape(i_52,i_53) h:Pad(i_27,i_54) ->h,f");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_become_loops),
        cmocka_unit_test(any_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
