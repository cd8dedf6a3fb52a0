/*
 * cpp_extract_fuzz.c - any text as libnd4j's C++
 *
 * Claims: it is read to its end, in memory that the text justifies; ops have
 * names, arguments have places.
 */
#include <assert.h>

#include "map/dl4j/cpp_extract.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tn_error    error = TN_ERROR_INIT;
    struct tn_memory   memory;
    struct tn_arena    arena;
    struct tn_dl4j_ops ops;

    tn_memory_init(&memory, NULL, (8 << 20) + size * 1024);
    tn_arena_init(&arena, &memory);
    tn_dl4j_ops_init(&ops, &arena);
    if (tn_cpp_extract(&ops, tn_bytes(data, size), tn_text("stem"), &error) ==
            TN_OK &&
        tn_dl4j_ops_commit(&ops, &error) == TN_OK)
        for (uint64_t i = 0; i < ops.list.count; i++) {
            const struct tn_op_descriptor *op =
                tn_list_at(&ops.list, struct tn_op_descriptor, i);
            assert(op->name.size > 0);
            for (uint32_t k = 0; k < op->args.count; k++)
                assert(op->args.items[k].index >= 0);
        }
    else
        assert(error.what[0]);
    tn_dl4j_ops_done(&ops);
    tn_arena_done(&arena);
    assert(memory.used == 0);
    return 0;
}
