/*
 * bytes_cut.c - divides long bytes into several chunks
 *
 * A chunk of bytes that is longer than the format allows is replaced by
 * several, each with a field of its own for the same path.  Numbers written as
 * text are not divided: mergers join bytes only.
 */
#include "base/arith.h"
#include "chunk/splitter.h"
#include "io/spool.h"
#include "wire/pb/pb_rules.h"

struct cutting {
    struct tn_splitter *root;
    struct tn_error    *error;
    uint64_t            most;
    uint64_t      *firsts; /* by field: where its pieces' fields begin    */
    struct tn_list chunks; /* struct tn_chunk *                           */
    struct tn_list fields; /* struct tn_chunked_field                     */
};

/* ---- how many ----------------------------------------------------------- */

static bool is_blob_at(const struct cutting *c, struct tn_tags tags)
{
    const struct tn_pb_message *type = c->root->type;
    struct tn_tag_step          step = { NULL, NULL };

    while (tags.count) {
        if (tn_tags_step(&tags, type, &step, c->error) != TN_OK)
            return false;
        type = tn_step_message(&step);
    }
    return step.field && tn_pb_is_blob(tn_step_value(&step)->type);
}

static uint64_t count_pieces(const struct cutting  *c,
                             const struct tn_chunk *chunk)
{
    uint64_t length = tn_chunk_length(chunk);

    if (chunk->type != TN_CHUNK_BYTES || length <= c->most ||
        !is_blob_at(c, tn_list_at(&c->root->fields, struct tn_chunked_field,
                                  chunk->field)
                           ->tags))
        return 1;
    return (length - 1) / c->most + 1;
}

static bool is_any_long(const struct cutting *c)
{
    for (uint64_t i = 0; i < c->root->chunks.count; i++)
        if (count_pieces(c, tn_chunk_at(c->root, i)) > 1)
            return true;
    return false;
}

/* Lists the fields in their old order, each as often as it has pieces. */
static void repeat_fields(struct cutting *c)
{
    struct tn_splitter *root  = c->root;
    uint64_t            count = root->fields.count;
    uint64_t *pieces          = tn_new(&root->arena, uint64_t, count, c->error);

    c->firsts = tn_new(&root->arena, uint64_t, count, c->error);
    if (!pieces || !c->firsts)
        return;
    for (uint64_t i = 0; i < root->chunks.count; i++)
        if (tn_chunk_at(root, i)->field != TN_NO_FIELD)
            pieces[tn_chunk_at(root, i)->field] =
                count_pieces(c, tn_chunk_at(root, i));
    for (uint64_t i = 0; i < count; i++) {
        c->firsts[i] = c->fields.count;
        for (uint64_t k = 0; k < pieces[i]; k++) {
            struct tn_chunked_field *field =
                tn_list_push(&c->fields, struct tn_chunked_field, c->error);
            if (!field)
                return;
            *field = *tn_list_at(&root->fields, struct tn_chunked_field, i);
        }
    }
}

/* ---- cutting ------------------------------------------------------------ */

/* Bytes that would be made while they are written are made now, in a file. */
static void spool(struct cutting *c, struct tn_rope *content)
{
    struct tn_source **slot;

    for (uint64_t i = 0; i < content->pieces.count; i++)
        if (tn_list_at(&content->pieces, struct tn_piece, i)->kind ==
            TN_PIECE_PRODUCER) {
            slot =
                tn_list_push(&c->root->spooled, struct tn_source *, c->error);
            if (!slot || tn_source_from_rope(slot, c->root->arena.memory,
                                             content, "", c->error) != TN_OK)
                return;
            tn_rope_done(content);
            tn_rope_span(content, (struct tn_span){ *slot, 0, (*slot)->size });
            return;
        }
}

/* Where a cut is: in which piece of the rope, and how far into it. */
struct cut {
    uint64_t piece, offset;
};

/* Up to `size` bytes from the cut on, which moves after them. */
static void copy_bytes(const struct tn_rope *from, struct cut *at,
                       uint64_t size, struct tn_rope *to)
{
    while (size && at->piece < from->pieces.count) {
        const struct tn_piece *piece =
            tn_list_at(&from->pieces, struct tn_piece, at->piece);
        uint64_t length = tn_min(size, piece->length - at->offset);
        if (piece->kind == TN_PIECE_BYTES)
            tn_rope_borrow(
                to, tn_bytes(piece->at.bytes + at->offset, (size_t)length));
        else
            tn_rope_span(to, (struct tn_span){
                                 piece->at.span.source,
                                 piece->at.span.offset + at->offset, length });
        size -= length;
        at->offset += length;
        if (at->offset == piece->length)
            *at = (struct cut){ at->piece + 1, 0 };
    }
}

static struct tn_chunk *push_chunk(struct cutting *c, struct tn_chunk *chunk)
{
    struct tn_chunk **slot =
        tn_list_push(&c->chunks, struct tn_chunk *, c->error);

    if (slot)
        *slot = chunk;
    return slot ? chunk : NULL;
}

/* Adds an empty chunk after the others. */
static struct tn_chunk *push_piece(struct cutting *c)
{
    struct tn_chunk *chunk =
        tn_new(&c->root->arena, struct tn_chunk, 1, c->error);

    if (!chunk)
        return NULL;
    chunk->type = TN_CHUNK_BYTES;
    return push_chunk(c, chunk);
}

/* The first piece is the chunk itself. */
static void cut_chunk(struct cutting *c, struct tn_chunk *chunk)
{
    uint64_t       field = c->firsts[chunk->field];
    struct tn_rope content, piece;
    struct cut     at = { 0, 0 };

    tn_chunk_open_rope(chunk, &c->root->arena, &content, c->error);
    if (chunk->is_rope)
        tn_rope_done(chunk->content.rope);
    chunk->is_rope = false;
    spool(c, &content);
    tn_rope_init(&piece, &c->root->arena, c->error);
    uint64_t left = content.length;
    for (chunk = push_chunk(c, chunk); chunk; chunk = push_piece(c)) {
        uint64_t size = tn_min(left, c->most);
        copy_bytes(&content, &at, size, &piece);
        tn_chunk_fill(chunk, &piece);
        chunk->field = field++;
        left -= size;
        if (!left || tn_failed(c->error))
            break;
    }
    tn_rope_done(&content);
    tn_rope_done(&piece);
}

/* After a failure: nothing else refers to the new chunks. */
static void drop_pieces(struct cutting *c)
{
    for (uint64_t i = 0; i < c->chunks.count; i++) {
        struct tn_chunk *chunk = *tn_list_at(&c->chunks, struct tn_chunk *, i);
        if (chunk->is_rope)
            tn_rope_done(chunk->content.rope);
    }
}

static void replace(struct tn_list *old, struct tn_list *fresh)
{
    struct tn_list gone = *old;

    *old   = *fresh;
    *fresh = gone;
}

void tn_splitter_cut(struct tn_splitter *root)
{
    struct cutting c = { root, &root->failure, root->format.max_bytes,
                         NULL, { 0 },          { 0 } };

    if (!is_any_long(&c))
        return;
    tn_list_init(&c.chunks, root->arena.memory, sizeof(struct tn_chunk *));
    tn_list_init(&c.fields, root->arena.memory,
                 sizeof(struct tn_chunked_field));
    repeat_fields(&c);
    for (uint64_t i = 0; i < root->chunks.count && !tn_failed(c.error); i++) {
        struct tn_chunk *chunk = tn_chunk_at(root, i);
        if (chunk->field == TN_NO_FIELD)
            push_chunk(&c, chunk);
        else if (count_pieces(&c, chunk) > 1)
            cut_chunk(&c, chunk);
        else if (push_chunk(&c, chunk))
            chunk->field = c.firsts[chunk->field];
    }
    if (!tn_failed(c.error)) {
        replace(&root->chunks, &c.chunks);
        replace(&root->fields, &c.fields);
    } else {
        drop_pieces(&c);
    }
    tn_list_done(&c.chunks);
    tn_list_done(&c.fields);
}
