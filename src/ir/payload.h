/*
 * payload.h - where the elements of a tensor are, and how to stream them
 *
 * A payload says source, offset, length and encoding; it never holds elements.
 * tn_payload_stream() gives any payload as little-endian C-order bytes, in
 * windows; raw ones are spliced.  No format decodes elements itself.
 */
#ifndef TN_IR_PAYLOAD_H
#define TN_IR_PAYLOAD_H

#include <tenon/dtype.h>

#include "base/rope.h"
#include "base/sink.h"
#include "base/source.h"

/* How units are stored in the span. */
enum tn_encoding {
    TN_ENCODING_NONE,    /* no data: all units are zero, all strings empty    */
    TN_ENCODING_RAW,     /* units side by side, little-endian                 */
    TN_ENCODING_RAW_BIG, /* the same, big-endian                              */
    TN_ENCODING_VARINTS, /* packed varints; a unit is the low bytes of one    */
    TN_ENCODING_FIELD,   /* the span is a protobuf message: units are the
                            values of field `field`, packed, unpacked or both;
                            fixed32 for float32 and complex64, fixed64 for
                            float64 and complex128, else varints.  For
                            strings: the occurrences of that LEN field.       */
    TN_ENCODING_LENGTHS, /* strings: varint lengths, then all the bytes       */
    TN_ENCODING_BUNDLE,  /* strings: varint lengths, 4 bytes of checksum,
                            then all the bytes; variants: of each its varint
                            length, its bytes, 4 bytes of checksum            */
    TN_ENCODING_PADDED,  /* strings: `field` bytes each; zeros at the end of
                            one are not its own                               */
    TN_ENCODING_OFFSETS, /* strings: one int64 more than there are strings,
                            little-endian: where each begins in the bytes after
                            them, and where the last ends                     */
    TN_ENCODING_OFFSETS_BIG, /* the same, big-endian                          */
    TN_ENCODING_FORTRAN, /* raw little-endian, column-major                   */
    TN_ENCODING_VIEW,    /* computed from other tensors: see `view`           */
    TN_ENCODING_BLOCKS,  /* float32: whole quantised blocks of kind `field`
                            (blocks.h), which do not cross rows               */
    TN_ENCODING_BLOCKS_BIG, /* the same; numbers in blocks are big-endian     */
    TN_ENCODING_PLACES, /* strings: their number and one place more than there
                           are, int32, little-endian: where each begins in
                           the span, and where the last ends                 */
};

struct tn_view;

/*
 * A unit is one stored number.  It is an element, except that a complex
 * element is two units (real, imaginary) and that a byte which holds several
 * elements is one unit.
 *
 * `stored` is how many units the format promises.  A span with fewer is an
 * error, and so is a raw one with more; of other encodings only
 * tn_payload_check() looks at the rest.  When `stored` is less than the
 * shape needs, the last element (both parts of a complex one) is repeated to
 * fill, bit by bit; of no units at all, zeros are made.  So set it to
 * tn_payload_needed() where the data must be complete (tn_payload_raw() does).
 * Where the format lets writers drop a repeated tail, and counting would cost a
 * pass over the data, set `is_uncounted` instead: there are as many units as
 * the span holds, `stored` is not looked at, and no number in it means "all".
 */
struct tn_payload {
    struct tn_span span;
    uint64_t       stored;
    uint32_t       field;    /* for TN_ENCODING_FIELD, _PADDED and _BLOCKS  */
    uint8_t        encoding; /* enum tn_encoding                            */
    uint8_t        per_byte; /* elements packed into one byte, lowest bits
                                first: 1 (or 0), 2 (4-bit types), 4 (2-bit) */
    bool is_uncounted;       /* see above                                     */
    const struct tn_view *view;
};

/* Type and dimensions of the elements. */
struct tn_shape {
    enum tn_dtype   dtype;
    uint32_t        rank;
    const uint64_t *dims;
};

static inline bool tn_shape_same_dims(const struct tn_shape *a,
                                      const struct tn_shape *b)
{
    return a->rank == b->rank &&
           (a->rank == 0 ||
            memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0);
}

/* Type and dimensions. */
static inline bool tn_shape_equal(const struct tn_shape *a,
                                  const struct tn_shape *b)
{
    return a->dtype == b->dtype && tn_shape_same_dims(a, b);
}

/* The limit for a dimension, the number of elements and their bytes: a larger
 * number in a file was negative, or more than any disk holds.  The sum of two
 * such numbers does not overflow. */
#define TN_SHAPE_MOST ((uint64_t)INT64_MAX)

/* Product of the dims: 1 for a scalar.  False when a dimension or the product
 * is more than TN_SHAPE_MOST. */
bool tn_shape_count(const struct tn_shape *shape, uint64_t *count);

/* Bytes of all elements as handed out.  False: no fixed size, or too large. */
bool tn_shape_bytes(const struct tn_shape *shape, uint64_t *bytes);

/* MALFORMED for a shape whose elements cannot be counted: names the negative
 * dimension, or says that there are too many elements. */
enum tn_status tn_shape_refuse(const struct tn_shape *shape, uint64_t offset,
                               struct tn_error *error);

/* A tensor: its type, shape and payload. */
struct tn_elements {
    struct tn_shape   shape;
    struct tn_payload payload;
};

/* Units of the shape with `per_byte` elements in a byte.  0 if the elements
 * cannot be counted; every function that reads elements refuses such a
 * shape. */
uint64_t tn_payload_needed(const struct tn_shape *shape, unsigned per_byte);

/* Raw little-endian data that must be complete. */
struct tn_payload tn_payload_raw(const struct tn_shape *shape,
                                 struct tn_span span, unsigned per_byte);

/* Blocks of a kind that must be complete. */
struct tn_payload tn_payload_blocks(const struct tn_shape *shape,
                                    struct tn_span span, unsigned kind,
                                    bool is_big);

static inline bool tn_payload_is_blocks(const struct tn_payload *payload)
{
    return payload->encoding == TN_ENCODING_BLOCKS ||
           payload->encoding == TN_ENCODING_BLOCKS_BIG;
}

/* Bytes of the blocks that hold a shape; false if its rows are not whole
 * blocks, or if there are too many. */
bool tn_payload_block_bytes(const struct tn_shape *shape, unsigned kind,
                            uint64_t *bytes);

/* The blocks of such a payload as little-endian bytes, in windows; spliced if
 * they are stored so. */
enum tn_status tn_payload_stream_blocks(const struct tn_elements *elements,
                                        struct tn_memory         *memory,
                                        struct tn_sink           *to,
                                        struct tn_error          *error);

enum tn_view_kind {
    TN_VIEW_PERMUTE, /* axis i of the result is axis axes[i] of inputs[0]     */
    TN_VIEW_CAST,    /* inputs[0], element by element, in the new dtype       */
    TN_VIEW_SLICE,   /* begin[], step[] per axis; the shape says how many     */
    TN_VIEW_CONCAT,  /* inputs one after the other along `axis`               */
    TN_VIEW_STRIDES, /* of inputs[0], which has one dimension: element begin[0],
                        and step[i] further for each step on axis i; a step of
                        0 repeats elements                                    */
    TN_VIEW_RESHAPE, /* inputs[0] with other dims of the same product         */
    TN_VIEW_SCALE,   /* inputs[0], floats, times factors[i], plus offsets[i] if
                        there are offsets, where i is the index on `axis`;
                        computed in float64 and rounded once.  What was normal
                        and would become subnormal is zero                    */
    TN_VIEW_CLAMP,   /* inputs[0], each element no less than factors[i] and no
                        more than offsets[i]; NaN stays                       */
    TN_VIEW_QUANTIZE, /* inputs[0], floats, divided by factors[i] in float32 and
                        rounded, halves to even; plus offsets[i] if there are
                        offsets; the nearest integer of 8 or 16 bits          */
    TN_VIEW_SIGN,     /* inputs[0], complex: real parts times factors[i],
                         imaginary parts times offsets[i], each 1 or -1       */
    TN_VIEW_SPARSE,   /* inputs[0] has one dimension and the elements that are
                         stored; `sparse` says where they belong, all others
                         are zero                                              */
};

/* Indices of a sparse tensor, unsigned, little-endian. */
struct tn_sparse_indices {
    struct tn_span span;
    uint64_t       count;
    uint32_t       width; /* bytes of one                                     */
};

/* A level of a sparse tensor: one of its dimensions, or a part of one.  Entry p
 * of the level above has all `size` entries here, or those whose index is
 * indices[segments[p]] to indices[segments[p + 1]], in rising order. */
struct tn_sparse_level {
    bool                     is_sparse;
    uint64_t                 size; /* how long the dimension is               */
    struct tn_sparse_indices segments, indices;
};

/* How the elements that are stored lie (as in TACO, and in TFLite).  `order`
 * has the dimension of each level; dimension rank + k is that inside of blocks
 * of dimension blocks[k]. */
struct tn_sparse {
    uint32_t                      level_count;
    const struct tn_sparse_level *levels;
    const uint32_t               *order;
    const uint32_t               *blocks;
    uint32_t                      block_count;
};

struct tn_view {
    enum tn_view_kind         kind;
    const struct tn_elements *inputs;
    uint64_t                  input_count;
    const uint32_t           *axes;
    const uint64_t           *begin;
    const int64_t            *step;
    uint32_t                  axis;
    const double             *factors; /* as many as `axis` is long; one, for
                                          all elements, if that is
                                          TN_VIEW_NO_AXIS                      */
    const double           *offsets;   /* as many, or NULL: none              */
    const struct tn_sparse *sparse;
};

#define TN_VIEW_NO_AXIS UINT32_MAX

/* Elements [first, first + count) as little-endian bytes in C order, one byte
 * an element for types below a byte.  Not for strings.  Memory is constant,
 * but for views that need to jump around in varints: those decode their input
 * into memory and fail with LIMIT when there is not enough. */
enum tn_status tn_payload_stream(const struct tn_elements *elements,
                                 uint64_t first, uint64_t count,
                                 struct tn_memory *memory, struct tn_sink *to,
                                 struct tn_error *error);

/* One call per string (or resource, or variant: serialized messages), in
 * order; `text` points at where it is stored, an empty one may have no source.
 * A status other than TN_OK from `each` stops and is returned; `each` has set
 * the error.  Missing strings repeat the last, missing messages are empty. */
typedef enum tn_status tn_string_visitor(void *context, uint64_t index,
                                         struct tn_span   text,
                                         struct tn_error *error);

enum tn_status tn_payload_strings(const struct tn_elements *elements,
                                  uint64_t first, uint64_t count,
                                  tn_string_visitor *each, void *context,
                                  struct tn_error *error);

/* Whether stored units agree with the shape: exact for raw data, `stored` at
 * most what the shape needs, varints and lengths well formed.  Reads structure
 * (varints, lengths), never raw data.  The error names both numbers. */
enum tn_status tn_payload_check(const struct tn_elements *elements,
                                struct tn_error          *error);

/* A producer of all elements, for a rope: raw bytes of the stored form that
 * ONNX wants (4-bit types two a byte when `is_packed`), or as handed out. */
struct tn_payload_producer {
    struct tn_producer        producer; /* first */
    const struct tn_elements *elements;
    struct tn_memory         *memory;
    bool                      is_packed;
};
enum tn_status tn_payload_producer_init(struct tn_payload_producer *producer,
                                        const struct tn_elements   *elements,
                                        struct tn_memory           *memory,
                                        bool is_packed, struct tn_error *error);

/* True when the bytes wanted by a producer of that kind are exactly a span of
 * the source: then splice it and let the kernel copy. */
bool tn_payload_is_plain(const struct tn_elements *elements, bool is_packed,
                         struct tn_span *span);

#endif
