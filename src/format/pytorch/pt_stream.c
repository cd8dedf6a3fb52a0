/*
 * pt_stream.c - torch.save() before 1.6: pickles, then storages
 *
 *   file     := magic protocol system object keys storage*
 *   magic    := pickle of 0x1950a86a20f9469cfc6c
 *   protocol := pickle of 1001
 *   system   := pickle of a dict, about the machine that wrote it
 *   object   := pickle of what was saved
 *   keys     := pickle of a list of the keys of the storages
 *   storage  := i64 count  elements        -- for each key, little-endian
 */
#include "format/pytorch/pt.h"

#define PROTOCOL 1001

/* LONG1 of ten bytes, and STOP. */
static const uint8_t magic[] = { 0x8a, 0x0a, 0x6c, 0xfc, 0x9c, 0x46, 0xf9,
                                 0x20, 0x6a, 0xa8, 0x50, 0x19, 0x2e };

/* LONG, as protocols 0 and 1 write it. */
static const char magic_text[] = "L119547037146038801333356L\n.";

#define FRAME_SIZE 9 /* which protocol 4 may put before an opcode */

/* How long the pickle of the number is, of any protocol; 0: it is another. */
static size_t magic_size(struct tn_bytes head)
{
    if (tn_bytes_starts_with(head, magic_text))
        return sizeof magic_text - 1;
    if (head.size < 3 || head.data[0] != 0x80)
        return 0;
    size_t at = head.data[2] == 0x95 ? 2 + FRAME_SIZE : 2;
    return head.size >= at + sizeof magic &&
                   memcmp(head.data + at, magic, sizeof magic) == 0
               ? at + sizeof magic
               : 0;
}

bool tn_pt_is_stream(struct tn_bytes head)
{
    return magic_size(head) != 0;
}

static void expect_magic(struct tn_cursor *c)
{
    struct tn_cursor ahead = *c;
    struct tn_bytes  head  = tn_take_bytes(&ahead, TN_PT_STREAM_HEAD);

    if (!tn_failed(c->error) && !tn_pt_is_stream(head))
        tn_fail_at(c, 0, TN_MALFORMED,
                   "not the magic number of a stream of torch.save()");
    tn_skip(c, magic_size(head));
}

static void expect_protocol(struct tn_cursor *c, struct tn_arena *arena)
{
    const struct tn_pickle *value;
    uint64_t                at = c->offset;

    if (tn_pickle_describe(c, arena, NULL, &value) == TN_OK &&
        (value->kind != TN_PICKLE_INT || value->as.integer != PROTOCOL))
        tn_fail_at(c, at, TN_UNSUPPORTED, "not protocol %d of torch.save()",
                   PROTOCOL);
}

/* The storage of a key: its count, which must be the one that its tensors
 * were promised, and its elements. */
static void place_storage(struct tn_pt_tree *tree, struct tn_cursor *c,
                          const struct tn_pickle *key)
{
    uint32_t index = tn_intern_find(&tree->keys, tn_pickle_text(key));
    uint64_t size, at = c->offset, count = tn_u64(c);

    if (tn_failed(c->error))
        return;
    if (index == TN_NONE) {
        tn_fail_at(c, key->offset, TN_MALFORMED,
                   "storage '%.*s' is listed, and its type is not known",
                   TN_FMT(tn_pickle_text(key)));
        return;
    }
    struct tn_pt_storage *storage = tn_pt_storage_at(tree, index);
    if (count != storage->count || !tn_pt_storage_size(storage, &size)) {
        tn_fail_at(c, at, TN_MALFORMED,
                   "storage '%.*s' has %" PRIu64 " elements, its tensors were "
                   "promised %" PRIu64,
                   TN_FMT(storage->key), count, storage->count);
        return;
    }
    storage->span = tn_span(c, size);
}

static void place_storages(struct tn_pt_tree *tree, struct tn_cursor *c)
{
    const struct tn_pickle *keys;

    if (tn_pickle_describe(c, tree->arena, NULL, &keys) != TN_OK)
        return;
    if (keys->kind != TN_PICKLE_LIST) {
        tn_fail_at(c, keys->offset, TN_MALFORMED, "no list of storages");
        return;
    }
    for (uint64_t i = 0; i < keys->as.list.count && !tn_failed(c->error); i++)
        place_storage(tree, c, keys->as.list.items[i]);
}

static void refuse_missing(const struct tn_pt_tree *tree)
{
    for (uint64_t i = 0; i < tree->storages.count && !tn_failed(tree->error);
         i++) {
        const struct tn_pt_storage *storage = tn_pt_storage_at(tree, i);
        if (!storage->span.source && !storage->is_without_data &&
            storage->count)
            tn_error_set(tree->error, TN_MALFORMED, storage->offset,
                         "storage '%.*s' is not in the file",
                         TN_FMT(storage->key));
    }
}

/* The whole stream. */
static void read_stream(struct tn_pt_tree *tree, struct tn_cursor *c)
{
    const struct tn_pickle *system;

    tree->folder = "";
    expect_magic(c);
    if (!tn_failed(c->error))
        expect_protocol(c, tree->arena);
    if (!tn_failed(c->error))
        tn_pickle_describe(c, tree->arena, NULL, &system);
    if (!tn_failed(c->error))
        tn_pt_tree_read(tree, c, tn_text(""));
    if (!tn_failed(c->error))
        place_storages(tree, c);
    if (!tn_failed(c->error))
        refuse_missing(tree);
}

static void tell_trailing(struct tn_cursor *c, struct tn_report *report,
                          const char *after)
{
    if (!tn_failed(c->error) && report && tn_more(c))
        tn_report_format(report, TN_LEVEL_WARNING, "trailing-bytes", "",
                         c->offset, "", "%" PRIu64 " bytes after the %s",
                         tn_left(c), after);
}

enum tn_status tn_pt_stream_read(struct tn_pt_file *file,
                                 struct tn_source  *source,
                                 struct tn_report  *report)
{
    struct tn_cursor c = tn_cursor_span(
        (struct tn_span){ source, 0, source->size }, file->tree.error);

    file->kind = TN_PT_STREAM;
    read_stream(&file->tree, &c);
    tell_trailing(&c, report, "last storage");
    return c.error->status;
}

/* ---- pickles by themselves ------------------------------------------------ */

/* The name of a module, to the end of its line. */
static bool begins_module(struct tn_bytes text)
{
    size_t i = 0;

    while (i < text.size && (text.data[i] == '_' || text.data[i] == '.' ||
                             (text.data[i] >= '0' && text.data[i] <= '9') ||
                             (text.data[i] >= 'a' && text.data[i] <= 'z') ||
                             (text.data[i] >= 'A' && text.data[i] <= 'Z')))
        i++;
    return i > 0 && i < text.size && text.data[i] == '\n';
}

/* A protocol, or what pickles of protocols 0 and 1 begin with: a dict or a list
 * and its place in the memo, a class, or the mark of a tuple and its first
 * item. */
bool tn_pt_begins_pickle(struct tn_bytes head)
{
    if (head.size < 3)
        return false;
    if (head.data[0] == 0x80)
        return head.data[1] >= 2 && head.data[1] <= 5;
    if (head.data[0] == '(')
        return head.data[1] && strchr("(])}cdilFGIJKLMNSTUVX", head.data[1]);
    return tn_bytes_starts_with(head, "}q") ||
           tn_bytes_starts_with(head, "]q") ||
           (head.data[0] == 'c' &&
            begins_module(tn_bytes(head.data + 1, head.size - 1)));
}

bool tn_pt_is_pickle(struct tn_bytes head)
{
    return tn_pt_begins_pickle(head) && !tn_pt_is_stream(head) &&
           (tn_bytes_contains(head, tn_text("torch._utils")) ||
            tn_bytes_contains(head, tn_text("torch.storage")) ||
            tn_bytes_contains(head, tn_text("torch._tensor")) ||
            (tn_bytes_contains(head, tn_text("numpy")) &&
             (tn_bytes_contains(head, tn_text("_reconstruct")) ||
              tn_bytes_contains(head, tn_text("_frombuffer")))));
}

bool tn_pt_nested_storage(struct tn_pt_tree *tree, struct tn_span stream,
                          struct tn_pt_storage *storage)
{
    struct tn_error   own   = TN_ERROR_INIT;
    struct tn_cursor  c     = tn_cursor_span(stream, &own);
    struct tn_pt_tree inner;

    tn_pt_tree_init(&inner, tree->arena, &own);
    inner.is_nested = true;
    read_stream(&inner, &c);
    bool is_one = !tn_failed(&own) && inner.storages.count == 1;
    if (is_one)
        *storage = *tn_pt_storage_at(&inner, 0);
    if (tn_machine_failed(&own))
        *tree->error = own;
    tn_pt_tree_done(&inner);
    return is_one;
}

enum tn_status tn_pt_pickle_read(struct tn_pt_file *file,
                                 struct tn_source  *source,
                                 struct tn_report  *report)
{
    struct tn_cursor c = tn_cursor_span(
        (struct tn_span){ source, 0, source->size }, file->tree.error);

    file->kind = TN_PT_PICKLE;
    tn_pt_tree_read(&file->tree, &c, tn_text(""));
    tell_trailing(&c, report, "pickle");
    return c.error->status;
}
