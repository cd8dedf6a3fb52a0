/*
 * tagged_check.c - everything that is wrong with a container, tag by tag
 *
 * Every rule has a stable name, listed in docs/formats/samediff-tagged.md.  If
 * a tag is damaged in one place, all other places are still checked.
 */
#include <stdio.h>

#include "base/json_read.h"
#include "base/byte_view.h"
#include "base/expand.h"
#include "format/registry.h"
#include "format/samediff/tagged.h"
#include "format/samediff/sd_check.h"
#include "ir/graph_check.h"

struct checking {
    struct tn_tagged    *t;
    struct tn_report    *report;
    struct tn_error     *error; /* of the machine                             */
    struct tn_bytes      tag;
    bool                *is_named; /* by entry: some line names it            */
    struct tn_arena      arena;    /* of one tag                              */
    struct tn_model      model;
    struct tn_sd_reader  reader;
    struct tn_tag_lines  lines[2];
    struct tn_intern     names; /* of params.txt; ids are lines               */
    bool                *is_taken;
    struct tn_elements **arrays; /* by line of params.txt; NULL: none         */
    struct tn_sd_names   keys;   /* of states, as trainingConfig.fb says      */
    bool                 has_training;
};

/* A failure becomes a finding, unless it is the machine's. */
static void absorb(struct checking *c, const char *rule, struct tn_error *own)
{
    if (!tn_failed(own))
        return;
    if (tn_machine_failed(own)) {
        if (!tn_failed(c->error))
            *c->error = *own;
    } else {
        tn_report_add(c->report, TN_LEVEL_ERROR, rule, own);
    }
    *own = (struct tn_error)TN_ERROR_INIT;
}

static const char *entry_name(struct checking *c, const char *file)
{
    const char *name =
        tn_text_format(&c->arena, c->error, "%.*s/%s", TN_FMT(c->tag), file);

    return name ? name : "";
}

/* ---- arrays ------------------------------------------------------------- */

static void mark(struct checking *c, const struct tn_zip_entry *entry)
{
    if (entry)
        c->is_named[entry - tn_zip_at(c->t->zip, 0)] = true;
}

/* What our own writer does not do, and readers elsewhere may not expect. */
static void check_form(struct checking *c, const struct tn_tagged_array *found)
{
    const struct tn_sd_array *array = &found->array;
    char                      where[120];

    snprintf(where, sizeof where, "%.*s", TN_FMT(found->entry->name));
    if (array->is_plain || array->is_big)
        tn_report_format(c->report, TN_LEVEL_WARNING, "tag-array-form", "",
                         array->at, where,
                         array->is_plain ? "dimensions instead of a shape "
                                           "record"
                                         : "elements are big-endian");
    if (array->doubt)
        tn_report_format(c->report, TN_LEVEL_WARNING, "tag-array-form", "",
                         array->at, where, "%s", array->doubt);
}

/* The array that a word names; false if there is none that can be used. */
static bool read_array(struct checking *c, enum tn_tag_file which,
                       const struct tn_tag_line *line, uint32_t column,
                       struct tn_tagged_array *found)
{
    struct tn_error          own = TN_ERROR_INIT;
    const struct tn_tag_ref *ref = &line->refs[column];

    mark(c, tn_tagged_ref(c->t, c->tag, which, ref, ".fb"));
    mark(c, tn_tagged_ref(c->t, c->tag, which, ref, ".bin"));
    if (!tn_tagged_ref(c->t, c->tag, which, ref, ".fb")) {
        tn_report_format(
            c->report, TN_LEVEL_ERROR, "tag-no-file", "", line->offset,
            entry_name(c, tn_tagged_text_name(which)),
            "'%.*s' names a file that is not there", TN_FMT(line->name));
        return false;
    }
    if (line->kind.size)
        return false; /* nobody knows what is in there */
    tn_tagged_array_read(c->t, c->tag, which, ref, &c->arena, found, &own);
    if (!tn_failed(&own)) {
        check_form(c, found);
        return true;
    }
    absorb(c, "tag-array", &own);
    return false;
}

/* ---- variables ---------------------------------------------------------- */

static void compare(struct checking *c, const struct tn_sd_variable *v,
                    const struct tn_tagged_array *found)
{
    const struct tn_shape *shape = &found->array.elements.shape;
    char                   where[120];

    snprintf(where, sizeof where, "%.*s", TN_FMT(found->entry->name));
    if (v->dtype != TN_SD_INHERIT && tn_sd_dtype(v->dtype) != shape->dtype)
        tn_report_format(
            c->report, TN_LEVEL_ERROR, "tag-mismatch", "", found->array.at,
            where, "'%.*s' is %s in the graph, %s here", TN_FMT(v->name),
            tn_dtype_name(tn_sd_dtype(v->dtype)), tn_dtype_name(shape->dtype));
    else if (!tn_tagged_has_shape(v, shape))
        tn_report_format(
            c->report, TN_LEVEL_ERROR, "tag-mismatch", "", found->array.at,
            where, "'%.*s' has another shape in the graph", TN_FMT(v->name));
}

/* Called for every variable that owns an array, of all graphs. */
static bool check_variable(void *context, const struct tn_sd_variable *v,
                           struct tn_sd_array *array, struct tn_error *error)
{
    struct checking       *c = context;
    struct tn_tagged_array found;
    struct tn_bytes name = tn_tagged_param_name(&c->model, c->reader.graph,
                                                v->name, &c->arena, error);
    uint32_t        id   = tn_intern_find(&c->names, name);

    (void)array;
    if (tn_failed(error))
        return false;
    if (id == TN_NO_NAME) {
        tn_report_format(c->report, TN_LEVEL_ERROR, "tag-no-line", "", v->at,
                         entry_name(c, "graph.fb"),
                         "params.txt has no line for '%.*s'", TN_FMT(v->name));
        return false;
    }
    c->is_taken[id] = true;
    if (read_array(c, TN_TAG_PARAMS, &c->lines[TN_TAG_PARAMS].items[id], 0,
                   &found)) {
        compare(c, v, &found);
        c->arrays[id] = tn_new(&c->arena, struct tn_elements, 1, error);
        if (c->arrays[id])
            *c->arrays[id] = found.array.elements;
    }
    return false; /* the model needs no tensors for this */
}

static void check_lines(struct checking *c, bool has_graph)
{
    const struct tn_tag_lines *lines = &c->lines[TN_TAG_PARAMS];

    for (uint32_t i = 0; i < lines->count; i++) {
        const struct tn_tag_line *line = &lines->items[i];
        struct tn_tagged_array    found;
        if (line->kind.size)
            tn_report_format(c->report, TN_LEVEL_WARNING, "tag-kind", "",
                             line->offset, entry_name(c, "params.txt"),
                             "'%.*s' is of the unsupported kind %.*s",
                             TN_FMT(line->name), TN_FMT(line->kind));
        if (c->is_taken[i])
            continue;
        read_array(c, TN_TAG_PARAMS, line, 0, &found);
        if (has_graph)
            tn_report_format(c->report, TN_LEVEL_ERROR, "tag-no-variable", "",
                             line->offset, entry_name(c, "params.txt"),
                             "'%.*s' is not a variable with an array",
                             TN_FMT(line->name));
    }
}

/* ---- the graph ---------------------------------------------------------- */

static bool check_graph(struct checking *c)
{
    const struct tn_zip_entry *entry =
        tn_tagged_entry(c->t, c->tag, "graph.fb");
    struct tn_error    own = TN_ERROR_INIT;
    struct tn_sd_names outputs;
    struct tn_fb      *fb = tn_new(&c->arena, struct tn_fb, 1, c->error);

    if (!fb)
        return false;
    if (!entry) {
        tn_report_format(c->report, TN_LEVEL_ERROR, "tag-no-graph", "",
                         c->t->zip->directory_offset, entry_name(c, "graph.fb"),
                         "the tag has no graph");
        return false;
    }
    struct tn_fb_table root =
        tn_tagged_root(c->t, entry, TN_FB_SAMEDIFF_GRAPH, fb, &c->arena, &own);
    if (root.fb) {
        c->reader.error = &own;
        if (tn_tagged_graph_read(&c->reader, &root, &outputs) != TN_OK)
            tn_zip_where(entry, &own);
        c->reader.error = c->error;
    }
    bool is_good = !tn_failed(&own);
    absorb(c, own.status == TN_UNSUPPORTED ? "tag-version" : "tag-graph", &own);
    if (is_good) {
        tn_model_resolve(&c->model);
        if (tn_graph_check(&c->model, c->report, c->error) == TN_OK &&
            tn_tagged_check_args(&c->model, c->report, c->error) == TN_OK)
            tn_sd_check_types(&c->model, c->report, c->error);
    }
    return is_good;
}

/* ---- training ----------------------------------------------------------- */

static void check_json(struct checking *c, struct tn_bytes json, uint64_t at)
{
    struct tn_error       own    = TN_ERROR_INIT;
    struct tn_cursor      cursor = tn_cursor_bytes(json, at, &own);
    struct tn_json_reader reader;

    tn_json_open(&reader, &cursor, c->t->memory);
    while (tn_json_next(&reader) != TN_JSON_END)
        continue;
    tn_json_close(&reader);
    tn_error_where(&own, "%s", entry_name(c, "trainingConfig.fb"));
    absorb(c, "tag-training", &own);
}

static void check_training(struct checking *c)
{
    const struct tn_zip_entry *entry =
        tn_tagged_entry(c->t, c->tag, "trainingConfig.fb");
    struct tn_error own = TN_ERROR_INIT;
    struct tn_fb   *fb  = tn_new(&c->arena, struct tn_fb, 1, c->error);

    if (!entry || !fb)
        return;
    c->has_training         = true;
    struct tn_fb_table root = tn_tagged_root(
        c->t, entry, TN_FB_SAMEDIFF_TRAINING, fb, &c->arena, &own);
    absorb(c, "tag-training", &own);
    if (!root.fb)
        return;
    if (tn_fb_u32(&root, TN_TAGGED_TRAINING_VERSION, 0) > TN_TAGGED_VERSION)
        tn_report_format(c->report, TN_LEVEL_ERROR, "tag-version", "",
                         fb->span.offset + root.at,
                         entry_name(c, "trainingConfig.fb"),
                         "unknown version of the format");
    struct tn_bytes json = tn_fb_string(&root, TN_TAGGED_TRAINING_JSON);
    c->keys =
        tn_sd_names_read(&root, TN_TAGGED_TRAINING_KEYS, &c->arena, c->error);
    if (json.size)
        check_json(
            c, json,
            fb->span.offset + 4 +
                tn_fb_follow(fb, tn_fb_field(&root, TN_TAGGED_TRAINING_JSON)));
}

/* ---- states ------------------------------------------------------------- */

static void check_state(struct checking *c, const struct tn_tag_line *line,
                        bool has_graph)
{
    uint32_t    id    = tn_intern_find(&c->names, line->name);
    const char *where = entry_name(c, "updater.txt");

    if (id == TN_NO_NAME && has_graph)
        tn_report_format(c->report, TN_LEVEL_ERROR, "tag-state", "",
                         line->offset, where, "'%.*s' is not a parameter",
                         TN_FMT(line->name));
    if (line->kind.size)
        tn_report_format(c->report, TN_LEVEL_WARNING, "tag-kind", "",
                         line->offset, where,
                         "'%.*s' is of the unsupported kind %.*s",
                         TN_FMT(line->name), TN_FMT(line->kind));
    for (uint32_t i = 0; i < line->ref_count; i++) {
        struct tn_tagged_array found;
        if (read_array(c, TN_TAG_UPDATER, line, i, &found) &&
            id != TN_NO_NAME && c->arrays[id] &&
            !tn_shape_equal(&found.array.elements.shape, &c->arrays[id]->shape))
            tn_report_format(c->report, TN_LEVEL_ERROR, "tag-state", "",
                             found.array.at, where,
                             "state %" PRIu32 " of '%.*s' has another type or "
                             "shape than the parameter",
                             i, TN_FMT(line->name));
    }
}

static void check_states(struct checking *c, bool has_graph)
{
    const struct tn_tag_lines *lines   = &c->lines[TN_TAG_UPDATER];
    uint32_t                   columns = c->keys.count;

    if (lines->count && !c->has_training)
        tn_report_format(c->report, TN_LEVEL_WARNING, "tag-no-training", "",
                         lines->items[0].offset, entry_name(c, "updater.txt"),
                         "states of an updater, and no trainingConfig.fb");
    for (uint32_t i = 0; i < lines->count; i++) {
        const struct tn_tag_line *line = &lines->items[i];
        if (!columns)
            columns = line->ref_count;
        if (!line->kind.size && line->ref_count != columns)
            tn_report_format(c->report, TN_LEVEL_ERROR, "tag-columns", "",
                             line->offset, entry_name(c, "updater.txt"),
                             "%" PRIu32 " states, others have %" PRIu32,
                             line->ref_count, columns);
        check_state(c, line, has_graph);
    }
}

/* ---- one tag ------------------------------------------------------------ */

static void read_texts(struct checking *c)
{
    struct tn_error own = TN_ERROR_INIT;

    for (int which = TN_TAG_PARAMS; which <= TN_TAG_UPDATER; which++) {
        tn_tagged_lines(c->t, c->tag, (enum tn_tag_file)which, &c->arena,
                        &c->lines[which], &own);
        absorb(c, "tag-text", &own);
    }
    uint32_t count = c->lines[TN_TAG_PARAMS].count;
    c->is_taken    = tn_new(&c->arena, bool, count, c->error);
    c->arrays      = tn_new(&c->arena, struct tn_elements *, count, c->error);
    for (uint32_t i = 0; i < count && !tn_failed(c->error); i++)
        tn_intern_borrow(&c->names, c->lines[TN_TAG_PARAMS].items[i].name,
                         c->error);
}

static void check_parts(struct checking *c)
{
    read_texts(c);
    if (tn_failed(c->error))
        return;
    bool has_graph = check_graph(c);
    if (!tn_failed(c->error))
        check_lines(c, has_graph);
    if (!tn_failed(c->error))
        check_training(c);
    if (!tn_failed(c->error))
        check_states(c, has_graph);
}

static void check_tag(struct checking *c, struct tn_bytes tag)
{
    c->tag          = tag;
    c->has_training = false;
    c->keys         = (struct tn_sd_names){ 0 };
    tn_arena_init(&c->arena, c->t->memory);
    tn_intern_init(&c->names, &c->arena);
    tn_model_init(&c->model, c->t->memory);
    tn_sd_reader_init(&c->reader, &c->model, c->error);
    c->model.format        = tn_format_samediff.name;
    c->model.dialect       = &tn_dialect_nd4j_tagged;
    c->reader.find         = check_variable;
    c->reader.find_context = c;
    if (!tn_failed(c->error))
        check_parts(c);
    tn_sd_reader_done(&c->reader);
    tn_model_done(&c->model);
    tn_intern_done(&c->names);
    tn_arena_done(&c->arena);
}

/* ---- entries that no tag speaks of -------------------------------------- */

static void check_entry(struct checking *c, uint64_t index)
{
    const struct tn_zip_entry *entry = tn_zip_at(c->t->zip, index);
    struct tn_bytes            name  = entry->name;
    const uint8_t             *slash = tn_bytes_find(name, '/');
    size_t                     size  = slash ? (size_t)(slash - name.data) : 0;
    char                       where[120];

    snprintf(where, sizeof where, "%.*s", TN_FMT(name));
    if (!slash || tn_zip_is_folder(entry))
        return;
    struct tn_bytes rest = tn_bytes(slash + 1, name.size - size - 1);
    bool is_listed = tn_tagged_find(c->t, tn_bytes(name.data, size)) != TN_NONE;
    bool is_array  = tn_tagged_is_in(rest, TN_TAG_PARAMS) ||
                    tn_tagged_is_in(rest, TN_TAG_UPDATER);
    if (!is_listed && tn_tag_equal(rest, tn_text("graph.fb")))
        tn_report_format(c->report, TN_LEVEL_WARNING, "tag-unlisted", "",
                         entry->offset, where,
                         "a graph whose tag is not in tags.txt");
    else if (is_listed && is_array && !c->is_named[index])
        tn_report_format(c->report, TN_LEVEL_WARNING, "tag-unused", "",
                         entry->offset, where, "an array that no tag names");
}

static void check_all(struct checking *c)
{
    uint64_t count = tn_zip_count(c->t->zip);

    c->is_named = tn_new(&c->t->arena, bool, count, c->error);
    for (uint32_t i = 0;
         i < c->t->tag_count && !tn_failed(c->error) && !c->report->is_stopped;
         i++)
        check_tag(c, c->t->tags[i]);
    for (uint64_t i = 0;
         i < count && !tn_failed(c->error) && !c->report->is_stopped; i++)
        check_entry(c, i);
}

enum tn_status tn_tagged_check(struct tn_bundle *bundle,
                               struct tn_report *report, struct tn_error *error)
{
    struct tn_zip_options how = { .looks_for_writers = true, .report = report };
    struct tn_error       own = TN_ERROR_INIT;
    struct tn_zip         zip;
    struct tn_tagged      t;
    struct checking       c = { .t = &t, .report = report, .error = error };

    if (!bundle->main)
        return TN_OK;
    how.max_total = tn_expand_most(bundle->max_expand, bundle->main->size);
    if (tn_zip_open(&zip, bundle->main, bundle->memory, &how, error) == TN_OK) {
        tn_tagged_begin(&t, &zip, bundle->memory, bundle, report, &own);
        bool has_tags = !tn_failed(&own);
        absorb(&c, "tag-list", &own);
        if (has_tags && !tn_failed(error))
            check_all(&c);
        tn_tagged_end(&t);
        if (!tn_failed(error) && !report->skip_data && !report->is_stopped)
            tn_zip_verify(&zip, report->workers, report, error);
    }
    tn_zip_close(&zip);
    return error->status;
}
