/* flow_arrays_test.c - which arrays a Loop takes and gives, and which stay */
#include "map/flow/flow.h"
#include "map/net/net_build.h"

#include <stdio.h>

#include "support/net_bench.h"
#include "support/net_lines.h"

struct net_case {
    const char *name;
    const char *lines[9]; /* of the main graph, whose output is s             */
    const char *io, *body[8];
    const char *want; /* NULL: nothing changes                                */
};

static void fill(struct tn_net *net, const struct net_case *row)
{
    net_add_io(net, 0, "n,x -> s");
    for (int i = 0; i < 9 && row->lines[i]; i++)
        net_add_line(net, 0, row->lines[i]);
    net_add_subgraph(net, 0, row->io, row->body);
}

#define ARRAY  "h,f = TensorArrayV3 n"
#define BEGIN  "p = Less #0,n"
#define LOOP   "k,v = Loop _,p,#0,f body={1}"
#define ALL    "z = TensorArraySizeV3 h,v", "r = Range #0,z,#1"
#define GATHER "s = TensorArrayGatherV3 h,r,v"
#define IO     "i,go,c,g -> q,d,w"
#define COUNT  "d = AddV2 c,#1", "q = Less d,n"
#define WRITE  "w = TensorArrayWriteV3 h,c,y,g"
#define WHOLE                                                                  \
    {                                                                          \
        ARRAY, BEGIN, LOOP, ALL, GATHER                                        \
    }

static const struct net_case rows[] = {
    { "an array that is filled",
      WHOLE,
      IO,
      { "y = F c", COUNT, WRITE },
      "n_1:Cast(n) s:Loop(n_1,)[i,go| i_1:Cast(i) y:F(i_1) go_1:Identity(go) "
      "->go_1,y] ->s" },
    { "two conditions",
      { ARRAY, "b = Maximum #1,n", "e = Minimum n,b", BEGIN,
        "k,v = Loop _,p,#0,f body={1}", ALL, GATHER },
      "i,go,c,g -> q,d,w",
      { "y = F c", "d = AddV2 c,#1", "q1 = Less d,n", "q2 = Less d,e",
        "q = LogicalAnd q1,q2", WRITE },
      "n_1:Cast(n) s:Loop(n_1,)[i,go| i_1:Cast(i) y:F(i_1) go_1:Identity(go) "
      "->go_1,y] ->s" },
    { "no more rounds than places",
      { ARRAY, "e = Minimum n,x", BEGIN, "p1 = Less #0,e",
        "p2 = LogicalAnd p,p1", "k,v = Loop _,p2,#0,f body={1}", ALL, GATHER },
      IO,
      { "y = F c", "d = AddV2 c,#1", "q1 = Less d,n", "q2 = Less d,e",
        "q = LogicalAnd q1,q2", WRITE },
      "e:Minimum(n,x) e_1:Cast(e) k_1:Loop(e_1,)[i,go| i_1:Cast(i) "
      "y:F(i_1) go_1:Identity(go) ->go_1,y] rest:Shape(k_1) "
      "rest_1:StridedSlice(rest,at,at_1,at_2) rest_2:Sub(n,rest_1) "
      "rest_3:StridedSlice(rest,at_3,at_4,at_5) "
      "rest_4:ConcatV2(rest_2,rest_3,axis) rest_5:Fill(rest_4,zero) "
      "s:ConcatV2(k_1,rest_5,axis_1) ->s" },
    { "a first round that is begun in any case",
      { ARRAY, "e = Minimum n,x", BEGIN, LOOP, ALL, GATHER },
      IO,
      { "y = F c", "d = AddV2 c,#1", "q1 = Less d,n", "q2 = Less d,e",
        "q = LogicalAnd q1,q2", WRITE },
      NULL },
    { "a counter that is wanted",
      { BEGIN, "k = Loop _,p,#0 body={1}", "s = F k" },
      "i,go,c -> q,d",
      { COUNT },
      "n_1:Cast(n) k:Loop(n_1,,#0)[i,go,c| d:AddV2(c,#1) go_1:Identity(go) "
      "->go_1,d] s:F(k) ->s" },
    { "rows of a tensor",
      { ARRAY, "r = Range #0,n,#1", "t = TensorArrayScatterV3 h,r,x,f",
        "s = TensorArrayReadV3 h,#2,t" },
      "i,go -> go",
      { NULL },
      "s:GatherV2(x,#2,s_1) ->s" },

    { "an end that depends on something else",
      WHOLE,
      IO,
      { "y = F c", "d = AddV2 c,#1", "q1 = Less d,n", "q2 = G y",
        "q = LogicalAnd q1,q2", WRITE },
      NULL },
    { "another number of rounds",
      WHOLE,
      IO,
      { "y = F c", "d = AddV2 c,#1", "q = Less d,x", WRITE },
      NULL },
    { "a place that is not the round",
      WHOLE,
      IO,
      { "y = F c", COUNT, "j = F c", "w = TensorArrayWriteV3 h,j,y,g" },
      NULL },
    { "written twice",
      WHOLE,
      IO,
      { "y = F c", COUNT, "w1 = TensorArrayWriteV3 h,c,y,g",
        "w = TensorArrayWriteV3 h,c,y,w1" },
      NULL },
    { "read while it is written",
      WHOLE,
      IO,
      { "y = TensorArrayReadV3 h,#0,g", COUNT, WRITE },
      NULL },
    { "counted by two",
      WHOLE,
      IO,
      { "y = F c", "d = AddV2 c,#2", "q = Less d,n", WRITE },
      NULL },
    { "rows in another order",
      { ARRAY, "r = Range #1,n,#1", "t = TensorArrayScatterV3 h,r,x,f",
        "s = TensorArrayReadV3 h,#2,t" },
      "i,go -> go",
      { NULL },
      NULL },
};

static void assert_row(const struct net_case *row)
{
    struct bench b;

    set_up(&b, "tensorflow");
    fill(&b.net, row);
    assert_int_equal(tn_flow_arrays(&b.net), TN_OK);
    if (row->want)
        assert_net(&b, row->want);
    else
        assert_int_equal(count_nodes(&b.net, "TensorArrayV3"), 1);
    tear_down(&b);
}

static void arrays_of_one_write_a_round_are_stacked(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        printf("%s\n", rows[i].name);
        assert_row(&rows[i]);
    }
}

static void fill_first(struct tn_net *net)
{
    fill(net, &rows[0]);
}

static void any_allocation_may_fail(void **state)
{
    (void)state;
    survives_no_memory("tensorflow", fill_first, tn_flow_arrays, rows[0].want);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_of_one_write_a_round_are_stacked),
        cmocka_unit_test(any_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
