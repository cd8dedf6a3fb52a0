/* rule_text.c - rule files that are not protobuf text, as protobuf text */
#include "engine/rule_text.h"

#include "base/buffer.h"
#include "ir/dialect_facts.h"
#include "wire/pb/pb_builtin.h"
#include "wire/pb/pb_json_read.h"
#include "wire/pb/pb_text_write.h"
#include "wire/pb/pb_wire.h"

/* Which message it is. */
struct kind {
    enum tn_pb_builtin set;
    const char        *type;
};

static const struct kind op_list    = { TN_PB_IMPORT_IR,
                                        "org.nd4j.ir.OpDescriptorList" };
static const struct kind rule_set   = { TN_PB_IMPORT_IR,
                                        "org.nd4j.ir.MappingDefinitionSet" };
static const struct kind onnx_graph = { TN_PB_ONNX, "onnx.GraphProto" };

/* All three begin with a message in field 1; what is in it tells them apart:
 * a node has its op type in 4, a mapper the framework in 1. */
static const struct kind *binary_kind(struct tn_bytes bytes)
{
    struct tn_error    error = TN_ERROR_INIT;
    struct tn_cursor   c     = tn_cursor_bytes(bytes, 0, &error);
    struct tn_pb_field f, inner;

    if (!tn_pb_next(&c, &f) || f.number != 1 || f.type != TN_WIRE_LEN)
        return NULL;
    const struct kind *kind = &op_list;
    while (tn_pb_next(&f.body, &inner)) {
        bool            is_text = inner.type == TN_WIRE_LEN;
        struct tn_bytes text = is_text ? tn_pb_text(&inner) : tn_bytes(NULL, 0);
        if (inner.number == 4 && kind == &op_list)
            kind = &onnx_graph;
        if (inner.number == 1 && tn_dialect_facts_of(text)->is_mapped_from)
            kind = &rule_set;
    }
    return tn_failed(&error) ? NULL : kind;
}

static bool is_text(struct tn_bytes bytes)
{
    for (size_t i = 0; i < bytes.size && i < 64; i++)
        if (bytes.data[i] < ' ' && bytes.data[i] != '\n' &&
            bytes.data[i] != '\t' && bytes.data[i] != '\r')
            return false;
    return true;
}

static enum tn_status decode_json(const struct tn_pb_schema  *schema,
                                  const struct tn_pb_message *type,
                                  struct tn_span text, struct tn_arena *arena,
                                  struct tn_buffer *to, struct tn_error *error)
{
    struct tn_rope rope;

    tn_rope_init(&rope, arena, error);
    if (tn_pb_json_read(schema, type, text, &rope, error) == TN_OK)
        tn_rope_write(&rope, &to->sink, error);
    tn_rope_done(&rope);
    return error->status;
}

static enum tn_status print(const struct tn_pb_message *type,
                            struct tn_bytes message, struct tn_arena *arena,
                            struct tn_bytes *text, struct tn_error *error)
{
    struct tn_source source;
    struct tn_buffer out;

    tn_source_memory(&source, arena->memory, message);
    tn_buffer_init(&out, arena->memory, error);
    if (tn_pb_text_write(type, (struct tn_span){ &source, 0, message.size },
                         &out.sink, arena->memory, error) == TN_OK)
        *text = tn_bytes_dup(arena, tn_buffer_bytes(&out), error);
    tn_buffer_done(&out);
    tn_source_close(&source);
    return error->status;
}

static enum tn_status print_json(const struct tn_pb_schema  *schema,
                                 const struct tn_pb_message *type,
                                 struct tn_arena *arena, struct tn_bytes *bytes,
                                 struct tn_error *error)
{
    struct tn_source source;
    struct tn_buffer message;

    tn_source_memory(&source, arena->memory, *bytes);
    tn_buffer_init(&message, arena->memory, error);
    if (decode_json(schema, type, (struct tn_span){ &source, 0, bytes->size },
                    arena, &message, error) == TN_OK)
        print(type, tn_buffer_bytes(&message), arena, bytes, error);
    tn_buffer_done(&message);
    tn_source_close(&source);
    return error->status;
}

enum tn_status tn_rule_text(struct tn_arena *arena, struct tn_bytes *bytes,
                            struct tn_error *error)
{
    bool                is_json = bytes->size > 0 && bytes->data[0] == '{';
    struct tn_pb_schema schema;

    if (!is_json && is_text(*bytes))
        return TN_OK;
    const struct kind *kind =
        !is_json ? binary_kind(*bytes)
        : tn_bytes_contains(*bytes, tn_text("\"mappings\"")) ? &rule_set
                                                             : &op_list;
    if (!kind)
        return tn_error_set(
            error, TN_NOT_FOUND, 0,
            "the file is neither a vocabulary nor a file of rules");
    TN_TRY(
        tn_pb_schema_load(&schema, arena, tn_pb_builtin_set(kind->set), error));
    const struct tn_pb_message *type = tn_pb_schema_find(&schema, kind->type);
    return is_json ? print_json(&schema, type, arena, bytes, error)
                   : print(type, *bytes, arena, bytes, error);
}
