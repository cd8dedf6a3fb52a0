/*
 * edit_action_test.c - actions as text, in a table: what they do to a model of
 * two dialects, and what they refuse
 */
#define _GNU_SOURCE
#include <stdio.h>

#include "engine/edit_action.h"
#include "engine/edit_testing.h"

/* `onnx` and `graph`: what the model is after the script, "op(inputs)->outputs"
 * for each op, then its tensors; NULL: the script fails with `status`. */
static const struct {
    const char    *script, *onnx, *graph;
    enum tn_status status;
} cases[] = {
    { "", "sum:Add(x,w)->y; w", "x:Placeholder() w:Const() y:AddV2(x,w); w",
      TN_OK },
    { "rename x=a", "sum:Add(a,w)->y; w",
      "a:Placeholder() w:Const() y:AddV2(a,w); w", TN_OK },
    { "rename x w w x", "sum:Add(w,x)->y; x",
      "w:Placeholder() x:Const() y:AddV2(w,x); x", TN_OK },
    { "rename x a w b\nrename a w b x", "sum:Add(w,x)->y; x",
      "w:Placeholder() x:Const() y:AddV2(w,x); x", TN_OK },
    { "rename x a\nrename a b\nrename b x", "sum:Add(x,w)->y; w",
      "x:Placeholder() w:Const() y:AddV2(x,w); w", TN_OK },
    { "rename x a\nrename w b\nrename y c", "sum:Add(a,b)->c; b",
      "a:Placeholder() b:Const() c:AddV2(a,b); b", TN_OK },
    { "rename x a\nrename w b\nrename nothing c", NULL, NULL, TN_NOT_FOUND },
    { "rename x:0 a", NULL, "a:Placeholder() w:Const() y:AddV2(a,w); w",
      TN_NOT_FOUND },
    { "rename-all *=p_*", "sum:Add(p_x,p_w)->p_y; p_w",
      "p_x:Placeholder() p_w:Const() p_y:AddV2(p_x,p_w); p_w", TN_OK },
    { "rename-all ?=p", NULL, NULL, TN_NOT_FOUND },
    { "rename-all *=**", NULL, NULL, TN_INVALID },
    { "rename-tensor w=v", "sum:Add(x,v)->y; v",
      "x:Placeholder() v:Const() y:AddV2(x,v); v", TN_OK },
    { "rename-input x=a\nrename-output y=b", "sum:Add(a,w)->b; w",
      "a:Placeholder() w:Const() b:AddV2(a,w); w", TN_OK },
    { "rename-input w=a", NULL, NULL, TN_NOT_FOUND },
    { "rename x=y", NULL, NULL, TN_INVALID },
    { "rename x=", NULL, NULL, TN_INVALID },
    { "rename x=\"\"", NULL, NULL, TN_INVALID },
    { "rename x a w a", NULL, NULL, TN_INVALID },
    { "rename x a x b", NULL, NULL, TN_INVALID },
    { "rename nothing=a", NULL, NULL, TN_NOT_FOUND },
    { "set-input @0 0 w", "sum:Add(w,w)->y; w", NULL, TN_INVALID },
    { "remove-tensor w", "sum:Add(x,w)->y; ", "x:Placeholder() y:AddV2(x,w); ",
      TN_OK },
    { "remove-tensor x", NULL, NULL, TN_NOT_FOUND },
    { "insert-identity x",
      "x_identity_node:Identity(x)->x_identity sum:Add(x_identity,w)->y; w",
      "x:Placeholder() w:Const() x_identity:Identity(x) "
      "y:AddV2(x_identity,w); w",
      TN_OK },
    { "insert-identity x\nremove-identities", "sum:Add(x,w)->y; w",
      "x:Placeholder() w:Const() y:AddV2(x,w); w", TN_OK },
    { "insert-casts x=float64\nremove-casts", "sum:Add(x,w)->y; w",
      "x:Placeholder() w:Const() y:AddV2(x,w); w", TN_OK },
    { "insert-identity y", NULL, NULL, TN_INVALID },
    { "float16",
      "x_narrow_cast:Cast(x)->x_narrow sum:Add(x_narrow,w)->y_narrow "
      "y_cast:Cast(y_narrow)->y; w",
      NULL, TN_UNSUPPORTED },
    { "float16-io", "sum:Add(x,w)->y; w",
      "x:Placeholder() w:Const() y:AddV2(x,w); w", TN_OK },
    { "insert-identity nothing", NULL, NULL, TN_NOT_FOUND },
    { "untie @9 0=a", NULL, NULL, TN_NOT_FOUND },
    { "fly", NULL, NULL, TN_NOT_FOUND },
    { "rename", NULL, NULL, TN_INVALID },
    { "in nowhere", NULL, NULL, TN_NOT_FOUND },
};

static void put_refs(struct tn_buffer *to, const struct tn_model *model,
                     uint32_t op, bool are_inputs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t value =
            are_inputs ? tn_op_input(model, op, i) : tn_op_output(model, op, i);
        struct tn_bytes name = tn_model_value_name(model, value);
        tn_buffer_format(to, "%s%.*s", i ? "," : "", TN_FMT(name));
    }
}

static void describe(const struct tn_model *model, struct tn_buffer *to)
{
    bool names_outputs = model->dialect->names_outputs;

    for (uint32_t i = 0; i < tn_model_op_count(model); i++) {
        struct tn_op_info op = tn_model_op(model, i);
        tn_buffer_format(to, "%s%.*s:%.*s(", i ? " " : "", TN_FMT(op.name),
                         TN_FMT(op.type));
        put_refs(to, model, i, true, op.input_count);
        tn_buffer_text(to, names_outputs ? ")->" : ")");
        if (names_outputs)
            put_refs(to, model, i, false, op.output_count);
    }
    tn_buffer_text(to, "; ");
    for (uint64_t i = 0; i < tn_model_tensor_count(model); i++)
        tn_buffer_format(to, "%s%.*s", i ? " " : "",
                         TN_FMT(tn_tensor_name(tn_model_tensor(model, i))));
}

static void hold(struct tn_scratch *scratch, const char *name,
                 const char *script, const char *expected,
                 enum tn_status status)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_model *model, *made = NULL, *again = NULL;
    struct tn_edit  *edit;
    struct tn_memory memory;
    struct tn_buffer seen;
    char             out[64];
    struct tn_target target = { .can_replace = true };
    /* what an action does is seen even where it leaves a hole */
    struct tn_convert_options convert = { .size          = sizeof convert,
                                          .force_invalid = true };

    snprintf(out, sizeof out, "out-%s", name);
    target.path = tn_in_scratch(scratch, out);
    tn_memory_init(&memory, NULL, 0);
    tn_buffer_init(&seen, &memory, &error);
    assert_int_equal(tn_model_open(&model, tn_in_scratch(scratch, name),
                                   &with_graph, &error),
                     TN_OK);
    assert_int_equal(tn_edit_open(&edit, model, NULL, &error), TN_OK);
    enum tn_status got = tn_edit_run(edit, tn_text(script), &error);
    if (!expected) {
        if (got != status)
            fail_msg("%s: '%s': status %d, %s", name, script, got, error.what);
    } else {
        if (got != TN_OK || tn_edit_commit(edit, &made, &error) != TN_OK ||
            tn_edit_write(made, &convert, &target, NULL, NULL, &error) !=
                TN_OK ||
            tn_model_open(&again, target.path, &with_graph, &error) != TN_OK)
            fail_msg("%s: '%s': %s", name, script, error.what);
        describe(again, &seen);
        assert_string_equal(tn_buffer_string(&seen), expected);
    }
    tn_buffer_done(&seen);
    tn_model_close(again);
    tn_model_close(made);
    tn_edit_close(edit);
    tn_model_close(model);
}

static void test_table(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();

    (void)state;
    tn_make_model(&scratch, "a.onnx", little_onnx);
    tn_make_model(&scratch, "a.pb", little_graph);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        hold(&scratch, "a.onnx", cases[i].script, cases[i].onnx,
             cases[i].status);
        hold(&scratch, "a.pb", cases[i].script, cases[i].graph,
             cases[i].status);
    }
    tn_scratch_close(&scratch);
}

/* The command's forms of a value. */
static void test_values_of_options(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    struct tn_error   error   = TN_ERROR_INIT;
    struct tn_model  *model;
    struct tn_edit   *edit;

    (void)state;
    tn_make_model(&scratch, "a.onnx", little_onnx);
    assert_int_equal(tn_model_open(&model, tn_in_scratch(&scratch, "a.onnx"),
                                   &with_graph, &error),
                     TN_OK);
    assert_int_equal(tn_edit_open(&edit, model, NULL, &error), TN_OK);
    assert_int_equal(tn_edit_act(edit, "rename", "x=a name", &error), TN_OK);
    assert_int_equal(tn_edit_act(edit, "rename", "\"a name\"=b", &error),
                     TN_OK);
    assert_int_equal(tn_edit_act(edit, "doc", "two = words", &error), TN_OK);
    assert_int_equal(tn_edit_act(edit, "rename", "b", &error), TN_INVALID);
    assert_string_equal(error.where, "--rename");
    tn_edit_close(edit);
    tn_model_close(model);
    tn_scratch_close(&scratch);
}

/* A tensor is replaced by its name, whether it is one of the graph's or what a
 * node holds. */
static void test_elements_of_a_node(void **state)
{
    static const char *const names[]  = { "a.onnx", "a.pb" };
    const float              threes[] = { 3, 3, 3 };
    const uint64_t           three[]  = { 3 };
    struct tn_bytes          bytes = { (const uint8_t *)threes, sizeof threes };
    struct tn_scratch        scratch = tn_scratch_open();
    struct tn_error          error   = TN_ERROR_INIT;
    struct tn_model         *model, *made;
    struct tn_edit          *edit;

    (void)state;
    tn_make_model(&scratch, "a.onnx", little_onnx);
    tn_make_model(&scratch, "a.pb", little_graph);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(tn_model_open(&model,
                                       tn_in_scratch(&scratch, names[i]),
                                       &with_graph, &error),
                         TN_OK);
        assert_int_equal(tn_edit_open(&edit, model, NULL, &error), TN_OK);
        assert_int_equal(tn_edit_replace_elements(edit, 0, "w", TN_FLOAT32, 1,
                                                  three, bytes, &error),
                         TN_OK);
        assert_int_equal(tn_edit_commit(edit, &made, &error), TN_OK);
        const struct tn_tensor *w = tn_model_find(made, "w");
        assert_int_equal(tn_tensor_count(w), 3);
        assert_int_equal(tn_edit_replace_elements(edit, 0, "y", TN_FLOAT32, 1,
                                                  three, bytes, &error),
                         TN_NOT_FOUND);
        error = (struct tn_error)TN_ERROR_INIT;
        tn_model_close(made);
        tn_edit_close(edit);
        tn_model_close(model);
    }
    tn_scratch_close(&scratch);
}

/* An action that needs a model takes over what calls changed before it. */
static void test_calls_before_actions(void **state)
{
    static const char *const actions[][2] = {
        { "outputs", "y" },
        { "opset", "18" },
        { "set-dim", "x[0]=2" },
        { "remove-identities", NULL },
    };
    const float     two[]  = { 7, 8 };
    const uint64_t  dims[] = { 2 };
    struct tn_bytes bytes  = tn_bytes(two, sizeof two);

    (void)state;
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
        const struct tn_metadata_list *texts;
        struct scene                   s;
        float                          found[2];

        begin(&s, little_onnx);
        assert_int_equal(tn_edit_replace_elements(s.edit, 0, "w", TN_FLOAT32, 1,
                                                  dims, bytes, &s.error),
                         TN_OK);
        assert_int_equal(
            tn_edit_act(s.edit, actions[i][0], actions[i][1], &s.error), TN_OK);
        assert_int_equal(
            tn_edit_set_metadata(s.edit, "key", "before", &s.error), TN_OK);
        assert_int_equal(
            tn_edit_act(s.edit, actions[i][0], actions[i][1], &s.error), TN_OK);
        finish(&s);
        assert_int_equal(tn_tensor_read(tn_model_find(s.again, "w"), 0, found,
                                        sizeof found, &s.error),
                         TN_OK);
        assert_memory_equal(found, two, sizeof two);
        assert_int_equal(tn_metadata_list_open(&texts, s.again, NULL, &s.error),
                         TN_OK);
        assert_non_null(memmem(texts->values.bytes, (size_t)texts->values.size,
                               "before", 7));
        tn_metadata_list_close(texts);
        end(&s);
    }
}

/* Every row can be shown: a name, a line of help. */
static void test_rows(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < tn_edit_action_count(); i++) {
        struct tn_edit_action_info action = tn_edit_action(i);
        assert_non_null(action.name);
        assert_non_null(action.help);
        assert_ptr_equal(tn_edit_row_named(action.name), &tn_edit_rows[i]);
        assert_true((action.arguments == NULL) == (tn_edit_rows[i].most == 0));
    }
    assert_null(tn_edit_action(tn_edit_action_count()).name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_values_of_options),
        cmocka_unit_test(test_elements_of_a_node),
        cmocka_unit_test(test_calls_before_actions),
        cmocka_unit_test(test_rows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
