/*
 * paddle_pir_read_test.c - operators of PIR as programs: what is said how, what
 * is refused
 *
 * Each row is opened and shown as the text of a ProgramDesc; that program is
 * then written as PIR again.
 */
#define _GNU_SOURCE
#include "format/paddle/paddle_testing.h"

/* ---- words of PIR, with ' for quotes ------------------------------------ */

#define HEAD                                                                   \
    "{'base_code':{'magic':'pir','trainable':true,'version':1},'program':{"    \
    "'regions':[{'#':'region_0','blocks':[{'#':'block_0','args':[],'ops':["
#define TAIL "]}]}]}}"
#define T(type, dims)                                                          \
    "'TT':{'#':'0.t_dtensor','D':[{'#':'" type "'}," dims ",'NCHW',[],0]}"
#define F           T("0.t_f32", "[2,3]")
#define OUT(n)      "{'%':" n "," F "}"
#define AT(name, v) "{'AT':" v ",'N':'" name "'}"
#define STR(v)      "{'#':'0.a_str','D':'" v "'}"
#define I32(v)      "{'#':'0.a_i32','D':" v "}"
#define F32(v)      "{'#':'0.a_f32','D':" v "}"
#define LIST(v)     "{'#':'0.a_array','D':[" v "]}"
#define OP(id, a, i, o)                                                        \
    "{'#':'" id "','A':[" a "],'I':[" i "],'O':[" o "],'OA':[]}"
#define X OP("1.data", AT("name", STR("x")), "", OUT("1"))
#define COND                                                                   \
    OP("1.data", AT("name", STR("c")), "", "{'%':9," T("0.t_bool", "[1]") "}")
#define P(n, name)                                                             \
    "{'#':'p','A':[0,1,1,'" name "'],'DA':[],'O':{'%':" n "," F                \
    "},'OA':[1,0,1],'QA':[]}"
#define V(n) "{'%':" n "}"
#define REGION(args, ops)                                                      \
    "{'#':'r','blocks':[{'#':'b','args':[" args "],'ops':[" ops "]}]}"
#define YIELD(i)          OP("2.yield", "", i, "")
#define WITH(op, regions) op ",'regions':[" regions "]}"
#define ARG(n)            "{'#':" n "," F "}"
#define IF(results, yes, no)                                                   \
    "{'#':'1.if','A':[],'I':[{'%':9}],'O':[" results                           \
    "],'OA':[],'regions':[" yes "," no "]}"
#define WHILE(in, results, region)                                             \
    "{'#':'1.while','A':[],'I':[{'%':9}" in "],'O':[" results                  \
    "],'OA':[],'regions':[" region "]}"
#define SCALE(attrs, operand)                                                  \
    X "," OP("1.full",                                                         \
             AT("shape", "{'#':'1.a_intarray','D':[1]}") "," AT(               \
                 "value", operand) "," AT("dtype",                             \
                                          "{'#':'1.a_dtype','D':'float32'}"),  \
             "", "{'%':2," T("0.t_f32", "[1]") "}") "," OP("1.scale", attrs,   \
                                                           V("1") "," V("2"),  \
                                                           OUT("3"))
#define FULL(attrs) OP("1.full", attrs, "", OUT("1"))
#define VALUES(v, t)                                                           \
    OP("1.assign_value",                                                       \
       AT("values", v) "," AT("dtype", "{'#':'1.a_dtype','D':'" t "'}"), "",   \
       OUT("1"))
#define UNKNOWN(attrs) OP("9.odd", attrs, "", OUT("1"))

static const struct claim {
    const char    *name, *ops;
    enum tn_status status;
    const char    *desc; /* in the program's text, or in the complaint        */
    const char    *json; /* in what is written of it again; NULL: no matter   */
} claims[] = {
    /* ---- attributes by a rule ---- */
    { "a constant becomes an attribute", SCALE("", F32("0.5")), TN_OK,
      "name: \"scale\"\n      type: FLOAT\n      f: 0.5", "'1.full'" },
    { "a value that is none", SCALE("", "{'#':'0.a_f32','VD':'NaN'}"), TN_OK,
      "f: nan", "'VD':'NaN'" },
    { "a float that is written as a double",
      SCALE(AT("bias", "{'#':'0.a_f64','D':0.5}"), F32("1")), TN_OK,
      "name: \"pir.bias\"", "{'#':'0.a_f64','D':0.5},'N':'bias'" },
    { "a number for a float", SCALE(AT("bias", I32("2")), F32("1")), TN_OK,
      "f: 2", "{'#':'0.a_i32','D':2},'N':'bias'" },
    { "a text for a float", SCALE(AT("bias", STR("q")), F32("1")), TN_OK,
      "name: \"pir.bias\"", "{'#':'0.a_str','D':'q'},'N':'bias'" },
    { "an attribute that the rule does not name",
      SCALE(AT("more", I32("7")), F32("1")), TN_OK, "name: \"more\"",
      "'N':'more'" },
    { "a fill of a whole number", FULL(AT("value", "{'#':'0.a_f64','D':3.0}")),
      TN_OK, "s: \"3\"", NULL },
    { "a fill of a fraction", FULL(AT("value", "{'#':'0.a_f64','D':0.1}")),
      TN_OK, "s: \"0.1\"", "{'#':'0.a_f64','D':0.1},'N':'value'" },
    { "a fill of no number", FULL(AT("value", "{'#':'0.a_f32','VD':'-INF'}")),
      TN_OK, "s: \"-inf\"", "'VD':'-INF'" },
    { "a fill of infinity", FULL(AT("value", "{'#':'0.a_f32','VD':'INF'}")),
      TN_OK, "s: \"inf\"", "'VD':'INF'" },
    { "a fill that is a scalar",
      FULL(AT("value", "{'#':'1.a_scalar','D':['0.t_f32',2]}")), TN_OK,
      "s: \"2\"", "1.a_scalar" },
    { "a fill of text", FULL(AT("value", STR("q"))), TN_OK, "pir.value",
      "{'#':'0.a_str','D':'q'},'N':'value'" },
    { "another place",
      FULL(AT("value", F32("1.0")) "," AT("place", "{'#':'1.a_place','D':[2,0,'"
                                                   "']}")),
      TN_OK, "pir.place", "[2,0,'']" },
    { "values by their type", VALUES(LIST(I32("4")), "int32"), TN_OK,
      "name: \"int32_values\"", "{'#':'0.a_i32','D':4}" },
    { "values of a wider type", VALUES(LIST(F32("4.0")), "int64"), TN_OK,
      "name: \"int64_values\"", NULL },
    { "values of a type that has no list", VALUES(LIST(F32("4.0")), "float16"),
      TN_OK, "pir.values", "'N':'values'" },
    { "values that do not fit", VALUES(LIST(F32("0.5")), "int32"), TN_OK,
      "pir.values", "'N':'values'" },
    { "no values", VALUES(LIST(""), "int32"), TN_OK, "assign_value", NULL },

    /* ---- attributes without a rule ---- */
    { "every sort of scalar",
      UNKNOWN(AT("a", "{'#':'0.a_bool','D':true}") "," AT("b", I32("1")) "," AT(
          "c", "{'#':'0.a_i64','D':5000000000}") "," AT("d",
                                                        "{'#':'0.a_f64','D':"
                                                        "0.1}") "," AT("e",
                                                                       "{'#'"
                                                                       ":'0."
                                                                       "a_"
                                                                       "inde"
                                                                       "x','"
                                                                       "D':"
                                                                       "7"
                                                                       "}")),
      TN_OK, "float64: 0.1", "{'#':'0.a_i64','D':5000000000},'N':'c'" },
    { "lists of one sort",
      UNKNOWN(AT("a", LIST("{'#':'0.a_bool','D':true}")) "," AT(
          "b",
          LIST(
              "{'#'"
              ":'0."
              "a_"
              "i64'"
              ",'D'"
              ":1"
              "}")) "," AT("c",
                           LIST(
                               "{'#':'0.a_f64','D':0.5}")) "," AT("d",
                                                                  LIST(STR("q") "," STR(
                                                                      "r")))),
      TN_OK, "strings: \"r\"", "{'#':'0.a_str','D':'r'}" },
    { "a list of two sorts", UNKNOWN(AT("a", LIST(I32("1") "," F32("1.0")))),
      TN_OK, "name: \"pir.a\"", "{'#':'0.a_f32','D':1.0}" },
    { "a list of nothing", UNKNOWN(AT("a", LIST(""))), TN_OK, "name: \"pir.a\"",
      "{'#':'0.a_array','D':[]},'N':'a'" },
    { "a list of lists", UNKNOWN(AT("a", LIST(LIST("")))), TN_OK,
      "name: \"pir.a\"", "'N':'a'" },
    { "no value", UNKNOWN(AT("a", "{'#':'0.a_i32'}")), TN_OK, "name: \"pir.a\"",
      "{'#':'0.a_i32'}" },
    { "a float that is text", UNKNOWN(AT("a", F32("'q'"))), TN_OK,
      "name: \"pir.a\"", "{'#':'0.a_f32','D':'q'}" },
    { "text that is a number", UNKNOWN(AT("a", STR(""))), TN_OK, "s: \"\"",
      NULL },
    { "a number past all types", UNKNOWN(AT("a", I32("99999999999999999999"))),
      TN_OK, "name: \"pir.a\"", NULL },
    { "a number past doubles", UNKNOWN(AT("a", F32("1e999"))), TN_OK, "",
      NULL },
    { "an element type", UNKNOWN(AT("a", "{'#':'1.a_dtype','D':'float32'}")),
      TN_OK, "name: \"pir.a\"", "'D':'float32'" },
    { "a list that our writer found empty",
      UNKNOWN(AT("legacy.empty.03.q", LIST(""))), TN_OK,
      "name: \"q\"\n      type: INTS", "legacy.empty.03.q" },
    { "one that no writer found", UNKNOWN(AT("legacy.empty.99.q", LIST(""))),
      TN_OK, "pir.empty.99.q", NULL },
    { "an empty one that cannot be empty",
      UNKNOWN(AT("legacy.empty.00.q", LIST(""))), TN_OK, "empty.00.q", NULL },
    { "a name that was taken", UNKNOWN(AT("legacy.q", I32("3"))), TN_OK,
      "name: \"q\"", NULL },

    /* ---- operators without a rule ---- */
    { "one that our writer had no word for",
      X "," OP("legacy.my",
               AT("legacy.inputs", LIST(STR("X") "," STR("X"))) "," AT(
                   "legacy.outputs", LIST(STR("Out"))),
               V("1") "," V("1"), OUT("2")),
      TN_OK, "parameter: \"X\"\n      arguments: \"x\"\n      arguments: \"x\"",
      "'legacy.my'" },
    { "and whose slots nobody noted", X "," OP("legacy.my", "", V("1"), ""),
      TN_OK, "type: \"my\"", NULL },
    { "an operand that is not given",
      X "," OP("9.odd", "", V("0") "," V("1"), OUT("2")), TN_OK,
      "parameter: \"I1\"", "'I':[{'%':0},{'%':1}]" },
    { "regions of what is not known",
      "{'#':'9.odd','A':[],'I':[],'O':[],'regions':[" REGION("", "") "]}",
      TN_UNSUPPORTED, "9.odd has regions", NULL },
    { "too many results", X "," OP("1.relu", "", V("1"), OUT("2") "," OUT("3")),
      TN_MALFORMED, "1.relu has 1 operands and 2 results", NULL },

    /* ---- lists ---- */
    { "items of a list",
      X "," OP(
          "0.combine", "", V("1") "," V("1"),
          "{'%':2,'TT':{'#':'0.t_vec','D':[]}}") "," OP("0.slice",
                                                        AT("index", I32("1")),
                                                        V("2"),
                                                        OUT("3")) "," OP("1"
                                                                         "."
                                                                         "r"
                                                                         "e"
                                                                         "l"
                                                                         "u",
                                                                         "",
                                                                         V("3"),
                                                                         OUT("4")),
      TN_OK, "type: \"relu\"", NULL },
    { "an item past the end",
      X "," OP(
          "0.combine", "", V("1"),
          "{'%':2,'TT':{'#':'0.t_vec','D':[]}}") "," OP("0.slice",
                                                        AT("index", I32("1")),
                                                        V("2"), OUT("3")),
      TN_MALFORMED, "item 1 of a list of 1", NULL },
    { "an item of no number", X "," OP("0.slice", "", V("1"), OUT("3")),
      TN_MALFORMED, "item -1", NULL },
    { "a list that is taken apart",
      OP("9.odd", "", "",
         "{'%':1,'TT':{'#':'0.t_vec','D':[{'#':'0.t_f32'},{'#':'0.t_f32'}]}"
         "}") "," OP("0.split", "", V("1"),
                     OUT("2") "," OUT("3")) "," OP("1.relu", "", V("3"),
                                                   OUT("4")),
      TN_OK, "parameter: \"W0\"", NULL },
    { "an empty array",
      OP("1.create_array", "", "",
         "{'%':1,'TT':{'#':'1.t_dense_tensor_array','D':[{'#':'0.t_f32'},["
         "2],"
         "'NCHW']}}"),
      TN_OK, "type: LOD_TENSOR_ARRAY", NULL },
    { "rows",
      OP("9.odd", "", "",
         "{'%':1,'TT':{'#':'1.t_selected_rows','D':[{'#':'0.t_f32'},[2],'"
         "NCHW'"
         ",[],0]}}"),
      TN_OK, "type: SELECTED_ROWS", NULL },

    /* ---- types ---- */
    { "a layout of its own",
      OP("9.odd", "", "",
         "{'%':1,'TT':{'#':'0.t_dtensor','D':[{'#':'0.t_f32'},[2],'NHWC',[]"
         ",0]}"
         "}"),
      TN_OK, "pir.type", "'NHWC'" },
    { "no type at all", OP("9.odd", "", "", "{'%':1}"), TN_OK, "", NULL },
    { "a result that is not there",
      OP("9.odd", "", "", "{'%':0,'TT':{'#':'NULL'}}," OUT("1")), TN_OK,
      "parameter: \"O1\"", "{'%':0,'TT':{'#':'NULL'}}" },

    /* ---- inputs, outputs, parameters ---- */
    { "an input of no name", OP("1.data", "", "", OUT("1")), TN_MALFORMED,
      "1.data needs a name", NULL },
    { "an input of two results",
      OP("1.data", AT("name", STR("x")), "", OUT("1") "," OUT("2")),
      TN_MALFORMED, "1.data needs a name, one result", NULL },
    { "an input on another place",
      OP("1.data",
         AT("name", STR("x")) "," AT("place", "{'#':'1.a_place','D':[1,0,'']}"),
         "", OUT("1")),
      TN_OK, "pir.place", "[1,0,'']" },
    { "ragged sequences",
      OP("1.data", AT("name", STR("x")) "," AT("legacy.lod_level", I32("1")),
         "", OUT("1")),
      TN_OK, "lod_level: 1", "legacy.lod_level" },
    { "an output of another name",
      X "," OP("1.fetch", AT("name", STR("o")) "," AT("col", I32("3")), V("1"),
               OUT("2")),
      TN_OK, "s: \"o\"", "{'#':'0.a_str','D':'o'},'N':'name'" },
    { "an output of nothing", OP("1.fetch", "", "", ""), TN_MALFORMED,
      "a fetch has one operand", NULL },
    { "unusual flags",
      "{'#':'p','A':[1,0,1,'w'],'DA':[],'O':{'%':1," F "},'OA':[0,1,1],'QA':[]"
      "}",
      TN_OK, "s: \"1 0 1 0 1\"", "'A':[1,0,1,'w']" },

    /* ---- regions ---- */
    { "a choice",
      X "," COND "," IF(
          OUT("2"), REGION("", YIELD(V("1"))),
          REGION("", OP("1.relu", "", V("1"), OUT("3")) "," YIELD(V("3")))),
      TN_OK, "type: \"select_input\"", "'1.if'" },
    { "a choice whose branches give nothing",
      COND "," IF("", REGION("", ""), REGION("", "")), TN_OK,
      "type: \"conditional_block\"", "'1.if'" },
    { "a choice of one branch",
      COND ",{'#':'1.if','A':[],'I':[{'%':9}],'O':[],'regions':[" REGION(
          "", "") "]}",
      TN_MALFORMED, "an if has a condition and two regions", NULL },
    { "a loop",
      X "," COND
        "," WHILE("," V("1"), OUT("2"),
                  REGION(ARG("-1"), OP("1.relu", "", V("-1"),
                                       OUT("3")) "," YIELD(V("9") "," V("3")))),
      TN_OK, "type: \"while\"", "'1.while'" },
    { "a loop that swaps",
      X "," P("4", "w") "," COND "," WHILE(
          "," V("1") "," V("4"), OUT("2") "," OUT("3"),
          REGION(ARG("-1") "," ARG("-2"),
                 YIELD(V("9") "," V("-2") "," V("-1")))),
      TN_OK, "type: \"while\"", "'1.while'" },
    { "a loop of fewer values than it takes",
      X "," COND "," WHILE("," V("1"), "", REGION("", YIELD(V("9")))),
      TN_MALFORMED, "a while has a condition", NULL },
    { "an argument of a number above 0",
      X "," COND "," WHILE("," V("1"), OUT("2"), REGION(ARG("5"), "")),
      TN_MALFORMED, "a number below 0", NULL },
    { "a value of a block that is closed",
      X "," COND
        "," IF(OUT("2"), REGION("", OP("1.relu", "", V("1"), OUT("3"))),
               REGION("", YIELD(V("3")))),
      TN_MALFORMED, "is not defined in this block", NULL },
    { "an input in a region", COND "," IF("", REGION("", X), REGION("", "")),
      TN_MALFORMED, "the outermost block", NULL },
};

/* ---- one claim ---------------------------------------------------------- */

/* ' is " from here on. */
static char *quoted(const char *before, const char *text, const char *behind)
{
    char *out;

    assert_true(asprintf(&out, "%s%s%s", before, text, behind) >= 0);
    for (char *at = out; *at; at++)
        *at = *at == '\'' ? '"' : *at;
    return out;
}

static bool file_has(struct tn_scratch *scratch, const char *name,
                     const char *text)
{
    struct tn_bytes bytes = tn_load_file(tn_in_scratch(scratch, name));
    bool            has = bytes.data && tn_bytes_contains(bytes, tn_text(text));

    if (!has)
        print_message("%.*s\n", TN_FMT(bytes));
    free((void *)(uintptr_t)bytes.data);
    return has;
}

static void convert(struct tn_scratch *scratch, const char *from,
                    const char *to, const char *name, struct tn_error *error)
{
    struct tn_convert_options how    = { .to = to, .force_invalid = true };
    struct tn_target          target = { .path = tn_in_scratch(scratch, name),
                                         .can_replace = true };
    struct tn_options         graph  = { .wants_graph = true };
    struct tn_model          *model;

    if (tn_model_open(&model, tn_in_scratch(scratch, from), &graph, error) ==
        TN_OK)
        tn_convert(model, &how, &target, NULL, NULL, error);
    tn_model_close(model);
}

static void try_claim(struct tn_scratch *scratch, const struct claim *claim)
{
    struct tn_error error = TN_ERROR_INIT;
    char           *text  = quoted(HEAD, claim->ops, TAIL);
    char           *json  = quoted("", claim->json ? claim->json : "", "");

    tn_scratch_write(scratch, "in.json", text);
    convert(scratch, "in.json", "paddle-text", "out.txt", &error);
    if (error.status != claim->status ||
        (error.status != TN_OK && !strstr(error.what, claim->desc)))
        fail_msg("%s: %d, %s: %s\n%s", claim->name, error.status, error.where,
                 error.what, text);
    if (error.status == TN_OK) {
        if (!file_has(scratch, "out.txt", claim->desc))
            fail_msg("%s: no %s", claim->name, claim->desc);
        convert(scratch, "out.txt", "paddle-pir", "again.json", &error);
        if (error.status != TN_OK)
            fail_msg("%s, again: %s: %s", claim->name, error.where, error.what);
        if (!file_has(scratch, "again.json", json))
            fail_msg("%s: no %s", claim->name, json);
    }
    free(text);
    free(json);
}

static void operators_are_read_or_refused(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();

    (void)state;
    for (size_t i = 0; i < sizeof claims / sizeof claims[0]; i++)
        try_claim(&scratch, &claims[i]);
    tn_scratch_close(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operators_are_read_or_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
