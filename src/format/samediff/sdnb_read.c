/*
 * sdnb_read.c - SDNB files into a model
 *
 * Data of a variable is in the graph itself, after it, or in another shard.
 * What Deeplearning4j's own reader accepts is refused here, unless the model is
 * opened as lax: shards that are missing, data for a variable that the graph
 * does not have (ignored), and data in two places (the last that is in a graph
 * counts, or the first range).
 */
#include "base/arith.h"
#include "base/sort.h"
#include "format/samediff/sdnb.h"

/* ---- header and manifest of an SDNB file --------------------------------- */

static uint64_t load_big(const uint8_t *p, unsigned size)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < size; i++)
        value = value << 8 | p[i];
    return value;
}

static enum tn_status read_header(struct tn_sdnb_file *file,
                                  struct tn_error     *error)
{
    struct tn_cursor c = tn_cursor_span(
        (struct tn_span){ file->source, 0, file->source->size }, error);
    const uint8_t *head = tn_take(&c, TN_SDNB_HEADER);

    if (!head)
        return error->status;
    if (memcmp(head, TN_SDNB_MAGIC, 4) != 0)
        return tn_error_set(error, TN_MALFORMED, 0, "does not begin with SDNB");
    if (load_big(head + 4, 4) != 1)
        return tn_error_set(error, TN_UNSUPPORTED, 4,
                            "version %" PRIu64 ", only 1 is known",
                            load_big(head + 4, 4));
    file->manifest_offset = load_big(head + 8, 8);
    file->manifest_length = load_big(head + 16, 8);
    if (file->manifest_offset == UINT64_MAX)
        return tn_error_set(error, TN_TRUNCATED, 8,
                            "the file was not written to its end");
    if (load_big(head + 24, 8) != TN_SDNB_HEADER)
        return tn_error_set(error, TN_MALFORMED, 24,
                            "the graph at byte %" PRIu64 ", not at 32",
                            load_big(head + 24, 8));
    if (file->manifest_offset < TN_SDNB_HEADER ||
        file->manifest_offset > file->source->size)
        return tn_error_set(error, TN_TRUNCATED, 8,
                            "the manifest at byte %" PRIu64 " of %" PRIu64,
                            file->manifest_offset, file->source->size);
    if (file->manifest_length > file->source->size - file->manifest_offset)
        return tn_error_set(error, TN_TRUNCATED, 16,
                            "a manifest of %" PRIu64 " bytes, %" PRIu64 " left",
                            file->manifest_length,
                            file->source->size - file->manifest_offset);
    return TN_OK;
}

static enum tn_status read_manifest(struct tn_sdnb_file *file,
                                    struct tn_arena     *arena,
                                    struct tn_error     *error)
{
    struct tn_cursor c =
        tn_cursor_span((struct tn_span){ file->source, file->manifest_offset,
                                         file->manifest_length },
                       error);

    if (file->manifest_length == 0)
        return error->status;
    tn_javaser_read(&c, arena, &file->blobs);
    file->is_read = tn_new(arena, bool, file->blobs.count, error);
    for (uint64_t i = 0; i < file->blobs.count && !tn_failed(error); i++)
        tn_intern_borrow(
            &file->names,
            tn_list_at(&file->blobs, struct tn_javaser_entry, i)->key, error);
    return error->status;
}

static bool is_before(const void *left, const void *right)
{
    const struct tn_javaser_entry *a = left, *b = right;

    return a->first != b->first ? a->first < b->first : a->second < b->second;
}

/* Each range lies inside the file, none overlaps another; the graph ends where
 * the first begins. */
static enum tn_status check_ranges(struct tn_sdnb_file *file,
                                   struct tn_arena     *arena,
                                   struct tn_error     *error)
{
    uint64_t     count = file->blobs.count, begin = TN_SDNB_HEADER;
    const void **order = tn_new(arena, const void *, count, error);

    if (count && !order)
        return error->status;
    for (uint64_t i = 0; i < count; i++)
        order[i] = tn_list_at(&file->blobs, struct tn_javaser_entry, i);
    tn_sort(order, count, is_before);
    for (uint64_t i = 0; i < count; i++) {
        const struct tn_javaser_entry *blob = order[i];
        if (blob->first < (int64_t)begin || blob->second < 0 ||
            !tn_inside((uint64_t)blob->first, (uint64_t)blob->second,
                       file->manifest_offset))
            return tn_error_set(error, TN_MALFORMED, blob->offset,
                                "'%.*s' has bytes %" PRId64 " and %" PRId64
                                " more, which are not free",
                                TN_FMT(blob->key), blob->first, blob->second);
        begin = (uint64_t)blob->first + (uint64_t)blob->second;
    }
    uint64_t end =
        count ? (uint64_t)((const struct tn_javaser_entry *)order[0])->first
              : file->manifest_offset;
    file->graph =
        (struct tn_span){ file->source, TN_SDNB_HEADER, end - TN_SDNB_HEADER };
    return TN_OK;
}

enum tn_status tn_sdnb_file_read(struct tn_sdnb_file *file,
                                 struct tn_source    *source,
                                 struct tn_arena *arena, struct tn_error *error)
{
    *file = (struct tn_sdnb_file){ .source = source };
    tn_list_init(&file->blobs, arena->memory, sizeof(struct tn_javaser_entry));
    tn_intern_init(&file->names, arena);
    if (read_header(file, error) == TN_OK &&
        read_manifest(file, arena, error) == TN_OK)
        check_ranges(file, arena, error);
    if (tn_failed(error))
        tn_error_file(error, source->name);
    return error->status;
}

void tn_sdnb_file_done(struct tn_sdnb_file *file)
{
    tn_list_done(&file->blobs);
    tn_intern_done(&file->names);
}

/* ---- BASE.shard<i>-of-<n>.sdnb: which files make a model ---------------- */

#define SHARD_LIMIT 100000

/* Reads back to front: a decimal number before `end`. */
static bool number_before(struct tn_bytes name, size_t *end, uint32_t *value)
{
    size_t   begin = *end;
    uint64_t scale = 1, sum = 0;

    while (begin > 0 && name.data[begin - 1] >= '0' &&
           name.data[begin - 1] <= '9' && sum < SHARD_LIMIT) {
        sum += scale * (uint64_t)(name.data[--begin] - '0');
        scale *= 10;
    }
    if (begin == *end || sum > SHARD_LIMIT)
        return false;
    *end   = begin;
    *value = (uint32_t)sum;
    return true;
}

static bool word_before(struct tn_bytes name, size_t *end, const char *word)
{
    size_t size = strlen(word);

    if (*end < size || memcmp(name.data + *end - size, word, size) != 0)
        return false;
    *end -= size;
    return true;
}

bool tn_sdnb_shard_name(struct tn_bytes name, struct tn_sdnb_shard *shard)
{
    size_t end = name.size;

    shard->has_suffix = word_before(name, &end, TN_SDNB_SUFFIX);
    if (!number_before(name, &end, &shard->count) ||
        !word_before(name, &end, "-of-") ||
        !number_before(name, &end, &shard->index) ||
        !word_before(name, &end, ".shard"))
        return false;
    shard->base = tn_bytes(name.data, end);
    return shard->count > 0 && shard->index < shard->count;
}

/* Of a folder: its shards, when they are those of one model. */
static const char *choose(struct tn_bundle *bundle, struct tn_error *error)
{
    const char *const   *names;
    uint64_t             count;
    const char          *found = NULL;
    struct tn_sdnb_shard first = { 0 }, shard;

    if (tn_bundle_list(bundle, "", &names, &count, error) != TN_OK)
        return NULL;
    for (uint64_t i = 0; i < count; i++) {
        if (!tn_sdnb_shard_name(tn_text(names[i]), &shard))
            continue;
        if (found && (!tn_bytes_equal(first.base, shard.base) ||
                      first.count != shard.count)) {
            tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE,
                         "shards of several models in this folder: open one, "
                         "such as %s",
                         names[i]);
            return NULL;
        }
        found = names[i];
        first = shard;
    }
    if (!found)
        tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE,
                     "no SDNB shard in this folder");
    return found;
}

static enum tn_status open_shards(struct tn_bundle           *bundle,
                                  const struct tn_sdnb_shard *shard,
                                  const char *name, bool is_lax,
                                  struct tn_source **files,
                                  struct tn_error   *error)
{
    for (uint32_t i = 0; i < shard->count; i++) {
        const char *other = tn_text_format(
            &bundle->arena, error, "%.*s.shard%" PRIu32 "-of-%" PRIu32 "%s",
            TN_FMT(shard->base), i, shard->count,
            shard->has_suffix ? TN_SDNB_SUFFIX : "");
        if (!other)
            return error->status;
        if (bundle->main && strcmp(other, name) == 0)
            files[i] = bundle->main;
        else if ((i == 0 || !is_lax || tn_bundle_has(bundle, other)) &&
                 tn_bundle_sibling(bundle, tn_text(other), &files[i], error) !=
                     TN_OK) {
            if (i > 0 && error->reason == TN_REASON_MISSING_FILE)
                error->reason = TN_REASON_MISSING_SHARD;
            return error->status;
        }
    }
    return TN_OK;
}

enum tn_status tn_sdnb_siblings(struct tn_bundle *bundle, bool is_lax,
                                struct tn_source ***files, uint32_t *count,
                                struct tn_error *error)
{
    const char *name = bundle->main ? bundle->name : choose(bundle, error);
    struct tn_sdnb_shard shard;

    if (!name)
        return error->status;
    bool is_shard = tn_sdnb_shard_name(tn_text(name), &shard) &&
                    (!bundle->main || tn_bundle_has_folder(bundle) ||
                     shard.count == 1);
    *count = is_shard ? shard.count : 1;
    *files = tn_new(&bundle->arena, struct tn_source *, *count, error);
    if (!*files)
        return error->status;
    if (is_shard)
        return open_shards(bundle, &shard, name, is_lax, *files, error);
    (*files)[0] = bundle->main;
    return TN_OK;
}

const char *tn_sdnb_stale(struct tn_bundle *bundle)
{
    struct tn_error      error = TN_ERROR_INIT;
    struct tn_bytes      base  = tn_text(bundle->name);
    const char *const   *names;
    uint64_t             count;
    struct tn_sdnb_shard shard;

    if (!bundle->main || !tn_bundle_has_folder(bundle) ||
        tn_sdnb_shard_name(base, &shard) ||
        tn_bundle_list(bundle, "", &names, &count, &error) != TN_OK)
        return "";
    for (size_t i = base.size; i-- > 0;)
        if (base.data[i] == '.') {
            base.size = i; /* without its last extension */
            break;
        }
    for (uint64_t i = 0; i < count; i++)
        if (tn_sdnb_shard_name(tn_text(names[i]), &shard) &&
            tn_bytes_equal(shard.base, base))
            return names[i];
    return "";
}

/* Where the data of one variable is. */
struct place {
    struct tn_sd_array array;
    bool               has_array, is_taken;
    uint64_t           at; /* for messages */
    const char        *file;
};

struct joining {
    struct tn_sd_reader  reader;
    struct tn_arena     *arena;
    struct tn_error     *error;
    struct tn_sdnb_file *files;
    uint32_t             count; /* of files that were begun                   */
    struct tn_intern     names;
    struct tn_list       places; /* struct place, by id of the name           */
    bool                 is_lax;
    uint64_t             missing, doubled, strays; /* that were accepted */
};

static struct place *new_place(struct joining *j, struct tn_bytes name,
                               uint64_t at, const char *file)
{
    uint32_t known = tn_intern_count(&j->names);
    uint32_t id    = tn_intern_borrow(&j->names, name, j->error);

    if (id < known && j->is_lax) {
        j->doubled++;
        return tn_list_at(&j->places, struct place, id);
    }
    if (id != known) {
        tn_error_set(j->error, TN_MALFORMED, at, "data of '%.*s' once more",
                     TN_FMT(name));
        tn_error_file(j->error, file);
        return NULL;
    }
    struct place *place = tn_list_push(&j->places, struct place, j->error);
    if (place)
        *place = (struct place){ .at = at, .file = file };
    return place;
}

/* ---- arrays that have only a range of bytes ----------------------------- */

static bool has_dims(const struct tn_sd_variable *v, struct tn_arena *arena,
                     struct tn_shape *shape, struct tn_error *error)
{
    uint64_t *dims = tn_new(arena, uint64_t, v->rank, error);

    if (!v->has_shape || !dims)
        return false;
    for (uint32_t i = 0; i < v->rank; i++) {
        if (v->shape[i] < 0)
            return false;
        dims[i] = (uint64_t)v->shape[i];
    }
    *shape = (struct tn_shape){ tn_sd_dtype(v->dtype), v->rank, dims };
    return true;
}

static bool read_blob(struct joining *j, const struct tn_sdnb_file *file,
                      const struct tn_sd_variable *v, struct tn_sd_array *array)
{
    uint32_t id    = tn_intern_find(&file->names, v->name);
    uint64_t bytes = 0;

    *array = (struct tn_sd_array){ .dtype = v->dtype, .order = 'c' };
    if (id == TN_NO_NAME)
        return false;
    const struct tn_javaser_entry *blob =
        tn_list_at(&file->blobs, struct tn_javaser_entry, id);
    struct tn_shape *shape = &array->elements.shape;
    file->is_read[id]      = true;
    if (!has_dims(v, j->arena, shape, j->error) ||
        !tn_shape_bytes(shape, &bytes) || bytes != (uint64_t)blob->second) {
        tn_error_set(j->error, TN_MALFORMED, blob->offset,
                     "'%.*s' has %" PRId64 " bytes, its shape needs %" PRIu64,
                     TN_FMT(v->name), blob->second, bytes);
        tn_error_file(j->error, file->source->name);
        return false;
    }
    array->at = (uint64_t)blob->first;
    array->elements.payload =
        tn_payload_raw(shape,
                       (struct tn_span){ file->source, (uint64_t)blob->first,
                                         (uint64_t)blob->second },
                       1);
    return true;
}

/* Arrays without elements are written without an array. */
static bool is_empty(struct joining *j, const struct tn_sd_variable *v,
                     struct tn_sd_array *array)
{
    uint64_t count = 1;

    *array = (struct tn_sd_array){
        .dtype = v->dtype, .order = 'c', .is_empty = true, .at = v->at
    };
    return (v->kind == TN_SD_VARIABLE || v->kind == TN_SD_CONSTANT) &&
           has_dims(v, j->arena, &array->elements.shape, j->error) &&
           tn_shape_count(&array->elements.shape, &count) && count == 0;
}

static bool find(void *context, const struct tn_sd_variable *v,
                 struct tn_sd_array *array, struct tn_error *error)
{
    struct joining *j  = context;
    uint32_t        id = tn_intern_find(&j->names, v->name);

    (void)error;
    if (j->reader.graph != 0) /* no blobs for graphs in the graph */
        return is_empty(j, v, array);
    if (id == TN_NO_NAME)
        return read_blob(j, &j->files[0], v, array) || tn_failed(j->error) ||
               is_empty(j, v, array);
    struct place *place = tn_list_at(&j->places, struct place, id);
    place->is_taken     = true;
    *array              = place->array;
    return true;
}

/* ---- shards ------------------------------------------------------------- */

static void take_variable(struct joining *j, const struct tn_sdnb_file *file,
                          const struct tn_fb_table *table)
{
    struct tn_fb_table    child = tn_fb_child(table, TN_SD_VARIABLE_ARRAY);
    struct tn_sd_variable v;
    struct tn_sd_array    array;

    tn_sd_variable_read(table, j->arena, j->error, &v);
    if (tn_failed(j->error))
        return;
    if (child.fb)
        tn_sd_array_read(&child, true, j->arena, &array);
    else if (!read_blob(j, file, &v, &array) &&
             (tn_failed(j->error) || !is_empty(j, &v, &array)))
        return;
    struct place *place = tn_failed(j->error)
                              ? NULL
                              : new_place(j, v.name, v.at, file->source->name);
    if (place && (!place->has_array || child.fb)) {
        place->array     = array;
        place->has_array = true;
    }
}

static void take_shard(struct joining *j, const struct tn_sdnb_file *file)
{
    struct tn_fb_table  root = tn_sd_reader_open(&j->reader, file->graph);
    struct tn_fb_vector variables;

    if (!root.fb)
        return;
    variables = tn_fb_vector(&root, TN_SD_GRAPH_VARIABLES, 4);
    for (uint32_t i = 0; i < variables.count && !tn_failed(j->error); i++) {
        struct tn_fb_table table = tn_sd_table_in(&variables, i);
        if (table.fb)
            take_variable(j, file, &table);
        if (tn_failed(j->error))
            tn_error_where(j->error, "variables[%" PRIu32 "]", i);
    }
}

static void take_states(struct joining *j)
{
    for (uint32_t i = 1; i < j->count && !tn_failed(j->error); i++) {
        struct tn_fb_table root =
            tn_sd_reader_open(&j->reader, j->files[i].graph);
        if (root.fb)
            tn_sd_reader_states(&j->reader, &root);
        tn_error_file(j->error, j->files[i].source->name);
    }
}

/* Data that nothing refers to. */
static void check_taken(struct joining *j)
{
    for (uint64_t i = 0; i < j->places.count; i++) {
        const struct place *place = tn_list_at(&j->places, struct place, i);
        j->strays += !place->is_taken;
        if (place->is_taken || j->is_lax)
            continue;
        tn_error_set(j->error, TN_MALFORMED, place->at,
                     "data of '%.*s', which the graph does not have",
                     TN_FMT(tn_intern_text(&j->names, (uint32_t)i)));
        tn_error_file(j->error, place->file);
        return;
    }
}

/* Each range belongs to a variable that has no data in the graph. */
static void check_blobs(struct joining *j, const struct tn_sdnb_file *file)
{
    for (uint64_t i = 0; i < file->blobs.count && !tn_failed(j->error); i++) {
        const struct tn_javaser_entry *blob =
            tn_list_at(&file->blobs, struct tn_javaser_entry, i);
        j->strays += !file->is_read[i];
        if (file->is_read[i] || j->is_lax)
            continue;
        tn_error_set(j->error, TN_MALFORMED, blob->offset,
                     "'%.*s' is not a variable without data",
                     TN_FMT(blob->key));
        tn_error_file(j->error, file->source->name);
    }
}

/* Problems that a lax model accepts are reported. */
static void beware(struct joining *j, uint64_t count, const char *of)
{
    if (count)
        tn_model_add_fact_format(j->reader.model, j->error, "beware",
                                 "%s: %" PRIu64, of, count);
}

static void join(struct joining *j)
{
    struct tn_sd_reader *r = &j->reader;

    for (uint32_t i = 1; i < j->count && !tn_failed(j->error); i++) {
        take_shard(j, &j->files[i]);
        if (tn_failed(j->error))
            tn_error_file(j->error, j->files[i].source->name);
    }
    if (!tn_failed(j->error) &&
        tn_sd_reader_graph(r, j->files[0].graph) != TN_OK)
        tn_error_file(j->error, j->files[0].source->name);
    if (!tn_failed(j->error))
        check_taken(j);
    for (uint32_t i = 0; i < j->count; i++)
        check_blobs(j, &j->files[i]);
    if (!tn_failed(j->error))
        take_states(j);
    if (!tn_failed(j->error) && j->count > 1)
        tn_model_add_fact_format(r->model, j->error, "shards", "%" PRIu32,
                                 j->count);
    beware(j, j->missing, "shards that are missing");
    beware(j, j->doubled, "data of a variable in two shards");
    beware(j, j->strays, "data of no variable");
    if (j->count == 1 && !j->missing)
        r->detail->file =
            (struct tn_span){ j->files[0].source, 0, j->files[0].source->size };
    if (!tn_failed(j->error))
        tn_sd_reader_finish(r);
}

enum tn_status tn_sdnb_read(struct tn_model *model, struct tn_source **files,
                            uint32_t count, struct tn_error *error)
{
    struct joining j = { .arena  = &model->arena,
                         .error  = error,
                         .is_lax = model->is_lax };

    tn_sd_reader_init(&j.reader, model, error);
    j.reader.is_plain     = true;
    j.reader.find         = find;
    j.reader.find_context = &j;
    tn_intern_init(&j.names, &model->arena);
    tn_list_init(&j.places, model->memory, sizeof(struct place));
    j.files = tn_new(&model->arena, struct tn_sdnb_file, count, error);
    for (uint32_t i = 0; i < count && !tn_failed(error); i++) {
        j.missing += !files[i];
        if (files[i])
            tn_sdnb_file_read(&j.files[j.count++], files[i], &model->arena,
                              error);
    }
    if (!tn_failed(error))
        join(&j);
    for (uint32_t i = 0; i < j.count; i++)
        tn_sdnb_file_done(&j.files[i]);
    tn_list_done(&j.places);
    tn_intern_done(&j.names);
    tn_sd_reader_done(&j.reader);
    return error->status;
}
