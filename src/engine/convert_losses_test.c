/* convert_losses_test.c - the list of losses, its kinds, and who judges it */
#include "engine/convert_losses.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* clang-format off */
static const struct {
    const char *what, *kind;
} cases[] = {
    { "left behind: texts about the model: licence",              "text" },
    { "left behind: comments at the beginning of the text: # MIT", "text" },
    { "left behind: NodeProto.doc_string (2 times)",              "field" },
    { "left behind: fields of GraphDef that its schema does not have", "field" },
    { "left behind: attributes op_role (3), which no rule reads", "attribute" },
    { "attribute 'x' is dropped: mine.rules:3 does not name it",  "attribute" },
    { "left behind: an operator that only runs by a control dependency", "operator" },
    { "left behind: an operator that no signature needs",         "operator" },
    { "left behind: a function that no output needs",             "function" },
    { "a known mistake of the mapper of MaxPool: x is dropped",   "rule" },
    { "element 1 of attribute 'pads' = [0, 1] of Conv is ignored by the mapper at a:1", "rule" },
    { "left behind: a signature",                                 "signature" },
    { "left behind: the value of a variable, which is not frozen", "variable" },
    { "left behind: a tensor that no output needs",               "tensor" },
    { "left behind: safetensors has no strings",                  "tensor" },
    { "bfloat16 is written as uint16",                            "tensor" },
    { "strings lose the zeros at their end",                      "tensor" },
    { "left behind: a shape that numpy cannot have",              "tensor" },
    { "left behind: 1 array that is not read here, 'a'",          "tensor" },
    { "left behind: 2 entries that are not arrays, such as 'b'",  "file" },
    { "the graph is left behind: 2 nodes",                        "graph" },
    { "left behind: the graph for the tags 'train'",              "graph" },
    { "left behind: a file of the SavedModel",                    "file" },
    { "the other tags are left behind",                               "tag" },
    { "left behind: the training configuration",                  "training" },
    { "left behind: what the updater keeps of a parameter",       "training" },
    { "left behind: what the optimizer and the checkpoint keep: 4 tensors; --all-tensors writes them", "training" },
    { "left behind: constants of the graph: 9 tensors; --all-tensors writes them", "tensor" },
    { "left behind: the role of a trained variable",              "role" },
    { "left behind: the role of a loss variable",                 "role" },
    { "left behind: the example value of a placeholder",          "value" },
    { "left behind: control dependencies of an operation",        "control" },
    { "left behind: the scope of an operation",                   "scope" },
    { "left behind: how the graph is to be executed",             "configuration" },
    { "an input of ragged sequences: Paddle 3 knows none",        "end" },
    { "an output of unknown rank: ONNX requires a shape there", "end" },
    { "Assert: checks only",                                      "effect" },
    { "AssignVariableOp: changes a variable for the next run",    "effect" },
    { "",                                                         "other" },
    { "left behind: something. Else",                             "other" },
};
/* clang-format on */

static void each_has_its_kind(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (strcmp(tn_loss_kind(cases[i].what), cases[i].kind) != 0)
            fail_msg("%s: %s, not %s", cases[i].what,
                     tn_loss_kind(cases[i].what), cases[i].kind);
}

static void count_one(void *context, uint64_t offset, const char *where,
                      const char *what)
{
    unsigned *heard = context;

    assert_true(offset == 7 || offset == TN_NOWHERE);
    assert_string_equal(where, *heard ? "second" : "first");
    assert_string_equal(what, "left behind");
    ++*heard;
}

/* Whatever its kind, a loss is an error to a strict conversion, and only there.
 */
static void strict_is_for_all_kinds(void **state)
{
    struct tn_memory memory;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        struct tn_convert_options convert = { .is_strict = i % 2 };
        struct tn_error           error   = TN_ERROR_INIT;
        struct tn_losses          losses;
        tn_losses_init(&losses, &memory, &convert, &error);
        assert_int_equal(tn_losses_refuse(&losses), TN_OK);
        tn_losses_add(&losses, TN_NOWHERE, "place", cases[i / 2].what);
        assert_int_equal(tn_losses_refuse(&losses),
                         i % 2 ? TN_UNSUPPORTED : TN_OK);
        assert_true(!(i % 2) || strstr(error.what, "1 thing would be lost"));
        assert_true(!(i % 2) || strstr(error.what, "place"));
        tn_losses_done(&losses);
    }
    assert_int_equal(memory.used, 0);
}

static void the_caller_hears_all_in_order(void **state)
{
    unsigned                  heard   = 0;
    struct tn_convert_options convert = { .loss         = count_one,
                                          .loss_context = &heard,
                                          .is_strict    = true };
    struct tn_error           error   = TN_ERROR_INIT;
    struct tn_memory          memory;
    struct tn_losses          losses;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_losses_init(&losses, &memory, &convert, &error);
    tn_losses_add(&losses, 7, "first", "left behind");
    tn_losses_add(&losses, TN_NOWHERE, "second", "left behind");
    assert_int_equal(heard, 2);
    assert_int_equal(losses.rows.count, 2);
    assert_int_equal(tn_losses_refuse(&losses), TN_UNSUPPORTED);
    assert_non_null(strstr(error.what, "2 things would be lost"));
    assert_non_null(strstr(error.what, "first: left behind, ..."));
    tn_losses_done(&losses);
}

/* A vocabulary that became a table of the graph is in the result. */
static void files_that_became_constants_are_no_loss(void **state)
{
    struct tn_convert_options convert = { 0 };
    struct tn_error           error   = TN_ERROR_INIT;
    struct tn_memory          memory;
    struct tn_losses          losses;
    struct tn_list            taken;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_list_init(&taken, &memory, sizeof(struct tn_bytes));
    *tn_list_push(&taken, struct tn_bytes, &error) = tn_text("words.txt");
    tn_losses_init(&losses, &memory, &convert, &error);
    losses.files_taken = &taken;
    tn_losses_add(&losses, TN_NOWHERE, "assets/words.txt", "left behind");
    tn_losses_add(&losses, TN_NOWHERE, "words.txt", "left behind");
    tn_losses_add(&losses, TN_NOWHERE, "assets/words", "left behind");
    assert_int_equal(losses.rows.count, 2);
    tn_losses_done(&losses);
    tn_list_done(&taken);
    assert_int_equal(memory.used, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_has_its_kind),
        cmocka_unit_test(files_that_became_constants_are_no_loss),
        cmocka_unit_test(strict_is_for_all_kinds),
        cmocka_unit_test(the_caller_hears_all_in_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
