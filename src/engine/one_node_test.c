/* one_node_test.c - models that have nothing but one node */
#include "engine/one_node.h"

#include <tenon/model.h>

#include "engine/bare_node.h"
#include "engine/node_text.h"
#include "support/hostile.h"

/* Of each: the format, how many ops the model has, and how many inputs. */
static const struct {
    const char *node, *format;
    uint32_t    ops, inputs;
} rows[] = {
    { "op_type: 'Add' input: 'a' input: 'b' output: 'c'", "onnx", 1, 2 },
    { "op_type: 'Add' input: 'a' input: 'a' output: 'c'", "onnx", 1, 1 },
    { "name: 'c' op: 'Add' input: 'a' input: 'b:1'", "tf-graph", 3, 2 },
    { "type: 'relu' inputs { parameter: 'X' arguments: 'a' } "
      "outputs { parameter: 'Out' arguments: 'c' }",
      "paddle", 3, 1 },
};

static void check_row(size_t row, struct tn_arena *arena)
{
    struct tn_error    error = TN_ERROR_INIT;
    struct tn_options  how = { .from = rows[row].format, .wants_graph = true };
    struct tn_one_node one = { .output = NULL };
    struct tn_node_input inputs[2];
    struct tn_bare_node  bare;
    enum tn_framework    framework;
    struct tn_buffer     bytes;
    struct tn_model     *model;

    tn_buffer_init(&bytes, arena->memory, &error);
    assert_int_equal(tn_node_bytes(arena, tn_text(rows[row].node), &framework,
                                   &one.bytes, &error),
                     TN_OK);
    assert_int_equal(
        tn_bare_node_open(&bare, framework, one.bytes, arena, &error), TN_OK);
    for (int i = 0; i < 2; i++)
        inputs[i] = (struct tn_node_input){ .type = { .dtype    = TN_FLOAT32,
                                                      .has_rank = true } };
    one.known.node = &bare.node;
    one.inputs     = inputs;
    assert_int_equal(tn_one_node_write(&one, arena, &bytes, &error), TN_OK);
    if (tn_model_open_source(&model, "node", bytes.size, tn_buffer_read_at,
                             &bytes, &how, &error) != TN_OK)
        fail_msg("row %zu: %s", row, error.what);
    assert_int_equal(tn_model_op_count(model), rows[row].ops);
    assert_int_equal(tn_model_graph(model, 0).inputs.count, rows[row].inputs);
    for (uint32_t i = 0; i < bare.node.input_count; i++)
        assert_true(tn_bytes_equal(tn_one_node_name(&one, one.names[i]),
                                   bare.node.inputs[i]));
    tn_bare_node_close(&bare);
    tn_model_close(model);
    tn_buffer_done(&bytes);
}

static void test_nodes_become_models(void **state)
{
    (void)state;
    for (size_t row = 0; row < sizeof rows / sizeof rows[0]; row++) {
        struct tn_memory memory;
        struct tn_arena  arena;
        tn_memory_init(&memory, NULL, 0);
        tn_arena_init(&arena, &memory);
        check_row(row, &arena);
        tn_arena_done(&arena);
        assert_int_equal(memory.used, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nodes_become_models),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
