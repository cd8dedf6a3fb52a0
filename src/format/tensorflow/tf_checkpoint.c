/*
 * tf_checkpoint.c - the format tf-checkpoint: a table of tensors on its own
 *
 * PREFIX.index with its data files, one file of the old version, or a folder
 * with such files.  In a folder the text file `checkpoint` says which is the
 * newest:  model_checkpoint_path: "model.ckpt-1000"
 */
#include "base/bisect.h"
#include "format/tensorflow/tf.h"
#include "format/settings.h"
#include "format/tensorflow/tf_bundle.h"
#include "format/tensorflow/tf_object_graph.h"
#include "wire/sstable/sstable.h"

/* ---- a table that the bundle owns --------------------------------------- */

/* Looks like a source, so that it is closed with the bundle. */
struct holder {
    struct tn_source    source;
    struct tn_tf_bundle table;
};

static void holder_close(struct tn_source *source)
{
    struct holder    *holder = (struct holder *)source;
    struct tn_memory *memory = source->memory;

    tn_tf_bundle_close(&holder->table);
    tn_memory_free(memory, holder, sizeof *holder);
}

static enum tn_status holder_read(struct tn_source *source, uint64_t offset,
                                  void *to, size_t size, struct tn_error *error)
{
    (void)source;
    (void)to;
    return tn_error_set(error, TN_INVALID, offset, "no %zu bytes here", size);
}

static const struct tn_source_ops holder_ops = { holder_read, holder_close };

enum tn_status tn_tf_table_open(struct tn_tf_bundle **table,
                                struct tn_bundle *bundle, const char *prefix,
                                struct tn_error *error)
{
    struct holder *holder =
        tn_memory_resize(bundle->memory, NULL, 0, sizeof *holder, error);

    if (!holder)
        return error->status;
    *holder = (struct holder){
        .source = { .ops = &holder_ops, .name = "", .memory = bundle->memory },
    };
    if (tn_tf_bundle_open(&holder->table, bundle, prefix, error) != TN_OK) {
        tn_memory_free(bundle->memory, holder, sizeof *holder);
        return error->status;
    }
    tn_arena_init(&holder->source.pins, bundle->memory);
    *table = &holder->table;
    return tn_bundle_keep(bundle, &holder->source, error);
}

/* ---- its tensors in a model --------------------------------------------- */

bool tn_tf_is_state_key(struct tn_bytes key)
{
    return tn_bytes_is(key, TN_TF_OBJECT_GRAPH_KEY) ||
           tn_bytes_contains(key, tn_text("/.OPTIMIZER_SLOT/")) ||
           tn_bytes_starts_with(key, "keras_api/metrics/") ||
           tn_bytes_starts_with(key, "save_counter/") ||
           tn_bytes_starts_with(key, "optimizer/") ||
           tn_bytes_starts_with(key, "_optimizer/");
}

enum tn_status tn_tf_table_tensors(struct tn_model           *model,
                                   const struct tn_tf_bundle *table,
                                   struct tn_error           *error)
{
    for (uint64_t i = 0; i < tn_tf_bundle_count(table); i++) {
        const struct tn_tf_bundle_entry *entry = tn_tf_bundle_entry(table, i);
        struct tn_tensor *tensor = tn_model_add_tensor(model, error);
        if (!tensor)
            return error->status;
        tensor->name = tn_intern_borrow(&model->names, entry->key, error);
        tensor->slot = (uint32_t)i;
        tensor->role =
            tn_tf_is_state_key(entry->key) ? TN_ROLE_STATE : TN_ROLE_VARIABLE;
        tensor->is_external = table->version == 2;
        tensor->elements    = entry->elements;
        tensor->wire        = (struct tn_span){ table->index, entry->place, 0 };
    }
    return error->status;
}

struct tn_tensor *tn_tf_find_entry(const struct tn_model *model, uint64_t first,
                                   struct tn_bytes key)
{
    struct tn_tensor *rows = model->tensors.items;
    uint64_t          at;

    /* A table is in the order of its keys. */
    TN_BISECT(at, first, model->tensors.count,
              tn_bytes_compare(tn_model_name(model, rows[at].name), key) < 0);
    return at < model->tensors.count &&
                   tn_bytes_equal(tn_model_name(model, rows[at].name), key)
               ? &rows[at]
               : NULL;
}

void tn_tf_table_facts(struct tn_model *model, const struct tn_tf_bundle *table,
                       struct tn_error *error)
{
    tn_model_add_fact_format(model, error, "checkpoint_version", "%" PRIu32,
                             table->version);
    if (table->version == 2)
        tn_model_add_fact_format(model, error, "shards", "%" PRIu32,
                                 table->shard_count);
    if (table->is_big_endian)
        tn_model_add_fact(model, "byte_order", tn_text("big-endian"), error);
}

/* ---- on its own --------------------------------------------------------- */

static bool is_index_name(const char *name, size_t *prefix_size)
{
    size_t size = strlen(name);

    if (size <= 6 || strcmp(name + size - 6, ".index") != 0)
        return false;
    *prefix_size = size - 6;
    return true;
}

/* The first string of the state file: what model_checkpoint_path says, since
 * it comes first; empty when there is none. */
static struct tn_bytes newest_of(struct tn_bytes text)
{
    static const char word[] = "model_checkpoint_path";
    struct tn_bytes   name   = { NULL, 0 };
    size_t            at     = 0;

    while (at + sizeof word <= text.size &&
           memcmp(text.data + at, word, sizeof word - 1) != 0)
        at++;
    while (at < text.size && text.data[at] != '"' && text.data[at] != '\n')
        at++;
    if (at >= text.size || text.data[at] != '"')
        return name;
    name.data = text.data + ++at;
    while (at < text.size && text.data[at] != '"' && text.data[at] != '\n')
        at++;
    name.size = (size_t)(text.data + at - name.data);
    return name;
}

#define STATE_LIMIT (UINT64_C(1) << 20)

static struct tn_bytes read_state(struct tn_source *source,
                                  struct tn_error  *error)
{
    size_t size =
        (size_t)(source->size < STATE_LIMIT ? source->size : STATE_LIMIT);

    return newest_of(tn_bytes(tn_source_pin(source, 0, size, error), size));
}

/* Which checkpoint of a folder: the one that `checkpoint` names, or the only
 * one. */
static enum tn_status choose(struct tn_bundle *bundle, const char **prefix,
                             struct tn_error *error)
{
    struct tn_source  *state;
    const char *const *names;
    uint64_t           count;
    size_t             size, found_size = 0;
    const char        *found = NULL;

    if (tn_bundle_has(bundle, "checkpoint")) {
        TN_TRY(tn_bundle_sibling(bundle, tn_text("checkpoint"), &state, error));
        struct tn_bytes newest = read_state(state, error);
        if (tn_failed(error))
            return error->status;
        if (newest.size && *newest.data != '/') {
            *prefix =
                (const char *)tn_bytes_dup(&bundle->arena, newest, error).data;
            return error->status;
        }
    }
    TN_TRY(tn_bundle_list(bundle, "", &names, &count, error));
    for (uint64_t i = 0; i < count; i++) {
        if (!is_index_name(names[i], &size))
            continue;
        if (found)
            return tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE,
                                "several checkpoints: open %s or %s", found,
                                names[i]);
        found      = names[i];
        found_size = size;
    }
    if (!found)
        return tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE,
                            "no checkpoint in this folder");
    *prefix =
        tn_text_format(&bundle->arena, error, "%.*s", (int)found_size, found);
    return error->status;
}

/* A state file or a shard opened in place of the table. */
static enum tn_status refuse_side_file(struct tn_bundle *bundle,
                                       struct tn_error  *error)
{
    const char *shard = strstr(bundle->name, ".data-");

    if (tn_tf_is_shard_name(bundle->name))
        return tn_error_because(error, TN_INVALID, TN_REASON_NOT_A_MODEL,
                                TN_NOWHERE,
                                "a data file of a checkpoint: open %.*s.index",
                                (int)(shard - bundle->name), bundle->name);
    struct tn_bytes newest = read_state(bundle->main, error);
    if (tn_failed(error))
        return error->status;
    return tn_error_because(error, TN_INVALID, TN_REASON_NOT_A_MODEL,
                            TN_NOWHERE,
                            "this only names the newest checkpoint: open "
                            "%.*s.index",
                            TN_FMT(newest));
}

static bool is_table(struct tn_source *source, struct tn_error *error)
{
    uint8_t tail[8];

    return source->size >= TN_SSTABLE_FOOTER_SIZE &&
           tn_source_read(source, source->size - 8, tail, 8, error) == TN_OK &&
           memcmp(tail, tn_sstable_magic, 8) == 0;
}

static bool is_side_file(struct tn_bundle *bundle, struct tn_error *error)
{
    if (is_table(bundle->main, error) || tn_failed(error))
        return false;
    return tn_tf_is_shard_name(bundle->name) ||
           read_state(bundle->main, error).size > 0;
}

static enum tn_status checkpoint_open(struct tn_bundle *bundle,
                                      struct tn_model  *model,
                                      struct tn_error  *error)
{
    const char          *prefix = NULL;
    struct tn_tf_bundle *table;
    struct tn_tf_detail *detail =
        tn_new(&model->arena, struct tn_tf_detail, 1, error);

    if (!detail)
        return error->status;
    if (!bundle->main)
        TN_TRY(choose(bundle, &prefix, error));
    else if (is_side_file(bundle, error))
        return refuse_side_file(bundle, error);
    TN_TRY(tn_tf_table_open(&table, bundle, prefix, error));
    detail->bundle     = bundle;
    detail->prefix     = table->prefix;
    detail->table      = table;
    detail->model_file = "";
    model->detail      = detail;
    model->find_alias  = tn_tf_find_alias;
    tn_tf_table_facts(model, table, error);
    return tn_tf_table_tensors(model, table, error);
}

static const struct tn_format_setting *const settings[] = {
    &tn_setting_shard_size,
    NULL,
};

const struct tn_format tn_format_tf_checkpoint = {
    .name     = "tf-checkpoint",
    .title    = "TensorFlow checkpoint",
    .dialect  = "",
    .suffixes = (const char *const[]){ ".index", ".ckpt", NULL },
    .probe    = tn_tf_probe_checkpoint,
    .open     = checkpoint_open,
    .check    = tn_tf_check_checkpoint,
    .settings = settings,
    .write    = tn_tf_write_checkpoint,
};
