/*
 * tf_fingerprint_chunks.c - the formulas for a saved_model.cpb
 *
 * They work on chunks as they are stored, so that the fingerprint depends on
 * how the model was split.
 */
#include <stdlib.h>

#include "codec/farmhash.h"
#include "format/tensorflow/tf_fingerprint.h"
#include "io/rope_source.h"
#include "wire/pb/pb_builtin.h"
#include "wire/pb/pb_merge.h"

/* Where the three parts that count lie in a SavedModel. */
#define PATH(field)                                                            \
    {                                                                          \
        { .kind = TN_TAG_FIELD, .at.number = 2 },                              \
            { .kind = TN_TAG_INDEX, .at.number = 0 },                          \
            { .kind = TN_TAG_FIELD, .at.number = (field) },                    \
    }
static const struct tn_field_tag graph_tags[]     = PATH(2);
static const struct tn_field_tag signature_tags[] = PATH(5);
static const struct tn_field_tag object_tags[]    = PATH(7);

enum { GRAPH, SIGNATURES, OBJECTS, PATH_COUNT };
static const struct tn_tags paths[PATH_COUNT] = {
    { graph_tags, 3 },
    { signature_tags, 3 },
    { object_tags, 3 },
};

/* ---- what lies at a path ------------------------------------------------- */

struct hashing {
    struct tn_tags         path;
    struct tn_chunk_store *store;
    struct tn_arena       *arena;
    struct tn_error       *error;
};

static enum tn_status hash_message(const struct hashing    *h,
                                   const struct tn_chunked *message,
                                   uint64_t                *hash);

static enum tn_status join_chunk(const struct hashing *h, uint64_t chunk,
                                 uint64_t *hash)
{
    struct tn_farmhash own;
    struct tn_span     span;

    if (chunk >= h->store->count)
        return tn_error_set(h->error, TN_MALFORMED, TN_NOWHERE,
                            "chunk %" PRIu64 " of %" PRIu64, chunk,
                            h->store->count);
    tn_farmhash_init(&own);
    TN_TRY(h->store->read(h->store, chunk, &span, h->error));
    if (span.length)
        TN_TRY(tn_sink_splice(&own.sink, span, h->error));
    *hash = tn_tf_hash_join(*hash, tn_farmhash_finish(&own));
    return TN_OK;
}

static enum tn_status join_message(const struct hashing    *h,
                                   const struct tn_chunked *message,
                                   uint64_t                *hash)
{
    uint64_t inner;

    TN_TRY(hash_message(h, message, &inner));
    *hash = tn_tf_hash_join(*hash, inner);
    return TN_OK;
}

static enum tn_status join_field(const struct hashing          *h,
                                 const struct tn_chunked_field *field,
                                 uint64_t                      *hash)
{
    const struct tn_chunked *message  = &field->message;
    uint64_t                 common   = tn_tags_common(field->tags, h->path);
    bool                     is_below = common == h->path.count;
    bool                     is_above = common == field->tags.count;

    if (is_below && message->has_chunk)
        return join_chunk(h, message->chunk, hash);
    if (is_below || (is_above && message->has_chunk))
        return join_message(h, message, hash);
    for (uint64_t i = 0; is_above && i < message->field_count; i++)
        TN_TRY(join_message(h, &message->fields[i].message, hash));
    return TN_OK;
}

/* In the order in which fields are stored: sorted, each knows its place there.
 * The reader of metadata bounds the depth. */
static enum tn_status hash_message(const struct hashing    *h,
                                   const struct tn_chunked *message,
                                   uint64_t                *hash)
{
    uint64_t  count = message->field_count;
    uint64_t *order = tn_new(h->arena, uint64_t, count, h->error);

    *hash = 0;
    for (uint64_t i = 0; order && i < count; i++)
        order[message->fields[i].place] = i;
    for (uint64_t i = 0; order && i < count; i++)
        TN_TRY(join_field(h, &message->fields[order[i]], hash));
    return h->error->status;
}

enum tn_status tn_tf_hash_chunks(const struct tn_chunked *chunked,
                                 struct tn_tags           path,
                                 struct tn_chunk_store   *store,
                                 struct tn_arena *arena, uint64_t *hash,
                                 struct tn_error *error)
{
    struct hashing h = { path, store, arena, error };

    return hash_message(&h, chunked, hash);
}

/* ---- the message above the chunks ---------------------------------------- */

/* A part that leads to two of the places: TensorFlow merges it once for each,
 * which makes no model that anybody wants the hash of. */
static enum tn_status refuse_shared(const struct tn_chunked *chunked,
                                    struct tn_error         *error)
{
    for (uint64_t i = 0; i < chunked->field_count; i++)
        if (chunked->fields[i].tags.count < 3 &&
            tn_tags_common(chunked->fields[i].tags, paths[GRAPH]) ==
                chunked->fields[i].tags.count)
            return tn_error_set(error, TN_UNSUPPORTED, TN_NOWHERE,
                                "a whole meta graph is a chunk: TensorFlow "
                                "takes no fingerprint of such a file");
    return TN_OK;
}

static enum tn_status merge_above(struct tn_mosaic        *to,
                                  const struct tn_chunked *chunked,
                                  struct tn_chunk_store   *store,
                                  struct tn_arena         *arena,
                                  struct tn_error         *error)
{
    struct tn_chunked pruned;

    TN_TRY(refuse_shared(chunked, error));
    TN_TRY(tn_chunked_prune(&pruned, chunked, paths, PATH_COUNT, TN_KEEP_ABOVE,
                            arena, error));
    return tn_chunk_merge(to, &pruned, store);
}

/* The SavedModel as far as it can be had without the chunks below the three
 * places; yours to close. */
static enum tn_status open_above(struct tn_source          **source,
                                 const struct tn_pb_message *type,
                                 const struct tn_chunked    *chunked,
                                 struct tn_chunk_store      *store,
                                 struct tn_arena *arena, struct tn_error *error)
{
    struct tn_mosaics all;
    struct tn_rope    rope;

    *source = NULL;
    tn_mosaics_init(&all, arena, error);
    tn_rope_init(&rope, arena, error);
    struct tn_mosaic *m = tn_mosaic_new(&all, type);
    if (m && merge_above(m, chunked, store, arena, error) == TN_OK) {
        tn_mosaic_write(m, &rope);
        if (!tn_failed(error))
            tn_source_rope(source, arena->memory, &rope, "", error);
    }
    tn_rope_done(&rope);
    tn_mosaics_done(&all);
    return error->status;
}

/* ---- the fingerprint ----------------------------------------------------- */

static void join_pair(uint64_t *hash, uint64_t key, uint64_t value)
{
    *hash = tn_tf_hash_join(*hash, tn_tf_hash_join(key, value));
}

static void hash_above(struct tn_tf_fingerprint *print,
                       const struct tn_pb_view  *model)
{
    struct tn_pb_view meta;

    if (!tn_tf_first_meta(model, &meta))
        return;
    struct tn_pb_view graph =
        tn_pb_view_message(&meta, tn_pb_message_field(meta.type, 2));
    struct tn_pb_view objects =
        tn_pb_view_message(&meta, tn_pb_message_field(meta.type, 7));
    print->hashes[TN_TF_PROGRAM] = tn_tf_hash_view(&graph);
    print->hashes[TN_TF_OBJECTS] = tn_tf_hash_view(&objects);
    tn_tf_hash_signatures(&meta, join_pair, &print->hashes[TN_TF_SIGNATURES]);
}

static enum tn_status join_below(struct tn_tf_fingerprint *print,
                                 const struct tn_chunked  *chunked,
                                 struct tn_chunk_store    *store,
                                 struct tn_arena *arena, struct tn_error *error)
{
    static const enum tn_tf_hash of[PATH_COUNT] = { TN_TF_PROGRAM,
                                                    TN_TF_SIGNATURES,
                                                    TN_TF_OBJECTS };
    uint64_t                     below;

    for (int i = 0; i < PATH_COUNT; i++) {
        TN_TRY(
            tn_tf_hash_chunks(chunked, paths[i], store, arena, &below, error));
        print->hashes[of[i]] = tn_tf_hash_join(print->hashes[of[i]], below);
    }
    TN_TRY(tn_tf_hash_chunks(chunked, (struct tn_tags){ NULL, 0 }, store, arena,
                             &below, error));
    /* together with an empty SavedModel */
    print->hashes[TN_TF_CHECKSUM] =
        tn_tf_hash_join(below, tn_farmhash64((struct tn_bytes){ NULL, 0 }));
    return TN_OK;
}

enum tn_status tn_tf_fingerprint_chunks(struct tn_tf_fingerprint *print,
                                        const struct tn_chunked  *chunked,
                                        struct tn_chunk_store    *store,
                                        struct tn_memory         *memory,
                                        struct tn_error          *error)
{
    struct tn_source   *above = NULL;
    struct tn_pb_schema schema;
    struct tn_arena     arena;

    print->producer = TN_TF_PRODUCER_CHUNKED;
    tn_arena_init(&arena, memory);
    if (tn_pb_schema_load(&schema, &arena, tn_pb_builtin_set(TN_PB_TENSORFLOW),
                          error) == TN_OK) {
        const struct tn_pb_message *type =
            tn_pb_schema_find(&schema, "tensorflow.SavedModel");
        if (open_above(&above, type, chunked, store, &arena, error) == TN_OK) {
            struct tn_span    span = { above, 0, above->size };
            struct tn_pb_view model =
                tn_pb_view(type, tn_cursor_span(span, error), &arena);
            hash_above(print, &model);
        }
        if (!tn_failed(error))
            join_below(print, chunked, store, &arena, error);
    }
    tn_source_close(above);
    tn_arena_done(&arena);
    return error->status;
}
