/* get_tensor_test.c - what is given back when a tensor cannot be given out */
#define _GNU_SOURCE
#include <stdlib.h>

#include "support/little_models.h"

/* More than fits one window, so that a failure finds it half read. */
#define LONG_STRING ((size_t)300000)

static void make_long_string(struct tn_scratch *scratch)
{
    static const char head[] = "ir_version: 8 opset_import { version: 17 }\n"
                               "graph { name: \"g\" initializer {\n"
                               "  data_type: 8 name: \"s\" string_data: \"";
    char             *text   = calloc(1, sizeof head + LONG_STRING + 16);

    assert_non_null(text);
    memcpy(text, head, sizeof head - 1);
    memset(text + sizeof head - 1, 'a', LONG_STRING);
    memcpy(text + sizeof head - 1 + LONG_STRING, "\" } }\n", 7);
    tn_make_model(scratch, "s.onnx", text);
    free(text);
}

static void every_allocation_may_fail(void **state)
{
    struct tn_scratch     scratch = tn_scratch_open();
    struct tn_get_options get     = { .form = TN_GET_TEXT };
    enum tn_status        status  = TN_NO_MEMORY;

    (void)state;
    make_long_string(&scratch);
    for (uint64_t n = 0; status == TN_NO_MEMORY; n++) {
        struct tn_budget    budget    = { .left = n };
        struct tn_allocator allocator = { tn_budget_resize, &budget };
        struct tn_options   options   = { .allocator = &allocator };
        struct tn_error     error     = TN_ERROR_INIT;
        struct tn_target    target    = {
                  .path        = tn_in_scratch(&scratch, "s.txt"),
                  .can_replace = true,
        };
        struct tn_model *model;
        tn_model_open(&model, tn_in_scratch(&scratch, "s.onnx"), &options,
                      &error);
        if (model)
            tn_get(tn_model_find(model, "s"), &get, &target, &options, &error);
        status = error.status;
        tn_model_close(model);
        assert_int_equal(budget.blocks, 0);
    }
    assert_int_equal(status, TN_OK);
    tn_scratch_close(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
