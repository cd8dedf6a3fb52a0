/*
 * pb_loader.h - loading a schema, for its own files
 *
 * pb_schema_declare.c is the first walk over a descriptor set, pb_schema_read.c
 * the second, pb_schema_field.c makes fields out of their descriptors, and
 * pb_schema_index.c sorts what was found.  pb_schema_load.c is the whole.
 * The loader's error is sticky: after a failure the rest does nothing.
 */
#ifndef TN_WIRE_PB_LOADER_H
#define TN_WIRE_PB_LOADER_H

#include "wire/pb/pb_schema.h"
#include "wire/pb/pb_wire.h"

/* What holds for all that one .proto file declares. */
struct tn_pb_schema_file {
    const char *name;
    const char *package;
    bool        is_proto3;
};

/* A message or an enum, declared and not yet read. */
struct tn_pb_symbol {
    const char                     *name; /* full */
    const struct tn_pb_schema_file *file;
    struct tn_cursor                body;
    bool                            is_enum;
    uint32_t index; /* among the messages, or among the enums       */
};

/* An extension, declared and not yet read. */
struct tn_pb_extension {
    const struct tn_pb_schema_file *file;
    const char      *scope; /* where it is declared: its name begins so     */
    struct tn_cursor body;
};

/* A FieldDescriptorProto as it stands in the bytes. */
struct tn_pb_raw_field {
    struct tn_bytes name, extendee, type_name, default_value, json_name;
    uint64_t        offset;
    uint64_t        number;
    uint64_t        label;
    uint64_t        type;
    uint64_t        oneof_index;
    bool            has_default, has_oneof;
    bool            has_packed, is_packed, is_proto3_optional;
};

/* A field that waits to be sorted into its message. */
struct tn_pb_pending {
    uint32_t                        message;
    uint64_t                        offset;
    const struct tn_pb_schema_file *file;
    struct tn_pb_field_type         field;
};

/* What one call of tn_pb_schema_load() works on. */
struct tn_pb_loader {
    struct tn_arena      *arena;
    struct tn_error      *error;
    struct tn_list        symbols;    /* tn_pb_symbol; sorted after walk one  */
    struct tn_list        extensions; /* tn_pb_extension                      */
    struct tn_list        fields;     /* tn_pb_pending                        */
    struct tn_pb_message *messages;
    struct tn_pb_enum    *enums;
    uint32_t              message_count, enum_count;
};

/* ---- fields of descriptors ---------------------------------------------- */

/* The text of a LEN field; empty after a failure. */
static inline struct tn_bytes tn_pb_load_text(struct tn_cursor   *c,
                                              struct tn_pb_field *f)
{
    if (!tn_pb_expect(c, f, TN_WIRE_LEN))
        return tn_bytes(NULL, 0);
    return tn_pb_text(f);
}

static inline uint64_t tn_pb_load_number(struct tn_cursor         *c,
                                         const struct tn_pb_field *f)
{
    return tn_pb_expect(c, f, TN_WIRE_VARINT) ? f->value : 0;
}

static inline struct tn_cursor tn_pb_load_body(struct tn_cursor         *c,
                                               const struct tn_pb_field *f)
{
    return tn_pb_expect(c, f, TN_WIRE_LEN) ? f->body : *c;
}

/* Field 1 of a DescriptorProto or EnumDescriptorProto, last one wins. */
static inline struct tn_bytes tn_pb_load_name(struct tn_cursor c)
{
    struct tn_bytes    name = { NULL, 0 };
    struct tn_pb_field f;

    while (tn_pb_next(&c, &f))
        if (f.number == 1)
            name = tn_pb_load_text(&c, &f);
    return name;
}

/* ---- pb_schema_declare.c ------------------------------------------------ */

/* Walk one: every message, enum and extension of the set, by its full name. */
void tn_pb_declare(struct tn_pb_loader *loader, struct tn_bytes set);
/* Then they are sorted and counted; one name twice is refused. */
void tn_pb_sort_symbols(struct tn_pb_loader *loader);

/* ".pkg.Name" is absolute, as protoc writes it; otherwise the innermost scope
 * that has the name wins.  NULL after a failure. */
const struct tn_pb_symbol *tn_pb_resolve(struct tn_pb_loader *loader,
                                         const char          *scope,
                                         struct tn_bytes name, uint64_t offset);

/* "scope.name" in the arena, NULL after a failure. */
const char *tn_pb_full_name(struct tn_pb_loader *loader, const char *scope,
                            struct tn_bytes name, uint64_t offset);

/* The failure happened in there: "my.proto: pkg.Message". */
void tn_pb_load_where(struct tn_pb_loader            *loader,
                      const struct tn_pb_schema_file *file, const char *name);

/* ---- pb_schema_field.c -------------------------------------------------- */

void tn_pb_raw_field_read(struct tn_cursor c, struct tn_pb_raw_field *raw);
bool tn_pb_raw_field_refuse(struct tn_pb_loader          *loader,
                            const struct tn_pb_raw_field *raw,
                            const char                   *what);
/* The field that the descriptor means, seen from `scope`; all but its oneof.
 * False after a failure. */
bool tn_pb_raw_field_make(struct tn_pb_loader            *loader,
                          const struct tn_pb_schema_file *file,
                          const char *scope, const struct tn_pb_raw_field *raw,
                          struct tn_pb_field_type *field);

/* ---- pb_schema_read.c --------------------------------------------------- */

/* Walk two: enums, then messages, then extensions.  Fields stay pending. */
void tn_pb_read_symbols(struct tn_pb_loader *loader);

/* ---- pb_schema_index.c -------------------------------------------------- */

/* The values of an enum by name and by number.  What stands there twice is
 * refused at `offset`. */
void tn_pb_index_enum(struct tn_pb_loader *loader, struct tn_pb_enum *type,
                      bool may_alias, uint64_t offset);

/* Pending fields into their messages, by number and by name. */
void tn_pb_fill_messages(struct tn_pb_loader *loader);
void tn_pb_refuse_pending(struct tn_pb_loader        *loader,
                          const struct tn_pb_pending *pending,
                          const char                 *what);

#endif
