/* transposes_test.c - Transposes that meet, and graphs that stay as they are */
#include "map/simplify/transposes.h"

#include "support/facts_bench.h"
#include "support/net_lines.h"

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

static uint32_t sizes(struct tn_net *net, const char *name, uint32_t of,
                      const int64_t ends[2])
{
    struct tn_net_attr attrs[2];

    for (int i = 0; i < 2; i++)
        attrs[i] = (struct tn_net_attr){
            .name  = tn_text(i ? "end" : "start"),
            .value = { .kind = TN_ATTR_INT, .count = 1, .of.ints = &ends[i] }
        };
    return make_node(net, "Shape", name, &of, 1, attrs, 2);
}

/* Sizes need no Transpose, however many ask for some of them. */
static void make_sizes(struct tn_net *net)
{
    static const int64_t image[] = { 2, 4 }, channels[] = { -3, 2 };
    uint32_t             t = transpose(net, "t", input(net, "x"), to_first);

    tn_net_add_output(net, 0, sizes(net, "y", t, image), tn_text(""));
    tn_net_add_output(net, 0, sizes(net, "z", t, channels), tn_text(""));
}

/* Lines of x, which has six channels first, and of constants. */
static void make_lines(struct tn_net *net, const char *const *lines)
{
    static const int64_t dims[] = { -1, 6, 4, 5, -2 }, rows[] = { -1, 6, -2 };
    static const double  weight[240];

    make_input(net, "x", TN_FLOAT32, dims);
    make_input(net, "z", TN_FLOAT32, rows);
    make_ints(net, "split", (int64_t[]){ 0, 4, 5, 2, 3 }, 5);
    make_ints(net, "whole", (int64_t[]){ 0, 4, 5, 6 }, 4);
    make_ints(net, "lines", (int64_t[]){ 0, 20, 6 }, 3);
    make_ints(net, "flat", (int64_t[]){ -1, 120 }, 2);
    make_ints(net, "alone", (int64_t[]){ -1, 1, 1, 6 }, 4);
    tn_net_add_doubles(net, 0, tn_text("w"), TN_FLOAT32, weight, 2,
                       (uint64_t[]){ 120, 2 });
    net_add_line(net, 0, "t = Transpose x perm=[0,2,3,1]");
    for (; *lines; lines++)
        net_add_line(net, 0, *lines);
    net_add_io(net, 0, " -> y");
}

/* Channels are shuffled where they are. */
static void make_shuffle(struct tn_net *net)
{
    make_lines(net,
               (const char *const[]){ "r = Reshape t,split",
                                      "s = Transpose r perm=[0,1,2,4,3]",
                                      "j = Reshape s,whole",
                                      "y = Transpose j perm=[0,3,1,2]", NULL });
}

/* Rows and columns become one axis on either side of the channels. */
static void make_lines_of_image(struct tn_net *net)
{
    make_lines(net,
               (const char *const[]){ "r = Reshape t,lines",
                                      "y = Transpose r perm=[0,2,1]", NULL });
}

/* Nothing follows: the Transpose stays where it is. */
static void make_lines_alone(struct tn_net *net)
{
    make_lines(net, (const char *const[]){ "y = Reshape t,lines", NULL });
}

/* The weight gets the order of the channels, not what is multiplied by it. */
static void make_flat(struct tn_net *net)
{
    make_lines(net, (const char *const[]){ "r = Reshape t,flat",
                                           "y = MatMul r,w", NULL });
}

/* A number for each channel needs no Transpose, only other dims. */
static void make_alone(struct tn_net *net)
{
    make_lines(net,
               (const char *const[]){ "r = Reshape z,alone", "a = Mul t,r",
                                      "y = Transpose a perm=[0,3,1,2]", NULL });
}

/* One place of an axis. */
static void make_place(struct tn_net *net)
{
    make_lines(net, (const char *const[]){ "y = Gather t,#3 axis=#-1", NULL });
}

static void make_none(struct tn_net *net)
{
    tn_net_add_output(net, 0, op(net, "Exp", "y", input(net, "x"), TN_NONE),
                      tn_text(""));
}

static const struct {
    void (*make)(struct tn_net *);
    bool        is_moved;
    const char *net;
} cases[] = {
    { make_meeting, true, "r/Relu:Relu(x) y:Transpose(r/Relu) ->y" },
    { make_sum, true, "y/Add:Add(a,b) y:Transpose(y/Add) ->y" },
    { make_kept, false, "t:Transpose(x) y:Exp(t) z:LRN(t) ->y,z" },
    { make_sizes, true, "y:Shape(x) z:Shape(x) ->y,z" },
    { make_shuffle, true,
      "r/Reshape:Reshape(x,) s/Transpose:Transpose(r/Reshape) "
      "j/Reshape:Reshape(s/Transpose,) y:Transpose(j/Reshape) ->y" },
    { make_lines_of_image, true,
      "r/Reshape:Reshape(x,) y:Transpose(r/Reshape) ->y" },
    { make_lines_alone, false, "t:Transpose(x) y:Reshape(t,lines) ->y" },
    { make_flat, true,
      "r/Reshape:Reshape(x,flat) y:MatMul(r/Reshape,w_3) ->y" },
    { make_alone, true,
      "r:Reshape(z,alone) r/Reshape:Reshape(r,) a/Mul:Mul(x,r/Reshape) "
      "y:Transpose(a/Mul) ->y" },
    { make_place, true, "y:Gather(x,#3) ->y" },
    { make_none, false, "y:Exp(x) ->y" },
};

static void test_graphs(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bench b;

        set_up(&b, "onnx");
        b.net.version = 17;
        cases[i].make(&b.net);
        assert_int_equal(run_with_facts(&b.net, tn_move_transposes) > 0,
                         cases[i].is_moved);
        assert_int_equal(b.error.status, TN_OK);
        assert_net(&b, cases[i].net);
        tear_down(&b);
    }
}

static void fill(struct tn_net *net)
{
    net->version = 17;
    make_meeting(net);
}

static void fill_flat(struct tn_net *net)
{
    net->version = 17;
    make_flat(net);
}

static enum tn_status change(struct tn_net *net)
{
    run_with_facts(net, tn_move_transposes);
    return net->error->status;
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    survives_no_memory("onnx", fill, change, cases[0].net);
    survives_no_memory("onnx", fill_flat, change,
                       "r/Reshape:Reshape(x,flat) y:MatMul(r/Reshape,w_3) ->y");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_graphs),
        cmocka_unit_test(test_every_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
