/* value_ranks_test.c - ranks of producers and consumers, edge by edge */
#include "ir/value_ranks.h"

#include "ir/vocab_testing.h"

static const char vocabulary[] =
    "vocabulary test 1\n"
    "domain \"\"\n"
    "op Add (A int8[..r], B int8[..r]) -> (C int8[r])\n"
    "op Cat (X+ int8[r 1..]) -> (Y int8[r])\n"
    "op Conv (X int8[r 3..], W int8[r], B? int8[1]) -> (Y int8[r])\n"
    "op Flat (X int8) -> (Y int8[2])\n"
    "op Mul (A int8[2], B int8[2..3]) -> (C int8[2])\n"
    "op Relu (X int8[r]) -> (Y int8[r])\n"
    "op Turn (X int8) -> (Y int8)\n";

struct claim {
    const char         *name;
    const char         *declared; /* "a4": a has rank 4                       */
    struct testing_node nodes[3];
    const char         *rule, *where, *what; /* "": nothing is wrong          */
};

struct scene {
    const struct claim  *claim;
    struct tn_model      model;
    struct testing_file  file;
    struct testing_heard heard;
};

static void declare_ranks(void *context, uint8_t *ranks)
{
    struct scene   *s     = context;
    struct tn_error error = TN_ERROR_INIT;

    for (const char *p = s->claim->declared; *p; p += 2) {
        uint32_t value = testing_value(&s->model, 0, p[0], &error);
        if (value != TN_NONE)
            ranks[value] = TN_RANK((unsigned)(p[1] - '0'));
    }
}

static enum tn_status judge(struct scene *s, struct tn_memory *memory,
                            struct tn_error *error)
{
    struct tn_report    report = { .each = testing_hear, .context = &s->heard };
    struct tn_vocab     vocab;
    struct tn_vocab_use use = { .vocab         = &vocab,
                                .context       = s,
                                .declare_ranks = declare_ranks,
                                .only_types    = true,
                                .file          = "" };

    testing_file_init(&s->file);
    tn_model_init(&s->model, memory);
    s->model.dialect = &testing_by_values;
    tn_model_add_graph(&s->model, TN_GRAPH_MAIN, "graph", "node", error);
    for (const char *p = s->claim->declared; *p; p += 2)
        testing_value(&s->model, 0, *p, error);
    for (uint64_t i = 0; i < 3 && s->claim->nodes[i].type; i++)
        if (!tn_failed(error))
            testing_add(&s->model, 0, &s->file, &s->claim->nodes[i],
                        10 + 50 * i, error);
    if (!tn_failed(error) && tn_vocab_load(&vocab, &s->model.arena,
                                           tn_text(vocabulary), error) == TN_OK)
        tn_vocab_check(&s->model, &use, &report, error);
    tn_model_done(&s->model);
    return error->status;
}

/* clang-format off */
static const struct claim claims[] = {
    { "one rank", "a4b4c1", { { "", "Conv", "abc", "y", "" } }, "", "", "" },
    { "nothing is known", "", { { "", "Conv", "abc", "y", "" } }, "", "", "" },
    { "one is known", "a4", { { "", "Conv", "ab", "y", "" } }, "", "", "" },
    { "two ranks", "a4b3", { { "", "Conv", "ab", "y", "" } },
      "rank-mismatch", "graph.node[0]",
      "'b' has rank 3, and 'a' has rank 4; Conv takes them in one rank" },
    { "too few", "a2", { { "", "Conv", "ab", "y", "" } },
      "rank-not-allowed", "graph.node[0]", "'a' has rank 2, Conv takes 'X' of rank at least 3" },
    { "another than the only one", "c2", { { "", "Conv", "abc", "y", "" } },
      "rank-not-allowed", "graph.node[0]", "'c' has rank 2, Conv takes 'B' of rank 1" },
    { "neither of two", "b4", { { "", "Mul", "ab", "y", "" } },
      "rank-not-allowed", "graph.node[0]", "'b' has rank 4, Mul takes 'B' of rank 2 to 3" },
    { "one of two", "a2b3", { { "", "Mul", "ab", "y", "" } }, "", "", "" },
    { "the last of many", "a2b2c3", { { "", "Cat", "abc", "y", "" } },
      "rank-mismatch", "graph.node[0]",
      "'c' has rank 3, and 'a' has rank 2; Cat takes them in one rank" },
    { "a scalar", "a0", { { "", "Cat", "a", "y", "" } },
      "rank-not-allowed", "graph.node[0]", "'a' has rank 0, Cat takes 'X' of rank at least 1" },
    { "it follows", "a4", { { "", "Relu", "a", "b", "" }, { "", "Mul", "bc", "y", "" } },
      "rank-not-allowed", "graph.node[1]", "'b' has rank 4, Mul takes 'A' of rank 2" },
    { "out of order", "a4", { { "", "Mul", "cd", "y", "" }, { "", "Relu", "b", "c", "" }, { "", "Relu", "a", "b", "" } },
      "rank-not-allowed", "graph.node[0]", "'c' has rank 4, Mul takes 'A' of rank 2" },
    { "round and round", "", { { "", "Relu", "b", "a", "" }, { "", "Relu", "a", "b", "" } }, "", "", "" },
    { "what it always makes", "", { { "", "Flat", "a", "b", "" }, { "", "Conv", "bc", "y", "" } },
      "rank-not-allowed", "graph.node[1]", "'b' has rank 2, Conv takes 'X' of rank at least 3" },
    { "through what nobody knows", "a4", { { "", "Turn", "a", "b", "" }, { "", "Mul", "bc", "y", "" } }, "", "", "" },
    { "the larger of two", "a1b4", { { "", "Add", "ab", "c", "" }, { "", "Mul", "cd", "y", "" } },
      "rank-not-allowed", "graph.node[1]", "'c' has rank 4, Mul takes 'A' of rank 2" },
    { "one of them is not known", "b4", { { "", "Add", "ab", "c", "" }, { "", "Mul", "cd", "y", "" } }, "", "", "" },
    { "declared otherwise", "a4y2", { { "", "Relu", "a", "y", "" } },
      "rank-mismatch", "graph.node[0]", "'y' has rank 2, and Relu makes it of rank 4" },
    { "declared otherwise than always", "y4", { { "", "Flat", "a", "y", "" } },
      "rank-mismatch", "graph.node[0]", "'y' has rank 4, and Flat makes it of rank 2" },
    { "an operator that nobody knows", "a4y2", { { "", "My", "a", "y", "" } }, "", "", "" },
};
/* clang-format on */

static void ranks_are_compared(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof claims / sizeof claims[0]; i++) {
        struct scene     s     = { .claim = &claims[i] };
        struct tn_error  error = TN_ERROR_INIT;
        struct tn_memory memory;

        tn_memory_init(&memory, NULL, 0);
        assert_int_equal(judge(&s, &memory, &error), TN_OK);
        assert_int_equal(memory.used, 0);
        if (s.heard.count > 1 || strcmp(s.heard.rule, claims[i].rule) ||
            strcmp(s.heard.where, claims[i].where) ||
            strcmp(s.heard.what, claims[i].what))
            fail_msg("%s: %d findings, first %s at %s: %s", claims[i].name,
                     s.heard.count, s.heard.rule, s.heard.where, s.heard.what);
    }
}

static enum tn_status judge_one(struct tn_bytes input, struct tn_memory *memory,
                                struct tn_error *error)
{
    struct scene s = { .claim = &claims[10] };

    (void)input;
    return judge(&s, memory, error);
}

static void survives_no_memory(void **state)
{
    (void)state;
    tn_survives_no_memory(judge_one, tn_text("x"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_are_compared),
        cmocka_unit_test(survives_no_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
