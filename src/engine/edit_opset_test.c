/* edit_opset_test.c - another opset, and what the file says about the model */
#define _GNU_SOURCE
#include "engine/edit_opset.h"
#include "engine/edit_testing.h"

static const char *fact(const struct tn_model *model, const char *key)
{
    static char text[100];

    for (uint64_t i = 0; i < model->facts.count; i++) {
        const struct tn_fact *f = tn_list_at(&model->facts, struct tn_fact, i);
        if (tn_bytes_is(f->key, key)) {
            snprintf(text, sizeof text, "%.*s", TN_FMT(f->value));
            return text;
        }
    }
    return "";
}

static void texts_stay(void **state)
{
    struct scene s;

    (void)state;
    begin(&s, little_onnx);
    assert_int_equal(tn_edit_set_opset(s.edit, 13, &s.error), TN_OK);
    finish(&s);
    assert_string_equal(fact(s.again, "opset"), "ai.onnx 13");
    assert_string_equal(fact(s.again, "producer"), "test");
    end(&s);
}

/* Of this edit, before the opset, and of one before. */
static void changed_texts_stay(void **state)
{
    struct scene s;

    (void)state;
    begin(&s, little_onnx);
    assert_int_equal(tn_edit_act(s.edit, "metadata", "key=before", &s.error),
                     TN_OK);
    assert_int_equal(tn_edit_act(s.edit, "producer", "me", &s.error), TN_OK);
    assert_int_equal(tn_edit_act(s.edit, "opset", "13", &s.error), TN_OK);
    assert_int_equal(tn_edit_act(s.edit, "metadata", "other=after", &s.error),
                     TN_OK);
    finish(&s);
    assert_string_equal(fact(s.again, "opset"), "ai.onnx 13");
    assert_string_equal(fact(s.again, "producer"), "me");
    const struct tn_metadata_list *list;
    assert_int_equal(tn_metadata_list_open(&list, s.again, NULL, &s.error),
                     TN_OK);
    assert_non_null(
        memmem(list->values.bytes, (size_t)list->values.size, "before", 7));
    assert_non_null(
        memmem(list->values.bytes, (size_t)list->values.size, "after", 6));
    tn_metadata_list_close(list);
    end(&s);
}

static void opsets_out_of_reach_are_refused(void **state)
{
    struct scene s;

    (void)state;
    begin(&s, little_onnx);
    assert_int_equal(tn_edit_set_opset(s.edit, 3, &s.error), TN_INVALID);
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_stay),
        cmocka_unit_test(changed_texts_stay),
        cmocka_unit_test(opsets_out_of_reach_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
