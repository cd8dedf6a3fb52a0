/*
 * riegeli_format.c - the format riegeli: records, as tensors of bytes
 *
 *   record[i]   uint8 [size]   in the order of the file
 *
 * A chunked message (.cpb) of a kind that no format has is such a file, too:
 * its records are the chunks, and the last one says what they make.
 */
#include <inttypes.h>

#include "base/arith.h"
#include "format/riegeli/records.h"

/* The signature of 64 bytes leaves nothing to doubt. */
#define SURE 512

static int riegeli_probe(const struct tn_probe *probe)
{
    return !probe->entries && tn_cpb_probe(probe->head) ? SURE : 0;
}

/* ---- opening ------------------------------------------------------------- */

struct opening {
    struct tn_model   *model;
    struct tn_records *records;
    struct tn_error   *error;
    uint64_t           count; /* records so far                               */
    uint64_t           size;  /* of them                                      */
    uint64_t           simple, transposed, padding;
};

static void add_record(struct opening *o, struct tn_source *source,
                       uint64_t offset, uint64_t size)
{
    struct tn_model  *model = o->model;
    uint64_t         *dims  = tn_new(&model->arena, uint64_t, 1, o->error);
    const char       *name  = tn_text_format(&model->arena, o->error,
                                             "record[%" PRIu64 "]", o->count);
    struct tn_tensor *row =
        dims && name ? tn_model_add_tensor(model, o->error) : NULL;

    if (!row)
        return;
    dims[0]    = size;
    row->role  = TN_ROLE_STATE;
    row->name  = tn_intern_borrow(&model->names, tn_text(name), o->error);
    row->graph = row->node = row->part = TN_NONE;
    row->slot             = (uint32_t)tn_min(o->count, TN_NONE - 1);
    row->wire             = (struct tn_span){ source, offset, size };
    row->elements.shape   = (struct tn_shape){ TN_UINT8, 1, dims };
    row->elements.payload = tn_payload_raw(&row->elements.shape, row->wire, 1);
    o->count++;
    o->size += size;
}

static void add_records(struct opening *o, const struct tn_riegeli_frame *frame,
                        const struct tn_riegeli_chunk *chunk)
{
    uint64_t          count = tn_riegeli_chunk_count(chunk);
    uint64_t          at    = 0;
    struct tn_source *source;

    if (count == 0 ||
        tn_records_source(o->records, frame->begin, frame->decoded_size,
                          &source, o->error) != TN_OK)
        return;
    for (uint64_t i = 0; i < count && !tn_failed(o->error); i++) {
        uint64_t size = tn_riegeli_chunk_record(chunk, i).length;
        add_record(o, source, at, size);
        at += size;
    }
}

static void add_metadata(struct opening                *o,
                         const struct tn_riegeli_chunk *chunk)
{
    if (tn_riegeli_chunk_count(chunk))
        tn_model_add_fact_format(o->model, o->error, "metadata",
                                 "%" PRIu64 " bytes",
                                 tn_riegeli_chunk_record(chunk, 0).length);
}

/* Unpacks it, which verifies every hash: sizes of records are packed, too. */
static enum tn_status add_chunk(struct opening                *o,
                                const struct tn_riegeli_frame *frame)
{
    struct tn_riegeli_chunk *chunk;

    TN_TRY(tn_riegeli_chunk_open(&chunk, tn_records_file(o->records), frame,
                                 NULL, o->error));
    o->simple += frame->type == TN_RIEGELI_SIMPLE;
    o->transposed += frame->type == TN_RIEGELI_TRANSPOSED;
    o->padding += frame->type == TN_RIEGELI_PADDING;
    if (frame->type == TN_RIEGELI_METADATA)
        add_metadata(o, chunk);
    else
        add_records(o, frame, chunk);
    tn_riegeli_chunk_close(chunk);
    return o->error->status;
}

static enum tn_status riegeli_open(struct tn_bundle *bundle,
                                   struct tn_model  *model,
                                   struct tn_error  *error)
{
    struct opening          o = { .model = model, .error = error };
    struct tn_riegeli_frame frame;

    if (!bundle->main)
        return tn_error_set(error, TN_MALFORMED, TN_NOWHERE,
                            "a folder is no file of records");
    TN_TRY(tn_records_new(&o.records, bundle, error));
    for (uint64_t at = 0; at < bundle->main->size; at = frame.end) {
        TN_TRY(tn_riegeli_frame_read(tn_records_file(o.records), at, &frame,
                                     NULL, error));
        TN_TRY(add_chunk(&o, &frame));
    }
    tn_model_add_fact_format(model, error, "records",
                             "%" PRIu64 " records, %" PRIu64 " bytes", o.count,
                             o.size);
    tn_model_add_fact_format(model, error, "chunks",
                             "%" PRIu64 " simple, %" PRIu64
                             " transposed, %" PRIu64 " padding",
                             o.simple, o.transposed, o.padding);
    return error->status;
}

/* ---- checking ------------------------------------------------------------ */

/* Opening has verified all hashes; what is left is what the records are. */
static enum tn_status riegeli_check(struct tn_bundle      *bundle,
                                    const struct tn_model *model,
                                    struct tn_report      *report,
                                    struct tn_error       *error)
{
    struct tn_error own = TN_ERROR_INIT;
    struct tn_cpb   cpb;

    (void)model;
    if (tn_cpb_open_in(&cpb, bundle, bundle->name, bundle->main, &own) ==
        TN_OK) {
        tn_cpb_check(&cpb, NULL, NULL, report, error);
        tn_cpb_close(&cpb);
    } else if (own.status == TN_NO_MEMORY || own.status == TN_IO) {
        *error = own;
    } else {
        report->bytes_verified += bundle->main->size;
    }
    return error->status;
}

const struct tn_format tn_format_riegeli = {
    .name     = "riegeli",
    .title    = "Riegeli records",
    .dialect  = "",
    .suffixes = (const char *const[]){ ".riegeli", ".cpb", NULL },
    .probe    = riegeli_probe,
    .open     = riegeli_open,
    .check    = riegeli_check,
};
