/*
 * fb_sample.h - FlatBuffers of the sample schema, to and from JSON
 *
 * For the tests and fuzzers of src/wire/fb: one call, one conversion.
 */
#ifndef TN_TESTS_FB_SAMPLE_H
#define TN_TESTS_FB_SAMPLE_H

#include "base/buffer.h"
#include "base/rope.h"
#include "support/sample_flat.h"
#include "wire/fb/fb_json_read.h"
#include "wire/fb/fb_json_write.h"
#include "wire/fb/fb_verify.h"

struct fb_sample {
    struct tn_memory           memory; /* of the schema only */
    struct tn_arena            arena;
    struct tn_fb_schema        schema;
    const struct tn_fb_object *all, *mixed;
};

static inline enum tn_status fb_sample_open(struct fb_sample *sample)
{
    struct tn_error error = TN_ERROR_INIT;

    tn_memory_init(&sample->memory, NULL, 0);
    tn_arena_init(&sample->arena, &sample->memory);
    tn_fb_schema_load(&sample->schema, &sample->arena,
                      tn_bytes(sample_flat, sizeof sample_flat), &error);
    sample->all   = tn_fb_schema_find(&sample->schema, "sample.flat.All");
    sample->mixed = tn_fb_schema_find(&sample->schema, "sample.flat.Mixed");
    return error.status;
}

static inline void fb_sample_close(struct fb_sample *sample)
{
    tn_arena_done(&sample->arena);
}

/* Opened once and kept: for fuzzers. */
static inline const struct fb_sample *fb_sample_kept(void)
{
    static struct fb_sample sample;

    if (!sample.all && fb_sample_open(&sample) != TN_OK)
        return NULL;
    return &sample;
}

/* Bytes, once they are verified, to JSON. */
static inline enum tn_status
fb_sample_print_as(const struct tn_fb_object       *type,
                   const struct tn_fb_json_options *options,
                   struct tn_bytes bytes, struct tn_buffer *out,
                   struct tn_error *error)
{
    struct tn_source source;
    struct tn_arena  arena;
    struct tn_fb     fb;

    if (tn_failed(error))
        return error->status;
    tn_source_memory(&source, out->memory, bytes);
    tn_arena_init(&arena, out->memory);
    struct tn_span span = { &source, 0, bytes.size };
    if (tn_fb_open(&fb, span, &arena, error) == TN_OK &&
        tn_fb_verify(&fb, type, NULL, NULL, out->memory) == TN_OK)
        tn_fb_json_write(&fb, type, options, &out->sink, out->memory);
    tn_arena_done(&arena);
    tn_source_close(&source);
    return error->status;
}

static inline enum tn_status fb_sample_print(const struct tn_fb_object *type,
                                             struct tn_bytes            bytes,
                                             struct tn_buffer          *out,
                                             struct tn_error           *error)
{
    static const struct tn_fb_json_options usual;

    return fb_sample_print_as(type, &usual, bytes, out, error);
}

/* JSON to bytes. */
static inline enum tn_status fb_sample_parse(const struct fb_sample    *sample,
                                             const struct tn_fb_object *type,
                                             struct tn_bytes            text,
                                             struct tn_buffer          *out,
                                             struct tn_error           *error)
{
    struct tn_source source;
    struct tn_arena  arena;
    struct tn_rope   rope;

    tn_source_memory(&source, out->memory, text);
    tn_arena_init(&arena, out->memory);
    tn_rope_init(&rope, &arena, error);
    tn_fb_json_read(&sample->schema, type,
                    (struct tn_span){ &source, 0, text.size }, &rope, error);
    if (!tn_failed(error))
        tn_rope_write(&rope, &out->sink, error);
    tn_rope_done(&rope);
    tn_arena_done(&arena);
    tn_source_close(&source);
    return error->status;
}

#endif
