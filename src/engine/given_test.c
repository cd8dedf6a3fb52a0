/* given_test.c - what callers leave out is INVALID, and no crash */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>
#include <tenon/tenon.h>

static const struct tn_target target = { .path = "never" };

#define INVALID(call)                                                          \
    do {                                                                       \
        struct tn_error error = TN_ERROR_INIT;                                 \
        if ((call) != TN_INVALID || !strstr(error.what, "NULL"))               \
            fail_msg("%s: %s", #call, error.what);                             \
    } while (0)

/* As one whose opening failed. */
static void there_is_no_model(void **state)
{
    struct tn_edit                *edit;
    struct tn_diff                *diff;
    const struct tn_tensor_list   *tensors;
    const struct tn_op_list       *ops;
    const struct tn_metadata_list *texts;

    (void)state;
    INVALID(tn_convert(NULL, NULL, &target, NULL, NULL, &error));
    INVALID(tn_plan(NULL, NULL, "a.onnx", NULL, NULL, NULL, &error));
    INVALID(tn_model_hash(NULL, NULL, NULL, &error));
    INVALID(tn_model_hash_decoded(NULL, NULL, NULL, &error));
    INVALID(tn_statistics_compute(NULL, NULL, 0, NULL, NULL, NULL, &error));
    INVALID(tn_view(NULL, NULL, &target, NULL, NULL, &error));
    INVALID(tn_diff_open(&diff, NULL, NULL, NULL, NULL, &error));
    INVALID(tn_edit_open(&edit, NULL, NULL, &error));
    INVALID(tn_edit_write(NULL, NULL, &target, NULL, NULL, &error));
    INVALID(tn_tag_add("never", "v1", NULL, NULL, NULL, NULL, &error));
    INVALID(tn_tensor_list_open(&tensors, NULL, NULL, &error));
    INVALID(tn_op_list_open(&ops, NULL, NULL, &error));
    INVALID(tn_metadata_list_open(&texts, NULL, NULL, &error));
    assert_null(edit);
    assert_null(diff);
    assert_null(tensors);
}

/* What is asked of it is answered as by a model that has nothing. */
static void no_model_has_nothing(void **state)
{
    const struct tn_model *none = NULL;
    struct tn_attr        *attr;
    char                   path[8] = "before";

    (void)state;
    assert_string_equal(tn_model_format(none), "");
    assert_string_equal(tn_model_title(none), "");
    assert_string_equal(tn_model_dialect(none), "");
    assert_string_equal(tn_model_path(none), "");
    assert_int_equal(tn_model_file_size(none), 0);
    assert_int_equal(tn_model_fact_count(none), 0);
    assert_int_equal(tn_model_fact(none, 0).key.size, 0);
    assert_int_equal(tn_model_tag_count(none), 0);
    assert_int_equal(tn_model_tag(none, 0).size, 0);
    assert_int_equal(tn_model_training(none).size, 0);
    assert_int_equal(tn_model_loss_count(none), 0);
    assert_int_equal(tn_model_loss(none, 0).size, 0);
    assert_int_equal(tn_model_signature_count(none), 0);
    assert_null(tn_model_signature(none, 0));
    assert_int_equal(tn_model_inputs(none).count, 0);
    assert_int_equal(tn_model_outputs(none).count, 0);
    assert_int_equal(tn_model_op_kind_count(none), 0);
    assert_null(tn_model_op_kind(none, 0));
    assert_int_equal(tn_model_node_count(none), 0);
    assert_int_equal(tn_model_subgraph_count(none), 0);
    assert_int_equal(tn_model_function_count(none), 0);
    assert_int_equal(tn_model_tensor_count(none), 0);
    assert_null(tn_model_tensor(none, 0));
    assert_null(tn_model_find(none, "w"));
    assert_int_equal(tn_model_graph_count(none), 0);
    assert_int_equal(tn_model_graph(none, 0).parent_graph, TN_NONE);
    assert_int_equal(tn_model_op_count(none), 0);
    assert_int_equal(tn_model_op(none, 0).graph, TN_NONE);
    assert_int_equal(tn_op_input(none, 0, 0), TN_NONE);
    assert_int_equal(tn_op_output(none, 0, 0), TN_NONE);
    assert_int_equal(tn_op_path(none, 0, path, sizeof path), 0);
    assert_string_equal(path, "");
    assert_int_equal(tn_model_value_count(none), 0);
    assert_int_equal(tn_model_value_info(none, 0).graph, TN_NONE);
    assert_int_equal(tn_op_attr_count(none, 0), 0);
    INVALID(tn_attr_open(&attr, none, 0, 0, &error));
    INVALID(tn_attr_find(&attr, none, 0, "axis", &error));
}

static void there_is_no_name(void **state)
{
    struct tn_schema    *schema;
    struct tn_bytes      elements = { (const uint8_t *)"abcd", 4 };
    struct tn_attr_value one      = { .kind = TN_ATTR_INT, .count = 1 };
    struct tn_error      none     = TN_ERROR_INIT;
    struct tn_edit      *edit;

    (void)state;
    INVALID(tn_schema_builtin(&schema, NULL, NULL, &error));
    assert_string_equal(tn_tag_refusal(NULL), tn_tag_refusal(""));
    assert_false(tn_tag_is_same(NULL, "v1"));
    INVALID(tn_edit_new(&edit, NULL, NULL, &error));
    assert_int_equal(tn_edit_new(&edit, "onnx", NULL, &none), TN_OK);
    INVALID(tn_edit_act(edit, NULL, "x", &error));
    INVALID(tn_edit_set_metadata(edit, NULL, "x", &error));
    INVALID(tn_edit_rename(edit, 0, NULL, "x", &error));
    INVALID(tn_edit_rename(edit, 0, "x", NULL, &error));
    INVALID(tn_edit_rename_op(edit, 0, NULL, &error));
    INVALID(tn_edit_add_op(edit, 0, TN_NONE, NULL, NULL, &error));
    INVALID(tn_edit_replace_op(edit, 0, NULL, &error));
    INVALID(tn_edit_set_input(edit, 0, 0, NULL, &error));
    INVALID(tn_edit_set_attr(edit, 0, NULL, &one, &error));
    INVALID(tn_edit_set_attr(edit, 0, "x", NULL, &error));
    INVALID(tn_edit_set_attr(edit, 0, "x", &one, &error));
    INVALID(tn_edit_remove_attr(edit, 0, NULL, &error));
    INVALID(tn_edit_add_elements(edit, 0, NULL, TN_UINT8, 0, NULL, elements,
                                 &error));
    INVALID(tn_edit_add_elements(edit, 0, "x", TN_UINT8, 1, NULL, elements,
                                 &error));
    INVALID(tn_edit_add_borrowed(edit, 0, "x", TN_UINT8, 1, NULL, elements,
                                 &error));
    INVALID(tn_edit_add_source(edit, 0, "x", TN_UINT8, 0, NULL, NULL, NULL,
                               &error));
    INVALID(tn_edit_replace_elements(edit, 0, NULL, TN_UINT8, 0, NULL, elements,
                                     &error));
    INVALID(tn_edit_remove_tensor(edit, 0, NULL, &error));
    INVALID(tn_edit_add_input(edit, 0, NULL, &error));
    INVALID(tn_edit_add_output(edit, 0, NULL, &error));
    INVALID(tn_edit_set_signature(edit, NULL, &error));
    INVALID(tn_edit_remove_signature(edit, NULL, &error));
    INVALID(
        tn_edit_add_function(edit, NULL, NULL, NULL, 0, NULL, 0, NULL, &error));
    INVALID(tn_edit_type_io(edit, 0, NULL, TN_FLOAT32, &error));
    INVALID(tn_edit_set_levels(edit, 0, "x", 1, NULL, NULL, &error));
    INVALID(tn_edit_set_variable(edit, 0, NULL, TN_VARIABLE_TRAINED, &error));
    INVALID(tn_tag_remove("never", NULL, NULL, NULL, NULL, &error));
    INVALID(tn_tag_diff("never", NULL, "v1", NULL, NULL, NULL, &error));
    tn_edit_close(edit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_is_no_model),
        cmocka_unit_test(no_model_has_nothing),
        cmocka_unit_test(there_is_no_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
