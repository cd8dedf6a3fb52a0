/* value_types_test.c - types of producers and consumers, edge by edge */
#include "ir/value_types.h"

#include <stdio.h>

#include "support/hostile.h"

static const char vocabulary[] = "vocabulary test 1\n"
                                 "types two = {float32 float16}\n"
                                 "domain \"\"\n"
                                 "op Add (A $T, B $T) -> (C $T)\n"
                                 "    $T in {two}\n"
                                 "op Any (X* ~$T) -> (Y int64)\n"
                                 "    $T in {two int64 bool}\n"
                                 "op Cast (X $T) -> (Y $U)\n"
                                 "    $T in {two int64}\n"
                                 "    $U in {two int64}\n"
                                 "op Cat (X+ $T) -> (Y $T)\n"
                                 "    $T in {two int64}\n"
                                 "op Seq (X $T) -> (Y $S)\n"
                                 "    $T in {two}\n"
                                 "    $S in {seq(float32)}\n";

static const char said_by_attrs[] =
    "vocabulary test 1\n"
    "domain \"\"\n"
    "op Add (a $T, b $T) -> (c $T)\n"
    "    T type\n"
    "op Cast (a $S) -> (c $D)\n"
    "    S type\n"
    "    D type = float32\n"
    "op Pack (v N*$T, w *Ts) -> (x *Ts, y N*$T)\n"
    "    N int\n"
    "    T type\n"
    "    Ts list(type)\n"
    "op Read () -> (c $T)\n"
    "    T type\n";

/* f: float32, h: float16, i: int64, b: bool. */
static enum tn_dtype dtype_of(char letter)
{
    switch (letter) {
    case 'f': return TN_FLOAT32;
    case 'h': return TN_FLOAT16;
    case 'i': return TN_INT64;
    case 'b': return TN_BOOL;
    default: return TN_UNDEFINED;
    }
}

/* ---- the test's dialect: "T=f;Ts=fh;N=2", letters and digits ------------- */

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

/* Lists have more than one. */
static const char *attr_type(struct tn_span wire)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_cursor c     = tn_cursor_span(wire, &error);
    struct tn_bytes  text  = tn_take_bytes(&c, wire.length);

    if (text.size && text.data[0] >= '0' && text.data[0] <= '9')
        return "int";
    return text.size > 1 ? "list(type)" : "type";
}

static enum tn_status decode(const struct tn_model *model, uint32_t op,
                             struct tn_span wire, struct tn_arena *arena,
                             struct tn_attr_value *value,
                             struct tn_error      *error)
{
    struct tn_cursor c    = tn_cursor_span(wire, error);
    struct tn_bytes  text = tn_take_bytes(&c, wire.length);
    int64_t         *ints = tn_new(arena, int64_t, text.size, error);

    (void)model;
    (void)op;
    *value = (struct tn_attr_value){ .kind    = TN_ATTR_DTYPE,
                                     .count   = (uint32_t)text.size,
                                     .is_list = text.size > 1,
                                     .of.ints = ints };
    for (size_t i = 0; ints && i < text.size; i++)
        ints[i] = (int64_t)dtype_of((char)text.data[i]);
    if (ints && text.data[0] >= '0' && text.data[0] <= '9') {
        value->kind = TN_ATTR_INT;
        ints[0]     = text.data[0] - '0';
    }
    return error->status;
}

static const struct tn_dialect by_values = { .name          = "test",
                                             .next_attr     = next_attr,
                                             .decode        = decode,
                                             .attr_type     = attr_type,
                                             .names_outputs = true };
static const struct tn_dialect by_attrs  = { .name      = "test",
                                             .next_attr = next_attr,
                                             .decode    = decode,
                                             .attr_type = attr_type };

/* ---- a graph ------------------------------------------------------------ */

/* Inputs and outputs are letters; where attributes say types, a capital letter
 * is the second output of the node that makes the small one. */
struct node {
    const char *type, *inputs, *outputs, *attrs;
};

struct claim {
    const char *name;
    const char *declared; /* "af": a is float32                               */
    struct node nodes[3];
    const char *rule, *where, *what; /* "": nothing is wrong                  */
};

struct scene {
    const struct claim *claim;
    struct tn_model     model;
    uint8_t             file[300];
    struct tn_source    source;
    int                 count;
    char                rule[40], where[120], what[200];
};

static int hear(void *context, enum tn_finding_level level, const char *rule,
                const struct tn_error *finding)
{
    struct scene *s = context;

    assert_int_equal(level, TN_LEVEL_ERROR);
    if (s->count++ == 0) {
        snprintf(s->rule, sizeof s->rule, "%s", rule);
        snprintf(s->where, sizeof s->where, "%s", finding->where);
        snprintf(s->what, sizeof s->what, "%s", finding->what);
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
    (void)context;
    (void)scope;
    (void)domain;
    return 1;
}

static bool is_call(void *context, uint32_t scope, const struct tn_op *op)
{
    (void)context;
    (void)scope;
    (void)op;
    return false;
}

static uint32_t value_of(struct scene *s, char letter, struct tn_error *error)
{
    uint32_t name =
        tn_intern_copy(&s->model.names, tn_bytes(&letter, 1), error);

    return tn_model_value(&s->model, 0, name, error);
}

static void declare(void *context, uint8_t *types)
{
    struct scene   *s     = context;
    struct tn_error error = TN_ERROR_INIT;

    for (const char *p = s->claim->declared; *p; p += 2) {
        uint32_t value = value_of(s, p[0], &error);
        if (value != TN_NONE)
            types[value] = TN_TYPE(dtype_of(p[1]), TN_WRAP_NONE);
    }
}

/* What Cast makes; of others nothing is known. */
static uint8_t made(void *context, uint32_t op, const struct tn_vocab_op *kind,
                    uint32_t output)
{
    (void)context;
    (void)op;
    (void)output;
    return tn_bytes_is(kind->name, "Cast") ? TN_TYPE(TN_INT64, TN_WRAP_NONE)
                                           : 0;
}

static void add_node(struct scene *s, const struct node *node, uint64_t offset,
                     struct tn_error *error)
{
    uint32_t      op  = tn_model_add_op(&s->model, 0, error);
    struct tn_op *row = op == TN_NONE ? NULL : tn_model_op_at(&s->model, op);

    if (!row)
        return;
    row->type   = tn_intern_copy(&s->model.names, tn_text(node->type), error);
    row->domain = tn_intern_copy(&s->model.names, tn_text(""), error);
    row->source = tn_model_source_id(&s->model, &s->source, error);
    row->wire_offset = offset;
    row->wire_length = strlen(node->attrs);
    memcpy(s->file + offset, node->attrs, strlen(node->attrs));
    tn_model_graph_at(&s->model, 0)->op_count++;
    for (const char *p = node->inputs; *p; p++)
        tn_model_add_input(&s->model, value_of(s, *p, error), error);
    for (const char *p = node->outputs; *p; p++) {
        uint32_t value = value_of(s, *p, error);
        if (s->model.dialect->names_outputs)
            tn_model_add_output(&s->model, value, error);
        if (value != TN_NONE)
            tn_model_define(&s->model, value, TN_VALUE_OUTPUT, op,
                            (uint32_t)(p - node->outputs));
    }
}

static enum tn_status judge(struct scene *s, struct tn_memory *memory,
                            const struct tn_dialect *dialect, const char *words,
                            struct tn_error *error)
{
    static const struct tn_source_ops no_ops = { 0 };
    struct tn_report                  report = { .each = hear, .context = s };
    struct tn_vocab                   vocab;
    struct tn_vocab_use               use = { .vocab          = &vocab,
                                              .context        = s,
                                              .scope          = one_scope,
                                              .version        = version_of,
                                              .is_call        = is_call,
                                              .declare        = declare,
                                              .made           = made,
                                              .compares_types = true,
                                              .file           = "",
                                              .free_prefix    = "_",
                                              .unknown        = TN_LEVEL_ERROR,
                                              .deprecated = TN_LEVEL_ERROR };

    s->source = (struct tn_source){
        .ops = &no_ops, .size = sizeof s->file, .map = s->file, .name = ""
    };
    tn_model_init(&s->model, memory);
    s->model.dialect = dialect;
    tn_model_add_graph(&s->model, TN_GRAPH_MAIN, "graph", "node", error);
    for (const char *p = s->claim->declared; *p; p += 2)
        value_of(s, *p, error);
    for (uint64_t i = 0; i < 3 && s->claim->nodes[i].type; i++)
        if (!tn_failed(error))
            add_node(s, &s->claim->nodes[i], 10 + 50 * i, error);
    if (!tn_failed(error) &&
        tn_vocab_load(&vocab, &s->model.arena, tn_text(words), error) == TN_OK)
        tn_vocab_check(&s->model, &use, &report, error);
    tn_model_done(&s->model);
    return error->status;
}

/* ---- claims ------------------------------------------------------------- */

static const struct claim values_say[] = {
    { "one type", "afbf", { { "Add", "ab", "c", "" } }, "", "", "" },
    { "nothing is known", "", { { "Add", "ab", "c", "" } }, "", "", "" },
    { "one is known", "af", { { "Add", "ab", "c", "" } }, "", "", "" },
    { "two types",
      "afbh",
      { { "Add", "ab", "c", "" } },
      "type-mismatch",
      "graph.node[0]",
      "'a' is float32 and 'b' is float16; Add takes them in one type" },
    { "a type that it does not take",
      "ai",
      { { "Add", "ab", "c", "" } },
      "type-not-allowed",
      "graph.node[0]",
      "'a' is int64, which Add does not take as 'A'" },
    { "types follow",
      "afbfdh",
      { { "Add", "ab", "c", "" }, { "Add", "cd", "e", "" } },
      "type-mismatch",
      "graph.node[1]",
      "'c' is float32 and 'd' is float16; Add takes them in one type" },
    { "through what nobody knows",
      "dh",
      { { "Add", "ab", "c", "" }, { "Add", "cd", "e", "" } },
      "",
      "",
      "" },
    { "each of its own", "afbhci", { { "Any", "abc", "d", "" } }, "", "", "" },
    { "the last of many",
      "afbfch",
      { { "Cat", "abc", "d", "" } },
      "type-mismatch",
      "graph.node[0]",
      "'a' is float32 and 'c' is float16; Cat takes them in one type" },
    { "what an attribute makes",
      "afbf",
      { { "Cast", "a", "c", "" }, { "Add", "bc", "d", "" } },
      "type-not-allowed",
      "graph.node[1]",
      "'c' is int64, which Add does not take as 'B'" },
    { "declared otherwise",
      "afbfch",
      { { "Add", "ab", "c", "" } },
      "type-mismatch",
      "graph.node[0]",
      "'c' is float32, and declared as float16" },
    { "a sequence is no tensor",
      "af",
      { { "Seq", "a", "b", "" }, { "Add", "bb", "c", "" } },
      "type-not-allowed",
      "graph.node[1]",
      "'b' is sequence of float32, which Add does not take as 'A'" },
};

static const struct claim attrs_say[] = {
    { "one type",
      "",
      { { "Read", "", "a", "T=h" }, { "Add", "aa", "b", "T=h" } },
      "",
      "",
      "" },
    { "the consumer says another",
      "",
      { { "Read", "", "a", "T=f" }, { "Add", "aa", "b", "T=h" } },
      "type-mismatch",
      "graph.node[1]",
      "'a' is float32, Add takes float16 there" },
    { "the producer comes later",
      "",
      { { "Add", "aa", "b", "T=h" }, { "Read", "", "a", "T=f" } },
      "type-mismatch",
      "graph.node[0]",
      "'a' is float32, Add takes float16 there" },
    { "the default of an attribute",
      "",
      { { "Read", "", "a", "T=h" },
        { "Cast", "a", "b", "S=h" },
        { "Add", "bb", "c", "T=h" } },
      "type-mismatch",
      "graph.node[2]",
      "'b' is float32, Add takes float16 there" },
    { "an argument of a function",
      "af",
      { { "Add", "aa", "b", "T=h" } },
      "type-mismatch",
      "graph.node[0]",
      "'a' is float32, Add takes float16 there" },
    { "lists",
      "afbfchdi",
      { { "Pack", "abcd", "efgh", "N=2;T=f;Ts=hi" },
        { "Add", "gh", "i", "T=f" } },
      "",
      "",
      "" },
    { "in a list of types",
      "afbfcf",
      { { "Pack", "abcc", "e", "N=2;T=f;Ts=hf" } },
      "type-mismatch",
      "graph.node[0]",
      "'c' is float32, Pack takes float16 there" },
    { "out of a list of types",
      "afbfchdi",
      { { "Pack", "abcd", "efgh", "N=2;T=f;Ts=hi" },
        { "Add", "fg", "i", "T=f" } },
      "type-mismatch",
      "graph.node[1]",
      "'f' is int64, Add takes float32 there" },
    { "past the end of a list",
      "af",
      { { "Pack", "aa", "xyzuv", "N=2;T=f" }, { "Add", "vv", "i", "T=f" } },
      "missing-attribute",
      "graph.node[0]",
      "Pack without 'Ts'" },
};

static void hold(const struct claim *claims, size_t count,
                 const struct tn_dialect *dialect, const char *words)
{
    for (size_t i = 0; i < count; i++) {
        struct scene     s     = { .claim = &claims[i] };
        struct tn_error  error = TN_ERROR_INIT;
        struct tn_memory memory;

        tn_memory_init(&memory, NULL, 0);
        assert_int_equal(judge(&s, &memory, dialect, words, &error), TN_OK);
        assert_int_equal(memory.used, 0);
        if (strcmp(s.rule, claims[i].rule) ||
            strcmp(s.where, claims[i].where) || strcmp(s.what, claims[i].what))
            fail_msg("%s: %d findings, first %s at %s: %s", claims[i].name,
                     s.count, s.rule, s.where, s.what);
    }
}

static void values_are_compared(void **state)
{
    (void)state;
    hold(values_say, sizeof values_say / sizeof *values_say, &by_values,
         vocabulary);
}

static void attributes_are_compared(void **state)
{
    (void)state;
    hold(attrs_say, sizeof attrs_say / sizeof *attrs_say, &by_attrs,
         said_by_attrs);
}

static enum tn_status judge_values(struct tn_bytes   input,
                                   struct tn_memory *memory,
                                   struct tn_error  *error)
{
    struct scene s = { .claim = &values_say[5] };

    (void)input;
    return judge(&s, memory, &by_values, vocabulary, error);
}

static enum tn_status judge_attrs(struct tn_bytes   input,
                                  struct tn_memory *memory,
                                  struct tn_error  *error)
{
    struct scene s = { .claim = &attrs_say[5] };

    (void)input;
    return judge(&s, memory, &by_attrs, said_by_attrs, error);
}

static void survives_no_memory(void **state)
{
    (void)state;
    tn_survives_no_memory(judge_values, tn_text("x"));
    tn_survives_no_memory(judge_attrs, tn_text("x"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_compared),
        cmocka_unit_test(attributes_are_compared),
        cmocka_unit_test(survives_no_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
