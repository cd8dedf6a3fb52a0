/*
 * sdnb_write.c - a model as SDNB, in one file or in shards, bare or in a zip
 *
 * Arrays of 1 MiB and more are after the graph, in the order of the variables,
 * row-major; shorter ones are in it. Above 1 GiB (or --shard-size) the data is
 * distributed over shards, largest arrays first, as Deeplearning4j does; a
 * longer array has a shard of its own.
 */
#include "base/arith.h"
#include "base/sort.h"
#include "format/registry.h"
#include "format/samediff/sd_build.h"
#include "format/samediff/sdnb.h"
#include "wire/zip/zip_write.h"

#define INLINE_LIMIT (UINT64_C(1) << 20)
#define SHARD_SIZE   (UINT64_C(1) << 30)
#define OVERHEAD     (UINT64_C(5) << 20)

struct writing {
    struct tn_sd_content content;
    bool     *is_away;   /* by entry                                   */
    uint32_t *shard_of;  /* by entry; of files in shards               */
    bool      is_copied; /* the only file, as it was read             */
};

/* A model as SDNB files: how many, and one after the other on ropes. */
struct writer {
    const struct tn_model         *model;
    const struct tn_write_options *options;
    struct tn_error               *error;
    struct tn_arena                arena;
    struct writing                *all;
    uint32_t                       count; /* of files: 1, or shards           */
};

/* ---- the content -----------------------------------------------------------
 */

static void check_entry(struct writer *w, const struct tn_sd_entry *entry)
{
    const char *why =
        entry->elements ? tn_sd_array_refusal(entry->elements, TN_SD_FORM_PLAIN)
                        : NULL;

    if (!why)
        return;
    tn_error_set(w->error, TN_INVALID, TN_NOWHERE, "%s; samediff-fb does", why);
    tn_error_where(w->error, "%.*s", TN_FMT(entry->name));
}

static uint64_t mark_away(struct writer *w)
{
    struct writing *all   = w->all;
    uint64_t        total = 0;

    for (uint32_t i = 0; i < all->content.count && !tn_failed(w->error); i++) {
        const struct tn_sd_entry entry = tn_sd_content_entry(&all->content, i);
        uint64_t                 size  = tn_sd_entry_size(&entry);
        check_entry(w, &entry);
        all->is_away[i] =
            size >= INLINE_LIMIT && entry.kind != TN_SD_PLACEHOLDER;
        if (!tn_add(total, size, &total))
            tn_error_set(w->error, TN_LIMIT, TN_NOWHERE,
                         "more than 2^64 bytes of data");
    }
    for (uint32_t i = 0; i < all->content.state_count; i++)
        for (uint32_t k = 0; k < all->content.states[i].count; k++) {
            uint64_t size = 0;
            tn_shape_bytes(&all->content.states[i].values[k]->shape, &size);
            if (!tn_add(total, size, &total))
                tn_error_set(w->error, TN_LIMIT, TN_NOWHERE,
                             "more than 2^64 bytes of data");
        }
    return total;
}

/* An entry, and its bytes. */
struct sized_entry {
    uint64_t size;
    uint32_t entry;
    bool     has_data;
};

static bool is_larger(const void *left, const void *right)
{
    const struct sized_entry *a = left, *b = right;

    return a->size != b->size ? a->size > b->size : a->entry < b->entry;
}

static void add_state_sizes(struct writing *all, uint64_t *sizes)
{
    for (uint32_t i = 0; i < all->content.state_count; i++) {
        const struct tn_sd_kept *state = &all->content.states[i];
        uint32_t entry = tn_sd_content_find(&all->content, state->param);
        for (uint32_t k = 0; entry != TN_NONE && k < state->count; k++) {
            uint64_t size = 0;
            tn_shape_bytes(&state->values[k]->shape, &size);
            sizes[entry] += size;
        }
    }
}

static void deal_out(struct writer *w, uint64_t limit)
{
    struct writing *all   = w->all;
    uint32_t        count = all->content.count;
    const void    **order = tn_new(&w->arena, const void *, count, w->error);
    struct sized_entry *sized =
        tn_new(&w->arena, struct sized_entry, count, w->error);
    uint64_t *states = tn_new(&w->arena, uint64_t, count, w->error);
    uint64_t  filled = 0;
    uint32_t  shard  = 1;

    all->shard_of = tn_new(&w->arena, uint32_t, count, w->error);
    if (tn_failed(w->error))
        return;
    add_state_sizes(all, states);
    for (uint32_t i = 0; i < count; i++) {
        const struct tn_sd_entry entry = tn_sd_content_entry(&all->content, i);
        sized[i] = (struct sized_entry){ tn_sd_entry_size(&entry), i,
                                         entry.elements != NULL };
        order[i] = &sized[i];
    }
    tn_sort(order, count, is_larger);
    for (uint32_t i = 0; i < count; i++) {
        const struct sized_entry *next = order[i];
        /* with what an updater keeps of it */
        uint64_t load = next->size + states[next->entry];
        if (!next->has_data)
            continue;
        if (filled && (filled > limit || load > limit - filled)) {
            shard++;
            filled = 0;
        }
        filled += load;
        all->shard_of[next->entry] = shard;
    }
    w->count = shard + 1;
}

/* Without --shard-size, one file stays one file, even if it is too long for
 * Deeplearning4j: its author chose that. */
static void plan_files(struct writer *w)
{
    uint64_t limit =
        w->options->shard_size ? w->options->shard_size : SHARD_SIZE;
    struct tn_sd_part part = { .is_sdnb = true };

    if (tn_sd_content_make(&w->all->content, w->model, 0, w->options, &w->arena,
                           w->error) != TN_OK)
        return;
    tn_sd_build_losses(&w->all->content, &part);
    w->all->is_away = tn_new(&w->arena, bool, w->all->content.count, w->error);
    if (tn_failed(w->error))
        return;
    uint64_t total = mark_away(w);
    w->count       = 1;
    if (!tn_failed(w->error) && total > limit)
        deal_out(w, limit > 2 * OVERHEAD ? limit - OVERHEAD : limit);
}

static enum tn_status writer_init(struct writer                 *w,
                                  const struct tn_model         *model,
                                  const struct tn_write_options *options,
                                  struct tn_error               *error)
{
    *w = (struct writer){
        .model = model, .options = options, .error = error, .count = 1
    };
    tn_arena_init(&w->arena, model->memory);
    w->all = tn_new(&w->arena, struct writing, 1, error);
    if (!w->all)
        return error->status;
    tn_intern_init(&w->all->content.names, &w->arena);
    w->all->is_copied = (tn_sd_is_as_read(model, options, &tn_format_sdnb) ||
                         tn_sd_is_as_read(model, options, &tn_format_sdz)) &&
                        tn_sd_detail_of(model)->file.source;
    if (!w->all->is_copied)
        plan_files(w);
    return error->status;
}

static void writer_done(struct writer *w)
{
    if (w->all)
        tn_sd_content_done(&w->all->content);
    tn_arena_done(&w->arena);
}

/* ---- a file ------------------------------------------------------------- */

static void store_big(uint8_t *to, uint64_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        to[i] = (uint8_t)(value >> 8 * (size - 1 - i));
}

static void put_header(struct tn_rope *to, uint64_t manifest, uint64_t length)
{
    uint8_t head[TN_SDNB_HEADER] = TN_SDNB_MAGIC;

    store_big(head + 4, 1, 4);
    store_big(head + 8, manifest, 8);
    store_big(head + 16, length, 8);
    store_big(head + 24, TN_SDNB_HEADER, 8);
    tn_rope_bytes(to, tn_bytes(head, sizeof head));
}

struct blobs {
    struct tn_rope           rope;
    struct tn_javaser_entry *entries;
    uint64_t                 count;
};

/* The long arrays of the picked entries, from byte `at` on. */
static void put_blobs(struct writer *w, const struct tn_sd_part *part,
                      uint64_t at, struct blobs *to)
{
    const struct tn_sd_content *content = &w->all->content;
    uint32_t count = part->picks ? part->pick_count : content->count;

    to->entries = tn_new(&w->arena, struct tn_javaser_entry, count, w->error);
    for (uint32_t i = 0; to->entries && i < count && !tn_failed(w->error);
         i++) {
        uint32_t                 index = part->picks ? part->picks[i] : i;
        const struct tn_sd_entry entry = tn_sd_content_entry(content, index);
        if (!part->has_data || !w->all->is_away[index])
            continue;
        to->entries[to->count++] = (struct tn_javaser_entry){
            .key    = entry.name,
            .first  = (int64_t)(at + to->rope.length),
            .second = (int64_t)tn_sd_entry_size(&entry),
        };
        tn_sd_rope_elements(&to->rope, entry.elements, w->model->memory);
        ++*w->options->tensors_moved;
    }
}

static void put_file(struct writer *w, const struct tn_sd_part *part,
                     struct tn_rope *to)
{
    struct blobs     blobs = { .entries = NULL };
    struct tn_rope   graph;
    struct tn_buffer manifest;

    tn_rope_init(&graph, &w->arena, w->error);
    tn_rope_init(&blobs.rope, &w->arena, w->error);
    tn_buffer_init(&manifest, w->model->memory, w->error);
    if (tn_sd_build(&w->all->content, part, &graph) == TN_OK)
        put_blobs(w, part, TN_SDNB_HEADER + graph.length, &blobs);
    if (!tn_failed(w->error) &&
        tn_javaser_write(&manifest, blobs.entries, blobs.count) == TN_OK) {
        put_header(to, TN_SDNB_HEADER + graph.length + blobs.rope.length,
                   manifest.size);
        tn_rope_append(to, &graph);
        tn_rope_append(to, &blobs.rope);
        tn_rope_bytes(to, tn_buffer_bytes(&manifest));
    }
    tn_buffer_done(&manifest);
    tn_rope_done(&blobs.rope);
    tn_rope_done(&graph);
}

static uint32_t *pick(struct writer *w, uint32_t shard, uint32_t *count)
{
    const struct tn_sd_content *content = &w->all->content;
    uint32_t *picks = tn_new(&w->arena, uint32_t, content->count, w->error);

    *count = 0;
    for (uint32_t i = 0; picks && i < content->count; i++)
        if (w->all->shard_of[i] == shard)
            picks[(*count)++] = i;
    return picks;
}

static enum tn_status writer_file(struct writer *w, uint32_t index,
                                  struct tn_rope *to)
{
    bool              is_split = w->count > 1;
    struct tn_sd_part part     = {
            .how         = { TN_SD_FORM_PLAIN, 1, NULL },
            .has_graph   = index == 0,
            .has_data    = !is_split || index > 0,
            .has_states  = !is_split || index > 0,
            .is_away     = w->all->is_away,
            .is_sdnb     = true,
            .shard       = index,
            .shard_count = is_split ? w->count : 0,
            .shard_of    = w->all->shard_of,
    };

    if (w->all->is_copied) {
        tn_rope_span(to, tn_sd_detail_of(w->model)->file);
        *w->options->tensors_moved += w->model->tensors.count;
        return w->error->status;
    }
    if (index > 0)
        part.picks = pick(w, index, &part.pick_count);
    if (!tn_failed(w->error))
        put_file(w, &part, to);
    return w->error->status;
}

/* "BASE.shard1-of-3.sdnb", in the arena of the writer. */
static const char *shard_name(struct writer *w, struct tn_bytes base,
                              uint32_t index)
{
    return tn_text_format(&w->arena, w->error,
                          "%.*s.shard%" PRIu32 "-of-%" PRIu32 TN_SDNB_SUFFIX,
                          TN_FMT(base), index, w->count);
}

/* ---- files beside each other -------------------------------------------- */

static enum tn_status write_file(struct writer *w, uint32_t index,
                                 struct tn_sink *sink)
{
    struct tn_rope rope;

    tn_rope_init(&rope, &w->arena, w->error);
    if (writer_file(w, index, &rope) == TN_OK &&
        tn_rope_write(&rope, sink, w->error) == TN_OK && w->options->meter)
        tn_meter_add(w->options->meter, rope.length, w->error);
    tn_rope_done(&rope);
    return w->error->status;
}

/* "model.sdnb" and "model.shard0-of-3.sdnb" are model. */
static struct tn_bytes base_of(const char *name)
{
    struct tn_bytes      base = tn_text(name);
    struct tn_sdnb_shard shard;

    if (tn_sdnb_shard_name(base, &shard))
        return shard.base;
    for (size_t i = base.size; i-- > 1;)
        if (base.data[i] == '.')
            return tn_bytes(base.data, i);
    return base;
}

static enum tn_status write_shards(struct writer *w, struct tn_output *to)
{
    struct tn_bytes base =
        tn_bytes_dup(&w->arena, base_of(tn_output_name(to)), w->error);
    struct tn_sink *sink;
    const char     *name = shard_name(w, base, 0);

    if (!name)
        return w->error->status;
    if (strcmp(name, tn_output_name(to)) != 0)
        TN_TRY(tn_output_call(to, name, w->error));
    for (uint32_t i = 1; i < w->count; i++) {
        name = shard_name(w, base, i);
        if (!name)
            return w->error->status;
        TN_TRY(tn_output_side(to, name, &sink, w->error));
        TN_TRY(write_file(w, i, sink));
    }
    TN_TRY(tn_output_main(to, &sink, w->error));
    return write_file(w, 0, sink);
}

enum tn_status tn_sdnb_write(const struct tn_model         *model,
                             const struct tn_write_options *options,
                             struct tn_output *to, struct tn_error *error)
{
    struct writer   w;
    struct tn_sink *sink;

    tn_sd_lose_all_beside(options, model);
    if (writer_init(&w, model, options, error) == TN_OK) {
        if (w.count > 1)
            write_shards(&w, to);
        else if (tn_output_main(to, &sink, error) == TN_OK)
            write_file(&w, 0, sink);
    }
    writer_done(&w);
    return error->status;
}

/* ---- files in a zip ----------------------------------------------------- */

static void add_entry(struct writer *w, struct tn_zip_writer *zip,
                      uint32_t index)
{
    const char *name =
        w->count > 1 ? shard_name(w, tn_text("model"), index) : "model";
    struct tn_rope rope;

    if (!name)
        return;
    tn_rope_init(&rope, &w->arena, w->error);
    if (writer_file(w, index, &rope) == TN_OK &&
        tn_zip_add(zip, tn_text(name), &rope) == TN_OK && w->options->meter)
        tn_meter_add(w->options->meter, rope.length, w->error);
    tn_rope_done(&rope);
}

static bool is_from_zip(const struct tn_model *model)
{
    return tn_sd_detail_of(model) && tn_is_of_format(model, &tn_format_sdz);
}

static struct tn_source *zip_of(const struct tn_model *model)
{
    return (struct tn_source *)(uintptr_t)tn_sd_detail_of(model)->container;
}

/* Files beside the model in the zip that it was read from. Another model is
 * left out: readers could take it for this one. */
static void add_bundled(struct writer *w, struct tn_zip_writer *to)
{
    static const struct tn_zip_options how = { .is_foreign = true };
    const struct tn_sd_names *beside       = &tn_sd_detail_of(w->model)->beside;
    struct tn_zip             from;

    tn_zip_open(&from, zip_of(w->model), w->model->memory, &how, w->error);
    for (uint32_t i = 0; i < beside->count && !tn_failed(w->error); i++) {
        struct tn_bytes            name  = beside->items[i];
        const struct tn_zip_entry *entry = tn_zip_find(&from, name);
        if (tn_sdz_is_model(name))
            tn_sd_lose_beside(w->options, name);
        else if (entry)
            tn_zip_copy(to, name, &from, entry);
    }
    tn_zip_close(&from);
}

static void write_zip(struct writer *w, struct tn_sink *sink)
{
    struct tn_zip_writer zip;

    tn_zip_writer_init(&zip, sink, w->model->memory, w->error);
    for (uint32_t i = 0; i < w->count && !tn_failed(w->error); i++)
        add_entry(w, &zip, i);
    if (is_from_zip(w->model) && !tn_failed(w->error))
        add_bundled(w, &zip);
    if (!tn_failed(w->error))
        tn_zip_finish(&zip);
    tn_zip_writer_done(&zip);
}

/* Writes the zip as it was read, with all bundled files. */
static enum tn_status copy_zip(const struct tn_model         *model,
                               const struct tn_write_options *options,
                               struct tn_sink *sink, struct tn_error *error)
{
    struct tn_source *source = zip_of(model);

    *options->tensors_moved += model->tensors.count;
    TN_TRY(tn_sink_splice(sink, (struct tn_span){ source, 0, source->size },
                          error));
    return options->meter ? tn_meter_add(options->meter, source->size, error)
                          : TN_OK;
}

enum tn_status tn_sdz_write(const struct tn_model         *model,
                            const struct tn_write_options *options,
                            struct tn_output *to, struct tn_error *error)
{
    struct writer   w;
    struct tn_sink *sink;

    TN_TRY(tn_output_main(to, &sink, error));
    if (tn_sd_is_as_read(model, options, &tn_format_sdz))
        return copy_zip(model, options, sink, error);
    if (!is_from_zip(model))
        tn_sd_lose_all_beside(options, model);
    if (writer_init(&w, model, options, error) == TN_OK)
        write_zip(&w, sink);
    writer_done(&w);
    return error->status;
}
