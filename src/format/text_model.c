/* text_model.c - models written as protobuf text or JSON */
#include "format/text_model.h"

#include "base/arith.h"
#include "io/spool.h"
#include "wire/pb/pb_json_read.h"
#include "wire/pb/pb_text_read.h"

/* How much of a text must be text. */
#define LOOK_AT 4096

/* How far comments in front of it may go. */
#define COMMENTS_MAX (16u << 20)

static bool is_space(uint8_t byte)
{
    return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

static bool is_word(uint8_t byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || byte == '_';
}

/* Spaces, comments, and what is before the first name in JSON. */
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
    size_t begin = skip_to_word(head), end = begin;

    *word = tn_bytes(NULL, 0);
    if (head.size - begin > LOOK_AT)
        head.size = begin + LOOK_AT;
    for (size_t i = 0; i < head.size; i++)
        if (head.data[i] < 0x20 && !is_space(head.data[i]))
            return false;
    while (end < head.size && is_word(head.data[end]))
        end++;
    *word = tn_bytes(head.data + begin, end - begin);
    return end > begin;
}

/* Past spaces and comments; one that has begun may go on in the next bytes. */
static size_t skip_comments(struct tn_bytes bytes, bool *is_inside)
{
    size_t at = 0;

    for (; at < bytes.size; at++) {
        if (bytes.data[at] == '\n')
            *is_inside = false;
        else if (bytes.data[at] == '#')
            *is_inside = true;
        else if (!*is_inside && !is_space(bytes.data[at]))
            break;
    }
    return at;
}

uint64_t tn_text_begin(struct tn_source *source, struct tn_error *error)
{
    bool     is_inside = false;
    uint64_t at        = 0;
    uint8_t  room[LOOK_AT];

    while (at < source->size && at < COMMENTS_MAX) {
        size_t size = (size_t)tn_min(source->size - at, sizeof room);
        if (tn_source_read(source, at, room, size, error) != TN_OK)
            return 0;
        size_t passed = skip_comments(tn_bytes(room, size), &is_inside);
        at += passed;
        if (passed < size)
            return at < TN_TEXT_HEAD / 2 ? 0 : at;
    }
    return 0;
}

/* Where a quoted string that begins at `at` ends. */
static size_t skip_string(struct tn_bytes head, size_t at)
{
    uint8_t quote = head.data[at++];

    while (at < head.size && head.data[at] != quote)
        at += head.data[at] == '\\' ? 2 : 1;
    return at < head.size ? at + 1 : head.size;
}

static size_t skip_comment(struct tn_bytes head, size_t at)
{
    while (at < head.size && head.data[at] != '\n')
        at++;
    return at;
}

static size_t skip_word(struct tn_bytes head, size_t at)
{
    while (at < head.size && is_word(head.data[at]))
        at++;
    return at;
}

static size_t skip_spaces(struct tn_bytes head, size_t at)
{
    while (at < head.size && is_space(head.data[at]))
        at++;
    return at;
}

/* A name is followed by what it names. */
static bool names_something(struct tn_bytes head, size_t at)
{
    at = skip_spaces(head, at);
    return at < head.size && (head.data[at] == ':' || head.data[at] == '{' ||
                              head.data[at] == '<');
}

/* The token at `at`: its name when it is one, and where the next begins. */
static size_t next_token(struct tn_bytes head, size_t at, struct tn_bytes *name)
{
    size_t end = at + 1, inset = 0;

    *name = tn_bytes(NULL, 0);
    if (head.data[at] == '#')
        return skip_comment(head, at);
    if (head.data[at] == '"' || head.data[at] == '\'') {
        end   = skip_string(head, at);
        inset = 1;
    } else if (is_word(head.data[at])) {
        end = skip_word(head, at);
    } else {
        return end;
    }
    if (end - at > 2 * inset && names_something(head, end))
        *name = tn_bytes(head.data + at + inset, end - at - 2 * inset);
    return end;
}

static bool is_json(struct tn_bytes head);

void tn_text_roots(struct tn_bytes head,
                   bool (*each)(void *context, struct tn_bytes name),
                   void *context)
{
    int             depth = 0, root = is_json(head) ? 1 : 0;
    struct tn_bytes name;

    for (size_t at = skip_spaces(head, 0); at < head.size;
         at        = skip_spaces(head, at)) {
        uint8_t byte = head.data[at];
        depth += byte == '{' || byte == '<' || byte == '[';
        depth -= byte == '}' || byte == '>' || byte == ']';
        at = next_token(head, at, &name);
        if (depth == root && name.size && !each(context, name))
            return;
    }
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

struct tn_bytes tn_text_head(struct tn_source *source, struct tn_error *error)
{
    uint64_t begin = tn_text_begin(source, error);
    size_t   size  = (size_t)tn_min(source->size - begin, TN_TEXT_HEAD);

    return tn_bytes(tn_source_pin(source, begin, size, error), size);
}

enum tn_status tn_format_binary(struct tn_bundle  *bundle,
                                struct tn_source  *source,
                                enum tn_pb_builtin schema, const char *message,
                                struct tn_source **binary,
                                struct tn_error   *error)
{
    struct tn_bytes head = tn_text_head(source, error);
    struct tn_bytes word;
    struct tn_arena arena;
    struct tn_rope  rope;

    *binary = source;
    if (tn_failed(error) || !tn_is_text(head, &word))
        return error->status;
    if (bundle->text == source) {
        *binary = bundle->binary;
        return TN_OK;
    }
    tn_arena_init(&arena, bundle->memory);
    tn_rope_init(&rope, &arena, error);
    if (parse(source, head, schema, message, &arena, &rope, error) == TN_OK &&
        tn_source_from_rope(binary, bundle->memory, &rope, source->name,
                            error) == TN_OK &&
        tn_bundle_keep(bundle, *binary, error) == TN_OK) {
        bundle->text   = source;
        bundle->binary = *binary;
    }
    tn_rope_done(&rope);
    tn_arena_done(&arena);
    return error->status;
}
