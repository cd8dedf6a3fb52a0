/* tensor_array.c - the elements of a tensor in memory: mapped, or decoded */
#include <tenon/array.h>

#include "base/arith.h"
#include "base/expand.h"
#include "base/sized.h"
#include "engine/opened.h"
#include "engine/slice.h"
#include "io/file_source.h"
#include "io/large_blocks.h"
#include "io/library.h"
#include "io/meter.h"

/* Elements that are decoded begin at a multiple of this, as vector units like
 * it. */
#define ALIGNMENT 64

/* How many bytes are decoded between two looks at the clock. */
#define PORTION (UINT64_C(4) << 20)

struct tn_array {
    struct tn_array_info   info;
    struct tn_memory       memory; /* pays for all of it                      */
    struct tn_arena        arena;  /* of dims, and of the view of a slice     */
    struct tn_private_map *map;    /* NULL: decoded                           */
    uint8_t               *block;
    uint64_t               block_size;
    _Atomic unsigned       holders;
};

/* ---- mapped --------------------------------------------------------------- */

/* Whether the processor can use the bytes of a file as they are. */
static bool is_little_endian(void)
{
    const uint16_t one = 1;
    uint8_t        first;

    memcpy(&first, &one, 1);
    return first == 1;
}

/* What an element is made of: two numbers of a complex one. */
static unsigned alignment_of(enum tn_dtype dtype)
{
    unsigned size = tn_dtype_size(dtype);

    return dtype == TN_COMPLEX64 || dtype == TN_COMPLEX128 ? size / 2 : size;
}

static bool map_elements(struct tn_array               *array,
                         const struct tn_elements      *elements,
                         const struct tn_array_options *how)
{
    struct tn_span span;

    if (!is_little_endian() || !tn_payload_is_plain(elements, false, &span) ||
        !span.source || span.length == 0 ||
        !tn_inside(span.offset, span.length, span.source->size))
        return false;
    if (!how->allows_unaligned &&
        span.offset % alignment_of(elements->shape.dtype))
        return false;
    array->map = tn_source_map_private(span.source);
    if (!array->map)
        return false;
    array->info.data      = tn_private_map_bytes(array->map) + span.offset;
    array->info.is_mapped = true;
    return true;
}

/* ---- decoded -------------------------------------------------------------- */

struct portion_sink {
    struct tn_sink   sink; /* first */
    uint8_t         *to;
    struct tn_meter *meter;
};

static enum tn_status portion_write(struct tn_sink *sink, struct tn_bytes bytes,
                                    struct tn_error *error)
{
    struct portion_sink *portion = (struct portion_sink *)sink;

    memcpy(portion->to + sink->offset, bytes.data, bytes.size);
    return tn_meter_add(portion->meter, bytes.size, error);
}

static enum tn_status portion_splice(struct tn_sink *sink, struct tn_span span,
                                     struct tn_error *error)
{
    struct portion_sink *portion = (struct portion_sink *)sink;
    uint8_t             *to      = portion->to + sink->offset;

    while (span.length) {
        size_t size = (size_t)tn_min(span.length, PORTION);
        TN_TRY(tn_source_read(span.source, span.offset, to, size, error));
        TN_TRY(tn_meter_add(portion->meter, size, error));
        span.offset += size;
        span.length -= size;
        to += size;
    }
    return TN_OK;
}

static const struct tn_sink_ops portion_ops = { .write  = portion_write,
                                                .splice = portion_splice };

static enum tn_status decode(struct tn_array          *array,
                             const struct tn_elements *elements,
                             struct tn_memory         *scratch,
                             const struct tn_options  *options,
                             struct tn_error          *error)
{
    struct portion_sink portion = { .sink = { .ops = &portion_ops } };
    struct tn_meter     meter;
    struct tn_watch     watch;
    uint64_t            count = 0;

    if (!tn_add(array->info.size, ALIGNMENT, &array->block_size))
        return tn_shape_refuse(&elements->shape, TN_NOWHERE, error);
    array->block = tn_memory_resize(&array->memory, NULL, 0, array->block_size,
                                    error);
    if (!array->block)
        return error->status;
    portion.to = array->block +
                 (ALIGNMENT - (uintptr_t)array->block % ALIGNMENT) % ALIGNMENT;
    array->info.data = portion.to;
    portion.meter    = &meter;
    tn_shape_count(&elements->shape, &count);
    tn_meter_init(&meter, options ? options->progress : NULL,
                  options ? options->progress_context : NULL, "reading",
                  array->info.size);
    tn_meter_watch(&meter, &watch, scratch);
    tn_payload_stream(elements, 0, count, scratch, &portion.sink, error);
    tn_watch_end(&watch);
    return error->status;
}

/* ---- all of it ------------------------------------------------------------ */

static enum tn_status fill(struct tn_array               *array,
                           const struct tn_tensor        *tensor,
                           const struct tn_array_options *how,
                           const struct tn_options       *options,
                           struct tn_error               *error)
{
    struct tn_elements elements = tensor->elements;
    enum tn_dtype      dtype    = elements.shape.dtype;

    if (tn_dtype_size(dtype) == 0)
        return tn_error_set(error, TN_UNSUPPORTED, TN_NOWHERE,
                            "%s elements have no fixed size",
                            tn_dtype_name(dtype));
    TN_TRY(tn_payload_check(&tensor->elements, error));
    if (how->slice)
        TN_TRY(tn_slice_parse(how->slice, &tensor->elements, &array->arena,
                              &elements, error));
    if (!tn_shape_bytes(&elements.shape, &array->info.size))
        return tn_shape_refuse(&elements.shape, TN_NOWHERE, error);
    uint64_t *dims =
        tn_new(&array->arena, uint64_t, elements.shape.rank, error);
    if (!dims)
        return error->status;
    if (elements.shape.rank)
        memcpy(dims, elements.shape.dims, elements.shape.rank * sizeof *dims);
    array->info.dtype = dtype;
    array->info.rank  = elements.shape.rank;
    array->info.dims  = dims;
    if (!how->is_copied && map_elements(array, &elements, how))
        return TN_OK;
    TN_TRY(tn_expand_check(
        array->info.size,
        tn_opened_may_expand(tn_opened_of(tensor->model), options), error));
    return decode(array, &elements, tensor->model->memory, options, error);
}

enum tn_status tn_array_open(struct tn_array              **out,
                             const struct tn_tensor        *tensor,
                             const struct tn_array_options *array,
                             const struct tn_options       *options,
                             struct tn_error               *error)
{
    TN_ERROR_OR_OWN(error);
    *out = NULL;
    TN_EXPECT_TENSOR(tensor, error);
    TN_TAKE_ARRAY(array);
    TN_TAKE_OPTIONS(options);
    const struct tn_array_options none = { 0 };
    struct tn_allocator           allocator =
        options && options->allocator ? *options->allocator : tn_large_blocks();
    struct tn_array *made =
        allocator.resize(allocator.context, NULL, 0, sizeof *made);

    if (!made)
        return tn_error_set(error, TN_NO_MEMORY, TN_NOWHERE,
                            "out of memory at %zu bytes", sizeof *made);
    memset(made, 0, sizeof *made);
    tn_memory_take_options(&made->memory, options);
    made->memory.allocator = allocator;
    tn_arena_init(&made->arena, &made->memory);
    atomic_init(&made->holders, 1);
    if (fill(made, tensor, array ? array : &none, options, error) == TN_OK) {
        *out = made;
        return TN_OK;
    }
    tn_error_where(error, "tensor '%.*s'", TN_FMT(tn_tensor_name(tensor)));
    tn_array_close(made);
    return error->status;
}

void tn_array_hold(struct tn_array *array)
{
    atomic_fetch_add(&array->holders, 1);
}

void tn_array_close(struct tn_array *array)
{
    if (!array || atomic_fetch_sub(&array->holders, 1) != 1)
        return;
    struct tn_allocator allocator = array->memory.allocator;

    tn_private_map_drop(array->map);
    if (array->block)
        tn_memory_free(&array->memory, array->block, array->block_size);
    tn_arena_done(&array->arena);
    allocator.resize(allocator.context, array, sizeof *array, 0);
}

const struct tn_array_info *tn_array_get(const struct tn_array *array)
{
    return &array->info;
}

/* ---- DLPack: the structs of dlpack.h, whose layout is its interface ------- */

enum { DL_CPU = 1 };

enum dl_code {
    DL_INT     = 0,
    DL_UINT    = 1,
    DL_FLOAT   = 2,
    DL_BFLOAT  = 4,
    DL_COMPLEX = 5,
    DL_BOOL    = 6,
    DL_NONE    = 255,
};

struct dl_tensor {
    void *data;
    struct {
        int32_t type, id;
    } device;
    int32_t rank;
    struct {
        uint8_t  code, bits;
        uint16_t lanes;
    } dtype;
    int64_t *shape;
    int64_t *strides; /* in elements */
    uint64_t offset;
};

struct dl_managed {
    struct dl_tensor tensor;
    void            *context;
    void (*deleter)(struct dl_managed *self);
};

/* In one block, from the array's own memory. */
struct dl_block {
    struct dl_managed managed; /* first */
    uint64_t          size;
    int64_t           numbers[]; /* shape, then strides */
};

static enum dl_code dl_code_of(enum tn_dtype dtype)
{
    switch (dtype) {
    case TN_INT8: case TN_INT16: case TN_INT32: case TN_INT64:
    case TN_QINT8: case TN_QINT16: case TN_QINT32: case TN_INT4: case TN_INT2:
        return DL_INT;
    case TN_UINT8: case TN_UINT16: case TN_UINT32: case TN_UINT64:
    case TN_QUINT8: case TN_QUINT16: case TN_UINT4: case TN_UINT2:
        return DL_UINT;
    case TN_FLOAT16: case TN_FLOAT32: case TN_FLOAT64:
        return DL_FLOAT;
    case TN_BFLOAT16:
        return DL_BFLOAT;
    case TN_COMPLEX64: case TN_COMPLEX128:
        return DL_COMPLEX;
    case TN_BOOL:
        return DL_BOOL;
    default:
        return DL_NONE;
    }
}

static void dl_delete(struct dl_managed *managed)
{
    struct dl_block *block = (struct dl_block *)managed;
    struct tn_array *array = managed->context;

    tn_memory_free(&array->memory, block, block->size);
    tn_array_close(array);
}

void tn_array_capsule_done(void *capsule)
{
    void *process = dlopen(NULL, RTLD_LAZY);
    int (*is_valid)(void *capsule, const char *name);
    void *(*get)(void *capsule, const char *name);

    /* A capsule under another name was taken over by somebody, who deletes the
     * tensor. */
    if (process && tn_library_find(process, "PyCapsule_IsValid", &is_valid) &&
        tn_library_find(process, "PyCapsule_GetPointer", &get) &&
        is_valid(capsule, "dltensor")) {
        struct dl_managed *managed = get(capsule, "dltensor");
        managed->deleter(managed);
    }
    if (process)
        dlclose(process);
}

enum tn_status tn_array_dlpack(struct tn_array *array, void **managed,
                               struct tn_error *error)
{
    TN_ERROR_OR_OWN(error);
    const struct tn_array_info *info = &array->info;
    enum dl_code                code = dl_code_of(info->dtype);
    uint64_t size = sizeof(struct dl_block) + 2 * sizeof(int64_t) * info->rank;

    *managed = NULL;
    if (code == DL_NONE || !is_little_endian())
        return tn_error_set(error, TN_UNSUPPORTED, TN_NOWHERE,
                            "DLPack has no type for %s elements",
                            tn_dtype_name(info->dtype));
    struct dl_block *block =
        tn_memory_resize(&array->memory, NULL, 0, size, error);
    if (!block)
        return error->status;
    memset(block, 0, (size_t)size);
    int64_t *shape = block->numbers, *strides = block->numbers + info->rank;
    int64_t  step = 1;
    for (uint32_t i = info->rank; i-- > 0;) {
        shape[i]   = (int64_t)info->dims[i];
        strides[i] = step;
        if (info->size) /* else the product of the rest may be anything */
            step *= shape[i];
    }
    block->size                 = size;
    block->managed.context      = array;
    block->managed.deleter      = dl_delete;
    block->managed.tensor.data  = info->data;
    block->managed.tensor.rank  = (int32_t)info->rank;
    block->managed.tensor.shape = shape;
    block->managed.tensor.strides      = strides;
    block->managed.tensor.device.type  = DL_CPU;
    block->managed.tensor.dtype.code   = (uint8_t)code;
    block->managed.tensor.dtype.bits   = (uint8_t)(8 * tn_dtype_size(info->dtype));
    block->managed.tensor.dtype.lanes  = 1;
    tn_array_hold(array);
    *managed = &block->managed;
    return TN_OK;
}
