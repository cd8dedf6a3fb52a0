/*
 * pt_tree.c - the storages and tensors that a pickle of PyTorch describes
 *
 * Containers become paths: {"model": {"fc.weight": T}} is model.fc.weight.  A
 * value that is shared appears under each of its names.  Values may contain
 * themselves: on the way through a container it is not entered again, and the
 * walk is limited in depth and in steps.
 */
#include <stdio.h>

#include "base/arith.h"
#include "base/number.h"
#include "wire/pickle/pickle_latin1.h"
#include "format/pytorch/pt.h"

#define DEPTH_LIMIT 512
#define RANK_LIMIT  64
#define KEY_LIMIT   512 /* of a key that is not text, as text */

typedef const struct tn_pickle *value_t;

void tn_pt_tree_init(struct tn_pt_tree *tree, struct tn_arena *arena,
                     struct tn_error *error)
{
    *tree = (struct tn_pt_tree){ .arena = arena, .error = error, .folder = "" };
    tn_intern_init(&tree->keys, arena);
    tn_intern_init(&tree->classes, arena);
    tn_list_init(&tree->storages, arena->memory, sizeof(struct tn_pt_storage));
    tn_list_init(&tree->tensors, arena->memory, sizeof(struct tn_pt_tensor));
    tn_intern_init(&tree->tensor_keys, arena);
    tn_list_init(&tree->keyed, arena->memory, sizeof(struct tn_pt_tensor));
}

void tn_pt_tree_done(struct tn_pt_tree *tree)
{
    tn_intern_done(&tree->keys);
    tn_intern_done(&tree->classes);
    tn_list_done(&tree->storages);
    tn_list_done(&tree->tensors);
    tn_intern_done(&tree->tensor_keys);
    tn_list_done(&tree->keyed);
}

/* ---- storages ------------------------------------------------------------ */

bool tn_pt_storage_size(const struct tn_pt_storage *storage, uint64_t *size)
{
    if (storage->is_untyped || storage->per_byte > 1) {
        *size = storage->count;
        return true;
    }
    return tn_mul(storage->count, tn_dtype_size(storage->dtype), size);
}

/* Storages of several pickles of one file may have the same key. */
static struct tn_bytes full_key(const struct tn_pt_tree *tree, value_t key,
                                char text[KEY_LIMIT])
{
    int n = snprintf(text, KEY_LIMIT, "%s%.*s", tree->folder,
                     TN_FMT(tn_pickle_text(key)));

    return tn_bytes(text,
                    (size_t)tn_min((size_t)(n < 0 ? 0 : n), KEY_LIMIT - 1));
}

static value_t item(value_t list, uint64_t index)
{
    return (list->kind == TN_PICKLE_TUPLE || list->kind == TN_PICKLE_LIST) &&
                   index < list->as.list.count
               ? list->as.list.items[index]
               : NULL;
}

static bool is_word(value_t value, const char *word)
{
    return value && tn_bytes_is(tn_pickle_text(value), word);
}

/* ('storage', type, key, location, count[, view]); false: another id. */
static bool read_storage(value_t id, struct tn_pt_storage *storage)
{
    value_t type = item(id, 1), key = item(id, 2), count = item(id, 4);

    if (!is_word(item(id, 0), "storage") || !type || !key || !count ||
        count->kind != TN_PICKLE_INT || count->as.integer < 0)
        return false;
    *storage = (struct tn_pt_storage){
        .count           = (uint64_t)count->as.integer,
        .per_byte        = 1,
        .offset          = id->offset,
        .is_without_data = is_word(item(id, 3), "meta"),
    };
    if (type->kind != TN_PICKLE_NAME)
        return false;
    storage->is_untyped = tn_bytes_is(type->as.name.name, "UntypedStorage") ||
                          !tn_pt_find_type(type->as.name.name, &storage->dtype,
                                           &storage->per_byte);
    return storage->per_byte == 1 || storage->count <= INT64_MAX / 8;
}

static bool same_storage(const struct tn_pt_storage *a,
                         const struct tn_pt_storage *b)
{
    return a->dtype == b->dtype && a->is_untyped == b->is_untyped &&
           a->count == b->count && a->per_byte == b->per_byte;
}

/* Every storage that the pickle names, in a tensor or not. */
static void on_persistent(void *context, uint64_t offset, value_t id)
{
    struct tn_pt_tree   *tree = context;
    struct tn_pt_storage storage;
    char                 text[KEY_LIMIT];

    (void)offset;
    if (tn_failed(tree->error) || !read_storage(id, &storage))
        return;
    struct tn_bytes key    = full_key(tree, item(id, 2), text);
    uint32_t        before = tn_intern_count(&tree->keys);
    uint32_t        index  = tn_intern_copy(&tree->keys, key, tree->error);
    if (tn_failed(tree->error))
        return;
    if (index < before) {
        if (!same_storage(tn_pt_storage_at(tree, index), &storage)) {
            tn_error_set(tree->error, TN_MALFORMED, id->offset,
                         "storage '%.*s' has two types or sizes", TN_FMT(key));
            tree->is_refused = true;
        }
        return;
    }
    struct tn_pt_storage *row =
        tn_list_push(&tree->storages, struct tn_pt_storage, tree->error);
    if (!row)
        return;
    *row     = storage;
    row->key = tn_intern_text(&tree->keys, index);
}

/* Bytes that were written as text. */
static bool decode(struct tn_pt_tree *tree, const struct tn_pickle_string *text,
                   struct tn_span *span)
{
    struct tn_source *bytes;

    if (tn_pickle_latin1_all(&bytes, text, tree->bundle->memory, tree->error) !=
            TN_OK ||
        tn_bundle_keep(tree->bundle, bytes, tree->error) != TN_OK)
        return false;
    *span = (struct tn_span){ bytes, 0, bytes->size };
    return true;
}

/* torch.storage._load_from_bytes(bytes): a storage in a pickle that
 * torch.save() did not write.  It is known by the place of its bytes. */
static uint32_t find_nested(struct tn_pt_tree *tree, value_t value)
{
    value_t bytes = item(value->as.call.args, 0);
    char    text[40];

    if (!tn_pickle_is_name(value->as.call.callee, "torch.storage",
                           "_load_from_bytes") ||
        !bytes || bytes->kind != TN_PICKLE_BYTES || tree->is_nested ||
        tn_failed(tree->error))
        return TN_NONE;
    struct tn_span  span = bytes->as.string.span;
    int             n   = snprintf(text, sizeof text, "@%" PRIu64, span.offset);
    struct tn_bytes key = tn_bytes(text, (size_t)n);
    uint32_t        index = tn_intern_find(&tree->keys, key);
    struct tn_pt_storage storage;
    if (index != TN_NO_NAME)
        return index;
    if (tn_pickle_is_encoded(&bytes->as.string) &&
        !decode(tree, &bytes->as.string, &span))
        return TN_NONE;
    if (!tn_pt_nested_storage(tree, span, &storage))
        return TN_NONE;
    index = tn_intern_copy(&tree->keys, key, tree->error);
    struct tn_pt_storage *row =
        tn_failed(tree->error)
            ? NULL
            : tn_list_push(&tree->storages, struct tn_pt_storage, tree->error);
    if (!row)
        return TN_NONE;
    *row     = storage;
    row->key = tn_intern_text(&tree->keys, index);
    return index;
}

static uint32_t find_storage(struct tn_pt_tree *tree, value_t value)
{
    value_t key = value && value->kind == TN_PICKLE_PERSISTENT
                      ? item(value->as.id, 2)
                      : NULL;
    char    text[KEY_LIMIT];

    if (value && value->kind == TN_PICKLE_CALL)
        return find_nested(tree, value);
    return key ? tn_intern_find(&tree->keys, full_key(tree, key, text))
               : TN_NONE;
}

/* ---- tensors ------------------------------------------------------------- */

static bool read_size(value_t value, uint64_t *size)
{
    if (!value || value->kind != TN_PICKLE_INT || value->as.integer < 0)
        return false;
    *size = (uint64_t)value->as.integer;
    return true;
}

/* A tuple, or torch.Size of one. */
static value_t sizes_of(value_t value)
{
    if (value && value->kind == TN_PICKLE_CALL &&
        tn_pickle_is_name(value->as.call.callee, "torch", "Size"))
        value = item(value->as.call.args, 0);
    return value && (value->kind == TN_PICKLE_TUPLE ||
                     value->kind == TN_PICKLE_LIST)
               ? value
               : NULL;
}

static bool read_dims(struct tn_pt_tree *tree, struct tn_pt_tensor *t,
                      value_t sizes, value_t strides)
{
    sizes   = sizes_of(sizes);
    strides = sizes_of(strides);
    if (!sizes || sizes->as.list.count > RANK_LIMIT ||
        (strides && strides->as.list.count != sizes->as.list.count))
        return false;
    t->rank    = (uint32_t)sizes->as.list.count;
    t->dims    = tn_new(tree->arena, uint64_t, t->rank, tree->error);
    t->strides = tn_new(tree->arena, int64_t, t->rank, tree->error);
    if (!t->dims || !t->strides)
        return false;
    for (uint32_t i = 0; i < t->rank; i++) {
        uint64_t stride = 0;
        if (!read_size(sizes->as.list.items[i], &t->dims[i]) ||
            (strides && !read_size(strides->as.list.items[i], &stride)))
            return false;
        t->strides[i] = (int64_t)stride;
    }
    return true;
}

static bool read_dtype(value_t value, enum tn_dtype *dtype)
{
    uint8_t per_byte;

    return value && value->kind == TN_PICKLE_NAME &&
           tn_bytes_is(value->as.name.module, "torch") &&
           tn_pt_find_type(value->as.name.name, dtype, &per_byte);
}

/* (storage, start, size, stride, ...) of any rebuild function. */
static bool read_view(struct tn_pt_tree *tree, struct tn_pt_tensor *t,
                      value_t args)
{
    t->storage = find_storage(tree, item(args, 0));
    if (t->storage == TN_NONE || !read_size(item(args, 1), &t->start) ||
        !item(args, 3) || !read_dims(tree, t, item(args, 2), item(args, 3)))
        return false;
    /* A view of a storage: (key, offset, size). */
    value_t  view = item(args, 0)->kind == TN_PICKLE_PERSISTENT
                        ? item(item(args, 0)->as.id, 5)
                        : NULL;
    uint64_t more = 0;
    if (view && view->kind == TN_PICKLE_TUPLE &&
        (!read_size(item(view, 1), &more) ||
         !tn_add(t->start, more, &t->start)))
        return false;
    struct tn_pt_storage *storage = tn_pt_storage_at(tree, t->storage);
    storage->is_used              = true;
    t->dtype                      = storage->dtype;
    t->kind = storage->is_without_data ? TN_PT_WITHOUT_DATA : TN_PT_DENSE;
    return true;
}

static bool is_set(value_t dict, const char *key)
{
    value_t value = dict ? tn_pickle_find(dict, key) : NULL;

    return value && value->kind == TN_PICKLE_BOOL && value->as.truth;
}

static void read_marks(struct tn_pt_tensor *t, value_t marks)
{
    t->is_conjugate = is_set(marks, "conj");
    t->is_negative  = is_set(marks, "neg");
}

/* A storage by itself is a row of its elements. */
static bool read_whole_storage(struct tn_pt_tree *tree, struct tn_pt_tensor *t,
                               uint32_t index)
{
    t->storage = index;
    if (t->storage == TN_NONE)
        return false;
    struct tn_pt_storage *storage = tn_pt_storage_at(tree, t->storage);
    storage->is_used              = true;
    t->kind    = storage->is_without_data ? TN_PT_WITHOUT_DATA : TN_PT_DENSE;
    t->dtype   = storage->is_untyped ? TN_UINT8 : storage->dtype;
    t->rank    = 1;
    t->dims    = tn_new(tree->arena, uint64_t, 1, tree->error);
    t->strides = tn_new(tree->arena, int64_t, 1, tree->error);
    if (!t->dims || !t->strides)
        return false;
    t->dims[0]    = storage->count * storage->per_byte;
    t->strides[0] = 1;
    return true;
}

/* Looks through wrappers that do not change the elements. */
static value_t unwrap(value_t value)
{
    for (unsigned depth = 0; depth < 8; depth++) {
        if (value->kind != TN_PICKLE_CALL ||
            value->as.call.callee->kind != TN_PICKLE_NAME)
            return value;
        value_t callee = value->as.call.callee, args = value->as.call.args;
        bool    is_wrapper =
            tn_pickle_is_name(callee, "torch._utils", "_rebuild_parameter") ||
            tn_pickle_is_name(callee, "torch._utils",
                              "_rebuild_parameter_with_state") ||
            tn_pickle_is_name(callee, "torch.nn.parameter", "Parameter") ||
            tn_pickle_is_name(callee, "torch.nn.parameter", "Buffer") ||
            tn_pickle_is_name(callee, "torch._utils",
                              "_rebuild_device_tensor_from_numpy") ||
            tn_pickle_is_name(callee, "torch._utils",
                              "_rebuild_device_tensor_from_cpu_tensor");
        if (!is_wrapper || !item(args, 0))
            return value;
        value = item(args, 0);
    }
    return value;
}

/* _rebuild_from_type_v2(function, type, args, state) calls the function. */
static void see_through_type(value_t *callee, value_t *args)
{
    value_t function = item(*args, 0), with = item(*args, 2);

    if (tn_pickle_is_name(*callee, "torch._tensor", "_rebuild_from_type_v2") &&
        function && function->kind == TN_PICKLE_NAME && with) {
        *callee = function;
        *args   = with;
    }
}

/* Pairs of float16: there is no such complex type elsewhere. */
static bool split_pairs(struct tn_pt_tree *tree, struct tn_pt_tensor *t,
                        value_t dtype)
{
    uint32_t  rank    = t->rank;
    uint64_t *dims    = tn_new(tree->arena, uint64_t, rank + 1, tree->error);
    int64_t  *strides = tn_new(tree->arena, int64_t, rank + 1, tree->error);

    if (!tn_bytes_is(dtype->as.name.name, "complex32") &&
        !tn_bytes_is(dtype->as.name.name, "chalf"))
        return true;
    if (!dims || !strides || rank + 1 > RANK_LIMIT ||
        !tn_mul(t->start, 2, &t->start))
        return false;
    for (uint32_t i = 0; i < rank; i++) {
        if (t->strides[i] > INT64_MAX / 2)
            return false;
        dims[i]    = t->dims[i];
        strides[i] = t->strides[i] * 2;
    }
    dims[rank]    = 2;
    strides[rank] = 1;
    t->dims       = dims;
    t->strides    = strides;
    t->is_pairs   = true;
    t->rank++;
    return true;
}

static bool read_call(struct tn_pt_tree *tree, struct tn_pt_tensor *t,
                      value_t callee, value_t args)
{
    struct tn_bytes name = callee->as.name.name;

    if (!tn_bytes_is(callee->as.name.module, "torch._utils"))
        return false;
    if (tn_bytes_is(name, "_rebuild_tensor") ||
        tn_bytes_is(name, "_rebuild_qtensor"))
        return read_view(tree, t, args);
    if (tn_bytes_is(name, "_rebuild_tensor_v2")) {
        read_marks(t, item(args, 6));
        return read_view(tree, t, args);
    }
    if (tn_bytes_is(name, "_rebuild_tensor_v3")) {
        read_marks(t, item(args, 7));
        return read_view(tree, t, args) &&
               read_dtype(item(args, 6), &t->dtype) &&
               split_pairs(tree, t, item(args, 6));
    }
    if (tn_bytes_is(name, "_rebuild_meta_tensor_no_storage")) {
        t->kind = TN_PT_WITHOUT_DATA;
        return read_dtype(item(args, 0), &t->dtype) &&
               read_dims(tree, t, item(args, 1), NULL);
    }
    return false;
}

/* torch.FloatTensor(), then its state: (storage, start, size, stride). */
static bool read_old_tensor(struct tn_pt_tree *tree, struct tn_pt_tensor *t,
                            value_t value)
{
    struct tn_bytes name = value->as.call.callee->as.name.name;

    return value->as.call.state && tn_bytes_ends_with(name, "Tensor") &&
           value->as.call.state->kind == TN_PICKLE_TUPLE &&
           read_view(tree, t, value->as.call.state);
}

static bool read_array(struct tn_pt_tensor          *t,
                       const struct tn_pickle_array *array)
{
    t->kind  = TN_PT_ARRAY;
    t->dtype = array->dtype;
    t->rank  = array->rank;
    t->dims  = array->dims;
    t->array = array;
    return array->is_filled;
}

/* Whether the value is a tensor, then described in *t. */
static bool read_tensor(struct tn_pt_tree *tree, value_t value,
                        struct tn_pt_tensor *t)
{
    *t = (struct tn_pt_tensor){ .storage = TN_NONE, .offset = value->offset };
    value = unwrap(value);
    if (value->kind == TN_PICKLE_ARRAY)
        return read_array(t, &value->as.array);
    if (value->kind == TN_PICKLE_PERSISTENT) {
        const struct tn_pt_tensor *keyed =
            tn_pt_keyed_tensor(tree, value->as.id);
        if (!keyed)
            return read_whole_storage(tree, t, find_storage(tree, value));
        *t                                          = *keyed;
        tn_pt_storage_at(tree, t->storage)->is_used = true;
        return true;
    }
    if (value->kind != TN_PICKLE_CALL ||
        value->as.call.callee->kind != TN_PICKLE_NAME)
        return false;
    if (find_nested(tree, value) != TN_NONE)
        return read_whole_storage(tree, t, find_nested(tree, value));
    value_t callee = value->as.call.callee, args = value->as.call.args;
    see_through_type(&callee, &args);
    return read_call(tree, t, callee, args) || read_old_tensor(tree, t, value);
}

/* ---- the walk ------------------------------------------------------------ */

/* A container that is being walked. */
struct frame {
    const struct tn_pickle_items *items;
    bool                          has_keys;
    bool            is_flat; /* its items have the path of the container      */
    uint64_t        next;
    struct tn_bytes path;
};

struct walk {
    struct tn_pt_tree *tree;
    struct tn_list     frames; /* struct frame */
    uint64_t           visited;
    unsigned           depth; /* of parts of tensors in parts of tensors      */
};

static struct tn_bytes join(struct tn_pt_tree *tree, struct tn_bytes path,
                            struct tn_bytes key)
{
    size_t   dot = path.size && key.size;
    uint8_t *text =
        tn_new(tree->arena, uint8_t, path.size + dot + key.size, tree->error);

    if (!text)
        return tn_bytes(NULL, 0);
    if (path.size)
        memcpy(text, path.data, path.size);
    if (dot)
        text[path.size] = '.';
    if (key.size)
        memcpy(text + path.size + dot, key.data, key.size);
    return tn_bytes(text, path.size + dot + key.size);
}

/* A key as Python prints it. */
static size_t print_key(char *to, size_t room, value_t key, unsigned depth)
{
    struct tn_bytes text = tn_pickle_text(key);
    size_t          used = 0;
    int             n    = 0;

    switch (key->kind) {
    case TN_PICKLE_TEXT:
    case TN_PICKLE_BYTES:
        n = snprintf(to, room, depth ? "'%.*s'" : "%.*s", TN_FMT(text));
        break;
    case TN_PICKLE_INT:
        n = snprintf(to, room, "%" PRId64, key->as.integer);
        break;
    case TN_PICKLE_BOOL:
        n = snprintf(to, room, "%s", key->as.truth ? "True" : "False");
        break;
    case TN_PICKLE_NONE: n = snprintf(to, room, "None"); break;
    case TN_PICKLE_NAME:
        n = snprintf(to, room, "%.*s.%.*s", TN_FMT(key->as.name.module),
                     TN_FMT(key->as.name.name));
        break;
    case TN_PICKLE_REAL:
        n = snprintf(to, room, "%.15g", key->as.real);
        if (n > 0 && (size_t)n < room)
            tn_number_drop_locale(to);
        break;
    case TN_PICKLE_TUPLE:
        if (depth > 3)
            return (size_t)snprintf(to, room, "(...)");
        to[used++] = '(';
        for (uint64_t i = 0; i < key->as.list.count && used + 16 < room; i++) {
            if (i)
                used += (size_t)snprintf(to + used, room - used, ", ");
            used += print_key(to + used, room - used, key->as.list.items[i],
                              depth + 1);
            used = (size_t)tn_min(used, room - 1);
        }
        used += (size_t)snprintf(to + used, room - used, "%s",
                                 key->as.list.count == 1 ? ",)" : ")");
        return (size_t)tn_min(used, room - 1);
    default: n = snprintf(to, room, "<key at %" PRIu64 ">", key->offset); break;
    }
    return n < 0 ? 0 : (size_t)tn_min((size_t)n, room - 1);
}

static struct tn_bytes path_of_key(struct tn_pt_tree *tree,
                                   struct tn_bytes path, value_t key)
{
    char text[KEY_LIMIT];

    if (key->kind == TN_PICKLE_TEXT || key->kind == TN_PICKLE_BYTES)
        return join(tree, path, tn_pickle_text(key));
    return join(tree, path,
                tn_bytes(text, print_key(text, sizeof text, key, 0)));
}

static struct tn_bytes path_of_index(struct tn_pt_tree *tree,
                                     struct tn_bytes path, uint64_t index)
{
    char text[24];
    int  n = snprintf(text, sizeof text, "%" PRIu64, index);

    return join(tree, path, tn_bytes(text, (size_t)n));
}

/* Whether the walk is in this container: then its contents have names. */
static bool is_open(const struct walk *w, const struct tn_pickle_items *items)
{
    for (uint64_t i = 0; i < w->frames.count; i++)
        if (tn_list_at(&w->frames, struct frame, i)->items == items)
            return true;
    return false;
}

static void enter(struct walk *w, const struct tn_pickle_items *items,
                  bool has_keys, bool is_flat, struct tn_bytes path)
{
    if (items->count == 0 || tn_failed(w->tree->error) || is_open(w, items))
        return;
    if (w->frames.count == DEPTH_LIMIT) {
        tn_error_set(w->tree->error, TN_LIMIT, items->items[0]->offset,
                     "containers nested deeper than %d", DEPTH_LIMIT);
        return;
    }
    struct frame *frame =
        tn_list_push(&w->frames, struct frame, w->tree->error);
    if (frame)
        *frame = (struct frame){ items, has_keys, is_flat, 0, path };
}

static const char *kind_name(value_t value)
{
    static const char *const names[TN_PICKLE_KIND_COUNT] = {
        [TN_PICKLE_NONE] = "None",      [TN_PICKLE_BOOL] = "bool",
        [TN_PICKLE_INT] = "integer",    [TN_PICKLE_REAL] = "number",
        [TN_PICKLE_TEXT] = "text",      [TN_PICKLE_BYTES] = "bytes",
        [TN_PICKLE_NAME] = "name",      [TN_PICKLE_DTYPE] = "type",
        [TN_PICKLE_LONG] = "integer",   [TN_PICKLE_SET] = "set",
        [TN_PICKLE_CALL] = "object",    [TN_PICKLE_PERSISTENT] = "object",
        [TN_PICKLE_OUTSIDE] = "object",
    };

    return names[value->kind] ? names[value->kind] : "object";
}

static void add_other(struct tn_pt_tree *tree, struct tn_bytes path,
                      value_t value)
{
    if (tree->other_count++ == 0)
        tree->first_other =
            (struct tn_pt_other){ path, kind_name(value), value->offset };
}

/* Containers of a module: what they hold has the path of the module. */
static bool is_module_part(value_t key)
{
    return is_word(key, "_parameters") || is_word(key, "_buffers") ||
           is_word(key, "_modules");
}

/* _rebuild_nested_tensor(buffer, sizes, strides, offsets) */
static const char *const nested_parts[] = { "buffer", "sizes", "strides",
                                            "offsets" };

static const struct {
    const char *layout, *parts[3];
} sparse[] = {
    { "torch.sparse_coo", { "indices", "values" } },
    { "torch.sparse_csr", { "crow_indices", "col_indices", "values" } },
    { "torch.sparse_csc", { "ccol_indices", "row_indices", "values" } },
    { "torch.sparse_bsr", { "crow_indices", "col_indices", "values" } },
    { "torch.sparse_bsc", { "ccol_indices", "row_indices", "values" } },
};

static void visit(struct walk *w, struct tn_bytes path, value_t value);

/* A part of a tensor or an object, which may be anything. */
static void visit_part(struct walk *w, struct tn_bytes path, const char *name,
                       value_t value)
{
    if (w->depth == DEPTH_LIMIT) {
        tn_error_set(w->tree->error, TN_LIMIT, value->offset,
                     "parts of values nested deeper than %d", DEPTH_LIMIT);
        return;
    }
    w->depth++;
    visit(w, join(w->tree, path, tn_text(name)), value);
    w->depth--;
}

/* _rebuild_sparse_tensor(layout, parts): its parts are tensors. */
static bool visit_sparse(struct walk *w, struct tn_bytes path, value_t value)
{
    value_t callee = value->as.call.callee, args = value->as.call.args;
    value_t layout = item(args, 0), parts = item(args, 1);

    if ((!tn_pickle_is_name(callee, "torch._utils", "_rebuild_sparse_tensor") &&
         !tn_pickle_is_name(callee, "torch._utils",
                            "_rebuild_sparse_csr_tensor")) ||
        !layout || !parts || layout->kind != TN_PICKLE_CALL)
        return false;
    value_t word = item(layout->as.call.args, 0);
    for (size_t i = 0; i < sizeof sparse / sizeof sparse[0]; i++) {
        if (!is_word(word, sparse[i].layout))
            continue;
        for (unsigned k = 0; k < 3 && sparse[i].parts[k]; k++)
            if (item(parts, k))
                visit_part(w, path, sparse[i].parts[k], item(parts, k));
        add_other(w->tree, join(w->tree, path, tn_text("size")), parts);
        return true;
    }
    return false;
}

static bool visit_nested(struct walk *w, struct tn_bytes path, value_t value)
{
    if (!tn_pickle_is_name(value->as.call.callee, "torch._utils",
                           "_rebuild_nested_tensor"))
        return false;
    for (unsigned k = 0; k < 4; k++)
        if (item(value->as.call.args, k))
            visit_part(w, path, nested_parts[k], item(value->as.call.args, k));
    return true;
}

/* Attributes of a tensor or parameter: a dict, or a tuple of dicts. */
static void visit_attributes(struct walk *w, struct tn_bytes path,
                             value_t value)
{
    value_t callee =
        value->kind == TN_PICKLE_CALL ? value->as.call.callee : NULL;
    if (!callee ||
        (!tn_pickle_is_name(callee, "torch._tensor", "_rebuild_from_type_v2") &&
         !tn_pickle_is_name(callee, "torch._utils",
                            "_rebuild_parameter_with_state")))
        return;
    value_t state = item(value->as.call.args, 3);
    if (state && state->kind == TN_PICKLE_DICT)
        enter(w, &state->as.list, true, false, path);
    else if (state && state->kind == TN_PICKLE_TUPLE)
        enter(w, &state->as.list, false, true, path);
}

/* _rebuild_qtensor(storage, start, size, stride, (scheme, scale, zero point),
 * ...): the numbers of one scheme, the tensors of another. */
static void visit_quantizer(struct walk *w, struct tn_bytes path, value_t value)
{
    value = unwrap(value);
    if (value->kind != TN_PICKLE_CALL ||
        !tn_pickle_is_name(value->as.call.callee, "torch._utils",
                           "_rebuild_qtensor"))
        return;
    value_t how = item(value->as.call.args, 4);
    if (!how || !item(how, 1) || !item(how, 2))
        return;
    visit_part(w, path, "scale", item(how, 1));
    visit_part(w, path, "zero_point", item(how, 2));
    if (item(how, 3))
        add_other(w->tree, join(w->tree, path, tn_text("axis")), item(how, 3));
}

/* A class that is given several values: a namedtuple, or what is like one.
 * Classes are written with a capital. */
static bool makes_row(const struct tn_pickle_call *call)
{
    if (call->callee->kind != TN_PICKLE_NAME || call->args->as.list.count < 2)
        return false;
    struct tn_bytes name = call->callee->as.name.name;
    size_t          at   = name.size;
    while (at > 0 && name.data[at - 1] != '.')
        at--;
    while (at < name.size && name.data[at] == '_')
        at++;
    return at < name.size && name.data[at] >= 'A' && name.data[at] <= 'Z';
}

/* Whether an argument of a call can be, or hold, a tensor.  Short tuples of
 * numbers, which are sizes and strides, do not. */
static bool may_hold(value_t value)
{
    switch (value->kind) {
    case TN_PICKLE_DICT:
    case TN_PICKLE_LIST:
    case TN_PICKLE_SET:
    case TN_PICKLE_CALL:
    case TN_PICKLE_ARRAY: return true;
    case TN_PICKLE_TUPLE:
        if (value->as.list.count > RANK_LIMIT)
            return true;
        for (uint64_t i = 0; i < value->as.list.count; i++) {
            enum tn_pickle_kind kind = value->as.list.items[i]->kind;
            if (kind == TN_PICKLE_TUPLE || kind == TN_PICKLE_DICT ||
                kind == TN_PICKLE_LIST || kind == TN_PICKLE_SET ||
                kind == TN_PICKLE_CALL || kind == TN_PICKLE_ARRAY)
                return true;
        }
        return false;
    default: return false;
    }
}

/* _reconstructor(class, base, value): how protocols 0 and 1 write objects of
 * classes that are made of tuple, list and so on. */
static bool is_reconstructed(const struct tn_pickle_call *call)
{
    return call->args->kind == TN_PICKLE_TUPLE &&
           call->args->as.list.count == 3 &&
           (tn_pickle_is_name(call->callee, "copy_reg", "_reconstructor") ||
            tn_pickle_is_name(call->callee, "copyreg", "_reconstructor"));
}

static value_t class_of(const struct tn_pickle_call *call)
{
    return is_reconstructed(call) ? call->args->as.list.items[0] : call->callee;
}

/* An object: its items and its state are named like those of dicts. */
static void visit_object(struct walk *w, struct tn_bytes path, value_t value)
{
    const struct tn_pickle_call *call = &value->as.call;

    if (visit_sparse(w, path, value) || visit_nested(w, path, value))
        return;
    value_t made_of = class_of(call);
    if (made_of->kind == TN_PICKLE_NAME) {
        char text[KEY_LIMIT];
        int  n = snprintf(text, sizeof text, "%.*s.%.*s",
                          TN_FMT(made_of->as.name.module),
                          TN_FMT(made_of->as.name.name));
        tn_intern_copy(
            &w->tree->classes,
            tn_bytes(text, (size_t)tn_min((size_t)n, sizeof text - 1)),
            w->tree->error);
    }
    add_other(w->tree, path, value);
    /* The last to be entered is walked first. */
    bool is_row = call->args->kind == TN_PICKLE_TUPLE && makes_row(call);
    enter(w, &call->items, call->has_keys, false, path);
    if (call->state && call->state->kind == TN_PICKLE_DICT)
        enter(w, &call->state->as.list, true, false, path);
    else if (call->state && call->state->kind == TN_PICKLE_TUPLE)
        enter(w, &call->state->as.list, false, true, path);
    else if (call->state && may_hold(call->state))
        visit_part(w, path, "", call->state);
    value_t base = is_reconstructed(call) ? call->args->as.list.items[2] : NULL;
    if (base && base->kind == TN_PICKLE_TUPLE)
        enter(w, &base->as.list, false, false, path);
    else if (call->args->kind == TN_PICKLE_TUPLE)
        enter(w, &call->args->as.list, false, !is_row, path);
}

static void add_tensor(struct tn_pt_tree *tree, struct tn_bytes path,
                       const struct tn_pt_tensor *tensor)
{
    struct tn_pt_tensor *row =
        tn_list_push(&tree->tensors, struct tn_pt_tensor, tree->error);

    if (!row)
        return;
    *row      = *tensor;
    row->name = path;
    row->role = TN_ROLE_VARIABLE;
}

static void visit(struct walk *w, struct tn_bytes path, value_t value)
{
    struct tn_pt_tensor tensor;

    if (tn_failed(w->tree->error))
        return;
    if (++w->visited > w->tree->limit) {
        tn_error_set(w->tree->error, TN_LIMIT, value->offset,
                     "containers that are in so many places that they hold "
                     "more values than the file");
        return;
    }
    if (read_tensor(w->tree, value, &tensor)) {
        add_tensor(w->tree, path, &tensor);
        visit_quantizer(w, path, value);
        visit_attributes(w, path, value);
        return;
    }
    switch (value->kind) {
    case TN_PICKLE_DICT: enter(w, &value->as.list, true, false, path); break;
    case TN_PICKLE_LIST:
    case TN_PICKLE_TUPLE:
    case TN_PICKLE_SET: enter(w, &value->as.list, false, false, path); break;
    case TN_PICKLE_CALL: visit_object(w, path, value); break;
    default: add_other(w->tree, path, value); break;
    }
}

/* Modules of LSTM, GRU and RNN have a list of their parameters, too. */
static bool is_repeated(const struct tn_pickle_items *items, value_t key)
{
    if (!is_word(key, "_flat_weights"))
        return false;
    for (uint64_t i = 0; i + 1 < items->count; i += 2)
        if (is_word(items->items[i], "_parameters") ||
            is_word(items->items[i], "weight_ih_l0")) /* in TorchScript */
            return true;
    return false;
}

/* The next item of the innermost container. */
static void step(struct walk *w)
{
    struct frame *frame =
        tn_list_at(&w->frames, struct frame, w->frames.count - 1);
    struct tn_bytes path = frame->path;

    if (frame->next >= frame->items->count) {
        w->frames.count--;
        return;
    }
    uint64_t at    = frame->next;
    value_t  value = frame->items->items[at];
    if (frame->has_keys) {
        value_t key = value;
        frame->next = at + 2;
        if (at + 1 >= frame->items->count)
            return;
        value = frame->items->items[at + 1];
        if (is_repeated(frame->items, key))
            return;
        if (value->kind == TN_PICKLE_DICT && is_module_part(key))
            visit(w, path, value);
        else
            visit(w, path_of_key(w->tree, path, key), value);
        return;
    }
    frame->next = at + 1;
    if (frame->is_flat && !may_hold(value))
        return;
    if (frame->is_flat &&
        (value->kind == TN_PICKLE_DICT || value->kind == TN_PICKLE_LIST))
        visit(w, path, value);
    else
        visit(w, path_of_index(w->tree, path, at), value);
}

void tn_pt_tree_list_storages(struct tn_pt_tree *tree)
{
    if (tree->tensors.count)
        return;
    for (uint64_t i = 0; i < tree->storages.count && !tn_failed(tree->error);
         i++) {
        struct tn_pt_tensor tensor = { .offset =
                                           tn_pt_storage_at(tree, i)->offset };
        if (read_whole_storage(tree, &tensor, (uint32_t)i))
            add_tensor(tree, tn_pt_storage_at(tree, i)->key, &tensor);
    }
}

enum tn_status tn_pt_tree_read(struct tn_pt_tree *tree, struct tn_cursor *c,
                               struct tn_bytes prefix)
{
    struct tn_pickle_watch watch = { .context    = tree,
                                     .persistent = on_persistent };
    struct walk            walk  = { .tree = tree };
    uint64_t               begin = c->offset;
    value_t                root;

    TN_TRY(tn_pickle_describe(c, tree->arena, &watch, &root));
    TN_TRY(tree->error->status);
    tree->limit = 2 * (c->offset - begin) + 1024;
    tn_list_init(&walk.frames, tree->arena->memory, sizeof(struct frame));
    tree->is_refused = true; /* failures from here on are contradictions in the
                                pickle */
    visit(&walk, prefix, root);
    while (walk.frames.count > 0 && !tn_failed(tree->error))
        step(&walk);
    tn_list_done(&walk.frames);
    tree->is_refused = tn_failed(tree->error);
    return tree->error->status;
}
