/* flow_lower_test.c - structure becomes dataflow, or is refused */
#include "map/flow/flow.h"
#include "map/net/net_build.h"

#include "support/flow_run.h"
#include "support/net_bench.h"
#include "support/net_lines.h"

/* s <- a loop of two variables with an If in its body, whose branches use what
 * is outside of the loop */
static void fill_if_in_loop(struct tn_net *net)
{
    static const char *const body[]   = { "q = Odd v",
                                          "w = If q then_branch={2} "
                                            "else_branch={3}",
                                          NULL };
    static const char *const branch[] = { "x = F w0,a", NULL };

    net_add_io(net, 0, "a,n -> s,t");
    net_add_line(net, 0, "r = Few n");
    net_add_line(net, 0, "s,t = Loop r,_,a,n body={1}");
    net_add_subgraph(net, 0, "i,go,v,w0 -> go,w,v", body);
    net_add_subgraph(net, 1, " -> x", branch);
    net_add_subgraph(net, 1, " -> a", NULL);
}

static void structure_computes_the_same_as_dataflow(void **state)
{
    static const char *const dialects[] = { "tensorflow", "nd4j" };

    (void)state;
    for (uint64_t i = 0; i < 16; i++) {
        struct bench b;
        uint64_t     wanted, found;
        set_up(&b, dialects[i % 2]);
        fill_if_in_loop(&b.net);
        assert_int_equal(tn_net_order(&b.net, NULL), TN_OK);
        assert_true(flow_run(&b.net, i / 2, &wanted));
        assert_int_equal(tn_flow_lower(&b.net), TN_OK);
        assert_int_equal(count_nodes(&b.net, "If"), 0);
        assert_int_equal(count_nodes(&b.net, "Loop"), 0);
        assert_true(flow_run(&b.net, i / 2, &found));
        assert_int_equal(found, wanted);
        tear_down(&b);
    }
}

static void broken_structure_is_refused(void **state)
{
    static const struct {
        const char *line, *io[2], *what;
    } rows[] = {
        { "y = If c then_branch={1}",
          { " -> a", " -> a" },
          "y (If): it has no branches" },
        { "y = If c then_branch={7} else_branch={-1}",
          { " -> a", " -> a" },
          "y (If): it has no branches" },
        { "y = If c,d then_branch={1} else_branch={2}",
          { " -> a", " -> a" },
          "y (If): it has no branches" },
        { "y = If c then_branch={1} else_branch={2}",
          { " -> a", " -> a,a" },
          "y (If): its branches give different outputs" },
        { "y = If _ then_branch={1} else_branch={2}",
          { " -> a", " -> a" },
          "y (If): it has no condition" },
        { "y = If c then_branch={1} else_branch={2}",
          { " -> a", " -> _" },
          "y (If): its branches give different outputs" },
        { "y = Loop n,_,_ body={1}",
          { "i,go,v -> go,v", " -> a" },
          "y (Loop): its body does not take its variables" },
        { "y = Loop n,_,a body={1}",
          { "i,go,v -> go,_", " -> a" },
          "y (Loop): its body does not take its variables" },
        { "y = Loop n body={1}",
          { "i -> i", " -> a" },
          "y (Loop): its body does not take its variables" },
        { "y = Loop n,_,a body={1}",
          { "i,go -> go,a", " -> a" },
          "y (Loop): its body does not take its variables" },
        { "y = Loop n,_,a body={7}",
          { "i,go -> go,a", " -> a" },
          "y (Loop): its body does not take its variables" },
        { "y = Loop n,_ body={1}",
          { "i,go -> go,a", " -> a" },
          "y (Loop): it stacks what its body gives" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bench b;
        set_up(&b, "nd4j");
        for (int k = 0; k < 2; k++)
            net_add_subgraph(&b.net, 0, rows[i].io[k], NULL);
        net_add_line(&b.net, 0, rows[i].line);
        assert_int_equal(tn_flow_lower(&b.net), TN_UNSUPPORTED);
        assert_string_equal(b.error.what, rows[i].what);
        tear_down(&b);
    }
}

static void only_two_dialects_have_dataflow(void **state)
{
    struct bench b;

    (void)state;
    set_up(&b, "nd4j");
    b.net.dialect = "onnx";
    assert_int_equal(tn_flow_lower(&b.net), TN_UNSUPPORTED);
    assert_string_equal(b.error.what, "onnx has no dataflow control");
    tear_down(&b);
}

static void any_allocation_may_fail(void **state)
{
    (void)state;
    survives_no_memory(
        "nd4j", fill_if_in_loop, tn_flow_lower,
        "r:Few(n) iteration_1:enter(iteration) "
        "iteration_3:merge(iteration_1,iteration_2) always_1:enter(always) "
        "always_3:merge(always_1,always_2) a_3:enter(a) a_5:merge(a_3,a_4) "
        "n_1:enter(n) n_3:merge(n_1,n_2) r_1:enter(r) "
        "less:less(iteration_3,r_1) boolean_and:boolean_and(less,always_3) "
        "keep_going:loop_cond(boolean_and) "
        ",iteration_3_1:switch(iteration_3,keep_going) "
        ",always_3_1:switch(always_3,keep_going) "
        "a_5_2,a_5_1:switch(a_5,keep_going) s:exit(a_5_2) "
        "n_3_2,n_3_1:switch(n_3,keep_going) t:exit(n_3_2) a_6:enter(a) "
        "q:Odd(a_5_1) a_1,:switch(a_6,q) ,w0_1:switch(n_3_1,q) "
        ",a_2:switch(a_6,q) x:F(w0_1,a_2) w:merge(a_1,x) "
        "add:add(iteration_3_1,one) iteration_2:next_iteration(add) "
        "always_2:next_iteration(always_3_1) a_4:next_iteration(w) "
        "n_2:next_iteration(a_5_1) ->s,t");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(structure_computes_the_same_as_dataflow),
        cmocka_unit_test(broken_structure_is_refused),
        cmocka_unit_test(only_two_dialects_have_dataflow),
        cmocka_unit_test(any_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
