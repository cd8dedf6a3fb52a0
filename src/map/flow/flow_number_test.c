/* flow_number_test.c - where somebody asks which input of a Merge came, a
 * second Merge says it */
#include "map/flow/flow.h"
#include "map/net/net_build.h"

#include "support/flow_run.h"
#include "support/net_bench.h"
#include "support/net_lines.h"

static enum tn_status number(struct tn_net *net)
{
    tn_flow_number(net);
    return net->error->status;
}

/* Of the second Merge nobody asks it. */
static void fill_asked(struct tn_net *net)
{
    static const char *const lines[] = { "p = Odd c",
                                         "s0,s1 = Switch a,p",
                                         "x,k = Merge s0,s1",
                                         "y,_ = Merge s1,s0",
                                         "z = Merge s0,s1",
                                         "m = F k,y,z",
                                         NULL };

    net_add_lines(net, 0, lines);
    net_add_io(net, 0, "c,a -> m,k");
}

static const char asked[] =
    "p:Odd(c) s0,s1:Switch(a,p) x:Merge(s0,s1) y,:Merge(s1,s0) z:Merge(s0,s1) "
    "m:F(k,y,z) "
    "which:Size(s0) which_1:Mul(which,number) which_2:AddV2(which_1,number_1) "
    "which_3:Size(s1) which_4:Mul(which_3,number_2) "
    "which_5:AddV2(which_4,number_3) k,:Merge(which_2,which_5) ->m,k";

static void a_second_merge_says_which_came(void **state)
{
    struct bench b;

    (void)state;
    set_up(&b, "tensorflow");
    fill_asked(&b.net);
    assert_int_equal(number(&b.net), TN_OK);
    assert_net(&b, asked);
    tear_down(&b);
}

/* For either side of the condition, also after it has become structure. */
static void the_number_is_that_of_the_input(void **state)
{
    (void)state;
    for (uint64_t seed = 4; seed < 6; seed++) {
        struct bench b;
        uint64_t     wanted, found;
        set_up(&b, "tensorflow");
        fill_asked(&b.net);
        assert_true(flow_run(&b.net, seed, &wanted));
        assert_int_equal(number(&b.net), TN_OK);
        assert_int_equal(tn_net_order(&b.net, NULL), TN_OK);
        assert_true(flow_run(&b.net, seed, &found));
        assert_int_equal(found, wanted);
        assert_int_equal(tn_flow_raise(&b.net), TN_OK);
        assert_true(flow_run(&b.net, seed, &found));
        assert_int_equal(found, wanted);
        tear_down(&b);
    }
}

static void what_was_removed_is_not_numbered(void **state)
{
    struct bench b;

    (void)state;
    set_up(&b, "tensorflow");
    tn_net_remove(&b.net, net_add_line(&b.net, 0, "x,k = Merge a,b"));
    assert_int_equal(number(&b.net), TN_OK);
    assert_int_equal(b.net.nodes.count, 1);
    tear_down(&b);
}

static void any_allocation_may_fail(void **state)
{
    (void)state;
    survives_no_memory("tensorflow", fill_asked, number, asked);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_second_merge_says_which_came),
        cmocka_unit_test(the_number_is_that_of_the_input),
        cmocka_unit_test(what_was_removed_is_not_numbered),
        cmocka_unit_test(any_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
