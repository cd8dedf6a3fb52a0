/* paddle_pir_edit_test.c - PIR programs that were edited, and in which files */
#define _GNU_SOURCE
#include "support/little_models.h"

#include <tenon/tenon.h>

#define SEED TN_CORPUS "/fuzz/paddle_pir_fuzz/plain.json"
#define REAL TN_SHARED_DATA "/paddle/textline-ori/"

static const struct tn_options with_graph = { .wants_graph = true };

static void write_to(struct tn_scratch *scratch, const struct tn_model *model,
                     const char *name)
{
    struct tn_error  error  = TN_ERROR_INIT;
    struct tn_target target = { .path = tn_in_scratch(scratch, name) };

    tn_convert(model, NULL, &target, NULL, NULL, &error);
    assert_string_equal(error.what, "");
}

static struct tn_model *open_model(const char *path)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_model *model;

    tn_model_open(&model, path, &with_graph, &error);
    assert_string_equal(error.what, "");
    return model;
}

static uint32_t find_op(const struct tn_model *model, const char *type)
{
    for (uint32_t i = 0; i < tn_model_op_count(model); i++)
        if (tn_bytes_is(tn_model_op(model, i).type, type))
            return i;
    fail_msg("no %s", type);
    return 0;
}

static bool has(const char *path, const char *text)
{
    struct tn_bytes bytes = tn_load_file(path);

    assert_non_null(bytes.data);
    bool is_there = memmem(bytes.data, bytes.size, text, strlen(text)) != NULL;
    free((void *)(uintptr_t)bytes.data);
    return is_there;
}

/* The attribute was an operand of PIR, and is one again. */
static void an_edited_attribute_is_written(void **state)
{
    struct tn_scratch    scratch = tn_scratch_open();
    struct tn_error      error   = TN_ERROR_INIT;
    struct tn_model     *model   = open_model(SEED), *result;
    float                factor  = 0.75f;
    struct tn_attr_value value   = { .kind      = TN_ATTR_FLOAT,
                                     .count     = 1,
                                     .of.floats = &factor };
    struct tn_edit      *edit;

    (void)state;
    assert_int_equal(tn_edit_open(&edit, model, NULL, &error), TN_OK);
    tn_edit_set_attr(edit, find_op(model, "scale"), "scale", &value, &error);
    assert_int_equal(tn_edit_commit(edit, &result, &error), TN_OK);
    tn_edit_close(edit);
    write_to(&scratch, result, "out.json");
    assert_true(has(tn_in_scratch(&scratch, "out.json"),
                    "{\"#\":\"0.a_f32\",\"D\":0.75},\"N\":\"value\""));
    assert_false(has(tn_in_scratch(&scratch, "out.json"), "\"D\":0.5}"));
    tn_model_close(result);
    tn_model_close(model);
    tn_scratch_close(&scratch);
}

static void same_file(const char *a, const char *b)
{
    struct tn_bytes left = tn_load_file(a), right = tn_load_file(b);

    assert_int_equal(left.size, right.size);
    assert_memory_equal(left.data, right.data, right.size);
    free((void *)(uintptr_t)left.data);
    free((void *)(uintptr_t)right.data);
}

/* The folder, the program and the parameters are one model; through a .pdmodel
 * both files come back byte for byte. */
static void any_file_opens_it(void **state)
{
    static const char *const names[] = { "", "inference.json",
                                         "inference.pdiparams" };

    (void)state;
    if (access(REAL "inference.json", R_OK) != 0) {
        print_message("skipped: wants real models\n");
        skip();
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct tn_scratch scratch = tn_scratch_open();
        char              path[600];
        snprintf(path, sizeof path, "%s%s", REAL, names[i]);
        struct tn_model *model = open_model(path);
        assert_int_equal(tn_model_tensor_count(model), 145);
        write_to(&scratch, model, "a.pdmodel");
        tn_model_close(model);
        model = open_model(tn_in_scratch(&scratch, "a.pdmodel"));
        write_to(&scratch, model, "b.json");
        tn_model_close(model);
        same_file(tn_in_scratch(&scratch, "b.json"), REAL "inference.json");
        same_file(tn_in_scratch(&scratch, "b.pdiparams"),
                  REAL "inference.pdiparams");
        tn_scratch_close(&scratch);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_edited_attribute_is_written),
        cmocka_unit_test(any_file_opens_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
