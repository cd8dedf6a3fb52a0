/*
 * pb_assemble.c - the bytes of a message whose fields come in any order
 *
 * A frame keeps the encoded fields as they came, and a list of series that says
 * which bytes belong to which field.  When it ends, the series are copied in
 * order of their fields after a tag and a length into the frame around it.  A
 * packed field's series hold bare elements; their tag and length are written
 * then.
 *
 * A producer is between two bytes: it belongs to the series that has the byte
 * before it, which is the last of its own length prefix.
 */
#include "wire/pb/pb_assemble.h"

#include "base/bisect.h"
#include "wire/pb/pb_order.h"
#include "wire/pb/pb_rules.h"

struct outsider {
    uint64_t                  at; /* in the frame's bytes */
    const struct tn_producer *producer;
};

void tn_pb_assembly_init(struct tn_pb_assembly *a, struct tn_arena *arena,
                         struct tn_error *error)
{
    a->arena = arena;
    a->error = error;
    a->depth = 0;
    a->ready = 0;
}

void tn_pb_assembly_done(struct tn_pb_assembly *a)
{
    for (unsigned i = 0; i < a->ready; i++) {
        tn_buffer_done(&a->frames[i].bytes);
        tn_list_done(&a->frames[i].series);
        tn_list_done(&a->frames[i].outside);
        tn_list_done(&a->frames[i].counts);
    }
    a->depth = a->ready = 0;
}

static struct tn_pb_frame *top(struct tn_pb_assembly *a)
{
    return &a->frames[a->depth - 1];
}

static void frame_init(struct tn_pb_frame *f, struct tn_memory *memory,
                       struct tn_error *error)
{
    tn_buffer_init(&f->bytes, memory, error);
    tn_list_init(&f->series, memory, sizeof(struct tn_pb_series));
    tn_list_init(&f->outside, memory, sizeof(struct outsider));
    tn_list_init(&f->counts, memory, sizeof(uint64_t));
}

bool tn_pb_begin(struct tn_pb_assembly *a, const struct tn_pb_message *type,
                 uint64_t offset)
{
    if (tn_failed(a->error))
        return false;
    if (a->depth > TN_PB_DEPTH_LIMIT) {
        tn_error_set(a->error, TN_LIMIT, offset,
                     "messages nested deeper than %d", TN_PB_DEPTH_LIMIT);
        return false;
    }
    struct tn_pb_frame *f = &a->frames[a->depth];
    if (a->depth == a->ready) {
        frame_init(f, a->arena->memory, a->error);
        a->ready++;
    }
    tn_buffer_clear(&f->bytes);
    f->type           = type;
    f->series.count   = 0;
    f->outside.count  = 0;
    f->counts.count   = 0;
    f->outside_length = 0;
    if (type && type->field_count &&
        !tn_list_grow(&f->counts, type->field_count, a->error))
        return false;
    a->depth++;
    return true;
}

static uint32_t index_of(const struct tn_pb_assembly   *a,
                         const struct tn_pb_field_type *field)
{
    return (uint32_t)(field - a->frames[a->depth - 1].type->fields);
}

uint64_t tn_pb_count(const struct tn_pb_assembly   *a,
                     const struct tn_pb_field_type *field)
{
    return *tn_list_at(&a->frames[a->depth - 1].counts, uint64_t,
                       index_of(a, field));
}

const struct tn_pb_field_type *tn_pb_other_member(
    const struct tn_pb_assembly *a, const struct tn_pb_field_type *field)
{
    const struct tn_pb_message *type = a->frames[a->depth - 1].type;

    for (uint32_t i = 0; i < type->field_count; i++) {
        const struct tn_pb_field_type *other = &type->fields[i];
        if (tn_pb_share_oneof(other, field) && tn_pb_count(a, other))
            return other;
    }
    return NULL;
}

/* Runs */

/* Everything from `begin` on belongs to this field. */
static void close_series(struct tn_pb_assembly *a, uint32_t field,
                         uint64_t begin)
{
    struct tn_pb_frame  *f    = top(a);
    struct tn_pb_series *last = NULL;

    if (tn_failed(a->error))
        return;
    if (f->series.count)
        last = tn_list_at(&f->series, struct tn_pb_series, f->series.count - 1);
    if (!last || last->field != field) {
        last = tn_list_push(&f->series, struct tn_pb_series, a->error);
        if (!last)
            return;
        *last = (struct tn_pb_series){ begin, begin, field };
    }
    last->end = f->bytes.size;
}

/* The first producer that is after this byte. */
static uint64_t first_outside(const struct tn_pb_frame *f, uint64_t place)
{
    uint64_t at;

    TN_BISECT(at, 0, f->outside.count,
              tn_list_at(&f->outside, struct outsider, at)->at <= place);
    return at;
}

/* The field if it is packed: then its series are bare elements. */
static const struct tn_pb_field_type *packed_field(const struct tn_pb_frame *f,
                                                   uint32_t field)
{
    if (field == TN_PB_UNKNOWN || !f->type->fields[field].is_packed ||
        f->type->fields[field].label != TN_PB_REPEATED)
        return NULL;
    return &f->type->fields[field];
}

/* Bytes of the packed field that begins with series `i`; *next is the series
 * after its last. */
static uint64_t packed_size(const struct tn_pb_frame *f, uint64_t i,
                            uint64_t *next)
{
    const struct tn_pb_series *series = f->series.items;
    uint64_t                   size = 0, k = i;

    for (; k < f->series.count && series[k].field == series[i].field; k++)
        size += series[k].end - series[k].begin;
    *next = k;
    return size;
}

static uint64_t frame_length(const struct tn_pb_frame *f)
{
    uint64_t length = f->bytes.size + f->outside_length;

    for (uint64_t i = 0, next; i < f->series.count; i = next) {
        const struct tn_pb_series *series =
            tn_list_at(&f->series, struct tn_pb_series, i);
        const struct tn_pb_field_type *packed = packed_field(f, series->field);
        next                                  = i + 1;
        if (!packed)
            continue;
        uint64_t size = packed_size(f, i, &next);
        length += tn_varint_size(tn_tag(packed->number, TN_WIRE_LEN)) +
                  tn_varint_size(size);
    }
    return length;
}

/* Where a frame's bytes go: into the frame around it, or into the rope. */
struct target {
    struct tn_pb_frame *frame;
    struct tn_rope     *rope;
    struct tn_error    *error;
};

static void target_bytes(const struct target *to, struct tn_bytes bytes)
{
    if (to->rope)
        tn_rope_bytes(to->rope, bytes);
    else
        tn_buffer_add(&to->frame->bytes, bytes);
}

static void target_producer(const struct target      *to,
                            const struct tn_producer *producer)
{
    if (to->rope) {
        tn_rope_producer(to->rope, producer);
        return;
    }
    struct outsider *outsider =
        tn_list_push(&to->frame->outside, struct outsider, to->error);
    if (!outsider)
        return;
    *outsider = (struct outsider){ to->frame->bytes.size, producer };
    to->frame->outside_length += producer->length;
}

static void target_head(const struct target *to, uint32_t number, uint64_t size)
{
    uint8_t  head[2 * TN_VARINT_MAX];
    unsigned n = tn_varint_put(head, tn_tag(number, TN_WIRE_LEN));

    n += tn_varint_put(head + n, size);
    target_bytes(to, tn_bytes(head, n));
}

static void copy_series(const struct tn_pb_frame  *f,
                        const struct tn_pb_series *series,
                        const struct target       *to)
{
    uint64_t at = series->begin;

    for (uint64_t i = first_outside(f, series->begin); i < f->outside.count;
         i++) {
        struct outsider *out = tn_list_at(&f->outside, struct outsider, i);
        if (out->at > series->end)
            break;
        target_bytes(to, tn_bytes(f->bytes.data + at, (size_t)(out->at - at)));
        target_producer(to, out->producer);
        at = out->at;
    }
    if (series->end > at)
        target_bytes(to,
                     tn_bytes(f->bytes.data + at, (size_t)(series->end - at)));
}

static void copy_frame(const struct tn_pb_frame *f, const struct target *to)
{
    uint64_t begun = UINT64_MAX; /* the packed field whose head is written */

    for (uint64_t i = 0; i < f->series.count && !tn_failed(to->error); i++) {
        const struct tn_pb_series *series =
            tn_list_at(&f->series, struct tn_pb_series, i);
        const struct tn_pb_field_type *packed = packed_field(f, series->field);
        uint64_t                       next;
        if (packed && begun != series->field) {
            target_head(to, packed->number, packed_size(f, i, &next));
            begun = series->field;
        }
        copy_series(f, series, to);
    }
}

/* Map entries show key and value even if they were not written. */
static void complete_entry(struct tn_pb_assembly *a)
{
    const struct tn_pb_message *type = top(a)->type;

    if (!type || !type->is_map_entry)
        return;
    for (uint32_t i = 0; i < type->field_count; i++) {
        const struct tn_pb_field_type *field = &type->fields[i];
        uint64_t                       value = 0;
        if (tn_pb_count(a, field))
            continue;
        if (tn_pb_is_message(field->type)) {
            if (tn_pb_begin(a, field->message, TN_NOWHERE))
                tn_pb_end(a, field);
        } else if (tn_pb_is_blob(field->type)) {
            tn_pb_add_blob(a, field, tn_bytes(NULL, 0));
        } else {
            tn_pb_field_default(field, &value);
            tn_pb_add_number(a, field, value);
        }
    }
}

/* Moves the innermost frame into the one around it. */
static void pop(struct tn_pb_assembly *a, uint32_t field, uint32_t number,
                bool is_group)
{
    complete_entry(a);
    struct tn_pb_frame *inner = top(a);
    a->depth--;
    struct target to    = { top(a), NULL, a->error };
    uint64_t      begin = to.frame->bytes.size;

    tn_pb_series_sort(&inner->series);
    if (is_group)
        tn_buffer_varint(&to.frame->bytes, tn_tag(number, TN_WIRE_GROUP_BEGIN));
    else
        target_head(&to, number, frame_length(inner));
    copy_frame(inner, &to);
    if (is_group)
        tn_buffer_varint(&to.frame->bytes, tn_tag(number, TN_WIRE_GROUP_END));
    close_series(a, field, begin);
}

static void count_one(struct tn_pb_assembly *a, uint32_t field)
{
    ++*tn_list_at(&top(a)->counts, uint64_t, field);
}

void tn_pb_end(struct tn_pb_assembly *a, const struct tn_pb_field_type *field)
{
    const struct tn_pb_message *around = a->frames[a->depth - 2].type;
    uint32_t                    index  = (uint32_t)(field - around->fields);

    pop(a, index, field->number, field->type == TN_PB_GROUP);
    count_one(a, index);
}

void tn_pb_end_unknown(struct tn_pb_assembly *a, uint32_t number, bool is_group)
{
    pop(a, TN_PB_UNKNOWN, number, is_group);
}

void tn_pb_finish(struct tn_pb_assembly *a, struct tn_rope *to)
{
    complete_entry(a);
    struct tn_pb_frame *frame  = top(a);
    struct target       target = { NULL, to, a->error };

    a->depth--;
    tn_pb_series_sort(&frame->series);
    copy_frame(frame, &target);
}

/* Values */

static void put_bits(struct tn_buffer *to, enum tn_wire_type type,
                     uint64_t bits)
{
    if (type == TN_WIRE_VARINT)
        tn_buffer_varint(to, bits);
    else if (type == TN_WIRE_FIXED32)
        tn_buffer_u32(to, (uint32_t)bits);
    else
        tn_buffer_u64(to, bits);
}

/* For a field without presence, zero means that it is absent. */
static bool is_left_out(const struct tn_pb_assembly   *a,
                        const struct tn_pb_field_type *field, bool is_zero)
{
    return is_zero && !field->has_presence && field->label != TN_PB_REPEATED &&
           !a->frames[a->depth - 1].type->is_map_entry;
}

void tn_pb_add_number(struct tn_pb_assembly         *a,
                      const struct tn_pb_field_type *field, uint64_t value)
{
    uint32_t          index = index_of(a, field);
    struct tn_buffer *bytes = &top(a)->bytes;
    uint64_t          begin = bytes->size;
    enum tn_wire_type type  = tn_pb_wire_type(field->type);

    if (is_left_out(a, field, value == 0))
        return;
    count_one(a, index);
    if (!packed_field(top(a), index))
        tn_buffer_varint(bytes, tn_tag(field->number, type));
    put_bits(bytes, type, tn_pb_encode(field->type, value));
    close_series(a, index, begin);
}

static void add_body(struct tn_pb_assembly *a, uint32_t field, uint32_t number,
                     struct tn_bytes bytes, const struct tn_producer *producer)
{
    struct target to    = { top(a), NULL, a->error };
    uint64_t      begin = to.frame->bytes.size;

    if (tn_failed(a->error))
        return;
    target_head(&to, number, producer ? producer->length : bytes.size);
    if (producer)
        target_producer(&to, producer);
    else
        target_bytes(&to, bytes);
    close_series(a, field, begin);
}

void tn_pb_add_blob(struct tn_pb_assembly         *a,
                    const struct tn_pb_field_type *field, struct tn_bytes bytes)
{
    uint32_t index = index_of(a, field);

    if (is_left_out(a, field, bytes.size == 0))
        return;
    count_one(a, index);
    add_body(a, index, field->number, bytes, NULL);
}

void tn_pb_add_producer(struct tn_pb_assembly         *a,
                        const struct tn_pb_field_type *field,
                        const struct tn_producer      *producer)
{
    uint32_t index = index_of(a, field);

    count_one(a, index);
    add_body(a, index, field->number, tn_bytes(NULL, 0), producer);
}

void tn_pb_add_unknown(struct tn_pb_assembly *a, uint32_t number,
                       enum tn_wire_type type, uint64_t bits)
{
    struct tn_buffer *bytes = &top(a)->bytes;
    uint64_t          begin = bytes->size;

    tn_buffer_varint(bytes, tn_tag(number, type));
    put_bits(bytes, type, bits);
    close_series(a, TN_PB_UNKNOWN, begin);
}

void tn_pb_add_unknown_blob(struct tn_pb_assembly *a, uint32_t number,
                            struct tn_bytes bytes)
{
    add_body(a, TN_PB_UNKNOWN, number, bytes, NULL);
}

void tn_pb_add_unknown_producer(struct tn_pb_assembly *a, uint32_t number,
                                const struct tn_producer *producer)
{
    add_body(a, TN_PB_UNKNOWN, number, tn_bytes(NULL, 0), producer);
}
