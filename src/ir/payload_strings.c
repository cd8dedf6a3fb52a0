/*
 * payload_strings.c - where each string of a tensor lies
 *
 *   FIELD    occurrences of one LEN field of a protobuf message
 *   LENGTHS  varint length * N, then the N strings side by side
 *   BUNDLE   the same with 4 bytes of checksum between the two; of variants
 *            N times: varint length, bytes, 4 bytes of checksum
 *   PADDED   N times `field` bytes, zeros at their end not counted
 *   OFFSETS  int64 * (N + 1), where each begins and the last ends, counted
 *            from the first byte behind them; _BIG: these are big-endian
 *   PLACES   int32 N, int32 * (N + 1), where each begins and the last ends,
 *            counted from the first byte of all
 *   NONE     all are empty
 *
 * N is the number of elements of the shape.  Strings are never read here: the
 * visitor gets spans.
 */
#include "ir/payload_strings.h"

#include "base/arith.h"
#include "ir/payload_units.h"
#include "ir/payload_view.h"

#define CHECKSUM_SIZE 4

/* `take` gets the strings one by one, in order, from the first of the
 * tensor. */
struct walk {
    const struct tn_elements *elements;
    uint64_t                  total; /* strings of the shape                  */
    uint64_t                  first, end; /* those the visitor wants          */
    tn_string_visitor        *each;
    void                     *context;
    struct tn_error          *error;
    struct tn_span            last;
    uint64_t                  index; /* of the next one                       */
};

/* Passes one string; false at the end of the walk. */
static bool take(struct walk *walk, struct tn_span text)
{
    uint64_t index = walk->index++;

    walk->last = text;
    if (index < walk->first)
        return true;
    if (index >= walk->end)
        return false;
    enum tn_status status = walk->each(walk->context, index, text, walk->error);
    if (status != TN_OK)
        tn_error_set(walk->error, status, TN_NOWHERE, "stopped");
    return status == TN_OK && walk->index < walk->end;
}

/* The memory of windows is charged to the source's budget: strings have no
 * budget of their own. */
static void open_window(struct tn_window *w, struct tn_span span,
                        struct tn_error *error)
{
    tn_window_open(w, span, span.source ? span.source->memory : NULL, error);
}

static enum tn_status too_few(const struct walk *walk, uint64_t needs,
                              uint64_t has, const char *what)
{
    const struct tn_span *span = &walk->elements->payload.span;

    tn_error_set(walk->error, TN_MALFORMED, span->offset,
                 "needs %" PRIu64 " %s, has %" PRIu64, needs, what, has);
    if (span->source)
        tn_error_file(walk->error, span->source->name);
    return walk->error->status;
}

static void walk_field(struct walk *walk)
{
    const struct tn_payload *payload = &walk->elements->payload;
    uint64_t                 want    = payload->is_uncounted
                                           ? walk->total
                                           : tn_min(payload->stored, walk->total);
    struct tn_window         w;
    struct tn_span           text;

    open_window(&w, payload->span, walk->error);
    while (walk->index < want && tn_window_field(&w, payload->field, &text)) {
        if (!take(walk, text))
            break;
    }
    tn_window_done(&w);
    if (!tn_failed(walk->error) && walk->index < tn_min(want, walk->end) &&
        !payload->is_uncounted)
        too_few(walk, want, walk->index, "strings");
}

/* Lengths are all in front: the first pass finds where the bytes begin. */
static uint64_t end_of_lengths(struct walk *walk)
{
    struct tn_window w;

    open_window(&w, walk->elements->payload.span, walk->error);
    for (uint64_t i = 0; i < walk->total && !tn_failed(walk->error); i++)
        tn_window_varint(&w);
    uint64_t offset = w.cursor.offset;
    tn_window_done(&w);
    return offset;
}

static void walk_lengths(struct walk *walk, uint64_t checksum)
{
    struct tn_span   span = walk->elements->payload.span;
    uint64_t         end  = span.offset + span.length;
    uint64_t         at   = end_of_lengths(walk);
    struct tn_window w;

    if (tn_failed(walk->error))
        return;
    if (checksum > end - at) {
        too_few(walk, at - span.offset + checksum, span.length, "bytes");
        return;
    }
    at += checksum;
    open_window(&w, span, walk->error);
    while (!tn_failed(walk->error) && walk->index < walk->end) {
        uint64_t offset = w.cursor.offset;
        uint64_t length = tn_window_varint(&w);
        if (!tn_failed(walk->error) && length > end - at)
            tn_fail_at(&w.cursor, offset, TN_TRUNCATED,
                       "a string of %" PRIu64 " bytes, %" PRIu64 " left",
                       length, end - at);
        if (tn_failed(walk->error) ||
            !take(walk, (struct tn_span){ span.source, at, length }))
            break;
        at += length;
    }
    tn_window_done(&w);
}

/* How offsets are stored. */
struct offsets {
    unsigned head;  /* bytes before them                                      */
    unsigned width; /* of one                                                 */
    bool     is_big;
    bool     counts_all; /* from the first byte, not from behind the offsets  */
};

static struct offsets offsets_of(const struct walk *walk)
{
    switch (walk->elements->payload.encoding) {
    case TN_ENCODING_PLACES: return (struct offsets){ 4, 4, false, true };
    case TN_ENCODING_OFFSETS_BIG: return (struct offsets){ 0, 8, true, false };
    default: return (struct offsets){ 0, 8, false, false };
    }
}

static uint64_t next_offset(struct tn_window *w, const struct offsets *how)
{
    uint8_t  bytes[8] = { 0 };
    uint64_t value    = 0;

    tn_window_copy(w, bytes, how->width);
    for (unsigned i = 0; i < how->width; i++)
        value = value << 8 | bytes[how->is_big ? i : how->width - 1 - i];
    return value;
}

/* The number of strings that the bytes begin with. */
static bool has_count(struct walk *walk)
{
    struct tn_span span = walk->elements->payload.span;
    uint8_t        bytes[4];

    if (span.length < sizeof bytes) {
        too_few(walk, 8, span.length, "bytes");
        return false;
    }
    if (tn_source_read(span.source, span.offset, bytes, sizeof bytes,
                       walk->error) != TN_OK)
        return false;
    uint32_t count = tn_load32(bytes);
    if (count == walk->total)
        return true;
    too_few(walk, walk->total, count, "strings");
    return false;
}

/* Begins at the first string that is wanted: what is before is not read. */
static void walk_offsets(struct walk *walk)
{
    struct offsets   how  = offsets_of(walk);
    struct tn_span   span = walk->elements->payload.span;
    uint64_t         base, begin, end, from;
    struct tn_window w;

    if (how.head && !has_count(walk))
        return;
    if (walk->total >= TN_SHAPE_MOST / 16 ||
        (base = how.head + how.width * (walk->total + 1)) > span.length) {
        too_few(walk, walk->total, span.length / how.width,
                "offsets and one more");
        return;
    }
    from = how.counts_all ? 0 : base;
    open_window(&w, span, walk->error);
    tn_window_skip(&w, how.head + how.width * walk->first);
    begin       = next_offset(&w, &how);
    walk->index = walk->first;
    while (!tn_failed(walk->error) && walk->index < walk->end) {
        uint64_t at = w.cursor.offset;
        end         = next_offset(&w, &how);
        if (!tn_failed(walk->error) &&
            (end < begin || end > span.length - from || begin < base - from))
            tn_fail_at(&w.cursor, at, TN_MALFORMED,
                       "a string from %" PRIu64 " to %" PRIu64 " of %" PRIu64
                       " bytes",
                       begin, end, span.length - from);
        if (tn_failed(walk->error) ||
            !take(walk,
                  (struct tn_span){ span.source, span.offset + from + begin,
                                    end - begin }))
            break;
        begin = end;
    }
    tn_window_done(&w);
}

static void walk_variants(struct walk *walk)
{
    struct tn_span   span = walk->elements->payload.span;
    struct tn_window w;

    open_window(&w, span, walk->error);
    while (!tn_failed(walk->error) && walk->index < walk->end) {
        uint64_t       length = tn_window_varint(&w);
        struct tn_span text   = { span.source, w.cursor.offset, length };
        tn_window_skip(&w, length);
        tn_window_skip(&w, CHECKSUM_SIZE);
        if (tn_failed(walk->error) || !take(walk, text))
            break;
    }
    tn_window_done(&w);
}

/* How long the string is that has `width` bytes of room here. */
static uint64_t trimmed(struct walk *walk, struct tn_source *source,
                        uint64_t offset, uint64_t width)
{
    uint8_t bytes[1024];

    while (width > 0) {
        size_t size = (size_t)tn_min(width, sizeof bytes);
        if (tn_source_read(source, offset + width - size, bytes, size,
                           walk->error) != TN_OK)
            return 0;
        while (size > 0 && bytes[size - 1] == 0) {
            size--;
            width--;
        }
        if (size > 0)
            return width;
    }
    return 0;
}

static enum tn_status check_padded(struct walk *walk)
{
    const struct tn_payload *payload = &walk->elements->payload;
    uint64_t                 needs;

    if (!tn_mul(walk->total, payload->field, &needs))
        return tn_shape_refuse(&walk->elements->shape, payload->span.offset,
                               walk->error);
    return needs == payload->span.length
               ? TN_OK
               : too_few(walk, needs, payload->span.length, "bytes");
}

static void walk_padded(struct walk *walk)
{
    struct tn_span span  = walk->elements->payload.span;
    uint64_t       width = walk->elements->payload.field;

    if (check_padded(walk) != TN_OK || width == 0)
        return;
    walk->index = walk->first;
    while (!tn_failed(walk->error)) {
        uint64_t at     = span.offset + walk->index * width;
        uint64_t length = trimmed(walk, span.source, at, width);
        if (tn_failed(walk->error) ||
            !take(walk, (struct tn_span){ span.source, at, length }))
            break;
    }
}

/* Passes the strings that the writer left out. */
static void walk_rest(struct walk *walk)
{
    bool           is_string = walk->elements->shape.dtype == TN_STRING;
    struct tn_span fill      = { NULL, 0, 0 };

    if (is_string && walk->index > 0)
        fill = walk->last;
    if (walk->index < walk->first)
        walk->index = walk->first;
    while (!tn_failed(walk->error) && walk->index < walk->end)
        take(walk, fill);
}

static enum tn_status walk_strings(struct walk *walk)
{
    const struct tn_payload *payload = &walk->elements->payload;
    bool is_variant = walk->elements->shape.dtype == TN_VARIANT;

    if (walk->first == walk->end)
        return TN_OK;
    switch (payload->encoding) {
    case TN_ENCODING_NONE: break;
    case TN_ENCODING_FIELD: walk_field(walk); break;
    case TN_ENCODING_LENGTHS: walk_lengths(walk, 0); break;
    case TN_ENCODING_PADDED: walk_padded(walk); break;
    case TN_ENCODING_OFFSETS:
    case TN_ENCODING_OFFSETS_BIG:
    case TN_ENCODING_PLACES: walk_offsets(walk); break;
    case TN_ENCODING_BUNDLE:
        if (is_variant)
            walk_variants(walk);
        else
            walk_lengths(walk, CHECKSUM_SIZE);
        break;
    default:
        return tn_error_set(walk->error, TN_INVALID, TN_NOWHERE,
                            "encoding %u does not hold strings",
                            payload->encoding);
    }
    walk_rest(walk);
    return walk->error->status;
}

static enum tn_status open_walk(struct walk *walk)
{
    const struct tn_shape *shape = &walk->elements->shape;

    if (shape->dtype == TN_UNDEFINED)
        return tn_error_set(walk->error, TN_UNSUPPORTED, TN_NOWHERE,
                            "elements of an unknown type");
    if (tn_dtype_bits(shape->dtype) != 0)
        return tn_error_set(walk->error, TN_INVALID, TN_NOWHERE,
                            "elements of type %s are not strings",
                            tn_dtype_name(shape->dtype));
    if (!tn_shape_count(shape, &walk->total))
        return tn_shape_refuse(shape, walk->elements->payload.span.offset,
                               walk->error);
    return TN_OK;
}

enum tn_status tn_payload_strings(const struct tn_elements *elements,
                                  uint64_t first, uint64_t count,
                                  tn_string_visitor *each, void *context,
                                  struct tn_error *error)
{
    struct walk walk = { .elements = elements,
                         .first    = first,
                         .each     = each,
                         .context  = context,
                         .error    = error };

    TN_TRY(open_walk(&walk));
    if (!tn_inside(first, count, walk.total))
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "strings %" PRIu64 " to %" PRIu64 " of %" PRIu64,
                            first, first + count, walk.total);
    if (elements->payload.encoding == TN_ENCODING_VIEW)
        return tn_string_view(elements, first, count, each, context, error);
    walk.end = first + count;
    return walk_strings(&walk);
}

static bool has_offsets(const struct walk *walk)
{
    uint8_t encoding = walk->elements->payload.encoding;

    return encoding == TN_ENCODING_OFFSETS ||
           encoding == TN_ENCODING_OFFSETS_BIG ||
           encoding == TN_ENCODING_PLACES;
}

/* The first string begins where the offsets end. */
static enum tn_status check_first(struct walk *walk)
{
    const struct tn_span *span = &walk->elements->payload.span;
    struct offsets        how  = offsets_of(walk);
    struct tn_window      w;
    uint64_t first = how.counts_all ? how.head + how.width * (walk->total + 1)
                                    : 0;

    if (!has_offsets(walk) || (how.head && !has_count(walk)))
        return walk->error->status;
    open_window(&w, *span, walk->error);
    tn_window_skip(&w, how.head);
    uint64_t begin = next_offset(&w, &how);
    tn_window_done(&w);
    if (!tn_failed(walk->error) && begin != first)
        tn_error_set(walk->error, TN_MALFORMED, span->offset,
                     "the first string begins at %" PRIu64 ", not at %" PRIu64,
                     begin, first);
    return walk->error->status;
}

static enum tn_status check_span_end(struct walk *walk)
{
    const struct tn_span *span = &walk->elements->payload.span;
    uint64_t              end  = walk->last.offset + walk->last.length;

    if (walk->elements->shape.dtype == TN_VARIANT &&
        walk->elements->payload.encoding == TN_ENCODING_BUNDLE)
        end += CHECKSUM_SIZE;
    if (walk->total == 0)
        end = span->offset + (has_offsets(walk) ? 8 : 0);
    if (end != span->offset + span->length)
        return too_few(walk, end - span->offset, span->length, "bytes");
    return TN_OK;
}

/* All occurrences, also those the shape has no place for. */
static enum tn_status check_field(struct walk *walk)
{
    const struct tn_payload *payload = &walk->elements->payload;
    uint64_t                 have    = 0;
    struct tn_window         w;
    struct tn_span           text;

    open_window(&w, payload->span, walk->error);
    while (tn_window_field(&w, payload->field, &text))
        have++;
    tn_window_done(&w);
    TN_TRY(walk->error->status);
    if (!payload->is_uncounted && have != payload->stored)
        return too_few(walk, payload->stored, have, "strings");
    if (have > walk->total)
        return too_few(walk, walk->total, have, "strings");
    return TN_OK;
}

static enum tn_status nothing(void *context, uint64_t index,
                              struct tn_span text, struct tn_error *error)
{
    (void)context;
    (void)index;
    (void)text;
    (void)error;
    return TN_OK;
}

enum tn_status tn_strings_check(const struct tn_elements *elements,
                                struct tn_error          *error)
{
    struct walk walk = { .elements = elements,
                         .each     = nothing,
                         .error    = error };

    TN_TRY(open_walk(&walk));
    walk.end = walk.total;
    switch (elements->payload.encoding) {
    case TN_ENCODING_NONE: return TN_OK;
    case TN_ENCODING_FIELD: return check_field(&walk);
    case TN_ENCODING_PADDED: return check_padded(&walk);
    case TN_ENCODING_VIEW: return tn_view_check(elements, error);
    default: break;
    }
    TN_TRY(walk_strings(&walk));
    TN_TRY(check_first(&walk));
    return check_span_end(&walk);
}
