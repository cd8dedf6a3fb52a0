/*
 * strip_model_test.c - what must not ship goes from models of each format, as
 * files, as folders and as chunks; all else stays as it was
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

#include "support/little_models.h"

#define SAVED  TN_SHARED_DATA "/tensorflow/saved_model/"
#define SECRET "/home/me/train.py"

static enum tn_status strip(const char *from, const char *to, bool callstack,
                            bool training, struct tn_strip_summary *summary,
                            struct tn_error *error)
{
    struct tn_strip_options options = { .callstack = callstack,
                                        .training  = training };
    struct tn_target        target  = { .path = to, .can_replace = true };

    *error = (struct tn_error)TN_ERROR_INIT;
    return tn_strip(from, NULL, &options, &target, summary, error);
}

static struct tn_strip_summary must_strip(const char *from, const char *to,
                                          bool callstack, bool training)
{
    struct tn_strip_summary summary;
    struct tn_error         error;

    if (strip(from, to, callstack, training, &summary, &error) != TN_OK)
        fail_msg("%s: %s: %s", from, error.where, error.what);
    return summary;
}

static bool holds(const char *path, const char *text)
{
    struct tn_bytes bytes = tn_load_file(path);

    assert_non_null(bytes.data);
    bool is_there = memmem(bytes.data, bytes.size, text, strlen(text)) != NULL;
    free((void *)(uintptr_t)bytes.data);
    return is_there;
}

static void must_check(const char *path)
{
    struct tn_check_options options = { 0 };
    struct tn_check_summary summary;
    struct tn_error         error = TN_ERROR_INIT;

    assert_int_equal(
        tn_check(path, NULL, &options, NULL, NULL, &summary, &error), TN_OK);
    assert_int_equal(summary.errors, 0);
}

/* ---- ONNX --------------------------------------------------------------- */

static const char told_onnx[] =
    "ir_version: 8 opset_import { version: 17 } doc_string: \"" SECRET "\"\n"
    "graph { name: \"g\" doc_string: \"" SECRET "\"\n"
    "  node { input: \"x\" output: \"y\" op_type: \"Relu\"\n"
    "    doc_string: \"" SECRET "\" }\n"
    "  input { name: \"x\" doc_string: \"" SECRET "\" type { tensor_type {\n"
    "    elem_type: 1 shape { dim { dim_value: 2 } } } } }\n"
    "  output { name: \"y\" type { tensor_type { elem_type: 1 shape {\n"
    "    dim { dim_value: 2 } } } } } }\n"
    "training_info { algorithm { name: \"adam\" } }\n";

static void test_onnx(void **state)
{
    struct tn_scratch       scratch = tn_scratch_open();
    struct tn_strip_summary summary;
    struct tn_error         error;

    (void)state;
    tn_make_model(&scratch, "a.onnx", told_onnx);
    summary = must_strip(tn_in_scratch(&scratch, "a.onnx"),
                         tn_in_scratch(&scratch, "b.onnx"), true, false);
    assert_int_equal(summary.fields, 4);
    assert_string_equal(summary.format, "onnx");
    assert_false(holds(tn_in_scratch(&scratch, "b.onnx"), SECRET));
    assert_true(holds(tn_in_scratch(&scratch, "b.onnx"), "adam"));
    summary = must_strip(tn_in_scratch(&scratch, "a.onnx"),
                         tn_in_scratch(&scratch, "c.onnx"), false, true);
    assert_int_equal(summary.fields, 1);
    assert_true(holds(tn_in_scratch(&scratch, "c.onnx"), SECRET));
    assert_false(holds(tn_in_scratch(&scratch, "c.onnx"), "adam"));
    must_strip(tn_in_scratch(&scratch, "a.onnx"),
               tn_in_scratch(&scratch, "d.onnx"), true, true);
    must_check(tn_in_scratch(&scratch, "d.onnx"));
    assert_int_equal(strip(tn_in_scratch(&scratch, "a.onnx"), "", false, false,
                           NULL, &error),
                     TN_INVALID);
    tn_scratch_close(&scratch);
}

/* ---- TensorFlow --------------------------------------------------------- */

static const char told_graph[] =
    "node { name: \"x\" op: \"Placeholder\"\n"
    "  attr { key: \"dtype\" value { type: DT_FLOAT } }\n"
    "  experimental_debug_info { original_node_names: \"" SECRET "\" } }\n"
    "versions { producer: 1087 min_consumer: 12 }\n";

static void test_graph(void **state)
{
    struct tn_scratch       scratch = tn_scratch_open();
    struct tn_strip_summary summary;
    struct tn_error         error;

    (void)state;
    tn_make_model(&scratch, "a.pb", told_graph);
    summary = must_strip(tn_in_scratch(&scratch, "a.pb"),
                         tn_in_scratch(&scratch, "b.pb"), true, false);
    assert_int_equal(summary.fields, 1);
    assert_false(holds(tn_in_scratch(&scratch, "b.pb"), SECRET));
    assert_int_equal(strip(tn_in_scratch(&scratch, "a.pb"),
                           tn_in_scratch(&scratch, "c.pb"), false, true,
                           &summary, &error),
                     TN_UNSUPPORTED);
    assert_non_null(strstr(error.what, "training"));
    assert_false(tn_scratch_has(&scratch, "c.pb"));
    tn_scratch_close(&scratch);
}

/* Real folders: the debug folder goes, and the fingerprint is that of what is
 * left, or check would say so. */
static void test_folders(void **state)
{
    static const char *const names[] = { "x_plus_y_v2_debuginfo",
                                         "VarsAndArithmeticObjectGraph" };
    struct tn_scratch        scratch = tn_scratch_open();

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        char path[400], inner[100];
        snprintf(path, sizeof path, SAVED "%s", names[i]);
        if (access(path, F_OK) != 0) {
            print_message("skipped: wants real models\n");
            break;
        }
        struct tn_strip_summary summary =
            must_strip(path, tn_in_scratch(&scratch, names[i]), true, false);
        assert_true(summary.fields > 10);
        assert_true(summary.bytes_read > summary.bytes_written);
        must_check(tn_in_scratch(&scratch, names[i]));
        snprintf(inner, sizeof inner, "%s/debug", names[i]);
        assert_false(tn_scratch_has(&scratch, inner));
        snprintf(inner, sizeof inner, "%s/variables/variables.index", names[i]);
        assert_true(tn_scratch_has(&scratch, inner));
    }
    tn_scratch_close(&scratch);
}

static void test_chunks(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    const char       *golden =
        TN_SHARED_DATA "/tensorflow/proto_splitter/split-standard.cpb";
    struct tn_strip_summary summary;

    (void)state;
    if (access(golden, F_OK) == 0) {
        summary =
            must_strip(golden, tn_in_scratch(&scratch, "a.pb"), true, false);
        assert_int_equal(summary.fields, 0);
        assert_true(tn_scratch_has(&scratch, "a.pb"));
    } else {
        print_message("skipped: wants real models\n");
    }
    tn_scratch_close(&scratch);
}

/* ---- others ------------------------------------------------------------- */

static void test_refused(void **state)
{
    struct tn_scratch       scratch = tn_scratch_open();
    struct tn_strip_summary summary;
    struct tn_error         error;

    (void)state;
    assert_int_equal(strip(TN_CORPUS "/paddle/container.pdparams",
                           tn_in_scratch(&scratch, "a.pdparams"), true, false,
                           &summary, &error),
                     TN_UNSUPPORTED);
    assert_int_equal(strip(TN_CORPUS "/paddle/protocol4.pdopt",
                           tn_in_scratch(&scratch, "a.pdopt"), true, true,
                           &summary, &error),
                     TN_UNSUPPORTED);
    assert_int_equal(tn_scratch_count(&scratch, ".", ""), 0);
    tn_scratch_close(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_onnx),    cmocka_unit_test(test_graph),
        cmocka_unit_test(test_folders), cmocka_unit_test(test_chunks),
        cmocka_unit_test(test_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
