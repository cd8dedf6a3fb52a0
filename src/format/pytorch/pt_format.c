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
#include "format/weight_map.h"

#define STREAM_BITS 120 /* fifteen bytes of magic */
#define ZIP_BITS    72  /* a zip, and the name of the pickle */
#define PICKLE_BITS 20  /* a pickle that names PyTorch, or numpy: Paddle has
                           more to say about those that are its own */
#define TAR_BITS    64  /* a tar, and the name of a member   */
#define INDEX_BITS  80  /* JSON with a key and a file name   */

#define LOCAL_SIZE  30 /* of a zip's local header, before the name */
#define RECORD_SIZE 46 /* the same of a record in its directory */

/* ---- recognising --------------------------------------------------------- */

static bool is_in_folder(struct tn_bytes name, const char *end)
{
    return tn_bytes_ends_with(name, end) && name.size > strlen(end) &&
           !memchr(name.data, '/', name.size - strlen(end));
}

/* Entries that only these archives have; one folder, then a name.  Only the
 * first entry and the end of the directory are seen, and the pickle is in
 * neither if there are many storages: any of those is enough. */
static bool is_member(struct tn_bytes name)
{
    static const char *const ends[] = { "/data.pkl", "/.format_version",
                                        "/.storage_alignment",
                                        "/.data/serialization_id",
                                        "/constants.pkl" };
    size_t                   size   = name.size;

    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (is_in_folder(name, ends[i]))
            return true;
    while (size && name.data[size - 1] >= '0' && name.data[size - 1] <= '9')
        size--;
    return size < name.size &&
           is_in_folder(tn_bytes(name.data, size), "/data/");
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

/* The index of several files; that of safetensors has other names in it. */
static bool is_index(struct tn_bytes head)
{
    size_t at = 0;

    while (at < head.size && memchr(" \t\r\n", head.data[at], 4))
        at++;
    return at < head.size && head.data[at] == '{' &&
           tn_bytes_contains(head, tn_text("\"weight_map\"")) &&
           !tn_bytes_contains(head, tn_text(".safetensors\"")) &&
           (tn_bytes_contains(head, tn_text(".bin\"")) ||
            tn_bytes_contains(head, tn_text(".pt\"")) ||
            tn_bytes_contains(head, tn_text(".pth\"")));
}

/* Files beside an index are its shards. */
static bool is_part_of(const char *name, const char *other)
{
    static const char *const suffixes[] = { ".bin", ".pt", ".pth" };

    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        char index[32];
        snprintf(index, sizeof index, "%s.index.json", suffixes[i]);
        if (tn_text_ends_with(name, suffixes[i]) &&
            tn_text_ends_with(other, index))
            return true;
    }
    return false;
}

static int pt_probe(const struct tn_probe *probe)
{
    struct tn_bytes head = probe->head, tail = probe->tail;

    if (probe->entries)
        return 0;
    if (is_index(head))
        return INDEX_BITS;
    if (tn_pt_is_stream(head))
        return STREAM_BITS;
    if (tn_pt_is_pickle(head))
        return PICKLE_BITS;
    if (tn_pt_is_tar(head))
        return TAR_BITS;
    if (head.size < LOCAL_SIZE || memcmp(head.data, "PK\3\4", 4) != 0)
        return 0;
    struct tn_bytes first = name_at(head, 0, LOCAL_SIZE, 26);
    if (is_in_folder(first, "/archive_format"))
        return 0; /* of torch.export.save(): JSON, and no pickle */
    if (is_member(first))
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
                                struct tn_source  *source,
                                struct tn_report  *report)
{
    struct tn_error *error = file->tree.error;
    uint8_t          head[TN_PT_STREAM_HEAD];

    if (source->size < sizeof head)
        return tn_error_set(error, TN_TRUNCATED, source->size,
                            "too short for a file of PyTorch");
    TN_TRY(tn_source_read(source, 0, head, sizeof head, error));
    if (tn_pt_is_stream(tn_bytes(head, sizeof head)))
        TN_TRY(tn_pt_stream_read(file, source, report));
    else if (tn_pt_begins_pickle(tn_bytes(head, sizeof head)))
        TN_TRY(tn_pt_pickle_read(file, source, report));
    else if (head[0] != 'P')
        TN_TRY(tn_pt_tar_read(file, source));
    else
        TN_TRY(tn_pt_zip_read(file, bundle, source, report));
    tn_pt_tree_list_storages(&file->tree);
    return error->status;
}

static void add_tensor(struct tn_model *model, struct tn_bundle *bundle,
                       const struct tn_pt_file   *file,
                       const struct tn_pt_tensor *t, bool is_shard,
                       struct tn_error *error)
{
    struct tn_elements elements;

    if (tn_pt_elements(file, t, bundle, &model->arena, &elements, error) !=
        TN_OK)
        return;
    struct tn_tensor *row = tn_model_add_tensor(model, error);
    if (!row)
        return;
    row->role        = t->role;
    row->is_external = is_shard;
    row->name        = tn_intern_copy(&model->names, t->name, error);
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
                      bool is_shard, struct tn_error *error)
{
    static const char *const names[] = { "zip", "TorchScript",
                                         "stream of pickles", "pickle", "tar" };

    tn_model_add_fact(model, "container", tn_text(names[file->kind]), error);
    if (file->version.data)
        tn_model_add_fact(model, "container_version",
                          tn_bytes_dup(&model->arena, file->version, error),
                          error);
    if (file->byte_order.data)
        tn_model_add_fact(model, "byte_order",
                          tn_bytes_dup(&model->arena, file->byte_order, error),
                          error);
    if (file->unread.size)
        tn_model_add_fact(model, "unread",
                          tn_bytes_dup(&model->arena, file->unread, error),
                          error);
    if (!is_shard)
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

/* Adds what only this file has to what the others have. */
static void add_detail(struct tn_model *model, const struct tn_pt_file *file,
                       struct tn_error *error)
{
    struct tn_pt_detail *detail = (struct tn_pt_detail *)model->detail;

    if (detail->other_count == 0)
        detail->first_other =
            tn_bytes_dup(&model->arena, file->tree.first_other.name, error);
    detail->other_count += file->tree.other_count;
    for (uint64_t i = 0; i < file->tree.tensors.count; i++)
        detail->empty_count +=
            tn_list_at(&file->tree.tensors, struct tn_pt_tensor, i)->kind ==
            TN_PT_WITHOUT_DATA;
    detail->code_count += file->code_count;
    detail->is_pickle = file->kind == TN_PT_PICKLE;
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
    if (t->kind == TN_PT_WITHOUT_DATA)
        tn_report_format(report, TN_LEVEL_NOTE, "without-data", "", t->offset,
                         "", "'%.*s' has a shape and no elements",
                         TN_FMT(t->name));
}

/* ---- one file, or an index and its files --------------------------------- */

/* The files of a model, for open() and check(). */
struct tour {
    struct tn_bundle    *bundle;
    struct tn_model     *model;  /* NULL: check                               */
    struct tn_report    *report; /* NULL: open                                */
    struct tn_error     *error;
    struct tn_arena      arena; /* of the index                               */
    struct tn_weight_map index;
    struct tn_intern     names;    /* of the index                            */
    bool                *is_found; /* by id of the name                       */
    uint64_t             file_count;
};

/* A finding, or without a report the end. */
static void complain(struct tour *t, enum tn_finding_level level,
                     const char *rule, const char *file, struct tn_bytes name,
                     const char *what)
{
    if (t->report)
        tn_report_format(t->report, level, rule, file, TN_NOWHERE, "",
                         "'%.*s' %s", TN_FMT(name), what);
    else if (level == TN_LEVEL_ERROR && !tn_failed(t->error)) {
        tn_error_set(t->error, TN_MALFORMED, TN_NOWHERE, "'%.*s' %s",
                     TN_FMT(name), what);
        tn_error_file(t->error, file);
    }
}

static void match_names(struct tour *t, const struct tn_pt_tree *tree,
                        const char *file)
{
    for (uint64_t i = 0; i < tree->tensors.count && !tn_failed(t->error); i++) {
        struct tn_bytes name =
            tn_list_at(&tree->tensors, struct tn_pt_tensor, i)->name;
        uint32_t id = tn_intern_find(&t->names, name);
        if (id == TN_NO_NAME)
            complain(t, TN_LEVEL_WARNING, "stray-tensor", file, name,
                     "is not in the index");
        else if (!tn_bytes_is(tn_list_at(&t->index.places,
                                         struct tn_weight_place, id)
                                  ->file,
                              file))
            complain(t, TN_LEVEL_ERROR, "misplaced-tensor", file, name,
                     "is in another file by the index");
        else
            t->is_found[id] = true;
    }
}

static void take_file(struct tour *t, const struct tn_pt_file *file,
                      struct tn_arena *arena, bool is_shard)
{
    const struct tn_pt_tree *tree = &file->tree;

    if (t->model && t->file_count == 0)
        add_facts(t->model, file, is_shard, t->error);
    for (uint64_t i = 0; i < tree->tensors.count && !tn_failed(t->error); i++) {
        const struct tn_pt_tensor *row =
            tn_list_at(&tree->tensors, struct tn_pt_tensor, i);
        if (t->model)
            add_tensor(t->model, t->bundle, file, row, is_shard, t->error);
        else
            check_tensor(t->bundle, arena, file, row, t->report, t->error);
    }
    if (t->model)
        add_detail(t->model, file, t->error);
    else
        report_unused(tree, t->report);
    t->file_count++;
}

static enum tn_status visit_file(struct tour *t, struct tn_source *source,
                                 bool is_shard)
{
    struct tn_pt_file file = { .kind = TN_PT_ZIP };
    struct tn_arena   arena; /* for the values of the pickle */

    tn_arena_init(&arena, t->bundle->memory);
    tn_pt_tree_init(&file.tree, &arena, t->error);
    file.tree.bundle = t->bundle;
    if (read_file(&file, t->bundle, source, t->report) == TN_OK) {
        if (is_shard)
            match_names(t, &file.tree, source->name);
        take_file(t, &file, &arena, is_shard);
    }
    tn_pt_tree_done(&file.tree);
    tn_arena_done(&arena);
    return t->error->status;
}

/* A file that the index names.  When one is bad, a report still wants the
 * others. */
static void visit_shard(struct tour *t, struct tn_bytes name)
{
    struct tn_error   own = TN_ERROR_INIT, *kept = t->error;
    struct tn_source *source;
    const char       *rule = "bad-shard";

    if (tn_bundle_sibling(t->bundle, name, &source, &own) != TN_OK) {
        tn_error_where(&own, "weight_map");
        rule = "missing-shard";
    } else {
        t->error = &own;
        visit_file(t, source, true);
        t->error = kept;
        if (tn_failed(&own))
            tn_error_file(&own, source->name);
    }
    if (!tn_failed(&own))
        return;
    if (t->report && !tn_machine_failed(&own))
        tn_report_add(t->report, TN_LEVEL_ERROR, rule, &own);
    else
        *t->error = own;
}

static void visit_shards(struct tour *t)
{
    uint64_t         count = t->index.places.count;
    struct tn_intern files;

    t->is_found = tn_new(&t->arena, bool, count, t->error);
    if (!t->is_found)
        return;
    for (uint64_t i = 0; i < count; i++)
        tn_intern_borrow(
            &t->names,
            tn_list_at(&t->index.places, struct tn_weight_place, i)->name,
            t->error);
    tn_intern_init(&files, &t->arena);
    for (uint64_t i = 0; i < count && !tn_failed(t->error); i++) {
        uint32_t        known = tn_intern_count(&files);
        struct tn_bytes file =
            tn_list_at(&t->index.places, struct tn_weight_place, i)->file;
        if (tn_intern_borrow(&files, file, t->error) == known)
            visit_shard(t, file);
    }
    tn_intern_done(&files);
    for (uint64_t i = 0; i < count && !tn_failed(t->error); i++)
        if (!t->is_found[i])
            complain(t, TN_LEVEL_ERROR, "missing-tensor",
                     t->bundle->main->name,
                     tn_intern_text(&t->names, (uint32_t)i),
                     "is in none of the files");
    if (t->model && !tn_failed(t->error))
        tn_model_add_fact_format(t->model, t->error, "shards", "%" PRIu64,
                                 t->file_count);
}

static enum tn_status visit_all(struct tour *t)
{
    struct tn_source *source = t->bundle->main;
    uint8_t           head[4096];

    if (!source)
        return tn_error_set(t->error, TN_MALFORMED, TN_NOWHERE,
                            "this is a folder, not a file of PyTorch");
    size_t size = (size_t)(source->size < sizeof head ? source->size
                                                      : sizeof head);
    TN_TRY(tn_source_read(source, 0, head, size, t->error));
    if (!is_index(tn_bytes(head, size)))
        return visit_file(t, source, false);
    tn_arena_init(&t->arena, t->bundle->memory);
    tn_intern_init(&t->names, &t->arena);
    tn_weight_map_init(&t->index, t->bundle->memory);
    if (tn_weight_map_read(&t->index, source, &t->arena, t->error) == TN_OK)
        visit_shards(t);
    if (t->model && t->model->detail)
        ((struct tn_pt_detail *)t->model->detail)->source = NULL;
    tn_weight_map_done(&t->index);
    tn_intern_done(&t->names);
    tn_arena_done(&t->arena);
    return t->error->status;
}

static enum tn_status pt_open(struct tn_bundle *bundle, struct tn_model *model,
                              struct tn_error *error)
{
    struct tour t = { .bundle = bundle, .model = model, .error = error };
    struct tn_pt_detail *detail =
        tn_new(&model->arena, struct tn_pt_detail, 1, error);

    if (!detail)
        return error->status;
    detail->source = bundle->main;
    model->detail  = detail;
    return visit_all(&t);
}

static enum tn_status pt_check(struct tn_bundle *bundle,
                               struct tn_report *report, struct tn_error *error)
{
    struct tour t = { .bundle = bundle, .report = report, .error = error };

    return visit_all(&t);
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
        bool is_named = detail->first_other.size > 0;
        snprintf(text, sizeof text, "left behind: %" PRIu64 " value%s%s%.*s%s",
                 detail->other_count,
                 detail->other_count == 1 ? " that is not a tensor"
                                          : "s that are not tensors",
                 is_named ? ", such as '" : "", TN_FMT(detail->first_other),
                 is_named ? "'" : "");
        options->loss(options->loss_context, TN_NOWHERE, "", text);
    }
    if (detail->empty_count) {
        snprintf(text, sizeof text,
                 "%" PRIu64 " tensors of the device meta, which have no "
                 "elements: zeros are written for them",
                 detail->empty_count);
        options->loss(options->loss_context, TN_NOWHERE, "", text);
    }
    if (detail->code_count) {
        snprintf(text, sizeof text,
                 "left behind: the code of %" PRIu64 " module%s",
                 detail->code_count, detail->code_count == 1 ? "" : "s");
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
    .is_part_of  = is_part_of,
    .open        = pt_open,
    .check_bytes = pt_check,
    .report_rest = tn_pt_report_rest,
    .settings    = settings,
    .write       = tn_pt_write,
};
