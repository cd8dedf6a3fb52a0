/*
 * bare_node.c - a node or a tensor without a model around it
 *
 *   GraphDef     1 node*
 *   NodeDef      1 name  2 op  5 attr* { 1 key  2 value { 8 tensor } }
 *   ModelProto   7 graph { 1 node*  5 initializer* }
 *   ProgramDesc  1 blocks* { 1 idx  2 parent_idx  4 ops* }
 *
 *   TensorProto  of TensorFlow: 1 dtype  2 tensor_shape { 2 dim* { 1 size } }
 *                4 tensor_content  8 string_val*
 *   TensorProto  of ONNX: 1 dims*  2 data_type  6 string_data*  9 raw_data
 */
#include "engine/bare_node.h"

#include <tenon/model.h>

#include "base/rope.h"
#include "format/onnx/onnx.h"
#include "format/registry.h"
#include "format/tensorflow/tf_dtype.h"
#include "ir/element.h"
#include "ir/model_tables.h"
#include "map/dl4j/ir_types.h"
#include "wire/pb/pb_write.h"

const struct tn_format *tn_framework_format(enum tn_framework framework)
{
    static const struct tn_format *const formats[TN_FRAMEWORK_COUNT] = {
        &tn_format_tf_graph, &tn_format_onnx, &tn_format_paddle
    };

    return formats[framework];
}

/* ---- a model around it -------------------------------------------------- */

/* Messages in messages, from the outside: the numbers of their fields. */
static void put_nested(struct tn_rope *to, const uint32_t *fields,
                       unsigned count, struct tn_bytes bytes,
                       struct tn_arena *arena)
{
    struct tn_rope inner;

    if (count == 1) {
        tn_pb_put_bytes(to, fields[0], bytes);
        return;
    }
    tn_rope_init(&inner, arena, to->error);
    put_nested(&inner, fields + 1, count - 1, bytes, arena);
    tn_pb_put_message(to, fields[0], &inner);
}

static void put_node(struct tn_rope *to, enum tn_framework framework,
                     struct tn_bytes node, struct tn_arena *arena)
{
    static const uint32_t graph_def[] = { 1 }, model_proto[] = { 7, 1 };
    struct tn_rope        block;

    if (framework == TN_FRAMEWORK_TENSORFLOW) {
        put_nested(to, graph_def, 1, node, arena);
    } else if (framework == TN_FRAMEWORK_ONNX) {
        put_nested(to, model_proto, 2, node, arena);
    } else {
        tn_rope_init(&block, arena, to->error);
        tn_pb_put_varint(&block, 1, 0);
        tn_pb_put_varint(&block, 2, UINT64_MAX);
        tn_pb_put_bytes(&block, 4, node);
        tn_pb_put_message(to, 1, &block);
    }
}

static void put_tensor(struct tn_rope *to, enum tn_framework framework,
                       struct tn_bytes tensor, struct tn_arena *arena)
{
    static const uint32_t model_proto[] = { 7, 5 }, value[] = { 2, 8 };
    struct tn_rope        node, attr;

    if (framework != TN_FRAMEWORK_TENSORFLOW) {
        put_nested(to, model_proto, 2, tensor, arena);
        return;
    }
    tn_rope_init(&node, arena, to->error);
    tn_rope_init(&attr, arena, to->error);
    tn_pb_put_text(&attr, 1, "value");
    put_nested(&attr, value, 2, tensor, arena);
    tn_pb_put_text(&node, 1, "constant");
    tn_pb_put_text(&node, 2, "Const");
    tn_pb_put_message(&node, 5, &attr);
    tn_pb_put_message(to, 1, &node);
    tn_rope_done(&attr);
    tn_rope_done(&node);
}

/* ---- opening it --------------------------------------------------------- */

static enum tn_status open_model(struct tn_bare_node *bare,
                                 enum tn_framework    framework,
                                 struct tn_rope      *model,
                                 struct tn_memory    *memory,
                                 struct tn_error     *error)
{
    struct tn_options options = {
        .allocator   = &memory->allocator,
        .max_memory  = memory->limit,
        .from        = tn_framework_format(framework)->name,
        .wants_graph = true,
    };

    tn_buffer_init(&bare->bytes, memory, error);
    if (tn_rope_write(model, &bare->bytes.sink, error) == TN_OK)
        tn_model_open_source(&bare->model, "node", bare->bytes.size,
                             tn_buffer_read_at, &bare->bytes, &options, error);
    return error->status;
}

enum tn_status tn_bare_node_open(struct tn_bare_node *bare,
                                 enum tn_framework    framework,
                                 struct tn_bytes bytes, struct tn_arena *arena,
                                 struct tn_error *error)
{
    struct tn_rope model;

    *bare = (struct tn_bare_node){ .model = NULL };
    tn_rope_init(&model, arena, error);
    put_node(&model, framework, bytes, arena);
    if (open_model(bare, framework, &model, arena->memory, error) == TN_OK)
        tn_map_node_take(&bare->node, framework, bare->model,
                         tn_model_graph(bare->model, 0).first_op, arena, error);
    tn_rope_done(&model);
    return tn_error_without_place(error);
}

void tn_bare_node_close(struct tn_bare_node *bare)
{
    tn_model_close(bare->model);
    tn_buffer_done(&bare->bytes);
}

enum tn_status tn_bare_tensor_read(struct tn_map_tensor *tensor,
                                   enum tn_framework     framework,
                                   struct tn_bytes       bytes,
                                   struct tn_arena      *arena,
                                   struct tn_error      *error)
{
    struct tn_bare_node around = { .model = NULL };
    struct tn_rope      model;

    if (framework == TN_FRAMEWORK_PADDLE)
        framework = TN_FRAMEWORK_ONNX;
    tn_rope_init(&model, arena, error);
    put_tensor(&model, framework, bytes, arena);
    if (open_model(&around, framework, &model, arena->memory, error) == TN_OK)
        tn_map_tensor_read(
            tensor,
            &tn_list_at(&around.model->tensors, struct tn_tensor, 0)->elements,
            arena, error);
    tn_bare_node_close(&around);
    tn_rope_done(&model);
    return tn_error_without_place(error);
}

/* ---- writing a tensor --------------------------------------------------- */

static void put_shape(struct tn_rope *to, const struct tn_map_tensor *from,
                      struct tn_arena *arena, bool is_onnx)
{
    struct tn_rope shape, dim;

    tn_rope_init(&shape, arena, to->error);
    for (uint32_t i = 0; i < from->rank; i++) {
        tn_rope_init(&dim, arena, to->error);
        tn_pb_put_varint(is_onnx ? to : &dim, 1, (uint64_t)from->dims[i]);
        if (!is_onnx)
            tn_pb_put_message(&shape, 2, &dim);
        tn_rope_done(&dim);
    }
    if (!is_onnx)
        tn_pb_put_message(to, 2, &shape);
    tn_rope_done(&shape);
}

static void put_numbers(struct tn_rope *to, const struct tn_map_tensor *from,
                        struct tn_arena *arena, uint32_t field)
{
    size_t   size    = tn_dtype_size(from->dtype);
    bool     is_real = tn_element_kind(from->dtype) == TN_ELEMENT_FLOAT;
    uint8_t *raw     = tn_new(arena, uint8_t, from->count * size, to->error);

    for (uint64_t i = 0; raw && i < from->count; i++)
        if (is_real)
            tn_element_from_double(from->dtype, from->reals[i], raw + i * size);
        else
            tn_element_from_int64(from->dtype, from->ints[i], raw + i * size);
    if (raw)
        tn_pb_put_bytes(to, field, tn_bytes(raw, (size_t)from->count * size));
}

enum tn_status tn_bare_tensor_write(const struct tn_map_elements *from,
                                    enum tn_framework             framework,
                                    struct tn_arena              *arena,
                                    struct tn_bytes              *bytes,
                                    struct tn_error              *error)
{
    bool                 is_onnx = framework != TN_FRAMEWORK_TENSORFLOW;
    struct tn_map_tensor tensor;
    struct tn_rope       rope;
    struct tn_buffer     buffer;

    TN_TRY(tn_map_tensor_fill(&tensor, from, arena, error));
    if (!tensor.has_values || !tn_ir_type(tensor.dtype))
        return tn_error_set(error, TN_UNSUPPORTED, TN_NOWHERE,
                            "no constant of type %s can be made here",
                            tn_dtype_name(tensor.dtype));
    tn_rope_init(&rope, arena, error);
    tn_buffer_init(&buffer, arena->memory, error);
    tn_pb_put_varint(&rope, is_onnx ? 2 : 1,
                     is_onnx ? tn_onnx_type_number(tensor.dtype)
                             : tn_tf_dtype_number(tensor.dtype));
    put_shape(&rope, &tensor, arena, is_onnx);
    if (tensor.dtype != TN_STRING)
        put_numbers(&rope, &tensor, arena, is_onnx ? 9 : 4);
    for (uint64_t i = 0; tensor.dtype == TN_STRING && i < tensor.count; i++)
        tn_pb_put_bytes(&rope, is_onnx ? 6 : 8, tensor.strings[i]);
    if (!tn_failed(error) && tn_rope_write(&rope, &buffer.sink, error) == TN_OK)
        *bytes = tn_bytes_dup(arena, tn_buffer_bytes(&buffer), error);
    tn_buffer_done(&buffer);
    tn_rope_done(&rope);
    return error->status;
}
