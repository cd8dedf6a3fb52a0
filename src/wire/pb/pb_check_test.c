/* pb_check_test.c - every disagreement is found, and where */
#include "wire/pb/pb_check.h"

#include <stdio.h>
#include <stdlib.h>

#include "support/hostile.h"
#include "wire/pb/pb_builtin.h"

#define MAX_HEARD 8

struct heard {
    int      count;
    char     rule[MAX_HEARD][32];
    char     where[MAX_HEARD][64];
    uint64_t offset[MAX_HEARD];
};

static int hear(void *context, enum tn_finding_level level, const char *rule,
                const struct tn_error *finding)
{
    struct heard *heard = context;
    int           i     = heard->count++;

    (void)level;
    if (i >= MAX_HEARD)
        return 0;
    snprintf(heard->rule[i], sizeof heard->rule[i], "%s", rule);
    snprintf(heard->where[i], sizeof heard->where[i], "%.63s", finding->where);
    heard->offset[i] = finding->offset;
    return 0;
}

/* GraphDef: 0a node {0a name, 12 op, 1a input, 2a attr}, 22 versions. */
static const struct {
    const char *name, *bytes;
    int         count;
    const char *rule, *where; /* of the first finding */
    uint64_t    offset;
} cases[] = {
    { "a node", "0a 06 0a 01 61 12 01 62", 0, "", "", 0 },
    { "cut in the node", "0a 06 0a 01 61", 1, "truncated-file", "", 2 },
    { "a length inside that lies", "0a 03 0a 09 61", 1, "malformed-message",
      "node[0]", 4 },
    { "and the next one too", "0a 03 0a 09 61 0a 03 0a 09 61", 2,
      "malformed-message", "node[0]", 4 },
    { "the second of two", "0a 03 0a 01 61 0a 03 0a 09 61", 1,
      "malformed-message", "node[1]", 9 },
    { "a varint for a name", "0a 02 08 01", 1, "wrong-wire-type",
      "node[0].name", 2 },
    { "a name that is no text", "0a 03 0a 01 ff", 1, "not-utf8",
      "node[0].name", 4 },
    { "a dtype of 77", "0a 0b 2a 09 0a 01 54 12 04 30 4d 38 01", 2,
      "unknown-enum", "node[0].attr[0].value.type", 9 },
    { "unknown fields are kept", "d2 3e 01 00 0a 00", 0, "", "", 0 },
    { "field 0", "00 00", 1, "malformed-message", "", 0 },
};

static void check_row(size_t i, const struct tn_pb_message *type)
{
    struct tn_error  error  = TN_ERROR_INIT;
    struct heard     heard  = { 0 };
    struct tn_report report = { .each = hear, .context = &heard };
    struct tn_bytes  bytes  = tn_hex(cases[i].bytes);
    struct tn_memory memory;
    struct tn_source source;

    tn_memory_init(&memory, NULL, 0);
    tn_source_memory(&source, &memory, bytes);
    struct tn_span whole = { &source, 0, bytes.size };
    assert_int_equal(tn_pb_check(type, whole, &report, &error), TN_OK);
    if (heard.count != cases[i].count ||
        strcmp(heard.rule[0], cases[i].rule) != 0 ||
        strcmp(heard.where[0], cases[i].where) != 0 ||
        heard.offset[0] != cases[i].offset)
        fail_msg("%s: %d findings, first %s at '%s', byte %llu", cases[i].name,
                 heard.count, heard.rule[0], heard.where[0],
                 (unsigned long long)heard.offset[0]);
    tn_source_close(&source);
    assert_int_equal(memory.used, 0);
    free((void *)(uintptr_t)bytes.data);
}

static void finds_every_disagreement(void **state)
{
    struct tn_error     error = TN_ERROR_INIT;
    struct tn_memory    memory;
    struct tn_arena     arena;
    struct tn_pb_schema schema;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_arena_init(&arena, &memory);
    assert_int_equal(tn_pb_schema_load(&schema, &arena,
                                       tn_pb_builtin_set(TN_PB_TENSORFLOW),
                                       &error),
                     TN_OK);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_row(i, tn_pb_schema_find(&schema, "tensorflow.GraphDef"));
    tn_arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_every_disagreement),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
