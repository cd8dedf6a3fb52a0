/*
 * interpret.h - one node of TensorFlow, ONNX or Paddle as the nd4j ops it
 * stands for
 *
 * An interpreter is made of files: vocabularies, which say what ops take, and
 * rules, which say how a node of one framework becomes ops of nd4j.  Both are
 * read as Deeplearning4j ships them; docs/import-ir.md has the languages.
 * Nodes that no file has a mapper for are interpreted by the rules that the
 * library carries, those by which tn_convert() works.
 *
 * An interpreter belongs to one thread at a time.  What it gives lives until
 * it is closed, whatever becomes of the interpreter.
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

/* The ordered lists that libnd4j takes its arguments from. */
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
    int32_t          index; /* sorts its list; -1: the rules say none         */
    bool             has_value;
    int64_t          number; /* INT32, INT64, BOOL, DATA_TYPE (IR's numbers)  */
    double           real;   /* FLOAT, DOUBLE                                 */
    struct tn_bytes  text;   /* STRING; of tensors of an interpreted op the
                                value that is read or made, by its name      */
    struct tn_bytes  tensor; /* an org.nd4j.ir.TensorProto, where the rules
                                made one; inputs of the node go by name       */
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
 * become several ops: these are a list, in the order in which they can run.
 * Their wiring is by names of values: what is `text` of an output is `text` of
 * the inputs that read it, the outputs of the node included. */
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

    /* Of the first op of a node: what nobody told of the node, a rule needed and
     * was assumed; empty: nothing.  Inputs as tn_interpret_context.inputs has
     * them, then attributes: "x:float32[?,?] k:int64=0 DstT=float32". */
    struct tn_bytes assumed;
};

/* "CUSTOM_OP_IMPL"; "INT64"; "in", "axis".  Never NULL. */
TN_API const char *tn_declaration_name(enum tn_declaration declaration);
TN_API const char *tn_arg_type_name(enum tn_arg_type type);
TN_API const char *tn_arg_list_name(enum tn_arg_list list);

/* ---- functions of your own ---------------------------------------------- */

/* One rule at work on one node. */
struct tn_rule_call;

/* Reads what it wants of the node and emits arguments; fails by its status and
 * the error. */
typedef enum tn_status tn_rule_function(void                *context,
                                        struct tn_rule_call *call,
                                        struct tn_error     *error);

struct tn_custom_function {
    const char       *name; /* what rules call                                */
    tn_rule_function *run;
    void             *context;
};

/* The rule's pairs: a name of nd4j, and what the framework calls it. */
TN_API uint32_t        tn_call_pair_count(const struct tn_rule_call *call);
TN_API struct tn_bytes tn_call_pair_nd4j(const struct tn_rule_call *call,
                                         uint32_t                   pair);
TN_API struct tn_bytes tn_call_pair_framework(const struct tn_rule_call *call,
                                              uint32_t                   pair);

/* The parameter `index` of the group `key`; NULL: there is none. */
TN_API const struct tn_arg *tn_call_parameter(const struct tn_rule_call *call,
                                              const char *key, uint32_t index);

/* The node's attribute, else its default; false: neither.  A tensor is of kind
 * TN_ATTR_OTHER: the bytes of the framework's TensorProto. */
TN_API bool tn_call_attr(struct tn_rule_call *call, struct tn_bytes name,
                         struct tn_attr_value *value);

/* Where nd4j declares an argument of that name and type; -1: nowhere. */
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

    /* Vocabularies and rules, told apart by what is in them; gzip too.
     * Vocabularies of TensorFlow, ONNX and nd4j are carried in the library and
     * needed only to replace those.  Without files: what the library carries;
     * its mappers are the rules by which one node becomes one op. */
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

/* nd4j's ops, in order of their names. */
TN_API uint32_t tn_interpreter_op_count(const struct tn_interpreter *i);
TN_API const struct tn_op_descriptor *tn_interpreter_op(
    const struct tn_interpreter *i, uint32_t index);

/* What is around a node. */
struct tn_interpret_context {
    int64_t opset; /* ONNX; 0: 14, that of the shipped rules; where those have
                      no mapper, the newest that the library knows            */
    bool is_strict; /* what a rule needs of an input must be known.  Otherwise a
                       mapper takes 0 for a value, and for our own rules types,
                       ranks, sizes and values that are not known are assumed
                       as they usually are: tn_op_descriptor.assumed          */

    /* The value of an input, when it is known: the bytes of the framework's
     * TensorProto, which stay where they are until the call returns.  May be
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
     * A type without brackets is one of unknown rank; with a value, a scalar.
     * May be NULL. */
    const char *inputs;
};

/* `node` is a tensorflow.NodeDef or an onnx.NodeProto in binary.  The result is
 * the first of the ops that it becomes, see tn_op_descriptor.next; yours to
 * close, all of them by the first.  A node that only hands on a value or a
 * constant is nd4j's `identity`.  Of a NodeDef all outputs are wanted, or where
 * no rule gives all of them the first.  UNSUPPORTED: no rule takes such a node;
 * the error says why. */
TN_API enum tn_status tn_interpret_tensorflow(
    struct tn_op_descriptor **out, struct tn_interpreter *interpreter,
    struct tn_bytes node, const struct tn_interpret_context *context,
    struct tn_error *error);
TN_API enum tn_status tn_interpret_onnx(
    struct tn_op_descriptor **out, struct tn_interpreter *interpreter,
    struct tn_bytes node, const struct tn_interpret_context *context,
    struct tn_error *error);
TN_API void tn_op_descriptor_close(struct tn_op_descriptor *descriptor);

/* `op` is a paddle.framework.proto.OpDesc in binary.  Constants that the context
 * gives are onnx.TensorProtos. */
TN_API enum tn_status tn_interpret_paddle(
    struct tn_op_descriptor **out, struct tn_interpreter *interpreter,
    struct tn_bytes op, const struct tn_interpret_context *context,
    struct tn_error *error);

/* The same of a node as protobuf text, JSON or binary, of any framework: which
 * one is told from its fields. */
TN_API enum tn_status tn_interpret_node(
    struct tn_op_descriptor **out, struct tn_interpreter *interpreter,
    struct tn_bytes node, const struct tn_interpret_context *context,
    struct tn_error *error);

/* Every operation that tn_convert() makes of a model.  It must have been opened
 * with its graph, and outlive the call alone.  Files of rules of the
 * interpreter that are of Tenon's own language go before those of the library.
 */
TN_API enum tn_status tn_interpret_model(struct tn_op_descriptor **out,
                                         struct tn_interpreter *interpreter,
                                         const struct tn_model *model,
                                         struct tn_error       *error);

enum tn_descriptor_form {
    TN_DESCRIPTOR_BINARY,
    TN_DESCRIPTOR_TEXT,
    TN_DESCRIPTOR_JSON,
};

/* The op as an org.nd4j.ir.OpDescriptor; with `is_list` it and those that
 * follow it as an OpDescriptorList.  Arguments stand in the order of the
 * lists, each with its place in its list as argIndex.  At most `room` bytes go
 * to `to`, which may be NULL when it is 0; *size is how many there are. */
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
    struct tn_bytes op_type;   /* of the framework                            */
    struct tn_bytes name;      /* of nd4j's op                                */
    uint32_t        rule_count;
    uint32_t        defect_count;
};

TN_API uint32_t tn_interpreter_mapper_count(const struct tn_interpreter *i);
TN_API struct tn_mapper_info tn_interpreter_mapper(
    const struct tn_interpreter *i, uint32_t mapper);

enum tn_explain_kind {
    TN_EXPLAIN_RULE,   /* a rule: its function, what from what                */
    TN_EXPLAIN_READS,  /* an input or attribute of the node that is read      */
    TN_EXPLAIN_DROPS,  /* one that no rule looks at                           */
    TN_EXPLAIN_GIVES,  /* an argument of nd4j that gets a value               */
    TN_EXPLAIN_UNSET,  /* one that gets none                                  */
    TN_EXPLAIN_DEFECT, /* a mistake of the shipped rules that applies here    */
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

/* Reads C++ of libnd4j: its declaration macros, and the arguments that the
 * code takes.  The result has ops and no rules. */
TN_API enum tn_status tn_interpreter_extract(struct tn_interpreter **out,
                                             const char *const      *paths,
                                             uint32_t                path_count,
                                             const struct tn_options *options,
                                             struct tn_error         *error);

#endif
