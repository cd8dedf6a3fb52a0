/* edit_dims_test.c - other sizes of inputs, and what follows */
#define _GNU_SOURCE
#include "engine/edit_dims.h"
#include "engine/edit_testing.h"

#define MODEL(nodes, tensors, in, out)                                         \
    "ir_version: 8 opset_import { version: 17 }\n"                             \
    "graph { name: \"g\"\n" nodes tensors                                      \
    "input { name: \"x\" type { tensor_type { elem_type: 1 shape {" in         \
    "} } } }\n"                                                                \
    "output { name: \"y\" type { tensor_type { elem_type: 1 shape {" out       \
    "} } } } }\n"
#define D(n) " dim { dim_value: " n " }"
#define NODE(op, in, out, more)                                                \
    "node { name: \"" op "\" op_type: \"" op "\" " in " output: \"" out        \
    "\" " more "}\n"
#define IN(name) "input: \"" name "\" "
#define AXIS(n)  "attribute { name: \"axis\" i: " n " type: INT } "
#define INTS(name, n, data)                                                    \
    "initializer { name: \"" name "\" data_type: 7 dims: " n " " data "}\n"
#define I(n) "int64_data: " n " "

static const char flatten[] =
    MODEL(NODE("Reshape", IN("x") IN("s"), "y", ""),
          INTS("s", "2", I("1") I("12")), D("1") D("3") D("4"), D("1") D("12"));
static const char folded[] =
    MODEL(NODE("Reshape", IN("x") IN("s"), "y", ""),
          INTS("s", "2", I("1") I("-1")), D("1") D("3") D("4"), D("1") D("12"));
static const char heads[] = MODEL(NODE("Reshape", IN("x") IN("s"), "y", ""),
                                  INTS("s", "3", I("3") I("1") I("4")),
                                  D("3") D("4"), D("3") D("1") D("4"));
static const char split_image[] =
    MODEL(NODE("Reshape", IN("x") IN("s"), "y", ""),
          INTS("s", "2", I("2") I("6")), D("12"), D("2") D("6"));
static const char token[] = MODEL(
    NODE("Concat", IN("x") IN("w"), "y", AXIS("1")),
    "initializer { name: \"w\" data_type: 1 dims: 1 dims: 1 float_data: 5 }\n",
    D("1") D("2"), D("1") D("3"));
static const char average[] =
    MODEL(NODE("ReduceMean", IN("x"), "y",
               "attribute { name: \"axes\" ints: 0 type: INTS }"),
          "", D("1") D("2"), D("1") D("2"));
static const char softmax_rows[] = MODEL(
    NODE("Softmax", IN("x"), "y", AXIS("0")), "", D("1") D("2"), D("1") D("2"));
static const char softmax[] = MODEL(NODE("Softmax", IN("x"), "y", AXIS("1")),
                                    "", D("1") D("2"), D("1") D("2"));
static const char whole_slice[] =
    MODEL(NODE("Slice", IN("x") IN("b") IN("e"), "y", ""),
          INTS("b", "1", I("0")) INTS("e", "1", I("3")), D("3") D("2"),
          D("3") D("2"));
static const char first_row[] =
    MODEL(NODE("Slice", IN("x") IN("b") IN("e"), "y", ""),
          INTS("b", "1", I("0")) INTS("e", "1", I("1")), D("1") D("2"),
          D("1") D("2"));
static const char weights[] =
    MODEL(NODE("MatMul", IN("x") IN("w"), "y", ""),
          "initializer { name: \"w\" data_type: 1 dims: 2 dims: 1 float_data: "
          "5 float_data: 6 }\n",
          D("1") D("2"), D("1") D("1"));
static const char filled[] = MODEL(
    NODE("Shape", IN("x"), "s", "") NODE("Expand", IN("w") IN("s"), "e", "")
        NODE("Add", IN("x") IN("e"), "y", ""),
    "initializer { name: \"w\" data_type: 1 dims: 3 dims: 1 float_data: "
    "[5, 6, 7] }\n",
    D("3") D("2"), D("3") D("2"));
static const char triangle[] =
    MODEL(NODE("Trilu", IN("x"), "y", ""), "", D("3") D("3"), D("3") D("3"));
static const char triangles[] =
    MODEL(NODE("Trilu", IN("x"), "y", ""), "", D("1") D("3") D("3"),
          D("1") D("3") D("3"));

static void check_output(const struct scene *s, const char *want)
{
    struct tn_io_list outputs  = tn_model_outputs(s->again);
    char              got[100] = "";

    for (uint32_t i = 0; i < outputs.items[0].rank; i++) {
        const struct tn_dim *dim = &outputs.items[0].dims[i];
        size_t               at  = strlen(got);
        if (dim->symbol.size)
            snprintf(got + at, sizeof got - at, "%.*s ", TN_FMT(dim->symbol));
        else
            snprintf(got + at, sizeof got - at, "%d ", (int)dim->value);
    }
    assert_string_equal(got, want);
}

static const struct {
    const char *model, *input;
    uint32_t    axis;
    int64_t     size; /* -1: "n" */
    const char *output, *refusal;
} cases[] = {
    { flatten, NULL, 0, 4, "4 12 ", NULL },
    { flatten, NULL, 0, -1, "n 12 ", NULL },
    { flatten, "x", 1, 6, "1 24 ", NULL },
    { flatten, "x", 2, -1, "1 -1 ", NULL },
    { folded, NULL, 0, 4, "4 12 ", NULL },
    { heads, "x", 0, 5, "5 1 4 ", NULL },
    { heads, "x", 0, -1, "n 1 4 ", NULL },
    { split_image, "x", 0, 24, NULL,
      "Reshape 'Reshape' does not work with size 24" },
    { token, NULL, 0, 3, "3 3 ", NULL },
    { token, NULL, 0, -1, "n 3 ", NULL },
    { average, NULL, 0, 2, NULL, "ReduceMean 'ReduceMean'" },
    { softmax_rows, NULL, 0, 2, NULL, "it combines rows" },
    { softmax, NULL, 0, 2, "2 2 ", NULL },
    { whole_slice, "x", 0, 7, "7 2 ", NULL },
    { first_row, NULL, 0, 7, NULL, "Slice 'Slice'" },
    { weights, NULL, 0, 9, "9 1 ", NULL },
    { weights, "x", 1, 3, NULL, "'MatMul' does not work" },
    { filled, "x", 1, 5, "3 5 ", NULL },
    { filled, "x", 0, 5, NULL,
      "Expand 'Expand' does not work with size 5: dimension 0 of 'w' is 3" },
    { filled, "x", 0, -1, NULL, "dimension 0 of 'w' is 3" },
    { triangle, NULL, 0, 4, NULL, "it combines rows" },
    { triangles, NULL, 0, 4, "4 3 3 ", NULL },
    { flatten, "z", 0, 9, NULL, "no input is called 'z'" },
    { flatten, "x", 3, 9, NULL, "has no dimension 3" },
    { flatten, NULL, 0, 0, NULL, "at least 1" },
};

static void sizes_follow(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene         s;
        struct tn_dim_change change = { .axis   = cases[i].axis,
                                        .size   = cases[i].size,
                                        .symbol = tn_text("n") };
        begin(&s, cases[i].model);
        if (cases[i].input) {
            change.input = tn_text(cases[i].input);
            tn_edit_change_dim(s.edit, &change, &s.error);
        } else {
            tn_edit_change_rows(s.edit, change.size, change.symbol, &s.error);
        }
        if (cases[i].refusal) {
            assert_int_not_equal(s.error.status, TN_OK);
            if (!strstr(s.error.what, cases[i].refusal))
                fail_msg("case %zu: %s", i, s.error.what);
        } else {
            if (s.error.status != TN_OK)
                fail_msg("case %zu: %s", i, s.error.what);
            finish(&s);
            check_output(&s, cases[i].output);
        }
        end(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_follow),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
