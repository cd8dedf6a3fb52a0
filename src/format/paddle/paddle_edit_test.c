/*
 * paddle_edit_test.c - programs written again: untouched byte for byte, edited
 * ones in what was edited and in nothing else
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "format/paddle/paddle_testing.h"

#include <tenon/edit.h>

#define TRAIN TN_CORPUS "/paddle/train.pdmodel.txt"

static void same_bytes(const char *a, const char *b)
{
    struct tn_bytes x = tn_load_file(a), y = tn_load_file(b);

    if (!x.data || !y.data || !tn_bytes_equal(x, y))
        fail_msg("%s is not %s", b, a);
    free((void *)(uintptr_t)x.data);
    free((void *)(uintptr_t)y.data);
}

/* ---- there and back ----------------------------------------------------- */

/* The program and its parameters through every container, and the same bytes
 * at the end. */
static void travel(const char *program, const char *params)
{
    struct tn_scratch scratch;
    static const struct {
        const char *name, *layout;
    } stops[] = { { "a.pdmodel", NULL },     { "apart/__model__", NULL },
                  { "b.pdmodel.txt", NULL }, { "seed/__model__", "seed" },
                  { "c.pdmodel", "seed" },   { "d.pdmodel.txt", "shipped" },
                  { "e.pdmodel", "shipped" } };

    scratch = tn_scratch_open();
    mkdirat(scratch.folder, "apart", 0777);
    mkdirat(scratch.folder, "seed", 0777);
    struct tn_model *model = must_open(program);
    for (size_t i = 0; i < sizeof stops / sizeof stops[0]; i++) {
        must_write(model, tn_in_scratch(&scratch, stops[i].name),
                   stops[i].layout);
        tn_model_close(model);
        model = must_open(tn_in_scratch(&scratch, stops[i].name));
    }
    tn_model_close(model);
    same_bytes(tn_in_scratch(&scratch, "a.pdmodel"),
               tn_in_scratch(&scratch, "e.pdmodel"));
    same_bytes(tn_in_scratch(&scratch, "a.pdiparams"),
               tn_in_scratch(&scratch, "e.pdiparams"));
    if (params)
        same_bytes(params, tn_in_scratch(&scratch, "e.pdiparams"));
    tn_scratch_close(&scratch);
}

static void test_travel(void **state)
{
    (void)state;
    travel(TRAIN, TN_CORPUS "/paddle/train.pdiparams");
}

static void test_travel_real(void **state)
{
    static const char *const models[][2] = {
        { "mlp-mnist/__model__", NULL },
        { "text-cnn/__model__", NULL },
        { "ocr-det-db/model", "ocr-det-db/params" },
        { "face-detect/model.pdmodel", "face-detect/model.pdiparams" },
        { "image-enhance/model.pdmodel", "image-enhance/model.pdiparams" },
    };

    (void)state;
    if (access(TN_SHARED_DATA "/paddle/README.md", R_OK) != 0) {
        print_message("skipped: wants real models\n");
        return;
    }
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        char program[300], params[300];
        snprintf(program, sizeof program, "%s/paddle/%s", TN_SHARED_DATA,
                 models[i][0]);
        snprintf(params, sizeof params, "%s/paddle/%s", TN_SHARED_DATA,
                 models[i][1] ? models[i][1] : "");
        travel(program, models[i][1] ? params : NULL);
    }
}

/* ---- edits -------------------------------------------------------------- */

struct job {
    struct tn_scratch scratch;
    struct tn_model  *base;
    struct tn_edit   *edit;
    struct tn_error   error;
};

static void begin(struct job *job)
{
    job->scratch = tn_scratch_open();
    job->error   = (struct tn_error)TN_ERROR_INIT;
    job->base    = must_open(TRAIN);
    assert_int_equal(tn_edit_open(&job->edit, job->base, NULL, &job->error),
                     TN_OK);
}

/* Commits, writes, and opens what was written. */
static struct tn_model *finish(struct job *job)
{
    struct tn_model *edited;

    if (job->error.status != TN_OK)
        fail_msg("%s", job->error.what);
    assert_int_equal(tn_edit_commit(job->edit, &edited, &job->error), TN_OK);
    tn_edit_close(job->edit);
    must_write(edited, tn_in_scratch(&job->scratch, "out.pdmodel"), NULL);
    tn_model_close(edited);
    tn_model_close(job->base);
    return must_open(tn_in_scratch(&job->scratch, "out.pdmodel"));
}

static void end(struct job *job, struct tn_model *model)
{
    tn_model_close(model);
    tn_scratch_close(&job->scratch);
}

/* The program as text holds `text`, or not. */
static bool program_has(struct job *job, const char *text)
{
    struct tn_model *model =
        must_open(tn_in_scratch(&job->scratch, "out.pdmodel"));

    must_write(model, tn_in_scratch(&job->scratch, "look.pdmodel.txt"), NULL);
    tn_model_close(model);
    struct tn_bytes bytes =
        tn_load_file(tn_in_scratch(&job->scratch, "look.pdmodel.txt"));
    bool is_there = memmem(bytes.data, bytes.size, text, strlen(text)) != NULL;
    free((void *)(uintptr_t)bytes.data);
    return is_there;
}

static uint32_t op_of_type(const struct tn_model *model, const char *type)
{
    for (uint32_t i = 0; i < tn_model_op_count(model); i++)
        if (tn_bytes_is(tn_model_op(model, i).type, type))
            return i;
    fail_msg("no %s", type);
    return TN_NONE;
}

static void set(struct job *job, const char *name, struct tn_attr_value value)
{
    tn_edit_set_attr(job->edit, op_of_type(job->base, "matmul_v2"), name,
                     &value, &job->error);
}

/* Every kind of value comes back as it was set. */
static const struct {
    const char       *name;
    enum tn_attr_kind kind;
    bool              is_list;
} value_rows[] = {
    { "int", TN_ATTR_INT, false },       { "ints", TN_ATTR_INT, true },
    { "float", TN_ATTR_FLOAT, false },   { "floats", TN_ATTR_FLOAT, true },
    { "double", TN_ATTR_DOUBLE, false }, { "doubles", TN_ATTR_DOUBLE, true },
    { "string", TN_ATTR_STRING, false }, { "strings", TN_ATTR_STRING, true },
    { "bool", TN_ATTR_BOOL, false },     { "bools", TN_ATTR_BOOL, true },
    { "var", TN_ATTR_REFERENCE, false }, { "block", TN_ATTR_GRAPH, false },
};

#define VALUE_ROWS (sizeof value_rows / sizeof value_rows[0])

/* One value of the kind, or a list of two. */
static struct tn_attr_value value_of(size_t row)
{
    static const int64_t         ints[]    = { -5, INT64_C(1) << 40 };
    static const int64_t         truths[]  = { 1, 0 };
    static const float           floats[]  = { 0.5f, -2 };
    static const double          doubles[] = { 0.1, 1e300 };
    static const struct tn_bytes strings[] = { { (const uint8_t *)"a", 1 },
                                               { (const uint8_t *)"b\n", 2 } };
    bool                         is_list   = value_rows[row].is_list;
    struct tn_attr_value         value     = { .kind    = value_rows[row].kind,
                                               .is_list = is_list,
                                               .count   = is_list ? 2 : 1 };

    switch (value.kind) {
    case TN_ATTR_INT: value.of.ints = ints; break;
    case TN_ATTR_FLOAT: value.of.floats = floats; break;
    case TN_ATTR_DOUBLE: value.of.doubles = doubles; break;
    case TN_ATTR_STRING:
    case TN_ATTR_REFERENCE: value.of.strings = strings; break;
    default: value.of.ints = truths; break;
    }
    return value;
}

/* The last of the list, or the only one. */
static void expect_last(const struct tn_attr_value *got,
                        const struct tn_attr_value *want)
{
    uint32_t last = want->count - 1;

    assert_int_equal(got->kind, want->kind);
    assert_int_equal(got->is_list, want->is_list);
    assert_int_equal(got->count, want->count);
    if (got->kind == TN_ATTR_INT)
        assert_int_equal(got->of.ints[last], want->of.ints[last]);
    else if (got->kind == TN_ATTR_FLOAT)
        assert_true(got->of.floats[last] == want->of.floats[last]);
    else if (got->kind == TN_ATTR_DOUBLE)
        assert_true(got->of.doubles[last] == want->of.doubles[last]);
    else if (got->kind == TN_ATTR_STRING)
        assert_true(
            tn_bytes_equal(got->of.strings[last], want->of.strings[last]));
}

static void test_values(void **state)
{
    struct job job;

    (void)state;
    begin(&job);
    for (size_t i = 0; i < VALUE_ROWS; i++)
        set(&job, value_rows[i].name, value_of(i));
    struct tn_model *model = finish(&job);
    for (size_t i = 0; i < VALUE_ROWS; i++) {
        struct tn_attr      *attr;
        struct tn_attr_value want = value_of(i);
        assert_int_equal(tn_attr_find(&attr, model,
                                      op_of_type(model, "matmul_v2"),
                                      value_rows[i].name, &job.error),
                         TN_OK);
        expect_last(tn_attr_get(attr), &want);
        tn_attr_close(attr);
    }
    end(&job, model);
}

/* A tensor of another shape takes its variable along; the others stay. */
static void test_tensors(void **state)
{
    static const uint64_t dims[]  = { 3, 3 };
    static const float    nine[9] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };
    struct job            job;

    (void)state;
    begin(&job);
    struct tn_bytes bytes = tn_bytes(nine, sizeof nine);
    tn_edit_add_elements(job.edit, 0, "fresh", TN_FLOAT32, 2, dims, bytes,
                         &job.error);
    tn_edit_replace_tensor(job.edit, 0, "w", tn_model_find(job.base, "n"),
                           &job.error);
    tn_edit_remove_tensor(job.edit, 0, "lr", &job.error);
    struct tn_model        *model = finish(&job);
    const struct tn_tensor *fresh = tn_model_find(model, "fresh");
    float                   got[9];
    assert_non_null(fresh);
    assert_int_equal(tn_tensor_read(fresh, 0, got, sizeof got, &job.error),
                     TN_OK);
    assert_memory_equal(got, nine, sizeof nine);
    assert_int_equal(tn_tensor_dtype(tn_model_find(model, "w")), TN_INT64);
    assert_null(tn_model_find(model, "lr"));
    assert_false(program_has(&job, "name: \"lr\""));
    assert_true(program_has(&job, "name: \"w\"\n    type {\n      type: "
                                  "LOD_TENSOR\n      lod_tensor {\n        "
                                  "tensor {\n          data_type: INT64\n"));
    end(&job, model);
}

/* Arguments fill the slots that are on the wire; "@EMPTY@" stays. */
static void test_slots(void **state)
{
    static const char *const in[] = { "h" }, *const out[] = { "extra" };
    struct tn_op_spec spec = { .type         = "sigmoid",
                               .inputs       = in,
                               .input_count  = 1,
                               .outputs      = out,
                               .output_count = 1 };
    struct job        job;

    (void)state;
    begin(&job);
    uint32_t loop = op_of_type(job.base, "while");
    tn_edit_set_input(job.edit, loop, 2, "extra", &job.error);
    tn_edit_add_op(job.edit, 0, loop, &spec, NULL, &job.error);
    struct tn_model *model = finish(&job);
    assert_true(program_has(&job, "parameter: \"Condition\"\n      arguments: "
                                  "\"@EMPTY@\"\n"));
    assert_true(program_has(&job, "parameter: \"X\"\n      arguments: \"h\"\n  "
                                  "    arguments: \"extra\"\n"));
    assert_true(program_has(&job, "name: \"extra\"\n    type {"));
    assert_true(program_has(&job, "type: \"sigmoid\""));
    end(&job, model);
}

/* A name that would leave the folder is no file's. */
static void test_unsafe_names(void **state)
{
    static const char *const names[] = { "../x",  "/etc/x", "a//b",
                                         "a/./b", "a\\b",   "a/.." };
    static const float       one     = 1;

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct job       job;
        struct tn_model *edited;
        begin(&job);
        tn_edit_add_elements(job.edit, 0, names[i], TN_FLOAT32, 0, NULL,
                             tn_bytes(&one, sizeof one), &job.error);
        assert_int_equal(tn_edit_commit(job.edit, &edited, &job.error), TN_OK);
        struct tn_target target = { .path = tn_in_scratch(&job.scratch,
                                                          "__model__") };
        enum tn_status   status =
            tn_convert(edited, NULL, &target, NULL, NULL, &job.error);
        if (status != TN_INVALID)
            fail_msg("'%s': status %d", names[i], (int)status);
        assert_int_not_equal(
            access(tn_in_scratch(&job.scratch, "__model__"), F_OK), 0);
        tn_edit_close(job.edit);
        tn_model_close(job.base);
        end(&job, edited);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_travel), cmocka_unit_test(test_travel_real),
        cmocka_unit_test(test_values), cmocka_unit_test(test_tensors),
        cmocka_unit_test(test_slots),  cmocka_unit_test(test_unsafe_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
