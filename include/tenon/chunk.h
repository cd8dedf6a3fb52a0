/*
 * chunk.h - messages of any size, split into chunks and merged again
 *
 * Protobuf's libraries cannot serialize a message of more than 2 GiB.  A
 * splitter divides it into chunks.  They go to memory or, with a record of how
 * they belong together, into one file PREFIX.cpb.  The merger makes one message
 * of them again.  Neither needs the whole message in memory: payloads stay
 * where they are until they are written.
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
 * --descriptor_set_out), or one that is built into the library: "onnx",
 * "tensorflow", "proto_splitter". */
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

/* A serialized message: a file, bytes in memory, or the result of a merge.  Its
 * schema must stay open as long as the message is.  Writing it calls the
 * progress function of the options that it was opened with. */
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
/* The next part of a message, or of a message inside it.  For callers that fill
 * objects of their own and do not have room for all of its bytes. */
struct tn_message_part {
    uint64_t end;   /* where this part ends                                   */
    uint32_t field; /* 0: whole fields, together no longer than `most`; else the
                       number of a single field that alone is longer          */
    uint32_t wire;  /* its wire type                                          */
    uint64_t body;  /* where its content begins                               */
};

/* Looks at bytes [begin, end), which must be whole fields.  After the last
 * part, part->end equals `end`. */
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
 * index into a repeated field or the key of a map.  Text and numbers are
 * converted as needed: "15" is an index, 1 is the key true. */
struct tn_step {
    const char *text;   /* NULL: use the number                               */
    int64_t     number; /* keys above INT64_MAX: their bits                   */
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

/* How a number, an enum or a bool is written as a chunk of its own.  The file
 * does not record which form was used. */
enum tn_scalar_form {
    TN_SCALARS_TEXT,   /* decimal digits, the name of an enum's value, "true" or
                          "false": what TensorFlow's merger reads             */
    TN_SCALARS_BINARY, /* little-endian bytes, as numpy's tobytes() gives them:
                          4 or 8 for a number, 1 for a bool, 4 for an enum    */
};

/* Chunks are numbered in the order in which they are added.  A chunk that is
 * inserted before others moves those and all later ones up. */
#define TN_AT_END UINT64_MAX

struct tn_splitter;

/* Yours to close.  The message does not change; it must outlive the
 * splitter. */
TN_API enum tn_status tn_splitter_open(struct tn_splitter **out,
                                       struct tn_message   *message,
                                       struct tn_error     *error);

/* A splitter for a message inside: its paths begin there, and its chunks go to
 * the parent.  It is closed with its parent, and cannot itself split or
 * write. */
TN_API enum tn_status tn_splitter_child(struct tn_splitter  **out,
                                        struct tn_splitter   *parent,
                                        const struct tn_step *steps,
                                        uint64_t count, struct tn_error *error);
TN_API void           tn_splitter_close(struct tn_splitter *splitter);

/* What is not taken out becomes chunk 0.  Without this call it is left out,
 * which is right for messages whose whole content was added as chunks. */
TN_API enum tn_status tn_splitter_keep_base(struct tn_splitter *splitter,
                                            struct tn_error    *error);

/* Adds a chunk for a place in the message, and takes nothing out.  Without
 * steps the place is the message itself, and the chunk is merged into it.  The
 * bytes are borrowed until the splitter is closed.  INVALID for a number that
 * no merger could read: see tn_splitter_scalars(). */
TN_API enum tn_status tn_splitter_add_chunk(struct tn_splitter   *splitter,
                                            enum tn_chunk_type    type,
                                            struct tn_bytes       bytes,
                                            const struct tn_step *steps,
                                            uint64_t count, uint64_t index,
                                            struct tn_error *error);

/* Moves a message, string or bytes field into a chunk of its own.  A singular
 * field is then absent; an element of a repeated field is then empty. */
TN_API enum tn_status tn_splitter_take(struct tn_splitter   *splitter,
                                       const struct tn_step *steps,
                                       uint64_t count, uint64_t index,
                                       struct tn_error *error);

/* The same, but a singular field also stays behind, empty.  After merging, it
 * is where it was before, so that the message has the same bytes again. */
TN_API enum tn_status tn_splitter_hollow(struct tn_splitter   *splitter,
                                         const struct tn_step *steps,
                                         uint64_t count, uint64_t index,
                                         struct tn_error *error);

/* Moves elements [begin, end) of a repeated field or map into a chunk, which is
 * merged into the message that has the field.  The steps end at the field. */
TN_API enum tn_status tn_splitter_slice(struct tn_splitter   *splitter,
                                        const struct tn_step *steps,
                                        uint64_t count, uint64_t begin,
                                        uint64_t end, uint64_t index,
                                        struct tn_error *error);

/* Removes a field, with all its elements, without making a chunk of it. */
TN_API enum tn_status tn_splitter_clear(struct tn_splitter   *splitter,
                                        const struct tn_step *steps,
                                        uint64_t count, struct tn_error *error);

/* How many elements a field has (0 or 1 for a singular one), and how many bytes
 * a message has after what was taken out so far. */
TN_API enum tn_status tn_splitter_count(struct tn_splitter   *splitter,
                                        const struct tn_step *steps,
                                        uint64_t count, uint64_t *elements,
                                        struct tn_error *error);
TN_API enum tn_status tn_splitter_size(struct tn_splitter   *splitter,
                                       const struct tn_step *steps,
                                       uint64_t count, uint64_t *size,
                                       struct tn_error *error);

/* Takes out as much as necessary, in any message, so that no MESSAGE chunk is
 * longer than max_size: large fields first, as chunks of their own, then runs
 * of small ones.  Strings and bytes become BYTES chunks of any length.  LIMIT
 * if something cannot be divided any further.  Keeps the base. */
TN_API enum tn_status tn_splitter_by_size(struct tn_splitter *splitter,
                                          uint64_t            max_size,
                                          struct tn_error    *error);

/* How chunks will be laid out: see struct tn_split_format in verbs.h.  Call it
 * before the split; the last call counts.  INVALID for a child, and for
 * features that version 1 does not have. */
TN_API enum tn_status tn_splitter_format(struct tn_splitter           *splitter,
                                         const struct tn_split_format *format,
                                         struct tn_error              *error);

/* The form of chunks that are numbers; the default is TN_SCALARS_TEXT.  Call it
 * before the first of them is added. */
TN_API enum tn_status tn_splitter_scalars(struct tn_splitter *splitter,
                                          enum tn_scalar_form form,
                                          struct tn_error    *error);

/* Which mergers may join the chunks.  A merger refuses a file if min_consumer
 * is greater than the merger's join version, or if that version is among the
 * bad ones.  This library has join version 1; mergers that know only version 1
 * of the format have 0. */
struct tn_split_version {
    int32_t        producer;     /* of the splitter: for information          */
    int32_t        min_consumer; /* the oldest join version that can read it  */
    const int32_t *bad_consumers;
    uint64_t       bad_consumer_count;
};

/* Sets the versions in the file.  Without this call: producer 1 and
 * min_consumer 0, or 2 and 1 for version 2 of the format.  Call it before the
 * split.  INVALID for a child, for a negative number, and if version 2 would
 * have a min_consumer below 1. */
TN_API enum tn_status tn_splitter_version(
    struct tn_splitter *splitter, const struct tn_split_version *version,
    struct tn_error *error);

/* ---- splitters that know their message ---------------------------------- */

/* The rules these splitters follow. */
struct tn_split_rule {
    enum tn_split_rules rules;    /* for TensorFlow's messages                */
    uint64_t            max_size; /* of a chunk that is a message; 0: what the
                                     rules say                                */
};

/* Splitters for a tensorflow.GraphDef, a tensorflow.SavedModel and an
 * onnx.ModelProto.  They are like those of tn_splitter_open(), but everything
 * that is too large is already taken out; docs/splitting.md says what that is.
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

/* The same for such a message inside another one, like tn_splitter_child(): the
 * chunks go to the parent.  NOT_FOUND if there is none at these steps. */
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

/* The field tags of a place, from the root, as a serialized ChunkedField that
 * has nothing else.  Borrowed until the splitter is closed. */
TN_API enum tn_status tn_splitter_tags(struct tn_splitter   *splitter,
                                       const struct tn_step *steps,
                                       uint64_t count, struct tn_bytes *field,
                                       struct tn_error *error);

/* Takes chunks and a serialized ChunkedMessage that were made elsewhere as the
 * result of the split.  Nothing may have been added before.  A tree may be
 * nested.  INVALID if it names chunks that are not there, or places that the
 * message does not have.  The bytes are borrowed until the splitter is
 * closed. */
TN_API enum tn_status tn_splitter_adopt(struct tn_splitter       *splitter,
                                        const enum tn_chunk_type *types,
                                        const struct tn_bytes    *chunks,
                                        uint64_t                  chunk_count,
                                        struct tn_bytes  chunked_message,
                                        struct tn_error *error);

/* Ends the splitting; calling it again has no effect.  UNSUPPORTED for a child.
 * INVALID if version 1 of the format would need several chunks for the same
 * string or bytes field: TensorFlow's merger keeps only the last one. */
TN_API enum tn_status tn_splitter_split(struct tn_splitter *splitter,
                                        struct tn_error    *error);

/* All of these are valid after the split. */
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
 * which tn_merge() accepts them. */
TN_API struct tn_bytes tn_splitter_chunked_message(
    const struct tn_splitter *splitter);

/* Splits, and writes target->path + ".cpb", or ".pb" if the message was not
 * divided; either all its files or none.  `records` are options of the records
 * file in Riegeli's syntax, such as "brotli:6" or "uncompressed"; NULL:
 * brotli:6.  An existing file with the other suffix would hide this one or be
 * out of date: it is an error, or is removed if the target may replace files.
 * *written (may be NULL) is the path, borrowed. */
TN_API enum tn_status tn_splitter_write(struct tn_splitter     *splitter,
                                        const struct tn_target *target,
                                        const char             *records,
                                        const char            **written,
                                        struct tn_error        *error);

/* The same into memory, borrowed until the splitter is closed.  UNSUPPORTED if
 * the format would make several files. */
TN_API enum tn_status tn_splitter_write_memory(struct tn_splitter *splitter,
                                               const char         *records,
                                               struct tn_bytes    *bytes,
                                               bool               *is_chunked,
                                               struct tn_error    *error);

/* ---- merging ------------------------------------------------------------ */

/* Merges chunks in memory, which are borrowed until the message is closed, by a
 * serialized ChunkedMessage.  The result refers to the chunks.  Fields are
 * merged in the order in which the ChunkedMessage lists them, as TensorFlow's
 * Merge does; fields that are read from files are sorted first. */
TN_API enum tn_status tn_merge(struct tn_message     **out,
                               const struct tn_schema *schema, const char *type,
                               const struct tn_bytes   *chunks,
                               uint64_t                 chunk_count,
                               struct tn_bytes          chunked_message,
                               const struct tn_options *options,
                               struct tn_error         *error);

/* A file, or the prefix of one: PREFIX.cpb if it exists, else PREFIX.pb, else
 * PREFIX itself.  NOT_FOUND if there is none of these.  With paths, only the
 * messages along them and everything below them is merged, and other chunks are
 * not read.  A file without chunks is always read as a whole. */
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

/* One line on what other mergers would make of the same chunks, or NULL;
 * borrowed.  So far there is one: several chunks for one string or bytes field,
 * which are joined here, and of which TensorFlow keeps only the last. */
TN_API const char *tn_message_warning(const struct tn_message *message);

/* A chunked file whose fields are merged on demand. */
struct tn_merger;

TN_API enum tn_status tn_merger_open(struct tn_merger      **out,
                                     const struct tn_schema *schema,
                                     const char *type, const char *prefix,
                                     const struct tn_options *options,
                                     struct tn_error         *error);
/* The same over a .cpb in memory, and over chunks as tn_merge() takes them; all
 * of that is borrowed until the merger is closed. */
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

/* The form of chunks that are numbers; and whether the fields of chunks in
 * memory are sorted, as those of files are.  Call them before the first
 * request. */
TN_API void tn_merger_scalars(struct tn_merger   *merger,
                              enum tn_scalar_form form);
TN_API void tn_merger_sort(struct tn_merger *merger);

/* Which splitter wrote the file, and for which mergers; borrowed.  Zeros if the
 * file does not say it. */
TN_API struct tn_split_version tn_merger_version(
    const struct tn_merger *merger);

/* The message at a path (without steps: the root), with everything in it; or
 * the bytes of a string or bytes field; or a number, in the form of chunks that
 * are numbers.  Yours to close, before the merger. */
TN_API enum tn_status tn_merger_get(struct tn_message   **out,
                                    struct tn_merger     *merger,
                                    const struct tn_step *steps, uint64_t count,
                                    struct tn_error *error);

/* The whole message, or with paths the part that tn_merge_read() merges.  Yours
 * to close, before the merger. */
TN_API enum tn_status tn_merger_merge(struct tn_message   **out,
                                      struct tn_merger     *merger,
                                      const struct tn_path *paths,
                                      uint64_t              path_count,
                                      struct tn_error      *error);

#endif
