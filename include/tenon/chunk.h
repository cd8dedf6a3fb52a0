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

TN_API enum tn_status tn_schema_open(struct tn_schema       **out,
                                     struct tn_bytes          descriptor_set,
                                     const struct tn_options *options,
                                     struct tn_error         *error);
TN_API enum tn_status tn_schema_builtin(struct tn_schema       **out,
                                        const char              *name,
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
/* What lies next on the top level of a message, or of one in it: for callers
 * that fill objects of their own, and have no room for all of its bytes. */
struct tn_message_part {
    uint64_t end;   /* of what lies there                                     */
    uint32_t field; /* 0: whole fields, together no longer than asked for; else
                       the number of one field that alone is longer           */
    uint32_t wire;  /* its wire type                                          */
    uint64_t body;  /* where its content begins                               */
};

/* Looks at bytes [begin, end), which are whole fields.  At the end of it
 * part->end is `end`, too. */
TN_API enum tn_status tn_message_part(struct tn_message *message,
                                      uint64_t begin, uint64_t end,
                                      uint64_t                most,
                                      struct tn_message_part *part,
                                      struct tn_error        *error);
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

#define TN_NAME(name)                                                          \
    {                                                                          \
        (name), 0                                                              \
    }
#define TN_AT(number)                                                          \
    {                                                                          \
        NULL, (number)                                                         \
    }

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

/* How a number, an enum or a bool is written as a chunk of its own.  Nothing in
 * a file says which of the two it is. */
enum tn_scalar_form {
    TN_SCALARS_TEXT,   /* decimal digits, the name of an enum's value, "true" or
                          "false": what TensorFlow's merger reads             */
    TN_SCALARS_BINARY, /* little-endian bytes, as numpy's tobytes() makes them
                          of the type: 4 or 8, of a bool 1, of an enum 4      */
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
 * the splitter is closed.  INVALID for a number that no merger could read: see
 * tn_splitter_scalars(). */
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
TN_API enum tn_status tn_splitter_format(struct tn_splitter           *splitter,
                                         const struct tn_split_format *format,
                                         struct tn_error              *error);

/* The form of chunks that are numbers; TN_SCALARS_TEXT unless said.  Before the
 * first of them is added. */
TN_API enum tn_status tn_splitter_scalars(struct tn_splitter *splitter,
                                          enum tn_scalar_form form,
                                          struct tn_error    *error);

/* Who may join the chunks.  A merger refuses files whose min_consumer is
 * greater than the join version that it has, and those that have it among the
 * bad ones.  This one has join version 1; one that knows only version 1 of the
 * format has 0. */
struct tn_split_version {
    int32_t        producer;     /* of the splitter: for information          */
    int32_t        min_consumer; /* the oldest join version that will do      */
    const int32_t *bad_consumers;
    uint64_t       bad_consumer_count;
};

/* What the file will say; without this 1 and 0, for version 2 of the format 2
 * and 1.  Before the split.  INVALID for a child, for a negative number, and
 * when version 2 would have a min_consumer below 1. */
TN_API enum tn_status tn_splitter_version(
    struct tn_splitter *splitter, const struct tn_split_version *version,
    struct tn_error *error);

/* ---- splitters that know their message ---------------------------------- */

/* What they go by. */
struct tn_split_rule {
    enum tn_split_rules rules;    /* of TensorFlow's messages                 */
    uint64_t            max_size; /* of a chunk that is a message; 0: as the
                                     rules have it                            */
};

/* Splitters of a tensorflow.GraphDef, a tensorflow.SavedModel and an
 * onnx.ModelProto (docs/splitting.md says what they take out), as
 * tn_splitter_open() makes one, with all that is too large taken out already.
 * `rule` may be NULL.  INVALID for a message of another type. */
TN_API enum tn_status tn_splitter_graph_def(struct tn_splitter        **out,
                                            struct tn_message          *message,
                                            const struct tn_split_rule *rule,
                                            struct tn_error            *error);
TN_API enum tn_status tn_splitter_saved_model(struct tn_splitter **out,
                                              struct tn_message   *message,
                                              const struct tn_split_rule *rule,
                                              struct tn_error *error);
TN_API enum tn_status tn_splitter_model_proto(struct tn_splitter **out,
                                              struct tn_message   *message,
                                              const struct tn_split_rule *rule,
                                              struct tn_error *error);

/* The same for such a message inside of another, as tn_splitter_child(): their
 * chunks go to the parent.  NOT_FOUND when there is none at these steps. */
TN_API enum tn_status tn_splitter_graph_def_child(
    struct tn_splitter **out, struct tn_splitter *parent,
    const struct tn_step *steps, uint64_t count,
    const struct tn_split_rule *rule, struct tn_error *error);
TN_API enum tn_status tn_splitter_saved_model_child(
    struct tn_splitter **out, struct tn_splitter *parent,
    const struct tn_step *steps, uint64_t count,
    const struct tn_split_rule *rule, struct tn_error *error);
TN_API enum tn_status tn_splitter_model_proto_child(
    struct tn_splitter **out, struct tn_splitter *parent,
    const struct tn_step *steps, uint64_t count,
    const struct tn_split_rule *rule, struct tn_error *error);

/* ---- the result --------------------------------------------------------- */

/* The field tags of a place, from the root: a serialized ChunkedField that has
 * nothing else.  Borrowed until the splitter is closed. */
TN_API enum tn_status tn_splitter_tags(struct tn_splitter   *splitter,
                                       const struct tn_step *steps,
                                       uint64_t count, struct tn_bytes *field,
                                       struct tn_error *error);

/* Chunks and a serialized ChunkedMessage that were made elsewhere, in place of
 * what was added so far, which must be nothing: this is the split.  A tree may
 * be nested.  INVALID when chunks are named that are not there, or places that
 * the message does not have.  The bytes are borrowed until the splitter is
 * closed. */
TN_API enum tn_status tn_splitter_adopt(struct tn_splitter       *splitter,
                                        const enum tn_chunk_type *types,
                                        const struct tn_bytes    *chunks,
                                        uint64_t                  chunk_count,
                                        struct tn_bytes  chunked_message,
                                        struct tn_error *error);

/* Ends the splitting; asking again gives the same.  UNSUPPORTED for a child.
 * INVALID when version 1 of the format would have several chunks for the same
 * string or bytes field: TensorFlow's merger keeps the last one. */
TN_API enum tn_status tn_splitter_split(struct tn_splitter *splitter,
                                        struct tn_error    *error);

/* After the split. */
TN_API uint64_t tn_splitter_chunk_count(const struct tn_splitter *splitter);
TN_API enum tn_chunk_type tn_splitter_chunk_type(
    const struct tn_splitter *splitter, uint64_t index);
TN_API uint64_t       tn_splitter_chunk_size(const struct tn_splitter *splitter,
                                             uint64_t                  index);
TN_API enum tn_status tn_splitter_chunk_read(struct tn_splitter *splitter,
                                             uint64_t index, uint64_t offset,
                                             void *to, size_t size,
                                             struct tn_error *error);

/* The ChunkedMessage, serialized; borrowed.  Its fields are in an order in
 * which tn_merge() can take them. */
TN_API struct tn_bytes tn_splitter_chunked_message(
    const struct tn_splitter *splitter);

/* Splits and writes target->path + ".cpb", or ".pb" when there is nothing but
 * the message itself; all files of it or none.  `records` are options of the
 * records file in the words of Riegeli, such as "brotli:6" or "uncompressed";
 * NULL: brotli:6.  A file with the other suffix would hide this one or be
 * stale: it is refused, or removed when the target may replace.  *written (may
 * be NULL) is the path, borrowed. */
TN_API enum tn_status tn_splitter_write(struct tn_splitter     *splitter,
                                        const struct tn_target *target,
                                        const char             *records,
                                        const char            **written,
                                        struct tn_error        *error);

/* The same into memory, borrowed until the splitter is closed.  UNSUPPORTED
 * when the format makes several files of it. */
TN_API enum tn_status tn_splitter_write_memory(struct tn_splitter *splitter,
                                               const char         *records,
                                               struct tn_bytes    *bytes,
                                               bool               *is_chunked,
                                               struct tn_error    *error);

/* ---- merging ------------------------------------------------------------ */

/* Chunks in memory, borrowed until the message is closed, and a serialized
 * ChunkedMessage.  The result refers to the chunks.  Fields are merged in the
 * order in which the ChunkedMessage lists them, as TensorFlow's Merge does it;
 * what is read from files is sorted first. */
TN_API enum tn_status tn_merge(struct tn_message     **out,
                               const struct tn_schema *schema, const char *type,
                               const struct tn_bytes   *chunks,
                               uint64_t                 chunk_count,
                               struct tn_bytes          chunked_message,
                               const struct tn_options *options,
                               struct tn_error         *error);

/* A .cpb or .pb file, or the prefix of one: PREFIX.cpb if it is there, else
 * PREFIX.pb.  With paths only what lies on them and inside of where they lead
 * is merged, and other chunks are not read; a .pb has no parts to leave out. */
TN_API enum tn_status tn_merge_read(
    struct tn_message **out, const struct tn_schema *schema, const char *type,
    const char *prefix, const struct tn_path *paths, uint64_t path_count,
    const struct tn_options *options, struct tn_error *error);

/* A .cpb in memory, borrowed until the message is closed. */
TN_API enum tn_status tn_merge_bytes(struct tn_message     **out,
                                     const struct tn_schema *schema,
                                     const char *type, struct tn_bytes bytes,
                                     const struct tn_options *options,
                                     struct tn_error         *error);

/* One line about what other mergers make of the same chunks, or NULL; borrowed.
 * So far: several chunks for one string or bytes field, which are put one
 * behind the other here, and of which TensorFlow keeps the last. */
TN_API const char *tn_message_warning(const struct tn_message *message);

/* A chunked file of which fields are merged when they are asked for. */
struct tn_merger;

TN_API enum tn_status tn_merger_open(struct tn_merger      **out,
                                     const struct tn_schema *schema,
                                     const char *type, const char *prefix,
                                     const struct tn_options *options,
                                     struct tn_error         *error);
/* The same over a .cpb in memory, and over chunks as tn_merge() takes them; all
 * of it is borrowed until the merger is closed. */
TN_API enum tn_status tn_merger_open_bytes(struct tn_merger       **out,
                                           const struct tn_schema  *schema,
                                           const char              *type,
                                           struct tn_bytes          bytes,
                                           const struct tn_options *options,
                                           struct tn_error         *error);
TN_API enum tn_status tn_merger_open_chunks(
    struct tn_merger **out, const struct tn_schema *schema, const char *type,
    const struct tn_bytes *chunks, uint64_t chunk_count,
    struct tn_bytes chunked_message, const struct tn_options *options,
    struct tn_error *error);
TN_API void tn_merger_close(struct tn_merger *merger);

/* Before anything is asked for.  The form of chunks that are numbers; and that
 * fields of chunks in memory are sorted, as those of files are. */
TN_API void tn_merger_scalars(struct tn_merger   *merger,
                              enum tn_scalar_form form);
TN_API void tn_merger_sort(struct tn_merger *merger);

/* Who wrote the file, for whom; borrowed.  Zeros where nothing says it. */
TN_API struct tn_split_version tn_merger_version(
    const struct tn_merger *merger);

/* The message at a path (no steps: all of it), with everything in it; or the
 * bytes of a string or bytes field; or a number, in the form of a chunk that
 * is one.  Yours to close, before the merger. */
TN_API enum tn_status tn_merger_get(struct tn_message   **out,
                                    struct tn_merger     *merger,
                                    const struct tn_step *steps, uint64_t count,
                                    struct tn_error *error);

/* All of it, or with paths what tn_merge_read() merges with them.  Yours to
 * close, before the merger. */
TN_API enum tn_status tn_merger_merge(struct tn_message   **out,
                                      struct tn_merger     *merger,
                                      const struct tn_path *paths,
                                      uint64_t              path_count,
                                      struct tn_error      *error);

#endif
