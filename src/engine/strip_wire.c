/* strip_wire.c - a protobuf message without fields that must not ship */
#include "engine/strip_wire.h"

#include "wire/pb/pb_wire.h"
#include "wire/pb/pb_write.h"

struct stripping {
    const struct tn_strip_field *without;
    uint64_t                    *fields, *bytes;
    struct tn_error             *error;
};

static bool is_unwanted(const struct stripping     *s,
                        const struct tn_pb_message *type, uint32_t number)
{
    for (const struct tn_strip_field *f = s->without; f->message; f++)
        if (f->number == number && strcmp(f->message, type->full_name) == 0)
            return true;
    return false;
}

static void strip(struct stripping *s, const struct tn_pb_message *type,
                  struct tn_cursor c, struct tn_rope *to, unsigned depth);

/* A field that is a message: anew if something in it went, else as it is. */
static void strip_field(struct stripping *s, const struct tn_pb_message *type,
                        const struct tn_cursor   *c,
                        const struct tn_pb_field *field, struct tn_rope *to,
                        unsigned depth)
{
    uint64_t       before = *s->fields;
    struct tn_rope body;

    tn_rope_init(&body, to->arena, s->error);
    strip(s, type, field->body, &body, depth + 1);
    if (*s->fields != before)
        tn_pb_put_message(to, field->number, &body);
    else
        tn_rope_span(to, tn_pb_field_span(c, field));
    tn_rope_done(&body);
}

static void strip(struct stripping *s, const struct tn_pb_message *type,
                  struct tn_cursor c, struct tn_rope *to, unsigned depth)
{
    struct tn_pb_field field;

    if (depth > TN_PB_DEPTH_LIMIT) {
        tn_fail(&c, TN_LIMIT, "messages nested deeper than %d",
                TN_PB_DEPTH_LIMIT);
        return;
    }
    while (tn_pb_next(&c, &field)) {
        const struct tn_pb_field_type *known =
            tn_pb_message_field(type, field.number);
        if (is_unwanted(s, type, field.number)) {
            ++*s->fields;
            *s->bytes += tn_pb_field_span(&c, &field).length;
        } else if (known && known->type == TN_PB_MESSAGE &&
                   field.type == TN_WIRE_LEN) {
            strip_field(s, known->message, &c, &field, to, depth);
        } else {
            tn_rope_span(to, tn_pb_field_span(&c, &field));
        }
    }
}

enum tn_status tn_strip_wire(const struct tn_pb_message  *type,
                             struct tn_span               message,
                             const struct tn_strip_field *without,
                             struct tn_rope *to, uint64_t *fields,
                             uint64_t *bytes, struct tn_error *error)
{
    struct stripping s = { without, fields, bytes, error };

    *fields = *bytes = 0;
    strip(&s, type, tn_cursor_span(message, error), to, 0);
    return error->status;
}
