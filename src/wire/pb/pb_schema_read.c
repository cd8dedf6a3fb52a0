/* pb_schema_read.c - walk two over a descriptor set: enums, messages and
 * extensions, when all names that they may refer to are known */
#include <inttypes.h>

#include "wire/pb/pb_loader.h"

static uint32_t count_fields(struct tn_cursor c, uint32_t number)
{
    uint32_t           count = 0;
    struct tn_pb_field f;

    while (tn_pb_next(&c, &f))
        count += f.number == number;
    return count;
}

/* ---- enums -------------------------------------------------------------- */

static void read_enum_value(struct tn_pb_loader *loader, struct tn_cursor c,
                            struct tn_pb_enum_value *value)
{
    struct tn_bytes    name  = { NULL, 0 };
    uint64_t           begin = c.offset, number = 0;
    struct tn_pb_field f;

    while (tn_pb_next(&c, &f)) {
        if (f.number == 1)
            name = tn_pb_load_text(&c, &f);
        else if (f.number == 2)
            number = tn_pb_load_number(&c, &f);
    }
    if ((int64_t)number < INT32_MIN || (int64_t)number > INT32_MAX)
        tn_fail_at(&c, begin, TN_MALFORMED,
                   "enum value %" PRId64 " is not a 32-bit number",
                   (int64_t)number);
    value->number = (int32_t)number;
    value->name   = tn_pb_full_name(loader, "", name, begin);
}

/* Options: the boolean of this number. */
static bool read_option(struct tn_cursor c, uint32_t number, bool value)
{
    struct tn_pb_field f;

    while (tn_pb_next(&c, &f))
        if (f.number == number)
            value = tn_pb_load_number(&c, &f) != 0;
    return value;
}

static void read_enum(struct tn_pb_loader       *loader,
                      const struct tn_pb_symbol *symbol)
{
    struct tn_cursor         c     = symbol->body;
    struct tn_pb_enum       *type  = &loader->enums[symbol->index];
    uint32_t                 count = count_fields(c, 2);
    struct tn_pb_enum_value *value =
        tn_new(loader->arena, struct tn_pb_enum_value, count, loader->error);
    bool               may_alias = false;
    struct tn_pb_field f;

    *type = (struct tn_pb_enum){ .full_name   = symbol->name,
                                 .value_count = count,
                                 .values      = value,
                                 .is_open     = symbol->file->is_proto3 };
    while (value && tn_pb_next(&c, &f)) {
        if (f.number == 2)
            read_enum_value(loader, tn_pb_load_body(&c, &f), value++);
        else if (f.number == 3)
            may_alias = read_option(tn_pb_load_body(&c, &f), 2, may_alias);
    }
    if (count == 0)
        tn_fail_at(&c, symbol->body.offset, TN_MALFORMED,
                   "an enum without values");
    if (!tn_failed(loader->error))
        tn_pb_index_enum(loader, type, may_alias, symbol->body.offset);
    tn_pb_load_where(loader, symbol->file, symbol->name);
}

/* ---- messages ----------------------------------------------------------- */

static const char *read_oneof_name(struct tn_pb_loader *loader,
                                   struct tn_cursor     c)
{
    return tn_pb_full_name(loader, "", tn_pb_load_name(c), c.offset);
}

/* A proto3 optional field is alone in a oneof that only says so.  Such oneofs
 * are left out: `place` becomes each one's index among the real ones, or -1. */
static void find_real_oneofs(struct tn_pb_loader *loader, struct tn_cursor c,
                             int32_t *place, uint32_t *members, uint32_t count)
{
    struct tn_pb_field     f;
    struct tn_pb_raw_field raw;
    int32_t                real = 0;

    while (tn_pb_next(&c, &f)) {
        if (f.number != 2)
            continue;
        tn_pb_raw_field_read(tn_pb_load_body(&c, &f), &raw);
        if (!raw.has_oneof)
            continue;
        if (raw.oneof_index >= count) {
            tn_pb_raw_field_refuse(loader, &raw,
                                   "in a oneof that is not declared");
            return;
        }
        members[raw.oneof_index]++;
        if (raw.is_proto3_optional)
            place[raw.oneof_index] = -1;
        if (place[raw.oneof_index] < 0 && members[raw.oneof_index] > 1)
            tn_pb_raw_field_refuse(loader, &raw,
                                   "optional in a oneof with others");
    }
    for (uint32_t i = 0; i < count; i++)
        if (place[i] == 0)
            place[i] = real++;
}

static int32_t *read_oneofs(struct tn_pb_loader *loader, struct tn_cursor c,
                            struct tn_pb_message *message)
{
    uint32_t  count = count_fields(c, 8), i = 0;
    int32_t  *place   = tn_new(loader->arena, int32_t, count, loader->error);
    uint32_t *members = tn_new(loader->arena, uint32_t, count, loader->error);
    const char **names =
        tn_new(loader->arena, const char *, count, loader->error);
    struct tn_pb_field f;

    if (!place || !members || !names)
        return NULL;
    find_real_oneofs(loader, c, place, members, count);
    while (tn_pb_next(&c, &f)) {
        if (f.number != 8)
            continue;
        const char *name = read_oneof_name(loader, tn_pb_load_body(&c, &f));
        if (place[i++] >= 0)
            names[message->oneof_count++] = name;
    }
    message->oneofs = names;
    return place;
}

static void read_field(struct tn_pb_loader       *loader,
                       const struct tn_pb_symbol *owner, struct tn_cursor c,
                       const int32_t *oneof_place)
{
    struct tn_pb_raw_field raw;
    struct tn_pb_pending  *pending =
        tn_list_push(&loader->fields, struct tn_pb_pending, loader->error);

    if (!pending)
        return;
    tn_pb_raw_field_read(c, &raw);
    pending->message = owner->index;
    pending->offset  = raw.offset;
    pending->file    = owner->file;
    if (tn_pb_raw_field_make(loader, owner->file, owner->name, &raw,
                             &pending->field) &&
        raw.has_oneof)
        pending->field.oneof = oneof_place[raw.oneof_index];
    if (tn_failed(loader->error))
        tn_error_where(loader->error, "%.*s", TN_FMT(raw.name));
}

static void read_range(struct tn_pb_loader *loader, struct tn_cursor c,
                       struct tn_pb_range *range)
{
    uint64_t           begin = 0, end = 0, offset = c.offset;
    struct tn_pb_field f;

    while (tn_pb_next(&c, &f)) {
        if (f.number == 1)
            begin = tn_pb_load_number(&c, &f);
        else if (f.number == 2)
            end = tn_pb_load_number(&c, &f);
    }
    /* Message sets declare ranges to the end of int32. */
    if (begin < 1 || end <= begin || end > INT32_MAX)
        tn_error_set(loader->error, TN_MALFORMED, offset,
                     "no range of extensions: %" PRId64 " to %" PRId64,
                     (int64_t)begin, (int64_t)end);
    *range = (struct tn_pb_range){ (uint32_t)begin, (uint32_t)end };
}

static void read_message_body(struct tn_pb_loader       *loader,
                              const struct tn_pb_symbol *symbol,
                              struct tn_pb_message      *message)
{
    struct tn_cursor    c     = symbol->body;
    uint32_t            count = count_fields(c, 5);
    struct tn_pb_range *range =
        tn_new(loader->arena, struct tn_pb_range, count, loader->error);
    int32_t           *oneof_place = read_oneofs(loader, c, message);
    struct tn_pb_field f;

    message->ranges      = range;
    message->range_count = count;
    while (range && oneof_place && tn_pb_next(&c, &f)) {
        if (f.number == 2)
            read_field(loader, symbol, tn_pb_load_body(&c, &f), oneof_place);
        else if (f.number == 5)
            read_range(loader, tn_pb_load_body(&c, &f), range++);
        else if (f.number == 7)
            message->is_map_entry =
                read_option(tn_pb_load_body(&c, &f), 7, message->is_map_entry);
    }
}

static void read_message(struct tn_pb_loader       *loader,
                         const struct tn_pb_symbol *symbol)
{
    struct tn_pb_message *message = &loader->messages[symbol->index];
    const char           *dot     = strrchr(symbol->name, '.');

    message->full_name = symbol->name;
    message->name      = dot ? dot + 1 : symbol->name;
    message->is_proto3 = symbol->file->is_proto3;
    read_message_body(loader, symbol, message);
    tn_pb_load_where(loader, symbol->file, symbol->name);
}

/* ---- extensions --------------------------------------------------------- */

static bool is_extensible(const struct tn_pb_message *message, uint32_t number)
{
    for (uint32_t i = 0; i < message->range_count; i++)
        if (number >= message->ranges[i].begin &&
            number < message->ranges[i].end)
            return true;
    return false;
}

static void attach_extension(struct tn_pb_loader          *loader,
                             const struct tn_pb_extension *extension,
                             const struct tn_pb_raw_field *raw,
                             struct tn_pb_pending         *pending)
{
    pending->field.is_extension = true;
    pending->offset             = raw->offset;
    pending->file               = extension->file;
    if (!tn_pb_raw_field_make(loader, extension->file, extension->scope, raw,
                              &pending->field))
        return;
    const struct tn_pb_symbol *extended =
        tn_pb_resolve(loader, extension->scope, raw->extendee, raw->offset);
    if (!extended)
        return;
    pending->message = extended->index;
    if (raw->has_oneof)
        tn_pb_raw_field_refuse(loader, raw, "an extension inside a oneof");
    else if (extended->is_enum)
        tn_pb_raw_field_refuse(loader, raw, "an extension of an enum");
    else if (!is_extensible(&loader->messages[extended->index],
                            pending->field.number))
        tn_error_set(loader->error, TN_MALFORMED, raw->offset,
                     "%s has no extension range with %" PRIu32, extended->name,
                     pending->field.number);
}

static void read_extension(struct tn_pb_loader          *loader,
                           const struct tn_pb_extension *extension)
{
    struct tn_pb_raw_field raw;
    struct tn_pb_pending  *pending =
        tn_list_push(&loader->fields, struct tn_pb_pending, loader->error);

    if (!pending)
        return;
    tn_pb_raw_field_read(extension->body, &raw);
    attach_extension(loader, extension, &raw, pending);
    if (tn_failed(loader->error))
        tn_error_where(loader->error, "%s: %s%s%.*s", extension->file->name,
                       extension->scope, *extension->scope ? "." : "",
                       TN_FMT(raw.name));
}

/* ---- the whole ---------------------------------------------------------- */

void tn_pb_read_symbols(struct tn_pb_loader *loader)
{
    const struct tn_pb_symbol *symbols = loader->symbols.items;
    uint64_t                   count   = loader->symbols.count;

    loader->messages = tn_new(loader->arena, struct tn_pb_message,
                              loader->message_count, loader->error);
    loader->enums = tn_new(loader->arena, struct tn_pb_enum, loader->enum_count,
                           loader->error);
    /* Enums first: a default may be one of their values. */
    for (uint64_t i = 0; i < count && !tn_failed(loader->error); i++)
        if (symbols[i].is_enum)
            read_enum(loader, &symbols[i]);
    for (uint64_t i = 0; i < count && !tn_failed(loader->error); i++)
        if (!symbols[i].is_enum)
            read_message(loader, &symbols[i]);
    for (uint64_t i = 0;
         i < loader->extensions.count && !tn_failed(loader->error); i++)
        read_extension(
            loader, tn_list_at(&loader->extensions, struct tn_pb_extension, i));
}
