/*
 * pb_schema_declare.c - walk one over a descriptor set: what has which name
 *
 * Nothing is read of a type but its name and where its body is, so that walk
 * two can resolve names that are declared after they are used.
 */
#include <stdio.h>
#include <stdlib.h>

#include "wire/pb/pb_loader.h"

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

const char *tn_pb_full_name(struct tn_pb_loader *loader, const char *scope,
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
    return tn_text_format(loader->arena, loader->error, "%s%s%.*s", scope,
                          *scope ? "." : "", TN_FMT(name));
}

void tn_pb_load_where(struct tn_pb_loader            *loader,
                      const struct tn_pb_schema_file *file, const char *name)
{
    if (tn_failed(loader->error))
        tn_error_where(loader->error, "%s: %s", file->name, name);
}

/* ---- walk one: declare -------------------------------------------------- */

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
        tn_pb_full_name(loader, scope, tn_pb_load_name(body), body.offset);
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
            declare_message(loader, file, name, tn_pb_load_body(&c, &f),
                            depth + 1);
        else if (f.number == 4)
            declare(loader, file, name, tn_pb_load_body(&c, &f), true);
        else if (f.number == 6)
            declare_extension(loader, file, name, tn_pb_load_body(&c, &f));
    }
    if (name && !loader->error->where[0])
        tn_pb_load_where(loader, file, name);
}

static void set_syntax(struct tn_cursor *c, struct tn_pb_field *f,
                       struct tn_pb_schema_file *file)
{
    struct tn_bytes syntax = tn_pb_load_text(c, f);

    file->is_proto3 = tn_bytes_is(syntax, "proto3");
    if (!file->is_proto3 && syntax.size && !tn_bytes_is(syntax, "proto2"))
        tn_fail_at(c, f->offset, TN_UNSUPPORTED,
                   "syntax \"%.*s\"; proto2 and proto3 are known",
                   TN_FMT(syntax));
}

static void set_package(struct tn_pb_loader *loader, struct tn_cursor *c,
                        struct tn_pb_field *f, struct tn_pb_schema_file *file)
{
    struct tn_bytes package = tn_pb_load_text(c, f);

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

/* What holds for the whole file may stand at its end. */
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
            struct tn_bytes name = tn_pb_load_text(&c, &f);
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
            declare_message(loader, file, file->package,
                            tn_pb_load_body(&c, &f), 1);
        else if (f.number == 5)
            declare(loader, file, file->package, tn_pb_load_body(&c, &f), true);
        else if (f.number == 7)
            declare_extension(loader, file, file->package,
                              tn_pb_load_body(&c, &f));
    }
    if (file && !loader->error->where[0])
        tn_error_where(loader->error, "%s:", file->name);
}

void tn_pb_declare(struct tn_pb_loader *loader, struct tn_bytes set)
{
    struct tn_cursor   c = tn_cursor_bytes(set, 0, loader->error);
    struct tn_pb_field f;
    bool               has_files = false;

    while (tn_pb_next(&c, &f)) {
        if (f.number != 1)
            continue;
        declare_file(loader, tn_pb_load_body(&c, &f));
        has_files = true;
    }
    if (!has_files)
        tn_fail(&c, TN_MALFORMED, "a descriptor set without files");
}

static int compare_symbols(const void *a, const void *b)
{
    const struct tn_pb_symbol *left = a, *right = b;
    int                        order = strcmp(left->name, right->name);

    /* Equal names in the order of the file, so that the second is refused. */
    if (order == 0)
        order = left->body.offset < right->body.offset ? -1 : 1;
    return order;
}

void tn_pb_sort_symbols(struct tn_pb_loader *loader)
{
    struct tn_pb_symbol *symbols = loader->symbols.items;

    if (tn_failed(loader->error))
        return;
    if (loader->symbols.count)
        qsort(symbols, (size_t)loader->symbols.count, sizeof *symbols,
              compare_symbols);
    for (uint64_t i = 0; i < loader->symbols.count; i++) {
        struct tn_pb_symbol *s = &symbols[i];
        s->index = s->is_enum ? loader->enum_count++ : loader->message_count++;
        if (i && strcmp(symbols[i - 1].name, s->name) == 0) {
            tn_error_set(loader->error, TN_MALFORMED, s->body.offset,
                         "%s is declared twice", s->name);
            tn_pb_load_where(loader, s->file, s->name);
            return;
        }
    }
}

/* ---- resolving type names ----------------------------------------------- */

static const struct tn_pb_symbol *find_symbol(const struct tn_pb_loader *loader,
                                              const char                *name)
{
    const struct tn_pb_symbol *symbols = loader->symbols.items;
    uint64_t                   low = 0, high = loader->symbols.count;

    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        int      order  = strcmp(name, symbols[middle].name);
        if (order == 0)
            return &symbols[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

const struct tn_pb_symbol *tn_pb_resolve(struct tn_pb_loader *loader,
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
                snprintf(candidate, sizeof candidate, "%.*s%s%.*s", (int)size,
                         scope, size ? "." : "", TN_FMT(name));
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
