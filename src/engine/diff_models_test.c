/* diff_models_test.c - reports of two models, through files */
#define _GNU_SOURCE
#include <stdio.h>

#include "support/little_models.h"

static const struct tn_options with_graph = { .wants_graph = true };

struct bench {
    struct tn_scratch scratch;
    struct tn_model  *models[2];
    struct tn_diff   *diff;
    struct tn_error   error;
};

static void set_up(struct bench *b, const char *left, const char *right)
{
    *b         = (struct bench){ .error = TN_ERROR_INIT };
    b->scratch = tn_scratch_open();
    tn_make_model(&b->scratch, "left", left);
    tn_make_model(&b->scratch, "right", right);
    assert_int_equal(tn_model_open(&b->models[0],
                                   tn_in_scratch(&b->scratch, "left"),
                                   &with_graph, &b->error),
                     TN_OK);
    assert_int_equal(tn_model_open(&b->models[1],
                                   tn_in_scratch(&b->scratch, "right"),
                                   &with_graph, &b->error),
                     TN_OK);
    if (tn_diff_open(&b->diff, b->models[0], b->models[1], NULL, NULL,
                     &b->error) != TN_OK)
        fail_msg("%s: %s", b->error.where, b->error.what);
}

static void tear_down(struct bench *b)
{
    tn_diff_close(b->diff);
    tn_model_close(b->models[0]);
    tn_model_close(b->models[1]);
    tn_scratch_close(&b->scratch);
}

static void one_change(const struct bench *b, enum tn_diff_part part,
                       enum tn_diff_kind kind, const char *name)
{
    assert_int_equal(tn_diff_count(b->diff), 1);
    const struct tn_diff_change *change = tn_diff_change_at(b->diff, 0);
    assert_int_equal(change->part, part);
    assert_int_equal(change->kind, kind);
    assert_int_equal(change->name.size, strlen(name));
    assert_memory_equal(change->name.data, name, change->name.size);
    assert_null(tn_diff_change_at(b->diff, 1));
}

static char *with(const char *text, const char *old, const char *new)
{
    static char made[4096];
    const char *at = strstr(text, old);

    assert_non_null(at);
    snprintf(made, sizeof made, "%.*s%s%s", (int)(at - text), text, new,
             at + strlen(old));
    return made;
}

static void equal_models_have_no_change(void **state)
{
    struct bench b;

    (void)state;
    set_up(&b, little_onnx, little_onnx);
    assert_int_equal(tn_diff_count(b.diff), 0);
    assert_int_equal(tn_diff_summarize(b.diff).same_ops, 1);
    assert_int_equal(tn_diff_summarize(b.diff).same_tensors, 1);
    assert_int_equal(tn_diff_match_op(b.diff, 0), 0);
    assert_int_equal(tn_diff_match_op(b.diff, 1), TN_NONE);
    tear_down(&b);
}

static void each_change_is_named(void **state)
{
    struct bench b;

    (void)state;
    set_up(&b, little_onnx, with(little_onnx, "\"Add\"", "\"Sub\""));
    one_change(&b, TN_DIFF_OPERATOR, TN_DIFF_CHANGED, "sum");
    tear_down(&b);
    set_up(&b, little_onnx, with(little_onnx, "\"sum\"", "\"total\""));
    one_change(&b, TN_DIFF_OPERATOR, TN_DIFF_RENAMED, "sum");
    tear_down(&b);
    set_up(&b, little_onnx, with(little_onnx, "version: 17", "version: 18"));
    one_change(&b, TN_DIFF_VERSION, TN_DIFF_CHANGED, "ai.onnx");
    tear_down(&b);
    set_up(&b, little_onnx, with(little_onnx, "\"test\"", "\"else\""));
    one_change(&b, TN_DIFF_METADATA, TN_DIFF_CHANGED, "producer");
    tear_down(&b);
    set_up(&b, little_onnx, with(little_onnx, "\\000@", "@@"));
    one_change(&b, TN_DIFF_TENSOR, TN_DIFF_CHANGED, "w");
    tear_down(&b);
    set_up(&b, little_graph,
           with(little_graph, "float_val: 2", "float_val: 3"));
    one_change(&b, TN_DIFF_TENSOR, TN_DIFF_CHANGED, "w");
    assert_true(tn_diff_change_at(b.diff, 0)->max_absolute == 1);
    assert_int_equal(tn_diff_change_at(b.diff, 0)->changed_count, 1);
    tear_down(&b);
}

/* Weights are compared; operators are not those of one framework. */
static void frameworks_share_tensors(void **state)
{
    struct bench b;

    (void)state;
    set_up(&b, little_onnx, little_graph);
    assert_false(tn_diff_summarize(b.diff).has_ops);
    assert_int_equal(tn_diff_summarize(b.diff).same_tensors, 1);
    tear_down(&b);
}

static void graphs_are_needed(void **state)
{
    struct bench     b;
    struct tn_model *bare;
    struct tn_diff  *diff;

    (void)state;
    set_up(&b, little_onnx, little_onnx);
    assert_int_equal(
        tn_model_open(&bare, tn_in_scratch(&b.scratch, "left"), NULL, &b.error),
        TN_OK);
    assert_int_equal(
        tn_diff_open(&diff, b.models[0], bare, NULL, NULL, &b.error),
        TN_INVALID);
    assert_null(diff);
    tn_model_close(bare);
    tear_down(&b);
}

static void memory_is_limited(void **state)
{
    struct tn_options small = { .max_memory = 1 };
    struct bench      b;
    struct tn_diff   *diff;

    (void)state;
    set_up(&b, little_onnx, little_graph);
    for (small.max_memory = 1; small.max_memory < (1 << 20);
         small.max_memory += 997) {
        struct tn_error error = TN_ERROR_INIT;
        if (tn_diff_open(&diff, b.models[0], b.models[1], NULL, &small,
                         &error) == TN_OK)
            break;
        assert_int_equal(error.status, TN_LIMIT);
        assert_null(diff);
    }
    assert_true(small.max_memory < (1 << 20));
    tn_diff_close(diff);
    tear_down(&b);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_models_have_no_change),
        cmocka_unit_test(each_change_is_named),
        cmocka_unit_test(frameworks_share_tensors),
        cmocka_unit_test(graphs_are_needed),
        cmocka_unit_test(memory_is_limited),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
