/* tf_check_testing.h - models as text, and the findings of checks in them */
#ifndef TN_FORMAT_TF_CHECK_TESTING_H
#define TN_FORMAT_TF_CHECK_TESTING_H

#include "format/tensorflow/tf_testing.h"

/* clang-format off */
#define A                 "node { name: 'a' op: 'NoOp' }"
#define CONST(attrs)      "node { name: 'c' op: 'Const' " attrs " }"
#define DTYPE(t)          "attr { key: 'dtype' value { type: " t " } }"
#define VALUE(t)          "attr { key: 'value' value { tensor { " t " } } }"
#define NODE(name, attrs) "node { name: '" name "' op: 'X' " attrs " }"
#define SHAPE(dim)        "attr { key: 'k' value { shape { dim { size: " dim " } } } }"
#define K1                "attr { key: 'k' value { i: 1 } }"
#define KNOWN             NODE("b", K1)
#define FUNCTION(name, body)                                                   \
    "function { signature { name: '" name "' input_arg { name: 'x' type: "     \
    "DT_FLOAT } } " body " }"
#define LIBRARY(functions) "library { " functions " }"
#define CALL(name)                                                             \
    "node_def { name: 'n' op: 'PartitionedCall' input: 'x' attr { key: 'f' "   \
    "value { func { name: '" name "' } } } }"

#define TYPE(key, t)  "attr { key: '" key "' value { type: " t " } }"
#define TYPES(key, t) "attr { key: '" key "' value { list { type: [" t "] } } }"
#define FUNC(key, f)  "attr { key: '" key "' value { func { name: '" f "' } } }"
#define PLACE(t, dims) \
    "node { name: 'x' op: 'Placeholder' " TYPE("dtype", t) " attr { key: 'shape' value { shape { " dims " } } } }"
#define X(t)   PLACE(t, "unknown_rank: true")
#define ROW    PLACE("DT_FLOAT", "dim { size: 2 }")
#define IMAGE  PLACE("DT_FLOAT", "dim { size: 1 } dim { size: 2 } dim { size: 2 } dim { size: 1 }")
#define C      "node { name: 'c' op: 'Placeholder' " TYPE("dtype", "DT_BOOL") " }"
#define PARTED(in, out) \
    "node { name: 'b' op: 'PartitionedCall' input: 'x' " TYPES("Tin", in) TYPES("Tout", out) FUNC("f", "f") " }"
#define NAMED  "node { name: 'b' op: 'f' input: 'x' }"
#define USED(t) "node { name: 'u' op: 'Relu' input: 'b' " TYPE("T", t) " }"
#define IF(out) \
    "node { name: 'b' op: 'If' input: 'c' input: 'x' " TYPE("Tcond", "DT_BOOL") TYPES("Tin", "DT_FLOAT") \
    TYPES("Tout", out) FUNC("then_branch", "f") FUNC("else_branch", "g") " }"
#define CASE(f, g) \
    "node { name: 'i' op: 'Placeholder' " TYPE("dtype", "DT_INT32") " } node { name: 'b' op: 'StatelessCase' " \
    "input: 'i' input: 'x' " TYPES("Tin", "DT_FLOAT") TYPES("Tout", "DT_FLOAT") \
    " attr { key: 'branches' value { list { func { name: '" f "' } func { name: '" g "' } } } } }"
#define WHILE  "node { name: 'b' op: 'StatelessWhile' input: 'x' " TYPES("T", "DT_FLOAT") FUNC("cond", "p") FUNC("body", "f") " }"
#define MAKES(name, in, out, says, op, type) /* a function of one node        */ \
    "function { signature { name: '" name "' input_arg { name: 'a' type: " in " } output_arg { name: 'y' type: " says " } } " \
    "node_def { name: 'n' op: '" op "' input: 'a' " type " } ret { key: 'y' value: 'n:" out ":0' } }"
#define RELU(name, in, says) MAKES(name, in, "activations", says, "Relu", TYPE("T", in))
#define HALVES(name, says) MAKES(name, "DT_FLOAT", "y", says, "Cast", TYPE("SrcT", "DT_FLOAT") TYPE("DstT", "DT_HALF"))
#define POOLS(name) MAKES(name, "DT_FLOAT", "output", "DT_FLOAT", "MaxPool", \
    "attr { key: 'ksize' value { list { i: [1, 1, 1, 1] } } } attr { key: 'strides' value { list { i: [1, 1, 1, 1] } } } " \
    "attr { key: 'padding' value { s: 'VALID' } }")
#define CALLS(name, callee) MAKES(name, "DT_FLOAT", "y", "DT_FLOAT", callee, "")
#define ASKS(name) /* a condition                                          */ \
    "function { signature { name: '" name "' input_arg { name: 'a' type: DT_FLOAT } output_arg { name: 'y' type: DT_BOOL } } " \
    "node_def { name: 'n' op: 'Const' " DTYPE("DT_BOOL") VALUE("dtype: DT_BOOL tensor_shape { } bool_val: true") " } " \
    "ret { key: 'y' value: 'n:output:0' } }"

/* clang-format on */

/* "cycle@3 bad-name" without the offsets. */
static inline void drop_offsets(char *text)
{
    char *to = text;

    for (const char *from = text; *from;) {
        if (*from == '@')
            while (*from && *from != ' ')
                from++;
        else
            *to++ = *from++;
    }
    *to = '\0';
}

static inline void expect(const struct tn_format *format, const char *name,
                          const char *text, const char *rules)
{
    struct opened   o;
    struct findings findings;

    open_text(&o, format, text);
    check_model(&o, format, &findings);
    drop_offsets(findings.text);
    if (strcmp(findings.text, rules))
        fail_msg("%s: '%s', not '%s'", name, findings.text, rules);
    close_model(&o);
}

#endif
