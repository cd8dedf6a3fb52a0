/*
 * payload.c - any payload as little-endian bytes in C order, in windows
 *
 * Complete raw data is spliced.  Everything else goes units -> elements -> sink
 * through one window: units are read, bytes that hold several elements are
 * taken apart, and elements that the writer left out at the end are repeated.
 */
#include "ir/payload.h"

#include "base/arith.h"
#include "ir/blocks.h"
#include "ir/element.h"
#include "ir/payload_strings.h"
#include "ir/payload_units.h"
#include "ir/payload_view.h"

bool tn_shape_count(const struct tn_shape *shape, uint64_t *count)
{
    uint64_t product  = 1;
    bool     fits     = true;
    bool     is_empty = false; /* however large the other dimensions are */

    *count = 0;

    for (uint32_t i = 0; i < shape->rank; i++) {
        if (shape->dims[i] > TN_SHAPE_MOST)
            return false;
        is_empty = is_empty || shape->dims[i] == 0;
        fits     = fits && tn_mul(product, shape->dims[i], &product);
    }
    *count = is_empty ? 0 : product;
    return is_empty || (fits && product <= TN_SHAPE_MOST);
}

bool tn_shape_bytes(const struct tn_shape *shape, uint64_t *bytes)
{
    uint64_t count;
    unsigned size = tn_dtype_size(shape->dtype);

    *bytes = 0;
    return size && tn_shape_count(shape, &count) &&
           tn_mul(count, size, bytes) && *bytes <= TN_SHAPE_MOST;
}

enum tn_status tn_shape_refuse(const struct tn_shape *shape, uint64_t offset,
                               struct tn_error *error)
{
    for (uint32_t i = 0; i < shape->rank; i++) {
        if (shape->dims[i] > TN_SHAPE_MOST)
            return tn_error_set(error, TN_MALFORMED, offset,
                                "dimension %" PRIu32 " is %" PRId64, i,
                                (int64_t)shape->dims[i]);
    }
    return tn_error_set(error, TN_MALFORMED, offset,
                        "a shape of more than 2^63 - 1 bytes");
}

uint64_t tn_payload_needed(const struct tn_shape *shape, unsigned per_byte)
{
    uint64_t count;
    bool     is_complex =
        shape->dtype == TN_COMPLEX64 || shape->dtype == TN_COMPLEX128;

    if (!tn_shape_count(shape, &count))
        return 0;
    if (per_byte > 1)
        return count / per_byte + (count % per_byte != 0);
    return is_complex ? 2 * count : count; /* count is below 2^63 */
}

struct tn_payload tn_payload_raw(const struct tn_shape *shape,
                                 struct tn_span span, unsigned per_byte)
{
    return (struct tn_payload){
        .span     = span,
        .stored   = tn_payload_needed(shape, per_byte),
        .encoding = TN_ENCODING_RAW,
        .per_byte = (uint8_t)per_byte,
    };
}

/* As many units as the payload announces and the shape needs. */
static uint64_t wanted_units(const struct tn_payload *payload,
                             const struct tn_layout  *layout)
{
    return payload->is_uncounted ? layout->needed
                                 : tn_min(payload->stored, layout->needed);
}

static uint64_t whole_elements(const struct tn_layout *layout, uint64_t units)
{
    if (layout->parts > 1)
        return units / layout->parts;
    return units >= layout->needed ? layout->count : units * layout->per_byte;
}

static enum tn_status too_few(const struct tn_payload *payload, uint64_t needs,
                              uint64_t has, const char *what,
                              struct tn_error *error)
{
    tn_error_set(error, TN_MALFORMED, payload->span.offset,
                 "needs %" PRIu64 " %s, has %" PRIu64, needs, what, has);
    if (payload->span.source)
        tn_error_file(error, payload->span.source->name);
    return error->status;
}

/* Repeats the last element. If it is zero, the sink may make a hole. */
static enum tn_status repeat(const uint8_t *element, unsigned size,
                             uint64_t count, struct tn_memory *memory,
                             struct tn_sink *to, struct tn_error *error)
{
    static const uint8_t zero[TN_ELEMENT_MAX];
    uint64_t             room   = tn_min(count, TN_WINDOW_SIZE / size) * size;
    enum tn_status       status = TN_OK;

    if (count == 0)
        return TN_OK;
    if (!memcmp(element, zero, size))
        return tn_sink_zeros(to, count * size, error);
    uint8_t *window = tn_memory_resize(memory, NULL, 0, room, error);
    if (!window)
        return error->status;
    for (uint64_t i = 0; i < room; i += size)
        memcpy(window + i, element, size);
    for (uint64_t left = count * size; left > 0 && status == TN_OK;) {
        size_t n = (size_t)tn_min(left, room);
        status   = tn_sink_write(to, tn_bytes(window, n), error);
        left -= n;
    }
    tn_memory_free(memory, window, room);
    return status;
}

/* Whether it is raw data that is returned as it is stored. */
static enum tn_status stream_raw(const struct tn_elements *elements,
                                 const struct tn_layout *layout, uint64_t first,
                                 uint64_t count, struct tn_memory *memory,
                                 struct tn_sink *to, struct tn_error *error)
{
    const struct tn_payload *payload              = &elements->payload;
    struct tn_span           span                 = payload->span;
    uint8_t                  last[TN_ELEMENT_MAX] = { 0 };
    unsigned                 size                 = layout->element_size;
    uint64_t                 bytes = span.source ? span.length : 0;
    uint64_t                 have  = bytes / layout->unit_size;
    uint64_t                 want  = wanted_units(payload, layout);

    if (have < want && !payload->is_uncounted)
        return too_few(payload, want * layout->unit_size, bytes, "bytes",
                       error);
    uint64_t stored = whole_elements(layout, tn_min(have, want));
    uint64_t direct = first < stored ? tn_min(count, stored - first) : 0;
    span.offset += first * size;
    span.length = direct * size;
    TN_TRY(tn_sink_splice(to, span, error));
    if (direct < count && stored > 0)
        TN_TRY(tn_source_read(payload->span.source,
                              payload->span.offset + (stored - 1) * size, last,
                              size, error));
    return repeat(last, size, count - direct, memory, to, error);
}

/* Reads units once, from some element on. */
struct pass {
    const struct tn_elements *elements;
    const struct tn_layout   *layout;
    struct tn_memory         *memory;
    struct tn_error          *error;
    struct tn_units           units;
    uint64_t                  units_left; /* that may be read                */
    unsigned                  drop; /* elements of the first unit, not wanted */
    uint8_t                  *packed; /* units of several elements          */
    uint8_t                  *window; /* elements                           */
    uint64_t                  packed_size, window_size;
    uint8_t                   last[TN_ELEMENT_MAX];
    bool                      has_last;
};

/* Buffers are no larger than the data that passes through them. */
static bool allocate(struct pass *pass, uint64_t count)
{
    const struct tn_layout *layout = pass->layout;
    uint64_t                room   = TN_WINDOW_SIZE / layout->element_size;

    if (layout->per_byte > 1) {
        count             = tn_min(count, room) / layout->per_byte + 2;
        pass->packed_size = tn_min(count, room / layout->per_byte);
        pass->packed      = tn_memory_resize(pass->memory, NULL, 0,
                                             pass->packed_size, pass->error);
        if (!pass->packed)
            return false;
        count = pass->packed_size * layout->per_byte;
    }
    pass->window_size = tn_min(count, room) * layout->element_size;
    pass->window =
        tn_memory_resize(pass->memory, NULL, 0, pass->window_size, pass->error);
    return pass->window != NULL;
}

static void release(struct pass *pass)
{
    if (pass->packed)
        tn_memory_free(pass->memory, pass->packed, pass->packed_size);
    if (pass->window)
        tn_memory_free(pass->memory, pass->window, pass->window_size);
    tn_units_done(&pass->units);
}

/* Opens the units at an element, also a second time.  Returns whether there are
 * units up to it. */
static bool seek(struct pass *pass, uint64_t first)
{
    const struct tn_layout *layout = pass->layout;
    uint64_t want = wanted_units(&pass->elements->payload, layout);
    uint64_t before =
        layout->per_byte > 1 ? first / layout->per_byte : first * layout->parts;

    tn_units_open(&pass->units, pass->elements, layout, pass->memory,
                  pass->error);
    pass->drop       = (unsigned)(first % layout->per_byte);
    before           = tn_min(before, want);
    uint64_t skipped = tn_units_skip(&pass->units, before);
    pass->units_left = want - skipped;
    return skipped == before && !tn_failed(pass->error);
}

/* The codes in a byte, lowest bits first. */
static void take_apart(uint8_t *to, const uint8_t *from, uint64_t units,
                       unsigned per_byte)
{
    unsigned bits = 8 / per_byte;
    unsigned mask = (1u << bits) - 1;

    for (uint64_t i = 0; i < units; i++) {
        for (unsigned k = 0; k < per_byte; k++)
            *to++ = (uint8_t)(from[i] >> (k * bits) & mask);
    }
}

/* One code a byte: signed ones are sign-extended, the high bits of others are
 * cleared. */
static void extend_codes(enum tn_dtype dtype, uint8_t *codes, uint64_t count)
{
    unsigned bits = tn_dtype_bits(dtype);
    unsigned mask = (1u << bits) - 1;
    unsigned sign = dtype == TN_INT4 || dtype == TN_INT2 ? 1u << (bits - 1) : 0;

    for (uint64_t i = 0; i < count; i++)
        codes[i] = (uint8_t)(((codes[i] & mask) ^ sign) - sign);
}

/* Fill the window; how many elements are in it. */
static uint64_t fill(struct pass *pass, uint64_t elements)
{
    const struct tn_layout *layout    = pass->layout;
    bool                    is_packed = layout->per_byte > 1;
    uint64_t                room = pass->window_size / layout->element_size;
    uint64_t                n    = tn_min(elements, room) * layout->parts;

    if (is_packed)
        n = tn_min(elements / layout->per_byte + 2, pass->packed_size);
    n = tn_units_read(&pass->units, is_packed ? pass->packed : pass->window,
                      tn_min(n, pass->units_left));
    pass->units_left -= n;
    if (is_packed)
        take_apart(pass->window, pass->packed, n, layout->per_byte);
    n = is_packed ? n * layout->per_byte : n / layout->parts;
    if (layout->is_small)
        extend_codes(pass->elements->shape.dtype, pass->window, n);
    return n;
}

static void remember_last(struct pass *pass, uint64_t elements)
{
    unsigned size = pass->layout->element_size;

    memcpy(pass->last, pass->window + (elements - 1) * size, size);
    pass->has_last = true;
}

/* Stored elements to the sink, until `*left` are written or none is left. */
static enum tn_status copy_stored(struct pass *pass, uint64_t *left,
                                  struct tn_sink *to)
{
    const struct tn_layout *layout = pass->layout;
    struct tn_span          extent;

    while (*left > 0 && pass->units_left > 0) {
        uint64_t units = tn_min(*left * layout->parts, pass->units_left);
        if (!layout->is_small &&
            tn_units_extent(&pass->units, units, layout->parts, &extent)) {
            TN_TRY(tn_sink_splice(to, extent, pass->error));
            pass->units_left -= extent.length / layout->unit_size;
            *left -= extent.length / layout->element_size;
            pass->has_last = false;
            continue;
        }
        uint64_t n = fill(pass, *left);
        if (n <= pass->drop)
            break;
        remember_last(pass, n);
        uint64_t given = tn_min(n - pass->drop, *left);
        TN_TRY(tn_sink_write(
            to,
            tn_bytes(pass->window + pass->drop * layout->element_size,
                     (size_t)(given * layout->element_size)),
            pass->error));
        pass->drop = 0;
        *left -= given;
    }
    return pass->error->status;
}

/* The units ended before the range did: find what is to be repeated. */
static enum tn_status find_last(struct pass *pass)
{
    const struct tn_payload *payload = &pass->elements->payload;
    const struct tn_layout  *layout  = pass->layout;
    uint64_t                 have    = pass->units.position;
    uint64_t                 want    = wanted_units(payload, layout);

    if (have < want && !payload->is_uncounted)
        return too_few(payload, want, have, "values", pass->error);
    uint64_t stored = whole_elements(layout, have);
    if (pass->has_last || stored == 0)
        return pass->error->status;
    tn_units_done(&pass->units);
    if (seek(pass, stored - 1) && fill(pass, 1) > pass->drop)
        memcpy(pass->last, pass->window + pass->drop * layout->element_size,
               layout->element_size);
    return pass->error->status;
}

static enum tn_status stream_units(const struct tn_elements *elements,
                                   const struct tn_layout   *layout,
                                   uint64_t first, uint64_t count,
                                   struct tn_memory *memory, struct tn_sink *to,
                                   struct tn_error *error)
{
    struct pass pass = {
        .elements = elements, .layout = layout, .memory = memory, .error = error
    };

    bool is_there = seek(&pass, first);
    if (!tn_failed(error) && allocate(&pass, count) && is_there)
        copy_stored(&pass, &count, to);
    if (!tn_failed(error) && count > 0)
        find_last(&pass);
    if (!tn_failed(error) && count > 0)
        repeat(pass.last, layout->element_size, count, memory, to, error);
    release(&pass);
    return error->status;
}

static bool has_units(const struct tn_payload *payload)
{
    return payload->encoding == TN_ENCODING_RAW ||
           payload->encoding == TN_ENCODING_RAW_BIG ||
           payload->encoding == TN_ENCODING_VARINTS ||
           payload->encoding == TN_ENCODING_FIELD;
}

/* Whether units are returned as they are stored. */
static bool is_verbatim(const struct tn_payload *payload,
                        const struct tn_layout  *layout)
{
    bool is_raw =
        payload->encoding == TN_ENCODING_RAW ||
        (payload->encoding == TN_ENCODING_RAW_BIG && layout->unit_size == 1);

    return is_raw && !layout->is_small;
}

static enum tn_status no_such_encoding(const struct tn_elements *elements,
                                       struct tn_error          *error)
{
    return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                        "encoding %u does not hold elements of type %s",
                        elements->payload.encoding,
                        tn_dtype_name(elements->shape.dtype));
}

/* Raw data must have exactly the size that follows from its type and shape:
 * longer data was meant for another shape, and its first bytes are not the
 * tensor. */
static enum tn_status check_raw_size(const struct tn_payload *payload,
                                     const struct tn_layout  *layout,
                                     struct tn_error         *error)
{
    uint64_t size  = layout->unit_size;
    uint64_t has   = payload->span.source ? payload->span.length : 0;
    uint64_t units = payload->stored, bytes;

    if (payload->is_uncounted)
        units = tn_min(has / size, layout->needed);
    if (units > layout->needed)
        return too_few(payload, layout->needed, units, "values", error);
    if (!tn_mul(units, size, &bytes) || bytes != has)
        return too_few(payload, bytes, has, "bytes", error);
    return TN_OK;
}

static bool is_raw(const struct tn_payload *payload)
{
    return payload->encoding == TN_ENCODING_RAW ||
           payload->encoding == TN_ENCODING_RAW_BIG ||
           payload->encoding == TN_ENCODING_FORTRAN;
}

/* ---- quantised blocks --------------------------------------------------- */

struct tn_payload tn_payload_blocks(const struct tn_shape *shape,
                                    struct tn_span span, unsigned kind,
                                    bool is_big)
{
    return (struct tn_payload){
        .span     = span,
        .stored   = tn_payload_needed(shape, 1),
        .field    = kind,
        .encoding = is_big ? TN_ENCODING_BLOCKS_BIG : TN_ENCODING_BLOCKS,
    };
}

bool tn_payload_block_bytes(const struct tn_shape *shape, unsigned kind,
                            uint64_t *bytes)
{
    const struct tn_block_type *type = tn_block_type(kind);
    uint64_t                    count;

    *bytes = 0;
    if (!type || shape->rank == 0 || shape->dtype != TN_FLOAT32 ||
        !tn_shape_count(shape, &count) ||
        shape->dims[shape->rank - 1] % type->elements != 0)
        return false;
    return tn_mul(count / type->elements, type->bytes, bytes) &&
           *bytes <= TN_SHAPE_MOST;
}

static enum tn_status check_blocks(const struct tn_elements *elements,
                                   struct tn_error          *error)
{
    const struct tn_payload    *payload = &elements->payload;
    const struct tn_block_type *type    = tn_block_type(payload->field);
    uint64_t                    bytes;
    uint64_t has = payload->span.source ? payload->span.length : 0;

    if (!tn_payload_block_bytes(&elements->shape, payload->field, &bytes))
        return tn_error_set(error, TN_MALFORMED, payload->span.offset,
                            "a shape whose rows are not whole blocks of %u "
                            "elements",
                            type ? type->elements : 0);
    if (bytes != has)
        return too_few(payload, bytes, has, "bytes", error);
    return TN_OK;
}

/* Blocks that go through memory, and the elements that are made of them.  They
 * are read, also from a file that is mapped: its pages would stay in memory. */
struct block_pass {
    const struct tn_payload    *payload;
    const struct tn_block_type *type;
    struct tn_memory           *memory;
    struct tn_error            *error;
    uint64_t                    offset; /* of the next block to be read       */
    uint64_t                    left;   /* blocks that are to be read         */
    uint8_t                    *blocks;
    uint64_t                    room; /* for blocks                           */
    uint64_t                    at, held; /* those in memory, not yet used    */
    float                      *elements; /* NULL: blocks are handed out      */
    uint64_t                    batch;    /* blocks that are decoded at a time */
};

static uint64_t block_pass_bytes(const struct block_pass *pass)
{
    return pass->room * pass->type->bytes;
}

static uint64_t block_pass_size(const struct block_pass *pass)
{
    return pass->batch * pass->type->elements * sizeof(float);
}

/* From block `first` on, for `count` blocks. */
static bool block_pass_open(struct block_pass *pass, uint64_t first,
                            uint64_t count, bool is_decoding)
{
    tn_cursor_span(pass->payload->span, pass->error);
    if (tn_failed(pass->error))
        return false;
    pass->left   = count;
    pass->offset = pass->payload->span.offset + first * pass->type->bytes;
    pass->room   = tn_min(count, 4 * TN_WINDOW_SIZE / pass->type->bytes);
    pass->batch  = tn_min(count, TN_WINDOW_SIZE / sizeof(float) /
                                    pass->type->elements);
    pass->blocks = tn_memory_resize(pass->memory, NULL, 0,
                                    block_pass_bytes(pass), pass->error);
    if (pass->blocks && is_decoding)
        pass->elements = tn_memory_resize(pass->memory, NULL, 0,
                                          block_pass_size(pass), pass->error);
    return !tn_failed(pass->error);
}

static void block_pass_done(struct block_pass *pass)
{
    if (pass->elements)
        tn_memory_free(pass->memory, pass->elements, block_pass_size(pass));
    if (pass->blocks)
        tn_memory_free(pass->memory, pass->blocks, block_pass_bytes(pass));
}

static bool is_big_endian_machine(void)
{
    const uint16_t one = 1;

    return *(const uint8_t *)&one == 0;
}

static enum tn_status read_blocks(struct block_pass *pass)
{
    uint64_t count = tn_min(pass->left, pass->room);
    uint64_t size  = count * pass->type->bytes;

    TN_TRY(tn_source_read(pass->payload->span.source, pass->offset,
                          pass->blocks, (size_t)size, pass->error));
    if (pass->payload->encoding == TN_ENCODING_BLOCKS_BIG)
        tn_block_reverse(pass->payload->field, pass->blocks, (size_t)count);
    pass->offset += size;
    pass->left -= count;
    pass->at   = 0;
    pass->held = count;
    return TN_OK;
}

/* At most `count` of the next blocks, little-endian; NULL after a failure. */
static const uint8_t *next_blocks(struct block_pass *pass, uint64_t *count)
{
    if (pass->held == 0 && read_blocks(pass) != TN_OK)
        return NULL;
    const uint8_t *blocks = pass->blocks + pass->at * pass->type->bytes;
    *count                = tn_min(*count, pass->held);
    pass->at += *count;
    pass->held -= *count;
    return blocks;
}

static enum tn_status copy_blocks(struct block_pass *pass, uint64_t count,
                                  struct tn_sink *to)
{
    while (count > 0) {
        uint64_t       n      = count;
        const uint8_t *blocks = next_blocks(pass, &n);
        if (!blocks)
            return pass->error->status;
        TN_TRY(tn_sink_write(
            to, tn_bytes(blocks, (size_t)(n * pass->type->bytes)),
            pass->error));
        count -= n;
    }
    return TN_OK;
}

/* `drop` elements of the first block are not wanted. */
static enum tn_status decode_blocks(struct block_pass *pass, uint64_t drop,
                                    uint64_t count, struct tn_sink *to)
{
    uint64_t per_block = pass->type->elements;

    while (count > 0) {
        uint64_t n = tn_min((drop + count + per_block - 1) / per_block,
                            pass->batch);
        const uint8_t *blocks = next_blocks(pass, &n);
        if (!blocks)
            return pass->error->status;
        tn_block_decode(pass->payload->field, blocks, (size_t)n,
                        pass->elements);
        if (is_big_endian_machine())
            tn_reverse_units((uint8_t *)pass->elements, sizeof(float),
                             n * per_block);
        uint64_t given = tn_min(n * per_block - drop, count);
        TN_TRY(tn_sink_write(
            to, tn_bytes(pass->elements + drop, (size_t)given * sizeof(float)),
            pass->error));
        drop = 0;
        count -= given;
    }
    return TN_OK;
}

static enum tn_status stream_elements(const struct tn_elements *elements,
                                      uint64_t first, uint64_t count,
                                      struct tn_memory *memory,
                                      struct tn_sink   *to,
                                      struct tn_error  *error)
{
    struct block_pass pass = {
        .payload = &elements->payload,
        .type    = tn_block_type(elements->payload.field),
        .memory  = memory,
        .error   = error,
    };

    TN_TRY(check_blocks(elements, error));
    if (count == 0)
        return TN_OK;
    uint64_t per_block = pass.type->elements;
    uint64_t begin     = first / per_block;
    uint64_t blocks    = (first + count - 1) / per_block + 1 - begin;
    if (block_pass_open(&pass, begin, blocks, true))
        decode_blocks(&pass, first % per_block, count, to);
    block_pass_done(&pass);
    return error->status;
}

enum tn_status tn_payload_stream_blocks(const struct tn_elements *elements,
                                        struct tn_memory         *memory,
                                        struct tn_sink           *to,
                                        struct tn_error          *error)
{
    struct block_pass pass = {
        .payload = &elements->payload,
        .type    = tn_block_type(elements->payload.field),
        .memory  = memory,
        .error   = error,
    };

    if (!tn_payload_is_blocks(&elements->payload))
        return no_such_encoding(elements, error);
    TN_TRY(check_blocks(elements, error));
    if (elements->payload.span.length == 0)
        return TN_OK;
    if (elements->payload.encoding == TN_ENCODING_BLOCKS)
        return tn_sink_splice(to, elements->payload.span, error);
    uint64_t blocks = elements->payload.span.length / pass.type->bytes;
    if (block_pass_open(&pass, 0, blocks, false))
        copy_blocks(&pass, blocks, to);
    block_pass_done(&pass);
    return error->status;
}

enum tn_status tn_payload_stream(const struct tn_elements *elements,
                                 uint64_t first, uint64_t count,
                                 struct tn_memory *memory, struct tn_sink *to,
                                 struct tn_error *error)
{
    const struct tn_payload *payload = &elements->payload;
    struct tn_layout         layout;

    TN_TRY(tn_layout_of(elements, &layout, error));
    if (!tn_inside(first, count, layout.count))
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "elements %" PRIu64 " to %" PRIu64 " of %" PRIu64,
                            first, first + count, layout.count);
    if (tn_payload_is_blocks(payload))
        return stream_elements(elements, first, count, memory, to, error);
    if (is_raw(payload))
        TN_TRY(check_raw_size(payload, &layout, error));
    if (count == 0)
        return TN_OK;
    if (payload->encoding == TN_ENCODING_NONE)
        return tn_sink_zeros(to, count * layout.element_size, error);
    if (payload->encoding == TN_ENCODING_VIEW ||
        payload->encoding == TN_ENCODING_FORTRAN)
        return tn_view_stream(elements, first, count, memory, to, error);
    if (is_verbatim(payload, &layout))
        return stream_raw(elements, &layout, first, count, memory, to, error);
    if (has_units(payload))
        return stream_units(elements, &layout, first, count, memory, to, error);
    return no_such_encoding(elements, error);
}

static enum tn_status check_raw(const struct tn_elements *elements,
                                const struct tn_layout   *layout,
                                struct tn_error          *error)
{
    TN_TRY(check_raw_size(&elements->payload, layout, error));
    tn_cursor_span(elements->payload.span, error);
    return error->status;
}

static enum tn_status check_units(const struct tn_elements *elements,
                                  const struct tn_layout   *layout,
                                  struct tn_error          *error)
{
    const struct tn_payload *payload = &elements->payload;
    struct tn_source        *source  = payload->span.source;
    struct tn_units          units;

    tn_units_open(&units, elements, layout, source ? source->memory : NULL,
                  error);
    uint64_t have = tn_units_skip(&units, UINT64_MAX);
    tn_units_done(&units);
    TN_TRY(error->status);
    uint64_t needs = payload->is_uncounted
                         ? tn_min(have - have % layout->parts, layout->needed)
                         : payload->stored;
    if (have != needs)
        return too_few(payload, needs, have, "values", error);
    if (needs > layout->needed)
        return too_few(payload, layout->needed, needs, "values", error);
    return TN_OK;
}

enum tn_status tn_payload_check(const struct tn_elements *elements,
                                struct tn_error          *error)
{
    struct tn_layout layout;

    if (tn_dtype_bits(elements->shape.dtype) == 0)
        return tn_strings_check(elements, error);
    TN_TRY(tn_layout_of(elements, &layout, error));
    switch (elements->payload.encoding) {
    case TN_ENCODING_NONE: return TN_OK;
    case TN_ENCODING_RAW:
    case TN_ENCODING_RAW_BIG:
    case TN_ENCODING_FORTRAN: return check_raw(elements, &layout, error);
    case TN_ENCODING_VARINTS:
    case TN_ENCODING_FIELD: return check_units(elements, &layout, error);
    case TN_ENCODING_VIEW: return tn_view_check(elements, error);
    case TN_ENCODING_BLOCKS:
    case TN_ENCODING_BLOCKS_BIG:
        TN_TRY(check_blocks(elements, error));
        tn_cursor_span(elements->payload.span, error);
        return error->status;
    default: return no_such_encoding(elements, error);
    }
}

bool tn_payload_is_plain(const struct tn_elements *elements, bool is_packed,
                         struct tn_span *span)
{
    const struct tn_payload *payload = &elements->payload;
    struct tn_error          error   = TN_ERROR_INIT;
    struct tn_layout         layout;
    uint64_t                 bytes;

    if (tn_layout_of(elements, &layout, &error) != TN_OK)
        return false;
    bool is_as_packed = layout.per_byte > 1 && is_packed &&
                        payload->encoding == TN_ENCODING_RAW;
    if (!is_as_packed && !is_verbatim(payload, &layout))
        return false;
    if (!tn_mul(layout.needed, layout.unit_size, &bytes) ||
        (!payload->is_uncounted && payload->stored < layout.needed) ||
        payload->span.length != bytes)
        return false;
    *span =
        (struct tn_span){ payload->span.source, payload->span.offset, bytes };
    return true;
}

/* A sink that puts elements of less than a byte back together. */
struct packer {
    struct tn_sink  sink; /* first */
    struct tn_sink *to;
    unsigned        bits;
    unsigned        used; /* bits of `byte` */
    unsigned        byte;
};

static enum tn_status pack(struct tn_sink *sink, struct tn_bytes bytes,
                           struct tn_error *error)
{
    struct packer *packer = (struct packer *)sink;
    unsigned       mask   = (1u << packer->bits) - 1;
    uint8_t        out[1024];
    size_t         n = 0;

    for (size_t i = 0; i < bytes.size; i++) {
        packer->byte |= (bytes.data[i] & mask) << packer->used;
        packer->used += packer->bits;
        if (packer->used < 8)
            continue;
        out[n++]     = (uint8_t)packer->byte;
        packer->byte = packer->used = 0;
        if (n == sizeof out) {
            TN_TRY(tn_sink_write(packer->to, tn_bytes(out, n), error));
            n = 0;
        }
    }
    return tn_sink_write(packer->to, tn_bytes(out, n), error);
}

static enum tn_status stream_packed(const struct tn_elements *elements,
                                    uint64_t count, struct tn_memory *memory,
                                    struct tn_sink *to, struct tn_error *error)
{
    static const struct tn_sink_ops ops    = { .write = pack };
    struct packer                   packer = {
                          .sink = { .ops = &ops },
                          .to   = to,
                          .bits = tn_dtype_bits(elements->shape.dtype),
    };

    TN_TRY(tn_payload_stream(elements, 0, count, memory, &packer.sink, error));
    uint8_t byte = (uint8_t)packer.byte;
    if (packer.used)
        TN_TRY(tn_sink_write(to, tn_bytes(&byte, 1), error));
    return TN_OK;
}

static enum tn_status produce(const struct tn_producer *base,
                              struct tn_sink *to, struct tn_error *error)
{
    const struct tn_payload_producer *producer =
        (const struct tn_payload_producer *)base;
    const struct tn_elements *elements = producer->elements;
    bool     is_small = tn_dtype_bits(elements->shape.dtype) < 8;
    uint64_t count;

    if (!tn_shape_count(&elements->shape, &count))
        return tn_shape_refuse(&elements->shape, TN_NOWHERE, error);
    if (producer->is_packed && is_small)
        return stream_packed(elements, count, producer->memory, to, error);
    return tn_payload_stream(elements, 0, count, producer->memory, to, error);
}

enum tn_status tn_payload_producer_init(struct tn_payload_producer *producer,
                                        const struct tn_elements   *elements,
                                        struct tn_memory           *memory,
                                        bool is_packed, struct tn_error *error)
{
    struct tn_layout layout;
    unsigned         bits = tn_dtype_bits(elements->shape.dtype);

    *producer = (struct tn_payload_producer){
        .producer  = { .produce = produce },
        .elements  = elements,
        .memory    = memory,
        .is_packed = is_packed,
    };
    TN_TRY(tn_layout_of(elements, &layout, error));
    uint64_t per_byte = is_packed && bits < 8 ? 8 / bits : 1;
    producer->producer.length =
        per_byte > 1 ? layout.count / per_byte + (layout.count % per_byte != 0)
                     : layout.count * layout.element_size;
    return TN_OK;
}
