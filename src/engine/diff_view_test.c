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

static void what_one_side_has_is_drawn(void **state)
{
    struct tn_scratch      scratch = tn_scratch_open();
    struct tn_options      wanting = { .wants_graph = true };
    struct tn_error        error   = TN_ERROR_INIT;
    struct tn_view_summary both = { 0 }, same = { 0 };
    struct tn_model       *left, *right;
    struct tn_diff        *diff;

    (void)state;
    tn_scratch_put(&scratch, "a.pbtxt", tn_text(left_text));
    tn_scratch_put(&scratch, "b.pbtxt", tn_text(right_text));
    tn_model_open(&left, tn_in_scratch(&scratch, "a.pbtxt"), &wanting, &error);
    tn_model_open(&right, tn_in_scratch(&scratch, "b.pbtxt"), &wanting, &error);
    assert_int_equal(error.status, TN_OK);
    struct tn_target target = { .path = tn_in_scratch(&scratch, "both.html") };
    tn_diff_open(&diff, left, right, NULL, NULL, &error);
    tn_diff_write_view(diff, &target, NULL, &both, &error);
    assert_int_equal(error.status, TN_OK);
    tn_diff_close(diff);
    target.path = tn_in_scratch(&scratch, "same.html");
    tn_diff_open(&diff, right, right, NULL, NULL, &error);
    tn_diff_write_view(diff, &target, NULL, &same, &error);
    assert_int_equal(error.status, TN_OK);
    /* Three ops, an input and an output; and the one that is gone. */
    assert_int_equal(same.nodes, 5);
    assert_true(both.nodes > same.nodes);
    tn_diff_close(diff);
    tn_model_close(left);
    tn_model_close(right);
    tn_scratch_close(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_one_side_has_is_drawn)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
