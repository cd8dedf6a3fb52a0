/* split_adopt.c - chunks and a ChunkedMessage that were made elsewhere */
#include <inttypes.h>

#include "chunk/chunk_meta.h"
#include "chunk/splitter.h"

/* ---- checking ------------------------------------------------------------ */

static struct tn_bytes bytes_of(const struct tn_chunk *chunk)
{
    const struct tn_piece *first =
        chunk->is_rope ? chunk->content.rope->pieces.items : NULL;

    return first ? tn_bytes(first->at.bytes, (size_t)first->length)
                 : (struct tn_bytes){ NULL, 0 };
}

/* Checks that the chunk that a message begins with fits there. */
static bool check_chunk(struct tn_splitter      *root,
                        const struct tn_chunked *message, struct tn_tags tags,
                        const struct tn_pb_message *from)
{
    if (!message->has_chunk)
        return true;
    if (message->chunk >= root->chunks.count) {
        tn_error_set(&root->failure, TN_INVALID, TN_NOWHERE,
                     "chunk %" PRIu64 " does not exist: there are %" PRIu64
                     " chunks",
                     message->chunk, root->chunks.count);
        return false;
    }
    const struct tn_chunk *chunk = tn_chunk_at(root, message->chunk);
    return tn_splitter_check(root, chunk->type, bytes_of(chunk), tags, from);
}

static bool check_tree(struct tn_splitter *root, const struct tn_chunked *of,
                       const struct tn_pb_message *type);

static bool check_field(struct tn_splitter            *root,
                        const struct tn_chunked_field *field,
                        const struct tn_pb_message    *type)
{
    const struct tn_pb_message *to      = type;
    const struct tn_chunked    *message = &field->message;

    if (!tn_tags_follow(field->tags, &to))
        tn_error_set(&root->failure, TN_INVALID, TN_NOWHERE,
                     "%s has no such place", type->full_name);
    else if (!message->has_chunk && (!to || !field->tags.count))
        tn_error_set(&root->failure, TN_INVALID, TN_NOWHERE,
                     "a field that has no chunk");
    else if (message->field_count && !to)
        tn_error_set(&root->failure, TN_INVALID, TN_NOWHERE,
                     "fields inside of what is not a message");
    return !tn_failed(&root->failure) &&
           check_chunk(root, message, field->tags, type) &&
           check_tree(root, message, to);
}

/* The reader of metadata bounds the depth. */
static bool check_tree(struct tn_splitter *root, const struct tn_chunked *of,
                       const struct tn_pb_message *type)
{
    for (uint64_t i = 0; i < of->field_count; i++)
        if (!check_field(root, &of->fields[i], type)) {
            tn_tags_where(of->fields[i].tags, type, &root->failure);
            return false;
        }
    return true;
}

/* In version 1 a field of bytes is one chunk; in version 2 no chunk is longer
 * than the format allows, and a finished tree is not cut. */
static void check_bytes(struct tn_splitter *root, struct tn_span bytes)
{
    const struct tn_chunked_field *twice = NULL;
    uint64_t                       most  = root->format.max_bytes;
    struct tn_chunked              sorted;
    struct tn_arena                arena;

    tn_arena_init(&arena, root->arena.memory);
    if (root->format.version < 2 &&
        tn_chunked_read(&sorted, bytes, &arena, &root->failure) == TN_OK) {
        tn_chunked_sort(&sorted);
        twice = tn_chunked_find_double(&sorted, root->type);
    }
    if (twice)
        tn_splitter_refuse_double(root, twice);
    for (uint64_t i = 0; most && i < root->chunks.count; i++)
        if (tn_chunk_length(tn_chunk_at(root, i)) > most)
            tn_error_set(&root->failure, TN_INVALID, TN_NOWHERE,
                         "chunk[%" PRIu64 "] has %" PRIu64 " bytes, the format "
                         "allows %" PRIu64,
                         i, tn_chunk_length(tn_chunk_at(root, i)), most);
    tn_arena_done(&arena);
}

/* ---- taking over --------------------------------------------------------- */

static void add_chunks(struct tn_splitter       *root,
                       const enum tn_chunk_type *types,
                       const struct tn_bytes *chunks, uint64_t count)
{
    struct tn_rope rope;

    for (uint64_t i = 0; i < count && !tn_failed(&root->failure); i++) {
        struct tn_chunk *chunk = tn_splitter_insert(root, TN_AT_END);
        if (!chunk)
            return;
        chunk->type = types[i];
        tn_rope_init(&rope, &root->arena, &root->failure);
        tn_rope_borrow(&rope, chunks[i]);
        tn_chunk_fill(chunk, &rope);
        tn_rope_done(&rope);
    }
}

/* A source of the bytes, which lives as long as the splitter. */
static struct tn_source *keep_bytes(struct tn_splitter *root,
                                    struct tn_bytes     bytes)
{
    struct tn_source *source =
        tn_new(&root->arena, struct tn_source, 1, &root->failure);
    struct tn_source **slot =
        source
            ? tn_list_push(&root->spooled, struct tn_source *, &root->failure)
            : NULL;

    if (!slot)
        return NULL;
    tn_source_memory(source, root->arena.memory, bytes);
    *slot = source;
    return source;
}

static void drop_chunks(struct tn_splitter *root)
{
    for (uint64_t i = 0; i < root->chunks.count; i++)
        if (tn_chunk_at(root, i)->is_rope)
            tn_rope_done(tn_chunk_at(root, i)->content.rope);
    root->chunks.count = 0;
}

static void adopt(struct tn_splitter *root, struct tn_bytes chunked_message)
{
    struct tn_chunked *result = &root->result;
    struct tn_source  *source = keep_bytes(root, chunked_message);

    if (!source)
        return;
    struct tn_span span = { source, 0, source->size };
    if (tn_chunked_read(result, span, &root->arena, &root->failure) != TN_OK)
        return;
    bool is_two = tn_chunked_unwrap_in(result, TN_ENVELOPE_VERSION_2);
    if (is_two && root->format.version != 2)
        tn_error_set(&root->failure, TN_INVALID, TN_NOWHERE,
                     "chunks of version 2: give the splitter that format");
    else if (check_chunk(root, result, (struct tn_tags){ NULL, 0 },
                         root->type) &&
             check_tree(root, result, root->type))
        check_bytes(root, span);
    if (!tn_failed(&root->failure))
        tn_splitter_serialize(root, *result);
}

enum tn_status tn_splitter_adopt(struct tn_splitter       *splitter,
                                 const enum tn_chunk_type *types,
                                 const struct tn_bytes    *chunks,
                                 uint64_t                  chunk_count,
                                 struct tn_bytes           chunked_message,
                                 struct tn_error          *error)
{
    TN_ERROR_OR_OWN(error);
    struct tn_splitter *root = splitter->root;

    if (root != splitter)
        tn_error_set(
            &root->failure, TN_INVALID, TN_NOWHERE,
            "a child gives its chunks to its parent: call this on the parent");
    else if (root->is_split || root->chunks.count)
        tn_error_set(&root->failure, TN_INVALID, TN_NOWHERE,
                     "there are chunks already");
    else
        add_chunks(root, types, chunks, chunk_count);
    if (!tn_failed(&root->failure)) {
        adopt(root, chunked_message);
        root->is_split = root->is_adopted = !tn_failed(&root->failure);
        if (!root->is_split) {
            drop_chunks(root);
            root->result = (struct tn_chunked){ .has_chunk = false };
        }
    }
    return tn_splitter_end(root, error);
}
