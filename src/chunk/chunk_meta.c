/* chunk_meta.c - how a message in chunks is put together: ChunkMetadata */
#include "chunk/chunk_meta.h"

#include <inttypes.h>

#include "base/arith.h"
#include "base/sort.h"
#include "wire/pb/pb_order.h"
#include "wire/pb/pb_rules.h"
#include "wire/pb/pb_wire.h"

/* ---- reading ------------------------------------------------------------ */

struct reader {
    struct tn_arena *arena;
    uint64_t         unknown_count;
    unsigned         depth;
};

/* How often a field occurs, so that arrays are allocated once: no more items
 * than the bytes can hold. */
static uint64_t count_of(struct tn_cursor c, uint32_t number)
{
    struct tn_pb_field field;
    uint64_t           count = 0;

    while (tn_pb_next(&c, &field))
        count += field.number == number && field.type == TN_WIRE_LEN;
    return count;
}

static void read_key(struct reader *r, struct tn_cursor c,
                     struct tn_field_tag *tag)
{
    struct tn_pb_field field;

    tag->kind = TN_TAG_KEY;
    while (tn_pb_next(&c, &field)) {
        if (field.number == TN_KEY_TEXT && field.type == TN_WIRE_LEN) {
            struct tn_bytes text = tn_pb_text(&field);
            if (text.size > UINT32_MAX) {
                tn_fail(&c, TN_LIMIT, "a key of %zu bytes", text.size);
                return;
            }
            tag->size    = (uint32_t)text.size;
            tag->at.text = text.data;
            tag->key     = TN_KEY_TEXT;
        } else if (field.number >= TN_KEY_BOOL &&
                   field.number <= TN_KEY_INT64 &&
                   field.type == TN_WIRE_VARINT) {
            static const enum tn_pb_type types[] = {
                [TN_KEY_BOOL] = TN_PB_BOOL,     [TN_KEY_UINT32] = TN_PB_UINT32,
                [TN_KEY_UINT64] = TN_PB_UINT64, [TN_KEY_INT32] = TN_PB_INT32,
                [TN_KEY_INT64] = TN_PB_INT64,
            };
            tag->key       = (uint8_t)field.number;
            tag->at.number = tn_pb_decode(types[field.number], field.value);
        } else {
            r->unknown_count++;
        }
    }
}

static void read_tag(struct reader *r, struct tn_cursor c,
                     struct tn_field_tag *tag)
{
    struct tn_pb_field field;

    while (tn_pb_next(&c, &field)) {
        if (field.number == 1 && field.type == TN_WIRE_VARINT) {
            *tag = tn_tag_field((uint32_t)field.value);
        } else if (field.number == 2 && field.type == TN_WIRE_LEN) {
            if (tag->kind != TN_TAG_KEY) /* else the two merge */
                *tag = (struct tn_field_tag){ .kind = TN_TAG_KEY };
            read_key(r, field.body, tag);
        } else if (field.number == 3 && field.type == TN_WIRE_VARINT) {
            *tag = tn_tag_index(field.value);
        } else {
            r->unknown_count++;
        }
    }
}

static void read_message(struct reader *r, struct tn_cursor c,
                         struct tn_chunked *message);

static void read_chunked_field(struct reader *r, struct tn_cursor c,
                               struct tn_chunked_field *out)
{
    uint64_t             count = count_of(c, 1);
    struct tn_field_tag *tags =
        tn_new(r->arena, struct tn_field_tag, count, c.error);
    struct tn_pb_field field;

    while (tags && tn_pb_next(&c, &field)) {
        if (field.number == 1 && field.type == TN_WIRE_LEN)
            read_tag(r, field.body, &tags[out->tags.count++]);
        else if (field.number == 3 && field.type == TN_WIRE_LEN)
            read_message(r, field.body, &out->message);
        else
            r->unknown_count++;
    }
    out->tags.at = tags;
}

/* Room for that many more fields: a message may be stored in several parts. */
static bool grow_fields(struct reader *r, struct tn_chunked *message,
                        uint64_t more, struct tn_error *error)
{
    struct tn_chunked_field *fields = tn_new(
        r->arena, struct tn_chunked_field, message->field_count + more, error);

    if (fields && message->field_count)
        memcpy(fields, message->fields,
               (size_t)message->field_count * sizeof *fields);
    if (fields)
        message->fields = fields;
    return fields != NULL;
}

static void read_message(struct reader *r, struct tn_cursor c,
                         struct tn_chunked *message)
{
    uint64_t           count = count_of(c, 2);
    struct tn_pb_field field;

    if (++r->depth > TN_CHUNK_DEPTH_LIMIT)
        tn_fail(&c, TN_LIMIT, "messages of chunks nested deeper than %d",
                TN_CHUNK_DEPTH_LIMIT);
    else if (count)
        grow_fields(r, message, count, c.error);
    while (tn_pb_next(&c, &field)) {
        if (field.number == 1 && field.type == TN_WIRE_VARINT) {
            message->has_chunk = true;
            message->chunk     = field.value;
        } else if (field.number == 2 && field.type == TN_WIRE_LEN) {
            read_chunked_field(r, field.body,
                               &message->fields[message->field_count++]);
        } else {
            r->unknown_count++;
        }
    }
    r->depth--;
}

static void read_chunk_info(struct reader *r, struct tn_cursor c,
                            struct tn_chunk_info *info)
{
    struct tn_pb_field field;

    while (tn_pb_next(&c, &field)) {
        if (field.type != TN_WIRE_VARINT || field.number > 3)
            r->unknown_count++;
        else if (field.number == 1)
            info->type = field.value;
        else if (field.number == 2)
            info->size = field.value;
        else
            info->offset = field.value;
    }
}

static void read_bad_consumers(struct reader *r, struct tn_cursor *c,
                               struct tn_pb_field    field,
                               struct tn_chunk_meta *meta)
{
    uint64_t value, more = 0;
    uint64_t old = meta->bad_consumer_count;

    for (struct tn_pb_field f = field;
         tn_pb_number(c, &f, TN_WIRE_VARINT, &value);)
        more++;
    int32_t *all = tn_new(r->arena, int32_t, old + more, c->error);
    if (!all)
        return;
    if (old)
        memcpy(all, meta->bad_consumers, (size_t)old * sizeof *all);
    while (tn_pb_number(c, &field, TN_WIRE_VARINT, &value))
        all[old++] = (int32_t)(uint32_t)value;
    meta->bad_consumers      = all;
    meta->bad_consumer_count = old;
}

static void read_version(struct reader *r, struct tn_cursor c,
                         struct tn_chunk_meta *meta)
{
    struct tn_pb_field field;

    while (tn_pb_next(&c, &field)) {
        bool is_number = field.type == TN_WIRE_VARINT;
        if (field.number == 1 && is_number)
            meta->splitter_version = (int32_t)(uint32_t)field.value;
        else if (field.number == 2 && is_number)
            meta->join_version = (int32_t)(uint32_t)field.value;
        else if (field.number == 3 && (is_number || field.type == TN_WIRE_LEN))
            read_bad_consumers(r, &c, field, meta);
        else
            r->unknown_count++;
    }
}

static void read_file(struct reader *r, struct tn_cursor c,
                      struct tn_chunk_file *file)
{
    struct tn_pb_field field;

    while (tn_pb_next(&c, &field)) {
        if (field.number == 1 && field.type == TN_WIRE_LEN)
            file->name = tn_pb_text(&field);
        else if (field.number == 2 && field.type == TN_WIRE_VARINT)
            file->size = field.value;
        else
            r->unknown_count++;
    }
}

enum tn_status tn_chunk_meta_read(struct tn_chunk_meta *meta,
                                  struct tn_span record, struct tn_arena *arena,
                                  struct tn_error *error)
{
    struct reader      r = { .arena = arena };
    struct tn_cursor   c = tn_cursor_span(record, error);
    struct tn_pb_field field;

    *meta        = (struct tn_chunk_meta){ .unknown_count = 0 };
    meta->chunks = tn_new(arena, struct tn_chunk_info, count_of(c, 2), error);
    meta->files  = tn_new(arena, struct tn_chunk_file, count_of(c, 4), error);
    while (tn_pb_next(&c, &field)) {
        if (field.number > 4 || field.type != TN_WIRE_LEN)
            r.unknown_count++;
        else if (field.number == 1)
            read_version(&r, field.body, meta);
        else if (field.number == 2)
            read_chunk_info(&r, field.body, &meta->chunks[meta->chunk_count++]);
        else if (field.number == 3)
            read_message(&r, field.body, &meta->message);
        else
            read_file(&r, field.body, &meta->files[meta->file_count++]);
    }
    meta->unknown_count = r.unknown_count;
    tn_error_where(error, "ChunkMetadata");
    return error->status;
}

enum tn_status tn_chunked_read(struct tn_chunked *message, struct tn_span bytes,
                               struct tn_arena *arena, struct tn_error *error)
{
    struct reader r = { .arena = arena };

    *message = (struct tn_chunked){ .has_chunk = false };
    read_message(&r, tn_cursor_span(bytes, error), message);
    tn_error_where(error, "ChunkedMessage");
    return error->status;
}

/* ---- writing ------------------------------------------------------------ */

/* Every number of a field here is below 16: a tag is one byte.  Lengths are
 * counted first and the whole is written in one go: a million fields must not
 * become millions of pieces. */

static uint64_t number_size(uint64_t value)
{
    return 1 + tn_varint_size(value);
}

static uint64_t body_size(uint64_t size)
{
    return 1 + tn_varint_size(size) + size;
}

static uint64_t key_size(const struct tn_field_tag *tag)
{
    if (tag->key == TN_KEY_TEXT)
        return body_size(tag->size);
    return tag->key == TN_KEY_UNSET ? 0 : number_size(tag->at.number);
}

static uint64_t tag_size(const struct tn_field_tag *tag)
{
    if (tag->kind == TN_TAG_KEY)
        return body_size(key_size(tag));
    return tag->kind == TN_TAG_UNSET ? 0 : number_size(tag->at.number);
}

static uint64_t message_size(const struct tn_chunked *message);

static uint64_t field_size(const struct tn_chunked_field *field)
{
    uint64_t size = body_size(message_size(&field->message));

    for (uint64_t i = 0; i < field->tags.count; i++)
        size += body_size(tag_size(&field->tags.at[i]));
    return size;
}

static uint64_t message_size(const struct tn_chunked *message)
{
    uint64_t size = message->has_chunk ? number_size(message->chunk) : 0;

    for (uint64_t i = 0; i < message->field_count; i++)
        size += body_size(field_size(&message->fields[i]));
    return size;
}

/* Where the next byte goes; there is room for all of them. */
typedef uint8_t *pen;

static void put_number(pen *at, uint32_t number, uint64_t value)
{
    *(*at)++ = (uint8_t)tn_tag(number, TN_WIRE_VARINT);
    *at += tn_varint_put(*at, value);
}

static void put_head(pen *at, uint32_t number, uint64_t size)
{
    *(*at)++ = (uint8_t)tn_tag(number, TN_WIRE_LEN);
    *at += tn_varint_put(*at, size);
}

static void put_bytes(pen *at, uint32_t number, struct tn_bytes bytes)
{
    put_head(at, number, bytes.size);
    if (bytes.size)
        memcpy(*at, bytes.data, bytes.size);
    *at += bytes.size;
}

static void put_tag(pen *at, const struct tn_field_tag *tag)
{
    put_head(at, 1, tag_size(tag));
    if (tag->kind == TN_TAG_FIELD || tag->kind == TN_TAG_INDEX)
        put_number(at, tag->kind == TN_TAG_FIELD ? 1 : 3, tag->at.number);
    if (tag->kind != TN_TAG_KEY)
        return;
    put_head(at, 2, key_size(tag));
    if (tag->key == TN_KEY_TEXT)
        put_bytes(at, TN_KEY_TEXT, tn_bytes(tag->at.text, tag->size));
    else if (tag->key != TN_KEY_UNSET)
        put_number(at, tag->key, tag->at.number);
}

/* Recurses as deep as the splitter nested the fields. */
static void put_message(pen *at, const struct tn_chunked *message)
{
    if (message->has_chunk)
        put_number(at, 1, message->chunk);
    for (uint64_t i = 0; i < message->field_count; i++) {
        const struct tn_chunked_field *field = &message->fields[i];
        put_head(at, 2, field_size(field));
        for (uint64_t k = 0; k < field->tags.count; k++)
            put_tag(at, &field->tags.at[k]);
        put_head(at, 3, message_size(&field->message));
        put_message(at, &field->message);
    }
}

/* Room in the rope's arena for the next bytes of the rope. */
static pen make_room(struct tn_rope *to, uint64_t size)
{
    uint8_t *room = size ? tn_new(to->arena, uint8_t, size, to->error) : NULL;

    if (room)
        tn_rope_borrow(to, tn_bytes(room, (size_t)size));
    return room;
}

struct tn_bytes tn_tags_write(struct tn_tags tags, struct tn_arena *arena,
                              struct tn_error *error)
{
    uint64_t size = 0;

    for (uint64_t i = 0; i < tags.count; i++)
        size += body_size(tag_size(&tags.at[i]));
    uint8_t *room = tn_new(arena, uint8_t, size, error);
    pen      at   = room;
    for (uint64_t i = 0; room && i < tags.count; i++)
        put_tag(&at, &tags.at[i]);
    return tn_bytes(room, room ? (size_t)size : 0);
}

void tn_chunked_write(const struct tn_chunked *message, struct tn_rope *to)
{
    pen at = make_room(to, message_size(message));

    if (at)
        put_message(&at, message);
}

static uint64_t size_unless_zero(uint64_t value)
{
    return value ? number_size(value) : 0;
}

static void put_unless_zero(pen *at, uint32_t number, uint64_t value)
{
    if (value)
        put_number(at, number, value);
}

static uint64_t bad_size(const struct tn_chunk_meta *meta)
{
    uint64_t size = 0;

    for (uint64_t i = 0; i < meta->bad_consumer_count; i++)
        size += tn_varint_size((uint64_t)meta->bad_consumers[i]);
    return size;
}

static uint64_t version_size(const struct tn_chunk_meta *meta)
{
    uint64_t bad = bad_size(meta);

    return size_unless_zero((uint64_t)meta->splitter_version) +
           size_unless_zero((uint64_t)meta->join_version) +
           (bad ? body_size(bad) : 0);
}

static void put_version(pen *at, const struct tn_chunk_meta *meta)
{
    put_head(at, 1, version_size(meta));
    put_unless_zero(at, 1, (uint64_t)meta->splitter_version);
    put_unless_zero(at, 2, (uint64_t)meta->join_version);
    if (!meta->bad_consumer_count)
        return;
    put_head(at, 3, bad_size(meta));
    for (uint64_t i = 0; i < meta->bad_consumer_count; i++)
        *at += tn_varint_put(*at, (uint64_t)meta->bad_consumers[i]);
}

static uint64_t info_size(const struct tn_chunk_info *info)
{
    return size_unless_zero(info->type) + size_unless_zero(info->size) +
           size_unless_zero(info->offset);
}

static uint64_t file_size(const struct tn_chunk_file *file)
{
    return body_size(file->name.size) + size_unless_zero(file->size);
}

static uint64_t meta_size(const struct tn_chunk_meta *meta)
{
    uint64_t size =
        body_size(version_size(meta)) + body_size(message_size(&meta->message));

    for (uint64_t i = 0; i < meta->chunk_count; i++)
        size += body_size(info_size(&meta->chunks[i]));
    for (uint64_t i = 0; i < meta->file_count; i++)
        size += body_size(file_size(&meta->files[i]));
    return size;
}

void tn_chunk_meta_write(const struct tn_chunk_meta *meta, struct tn_rope *to)
{
    pen at = make_room(to, meta_size(meta));

    if (!at)
        return;
    put_version(&at, meta);
    for (uint64_t i = 0; i < meta->chunk_count; i++) {
        const struct tn_chunk_info *info = &meta->chunks[i];
        put_head(&at, 2, info_size(info));
        put_unless_zero(&at, 1, info->type);
        put_unless_zero(&at, 2, info->size);
        put_unless_zero(&at, 3, info->offset);
    }
    put_head(&at, 3, message_size(&meta->message));
    put_message(&at, &meta->message);
    for (uint64_t i = 0; i < meta->file_count; i++) {
        const struct tn_chunk_file *file = &meta->files[i];
        put_head(&at, 4, file_size(file));
        put_bytes(&at, 1, file->name);
        put_unless_zero(&at, 2, file->size);
    }
}

/* ---- what it means ------------------------------------------------------ */

enum tn_status tn_chunk_meta_versions(const struct tn_chunk_meta *meta,
                                      int32_t reader, struct tn_error *error)
{
    if (meta->join_version > reader)
        return tn_error_set(error, TN_UNSUPPORTED, TN_NOWHERE,
                            "splitter version %d wrote these chunks for "
                            "mergers of join version %d or later, this one "
                            "has %d: take a newer one, or split again with "
                            "--format-version 1",
                            meta->splitter_version, meta->join_version, reader);
    for (uint64_t i = 0; i < meta->bad_consumer_count; i++)
        if (meta->bad_consumers[i] == reader)
            return tn_error_set(error, TN_UNSUPPORTED, TN_NOWHERE,
                                "splitter version %d wrote these chunks and "
                                "says that mergers of join version %d, which "
                                "this is, cannot join them",
                                meta->splitter_version, reader);
    return TN_OK;
}

struct tn_chunked tn_chunked_wrap(struct tn_envelope *envelope, uint32_t number,
                                  const struct tn_chunked *message)
{
    envelope->tag   = tn_tag_field(number);
    envelope->field = (struct tn_chunked_field){ .tags = { &envelope->tag, 1 },
                                                 .message = *message };
    return (struct tn_chunked){ .fields = &envelope->field, .field_count = 1 };
}

bool tn_chunked_unwrap_in(struct tn_chunked *message, uint32_t number)
{
    const struct tn_chunked_field *field = message->fields;

    if (message->has_chunk || message->field_count != 1 ||
        field->tags.count != 1 || field->tags.at->kind != TN_TAG_FIELD ||
        field->tags.at->at.number != number)
        return false;
    struct tn_chunked inner = field->message;
    *message                = inner;
    return true;
}

static int compare_numbers(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int compare_fields(const void *left, const void *right, void *context)
{
    const struct tn_chunked_field *a = left, *b = right;
    int                            order = tn_tags_compare(a->tags, b->tags);

    (void)context;
    if (order == 0)
        order = compare_numbers(a->message.chunk, b->message.chunk);
    return order ? order : compare_numbers(a->place, b->place);
}

/* Most splitters list them so, and there may be a million. */
static bool is_sorted(const struct tn_chunked *message)
{
    const struct tn_chunked_field *fields = message->fields;

    for (uint64_t i = 1; i < message->field_count; i++)
        if (compare_fields(&fields[i - 1], &fields[i], NULL) > 0)
            return false;
    return true;
}

void tn_chunked_sort(struct tn_chunked *message)
{
    for (uint64_t i = 0; i < message->field_count; i++)
        message->fields[i].place = i;
    if (!is_sorted(message))
        tn_sort_items(message->fields, message->field_count,
                      sizeof *message->fields, compare_fields, NULL);
    for (uint64_t i = 0; i < message->field_count; i++)
        tn_chunked_sort(&message->fields[i].message);
}

/* What remains of the wanted paths after a field's tags. */
static enum tn_status rest_of_paths(const struct tn_tags *paths, uint64_t count,
                                    struct tn_tags begin, struct tn_tags **rest,
                                    uint64_t        *rest_count,
                                    struct tn_arena *arena,
                                    struct tn_error *error)
{
    *rest_count = 0;
    *rest       = tn_new(arena, struct tn_tags, count, error);
    if (!*rest)
        return error->status;
    for (uint64_t i = 0; i < count; i++)
        if (tn_tags_common(paths[i], begin) == begin.count)
            (*rest)[(*rest_count)++] =
                (struct tn_tags){ paths[i].at + begin.count,
                                  paths[i].count - begin.count };
    return TN_OK;
}

static bool is_inside(struct tn_tags tags, const struct tn_tags *paths,
                      uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        if (tn_tags_common(paths[i], tags) == paths[i].count)
            return true;
    return false;
}

/* If the tags lead to an element before one that is on a path: the length of
 * its tags; else 0. */
static uint64_t is_before(struct tn_tags tags, const struct tn_tags *paths,
                          uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        uint64_t common = tn_tags_common(paths[i], tags);
        if (common == paths[i].count || common == tags.count)
            continue;
        const struct tn_field_tag *on = &paths[i].at[common];
        const struct tn_field_tag *at = &tags.at[common];
        if (on->kind == TN_TAG_INDEX && at->kind == TN_TAG_INDEX &&
            at->at.number < on->at.number)
            return common + 1;
    }
    return 0;
}

/* Keeps only the fact that there is an element. */
static void make_placeholder(struct tn_chunked_field *field, uint64_t count)
{
    bool is_inside = count < field->tags.count;

    field->tags.count             = count;
    field->message.is_placeholder = true;
    field->message.field_count    = 0;
    if (is_inside)
        field->message.has_chunk = false;
}

struct pruning {
    const struct tn_tags *paths;
    uint64_t              count;
    enum tn_chunk_keep    keep;
    struct tn_arena      *arena;
    struct tn_error      *error;
};

static void prune_message(const struct pruning *p, struct tn_chunked *to,
                          const struct tn_chunked *from);

/* Copies the part of the field that is wanted; false if that is nothing. */
static bool prune_field(const struct pruning *p, struct tn_chunked_field *to,
                        const struct tn_chunked_field *from)
{
    struct pruning  inner = *p;
    struct tn_tags *rest;
    uint64_t        before = 0;

    *to = *from;
    if (p->keep == TN_KEEP_AROUND && is_inside(from->tags, p->paths, p->count))
        return true;
    if (rest_of_paths(p->paths, p->count, from->tags, &rest, &inner.count,
                      p->arena, p->error) != TN_OK)
        return false;
    inner.paths = rest;
    if (inner.count) {
        prune_message(&inner, &to->message, &from->message);
        return true;
    }
    if (p->keep == TN_KEEP_AROUND)
        before = is_before(from->tags, p->paths, p->count);
    if (before)
        make_placeholder(to, before);
    return before != 0;
}

static void prune_message(const struct pruning *p, struct tn_chunked *to,
                          const struct tn_chunked *from)
{
    *to             = *from;
    to->field_count = 0;
    to->fields =
        tn_new(p->arena, struct tn_chunked_field, from->field_count, p->error);
    for (uint64_t i = 0; to->fields && i < from->field_count; i++)
        if (prune_field(p, &to->fields[to->field_count], &from->fields[i]))
            to->field_count++;
}

enum tn_status tn_chunked_prune(struct tn_chunked       *pruned,
                                const struct tn_chunked *message,
                                const struct tn_tags *paths, uint64_t count,
                                enum tn_chunk_keep keep, struct tn_arena *arena,
                                struct tn_error *error)
{
    const struct pruning p = { paths, count, keep, arena, error };

    prune_message(&p, pruned, message);
    return error->status;
}

/* ---- the order in which fields are listed ------------------------------ */

#define NO_PARENT UINT64_MAX

static struct tn_tags tags_at(const struct tn_chunked *of, uint64_t index)
{
    return of->fields[index].tags;
}

static bool is_around(struct tn_tags outer, struct tn_tags inner)
{
    return tn_tags_common(outer, inner) == outer.count;
}

/* Elements of one repeated field, one after the other. */
static bool are_elements(struct tn_tags a, struct tn_tags b)
{
    uint64_t common = tn_tags_common(a, b);

    return common < a.count && common < b.count &&
           a.at[common].kind == TN_TAG_INDEX &&
           b.at[common].kind == TN_TAG_INDEX;
}

/* In sorted order a parent comes before its fields: it is found by going up
 * from the field before. */
bool tn_chunked_was_in_order(const struct tn_chunked *sorted,
                             struct tn_arena *arena, struct tn_error *error)
{
    uint64_t  count   = sorted->field_count;
    uint64_t *parents = tn_new(arena, uint64_t, count, error);
    uint64_t *latest  = tn_new(arena, uint64_t, count, error);

    if (!parents || !latest)
        return false;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t place  = sorted->fields[i].place;
        uint64_t parent = i ? i - 1 : NO_PARENT;
        if (i && are_elements(tags_at(sorted, i - 1), tags_at(sorted, i)) &&
            sorted->fields[i - 1].place > place)
            return false;
        while (parent != NO_PARENT &&
               !is_around(tags_at(sorted, parent), tags_at(sorted, i)))
            parent = parents[parent];
        if (parent != NO_PARENT && latest[parent] > place)
            return false;
        parents[i] = parent;
        latest[i] = parent == NO_PARENT ? place : tn_max(place, latest[parent]);
    }
    return true;
}

/* What the tags lead to; NULL: to a message, or nowhere. */
static const struct tn_pb_field_type *value_of(struct tn_tags              tags,
                                               const struct tn_pb_message *type)
{
    struct tn_error    ignored = TN_ERROR_INIT;
    struct tn_tag_step step    = { NULL, NULL };

    while (tags.count) {
        if (!type || tn_tags_step(&tags, type, &step, &ignored) != TN_OK)
            return NULL;
        type = tn_step_message(&step);
    }
    return type || !step.field ? NULL : tn_step_value(&step);
}

bool tn_chunked_is_double(const struct tn_chunked    *sorted,
                          const struct tn_pb_message *type, uint64_t index)
{
    if (index == 0 ||
        tn_tags_compare(tags_at(sorted, index - 1), tags_at(sorted, index)))
        return false;
    const struct tn_pb_field_type *value =
        value_of(tags_at(sorted, index), type);
    return value && tn_pb_is_blob(value->type);
}

/* Readers of metadata bound the depth. */
const struct tn_chunked_field *tn_chunked_find_double(
    const struct tn_chunked *sorted, const struct tn_pb_message *type)
{
    for (uint64_t i = 0; i < sorted->field_count; i++) {
        const struct tn_chunked_field *field = &sorted->fields[i];
        const struct tn_pb_message    *inner = type;
        if (tn_chunked_is_double(sorted, type, i))
            return field;
        if (!field->message.field_count ||
            !tn_tags_follow(field->tags, &inner) || !inner)
            continue;
        field = tn_chunked_find_double(&field->message, inner);
        if (field)
            return field;
    }
    return NULL;
}
