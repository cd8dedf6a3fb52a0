/* error_test.c - the first failure wins, on one line, and says where */
#include "base/error.h"

#include <errno.h>
#include <string.h>

#include "base/utf8.h"
#include "support/hostile.h"

static void the_first_failure_wins(void **state)
{
    struct tn_error error = TN_ERROR_INIT;

    (void)state;
    assert_false(tn_failed(&error));
    assert_int_equal(
        tn_error_set(&error, TN_MALFORMED, 20, "rank %d, limit %d", 21, 16),
        TN_MALFORMED);
    assert_int_equal(tn_error_set(&error, TN_LIMIT, 5, "an echo"),
                     TN_MALFORMED);
    assert_int_equal(tn_error_errno(&error, EIO, "another"), TN_MALFORMED);
    assert_int_equal(error.offset, 20);
    assert_string_equal(error.what, "rank 21, limit 16");
}

static void errno_speaks(void **state)
{
    struct tn_error error = TN_ERROR_INIT;

    (void)state;
    assert_int_equal(tn_error_errno(&error, ENOSPC, "cannot write %s", "x"),
                     TN_IO);
    assert_string_equal(error.what, "cannot write x: No space left on device");
    assert_true(error.offset == TN_NOWHERE);
}

/* Names come from the file, and may hold anything. */
static void messages_are_one_line(void **state)
{
    struct tn_error error = TN_ERROR_INIT;
    char            name[1000];

    (void)state;
    (void)tn_error_set(&error, TN_INVALID, 0, "a\nb\tc\033[31m\177");
    assert_string_equal(error.what, "a\\nb\\tc\\x1b[31m\\x7f");
    tn_error_where(&error, "x\ny");
    assert_string_equal(error.where, "x\\ny");

    memset(name, 'n', sizeof name);
    name[sizeof name - 1] = '\0';
    error                 = (struct tn_error)TN_ERROR_INIT;
    (void)tn_error_errno(&error, EIO, "%s", name);
    tn_error_file(&error, name);
    tn_error_where(&error, "%s", name);
    tn_error_where(&error, "%s", name);
    assert_true(strlen(error.what) < sizeof error.what);
    assert_int_equal(strlen(error.file), sizeof error.file - 1);
    assert_int_equal(strlen(error.where), sizeof error.where - 1);
    assert_non_null(strstr(error.what, strerror(EIO)));
}

static void where_grows_at_the_front(void **state)
{
    struct tn_error error = TN_ERROR_INIT;

    (void)state;
    tn_error_where(&error, "graph");
    assert_string_equal(error.where, ""); /* nothing has failed */
    (void)tn_error_set(&error, TN_MALFORMED, 0, "bad");
    tn_error_where(&error, "[3]");
    tn_error_where(&error, "attr");
    tn_error_where(&error, "node[%d]", 15);
    tn_error_where(&error, "graph");
    assert_string_equal(error.where, "graph.node[15].attr[3]");
}

static void the_innermost_file_stays(void **state)
{
    struct tn_error error = TN_ERROR_INIT;

    (void)state;
    tn_error_file(&error, "early");
    assert_string_equal(error.file, "");
    (void)tn_error_set(&error, TN_MALFORMED, 0, "bad");
    tn_error_file(&error, "weights.bin");
    tn_error_file(&error, "model.onnx");
    assert_string_equal(error.file, "weights.bin");
}

static void every_status_has_words(void **state)
{
    static const struct {
        enum tn_status status;
        int            code;
        const char    *name;
    } rows[] = {
        { TN_OK, 0, "ok" },
        { TN_TRUNCATED, 3, "truncated" },
        { TN_MALFORMED, 3, "malformed" },
        { TN_LIMIT, 4, "limit" },
        { TN_UNSUPPORTED, 5, "unsupported" },
        { TN_NOT_FOUND, 6, "not found" },
        { TN_IO, 7, "i/o" },
        { TN_NO_MEMORY, 8, "no memory" },
        { TN_EXISTS, 9, "exists" },
        { TN_BUSY, 10, "busy" },
        { TN_INVALID, 11, "invalid" },
        { TN_CANCELLED, 12, "cancelled" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(rows[i].status, i); /* the numbers are ABI */
        assert_int_equal(tn_status_exit_code(rows[i].status), rows[i].code);
        assert_string_equal(tn_status_name(rows[i].status), rows[i].name);
        assert_true(strlen(tn_status_sentence(rows[i].status)) > 5);
    }
    assert_string_equal(tn_status_name((enum tn_status)99), "unknown status");
    assert_string_equal(tn_status_sentence((enum tn_status)99),
                        "unknown status");
    assert_int_equal(tn_status_exit_code((enum tn_status)99), 2);
}

static void reasons_have_stable_numbers_and_words(void **state)
{
    static const char *const words[] = {
#define X(name, word, sentence) [TN_REASON_##name] = word,
        TN_REASON_MAP(X)
#undef X
    };
    size_t count = sizeof words / sizeof *words;

    (void)state;
    assert_int_equal(TN_REASON_UNKNOWN_FORMAT, 1); /* the numbers are ABI */
    assert_int_equal(TN_REASON_NO_RULE, 20);
    assert_int_equal(TN_REASON_BAD_SHAPE, 33);
    assert_int_equal(TN_REASON_FOREIGN_OPTION, 34);
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(tn_reason_word((enum tn_reason)i), words[i]);
        assert_true(strlen(tn_reason_sentence((enum tn_reason)i)) > 5);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(words[i], words[k]);
        assert_int_equal(strspn(words[i], "abcdefghijklmnopqrstuvwxyz-"),
                         strlen(words[i]));
    }
    assert_string_equal(tn_reason_word((enum tn_reason)999), "unknown reason");
    assert_string_equal(tn_reason_sentence((enum tn_reason)999),
                        "unknown reason");
}

static void the_reason_is_that_of_the_first_failure(void **state)
{
    struct tn_error error = TN_ERROR_INIT;

    (void)state;
    assert_int_equal(error.reason, TN_REASON_NONE);
    (void)tn_error_because(&error, TN_INVALID, TN_REASON_BAD_SHAPE, 7, "rank %d",
                           3);
    (void)tn_error_because(&error, TN_IO, TN_REASON_NO_RULE, 8, "an echo");
    (void)tn_error_set(&error, TN_IO, 8, "an echo");
    assert_int_equal(error.status, TN_INVALID);
    assert_int_equal(error.reason, TN_REASON_BAD_SHAPE);
    assert_int_equal(error.offset, 7);
    assert_string_equal(error.what, "rank 3");

    error = (struct tn_error)TN_ERROR_INIT;
    (void)tn_error_set(&error, TN_IO, 8, "without one");
    (void)tn_error_because(&error, TN_INVALID, TN_REASON_BAD_SHAPE, 7, "echo");
    assert_int_equal(error.reason, TN_REASON_NONE);
}

/* Wherever it is cut: what is left is whole characters. */
static void messages_end_in_whole_characters(void **state)
{
    (void)state;
    for (int before = 758; before < 768; before++) {
        struct tn_error error = TN_ERROR_INIT;
        char            text[900];

        memset(text, 'x', sizeof text);
        for (size_t i = (size_t)before; i + 4 < sizeof text; i += 4)
            memcpy(text + i, "\xf0\x9f\x8e\x89", 5);
        tn_error_set(&error, TN_INVALID, TN_NOWHERE, "%s", text);
        assert_true(tn_utf8_is_valid(tn_text(error.what)));
        assert_true(strlen(error.what) > 758 || before + 4 > 768);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_failure_wins),
        cmocka_unit_test(errno_speaks),
        cmocka_unit_test(messages_are_one_line),
        cmocka_unit_test(messages_end_in_whole_characters),
        cmocka_unit_test(where_grows_at_the_front),
        cmocka_unit_test(the_innermost_file_stays),
        cmocka_unit_test(every_status_has_words),
        cmocka_unit_test(reasons_have_stable_numbers_and_words),
        cmocka_unit_test(the_reason_is_that_of_the_first_failure),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
