/*
 * chunk_merge.c - chunks back into one message
 *
 *   merge(cm, target):
 *     the chunk of cm, if it has one, is merged into target
 *     each field, in order:
 *       no tags      its chunk is merged into target; what is nested is not
 *                    looked at, as the writers of this format define it
 *       a message    found or made; merge(the field's message, there)
 *       else         set from the bytes of the field's chunk; strings and
 *                    bytes are appended to those of an earlier chunk
 */
#include <inttypes.h>

#include "base/arith.h"
#include "base/sized.h"
#include "chunk/chunk_merge.h"
#include "chunk/chunk_scalar.h"
#include "chunk/cpb.h"
#include "chunk/message.h"
#include "io/bundle.h"
#include "io/path.h"
#include "io/remote_url.h"
#include "io/rope_source.h"
#include "wire/pb/pb_rules.h"

/* Walking a chunk that is shorter again costs less than remembering what it
 * has. */
#define LEAST_KNOWN 1024

struct merging {
    struct tn_chunk_store *store;
    struct tn_error       *error;
    uint8_t               *is_used; /* by chunk                               */
    uint64_t               unique_size, total_size; /* of chunks merged       */
    unsigned               depth;
};

static enum tn_status check_reuse(struct merging *merging, uint64_t index,
                                  uint64_t size)
{
    uint64_t most;

    if (!merging->is_used[index])
        merging->unique_size += size;
    merging->is_used[index] = 1;
    if (!tn_add(merging->total_size, size, &merging->total_size))
        merging->total_size = UINT64_MAX;
    if (!tn_mul(merging->unique_size, TN_CHUNK_REUSE_LIMIT, &most) ||
        !tn_add(most, TN_CHUNK_REUSE_FREE, &most))
        most = UINT64_MAX;
    if (merging->total_size > most)
        return tn_error_set(merging->error, TN_LIMIT, TN_NOWHERE,
                            "%" PRIu64
                            " bytes of chunks are used more than %d times",
                            merging->unique_size, TN_CHUNK_REUSE_LIMIT);
    return TN_OK;
}

static enum tn_status read_chunk(struct merging *merging, uint64_t index,
                                 struct tn_span *chunk)
{
    if (index >= merging->store->count)
        return tn_error_set(merging->error, TN_MALFORMED, TN_NOWHERE,
                            "chunk %" PRIu64
                            " does not exist: there are %" PRIu64 " chunks",
                            index, merging->store->count);
    TN_TRY(merging->store->read(merging->store, index, chunk, merging->error));
    return check_reuse(merging, index, chunk->length);
}

static enum tn_status merge_new(struct merging *merging, uint64_t index,
                                struct tn_span chunk, struct tn_mosaic *to)
{
    struct tn_chunk_store *store = merging->store;
    const struct tn_tile  *tile;

    TN_TRY(tn_mosaic_merge(to, chunk));
    tile = to->last;
    if (!store->known || chunk.length < LEAST_KNOWN || !tile->series)
        return TN_OK;
    struct tn_field_series *series =
        tn_new(store->arena, struct tn_field_series, tile->series_count,
               merging->error);
    if (!series)
        return merging->error->status;
    memcpy(series, tile->series, tile->series_count * sizeof *series);
    store->known[index] =
        (struct tn_chunk_known){ .is_whole     = true,
                                 .series_count = tile->series_count,
                                 .offset       = chunk.offset,
                                 .series       = series };
    return TN_OK;
}

static enum tn_status merge_bytes(struct merging *merging, uint64_t index,
                                  struct tn_span chunk, struct tn_mosaic *to)
{
    struct tn_chunk_known *known =
        merging->store->known ? &merging->store->known[index] : NULL;

    if (known && known->is_unseen) {
        known->must_be_whole = true;
        return tn_mosaic_merge_known(to, chunk, NULL, 0);
    }
    if (!known || !known->is_whole || known->offset != chunk.offset)
        return merge_new(merging, index, chunk, to);
    return tn_mosaic_merge_known(to, chunk, known->series, known->series_count);
}

static enum tn_status merge_chunk(struct merging *merging, uint64_t index,
                                  struct tn_mosaic *to)
{
    struct tn_span chunk;

    TN_TRY(read_chunk(merging, index, &chunk));
    if (merge_bytes(merging, index, chunk, to) != TN_OK)
        tn_error_where(merging->error, "chunk[%" PRIu64 "]", index);
    return merging->error->status;
}

static enum tn_status merge_message(struct merging          *merging,
                                    const struct tn_chunked *message,
                                    struct tn_mosaic        *to);

/* The field before this one is for the same place. */
static bool is_next(const struct tn_chunked *of, uint64_t index)
{
    return index > 0 && tn_tags_compare(of->fields[index - 1].tags,
                                        of->fields[index].tags) == 0;
}

/* Strings and bytes of which there is something already. */
static bool is_more(const struct merging *merging, const struct tn_chunked *of,
                    uint64_t index, struct tn_mosaic *m,
                    const struct tn_tag_step *step)
{
    if (!tn_pb_is_blob(tn_step_value(step)->type))
        return false;
    return is_next(of, index) ||
           (merging->store->is_in_order && tn_mosaic_is_set(m, step));
}

static enum tn_status set_value(struct merging          *merging,
                                const struct tn_chunked *of, uint64_t index,
                                const struct tn_pb_message *type,
                                struct tn_mosaic           *m,
                                const struct tn_tag_step   *step)
{
    const struct tn_chunked_field *field = &of->fields[index];
    struct tn_chunk_store         *store = merging->store;
    struct tn_span                 chunk;

    if (!field->message.has_chunk || field->message.field_count)
        return tn_error_set(merging->error, TN_MALFORMED, TN_NOWHERE,
                            "%s is not a message: it takes exactly one chunk",
                            step->field->name);
    TN_TRY(read_chunk(merging, field->message.chunk, &chunk));
    if (!is_more(merging, of, index, m, step))
        return tn_mosaic_set(m, step, chunk);
    if (!store->joined[0])
        tn_tags_print(field->tags, type, store->joined, sizeof store->joined);
    return tn_mosaic_set_more(m, step, chunk);
}

static enum tn_status merge_field(struct merging          *merging,
                                  const struct tn_chunked *of, uint64_t index,
                                  struct tn_mosaic *to)
{
    const struct tn_chunked_field *field = &of->fields[index];

    struct tn_tag_step last;

    if (field->tags.count == 0 && !field->message.has_chunk)
        return tn_error_set(merging->error, TN_MALFORMED, TN_NOWHERE,
                            "a part of the message itself without a chunk");
    if (field->tags.count == 0)
        return merge_chunk(merging, field->message.chunk, to);
    struct tn_mosaic *at =
        tn_mosaic_path(to, field->tags, TN_MOSAIC_MAKE, &last);
    if (!at)
        return merging->error->status;
    if (last.field)
        return set_value(merging, of, index, to->type, at, &last);
    if (field->message.is_placeholder)
        return TN_OK;
    return merge_message(merging, &field->message, at);
}

static enum tn_status merge_message(struct merging          *merging,
                                    const struct tn_chunked *message,
                                    struct tn_mosaic        *to)
{
    if (++merging->depth > TN_CHUNK_DEPTH_LIMIT)
        return tn_error_set(merging->error, TN_LIMIT, TN_NOWHERE,
                            "messages of chunks nested deeper than %d",
                            TN_CHUNK_DEPTH_LIMIT);
    if (message->has_chunk)
        TN_TRY(merge_chunk(merging, message->chunk, to));
    for (uint64_t i = 0; i < message->field_count; i++) {
        if (merge_field(merging, message, i, to) != TN_OK) {
            tn_tags_where(message->fields[i].tags, to->type, merging->error);
            return merging->error->status;
        }
    }
    merging->depth--;
    return TN_OK;
}

enum tn_status tn_chunk_merge(struct tn_mosaic        *to,
                              const struct tn_chunked *message,
                              struct tn_chunk_store   *store)
{
    struct merging merging = { .store = store, .error = to->all->error };

    merging.is_used =
        tn_new(to->all->arena, uint8_t, store->count, merging.error);
    if (!merging.is_used)
        return merging.error->status;
    return merge_message(&merging, message, to);
}

/* ---- chunks, in memory or in a file, as messages that callers hold ------ */

/* Chunks that the caller holds in memory. */
struct cache {
    struct tn_chunk_store store; /* first */
    struct tn_source     *sources;
};

struct tn_merger {
    struct tn_message *home; /* budget, files; its source is the file      */
    const struct tn_schema *schema;
    struct tn_options       options;
    bool                    is_chunked; /* else it is a plain message         */
    bool                    is_file;    /* the chunks are in `cpb`            */
    bool                    is_two;     /* of version 2                       */
    struct tn_cpb           cpb;
    struct cache            cache;
    struct tn_chunked       chunked; /* sorted, but see cache.store           */
    enum tn_scalar_form     scalars;
};

static enum tn_status cache_read(struct tn_chunk_store *store, uint64_t index,
                                 struct tn_span *chunk, struct tn_error *error)
{
    struct cache *cache = (struct cache *)store;

    (void)error;
    *chunk = (struct tn_span){ &cache->sources[index], 0,
                               cache->sources[index].size };
    return TN_OK;
}

void tn_merger_close(struct tn_merger *merger)
{
    if (!merger)
        return;
    if (merger->is_file)
        tn_cpb_close(&merger->cpb);
    for (uint64_t i = 0; i < merger->cache.store.count; i++)
        tn_source_close(&merger->cache.sources[i]);
    tn_message_close(merger->home); /* holds the merger, too */
}

/* A merger over the chunks of `home`, which it owns from then on. */
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

static struct tn_chunk_store *store_of(struct tn_merger *merger)
{
    return merger->is_file ? &merger->cpb.store : &merger->cache.store;
}

void tn_merger_scalars(struct tn_merger *merger, enum tn_scalar_form form)
{
    merger->scalars = form;
}

void tn_merger_sort(struct tn_merger *merger)
{
    tn_chunked_sort(&merger->chunked);
    merger->cache.store.is_in_order = false;
}

struct tn_split_version tn_merger_version(const struct tn_merger *merger)
{
    const struct tn_chunk_meta *meta = &merger->cpb.meta;

    if (!merger->is_file)
        return (struct tn_split_version){ 0, 0, NULL, 0 };
    return (struct tn_split_version){ meta->splitter_version,
                                      meta->join_version, meta->bad_consumers,
                                      meta->bad_consumer_count };
}

/* ---- opening ------------------------------------------------------------ */

/* A server is asked by opening the file. */
static bool is_there(const char *path, struct tn_arena *arena,
                     struct tn_error *error)
{
    struct tn_bundle bundle;
    struct tn_error  own = TN_ERROR_INIT;

    if (!tn_url_is(path))
        return tn_path_exists(path);
    if (tn_bundle_open(&bundle, arena->memory, path, NULL, &own) == TN_OK)
        tn_bundle_close(&bundle);
    else if (own.status != TN_NOT_FOUND)
        *error = own;
    return own.status == TN_OK;
}

char *tn_merge_find(const char *prefix, struct tn_arena *arena,
                    struct tn_error *error)
{
    static const char *const suffixes[] = { ".cpb", ".pb" };

    for (int i = 0; i < 2; i++)
        if (tn_text_ends_with(prefix, suffixes[i]))
            return tn_text_dup(arena, prefix, error);
    for (int i = 0; i < 2 && strcmp(prefix, "-") != 0; i++) {
        char *path = tn_text_format(arena, error, "%s%s", prefix, suffixes[i]);
        if (!path || is_there(path, arena, error))
            return path;
        if (tn_failed(error))
            return NULL;
    }
    if (!strcmp(prefix, "-") || is_there(prefix, arena, error))
        return tn_text_dup(arena, prefix, error);
    tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE,
                 "could not find the file, nor %s.cpb or %s.pb", prefix,
                 prefix);
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
    merger->is_two                       = merger->cpb.is_two;
    return TN_OK;
}

enum tn_status tn_merger_open(struct tn_merger      **out,
                              const struct tn_schema *schema, const char *type,
                              const char              *prefix,
                              const struct tn_options *options,
                              struct tn_error         *error)
{
    TN_ERROR_OR_OWN(error);
    *out = NULL;
    TN_TAKE_OPTIONS(options);
    struct tn_memory   memory;
    struct tn_arena    arena;
    struct tn_message *home = NULL;

    tn_memory_take_options(&memory, options);
    tn_arena_init(&arena, &memory);
    char *path = tn_merge_find(prefix, &arena, error);
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

/* ---- merging ------------------------------------------------------------ */

/* Merges all that the wanted paths need (count 0: everything) into one
 * message. */
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
        tn_chunk_merge(m, &wanted, store_of(merger));
    }
    return tn_failed(all->error) ? NULL : m;
}

static enum tn_status take_number(struct tn_mosaic         *m,
                                  const struct tn_tag_step *step,
                                  struct tn_rope           *to)
{
    uint64_t bits = 0;

    TN_TRY(tn_mosaic_number(m, step, &bits));
    tn_rope_bytes(to, tn_scalar_make(tn_step_value(step), m->all->scalars, bits,
                                     to->arena, to->error));
    return to->error->status;
}

/* What is at a path of a merged message, as bytes; *type is what it is. */
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
        return tn_pb_is_blob(tn_step_value(&last)->type)
                   ? tn_mosaic_take(m, &last, to)
                   : take_number(m, &last, to);
    tn_mosaic_write(m, to);
    return to->error->status;
}

/* The mosaic is freed before the message is made: for a million chunks it takes
 * hundreds of megabytes. */
static enum tn_status merge_pieces(struct tn_message    *out,
                                   struct tn_merger     *merger,
                                   const struct tn_tags *paths, uint64_t count,
                                   struct tn_tags path, struct tn_rope *to)
{
    struct tn_mosaics all;
    struct tn_arena   arena;

    tn_arena_init(&arena, &out->memory);
    tn_mosaics_init(&all, &arena, to->error);
    all.scalars         = merger->scalars;
    struct tn_mosaic *m = merge_fields(merger, &all, paths, count);
    if (m)
        extract(m, path, to, &out->type);
    tn_mosaics_done(&all);
    tn_arena_done(&arena);
    return to->error->status;
}

/* Existing mergers do not check versions: they cannot read version 2 at all. */
static void set_warning(struct tn_message *message, struct tn_merger *merger,
                        struct tn_error *error)
{
    struct tn_chunk_store *store = store_of(merger);

    if (store->joined[0] && !merger->is_two && !tn_failed(error))
        message->warning = tn_text_format(&message->arena, error,
                                          TN_JOINED_WARNING, store->joined);
    store->joined[0] = '\0';
}

static enum tn_status fill_message(struct tn_message    *out,
                                   struct tn_merger     *merger,
                                   const struct tn_tags *paths, uint64_t count,
                                   struct tn_tags path, struct tn_error *error)
{
    struct tn_rope   rope, flat;
    struct tn_asking asking;

    tn_rope_init(&rope, &out->arena, error);
    tn_rope_init(&flat, &out->arena, error);
    tn_asking_begin(&asking, &merger->options, "merging", &out->memory);
    if (merge_pieces(out, merger, paths, count, path, &rope) == TN_OK) {
        tn_rope_flatten(&rope, &flat);
        tn_source_rope(&out->source, &out->memory, &flat, "", error);
    }
    set_warning(out, merger, error);
    tn_asking_end(&asking);
    tn_rope_done(&rope);
    tn_rope_done(&flat);
    return error->status;
}

/* Returns the result, which owns the merger if that was made for it alone. */
static void close_merged(struct tn_message *message)
{
    tn_source_close(message->source);
    tn_merger_close(message->more);
}

enum tn_status tn_merger_merge(struct tn_message   **out,
                               struct tn_merger     *merger,
                               const struct tn_path *paths, uint64_t path_count,
                               struct tn_error *error)
{
    TN_ERROR_OR_OWN(error);
    uint64_t count = path_count;

    *out = NULL;
    if (count && !merger->is_chunked)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "a part of a chunked message was asked for, but "
                            "only a regular one is there");
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
    if (!tn_failed(error))
        return TN_OK;
    tn_message_close(message);
    *out = NULL;
    return error->status;
}

/* The same; the message owns the merger, which is closed at once if this
 * fails. */
static enum tn_status finish_alone(struct tn_message   **out,
                                   struct tn_merger     *merger,
                                   const struct tn_path *paths, uint64_t count,
                                   struct tn_error *error)
{
    if (tn_merger_merge(out, merger, paths, count, error) == TN_OK)
        (*out)->more = merger;
    else
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
    *out = NULL;
    TN_TAKE_OPTIONS(options);
    struct tn_merger *merger;

    TN_TRY(tn_merger_open(&merger, schema, type, prefix, options, error));
    return finish_alone(out, merger, paths, path_count, error);
}

enum tn_status tn_merger_open_bytes(struct tn_merger      **out,
                                    const struct tn_schema *schema,
                                    const char *type, struct tn_bytes bytes,
                                    const struct tn_options *options,
                                    struct tn_error         *error)
{
    TN_ERROR_OR_OWN(error);
    *out = NULL;
    TN_TAKE_OPTIONS(options);
    struct tn_message *home;

    TN_TRY(tn_message_bytes(&home, schema, type, bytes, options, error));
    struct tn_merger *merger = new_merger(home, schema, options, error);
    if (!merger)
        return error->status;
    if (open_chunks(merger, error) != TN_OK)
        tn_merger_close(merger);
    else
        *out = merger;
    return error->status;
}

enum tn_status tn_merge_bytes(struct tn_message     **out,
                              const struct tn_schema *schema, const char *type,
                              struct tn_bytes          bytes,
                              const struct tn_options *options,
                              struct tn_error         *error)
{
    TN_ERROR_OR_OWN(error);
    *out = NULL;
    TN_TAKE_OPTIONS(options);
    struct tn_merger *merger;

    TN_TRY(tn_merger_open_bytes(&merger, schema, type, bytes, options, error));
    return finish_alone(out, merger, NULL, 0, error);
}

static enum tn_status open_cache(struct tn_merger      *merger,
                                 const struct tn_bytes *chunks, uint64_t count,
                                 struct tn_error *error)
{
    struct tn_message *home  = merger->home;
    struct cache      *cache = &merger->cache;

    cache->store.read        = cache_read;
    cache->store.is_in_order = true;
    cache->sources = tn_new(&home->arena, struct tn_source, count, error);
    for (uint64_t i = 0; cache->sources && i < count; i++)
        tn_source_memory(&cache->sources[cache->store.count++], &home->memory,
                         chunks[i]);
    merger->is_chunked = true;
    TN_TRY(error->status);
    TN_TRY(tn_chunked_read(&merger->chunked, tn_message_span(home),
                           &home->arena, error));
    merger->is_two =
        tn_chunked_unwrap_in(&merger->chunked, TN_ENVELOPE_VERSION_2);
    return TN_OK;
}

enum tn_status tn_merger_open_chunks(
    struct tn_merger **out, const struct tn_schema *schema, const char *type,
    const struct tn_bytes *chunks, uint64_t chunk_count,
    struct tn_bytes chunked_message, const struct tn_options *options,
    struct tn_error *error)
{
    TN_ERROR_OR_OWN(error);
    *out = NULL;
    TN_TAKE_OPTIONS(options);
    struct tn_message *home;

    TN_TRY(
        tn_message_bytes(&home, schema, type, chunked_message, options, error));
    struct tn_merger *merger = new_merger(home, schema, options, error);
    if (!merger)
        return error->status;
    if (open_cache(merger, chunks, chunk_count, error) != TN_OK)
        tn_merger_close(merger);
    else
        *out = merger;
    return error->status;
}

enum tn_status tn_merge(struct tn_message **out, const struct tn_schema *schema,
                        const char *type, const struct tn_bytes *chunks,
                        uint64_t chunk_count, struct tn_bytes chunked_message,
                        const struct tn_options *options,
                        struct tn_error         *error)
{
    TN_ERROR_OR_OWN(error);
    *out = NULL;
    TN_TAKE_OPTIONS(options);
    struct tn_merger *merger;

    TN_TRY(tn_merger_open_chunks(&merger, schema, type, chunks, chunk_count,
                                 chunked_message, options, error));
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
