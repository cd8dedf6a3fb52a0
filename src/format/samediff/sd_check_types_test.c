/*
 * sd_check_types_test.c - element types and ranks of values, against what
 * operations of nd4j take
 */
#include "format/samediff/sd_testing.h"

/* clang-format off */
static const struct {
    const char *name, *old, *new, *rule, *where; /* "": nothing is wrong      */
} rows[] = {
    { "a product", "\"opNum\": 1", "\"opNum\": 2", "", "" },
    { "an index of floats", "\"opName\": \"matmul\"", "\"opName\": \"gather_nd\"", "type-not-allowed", "nodes[0]" },
    { "an image of two axes", "\"opName\": \"matmul\"", "\"opName\": \"conv2d\"", "rank-not-allowed", "nodes[0]" },
    { "a condition of floats", "\"opName\": \"matmul\"", "\"opName\": \"switch\"", "type-not-allowed", "nodes[0]" },
    { "an operation that nobody knows", "\"opName\": \"matmul\"", "\"opName\": \"my_own\"", "", "" },
    { "what is announced of a result is not", "\"name\": \"mmul\", \"dtype\": \"FLOAT\"", "\"name\": \"mmul\", \"dtype\": \"INT32\"", "", "" },
};
/* clang-format on */

/* x goes round: enter, merge, switch, a step, next_iteration, exit; y is
 * pooled. */
/* clang-format off */
static const char loop[] =
    "{ \"variables\": ["
    " { \"id\": {\"first\": 1}, \"name\": \"x\", \"dtype\": \"FLOAT\", \"shape\": [-1, 2], \"device\": -1, \"variabletype\": \"PLACEHOLDER\" },"
    " { \"id\": {\"first\": 2}, \"name\": \"c\", \"dtype\": \"BOOL\", \"shape\": [], \"device\": -1, \"variabletype\": \"PLACEHOLDER\" },"
    " { \"id\": {\"first\": 3}, \"name\": \"e\", \"dtype\": \"FLOAT\", \"device\": -1, \"variabletype\": \"ARRAY\" },"
    " { \"id\": {\"first\": 4}, \"name\": \"m\", \"dtype\": \"FLOAT\", \"device\": -1, \"variabletype\": \"ARRAY\" },"
    " { \"id\": {\"first\": 5}, \"name\": \"s\", \"dtype\": \"FLOAT\", \"device\": -1, \"variabletype\": \"ARRAY\" },"
    " { \"id\": {\"first\": 5, \"second\": 1}, \"name\": \"s:1\", \"dtype\": \"FLOAT\", \"device\": -1, \"variabletype\": \"ARRAY\" },"
    " { \"id\": {\"first\": 6}, \"name\": \"k\", \"dtype\": \"FLOAT\", \"device\": -1, \"variabletype\": \"ARRAY\" },"
    " { \"id\": {\"first\": 7}, \"name\": \"n\", \"dtype\": \"FLOAT\", \"device\": -1, \"variabletype\": \"ARRAY\" },"
    " { \"id\": {\"first\": 8}, \"name\": \"o\", \"dtype\": \"FLOAT\", \"device\": -1, \"variabletype\": \"ARRAY\" },"
    " { \"id\": {\"first\": 9}, \"name\": \"y\", \"dtype\": \"FLOAT\", \"device\": -1, \"variabletype\": \"ARRAY\" } ],"
    " \"nodes\": ["
    " { \"id\": 3, \"name\": \"e\", \"opType\": \"LOGIC\", \"opNum\": 100, \"opName\": \"enter\", \"inputPaired\": [{\"first\": 1}], \"outputNames\": [\"e\"], \"outputTypes\": [\"FLOAT\"] },"
    " { \"id\": 4, \"name\": \"m\", \"opType\": \"LOGIC\", \"opNum\": 60, \"opName\": \"merge\", \"inputPaired\": [{\"first\": 3}, {\"first\": 7}], \"outputNames\": [\"m\"], \"outputTypes\": [\"FLOAT\"] },"
    " { \"id\": 5, \"name\": \"s\", \"opType\": \"LOGIC\", \"opNum\": 30, \"opName\": \"switch\", \"inputPaired\": [{\"first\": 4}, {\"first\": 2}], \"outputNames\": [\"s\", \"s:1\"], \"outputTypes\": [\"FLOAT\", \"FLOAT\"] },"
    " { \"id\": 6, \"name\": \"k\", \"opType\": \"CUSTOM\", \"opName\": \"STEP\", \"inputPaired\": [{\"first\": 5, \"second\": 1}], \"outputNames\": [\"k\"], \"outputTypes\": [\"FLOAT\"] },"
    " { \"id\": 7, \"name\": \"n\", \"opType\": \"LOGIC\", \"opNum\": 80, \"opName\": \"next_iteration\", \"inputPaired\": [{\"first\": 6}], \"outputNames\": [\"n\"], \"outputTypes\": [\"FLOAT\"] },"
    " { \"id\": 8, \"name\": \"o\", \"opType\": \"LOGIC\", \"opNum\": 90, \"opName\": \"exit\", \"inputPaired\": [{\"first\": 5}], \"outputNames\": [\"o\"], \"outputTypes\": [\"FLOAT\"] },"
    " { \"id\": 9, \"name\": \"y\", \"opType\": \"CUSTOM\", \"opName\": \"maxpool2d\", \"inputPaired\": [{\"first\": 8}], \"outputNames\": [\"y\"], \"outputTypes\": [\"FLOAT\"] } ],"
    " \"placeholders\": [\"x\", \"c\"] }";
/* clang-format on */

struct heard {
    unsigned count;
    char     rule[40], where[120];
};

static int hear(void *context, enum tn_finding_level level, const char *rule,
                const struct tn_error *finding)
{
    struct heard *heard = context;

    if (level == TN_LEVEL_ERROR && heard->count++ == 0) {
        snprintf(heard->rule, sizeof heard->rule, "%s", rule);
        snprintf(heard->where, sizeof heard->where, "%s", finding->where);
    }
    return 0;
}

static void hold(const char *name, const char *json, const char *rule,
                 const char *where)
{
    struct tn_bytes  bytes  = sd_make(json);
    struct heard     heard  = { 0, "", "" };
    struct tn_report report = { .each = hear, .context = &heard };
    struct sd_opened o;

    sd_must_open(&o, &tn_format_samediff_fb, bytes);
    assert_int_equal(
        tn_format_samediff_fb.check(&o.bundle, &o.model, &report, &o.error),
        TN_OK);
    if (strcmp(heard.rule, rule) || strcmp(heard.where, where))
        fail_msg("%s: %u errors, first %s at %s", name, heard.count, heard.rule,
                 heard.where);
    sd_close(&o);
    sd_free(bytes);
}

static void types_and_ranks_are_taken(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *json = sd_replace(sd_little, rows[i].old, rows[i].new);
        hold(rows[i].name, json, rows[i].rule, rows[i].where);
        free(json);
    }
}

static void ranks_go_round(void **state)
{
    char *keeps   = sd_replace(loop, "STEP", "tanh");
    char *changes = sd_replace(loop, "STEP", "my_own");

    (void)state;
    hold("a loop that keeps its rank", keeps, "rank-not-allowed", "nodes[6]");
    hold("a loop that may change it", changes, "", "");
    free(changes);
    free(keeps);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_and_ranks_are_taken),
        cmocka_unit_test(ranks_go_round),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
