/* tagged_write.c - one tag into a zip: lines, files, entries in their order */
#include "base/utf8.h"
#include "format/samediff/tagged_write.h"

#include <stdio.h>

#define ARRAY_ALIGNMENT 64
#define DEFAULT_TAG     "main"

/* ---- lines -------------------------------------------------------------- */

static void init_list(struct tn_tagged_list *list, struct tn_memory *memory)
{
    tn_list_init(&list->lines, memory, sizeof(struct tn_tag_line));
    tn_list_init(&list->files, memory, sizeof(struct tn_tagged_file));
    tn_list_init(&list->refs, memory, sizeof(struct tn_tag_ref));
}

static void done_list(struct tn_tagged_list *list)
{
    tn_list_done(&list->lines);
    tn_list_done(&list->files);
    tn_list_done(&list->refs);
}

static void add_file(struct tn_tagged_writer *w, enum tn_tag_file which,
                     const struct tn_elements *elements,
                     struct tn_span            verbatim)
{
    struct tn_tagged_list *list = &w->lists[which];
    struct tn_tagged_file *file =
        tn_list_push(&list->files, struct tn_tagged_file, w->error);
    struct tn_tag_ref *ref =
        tn_list_push(&list->refs, struct tn_tag_ref, w->error);

    if (file && ref) {
        file->elements = elements;
        file->verbatim = verbatim;
    }
}

static void add_line(struct tn_tagged_writer *w, enum tn_tag_file which,
                     struct tn_bytes name, uint32_t files, struct tn_bytes kind)
{
    struct tn_tag_line *line =
        tn_list_push(&w->lists[which].lines, struct tn_tag_line, w->error);

    if (!tn_utf8_is_valid(name)) {
        tn_error_set(w->error, TN_UNSUPPORTED, TN_NOWHERE,
                     "a name that is not UTF-8, which the lists of a container "
                     "cannot hold");
        tn_error_where(w->error, "%.*s", TN_FMT(name));
    }
    if (line)
        *line = (struct tn_tag_line){ .name      = name,
                                      .ref_count = files,
                                      .kind      = kind };
}

/* ---- what has an array -------------------------------------------------- */

static void refuse(struct tn_tagged_writer *w, struct tn_bytes name,
                   const struct tn_elements *elements)
{
    const char *refusal = tn_sd_array_refusal(elements, TN_SD_FORM_LITTLE);

    if (!refusal)
        return;
    tn_error_set(w->error, TN_UNSUPPORTED, TN_NOWHERE, "%s", refusal);
    tn_error_where(w->error, "%.*s", TN_FMT(name));
}

static void add_param(struct tn_tagged_writer *w, uint32_t graph,
                      const struct tn_sd_entry *entry)
{
    struct tn_bytes name =
        tn_tagged_param_name(w->model, graph, entry->name, &w->arena, w->error);

    if (entry->elements && entry->kind != TN_SD_VARIABLE &&
        entry->kind != TN_SD_CONSTANT) {
        tn_lose_named(w->options, entry->name,
                      entry->kind == TN_SD_PLACEHOLDER
                          ? "the example of a placeholder is left behind"
                          : "the value of what is computed is left behind");
        return;
    }
    if (!entry->elements)
        return;
    refuse(w, entry->name, entry->elements);
    add_line(w, TN_TAG_PARAMS, name, 1, tn_bytes(NULL, 0));
    add_file(w, TN_TAG_PARAMS, entry->elements, (struct tn_span){ 0 });
}

static void add_params(struct tn_tagged_writer *w)
{
    for (uint32_t g = 0; g < w->plan_count; g++)
        for (uint32_t i = 0; i < w->plans[g].count && !tn_failed(w->error);
             i++) {
            const struct tn_sd_entry entry =
                tn_sd_content_entry(&w->plans[g], i);
            add_param(w, g, &entry);
        }
}

/* ---- states ------------------------------------------------------------- */

static uint32_t find_key(struct tn_sd_names names, struct tn_bytes key)
{
    for (uint32_t i = 0; i < names.count; i++)
        if (tn_bytes_equal(names.items[i], key))
            return i;
    return TN_NONE;
}

static void push_key(struct tn_tagged_writer *w, struct tn_list *keys,
                     struct tn_bytes key)
{
    struct tn_sd_names known = { keys->items, (uint32_t)keys->count };

    if (find_key(known, key) != TN_NONE)
        return;
    struct tn_bytes *slot = tn_list_push(keys, struct tn_bytes, w->error);
    if (slot)
        *slot = key;
}

static bool has_state(const struct tn_sd_content *content, struct tn_bytes key)
{
    for (uint32_t i = 0; i < content->state_count; i++) {
        struct tn_sd_names names = { content->states[i].keys,
                                     content->states[i].count };
        if (find_key(names, key) != TN_NONE)
            return true;
    }
    return false;
}

/* The order of columns: that of the container, that of the updater, and behind
 * them whatever else was kept. */
static void choose_columns(struct tn_tagged_writer *w)
{
    const struct tn_sd_content    *content = &w->plans[0];
    const struct tn_tagged_detail *tagged  = tn_tagged_detail_of(w->model);
    uint32_t                       count   = 0;
    struct tn_list                 keys;

    tn_list_init(&keys, w->memory, sizeof(struct tn_bytes));
    for (uint32_t i = 0; tagged && i < tagged->state_keys.count; i++)
        if (!w->model->is_edited ||
            has_state(content, tagged->state_keys.items[i]))
            push_key(w, &keys, tagged->state_keys.items[i]);
    const char *const *words = tn_sd_state_keys(
        tn_sd_config_updater(content->training, &w->arena, w->memory), &count);
    for (uint32_t i = 0; words && content->state_count && i < count; i++)
        push_key(w, &keys, tn_text(words[i]));
    for (uint32_t i = 0; i < content->state_count; i++)
        for (uint32_t k = 0; k < content->states[i].count; k++)
            push_key(w, &keys, content->states[i].keys[k]);
    struct tn_bytes *kept =
        tn_list_keep(&keys, struct tn_bytes, &w->arena, w->error);
    w->columns = (struct tn_sd_names){ kept, kept ? (uint32_t)keys.count : 0 };
    tn_list_done(&keys);
}

static const struct tn_elements *state_value(const struct tn_sd_kept *state,
                                             struct tn_bytes          key)
{
    struct tn_sd_names names = { state->keys, state->count };
    uint32_t           at    = find_key(names, key);

    return at == TN_NONE ? NULL : state->values[at];
}

static void add_state(struct tn_tagged_writer *w,
                      const struct tn_sd_kept *state)
{
    for (uint32_t k = 0; k < w->columns.count; k++)
        if (!state_value(state, w->columns.items[k])) {
            if (state->count)
                tn_lose_named(w->options, state->param,
                              "some of its states, without the others");
            return;
        }
    add_line(w, TN_TAG_UPDATER, state->param, w->columns.count,
             tn_bytes(NULL, 0));
    for (uint32_t k = 0; k < w->columns.count && !tn_failed(w->error); k++) {
        const struct tn_elements *value =
            state_value(state, w->columns.items[k]);
        refuse(w, state->param, value);
        add_file(w, TN_TAG_UPDATER, value, (struct tn_span){ 0 });
    }
}

static void add_states(struct tn_tagged_writer *w)
{
    choose_columns(w);
    for (uint32_t i = 0; w->columns.count && i < w->plans[0].state_count &&
                         !tn_failed(w->error);
         i++)
        add_state(w, &w->plans[0].states[i]);
}

static void add_extras(struct tn_tagged_writer *w)
{
    const struct tn_tagged_detail *tagged = tn_tagged_detail_of(w->model);

    for (uint32_t i = 0; tagged && i < tagged->extra_count; i++) {
        const struct tn_tagged_extra *extra = &tagged->extras[i];
        add_line(w, extra->which, extra->line->name, extra->line->ref_count,
                 extra->line->kind);
        for (uint32_t k = 0; k < extra->line->ref_count; k++)
            add_file(w, extra->which, NULL, extra->files[k]);
    }
}

/* ---- from the start ----------------------------------------------------- */

enum tn_status tn_tagged_writer_init(struct tn_tagged_writer       *w,
                                     const struct tn_model         *model,
                                     struct tn_bytes                tag,
                                     const struct tn_write_options *options,
                                     const uint64_t                *next,
                                     struct tn_error               *error)
{
    *w = (struct tn_tagged_writer){ .model   = model,
                                    .options = options,
                                    .tag     = tag,
                                    .memory  = model->memory,
                                    .error   = error };
    tn_arena_init(&w->arena, model->memory);
    init_list(&w->lists[TN_TAG_PARAMS], model->memory);
    init_list(&w->lists[TN_TAG_UPDATER], model->memory);
    for (int i = 0; next && i < 2; i++)
        w->lists[i].next = next[i];
    tn_sd_lose_taken_keys(options);
    if (!tn_tagged_detail_of(model)) {
        tn_sd_lose_all_beside(options, model);
        tn_sd_lose_untagged(model, options, error);
    }
    w->plans =
        tn_new(&w->arena, struct tn_sd_content, model->graphs.count, error);
    while (w->plans && w->plan_count < model->graphs.count &&
           !tn_failed(error)) {
        uint32_t graph = w->plan_count++;
        tn_sd_content_make(&w->plans[graph], model, graph, options, &w->arena,
                           error);
        w->plans[graph].calls = w->plans[0].calls;
    }
    if (w->plan_count == 0)
        tn_error_set(error, TN_INVALID, TN_NOWHERE, "a model without a graph");
    if (!tn_failed(error))
        add_params(w);
    if (!tn_failed(error))
        add_states(w);
    if (!tn_failed(error))
        add_extras(w);
    return error->status;
}

void tn_tagged_writer_done(struct tn_tagged_writer *w)
{
    for (uint32_t i = 0; i < w->plan_count; i++)
        tn_sd_content_done(&w->plans[i]);
    done_list(&w->lists[TN_TAG_PARAMS]);
    done_list(&w->lists[TN_TAG_UPDATER]);
    tn_arena_done(&w->arena);
}

/* ---- other elements ----------------------------------------------------- */

/* The number of the file that is called so; the count of files: none. */
static uint64_t find_file(const struct tn_tagged_writer *w,
                          const struct tn_tagged_list   *list,
                          struct tn_bytes name, struct tn_bytes key)
{
    uint64_t file = 0;

    for (uint64_t i = 0; i < list->lines.count; i++) {
        const struct tn_tag_line *line =
            tn_list_at(&list->lines, struct tn_tag_line, i);
        if (tn_bytes_equal(line->name, name)) {
            uint32_t column = key.data ? find_key(w->columns, key) : 0;
            return column < line->ref_count ? file + column : list->files.count;
        }
        file += line->ref_count;
    }
    return list->files.count;
}

enum tn_status tn_tagged_writer_replace(struct tn_tagged_writer  *w,
                                        struct tn_bytes           name,
                                        const struct tn_elements *elements)
{
    struct tn_tagged_list *list = &w->lists[TN_TAG_PARAMS];
    struct tn_bytes        key = { NULL, 0 }, param = name;
    uint64_t               at = find_file(w, list, name, key);

    if (at == list->files.count && tn_sd_state_split(name, &key, &param)) {
        list = &w->lists[TN_TAG_UPDATER];
        at   = find_file(w, list, param, key);
    }
    if (at == list->files.count)
        return tn_error_set(w->error, TN_NOT_FOUND, TN_NOWHERE,
                            "the graph has no variable '%.*s'", TN_FMT(name));
    struct tn_tagged_file *file =
        tn_list_at(&list->files, struct tn_tagged_file, at);
    if (!file->elements ||
        !tn_shape_equal(&file->elements->shape, &elements->shape))
        return tn_error_set(w->error, TN_INVALID, TN_NOWHERE,
                            "'%.*s' is of another type or shape than the "
                            "graph has",
                            TN_FMT(name));
    file->elements = elements;
    return TN_OK;
}

/* ---- arrays ------------------------------------------------------------- */

bool tn_tagged_is_long(const struct tn_elements *elements)
{
    uint64_t size = 0;

    return tn_shape_bytes(&elements->shape, &size) &&
           size > TN_TAGGED_ARRAY_LIMIT;
}

enum tn_status tn_tagged_array_rope(const struct tn_elements *elements,
                                    const char               *external,
                                    struct tn_arena          *arena,
                                    struct tn_memory         *memory,
                                    struct tn_rope           *rope,
                                    struct tn_error          *error)
{
    struct tn_sd_array_how how = { TN_SD_FORM_LITTLE, ARRAY_ALIGNMENT,
                                   external };
    struct tn_fb_builder   b;

    tn_fb_build_init(&b, arena, error);
    tn_fb_finish(&b, tn_sd_array_put(&b, elements, &how, memory), "SDAR", rope);
    tn_fb_build_done(&b);
    return error->status;
}

/* .data NULL on failure. */
static struct tn_bytes name_entry(const struct tn_tagged_writer *w,
                                  enum tn_tag_file which, struct tn_bytes id,
                                  const char *suffix, struct tn_arena *arena)
{
    const char *name =
        tn_text_format(arena, w->error, "%.*s/%s/%.*s%s", TN_FMT(w->tag),
                       tn_tagged_folder(which), TN_FMT(id), suffix);

    return name ? tn_text(name) : tn_bytes(NULL, 0);
}

static enum tn_status put_long(struct tn_tagged_writer *w,
                               struct tn_zip_writer    *zip,
                               enum tn_tag_file which, struct tn_bytes id,
                               const struct tn_elements *elements,
                               struct tn_arena          *arena)
{
    struct tn_bytes name = name_entry(w, which, id, ".bin", arena);
    struct tn_rope  rope;

    tn_rope_init(&rope, arena, w->error);
    if (name.data && tn_sd_rope_elements(&rope, elements, w->memory) == TN_OK)
        tn_zip_add(zip, name, &rope);
    tn_rope_done(&rope);
    return w->error->status;
}

static void put_file(struct tn_tagged_writer *w, struct tn_zip_writer *zip,
                     enum tn_tag_file which, const struct tn_tagged_file *file,
                     struct tn_bytes id)
{
    bool is_long = file->elements && tn_tagged_is_long(file->elements);
    char external[80];
    struct tn_arena arena;
    struct tn_rope  rope;

    snprintf(external, sizeof external, "%.*s.bin", TN_FMT(id));
    tn_arena_init(&arena, w->memory);
    struct tn_bytes name = name_entry(w, which, id, ".fb", &arena);
    tn_rope_init(&rope, &arena, w->error);
    if (file->elements)
        tn_tagged_array_rope(file->elements, is_long ? external : NULL, &arena,
                             w->memory, &rope, w->error);
    else if (file->verbatim.source)
        tn_rope_span(&rope, file->verbatim);
    if (!tn_failed(w->error))
        tn_zip_add(zip, name, &rope);
    if (!tn_failed(w->error) && is_long)
        put_long(w, zip, which, id, file->elements, &arena);
    tn_rope_done(&rope);
    tn_arena_done(&arena);
}

static void put_files(struct tn_tagged_writer *w, struct tn_zip_writer *zip,
                      enum tn_tag_file which)
{
    struct tn_tagged_list *list = &w->lists[which];

    for (uint64_t i = 0; i < list->files.count && !tn_failed(w->error); i++) {
        const struct tn_tagged_file *file =
            tn_list_at(&list->files, struct tn_tagged_file, i);
        if (!file->is_shared)
            put_file(w, zip, which, file,
                     tn_list_at(&list->refs, struct tn_tag_ref, i)->id);
    }
}

/* ---- entries ------------------------------------------------------------ */

static void number_files(struct tn_tagged_writer *w,
                         struct tn_tagged_list   *list)
{
    uint64_t next = 0;

    for (uint64_t i = 0; i < list->files.count && !tn_failed(w->error); i++) {
        struct tn_tag_ref *ref = tn_list_at(&list->refs, struct tn_tag_ref, i);
        if (tn_list_at(&list->files, struct tn_tagged_file, i)->is_shared)
            continue;
        const char *id =
            tn_text_format(&w->arena, w->error, "%" PRIu64, list->next++);
        *ref = (struct tn_tag_ref){ .id = tn_text(id ? id : "") };
    }
    for (uint64_t i = 0; i < list->lines.count; i++) {
        struct tn_tag_line *line =
            tn_list_at(&list->lines, struct tn_tag_line, i);
        line->refs = tn_list_at(&list->refs, struct tn_tag_ref, next);
        next += line->ref_count;
    }
}

static void put_text(struct tn_tagged_writer *w, struct tn_zip_writer *zip,
                     enum tn_tag_file which)
{
    const struct tn_tagged_list *list = &w->lists[which];
    struct tn_buffer             text;
    const char                  *name =
        tn_text_format(&w->arena, w->error, "%.*s/%s", TN_FMT(w->tag),
                       tn_tagged_text_name(which));

    tn_buffer_init(&text, w->memory, w->error);
    for (uint64_t i = 0; i < list->lines.count; i++)
        tn_tag_text_put(&text, tn_list_at(&list->lines, struct tn_tag_line, i),
                        w->tag);
    if (!tn_failed(w->error))
        tn_zip_add_bytes(zip, tn_text(name), tn_buffer_bytes(&text));
    tn_buffer_done(&text);
}

enum tn_status tn_tag_put_list(struct tn_zip_writer  *zip,
                               const struct tn_bytes *tags, uint32_t count,
                               struct tn_memory *memory, struct tn_error *error)
{
    struct tn_buffer text;

    tn_buffer_init(&text, memory, error);
    for (uint32_t i = 0; i < count; i++) {
        tn_buffer_add(&text, tags[i]);
        tn_buffer_byte(&text, '\n');
    }
    if (!tn_failed(error)) {
        tn_zip_drop(zip, tn_text("tags.txt")); /* in whatever spelling */
        tn_zip_add_bytes(zip, tn_text("tags.txt"), tn_buffer_bytes(&text));
    }
    tn_buffer_done(&text);
    return error->status;
}

typedef enum tn_status put_buffer(struct tn_tagged_writer *w,
                                  struct tn_rope          *rope);

static void put_flat(struct tn_tagged_writer *w, struct tn_zip_writer *zip,
                     const char *file, put_buffer *put)
{
    struct tn_rope rope;
    const char    *name =
        tn_text_format(&w->arena, w->error, "%.*s/%s", TN_FMT(w->tag), file);

    tn_rope_init(&rope, &w->arena, w->error);
    if (!tn_failed(w->error) && put(w, &rope) == TN_OK)
        tn_zip_add(zip, tn_text(name), &rope);
    tn_rope_done(&rope);
}

static void put_strangers(struct tn_tagged_writer *w, struct tn_zip_writer *zip)
{
    const struct tn_tagged_detail *tagged = tn_tagged_detail_of(w->model);

    for (uint32_t i = 0;
         tagged && i < tagged->stranger_count && !tn_failed(w->error); i++) {
        const struct tn_tagged_stranger *stranger = &tagged->strangers[i];
        struct tn_rope                   rope;
        const char                      *name =
            tn_text_format(&w->arena, w->error, "%.*s/%.*s", TN_FMT(w->tag),
                           TN_FMT(stranger->name));
        tn_rope_init(&rope, &w->arena, w->error);
        tn_rope_span(&rope, stranger->bytes);
        if (name)
            tn_zip_add(zip, tn_text(name), &rope);
        tn_rope_done(&rope);
    }
}

enum tn_status tn_tagged_writer_put(struct tn_tagged_writer *w,
                                    struct tn_zip_writer    *zip)
{
    bool has_states = w->lists[TN_TAG_UPDATER].lines.count > 0;

    number_files(w, &w->lists[TN_TAG_PARAMS]);
    number_files(w, &w->lists[TN_TAG_UPDATER]);
    put_flat(w, zip, "graph.fb", tn_tagged_put_graph);
    put_text(w, zip, TN_TAG_PARAMS);
    if (w->plans[0].training.data || has_states)
        put_flat(w, zip, "trainingConfig.fb", tn_tagged_put_training);
    if (has_states)
        put_text(w, zip, TN_TAG_UPDATER);
    put_files(w, zip, TN_TAG_PARAMS);
    put_files(w, zip, TN_TAG_UPDATER);
    put_strangers(w, zip);
    return w->error->status;
}

/* ---- a container of one tag --------------------------------------------- */

static struct tn_bytes tag_of(const struct tn_model *model)
{
    const struct tn_tagged_detail *tagged = tn_tagged_detail_of(model);

    if (tagged && !tn_tag_new_refusal(tagged->tag))
        return tagged->tag;
    return tn_text(DEFAULT_TAG);
}

static void write_container(struct tn_tagged_writer *w,
                            struct tn_zip_writer    *zip)
{
    tn_tag_put_list(zip, &w->tag, 1, w->memory, w->error);
    if (!tn_failed(w->error) && tn_tagged_writer_put(w, zip) == TN_OK)
        tn_zip_finish(zip);
}

enum tn_status tn_tagged_write_as(const struct tn_model         *model,
                                  struct tn_bytes                tag,
                                  const struct tn_write_options *options,
                                  struct tn_output              *to,
                                  struct tn_tag_summary         *summary,
                                  struct tn_error               *error)
{
    struct tn_sink         *sink;
    struct tn_tagged_writer w;
    struct tn_zip_writer    zip;

    TN_TRY(tn_tag_refuse_new(tag, error));
    TN_TRY(tn_output_main(to, &sink, error));
    if (tn_tagged_writer_init(&w, model, tag, options, NULL, error) == TN_OK) {
        tn_zip_writer_init(&zip, sink, model->memory, error);
        write_container(&w, &zip);
        tn_zip_writer_done(&zip);
    }
    summary->arrays = w.lists[TN_TAG_PARAMS].files.count +
                      w.lists[TN_TAG_UPDATER].files.count;
    tn_tagged_writer_done(&w);
    return error->status;
}

enum tn_status tn_tagged_write(const struct tn_model         *model,
                               const struct tn_write_options *options,
                               struct tn_output *to, struct tn_error *error)
{
    struct tn_tag_summary summary = { 0 };

    return tn_tagged_write_as(model, tag_of(model), options, to, &summary,
                              error);
}
