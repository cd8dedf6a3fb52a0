/*
 * st_write.c - writing safetensors
 *
 * The layout is the reference's: data by descending alignment of the type,
 * then by name, so that each tensor is aligned; the header without spaces, but
 * for those that make it a multiple of 8.  The same tensors give the same
 * bytes, whatever order they came in.
 *
 * Several files are filled in the order of the model, so that what is used
 * together lies together, and inside each the layout is as above.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/arith.h"
#include "base/buffer.h"
#include "base/json_write.h"
#include "base/little.h"
#include "base/sort.h"
#include "base/utf8.h"
#include "format/bare.h"
#include "format/registry.h"
#include "format/safetensors/st.h"
#include "format/safetensors/st_alias.h"
#include "ir/changes.h"

#define ALIGNMENT 8

struct plan {
    struct tn_bytes           name;
    const struct tn_elements *elements;
    const struct tn_st_type  *type;
    uint64_t                  size;
    uint32_t                  shard;
    const struct plan        *of; /* NULL: stored; else a part of that one    */
    const struct tn_st_alias *alias;
};

struct writing {
    const struct tn_model         *model;
    const struct tn_write_options *options;
    struct tn_output              *to;
    struct tn_error               *error;
    struct tn_arena                arena;
    struct plan                   *plans; /* in the order of the model        */
    uint64_t                       plan_count;
    const struct plan            **sorted; /* those that are stored           */
    uint64_t                       count;
    uint32_t                       shard_count;
};

/* ---- the plan ----------------------------------------------------------- */

static const struct tn_st_type *type_of(enum tn_dtype dtype)
{
    enum tn_dtype stand_in = tn_bare_substitute(dtype);

    for (unsigned i = 0; i < tn_st_type_count; i++)
        if (tn_st_types[i].dtype == stand_in && stand_in != TN_UNDEFINED)
            return &tn_st_types[i];
    return NULL;
}

static const char *refuse(const struct tn_elements *elements)
{
    const struct tn_st_type *type = type_of(elements->shape.dtype);
    uint64_t                 count, size;

    if (elements->shape.dtype == TN_STRING)
        return "left behind: safetensors has no strings";
    if (!type)
        return "left behind: safetensors has no such elements";
    if (!tn_shape_count(&elements->shape, &count))
        return "left behind: a shape of more than 2^64 elements";
    if (type->bits < 8 && count * type->bits % 8)
        return "left behind: elements that do not fill their last byte";
    if (elements->shape.rank > TN_ST_RANK_LIMIT)
        return "left behind: more dimensions than readers of safetensors take";
    if (!tn_st_size(type, elements->shape.rank, elements->shape.dims, &size))
        return "left behind: a shape of more than 2^64 bytes";
    return NULL;
}

static enum tn_status plan_tensor(struct writing *w, struct plan *p,
                                  const struct tn_bare_tensor *tensor)
{
    *p = (struct plan){ .name     = tensor->name,
                        .elements = tensor->elements,
                        .type     = type_of(tensor->elements->shape.dtype) };
    if (!tn_utf8_is_valid(p->name) || tn_bytes_is(p->name, TN_ST_METADATA))
        return tn_error_set(w->error, TN_INVALID, TN_NOWHERE,
                            "'%.*s' is not a valid tensor name in safetensors",
                            TN_FMT(p->name));
    tn_bare_lose_type(w->options, tensor, p->type->dtype);
    if (!tn_st_size(p->type, p->elements->shape.rank, p->elements->shape.dims,
                    &p->size))
        return tn_error_set(w->error, TN_LIMIT, TN_NOWHERE,
                            "'%.*s' has more than 2^64 bytes", TN_FMT(p->name));
    return TN_OK;
}

static void tell_alias(const struct writing *w, const struct plan *p)
{
    char text[200];

    if (!w->options->note)
        return;
    snprintf(text, sizeof text, "stored once, as %s '%.*s'",
             p->alias->is_view ? "a part of" : "the same as",
             TN_FMT(p->of->name));
    char where[160];
    snprintf(where, sizeof where, "%.*s", TN_FMT(p->name));
    w->options->note(w->options->note_context, TN_NOWHERE, where, text);
}

/* Tensors that are stored go to the files, in the order of the model; those
 * that are parts of others to where these are. */
static enum tn_status place_plans(struct writing *w)
{
    uint64_t filled = 0, limit = w->options->shard_size;

    w->shard_count = 1;
    for (uint64_t i = 0; i < w->plan_count; i++) {
        struct plan *p = &w->plans[i];
        if (p->of) {
            tell_alias(w, p);
            continue;
        }
        if (limit && filled && (filled > limit || p->size > limit - filled)) {
            w->shard_count++;
            filled = 0;
        }
        if (!tn_add(filled, p->size, &filled))
            return tn_error_set(w->error, TN_LIMIT, TN_NOWHERE,
                                "more than 2^64 bytes in one file");
        p->shard              = w->shard_count - 1;
        w->sorted[w->count++] = p;
    }
    return TN_OK;
}

static enum tn_status make_plans(struct writing *w)
{
    struct tn_bare_set set;

    TN_TRY(tn_bare_collect(w->model, w->options, refuse, &w->arena, &set,
                           w->error));
    const struct tn_st_alias *aliases =
        tn_st_find_aliases(&set, &w->arena, w->error);
    w->plan_count = set.count;
    w->plans      = tn_new(&w->arena, struct plan, set.count, w->error);
    w->sorted     = tn_new(&w->arena, const struct plan *, set.count, w->error);
    if (!aliases || !w->plans || !w->sorted)
        return w->error->status;
    for (uint64_t i = 0; i < set.count; i++) {
        TN_TRY(plan_tensor(w, &w->plans[i], &set.items[i]));
        if (aliases[i].of == i)
            continue;
        w->plans[i].of    = &w->plans[aliases[i].of];
        w->plans[i].alias = &aliases[i];
    }
    return place_plans(w);
}

static bool is_before(const void *a, const void *b)
{
    const struct plan *x = a, *y = b;

    if (x->shard != y->shard)
        return x->shard < y->shard;
    if (x->type != y->type) /* the table ascends */
        return x->type > y->type;
    return tn_bytes_compare(x->name, y->name) < 0;
}

static bool name_is_before(const void *a, const void *b)
{
    const struct plan *x = a, *y = b;

    return tn_bytes_compare(x->name, y->name) < 0;
}

/* ---- one file ----------------------------------------------------------- */

static void put_text(struct tn_buffer *to, struct tn_bytes text)
{
    struct tn_json_writer json;

    tn_json_writer_init(&json, &to->sink, false, to->error);
    tn_json_string(&json, text);
}

static void put_pair(struct tn_buffer *to, bool is_first, struct tn_bytes key,
                     struct tn_bytes value)
{
    tn_buffer_text(to, is_first ? "\"" TN_ST_METADATA "\":{" : ",");
    put_text(to, key);
    tn_buffer_byte(to, ':');
    put_text(to, value);
}

static bool has_key(const struct tn_st_detail *detail, struct tn_bytes key)
{
    for (uint64_t i = 0; detail && i < detail->metadata_count; i++)
        if (tn_bytes_equal(detail->metadata[i].key, key))
            return true;
    return false;
}

/* Pairs that an edit added. */
static void put_new_pairs(const struct writing *w, struct tn_buffer *to,
                          const struct tn_st_detail *detail, uint64_t *put)
{
    const struct tn_changes *changes = w->model->changes;

    for (uint32_t i = 0; changes && i < changes->text_count; i++) {
        const struct tn_text_change *text = &changes->texts[i];
        if (text->kind != TN_TEXT_METADATA || has_key(detail, text->key))
            continue;
        if (text->value.data)
            put_pair(to, (*put)++ == 0, text->key, text->value);
        else
            tn_changes_miss(text, w->error);
    }
}

static void put_numbers(struct tn_json_writer *json, const char *key,
                        uint32_t count, const uint64_t *numbers)
{
    tn_json_key(json, key);
    tn_json_array_begin(json);
    for (uint32_t i = 0; i < count; i++)
        tn_json_put_uint64(json, numbers[i]);
    tn_json_array_end(json);
}

static void put_view(struct tn_json_writer *json, const struct plan *p)
{
    const struct tn_shape *shape = &p->elements->shape;

    tn_json_key_bytes(json, p->name);
    tn_json_object_begin(json);
    tn_json_key(json, "of");
    tn_json_string(json, p->of->name);
    tn_json_key(json, "start");
    tn_json_put_uint64(json, p->alias->start);
    put_numbers(json, "shape", shape->rank, shape->dims);
    if (p->alias->strides) /* which are not negative */
        put_numbers(json, "strides", shape->rank,
                    (const uint64_t *)p->alias->strides);
    tn_json_object_end(json);
}

/* Names of tensors that are stored once, in that file. */
static void put_aliases(const struct writing *w, uint32_t shard,
                        struct tn_buffer *to, uint64_t *put)
{
    struct tn_json_writer json;
    struct tn_buffer      views;

    tn_buffer_init(&views, w->model->memory, w->error);
    tn_json_writer_init(&json, &views.sink, false, w->error);
    for (uint64_t i = 0; i < w->plan_count; i++) {
        const struct plan *p = &w->plans[i];
        if (!p->of || p->of->shard != shard)
            continue;
        if (!p->alias->is_view) {
            put_pair(to, (*put)++ == 0, p->name, p->of->name);
            continue;
        }
        if (views.size == 0)
            tn_json_object_begin(&json);
        put_view(&json, p);
    }
    if (views.size) {
        tn_json_object_end(&json);
        put_pair(to, (*put)++ == 0, tn_text(TN_ST_VIEWS),
                 tn_buffer_bytes(&views));
    }
    tn_buffer_done(&views);
}

/* Its own texts, or those of another format. */
static void put_metadata(const struct writing *w, uint32_t shard,
                         struct tn_buffer *to)
{
    const struct tn_st_detail *detail = w->model->detail;
    const struct tn_about     *about  = w->options->about;
    uint64_t                   count  = about ? about->items.count : 0;
    bool is_st  = tn_is_of_format(w->model, &tn_format_safetensors);
    bool is_own = is_st && detail;

    uint64_t put = 0;

    if (is_own)
        count = detail->metadata_count;
    for (uint64_t i = 0; i < count; i++) {
        const struct tn_fact *said =
            is_own ? NULL : tn_list_at(&about->items, struct tn_fact, i);
        struct tn_bytes key = is_own ? detail->metadata[i].key : said->key;
        struct tn_bytes value =
            is_own ? detail->metadata[i].value : said->value;
        const struct tn_text_change *change =
            is_own ? tn_changes_text(w->model->changes, TN_TEXT_METADATA, key)
                   : NULL; /* these texts include the changes */
        if (change && !change->value.data)
            continue;
        put_pair(to, put++ == 0, key, change ? change->value : value);
    }
    if (is_st)
        put_new_pairs(w, to, detail, &put);
    put_aliases(w, shard, to, &put);
    if (put)
        tn_buffer_byte(to, '}');
}

static void put_tensor(struct tn_buffer *to, const struct plan *p,
                       uint64_t begin)
{
    const struct tn_shape *shape = &p->elements->shape;

    if (to->size > 1)
        tn_buffer_byte(to, ',');
    put_text(to, p->name);
    tn_buffer_format(to, ":{\"dtype\":\"%s\",\"shape\":[", p->type->name);
    for (uint32_t i = 0; i < shape->rank; i++)
        tn_buffer_format(to, "%s%" PRIu64, i ? "," : "", shape->dims[i]);
    tn_buffer_format(to, "],\"data_offsets\":[%" PRIu64 ",%" PRIu64 "]}", begin,
                     begin + p->size);
}

static enum tn_status put_header(const struct writing *w, uint64_t first,
                                 uint64_t end, struct tn_buffer *header)
{
    uint64_t begin = 0;

    tn_buffer_byte(header, '{');
    put_metadata(w, first < end ? w->sorted[first]->shard : 0, header);
    for (uint64_t i = first; i < end; i++) {
        put_tensor(header, w->sorted[i], begin);
        begin += w->sorted[i]->size;
    }
    tn_buffer_byte(header, '}');
    while (header->size % ALIGNMENT && !tn_failed(w->error))
        tn_buffer_byte(header, ' ');
    if (header->size > TN_ST_HEADER_LIMIT)
        tn_error_set(w->error, TN_LIMIT, TN_NOWHERE,
                     "a header of %zu bytes, readers take %" PRIu64
                     ": use --shard-size",
                     header->size, TN_ST_HEADER_LIMIT);
    return w->error->status;
}

/* The tensors [first, end) of the sorted ones. */
static enum tn_status write_file(struct writing *w, uint64_t first,
                                 uint64_t end, struct tn_sink *sink)
{
    struct tn_buffer header;
    uint8_t          length[8];

    tn_buffer_init(&header, w->model->memory, w->error);
    if (put_header(w, first, end, &header) == TN_OK) {
        tn_store_little(length, header.size, sizeof length);
        if (tn_sink_write(sink, tn_bytes(length, sizeof length), w->error) ==
            TN_OK)
            tn_sink_write(sink, tn_buffer_bytes(&header), w->error);
    }
    tn_buffer_done(&header);
    for (uint64_t i = first; i < end && !tn_failed(w->error); i++) {
        const struct plan *p = w->sorted[i];
        if (tn_bare_stream(p->elements, w->options, w->model->memory,
                           p->type->bits < 8, sink, w->error) != TN_OK)
            tn_error_where(w->error, "%.*s", TN_FMT(p->name));
    }
    return w->error->status;
}

/* ---- several files ------------------------------------------------------ */

static const char *shard_name(struct writing *w, uint32_t shard)
{
    const char *name = tn_output_name(w->to);

    return tn_text_format(&w->arena, w->error,
                          "%.*s-%05" PRIu32 "-of-%05" PRIu32 TN_ST_SUFFIX,
                          (int)(strlen(name) - strlen(TN_ST_INDEX_SUFFIX)),
                          name, shard + 1, w->shard_count);
}

static enum tn_status write_index(struct writing *w, const char *const *names)
{
    struct tn_json_writer json;
    struct tn_sink       *sink;
    uint64_t              total = 0;

    TN_TRY(tn_output_main(w->to, &sink, w->error));
    tn_sort((const void **)(void *)w->sorted, w->count, name_is_before);
    for (uint64_t i = 0; i < w->count; i++)
        total += w->sorted[i]->size;
    tn_json_writer_init(&json, sink, true, w->error);
    tn_json_object_begin(&json);
    tn_json_key(&json, "metadata");
    tn_json_object_begin(&json);
    tn_json_key(&json, "total_size");
    tn_json_put_uint64(&json, total);
    tn_json_object_end(&json);
    tn_json_key(&json, "weight_map");
    tn_json_object_begin(&json);
    for (uint64_t i = 0; i < w->count; i++) {
        tn_json_key_bytes(&json, w->sorted[i]->name);
        tn_json_text(&json, names[w->sorted[i]->shard]);
    }
    tn_json_object_end(&json);
    tn_json_object_end(&json);
    if (!tn_failed(w->error))
        tn_sink_write(sink, tn_text("\n"), w->error);
    return w->error->status;
}

static enum tn_status write_shards(struct writing *w)
{
    const char **names =
        tn_new(&w->arena, const char *, w->shard_count, w->error);
    uint64_t first = 0;

    for (uint32_t shard = 0; names && shard < w->shard_count; shard++) {
        struct tn_sink *sink;
        uint64_t        end = first;
        while (end < w->count && w->sorted[end]->shard == shard)
            end++;
        names[shard] = shard_name(w, shard);
        if (!names[shard])
            break;
        TN_TRY(tn_output_side(w->to, names[shard], &sink, w->error));
        TN_TRY(write_file(w, first, end, sink));
        first = end;
    }
    return tn_failed(w->error) ? w->error->status : write_index(w, names);
}

static enum tn_status write_all(struct writing *w)
{
    const char     *name     = tn_output_name(w->to);
    bool            is_index = tn_text_ends_with(name, TN_ST_INDEX_SUFFIX);
    struct tn_sink *sink;

    if (w->options->shard_size && !is_index)
        return tn_error_set(
            w->error, TN_INVALID, TN_NOWHERE,
            "several files need an index: the output must be called "
            "NAME" TN_ST_INDEX_SUFFIX);
    TN_TRY(make_plans(w));
    tn_sort((const void **)(void *)w->sorted, w->count, is_before);
    if (is_index)
        return write_shards(w);
    TN_TRY(tn_output_main(w->to, &sink, w->error));
    return write_file(w, 0, w->count, sink);
}

enum tn_status tn_st_write(const struct tn_model         *model,
                           const struct tn_write_options *options,
                           struct tn_output *to, struct tn_error *error)
{
    struct writing w = {
        .model = model, .options = options, .to = to, .error = error
    };

    tn_arena_init(&w.arena, model->memory);
    write_all(&w);
    tn_arena_done(&w.arena);
    return error->status;
}
