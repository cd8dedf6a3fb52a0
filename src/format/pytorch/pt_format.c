/*
 * pt_format.c - the format pytorch: what torch.save() and torch.jit.save() write
 *
 * Nothing in the pickle is imported or called.  Tensors keep their views of
 * storages: what is shared in the file is shared in the model.
 */
#include <inttypes.h>
#include <stdio.h>

#include "format/pytorch/pt.h"
#include "format/settings.h"

#define STREAM_BITS 120 /* fifteen bytes of magic */
#define ZIP_BITS    72  /* a zip, and the name of the pickle */

#define LOCAL_SIZE  30 /* of a zip's local header, before the name */
#define RECORD_SIZE 46 /* the same of a record in its directory */

/* ---- recognising --------------------------------------------------------- */

/* Entries that only these archives have; one folder, then a name. */
static bool is_member(struct tn_bytes name)
{
    static const char *const ends[] = { "/data.pkl", "/.format_version",
                                        "/.storage_alignment",
                                        "/.data/serialization_id" };

    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (tn_bytes_ends_with(name, ends[i]) && name.size > strlen(ends[i]) &&
            !memchr(name.data, '/', name.size - strlen(ends[i])))
            return true;
    return false;
}

static struct tn_bytes name_at(struct tn_bytes bytes, size_t at, size_t header,
                               size_t length_at)
{
    size_t size = (size_t)bytes.data[at + length_at] |
                  (size_t)bytes.data[at + length_at + 1] << 8;

    return size <= bytes.size - at - header
               ? tn_bytes(bytes.data + at + header, size)
               : tn_bytes(NULL, 0);
}

static int pt_probe(const struct tn_probe *probe)
{
    struct tn_bytes head = probe->head, tail = probe->tail;

    if (probe->entries)
        return 0;
    if (tn_pt_is_stream(head))
        return STREAM_BITS;
    if (head.size < LOCAL_SIZE || memcmp(head.data, "PK\3\4", 4) != 0)
        return 0;
    if (is_member(name_at(head, 0, LOCAL_SIZE, 26)))
        return ZIP_BITS;
    for (size_t i = 0; i + RECORD_SIZE < tail.size; i++)
        if (memcmp(tail.data + i, "PK\1\2", 4) == 0 &&
            is_member(name_at(tail, i, RECORD_SIZE, 28)))
            return ZIP_BITS;
    return 0;
}

/* ---- opening ------------------------------------------------------------- */

static enum tn_status read_file(struct tn_pt_file *file,
                                struct tn_bundle  *bundle,
                                struct tn_report  *report)
{
    struct tn_error *error = file->tree.error;
    uint8_t          head[TN_PT_STREAM_HEAD];

    if (!bundle->main)
        return tn_error_set(error, TN_MALFORMED, TN_NOWHERE,
                            "this is a folder, not a file of PyTorch");
    if (bundle->main->size < sizeof head)
        return tn_error_set(error, TN_TRUNCATED, bundle->main->size,
                            "too short for a file of PyTorch");
    TN_TRY(tn_source_read(bundle->main, 0, head, sizeof head, error));
    return tn_pt_is_stream(tn_bytes(head, sizeof head))
               ? tn_pt_stream_read(file, bundle->main, report)
               : tn_pt_zip_read(file, bundle, bundle->main, report);
}

static void add_tensor(struct tn_model *model, struct tn_bundle *bundle,
                       const struct tn_pt_file   *file,
                       const struct tn_pt_tensor *t, struct tn_error *error)
{
    struct tn_elements elements;

    if (tn_pt_elements(file, t, bundle, &model->arena, &elements, error) !=
        TN_OK)
        return;
    struct tn_tensor *row = tn_model_add_tensor(model, error);
    if (!row)
        return;
    row->role  = t->role;
    row->name  = tn_intern_copy(&model->names, t->name, error);
    row->graph = row->node = row->part = TN_NONE;
    row->slot                          = (uint32_t)(model->tensors.count - 1);
    row->elements                      = elements;
}

static void add_shared(struct tn_model *model, const struct tn_pt_tree *tree,
                       struct tn_error *error)
{
    uint64_t used = 0, dense = 0, empty = 0;

    for (uint64_t i = 0; i < tree->storages.count; i++)
        used += tn_pt_storage_at(tree, i)->is_used;
    for (uint64_t i = 0; i < tree->tensors.count; i++) {
        const struct tn_pt_tensor *t =
            tn_list_at(&tree->tensors, struct tn_pt_tensor, i);
        dense += t->storage != TN_NONE;
        empty += t->kind == TN_PT_WITHOUT_DATA;
    }
    tn_model_add_fact_format(model, error, "storages", "%" PRIu64,
                             tree->storages.count);
    if (dense > used)
        tn_model_add_fact_format(model, error, "sharing_tensors", "%" PRIu64,
                                 dense - used);
    if (empty)
        tn_model_add_fact_format(model, error, "without_data", "%" PRIu64,
                                 empty);
}

static void add_classes(struct tn_model *model, const struct tn_pt_tree *tree,
                        struct tn_error *error)
{
    for (uint32_t i = 0; i < tn_intern_count(&tree->classes); i++)
        tn_model_add_fact(model, "class",
                          tn_bytes_dup(&model->arena,
                                       tn_intern_text(&tree->classes, i),
                                       error),
                          error);
}

static void add_facts(struct tn_model *model, const struct tn_pt_file *file,
                      struct tn_error *error)
{
    static const char *const names[] = { "zip", "TorchScript",
                                         "stream of pickles" };

    tn_model_add_fact(model, "container", tn_text(names[file->kind]), error);
    if (file->version.data)
        tn_model_add_fact(model, "version",
                          tn_bytes_dup(&model->arena, file->version, error),
                          error);
    if (file->byte_order.data)
        tn_model_add_fact(model, "byte_order",
                          tn_bytes_dup(&model->arena, file->byte_order, error),
                          error);
    add_shared(model, &file->tree, error);
    if (file->code_count)
        tn_model_add_fact_format(model, error, "code_files", "%" PRIu64,
                                 file->code_count);
    if (file->extra_count)
        tn_model_add_fact_format(model, error, "extra_files", "%" PRIu64,
                                 file->extra_count);
    if (file->tree.other_count)
        tn_model_add_fact_format(model, error, "other_values", "%" PRIu64,
                                 file->tree.other_count);
    add_classes(model, &file->tree, error);
}

static enum tn_status fill_model(struct tn_model         *model,
                                 struct tn_bundle        *bundle,
                                 const struct tn_pt_file *file,
                                 struct tn_error         *error)
{
    struct tn_pt_detail *detail =
        tn_new(&model->arena, struct tn_pt_detail, 1, error);

    add_facts(model, file, error);
    for (uint64_t i = 0; i < file->tree.tensors.count && !tn_failed(error); i++)
        add_tensor(model, bundle, file,
                   tn_list_at(&file->tree.tensors, struct tn_pt_tensor, i),
                   error);
    if (!detail)
        return error->status;
    detail->source      = bundle->main;
    detail->other_count = file->tree.other_count;
    detail->code_count  = file->code_count;
    detail->first_other =
        tn_bytes_dup(&model->arena, file->tree.first_other.name, error);
    model->detail = detail;
    return error->status;
}

static enum tn_status pt_open(struct tn_bundle *bundle, struct tn_model *model,
                              struct tn_error *error)
{
    struct tn_pt_file file = { .kind = TN_PT_ZIP };
    struct tn_arena   arena; /* for the values of the pickle */

    tn_arena_init(&arena, bundle->memory);
    tn_pt_tree_init(&file.tree, &arena, error);
    if (read_file(&file, bundle, NULL) == TN_OK)
        fill_model(model, bundle, &file, error);
    tn_pt_tree_done(&file.tree);
    tn_arena_done(&arena);
    return error->status;
}

/* ---- checking ------------------------------------------------------------ */

static void report_unused(const struct tn_pt_tree *tree,
                          struct tn_report        *report)
{
    for (uint64_t i = 0; i < tree->storages.count; i++) {
        const struct tn_pt_storage *storage = tn_pt_storage_at(tree, i);
        if (!storage->is_used)
            tn_report_format(report, TN_LEVEL_NOTE, "unused-storage", "",
                             storage->offset, "",
                             "no tensor uses storage '%.*s' of %" PRIu64
                             " elements",
                             TN_FMT(storage->key), storage->count);
    }
}

static void check_tensor(struct tn_bundle *bundle, struct tn_arena *arena,
                         const struct tn_pt_file   *file,
                         const struct tn_pt_tensor *t, struct tn_report *report,
                         struct tn_error *error)
{
    struct tn_error    own = TN_ERROR_INIT;
    struct tn_elements elements;

    if (tn_pt_elements(file, t, bundle, arena, &elements, &own) != TN_OK) {
        if (tn_machine_failed(&own))
            *error = own;
        else
            tn_report_add(report, TN_LEVEL_ERROR, "bad-tensor", &own);
    }
    if (t->is_conjugate)
        tn_report_format(report, TN_LEVEL_WARNING, "conjugate", "", t->offset,
                         "",
                         "'%.*s' is marked as conjugate: elements are shown as "
                         "they are stored",
                         TN_FMT(t->name));
    if (t->kind == TN_PT_WITHOUT_DATA)
        tn_report_format(report, TN_LEVEL_NOTE, "without-data", "", t->offset,
                         "", "'%.*s' has a shape and no elements",
                         TN_FMT(t->name));
}

static enum tn_status pt_check(struct tn_bundle *bundle,
                               struct tn_report *report, struct tn_error *error)
{
    struct tn_pt_file file = { .kind = TN_PT_ZIP };
    struct tn_arena   arena;

    tn_arena_init(&arena, bundle->memory);
    tn_pt_tree_init(&file.tree, &arena, error);
    if (read_file(&file, bundle, report) == TN_OK) {
        for (uint64_t i = 0; i < file.tree.tensors.count && !tn_failed(error);
             i++)
            check_tensor(
                bundle, &arena, &file,
                tn_list_at(&file.tree.tensors, struct tn_pt_tensor, i), report,
                error);
        report_unused(&file.tree, report);
    }
    tn_pt_tree_done(&file.tree);
    tn_arena_done(&arena);
    return error->status;
}

/* ---- what other formats cannot hold -------------------------------------- */

enum tn_status tn_pt_report_rest(const struct tn_model         *model,
                                 const struct tn_write_options *options,
                                 bool is_bare, struct tn_error *error)
{
    const struct tn_pt_detail *detail = model->detail;
    char                       text[256];

    (void)is_bare;
    if (!detail || !options->loss)
        return error->status;
    if (detail->other_count) {
        snprintf(text, sizeof text,
                 "%" PRIu64 " values that are not tensors, such as '%.*s'",
                 detail->other_count, TN_FMT(detail->first_other));
        options->loss(options->loss_context, TN_NOWHERE, "", text);
    }
    if (detail->code_count) {
        snprintf(text, sizeof text, "the code of %" PRIu64 " modules",
                 detail->code_count);
        options->loss(options->loss_context, TN_NOWHERE, "", text);
    }
    return error->status;
}

static const struct tn_format_setting *const settings[] = {
    &tn_setting_all_tensors,
    NULL,
};

const struct tn_format tn_format_pytorch = {
    .name        = "pytorch",
    .title       = "PyTorch file",
    .dialect     = "",
    .suffixes    = (const char *const[]){ ".pt", ".pth", ".bin", ".ckpt", NULL },
    .probe       = pt_probe,
    .open        = pt_open,
    .check_bytes = pt_check,
    .report_rest = tn_pt_report_rest,
    .settings    = settings,
    .write       = tn_pt_write,
};
