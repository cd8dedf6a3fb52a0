/*
 * pb_schema.c - message types, from a compiled descriptor set
 *
 * These fields of google/protobuf/descriptor.proto are read, with their numbers
 * in brackets; the others are skipped:
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
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/bisect.h"
#include "base/byte_view.h"
#include "base/number.h"
#include "base/sort.h"
#include "wire/pb/pb_builtin.h"
#include "wire/pb/pb_schema.h"
#include "wire/pb/pb_wire.h"

/* Properties of everything that one .proto file declares. */
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

/* A FieldDescriptorProto as it is in the bytes. */
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
static struct tn_bytes field_text(struct tn_cursor *c, struct tn_pb_field *f)
{
    if (!tn_pb_expect(c, f, TN_WIRE_LEN))
        return tn_bytes(NULL, 0);
    return tn_pb_text(f);
}

static uint64_t field_number(struct tn_cursor *c, const struct tn_pb_field *f)
{
    return tn_pb_expect(c, f, TN_WIRE_VARINT) ? f->value : 0;
}

static struct tn_cursor field_body(struct tn_cursor         *c,
                                   const struct tn_pb_field *f)
{
    return tn_pb_expect(c, f, TN_WIRE_LEN) ? f->body : *c;
}

/* Field 1 of a DescriptorProto or EnumDescriptorProto, last one wins. */
static struct tn_bytes declared_name(struct tn_cursor c)
{
    struct tn_bytes    name = { NULL, 0 };
    struct tn_pb_field f;

    while (tn_pb_next(&c, &f))
        if (f.number == 1)
            name = field_text(&c, &f);
    return name;
}

/* ---- walk one: what has which name -------------------------------------- */

/*
 * Nothing is read of a type but its name and where its body is, so that walk
 * two can resolve names that are declared after they are used.
 */

/* ---- names -------------------------------------------------------------- */

static bool is_identifier(struct tn_bytes name)
{
    for (size_t i = 0; i < name.size; i++) {
        uint8_t c = name.data[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
              (i && c >= '0' && c <= '9')))
            return false;
    }
    return name.size > 0;
}

/* Identifiers with dots between them. */
static bool is_path(struct tn_bytes path)
{
    size_t begin = 0;

    if (path.size == 0)
        return false;
    for (size_t i = 0; i <= path.size; i++) {
        if (i < path.size && path.data[i] != '.')
            continue;
        if (!is_identifier(tn_bytes(path.data + begin, i - begin)))
            return false;
        begin = i + 1;
    }
    return true;
}

/* "scope.name", of `size` bytes of the scope, with a zero after it.  Schemas
 * have a few hundred, and are read in every process: snprintf() is slow. */
static void join_name(char *to, const char *scope, size_t size,
                      struct tn_bytes name)
{
    if (size) {
        memcpy(to, scope, size);
        to += size;
        *to++ = '.';
    }
    if (name.size)
        memcpy(to, name.data, name.size);
    to[name.size] = '\0';
}

/* "scope.name" in the arena, NULL after a failure. */
static const char *full_name(struct tn_pb_loader *loader, const char *scope,
                             struct tn_bytes name, uint64_t offset)
{
    if (tn_failed(loader->error))
        return NULL;
    if (!is_identifier(name)) {
        tn_error_set(loader->error, TN_MALFORMED, offset,
                     "\"%.*s\" is not a name", TN_FMT(name));
        return NULL;
    }
    if (name.size + strlen(scope) >= TN_PB_NAME_LIMIT) {
        tn_error_set(loader->error, TN_LIMIT, offset,
                     "a name of more than %d bytes", TN_PB_NAME_LIMIT);
        return NULL;
    }
    char *text = tn_arena_take(loader->arena, strlen(scope) + name.size + 2, 1,
                               loader->error);
    if (text)
        join_name(text, scope, strlen(scope), name);
    return text;
}

/* Adds the place of the failure: "my.proto: pkg.Message". */
static void fail_in(struct tn_pb_loader            *loader,
                    const struct tn_pb_schema_file *file, const char *name)
{
    if (tn_failed(loader->error))
        tn_error_where(loader->error, "%s: %s", file->name, name);
}

static void declare_extension(struct tn_pb_loader            *loader,
                              const struct tn_pb_schema_file *file,
                              const char *scope, struct tn_cursor body)
{
    struct tn_pb_extension *extension = tn_list_push(
        &loader->extensions, struct tn_pb_extension, loader->error);

    if (extension)
        *extension = (struct tn_pb_extension){ file, scope, body };
}

static const char *declare(struct tn_pb_loader            *loader,
                           const struct tn_pb_schema_file *file,
                           const char *scope, struct tn_cursor body,
                           bool is_enum)
{
    const char *name =
        full_name(loader, scope, declared_name(body), body.offset);
    struct tn_pb_symbol *symbol =
        name
            ? tn_list_push(&loader->symbols, struct tn_pb_symbol, loader->error)
            : NULL;

    if (!symbol)
        return NULL;
    *symbol = (struct tn_pb_symbol){ name, file, body, is_enum, 0 };
    return name;
}

/* Recursion is bounded by the limit on depth, not by the file. */
static void declare_message(struct tn_pb_loader            *loader,
                            const struct tn_pb_schema_file *file,
                            const char *scope, struct tn_cursor c,
                            unsigned depth)
{
    struct tn_pb_field f;

    if (depth > TN_PB_DEPTH_LIMIT)
        tn_fail(&c, TN_LIMIT, "message types nested deeper than %d",
                TN_PB_DEPTH_LIMIT);
    const char *name = declare(loader, file, scope, c, false);
    while (name && tn_pb_next(&c, &f)) {
        if (f.number == 3)
            declare_message(loader, file, name, field_body(&c, &f), depth + 1);
        else if (f.number == 4)
            declare(loader, file, name, field_body(&c, &f), true);
        else if (f.number == 6)
            declare_extension(loader, file, name, field_body(&c, &f));
    }
    if (name && !loader->error->where[0])
        fail_in(loader, file, name);
}

static void set_syntax(struct tn_cursor *c, struct tn_pb_field *f,
                       struct tn_pb_schema_file *file)
{
    struct tn_bytes syntax = field_text(c, f);

    file->is_proto3 = tn_bytes_is(syntax, "proto3");
    if (!file->is_proto3 && syntax.size && !tn_bytes_is(syntax, "proto2"))
        tn_fail_at(c, f->offset, TN_UNSUPPORTED,
                   "syntax \"%.*s\"; proto2 and proto3 are known",
                   TN_FMT(syntax));
}

static void set_package(struct tn_pb_loader *loader, struct tn_cursor *c,
                        struct tn_pb_field *f, struct tn_pb_schema_file *file)
{
    struct tn_bytes package = field_text(c, f);

    if (package.size >= TN_PB_NAME_LIMIT)
        tn_fail_at(c, f->offset, TN_LIMIT, "a name of more than %d bytes",
                   TN_PB_NAME_LIMIT);
    else if (package.size && !is_path(package))
        tn_fail_at(c, f->offset, TN_MALFORMED, "\"%.*s\" is not a package name",
                   TN_FMT(package));
    struct tn_bytes copy = tn_bytes_dup(loader->arena, package, loader->error);
    if (copy.data)
        file->package = (const char *)copy.data;
}

/* Properties of the whole file may be at its end. */
static const struct tn_pb_schema_file *read_file_head(
    struct tn_pb_loader *loader, struct tn_cursor c)
{
    struct tn_pb_schema_file *file =
        tn_new(loader->arena, struct tn_pb_schema_file, 1, loader->error);
    struct tn_pb_field f;

    if (!file)
        return NULL;
    file->name    = "";
    file->package = "";
    while (tn_pb_next(&c, &f)) {
        if (f.number == 1) {
            struct tn_bytes name = field_text(&c, &f);
            file->name = tn_text_format(loader->arena, loader->error, "%.*s",
                                        TN_FMT(name));
        } else if (f.number == 2) {
            set_package(loader, &c, &f, file);
        } else if (f.number == 12) {
            set_syntax(&c, &f, file);
        }
    }
    if (file->name && *file->name)
        tn_error_where(loader->error, "%s:", file->name);
    return tn_failed(loader->error) ? NULL : file;
}

static void declare_file(struct tn_pb_loader *loader, struct tn_cursor c)
{
    const struct tn_pb_schema_file *file = read_file_head(loader, c);
    struct tn_pb_field              f;

    while (file && tn_pb_next(&c, &f)) {
        if (f.number == 4)
            declare_message(loader, file, file->package, field_body(&c, &f), 1);
        else if (f.number == 5)
            declare(loader, file, file->package, field_body(&c, &f), true);
        else if (f.number == 7)
            declare_extension(loader, file, file->package, field_body(&c, &f));
    }
    if (file && !loader->error->where[0])
        tn_error_where(loader->error, "%s:", file->name);
}

/* Walk one: every message, enum and extension of the set, by its full name. */
static void declare_all(struct tn_pb_loader *loader, struct tn_bytes set)
{
    struct tn_cursor   c = tn_cursor_bytes(set, 0, loader->error);
    struct tn_pb_field f;
    bool               has_files = false;

    while (tn_pb_next(&c, &f)) {
        if (f.number != 1)
            continue;
        declare_file(loader, field_body(&c, &f));
        has_files = true;
    }
    if (!has_files)
        tn_fail(&c, TN_MALFORMED, "a descriptor set without files");
}

static int compare_symbols(const void *a, const void *b, void *context)
{
    const struct tn_pb_symbol *left = a, *right = b;
    int                        order = strcmp(left->name, right->name);

    (void)context;
    /* Equal names in the order of the file, so that the second is refused. */
    if (order == 0)
        order = left->body.offset < right->body.offset ? -1 : 1;
    return order;
}

/* Then they are sorted and counted; one name twice is refused. */
static void sort_symbols(struct tn_pb_loader *loader)
{
    struct tn_pb_symbol *symbols = loader->symbols.items;

    if (tn_failed(loader->error))
        return;
    if (loader->symbols.count)
        tn_sort_items(symbols, loader->symbols.count, sizeof *symbols,
                      compare_symbols, NULL);
    for (uint64_t i = 0; i < loader->symbols.count; i++) {
        struct tn_pb_symbol *s = &symbols[i];
        s->index = s->is_enum ? loader->enum_count++ : loader->message_count++;
        if (i && strcmp(symbols[i - 1].name, s->name) == 0) {
            tn_error_set(loader->error, TN_MALFORMED, s->body.offset,
                         "%s is declared twice", s->name);
            fail_in(loader, s->file, s->name);
            return;
        }
    }
}

/* ---- resolving type names ----------------------------------------------- */

static const struct tn_pb_symbol *find_symbol(const struct tn_pb_loader *loader,
                                              const char                *name)
{
    const struct tn_pb_symbol *symbols = loader->symbols.items;
    uint64_t                   at;

    TN_BISECT(at, 0, loader->symbols.count, strcmp(symbols[at].name, name) < 0);
    return at < loader->symbols.count && !strcmp(symbols[at].name, name)
               ? &symbols[at]
               : NULL;
}

/* ".pkg.Name" is absolute, as protoc writes it; otherwise the innermost scope
 * that has the name wins.  NULL after a failure. */
static const struct tn_pb_symbol *resolve(struct tn_pb_loader *loader,
                                          const char          *scope,
                                          struct tn_bytes name, uint64_t offset)
{
    char   candidate[2 * TN_PB_NAME_LIMIT + 2];
    size_t size        = strlen(scope);
    bool   is_absolute = name.size && name.data[0] == '.';

    if (is_absolute)
        name = tn_bytes(name.data + 1, name.size - 1);
    if (name.size < TN_PB_NAME_LIMIT && is_path(name)) {
        for (size = is_absolute ? 0 : size;; size--) {
            bool is_scope = size == strlen(scope) || scope[size] == '.';
            if (is_scope || size == 0) {
                join_name(candidate, scope, size, name);
                const struct tn_pb_symbol *found =
                    find_symbol(loader, candidate);
                if (found)
                    return found;
            }
            if (size == 0)
                break;
        }
    }
    tn_error_set(loader->error, TN_MALFORMED, offset,
                 "\"%.*s\" is not a type of this set", TN_FMT(name));
    return NULL;
}

/* ---- what a schema is searched by: names and numbers, sorted ------------ */

/* by_number tables end here; larger numbers are searched. */
#define TABLE_LIMIT 1024

struct named_index {
    const char *name;
    int64_t     number;
    uint32_t    index;
};

static int compare_indices_by_name(const void *a, const void *b, void *context)
{
    const struct named_index *left = a, *right = b;

    (void)context;
    return strcmp(left->name, right->name);
}

static int compare_indices_by_number(const void *a, const void *b,
                                     void *context)
{
    const struct named_index *left = a, *right = b;

    (void)context;
    if (left->number != right->number)
        return left->number < right->number ? -1 : 1;
    return left->index < right->index ? -1 : left->index > right->index;
}

/* Sorts the keys and copies their order into the arena. */
static uint32_t *sorted_indices(struct tn_pb_loader *loader,
                                struct tn_list *keys, tn_compare *compare)
{
    uint32_t *order =
        tn_new(loader->arena, uint32_t, keys->count, loader->error);

    if (!order)
        return NULL;
    if (keys->count)
        tn_sort_items(keys->items, keys->count, sizeof(struct named_index),
                      compare, NULL);
    for (uint64_t i = 0; i < keys->count; i++)
        order[i] = tn_list_at(keys, struct named_index, i)->index;
    return order;
}

static void index_values(struct tn_pb_loader *loader, struct tn_pb_enum *type,
                         struct tn_list *keys, bool may_alias, uint64_t offset)
{
    struct named_index *key =
        tn_list_grow(keys, type->value_count, loader->error);

    if (!key)
        return;
    for (uint32_t i = 0; i < type->value_count; i++)
        key[i] = (struct named_index){ type->values[i].name,
                                       type->values[i].number, i };
    type->by_name = sorted_indices(loader, keys, compare_indices_by_name);
    for (uint32_t i = 1; i < type->value_count; i++)
        if (strcmp(key[i - 1].name, key[i].name) == 0)
            tn_error_set(loader->error, TN_MALFORMED, offset,
                         "two values are called %s", key[i].name);
    type->by_number = sorted_indices(loader, keys, compare_indices_by_number);
    for (uint32_t i = 1; i < type->value_count && !may_alias; i++)
        if (key[i - 1].number == key[i].number)
            tn_error_set(loader->error, TN_MALFORMED, offset,
                         "%s and %s are both %" PRId64
                         ", and aliases are not allowed",
                         key[i - 1].name, key[i].name, key[i].number);
}

/* The values of an enum by name and by number.  What is there twice is refused
 * at `offset`. */
static void index_enum(struct tn_pb_loader *loader, struct tn_pb_enum *type,
                       bool may_alias, uint64_t offset)
{
    struct tn_list keys;

    tn_list_init(&keys, loader->arena->memory, sizeof(struct named_index));
    index_values(loader, type, &keys, may_alias, offset);
    tn_list_done(&keys);
}

/* ---- fields into their messages ----------------------------------------- */

static int compare_pending(const void *a, const void *b, void *context)
{
    const struct tn_pb_pending *left = a, *right = b;

    (void)context;
    if (left->message != right->message)
        return left->message < right->message ? -1 : 1;
    if (left->field.number != right->field.number)
        return left->field.number < right->field.number ? -1 : 1;
    return left->offset < right->offset ? -1 : left->offset > right->offset;
}

static void refuse_pending(struct tn_pb_loader        *loader,
                           const struct tn_pb_pending *pending,
                           const char                 *what)
{
    if (tn_failed(loader->error))
        return;
    tn_error_set(loader->error, TN_MALFORMED, pending->offset, "%s", what);
    tn_error_where(loader->error, "%s: %s.%s", pending->file->name,
                   loader->messages[pending->message].full_name,
                   pending->field.name);
}

/* Names are compared after numbers: `keys` are of one message. */
static void index_names(struct tn_pb_loader        *loader,
                        struct tn_pb_message       *message,
                        const struct tn_pb_pending *pending,
                        struct tn_list             *keys)
{
    if (message->field_count == 0)
        return;
    keys->count = 0;
    struct named_index *key =
        tn_list_grow(keys, message->field_count, loader->error);
    if (!key)
        return;
    for (uint32_t i = 0; i < message->field_count; i++)
        key[i] = (struct named_index){ message->fields[i].name, 0, i };
    message->by_name = sorted_indices(loader, keys, compare_indices_by_name);
    for (uint32_t i = 1; i < message->field_count; i++)
        if (strcmp(key[i - 1].name, key[i].name) == 0)
            refuse_pending(loader, &pending[key[i].index],
                           "two fields of this name");
}

static void index_numbers(struct tn_pb_loader  *loader,
                          struct tn_pb_message *message)
{
    uint32_t largest = message->field_count
                           ? message->fields[message->field_count - 1].number
                           : 0;
    uint32_t size    = largest < TABLE_LIMIT ? largest + 1 : TABLE_LIMIT;

    /* A few large numbers must not cost a table that is mostly empty. */
    if (size / 8 > message->field_count)
        size = 0;
    uint16_t *table = tn_new(loader->arena, uint16_t, size, loader->error);
    if (!table)
        return;
    for (uint32_t i = 0; i < message->field_count; i++)
        if (message->fields[i].number < size)
            table[message->fields[i].number] = (uint16_t)(i + 1);
    message->by_number      = table;
    message->by_number_size = size;
}

static void fill_message(struct tn_pb_loader        *loader,
                         struct tn_pb_message       *message,
                         const struct tn_pb_pending *pending, uint32_t count,
                         struct tn_list *keys)
{
    struct tn_pb_field_type *fields =
        tn_new(loader->arena, struct tn_pb_field_type, count, loader->error);

    if (!fields)
        return;
    for (uint32_t i = 0; i < count; i++) {
        fields[i] = pending[i].field;
        if (i && fields[i].number == fields[i - 1].number)
            refuse_pending(loader, &pending[i], "two fields of this number");
    }
    message->fields      = fields;
    message->field_count = count;
    index_names(loader, message, pending, keys);
    index_numbers(loader, message);
}

/* Pending fields into their messages, by number and by name. */
static void fill_messages(struct tn_pb_loader *loader)
{
    struct tn_pb_pending *pending = loader->fields.items;
    uint64_t              count = loader->fields.count, at = 0;
    struct tn_list        keys;

    if (tn_failed(loader->error))
        return;
    if (count)
        tn_sort_items(pending, count, sizeof *pending, compare_pending, NULL);
    tn_list_init(&keys, loader->arena->memory, sizeof(struct named_index));
    for (uint32_t i = 0; i < loader->message_count; i++) {
        uint64_t begin = at;
        while (at < count && pending[at].message == i)
            at++;
        if (!tn_failed(loader->error))
            fill_message(loader, &loader->messages[i],
                         at > begin ? &pending[begin] : NULL,
                         (uint32_t)(at - begin), &keys);
    }
    tn_list_done(&keys);
}

/* ---- a field of a message, out of its descriptor ------------------------ */

#define FIELD_NUMBER_MAX ((UINT32_C(1) << 29) - 1)

/* ---- as it is in the bytes ---------------------------------------------- */

static void read_field_options(struct tn_cursor c, struct tn_pb_raw_field *raw)
{
    struct tn_pb_field f;

    while (tn_pb_next(&c, &f)) {
        if (f.number != 2)
            continue;
        raw->has_packed = true;
        raw->is_packed  = field_number(&c, &f) != 0;
    }
}

static void raw_field_read(struct tn_cursor c, struct tn_pb_raw_field *raw)
{
    struct tn_pb_field f;

    *raw =
        (struct tn_pb_raw_field){ .offset = c.offset, .label = TN_PB_OPTIONAL };
    while (tn_pb_next(&c, &f)) {
        switch (f.number) {
        case 1: raw->name = field_text(&c, &f); break;
        case 2: raw->extendee = field_text(&c, &f); break;
        case 3: raw->number = field_number(&c, &f); break;
        case 4: raw->label = field_number(&c, &f); break;
        case 5: raw->type = field_number(&c, &f); break;
        case 6: raw->type_name = field_text(&c, &f); break;
        case 7:
            raw->default_value = field_text(&c, &f);
            raw->has_default   = true;
            break;
        case 8: read_field_options(field_body(&c, &f), raw); break;
        case 9:
            raw->oneof_index = field_number(&c, &f);
            raw->has_oneof   = true;
            break;
        case 10: raw->json_name = field_text(&c, &f); break;
        case 17: raw->is_proto3_optional = field_number(&c, &f) != 0; break;
        default: break;
        }
    }
}

static bool raw_field_refuse(struct tn_pb_loader          *loader,
                             const struct tn_pb_raw_field *raw,
                             const char                   *what)
{
    tn_error_set(loader->error, TN_MALFORMED, raw->offset, "%s", what);
    return false;
}

/* ---- what it means ------------------------------------------------------- */

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
        return raw_field_refuse(loader, raw, "no label of a field");
    if (raw->type > TN_PB_SINT64 || (!raw->type && !raw->type_name.size))
        return raw_field_refuse(loader, raw, "no type of a field");
    return true;
}

/* Fills in type, message and enumeration.  A type that is not given follows
 * from what its name refers to. */
static bool set_type(struct tn_pb_loader *loader, const char *scope,
                     const struct tn_pb_raw_field *raw,
                     struct tn_pb_field_type      *field)
{
    bool is_message = raw->type == TN_PB_MESSAGE || raw->type == TN_PB_GROUP;
    bool is_enum    = raw->type == TN_PB_ENUM;

    field->type = (enum tn_pb_type)raw->type;
    if (raw->type && !is_message && !is_enum)
        return raw->type_name.size == 0 ||
               raw_field_refuse(loader, raw,
                                "a scalar with the name of a type");
    const struct tn_pb_symbol *symbol =
        resolve(loader, scope, raw->type_name, raw->offset);
    if (!symbol)
        return false;
    if (symbol->is_enum ? is_message : is_enum)
        return raw_field_refuse(loader, raw,
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
        return raw_field_refuse(loader, raw, "a default where none can be");
    field->default_text =
        tn_bytes_dup(loader->arena, raw->default_value, loader->error);
    if (!is_text && !tn_pb_field_default(field, &bits))
        return raw_field_refuse(loader, raw, "a default of another type");
    return !tn_failed(loader->error);
}

/* Whether it is packed, and whether absence differs from zero. */
static bool set_manner(struct tn_pb_loader            *loader,
                       const struct tn_pb_schema_file *file,
                       const struct tn_pb_raw_field   *raw,
                       struct tn_pb_field_type        *field)
{
    bool is_repeated = field->label == TN_PB_REPEATED;
    bool may_pack    = is_repeated && tn_pb_is_packable(field->type);

    if (raw->has_packed && raw->is_packed && !may_pack)
        return raw_field_refuse(loader, raw,
                                "packed, and not repeated numbers");
    if (raw->has_oneof && is_repeated)
        return raw_field_refuse(loader, raw, "repeated inside a oneof");
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
    field->name = full_name(loader, field->is_extension ? scope : "", raw->name,
                            raw->offset);
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

/* The field that the descriptor means, seen from `scope`; all but its oneof.
 * False after a failure. */
static bool raw_field_make(struct tn_pb_loader            *loader,
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

/* ---- walk two: enums, messages, extensions ------------------------------ */

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
            name = field_text(&c, &f);
        else if (f.number == 2)
            number = field_number(&c, &f);
    }
    if ((int64_t)number < INT32_MIN || (int64_t)number > INT32_MAX)
        tn_fail_at(&c, begin, TN_MALFORMED,
                   "enum value %" PRId64 " is not a 32-bit number",
                   (int64_t)number);
    value->number = (int32_t)number;
    value->name   = full_name(loader, "", name, begin);
}

/* Options: the boolean of this number. */
static bool read_option(struct tn_cursor c, uint32_t number, bool value)
{
    struct tn_pb_field f;

    while (tn_pb_next(&c, &f))
        if (f.number == number)
            value = field_number(&c, &f) != 0;
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
            read_enum_value(loader, field_body(&c, &f), value++);
        else if (f.number == 3)
            may_alias = read_option(field_body(&c, &f), 2, may_alias);
    }
    if (count == 0)
        tn_fail_at(&c, symbol->body.offset, TN_MALFORMED,
                   "an enum without values");
    if (!tn_failed(loader->error))
        index_enum(loader, type, may_alias, symbol->body.offset);
    fail_in(loader, symbol->file, symbol->name);
}

/* ---- messages ----------------------------------------------------------- */

static const char *read_oneof_name(struct tn_pb_loader *loader,
                                   struct tn_cursor     c)
{
    return full_name(loader, "", declared_name(c), c.offset);
}

/* A proto3 optional field is alone in a oneof that only marks it as optional.
 * Such oneofs are left out: `place` becomes each one's index among the real
 * ones, or -1. */
static void find_real_oneofs(struct tn_pb_loader *loader, struct tn_cursor c,
                             int32_t *place, uint32_t *members, uint32_t count)
{
    struct tn_pb_field     f;
    struct tn_pb_raw_field raw;
    int32_t                real = 0;

    while (tn_pb_next(&c, &f)) {
        if (f.number != 2)
            continue;
        raw_field_read(field_body(&c, &f), &raw);
        if (!raw.has_oneof)
            continue;
        if (raw.oneof_index >= count) {
            raw_field_refuse(loader, &raw, "in a oneof that is not declared");
            return;
        }
        members[raw.oneof_index]++;
        if (raw.is_proto3_optional)
            place[raw.oneof_index] = -1;
        if (place[raw.oneof_index] < 0 && members[raw.oneof_index] > 1)
            raw_field_refuse(loader, &raw, "optional in a oneof with others");
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
        const char *name = read_oneof_name(loader, field_body(&c, &f));
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
    raw_field_read(c, &raw);
    pending->message = owner->index;
    pending->offset  = raw.offset;
    pending->file    = owner->file;
    if (raw_field_make(loader, owner->file, owner->name, &raw,
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
            begin = field_number(&c, &f);
        else if (f.number == 2)
            end = field_number(&c, &f);
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
            read_field(loader, symbol, field_body(&c, &f), oneof_place);
        else if (f.number == 5)
            read_range(loader, field_body(&c, &f), range++);
        else if (f.number == 7)
            message->is_map_entry =
                read_option(field_body(&c, &f), 7, message->is_map_entry);
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
    fail_in(loader, symbol->file, symbol->name);
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
    if (!raw_field_make(loader, extension->file, extension->scope, raw,
                        &pending->field))
        return;
    const struct tn_pb_symbol *extended =
        resolve(loader, extension->scope, raw->extendee, raw->offset);
    if (!extended)
        return;
    pending->message = extended->index;
    if (raw->has_oneof)
        raw_field_refuse(loader, raw, "an extension inside a oneof");
    else if (extended->is_enum)
        raw_field_refuse(loader, raw, "an extension of an enum");
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
    raw_field_read(extension->body, &raw);
    attach_extension(loader, extension, &raw, pending);
    if (tn_failed(loader->error))
        tn_error_where(loader->error, "%s: %s%s%.*s", extension->file->name,
                       extension->scope, *extension->scope ? "." : "",
                       TN_FMT(raw.name));
}

/* Walk two: enums, then messages, then extensions.  Fields stay pending. */
static void read_symbols(struct tn_pb_loader *loader)
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
            refuse_pending(loader, pending, "no map entry of this message");
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
    declare_all(&loader, set);
    sort_symbols(&loader);
    if (!tn_failed(error))
        read_symbols(&loader);
    fill_messages(&loader);
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

/* ---- asking a loaded schema --------------------------------------------- */

/* strcmp for a name that has no terminator. */
static int compare_name(struct tn_bytes wanted, const char *name)
{
    size_t size  = strlen(name);
    size_t least = wanted.size < size ? wanted.size : size;
    int    order = least ? memcmp(wanted.data, name, least) : 0;

    if (order)
        return order;
    return (wanted.size > size) - (wanted.size < size);
}

const struct tn_pb_message *tn_pb_schema_find(const struct tn_pb_schema *schema,
                                              const char *full_name)
{
    struct tn_bytes wanted = tn_text(full_name + (full_name[0] == '.'));
    uint64_t        at;

    TN_BISECT(at, 0, schema->message_count,
              compare_name(wanted, schema->messages[at].full_name) > 0);
    return at < schema->message_count &&
                   compare_name(wanted, schema->messages[at].full_name) == 0
               ? &schema->messages[at]
               : NULL;
}

const struct tn_pb_field_type *tn_pb_message_field(
    const struct tn_pb_message *message, uint32_t number)
{
    uint64_t at;

    if (number < message->by_number_size) {
        uint16_t place = message->by_number[number];
        return place ? &message->fields[place - 1] : NULL;
    }
    TN_BISECT(at, 0, message->field_count, message->fields[at].number < number);
    return at < message->field_count && message->fields[at].number == number
               ? &message->fields[at]
               : NULL;
}

const struct tn_pb_field_type *tn_pb_message_field_named(
    const struct tn_pb_message *message, struct tn_bytes name)
{
    const struct tn_pb_field_type *fields = message->fields;
    const uint32_t                *sorted = message->by_name;
    uint64_t                       at;

    TN_BISECT(at, 0, message->field_count,
              compare_name(name, fields[sorted[at]].name) > 0);
    return at < message->field_count &&
                   compare_name(name, fields[sorted[at]].name) == 0
               ? &fields[sorted[at]]
               : NULL;
}

const struct tn_pb_field_type *tn_pb_message_field_json(
    const struct tn_pb_message *message, struct tn_bytes json_name)
{
    for (uint32_t i = 0; i < message->field_count; i++)
        if (compare_name(json_name, message->fields[i].json_name) == 0)
            return &message->fields[i];
    return NULL;
}

const char *tn_pb_enum_name(const struct tn_pb_enum *type, int32_t number)
{
    uint64_t at;

    TN_BISECT(at, 0, type->value_count,
              type->values[type->by_number[at]].number < number);
    if (at == type->value_count)
        return NULL;
    const struct tn_pb_enum_value *value = &type->values[type->by_number[at]];
    return value->number == number ? value->name : NULL;
}

bool tn_pb_enum_number(const struct tn_pb_enum *type, struct tn_bytes name,
                       int32_t *number)
{
    uint64_t at;

    TN_BISECT(at, 0, type->value_count,
              compare_name(name, type->values[type->by_name[at]].name) > 0);
    if (at == type->value_count)
        return false;
    const struct tn_pb_enum_value *value = &type->values[type->by_name[at]];
    if (compare_name(name, value->name) != 0)
        return false;
    *number = value->number;
    return true;
}

enum tn_wire_type tn_pb_wire_type(enum tn_pb_type type)
{
    switch (type) {
    case TN_PB_DOUBLE:
    case TN_PB_FIXED64:
    case TN_PB_SFIXED64: return TN_WIRE_FIXED64;
    case TN_PB_FLOAT:
    case TN_PB_FIXED32:
    case TN_PB_SFIXED32: return TN_WIRE_FIXED32;
    case TN_PB_STRING:
    case TN_PB_BYTES:
    case TN_PB_MESSAGE: return TN_WIRE_LEN;
    case TN_PB_GROUP: return TN_WIRE_GROUP_BEGIN;
    case TN_PB_INT64:
    case TN_PB_UINT64:
    case TN_PB_INT32:
    case TN_PB_BOOL:
    case TN_PB_UINT32:
    case TN_PB_ENUM:
    case TN_PB_SINT32:
    case TN_PB_SINT64: break;
    }
    return TN_WIRE_VARINT;
}

bool tn_pb_is_packable(enum tn_pb_type type)
{
    enum tn_wire_type wire = tn_pb_wire_type(type);

    return wire != TN_WIRE_LEN && wire != TN_WIRE_GROUP_BEGIN;
}

/* Decimal, the whole text, inside [-2^63, 2^64). */
static bool parse_integer(struct tn_bytes text, bool *is_negative,
                          uint64_t *size)
{
    *is_negative = text.data[0] == '-';
    *size        = 0;
    for (size_t i = *is_negative; i < text.size; i++) {
        uint8_t digit = (uint8_t)(text.data[i] - '0');
        if (digit > 9 || __builtin_mul_overflow(*size, 10, size) ||
            __builtin_add_overflow(*size, digit, size))
            return false;
    }
    return text.size > *is_negative;
}

static bool default_integer(struct tn_bytes text, uint64_t below,
                            uint64_t above, uint64_t *bits)
{
    bool     is_negative;
    uint64_t size;

    if (!parse_integer(text, &is_negative, &size))
        return false;
    *bits = is_negative ? -size : size;
    return size <= (is_negative ? below : above);
}

/* protoc writes what is not finite as words. */
static bool parse_double(struct tn_bytes text, double *value)
{
    static const struct {
        const char *word;
        double      value;
    } words[] = { { "inf", INFINITY }, { "-inf", -INFINITY }, { "nan", NAN } };

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (tn_bytes_is(text, words[i].word)) {
            *value = words[i].value;
            return true;
        }
    }
    return tn_double_parse(text, value);
}

static bool default_double(struct tn_bytes text, uint64_t *bits)
{
    double value = 0;

    if (!parse_double(text, &value))
        return false;
    *bits = tn_double_bits(value);
    return true;
}

static bool default_float(struct tn_bytes text, uint64_t *bits)
{
    double value = 0;

    if (!parse_double(text, &value))
        return false;
    *bits = tn_float_bits(tn_double_to_float(value));
    return true;
}

static bool default_enum(const struct tn_pb_field_type *field, uint64_t *bits)
{
    int32_t number = field->enumeration->values[0].number;
    bool    is_value =
        field->default_text.size == 0 ||
        tn_pb_enum_number(field->enumeration, field->default_text, &number);

    *bits = (uint64_t)(int64_t)number;
    return is_value;
}

bool tn_pb_field_default(const struct tn_pb_field_type *field, uint64_t *bits)
{
    struct tn_bytes text = field->default_text;

    *bits = 0;
    if (field->type == TN_PB_ENUM)
        return default_enum(field, bits);
    if (text.size == 0)
        return true;
    switch (field->type) {
    case TN_PB_DOUBLE: return default_double(text, bits);
    case TN_PB_FLOAT: return default_float(text, bits);
    case TN_PB_INT64:
    case TN_PB_SINT64:
    case TN_PB_SFIXED64:
        return default_integer(text, UINT64_C(1) << 63, INT64_MAX, bits);
    case TN_PB_INT32:
    case TN_PB_SINT32:
    case TN_PB_SFIXED32:
        return default_integer(text, UINT64_C(1) << 31, INT32_MAX, bits);
    case TN_PB_UINT64:
    case TN_PB_FIXED64: return default_integer(text, 0, UINT64_MAX, bits);
    case TN_PB_UINT32:
    case TN_PB_FIXED32: return default_integer(text, 0, UINT32_MAX, bits);
    case TN_PB_BOOL:
        *bits = tn_bytes_is(text, "true");
        return *bits || tn_bytes_is(text, "false");
    case TN_PB_STRING:
    case TN_PB_BYTES:
    case TN_PB_ENUM:
    case TN_PB_GROUP:
    case TN_PB_MESSAGE: break;
    }
    return false;
}

/* ---- the built-in descriptor sets --------------------------------------- */

/* Made from schemas/ when the library is built. */
extern const unsigned char tn_schema_import_ir[];
extern const size_t        tn_schema_import_ir_size;
extern const unsigned char tn_schema_onnx[];
extern const size_t        tn_schema_onnx_size;
extern const unsigned char tn_schema_paddle[];
extern const size_t        tn_schema_paddle_size;
extern const unsigned char tn_schema_tensorflow[];
extern const size_t        tn_schema_tensorflow_size;
extern const unsigned char tn_schema_proto_splitter[];
extern const size_t        tn_schema_proto_splitter_size;

struct tn_bytes tn_pb_builtin_set(enum tn_pb_builtin which)
{
    switch (which) {
    case TN_PB_ONNX: return tn_bytes(tn_schema_onnx, tn_schema_onnx_size);
    case TN_PB_IMPORT_IR:
        return tn_bytes(tn_schema_import_ir, tn_schema_import_ir_size);
    case TN_PB_PADDLE: return tn_bytes(tn_schema_paddle, tn_schema_paddle_size);
    case TN_PB_TENSORFLOW:
        return tn_bytes(tn_schema_tensorflow, tn_schema_tensorflow_size);
    case TN_PB_PROTO_SPLITTER:
        return tn_bytes(tn_schema_proto_splitter,
                        tn_schema_proto_splitter_size);
    }
    return tn_bytes(NULL, 0);
}
