/*
 * riegeli_format.c - the format riegeli: records, as tensors of bytes
 *
 *   record[i]   uint8 [size]   in the order of the file
 *
 * A chunked message (.cpb) of a kind that no format has is such a file, too:
 * its records are the chunks, and the last one says what they make.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/arith.h"
#include "base/expand.h"
#include "format/riegeli/records.h"
#include "wire/pb/pb_wire.h"

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
    uint64_t           unpacked; /* bytes of all chunks, as they say          */
    uint64_t           simple, transposed, padding;
    uint64_t           packed[256]; /* chunks, by how they say it             */
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
        uint64_t size = tn_riegeli_chunk_size(chunk, i);
        add_record(o, source, at, size);
        at += size;
    }
}

/* RecordsMetadata: 1 file_comment, 2 record_type_name, 3 file_descriptor*,
 * 4 record_writer_options */
static void add_metadata(struct opening                *o,
                         const struct tn_riegeli_chunk *chunk)
{
    static const char *const names[] = { NULL, "metadata.file_comment",
                                         "metadata.record_type_name", NULL,
                                         "metadata.record_writer_options" };
    struct tn_error          own     = TN_ERROR_INIT;
    struct tn_pb_field       field;

    if (!tn_riegeli_chunk_count(chunk))
        return;
    struct tn_span   record = tn_riegeli_chunk_record(chunk, 0);
    struct tn_cursor c      = tn_cursor_span(record, &own);
    tn_model_add_fact_format(o->model, o->error, "metadata",
                             "%" PRIu64 " bytes", record.length);
    while (tn_pb_next(&c, &field))
        if (field.number <= 4 && names[field.number] &&
            field.type == TN_WIRE_LEN) {
            struct tn_bytes text =
                tn_bytes_dup(&o->model->arena, tn_pb_text(&field), o->error);
            tn_model_add_fact(o->model, names[field.number], text, o->error);
        }
    if (tn_call_ended(&own)) /* other problems are reported elsewhere */
        *o->error = own;
}

/* The sizes of records are packed, too; those of a simple chunk by themselves,
 * so that the records stay as they are. */
static enum tn_status add_chunk(struct opening                *o,
                                const struct tn_riegeli_frame *frame)
{
    struct tn_riegeli_chunk *chunk;

    TN_TRY(tn_riegeli_chunk_measure(&chunk, tn_records_file(o->records), frame,
                                    o->error));
    o->simple += frame->type == TN_RIEGELI_SIMPLE;
    o->transposed += frame->type == TN_RIEGELI_TRANSPOSED;
    o->padding += frame->type == TN_RIEGELI_PADDING;
    if (frame->record_count)
        o->packed[tn_riegeli_chunk_packing(chunk)]++;
    if (frame->type == TN_RIEGELI_METADATA)
        add_metadata(o, chunk);
    else
        add_records(o, frame, chunk);
    tn_riegeli_chunk_close(chunk);
    return o->error->status;
}

/* "brotli", or "none 2, brotli 5" when it is not the same everywhere. */
static void add_compression(struct opening *o)
{
    static const struct {
        uint8_t     type;
        const char *name;
    } kinds[]          = { { TN_RIEGELI_NONE, "none" },
                           { TN_RIEGELI_BROTLI, "brotli" },
                           { TN_RIEGELI_ZSTD, "zstd" },
                           { TN_RIEGELI_SNAPPY, "snappy" } };
    uint64_t all       = o->simple + o->transposed;
    char     text[160] = "";
    size_t   at        = 0;

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        uint64_t count = o->packed[kinds[i].type];
        if (count && count == all)
            at += (size_t)snprintf(text + at, sizeof text - at, "%s",
                                   kinds[i].name);
        else if (count)
            at += (size_t)snprintf(text + at, sizeof text - at, "%s%s %" PRIu64,
                                   at ? ", " : "", kinds[i].name, count);
    }
    if (at)
        tn_model_add_fact_format(o->model, o->error, "compression", "%s", text);
}

/* All chunks together, as their headers have it. */
static enum tn_status check_unpacked(struct opening                *o,
                                     const struct tn_riegeli_frame *frame,
                                     uint64_t                       most)
{
    if (!tn_add(o->unpacked, frame->decoded_size, &o->unpacked))
        o->unpacked = UINT64_MAX;
    if (o->unpacked <= most)
        return TN_OK;
    return tn_expand_refuse(o->unpacked, most, frame->begin, o->error);
}

static enum tn_status riegeli_open(struct tn_bundle *bundle,
                                   struct tn_model  *model,
                                   struct tn_error  *error)
{
    struct opening          o = { .model = model, .error = error };
    struct tn_riegeli_frame frame;

    if (!bundle->main)
        return tn_error_set(error, TN_MALFORMED, TN_NOWHERE,
                            "this is a folder, not a file of records");
    uint64_t most = tn_expand_most(bundle->max_expand, bundle->main->size);
    TN_TRY(tn_records_new(&o.records, bundle, error));
    for (uint64_t at = 0; at < bundle->main->size; at = frame.end) {
        TN_TRY(tn_riegeli_frame_read(tn_records_file(o.records), at, &frame,
                                     NULL, error));
        TN_TRY(check_unpacked(&o, &frame, most));
        TN_TRY(add_chunk(&o, &frame));
    }
    tn_model_add_fact_format(model, error, "records",
                             "%" PRIu64 " records, %" PRIu64
                             " bytes, in %" PRIu64 " bytes of file",
                             o.count, o.size, bundle->main->size);
    tn_model_add_fact_format(model, error, "chunks",
                             "%" PRIu64 " simple, %" PRIu64
                             " transposed, %" PRIu64 " padding",
                             o.simple, o.transposed, o.padding);
    add_compression(&o);
    return error->status;
}

/* ---- checking ------------------------------------------------------------ */

/* As a chunked message, when it is one of a kind that no format has; else all
 * its records. */
static enum tn_status riegeli_check(struct tn_bundle      *bundle,
                                    const struct tn_model *model,
                                    struct tn_report      *report,
                                    struct tn_error       *error)
{
    struct tn_error   own     = TN_ERROR_INIT;
    uint64_t          records = 0;
    struct tn_riegeli file;
    struct tn_cpb     cpb;

    (void)model;
    if (tn_cpb_open_in(&cpb, bundle, bundle->name, bundle->main, &own) ==
        TN_OK) {
        tn_cpb_check(&cpb, NULL, NULL, report, error);
        tn_cpb_close(&cpb);
    } else if (tn_machine_failed(&own)) {
        *error = own;
    } else if (tn_riegeli_open(&file, bundle->main, bundle->memory, error) ==
               TN_OK) {
        tn_records_check(&file, bundle->main->name, &records, report, error);
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

    .is_of_records = true,
};
