/* flow_join_test.c - which Merges become outputs of one If, however deep they
 * lie; what they compute stays the same */
#include "map/flow/flow.h"
#include "map/net/net_build.h"

#include "support/flow_run.h"
#include "support/net_bench.h"
#include "support/net_lines.h"

/* x comes from an If in a branch, y does not: x lies one Merge deeper. */
static const char *const deep_and_flat[] = {
    "p = Odd a",           "q = Odd b",         "s0,s1 = Switch b,p",
    "r0,r1 = Switch s1,q", "t = F r1",          "m,_ = Merge r0,t",
    "x,_ = Merge s0,m",    "y,_ = Merge s1,s0", NULL
};

/* Three of one decision, each deeper than the one before. */
static const char *const three_depths[] = { "p = Odd a",
                                            "q = Odd b",
                                            "s0,s1 = Switch b,p",
                                            "y,_ = Merge s1,s0",
                                            "r0,r1 = Switch s1,q",
                                            "t = F r1",
                                            "m,_ = Merge r0,t",
                                            "x,_ = Merge s0,m",
                                            "q2 = Odd m",
                                            "u0,u1 = Switch m,q2",
                                            "v = G u1",
                                            "n,_ = Merge u0,v",
                                            "z,_ = Merge s0,n",
                                            NULL };

/* The second is decided by p, too, but takes what the first gives. */
static const char *const one_waits[] = {
    "p = Odd a",          "s0,s1 = Switch b,p",
    "t = F s1",           "x,_ = Merge s0,t",
    "r0,r1 = Switch x,p", "u = G r1",
    "y,_ = Merge r0,u",   NULL
};

/* y takes one output of an If by q, whose other output takes x: that If waits
 * for x, and so does y. */
static const char *const waits_for_other_if[] = {
    "p = Odd a",          "q = Odd b",          "s0,s1 = Switch b,p",
    "t = F s1",           "x,_ = Merge s0,t",   "f = G b",
    "k0,k1 = Switch f,q", "m,_ = Merge k0,k1",  "d0,d1 = Switch m,q",
    "o,_ = Merge d0,d1",  "e0,e1 = Switch x,q", "n,_ = Merge e0,e1",
    "h0,h1 = Switch o,p", "y,_ = Merge h0,h1",  NULL
};

/* y takes what a loop leaves of i; another variable of the loop begins with x,
 * so that the Loop waits for x. */
static const char *const waits_for_loop[] = { "p = Odd a",
                                              "s0,s1 = Switch b,p",
                                              "t = F s1",
                                              "x,_ = Merge s0,t",
                                              "ei = Enter #0 frame_name=f",
                                              "ej = Enter x frame_name=f",
                                              "mi,_ = Merge ei,ni",
                                              "mj,_ = Merge ej,nj",
                                              "c = Less mi,#3",
                                              "lc = LoopCond c",
                                              "i0,i1 = Switch mi,lc",
                                              "j0,j1 = Switch mj,lc",
                                              "i2 = AddV2 i1,#1",
                                              "ni = NextIteration i2",
                                              "nj = NextIteration j1",
                                              "i3 = Exit i0",
                                              "j3 = Exit j0",
                                              "r0,r1 = Switch i3,p",
                                              "u = G r1",
                                              "y,_ = Merge r0,u",
                                              NULL };

static const struct {
    const char        *name;
    const char *const *lines;
    const char        *io;
    unsigned ifs; /* in all graphs                                   */
} rows[] = {
    { "one has an If in its branch", deep_and_flat, "a,b -> x,y", 2 },
    { "the other way round", deep_and_flat, "a,b -> y,x", 2 },
    { "of three depths", three_depths, "a,b -> x,y,z", 3 },
    { "one waits for the other", one_waits, "a,b -> y,x", 2 },
    { "one waits for an If that waits", waits_for_other_if, "a,b -> y,x,n", 4 },
    { "one waits for a Loop that waits", waits_for_loop, "a,b -> y,x,j3", 2 },
};

static void fill(struct tn_net *net, size_t row)
{
    net_add_lines(net, 0, rows[row].lines);
    net_add_io(net, 0, rows[row].io);
}

static void merges_of_one_decision_are_one_if(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (uint64_t seed = 0; seed < 4; seed++) {
            struct bench b;
            uint64_t     wanted, found;
            set_up(&b, "tensorflow");
            fill(&b.net, i);
            assert_int_equal(
                tn_net_order(&b.net, (const char *[]){ "NextIteration", NULL }),
                TN_OK);
            assert_true(flow_run(&b.net, seed, &wanted));
            if (tn_flow_raise(&b.net) != TN_OK)
                fail_msg("%s: %s", rows[i].name, b.error.what);
            if (count_nodes(&b.net, "If") != rows[i].ifs)
                fail_msg("%s: %u Ifs", rows[i].name, count_nodes(&b.net, "If"));
            assert_true(flow_run(&b.net, seed, &found));
            assert_int_equal(found, wanted);
            tear_down(&b);
        }
    }
}

static void fill_deep_and_flat(struct tn_net *net)
{
    fill(net, 0);
}

static void any_allocation_may_fail(void **state)
{
    (void)state;
    survives_no_memory(
        "tensorflow", fill_deep_and_flat, tn_flow_raise,
        "p:Odd(a) q:Odd(b) y,x:If(p)"
        "[b_1:Identity(b) m_1:If(q)[t_1:F(b) t_1_1:Identity(t_1) ->t_1_1]"
        "[b_4:Identity(b) ->b_4] m_1_1:Identity(m_1) ->b_1,m_1_1]"
        "[b_2:Identity(b) b_3:Identity(b) ->b_2,b_3] ->x,y");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(merges_of_one_decision_are_one_if),
        cmocka_unit_test(any_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
