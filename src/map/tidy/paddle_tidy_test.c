/* paddle_tidy_test.c - arguments of Paddle's operators stand in order */
#define _GNU_SOURCE
#include <stdio.h>

#include "map/tidy/paddle_tidy.h"
#include "map/net/net_build.h"
#include "map/net/net_load.h"
#include "support/paddle_net.h"

#define VAR(name) TENSOR(name, "FP32", "dims: 2 dims: 3")
#define PROGRAM(op, result)                                                    \
    MAIN(VAR("a") VAR("b") VAR("c") VAR("d") VAR("y") VAR("z") FEED("a", "0")  \
             FEED("b", "1") FEED("c", "2") FEED("d", "3") "ops {\n" op         \
                                                          "}\n" FETCH(result))
#define ONE(dims)                                                              \
    MAIN(VAR("a") TENSOR("y", "FP32", dims) FEED("a", "0")                     \
             UNARY("mean", "a", "y") FETCH("y"))

static enum tn_status tidy(struct bench *b, const char *program)
{
    open_program(b, program);
    tn_list_init(&b->notes, &b->memory, sizeof(struct tn_tidy_note));
    assert_int_equal(tn_net_load(&b->net, b->model, NULL), TN_OK);
    tn_net_prune(&b->net);
    return tn_paddle_tidy(&b->net, &b->notes);
}

/* The one that computes. */
static uint32_t only_node(const struct bench *b)
{
    uint32_t found = TN_NONE;

    for (uint32_t i = 0; i < b->net.nodes.count; i++)
        if (!tn_net_node(&b->net, i).is_removed) {
            assert_int_equal(found, TN_NONE);
            found = i;
        }
    assert_int_not_equal(found, TN_NONE);
    return found;
}

/* Names with a space behind each; "- " for none. */
static void assert_values(const struct bench *b, const uint32_t *values,
                          uint32_t count, const char *expected)
{
    char   text[128] = "";
    size_t at        = 0;

    for (uint32_t i = 0; i < count; i++)
        at += (size_t)snprintf(
            text + at, sizeof text - at, "%.*s ",
            TN_FMT(values[i] == TN_NONE
                       ? tn_text("-")
                       : tn_net_value(&b->net, values[i]).name));
    assert_string_equal(text, expected);
}

static const struct {
    const char *name, *program, *inputs, *outputs;
} orders[] = {
    { "the order of the file says nothing",
      PROGRAM("type: \"elementwise_sub\"" SLOT("inputs", "Y", ARG("b")) SLOT(
                  "inputs", "X", ARG("a")) SLOT("outputs", "Out", ARG("y")),
              "y"),
      "a b ", "y " },
    { "what is left out leaves a place",
      PROGRAM("type: \"clip\"" SLOT("inputs", "Max", ARG("c"))
                  SLOT("inputs", "Min", "") SLOT("inputs", "X", ARG("a"))
                      SLOT("outputs", "Out", ARG("y")),
              "y"),
      "a - c ", "y " },
    { "but not at the end",
      PROGRAM("type: \"clip\"" SLOT("inputs", "Min", ARG("c")) SLOT(
                  "inputs", "X", ARG("a")) SLOT("outputs", "Out", ARG("y")),
              "y"),
      "a c ", "y " },
    { "slots of many stand last",
      PROGRAM("type: \"concat\"" SLOT("inputs", "X", ARG("b") ARG("a"))
                  SLOT("inputs", "AxisTensor", ARG("d"))
                      SLOT("outputs", "Out", ARG("y")),
              "y"),
      "d b a ", "y " },
    { "outputs that nobody uses are none",
      PROGRAM("type: \"top_k\"" SLOT("inputs", "X", ARG("a"))
                  SLOT("outputs", "Indices", ARG("z"))
                      SLOT("outputs", "Out", ARG("y")),
              "z"),
      "a ", "- z " },
    { "a slot of training is dropped",
      PROGRAM("type: \"reshape2\"" SLOT("inputs", "X", ARG("a"))
                  SLOT("outputs", "XShape", ARG("z"))
                      SLOT("outputs", "Out", ARG("y")),
              "y"),
      "a ", "y " },
    { "an operator that nobody knows stays as it is",
      PROGRAM("type: \"mystery\"" SLOT("inputs", "Q", ARG("b"))
                  SLOT("inputs", "P", ARG("a")) SLOT("outputs", "R", ARG("y")),
              "y"),
      "b a ", "y " },
};

static void test_arguments_stand_in_order(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
        struct bench b;

        if (tidy(&b, orders[i].program) != TN_OK)
            fail_msg("%s: %s", orders[i].name, b.error.what);
        const struct tn_net_node node = tn_net_node(&b.net, only_node(&b));
        assert_values(&b, node.inputs, node.input_count, orders[i].inputs);
        assert_values(&b, node.outputs, node.output_count, orders[i].outputs);
        tear_down(&b);
    }
}

/* Of two slots of many, an attribute says where the second begins. */
static void test_the_first_of_two_lists_is_counted(void **state)
{
    struct bench b;

    (void)state;
    assert_int_equal(
        tidy(&b, PROGRAM("type: \"slice\"" SLOT("inputs", "EndsTensorList",
                                                ARG("d"))
                             SLOT("inputs", "StartsTensorList", ARG("c"))
                                 SLOT("inputs", "Input", ARG("a"))
                                     SLOT("outputs", "Out", ARG("y")),
                         "y")),
        TN_OK);
    const struct tn_net_node node = tn_net_node(&b.net, only_node(&b));
    assert_values(&b, node.inputs, node.input_count, "a - - c d ");
    assert_int_equal(tn_net_attr(&node, "starts_count")->of.ints[0], 1);
    tear_down(&b);
}

static const struct {
    const char *program, *what;
} refusals[] = {
    { PROGRAM("type: \"relu\"" SLOT("inputs", "X", ARG("a") ARG("b"))
                  SLOT("outputs", "Out", ARG("y")),
              "y"),
      "2 arguments in the slot 'X', which takes one" },
    { PROGRAM("type: \"relu\"" SLOT("inputs", "X", ARG("a"))
                  SLOT("inputs", "Residual", ARG("b"))
                      SLOT("outputs", "Out", ARG("y")),
              "y"),
      "the slot 'Residual' is not known" },
    { PROGRAM("type: \"reshape2\"" SLOT("inputs", "X", ARG("a"))
                  SLOT("outputs", "Out", ARG("y"))
                      SLOT("outputs", "XShape", ARG("z")),
              "z"),
      "the slot 'XShape' is not known" },
};

static void test_what_would_be_lost_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        struct bench b;

        assert_int_equal(tidy(&b, refusals[i].program), TN_UNSUPPORTED);
        assert_string_equal(b.error.what, refusals[i].what);
        assert_string_equal(b.error.where, "blocks[0].ops[4]");
        tear_down(&b);
    }
}

/* Hints are no news. */
static void test_attributes_that_nobody_looks_at_are_noted(void **state)
{
    struct bench b;

    (void)state;
    assert_int_equal(
        tidy(&b, PROGRAM("type: \"relu\" attrs { name: \"op_role\" type: INT "
                         "i: 0 } attrs { name: \"slope\" type: INT i: 1 }" SLOT(
                             "inputs", "X", ARG("a"))
                             SLOT("outputs", "Out", ARG("y")),
                         "y")),
        TN_OK);
    assert_int_equal(b.notes.count, 1);
    assert_string_equal(tn_list_at(&b.notes, struct tn_tidy_note, 0)->why,
                        "the attribute 'slope' is not looked at");
    tear_down(&b);
}

static void test_sequences_are_noted(void **state)
{
    struct bench b;

    (void)state;
    assert_int_equal(
        tidy(&b, PROGRAM("type: \"sequence_pool\"" SLOT("inputs", "X", ARG("a"))
                             SLOT("outputs", "Out", ARG("y")),
                         "y")),
        TN_OK);
    assert_int_equal(b.notes.count, 1);
    tear_down(&b);
}

/* Variables say [1]: a number without dims would be something else. */
static void test_a_number_of_old_is_a_vector(void **state)
{
    static const char *const programs[] = { ONE("dims: 1"), ONE("") };

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct bench b;
        uint32_t     count = 0;

        assert_int_equal(tidy(&b, programs[i]), TN_OK);
        for (uint32_t k = 0; k < b.net.nodes.count; k++)
            count += !tn_net_node(&b.net, k).is_removed &&
                     tn_bytes_is(tn_net_node(&b.net, k).op->type, "reshape2");
        assert_int_equal(count, i == 0);
        tear_down(&b);
    }
}

static void test_no_memory(void **state)
{
    struct bench b;

    (void)state;
    assert_int_equal(tidy(&b, orders[3].program), TN_OK);
    survive_no_memory(&b, tn_paddle_tidy);
    tear_down(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arguments_stand_in_order),
        cmocka_unit_test(test_the_first_of_two_lists_is_counted),
        cmocka_unit_test(test_what_would_be_lost_is_refused),
        cmocka_unit_test(test_attributes_that_nobody_looks_at_are_noted),
        cmocka_unit_test(test_sequences_are_noted),
        cmocka_unit_test(test_a_number_of_old_is_a_vector),
        cmocka_unit_test(test_no_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
