/*
 * npz_format.c - the formats npz and npy: numpy's arrays, many or one
 *
 * An npz is a zip whose entries NAME.npy are arrays, stored or deflated; other
 * entries are left alone, and so are arrays whose elements are not read here.
 * The name of an entry is a key: nothing is ever unpacked under it.
 */
#include <inttypes.h>
#include <stdio.h>

#include "format/npz/npz.h"
#include "base/expand.h"
#include "format/settings.h"
#include "wire/zip/zip.h"

#define NPY_BITS 48 /* six bytes of magic */
#define NPZ_BITS 64 /* a zip, and the name of an array */

#define NAME_SIZE 60 /* of a name in a loss */

#define LOCAL_SIZE  30 /* of a zip's local header, before the name */
#define RECORD_SIZE 46 /* the same of a record in its directory */
#define END_SIZE    22 /* of the end record, which every zip has */

/* An array must have a name besides the suffix. */
static bool is_member(struct tn_bytes name)
{
    return name.size > strlen(TN_NPZ_MEMBER) &&
           tn_bytes_ends_with(name, TN_NPZ_MEMBER);
}

/* Archivers write an entry for a folder; nothing is in it. */
static bool is_folder(const struct tn_zip_entry *entry)
{
    return entry->size == 0 && tn_bytes_ends_with(entry->name, "/");
}

/* ---- one array ---------------------------------------------------------- */

static int npy_probe(const struct tn_probe *probe)
{
    return !probe->entries && probe->head.size >= 6 &&
                   memcmp(probe->head.data, "\x93NUMPY", 6) == 0
               ? NPY_BITS
               : 0;
}

static void add_tensor(struct tn_model *model, struct tn_bytes name,
                       const struct tn_elements *elements,
                       struct tn_source *source, struct tn_error *error)
{
    struct tn_tensor *row = tn_model_add_tensor(model, error);

    if (!row)
        return;
    row->role  = TN_ROLE_VARIABLE;
    row->name  = tn_intern_copy(&model->names, name, error);
    row->graph = row->node = row->part = TN_NONE;
    row->slot                          = (uint32_t)(model->tensors.count - 1);
    row->elements                      = *elements;
    row->wire = (struct tn_span){ source, 0, source->size };
}

static enum tn_status npy_open(struct tn_bundle *bundle, struct tn_model *model,
                               struct tn_error *error)
{
    struct tn_bytes    name = tn_text(bundle->name);
    struct tn_elements elements;

    if (!bundle->main)
        return tn_error_set(error, TN_MALFORMED, TN_NOWHERE,
                            "this is a folder, not an array");
    TN_TRY(tn_npz_array(bundle, &model->arena, bundle->main, &elements, error));
    if (is_member(name))
        name.size -= strlen(TN_NPZ_MEMBER);
    add_tensor(model, name, &elements, bundle->main, error);
    return error->status;
}

/* ---- many --------------------------------------------------------------- */

/* An empty zip may be of any format; only its name can tell. */
static bool is_empty_npz(const struct tn_probe *probe)
{
    return probe->size == END_SIZE && probe->head.size == END_SIZE &&
           memcmp(probe->head.data, "PK\5\6", 4) == 0 &&
           tn_text_ends_with(probe->name, ".npz");
}

/* The first entry is an array, or the directory lists one. */
static int npz_probe(const struct tn_probe *probe)
{
    struct tn_bytes head = probe->head, tail = probe->tail;

    if (!probe->entries && is_empty_npz(probe))
        return NPZ_BITS / 2;
    if (probe->entries || head.size < LOCAL_SIZE ||
        memcmp(head.data, "PK\3\4", 4) != 0)
        return 0;
    size_t size = (size_t)head.data[26] | (size_t)head.data[27] << 8;
    if (size <= head.size - LOCAL_SIZE &&
        is_member(tn_bytes(head.data + LOCAL_SIZE, size)))
        return NPZ_BITS;
    for (size_t i = 0; i + RECORD_SIZE < tail.size; i++) {
        if (memcmp(tail.data + i, "PK\1\2", 4) != 0)
            continue;
        size = (size_t)tail.data[i + 28] | (size_t)tail.data[i + 29] << 8;
        if (size <= tail.size - i - RECORD_SIZE &&
            is_member(tn_bytes(tail.data + i + RECORD_SIZE, size)))
            return NPZ_BITS / 2;
    }
    return 0;
}

static enum tn_status open_zip(struct tn_zip *zip, struct tn_bundle *bundle,
                               struct tn_report *report, struct tn_error *error)
{
    struct tn_zip_options how = { .is_foreign = true,
                                  .has_keys   = true,
                                  .report     = report };

    if (!bundle->main)
        return tn_error_set(error, TN_MALFORMED, TN_NOWHERE,
                            "this is a folder, not an npz file");
    how.max_total = tn_expand_most(bundle->max_expand, bundle->main->size);
    return tn_zip_open(zip, bundle->main, bundle->memory, &how, error);
}

/* The array in an entry; its source is the bundle's. */
static enum tn_status read_entry(struct tn_bundle *bundle,
                                 struct tn_arena *arena, struct tn_zip *zip,
                                 const struct tn_zip_entry *entry,
                                 struct tn_source         **source,
                                 struct tn_elements        *elements,
                                 struct tn_error           *error)
{
    if (tn_zip_source(zip, entry, source, error) == TN_OK &&
        tn_bundle_keep(bundle, *source, error) == TN_OK)
        tn_npz_array(bundle, arena, *source, elements, error);
    if (tn_failed(error) && !error->file[0]) /* else its source has reported
                                                it */
        tn_zip_where(entry, error);
    return error->status;
}

static enum tn_status add_entry(struct tn_bundle *bundle,
                                struct tn_model *model, struct tn_zip *zip,
                                const struct tn_zip_entry *entry,
                                struct tn_error           *error)
{
    struct tn_source  *source;
    struct tn_elements elements;
    struct tn_bytes    name = entry->name;

    TN_TRY(read_entry(bundle, &model->arena, zip, entry, &source, &elements,
                      error));
    name.size -= strlen(TN_NPZ_MEMBER);
    /* For a stored entry, users want the place in the file. */
    if (entry->method == TN_ZIP_STORED &&
        elements.payload.span.source == source) {
        elements.payload.span.source = zip->source;
        elements.payload.span.offset += entry->data_offset;
    }
    add_tensor(model, name, &elements, source, error);
    return error->status;
}

/* One more entry that is left behind when the model is converted. */
static void leave_out(struct tn_model *model, struct tn_npz_left *left,
                      struct tn_bytes name, struct tn_error *error)
{
    if (left->count++ == 0)
        left->first = tn_bytes_dup(&model->arena, name, error);
}

/* An array that is not read here is reported, and the others are kept. */
static void leave_array_out(struct tn_model      *model,
                            struct tn_npz_detail *detail, struct tn_bytes name,
                            const struct tn_error *why, struct tn_error *error)
{
    name.size -= strlen(TN_NPZ_MEMBER);
    leave_out(model, &detail->unread, name, error);
    tn_model_add_fact_format(model, error, "unread_array", "%.*s: %s",
                             TN_FMT(name), why->what);
}

static void add_entries(struct tn_bundle *bundle, struct tn_model *model,
                        struct tn_zip *zip, struct tn_error *error)
{
    struct tn_npz_detail *detail =
        tn_new(&model->arena, struct tn_npz_detail, 1, error);
    struct tn_error first  = TN_ERROR_INIT;
    uint64_t        packed = 0;

    model->detail = detail;
    for (uint64_t i = 0; i < tn_zip_count(zip) && !tn_failed(error); i++) {
        const struct tn_zip_entry *entry = tn_zip_at(zip, i);
        struct tn_error            own   = TN_ERROR_INIT;
        if (is_folder(entry))
            continue;
        if (!is_member(entry->name)) {
            leave_out(model, &detail->others, entry->name, error);
            continue;
        }
        packed += entry->method != TN_ZIP_STORED;
        if (add_entry(bundle, model, zip, entry, &own) == TN_UNSUPPORTED) {
            if (!tn_failed(&first))
                first = own;
            leave_array_out(model, detail, entry->name, &own, error);
        } else if (tn_failed(&own)) {
            *error = own;
        }
    }
    if (tn_failed(error))
        return;
    if (tn_failed(&first) && !model->tensors.count) {
        *error = first; /* only the reason can be shown */
        return;
    }
    if (packed)
        tn_model_add_fact_format(model, error, "deflated", "%" PRIu64, packed);
    if (detail->others.count)
        tn_model_add_fact_format(model, error, "other_entries", "%" PRIu64,
                                 detail->others.count);
}

static enum tn_status npz_open(struct tn_bundle *bundle, struct tn_model *model,
                               struct tn_error *error)
{
    struct tn_zip zip;

    if (open_zip(&zip, bundle, NULL, error) == TN_OK)
        add_entries(bundle, model, &zip, error);
    if (bundle->main)
        tn_zip_close(&zip);
    return error->status;
}

/* ---- what is not written ------------------------------------------------- */

static void lose(const struct tn_write_options *options,
                 const struct tn_npz_left *left, const char *one,
                 const char *many)
{
    struct tn_bytes name = left->first;
    char            text[256];

    if (!left->count)
        return;
    name.size = name.size < NAME_SIZE ? name.size : NAME_SIZE;
    snprintf(text, sizeof text, "left behind: %" PRIu64 " %s, %s'%.*s'",
             left->count, left->count == 1 ? one : many,
             left->count == 1 ? "" : "such as ", TN_FMT(name));
    tn_lose(options, TN_NOWHERE, "", text);
}

enum tn_status tn_npz_report_rest(const struct tn_model         *model,
                                  const struct tn_write_options *options,
                                  bool is_bare, struct tn_error *error)
{
    const struct tn_npz_detail *detail = model->detail;

    (void)is_bare;
    if (!detail)
        return error->status;
    lose(options, &detail->unread, "array that is not read here",
         "arrays that are not read here");
    lose(options, &detail->others, "entry that is not an array",
         "entries that are not arrays");
    return error->status;
}

/* ---- checking ----------------------------------------------------------- */

static void check_entry(struct tn_bundle *bundle, struct tn_arena *arena,
                        struct tn_zip *zip, const struct tn_zip_entry *entry,
                        struct tn_report *report, struct tn_error *error)
{
    struct tn_error    own = TN_ERROR_INIT;
    struct tn_source  *source;
    struct tn_elements elements;

    if (is_folder(entry))
        return;
    if (!is_member(entry->name)) {
        own.status = TN_UNSUPPORTED;
        own.offset = entry->offset;
        tn_zip_where(entry, &own);
        tn_report_format(report, TN_LEVEL_WARNING, "not-an-array", "",
                         entry->offset, own.where,
                         "an entry that is not an array");
        return;
    }
    if (read_entry(bundle, arena, zip, entry, &source, &elements, &own) ==
        TN_OK)
        return;
    if (tn_machine_failed(&own))
        *error = own;
    else if (own.status == TN_UNSUPPORTED)
        tn_report_add(report, TN_LEVEL_ERROR, "unsupported-array", &own);
    else
        tn_report_add(report, TN_LEVEL_ERROR, "bad-array", &own);
}

static enum tn_status npz_check(struct tn_bundle *bundle,
                                struct tn_report *report,
                                struct tn_error  *error)
{
    struct tn_zip   zip;
    struct tn_arena arena;

    tn_arena_init(&arena, bundle->memory);
    if (open_zip(&zip, bundle, report, error) == TN_OK) {
        for (uint64_t i = 0; i < tn_zip_count(&zip) && !tn_failed(error); i++)
            check_entry(bundle, &arena, &zip, tn_zip_at(&zip, i), report,
                        error);
        if (!tn_failed(error) && !report->skip_data)
            tn_zip_verify(&zip, report->workers, report, error);
    }
    if (bundle->main)
        tn_zip_close(&zip);
    tn_arena_done(&arena);
    return error->status;
}

static enum tn_status npy_check(struct tn_bundle *bundle,
                                struct tn_report *report,
                                struct tn_error  *error)
{
    struct tn_elements elements;
    struct tn_arena    arena;

    (void)report; /* the one problem it can have is the error */
    tn_arena_init(&arena, bundle->memory);
    if (bundle->main)
        tn_npz_array(bundle, &arena, bundle->main, &elements, error);
    tn_arena_done(&arena);
    return error->status;
}

static const struct tn_format_setting *const settings[] = {
    &tn_setting_all_tensors,
    &tn_setting_names,
    NULL,
};

const struct tn_format tn_format_npz = {
    .name        = "npz",
    .title       = "NumPy arrays",
    .dialect     = "",
    .suffixes    = (const char *const[]){ ".npz", NULL },
    .probe       = npz_probe,
    .open        = npz_open,
    .check_bytes = npz_check,
    .report_rest = tn_npz_report_rest,
    .settings    = settings,
    .write       = tn_npz_write,
};

const struct tn_format tn_format_npy = {
    .name        = "npy",
    .title       = "NumPy array",
    .dialect     = "",
    .suffixes    = (const char *const[]){ ".npy", NULL },
    .probe       = npy_probe,
    .open        = npy_open,
    .check_bytes = npy_check,
};
