/* tensor_statistics_test.c - statistics of tensors come in order, and can be
 * stopped */
#define _GNU_SOURCE
#include <stdio.h>

#include "support/little_models.h"

/* A gigabyte of zeros in a hundred bytes, and two small tensors. */
static const char some[] =
    "node { name: \"z\" op: \"Const\"\n"
    "  attr { key: \"dtype\" value { type: DT_FLOAT } }\n"
    "  attr { key: \"value\" value { tensor { dtype: DT_FLOAT\n"
    "    tensor_shape { dim { size: 134217728 } } } } } }\n"
    "node { name: \"a\" op: \"Const\"\n"
    "  attr { key: \"dtype\" value { type: DT_INT32 } }\n"
    "  attr { key: \"value\" value { tensor { dtype: DT_INT32\n"
    "    tensor_shape { dim { size: 3 } } int_val: 1 int_val: 2\n"
    "    int_val: 6 } } } }\n"
    "node { name: \"s\" op: \"Const\"\n"
    "  attr { key: \"dtype\" value { type: DT_STRING } }\n"
    "  attr { key: \"value\" value { tensor { dtype: DT_STRING\n"
    "    tensor_shape { dim { size: 2 } } string_val: \"two\"\n"
    "    string_val: \"\" } } } }\n"
    "versions { producer: 1087 min_consumer: 12 }\n";

struct bench {
    struct tn_scratch       scratch;
    struct tn_model        *model;
    const struct tn_tensor *tensors[3];
    uint64_t                told;
    double                  max[3];
};

static void set_up(struct bench *bench)
{
    struct tn_error error = TN_ERROR_INIT;

    *bench = (struct bench){ .scratch = tn_scratch_open() };
    tn_make_model(&bench->scratch, "some.pb", some);
    assert_int_equal(tn_model_open(&bench->model,
                                   tn_in_scratch(&bench->scratch, "some.pb"),
                                   NULL, &error),
                     TN_OK);
    assert_int_equal(tn_model_tensor_count(bench->model), 3);
    for (unsigned i = 0; i < 3; i++)
        bench->tensors[i] = tn_model_tensor(bench->model, i);
}

static void tear_down(struct bench *bench)
{
    tn_model_close(bench->model);
    tn_scratch_close(&bench->scratch);
}

static int hear(void *context, uint64_t index, const struct tn_statistics *s)
{
    struct bench *bench = context;

    assert_int_equal(index, bench->told);
    bench->max[bench->told++] = s->max;
    return 0;
}

static void come_in_order(void **state)
{
    struct bench    bench;
    struct tn_error error = TN_ERROR_INIT;

    (void)state;
    set_up(&bench);
    for (unsigned workers = 0; workers < 4; workers++) {
        struct tn_options options = { .workers = workers };
        bench.told                = 0;
        assert_int_equal(tn_statistics_compute(bench.model, bench.tensors + 1,
                                               2, &options, hear, &bench,
                                               &error),
                         TN_OK);
        assert_int_equal(bench.told, 2);
        assert_true(bench.max[0] == 6 && bench.max[1] == 3);
    }
    assert_int_equal(
        tn_statistics_compute(bench.model, NULL, 0, NULL, hear, &bench, &error),
        TN_OK);
    tear_down(&bench);
}

static int hear_one(void *context, uint64_t index,
                    const struct tn_statistics *s)
{
    (void)hear(context, index, s);
    return 1;
}

static void end_when_the_caller_has_enough(void **state)
{
    struct bench            bench;
    struct tn_error         error = TN_ERROR_INIT;
    const struct tn_tensor *many[100];

    (void)state;
    set_up(&bench);
    for (unsigned i = 0; i < 100; i++)
        many[i] = bench.tensors[1];
    assert_int_equal(tn_statistics_compute(bench.model, many, 100, NULL,
                                           hear_one, &bench, &error),
                     TN_OK);
    assert_int_equal(bench.told, 1);
    tear_down(&bench);
}

static int stop_at_once(void *context, const char *doing, uint64_t done,
                        uint64_t total)
{
    (void)context;
    (void)doing;
    assert_int_equal(total, (UINT64_C(512) << 20) + 12);
    assert_true(done < total);
    return 1;
}

static void can_be_stopped_inside_a_tensor(void **state)
{
    struct bench      bench;
    struct tn_error   error   = TN_ERROR_INIT;
    struct tn_options options = { .progress = stop_at_once };

    (void)state;
    set_up(&bench);
    assert_int_equal(tn_statistics_compute(bench.model, bench.tensors, 3,
                                           &options, hear, &bench, &error),
                     TN_CANCELLED);
    assert_int_equal(bench.told, 0);
    tear_down(&bench);
}

static void are_refused_for_what_expands_too_far(void **state)
{
    struct bench      bench;
    struct tn_error   error   = TN_ERROR_INIT;
    struct tn_options options = { .max_expand = 1 << 20 };

    (void)state;
    set_up(&bench);
    assert_int_equal(tn_statistics_compute(bench.model, bench.tensors, 3,
                                           &options, hear, &bench, &error),
                     TN_LIMIT);
    assert_non_null(strstr(error.where, "'z'"));
    tear_down(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(come_in_order),
        cmocka_unit_test(end_when_the_caller_has_enough),
        cmocka_unit_test(can_be_stopped_inside_a_tensor),
        cmocka_unit_test(are_refused_for_what_expands_too_far),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
