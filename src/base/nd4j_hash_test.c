/* nd4j_hash_test.c - the numbers that Deeplearning4j's own files have */
#include "base/nd4j_hash.h"

#include "support/hostile.h"

static const struct {
    const char *name;
    int64_t     number;
} cases[] = {
    { "add", INT64_C(-5176033361941572836) },
    { "matmul", INT64_C(-273014250715117663) },
    { "identity", INT64_C(1117335895801582653) },
    { "reshape", INT64_C(-299234276746112594) },
    { "conv2d", INT64_C(7325441780195652299) },
    { "softmax", INT64_C(-7532944577593734819) },
    { "Assert", INT64_C(-5500104399239369755) },
    { "lstmLayer", INT64_C(4755755275599605151) },
};

static void names_have_their_numbers(void **state)
{
    struct tn_nd4j_hasher hasher;

    (void)state;
    tn_nd4j_hasher_init(&hasher);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_true(tn_nd4j_hash(&hasher, tn_text(cases[i].name)) ==
                    cases[i].number);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_have_their_numbers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
