/*
 * run_mapper_test.c - every function of Deeplearning4j's rules at work
 *
 * A row is one rule over one node: the call that comes out, or why none does.
 * The framework's operators are our own, so that each has an attribute of every
 * kind and inputs of every arity.
 */
#include "map/dl4j/run_mapper.h"

#include <stdio.h>

#include "map/dl4j/explain.h"
#include "map/dl4j/rule_table.h"
#include "support/import_bench.h"
#include "support/node_model.h"
#include "support/node_text.h"

#define HEAD(framework, type)                                                  \
    "mappings { frameworkName: '" framework "' opName: 'op' "                  \
    "inputFrameworkOpName: '" type "' "
#define ON(type, function, to, from, parameters)                               \
    HEAD("tensorflow", type)                                                   \
    "rule { ruleName: '" function "' "                                         \
    "inputToOutput { key: '" to "' value: '" from "' } " parameters " } }"
#define RULE(function, to, from, parameters)                                   \
    ON("Op", function, to, from, parameters)
#define GROUP(key, items) "transformerArgs { key: '" key "' " items " }"
#define INT(n)            "transformerArgs { int64Value: " #n " } "
#define TEXT(s)           "transformerArgs { stringValue: '" s "' } "
#define NAMED(s, n)                                                            \
    "transformerArgs { name: '" s "' int64Value: " #n " argType: INT64 } "
#define ATTR(name, value) "attr { key: '" name "' value { " value " } } "
#define OP(attrs)         "op: 'Op' input: 'x0' input: 'y0' " attrs
#define LAYOUT(list)      TEXT("SAME") INT(1) INT(2) TEXT(list)
#define THRESHOLD(last)   INT(2) INT(3) TEXT(last)

#define INTS3                                                                  \
    "dtype: DT_INT32 tensor_shape { dim { size: 3 } } int_val: [7, 8, 9]"
#define FLOATS "dtype: DT_FLOAT tensor_shape { dim { size: 2 } } float_val: 0.5"
#define WORDS                                                                  \
    "dtype: DT_STRING tensor_shape { dim { size: 1 } } string_val: 'w'"
#define SCALAR "dtype: DT_INT32 tensor_shape { } int_val: 5"

/* Rows without a tensor know no constant.  `call` begins with '!': refused, and
 * what follows is said. */
static const struct {
    const char *rules, *node, *tensor, *call;
} rows[] = {
    /* one attribute of each kind */
    { RULE("valuemapping", "n", "i", ""), OP(ATTR("i", "i: 3")), NULL,
      "op in[x0 y0] i[3]" },
    { RULE("valuemapping", "real", "f", ""), OP(ATTR("f", "f: 0.5")), NULL,
      "op in[x0 y0] t[0.5]" },
    { RULE("valuemapping", "flag", "flag", ""), OP(ATTR("flag", "b: true")),
      NULL, "op in[x0 y0] b[true]" },
    { RULE("valuemapping", "text", "s", ""), OP(ATTR("s", "s: 'VALID'")), NULL,
      "op in[x0 y0] s[\"VALID\"]" },
    { RULE("valuemapping", "type", "t", ""), OP(ATTR("t", "type: DT_INT64")),
      NULL, "op in[x0 y0] d[7]" },
    { RULE("valuemapping", "type", "t", ""), OP(ATTR("t", "type: DT_VARIANT")),
      NULL, "!valuemapping: nd4j has no type for 'type': variant" },
    { RULE("valuemapping", "n", "d", ""), OP(""), NULL, "op in[x0 y0] i[42]" },
    { RULE("valuemapping", "text", "s", ""), OP(""), NULL,
      "op in[x0 y0] s[\"SAME\"]" },
    { RULE("valuemapping", "n", "i", ""), OP(""), NULL, "op in[x0 y0]" },
    { RULE("valuemapping", "n", "dv", ""), OP(""), NULL, "op in[x0 y0]" },
    { RULE("ndarrayinputtondarray", "b", "dv", ""), OP(""), NULL,
      "op in[x0 y0]" },
    { RULE("valuemapping", "n", "is", ""), OP(ATTR("is", "list { i: 1 }")),
      NULL, "!valuemapping: 'is' is a list" },
    { RULE("valuemapping", "n", "sh", ""),
      OP(ATTR("sh", "shape { dim { size: 2 } }")), NULL,
      "!valuemapping: 'n' holds no number, text or type" },
    { RULE("argdescriptorconstant", "n", "i",
           GROUP("n", "transformerArgs { name: 'n' int64Value: 5 "
                      "argType: INT64 }")),
      OP(""), NULL, "op in[x0 y0] i[5]" },

    /* numbers and truths */
    { RULE("invertbooleannumber", "flag", "i", ""), OP(ATTR("i", "i: 1")), NULL,
      "op in[x0 y0] b[true]" },
    { RULE("invertbooleannumber", "flag", "i", ""), OP(ATTR("i", "i: 0")), NULL,
      "op in[x0 y0] b[false]" },
    { RULE("invertbooleannumber", "flag", "f", ""), OP(ATTR("f", "f: 0.5")),
      NULL, "op in[x0 y0] b[true]" },
    { RULE("invertbooleannumber", "both", "flag", ""),
      OP(ATTR("flag", "b: true")), NULL, "op in[x0 y0] t[1] i[1]" },
    { RULE("invertbooleannumber", "flag", "i", ""), OP(""), NULL,
      "op in[x0 y0]" },
    { RULE("invertbooleannumber", "flag", "s", ""), OP(""), NULL,
      "!invertbooleannumber: 's' is neither number nor bool" },
    { RULE("datatypetoint", "n", "t", ""), OP(ATTR("t", "type: DT_FLOAT")),
      NULL, "op in[x0 y0] i[5]" },
    { RULE("datatypetoint", "n", "t", ""), OP(""), NULL, "op in[x0 y0]" },
    { RULE("datatypetoint", "n", "t", ""), OP(ATTR("t", "type: DT_COMPLEX64")),
      NULL, "!datatypetoint: nd4j has no type complex64" },
    { RULE("datatypetoint", "n", "i", ""), OP(ATTR("i", "i: 1")), NULL,
      "!datatypetoint: 'i' is not a type" },

    /* texts */
    { RULE("stringequals", "both", "s", GROUP("both", TEXT("SAME"))), OP(""),
      NULL, "op in[x0 y0] t[1] i[1] b[true]" },
    { RULE("stringequals", "flag", "s", GROUP("flag", TEXT("VALID"))), OP(""),
      NULL, "op in[x0 y0] b[false]" },
    { RULE("stringequals", "flag", "s", ""), OP(""), NULL,
      "!stringequals: 'flag' has no parameter 0 in line 1 of the rules" },
    { RULE("stringnotequalsadapterrule", "flag", "s",
           GROUP("flag", TEXT("VALID"))),
      OP(""), NULL, "op in[x0 y0] b[true]" },
    { RULE("stringnotequalsadapterrule", "flag", "s", ""), OP(""), NULL,
      "!stringnotequalsadapterrule: 'flag' has no parameter 0 in line 1" },
    { RULE("stringcontains", "flag", "s", GROUP("flag", TEXT("SAME_UPPER"))),
      OP(""), NULL, "op in[x0 y0] b[true]" },
    { RULE("stringcontains", "flag", "s", GROUP("flag", TEXT("SAME_UPPER"))),
      OP(ATTR("s", "s: ''")), NULL, "op in[x0 y0] b[false]" },
    { RULE("stringcontains", "flag", "s", ""), OP(""), NULL,
      "!stringcontains: 'flag' has no parameter 0 in line 1 of the rules" },
    { RULE("stringtoindex", "n", "s", GROUP("n", TEXT("VALID") TEXT("SAME"))),
      OP(""), NULL, "op in[x0 y0] i[1]" },
    { RULE("stringtoindex", "n", "s", GROUP("n", TEXT("VALID"))), OP(""), NULL,
      "op in[x0 y0] i[-1]" },
    { RULE("stringtoindex", "n", "s", ""), OP(""), NULL, "op in[x0 y0] i[-1]" },
    { RULE("mapstringtoindex", "n", "ss",
           GROUP("n", NAMED("Tanh", 4)) GROUP("index", INT(1))),
      OP(ATTR("ss", "list { s: ['Relu', 'Tanh'] }")), NULL,
      "op in[x0 y0] i[4]" },
    { RULE("mapstringtoindex", "n", "ss",
           GROUP("n", NAMED("Tanh", 4)) GROUP("index", INT(0))),
      OP(ATTR("ss", "list { s: 'Relu' }")), NULL,
      "!mapstringtoindex: the rule has no 'Relu'" },
    { RULE("mapstringtoindex", "n", "ss",
           GROUP("n", NAMED("Tanh", 4)) GROUP("index", INT(2))),
      OP(ATTR("ss", "list { s: 'Relu' }")), NULL,
      "!mapstringtoindex: 'ss' has no element 2" },
    { RULE("mapstringtoindex", "n", "ss", ""), OP(""), NULL,
      "!mapstringtoindex: 'index' has no parameter 0 in line 1" },

    /* lists */
    { RULE("listattributevaluelookuptoindex", "n", "is", GROUP("n", INT(1))),
      OP(ATTR("is", "list { i: [5, 6] }")), NULL, "op in[x0 y0] i[6]" },
    { RULE("listattributevaluelookuptoindex", "text", "ss",
           GROUP("text", INT(0))),
      OP(ATTR("ss", "list { s: 'a' }")), NULL, "op in[x0 y0] s[\"a\"]" },
    { RULE("listattributevaluelookuptoindex", "type", "ts",
           GROUP("type", INT(0))),
      OP(ATTR("ts", "list { type: DT_FLOAT }")), NULL, "op in[x0 y0] d[1]" },
    { RULE("listattributevaluelookuptoindex", "n", "is", GROUP("n", INT(7))),
      OP(ATTR("is", "list { i: [5, 6] }")), NULL,
      "!listattributevaluelookuptoindex: 'is' has 2 elements, not element 7" },
    { RULE("listattributevaluelookuptoindex", "n", "is", ""), OP(""), NULL,
      "!listattributevaluelookuptoindex: 'n' has no parameter 0 in line 1" },
    { RULE("listattributevaluelookuptoindex", "n", "is",
           GROUP("n", INT(0) NAMED("n", 9))),
      OP(""), NULL, "op in[x0 y0] i[9]" },
    { RULE("listattributevaluelookuptoindex", "n", "is", GROUP("n", INT(0))),
      OP(""), NULL, "op in[x0 y0]" },
    { RULE("listnumbertolistnumber", "m", "is", ""),
      OP(ATTR("is", "list { i: [5, 6, 7] }")), NULL, "op in[x0 y0] i[5 6 7]" },
    { RULE("listnumbertolistnumber", "real", "fs", ""),
      OP(ATTR("fs", "list { f: [0.5, 1.5] }")), NULL,
      "op in[x0 y0] t[0.5 1.5]" },
    { RULE("listnumbertolistnumber", "m", "is", ""), OP(""), NULL,
      "op in[x0 y0]" },
    { RULE("listnumbertolistnumber", "m", "ss", ""),
      OP(ATTR("ss", "list { s: 'a' }")), NULL,
      "!listnumbertolistnumber: 'ss' is not a list of numbers" },
    { RULE("conditionalfieldvalueintindex", "n", "s", GROUP("n", LAYOUT("is"))),
      OP(ATTR("is", "list { i: [5, 6, 7] }")), NULL, "op in[x0 y0] i[6]" },
    { RULE("conditionalfieldvalueintindex", "n", "s", GROUP("n", LAYOUT("is"))),
      OP(ATTR("is", "list { i: [5, 6, 7] }") ATTR("s", "s: 'VALID'")), NULL,
      "op in[x0 y0] i[7]" },
    { RULE("conditionalfieldvalueintindex", "n", "s", GROUP("n", LAYOUT("is"))),
      OP(ATTR("is", "list { i: 5 }")), NULL,
      "!conditionalfieldvalueintindex: 'is' has no number 1" },
    { RULE("conditionalfieldvalueintindex", "n", "s", GROUP("n", TEXT("a"))),
      OP(""), NULL,
      "!conditionalfieldvalueintindex: 'n' has no parameter 3 in line 1" },
    { RULE("sizethresholdarrayint", "n", "is", GROUP("n", THRESHOLD("0"))),
      OP(ATTR("is", "list { i: [5, 6, 7] }")), NULL, "op in[x0 y0] i[7]" },
    { RULE("sizethresholdarrayint", "n", "is", GROUP("n", THRESHOLD("0"))),
      OP(ATTR("is", "list { i: [5, 6] }")), NULL, "op in[x0 y0] i[5]" },
    { RULE("sizethresholdarrayint", "n", "is", GROUP("n", THRESHOLD("-1"))),
      OP(ATTR("is", "list { i: [5, 6] }")), NULL,
      "!sizethresholdarrayint: fallbackIndex is not a number" },
    { RULE("sizethresholdarrayint", "n", "is", GROUP("n", THRESHOLD("4"))),
      OP(ATTR("is", "list { i: [5, 6] }")), NULL,
      "!sizethresholdarrayint: 'is' has 2 elements, not element 4" },
    { RULE("sizethresholdarrayint", "n", "is", GROUP("n", THRESHOLD("0"))),
      OP(""), NULL, "op in[x0 y0]" },
    { RULE("sizethresholdarrayint", "n", "is", ""), OP(""), NULL,
      "!sizethresholdarrayint: 'n' has no parameter 2 in line 1" },

    /* which inputs are which */
    { RULE("ndarraymapping", "a", "x", ""), OP(""), NULL, "op in[x0 y0]" },
    { RULE("ndarraymapping", "a", "nobody", ""), OP(""), NULL, "op in[x0 y0]" },
    { ON("Counted", "multiinputindex", "a", "xs", ""),
      "op: 'Counted' input: ['p', 'q', 'r'] " ATTR("N", "i: 2"), NULL,
      "op in[p q r]" },
    { ON("Counted", "multiinputindex", "b", "y",
         "inputToOutput { key: 'a' value: 'xs' }"),
      "op: 'Counted' input: ['p', 'q', 'r'] " ATTR("N", "i: 2"), NULL,
      "op in[p q r]" },
    { ON("Counted", "multiinputindex", "a", "xs", ""),
      "op: 'Counted' input: 'p' " ATTR("N", "i: -2"), NULL, "op in[p]" },
    { ON("Counted", "multiinputindex", "a", "xs", ""),
      "op: 'Counted' input: 'p'", NULL, "op in[p]" },
    { ON("Typed", "multiinputindex", "a", "xs", ""),
      "op: 'Typed' input: ['p', 'q'] " ATTR("Ts", "list { type: [1, 1] }"),
      NULL, "op in[p q]" },
    { ON("Many", "multiinputindex", "b", "xs", ""),
      "op: 'Many' input: ['p', 'q', 'r']", NULL, "op in[p q r]" },
    { ON("Many", "multiinputindex", "b", "xs", ""), "op: 'Many' input: 'p'",
      NULL, "op in[p]" },
    { HEAD("tensorflow", "Op") "rule { ruleName: 'passthrough' } }",
      "op: 'Op' input: 'x0' input: ''", NULL, "op in[x0 ]" },

    /* values of inputs */
    { RULE("ndarrayinputtonumericalattribute", "both", "y", ""), OP(""), SCALAR,
      "op in[x0 y0] t[5] i[5]" },
    { RULE("ndarrayinputtonumericalattribute", "real", "y", ""), OP(""), FLOATS,
      "op in[x0 y0] t[0.5]" },
    { RULE("ndarrayinputtonumericalattribute", "both", "y", ""), OP(""), NULL,
      "op in[x0 y0] t[0] i[0]" },
    { RULE("ndarrayinputtonumericalattribute", "both", "y", ""), OP(""), WORDS,
      "op in[x0 y0] t[0] i[0]" },
    { RULE("ndarrayinputtonumericalattribute", "n", "y", ""), OP(""),
      "dtype: DT_INT32 tensor_shape { dim { size: -1 } }",
      "!a constant of unknown type or impossible shape" },
    { RULE("ndarraytointattributevalue", "m", "y", ""), OP(""), INTS3,
      "op in[x0 y0] i[7 8 9]" },
    { RULE("ndarraytointattributevalue", "m", "y", ""), OP(""), NULL,
      "op in[x0 y0]" },
    { RULE("ndarraysizeat", "n", "y", GROUP("n", INT(0))), OP(""), INTS3,
      "op in[x0 y0] i[3]" },
    { RULE("ndarraysizeat", "n", "y", GROUP("n", INT(0))), OP(""), SCALAR,
      "op in[x0 y0] i[-1]" },
    { RULE("ndarraysizeat", "n", "y", GROUP("n", INT(2))), OP(""), INTS3,
      "!ndarraysizeat: 'y' has 1 dimensions, not dimension 2" },
    { RULE("ndarraysizeat", "n", "y", ""), OP(""), INTS3,
      "!ndarraysizeat: 'n' has no parameter 0 in line 1 of the rules" },
    { RULE("conditionalfieldvalueintindexndarray", "n", "s",
           GROUP("n", LAYOUT("y"))),
      OP(""), INTS3, "op in[x0 y0] i[8]" },
    { RULE("conditionalfieldvalueintindexndarray", "n", "s",
           GROUP("n", LAYOUT("y"))),
      OP(""), NULL, "op in[x0 y0] i[0]" },
    { RULE("conditionalfieldvalueintindexndarray", "n", "s",
           GROUP("n", LAYOUT("y"))),
      OP(""), SCALAR,
      "!conditionalfieldvalueintindexndarray: 'y' has no number 1" },
    { RULE("ndarrayextractscalarvalue", "b", "y", GROUP("b", INT(1))), OP(""),
      INTS3, "op in[x0 y0 b]" },
    { RULE("ndarrayextractscalarvalue", "b", "y", GROUP("b", INT(3))), OP(""),
      INTS3, "!ndarrayextractscalarvalue: 'y' has no element 3" },
    { RULE("ndarrayextractscalarvalue", "b", "y", GROUP("b", INT(1))), OP(""),
      NULL, "op in[x0 y0]" },
    { RULE("ndarrayextractscalarvalue", "b", "y", ""), OP(""), NULL,
      "!ndarrayextractscalarvalue: 'b' has no parameter 0 in line 1" },

    /* constants made of attributes */
    { RULE("listnumbertondarray", "b", "is", ""),
      OP(ATTR("is", "list { i: [5, 6] }")), NULL, "op in[x0 y0 b]" },
    { RULE("listnumbertondarray", "b", "sh", ""),
      OP(ATTR("sh", "shape { dim { size: 2 } }")), NULL, "op in[x0 y0 b]" },
    { RULE("listnumbertondarray", "b", "is", ""), OP(""), NULL,
      "op in[x0 y0]" },
    { RULE("listnumbertondarray", "b", "is", ""), OP(ATTR("is", "list { }")),
      NULL, "op in[x0 y0]" },
    { RULE("listnumbertondarray", "b", "s", ""), OP(""), NULL,
      "!listnumbertondarray: 's' holds no numbers" },
    { RULE("convertinputnumberlisttondarray", "b", "is", ""),
      OP(ATTR("is", "list { i: [5, 6] }")), NULL, "op in[x0 y0 b]" },
    { RULE("convertinputnumberlisttondarray", "b", "fs", ""),
      OP(ATTR("fs", "list { f: [5, 6] }")), NULL, "op in[x0 y0 b]" },
    { RULE("attributescalarndarrayattribute", "b", "f", ""),
      OP(ATTR("f", "f: 1.5")), NULL, "op in[x0 y0 b]" },
    { RULE("convertinputstringtondarray", "b", "s", ""), OP(""), NULL,
      "op in[x0 y0 b]" },
    { RULE("ndarrayinputtondarray", "b", "v", ""),
      OP(ATTR("v", "tensor { " INTS3 " }")), NULL, "op in[x0 y0 b]" },
    { RULE("ndarrayinputtondarray", "b", "v", ""), OP(""), NULL,
      "op in[x0 y0]" },
    { RULE("ndarrayinputtondarray", "b", "i", ""), OP(ATTR("i", "i: 1")), NULL,
      "!ndarrayinputtondarray: 'i' is not a tensor" },
    { RULE("attributendarraytoscalarattribute", "both", "v", ""),
      OP(ATTR("v", "tensor { " FLOATS " }")), NULL,
      "op in[x0 y0] t[0.5] i[0]" },
    { RULE("attributendarraytoscalarattribute", "both", "v", ""), OP(""), NULL,
      "op in[x0 y0]" },
    { RULE("attributendarraytoscalarattribute", "both", "i", ""),
      OP(ATTR("i", "i: 1")), NULL,
      "!attributendarraytoscalarattribute: 'i' is not a tensor" },

    /* products of dimensions */
    { RULE("flattendims", "n", "is", GROUP("n", INT(1))),
      OP(ATTR("is", "list { i: [2, 3, 4] }")), NULL, "op in[x0 y0] i[2 3]" },
    { RULE("flattendims", "n", "sh", GROUP("n", INT(2))),
      OP(ATTR("sh", "shape { dim { size: 2 } dim { size: 3 } }")), NULL,
      "op in[x0 y0] i[6 1]" },
    { RULE("flattendims", "n", "y", GROUP("n", INT(1))), OP(""), INTS3,
      "op in[x0 y0] i[7 8]" },
    { RULE("flattendims", "n", "y", GROUP("n", INT(1))), OP(""), NULL,
      "op in[x0 y0]" },
    { RULE("flattendims", "n", "is", ""), OP(ATTR("is", "list { i: 2 }")), NULL,
      "!flattendims: 'n' has no parameter 0 in line 1 of the rules" },
    { RULE("flattendims", "n", "is", GROUP("n", INT(2))),
      OP(ATTR("is", "list { i: [4611686018427387904, 4, 1] }")), NULL,
      "!flattendims: 'is' cannot be flattened at 2" },

    /* the order of inputs, and how many stay */
    { HEAD("tensorflow", "Op") "indexOverrides { key: 0 value: 1 } "
                               "indexOverrides { key: 1 value: 0 } }",
      OP(""), NULL, "op in[y0 x0]" },
    { HEAD("tensorflow", "Op") "indexOverrides { key: 0 value: 4 } }", OP(""),
      NULL, "!input 4 is wanted, the node has 2" },
    { HEAD("tensorflow", "Op") "indexOverrides { key: 0 value: 4294967296 } }",
      OP(""), NULL, "!input 4294967295 is wanted, the node has 2" },
    { HEAD("tensorflow", "Op") "variableResolutionType: OVERRIDE "
                               "rule { ruleName: 'ndarraymapping' "
                               "inputToOutput { key: 'a' value: 'x' } } }",
      OP(""), NULL, "op in[x0]" },
    { HEAD("tensorflow", "Op") "variableResolutionType: ERROR_ON_NOT_EQUAL "
                               "rule { ruleName: 'ndarraymapping' "
                               "inputToOutput { key: 'a' value: 'x' } } }",
      OP(""), NULL, "!the rules name 1 inputs, the node has 2" },
};

/* ---- one row ------------------------------------------------------------ */

struct bench {
    struct import_bench     in;
    struct node_model       model;
    struct tn_map_node      node;
    struct tn_map_job       job;
    struct tn_op_descriptor out;
};

/* All that is needed to run the first mapper of the rules over a node. */
static void set_up(struct bench *b, struct tn_allocator *allocator,
                   const char *rules, struct tn_bytes node)
{
    struct import_bench *in = &b->in;

    import_set_up(in, allocator);
    import_read_ops(in, import_nd4j_ops);
    import_read_rules(in, rules);
    if (node_model_open(&b->model, false, false, node, &in->error) != TN_OK ||
        tn_map_node_take(&b->node, TN_FRAMEWORK_TENSORFLOW, b->model.model, 0,
                         &in->arena, &in->error) != TN_OK)
        return;
    b->job = (struct tn_map_job){
        .mapper = tn_mappers_at(&in->mappers, 0),
        .target = tn_dl4j_ops_find(&in->ops, tn_text("op")),
        .definition =
            tn_vocab_find(&in->vocabs[TN_FRAMEWORK_TENSORFLOW], tn_text(""),
                          b->node.op_type, 1, &in->error),
        .node = &b->node,
    };
}

static void tear_down(struct bench *b)
{
    node_model_close(&b->model);
    import_tear_down(&b->in);
}

/* A constant, and what it is called. */
struct constant {
    const char     *name;
    struct tn_bytes bytes; /* of a TensorProto                                */
};

/* A tn_map_constant. */
static enum tn_status tell(void *context, struct tn_bytes name,
                           struct tn_map_tensor *tensor, bool *is_known,
                           struct tn_arena *arena, struct tn_error *error)
{
    const struct constant *only = context;

    *is_known = only->bytes.data && tn_bytes_is(name, only->name);
    return *is_known
               ? node_model_tensor(tensor, false, only->bytes, arena, error)
               : TN_OK;
}

static void assert_row(unsigned row)
{
    struct bench          b       = { 0 };
    struct tn_bytes       node    = encode_node(false, rows[row].node);
    struct constant       y0      = { "y0", { NULL, 0 } };
    struct tn_map_context context = { .constant = tell, .context = &y0 };
    struct tn_buffer      out;

    if (rows[row].tensor)
        y0.bytes = encode_tensor(false, rows[row].tensor);
    set_up(&b, NULL, rows[row].rules, node);
    if (tn_failed(&b.in.error))
        fail_msg("row %u: %s", row, b.in.error.what);
    b.job.context = &context;
    tn_map_run(&b.job, &b.out, &b.in.arena, &b.in.error);
    tn_buffer_init(&out, &b.in.memory, &b.in.error);
    if (tn_failed(&b.in.error)) {
        if (rows[row].call[0] != '!' ||
            strncmp(b.in.error.what, rows[row].call + 1,
                    strlen(rows[row].call + 1)) != 0)
            fail_msg("row %u: %s", row, b.in.error.what);
    } else {
        print_call(&out, &b.out);
        if (strcmp(tn_buffer_string(&out), rows[row].call) != 0)
            fail_msg("row %u: %s, not %s", row, tn_buffer_string(&out),
                     rows[row].call);
    }
    tn_buffer_done(&out);
    tear_down(&b);
    encoded_free(node);
    encoded_free(y0.bytes);
}

static void every_function_gives_or_refuses(void **state)
{
    (void)state;
    for (unsigned row = 0; row < sizeof rows / sizeof rows[0]; row++)
        assert_row(row);
}

/* A table that lost a row would still pass: every function is in one. */
static void every_function_has_a_row(void **state)
{
    (void)state;
    for (unsigned f = 0; tn_map_function_at(f); f++) {
        char     name[80];
        unsigned uses = 0;

        snprintf(name, sizeof name, "ruleName: '%s'",
                 tn_map_function_at(f)->name);
        for (unsigned row = 0; row < sizeof rows / sizeof rows[0]; row++)
            uses += strstr(rows[row].rules, name) != NULL;
        if (!uses)
            fail_msg("no row uses %s", tn_map_function_at(f)->name);
    }
}

/* Whichever allocation fails, all of it is given back. */
static void survives_no_memory(void **state)
{
    (void)state;
    for (unsigned row = 0; row < sizeof rows / sizeof rows[0]; row += 7) {
        struct tn_bytes node = encode_node(false, rows[row].node);
        enum tn_status  status;
        uint64_t        limit = 0;

        do {
            struct tn_budget    budget    = { .left = limit++ };
            struct tn_allocator allocator = { tn_budget_resize, &budget };
            struct bench        b         = { 0 };

            set_up(&b, &allocator, rows[row].rules, node);
            if (!tn_failed(&b.in.error))
                tn_map_run(&b.job, &b.out, &b.in.arena, &b.in.error);
            status = b.in.error.status;
            tear_down(&b);
            assert_int_equal(budget.blocks, 0);
        } while (status == TN_NO_MEMORY);
        assert_true(status == TN_OK || rows[row].call[0] == '!');
        encoded_free(node);
    }
}

/* ---- what is around a node ---------------------------------------------- */

static void constants_are_found_behind_reads(void **state)
{
    static const char rules[] =
        RULE("ndarrayinputtonumericalattribute", "n", "y", "");
    static const struct {
        const char *node;
        int64_t     number; /* -1: refused, since the context is strict       */
    } reads[] = {
        { "op: 'Op' input: 'x' input: 'var/read'", 5 },
        { "op: 'Op' input: 'x' input: 'var'", 5 },
        { "op: 'Op' input: 'x' input: 'other/read'", -1 },
        { "op: 'Op' input: 'x' input: '/read'", -1 },
    };
    /* A variable is known, not what reads it. */
    struct constant variable = { "var", encode_tensor(false, SCALAR) };

    (void)state;
    for (size_t i = 0; i < sizeof reads / sizeof reads[0]; i++) {
        struct bench          b       = { 0 };
        struct tn_bytes       node    = encode_node(false, reads[i].node);
        struct tn_map_context context = { .is_strict = true,
                                          .constant  = tell,
                                          .context   = &variable };

        set_up(&b, NULL, rules, node);
        b.job.context = &context;
        if (tn_map_run(&b.job, &b.out, &b.in.arena, &b.in.error) == TN_OK)
            assert_int_equal(b.out.lists[TN_LIST_I].items[0].number,
                             reads[i].number);
        else
            assert_string_equal(b.in.error.what,
                                "ndarrayinputtonumericalattribute: input 'y' "
                                "must be constant");
        assert_int_equal(tn_failed(&b.in.error), reads[i].number == -1);
        tear_down(&b);
        encoded_free(node);
    }
    encoded_free(variable.bytes);
}

/* A function of the caller's that sees all there is and may fail silently. */
static enum tn_status look_around(void *context, struct tn_rule_call *call,
                                  struct tn_error *error)
{
    struct tn_arg        bad = { .type = TN_ARG_TYPE_COUNT };
    struct tn_attr_value value;

    assert_int_equal(tn_call_pair_count(call), 1);
    assert_true(tn_bytes_is(tn_call_pair_nd4j(call, 0), "n"));
    assert_true(tn_bytes_is(tn_call_pair_framework(call, 0), "i"));
    assert_int_equal(tn_call_pair_nd4j(call, 1).size, 0);
    assert_int_equal(tn_call_pair_framework(call, 1).size, 0);
    assert_int_equal(tn_call_parameter(call, "n", 0)->number, 6);
    assert_null(tn_call_parameter(call, "n", 1));
    assert_null(tn_call_parameter(call, "m", 0));
    assert_true(tn_call_attr(call, tn_text("v"), &value));
    assert_int_equal(value.kind, TN_ATTR_TENSOR);
    assert_int_equal(tn_tensor_dtype(value.of.tensors[0]), TN_INT32);
    if (*(const int *)context)
        return tn_call_emit(call, &bad, error);
    return TN_UNSUPPORTED;
}

static void functions_of_the_caller_are_held_to_their_word(void **state)
{
    static const char *const said[] = { "mine: failed and did not say why",
                                        "an argument of type 9" };
    struct tn_bytes          node =
        encode_node(false, OP(ATTR("v", "tensor { " SCALAR " }")));

    (void)state;
    for (int emits = 0; emits < 2; emits++) {
        struct tn_map_function mine   = { .name    = "mine",
                                          .custom  = look_around,
                                          .context = &emits };
        struct tn_arg          six    = { .number = 6 };
        struct tn_map_pair     pair   = { tn_text("n"), tn_text("i"), { 0 } };
        struct tn_map_group    group  = { tn_text("n"), &six, 1 };
        struct tn_map_rule     rule   = { .function    = &mine,
                                          .pairs       = &pair,
                                          .pair_count  = 1,
                                          .groups      = &group,
                                          .group_count = 1 };
        struct tn_mapper       mapper = { .rules = &rule, .rule_count = 1 };
        struct bench           b      = { 0 };

        set_up(&b, NULL, rows[0].rules, node);
        b.job.mapper = &mapper;
        assert_int_not_equal(
            tn_map_run(&b.job, &b.out, &b.in.arena, &b.in.error), TN_OK);
        assert_string_equal(b.in.error.what, said[emits]);
        tear_down(&b);
    }
    encoded_free(node);
}

/* ---- what a mapper reads, drops and gives ------------------------------- */

static void note(void *context, enum tn_explain_kind kind, const char *what)
{
    static const char *const kinds[] = { "rule",  "reads", "drops",
                                         "gives", "unset", "defect" };

    tn_buffer_format(context, "%s %s\n", kinds[kind], what);
}

static void a_mapper_is_explained(void **state)
{
    static const char rules[] = HEAD(
        "tensorflow",
        "Op") "rule { ruleName: 'conditionalfieldvalueintindex' "
              "inputToOutput { key: 'n' value: 's' } "
              "transformerArgs { key: 'n' "
              "transformerArgs { name: 'targetValue' stringValue: 'SAME' } "
              "transformerArgs { name: 'trueIndex' int64Value: 1 argType: "
              "INT64 } "
              "transformerArgs { name: 'falseIndex' doubleValue: 2.5 "
              "argType: DOUBLE } "
              "transformerArgs { name: 'attributeNameOfListAttribute' "
              "stringValue: 'is' } } } "
              "rule { ruleName: 'argdescriptorconstant' transformerArgs { key: "
              "'m' "
              "transformerArgs { name: 'm' int64Value: 7 argType: INT64 "
              "argIndex: 1 "
              "} transformerArgs { name: 'flag' boolValue: true argType: BOOL "
              "argIndex: 1 } transformerArgs { name: 'type' "
              "dataTypeValue: FLOAT argType: DATA_TYPE } } } "
              "rule { ruleName: 'passthrough' } }";
    struct bench     b    = { 0 };
    struct tn_bytes  node = encode_node(false, OP(""));
    struct tn_buffer said;

    (void)state;
    set_up(&b, NULL, rules, node);
    assert_string_equal(b.in.error.what, "");
    tn_buffer_init(&said, &b.in.memory, &b.in.error);
    assert_int_equal(tn_map_explain(b.job.mapper, b.job.target,
                                    b.job.definition, &b.in.memory, note, &said,
                                    &b.in.error),
                     TN_OK);
    assert_string_equal(
        tn_buffer_string(&said),
        "rule passthrough\n"
        "rule conditionalfieldvalueintindex n <- s n{targetValue=\"SAME\" "
        "trueIndex=1 falseIndex=2.5 attributeNameOfListAttribute=\"is\"}\n"
        "rule argdescriptorconstant m{m=7 flag=true type=FLOAT}\n"
        "reads input x\nreads input y\n"
        "drops attribute i\ndrops attribute f\nreads attribute s\n"
        "drops attribute flag\ndrops attribute t\ndrops attribute sh\n"
        "drops attribute v\nreads attribute is\ndrops attribute fs\n"
        "drops attribute ss\ndrops attribute ts\ndrops attribute fn\n"
        "drops attribute d\ndrops attribute dv\n"
        "unset INPUT_TENSOR 0 a\nunset INPUT_TENSOR 1 b\ngives INT64 0 n\n"
        "gives INT64 1 m\nunset INT64 2 both\nunset DOUBLE 0 both\n"
        "unset BOOL 0 both\nunset DOUBLE 1 real\ngives BOOL 1 flag\n"
        "unset STRING 0 text\ngives DATA_TYPE 0 type\n");
    tn_buffer_done(&said);
    tear_down(&b);
    encoded_free(node);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_function_gives_or_refuses),
        cmocka_unit_test(every_function_has_a_row),
        cmocka_unit_test(survives_no_memory),
        cmocka_unit_test(constants_are_found_behind_reads),
        cmocka_unit_test(functions_of_the_caller_are_held_to_their_word),
        cmocka_unit_test(a_mapper_is_explained),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
