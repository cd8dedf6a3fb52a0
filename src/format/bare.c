/* bare.c - the tensors of any model, for formats that hold nothing else */
#include "format/bare.h"

#include "base/sort.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/intern.h"
#include "format/name_table.h"

struct collecting {
    const struct tn_model         *model;
    const struct tn_write_options *options;
    tn_bare_refusal               *refuse;
    struct tn_arena               *arena;
    struct tn_error               *error;
    struct tn_bare_set            *set;
    struct tn_intern               names;
    struct tn_name_table          *table;   /* NULL: names stay               */
    const struct tn_tensor        *refused; /* the first one; NULL: none was */
    const char                    *why;
};

void tn_bare_lose_graph(const struct tn_model         *model,
                        const struct tn_write_options *options)
{
    char what[120];

    if (model->node_count == 0)
        return;
    snprintf(what, sizeof what, "the graph is left behind: %" PRIu64 " node%s",
             model->node_count, model->node_count == 1 ? "" : "s");
    tn_lose(options, TN_NOWHERE, "", what);
}

static bool is_free(const struct collecting *c, struct tn_bytes name)
{
    return name.size && tn_intern_find(&c->names, name) == TN_NO_NAME;
}

static void tell_renaming(const struct collecting *c, struct tn_bytes old,
                          const char *path)
{
    char what[720];

    if (!old.size)
        return; /* it had no name, so none is lost */
    snprintf(what, sizeof what, "written as '%s': another tensor has the name",
             path);
    tn_lose_named(c->options, old, what);
}

/* Its name, or its place in the model if the name is taken. */
static struct tn_bytes name_of(struct collecting      *c,
                               const struct tn_tensor *tensor)
{
    char            path[640];
    struct tn_bytes name = tn_tensor_name(tensor);

    if (c->table && name.size)
        name = tn_bytes_dup(
            c->arena, tn_name_table_map(c->table, name, c->error), c->error);
    if (c->table && name.size && !is_free(c, name)) {
        tn_error_set(c->error, TN_INVALID, TN_NOWHERE,
                     "the table of names calls two tensors '%.*s'",
                     TN_FMT(name));
        return name;
    }
    if (!is_free(c, name)) {
        tn_tensor_path(tensor, path, sizeof path);
        tell_renaming(c, name, path);
        name = tn_bytes_dup(c->arena, tn_text(path), c->error);
    }
    if (!tn_failed(c->error) && !is_free(c, name))
        tn_error_set(c->error, TN_INVALID, TN_NOWHERE,
                     "two tensors are named '%.*s'", TN_FMT(name));
    tn_intern_borrow(&c->names, name, c->error);
    return name;
}

/* Its name, else its place in the model, for messages. */
static void label(const struct tn_tensor *tensor, char *to, size_t size)
{
    struct tn_bytes name = tn_tensor_name(tensor);

    if (name.size)
        snprintf(to, size, "%.*s", TN_FMT(name));
    else
        tn_tensor_path(tensor, to, size);
}

static void take(struct collecting *c, const struct tn_tensor *tensor,
                 struct tn_bare_tensor *item)
{
    char        path[640];
    const char *why = c->refuse(&tensor->elements);

    if (why) {
        label(tensor, path, sizeof path);
        tn_lose(c->options, TN_NOWHERE, path, why);
        if (!c->refused)
            c->refused = tensor, c->why = why;
        return;
    }
    *item = (struct tn_bare_tensor){ name_of(c, tensor), &tensor->elements };
    if (tensor->role == TN_ROLE_SPARSE_VALUES)
        tn_lose_named(c->options, item->name,
                      "a sparse tensor: its values and indices are written, "
                      "its dimensions are not");
}

/* A SavedModel has more tensors than weights: what trained it, and constants of
 * functions that save it. */
static bool is_wanted(const struct collecting *c,
                      const struct tn_tensor  *tensor)
{
    return !c->model->has_variables_apart || c->options->all_tensors ||
           tensor->role == TN_ROLE_VARIABLE;
}

static void tell_count(const struct collecting *c, const char *which,
                       uint64_t count)
{
    char what[120];

    snprintf(what, sizeof what,
             "left behind: %s: %" PRIu64 " tensor%s; --all-tensors writes %s",
             which, count, count == 1 ? "" : "s", count == 1 ? "it" : "them");
    if (count)
        tn_lose(c->options, TN_NOWHERE, "", what);
}

static void tell_unwanted(const struct collecting *c)
{
    uint64_t kept = 0, constants = 0;

    for (uint64_t i = 0; i < c->model->tensors.count; i++) {
        const struct tn_tensor *tensor = tn_model_tensor(c->model, i);
        if (is_wanted(c, tensor))
            continue;
        kept += tensor->role == TN_ROLE_STATE;
        constants += tensor->role != TN_ROLE_STATE;
    }
    tell_count(c, "what the optimizer and the checkpoint keep", kept);
    tell_count(c, "constants of the graph", constants);
}

/* Tensors that the model refers to by name come before tensors in attributes,
 * whose names are used nowhere else. */
static void take_all(struct collecting *c)
{
    uint64_t count = c->model->tensors.count, kept = 0;

    for (int wants_attribute = 0; wants_attribute < 2; wants_attribute++)
        for (uint64_t i = 0; i < count && !tn_failed(c->error); i++) {
            const struct tn_tensor *tensor = tn_model_tensor(c->model, i);
            if (tn_tensor_is_attribute(tensor) == (wants_attribute == 1) &&
                is_wanted(c, tensor))
                take(c, tensor, &c->set->items[i]);
        }
    for (uint64_t i = 0; i < count; i++)
        if (c->set->items[i].elements)
            c->set->items[kept++] = c->set->items[i];
    c->set->count = kept;
}

/* Reports why the first tensor was not taken: its type may surprise the
 * caller. */
static void tell_nothing(const struct collecting *c)
{
    const char *colon = c->refused ? strstr(c->why, ": ") : NULL;
    char        path[640];

    if (!c->refused) {
        tn_error_set(c->error, TN_INVALID, TN_NOWHERE,
                     "the model has no tensors to write");
        return;
    }
    label(c->refused, path, sizeof path);
    tn_error_set(c->error, TN_INVALID, TN_NOWHERE,
                 "no tensor can be written: '%s' has the type %s, and %s",
                 path, tn_dtype_name(tn_tensor_dtype(c->refused)),
                 colon ? colon + 2 : c->why);
}

enum tn_status tn_bare_collect(const struct tn_model         *model,
                               const struct tn_write_options *options,
                               tn_bare_refusal *refuse, struct tn_arena *arena,
                               struct tn_bare_set *set, struct tn_error *error)
{
    uint64_t          count = model->tensors.count;
    struct collecting c     = { .model   = model,
                                .options = options,
                                .refuse  = refuse,
                                .arena   = arena,
                                .error   = error,
                                .set     = set };

    struct tn_name_table table;

    set->count = 0;
    set->items = tn_new(arena, struct tn_bare_tensor, count, error);
    if (!set->items)
        return error->status;
    tn_name_table_init(&table, arena->memory);
    if (options->names) {
        c.table = &table;
        tn_name_table_load(&table, options->names, error);
    }
    tn_bare_lose_graph(model, options);
    tn_intern_init(&c.names, arena);
    tell_unwanted(&c);
    if (!tn_failed(error))
        take_all(&c);
    tn_intern_done(&c.names);
    tn_name_table_done(&table);
    if (!tn_failed(error) && set->count == 0 && (count || model->node_count))
        tell_nothing(&c);
    return error->status;
}

void tn_bare_lose_type(const struct tn_write_options *options,
                       const struct tn_bare_tensor   *tensor,
                       enum tn_dtype                  written)
{
    enum tn_dtype dtype = tensor->elements->shape.dtype;
    char          what[120];

    if (dtype == written)
        return;
    snprintf(what, sizeof what, "%s is written as %s", tn_dtype_name(dtype),
             tn_dtype_name(written));
    tn_lose_named(options, tensor->name, what);
}

enum tn_dtype tn_bare_substitute(enum tn_dtype dtype)
{
    switch (dtype) {
    case TN_INT4:
    case TN_INT2:
    case TN_QINT8: return TN_INT8;
    case TN_UINT4:
    case TN_UINT2:
    case TN_QUINT8: return TN_UINT8;
    case TN_QINT16: return TN_INT16;
    case TN_QUINT16: return TN_UINT16;
    case TN_QINT32: return TN_INT32;
    default: return dtype;
    }
}

/* A tensor, and the place of its bytes if they are stored as they are
 * returned. */
struct stored {
    struct tn_span            span;
    const struct tn_elements *elements;
    uint64_t                  index;
};

static int compare_stored(const void *a, const void *b, void *context)
{
    const struct stored *x = a, *y = b;
    uintptr_t p = (uintptr_t)x->span.source, q = (uintptr_t)y->span.source;

    (void)context;
    if (p != q)
        return p < q ? -1 : 1;
    if (x->span.offset != y->span.offset)
        return x->span.offset < y->span.offset ? -1 : 1;
    if (x->span.length != y->span.length)
        return x->span.length < y->span.length ? -1 : 1;
    if (x->elements->shape.dtype != y->elements->shape.dtype)
        return x->elements->shape.dtype < y->elements->shape.dtype ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

static bool is_shared(const struct stored *a, const struct stored *b)
{
    return a->span.source == b->span.source &&
           a->span.offset == b->span.offset &&
           a->span.length == b->span.length &&
           tn_shape_equal(&a->elements->shape, &b->elements->shape);
}

const uint64_t *tn_bare_find_shared(const struct tn_bare_set *set,
                                    struct tn_arena          *arena,
                                    struct tn_error          *error)
{
    struct stored *items  = tn_new(arena, struct stored, set->count, error);
    uint64_t      *firsts = tn_new(arena, uint64_t, set->count, error);
    uint64_t       count  = 0;

    if (!items || !firsts)
        return NULL;
    for (uint64_t i = 0; i < set->count; i++) {
        struct stored *item = &items[count];
        firsts[i]           = i;
        *item =
            (struct stored){ .elements = set->items[i].elements, .index = i };
        count += tn_payload_is_plain(item->elements, false, &item->span) &&
                 item->span.source && item->span.length;
    }
    tn_sort_items(items, count, sizeof *items, compare_stored, NULL);
    for (uint64_t i = 1; i < count; i++)
        if (is_shared(&items[i - 1], &items[i]))
            firsts[items[i].index] = firsts[items[i - 1].index];
    return firsts;
}

enum tn_status tn_bare_stream(const struct tn_elements      *elements,
                              const struct tn_write_options *options,
                              struct tn_memory *memory, bool is_packed,
                              struct tn_sink *to, struct tn_error *error)
{
    struct tn_payload_producer producer;
    struct tn_span             span;
    uint64_t                   before = to->offset;

    if (tn_payload_is_plain(elements, is_packed, &span)) {
        if (span.length)
            TN_TRY(tn_sink_splice(to, span, error));
    } else {
        TN_TRY(tn_payload_producer_init(&producer, elements, memory, is_packed,
                                        error));
        TN_TRY(producer.producer.produce(&producer.producer, to, error));
    }
    ++*options->tensors_moved;
    if (options->meter)
        return tn_meter_add(options->meter, to->offset - before, error);
    return TN_OK;
}
