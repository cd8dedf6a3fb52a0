/* interpret_test.c - nodes to op descriptors, by the rules that are shipped
 * and by small ones of our own */
#define _GNU_SOURCE
#include <tenon/interpret.h>

#include <stdio.h>
#include <stdlib.h>

#include "support/node_text.h"
#include "support/scratch.h"

#define DATA TN_SHARED_DATA "/import/"

static const char *const shipped[] = {
    DATA "nd4j-op-def.pbtxt",
    DATA "tensorflow-mapping-ruleset.pbtxt",
    DATA "onnx-mapping-ruleset.pbtxt",
};

/* ---- descriptors as text ------------------------------------------------ */

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
        puts("skipped: wants real models");
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
        known.tensor = encode_tensor(false, examples[row].tensor);
    tn_memory_init(&memory, NULL, 0);
    tn_buffer_init(&out, &memory, &error);
    if ((is_onnx ? tn_interpret_onnx : tn_interpret_tensorflow)(
            &op, i, node, &context, &error) != TN_OK)
        fail_msg("row %u: %s: %s", row, error.where, error.what);
    print_call(&out, op);
    assert_string_equal(tn_buffer_string(&out), examples[row].call);
    tn_op_descriptor_close(op);
    tn_buffer_done(&out);
    encoded_free(node);
    encoded_free(known.tensor);
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

/* ---- vocabularies and rules of our own ---------------------------------- */

/* The design document's own example, with what it says nd4j declares. */
static const char floor_op[] =
    "opList { name: 'floor' "
    "argDescriptor { name: 'first' argType: INPUT_TENSOR } "
    "argDescriptor { name: 'z' argType: OUTPUT_TENSOR } "
    "argDescriptor { name: 'depth' argType: INT64 } "
    "argDescriptor { name: 'mode' argType: BOOL } "
    "opDeclarationType: OP_IMPL }";

#define FLOOR_MAPPING(x, y)                                                    \
    " { input_mappings: { input_mapping { first: '" x "' } } "                 \
    "output_mappings: { z: '" y "' } attribute_mapping_functions: { } } "
static const char floor_sketch[] = "floor { tensorflow_mapping:" FLOOR_MAPPING(
    "x", "y") "onnx_mapping" FLOOR_MAPPING("X", "Y") "}";

struct own {
    struct tn_scratch      scratch;
    struct tn_interpreter *interpreter;
    struct tn_error        error;
    char                  *ops, *rules;
};

static enum tn_status own_open(struct own *own, const char *ops,
                               const char                      *rules,
                               const struct tn_custom_function *functions,
                               uint32_t                         function_count)
{
    own->error   = (struct tn_error)TN_ERROR_INIT;
    own->scratch = tn_scratch_open();
    tn_scratch_write(&own->scratch, "ops", ops);
    tn_scratch_write(&own->scratch, "rules", rules);
    own->ops   = tn_scratch_path(&own->scratch, "ops");
    own->rules = tn_scratch_path(&own->scratch, "rules");
    const char *const             files[] = { own->rules, own->ops };
    struct tn_interpreter_options what    = {
           .files          = files,
           .file_count     = 2,
           .functions      = functions,
           .function_count = function_count,
    };
    return tn_interpreter_open(&own->interpreter, &what, NULL, &own->error);
}

static void own_close(struct own *own)
{
    tn_interpreter_close(own->interpreter);
    free(own->ops);
    free(own->rules);
    tn_scratch_close(&own->scratch);
}

static struct tn_op_descriptor *own_run(struct own *own, bool is_onnx,
                                        const char *text)
{
    struct tn_bytes          node = encode_node(is_onnx, text);
    struct tn_op_descriptor *op   = NULL;

    (is_onnx ? tn_interpret_onnx : tn_interpret_tensorflow)(
        &op, own->interpreter, node, NULL, &own->error);
    encoded_free(node);
    return op;
}

static void test_sketch_is_one_mapper_per_framework(void **state)
{
    struct own       own;
    struct tn_memory memory;
    struct tn_buffer out;

    (void)state;
    assert_int_equal(own_open(&own, floor_op, floor_sketch, NULL, 0), TN_OK);
    assert_int_equal(tn_interpreter_mapper_count(own.interpreter), 2);
    struct tn_op_descriptor *op =
        own_run(&own, true, "op_type: 'Floor' input: 'a' output: 'b'");
    assert_non_null(op);
    tn_memory_init(&memory, NULL, 0);
    tn_buffer_init(&out, &memory, &own.error);
    print_descriptor(&out, op);
    assert_string_equal(
        tn_buffer_string(&out),
        "OpDeclarationDescriptor(name=floor, nIn=1, nOut=1, tArgs=0, iArgs=0, "
        "inplaceAble=true, inArgNames=[a], outArgNames=[z], tArgNames=[], "
        "iArgNames=[], bArgNames=[], opDeclarationType=OP_IMPL)");
    tn_buffer_done(&out);
    tn_op_descriptor_close(op);
    own_close(&own);
}

/* Counts its calls and gives the number of inputs, in place of an attribute. */
static enum tn_status count_pairs(void *context, struct tn_rule_call *call,
                                  struct tn_error *error)
{
    struct tn_arg arg = { .type = TN_ARG_INT64 };

    ++*(int *)context;
    arg.name   = tn_call_pair_nd4j(call, 0);
    arg.index  = tn_call_index(call, arg.name, TN_ARG_INT64);
    arg.number = 40 + (int64_t)tn_call_pair_count(call);
    return tn_call_emit(call, &arg, error);
}

static void test_custom_function_is_called(void **state)
{
    static const char rules[] =
        "mappings { frameworkName: 'tensorflow' opName: 'floor' "
        "inputFrameworkOpName: 'Floor' rule { ruleName: 'mine' "
        "inputToOutput { key: 'depth' value: 'T' } } }";
    int                       calls = 0;
    struct tn_custom_function mine  = { "mine", count_pairs, &calls };
    struct own                own;

    (void)state;
    assert_int_equal(own_open(&own, floor_op, rules, &mine, 1), TN_OK);
    struct tn_op_descriptor *op =
        own_run(&own, false, "op: 'Floor' input: 'x' " FLOAT_T);
    assert_non_null(op);
    assert_int_equal(calls, 1);
    assert_int_equal(op->lists[TN_LIST_I].items[0].number, 41);
    tn_op_descriptor_close(op);
    own_close(&own);
}

/* ---- what is refused, and where ----------------------------------------- */

#define RULE(body)                                                             \
    "mappings {\n  frameworkName: 'tensorflow'\n  opName: 'floor'\n"           \
    "  inputFrameworkOpName: 'Floor'\n  rule {\n    " body "\n  }\n}\n"

static const struct {
    const char *rules, *what;
} broken[] = {
    { "mappings {", "line 1, column 11: the text ends before its '}'" },
    { "mappings { frameworkName: }",
      "line 1, column 27: expected a value, not }" },
    { RULE("ruleName: 'nosuch'"),
      "line 6, column 5: unknown function 'nosuch'" },
    { RULE("ruleName: 'valuemapping' colour: 'red'"),
      "line 6, column 30: a rule has no field 'colour'" },
    { RULE("ruleName: 'valuemapping' ruleType: 'tensor'"),
      "line 6, column 30: ruleType of 'valuemapping' is \"attribute\", not "
      "\"tensor\"" },
    { RULE("ruleName: 'valuemapping'\n"
           "    inputToOutput { key: 'depth' value: 'size' }"),
      "line 7, column 5: 'Floor' has no attribute or input 'size'" },
    { RULE("ruleName: 'valuemapping'\n"
           "    inputToOutput { key: 'width' value: 'T' }"),
      "line 7, column 5: nd4j's 'floor' has no argument 'width'" },
    { RULE("ruleName: 'ndarraymapping'\n"
           "    inputToOutput { key: 'depth' value: 'x' }"),
      "line 7, column 5: ndarraymapping cannot give 'depth' of nd4j's "
      "'floor'" },
    { RULE("ruleName: 'stringequals'\n"
           "    inputToOutput { key: 'mode' value: 'T' }"),
      "line 7, column 5: stringequals cannot read 'T' of 'Floor'" },
    { RULE("ruleName: 7"), "line 6, column 5: 'ruleName' takes a string" },
    { RULE("ruleName: 'passthrough'") RULE("ruleName: 'passthrough'"),
      "line 9, column 1: a second mapper for tensorflow's 'Floor'" },
    { "mappings { opName: 'x' }",
      "line 1, column 1: a mapper needs frameworkName, opName and "
      "inputFrameworkOpName" },
    { "floor { onnx_mapping { shape: 1 } }",
      "line 1, column 24: 'shape' has no place in a mapping" },
    { "stairs { onnx_mapping { } }",
      "line 1, column 10: onnx has no op like 'stairs'; say which with "
      "inputFrameworkOpName" },
};

static void test_broken_rules_are_refused_where_they_are(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
        struct own own;

        assert_int_not_equal(own_open(&own, floor_op, broken[i].rules, NULL, 0),
                             TN_OK);
        assert_string_equal(own.error.what, broken[i].what);
        own_close(&own);
    }
}

/* Nodes that lie about themselves are refused or read; never more. */
static void test_hostile_nodes_do_no_harm(void **state)
{
    /* Every eighth with assumptions: these are many attempts. */
    struct tn_interpret_context around = { .opset = 0 };
    struct tn_interpreter      *i;
    struct tn_bytes             node = encode_node(false, examples[1].node);
    uint8_t                    *copy = malloc(node.size);

    (void)state;
    assert_non_null(copy);
    if (open_shipped(&i)) {
        for (size_t at = 0; at < node.size; at++)
            for (unsigned bit = 0; bit < 8; bit++) {
                struct tn_error          error = TN_ERROR_INIT;
                struct tn_op_descriptor *op;

                memcpy(copy, node.data, node.size);
                copy[at]         = (uint8_t)(copy[at] ^ 1u << bit);
                around.is_strict = (at + bit) % 8 != 0;
                tn_interpret_tensorflow(&op, i, tn_bytes(copy, node.size),
                                        &around, &error);
                assert_true((op == NULL) == tn_failed(&error));
                tn_op_descriptor_close(op);
            }
        tn_interpreter_close(i);
    }
    free(copy);
    encoded_free(node);
}

/* ---- rules that the library carries ------------------------------------- */

/* The node of the design document, which is a definition: what its lists hold
 * is not said. */
#define SEED_CONV                                                              \
    "input: 'X' input: 'W' input: 'B' output: 'Y' name: 'Conv' "               \
    "op_type: 'Conv' "                                                         \
    "attribute { name: 'auto_pad' s: 'NOTSET' type: STRING } "                 \
    "attribute { name: 'dilations' s: '' type: INTS } "                        \
    "attribute { name: 'group' i: 1 type: INT } "                              \
    "attribute { name: 'kernel_shape' s: '' type: INTS } "                     \
    "attribute { name: 'pads' s: '' type: INTS } "                             \
    "attribute { name: 'strides' s: '' type: INTS } "                          \
    "attribute { name: 'X-types' strings: 'double' strings: 'float' "          \
    "type: STRINGS }"

/* Ops are told by "; ", each with what it makes. */
static const struct {
    const char *node, *inputs, *calls;
} builtin[] = {
    { CONV("NHWC", "i: 1 i: 2 i: 2 i: 1"), NULL,
      "conv2d in[x w] i[-1 -1 2 2 0 0 1 1 1 1 0] -> c" },
    { SEED_CONV, "W:float32[4,3,5,5]",
      "conv2d in[X W B] i[5 5 1 1 0 0 1 1 0 0 1] -> Y" },
    { "op_type: 'Floor' input: 'X' output: 'Y' attribute { name: 'X-types' "
      "strings: 'float' type: STRINGS }",
      NULL, "floor in[X] b[false] -> Y" },
    { "op: 'Floor' input: 'x' " FLOAT_T, NULL,
      "floor in[x] b[false] d[1] -> Floor" },
    /* JSON, an output of another node, a name that the rules make */
    { "{\"op\": \"Neg\", \"input\": [\"a:1\"], \"attr\": "
      "{\"T\": {\"type\": \"DT_FLOAT\"}}}",
      NULL, "neg in[a:1] b[false] d[1] -> Neg" },
    { "op_type: 'Relu' input: 'Y'", NULL, "relu in[Y] t[0] b[false] -> Y_out" },
    /* several ops, with constants on the way */
    { "op_type: 'SequenceLength' input: 's' output: 'n'", NULL,
      "size_list in[s s] -> n/size_list; cast in[n/size_list] d[7] -> n" },
    { "op: 'Xlogy' name: 'l' input: 'x' input: 'y' " FLOAT_T, NULL, NULL },
    /* constants that are known, and what only hands something on */
    { "op: 'Mean' input: 'x' input: 'axes' " FLOAT_T,
      "x:float32[2,3,4] axes:int32[2]=[0,-1]", NULL },
    { "op: 'Const' name: 'k' attr { key: 'dtype' value { type: DT_INT32 } } "
      "attr { key: 'value' value { tensor { dtype: DT_INT32 tensor_shape { } "
      "int_val: 7 } } }",
      NULL, "identity in[k_1] -> k" },
    /* what loops and lists are made of */
    { "op: 'Switch' name: 's' input: 'x' input: 'p' " FLOAT_T, NULL,
      "switch in[x p] -> s s:1" },
    { "op: 'TensorArrayReadV3' input: 'h' input: 'i' input: 'f' "
      "attr { key: 'dtype' value { type: DT_FLOAT } }",
      NULL, "read_list in[h i f] d[1] -> TensorArrayReadV3" },
};

static void print_calls(struct tn_buffer              *out,
                        const struct tn_op_descriptor *op)
{
    for (; op; op = op->next) {
        print_call(out, op);
        tn_buffer_text(out, " ->");
        for (uint32_t i = 0; i < op->lists[TN_LIST_OUT].count; i++)
            tn_buffer_format(out, " %.*s",
                             TN_FMT(op->lists[TN_LIST_OUT].items[i].text));
        tn_buffer_text(out, op->next ? "; " : "");
    }
}

/* What is read was made before, or is an input of the node or a constant. */
static void assert_wired(const struct tn_op_descriptor *first)
{
    for (const struct tn_op_descriptor *op = first; op; op = op->next)
        for (uint32_t i = 0; i < op->lists[TN_LIST_IN].count; i++) {
            const struct tn_arg *arg     = &op->lists[TN_LIST_IN].items[i];
            bool                 is_late = false;
            for (const struct tn_op_descriptor *o = op; o; o = o->next)
                for (uint32_t k = 0; k < o->lists[TN_LIST_OUT].count; k++)
                    is_late |=
                        !arg->tensor.size &&
                        tn_bytes_equal(arg->text,
                                       o->lists[TN_LIST_OUT].items[k].text);
            assert_false(is_late);
            assert_true(arg->text.size > 0);
        }
}

static void test_builtin_rules_interpret_any_node(void **state)
{
    const struct tn_interpreter_options none  = { .file_count = 0 };
    struct tn_error                     error = TN_ERROR_INIT;
    struct tn_interpreter              *i;

    (void)state;
    assert_int_equal(tn_interpreter_open(&i, &none, NULL, &error), TN_OK);
    for (size_t row = 0; row < sizeof builtin / sizeof builtin[0]; row++) {
        struct tn_interpret_context context = { .inputs = builtin[row].inputs };
        struct tn_op_descriptor    *op;
        struct tn_memory            memory;
        struct tn_buffer            out;
        if (tn_interpret_node(&op, i, tn_text(builtin[row].node), &context,
                              &error) != TN_OK)
            fail_msg("row %zu: %s", row, error.what);
        tn_memory_init(&memory, NULL, 0);
        tn_buffer_init(&out, &memory, &error);
        print_calls(&out, op);
        if (builtin[row].calls)
            assert_string_equal(tn_buffer_string(&out), builtin[row].calls);
        assert_wired(op);
        tn_buffer_done(&out);
        tn_op_descriptor_close(op);
    }
    tn_interpreter_close(i);
}

static const struct {
    const char *node, *inputs, *what;
} refused[] = {
    { "op_type: 'Swirl' input: 'x'", NULL, "there is no operator 'Swirl'" },
    { "op_type: 'RegexFullMatch' input: 'x'", NULL, "no regular expressions" },
    { "op: 'Neg' input: 'x:-1'", NULL, "neither NODE nor NODE:NUMBER" },
    { "op: 'Neg' input: 'x:99999999999'", NULL, "neither NODE nor" },
    { "op: 'Neg' input: ':1'", NULL, "neither NODE nor" },
    { "op: 'Neg' input: 'x'", "y:float32", "no input 'y'; it has: x" },
    { "op: 'Conv2D' input: 'x' input: 'w'", NULL, "without 'strides'" },
    { "op_type: 'Constant' output: 'c' attribute { name: 'value' type: TENSOR "
      "t { dims: 3 data_type: 1 float_data: 1 } }",
      NULL, "needs 12 bytes, has 4" },
    { "op_type: 'Constant' output: 'c' attribute { name: 'value' type: TENSOR "
      "t { data_type: 99 float_data: 1 } }",
      NULL, "the element type of a constant is unknown" },
    { "op: 'Neg' input: 'x'", "x:flot32", "expected NAME:TYPE" },
    { "op: 'Neg' input: 'x'", "x:float32[2,3]=[1]", "match the shape" },
    { "", NULL, "there is no node" },
    { "op: ", NULL, "expected" },
    { "doc_string: 'x'", NULL, "without an op type" },
};

static void test_nodes_without_rules_are_refused(void **state)
{
    const struct tn_interpreter_options none = { .file_count = 0 };
    struct tn_error                     fine = TN_ERROR_INIT;
    struct tn_interpreter              *i;

    (void)state;
    assert_int_equal(tn_interpreter_open(&i, &none, NULL, &fine), TN_OK);
    for (size_t row = 0; row < sizeof refused / sizeof refused[0]; row++) {
        struct tn_error             error   = TN_ERROR_INIT;
        struct tn_interpret_context context = { .inputs = refused[row].inputs };
        struct tn_op_descriptor    *op;
        if (tn_interpret_node(&op, i, tn_text(refused[row].node), &context,
                              &error) == TN_OK)
            fail_msg("row %zu was taken", row);
        assert_null(op);
        if (!strstr(error.what, refused[row].what))
            fail_msg("row %zu: %s", row, error.what);
    }
    tn_interpreter_close(i);
}

/* ---- as messages -------------------------------------------------------- */

#define INPUT_OUTPUT                                                           \
    "argDescriptor { name: 'x' inputValue { name: 'x' } argType: "             \
    "INPUT_TENSOR } "                                                          \
    "argDescriptor { name: 'outputs' outputValue { name: 'y' } argType: "      \
    "OUTPUT_TENSOR } "

static const struct {
    const char *node, *text;
} encoded[] = {
    { "op_type: 'Relu' input: 'x' output: 'y'",
      "name: 'relu' " INPUT_OUTPUT
      "argDescriptor { name: 'cutoff' argType: DOUBLE } "
      "argDescriptor { name: 'inPlace' argType: BOOL } "
      "opDeclarationType: LEGACY_XYZ" },
    { "op_type: 'Transpose' input: 'x' output: 'y' attribute { name: 'perm' "
      "type: INTS ints: 2 ints: 0 ints: 1 }",
      "name: 'permute' " INPUT_OUTPUT
      "argDescriptor { name: 'reverseDims' int64Value: 2 argType: INT64 } "
      "argDescriptor { name: 'reverseDims' argType: INT64 argIndex: 1 } "
      "argDescriptor { name: 'reverseDims' int64Value: 1 argType: INT64 "
      "argIndex: 2 }" },
};

/* What is encoded decodes to the same arguments, each in its place. */
static void test_descriptors_are_messages(void **state)
{
    const struct tn_interpreter_options none  = { .file_count = 0 };
    struct tn_error                     error = TN_ERROR_INIT;
    struct tn_interpreter              *i;

    (void)state;
    assert_int_equal(tn_interpreter_open(&i, &none, NULL, &error), TN_OK);
    for (size_t row = 0; row < sizeof encoded / sizeof encoded[0]; row++) {
        struct tn_op_descriptor *op;
        uint8_t                  bytes[400];
        size_t                   size, again;
        struct tn_bytes          want = encode(
                     TN_PB_IMPORT_IR, "org.nd4j.ir.OpDescriptor", encoded[row].text);
        assert_int_equal(
            tn_interpret_node(&op, i, tn_text(encoded[row].node), NULL, &error),
            TN_OK);
        assert_int_equal(tn_op_descriptor_encode(op, TN_DESCRIPTOR_BINARY,
                                                 false, bytes, sizeof bytes,
                                                 &size, &error),
                         TN_OK);
        if (!tn_bytes_equal(want, tn_bytes(bytes, size)))
            fail_msg("row %zu differs", row);
        assert_int_equal(tn_op_descriptor_encode(op, TN_DESCRIPTOR_BINARY, true,
                                                 bytes, 3, &again, &error),
                         TN_OK);
        assert_in_range(again, size + 2, size + 3); /* tag, length, the op */
        encoded_free(want);
        tn_op_descriptor_close(op);
    }
    tn_interpreter_close(i);
}

/* ---- libnd4j's C++ ------------------------------------------------------ */

static const char conv1d[] =
    "`auto inputShapeInfo   = inputShape->at(0);\n"
    "auto weightsShapeInfo = inputShape->at(1);\n"
    "Nd4jLong const* biasShapeInfo    = block.width() > 2 ? inputShape->at(2) "
    ": nullptr;\n\n"
    "int kW = INT_ARG(0) > 0 ? INT_ARG(0) : static_cast<int>(shape::sizeAt("
    "weightsShapeInfo, 0)); // filter(kernel) width\n"
    "int sW = INT_ARG(1);            // strides width\n"
    "int pW = INT_ARG(2);            // paddings width\n"
    "int dW = INT_ARG(3);            // dilations width\n"
    "int paddingMode = INT_ARG(4);   // 0-VALID, 1-SAME\n"
    "int isNCW  = block.getIArguments()->size() > 5 ? !INT_ARG(5) : 1; // "
    "INT_ARG(4): 1-NWC, 0-NCW\n"
    "int wFormat = block.getIArguments()->size() > 6 ? INT_ARG(6) : 0;\n`";

static const char two_ops[] =
    "#define CUSTOM_OP_IMPL(NAME) /* not this one */\n"
    "CUSTOM_OP_IMPL(concat, -1, 1, false, 0, 0) {\n"
    "  auto output = OUTPUT_VARIABLE(0); bool dynamic = B_ARG(0);\n"
    "  std::vector<int> axis = {INT_ARG(0)}; log(\"INT_ARG(9)\");\n"
    "}\n"
    "OP_IMPL(floor_like, 1, 1, true) { auto first = INPUT_VARIABLE(0);\n"
    "  auto z = this->getZ(block); double eps = T_ARG(0); }\n";

static void assert_extracted(const char *name, const char *text, uint32_t index,
                             const char *expected)
{
    struct tn_scratch      scratch;
    struct tn_error        error = TN_ERROR_INIT;
    struct tn_memory       memory;
    struct tn_buffer       out;
    struct tn_interpreter *i;

    scratch = tn_scratch_open();
    tn_scratch_write(&scratch, name, text);
    char *path = tn_scratch_path(&scratch, name);
    assert_int_equal(
        tn_interpreter_extract(&i, (const char *const *)&path, 1, NULL, &error),
        TN_OK);
    tn_memory_init(&memory, NULL, 0);
    tn_buffer_init(&out, &memory, &error);
    print_descriptor(&out, tn_interpreter_op(i, index));
    assert_string_equal(tn_buffer_string(&out), expected);
    tn_buffer_done(&out);
    tn_interpreter_close(i);
    free(path);
    tn_scratch_close(&scratch);
}

static void test_descriptors_come_out_of_cpp(void **state)
{
    (void)state;
    assert_extracted(
        "conv1d.cpp", conv1d, 0,
        "OpDeclarationDescriptor(name=conv1d, nIn=3, nOut=0, tArgs=0, iArgs=7, "
        "inplaceAble=false, inArgNames=[input, weights, bias], "
        "outArgNames=[], tArgNames=[], iArgNames=[kW, sW, pW, dW, "
        "paddingMode, isNCW, wFormat], bArgNames=[], "
        "opDeclarationType=CUSTOM_OP_IMPL)");
    assert_extracted(
        "two.cpp", two_ops, 0,
        "OpDeclarationDescriptor(name=concat, nIn=-1, nOut=1, tArgs=0, "
        "iArgs=0, inplaceAble=false, inArgNames=[], outArgNames=[output], "
        "tArgNames=[], iArgNames=[axis], bArgNames=[dynamic], "
        "opDeclarationType=CUSTOM_OP_IMPL)");
    assert_extracted(
        "two.cpp", two_ops, 1,
        "OpDeclarationDescriptor(name=floor_like, nIn=1, nOut=1, tArgs=0, "
        "iArgs=0, inplaceAble=true, inArgNames=[first], outArgNames=[output0], "
        "tArgNames=[eps], iArgNames=[], bArgNames=[], "
        "opDeclarationType=OP_IMPL)");
}

/* ---- out and in again --------------------------------------------------- */

static void export_to(struct tn_interpreter *i, enum tn_export what,
                      enum tn_dump_form form, const char *path)
{
    struct tn_error  error  = TN_ERROR_INIT;
    struct tn_target target = { .path = path, .can_replace = true };

    if (tn_interpreter_export(i, what, form, &target, &error) != TN_OK)
        fail_msg("%s", error.what);
}

static void assert_same_op(const struct tn_op_descriptor *a,
                           const struct tn_op_descriptor *b)
{
    assert_true(tn_bytes_equal(a->name, b->name));
    assert_int_equal(a->declaration, b->declaration);
    assert_int_equal(a->in_count, b->in_count);
    assert_int_equal(a->out_count, b->out_count);
    assert_int_equal(a->t_count, b->t_count);
    assert_int_equal(a->i_count, b->i_count);
    assert_int_equal(a->is_inplaceable, b->is_inplaceable);
    assert_int_equal(a->args.count, b->args.count);
    for (uint32_t i = 0; i < a->args.count; i++) {
        assert_true(
            tn_bytes_equal(a->args.items[i].name, b->args.items[i].name));
        assert_int_equal(a->args.items[i].type, b->args.items[i].type);
        assert_int_equal(a->args.items[i].index, b->args.items[i].index);
        assert_int_equal(a->args.items[i].is_optional,
                         b->args.items[i].is_optional);
    }
}

/* What was extracted is the same after it was saved, as text and as JSON. */
static void test_extracted_ops_survive(void **state)
{
    static const char conv[] =
        "CUSTOM_OP_IMPL(conv2d, 2, 1, false, 0, 9) {\n"
        "  auto input = INPUT_VARIABLE(0); auto weights = INPUT_VARIABLE(1);\n"
        "  auto bias = block.width() > 2 ? INPUT_VARIABLE(2) : nullptr;\n"
        "  auto output = OUTPUT_VARIABLE(0); int sH = INT_ARG(0);\n"
        "  int kW = INT_ARG(10); }\n"
        "CUSTOM_OP_IMPL(concat, -1, 1, true, 0, 0) { int a = INT_ARG(0); }\n"
        "LIST_OP_IMPL(create, -2, 1, 0, 0) { }\n"
        "OP_IMPL(floor, 1, 1, false) { auto x = INPUT_VARIABLE(0); }\n";
    struct tn_scratch scratch = tn_scratch_open();
    struct tn_error   error   = TN_ERROR_INIT;

    (void)state;
    tn_scratch_write(&scratch, "ops.cpp", conv);
    char *path = tn_scratch_path(&scratch, "ops.cpp");
    for (int form = TN_DUMP_TEXT; form <= TN_DUMP_JSON; form++) {
        struct tn_interpreter *first, *second;
        char                  *saved = tn_scratch_path(&scratch, "saved");
        assert_int_equal(tn_interpreter_extract(&first,
                                                (const char *const *)&path, 1,
                                                NULL, &error),
                         TN_OK);
        export_to(first, TN_EXPORT_OPS, (enum tn_dump_form)form, saved);
        struct tn_interpreter_options what = { .files =
                                                   (const char *const *)&saved,
                                               .file_count = 1 };
        if (tn_interpreter_open(&second, &what, NULL, &error) != TN_OK)
            fail_msg("%s", error.what);
        assert_int_equal(tn_interpreter_op_count(first), 4);
        assert_int_equal(tn_interpreter_op_count(second), 4);
        for (uint32_t i = 0; i < 4; i++)
            assert_same_op(tn_interpreter_op(first, i),
                           tn_interpreter_op(second, i));
        assert_int_equal(tn_interpreter_op(second, 1)->i_count, 9);
        assert_true(tn_interpreter_op(second, 0)->is_inplaceable);
        assert_false(tn_interpreter_op(second, 3)->is_inplaceable);
        tn_interpreter_close(first);
        tn_interpreter_close(second);
        free(saved);
    }
    free(path);
    tn_scratch_close(&scratch);
}

/* What is exported loads as what it was: text becomes JSON becomes text. */
static void test_exports_load_again(void **state)
{
    struct tn_scratch      scratch;
    struct tn_interpreter *i, *again;

    (void)state;
    if (!open_shipped(&i))
        return;
    scratch     = tn_scratch_open();
    char *ops   = tn_scratch_path(&scratch, "ops.json");
    char *rules = tn_scratch_path(&scratch, "rules.json");
    char *first = tn_scratch_path(&scratch, "first.pbtxt");
    char *other = tn_scratch_path(&scratch, "other.pbtxt");
    export_to(i, TN_EXPORT_OPS, TN_DUMP_JSON, ops);
    export_to(i, TN_EXPORT_RULES, TN_DUMP_JSON, rules);
    export_to(i, TN_EXPORT_RULES, TN_DUMP_TEXT, first);
    const char *const             files[] = { ops, rules };
    struct tn_interpreter_options what    = { .files = files, .file_count = 2 };
    struct tn_error               error   = TN_ERROR_INIT;
    if (tn_interpreter_open(&again, &what, NULL, &error) != TN_OK)
        fail_msg("%s: %s", error.file, error.what);
    export_to(again, TN_EXPORT_RULES, TN_DUMP_TEXT, other);
    struct tn_bytes a = tn_load_file(first), b = tn_load_file(other);
    assert_true(a.size > 100000 && tn_bytes_equal(a, b));
    for (unsigned row = 0; row < sizeof examples / sizeof examples[0]; row++)
        assert_call(again, row);
    free((void *)(uintptr_t)a.data);
    free((void *)(uintptr_t)b.data);
    tn_interpreter_close(again);
    tn_interpreter_close(i);
    free(ops), free(rules), free(first), free(other);
    tn_scratch_close(&scratch);
}

/* TensorFlow's and ONNX's own definitions take the place of the carried ones,
 * and every example still comes out the same. */
static void test_frameworks_definitions_load(void **state)
{
    static const char *const files[] = {
        DATA "nd4j-op-def.pbtxt",
        DATA "tensorflow-mapping-ruleset.pbtxt",
        DATA "onnx-mapping-ruleset.pbtxt",
        DATA "tensorflow-ops.pbtxt.gz",
        DATA "onnx-op-defs.pb.gz",
    };
    struct tn_error               error = TN_ERROR_INIT;
    struct tn_interpreter_options what  = { .files = files, .file_count = 5 };
    struct tn_interpreter        *i;

    (void)state;
    if (!open_shipped(&i))
        return;
    tn_interpreter_close(i);
    if (tn_interpreter_open(&i, &what, NULL, &error) != TN_OK)
        fail_msg("%s: %s", error.file, error.what);
    for (unsigned row = 0; row < sizeof examples / sizeof examples[0]; row++)
        assert_call(i, row);
    tn_interpreter_close(i);
}

/* Every shipped mapper meets a node of its kind that says nothing: it gives a
 * descriptor of its target, or says what it lacks. */
static void test_every_mapper_runs(void **state)
{
    struct tn_interpreter *i;
    unsigned               given = 0, refused_count = 0;

    (void)state;
    if (!open_shipped(&i))
        return;
    for (uint32_t k = 0; k < tn_interpreter_mapper_count(i); k++) {
        struct tn_mapper_info    info    = tn_interpreter_mapper(i, k);
        bool                     is_onnx = tn_bytes_is(info.framework, "onnx");
        struct tn_error          error   = TN_ERROR_INIT;
        struct tn_op_descriptor *op;
        char                     text[200];

        snprintf(text, sizeof text, "%s: '%.*s' input: 'a' input: 'b'",
                 is_onnx ? "op_type" : "op", TN_FMT(info.op_type));
        struct tn_bytes node = encode_node(is_onnx, text);
        (is_onnx ? tn_interpret_onnx : tn_interpret_tensorflow)(&op, i, node,
                                                                NULL, &error);
        if (op)
            assert_true(tn_bytes_equal(op->name, info.name));
        else
            assert_true(error.status == TN_UNSUPPORTED && error.what[0]);
        given += op != NULL;
        refused_count += op == NULL;
        tn_op_descriptor_close(op);
        encoded_free(node);
    }
    assert_int_equal(given + refused_count, 306 + 121);
    assert_true(given > 380);
    tn_interpreter_close(i);
}

/* ---- functions that no shipped rule names ------------------------------- */

static const char three_op[] =
    "opList { name: 't' argDescriptor { name: 'x' argType: INPUT_TENSOR } "
    "argDescriptor { name: 'c' argType: INPUT_TENSOR argIndex: 1 } "
    "argDescriptor { name: 'n' argType: INT64 } "
    "argDescriptor { name: 'm' argType: INT64 argIndex: 1 } }";

#define ON_SQUEEZE(function, to, parameters)                                   \
    "mappings { frameworkName: 'tensorflow' opName: 't' "                      \
    "inputFrameworkOpName: 'Squeeze' rule { ruleName: '" function "' "         \
    "inputToOutput { key: '" to "' value: 'squeeze_dims' } "                   \
    "transformerArgs { key: '" to "' " parameters " } } }"
#define DIMS(list)                                                             \
    "op: 'Squeeze' input: 'a' attr { key: 'squeeze_dims' value { list { "      \
    "i: " list " } } }"
#define THRESHOLD                                                              \
    "transformerArgs { int32Value: 2 } transformerArgs { int64Value: 3 } "     \
    "transformerArgs { stringValue: '0' }"

static const struct {
    const char *rules, *node, *call;
} unshipped[] = {
    { ON_SQUEEZE("flattendims", "n", "transformerArgs { int64Value: 1 }"),
      DIMS("[2, 3, 4]"), "t in[a] i[2 3]" },
    { ON_SQUEEZE("flattendims", "n", "transformerArgs { int64Value: 9 }"),
      DIMS("[2, 3, 4]"), NULL },
    { ON_SQUEEZE("sizethresholdarrayint", "n", THRESHOLD), DIMS("[5, 6, 7]"),
      "t in[a] i[7]" },
    { ON_SQUEEZE("sizethresholdarrayint", "n", THRESHOLD), DIMS("[5, 6]"),
      "t in[a] i[5]" },
    { ON_SQUEEZE("convertinputnumberlisttondarray", "c", ""), DIMS("[5, 6]"),
      "t in[a c]" },
    { ON_SQUEEZE("IndexLookup", "m", "transformerArgs { int64Value: 1 }"),
      DIMS("[5, 6]"), "t in[a] i[6]" },
    { ON_SQUEEZE("IndexLookup", "m", "transformerArgs { int64Value: 2 }"),
      DIMS("[5, 6]"), NULL },
};

static void test_functions_that_no_shipped_rule_names(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof unshipped / sizeof unshipped[0]; i++) {
        struct own       own;
        struct tn_memory memory;
        struct tn_buffer out;

        if (own_open(&own, three_op, unshipped[i].rules, NULL, 0) != TN_OK)
            fail_msg("row %zu: %s", i, own.error.what);
        struct tn_op_descriptor *op = own_run(&own, false, unshipped[i].node);
        assert_int_equal(op == NULL, unshipped[i].call == NULL);
        if (op) {
            tn_memory_init(&memory, NULL, 0);
            tn_buffer_init(&out, &memory, &own.error);
            print_call(&out, op);
            assert_string_equal(tn_buffer_string(&out), unshipped[i].call);
            tn_buffer_done(&out);
        } else {
            assert_int_equal(own.error.status, TN_UNSUPPORTED);
        }
        tn_op_descriptor_close(op);
        own_close(&own);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_worked_examples),
        cmocka_unit_test(test_every_mapper_runs),
        cmocka_unit_test(test_sketch_is_one_mapper_per_framework),
        cmocka_unit_test(test_functions_that_no_shipped_rule_names),
        cmocka_unit_test(test_custom_function_is_called),
        cmocka_unit_test(test_broken_rules_are_refused_where_they_are),
        cmocka_unit_test(test_hostile_nodes_do_no_harm),
        cmocka_unit_test(test_builtin_rules_interpret_any_node),
        cmocka_unit_test(test_nodes_without_rules_are_refused),
        cmocka_unit_test(test_descriptors_are_messages),
        cmocka_unit_test(test_descriptors_come_out_of_cpp),
        cmocka_unit_test(test_extracted_ops_survive),
        cmocka_unit_test(test_exports_load_again),
        cmocka_unit_test(test_frameworks_definitions_load),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
