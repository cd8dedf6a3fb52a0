/* convert_stub_test.c - whatever ops and attributes are called, a rule to fill
 * in can be read */
#include "engine/convert_dialect.h"

#include "base/buffer.h"
#include "support/hostile.h"

static const struct {
    const char *domain, *type, *attr, *head;
} rows[] = {
    { "", "Relu", "alpha", "Relu(x0; alpha) -> (y0) {" },
    { "com.acme", "Swirl", "k", "com.acme::Swirl(x0; k) -> (y0) {" },
    { "com.acme", "Swirl", "when", "com.acme::Swirl(x0; when as when_)" },
    { "com.acme", "Swirl", "nan", "com.acme::Swirl(x0; nan as nan_)" },
    { "com.acme", "Swirl", "float32", "(x0; float32 as float32_)" },
    { "com.acme", "Swirl", "x0", "com.acme::Swirl(x0; x0 as x0_)" },
    { "com.acme", "Swirl", "x", "com.acme::Swirl(x0; x) -> (y0) {" },
    { "com.acme", "Swirl", "two\nlines", "the attribute 'two?lines'" },
    { "com.acme", "Swirl", "a.", "the attribute 'a.'" },
    { "com.acme", "Swirl", "a.1", "the attribute 'a.1'" },
    { "com.acme", "2d", "k", "# a rule has no word for the op 'com.acme::2d'" },
    { "my ops", "Swirl", "k", "the op 'my ops::Swirl'" },
    { "", "aten::add\n", "k", "the op 'aten::add?'" },
};

static void assert_readable(struct tn_arena *arena, const char *stub)
{
    struct tn_error     error = TN_ERROR_INIT;
    struct tn_lang_file file  = { 0 };

    if (tn_lang_parse(&file, arena, "stub", tn_text(stub), &error) != TN_OK)
        fail_msg("%s: %s", error.what, stub);
    tn_lang_done(&file);
}

static void stubs_are_rules(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct tn_error  error = TN_ERROR_INIT;
        struct tn_memory memory;
        struct tn_arena  arena;
        struct tn_buffer text;

        tn_memory_init(&memory, NULL, 0);
        tn_arena_init(&arena, &memory);
        tn_buffer_init(&text, &memory, &error);
        struct tn_net_op   op   = { .type   = tn_text(rows[i].type),
                                    .domain = tn_text(rows[i].domain) };
        struct tn_net_attr attr = { .name = tn_text(rows[i].attr) };
        struct tn_net_node node = { .op           = &op,
                                    .attrs        = &attr,
                                    .attr_count   = 1,
                                    .input_count  = 1,
                                    .output_count = 1 };
        tn_buffer_text(&text, "rules onnx -> nd4j 1\n\n");
        tn_conversion_stub(&text, &node, NULL);
        const char *stub = tn_buffer_string(&text);
        if (!strstr(stub, rows[i].head))
            fail_msg("no %s in %s", rows[i].head, stub);
        assert_readable(&arena, stub);
        tn_buffer_done(&text);
        tn_arena_done(&arena);
        assert_int_equal(memory.used, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stubs_are_rules),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
