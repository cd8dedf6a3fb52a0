/* net_blocks_test.c - blocks of Paddle become graphs of If and Loop */
#define _GNU_SOURCE
#include <stdio.h>

#include "map/net/net_build.h"
#include "map/net/net_load.h"
#include "support/paddle_net.h"

#define VAR(name, type) TENSOR(name, type, "dims: 1")
#define BLOCK(n)        "attrs { name: \"sub_block\" type: BLOCK block_idx: " n " }\n"
#define WHILE(condition, block)                                                \
    OP("while", SLOT("inputs", "Condition", ARG(condition))                    \
                    SLOT("outputs", "Out", ARG("y")) BLOCK(block))

/* Inputs x and go; the main block ends with what is fetched. */
#define PROGRAM(ops, result, blocks)                                           \
    MAIN(VAR("x", "FP32") VAR("y", "FP32") VAR("go", "BOOL") FEED("x", "0")    \
             FEED("go", "1") ops FETCH(result))                                \
    blocks
#define INNER(n, parent, body)                                                 \
    "blocks { idx: " n " parent_idx: " parent "\n" body "}\n"

static enum tn_status load(struct bench *b, const char *program)
{
    open_program(b, program);
    enum tn_status status = tn_net_load(&b->net, b->model, NULL);
    if (status == TN_OK)
        tn_net_prune(&b->net);
    return status;
}

/* Types of the nodes of a graph, with a space behind each. */
static void assert_nodes(const struct bench *b, uint32_t graph,
                         const char *expected)
{
    const struct tn_list *nodes     = &tn_net_graph(&b->net, graph)->nodes;
    char                  text[256] = "";
    size_t                at        = 0;

    for (uint64_t i = 0; i < nodes->count; i++)
        at += (size_t)snprintf(
            text + at, sizeof text - at, "%.*s ",
            TN_FMT(tn_net_node(&b->net, *tn_list_at(nodes, uint32_t, i))
                       .op->type));
    assert_string_equal(text, expected);
}

static uint32_t find(const struct bench *b, const char *type)
{
    for (uint32_t i = 0; i < b->net.nodes.count; i++)
        if (!tn_net_node(&b->net, i).is_removed &&
            tn_bytes_is(tn_net_node(&b->net, i).op->type, type))
            return i;
    fail_msg("no %s", type);
    return TN_NONE;
}

#define LOOP                                                                   \
    PROGRAM(UNARY("assign", "x", "y") WHILE("go", "1"), "y",                   \
            INNER("1", "0",                                                    \
                  VAR("t", "FP32") UNARY("relu", "y", "t") UNARY(              \
                      "abs", "t", "y") UNARY("logical_not", "go", "go")))

/* Those variables of the outside that the block writes, and no others. */
static void test_a_while_is_a_loop(void **state)
{
    struct bench b;

    (void)state;
    if (load(&b, LOOP) != TN_OK)
        fail_msg("%s: %s", b.error.where, b.error.what);
    assert_nodes(&b, 0, "assign reshape2 Loop ");
    assert_nodes(&b, 1, "relu abs logical_not reshape2 ");
    const struct tn_net_node loop = tn_net_node(&b.net, find(&b, "Loop"));
    assert_int_equal(loop.input_count, 4);
    assert_int_equal(loop.inputs[0], TN_NONE);
    assert_int_equal(tn_net_graph(&b.net, 1)->inputs.count, 4);
    assert_int_equal(tn_net_graph(&b.net, 1)->outputs.count, 3);
    /* The second op reads what the first one of the block made of y. */
    const struct tn_net_node relu = tn_net_node(&b.net, find(&b, "relu"));
    const struct tn_net_node abs  = tn_net_node(&b.net, find(&b, "abs"));
    assert_int_equal(abs.inputs[0], relu.outputs[0]);
    assert_int_equal(
        relu.inputs[0],
        *tn_list_at(&tn_net_graph(&b.net, 1)->inputs, uint32_t, 2));
    assert_int_equal(
        *tn_list_at(&tn_net_graph(&b.net, 1)->outputs, uint32_t, 1),
        abs.outputs[0]);
    tear_down(&b);
}

#define CHOICE(before)                                                         \
    PROGRAM(                                                                   \
        before OP(                                                             \
            "conditional_block",                                               \
            SLOT("inputs", "Cond", ARG("go")) SLOT("outputs", "Out", ARG("y")) \
                BLOCK("1") "attrs { name: \"is_scalar_condition\" type: "      \
                           "BOOLEAN b: true }\n"),                             \
        "y", INNER("1", "0", UNARY("relu", "x", "y")))

/* Without the block a variable stays what it was, or is nothing much. */
static void test_a_conditional_block_is_an_if(void **state)
{
    struct bench b;

    (void)state;
    assert_int_equal(load(&b, CHOICE(UNARY("abs", "x", "y"))), TN_OK);
    assert_nodes(&b, 0, "abs reshape2 If ");
    assert_nodes(&b, 1, "relu ");
    assert_nodes(&b, 2, "assign ");
    tear_down(&b);
    assert_int_equal(load(&b, CHOICE("")), TN_OK);
    assert_nodes(&b, 2, "fill_constant ");
    tear_down(&b);
}

/* What a block in a block writes crosses both. */
static void test_blocks_in_blocks(void **state)
{
    struct bench b;

    (void)state;
    assert_int_equal(
        load(&b, PROGRAM(UNARY("assign", "x", "y") WHILE("go", "1"), "y",
                         INNER("1", "0", WHILE("go", "2"))
                             INNER("2", "1", UNARY("abs", "y", "y")))),
        TN_OK);
    assert_nodes(&b, 1, "reshape2 Loop reshape2 ");
    assert_nodes(&b, 2, "abs reshape2 ");
    assert_int_equal(tn_net_graph(&b.net, 1)->outputs.count, 2);
    tear_down(&b);
}

static const struct {
    const char    *program;
    enum tn_status status;
    const char    *where, *what;
} refusals[] = {
    { PROGRAM(WHILE("never", "1"), "y",
              INNER("1", "0", UNARY("abs", "x", "y"))),
      TN_MALFORMED, "blocks[0].ops[2]", "nothing defines the condition" },
    { PROGRAM(WHILE("go", "7"), "y", ""), TN_MALFORMED, "blocks[0].ops[2]",
      "it has no block of its own" },
    { PROGRAM(WHILE("go", "1") WHILE("go", "1"), "y",
              INNER("1", "0", UNARY("abs", "x", "y"))),
      TN_MALFORMED, "blocks[0].ops[3]", "it has no block of its own" },
    { PROGRAM(WHILE("go", "1") UNARY("assign", "q", "y"), "y",
              INNER("1", "0", UNARY("abs", "x", "q"))),
      TN_UNSUPPORTED, "blocks[0].ops[2]",
      "'q' is used before the block that writes it" },
    { PROGRAM(OP("select_input",
                 SLOT("inputs", "X", ARG("x")) SLOT("inputs", "Mask", ARG("go"))
                     SLOT("outputs", "Out", ARG("y"))),
              "y", ""),
      TN_MALFORMED, "blocks[0].ops[2]", "expected two values and a mask" },
    { PROGRAM(UNARY("write_to_array", "x", "y"), "y", ""), TN_MALFORMED,
      "blocks[0].ops[2]", "expected an index and an array" },
};

static void test_what_makes_no_sense_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        struct bench b;

        assert_int_equal(load(&b, refusals[i].program), refusals[i].status);
        assert_string_equal(b.error.what, refusals[i].what);
        assert_string_equal(b.error.where, refusals[i].where);
        tear_down(&b);
    }
}

static void test_no_memory(void **state)
{
    struct bench b;

    (void)state;
    assert_int_equal(load(&b, LOOP), TN_OK);
    survive_no_memory(&b, NULL);
    tear_down(&b);
    assert_int_equal(load(&b, CHOICE("")), TN_OK);
    survive_no_memory(&b, NULL);
    tear_down(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_while_is_a_loop),
        cmocka_unit_test(test_a_conditional_block_is_an_if),
        cmocka_unit_test(test_blocks_in_blocks),
        cmocka_unit_test(test_what_makes_no_sense_is_refused),
        cmocka_unit_test(test_no_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
