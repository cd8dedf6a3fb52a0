/* fold_views_test.c - constants that are moved around, as views of themselves
 */
#include "map/simplify/fold_views.h"

#include <stdio.h>

#include "ir/element.h"
#include "support/facts_bench.h"
#include "support/net_lines.h"

/* w = [[1, 2, 3], [4, 5, 6]], and small lists. */
static void fill_line(struct tn_net *net, const char *line)
{
    static const int64_t items[] = { 1, 2, 3, 4, 5, 6 }, six = 6, zero = 0;
    static const int64_t dims[] = { 2, 3, -2 }, starts[] = { -1 },
                         ends[] = { -4 }, steps[] = { -2 };
    static const uint64_t shape[] = { 2, 3 };

    net->version = 17;
    tn_net_add_ints(net, 0, tn_text("w"), TN_INT64, items, 2, shape);
    tn_net_add_ints(net, 0, tn_text("h"), TN_INT32, items, 2, shape);
    tn_net_add_doubles(net, 0, tn_text("f"), TN_FLOAT32,
                       (double[]){ 1, 2, -3, 0.5, 1.5, 600 }, 2, shape);
    tn_net_add_doubles(net, 0, tn_text("half"), TN_FLOAT32, (double[]){ 0.5 },
                       0, NULL);
    tn_net_add_doubles(net, 0, tn_text("rows"), TN_FLOAT32,
                       (double[]){ 1, 0.25 }, 1, (uint64_t[]){ 2 });
    tn_net_add_doubles(net, 0, tn_text("columns"), TN_FLOAT32,
                       (double[]){ 10, 20, 30 }, 1, (uint64_t[]){ 3 });
    tn_net_add_doubles(net, 0, tn_text("four"), TN_FLOAT32, (double[]){ 4 }, 0,
                       NULL);
    tn_net_add_doubles(net, 0, tn_text("none"), TN_FLOAT32, (double[]){ 0 }, 0,
                       NULL);
    tn_net_add_ints(net, 0, tn_text("z"), TN_INT8, (int64_t[]){ 3 }, 0, NULL);
    tn_net_add_ints(net, 0, tn_text("zs"), TN_INT8, (int64_t[]){ 3, -1 }, 1,
                    (uint64_t[]){ 2 });
    make_input(net, "x", TN_INT64, dims);
    make_ints(net, "all", &six, 1);
    make_ints(net, "zero", &zero, 1);
    make_ints(net, "one", (int64_t[]){ 1 }, 1);
    make_ints(net, "start", starts, 1);
    make_ints(net, "end", ends, 1);
    make_ints(net, "step", steps, 1);
    net_add_line(net, 0, line);
    net_add_io(net, 0, " -> y");
}

static const struct {
    const char *line;
    int64_t     want[12];
    uint32_t    count; /* 0: it stays what it is                            */
} cases[] = {
    { "y = Transpose w perm=[1,0]", { 1, 4, 2, 5, 3, 6 }, 6 },
    { "y = Transpose w", { 1, 4, 2, 5, 3, 6 }, 6 },
    { "y = Reshape w,all", { 1, 2, 3, 4, 5, 6 }, 6 },
    { "y = Slice w,start,end,one,step", { 3, 1, 6, 4 }, 4 },
    { "y = Slice w,one,all", { 4, 5, 6 }, 3 },
    { "y = Concat w,w axis=#0", { 1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6 }, 12 },
    { "y = Concat w,w axis=#-1", { 1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6 }, 12 },
    { "y = Unsqueeze w,zero", { 1, 2, 3, 4, 5, 6 }, 6 },
    { "y = Flatten w", { 1, 2, 3, 4, 5, 6 }, 6 },
    { "y = Cast w to=#1", { 1, 2, 3, 4, 5, 6 }, 6 },
    { "y = Cast w to=#6", { 0 }, 0 }, /* to integers: runtimes differ */
    { "y = Transpose x", { 0 }, 0 },
    { "y = Concat w,x axis=#0", { 0 }, 0 },
    { "y = Transpose w perm=[0,1,2]", { 0 }, 0 },
    { "y = Slice w,one,all,one,zero", { 0 }, 0 }, /* a step of nothing */
    { "y = Neg w", { 0 }, 0 },
    { "y = QuantizeLinear f,half", { 2, 4, 0, 1, 3, 255 }, 6 },
    { "y = QuantizeLinear f,half,z", { 5, 7, -3, 4, 6, 127 }, 6 },
    { "y = QuantizeLinear f,rows,zs axis=#0", { 4, 5, 0, 1, 5, 127 }, 6 },
    { "y = QuantizeLinear f,none", { 0 }, 0 }, /* a scale of nothing */
    { "y = QuantizeLinear f,columns axis=#0", { 0 }, 0 },
    { "y = QuantizeLinear h,half", { 0 }, 0 }, /* integers */
    { "y = Clip f,four", { 4, 4, 4, 4, 4, 600 }, 6 },
    { "y = Clip f,four,four", { 4, 4, 4, 4, 4, 4 }, 6 },
    { "y = Max f,columns", { 10, 20, 30, 10, 20, 600 }, 6 },
    { "y = Max columns,f", { 0 }, 0 }, /* bounds come second */
};

static void assert_elements(const struct tn_net *net, const int64_t *want,
                            uint32_t count)
{
    const struct tn_elements *made =
        tn_net_value(net, net_line_find(net, "y")).constant;
    struct tn_buffer bytes;
    size_t           size = tn_dtype_size(made->shape.dtype);

    assert_int_equal(made->payload.encoding, TN_ENCODING_VIEW);
    tn_buffer_init(&bytes, net->arena->memory, net->error);
    assert_true(tn_net_try_read(net, made, count, &bytes.sink));
    assert_int_equal(bytes.size, count * size);
    for (uint32_t i = 0; i < count; i++)
        assert_true(
            tn_element_double(made->shape.dtype, bytes.data + i * size) ==
            (double)want[i]);
    tn_buffer_done(&bytes);
}

static void test_operators(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bench b;
        struct facts f;

        set_up(&b, "onnx");
        fill_line(&b.net, cases[i].line);
        assert_true(open_facts(&f, &b.net));
        if (tn_fold_as_view(&b.net, f.facts, 0) != (cases[i].count > 0))
            fail_msg("%s", cases[i].line);
        if (cases[i].count)
            assert_elements(&b.net, cases[i].want, cases[i].count);
        close_facts(&f);
        tear_down(&b);
    }
}

/* A view of a view of a view: there is an end to it, and what is left of the
 * chain is computed when the model runs. */
static void test_deep(void **state)
{
    struct bench b;
    struct facts f;
    unsigned     folded   = 0;
    char         last[16] = "y";

    (void)state;
    set_up(&b, "onnx");
    fill_line(&b.net, "y = Transpose w");
    for (int i = 1; i < 20; i++) {
        char line[64], to[16];
        snprintf(to, sizeof to, "y%d", i);
        snprintf(line, sizeof line, "%s = Transpose %s", to, last);
        net_add_line(&b.net, 0, line);
        memcpy(last, to, sizeof to);
    }
    assert_true(open_facts(&f, &b.net));
    while (folded < 20 && tn_fold_as_view(&b.net, f.facts, folded))
        folded++;
    assert_int_equal(folded, 12);
    close_facts(&f);
    tear_down(&b);
}

/* Weights that were quantised here are floats again, unless what they meet is
 * quantised while the model runs. */
static void test_trained(void **state)
{
    static const char *const meets[]  = { "y = MatMul a,d",
                                          "e = Transpose c;y = MatMul e,d",
                                          "y = Neg d" };
    static const uint64_t    counts[] = { 1, 0, 1 };

    (void)state;
    for (size_t i = 0; i < sizeof meets / sizeof meets[0]; i++) {
        struct bench b;
        struct facts f;
        const char  *second = strchr(meets[i], ';');
        char         first[32];

        set_up(&b, "onnx");
        fill_line(&b.net, "q = QuantizeLinear f,half,z");
        make_input(&b.net, "a", TN_FLOAT32, (int64_t[]){ 2, 2, -2 });
        net_add_line(&b.net, 0, "d = DequantizeLinear q,half,z");
        net_add_line(&b.net, 0, "p = QuantizeLinear a,half,z");
        net_add_line(&b.net, 0, "c = DequantizeLinear p,half,z");
        snprintf(first, sizeof first, "%.*s",
                 second ? (int)(second - meets[i]) : 31, meets[i]);
        net_add_line(&b.net, 0, first);
        if (second)
            net_add_line(&b.net, 0, second + 1);
        assert_true(open_facts(&f, &b.net));
        assert_true(tn_fold_as_view(&b.net, f.facts, 0));
        assert_int_equal(tn_fold_trained(&b.net, f.facts), counts[i]);
        const struct tn_elements *made =
            tn_net_value(&b.net, net_line_find(&b.net, "d")).constant;
        assert_true(!made == !counts[i]);
        if (made) {
            static const float want[] = { 1, 2, -3, 0.5F, 1.5F, 62 };
            struct tn_buffer   bytes;
            tn_buffer_init(&bytes, b.net.arena->memory, b.net.error);
            assert_true(tn_net_try_read(&b.net, made, 6, &bytes.sink));
            for (uint32_t k = 0; k < 6; k++)
                assert_true(tn_element_double(TN_FLOAT32, bytes.data + 4 * k) ==
                            (double)want[k]);
            tn_buffer_done(&bytes);
        }
        close_facts(&f);
        tear_down(&b);
    }
}

/* What opset 12 cannot say are floats, whatever they meet: a scale for each
 * row. */
static void test_trained_scales(void **state)
{
    (void)state;
    for (int by_axis = 0; by_axis < 2; by_axis++) {
        struct bench b;
        struct facts f;

        set_up(&b, "onnx");
        fill_line(&b.net, by_axis ? "q = QuantizeLinear f,rows,zs axis=#0"
                                  : "q = QuantizeLinear f,half,z");
        make_input(&b.net, "a", TN_FLOAT32, (int64_t[]){ 2, 2, -2 });
        net_add_line(&b.net, 0,
                     by_axis ? "d = DequantizeLinear q,rows,zs axis=#0"
                             : "d = DequantizeLinear q,half,z");
        net_add_line(&b.net, 0, "p = QuantizeLinear a,half,z");
        net_add_line(&b.net, 0, "c = DequantizeLinear p,half,z");
        net_add_line(&b.net, 0, "y = MatMul c,d");
        assert_true(open_facts(&f, &b.net));
        assert_true(tn_fold_as_view(&b.net, f.facts, 0));
        assert_int_equal(tn_fold_trained(&b.net, f.facts), 0);
        assert_int_equal(tn_fold_trained_scales(&b.net, f.facts), by_axis);
        close_facts(&f);
        tear_down(&b);
    }
}

/* b is of eight bits; s is one scale, c one for each column. */
static void fill_quantized(struct tn_net *net)
{
    static const int64_t  items[]  = { 1, 2, 3, 4, 5, 6 };
    static const double   scales[] = { 0.5, 1, 2 };
    static const uint64_t shape[] = { 2, 3 }, three = 3;

    net->version = 17;
    tn_net_add_ints(net, 0, tn_text("b"), TN_INT8, items, 2, shape);
    tn_net_add_doubles(net, 0, tn_text("s"), TN_FLOAT32, scales, 0, NULL);
    tn_net_add_doubles(net, 0, tn_text("c"), TN_FLOAT32, scales, 1, &three);
    net_add_line(net, 0, "v = DequantizeLinear b,s");
    net_add_line(net, 0, "y = Transpose v perm=[1,0]");
    net_add_line(net, 0, "w = DequantizeLinear b,c axis=#1");
    net_add_line(net, 0, "z = Transpose w perm=[1,0]");
    net_add_line(net, 0, "u = DequantizeLinear b,s");
    net_add_line(net, 0,
                 "o = Transpose u perm=[1,0]"); /* u is an output, too */
    net_add_io(net, 0, " -> y,z,o,u");
}

static void test_quantized(void **state)
{
    struct bench b;
    struct facts f;

    (void)state;
    set_up(&b, "onnx");
    fill_quantized(&b.net);
    assert_true(open_facts(&f, &b.net));
    assert_int_equal(tn_fold_quantized(&b.net, f.facts), 2);
    assert_net(&b, "u:DequantizeLinear(b,s) o:Transpose(u) "
                   "y:DequantizeLinear(b_1,s) z:DequantizeLinear(b_2,c) "
                   "->y,z,o,u");
    const struct tn_net_node per_axis = tn_net_node(
        &b.net, tn_net_value(&b.net, net_line_find(&b.net, "z")).producer);
    assert_int_equal(tn_net_attr(&per_axis, "axis")->of.ints[0], 0);
    const struct tn_elements *made =
        tn_net_value(&b.net, per_axis.inputs[0]).constant;
    assert_int_equal(made->shape.dims[0], 3);
    assert_int_equal(made->payload.encoding, TN_ENCODING_VIEW);
    close_facts(&f);
    tear_down(&b);
}

static void fill(struct tn_net *net)
{
    fill_line(net, "y = Slice w,start,end,one,step");
}

static enum tn_status change(struct tn_net *net)
{
    struct facts f;

    if (open_facts(&f, net) && tn_fold_as_view(net, f.facts, 0))
        tn_net_remove(net, 0);
    close_facts(&f);
    return net->error->status;
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    survives_no_memory("onnx", fill, change, "->y");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operators),
        cmocka_unit_test(test_trained),
        cmocka_unit_test(test_trained_scales),
        cmocka_unit_test(test_deep),
        cmocka_unit_test(test_quantized),
        cmocka_unit_test(test_every_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
