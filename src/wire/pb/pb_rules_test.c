/* pb_rules_test.c - which fields count */
#include "wire/pb/pb_rules.h"

#include "support/hostile.h"

static const struct tn_pb_field_type members[] = {
    { .name = "a", .oneof = 0 },
    { .name = "b", .oneof = 0 },
    { .name = "c", .oneof = 1 },
    { .name = "d", .oneof = -1 },
};

/* Fields in the order of the wire, and under those that count a mark. */
static const struct {
    const char *fields, *count;
} cases[] = {
    { "a", "^" },       { "ab", " ^" },         { "aab", "  ^" },
    { "baa", " ^^" },   { "aba", "  ^" },       { "aca", "^^^" },
    { "ddad", "^^^^" }, { "abcabd", "  ^ ^^" }, { "bbb?", "^^^^" },
};

static void the_last_member_clears_the_others(void **state)
{
    const struct tn_pb_message type = { .oneof_count = 2 };
    struct tn_memory           memory;
    struct tn_error            error = TN_ERROR_INIT;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tn_pb_oneofs oneofs;
        assert_true(tn_pb_oneofs_init(&oneofs, &type, &memory, &error));
        for (size_t k = strlen(cases[i].fields); k-- > 0;) {
            char c = cases[i].fields[k];
            assert_int_equal(
                tn_pb_oneofs_keep(&oneofs, c == '?' ? NULL : &members[c - 'a']),
                cases[i].count[k] == '^');
        }
        tn_pb_oneofs_done(&oneofs);
    }
    assert_true(tn_pb_share_oneof(&members[0], &members[1]));
    assert_false(tn_pb_share_oneof(&members[0], &members[0]));
    assert_false(tn_pb_share_oneof(&members[0], &members[2]));
    assert_false(tn_pb_share_oneof(&members[3], &members[3]));
}

static void numbers_have_the_order_of_their_type(void **state)
{
    (void)state;
    assert_true(tn_pb_compare_numbers(TN_PB_INT64, (uint64_t)-1, 0) < 0);
    assert_true(tn_pb_compare_numbers(TN_PB_UINT64, (uint64_t)-1, 0) > 0);
    assert_true(tn_pb_compare_numbers(TN_PB_BOOL, 0, 1) < 0);
    assert_int_equal(tn_pb_compare_numbers(TN_PB_SINT32, 7, 7), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_member_clears_the_others),
        cmocka_unit_test(numbers_have_the_order_of_their_type),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
