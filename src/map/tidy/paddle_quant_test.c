/* paddle_quant_test.c - layers that are turned, and layers that stay */
#include "base/buffer.h"
#include "map/tidy/paddle_tidy.h"
#include "support/net_bench.h"
#include "support/net_make.h"

static const int64_t yes = 1, eight = 8, four = 4;

static uint32_t reals(struct tn_net *net, const char *name, const double *items,
                      uint32_t rank, const uint64_t *dims)
{
    return tn_net_add_doubles(net, 0, tn_text(name), TN_FLOAT32, items, rank,
                              dims);
}

/* What differs from a frozen layer that can be turned. */
struct sample {
    const char *name;
    double      weight;     /* the first; others are 1                        */
    bool        by_channel; /* scales                                         */
    bool        has_bias;
    bool        is_shared; /* what the layer gives                           */
    bool        has_few_bits;
    bool        is_training;
    bool        has_other_scale;
    const char *net;
};

#define STAYS                                                                  \
    "q:fake_quantize_range_abs_max(x,s) c:conv2d(q,w,,) "                    \
    "y:fake_dequantize_max_abs(c,s) ->y"

static uint32_t quantize(struct tn_net *net, const struct sample *k, uint32_t x,
                         uint32_t s)
{
    struct tn_net_attr attrs[] = {
        make_int("bit_length", k->has_few_bits ? &four : &eight),
        make_int("is_test", &yes),
    };

    return make_node(net, "fake_quantize_range_abs_max", "q",
                     (uint32_t[]){ x, s }, 2, attrs, k->is_training ? 1 : 2);
}

static uint32_t dequantize(struct tn_net *net, const struct sample *k,
                           uint32_t c, uint32_t s)
{
    static const float   range   = 127 * 127;
    static const int64_t bits[]  = { 8, 8 };
    static const double  by[]    = { 1, 2 };
    uint64_t             count   = 2;
    struct tn_net_attr   attr_of = {
          .name  = tn_text("max_range"),
          .value = { .kind = TN_ATTR_FLOAT, .count = 1, .of.floats = &range },
    };

    if (!k->by_channel)
        return make_node(net, "fake_dequantize_max_abs", "y",
                         (uint32_t[]){ c, s }, 2, &attr_of, 1);
    attr_of = (struct tn_net_attr){
        .name  = tn_text("quant_bits"),
        .value = { .kind    = TN_ATTR_INT,
                   .is_list = true,
                   .count   = 2,
                   .of.ints = bits },
    };
    return make_node(net, "fake_channel_wise_dequantize_max_abs", "y",
                     (uint32_t[]){ c, reals(net, "by", by, 1, &count), s }, 3,
                     &attr_of, 1);
}

static void make(struct tn_net *net, const struct sample *k)
{
    static const int64_t image[] = { 1, 1, 4, 4, -2 };
    double               items[] = { k->weight, 1 }, scale = 0.5;
    uint64_t             dims[] = { 2, 1, 1, 1 }, one = 1;
    uint32_t             x = make_input(net, "x", TN_FLOAT32, image);
    uint32_t             s = reals(net, "s", &scale, 1, &one);
    uint32_t             t = reals(net, "t", &scale, 1, &one);
    uint32_t             q = quantize(net, k, x, s);
    uint32_t             w = reals(net, "w", items, 4, dims);
    uint32_t inputs[]      = { q, w, k->has_bias ? t : TN_NONE, TN_NONE };
    uint32_t c             = make_node(net, "conv2d", "c", inputs, 4, NULL, 0);
    uint32_t y             = dequantize(net, k, c, k->has_other_scale ? t : s);

    tn_net_add_output(net, 0, y, tn_text(""));
    if (k->is_shared)
        tn_net_add_output(net, 0, c, tn_text("c"));
}

static enum tn_status run(struct tn_net *net)
{
    if (tn_paddle_quant(net) == TN_OK) {
        tn_net_prune(net);
        tn_net_order(net, NULL);
    }
    return net->error->status;
}

#define TURNED "x_1:quantize_linear(x,s,) x_1_1:dequantize_linear(x_1,s,) "

static const struct sample samples[] = {
    { .name = "plain", .weight = -127, .net = NULL },
    { .name = "channels", .weight = 127, .by_channel = true, .net = NULL },
    { .name = "half", .weight = 0.5, .net = STAYS },
    { .name = "large", .weight = 128, .net = STAYS },
    { .name     = "biased",
      .weight   = 1,
      .has_bias = true,
      .net      = "q:fake_quantize_range_abs_max(x,s) c:conv2d(q,w,t,) "
                  "y:fake_dequantize_max_abs(c,s) ->y" },
    { .name = "shared", .weight = 1, .is_shared = true, .net = STAYS ",c" },
    { .name = "few", .weight = 1, .has_few_bits = true, .net = STAYS },
    { .name = "training", .weight = 1, .is_training = true, .net = STAYS },
    { .name            = "other",
      .weight          = 1,
      .has_other_scale = true,
      .net             = "q:fake_quantize_range_abs_max(x,s) c:conv2d(q,w,,) "
                         "y:fake_dequantize_max_abs(c,t) ->y" },
};

/* The layer, which now makes what was behind it. */
static void assert_turned(const struct tn_net *net, bool by_channel)
{
    uint32_t y = *tn_list_at(&tn_net_graph(net, 0)->outputs, uint32_t, 0);
    struct tn_net_node conv = tn_net_node(net, tn_net_value(net, y).producer);
    struct tn_net_node weights =
        tn_net_node(net, tn_net_value(net, conv.inputs[1]).producer);
    const struct tn_net_value bytes = tn_net_value(net, weights.inputs[0]);

    assert_true(tn_bytes_is(conv.op->type, "conv2d"));
    assert_int_equal(conv.input_count, 2);
    assert_true(tn_bytes_is(weights.op->type, "dequantize_linear"));
    assert_int_equal(tn_net_attr(&weights, "quant_axis")->of.ints[0],
                     by_channel ? 0 : -1);
    assert_int_equal(bytes.constant->shape.dtype, TN_INT8);
    assert_true(tn_bytes_is(bytes.name, "w"));
}

static void test_samples(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        struct bench b;

        set_up(&b, "paddle");
        make(&b.net, &samples[i]);
        assert_int_equal(run(&b.net), TN_OK);
        if (samples[i].net)
            assert_net(&b, samples[i].net);
        else
            assert_turned(&b.net, samples[i].by_channel);
        tear_down(&b);
    }
}

static void fill(struct tn_net *net)
{
    make(net, &samples[0]);
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    survives_no_memory("paddle", fill, run,
                       TURNED "w_1:dequantize_linear(w,,) "
                              "y:conv2d(x_1_1,w_1) ->y");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_every_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
