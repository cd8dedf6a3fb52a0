/* edit_float16_test.c - models in 16-bit floats, and what stays as it is */
#define _GNU_SOURCE
#include "engine/edit_float16.h"
#include "engine/edit_testing.h"

/* w has narrow users alone, v also one that stays float32. */
static const char two_users[] =
    "ir_version: 8 opset_import { version: 17 }\n"
    "graph { name: \"g\"\n"
    "  node { input: \"x\" input: \"w\" output: \"a\" name: \"add\" op_type: "
    "\"Add\" }\n"
    "  node { input: \"a\" input: \"v\" output: \"b\" name: \"mul\" op_type: "
    "\"Mul\" }\n"
    "  node { input: \"b\" input: \"v\" output: \"y\" name: \"sub\" op_type: "
    "\"Sub\" }\n"
    "  initializer { dims: 2 data_type: 1 name: \"w\" float_data: 1 "
    "float_data: 2 }\n"
    "  initializer { dims: 2 data_type: 1 name: \"v\" float_data: 3 "
    "float_data: 1e9 }\n"
    "  input " FLOATS("x", "2") "  output " FLOATS(
        "y", "2") "  value_info " FLOATS("a", "2") "}\n";

static const struct tn_tensor *find(const struct tn_model *model,
                                    const char            *name)
{
    return tn_model_find(model, name);
}

static void count_note(void *context, const char *text)
{
    assert_non_null(strstr(text, "v: 1 element is too large for float16"));
    ++*(int *)context;
}

static void types_follow(void **state)
{
    struct scene      s;
    const char *const kept[] = { "Sub" };
    int               notes  = 0;

    (void)state;
    begin(&s, two_users);
    assert_int_equal(tn_draft_narrow(tn_edit_draft(s.edit),
                                     &(struct tn_narrow){ .dtype = TN_FLOAT16,
                                                          .kept  = kept,
                                                          .kept_count = 1,
                                                          .note    = count_note,
                                                          .context = &notes },
                                     &s.error),
                     TN_OK);
    finish(&s);
    assert_int_equal(notes, 1);
    assert_int_equal(tn_tensor_dtype(find(s.again, "w")), TN_FLOAT16);
    assert_int_equal(tn_tensor_dtype(find(s.again, "v")), TN_FLOAT32);
    assert_int_equal(tn_tensor_dtype(find(s.again, "v_narrow")), TN_FLOAT16);
    /* a cast of x, and one of b for what stays */
    assert_int_equal(tn_model_op_count(s.again), 5);
    assert_int_equal(tn_model_inputs(s.again).items[0].dtype, TN_FLOAT32);
    assert_int_equal(tn_model_outputs(s.again).items[0].dtype, TN_FLOAT32);
    end(&s);
}

static void inputs_and_outputs_may_change(void **state)
{
    struct scene s;

    (void)state;
    begin(&s, two_users);
    assert_int_equal(tn_draft_narrow(tn_edit_draft(s.edit),
                                     &(struct tn_narrow){ .dtype = TN_BFLOAT16,
                                                          .takes_io = true },
                                     &s.error),
                     TN_OK);
    finish(&s);
    assert_int_equal(tn_model_op_count(s.again), 3);
    assert_int_equal(tn_model_inputs(s.again).items[0].dtype, TN_BFLOAT16);
    assert_int_equal(tn_model_outputs(s.again).items[0].dtype, TN_BFLOAT16);
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_follow),
        cmocka_unit_test(inputs_and_outputs_may_change),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
