/* rows_test.c - products between two Reshapes, and those that need them */
#include "map/simplify/rows.h"

#include "support/facts_bench.h"
#include "support/net_lines.h"

/* x is [?, ?, 8], and y again has the first two of its sizes. */
static void fill_with(struct tn_net *net, const char *made, const char *outputs)
{
    static const int64_t dims[] = { -1, -1, 8, -2 }, rows[] = { -1, 8 };
    static const int64_t pair[] = { 0, 1 }, wide = 5;
    uint64_t             square[] = { 8, 5 }, five[] = { 5 };

    net->version = 17;
    make_input(net, "x", TN_FLOAT32, dims);
    make_ints(net, "rows", rows, 2);
    make_ints(net, "pair", pair, 2);
    make_ints(net, "wide", &wide, 1);
    tn_net_add_doubles(net, 0, tn_text("w"), TN_FLOAT32, (double[40]){ 0 }, 2,
                       square);
    tn_net_add_doubles(net, 0, tn_text("bias"), TN_FLOAT32, (double[5]){ 0 }, 1,
                       five);
    net_add_line(net, 0, "r = Reshape x,rows");
    net_add_line(net, 0, "m = MatMul r,w");
    net_add_line(net, 0, made);
    net_add_line(net, 0, "s = Shape x");
    net_add_line(net, 0, "g = Gather s,pair");
    net_add_line(net, 0, "k = Concat g,wide axis=#0");
    net_add_line(net, 0, "y = Reshape a,k");
    net_add_io(net, 0, outputs);
}

static void fill(struct tn_net *net)
{
    fill_with(net, "a = Add m,bias", " -> y");
}

/* The rows are an output. */
static void fill_output(struct tn_net *net)
{
    fill_with(net, "a = Add m,bias", " -> y,a");
}

/* What mixes rows needs them. */
static void fill_mixed(struct tn_net *net)
{
    fill_with(net, "a = CumSum m,zero", " -> y");
}

/* The last Reshape gives what is there already: another pass takes it away. */
#define LIFTED                                                                 \
    "m:MatMul(x,w) a:Add(m,bias) s:Shape(x) g:Gather(s,pair) "                 \
    "k:Concat(g,wide) y:Reshape(a,k) ->y"

static uint64_t lift(struct tn_net *net, struct tn_infer *facts)
{
    struct tn_arena  arena;
    struct tn_sizing s;
    uint64_t         count = 0;

    tn_arena_init(&arena, net->arena->memory);
    bool *is_output = tn_net_find_outputs(net, &arena);
    if (is_output && tn_sizing_run(&s, net, facts, &arena))
        count = tn_lift_rows(&s, is_output, &arena);
    tn_arena_done(&arena);
    return count;
}

static void test_graphs(void **state)
{
    static void (*const fills[])(struct tn_net *) = { fill, fill_output,
                                                      fill_mixed };

    (void)state;
    for (size_t i = 0; i < sizeof fills / sizeof fills[0]; i++) {
        struct bench b;

        set_up(&b, "onnx");
        fills[i](&b.net);
        uint64_t count = run_with_facts(&b.net, lift);
        assert_int_equal(b.error.status, TN_OK);
        assert_int_equal(count > 0, i == 0);
        if (i == 0)
            assert_net(&b, LIFTED);
        tear_down(&b);
    }
}

static enum tn_status change(struct tn_net *net)
{
    run_with_facts(net, lift);
    return net->error->status;
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    survives_no_memory("onnx", fill, change, LIFTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_graphs),
        cmocka_unit_test(test_every_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
