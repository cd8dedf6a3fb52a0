/* view_tree_test.c - every node is in one place of the hierarchy */
#include "view/view_tree.h"

#include "view/view_nodes.h"
#include "view/view_testing.h"

static void build(struct tn_view_bench *b, struct tn_view_tree *tree)
{
    struct tn_view_scopes scopes;

    tn_view_scopes_begin(&scopes, &b->picture, !b->model.ops.count);
    if (b->model.ops.count)
        tn_view_find_nodes(&b->picture);
    else
        tn_view_find_tensors(&b->picture);
    tn_view_tree_build(tree, &b->picture, &scopes);
    tn_view_scopes_done(&scopes);
    assert_int_equal(b->error.status, TN_OK);
}

/* Children know their parents, containers come after those they are in, and
 * every node is a child once, or what its container stands for. */
static void check_tree(const struct tn_view_tree *tree)
{
    const struct tn_picture *p    = tree->picture;
    uint32_t                 held = 0;

    for (uint32_t i = 0; i < tree->containers.count; i++) {
        const struct tn_view_container *c = tn_view_container(tree, i);
        if (c->is_gone)
            continue;
        for (uint32_t k = 0; k < c->child_count; k++) {
            uint32_t child = tree->children[c->first_child + k];
            uint32_t index = child & ~TN_VIEW_INNER;
            if (child & TN_VIEW_INNER) {
                assert_true(index > i &&
                            !tn_view_container(tree, index)->is_gone);
                assert_int_equal(tn_view_container(tree, index)->parent, i);
                assert_int_equal(tn_view_container(tree, index)->slot, k);
            } else {
                assert_int_equal(tree->leaves[index].parent, i);
                assert_int_equal(tree->leaves[index].slot, k);
                held++;
            }
        }
        held += c->kind == TN_VIEW_CALL_BLOCK;
    }
    assert_int_equal(held, tn_picture_node_count(p));
}

static void put_labels(const struct tn_view_tree *tree, uint32_t container,
                       char *to, size_t size)
{
    const struct tn_view_container *c = tn_view_container(tree, container);

    for (uint32_t k = 0; k < c->child_count; k++) {
        uint32_t child = tree->children[c->first_child + k];
        bool     is    = child & TN_VIEW_INNER;
        size_t   used  = strlen(to);
        snprintf(to + used, size - used, "%s%.*s%s", k ? " " : "",
                 TN_FMT(tn_picture_text(
                     tree->picture,
                     is ? tn_view_container(tree, child & ~TN_VIEW_INNER)->label
                        : tn_picture_node(tree->picture, child)->op)),
                 is ? "{" : "");
        if (is)
            put_labels(tree, child & ~TN_VIEW_INNER, to, size);
        used = strlen(to);
        snprintf(to + used, size - used, "%s", is ? "}" : "");
    }
}

static const struct {
    const char *ops;
    const char *tensors[5]; /* where there are no ops */
    const char *tree;
} rows[] = {
    { "a = Relu(x); b = Neg(a)", { NULL }, "Relu Neg" },
    { "s/a = Relu(x); s/b = Neg(s/a)", { NULL }, "s{Relu Neg}" },
    { "s.a = Relu(x); s.b = Neg(s.a)", { NULL }, "s{Relu Neg}" },
    { "s/a = Relu(x); t = Neg(s/a)", { NULL }, "Relu Neg" }, /* s of one     */
    { "s/t/a = Relu(x); s/t/b = Neg(s/t/a)", { NULL }, "s/t{Relu Neg}" },
    { "s/a = Relu(x); b = Neg(s/a); s/c = Abs(b)",
      { NULL },
      "s{Relu Abs} Neg" },
    /* What tells the operator, or which module ran again, is no scope. */
    { "n.Conv.0 = Conv(x); n.Relu.1 = Relu(n.Conv.0); "
      "n.Conv.2 = Conv(n.Relu.1); n.Relu.3 = Relu(n.Conv.2)",
      { NULL },
      "n{Conv Relu Conv Relu}" },
    { "a/c = Conv(x); act/r = Relu(a/c); b/c = Conv(act/r); "
      "act/r_1 = Relu(b/c); d = Neg(act/r_1)",
      { NULL },
      "Conv Relu Conv Relu Neg" },
    { "s/a = Relu(x); s/b = Neg(s/a); c = Abs(s/b); s/d = Relu(c); "
      "s/e = Neg(s/d); f = Abs(s/e)",
      { NULL },
      "s{Relu Neg Relu Neg} Abs Abs" },
    { "/s//a = Relu(x); s/b = Neg(/s//a)", { NULL }, "s{Relu Neg}" },
    /* A tensor keeps the name of a scope that has nothing else. */
    { "",
      { "l.conv.weight", "l.norm.bias", "l.norm.weight" },
      "l{conv.weight norm{bias weight}}" },
    { "", { "a.b.c.d" }, "a.b.c.d" },
    { "", { "a/b", "c" }, "a/b c" },
};

static void trees_follow_names(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tn_view_bench b;
        struct tn_view_tree  tree;
        char                 text[256] = "";
        tn_view_bench_begin(&b, rows[i].ops);
        for (size_t k = 0; k < 5 && rows[i].tensors[k]; k++)
            tn_view_bench_tensor(&b, rows[i].tensors[k], 9);
        build(&b, &tree);
        check_tree(&tree);
        put_labels(&tree, 0, text, sizeof text);
        assert_string_equal(text, rows[i].tree);
        tn_view_tree_done(&tree);
        tn_view_bench_end(&b);
    }
}

/* Constants that one node takes are with it; what two take is on its own. */
static void constants_belong_to_their_taker(void **state)
{
    struct tn_view_bench b;
    struct tn_view_tree  tree;
    char                 text[256] = "";

    (void)state;
    tn_view_bench_begin(&b, "c = Constant(); a = Reshape(x, c); d = Constant();"
                            " e = Add(a, d); f = Mul(e, d)");
    build(&b, &tree);
    check_tree(&tree);
    put_labels(&tree, 0, text, sizeof text);
    assert_string_equal(text, "Reshape{Reshape Constant} Constant Add Mul");
    tn_view_tree_done(&tree);
    tn_view_bench_end(&b);
}

static void hostile_names_have_places(void **state)
{
    (void)state;
    for (size_t i = 0; i < TN_VIEW_HOSTILE; i++) {
        struct tn_view_bench b;
        struct tn_view_tree  tree;
        tn_view_bench_begin(&b, tn_view_hostile[i]);
        build(&b, &tree);
        check_tree(&tree);
        tn_view_tree_done(&tree);
        tn_view_bench_end(&b);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_follow_names),
        cmocka_unit_test(constants_belong_to_their_taker),
        cmocka_unit_test(hostile_names_have_places),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
