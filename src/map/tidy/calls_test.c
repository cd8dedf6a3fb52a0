/* calls_test.c - what bodies may bring is held against what the file has */
#include "map/tidy/calls.h"
#include "map/net/net_build.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/net_bench.h"

/* A node that takes one value so many times. */
static uint32_t wide(struct bench *b, uint32_t count)
{
    uint32_t *inputs = calloc(count, sizeof *inputs);
    uint32_t  value  = tn_net_add_value(&b->net, 0, tn_text("x"));

    assert_non_null(inputs);
    for (uint32_t i = 0; i < count; i++)
        inputs[i] = value;
    uint32_t id = tn_net_add_node(
        &b->net, &(struct tn_net_node){ .op     = tn_net_own_op(&b->net, "Sum"),
                                        .inputs = inputs,
                                        .input_count = count,
                                        .source      = TN_NONE });
    free(inputs);
    return id;
}

/* How many copies of it may be made. */
static uint64_t copies(struct bench *b, uint32_t node)
{
    const struct tn_net_node n     = tn_net_node(&b->net, node);
    struct tn_calls          calls = tn_calls_of(&b->net);
    uint64_t                 made  = 0;

    while (tn_calls_count(&calls, &b->net, &n) == TN_OK)
        made++;
    assert_int_equal(b->error.status, TN_LIMIT);
    assert_non_null(strstr(b->error.what, "calls make more than"));
    return made;
}

static void inputs_count_like_nodes(void **state)
{
    struct bench b;

    (void)state;
    set_up(&b, "onnx");
    assert_in_range(copies(&b, wide(&b, 1)), 65536, 1 << 18);
    tear_down(&b);
    set_up(&b, "onnx");
    assert_in_range(copies(&b, wide(&b, 100000)), 64, 128);
    tear_down(&b);
}

static void depth_is_told_as_depth(void **state)
{
    struct bench b;

    (void)state;
    set_up(&b, "onnx");
    assert_int_equal(tn_calls_enter(&b.net, 63, tn_text("f")), TN_OK);
    assert_int_equal(tn_calls_enter(&b.net, 64, tn_text("f")), TN_LIMIT);
    assert_string_equal(b.error.what,
                        "calls nest deeper than 64 at function f");
    tear_down(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inputs_count_like_nodes),
        cmocka_unit_test(depth_is_told_as_depth),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
