/*
 * pb_check.c - reports every place where bytes contradict their schema
 *
 * A short message with the same bytes as one that was found valid is skipped.
 */
#include "wire/pb/pb_check.h"

#include <stdio.h>

#include "base/memo.h"
#include "base/utf8.h"

struct frame {
    const struct tn_pb_message    *type;
    const struct tn_pb_field_type *field; /* that led here; NULL: the root    */
    struct tn_cursor               rest;  /* not walked yet                   */
    uint64_t                       first_count; /* of its fields, in counts   */
    struct tn_bytes                bytes; /* to be remembered; empty: not     */
    uint32_t                       place; /* in the memo                      */
    uint64_t                       found; /* findings before it               */
};

struct walk {
    struct tn_report *report;
    struct tn_error   error; /* of the message being walked; then reported    */
    struct tn_error  *poverty; /* out of memory: not about the message        */
    struct tn_source *source;
    struct tn_list    counts; /* uint64_t: how often each field of the types
                                 of the frames came so far                    */
    uint64_t       found;     /* so far                                       */
    struct tn_memo memo;      /* bodies without findings, about their types   */
    unsigned       depths[TN_MEMO_SLOTS]; /* and how deep they lay        */
    unsigned       depth;
    struct frame   frames[TN_PB_DEPTH_LIMIT];
};

/* How often the field has occurred, this occurrence included. It is counted on
 * the way, because counting when a path is needed would take a walk for every
 * finding. */
static uint64_t *count_of(struct walk *walk, const struct frame *frame,
                          const struct tn_pb_field_type *field)
{
    return tn_list_at(&walk->counts, uint64_t,
                      frame->first_count +
                          (uint64_t)(field - frame->type->fields));
}

/* NULL: out of memory. */
static struct frame *push(struct walk *walk, const struct tn_pb_message *type,
                          const struct tn_pb_field_type *field,
                          struct tn_cursor               body)
{
    struct frame *frame = &walk->frames[walk->depth];

    frame->type        = type;
    frame->field       = field;
    frame->rest        = body;
    frame->first_count = walk->counts.count;
    frame->bytes       = tn_bytes(NULL, 0);
    frame->found       = walk->found;
    if (type->field_count &&
        !tn_list_grow(&walk->counts, type->field_count, walk->poverty))
        return NULL;
    walk->depth++;
    return frame;
}

static void pop(struct walk *walk)
{
    const struct frame *frame = &walk->frames[--walk->depth];

    walk->counts.count = frame->first_count;
    if (frame->bytes.size && frame->found == walk->found) {
        tn_memo_keep(&walk->memo, frame->place, frame->bytes, frame->type);
        walk->depths[frame->place] = walk->depth;
    }
}

/* ---- paths: worked out only when there is something to say -------------- */

static size_t add_step(struct walk *walk, const struct frame *frame,
                       const struct tn_pb_field_type *field, char *to,
                       size_t size)
{
    int length;

    if (field->label == TN_PB_REPEATED)
        length = snprintf(to, size, "%s[%" PRIu64 "]", field->name,
                          *count_of(walk, frame, field) - 1);
    else
        length = snprintf(to, size, "%s", field->name);
    if (length < 0)
        return 0;
    return (size_t)length < size ? (size_t)length : size - 1;
}

static void say(struct walk *walk, enum tn_finding_level level,
                const char *rule, const struct tn_pb_field_type *field,
                uint64_t offset, const char *what)
{
    char where[120];

    walk->found++;
    /* The path to `field` (NULL: to the message) of the innermost message. */
    size_t size = sizeof where;
    size_t used = 0;
    where[0]    = '\0';
    for (unsigned i = 0; i < walk->depth && used + 2 < size; i++) {
        const struct tn_pb_field_type *next =
            i + 1 < walk->depth ? walk->frames[i + 1].field : field;
        if (!next)
            break;
        if (used)
            where[used++] = '.';
        used +=
            add_step(walk, &walk->frames[i], next, where + used, size - used);
    }
    tn_report_format(walk->report, level, rule, walk->source->name, offset,
                     where, "%s", what);
}

/* ---- one field ---------------------------------------------------------- */

static void check_enum(struct walk *walk, const struct tn_pb_field_type *type,
                       uint64_t offset, uint64_t value)
{
    char what[120];

    if (type->type != TN_PB_ENUM ||
        tn_pb_enum_name(type->enumeration, (int32_t)value))
        return;
    snprintf(what, sizeof what, "%" PRId32 " is not a value of %s",
             (int32_t)value, type->enumeration->full_name);
    say(walk, TN_LEVEL_WARNING, "unknown-enum", type, offset, what);
}

static void check_packed(struct walk *walk, const struct tn_pb_field_type *type,
                         struct tn_pb_field *field)
{
    struct tn_cursor *body = &field->body;
    uint64_t          at   = body->offset;

    switch (tn_pb_wire_type(type->type)) {
    case TN_WIRE_VARINT:
        for (; tn_more(body); at = body->offset)
            check_enum(walk, type, at, tn_varint(body));
        break;
    case TN_WIRE_FIXED32: tn_skip(body, tn_left(body) / 4 * 4); break;
    case TN_WIRE_FIXED64: tn_skip(body, tn_left(body) / 8 * 8); break;
    default: break;
    }
    if (tn_more(body) && !tn_failed(body->error))
        tn_fail(body, TN_MALFORMED, "%" PRIu64 " bytes are not a whole number",
                tn_left(body));
}

static void check_text(struct walk *walk, const struct tn_pb_field_type *type,
                       struct tn_pb_field *field)
{
    uint64_t        offset = field->body.offset;
    struct tn_bytes text   = tn_pb_text(field);

    if (text.data && !tn_utf8_is_valid(text))
        say(walk, TN_LEVEL_WARNING, "not-utf8", type, offset,
            "this text is not UTF-8");
}

/* A message that was not too deep at its depth is not too deep at this depth or
 * above. */
static void enter(struct walk *walk, const struct tn_pb_field_type *type,
                  const struct tn_pb_field *field)
{
    if (walk->depth == TN_PB_DEPTH_LIMIT) {
        say(walk, TN_LEVEL_ERROR, "too-deep", type, field->offset,
            "messages nested deeper than 100");
        return;
    }
    struct tn_bytes bytes = tn_pb_short_body(field, TN_MEMO_LONGEST);
    uint32_t        place = bytes.size ? tn_memo_slot(bytes) : 0;
    if (bytes.size && walk->depths[place] >= walk->depth &&
        tn_memo_has(&walk->memo, place, bytes, type->message))
        return;
    struct frame *frame = push(walk, type->message, type, field->body);
    if (frame) {
        frame->bytes = bytes;
        frame->place = place;
    }
}

static void check_field(struct walk *walk, const struct tn_pb_field_type *type,
                        struct tn_pb_field *field)
{
    char what[80];

    if (field->type == TN_WIRE_LEN && type->label == TN_PB_REPEATED &&
        tn_pb_is_packable(type->type)) {
        check_packed(walk, type, field);
    } else if (field->type != tn_pb_wire_type(type->type)) {
        snprintf(what, sizeof what, "wire type %d where the schema has %d",
                 (int)field->type, (int)tn_pb_wire_type(type->type));
        say(walk, TN_LEVEL_ERROR, "wrong-wire-type", type, field->offset, what);
    } else if (type->message) {
        enter(walk, type, field);
    } else if (type->type == TN_PB_STRING) {
        check_text(walk, type, field);
    } else if (type->type == TN_PB_ENUM) {
        check_enum(walk, type, field->offset, field->value);
    }
}

/* ---- the walk ----------------------------------------------------------- */

static const char *rule_of(const struct walk *walk)
{
    if (walk->error.status == TN_LIMIT)
        return "too-deep";
    if (walk->error.status == TN_TRUNCATED && walk->depth == 1)
        return "truncated-file"; /* the root ends where the file does */
    return "malformed-message";
}

static void step(struct walk *walk)
{
    struct frame      *frame = &walk->frames[walk->depth - 1];
    struct tn_pb_field field;

    if (tn_pb_next(&frame->rest, &field)) {
        const struct tn_pb_field_type *type =
            tn_pb_message_field(frame->type, field.number);
        if (type) {
            ++*count_of(walk, frame, type);
            check_field(walk, type, &field);
        }
        if (!tn_failed(&walk->error))
            return;
    } else if (!tn_failed(&walk->error)) {
        pop(walk);
        return;
    }
    bool is_own = !tn_more(&frame->rest);
    /* A malformed message is one finding; its parent goes on after it. */
    say(walk, TN_LEVEL_ERROR, rule_of(walk), NULL, walk->error.offset,
        walk->error.what);
    walk->error = (struct tn_error)TN_ERROR_INIT;
    if (is_own)
        pop(walk);
}

enum tn_status tn_pb_check(const struct tn_pb_message *type,
                           struct tn_span message, struct tn_report *report,
                           struct tn_error *error)
{
    struct tn_memory *memory = message.source->memory;
    struct walk *walk = tn_memory_resize(memory, NULL, 0, sizeof *walk, error);

    if (!walk)
        return error->status;
    *walk = (struct walk){ .report  = report,
                           .error   = TN_ERROR_INIT,
                           .poverty = error,
                           .source  = message.source };
    tn_list_init(&walk->counts, memory, sizeof(uint64_t));
    push(walk, type, NULL, tn_cursor_span(message, &walk->error));
    while (walk->depth && !report->is_stopped && !tn_failed(error))
        step(walk);
    tn_list_done(&walk->counts);
    tn_memory_free(memory, walk, sizeof *walk);
    return error->status;
}
