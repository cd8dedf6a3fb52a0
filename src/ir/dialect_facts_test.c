/* dialect_facts_test.c - what is special about a dialect is found by its name
 */
#include "ir/dialect_facts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void dialects_have_a_vocabulary(void **state)
{
    static const char *const names[] = { "nd4j", "onnx", "paddle", "tensorflow",
                                         "tflite" };

    (void)state;
    for (size_t i = 0; i < 5; i++) {
        const struct tn_dialect_facts *facts = tn_dialect_facts(names[i]);
        assert_string_equal(facts->name, names[i]);
        assert_non_null(facts->vocabulary);
        assert_true(facts->rule_version >= facts->oldest_version);
    }
}

/* A user's rules may speak of dialects that we have never heard of. */
static void unknown_ones_are_ordinary(void **state)
{
    const struct tn_dialect_facts *facts = tn_dialect_facts("acme");

    (void)state;
    assert_null(facts->vocabulary);
    assert_string_equal(facts->identity, "Identity");
    assert_false(facts->can_be_built);
    assert_ptr_equal(facts, tn_dialect_facts(""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dialects_have_a_vocabulary),
        cmocka_unit_test(unknown_ones_are_ordinary),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
