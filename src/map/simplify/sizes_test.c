/* sizes_test.c - shapes that repeat sizes of what they reshape, and others */
#include "map/simplify/sizes.h"

#include <stdio.h>

#include "support/facts_bench.h"
#include "support/net_lines.h"

/* y is x, or what `made` makes of it, in the shape of size `place` of x or of
 * z, and `rest`. */
struct how {
    const char *made; /* a line that makes m of x; NULL: x itself           */
    const char *of;   /* whose shape is asked                                 */
    int64_t     place;
    int64_t     rest;
};

static void fill_how(struct tn_net *net, const struct how *how)
{
    static const int64_t dims[] = { -1, -1, 8, -2 }, zero = 0;

    make_input(net, "x", TN_FLOAT32, dims);
    make_input(net, "z", TN_FLOAT32, dims);
    tn_net_add_ints(net, 0, tn_text("place"), TN_INT64, &how->place, 0, NULL);
    make_ints(net, "axes", &zero, 1);
    make_ints(net, "rest", &how->rest, 1);
    if (how->made)
        net_add_line(net, 0, how->made);
    net_add_line(net, 0, *how->of == 'x' ? "s = Shape x" : "s = Shape z");
    net_add_line(net, 0, "b = Gather s,place axis=#0");
    net_add_line(net, 0, "u = Unsqueeze b,axes");
    net_add_line(net, 0, "c = Concat u,rest axis=#0");
    net_add_line(net, 0, how->made ? "y = Reshape m,c" : "y = Reshape x,c");
    net_add_io(net, 0, " -> y");
}

static const struct {
    struct how  how;
    uint64_t    changed;
    int64_t     want[2];
    const char *name;
} cases[] = {
    { { NULL, "x", 0, -1 }, 1, { 0, -1 }, "its first size" },
    { { "m = Relu x", "x", 0, -1 }, 1, { 0, -1 }, "behind a function" },
    { { "m = Transpose x perm=[1,0,2]", "x", 1, -1 },
      1,
      { 0, -1 },
      "where it went" },
    { { "m = Transpose x perm=[1,0,2]", "x", 0, -1 },
      0,
      { 0 },
      "in another place" },
    { { NULL, "x", 1, -1 }, 0, { 0 }, "its second size as the first" },
    { { NULL, "x", 2, -1 }, 1, { 8, -1 }, "a number" },
    { { NULL, "z", 0, -1 }, 0, { 0 }, "of another input" },
    { { NULL, "x", 0, 0 }, 1, { 0, 0 }, "a zero that is there copies, too" },
};

static uint32_t shape_of_y(const struct tn_net *net)
{
    const struct tn_net_value y = tn_net_value(net, net_line_find(net, "y"));

    return tn_net_node(net, y.producer).inputs[1];
}

static void test_shapes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bench b;
        struct facts f;

        set_up(&b, "onnx");
        b.net.version = 17;
        fill_how(&b.net, &cases[i].how);
        assert_true(open_facts(&f, &b.net));
        if (tn_simplify_sizes(&b.net, f.facts) != cases[i].changed)
            fail_msg("%s", cases[i].name);
        if (cases[i].changed)
            assert_ints(f.facts, shape_of_y(&b.net), cases[i].want, 2);
        close_facts(&f);
        tear_down(&b);
    }
}

/* x is [?, ?, 8]; e is made wider than it is, for y. */
static const struct {
    const char *from; /* what e is an Expand of                              */
    const char *to;   /* whose shape it gets                                 */
    const char *made;
    bool        changed;
    const char *name;
} wider[] = {
    { "one", "x", "y = Mul x,e", true, "the other input has the sizes" },
    { "one", "x", "y = Where yes,e,x", true, "another of three" },
    { "column", "x", "y = Add e,x", false, "a size that may be larger" },
    { "one", "z", "y = Mul x,e", false, "the sizes of something else" },
    { "one", "x", "y = Mul r,e", false, "the other input has one of them" },
    { "one", "x", "y = Relu e", false, "there is no other input" },
    { "one", "x", "y = PRelu x,e", false, "it broadcasts one way" },
};

static void fill_wider(struct tn_net *net, size_t i)
{
    static const int64_t dims[] = { -1, -1, 8, -2 }, row[] = { 8, -2 };
    static const int64_t column[] = { -1, 1, -2 }, one[] = { 1, -2 };
    char                 line[40];

    make_input(net, "x", TN_FLOAT32, dims);
    make_input(net, "z", TN_FLOAT32, dims);
    make_input(net, "r", TN_FLOAT32, row);
    make_input(net, "yes", TN_BOOL, one);
    make_input(net, "one", TN_FLOAT32, one);
    make_input(net, "column", TN_FLOAT32, column);
    snprintf(line, sizeof line, "s = Shape %s", wider[i].to);
    net_add_line(net, 0, line);
    snprintf(line, sizeof line, "e = Expand %s,s", wider[i].from);
    net_add_line(net, 0, line);
    net_add_line(net, 0, wider[i].made);
    net_add_io(net, 0, " -> y");
}

static void test_what_is_broadcast_anyway(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wider / sizeof wider[0]; i++) {
        struct bench b;

        set_up(&b, "onnx");
        b.net.version = 17;
        fill_wider(&b.net, i);
        if (run_with_facts(&b.net, tn_simplify_sizes) != wider[i].changed)
            fail_msg("%s", wider[i].name);
        tear_down(&b);
    }
}

/* t is made as wide as x and `rest` say; -1 is what keeps its size. */
static const struct {
    const char *marks; /* what stands for it                                  */
    int64_t     rest;
    const char *want;
    const char *name;
} marked[] = {
    { "minus", 8,
      "s:Shape(x) b:Gather(s,place) u:Unsqueeze(b,axes) c:Concat(u,rest) "
      "y:Expand(t,c) ->y",
      "all sizes are told" },
    { "minus", -1,
      "s:Shape(x) b:Gather(s,place) u:Unsqueeze(b,axes) w:Concat(u,rest_1) "
      "y:Expand(t,w) ->y",
      "the last one stays as it is" },
    { "eight", 8, "", "the first one may be equal" },
};

static void fill_marked(struct tn_net *net, size_t i)
{
    static const int64_t dims[] = { -1, -1, 8, -2 }, one[] = { 1, 1, 8, -2 };
    static const int64_t minus[] = { -1, -1 }, eight[] = { 8, 8 };
    static const int64_t ones[] = { 1, 1 }, zero = 0;

    make_input(net, "x", TN_FLOAT32, dims);
    make_input(net, "t", TN_FLOAT32, one);
    tn_net_add_ints(net, 0, tn_text("place"), TN_INT64, &zero, 0, NULL);
    make_ints(net, "axes", &zero, 1);
    make_ints(net, "rest", &marked[i].rest, 1);
    make_ints(net, "minus", minus, 2);
    make_ints(net, "eight", eight, 2);
    make_ints(net, "ones", ones, 2);
    net_add_line(net, 0, "s = Shape x");
    net_add_line(net, 0, "b = Gather s,place axis=#0");
    net_add_line(net, 0, "u = Unsqueeze b,axes");
    net_add_line(net, 0, "c = Concat u,rest axis=#0");
    net_add_line(net, 0,
                 *marked[i].marks == 'm' ? "e = Equal c,minus"
                                         : "e = Equal c,eight");
    net_add_line(net, 0, "w = Where e,ones,c");
    net_add_line(net, 0, "y = Expand t,w");
    net_add_io(net, 0, " -> y");
}

static void test_shapes_with_marks(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof marked / sizeof marked[0]; i++) {
        struct bench b;

        set_up(&b, "onnx");
        b.net.version = 17;
        fill_marked(&b.net, i);
        if (run_with_facts(&b.net, tn_simplify_sizes) != (*marked[i].want != 0))
            fail_msg("%s", marked[i].name);
        if (*marked[i].want)
            assert_net(&b, marked[i].want);
        tear_down(&b);
    }
}

static void fill_first_wider(struct tn_net *net)
{
    net->version = 17;
    fill_wider(net, 0);
}

static void fill_last_marked(struct tn_net *net)
{
    net->version = 17;
    fill_marked(net, 1);
}

static void fill(struct tn_net *net)
{
    net->version = 17;
    fill_how(net, &cases[0].how);
}

static enum tn_status change(struct tn_net *net)
{
    run_with_facts(net, tn_simplify_sizes);
    return net->error->status;
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    survives_no_memory("onnx", fill, change, "y:Reshape(x,c_1) ->y");
    survives_no_memory("onnx", fill_first_wider, change, "y:Mul(x,one) ->y");
    survives_no_memory("onnx", fill_last_marked, change, marked[1].want);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_what_is_broadcast_anyway),
        cmocka_unit_test(test_shapes_with_marks),
        cmocka_unit_test(test_every_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
