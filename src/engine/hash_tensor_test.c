/* hash_tensor_test.c - a tensor's identity does not depend on where it is stored */
#define _GNU_SOURCE
#include <stdio.h>

#include "support/little_models.h"

/* sha256(b"tenon.tensor/1\0float32\0" + pack("<QQff", 1, 2, 1, 2)) */
static const char expected[] = 
    "dc18e27ec35fe161432f0fb8ad1ad81b458430b24d05049b58e0388b1576c910";

static void hash_of(struct tn_scratch *scratch, const char *name, char hex[65])
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_model *model;
    uint8_t          digest[1][TN_HASH_SIZE];

    assert_int_equal(
        tn_model_open(&model, tn_in_scratch(scratch, name), NULL, &error),
        TN_OK);
    assert_int_equal(tn_model_tensor_count(model), 1);
    assert_int_equal(tn_model_hash(model, NULL, digest, &error), TN_OK);
    for (int i = 0; i < TN_HASH_SIZE; i++)
        snprintf(hex + 2 * i, 3, "%02x", digest[0][i]);
    tn_model_close(model);
}

static void is_the_same_in_every_format(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    char              hex[65];

    (void)state;
    tn_make_model(&scratch, "a.onnx", little_onnx);
    hash_of(&scratch, "a.onnx", hex);
    assert_string_equal(hex, expected);
    tn_make_model(&scratch, "a.pb", little_graph);
    hash_of(&scratch, "a.pb", hex);
    assert_string_equal(hex, expected);
    tn_scratch_close(&scratch);
}

/* A gigabyte of zeros in a hundred bytes. */
static const char many_zeros[] =
    "node { name: \"z\" op: \"Const\"\n"
    "  attr { key: \"dtype\" value { type: DT_FLOAT } }\n"
    "  attr { key: \"value\" value { tensor { dtype: DT_FLOAT\n"
    "    tensor_shape { dim { size: 268435456 } } } } } }\n"
    "versions { producer: 1087 min_consumer: 12 }\n";

static int stop_at_once(void *context, const char *doing, uint64_t done,
                        uint64_t total)
{
    uint64_t *first = context;

    (void)doing;
    assert_int_equal(total, UINT64_C(1) << 30);
    *first = done;
    return 1;
}

/* Few bytes can stand for many; to stop must not wait for the last of them. */
static void stops_inside_a_tensor(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    struct tn_error   error   = TN_ERROR_INIT;
    uint64_t          done    = 0;
    struct tn_options options = { .progress         = stop_at_once,
                                  .progress_context = &done };
    struct tn_model  *model;
    uint8_t           digest[1][TN_HASH_SIZE];

    (void)state;
    tn_make_model(&scratch, "z.pb", many_zeros);
    assert_int_equal(tn_model_open(&model, tn_in_scratch(&scratch, "z.pb"),
                                   NULL, &error),
                     TN_OK);
    assert_int_equal(tn_model_hash(model, &options, digest, &error),
                     TN_CANCELLED);
    assert_true(done < UINT64_C(1) << 30);
    tn_model_close(model);
    tn_scratch_close(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_the_same_in_every_format),
        cmocka_unit_test(stops_inside_a_tensor),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
