/*
 * node_model.h - models of one node or one tensor, for tests of the import
 * rules
 *
 *   GraphDef    1 node*
 *   NodeDef     1 name  2 op  5 attr* { 1 key  2 value { 8 tensor } }
 *   ModelProto  7 graph { 1 node*  5 initializer* }
 */
#ifndef TN_TESTS_NODE_MODEL_H
#define TN_TESTS_NODE_MODEL_H

#include <tenon/model.h>

#include "base/buffer.h"
#include "ir/model_tables.h"
#include "map/dl4j/map_tensor.h"

struct node_model {
    struct tn_memory memory;
    struct tn_buffer bytes;
    struct tn_model *model;
};

/* Makes a field of what is in the buffer; `field` is below 16. */
static inline void node_model_wrap(struct tn_buffer *bytes, unsigned field)
{
    struct tn_buffer whole;
    size_t           size = bytes->size;

    tn_buffer_init(&whole, bytes->memory, bytes->error);
    tn_buffer_byte(&whole, (uint8_t)(field << 3 | 2));
    for (; size >= 0x80; size >>= 7)
        tn_buffer_byte(&whole, (uint8_t)(size | 0x80));
    tn_buffer_byte(&whole, (uint8_t)size);
    tn_buffer_add(&whole, tn_buffer_bytes(bytes));
    tn_buffer_clear(bytes);
    tn_buffer_add(bytes, tn_buffer_bytes(&whole));
    tn_buffer_done(&whole);
}

static inline void node_model_put(struct tn_buffer *to, bool is_onnx,
                                  bool is_tensor, struct tn_bytes bytes)
{
    static const char value[] = "\012\005value",
                      op[]    = "\012\001c\022\005Const";
    struct tn_buffer inner;

    tn_buffer_init(&inner, to->memory, to->error);
    tn_buffer_add(&inner, bytes);
    if (is_onnx) {
        node_model_wrap(&inner, is_tensor ? 5 : 1);
        node_model_wrap(&inner, 7);
    } else if (!is_tensor) {
        node_model_wrap(&inner, 1);
    } else {
        node_model_wrap(&inner, 8);
        node_model_wrap(&inner, 2);
        tn_buffer_add(to, tn_text(value));
        tn_buffer_add(to, tn_buffer_bytes(&inner));
        node_model_wrap(to, 5);
        tn_buffer_clear(&inner);
        tn_buffer_add(&inner, tn_text(op));
        tn_buffer_add(&inner, tn_buffer_bytes(to));
        tn_buffer_clear(to);
        node_model_wrap(&inner, 1);
    }
    tn_buffer_add(to, tn_buffer_bytes(&inner));
    tn_buffer_done(&inner);
}

/* A tn_read_at. */
static inline int node_model_read(void *context, uint64_t offset, void *to,
                                  size_t size)
{
    const struct tn_buffer *bytes = context;

    if (size > 0)
        memcpy(to, bytes->data + offset, size);
    return 0;
}

/* To be closed after a failure, too. */
static inline enum tn_status node_model_open(struct node_model *m, bool is_onnx,
                                             bool             is_tensor,
                                             struct tn_bytes  bytes,
                                             struct tn_error *error)
{
    struct tn_options options = { .from        = is_onnx ? "onnx" : "tf-graph",
                                  .wants_graph = true };

    m->model = NULL;
    tn_memory_init(&m->memory, NULL, 0);
    tn_buffer_init(&m->bytes, &m->memory, error);
    node_model_put(&m->bytes, is_onnx, is_tensor, bytes);
    if (tn_failed(error))
        return error->status;
    return tn_model_open_source(&m->model, "node", m->bytes.size,
                                node_model_read, &m->bytes, &options, error);
}

static inline void node_model_close(struct node_model *m)
{
    tn_model_close(m->model);
    tn_buffer_done(&m->bytes);
}

/* A TensorProto as rules see it. */
static inline enum tn_status node_model_tensor(struct tn_map_tensor *tensor,
                                               bool                  is_onnx,
                                               struct tn_bytes       bytes,
                                               struct tn_arena      *arena,
                                               struct tn_error      *error)
{
    struct node_model m;

    if (node_model_open(&m, is_onnx, true, bytes, error) == TN_OK)
        tn_map_tensor_read(
            tensor,
            &tn_list_at(&m.model->tensors, struct tn_tensor, 0)->elements,
            arena, error);
    node_model_close(&m);
    error->offset = TN_NOWHERE; /* it would be one in the model */
    return error->status;
}

#endif
