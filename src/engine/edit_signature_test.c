/*
 * edit_signature_test.c - signatures that an edit sets and removes, in the two
 * formats that have them
 */
#define _GNU_SOURCE
#include <stdio.h>

#include <tenon/tenon.h>

#include "format/tflite/tfl_testing.h"
#include "ir/model_tables.h"
#include "support/scratch.h"

#define TFLITE TN_CORPUS "/fuzz/tfl_fuzz/add"

static const struct tn_options with_graph = { .wants_graph = true };

/* "name(key=value,...)->(key=value,...)" for each, in their order. */
static void describe(const struct tn_model *model, char *to, size_t size)
{
    size_t at = 0;

    for (uint32_t i = 0; i < tn_model_signature_count(model); i++) {
        const struct tn_signature *s = tn_model_signature(model, i);

        at += (size_t)snprintf(to + at, size - at, "%.*s:%.*s(",
                               (int)s->name.size, (const char *)s->name.data,
                               (int)s->method.size,
                               (const char *)s->method.data);
        for (int side = 0; side < 2; side++) {
            struct tn_io_list list = side ? s->outputs : s->inputs;
            for (uint32_t k = 0; k < list.count; k++)
                at += (size_t)snprintf(
                    to + at, size - at, "%s%.*s=%.*s", k ? "," : "",
                    (int)list.items[k].key.size,
                    (const char *)list.items[k].key.data,
                    (int)list.items[k].name.size,
                    (const char *)list.items[k].name.data);
            at += (size_t)snprintf(to + at, size - at, side ? ");" : ")->(");
        }
    }
}

static void assert_signatures(const struct tn_model *model, const char *wanted)
{
    char found[1000] = "";

    describe(model, found, sizeof found);
    assert_string_equal(found, wanted);
}

static struct tn_model *open_model(const char *path)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_model *model;

    tn_model_open(&model, path, &with_graph, &error);
    assert_string_equal(error.what, "");
    return model;
}

/* Runs a script on a file and reads again what is written. */
static struct tn_model *after(const char *path, const char *script,
                              const char *out)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_model *model = open_model(path), *made;
    struct tn_edit  *edit;

    tn_edit_open(&edit, model, NULL, &error);
    tn_edit_run(edit,
                (struct tn_bytes){ (const uint8_t *)script, strlen(script) },
                &error);
    tn_edit_commit(edit, &made, &error);
    assert_string_equal(error.what, "");
    tn_edit_write(made, NULL, &(struct tn_target){ .path = out }, NULL, NULL,
                  &error);
    tn_model_close(made);
    tn_edit_close(edit);
    tn_model_close(model);
    assert_string_equal(error.what, "");
    return open_model(out);
}

static void tflite_has_them(void **state)
{
    struct tn_scratch s = tn_scratch_open();
    char              path[300];

    (void)state;
    snprintf(path, sizeof path, "%s/a.tflite", s.path);
    struct tn_model *model =
        after(TFLITE,
              "set-signature one \"\" a=x ? ... -> b=y ? ...\n"
              "set-signature two \"\" c=x ? ... -> d=y ? ...\n"
              "rename x=input\n"
              "set-signature three \"\" e=input ? ... -> f=y ? ...\n"
              "remove-signature two\n",
              path);
    assert_signatures(model, "one:(a=input)->(b=y);three:(e=input)->(f=y);");
    tn_model_close(model);
    tn_scratch_close(&s);
}

/* A signature calls the last of four subgraphs. */
#define CALLS                                                                  \
    "{'version':3,'operator_codes':[],'buffers':[{}],'subgraphs':["            \
    "{'name':'main','tensors':[{'name':'x','shape':[1]}],'inputs':[0],"        \
    "'outputs':[0]},"                                                          \
    "{'name':'t','tensors':[{'name':'x1','shape':[1]}],'inputs':[0],"          \
    "'outputs':[0]},"                                                          \
    "{'name':'e','tensors':[{'name':'x2','shape':[1]}],'inputs':[0],"          \
    "'outputs':[0]},"                                                          \
    "{'name':'last','tensors':[{'name':'x3','shape':[7]}],'inputs':[0],"       \
    "'outputs':[0]}],'signature_defs':[{'signature_key':'b',"                  \
    "'subgraph_index':3,'inputs':[{'name':'i','tensor_index':0}],"             \
    "'outputs':[{'name':'o','tensor_index':0}]}]}"

/* The model in memory, before anything is written. */
static struct tn_model *removed(const struct tn_model *model,
                                const char *const *functions, uint32_t count)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_model *made  = NULL;
    struct tn_edit  *edit;

    tn_edit_open(&edit, model, NULL, &error);
    for (uint32_t i = 0; i < count; i++)
        tn_edit_act(edit, "remove-function", functions[i], &error);
    tn_edit_commit(edit, &made, &error);
    assert_string_equal(error.what, "");
    tn_edit_close(edit);
    return made;
}

static void graphs_of_signatures_are_numbered(void **state)
{
    static const char *const inner[] = { "t", "e" }, *const last[] = { "last" };
    struct tn_error   error = TN_ERROR_INIT;
    struct tn_scratch s     = tn_scratch_open();
    struct tn_memory  memory;
    struct tn_buffer  bytes;
    char              path[300];

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_buffer_init(&bytes, &memory, &error);
    tfl_make(&bytes, CALLS, &memory, &error);
    assert_string_equal(error.what, "");
    tn_scratch_put(&s, "a.tflite", tn_buffer_bytes(&bytes));
    tn_buffer_done(&bytes);
    snprintf(path, sizeof path, "%s/a.tflite", s.path);
    struct tn_model *model = open_model(path);
    struct tn_model *made  = removed(model, inner, 2);
    assert_int_equal(made->signature_graphs[0], 1);
    snprintf(path, sizeof path, "%s/a.onnx", s.path);
    tn_convert(made, NULL, &(struct tn_target){ .path = path }, NULL, NULL,
               &error);
    assert_string_equal(error.what, "");
    struct tn_model *onnx = open_model(path);
    assert_int_equal(tn_model_inputs(onnx).items[0].dims[0].value, 7);
    tn_model_close(onnx);
    tn_model_close(made);
    made = removed(model, last, 1);
    assert_int_equal(tn_model_signature_count(made), 0);
    tn_model_close(made);
    tn_model_close(model);
    tn_scratch_close(&s);
}

static void refuses(const char *path, const char *action, const char *value,
                    enum tn_status status)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_model *model = open_model(path);
    struct tn_edit  *edit;

    tn_edit_open(&edit, model, NULL, &error);
    assert_int_equal(tn_edit_act(edit, action, value, &error), status);
    tn_edit_close(edit);
    tn_model_close(model);
}

static void mistakes_are_refused(void **state)
{
    (void)state;
    refuses(TFLITE, "remove-signature", "nothing", TN_NOT_FOUND);
    refuses(TFLITE, "set-signature", "one \"\" a=x float32 2", TN_INVALID);
    refuses(TFLITE, "set-signature", "one \"\" a=x -> b=y float32 2",
            TN_INVALID);
    refuses(TFLITE, "set-signature", "\"\" \"\" a=x ? ... -> b=y ? ...",
            TN_INVALID);
    refuses(TFLITE, "set-signature", "one \"\" a=x ? ... a=x ? ... -> b=y ? ...",
            TN_INVALID);
    refuses(TFLITE, "set-signature", "one \"\" \"\"=x ? ... -> b=y ? ...",
            TN_INVALID);
    refuses(TFLITE, "set-signature", "one \"\" a=x float7 ... -> b=y ? ...",
            TN_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tflite_has_them),
        cmocka_unit_test(graphs_of_signatures_are_numbered),
        cmocka_unit_test(mistakes_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
