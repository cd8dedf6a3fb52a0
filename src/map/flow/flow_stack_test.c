/* flow_stack_test.c - which lists become what a Loop stacks, and which stay */
#include "map/flow/flow.h"
#include "map/net/net_build.h"

#include <stdio.h>

#include "support/net_bench.h"
#include "support/net_lines.h"

struct net_case {
    const char *name;
    const char *lines[5]; /* of the main graph, whose output is s             */
    const char *io, *body[6];
    const char *want; /* NULL: nothing changes                                */
};

static void fill(struct tn_net *net, const struct net_case *row)
{
    net_add_io(net, 0, "n -> s");
    for (int i = 0; i < 5 && row->lines[i]; i++)
        net_add_line(net, 0, row->lines[i]);
    net_add_subgraph(net, 0, row->io, row->body);
}

static const struct net_case rows[] = {
    { "a list",
      { "l,f = create_list #0", "v = Loop n,_,f body={1}",
        "s = gather_list l,#-1,v" },
      "i,go,g -> go,w",
      { "y = F i", "w = write_list l,i,y,g" },
      "s:Loop(n,)[i,go| y:F(i) ->go,y] ->s" },
    { "copies of its flow",
      { "l,f = create_list #0", "v = Loop n,_,f body={1}", "v1 = identity v",
        "s = gather_list l,#-1,v1" },
      "i,go,g -> go,w1",
      { "y = F i", "j = identity i", "g1 = identity g",
        "w = write_list l,j,y,g1", "w1 = identity w" },
      "s:Loop(n,)[i,go| y:F(i) ->go,y] ->s" },
    { "beside another variable",
      { "l,f = create_list #0", "v,u = Loop n,_,f,a body={1}",
        "s = gather_list l,#-1,v" },
      "i,go,g,b -> go,w,c",
      { "y = F b", "c = G y", "w = write_list l,i,y,g" },
      "u,s:Loop(n,,a)[i,go,b| y:F(b) c:G(y) ->go,c,y] ->s" },
    { "at a place that is counted",
      { "l,f = create_list #0", "k,v = Loop n,_,#0,f body={1}",
        "s = gather_list l,#-1,v" },
      "i,go,c,g -> go,d,w",
      { "y = F i", "w = write_list l,c,y,g", "d = add c,#1" },
      "k,s:Loop(n,,#0)[i,go,c| y:F(i) d:add(c,#1) ->go,d,y] ->s" },
    { "one that is counted the other way round",
      { "l,f = create_list #0", "k,v = Loop n,_,#0,f body={1}",
        "s = gather_list l,#-1,v" },
      "i,go,c,g -> go,d1,w",
      { "y = F i", "w = write_list l,c,y,g", "d = add #1,c",
        "d1 = identity d" },
      "k,s:Loop(n,,#0)[i,go,c| y:F(i) d:add(#1,c) d1:identity(d) "
      "->go,d1,y] ->s" },

    { "a list that has room already",
      { "l,f = create_list #4", "v = Loop n,_,f body={1}",
        "s = gather_list l,#-1,v" },
      "i,go,g -> go,w",
      { "y = F i", "w = write_list l,i,y,g" },
      NULL },
    { "room for what is not known",
      { "l,f = create_list n", "v = Loop n,_,f body={1}",
        "s = gather_list l,#-1,v" },
      "i,go,g -> go,w",
      { "y = F i", "w = write_list l,i,y,g" },
      NULL },
    { "a part of it",
      { "l,f = create_list #0", "v = Loop n,_,f body={1}",
        "s = gather_list l,#0,v" },
      "i,go,g -> go,w",
      { "y = F i", "w = write_list l,i,y,g" },
      NULL },
    { "gathered without its flow",
      { "l,f = create_list #0", "v = Loop n,_,f body={1}",
        "s = gather_list l,#-1" },
      "i,go,g -> go,w",
      { "y = F i", "w = write_list l,i,y,g" },
      NULL },
    { "gathered after nothing",
      { "l,f = create_list #0", "v = Loop n,_,f body={1}",
        "s = gather_list l,#-1,_" },
      "i,go,g -> go,w",
      { "y = F i", "w = write_list l,i,y,g" },
      NULL },
    { "gathered by which nobody says",
      { "l,f = create_list #0", "v = Loop n,_,f body={1}",
        "s = gather_list l,_,v" },
      "i,go,g -> go,w",
      { "y = F i", "w = write_list l,i,y,g" },
      NULL },
    { "gathered for nobody",
      { "l,f = create_list #0", "v = Loop n,_,f body={1}",
        "_ = gather_list l,#-1,v" },
      "i,go,g -> go,w",
      { "y = F i", "w = write_list l,i,y,g" },
      NULL },
    { "gathered in two",
      { "l,f = create_list #0", "v = Loop n,_,f body={1}",
        "s,s1 = gather_list l,#-1,v" },
      "i,go,g -> go,w",
      { "y = F i", "w = write_list l,i,y,g" },
      NULL },
    { "no list that we see made",
      { "l,f = F #0", "v = Loop n,_,f body={1}", "s = gather_list l,#-1,v" },
      "i,go,g -> go,w",
      { "y = F i", "w = write_list l,i,y,g" },
      NULL },
    { "a flow that is not the list's",
      { "l,f = create_list #0", "v = Loop n,_,a body={1}",
        "s = gather_list l,#-1,v" },
      "i,go,g -> go,w",
      { "y = F i", "w = write_list l,i,y,g" },
      NULL },
    { "a list without a flow",
      { "l = create_list #0", "v = Loop n,_,a body={1}",
        "s = gather_list l,#-1,v" },
      "i,go,g -> go,w",
      { "y = F i", "w = write_list l,i,y,g" },
      NULL },
    { "a list whose flow is left out",
      { "l,_ = create_list #0", "v = Loop n,_,a body={1}",
        "s = gather_list l,#-1,v" },
      "i,go,g -> go,w",
      { "y = F i", "w = write_list l,i,y,g" },
      NULL },
    { "no Loop",
      { "l,f = create_list #0", "v = F n,_,f", "s = gather_list l,#-1,v" },
      "i,go,g -> go,w",
      { "y = F i", "w = write_list l,i,y,g" },
      NULL },
    { "a Loop of a graph that is not there",
      { "l,f = create_list #0", "v = Loop n,_,f body={7}",
        "s = gather_list l,#-1,v" },
      "i,go,g -> go,w",
      { "y = F i", "w = write_list l,i,y,g" },
      NULL },
    { "a Loop of a text",
      { "l,f = create_list #0", "v = Loop n,_,f body=b",
        "s = gather_list l,#-1,v" },
      "i,go,g -> go,w",
      { "y = F i", "w = write_list l,i,y,g" },
      NULL },
    { "a Loop of nothing",
      { "l,f = create_list #0", "v = Loop n,_,f", "s = gather_list l,#-1,v" },
      "i,go,g -> go,w",
      { "y = F i", "w = write_list l,i,y,g" },
      NULL },
    { "a graph that takes less",
      { "l,f = create_list #0", "v = Loop n,_,f body={1}",
        "s = gather_list l,#-1,v" },
      "i,go -> go,w",
      { "y = F i", "w = write_list l,i,y,g" },
      NULL },
    { "a graph that gives less",
      { "l,f = create_list #0", "v = Loop n,_,f body={1}",
        "s = gather_list l,#-1,v" },
      "i,go,g -> go",
      { "y = F i", "w = write_list l,i,y,g" },
      NULL },
    { "what the Loop stacks itself",
      { "l,f = create_list #0", "u,v = Loop n,_,f body={1}",
        "s = gather_list l,#-1,v" },
      "i,go,g -> go,g,w",
      { "y = F i", "w = write_list l,i,y,g" },
      NULL },
    { "a round that writes nothing",
      { "l,f = create_list #0", "v = Loop n,_,f body={1}",
        "s = gather_list l,#-1,v" },
      "i,go,g -> go,w",
      { "y = F l", "w = identity g" },
      NULL },
    { "written without a flow",
      { "l,f = create_list #0", "v = Loop n,_,f body={1}",
        "s = gather_list l,#-1,v" },
      "i,go,g -> go,w",
      { "y = F i", "w = write_list l,i,y,_" },
      NULL },
    { "nothing written",
      { "l,f = create_list #0", "v = Loop n,_,f body={1}",
        "s = gather_list l,#-1,v" },
      "i,go,g -> go,w",
      { "y = F i", "w = write_list l,i,_,g" },
      NULL },
    { "written at no place",
      { "l,f = create_list #0", "v = Loop n,_,f body={1}",
        "s = gather_list l,#-1,v" },
      "i,go,g -> go,w",
      { "y = F i", "w = write_list l,_,y,g" },
      NULL },
    { "written to another list",
      { "l,f = create_list #0", "v = Loop n,_,f body={1}",
        "s = gather_list l,#-1,v", "z = F l" },
      "i,go,g -> go,w",
      { "y = F i", "w = write_list m,i,y,g" },
      NULL },
    { "written at one place",
      { "l,f = create_list #0", "v = Loop n,_,f body={1}",
        "s = gather_list l,#-1,v" },
      "i,go,g -> go,w",
      { "y = F i", "w = write_list l,#0,y,g" },
      NULL },
    { "written twice in a round",
      { "l,f = create_list #0", "v = Loop n,_,f body={1}",
        "s = gather_list l,#-1,v" },
      "i,go,g -> go,w",
      { "y = F i", "h = write_list l,#0,y,g", "w = write_list l,i,y,h" },
      NULL },
    { "a count that begins with 1",
      { "l,f = create_list #0", "k,v = Loop n,_,#1,f body={1}",
        "s = gather_list l,#-1,v" },
      "i,go,c,g -> go,d,w",
      { "y = F i", "w = write_list l,c,y,g", "d = add c,#1" },
      NULL },
    { "a count of twos",
      { "l,f = create_list #0", "k,v = Loop n,_,#0,f body={1}",
        "s = gather_list l,#-1,v" },
      "i,go,c,g -> go,d,w",
      { "y = F i", "w = write_list l,c,y,g", "d = add c,#2" },
      NULL },
    { "a count of twos, the other way round",
      { "l,f = create_list #0", "k,v = Loop n,_,#0,f body={1}",
        "s = gather_list l,#-1,v" },
      "i,go,c,g -> go,d,w",
      { "y = F i", "w = write_list l,c,y,g", "d = add #2,c" },
      NULL },
    { "a variable that does not count",
      { "l,f = create_list #0", "k,v = Loop n,_,#0,f body={1}",
        "s = gather_list l,#-1,v" },
      "i,go,c,g -> go,d,w",
      { "y = F i", "w = write_list l,c,y,g", "d = F c" },
      NULL },
    { "a sum of something else",
      { "l,f = create_list #0", "k,v = Loop n,_,#0,f body={1}",
        "s = gather_list l,#-1,v" },
      "i,go,c,g -> go,d,w",
      { "y = F i", "w = write_list l,c,y,g", "d = add i,#1" },
      NULL },
};

static void lists_of_one_write_a_round_are_stacked(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bench     b;
        struct tn_buffer before;
        set_up(&b, "nd4j");
        fill(&b.net, &rows[i]);
        tn_buffer_init(&before, &b.memory, &b.error);
        net_text_graph(&before, &b.net, 0);
        if (tn_flow_stack(&b.net) != TN_OK)
            fail_msg("%s: %s", rows[i].name, b.error.what);
        if (!rows[i].want && !count_nodes(&b.net, "gather_list"))
            fail_msg("%s: gone", rows[i].name);
        assert_net(&b, rows[i].want ? rows[i].want : tn_buffer_string(&before));
        tn_buffer_done(&before);
        tear_down(&b);
    }
}

/* Two lists of one Loop are two things that it stacks. */
static void all_lists_of_a_loop_are_stacked(void **state)
{
    static const struct net_case two = {
        "two",
        { "l,f = create_list #0", "m,h = create_list #0",
          "v,u = Loop n,_,f,h body={1}", "t = gather_list m,#-1,u",
          "s = gather_list l,#-1,v" },
        "i,go,g,k -> go,w,x",
        { "y = F i", "z = G i", "w = write_list l,i,y,g",
          "x = write_list m,i,z,k" },
        NULL
    };
    struct bench b;

    (void)state;
    set_up(&b, "nd4j");
    fill(&b.net, &two);
    net_add_io(&b.net, 0, " -> t");
    assert_int_equal(tn_flow_stack(&b.net), TN_OK);
    assert_net(&b, "t,s:Loop(n,)[i,go| y:F(i) z:G(i) ->go,z,y] ->s,t");
    tear_down(&b);
}

/* A writer in a branch writes in some rounds only; and one that was removed
 * does not count. */
static void lists_in_other_graphs_stay(void **state)
{
    static const char *const body[]   = { "w = If go then_branch={2} "
                                            "else_branch={3}",
                                          NULL };
    static const char *const branch[] = { "y = F i", "x = write_list l,i,y,g",
                                          NULL };
    struct bench             b;

    (void)state;
    set_up(&b, "nd4j");
    net_add_io(&b.net, 0, "n -> s");
    net_add_line(&b.net, 0, "l,f = create_list #0");
    net_add_line(&b.net, 0, "v = Loop n,_,f body={1}");
    net_add_line(&b.net, 0, "s = gather_list l,#-1,v");
    tn_net_remove(&b.net, net_add_line(&b.net, 0, "o = gather_list l,#-1,v"));
    net_add_subgraph(&b.net, 0, "i,go,g -> go,w", body);
    net_add_subgraph(&b.net, 1, " -> x", branch);
    net_add_subgraph(&b.net, 1, " -> g", NULL);
    assert_int_equal(tn_flow_stack(&b.net), TN_OK);
    assert_net(&b, "l,f:create_list(#0) v:Loop(n,,f)[i,go,g| "
                   "w:If(go)[y:F(i) x:write_list(l,i,y,g) ->x][->g] ->go,w] "
                   "s:gather_list(l,#-1,v) ->s");
    tear_down(&b);
}

static void fill_counted(struct tn_net *net)
{
    fill(net, &rows[3]);
}

static void any_allocation_may_fail(void **state)
{
    (void)state;
    survives_no_memory("nd4j", fill_counted, tn_flow_stack, rows[3].want);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_of_one_write_a_round_are_stacked),
        cmocka_unit_test(all_lists_of_a_loop_are_stacked),
        cmocka_unit_test(lists_in_other_graphs_stay),
        cmocka_unit_test(any_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
