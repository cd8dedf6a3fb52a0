/*
 * sdz_format.c - the format sdz: a zip of SDNB files
 *
 * Of the entries that lie in no folder and begin with SDNB: if it is one, that;
 * else model.sdnb, else model, else the shards of one model.  Other files may
 * be bundled and are not part of the model.
 */
#include "format/samediff/sd_check.h"
#include "base/byte_view.h"
#include "base/expand.h"
#include "format/samediff/sdnb.h"
#include "format/settings.h"
#include "ir/changes.h"
#include "wire/zip/zip.h"

/* ---- looking ------------------------------------------------------------ */

bool tn_sdz_is_model(struct tn_bytes name)
{
    struct tn_sdnb_shard shard;

    return tn_bytes_is(name, "model") || tn_bytes_is(name, "model.sdnb") ||
           tn_sdnb_shard_name(name, &shard);
}

/* A name after a header of `skip` bytes; its size is at `size_at`. */
static struct tn_bytes name_at(struct tn_bytes bytes, size_t at, size_t size_at,
                               size_t skip)
{
    if (bytes.size < skip || at > bytes.size - skip)
        return tn_bytes(NULL, 0);
    size_t size = (size_t)bytes.data[at + size_at] |
                  (size_t)bytes.data[at + size_at + 1] << 8;
    if (size > bytes.size - skip - at)
        return tn_bytes(NULL, 0);
    return tn_bytes(bytes.data + at + skip, size);
}

/* Records of the directory, as far as the end of the file shows them. */
static bool lists_model(struct tn_bytes tail)
{
    for (size_t i = 0; i + 4 <= tail.size; i++)
        if (!memcmp(tail.data + i, "PK\1\2", 4) &&
            tn_sdz_is_model(name_at(tail, i, 28, 46)))
            return true;
    return false;
}

/* The first entry, if it is stored, can be read without the directory. */
static bool begins_with_sdnb(struct tn_bytes head)
{
    struct tn_bytes name = name_at(head, 0, 26, 30);
    size_t          extra;

    if (!name.data || head.data[8] != 0)
        return false;
    extra     = (size_t)head.data[28] | (size_t)head.data[29] << 8;
    size_t at = 30 + name.size + extra;
    return head.size >= 4 && at <= head.size - 4 &&
           !memcmp(head.data + at, TN_SDNB_MAGIC, 4);
}

static int sdz_probe(const struct tn_probe *probe)
{
    struct tn_bytes head = probe->head;

    if (probe->entries || head.size < 30 || memcmp(head.data, "PK\3\4", 4))
        return 0;
    if (begins_with_sdnb(head))
        return 40;
    return tn_sdz_is_model(name_at(head, 0, 26, 30)) || lists_model(probe->tail)
               ? 33
               : 0;
}

/* ---- where bytes really are --------------------------------------------- */

/* A stored entry is a range of the zip: its bytes are found there, so that the
 * kernel can copy them and holes stay holes. */
struct home {
    struct tn_source *entry, *zip;
    uint64_t          begin;
};

static void move_span(const struct tn_list *homes, struct tn_span *span)
{
    for (uint64_t i = 0; i < homes->count; i++) {
        const struct home *home = tn_list_at(homes, struct home, i);
        if (span->source != home->entry)
            continue;
        span->source = home->zip;
        span->offset += home->begin;
        return;
    }
}

static void move_tensors(struct tn_model *model, const struct tn_list *homes)
{
    for (uint64_t i = 0; i < model->tensors.count; i++) {
        struct tn_payload *payload =
            &tn_list_at(&model->tensors, struct tn_tensor, i)->elements.payload;
        move_span(homes, &payload->span);
        if (payload->encoding == TN_ENCODING_VIEW) /* made by sd_array.c */
            move_span(homes,
                      &((struct tn_elements *)(uintptr_t)payload->view->inputs)
                           ->payload.span);
    }
}

/* ---- choosing entries --------------------------------------------------- */

struct choice {
    struct tn_bundle    *bundle;
    const struct tn_zip *zip;
    struct tn_error     *error;
    struct tn_list       found; /* const struct tn_zip_entry *                */
    struct tn_list      *homes; /* struct home: of those that were taken      */
    bool                *is_taken; /* by number of the entry                  */
    bool                 is_lax;
};

static bool is_root(const struct tn_zip_entry *entry)
{
    return entry->size >= 4 && !tn_bytes_find(entry->name, '/');
}

static void look_at(struct choice *c, const struct tn_zip_entry *entry)
{
    struct tn_source *source = NULL;
    uint8_t           magic[4];

    if (!is_root(entry) ||
        tn_zip_source(c->zip, entry, &source, c->error) != TN_OK)
        return;
    if (tn_source_read(source, 0, magic, 4, c->error) != TN_OK)
        tn_zip_where(entry, c->error);
    else if (!memcmp(magic, TN_SDNB_MAGIC, 4)) {
        const struct tn_zip_entry **slot =
            tn_list_push(&c->found, const struct tn_zip_entry *, c->error);
        if (slot)
            *slot = entry;
    }
    tn_source_close(source);
}

static const struct tn_zip_entry *found_at(const struct choice *c, uint64_t i)
{
    return *tn_list_at(&c->found, const struct tn_zip_entry *, i);
}

static const struct tn_zip_entry *find(const struct choice *c, const char *name)
{
    for (uint64_t i = 0; i < c->found.count; i++)
        if (tn_bytes_is(found_at(c, i)->name, name))
            return found_at(c, i);
    return NULL;
}

static enum tn_status take(struct choice *c, const struct tn_zip_entry *entry,
                           struct tn_source **to)
{
    TN_TRY(tn_zip_source(c->zip, entry, to, c->error));
    TN_TRY(tn_bundle_keep(c->bundle, *to, c->error));
    c->is_taken[entry - tn_zip_at(c->zip, 0)] = true;
    if (entry->method != TN_ZIP_STORED)
        return TN_OK;
    struct home *home = tn_list_push(c->homes, struct home, c->error);
    if (home)
        *home = (struct home){ *to, c->zip->source, entry->data_offset };
    return c->error->status;
}

/* All shards of the set that the first one found belongs to. */
static enum tn_status take_shards(struct choice              *c,
                                  const struct tn_sdnb_shard *first,
                                  struct tn_source          **files)
{
    struct tn_sdnb_shard shard;

    for (uint64_t i = 0; i < c->found.count; i++) {
        const struct tn_zip_entry *entry = found_at(c, i);
        if (!tn_sdnb_shard_name(entry->name, &shard))
            continue;
        if (shard.count != first->count ||
            !tn_bytes_equal(shard.base, first->base) || files[shard.index]) {
            tn_error_set(c->error, TN_MALFORMED, entry->record_offset,
                         "a shard of another model, or once more");
            tn_zip_where(entry, c->error);
            return c->error->status;
        }
        TN_TRY(take(c, entry, &files[shard.index]));
    }
    for (uint32_t i = 0; i < first->count; i++)
        if (!files[i] && (i == 0 || !c->is_lax))
            return tn_error_set(c->error, TN_NOT_FOUND, TN_NOWHERE,
                                "shard %" PRIu32 " of %" PRIu32
                                " is not in the zip",
                                i, first->count);
    return TN_OK;
}

static enum tn_status choose(struct choice *c, struct tn_source ***files,
                             uint32_t *count)
{
    const struct tn_zip_entry *one =
        c->found.count == 1 ? found_at(c, 0) : find(c, "model.sdnb");
    struct tn_sdnb_shard shard;
    bool                 is_shard = false;

    if (c->found.count == 0)
        return tn_error_set(c->error, TN_MALFORMED, 0,
                            "no entry of this zip is an SDNB file");
    if (!one)
        one = find(c, "model");
    for (uint64_t i = 0; !one && i < c->found.count && !is_shard; i++)
        is_shard = tn_sdnb_shard_name(found_at(c, i)->name, &shard);
    if (c->found.count == 1)
        is_shard = tn_sdnb_shard_name(one->name, &shard);
    *count = is_shard ? shard.count : 1;
    *files = tn_new(&c->bundle->arena, struct tn_source *, *count, c->error);
    if (!*files)
        return c->error->status;
    if (is_shard)
        return take_shards(c, &shard, *files);
    return take(c, one ? one : found_at(c, 0), &(*files)[0]);
}

/* ---- opening ------------------------------------------------------------ */

static enum tn_status choose_entries(struct choice      *c,
                                     struct tn_source ***files, uint32_t *count)
{
    uint64_t entries = tn_zip_count(c->zip);

    c->is_taken = tn_new(&c->bundle->arena, bool, entries, c->error);
    tn_list_init(&c->found, c->bundle->memory, sizeof(struct tn_zip_entry *));
    for (uint64_t i = 0; i < entries && !tn_failed(c->error); i++)
        look_at(c, tn_zip_at(c->zip, i));
    if (!tn_failed(c->error))
        choose(c, files, count);
    tn_list_done(&c->found);
    return c->error->status;
}

/* Other files are copied when the model is written as SDZ. */
static void add_bundled(const struct choice *c, struct tn_model *model,
                        struct tn_sd_names *beside)
{
    uint64_t         count = tn_zip_count(c->zip);
    struct tn_bytes *names =
        tn_new(&model->arena, struct tn_bytes, count, c->error);

    beside->items = names;
    for (uint64_t i = 0; i < count && !tn_failed(c->error); i++) {
        const struct tn_zip_entry *entry = tn_zip_at(c->zip, i);
        if (c->is_taken[i] || tn_zip_is_folder(entry))
            continue;
        names[beside->count++] =
            tn_bytes_dup(&model->arena, entry->name, c->error);
        tn_model_add_fact_format(model, c->error, "bundled", "%.*s",
                                 TN_FMT(entry->name));
    }
}

static enum tn_status read_zip(struct choice *c, struct tn_model *model)
{
    struct tn_source **files = NULL;
    uint32_t           count = 0;

    TN_TRY(choose_entries(c, &files, &count));
    TN_TRY(tn_sdnb_read(model, files, count, c->error));
    struct tn_sd_detail *detail =
        (struct tn_sd_detail *)(uintptr_t)model->detail;
    detail->container = c->bundle->main;
    move_span(c->homes, &detail->file);
    move_tensors(model, c->homes);
    add_bundled(c, model, &detail->beside);
    return c->error->status;
}

static enum tn_status sdz_open(struct tn_bundle *bundle, struct tn_model *model,
                               struct tn_error *error)
{
    struct tn_zip_options how = { .is_foreign = true };
    struct tn_zip         zip;
    struct tn_list        homes;
    struct choice         c = { .bundle = bundle,
                                .zip    = &zip,
                                .error  = error,
                                .homes  = &homes,
                                .is_lax = model->is_lax };

    if (!bundle->main)
        return tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE,
                            "this is a folder, not a zip archive");
    how.max_total = tn_expand_most(bundle->max_expand, bundle->main->size);
    tn_list_init(&homes, bundle->memory, sizeof(struct home));
    if (tn_zip_open(&zip, bundle->main, bundle->memory, &how, error) == TN_OK)
        read_zip(&c, model);
    tn_list_done(&homes);
    tn_zip_close(&zip);
    return error->status;
}

/* Checks the entries against their checksums, also when the model cannot be
 * opened. */
static enum tn_status sdz_check_bytes(struct tn_bundle *bundle,
                                      struct tn_report *report,
                                      struct tn_error  *error)
{
    struct tn_zip_options how = { .is_foreign = true, .report = report };
    struct tn_zip         zip;

    if (!bundle->main)
        return TN_OK;
    how.max_total = tn_expand_most(bundle->max_expand, bundle->main->size);
    if (tn_zip_open(&zip, bundle->main, bundle->memory, &how, error) == TN_OK &&
        !report->skip_data)
        tn_zip_verify(&zip, report->workers, report, error);
    tn_zip_close(&zip);
    return error->status;
}

const struct tn_format tn_format_sdz = {
    .name          = "sdz",
    .title         = "SameDiff SDZ",
    .dialect       = "nd4j",
    .suffixes      = (const char *const[]){ ".sdz", NULL },
    .dialect_ops   = &tn_dialect_nd4j,
    .probe         = sdz_probe,
    .open          = sdz_open,
    .check_bytes   = sdz_check_bytes,
    .check         = tn_sd_check,
    .check_graph   = tn_sd_check_graph,
    .lays_out_anew = true,
    .settings      = tn_sdnb_settings,
    .write         = tn_sdz_write,
    .describe      = tn_sd_describe,
    .report_rest   = tn_sd_report_rest,
    .has_about     = true,
    .texts         = 1u << TN_TEXT_METADATA,
};
