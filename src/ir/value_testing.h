/*
 * value_testing.h - types and ranks of values in little models, for the tests
 * here
 *
 * What is declared is pairs of a value and what it is: "af" is float32, "a4"
 * has rank 4.
 */
#ifndef TN_IR_VALUE_TESTING_H
#define TN_IR_VALUE_TESTING_H

#include "ir/vocab_testing.h"

/* A graph that a node runs: in the main graph, or a function by its name. */
struct testing_body {
    const char         *name; /* of a function; "": it is in a node           */
    uint32_t            node; /* that one                                     */
    const char         *inputs, *outputs, *declared;
    struct testing_node nodes[3];
};

struct testing_claim {
    const char         *name;
    const char         *declared;
    struct testing_node nodes[3];
    const char         *rule, *where, *what; /* "": nothing is wrong          */
};

struct testing_scene {
    const struct testing_claim *claim;
    const struct testing_body  *bodies; /* end with a NULL name; NULL: none   */
    struct tn_model             model;
    struct testing_file         file;
    struct testing_heard        heard;
};

static inline void testing_declare(struct testing_scene *s, uint32_t graph,
                                   const char *declared, bool wants_ranks,
                                   uint8_t *to)
{
    struct tn_error error = TN_ERROR_INIT;

    for (const char *p = declared; *p; p += 2) {
        uint32_t value   = testing_value(&s->model, graph, p[0], &error);
        bool     is_rank = p[1] >= '0' && p[1] <= '9';
        if (value == TN_NONE || is_rank != wants_ranks)
            continue;
        to[value] = is_rank ? TN_RANK((unsigned)(p[1] - '0'))
                            : TN_TYPE(testing_dtype(p[1]), TN_WRAP_NONE);
    }
}

static inline void testing_declare_all(struct testing_scene *s,
                                       bool wants_ranks, uint8_t *to)
{
    const struct testing_body *bodies = s->bodies;

    testing_declare(s, 0, s->claim->declared, wants_ranks, to);
    for (uint32_t i = 0; bodies && bodies[i].name; i++)
        testing_declare(s, i + 1, bodies[i].declared, wants_ranks, to);
}

static inline void testing_declare_types(void *context, uint8_t *types)
{
    testing_declare_all(context, false, types);
}

static inline void testing_declare_ranks(void *context, uint8_t *ranks)
{
    testing_declare_all(context, true, ranks);
}

/* Values named by the letters, as inputs and outputs of the graph. */
static inline struct tn_io_list testing_io_list(struct testing_scene *s,
                                                uint32_t              graph,
                                                const char           *letters,
                                                struct tn_error      *error)
{
    size_t        count   = strlen(letters);
    struct tn_io *io_list = tn_new(&s->model.arena, struct tn_io, count, error);

    for (size_t i = 0; io_list && i < count; i++) {
        testing_value(&s->model, graph, letters[i], error);
        io_list[i] =
            (struct tn_io){ .name = tn_bytes(&letters[i], 1), .note = "" };
    }
    return (struct tn_io_list){ io_list ? (uint32_t)count : 0, io_list };
}

/* What is declared and not made is a constant of its graph. */
static inline void testing_fill(struct testing_scene *s, uint32_t graph,
                                const char                *declared,
                                const struct testing_node *nodes,
                                struct tn_error           *error)
{
    for (const char *p = declared; *p; p += 2)
        testing_value(&s->model, graph, *p, error);
    for (uint64_t i = 0; i < 3 && nodes[i].type; i++)
        if (!tn_failed(error))
            testing_add(&s->model, graph, &s->file, &nodes[i],
                        graph ? 290 : 10 + 50 * i, error);
    for (const char *p = declared; *p && !tn_failed(error); p += 2)
        tn_model_define(&s->model, testing_value(&s->model, graph, *p, error),
                        TN_VALUE_INITIALIZER, TN_NONE, 0);
}

static inline void testing_add_body(struct testing_scene      *s,
                                    const struct testing_body *body,
                                    struct tn_error           *error)
{
    static const char *const paths[]     = { "one", "two", "three", "four" };
    bool                     is_function = body->name[0] != '\0';
    uint32_t                 graph       = tn_model_add_graph(
                              &s->model, is_function ? TN_GRAPH_FUNCTION : TN_GRAPH_SUBGRAPH,
                              paths[(s->model.graphs.count - 1) % 4], "node", error);
    struct tn_graph *row;

    if (graph == TN_NONE)
        return;
    row               = tn_model_graph_at(&s->model, graph);
    row->parent_graph = is_function ? TN_NONE : 0;
    row->parent_node  = body->node;
    row->first_op     = (uint32_t)s->model.ops.count;
    row->name    = tn_intern_copy(&s->model.names, tn_text(body->name), error);
    row->inputs  = testing_io_list(s, graph, body->inputs, error);
    row->outputs = testing_io_list(s, graph, body->outputs, error);
    for (const char *p = body->inputs; *p && !tn_failed(error); p++)
        tn_model_define(&s->model, testing_value(&s->model, graph, *p, error),
                        TN_VALUE_INPUT, TN_NONE, 0);
    if (!tn_failed(error))
        testing_fill(s, graph, body->declared, body->nodes, error);
}

/* `use` has what is special about the test. */
static inline enum tn_status testing_judge(struct testing_scene    *s,
                                           struct tn_memory        *memory,
                                           const struct tn_dialect *dialect,
                                           const char              *words,
                                           struct tn_vocab_use      use,
                                           struct tn_error         *error)
{
    const struct testing_body *bodies = s->bodies;
    struct tn_report report = { .each = testing_hear, .context = &s->heard };
    struct tn_vocab  vocab;

    use.vocab          = &vocab;
    use.context        = s;
    use.declare        = testing_declare_types;
    use.declare_ranks  = testing_declare_ranks;
    use.compares_types = true;
    use.file           = "";
    use.free_prefix    = "_";
    use.unknown        = TN_LEVEL_ERROR;
    use.deprecated     = TN_LEVEL_ERROR;
    testing_file_init(&s->file);
    tn_model_init(&s->model, memory);
    s->model.dialect = dialect;
    tn_model_add_graph(&s->model, TN_GRAPH_MAIN, "graph", "node", error);
    if (!tn_failed(error))
        testing_fill(s, 0, s->claim->declared, s->claim->nodes, error);
    for (uint32_t i = 0; bodies && bodies[i].name && !tn_failed(error); i++)
        testing_add_body(s, &bodies[i], error);
    if (!tn_failed(error))
        tn_model_resolve(&s->model);
    if (!tn_failed(error) &&
        tn_vocab_load(&vocab, &s->model.arena, tn_text(words), error) == TN_OK)
        tn_vocab_check(&s->model, &use, &report, error);
    tn_model_done(&s->model);
    return error->status;
}

/* What is found first is what the claim says; how much is found. */
static inline int testing_hold(const struct testing_claim *claim,
                               const struct testing_body  *bodies,
                               const struct tn_dialect    *dialect,
                               const char *words, struct tn_vocab_use use)
{
    struct testing_scene s     = { .claim = claim, .bodies = bodies };
    struct tn_error      error = TN_ERROR_INIT;
    struct tn_memory     memory;

    tn_memory_init(&memory, NULL, 0);
    assert_int_equal(testing_judge(&s, &memory, dialect, words, use, &error),
                     TN_OK);
    assert_int_equal(memory.used, 0);
    if (strcmp(s.heard.rule, claim->rule) ||
        strcmp(s.heard.where, claim->where) ||
        strcmp(s.heard.what, claim->what))
        fail_msg("%s: %d findings, first %s at %s: %s", claim->name,
                 s.heard.count, s.heard.rule, s.heard.where, s.heard.what);
    if (s.heard.count)
        assert_int_equal(s.heard.level, TN_LEVEL_ERROR);
    return s.heard.count;
}

#endif
