/*
 * npz_array.c - one array of numpy's as a tensor
 *
 *   little-endian, C order        raw
 *   little-endian, Fortran order  first axis fastest
 *   big-endian                    raw, big-endian; in Fortran order the same
 *                                 with its axes reversed, seen through a view
 *   S                             strings, padded with zeros
 *   U                             the same, over a source that makes UTF-8
 */
#include <inttypes.h>

#include "base/arith.h"
#include "format/npz/npz.h"
#include "wire/npy/npy_text.h"

/* ---- where the elements lie --------------------------------------------- */

static struct tn_payload payload_of(const struct tn_npy   *npy,
                                    const struct tn_shape *shape)
{
    struct tn_payload payload = tn_payload_raw(shape, npy->data, 1);

    if (npy->dtype == TN_STRING) {
        payload.encoding =
            npy->item_size ? TN_ENCODING_PADDED : TN_ENCODING_NONE;
        payload.field = (uint32_t)npy->item_size;
    } else if (npy->is_big_endian && tn_dtype_size(npy->dtype) > 1) {
        payload.encoding = TN_ENCODING_RAW_BIG;
    }
    return payload;
}

/* Axes reversed: C order of the reversed shape is Fortran order of this. */
static enum tn_status reverse(const struct tn_npy *npy, struct tn_arena *arena,
                              struct tn_elements *elements,
                              struct tn_error    *error)
{
    uint32_t            rank  = npy->rank;
    struct tn_elements *input = tn_new(arena, struct tn_elements, 1, error);
    uint64_t           *dims  = tn_new(arena, uint64_t, rank, error);
    uint32_t           *axes  = tn_new(arena, uint32_t, rank, error);
    struct tn_view     *view  = tn_new(arena, struct tn_view, 1, error);

    if (!input || !dims || !axes || !view)
        return error->status;
    for (uint32_t i = 0; i < rank; i++) {
        dims[i] = npy->dims[rank - 1 - i];
        axes[i] = rank - 1 - i;
    }
    input->shape   = (struct tn_shape){ npy->dtype, rank, dims };
    input->payload = payload_of(npy, &input->shape);
    *view          = (struct tn_view){
                 .kind = TN_VIEW_PERMUTE, .inputs = input, .input_count = 1, .axes = axes
    };
    elements->payload =
        (struct tn_payload){ .encoding = TN_ENCODING_VIEW, .view = view };
    return TN_OK;
}

static enum tn_status place(const struct tn_npy *npy, struct tn_arena *arena,
                            struct tn_elements *elements,
                            struct tn_error    *error)
{
    bool is_plain = npy->dtype != TN_STRING &&
                    (!npy->is_big_endian || tn_dtype_size(npy->dtype) == 1);

    elements->payload = payload_of(npy, &elements->shape);
    if (!npy->is_fortran || npy->rank < 2 ||
        elements->payload.encoding == TN_ENCODING_NONE)
        return TN_OK;
    if (!is_plain)
        return reverse(npy, arena, elements, error);
    elements->payload.encoding = TN_ENCODING_FORTRAN;
    return TN_OK;
}

/* ---- text --------------------------------------------------------------- */

static enum tn_status open_text(struct tn_bundle *bundle, struct tn_npy *npy,
                                struct tn_error *error)
{
    struct tn_source *text;
    uint64_t          limit = npy->is_utf32 ? TN_NPY_TEXT_LIMIT : UINT32_MAX;

    if (npy->item_size > limit)
        return tn_error_set(error, TN_UNSUPPORTED, TN_NOWHERE,
                            "strings of %" PRIu64 " bytes each, limit %" PRIu64,
                            npy->item_size, limit);
    if (!npy->is_utf32 || npy->item_size == 0)
        return TN_OK;
    TN_TRY(tn_npy_text_source(&text, npy->data, (uint32_t)npy->item_size,
                              npy->is_big_endian, bundle->memory, error));
    npy->data = (struct tn_span){ text, 0, npy->data.length };
    return tn_bundle_keep(bundle, text, error);
}

enum tn_status tn_npz_array(struct tn_bundle *bundle, struct tn_arena *arena,
                            struct tn_source   *source,
                            struct tn_elements *elements,
                            struct tn_error    *error)
{
    struct tn_cursor c =
        tn_cursor_span((struct tn_span){ source, 0, source->size }, error);
    struct tn_npy npy;

    TN_TRY(tn_npy_read(&c, &npy));
    if (tn_more(&c))
        tn_fail(&c, TN_MALFORMED, "%" PRIu64 " bytes after the array",
                tn_left(&c));
    uint64_t *dims = tn_new(arena, uint64_t, npy.rank, error);
    if (tn_failed(error))
        return error->status;
    if (npy.rank)
        memcpy(dims, npy.dims, npy.rank * sizeof *dims);
    elements->shape = (struct tn_shape){ npy.dtype, npy.rank, dims };
    if (npy.dtype == TN_STRING)
        TN_TRY(open_text(bundle, &npy, error));
    return place(&npy, arena, elements, error);
}
