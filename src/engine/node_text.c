/*
 * node_text.c - a node of a framework, however it is written
 *
 * A NodeProto says op_type, a NodeDef op.  In binary the op of a NodeDef is
 * field 2 and its attributes begin with their name; a NodeProto has its op in
 * field 4, where a NodeDef has a device, which only who wrote it knows, and
 * field 2 are its outputs.
 */
#include "engine/node_text.h"

#include "base/buffer.h"
#include "base/rope.h"
#include "ir/vocab.h"
#include "wire/pb/pb_builtin.h"
#include "wire/pb/pb_json_read.h"
#include "wire/pb/pb_text_read.h"
#include "wire/pb/pb_wire.h"

static bool is_blank(uint8_t byte)
{
    return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t';
}

/* Text does not hold what every message of a node has: bytes below blanks, or
 * a first byte that is a tag and no letter, '#' or '{'. */
static bool is_text(struct tn_bytes node)
{
    for (size_t i = 0; i < node.size; i++)
        if (node.data[i] < ' ' && !is_blank(node.data[i]))
            return false;
    return true;
}

/* ---- binary ------------------------------------------------------------- */

/* Whether the frameworks know an op of that name. */
static bool is_op(struct tn_arena *arena, const char *dialect,
                  struct tn_bytes name)
{
    struct tn_error unheard = TN_ERROR_INIT;
    struct tn_vocab vocab;

    return name.size > 0 &&
           tn_vocab_index(&vocab, arena, tn_vocab_builtin(dialect), &unheard) ==
               TN_OK &&
           tn_vocab_find(&vocab, tn_bytes(NULL, 0), name, INT64_MAX,
                         &unheard) != NULL;
}

static enum tn_status tell_binary(struct tn_arena *arena, struct tn_bytes node,
                                  enum tn_framework *framework,
                                  struct tn_error   *error)
{
    struct tn_cursor   c      = tn_cursor_bytes(node, 0, error);
    struct tn_bytes    second = { NULL, 0 }, fourth = { NULL, 0 };
    uint32_t           seconds = 0;
    bool               is_onnx = false;
    struct tn_pb_field f;

    while (tn_pb_next(&c, &f)) {
        is_onnx |= f.number >= 6;
        if (f.type != TN_WIRE_LEN)
            continue;
        if (f.number == 2) {
            second = tn_pb_text(&f);
            seconds++;
        } else if (f.number == 4)
            fourth = tn_pb_text(&f);
    }
    if (tn_failed(error))
        return error->status;
    if (!second.size && !fourth.size)
        return tn_error_set(error, TN_NOT_FOUND, 0,
                            "neither a NodeDef nor a NodeProto");
    is_onnx = seconds != 1 ||
              (fourth.size && (is_onnx || !is_op(arena, "tensorflow", second)));
    *framework = is_onnx ? TN_FRAMEWORK_ONNX : TN_FRAMEWORK_TENSORFLOW;
    return TN_OK;
}

/* ---- text --------------------------------------------------------------- */

static enum tn_status encode(struct tn_arena *arena, struct tn_bytes node,
                             enum tn_framework framework, bool is_json,
                             struct tn_bytes *bytes, struct tn_error *error)
{
    bool                is_onnx = framework == TN_FRAMEWORK_ONNX;
    struct tn_pb_schema schema;
    struct tn_source    source;
    struct tn_rope      rope;
    struct tn_buffer    out;

    TN_TRY(tn_pb_schema_load(
        &schema, arena,
        tn_pb_builtin_set(is_onnx ? TN_PB_ONNX : TN_PB_TENSORFLOW), error));
    tn_source_memory(&source, arena->memory, node);
    tn_rope_init(&rope, arena, error);
    tn_buffer_init(&out, arena->memory, error);
    const struct tn_pb_message *type = tn_pb_schema_find(
        &schema, is_onnx ? "onnx.NodeProto" : "tensorflow.NodeDef");
    if ((is_json ? tn_pb_json_read : tn_pb_text_read)(
            &schema, type, (struct tn_span){ &source, 0, node.size }, &rope,
            error) == TN_OK &&
        tn_rope_write(&rope, &out.sink, error) == TN_OK)
        *bytes = tn_bytes_dup(arena, tn_buffer_bytes(&out), error);
    tn_buffer_done(&out);
    tn_rope_done(&rope);
    tn_source_close(&source);
    return error->status;
}

/* Each is tried as what it would have to be; of two complaints that one counts
 * which comes later in the text. */
static enum tn_status read_text(struct tn_arena *arena, struct tn_bytes node,
                                bool is_json, enum tn_framework *framework,
                                struct tn_bytes *bytes, struct tn_error *error)
{
    struct tn_error errors[2] = { TN_ERROR_INIT, TN_ERROR_INIT };

    for (unsigned i = 0; i < 2; i++) {
        *framework = i ? TN_FRAMEWORK_ONNX : TN_FRAMEWORK_TENSORFLOW;
        if (encode(arena, node, *framework, is_json, bytes, &errors[i]) ==
            TN_OK)
            return TN_OK;
    }
    *error = errors[errors[1].offset > errors[0].offset];
    return error->status;
}

enum tn_status tn_node_bytes(struct tn_arena *arena, struct tn_bytes node,
                             enum tn_framework *framework,
                             struct tn_bytes *bytes, struct tn_error *error)
{
    size_t at = 0;

    while (at < node.size && is_blank(node.data[at]))
        at++;
    if (at == node.size)
        return tn_error_set(error, TN_NOT_FOUND, 0, "there is no node");
    if (is_text(node))
        return read_text(arena, node, node.data[at] == '{', framework, bytes,
                         error);
    *bytes = node;
    return tell_binary(arena, node, framework, error);
}
