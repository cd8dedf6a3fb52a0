/* gguf_header.c - reading headers of GGUF files; gguf_header.h has the map */
#include "format/gguf/gguf_header.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/arith.h"
#include "base/intern.h"
#include "base/sort.h"
#include "base/utf8.h"
#include "ir/blocks.h"
#include "ir/window.h"

/* Larger alignments overflow in some readers. */
#define ALIGNMENT_WISE (UINT32_C(1) << 20)

void tn_gguf_file_init(struct tn_gguf_file *file, struct tn_memory *memory)
{
    *file = (struct tn_gguf_file){ .alignment = TN_GGUF_ALIGNMENT };
    tn_list_init(&file->pairs, memory, sizeof(struct tn_gguf_pair));
    tn_list_init(&file->tensors, memory, sizeof(struct tn_gguf_tensor));
}

void tn_gguf_file_done(struct tn_gguf_file *file)
{
    tn_list_done(&file->pairs);
    tn_list_done(&file->tensors);
}

const struct tn_gguf_pair *tn_gguf_find(const struct tn_gguf_file *file,
                                        const char                *key)
{
    for (uint64_t i = 0; i < file->pairs.count; i++) {
        const struct tn_gguf_pair *pair =
            tn_list_at(&file->pairs, struct tn_gguf_pair, i);
        if (tn_bytes_is(pair->key, key))
            return pair;
    }
    return NULL;
}

bool tn_gguf_integer(const struct tn_gguf_pair *pair, int64_t *value)
{
    uint64_t bits = pair->bits;

    switch (pair->type) {
    case TN_GGUF_INT8: *value = (int8_t)bits; return true;
    case TN_GGUF_INT16: *value = (int16_t)bits; return true;
    case TN_GGUF_INT32: *value = (int32_t)bits; return true;
    case TN_GGUF_UINT8:
    case TN_GGUF_UINT16:
    case TN_GGUF_UINT32:
    case TN_GGUF_INT64: *value = (int64_t)bits; return true;
    case TN_GGUF_UINT64:
        *value = (int64_t)bits;
        return bits <= INT64_MAX;
    default: return false;
    }
}

/* ---- complaints ----------------------------------------------------------- */

struct reader {
    struct tn_gguf_file *file;
    struct tn_memory    *memory;
    struct tn_arena      arena; /* of the tables of names                     */
    struct tn_report    *report; /* NULL: the first contradiction fails       */
    struct tn_error     *error;
    struct tn_cursor     c;
    struct tn_intern     names;
};

/* After a failure nothing more is reported. */
#define COMPLAIN(r, flaw, ...)                                                 \
    (tn_failed((r)->error)                                                     \
         ? (void)0                                                             \
         : tn_report_flaw((r)->report, flaw, (r)->file->source->name,          \
                          (r)->error, __VA_ARGS__))

/* Data that cannot be skipped ends the reading, with or without a report. */
#define STOP(r, offset, status, ...)                                           \
    tn_fail_at(&(r)->c, offset, status, __VA_ARGS__)

/* ---- numbers and texts ---------------------------------------------------- */

static uint64_t turn(uint64_t value, unsigned size)
{
    return __builtin_bswap64(value) >> (64 - 8 * size);
}

static uint32_t read32(struct reader *r)
{
    uint32_t value = tn_u32(&r->c);

    return r->file->is_big ? (uint32_t)turn(value, 4) : value;
}

static uint64_t read64(struct reader *r)
{
    uint64_t value = tn_u64(&r->c);

    return r->file->is_big ? turn(value, 8) : value;
}

static uint64_t read_size(struct reader *r)
{
    return r->file->version == 1 ? read32(r) : read64(r);
}

static unsigned size_size(const struct tn_gguf_file *file)
{
    return file->version == 1 ? 4 : 8;
}

static struct tn_bytes read_text(struct reader *r, const char *what)
{
    uint64_t offset = r->c.offset, size = read_size(r), left = tn_left(&r->c);

    if (!tn_failed(r->error) && size > left)
        STOP(r, offset, TN_TRUNCATED,
             "%s of %" PRIu64 " bytes, %" PRIu64 " are left", what, size, left);
    return tn_take_bytes(&r->c, size);
}

/* A count of things that have at least `least` bytes each. */
static uint64_t read_count(struct reader *r, unsigned least, const char *what)
{
    uint64_t offset = r->c.offset, count = read_size(r), left = tn_left(&r->c);

    if (!tn_failed(r->error) && count > left / least)
        STOP(r, offset, TN_MALFORMED,
             "%" PRIu64 " %s, but %" PRIu64 " bytes are left", count, what,
             left);
    return tn_failed(r->error) ? 0 : count;
}

/* ---- the first bytes ------------------------------------------------------ */

static void read_version(struct reader *r)
{
    const uint8_t *magic = tn_take(&r->c, 4);

    if (magic && memcmp(magic, TN_GGUF_MAGIC, 4) != 0)
        STOP(r, 0, TN_MALFORMED, "the file does not begin with \"GGUF\"");
    uint64_t offset  = r->c.offset;
    uint32_t version = tn_u32(&r->c);
    r->file->is_big  = (version & 0xffff) == 0;
    if (r->file->is_big)
        version = (uint32_t)turn(version, 4);
    r->file->version = version;
    if (!tn_failed(r->error) && (version < 1 || version > TN_GGUF_VERSION))
        STOP(r, offset, TN_UNSUPPORTED,
             "version %" PRIu32 " of GGUF; versions 1 to %d are read", version,
             TN_GGUF_VERSION);
    if (!tn_failed(r->error) && version == 1)
        COMPLAIN(r,
                 TN_FLAW(TN_UNSUPPORTED, TN_LEVEL_WARNING, "old-version",
                         offset, tn_text("")),
                 "version 1 of GGUF, which llama.cpp no longer reads");
}

/* ---- pairs ---------------------------------------------------------------- */

static uint64_t load_number(const struct tn_gguf_file *file,
                            const uint8_t *bytes, unsigned size)
{
    uint64_t value = tn_load_little(bytes, size);

    return file->is_big ? turn(value, size) : value;
}

/* The smallest that an element can be. */
static unsigned least_size(const struct tn_gguf_file *file, uint32_t type)
{
    if (type == TN_GGUF_STRING)
        return size_size(file);
    if (type == TN_GGUF_ARRAY)
        return 4 + size_size(file);
    return tn_gguf_value_size(type);
}

/* An array that is being walked. */
struct level {
    uint32_t type;
    uint64_t left;
};

struct walking {
    const struct tn_gguf_file *file;
    const struct tn_gguf_walk *walk;
    struct tn_window           window;
    struct tn_error           *error;
    struct level               levels[TN_GGUF_DEPTH_MAX];
    unsigned                   depth;
};

static uint64_t walk_number(struct walking *w, unsigned size)
{
    uint8_t bytes[8] = { 0 };

    tn_window_copy(&w->window, bytes, size);
    return tn_failed(w->error) ? 0 : load_number(w->file, bytes, size);
}

static void walk_text(struct walking *w, uint32_t type)
{
    struct tn_cursor *c    = &w->window.cursor;
    uint64_t          at   = c->offset;
    uint64_t          size = walk_number(w, size_size(w->file));
    uint64_t          left = tn_window_left(&w->window);
    struct tn_span    text = { c->source, c->offset, size };

    if (tn_failed(w->error))
        return;
    if (size > left) {
        tn_fail_at(c, at, TN_TRUNCATED,
                   "a text of %" PRIu64 " bytes, %" PRIu64 " are left", size,
                   left);
        return;
    }
    tn_window_skip(&w->window, size);
    if (w->walk && !tn_failed(w->error))
        w->walk->element(w->walk->context, type, 0, text, w->error);
}

/* Checks the type and the count of an array. */
static bool enter(struct walking *w, uint64_t offset, uint32_t type,
                  uint64_t count)
{
    struct tn_cursor *c    = &w->window.cursor;
    uint64_t          left = tn_window_left(&w->window);

    if (tn_failed(w->error))
        return false;
    if (type >= TN_GGUF_VALUE_TYPES)
        tn_fail_at(c, offset, TN_MALFORMED, "an array of type %" PRId32,
                   (int32_t)type);
    else if (w->depth == TN_GGUF_DEPTH_MAX)
        tn_fail_at(c, offset, TN_LIMIT, "arrays nested deeper than %d",
                   TN_GGUF_DEPTH_MAX);
    else if (count > left / least_size(w->file, type))
        tn_fail_at(c, offset, TN_TRUNCATED,
                   "an array of %" PRIu64 " elements, but %" PRIu64
                   " bytes are left",
                   count, left);
    else
        w->levels[w->depth++] = (struct level){ type, count };
    return !tn_failed(w->error);
}

static void walk_inner(struct walking *w)
{
    uint64_t offset = w->window.cursor.offset;
    uint32_t type   = (uint32_t)walk_number(w, 4);
    uint64_t count  = walk_number(w, size_size(w->file));

    if (enter(w, offset, type, count) && w->walk && w->walk->open)
        w->walk->open(w->walk->context, type, count, w->error);
}

/* Numbers that no caller wants are skipped at once. */
static void walk_element(struct walking *w, struct level *level)
{
    unsigned size = tn_gguf_value_size(level->type);

    if (size && !w->walk) {
        tn_window_skip(&w->window, level->left * size);
        level->left = 0;
        return;
    }
    level->left--;
    if (level->type == TN_GGUF_STRING) {
        walk_text(w, level->type);
    } else if (level->type == TN_GGUF_ARRAY) {
        walk_inner(w);
    } else {
        uint64_t bits = walk_number(w, size);
        if (!tn_failed(w->error))
            w->walk->element(w->walk->context, level->type, bits,
                             (struct tn_span){ 0 }, w->error);
    }
}

static void walk_levels(struct walking *w, uint64_t limit)
{
    while (w->depth > 0 && !tn_failed(w->error)) {
        struct level *level = &w->levels[w->depth - 1];
        if (level->left > 0 && limit > 0) {
            limit--;
            walk_element(w, level);
            continue;
        }
        w->depth--;
        if (w->depth > 0 && w->walk && w->walk->close)
            w->walk->close(w->walk->context, w->error);
    }
}

enum tn_status tn_gguf_walk_array(const struct tn_gguf_file *file,
                                  uint32_t element, uint64_t count,
                                  struct tn_span elements, uint64_t limit,
                                  const struct tn_gguf_walk *walk,
                                  struct tn_memory *memory, uint64_t *end,
                                  struct tn_error *error)
{
    struct walking w = { .file = file, .walk = walk, .error = error };

    tn_window_open(&w.window, elements, memory, error);
    if (!tn_failed(error) && enter(&w, elements.offset, element, count))
        walk_levels(&w, limit);
    if (end)
        *end = w.window.cursor.offset;
    tn_window_done(&w.window);
    return error->status;
}

static void read_array(struct reader *r, struct tn_gguf_pair *pair)
{
    uint64_t offset = r->c.offset, end;

    pair->element     = read32(r);
    pair->count       = read_size(r);
    pair->value       = (struct tn_span){ r->c.source, r->c.offset, 0 };
    struct tn_span to = { r->c.source, r->c.offset, tn_left(&r->c) };
    if (tn_failed(r->error))
        return;
    if (pair->element == TN_GGUF_ARRAY)
        COMPLAIN(r,
                 TN_FLAW(TN_UNSUPPORTED, TN_LEVEL_WARNING, "nested-array",
                         offset, pair->key),
                 "an array of arrays, which llama.cpp refuses");
    if (tn_gguf_walk_array(r->file, pair->element, pair->count, to, UINT64_MAX,
                           NULL, r->memory, &end, r->error) != TN_OK) {
        tn_error_where(r->error, "%.*s", TN_FMT(pair->key));
        return;
    }
    pair->value.length = end - to.offset;
    tn_skip(&r->c, pair->value.length);
}

static void read_string(struct reader *r, struct tn_gguf_pair *pair)
{
    uint64_t offset = r->c.offset, size = read_size(r), left = tn_left(&r->c);

    if (!tn_failed(r->error) && size > left)
        STOP(r, offset, TN_TRUNCATED,
             "a text of %" PRIu64 " bytes, %" PRIu64 " are left", size, left);
    pair->value = tn_span(&r->c, size);
}

static void read_value(struct reader *r, struct tn_gguf_pair *pair)
{
    uint64_t offset = r->c.offset;
    unsigned size;

    pair->type = read32(r);
    size       = tn_gguf_value_size(pair->type);
    if (tn_failed(r->error))
        return;
    if (pair->type >= TN_GGUF_VALUE_TYPES) {
        STOP(r, offset, TN_MALFORMED,
             "a value of type %" PRId32 "; there are types 0 to %d",
             (int32_t)pair->type, TN_GGUF_VALUE_TYPES - 1);
    } else if (pair->type == TN_GGUF_ARRAY) {
        read_array(r, pair);
    } else if (pair->type == TN_GGUF_STRING) {
        read_string(r, pair);
    } else {
        pair->value = (struct tn_span){ r->c.source, r->c.offset, size };
        const uint8_t *bytes = tn_take(&r->c, size);
        pair->bits           = bytes ? load_number(r->file, bytes, size) : 0;
    }
    if (!tn_failed(r->error) && pair->type == TN_GGUF_BOOL && pair->bits > 1)
        COMPLAIN(r,
                 TN_FLAW(TN_MALFORMED, TN_LEVEL_WARNING, "bad-bool",
                         pair->value.offset, pair->key),
                 "a bool of value %" PRIu64, pair->bits);
}

static void check_key(struct reader *r, const struct tn_gguf_pair *pair)
{
    uint64_t offset = pair->wire.offset;
    uint32_t known  = tn_intern_count(&r->names);
    uint32_t id     = tn_intern_borrow(&r->names, pair->key, r->error);

    if (pair->key.size == 0)
        COMPLAIN(r,
                 TN_FLAW(TN_MALFORMED, TN_LEVEL_ERROR, "empty-key", offset,
                         pair->key),
                 "a key of no bytes");
    else if (id != known)
        COMPLAIN(r,
                 TN_FLAW(TN_MALFORMED, TN_LEVEL_ERROR, "duplicate-key", offset,
                         pair->key),
                 "the key occurs twice");
    if (pair->key.size > UINT16_MAX)
        COMPLAIN(r,
                 TN_FLAW(TN_MALFORMED, TN_LEVEL_WARNING, "long-key", offset,
                         tn_text("")),
                 "a key of %zu bytes; the format allows 65535", pair->key.size);
    if (!tn_utf8_is_valid(pair->key))
        COMPLAIN(r,
                 TN_FLAW(TN_MALFORMED, TN_LEVEL_WARNING, "bad-utf8", offset,
                         pair->key),
                 "a key that is not UTF-8");
}

static void read_pair(struct reader *r)
{
    struct tn_gguf_pair *pair =
        tn_list_push(&r->file->pairs, struct tn_gguf_pair, r->error);

    if (!pair)
        return;
    *pair            = (struct tn_gguf_pair){ 0 };
    uint64_t offset  = r->c.offset;
    pair->key        = read_text(r, "a key");
    pair->wire       = (struct tn_span){ r->c.source, offset, 0 };
    read_value(r, pair);
    if (tn_failed(r->error))
        return;
    pair->wire.length = r->c.offset - offset;
    check_key(r, pair);
}

/* ---- tensors -------------------------------------------------------------- */

static void read_dims(struct reader *r, struct tn_gguf_tensor *t)
{
    uint64_t offset = r->c.offset;
    uint32_t rank   = read32(r);

    if (!tn_failed(r->error) && rank > TN_GGUF_RANK_MAX)
        STOP(r, offset, TN_MALFORMED, "%" PRIu32 " dimensions, limit %d", rank,
             TN_GGUF_RANK_MAX);
    if (tn_failed(r->error))
        return;
    t->shape.rank = rank;
    for (uint32_t i = 0; i < rank; i++)
        t->dims[rank - 1 - i] = read_size(r);
}

static void read_type(struct reader *r, struct tn_gguf_tensor *t)
{
    uint64_t                   offset = r->c.offset;
    uint32_t                   number = read32(r);
    const struct tn_gguf_type *type   = tn_gguf_type(number);

    if (tn_failed(r->error))
        return;
    if (!type)
        STOP(r, offset, TN_UNSUPPORTED,
             "elements of type %" PRId32 ", which is not known",
             (int32_t)number);
    else if (type->dtype == TN_UNDEFINED)
        STOP(r, offset, TN_UNSUPPORTED,
             "elements of type %" PRIu32
             " (%s), which was removed from ggml: convert the model again",
             number, type->name);
    t->type        = type;
    t->shape.dtype = type ? type->dtype : TN_UNDEFINED;
}

/* Bytes of its elements; sizes are computed only here. */
static void measure(struct reader *r, struct tn_gguf_tensor *t)
{
    const struct tn_block_type *blocks = tn_block_type(t->type->kind);
    struct tn_shape             shape  = t->shape;
    uint64_t                    offset = t->wire.offset, count;
    uint64_t row = shape.rank ? t->dims[shape.rank - 1] : 1;

    shape.dims = t->dims;
    if (!tn_shape_count(&shape, &count)) {
        tn_shape_refuse(&shape, offset, r->error);
    } else if (blocks && row % blocks->elements) {
        STOP(r, offset, TN_MALFORMED,
             "rows of %" PRIu64 " elements, not whole blocks of %u (%s)", row,
             blocks->elements, blocks->name);
    } else if (blocks && shape.rank == 0) {
        STOP(r, offset, TN_MALFORMED, "a single element of type %s",
             blocks->name);
    } else if (!(blocks ? tn_payload_block_bytes(&shape, t->type->kind,
                                                 &t->size)
                        : tn_shape_bytes(&shape, &t->size))) {
        tn_shape_refuse(&shape, offset, r->error);
    }
}

static void check_name(struct reader *r, const struct tn_gguf_tensor *t)
{
    uint64_t offset = t->wire.offset;
    uint32_t known  = tn_intern_count(&r->names);

    if (tn_intern_borrow(&r->names, t->name, r->error) != known)
        COMPLAIN(r,
                 TN_FLAW(TN_MALFORMED, TN_LEVEL_ERROR, "duplicate-name", offset,
                         t->name),
                 "two tensors of this name");
    if (t->name.size > TN_GGUF_NAME_MAX)
        COMPLAIN(r,
                 TN_FLAW(TN_MALFORMED, TN_LEVEL_WARNING, "long-name", offset,
                         t->name),
                 "a name of %zu bytes; llama.cpp takes %d", t->name.size,
                 TN_GGUF_NAME_MAX);
    if (t->name.size && memchr(t->name.data, 0, t->name.size))
        COMPLAIN(r,
                 TN_FLAW(TN_MALFORMED, TN_LEVEL_ERROR, "bad-name", offset,
                         tn_text("")),
                 "a name with a zero byte, where llama.cpp ends it");
    if (!tn_utf8_is_valid(t->name))
        COMPLAIN(r,
                 TN_FLAW(TN_MALFORMED, TN_LEVEL_WARNING, "bad-utf8", offset,
                         t->name),
                 "a name that is not UTF-8");
}

static void read_tensor(struct reader *r)
{
    struct tn_gguf_tensor *t =
        tn_list_push(&r->file->tensors, struct tn_gguf_tensor, r->error);

    if (!t)
        return;
    *t              = (struct tn_gguf_tensor){ 0 };
    uint64_t offset = r->c.offset;
    t->name         = read_text(r, "a name");
    t->wire         = (struct tn_span){ r->c.source, offset, 0 };
    read_dims(r, t);
    read_type(r, t);
    t->offset = read64(r);
    if (tn_failed(r->error)) {
        if (t->name.size)
            tn_error_where(r->error, "%.*s", TN_FMT(t->name));
        return;
    }
    t->wire.length = r->c.offset - offset;
    measure(r, t);
    if (tn_failed(r->error))
        tn_error_where(r->error, "%.*s", TN_FMT(t->name));
    else
        check_name(r, t);
}

/* ---- the data ------------------------------------------------------------- */

static void read_alignment(struct reader *r)
{
    const struct tn_gguf_pair *pair =
        tn_gguf_find(r->file, "general.alignment");

    if (!pair)
        return;
    uint64_t offset = pair->value.offset, value = pair->bits;
    if (pair->type != TN_GGUF_UINT32)
        STOP(r, offset, TN_MALFORMED, "general.alignment is %s, not uint32",
             tn_gguf_value_name(pair->type));
    else if (value == 0 || (value & (value - 1)) != 0)
        STOP(r, offset, TN_MALFORMED,
             "an alignment of %" PRIu64 ", not a power of two", value);
    else
        r->file->alignment = (uint32_t)value;
    if (!tn_failed(r->error) && value > ALIGNMENT_WISE)
        COMPLAIN(r,
                 TN_FLAW(TN_MALFORMED, TN_LEVEL_WARNING, "large-alignment",
                         offset, tn_text("general.alignment")),
                 "an alignment of %" PRIu64 " bytes; readers expect at most "
                 "1048576",
                 value);
}

static void find_data(struct reader *r)
{
    struct tn_gguf_file *file = r->file;

    file->header = file->data = r->c.offset;
    if (file->tensors.count &&
        !tn_align(file->header, file->alignment, &file->data))
        STOP(r, file->header, TN_MALFORMED,
             "an alignment of %" PRIu32 " bytes", file->alignment);
}

/* A tensor lies in the file, at a multiple of the alignment. */
static void check_place(struct reader *r, const struct tn_gguf_tensor *t)
{
    struct tn_gguf_file *file = r->file;
    uint64_t             room =
        file->data > file->source->size ? 0 : file->source->size - file->data;

    if (t->offset % file->alignment)
        COMPLAIN(r,
                 TN_FLAW(TN_MALFORMED, TN_LEVEL_ERROR, "misaligned-tensor",
                         t->wire.offset, t->name),
                 "offset %" PRIu64 ", not a multiple of %" PRIu32, t->offset,
                 file->alignment);
    if ((t->size || t->offset) && !tn_inside(t->offset, t->size, room))
        COMPLAIN(r,
                 TN_FLAW(TN_TRUNCATED, TN_LEVEL_ERROR, "outside-of-file",
                         t->wire.offset, t->name),
                 "%" PRIu64 " bytes at %" PRIu64
                 " of the data, which have %" PRIu64,
                 t->size, t->offset, room);
}

static uint64_t padded(const struct tn_gguf_file *file, uint64_t end)
{
    uint64_t sum;

    return tn_align(end, file->alignment, &sum) ? sum : UINT64_MAX;
}

static bool begins_before(const void *a, const void *b)
{
    const struct tn_gguf_tensor *x = a, *y = b;

    return x->offset != y->offset ? x->offset < y->offset : x->size < y->size;
}

/* No two share bytes. */
static void check_overlaps(struct reader *r)
{
    struct tn_list               *list = &r->file->tensors;
    const struct tn_gguf_tensor **sorted =
        tn_new(&r->arena, const struct tn_gguf_tensor *, list->count, r->error);
    const struct tn_gguf_tensor *last = NULL;

    if (!sorted)
        return;
    for (uint64_t i = 0; i < list->count; i++)
        sorted[i] = tn_list_at(list, struct tn_gguf_tensor, i);
    tn_sort((const void **)(void *)sorted, list->count, begins_before);
    for (uint64_t i = 0; i < list->count; i++) {
        const struct tn_gguf_tensor *t = sorted[i];
        if (!t->size)
            continue;
        if (last && t->offset - last->offset < last->size)
            COMPLAIN(r,
                     TN_FLAW(TN_MALFORMED, TN_LEVEL_ERROR,
                             "overlapping-tensors", t->wire.offset, t->name),
                     "shares bytes with tensor '%.*s'", TN_FMT(last->name));
        if (!last || t->size > last->size ||
            t->offset - last->offset >= last->size - t->size)
            last = t; /* the one that ends last so far */
    }
}

/* Further requirements of llama.cpp: each tensor follows the one before, and
 * the last is padded, too. */
static void check_order(struct reader *r)
{
    struct tn_gguf_file *file = r->file;
    uint64_t             next = 0, size = file->source->size;

    for (uint64_t i = 0; i < file->tensors.count; i++) {
        const struct tn_gguf_tensor *t =
            tn_list_at(&file->tensors, struct tn_gguf_tensor, i);
        if (t->offset != next) {
            COMPLAIN(r,
                     TN_FLAW(TN_MALFORMED, TN_LEVEL_ERROR, "tensor-order",
                             t->wire.offset, t->name),
                     "offset %" PRIu64 "; llama.cpp expects %" PRIu64
                     ", after the tensor before",
                     t->offset, next);
            return;
        }
        if (!tn_add(next, t->size, &next))
            return;
        next = padded(file, next);
    }
    if (!file->tensors.count || file->data > size)
        return;
    if (next > size - file->data)
        COMPLAIN(r,
                 TN_FLAW(TN_TRUNCATED, TN_LEVEL_ERROR, "missing-padding", size,
                         tn_text("")),
                 "the data end at %" PRIu64 " bytes; llama.cpp expects %" PRIu64
                 ", padding of the last tensor included",
                 size - file->data, next);
    else if (next < size - file->data)
        COMPLAIN(r,
                 TN_FLAW(TN_MALFORMED, TN_LEVEL_WARNING, "trailing-bytes",
                         file->data + next, tn_text("")),
                 "%" PRIu64 " bytes after the last tensor",
                 size - file->data - next);
}

static void check_data(struct reader *r)
{
    struct tn_gguf_file *file   = r->file;
    uint64_t             before = r->report ? r->report->counts[2] : 0;

    for (uint64_t i = 0; i < file->tensors.count && !tn_failed(r->error); i++)
        check_place(r, tn_list_at(&file->tensors, struct tn_gguf_tensor, i));
    if (tn_failed(r->error))
        return;
    check_overlaps(r);
    if (r->report && !tn_failed(r->error) && r->report->counts[2] == before)
        check_order(r);
}

/* ---- all of it ------------------------------------------------------------ */

static void read_all(struct reader *r)
{
    read_version(r);
    if (tn_failed(r->error))
        return;
    unsigned text    = size_size(r->file);
    uint64_t tensors = read_count(r, text + 16, "tensors");
    uint64_t pairs   = read_count(r, text + 5, "pairs of metadata");
    for (uint64_t i = 0; i < pairs && !tn_failed(r->error); i++)
        read_pair(r);
    if (!tn_failed(r->error))
        read_alignment(r);
    tn_intern_done(&r->names);
    tn_intern_init(&r->names, &r->arena);
    for (uint64_t i = 0; i < tensors && !tn_failed(r->error); i++)
        read_tensor(r);
    if (!tn_failed(r->error))
        find_data(r);
    if (!tn_failed(r->error))
        check_data(r);
}

enum tn_status tn_gguf_file_read(struct tn_gguf_file *file,
                                 struct tn_source    *source,
                                 struct tn_memory    *memory,
                                 struct tn_report    *report,
                                 struct tn_error     *error)
{
    struct reader r = {
        .file = file, .memory = memory, .report = report, .error = error
    };

    file->source = source;
    r.c = tn_cursor_span((struct tn_span){ source, 0, source->size }, error);
    tn_arena_init(&r.arena, memory);
    tn_intern_init(&r.names, &r.arena);
    if (!tn_failed(error))
        read_all(&r);
    if (tn_failed(error))
        tn_error_file(error, source->name);
    tn_intern_done(&r.names);
    tn_arena_done(&r.arena);
    return error->status;
}
