/*
 * chunk_meta.h - how a message in chunks is put together: ChunkMetadata
 *
 *   ChunkMetadata   1 version   2 chunks*   3 message   4 files*
 *   VersionDef      1 splitter_version   2 join_version   3 bad_consumers*
 *   ChunkInfo       1 type   2 size   3 offset
 *   ChunkedMessage  1 chunk_index   2 chunked_fields*
 *   ChunkedField    1 field_tag*   3 message
 *   FieldIndex      1 field | 2 map_key | 3 index
 *   MapKey          1 s | 2 boolean | 3 ui32 | 4 ui64 | 5 i32 | 6 i64
 *   ChunkFile       1 name   2 size
 *
 * That is version 1.  In version 2 (join_version 1) the bytes of one field may
 * be in several chunks, chunks may be in further files, and metadata may itself
 * be split.  Readers that ignore versions would silently misread all this, so
 * each of the three is also encoded as something that they cannot follow:
 *
 *   message { chunked_fields { field_tag { field: VERSION_2 } message {..} } }
 *            around the tree: no message has such a field
 *   message { chunked_fields { field_tag { field: METADATA } message {..} } }
 *            likewise: the tree in it makes the real ChunkMetadata
 *   offset   file << 48 | position: past the end of every real file.  File 0 is
 *            the one that has the metadata, file n the n-th of `files`
 */
#ifndef TN_CHUNK_META_H
#define TN_CHUNK_META_H

#include "base/rope.h"
#include "base/source.h"
#include "chunk/chunk_tags.h"

/* The versions that we write by default. */
#define TN_SPLITTER_VERSION 1
#define TN_JOIN_VERSION     0

/* Version 2, and the newest join version that we know. */
#define TN_SPLITTER_VERSION_2 2
#define TN_JOIN_VERSION_2     1
#define TN_JOIN_NEWEST        TN_JOIN_VERSION_2

/* The field numbers of envelopes. */
#define TN_ENVELOPE_VERSION_2 536870911u
#define TN_ENVELOPE_METADATA  536870910u

#define TN_CHUNK_FILE_SHIFT 48
#define TN_CHUNK_FILE_LIMIT ((uint64_t)1 << 15)

/* Trees of messages deeper than this are refused. */
#define TN_CHUNK_DEPTH_LIMIT 100

struct tn_chunked_field;

struct tn_chunked {
    bool                     has_chunk;
    bool                     is_placeholder; /* pruned: only keeps the index */
    uint64_t                 chunk; /* index of the chunk to begin with       */
    struct tn_chunked_field *fields;
    uint64_t                 field_count;
};

struct tn_chunked_field {
    struct tn_tags    tags;
    struct tn_chunked message;
    uint64_t          place; /* position before sorting                       */
};

struct tn_chunk_info {
    uint64_t type; /* enum tn_chunk_type, or what the file says               */
    uint64_t size;
    uint64_t offset; /* numeric position of the record, and the file          */
};

static inline uint64_t tn_chunk_file_of(const struct tn_chunk_info *info)
{
    return info->offset >> TN_CHUNK_FILE_SHIFT;
}

static inline uint64_t tn_chunk_position(const struct tn_chunk_info *info)
{
    return info->offset & (((uint64_t)1 << TN_CHUNK_FILE_SHIFT) - 1);
}

/* PREFIX.NAME.cpb */
struct tn_chunk_file {
    struct tn_bytes name;
    uint64_t        size;
};

struct tn_chunk_meta {
    int32_t               splitter_version;
    int32_t               join_version;
    const int32_t        *bad_consumers;
    uint64_t              bad_consumer_count;
    struct tn_chunk_info *chunks;
    uint64_t              chunk_count;
    struct tn_chunked     message;
    struct tn_chunk_file *files; /* file 1 is the first of them               */
    uint64_t              file_count;
    uint64_t              unknown_count; /* fields that we do not know        */
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

/* The tags as a ChunkedField that has nothing else; .data is NULL on failure.
 */
struct tn_bytes tn_tags_write(struct tn_tags tags, struct tn_arena *arena,
                              struct tn_error *error);

/* Whether a merger of version `reader` may join it.  UNSUPPORTED says why
 * not. */
enum tn_status tn_chunk_meta_versions(const struct tn_chunk_meta *meta,
                                      int32_t reader, struct tn_error *error);

/* One field around a message, and its tag.  The result refers to both. */
struct tn_envelope {
    struct tn_field_tag     tag;
    struct tn_chunked_field field;
};
struct tn_chunked tn_chunked_wrap(struct tn_envelope *envelope, uint32_t number,
                                  const struct tn_chunked *message);

/* The message in an envelope of that number; false if it is in none. */
bool tn_chunked_unwrap_in(struct tn_chunked *message, uint32_t number);

/* All fields in the order of merging, at every depth. */
void tn_chunked_sort(struct tn_chunked *message);

/* Which fields are kept for a path. */
enum tn_chunk_keep {
    TN_KEEP_ABOVE,  /* those that a path leads through or to                  */
    TN_KEEP_AROUND, /* also everything below its end, and the elements before
                       one on the path, as placeholders, so that it keeps its
                       index                                                  */
};

/* A copy with only what the wanted paths need; the rows of tags are shared.
 * Without paths, only the chunk of the message itself remains. */
enum tn_status tn_chunked_prune(struct tn_chunked       *pruned,
                                const struct tn_chunked *message,
                                const struct tn_tags *paths, uint64_t count,
                                enum tn_chunk_keep keep, struct tn_arena *arena,
                                struct tn_error *error);

/* ---- the order in which fields are listed -------------------------------- */

/* Readers of a file sort its fields; mergers of chunks in memory take them as
 * they are listed.  Both make the same message if a message is listed before
 * what is inside it, and the parts of one field in the order of their chunks.
 */

/* Whether fields that were just sorted (tn_chunked_sort() notes their old
 * positions) were listed in an order that makes the same message.  Looks at the
 * top level only; false if in doubt. */
bool tn_chunked_was_in_order(const struct tn_chunked *sorted,
                             struct tn_arena *arena, struct tn_error *error);

/* Whether the field before this one is for the same string or bytes. */
bool tn_chunked_is_double(const struct tn_chunked    *sorted,
                          const struct tn_pb_message *type, uint64_t index);

/* A string or bytes field with several chunks, in a sorted message of that
 * type; NULL if there is none. */
const struct tn_chunked_field *tn_chunked_find_double(
    const struct tn_chunked *sorted, const struct tn_pb_message *type);

#endif
