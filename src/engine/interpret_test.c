/* interpret_test.c - nodes to op descriptors, by the rules that are shipped
 * and by small ones of our own */
#define _GNU_SOURCE
#include <tenon/interpret.h>

#include <stdio.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/number.h"
#include "support/hostile.h"
#include "support/scratch.h"
#include "wire/pb/pb_builtin.h"
#include "wire/pb/pb_text_read.h"

#define DATA TN_SHARED_DATA "/import/"

static const char *const shipped[] = {
    DATA "nd4j-op-def.pbtxt",
    DATA "tensorflow-mapping-ruleset.pbtxt",
    DATA "onnx-mapping-ruleset.pbtxt",
};

/* ---- messages out of text ----------------------------------------------- */

/* The bytes of a message; the caller frees them. */
static struct tn_bytes encode(enum tn_pb_builtin set, const char *type,
                              const char *text)
{
    struct tn_error     error = TN_ERROR_INIT;
    struct tn_memory    memory;
    struct tn_arena     arena;
    struct tn_pb_schema schema;
    struct tn_source    source;
    struct tn_rope      rope;
    struct tn_buffer    out;

    tn_memory_init(&memory, NULL, 0);
    tn_arena_init(&arena, &memory);
    tn_source_memory(&source, &memory, tn_text(text));
    tn_rope_init(&rope, &arena, &error);
    tn_buffer_init(&out, &memory, &error);
    tn_pb_schema_load(&schema, &arena, tn_pb_builtin_set(set), &error);
    tn_pb_text_read(&schema, tn_pb_schema_find(&schema, type),
                    (struct tn_span){ &source, 0, strlen(text) }, &rope,
                    &error);
    if (tn_failed(&error))
        fail_msg("%s: %s", text, error.what);
    assert_int_equal(tn_rope_write(&rope, &out.sink, &error), TN_OK);
    struct tn_bytes bytes = { malloc(out.size + 1), out.size };
    assert_non_null(bytes.data);
    if (out.size > 0)
        memcpy((void *)(uintptr_t)bytes.data, out.data, out.size);
    tn_buffer_done(&out);
    tn_rope_done(&rope);
    tn_source_close(&source);
    tn_arena_done(&arena);
    return bytes;
}

static struct tn_bytes encode_node(bool is_onnx, const char *text)
{
    return is_onnx ? encode(TN_PB_ONNX, "onnx.NodeProto", text)
                   : encode(TN_PB_TENSORFLOW, "tensorflow.NodeDef", text);
}

/* ---- descriptors as text ------------------------------------------------ */

static void print_arg(struct tn_buffer *out, const struct tn_arg *arg)
{
    char number[TN_NUMBER_ROOM];

    switch (arg->type) {
    case TN_ARG_DOUBLE:
    case TN_ARG_FLOAT:
        tn_double_print(number, arg->real);
        tn_buffer_text(out, number);
        break;
    case TN_ARG_BOOL:
        tn_buffer_text(out, arg->number ? "true" : "false");
        break;
    case TN_ARG_STRING:
        tn_buffer_format(out, "\"%.*s\"", TN_FMT(arg->text));
        break;
    case TN_ARG_INPUT_TENSOR:
    case TN_ARG_OUTPUT_TENSOR: tn_buffer_add(out, arg->name); break;
    default: tn_buffer_format(out, "%lld", (long long)arg->number); break;
    }
}

/* "conv2d in[x w] i[1 2]": the lists that are not empty, outputs aside. */
static void print_call(struct tn_buffer *out, const struct tn_op_descriptor *op)
{
    tn_buffer_add(out, op->name);
    for (unsigned k = 0; k < TN_LIST_COUNT; k++) {
        if (k == TN_LIST_OUT || op->lists[k].count == 0)
            continue;
        tn_buffer_format(out, " %s[", tn_arg_list_name((enum tn_arg_list)k));
        for (uint32_t i = 0; i < op->lists[k].count; i++) {
            tn_buffer_text(out, i ? " " : "");
            print_arg(out, &op->lists[k].items[i]);
        }
        tn_buffer_byte(out, ']');
    }
}

static void print_names(struct tn_buffer *out, const char *title,
                        struct tn_args args)
{
    tn_buffer_format(out, ", %s=[", title);
    for (uint32_t i = 0; i < args.count; i++)
        tn_buffer_format(out, "%s%.*s", i ? ", " : "",
                         TN_FMT(args.items[i].name));
    tn_buffer_byte(out, ']');
}

/* The line by which the design document shows a descriptor. */
static void print_descriptor(struct tn_buffer              *out,
                             const struct tn_op_descriptor *op)
{
    tn_buffer_format(out,
                     "OpDeclarationDescriptor(name=%.*s, nIn=%d, nOut=%d, "
                     "tArgs=%d, iArgs=%d, inplaceAble=%s",
                     TN_FMT(op->name), op->in_count, op->out_count, op->t_count,
                     op->i_count, op->is_inplaceable ? "true" : "false");
    print_names(out, "inArgNames", op->lists[TN_LIST_IN]);
    print_names(out, "outArgNames", op->lists[TN_LIST_OUT]);
    print_names(out, "tArgNames", op->lists[TN_LIST_T]);
    print_names(out, "iArgNames", op->lists[TN_LIST_I]);
    print_names(out, "bArgNames", op->lists[TN_LIST_B]);
    tn_buffer_format(out, ", opDeclarationType=%s)",
                     tn_declaration_name(op->declaration));
}

/* ---- constants around a node -------------------------------------------- */

/* "name: tensor text", for one input. */
struct known {
    const char     *name;
    struct tn_bytes tensor;
};

static bool know(void *context, struct tn_bytes name, struct tn_bytes *tensor)
{
    const struct known *known = context;

    if (!known->name || !tn_bytes_is(name, known->name))
        return false;
    *tensor = known->tensor;
    return true;
}

static bool open_shipped(struct tn_interpreter **out)
{
    struct tn_error               error = TN_ERROR_INIT;
    struct tn_interpreter_options what  = { .files = shipped, .file_count = 3 };
    FILE                         *file  = fopen(shipped[0], "r");

    if (!file) {
        puts("skipped: ../shared/data/import is not there");
        return false;
    }
    fclose(file);
    if (tn_interpreter_open(out, &what, NULL, &error) != TN_OK)
        fail_msg("%s: %s", error.file, error.what);
    return true;
}

/* ---- the worked examples ------------------------------------------------ */

#define CONV(format, strides)                                                  \
    "name: 'c' op: 'Conv2D' input: 'x' input: 'w' "                            \
    "attr { key: 'T' value { type: DT_FLOAT } } "                              \
    "attr { key: 'padding' value { s: 'SAME' } } "                             \
    "attr { key: 'data_format' value { s: '" format "' } } "                   \
    "attr { key: 'strides' value { list { " strides " } } }"
#define FLOAT_T "attr { key: 'T' value { type: DT_FLOAT } } "
#define AXES    "dtype: DT_INT32 tensor_shape { dim { size: 2 } } "

static const struct {
    bool        is_onnx;
    const char *node, *known, *tensor, *call;
} examples[] = {
    { false, CONV("NHWC", "i: 1 i: 2 i: 2 i: 1"), NULL, NULL,
      "conv2d in[x w] i[-1 -1 2 2 0 0 1 1 1 1 0]" },
    { false, CONV("NCHW", "i: [1, 1, 2, 2]"), NULL, NULL,
      "conv2d in[x w] i[-1 -1 2 2 0 0 1 1 1 0 0]" },
    { false,
      "op: 'MatMul' input: 'a' input: 'b' input: '^c' " FLOAT_T
      "attr { key: 'transpose_b' value { b: true } }",
      NULL, NULL, "matmul in[a b] t[1 0] i[0 1 0]" },
    { false,
      "op: 'Mean' input: 'x:0' input: 'axes' " FLOAT_T
      "attr { key: 'keep_dims' value { b: true } }",
      "axes", AXES "int_val: 1 int_val: 2", "reduce_mean in[x axes] b[true]" },
    { false,
      "op: 'StridedSlice' input: 'x' input: 'b' input: 'e' input: 's' " FLOAT_T
      "attr { key: 'begin_mask' value { i: 1 } } "
      "attr { key: 'ellipsis_mask' value { i: 2 } } "
      "attr { key: 'end_mask' value { i: 3 } } "
      "attr { key: 'new_axis_mask' value { i: 4 } } "
      "attr { key: 'shrink_axis_mask' value { i: 5 } }",
      NULL, NULL, "strided_slice in[x b e s] i[1 2 3 4 5] d[1]" },
    { false,
      "op: 'ConcatV2' input: 'a' input: 'b' input: 'axis' " FLOAT_T
      "attr { key: 'N' value { i: 2 } }",
      "axis", "dtype: DT_INT32 tensor_shape { } int_val: 1",
      "concat in[a b axis] b[true]" },
    { true,
      "op_type: 'Concat' input: 'a' input: 'b' "
      "attribute { name: 'axis' i: 1 type: INT }",
      NULL, NULL, "concat in[a b] i[1] b[false]" },
    { true,
      "op_type: 'MaxPool' input: 'x' "
      "attribute { name: 'kernel_shape' ints: 3 ints: 3 type: INTS } "
      "attribute { name: 'strides' ints: 2 ints: 2 type: INTS } "
      "attribute { name: 'pads' ints: [1, 1, 1, 1] type: INTS }",
      NULL, NULL, "maxpool2d in[x] i[3 3 2 2 1 1 1 1 0 0 0]" },
    { true,
      "op_type: 'LSTM' input: 'x' input: 'w' input: 'r' "
      "attribute { name: 'direction' s: 'bidirectional' type: STRING } "
      "attribute { name: 'clip' f: 0.5 type: FLOAT } "
      "attribute { name: 'activations' strings: 'Sigmoid' strings: 'Tanh' "
      "strings: 'Tanh' type: STRINGS }",
      NULL, NULL,
      "lstmLayer in[x w r] t[0.5] i[0 2 2 0 0] "
      "b[true true true true true true true true]" },
    { false, "op: 'Floor' input: 'x' " FLOAT_T, NULL, NULL,
      "floor in[x] b[false] d[1]" },
    /* inputs that become arguments, and the order of inputs */
    { false, "op: 'ExpandDims' input: 'x' input: 'dim' " FLOAT_T, "dim",
      "dtype: DT_INT32 tensor_shape { } int_val: -1",
      "expand_dims in[x dim] i[-1]" },
    { false,
      "op: 'SparseSoftmaxCrossEntropyWithLogits' input: 'f' input: "
      "'l' " FLOAT_T,
      NULL, NULL,
      "sparse_softmax_cross_entropy_loss_with_logits in[l f] d[1]" },
};

static void assert_call(struct tn_interpreter *i, unsigned row)
{
    struct tn_error             error = TN_ERROR_INIT;
    struct tn_memory            memory;
    struct tn_buffer            out;
    bool                        is_onnx = examples[row].is_onnx;
    struct tn_bytes             node = encode_node(is_onnx, examples[row].node);
    struct known                known   = { examples[row].known, { NULL, 0 } };
    struct tn_interpret_context context = { .constant = know,
                                            .context  = &known };
    struct tn_op_descriptor    *op;

    if (known.name)
        known.tensor = encode(TN_PB_TENSORFLOW, "tensorflow.TensorProto",
                              examples[row].tensor);
    tn_memory_init(&memory, NULL, 0);
    tn_buffer_init(&out, &memory, &error);
    if ((is_onnx ? tn_interpret_onnx : tn_interpret_tensorflow)(
            &op, i, node, &context, &error) != TN_OK)
        fail_msg("row %u: %s: %s", row, error.where, error.what);
    print_call(&out, op);
    assert_string_equal(tn_buffer_string(&out), examples[row].call);
    tn_op_descriptor_close(op);
    tn_buffer_done(&out);
    free((void *)(uintptr_t)node.data);
    free((void *)(uintptr_t)known.tensor.data);
}

static void test_worked_examples(void **state)
{
    struct tn_interpreter *i;

    (void)state;
    if (!open_shipped(&i))
        return;
    assert_int_equal(tn_interpreter_op_count(i), 718);
    assert_int_equal(tn_interpreter_mapper_count(i), 306 + 121);
    for (unsigned row = 0; row < sizeof examples / sizeof examples[0]; row++)
        assert_call(i, row);
    tn_interpreter_close(i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_worked_examples),
    };

    (void)print_descriptor;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
