/*
 * onnx_check_bodies_test.c - how values go into the graphs that nodes run, and
 * come out of them; sizes that are declared of values
 *
 * Models are protobuf text.  tests/judges/onnx_bodies.py compares many more
 * with the reference.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <tenon/tenon.h>

#include "support/hostile.h"
#include "support/little_models.h"

/* clang-format off */
#define F32 "1"
#define F16 "10"
#define I64 "7"
#define BOOL "9"
#define DIM "dim { dim_value: 2 } "
#define TYPE(t, dims) "type { tensor_type { elem_type: " t " shape { " dims "} } } "
#define OPEN(t) "type { tensor_type { elem_type: " t " } } "
#define IN(name, type) "input { name: '" name "' " type "} "
#define OUT(name, type) "output { name: '" name "' " type "} "
#define NODE(op, in, out, attrs) "node { op_type: '" op "' " in "output: '" out "' " attrs "} "
#define OF(name) "input: '" name "' "
#define GRAPH(key, body) "attribute { name: '" key "' type: GRAPH g { name: '" key "' " body "} } "
#define MODEL(body) "ir_version: 8 opset_import { version: 17 } graph { name: 'g' " body "}"
#define ONE(name) IN(name, TYPE(F32, DIM))
#define SIZE(n) "dim { dim_value: " n " } "
#define OPEN_SIZE "dim { dim_param: 'n' } "
#define VALUE(name, type) "value_info { name: '" name "' " type "} "
#define WEIGHTS "initializer { name: 'k' data_type: 1 dims: 2 dims: 3 float_data: [1, 2, 3, 4, 5, 6] } "
#define PRODUCT(batch, middle, end) \
    MODEL(NODE("MatMul", OF("x") OF("k"), "p", "") NODE("Relu", OF("p"), "y", "") WEIGHTS \
        IN("x", TYPE(F32, batch DIM)) VALUE("p", TYPE(F32, middle)) OUT("y", TYPE(F32, end)))
#define RELU(in, out) NODE("Relu", OF(in), out, "")

#define LOOP_ENDS IN("m", TYPE(I64, "")) IN("c", TYPE(BOOL, "")) ONE("x")
#define LOOP(number, asks, carried, step, gives, after) \
    MODEL(NODE("Loop", OF("m") OF("c") OF("x"), "y", GRAPH("body", \
        step IN("i", TYPE(number, "")) IN("o", TYPE(asks, "")) IN("v", carried) OUT("o", TYPE(asks, "")) OUT("w", gives))) \
        NODE(after, OF("y"), "z", "") LOOP_ENDS OUT("z", OPEN(F32)))
#define FLATTEN NODE("Flatten", OF("v"), "w", "")
#define HALVES NODE("Cast", OF("v"), "w", "attribute { name: 'to' type: INT i: 10 } ")

#define SCAN(state, element, step) \
    MODEL(NODE("Scan", OF("x") OF("d"), "y", GRAPH("body", step IN("v", state) IN("e", element) OUT("w", OPEN(F32))) \
        "attribute { name: 'num_scan_inputs' type: INT i: 1 } ") \
        ONE("x") IN("d", TYPE(F32, DIM DIM)) OUT("y", OPEN(F32)))

#define IF(then, other, after) \
    MODEL(NODE("If", OF("c"), "y", GRAPH("then_branch", then) GRAPH("else_branch", other)) \
        NODE(after, OF("y"), "z", "") IN("c", TYPE(BOOL, "")) ONE("x") IN("h", TYPE(F16, DIM)) OUT("z", OPEN(F32)))
#define FROM(in, out, t) RELU(in, out) OUT(out, OPEN(t))

#define CALLED(body, args) \
    "ir_version: 8 opset_import { version: 17 } opset_import { domain: 'my' version: 1 } graph { name: 'g' " \
    "node { op_type: 'F' domain: 'my' " args "output: 'y' } " ONE("x") IN("h", TYPE(F16, DIM)) OUT("y", OPEN(F32)) "} " \
    "functions { name: 'F' domain: 'my' input: 'a' output: 'b' opset_import { version: 17 } " body "} "

static const struct {
    const char *name, *model, *rule, *where; /* "": nothing is wrong          */
} rows[] = {
    { "a loop", LOOP(I64, BOOL, OPEN(F32), RELU("v", "w"), OPEN(F32), "Relu"), "", "" },
    { "a loop that counts otherwise", LOOP("6", BOOL, OPEN(F32), RELU("v", "w"), OPEN(F32), "Relu"), "type-mismatch", "graph.node[0]" },
    { "a loop that asks for no bool", LOOP(I64, F32, OPEN(F32), RELU("v", "w"), OPEN(F32), "Relu"), "type-mismatch", "graph.node[0]" },
    { "a loop that asks for a list", MODEL(NODE("Loop", OF("m") OF("c") OF("x"), "y", GRAPH("body",
        RELU("v", "w") IN("i", TYPE(I64, "")) IN("o", TYPE(BOOL, "")) IN("v", OPEN(F32)) OUT("o", TYPE(BOOL, "")) OUT("w", OPEN(F32))))
        IN("m", TYPE(I64, "")) IN("c", TYPE(BOOL, DIM)) ONE("x") OUT("y", OPEN(F32))), "rank-mismatch", "graph.node[0]" },
    { "a loop that takes halves", LOOP(I64, BOOL, OPEN(F16), RELU("v", "w"), OPEN(F16), "Relu"), "type-mismatch", "graph.node[0]" },
    { "a loop that gives halves", LOOP(I64, BOOL, OPEN(F32), HALVES, OPEN(F16), "Relu"), "type-mismatch", "graph.node[0]" },
    { "a loop that keeps its rank", LOOP(I64, BOOL, OPEN(F32), RELU("v", "w"), OPEN(F32), "GlobalMaxPool"), "rank-not-allowed", "graph.node[1]" },
    { "a loop that changes its rank", LOOP(I64, BOOL, OPEN(F32), FLATTEN, OPEN(F32), "GlobalMaxPool"), "", "" },
    { "a loop that is declared with another rank", LOOP(I64, BOOL, TYPE(F32, DIM DIM), RELU("v", "w"), OPEN(F32), "Relu"), "", "" },
    { "a loop that is wrong in the first round", LOOP(I64, BOOL, OPEN(F32), NODE("GlobalMaxPool", OF("v"), "w", ""), OPEN(F32), "Relu"),
      "rank-not-allowed", "graph.node[0].attribute[0].g.node[0]" },
    { "a scan", SCAN(OPEN(F32), OPEN(F32), RELU("v", "w")), "", "" },
    { "a scan of slices", SCAN(OPEN(F32), TYPE(F32, DIM DIM), RELU("v", "w")), "rank-mismatch", "graph.node[0]" },
    { "a scan that takes halves", SCAN(OPEN(F16), OPEN(F32), NODE("Cast", OF("v"), "w", "attribute { name: 'to' type: INT i: 1 } ")), "type-mismatch", "graph.node[0]" },
    { "a scan that changes its rank", SCAN(OPEN(F32), OPEN(F32), FLATTEN), "rank-mismatch", "graph.node[0]" },
    { "branches", IF(FROM("x", "a", F32), FROM("x", "b", F32), "Relu"), "", "" },
    { "branches of two types", IF(FROM("x", "a", F32), FROM("h", "b", F16), "Relu"), "type-mismatch", "graph.node[0]" },
    { "out of branches", IF(FROM("x", "a", F32), FROM("x", "b", F32), "GlobalMaxPool"), "rank-not-allowed", "graph.node[1]" },
    { "a call", CALLED("node { op_type: 'Relu' input: 'a' output: 'b' } ", OF("x")), "", "" },
    { "a call with another type", CALLED("node { op_type: 'Relu' input: 'a' output: 'b' } ", OF("h")), "type-mismatch", "graph.node[0]" },
    { "a call of another rank", CALLED("node { op_type: 'GlobalMaxPool' input: 'a' output: 'b' } ", OF("x")), "rank-not-allowed", "functions[0].node[0]" },
    { "a call with too many", CALLED("node { op_type: 'Relu' input: 'a' output: 'b' } ", OF("x") OF("x")), "argument-count", "graph.node[0]" },
    { "declared as it is", PRODUCT(SIZE("4"), SIZE("4") SIZE("3"), SIZE("4") SIZE("3")), "", "" },
    { "an output of another size", PRODUCT(SIZE("4"), SIZE("4") SIZE("3"), SIZE("4") SIZE("10")), "declared-size", "graph.output[0]" },
    { "a value of another size", PRODUCT(SIZE("4"), SIZE("5") SIZE("3"), SIZE("4") SIZE("3")), "declared-size", "graph.value_info[0]" },
    { "an open size becomes a number", PRODUCT(OPEN_SIZE, OPEN_SIZE SIZE("3"), SIZE("4") SIZE("3")), "", "" },
    { "a number becomes an open size", PRODUCT(SIZE("4"), OPEN_SIZE OPEN_SIZE, OPEN_SIZE OPEN_SIZE), "", "" },
    { "an input beside its constant", MODEL(NODE("Relu", OF("k"), "y", "") WEIGHTS IN("k", TYPE(F32, SIZE("2") SIZE("4")))
        OUT("y", TYPE(F32, SIZE("2") SIZE("4")))), "", "" },
    { "a constant that is an output", MODEL(WEIGHTS OUT("k", TYPE(F32, SIZE("2") SIZE("4")))), "declared-size", "graph.output[0]" },
    { "a loop whose body declares one round", MODEL(NODE("Loop", OF("m") OF("c") OF("x"), "y", GRAPH("body",
        NODE("Concat", OF("v") OF("v"), "w", "attribute { name: 'axis' type: INT i: 0 } ") IN("i", TYPE(I64, "")) IN("o", TYPE(BOOL, ""))
        IN("v", TYPE(F32, SIZE("2"))) OUT("o", TYPE(BOOL, "")) OUT("w", TYPE(F32, SIZE("7"))))) LOOP_ENDS OUT("y", OPEN(F32))), "", "" },
};
/* clang-format on */

struct heard {
    unsigned count;
    char     rule[40], where[120];
};

/* The first error or warning; outputs are left without shapes here. */
static int hear(void *context, const struct tn_finding *finding)
{
    struct heard *heard = context;

    if (finding->severity != TN_SEVERITY_NOTE &&
        strcmp(finding->rule, "missing-shape") && heard->count++ == 0) {
        snprintf(heard->rule, sizeof heard->rule, "%s", finding->rule);
        snprintf(heard->where, sizeof heard->where, "%s", finding->where);
    }
    return 0;
}

static void listen(struct tn_scratch *scratch, const char *text,
                   struct heard *heard)
{
    struct tn_error error = TN_ERROR_INIT;

    *heard = (struct heard){ 0, "", "" };
    tn_write_text(scratch, "m.onnx.txt", text);
    if (tn_check(tn_in_scratch(scratch, "m.onnx.txt"), NULL, NULL, hear, heard,
                 NULL, &error) != TN_OK)
        fail_msg("%s: %s", error.where, error.what);
}

static void values_go_in_and_come_out(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct heard heard;
        listen(&scratch, rows[i].model, &heard);
        if (strcmp(heard.rule, rows[i].rule) ||
            strcmp(heard.where, rows[i].where))
            fail_msg("%s: %u errors, first %s at %s", rows[i].name, heard.count,
                     heard.rule, heard.where);
    }
    tn_scratch_close(&scratch);
}

/* Each is tried before it is walked: 2^24 walks, were there no budget. */
static void loops_in_loops_cost_their_number(void **state)
{
    enum { DEPTH = 24 };
    static char       text[DEPTH * 1000];
    struct tn_scratch scratch = tn_scratch_open();
    struct heard      heard;
    size_t            size = 0;

    (void)state;
#define ADD(...)                                                               \
    size += (size_t)snprintf(text + size, sizeof text - size, __VA_ARGS__)
    ADD("ir_version: 8 opset_import { version: 17 } graph { name: 'g' ");
    for (int i = 0; i < DEPTH; i++)
        ADD("node { op_type: 'Loop' input: 'm' input: 'c' input: '%c%d' "
            "output: 'w%d' attribute { name: 'body' type: GRAPH g { name: "
            "'body' " IN("i%d", TYPE(I64, "")) IN("o%d", TYPE(BOOL, ""))
                IN("v%d", OPEN(F32)),
            i ? 'v' : 'x', i ? i - 1 : 0, i, i, i, i);
    ADD("node { op_type: 'Relu' input: 'v%d' output: 'w%d' } ", DEPTH - 1,
        DEPTH);
    for (int i = DEPTH; i-- > 0;)
        ADD(OUT("o%d", TYPE(BOOL, "")) OUT("w%d", OPEN(F32)) "} } } ", i,
            i + 1);
    ADD(IN("m", TYPE(I64, "")) IN("c", TYPE(BOOL, "")) ONE("x0")
            OUT("w0", OPEN(F32)) "}");
    listen(&scratch, text, &heard);
    if (heard.count)
        fail_msg("%s at %s", heard.rule, heard.where);
    tn_scratch_close(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_go_in_and_come_out),
        cmocka_unit_test(loops_in_loops_cost_their_number),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
