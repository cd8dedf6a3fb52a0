/*
 * st_format.c - the format safetensors: bare tensors, in one file or several
 *
 * NAME.safetensors alone, NAME.safetensors.index.json with the files that it
 * names, or a folder with either.
 */
#include <inttypes.h>

#include "format/safetensors/st.h"
#include "format/settings.h"
#include "ir/changes.h"

/* A length below 2^32, then the first two bytes of a JSON object. */
#define FILE_BITS  48
#define INDEX_BITS 80

/* Files beside an index are its shards, or the same weights in one file. */
static bool is_part_of(const char *name, const char *other)
{
    return tn_text_ends_with(name, TN_ST_SUFFIX) &&
           tn_text_ends_with(other, TN_ST_INDEX_SUFFIX);
}

static size_t skip_space(struct tn_bytes text, size_t at)
{
    while (at < text.size && memchr(" \t\r\n", text.data[at], 4))
        at++;
    return at;
}

static int st_probe(const struct tn_probe *probe)
{
    struct tn_bytes head = probe->head;

    if (probe->entries)
        return 0;
    size_t at = skip_space(head, 0);
    if (at < head.size && head.data[at] == '{')
        return tn_bytes_contains(head, tn_text("\"weight_map\"")) ? INDEX_BITS
                                                                  : 0;
    if (head.size < 10 || head.data[8] != '{')
        return 0;
    for (unsigned i = 4; i < 8; i++)
        if (head.data[i])
            return 0;
    at = skip_space(head, 9);
    return at < head.size && (head.data[at] == '"' || head.data[at] == '}')
               ? FILE_BITS
               : 0;
}

/* ---- opening ------------------------------------------------------------ */

static void add_tensor(struct tn_model *model, const struct tn_st_file *file,
                       const struct tn_st_tensor *t, bool is_shard,
                       struct tn_error *error)
{
    struct tn_tensor *row  = tn_model_add_tensor(model, error);
    struct tn_span    span = { file->source, file->data + t->begin,
                               t->end - t->begin };

    if (!row)
        return;
    row->role  = TN_ROLE_VARIABLE;
    row->name  = tn_intern_borrow(&model->names, t->name, error);
    row->graph = row->node = row->part = TN_NONE;
    row->slot                          = (uint32_t)(model->tensors.count - 1);
    row->is_external                   = is_shard;
    row->wire                          = t->wire;
    row->elements.shape = (struct tn_shape){ t->type->dtype, t->rank, t->dims };
    row->elements.payload =
        tn_payload_raw(&row->elements.shape, span, t->type->bits < 8 ? 2 : 1);
}

/* Each key once: the first file that has it is believed. */
static void add_metadata(struct tn_model          *model,
                         const struct tn_st_files *files,
                         struct tn_st_detail *detail, struct tn_error *error)
{
    struct tn_st_pair *pairs;
    uint64_t           room = 0;
    struct tn_intern   keys;

    for (uint64_t i = 0; i < files->files.count; i++)
        room += tn_list_at(&files->files, struct tn_st_file, i)->metadata.count;
    pairs = tn_new(&model->arena, struct tn_st_pair, room, error);
    if (!pairs)
        return;
    tn_intern_init(&keys, &model->arena);
    for (uint64_t i = 0; i < files->files.count; i++) {
        const struct tn_list *list =
            &tn_list_at(&files->files, struct tn_st_file, i)->metadata;
        for (uint64_t k = 0; k < list->count && !tn_failed(error); k++) {
            struct tn_st_pair *pair  = tn_list_at(list, struct tn_st_pair, k);
            uint32_t           known = tn_intern_count(&keys);
            if (tn_intern_borrow(&keys, pair->key, error) == known)
                pairs[detail->metadata_count++] = *pair;
        }
    }
    tn_intern_done(&keys);
    detail->metadata = pairs;
}

static void fill(struct tn_model *model, const struct tn_st_files *files,
                 struct tn_error *error)
{
    struct tn_st_detail *detail =
        tn_new(&model->arena, struct tn_st_detail, 1, error);

    if (!detail)
        return;
    model->detail = detail;
    add_metadata(model, files, detail, error);
    if (files->has_index)
        tn_model_add_fact_format(model, error, "shards", "%" PRIu64,
                                 files->files.count);
    for (uint64_t i = 0; i < detail->metadata_count; i++)
        tn_model_add_fact_format(model, error, "metadata", "%.*s=%.*s",
                                 TN_FMT(detail->metadata[i].key),
                                 TN_FMT(detail->metadata[i].value));
    for (uint64_t i = 0; i < files->files.count; i++) {
        const struct tn_st_file *file =
            tn_list_at(&files->files, struct tn_st_file, i);
        for (uint64_t k = 0; k < file->tensors.count && !tn_failed(error); k++)
            add_tensor(model, file,
                       tn_list_at(&file->tensors, struct tn_st_tensor, k),
                       files->has_index, error);
    }
}

static enum tn_status st_open(struct tn_bundle *bundle, struct tn_model *model,
                              struct tn_error *error)
{
    struct tn_st_files files;

    if (tn_st_files_open(&files, bundle, &model->arena, NULL, error) == TN_OK)
        fill(model, &files, error);
    tn_st_files_close(&files);
    return error->status;
}

static enum tn_status st_check_bytes(struct tn_bundle *bundle,
                                     struct tn_report *report,
                                     struct tn_error  *error)
{
    struct tn_st_files files;
    struct tn_arena    arena;

    tn_arena_init(&arena, bundle->memory);
    tn_st_files_open(&files, bundle, &arena, report, error);
    tn_st_files_close(&files);
    tn_arena_done(&arena);
    return error->status;
}

static void describe(const struct tn_model *model, struct tn_about *about)
{
    const struct tn_st_detail *detail = model->detail;

    for (uint64_t i = 0; detail && i < detail->metadata_count; i++)
        tn_about_add(about, detail->metadata[i].key, detail->metadata[i].value);
}

static const struct tn_format_setting *const settings[] = {
    &tn_setting_shard_size,
    &tn_setting_all_tensors,
    &tn_setting_names,
    NULL,
};

const struct tn_format tn_format_safetensors = {
    .name     = "safetensors",
    .title    = "safetensors",
    .dialect  = "",
    .suffixes = (const char *const[]){ TN_ST_SUFFIX, TN_ST_INDEX_SUFFIX, NULL },
    .probe    = st_probe,
    .open     = st_open,
    .is_part_of  = is_part_of,
    .check_bytes = st_check_bytes,
    .describe    = describe,
    .has_about   = true,
    .texts       = 1u << TN_TEXT_METADATA,
    .settings    = settings,
    .write       = tn_st_write,
};
