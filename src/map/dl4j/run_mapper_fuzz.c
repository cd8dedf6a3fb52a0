/*
 * run_mapper_fuzz.c - any rules in Deeplearning4j's language over any node
 *
 *   u8   1: ONNX, else TensorFlow; 2: strict
 *   u8   node_size; so many bytes: a node, and the constant that every input is
 *   u8[] the rest: text of rules
 *
 * Claims: every rule ends with a descriptor or with a reason, in memory that
 * the input justifies; arguments are in their lists in order.
 */
#include <assert.h>

#include "base/cursor.h"
#include "map/dl4j/rule_files.h"
#include "map/dl4j/run_mapper.h"
#include "support/node_model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* An op with arguments of every type. */
static const char op_text[] =
    "opList { name: 'op' opDeclarationType: CUSTOM_OP_IMPL "
    "argDescriptor { name: 'input' argType: INPUT_TENSOR } "
    "argDescriptor { name: 'output' argType: OUTPUT_TENSOR } "
    "argDescriptor { name: 'i' argType: INT64 } "
    "argDescriptor { name: 'j' argType: INT64 argIndex: 1 } "
    "argDescriptor { name: 't' argType: DOUBLE } "
    "argDescriptor { name: 'b' argType: BOOL } "
    "argDescriptor { name: 's' argType: STRING } "
    "argDescriptor { name: 'd' argType: DATA_TYPE } }";

/* What every other input is. */
struct constant {
    struct tn_bytes bytes; /* of a TensorProto                                */
    bool            is_onnx;
};

/* A tn_map_constant. */
static enum tn_status tell(void *context, struct tn_bytes name,
                           struct tn_map_tensor *tensor, bool *is_known,
                           struct tn_arena *arena, struct tn_error *error)
{
    const struct constant *all = context;

    *is_known = name.size % 2;
    return *is_known ? node_model_tensor(tensor, all->is_onnx, all->bytes,
                                         arena, error)
                     : TN_OK;
}

static void assert_lists(const struct tn_op_descriptor *op)
{
    for (int list = 0; list < TN_LIST_COUNT; list++) {
        const struct tn_args *args = &op->lists[list];
        for (uint32_t i = 1; i < args->count; i++)
            assert(args->items[i - 1].index <= args->items[i].index);
    }
}

static void run_all(const struct tn_mappers       *mappers,
                    const struct tn_op_descriptor *target,
                    const struct tn_map_node *node, struct constant *constant,
                    bool is_strict, struct tn_arena *arena)
{
    struct tn_map_context context = { .is_strict = is_strict,
                                      .constant  = tell,
                                      .context   = constant };

    for (uint32_t i = 0; i < mappers->list.count; i++) {
        struct tn_error         error = TN_ERROR_INIT;
        struct tn_op_descriptor out;
        struct tn_map_job       job = { .mapper  = tn_mappers_at(mappers, i),
                                        .target  = target,
                                        .node    = node,
                                        .context = &context };
        if (tn_map_run(&job, &out, arena, &error) == TN_OK)
            assert_lists(&out);
        else
            assert(error.what[0]);
    }
}

static void read_rules(struct tn_mappers *mappers, struct tn_bytes text,
                       struct tn_error *error)
{
    struct tn_rule_file  file = { .mappers = mappers, .error = error };
    struct tn_text_field root;

    if (tn_text_tree_read(&root, mappers->arena, text, error) != TN_OK)
        return;
    if (tn_rules_are_sketch(&root))
        tn_rule_sketch_read(&file, &root);
    else
        tn_dl4j_rules_read(&file, &root);
}

static void run(struct tn_cursor *c, struct tn_arena *arena)
{
    struct tn_error      error = TN_ERROR_INIT;
    struct tn_dl4j_ops   ops;
    struct tn_mappers    mappers;
    struct tn_text_field root;
    struct tn_map_node   node;
    uint8_t              flags = tn_u8(c);
    uint8_t              most  = tn_u8(c);
    const uint8_t       *bytes = tn_take(c, most);
    struct constant constant = { tn_bytes(bytes, bytes ? most : 0), flags & 1 };
    struct node_model model;

    tn_dl4j_ops_init(&ops, arena);
    tn_mappers_init(&mappers, arena);
    if (node_model_open(&model, constant.is_onnx, false, constant.bytes,
                        &error) == TN_OK &&
        tn_text_tree_read(&root, arena, tn_text(op_text), &error) == TN_OK &&
        tn_dl4j_ops_read(&ops, &root, &error) == TN_OK &&
        tn_dl4j_ops_commit(&ops, &error) == TN_OK &&
        tn_map_node_take(&node,
                         constant.is_onnx ? TN_FRAMEWORK_ONNX
                                          : TN_FRAMEWORK_TENSORFLOW,
                         model.model, 0, arena, &error) == TN_OK) {
        read_rules(&mappers, tn_bytes(c->at, (size_t)(c->end - c->at)), &error);
        if (!tn_failed(&error))
            run_all(&mappers, tn_dl4j_ops_find(&ops, tn_text("op")), &node,
                    &constant, flags & 2, arena);
    }
    node_model_close(&model);
    tn_mappers_done(&mappers);
    tn_dl4j_ops_done(&ops);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tn_error  none = TN_ERROR_INIT;
    struct tn_memory memory;
    struct tn_arena  arena;
    struct tn_cursor c = tn_cursor_bytes(tn_bytes(data, size), 0, &none);

    tn_memory_init(&memory, NULL, (UINT64_C(32) << 20) + size * 1024);
    tn_arena_init(&arena, &memory);
    run(&c, &arena);
    tn_arena_done(&arena);
    assert(memory.used == 0);
    return 0;
}
