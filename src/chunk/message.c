/* message.c - schemas and messages, as callers hold them */
#include "base/given.h"
#include "base/sized.h"
#include "chunk/message.h"

#include <inttypes.h>

#include "chunk/wire_walk.h"
#include "io/output.h"
#include "io/rope_source.h"
#include "wire/pb/pb_builtin.h"

static const struct tn_options no_options;

/* A zeroed block, paid for by the budget that it contains. */
static void *new_handle(size_t size, size_t budget_at,
                        const struct tn_options *options,
                        struct tn_error         *error)
{
    struct tn_memory memory;

    tn_memory_take_options(&memory, options);
    uint8_t *handle = tn_memory_resize(&memory, NULL, 0, size, error);
    if (!handle)
        return NULL;
    memset(handle, 0, size);
    struct tn_memory *budget = (struct tn_memory *)(void *)(handle + budget_at);
    tn_memory_take_options(budget, options);
    budget->used = size;
    return handle;
}

static void free_handle(void *handle, size_t size,
                        const struct tn_memory *budget)
{
    struct tn_allocator allocator = budget->allocator;

    allocator.resize(allocator.context, handle, size, 0);
}

/* ---- schemas ------------------------------------------------------------ */

enum tn_status tn_schema_open(struct tn_schema **out, struct tn_bytes set,
                              const struct tn_options *options,
                              struct tn_error         *error)
{
    TN_ERROR_OR_OWN(error);
    *out = NULL;
    TN_TAKE_OPTIONS(options);
    options                  = options ? options : &no_options;
    *out                     = NULL;
    struct tn_schema *schema = new_handle(
        sizeof *schema, offsetof(struct tn_schema, memory), options, error);
    if (!schema)
        return error->status;
    tn_arena_init(&schema->arena, &schema->memory);
    if (tn_pb_schema_load(&schema->types, &schema->arena, set, error) == TN_OK)
        *out = schema;
    else
        tn_schema_close(schema);
    return error->status;
}

enum tn_status tn_schema_builtin(struct tn_schema **out, const char *name,
                                 const struct tn_options *options,
                                 struct tn_error         *error)
{
    TN_ERROR_OR_OWN(error);
    *out = NULL;
    TN_TAKE_OPTIONS(options);
    TN_EXPECT_GIVEN(name, "schema", error);
    static const char *const names[] = {
        [TN_PB_ONNX]           = "onnx",
        [TN_PB_TENSORFLOW]     = "tensorflow",
        [TN_PB_PROTO_SPLITTER] = "proto_splitter",
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i]))
            return tn_schema_open(out, tn_pb_builtin_set((enum tn_pb_builtin)i),
                                  options, error);
    return tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE,
                        "there is no built-in schema %s", name);
}

void tn_schema_close(struct tn_schema *schema)
{
    if (!schema)
        return;
    tn_arena_done(&schema->arena);
    free_handle(schema, sizeof *schema, &schema->memory);
}

/* ---- messages ----------------------------------------------------------- */

enum tn_status tn_message_new(struct tn_message     **out,
                              const struct tn_schema *schema, const char *type,
                              const struct tn_options *options,
                              struct tn_error         *error)
{
    options                           = options ? options : &no_options;
    *out                              = NULL;
    const struct tn_pb_message *found = tn_pb_schema_find(&schema->types, type);
    if (!found)
        return tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE,
                            "the schema has no message %s", type);
    struct tn_message *message = new_handle(
        sizeof *message, offsetof(struct tn_message, memory), options, error);
    if (!message)
        return error->status;
    message->schema  = &schema->types;
    message->type    = found;
    message->workers = options->workers;
    if (options->progress) {
        tn_meter_init(&message->own_meter, options->progress,
                      options->progress_context, "writing", 0);
        message->meter = &message->own_meter;
    }
    tn_arena_init(&message->arena, &message->memory);
    *out = message;
    return TN_OK;
}

void tn_message_close(struct tn_message *message)
{
    if (!message)
        return;
    if (message->close)
        message->close(message);
    else
        tn_source_close(message->source);
    tn_arena_done(&message->arena);
    free_handle(message, sizeof *message, &message->memory);
}

enum tn_status tn_message_bytes(struct tn_message     **out,
                                const struct tn_schema *schema,
                                const char *type, struct tn_bytes bytes,
                                const struct tn_options *options,
                                struct tn_error         *error)
{
    TN_ERROR_OR_OWN(error);
    *out = NULL;
    TN_TAKE_OPTIONS(options);
    TN_TRY(tn_message_new(out, schema, type, options, error));
    tn_source_memory(&(*out)->plain, &(*out)->memory, bytes);
    (*out)->source = &(*out)->plain;
    return TN_OK;
}

static void close_files(struct tn_message *message)
{
    tn_bundle_close(&message->files);
}

enum tn_status tn_message_open(struct tn_message     **out,
                               const struct tn_schema *schema, const char *type,
                               const char              *path,
                               const struct tn_options *options,
                               struct tn_error         *error)
{
    TN_ERROR_OR_OWN(error);
    *out = NULL;
    TN_TAKE_OPTIONS(options);
    struct tn_bundle_options how = { options && options->keep_unmapped };

    TN_TRY(tn_message_new(out, schema, type, options, error));
    struct tn_message *message = *out;
    struct tn_asking   asking;
    tn_asking_begin(&asking, options, "opening", &message->memory);
    tn_bundle_open(&message->files, &message->memory, path, &how, error);
    tn_asking_end(&asking);
    if (!tn_failed(error)) {
        message->close            = close_files;
        message->files.max_expand = options ? options->max_expand : 0;
        message->source           = message->files.main;
        if (!message->source)
            tn_error_set(error, TN_INVALID, TN_NOWHERE,
                         "a folder: a message is one file");
    }
    if (!tn_failed(error))
        return TN_OK;
    tn_message_close(message);
    *out = NULL;
    return error->status;
}

uint64_t tn_message_size(const struct tn_message *message)
{
    return message->source->size;
}

enum tn_status tn_message_read(struct tn_message *message, uint64_t offset,
                               void *to, size_t size, struct tn_error *error)
{
    TN_ERROR_OR_OWN(error);
    return tn_source_read(message->source, offset, to, size, error);
}

const char *tn_message_warning(const struct tn_message *message)
{
    return message->warning;
}

/* A single field that is longer than the requested size. */
static void describe_long(struct tn_pb_field field, uint64_t end,
                          struct tn_message_part *part)
{
    part->end   = end;
    part->field = field.number;
    part->wire  = field.type;
    part->body  = field.type == TN_WIRE_LEN || field.type == TN_WIRE_GROUP_BEGIN
                      ? field.body.offset
                      : field.offset;
}

enum tn_status tn_message_part(struct tn_message *message, uint64_t begin,
                               uint64_t end, uint64_t most,
                               struct tn_message_part *part,
                               struct tn_error        *error)
{
    TN_ERROR_OR_OWN(error);
    struct tn_wire_walk walk;
    struct tn_pb_field  field;
    struct tn_span      whole;

    *part = (struct tn_message_part){ .end = begin };
    if (begin > end || end > message->source->size)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "bytes %" PRIu64 " to %" PRIu64
                            " of a message of %" PRIu64,
                            begin, end, message->source->size);
    tn_wire_walk_init(
        &walk, (struct tn_span){ message->source, begin, end - begin }, error);
    while (tn_wire_walk_next(&walk, &field, &whole)) {
        uint64_t next = whole.offset + whole.length;
        if (next - begin > most && part->end == begin)
            describe_long(field, next, part);
        if (next - begin > most)
            break;
        part->end = next;
    }
    tn_wire_walk_done(&walk);
    return error->status;
}

/* Piece by piece, so that what is in files goes from file to file. */
static enum tn_status write_pieces(struct tn_message *message,
                                   struct tn_sink *to, struct tn_error *error)
{
    struct tn_span span = tn_message_span(message);
    struct tn_rope rope;

    tn_rope_init(&rope, &message->arena, error);
    if (!tn_rope_source_pieces(span.source, 0, span.length, &rope))
        tn_rope_span(&rope, span);
    if (message->write && !tn_failed(error))
        message->write(message, &rope, to, error);
    else
        tn_rope_write(&rope, to, error);
    tn_rope_done(&rope);
    return error->status;
}

enum tn_status tn_message_write(struct tn_message      *message,
                                const struct tn_target *target,
                                struct tn_error        *error)
{
    TN_ERROR_OR_OWN(error);
    struct tn_output_options options = tn_target_options(target);
    struct tn_output        *output  = NULL;
    struct tn_sink          *sink;

    options.meter      = message->meter;
    options.max_expand = message->max_expand;
    if (tn_output_file(&output, &message->memory, target->path, &options,
                       error) == TN_OK &&
        tn_output_main(output, &sink, error) == TN_OK &&
        write_pieces(message, sink, error) == TN_OK && !target->is_dry_run)
        tn_output_commit(output, error);
    tn_output_close(output);
    return error->status;
}
