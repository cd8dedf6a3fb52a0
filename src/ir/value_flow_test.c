/* value_flow_test.c - types and ranks through graphs that nodes run */
#include "ir/value_flow.h"

#include "ir/value_testing.h"

static const char vocabulary[] = "vocabulary test 1\n"
                                 "types any = {float32 float16 int64 bool}\n"
                                 "domain \"\"\n"
                                 "op Add (A $T[r], B $T[r]) -> (C $T[r])\n"
                                 "    $T in {float32 float16}\n"
                                 "op Flat (A $T) -> (C $T[2])\n"
                                 "    $T in {any}\n"
                                 "op If (A any) -> (C* ~$T)\n"
                                 "    $T in {any}\n"
                                 "op Pool (A $T[4]) -> (C $T[4])\n"
                                 "    $T in {any}\n"
                                 "op Scan (A $T) -> (C* ~$T)\n"
                                 "    $T in {any}\n"
                                 "op While (A* ~$T) -> (C* ~$T)\n"
                                 "    $T in {any}\n";

/* Nodes call the functions that they are called like. */
static uint32_t callee(void *context, uint32_t op, uint32_t number)
{
    const struct tn_model *model = &((struct testing_scene *)context)->model;
    struct tn_bytes        type =
        tn_model_name(model, tn_model_op_at(model, op)->type);

    for (uint32_t i = 0; number == 0 && i < model->graphs.count; i++) {
        const struct tn_graph *graph = tn_model_graph_at(model, i);
        if (graph->kind == TN_GRAPH_FUNCTION &&
            tn_bytes_equal(tn_model_name(model, graph->name), type))
            return i;
    }
    return TN_NONE;
}

/* If gives, functions take and give what they have; While carries it along, and
 * begins with a condition; Scan takes an axis away and puts it back. */
static bool pass(void *context, const struct tn_crossing *c,
                 struct tn_passing *to)
{
    (void)context;
    to->number   = c->index;
    to->has_rank = true;
    if (!c->kind)
        return true;
    if (tn_bytes_is(c->kind->name, "Scan"))
        to->deeper = -1;
    if (tn_bytes_is(c->kind->name, "While") && c->index == 0) {
        to->number = TN_NONE;
        to->type   = TN_TYPE(TN_BOOL, TN_WRAP_NONE);
    } else if (tn_bytes_is(c->kind->name, "While")) {
        to->number     = c->index - 1;
        to->start      = c->is_output ? c->index : TN_NONE;
        to->is_carried = !c->is_output;
    }
    return true;
}

static const struct tn_vocab_use through = { .half   = TN_VOCAB_VALUES,
                                             .callee = callee,
                                             .pass   = pass };

/* clang-format off */
#define IF(then, other) { { "", 0, "", "a", then, { { 0 } } }, \
                          { "", 0, "", "b", other, { { 0 } } }, { 0 } }
static const struct testing_body
    same[]      = IF("af", "bf"),
    types[]     = IF("af", "bh"),
    ranks[]     = IF("afa4", "bfb4"),
    two_ranks[] = IF("afa4", "bfb2"),
    outer[]     = { { "", 0, "", "d", "kf", { { "", "Add", "xk", "d", "" } } }, { 0 } },
    loop[]      = { { "", 0, "cv", "cv", "", { { 0 } } }, { 0 } },
    asks[]      = { { "", 0, "cv", "dv", "df", { { 0 } } }, { 0 } },
    carries[]   = { { "", 0, "cv", "cw", "wf", { { 0 } } }, { 0 } },
    declares[]  = { { "", 0, "cv", "cv", "vf", { { 0 } } }, { 0 } },
    slices[]    = { { "", 0, "s", "s", "", { { "", "Pool", "s", "t", "" } } }, { 0 } },
    sliced[]    = { { "", 0, "s", "s", "s4", { { 0 } } }, { 0 } },
    adds[]      = { { "F", 0, "a", "b", "kf", { { "", "Add", "ak", "b", "" } } }, { 0 } },
    copies[]    = { { "F", 0, "a", "a", "", { { 0 } } }, { 0 } },
    nested[]    = { { "G", 0, "p", "q", "", { { "", "F", "p", "q", "" } } },
                    { "F", 0, "a", "b", "kf", { { "", "Add", "ak", "b", "" } } }, { 0 } },
    circle[]    = { { "F", 0, "p", "q", "", { { "", "G", "p", "q", "" } } },
                    { "G", 0, "a", "b", "", { { "", "F", "a", "b", "" } } }, { 0 } },
    keeps[]     = { { "", 0, "cv", "cw", "", { { "", "Add", "vv", "w", "" } } }, { 0 } },
    flattens[]  = { { "", 0, "cv", "cw", "", { { "", "Flat", "v", "w", "" } } }, { 0 } },
    pools[]     = { { "", 0, "cv", "cw", "", { { "", "Pool", "v", "w", "" } } }, { 0 } },
    follows[]   = { { "", 0, "cuv", "cvw", "", { { "", "Flat", "v", "w", "" }, { "", "Pool", "v", "z", "" } } }, { 0 } },
    told[]      = { { "", 0, "cv", "cv", "v4", { { "", "Pool", "v", "z", "" } } }, { 0 } },
    wrong[]     = { { "F", 0, "a", "b", "kfmh", { { "", "Add", "km", "b", "" } } }, { 0 } };

static const struct {
    struct testing_claim       claim;
    const struct testing_body *bodies;
} claims[] = {
    { { "branches that agree", "cb", { { "", "If", "c", "y", "" } }, "", "", "" }, same },
    { { "branches that do not", "cb", { { "", "If", "c", "y", "" } }, "type-mismatch", "graph.node[0]",
      "'a' is float32 and 'b' is float16; If gives them in one type" }, types },
    { { "what a branch gives is not taken", "cb", { { "", "If", "c", "y", "" }, { "", "Pool", "y", "z", "" } }, "", "", "" }, ranks },
    { { "its rank", "cb", { { "", "If", "c", "y", "" }, { "", "Pool", "y", "z", "" } }, "", "", "" }, two_ranks },
    { { "declared otherwise", "cbyh", { { "", "If", "c", "y", "" } }, "type-mismatch", "graph.node[0]",
      "'y' is float32, and declared as float16" }, same },
    { { "declared of another rank", "cby2", { { "", "If", "c", "y", "" } }, "rank-mismatch", "graph.node[0]",
      "'y' has rank 2, and its graph gives it with rank 4" }, ranks },
    { { "it follows", "cbxh", { { "", "If", "c", "y", "" }, { "", "Add", "yx", "z", "" } }, "type-mismatch", "graph.node[1]",
      "'y' is float32 and 'x' is float16; Add takes them in one type" }, same },
    { { "a value from around", "cbxh", { { "", "If", "c", "y", "" } }, "type-mismatch", "one.node[0]",
      "'x' is float16 and 'k' is float32; Add takes them in one type" }, outer },
    { { "a loop", "vf", { { "", "While", "v", "y", "" } }, "", "", "" }, loop },
    { { "a loop that asks for no bool", "vf", { { "", "While", "v", "y", "" } }, "type-mismatch", "graph.node[0]",
      "'d' is float32, While takes bool there" }, asks },
    { { "a loop that begins as another", "vh", { { "", "While", "v", "y", "" } }, "type-mismatch", "graph.node[0]",
      "'v' is float16 and 'w' is float32; While gives them in one type" }, carries },
    { { "a loop that declares another", "xh", { { "", "While", "x", "y", "" } }, "type-mismatch", "graph.node[0]",
      "'v' is float32, and is given 'x' as float16" }, declares },
    { { "an axis less", "x5", { { "", "Scan", "x", "y", "" } }, "", "", "" }, slices },
    { { "an axis less than needed", "x4", { { "", "Scan", "x", "y", "" } }, "rank-not-allowed", "one.node[0]",
      "'s' has rank 3, Pool takes 'A' of rank 4" }, slices },
    { { "an axis put back", "x5", { { "", "Scan", "x", "y", "" }, { "", "Pool", "y", "z", "" } }, "rank-not-allowed",
      "graph.node[1]", "'y' has rank 5, Pool takes 'A' of rank 4" }, slices },
    { { "declared with all axes", "x4", { { "", "Scan", "x", "y", "" } }, "rank-mismatch", "graph.node[0]",
      "'s' has rank 4, and is given 'x' with rank 3" }, sliced },
    { { "a call", "xf", { { "", "F", "x", "y", "" }, { "", "Add", "yx", "z", "" } }, "", "", "" }, adds },
    { { "a call with another type", "xh", { { "", "F", "x", "y", "" } }, "type-mismatch", "one.node[0]",
      "'a' is float16 and 'k' is float32; Add takes them in one type" }, adds },
    { { "calls with two types", "xhzf", { { "", "F", "x", "y", "" }, { "", "F", "z", "u", "" }, { "", "Add", "yu", "w", "" } },
      "type-mismatch", "graph.node[2]", "'y' is float16 and 'u' is float32; Add takes them in one type" }, copies },
    { { "the second call is another", "xfzh", { { "", "F", "x", "y", "" }, { "", "F", "z", "u", "" } }, "type-mismatch",
      "one.node[0]", "'a' is float16 and 'k' is float32; Add takes them in one type" }, adds },
    { { "calls of one type", "x4z2", { { "", "F", "x", "y", "" }, { "", "F", "z", "u", "" }, { "", "Pool", "u", "w", "" } },
      "rank-not-allowed", "graph.node[2]", "'u' has rank 2, Pool takes 'A' of rank 4" }, copies },
    { { "a call in a call", "xh", { { "", "G", "x", "y", "" } }, "type-mismatch", "two.node[0]",
      "'a' is float16 and 'k' is float32; Add takes them in one type" }, nested },
    { { "functions that call each other", "xh", { { "", "F", "x", "y", "" }, { "", "Add", "yx", "z", "" } }, "", "", "" }, circle },
    { { "a function that nobody calls", "", { { 0 } }, "type-mismatch", "one.node[0]",
      "'k' is float32 and 'm' is float16; Add takes them in one type" }, wrong },
    { { "what is wrong in a function is told once", "xhzf", { { "", "F", "x", "y", "" }, { "", "F", "z", "u", "" } },
      "type-mismatch", "one.node[0]", "'k' is float32 and 'm' is float16; Add takes them in one type" }, wrong },
    { { "a loop that keeps its rank", "v4", { { "", "While", "v", "y", "" }, { "", "Pool", "y", "z", "" } }, "", "", "" }, keeps },
    { { "a loop that keeps another rank", "v2", { { "", "While", "v", "y", "" }, { "", "Pool", "y", "z", "" } },
      "rank-not-allowed", "graph.node[1]", "'y' has rank 2, Pool takes 'A' of rank 4" }, keeps },
    { { "a loop that changes its rank", "v3", { { "", "While", "v", "y", "" }, { "", "Pool", "y", "z", "" } }, "", "", "" }, flattens },
    { { "a loop that gives the rank that it began with", "v2", { { "", "While", "v", "y", "" }, { "", "Pool", "y", "z", "" } },
      "rank-not-allowed", "graph.node[1]", "'y' has rank 2, Pool takes 'A' of rank 4" }, flattens },
    { { "a loop of which nothing is known", "", { { "", "While", "v", "y", "" }, { "", "Pool", "y", "z", "" } }, "", "", "" }, flattens },
    { { "the first round is wrong", "v2", { { "", "While", "v", "y", "" } }, "rank-not-allowed", "one.node[0]",
      "'v' has rank 2, Pool takes 'A' of rank 4" }, pools },
    { { "one follows another", "u3v4", { { "", "While", "uv", "yx", "" }, { "", "Pool", "y", "z", "" } }, "", "", "" }, follows },
    { { "the body tells another rank", "x2", { { "", "While", "x", "y", "" }, { "", "Pool", "y", "z", "" } }, "", "", "" }, told },
};
/* clang-format on */

static void types_go_through_graphs(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++)
        assert_true(testing_hold(&claims[i].claim, claims[i].bodies,
                                 &testing_by_values, vocabulary, through) <= 1);
}

static enum tn_status judge_calls(struct tn_bytes   input,
                                  struct tn_memory *memory,
                                  struct tn_error  *error)
{
    struct testing_scene s = { .claim  = &claims[21].claim,
                               .bodies = claims[21].bodies };

    (void)input;
    return testing_judge(&s, memory, &testing_by_values, vocabulary, through,
                         error);
}

static enum tn_status judge_branches(struct tn_bytes   input,
                                     struct tn_memory *memory,
                                     struct tn_error  *error)
{
    struct testing_scene s = { .claim  = &claims[1].claim,
                               .bodies = claims[1].bodies };

    (void)input;
    return testing_judge(&s, memory, &testing_by_values, vocabulary, through,
                         error);
}

static enum tn_status judge_last(struct tn_bytes   input,
                                 struct tn_memory *memory,
                                 struct tn_error  *error)
{
    size_t               last = sizeof claims / sizeof *claims - 1;
    struct testing_scene s    = { .claim  = &claims[last].claim,
                                  .bodies = claims[last].bodies };

    (void)input;
    return testing_judge(&s, memory, &testing_by_values, vocabulary, through,
                         error);
}

static void survives_no_memory(void **state)
{
    (void)state;
    tn_survives_no_memory(judge_calls, tn_text("x"));
    tn_survives_no_memory(judge_branches, tn_text("x"));
    tn_survives_no_memory(judge_last, tn_text("x")); /* a loop */
}

/* Each function calls the one before it twice: walked call by call there would
 * be 2^24 of them. */
static void a_tree_of_calls_costs_its_size(void **state)
{
    enum { DEPTH = 24 };
    static char          names[DEPTH + 1][2];
    struct testing_body  bodies[DEPTH + 1] = { { 0 } };
    struct testing_claim claim             = { .declared = "xf",
                                               .nodes    = { { "", "y", "x", "z", "" } } };
    struct testing_scene s     = { .claim = &claim, .bodies = bodies };
    struct tn_error      error = TN_ERROR_INIT;
    struct tn_memory     memory;

    (void)state;
    for (int i = 0; i < DEPTH; i++) {
        names[i][0] = (char)('b' + i);
        bodies[i] =
            (struct testing_body){ names[i], 0, "a", "c", "", { { 0 } } };
        if (i > 0) {
            bodies[i].nodes[0] =
                (struct testing_node){ "", names[i - 1], "a", "b", "" };
            bodies[i].nodes[1] =
                (struct testing_node){ "", names[i - 1], "b", "c", "" };
        }
    }
    tn_memory_init(&memory, NULL, 0);
    assert_int_equal(testing_judge(&s, &memory, &testing_by_values, vocabulary,
                                   through, &error),
                     TN_OK);
    assert_int_equal(s.heard.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_go_through_graphs),
        cmocka_unit_test(survives_no_memory),
        cmocka_unit_test(a_tree_of_calls_costs_its_size),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
