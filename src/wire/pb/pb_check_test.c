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
    { "a name that is not text", "0a 03 0a 01 ff", 1, "not-utf8", "node[0].name",
      4 },
    { "a dtype of 77", "0a 0b 2a 09 0a 01 54 12 04 30 4d 38 01", 2,
      "unknown-enum", "node[0].attr[0].value.type", 9 },
    { "unknown fields are kept", "d2 3e 01 00 0a 00", 0, "", "", 0 },
    { "good, but of another type", "0a 03 0a 01 61 22 03 0a 01 61", 1,
      "wrong-wire-type", "versions.producer", 7 },
    { "the same trouble twice", "0a 03 0a 01 ff 0a 03 0a 01 ff", 2, "not-utf8",
      "node[0].name", 4 },
    { "trouble after two that are the same",
      "0a 03 0a 01 61 0a 03 0a 01 61 0a 03 0a 01 ff", 1, "not-utf8",
      "node[2].name", 14 },
    { "field 0", "00 00", 1, "malformed-message", "", 0 },
};

static struct heard check(const struct tn_pb_message *type,
                          struct tn_bytes             bytes)
{
    struct tn_error  error  = TN_ERROR_INIT;
    struct heard     heard  = { 0 };
    struct tn_report report = { .each = hear, .context = &heard };
    struct tn_memory memory;
    struct tn_source source;

    tn_memory_init(&memory, NULL, 0);
    tn_source_memory(&source, &memory, bytes);
    struct tn_span whole = { &source, 0, bytes.size };
    assert_int_equal(tn_pb_check(type, whole, &report, &error), TN_OK);
    tn_source_close(&source);
    assert_int_equal(memory.used, 0);
    return heard;
}

static void check_row(size_t i, const struct tn_pb_message *type)
{
    struct tn_bytes bytes = tn_hex(cases[i].bytes);
    struct heard    heard = check(type, bytes);

    if (heard.count != cases[i].count ||
        strcmp(heard.rule[0], cases[i].rule) != 0 ||
        strcmp(heard.where[0], cases[i].where) != 0 ||
        heard.offset[0] != cases[i].offset)
        fail_msg("%s: %d findings, first %s at '%s', byte %llu", cases[i].name,
                 heard.count, heard.rule[0], heard.where[0],
                 (unsigned long long)heard.offset[0]);
    free((void *)(uintptr_t)bytes.data);
}

static struct tn_memory            memory;
static struct tn_arena             arena;
static struct tn_pb_schema         schema;
static const struct tn_pb_message *graph_def;

static int load_schema(void **state)
{
    struct tn_error error = TN_ERROR_INIT;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_arena_init(&arena, &memory);
    tn_pb_schema_load(&schema, &arena, tn_pb_builtin_set(TN_PB_TENSORFLOW),
                      &error);
    graph_def = tn_pb_schema_find(&schema, "tensorflow.GraphDef");
    return graph_def ? 0 : -1;
}

static int drop_schema(void **state)
{
    (void)state;
    tn_arena_done(&arena);
    return 0;
}

static void finds_every_disagreement(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_row(i, graph_def);
}

/* Makes what is in `bytes` the body of a field; returns the new size. */
static size_t wrap(uint8_t *bytes, size_t size, uint8_t tag)
{
    size_t head = size < 128 ? 2 : 3;

    memmove(bytes + head, bytes, size);
    bytes[0] = tag;
    bytes[1] = (uint8_t)(size < 128 ? size : (size & 127) | 128);
    if (head == 3)
        bytes[2] = (uint8_t)(size >> 7);
    return size + head;
}

/* AttrValue { 10 func NameAttrList { 2 attr { 2 AttrValue ... } } }. */
static size_t wrap_values(uint8_t *bytes, size_t size, int count)
{
    for (int i = 0; i < count; i++) {
        size = wrap(bytes, size, 0x12);
        size = wrap(bytes, size, 0x12);
        size = wrap(bytes, size, 0x52);
    }
    return size;
}

static size_t wrap_node(uint8_t *bytes, size_t size)
{
    size = wrap(bytes, size, 0x12);
    size = wrap(bytes, size, 0x2a);
    return wrap(bytes, size, 0x0a);
}

/* What was found good near the top is too deep further down. */
static void depth_is_not_a_matter_of_bytes(void **state)
{
    uint8_t bytes[2000] = { 0 }, deep[1000] = { 0 };
    size_t  size = wrap_node(bytes, wrap_values(bytes, 0, 15));
    size_t  more = wrap_node(deep, wrap_values(deep, 0, 33));

    (void)state;
    assert_int_equal(check(graph_def, tn_bytes(bytes, size)).count, 0);
    assert_int_equal(check(graph_def, tn_bytes(deep, more)).count, 1);
    memcpy(bytes + size, deep, more);
    struct heard heard = check(graph_def, tn_bytes(bytes, size + more));
    assert_int_equal(heard.count, 1);
    assert_string_equal(heard.rule[0], "too-deep");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_every_disagreement),
        cmocka_unit_test(depth_is_not_a_matter_of_bytes),
    };

    return cmocka_run_group_tests(tests, load_schema, drop_schema);
}
