/*
 * chunk_meta.h - how a message in chunks is put together: ChunkMetadata
 *
 *   ChunkMetadata   1 version   2 chunks*   3 message
 *   VersionDef      1 splitter_version   2 join_version   3 bad_consumers*
 *   ChunkInfo       1 type   2 size   3 offset
 *   ChunkedMessage  1 chunk_index   2 chunked_fields*
 *   ChunkedField    1 field_tag*   3 message
 *   FieldIndex      1 field | 2 map_key | 3 index
 *   MapKey          1 s | 2 boolean | 3 ui32 | 4 ui64 | 5 i32 | 6 i64
 */
#ifndef TN_CHUNK_META_H
#define TN_CHUNK_META_H

#include "base/rope.h"
#include "base/source.h"
#include "chunk/chunk_tags.h"

/* What we write, and the newest way to join that we know. */
#define TN_SPLITTER_VERSION 1
#define TN_JOIN_VERSION     0

/* Trees of messages deeper than this are refused. */
#define TN_CHUNK_DEPTH_LIMIT 100

struct tn_chunked_field;

struct tn_chunked {
    bool                     has_chunk;
    bool                     is_placeholder; /* pruned: only that it is there */
    uint64_t                 chunk; /* index of the chunk to begin with       */
    struct tn_chunked_field *fields;
    uint64_t                 field_count;
};

struct tn_chunked_field {
    struct tn_tags    tags;
    struct tn_chunked message;
    uint64_t          place; /* before sorting                                */
};

struct tn_chunk_info {
    uint64_t type; /* enum tn_chunk_type, or what the file says               */
    uint64_t size;
    uint64_t offset; /* numeric position of the record                        */
};

struct tn_chunk_meta {
    int32_t               splitter_version;
    int32_t               join_version;
    const int32_t        *bad_consumers;
    uint64_t              bad_consumer_count;
    struct tn_chunk_info *chunks;
    uint64_t              chunk_count;
    struct tn_chunked     message;
    uint64_t              unknown_count; /* fields that nobody told us about  */
};

/* Everything lives in the arena; keys point into the source or its pins. */
enum tn_status tn_chunk_meta_read(struct tn_chunk_meta *meta,
                                  struct tn_span record, struct tn_arena *arena,
                                  struct tn_error *error);
/* A ChunkedMessage alone. */
enum tn_status tn_chunked_read(struct tn_chunked *message, struct tn_span bytes,
                               struct tn_arena *arena, struct tn_error *error);

void tn_chunk_meta_write(const struct tn_chunk_meta *meta, struct tn_rope *to);
void tn_chunked_write(const struct tn_chunked *message, struct tn_rope *to);

/* This build may join it.  UNSUPPORTED explains why not. */
enum tn_status tn_chunk_meta_versions(const struct tn_chunk_meta *meta,
                                      struct tn_error            *error);

/* All fields in the order of merging, at every depth. */
void tn_chunked_sort(struct tn_chunked *message);

/* Which fields are kept for a path. */
enum tn_chunk_keep {
    TN_KEEP_ABOVE,  /* those that a path leads through or to                  */
    TN_KEEP_AROUND, /* also what lies inside of where it leads; and elements
                       before one on the path as placeholders, so that it has
                       its index                                              */
};

/* A copy with only what the wanted paths need; the rows of tags are shared.
 * Without paths only the chunk of the message itself remains. */
enum tn_status tn_chunked_prune(struct tn_chunked       *pruned,
                                const struct tn_chunked *message,
                                const struct tn_tags *paths, uint64_t count,
                                enum tn_chunk_keep keep, struct tn_arena *arena,
                                struct tn_error *error);

#endif
