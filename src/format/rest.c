/*
 * rest.c - the fields of a protobuf message that a conversion leaves behind
 *
 * One walk.  What is found is counted by message type and field, of which a
 * schema has a few hundred; the place is put together from a stack of steps
 * when a field is met for the first time.
 */
#include "format/rest.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "wire/pb/pb_schema.h"
#include "wire/pb/pb_wire.h"

enum fate { TELL, TAKE, LOOK_INTO };

/* Graphs of ONNX lie up to 200 deep in each other, three messages each. */
enum { DEEPEST = 800 };

struct found {
    const struct tn_pb_message    *message;
    const struct tn_pb_field_type *field; /* NULL: unknown to the schema      */
    uint64_t                       count;
    const char                    *where;
};

struct step {
    const struct tn_pb_field_type *field;
    uint64_t                       index;
};

/* What was found in the table: names are compared once, not for every node. */
struct known_row {
    const struct tn_pb_message *message;
    const char                 *within;
    const uint8_t              *placements;
};

enum { KNOWN_ROWS = 16 };

struct telling {
    const struct tn_rest *rest;
    struct tn_arena       arena;
    struct tn_error      *error;
    struct tn_pb_schema   schema;
    struct tn_list        found; /* struct found                             */
    uint8_t        **placements; /* by row, then by index of the field       */
    uint32_t         row_count;
    struct known_row known[KNOWN_ROWS];
    uint32_t         known_count;
    struct step      steps[DEEPEST + 1];
    unsigned         depth;
};

/* ---- the table ---------------------------------------------------------- */

/* Whether "input! attribute" has the field, and whether as a whole. */
static enum fate fate_in(const char *fields, const char *name)
{
    size_t      size = strlen(name);
    const char *at   = fields;

    while ((at = strstr(at, name)) != NULL) {
        bool is_begin = at == fields || at[-1] == ' ';
        if (is_begin && at[size] == '!')
            return TAKE;
        if (is_begin && (at[size] == ' ' || at[size] == '\0'))
            return LOOK_INTO;
        at += size;
    }
    return TELL;
}

static bool read_table(struct telling *t)
{
    const struct tn_rest_row *rows = t->rest->taken;

    while (rows[t->row_count].message)
        t->row_count++;
    t->placements = tn_new(&t->arena, uint8_t *, t->row_count, t->error);
    for (uint32_t i = 0; t->placements && i < t->row_count; i++) {
        const struct tn_pb_message *m =
            tn_pb_schema_find(&t->schema, rows[i].message);
        if (!m)
            continue;
        t->placements[i] = tn_new(&t->arena, uint8_t, m->field_count, t->error);
        for (uint32_t k = 0; t->placements[i] && k < m->field_count; k++)
            t->placements[i][k] =
                (uint8_t)fate_in(rows[i].fields, m->fields[k].name);
    }
    return !tn_failed(t->error);
}

static const uint8_t *find_row(const struct telling       *t,
                               const struct tn_pb_message *message,
                               const char                 *within)
{
    const struct tn_rest_row *rows = t->rest->taken;

    for (uint32_t i = 0; i < t->row_count; i++)
        if (!strcmp(rows[i].message, message->full_name) &&
            (!rows[i].within || !strcmp(rows[i].within, within)))
            return t->placements[i];
    return NULL;
}

/* The row of a message in a field; NULL: it is taken whole. */
static const uint8_t *row_of(struct telling             *t,
                             const struct tn_pb_message *message,
                             const char                 *within)
{
    for (uint32_t i = 0; i < t->known_count; i++)
        if (t->known[i].message == message && t->known[i].within == within)
            return t->known[i].placements;
    const uint8_t *placements = find_row(t, message, within);
    if (t->known_count < KNOWN_ROWS)
        t->known[t->known_count++] =
            (struct known_row){ message, within, placements };
    return placements;
}

/* ---- telling ------------------------------------------------------------ */

static const char *place(struct telling *t)
{
    struct tn_buffer path;

    tn_buffer_init(&path, t->arena.memory, t->error);
    tn_buffer_text(&path, t->rest->path);
    for (unsigned i = 0; i < t->depth; i++) {
        const struct step *step = &t->steps[i];
        tn_buffer_format(&path, "%s%s", path.size ? "." : "",
                         step->field->name);
        if (step->field->label == TN_PB_REPEATED)
            tn_buffer_format(&path, "[%" PRIu64 "]", step->index);
    }
    const char *text =
        tn_text_dup(&t->arena, tn_buffer_string(&path), t->error);
    tn_buffer_done(&path);
    return text;
}

static void note(struct telling *t, const struct tn_pb_message *message,
                 const struct tn_pb_field_type *field)
{
    for (uint64_t i = 0; i < t->found.count; i++) {
        struct found *found = tn_list_at(&t->found, struct found, i);
        if (found->message == message && found->field == field) {
            found->count++;
            return;
        }
    }
    struct found *found = tn_list_push(&t->found, struct found, t->error);
    if (found)
        *found = (struct found){ message, field, 1, place(t) };
}

static void tell(const struct telling *t, const struct found *found)
{
    char what[200], times[40] = "";

    if (found->count > 1)
        snprintf(times, sizeof times, " (%" PRIu64 " times)", found->count);
    if (found->field)
        snprintf(what, sizeof what, "left behind: %s.%s%s",
                 found->message->name, found->field->name, times);
    else
        snprintf(what, sizeof what,
                 "left behind: fields of %s that its schema does not have%s",
                 found->message->name, times);
    t->rest->loss(t->rest->loss_context, TN_NOWHERE,
                  found->where ? found->where : "", what);
}

/* ---- the walk ----------------------------------------------------------- */

/* Whether it is zero or empty. */
static bool is_empty(const struct tn_pb_field *field)
{
    if (field->type == TN_WIRE_LEN || field->type == TN_WIRE_GROUP_BEGIN)
        return tn_left(&field->body) == 0;
    return field->value == 0;
}

static void walk(struct telling *t, const struct tn_pb_message *message,
                 const char *within, struct tn_cursor c);

static void meet(struct telling *t, const struct tn_pb_message *message,
                 const uint8_t *placements, const struct tn_pb_field *field,
                 struct step *step)
{
    const struct tn_pb_field_type *type =
        tn_pb_message_field(message, field->number);
    enum fate fate =
        type ? (enum fate)placements[type - message->fields] : TELL;

    if (fate == TAKE)
        return;
    step->index = step->field == type ? step->index + 1 : 0;
    step->field = type;
    if (is_empty(field))
        return;
    t->depth += type ? 1 : 0;
    if (fate == TELL)
        note(t, message, type);
    else if (type->message && t->depth < DEEPEST)
        walk(t, type->message, type->name, field->body);
    t->depth -= type ? 1 : 0;
}

static void walk(struct telling *t, const struct tn_pb_message *message,
                 const char *within, struct tn_cursor c)
{
    const uint8_t     *placements = row_of(t, message, within);
    struct step       *step       = &t->steps[t->depth];
    struct tn_pb_field field;

    step->field = NULL;
    while (placements && tn_pb_next(&c, &field))
        meet(t, message, placements, &field, step);
}

enum tn_status tn_rest_report(const struct tn_rest *rest,
                              struct tn_span message, struct tn_memory *memory,
                              struct tn_error *error)
{
    struct telling t = { .rest = rest, .error = error };

    if (!message.source)
        return TN_OK;
    tn_arena_init(&t.arena, memory);
    tn_list_init(&t.found, memory, sizeof(struct found));
    if (tn_pb_schema_load(&t.schema, &t.arena, tn_pb_builtin_set(rest->schema),
                          error) == TN_OK &&
        read_table(&t)) {
        const struct tn_pb_message *type =
            tn_pb_schema_find(&t.schema, rest->message);
        walk(&t, type, "", tn_cursor_span(message, error));
        for (uint64_t i = 0; i < t.found.count && !tn_failed(error); i++)
            tell(&t, tn_list_at(&t.found, struct found, i));
    }
    tn_list_done(&t.found);
    tn_arena_done(&t.arena);
    return error->status;
}
