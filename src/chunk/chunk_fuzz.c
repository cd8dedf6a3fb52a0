/*
 * chunk_fuzz.c - what can be merged has the size it claims, splits at any
 * limit, and merges again to the same; what can be written as it was given is
 * read as its fields merge when they are sorted
 *
 *   u8   which   type: 0 tensorflow.GraphDef, 1 onnx.ModelProto, else the
 *                metadata's own
 *   u16  most    limit for splitting the result, little-endian; its bits say
 *                which chunks are bytes when they are written as they are
 *   u8   count   of chunks
 *   u16  size    of each chunk but the last, little-endian
 *        chunks  the last is the ChunkedMessage
 */
#undef NDEBUG
#include <assert.h>

#include "chunk/chunk_merge.h"
#include "chunk/message.h"
#include "chunk/splitter.h"
#include "io/rope_source.h"
#include "wire/pb/pb_merge.h"

#define MEMORY_LIMIT (UINT64_C(64) << 20)
#define MOST_CHUNKS  8

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct tn_options options = { .max_memory = MEMORY_LIMIT };

static void open_schema(uint8_t which, struct tn_schema **schema,
                        const char **type)
{
    static const char *const names[] = { "tensorflow", "onnx",
                                         "proto_splitter" };
    static const char *const types[] = {
        "tensorflow.GraphDef",
        "onnx.ModelProto",
        "tensorflow.proto_splitter.ChunkMetadata",
    };
    static struct tn_schema *opened[3]; /* loading one takes longest */
    struct tn_error          error = TN_ERROR_INIT;
    unsigned                 index = which > 2 ? 2 : which;

    if (!opened[index])
        tn_schema_builtin(&opened[index], names[index], NULL, &error);
    assert(opened[index]);
    *schema = opened[index];
    *type   = types[index];
}

/* The one spelling of a message, in memory; false when it has none. */
static bool normalize(struct tn_message *message, struct tn_buffer *to)
{
    struct tn_error error = TN_ERROR_INIT;
    struct tn_arena arena;
    struct tn_rope  rope;

    tn_arena_init(&arena, to->memory);
    tn_rope_init(&rope, &arena, &error);
    struct tn_pb_view view =
        tn_pb_view(message->type,
                   tn_cursor_span(tn_message_span(message), &error), &arena);
    if (tn_pb_normalize(&view, &rope) == TN_OK)
        tn_rope_write(&rope, &to->sink, &error);
    tn_rope_done(&rope);
    tn_arena_done(&arena);
    return error.status == TN_OK;
}

/* Maps may come in another order: only sizes are compared then. */
static void same(struct tn_message *a, struct tn_message *b,
                 struct tn_memory *memory)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_buffer first, second;

    tn_buffer_init(&first, memory, &error);
    tn_buffer_init(&second, memory, &error);
    if (normalize(a, &first) && normalize(b, &second))
        assert(first.size == second.size);
    tn_buffer_done(&first);
    tn_buffer_done(&second);
}

static void split_again(struct tn_message      *merged,
                        const struct tn_schema *schema, const char *type,
                        uint64_t most)
{
    struct tn_error     error = TN_ERROR_INIT;
    struct tn_splitter *splitter;
    struct tn_message  *again;
    struct tn_bytes     file;
    bool                is_chunked;

    if (tn_splitter_open(&splitter, merged, &error) != TN_OK)
        return;
    if (tn_splitter_by_size(splitter, most, &error) == TN_OK &&
        tn_splitter_write_memory(splitter, "uncompressed", &file, &is_chunked,
                                 &error) == TN_OK &&
        is_chunked &&
        tn_merge_bytes(&again, schema, type, file, &options, &error) == TN_OK) {
        same(merged, again, &merged->memory);
        tn_message_close(again);
    }
    tn_splitter_close(splitter);
}

/* Of the given chunks, in the order in which files are merged; NULL: they make
 * no message. */
static struct tn_message *merge_sorted(struct tn_merger      **merger,
                                       const struct tn_schema *schema,
                                       const char             *type,
                                       const struct tn_bytes  *chunks,
                                       uint64_t count, struct tn_bytes chunked)
{
    struct tn_error    error  = TN_ERROR_INIT;
    struct tn_message *merged = NULL;

    if (tn_merger_open_chunks(merger, schema, type, chunks, count, chunked,
                              &options, &error) != TN_OK)
        return NULL;
    tn_merger_sort(*merger);
    tn_merger_merge(&merged, *merger, NULL, 0, &error);
    return merged;
}

static void adopt(const struct tn_schema *schema, const char *type,
                  const struct tn_bytes *chunks, uint64_t count,
                  struct tn_bytes chunked, uint64_t bits)
{
    struct tn_error     error = TN_ERROR_INIT;
    enum tn_chunk_type  types[MOST_CHUNKS];
    struct tn_merger   *merger = NULL;
    struct tn_message  *empty, *read = NULL;
    struct tn_splitter *splitter = NULL;
    struct tn_bytes     file;
    bool                is_chunked;

    struct tn_message *sorted =
        merge_sorted(&merger, schema, type, chunks, count, chunked);
    for (uint64_t i = 0; i < count; i++)
        types[i] = bits >> i & 1 ? TN_CHUNK_BYTES : TN_CHUNK_MESSAGE;
    tn_message_bytes(&empty, schema, type, (struct tn_bytes){ NULL, 0 },
                     &options, &error);
    if (tn_splitter_open(&splitter, empty, &error) == TN_OK &&
        tn_splitter_adopt(splitter, types, chunks, count, chunked, &error) ==
            TN_OK &&
        tn_splitter_write_memory(splitter, "uncompressed", &file, &is_chunked,
                                 &error) == TN_OK &&
        is_chunked &&
        tn_merge_bytes(&read, schema, type, file, &options, &error) == TN_OK) {
        assert(sorted);
        same(sorted, read, &empty->memory);
    }
    tn_message_close(read);
    tn_splitter_close(splitter);
    tn_message_close(empty);
    tn_message_close(sorted);
    tn_merger_close(merger);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tn_error    error = TN_ERROR_INIT;
    struct tn_cursor   c     = tn_cursor_bytes(tn_bytes(data, size), 0, &error);
    struct tn_bytes    chunks[MOST_CHUNKS];
    struct tn_schema  *schema;
    struct tn_message *merged;
    const char        *type;

    open_schema(tn_u8(&c), &schema, &type);
    uint64_t most  = tn_u8(&c) + (uint64_t)tn_u8(&c) * 256 + 1;
    uint64_t count = tn_u8(&c) % (MOST_CHUNKS + 1);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t low = tn_u8(&c);
        chunks[i]    = tn_take_bytes(&c, low + (uint64_t)tn_u8(&c) * 256);
    }
    if (tn_failed(&error))
        return 0;
    struct tn_bytes chunked = tn_take_bytes(&c, tn_left(&c));
    adopt(schema, type, chunks, count, chunked, most - 1);
    if (tn_merge(&merged, schema, type, chunks, count, chunked, &options,
                 &error) == TN_OK) {
        split_again(merged, schema, type, most);
        tn_message_close(merged);
    }
    assert((error.status == TN_OK) == (error.what[0] == '\0'));
    return 0;
}
