/* read_file.c - small files as a whole: rules, vocabularies, schemas */
#include "engine/read_file.h"

#include <inttypes.h>

#include <tenon/verbs.h>

#include "base/buffer.h"
#include "base/expect.h"
#include "base/sized.h"
#include "codec/gzip.h"
#include "io/bundle.h"

/* People write these files; a larger one is something else. */
#define FILE_LIMIT (UINT64_C(256) << 20)

static enum tn_status unpack(struct tn_arena *arena, struct tn_bytes packed,
                             struct tn_bytes *bytes, struct tn_error *error)
{
    struct tn_buffer buffer;

    tn_buffer_init(&buffer, arena->memory, error);
    if (tn_gzip_decode(packed, FILE_LIMIT, &buffer, error) == TN_OK)
        *bytes = tn_bytes_dup(arena, tn_buffer_bytes(&buffer), error);
    tn_buffer_done(&buffer);
    return error->status;
}

static enum tn_status take(struct tn_arena *arena, struct tn_source *source,
                           const char *what, struct tn_bytes *bytes,
                           struct tn_error *error)
{
    if (!source)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "this is a folder, not %s", what);
    if (source->size > FILE_LIMIT)
        return tn_error_set(error, TN_LIMIT, TN_NOWHERE,
                            "%" PRIu64 " bytes are too much for %s; the limit "
                            "is 256 MiB",
                            source->size, what);
    const uint8_t *data = tn_source_pin(source, 0, (size_t)source->size, error);
    if (!data && source->size > 0)
        return error->status;
    struct tn_bytes all = tn_bytes(data, (size_t)source->size);
    if (tn_is_gzip(all))
        return unpack(arena, all, bytes, error);
    *bytes = tn_bytes_dup(arena, all, error);
    return error->status;
}

enum tn_status tn_read_file(struct tn_arena *arena, const char *path,
                            const char *what, struct tn_bytes *bytes,
                            struct tn_error *error)
{
    struct tn_bundle         bundle;
    struct tn_bundle_options how = { 0 };

    if (tn_bundle_open(&bundle, arena->memory, path, &how, error) == TN_OK) {
        take(arena, bundle.main, what, bytes, error);
        tn_bundle_close(&bundle);
    }
    if (tn_failed(error))
        tn_error_file(error, path);
    return error->status;
}

enum tn_status tn_text_read(const char *path, const struct tn_options *options,
                            void (*on)(void *context, struct tn_bytes text),
                            void *context, struct tn_error *error)
{
    TN_ERROR_OR_OWN(error);
    TN_EXPECT_PATH(path, error);
    TN_TAKE_OPTIONS(options);
    struct tn_memory memory;
    struct tn_arena  arena;
    struct tn_bytes  text;

    tn_memory_take_options(&memory, options);
    tn_arena_init(&arena, &memory);
    if (tn_read_file(&arena, path, "a file of text", &text, error) == TN_OK)
        on(context, text);
    tn_arena_done(&arena);
    return error->status;
}
