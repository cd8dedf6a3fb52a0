/*
 * st_format.c - the format safetensors: bare tensors, in one file or several
 *
 * NAME.safetensors alone, NAME.safetensors.index.json with the files that it
 * names, or a folder with either.
 */
#include <inttypes.h>

#include "format/safetensors/st.h"
#include "format/safetensors/st_alias.h"
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
    if (at < head.size && head.data[at] == '{') {
        /* An index; PyTorch's files have the same. */
        if (!tn_bytes_contains(head, tn_text("\"weight_map\"")))
            return 0;
        return tn_bytes_contains(head, tn_text(".safetensors\""))
                   ? INDEX_BITS
                   : INDEX_BITS / 2;
    }
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

/* Names of the tensors of a file, by index. */
static void name_tensors(struct tn_intern *names, struct tn_arena *arena,
                         const struct tn_st_file *file, struct tn_error *error)
{
    tn_intern_init(names, arena);
    for (uint64_t i = 0; i < file->tensors.count && !tn_failed(error); i++)
        tn_intern_borrow(
            names, tn_list_at(&file->tensors, struct tn_st_tensor, i)->name,
            error);
}

/* Tensors that the metadata have names for; they are stored under others. */
static uint64_t add_aliases(struct tn_model *model,
                            const struct tn_st_file *file, bool is_shard,
                            struct tn_error *error)
{
    struct tn_list   rows;
    struct tn_intern names;

    tn_list_init(&rows, model->memory, sizeof(struct tn_st_named));
    name_tensors(&names, &model->arena, file, error);
    tn_st_read_aliases(file, &names, &model->arena, &rows, error);
    for (uint64_t i = 0; i < rows.count && !tn_failed(error); i++) {
        const struct tn_st_named *named =
            tn_list_at(&rows, struct tn_st_named, i);
        struct tn_elements elements;
        if (tn_st_alias_elements(named, file, &model->arena, &elements,
                                 error) != TN_OK)
            break;
        struct tn_tensor *row = tn_model_add_tensor(model, error);
        if (!row)
            break;
        row->role  = TN_ROLE_VARIABLE;
        row->name  = tn_intern_borrow(&model->names, named->name, error);
        row->graph = row->node = row->part = TN_NONE;
        row->slot        = (uint32_t)(model->tensors.count - 1);
        row->is_external = is_shard;
        row->elements    = elements;
    }
    uint64_t count = rows.count;
    tn_intern_done(&names);
    tn_list_done(&rows);
    return count;
}

/* Adds each key once: of several files with the same key, the first counts. */
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
        const struct tn_st_file *file =
            tn_list_at(&files->files, struct tn_st_file, i);
        const struct tn_list *list = &file->metadata;
        struct tn_intern      names;
        name_tensors(&names, &model->arena, file, error);
        for (uint64_t k = 0; k < list->count && !tn_failed(error); k++) {
            struct tn_st_pair *pair  = tn_list_at(list, struct tn_st_pair, k);
            uint32_t           known = tn_intern_count(&keys);
            if (!tn_st_is_alias(file, &names, pair) &&
                tn_intern_borrow(&keys, pair->key, error) == known)
                pairs[detail->metadata_count++] = *pair;
        }
        tn_intern_done(&names);
    }
    tn_intern_done(&keys);
    detail->metadata = pairs;
}

static void fill(struct tn_model *model, const struct tn_st_files *files,
                 struct tn_error *error)
{
    struct tn_st_detail *detail =
        tn_new(&model->arena, struct tn_st_detail, 1, error);
    uint64_t aliases = 0;

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
        if (file->metadata.count && !tn_failed(error))
            aliases += add_aliases(model, file, files->has_index, error);
    }
    if (aliases && !tn_failed(error))
        tn_model_add_fact_format(model, error, "aliases", "%" PRIu64, aliases);
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

static void check_aliases(const struct tn_st_file *file,
                          struct tn_memory *memory, struct tn_report *report,
                          struct tn_error *error)
{
    struct tn_error    own = TN_ERROR_INIT;
    struct tn_arena    arena;
    struct tn_list     rows;
    struct tn_intern   names;
    struct tn_elements elements;

    tn_arena_init(&arena, memory);
    tn_list_init(&rows, memory, sizeof(struct tn_st_named));
    name_tensors(&names, &arena, file, &own);
    tn_st_read_aliases(file, &names, &arena, &rows, &own);
    for (uint64_t i = 0; i < rows.count && !tn_failed(&own); i++)
        tn_st_alias_elements(tn_list_at(&rows, struct tn_st_named, i), file,
                             &arena, &elements, &own);
    if (tn_machine_failed(&own)) {
        *error = own;
    } else if (tn_failed(&own)) {
        tn_error_file(&own, file->source->name);
        tn_report_add(report, TN_LEVEL_ERROR, "bad-alias", &own);
    }
    tn_intern_done(&names);
    tn_list_done(&rows);
    tn_arena_done(&arena);
}

static enum tn_status st_check_bytes(struct tn_bundle *bundle,
                                     struct tn_report *report,
                                     struct tn_error  *error)
{
    struct tn_st_files files;
    struct tn_arena    arena;

    tn_arena_init(&arena, bundle->memory);
    if (tn_st_files_open(&files, bundle, &arena, report, error) == TN_OK)
        for (uint64_t i = 0; i < files.files.count && !tn_failed(error); i++)
            check_aliases(tn_list_at(&files.files, struct tn_st_file, i),
                          bundle->memory, report, error);
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
