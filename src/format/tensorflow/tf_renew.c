/* tf_renew.c - the fingerprint of a SavedModel that is being written */
#include "format/tensorflow/tf_renew.h"

#define INDEX "variables/variables.index"

/* ---- chunks that a splitter made ----------------------------------------- */

struct made_chunks {
    struct tn_chunk_store store; /* first */
    struct tn_splitter   *splitter;
};

static enum tn_status read_made(struct tn_chunk_store *store, uint64_t index,
                                struct tn_span *chunk, struct tn_error *error)
{
    struct tn_splitter *splitter = ((struct made_chunks *)store)->splitter;
    uint8_t             none;

    /* no bytes of it, but now it can be read */
    TN_TRY(tn_splitter_chunk_read(splitter, index, 0, &none, 0, error));
    const struct tn_chunk *made =
        *tn_list_at(&splitter->chunks, struct tn_chunk *, index);
    *chunk = (struct tn_span){ made->source, 0, tn_chunk_length(made) };
    return TN_OK;
}

/* As the file will list them: formulas go by that order. */
static enum tn_status print_made(struct tn_tf_fingerprint *print,
                                 struct tn_splitter       *splitter,
                                 struct tn_memory         *memory,
                                 struct tn_error          *error)
{
    struct made_chunks made    = { .store    = { .count = tn_splitter_chunk_count(
                                                     splitter),
                                                 .read = read_made },
                                   .splitter = splitter };
    struct tn_chunked  chunked = splitter->result;
    struct tn_arena    arena;

    tn_arena_init(&arena, memory);
    chunked.fields =
        tn_new(&arena, struct tn_chunked_field, chunked.field_count, error);
    if (chunked.fields) {
        if (chunked.field_count)
            memcpy(chunked.fields, splitter->result.fields,
                   (size_t)chunked.field_count * sizeof *chunked.fields);
        tn_chunked_sort(&chunked);
        tn_tf_fingerprint_chunks(print, &chunked, &made.store, memory, error);
    }
    tn_arena_done(&arena);
    return error->status;
}

/* ---- the new one --------------------------------------------------------- */

static bool is_about_the_machine(enum tn_status status)
{
    return status == TN_NO_MEMORY || status == TN_LIMIT || status == TN_IO ||
           status == TN_CANCELLED;
}

/* The old one gives its name to the new one. */
static void renew(struct tn_tf_fingerprint *print, struct tn_source *old,
                  const struct tn_tf_written *written, struct tn_arena *arena,
                  struct tn_error *error)
{
    struct tn_splitter *splitter = written->splitter;

    tn_tf_fingerprint_read(print, (struct tn_span){ old, 0, old->size }, error);
    if (tn_failed(error))
        return;
    if (splitter->format.version > 1)
        tn_error_set(error, TN_UNSUPPORTED, TN_NOWHERE,
                     "TensorFlow has no formula for chunks of version 2");
    else if (tn_splitter_chunk_count(splitter) > 1)
        print_made(print, splitter, arena->memory, error);
    else
        tn_tf_fingerprint_message(print, tn_message_span(splitter->message),
                                  arena->memory, error);
    print->hashes[TN_TF_CHECKPOINT] = written->checkpoint;
    if (!written->is_same_model && print->uuid.size && !tn_failed(error))
        tn_tf_fingerprint_name(print, arena, error);
}

static enum tn_status write_print(const struct tn_tf_fingerprint *print,
                                  struct tn_output *to, struct tn_arena *arena,
                                  struct tn_error *error)
{
    struct tn_rope  rope;
    struct tn_sink *sink;

    TN_TRY(tn_output_side(to, TN_TF_FINGERPRINT, &sink, error));
    tn_rope_init(&rope, arena, error);
    tn_tf_fingerprint_write(print, &rope);
    tn_rope_write(&rope, sink, error);
    tn_rope_done(&rope);
    return error->status;
}

enum tn_status tn_tf_renew(const struct tn_tf_written *written,
                           struct tn_error *dropped, struct tn_error *error)
{
    struct tn_tf_fingerprint print;
    struct tn_source        *old;
    struct tn_arena          arena;

    *dropped = (struct tn_error)TN_ERROR_INIT;
    if (!tn_bundle_has(written->from, TN_TF_FINGERPRINT))
        return TN_OK;
    tn_arena_init(&arena, written->from->memory);
    if (tn_bundle_sibling(written->from, tn_text(TN_TF_FINGERPRINT), &old,
                          dropped) == TN_OK)
        renew(&print, old, written, &arena, dropped);
    if (is_about_the_machine(dropped->status))
        *error = *dropped;
    else if (!tn_failed(dropped))
        write_print(&print, written->to, &arena, error);
    tn_arena_done(&arena);
    return error->status;
}

enum tn_status tn_tf_old_checkpoint(struct tn_bundle *from, uint64_t *hash,
                                    struct tn_error *error)
{
    struct tn_tf_fingerprint print = { .producer = 0 };
    struct tn_source        *index = NULL;

    if (tn_bundle_has(from, INDEX))
        TN_TRY(tn_bundle_sibling(from, tn_text(INDEX), &index, error));
    TN_TRY(tn_tf_fingerprint_checkpoint(&print, index, error));
    *hash = print.hashes[TN_TF_CHECKPOINT];
    return TN_OK;
}

/* ---- passing by ---------------------------------------------------------- */

static enum tn_status tee_write(struct tn_sink *sink, struct tn_bytes bytes,
                                struct tn_error *error)
{
    struct tn_tf_tee *tee = (struct tn_tf_tee *)sink;

    tn_farmhash_add(&tee->hash, bytes);
    return tn_sink_write(tee->to, bytes, error);
}

static const struct tn_sink_ops tee_ops = { .write = tee_write };

void tn_tf_tee_init(struct tn_tf_tee *tee, struct tn_sink *to)
{
    *tee = (struct tn_tf_tee){ .sink = { .ops = &tee_ops }, .to = to };
    tn_farmhash_init(&tee->hash);
}
