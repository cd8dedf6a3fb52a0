/*
 * paddle_pir_write_test.c - programs as PIR: what is said how, what is refused
 *
 * Each program is written as PIR, and what was written is read again and shown
 * as a ProgramDesc.
 */
#define _GNU_SOURCE
#include "format/paddle/paddle_testing.h"

/* ---- words of programs -------------------------------------------------- */

#define TYPE(type, dims)                                                       \
    "type { type: LOD_TENSOR lod_tensor { tensor { data_type: " type " " dims  \
    " } } } "
#define FLOATS      TYPE("FP32", "dims: 2 dims: 3")
#define VAR(name)   "vars { name: \"" name "\" " FLOATS "} "
#define FED(name)   "vars { name: \"" name "\" " FLOATS "need_check_feed: true } "
#define PARAM(name) "vars { name: \"" name "\" " FLOATS "persistable: true } "
#define INT(name)   "vars { name: \"" name "\" " TYPE("INT32", "dims: 1") "} "
#define FLAG(name)                                                             \
    "vars { name: \"" name                                                     \
    "\" " TYPE("BOOL", "dims: 1") "need_check_feed: true } "
#define IN(slot, args)    "inputs { parameter: \"" slot "\" " args " } "
#define OUT(slot, args)   "outputs { parameter: \"" slot "\" " args " } "
#define A(name)           "arguments: \"" name "\" "
#define OP(type, parts)   "ops { " parts "type: \"" type "\" } "
#define ATTR(name, value) "attrs { name: \"" name "\" type: " value " } "
#define XY(type, more)                                                         \
    FED("x") VAR("y") OP(type, IN("X", A("x")) OUT("Out", A("y")) more)
#define FETCH(more)                                                            \
    FED("x") OP("fetch", IN("X", A("x")) OUT("Out", A("fetch")) more)
#define BLOCK_1 "} blocks { idx: 1 parent_idx: 0 "
#define SUB     ATTR("sub_block", "BLOCK block_idx: 1")

static const struct claim {
    const char    *name, *program;
    enum tn_status status;
    const char    *json; /* in what is written, or in the complaint           */
    const char *back; /* in the text of what is read again; NULL: no matter */
} claims[] = {
    /* ---- names that are missing ---- */
    { "a variable without a name", "vars { " FLOATS "} ", TN_MALFORMED,
      "a variable without a name", NULL },
    { "an input without a name", "vars { need_check_feed: true } ",
      TN_MALFORMED, "a variable without a name", NULL },
    { "an operator without a type", "ops { } ", TN_MALFORMED,
      "an operator without a type", NULL },
    { "a slot without a name", XY("relu", OUT("", A("y"))), TN_UNSUPPORTED,
      "relu has a slot without a name", NULL },
    { "an empty slot without a name", XY("relu", OUT("", "")), TN_OK,
      "\"1.relu\"", "type: \"relu\"" },
    { "a slot twice", XY("relu", IN("X", A("x"))), TN_UNSUPPORTED,
      "the slot 'X' twice", NULL },
    { "an attribute without a name", XY("relu", ATTR("", "INT i: 1")),
      TN_UNSUPPORTED, "relu has an attribute without a name", NULL },
    { "a kept operator's slot without a name",
      VAR("y") OP("pir.1.foo", OUT("", A("y"))), TN_UNSUPPORTED,
      "without a name", NULL },
    { "a kept operator's slot of another name",
      VAR("y") OP("pir.1.foo", OUT("Out", A("y"))), TN_UNSUPPORTED,
      "slot 'Out' is not O or W", NULL },
    { "a kept operator's slot past the limit",
      FED("x") OP("pir.1.foo", IN("I64", A("x"))), TN_UNSUPPORTED,
      "slot 'I64' is not I or V", NULL },
    { "a kept operator's slot below 0",
      FED("x") OP("pir.1.foo", IN("I-1", A("x"))), TN_UNSUPPORTED, "slot 'I-1'",
      NULL },
    { "two slots of one number",
      FED("x") OP("pir.1.foo", IN("I0", A("x")) IN("V0", A("x"))),
      TN_UNSUPPORTED, "slot 'V0'", NULL },
    { "results keep their numbers",
      VAR("y") VAR("z") OP("pir.1.foo", OUT("O0", A("y")) OUT("O2", A("z"))),
      TN_OK, "{\"%\":0,\"TT\":{\"#\":\"NULL\"}}", "parameter: \"O2\"" },
    { "operands keep their numbers",
      FED("x") OP("pir.1.foo", IN("I0", A("x")) IN("V2", A("x") A("x"))), TN_OK,
      "\"I\":[{\"%\":1},{\"%\":0},{\"%\":2}]", "parameter: \"V2\"" },
    { "a list of results",
      VAR("y") VAR("z") OP("pir.1.foo", OUT("W0", A("y") A("z"))), TN_OK,
      "\"0.split\"", "parameter: \"W0\"" },

    /* ---- lists that are empty ---- */
    { "pir.op of no text", XY("relu", ATTR("pir.op", "STRINGS")), TN_OK,
      "\"1.relu\"", "type: \"relu\"" },
    { "pir.op of no variable", XY("relu", ATTR("pir.op", "VARS")), TN_OK,
      "\"1.relu\"", "type: \"relu\"" },
    { "pir.op of no number", XY("relu", ATTR("pir.op", "INTS")), TN_OK,
      "legacy.empty.03.pir.op", NULL },
    { "pir.op that is short", XY("relu", ATTR("pir.op", "STRING s: \"1\"")),
      TN_OK, "\"1.relu\"", NULL },
    { "pir.op of another operator",
      XY("relu", ATTR("pir.op", "STRING s: \"1.relu_\"")), TN_OK, "\"1.relu_\"",
      "s: \"1.relu_\"" },
    { "pir.op of no operator that fits",
      XY("relu", ATTR("pir.op", "STRING s: \"1.tan\"")), TN_OK,
      "\"legacy.relu\"", "type: \"relu\"" },
    { "pir.name of no text", FETCH(ATTR("pir.name", "STRINGS")), TN_OK,
      "{\"#\":\"0.a_str\",\"D\":\"x\"},\"N\":\"name\"", NULL },
    { "pir.name", FETCH(ATTR("pir.name", "STRING s: \"other\"")), TN_OK,
      "{\"#\":\"0.a_str\",\"D\":\"other\"},\"N\":\"name\"", "s: \"other\"" },
    { "struct_name of no text", XY("scale", ATTR("struct_name", "STRINGS")),
      TN_OK, "legacy.empty.05.struct_name", NULL },
    { "struct_name is that of constants, too",
      XY("scale", ATTR("struct_name", "STRING s: \"/a/\"")), TN_OK,
      "{\"#\":\"0.a_str\",\"D\":\"/a/\"},\"N\":\"struct_name\"", NULL },
    { "col of no number", FETCH(ATTR("col", "INTS")), TN_OK,
      "{\"#\":\"0.a_i32\",\"D\":0},\"N\":\"col\"", NULL },
    { "a shape of no variables", XY("reshape2", ATTR("shape", "VARS")), TN_OK,
      "\"1.reshape\"", NULL },

    /* ---- kinds of attributes ---- */
    { "a flag", XY("my", ATTR("k", "BOOLEAN b: true")), TN_OK,
      "{\"#\":\"0.a_bool\",\"D\":true},\"N\":\"k\"", "b: true" },
    { "flags", XY("my", ATTR("k", "BOOLEANS bools: true bools: false")), TN_OK,
      "{\"#\":\"0.a_bool\",\"D\":false}", "bools: false" },
    { "a number", XY("my", ATTR("k", "INT i: -7")), TN_OK,
      "{\"#\":\"0.a_i32\",\"D\":-7}", "i: -7" },
    { "numbers", XY("my", ATTR("k", "INTS ints: 1 ints: 2")), TN_OK,
      "{\"#\":\"0.a_i32\",\"D\":2}", "ints: 2" },
    { "a long", XY("my", ATTR("k", "LONG l: 8589934592")), TN_OK,
      "{\"#\":\"0.a_i64\",\"D\":8589934592}", "l: 8589934592" },
    { "longs", XY("my", ATTR("k", "LONGS longs: 5")), TN_OK,
      "[{\"#\":\"0.a_i64\",\"D\":5}]", "longs: 5" },
    { "a float", XY("my", ATTR("k", "FLOAT f: 0.5")), TN_OK,
      "{\"#\":\"0.a_f32\",\"D\":0.5}", "f: 0.5" },
    { "floats that are none",
      XY("my", ATTR("k", "FLOATS floats: nan floats: "
                         "inf floats: -inf")),
      TN_OK, "{\"#\":\"0.a_f32\",\"VD\":\"-INF\"}", "floats: -inf" },
    { "a double", XY("my", ATTR("k", "FLOAT64 float64: 0.1")), TN_OK,
      "{\"#\":\"0.a_f64\",\"D\":0.1}", "float64: 0.1" },
    { "doubles", XY("my", ATTR("k", "FLOAT64S float64s: 1e300")), TN_OK,
      "{\"#\":\"0.a_f64\",\"D\":1e+300}", "float64s: 1e+300" },
    { "text", XY("my", ATTR("k", "STRING s: \"a\\n\\\"\\001\"")), TN_OK,
      "\"D\":\"a\\n\\\"\\u0001\"}", "s: \"a\\n" },
    { "texts", XY("my", ATTR("k", "STRINGS strings: \"a\" strings: \"\"")),
      TN_OK, "{\"#\":\"0.a_str\",\"D\":\"\"}", "strings: \"\"" },
    { "a scalar", XY("my", ATTR("k", "SCALAR scalar { type: LONG i: 3 }")),
      TN_OK, "{\"#\":\"0.a_f64\",\"D\":3.0}", NULL },
    { "scalars",
      XY("my", ATTR("k", "SCALARS scalars { type: FLOAT64 r: 0.25 }")), TN_OK,
      "{\"#\":\"0.a_f64\",\"D\":0.25}", NULL },
    { "empty lists",
      XY("my", ATTR("a", "INTS") ATTR("b", "FLOATS") ATTR("c", "STRINGS") ATTR(
                   "d", "LONGS") ATTR("e", "BOOLEANS") ATTR("f", "FLOAT64S")),
      TN_OK, "legacy.empty.12.f", "type: FLOAT64S" },
    { "one that should have a value", XY("my", ATTR("k", "INT")), TN_OK,
      "\"legacy.my\"", NULL },
    { "a block of an operator that has no word in PIR", XY("my", SUB) BLOCK_1,
      TN_UNSUPPORTED, "has a block of its own", NULL },

    /* ---- what rules say ---- */
    { "two arguments where PIR takes one",
      FED("x") FED("z") VAR("y")
          OP("relu", IN("X", A("x") A("z")) OUT("Out", A("y"))),
      TN_OK, "\"legacy.relu\"",
      "inputs {\n      parameter: \"X\"\n      arguments: \"x\"\n      "
      "arguments: \"z\"" },
    { "no argument at all", OP("write_to_array", ""), TN_OK,
      "\"1.array_write_\"", "type: \"write_to_array\"" },
    { "a shape of a variable",
      INT("s") OP("my", OUT("Out", A("s")))
          XY("reshape2", ATTR("shape", "VAR var_name: \"s\"")),
      TN_OK, "\"1.reshape\"", "type: \"reshape2\"" },
    { "a shape of variables",
      INT("s") OP("my", OUT("Out", A("s")))
          XY("reshape2", ATTR("shape", "VARS vars_name: \"s\" vars_name: "
                                       "\"s\"")),
      TN_OK, "legacy.parts", "type: \"reshape2\"" },
    { "elements of a shape in a slot",
      INT("s") OP("my", OUT("Out", A("s")))
          XY("reshape2", IN("ShapeTensor", A("s") A("s"))),
      TN_OK, "legacy.parts", "parameter: \"ShapeTensor\"" },
    { "a sum over all axes",
      XY("reduce_sum",
         ATTR("dim", "INTS ints: 1") ATTR("reduce_all", "BOOLEAN b: true")),
      TN_OK, "\"1.sum\"", "ints: 1" },
    { "where Y begins",
      FED("x") VAR("y") "vars { name: \"b\" " TYPE("FP32", "dims: 2") "} " OP(
          "my", OUT("Out", A("b")))
          OP("elementwise_add", IN("X", A("x")) IN("Y", A("b")) OUT(
                                    "Out", A("y")) ATTR("axis", "INT i: 0")),
      TN_OK, "legacy.axis", "i: 0" },
    { "where Y begins, and X is of no known shape",
      "vars { name: \"x\" type { type: RAW } } " VAR("y") FED("b")
          OP("my", OUT("Out", A("x")))
              OP("elementwise_add",
                 IN("X", A("x")) IN("Y", A("b")) OUT("Out", A("y"))
                     ATTR("axis", "INT i: 0")),
      TN_OK, "\"1.add\"", "i: 0" },
    { "a value that only a text says",
      VAR("y")
          OP("fill_constant", OUT("Out", A("y")) ATTR("shape", "LONGS longs: 2")
                                  ATTR("dtype", "INT i: 5")
                                      ATTR("str_value", "STRING s: \"-inf\"")),
      TN_OK, "{\"#\":\"0.a_f32\",\"VD\":\"-INF\"},\"N\":\"value\"",
      "s: \"-inf\"" },
    { "a value of infinity",
      VAR("y") OP("fill_constant",
                  OUT("Out", A("y")) ATTR("str_value", "STRING s: \"inf\"")),
      TN_OK, "\"VD\":\"INF\"", "s: \"inf\"" },
    { "a value that is not a number",
      VAR("y") OP("fill_constant",
                  OUT("Out", A("y")) ATTR("str_value", "STRING s: \"nan\"")),
      TN_OK, "\"VD\":\"NaN\"", "s: \"nan\"" },
    { "a value past a float",
      VAR("y") OP("fill_constant",
                  OUT("Out", A("y")) ATTR("str_value", "STRING s: \"0.1\"")),
      TN_OK, "{\"#\":\"0.a_f64\",\"D\":0.1}", "s: \"0.1\"" },
    { "a value that no text says",
      VAR("y")
          OP("fill_constant", OUT("Out", A("y")) ATTR("str_value", "STRINGS")
                                  ATTR("value", "FLOAT f: 2")),
      TN_OK, "{\"#\":\"0.a_f32\",\"D\":2.0}", "f: 2" },
    { "a value that nothing says",
      VAR("y") OP("fill_constant", OUT("Out", A("y"))), TN_OK, "\"1.full\"",
      "type: \"fill_constant\"" },
    { "values of an array",
      VAR("y") OP("assign_value",
                  OUT("Out", A("y")) ATTR("shape", "INTS ints: 2")
                      ATTR("dtype", "INT i: 2")
                          ATTR("int32_values", "INTS ints: 4 ints: 5")
                              ATTR("fp32_values", "FLOATS")),
      TN_OK, "{\"#\":\"0.a_i32\",\"D\":5}", "ints: 5" },
    { "values of nothing",
      VAR("y")
          OP("assign_value", OUT("Out", A("y")) ATTR("fp32_values", "FLOATS")),
      TN_OK, "{\"#\":\"0.a_array\",\"D\":[]},\"N\":\"values\"", NULL },
    { "an attribute of a type that the rule does not know",
      XY("scale", ATTR("bias", "STRING s: \"q\"")), TN_OK, "legacy.bias",
      "s: \"q\"" },
    { "a type that the rule can turn",
      XY("scale", ATTR("scale", "INT i: 2") ATTR("bias", "FLOAT64 float64: 1")),
      TN_OK, "\"1.scale\"", "type: \"scale\"" },

    /* ---- what our reader kept ---- */
    { "kept as it was",
      XY("my", ATTR("pir.k", "STRING s: "
                             "\"{\\\"#\\\":\\\"1.a_x\\\",\\\"D\\\":[1.50,"
                             "null]}\"")),
      TN_OK, "{\"#\":\"1.a_x\",\"D\":[1.5,null]},\"N\":\"k\"", "pir.k" },
    { "kept, but no attribute of PIR",
      XY("my", ATTR("pir.k", "STRING s: \"{]\"")), TN_OK,
      "\"D\":\"{]\"},\"N\":\"pir.k\"", NULL },
    { "kept, and still the same",
      XY("scale",
         ATTR("pir.bias", "STRING s: "
                          "\"{\\\"#\\\":\\\"0.a_f64\\\","
                          "\\\"D\\\":5.0}\"") ATTR("bias", "FLOAT f: 5")),
      TN_OK, "{\"#\":\"0.a_f64\",\"D\":5.0},\"N\":\"bias\"", "f: 5" },
    { "kept, but changed since",
      XY("scale",
         ATTR("pir.bias", "STRING s: "
                          "\"{\\\"#\\\":\\\"0.a_f64\\\","
                          "\\\"D\\\":6.0}\"") ATTR("bias", "FLOAT f: 5")),
      TN_OK, "{\"#\":\"0.a_f32\",\"D\":5.0},\"N\":\"bias\"", "f: 5" },
    { "a type that was kept",
      "vars { name: \"y\" type { type: RAW } attrs { name: \"pir.type\" type: "
      "STRING s: \"{\\\"#\\\":\\\"9.t_x\\\" }\" } } " OP("my",
                                                         OUT("Out", A("y"))),
      TN_OK, "\"TT\":{\"#\":\"9.t_x\"}", "9.t_x" },
    { "a type that would end the text",
      "vars { name: \"y\" type { type: RAW } attrs { name: \"pir.type\" type: "
      "STRING s: \"0}]}\" } } " OP("my", OUT("Out", A("y"))),
      TN_OK, "0.t_undefined", NULL },
    { "flags of a parameter",
      "vars { name: \"w\" " FLOATS "persistable: true attrs { name: "
      "\"pir.flags\" type: STRING s: \"1 0 9999999999 1 0\" } } ",
      TN_OK, "\"A\":[1,0,9999999999,\"w\"]", "1 0 9999999999 1 0" },
    { "flags that are none",
      "vars { name: \"w\" " FLOATS "persistable: true attrs { name: "
      "\"pir.flags\" type: STRING s: \"a  b\" } } ",
      TN_OK, "\"A\":[0,1,1,\"w\"]", NULL },

    /* ---- inputs, outputs, parameters ---- */
    { "ragged sequences",
      "vars { name: \"x\" type { type: LOD_TENSOR lod_tensor { tensor { "
      "data_type: INT64 dims: -1 } lod_level: 2 } } need_check_feed: true } ",
      TN_OK, "legacy.lod_level", "lod_level: 2" },
    { "two parameters of one name", PARAM("w") PARAM("w"), TN_UNSUPPORTED,
      "two inputs or parameters are named 'w'", NULL },
    { "a parameter with the name of the inputs' holder", PARAM("feed"),
      TN_UNSUPPORTED, "named 'feed'", NULL },
    { "a feed of nothing", OP("feed", IN("X", A("feed"))), TN_MALFORMED,
      "a feed gives one variable", NULL },
    { "a feed of what is not declared", OP("feed", OUT("Out", A("x"))),
      TN_MALFORMED, "not 'x'", NULL },
    { "a fetch of nothing", OP("fetch", ""), TN_MALFORMED,
      "a fetch has one argument in the slot X, not 0", NULL },
    { "a fetch of two", FED("x") OP("fetch", IN("X", A("x") A("x"))),
      TN_MALFORMED, "not 2", NULL },
    { "a fetch of what nobody made", VAR("y") OP("fetch", IN("X", A("y"))),
      TN_UNSUPPORTED, "'y' is read before it is written", NULL },
    { "columns, not the order of the file",
      FED("x") FED("z") OP("feed", OUT("Out", A("x")) ATTR("col", "INT i: 1"))
          OP("feed", OUT("Out", A("z")) ATTR("col", "INT i: 0")),
      TN_OK, "\"D\":\"z\"},\"N\":\"name\"", NULL },

    /* ---- blocks ---- */
    { "a parameter of a block inside", BLOCK_1 PARAM("w"), TN_UNSUPPORTED,
      "a parameter of a block inside", NULL },
    { "a fetch in a block inside",
      FLAG("c") OP("conditional_block", IN("Cond", A("c")) SUB)
          BLOCK_1 OP("fetch", IN("X", A("c"))),
      TN_UNSUPPORTED, "a fetch in a block inside", NULL },
    { "a condition that is missing", OP("conditional_block", SUB) BLOCK_1,
      TN_MALFORMED, "conditional_block without Cond", NULL },
    { "a loop without a condition", OP("while", SUB) BLOCK_1, TN_MALFORMED,
      "while without Condition", NULL },
    { "a block that is not there",
      FLAG("c") OP("while", IN("Condition", A("c")) SUB), TN_UNSUPPORTED,
      "block 1 is none", NULL },
    { "its own block",
      FLAG("c") OP("while", IN("Condition", A("c"))
                                ATTR("sub_block", "BLOCK block_idx: 0")),
      TN_UNSUPPORTED, "block 0 is none", NULL },
    { "a block of two operators",
      FLAG("c") OP("while", IN("Condition", A("c")) SUB)
          OP("while", IN("Condition", A("c")) SUB) BLOCK_1,
      TN_UNSUPPORTED, "is another's", NULL },
    { "a loop of nothing",
      FLAG("c") OP("while", IN("Condition", A("c")) SUB) BLOCK_1, TN_OK,
      "\"1.while\"", "type: \"while\"" },
    { "a loop whose value begins as nothing",
      FLAG("c") VAR("y") OP("while", IN("Condition", A("c")) SUB)
          BLOCK_1 OP("my", OUT("Out", A("y"))),
      TN_UNSUPPORTED, "'y' has no value before the loop", NULL },
    { "a choice whose value begins as nothing",
      FLAG("c") VAR("y") OP("conditional_block", IN("Cond", A("c")) SUB)
          BLOCK_1 OP("my", OUT("Out", A("y"))),
      TN_OK, "\"1.full\"", "type: \"select_input\"" },
    { "an array that only one branch writes to",
      FLAG("c") "vars { name: \"a\" type { type: LOD_TENSOR_ARRAY tensor_array "
                "{ tensor { data_type: FP32 dims: 2 } } } } " OP(
                    "conditional_block", IN("Cond", A("c")) SUB)
                    BLOCK_1 OP("my", OUT("Out", A("a"))),
      TN_OK, "\"1.create_array\"", NULL },
    { "an array of no known type, written to",
      FED("x") INT("i") "vars { name: \"a\" type { type: LOD_TENSOR_ARRAY "
                        "tensor_array { tensor { data_type: UINT16 } } } } " OP(
                            "my", OUT("Out", A("i")))
                            OP("write_to_array", IN("X", A("x")) IN("I", A("i"))
                                                     OUT("Out", A("a"))),
      TN_OK, "\"1.create_array\"", NULL },
    { "a choice of two",
      INT("m") FED("x") FED("z") VAR("y") OP("my", OUT("Out", A("m")))
          OP("select_input",
             IN("X", A("x") A("z")) IN("Mask", A("m")) OUT("Out", A("y"))),
      TN_OK, "\"1.if\"", "type: \"select_input\"" },
    { "a choice of one",
      INT("m") FED("x") VAR("y") OP("my", OUT("Out", A("m")))
          OP("select_input",
             IN("X", A("x")) IN("Mask", A("m")) OUT("Out", A("y"))),
      TN_MALFORMED, "select_input without X", NULL },
    { "a choice that was not made",
      INT("m") FED("x") VAR("y")
          OP("select_input",
             IN("X", A("x") A("x")) IN("Mask", A("m")) OUT("Out", A("y"))),
      TN_UNSUPPORTED, "'m' is read before", NULL },
    { "a block of nobody", FED("x") BLOCK_1, TN_OK, "\"1.data\"", NULL },
    { "empty arguments",
      FED("x") VAR("y") OP("my", IN("X", A("@EMPTY@")) OUT("Out", A("y"))),
      TN_OK, "\"I\":[{\"%\":0}]", NULL },
    { "a name that nobody declares",
      FED("x") OP("relu", IN("X", A("x")) OUT("Out", A("nowhere"))), TN_OK,
      "0.t_undefined", NULL },
};

/* ---- one claim ---------------------------------------------------------- */

static bool file_has(struct tn_scratch *scratch, const char *name,
                     const char *text)
{
    struct tn_bytes bytes = tn_load_file(tn_in_scratch(scratch, name));
    bool            has =
        bytes.data && tn_bytes_contains(bytes, tn_bytes(text, strlen(text)));

    if (!has)
        print_message("%.*s\n", TN_FMT(bytes));
    free((void *)(uintptr_t)bytes.data);
    return has;
}

static enum tn_status convert(struct tn_scratch *scratch, const char *from,
                              const char *to, const char *name,
                              struct tn_error *error)
{
    struct tn_convert_options how    = { .to = to, .force_invalid = true };
    struct tn_target          target = { .path = tn_in_scratch(scratch, name) };
    struct tn_options         graph  = { .wants_graph = true };
    struct tn_model          *model;

    unlink(target.path);
    if (tn_model_open(&model, tn_in_scratch(scratch, from), &graph, error) ==
        TN_OK)
        tn_convert(model, &how, &target, NULL, NULL, error);
    tn_model_close(model);
    return error->status;
}

/* Written and read again, or refused and nothing is there. */
static void try_claim(struct tn_scratch *scratch, const struct claim *claim)
{
    struct tn_error error = TN_ERROR_INIT;
    char           *text;

    assert_true(
        asprintf(&text,
                 "blocks { idx: 0 parent_idx: -1 %s} version { version: 0 }",
                 claim->program) > 0);
    tn_make_model(scratch, "in.pdmodel", text);
    free(text);
    convert(scratch, "in.pdmodel", "paddle-pir", "out.json", &error);
    if (error.status != claim->status)
        fail_msg("%s: %d, %s: %s", claim->name, error.status, error.where,
                 error.what);
    if (error.status != TN_OK) {
        if (!strstr(error.what, claim->json))
            fail_msg("%s: '%s'", claim->name, error.what);
        assert_false(tn_scratch_has(scratch, "out.json"));
        return;
    }
    if (!file_has(scratch, "out.json", claim->json))
        fail_msg("%s: no %s", claim->name, claim->json);
    if (convert(scratch, "out.json", "paddle-text", "back.txt", &error) !=
        TN_OK)
        fail_msg("%s, read again: %s: %s", claim->name, error.where,
                 error.what);
    if (claim->back && !file_has(scratch, "back.txt", claim->back))
        fail_msg("%s: no %s", claim->name, claim->back);
}

static void programs_are_written_or_refused(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();

    (void)state;
    for (size_t i = 0; i < sizeof claims / sizeof claims[0]; i++)
        try_claim(&scratch, &claims[i]);
    tn_scratch_close(&scratch);
}

/* Bytes that a table of text cannot hold: nothing crashes, and what is written
 * can be read. */
static void odd_programs_are_written_or_refused(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    DIR              *folder  = opendir(TN_CORPUS "/paddle/odd");
    struct dirent    *entry;
    int               count = 0;

    (void)state;
    assert_non_null(folder);
    while ((entry = readdir(folder)) != NULL) {
        struct tn_error error = TN_ERROR_INIT;
        char            path[512];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, TN_CORPUS "/paddle/odd/%s", entry->d_name);
        struct tn_bytes bytes = tn_load_file(path);
        tn_scratch_put(&scratch, "in.pdmodel", bytes);
        free((void *)(uintptr_t)bytes.data);
        if (convert(&scratch, "in.pdmodel", "paddle-pir", "out.json", &error) ==
            TN_OK)
            convert(&scratch, "out.json", "paddle-text", "back.txt", &error);
        else if (error.status == TN_UNSUPPORTED || error.status == TN_MALFORMED)
            error = (struct tn_error)TN_ERROR_INIT;
        if (error.status != TN_OK)
            fail_msg("%s: %s", entry->d_name, error.what);
        count++;
    }
    closedir(folder);
    assert_true(count >= 8);
    tn_scratch_close(&scratch);
}

/* ---- what is left behind ------------------------------------------------ */

static void hear_loss(void *context, uint64_t offset, const char *where,
                      const char *what)
{
    char *told = context;

    (void)offset;
    snprintf(told + strlen(told), 500 - strlen(told), "%s: %s\n", where, what);
}

static void losses_are_told(void **state)
{
    struct tn_scratch         scratch   = tn_scratch_open();
    struct tn_error           error     = TN_ERROR_INIT;
    char                      told[500] = "";
    struct tn_convert_options how       = { .to           = "paddle-pir",
                                            .loss         = hear_loss,
                                            .loss_context = told };

    (void)state;
    tn_make_model(&scratch, "in.pdmodel",
                  "blocks { idx: 0 parent_idx: -1 " XY(
                      "relu", ATTR("op_callstack", "STRINGS strings: \"f.py\""))
                      BLOCK_1
                  "} op_version_map { pair { op_name: \"a\" op_version { "
                  "version: 1 } } }");
    struct tn_model *model  = must_open(tn_in_scratch(&scratch, "in.pdmodel"));
    struct tn_target target = { .path = tn_in_scratch(&scratch, "out.json") };
    assert_int_equal(tn_convert(model, &how, &target, NULL, NULL, &error),
                     TN_OK);
    assert_non_null(strstr(told, "op_callstack: 1 attributes"));
    assert_non_null(strstr(told, "op_version_map: "));
    assert_non_null(strstr(told, "blocks[1]: no operator has this block"));
    tn_model_close(model);
    tn_scratch_close(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_are_written_or_refused),
        cmocka_unit_test(odd_programs_are_written_or_refused),
        cmocka_unit_test(losses_are_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
