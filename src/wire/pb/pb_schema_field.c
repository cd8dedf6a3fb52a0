/* pb_schema_field.c - a field of a message, out of its descriptor */
#include <inttypes.h>

#include "wire/pb/pb_loader.h"

#include "base/byte_find.h"

#define FIELD_NUMBER_MAX ((UINT32_C(1) << 29) - 1)

/* ---- as it stands in the bytes ------------------------------------------ */

static void read_field_options(struct tn_cursor c, struct tn_pb_raw_field *raw)
{
    struct tn_pb_field f;

    while (tn_pb_next(&c, &f)) {
        if (f.number != 2)
            continue;
        raw->has_packed = true;
        raw->is_packed  = tn_pb_load_number(&c, &f) != 0;
    }
}

void tn_pb_raw_field_read(struct tn_cursor c, struct tn_pb_raw_field *raw)
{
    struct tn_pb_field f;

    *raw =
        (struct tn_pb_raw_field){ .offset = c.offset, .label = TN_PB_OPTIONAL };
    while (tn_pb_next(&c, &f)) {
        switch (f.number) {
        case 1: raw->name = tn_pb_load_text(&c, &f); break;
        case 2: raw->extendee = tn_pb_load_text(&c, &f); break;
        case 3: raw->number = tn_pb_load_number(&c, &f); break;
        case 4: raw->label = tn_pb_load_number(&c, &f); break;
        case 5: raw->type = tn_pb_load_number(&c, &f); break;
        case 6: raw->type_name = tn_pb_load_text(&c, &f); break;
        case 7:
            raw->default_value = tn_pb_load_text(&c, &f);
            raw->has_default   = true;
            break;
        case 8: read_field_options(tn_pb_load_body(&c, &f), raw); break;
        case 9:
            raw->oneof_index = tn_pb_load_number(&c, &f);
            raw->has_oneof   = true;
            break;
        case 10: raw->json_name = tn_pb_load_text(&c, &f); break;
        case 17:
            raw->is_proto3_optional = tn_pb_load_number(&c, &f) != 0;
            break;
        default: break;
        }
    }
}

bool tn_pb_raw_field_refuse(struct tn_pb_loader          *loader,
                            const struct tn_pb_raw_field *raw, const char *what)
{
    tn_error_set(loader->error, TN_MALFORMED, raw->offset, "%s", what);
    return false;
}

/* ---- as it is meant ------------------------------------------------------ */

static bool numbers_hold(struct tn_pb_loader          *loader,
                         const struct tn_pb_raw_field *raw)
{
    if (raw->number < 1 || raw->number > FIELD_NUMBER_MAX) {
        tn_error_set(loader->error, TN_MALFORMED, raw->offset,
                     "field number %" PRId64 " is not in 1 to %" PRIu32,
                     (int64_t)raw->number, FIELD_NUMBER_MAX);
        return false;
    }
    if (raw->label < TN_PB_OPTIONAL || raw->label > TN_PB_REPEATED)
        return tn_pb_raw_field_refuse(loader, raw, "no label of a field");
    if (raw->type > TN_PB_SINT64 || (!raw->type && !raw->type_name.size))
        return tn_pb_raw_field_refuse(loader, raw, "no type of a field");
    return true;
}

/* Fills in type, message and enumeration.  A type that is not written follows
 * from what its name stands for. */
static bool set_type(struct tn_pb_loader *loader, const char *scope,
                     const struct tn_pb_raw_field *raw,
                     struct tn_pb_field_type      *field)
{
    bool is_message = raw->type == TN_PB_MESSAGE || raw->type == TN_PB_GROUP;
    bool is_enum    = raw->type == TN_PB_ENUM;

    field->type = (enum tn_pb_type)raw->type;
    if (raw->type && !is_message && !is_enum)
        return raw->type_name.size == 0 ||
               tn_pb_raw_field_refuse(loader, raw,
                                      "a scalar with the name of a type");
    const struct tn_pb_symbol *symbol =
        tn_pb_resolve(loader, scope, raw->type_name, raw->offset);
    if (!symbol)
        return false;
    if (symbol->is_enum ? is_message : is_enum)
        return tn_pb_raw_field_refuse(loader, raw,
                                      symbol->is_enum
                                          ? "an enum where a message must be"
                                          : "a message where an enum must be");
    if (!raw->type)
        field->type = symbol->is_enum ? TN_PB_ENUM : TN_PB_MESSAGE;
    if (symbol->is_enum)
        field->enumeration = &loader->enums[symbol->index];
    else
        field->message = &loader->messages[symbol->index];
    return true;
}

static bool set_default(struct tn_pb_loader          *loader,
                        const struct tn_pb_raw_field *raw,
                        struct tn_pb_field_type      *field)
{
    bool is_text = field->type == TN_PB_STRING || field->type == TN_PB_BYTES;
    uint64_t bits;

    if (!raw->has_default)
        return true;
    if (field->label == TN_PB_REPEATED || field->message)
        return tn_pb_raw_field_refuse(loader, raw,
                                      "a default where none can be");
    field->default_text =
        tn_bytes_dup(loader->arena, raw->default_value, loader->error);
    if (!is_text && !tn_pb_field_default(field, &bits))
        return tn_pb_raw_field_refuse(loader, raw, "a default of another type");
    return !tn_failed(loader->error);
}

/* How it is written, and whether absence differs from zero. */
static bool set_manner(struct tn_pb_loader            *loader,
                       const struct tn_pb_schema_file *file,
                       const struct tn_pb_raw_field   *raw,
                       struct tn_pb_field_type        *field)
{
    bool is_repeated = field->label == TN_PB_REPEATED;
    bool may_pack    = is_repeated && tn_pb_is_packable(field->type);

    if (raw->has_packed && raw->is_packed && !may_pack)
        return tn_pb_raw_field_refuse(loader, raw,
                                      "packed, and not repeated numbers");
    if (raw->has_oneof && is_repeated)
        return tn_pb_raw_field_refuse(loader, raw, "repeated inside a oneof");
    field->is_packed =
        may_pack && (raw->has_packed ? raw->is_packed : file->is_proto3);
    field->has_presence =
        !is_repeated && (!file->is_proto3 || field->message || raw->has_oneof ||
                         field->is_extension || raw->is_proto3_optional);
    return true;
}

/* underscored_name to underscoredName, as protoc does. */
static const char *json_name(struct tn_pb_loader *loader, const char *name)
{
    char *text  = tn_text_dup(loader->arena, name, loader->error);
    char *to    = text;
    bool  upper = false;

    for (const char *from = text; from && *from; from++) {
        bool is_lower = *from >= 'a' && *from <= 'z';
        if (*from != '_')
            *to++ = upper && is_lower ? (char)(*from - 'a' + 'A') : *from;
        upper = *from == '_';
    }
    if (to)
        *to = '\0';
    return text;
}

static bool set_names(struct tn_pb_loader *loader, const char *scope,
                      const struct tn_pb_raw_field *raw,
                      struct tn_pb_field_type      *field)
{
    field->name = tn_pb_full_name(loader, field->is_extension ? scope : "",
                                  raw->name, raw->offset);
    if (!field->name)
        return false;
    if (field->is_extension)
        field->json_name =
            tn_text_format(loader->arena, loader->error, "[%s]", field->name);
    else if (raw->json_name.size && tn_bytes_find(raw->json_name, '\0') == NULL)
        field->json_name = (const char *)tn_bytes_dup(
                               loader->arena, raw->json_name, loader->error)
                               .data;
    else
        field->json_name = json_name(loader, field->name);
    return field->json_name != NULL;
}

bool tn_pb_raw_field_make(struct tn_pb_loader            *loader,
                          const struct tn_pb_schema_file *file,
                          const char *scope, const struct tn_pb_raw_field *raw,
                          struct tn_pb_field_type *field)
{
    if (tn_failed(loader->error) || !set_names(loader, scope, raw, field) ||
        !numbers_hold(loader, raw))
        return false;
    field->number = (uint32_t)raw->number;
    field->label  = (enum tn_pb_label)raw->label;
    field->oneof  = -1;
    return set_type(loader, scope, raw, field) &&
           set_default(loader, raw, field) &&
           set_manner(loader, file, raw, field);
}
