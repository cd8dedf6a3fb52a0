/* diff_transpose_test.c - which order of axes makes one tensor of another */
#include "diff/diff_transpose.h"

#include "support/hostile.h"

static const struct {
    const char *name;
    uint32_t    rank;
    uint64_t    left_dims[3], right_dims[3];
    const char *left, *right; /* uint8 */
    bool        is_found;
    uint32_t    axes[3];
} cases[] = {
    { "the same", 2, { 2, 3 }, { 2, 3 }, "abcdef", "abcdef", true, { 0, 1 } },
    { "turned", 2, { 2, 3 }, { 3, 2 }, "abcdef", "adbecf", true, { 1, 0 } },
    { "of another order", 2, { 2, 3 }, { 3, 2 }, "abcdef", "abcdef", false,
      { 0 } },
    { "square", 2, { 2, 2 }, { 2, 2 }, "abcd", "acbd", true, { 1, 0 } },
    { "three axes", 3, { 1, 2, 3 }, { 3, 1, 2 }, "abcdef", "adbecf", true,
      { 2, 0, 1 } },
    { "other elements", 2, { 2, 2 }, { 2, 2 }, "abcd", "abce", false, { 0 } },
    { "other sizes", 2, { 2, 3 }, { 2, 2 }, "abcdef", "abcd", false, { 0 } },
    { "a row", 1, { 3 }, { 3 }, "abc", "abc", true, { 0 } },
};

static struct tn_elements elements_of(struct tn_source *source, uint32_t rank,
                                      const uint64_t *dims, const char *bytes,
                                      struct tn_memory *memory)
{
    struct tn_elements made = { .shape = { TN_UINT8, rank, dims } };

    tn_source_memory(source, memory, tn_text(bytes));
    made.payload = tn_payload_raw(
        &made.shape, (struct tn_span){ source, 0, source->size }, 1);
    return made;
}

static void orders_are_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tn_error  error = TN_ERROR_INIT;
        struct tn_memory memory;
        struct tn_source sources[2];
        uint32_t         axes[TN_DIFF_AXES];
        tn_memory_init(&memory, NULL, 0);
        struct tn_elements left =
            elements_of(&sources[0], cases[i].rank, cases[i].left_dims,
                        cases[i].left, &memory);
        struct tn_elements right =
            elements_of(&sources[1], cases[i].rank, cases[i].right_dims,
                        cases[i].right, &memory);
        bool is_found =
            tn_diff_transposed(&left, &right, &memory, axes, &error);
        if (is_found != cases[i].is_found || tn_failed(&error))
            fail_msg("%s", cases[i].name);
        for (uint32_t k = 0; is_found && k < cases[i].rank; k++)
            assert_int_equal(axes[k], cases[i].axes[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(orders_are_found) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
