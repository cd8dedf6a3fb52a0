/*
 * gguf_write.c - writing GGUF
 *
 * The layout is the one that llama.cpp requires: tensors in the order of the
 * model, each at the next multiple of the alignment, and padding after the last
 * one, too.  Metadata of a GGUF file keep their order and are copied; blocks
 * that stay as they are, are copied.
 *
 * Shards are filled in the order of the model.  The first one has the metadata.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/arith.h"
#include "base/little.h"
#include "base/number.h"
#include "base/utf8.h"
#include "format/bare.h"
#include "format/gguf/gguf.h"
#include "format/registry.h"
#include "ir/block_encode.h"
#include "ir/changes.h"

/* How the elements of a tensor become bytes. */
enum how { AS_ELEMENTS, AS_BLOCKS, AS_QUANTISED };

struct plan {
    struct tn_bytes           name;
    const struct tn_elements *from;
    struct tn_elements        elements; /* as written; maybe a view           */
    enum how                  how;
    uint32_t                  type; /* number in the file                     */
    uint64_t                  size, offset;
    uint32_t                  shard;
};

/* A pair that is written: one of the source, a number or a text. */
struct entry {
    struct tn_bytes            key;
    const struct tn_gguf_pair *pair;
    uint32_t                   type;
    uint64_t                   bits;
    struct tn_bytes            text;
};

struct writing {
    const struct tn_model         *model;
    const struct tn_write_options *options;
    struct tn_output              *to;
    struct tn_error               *error;
    struct tn_arena                arena;
    const struct tn_gguf_file     *own; /* metadata of a GGUF file, or NULL   */
    uint32_t                       version, alignment;
    bool                           is_big;
    unsigned                       kind; /* --quantize: blocks               */
    enum tn_dtype  dtype; /* or elements; TN_UNDEFINED: neither */
    struct plan   *plans;
    uint64_t       count;
    uint32_t       shard_count;
    struct tn_list entries; /* struct entry                   */
};

/* ---- what was asked for ---------------------------------------------------
 */

static enum tn_status read_alignment(struct writing *w)
{
    const struct tn_gguf_pair *pair =
        w->own ? tn_gguf_find(w->own, TN_GGUF_KEY_ALIGNMENT) : NULL;
    uint64_t asked = w->options->alignment;

    w->alignment = pair ? w->own->alignment : TN_GGUF_ALIGNMENT;
    if (!asked)
        return TN_OK;
    if (asked > UINT32_C(1) << 20 || asked % 8 || (asked & (asked - 1)))
        return tn_error_set(w->error, TN_INVALID, TN_NOWHERE,
                            "--alignment takes a power of two from 8 to "
                            "1048576, not %" PRIu64,
                            asked);
    w->alignment = (uint32_t)asked;
    return TN_OK;
}

static enum tn_status read_options(struct writing *w)
{
    const struct tn_write_options *o      = w->options;
    const struct tn_gguf_detail   *detail = w->model->detail;

    if (tn_is_of_format(w->model, &tn_format_gguf) && detail)
        w->own = &detail->files[0];
    w->version = w->own && w->own->version == 2 ? 2 : TN_GGUF_VERSION;
    if (o->gguf_version)
        w->version = o->gguf_version[0] == '2' ? 2 : 3;
    w->is_big = w->own && w->own->is_big;
    if (o->byte_order)
        w->is_big = strcmp(o->byte_order, "big") == 0;
    w->kind  = o->quantize ? tn_block_find(o->quantize) : TN_BLOCK_COUNT;
    w->dtype = TN_UNDEFINED;
    if (o->quantize && w->kind == TN_BLOCK_COUNT)
        w->dtype = strcmp(o->quantize, "f32") == 0   ? TN_FLOAT32
                   : strcmp(o->quantize, "f16") == 0 ? TN_FLOAT16
                                                     : TN_BFLOAT16;
    return read_alignment(w);
}

/* ---- tensors ---------------------------------------------------------------
 */

static bool is_float(enum tn_dtype dtype)
{
    switch (dtype) {
    case TN_FLOAT32:
    case TN_FLOAT64:
    case TN_FLOAT16:
    case TN_BFLOAT16:
    case TN_FLOAT8E4M3FN:
    case TN_FLOAT8E4M3FNUZ:
    case TN_FLOAT8E4M3B11FNUZ:
    case TN_FLOAT8E5M2:
    case TN_FLOAT8E5M2FNUZ: return true;
    default: return false;
    }
}

/* The type that is written for elements that GGUF does not have. */
static enum tn_dtype stand_in(enum tn_dtype dtype)
{
    return dtype == TN_BOOL ? TN_INT8 : tn_bare_substitute(dtype);
}

static const char *refuse_shape(const struct tn_elements *elements)
{
    uint64_t bytes;

    if (elements->shape.rank > TN_GGUF_RANK_MAX)
        return "left behind: more than the four dimensions that GGUF has";
    if (!tn_shape_bytes(&elements->shape, &bytes))
        return "left behind: a shape of more than 2^63 bytes";
    return NULL;
}

static const char *refuse(const struct tn_elements *elements)
{
    if (elements->shape.dtype == TN_STRING)
        return "left behind: GGUF has no strings";
    if (tn_gguf_type_of(stand_in(elements->shape.dtype)) == UINT32_MAX)
        return "left behind: GGUF has no such elements";
    return refuse_shape(elements);
}

/* The same if floats of all types become another type. */
static const char *refuse_quantising(const struct tn_elements *elements)
{
    return is_float(elements->shape.dtype) ? refuse_shape(elements)
                                           : refuse(elements);
}

static enum tn_status cast(struct writing *w, struct plan *p,
                           enum tn_dtype dtype)
{
    struct tn_view *view = tn_new(&w->arena, struct tn_view, 1, w->error);

    if (!view)
        return w->error->status;
    *view                   = (struct tn_view){ .kind        = TN_VIEW_CAST,
                                                .inputs      = p->from,
                                                .input_count = 1 };
    p->elements.shape       = p->from->shape;
    p->elements.shape.dtype = dtype;
    p->elements.payload =
        (struct tn_payload){ .encoding = TN_ENCODING_VIEW, .view = view };
    return TN_OK;
}

/* Matrices are quantised if their rows are whole blocks; vectors become
 * float32, because llama.cpp expects biases and norms so. */
static bool is_quantised(const struct writing *w, const struct plan *p)
{
    uint64_t        bytes;
    struct tn_shape shape = p->from->shape;

    shape.dtype = TN_FLOAT32;
    return w->kind < TN_BLOCK_COUNT && shape.rank >= 2 &&
           is_float(p->from->shape.dtype) &&
           tn_payload_block_bytes(&shape, w->kind, &bytes);
}

static enum tn_dtype written_dtype(const struct writing *w,
                                   const struct plan    *p)
{
    enum tn_dtype dtype = p->from->shape.dtype;

    if (!w->options->quantize || !is_float(dtype))
        return stand_in(dtype);
    if (p->from->shape.rank >= 2 && w->dtype != TN_UNDEFINED)
        return w->dtype;
    return p->from->shape.rank < 2 || tn_gguf_type_of(dtype) == UINT32_MAX
               ? TN_FLOAT32
               : dtype;
}

static bool keeps_blocks(const struct writing *w, const struct plan *p)
{
    return tn_payload_is_blocks(&p->from->payload) &&
           (!w->options->quantize || p->from->payload.field == w->kind ||
            (w->kind < TN_BLOCK_COUNT && !is_quantised(w, p)));
}

static enum tn_status plan_tensor(struct writing *w, struct plan *p,
                                  const struct tn_bare_tensor *tensor)
{
    *p = (struct plan){ .name     = tensor->name,
                        .from     = tensor->elements,
                        .elements = *tensor->elements };
    if (!tn_utf8_is_valid(p->name) || memchr(p->name.data, 0, p->name.size))
        return tn_error_set(w->error, TN_INVALID, TN_NOWHERE,
                            "'%.*s' is not a valid tensor name in GGUF",
                            TN_FMT(p->name));
    if (keeps_blocks(w, p)) {
        p->how  = AS_BLOCKS;
        p->type = tn_gguf_type_of_elements(p->from);
        p->size = p->from->payload.span.length;
        return TN_OK;
    }
    if (is_quantised(w, p)) {
        p->how  = AS_QUANTISED;
        p->type = tn_gguf_type_of_blocks(w->kind);
        if (p->from->shape.dtype != TN_FLOAT32)
            TN_TRY(cast(w, p, TN_FLOAT32));
        tn_payload_block_bytes(&p->elements.shape, w->kind, &p->size);
        return TN_OK;
    }
    enum tn_dtype dtype = written_dtype(w, p);
    p->type             = tn_gguf_type_of(dtype);
    if (!w->options->quantize)
        tn_bare_lose_type(w->options, tensor, dtype);
    if (dtype != p->from->shape.dtype)
        TN_TRY(cast(w, p, dtype));
    if (!tn_shape_bytes(&p->elements.shape, &p->size))
        return tn_shape_refuse(&p->elements.shape, TN_NOWHERE, w->error);
    return TN_OK;
}

static uint64_t record_size(const struct plan *p)
{
    return 8 + p->name.size + 4 + 8 * (uint64_t)p->from->shape.rank + 12;
}

static uint64_t metadata_size(const struct writing *w)
{
    uint64_t size = 24;

    for (uint64_t i = 0; i < w->entries.count; i++) {
        const struct entry *e = tn_list_at(&w->entries, struct entry, i);
        size +=
            e->pair ? e->pair->wire.length : 20 + e->key.size + e->text.size;
    }
    return size + 128; /* and the pairs that identify the shard */
}

/* Which shard each tensor goes to, and where it is there. */
static enum tn_status place_tensors(struct writing *w)
{
    uint64_t limit = w->options->shard_size, offset = 0;
    uint64_t filled = metadata_size(w);

    w->shard_count = 1;
    for (uint64_t i = 0; i < w->count; i++) {
        struct plan *p = &w->plans[i];
        uint64_t     needs, padded;
        if (!tn_align(p->size, w->alignment, &padded) ||
            !tn_add(padded, record_size(p), &needs))
            return tn_error_set(w->error, TN_LIMIT, TN_NOWHERE,
                                "'%.*s' has more than 2^64 bytes",
                                TN_FMT(p->name));
        if (limit && offset && (filled > limit || needs > limit - filled)) {
            w->shard_count++;
            filled = 128 + 24;
            offset = 0;
        }
        p->shard  = w->shard_count - 1;
        p->offset = offset;
        if (!tn_add(offset, padded, &offset) || !tn_add(filled, needs, &filled))
            return tn_error_set(w->error, TN_LIMIT, TN_NOWHERE,
                                "more than 2^64 bytes in one file");
    }
    if (w->shard_count > UINT16_MAX)
        return tn_error_set(w->error, TN_LIMIT, TN_NOWHERE,
                            "%" PRIu32 " shards, limit %d: give a larger "
                            "--shard-size",
                            w->shard_count, UINT16_MAX);
    return TN_OK;
}

static enum tn_status make_plans(struct writing *w)
{
    struct tn_bare_set set;

    TN_TRY(tn_bare_collect(w->model, w->options,
                           w->options->quantize ? refuse_quantising : refuse,
                           &w->arena, &set, w->error));
    w->count = set.count;
    w->plans = tn_new(&w->arena, struct plan, set.count, w->error);
    if (!w->plans)
        return w->error->status;
    for (uint64_t i = 0; i < set.count; i++)
        TN_TRY(plan_tensor(w, &w->plans[i], &set.items[i]));
    return TN_OK;
}

/* ---- metadata --------------------------------------------------------------
 */

static void add_entry(struct writing *w, const struct entry *entry)
{
    struct entry *e = tn_list_push(&w->entries, struct entry, w->error);

    if (e)
        *e = *entry;
}

static void set_number(struct writing *w, const char *key, uint32_t type,
                       uint64_t bits)
{
    struct entry entry = { .key = tn_text(key), .type = type, .bits = bits };

    for (uint64_t i = 0; i < w->entries.count; i++) {
        struct entry *e = tn_list_at(&w->entries, struct entry, i);
        if (tn_bytes_is(e->key, key)) {
            *e = entry;
            return;
        }
    }
    add_entry(w, &entry);
}

static bool parse_integer(uint32_t type, struct tn_bytes text, uint64_t *bits)
{
    unsigned size      = tn_gguf_value_size(type) * 8;
    bool     is_signed = type == TN_GGUF_INT8 || type == TN_GGUF_INT16 ||
                     type == TN_GGUF_INT32 || type == TN_GGUF_INT64;
    int64_t value;

    if (!is_signed)
        return tn_uint64_parse(text, bits) &&
               (size == 64 || *bits >> size == 0);
    if (!tn_int64_parse(text, &value))
        return false;
    *bits = (uint64_t)value;
    return size == 64 || (value >= -(INT64_C(1) << (size - 1)) &&
                          value < INT64_C(1) << (size - 1));
}

/* The number in a text, in the type of a value; false if it is not a number. */
static bool parse_number(uint32_t type, struct tn_bytes text, uint64_t *bits)
{
    double real;

    switch (type) {
    case TN_GGUF_FLOAT32:
    case TN_GGUF_FLOAT64:
        if (!tn_double_parse(text, &real))
            return false;
        *bits = type == TN_GGUF_FLOAT64
                    ? tn_double_bits(real)
                    : tn_float_bits(tn_double_to_float(real));
        return isfinite(type == TN_GGUF_FLOAT64 ? real
                                                : tn_double_to_float(real));
    case TN_GGUF_BOOL:
        *bits = tn_bytes_is(text, "true");
        return *bits || tn_bytes_is(text, "false");
    default: return parse_integer(type, text, bits);
    }
}

/* Texts of another format: those that readers expect as numbers become numbers
 * again. */
static void add_text(struct writing *w, const struct tn_fact *fact)
{
    struct entry entry = { .key  = fact->key,
                           .type = TN_GGUF_STRING,
                           .text = fact->value };
    uint32_t     type  = tn_gguf_key_type(fact->key);

    if (fact->key.size == 0 || tn_bytes_is(fact->key, TN_GGUF_KEY_ALIGNMENT) ||
        tn_gguf_is_split_key(fact->key))
        return;
    if (type < TN_GGUF_VALUE_TYPES && type != TN_GGUF_STRING &&
        parse_number(type, fact->value, &entry.bits))
        entry.type = type;
    add_entry(w, &entry);
}

/* ---- edits ------------------------------------------------------------------
 */

static struct entry *find_entry(const struct writing *w, struct tn_bytes key)
{
    for (uint64_t i = 0; i < w->entries.count; i++) {
        struct entry *e = tn_list_at(&w->entries, struct entry, i);
        if (tn_bytes_equal(e->key, key))
            return e;
    }
    return NULL;
}

static enum tn_status remove_entry(struct writing              *w,
                                   const struct tn_text_change *text)
{
    struct entry *e = find_entry(w, text->key);

    if (!e) {
        tn_changes_miss(text, w->error);
        return w->error->status;
    }
    struct entry *end = tn_list_at(&w->entries, struct entry, w->entries.count);
    memmove(e, e + 1, (size_t)((char *)end - (char *)(e + 1)));
    w->entries.count--;
    return TN_OK;
}

/* The type stays what it was; that of a new key is the one that readers expect,
 * or text. */
static enum tn_status change_entry(struct writing *w, struct tn_bytes key,
                                   struct tn_bytes value)
{
    struct entry *e       = find_entry(w, key);
    uint32_t      type    = e ? e->type : tn_gguf_key_type(key);
    struct entry  changed = { .key = key, .text = value };

    if (type == TN_GGUF_ARRAY)
        return tn_error_set(w->error, TN_UNSUPPORTED, TN_NOWHERE,
                            "'%.*s' is an array, which is not edited",
                            TN_FMT(key));
    changed.type = type < TN_GGUF_VALUE_TYPES ? type : TN_GGUF_STRING;
    if (changed.type != TN_GGUF_STRING &&
        !parse_number(changed.type, value, &changed.bits))
        return tn_error_set(w->error, TN_INVALID, TN_NOWHERE,
                            "'%.*s' takes %s, not '%.*s'", TN_FMT(key),
                            tn_gguf_value_name(changed.type), TN_FMT(value));
    if (e)
        *e = changed;
    else
        add_entry(w, &changed);
    return w->error->status;
}

/* Applies the changes of an edit to the metadata. */
static enum tn_status apply_changes(struct writing *w)
{
    const struct tn_changes *changes = w->model->changes;

    for (uint32_t i = 0; changes && i < changes->text_count; i++) {
        const struct tn_text_change *text = &changes->texts[i];
        if (text->kind != TN_TEXT_METADATA)
            continue;
        if (tn_bytes_is(text->key, TN_GGUF_KEY_ALIGNMENT) ||
            tn_gguf_is_split_key(text->key))
            return tn_error_set(w->error, TN_INVALID, TN_NOWHERE,
                                "'%.*s' follows from how the file is written: "
                                "use --alignment or --shard-size",
                                TN_FMT(text->key));
        TN_TRY(text->value.data ? change_entry(w, text->key, text->value)
                                : remove_entry(w, text));
    }
    return w->error->status;
}

static void take_own(struct writing *w)
{
    for (uint64_t i = 0; i < w->own->pairs.count; i++) {
        const struct tn_gguf_pair *pair =
            tn_list_at(&w->own->pairs, struct tn_gguf_pair, i);
        if (!tn_gguf_is_split_key(pair->key))
            add_entry(w, &(struct entry){ .key  = pair->key,
                                          .pair = pair,
                                          .type = pair->type });
    }
}

/* The number that llama.cpp has for a file of mostly this type. */
static uint32_t file_type(const struct writing *w)
{
    switch (w->kind) {
    case TN_BLOCK_Q4_0: return 2;
    case TN_BLOCK_Q4_1: return 3;
    case TN_BLOCK_Q8_0: return 7;
    case TN_BLOCK_Q5_0: return 8;
    case TN_BLOCK_Q5_1: return 9;
    default:
        return w->dtype == TN_FLOAT32 ? 0 : w->dtype == TN_FLOAT16 ? 1 : 32;
    }
}

static enum tn_status collect_entries(struct writing *w)
{
    const struct tn_about *about = w->options->about;

    if (w->own)
        take_own(w);
    else
        for (uint64_t i = 0; about && i < about->items.count; i++)
            add_text(w, tn_list_at(&about->items, struct tn_fact, i));
    TN_TRY(w->error->status);
    if (tn_is_of_format(w->model, &tn_format_gguf)) /* otherwise they were
                                                       reported */
        TN_TRY(apply_changes(w));
    bool says = w->own && tn_gguf_find(w->own, TN_GGUF_KEY_ALIGNMENT);
    if (w->alignment != TN_GGUF_ALIGNMENT || says)
        if (!says || w->alignment != w->own->alignment)
            set_number(w, TN_GGUF_KEY_ALIGNMENT, TN_GGUF_UINT32, w->alignment);
    if (w->options->quantize) {
        set_number(w, "general.file_type", TN_GGUF_UINT32, file_type(w));
        if (w->kind < TN_BLOCK_COUNT)
            set_number(w, "general.quantization_version", TN_GGUF_UINT32, 2);
    }
    return w->error->status;
}

/* ---- bytes -----------------------------------------------------------------
 */

/* A file that is being written. */
struct file {
    struct writing *w;
    struct tn_sink *to;
};

static void put_number(struct file *f, uint64_t value, unsigned size)
{
    uint8_t bytes[8];

    for (unsigned i = 0; i < size; i++)
        bytes[f->w->is_big ? size - 1 - i : i] = (uint8_t)(value >> 8 * i);
    if (!tn_failed(f->w->error))
        tn_sink_write(f->to, tn_bytes(bytes, size), f->w->error);
}

static void put_text(struct file *f, struct tn_bytes text)
{
    put_number(f, text.size, 8);
    if (!tn_failed(f->w->error))
        tn_sink_write(f->to, text, f->w->error);
}

static void put_span(struct file *f, struct tn_span span)
{
    if (!tn_failed(f->w->error) && span.length)
        tn_sink_splice(f->to, span, f->w->error);
}

static enum tn_status put_element(void *context, uint32_t type, uint64_t bits,
                                  struct tn_span text, struct tn_error *error)
{
    struct file *f = context;

    if (type == TN_GGUF_STRING) {
        put_number(f, text.length, 8);
        put_span(f, text);
    } else {
        put_number(f, bits, tn_gguf_value_size(type));
    }
    return error->status;
}

static enum tn_status put_inner(void *context, uint32_t type, uint64_t count,
                                struct tn_error *error)
{
    put_number(context, type, 4);
    put_number(context, count, 8);
    return error->status;
}

/* A pair of a file of another version or byte order. */
static void put_anew(struct file *f, const struct tn_gguf_pair *pair)
{
    struct tn_gguf_walk walk = { .context = f,
                                 .element = put_element,
                                 .open    = put_inner };

    put_text(f, pair->key);
    put_number(f, pair->type, 4);
    if (pair->type == TN_GGUF_STRING) {
        put_number(f, pair->value.length, 8);
        put_span(f, pair->value);
    } else if (pair->type == TN_GGUF_ARRAY) {
        put_number(f, pair->element, 4);
        put_number(f, pair->count, 8);
        if (!tn_failed(f->w->error))
            tn_gguf_walk_array(f->w->own, pair->element, pair->count,
                               pair->value, UINT64_MAX, &walk,
                               f->w->model->memory, NULL, f->w->error);
    } else {
        put_number(f, pair->bits, tn_gguf_value_size(pair->type));
    }
}

static void put_entry(struct file *f, const struct entry *e)
{
    const struct writing *w = f->w;

    if (e->pair && w->own->version > 1 && w->own->is_big == w->is_big) {
        put_span(f, e->pair->wire);
    } else if (e->pair) {
        put_anew(f, e->pair);
    } else {
        put_text(f, e->key);
        put_number(f, e->type, 4);
        if (e->type == TN_GGUF_STRING)
            put_text(f, e->text);
        else
            put_number(f, e->bits, tn_gguf_value_size(e->type));
    }
}

static void put_split(struct file *f, const char *key, uint32_t type,
                      uint64_t value)
{
    put_entry(
        f, &(struct entry){ .key = tn_text(key), .type = type, .bits = value });
}

static void put_record(struct file *f, const struct plan *p)
{
    const struct tn_shape *shape = &p->from->shape;

    put_text(f, p->name);
    put_number(f, shape->rank, 4);
    for (uint32_t i = 0; i < shape->rank; i++)
        put_number(f, shape->dims[shape->rank - 1 - i], 8);
    put_number(f, p->type, 4);
    put_number(f, p->offset, 8);
}

static void put_padding(struct file *f)
{
    uint64_t end;

    if (!tn_failed(f->w->error) &&
        tn_align(f->to->offset, f->w->alignment, &end))
        tn_sink_zeros(f->to, end - f->to->offset, f->w->error);
}

static void put_header(struct file *f, uint32_t shard, uint64_t first,
                       uint64_t end)
{
    struct writing *w        = f->w;
    bool            is_split = w->shard_count > 1;
    uint64_t        pairs    = shard == 0 ? w->entries.count : 0;
    bool says_alignment      = shard > 0 && w->alignment != TN_GGUF_ALIGNMENT;

    if (!tn_failed(w->error))
        tn_sink_write(f->to, tn_text(TN_GGUF_MAGIC), w->error);
    put_number(f, w->version, 4);
    put_number(f, end - first, 8);
    put_number(f, pairs + (is_split ? 3 : 0) + says_alignment, 8);
    for (uint64_t i = 0; i < pairs && !tn_failed(w->error); i++)
        put_entry(f, tn_list_at(&w->entries, struct entry, i));
    if (says_alignment)
        put_split(f, TN_GGUF_KEY_ALIGNMENT, TN_GGUF_UINT32, w->alignment);
    if (is_split) {
        put_split(f, "split.no", TN_GGUF_UINT16, shard);
        put_split(f, "split.count", TN_GGUF_UINT16, w->shard_count);
        put_split(f, "split.tensors.count", TN_GGUF_INT32, w->count);
    }
    for (uint64_t i = first; i < end && !tn_failed(w->error); i++)
        put_record(f, &w->plans[i]);
    if (end > first)
        put_padding(f);
}

/* ---- data ------------------------------------------------------------------
 */

/* A sink that reverses the bytes of numbers and passes them on. */
struct turning {
    struct tn_sink  sink; /* first */
    struct tn_sink *to;
    unsigned        kind; /* of blocks; TN_BLOCK_COUNT: numbers               */
    unsigned        size; /* of a number or a block                           */
    unsigned        used, room;
    uint8_t         bytes[16 * 1024];
};

static enum tn_status turn_pending(struct turning *t, struct tn_error *error)
{
    if (t->kind < TN_BLOCK_COUNT)
        tn_block_reverse(t->kind, t->bytes, t->used / t->size);
    else
        for (unsigned i = 0; i < t->used; i += t->size)
            for (unsigned a = 0, b = t->size - 1; a < b; a++, b--) {
                uint8_t byte    = t->bytes[i + a];
                t->bytes[i + a] = t->bytes[i + b];
                t->bytes[i + b] = byte;
            }
    unsigned used = t->used;
    t->used       = 0;
    return tn_sink_write(t->to, tn_bytes(t->bytes, used), error);
}

static enum tn_status turn(struct tn_sink *sink, struct tn_bytes bytes,
                           struct tn_error *error)
{
    struct turning *t = (struct turning *)sink;

    while (bytes.size) {
        size_t n = tn_min_size(bytes.size, t->room - t->used);
        memcpy(t->bytes + t->used, bytes.data, n);
        t->used += (unsigned)n;
        bytes.data += n;
        bytes.size -= n;
        if (t->used == t->room)
            TN_TRY(turn_pending(t, error));
    }
    return TN_OK;
}

/* The bytes that are wanted lie in a file as they are. */
static bool find_span(const struct writing *w, const struct plan *p,
                      struct tn_span *span)
{
    const struct tn_payload *payload = &p->elements.payload;
    bool is_big = payload->encoding == TN_ENCODING_RAW_BIG ||
                  payload->encoding == TN_ENCODING_BLOCKS_BIG;

    if (p->how == AS_QUANTISED)
        return false;
    if (p->how == AS_ELEMENTS && !is_big && !w->is_big)
        return tn_payload_is_plain(&p->elements, false, span);
    *span = payload->span;
    return is_big == w->is_big && span->source && span->length == p->size &&
           (p->how == AS_BLOCKS || payload->encoding == TN_ENCODING_RAW_BIG);
}

static enum tn_status put_elements(struct writing *w, const struct plan *p,
                                   struct tn_sink *to)
{
    struct tn_memory *memory = w->model->memory;
    uint64_t          count;

    if (p->how == AS_QUANTISED)
        return tn_payload_quantise(&p->elements, w->kind, memory, to, w->error);
    if (p->how == AS_BLOCKS)
        return tn_payload_stream_blocks(&p->elements, memory, to, w->error);
    if (!tn_shape_count(&p->elements.shape, &count))
        return tn_shape_refuse(&p->elements.shape, TN_NOWHERE, w->error);
    return tn_payload_stream(&p->elements, 0, count, memory, to, w->error);
}

static enum tn_status put_turned(struct writing *w, const struct plan *p,
                                 struct tn_sink *to)
{
    static const struct tn_sink_ops ops  = { .write = turn };
    const struct tn_gguf_type      *type = tn_gguf_type(p->type);
    struct turning                 *t =
        tn_memory_resize(w->model->memory, NULL, 0, sizeof *t, w->error);

    if (!t)
        return w->error->status;
    *t      = (struct turning){ .sink = { .ops = &ops },
                                .to   = to,
                                .kind = type->kind,
                                .size = type->kind < TN_BLOCK_COUNT
                                            ? tn_block_type(type->kind)->bytes
                                            : tn_dtype_size(type->dtype) };
    t->room = (unsigned)sizeof t->bytes / t->size * t->size;
    if (put_elements(w, p, &t->sink) == TN_OK)
        turn_pending(t, w->error);
    tn_memory_free(w->model->memory, t, sizeof *t);
    return w->error->status;
}

static enum tn_status put_data(struct file *f, const struct plan *p)
{
    struct writing *w      = f->w;
    uint64_t        before = f->to->offset;
    struct tn_span  span;

    if (p->size && find_span(w, p, &span))
        tn_sink_splice(f->to, span, w->error);
    else if (p->size && w->is_big)
        put_turned(w, p, f->to);
    else if (p->size)
        put_elements(w, p, f->to);
    if (!tn_failed(w->error) && f->to->offset - before != p->size)
        tn_error_set(w->error, TN_MALFORMED, TN_NOWHERE,
                     "%" PRIu64 " bytes of elements, not %" PRIu64,
                     f->to->offset - before, p->size);
    if (tn_failed(w->error)) {
        tn_error_where(w->error, "tensor '%.*s'", TN_FMT(p->name));
        return w->error->status;
    }
    ++*w->options->tensors_moved;
    if (w->options->meter)
        TN_TRY(tn_meter_add(w->options->meter, p->size, w->error));
    put_padding(f);
    return w->error->status;
}

/* ---- files -----------------------------------------------------------------
 */

static enum tn_status write_file(struct writing *w, struct tn_sink *sink,
                                 uint32_t shard, uint64_t first, uint64_t end)
{
    struct file f = { w, sink };

    put_header(&f, shard, first, end);
    for (uint64_t i = first; i < end && !tn_failed(w->error); i++)
        put_data(&f, &w->plans[i]);
    return w->error->status;
}

/* The name of the output without a suffix, or without the number of a shard. */
static struct tn_bytes prefix_of(const char *name)
{
    struct tn_bytes prefix;
    unsigned        number, count;

    if (tn_gguf_shard_name(name, &prefix, &number, &count))
        return prefix;
    prefix = tn_text(name);
    if (tn_text_ends_with(name, TN_GGUF_SUFFIX))
        prefix.size -= strlen(TN_GGUF_SUFFIX);
    return prefix;
}

static enum tn_status open_shard(struct writing *w, uint32_t shard,
                                 struct tn_bytes prefix, struct tn_sink **sink)
{
    char name[512];

    if (snprintf(name, sizeof name, TN_GGUF_SHARD_FORMAT, TN_FMT(prefix),
                 shard + 1, w->shard_count) >= (int)sizeof name)
        return tn_error_set(w->error, TN_INVALID, TN_NOWHERE,
                            "a name of too many bytes");
    if (shard > 0)
        return tn_output_side(w->to, name, sink, w->error);
    TN_TRY(tn_output_call(w->to, name, w->error));
    return tn_output_main(w->to, sink, w->error);
}

static enum tn_status write_shards(struct writing *w)
{
    const char *name  = tn_text_dup(&w->arena, tn_output_name(w->to), w->error);
    uint64_t    first = 0;

    if (!name)
        return w->error->status;
    struct tn_bytes prefix = prefix_of(name);
    for (uint32_t shard = 0; shard < w->shard_count; shard++) {
        struct tn_sink *sink;
        uint64_t        end = first;
        while (end < w->count && w->plans[end].shard == shard)
            end++;
        TN_TRY(open_shard(w, shard, prefix, &sink));
        TN_TRY(write_file(w, sink, shard, first, end));
        first = end;
    }
    return TN_OK;
}

static enum tn_status write_all(struct writing *w)
{
    struct tn_sink *sink;

    TN_TRY(read_options(w));
    TN_TRY(make_plans(w));
    TN_TRY(collect_entries(w));
    TN_TRY(place_tensors(w));
    if (w->shard_count > 1)
        return write_shards(w);
    TN_TRY(tn_output_main(w->to, &sink, w->error));
    return write_file(w, sink, 0, 0, w->count);
}

enum tn_status tn_gguf_write(const struct tn_model         *model,
                             const struct tn_write_options *options,
                             struct tn_output *to, struct tn_error *error)
{
    struct writing w = {
        .model = model, .options = options, .to = to, .error = error
    };

    tn_arena_init(&w.arena, model->memory);
    tn_list_init(&w.entries, model->memory, sizeof(struct entry));
    write_all(&w);
    tn_list_done(&w.entries);
    tn_arena_done(&w.arena);
    return error->status;
}

/* ---- in place ---------------------------------------------------------------
 */

/* Larger headers are written anew. */
#define HEAD_LIMIT (UINT64_C(16) << 20)

/* Whether every tensor lies where it would be written. */
static bool data_stay(const struct writing *w)
{
    struct tn_span span;

    for (uint64_t i = 0; i < w->count; i++) {
        const struct plan *p = &w->plans[i];
        if (p->size &&
            (!find_span(w, p, &span) || span.source != w->own->source ||
             span.offset != w->own->data + p->offset))
            return false;
    }
    return true;
}

static enum tn_status make_head(struct writing *w, struct tn_buffer *head)
{
    struct file f = { w, &head->sink };

    TN_TRY(read_options(w));
    if (!w->own || w->own->header > HEAD_LIMIT)
        return TN_OK;
    TN_TRY(make_plans(w));
    TN_TRY(collect_entries(w));
    TN_TRY(place_tensors(w));
    if (!data_stay(w) || metadata_size(w) > HEAD_LIMIT)
        return TN_OK;
    put_header(&f, 0, 0, w->count);
    if (head->size != w->own->data)
        tn_buffer_clear(head);
    return w->error->status;
}

enum tn_status tn_gguf_head(const struct tn_model *model,
                            struct tn_buffer *head, struct tn_source **file,
                            struct tn_error *error)
{
    const struct tn_gguf_detail  *detail  = model->detail;
    uint64_t                      moved   = 0;
    const struct tn_write_options options = { .tensors_moved = &moved };
    struct writing w = { .model = model, .options = &options, .error = error };

    *file = NULL;
    if (!detail || detail->count != 1)
        return TN_OK;
    tn_arena_init(&w.arena, model->memory);
    tn_list_init(&w.entries, model->memory, sizeof(struct entry));
    make_head(&w, head);
    *file = detail->files[0].source;
    tn_list_done(&w.entries);
    tn_arena_done(&w.arena);
    return error->status;
}
