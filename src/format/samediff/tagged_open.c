/*
 * tagged_open.c - one tag of a container as a model
 *
 * The graph says which variables own an array, params.txt where it is.  Arrays
 * that are stored are used where they are.
 */
#include "base/expand.h"
#include "format/samediff/sd_check.h"
#include "format/samediff/tagged_write.h"
#include "ir/changes.h"

#define ZIP_BITS 72 /* a zip whose first entry is tags.txt, or lists it */

struct opening {
    struct tn_tagged        *t;
    struct tn_bytes          tag;
    struct tn_model         *model;
    struct tn_error         *error;
    struct tn_sd_reader      reader;
    struct tn_tagged_detail *detail;
    struct tn_tag_lines      lines[2]; /* by enum tn_tag_file                 */
    struct tn_intern         names;    /* of the lines of params.txt, by id   */
    bool                    *is_taken; /* the line, by a variable             */
    struct tn_list           extras;   /* struct tn_tagged_extra              */
};

const struct tn_tagged_detail *tn_tagged_detail_of(const struct tn_model *model)
{
    const struct tn_sd_detail *detail = tn_sd_detail_of(model);

    return detail && model->dialect == &tn_dialect_nd4j_tagged
               ? detail->container
               : NULL;
}

/* ---- arrays of variables ------------------------------------------------ */

bool tn_tagged_has_shape(const struct tn_sd_variable *v,
                         const struct tn_shape       *shape)
{
    if (!v->has_shape)
        return true;
    if (v->rank != shape->rank)
        return false;
    for (uint32_t i = 0; i < v->rank; i++)
        if (v->shape[i] >= 0 && (uint64_t)v->shape[i] != shape->dims[i])
            return false;
    return true;
}

static void compare(struct opening *o, const struct tn_sd_variable *v,
                    const struct tn_tagged_array *found)
{
    const struct tn_shape *shape = &found->array.elements.shape;

    if (v->dtype != TN_SD_INHERIT && tn_sd_dtype(v->dtype) != shape->dtype)
        tn_error_set(o->error, TN_MALFORMED, found->array.at,
                     "an array of %s, but %s in the graph",
                     tn_dtype_name(shape->dtype),
                     tn_dtype_name(tn_sd_dtype(v->dtype)));
    else if (!tn_tagged_has_shape(v, shape))
        tn_error_set(o->error, TN_MALFORMED, found->array.at,
                     "an array whose shape differs from the graph");
    if (tn_failed(o->error))
        tn_zip_where(found->entry, o->error);
}

static void keep_extra(struct opening *o, enum tn_tag_file which,
                       const struct tn_tag_line *line)
{
    struct tn_span *files =
        tn_new(&o->model->arena, struct tn_span, line->ref_count, o->error);
    struct tn_tagged_extra *extra =
        tn_list_push(&o->extras, struct tn_tagged_extra, o->error);

    if (!files || !extra)
        return;
    *extra = (struct tn_tagged_extra){ which, line, files };
    for (uint32_t i = 0; i < line->ref_count && !tn_failed(o->error); i++) {
        const struct tn_zip_entry *entry =
            tn_tagged_ref(o->t, o->tag, which, &line->refs[i], ".fb");
        if (entry)
            tn_tagged_span(o->t, entry, &files[i], o->error);
    }
}

static bool find_array(void *context, const struct tn_sd_variable *v,
                       struct tn_sd_array *array, struct tn_error *error)
{
    struct opening        *o = context;
    struct tn_tagged_array found;
    struct tn_bytes        name = tn_tagged_param_name(
               o->model, o->reader.graph, v->name, &o->reader.scratch, error);
    uint32_t id = tn_intern_find(&o->names, name);

    if (tn_failed(error))
        return false;
    if (id == TN_NO_NAME) {
        tn_error_set(error, TN_MALFORMED, v->at,
                     "no line of params.txt for '%.*s'", TN_FMT(v->name));
        return false;
    }
    const struct tn_tag_line *line = &o->lines[TN_TAG_PARAMS].items[id];
    o->is_taken[id]                = true;
    if (line->kind.size) {
        keep_extra(o, TN_TAG_PARAMS, line);
        return false;
    }
    if (tn_tagged_array_read(o->t, o->tag, TN_TAG_PARAMS, line->refs,
                             &o->model->arena, &found, error) == TN_OK)
        compare(o, v, &found);
    *array = found.array;
    return !tn_failed(error);
}

static void index_lines(struct opening *o)
{
    const struct tn_tag_lines *lines = &o->lines[TN_TAG_PARAMS];

    o->is_taken = tn_new(&o->reader.scratch, bool, lines->count, o->error);
    for (uint32_t i = 0; i < lines->count && !tn_failed(o->error); i++)
        tn_intern_borrow(&o->names, lines->items[i].name, o->error);
}

static void refuse_strays(struct opening *o)
{
    const struct tn_tag_lines *lines = &o->lines[TN_TAG_PARAMS];

    for (uint32_t i = 0; i < lines->count && !tn_failed(o->error); i++) {
        if (o->is_taken[i])
            continue;
        tn_error_set(o->error, TN_MALFORMED, lines->items[i].offset,
                     "'%.*s' is not a variable of the graph that has an array",
                     TN_FMT(lines->items[i].name));
        tn_error_where(o->error, "%.*s/params.txt", TN_FMT(o->tag));
    }
}

/* ---- graph -------------------------------------------------------------- */

static void read_graph(struct opening *o)
{
    const struct tn_zip_entry *entry =
        tn_tagged_entry(o->t, o->tag, "graph.fb");
    struct tn_fb *fb = tn_new(&o->model->arena, struct tn_fb, 1, o->error);

    if (!fb)
        return;
    if (!entry) {
        tn_error_set(o->error, TN_MALFORMED, o->t->zip->directory_offset,
                     "the tag '%.*s' has no graph.fb", TN_FMT(o->tag));
        return;
    }
    struct tn_fb_table root = tn_tagged_root(o->t, entry, TN_FB_SAMEDIFF_GRAPH,
                                             fb, &o->model->arena, o->error);
    if (!root.fb)
        return;
    o->model->wire = (struct tn_span){ NULL, 0, 0 };
    if (tn_tagged_graph_read(&o->reader, &root, &o->detail->outputs) != TN_OK &&
        !o->error->where[0])
        tn_zip_where(entry, o->error);
    else if (tn_failed(o->error) && !strchr(o->error->where, '/'))
        tn_zip_where(entry, o->error);
}

/* ---- training ----------------------------------------------------------- */

static void read_training(struct opening *o)
{
    const struct tn_zip_entry *entry =
        tn_tagged_entry(o->t, o->tag, "trainingConfig.fb");
    struct tn_fb *fb = tn_new(&o->model->arena, struct tn_fb, 1, o->error);

    if (!entry || !fb)
        return;
    struct tn_fb_table root = tn_tagged_root(
        o->t, entry, TN_FB_SAMEDIFF_TRAINING, fb, &o->model->arena, o->error);
    if (!root.fb)
        return;
    uint32_t version = tn_fb_u32(&root, TN_TAGGED_TRAINING_VERSION, 0);
    if (version > TN_TAGGED_VERSION)
        tn_error_set(o->error, TN_UNSUPPORTED, fb->span.offset + root.at,
                     "version %" PRIu32 " of the format, known is %d", version,
                     TN_TAGGED_VERSION);
    o->reader.detail->training = tn_fb_string(&root, TN_TAGGED_TRAINING_JSON);
    o->reader.detail->training_at =
        fb->span.offset +
        tn_fb_follow(fb, tn_fb_field(&root, TN_TAGGED_TRAINING_JSON));
    o->detail->state_keys = tn_sd_names_read(&root, TN_TAGGED_TRAINING_KEYS,
                                             &o->model->arena, o->error);
}

/* ---- states ------------------------------------------------------------- */

/* What trainingConfig.fb does not name, the updater's class does. */
static struct tn_sd_names column_names(struct opening *o, uint32_t count)
{
    struct tn_sd_names names = o->detail->state_keys;
    uint32_t           known = 0;
    struct tn_bytes   *items;

    if (names.count == count)
        return names;
    const char *const *keys = tn_sd_state_keys(
        tn_sd_config_updater(o->reader.detail->training, &o->model->arena,
                             o->model->memory),
        &known);
    items = tn_new(&o->model->arena, struct tn_bytes, count, o->error);
    for (uint32_t i = 0; items && i < count; i++) {
        const char *word =
            keys && known == count
                ? keys[i]
                : tn_text_format(&o->model->arena, o->error, "%" PRIu32, i);
        items[i] = tn_text(word ? word : "");
    }
    return (struct tn_sd_names){ items, items ? count : 0 };
}

static uint32_t add_state(struct opening *o, const struct tn_sd_state *state,
                          uint32_t column, const struct tn_tag_ref *ref)
{
    struct tn_tagged_array found;
    const char *name = tn_sd_state_name(state->keys.items[column], state->param,
                                        &o->model->arena, o->error);

    if (!name ||
        tn_tagged_array_read(o->t, o->tag, TN_TAG_UPDATER, ref,
                             &o->model->arena, &found, o->error) != TN_OK)
        return TN_NONE;
    uint32_t index = tn_sd_add_tensor(o->model, tn_text(name), &found.array,
                                      TN_ROLE_STATE, o->error);
    if (index == TN_NONE)
        return index;
    struct tn_tensor *tensor =
        tn_list_at(&o->model->tensors, struct tn_tensor, index);
    tensor->slot        = (uint32_t)o->reader.states.count - 1;
    tensor->part        = column;
    tensor->wire.source = found.array.elements.payload.span.source;
    return index;
}

static void read_state(struct opening *o, const struct tn_tag_line *line,
                       struct tn_sd_names keys)
{
    uint32_t *tensors =
        tn_new(&o->model->arena, uint32_t, line->ref_count, o->error);
    struct tn_sd_state *slot =
        tn_list_push(&o->reader.states, struct tn_sd_state, o->error);

    if (!tensors || !slot)
        return;
    struct tn_sd_state state = { .param       = line->name,
                                 .at          = line->offset,
                                 .keys        = keys,
                                 .value_count = line->ref_count,
                                 .tensors     = tensors };
    *slot                    = state;
    for (uint32_t i = 0; i < line->ref_count && !tn_failed(o->error); i++)
        tensors[i] = add_state(o, &state, i, &line->refs[i]);
}

static void read_states(struct opening *o)
{
    const struct tn_tag_lines *lines   = &o->lines[TN_TAG_UPDATER];
    uint32_t                   columns = o->detail->state_keys.count;
    struct tn_sd_names         keys    = { 0 };

    for (uint32_t i = 0; i < lines->count && !tn_failed(o->error); i++) {
        const struct tn_tag_line *line = &lines->items[i];
        if (line->kind.size) {
            keep_extra(o, TN_TAG_UPDATER, line);
            continue;
        }
        if (columns == 0)
            columns = line->ref_count;
        if (line->ref_count != columns) {
            tn_error_set(o->error, TN_MALFORMED, line->offset,
                         "%" PRIu32 " states, the updater keeps %" PRIu32,
                         line->ref_count, columns);
            tn_error_where(o->error, "%.*s/updater.txt", TN_FMT(o->tag));
            return;
        }
        if (!keys.count)
            keys = column_names(o, columns);
        if (!tn_failed(o->error))
            read_state(o, line, keys);
    }
}

/* ---- unknown entries ---------------------------------------------------- */

static bool is_known(struct tn_bytes name)
{
    static const char *const files[] = { "graph.fb", "params.txt",
                                         "trainingConfig.fb", "updater.txt",
                                         NULL };

    for (const char *const *file = files; *file; file++)
        if (tn_tag_equal(name, tn_text(*file)))
            return true;
    return tn_tagged_is_in(name, TN_TAG_PARAMS) ||
           tn_tagged_is_in(name, TN_TAG_UPDATER) ||
           name.data[name.size - 1] == '/';
}

static void add_stranger(struct opening *o, struct tn_list *list,
                         const struct tn_zip_entry *entry)
{
    struct tn_tagged_stranger *slot =
        tn_list_push(list, struct tn_tagged_stranger, o->error);

    if (!slot)
        return;
    slot->name = tn_bytes_dup(&o->model->arena,
                              tn_bytes(entry->name.data + o->tag.size + 1,
                                       entry->name.size - o->tag.size - 1),
                              o->error);
    tn_tagged_span(o->t, entry, &slot->bytes, o->error);
}

static void find_strangers(struct opening *o)
{
    const struct tn_zip *zip = o->t->zip;
    struct tn_list       list;

    tn_list_init(&list, o->model->memory, sizeof(struct tn_tagged_stranger));
    for (uint64_t i = 0; i < tn_zip_count(zip) && !tn_failed(o->error); i++) {
        const struct tn_zip_entry *entry = tn_zip_at(zip, i);
        if (tn_tag_is_below(entry, o->tag) &&
            !is_known(tn_bytes(entry->name.data + o->tag.size + 1,
                               entry->name.size - o->tag.size - 1)))
            add_stranger(o, &list, entry);
    }
    struct tn_tagged_stranger *kept = tn_list_keep(
        &list, struct tn_tagged_stranger, &o->model->arena, o->error);
    o->detail->strangers      = kept;
    o->detail->stranger_count = kept ? (uint32_t)list.count : 0;
    tn_list_done(&list);
}

/* ---- facts -------------------------------------------------------------- */

static void add_facts(struct opening *o)
{
    const struct tn_sd_graph *g = &o->reader.detail->graphs[0];
    struct tn_model          *m = o->model;

    tn_model_add_fact(m, "tag", o->tag, o->error);
    if (o->t->zip->state != TN_ZIP_WHOLE)
        tn_model_add_fact(m, "container",
                          tn_text(o->t->zip->is_growing
                                      ? "another process is adding to it"
                                  : o->t->zip->state == TN_ZIP_TORN
                                      ? "its last commit was cut short"
                                      : "changed by another tool"),
                          o->error);
    tn_model_add_fact_format(m, o->error, "variables", "%" PRIu32,
                             g->variable_count);
    for (uint32_t i = 0; i < g->loss.count; i++)
        tn_model_add_fact(m, "loss", g->loss.items[i], o->error);
    tn_sd_meta_facts(m, g, o->error);
    tn_sd_config_facts(m, o->reader.detail, o->error);
    if (o->detail->extra_count)
        tn_model_add_fact_format(m, o->error, "unsupported_kinds", "%" PRIu32,
                                 o->detail->extra_count);
}

static void add_tags(struct opening *o)
{
    for (uint32_t i = 0; i < o->t->tag_count && !tn_failed(o->error); i++) {
        struct tn_bytes *slot =
            tn_list_push(&o->model->tags, struct tn_bytes, o->error);
        if (slot)
            *slot = tn_bytes_dup(&o->model->arena, o->t->tags[i], o->error);
    }
}

/* Files and lines that no other container can hold. */
static void name_beside(struct opening *o, struct tn_sd_names *beside)
{
    const struct tn_tagged_detail *d = o->detail;
    struct tn_bytes               *names =
        tn_new(&o->model->arena, struct tn_bytes,
               (uint64_t)d->stranger_count + d->extra_count, o->error);

    if (!names)
        return;
    for (uint32_t i = 0; i < d->stranger_count; i++)
        names[beside->count++] = d->strangers[i].name;
    for (uint32_t i = 0; i < d->extra_count; i++)
        names[beside->count++] = d->extras[i].line->name;
    beside->items = names;
}

static void finish(struct opening *o)
{
    struct tn_sd_detail *detail = o->reader.detail;
    struct tn_arena     *arena  = &o->model->arena;

    detail->graphs =
        tn_list_keep(&o->reader.graphs, struct tn_sd_graph, arena, o->error);
    detail->graph_count = (uint32_t)o->reader.graphs.count;
    detail->states =
        tn_list_keep(&o->reader.states, struct tn_sd_state, arena, o->error);
    detail->state_count = (uint32_t)o->reader.states.count;
    o->detail->extras =
        tn_list_keep(&o->extras, struct tn_tagged_extra, arena, o->error);
    o->detail->extra_count = (uint32_t)o->extras.count;
    o->detail->tag         = o->tag;
    detail->container      = o->detail;
    o->model->detail       = detail;
    tn_sd_take_training(o->model);
    if (!tn_failed(o->error))
        find_strangers(o);
    if (!tn_failed(o->error))
        name_beside(o, &detail->beside);
    if (!tn_failed(o->error))
        add_tags(o);
    if (!tn_failed(o->error))
        add_facts(o);
}

/* ---- all of it ---------------------------------------------------------- */

/* A tag that is not listed can be asked for by its name. */
static void choose(struct opening *o, struct tn_bytes tag)
{
    uint32_t                   index = o->t->tag_count - 1;
    const struct tn_zip_entry *entry;

    if (tag.data)
        index = tn_tagged_find(o->t, tag);
    if (index != TN_NONE)
        o->tag = tn_bytes_dup(&o->model->arena, o->t->tags[index], o->error);
    else if ((entry = tn_tagged_entry(o->t, tag, "graph.fb")) != NULL)
        o->tag = tn_bytes_dup(&o->model->arena,
                              tn_bytes(entry->name.data, tag.size), o->error);
    else
        tn_tagged_no_tag(o->t, tag, o->error);
}

static void read_all(struct opening *o)
{
    struct tn_arena *arena = &o->model->arena;

    if (tn_tagged_lines(o->t, o->tag, TN_TAG_PARAMS, arena,
                        &o->lines[TN_TAG_PARAMS], o->error) != TN_OK ||
        tn_tagged_lines(o->t, o->tag, TN_TAG_UPDATER, arena,
                        &o->lines[TN_TAG_UPDATER], o->error) != TN_OK)
        return;
    index_lines(o);
    if (!tn_failed(o->error))
        read_graph(o);
    if (!tn_failed(o->error))
        refuse_strays(o);
    if (!tn_failed(o->error))
        read_training(o);
    if (!tn_failed(o->error))
        read_states(o);
    if (!tn_failed(o->error))
        finish(o);
}

enum tn_status tn_tagged_read(struct tn_tagged *t, struct tn_bytes tag,
                              struct tn_model *model, struct tn_error *error)
{
    struct opening o = { .t = t, .model = model, .error = error };

    choose(&o, tag);
    tn_sd_reader_init(&o.reader, model, error);
    model->dialect        = &tn_dialect_nd4j_tagged;
    o.reader.find         = find_array;
    o.reader.find_context = &o;
    o.detail = tn_new(&model->arena, struct tn_tagged_detail, 1, error);
    tn_intern_init(&o.names, &o.reader.scratch);
    tn_list_init(&o.extras, model->memory, sizeof(struct tn_tagged_extra));
    if (!tn_failed(error))
        read_all(&o);
    tn_list_done(&o.extras);
    tn_intern_done(&o.names);
    tn_sd_reader_done(&o.reader);
    return error->status;
}

/* ---- the format --------------------------------------------------------- */

static bool is_tags(struct tn_bytes name)
{
    return tn_tag_equal(name, tn_text("tags.txt"));
}

/* The name in a record that begins with `before` bytes. */
static bool names_tags(struct tn_bytes bytes, size_t at, size_t before,
                       size_t size_at)
{
    if (bytes.size < at + before)
        return false;
    size_t size = (size_t)bytes.data[at + size_at] |
                  (size_t)bytes.data[at + size_at + 1] << 8;
    return size <= bytes.size - at - before &&
           is_tags(tn_bytes(bytes.data + at + before, size));
}

static bool lists_tags(struct tn_bytes bytes, const char *magic, size_t before,
                       size_t size_at)
{
    for (size_t i = 0; i + before < bytes.size; i++)
        if (memcmp(bytes.data + i, magic, 4) == 0 &&
            names_tags(bytes, i, before, size_at))
            return true;
    return false;
}

static int tagged_probe(const struct tn_probe *probe)
{
    if (probe->entries || probe->head.size < 30 ||
        memcmp(probe->head.data, "PK\3\4", 4) != 0)
        return 0;
    if (names_tags(probe->head, 0, 30, 26))
        return ZIP_BITS;
    return lists_tags(probe->head, "PK\3\4", 30, 26) ||
                   lists_tags(probe->tail, "PK\1\2", 46, 28)
               ? ZIP_BITS / 2
               : 0;
}

/* With the container open, for as long as the call takes. */
typedef void use_tagged(struct tn_tagged *t, void *context,
                        struct tn_error *error);

static enum tn_status with_tagged(struct tn_bundle *bundle, use_tagged *use,
                                  void *context, struct tn_error *error)
{
    struct tn_zip_options lazy = { .is_lazy = true, .looks_for_writers = true };
    struct tn_zip         zip;
    struct tn_tagged      t;

    if (!bundle->main)
        return tn_error_set(error, TN_MALFORMED, TN_NOWHERE,
                            "this is a folder, not a container");
    lazy.max_total = tn_expand_most(bundle->max_expand, bundle->main->size);
    if (tn_zip_open(&zip, bundle->main, bundle->memory, &lazy, error) ==
        TN_OK) {
        if (tn_tagged_begin(&t, &zip, bundle->memory, bundle, NULL, error) ==
            TN_OK)
            use(&t, context, error);
        tn_tagged_end(&t);
    }
    tn_zip_close(&zip);
    return error->status;
}

static void read_model(struct tn_tagged *t, void *context,
                       struct tn_error *error)
{
    struct tn_model *model = context;
    struct tn_bytes  tag   = { NULL, 0 };

    if (model->wants_tag)
        tag = tn_text(model->wants_tag);
    tn_tagged_read(t, tag, model, error);
}

static enum tn_status tagged_open(struct tn_bundle *bundle,
                                  struct tn_model  *model,
                                  struct tn_error  *error)
{
    return with_tagged(bundle, read_model, model, error);
}

struct graph_place {
    struct tn_bytes tag;
    struct tn_span *span;
};

static void find_graph(struct tn_tagged *t, void *context,
                       struct tn_error *error)
{
    const struct graph_place  *place = context;
    struct tn_bytes            tag   = place->tag;
    const struct tn_zip_entry *entry;

    if (!tag.size)
        tag = t->tags[t->tag_count - 1];
    entry = tn_tagged_entry(t, tag, "graph.fb");
    if (entry)
        tn_tagged_span(t, entry, place->span, error);
    else
        tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE,
                     "no tag '%.*s' that has a graph", TN_FMT(tag));
}

static enum tn_status tagged_flat(struct tn_bundle *bundle, struct tn_bytes tag,
                                  struct tn_span *span, struct tn_error *error)
{
    struct graph_place place = { tag, span };

    return with_tagged(bundle, find_graph, &place, error);
}

const struct tn_format tn_format_samediff = {
    .name          = "samediff",
    .title         = "SameDiff tagged container",
    .dialect       = "nd4j",
    .suffixes      = (const char *const[]){ ".samediff", NULL },
    .dialect_ops   = &tn_dialect_nd4j_tagged,
    .flat          = "sd.tagged.Graph",
    .flat_span     = tagged_flat,
    .has_tags      = true,
    .can_repair    = true,
    .probe         = tagged_probe,
    .open          = tagged_open,
    .check_bytes   = tn_tagged_check,
    .check_graph   = tn_sd_check_graph,
    .lays_out_anew = true,
    .write         = tn_tagged_write,
    .describe      = tn_sd_describe,
    .report_rest   = tn_sd_report_rest,
    .has_about     = true,
    .texts         = 1u << TN_TEXT_METADATA,
};
