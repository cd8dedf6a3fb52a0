/*
 * paddle_state_test.c - states, checkpoints and old models: what is in them,
 * and which files belong together
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

#include "format/paddle/paddle_testing.h"

#define CORPUS TN_CORPUS "/paddle/"

/* The elements of a tensor, as text. */
static const char *show(const struct tn_tensor *tensor)
{
    static char     text[200];
    struct tn_error error = TN_ERROR_INIT;
    size_t          at    = 0;
    unsigned        size  = tn_dtype_size(tn_tensor_dtype(tensor));
    uint8_t         bytes[200];

    text[0] = 0;
    assert_true(tn_tensor_size(tensor) <= sizeof bytes);
    if (tn_tensor_read(tensor, 0, bytes, (size_t)tn_tensor_size(tensor),
                       &error) != TN_OK)
        fail_msg("%s", error.what);
    for (uint64_t i = 0; i < tn_tensor_count(tensor); i++) {
        const void *p = bytes + i * size;
        double      value;
        switch (tn_tensor_dtype(tensor)) {
        case TN_FLOAT32: value = (double)*(const float *)p; break;
        case TN_INT16: value = *(const int16_t *)p; break;
        case TN_INT32: value = *(const int32_t *)p; break;
        default: value = (double)*(const int64_t *)p; break;
        }
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%g",
                               i ? " " : "", value);
    }
    return text;
}

/* ---- what is in a file -------------------------------------------------- */

static const struct {
    const char  *file, *tensor, *values;
    uint32_t     rank;
    enum tn_role role;
} rows[] = {
    { "protocol2.pdparams", "fc.weight", "-2.5 -1.5 -0.5 0.5 1.5 2.5", 2,
      TN_ROLE_VARIABLE },
    { "protocol2.pdparams", "fortran", "0 1 2 3 4 5", 2, TN_ROLE_VARIABLE },
    { "protocol2.pdparams", "big", "0 1000 2000 3000 4000 5000", 2,
      TN_ROLE_VARIABLE },
    { "protocol2.pdparams", "scalar", "7", 0, TN_ROLE_VARIABLE },
    { "protocol2.pdparams", "empty", "", 2, TN_ROLE_VARIABLE },
    { "protocol4.pdopt", "w_moment1_0", "1 1", 1, TN_ROLE_STATE },
    { "protocol4.pdopt", "master_weights/w", "0.5 0.5 0.5", 1, TN_ROLE_STATE },
    { "sliced.pdparams", "w", "0 1 2 3 4 5", 2, TN_ROLE_VARIABLE },
    { "sliced.pdparams", "b", "9", 1, TN_ROLE_VARIABLE },
    { "container.pdparams", "b", "0.5 -0.5", 1, TN_ROLE_VARIABLE },
    { "container.pdparams", "w", "1 2 3 4", 2, TN_ROLE_VARIABLE },
    { "rows.tensor", "rows.tensor", "1 2 3 4", 2, TN_ROLE_VARIABLE },
    { "old/__model__", "w", "1 2 3 4", 2, TN_ROLE_INITIALIZER },
    { "old/w", "w", "1 2 3 4", 2, TN_ROLE_INITIALIZER },
};

static void test_tensors(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char path[400];
        snprintf(path, sizeof path, "%s%s", CORPUS, rows[i].file);
        struct tn_model        *model  = must_open(path);
        const struct tn_tensor *tensor = tn_model_find(model, rows[i].tensor);
        if (!tensor)
            fail_msg("%s: no '%s'", rows[i].file, rows[i].tensor);
        if (strcmp(show(tensor), rows[i].values) != 0)
            fail_msg("%s: '%s' is %s", rows[i].file, rows[i].tensor,
                     show(tensor));
        assert_int_equal(tn_tensor_rank(tensor), rows[i].rank);
        assert_int_equal(tn_tensor_role(tensor), rows[i].role);
        tn_model_close(model);
    }
}

/* Slices are no tensors of their own, and neither are tables. */
static void test_counts(void **state)
{
    static const struct {
        const char *file;
        uint64_t    count;
    } counts[] = { { "sliced.pdparams", 2 },
                   { "protocol2.pdparams", 5 },
                   { "protocol4.pdopt", 2 },
                   { "old", 1 } };

    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        char path[400];
        snprintf(path, sizeof path, "%s%s", CORPUS, counts[i].file);
        struct tn_model *model = must_open(path);
        assert_int_equal(tn_model_tensor_count(model), counts[i].count);
        tn_model_close(model);
    }
}

static const char *fact_of(const struct tn_model *model, const char *key)
{
    static char text[100];

    for (uint32_t i = 0; i < tn_model_fact_count(model); i++) {
        struct tn_fact fact = tn_model_fact(model, i);
        if (!tn_bytes_is(fact.key, key))
            continue;
        snprintf(text, sizeof text, "%.*s", TN_FMT(fact.value));
        return text;
    }
    return "?";
}

static void test_facts(void **state)
{
    static const char *const facts[][2] = {
        { "LR_Scheduler/last_lr", "0.125" },
        { "LR_Scheduler/last_epoch", "3" },
        { "LR_Scheduler/verbose", "false" },
        { "LR_Scheduler/milestones/1", "2" },
        { "LR_Scheduler/name", "step" },
        { "LR_Scheduler/best", "none" },
    };
    struct tn_model *model = must_open(CORPUS "protocol4.pdopt");

    (void)state;
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++)
        assert_string_equal(fact_of(model, facts[i][0]), facts[i][1]);
    tn_model_close(model);
}

/* The pickle of 0.11 says what goes in and comes out. */
static void test_old_ends(void **state)
{
    struct tn_model *model = must_open(CORPUS "old");

    (void)state;
    assert_string_equal(tn_model_dialect(model), "paddle");
    assert_int_equal(tn_model_inputs(model).count, 1);
    assert_true(tn_bytes_is(tn_model_inputs(model).items[0].name, "x"));
    assert_true(tn_bytes_is(tn_model_outputs(model).items[0].name, "y"));
    tn_model_close(model);
}

/* ---- which files belong together ---------------------------------------- */

static void copy(struct tn_scratch *scratch, const char *from, const char *to)
{
    char path[400];
    snprintf(path, sizeof path, "%s%s", CORPUS, from);
    struct tn_bytes bytes = tn_load_file(path);
    int file = openat(scratch->folder, to, O_WRONLY | O_CREAT | O_TRUNC, 0666);

    assert_non_null(bytes.data);
    assert_true(file >= 0);
    assert_int_equal(write(file, bytes.data, bytes.size), bytes.size);
    close(file);
    free((void *)(uintptr_t)bytes.data);
}

/* Files of a folder, which of them is opened, and how many parameters with
 * data and how many other tensors there are then. */
static const struct {
    const char *name;
    const char *files[4][2];
    const char *opened;
    uint64_t    parameters, others;
} folders[] = {
    { "prefix",
      { { "train.pdmodel.txt", "m.pdmodel.txt" },
        { "train.pdiparams", "m.pdiparams" } },
      "m.pdmodel.txt",
      5,
      0 },
    { "by its parameters",
      { { "train.pdmodel.txt", "m.pdmodel.txt" },
        { "train.pdiparams", "m.pdiparams" } },
      "m.pdiparams",
      5,
      0 },
    { "the folder",
      { { "train.pdmodel.txt", "m.pdmodel.txt" },
        { "train.pdiparams", "m.pdiparams" } },
      "",
      5,
      0 },
    { "under other names",
      { { "train.pdmodel.txt", "__model__.txt" },
        { "train.pdiparams", "weights" } },
      "__model__.txt",
      5,
      0 },
    { "params",
      { { "train.pdmodel.txt", "__model__.txt" },
        { "train.pdiparams", "params" } },
      "params",
      5,
      0 },
    { "a function's own",
      { { "train.pdmodel.txt", "m.f.pdmodel.txt" },
        { "train.pdiparams", "m.f.pdiparams" } },
      "m.f.pdmodel.txt",
      5,
      0 },
    { "a checkpoint",
      { { "train.pdmodel.txt", "m.pdmodel.txt" },
        { "sliced.pdparams", "m.pdparams" } },
      "m.pdmodel.txt",
      1,
      1 },
    { "by its state, and a table of names",
      { { "train.pdmodel.txt", "m.pdmodel.txt" },
        { "protocol2.pdparams", "m.pdparams" } },
      "m.pdparams",
      1,
      4 },
    { "with an optimizer",
      { { "train.pdmodel.txt", "m.pdmodel.txt" },
        { "container.pdparams", "m.pdparams" },
        { "protocol4.pdopt", "m.pdopt" } },
      "m.pdmodel.txt",
      1,
      3 },
    { "a stranger beside it",
      { { "old/__model__", "__model__" },
        { "old/w", "w" },
        { "rows.tensor", "rows" } },
      "rows",
      0,
      1 },
    { "alone", { { "train.pdiparams", "m.pdiparams" } }, "m.pdiparams", 0, 5 },
    { "nothing to load",
      { { "train.pdmodel.txt", "m.pdmodel.txt" } },
      "m.pdmodel.txt",
      0,
      0 },
};

static void test_folders(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        struct tn_scratch scratch    = tn_scratch_open();
        uint64_t          parameters = 0, others = 0;
        for (size_t k = 0; k < 4 && folders[i].files[k][0]; k++)
            copy(&scratch, folders[i].files[k][0], folders[i].files[k][1]);
        struct tn_model *model =
            must_open(tn_in_scratch(&scratch, folders[i].opened));
        for (uint64_t k = 0; k < tn_model_tensor_count(model); k++)
            if (tn_tensor_role(tn_model_tensor(model, k)) ==
                TN_ROLE_INITIALIZER)
                parameters++;
            else
                others++;
        if (parameters != folders[i].parameters || others != folders[i].others)
            fail_msg("%s: %d parameters, %d others", folders[i].name,
                     (int)parameters, (int)others);
        tn_model_close(model);
        tn_scratch_close(&scratch);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tensors), cmocka_unit_test(test_counts),
        cmocka_unit_test(test_facts),   cmocka_unit_test(test_old_ends),
        cmocka_unit_test(test_folders),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
