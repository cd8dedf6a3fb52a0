/* pickled.c - where the elements of a pickled numpy array are */
#include "format/pickled.h"

#include "wire/pickle/pickle_latin1.h"

static struct tn_span data_of(const struct tn_pickle_array *array,
                              struct tn_bundle *bundle, struct tn_error *error)
{
    struct tn_source *bytes;

    if (!tn_pickle_is_encoded(&array->data) || array->size == 0)
        return (struct tn_span){ array->data.span.source,
                                 array->data.span.offset, array->size };
    if (tn_pickle_latin1(&bytes, &array->data, array->size, bundle->memory, error) != TN_OK ||
        tn_bundle_keep(bundle, bytes, error) != TN_OK)
        return (struct tn_span){ NULL, 0, 0 };
    return (struct tn_span){ bytes, 0, array->size };
}

static struct tn_payload payload_of(const struct tn_pickle_array *array,
                                    const struct tn_shape        *shape,
                                    struct tn_span                data)
{
    struct tn_payload payload = tn_payload_raw(shape, data, 1);

    if (array->is_big_endian && tn_dtype_size(shape->dtype) > 1)
        payload.encoding = TN_ENCODING_RAW_BIG;
    return payload;
}

/* Big-endian and column by column: C order of the reversed shape, turned. */
static struct tn_payload turned(const struct tn_pickle_array *array,
                                struct tn_span data, struct tn_arena *arena,
                                struct tn_error *error)
{
    uint32_t            rank  = array->rank;
    struct tn_elements *input = tn_new(arena, struct tn_elements, 1, error);
    uint64_t           *dims  = tn_new(arena, uint64_t, rank, error);
    uint32_t           *axes  = tn_new(arena, uint32_t, rank, error);
    struct tn_view     *view  = tn_new(arena, struct tn_view, 1, error);

    if (!input || !dims || !axes || !view)
        return (struct tn_payload){ .encoding = TN_ENCODING_NONE };
    for (uint32_t i = 0; i < rank; i++) {
        dims[i] = array->dims[rank - 1 - i];
        axes[i] = rank - 1 - i;
    }
    input->shape   = (struct tn_shape){ array->dtype, rank, dims };
    input->payload = payload_of(array, &input->shape, data);
    *view          = (struct tn_view){
                 .kind = TN_VIEW_PERMUTE, .inputs = input, .input_count = 1, .axes = axes
    };
    return (struct tn_payload){ .encoding = TN_ENCODING_VIEW, .view = view };
}

enum tn_status tn_pickled_elements(const struct tn_pickle_array *array,
                                   struct tn_bundle             *bundle,
                                   struct tn_arena              *arena,
                                   struct tn_elements           *elements,
                                   struct tn_error              *error)
{
    struct tn_span data = data_of(array, bundle, error);

    elements->shape =
        (struct tn_shape){ array->dtype, array->rank, array->dims };
    elements->payload = payload_of(array, &elements->shape, data);
    if (!array->is_fortran || array->rank < 2)
        return error->status;
    if (elements->payload.encoding == TN_ENCODING_RAW_BIG)
        elements->payload = turned(array, data, arena, error);
    else
        elements->payload.encoding = TN_ENCODING_FORTRAN;
    return error->status;
}
