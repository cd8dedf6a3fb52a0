/* remote_stride_test.c - where a walk goes on */
#include "io/remote_stride.h"

#include "support/hostile.h"

/* How many of `count` jumps by these distances, again and again, were the first
 * that was predicted. */
static unsigned walk(struct tn_strides *s, const uint64_t *distances,
                     unsigned period, unsigned count)
{
    uint64_t at   = s->last ? s->last : 1000;
    unsigned hits = 0;

    for (unsigned i = 0; i < count; i++) {
        at += distances[i % period] + i % 3; /* names differ in length */
        if (s->next_count && at < s->next[0] + TN_STRIDE_SLACK &&
            at + TN_STRIDE_SLACK > s->next[0])
            hits++;
        tn_strides_jump(s, s->last + 300, at);
    }
    return hits;
}

static void test_repeats(void **state)
{
    static const uint64_t same[]   = { 5000000 };
    static const uint64_t layers[] = { 4000000, 4000000,  16000000,
                                       20000,   16000000, 4000000 };
    struct tn_strides     s        = { 0 };

    (void)state;
    assert_true(walk(&s, same, 1, 100) >= 97);
    s = (struct tn_strides){ 0 };
    assert_true(walk(&s, layers, 6, 600) >= 580);
    assert_int_equal(s.next_count, TN_STRIDE_MOST);
    assert_true(s.here >= 300 && s.here < 310);
    assert_true(s.stays[0] >= 300 && s.stays[0] < 310);
    /* More than are remembered. */
    assert_true(walk(&s, layers, 6, 6 * TN_STRIDES) >= 6 * TN_STRIDES - 20);
}

static void test_surprises(void **state)
{
    struct tn_strides s  = { 0 };
    uint64_t          at = 1;

    (void)state;
    for (unsigned i = 1; i < 300; i++) { /* nothing is like before */
        at += (uint64_t)i * i * 1000;
        tn_strides_jump(&s, at, at);
        assert_int_equal(s.next_count, 0);
    }
    tn_strides_jump(&s, 5, 5); /* back */
    assert_int_equal(s.next_count, 0);
    for (unsigned i = 0; i < 5; i++)
        tn_strides_jump(&s, UINT64_MAX - i, i % 2 ? UINT64_MAX : 7);
    assert_true(s.next_count <= TN_STRIDE_MOST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_repeats),
        cmocka_unit_test(test_surprises),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
