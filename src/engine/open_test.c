/* open_test.c - opening from files, callbacks and little memory */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>

#include "support/little_models.h"

/* ---- a source that the caller serves, and that may fail ----------------- */

struct served {
    struct tn_bytes bytes;
    uint64_t        reads, fails_at; /* 0: never */
};

static int serve(void *context, uint64_t offset, void *to, size_t size)
{
    struct served *served = context;

    if (++served->reads == served->fails_at)
        return EIO;
    memcpy(to, served->bytes.data + offset, size);
    return 0;
}

static void every_read_may_fail(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();

    (void)state;
    tn_make_model(&scratch, "a.onnx", little_onnx);
    struct tn_bytes bytes = tn_load_file(tn_in_scratch(&scratch, "a.onnx"));
    for (uint64_t n = 1;; n++) {
        struct served    served = { bytes, 0, n };
        struct tn_error  error  = TN_ERROR_INIT;
        struct tn_model *model;
        enum tn_status   status = tn_model_open_source(
              &model, "a.onnx", bytes.size, serve, &served, NULL, &error);
        if (status == TN_OK) {
            float w[2];
            assert_int_equal(served.reads < n, 1);
            served.fails_at = 0;
            assert_int_equal(tn_tensor_read(tn_model_find(model, "w"), 0, w,
                                            sizeof w, &error),
                             TN_OK);
            assert_true(w[0] == 1 && w[1] == 2);
            tn_model_close(model);
            break;
        }
        assert_int_equal(status, TN_IO);
        assert_null(model);
    }
    free((void *)(uintptr_t)bytes.data);
    tn_scratch_close(&scratch);
}

/* ---- memory that runs out ----------------------------------------------- */

static void every_allocation_may_fail(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();

    (void)state;
    tn_make_model(&scratch, "a.onnx", little_onnx);
    for (uint64_t n = 0;; n++) {
        struct tn_budget    budget    = { .left = n };
        struct tn_allocator allocator = { tn_budget_resize, &budget };
        struct tn_options   options   = { .allocator   = &allocator,
                                          .wants_graph = true };
        struct tn_error     error     = TN_ERROR_INIT;
        struct tn_model    *model;
        enum tn_status      status = tn_model_open(
                 &model, tn_in_scratch(&scratch, "a.onnx"), &options, &error);
        tn_model_close(model);
        assert_int_equal(budget.blocks, 0);
        if (status == TN_OK)
            break;
        assert_int_equal(status, TN_NO_MEMORY);
    }
    tn_scratch_close(&scratch);
}

static void a_limit_is_kept(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    struct tn_options options = { .max_memory = 1000 };
    struct tn_error   error   = TN_ERROR_INIT;
    struct tn_model  *model;

    (void)state;
    tn_make_model(&scratch, "a.onnx", little_onnx);
    assert_int_equal(tn_model_open(&model, tn_in_scratch(&scratch, "a.onnx"),
                                   &options, &error),
                     TN_LIMIT);
    assert_null(model);
    tn_scratch_close(&scratch);
}

/* ---- formats ------------------------------------------------------------ */

static const struct {
    const char    *text;
    const char    *from;
    enum tn_status status;
    const char    *format;
} cases[] = {
    { "ir_version: 8 graph { name: \"g\" }", NULL, TN_OK, "onnx" },
    { "{\"ir_version\": \"8\", \"graph\": {\"name\": \"g\"}}", NULL, TN_OK,
      "onnx" },
    { "{\"irVersion\": 8, \"graph\": {}}", NULL, TN_OK, "onnx" },
    { "node { name: \"a\" op: \"NoOp\" }", NULL, TN_OK, "tf-graph" },
    { "meta_info_def { tags: \"serve\" }", NULL, TN_OK, "tf-meta-graph" },
    { "ir_version: \"eight\"", NULL, TN_MALFORMED, NULL },
    { "hello: world", NULL, TN_NOT_FOUND, NULL },
    { "node { }", "onnx", TN_MALFORMED, NULL },
    { "node { }", "hdf5", TN_NOT_FOUND, NULL },
};

static void text_is_told_by_its_root_fields(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tn_options options = { .from = cases[i].from };
        struct tn_error   error   = TN_ERROR_INIT;
        struct tn_model  *model;
        tn_write_text(&scratch, "model", cases[i].text);
        enum tn_status status = tn_model_open(
            &model, tn_in_scratch(&scratch, "model"), &options, &error);
        if (status != cases[i].status)
            fail_msg("'%s': %s: %s", cases[i].text, tn_status_name(status),
                     error.what);
        if (model)
            assert_string_equal(tn_model_format(model), cases[i].format);
        tn_model_close(model);
    }
    tn_scratch_close(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_read_may_fail),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(a_limit_is_kept),
        cmocka_unit_test(text_is_told_by_its_root_fields),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
