/*
 * splitter.h - what stands behind a splitter handle
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

/* There may be millions, and mostly they are one span of the message. */
struct tn_chunk {
    enum tn_chunk_type type;
    bool               is_rope;
    uint64_t           field; /* which of the fields it is for; NO_FIELD:
                                 the base                                     */
    union {
        struct tn_span  span;
        struct tn_rope *rope;
    } content;
    struct tn_source *source; /* to read it; made when asked for             */
};

static inline uint64_t tn_chunk_length(const struct tn_chunk *chunk)
{
    return chunk->is_rope ? chunk->content.rope->length
                          : chunk->content.span.length;
}

/* Its content in a new rope, to which the caller is done; the chunk's own stays
 * as it is. */
void tn_chunk_open_rope(const struct tn_chunk *chunk, struct tn_arena *arena,
                        struct tn_rope *to, struct tn_error *error);

/* Takes the rope's pieces over: it is empty afterwards. */
void tn_chunk_fill(struct tn_chunk *chunk, struct tn_rope *content);

#define TN_NO_FIELD UINT64_MAX

struct tn_splitter {
    struct tn_splitter         *root;
    struct tn_tags              path; /* from the root                        */
    const struct tn_pb_message *type;

    /* Of the root alone. */
    struct tn_message *message;
    struct tn_arena    arena;
    struct tn_error    failure; /* sticky, unless it is the caller's mistake  */
    struct tn_mosaics  mosaics;
    struct tn_mosaic  *base;
    struct tn_rope     first_run; /* what of the base was cut off its begin   */
    struct tn_list     chunks; /* struct tn_chunk *, as they are numbered     */
    struct tn_list     fields; /* struct tn_chunked_field, as they were added */
    bool               keeps_base, is_split;
    struct tn_split_format  format;
    enum tn_scalar_form     scalars;
    bool                    has_version, is_adopted;
    struct tn_split_version version; /* that the caller gave it               */
    struct tn_list          spooled; /* struct tn_source *: bytes that had to be
                                        made before they could be cut          */
    struct tn_chunked result;
    struct tn_buffer  chunked;        /* the result, serialized               */
    struct tn_buffer  file;           /* what was written to memory           */
    const char       *written;        /* where to                             */
    const struct tn_fault_hook *hook; /* of tests: where writing stops */
};

/* A chunk for the field at these tags (from the root).  Takes the rope's
 * pieces over. */
void tn_splitter_add(struct tn_splitter *root, enum tn_chunk_type type,
                     struct tn_rope *content, struct tn_tags tags,
                     uint64_t index);

/* Numbers chunks in the order of merging, so that a reader goes straight
 * through the file. */
void tn_splitter_order(struct tn_splitter *root);

/* An empty chunk at that place; NULL on failure. */
struct tn_chunk *tn_splitter_insert(struct tn_splitter *root, uint64_t index);

/* A chunk fits into the place at these tags (from the root): a message where
 * there is one, bytes where there is none, and numbers in their form. */
bool tn_splitter_check(struct tn_splitter *root, enum tn_chunk_type type,
                       struct tn_bytes bytes, struct tn_tags tags,
                       const struct tn_pb_message *from);

/* Several chunks for one string or bytes field, in a version that has none. */
void tn_splitter_refuse_double(struct tn_splitter            *root,
                               const struct tn_chunked_field *field);

/* Fills the buffer that tn_splitter_chunked_message() shows. */
void tn_splitter_serialize(struct tn_splitter *root, struct tn_chunked message);

/* Chunks as the format has them: bytes in pieces.  bytes_cut.c */
void tn_splitter_cut(struct tn_splitter *root);

/* After the split: what tn_splitter_write() puts into its files, as files
 * PREFIX.cpb and so on of an output that is a folder. */
struct tn_output;
enum tn_status tn_splitter_write_folder(struct tn_splitter *root,
                                        const char         *records,
                                        struct tn_output   *to,
                                        const char         *prefix,
                                        struct tn_error    *error);

/* Hands the failure to the caller.  After a mistake of his the splitter is as
 * before. */
enum tn_status tn_splitter_end(struct tn_splitter *root,
                               struct tn_error    *error);

#endif
