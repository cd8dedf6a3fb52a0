/* onnxruntime_test.c - what differs is told, what cannot be told is not */
#include "onnxruntime.h"

#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* One node on x; the constant is c. */
static const char text[] =
    "ir_version: 8 opset_import { version: 17 } graph { name: \"g\"\n"
    "node { op_type: \"%s\" input: \"x\" %s output: \"y\" }\n"
    "initializer { name: \"c\" data_type: 1 float_data: %g }\n"
    "input { name: \"x\" type { tensor_type { elem_type: %d shape {\n"
    "  dim { dim_param: \"n\" } dim { dim_value: 3 } } } } }\n"
    "output { name: \"y\" type { tensor_type { elem_type: %d shape {\n"
    "  dim { dim_param: \"n\" } dim { dim_value: 3 } } } } } }\n";

struct node {
    const char *op, *input;
    double      c;
};

static const struct {
    const char        *name;
    struct node        before, after;
    int                type;
    enum cli_agreement agreement;
    const char        *told;
} cases[] = {
    { "the same",
      { "Mul", "input: \"c\"", 2 },
      { "Add", "input: \"x\"", 0 },
      1,
      CLI_AGREE,
      "ONNX Runtime " },
    { "rounded",
      { "Mul", "input: \"c\"", 2 },
      { "Mul", "input: \"c\"", 2.0001 },
      1,
      CLI_AGREE,
      "ONNX Runtime " },
    { "another factor",
      { "Mul", "input: \"c\"", 2 },
      { "Mul", "input: \"c\"", 2.01 },
      1,
      CLI_DIFFER,
      "output 'y'" },
    { "of another type",
      { "Identity", "", 0 },
      { "Neg", "", 0 },
      7,
      CLI_DIFFER,
      "output 'y'" },
    { "at random",
      { "RandomNormalLike", "", 0 },
      { "Identity", "", 0 },
      1,
      CLI_NOT_COMPARED,
      "no output gives the same twice" },
    { "half",
      { "Identity", "", 0 },
      { "Neg", "", 0 },
      10,
      CLI_DIFFER,
      "output 'y'" },
    { "text",
      { "Identity", "", 0 },
      { "Identity", "", 0 },
      8,
      CLI_NOT_COMPARED,
      "input 'x' is of a type or shape that is not drawn at random" },
    { "not an operator",
      { "Neg", "", 0 },
      { "Nag", "", 0 },
      1,
      CLI_DIFFER,
      "Nag" },
};

static char folder[] = "/tmp/tenon-onnxruntime-XXXXXX";

/* As DIR/NAME.onnx, whose path is returned. */
static const char *make(const char *name, const struct node *node, int type)
{
    static char      paths[2][80];
    static int       turn;
    char            *path  = paths[turn++ % 2];
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_target to    = { .path = path, .can_replace = true };
    char             source[80];

    snprintf(source, sizeof source, "%s/%s.pbtxt", folder, name);
    snprintf(path, sizeof paths[0], "%s/%s.onnx", folder, name);
    FILE *file = fopen(source, "w");
    assert_non_null(file);
    fprintf(file, text, node->op, node->input, node->c, type, type);
    fclose(file);
    struct tn_dump_options how = { .type = "onnx.ModelProto" };
    if (tn_undump(source, NULL, &how, &to, &error) != TN_OK)
        fail_msg("%s", error.what);
    unlink(source);
    return path;
}

static void compare(const struct node *before, const struct node *after,
                    int type, struct cli_comparison *result)
{
    const char      *first = make("first", before, type);
    const char      *other = make("other", after, type);
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_model *model = NULL;

    assert_int_equal(tn_model_open(&model, first, NULL, &error), TN_OK);
    cli_compare_outputs(model, other, result);
    tn_model_close(model);
    unlink(first);
    unlink(other);
}

static void test_outputs(void **state)
{
    const char *engines = getenv("TN_ENGINES");
    char        pattern[400];
    glob_t      found;

    (void)state;
    snprintf(pattern, sizeof pattern,
             "%s/node_modules/onnxruntime-node/bin/*/linux/x64/"
             "libonnxruntime.so.1",
             engines ? engines : "");
    if (!engines || glob(pattern, 0, NULL, &found) != 0)
        skip();
    setenv("TENON_ONNXRUNTIME", found.gl_pathv[0], 1);
    globfree(&found);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct cli_comparison result;

        compare(&cases[i].before, &cases[i].after, cases[i].type, &result);
        if (result.agreement != cases[i].agreement ||
            !strstr(result.told, cases[i].told))
            fail_msg("%s: %d, %s", cases[i].name, result.agreement,
                     result.told);
    }
}

static void test_without_a_runtime(void **state)
{
    const struct node     node = { "Neg", "", 0 };
    struct cli_comparison result;

    (void)state;
    setenv("TENON_ONNXRUNTIME", "/nowhere/libonnxruntime.so", 1);
    compare(&node, &node, 1, &result);
    assert_int_equal(result.agreement, CLI_NOT_COMPARED);
    assert_non_null(strstr(result.told, "is not installed"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_outputs),
        cmocka_unit_test(test_without_a_runtime),
    };

    if (mkdtemp(folder) == NULL)
        return 1;
    int code = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(folder);
    return code;
}
