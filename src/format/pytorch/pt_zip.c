/*
 * pt_zip.c - torch.save()'s archives, and TorchScript's
 *
 *   NAME/data.pkl       the object
 *   NAME/data/KEY       a storage each, raw
 *   NAME/version        "3"
 *   NAME/byteorder      "little" or "big"; absent in older files: little
 *   NAME/constants.pkl, NAME/constants/KEY, NAME/code/...   TorchScript's
 *   NAME/extra/...      files that the user added
 *
 * NAME is what the file was called when it was written.  Members may be in any
 * order, and deflated.
 */
#include <stdio.h>

#include "base/arith.h"
#include "base/expand.h"
#include "format/pytorch/pt.h"
#include "wire/zip/zip.h"

#define PICKLE    "/data.pkl"
#define CONSTANTS "constants.pkl"

#define RECORD_LIMIT 64 /* bytes of a small record; more are not read */

struct archive {
    struct tn_pt_file *file;
    struct tn_bundle  *bundle;
    struct tn_report  *report;
    struct tn_error   *error;
    struct tn_zip      zip;
    struct tn_bytes    folder; /* NAME                                        */
};

/* NAME/data.pkl, with one folder above. */
static bool is_pickle(struct tn_bytes name, const char *end)
{
    return tn_bytes_ends_with(name, end) &&
           !memchr(name.data, '/', name.size - strlen(end));
}

static const struct tn_zip_entry *find(const struct archive *a,
                                       struct tn_bytes       rest)
{
    struct tn_arena *arena = a->file->tree.arena;
    size_t           size  = a->folder.size + 1 + rest.size;
    uint8_t         *name  = tn_new(arena, uint8_t, size, a->error);

    if (!name)
        return NULL;
    memcpy(name, a->folder.data, a->folder.size);
    name[a->folder.size] = '/';
    memcpy(name + a->folder.size + 1, rest.data, rest.size);
    return tn_zip_find(&a->zip, tn_bytes(name, size));
}

/* Where the bytes of an entry are, unpacked. */
static struct tn_span place(struct archive *a, const struct tn_zip_entry *entry)
{
    struct tn_source *source;

    if (entry->method == TN_ZIP_STORED)
        return tn_zip_span(&a->zip, entry);
    if (tn_zip_source(&a->zip, entry, &source, a->error) != TN_OK ||
        tn_bundle_keep(a->bundle, source, a->error) != TN_OK)
        return (struct tn_span){ NULL, 0, 0 };
    return (struct tn_span){ source, 0, source->size };
}

/* A small record without the end of its line.  Its checksum is left to check():
 * torch can be told to write none. */
static struct tn_bytes read_record(struct archive *a, const char *name)
{
    const struct tn_zip_entry *entry = find(a, tn_text(name));
    uint8_t                    bytes[RECORD_LIMIT];

    if (!entry || entry->size > RECORD_LIMIT || tn_failed(a->error))
        return tn_bytes(NULL, 0);
    struct tn_span span = place(a, entry);
    size_t         size = (size_t)tn_min(span.length, RECORD_LIMIT);
    if (tn_failed(a->error) ||
        tn_source_read(span.source, span.offset, bytes, size, a->error) !=
            TN_OK)
        return tn_bytes(NULL, 0);
    while (size && (bytes[size - 1] == '\n' || bytes[size - 1] == '\r'))
        size--;
    return tn_bytes_dup(a->file->tree.arena, tn_bytes(bytes, size), a->error);
}

static void read_records(struct archive *a)
{
    a->file->version    = read_record(a, "version");
    a->file->byte_order = read_record(a, "byteorder");
    struct tn_bytes order = a->file->byte_order;
    a->file->is_big_endian = tn_bytes_is(order, "big");
    if (!tn_failed(a->error) && order.data && !a->file->is_big_endian &&
        !tn_bytes_is(order, "little"))
        tn_error_set(a->error, TN_MALFORMED, TN_NOWHERE,
                     "byteorder is '%.*s', neither little nor big",
                     TN_FMT(order));
}

/* The records of the archive besides the object. */
static void count_files(struct archive *a)
{
    for (uint64_t i = 0; i < tn_zip_count(&a->zip); i++) {
        const struct tn_zip_entry *entry = tn_zip_at(&a->zip, i);
        size_t                     skip  = a->folder.size + 1;
        if (entry->name.size <= skip || tn_zip_is_folder(entry))
            continue;
        struct tn_bytes rest =
            tn_bytes(entry->name.data + skip, entry->name.size - skip);
        a->file->code_count += tn_bytes_starts_with(rest, "code/") &&
                               tn_bytes_ends_with(rest, ".py");
        a->file->extra_count += tn_bytes_starts_with(rest, "extra/");
    }
}

static void read_pickle(struct archive *a, const struct tn_zip_entry *entry,
                        const char *folder, const char *prefix)
{
    struct tn_span   span = place(a, entry);
    struct tn_cursor c;

    if (tn_failed(a->error))
        return;
    a->file->tree.folder = folder;
    c                    = tn_cursor_span(span, a->error);
    if (tn_pt_tree_read(&a->file->tree, &c, tn_text(prefix)) != TN_OK)
        tn_zip_where(entry, a->error);
}

/* A pickle that cannot be understood, or that names none: storages are what the
 * archive has of them, bytes of some type. */
static void take_storages(struct archive *a, const char *why)
{
    struct tn_pt_tree *tree = &a->file->tree;
    size_t             skip = a->folder.size + 1;

    struct tn_bytes reason  = tn_bytes_dup(tree->arena, tn_text(why),
                                           &(struct tn_error)TN_ERROR_INIT);
    bool            is_read = !tn_failed(a->error);

    *a->error = (struct tn_error)TN_ERROR_INIT;
    if (!is_read)
        a->file->unread = reason;
    for (uint64_t i = 0; i < tn_zip_count(&a->zip) && !tn_failed(a->error);
         i++) {
        const struct tn_zip_entry *entry = tn_zip_at(&a->zip, i);
        if (entry->name.size <= skip || tn_zip_is_folder(entry))
            continue;
        struct tn_bytes rest =
            tn_bytes(entry->name.data + skip, entry->name.size - skip);
        uint32_t known = tn_intern_count(&tree->keys);
        if (!tn_bytes_starts_with(rest, "data/") ||
            tn_intern_copy(&tree->keys, rest, a->error) < known ||
            tn_failed(a->error))
            continue;
        struct tn_pt_storage *row =
            tn_list_push(&tree->storages, struct tn_pt_storage, a->error);
        if (row)
            *row = (struct tn_pt_storage){
                .key        = tn_intern_text(&tree->keys, known),
                .per_byte   = 1,
                .is_untyped = true,
                .count      = entry->size,
                .offset     = entry->offset,
            };
        a->file->unread = reason;
    }
}

static void place_storage(struct archive *a, struct tn_pt_storage *storage)
{
    const struct tn_zip_entry *entry = find(a, storage->key);
    uint64_t                   size;

    if (storage->is_without_data || tn_failed(a->error))
        return;
    if (!entry)
        tn_error_set(a->error, TN_MALFORMED, storage->offset,
                     "storage '%.*s' is not in the archive",
                     TN_FMT(storage->key));
    else if (!tn_pt_storage_size(storage, &size) || size != entry->size)
        tn_error_set(a->error, TN_MALFORMED, entry->offset,
                     "storage '%.*s' has %" PRIu64
                     " bytes, not those of %" PRIu64 " elements",
                     TN_FMT(storage->key), entry->size, storage->count);
    else
        storage->span = place(a, entry);
}

static const struct tn_zip_entry *find_pickle(struct archive *a)
{
    for (uint64_t i = 0; i < tn_zip_count(&a->zip); i++) {
        const struct tn_zip_entry *entry = tn_zip_at(&a->zip, i);
        if (is_pickle(entry->name, PICKLE)) {
            a->folder = tn_bytes(entry->name.data,
                                 entry->name.size - strlen(PICKLE));
            return entry;
        }
    }
    tn_error_set(a->error, TN_MALFORMED, TN_NOWHERE,
                 "no entry NAME/data.pkl: not an archive of torch.save()");
    return NULL;
}

static void read_archive(struct archive *a)
{
    const struct tn_zip_entry *entry = find_pickle(a), *constants;

    if (!entry)
        return;
    read_records(a);
    count_files(a);
    if (tn_failed(a->error))
        return;
    read_pickle(a, entry, "data/", "");
    if (tn_failed(a->error) && !a->report && !tn_machine_failed(a->error) &&
        !a->file->tree.is_refused)
        take_storages(a, a->error->what);
    else if (!tn_failed(a->error) && !a->report &&
             a->file->tree.storages.count == 0 &&
             a->file->tree.tensors.count == 0)
        take_storages(a, "data.pkl names no storage");
    constants = find(a, tn_text(CONSTANTS));
    if (constants) {
        a->file->kind = TN_PT_SCRIPT;
        read_pickle(a, constants, "constants/", "constants");
    }
    for (uint64_t i = 0; i < a->file->tree.storages.count; i++)
        place_storage(a, tn_pt_storage_at(&a->file->tree, i));
}

enum tn_status tn_pt_zip_read(struct tn_pt_file *file, struct tn_bundle *bundle,
                              struct tn_source *source,
                              struct tn_report *report)
{
    struct tn_zip_options how = {
        .is_foreign = true,
        .has_keys   = true,
        .report     = report,
        .max_total  = tn_expand_most(bundle->max_expand, source->size),
    };
    struct archive a = { .file   = file,
                         .bundle = bundle,
                         .report = report,
                         .error  = file->tree.error };

    file->kind = TN_PT_ZIP;
    if (tn_zip_open(&a.zip, source, bundle->memory, &how, a.error) == TN_OK)
        read_archive(&a);
    if (report && !tn_failed(a.error) && !report->skip_data)
        tn_zip_verify(&a.zip, report->workers, report, a.error);
    tn_zip_close(&a.zip);
    return a.error->status;
}
