/* convert_valid_test.c - which graphs a conversion refuses, and in which words
 */
#define _GNU_SOURCE
#include "engine/convert_valid.h"

#include <stdio.h>

#include <tenon/edit.h>

#include "support/little_models.h"

#define MODEL(nodes)                                                           \
    "ir_version: 8 opset_import { version: 17 } graph { name: 'g' " nodes      \
    " input { name: 'x' type { tensor_type { elem_type: 1 shape { dim { "      \
    "dim_value: 2 } } } } } output { name: 'y' type { tensor_type { "          \
    "elem_type: 1 shape { dim { dim_value: 2 } } } } } }"
#define RELU "node { op_type: 'Relu' input: 'x' output: 'y' } "
#define CAST                                                                   \
    "node { op_type: 'Cast' input: 'x' output: 'i' attribute { name: 'to' "    \
    "type: INT i: 7 } } "
#define SUM  "node { op_type: 'Add' input: 'x' input: 'i' output: 'y' } "
#define MINE "node { op_type: 'Mine' input: 'x' output: 'y' } "

#define PART                                                                   \
    "node { op_type: 'Add' input: 'x' input: 'w' output: 'y' } "               \
    "initializer { name: 'w' data_type: 1 dims: 1 float_data: 3 } "
#define AGAIN(name)                                                            \
    "initializer { name: '" name "' data_type: 1 dims: 1 float_data: 4 } "
#define PADS                                                                   \
    "node { op_type: 'MaxPool' input: 'x' output: 'y' "                        \
    "attribute { name: 'kernel_shape' type: INTS ints: 1 } "                   \
    "attribute { name: 'auto_pad' type: STRING s: 'SAME' } } "

enum { FORCED = 1, UNKNOWN = 2 };

/* clang-format off */
static const struct {
    const char *name, *text;
    int         how;
    const char *invalid; /* what tn_refuse_invalid() says; "": nothing        */
    const char *made;    /* the same of tn_refuse_made()                      */
    uint64_t    count;   /* of errors, by the first                           */
} rows[] = {
    { "a sound graph", MODEL(RELU), 0, "", "", 0 },
    { "two types", MODEL(CAST SUM), 0,
      "'x' is float32 and 'i' is int64; Add takes them in one type [type-mismatch]",
      "cannot convert to ONNX: the result would be invalid: 'x' is float32 and 'i' is int64; Add takes them in one type [type-mismatch]", 1 },
    { "two errors", MODEL(CAST SUM SUM), 0, "'y' is an output and defined already [duplicate-name] (and 2 more)", NULL, 3 },
    { "a text that no definition has", MODEL(PADS), 0, "'auto_pad' cannot be 'SAME'; it is one of 'NOTSET', 'SAME_UPPER', 'SAME_LOWER', 'VALID' [bad-attribute-value] (and 1 more)", NULL, 2 },
    { "a weight twice", MODEL(PART AGAIN("w")), 0, "'w' is defined twice [duplicate-name]", NULL, 1 },
    { "a weight that is made, too", MODEL(PART AGAIN("y")), 0, "'y' is defined twice [duplicate-name]", NULL, 1 },
    { "a weight that is no input, in an old file", "ir_version: 3 opset_import { version: 8 } graph { name: 'g' " PART
      "input { name: 'x' type { tensor_type { elem_type: 1 shape { } } } } output { name: 'y' type { tensor_type { elem_type: 1 shape { dim { } } } } } }", 0, "", NULL, 0 },
    { "two types, and on", MODEL(CAST SUM), FORCED, "", "", 1 },
    { "no such operator", MODEL(MINE), 0, "there is no operator 'Mine' [unknown-op]", "cannot convert to ONNX: the result would be invalid: there is no operator 'Mine' [unknown-op]", 1 },
    { "an operator that stays", MODEL(MINE), UNKNOWN, "", "", 0 },
    { "names that conversions invent", "ir_version: 8 opset_import { version: 17 } graph { " RELU
      "input { name: 'x' type { tensor_type { elem_type: 1 } } } output { name: 'y' } }", 0, "", NULL, 0 },
};
/* clang-format on */

struct heard {
    uint64_t count;
    char     first[200];
};

static int hear(void *context, const struct tn_finding *finding)
{
    struct heard *heard = context;

    if (heard->count++ == 0)
        snprintf(heard->first, sizeof heard->first, "%s", finding->what);
    return 0;
}

static void expect(const char *name, const struct tn_error *error,
                   enum tn_status status, const char *what)
{
    if (error->status != (what[0] ? status : TN_OK) ||
        strcmp(error->what, what))
        fail_msg("%s: %d, %s", name, error->status, error->what);
}

static void judge(struct tn_scratch *scratch, size_t i)
{
    struct heard       heard   = { 0 };
    uint64_t           count   = 0;
    struct tn_validity how     = { .is_forced      = rows[i].how & FORCED,
                                   .allows_unknown = rows[i].how & UNKNOWN,
                                   .each           = hear,
                                   .context        = &heard,
                                   .count          = &count };
    struct tn_options  options = { .wants_graph = true };
    struct tn_error    error   = TN_ERROR_INIT;
    struct tn_model   *model   = NULL;

    tn_make_model(scratch, "m.onnx", rows[i].text);
    assert_int_equal(tn_model_open(&model, tn_in_scratch(scratch, "m.onnx"),
                                   &options, &error),
                     TN_OK);
    tn_refuse_invalid(model, &how, &error);
    expect(rows[i].name, &error, TN_MALFORMED, rows[i].invalid);
    if (count != rows[i].count || heard.count != count)
        fail_msg("%s: %d errors, %d told", rows[i].name, (int)count,
                 (int)heard.count);
    if (rows[i].made) {
        error = (struct tn_error)TN_ERROR_INIT;
        tn_refuse_made(model, tn_opened_of(model)->format, &how, &error);
        expect(rows[i].name, &error, TN_UNSUPPORTED, rows[i].made);
    }
    tn_model_close(model);
}

static void what_check_finds_is_refused(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        judge(&scratch, i);
    tn_scratch_close(&scratch);
}

/* Nobody listens, and nobody counts. */
static void it_needs_no_listener(void **state)
{
    struct tn_scratch  scratch = tn_scratch_open();
    struct tn_validity how     = { 0 };
    struct tn_options  options = { .wants_graph = true };
    struct tn_error    error   = TN_ERROR_INIT;
    struct tn_model   *model   = NULL;

    (void)state;
    tn_make_model(&scratch, "m.onnx", MODEL(MINE));
    assert_int_equal(tn_model_open(&model, tn_in_scratch(&scratch, "m.onnx"),
                                   &options, &error),
                     TN_OK);
    assert_int_equal(tn_refuse_invalid(model, &how, &error), TN_MALFORMED);
    assert_string_equal(error.where, "graph.node[0]");
    tn_model_close(model);
    tn_scratch_close(&scratch);
}

/* ---- edits --------------------------------------------------------------- */

#define TWO                                                                    \
    "node { name: 'a' op_type: 'Relu' input: 'x' output: 'v' } "               \
    "node { name: 'b' op_type: 'Abs' input: 'v' output: 'y' } "
#define HOLE                                                                   \
    "node { name: 'a' op_type: 'Relu' input: 'u' output: 'v' } "               \
    "node { name: 'b' op_type: 'Abs' input: 'v' output: 'y' } "

/* clang-format off */
static const struct {
    const char *name, *text, *script, *refusal;
} edits[] = {
    { "another name", MODEL(TWO), "rename v=w", "" },
    { "nothing computes it any more", MODEL(TWO), "remove-op a",
      "the result would be invalid: 'v' is an input, but is not defined anywhere [dangling-input]" },
    { "an output that is not made", MODEL(TWO), "remove-op b",
      "the result would be invalid: 'y' is an output and not made in this graph [dangling-output]" },
    { "no such operator", MODEL(TWO), "set-op b Mine",
      "the result would be invalid: there is no operator 'Mine' [unknown-op]" },
    { "what was wrong before", MODEL(HOLE), "rename v=w", "" },
    { "one more than before", MODEL(HOLE), "set-input b 0=z",
      "the result would be invalid: 'z' is an input, but is not defined anywhere [dangling-input]" },
    { "it is repaired", MODEL(HOLE), "set-input a 0=x", "" },
    { "an operator that was unknown", MODEL(MINE), "rename x=u", "" },
};
/* clang-format on */

static void judge_edit(struct tn_scratch *scratch, size_t i)
{
    struct tn_options options = { .wants_graph = true };
    struct tn_error   error   = TN_ERROR_INIT;
    struct tn_model  *model = NULL, *made = NULL;
    struct tn_edit   *edit   = NULL;
    struct tn_target  target = { .path = tn_in_scratch(scratch, "o.onnx"),
                                 .can_replace = true };

    tn_make_model(scratch, "m.onnx", edits[i].text);
    if (tn_model_open(&model, tn_in_scratch(scratch, "m.onnx"), &options,
                      &error) != TN_OK ||
        tn_edit_open(&edit, model, NULL, &error) != TN_OK ||
        tn_edit_run(edit, tn_text(edits[i].script), &error) != TN_OK ||
        tn_edit_commit(edit, &made, &error) != TN_OK)
        fail_msg("%s: %s", edits[i].name, error.what);
    tn_edit_write(made, NULL, &target, NULL, NULL, &error);
    expect(edits[i].name, &error, TN_INVALID, edits[i].refusal);
    tn_model_close(made);
    tn_edit_close(edit);
    tn_model_close(model);
}

static void an_edit_is_judged_by_what_it_adds(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();

    (void)state;
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++)
        judge_edit(&scratch, i);
    tn_scratch_close(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_check_finds_is_refused),
        cmocka_unit_test(it_needs_no_listener),
        cmocka_unit_test(an_edit_is_judged_by_what_it_adds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
