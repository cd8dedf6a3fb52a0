/*
 * unmapped_test.c - what of a node makes no difference to its mapper
 *
 * A row is one rule over one node, and what of that node is told.
 */
#include "map/dl4j/unmapped.h"

#include "base/buffer.h"
#include "support/import_bench.h"
#include "support/node_model.h"
#include "support/node_text.h"

#define RULE(function, to, from, parameters)                                   \
    "mappings { frameworkName: 'tensorflow' opName: 'op' "                     \
    "inputFrameworkOpName: 'Op' rule { ruleName: '" function "' "              \
    "inputToOutput { key: '" to "' value: '" from "' } " parameters " } }"
#define GROUP(key, items) "transformerArgs { key: '" key "' " items " }"
#define INT(n)            "transformerArgs { int64Value: " #n " } "
#define TEXT(s)           "transformerArgs { stringValue: '" s "' } "
#define ATTR(name, value) "attr { key: '" name "' value { " value " } } "
#define OP(attrs)         "op: 'Op' input: 'x0' input: 'y0' " attrs

static const struct row {
    const char *rules, *node, *told;
} rows[] = {
    { RULE("valuemapping", "n", "i", ""), OP(ATTR("i", "i: 3")), "" },
    { RULE("valuemapping", "n", "i", ""), OP(ATTR("f", "f: 0.5")),
      "attribute 'f' = 0.5\n" },
    { RULE("valuemapping", "n", "i", ""), OP(ATTR("flag", "b: true")),
      "attribute 'flag' = 1\n" },
    { RULE("valuemapping", "n", "i", ""), OP(ATTR("t", "type: DT_INT64")),
      "attribute 't' = int64\n" },
    /* as if it were not there */
    { RULE("valuemapping", "n", "i", ""), OP(ATTR("d", "i: 42")), "" },
    { RULE("valuemapping", "n", "i", ""), OP(ATTR("d", "i: 41")),
      "attribute 'd' = 41\n" },
    { RULE("valuemapping", "n", "i", ""), OP(ATTR("_note", "i: 41")), "" },
    /* a word that the rule reads and makes nothing of; the default is SAME */
    { RULE("stringequals", "flag", "s", GROUP("flag", TEXT("SAME"))),
      OP(ATTR("s", "s: 'VALID'")), "" },
    { RULE("stringequals", "flag", "s", GROUP("flag", TEXT("FULL"))),
      OP(ATTR("s", "s: 'VALID'")), "attribute 's' = 'VALID'\n" },
    /* elements of a list, and all of it */
    { RULE("listattributevaluelookuptoindex", "n", "is", GROUP("n", INT(1))),
      OP(ATTR("is", "list { i: [5, 6, 7] }")),
      "element 0, 2 of attribute 'is' = [5, 6, 7]\n" },
    { RULE("listnumbertolistnumber", "n", "is", ""),
      OP(ATTR("is", "list { i: [5, 6, 7] }")), "" },
    { RULE("valuemapping", "n", "i", ""),
      OP(ATTR("is", "list { i: [5, 6, 7] }") ATTR("ss", "list { }")),
      "attribute 'is' = [5, 6, 7]\n" },
    { RULE("listattributevaluelookuptoindex", "real", "fs",
           GROUP("real", INT(0))),
      OP(ATTR("fs", "list { f: [0.5, 1.5] }")),
      "element 1 of attribute 'fs' = [0.5, 1.5]\n" },
    { RULE("listattributevaluelookuptoindex", "text", "ss",
           GROUP("text", INT(1))),
      OP(ATTR("ss", "list { s: ['a', 'b'] }")),
      "element 0 of attribute 'ss' = ['a', 'b']\n" },
    { RULE("valuemapping", "n", "i", ""),
      OP(ATTR("is", "list { i: [1, 2, 3, 4, 5, 6, 7, 8, 9] }")),
      "attribute 'is' = [1, 2, 3, 4, 5, 6, 7, 8, ...]\n" },
    { RULE("valuemapping", "n", "i", ""), OP(ATTR("sh", "shape { }")),
      "attribute 'sh' = ...\n" },
    /* an input that the call does not take */
    { "mappings { frameworkName: 'tensorflow' opName: 'op' "
      "inputFrameworkOpName: 'Op' variableResolutionType: OVERRIDE "
      "rule { ruleName: 'ndarraymapping' "
      "inputToOutput { key: 'a' value: 'x' } } }",
      OP(""), "input 1 'y'\n" },
};

static void note(void *context, struct tn_bytes name, const char *what)
{
    (void)name;
    tn_buffer_format(context, "%s\n", what);
}

/* `room` is how much memory there is; 0: as much as is wanted. */
static enum tn_status assert_row(const struct row          *row,
                                 const struct tn_allocator *allocator,
                                 uint64_t                   room)
{
    struct import_bench     in;
    struct tn_bytes         bytes = encode_node(false, row->node);
    struct node_model       model;
    struct tn_map_node      node;
    struct tn_op_descriptor made;
    struct tn_buffer        told;

    import_set_up(&in, allocator);
    import_read_ops(&in, import_nd4j_ops);
    import_read_rules(&in, row->rules);
    tn_buffer_init(&told, &in.memory, &in.error);
    if (node_model_open(&model, false, false, bytes, &in.error) == TN_OK &&
        tn_map_node_take(&node, TN_FRAMEWORK_TENSORFLOW, model.model, 0,
                         &in.arena, &in.error) == TN_OK) {
        struct tn_map_job job = {
            .mapper = tn_mappers_at(&in.mappers, 0),
            .target = tn_dl4j_ops_find(&in.ops, tn_text("op")),
            .definition =
                tn_vocab_find(&in.vocabs[TN_FRAMEWORK_TENSORFLOW], tn_text(""),
                              node.op_type, 1, &in.error),
            .node = &node,
        };
        if (room)
            in.memory.limit = in.memory.used + room;
        if (!tn_failed(&in.error) &&
            tn_map_run(&job, &made, &in.arena, &in.error) == TN_OK)
            tn_map_unmapped(&job, &made, note, &told, &in.memory, &in.error);
    }
    if (!allocator && tn_failed(&in.error))
        fail_msg("%.60s: %s", row->node, in.error.what);
    if (!tn_failed(&in.error) &&
        strcmp(tn_buffer_string(&told), row->told) != 0)
        fail_msg("%.60s: %s", row->node, tn_buffer_string(&told));
    tn_buffer_done(&told);
    node_model_close(&model);
    import_tear_down(&in);
    encoded_free(bytes);
    return in.error.status;
}

static void values_without_effect_are_told(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_row(&rows[i], NULL, 0);
}

/* Of the mapper there is one run for each of the first elements: each needs
 * more than a megabyte, and gives it back. */
static void runs_do_not_add_up(void **state)
{
    enum { ITEMS = 10000, ROOM = 16 << 20 };
    static const char begin[] = "op: 'Op' input: 'x0' input: 'y0' "
                                "attr { key: 'is' value { list { i: [5";
    static const char end[]   = "] } } }";
    char              node[sizeof begin + 2 * ITEMS + sizeof end];
    struct row        row = {
               .rules = RULE("listnumbertolistnumber", "n", "is", ""),
               .node  = node,
               .told  = "",
    };
    char *at = node + sizeof begin - 1;

    (void)state;
    memcpy(node, begin, sizeof begin);
    for (unsigned i = 0; i < ITEMS; i++, at += 2)
        memcpy(at, ",5", 2);
    memcpy(at, end, sizeof end);
    assert_int_equal(assert_row(&row, NULL, ROOM), TN_OK);
}

/* Whichever allocation fails, all of it is given back. */
static void survives_no_memory(void **state)
{
    enum tn_status status;
    uint64_t       limit = 0;

    (void)state;
    do {
        struct tn_budget    budget    = { .left = limit++ };
        struct tn_allocator allocator = { tn_budget_resize, &budget };

        status = assert_row(&rows[9], &allocator, 0);
        assert_int_equal(budget.blocks, 0);
    } while (status == TN_NO_MEMORY);
    assert_int_equal(status, TN_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_without_effect_are_told),
        cmocka_unit_test(runs_do_not_add_up),
        cmocka_unit_test(survives_no_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
