/*
 * option_sizes_test.c - public structs of options of every version
 *
 * Each struct goes through a public function that takes it: all zeros, with its
 * size, smaller than it was ever published, and larger, as a caller with newer
 * headers has it.  tests/build/sized_options.py requires a row for each.
 */
#define _GNU_SOURCE
#include <tenon/tenon.h>

#include "support/hostile.h"
#include "support/little_models.h"
#include "support/scratch.h"

static struct tn_scratch scratch;
static struct tn_model  *model; /* little_onnx */

static struct tn_target to(const char *name)
{
    return (struct tn_target){ .path        = tn_in_scratch(&scratch, name),
                               .can_replace = true };
}

typedef enum tn_status call(const void *options, struct tn_error *error);

static enum tn_status open_with(const void *options, struct tn_error *error)
{
    struct tn_model *other;

    tn_model_open(&other, tn_in_scratch(&scratch, "little.onnx"), options,
                  error);
    tn_model_close(other);
    return error->status;
}

/* A catalog takes them at once; other functions when they open a URL. */
static enum tn_status be_remote(const void *options, struct tn_error *error)
{
    const char       *path   = tn_in_scratch(&scratch, "little.onnx");
    struct tn_target  target = to("remote.ndjson");
    struct tn_options with   = { .remote = options };

    return tn_catalog(&path, 1, NULL, &target, &with, NULL, error);
}

static enum tn_status catalog(const void *options, struct tn_error *error)
{
    const char      *path   = tn_in_scratch(&scratch, "little.onnx");
    struct tn_target target = to("made.ndjson");

    return tn_catalog(&path, 1, options, &target, NULL, NULL, error);
}

static enum tn_status convert(const void *options, struct tn_error *error)
{
    struct tn_target target = to("made.onnx");

    return tn_convert(model, options, &target, NULL, NULL, error);
}

static enum tn_status map(const void *options, struct tn_error *error)
{
    struct tn_target          target = to("made.samediff");
    struct tn_convert_options how    = { .map = options };

    return tn_convert(model, &how, &target, NULL, NULL, error);
}

static enum tn_status apply(const void *options, struct tn_error *error)
{
    struct tn_target target = to("applied.onnx");

    return tn_apply(tn_in_scratch(&scratch, "little.onnx"), NULL, options,
                    &target, NULL, error);
}

static enum tn_status check(const void *options, struct tn_error *error)
{
    return tn_check(tn_in_scratch(&scratch, "little.onnx"), NULL, options, NULL,
                    NULL, NULL, error);
}

static enum tn_status get(const void *options, struct tn_error *error)
{
    struct tn_target target = to("made.npy");

    return tn_get(tn_model_tensor(model, 0), options, &target, NULL, error);
}

static enum tn_status array(const void *options, struct tn_error *error)
{
    struct tn_array *opened = NULL;

    tn_array_open(&opened, tn_model_tensor(model, 0), options, NULL, error);
    tn_array_close(opened);
    return error->status;
}

static enum tn_status dump(const void *options, struct tn_error *error)
{
    struct tn_target target = to("made.txt");

    return tn_dump(tn_in_scratch(&scratch, "little.onnx"), NULL, options,
                   &target, NULL, NULL, error);
}

static enum tn_status split(const void *options, struct tn_error *error)
{
    struct tn_target target = to("parts");

    return tn_split(tn_in_scratch(&scratch, "little.onnx"), NULL, options,
                    &target, NULL, error);
}

static enum tn_status strip(const void *options, struct tn_error *error)
{
    struct tn_target target = to("stripped.onnx");

    return tn_strip(tn_in_scratch(&scratch, "little.onnx"), NULL, options,
                    &target, NULL, error);
}

static enum tn_status tag(const void *options, struct tn_error *error)
{
    unlink(tn_in_scratch(&scratch, "tags.sdz"));
    return tn_tag_add(tn_in_scratch(&scratch, "tags.sdz"), "first", model,
                      options, NULL, NULL, error);
}

static enum tn_status view(const void *options, struct tn_error *error)
{
    struct tn_target target = to("made.html");

    return tn_view(model, options, &target, NULL, NULL, error);
}

static enum tn_status diff(const void *options, struct tn_error *error)
{
    struct tn_diff *opened = NULL;

    tn_diff_open(&opened, model, model, options, NULL, error);
    tn_diff_close(opened);
    return error->status;
}

static enum tn_status interpreter(const void *options, struct tn_error *error)
{
    struct tn_interpreter *opened = NULL;

    tn_interpreter_open(&opened, options, NULL, error);
    tn_interpreter_close(opened);
    return error->status;
}

#define ROW(type, run)                                                         \
    {                                                                          \
        sizeof(struct type), #type, run                                        \
    }

static const struct {
    size_t      size;
    const char *name;
    call       *run;
} rows[] = {
    ROW(tn_options, open_with),       ROW(tn_remote_options, be_remote),
    ROW(tn_map_options, map),         ROW(tn_interpreter_options, interpreter),
    ROW(tn_check_options, check),     ROW(tn_get_options, get),
    ROW(tn_array_options, array),     ROW(tn_dump_options, dump),
    ROW(tn_convert_options, convert), ROW(tn_split_options, split),
    ROW(tn_strip_options, strip),     ROW(tn_tag_options, tag),
    ROW(tn_view_options, view),       ROW(tn_diff_options, diff),
    ROW(tn_catalog_options, catalog), ROW(tn_apply_options, apply),
};

enum { MORE = 24 }; /* bytes that a later version adds */

/* Calls with a struct of `size` bytes, of which the last is `tail`.  Memory
 * ends where the struct does. */
static struct tn_error call_sized(call *run, size_t size, size_t bytes,
                                  uint8_t tail)
{
    uint8_t        *options = calloc(1, bytes);
    struct tn_error error   = TN_ERROR_INIT;

    assert_non_null(options);
    memcpy(options, &size, sizeof size);
    if (tail)
        options[bytes - 1] = tail;
    run(options, &error);
    free(options);
    return error;
}

static void expect(const char *name, const char *version, struct tn_error got,
                   enum tn_status status, const char *what)
{
    if (got.status != status || !strstr(got.what, what))
        fail_msg("%s, %s: %d '%s', and not %d '%s'", name, version, got.status,
                 got.what, status, what);
}

/* NULL gives the defaults.  For all but tn_strip(), which requires a choice,
 * that is success. */
static void takes_every_version(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char     *name = rows[i].name;
        const size_t    size = rows[i].size, more = size + MORE;
        call           *run  = rows[i].run;
        struct tn_error none = TN_ERROR_INIT;
        enum tn_status  good = run(NULL, &none);
        assert_int_equal(good, run == strip ? TN_INVALID : TN_OK);
        expect(name, "zeros", call_sized(run, 0, size, 0), good, none.what);
        expect(name, "this version", call_sized(run, size, size, 0), good,
               none.what);
        expect(name, "smaller than ever",
               call_sized(run, sizeof size, sizeof size, 0), TN_INVALID,
               "a struct of options has size");
        expect(name, "larger", call_sized(run, more, more, 0), good, none.what);
        expect(name, "larger, with a field that is set",
               call_sized(run, more, more, 1), TN_UNSUPPORTED,
               "leave newer fields zero");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_every_version),
    };
    struct tn_error error = TN_ERROR_INIT;

    scratch = tn_scratch_open();
    tn_make_model(&scratch, "little.onnx", little_onnx);
    struct tn_options options = { .wants_graph = true };
    if (tn_model_open(&model, tn_in_scratch(&scratch, "little.onnx"), &options,
                      &error) != TN_OK)
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    tn_model_close(model);
    tn_scratch_close(&scratch);
    return failed;
}
