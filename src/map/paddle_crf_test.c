/* paddle_crf_test.c - a crf_decoding becomes two loops */
#define _GNU_SOURCE
#include "map/paddle_tidy.h"

#include "support/hostile.h"
#include "support/little_models.h"

#define VAR(name, dims)                                                        \
    "vars { name: \"" name "\" type { type: LOD_TENSOR lod_tensor { tensor {"  \
    " data_type: FP32 " dims " } } } }\n"
#define SLOT(way, name, argument)                                              \
    way " { parameter: \"" name "\" arguments: \"" argument "\" }\n"
#define OP(type, slots) "ops { type: \"" type "\"\n" slots "}\n"
#define COL(n)          "attrs { name: \"col\" type: INT i: " n " }\n"
#define FEED(name, n)                                                          \
    OP("feed", SLOT("inputs", "X", "feed") SLOT("outputs", "Out", name) COL(n))

static const char program[] =
    "blocks { idx: 0 parent_idx: -1\n"
    "vars { name: \"feed\" type { type: FEED_MINIBATCH } persistable: true }\n"
    "vars { name: \"fetch\" type { type: FETCH_LIST } persistable: true "
    "}\n" VAR("e", "dims: -1 dims: 3") VAR("t", "dims: 5 dims: 3")
        VAR("p", "dims: 1") FEED("e", "0") FEED("t", "1")
            OP("crf_decoding",
               SLOT("inputs", "Transition", "t") SLOT("inputs", "Emission", "e")
                   SLOT("outputs", "ViterbiPath", "p"))
                OP("fetch", SLOT("inputs", "X", "p")
                                SLOT("outputs", "Out", "fetch") COL("0")) "}\n";

/* The bytes are those of a pointer to the model. */
static enum tn_status tidy(struct tn_bytes input, struct tn_memory *memory,
                           struct tn_error *error)
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

static uint32_t count_nodes(const struct tn_net *net, const char *type)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < net->nodes.count; i++)
        count += !tn_net_node(net, i)->is_removed &&
                 tn_bytes_is(tn_net_node(net, i)->type, type);
    return count;
}

/* Each loop runs one step of its own, and gives all its states. */
static void assert_loops(const struct tn_net *net)
{
    assert_int_equal(count_nodes(net, "crf_decoding"), 0);
    assert_int_equal(count_nodes(net, "Loop"), 2);
    for (uint32_t i = 1; i <= 2; i++) {
        const struct tn_net_graph *body = tn_net_graph(net, i);
        assert_int_equal(body->nodes.count, 1);
        assert_int_equal(body->inputs.count, 3);
        assert_int_equal(body->outputs.count, 3);
    }
    uint32_t path = *tn_list_at(&tn_net_graph(net, 0)->outputs, uint32_t, 0);
    assert_true(tn_bytes_is(tn_net_value(net, path)->name, "p"));
    assert_true(tn_bytes_is(
        tn_net_node(net, tn_net_value(net, path)->producer)->type, "crf_path"));
}

static void test_two_loops(void **state)
{
    static const struct tn_options with_graph = { .wants_graph = true };
    struct tn_scratch              scratch    = tn_scratch_open();
    struct tn_error                error      = TN_ERROR_INIT;
    struct tn_model               *model;
    struct tn_memory               memory;
    struct tn_arena                arena;
    struct tn_net                  net;

    (void)state;
    tn_write_text(&scratch, "model.pdmodel.txt", program);
    if (tn_model_open(&model, tn_in_scratch(&scratch, "model.pdmodel.txt"),
                      &with_graph, &error) != TN_OK)
        fail_msg("%s: %s", error.where, error.what);
    tn_memory_init(&memory, NULL, 0);
    tn_arena_init(&arena, &memory);
    tn_net_init(&net, &arena, "paddle", &error);
    assert_int_equal(tn_net_load(&net, model, NULL), TN_OK);
    assert_int_equal(tn_paddle_tidy(&net, NULL), TN_OK);
    assert_loops(&net);
    tn_net_done(&net);
    tn_arena_done(&arena);
    tn_survives_no_memory(tidy, tn_bytes(&model, sizeof model));
    tn_model_close(model);
    tn_scratch_close(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_loops),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
