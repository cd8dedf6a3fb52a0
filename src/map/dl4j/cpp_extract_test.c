/* cpp_extract_test.c - op descriptors out of C++, by words and brackets */
#include "map/dl4j/cpp_extract.h"

#include "base/buffer.h"
#include "support/hostile.h"

/* "conv 2>1 t0 i5 INT64:kW,kH": an op, what it takes and gives, how many
 * numbers, and its arguments in their order. */
static void print_ops(struct tn_buffer *out, const struct tn_dl4j_ops *ops)
{
    for (uint64_t i = 0; i < ops->list.count; i++) {
        const struct tn_op_descriptor *op =
            tn_list_at(&ops->list, struct tn_op_descriptor, i);
        int last = -1;
        tn_buffer_format(out, "%s%.*s %d>%d t%d i%d%s", i ? "; " : "",
                         TN_FMT(op->name), (int)op->in_count,
                         (int)op->out_count, (int)op->t_count, (int)op->i_count,
                         op->is_inplaceable ? " inplace" : "");
        for (uint32_t k = 0; k < op->args.count; k++) {
            const struct tn_arg *arg = &op->args.items[k];
            if ((int)arg->type != last)
                tn_buffer_format(out, " %s:", tn_arg_type_name(arg->type));
            else
                tn_buffer_byte(out, ',');
            tn_buffer_add(out, arg->name);
            last = (int)arg->type;
        }
    }
}

static const struct {
    const char *text, *ops;
} rows[] = {
    /* declarations */
    { "CUSTOM_OP_IMPL(conv1d, 2, 1, false, 0, 2) { }",
      "conv1d 2>1 t0 i2 INT64:iArg0,iArg1 INPUT_TENSOR:input0,input1 "
      "OUTPUT_TENSOR:output0" },
    { "OP_IMPL(abs, 1, 1, true) { }",
      "abs 1>1 t0 i0 inplace INPUT_TENSOR:input0 OUTPUT_TENSOR:output0" },
    { "BROADCASTABLE_OP_IMPL(add, 1, 0) { }",
      "add 2>1 t1 i0 DOUBLE:tArg0 INPUT_TENSOR:input0,input1 "
      "OUTPUT_TENSOR:output0" },
    { "DECLARE_CUSTOM_OP(many, -1, 1, false, 0, -2);",
      "many -1>1 t0 i-2 OUTPUT_TENSOR:output0" },
    { "LOGIC_OP_IMPL ( Switch )", "Switch 0>1 t0 i0 OUTPUT_TENSOR:output0" },
    { "OP_IMPL(big, 64, x, true)", "big 0>0 t0 i0 inplace" },
    { "OP_IMPL() OP_IMPL(", "" },
    { "OP_IMPL", "" },

    /* arguments: the variable is the name */
    { "OP_IMPL(a, 1, 1, true) { auto x = INPUT_VARIABLE(0); "
      "auto z = OUTPUT_VARIABLE(0); int k = INT_ARG(1) > 0 ? INT_ARG(1) : 1; "
      "bool f = B_ARG(0); auto t = D_ARG(0); double e = T_ARG(0); "
      "auto s = S_ARG(0); }",
      "a 1>1 t0 i0 inplace DOUBLE:e INT64:iArg0,k BOOL:f DATA_TYPE:t "
      "INPUT_TENSOR:x OUTPUT_TENSOR:z STRING:s" },
    { "OP_IMPL(a, 0, 0, true) { if (n == INT_ARG(0)) n = { INT_ARG(1) }; "
      "f(INT_ARG(2)); m <= INT_ARG(3); }",
      "a 0>0 t0 i0 inplace INT64:iArg0,n,iArg2,iArg3" },
    { "OP_IMPL(a, 0, 0, true) { x = INT_ARG(0); x = INT_ARG(1); "
      "y = INT_ARG(i); z = INT_ARG(64); w = INT_ARG(-1); }",
      "a 0>0 t0 i0 inplace INT64:x,iArg1" },

    /* before any declaration they belong to the file */
    { "auto x = INPUT_VARIABLE(0);", "stem 1>0 t0 i0 INPUT_TENSOR:x" },
    { "DECLARE_TYPES(a) { } DECLARE_SHAPE_FN(b) { "
      "auto inShapeInfo = inputShape->at(1); auto w = inputShape->at (0); "
      "inputShape->size(); inputShape->at }",
      "a 0>0 t0 i0; b 2>0 t0 i0 INPUT_TENSOR:w,in" },
    { "DECLARE_TYPES() DECLARE_SHAPE_FN(", "" },

    /* what comes again completes what was there */
    { "OP_IMPL(a, 1, 1, true) { } OP_IMPL(b, 0, 0, true) { } "
      "OP_IMPL(a, 1, 1, true) { auto k = INT_ARG(1); }",
      "a 1>1 t0 i0 inplace INT64:iArg0,k INPUT_TENSOR:input0 "
      "OUTPUT_TENSOR:output0; b 0>0 t0 i0 inplace" },
    { "OP_IMPL(a, 1, 1, true) { x = INPUT_VARIABLE(0); } OP_IMPL(a, 0, 1, "
      "true)",
      "a 1>1 t0 i0 inplace INPUT_TENSOR:x OUTPUT_TENSOR:output0" },

    /* what is no code */
    { "// OP_IMPL(a, 1, 1, true)\nOP_IMPL(b, 0, 0, true) /* INT_ARG(0) */ { "
      "log(\"INT_ARG(1)\\\" INT_ARG(2)\"); c = 'INT_ARG(3)'; }",
      "b 0>0 t0 i0 inplace" },
    { "#define X OP_IMPL(a, 1, 1, true) \\\n OP_IMPL(b, 0, 0, true)\n"
      "OP_IMPL(c, 0, 0, true)",
      "c 0>0 t0 i0 inplace" },
    { "  #define X OP_IMPL(a, 0, 0, true)\n\t#define OP_IMPL(b, 0, 0, true)\n",
      "" },
    { "/* OP_IMPL(a, 0, 0, true)", "" },
    { "'OP_IMPL(a, 0, 0, true)\nOP_IMPL(b, 0, 0, true)",
      "b 0>0 t0 i0 inplace" },
};

static void ops_are_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tn_error    error = TN_ERROR_INIT;
        struct tn_memory   memory;
        struct tn_arena    arena;
        struct tn_dl4j_ops ops;
        struct tn_buffer   out;
        tn_memory_init(&memory, NULL, 0);
        tn_arena_init(&arena, &memory);
        tn_dl4j_ops_init(&ops, &arena);
        tn_buffer_init(&out, &memory, &error);
        assert_int_equal(tn_cpp_extract(&ops, tn_text(rows[i].text),
                                        tn_text("stem"), &error),
                         TN_OK);
        print_ops(&out, &ops);
        if (strcmp(tn_buffer_string(&out), rows[i].ops) != 0)
            fail_msg("%s\n%s\nnot %s", rows[i].text, tn_buffer_string(&out),
                     rows[i].ops);
        tn_buffer_done(&out);
        tn_dl4j_ops_done(&ops);
        tn_arena_done(&arena);
        assert_int_equal(memory.used, 0);
    }
}

static enum tn_status extract(struct tn_bytes text, struct tn_memory *memory,
                              struct tn_error *error)
{
    struct tn_arena    arena;
    struct tn_dl4j_ops ops;

    tn_arena_init(&arena, memory);
    tn_dl4j_ops_init(&ops, &arena);
    tn_cpp_extract(&ops, text, tn_text("stem"), error);
    tn_dl4j_ops_done(&ops);
    tn_arena_done(&arena);
    return error->status;
}

static void any_bytes_and_no_memory_are_survived(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tn_survives_every_flip(extract, tn_text(rows[i].text));
        tn_survives_no_memory(extract, tn_text(rows[i].text));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ops_are_found),
        cmocka_unit_test(any_bytes_and_no_memory_are_survived),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
