/* st_alias.c - finding tensors that share bytes, and reading where they are */
#include "format/safetensors/st_alias.h"

#include "base/arith.h"
#include "base/json_read.h"
#include "base/sort.h"
#include "ir/payload_stride.h"

/* ---- which tensors share bytes ------------------------------------------- */

/* The bytes of a file that a tensor is a view of. */
struct extent {
    const struct tn_elements *elements;
    uint64_t                  index;
    struct tn_source         *source;
    uint64_t                  begin, end;
    uint8_t                   encoding;
    const int64_t            *strides; /* NULL: side by side                  */
};

/* Elements that are stored side by side, in either byte order. */
static bool is_row(const struct tn_elements *e, uint64_t *bytes)
{
    const struct tn_payload *payload = &e->payload;

    return (payload->encoding == TN_ENCODING_RAW ||
            payload->encoding == TN_ENCODING_RAW_BIG) &&
           payload->per_byte <= 1 && payload->span.source &&
           tn_shape_bytes(&e->shape, bytes) && *bytes &&
           payload->span.length == *bytes;
}

static bool find_strided(const struct tn_elements *e, struct extent *x)
{
    const struct tn_view *view = e->payload.view;
    uint64_t              size = tn_dtype_size(e->shape.dtype), bytes, last;

    if (e->payload.encoding != TN_ENCODING_VIEW ||
        view->kind != TN_VIEW_STRIDES || !is_row(&view->inputs[0], &bytes) ||
        view->inputs[0].shape.dtype != e->shape.dtype || size == 0)
        return false;
    last = view->begin[0];
    for (uint32_t i = 0; i < e->shape.rank; i++) {
        uint64_t reach;
        if (e->shape.dims[i] == 0 || view->step[i] < 0 ||
            !tn_mul(e->shape.dims[i] - 1, (uint64_t)view->step[i], &reach) ||
            !tn_add(last, reach, &last))
            return false;
    }
    if (last >= bytes / size)
        return false;
    const struct tn_payload *row = &view->inputs[0].payload;
    x->source   = row->span.source;
    x->encoding = row->encoding;
    x->begin    = row->span.offset + view->begin[0] * size;
    x->end      = row->span.offset + (last + 1) * size;
    x->strides  = view->step;
    return true;
}

static bool find_extent(const struct tn_elements *e, struct extent *x)
{
    uint64_t bytes;

    if (!is_row(e, &bytes))
        return find_strided(e, x);
    x->source   = e->payload.span.source;
    x->encoding = e->payload.encoding;
    x->begin    = e->payload.span.offset;
    x->end      = x->begin + bytes;
    return true;
}

static int order(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

/* What can be a part of another comes after it. */
static int compare(const void *a, const void *b, void *context)
{
    const struct extent *x = a, *y = b;
    int                  by;

    (void)context;
    if ((by = order((uintptr_t)x->source, (uintptr_t)y->source)) ||
        (by = order(x->encoding, y->encoding)) ||
        (by = order(x->elements->shape.dtype, y->elements->shape.dtype)) ||
        (by = order(x->begin, y->begin)) || (by = order(y->end, x->end)) ||
        (by = order(x->strides != NULL, y->strides != NULL)))
        return by;
    return order(x->index, y->index);
}

static bool is_comparable(const struct extent *x, const struct extent *y)
{
    return x && x->source == y->source && x->encoding == y->encoding &&
           x->elements->shape.dtype == y->elements->shape.dtype;
}

/* Two views of the same elements in the same order. */
static bool is_same_view(const struct extent *x, const struct extent *y)
{
    if (!is_comparable(x, y) || x->begin != y->begin || !x->strides ||
        !y->strides ||
        !tn_shape_equal(&x->elements->shape, &y->elements->shape))
        return false;
    uint32_t rank = x->elements->shape.rank;
    return rank == 0 ||
           memcmp(x->strides, y->strides, rank * sizeof *x->strides) == 0;
}

/* `cover` is the stored tensor that reaches furthest so far. */
static bool find_cover(const struct extent *x, const struct extent *cover,
                       struct tn_st_alias *alias)
{
    uint64_t size = tn_dtype_size(x->elements->shape.dtype);

    if (!is_comparable(cover, x) || x->end > cover->end ||
        (x->begin - cover->begin) % size)
        return false;
    *alias = (struct tn_st_alias){
        .of      = cover->index,
        .start   = (x->begin - cover->begin) / size,
        .strides = x->strides,
        .is_view = x->strides ||
                   !tn_shape_equal(&x->elements->shape, &cover->elements->shape),
    };
    return true;
}

struct tn_st_alias *tn_st_find_aliases(const struct tn_bare_set *set,
                                       struct tn_arena          *arena,
                                       struct tn_error          *error)
{
    struct tn_st_alias *aliases =
        tn_new(arena, struct tn_st_alias, set->count, error);
    struct extent *all   = tn_new(arena, struct extent, set->count, error);
    struct extent *cover = NULL, *view = NULL;
    uint64_t       count = 0;

    if (!aliases || !all)
        return NULL;
    for (uint64_t i = 0; i < set->count; i++) {
        aliases[i].of = i;
        all[count] =
            (struct extent){ .elements = set->items[i].elements, .index = i };
        count += find_extent(set->items[i].elements, &all[count]);
    }
    tn_sort_items(all, count, sizeof *all, compare, NULL);
    for (uint64_t i = 0; i < count; i++) {
        struct extent *x = &all[i];
        if (find_cover(x, cover, &aliases[x->index]))
            continue;
        if (is_same_view(view, x)) {
            aliases[x->index].of = view->index;
            continue;
        }
        if (x->strides)
            view = x;
        else
            cover = x;
    }
    return aliases;
}

/* ---- reading ------------------------------------------------------------- */

bool tn_st_is_alias(const struct tn_st_file *file,
                    const struct tn_intern  *names,
                    const struct tn_st_pair *pair)
{
    (void)file;
    return tn_bytes_is(pair->key, TN_ST_VIEWS) ||
           (tn_intern_find(names, pair->value) != TN_NO_NAME &&
            tn_intern_find(names, pair->key) == TN_NO_NAME);
}

struct reader {
    const struct tn_st_file *file;
    const struct tn_intern  *names;
    struct tn_arena         *arena;
    struct tn_list          *to;
    struct tn_error         *error;
    struct tn_cursor         cursor;
    struct tn_json_reader    json;
};

static struct tn_st_named *add(struct reader *r, struct tn_bytes name)
{
    struct tn_st_named *row =
        tn_list_push(r->to, struct tn_st_named, r->error);

    if (row)
        *row = (struct tn_st_named){ .name = name };
    return row;
}

static const struct tn_st_tensor *find(struct reader *r, struct tn_bytes name)
{
    uint32_t id = tn_intern_find(r->names, name);

    return id == TN_NO_NAME
               ? NULL
               : tn_list_at(&r->file->tensors, struct tn_st_tensor, id);
}

static void refuse(struct reader *r, const char *what)
{
    if (!tn_failed(r->error))
        tn_error_set(r->error, TN_MALFORMED, TN_NOWHERE,
                     TN_ST_METADATA "." TN_ST_VIEWS ": %s", what);
}

/* A list of numbers; how many there are. */
static uint32_t read_numbers(struct reader *r, int64_t numbers[TN_ST_RANK_LIMIT])
{
    uint32_t           count = 0;
    enum tn_json_event event = tn_json_next(&r->json);

    if (event != TN_JSON_ARRAY_BEGIN)
        refuse(r, "a list of numbers was expected");
    while (!tn_failed(r->error) &&
           (event = tn_json_next(&r->json)) == TN_JSON_NUMBER) {
        int64_t number = tn_json_int64(&r->json);
        if (number < 0 || count == TN_ST_RANK_LIMIT)
            refuse(r, "more dimensions than tensors have, or a negative one");
        else
            numbers[count++] = number;
    }
    if (event != TN_JSON_ARRAY_END)
        refuse(r, "a list of numbers was expected");
    return count;
}

static void keep_numbers(struct reader *r, struct tn_st_named *row,
                         const int64_t *dims, uint32_t rank,
                         const int64_t *strides, uint32_t stride_count)
{
    if (stride_count && stride_count != rank)
        refuse(r, "as many strides as dimensions were expected");
    row->rank    = rank;
    row->dims    = tn_new(r->arena, uint64_t, rank, r->error);
    row->strides = stride_count ? tn_new(r->arena, int64_t, rank, r->error)
                                : NULL;
    for (uint32_t i = 0; i < rank && !tn_failed(r->error); i++) {
        row->dims[i] = (uint64_t)dims[i];
        if (row->strides)
            row->strides[i] = strides[i];
    }
}

static void read_view(struct reader *r, struct tn_st_named *row)
{
    int64_t  dims[TN_ST_RANK_LIMIT], strides[TN_ST_RANK_LIMIT];
    uint32_t rank = 0, stride_count = 0;

    row->is_view = true;
    if (tn_json_next(&r->json) != TN_JSON_OBJECT_BEGIN)
        refuse(r, "an object was expected");
    while (!tn_failed(r->error) && tn_json_next(&r->json) == TN_JSON_KEY) {
        if (tn_bytes_is(r->json.text, "of")) {
            if (tn_json_next(&r->json) == TN_JSON_STRING)
                row->of = find(r, r->json.text);
        } else if (tn_bytes_is(r->json.text, "start")) {
            tn_json_next(&r->json);
            row->start = tn_json_uint64(&r->json);
        } else if (tn_bytes_is(r->json.text, "shape")) {
            rank = read_numbers(r, dims);
        } else if (tn_bytes_is(r->json.text, "strides")) {
            stride_count = read_numbers(r, strides);
        } else {
            tn_json_skip(&r->json);
        }
    }
    if (!row->of)
        refuse(r, "a tensor that is not in the file");
    if (!tn_failed(r->error))
        keep_numbers(r, row, dims, rank, strides, stride_count);
}

static void read_views(struct reader *r, struct tn_bytes text)
{
    struct tn_error own = TN_ERROR_INIT; /* its offsets are those of the text */
    struct tn_error *kept = r->error;
    struct tn_intern seen;

    r->error  = &own;
    r->cursor = tn_cursor_bytes(text, 0, &own);
    tn_json_open(&r->json, &r->cursor, r->arena->memory);
    tn_intern_init(&seen, r->arena);
    if (tn_json_next(&r->json) != TN_JSON_OBJECT_BEGIN)
        refuse(r, "an object was expected");
    while (!tn_failed(&own) && tn_json_next(&r->json) == TN_JSON_KEY) {
        struct tn_bytes name  = tn_bytes_dup(r->arena, r->json.text, &own);
        uint32_t        known = tn_intern_count(&seen);
        if (find(r, name) || tn_intern_borrow(&seen, name, &own) < known)
            refuse(r, "a name that another tensor has");
        struct tn_st_named *row = tn_failed(&own) ? NULL : add(r, name);
        if (row)
            read_view(r, row);
    }
    tn_intern_done(&seen);
    tn_json_close(&r->json);
    r->error = kept;
    if (tn_failed(&own)) {
        own.offset = TN_NOWHERE;
        *r->error  = own;
    }
}

enum tn_status tn_st_read_aliases(const struct tn_st_file *file,
                                  const struct tn_intern  *names,
                                  struct tn_arena *arena, struct tn_list *to,
                                  struct tn_error *error)
{
    struct reader r = { .file  = file,
                        .names = names,
                        .arena = arena,
                        .to    = to,
                        .error = error };

    for (uint64_t i = 0; i < file->metadata.count && !tn_failed(error); i++) {
        const struct tn_st_pair *pair =
            tn_list_at(&file->metadata, struct tn_st_pair, i);
        if (!tn_st_is_alias(file, names, pair))
            continue;
        if (tn_bytes_is(pair->key, TN_ST_VIEWS)) {
            read_views(&r, pair->value);
            continue;
        }
        struct tn_st_named *row = add(&r, pair->key);
        if (row)
            row->of = find(&r, pair->value);
    }
    return error->status;
}

enum tn_status tn_st_alias_elements(const struct tn_st_named *named,
                                    const struct tn_st_file  *file,
                                    struct tn_arena          *arena,
                                    struct tn_elements       *elements,
                                    struct tn_error          *error)
{
    const struct tn_st_tensor *t    = named->of;
    struct tn_span             span = { file->source, file->data + t->begin,
                                        t->end - t->begin };
    struct tn_elements         row;
    struct tn_error            own   = TN_ERROR_INIT;
    uint64_t                  *count = tn_new(arena, uint64_t, 1, error);

    if (!count)
        return error->status;
    if (!named->is_view) {
        elements->shape = (struct tn_shape){ t->type->dtype, t->rank, t->dims };
        elements->payload = tn_payload_raw(&elements->shape, span,
                                           t->type->bits < 8 ? 2 : 1);
        return TN_OK;
    }
    elements->shape =
        (struct tn_shape){ t->type->dtype, named->rank, named->dims };
    if (t->type->bits < 8)
        return tn_error_set(error, TN_MALFORMED, TN_NOWHERE,
                            "'%.*s' is a view of elements of less than a byte",
                            TN_FMT(named->name));
    *count      = span.length / (t->type->bits / 8);
    row.shape   = (struct tn_shape){ t->type->dtype, 1, count };
    row.payload = tn_payload_raw(&row.shape, span, 1);
    if (tn_payload_stride(arena, &row, named->start, named->strides, elements,
                          &own) == TN_OK)
        return TN_OK;
    if (tn_machine_failed(&own))
        *error = own;
    else
        tn_error_set(error, TN_MALFORMED, TN_NOWHERE,
                     "'%.*s' leaves the tensor that it is a view of",
                     TN_FMT(named->name));
    return error->status;
}
