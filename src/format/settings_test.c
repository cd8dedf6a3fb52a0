/* settings_test.c - options that formats declare */
#include "format/settings.h"

#include <string.h>

#include "format/registry.h"
#include "support/hostile.h"

#define MANY "tf-saved-model, tf-checkpoint, safetensors, gguf, sdnb, sdz"

static const struct {
    const char             *name;
    const struct tn_format *format;
    struct tn_setting       settings[3];
    uint32_t                count;
    const char             *what; /* the refusal; NULL: it is taken */
} rows[] = {
    /* clang-format off */
    { "nothing", &tn_format_npz, { { NULL, NULL } }, 0, NULL },
    { "a size", &tn_format_sdnb, { { "shard-size", "2MB" } }, 1, NULL },
    { "a flag", &tn_format_onnx, { { "inline", NULL } }, 1, NULL },
    { "a flag in words", &tn_format_onnx, { { "inline", "true" } }, 1, NULL },
    { "two together", &tn_format_onnx, { { "threshold", "0" }, { "external", "w" } }, 2, NULL },
    { "one is off", &tn_format_onnx, { { "external", "w" }, { "inline", "false" } }, 2, NULL },
    { "the last counts", &tn_format_onnx, { { "inline", NULL }, { "inline", "false" }, { "external", "w" } }, 3, NULL },
    { "a choice", &tn_format_paddle, { { "layout", "seed" } }, 1, NULL },
    { "another's choice", &tn_format_paddle, { { "layout", "pickle" } }, 1, "--layout takes seed|shipped, not 'pickle'" },
    { "half a word", &tn_format_paddle, { { "layout", "see" } }, 1, "--layout takes seed|shipped, not 'see'" },
    { "two words", &tn_format_paddle, { { "layout", "seed|shipped" } }, 1, "--layout takes seed|shipped, not 'seed|shipped'" },
    { "no word", &tn_format_paddle, { { "layout", "" } }, 1, "--layout takes seed|shipped, not ''" },
    { "no value", &tn_format_paddle, { { "layout", NULL } }, 1, "--layout needs seed|shipped" },
    { "no size", &tn_format_sdnb, { { "shard-size", "big" } }, 1, "--shard-size takes SIZE, not 'big'" },
    { "no flag", &tn_format_onnx, { { "inline", "yes" } }, 1, "--inline takes true or false, not 'yes'" },
    { "alone", &tn_format_onnx, { { "threshold", "1" } }, 1, "--threshold needs --external" },
    { "both", &tn_format_onnx, { { "external", "w" }, { "inline", NULL } }, 2, "--external and --inline cannot be used together" },
    { "of others", &tn_format_npz, { { "shard-size", "1" } }, 1, "--shard-size is for " MANY ", not for npz" },
    { "of nobody", &tn_format_npz, { { "size", "1" } }, 1, "no format has an option 'size'" },
    { "for reading", &tn_format_sdnb, { { "lax", NULL } }, 1, "no format has an option 'lax'" },
    /* clang-format on */
};

static void are_checked(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct tn_error         error  = TN_ERROR_INIT;
        struct tn_write_options to     = { 0 };
        enum tn_status          status = tn_settings_write(
                     rows[i].format, rows[i].settings, rows[i].count, &to, &error);
        if (status != (rows[i].what ? TN_INVALID : TN_OK) ||
            strcmp(error.what, rows[i].what ? rows[i].what : "") != 0)
            fail_msg("%s: %d, %s", rows[i].name, status, error.what);
    }
}

static void go_to_their_fields(void **state)
{
    static const struct tn_setting given[] = { { "external", "w.bin" },
                                               { "threshold", "4KiB" } };
    struct tn_error                error   = TN_ERROR_INIT;
    struct tn_write_options        to = { 0 }, none = { 0 };

    (void)state;
    tn_settings_write(&tn_format_onnx, given, 2, &to, &error);
    assert_string_equal(to.external, "w.bin");
    assert_int_equal(to.threshold, 4096);
    assert_false(to.is_inline);
    tn_settings_write(&tn_format_onnx, NULL, 0, &none, &error);
    assert_null(none.external);
    assert_int_equal(none.threshold, 1024); /* as the table says */
    assert_int_equal(error.status, TN_OK);
}

static void of_readers_have_no_effect_elsewhere(void **state)
{
    static const struct tn_setting lax = { "lax", NULL }, odd = { "odd", "" };
    struct tn_error                error = TN_ERROR_INIT;
    struct tn_read_options         to    = { 0 };

    (void)state;
    assert_int_equal(tn_settings_read(&tn_format_onnx, &lax, 1, &to, &error),
                     TN_OK);
    assert_false(to.is_lax);
    assert_int_equal(tn_settings_read(&tn_format_sdz, &lax, 1, &to, &error),
                     TN_OK);
    assert_true(to.is_lax);
    assert_int_equal(tn_settings_read(&tn_format_sdz, &odd, 1, &to, &error),
                     TN_INVALID);
}

/* What every table must have, so that help and callers can rely on it. */
static void are_well_declared(void **state)
{
    uint32_t seen = 0;

    (void)state;
    for (const struct tn_format *const *f = tn_formats; *f; f++) {
        const struct tn_format_setting *const *s = (*f)->settings;
        for (; s && *s; s++, seen++) {
            const struct tn_format_option *option = &(*s)->says;
            struct tn_setting standard = { option->name, option->standard };
            struct tn_error   error    = TN_ERROR_INIT;
            union {
                struct tn_write_options write;
                struct tn_read_options  read;
            } to = { .write = { 0 } };
            assert_true(option->help[0] && strlen(option->help) < 56);
            assert_true(!option->value == (option->kind == TN_OPTION_FLAG));
            assert_true(option->is_for_reading || (*f)->write);
            if (option->standard && !option->needs)
                assert_int_equal(
                    tn_settings_write(*f, &standard, 1, &to.write, &error),
                    TN_OK);
        }
    }
    assert_true(seen > 15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(are_checked),
        cmocka_unit_test(go_to_their_fields),
        cmocka_unit_test(of_readers_have_no_effect_elsewhere),
        cmocka_unit_test(are_well_declared),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
