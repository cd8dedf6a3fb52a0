/*
 * chunk.h - messages of any size, taken apart into chunks and joined again
 *
 * A protobuf message past 2 GiB cannot be serialized by protobuf's libraries.
 * A splitter takes it apart into chunks; they go to memory or, with a record
 * that says how they belong together, into one file PREFIX.cpb.  The merger
 * makes one message of them again.  Neither needs the message in memory:
 * payloads stay where they are until they are written.
 *
 *   struct tn_message  *message;
 *   struct tn_splitter *splitter;
 *   tn_message_open(&message, schema, "my.Config", "config.pb", NULL, &error);
 *   tn_splitter_open(&splitter, message, &error);
 *   tn_splitter_keep_base(splitter, &error);
 *   tn_splitter_take(splitter, (struct tn_step[]){ TN_NAME("layers"),
 *                    TN_AT(0) }, 2, TN_AT_END, &error);
 *   tn_splitter_write(splitter, &target, NULL, &written, &error);
 */
#ifndef TENON_CHUNK_H
#define TENON_CHUNK_H

#include <stdbool.h>

#include <tenon/bytes.h>
#include <tenon/options.h>
#include <tenon/status.h>
#include <tenon/verbs.h>

/* ---- types and messages ------------------------------------------------- */

/* Message types: a compiled descriptor set (protoc --include_imports
 * --descriptor_set_out), or one that the library carries: "onnx", "tensorflow",
 * "proto_splitter". */
struct tn_schema;

TN_API enum tn_status tn_schema_open(struct tn_schema **out,
                                     struct tn_bytes    descriptor_set,
                                     const struct tn_options *options,
                                     struct tn_error         *error);
TN_API enum tn_status tn_schema_builtin(struct tn_schema **out,
                                        const char        *name,
                                        const struct tn_options *options,
                                        struct tn_error         *error);
TN_API void           tn_schema_close(struct tn_schema *schema);

/* A serialized message: a file, bytes, or what was merged.  Its schema must
 * stay open as long as it is. */
struct tn_message;

TN_API enum tn_status tn_message_open(struct tn_message     **out,
                                      const struct tn_schema *schema,
                                      const char *type, const char *path,
                                      const struct tn_options *options,
                                      struct tn_error         *error);
/* The bytes are borrowed until the message is closed. */
TN_API enum tn_status tn_message_bytes(struct tn_message     **out,
                                       const struct tn_schema *schema,
                                       const char *type, struct tn_bytes bytes,
                                       const struct tn_options *options,
                                       struct tn_error         *error);
TN_API void           tn_message_close(struct tn_message *message);

TN_API uint64_t       tn_message_size(const struct tn_message *message);
TN_API enum tn_status tn_message_read(struct tn_message *message,
                                      uint64_t offset, void *to, size_t size,
                                      struct tn_error *error);
TN_API enum tn_status tn_message_write(struct tn_message      *message,
                                       const struct tn_target *target,
                                       struct tn_error        *error);

/* ---- paths -------------------------------------------------------------- */

/* One step of a path in a message: the name or number of a field, then the
 * index of a repeated field or the key of a map.  Text and numbers convert:
 * "15" is an index, 1 is the key true. */
struct tn_step {
    const char *text;   /* NULL: the number counts                            */
    int64_t     number; /* keys past INT64_MAX: their bits                    */
};

#define TN_NAME(name) { (name), 0 }
#define TN_AT(number) { NULL, (number) }

struct tn_path {
    const struct tn_step *steps;
    uint64_t              count;
};

/* ---- splitting ---------------------------------------------------------- */

/* What a chunk holds: a serialized message, or the bytes of one field. */
enum tn_chunk_type {
    TN_CHUNK_UNSET,
    TN_CHUNK_MESSAGE,
    TN_CHUNK_BYTES,
};

/* Chunks are numbered in the order in which they are added, unless one is put
 * before others: those and all after them move up. */
#define TN_AT_END UINT64_MAX

struct tn_splitter;

/* Yours to close.  The message stays as it is; it must outlive the splitter. */
TN_API enum tn_status tn_splitter_open(struct tn_splitter **out,
                                       struct tn_message   *message,
                                       struct tn_error     *error);

/* A splitter for a message inside: paths are seen from there, chunks go to the
 * parent.  Closed with its parent; it cannot itself split or write. */
TN_API enum tn_status tn_splitter_child(struct tn_splitter  **out,
                                        struct tn_splitter   *parent,
                                        const struct tn_step *steps,
                                        uint64_t count, struct tn_error *error);
TN_API void           tn_splitter_close(struct tn_splitter *splitter);

/* What is not taken out becomes chunk 0.  Without this it is left out: for
 * messages of which all was added as chunks. */
TN_API enum tn_status tn_splitter_keep_base(struct tn_splitter *splitter,
                                            struct tn_error    *error);

/* Adds a chunk for a place in the message; no steps: for the message itself,
 * into which it is merged.  Takes nothing out.  The bytes are borrowed until
 * the splitter is closed. */
TN_API enum tn_status tn_splitter_add_chunk(struct tn_splitter   *splitter,
                                            enum tn_chunk_type    type,
                                            struct tn_bytes       bytes,
                                            const struct tn_step *steps,
                                            uint64_t count, uint64_t index,
                                            struct tn_error *error);

/* Moves a message, string or bytes field into a chunk of its own.  A singular
 * field is then absent, an element of a repeated field empty. */
TN_API enum tn_status tn_splitter_take(struct tn_splitter   *splitter,
                                       const struct tn_step *steps,
                                       uint64_t count, uint64_t index,
                                       struct tn_error *error);

/* The same, but a singular field stays, too, as an empty one.  Merged again it
 * lies where it lay, so that the message has the same bytes as before. */
TN_API enum tn_status tn_splitter_hollow(struct tn_splitter   *splitter,
                                         const struct tn_step *steps,
                                         uint64_t count, uint64_t index,
                                         struct tn_error *error);

/* Moves elements [begin, end) of the repeated field or map that the steps end
 * at into a chunk that is merged into the message they are a field of. */
TN_API enum tn_status tn_splitter_slice(struct tn_splitter   *splitter,
                                        const struct tn_step *steps,
                                        uint64_t count, uint64_t begin,
                                        uint64_t end, uint64_t index,
                                        struct tn_error *error);

/* Removes a field, with all its elements, without making a chunk of it. */
TN_API enum tn_status tn_splitter_clear(struct tn_splitter   *splitter,
                                        const struct tn_step *steps,
                                        uint64_t count, struct tn_error *error);

/* How many elements a field has, 0 or 1 for a singular one; and how many bytes
 * a message has by now. */
TN_API enum tn_status tn_splitter_count(struct tn_splitter   *splitter,
                                        const struct tn_step *steps,
                                        uint64_t count, uint64_t *elements,
                                        struct tn_error *error);
TN_API enum tn_status tn_splitter_size(struct tn_splitter   *splitter,
                                       const struct tn_step *steps,
                                       uint64_t count, uint64_t *size,
                                       struct tn_error *error);

/* Takes out as much as is needed, in any message, so that no MESSAGE chunk is
 * longer than max_size: large fields first, as chunks of their own, then runs
 * of small ones.  Strings and bytes are BYTES chunks of any length.  LIMIT when
 * something cannot be divided any further.  Keeps the base. */
TN_API enum tn_status tn_splitter_by_size(struct tn_splitter *splitter,
                                          uint64_t            max_size,
                                          struct tn_error    *error);

/* How chunks will be laid out: struct tn_split_format in verbs.h.  Before the
 * split; the last call counts.  INVALID for a child, and for what version 1
 * does not have. */
TN_API enum tn_status tn_splitter_format(struct tn_splitter *splitter,
                                         const struct tn_split_format *format,
                                         struct tn_error *error);

/* ---- the result --------------------------------------------------------- */

/* Ends the splitting; asking again gives the same.  UNSUPPORTED for a child. */
TN_API enum tn_status tn_splitter_split(struct tn_splitter *splitter,
                                        struct tn_error    *error);

/* After the split. */
TN_API uint64_t tn_splitter_chunk_count(const struct tn_splitter *splitter);
TN_API enum tn_chunk_type
tn_splitter_chunk_type(const struct tn_splitter *splitter, uint64_t index);
TN_API uint64_t tn_splitter_chunk_size(const struct tn_splitter *splitter,
                                       uint64_t                  index);
TN_API enum tn_status tn_splitter_chunk_read(struct tn_splitter *splitter,
                                             uint64_t index, uint64_t offset,
                                             void *to, size_t size,
                                             struct tn_error *error);

/* The ChunkedMessage, serialized; borrowed. */
TN_API struct tn_bytes
tn_splitter_chunked_message(const struct tn_splitter *splitter);

/* Splits and writes target->path + ".cpb", or ".pb" when there is nothing but
 * the message itself; all files of it or none.  `records` are options of the
 * records file in the words of Riegeli, such as "brotli:6" or "uncompressed";
 * NULL: brotli:6.  A file with the other suffix would hide this one or be
 * stale: it is refused, or removed when the target may replace.  *written (may
 * be NULL) is the path, borrowed. */
TN_API enum tn_status tn_splitter_write(struct tn_splitter     *splitter,
                                        const struct tn_target *target,
                                        const char *records,
                                        const char **written,
                                        struct tn_error *error);

/* The same into memory, borrowed until the splitter is closed.  UNSUPPORTED
 * when the format makes several files of it. */
TN_API enum tn_status tn_splitter_write_memory(struct tn_splitter *splitter,
                                               const char         *records,
                                               struct tn_bytes    *bytes,
                                               bool               *is_chunked,
                                               struct tn_error    *error);

/* ---- merging ------------------------------------------------------------ */

/* Chunks in memory, borrowed until the message is closed, and a serialized
 * ChunkedMessage.  The result refers to the chunks. */
TN_API enum tn_status tn_merge(struct tn_message     **out,
                               const struct tn_schema *schema, const char *type,
                               const struct tn_bytes *chunks,
                               uint64_t               chunk_count,
                               struct tn_bytes        chunked_message,
                               const struct tn_options *options,
                               struct tn_error         *error);

/* A .cpb or .pb file, or the prefix of one: PREFIX.cpb if it is there, else
 * PREFIX.pb.  With paths only what lies on them and inside of where they lead
 * is merged, and other chunks are not read; a .pb has no parts to leave out. */
TN_API enum tn_status tn_merge_read(struct tn_message     **out,
                                    const struct tn_schema *schema,
                                    const char *type, const char *prefix,
                                    const struct tn_path *paths,
                                    uint64_t              path_count,
                                    const struct tn_options *options,
                                    struct tn_error         *error);

/* A .cpb in memory, borrowed until the message is closed. */
TN_API enum tn_status tn_merge_bytes(struct tn_message     **out,
                                     const struct tn_schema *schema,
                                     const char *type, struct tn_bytes bytes,
                                     const struct tn_options *options,
                                     struct tn_error         *error);

/* A chunked file of which fields are merged when they are asked for. */
struct tn_merger;

TN_API enum tn_status tn_merger_open(struct tn_merger      **out,
                                     const struct tn_schema *schema,
                                     const char *type, const char *prefix,
                                     const struct tn_options *options,
                                     struct tn_error         *error);
TN_API void           tn_merger_close(struct tn_merger *merger);

/* The message at a path (no steps: all of it), with everything in it; or the
 * bytes of a string or bytes field.  Yours to close, before the merger. */
TN_API enum tn_status tn_merger_get(struct tn_message   **out,
                                    struct tn_merger     *merger,
                                    const struct tn_step *steps, uint64_t count,
                                    struct tn_error *error);

#endif
