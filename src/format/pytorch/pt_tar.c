/*
 * pt_tar.c - torch.save() before 0.1.11: a tar of pickles and elements
 *
 *   file     := tar of sys_info, pickle, tensors and storages
 *   storages := pickle of a count, for each (pickle of (key, location, class),
 *               i64 count  elements), pickle of a list of views: (key, key of
 *               the whole, start, count)
 *   tensors  := pickle of a count, for each (pickle of (key, key of the storage,
 *               class), i32 rank, four bytes, i64 sizes, i64 strides, i64 start)
 *   pickle   := what was saved; ids are keys of tensors or storages
 *
 * torch still reads such files, and nothing writes them.
 */
#include <stdio.h>

#include "base/arith.h"
#include "format/pytorch/pt.h"

#define BLOCK      512
#define MAGIC_AT   257
#define SIZE_AT    124
#define SIZE_SIZE  12
#define RANK_LIMIT 64

static const char *const members[] = { "sys_info", "pickle", "tensors",
                                       "storages" };

enum { MEMBER_PICKLE = 1, MEMBER_TENSORS, MEMBER_STORAGES, MEMBER_COUNT };

/* Which member a header is of; MEMBER_COUNT: another one. */
static unsigned find_member(const uint8_t *header)
{
    unsigned i = 0;

    while (i < MEMBER_COUNT &&
           strncmp((const char *)header, members[i], strlen(members[i]) + 1))
        i++;
    return i;
}

bool tn_pt_is_tar(struct tn_bytes head)
{
    return head.size >= BLOCK && memcmp(head.data + MAGIC_AT, "ustar", 5) == 0 &&
           find_member(head.data) < MEMBER_COUNT;
}

static uint64_t read_octal(struct tn_cursor *c, const uint8_t *text)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < SIZE_SIZE && text[i] && text[i] != ' '; i++) {
        if (text[i] < '0' || text[i] > '7') {
            tn_fail(c, TN_MALFORMED, "the size of a member is not a number");
            return 0;
        }
        value = value * 8 + (uint64_t)(text[i] - '0');
    }
    return value;
}

static void find_members(struct tn_cursor *c, struct tn_span *spans)
{
    while (tn_left(c) >= BLOCK && !tn_failed(c->error)) {
        const uint8_t *header = tn_take(c, BLOCK);
        if (!header || header[0] == 0)
            return;
        unsigned       member = find_member(header);
        uint64_t       size   = read_octal(c, header + SIZE_AT);
        struct tn_span span   = tn_span(c, size);
        if (member < MEMBER_COUNT)
            spans[member] = span;
        tn_skip(c, tn_min((BLOCK - size % BLOCK) % BLOCK, tn_left(c)));
    }
}

/* Keys are numbers, as numbers or as text. */
static bool print_key(const struct tn_pickle *value, char text[24])
{
    struct tn_bytes word = value ? tn_pickle_text(value) : tn_bytes(NULL, 0);

    if (value && value->kind == TN_PICKLE_INT)
        snprintf(text, 24, "%" PRId64, value->as.integer);
    else if (word.size && word.size < 24)
        snprintf(text, 24, "%.*s", TN_FMT(word));
    else
        return false;
    return true;
}

static const struct tn_pickle *item(const struct tn_pickle *tuple,
                                    uint64_t                index)
{
    return (tuple->kind == TN_PICKLE_TUPLE || tuple->kind == TN_PICKLE_LIST) &&
                   index < tuple->as.list.count
               ? tuple->as.list.items[index]
               : NULL;
}

static uint64_t read_count(struct tn_pt_tree *tree, struct tn_cursor *c)
{
    const struct tn_pickle *value;
    uint64_t                at = c->offset;

    if (tn_pickle_describe(c, tree->arena, NULL, &value) != TN_OK)
        return 0;
    if (value->kind != TN_PICKLE_INT || value->as.integer < 0)
        tn_fail_at(c, at, TN_MALFORMED, "a count was expected");
    return tn_failed(c->error) ? 0 : (uint64_t)value->as.integer;
}

static struct tn_pt_storage *add_storage(struct tn_pt_tree *tree,
                                         const char        *key)
{
    uint32_t known = tn_intern_count(&tree->keys);
    uint32_t index = tn_intern_copy(&tree->keys, tn_text(key), tree->error);

    if (!tn_failed(tree->error) && index < known)
        tn_error_set(tree->error, TN_MALFORMED, TN_NOWHERE,
                     "two storages have the key %s", key);
    if (tn_failed(tree->error))
        return NULL;
    struct tn_pt_storage *row =
        tn_list_push(&tree->storages, struct tn_pt_storage, tree->error);
    if (row)
        *row = (struct tn_pt_storage){ .key = tn_intern_text(&tree->keys,
                                                             index),
                                       .per_byte = 1 };
    return row;
}

static void read_storage(struct tn_pt_tree *tree, struct tn_cursor *c)
{
    const struct tn_pickle *about;
    uint64_t                at = c->offset, size;
    char                    key[24];

    if (tn_pickle_describe(c, tree->arena, NULL, &about) != TN_OK)
        return;
    const struct tn_pickle *class = item(about, 2);
    if (!print_key(item(about, 0), key) || !class ||
        class->kind != TN_PICKLE_NAME) {
        tn_fail_at(c, at, TN_MALFORMED, "a key and a class were expected");
        return;
    }
    struct tn_pt_storage *row = add_storage(tree, key);
    if (!row)
        return;
    row->offset = at;
    if (!tn_pt_find_type(class->as.name.name, &row->dtype, &row->per_byte)) {
        tn_fail_at(c, at, TN_UNSUPPORTED, "storages of the class %.*s",
                   TN_FMT(class->as.name.name));
        return;
    }
    row->count = tn_u64(c);
    if (!tn_failed(c->error) && !tn_pt_storage_size(row, &size))
        tn_fail(c, TN_MALFORMED, "a storage of %" PRIu64 " elements",
                row->count);
    if (!tn_failed(c->error))
        row->span = tn_span(c, size);
}

/* A part of a storage is one, too. */
static void add_view(struct tn_pt_tree *tree, struct tn_cursor *c,
                     const struct tn_pickle *view)
{
    const struct tn_pickle *start = item(view, 2), *count = item(view, 3);
    char                    key[24], whole[24];

    if (!print_key(item(view, 0), key) || !print_key(item(view, 1), whole) ||
        !start || !count || start->kind != TN_PICKLE_INT ||
        count->kind != TN_PICKLE_INT || start->as.integer < 0 ||
        count->as.integer < 0) {
        tn_fail_at(c, view->offset, TN_MALFORMED, "a view was expected");
        return;
    }
    uint32_t index = tn_intern_find(&tree->keys, tn_text(whole));
    uint64_t from = (uint64_t)start->as.integer, n = (uint64_t)count->as.integer;
    if (index == TN_NO_NAME ||
        from > tn_pt_storage_at(tree, index)->count ||
        n > tn_pt_storage_at(tree, index)->count - from ||
        tn_pt_storage_at(tree, index)->per_byte > 1) {
        tn_fail_at(c, view->offset, TN_MALFORMED,
                   "a view that leaves its storage");
        return;
    }
    struct tn_pt_storage  base = *tn_pt_storage_at(tree, index);
    struct tn_pt_storage *row  = add_storage(tree, key);
    unsigned              size = tn_dtype_size(base.dtype);
    if (!row)
        return;
    struct tn_bytes name = row->key;
    *row                 = base;
    row->key             = name;
    row->count           = n;
    row->span.offset += from * size;
    row->span.length = n * size;
}

static void read_storages(struct tn_pt_tree *tree, struct tn_cursor *c)
{
    const struct tn_pickle *views;
    uint64_t                count = read_count(tree, c);

    for (uint64_t i = 0; i < count && !tn_failed(c->error); i++)
        read_storage(tree, c);
    if (tn_failed(c->error) || !tn_more(c) ||
        tn_pickle_describe(c, tree->arena, NULL, &views) != TN_OK)
        return;
    for (uint64_t i = 0; item(views, i) && !tn_failed(c->error); i++)
        add_view(tree, c, item(views, i));
}

static void read_tensor(struct tn_pt_tree *tree, struct tn_cursor *c)
{
    const struct tn_pickle *about;
    uint64_t                at = c->offset;
    char                    key[24], storage[24];

    if (tn_pickle_describe(c, tree->arena, NULL, &about) != TN_OK)
        return;
    struct tn_pt_tensor t    = { .offset = at, .storage = TN_NONE };
    bool                good = print_key(item(about, 0), key);
    if (good && print_key(item(about, 1), storage))
        t.storage = tn_intern_find(&tree->keys, tn_text(storage));
    t.rank = tn_u32(c);
    tn_skip(c, 4);
    if (tn_failed(c->error))
        return;
    if (!good || t.rank > RANK_LIMIT) {
        tn_fail_at(c, at, TN_MALFORMED, "a key and at most %d sizes were "
                   "expected", RANK_LIMIT);
        return;
    }
    t.dims    = tn_new(tree->arena, uint64_t, t.rank, tree->error);
    t.strides = tn_new(tree->arena, int64_t, t.rank, tree->error);
    for (uint32_t i = 0; i < t.rank && !tn_failed(c->error); i++)
        t.dims[i] = tn_u64(c);
    for (uint32_t i = 0; i < t.rank && !tn_failed(c->error); i++)
        t.strides[i] = (int64_t)tn_u64(c);
    t.start = tn_u64(c);
    for (uint32_t i = 0; i < t.rank && !tn_failed(c->error); i++)
        if (t.strides[i] < 0)
            tn_fail_at(c, at, TN_MALFORMED, "a stride of %" PRId64,
                       t.strides[i]);
    uint32_t known = tn_intern_count(&tree->tensor_keys);
    if (tn_failed(c->error) || t.storage == TN_NONE ||
        tn_intern_copy(&tree->tensor_keys, tn_text(key), tree->error) < known)
        return;
    struct tn_pt_tensor *row =
        tn_failed(tree->error)
            ? NULL
            : tn_list_push(&tree->keyed, struct tn_pt_tensor, tree->error);
    if (!row)
        return;
    t.dtype = tn_pt_storage_at(tree, t.storage)->dtype;
    *row    = t;
}

static void read_tensors(struct tn_pt_tree *tree, struct tn_cursor *c)
{
    uint64_t count = read_count(tree, c);

    for (uint64_t i = 0; i < count && !tn_failed(c->error); i++)
        read_tensor(tree, c);
}

const struct tn_pt_tensor *tn_pt_keyed_tensor(const struct tn_pt_tree *tree,
                                              const struct tn_pickle  *id)
{
    char     key[24];
    uint32_t index = print_key(id, key)
                         ? tn_intern_find(&tree->tensor_keys, tn_text(key))
                         : TN_NO_NAME;

    return index == TN_NO_NAME
               ? NULL
               : tn_list_at(&tree->keyed, struct tn_pt_tensor, index);
}

enum tn_status tn_pt_tar_read(struct tn_pt_file *file, struct tn_source *source)
{
    struct tn_pt_tree *tree                = &file->tree;
    struct tn_span     spans[MEMBER_COUNT] = { { NULL, 0, 0 } };
    struct tn_cursor   c                   = tn_cursor_span(
        (struct tn_span){ source, 0, source->size }, tree->error);

    file->kind = TN_PT_TAR;
    find_members(&c, spans);
    for (unsigned i = MEMBER_PICKLE; i < MEMBER_COUNT; i++)
        if (!spans[i].source && !tn_failed(tree->error))
            tn_error_set(tree->error, TN_MALFORMED, TN_NOWHERE,
                         "the tar has no member '%s'", members[i]);
    if (tn_failed(tree->error))
        return tree->error->status;
    c = tn_cursor_span(spans[MEMBER_STORAGES], tree->error);
    read_storages(tree, &c);
    if (!tn_failed(tree->error)) {
        c = tn_cursor_span(spans[MEMBER_TENSORS], tree->error);
        read_tensors(tree, &c);
    }
    if (!tn_failed(tree->error)) {
        c = tn_cursor_span(spans[MEMBER_PICKLE], tree->error);
        tn_pt_tree_read(tree, &c, tn_text(""));
    }
    return tree->error->status;
}
