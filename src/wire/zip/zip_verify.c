/*
 * zip_verify.c - every checksum of a zip, on several threads
 *
 * A stored entry is cut into pieces, so that one large tensor keeps all
 * threads busy: checksums of neighbours can be joined.  A deflated one can
 * only be unpacked from its begin.
 */
#include "base/arith.h"
#include "codec/crc32.h"
#include "io/workers.h"
#include "wire/zip/zip_records.h"
#include "wire/zip/zip_sum.h"

#define PIECE_SIZE (UINT64_C(16) << 20)

struct piece {
    const struct tn_zip_entry *entry;
    struct tn_span             span;
    uint32_t                   crc;
    bool                       is_wrong; /* could not be read or unpacked     */
};

struct verifying {
    const struct tn_zip *zip;
    struct tn_list       pieces;
};

static enum tn_status cut(struct verifying *v, const struct tn_zip_entry *e,
                          struct tn_error *error)
{
    struct tn_span left = tn_zip_span(v->zip, e);

    do {
        struct piece *piece = tn_list_push(&v->pieces, struct piece, error);
        if (!piece)
            return error->status;
        *piece = (struct piece){ .entry = e, .span = left };
        if (e->method == TN_ZIP_STORED)
            piece->span.length = tn_min(left.length, PIECE_SIZE);
        left.offset += piece->span.length;
        left.length -= piece->span.length;
    } while (left.length);
    return TN_OK;
}

/* What is wrong with a piece is told later, in order. */
static enum tn_status sum_piece(void *context, uint64_t index,
                                struct tn_error *error)
{
    struct verifying *v     = context;
    struct piece     *piece = tn_list_at(&v->pieces, struct piece, index);
    struct tn_error   inner = TN_ERROR_INIT;
    struct zip_sum    sum;

    if (piece->entry->method == TN_ZIP_STORED) {
        zip_sum_init(&sum, NULL, v->zip->memory);
        tn_sink_splice(&sum.sink, piece->span, &inner);
        piece->crc = sum.crc;
    } else {
        tn_zip_stream(v->zip, piece->entry, NULL, &inner);
        piece->crc = piece->entry->crc;
    }
    piece->is_wrong = tn_failed(&inner);
    if (zip_is_final(&inner))
        *error = inner;
    return error->status;
}

/* The pieces of the entry that begins at `first`; *next is behind them. */
static enum tn_status judge(struct verifying *v, uint64_t first, uint64_t *next,
                            struct tn_error *error)
{
    const struct tn_zip_entry *e =
        tn_list_at(&v->pieces, struct piece, first)->entry;
    uint32_t crc      = 0;
    bool     is_wrong = false;
    uint64_t i        = first;

    for (; i < v->pieces.count; i++) {
        const struct piece *p = tn_list_at(&v->pieces, struct piece, i);
        if (p->entry != e)
            break;
        is_wrong |= p->is_wrong;
        crc = i == first ? p->crc : tn_crc32_join(crc, p->crc, p->span.length);
    }
    *next = i;
    if (!is_wrong && crc == e->crc)
        return TN_OK;
    if (is_wrong) /* once more, for the words */
        return tn_zip_stream(v->zip, e, NULL, error);
    tn_error_set(error, TN_MALFORMED, e->data_offset,
                 "crc %08" PRIx32 ", the directory says %08" PRIx32, crc,
                 e->crc);
    tn_zip_blame(e, error);
    return error->status;
}

static enum tn_status tell(struct verifying *v, struct tn_report *report,
                           struct tn_error *error)
{
    for (uint64_t i = 0, next = 0; i < v->pieces.count; i = next) {
        struct tn_error inner = TN_ERROR_INIT;
        uint64_t size = tn_list_at(&v->pieces, struct piece, i)->entry->size;
        judge(v, i, &next, &inner);
        if (report)
            report->bytes_verified += size;
        if (!tn_failed(&inner))
            continue;
        if (!report) {
            *error = inner;
            return error->status;
        }
        tn_report_add(report, TN_LEVEL_ERROR, "zip-crc", &inner);
        if (report->is_stopped)
            break;
    }
    return error->status;
}

enum tn_status tn_zip_verify(const struct tn_zip *zip, unsigned workers,
                             struct tn_report *report, struct tn_error *error)
{
    struct verifying v = { .zip = zip };

    tn_list_init(&v.pieces, zip->memory, sizeof(struct piece));
    for (uint64_t i = 0; i < tn_zip_count(zip) && !tn_failed(error); i++)
        cut(&v, tn_zip_in_order(zip, i), error);
    if (!tn_failed(error))
        tn_workers_run(workers, v.pieces.count, sum_piece, &v, error);
    if (!tn_failed(error))
        tell(&v, report, error);
    tn_list_done(&v.pieces);
    return error->status;
}
