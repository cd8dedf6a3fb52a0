/*
 * map_node_fuzz.c - any bytes as a node of either framework, and as a constant
 *
 * The first byte says which.  Claims: nothing but the input is touched, memory
 * is bounded by it, and a constant's values are as many as it says.
 */
#include <assert.h>

#include "map/dl4j/map_tensor.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tn_error      error = TN_ERROR_INIT;
    struct tn_memory     memory;
    struct tn_arena      arena;
    struct tn_map_node   node;
    struct tn_map_tensor tensor;
    struct tn_bytes      written;

    if (size == 0)
        return 0;
    enum tn_framework framework =
        data[0] & 1 ? TN_FRAMEWORK_ONNX : TN_FRAMEWORK_TENSORFLOW;
    struct tn_bytes bytes = tn_bytes(data + 1, size - 1);
    tn_memory_init(&memory, NULL, (16 << 20) + size * 1024);
    tn_arena_init(&arena, &memory);
    if (tn_map_node_read(&node, framework, bytes, &arena, &error) == TN_OK)
        for (uint32_t i = 0; i < node.attr_count; i++)
            assert(tn_map_node_attr(&node, node.attrs[i].name));
    error = (struct tn_error)TN_ERROR_INIT;
    if (tn_map_tensor_read(&tensor, framework, bytes, &arena, &error) ==
            TN_OK &&
        tensor.has_values) {
        assert(tensor.count <= TN_MAP_ELEMENTS);
        tn_map_tensor_write(&tensor, &arena, &written, &error);
    }
    tn_arena_done(&arena);
    assert(memory.used == 0);
    return 0;
}
