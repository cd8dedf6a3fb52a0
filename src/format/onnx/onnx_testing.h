/* onnx_testing.h - opening, writing and checking models, for the tests here */
#ifndef TN_FORMAT_ONNX_TESTING_H
#define TN_FORMAT_ONNX_TESTING_H

#include "support/hostile.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "codec/crc32.h"
#include "format/format.h"
#include "format/onnx/onnx.h"

extern const struct tn_format tn_format_onnx;
extern const struct tn_format tn_format_onnx_tensor;

#define SHARED TN_SHARED_DATA "/onnx/"

struct opened {
    struct tn_memory memory;
    struct tn_bundle bundle;
    struct tn_model  model;
    struct tn_error  error;
    struct tn_source bytes; /* for a model in memory */
};

/* The status of opening; a failed one needs no closing. */
static inline enum tn_status open_bundle(struct opened          *o,
                                         const struct tn_format *format,
                                         bool                    wants_graph)
{
    tn_model_init(&o->model, &o->memory);
    o->model.wants_graph = wants_graph;
    if (format->open(&o->bundle, &o->model, &o->error) == TN_OK)
        tn_model_finish(&o->model, &o->error);
    if (tn_failed(&o->error)) {
        tn_model_done(&o->model);
        tn_bundle_close(&o->bundle);
    }
    return o->error.status;
}

static inline enum tn_status open_path(struct opened *o, const char *path,
                                       bool keep_unmapped)
{
    struct tn_bundle_options how = { .keep_unmapped = keep_unmapped };

    o->error = (struct tn_error)TN_ERROR_INIT;
    tn_memory_init(&o->memory, NULL, 0);
    if (tn_bundle_open(&o->bundle, &o->memory, path, &how, &o->error) != TN_OK)
        return o->error.status;
    return open_bundle(o, &tn_format_onnx, true);
}

static inline void close_model(struct opened *o)
{
    tn_model_done(&o->model);
    tn_bundle_close(&o->bundle);
    assert_int_equal(o->memory.used, 0);
}

static inline void must_open(struct opened *o, const char *path)
{
    if (open_path(o, path, false) != TN_OK)
        fail_msg("%s: %s at %" PRIu64 " in '%s'", path, o->error.what,
                 o->error.offset, o->error.where);
}

static inline bool has_shared_data(void)
{
    if (access(SHARED "README.md", R_OK) == 0)
        return true;
    print_message("skipped: wants real models\n");
    return false;
}

/* CRC-32 of the elements of a tensor of fixed size. */
static inline uint32_t tensor_crc(const struct tn_tensor *tensor,
                                  struct tn_error        *error)
{
    uint64_t size  = tn_tensor_size(tensor);
    uint8_t *bytes = malloc((size_t)size + 1);

    assert_non_null(bytes);
    if (tn_tensor_read(tensor, 0, bytes, (size_t)size, error) != TN_OK)
        fail_msg("%s", error->what);
    uint32_t crc = tn_crc32(0, bytes, (size_t)size);
    free(bytes);
    return crc;
}

/* A fresh folder; remove_folder() when done. */
static inline const char *make_folder(char *path, size_t size)
{
    snprintf(path, size, "%s/tenon-onnx-XXXXXX",
             getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    assert_non_null(mkdtemp(path));
    return path;
}

static inline void remove_folder(const char *path)
{
    char command[600];

    snprintf(command, sizeof command, "rm -rf '%s'", path);
    assert_int_equal(system(command), 0);
}

/* Writes to a path, with or without weights in an external file. */
static inline enum tn_status write_path(const struct tn_model *model,
                                        const char *path, const char *external,
                                        bool is_inline, uint64_t threshold,
                                        uint64_t *moved, struct tn_error *error)
{
    struct tn_output_options how     = { .can_replace = true };
    struct tn_output        *output  = NULL;
    struct tn_write_options  options = { .external      = external,
                                         .is_inline     = is_inline,
                                         .threshold     = threshold,
                                         .tensors_moved = moved };

    *moved = 0;
    if (tn_output_file(&output, model->memory, path, &how, error) == TN_OK &&
        tn_format_onnx.write(model, &options, output, error) == TN_OK)
        tn_output_commit(output, error);
    tn_output_close(output);
    return error->status;
}

static inline void must_write(const struct tn_model *model, const char *path,
                              const char *external, bool is_inline,
                              uint64_t threshold, uint64_t *moved)
{
    struct tn_error error = TN_ERROR_INIT;

    if (write_path(model, path, external, is_inline, threshold, moved,
                   &error) != TN_OK)
        fail_msg("%s: %s in '%s'", path, error.what, error.where);
}

/* Same number, names, types, shapes and elements of all tensors. */
static inline void same_tensors(struct opened *a, struct opened *b)
{
    assert_int_equal(a->model.tensors.count, b->model.tensors.count);
    for (uint64_t i = 0; i < a->model.tensors.count; i++) {
        const struct tn_tensor *x = tn_model_tensor(&a->model, i);
        const struct tn_tensor *y = tn_model_tensor(&b->model, i);
        char                    at[300], there[300];

        tn_tensor_path(x, at, sizeof at);
        tn_tensor_path(y, there, sizeof there);
        assert_string_equal(at, there);
        assert_true(tn_bytes_equal(tn_tensor_name(x), tn_tensor_name(y)));
        assert_int_equal(tn_tensor_dtype(x), tn_tensor_dtype(y));
        assert_int_equal(tn_tensor_count(x), tn_tensor_count(y));
        assert_int_equal(tn_tensor_rank(x), tn_tensor_rank(y));
        if (tn_dtype_size(tn_tensor_dtype(x)))
            assert_int_equal(tensor_crc(x, &a->error),
                             tensor_crc(y, &b->error));
    }
}

#endif
