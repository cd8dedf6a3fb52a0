/* splitter.c - a message is taken apart, one call after the other */
#include "chunk/splitter.h"

#include <inttypes.h>

#include "chunk/chunk_meta.h"
#include "chunk/chunk_scalar.h"
#include "chunk/cpb.h"
#include "io/rope_source.h"
#include "io/spool.h"
#include "wire/pb/pb_rules.h"

/* ---- handles ------------------------------------------------------------- */

static void init_root(struct tn_splitter *root, struct tn_message *message)
{
    struct tn_memory *memory = &message->memory;

    *root = (struct tn_splitter){
        .root    = root,
        .type    = message->type,
        .message = message,
        .failure = TN_ERROR_INIT,
    };
    tn_arena_init(&root->arena, memory);
    tn_mosaics_init(&root->mosaics, &root->arena, &root->failure);
    root->mosaics.survey = (struct tn_survey_how){ true, message->workers };
    tn_list_init(&root->chunks, memory, sizeof(struct tn_chunk *));
    tn_list_init(&root->fields, memory, sizeof(struct tn_chunked_field));
    tn_list_init(&root->spooled, memory, sizeof(struct tn_source *));
    tn_rope_init(&root->first_piece, &root->arena, &root->failure);
    tn_buffer_init(&root->chunked, memory, &root->failure);
    tn_buffer_init(&root->file, memory, &root->failure);
}

enum tn_status tn_splitter_open(struct tn_splitter **out,
                                struct tn_message   *message,
                                struct tn_error     *error)
{
    TN_ERROR_OR_OWN(error);
    *out = NULL;
    if (!message->type)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "the bytes of a field are not a message");
    struct tn_splitter *root =
        tn_memory_resize(&message->memory, NULL, 0, sizeof *root, error);
    if (!root)
        return error->status;
    init_root(root, message);
    root->base = tn_mosaic_new(&root->mosaics, message->type);
    if (root->base &&
        tn_mosaic_merge(root->base, tn_message_span(message)) == TN_OK) {
        *out = root;
        return TN_OK;
    }
    *error = root->failure;
    tn_splitter_close(root);
    return error->status;
}

void tn_splitter_close(struct tn_splitter *splitter)
{
    if (!splitter || splitter->root != splitter)
        return;
    for (uint64_t i = 0; i < splitter->chunks.count; i++) {
        struct tn_chunk *chunk =
            *tn_list_at(&splitter->chunks, struct tn_chunk *, i);
        tn_source_close(chunk->source);
        if (chunk->is_rope)
            tn_rope_done(chunk->content.rope);
    }
    for (uint64_t i = 0; i < splitter->spooled.count; i++)
        tn_source_close(*tn_list_at(&splitter->spooled, struct tn_source *, i));
    tn_list_done(&splitter->spooled);
    tn_list_done(&splitter->chunks);
    tn_list_done(&splitter->fields);
    tn_rope_done(&splitter->first_piece);
    tn_buffer_done(&splitter->chunked);
    tn_buffer_done(&splitter->file);
    tn_mosaics_done(&splitter->mosaics);
    tn_arena_done(&splitter->arena);
    tn_memory_free(&splitter->message->memory, splitter, sizeof *splitter);
}

enum tn_status tn_splitter_end(struct tn_splitter *root, struct tn_error *error)
{
    enum tn_status status = root->failure.status;

    if (status == TN_OK)
        return TN_OK;
    *error = root->failure;
    if (status == TN_INVALID || status == TN_NOT_FOUND)
        root->failure = (struct tn_error)TN_ERROR_INIT;
    return status;
}

/* The result cannot be changed after it was made. */
static bool may_change(struct tn_splitter *splitter)
{
    struct tn_splitter *root = splitter->root;

    if (root->is_split)
        tn_error_set(&root->failure, TN_INVALID, TN_NOWHERE,
                     "the message is split already");
    return !tn_failed(&root->failure);
}

/* ---- paths --------------------------------------------------------------- */

/* Where steps lead, seen from the splitter's message. */
struct spot {
    struct tn_tags              tags; /* from the root                        */
    struct tn_mosaic           *m;    /* the message of the last step         */
    struct tn_tag_step          step; /* the last; field NULL: m itself       */
    const struct tn_pb_message *type; /* where it leads; NULL: no message     */
};

static const struct tn_pb_message *type_at(const struct tn_pb_message *type,
                                           struct tn_tags              tags,
                                           struct tn_tag_step         *step,
                                           struct tn_error            *error)
{
    *step = (struct tn_tag_step){ NULL, NULL };
    while (tags.count)
        if (tn_tags_step(&tags, type, step, error) != TN_OK)
            return NULL;
        else
            type = tn_step_message(step);
    return type;
}

static bool build_tags(struct tn_splitter   *splitter,
                       const struct tn_step *steps, uint64_t count,
                       bool can_end_whole, struct tn_tags *tags)
{
    struct tn_splitter *root = splitter->root;

    if (tn_tags_build(tags, splitter->type, steps, count, can_end_whole,
                      &root->arena, &root->failure) != TN_OK)
        return false;
    if (splitter->path.count)
        *tags =
            tn_tags_join(splitter->path, *tags, &root->arena, &root->failure);
    return !tn_failed(&root->failure);
}

/* The number of tags of the last step of a path, which `spot.step`
 * describes. */
static uint64_t last_step_size(const struct tn_tag_step *step)
{
    return !step->field ? 0 : step->element ? 2 : 1;
}

/* The message that the last step starts in. */
static bool find_spot(struct tn_splitter *splitter, const struct tn_step *steps,
                      uint64_t count, struct spot *spot)
{
    struct tn_splitter *root = splitter->root;
    struct tn_tag_step  none;

    if (!build_tags(splitter, steps, count, false, &spot->tags))
        return false;
    spot->type = type_at(root->type, spot->tags, &spot->step, &root->failure);
    struct tn_tags before = spot->tags;
    before.count -= last_step_size(&spot->step);
    spot->m = tn_failed(&root->failure)
                  ? NULL
                  : tn_mosaic_path(root->base, before, TN_MOSAIC_FIND, &none);
    return spot->m != NULL;
}

/* The same for steps that end at a field with all its elements. */
static bool find_field(struct tn_splitter   *splitter,
                       const struct tn_step *steps, uint64_t count,
                       struct spot *spot, const struct tn_pb_field_type **field)
{
    struct tn_splitter *root = splitter->root;
    struct tn_tag_step  none;

    if (count == 0) {
        tn_error_set(&root->failure, TN_INVALID, TN_NOWHERE,
                     "a field is needed: there are no steps");
        return false;
    }
    if (!build_tags(splitter, steps, count, true, &spot->tags))
        return false;
    const struct tn_field_tag *last = &spot->tags.at[spot->tags.count - 1];
    if (last->kind != TN_TAG_FIELD) {
        tn_error_set(&root->failure, TN_INVALID, TN_NOWHERE,
                     "the steps end at an element, not at a field");
        return false;
    }
    spot->tags.count--;
    spot->m = tn_mosaic_path(root->base, spot->tags, TN_MOSAIC_FIND, &none);
    *field  = spot->m
                  ? tn_pb_message_field(spot->m->type, (uint32_t)last->at.number)
                  : NULL;
    return *field != NULL;
}

enum tn_status tn_splitter_child(struct tn_splitter  **out,
                                 struct tn_splitter   *parent,
                                 const struct tn_step *steps, uint64_t count,
                                 struct tn_error *error)
{
    TN_ERROR_OR_OWN(error);
    struct tn_splitter *root = parent->root;
    struct tn_tag_step  step;
    struct tn_tags      tags;

    *out = NULL;
    struct tn_splitter *child =
        tn_new(&root->arena, struct tn_splitter, 1, &root->failure);
    if (!child || !build_tags(parent, steps, count, false, &tags))
        return tn_splitter_end(root, error);
    *child      = (struct tn_splitter){ .root = root, .path = tags };
    child->type = type_at(root->type, tags, &step, &root->failure);
    if (!child->type)
        tn_error_set(&root->failure, TN_INVALID, TN_NOWHERE,
                     "there is no message to split at these steps");
    else
        *out = child;
    return tn_splitter_end(root, error);
}

/* ---- chunks -------------------------------------------------------------- */

struct tn_chunk *tn_splitter_insert(struct tn_splitter *root, uint64_t index)
{
    struct tn_chunk *chunk =
        tn_new(&root->arena, struct tn_chunk, 1, &root->failure);
    struct tn_chunk **last =
        chunk ? tn_list_push(&root->chunks, struct tn_chunk *, &root->failure)
              : NULL;

    if (!last)
        return NULL;
    if (index >= root->chunks.count)
        index = root->chunks.count - 1;
    struct tn_chunk **at = tn_list_at(&root->chunks, struct tn_chunk *, index);
    memmove(at + 1, at, (size_t)(last - at) * sizeof(struct tn_chunk *));
    *at          = chunk;
    chunk->field = TN_NO_FIELD;
    return chunk;
}

void tn_chunk_open_rope(const struct tn_chunk *chunk, struct tn_arena *arena,
                        struct tn_rope *to, struct tn_error *error)
{
    tn_rope_init(to, arena, error);
    if (!chunk->is_rope) {
        tn_rope_span(to, chunk->content.span);
        return;
    }
    const struct tn_list *pieces = &chunk->content.rope->pieces;
    struct tn_piece      *copy =
        pieces->count ? tn_list_grow(&to->pieces, pieces->count, error) : NULL;
    if (copy)
        memcpy(copy, pieces->items, (size_t)pieces->count * sizeof *copy);
    to->length = copy ? chunk->content.rope->length : 0;
}

void tn_chunk_fill(struct tn_chunk *chunk, struct tn_rope *content)
{
    const struct tn_piece *first = content->pieces.items;

    if (content->pieces.count == 0 ||
        (content->pieces.count == 1 && first->kind == TN_PIECE_SPAN)) {
        if (content->pieces.count) {
            chunk->content.span        = first->at.span;
            chunk->content.span.length = first->length;
        }
        tn_rope_done(content);
        return;
    }
    struct tn_rope *rope =
        tn_new(content->arena, struct tn_rope, 1, content->error);
    if (!rope) {
        tn_rope_done(content);
        return;
    }
    *rope               = *content;
    chunk->is_rope      = true;
    chunk->content.rope = rope;
    tn_rope_init(content, rope->arena, rope->error);
    tn_list_trim(&rope->pieces);
}

void tn_splitter_add(struct tn_splitter *root, enum tn_chunk_type type,
                     struct tn_rope *content, struct tn_tags tags,
                     uint64_t index)
{
    struct tn_chunk         *chunk = tn_splitter_insert(root, index);
    struct tn_chunked_field *field =
        chunk ? tn_list_push(&root->fields, struct tn_chunked_field,
                             &root->failure)
              : NULL;

    if (!field) {
        tn_rope_done(content);
        return;
    }
    field->tags    = tags;
    field->message = (struct tn_chunked){ .has_chunk = true };
    chunk->type    = type;
    chunk->field   = root->fields.count - 1;
    tn_chunk_fill(chunk, content);
}

enum tn_status tn_splitter_keep_base(struct tn_splitter *splitter,
                                     struct tn_error    *error)
{
    TN_ERROR_OR_OWN(error);
    struct tn_splitter *root = splitter->root;

    if (root != splitter)
        tn_error_set(&root->failure, TN_INVALID, TN_NOWHERE,
                     "only the whole message can be the base");
    if (may_change(splitter) && !root->keeps_base) {
        struct tn_chunk *chunk = tn_splitter_insert(root, 0);
        if (chunk)
            chunk->type = TN_CHUNK_MESSAGE;
        root->keeps_base = chunk != NULL;
    }
    return tn_splitter_end(root, error);
}

static const char *wrong_type(enum tn_chunk_type type, bool is_message)
{
    if (type != TN_CHUNK_MESSAGE && type != TN_CHUNK_BYTES)
        return "a chunk is a message or bytes";
    if (is_message && type == TN_CHUNK_BYTES)
        return "there is a message at these steps: bytes do not fit";
    if (!is_message && type == TN_CHUNK_MESSAGE)
        return "there is no message at these steps: only bytes fit";
    return NULL;
}

bool tn_splitter_check(struct tn_splitter *root, enum tn_chunk_type type,
                       struct tn_bytes bytes, struct tn_tags tags,
                       const struct tn_pb_message *from)
{
    struct tn_error            *failure = &root->failure;
    struct tn_tag_step          step;
    const struct tn_pb_message *to = type_at(from, tags, &step, failure);

    if (tn_failed(failure))
        return false;
    const char *wrong = wrong_type(type, to != NULL);
    if (wrong)
        tn_error_set(failure, TN_INVALID, TN_NOWHERE, "%s", wrong);
    else if (!to && !tn_pb_is_blob(tn_step_value(&step)->type))
        tn_scalar_check(tn_step_value(&step), root->scalars, bytes, failure);
    return !tn_failed(failure);
}

enum tn_status tn_splitter_add_chunk(struct tn_splitter   *splitter,
                                     enum tn_chunk_type    type,
                                     struct tn_bytes       bytes,
                                     const struct tn_step *steps,
                                     uint64_t count, uint64_t index,
                                     struct tn_error *error)
{
    TN_ERROR_OR_OWN(error);
    struct tn_splitter *root = splitter->root;
    struct tn_tags      tags;
    struct tn_rope      rope;

    tn_rope_init(&rope, &root->arena, &root->failure);
    if (may_change(splitter) &&
        build_tags(splitter, steps, count, false, &tags) &&
        tn_splitter_check(root, type, bytes, tags, root->type)) {
        tn_rope_borrow(&rope, bytes);
        tn_splitter_add(root, type, &rope, tags, index);
    }
    tn_rope_done(&rope);
    return tn_splitter_end(root, error);
}

typedef enum tn_status mosaic_taker(struct tn_mosaic         *m,
                                    const struct tn_tag_step *step,
                                    struct tn_rope           *to);

static enum tn_status take_spot(struct tn_splitter   *splitter,
                                const struct tn_step *steps, uint64_t count,
                                uint64_t index, mosaic_taker *take,
                                struct tn_error *error)
{
    struct tn_splitter *root = splitter->root;
    struct spot         spot;
    struct tn_rope      rope;

    tn_rope_init(&rope, &root->arena, &root->failure);
    if (may_change(splitter) && find_spot(splitter, steps, count, &spot)) {
        enum tn_status status = spot.step.field
                                    ? take(spot.m, &spot.step, &rope)
                                    : tn_mosaic_empty(spot.m, &rope);
        if (status == TN_OK)
            tn_splitter_add(root, spot.type ? TN_CHUNK_MESSAGE : TN_CHUNK_BYTES,
                            &rope, spot.tags, index);
    }
    tn_rope_done(&rope);
    return tn_splitter_end(root, error);
}

enum tn_status tn_splitter_take(struct tn_splitter   *splitter,
                                const struct tn_step *steps, uint64_t count,
                                uint64_t index, struct tn_error *error)
{
    TN_ERROR_OR_OWN(error);
    return take_spot(splitter, steps, count, index, tn_mosaic_take, error);
}

enum tn_status tn_splitter_hollow(struct tn_splitter   *splitter,
                                  const struct tn_step *steps, uint64_t count,
                                  uint64_t index, struct tn_error *error)
{
    TN_ERROR_OR_OWN(error);
    return take_spot(splitter, steps, count, index, tn_mosaic_hollow, error);
}

enum tn_status tn_splitter_slice(struct tn_splitter   *splitter,
                                 const struct tn_step *steps, uint64_t count,
                                 uint64_t begin, uint64_t end, uint64_t index,
                                 struct tn_error *error)
{
    TN_ERROR_OR_OWN(error);
    struct tn_splitter            *root = splitter->root;
    const struct tn_pb_field_type *field;
    struct spot                    spot;
    struct tn_rope                 rope;

    tn_rope_init(&rope, &root->arena, &root->failure);
    if (may_change(splitter) &&
        find_field(splitter, steps, count, &spot, &field) &&
        tn_mosaic_slice(spot.m, field, begin, end, &rope) == TN_OK)
        tn_splitter_add(root, TN_CHUNK_MESSAGE, &rope, spot.tags, index);
    tn_rope_done(&rope);
    return tn_splitter_end(root, error);
}

enum tn_status tn_splitter_clear(struct tn_splitter   *splitter,
                                 const struct tn_step *steps, uint64_t count,
                                 struct tn_error *error)
{
    TN_ERROR_OR_OWN(error);
    struct tn_splitter            *root = splitter->root;
    const struct tn_pb_field_type *field;
    struct spot                    spot;

    if (may_change(splitter) &&
        find_field(splitter, steps, count, &spot, &field))
        tn_mosaic_clear(spot.m, field);
    return tn_splitter_end(root, error);
}

enum tn_status tn_splitter_count(struct tn_splitter   *splitter,
                                 const struct tn_step *steps, uint64_t count,
                                 uint64_t *elements, struct tn_error *error)
{
    TN_ERROR_OR_OWN(error);
    const struct tn_pb_field_type *field;
    struct spot                    spot;

    *elements = 0;
    if (find_field(splitter, steps, count, &spot, &field))
        *elements = tn_mosaic_count(spot.m, field);
    return tn_splitter_end(splitter->root, error);
}

enum tn_status tn_splitter_size(struct tn_splitter   *splitter,
                                const struct tn_step *steps, uint64_t count,
                                uint64_t *size, struct tn_error *error)
{
    TN_ERROR_OR_OWN(error);
    struct tn_splitter *root = splitter->root;
    struct tn_tag_step  last;
    struct tn_tags      tags;

    *size = 0;
    if (build_tags(splitter, steps, count, false, &tags)) {
        struct tn_mosaic *m =
            tn_mosaic_path(root->base, tags, TN_MOSAIC_FIND, &last);
        if (m && last.field)
            tn_error_set(&root->failure, TN_INVALID, TN_NOWHERE,
                         "there is no message at these steps");
        else if (m)
            *size = tn_mosaic_size(m);
    }
    return tn_splitter_end(root, error);
}

static const char *wrong_format(const struct tn_split_format *format)
{
    bool has_more = format->separates_bytes || format->max_bytes ||
                    format->max_metadata || format->max_file;

    if (format->version > 2)
        return "there are versions 1 and 2 of the format";
    if (format->version < 2 && has_more)
        return "version 1 is one file with one chunk for a field of bytes: "
               "say version 2";
    if (format->max_file && format->max_file < TN_CPB_LEAST_FILE)
        return "a file takes at least 1024 bytes";
    if (format->max_metadata && format->max_metadata < TN_CPB_LEAST_METADATA)
        return "a record of metadata takes at least 256 bytes";
    return NULL;
}

static const char *wrong_version(const struct tn_split_version *version,
                                 unsigned                       format)
{
    if (version->producer < 0 || version->min_consumer < 0)
        return "versions are not negative";
    if (format == 2 && version->min_consumer < TN_JOIN_VERSION_2)
        return "version 2 of the format takes mergers of join version 1: "
               "min_consumer is less";
    return NULL;
}

enum tn_status tn_splitter_version(struct tn_splitter            *splitter,
                                   const struct tn_split_version *version,
                                   struct tn_error               *error)
{
    TN_ERROR_OR_OWN(error);
    struct tn_splitter *root = splitter->root;
    const char         *wrong =
        root != splitter
                    ? "a child gives its chunks to its parent: call this on the parent"
                    : wrong_version(version, root->format.version);
    uint64_t count = version->bad_consumer_count;
    int32_t *bad   = tn_new(&root->arena, int32_t, count, &root->failure);

    if (wrong)
        tn_error_set(&root->failure, TN_INVALID, TN_NOWHERE, "%s", wrong);
    if (bad && may_change(splitter)) {
        if (count)
            memcpy(bad, version->bad_consumers, (size_t)count * sizeof *bad);
        root->version               = *version;
        root->version.bad_consumers = bad;
        root->has_version           = true;
    }
    return tn_splitter_end(root, error);
}

enum tn_status tn_splitter_scalars(struct tn_splitter *splitter,
                                   enum tn_scalar_form form,
                                   struct tn_error    *error)
{
    TN_ERROR_OR_OWN(error);
    struct tn_splitter *root = splitter->root;

    if (form != TN_SCALARS_TEXT && form != TN_SCALARS_BINARY)
        tn_error_set(&root->failure, TN_INVALID, TN_NOWHERE,
                     "numbers are text or binary");
    else if (form != root->scalars && root->fields.count)
        tn_error_set(&root->failure, TN_INVALID, TN_NOWHERE,
                     "there are chunks already: set the form of numbers first");
    if (may_change(splitter))
        root->scalars = form;
    return tn_splitter_end(root, error);
}

enum tn_status tn_splitter_format(struct tn_splitter           *splitter,
                                  const struct tn_split_format *format,
                                  struct tn_error              *error)
{
    TN_ERROR_OR_OWN(error);
    struct tn_splitter *root = splitter->root;
    const char         *wrong =
        root != splitter
                    ? "a child gives its chunks to its parent: call this on the parent"
                    : wrong_format(format);

    if (!wrong && root->has_version)
        wrong = wrong_version(&root->version, format->version);
    if (wrong)
        tn_error_set(&root->failure, TN_INVALID, TN_NOWHERE, "%s", wrong);
    if (may_change(splitter)) {
        root->format = *format;
        if (format->max_file) {
            uint64_t room = tn_cpb_chunk_room(format->max_file);
            if (!format->max_bytes || format->max_bytes > room)
                root->format.max_bytes = room;
        }
    }
    return tn_splitter_end(root, error);
}

enum tn_status tn_splitter_tags(struct tn_splitter   *splitter,
                                const struct tn_step *steps, uint64_t count,
                                struct tn_bytes *field, struct tn_error *error)
{
    TN_ERROR_OR_OWN(error);
    struct tn_splitter *root = splitter->root;
    struct tn_tags      tags;

    *field = (struct tn_bytes){ NULL, 0 };
    if (build_tags(splitter, steps, count, false, &tags))
        *field = tn_tags_write(tags, &root->arena, &root->failure);
    return tn_splitter_end(root, error);
}

/* ---- the result ---------------------------------------------------------- */

void tn_splitter_order(struct tn_splitter *root)
{
    struct tn_chunked all  = { .fields      = root->fields.items,
                               .field_count = root->fields.count };
    uint64_t          base = root->keeps_base ? 1 : 0;
    struct tn_chunk **old  = tn_new(&root->arena, struct tn_chunk *,
                                    root->chunks.count, &root->failure);

    if (!old)
        return;
    for (uint64_t i = 0; i < root->chunks.count; i++) {
        old[i] = tn_chunk_at(root, i);
        if (old[i]->field != TN_NO_FIELD)
            all.fields[old[i]->field].message.chunk = i;
        else
            *tn_list_at(&root->chunks, struct tn_chunk *, 0) = old[i];
    }
    tn_chunked_sort(&all);
    for (uint64_t i = 0; i < all.field_count; i++) {
        struct tn_chunk *chunk = old[all.fields[i].message.chunk];
        chunk->field           = i;
        *tn_list_at(&root->chunks, struct tn_chunk *, base + i) = chunk;
    }
}

/* The base as it is by now, and every field with the number of its chunk. */
static void number_chunks(struct tn_splitter *root)
{
    struct tn_chunked *result = &root->result;

    tn_list_trim(&root->fields); /* no more will come */
    tn_list_trim(&root->chunks);
    result->fields      = root->fields.items;
    result->field_count = root->fields.count;
    for (uint64_t i = 0; i < root->chunks.count; i++) {
        struct tn_chunk *chunk = tn_chunk_at(root, i);
        if (chunk->field != TN_NO_FIELD) {
            result->fields[chunk->field].message.chunk = i;
            continue;
        }
        result->has_chunk = true;
        result->chunk     = i;
        tn_mosaic_write(root->base, &root->first_piece);
        tn_chunk_fill(chunk, &root->first_piece);
    }
}

/* In version 2 the message is in an envelope: chunk_meta.h says why. */
void tn_splitter_serialize(struct tn_splitter *root, struct tn_chunked message)
{
    struct tn_chunked  whole = message;
    struct tn_envelope envelope;
    struct tn_arena    arena;
    struct tn_rope     rope;

    if (root->format.version == 2)
        whole = tn_chunked_wrap(&envelope, TN_ENVELOPE_VERSION_2, &message);
    tn_arena_init(&arena, root->arena.memory);
    tn_rope_init(&rope, &arena, &root->failure);
    tn_chunked_write(&whole, &rope);
    tn_rope_write(&rope, &root->chunked.sink, &root->failure);
    tn_rope_done(&rope);
    tn_arena_done(&arena);
}

void tn_splitter_refuse_double(struct tn_splitter            *root,
                               const struct tn_chunked_field *field)
{
    char where[120];

    tn_tags_print(field->tags, root->type, where, sizeof where);
    tn_error_set(&root->failure, TN_INVALID, TN_NOWHERE,
                 "several chunks for %s: TensorFlow's merger would keep only "
                 "the last one; use one chunk, or format version 2",
                 where);
}

/* The fields as readers sort them; they live in the arena. */
static bool sort_fields(struct tn_splitter *root, struct tn_arena *arena,
                        struct tn_chunked *sorted)
{
    uint64_t count = root->fields.count;

    *sorted = (struct tn_chunked){ .field_count = count };
    sorted->fields =
        tn_new(arena, struct tn_chunked_field, count, &root->failure);
    if (!sorted->fields)
        return false;
    if (count)
        memcpy(sorted->fields, root->fields.items,
               (size_t)count * sizeof *sorted->fields);
    for (uint64_t i = 0; i < root->chunks.count; i++)
        if (tn_chunk_at(root, i)->field != TN_NO_FIELD)
            sorted->fields[tn_chunk_at(root, i)->field].message.chunk = i;
    tn_chunked_sort(sorted);
    return true;
}

/* The file lists fields as they were added.  What is handed to callers can be
 * merged as it is listed. */
static void end_split(struct tn_splitter *root, struct tn_arena *arena)
{
    struct tn_chunked              sorted, message;
    const struct tn_chunked_field *twice;

    if (!sort_fields(root, arena, &sorted))
        return;
    twice = root->format.version == 2
                ? NULL
                : tn_chunked_find_double(&sorted, root->type);
    if (twice) {
        tn_splitter_refuse_double(root, twice);
        return;
    }
    number_chunks(root);
    message = root->result;
    if (!tn_chunked_was_in_order(&sorted, arena, &root->failure))
        message.fields = sorted.fields;
    tn_splitter_serialize(root, message);
}

enum tn_status tn_splitter_split(struct tn_splitter *splitter,
                                 struct tn_error    *error)
{
    TN_ERROR_OR_OWN(error);
    struct tn_splitter *root = splitter->root;
    struct tn_arena     arena;

    if (root != splitter)
        return tn_error_set(
            error, TN_UNSUPPORTED, TN_NOWHERE,
            "a child gives its chunks to its parent: split the parent");
    if (!root->is_split && !tn_failed(&root->failure)) {
        tn_arena_init(&arena, root->arena.memory);
        if (root->format.max_bytes)
            tn_splitter_cut(root);
        if (!tn_failed(&root->failure))
            end_split(root, &arena);
        root->is_split = !tn_failed(&root->failure);
        tn_arena_done(&arena);
    }
    return tn_splitter_end(root, error);
}

uint64_t tn_splitter_chunk_count(const struct tn_splitter *splitter)
{
    return splitter->is_split ? splitter->chunks.count : 0;
}

enum tn_chunk_type tn_splitter_chunk_type(const struct tn_splitter *splitter,
                                          uint64_t                  index)
{
    return index < tn_splitter_chunk_count(splitter)
               ? tn_chunk_at(splitter, index)->type
               : TN_CHUNK_UNSET;
}

uint64_t tn_splitter_chunk_size(const struct tn_splitter *splitter,
                                uint64_t                  index)
{
    return index < tn_splitter_chunk_count(splitter)
               ? tn_chunk_length(tn_chunk_at(splitter, index))
               : 0;
}

/* Bytes that are made while they are written can be read from the middle only
 * after they were spooled to a file. */
static enum tn_status open_chunk(struct tn_chunk *chunk, struct tn_arena *arena,
                                 struct tn_error *error)
{
    struct tn_memory *memory  = arena->memory;
    bool              is_made = false;
    struct tn_rope    content;

    tn_chunk_open_rope(chunk, arena, &content, error);
    for (uint64_t i = 0; i < content.pieces.count; i++)
        is_made |= tn_list_at(&content.pieces, struct tn_piece, i)->kind ==
                   TN_PIECE_PRODUCER;
    if (!tn_failed(error) && is_made)
        tn_source_from_rope(&chunk->source, memory, &content, "", error);
    else if (!tn_failed(error))
        tn_source_rope(&chunk->source, memory, &content, "", error);
    tn_rope_done(&content);
    return error->status;
}

enum tn_status tn_splitter_chunk_read(struct tn_splitter *splitter,
                                      uint64_t index, uint64_t offset, void *to,
                                      size_t size, struct tn_error *error)
{
    TN_ERROR_OR_OWN(error);
    uint64_t count = tn_splitter_chunk_count(splitter);

    if (index >= count)
        return tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE,
                            "chunk %" PRIu64
                            " does not exist: there are %" PRIu64 " chunks",
                            index, count);
    struct tn_chunk *chunk = tn_chunk_at(splitter, index);
    if (!chunk->source)
        TN_TRY(open_chunk(chunk, &splitter->arena, error));
    return tn_source_read(chunk->source, offset, to, size, error);
}

struct tn_bytes tn_splitter_chunked_message(const struct tn_splitter *splitter)
{
    return tn_buffer_bytes(&splitter->chunked);
}
