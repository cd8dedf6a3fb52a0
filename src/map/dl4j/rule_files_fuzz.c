/*
 * rule_files_fuzz.c - any text as rules of either language, or as op
 * definitions
 *
 * Claims: what is refused has a place inside the text and says line and
 * column; memory is bounded by the input; what is read can be found again.
 */
#include <assert.h>

#include "map/dl4j/dl4j_ops.h"
#include "map/dl4j/framework_ops.h"
#include "map/dl4j/rule_files.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_rules(struct tn_arena *arena, const struct tn_text_field *root,
                       struct tn_error *error)
{
    struct tn_mappers   mappers;
    struct tn_rule_file file = { .mappers = &mappers, .error = error };

    tn_mappers_init(&mappers, arena);
    if (tn_rules_are_sketch(root))
        tn_rule_sketch_read(&file, root);
    else
        tn_dl4j_rules_read(&file, root);
    if (!tn_failed(error) && tn_mappers_commit(&mappers, error) == TN_OK)
        for (uint32_t i = 0; i < mappers.list.count; i++) {
            const struct tn_mapper *mapper = tn_mappers_at(&mappers, i);
            assert(tn_mappers_find(&mappers, mapper->framework,
                                   mapper->op_type) == mapper);
        }
    tn_mappers_done(&mappers);
}

static void read_ops(struct tn_arena *arena, const struct tn_text_field *root)
{
    struct tn_error    error = TN_ERROR_INIT;
    struct tn_dl4j_ops ops;
    struct tn_vocab    vocab;

    tn_dl4j_ops_init(&ops, arena);
    if (tn_dl4j_ops_read(&ops, root, &error) == TN_OK)
        tn_dl4j_ops_commit(&ops, &error);
    tn_dl4j_ops_done(&ops);
    error = (struct tn_error)TN_ERROR_INIT;
    tn_tensorflow_ops_read(&vocab, arena, root, &error);
    error = (struct tn_error)TN_ERROR_INIT;
    tn_onnx_ops_read(&vocab, arena, root, &error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tn_error      error = TN_ERROR_INIT;
    struct tn_memory     memory;
    struct tn_arena      arena;
    struct tn_text_field root;

    tn_memory_init(&memory, NULL, (8 << 20) + size * 1024);
    tn_arena_init(&arena, &memory);
    if (tn_text_tree_read(&root, &arena, tn_bytes(data, size), &error) ==
        TN_OK) {
        read_rules(&arena, &root, &error);
        read_ops(&arena, &root);
    }
    assert(error.status != TN_LIMIT || error.offset != TN_NOWHERE);
    if (tn_failed(&error))
        assert(error.offset <= size && !memcmp(error.what, "line ", 5));
    tn_arena_done(&arena);
    assert(memory.used == 0);
    return 0;
}
