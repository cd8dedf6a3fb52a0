/* paddle_expected_test.c - real models against the values beside them */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codec/crc32.h"
#include "support/hostile.h"

#include <tenon/tenon.h>

#define DATA TN_SHARED_DATA "/paddle/"

/* The program, and the same model by another of its names. */
static const struct {
    const char *name, *program, *folder;
} models[] = {
    { "mlp-mnist", "__model__", "" },
    { "text-cnn", "__model__", "" },
    { "ocr-det-db", "model", NULL },
    { "face-detect", "model.pdmodel", "" },
    { "image-enhance", "model.pdmodel", "" },
};

static const char *paddle_word(enum tn_dtype dtype)
{
    switch (dtype) {
    case TN_FLOAT32: return "FP32";
    case TN_INT64: return "INT64";
    case TN_INT32: return "INT32";
    default: return "?";
    }
}

static void put_dims(const struct tn_tensor *tensor, char *to, size_t size)
{
    size_t at = 0;

    to[0] = 0;
    for (uint32_t i = 0; i < tn_tensor_rank(tensor); i++)
        at += (size_t)snprintf(to + at, size - at, "%s%llu", i ? "x" : "",
                               (unsigned long long)tn_tensor_dims(tensor)[i]);
}

static uint32_t crc_of(const struct tn_tensor *tensor)
{
    struct tn_error error = TN_ERROR_INIT;
    size_t          size  = (size_t)tn_tensor_size(tensor);
    void           *bytes = malloc(size + 1);

    assert_non_null(bytes);
    assert_int_equal(tn_tensor_read(tensor, 0, bytes, size, &error), TN_OK);
    uint32_t crc = tn_crc32(0, bytes, size);
    free(bytes);
    return crc;
}

/* name dtype dims file record_offset data_offset data_bytes crc32 */
static void same_row(const struct tn_model *model, uint64_t index, char *line)
{
    const struct tn_tensor *tensor = tn_model_tensor(model, index);
    char                    dims[200], row[600];
    char                   *fields[8], *rest = line;

    for (int i = 0; i < 8; i++)
        fields[i] = strsep(&rest, "\t\n");
    struct tn_bytes name = tn_tensor_name(tensor);
    put_dims(tensor, dims, sizeof dims);
    assert_true(tn_bytes_is(name, fields[0]));
    assert_string_equal(paddle_word(tn_tensor_dtype(tensor)), fields[1]);
    assert_string_equal(dims, fields[2]);
    assert_string_equal(tn_tensor_file(tensor), fields[3]);
    assert_int_equal(tn_tensor_offset(tensor), strtoull(fields[5], NULL, 10));
    assert_int_equal(tn_tensor_size(tensor), strtoull(fields[6], NULL, 10));
    snprintf(row, sizeof row, "%08x", (unsigned)crc_of(tensor));
    assert_string_equal(row, fields[7]);
}

static void check_model(const char *name, const char *file)
{
    struct tn_error   error   = TN_ERROR_INIT;
    struct tn_options options = { .wants_graph = true };
    struct tn_model  *model;
    char              path[512], line[1024];
    uint64_t          count = 0;

    snprintf(path, sizeof path, DATA "expected/%s.params.tsv", name);
    FILE *rows = fopen(path, "r");
    assert_non_null(rows);
    snprintf(path, sizeof path, DATA "%s/%s", name, file);
    tn_model_open(&model, path, &options, &error);
    if (error.status != TN_OK)
        fail_msg("%s: %s: %s", path, error.where, error.what);
    assert_non_null(fgets(line, sizeof line, rows)); /* the heading */
    while (fgets(line, sizeof line, rows))
        same_row(model, count++, line);
    assert_int_equal(tn_model_tensor_count(model), count);
    fclose(rows);
    tn_model_close(model);
}

static void test_expected(void **state)
{
    (void)state;
    FILE *is_there = fopen(DATA "README.md", "r");
    if (!is_there) {
        print_message("skipped: wants real models\n");
        return;
    }
    fclose(is_there);
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        check_model(models[i].name, models[i].program);
        if (models[i].folder)
            check_model(models[i].name, models[i].folder);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_expected) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
