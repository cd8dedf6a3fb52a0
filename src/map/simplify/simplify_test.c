/* simplify_test.c - fewer nodes, and what has to stay */
#include "map/simplify/simplify.h"

#include <stdio.h>

#include "map/lang/rule_sets.h"
#include "support/hostile.h"
#include "support/net_make.h"
#include "support/net_text.h"

struct fixture {
    struct tn_memory     memory;
    struct tn_arena      arena;
    struct tn_rule_cache cache;
    struct tn_net        nets[18];
    uint32_t             used;
    struct tn_error      error;
    struct tn_simplified did;
};

static struct tn_net *new_net(void *context)
{
    struct fixture *f   = context;
    struct tn_net  *net = &f->nets[f->used++];

    tn_net_init(net, &f->arena, "onnx", &f->error);
    return net;
}

static void set_up(struct fixture *f, const struct tn_allocator *allocator)
{
    *f = (struct fixture){ .error = TN_ERROR_INIT };
    tn_memory_init(&f->memory, allocator, 0);
    tn_arena_init(&f->arena, &f->memory);
}

static void tear_down(struct fixture *f)
{
    for (uint32_t i = 0; i < f->used; i++)
        tn_net_done(&f->nets[i]);
    tn_rule_cache_done(&f->cache);
    tn_arena_done(&f->arena);
    assert_int_equal(f->memory.used, 0);
}

static struct tn_net *run(struct fixture *f, void (*make)(struct tn_net *),
                          uint64_t        fold_limit)
{
    struct tn_net *net = new_net(f);

    tn_rule_cache_init(&f->cache, &f->arena, &f->error);
    net->version = 17;
    if (!tn_failed(&f->error) &&
        tn_net_add_graph(net, TN_GRAPH_MAIN, tn_text("g"), TN_NONE) != TN_NONE)
        make(net);
    if (tn_failed(&f->error))
        return NULL;
    struct tn_simplify_how how = {
        .shapes     = tn_rule_cache_shapes(&f->cache, "onnx", &f->error),
        .rules      = tn_rule_cache_simplifier(&f->cache, "onnx", &f->error),
        .new_net    = new_net,
        .fold_limit = fold_limit,
        .context    = f,
    };
    return tn_failed(&f->error) ? NULL : tn_simplify(net, &how, &f->did);
}

static uint32_t pair(struct tn_net *net, const char *type, const char *name,
                     uint32_t a, uint32_t b)
{
    return make_node(net, type, name, (uint32_t[]){ a, b }, 2, NULL, 0);
}

static uint32_t one(struct tn_net *net, const char *type, const char *name,
                    uint32_t a)
{
    return make_node(net, type, name, &a, 1, NULL, 0);
}

static uint32_t input(struct tn_net *net)
{
    return make_input(net, "x", TN_FLOAT32, (int64_t[]){ 2, 3, -2 });
}

/* y = x reshaped to its own shape, plus itself twice over. */
static void make_shapes(struct tn_net *net)
{
    uint32_t x = input(net), s = one(net, "Shape", "s", x);
    uint32_t r = pair(net, "Reshape", "r", one(net, "Identity", "i", x), s);
    uint32_t a = one(net, "Exp", "a", r), b = one(net, "Exp", "b", x);

    tn_net_add_output(net, 0, pair(net, "Add", "y", a, b), tn_text(""));
}

/* Each draws numbers of its own. */
static void make_random(struct tn_net *net)
{
    uint32_t x = input(net);
    uint32_t a = one(net, "RandomNormalLike", "a", x);
    uint32_t b = one(net, "RandomNormalLike", "b", x);

    tn_net_add_output(net, 0, pair(net, "Sub", "y", a, b), tn_text(""));
}

/* What quantises is neither computed nor joined. */
static void make_quantised(struct tn_net *net)
{
    static const int64_t three[] = { 1, 2, 3 };
    uint64_t             count   = 3;
    uint32_t             w =
        tn_net_add_ints(net, 0, tn_text("w"), TN_INT8, three, 1, &count);
    uint32_t scale = tn_net_add_doubles(net, 0, tn_text("k"), TN_FLOAT32,
                                        (double[]){ 0.5 }, 0, NULL);
    uint32_t a     = pair(net, "DequantizeLinear", "a", w, scale);
    uint32_t b     = pair(net, "DequantizeLinear", "b", w, scale);
    uint32_t y = pair(net, "Add", "y", pair(net, "Mul", "m", input(net), a), b);

    tn_net_add_output(net, 0, y, tn_text(""));
}

/* An output is made by a node, whatever it is. */
static void make_outputs(struct tn_net *net)
{
    static const int64_t items[] = { 4, 5 };
    uint32_t             c       = make_ints(net, "c", items, 2);

    input(net);
    tn_net_add_output(net, 0, pair(net, "Add", "y", c, c), tn_text(""));
    tn_net_add_output(net, 0, pair(net, "Add", "z", c, c), tn_text(""));
}

/* 2 KiB of the same number out of 16 bytes. */
static void make_large(struct tn_net *net)
{
    static const int64_t dims[] = { 256 };
    static const int64_t one_[] = { 7 };
    uint64_t             single = 1;
    uint32_t             c =
        tn_net_add_ints(net, 0, tn_text("c"), TN_INT64, one_, 1, &single);
    uint32_t large = pair(net, "Expand", "e", c, make_ints(net, "d", dims, 1));
    uint32_t x     = make_input(net, "x", TN_INT64, (int64_t[]){ 256, -2 });

    tn_net_add_output(net, 0, pair(net, "Sub", "y", x, large), tn_text(""));
}

static const struct {
    const char *name;
    void (*make)(struct tn_net *);
    uint64_t    fold_limit;
    const char *net;
} cases[] = {
    { "shapes", make_shapes, TN_FOLD_LIMIT, "a:Exp(x) y:Add(a,a) ->y" },
    { "random", make_random, TN_FOLD_LIMIT,
      "a:RandomNormalLike(x) b:RandomNormalLike(x) y:Sub(a,b) ->y" },
    { "quantised", make_quantised, TN_FOLD_LIMIT,
      "a:DequantizeLinear(w,k) b:DequantizeLinear(w,k) m:Mul(x,a) y:Add(m,b) "
      "->y" },
    { "outputs", make_outputs, TN_FOLD_LIMIT, "y:Add(c,c) z:Add(c,c) ->y,z" },
    { "large", make_large, TN_FOLD_LIMIT, "y:Sub(x,e) ->y" },
    { "too large", make_large, 1024, "e:Expand(c,d) y:Sub(x,e) ->y" },
};

static void test_graphs(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fixture   f;
        struct tn_buffer text;

        set_up(&f, NULL);
        struct tn_net *net = run(&f, cases[i].make, cases[i].fold_limit);
        if (!net)
            fail_msg("%s: %s", cases[i].name, f.error.what);
        tn_buffer_init(&text, &f.memory, &f.error);
        net_text_graph(&text, net, 0);
        if (strcmp(tn_buffer_string(&text), cases[i].net) != 0)
            fail_msg("%s: %s", cases[i].name, tn_buffer_string(&text));
        tn_buffer_done(&text);
        tear_down(&f);
    }
}

/* Simplified again, it stays what it is. */
static void test_it_ends(void **state)
{
    struct fixture f;

    (void)state;
    set_up(&f, NULL);
    assert_non_null(run(&f, make_shapes, TN_FOLD_LIMIT));
    assert_true(f.did.rounds >= 2 && f.did.rounds <= 4);
    assert_int_equal(f.did.folded, 1);
    assert_int_equal(f.did.shared, 1);
    tear_down(&f);
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    for (uint64_t n = 0;; n += 1 + n / 16) {
        struct tn_budget    budget    = { .left = n };
        struct tn_allocator allocator = { tn_budget_resize, &budget };
        struct fixture      f;

        set_up(&f, &allocator);
        bool is_done = run(&f, make_shapes, TN_FOLD_LIMIT) != NULL;
        if (!is_done)
            assert_int_equal(f.error.status, TN_NO_MEMORY);
        tear_down(&f);
        assert_int_equal(budget.blocks, 0);
        if (is_done)
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_graphs),
        cmocka_unit_test(test_it_ends),
        cmocka_unit_test(test_every_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
