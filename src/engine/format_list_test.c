/* format_list_test.c - what formats say of themselves, and structs that grow */
#define _GNU_SOURCE
#include <string.h>

#include <tenon/tenon.h>

#include "support/hostile.h"
#include "support/little_models.h"
#include "support/scratch.h"

#define MODEL TN_CORPUS "/onnx/everything.onnx"

static uint32_t number_of(const char *format)
{
    uint32_t i = 0;

    while (i < tn_format_count() && strcmp(tn_format_at(i).name, format) != 0)
        i++;
    return i;
}

static const struct tn_format_option *find(const char *format, const char *name)
{
    const struct tn_format_option *option;

    for (uint32_t i = 0;
         (option = tn_format_option(number_of(format), i)) != NULL; i++)
        if (strcmp(option->name, name) == 0)
            return option;
    return NULL;
}

static void options_are_listed(void **state)
{
    (void)state;
    assert_string_equal(find("onnx", "threshold")->standard, "1KiB");
    assert_string_equal(find("onnx", "threshold")->needs, "external");
    assert_int_equal(find("onnx", "external")->letter, 'x');
    assert_int_equal(find("tf-checkpoint", "shard-size")->kind, TN_OPTION_SIZE);
    assert_ptr_equal(find("tf-checkpoint", "shard-size"),
                     find("sdnb", "shard-size"));
    assert_string_equal(find("paddle", "layout")->value, "seed|shipped");
    assert_string_equal(find("paddle-state", "layout")->value,
                        "pickle|container");
    assert_true(find("sdz", "lax")->is_for_reading);
    assert_null(find("onnx", "layout"));
    assert_null(tn_format_at(tn_format_count()).name);
    assert_null(tn_format_at(UINT32_MAX).name);
    assert_null(tn_format_option(tn_format_count(), 0));
    assert_null(tn_format_option(UINT32_MAX, 0));
    assert_null(tn_format_option(0, UINT32_MAX));
}

/* ---- by the public calls ------------------------------------------------- */

static enum tn_status convert(const struct tn_convert_options *how,
                              const char *out, struct tn_error *error)
{
    struct tn_options         options = TN_OPTIONS_INIT;
    struct tn_target          target  = { .path = out, .can_replace = true };
    struct tn_convert_summary summary;
    struct tn_model          *model;

    *error              = (struct tn_error)TN_ERROR_INIT;
    options.wants_graph = true;
    if (tn_model_open(&model, MODEL, &options, error) != TN_OK)
        return error->status;
    tn_convert(model, how, &target, &options, &summary, error);
    tn_model_close(model);
    return error->status;
}

static void settings_reach_the_format(void **state)
{
    struct tn_scratch         scratch = tn_scratch_open();
    struct tn_error           error;
    struct tn_setting         settings[] = { { "external", "w.bin" },
                                             { "threshold", "1" } };
    struct tn_convert_options how        = TN_CONVERT_OPTIONS_INIT;

    (void)state;
    how.settings      = settings;
    how.setting_count = 2;
    assert_int_equal(convert(&how, tn_in_scratch(&scratch, "a.onnx"), &error),
                     TN_OK);
    assert_true(tn_scratch_has(&scratch, "w.bin"));
    settings[0].name = "layout";
    assert_int_equal(convert(&how, tn_in_scratch(&scratch, "b.onnx"), &error),
                     TN_INVALID);
    assert_string_equal(error.what, "--layout is for paddle, paddle-text, "
                                    "paddle-params, paddle-state, not for "
                                    "onnx");
    tn_scratch_close(&scratch);
}

/* A caller of a version to come, whose struct has one more field. */
struct later {
    struct tn_convert_options now;
    const char               *more;
};

static void structs_of_all_versions(void **state)
{
    struct tn_scratch         scratch = tn_scratch_open();
    struct tn_error           error;
    struct tn_convert_options first = { 0 };
    struct later              later = { { .size = sizeof later }, NULL };

    (void)state;
    const char *out = tn_in_scratch(&scratch, "a.onnx");
    assert_int_equal(convert(&first, out, &error), TN_OK);
    assert_int_equal(convert(NULL, out, &error), TN_OK);
    assert_int_equal(convert(&later.now, out, &error), TN_OK);
    later.more = "what nobody here knows";
    assert_int_equal(convert(&later.now, out, &error), TN_UNSUPPORTED);
    first.size = sizeof first.size;
    assert_int_equal(convert(&first, out, &error), TN_INVALID);
    tn_scratch_close(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_are_listed),
        cmocka_unit_test(settings_reach_the_format),
        cmocka_unit_test(structs_of_all_versions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
