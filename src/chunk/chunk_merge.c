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
 *                    bytes go behind those that a chunk has put there
 */
#include "chunk/chunk_merge.h"

#include <inttypes.h>

#include "base/arith.h"
#include "wire/pb/pb_rules.h"

/* A shorter chunk is walked again sooner than remembered. */
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
    if (!store->known || chunk.length < LEAST_KNOWN || !tile->runs)
        return TN_OK;
    struct tn_field_run *runs = tn_new(store->arena, struct tn_field_run,
                                       tile->run_count, merging->error);
    if (!runs)
        return merging->error->status;
    memcpy(runs, tile->runs, tile->run_count * sizeof *runs);
    store->known[index] = (struct tn_chunk_known){ .is_whole  = true,
                                                   .run_count = tile->run_count,
                                                   .offset    = chunk.offset,
                                                   .runs      = runs };
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
    return tn_mosaic_merge_known(to, chunk, known->runs, known->run_count);
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
