/* memo_test.c - what is remembered is the very bytes, and what they were for */
#include "support/hostile.h"

#include "base/memo.h"

static struct tn_memo memo;
static const char     one[1], other[1]; /* what bytes can be about            */

static bool has(struct tn_bytes bytes, const void *about)
{
    return tn_memo_has(&memo, tn_memo_slot(bytes), bytes, about);
}

static void keep(struct tn_bytes bytes, const void *about)
{
    tn_memo_keep(&memo, tn_memo_slot(bytes), bytes, about);
}

static void knows_what_it_was_told(void **state)
{
    static const char twin[] = "axis=1";

    (void)state;
    memo = (struct tn_memo){ 0 };
    assert_false(has(tn_text("axis=1"), one));
    keep(tn_text(twin), one);
    assert_true(has(tn_text("axis=1"), one));
    assert_false(has(tn_text("axis=1"), other));
    assert_false(has(tn_text("axis=2"), one));
    assert_false(has(tn_text("axis="), one));
}

/* More than there are places: every answer must still be right, and what was
 * told last is there. */
static void forgets_but_does_not_err(void **state)
{
    static uint32_t words[4 * TN_MEMO_SLOTS];
    uint32_t        known = 0;

    (void)state;
    memo = (struct tn_memo){ 0 };
    for (uint32_t i = 0; i < 4 * TN_MEMO_SLOTS; i++) {
        words[i]             = i * 2;
        struct tn_bytes word = tn_bytes(&words[i], sizeof words[i]);
        keep(word, one);
        assert_true(has(word, one));
    }
    for (uint32_t i = 0; i < 8 * TN_MEMO_SLOTS; i++) {
        bool is_known = has(tn_bytes(&i, sizeof i), one);
        assert_false(is_known && i % 2);
        known += is_known;
    }
    assert_in_range(known, TN_MEMO_SLOTS / 2, TN_MEMO_SLOTS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_what_it_was_told),
        cmocka_unit_test(forgets_but_does_not_err),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
