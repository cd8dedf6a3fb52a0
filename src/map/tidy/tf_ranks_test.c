/* tf_ranks_test.c - ranks of inputs, from what uses them */
#include "map/net/net_build.h"
#include "map/tidy/tf_tidy.h"

#include "support/hostile.h"
#include "support/net_make.h"

static uint32_t add_input(struct tn_net *net, const char *name)
{
    uint32_t value = tn_net_add_value(net, 0, tn_text(name));

    if (!tn_failed(net->error))
        tn_net_add_input(net, 0, value, tn_text(name));
    return value;
}

static uint32_t add_zeros(struct tn_net *net, const char *name, uint32_t rank,
                          const uint64_t *dims)
{
    static const int64_t zeros[16];

    return tn_net_add_ints(net, 0, tn_text(name), TN_INT32, zeros, rank, dims);
}

/* Conv2D(AddV2(y, bias), Conv2D(Relu(x), f)), ConcatV2([Pad(p, 3 x 2), q], 0),
 * Neg(n) */
struct made {
    uint32_t x, y, p, q, n;
};

static void fill(struct tn_net *net, struct made *m)
{
    *m            = (struct made){ .x = add_input(net, "x"),
                                   .y = add_input(net, "y"),
                                   .p = add_input(net, "p"),
                                   .q = add_input(net, "q"),
                                   .n = add_input(net, "n") };
    uint32_t bias = add_zeros(net, "b", 1, (uint64_t[]){ 2 });
    uint32_t f    = add_input(net, "f");
    uint32_t pads = add_zeros(net, "pads", 2, (uint64_t[]){ 3, 2 });
    uint32_t axis = add_zeros(net, "axis", 0, NULL);

    if (tn_failed(net->error))
        return;
    uint32_t relu = make_node(net, "Relu", "r", &m->x, 1, NULL, 0);
    uint32_t conv =
        make_node(net, "Conv2D", "c", (uint32_t[]){ relu, f }, 2, NULL, 0);
    uint32_t sum =
        make_node(net, "AddV2", "s", (uint32_t[]){ m->y, bias }, 2, NULL, 0);
    uint32_t last =
        make_node(net, "Conv2D", "l", (uint32_t[]){ sum, conv }, 2, NULL, 0);
    uint32_t wide =
        make_node(net, "Pad", "w", (uint32_t[]){ m->p, pads }, 2, NULL, 0);
    uint32_t all = make_node(net, "ConcatV2", "a",
                             (uint32_t[]){ wide, m->q, axis }, 3, NULL, 0);
    uint32_t neg = make_node(net, "Neg", "g", &m->n, 1, NULL, 0);
    for (uint32_t i = 0; i < 3 && !tn_failed(net->error); i++)
        tn_net_add_output(net, 0, ((uint32_t[]){ last, all, neg })[i],
                          tn_text("o"));
}

static void assert_rank(const struct tn_net *net, uint32_t value, uint32_t rank)
{
    const struct tn_net_type *type = tn_net_value(net, value).type;

    assert_true(type->has_rank);
    assert_int_equal(type->rank, rank);
    for (uint32_t i = 0; i < rank; i++)
        assert_int_equal(type->dims[i], -1);
}

static enum tn_status change(struct tn_bytes input, struct tn_memory *memory,
                             struct tn_error *error)
{
    struct tn_arena arena;
    struct tn_net   net;
    struct made     m = { 0 };

    (void)input;
    tn_arena_init(&arena, memory);
    tn_net_init(&net, &arena, "tensorflow", error);
    tn_net_add_graph(&net, TN_GRAPH_MAIN, tn_text("g"), TN_NONE);
    if (!tn_failed(error))
        fill(&net, &m);
    if (!tn_failed(error) && tn_tf_ranks(&net) == TN_OK) {
        assert_rank(&net, m.x, 4); /* an image, behind Relu */
        assert_rank(&net, m.y, 4); /* the bias is smaller */
        assert_rank(&net, m.p, 3); /* three rows of paddings */
        assert_rank(&net, m.q, 3); /* joined with what is as wide */
        assert_false(tn_net_value(&net, m.n).type->has_rank);
    }
    tn_net_done(&net);
    tn_arena_done(&arena);
    return error->status;
}

static void users_tell_ranks(void **state)
{
    (void)state;
    tn_survives_no_memory(change, tn_bytes(NULL, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(users_tell_ranks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
