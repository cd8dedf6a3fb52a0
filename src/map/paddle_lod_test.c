/* paddle_lod_test.c - where sequences begin is a value */
#define _GNU_SOURCE
#include <stdio.h>

#include "map/paddle_tidy.h"

#include "support/hostile.h"
#include "support/little_models.h"

#define VAR(name, lod)                                                         \
    "vars { name: \"" name "\" type { type: LOD_TENSOR lod_tensor { tensor {"  \
    " data_type: FP32 dims: -1 dims: 3 } lod_level: " lod " } } }\n"
#define SLOT(way, name, arguments)                                             \
    way " { parameter: \"" name "\" " arguments " }\n"
#define ARG(name)       "arguments: \"" name "\" "
#define OP(type, slots) "ops { type: \"" type "\"\n" slots "}\n"
#define UNARY(type, x, y)                                                      \
    OP(type, SLOT("inputs", "X", ARG(x)) SLOT("outputs", "Out", ARG(y)))
#define COL "attrs { name: \"col\" type: INT i: 0 }\n"
#define PROGRAM(ops)                                                           \
    "blocks { idx: 0 parent_idx: -1\n"                                         \
    "vars { name: \"feed\" type { type: FEED_MINIBATCH } persistable: true }"  \
    "\nvars { name: \"fetch\" type { type: FETCH_LIST } persistable: true "    \
    "}\n" VAR("x", "1") VAR("a", "0") VAR("y", "0")                            \
        OP("feed", SLOT("inputs", "X", ARG("feed"))                            \
                       SLOT("outputs", "Out", ARG("x")) COL)                   \
            ops OP("fetch", SLOT("inputs", "X", ARG("y")) SLOT(                \
                                "outputs", "Out", ARG("fetch")) COL) "}\n"

struct bench {
    struct tn_scratch scratch;
    struct tn_model  *model;
    struct tn_error   error;
    struct tn_memory  memory;
    struct tn_arena   arena;
    struct tn_net     net;
    struct tn_list    notes;
};

static void tidy(struct bench *b, const char *program, uint32_t input_count)
{
    static const struct tn_options with_graph = { .wants_graph = true };
    static const char *const       inputs[]   = { "x", "x@lod" };
    struct tn_net_ends ends = { .inputs = inputs, .input_count = input_count };

    b->scratch = tn_scratch_open();
    b->error   = (struct tn_error)TN_ERROR_INIT;
    tn_write_text(&b->scratch, "model.pdmodel.txt", program);
    tn_memory_init(&b->memory, NULL, 0);
    tn_arena_init(&b->arena, &b->memory);
    tn_net_init(&b->net, &b->arena, "paddle", &b->error);
    tn_list_init(&b->notes, &b->memory, sizeof(struct tn_tidy_note));
    if (tn_model_open(&b->model,
                      tn_in_scratch(&b->scratch, "model.pdmodel.txt"),
                      &with_graph, &b->error) != TN_OK ||
        tn_net_load(&b->net, b->model, &ends) != TN_OK)
        fail_msg("%s: %s", b->error.where, b->error.what);
    tn_net_prune(&b->net);
    if (tn_paddle_tidy(&b->net, &b->notes) != TN_OK)
        fail_msg("%s: %s", b->error.where, b->error.what);
}

static void tear_down(struct bench *b)
{
    tn_list_done(&b->notes);
    tn_net_done(&b->net);
    tn_arena_done(&b->arena);
    assert_int_equal(b->memory.used, 0);
    tn_model_close(b->model);
    tn_scratch_close(&b->scratch);
}

/* The last argument of the node of that type. */
static const char *last_argument(struct bench *b, const char *type, char *to,
                                 size_t size)
{
    for (uint32_t i = 0; i < b->net.nodes.count; i++) {
        const struct tn_net_node *n = tn_net_node(&b->net, i);
        if (n->is_removed || !tn_bytes_is(n->type, type))
            continue;
        uint32_t value = n->inputs[n->input_count - 1];
        snprintf(to, size, "%.*s", TN_FMT(tn_net_value(&b->net, value)->name));
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

/* The bytes are those of a pointer to the model. */
static enum tn_status tidy_again(struct tn_bytes   input,
                                 struct tn_memory *memory,
                                 struct tn_error  *error)
{
    const struct tn_model *model;
    struct tn_arena        arena;
    struct tn_net          net;

    memcpy(&model, input.data, sizeof model);
    tn_arena_init(&arena, memory);
    tn_net_init(&net, &arena, "paddle", error);
    if (tn_net_load(&net, model, NULL) == TN_OK)
        tn_paddle_tidy(&net, NULL);
    tn_net_done(&net);
    tn_arena_done(&arena);
    return error->status;
}

static void test_no_memory(void **state)
{
    (void)state;
    for (size_t i = 4; i < 6; i++) {
        struct bench b;

        tidy(&b, claims[i].program, claims[i].inputs);
        tn_survives_no_memory(tidy_again, tn_bytes(&b.model, sizeof b.model));
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
