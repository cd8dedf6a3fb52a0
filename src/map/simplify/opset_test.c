/* opset_test.c - a graph in an older and a newer opset, and what stays */
#include "map/simplify/opset.h"

#include "map/lang/rule_sets.h"
#include "support/hostile.h"
#include "support/net_make.h"
#include "support/net_text.h"

struct fixture {
    struct tn_memory     memory;
    struct tn_arena      arena;
    struct tn_rule_cache cache;
    struct tn_net        nets[16];
    uint32_t             used;
    struct tn_error      error;
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

/* y = reduce(x) over axis 1, which is a constant or an input; a Reshape takes
 * a 0 as it is. */
static void make(struct tn_net *net, const char *op, bool is_fixed)
{
    static const int64_t     axis = 1, dims[] = { 2, 3, -2 }, one[] = { 1, -2 };
    const struct tn_net_attr zero       = make_int("allowzero", &axis);
    bool                     is_reshape = !strcmp(op, "Reshape");

    if (tn_net_add_graph(net, TN_GRAPH_MAIN, tn_text("g"), TN_NONE) == TN_NONE)
        return;
    uint32_t inputs[] = { make_input(net, "x", TN_FLOAT32, dims),
                          is_fixed ? make_ints(net, "a", &axis, 1)
                                   : make_input(net, "a", TN_INT64, one) };
    tn_net_add_output(net, 0,
                      make_node(net, op, "y", inputs, 2, &zero, is_reshape),
                      tn_text("y"));
}

static struct tn_net *run(struct fixture *f, const char *op, bool is_fixed,
                          int64_t wanted, bool is_wish, bool is_made)
{
    struct tn_net *net = new_net(f);

    tn_rule_cache_init(&f->cache, &f->arena, &f->error);
    net->version = 18;
    if (!tn_failed(&f->error))
        make(net, op, is_fixed);
    struct tn_opset_how how = { .wanted  = wanted,
                                .is_wish = is_wish,
                                .is_made = is_made,
                                .new_net = new_net,
                                .context = f };
    if (tn_failed(&f->error))
        return NULL;
    how.shapes = tn_rule_cache_shapes(&f->cache, "onnx", &f->error);
    how.older =
        tn_rule_cache_within(&f->cache, "onnx", TN_FOR_OLDER, &f->error);
    how.newer =
        tn_rule_cache_within(&f->cache, "onnx", TN_FOR_NEWER, &f->error);
    return tn_failed(&f->error) ? NULL : tn_set_opset(net, &how);
}

static const struct {
    const char *op;
    bool        is_fixed;
    int64_t     wanted;
    bool        is_wish;
    int64_t     version; /* 0: refused                                        */
    const char *net;     /* or the refusal                                    */
    bool        is_made;
} cases[] = {
    { "ReduceMean", true, 17, false, 17, "y:ReduceMean(x) ->y", false },
    { "ReduceMean", true, 11, false, 11, "y:ReduceMean(x) ->y", false },
    { "ReduceMean", true, 21, false, 21, "y:ReduceMean(x,a) ->y", false },
    { "ReduceMean", false, 17, true, 18, "y:ReduceMean(x,a) ->y", false },
    { "ReduceMean", false, 17, false, 0,
      "ReduceMean 'y' cannot be written in opset 17, only from 18 on: the "
      "rule's "
      "condition does not hold",
      false },
    { "ReduceSum", true, 13, false, 13, "y:ReduceSum(x,a) ->y", false },
    { "ReduceSum", true, 12, false, 12, "y:ReduceSum(x) ->y", false },
    { "BitwiseAnd", true, 17, true, 18, "y:BitwiseAnd(x,a) ->y", false },
    { "BitwiseAnd", true, 17, false, 0,
      "cannot be written in opset 17: BitwiseAnd came with opset 18", false },
    { "Reshape", true, 13, false, 13, "y:Reshape(x,a) ->y", false },
    { "Reshape", false, 14, false, 14, "y:Reshape(x,a) ->y", false },
    { "Reshape", false, 13, false, 0,
      "Reshape 'y' cannot be written in opset 13, only from 14 on: its shape is "
      "computed; before opset 14 a 0 in it would be a size of the input",
      false },
    { "Reshape", false, 13, false, 13, "y:Reshape(x,a) ->y", true },
};

static void test_versions(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fixture   f;
        struct tn_buffer text;

        set_up(&f, NULL);
        struct tn_net *net =
            run(&f, cases[i].op, cases[i].is_fixed, cases[i].wanted,
                cases[i].is_wish, cases[i].is_made);
        if (!cases[i].version) {
            assert_null(net);
            assert_string_equal(f.error.what, cases[i].net);
            tear_down(&f);
            continue;
        }
        assert_non_null(net);
        assert_int_equal(net->version, cases[i].version);
        tn_buffer_init(&text, &f.memory, &f.error);
        net_text_graph(&text, net, 0);
        assert_string_equal(tn_buffer_string(&text), cases[i].net);
        tn_buffer_done(&text);
        tear_down(&f);
    }
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    for (uint64_t n = 0;; n += 1 + n / 16) {
        struct tn_budget    budget    = { .left = n };
        struct tn_allocator allocator = { tn_budget_resize, &budget };
        struct fixture      f;

        set_up(&f, &allocator);
        bool is_done = run(&f, "ReduceSum", true, 11, false, false) != NULL;
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
        cmocka_unit_test(test_versions),
        cmocka_unit_test(test_every_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
