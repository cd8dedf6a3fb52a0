/*
 * freeze_model_test.c - variables of a SavedModel as constants of a GraphDef
 *
 * What the graphs compute afterwards is judged by
 * tests/judges/frozen_graphs.py. Here: what is told, what stays, and that
 * memory may end anywhere.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

#include "support/hostile.h"
#include "support/little_models.h"

/* A variable that a function reads, one that the graph writes, one that the
 * checkpoint does not have. */
static const char saved[] =
    "saved_model_schema_version: 1 meta_graphs { meta_info_def { tags: \"t\" "
    "}\n"
    "graph_def {\n"
    " node { name: \"x\" op: \"Placeholder\"\n"
    "  attr { key: \"dtype\" value { type: DT_FLOAT } } }\n"
    " node { name: \"v\" op: \"VarHandleOp\"\n"
    "  attr { key: \"dtype\" value { type: DT_FLOAT } }\n"
    "  attr { key: \"shape\" value { shape { dim { size: 2 } } } }\n"
    "  attr { key: \"shared_name\" value { s: \"v\" } } }\n"
    " node { name: \"changed\" op: \"VarHandleOp\"\n"
    "  attr { key: \"dtype\" value { type: DT_FLOAT } }\n"
    "  attr { key: \"shape\" value { shape { dim { size: 2 } } } }\n"
    "  attr { key: \"shared_name\" value { s: \"changed\" } } }\n"
    " node { name: \"write\" op: \"AssignVariableOp\" input: \"changed\"\n"
    "  input: \"x\" attr { key: \"dtype\" value { type: DT_FLOAT } } }\n"
    " node { name: \"absent\" op: \"VarHandleOp\"\n"
    "  attr { key: \"dtype\" value { type: DT_FLOAT } }\n"
    "  attr { key: \"shape\" value { shape { dim { size: 2 } } } }\n"
    "  attr { key: \"shared_name\" value { s: \"absent\" } } }\n"
    " node { name: \"read\" op: \"ReadVariableOp\" input: \"absent\"\n"
    "  attr { key: \"dtype\" value { type: DT_FLOAT } } }\n"
    " node { name: \"call\" op: \"PartitionedCall\" input: \"x\" input: \"v\"\n"
    "  input: \"^write\"\n"
    "  attr { key: \"Tin\" value { list { type: DT_FLOAT type: DT_RESOURCE } } "
    "}\n"
    "  attr { key: \"Tout\" value { list { type: DT_FLOAT } } }\n"
    "  attr { key: \"f\" value { func { name: \"f\" } } } }\n"
    " node { name: \"y\" op: \"AddV2\" input: \"call\" input: \"read\"\n"
    "  attr { key: \"T\" value { type: DT_FLOAT } } }\n"
    " node { name: \"unneeded\" op: \"Neg\" input: \"x\"\n"
    "  attr { key: \"T\" value { type: DT_FLOAT } } }\n"
    " library {\n"
    "  function { signature { name: \"f\"\n"
    "    input_arg { name: \"a\" type: DT_FLOAT }\n"
    "    input_arg { name: \"v\" type: DT_RESOURCE }\n"
    "    output_arg { name: \"z\" type: DT_FLOAT } }\n"
    "   node_def { name: \"r\" op: \"ReadVariableOp\" input: \"v\"\n"
    "    attr { key: \"dtype\" value { type: DT_FLOAT } } }\n"
    "   node_def { name: \"s\" op: \"AddV2\" input: \"a\" input: "
    "\"r:value:0\"\n"
    "    attr { key: \"T\" value { type: DT_FLOAT } } }\n"
    "   ret { key: \"z\" value: \"s:z:0\" } }\n"
    "  function { signature { name: \"train\" }\n"
    "   node_def { name: \"n\" op: \"NoOp\" } } }\n"
    " versions { producer: 1087 } }\n"
    "signature_def { key: \"serving_default\" value {\n"
    "  inputs { key: \"x\" value { name: \"x:0\" dtype: DT_FLOAT } }\n"
    "  outputs { key: \"y\" value { name: \"y:0\" dtype: DT_FLOAT } } } } }\n";

static void make_checkpoint(struct tn_scratch *scratch)
{
    const uint64_t   dims[]  = { 2 };
    const uint8_t    bytes[] = "\0\0\200?\0\0\0@"; /* 1, 2 */
    struct tn_error  error   = TN_ERROR_INIT;
    struct tn_edit  *edit    = NULL;
    struct tn_model *model   = NULL;
    struct tn_target target  = {
         .path = tn_in_scratch(scratch, "saved/variables/variables.index"),
         .can_replace = true,
    };
    static const char *const names[] = { "v", "changed", "slot" };

    tn_edit_new(&edit, "onnx", NULL, &error);
    for (unsigned i = 0; i < 3; i++)
        tn_edit_add_elements(edit, 0, names[i], TN_FLOAT32, 1, dims,
                             tn_bytes(bytes, 8), &error);
    tn_edit_commit(edit, &model, &error);
    tn_edit_close(edit);
    tn_convert(model, NULL, &target, NULL, NULL, &error);
    tn_model_close(model);
    if (error.status != TN_OK)
        fail_msg("%s: %s", error.where, error.what);
}

static void make_model(struct tn_scratch *scratch, const char *text)
{
    assert_int_equal(mkdirat(scratch->folder, "saved", 0700), 0);
    assert_int_equal(mkdirat(scratch->folder, "saved/variables", 0700), 0);
    tn_make_model(scratch, "saved/saved_model.pb", text);
    make_checkpoint(scratch);
}

/* ---- what is told ------------------------------------------------------- */

static void keep_line(void *context, uint64_t offset, const char *where,
                      const char *what)
{
    FILE *to = context;

    (void)offset;
    fprintf(to, "%s: %s\n", where, what);
}

static enum tn_status freeze(struct tn_scratch *scratch, FILE *told,
                             const struct tn_options *options, bool is_strict,
                             struct tn_error *error)
{
    struct tn_convert_options convert = { .to   = "tf-graph",
                                          .loss = told ? keep_line : NULL,
                                          .loss_context = told,
                                          .is_strict    = is_strict };
    struct tn_target target = { .path        = tn_in_scratch(scratch, "out.pb"),
                                .can_replace = true };
    struct tn_model *model  = NULL;

    *error = (struct tn_error)TN_ERROR_INIT;
    if (tn_model_open(&model, tn_in_scratch(scratch, "saved"), options,
                      error) == TN_OK)
        tn_convert(model, &convert, &target, options, NULL, error);
    tn_model_close(model);
    return error->status;
}

static struct tn_model *open_frozen(struct tn_scratch *scratch)
{
    struct tn_options options = { .wants_graph = true };
    struct tn_error   error   = TN_ERROR_INIT;
    struct tn_model  *model   = NULL;

    if (tn_model_open(&model, tn_in_scratch(scratch, "out.pb"), &options,
                      &error) != TN_OK)
        fail_msg("%s: %s", error.where, error.what);
    return model;
}

/* "VarHandleOp": how many nodes there are of the type. */
static unsigned count_ops(const struct tn_model *model, const char *type)
{
    unsigned count = 0;

    for (uint32_t i = 0; i < tn_model_op_count(model); i++)
        count += tn_bytes_is(tn_model_op(model, i).type, type);
    return count;
}

static void variables_are_frozen_or_told(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    struct tn_error   error;
    char             *told = NULL;
    size_t            size = 0;
    FILE             *to   = open_memstream(&told, &size);

    (void)state;
    make_model(&scratch, saved);
    if (freeze(&scratch, to, NULL, false, &error) != TN_OK)
        fail_msg("%s: %s", error.where, error.what);
    fclose(to);
    assert_null(strstr(told, "\nv: "));
    assert_non_null(strstr(told, "changed: left behind: the value of a "
                                 "variable, which is not frozen: this operator "
                                 "takes the variable itself: write"));
    assert_non_null(strstr(told, "absent: left behind: the value of a "
                                 "variable, which is not frozen: no entry of "
                                 "the checkpoint is restored to it"));
    assert_non_null(strstr(told, "slot: left behind: the value of a variable"));
    assert_non_null(strstr(told, "unneeded: left behind: an operator that no "
                                 "signature needs"));
    assert_non_null(strstr(told, "train: left behind: a function that no "
                                 "signature needs"));
    free(told);
    struct tn_model *frozen = open_frozen(&scratch);
    assert_int_equal(count_ops(frozen, "VarHandleOp"), 2);
    assert_int_equal(count_ops(frozen, "ReadVariableOp"), 1);
    assert_int_equal(count_ops(frozen, "Const"), 1);
    assert_int_equal(count_ops(frozen, "Identity"), 1);
    assert_int_equal(count_ops(frozen, "Neg"), 0);
    const struct tn_tensor *v = tn_model_find(frozen, "v");
    float                   value[2];
    assert_non_null(v);
    assert_int_equal(tn_tensor_read(v, 0, value, sizeof value, &error), TN_OK);
    assert_true(value[0] == 1 && value[1] == 2);
    tn_model_close(frozen);
    assert_int_equal(freeze(&scratch, NULL, NULL, true, &error),
                     TN_UNSUPPORTED);
    tn_scratch_close(&scratch);
}

/* ---- memory ------------------------------------------------------------- */

static void memory_may_end_anywhere(void **state)
{
    struct tn_scratch   scratch   = tn_scratch_open();
    struct tn_budget    budget    = { 0 };
    struct tn_allocator allocator = { tn_budget_resize, &budget };
    struct tn_options   options   = { .allocator = &allocator };
    struct tn_error     error     = { .status = TN_NO_MEMORY };

    (void)state;
    make_model(&scratch, saved);
    for (uint64_t n = 0; error.status == TN_NO_MEMORY && n < 100000; n++) {
        budget.left = n;
        freeze(&scratch, NULL, &options, false, &error);
    }
    if (error.status != TN_OK)
        fail_msg("%s: %s", error.where, error.what);
    tn_scratch_close(&scratch);
}

/* ---- strangers ---------------------------------------------------------- */

/* Each place of the text that says one word says another: references to what
 * is not there, calls with too few arguments, types that do not fit. */
static void nothing_else_crashes(void **state)
{
    static const char *const swaps[][2] = {
        { "input: \"v\"", "input: \"x\"" },
        { "input: \"x\" input: \"v\"", "input: \"v\"" },
        { "name: \"f\"", "name: \"g\"" },
        { "\"s:z:0\"", "\"r:value:0\"" },
        { "\"s:z:0\"", "\"v\"" },
        { "type: DT_RESOURCE", "type: DT_FLOAT" },
        { "op: \"ReadVariableOp\" input: \"v\"",
          "op: \"VariableShape\" input: \"v\"" },
        { "op: \"AddV2\" input: \"a\"", "op: \"f\" input: \"a\"" },
        { "op: \"PartitionedCall\"", "op: \"While\"" },
        { "op: \"PartitionedCall\"", "op: \"MapDefun\"" },
        { "key: \"serving_default\"", "key: \"__saved_model_init_op\"" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof swaps / sizeof *swaps; i++) {
        struct tn_scratch scratch = tn_scratch_open();
        const char       *at      = strstr(saved, swaps[i][0]);
        struct tn_error   error;
        char             *text = NULL;

        assert_non_null(at);
        assert_true(asprintf(&text, "%.*s%s%s", (int)(at - saved), saved,
                             swaps[i][1], at + strlen(swaps[i][0])) > 0);
        make_model(&scratch, text);
        if (freeze(&scratch, NULL, NULL, false, &error) == TN_OK)
            tn_model_close(open_frozen(&scratch));
        free(text);
        tn_scratch_close(&scratch);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variables_are_frozen_or_told),
        cmocka_unit_test(memory_may_end_anywhere),
        cmocka_unit_test(nothing_else_crashes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
