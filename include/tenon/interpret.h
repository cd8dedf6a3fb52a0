/*
 * interpret.h - one node of TensorFlow or ONNX as the nd4j op it stands for
 *
 * An interpreter is made of files: vocabularies, which say what ops take, and
 * rules, which say how a node of one framework becomes an op of nd4j.  Both are
 * read as Deeplearning4j ships them; docs/import-ir.md has the languages.
 *
 * An interpreter belongs to one thread at a time.  What it gives lives until
 * it is closed, whatever becomes of the interpreter.
 */
#ifndef TENON_INTERPRET_H
#define TENON_INTERPRET_H

#include <tenon/graph.h>
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
    struct tn_bytes  text;   /* STRING                                        */
    struct tn_bytes  tensor; /* an org.nd4j.ir.TensorProto, where the rules
                                made one; inputs of the node go by name       */
};

struct tn_args {
    uint32_t             count;
    const struct tn_arg *items;
};

#define TN_ANY_NUMBER  (-1) /* at least one */
#define TN_ANY_OR_NONE (-2)

/* An op as declared (no argument has a value) or as interpreted. */
struct tn_op_descriptor {
    struct tn_bytes     name;
    enum tn_declaration declaration;
    int32_t             in_count, out_count; /* or TN_ANY_...                 */
    int32_t             t_count, i_count;
    bool                is_inplaceable;
    struct tn_args      args; /* all, in the order they were given            */
    struct tn_args      lists[TN_LIST_COUNT];
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
    /* Vocabularies and rules, told apart by what is in them; gzip too.
     * Vocabularies of TensorFlow and ONNX are carried in the library and
     * needed only to replace those.  Without files: nd4j's ops and the rules
     * that the library carries, as far as one node becomes one op by them. */
    const char *const               *files;
    uint32_t                         file_count;
    const struct tn_custom_function *functions;
    uint32_t                         function_count;
};

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
    int64_t opset; /* ONNX; 0: 14, that of the shipped rules                  */
    bool is_strict; /* an input whose value a rule needs must be known      */

    /* The value of an input, when it is known: the bytes of the framework's
     * TensorProto, which stay where they are until the call returns.  May be
     * NULL. */
    bool (*constant)(void *context, struct tn_bytes name,
                     struct tn_bytes *tensor);
    void *context;
};

/* `node` is a tensorflow.NodeDef or an onnx.NodeProto in binary.  Yours to
 * close.  NOT_FOUND: no rule maps such a node. */
TN_API enum tn_status tn_interpret_tensorflow(
    struct tn_op_descriptor **out, struct tn_interpreter *interpreter,
    struct tn_bytes node, const struct tn_interpret_context *context,
    struct tn_error *error);
TN_API enum tn_status tn_interpret_onnx(
    struct tn_op_descriptor **out, struct tn_interpreter *interpreter,
    struct tn_bytes node, const struct tn_interpret_context *context,
    struct tn_error *error);
TN_API void tn_op_descriptor_close(struct tn_op_descriptor *descriptor);

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
