/* merger.c - chunks, in memory or in a file, as messages that callers hold */
#include <inttypes.h>

#include "chunk/cpb.h"
#include "chunk/message.h"
#include "io/path.h"
#include "io/rope_source.h"

/* Chunks that the caller holds in memory. */
struct shelf {
    struct tn_chunk_store store; /* first */
    struct tn_source     *sources;
};

struct tn_merger {
    struct tn_message *home; /* purse, files; its source is the file      */
    const struct tn_schema *schema;
    struct tn_options       options;
    bool                    is_chunked; /* else it is a plain message         */
    bool                    is_file;    /* the chunks are in `cpb`            */
    struct tn_cpb           cpb;
    struct shelf            shelf;
    struct tn_chunked       chunked; /* sorted                                */
};

static enum tn_status shelf_read(struct tn_chunk_store *store, uint64_t index,
                                 struct tn_span *chunk, struct tn_error *error)
{
    struct shelf *shelf = (struct shelf *)store;

    (void)error;
    *chunk = (struct tn_span){ &shelf->sources[index], 0,
                               shelf->sources[index].size };
    return TN_OK;
}

void tn_merger_close(struct tn_merger *merger)
{
    if (!merger)
        return;
    if (merger->is_file)
        tn_cpb_close(&merger->cpb);
    for (uint64_t i = 0; i < merger->shelf.store.count; i++)
        tn_source_close(&merger->shelf.sources[i]);
    tn_message_close(merger->home); /* holds the merger, too */
}

/* A merger over `home`, which it takes over. */
static struct tn_merger *new_merger(struct tn_message       *home,
                                    const struct tn_schema  *schema,
                                    const struct tn_options *options,
                                    struct tn_error         *error)
{
    struct tn_merger *merger = tn_new(&home->arena, struct tn_merger, 1, error);

    if (!merger) {
        tn_message_close(home);
        return NULL;
    }
    merger->home   = home;
    merger->schema = schema;
    if (options)
        merger->options = *options;
    return merger;
}

/* ---- opening ------------------------------------------------------------- */

/* Which file a prefix means; NULL on failure. */
static char *find_file(const char *prefix, struct tn_arena *arena,
                       struct tn_error *error)
{
    static const char *const suffixes[] = { ".cpb", ".pb" };

    if (!strcmp(prefix, "-")) /* standard input */
        return tn_text_dup(arena, prefix, error);
    for (int i = 0; i < 2; i++)
        if (tn_text_ends_with(prefix, suffixes[i]))
            return tn_text_dup(arena, prefix, error);
    for (int i = 0; i < 2; i++) {
        char *path = tn_text_format(arena, error, "%s%s", prefix, suffixes[i]);
        if (!path || tn_path_exists(path))
            return path;
    }
    tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE,
                 "could not find %s.cpb or %s.pb", prefix, prefix);
    return NULL;
}

/* By its bytes, not by its name: a chunked message begins as records do. */
static enum tn_status open_chunks(struct tn_merger *merger,
                                  struct tn_error  *error)
{
    struct tn_message *home = merger->home;
    uint8_t            head[TN_RIEGELI_SIGNATURE_SIZE];

    if (home->source->size >= sizeof head)
        TN_TRY(tn_source_read(home->source, 0, head, sizeof head, error));
    if (home->source->size < sizeof head ||
        !tn_cpb_probe(tn_bytes(head, sizeof head)))
        return TN_OK;
    if (home->files.memory)
        TN_TRY(tn_cpb_open_in(&merger->cpb, &home->files, home->files.name,
                              home->source, error));
    else
        TN_TRY(tn_cpb_open(&merger->cpb, home->source, &home->memory, error));
    merger->is_file = merger->is_chunked = true;
    merger->chunked                      = merger->cpb.meta.message;
    return TN_OK;
}

enum tn_status tn_merger_open(struct tn_merger      **out,
                              const struct tn_schema *schema, const char *type,
                              const char              *prefix,
                              const struct tn_options *options,
                              struct tn_error         *error)
{
    TN_ERROR_OR_OWN(error);
    struct tn_memory   memory;
    struct tn_arena    arena;
    struct tn_message *home = NULL;

    *out = NULL;
    tn_memory_init(&memory, options ? options->allocator : NULL, 0);
    tn_arena_init(&arena, &memory);
    char *path = find_file(prefix, &arena, error);
    if (path)
        tn_message_open(&home, schema, type, path, options, error);
    bool must_be_chunked = path && tn_text_ends_with(path, ".cpb");
    tn_arena_done(&arena);
    if (!home)
        return error->status;
    struct tn_merger *merger = new_merger(home, schema, options, error);
    if (!merger)
        return error->status;
    if (open_chunks(merger, error) == TN_OK && must_be_chunked &&
        !merger->is_chunked)
        tn_error_set(error, TN_MALFORMED, 0,
                     "no chunked message: not a Riegeli/records file");
    if (tn_failed(error))
        tn_merger_close(merger);
    else
        *out = merger;
    return error->status;
}

/* ---- merging ------------------------------------------------------------- */

/* All that the wanted paths need (count 0: everything), as one message. */
static struct tn_mosaic *merge_fields(struct tn_merger     *merger,
                                      struct tn_mosaics    *all,
                                      const struct tn_tags *paths,
                                      uint64_t              count)
{
    struct tn_mosaic *m      = tn_mosaic_new(all, merger->home->type);
    struct tn_chunked wanted = merger->chunked;

    if (!m)
        return NULL;
    if (!merger->is_chunked) {
        tn_mosaic_merge(m, tn_message_span(merger->home));
    } else if (count == 0 || tn_chunked_prune(&wanted, &merger->chunked, paths,
                                              count, TN_KEEP_AROUND, all->arena,
                                              all->error) == TN_OK) {
        if (merger->is_file && count == 0)
            tn_cpb_load(&merger->cpb, merger->options.workers);
        tn_chunk_merge(m, &wanted,
                       merger->is_file ? &merger->cpb.store
                                       : &merger->shelf.store);
    }
    return tn_failed(all->error) ? NULL : m;
}

/* What lies at a path of a merged message, as bytes; *type is what it is. */
static enum tn_status extract(struct tn_mosaic *m, struct tn_tags path,
                              struct tn_rope              *to,
                              const struct tn_pb_message **type)
{
    struct tn_tag_step last;

    m = tn_mosaic_path(m, path, TN_MOSAIC_FIND, &last);
    if (!m)
        return to->error->status;
    *type = last.field ? NULL : m->type;
    if (last.field)
        return tn_mosaic_take(m, &last, to);
    tn_mosaic_write(m, to);
    return to->error->status;
}

/* The mosaic is gone before the message is made: a million chunks are hundreds
 * of megabytes of it. */
static enum tn_status merge_pieces(struct tn_message    *out,
                                   struct tn_merger     *merger,
                                   const struct tn_tags *paths, uint64_t count,
                                   struct tn_tags path, struct tn_rope *to)
{
    struct tn_mosaics all;
    struct tn_arena   arena;

    tn_arena_init(&arena, &out->memory);
    tn_mosaics_init(&all, &arena, to->error);
    struct tn_mosaic *m = merge_fields(merger, &all, paths, count);
    if (m)
        extract(m, path, to, &out->type);
    tn_mosaics_done(&all);
    tn_arena_done(&arena);
    return to->error->status;
}

static enum tn_status fill_message(struct tn_message    *out,
                                   struct tn_merger     *merger,
                                   const struct tn_tags *paths, uint64_t count,
                                   struct tn_tags path, struct tn_error *error)
{
    struct tn_rope rope, flat;

    tn_rope_init(&rope, &out->arena, error);
    tn_rope_init(&flat, &out->arena, error);
    if (merge_pieces(out, merger, paths, count, path, &rope) == TN_OK) {
        tn_rope_flatten(&rope, &flat);
        tn_source_rope(&out->source, &out->memory, &flat, "", error);
    }
    tn_rope_done(&rope);
    tn_rope_done(&flat);
    return error->status;
}

/* The result, and with it the merger when it was made for this alone. */
static void close_merged(struct tn_message *message)
{
    tn_source_close(message->source);
    tn_merger_close(message->more);
}

static enum tn_status finish(struct tn_message **out, struct tn_merger *merger,
                             const struct tn_path *paths, uint64_t count,
                             struct tn_error *error)
{
    TN_TRY(tn_message_new(out, merger->schema, merger->home->type->full_name,
                          &merger->options, error));
    struct tn_message *message = *out;
    struct tn_tags    *wanted =
        tn_new(&message->arena, struct tn_tags, count, error);
    for (uint64_t i = 0; wanted && i < count && !tn_failed(error); i++)
        tn_tags_build(&wanted[i], merger->home->type, paths[i].steps,
                      paths[i].count, true, &message->arena, error);
    if (!tn_failed(error))
        fill_message(message, merger, wanted, count,
                     (struct tn_tags){ NULL, 0 }, error);
    message->close = close_merged;
    if (!tn_failed(error)) {
        message->more = merger;
        return TN_OK;
    }
    tn_message_close(message);
    *out = NULL;
    return error->status;
}

/* The same; the merger goes when that fails. */
static enum tn_status finish_alone(struct tn_message   **out,
                                   struct tn_merger     *merger,
                                   const struct tn_path *paths, uint64_t count,
                                   struct tn_error *error)
{
    if (finish(out, merger, paths, count, error) != TN_OK)
        tn_merger_close(merger);
    return error->status;
}

enum tn_status tn_merge_read(struct tn_message     **out,
                             const struct tn_schema *schema, const char *type,
                             const char *prefix, const struct tn_path *paths,
                             uint64_t                 path_count,
                             const struct tn_options *options,
                             struct tn_error         *error)
{
    TN_ERROR_OR_OWN(error);
    struct tn_merger *merger;

    *out = NULL;
    TN_TRY(tn_merger_open(&merger, schema, type, prefix, options, error));
    if (path_count && !merger->is_chunked) {
        tn_merger_close(merger);
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "a part of a chunked message was asked for, but "
                            "only a regular one is there");
    }
    return finish_alone(out, merger, paths, path_count, error);
}

enum tn_status tn_merge_bytes(struct tn_message     **out,
                              const struct tn_schema *schema, const char *type,
                              struct tn_bytes          bytes,
                              const struct tn_options *options,
                              struct tn_error         *error)
{
    TN_ERROR_OR_OWN(error);
    struct tn_message *home;

    *out = NULL;
    TN_TRY(tn_message_bytes(&home, schema, type, bytes, options, error));
    struct tn_merger *merger = new_merger(home, schema, options, error);
    if (!merger)
        return error->status;
    if (open_chunks(merger, error) != TN_OK) {
        tn_merger_close(merger);
        return error->status;
    }
    return finish_alone(out, merger, NULL, 0, error);
}

enum tn_status tn_merge(struct tn_message **out, const struct tn_schema *schema,
                        const char *type, const struct tn_bytes *chunks,
                        uint64_t chunk_count, struct tn_bytes chunked_message,
                        const struct tn_options *options,
                        struct tn_error         *error)
{
    TN_ERROR_OR_OWN(error);
    struct tn_message *home;

    *out = NULL;
    TN_TRY(
        tn_message_bytes(&home, schema, type, chunked_message, options, error));
    struct tn_merger *merger = new_merger(home, schema, options, error);
    if (!merger)
        return error->status;
    struct shelf *shelf = &merger->shelf;
    shelf->store.read   = shelf_read;
    shelf->sources = tn_new(&home->arena, struct tn_source, chunk_count, error);
    for (uint64_t i = 0; shelf->sources && i < chunk_count; i++)
        tn_source_memory(&shelf->sources[shelf->store.count++], &home->memory,
                         chunks[i]);
    merger->is_chunked = true;
    if (tn_failed(error) ||
        tn_chunked_read(&merger->chunked, tn_message_span(home), &home->arena,
                        error) != TN_OK) {
        tn_merger_close(merger);
        return error->status;
    }
    shelf->store.joins_bytes =
        tn_chunked_unwrap_in(&merger->chunked, TN_ENVELOPE_VERSION_2);
    tn_chunked_sort(&merger->chunked);
    return finish_alone(out, merger, NULL, 0, error);
}

enum tn_status tn_merger_get(struct tn_message **out, struct tn_merger *merger,
                             const struct tn_step *steps, uint64_t count,
                             struct tn_error *error)
{
    TN_ERROR_OR_OWN(error);
    struct tn_tags path;

    TN_TRY(tn_message_new(out, merger->schema, merger->home->type->full_name,
                          &merger->options, error));
    struct tn_message *message = *out;
    message->close             = close_merged;
    if (tn_tags_build(&path, merger->home->type, steps, count, false,
                      &message->arena, error) == TN_OK &&
        fill_message(message, merger, &path, count ? 1 : 0, path, error) ==
            TN_OK)
        return TN_OK;
    tn_message_close(message);
    *out = NULL;
    return error->status;
}
