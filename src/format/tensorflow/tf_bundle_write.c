/* tf_bundle_write.c - writing checkpoints of version 2 */
#include "format/tensorflow/tf_bundle_write.h"

#include <inttypes.h>

#include "base/arith.h"
#include "base/little.h"
#include "base/sort.h"
#include "base/varint.h"
#include "codec/crc32c.h"
#include "format/tensorflow/tf_crc.h"
#include "format/tensorflow/tf_dtype.h"
#include "format/tensorflow/tf_slice_key.h"
#include "wire/sstable/sstable_write.h"

/* Where a tensor goes: known before the first byte is written, since the names
 * of data files tell how many there are. */
struct passings {
    const struct tn_tf_bundle_tensor *tensor;
    uint64_t                          count; /* elements                     */
    uint64_t                          offset;
    uint64_t                          size;
    uint32_t                          shard;
    uint32_t                          crc; /* once it is written             */
};

struct writer {
    tn_tf_sink_opener                 *open;
    void                              *opener;
    const char                        *prefix;
    const struct tn_tf_bundle_options *options;
    struct tn_memory                  *memory;
    struct tn_arena                    arena;
    struct tn_error                   *error;
    struct passings                   *plans; /* in the order of the data    */
    const struct passings            **by_key;
    uint64_t                           count;
    uint32_t                           shard_count;
};

/* ---- the passings -----------------------------------------------------------
 */

/* A string takes a varint for its length, and itself. */
static enum tn_status measure_string(void *context, uint64_t index,
                                     struct tn_span   text,
                                     struct tn_error *error)
{
    uint64_t *size = context;

    (void)index;
    if (tn_add(*size, tn_varint_size(text.length), size) &&
        tn_add(*size, text.length, size))
        return TN_OK;
    return tn_error_set(error, TN_LIMIT, TN_NOWHERE,
                        "strings of more than 2^64 bytes");
}

/* All lengths are followed by one checksum, each variant by its own. */
static enum tn_status measure_strings(const struct writer *w,
                                      struct passings     *p)
{
    const struct tn_elements *elements  = p->tensor->elements;
    bool                      is_string = elements->shape.dtype == TN_STRING;
    uint64_t                  sums      = p->count && is_string ? 1 : p->count;

    p->size = 0;
    TN_TRY(tn_payload_strings(elements, 0, p->count, measure_string, &p->size,
                              w->error));
    if (!tn_mul(sums, 4, &sums) || !tn_add(p->size, sums, &p->size))
        return tn_error_set(w->error, TN_LIMIT, TN_NOWHERE,
                            "strings of more than 2^64 bytes");
    return TN_OK;
}

static enum tn_status measure(const struct writer *w, struct passings *p)
{
    const struct tn_shape *shape = &p->tensor->elements->shape;

    if (p->tensor->key.size == 0)
        return tn_error_set(w->error, TN_INVALID, TN_NOWHERE,
                            "a tensor without a name");
    if (tn_tf_dtype_number(shape->dtype) == 0 || shape->dtype == TN_RESOURCE)
        return tn_error_set(w->error, TN_UNSUPPORTED, TN_NOWHERE,
                            "a checkpoint has no type %s",
                            tn_dtype_name(shape->dtype));
    if (shape->rank > TN_TF_RANK_LIMIT || !tn_shape_count(shape, &p->count))
        return tn_error_set(w->error, TN_UNSUPPORTED, TN_NOWHERE,
                            "a shape that TensorFlow cannot have");
    if (!tn_dtype_size(shape->dtype))
        return measure_strings(w, p);
    if (!tn_shape_bytes(shape, &p->size) || p->size > INT64_MAX)
        return tn_error_set(w->error, TN_UNSUPPORTED, TN_NOWHERE,
                            "a tensor of more than 2^63 bytes");
    return TN_OK;
}

static enum tn_status place_tensors(struct writer *w)
{
    uint64_t limit = w->options->shard_size, end = 0;

    for (uint64_t i = 0; i < w->count; i++) {
        struct passings *p = &w->plans[i];
        if (measure(w, p) != TN_OK) {
            tn_error_where(w->error, "%.*s", TN_FMT(p->tensor->key));
            return w->error->status;
        }
        bool is_full =
            limit && end > 0 && (end > limit || p->size > limit - end);
        if (is_full || p->size > INT64_MAX - end) {
            w->shard_count++;
            end = 0;
        }
        p->shard  = w->shard_count - 1;
        p->offset = end;
        end += p->size;
    }
    return TN_OK;
}

static bool key_is_before(const void *a, const void *b)
{
    const struct passings *left = a, *right = b;

    return tn_bytes_compare(left->tensor->key, right->tensor->key) < 0;
}

static enum tn_status make_plan(struct writer                    *w,
                                const struct tn_tf_bundle_tensor *tensors)
{
    w->plans  = tn_new(&w->arena, struct passings, w->count, w->error);
    w->by_key = tn_new(&w->arena, const struct passings *, w->count, w->error);
    if (!w->plans || !w->by_key)
        return w->error->status;
    for (uint64_t i = 0; i < w->count; i++) {
        w->plans[i].tensor = &tensors[i];
        w->by_key[i]       = &w->plans[i];
    }
    tn_sort((const void **)(void *)w->by_key, w->count, key_is_before);
    return place_tensors(w);
}

/* ---- data --------------------------------------------------------------- */

/* What the visitors of strings share.  The checksum takes lengths in another
 * form than they are written in, so those go past the summing sink. */
struct strings {
    struct tn_tf_crc_sink *sum;
    struct tn_buffer       head; /* lengths, gathered                        */
};

#define HEAD_SIZE (64 << 10)

static enum tn_status flush_head(struct strings *s, struct tn_error *error)
{
    if (tn_failed(error))
        return error->status;
    TN_TRY(tn_sink_write(s->sum->to, tn_buffer_bytes(&s->head), error));
    tn_buffer_clear(&s->head);
    return TN_OK;
}

static enum tn_status write_length(void *context, uint64_t index,
                                   struct tn_span text, struct tn_error *error)
{
    struct strings *s = context;

    (void)index;
    s->sum->crc = tn_tf_crc_length(s->sum->crc, text.length);
    tn_buffer_varint(&s->head, text.length);
    return s->head.size < HEAD_SIZE ? error->status : flush_head(s, error);
}

static enum tn_status write_text(void *context, uint64_t index,
                                 struct tn_span text, struct tn_error *error)
{
    struct strings *s = context;

    (void)index;
    return tn_sink_splice(&s->sum->sink, text, error);
}

/* The mask of the checksum so far, which then counts itself. */
static enum tn_status write_crc(struct strings *s, struct tn_error *error)
{
    uint32_t crc = tn_crc32c_mask(s->sum->crc);
    uint8_t  bytes[4];

    TN_TRY(flush_head(s, error));
    tn_store_little(bytes, crc, sizeof bytes);
    return tn_sink_write(&s->sum->sink, tn_bytes(bytes, sizeof bytes), error);
}

static enum tn_status write_variant(void *context, uint64_t index,
                                    struct tn_span text, struct tn_error *error)
{
    struct strings *s = context;

    s->sum->crc = tn_tf_crc_u64(s->sum->crc, text.length);
    tn_buffer_varint(&s->head, text.length);
    TN_TRY(flush_head(s, error));
    TN_TRY(write_text(s, index, text, error));
    return write_crc(s, error);
}

static enum tn_status write_strings(struct writer *w, struct passings *p,
                                    struct tn_tf_crc_sink *sum)
{
    const struct tn_elements *elements = p->tensor->elements;
    struct strings            s        = { .sum = sum };
    struct tn_error          *error    = w->error;

    sum->crc = 0;
    if (p->count == 0)
        return TN_OK;
    tn_buffer_init(&s.head, w->memory, error);
    if (elements->shape.dtype == TN_VARIANT)
        tn_payload_strings(elements, 0, p->count, write_variant, &s, error);
    else if (tn_payload_strings(elements, 0, p->count, write_length, &s,
                                error) == TN_OK &&
             write_crc(&s, error) == TN_OK)
        tn_payload_strings(elements, 0, p->count, write_text, &s, error);
    tn_buffer_done(&s.head);
    p->crc = sum->crc;
    return error->status;
}

static enum tn_status write_numbers(struct writer *w, struct passings *p,
                                    struct tn_tf_crc_sink *crc)
{
    crc->crc = 0;
    TN_TRY(tn_payload_stream(p->tensor->elements, 0, p->count, w->memory,
                             &crc->sink, w->error));
    p->crc = crc->crc;
    return TN_OK;
}

static enum tn_status write_tensor(struct writer *w, struct passings *p,
                                   struct tn_tf_crc_sink *crc)
{
    uint64_t begin = crc->to->offset;

    if (tn_dtype_size(p->tensor->elements->shape.dtype))
        TN_TRY(write_numbers(w, p, crc));
    else
        TN_TRY(write_strings(w, p, crc));
    if (crc->to->offset - begin != p->size)
        return tn_error_set(w->error, TN_MALFORMED, TN_NOWHERE,
                            "%" PRIu64 " bytes of data became %" PRIu64,
                            p->size, crc->to->offset - begin);
    if (w->options->after)
        return w->options->after(w->options->context, (uint64_t)(p - w->plans),
                                 p->size, w->error);
    return TN_OK;
}

/* Tensors from *next on, as far as they are of that shard. */
static enum tn_status write_shard(struct writer *w, uint32_t shard,
                                  struct tn_tf_crc_sink *crc, uint64_t *next)
{
    const char *name =
        tn_text_format(&w->arena, w->error, "%s.data-%05u-of-%05u", w->prefix,
                       shard, w->shard_count);

    if (!name)
        return w->error->status;
    TN_TRY(w->open(w->opener, name, &crc->to, w->error));
    for (; *next < w->count && w->plans[*next].shard == shard; ++*next) {
        struct passings *p = &w->plans[*next];
        if (write_tensor(w, p, crc) != TN_OK) {
            tn_error_where(w->error, "%.*s", TN_FMT(p->tensor->key));
            return w->error->status;
        }
    }
    return TN_OK;
}

static enum tn_status write_data(struct writer *w)
{
    struct tn_tf_crc_sink crc;
    uint64_t              next = 0;

    TN_TRY(tn_tf_crc_sink_init(&crc, NULL, w->memory, w->error));
    for (uint32_t i = 0; i < w->shard_count; i++)
        if (write_shard(w, i, &crc, &next) != TN_OK)
            break;
    tn_tf_crc_sink_done(&crc);
    return w->error->status;
}

/* ---- the index ---------------------------------------------------------- */

static void put_number(struct tn_buffer *to, uint32_t number, uint64_t value)
{
    if (value == 0) /* as proto3 has it */
        return;
    tn_buffer_varint(to, tn_tag(number, TN_WIRE_VARINT));
    tn_buffer_varint(to, value);
}

/* TensorShapeProto: dim = 2 { size = 1 } */
static void put_shape(struct tn_buffer *to, const struct tn_shape *shape)
{
    for (uint32_t i = 0; i < shape->rank; i++) {
        uint64_t dim = shape->dims[i];
        tn_buffer_varint(to, tn_tag(2, TN_WIRE_LEN));
        tn_buffer_varint(to, dim ? 1 + tn_varint_size(dim) : 0);
        put_number(to, 1, dim);
    }
}

/* BundleEntryProto */
static void put_entry(struct tn_buffer *to, struct tn_buffer *scratch,
                      const struct passings *p)
{
    const struct tn_shape *shape = &p->tensor->elements->shape;

    put_number(to, 1, tn_tf_dtype_number(shape->dtype));
    tn_buffer_clear(scratch);
    put_shape(scratch, shape);
    tn_buffer_varint(to, tn_tag(2, TN_WIRE_LEN));
    tn_buffer_varint(to, scratch->size);
    tn_buffer_add(to, tn_buffer_bytes(scratch));
    put_number(to, 3, p->shard);
    put_number(to, 4, p->offset);
    put_number(to, 5, p->size);
    uint32_t crc = tn_crc32c_mask(p->crc);
    if (crc == 0)
        return;
    tn_buffer_varint(to, tn_tag(6, TN_WIRE_FIXED32));
    tn_buffer_u32(to, crc);
}

static enum tn_status write_index(struct writer *w)
{
    struct tn_sstable_writer table;
    struct tn_buffer         value, scratch;
    struct tn_sink          *sink;
    const char              *name =
        tn_text_format(&w->arena, w->error, "%s.index", w->prefix);

    if (!name)
        return w->error->status;
    TN_TRY(w->open(w->opener, name, &sink, w->error));
    tn_buffer_init(&value, w->memory, w->error);
    tn_buffer_init(&scratch, w->memory, w->error);
    tn_sstable_writer_init(&table, sink, w->memory, w->error);
    /* BundleHeaderProto: num_shards = 1, version = 3 { producer = 1 } */
    uint32_t shard_count = w->shard_count;
    put_number(&value, 1, shard_count);
    tn_buffer_add(&value, tn_bytes("\x1a\x02\x08\x01", 4));
    tn_sstable_add(&table, tn_bytes("", 0), tn_buffer_bytes(&value));
    for (uint64_t i = 0; i < w->count; i++) {
        tn_buffer_clear(&value);
        put_entry(&value, &scratch, w->by_key[i]);
        tn_sstable_add(&table, w->by_key[i]->tensor->key,
                       tn_buffer_bytes(&value));
    }
    tn_sstable_finish(&table);
    tn_sstable_writer_done(&table);
    tn_buffer_done(&value);
    tn_buffer_done(&scratch);
    return w->error->status;
}

/* ---- all of it ---------------------------------------------------------- */

enum tn_status tn_tf_bundle_write_to(tn_tf_sink_opener *open, void *opener,
                                     const char                        *prefix,
                                     const struct tn_tf_bundle_tensor  *tensors,
                                     uint64_t                           count,
                                     const struct tn_tf_bundle_options *options,
                                     struct tn_memory                  *memory,
                                     struct tn_error                   *error)
{
    struct writer w = { .open        = open,
                        .opener      = opener,
                        .prefix      = prefix,
                        .options     = options,
                        .memory      = memory,
                        .error       = error,
                        .count       = count,
                        .shard_count = 1 };

    tn_arena_init(&w.arena, memory);
    if (make_plan(&w, tensors) == TN_OK && write_data(&w) == TN_OK)
        write_index(&w);
    tn_arena_done(&w.arena);
    return error->status;
}

struct output_opener {
    struct tn_output *output;
    bool              index_is_main;
};

static enum tn_status open_in_output(void *context, const char *name,
                                     struct tn_sink **sink,
                                     struct tn_error *error)
{
    static const char     suffix[] = ".index";
    struct output_opener *o        = context;
    size_t                size     = strlen(name);
    size_t                end      = sizeof suffix - 1;

    if (o->index_is_main && size > end && !strcmp(name + size - end, suffix))
        return tn_output_main(o->output, sink, error);
    return tn_output_side(o->output, name, sink, error);
}

enum tn_status tn_tf_bundle_write(struct tn_output *to, const char *prefix,
                                  const struct tn_tf_bundle_tensor  *tensors,
                                  uint64_t                           count,
                                  const struct tn_tf_bundle_options *options,
                                  struct tn_memory                  *memory,
                                  struct tn_error                   *error)
{
    struct output_opener opener = { to, options->is_main };

    return tn_tf_bundle_write_to(open_in_output, &opener, prefix, tensors,
                                 count, options, memory, error);
}
