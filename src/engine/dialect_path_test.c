/* dialect_path_test.c - the shortest way over rule sets, or none */
#include "engine/dialect_path.h"

#include "support/hostile.h"

static const struct {
    const char *from, *to;
    uint32_t    steps; /* 0: there is none */
    const char *through;
} cases[] = {
    { "onnx", "nd4j", 1, "nd4j" },       { "nd4j", "onnx", 1, "onnx" },
    { "tensorflow", "nd4j", 1, "nd4j" }, { "tensorflow", "onnx", 1, "onnx" },
    { "paddle", "onnx", 1, "onnx" },     { "paddle", "nd4j", 2, "onnx" },
    { "onnx", "tensorflow", 0, NULL },   { "nd4j", "paddle", 0, NULL },
    { "onnx", "nothing", 0, NULL },
};

static void paths_are_the_shortest(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tn_error        error = TN_ERROR_INIT;
        struct tn_dialect_path path  = { .steps = 0 };

        tn_dialect_path_find(&path, cases[i].from, cases[i].to, NULL, 0,
                             &error);
        assert_int_equal(error.status, cases[i].steps ? TN_OK : TN_UNSUPPORTED);
        assert_int_equal(path.steps, cases[i].steps);
        if (!cases[i].steps)
            continue;
        assert_string_equal(path.dialects[0], cases[i].from);
        assert_string_equal(path.dialects[1], cases[i].through);
        assert_string_equal(path.dialects[path.steps], cases[i].to);
    }
}

static void a_detour_has_more_than_one_step(void **state)
{
    struct tn_dialect_path path;

    (void)state;
    tn_dialect_path_detour(&path, "tensorflow", "onnx", NULL, 0);
    assert_int_equal(path.steps, 2);
    assert_string_equal(path.dialects[1], "nd4j");
    assert_string_equal(path.dialects[2], "onnx");
    tn_dialect_path_detour(&path, "paddle", "onnx", NULL, 0);
    assert_int_equal(path.steps, 0);
    tn_dialect_path_detour(&path, "onnx", "onnx", NULL, 0);
    assert_int_equal(path.steps, 0);
}

static void paths_are_joined(void **state)
{
    struct tn_dialect_path path = { { "a", "b" }, 1 };
    struct tn_dialect_path next = { { "b", "c", "d" }, 2 };

    (void)state;
    tn_dialect_path_join(&path, &next);
    assert_int_equal(path.steps, 3);
    assert_string_equal(path.dialects[3], "d");
    for (int i = 0; i < TN_PATH_MAX; i++)
        tn_dialect_path_join(&path, &next);
    assert_int_equal(path.steps, TN_PATH_MAX);
}

static void rules_of_the_user_are_a_way_too(void **state)
{
    struct tn_rule_text    own   = { .from = "mine", .to = "paddle" };
    struct tn_error        error = TN_ERROR_INIT;
    struct tn_dialect_path path;

    (void)state;
    tn_dialect_path_find(&path, "mine", "nd4j", &own, 1, &error);
    assert_int_equal(error.status, TN_OK);
    assert_int_equal(path.steps, 3); /* paddle, onnx, nd4j */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_are_the_shortest),
        cmocka_unit_test(a_detour_has_more_than_one_step),
        cmocka_unit_test(paths_are_joined),
        cmocka_unit_test(rules_of_the_user_are_a_way_too),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
