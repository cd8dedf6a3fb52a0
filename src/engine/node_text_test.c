/* node_text_test.c - which framework a node is of, however it is written */
#include "support/hostile.h"

#include "engine/node_text.h"

static const struct {
    const char *node;
    size_t      size;      /* 0: a text */
    int         framework; /* -1: none */
} nodes[] = {
    { "op: 'Relu' input: 'x'", 0, TN_FRAMEWORK_TENSORFLOW },
    { "op_type: 'Relu' input: 'x'", 0, TN_FRAMEWORK_ONNX },
    { "type: 'relu' inputs { parameter: 'X' }", 0, TN_FRAMEWORK_PADDLE },
    { "{\"op\": \"Relu\"}", 0, TN_FRAMEWORK_TENSORFLOW },
    { "{\"opType\": \"Relu\"}", 0, TN_FRAMEWORK_ONNX },
    { "{\"type\": \"relu\"}", 0, TN_FRAMEWORK_PADDLE },
    { "\x0a\x01r\x12\x04Relu\x1a\x01x", 12, TN_FRAMEWORK_TENSORFLOW },
    { "\x0a\x01x\x12\x01y\x22\x04Relu", 12, TN_FRAMEWORK_ONNX },
    { "\x0a\x06\x0a\x01X\x12\x01x\x1a\x04relu", 14, TN_FRAMEWORK_PADDLE },
    { "", 0, -1 },
    { " \n", 0, -1 },
    { "op: ", 0, -1 },
    { "color: 'red'", 0, -1 },
    { "\x0a\x01x", 3, -1 },
    { "\x12\x7f", 2, -1 },
};

static void test_frameworks_are_told_apart(void **state)
{
    (void)state;
    for (size_t row = 0; row < sizeof nodes / sizeof nodes[0]; row++) {
        struct tn_error   error = TN_ERROR_INIT;
        struct tn_memory  memory;
        struct tn_arena   arena;
        enum tn_framework framework;
        struct tn_bytes   bytes;
        struct tn_bytes   node =
            nodes[row].size
                  ? tn_bytes((const uint8_t *)nodes[row].node, nodes[row].size)
                  : tn_text(nodes[row].node);

        tn_memory_init(&memory, NULL, 0);
        tn_arena_init(&arena, &memory);
        bool is_node =
            tn_node_bytes(&arena, node, &framework, &bytes, &error) == TN_OK;
        if (is_node != (nodes[row].framework >= 0) ||
            (is_node && (int)framework != nodes[row].framework))
            fail_msg("row %zu", row);
        if (is_node)
            assert_true(bytes.size > 0);
        tn_arena_done(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frameworks_are_told_apart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
