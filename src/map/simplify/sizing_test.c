/* sizing_test.c - sizes that are the same, whatever they are */
#include "map/simplify/sizing.h"

#include "support/facts_bench.h"
#include "support/net_lines.h"

/* x is [?, ?, 8], z is [?, ?, 8] of other sizes. */
static void fill_line(struct tn_net *net, const char *line)
{
    static const int64_t dims[] = { -1, -1, 8, -2 };
    static const int64_t flat[] = { 0, -1 }, zero = 0, pair[] = { 0, 1 };
    uint64_t             two      = 2;
    uint64_t             square[] = { 8, 5 };

    net->version = 17;
    make_input(net, "x", TN_FLOAT32, dims);
    make_input(net, "z", TN_FLOAT32, dims);
    make_ints(net, "flat", flat, 2);
    make_ints(net, "zero", &zero, 1);
    tn_net_add_ints(net, 0, tn_text("pair"), TN_INT64, pair, 1, &two);
    tn_net_add_doubles(net, 0, tn_text("w"), TN_FLOAT32, (double[40]){ 0 }, 2,
                       square);
    net_add_line(net, 0, "s = Shape x");
    net_add_line(net, 0, line);
    net_add_io(net, 0, " -> y");
}

/* What is said of y: a and b are the first two sizes of x, c and d of z; "?" is
 * a size of its own, "." nothing at all. */
static const struct {
    const char *line, *dims, *elements;
} cases[] = {
    { "y = Relu x", "a b 8", "" },
    { "y = Transpose x perm=[2,0,1]", "8 a b", "" },
    { "y = Add x,x", "a b 8", "" },
    { "y = MatMul x,w", "a b 5", "" },
    { "y = Unsqueeze x,zero", "1 a b 8", "" },
    { "y = Gather s,pair", "2", "a b" },
    { "y = Concat s,zero axis=#0", "4", "a b 8 0" },
    { "y = Reshape x,s", "a b 8", "" },
    { "y = Identity s", "3", "a b 8" },
};

static char letter(const struct tn_sizing *s, uint32_t size)
{
    const struct tn_value_sizes *x =
        tn_sizes_of_value(s, net_line_find(s->net, "x"));
    const struct tn_value_sizes *z =
        tn_sizes_of_value(s, net_line_find(s->net, "z"));

    for (uint32_t i = 0; i < 2; i++) {
        if (x->dims.items[i] == size)
            return (char)('a' + i);
        if (z->dims.items[i] == size)
            return (char)('c' + i);
    }
    return size == TN_SIZE_NOT_KNOWN ? '.' : '?';
}

static void say(const struct tn_sizing *s, const struct tn_sizes *sizes,
                struct tn_buffer *to)
{
    for (uint32_t i = 0; sizes->is_known && i < sizes->count; i++) {
        int64_t number;
        tn_buffer_format(to, "%s", i ? " " : "");
        if (tn_size_number(sizes, i, &number))
            tn_buffer_format(to, "%d", (int)number);
        else
            tn_buffer_byte(to, (uint8_t)letter(s, sizes->items[i]));
    }
}

static void assert_sizes(const struct tn_sizing *s,
                         const struct tn_sizes *sizes, const char *line,
                         const char *want)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_buffer text;

    tn_buffer_init(&text, s->net->arena->memory, &error);
    say(s, sizes, &text);
    if (strcmp(tn_buffer_string(&text), want) != 0)
        fail_msg("%s: '%s', not '%s'", line, tn_buffer_string(&text), want);
    tn_buffer_done(&text);
}

static void test_operators(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bench     b;
        struct facts     f;
        struct tn_sizing s;
        struct tn_arena  arena;

        set_up(&b, "onnx");
        tn_arena_init(&arena, &b.memory);
        fill_line(&b.net, cases[i].line);
        assert_true(open_facts(&f, &b.net));
        assert_true(tn_sizing_run(&s, &b.net, f.facts, &arena));
        const struct tn_value_sizes *y =
            tn_sizes_of_value(&s, net_line_find(&b.net, "y"));
        assert_sizes(&s, &y->dims, cases[i].line, cases[i].dims);
        assert_sizes(&s, &y->elements, cases[i].line, cases[i].elements);
        close_facts(&f);
        tn_arena_done(&arena);
        tear_down(&b);
    }
}

/* Two inputs of one shape have sizes of their own; the sum is one of both. */
static void test_other_inputs(void **state)
{
    struct bench     b;
    struct facts     f;
    struct tn_sizing s;
    struct tn_arena  arena;

    (void)state;
    set_up(&b, "onnx");
    tn_arena_init(&arena, &b.memory);
    fill_line(&b.net, "y = Add x,z");
    assert_true(open_facts(&f, &b.net));
    assert_true(tn_sizing_run(&s, &b.net, f.facts, &arena));
    const struct tn_value_sizes *x =
        tn_sizes_of_value(&s, net_line_find(&b.net, "x"));
    const struct tn_value_sizes *z =
        tn_sizes_of_value(&s, net_line_find(&b.net, "z"));
    const struct tn_value_sizes *y =
        tn_sizes_of_value(&s, net_line_find(&b.net, "y"));
    assert_true(tn_sizes_agree(&x->dims, &x->dims, 3));
    assert_false(tn_sizes_agree(&x->dims, &z->dims, 3));
    assert_false(tn_sizes_agree(&x->dims, &y->dims, 1));
    assert_false(tn_sizes_agree(&z->dims, &y->dims, 1));
    assert_int_equal(y->dims.items[2], TN_SIZE(8));
    assert_false(tn_sizes_of_value(&s, s.count)->dims.is_known);
    close_facts(&f);
    tn_arena_done(&arena);
    tear_down(&b);
}

static void fill(struct tn_net *net)
{
    fill_line(net, "y = Concat s,zero axis=#0");
}

static enum tn_status change(struct tn_net *net)
{
    struct facts     f;
    struct tn_sizing s;
    struct tn_arena  arena;

    tn_arena_init(&arena, net->arena->memory);
    if (open_facts(&f, net))
        tn_sizing_run(&s, net, f.facts, &arena);
    close_facts(&f);
    tn_arena_done(&arena);
    return net->error->status;
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    survives_no_memory("onnx", fill, change, "s:Shape(x) y:Concat(s,zero) ->y");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operators),
        cmocka_unit_test(test_other_inputs),
        cmocka_unit_test(test_every_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
