/*
 * pb_schema_load.c - message types, out of a compiled descriptor set
 *
 * What is read of google/protobuf/descriptor.proto, field numbers in brackets;
 * the rest is stepped over:
 *
 *   FileDescriptorSet    file[1]*
 *   FileDescriptorProto  name[1] package[2] message_type[4]* enum_type[5]*
 *                        extension[7]* syntax[12]
 *   DescriptorProto      name[1] field[2]* nested_type[3]* enum_type[4]*
 *                        extension_range[5]* extension[6]* options[7]
 *                        oneof_decl[8]*
 *   FieldDescriptorProto name[1] extendee[2] number[3] label[4] type[5]
 *                        type_name[6] default_value[7] options[8]
 *                        oneof_index[9] json_name[10] proto3_optional[17]
 *   EnumDescriptorProto  name[1] value[2]* options[3]
 *
 * Two walks: the first declares every message and enum by its full name, the
 * second reads them, when all names that fields may refer to are known.
 */
#include "wire/pb/pb_loader.h"

/* ---- map entries -------------------------------------------------------- */

static bool is_key_type(enum tn_pb_type type)
{
    return type == TN_PB_STRING ||
           (tn_pb_is_packable(type) && type != TN_PB_ENUM &&
            type != TN_PB_FLOAT && type != TN_PB_DOUBLE);
}

static bool is_entry_member(const struct tn_pb_field_type *field,
                            uint32_t number, const char *name)
{
    return field->number == number && field->label == TN_PB_OPTIONAL &&
           field->oneof < 0 && !field->is_extension &&
           strcmp(field->name, name) == 0;
}

/* Nested in the message whose field it is, with a key and a value. */
static bool is_entry_of(const struct tn_pb_message *entry,
                        const struct tn_pb_message *owner)
{
    size_t size = strlen(owner->full_name);

    return entry->field_count == 2 &&
           is_entry_member(&entry->fields[0], 1, "key") &&
           is_entry_member(&entry->fields[1], 2, "value") &&
           is_key_type(entry->fields[0].type) &&
           entry->fields[1].type != TN_PB_GROUP &&
           strncmp(entry->full_name, owner->full_name, size) == 0 &&
           entry->full_name + size + 1 == entry->name;
}

static void mark_maps(struct tn_pb_loader *loader)
{
    for (uint64_t i = 0; i < loader->fields.count; i++) {
        struct tn_pb_pending *pending =
            tn_list_at(&loader->fields, struct tn_pb_pending, i);
        struct tn_pb_message       *owner = &loader->messages[pending->message];
        const struct tn_pb_message *entry = pending->field.message;
        if (!entry || !entry->is_map_entry)
            continue;
        if (pending->field.label != TN_PB_REPEATED ||
            pending->field.type != TN_PB_MESSAGE ||
            pending->field.is_extension || !is_entry_of(entry, owner))
            tn_pb_refuse_pending(loader, pending,
                                 "no map entry of this message");
        if (tn_failed(loader->error))
            return;
        /* Loading is the one moment when fields may be written. */
        struct tn_pb_field_type *field =
            (struct tn_pb_field_type *)tn_pb_message_field(
                owner, pending->field.number);
        field->is_map = true;
    }
}

/* ---- the whole ---------------------------------------------------------- */

enum tn_status tn_pb_schema_load(struct tn_pb_schema *schema,
                                 struct tn_arena *arena, struct tn_bytes set,
                                 struct tn_error *error)
{
    struct tn_pb_loader loader = { .arena = arena, .error = error };

    *schema = (struct tn_pb_schema){ .arena = arena };
    tn_list_init(&loader.symbols, arena->memory, sizeof(struct tn_pb_symbol));
    tn_list_init(&loader.extensions, arena->memory,
                 sizeof(struct tn_pb_extension));
    tn_list_init(&loader.fields, arena->memory, sizeof(struct tn_pb_pending));
    tn_pb_declare(&loader, set);
    tn_pb_sort_symbols(&loader);
    if (!tn_failed(error))
        tn_pb_read_symbols(&loader);
    tn_pb_fill_messages(&loader);
    if (!tn_failed(error))
        mark_maps(&loader);
    tn_list_done(&loader.symbols);
    tn_list_done(&loader.extensions);
    tn_list_done(&loader.fields);
    if (tn_failed(error))
        return error->status;
    schema->message_count = loader.message_count;
    schema->messages      = loader.messages;
    schema->enum_count    = loader.enum_count;
    schema->enums         = loader.enums;
    return TN_OK;
}
