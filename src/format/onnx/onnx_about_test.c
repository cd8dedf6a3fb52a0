/*
 * onnx_about_test.c - what a model says about itself goes along, or is told
 *
 * Keys and values are a stranger's: twice the same, controls, a megabyte.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

#include "support/little_models.h"

#include "support/told.h"

#define GRAPH GRAPH_WITH("")
#define GRAPH_WITH(more)                                                       \
    "graph { name: \"g\" " more " doc_string: \"of the graph\"\n"              \
    "  node { input: \"x\" input: \"w\" output: \"y\" op_type: \"Add\"\n"      \
    "    doc_string: \"of a node\" }\n"                                        \
    "  initializer { dims: 2 data_type: 1 name: \"w\"\n"                       \
    "    raw_data: \"\\000\\000\\200?\\000\\000\\000@\" }\n"                   \
    "  input { name: \"x\" type { tensor_type { elem_type: 1 shape {\n"        \
    "    dim { dim_value: 2 } } } } }\n"                                       \
    "  output { name: \"y\" type { tensor_type { elem_type: 1 shape {\n"       \
    "    dim { dim_value: 2 } } } } } }\n"
#define MODEL "ir_version: 8 opset_import { version: 17 }\n" GRAPH

static bool holds_bytes(const char *path, const char *text, size_t size)
{
    struct tn_bytes bytes = tn_load_file(path);

    assert_non_null(bytes.data);
    bool is_there = memmem(bytes.data, bytes.size, text, size) != NULL;
    free((void *)(uintptr_t)bytes.data);
    return is_there;
}

static bool holds(const char *path, const char *text)
{
    return holds_bytes(path, text, strlen(text));
}

static void texts_go_along(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    struct tn_error   error;
    const char       *from, *to, *back;

    (void)state;
    tn_make_model(&scratch, "a.onnx",
                  MODEL "producer_name: \"the producer\" model_version: 77\n"
                        "doc_string: \"of the model\" metadata_props {\n"
                        "key: \"licence\" value: \"MIT\" }\n");
    from = tn_in_scratch(&scratch, "a.onnx");
    to   = tn_in_scratch(&scratch, "b.sdz");
    back = tn_in_scratch(&scratch, "c.onnx");
    free(tn_told(from, to, NULL, false, &error));
    assert_int_equal(error.status, TN_OK);
    free(tn_told(to, back, NULL, false, &error));
    assert_int_equal(error.status, TN_OK);
    assert_true(holds(back, "the producer"));
    assert_true(holds(back, "of the model"));
    assert_true(holds(back, "of the graph"));
    assert_true(holds(back, "licence"));
    tn_scratch_close(&scratch);
}

static void what_has_no_place_is_told(void **state)
{
    struct tn_scratch        scratch = tn_scratch_open();
    const char              *from, *to;
    static const char *const fb[]    = { "texts about the model: "
                                            "onnx.producer_name, onnx.graph_name, "
                                            "onnx.graph_doc_string, licence "
                                            "[text]",
                                         "NodeProto.doc_string [field]", NULL };
    static const char *const twice[] = { "1 text about the model: no UTF-8, or "
                                         "a key for the second time [text]",
                                         NULL };

    (void)state;
    tn_make_model(&scratch, "a.onnx",
                  MODEL
                  "producer_name: \"p\" metadata_props { key: \"licence\"\n"
                  "value: \"MIT\" }\n");
    from = tn_in_scratch(&scratch, "a.onnx");
    to   = tn_in_scratch(&scratch, "b.fb");
    tn_must_tell(from, to, NULL, fb);
    tn_make_model(&scratch, "a.onnx",
                  MODEL "metadata_props { key: \"k\" value: \"first\" }\n"
                        "metadata_props { key: \"k\" value: \"second\" }\n");
    from = tn_in_scratch(&scratch, "a.onnx");
    to   = tn_in_scratch(&scratch, "b.safetensors");
    tn_must_tell(from, to, NULL, twice);
    assert_true(holds(to, "first"));
    assert_false(holds(to, "second"));
    tn_scratch_close(&scratch);
}

/* Controls are escaped in JSON and come back; size is no matter. */
static void strangers_texts_are_texts(void **state)
{
    enum { LONG = 1 << 20 };
    struct tn_scratch scratch = tn_scratch_open();
    struct tn_error   error;
    char             *text = malloc(LONG + 1), *model = NULL;
    const char       *from, *to;

    (void)state;
    assert_non_null(text);
    memset(text, 'm', LONG);
    text[LONG] = '\0';
    assert_true(asprintf(&model,
                         MODEL
                         "metadata_props { key: \"long\" value: \"%s\" }\n"
                         "metadata_props { key: \"a\\001\\\"\\\\\\n\"\n"
                         "value: \"\\033[2J\" }\n",
                         text) > 0);
    tn_make_model(&scratch, "a.onnx", model);
    from = tn_in_scratch(&scratch, "a.onnx");
    to   = tn_in_scratch(&scratch, "b.safetensors");
    free(tn_told(from, to, NULL, false, &error));
    assert_int_equal(error.status, TN_OK);
    assert_true(holds(to, text));
    assert_true(holds(to, "\\u001b[2J"));
    assert_false(holds(to, "\033[2J"));
    struct tn_model *again = NULL;
    assert_int_equal(tn_model_open(&again, to, NULL, &error), TN_OK);
    tn_model_close(again);
    free(model);
    free(text);
    tn_scratch_close(&scratch);
}

/* Metadata of the model and of its graph, through SameDiff and back: entries
 * as protobuf has them, key and value. */
static void odd_entries_come_back(void **state)
{
    static const char zero[]    = "\x0a\x03z\0z\x12\x04zero";
    static const char empty[]   = "\x0a\x07"
                                  "checked\x12\x00";
    static const char version[] = "\x0a\x12onnx.model_version\x12\x03"
                                  "007";
    struct tn_scratch scratch   = tn_scratch_open();
    struct tn_error   error;
    const char       *from, *to, *back;

    (void)state;
    tn_make_model(
        &scratch, "a.onnx",
        "ir_version: 8 opset_import { version: 17 }\n" GRAPH_WITH(
            "metadata_props { key: \"z\\000z\" value: \"zero\" }") "metadata_"
                                                                   "props { "
                                                                   "key: "
                                                                   "\"checked\""
                                                                   " value: "
                                                                   "\"\" }\n"
                                                                   "metadata_"
                                                                   "props { "
                                                                   "key: "
                                                                   "\"onnx."
                                                                   "model_"
                                                                   "version\" "
                                                                   "value: "
                                                                   "\"007\" "
                                                                   "}\n");
    from = tn_in_scratch(&scratch, "a.onnx");
    to   = tn_in_scratch(&scratch, "b.sdz");
    back = tn_in_scratch(&scratch, "c.onnx");
    free(tn_told(from, to, NULL, false, &error));
    assert_int_equal(error.status, TN_OK);
    free(tn_told(to, back, NULL, false, &error));
    assert_int_equal(error.status, TN_OK);
    assert_true(holds_bytes(from, zero, sizeof zero - 1));
    assert_true(holds_bytes(back, zero, sizeof zero - 1));
    assert_true(holds_bytes(back, empty, sizeof empty - 1));
    assert_true(holds_bytes(back, version, sizeof version - 1));
    tn_scratch_close(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_go_along),
        cmocka_unit_test(what_has_no_place_is_told),
        cmocka_unit_test(strangers_texts_are_texts),
        cmocka_unit_test(odd_entries_come_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
