/*
 * interpret.h - one node of TensorFlow, ONNX or Paddle as the nd4j ops that do
 * the same
 *
 * An interpreter is made of files: vocabularies, which say what arguments ops
 * have, and rules, which say how a node of one framework becomes nd4j ops.
 * Both are read as Deeplearning4j ships them; docs/import-ir.md describes their
 * languages.  Nodes for which no file has a mapper are interpreted by the
 * library's own rules, the same that tn_convert() uses.
 *
 * An interpreter must be used by one thread at a time.  Its results live until
 * they are closed, even if the interpreter is closed before.
 */
#ifndef TENON_INTERPRET_H
#define TENON_INTERPRET_H

#include <tenon/graph.h>
#include <tenon/native.h>
#include <tenon/verbs.h>

/* ---- op descriptors ----------------------------------------------------- */

/* The numbers are those of org.nd4j.ir.ArgDescriptor.ArgType. */
enum tn_arg_type {
    TN_ARG_FLOAT,
    TN_ARG_DOUBLE,
    TN_ARG_INT32,
    TN_ARG_INT64,
    TN_ARG_BOOL,
    TN_ARG_DATA_TYPE,
    TN_ARG_INPUT_TENSOR,
    TN_ARG_OUTPUT_TENSOR,
    TN_ARG_STRING,
    TN_ARG_TYPE_COUNT
};

/* The ordered lists that libnd4j reads its arguments from. */
enum tn_arg_list {
    TN_LIST_IN,  /* tensors                                                   */
    TN_LIST_OUT,
    TN_LIST_T, /* doubles                                                     */
    TN_LIST_I, /* int64                                                       */
    TN_LIST_B, /* bools                                                       */
    TN_LIST_D, /* data types                                                  */
    TN_LIST_S, /* strings                                                     */
    TN_LIST_AXIS, /* dimensions of legacy ops                                 */
    TN_LIST_COUNT
};

/* The numbers are those of org.nd4j.ir.OpDescriptor.OpDeclarationType. */
enum tn_declaration {
    TN_CUSTOM_OP_IMPL             = 0,
    TN_BOOLEAN_OP_IMPL            = 1,
    TN_LIST_OP_IMPL               = 2,
    TN_LOGIC_OP_IMPL              = 3,
    TN_OP_IMPL                    = 4,
    TN_DIVERGENT_OP_IMPL          = 6,
    TN_CONFIGURABLE_OP_IMPL       = 7,
    TN_REDUCTION_OP_IMPL          = 8,
    TN_BROADCASTABLE_OP_IMPL      = 9,
    TN_BROADCASTABLE_BOOL_OP_IMPL = 10,
    TN_LEGACY_XYZ                 = 11,
    TN_PLATFORM_IMPL              = 12,
};

struct tn_arg {
    struct tn_bytes  name;
    enum tn_arg_type type;
    int32_t          index; /* position in its list; -1: the rules give none  */
    bool             has_value;
    int64_t          number; /* INT32, INT64, BOOL, DATA_TYPE (IR's numbers)  */
    double           real;   /* FLOAT, DOUBLE                                 */
    struct tn_bytes  text;   /* STRING; for tensors of an interpreted op: the
                                name of the value that is read or made       */
    struct tn_bytes  tensor; /* an org.nd4j.ir.TensorProto, if the rules made
                                one; inputs of the node are given by name     */
    bool is_optional;        /* declared: a call may leave it out             */
    bool converts_bool;      /* declared: convertBoolToInt                    */
    bool is_array;           /* declared: any number of them                  */
};

struct tn_args {
    uint32_t             count;
    const struct tn_arg *items;
};

#define TN_ANY_NUMBER  (-1) /* at least one */
#define TN_ANY_OR_NONE (-2)

/* An op as declared (no argument has a value) or as interpreted.  Some nodes
 * become several ops: a list, in an order in which they can run.  They are
 * connected by the names of values: the `text` of an output is the `text` of
 * the inputs that read it.  This includes the outputs of the node itself. */
struct tn_op_descriptor {
    struct tn_bytes     name;
    enum tn_declaration declaration;
    int32_t             in_count, out_count; /* or TN_ANY_...                 */
    int32_t             t_count, i_count;
    bool                is_inplaceable;
    bool                is_counted; /* the numbers above are declared; else they
                                       follow from the arguments              */
    struct tn_args      args; /* all, in the order they were given            */
    struct tn_args      lists[TN_LIST_COUNT];
    const struct tn_op_descriptor *next; /* NULL: it is the only or last one  */

    /* For the first op of a node: what a rule needed to know, the caller did
     * not say, and was therefore assumed; empty if nothing was.  First inputs,
     * as in tn_interpret_context.inputs, then attributes: "x:float32[?,?]
     * k:int64=0 DstT=float32". */
    struct tn_bytes assumed;
};

/* "CUSTOM_OP_IMPL"; "INT64"; "in", "axis".  Never NULL. */
TN_API const char *tn_declaration_name(enum tn_declaration declaration);
TN_API const char *tn_arg_type_name(enum tn_arg_type type);
TN_API const char *tn_arg_list_name(enum tn_arg_list list);

/* ---- functions of your own ---------------------------------------------- */

/* The application of one rule to one node. */
struct tn_rule_call;

/* Reads what it needs from the node and emits arguments.  To fail, it returns a
 * status and sets the error. */
typedef enum tn_status tn_rule_function(void                *context,
                                        struct tn_rule_call *call,
                                        struct tn_error     *error);

struct tn_custom_function {
    const char       *name; /* what rules call                                */
    tn_rule_function *run;
    void             *context;
};

/* The rule's pairs: an nd4j name and the framework's name for it. */
TN_API uint32_t        tn_call_pair_count(const struct tn_rule_call *call);
TN_API struct tn_bytes tn_call_pair_nd4j(const struct tn_rule_call *call,
                                         uint32_t                   pair);
TN_API struct tn_bytes tn_call_pair_framework(const struct tn_rule_call *call,
                                              uint32_t                   pair);

/* Parameter `index` of the group `key`; NULL if there is none. */
TN_API const struct tn_arg *tn_call_parameter(const struct tn_rule_call *call,
                                              const char *key, uint32_t index);

/* The node's attribute, else its default; false if it has neither.  What the
 * value points to, tensors included, lives until the function returns. */
TN_API bool tn_call_attr(struct tn_rule_call *call, struct tn_bytes name,
                         struct tn_attr_value *value);

/* The position at which nd4j declares an argument of that name and type; -1:
 * none. */
TN_API int32_t tn_call_index(const struct tn_rule_call *call,
                             struct tn_bytes name, enum tn_arg_type type);

/* Adds an argument; its texts are copied. */
TN_API enum tn_status tn_call_emit(struct tn_rule_call *call,
                                   const struct tn_arg *arg,
                                   struct tn_error     *error);

/* ---- interpreters ------------------------------------------------------- */

struct tn_interpreter;

struct tn_interpreter_options {
    size_t size; /* options.h: how structs of options grow */

    /* Vocabularies and rules, recognized by their content; may be compressed
     * with gzip.  The library has vocabularies of TensorFlow, ONNX and nd4j;
     * files of vocabularies replace them.  Without any file, the mappers are
     * those of the library's rules that turn one node into one op. */
    const char *const               *files;
    uint32_t                         file_count;
    const struct tn_custom_function *functions;
    uint32_t                         function_count;
};
#define TN_INTERPRETER_OPTIONS_INIT TN_SIZED_INIT(struct tn_interpreter_options)

/* Yours to close.  A broken file is refused with line and column. */
TN_API enum tn_status tn_interpreter_open(
    struct tn_interpreter              **out,
    const struct tn_interpreter_options *interpreter,
    const struct tn_options *options, struct tn_error *error);
TN_API void tn_interpreter_close(struct tn_interpreter *interpreter);

/* nd4j's ops, sorted by name. */
TN_API uint32_t tn_interpreter_op_count(const struct tn_interpreter *i);
TN_API const struct tn_op_descriptor *tn_interpreter_op(
    const struct tn_interpreter *i, uint32_t index);

/* What the caller knows about the surroundings of a node. */
struct tn_interpret_context {
    int64_t opset; /* ONNX; 0: 14, for which the shipped rules were written; if
                      those have no mapper, the newest that the library knows */
    bool is_strict; /* what a rule needs to know about an input must be known.
                       Otherwise a mapper takes 0 for an unknown value, and our
                       own rules assume the usual types, ranks, sizes and
                       values: tn_op_descriptor.assumed                       */

    /* The value of an input, if it is known, as the bytes of the framework's
     * TensorProto.  They must stay valid until the call returns.  May be
     * NULL. */
    bool (*constant)(void *context, struct tn_bytes name,
                     struct tn_bytes *tensor);
    void *context;

    /* Element type and shape of an input, as far as they are known.  May be
     * NULL. */
    bool (*type)(void *context, struct tn_bytes name,
                 struct tn_native_type *type);

    /* The same two as text, for inputs that the functions above do not know:
     *   x:float32[2,?,3] axes:int64[2]=[0,1] "odd name":string="text"
     * A type without brackets has unknown rank, or is a scalar if it has a
     * value.  May be NULL. */
    const char *inputs;
};

/* `node` is a serialized tensorflow.NodeDef or onnx.NodeProto.  The result is
 * the first of the ops that it becomes (see tn_op_descriptor.next); it is yours
 * to close, and closing the first closes all of them.  A node that only passes
 * on a value or a constant becomes nd4j's `identity`.  All outputs of a NodeDef
 * are requested, or only the first where no rule provides all of them.
 * UNSUPPORTED: no rule applies to such a node; the error says why. */
TN_API enum tn_status tn_interpret_tensorflow(
    struct tn_op_descriptor **out, struct tn_interpreter *interpreter,
    struct tn_bytes node, const struct tn_interpret_context *context,
    struct tn_error *error);
TN_API enum tn_status tn_interpret_onnx(
    struct tn_op_descriptor **out, struct tn_interpreter *interpreter,
    struct tn_bytes node, const struct tn_interpret_context *context,
    struct tn_error *error);
TN_API void tn_op_descriptor_close(struct tn_op_descriptor *descriptor);

/* `op` is a serialized paddle.framework.proto.OpDesc.  Constants from the
 * context are onnx.TensorProtos. */
TN_API enum tn_status tn_interpret_paddle(
    struct tn_op_descriptor **out, struct tn_interpreter *interpreter,
    struct tn_bytes op, const struct tn_interpret_context *context,
    struct tn_error *error);

/* The same for a node given as protobuf text, JSON or binary, of any framework,
 * which is recognized by the fields. */
TN_API enum tn_status tn_interpret_node(
    struct tn_op_descriptor **out, struct tn_interpreter *interpreter,
    struct tn_bytes node, const struct tn_interpret_context *context,
    struct tn_error *error);

/* Every op that tn_convert() makes of a model.  The model must have been opened
 * with its graph, and may be closed after the call.  If the interpreter has
 * rule files in Tenon's own language, they take precedence over the library's
 * rules. */
TN_API enum tn_status tn_interpret_model(struct tn_op_descriptor **out,
                                         struct tn_interpreter *interpreter,
                                         const struct tn_model *model,
                                         struct tn_error       *error);

enum tn_descriptor_form {
    TN_DESCRIPTOR_BINARY,
    TN_DESCRIPTOR_TEXT,
    TN_DESCRIPTOR_JSON,
};

/* The op as an org.nd4j.ir.OpDescriptor; with `is_list` the op and those that
 * follow it as an OpDescriptorList.  Arguments are in the order of the lists,
 * each with its position in its list as argIndex.  At most `room` bytes are
 * copied to `to`, which may be NULL if `room` is 0; *size is the number of
 * bytes there are. */
TN_API enum tn_status tn_op_descriptor_encode(
    const struct tn_op_descriptor *descriptor, enum tn_descriptor_form form,
    bool is_list, void *to, size_t room, size_t *size, struct tn_error *error);

/* The same into a file; text and JSON end with a newline there. */
TN_API enum tn_status tn_op_descriptor_write(
    const struct tn_op_descriptor *descriptor, enum tn_descriptor_form form,
    bool is_list, const struct tn_target *target, struct tn_error *error);

/* ---- what an interpreter knows ------------------------------------------ */

struct tn_mapper_info {
    struct tn_bytes framework; /* "onnx"                                      */
    struct tn_bytes op_type;   /* in the framework                            */
    struct tn_bytes name;      /* of the nd4j op                              */
    uint32_t        rule_count;
    uint32_t        defect_count;
};

TN_API uint32_t tn_interpreter_mapper_count(const struct tn_interpreter *i);
TN_API struct tn_mapper_info tn_interpreter_mapper(
    const struct tn_interpreter *i, uint32_t mapper);

enum tn_explain_kind {
    TN_EXPLAIN_RULE,   /* a rule: its function, inputs and results            */
    TN_EXPLAIN_READS,  /* an input or attribute of the node that is read      */
    TN_EXPLAIN_DROPS,  /* one that no rule reads                              */
    TN_EXPLAIN_GIVES,  /* an argument of nd4j that gets a value               */
    TN_EXPLAIN_UNSET,  /* one that gets none                                  */
    TN_EXPLAIN_DEFECT, /* a mistake in the shipped rules that applies here    */
};

typedef void tn_on_explain(void *context, enum tn_explain_kind kind,
                           const char *what);

TN_API enum tn_status tn_interpreter_explain(struct tn_interpreter *i,
                                             uint32_t mapper, tn_on_explain *on,
                                             void            *context,
                                             struct tn_error *error);

/* ---- for other programs ------------------------------------------------- */

enum tn_export {
    TN_EXPORT_OPS,   /* org.nd4j.ir.OpDescriptorList                          */
    TN_EXPORT_RULES, /* org.nd4j.ir.MappingDefinitionSet                      */
};

TN_API enum tn_status tn_interpreter_export(struct tn_interpreter  *i,
                                            enum tn_export          what,
                                            enum tn_dump_form       form,
                                            const struct tn_target *target,
                                            struct tn_error        *error);

/* Reads libnd4j's C++ sources: its declaration macros, and the arguments that
 * the code uses.  The result has ops and no rules. */
TN_API enum tn_status tn_interpreter_extract(struct tn_interpreter **out,
                                             const char *const      *paths,
                                             uint32_t                path_count,
                                             const struct tn_options *options,
                                             struct tn_error         *error);

#endif
