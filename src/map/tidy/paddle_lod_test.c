/* paddle_lod_test.c - where sequences begin is a value */
#define _GNU_SOURCE
#include <stdio.h>

#include "map/net/net_build.h"
#include "map/net/net_load.h"
#include "map/tidy/paddle_tidy.h"
#include "support/paddle_net.h"

#define VAR(name, lod) SEQUENCES(name, "FP32", "dims: -1 dims: 3", lod)
#define PROGRAM(ops)                                                           \
    MAIN(VAR("x", "1") VAR("a", "0") VAR("y", "0") FEED("x", "0")              \
             ops FETCH("y"))

static void tidy(struct bench *b, const char *program, uint32_t input_count)
{
    static const char *const inputs[] = { "x", "x@lod" };
    struct tn_net_io io = { .inputs = inputs, .input_count = input_count };

    open_program(b, program);
    tn_list_init(&b->notes, &b->memory, sizeof(struct tn_tidy_note));
    if (tn_net_load(&b->net, b->model, &io) != TN_OK)
        fail_msg("%s: %s", b->error.where, b->error.what);
    tn_net_prune(&b->net);
    if (tn_paddle_tidy(&b->net, &b->notes) != TN_OK)
        fail_msg("%s: %s", b->error.where, b->error.what);
}

/* The last argument of the node of that type. */
static const char *last_argument(struct bench *b, const char *type, char *to,
                                 size_t size)
{
    for (uint32_t i = 0; i < b->net.nodes.count; i++) {
        const struct tn_net_node n = tn_net_node(&b->net, i);
        if (n.is_removed || !tn_bytes_is(n.op->type, type))
            continue;
        uint32_t value = n.inputs[n.input_count - 1];
        snprintf(to, size, "%.*s", TN_FMT(tn_net_value(&b->net, value).name));
        return to;
    }
    return "";
}

#define POOLED(ops) PROGRAM(ops UNARY("sequence_pool", "a", "y"))

static const struct {
    const char *program;
    uint32_t    inputs;
    const char *type, *last;
    uint32_t    notes;
} claims[] = {
    { POOLED(UNARY("relu", "x", "a")), 2, "sequence_pool", "x@lod", 0 },
    { POOLED(UNARY("relu", "x", "a")), 1, "sequence_pool", "a", 1 },
    { POOLED(UNARY("relu", "x", "a")), 0, "sequence_pool", "a", 1 },
    /* Rows are others behind it. */
    { POOLED(UNARY("gather_nd", "x", "a")), 2, "sequence_pool", "a", 1 },
    /* Somebody made them. */
    { POOLED(OP("sequence_unpad",
                SLOT("inputs", "X", ARG("x")) SLOT("inputs", "Length", ARG("x"))
                    SLOT("outputs", "Out", ARG("a")))),
      1, "sequence_pool", "offsets", 0 },
    { POOLED(OP("lod_reset",
                SLOT("inputs", "X", ARG("x"))
                    SLOT("outputs", "Out",
                         ARG("a")) "attrs { name: \"target_lod\" type: INTS "
                                   "ints: 0 ints: 1 ints: 2 }\n")),
      1, "sequence_pool", "offsets", 0 },
    { PROGRAM(OP("fill_constant_batch_size_like",
                 SLOT("inputs", "Input", ARG("x"))
                     SLOT("outputs", "Out", ARG("y")))),
      2, "fill_constant_batch_size_like", "x@lod", 0 },
    { PROGRAM(OP("fill_constant_batch_size_like",
                 SLOT("inputs", "Input", ARG("x"))
                     SLOT("outputs", "Out", ARG("y")))),
      1, "fill_constant_batch_size_like", "x", 1 },
};

static void test_offsets_go_along(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof claims / sizeof claims[0]; i++) {
        struct bench b;
        char         last[64];

        tidy(&b, claims[i].program, claims[i].inputs);
        assert_string_equal(
            last_argument(&b, claims[i].type, last, sizeof last),
            claims[i].last);
        assert_int_equal(b.notes.count, claims[i].notes);
        tear_down(&b);
    }
}

static void test_no_memory(void **state)
{
    (void)state;
    for (size_t i = 4; i < 6; i++) {
        struct bench b;

        tidy(&b, claims[i].program, claims[i].inputs);
        survive_no_memory(&b, tn_paddle_tidy);
        tear_down(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_offsets_go_along),
        cmocka_unit_test(test_no_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
