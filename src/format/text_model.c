/* text_model.c - models written as protobuf text or JSON */
#include "format/text_model.h"

#include "base/arith.h"
#include "io/spool.h"
#include "wire/pb/pb_json_read.h"
#include "wire/pb/pb_text_read.h"

#define LOOK_AT 4096

static bool is_space(uint8_t byte)
{
    return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

static bool is_word(uint8_t byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || byte == '_';
}

/* Spaces, comments, and what stands before the first name in JSON. */
static size_t skip_to_word(struct tn_bytes head)
{
    size_t at = 0;

    while (at < head.size) {
        if (head.data[at] == '#')
            while (at < head.size && head.data[at] != '\n')
                at++;
        else if (is_space(head.data[at]) || head.data[at] == '{' ||
                 head.data[at] == '"')
            at++;
        else
            break;
    }
    return at;
}

bool tn_is_text(struct tn_bytes head, struct tn_bytes *word)
{
    *word = tn_bytes(NULL, 0);
    if (head.size > LOOK_AT)
        head.size = LOOK_AT;
    for (size_t i = 0; i < head.size; i++)
        if (head.data[i] < 0x20 && !is_space(head.data[i]))
            return false;
    size_t begin = skip_to_word(head), end = begin;
    while (end < head.size && is_word(head.data[end]))
        end++;
    *word = tn_bytes(head.data + begin, end - begin);
    return end > begin;
}

static bool is_json(struct tn_bytes head)
{
    size_t at = 0;

    while (at < head.size && is_space(head.data[at]))
        at++;
    return at < head.size && head.data[at] == '{';
}

static enum tn_status parse(struct tn_source *source, struct tn_bytes head,
                            enum tn_pb_builtin which, const char *message,
                            struct tn_arena *arena, struct tn_rope *rope,
                            struct tn_error *error)
{
    struct tn_span      text = { source, 0, source->size };
    struct tn_pb_schema schema;

    TN_TRY(tn_pb_schema_load(&schema, arena, tn_pb_builtin_set(which), error));
    const struct tn_pb_message *type = tn_pb_schema_find(&schema, message);
    if (is_json(head))
        return tn_pb_json_read(&schema, type, text, rope, error);
    return tn_pb_text_read(&schema, type, text, rope, error);
}

enum tn_status tn_format_binary(struct tn_bundle  *bundle,
                                struct tn_source  *source,
                                enum tn_pb_builtin schema, const char *message,
                                struct tn_source **binary,
                                struct tn_error   *error)
{
    size_t          size = (size_t)tn_min(source->size, LOOK_AT);
    struct tn_bytes head = { tn_source_pin(source, 0, size, error), size };
    struct tn_bytes word;
    struct tn_arena arena;
    struct tn_rope  rope;

    *binary = source;
    if (tn_failed(error) || !tn_is_text(head, &word))
        return error->status;
    tn_arena_init(&arena, bundle->memory);
    tn_rope_init(&rope, &arena, error);
    if (parse(source, head, schema, message, &arena, &rope, error) == TN_OK &&
        tn_source_from_rope(binary, bundle->memory, &rope, source->name,
                            error) == TN_OK)
        tn_bundle_keep(bundle, *binary, error);
    tn_rope_done(&rope);
    tn_arena_done(&arena);
    return error->status;
}
