/*
 * tf_callers_test.c - the table of operators that run functions, against what
 * their definitions have
 */
#include "format/tensorflow/tf_callers.h"

#include "support/hostile.h"

static bool has_argument(const struct tn_vocab_arg *args, uint32_t count,
                         struct tn_bytes name)
{
    for (uint32_t i = 0; i < count; i++)
        if (tn_bytes_equal(args[i].name, name))
            return true;
    return false;
}

static bool is_word(const struct tn_vocab_op *op, bool is_output,
                    struct tn_bytes word)
{
    char name[64] = "";

    memcpy(name, word.data, word.size);
    switch (name[0]) {
    case ':': return tn_dtype_find(name + 1) != TN_UNDEFINED;
    case '=': return tn_vocab_find_attr(op, tn_text(name + 1)) != NULL;
    case '.':
        return !strcmp(name, ".any") ||
               (!strcmp(name, ".elements") && !is_output &&
                tn_bytes_is(op->inputs[0].name, "input_dataset"));
    default:
        return is_output ? has_argument(op->outputs, op->output_count, word)
                         : has_argument(op->inputs, op->input_count, word);
    }
}

static void hold_words(const struct tn_tf_caller *row,
                       const struct tn_vocab_op *op, const char *words,
                       bool is_output)
{
    while (*words) {
        size_t size = strcspn(words, " ");
        if (!is_word(op, is_output, tn_bytes(words, size)))
            fail_msg("%s.%s: '%.*s'", row->type, row->attr, (int)size, words);
        words += size + (words[size] == ' ');
    }
}

static void rows_are_what_operators_have(void **state)
{
    struct tn_error            error = TN_ERROR_INIT;
    struct tn_memory           memory;
    struct tn_arena            arena;
    struct tn_vocab            vocab;
    uint32_t                   count;
    const struct tn_tf_caller *rows = tn_tf_callers(&count);

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_arena_init(&arena, &memory);
    assert_int_equal(tn_vocab_open(&vocab, &arena, "tensorflow", &error),
                     TN_OK);
    for (uint32_t i = 0; i < count; i++) {
        const struct tn_vocab_op *op = tn_vocab_find(
            &vocab, tn_text(""), tn_text(rows[i].type), INT32_MAX, &error);
        const struct tn_vocab_attr *attr = NULL;
        if (op)
            attr = tn_vocab_find_attr(op, tn_text(rows[i].attr));
        if (!attr ||
            !tn_bytes_is(attr->type,
                         rows[i].does & TN_TF_LIST ? "list(func)" : "func"))
            fail_msg("%s has no function '%s'", rows[i].type, rows[i].attr);
        hold_words(&rows[i], op, rows[i].takes, false);
        hold_words(&rows[i], op, rows[i].gives, true);
    }
    tn_arena_done(&arena);
}

static const struct tn_tf_caller *first_row(const char *type)
{
    uint32_t                   count;
    const struct tn_tf_caller *row = tn_tf_callers(&count);

    for (; count && strcmp(row->type, type); row++)
        count--;
    assert_true(count > 0);
    return row;
}

static void functions_have_numbers(void **state)
{
    const struct tn_tf_caller *loop = first_row("While");
    const struct tn_tf_caller *last = first_row("Case");
    uint32_t                   place;

    (void)state;
    assert_string_equal(tn_tf_caller_at(loop, 0, &place)->attr, "cond");
    assert_string_equal(tn_tf_caller_at(loop, 1, &place)->attr, "body");
    assert_int_equal(place, 0);
    assert_null(tn_tf_caller_at(loop, 2, &place));
    assert_string_equal(tn_tf_caller_at(last, 7, &place)->attr, "branches");
    assert_int_equal(place, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_what_operators_have),
        cmocka_unit_test(functions_have_numbers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
