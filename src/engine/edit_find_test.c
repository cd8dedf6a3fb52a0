/* edit_find_test.c - which op, tensor and graph a word means */
#define _GNU_SOURCE
#include <tenon/model.h>

#include <stdlib.h>

#include "engine/edit_action.h"
#include "support/hostile.h"
#include "support/little_models.h"

static const char text[] =
    "ir_version: 8 opset_import { version: 13 } graph { name: \"g\"\n"
    "node { input: \"x\" output: \"h\" name: \"a\" op_type: \"Relu\" }\n"
    "node { input: \"h\" input: \"w\" output: \"s\" name: \"b\" op_type: \"Add\" }\n"
    "node { input: \"s\" output: \"t\" name: \"b\" op_type: \"Tanh\" }\n"
    "node { input: \"t\" output: \"y\" op_type: \"Neg\" }\n"
    "initializer { dims: 1 data_type: 1 name: \"w\" float_data: 1 }\n"
    "input { name: \"x\" type { tensor_type { elem_type: 1 } } }\n"
    "output { name: \"y\" type { tensor_type { elem_type: 1 } } } }\n";

static const struct {
    const char    *word;
    enum tn_status status;
    uint32_t       op;
} cases[] = {
    { "a", TN_OK, 0 },
    { "@0", TN_OK, 0 },
    { "@3", TN_OK, 3 },
    { "graph.node[2]", TN_OK, 2 },
    { "b", TN_INVALID, 0 }, /* two have that name */
    { "c", TN_NOT_FOUND, 0 },
    { "@4", TN_NOT_FOUND, 0 },
    { "graph.node[4]", TN_NOT_FOUND, 0 },
};

static void words_mean_one_thing(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    struct tn_options wanting = { .wants_graph = true };
    struct tn_error   error   = TN_ERROR_INIT;
    struct tn_model  *model;
    struct tn_edit   *edit;
    uint32_t          op, output;

    (void)state;
    tn_scratch_put(&scratch, "a.pbtxt", tn_text(text));
    tn_model_open(&model, tn_in_scratch(&scratch, "a.pbtxt"), &wanting, &error);
    assert_int_equal(tn_edit_open(&edit, model, NULL, &error), TN_OK);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tn_error own = TN_ERROR_INIT;
        if (tn_edit_find_op(edit, cases[i].word, &op, &own) !=
                cases[i].status ||
            (own.status == TN_OK && op != cases[i].op))
            fail_msg("%s: %d, %s", cases[i].word, own.status, own.what);
    }
    /* Removed ops are not found, and their names are free. */
    assert_int_equal(tn_edit_remove_op(edit, 2, &error), TN_OK);
    assert_int_equal(tn_edit_find_op(edit, "b", &op, &error), TN_OK);
    assert_int_equal(op, 1);
    assert_int_equal(tn_edit_find_producer(edit, "y", &output, &error), 3);
    assert_int_equal(output, 0);
    assert_int_equal(tn_edit_find_producer(edit, "x", &output, &error),
                     TN_NONE);
    assert_non_null(tn_edit_find_tensor(edit, 0, "w", &error));
    assert_null(tn_edit_find_tensor(edit, 0, "h", &error));
    assert_int_equal(error.status, TN_OK);
    tn_edit_close(edit);
    tn_model_close(model);
    tn_scratch_close(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_mean_one_thing)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
