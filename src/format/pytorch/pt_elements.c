/* pt_elements.c - where the elements of PyTorch's tensors are */
#include "base/arith.h"
#include "format/pickled.h"
#include "format/pytorch/pt.h"
#include "ir/payload_stride.h"

/* Whether elements lie side by side in C order. */
static bool is_dense(const struct tn_pt_tensor *t)
{
    uint64_t expected = 1;

    for (uint32_t i = t->rank; i-- > 0;) {
        if (t->dims[i] == 0)
            return true;
        if (t->dims[i] != 1 && (uint64_t)t->strides[i] != expected)
            return false;
        if (!tn_mul(expected, t->dims[i], &expected))
            return false;
    }
    return true;
}

/* All of the storage as a row of elements of that type. */
static enum tn_status read_row(const struct tn_pt_file    *file,
                               const struct tn_pt_tensor  *t,
                               const struct tn_pt_storage *storage,
                               struct tn_arena *arena, struct tn_elements *row,
                               struct tn_error *error)
{
    uint64_t *count = tn_new(arena, uint64_t, 1, error);
    unsigned  size  = tn_dtype_size(t->dtype);

    if (!count)
        return error->status;
    *count     = storage->is_untyped ? storage->count / size
                                     : storage->count * storage->per_byte;
    row->shape = (struct tn_shape){ t->dtype, 1, count };
    row->payload =
        tn_payload_raw(&row->shape, storage->span, storage->per_byte);
    if (storage->is_untyped)
        row->payload.span.length = *count * size;
    if (file->is_big_endian && size > 1)
        row->payload.encoding = TN_ENCODING_RAW_BIG;
    return TN_OK;
}

static enum tn_status refuse_bounds(const struct tn_pt_tensor  *t,
                                    const struct tn_pt_storage *storage,
                                    struct tn_error            *error)
{
    return tn_error_set(
        error, TN_MALFORMED, t->offset,
        "tensor '%.*s' leaves its storage '%.*s' of %" PRIu64 " %s",
        TN_FMT(t->name), TN_FMT(storage->key), storage->count,
        storage->is_untyped || storage->per_byte > 1 ? "bytes" : "elements");
}

/* A part of the row that is the tensor without change. */
static enum tn_status cut(const struct tn_pt_tensor  *t,
                          const struct tn_pt_storage *storage,
                          const struct tn_elements *row,
                          struct tn_elements *elements, struct tn_error *error)
{
    struct tn_span span = row->payload.span;
    uint64_t       count, all = row->shape.dims[0];
    unsigned       size = tn_dtype_size(t->dtype), per_byte = storage->per_byte;

    if (!tn_shape_count(&elements->shape, &count) ||
        (count && (t->start > all || count > all - t->start)) ||
        t->start % per_byte)
        return refuse_bounds(t, storage, error);
    if (count == 0) {
        span.length = 0;
    } else if (per_byte > 1) {
        span.offset += t->start / per_byte;
        span.length = count / per_byte + (count % per_byte != 0);
    } else {
        span.offset += t->start * size;
        span.length = count * size;
    }
    elements->payload = tn_payload_raw(&elements->shape, span, per_byte);
    elements->payload.encoding = row->payload.encoding;
    return TN_OK;
}

static enum tn_status stride(const struct tn_pt_tensor  *t,
                             const struct tn_pt_storage *storage,
                             const struct tn_elements *row,
                             struct tn_arena *arena,
                             struct tn_elements *elements,
                             struct tn_error *error)
{
    struct tn_error own = TN_ERROR_INIT;

    if (storage->per_byte > 1)
        return refuse_bounds(t, storage, error);
    tn_payload_stride(arena, row, t->start, t->strides, elements, &own);
    if (tn_machine_failed(&own))
        *error = own;
    else if (tn_failed(&own))
        refuse_bounds(t, storage, error);
    return error->status;
}

static bool is_float(enum tn_dtype dtype)
{
    return dtype == TN_FLOAT32 || dtype == TN_FLOAT64 || dtype == TN_FLOAT16 ||
           dtype == TN_BFLOAT16;
}

static bool is_complex(enum tn_dtype dtype)
{
    return dtype == TN_COMPLEX64 || dtype == TN_COMPLEX128;
}

/* Marks of a view that torch applies when it computes: times minus one, or
 * imaginary parts times minus one. */
static void apply_marks(const struct tn_pt_tensor *t, struct tn_arena *arena,
                        struct tn_elements *elements, struct tn_error *error)
{
    static const double plain = 1, minus = -1, conjugate[] = { 1, -1 },
                        both[] = { -1, 1 };
    struct tn_view mark = { .input_count = 1, .axis = TN_VIEW_NO_AXIS };

    mark.factors = t->is_negative ? &minus : &plain;
    if (is_complex(t->dtype)) {
        mark.kind    = TN_VIEW_SIGN;
        mark.offsets = t->is_negative != t->is_conjugate ? &minus : &plain;
    } else if (t->is_conjugate && t->is_pairs) {
        mark.kind    = TN_VIEW_SCALE;
        mark.axis    = t->rank - 1;
        mark.factors = t->is_negative ? both : conjugate;
    } else if (t->is_negative && is_float(t->dtype)) {
        mark.kind = TN_VIEW_SCALE;
    } else {
        return;
    }
    struct tn_elements *input = tn_new(arena, struct tn_elements, 1, error);
    struct tn_view     *view  = tn_new(arena, struct tn_view, 1, error);
    if (!input || !view)
        return;
    *input      = *elements;
    mark.inputs = input;
    *view       = mark;
    elements->payload =
        (struct tn_payload){ .encoding = TN_ENCODING_VIEW, .view = view };
}

/* The tensor with its lists in the arena. */
static bool keep(struct tn_pt_tensor *t, struct tn_arena *arena,
                 struct tn_error *error)
{
    uint64_t *dims    = tn_new(arena, uint64_t, t->rank, error);
    int64_t  *strides = tn_new(arena, int64_t, t->rank, error);

    if (!dims || !strides)
        return false;
    if (t->rank)
        memcpy(dims, t->dims, t->rank * sizeof *dims);
    if (t->rank && t->strides)
        memcpy(strides, t->strides, t->rank * sizeof *strides);
    t->dims    = dims;
    t->strides = strides;
    return true;
}

static enum tn_status read_array(const struct tn_pt_tensor *t,
                                 struct tn_bundle          *bundle,
                                 struct tn_arena           *arena,
                                 struct tn_elements        *elements,
                                 struct tn_error           *error)
{
    struct tn_pickle_array array = *t->array;

    array.dims = t->dims;
    return tn_pickled_elements(&array, bundle, arena, elements, error);
}

enum tn_status tn_pt_elements(const struct tn_pt_file   *file,
                              const struct tn_pt_tensor *tensor,
                              struct tn_bundle *bundle, struct tn_arena *arena,
                              struct tn_elements *elements,
                              struct tn_error    *error)
{
    struct tn_pt_tensor kept = *tensor, *t = &kept;
    struct tn_elements  row;

    if (!keep(t, arena, error))
        return error->status;
    if (t->kind == TN_PT_ARRAY)
        return read_array(t, bundle, arena, elements, error);
    elements->shape = (struct tn_shape){ t->dtype, t->rank, t->dims };
    if (t->kind == TN_PT_WITHOUT_DATA) {
        elements->payload = (struct tn_payload){ .encoding = TN_ENCODING_NONE };
        return TN_OK;
    }
    const struct tn_pt_storage *storage =
        tn_pt_storage_at(&file->tree, t->storage);
    if (tn_dtype_size(t->dtype) == 0)
        return tn_error_set(error, TN_UNSUPPORTED, t->offset,
                            "tensor '%.*s' has elements of an unknown type",
                            TN_FMT(t->name));
    TN_TRY(read_row(file, t, storage, arena, &row, error));
    if (is_dense(t))
        TN_TRY(cut(t, storage, &row, elements, error));
    else
        TN_TRY(stride(t, storage, &row, arena, elements, error));
    if (!tn_failed(error) && (t->is_negative || t->is_conjugate))
        apply_marks(t, arena, elements, error);
    return error->status;
}
