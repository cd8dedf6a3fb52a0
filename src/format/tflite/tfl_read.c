/* tfl_read.c - reads the tables of a TFLite model */
#include "format/tflite/tflite.h"

#include "base/arith.h"
#include "base/bisect.h"
#include "base/utf8.h"

/* ---- types -------------------------------------------------------------- */

static const uint8_t dtypes[] = {
    TN_FLOAT32, TN_FLOAT16,      TN_INT32,      TN_UINT8,     TN_INT64,
    TN_STRING,  TN_BOOL,         TN_INT16,      TN_COMPLEX64, TN_INT8,
    TN_FLOAT64, TN_COMPLEX128,   TN_UINT64,     TN_RESOURCE,  TN_VARIANT,
    TN_UINT32,  TN_UINT16,       TN_INT4,       TN_BFLOAT16,  TN_INT2,
    TN_UINT4,   TN_FLOAT8E4M3FN, TN_FLOAT8E5M2,
};

enum { TYPE_COUNT = sizeof dtypes / sizeof *dtypes };

enum tn_dtype tn_tfl_dtype(int number)
{
    return number >= 0 && number < TYPE_COUNT ? (enum tn_dtype)dtypes[number]
                                              : TN_UNDEFINED;
}

int tn_tfl_type_number(enum tn_dtype dtype)
{
    for (int i = 0; i < TYPE_COUNT; i++)
        if (dtypes[i] == dtype)
            return i;
    return -1;
}

unsigned tn_tfl_per_byte(enum tn_dtype dtype)
{
    unsigned bits = tn_dtype_bits(dtype);

    return bits && bits < 8 ? 8 / bits : 1;
}

/* ---- operators ---------------------------------------------------------- */

int32_t tn_tfl_code(const struct tn_fb_table *code)
{
    int32_t old = tn_fb_i8(code, TN_TFL_CODE_OLD, 0);
    int32_t now = tn_fb_i32(code, TN_TFL_CODE_BUILTIN, 0);

    return old > now ? old : now;
}

static const struct tn_tfl_options *options_by_tag(uint8_t which, uint8_t tag)
{
    for (uint32_t i = 1; tag && i < tn_tfl_options_count; i++)
        if (tn_tfl_options[i].which == which && tn_tfl_options[i].tag == tag)
            return &tn_tfl_options[i];
    return NULL;
}

const struct tn_tfl_options *tn_tfl_options_of(const struct tn_fb_table *op,
                                               int32_t                   code,
                                               struct tn_fb_table       *table)
{
    static const struct {
        uint8_t which, type_slot, slot;
    } unions[] = {
        { 1, TN_TFL_OPERATOR_OPTIONS_TYPE, TN_TFL_OPERATOR_OPTIONS },
        { 2, TN_TFL_OPERATOR_OPTIONS2_TYPE, TN_TFL_OPERATOR_OPTIONS2 },
    };

    *table = (struct tn_fb_table){ 0 };
    for (unsigned i = 0; i < 2; i++) {
        uint8_t                      tag = tn_fb_u8(op, unions[i].type_slot, 0);
        const struct tn_tfl_options *row = options_by_tag(unions[i].which, tag);
        if (!row || !tn_fb_has(op, unions[i].slot))
            continue;
        *table = tn_fb_child(op, unions[i].slot);
        return row;
    }
    return code >= 0 && (uint32_t)code < tn_tfl_builtin_count
               ? &tn_tfl_options[tn_tfl_builtins[code].options]
               : &tn_tfl_options[0];
}

/* ---- bytes outside of the FlatBuffer ------------------------------------ */

/* Offsets 0 and 1 mean that there is nothing: writers use 1 for a place that
 * is not known yet. */
static bool outside(const struct tn_fb_table *table, uint16_t offset_slot,
                    uint16_t size_slot, struct tn_span *data,
                    struct tn_error *error)
{
    struct tn_source *source = table->fb->span.source;
    uint64_t          offset = (uint64_t)tn_fb_i64(table, offset_slot, 0);
    uint64_t          size   = (uint64_t)tn_fb_i64(table, size_slot, 0);

    if (offset <= 1 || size == 0)
        return false;
    if (offset > source->size || size > source->size - offset) {
        tn_error_set(error, TN_TRUNCATED,
                     table->fb->span.offset + tn_fb_field(table, offset_slot),
                     "%" PRIu64 " bytes at offset %" PRIu64
                     ", but the file ends at %" PRIu64,
                     size, offset, source->size);
        return false;
    }
    *data = (struct tn_span){ source, offset, size };
    return true;
}

bool tn_tfl_buffer(const struct tn_fb_table *buffer, struct tn_span *data,
                   struct tn_error *error)
{
    struct tn_fb_vector inside = tn_fb_vector(buffer, TN_TFL_BUFFER_DATA, 1);

    if (inside.count) {
        *data = tn_fb_vector_span(&inside);
        return true;
    }
    return outside(buffer, TN_TFL_BUFFER_OFFSET, TN_TFL_BUFFER_SIZE, data,
                   error);
}

bool tn_tfl_metadata_text(const struct tn_fb_vector *buffers,
                          const struct tn_fb_table  *entry,
                          struct tn_arena *arena, uint64_t *left,
                          struct tn_bytes *text, struct tn_error *error)
{
    uint32_t       index = tn_fb_u32(entry, TN_TFL_METADATA_BUFFER, 0);
    struct tn_span data  = { 0 };

    if (index >= buffers->count ||
        tn_bytes_is(tn_fb_string(entry, TN_TFL_METADATA_NAME),
                    TN_TFL_MIN_RUNTIME))
        return false;
    struct tn_fb_table buffer = tn_fb_vector_table(buffers, index);
    tn_tfl_buffer(&buffer, &data, error);
    if (tn_failed(error) || data.length > *left)
        return false;
    *left -= data.length;
    uint8_t *bytes = tn_new(arena, uint8_t, data.length + 1, error);
    if (!bytes ||
        (data.length && tn_source_read(data.source, data.offset, bytes,
                                       (size_t)data.length, error) != TN_OK))
        return false;
    *text = tn_bytes(bytes, (size_t)data.length);
    return !memchr(bytes, 0, text->size) && tn_utf8_is_valid(*text);
}

bool tn_tfl_custom_options(const struct tn_fb_table *op, struct tn_span *data,
                           struct tn_error *error)
{
    struct tn_fb_vector inside = tn_fb_vector(op, TN_TFL_OPERATOR_CUSTOM, 1);

    if (inside.count) {
        *data = tn_fb_vector_span(&inside);
        return true;
    }
    return outside(op, TN_TFL_OPERATOR_CUSTOM_OFFSET,
                   TN_TFL_OPERATOR_CUSTOM_SIZE, data, error);
}

/* ---- shapes ------------------------------------------------------------- */

struct tn_fb_vector tn_tfl_shape_of(const struct tn_fb_table *tensor)
{
    struct tn_fb_vector open = tn_fb_vector(tensor, TN_TFL_TENSOR_SIGNATURE, 4);
    struct tn_fb_vector shape = tn_fb_vector(tensor, TN_TFL_TENSOR_SHAPE, 4);

    return open.count && open.count == shape.count ? open : shape;
}

bool tn_tfl_has_rank(const struct tn_fb_table *tensor, bool says_ranks)
{
    return !says_ranks ||
           tn_fb_vector(tensor, TN_TFL_TENSOR_SHAPE, 4).count > 0 ||
           tn_fb_bool(tensor, TN_TFL_TENSOR_HAS_RANK, false);
}

/* ---- sparse tensors ----------------------------------------------------- */

/* Indices of 32, 16 or 8 bits, by member of the union. */
static struct tn_sparse_indices read_indices(const struct tn_fb_table *level,
                                             uint16_t                  slot)
{
    static const uint8_t widths[] = { 0, 4, 2, 1 };
    uint8_t              member   = tn_fb_u8(level, (uint16_t)(slot - 1), 0);

    if (member == 0 || member >= sizeof widths || !tn_fb_has(level, slot))
        return (struct tn_sparse_indices){ .width = 4 };
    struct tn_fb_table  table  = tn_fb_child(level, slot);
    struct tn_fb_vector values = tn_fb_vector(&table, 0, widths[member]);
    if (!values.count)
        return (struct tn_sparse_indices){ .width = 4 };
    return (struct tn_sparse_indices){ tn_fb_vector_span(&values), values.count,
                                       widths[member] };
}

static uint32_t *read_axes(const struct tn_fb_vector *from,
                           struct tn_arena *arena, struct tn_error *error)
{
    uint32_t *to = tn_new(arena, uint32_t, from->count, error);

    for (uint32_t i = 0; to && i < from->count; i++)
        to[i] = (uint32_t)tn_fb_vector_i32(from, i);
    return to;
}

/* The length of a sparse dimension: that of the shape, in blocks. */
static uint64_t sparse_size(const struct tn_shape *shape, const uint32_t *axes,
                            const uint32_t *split, uint32_t level_count,
                            uint32_t                      block_count,
                            const struct tn_sparse_level *levels, uint32_t axis)
{
    uint64_t size = shape->dims[axis];

    for (uint32_t k = 0; k < block_count; k++) {
        if (split[k] != axis)
            continue;
        for (uint32_t i = 0; i < level_count; i++)
            if (axes[i] == shape->rank + k && levels[i].size)
                size /= levels[i].size;
    }
    return size;
}

/* How many elements the levels have. */
static uint64_t count_stored(const struct tn_sparse_level *levels,
                             uint32_t                      level_count)
{
    uint64_t count = 1;

    for (uint32_t i = 0; i < level_count; i++) {
        if (levels[i].is_sparse)
            count = levels[i].indices.count;
        else if (!tn_mul(count, levels[i].size, &count))
            return 0;
    }
    return count;
}

struct tn_payload tn_tfl_sparse(const struct tn_fb_table *sparsity,
                                const struct tn_shape    *shape,
                                struct tn_span data, struct tn_arena *arena,
                                struct tn_error *error)
{
    struct tn_fb_vector order =
        tn_fb_vector(sparsity, TN_TFL_SPARSITY_ORDER, 4);
    struct tn_fb_vector blocks =
        tn_fb_vector(sparsity, TN_TFL_SPARSITY_BLOCKS, 4);
    struct tn_fb_vector rows =
        tn_fb_vector(sparsity, TN_TFL_SPARSITY_LEVELS, 4);
    struct tn_view     *view   = tn_new(arena, struct tn_view, 1, error);
    struct tn_elements *stored = tn_new(arena, struct tn_elements, 1, error);
    uint64_t           *count  = tn_new(arena, uint64_t, 1, error);
    struct tn_sparse   *sparse = tn_new(arena, struct tn_sparse, 1, error);
    struct tn_sparse_level *levels =
        tn_new(arena, struct tn_sparse_level, rows.count, error);
    uint32_t *axes  = read_axes(&order, arena, error);
    uint32_t *split = read_axes(&blocks, arena, error);

    if (tn_failed(error))
        return (struct tn_payload){ 0 };
    for (uint32_t i = 0; i < rows.count; i++) {
        struct tn_fb_table row  = tn_fb_vector_table(&rows, i);
        int32_t            size = tn_fb_i32(&row, TN_TFL_LEVEL_SIZE, 0);
        levels[i].is_sparse     = tn_fb_i8(&row, TN_TFL_LEVEL_FORMAT, 0) != 0;
        levels[i].segments      = read_indices(&row, TN_TFL_LEVEL_SEGMENTS);
        levels[i].indices       = read_indices(&row, TN_TFL_LEVEL_INDICES);
        levels[i].size          = size < 0 ? 0 : (uint64_t)size;
    }
    /* Files leave out the size of sparse levels: it is that of the
     * dimension. */
    for (uint32_t i = 0; i < rows.count && i < order.count; i++)
        if (levels[i].is_sparse && !levels[i].size && axes[i] < shape->rank)
            levels[i].size = sparse_size(
                shape, axes, split, (uint32_t)tn_min(order.count, rows.count),
                blocks.count, levels, axes[i]);
    *count  = count_stored(levels, rows.count);
    *sparse = (struct tn_sparse){
        .level_count = order.count == rows.count ? rows.count : UINT32_MAX,
        .levels      = levels,
        .order       = axes,
        .blocks      = split,
        .block_count = blocks.count,
    };
    *stored = (struct tn_elements){ .shape = { shape->dtype, 1, count } };
    stored->payload =
        tn_payload_raw(&stored->shape, data, tn_tfl_per_byte(shape->dtype));
    *view = (struct tn_view){ .kind        = TN_VIEW_SPARSE,
                              .inputs      = stored,
                              .input_count = 1,
                              .sparse      = sparse };
    return (struct tn_payload){
        .span = data, .encoding = TN_ENCODING_VIEW, .per_byte = 1, .view = view
    };
}

/* ---- names -------------------------------------------------------------- */

uint32_t tn_tfl_find_tensor(const struct tn_tfl_graph *graph,
                            struct tn_bytes            name)
{
    uint64_t at;

    TN_BISECT(at, 0, graph->count,
              tn_bytes_compare(graph->tensors[graph->by_name[at]].name, name) <
                  0);
    return at < graph->count &&
                   tn_bytes_equal(graph->tensors[graph->by_name[at]].name, name)
               ? graph->by_name[at]
               : TN_NONE;
}

const struct tn_tfl_detail *tn_tfl_detail_of(const struct tn_model *model)
{
    return model->dialect == &tn_dialect_tflite ? model->detail : NULL;
}
