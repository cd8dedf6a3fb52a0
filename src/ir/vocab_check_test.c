/* vocab_check_test.c - what a vocabulary makes of a graph, rule by rule */
#include "ir/vocab_check.h"

#include <stdio.h>

#include "ir/attr.h"
#include "support/hostile.h"

static const char vocabulary[] =
    "vocabulary test 1\n"
    "types two = {int8 float32}\n"
    "domain \"\"\n"
    "op Add@1 (A int8, B? int8) -> (C int8)\n"
    "    axis? int\n"
    "op Add@5 (A int8, B int8) -> (C int8)\n"
    "op Cat@1 (A+ int8) -> (C int8, D? int8, E? int8) outputs{1 3}\n"
    "    axis int\n"
    "op Gone@1 () -> (C int8)\n"
    "op Gone@3 deprecated@3\n"
    "op Lax@1 () -> (C int8) loose\n"
    "op Old@1 legacy\n"
    "op Pack@1 (v N*int8, w *Ts) -> (C int8)\n"
    "    N int = 2 >= 1\n"
    "    Ts list(type) = [] in {two}\n"
    "    mode string = \"a\" in {\"a\" \"b\"}\n"
    "domain preview open\n"
    "op Try@1 (A int8) -> (C int8)\n";

/*
 * The test's dialect: a node is text on the wire, attributes only.
 *
 *   "axis=i7;mode=sa;Ts=t2;N=?"     name, '=', kind, one character or none
 *
 * i: int, s: string, t: a list of so many int8, T: one bool, e: empty list,
 * ?: the caller's.
 */
static bool next_attr(struct tn_cursor *node, struct tn_bytes *name,
                      struct tn_span *wire)
{
    size_t size = 0;

    if (!tn_more(node))
        return false;
    while (node->at + size < node->end && node->at[size] != '=')
        size++;
    *name = tn_take_bytes(node, size);
    tn_skip(node, 1);
    for (size = 0; node->at + size < node->end && node->at[size] != ';';)
        size++;
    *wire = tn_span(node, size);
    if (tn_more(node))
        tn_skip(node, 1);
    return !tn_failed(node->error);
}

static uint8_t byte_at(struct tn_span wire, uint64_t index)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_cursor c     = tn_cursor_span(wire, &error);

    tn_skip(&c, index);
    return tn_u8(&c);
}

static const char *attr_type(struct tn_span wire)
{
    switch (byte_at(wire, 0)) {
    case 'i': return "int";
    case 's': return "string";
    case 't':
    case 'T': return "list(type)";
    case 'e': return "list()";
    case '?': return "reference";
    default: return "";
    }
}

static enum tn_status decode(const struct tn_model *model, uint32_t op,
                             struct tn_span wire, struct tn_arena *arena,
                             struct tn_attr_value *value,
                             struct tn_error      *error)
{
    int64_t         *ints = tn_new(arena, int64_t, 10, error);
    struct tn_bytes *text = tn_new(arena, struct tn_bytes, 1, error);
    uint8_t          kind = byte_at(wire, 0);

    (void)model;
    (void)op;
    *value = (struct tn_attr_value){ .count = 1 };
    if (tn_failed(error))
        return error->status;
    if (kind == 's') {
        struct tn_cursor c = tn_cursor_span(wire, error);
        tn_skip(&c, 1);
        *text             = tn_take_bytes(&c, wire.length - 1);
        value->kind       = TN_ATTR_STRING;
        value->of.strings = text;
        return TN_OK;
    }
    value->of.ints = ints;
    value->kind    = kind == 'i' ? TN_ATTR_INT : TN_ATTR_DTYPE;
    value->is_list = kind != 'i';
    ints[0]        = byte_at(wire, 1) - '0';
    if (kind == 't') {
        value->count = (uint32_t)ints[0];
        for (int i = 0; i < 10; i++)
            ints[i] = TN_INT8;
    } else if (kind == 'T') {
        ints[0] = TN_BOOL;
    } else if (kind == 'e') {
        value->count = 0;
    }
    return TN_OK;
}

static const struct tn_dialect dialect = {
    .name          = "test",
    .next_attr     = next_attr,
    .decode        = decode,
    .attr_type     = attr_type,
    .names_outputs = true,
};

/* ---- one op, judged ----------------------------------------------------- */

struct heard {
    int                   count;
    enum tn_finding_level level;
    uint64_t              offset;
    char                  rule[40], where[120], what[200];
};

static int hear(void *context, enum tn_finding_level level, const char *rule,
                const struct tn_error *finding)
{
    struct heard *heard = context;

    if (heard->count++ == 0) {
        heard->level  = level;
        heard->offset = finding->offset;
        snprintf(heard->rule, sizeof heard->rule, "%s", rule);
        snprintf(heard->where, sizeof heard->where, "%s", finding->where);
        snprintf(heard->what, sizeof heard->what, "%s", finding->what);
    }
    return 0;
}

static uint32_t one_scope(void *context, uint32_t graph)
{
    (void)context;
    (void)graph;
    return 0;
}

static int64_t version_of(void *context, uint32_t scope, struct tn_bytes domain)
{
    (void)scope;
    return tn_bytes_is(domain, "absent") ? -1 : *(const int64_t *)context;
}

static struct tn_bytes called;

static bool is_call(void *context, uint32_t scope, const struct tn_op *op)
{
    (void)context;
    (void)scope;
    (void)op;
    return called.size > 0;
}

/* Inputs and outputs are letters, '-' for one that is left out. */
struct node {
    const char *domain, *type, *inputs, *outputs, *attrs;
};

static const struct tn_source_ops no_ops = { 0 };

static void add_node(struct tn_model *model, struct tn_source *source,
                     const struct node *node, struct tn_error *error)
{
    uint32_t op = tn_model_add_op(model, 0, error);

    if (op == TN_NONE)
        return;
    struct tn_op *row = tn_model_op_at(model, op);
    row->type   = tn_intern_copy(&model->names, tn_text(node->type), error);
    row->domain = tn_intern_copy(&model->names, tn_text(node->domain), error);
    row->name   = row->type;
    tn_model_graph_at(model, 0)->op_count++;
    for (int side = 0; side < 2; side++)
        for (const char *p = side ? node->outputs : node->inputs; *p; p++) {
            uint32_t name =
                tn_intern_copy(&model->names, tn_bytes(p, 1), error);
            uint32_t value =
                *p == '-' ? TN_NONE : tn_model_value(model, 0, name, error);
            if (side)
                tn_model_add_output(model, value, error);
            else
                tn_model_add_input(model, value, error);
        }
    row              = tn_model_op_at(model, op);
    row->source      = tn_model_source_id(model, source, error);
    row->wire_offset = 100;
    row->wire_length = strlen(node->attrs);
}

static void judge(const struct node *node, int64_t version, int times,
                  struct tn_memory *memory, struct heard *heard,
                  struct tn_error *error)
{
    struct tn_report report = { .each = hear, .context = heard };
    struct tn_model  model;
    struct tn_vocab  vocab;
    uint8_t          file[300] = { 0 };
    struct tn_source source    = {
           .ops = &no_ops, .size = sizeof file, .map = file, .name = ""
    };
    struct tn_vocab_use use = { .vocab       = &vocab,
                                .context     = &version,
                                .scope       = one_scope,
                                .version     = version_of,
                                .is_call     = is_call,
                                .file        = "",
                                .free_prefix = "__",
                                .attr_word   = "attribute",
                                .unknown     = TN_LEVEL_ERROR,
                                .deprecated  = TN_LEVEL_ERROR };

    memcpy(file + 100, node->attrs, strlen(node->attrs));
    tn_model_init(&model, memory);
    model.dialect = &dialect;
    tn_model_add_graph(&model, TN_GRAPH_MAIN, "graph", "node", error);
    for (int i = 0; i < times && !tn_failed(error); i++)
        add_node(&model, &source, node, error);
    if (!tn_failed(error) && tn_vocab_load(&vocab, &model.arena,
                                           tn_text(vocabulary), error) == TN_OK)
        tn_vocab_check(&model, &use, &report, error);
    tn_model_done(&model);
}

/* ---- claims ------------------------------------------------------------- */

static const struct {
    struct node node;
    int64_t     version;
    int         count;
    const char *rule, *where;
    uint64_t    offset;
} cases[] = {
    { { "", "Add", "ab", "c", "" }, 1, 0, "", "", 0 },
    { { "", "Add", "a", "c", "axis=i1" }, 4, 0, "", "", 0 },
    { { "", "Add", "a-", "c", "" }, 4, 0, "", "", 0 },
    { { "", "Add", "a", "c", "" }, 5, 1, "wrong-arity", "graph.node[0]", 100 },
    { { "", "Add", "abc", "c", "" },
      1,
      1,
      "wrong-arity",
      "graph.node[0]",
      100 },
    { { "", "Add", "ab", "", "" }, 1, 1, "wrong-arity", "graph.node[0]", 100 },
    { { "", "Add", "-b", "c", "" },
      1,
      1,
      "missing-input",
      "graph.node[0]",
      100 },
    { { "", "Add", "ab", "-", "" },
      1,
      1,
      "missing-input",
      "graph.node[0]",
      100 },
    { { "", "Sub", "ab", "c", "" }, 1, 1, "unknown-op", "graph.node[0]", 100 },
    { { "", "Add", "ab", "c", "" }, 0, 1, "unknown-op", "graph.node[0]", 100 },
    { { "vendor", "Sub", "ab", "c", "" }, 1, 0, "", "", 0 },
    { { "preview", "Sub", "ab", "c", "" }, 1, 0, "", "", 0 },
    { { "preview", "Try", "ab", "c", "" },
      1,
      1,
      "wrong-arity",
      "graph.node[0]",
      100 },
    { { "", "Gone", "", "c", "" }, 2, 0, "", "", 0 },
    { { "", "Gone", "", "c", "" },
      3,
      1,
      "deprecated-op",
      "graph.node[0]",
      100 },
    { { "", "Old", "abc", "", "x=i1" },
      1,
      1,
      "deprecated-op",
      "graph.node[0]",
      100 },
    { { "", "Add", "ab", "c", "axis=i1;bias=i2" },
      1,
      1,
      "unknown-attribute",
      "graph.node[0].attribute[1]",
      113 },
    { { "", "Add", "ab", "c", "__bias=i2" }, 1, 0, "", "", 0 },
    { { "", "Lax", "", "c", "bias=i2" }, 1, 0, "", "", 0 },
    { { "", "Add", "ab", "c", "axis=sx" },
      1,
      1,
      "wrong-attribute-type",
      "graph.node[0].attribute[0]",
      105 },
    { { "", "Add", "ab", "c", "axis=?" }, 1, 0, "", "", 0 },
    { { "", "Cat", "abcd", "x", "axis=i0" }, 1, 0, "", "", 0 },
    { { "", "Cat", "abcd", "x", "" },
      1,
      1,
      "missing-attribute",
      "graph.node[0]",
      100 },
    { { "", "Cat", "", "x", "axis=i0" },
      1,
      1,
      "wrong-arity",
      "graph.node[0]",
      100 },
    { { "", "Cat", "a", "xy", "axis=i0" },
      1,
      1,
      "wrong-arity",
      "graph.node[0]",
      100 },
    { { "", "Cat", "a", "xyz", "axis=i0" }, 1, 0, "", "", 0 },
    { { "", "Pack", "ab", "x", "" }, 1, 0, "", "", 0 },
    { { "", "Pack", "abc", "x", "" },
      1,
      1,
      "wrong-arity",
      "graph.node[0]",
      100 },
    { { "", "Pack", "abc", "x", "N=i3" }, 1, 0, "", "", 0 },
    { { "", "Pack", "abcde", "x", "N=i3;Ts=t2" }, 1, 0, "", "", 0 },
    { { "", "Pack", "abcd", "x", "N=i3;Ts=t2" },
      1,
      1,
      "wrong-arity",
      "graph.node[0]",
      100 },
    { { "", "Pack", "a", "x", "N=?" }, 1, 0, "", "", 0 },
    { { "", "Pack", "ab", "x", "Ts=e" }, 1, 0, "", "", 0 },
    { { "", "Pack", "", "x", "N=i0" },
      1,
      1,
      "bad-attribute-value",
      "graph.node[0].attribute[0]",
      102 },
    { { "", "Pack", "abc", "x", "Ts=T" },
      1,
      1,
      "bad-attribute-value",
      "graph.node[0].attribute[0]",
      103 },
    { { "", "Pack", "ab", "x", "mode=sb" }, 1, 0, "", "", 0 },
    { { "", "Pack", "ab", "x", "mode=sc" },
      1,
      1,
      "bad-attribute-value",
      "graph.node[0].attribute[0]",
      105 },
};

static void says_what_is_wrong(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tn_error  error = TN_ERROR_INIT;
        struct heard     heard = { 0 };
        struct tn_memory memory;

        tn_memory_init(&memory, NULL, 0);
        judge(&cases[i].node, cases[i].version, 1, &memory, &heard, &error);
        assert_int_equal(error.status, TN_OK);
        assert_int_equal(memory.used, 0);
        if (heard.count != cases[i].count ||
            strcmp(heard.rule, cases[i].rule) != 0 ||
            strcmp(heard.where, cases[i].where) != 0 ||
            heard.offset != cases[i].offset)
            fail_msg("case %d, %s: %d findings, first %s at %s (%d): %s",
                     (int)i, cases[i].node.type, heard.count, heard.rule,
                     heard.where, (int)heard.offset, heard.what);
    }
}

/* What is remembered of good attributes hides no bad one. */
static void says_it_every_time(void **state)
{
    static const struct node nodes[] = {
        { "", "Pack", "ab", "x", "mode=sc" },
        { "", "Add", "ab", "c", "axis=sx" },
        { "", "Cat", "ab", "x", "" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof nodes / sizeof nodes[0]; i++) {
        struct tn_error  error = TN_ERROR_INIT;
        struct heard     heard = { 0 };
        struct tn_memory memory;

        tn_memory_init(&memory, NULL, 0);
        judge(&nodes[i], 1, 2500, &memory, &heard, &error);
        assert_int_equal(heard.count, 2500);
    }
}

static void leaves_calls_alone(void **state)
{
    static const struct node node  = { "", "Sub", "ab", "c", "x=i1" };
    struct tn_error          error = TN_ERROR_INIT;
    struct heard             heard = { 0 };
    struct tn_memory         memory;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    called = tn_text("Sub");
    judge(&node, 1, 1, &memory, &heard, &error);
    called = tn_bytes(NULL, 0);
    assert_int_equal(heard.count, 0);
}

static enum tn_status judge_sample(struct tn_bytes   input,
                                   struct tn_memory *memory,
                                   struct tn_error  *error)
{
    static const struct node node  = { "", "Pack", "abcde", "x",
                                       "N=i3;Ts=t2;mode=sa" };
    struct heard             heard = { 0 };

    (void)input;
    judge(&node, 1, 3, memory, &heard, error);
    return error->status;
}

static void survives_no_memory(void **state)
{
    (void)state;
    tn_survives_no_memory(judge_sample, tn_text("x"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_what_is_wrong),
        cmocka_unit_test(says_it_every_time),
        cmocka_unit_test(leaves_calls_alone),
        cmocka_unit_test(survives_no_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
