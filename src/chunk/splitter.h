/*
 * splitter.h - the struct behind a splitter handle
 *
 * One tree: the root has the message as a mosaic, the chunks, and the list of
 * where they belong; a child is a path.
 */
#ifndef TN_CHUNK_SPLITTER_H
#define TN_CHUNK_SPLITTER_H

#include "base/buffer.h"
#include "chunk/chunk_meta.h"
#include "chunk/message.h"
#include "chunk/mosaic.h"

/* There may be millions, and most of them are one span of the message. */
struct tn_chunk {
    enum tn_chunk_type type;
    bool               is_rope;
    uint64_t           field; /* which of the fields it is for; NO_FIELD:
                                 the base                                     */
    union {
        struct tn_span  span;
        struct tn_rope *rope;
    } content;
    struct tn_source *source; /* to read it; created on request              */
};

static inline uint64_t tn_chunk_length(const struct tn_chunk *chunk)
{
    return chunk->is_rope ? chunk->content.rope->length
                          : chunk->content.span.length;
}

/* Its content in a new rope, which the caller frees; the chunk keeps its
 * own. */
void tn_chunk_open_rope(const struct tn_chunk *chunk, struct tn_arena *arena,
                        struct tn_rope *to, struct tn_error *error);

/* Takes over the rope's pieces: it is empty afterwards. */
void tn_chunk_fill(struct tn_chunk *chunk, struct tn_rope *content);

#define TN_NO_FIELD UINT64_MAX

struct tn_splitter {
    struct tn_splitter         *root;
    struct tn_tags              path; /* from the root                        */
    const struct tn_pb_message *type;

    /* The root only. */
    struct tn_message *message;
    struct tn_arena    arena;
    struct tn_error    failure; /* sticky, unless the caller made a mistake   */
    struct tn_mosaics  mosaics;
    struct tn_mosaic  *base;
    struct tn_rope first_piece; /* what was cut off the base's beginning    */
    struct tn_list     chunks; /* struct tn_chunk *, as they are numbered     */
    struct tn_list     fields; /* struct tn_chunked_field, as they were added */
    bool               keeps_base, is_split;
    struct tn_split_format  format;
    enum tn_scalar_form     scalars;
    bool                    has_version, is_adopted;
    struct tn_split_version version; /* that the caller gave it               */
    struct tn_list          spooled; /* struct tn_source *: bytes that had to be
                                        computed before they could be cut     */
    struct tn_chunked result;
    struct tn_buffer  chunked;        /* the result, serialized               */
    struct tn_buffer  file;           /* what was written to memory           */
    const char       *written;        /* the path                             */
    const struct tn_fault_hook *hook; /* for tests: where writing fails */
};

/* Adds a chunk for the field at these tags (from the root).  Takes over the
 * rope's pieces. */
void tn_splitter_add(struct tn_splitter *root, enum tn_chunk_type type,
                     struct tn_rope *content, struct tn_tags tags,
                     uint64_t index);

/* Numbers chunks in the order of merging, so that readers read the file
 * sequentially. */
void tn_splitter_order(struct tn_splitter *root);

/* An empty chunk with that number; NULL on failure. */
struct tn_chunk *tn_splitter_insert(struct tn_splitter *root, uint64_t index);

/* Whether a chunk fits the place at these tags (from the root): a message where
 * the field is one, bytes where it is not, and numbers in their form. */
bool tn_splitter_check(struct tn_splitter *root, enum tn_chunk_type type,
                       struct tn_bytes bytes, struct tn_tags tags,
                       const struct tn_pb_message *from);

/* Fails because of several chunks for one string or bytes field, which this
 * version does not allow. */
void tn_splitter_refuse_double(struct tn_splitter            *root,
                               const struct tn_chunked_field *field);

/* Fills the buffer that tn_splitter_chunked_message() returns. */
void tn_splitter_serialize(struct tn_splitter *root, struct tn_chunked message);

/* Cuts bytes into pieces, as the format requires. bytes_cut.c */
void tn_splitter_cut(struct tn_splitter *root);

/* After the split: writes what tn_splitter_write() puts into its files, as
 * PREFIX.cpb and so on in an output that is a folder. */
struct tn_output;
enum tn_status tn_splitter_write_folder(struct tn_splitter *root,
                                        const char         *records,
                                        struct tn_output   *to,
                                        const char         *prefix,
                                        struct tn_error    *error);

/* Passes the failure to the caller.  After a mistake of the caller the splitter
 * is unchanged. */
enum tn_status tn_splitter_end(struct tn_splitter *root,
                               struct tn_error    *error);

static inline struct tn_chunk *tn_chunk_at(const struct tn_splitter *root,
                                           uint64_t                  index)
{
    return *tn_list_at(&root->chunks, struct tn_chunk *, index);
}

#endif
