/* transposes_test.c - Transposes that meet, and graphs that stay as they are */
#include "map/simplify/transposes.h"

#include "map/lang/rule_sets.h"
#include "support/hostile.h"
#include "support/net_make.h"
#include "support/net_text.h"

static const int64_t to_first[] = { 0, 3, 1, 2 }, to_last[] = { 0, 2, 3, 1 };

static uint32_t transpose(struct tn_net *net, const char *name, uint32_t from,
                          const int64_t *perm)
{
    struct tn_net_attr attr = { .name  = tn_text("perm"),
                                .value = { .kind    = TN_ATTR_INT,
                                           .is_list = true,
                                           .count   = 4,
                                           .of.ints = perm } };

    return make_node(net, "Transpose", name, &from, 1, &attr, 1);
}

static uint32_t op(struct tn_net *net, const char *type, const char *name,
                   uint32_t a, uint32_t b)
{
    return make_node(net, type, name, (uint32_t[]){ a, b },
                     b == TN_NONE ? 1 : 2, NULL, 0);
}

static uint32_t input(struct tn_net *net, const char *name)
{
    static const int64_t dims[] = { -1, 4, 5, 3, -2 };

    return make_input(net, name, TN_FLOAT32, dims);
}

static void make_meeting(struct tn_net *net)
{
    uint32_t x = input(net, "x");
    uint32_t r =
        op(net, "Relu", "r", transpose(net, "t", x, to_first), TN_NONE);

    tn_net_add_output(net, 0, transpose(net, "y", r, to_last), tn_text(""));
}

/* Two become one, behind the sum. */
static void make_sum(struct tn_net *net)
{
    uint32_t a = transpose(net, "s", input(net, "a"), to_first);
    uint32_t b = transpose(net, "t", input(net, "b"), to_first);

    tn_net_add_output(net, 0, op(net, "Add", "y", a, b), tn_text(""));
}

/* An operator that is not known, and one whose output is used as it is. */
static void make_kept(struct tn_net *net)
{
    uint32_t t = transpose(net, "t", input(net, "x"), to_first);

    tn_net_add_output(net, 0, op(net, "Exp", "y", t, TN_NONE), tn_text(""));
    tn_net_add_output(net, 0, op(net, "LRN", "z", t, TN_NONE), tn_text(""));
}

static void make_none(struct tn_net *net)
{
    tn_net_add_output(net, 0, op(net, "Exp", "y", input(net, "x"), TN_NONE),
                      tn_text(""));
}

static const struct {
    const char *name;
    void (*make)(struct tn_net *);
    bool        is_moved;
    const char *net;
} cases[] = {
    { "meeting", make_meeting, true, "r_1:Relu(x) y:Transpose(r_1) ->y" },
    { "sum", make_sum, true, "y_1:Add(a,b) y:Transpose(y_1) ->y" },
    { "kept", make_kept, false, "t:Transpose(x) y:Exp(t) z:LRN(t) ->y,z" },
    { "none", make_none, false, "y:Exp(x) ->y" },
};

struct fixture {
    struct tn_memory     memory;
    struct tn_arena      arena;
    struct tn_rule_cache cache;
    struct tn_net        net;
    struct tn_error      error;
};

static void set_up(struct fixture *f, const struct tn_allocator *allocator)
{
    *f = (struct fixture){ .error = TN_ERROR_INIT };
    tn_memory_init(&f->memory, allocator, 0);
    tn_arena_init(&f->arena, &f->memory);
    tn_net_init(&f->net, &f->arena, "onnx", &f->error);
    f->net.version = 17;
}

static void tear_down(struct fixture *f)
{
    tn_net_done(&f->net);
    tn_rule_cache_done(&f->cache);
    tn_arena_done(&f->arena);
    assert_int_equal(f->memory.used, 0);
}

static uint64_t run(struct fixture *f, void (*make)(struct tn_net *))
{
    struct tn_infer *facts = NULL;
    uint64_t         count = 0;

    if (tn_rule_cache_init(&f->cache, &f->arena, &f->error) != TN_OK ||
        tn_net_add_graph(&f->net, TN_GRAPH_MAIN, tn_text("g"), TN_NONE) ==
            TN_NONE)
        return 0;
    make(&f->net);
    const struct tn_lang_file *shapes =
        tn_rule_cache_shapes(&f->cache, "onnx", &f->error);
    if (!tn_failed(&f->error) &&
        tn_infer_open(&facts, &f->net, shapes) == TN_OK &&
        tn_infer_run(facts) == TN_OK)
        count = tn_move_transposes(&f->net, facts);
    tn_infer_close(facts);
    if (!tn_failed(&f->error) && count) {
        tn_net_prune(&f->net);
        tn_net_order(&f->net, NULL);
    }
    return count;
}

static void test_graphs(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fixture   f;
        struct tn_buffer text;

        set_up(&f, NULL);
        bool is_moved = run(&f, cases[i].make) > 0;
        assert_int_equal(f.error.status, TN_OK);
        tn_buffer_init(&text, &f.memory, &f.error);
        net_text_graph(&text, &f.net, 0);
        if (strcmp(tn_buffer_string(&text), cases[i].net) != 0)
            fail_msg("%s: %s", cases[i].name, tn_buffer_string(&text));
        assert_int_equal(is_moved, cases[i].is_moved);
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
        run(&f, make_meeting);
        bool is_done = !tn_failed(&f.error);
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
        cmocka_unit_test(test_every_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
