/* flow_raise_test.c - dataflow becomes structure, or is refused: little nets,
 * whole words */
#include "map/flow/flow.h"

#include <stdio.h>

#include "support/net_bench.h"
#include "support/net_lines.h"

static void fill(struct tn_net *net, const char *const *lines,
                 const char *outputs)
{
    char io[64];

    net_add_lines(net, 0, lines);
    snprintf(io, sizeof io, " -> %s", outputs);
    net_add_io(net, 0, io);
}

/* x = p ? f(a) : a */
static const char *const cond[] = { "s0,s1 = Switch a,p", "t = F s1",
                                    "x,_ = Merge s0,t", NULL };

/* two outputs of one condition, and a second condition on the first's output */
static const char *const twice[] = {
    "s0,s1 = Switch a,p", "t = F s1",          "e = G s0",
    "x,_ = Merge e,t",    "y,_ = Merge s0,s1", "u0,u1 = Switch x,p",
    "v = F u1",           "z,_ = Merge u0,v",  NULL
};

/* while c(i): i = f(i, k) */
static const char *const loop[] = { "ei = Enter i frame_name=f",
                                    "ek = Enter k frame_name=f",
                                    "mi,_ = Merge ei,ni",
                                    "c = C mi",
                                    "lc = LoopCond c",
                                    "s0,s1 = Switch mi,lc",
                                    "b = F s1,ek",
                                    "ni = NextIteration b",
                                    "x = Exit s0",
                                    NULL };

/* a condition inside of a loop */
static const char *const cond_in_loop[] = { "ei = Enter i frame_name=f",
                                            "mi,_ = Merge ei,ni",
                                            "c = C mi",
                                            "lc = LoopCond c",
                                            "s0,s1 = Switch mi,lc",
                                            "q = Q s1",
                                            "r0,r1 = Switch s1,q",
                                            "t = F r1",
                                            "w,_ = Merge r0,t",
                                            "ni = NextIteration w",
                                            "x = Exit s0",
                                            NULL };

/* a condition that is the same in every round, of values that are, too */
static const char *const same_in_every_round[] = { "ei = Enter i frame_name=f",
                                                   "ea = Enter a frame_name=f",
                                                   "ep = Enter p frame_name=f",
                                                   "mi,_ = Merge ei,ni",
                                                   "c = C mi",
                                                   "lc = LoopCond c",
                                                   "s0,s1 = Switch mi,lc",
                                                   "r0,r1 = Switch ea,ep",
                                                   "t = F r1",
                                                   "w,_ = Merge r0,t",
                                                   "b = G s1,w",
                                                   "ni = NextIteration b",
                                                   "x = Exit s0",
                                                   NULL };

/* the same, where one side is a variable of the loop */
static const char *const other_in_one_branch[] = { "ei = Enter i frame_name=f",
                                                   "ea = Enter a frame_name=f",
                                                   "ep = Enter p frame_name=f",
                                                   "mi,_ = Merge ei,ni",
                                                   "c = C mi",
                                                   "lc = LoopCond c",
                                                   "s0,s1 = Switch mi,lc",
                                                   "r0,_ = Switch ea,ep",
                                                   "_,q1 = Switch s1,ep",
                                                   "w,_ = Merge r0,q1",
                                                   "ni = NextIteration w",
                                                   "x = Exit s0",
                                                   NULL };

static const char *const which[] = { "s0,s1 = Switch a,p", "x,k = Merge s0,s1",
                                     "y = F k", NULL };

static const struct {
    const char        *name;
    const char *const *lines;
    const char        *outputs, *want;
} raised[] = {
    { "If", cond, "x",
      "x:If(p)[t_1:F(a) t_1_1:Identity(t_1) ->t_1_1][a_1:Identity(a) ->a_1] "
      "->x" },
    { "two Ifs of one condition", twice, "z,y",
      "y,x:If(p)[a_2:Identity(a) t_1:F(a) t_1_1:Identity(t_1) ->a_2,t_1_1]"
      "[a_1:Identity(a) e_1:G(a) e_1_1:Identity(e_1) ->a_1,e_1_1] "
      "z:If(p)[v_1:F(x) v_1_1:Identity(v_1) ->v_1_1][x_1:Identity(x) ->x_1] "
      "->z,y" },
    { "Loop", loop, "x",
      "c_1:C(i) x:Loop(,c_1,i)[iteration,keep_going,mi_1| b_1:F(mi_1,k) "
      "c_2:C(b_1) c_2_1:Identity(c_2) b_1_1:Identity(b_1) ->c_2_1,b_1_1] "
      "->x" },
    { "If in Loop", cond_in_loop, "x",
      "c_1:C(i) x:Loop(,c_1,i)[iteration,keep_going,mi_1| q_1:Q(mi_1) "
      "w_1:If(q_1)[t_1:F(mi_1) t_1_1:Identity(t_1) ->t_1_1]"
      "[mi_1_1:Identity(mi_1) ->mi_1_1] c_2:C(w_1) c_2_1:Identity(c_2) "
      "w_1_1:Identity(w_1) ->c_2_1,w_1_1] ->x" },
    { "If of what is the same in every round", same_in_every_round, "x",
      "c_1:C(i) x:Loop(,c_1,i)[iteration,keep_going,mi_1| w_1:If(p)[t_1:F(a) "
      "t_1_1:Identity(t_1) ->t_1_1][a_1:Identity(a) ->a_1] b_1:G(mi_1,w_1) "
      "c_2:C(b_1) c_2_1:Identity(c_2) b_1_1:Identity(b_1) ->c_2_1,b_1_1] "
      "->x" },
    { "If of a variable and of what is not", other_in_one_branch, "x",
      "c_1:C(i) x:Loop(,c_1,i)[iteration,keep_going,mi_1| "
      "w_1:If(p)[mi_1_1:Identity(mi_1) ->mi_1_1][a_1:Identity(a) ->a_1] "
      "c_2:C(w_1) c_2_1:Identity(c_2) w_1_1:Identity(w_1) ->c_2_1,w_1_1] "
      "->x" },
    { "which input came", which, "y",
      "k:If(p)[which_3_1:Size(a) which_4_1:Mul(which_3_1,number_2) "
      "which_5_1:AddV2(which_4_1,number_3) which_5_1_1:Identity(which_5_1) "
      "->which_5_1_1][which_6:Size(a) which_1_1:Mul(which_6,number) "
      "which_2_1:AddV2(which_1_1,number_1) which_2_1_1:Identity(which_2_1) "
      "->which_2_1_1] y:F(k) ->y" },
};

static void dataflow_becomes_structure(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof raised / sizeof *raised; i++) {
        struct bench b;
        set_up(&b, "tensorflow");
        fill(&b.net, raised[i].lines, raised[i].outputs);
        tn_flow_number(&b.net);
        if (tn_flow_raise(&b.net) != TN_OK)
            fail_msg("%s: %s", raised[i].name, b.error.what);
        assert_net(&b, raised[i].want);
        tear_down(&b);
    }
}

/* Down again: no structure is left, and it can be raised once more to the same
 * number of Ifs and Loops. */
static void structure_becomes_dataflow_and_back(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof raised / sizeof *raised; i++) {
        struct bench b;
        set_up(&b, "tensorflow");
        fill(&b.net, raised[i].lines, raised[i].outputs);
        tn_flow_number(&b.net);
        assert_int_equal(tn_flow_raise(&b.net), TN_OK);
        unsigned ifs   = count_nodes(&b.net, "If");
        unsigned loops = count_nodes(&b.net, "Loop");
        if (tn_flow_lower(&b.net) != TN_OK)
            fail_msg("%s: %s", raised[i].name, b.error.what);
        assert_int_equal(count_nodes(&b.net, "If"), 0);
        assert_int_equal(count_nodes(&b.net, "Loop"), 0);
        if (tn_flow_raise(&b.net) != TN_OK)
            fail_msg("%s: %s", raised[i].name, b.error.what);
        assert_int_equal(count_nodes(&b.net, "If"), ifs);
        assert_int_equal(count_nodes(&b.net, "Loop"), loops);
        tear_down(&b);
    }
}

/* Outputs that nobody named are no outputs when they may be dead; the names of
 * those that stay are theirs. */
static void loose_ends_are_dropped(void **state)
{
    struct bench b;

    (void)state;
    set_up(&b, "tensorflow");
    fill(&b.net, cond, "x,t,s0");
    tn_net_graph(&b.net, 0)->are_outputs_guessed = true;
    assert_int_equal(tn_flow_raise(&b.net), TN_OK);
    assert_net(&b, raised[0].want);
    tear_down(&b);
}

/* An output that is the inside of something is known by the name it had. */
static void outputs_keep_their_names(void **state)
{
    struct bench b;

    (void)state;
    set_up(&b, "tensorflow");
    net_add_line(&b.net, 0, "c = LoopCond a");
    net_add_io(&b.net, 0, "a -> c,a,c");
    assert_int_equal(tn_flow_raise(&b.net), TN_OK);
    assert_net(&b, "->a,a,a");
    assert_true(tn_bytes_is(tn_net_output_name(&b.net, 0, 0), "c"));
    assert_true(tn_bytes_is(tn_net_output_name(&b.net, 0, 1), "a"));
    assert_true(tn_bytes_is(tn_net_output_name(&b.net, 0, 2), "c"));
    tear_down(&b);
}

static void fill_cond_in_loop(struct tn_net *net)
{
    fill(net, cond_in_loop, "x");
}

static void any_allocation_may_fail(void **state)
{
    (void)state;
    survives_no_memory("tensorflow", fill_cond_in_loop, tn_flow_raise,
                       raised[3].want);
}

/* ---- dataflow that no structure describes ------------------------------- */

static const char *const stray_exit[] = { "f = F a", "x = Exit f", NULL };
static const char *const bare_exit[]  = { "x = Exit a", NULL };
static const char *const early_exit[] = {
    "ei = Enter i frame_name=f", "mi,_ = Merge ei,ni", "b = F mi",
    "ni = NextIteration b",      "x = Exit mi",        NULL
};
static const char *const two_exits[] = { "ei = Enter i frame_name=f",
                                         "mi,_ = Merge ei,ni",
                                         "c = C mi",
                                         "lc = LoopCond c",
                                         "s0,s1 = Switch mi,lc",
                                         "b = F s1",
                                         "ni = NextIteration b",
                                         "x = Exit s0",
                                         "y = Exit s0",
                                         NULL };
static const char *const two_tests[] = { "ei = Enter i frame_name=f",
                                         "ej = Enter j frame_name=f",
                                         "mi,_ = Merge ei,ni",
                                         "mj,_ = Merge ej,nj",
                                         "c = C mi",
                                         "d = C mj",
                                         "s0,s1 = Switch mi,c",
                                         "r0,r1 = Switch mj,d",
                                         "ni = NextIteration s1",
                                         "nj = NextIteration r1",
                                         "x = Exit s0",
                                         "y = Exit r0",
                                         NULL };
static const char *const no_enter[]  = {
     "mi,_ = Merge i,ni",     "c = C mi",    "s0,s1 = Switch mi,c",
     "ni = NextIteration s1", "x = Exit s0", NULL
};
static const char *const next_outside[] = { "n = NextIteration a", "x = F n",
                                            NULL };
static const char *const merge_of_one[] = { "s0,s1 = Switch a,p",
                                            "x,_ = Merge s0", NULL };
static const char *const same_side[]    = { "s0,s1 = Switch a,p",
                                            "r0,r1 = Switch b,p",
                                            "x,_ = Merge s1,r1", NULL };
static const char *const half_dead[]    = { "s0,s1 = Switch a,p", "x = F s1",
                                            NULL };

static const char *const wild[] = { "s0,s1 = Switch a,p", "u0,u1 = Switch a,q",
                                    "x,_ = Merge s0,u1", NULL };

static const char *const no_frame[]      = { "mi,_ = Merge i,ni", "c = C mi",
                                             "s0,s1 = Switch mi,c",
                                             "ni = NextIteration s1", NULL };
static const char *const nothing_comes[] = {
    "ei = Enter i frame_name=f", "mi,_ = Merge ei,ni", "s0,s1 = Switch mi,k",
    "ni = NextIteration _",      "x = Exit s0",        NULL
};
static const char *const graph_inside[]  = { "c = LoopCond a",
                                             "x = If c then_branch={0}", NULL };
static const char *const hole_merged[]   = { "s0,s1 = Switch a,p",
                                             "x,_ = Merge _,s1", NULL };
static const char *const other_hole[]    = { "s0,s1 = Switch a,p",
                                             "x,_ = Merge s0,_", NULL };
static const char *const into_frame[]    = { "e = Enter a frame_name=f",
                                             "x,_ = Merge a,e", NULL };
static const char *const other_frame[]   = { "e = Enter a frame_name=f",
                                             "g = Enter a frame_name=g",
                                             "x,_ = Merge g,e", NULL };
static const char *const empty_exit[]    = { "x = Exit", NULL };
static const char *const exit_of_merge[] = { "s0,s1 = Switch a,p",
                                             "m,_ = Merge s0,s1", "x = Exit m",
                                             NULL };
static const char *const switch_of_one[] = {
    "ei = Enter i frame_name=f", "mi,_ = Merge ei,ni", "s0,s1 = Switch mi",
    "ni = NextIteration s1",     "x = Exit s0",        NULL
};

static const struct {
    const char        *name;
    const char *const *lines;
    const char        *outputs, *what;
} refused[] = {
    { "an Exit of nothing that turns", stray_exit, "x",
      "x (Exit): no variable of a loop is behind it" },
    { "an Exit of an input", bare_exit, "x",
      "x (Exit): no variable of a loop is behind it" },
    { "a loop without a test", early_exit, "x",
      "x (Exit): no Switch lets it out of its loop" },
    { "a variable that leaves twice", two_exits, "x,y",
      "x (Exit): its variable has left the loop before" },
    { "a loop with two tests", two_tests, "x,y",
      "y (Exit): its loop has two conditions" },
    { "a loop without a frame", no_enter, "x",
      "x (Exit): no variable of a loop is behind it" },
    { "a round outside of a loop", next_outside, "x",
      "n (NextIteration): used outside of its loop" },
    { "a Merge of one", merge_of_one, "x",
      "x (Merge): no condition decides between its inputs" },
    { "a Merge of one side", same_side, "x",
      "x (Merge): no condition decides between its inputs" },
    { "an output that may be dead", half_dead, "x",
      "x (F): it is used where it does not live" },
    { "two conditions in one Merge", wild, "x",
      "x (Merge): no condition decides between its inputs" },
    { "a variable without a frame", no_frame, "mi",
      "mi (Merge): a loop without an Enter" },
    { "a round that takes nothing", nothing_comes, "x",
      "mi (Merge): the loop has no back edge" },
    { "a graph in dataflow", graph_inside, "x",
      "x (If): control flow with graphs inside Switch and Merge is not "
      "supported" },
    { "a Merge of nothing and one", hole_merged, "x",
      "x (Merge): no condition decides between its inputs" },
    { "a Merge of one and nothing", other_hole, "x",
      "x (Merge): no condition decides between its inputs" },
    { "a Merge from outside of a frame", into_frame, "x",
      "x (Merge): no condition decides between its inputs" },
    { "a Merge of two frames", other_frame, "x",
      "x (Merge): no condition decides between its inputs" },
    { "an Exit of nothing", empty_exit, "x",
      "x (Exit): no variable of a loop is behind it" },
    { "an Exit of an If", exit_of_merge, "x",
      "x (Exit): no variable of a loop is behind it" },
    { "a Switch without a condition", switch_of_one, "x",
      "x (Exit): no Switch lets it out of its loop" },
    { "which input came, unnumbered", which, "y",
      "x (Merge): the index of the chosen input is used, which is not "
      "supported" },
};

/* Each loop's condition runs a loop, which is copied twice with it. */
static void copies_are_bounded(void **state)
{
    static const char *const level[] = { "e%d = Enter m%d frame_name=f%d",
                                         "m%d,_ = Merge e%d,n%d",
                                         "c%d = C x%d",
                                         "s%d,t%d = Switch m%d,c%d",
                                         "b%d = F t%d",
                                         "n%d = NextIteration b%d",
                                         "x%d = Exit s%d" };
    struct bench             b;
    char                     line[64];

    (void)state;
    set_up(&b, "tensorflow");
    for (int k = 0; k < 14; k++)
        for (size_t i = 0; i < sizeof level / sizeof *level; i++) {
            /* what enters is of the level before, the condition of the next */
            int second = i == 0 ? k - 1 : i == 2 ? k + 1 : k;
            snprintf(line, sizeof line, level[i], k, second < 0 ? 99 : second,
                     k, k);
            net_add_line(&b.net, 0, line);
        }
    net_add_io(&b.net, 0, "m99 -> x0");
    assert_int_equal(tn_flow_raise(&b.net), TN_LIMIT);
    assert_string_equal(b.error.what,
                        "structure costs more than 64 copies of each node");
    tear_down(&b);
}

static void what_no_structure_describes_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct bench b;
        set_up(&b, "tensorflow");
        fill(&b.net, refused[i].lines, refused[i].outputs);
        assert_int_equal(tn_flow_raise(&b.net), TN_UNSUPPORTED);
        if (strcmp(b.error.what, refused[i].what) != 0)
            fail_msg("%s: %s", refused[i].name, b.error.what);
        tear_down(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dataflow_becomes_structure),
        cmocka_unit_test(structure_becomes_dataflow_and_back),
        cmocka_unit_test(loose_ends_are_dropped),
        cmocka_unit_test(outputs_keep_their_names),
        cmocka_unit_test(any_allocation_may_fail),
        cmocka_unit_test(copies_are_bounded),
        cmocka_unit_test(what_no_structure_describes_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
