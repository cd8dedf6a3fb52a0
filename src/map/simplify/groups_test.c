/* groups_test.c - parts that are one convolution, and parts that are not */
#include "map/simplify/groups.h"

#include "support/facts_bench.h"

static const int64_t endless = INT64_MAX, channels = 1, batches = 0;

static uint32_t weight(struct tn_net *net, const char *name, uint64_t inputs)
{
    uint64_t dims[]   = { 2, inputs, 1, 1 };
    double   items[8] = { 0 };

    return tn_net_add_doubles(net, 0, tn_text(name), TN_FLOAT32, items, 4,
                              dims);
}

static uint32_t bias(struct tn_net *net, const char *name)
{
    uint64_t     dims[]  = { 2 };
    const double items[] = { 1, 2 };

    return tn_net_add_doubles(net, 0, tn_text(name), TN_FLOAT32, items, 1,
                              dims);
}

/* Channels from..to of an image, and all of its batches. */
static uint32_t part(struct tn_net *net, const char *name, uint32_t image,
                     int64_t from, int64_t to)
{
    uint32_t inputs[] = {
        image,
        make_ints(net, "from", (int64_t[]){ 0, from }, 2),
        make_ints(net, "to", (int64_t[]){ endless, to }, 2),
        make_ints(net, "axes", (int64_t[]){ batches, channels }, 2),
    };

    return make_node(net, "Slice", name, inputs, 4, NULL, 0);
}

static uint32_t convolve_by(struct tn_net *net, const char *op,
                            const char *name, uint32_t image, uint32_t weights,
                            uint32_t terms)
{
    static const int64_t one   = 1;
    struct tn_net_attr   group = make_int("group", &one);

    return make_node(net, op, name, (uint32_t[]){ image, weights, terms },
                     terms == TN_NONE ? 2 : 3, &group, 1);
}

static uint32_t convolve(struct tn_net *net, const char *name, uint32_t image,
                         uint32_t weights, uint32_t terms)
{
    return convolve_by(net, "Conv", name, image, weights, terms);
}

static uint32_t image(struct tn_net *net)
{
    static const int64_t dims[] = { -1, 4, 5, 5, -2 };

    return make_input(net, "x", TN_FLOAT32, dims);
}

static void put_together(struct tn_net *net, uint32_t a, uint32_t b,
                         const int64_t *axis)
{
    struct tn_net_attr attr = make_int("axis", axis);

    tn_net_add_output(
        net, 0,
        make_node(net, "Concat", "y", (uint32_t[]){ a, b }, 2, &attr, 1),
        tn_text(""));
}

static void make_two(struct tn_net *net, int64_t middle, bool has_bias,
                     const int64_t *axis)
{
    uint32_t x = image(net);
    uint32_t a = part(net, "a", x, 0, 2);
    uint32_t b = part(net, "b", x, middle, 4);
    uint32_t c = convolve(net, "c", a, weight(net, "v", 2),
                          has_bias ? bias(net, "s") : TN_NONE);
    uint32_t d = convolve(net, "d", b, weight(net, "w", 2),
                          has_bias ? bias(net, "t") : TN_NONE);

    put_together(net, c, d, axis);
}

static void make_plain(struct tn_net *net)
{
    make_two(net, 2, false, &channels);
}

static void make_biased(struct tn_net *net)
{
    make_two(net, 2, true, &channels);
}

/* Batches are put below each other. */
static void make_batches(struct tn_net *net)
{
    make_two(net, 2, false, &batches);
}

/* The second part begins inside the first. */
static void make_overlap(struct tn_net *net)
{
    make_two(net, 1, false, &channels);
}

/* The first part is used elsewhere, too. */
static void make_shared(struct tn_net *net)
{
    make_two(net, 2, false, &channels);
    tn_net_add_output(net, 0, tn_net_node(net, 2).outputs[0], tn_text("c"));
}

/* Two whole images. */
static void make_whole(struct tn_net *net)
{
    uint32_t x = image(net);
    uint32_t c = convolve(net, "c", x, weight(net, "v", 4), TN_NONE);
    uint32_t d = convolve(net, "d", x, weight(net, "w", 4), TN_NONE);

    put_together(net, c, d, &channels);
}

/* Weights of 2 channels that give 3, with a term for each of these. */
static uint32_t transposed_weight(struct tn_net *net, const char *name)
{
    static const uint64_t dims[]   = { 2, 3, 1, 1 };
    const double          items[6] = { 1, 2, 3, 4, 5, 6 };

    return tn_net_add_doubles(net, 0, tn_text(name), TN_FLOAT32, items, 4,
                              dims);
}

static uint32_t transposed_bias(struct tn_net *net, const char *name)
{
    static const uint64_t dims[]  = { 3 };
    const double          items[] = { 1, 2, 3 };

    return tn_net_add_doubles(net, 0, tn_text(name), TN_FLOAT32, items, 1,
                              dims);
}

static void make_transposed(struct tn_net *net)
{
    uint32_t x = image(net);
    uint32_t a = part(net, "a", x, 0, 2), b = part(net, "b", x, 2, 4);
    uint32_t c =
        convolve_by(net, "ConvTranspose", "c", a, transposed_weight(net, "v"),
                    transposed_bias(net, "s"));
    uint32_t d =
        convolve_by(net, "ConvTranspose", "d", b, transposed_weight(net, "w"),
                    transposed_bias(net, "t"));

    put_together(net, c, d, &channels);
}

/* One of each kind. */
static void make_mixed(struct tn_net *net)
{
    uint32_t x = image(net);
    uint32_t a = part(net, "a", x, 0, 2), b = part(net, "b", x, 2, 4);
    uint32_t c = convolve(net, "c", a, weight(net, "v", 2), TN_NONE);
    uint32_t d =
        convolve_by(net, "ConvTranspose", "d", b, weight(net, "w", 2), TN_NONE);

    put_together(net, c, d, &channels);
}

#define SLICES "a:Slice(x,from,to,axes) b:Slice(x,from_1,to_1,axes_1) "
#define PARTS  SLICES "c:Conv(a,v) d:Conv(b,w) y:Concat(c,d) ->y"

static const struct {
    void (*make)(struct tn_net *);
    bool        is_one;
    const char *net;
} cases[] = {
    { make_plain, true, "v_1:Concat(v,w) y:Conv(x,v_1) ->y" },
    { make_biased, true,
      "v_1:Concat(v,w) s_1:Concat(s,t) y:Conv(x,v_1,s_1) ->y" },
    { make_transposed, true,
      "v_1:Concat(v,w) s_1:Concat(s,t) y:ConvTranspose(x,v_1,s_1) ->y" },
    { make_mixed, false,
      SLICES "c:Conv(a,v) d:ConvTranspose(b,w) y:Concat(c,d) ->y" },
    { make_batches, false, PARTS },
    { make_overlap, false, PARTS },
    { make_shared, false, PARTS ",c" },
    { make_whole, false, "c:Conv(x,v) d:Conv(x,w) y:Concat(c,d) ->y" },
};

static void test_graphs(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bench b;

        set_up(&b, "onnx");
        b.net.version = 17;
        cases[i].make(&b.net);
        assert_int_equal(run_with_facts(&b.net, tn_join_groups),
                         cases[i].is_one);
        assert_int_equal(b.error.status, TN_OK);
        assert_net(&b, cases[i].net);
        tear_down(&b);
    }
}

static void test_number_of_groups(void **state)
{
    struct bench b;

    (void)state;
    set_up(&b, "onnx");
    b.net.version = 17;
    make_plain(&b.net);
    assert_int_equal(run_with_facts(&b.net, tn_join_groups), 1);
    uint32_t made =
        tn_net_value(
            &b.net, *tn_list_at(&tn_net_graph(&b.net, 0)->outputs, uint32_t, 0))
            .producer;
    const struct tn_attr_value *group = tn_net_attr_of(&b.net, made, "group");
    assert_non_null(group);
    assert_int_equal(group->of.ints[0], 2);
    tear_down(&b);
}

static void fill(struct tn_net *net)
{
    net->version = 17;
    make_biased(net);
}

static enum tn_status change(struct tn_net *net)
{
    run_with_facts(net, tn_join_groups);
    return net->error->status;
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    survives_no_memory("onnx", fill, change, cases[1].net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_graphs),
        cmocka_unit_test(test_number_of_groups),
        cmocka_unit_test(test_every_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
