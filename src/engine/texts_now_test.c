/* texts_now_test.c - an edit that was not written yet counts */
#include "engine/texts_now.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>
#include <tenon/edit.h>

#include "engine/opened.h"

static void has(const struct tn_about *about, const char *key,
                const char *value)
{
    if (!tn_bytes_is(tn_about_find(about, key), value))
        fail_msg("%s is not %s", key, value);
}

/* Set twice, set and removed, and a field that is no metadata. */
static void what_edits_set_is_described(void **state)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_model *first, *second;
    struct tn_edit  *edit;
    struct tn_about  about;
    struct tn_arena  arena;

    (void)state;
    assert_int_equal(tn_edit_new(&edit, "onnx", NULL, &error), TN_OK);
    tn_edit_set_metadata(edit, "kept", "1", &error);
    tn_edit_set_metadata(edit, "gone", "2", &error);
    assert_int_equal(tn_edit_act(edit, "producer", "us", &error), TN_OK);
    assert_int_equal(tn_edit_commit(edit, &first, &error), TN_OK);
    tn_edit_close(edit);
    assert_int_equal(tn_edit_open(&edit, first, NULL, &error), TN_OK);
    tn_edit_set_metadata(edit, "kept", "3", &error);
    tn_edit_set_metadata(edit, "gone", NULL, &error);
    assert_int_equal(tn_edit_commit(edit, &second, &error), TN_OK);
    tn_edit_close(edit);

    tn_arena_init(&arena, second->memory);
    tn_about_init(&about, &arena, &error);
    tn_describe_now(second, &about);
    has(&about, "kept", "3");
    has(&about, "onnx.producer_name", "us");
    assert_false(tn_about_has(&about, tn_text("gone")));
    tn_about_done(&about);
    tn_arena_done(&arena);
    tn_model_close(second);
    tn_model_close(first);
}

static void keys_of_fields_have_actions(void **state)
{
    (void)state;
    const struct tn_text_field *field =
        tn_text_field_of(tn_text("onnx.producer_name"));
    assert_non_null(field);
    assert_string_equal(field->action, "producer");
    assert_null(tn_text_field_of(tn_text("producer_name")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_edits_set_is_described),
        cmocka_unit_test(keys_of_fields_have_actions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
