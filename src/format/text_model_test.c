/* text_model_test.c - texts, and what stands in front of them */
#include "format/text_model.h"

#include <stdlib.h>

#include "support/hostile.h"

/* Comments of that many bytes, then the text. */
static struct tn_bytes commented(size_t size, const char *text)
{
    size_t   length = strlen(text);
    uint8_t *bytes  = malloc(size + length);

    for (size_t i = 0; i < size; i++)
        bytes[i] = i % 50 == 0 ? '#' : i % 50 == 49 ? '\n' : 'c';
    if (size)
        bytes[size - 1] = '\n';
    memcpy(bytes + size, text, length);
    return tn_bytes(bytes, size + length);
}

static const struct {
    size_t      comments;
    const char *text, *word; /* NULL: it is no text                           */
} rows[] = {
    { 0, "node { }", "node" },
    { 0, "{ \"irVersion\": 7 }", "irVersion" },
    { 0, "\n\n  graph {}", "graph" },
    { 0, "no\1de", NULL },
    { 100, "node { }", "node" },
    { 100, "node\1{ }", NULL },
    { 4090, "node { }", "node" },
    { 5000, "node { }", "node" },
    { 5000, "node\1{ }", NULL },
    { TN_TEXT_HEAD / 2, "node { }", "node" },
    { TN_TEXT_HEAD - 2, "node { }", "node" },
    { TN_TEXT_HEAD, "node { }", "node" },
    { 1 << 20, "node { }", "node" },
    { 1 << 20, "node\1{ }", NULL },
    { 1 << 20, "", NULL },
    { 17 << 20, "node { }", NULL }, /* there is a limit */
};

static void test_comments_are_passed(void **state)
{
    struct tn_memory memory;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tn_error  error = TN_ERROR_INIT;
        struct tn_bytes  bytes = commented(rows[i].comments, rows[i].text);
        struct tn_source source;
        struct tn_bytes  head, word;
        tn_source_memory(&source, &memory, bytes);
        head         = tn_text_head(&source, &error);
        bool is_text = tn_is_text(head, &word);
        if (is_text != (rows[i].word != NULL) ||
            (is_text && !tn_bytes_is(word, rows[i].word)))
            fail_msg("row %zu: %d, %.*s", i, is_text, TN_FMT(word));
        assert_int_equal(error.status, TN_OK);
        tn_source_close(&source);
        free((void *)(uintptr_t)bytes.data);
    }
    assert_int_equal(memory.used, 0);
}

/* A text is parsed once, however often its bytes are asked for. */
static void test_parsed_once(void **state)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_bytes  text  = tn_text("ir_version: 8");
    struct tn_source source, *first, *second;
    struct tn_bundle bundle;
    struct tn_memory memory;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_source_memory(&source, &memory, text);
    assert_int_equal(
        tn_bundle_from_source(&bundle, &memory, &source, "", &error), TN_OK);
    for (int i = 0; i < 2; i++)
        assert_int_equal(tn_format_binary(&bundle, &source, TN_PB_ONNX,
                                          "onnx.ModelProto",
                                          i ? &second : &first, &error),
                         TN_OK);
    assert_ptr_equal(first, second);
    assert_int_equal(first->size, 2);
    tn_bundle_close(&bundle);
    assert_int_equal(memory.used, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_comments_are_passed),
        cmocka_unit_test(test_parsed_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
