/*
 * first_steps.c - open a model, list its tensors, read one, convert it
 *
 *   first_steps MODEL TENSOR OUT
 *
 * Whatever format MODEL has; the name of OUT says what it becomes.
 *
 *   cc first_steps.c $(pkg-config --cflags --libs tenon)
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <tenon/tenon.h>

static int fail(const struct tn_error *error)
{
    fprintf(stderr, "%s: %s%s%s\n", tn_status_name(error->status), error->where,
            error->where[0] ? ": " : "", error->what);
    return 1;
}

static void list(const struct tn_model *model)
{
    for (uint64_t i = 0; i < tn_model_tensor_count(model); i++) {
        const struct tn_tensor *tensor = tn_model_tensor(model, i);
        struct tn_bytes         name   = tn_tensor_name(tensor);

        printf("%.*s  %s  %" PRIu64 " elements\n", (int)name.size,
               (const char *)name.data, tn_dtype_name(tn_tensor_dtype(tensor)),
               tn_tensor_count(tensor));
    }
}

/* Whatever the file holds, elements come in C order and little-endian. */
static int print_floats(const struct tn_model *model, const char *name)
{
    const struct tn_tensor *tensor = tn_model_find(model, name);
    struct tn_error         error  = TN_ERROR_INIT;

    if (tensor == NULL || tn_tensor_dtype(tensor) != TN_FLOAT32) {
        fprintf(stderr, "no tensor of float32 is called '%s'\n", name);
        return 1;
    }
    size_t size   = (size_t)tn_tensor_size(tensor);
    float *values = malloc(size > 0 ? size : 1);
    if (values == NULL ||
        tn_tensor_read(tensor, 0, values, size, &error) != TN_OK) {
        free(values);
        return fail(&error);
    }
    for (size_t i = 0; i < size / sizeof *values; i++)
        printf("%g\n", (double)values[i]);
    free(values);
    return 0;
}

static int convert(const struct tn_model *model, const char *path)
{
    const struct tn_target    target  = { .path = path };
    struct tn_error           error   = TN_ERROR_INIT;
    struct tn_convert_summary summary = { 0 };

    if (tn_convert(model, NULL, &target, NULL, &summary, &error) != TN_OK)
        return fail(&error);
    printf("%s, %" PRIu64 " bytes\n", summary.format, summary.bytes_written);
    return 0;
}

int main(int argc, char **argv)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_model *model;

    if (argc != 4) {
        fprintf(stderr, "usage: first_steps MODEL TENSOR OUT\n");
        return 2;
    }
    if (tn_model_open(&model, argv[1], NULL, &error) != TN_OK)
        return fail(&error);
    list(model);
    int code = print_floats(model, argv[2]);
    if (code == 0)
        code = convert(model, argv[3]);
    tn_model_close(model);
    return code;
}
