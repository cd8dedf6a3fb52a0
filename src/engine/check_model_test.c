/*
 * check_model_test.c - what is a finding, what is a failure, and when checking
 * stops
 */
#define _GNU_SOURCE
#include "support/little_models.h"

/* y = x + w, of which w is nowhere and the operator unknown: two findings. */
static const char bad_onnx[] =
    "ir_version: 8 opset_import { version: 17 }\n"
    "graph { name: \"g\"\n"
    "  node { input: \"x\" input: \"w\" output: \"y\" op_type: \"Ad\" }\n"
    "  input { name: \"x\" type { tensor_type { elem_type: 1 } } }\n"
    "  output { name: \"y\" type { tensor_type { elem_type: 1 } } } }\n";

/* ---- rows ---------------------------------------------------------------- */

enum input { GOOD, BAD, CUT, EMPTY, NOISE, TEXT, FOLDER, MISSING };

static const struct row {
    const char    *name;
    enum input     input;
    const char    *from;
    enum tn_status status;
    const char    *rules;  /* of the findings, in order; NULL: some           */
    const char    *format; /* of the summary                                  */
} rows[] = {
    { "a good model", GOOD, NULL, TN_OK, "", "onnx" },
    { "a good model, called by its name", GOOD, "onnx", TN_OK, "", "onnx" },
    { "several problems", BAD, NULL, TN_OK, NULL, "onnx" },
    { "a model that ends too early", CUT, "onnx", TN_OK, NULL, "onnx" },
    { "text is read, too", TEXT, NULL, TN_OK, "", "onnx" },
    { "no bytes", EMPTY, NULL, TN_OK, "not-a-model ", "" },
    { "no model", NOISE, NULL, TN_OK, "not-a-model ", "" },
    { "an empty folder", FOLDER, NULL, TN_OK, "not-a-model ", "" },
    { "no such format", GOOD, "nothing", TN_NOT_FOUND, "", "" },
    { "no such file", MISSING, NULL, TN_IO, "", "" },
};

static void make_cut(struct tn_scratch *scratch)
{
    tn_make_model(scratch, "model", little_onnx);
    struct tn_bytes bytes = tn_load_file(tn_in_scratch(scratch, "model"));
    FILE           *file  = fopen(tn_in_scratch(scratch, "model"), "wb");

    assert_true(file && fwrite(bytes.data, 1, bytes.size - 9, file));
    assert_int_equal(fclose(file), 0);
    free((void *)(uintptr_t)bytes.data);
}

/* Makes the input; its name in the folder. */
static const char *make(struct tn_scratch *scratch, enum input input)
{
    switch (input) {
    case GOOD: tn_make_model(scratch, "model", little_onnx); break;
    case BAD: tn_make_model(scratch, "model", bad_onnx); break;
    case CUT: make_cut(scratch); break;
    case EMPTY: tn_write_text(scratch, "model", ""); break;
    case NOISE: tn_write_text(scratch, "model", "\xff\xff\xff no model"); break;
    case TEXT: tn_write_text(scratch, "model", little_onnx); break;
    case FOLDER: return "";
    case MISSING: return "nothing";
    }
    return "model";
}

static int collect(void *context, const struct tn_finding *finding)
{
    char *rules = context;

    assert_true(finding->rule[0] && finding->what[0]);
    assert_null(strchr(finding->what, '\n'));
    snprintf(rules + strlen(rules), 300 - strlen(rules), "%s ", finding->rule);
    return 0;
}

static void malformed_input_is_a_finding(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tn_scratch       scratch    = tn_scratch_open();
        struct tn_options       options    = { .from = rows[i].from };
        struct tn_error         error      = TN_ERROR_INIT;
        struct tn_check_summary summary    = { 0 };
        char                    rules[300] = "";
        const char             *name       = make(&scratch, rows[i].input);

        tn_check(tn_in_scratch(&scratch, name), &options, NULL, collect, rules,
                 &summary, &error);
        if (error.status != rows[i].status ||
            (rows[i].rules ? strcmp(rules, rows[i].rules) : !rules[0]))
            fail_msg("%s: %s%s", rows[i].name, rules, error.what);
        assert_string_equal(summary.format, rows[i].format);
        uint64_t count = 0;
        for (const char *at = rules; *at; at++)
            count += *at == ' ';
        assert_int_equal(summary.errors + summary.warnings + summary.notes,
                         count);
        tn_scratch_close(&scratch);
    }
}

static void the_summary_counts(void **state)
{
    struct tn_scratch       scratch = tn_scratch_open();
    struct tn_error         error   = TN_ERROR_INIT;
    struct tn_check_summary summary;

    (void)state;
    const char *name = make(&scratch, GOOD);
    tn_check(tn_in_scratch(&scratch, name), NULL, NULL, NULL, NULL, &summary,
             &error);
    assert_string_equal(error.what, "");
    assert_int_equal(summary.errors, 0);
    assert_int_equal(summary.nodes, 1);
    assert_int_equal(summary.tensors, 1);
    tn_check(tn_in_scratch(&scratch, name), NULL, NULL, NULL, NULL, NULL,
             &error);
    assert_string_equal(error.what, "");
    tn_scratch_close(&scratch);
}

/* ---- on several threads ---------------------------------------------------
 */

/* As many nodes as are shared by threads, and more. */
#define MANY 12000

static void put(FILE *to, int field, const char *bytes, size_t size)
{
    fputc(field << 3 | 2, to);
    fputc((int)size, to);
    fwrite(bytes, 1, size, to);
}

#define FLOAT  "\x0a\x01T\x12\x02\x30\x01"
#define DOUBLE "\x0a\x01T\x12\x02\x30\x02"
#define DTYPE                                                                  \
    "\x0a\x05"                                                                 \
    "dtype\x12\x02\x30\x01"
#define FLAT                                                                   \
    "\x0a\x05"                                                                 \
    "shape\x12\x06\x3a\x04\x12\x02\x08\x04"

/* A node of a GraphDef, with what goes into it once or twice. */
static void put_node(FILE *to, const char *name, const char *op,
                     const char *input, int times, const char *attr)
{
    char  *bytes;
    size_t size;
    FILE  *node = open_memstream(&bytes, &size);

    assert_non_null(node);
    put(node, 1, name, strlen(name));
    put(node, 2, op, strlen(op));
    for (int i = 0; i < times; i++)
        put(node, 3, input, strlen(input));
    put(node, 5, attr, strlen(attr));
    if (times == 0)
        put(node, 5, FLAT, strlen(FLAT));
    fclose(node);
    put(to, 1, bytes, size);
    free(bytes);
}

/* A chain of which some links are wrong, each in its own way. */
static void write_chain(const char *path)
{
    FILE *to = fopen(path, "w");
    char  names[2][16];

    assert_non_null(to);
    put_node(to, "n0", "Placeholder", "", 0, DTYPE);
    for (int i = 1; i < MANY; i++) {
        snprintf(names[0], sizeof names[0], "n%d", i - 1);
        snprintf(names[1], sizeof names[1], "n%d%s", i,
                 i == MANY - 1 ? " " : ""); /* a bad name: that of its wire */
        bool is_far = i > MANY / 2;
        put_node(to, names[1],
                 i == 11000 ? "NoSuchOperator"
                 : i == 50  ? "MatMul" /* of rank 1: that of its value */
                 : is_far   ? "Add"
                            : "AddV2",
                 names[0], i == 9000 ? 1 : 2,
                 i == 10000 ? DOUBLE : FLOAT); /* of another type */
    }
    fclose(to);
}

static int gather(void *context, const struct tn_finding *finding)
{
    FILE *to = context;

    fprintf(to, "%s %s %s\n", finding->rule, finding->where, finding->what);
    return 0;
}

static char *findings_of(const char *path, unsigned workers)
{
    struct tn_options options = { .workers = workers };
    struct tn_error   error   = TN_ERROR_INIT;
    char             *text    = NULL;
    size_t            size    = 0;
    FILE             *to      = open_memstream(&text, &size);

    assert_non_null(to);
    tn_check(path, &options, NULL, gather, to, NULL, &error);
    assert_string_equal(error.what, "");
    fclose(to);
    return text;
}

static void threads_find_the_same_in_one_order(void **state)
{
    static const char *const expected[] = { "bad-name node[11999]",
                                            "wrong-arity node[9000]",
                                            "unknown-op node[11000]",
                                            "rank-not-allowed node[50]",
                                            "type-mismatch node[10000]" };
    struct tn_scratch        scratch    = tn_scratch_open();
    const char              *path       = tn_in_scratch(&scratch, "chain.pb");

    (void)state;
    write_chain(path);
    char       *alone = findings_of(path, 1), *shared = findings_of(path, 3);
    const char *at = alone;
    assert_string_equal(alone, shared);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        at = strstr(at, expected[i]);
        if (!at)
            fail_msg("no %s, or not in its turn:\n%s", expected[i], alone);
    }
    free(alone);
    free(shared);
    tn_scratch_close(&scratch);
}

/* A constant of one or two floats; its attributes differ in these alone. */
static void put_constant(FILE *to, int number, const char *op,
                         const char *dtype)
{
    char   name[16], *bytes[3];
    size_t sizes[3], count = 1 + (size_t)number % 2;
    FILE  *parts[3]; /* the tensor, the attribute, the node */
    float  elements[2] = { (float)number, 1 };

    for (int i = 0; i < 3; i++) {
        parts[i] = open_memstream(&bytes[i], &sizes[i]);
        assert_non_null(parts[i]);
    }
    fprintf(parts[0], "\x08\x01\x12\x04\x12\x02\x08%c", (char)count);
    put(parts[0], 4, (const char *)elements, count * sizeof *elements);
    fclose(parts[0]);
    put(parts[1], 1, "value", 5);
    fprintf(parts[1], "\x12%c\x42%c", (char)(sizes[0] + 2), (char)sizes[0]);
    fwrite(bytes[0], 1, sizes[0], parts[1]);
    fclose(parts[1]);
    snprintf(name, sizeof name, "n%d", number);
    put(parts[2], 1, name, strlen(name));
    put(parts[2], 2, op, strlen(op));
    if (dtype)
        put(parts[2], 5, dtype, strlen(dtype));
    put(parts[2], 5, bytes[1], sizes[1]);
    fclose(parts[2]);
    put(to, 1, bytes[2], sizes[2]);
    for (int i = 0; i < 3; i++)
        free(bytes[i]);
}

#define DTYPE_DOUBLE                                                           \
    "\x0a\x05"                                                                 \
    "dtype\x12\x02\x30\x02"

static void constants_that_are_like_others_are_judged(void **state)
{
    static const char *const expected[] = {
        "type-mismatch node[5002]",     "type-mismatch node[5004]",
        "unknown-op node[5000]",        "missing-attribute node[7000]",
        "missing-attribute node[7002]", "rank-not-allowed node[9000]"
    };
    struct tn_scratch scratch = tn_scratch_open();
    const char       *path    = tn_in_scratch(&scratch, "constants.pb");
    FILE             *to      = fopen(path, "w");

    (void)state;
    assert_non_null(to);
    for (int i = 0; i < MANY; i++)
        if (i == 9000)
            put_node(to, "n9000", "MatMul", "n8999", 2, FLOAT);
        else
            put_constant(to, i, i == 5000 ? "NoSuchOperator" : "Const",
                         i == 7000 || i == 7002                ? NULL
                         : i >= 5000 && i < 5006 && i % 2 == 0 ? DTYPE_DOUBLE
                                                               : DTYPE);
    fclose(to);
    char *alone = findings_of(path, 1), *shared = findings_of(path, 3);
    assert_string_equal(alone, shared);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        if (!strstr(alone, expected[i]))
            fail_msg("no %s:\n%s", expected[i], alone);
    free(alone);
    free(shared);
    tn_scratch_close(&scratch);
}

/* ---- stopping ------------------------------------------------------------ */

static int stop_at(void *context, const struct tn_finding *finding)
{
    int *left = context;

    (void)finding;
    return --*left == 0;
}

static void checking_stops_when_told_to(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();
    const char       *name    = make(&scratch, BAD);

    (void)state;
    for (int most = 1; most < 3; most++) {
        struct tn_check_options check = { .max_findings = (uint64_t)most };
        struct tn_error         error = TN_ERROR_INIT;
        int                     left = most, all = 1000;

        tn_check(tn_in_scratch(&scratch, name), NULL, &check, stop_at, &all,
                 NULL, &error);
        assert_int_equal(1000 - all, most);
        tn_check(tn_in_scratch(&scratch, name), NULL, NULL, stop_at, &left,
                 NULL, &error);
        assert_int_equal(left, 0);
        assert_string_equal(error.what, "");
    }
    tn_scratch_close(&scratch);
}

/* ---- no memory ----------------------------------------------------------- */

static void every_allocation_may_fail(void **state)
{
    static const enum input inputs[] = { GOOD, BAD, CUT };
    struct tn_scratch       scratch  = tn_scratch_open();

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        const char    *name   = make(&scratch, inputs[i]);
        enum tn_status status = TN_NO_MEMORY;
        for (uint64_t n = 0; status == TN_NO_MEMORY; n += 1 + n / 50) {
            struct tn_budget    budget    = { .left = n };
            struct tn_allocator allocator = { tn_budget_resize, &budget };
            struct tn_options   options   = { .allocator = &allocator,
                                              .from      = "onnx" };
            struct tn_error     error     = TN_ERROR_INIT;

            status = tn_check(tn_in_scratch(&scratch, name), &options, NULL,
                              NULL, NULL, NULL, &error);
            assert_int_equal(status, error.status);
            assert_int_equal(budget.blocks, 0);
        }
        assert_int_equal(status, TN_OK);
    }
    tn_scratch_close(&scratch);
}

/* From too little for anything to enough for all. */
static void check_by_little_memory(const char *path)
{
    enum tn_status status = TN_LIMIT;

    for (uint64_t limit = 512; status == TN_LIMIT; limit += 512) {
        struct tn_options       options    = { .max_memory = limit };
        struct tn_error         error      = TN_ERROR_INIT;
        char                    rules[300] = "";
        struct tn_check_summary summary;

        status =
            tn_check(path, &options, NULL, collect, rules, &summary, &error);
        assert_string_equal(rules, "");
    }
    assert_int_equal(status, TN_OK);
}

static void too_little_memory_is_no_finding(void **state)
{
    struct tn_scratch scratch = tn_scratch_open();

    (void)state;
    check_by_little_memory(tn_in_scratch(&scratch, make(&scratch, GOOD)));
    check_by_little_memory(tn_in_scratch(&scratch, make(&scratch, TEXT)));
    tn_scratch_close(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(malformed_input_is_a_finding),
        cmocka_unit_test(the_summary_counts),
        cmocka_unit_test(threads_find_the_same_in_one_order),
        cmocka_unit_test(constants_that_are_like_others_are_judged),
        cmocka_unit_test(checking_stops_when_told_to),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(too_little_memory_is_no_finding),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
