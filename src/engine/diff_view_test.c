/* diff_view_test.c - both models of a comparison in one picture */
#define _GNU_SOURCE
#include <tenon/diff.h>
#include <tenon/model.h>

#include <stdlib.h>

#include "support/hostile.h"
#include "support/little_models.h"

/* x -> Relu -> Sigmoid -> y and x -> Relu -> Tanh -> Neg -> y. */
static const char left_text[] =
    "ir_version: 8 opset_import { version: 13 } graph { name: \"g\"\n"
    "node { input: \"x\" output: \"h\" name: \"a\" op_type: \"Relu\" }\n"
    "node { input: \"h\" output: \"y\" name: \"b\" op_type: \"Sigmoid\" }\n"
    "input { name: \"x\" type { tensor_type { elem_type: 1 } } }\n"
    "output { name: \"y\" type { tensor_type { elem_type: 1 } } } }\n";
static const char right_text[] =
    "ir_version: 8 opset_import { version: 13 } graph { name: \"g\"\n"
    "node { input: \"x\" output: \"h\" name: \"a\" op_type: \"Relu\" }\n"
    "node { input: \"h\" output: \"t\" name: \"c\" op_type: \"Tanh\" }\n"
    "node { input: \"t\" output: \"y\" name: \"d\" op_type: \"Neg\" }\n"
    "input { name: \"x\" type { tensor_type { elem_type: 1 } } }\n"
    "output { name: \"y\" type { tensor_type { elem_type: 1 } } } }\n";

/* x -> Relu -> Sigmoid -> Neg -> y, and without the Sigmoid. */
#define CHAIN(nodes)                                                           \
    "ir_version: 8 opset_import { version: 13 } graph { name: \"g\" "          \
    "node { input: \"x\" output: \"h\" name: \"a\" op_type: \"Relu\" } "       \
    nodes " input { name: \"x\" type { tensor_type { elem_type: 1 } } } "      \
          "output { name: \"y\" type { tensor_type { elem_type: 1 } } } }"
static const char with_sigmoid[] = CHAIN(
    "node { input: \"h\" output: \"s\" name: \"b\" op_type: \"Sigmoid\" } "
    "node { input: \"s\" output: \"y\" name: \"c\" op_type: \"Neg\" }");
static const char without_sigmoid[] = CHAIN(
    "node { input: \"h\" output: \"y\" name: \"c\" op_type: \"Neg\" }");

/* An If whose branch has Neg and Abs, or Neg alone. */
#define BRANCH(name, nodes)                                                    \
    "attribute { name: \"" name "\" type: GRAPH g { name: \"" name "\" " nodes \
    " output { name: \"p\" type { tensor_type { elem_type: 1 } } } } } "
#define CHOICE(nodes)                                                          \
    "ir_version: 8 opset_import { version: 13 } graph { name: \"g\" node { "   \
    "input: \"c\" output: \"y\" name: \"if\" op_type: \"If\" " BRANCH(         \
        "then_branch", nodes)                                                  \
        BRANCH("else_branch",                                                  \
               "node { input: \"x\" output: \"p\" op_type: "                   \
               "\"Relu\" } ") "} input { name: \"c\" type { "                  \
                              "tensor_type { elem_type: 9 shape { } } } } "    \
                              "input { name: \"x\" type { "                    \
                              "tensor_type { elem_type: 1 } } } output { "     \
                              "name: \"y\" type { "                            \
                              "tensor_type { elem_type: 1 } } } }"
#define NEGATED                                                                \
    "node { input: \"x\" output: \"n\" name: \"n\" op_type: \"Neg\" } "
#define ABSOLUTE                                                               \
    "node { input: \"n\" output: \"p\" name: \"m\" op_type: \"Abs\" } "
#define RENAMED                                                                \
    "node { input: \"x\" output: \"p\" name: \"n\" op_type: \"Neg\" } "

/* clang-format off */
static const struct {
    const char *left, *right;
    uint64_t    more; /* nodes of the picture beside those of the right model */
} rows[] = {
    { left_text, right_text, 1 },
    { right_text, right_text, 0 },
    { with_sigmoid, without_sigmoid, 1 },
    { CHOICE(NEGATED ABSOLUTE), CHOICE(RENAMED), 1 }, /* in a subgraph        */
    { CHOICE(RENAMED), CHOICE(NEGATED ABSOLUTE), 0 },
};
/* clang-format on */

static uint64_t draw(struct tn_scratch *scratch, const char *left_model,
                     const char *right_model)
{
    struct tn_options      wanting = { .wants_graph = true };
    struct tn_error        error   = TN_ERROR_INIT;
    struct tn_view_summary summary = { 0 };
    struct tn_target target = { .path = tn_in_scratch(scratch, "both.html"),
                                .can_replace = true };
    struct tn_model *left, *right;
    struct tn_diff  *diff;

    tn_scratch_put(scratch, "a.pbtxt", tn_text(left_model));
    tn_scratch_put(scratch, "b.pbtxt", tn_text(right_model));
    tn_model_open(&left, tn_in_scratch(scratch, "a.pbtxt"), &wanting, &error);
    tn_model_open(&right, tn_in_scratch(scratch, "b.pbtxt"), &wanting, &error);
    assert_int_equal(error.status, TN_OK);
    tn_diff_open(&diff, left, right, NULL, NULL, &error);
    tn_diff_write_view(diff, &target, NULL, &summary, &error);
    assert_int_equal(error.status, TN_OK);
    tn_diff_close(diff);
    tn_model_close(left);
    tn_model_close(right);
    return summary.nodes;
}

static void what_one_side_has_is_drawn(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(draw(&scratch, rows[i].left, rows[i].right),
                         draw(&scratch, rows[i].right, rows[i].right) +
                             rows[i].more);
    tn_scratch_close(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_one_side_has_is_drawn)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
