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

static void types_and_ranks_are_taken(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char            *json = sd_replace(sd_little, rows[i].old, rows[i].new);
        struct tn_bytes  bytes  = sd_make(json);
        struct heard     heard  = { 0, "", "" };
        struct tn_report report = { .each = hear, .context = &heard };
        struct sd_opened o;
        sd_must_open(&o, &tn_format_samediff_fb, bytes);
        assert_int_equal(
            tn_format_samediff_fb.check(&o.bundle, &o.model, &report, &o.error),
            TN_OK);
        if (strcmp(heard.rule, rows[i].rule) ||
            strcmp(heard.where, rows[i].where))
            fail_msg("%s: %u errors, first %s at %s", rows[i].name, heard.count,
                     heard.rule, heard.where);
        sd_close(&o);
        sd_free(bytes);
        free(json);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_and_ranks_are_taken),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
