/* tf_fingerprint.c - fingerprint.pb, and the formulas for a saved_model.pb */
#include "format/tensorflow/tf_fingerprint.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/sort.h"
#include "codec/farmhash.h"
#include "io/rope_source.h"
#include "wire/pb/pb_builtin.h"
#include "wire/pb/pb_merge.h"
#include "wire/pb/pb_order.h"
#include "wire/pb/pb_write.h"

#define DT_STRING 7

const char *const tn_tf_hash_names[TN_TF_HASH_COUNT] = {
    "saved_model_checksum",    "graph_def_program_hash", "signature_def_hash",
    "saved_object_graph_hash", "checkpoint_hash",
};

/* ---- the file ----------------------------------------------------------- */

static uint64_t read_producer(struct tn_cursor c)
{
    struct tn_pb_field field;
    uint64_t           producer = 0;

    while (tn_pb_next(&c, &field))
        if (field.number == 1 && tn_pb_expect(&c, &field, TN_WIRE_VARINT))
            producer = field.value;
    return producer;
}

enum tn_status tn_tf_fingerprint_read(struct tn_tf_fingerprint *print,
                                      struct tn_span            file,
                                      struct tn_error          *error)
{
    struct tn_cursor   c = tn_cursor_span(file, error);
    struct tn_pb_field field;

    *print = (struct tn_tf_fingerprint){ .producer = 0 };
    for (int i = 0; i < TN_TF_HASH_COUNT; i++)
        print->places[i] = TN_NOWHERE;
    while (tn_pb_next(&c, &field)) {
        if (field.number <= TN_TF_HASH_COUNT &&
            tn_pb_expect(&c, &field, TN_WIRE_VARINT)) {
            print->hashes[field.number - 1] = field.value;
            print->places[field.number - 1] = field.offset;
        } else if (field.number == 6 && tn_pb_expect(&c, &field, TN_WIRE_LEN))
            print->producer = read_producer(field.body);
        else if (field.number == 7 && tn_pb_expect(&c, &field, TN_WIRE_LEN))
            print->uuid = tn_pb_text(&field);
    }
    return error->status;
}

void tn_tf_fingerprint_write(const struct tn_tf_fingerprint *print,
                             struct tn_rope                 *to)
{
    struct tn_rope version;

    for (uint32_t i = 0; i < TN_TF_HASH_COUNT; i++)
        if (print->hashes[i])
            tn_pb_put_varint(to, i + 1, print->hashes[i]);
    tn_rope_init(&version, to->arena, to->error);
    tn_pb_put_varint(&version, 1, print->producer);
    tn_pb_put_message(to, 6, &version);
    if (print->uuid.size)
        tn_pb_put_bytes(to, 7, print->uuid);
}

/* 128 bits in decimal, by long division; TensorFlow pads to 20 digits. */
enum tn_status tn_tf_fingerprint_name(struct tn_tf_fingerprint *print,
                                      struct tn_arena          *arena,
                                      struct tn_error          *error)
{
    const uint64_t *h    = print->hashes;
    uint64_t        high = tn_tf_hash_join(h[TN_TF_PROGRAM], h[TN_TF_OBJECTS]);
    uint64_t low      = tn_tf_hash_join(h[TN_TF_CHECKSUM], h[TN_TF_CHECKPOINT]);
    uint32_t words[4] = { (uint32_t)(high >> 32), (uint32_t)high,
                          (uint32_t)(low >> 32), (uint32_t)low };
    uint8_t  digits[40];
    size_t   at = sizeof digits, first = sizeof digits - 20;

    while (at > 0) {
        uint64_t rest = 0;
        for (int i = 0; i < 4; i++) {
            rest     = rest << 32 | words[i];
            words[i] = (uint32_t)(rest / 10);
            rest %= 10;
        }
        digits[--at] = (uint8_t)('0' + rest);
        if (rest && at < first)
            first = at;
    }
    print->uuid = tn_bytes_dup(
        arena, tn_bytes(digits + first, sizeof digits - first), error);
    return error->status;
}

enum tn_status tn_tf_fingerprint_checkpoint(struct tn_tf_fingerprint *print,
                                            struct tn_source         *index,
                                            struct tn_error          *error)
{
    struct tn_farmhash hash;

    print->hashes[TN_TF_CHECKPOINT] = 0;
    if (!index)
        return TN_OK;
    tn_farmhash_init(&hash);
    if (index->size)
        TN_TRY(tn_sink_splice(
            &hash.sink, (struct tn_span){ index, 0, index->size }, error));
    print->hashes[TN_TF_CHECKPOINT] = tn_farmhash_finish(&hash);
    return TN_OK;
}

/* ---- hashes of hashes --------------------------------------------------- */

static uint64_t fold(uint64_t x)
{
    return x ^ x >> 47;
}

uint64_t tn_tf_hash_join(uint64_t a, uint64_t b)
{
    const uint64_t by = UINT64_C(0xc6a4a7935bd1e995);

    return fold(fold(((a ^ by) ^ fold(b * by) * by) * by) * by);
}

/* Serializes into the hash, with its own arena, since there are many nodes. */
static void put_view(const struct tn_pb_view *view, struct tn_farmhash *hash)
{
    struct tn_pb_view own = *view;
    struct tn_arena   arena;
    struct tn_rope    rope;

    tn_arena_init(&arena, view->arena->memory);
    tn_rope_init(&rope, &arena, view->error);
    own.arena = &arena;
    if (tn_pb_normalize_sorted(&own, &rope) == TN_OK)
        tn_rope_write(&rope, &hash->sink, view->error);
    tn_rope_done(&rope);
    tn_arena_done(&arena);
}

uint64_t tn_tf_hash_view(const struct tn_pb_view *view)
{
    struct tn_farmhash hash;

    tn_farmhash_init(&hash);
    put_view(view, &hash);
    return tn_farmhash_finish(&hash);
}

static struct tn_pb_view member(const struct tn_pb_view *view, uint32_t number)
{
    return tn_pb_view_message(view, tn_pb_message_field(view->type, number));
}

/* ---- the graph ---------------------------------------------------------- */

/* The AttrValue of an attribute, if the node has it. */
static bool find_attr(const struct tn_pb_view *node, const char *name,
                      struct tn_pb_view *value)
{
    struct tn_pb_view entry;

    if (!tn_pb_view_entry(node, tn_pb_message_field(node->type, 5),
                          tn_text(name), 0, &entry))
        return false;
    *value = member(&entry, 2);
    return true;
}

/* An entry that replaces an earlier one: the last entry of a key counts. */
static void put_attr(struct tn_rope *node, const char *name,
                     struct tn_rope *value)
{
    struct tn_rope entry;

    tn_rope_init(&entry, node->arena, node->error);
    tn_pb_put_text(&entry, 1, name);
    tn_pb_put_message(&entry, 2, value);
    tn_pb_put_message(node, 5, &entry);
}

static bool read_integer(struct tn_bytes text, int64_t *number)
{
    bool     is_minus = text.size && text.data[0] == '-';
    uint64_t value    = 0;

    if (text.size == is_minus || text.size > 19)
        return false;
    for (size_t i = is_minus; i < text.size; i++) {
        if (text.data[i] < '0' || text.data[i] > '9')
            return false;
        value = value * 10 + (uint64_t)(text.data[i] - '0');
    }
    *number = is_minus ? -(int64_t)value : (int64_t)value;
    return value <= INT64_MAX;
}

/* "f_12": 12, and a stem of 2.  A number may have leading zeros, but only its
 * shortest form is cut off, as in TensorFlow. */
static bool read_suffix(struct tn_bytes name, int64_t *number, size_t *stem)
{
    size_t at = name.size;
    char   text[24];

    while (at > 0 && name.data[at - 1] != '_')
        at--;
    if (!read_integer(tn_bytes(name.data + at, name.size - at), number))
        return false;
    size_t size = (size_t)snprintf(text, sizeof text, "%" PRId64, *number);
    bool   ends_so =
        size <= name.size && !memcmp(name.data + name.size - size, text, size);
    *stem = ends_so ? name.size - size : name.size;
    return true;
}

/* The program that made functions numbered them; the number is removed. */
static bool patch_function(const struct tn_pb_view *node, struct tn_rope *to)
{
    struct tn_pb_view value;
    struct tn_rope    attr, func;
    int64_t           number;
    size_t            stem;

    if (!find_attr(node, "f", &value))
        return false;
    struct tn_pb_view called = member(&value, 10);
    struct tn_bytes   name =
        tn_pb_view_text(&called, tn_pb_message_field(called.type, 1));
    if (!read_suffix(name, &number, &stem))
        return false;
    tn_rope_init(&attr, to->arena, to->error);
    tn_rope_init(&func, to->arena, to->error);
    tn_pb_normalize(&value, &attr);
    tn_pb_put_bytes(&func, 1, tn_bytes(name.data, stem));
    tn_pb_put_message(&attr, 10, &func); /* merges: the last name counts */
    put_attr(to, "f", &attr);
    tn_rope_done(&attr);
    tn_rope_done(&func);
    return true;
}

/* Replaces the value of an attribute, if the node has it, by `bytes`. */
static bool patch_value(const struct tn_pb_view *node, const char *name,
                        const char *bytes, size_t size, struct tn_rope *to)
{
    struct tn_pb_view value;
    struct tn_rope    attr;

    if (!find_attr(node, name, &value))
        return false;
    tn_rope_init(&attr, to->arena, to->error);
    tn_rope_bytes(&attr, tn_bytes(bytes, size));
    put_attr(to, name, &attr);
    tn_rope_done(&attr);
    return true;
}

static bool has_type_string(const struct tn_pb_view *node)
{
    struct tn_pb_view value;

    return find_attr(node, "dtype", &value) &&
           tn_pb_view_bits(&value, tn_pb_message_field(value.type, 6)) ==
               DT_STRING;
}

/* Removes from a node what differs from one machine to the next. */
static bool patch_node(const struct tn_pb_view *node, struct tn_rope *to)
{
    struct tn_bytes op =
        tn_pb_view_text(node, tn_pb_message_field(node->type, 2));

    if (tn_bytes_is(op, "Const"))
        return has_type_string(node) && patch_value(node, "value", "", 0, to);
    if (!tn_bytes_is(op, "PartitionedCall") &&
        !tn_bytes_is(op, "StatefulPartitionedCall"))
        return false;
    bool has_function = patch_function(node, to);
    /* an empty string, which is not the same as no value */
    return patch_value(node, "config_proto", "\x12", 2, to) || has_function;
}

static void hash_node(const struct tn_pb_view *node, struct tn_farmhash *hash)
{
    struct tn_pb_view own     = *node;
    struct tn_source *patched = NULL;
    struct tn_arena   arena;
    struct tn_rope    rope, message;

    tn_arena_init(&arena, node->arena->memory);
    tn_rope_init(&rope, &arena, node->error);
    tn_rope_init(&message, &arena, node->error);
    own.arena = &arena;
    tn_rope_span(&rope, (struct tn_span){ node->part.source, node->part.offset,
                                          tn_left(&node->part) });
    if (patch_node(&own, &rope) &&
        tn_source_rope(&patched, arena.memory, &rope, "", node->error) == TN_OK)
        own.part = tn_cursor_span((struct tn_span){ patched, 0, patched->size },
                                  node->error);
    tn_rope_done(&rope);
    tn_rope_init(&rope, &arena, node->error);
    if (!tn_failed(node->error))
        tn_pb_normalize_sorted(&own, &message);
    tn_pb_put_message(&rope, 1, &message);
    if (!tn_failed(node->error))
        tn_rope_write(&rope, &hash->sink, node->error);
    tn_rope_done(&message);
    tn_rope_done(&rope);
    tn_source_close(patched);
    tn_arena_done(&arena);
}

/* All fields but the nodes; library and versions as empty messages. */
static void hash_rest(const struct tn_pb_view *graph, struct tn_farmhash *hash)
{
    static const uint8_t           empty[] = { 2 << 3 | 2, 0, 4 << 3 | 2, 0 };
    struct tn_pb_fields            fields  = tn_pb_view_fields(graph);
    struct tn_source              *source  = NULL;
    const struct tn_pb_field_type *type;
    struct tn_pb_field             f;
    struct tn_rope                 rope;

    tn_rope_init(&rope, graph->arena, graph->error);
    tn_rope_bytes(&rope, tn_bytes(empty, sizeof empty));
    while (tn_pb_fields_next(&fields, &f, &type))
        if (f.number != 1 && f.number != 2 && f.number != 4)
            tn_rope_span(&rope, tn_pb_field_span(&fields.cursor, &f));
    if (!tn_failed(graph->error) &&
        tn_source_rope(&source, graph->arena->memory, &rope, "",
                       graph->error) == TN_OK) {
        struct tn_pb_view rest = tn_pb_view(
            graph->type,
            tn_cursor_span((struct tn_span){ source, 0, source->size },
                           graph->error),
            graph->arena);
        put_view(&rest, hash);
    }
    tn_rope_done(&rope);
    tn_source_close(source);
}

static uint64_t hash_program(const struct tn_pb_view *graph)
{
    const struct tn_pb_field_type *nodes = tn_pb_message_field(graph->type, 1);
    struct tn_pb_items             items = tn_pb_view_items(graph, nodes);
    struct tn_pb_value             item;
    struct tn_farmhash             hash;

    tn_farmhash_init(&hash);
    while (tn_pb_items_next(&items, &item)) {
        struct tn_pb_view node = tn_pb_item_message(graph, nodes, &item);
        hash_node(&node, &hash);
    }
    hash_rest(graph, &hash);
    return tn_farmhash_finish(&hash);
}

/* ---- maps of the meta graph --------------------------------------------- */

/* An entry of a map that counts: its place in the order, and the hashes. */
struct entry {
    struct tn_bytes key;
    int64_t         number; /* function: the integer it ends in               */
    uint64_t        order;  /* in the file                                    */
    uint64_t        value;
};

static int by_key(const void *left, const void *right, void *context)
{
    const struct entry *a = left, *b = right;
    int                 order = tn_bytes_compare(a->key, b->key);

    (void)context;
    return order ? order : a->order < b->order ? -1 : a->order > b->order;
}

static int by_number(const void *left, const void *right, void *context)
{
    const struct entry *a = left, *b = right;

    return a->number != b->number ? (a->number < b->number ? -1 : 1)
                                  : by_key(left, right, context);
}

/* All entries ascending by key, including those that a later one replaces. */
static void list_entries(const struct tn_pb_view *view, uint32_t number,
                         struct tn_list *entries)
{
    const struct tn_pb_field_type *field =
        tn_pb_message_field(view->type, number);
    struct tn_pb_items items = tn_pb_view_items(view, field);
    struct tn_pb_value item;

    while (tn_pb_items_next(&items, &item)) {
        struct tn_pb_view entry = tn_pb_item_message(view, field, &item);
        struct tn_pb_view value = member(&entry, 2);
        struct entry *slot = tn_list_push(entries, struct entry, view->error);
        if (!slot)
            return;
        *slot = (struct entry){
            .key   = tn_pb_view_text(&entry, &entry.type->fields[0]),
            .order = entries->count,
            .value = tn_tf_hash_view(&value),
        };
    }
    tn_sort_items(entries->items, entries->count, sizeof(struct entry), by_key,
                  NULL);
}

/* Keeps the last of equal keys. */
static void drop_replaced(struct tn_list *entries)
{
    uint64_t kept = 0;

    for (uint64_t i = 0; i < entries->count; i++) {
        struct entry *e = tn_list_at(entries, struct entry, i);
        if (kept &&
            tn_bytes_equal(tn_list_at(entries, struct entry, kept - 1)->key,
                           e->key))
            kept--;
        *tn_list_at(entries, struct entry, kept++) = *e;
    }
    entries->count = kept;
}

/* The signatures by key: F of each key and value goes to `each` in turn. */
static void hash_signatures(const struct tn_pb_view *meta_graph,
                            void (*each)(uint64_t *hash, uint64_t key,
                                         uint64_t value),
                            uint64_t *hash)
{
    struct tn_list entries;

    tn_list_init(&entries, meta_graph->arena->memory, sizeof(struct entry));
    list_entries(meta_graph, 5, &entries);
    drop_replaced(&entries);
    *hash = 0;
    for (uint64_t i = 0; i < entries.count && !tn_failed(meta_graph->error);
         i++) {
        const struct entry *e = tn_list_at(&entries, struct entry, i);
        each(hash, tn_farmhash64(e->key), e->value);
    }
    tn_list_done(&entries);
}

static void join_both(uint64_t *hash, uint64_t key, uint64_t value)
{
    *hash = tn_tf_hash_join(tn_tf_hash_join(*hash, key), value);
}

/* Sorted by the number in their name, which must differ between functions. */
static enum tn_status number_functions(struct tn_list  *entries,
                                       struct tn_error *error)
{
    size_t stem;

    for (uint64_t i = 0; i < entries->count; i++) {
        struct entry *e = tn_list_at(entries, struct entry, i);
        if (!read_suffix(e->key, &e->number, &stem))
            return tn_error_set(error, TN_UNSUPPORTED, TN_NOWHERE,
                                "the function '%.*s' has no number at its end",
                                TN_FMT(e->key));
    }
    tn_sort_items(entries->items, entries->count, sizeof(struct entry),
                  by_number, NULL);
    for (uint64_t i = 1; i < entries->count; i++) {
        const struct entry *e = tn_list_at(entries, struct entry, i);
        if (e[-1].number == e->number)
            return tn_error_set(error, TN_UNSUPPORTED, TN_NOWHERE,
                                "two functions have the number %" PRId64,
                                e->number);
    }
    return error->status;
}

static uint64_t hash_functions(const struct tn_pb_view *objects)
{
    struct tn_list entries;
    uint64_t       hash = 0;
    size_t         stem;

    tn_list_init(&entries, objects->arena->memory, sizeof(struct entry));
    list_entries(objects, 2, &entries);
    drop_replaced(&entries);
    if (!tn_failed(objects->error) &&
        number_functions(&entries, objects->error) == TN_OK)
        for (uint64_t i = 0; i < entries.count; i++) {
            struct entry *e = tn_list_at(&entries, struct entry, i);
            read_suffix(e->key, &e->number, &stem);
            join_both(&hash, tn_farmhash64(tn_bytes(e->key.data, stem)),
                      e->value);
        }
    tn_list_done(&entries);
    return hash;
}

/* ---- a saved_model.pb --------------------------------------------------- */

static bool first_meta(const struct tn_pb_view *model, struct tn_pb_view *meta)
{
    const struct tn_pb_field_type *field = tn_pb_message_field(model->type, 2);
    struct tn_pb_items             items = tn_pb_view_items(model, field);
    struct tn_pb_value             item;

    if (!tn_pb_items_next(&items, &item)) {
        tn_error_set(model->error, TN_UNSUPPORTED, TN_NOWHERE,
                     "a SavedModel without a meta graph has no fingerprint");
        return false;
    }
    *meta = tn_pb_item_message(model, field, &item);
    return true;
}

static void fill_in(struct tn_tf_fingerprint *print,
                    const struct tn_pb_view  *model)
{
    struct tn_pb_view meta;
    uint64_t         *hashes = print->hashes;

    print->producer = TN_TF_PRODUCER_WHOLE;
    if (!first_meta(model, &meta))
        return;
    struct tn_pb_view graph = member(&meta, 2), objects = member(&meta, 7);
    hashes[TN_TF_CHECKSUM] = tn_tf_hash_view(model);
    hashes[TN_TF_PROGRAM]  = hash_program(&graph);
    hash_signatures(&meta, join_both, &hashes[TN_TF_SIGNATURES]);
    hashes[TN_TF_OBJECTS] = hash_functions(&objects);
}

enum tn_status tn_tf_fingerprint_message(struct tn_tf_fingerprint *print,
                                         struct tn_span            message,
                                         struct tn_memory         *memory,
                                         struct tn_error          *error)
{
    struct tn_pb_schema schema;
    struct tn_arena     arena;

    tn_arena_init(&arena, memory);
    if (tn_pb_schema_load(&schema, &arena, tn_pb_builtin_set(TN_PB_TENSORFLOW),
                          error) == TN_OK) {
        struct tn_pb_view model =
            tn_pb_view(tn_pb_schema_find(&schema, "tensorflow.SavedModel"),
                       tn_cursor_span(message, error), &arena);
        fill_in(print, &model);
    }
    tn_arena_done(&arena);
    return error->status;
}

/* ---- the formulas for a saved_model.cpb --------------------------------- */

/*
 * They work on chunks as they are stored, so that the fingerprint depends on
 * how the model was split.
 */

/* The paths of the three parts of a SavedModel that are hashed. */
#define PATH(field)                                                            \
    {                                                                          \
        { .kind = TN_TAG_FIELD, .at.number = 2 },                              \
            { .kind = TN_TAG_INDEX, .at.number = 0 },                          \
            { .kind = TN_TAG_FIELD, .at.number = (field) },                    \
    }
static const struct tn_field_tag graph_tags[]     = PATH(2);
static const struct tn_field_tag signature_tags[] = PATH(5);
static const struct tn_field_tag object_tags[]    = PATH(7);

enum { GRAPH, SIGNATURES, OBJECTS, PATH_COUNT };
static const struct tn_tags paths[PATH_COUNT] = {
    { graph_tags, 3 },
    { signature_tags, 3 },
    { object_tags, 3 },
};

/* ---- what is at a path -------------------------------------------------- */

struct hashing {
    struct tn_tags         path;
    struct tn_chunk_store *store;
    struct tn_arena       *arena;
    struct tn_error       *error;
};

static enum tn_status hash_message(const struct hashing    *h,
                                   const struct tn_chunked *message,
                                   uint64_t                *hash);

static enum tn_status join_chunk(const struct hashing *h, uint64_t chunk,
                                 uint64_t *hash)
{
    struct tn_farmhash own;
    struct tn_span     span;

    if (chunk >= h->store->count)
        return tn_error_set(h->error, TN_MALFORMED, TN_NOWHERE,
                            "chunk %" PRIu64 " of %" PRIu64, chunk,
                            h->store->count);
    tn_farmhash_init(&own);
    TN_TRY(h->store->read(h->store, chunk, &span, h->error));
    if (span.length)
        TN_TRY(tn_sink_splice(&own.sink, span, h->error));
    *hash = tn_tf_hash_join(*hash, tn_farmhash_finish(&own));
    return TN_OK;
}

static enum tn_status join_message(const struct hashing    *h,
                                   const struct tn_chunked *message,
                                   uint64_t                *hash)
{
    uint64_t inner;

    TN_TRY(hash_message(h, message, &inner));
    *hash = tn_tf_hash_join(*hash, inner);
    return TN_OK;
}

static enum tn_status join_field(const struct hashing          *h,
                                 const struct tn_chunked_field *field,
                                 uint64_t                      *hash)
{
    const struct tn_chunked *message  = &field->message;
    uint64_t                 common   = tn_tags_common(field->tags, h->path);
    bool                     is_below = common == h->path.count;
    bool                     is_above = common == field->tags.count;

    if (is_below && message->has_chunk)
        return join_chunk(h, message->chunk, hash);
    if (is_below || (is_above && message->has_chunk))
        return join_message(h, message, hash);
    for (uint64_t i = 0; is_above && i < message->field_count; i++)
        TN_TRY(join_message(h, &message->fields[i].message, hash));
    return TN_OK;
}

/* Fields in the order in which they are stored; each keeps its place when they
 * are sorted. The reader of metadata bounds the depth. */
static enum tn_status hash_message(const struct hashing    *h,
                                   const struct tn_chunked *message,
                                   uint64_t                *hash)
{
    uint64_t  count = message->field_count;
    uint64_t *order = tn_new(h->arena, uint64_t, count, h->error);

    *hash = 0;
    for (uint64_t i = 0; order && i < count; i++)
        order[message->fields[i].place] = i;
    for (uint64_t i = 0; order && i < count; i++)
        TN_TRY(join_field(h, &message->fields[order[i]], hash));
    return h->error->status;
}

enum tn_status tn_tf_hash_chunks(const struct tn_chunked *chunked,
                                 struct tn_tags           path,
                                 struct tn_chunk_store   *store,
                                 struct tn_arena *arena, uint64_t *hash,
                                 struct tn_error *error)
{
    struct hashing h = { path, store, arena, error };

    return hash_message(&h, chunked, hash);
}

/* ---- the message above the chunks --------------------------------------- */

/* A part that belongs to two of the places: TensorFlow merges it once for each,
 * and the result is not a usable model. */
static enum tn_status refuse_shared(const struct tn_chunked *chunked,
                                    struct tn_error         *error)
{
    for (uint64_t i = 0; i < chunked->field_count; i++)
        if (chunked->fields[i].tags.count < 3 &&
            tn_tags_common(chunked->fields[i].tags, paths[GRAPH]) ==
                chunked->fields[i].tags.count)
            return tn_error_set(error, TN_UNSUPPORTED, TN_NOWHERE,
                                "a whole meta graph is a chunk: TensorFlow "
                                "takes no fingerprint of such a file");
    return TN_OK;
}

static enum tn_status merge_above(struct tn_mosaic        *to,
                                  const struct tn_chunked *chunked,
                                  struct tn_chunk_store   *store,
                                  struct tn_arena         *arena,
                                  struct tn_error         *error)
{
    struct tn_chunked pruned;

    TN_TRY(refuse_shared(chunked, error));
    TN_TRY(tn_chunked_prune(&pruned, chunked, paths, PATH_COUNT, TN_KEEP_ABOVE,
                            arena, error));
    return tn_chunk_merge(to, &pruned, store);
}

/* The SavedModel without the chunks below the three places; the caller closes
 * it. */
static enum tn_status open_above(struct tn_source          **source,
                                 const struct tn_pb_message *type,
                                 const struct tn_chunked    *chunked,
                                 struct tn_chunk_store      *store,
                                 struct tn_arena *arena, struct tn_error *error)
{
    struct tn_mosaics all;
    struct tn_rope    rope;

    *source = NULL;
    tn_mosaics_init(&all, arena, error);
    tn_rope_init(&rope, arena, error);
    struct tn_mosaic *m = tn_mosaic_new(&all, type);
    if (m && merge_above(m, chunked, store, arena, error) == TN_OK) {
        tn_mosaic_write(m, &rope);
        if (!tn_failed(error))
            tn_source_rope(source, arena->memory, &rope, "", error);
    }
    tn_rope_done(&rope);
    tn_mosaics_done(&all);
    return error->status;
}

/* ---- the fingerprint ---------------------------------------------------- */

static void join_pair(uint64_t *hash, uint64_t key, uint64_t value)
{
    *hash = tn_tf_hash_join(*hash, tn_tf_hash_join(key, value));
}

static void hash_above(struct tn_tf_fingerprint *print,
                       const struct tn_pb_view  *model)
{
    struct tn_pb_view meta;

    if (!first_meta(model, &meta))
        return;
    struct tn_pb_view graph =
        tn_pb_view_message(&meta, tn_pb_message_field(meta.type, 2));
    struct tn_pb_view objects =
        tn_pb_view_message(&meta, tn_pb_message_field(meta.type, 7));
    print->hashes[TN_TF_PROGRAM] = tn_tf_hash_view(&graph);
    print->hashes[TN_TF_OBJECTS] = tn_tf_hash_view(&objects);
    hash_signatures(&meta, join_pair, &print->hashes[TN_TF_SIGNATURES]);
}

static enum tn_status join_below(struct tn_tf_fingerprint *print,
                                 const struct tn_chunked  *chunked,
                                 struct tn_chunk_store    *store,
                                 struct tn_arena *arena, struct tn_error *error)
{
    static const enum tn_tf_hash of[PATH_COUNT] = { TN_TF_PROGRAM,
                                                    TN_TF_SIGNATURES,
                                                    TN_TF_OBJECTS };
    uint64_t                     below;

    for (int i = 0; i < PATH_COUNT; i++) {
        TN_TRY(
            tn_tf_hash_chunks(chunked, paths[i], store, arena, &below, error));
        print->hashes[of[i]] = tn_tf_hash_join(print->hashes[of[i]], below);
    }
    TN_TRY(tn_tf_hash_chunks(chunked, (struct tn_tags){ NULL, 0 }, store, arena,
                             &below, error));
    /* together with an empty SavedModel */
    print->hashes[TN_TF_CHECKSUM] =
        tn_tf_hash_join(below, tn_farmhash64((struct tn_bytes){ NULL, 0 }));
    return TN_OK;
}

enum tn_status tn_tf_fingerprint_chunks(struct tn_tf_fingerprint *print,
                                        const struct tn_chunked  *chunked,
                                        struct tn_chunk_store    *store,
                                        struct tn_memory         *memory,
                                        struct tn_error          *error)
{
    struct tn_source   *above = NULL;
    struct tn_pb_schema schema;
    struct tn_arena     arena;

    print->producer = TN_TF_PRODUCER_CHUNKED;
    tn_arena_init(&arena, memory);
    if (tn_pb_schema_load(&schema, &arena, tn_pb_builtin_set(TN_PB_TENSORFLOW),
                          error) == TN_OK) {
        const struct tn_pb_message *type =
            tn_pb_schema_find(&schema, "tensorflow.SavedModel");
        if (open_above(&above, type, chunked, store, &arena, error) == TN_OK) {
            struct tn_span    span = { above, 0, above->size };
            struct tn_pb_view model =
                tn_pb_view(type, tn_cursor_span(span, error), &arena);
            hash_above(print, &model);
        }
        if (!tn_failed(error))
            join_below(print, chunked, store, &arena, error);
    }
    tn_source_close(above);
    tn_arena_done(&arena);
    return error->status;
}

/* ---- the fingerprint of what is written --------------------------------- */

#define INDEX "variables/variables.index"

/* ---- chunks that a splitter made ---------------------------------------- */

struct made_chunks {
    struct tn_chunk_store store; /* first */
    struct tn_splitter   *splitter;
};

static enum tn_status read_made(struct tn_chunk_store *store, uint64_t index,
                                struct tn_span *chunk, struct tn_error *error)
{
    struct tn_splitter *splitter = ((struct made_chunks *)store)->splitter;
    uint8_t             none;

    /* nothing is read, but the chunk can be read from now on */
    TN_TRY(tn_splitter_chunk_read(splitter, index, 0, &none, 0, error));
    const struct tn_chunk *made =
        *tn_list_at(&splitter->chunks, struct tn_chunk *, index);
    *chunk = (struct tn_span){ made->source, 0, tn_chunk_length(made) };
    return TN_OK;
}

/* The chunks in the order of the file, which the formulas follow. */
static enum tn_status print_made(struct tn_tf_fingerprint *print,
                                 struct tn_splitter       *splitter,
                                 struct tn_memory         *memory,
                                 struct tn_error          *error)
{
    struct made_chunks made    = { .store    = { .count = tn_splitter_chunk_count(
                                                     splitter),
                                                 .read = read_made },
                                   .splitter = splitter };
    struct tn_chunked  chunked = splitter->result;
    struct tn_arena    arena;

    tn_arena_init(&arena, memory);
    chunked.fields =
        tn_new(&arena, struct tn_chunked_field, chunked.field_count, error);
    if (chunked.fields) {
        if (chunked.field_count)
            memcpy(chunked.fields, splitter->result.fields,
                   (size_t)chunked.field_count * sizeof *chunked.fields);
        tn_chunked_sort(&chunked);
        tn_tf_fingerprint_chunks(print, &chunked, &made.store, memory, error);
    }
    tn_arena_done(&arena);
    return error->status;
}

/* ---- the new one -------------------------------------------------------- */

static bool is_about_the_machine(enum tn_status status)
{
    return status == TN_NO_MEMORY || status == TN_LIMIT || status == TN_IO ||
           status == TN_CANCELLED;
}

/* The new fingerprint keeps the name of the old one. */
static void renew(struct tn_tf_fingerprint *print, struct tn_source *old,
                  const struct tn_tf_written *written, struct tn_arena *arena,
                  struct tn_error *error)
{
    struct tn_splitter *splitter = written->splitter;

    tn_tf_fingerprint_read(print, (struct tn_span){ old, 0, old->size }, error);
    if (tn_failed(error))
        return;
    if (splitter->format.version > 1)
        tn_error_set(error, TN_UNSUPPORTED, TN_NOWHERE,
                     "TensorFlow has no formula for chunks of version 2");
    else if (tn_splitter_chunk_count(splitter) > 1)
        print_made(print, splitter, arena->memory, error);
    else
        tn_tf_fingerprint_message(print, tn_message_span(splitter->message),
                                  arena->memory, error);
    print->hashes[TN_TF_CHECKPOINT] = written->checkpoint;
    if (!written->is_same_model && print->uuid.size && !tn_failed(error))
        tn_tf_fingerprint_name(print, arena, error);
}

static enum tn_status write_print(const struct tn_tf_fingerprint *print,
                                  struct tn_output *to, struct tn_arena *arena,
                                  struct tn_error *error)
{
    struct tn_rope  rope;
    struct tn_sink *sink;

    TN_TRY(tn_output_side(to, TN_TF_FINGERPRINT, &sink, error));
    tn_rope_init(&rope, arena, error);
    tn_tf_fingerprint_write(print, &rope);
    tn_rope_write(&rope, sink, error);
    tn_rope_done(&rope);
    return error->status;
}

enum tn_status tn_tf_write_fingerprint(const struct tn_tf_written *written,
                                       struct tn_error            *dropped,
                                       struct tn_error            *error)
{
    struct tn_tf_fingerprint print;
    struct tn_source        *old;
    struct tn_arena          arena;

    *dropped = (struct tn_error)TN_ERROR_INIT;
    if (!tn_bundle_has(written->from, TN_TF_FINGERPRINT))
        return TN_OK;
    tn_arena_init(&arena, written->from->memory);
    if (tn_bundle_sibling(written->from, tn_text(TN_TF_FINGERPRINT), &old,
                          dropped) == TN_OK)
        renew(&print, old, written, &arena, dropped);
    if (is_about_the_machine(dropped->status))
        *error = *dropped;
    else if (!tn_failed(dropped))
        write_print(&print, written->to, &arena, error);
    tn_arena_done(&arena);
    return error->status;
}

enum tn_status tn_tf_old_checkpoint(struct tn_bundle *from, uint64_t *hash,
                                    struct tn_error *error)
{
    struct tn_tf_fingerprint print = { .producer = 0 };
    struct tn_source        *index = NULL;

    if (tn_bundle_has(from, INDEX))
        TN_TRY(tn_bundle_sibling(from, tn_text(INDEX), &index, error));
    TN_TRY(tn_tf_fingerprint_checkpoint(&print, index, error));
    *hash = print.hashes[TN_TF_CHECKPOINT];
    return TN_OK;
}

/* ---- passing by --------------------------------------------------------- */

static enum tn_status tee_write(struct tn_sink *sink, struct tn_bytes bytes,
                                struct tn_error *error)
{
    struct tn_tf_tee *tee = (struct tn_tf_tee *)sink;

    tn_farmhash_add(&tee->hash, bytes);
    return tn_sink_write(tee->to, bytes, error);
}

static const struct tn_sink_ops tee_ops = { .write = tee_write };

void tn_tf_tee_init(struct tn_tf_tee *tee, struct tn_sink *to)
{
    *tee = (struct tn_tf_tee){ .sink = { .ops = &tee_ops }, .to = to };
    tn_farmhash_init(&tee->hash);
}
