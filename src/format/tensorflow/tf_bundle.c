/* tf_bundle.c - reading checkpoints; the map of the bytes is in tf_bundle.h */
#include <inttypes.h>
#include <stdio.h>

#include "base/arith.h"
#include "base/bisect.h"
#include "base/sort.h"
#include "codec/crc32c.h"
#include "format/tensorflow/tf_bundle.h"
#include "format/tensorflow/tf_crc.h"
#include "format/tensorflow/tf_dtype.h"
#include "format/tensorflow/tf_slice_key.h"
#include "format/tensorflow/tf_tiling.h"
#include "ir/window.h"
#include "wire/pb/pb_wire.h"
#include "wire/sstable/sstable.h"

/* A tensor, or a slice, that is being read from the table. */
struct tn_tf_loading {
    struct tn_tf_bundle_entry  entry;
    const struct tn_tf_extent *extents; /* slice_count times rank            */
    uint64_t                   slice_count;
    bool                       is_used; /* a slice that some tensor lists    */
};

struct tn_tf_bundle_reader {
    struct tn_tf_bundle *index;
    struct tn_error     *error;
    tn_tf_shard_opener  *open;
    void                *context;
    struct tn_list tensors; /* struct tn_tf_loading                      */
    struct tn_list slices;  /* the same, ascending by key              */
    /* Scratch for one message. */
    struct tn_list   dims;    /* uint64_t                                    */
    struct tn_list   extents; /* struct tn_tf_extent                         */
    struct tn_list   ranks;   /* uint64_t: extents of each slice             */
    struct tn_buffer name;
};

static void read_dims(struct tn_tf_bundle_reader *r, struct tn_cursor *c);
static void read_extents(struct tn_tf_bundle_reader *r, struct tn_cursor *c);
static void keep_shape(struct tn_tf_bundle_reader *r, struct tn_cursor *c,
                       struct tn_tf_loading *loading);

/* ---- checkpoints of version 1: one table, data in the values ------------ */

/*
 *   SavedTensorSlices    { meta = 1, data = 2 }
 *   SavedTensorSliceMeta { tensor = 1 (repeated), versions = 2 }
 *   SavedSliceMeta       { name = 1, shape = 2, type = 3,
 *                          slice = 4 (repeated) }
 *   SavedSlice           { name = 1, slice = 2, data = 3 (TensorProto) }
 *
 * The TensorProto has neither type nor shape, only values in a typed field.
 * Values in packed blocks are kept unpacked, in counted memory, for as long as
 * the checkpoint is open: these tables are old, small and few.
 */

enum { SAVED_META = 1, SAVED_DATA = 2 };
enum { META_TENSOR = 1 };
enum { TENSOR_NAME = 1, TENSOR_SHAPE = 2, TENSOR_TYPE = 3, TENSOR_SLICE = 4 };
enum { SLICE_DATA = 3 };

static void read_tensor_field(struct tn_tf_bundle_reader *r,
                              struct tn_cursor *c, struct tn_pb_field *f,
                              struct tn_tf_bundle_entry *e)
{
    switch (f->number) {
    case TENSOR_NAME:
        if (tn_pb_expect(c, f, TN_WIRE_LEN))
            e->key = tn_bytes_dup(&r->index->arena, tn_pb_text(f), r->error);
        break;
    case TENSOR_SHAPE:
        if (tn_pb_expect(c, f, TN_WIRE_LEN))
            read_dims(r, &f->body);
        break;
    case TENSOR_TYPE:
        if (tn_pb_expect(c, f, TN_WIRE_VARINT))
            e->elements.shape.dtype = tn_tf_dtype(f->value);
        break;
    case TENSOR_SLICE:
        if (tn_pb_expect(c, f, TN_WIRE_LEN))
            read_extents(r, &f->body);
        break;
    }
}

static void read_tensor(struct tn_tf_bundle_reader *r, struct tn_cursor *c,
                        uint64_t place)
{
    struct tn_pb_field    f;
    struct tn_tf_loading *loading =
        tn_list_push(&r->tensors, struct tn_tf_loading, r->error);

    if (!loading)
        return;
    loading->entry.place = place;
    while (tn_pb_next(c, &f))
        read_tensor_field(r, c, &f, &loading->entry);
    if (!tn_failed(r->error) &&
        (loading->entry.elements.shape.dtype == TN_UNDEFINED ||
         r->ranks.count == 0))
        tn_fail(c, TN_MALFORMED, "a tensor without a type or without slices");
    keep_shape(r, c, loading);
    if (tn_failed(r->error))
        tn_error_where(r->error, "%.*s", TN_FMT(loading->entry.key));
}

/* One value of a table of version 1. */
static void read_old_meta(struct tn_tf_bundle_reader *r,
                          struct tn_sstable_entry    *entry)
{
    struct tn_cursor  *c = &entry->value;
    struct tn_pb_field f, t;

    r->index->version = 1;
    while (tn_pb_next(c, &f)) {
        if (f.number != SAVED_META || !tn_pb_expect(c, &f, TN_WIRE_LEN))
            continue;
        while (tn_pb_next(&f.body, &t))
            if (t.number == META_TENSOR &&
                tn_pb_expect(&f.body, &t, TN_WIRE_LEN))
                read_tensor(r, &t.body,
                            entry->is_packed ? entry->offset : t.offset);
    }
}

/* A source over a copy of the bytes; closing the checkpoint frees it. */
static struct tn_cursor keep_unpacked(struct tn_tf_bundle_reader *r,
                                      struct tn_cursor            value)
{
    struct tn_arena  *arena  = &r->index->arena;
    struct tn_source *source = tn_new(arena, struct tn_source, 1, r->error);
    struct tn_bytes   copy =
        tn_bytes_dup(arena, tn_take_bytes(&value, tn_left(&value)), r->error);

    if (!source || !copy.data)
        return tn_cursor_bytes(tn_bytes(NULL, 0), 0, r->error);
    tn_source_memory(source, r->index->memory, copy);
    source->name = r->index->index->name;
    return tn_cursor_span((struct tn_span){ source, 0, copy.size }, r->error);
}

static void read_old_slice(struct tn_tf_bundle_reader *r,
                           struct tn_sstable_entry    *entry)
{
    struct tn_cursor   c = entry->value;
    struct tn_pb_field f, data;
    struct tn_span     tensor = { NULL, 0, 0 };

    if (entry->is_packed)
        c = keep_unpacked(r, entry->value);
    while (tn_pb_next(&c, &f)) {
        if (f.number != SAVED_DATA || !tn_pb_expect(&c, &f, TN_WIRE_LEN))
            continue;
        while (tn_pb_next(&f.body, &data))
            if (data.number == SLICE_DATA &&
                tn_pb_expect(&f.body, &data, TN_WIRE_LEN))
                tensor = tn_pb_body_span(&data);
    }
    if (!tn_failed(r->error) && !tensor.source)
        tn_fail(&c, TN_MALFORMED, "a slice without data");
    tn_sstable_where(entry, r->error);
    struct tn_tf_loading *loading =
        tn_list_push(&r->slices, struct tn_tf_loading, r->error);
    if (!loading)
        return;
    loading->entry.place = entry->offset;
    loading->entry.data  = tensor;
    loading->entry.key   = tn_bytes_dup(&r->index->arena, entry->key, r->error);
}

/* The last body of a LEN field, or nothing. */
static struct tn_span last_body(struct tn_tf_bundle_reader      *r,
                                const struct tn_tf_bundle_entry *slice,
                                uint32_t                         number)
{
    struct tn_cursor   c    = tn_cursor_span(slice->data, r->error);
    struct tn_span     body = { NULL, 0, 0 };
    struct tn_pb_field f;

    while (tn_pb_next(&c, &f))
        if (f.number == number && tn_pb_expect(&c, &f, TN_WIRE_LEN))
            body = tn_pb_body_span(&f);
    if (tn_failed(r->error) && slice->data.source != r->index->index)
        r->error->offset = slice->place; /* it was unpacked */
    return body;
}

/* Sets the payload of a slice of version 1, and its shape and type, which only
 * the entry of the tensor has. */
static void shape_old_slice(struct tn_tf_bundle_reader *r,
                            struct tn_tf_bundle_entry  *slice,
                            const struct tn_shape      *shape)
{
    struct tn_elements *elements = &slice->elements;
    uint32_t            field    = tn_tf_value_field(shape->dtype);
    struct tn_span      content  = last_body(r, slice, TN_TF_TENSOR_CONTENT);

    if (field == TN_TF_FLOAT8_VAL && content.length == 0)
        content = last_body(r, slice, field);
    elements->shape   = *shape;
    elements->payload = tn_payload_raw(shape, content, 1);
    if (content.length && !tn_dtype_size(shape->dtype))
        elements->payload.encoding = TN_ENCODING_LENGTHS;
    if (content.length)
        return;
    elements->payload.encoding = TN_ENCODING_FIELD;
    elements->payload.span     = slice->data;
    elements->payload.field    = field;
}

/* ---- the checksums over the data of a checkpoint ------------------------ */

/*
 * Elements of fixed size: the CRC-32C of the bytes as they are stored.
 *
 * Strings: a running checksum of the lengths, each as u32 (u64 when it does not
 * fit) and not as the varint that is stored; the masked checksum of the lengths
 * is stored between lengths and bytes; the checksum continues over those four
 * bytes and over the strings.
 *
 * Variants: the running checksum covers each length as u64, the bytes, and the
 * four bytes of the masked checksum that follow.
 */

struct check {
    const struct tn_tf_bundle_entry *entry;
    struct tn_memory                *memory;
    struct tn_error                 *error;
    struct tn_window                 lengths;
    uint32_t                         crc; /* so far                          */
};

static void expect_crc(struct check *k, uint64_t offset, uint32_t stored,
                       const char *of)
{
    uint32_t found = tn_crc32c_mask(k->crc);

    if (tn_failed(k->error) || stored == found)
        return;
    tn_error_set(k->error, TN_MALFORMED, offset,
                 "checksum %08" PRIx32 " of %s, stored is %08" PRIx32, found,
                 of, stored);
    tn_error_file(k->error, k->entry->data.source->name);
}

/* Steps over the four bytes of a checksum, which the next checksum covers. */
static void take_crc(struct check *k, const char *of)
{
    uint64_t offset   = k->lengths.cursor.offset;
    uint8_t  bytes[4] = { 0 };

    tn_window_copy(&k->lengths, bytes, sizeof bytes);
    expect_crc(k, offset, tn_load32(bytes), of);
    k->crc = tn_crc32c(k->crc, bytes, sizeof bytes);
}

static struct tn_span rest(const struct check *k, uint64_t length)
{
    return (struct tn_span){ k->entry->data.source, k->lengths.cursor.offset,
                             length };
}

static void check_strings(struct check *k, uint64_t count)
{
    uint64_t total = 0;

    for (uint64_t i = 0; i < count && !tn_failed(k->error); i++) {
        uint64_t offset = k->lengths.cursor.offset;
        uint64_t length = tn_window_varint(&k->lengths);
        if (!tn_add(total, length, &total))
            tn_fail_at(&k->lengths.cursor, offset, TN_MALFORMED,
                       "strings of more than 2^64 bytes");
        k->crc = tn_tf_crc_length(k->crc, length);
    }
    take_crc(k, "the lengths");
    if (!tn_failed(k->error) && total != tn_window_left(&k->lengths))
        tn_fail(&k->lengths.cursor, TN_MALFORMED,
                "strings of %" PRIu64 " bytes in %" PRIu64, total,
                tn_window_left(&k->lengths));
    if (!tn_failed(k->error))
        tn_tf_crc_span(&k->crc, rest(k, total), k->memory, k->error);
}

static void check_variants(struct check *k, uint64_t count)
{
    for (uint64_t i = 0; i < count && !tn_failed(k->error); i++) {
        uint64_t length     = tn_window_varint(&k->lengths);
        k->crc              = tn_tf_crc_u64(k->crc, length);
        struct tn_span body = rest(k, length);
        tn_window_skip(&k->lengths, length);
        if (!tn_failed(k->error))
            tn_tf_crc_span(&k->crc, body, k->memory, k->error);
        take_crc(k, "a variant");
    }
    if (!tn_failed(k->error) && tn_window_left(&k->lengths))
        tn_fail(&k->lengths.cursor, TN_MALFORMED,
                "%" PRIu64 " bytes after the last variant",
                tn_window_left(&k->lengths));
}

static enum tn_status check_data(const struct tn_tf_bundle_entry *entry,
                                 struct tn_memory                *memory,
                                 struct tn_error                 *error)
{
    struct check k     = { .entry = entry, .memory = memory, .error = error };
    uint64_t     count = 0;

    if (!entry->has_crc) /* version 1: only the blocks of the table have one */
        return tn_payload_check(&entry->elements, error);
    tn_shape_count(&entry->elements.shape, &count);
    if (count == 0 || tn_dtype_size(entry->elements.shape.dtype)) {
        tn_tf_crc_span(&k.crc, entry->data, memory, error);
    } else {
        tn_window_open(&k.lengths, entry->data, memory, error);
        if (entry->elements.shape.dtype == TN_STRING)
            check_strings(&k, count);
        else
            check_variants(&k, count);
        tn_window_done(&k.lengths);
    }
    expect_crc(&k, entry->data.offset, entry->crc, "the data");
    return error->status;
}

enum tn_status tn_tf_bundle_check_entry(const struct tn_tf_bundle_entry *entry,
                                        struct tn_memory                *memory,
                                        struct tn_error                 *error)
{
    if (entry->piece_count == 0)
        check_data(entry, memory, error);
    for (uint64_t i = 0; i < entry->piece_count && !tn_failed(error); i++) {
        check_data(entry->pieces[i], memory, error);
        tn_error_where(error, "slice[%" PRIu64 "]", i);
    }
    tn_error_where(error, "%.*s", TN_FMT(entry->key));
    return error->status;
}

/* BundleHeaderProto, BundleEntryProto, TensorShapeProto, TensorSliceProto */
enum { HEADER_SHARDS = 1, HEADER_ENDIANNESS = 2 };
enum {
    ENTRY_DTYPE  = 1,
    ENTRY_SHAPE  = 2,
    ENTRY_SHARD  = 3,
    ENTRY_OFFSET = 4,
    ENTRY_SIZE   = 5,
    ENTRY_CRC    = 6,
    ENTRY_SLICES = 7
};
enum { SHAPE_DIM = 2, SHAPE_UNKNOWN_RANK = 3, DIM_SIZE = 1 };
enum { SLICE_EXTENT = 1, EXTENT_START = 1, EXTENT_LENGTH = 2 };

struct shard {
    uint32_t          id;
    struct tn_source *source;
};

/* ---- shapes and slices -------------------------------------------------- */

static uint64_t read_one_number(struct tn_cursor *c, uint32_t number)
{
    struct tn_pb_field f;
    uint64_t           value = 0;

    while (tn_pb_next(c, &f))
        if (f.number == number && tn_pb_expect(c, &f, TN_WIRE_VARINT))
            value = f.value;
    return value;
}

static void add_dim(struct tn_tf_bundle_reader *r, struct tn_cursor *c,
                    struct tn_pb_field *f)
{
    uint64_t size = read_one_number(&f->body, DIM_SIZE);

    if (tn_failed(r->error))
        return;
    if (size > INT64_MAX) {
        tn_fail_at(c, f->offset, TN_MALFORMED, "dimension %" PRId64,
                   (int64_t)size);
        return;
    }
    if (r->dims.count == TN_TF_RANK_LIMIT) {
        tn_fail_at(c, f->offset, TN_MALFORMED, "more than %d dimensions",
                   TN_TF_RANK_LIMIT);
        return;
    }
    uint64_t *dim = tn_list_push(&r->dims, uint64_t, r->error);
    if (dim)
        *dim = size;
}

/* Messages, into the scratch of the reader. */
static void read_dims(struct tn_tf_bundle_reader *r, struct tn_cursor *c)
{
    struct tn_pb_field f;

    while (tn_pb_next(c, &f)) {
        if (f.number == SHAPE_DIM && tn_pb_expect(c, &f, TN_WIRE_LEN))
            add_dim(r, c, &f);
        if (f.number == SHAPE_UNKNOWN_RANK &&
            tn_pb_expect(c, &f, TN_WIRE_VARINT) && f.value)
            tn_fail_at(c, f.offset, TN_MALFORMED, "a tensor of unknown rank");
    }
}

/* Whether a length is present matters more than its value. */
static struct tn_tf_extent read_extent(struct tn_cursor *c)
{
    struct tn_tf_extent extent = { 0, TN_TF_WHOLE };
    struct tn_pb_field  f;

    while (tn_pb_next(c, &f)) {
        if (f.number == EXTENT_START && tn_pb_expect(c, &f, TN_WIRE_VARINT))
            extent.start = (int64_t)f.value;
        if (f.number == EXTENT_LENGTH && tn_pb_expect(c, &f, TN_WIRE_VARINT)) {
            extent.length = (int64_t)f.value;
            if (extent.length < 1)
                tn_fail_at(c, f.offset, TN_MALFORMED,
                           "a slice of length %" PRId64, extent.length);
        }
    }
    if (extent.length == TN_TF_WHOLE)
        extent.start = 0;
    return extent;
}

static void read_extents(struct tn_tf_bundle_reader *r, struct tn_cursor *c)
{
    uint64_t           before = r->extents.count;
    struct tn_pb_field f;

    while (tn_pb_next(c, &f)) {
        if (f.number != SLICE_EXTENT || !tn_pb_expect(c, &f, TN_WIRE_LEN))
            continue;
        struct tn_tf_extent  extent = read_extent(&f.body);
        struct tn_tf_extent *kept =
            tn_list_push(&r->extents, struct tn_tf_extent, r->error);
        if (kept)
            *kept = extent;
    }
    uint64_t *rank = tn_list_push(&r->ranks, uint64_t, r->error);
    if (rank)
        *rank = r->extents.count - before;
}

/* From scratch into the loading; fails when shape and slices contradict each
 * other.  Sets the shape's rank and dims, extents and slice_count. */
static void keep_shape(struct tn_tf_bundle_reader *r, struct tn_cursor *c,
                       struct tn_tf_loading *loading)
{
    struct tn_arena *arena = &r->index->arena;
    struct tn_shape *shape = &loading->entry.elements.shape;
    uint64_t         count;

    shape->rank          = (uint32_t)r->dims.count;
    loading->slice_count = r->ranks.count;
    for (uint64_t i = 0; i < r->ranks.count; i++)
        if (*tn_list_at(&r->ranks, uint64_t, i) != shape->rank)
            tn_fail(c, TN_MALFORMED,
                    "slice %" PRIu64 " has %" PRIu64
                    " dimensions, the tensor %" PRIu32,
                    i, *tn_list_at(&r->ranks, uint64_t, i), shape->rank);
    shape->dims = tn_list_keep(&r->dims, uint64_t, arena, r->error);
    loading->extents =
        tn_list_keep(&r->extents, struct tn_tf_extent, arena, r->error);
    if (!tn_failed(r->error) && !tn_shape_count(shape, &count))
        tn_fail(c, TN_MALFORMED, "a shape of too many elements to count");
    r->dims.count = r->extents.count = r->ranks.count = 0;
}

/* ---- data files --------------------------------------------------------- */

static struct tn_source *open_shard(struct tn_tf_bundle_reader *r, uint32_t id)
{
    struct tn_tf_bundle *index = r->index;
    struct tn_source    *source;

    for (uint64_t i = index->shards.count; i-- > 0;)
        if (tn_list_at(&index->shards, struct shard, i)->id == id)
            return tn_list_at(&index->shards, struct shard, i)->source;
    const char *name =
        tn_text_format(&index->arena, r->error, "%s.data-%05u-of-%05u",
                       index->prefix, id, index->shard_count);
    if (!name)
        return NULL;
    if (r->open(r->context, name, &source, r->error) != TN_OK) {
        tn_error_file(r->error, name);
        return NULL;
    }
    struct shard *shard = tn_list_push(&index->shards, struct shard, r->error);
    if (!shard)
        return NULL;
    *shard = (struct shard){ id, source };
    return source;
}

/* Bytes that elements of fixed size take; 0 with false: no fixed size. */
static bool expected_size(const struct tn_shape *shape, uint64_t *size)
{
    *size = 0;
    return tn_dtype_size(shape->dtype) && tn_shape_bytes(shape, size);
}

/* Checks size and type within the index, before the data file is examined. */
static void check_size(struct tn_cursor *c, const struct tn_tf_bundle_entry *e,
                       uint64_t size)
{
    uint64_t wanted, count = 0;

    tn_shape_count(&e->elements.shape, &count);
    if (e->elements.shape.dtype == TN_RESOURCE) {
        tn_fail(c, TN_UNSUPPORTED, "a handle of a resource has no data");
    } else if (tn_dtype_size(e->elements.shape.dtype)) {
        if (!expected_size(&e->elements.shape, &wanted) || wanted != size)
            tn_fail(c, TN_MALFORMED,
                    "%" PRIu64 " bytes of data, type and shape need %" PRIu64,
                    size, wanted);
    } else if (count > size || (count == 0 && size > 0)) {
        tn_fail(c, TN_MALFORMED, "%" PRIu64 " strings in %" PRIu64 " bytes",
                count, size);
    }
}

/* The data of an entry without slices must lie in its shard and have the right
 * size. */
static void locate(struct tn_tf_bundle_reader *r, struct tn_cursor *c,
                   struct tn_tf_bundle_entry *e, uint64_t shard)
{
    struct tn_span data = e->data;

    e->data = (struct tn_span){ NULL, 0, 0 };
    if (shard >= r->index->shard_count)
        tn_fail(c, TN_MALFORMED, "shard %" PRId64 " of %" PRIu32,
                (int64_t)shard, r->index->shard_count);
    check_size(c, e, data.length);
    if (tn_failed(r->error))
        return;
    e->shard    = (uint32_t)shard;
    data.source = open_shard(r, e->shard);
    if (!data.source)
        return;
    if (!tn_inside(data.offset, data.length, data.source->size)) {
        tn_error_set(
            r->error, TN_TRUNCATED, tn_min(data.offset, data.source->size),
            "need %" PRIu64 " bytes at %" PRIu64 ", the file has %" PRIu64,
            data.length, data.offset, data.source->size);
        tn_error_file(r->error, data.source->name);
        return;
    }
    e->data                      = data;
    struct tn_elements *elements = &e->elements;
    elements->payload            = tn_payload_raw(&elements->shape, e->data, 1);
    elements->payload.stored     = tn_payload_needed(&elements->shape, 1);
    if (!tn_dtype_size(elements->shape.dtype))
        elements->payload.encoding = TN_ENCODING_BUNDLE;
    else if (r->index->is_big_endian)
        elements->payload.encoding = TN_ENCODING_RAW_BIG;
}

/* ---- the table ---------------------------------------------------------- */

static void read_header(struct tn_tf_bundle_reader *r, struct tn_cursor *c)
{
    struct tn_pb_field f;

    r->index->version = 2;
    while (tn_pb_next(c, &f)) {
        if (f.number == HEADER_SHARDS && tn_pb_expect(c, &f, TN_WIRE_VARINT)) {
            if (f.value > INT32_MAX)
                tn_fail_at(c, f.offset, TN_MALFORMED, "%" PRId64 " shards",
                           (int64_t)f.value);
            r->index->shard_count = (uint32_t)f.value;
        }
        if (f.number == HEADER_ENDIANNESS &&
            tn_pb_expect(c, &f, TN_WIRE_VARINT)) {
            if (f.value > 1)
                tn_fail_at(c, f.offset, TN_MALFORMED, "byte order %" PRIu64,
                           f.value);
            r->index->is_big_endian = f.value == 1;
        }
    }
}

/* Field 1 is a number in the header of version 2, a message in version 1. */
static void read_first(struct tn_tf_bundle_reader *r,
                       struct tn_sstable_entry    *e)
{
    struct tn_cursor peek = e->value;

    if (e->key.size > 0) {
        tn_error_set(r->error, TN_MALFORMED, e->offset,
                     "the table of a checkpoint begins with an empty key");
        return;
    }
    if (tn_more(&peek) && tn_u8(&peek) == tn_tag(1, TN_WIRE_LEN))
        read_old_meta(r, e);
    else
        read_header(r, &e->value);
}

/* One field of a BundleEntryProto; `shard` is checked when all are known. */
static void read_entry_field(struct tn_tf_bundle_reader *r, struct tn_cursor *c,
                             struct tn_pb_field        *f,
                             struct tn_tf_bundle_entry *e, uint64_t *shard)
{
    static const uint8_t wire_types[] = {
        [ENTRY_DTYPE] = TN_WIRE_VARINT, [ENTRY_SHAPE] = TN_WIRE_LEN,
        [ENTRY_SHARD] = TN_WIRE_VARINT, [ENTRY_OFFSET] = TN_WIRE_VARINT,
        [ENTRY_SIZE] = TN_WIRE_VARINT,  [ENTRY_CRC] = TN_WIRE_FIXED32,
        [ENTRY_SLICES] = TN_WIRE_LEN,
    };

    if (f->number >= sizeof wire_types ||
        !tn_pb_expect(c, f, (enum tn_wire_type)wire_types[f->number]))
        return;
    switch (f->number) {
    case ENTRY_DTYPE:
        e->elements.shape.dtype = tn_tf_dtype(f->value);
        if (e->elements.shape.dtype == TN_UNDEFINED || f->value > TN_TF_REF)
            tn_fail_at(c, f->offset, TN_MALFORMED, "type %" PRIu64, f->value);
        break;
    case ENTRY_SHAPE: read_dims(r, &f->body); break;
    case ENTRY_SHARD: *shard = f->value; break;
    case ENTRY_OFFSET: e->data.offset = f->value; break;
    case ENTRY_SIZE: e->data.length = f->value; break;
    case ENTRY_CRC: e->crc = (uint32_t)f->value; break;
    case ENTRY_SLICES: read_extents(r, &f->body); break;
    }
}

static void read_entry(struct tn_tf_bundle_reader *r, struct tn_cursor *c,
                       struct tn_tf_loading *loading)
{
    struct tn_pb_field f;
    uint64_t           shard = 0;

    while (tn_pb_next(c, &f))
        read_entry_field(r, c, &f, &loading->entry, &shard);
    if (!tn_failed(r->error) &&
        loading->entry.elements.shape.dtype == TN_UNDEFINED)
        tn_fail(c, TN_MALFORMED, "a tensor without a type");
    keep_shape(r, c, loading);
    loading->entry.has_crc = loading->slice_count == 0;
    if (tn_failed(r->error))
        return;
    if (loading->slice_count == 0)
        locate(r, c, &loading->entry, shard);
    else
        loading->entry.data = (struct tn_span){ NULL, 0, 0 };
}

static bool is_slice_key(struct tn_tf_bundle_reader *r, struct tn_bytes key)
{
    struct tn_tf_extent extents[TN_TF_RANK_LIMIT];
    uint32_t            rank;

    tn_buffer_clear(&r->name);
    return tn_tf_slice_key_read(key, &r->name, extents, &rank);
}

static void read_table_entry(struct tn_tf_bundle_reader *r,
                             struct tn_sstable_entry    *e)
{
    if (r->index->version == 1) {
        read_old_slice(r, e);
        return;
    }
    struct tn_list *list = is_slice_key(r, e->key) ? &r->slices : &r->tensors;
    struct tn_tf_loading *loading =
        tn_list_push(list, struct tn_tf_loading, r->error);
    if (!loading)
        return;
    loading->entry.place = e->offset;
    loading->entry.key   = tn_bytes_dup(&r->index->arena, e->key, r->error);
    read_entry(r, &e->value, loading);
    if (tn_failed(r->error) && list == &r->tensors)
        tn_error_where(r->error, "%.*s", TN_FMT(e->key));
}

static void read_table(struct tn_tf_bundle_reader *r)
{
    struct tn_sstable       table;
    struct tn_sstable_walk  walk;
    struct tn_sstable_entry e;
    bool                    is_first = true;

    if (tn_sstable_open(&table, r->index->index, r->error) != TN_OK)
        return;
    tn_sstable_walk_init(&walk, &table, r->index->memory, r->error);
    while (tn_sstable_next(&walk, &e)) {
        r->index->is_packed |= e.is_packed;
        if (is_first)
            read_first(r, &e);
        else
            read_table_entry(r, &e);
        if (tn_failed(r->error) && !r->error->file[0])
            tn_sstable_where(&e, r->error);
        is_first = false;
    }
    tn_sstable_walk_done(&walk);
    if (is_first)
        tn_error_set(r->error, TN_MALFORMED, 0,
                     "the table has no entries, so it is not a checkpoint");
    tn_error_file(r->error, r->index->index->name);
}

/* ---- tensors from slices ------------------------------------------------- */

static struct tn_tf_loading *find_slice(struct tn_tf_bundle_reader *r,
                                        struct tn_bytes             key)
{
    uint64_t at;

    TN_BISECT(at, 0, r->slices.count,
              tn_bytes_compare(
                  tn_list_at(&r->slices, struct tn_tf_loading, at)->entry.key,
                  key) < 0);
    if (at == r->slices.count)
        return NULL;
    struct tn_tf_loading *loading =
        tn_list_at(&r->slices, struct tn_tf_loading, at);
    return tn_bytes_equal(loading->entry.key, key) ? loading : NULL;
}

/* The place and the size of a slice, which must lie inside the tensor. */
static bool slice_box(struct tn_tf_bundle_reader *r,
                      const struct tn_tf_loading *tensor,
                      const struct tn_tf_extent *extents, uint64_t *begin,
                      uint64_t *dims)
{
    const struct tn_shape *whole = &tensor->entry.elements.shape;

    for (uint32_t i = 0; i < whole->rank; i++) {
        bool is_whole = extents[i].length == TN_TF_WHOLE;
        begin[i]      = (uint64_t)extents[i].start;
        dims[i]       = is_whole ? whole->dims[i] : (uint64_t)extents[i].length;
        if (!tn_inside(begin[i], dims[i], whole->dims[i])) {
            tn_error_set(r->error, TN_MALFORMED, tensor->entry.place,
                         "a slice of %" PRIu64 " at %" PRId64
                         " in a dimension of %" PRIu64,
                         dims[i], extents[i].start, whole->dims[i]);
            return false;
        }
    }
    return true;
}

/* The entry of one slice of a tensor, which must exist and agree with it. */
static struct tn_tf_bundle_entry *slice_entry(
    struct tn_tf_bundle_reader *r, const struct tn_tf_loading *tensor,
    const struct tn_tf_extent *extents, const struct tn_shape *shape)
{
    tn_buffer_clear(&r->name);
    tn_tf_slice_key_put(&r->name, tensor->entry.key, extents, shape->rank);
    struct tn_tf_loading *slice = find_slice(r, tn_buffer_bytes(&r->name));

    if (tn_failed(r->error))
        return NULL;
    if (!slice || slice->slice_count || slice->is_used) {
        tn_error_set(r->error, TN_MALFORMED, tensor->entry.place,
                     !slice ? "a slice that is listed is not in the table"
                     : slice->is_used ? "a slice is listed twice"
                                      : "a slice has slices of its own");
        return NULL;
    }
    slice->is_used = true;
    if (r->index->version == 1)
        shape_old_slice(r, &slice->entry, shape);
    else if (!tn_shape_equal(&slice->entry.elements.shape, shape))
        tn_error_set(r->error, TN_MALFORMED, slice->entry.place,
                     "a slice has another type or shape than its key says");
    return tn_failed(r->error) ? NULL : &slice->entry;
}

static bool make_tile(struct tn_tf_bundle_reader *r,
                      struct tn_tf_loading *tensor, uint64_t i,
                      struct tn_tf_tile                *tile,
                      const struct tn_tf_bundle_entry **piece)
{
    struct tn_arena           *arena   = &r->index->arena;
    struct tn_shape            shape   = tensor->entry.elements.shape;
    const struct tn_tf_extent *extents = tensor->extents + i * shape.rank;
    uint64_t *begin = tn_new(arena, uint64_t, shape.rank, r->error);
    uint64_t *dims  = tn_new(arena, uint64_t, shape.rank, r->error);

    if (!begin || !dims || !slice_box(r, tensor, extents, begin, dims))
        return false;
    shape.dims = dims;
    *piece     = slice_entry(r, tensor, extents, &shape);
    if (!*piece)
        return false;
    *tile =
        (struct tn_tf_tile){ .begin = begin, .elements = (*piece)->elements };
    return true;
}

static void assemble(struct tn_tf_bundle_reader *r,
                     struct tn_tf_loading       *tensor)
{
    struct tn_arena           *arena = &r->index->arena;
    struct tn_tf_bundle_entry *e     = &tensor->entry;
    uint64_t                   count = tensor->slice_count;
    struct tn_tf_tile         *tiles =
        tn_new(arena, struct tn_tf_tile, count, r->error);
    struct tn_tf_tile **order =
        tn_new(arena, struct tn_tf_tile *, count, r->error);
    const struct tn_tf_bundle_entry **pieces =
        tn_new(arena, const struct tn_tf_bundle_entry *, count, r->error);

    for (uint64_t i = 0; !tn_failed(r->error) && i < count; i++) {
        order[i] = &tiles[i];
        make_tile(r, tensor, i, &tiles[i], &pieces[i]);
    }
    if (!tn_failed(r->error))
        tn_tf_join_tiles(&e->elements.shape, order, count, arena, e->place,
                         &e->elements.payload, r->error);
    e->pieces      = pieces;
    e->piece_count = count;
    tn_error_where(r->error, "%.*s", TN_FMT(e->key));
}

/* ---- the whole table ----------------------------------------------------- */

static bool key_is_before(const void *a, const void *b)
{
    const struct tn_tf_bundle_entry *left = a, *right = b;

    return tn_bytes_compare(left->key, right->key) < 0;
}

/* The lists are complete and move to the arena, slices first, since tensors
 * point at them. */
static void keep_list(struct tn_tf_bundle_reader *r, struct tn_list *list)
{
    void *items =
        tn_list_keep(list, struct tn_tf_loading, &r->index->arena, r->error);

    if (!items)
        return;
    uint64_t count = list->count;
    tn_list_done(list);
    list->items = items;
    list->count = count;
}

static void publish(struct tn_tf_bundle_reader *r)
{
    struct tn_tf_bundle              *index = r->index;
    const struct tn_tf_bundle_entry **entries =
        tn_new(&index->arena, const struct tn_tf_bundle_entry *,
               r->tensors.count, r->error);

    if (!entries)
        return;
    for (uint64_t i = 0; i < r->tensors.count; i++)
        entries[i] = &tn_list_at(&r->tensors, struct tn_tf_loading, i)->entry;
    tn_sort((const void **)(void *)entries, r->tensors.count, key_is_before);
    for (uint64_t i = 1; i < r->tensors.count; i++)
        if (!key_is_before(entries[i - 1], entries[i]))
            tn_error_set(r->error, TN_MALFORMED, entries[i]->place,
                         "two tensors have the same name");
    for (uint64_t i = 0; i < r->slices.count; i++)
        index->unused +=
            !tn_list_at(&r->slices, struct tn_tf_loading, i)->is_used;
    index->entries = entries;
    index->count   = r->tensors.count;
}

static void read_all(struct tn_tf_bundle_reader *r)
{
    read_table(r);
    if (tn_failed(r->error))
        return;
    keep_list(r, &r->slices);
    keep_list(r, &r->tensors);
    for (uint64_t i = 0; !tn_failed(r->error) && i < r->tensors.count; i++) {
        struct tn_tf_loading *tensor =
            tn_list_at(&r->tensors, struct tn_tf_loading, i);
        if (tensor->slice_count)
            assemble(r, tensor);
    }
    if (!tn_failed(r->error))
        publish(r);
    tn_error_file(r->error, r->index->index->name);
}

static void reader_init(struct tn_tf_bundle_reader *r,
                        struct tn_tf_bundle *index, struct tn_error *error)
{
    struct tn_memory *memory = index->memory;

    *r = (struct tn_tf_bundle_reader){ .index = index, .error = error };
    tn_list_init(&r->tensors, memory, sizeof(struct tn_tf_loading));
    tn_list_init(&r->slices, memory, sizeof(struct tn_tf_loading));
    tn_list_init(&r->dims, memory, sizeof(uint64_t));
    tn_list_init(&r->extents, memory, sizeof(struct tn_tf_extent));
    tn_list_init(&r->ranks, memory, sizeof(uint64_t));
    tn_buffer_init(&r->name, memory, error);
}

/* Lists that moved to the arena own no memory any more. */
static void reader_done(struct tn_tf_bundle_reader *r)
{
    struct tn_list *lists[] = { &r->tensors, &r->slices, &r->dims, &r->extents,
                                &r->ranks };

    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (lists[i]->room)
            tn_list_done(lists[i]);
    tn_buffer_done(&r->name);
}

enum tn_status tn_tf_bundle_read(struct tn_tf_bundle *index,
                                 struct tn_source *table, const char *prefix,
                                 tn_tf_shard_opener *open, void *context,
                                 struct tn_error *error)
{
    struct tn_tf_bundle_reader r;

    *index = (struct tn_tf_bundle){ .memory = table->memory, .index = table };
    tn_arena_init(&index->arena, index->memory);
    tn_list_init(&index->shards, index->memory, sizeof(struct shard));
    reader_init(&r, index, error);
    r.open        = open;
    r.context     = context;
    index->prefix = tn_text_dup(&index->arena, prefix, error);
    if (index->prefix)
        read_all(&r);
    reader_done(&r);
    if (tn_failed(error))
        tn_tf_bundle_close(index);
    return error->status;
}

void tn_tf_bundle_close(struct tn_tf_bundle *index)
{
    if (!index->memory)
        return;
    tn_list_done(&index->shards);
    tn_arena_done(&index->arena);
    index->count   = 0;
    index->entries = NULL;
}

static enum tn_status open_sibling(void *context, const char *name,
                                   struct tn_source **source,
                                   struct tn_error   *error)
{
    return tn_bundle_sibling(context, tn_text(name), source, error);
}

/* "model.ckpt" of "model.ckpt.index"; a table of version 1 has no suffix. */
static void main_prefix(const struct tn_bundle *bundle, char *prefix,
                        size_t room)
{
    static const char suffix[] = ".index";
    size_t            size     = strlen(bundle->name);
    size_t            end      = sizeof suffix - 1;

    if (size > end && !strcmp(bundle->name + size - end, suffix))
        size -= end;
    snprintf(prefix, room, "%.*s", (int)(size < room ? size : room - 1),
             bundle->name);
}

enum tn_status tn_tf_bundle_open(struct tn_tf_bundle *index,
                                 struct tn_bundle *bundle, const char *prefix,
                                 struct tn_error *error)
{
    char              name[4096];
    struct tn_source *table = bundle->main;

    *index = (struct tn_tf_bundle){ .memory = NULL };
    if (prefix) {
        if ((size_t)snprintf(name, sizeof name, "%s.index", prefix) >=
            sizeof name)
            return tn_error_set(error, TN_LIMIT, TN_NOWHERE,
                                "a prefix of more than %zu bytes", sizeof name);
        TN_TRY(tn_bundle_sibling(bundle, tn_text(name), &table, error));
    } else if (!table) {
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "this is a folder, not a table");
    } else {
        main_prefix(bundle, name, sizeof name);
    }
    return tn_tf_bundle_read(index, table, prefix ? prefix : name, open_sibling,
                             bundle, error);
}

const struct tn_tf_bundle_entry *tn_tf_bundle_find(
    const struct tn_tf_bundle *index, struct tn_bytes key)
{
    uint64_t at;

    TN_BISECT(at, 0, index->count,
              tn_bytes_compare(index->entries[at]->key, key) < 0);
    return at < index->count && tn_bytes_equal(index->entries[at]->key, key)
               ? index->entries[at]
               : NULL;
}
