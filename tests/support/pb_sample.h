/*
 * pb_sample.h - messages of the sample schema, to and from text and JSON
 *
 * For the tests and fuzzers of src/wire/pb: one call, one conversion.
 */
#ifndef TN_TESTS_PB_SAMPLE_H
#define TN_TESTS_PB_SAMPLE_H

#include "base/buffer.h"
#include "base/rope.h"
#include "support/sample_schema.h"
#include "wire/pb/pb_json_read.h"
#include "wire/pb/pb_json_write.h"
#include "wire/pb/pb_losses.h"
#include "wire/pb/pb_text_read.h"
#include "wire/pb/pb_text_write.h"

struct pb_sample {
    struct tn_memory            memory; /* of the schema only */
    struct tn_arena             arena;
    struct tn_pb_schema         schema;
    const struct tn_pb_message *two, *three;
};

static inline enum tn_status pb_sample_open(struct pb_sample *sample)
{
    struct tn_error error = TN_ERROR_INIT;

    tn_memory_init(&sample->memory, NULL, 0);
    tn_arena_init(&sample->arena, &sample->memory);
    tn_pb_schema_load(&sample->schema, &sample->arena,
                      tn_bytes(sample_schema, sizeof sample_schema), &error);
    sample->two   = tn_pb_schema_find(&sample->schema, "sample.two.All");
    sample->three = tn_pb_schema_find(&sample->schema, "sample.three.All");
    return error.status;
}

static inline void pb_sample_close(struct pb_sample *sample)
{
    tn_arena_done(&sample->arena);
}

/* Opened once and kept: for fuzzers. */
static inline const struct pb_sample *pb_sample_kept(void)
{
    static struct pb_sample sample;

    if (!sample.two && pb_sample_open(&sample) != TN_OK)
        return NULL;
    return &sample;
}

/* Bytes to text or JSON. */
static inline enum tn_status pb_sample_print(const struct pb_sample     *sample,
                                             const struct tn_pb_message *type,
                                             enum tn_pb_spelling spelling,
                                             struct tn_bytes     bytes,
                                             struct tn_buffer   *out,
                                             struct tn_error    *error)
{
    struct tn_pb_json_options options = { .schema = &sample->schema };
    struct tn_source          source;

    tn_source_memory(&source, out->memory, bytes);
    struct tn_span span = { &source, 0, bytes.size };
    if (spelling == TN_PB_AS_TEXT)
        tn_pb_text_write(type, span, &out->sink, out->memory, error);
    else
        tn_pb_json_write(type, span, &options, &out->sink, out->memory, error);
    tn_source_close(&source);
    return error->status;
}

/* Text or JSON to bytes. */
static inline enum tn_status pb_sample_parse(const struct pb_sample     *sample,
                                             const struct tn_pb_message *type,
                                             enum tn_pb_spelling spelling,
                                             struct tn_bytes     text,
                                             struct tn_buffer   *out,
                                             struct tn_error    *error)
{
    struct tn_source source;
    struct tn_arena  arena;
    struct tn_rope   rope;

    tn_source_memory(&source, out->memory, text);
    struct tn_span span = { &source, 0, text.size };
    tn_arena_init(&arena, out->memory);
    tn_rope_init(&rope, &arena, error);
    if (spelling == TN_PB_AS_TEXT)
        tn_pb_text_read(&sample->schema, type, span, &rope, error);
    else
        tn_pb_json_read(&sample->schema, type, span, &rope, error);
    if (!tn_failed(error))
        tn_rope_write(&rope, &out->sink, error);
    tn_rope_done(&rope);
    tn_arena_done(&arena);
    tn_source_close(&source);
    return error->status;
}

/* Losses as lines: "offset path: what". */
static inline void pb_sample_note(void *context, const struct tn_pb_loss *loss)
{
    struct tn_buffer *out = context;

    tn_buffer_format(out, "%d %s: %s\n", (int)loss->offset, loss->where,
                     loss->what);
}

static inline enum tn_status pb_sample_losses(const struct pb_sample *sample,
                                              const struct tn_pb_message *type,
                                              enum tn_pb_spelling spelling,
                                              struct tn_bytes     bytes,
                                              struct tn_buffer   *out,
                                              struct tn_error    *error)
{
    struct tn_pb_losses losses = { &sample->schema, spelling, pb_sample_note,
                                   out };
    struct tn_source    source;

    tn_source_memory(&source, out->memory, bytes);
    tn_pb_losses_find(&losses, type, (struct tn_span){ &source, 0, bytes.size },
                      out->memory, error);
    tn_source_close(&source);
    return error->status;
}

#endif
