/*
 * payload_units.c - stored units, one window after the other
 *
 *   RAW, RAW_BIG  units side by side
 *   VARINTS       varint*
 *   FIELD         a protobuf message; the values of one field, in
 *                   tag(field, LEN) varint n, n bytes of values     (packed)
 *                   tag(field, type of a value) value             (unpacked)
 *                 and any other field, which is stepped over
 */
#include "ir/payload_units.h"

#include "base/little.h"
#include "base/varint.h"

/* The limit of protobuf itself. */
#define GROUP_DEPTH_LIMIT 100
#define LARGEST_FIELD     ((UINT64_C(1) << 29) - 1)

/* A splice costs a system call or two; below this a copy is cheaper. */
#define SPLICE_WORTH 4096

static bool may_pack(unsigned bits, unsigned per_byte)
{
    return per_byte == 1 || (per_byte == 2 && bits == 4) ||
           (per_byte == 4 && bits == 2);
}

static unsigned parts_of(enum tn_dtype dtype)
{
    return dtype == TN_COMPLEX64 || dtype == TN_COMPLEX128 ? 2 : 1;
}

enum tn_status tn_layout_of(const struct tn_elements *elements,
                            struct tn_layout *layout, struct tn_error *error)
{
    enum tn_dtype dtype = elements->shape.dtype;
    unsigned      bits  = tn_dtype_bits(dtype);
    unsigned      pack  = elements->payload.per_byte;
    uint64_t      bytes;

    *layout = (struct tn_layout){ .element_size = tn_dtype_size(dtype),
                                  .parts        = parts_of(dtype),
                                  .per_byte     = pack ? pack : 1,
                                  .is_small     = bits < 8 };
    if (bits == 0)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "elements of type %s have no fixed size",
                            tn_dtype_name(dtype));
    if (!tn_shape_count(&elements->shape, &layout->count) ||
        !tn_shape_bytes(&elements->shape, &bytes))
        return tn_shape_refuse(&elements->shape, elements->payload.span.offset,
                               error);
    if (!may_pack(bits, layout->per_byte))
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "%u elements of type %s in a byte",
                            layout->per_byte, tn_dtype_name(dtype));
    layout->unit_size = layout->element_size / layout->parts;
    layout->needed    = tn_payload_needed(&elements->shape, layout->per_byte);
    return TN_OK;
}

static uint8_t wire_of(enum tn_dtype dtype)
{
    switch (dtype) {
    case TN_FLOAT32:
    case TN_COMPLEX64: return TN_WIRE_FIXED32;
    case TN_FLOAT64:
    case TN_COMPLEX128: return TN_WIRE_FIXED64;
    default: return TN_WIRE_VARINT;
    }
}

void tn_units_open(struct tn_units *units, const struct tn_elements *elements,
                   const struct tn_layout *layout, struct tn_memory *memory,
                   struct tn_error *error)
{
    const struct tn_payload *payload = &elements->payload;

    *units = (struct tn_units){
        .size     = layout->unit_size,
        .encoding = payload->encoding,
        .wire     = wire_of(elements->shape.dtype),
        .field    = payload->field,
        .is_bool  = elements->shape.dtype == TN_BOOL,
    };
    tn_window_open(&units->window, payload->span, memory, error);
    if (payload->encoding == TN_ENCODING_VARINTS)
        units->wire = TN_WIRE_VARINT;
    if (payload->encoding == TN_ENCODING_FIELD)
        units->values_end = payload->span.offset;
    else
        units->values_end = payload->span.offset + payload->span.length;
}

void tn_units_done(struct tn_units *units)
{
    tn_window_done(&units->window);
}

static bool failed(const struct tn_window *w)
{
    return tn_failed(w->cursor.error);
}

static void skip_value(struct tn_window *w, uint64_t offset, unsigned type)
{
    switch (type) {
    case TN_WIRE_VARINT: tn_window_varint(w); break;
    case TN_WIRE_FIXED64: tn_window_skip(w, 8); break;
    case TN_WIRE_FIXED32: tn_window_skip(w, 4); break;
    case TN_WIRE_LEN: tn_window_skip(w, tn_window_varint(w)); break;
    default:
        tn_fail_at(&w->cursor, offset, TN_MALFORMED, "wire type %u", type);
        break;
    }
}

/* A tag: its field number, and its wire type. */
static uint32_t next_tag(struct tn_window *w, unsigned *type)
{
    uint64_t offset = w->cursor.offset;
    uint64_t tag    = tn_window_varint(w);

    *type = (unsigned)(tag & 7);
    if (!failed(w) && (tag >> 3 == 0 || tag >> 3 > LARGEST_FIELD))
        tn_fail_at(&w->cursor, offset, TN_MALFORMED, "field number %" PRIu64,
                   tag >> 3);
    return (uint32_t)(tag >> 3);
}

static void skip_group(struct tn_window *w, uint64_t offset, uint32_t number)
{
    uint32_t open[GROUP_DEPTH_LIMIT];
    unsigned depth = 0, type;

    open[depth++] = number;
    while (depth > 0 && !failed(w)) {
        uint64_t at = w->cursor.offset;
        number      = next_tag(w, &type);
        if (type == TN_WIRE_GROUP_END) {
            if (number != open[--depth])
                tn_fail_at(&w->cursor, at, TN_MALFORMED,
                           "group %u ends as group %u", open[depth], number);
        } else if (type != TN_WIRE_GROUP_BEGIN) {
            skip_value(w, at, type);
        } else if (depth == GROUP_DEPTH_LIMIT) {
            tn_fail_at(&w->cursor, offset, TN_LIMIT,
                       "groups nested deeper than %d", GROUP_DEPTH_LIMIT);
        } else {
            open[depth++] = number;
        }
    }
}

/* The next tag of field `number`, any wire type; false at the end. */
static bool find_tag(struct tn_window *w, uint32_t number, unsigned *type)
{
    while (tn_window_left(w) > 0) {
        uint64_t offset = w->cursor.offset;
        uint32_t found  = next_tag(w, type);
        if (failed(w))
            return false;
        if (found == number)
            return true;
        if (*type == TN_WIRE_GROUP_BEGIN)
            skip_group(w, offset, found);
        else
            skip_value(w, offset, *type);
    }
    return false;
}

bool tn_window_field(struct tn_window *w, uint32_t number, struct tn_span *body)
{
    unsigned type   = TN_WIRE_LEN;
    uint64_t offset = w->cursor.offset;

    if (!find_tag(w, number, &type))
        return false;
    if (type != TN_WIRE_LEN) {
        tn_fail_at(&w->cursor, offset, TN_MALFORMED,
                   "field %u has wire type %u, %d was expected", number, type,
                   TN_WIRE_LEN);
        return false;
    }
    uint64_t length = tn_window_varint(w);
    *body = (struct tn_span){ w->cursor.source, w->cursor.offset, length };
    tn_window_skip(w, length);
    return !failed(w);
}

static unsigned wire_size(unsigned wire)
{
    return wire == TN_WIRE_FIXED32 ? 4 : wire == TN_WIRE_FIXED64 ? 8 : 1;
}

/* Begins a packed occurrence, which cannot be read beyond its length. */
static void enter_packed(struct tn_units *units)
{
    struct tn_window *w      = &units->window;
    uint64_t          length = tn_window_varint(w);
    uint64_t          left   = tn_window_left(w);

    if (failed(w))
        return;
    if (length > left)
        tn_fail(&w->cursor, TN_TRUNCATED,
                "need %" PRIu64 " bytes, %" PRIu64 " left", length, left);
    else if (length % wire_size(units->wire) != 0)
        tn_fail(&w->cursor, TN_MALFORMED,
                "%" PRIu64 " bytes, not whole numbers of %u", length,
                wire_size(units->wire));
    else
        units->values_end = w->cursor.offset + length;
}

/* Step to the next values of the field; false at the end. */
static bool enter(struct tn_units *units)
{
    struct tn_window *w      = &units->window;
    unsigned          type   = TN_WIRE_LEN;
    uint64_t          offset = w->cursor.offset;

    if (units->encoding != TN_ENCODING_FIELD ||
        !find_tag(w, units->field, &type))
        return false;
    if (type == TN_WIRE_LEN)
        enter_packed(units);
    else if (type != units->wire)
        tn_fail_at(&w->cursor, offset, TN_MALFORMED,
                   "field %u has wire type %u, %u was expected", units->field,
                   type, units->wire);
    else if (type == TN_WIRE_VARINT)
        units->is_single = true;
    else
        units->values_end = w->cursor.offset + wire_size(type);
    return !failed(w);
}

static bool next_varint(struct tn_units *units, uint64_t *value)
{
    struct tn_window *w = &units->window;

    while (!units->is_single && w->cursor.offset >= units->values_end) {
        if (!enter(units))
            return false;
    }
    uint64_t offset = w->cursor.offset;
    *value          = tn_window_varint(w);
    if (!units->is_single && w->cursor.offset > units->values_end)
        tn_fail_at(&w->cursor, offset, TN_TRUNCATED,
                   "a varint runs past the end of its field");
    units->is_single = false;
    return !failed(w);
}

static bool has_varints(const struct tn_units *units)
{
    return units->encoding == TN_ENCODING_VARINTS ||
           (units->encoding == TN_ENCODING_FIELD &&
            units->wire == TN_WIRE_VARINT);
}

static void store_unit(const struct tn_units *units, uint8_t *to,
                       uint64_t value)
{
    if (units->is_bool)
        value = value != 0;
    tn_store_little(to, value, units->size);
}

static uint64_t read_varints(struct tn_units *units, uint8_t *to,
                             uint64_t count)
{
    uint64_t value, n = 0;

    for (; n < count && next_varint(units, &value); n++) {
        if (to)
            store_unit(units, to + n * units->size, value);
    }
    return n;
}

/* Whole units that are side by side from here on. */
static uint64_t units_at_hand(struct tn_units *units)
{
    struct tn_window *w = &units->window;

    while (!failed(w) && w->cursor.offset >= units->values_end) {
        if (!enter(units))
            return 0;
    }
    return failed(w) ? 0 : (units->values_end - w->cursor.offset) / units->size;
}

void tn_reverse_units(uint8_t *p, unsigned size, uint64_t count)
{
    for (; count > 0; count--, p += size) {
        for (unsigned i = 0; i < size / 2; i++) {
            uint8_t byte    = p[i];
            p[i]            = p[size - 1 - i];
            p[size - 1 - i] = byte;
        }
    }
}

static uint64_t read_fixed(struct tn_units *units, uint8_t *to, uint64_t count)
{
    uint64_t done = 0, n;

    while (done < count && (n = units_at_hand(units)) > 0) {
        n = tn_min(n, count - done);
        if (to)
            tn_window_copy(&units->window, to + done * units->size,
                           n * units->size);
        else
            tn_window_skip(&units->window, n * units->size);
        if (failed(&units->window))
            break;
        done += n;
    }
    if (to && units->encoding == TN_ENCODING_RAW_BIG)
        tn_reverse_units(to, units->size, done);
    return done;
}

uint64_t tn_units_read(struct tn_units *units, uint8_t *to, uint64_t count)
{
    uint64_t n = has_varints(units) ? read_varints(units, to, count)
                                    : read_fixed(units, to, count);

    units->position += n;
    return n;
}

uint64_t tn_units_skip(struct tn_units *units, uint64_t count)
{
    return tn_units_read(units, NULL, count);
}

bool tn_units_extent(struct tn_units *units, uint64_t count, unsigned parts,
                     struct tn_span *extent)
{
    struct tn_window *w = &units->window;

    if (has_varints(units) || units->encoding == TN_ENCODING_RAW_BIG)
        return false;
    count = tn_min(count, units_at_hand(units));
    count -= count % parts;
    if (count * units->size < SPLICE_WORTH)
        return false;
    *extent = (struct tn_span){ w->cursor.source, w->cursor.offset,
                                count * units->size };
    tn_window_skip(w, extent->length);
    units->position += count;
    return !failed(w);
}
