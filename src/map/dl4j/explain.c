/* explain.c - what a mapper reads, ignores and sets, and its known mistakes */
#include "map/dl4j/explain.h"

#include "base/buffer.h"
#include "base/number.h"
#include "map/dl4j/ir_types.h"
#include "map/dl4j/rule_table.h"

struct explaining {
    const struct tn_mapper        *mapper;
    const struct tn_op_descriptor *target;
    const struct tn_vocab_op      *definition;
    struct tn_buffer               line;
    tn_on_explain                 *on;
    void                          *context;
};

static void say(struct explaining *e, enum tn_explain_kind kind)
{
    e->on(e->context, kind, tn_buffer_string(&e->line));
    tn_buffer_clear(&e->line);
}

/* ---- rules -------------------------------------------------------------- */

static void put_value(struct tn_buffer *line, const struct tn_arg *arg)
{
    char number[TN_NUMBER_ROOM];

    if (arg->text.size > 0) {
        tn_buffer_format(line, "\"%.*s\"", TN_FMT(arg->text));
    } else if (arg->real != 0 || arg->type == TN_ARG_DOUBLE) {
        tn_double_print(number, arg->real);
        tn_buffer_text(line, number);
    } else if (arg->type == TN_ARG_BOOL) {
        tn_buffer_text(line, arg->number ? "true" : "false");
    } else if (arg->type == TN_ARG_DATA_TYPE) {
        tn_buffer_text(line, tn_ir_type_name(arg->number));
    } else {
        tn_buffer_format(line, "%lld", (long long)arg->number);
    }
}

static void put_group(struct tn_buffer *line, const struct tn_map_group *group)
{
    tn_buffer_format(line, " %.*s{", TN_FMT(group->key));
    for (uint32_t i = 0; i < group->count; i++) {
        tn_buffer_format(line, "%s%.*s=", i ? " " : "",
                         TN_FMT(group->items[i].name));
        put_value(line, &group->items[i]);
    }
    tn_buffer_byte(line, '}');
}

static void say_rule(struct explaining *e, const struct tn_map_rule *rule)
{
    tn_buffer_text(&e->line, rule->function->name);
    for (uint32_t i = 0; i < rule->pair_count; i++)
        tn_buffer_format(&e->line, "%s %.*s <- %.*s", i ? "," : "",
                         TN_FMT(rule->pairs[i].target),
                         TN_FMT(rule->pairs[i].source));
    for (uint32_t i = 0; i < rule->group_count; i++)
        put_group(&e->line, &rule->groups[i]);
    say(e, TN_EXPLAIN_RULE);
}

/* ---- what is read ------------------------------------------------------- */

/* Some parameters name an attribute that is read as well. */
static bool names_attr(const struct tn_map_rule *rule, struct tn_bytes name)
{
    for (uint32_t g = 0; g < rule->group_count; g++)
        for (uint32_t i = 0; i < rule->groups[g].count; i++)
            if (tn_bytes_is(rule->groups[g].items[i].name,
                            "attributeNameOfListAttribute") &&
                tn_bytes_equal(rule->groups[g].items[i].text, name))
                return true;
    return false;
}

static bool is_read(const struct tn_mapper *mapper, struct tn_bytes name,
                    bool is_input)
{
    for (uint32_t r = 0; r < mapper->rule_count; r++) {
        const struct tn_map_rule *rule = &mapper->rules[r];

        if (names_attr(rule, name) ||
            (is_input && !strcmp(rule->function->name, "passthrough")))
            return true;
        for (uint32_t i = 0; i < rule->pair_count; i++)
            if (tn_bytes_equal(rule->pairs[i].source, name))
                return true;
    }
    return false;
}

bool tn_map_is_implied(const struct tn_vocab_op *op, struct tn_bytes name)
{
    for (uint32_t i = 0; i < op->input_count; i++)
        if (tn_bytes_equal(op->inputs[i].variable, name) ||
            tn_bytes_equal(op->inputs[i].list, name))
            return true;
    return false;
}

static void say_source(struct explaining *e, const char *what,
                       struct tn_bytes name, bool is_input)
{
    bool read = is_read(e->mapper, name, is_input);

    if (!read && !is_input && tn_map_is_implied(e->definition, name))
        return;
    tn_buffer_format(&e->line, "%s %.*s", what, TN_FMT(name));
    say(e, read ? TN_EXPLAIN_READS : TN_EXPLAIN_DROPS);
}

static void say_sources(struct explaining *e)
{
    const struct tn_vocab_op *op = e->definition;

    for (uint32_t i = 0; op && i < op->input_count; i++)
        say_source(e, "input", op->inputs[i].name, true);
    for (uint32_t i = 0; op && i < op->attr_count; i++)
        say_source(e, "attribute", op->attrs[i].name, false);
}

/* ---- what is given ------------------------------------------------------ */

static bool is_given(const struct tn_mapper *mapper, const struct tn_arg *arg)
{
    for (uint32_t r = 0; r < mapper->rule_count; r++) {
        const struct tn_map_rule *rule = &mapper->rules[r];

        for (uint32_t i = 0; i < rule->pair_count; i++)
            if (tn_bytes_equal(rule->pairs[i].target, arg->name) &&
                rule->function->to >> arg->type & 1)
                return true;
        if (strcmp(rule->function->name, "argdescriptorconstant") != 0)
            continue;
        for (uint32_t g = 0; g < rule->group_count; g++)
            for (uint32_t i = 0; i < rule->groups[g].count; i++)
                if (rule->groups[g].items[i].type == arg->type &&
                    rule->groups[g].items[i].index == arg->index)
                    return true;
    }
    return false;
}

static void say_targets(struct explaining *e)
{
    for (uint32_t i = 0; e->target && i < e->target->args.count; i++) {
        const struct tn_arg *arg = &e->target->args.items[i];

        if (arg->type == TN_ARG_OUTPUT_TENSOR)
            continue;
        tn_buffer_format(&e->line, "%s %d %.*s", tn_arg_type_name(arg->type),
                         (int)arg->index, TN_FMT(arg->name));
        say(e, is_given(e->mapper, arg) ? TN_EXPLAIN_GIVES : TN_EXPLAIN_UNSET);
    }
}

enum tn_status tn_map_explain(const struct tn_mapper        *mapper,
                              const struct tn_op_descriptor *target,
                              const struct tn_vocab_op      *definition,
                              struct tn_memory *memory, tn_on_explain *on,
                              void *context, struct tn_error *error)
{
    struct explaining e = {
        .mapper     = mapper,
        .target     = target,
        .definition = definition,
        .on         = on,
        .context    = context,
    };
    const char *defect;

    tn_buffer_init(&e.line, memory, error);
    for (uint32_t i = 0; i < mapper->rule_count; i++)
        say_rule(&e, &mapper->rules[i]);
    say_sources(&e);
    say_targets(&e);
    for (unsigned i = 0;
         (defect = tn_map_defect(mapper->framework, mapper->op_type, i)); i++)
        on(context, TN_EXPLAIN_DEFECT, defect);
    tn_buffer_done(&e.line);
    return error->status;
}

/* ---- known mistakes of the shipped rules ------------------------------- */

/* clang-format off */
/* What tells a conversion of a mistake. */
enum sight {
    ALWAYS, /* unconditional: reported for every node                         */
    SEEN,   /* the node at hand: a value that makes no difference, an output of
               another type or shape (unmapped.h, lang_dl4j.h)               */
    IDLE,   /* nothing, and it changes no result                              */
};

static const struct {
    const char *framework, *op_type, *what;
    enum sight  sight;
} defects[] = {
    { "onnx", "MatMul", "alpha is 0 and beta 1: the product is multiplied by zero", ALWAYS },
    { "onnx", "MatMul", "two sets of flags are given the places 0 to 2", ALWAYS },
    { "onnx", "Conv", "auto_pad is compared with SAME, which ONNX does not have: SAME_UPPER and SAME_LOWER are lost", SEEN },
    { "onnx", "Conv", "padding is taken from pads[0] and pads[1] alone: asymmetric pads are lost", SEEN },
    { "onnx", "AveragePool", "auto_pad is never seen as SAME_UPPER or SAME_LOWER", SEEN },
    { "onnx", "AveragePool", "padding is taken from pads[2] and pads[3] alone: asymmetric pads are lost", SEEN },
    { "onnx", "AveragePool", "count_include_pad and ceil_mode are dropped", SEEN },
    { "onnx", "MaxPool", "auto_pad and ceil_mode are dropped", SEEN },
    { "onnx", "MaxPool", "padding is taken from pads[2] and pads[3] alone: asymmetric pads are lost", SEEN },
    { "onnx", "MaxPool", "the default strides go to places 6 and 7 instead of 2 and 3", ALWAYS },
    { "onnx", "ReduceLogSumExp", "keepdims is given a second time, as a number without a place", ALWAYS },
    { "onnx", "DepthToSpace", "isNHWC is set although ONNX is NCHW; mode is dropped", ALWAYS },
    { "onnx", "SpaceToDepth", "isNHWC is set although ONNX is NCHW", ALWAYS },
    { "onnx", "Xor", "becomes a bitwise op, while And, Or and Not become others", ALWAYS },
    { "onnx", "And", "becomes a boolean op, while Xor becomes a bitwise one", SEEN },
    { "onnx", "Or", "becomes 'or', of another family than And and Xor", SEEN },
    { "onnx", "Not", "becomes 'not', of another family than And and Xor", IDLE },
    { "onnx", "Pad", "pads are not rearranged from begins and ends to pairs; the value to pad with is dropped", ALWAYS },
    { "onnx", "Pad", "mode edge lands on nd4j's SYMMETRIC", ALWAYS },
    { "onnx", "RandomNormal", "mean, scale, seed and dtype are dropped", SEEN },
    { "onnx", "RandomUniform", "bounds, seed and dtype are dropped", SEEN },
    { "onnx", "ScatterND", "inputs stay in ONNX's order, which is not nd4j's", ALWAYS },
    { "onnx", "ScatterElements", "inputs stay in ONNX's order; axis is dropped", ALWAYS },
    { "onnx", "TopK", "axis and largest are dropped", SEEN },
    { "onnx", "GatherND", "batch_dims is dropped", SEEN },
    { "onnx", "Mod", "fmod is dropped; the remainder of a negative number has the sign of the other kind", ALWAYS },
    { "onnx", "HardSigmoid", "alpha and beta are dropped", SEEN },
    { "onnx", "Round", "halves are rounded away from zero, not to the even number", ALWAYS },
    { "onnx", "LSTM", "the flags for optional inputs are set even when those are missing; weights keep ONNX's layout", ALWAYS },
    { "tensorflow", "Softmax", "always along dimension 1, not the last", ALWAYS },
    { "tensorflow", "LogSoftmax", "no dimension is given", ALWAYS },
    { "tensorflow", "MaxPoolWithArgmax", "ksize, strides and padding are dropped: all are 1", SEEN },
    { "tensorflow", "NonMaxSuppression", "iou_threshold goes to an output", ALWAYS },
    { "tensorflow", "NonMaxSuppression", "an argument that nd4j does not declare is given at place 1", ALWAYS },
    { "tensorflow", "NonMaxSuppressionV2", "an argument that nd4j does not declare is given at place 1", ALWAYS },
    { "tensorflow", "MaxPool", "explicit_paddings is dropped", SEEN },
    { "tensorflow", "MaxPool", "dW and dH are named at each other's places; both are 1", IDLE },
    { "tensorflow", "MaxPoolV2", "dW and dH are named at each other's places; both are 1", IDLE },
    { "tensorflow", "AvgPool", "dW and dH are named at each other's places; both are 1", IDLE },
    { "tensorflow", "Conv2D", "explicit_paddings is dropped", SEEN },
    { "tensorflow", "Conv3D", "pW is given twice and pD never; dilations are mixed up", ALWAYS },
    { "tensorflow", "BlockLSTM", "two numbers are given place 0", ALWAYS },
    { "tensorflow", "BlockLSTMV2", "two numbers are given place 0", ALWAYS },
    { "tensorflow", "SplitV", "the axis is given twice", ALWAYS },
    { "tensorflow", "AvgPool3D", "height and width are swapped", ALWAYS },
    { "tensorflow", "MaxPool3D", "height and width are swapped", ALWAYS },
    { "tensorflow", "ApproximateEqual", "becomes an exact comparison: tolerance is dropped", ALWAYS },
    { "tensorflow", "BatchMatrixDeterminant", "the rule names a sibling op; without effect", IDLE },
    { "tensorflow", "MatrixSetDiag", "the rule names a sibling op; without effect", IDLE },
    { "tensorflow", "MatrixInverse", "the rule names a sibling op; adjoint is dropped", SEEN },
    { "tensorflow", "GatherV2", "batch_dims is dropped", SEEN },
    { "tensorflow", "If", "both branches are lost", SEEN },
    { "tensorflow", "While", "condition and body are lost", SEEN },
    { "tensorflow", "ScatterUpdate", "inputs stay in TensorFlow's order, which is not nd4j's", ALWAYS },
    { "tensorflow", "TensorScatterUpdate", "inputs stay in TensorFlow's order, which is not nd4j's", ALWAYS },
    { "tensorflow", "Bincount", "inputs stay in TensorFlow's order, which is not nd4j's", ALWAYS },
    { "tensorflow", "CTCLoss", "inputs stay in TensorFlow's order, which is not nd4j's", ALWAYS },
};
/* clang-format on */

static bool is_of(size_t i, struct tn_bytes framework, struct tn_bytes op_type)
{
    return tn_bytes_is(framework, defects[i].framework) &&
           tn_bytes_is(op_type, defects[i].op_type);
}

const char *tn_map_unseen_defect(struct tn_bytes framework,
                                 struct tn_bytes op_type, unsigned index)
{
    for (size_t i = 0; i < sizeof defects / sizeof defects[0]; i++)
        if (defects[i].sight == ALWAYS && is_of(i, framework, op_type) &&
            index-- == 0)
            return defects[i].what;
    return NULL;
}

const char *tn_map_defect(struct tn_bytes framework, struct tn_bytes op_type,
                          unsigned index)
{
    for (size_t i = 0; i < sizeof defects / sizeof defects[0]; i++)
        if (is_of(i, framework, op_type) && index-- == 0)
            return defects[i].what;
    return NULL;
}
