/*
 * node_text.c - a node of a framework, however it is written
 *
 * A NodeProto has op_type, a NodeDef op, an OpDesc of Paddle type.  In binary
 * the op of a NodeDef is field 2 and its attributes begin with their name.  A
 * NodeProto has its op in field 4, where a NodeDef has a device (any text), and
 * field 2 are its outputs.  An OpDesc has its op in field 3, where the others
 * have inputs or a name, and messages in fields 1, 2 and 4.
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
           tn_vocab_open(&vocab, arena, dialect, &unheard) == TN_OK &&
           tn_vocab_find(&vocab, tn_bytes(NULL, 0), name, INT64_MAX,
                         &unheard) != NULL;
}

/* A message whose first field is a text: a slot or attribute of Paddle. */
static bool is_slot(struct tn_bytes message)
{
    return message.size >= 2 && message.data[0] == 0x0a &&
           message.data[1] <= message.size - 2;
}

static enum tn_status tell_binary(struct tn_arena *arena, struct tn_bytes node,
                                  enum tn_framework *framework,
                                  struct tn_error   *error)
{
    struct tn_cursor   c      = tn_cursor_bytes(node, 0, error);
    struct tn_bytes    second = { NULL, 0 }, third = { NULL, 0 };
    struct tn_bytes    fourth    = { NULL, 0 };
    uint32_t           seconds   = 0;
    bool               has_slots = true;
    bool               is_onnx   = false;
    struct tn_pb_field f;

    while (tn_pb_next(&c, &f)) {
        is_onnx |= f.number >= 6;
        if (f.type != TN_WIRE_LEN)
            continue;
        struct tn_bytes body = tn_pb_text(&f);
        if (f.number == 2) {
            second = body;
            seconds++;
        } else if (f.number == 3)
            third = body;
        else if (f.number == 4)
            fourth = body;
        if (f.number == 1 || f.number == 2 || f.number == 4)
            has_slots &= is_slot(body);
    }
    if (tn_failed(error))
        return error->status;
    if (has_slots && is_op(arena, "paddle", third)) {
        *framework = TN_FRAMEWORK_PADDLE;
        return TN_OK;
    }
    if (!second.size && !fourth.size)
        return tn_error_set(error, TN_NOT_FOUND, 0,
                            "neither a NodeDef, a NodeProto nor an OpDesc");
    is_onnx = seconds != 1 ||
              (fourth.size && (is_onnx || !is_op(arena, "tensorflow", second)));
    *framework = is_onnx ? TN_FRAMEWORK_ONNX : TN_FRAMEWORK_TENSORFLOW;
    return TN_OK;
}

/* ---- text --------------------------------------------------------------- */

static const struct {
    enum tn_pb_builtin set;
    const char        *name;
} messages[] = {
    [TN_FRAMEWORK_TENSORFLOW] = { TN_PB_TENSORFLOW, "tensorflow.NodeDef" },
    [TN_FRAMEWORK_ONNX]       = { TN_PB_ONNX, "onnx.NodeProto" },
    [TN_FRAMEWORK_PADDLE] = { TN_PB_PADDLE, "paddle.framework.proto.OpDesc" },
};

static enum tn_status encode(struct tn_arena *arena, struct tn_bytes node,
                             enum tn_framework framework, bool is_json,
                             struct tn_bytes *bytes, struct tn_error *error)
{
    struct tn_pb_schema schema;
    struct tn_source    source;
    struct tn_rope      rope;
    struct tn_buffer    out;

    TN_TRY(tn_pb_schema_load(
        &schema, arena, tn_pb_builtin_set(messages[framework].set), error));
    tn_source_memory(&source, arena->memory, node);
    tn_rope_init(&rope, arena, error);
    tn_buffer_init(&out, arena->memory, error);
    const struct tn_pb_message *type =
        tn_pb_schema_find(&schema, messages[framework].name);
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

/* Tries the text as a node of each framework.  If all fail, the error that is
 * furthest in the text is reported. */
static enum tn_status read_text(struct tn_arena *arena, struct tn_bytes node,
                                bool is_json, enum tn_framework *framework,
                                struct tn_bytes *bytes, struct tn_error *error)
{
    for (unsigned i = 0; i < sizeof messages / sizeof messages[0]; i++) {
        struct tn_error here = TN_ERROR_INIT;
        *framework           = (enum tn_framework)i;
        if (encode(arena, node, *framework, is_json, bytes, &here) == TN_OK) {
            *error = (struct tn_error)TN_ERROR_INIT;
            return TN_OK;
        }
        if (i == 0 || here.offset > error->offset)
            *error = here;
    }
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
