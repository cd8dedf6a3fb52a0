/* lod.c - PaddlePaddle's tensor records; lod.h has the map */
#include "wire/lod/lod.h"

#include <stddef.h>

#include "base/arith.h"
#include "base/little.h"
#include "base/varint.h"

/* VarType.Type, the part that names elements.  SIZE_T (19) is read as what it
 * is on every machine that Paddle runs on; 38 is what is written. */
static const struct {
    uint32_t      type;
    enum tn_dtype dtype;
} types[] = {
    { 0, TN_BOOL },          { 1, TN_INT16 },       { 2, TN_INT32 },
    { 3, TN_INT64 },         { 4, TN_FLOAT16 },     { 5, TN_FLOAT32 },
    { 6, TN_FLOAT64 },       { 20, TN_UINT8 },      { 21, TN_INT8 },
    { 22, TN_BFLOAT16 },     { 23, TN_COMPLEX64 },  { 24, TN_COMPLEX128 },
    { 32, TN_FLOAT8E4M3FN }, { 33, TN_FLOAT8E5M2 }, { 36, TN_UINT16 },
    { 37, TN_UINT32 },       { 38, TN_UINT64 },     { 19, TN_UINT64 },
};

#define TYPE_COUNT (sizeof types / sizeof types[0])

enum tn_dtype tn_lod_dtype(uint64_t type)
{
    for (size_t i = 0; i < TYPE_COUNT; i++) {
        if (types[i].type == type)
            return types[i].dtype;
    }
    return TN_UNDEFINED;
}

int tn_lod_type(enum tn_dtype dtype)
{
    for (size_t i = 0; i < TYPE_COUNT; i++) {
        if (types[i].dtype == dtype)
            return (int)types[i].type;
    }
    return -1;
}

enum tn_lod_layout tn_lod_probe(struct tn_bytes head)
{
    if (head.size < TN_LOD_PROBE_SIZE || tn_load32(head.data) != 0)
        return TN_LOD_NONE;
    switch (head.data[8]) {
    case 0x00: return TN_LOD_SHIPPED;
    case 0x08: /* data_type first */
    case 0x10: /* dims first, one by one */
    case 0x12: /* dims first, packed */ return TN_LOD_SEED;
    default: return TN_LOD_NONE;
    }
}

/* The desc */

enum { FIELD_TYPE = 1, FIELD_DIMS = 2 };

static void read_dim(struct tn_cursor *d, struct tn_lod_record *r)
{
    uint64_t at = d->offset, dim = tn_varint(d);

    if (tn_failed(d->error))
        return;
    if (dim > INT64_MAX)
        tn_fail_at(d, at, TN_MALFORMED, "a dimension of %" PRId64,
                   (int64_t)dim);
    else if (r->rank == TN_LOD_RANK_LIMIT)
        tn_fail_at(d, at, TN_LIMIT, "rank past the limit of %d",
                   TN_LOD_RANK_LIMIT);
    else
        r->dims[r->rank++] = dim;
}

static void skip_field(struct tn_cursor *d, unsigned wire)
{
    switch (wire) {
    case TN_WIRE_VARINT: tn_varint(d); break;
    case TN_WIRE_FIXED64: tn_skip(d, 8); break;
    case TN_WIRE_LEN: tn_skip(d, tn_varint(d)); break;
    case TN_WIRE_FIXED32: tn_skip(d, 4); break;
    default: tn_fail(d, TN_MALFORMED, "wire type %u in a tensor's desc", wire);
    }
}

static void read_packed_dims(struct tn_cursor *d, struct tn_lod_record *r)
{
    struct tn_cursor packed = tn_sub(d, tn_varint(d));

    while (tn_more(&packed))
        read_dim(&packed, r);
}

/* True when it was the element type. */
static bool read_field(struct tn_cursor *d, struct tn_lod_record *r)
{
    uint64_t at = d->offset, tag = tn_varint(d);
    unsigned wire = tag & 7;

    if (tn_failed(d->error))
        return false;
    if (tag >> 3 == 0 || tag > UINT32_MAX) {
        tn_fail_at(d, at, TN_MALFORMED, "field %" PRIu64 " in a tensor's desc",
                   tag >> 3);
        return false;
    }
    if (tag == tn_tag(FIELD_TYPE, TN_WIRE_VARINT)) {
        uint64_t type = tn_varint(d);
        r->dtype      = tn_lod_dtype(type);
        r->type       = (uint32_t)type;
        if (r->dtype == TN_UNDEFINED && !tn_failed(d->error))
            tn_fail_at(d, at, TN_UNSUPPORTED,
                       "elements of type %" PRIu64 " in a tensor", type);
        return true;
    }
    if (tag == tn_tag(FIELD_DIMS, TN_WIRE_VARINT))
        read_dim(d, r);
    else if (tag == tn_tag(FIELD_DIMS, TN_WIRE_LEN))
        read_packed_dims(d, r);
    else
        skip_field(d, wire);
    return false;
}

/* Reads it once to get it in one piece, and then its fields. */
static void read_desc(struct tn_cursor *c, struct tn_lod_record *r)
{
    uint64_t at       = c->offset;
    uint32_t length   = tn_u32(c);
    bool     has_type = false;

    if (length > INT32_MAX)
        tn_fail_at(c, at, TN_MALFORMED, "a desc of %" PRId32 " bytes",
                   (int32_t)length);
    else if (length > TN_LOD_DESC_LIMIT)
        tn_fail_at(c, at, TN_LIMIT, "a desc of %" PRIu32 " bytes, limit %u",
                   length, TN_LOD_DESC_LIMIT);
    uint64_t begin = c->offset;
    r->desc        = tn_take_bytes(c, length);
    if (tn_failed(c->error))
        return;
    struct tn_cursor desc = tn_cursor_bytes(r->desc, begin, c->error);
    while (tn_more(&desc))
        has_type |= read_field(&desc, r);
    if (!has_type && !tn_failed(c->error))
        tn_fail_at(c, begin, TN_MALFORMED, "a tensor without data_type");
}

/* A zero anywhere makes it empty; the product must still not wrap before it. */
static uint64_t data_size(struct tn_cursor *c, const struct tn_lod_record *r)
{
    uint64_t size = tn_dtype_size(r->dtype);

    for (uint32_t i = 0; i < r->rank; i++) {
        if (r->dims[i] == 0)
            return 0;
    }
    for (uint32_t i = 0; i < r->rank; i++) {
        if (!tn_mul(size, r->dims[i], &size)) {
            tn_fail(c, TN_MALFORMED, "dimensions of more than 2^64 bytes");
            return 0;
        }
    }
    return size;
}

/* The rest */

static void expect_version_zero(struct tn_cursor *c)
{
    uint64_t at      = c->offset;
    uint32_t version = tn_u32(c);

    if (version != 0)
        tn_fail_at(c, at, TN_UNSUPPORTED,
                   "a tensor of version %" PRIu32 ", 0 expected", version);
}

static void skip_level(struct tn_cursor *c, uint64_t index)
{
    uint64_t length = tn_u64(c);

    if (length % 8)
        tn_fail(c, TN_MALFORMED,
                "level %" PRIu64 ": %" PRIu64 " bytes, not whole u64s", index,
                length);
    tn_skip(c, length);
}

static void read_levels(struct tn_cursor *c, struct tn_lod_record *r)
{
    r->level_count = tn_u64(c);
    r->levels      = (struct tn_span){ c->source, c->offset, 0 };
    if (r->level_count > tn_left(c) / 8 && !tn_failed(c->error))
        tn_fail(c, TN_TRUNCATED, "%" PRIu64 " levels in %" PRIu64 " bytes",
                r->level_count, tn_left(c));
    for (uint64_t i = 0; i < r->level_count && !tn_failed(c->error); i++)
        skip_level(c, i);
    r->levels.length = c->offset - r->levels.offset;
}

static void read_rows(struct tn_cursor *c, struct tn_lod_record *r)
{
    r->row_count = tn_u64(c);
    if (r->row_count > tn_left(c) / 8 && !tn_failed(c->error))
        tn_fail(c, TN_TRUNCATED, "%" PRIu64 " rows in %" PRIu64 " bytes",
                r->row_count, tn_left(c));
    if (tn_failed(c->error))
        return;
    r->rows     = tn_span(c, r->row_count * 8);
    uint64_t at = c->offset;
    r->height   = tn_u64(c);
    if (r->height > INT64_MAX && !tn_failed(c->error))
        tn_fail_at(c, at, TN_MALFORMED, "a height of %" PRId64,
                   (int64_t)r->height);
}

/* The desc of SelectedRows describes the rows that are there. */
static void expect_rows(struct tn_cursor *c, const struct tn_lod_record *r)
{
    if (!tn_failed(c->error) && (r->rank == 0 || r->dims[0] != r->row_count))
        tn_fail(c, TN_MALFORMED,
                "%" PRIu64 " rows, but the tensor's first dimension is not",
                r->row_count);
}

enum tn_status tn_lod_read(struct tn_cursor *c, enum tn_lod_layout layout,
                           struct tn_lod_record *r)
{
    /* All but the dims, which are most of it: a file has many records. */
    memset(r, 0, offsetof(struct tn_lod_record, dims));
    r->layout = layout;
    r->begin  = c->offset;
    expect_version_zero(c);
    if (layout == TN_LOD_SHIPPED)
        read_levels(c, r);
    if (layout == TN_LOD_ROWS)
        read_rows(c, r);
    if (layout == TN_LOD_SHIPPED || layout == TN_LOD_ROWS)
        expect_version_zero(c);
    read_desc(c, r);
    if (r->layout == TN_LOD_ROWS)
        expect_rows(c, r);
    uint64_t size = tn_failed(c->error) ? 0 : data_size(c, r);
    r->data       = tn_span(c, size);
    if (layout == TN_LOD_SEED)
        read_levels(c, r);
    r->end = c->offset;
    return c->error->status;
}

/* Writing */

static void write_span(struct tn_buffer *to, struct tn_span span)
{
    if (span.length > 0)
        tn_sink_splice(&to->sink, span, to->error);
}

static void write_levels(struct tn_buffer *to, const struct tn_lod_record *r)
{
    tn_buffer_u64(to, r->level_count);
    write_span(to, r->levels);
}

static void write_rows(struct tn_buffer *to, const struct tn_lod_record *r)
{
    tn_buffer_u64(to, r->row_count);
    write_span(to, r->rows);
    tn_buffer_u64(to, r->height);
}

static void write_desc(struct tn_buffer *to, const struct tn_lod_record *r)
{
    size_t length_at = to->size;

    tn_buffer_u32(to, 0);
    if (r->desc.size > 0) {
        tn_buffer_add(to, r->desc);
    } else {
        tn_buffer_varint(to, tn_tag(FIELD_TYPE, TN_WIRE_VARINT));
        tn_buffer_varint(to, r->type);
        for (uint32_t i = 0; i < r->rank; i++) {
            tn_buffer_varint(to, tn_tag(FIELD_DIMS, TN_WIRE_VARINT));
            tn_buffer_varint(to, r->dims[i]);
        }
    }
    if (tn_failed(to->error))
        return;
    tn_store_little(to->data + length_at, to->size - length_at - 4, 4);
}

enum tn_status tn_lod_write_head(struct tn_buffer           *to,
                                 const struct tn_lod_record *r)
{
    tn_buffer_u32(to, 0);
    if (r->layout == TN_LOD_SHIPPED)
        write_levels(to, r);
    if (r->layout == TN_LOD_ROWS)
        write_rows(to, r);
    if (r->layout == TN_LOD_SHIPPED || r->layout == TN_LOD_ROWS)
        tn_buffer_u32(to, 0);
    write_desc(to, r);
    return to->error->status;
}

enum tn_status tn_lod_write_tail(struct tn_buffer           *to,
                                 const struct tn_lod_record *r)
{
    if (r->layout == TN_LOD_SEED)
        write_levels(to, r);
    return to->error->status;
}
