/*
 * gguf_format.c - the format GGUF: the models of llama.cpp and ggml
 *
 * A set of tensors with metadata, in one file or in shards.  Blocks of quantised
 * elements are payloads of their own encoding (ir/blocks.h).
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/arith.h"
#include "format/gguf/gguf.h"
#include "format/settings.h"
#include "ir/changes.h"
#include "ir/blocks.h"

/* A magic of four bytes, and a version that exists. */
#define MAGIC_BITS   32
#define VERSION_BITS 64

static int gguf_probe(const struct tn_probe *probe)
{
    struct tn_bytes head = probe->head;

    if (probe->entries || head.size < 4 ||
        memcmp(head.data, TN_GGUF_MAGIC, 4) != 0)
        return 0;
    if (head.size < 8)
        return MAGIC_BITS;
    uint32_t version = tn_load32(head.data + 4);
    if ((version & 0xffff) == 0)
        version = __builtin_bswap32(version);
    return version >= 1 && version <= TN_GGUF_VERSION ? VERSION_BITS
                                                      : MAGIC_BITS;
}

/* A shard after the first is a part of that one. */
static bool is_part_of(const char *name, const char *other)
{
    struct tn_bytes prefix, first;
    unsigned        number, count, one, same;

    return tn_gguf_shard_name(name, &prefix, &number, &count) && number > 1 &&
           tn_gguf_shard_name(other, &first, &one, &same) && one == 1 &&
           same == count && tn_bytes_equal(prefix, first);
}

/* ---- opening ------------------------------------------------------------ */

static void add_tensor(struct tn_model *model, const struct tn_gguf_file *file,
                       const struct tn_gguf_tensor *t, bool is_shard,
                       struct tn_error *error)
{
    struct tn_tensor *row  = tn_model_add_tensor(model, error);
    struct tn_span    span = { file->source, file->data + t->offset, t->size };
    uint64_t         *dims =
        tn_new(&model->arena, uint64_t, t->shape.rank, error);

    if (!row || tn_failed(error))
        return;
    if (t->shape.rank)
        memcpy(dims, t->dims, t->shape.rank * sizeof *dims);
    if (!t->size) /* its place may be past the end */
        span.offset = tn_min(file->data, file->source->size);
    row->role  = TN_ROLE_VARIABLE;
    row->name  = tn_intern_borrow(&model->names, t->name, error);
    row->graph = row->node = row->part = TN_NONE;
    row->slot                          = (uint32_t)(model->tensors.count - 1);
    row->is_external                   = is_shard;
    row->wire                          = t->wire;
    row->elements.shape = (struct tn_shape){ t->type->dtype, t->shape.rank,
                                             dims };
    if (t->type->kind < TN_BLOCK_COUNT) {
        row->elements.payload = tn_payload_blocks(
            &row->elements.shape, span, t->type->kind, file->is_big);
    } else {
        row->elements.payload = tn_payload_raw(&row->elements.shape, span, 1);
        if (file->is_big)
            row->elements.payload.encoding = TN_ENCODING_RAW_BIG;
    }
}

/* "q4_K 217, f32 65": how many tensors there are of each type. */
static void add_types(struct tn_model *model, const struct tn_gguf_files *files,
                      struct tn_error *error)
{
    uint64_t         counts[64] = { 0 };
    struct tn_buffer text;

    for (uint64_t i = 0; i < files->files.count; i++) {
        const struct tn_list *list =
            &tn_list_at(&files->files, struct tn_gguf_file, i)->tensors;
        for (uint64_t k = 0; k < list->count; k++)
            counts[tn_list_at(list, struct tn_gguf_tensor, k)->type -
                   tn_gguf_type(0)]++;
    }
    tn_buffer_init(&text, model->memory, error);
    for (;;) {
        unsigned most = 0;
        for (unsigned i = 1; i < 64; i++)
            most = counts[i] > counts[most] ? i : most;
        if (!counts[most])
            break;
        tn_buffer_format(&text, "%s%s %" PRIu64, text.size ? ", " : "",
                         tn_gguf_type(most)->name, counts[most]);
        counts[most] = 0;
    }
    if (text.size)
        tn_model_add_fact_format(model, error, "types", "%.*s",
                                 TN_FMT(tn_buffer_bytes(&text)));
    tn_buffer_done(&text);
}

/* A key of the file as the key of a fact, which ends with a zero. */
static void add_pair(struct tn_model *model, const struct tn_gguf_file *file,
                     const struct tn_gguf_pair *pair, struct tn_error *error)
{
    struct tn_buffer text;
    char *key = tn_new(&model->arena, char, pair->key.size + 1, error);

    if (!key)
        return;
    if (pair->key.size)
        memcpy(key, pair->key.data, pair->key.size);
    tn_buffer_init(&text, model->memory, error);
    tn_gguf_show_value(&text, file, pair, model->memory, error);
    if (!tn_failed(error))
        tn_model_add_fact(
            model, key,
            tn_bytes_dup(&model->arena, tn_buffer_bytes(&text), error), error);
    tn_buffer_done(&text);
}

static void add_facts(struct tn_model *model, const struct tn_gguf_files *files,
                      struct tn_error *error)
{
    const struct tn_gguf_file *first =
        tn_list_at(&files->files, struct tn_gguf_file, 0);

    tn_model_add_fact_format(model, error, "version", "%" PRIu32,
                             first->version);
    if (first->is_big)
        tn_model_add_fact(model, "byte_order", tn_text("big-endian"), error);
    if (files->files.count > 1)
        tn_model_add_fact_format(model, error, "shards", "%" PRIu64,
                                 files->files.count);
    add_types(model, files, error);
    for (uint64_t i = 0; i < first->pairs.count && !tn_failed(error); i++) {
        const struct tn_gguf_pair *pair =
            tn_list_at(&first->pairs, struct tn_gguf_pair, i);
        if (files->files.count == 1 || !tn_gguf_is_split_key(pair->key))
            add_pair(model, first, pair, error);
    }
}

/* Keeps the parsed headers, for writing. */
static void keep_files(struct tn_model *model, const struct tn_gguf_files *files,
                       struct tn_error *error)
{
    struct tn_gguf_detail *detail =
        tn_new(&model->arena, struct tn_gguf_detail, 1, error);
    struct tn_gguf_file *copies =
        tn_new(&model->arena, struct tn_gguf_file, files->files.count, error);

    if (!detail || !copies)
        return;
    *detail = (struct tn_gguf_detail){ copies, files->files.count,
                                       model->memory };
    for (uint64_t i = 0; i < files->files.count && !tn_failed(error); i++) {
        struct tn_gguf_file *file =
            tn_list_at(&files->files, struct tn_gguf_file, i);
        copies[i]             = *file;
        copies[i].pairs.items = tn_list_keep(
            &file->pairs, struct tn_gguf_pair, &model->arena, error);
        copies[i].tensors.items = NULL;
        copies[i].tensors.count = 0;
    }
    model->detail = detail;
}

static void fill(struct tn_model *model, const struct tn_gguf_files *files,
                 struct tn_error *error)
{
    if (files->files.count == 0) {
        tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE, "no shard was found");
        return;
    }
    keep_files(model, files, error);
    add_facts(model, files, error);
    for (uint64_t i = 0; i < files->files.count; i++) {
        const struct tn_gguf_file *file =
            tn_list_at(&files->files, struct tn_gguf_file, i);
        for (uint64_t k = 0; k < file->tensors.count && !tn_failed(error); k++)
            add_tensor(model, file,
                       tn_list_at(&file->tensors, struct tn_gguf_tensor, k),
                       files->files.count > 1, error);
    }
}

static enum tn_status gguf_open(struct tn_bundle *bundle,
                                struct tn_model *model, struct tn_error *error)
{
    struct tn_gguf_files files;

    if (tn_gguf_files_open(&files, bundle, NULL, model->is_lax, error) == TN_OK)
        fill(model, &files, error);
    tn_gguf_files_close(&files);
    return error->status;
}

/* ---- checking ----------------------------------------------------------- */

static enum tn_status gguf_check_bytes(struct tn_bundle *bundle,
                                       struct tn_report *report,
                                       struct tn_error  *error)
{
    struct tn_gguf_files files;

    tn_gguf_files_open(&files, bundle, report, false, error);
    tn_gguf_files_close(&files);
    return error->status;
}

/* ---- writing ------------------------------------------------------------ */

static const struct tn_format_setting quantize = {
    .says  = { .name  = "quantize",
               .kind  = TN_OPTION_CHOICE,
               .value = "q8_0|q4_0|q4_1|q5_0|q5_1|f16|bf16|f32",
               .help  = "type of matrices" },
    .field = TN_WRITE_FIELD(quantize),
};

static const struct tn_format_setting byte_order = {
    .says  = { .name  = "byte-order",
               .kind  = TN_OPTION_CHOICE,
               .value = "little|big",
               .help  = "default: as in FILE, or little" },
    .field = TN_WRITE_FIELD(byte_order),
};

static const struct tn_format_setting version = {
    .says  = { .name  = "gguf-version",
               .kind  = TN_OPTION_CHOICE,
               .value = "2|3",
               .help  = "default: as in FILE, or 3" },
    .field = TN_WRITE_FIELD(gguf_version),
};

static const struct tn_format_setting alignment = {
    .says  = { .name  = "alignment",
               .kind  = TN_OPTION_SIZE,
               .value = "SIZE",
               .help  = "of tensors; default: as in FILE, or 32" },
    .field = TN_WRITE_FIELD(alignment),
};

static const struct tn_format_setting *const settings[] = {
    &quantize,
    &tn_setting_names,
    &tn_setting_shard_size,
    &tn_setting_all_tensors,
    &byte_order,
    &version,
    &alignment,
    NULL,
};

const struct tn_format tn_format_gguf = {
    .name        = "gguf",
    .title       = "GGUF",
    .dialect     = "",
    .suffixes    = (const char *const[]){ TN_GGUF_SUFFIX, NULL },
    .probe       = gguf_probe,
    .open        = gguf_open,
    .is_part_of  = is_part_of,
    .check_bytes = gguf_check_bytes,
    .check       = tn_gguf_check,
    .describe    = tn_gguf_describe,
    .has_about   = true,
    .report_rest = tn_gguf_report_rest,
    .texts       = 1u << TN_TEXT_METADATA,
    .settings    = settings,
    .dump        = tn_gguf_dump,
    .head        = tn_gguf_head,
    .write       = tn_gguf_write,
};
