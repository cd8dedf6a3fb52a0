/* apply_script_test.c - one call for what an edit takes several for */
#define _GNU_SOURCE
#include <tenon/tenon.h>

#include "support/scratch.h"

#define MODEL TN_CORPUS "/fuzz/tfl_fuzz/add"

static void actions_of_files_come_first(void **state)
{
    struct tn_scratch         s       = tn_scratch_open();
    struct tn_error           error   = TN_ERROR_INIT;
    struct tn_convert_summary summary = { 0 };
    char                     *script  = tn_scratch_path(&s, "script");
    char                     *out     = tn_scratch_path(&s, "out.tflite");
    struct tn_model          *model   = NULL;
    struct tn_apply_options   apply   = TN_APPLY_OPTIONS_INIT;

    (void)state;
    tn_scratch_write(&s, "script", "rename x=first\n");
    apply.script  = script;
    apply.actions = tn_text("rename first=second\n");
    tn_apply(MODEL, NULL, &apply, &(struct tn_target){ .path = out }, &summary,
             &error);
    assert_string_equal(error.what, "");
    assert_string_equal(summary.format, "tflite");
    assert_true(summary.bytes_written > 0);

    assert_int_equal(tn_model_open(&model, out, NULL, &error), TN_OK);
    assert_true(tn_bytes_equal(tn_model_inputs(model).items[0].name,
                               tn_text("second")));
    tn_model_close(model);

    /* What is there is replaced only if asked. */
    assert_int_equal(tn_apply(MODEL, NULL, &apply,
                              &(struct tn_target){ .path = out }, NULL, &error),
                     TN_EXISTS);
    free(out);
    free(script);
    tn_scratch_close(&s);
}

static int stop(void *context, const char *doing, uint64_t done, uint64_t total)
{
    (void)context;
    (void)doing;
    (void)done;
    (void)total;
    return 1;
}

static void nothing_is_written_when_it_fails(void **state)
{
    struct tn_scratch         s     = tn_scratch_open();
    char                     *out   = tn_scratch_path(&s, "out.tflite");
    char                     *onnx  = tn_scratch_path(&s, "out.onnx");
    struct tn_target          to    = { .path = out };
    struct tn_options         calls = { .progress = stop };
    struct tn_convert_options asks  = { .to = "onnx" };

    (void)state;
    assert_int_equal(tn_apply(MODEL, NULL,
                              &(struct tn_apply_options){
                                  .actions = tn_text("rename none=some\n") },
                              &to, NULL, NULL),
                     TN_NOT_FOUND);
    assert_int_equal(
        tn_apply(MODEL, NULL,
                 &(struct tn_apply_options){ .script = "/nonexistent/script" },
                 &to, NULL, NULL),
        TN_IO);
    assert_int_equal(
        tn_apply("/nonexistent/model", NULL, NULL, &to, NULL, NULL), TN_IO);
    assert_int_equal(tn_apply(MODEL, NULL,
                              &(struct tn_apply_options){ .convert = &asks },
                              &(struct tn_target){ .path = onnx }, NULL, NULL),
                     TN_UNSUPPORTED);
    assert_false(tn_scratch_has(&s, "out.tflite"));
    assert_false(tn_scratch_has(&s, "out.onnx"));

    /* A small model is done before anybody is asked; without actions it is
     * copied. */
    assert_int_equal(tn_apply(MODEL, &calls, NULL, &to, NULL, NULL), TN_OK);
    assert_true(tn_scratch_has(&s, "out.tflite"));
    free(onnx);
    free(out);
    tn_scratch_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(actions_of_files_come_first),
        cmocka_unit_test(nothing_is_written_when_it_fails),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
