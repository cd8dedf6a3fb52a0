/* zip_source.c - the bytes of an entry: loaded, streamed, or as a source */
#include <pthread.h>

#include "base/arith.h"
#include "base/watch.h"
#include "codec/crc32.h"
#include "codec/deflate.h"
#include "io/file_source.h"
#include "io/relay.h"
#include "io/spool.h"
#include "io/workers.h"
#include "wire/zip/zip_records.h"
#include "wire/zip/zip_write.h"

/* A deflated entry up to this is unpacked at once and kept. */
#define MOST_KEPT (UINT64_C(16) << 20)

#define WINDOW_SIZE ((size_t)64 << 10)

static enum tn_status compare_crc(const struct tn_zip_entry *e, uint32_t found,
                                  struct tn_error *error)
{
    if (found == e->crc)
        return TN_OK;
    tn_error_set(error, TN_MALFORMED, e->data_offset,
                 "crc %08" PRIx32 ", the directory says %08" PRIx32, found,
                 e->crc);
    tn_zip_where(e, error);
    return error->status;
}

/* ---- streamed ----------------------------------------------------------- */

static enum tn_status stream_packed(struct tn_source          *source,
                                    const struct tn_zip_entry *e,
                                    struct zip_sum *sum, struct tn_error *error)
{
    struct tn_span    packed = { source, e->data_offset, e->packed_size };
    struct tn_stream *stream;
    struct tn_filter  filter;

    TN_TRY(tn_deflate_unpacker(&stream, sum->memory, e->data_offset, error));
    tn_filter_to_sink(&filter, stream, &sum->sink, e->size);
    if (tn_sink_splice(&filter.sink, packed, error) == TN_OK)
        tn_filter_last(&filter, tn_bytes(NULL, 0), error);
    if (!tn_failed(error) && filter.given != e->size)
        tn_error_set(error, TN_MALFORMED, e->data_offset,
                     "deflate gives %" PRIu64 " of %" PRIu64 " bytes",
                     filter.given, e->size);
    tn_filter_done(&filter);
    tn_stream_close(stream);
    return error->status;
}

static enum tn_status stream_entry(struct tn_source          *source,
                                   struct tn_memory          *memory,
                                   const struct tn_zip_entry *e,
                                   struct tn_sink *to, struct tn_error *error)
{
    struct tn_span stored = { source, e->data_offset, e->packed_size };
    struct zip_sum sum;

    tn_zip_sum_init(&sum, to, memory);
    if (e->method == TN_ZIP_STORED)
        tn_sink_splice(&sum.sink, stored, error);
    else
        stream_packed(source, e, &sum, error);
    if (!tn_failed(error))
        return compare_crc(e, sum.crc, error);
    tn_zip_where(e, error);
    return error->status;
}

enum tn_status tn_zip_stream(const struct tn_zip       *zip,
                             const struct tn_zip_entry *entry,
                             struct tn_sink *to, struct tn_error *error)
{
    return stream_entry(zip->source, zip->memory, entry, to, error);
}

/* ---- loaded ------------------------------------------------------------- */

static enum tn_status decode(struct tn_source          *source,
                             const struct tn_zip_entry *e, struct tn_buffer *to,
                             struct tn_error *error)
{
    struct tn_error  failure = TN_ERROR_INIT;
    struct tn_buffer copy;
    struct tn_bytes  packed = tn_bytes(NULL, (size_t)e->packed_size);

    tn_buffer_init(&copy, to->memory, &failure);
    if (source->map) {
        packed.data = source->map + e->data_offset;
    } else {
        uint8_t *room = tn_buffer_room(&copy, packed.size ? packed.size : 1);
        if (!room)
            *error = failure;
        else
            tn_source_read(source, e->data_offset, room, packed.size, error);
        packed.data = room;
    }
    if (!tn_failed(error))
        tn_deflate_decode(packed, e->data_offset, e->size, to, error);
    tn_buffer_done(&copy);
    return error->status;
}

static enum tn_status load_bytes(struct tn_source          *source,
                                 const struct tn_zip_entry *e,
                                 struct tn_buffer *to, struct tn_error *error)
{
    size_t begin = to->size, size = (size_t)e->size;

    if (e->method == TN_ZIP_DEFLATED) {
        decode(source, e, to, error);
    } else {
        uint8_t *room = tn_buffer_room(to, size ? size : 1);
        if (!room && to->error != error)
            *error = *to->error;
        if (room &&
            tn_source_read(source, e->data_offset, room, size, error) == TN_OK)
            to->size += size;
    }
    if (!tn_failed(error))
        return compare_crc(e, tn_crc32(0, to->data + begin, size), error);
    tn_zip_where(e, error);
    return error->status;
}

enum tn_status tn_zip_load(const struct tn_zip       *zip,
                           const struct tn_zip_entry *entry, uint64_t most,
                           struct tn_buffer *to, struct tn_error *error)
{
    if (entry->size > most || entry->size > SIZE_MAX) {
        tn_error_set(error, TN_LIMIT, entry->offset,
                     "%" PRIu64 " bytes, limit %" PRIu64, entry->size, most);
        tn_zip_where(entry, error);
        return error->status;
    }
    return load_bytes(zip->source, entry, to, error);
}

/* ---- a view of a stored entry ------------------------------------------- */

struct view_source {
    struct tn_source  source; /* first */
    struct tn_source *outer;
    uint64_t          begin;
    uint64_t          block_size;
};

static enum tn_status view_read_at(struct tn_source *source, uint64_t offset,
                                   void *to, size_t size,
                                   struct tn_error *error)
{
    struct view_source *view = (struct view_source *)source;

    return tn_source_read(view->outer, view->begin + offset, to, size, error);
}

static void view_close(struct tn_source *source)
{
    struct view_source *view = (struct view_source *)source;

    tn_memory_free(source->memory, view, view->block_size);
}

static uint64_t view_run(struct tn_source *source, uint64_t offset,
                         uint64_t length, bool *is_hole)
{
    struct view_source *view = (struct view_source *)source;

    *is_hole = false;
    if (!view->outer->extent)
        return length;
    return view->outer->extent(view->outer, view->begin + offset, length,
                               is_hole);
}

/* A source of `size` bytes with the entry's name after it. */
static void *new_source(const struct tn_zip *zip, const struct tn_zip_entry *e,
                        size_t size, struct tn_error *error)
{
    uint8_t *block =
        tn_memory_resize(zip->memory, NULL, 0, size + e->name.size + 1, error);

    if (!block)
        return NULL;
    memset(block, 0, size);
    memcpy(block + size, e->name.data, e->name.size);
    block[size + e->name.size] = '\0';
    struct tn_source *source   = (struct tn_source *)block;
    source->name               = (const char *)block + size;
    source->size               = e->size;
    source->memory             = zip->memory;
    tn_arena_init(&source->pins, zip->memory);
    return source;
}

static enum tn_status open_view(const struct tn_zip       *zip,
                                const struct tn_zip_entry *e,
                                struct tn_source         **source,
                                struct tn_error           *error)
{
    static const struct tn_source_ops ops = { view_read_at, view_close };
    struct view_source *view = new_source(zip, e, sizeof *view, error);

    if (!view)
        return error->status;
    view->block_size    = sizeof *view + e->name.size + 1;
    view->outer         = zip->source;
    view->begin         = e->data_offset;
    view->source.ops    = &ops;
    view->source.extent = view_run;
    if (zip->source->map)
        view->source.map = zip->source->map + e->data_offset;
    *source = &view->source;
    return TN_OK;
}

/* ---- a deflated entry --------------------------------------------------- */

struct packed_source {
    struct tn_source    source; /* first */
    struct tn_source   *outer;
    struct tn_zip_entry entry;
    uint64_t            block_size;
    pthread_mutex_t     lock; /* for what follows                             */
    struct tn_error     failure;
    struct tn_buffer    kept;
    bool                is_kept;
    struct tn_source   *spooled;  /* NULL: not yet                            */
    struct tn_stream   *stream;   /* NULL: not begun                          */
    uint8_t            *window;   /* packed bytes                             */
    struct tn_bytes     in;       /* of them, not yet unpacked                */
    uint64_t            taken;    /* of the packed size, into the window      */
    uint64_t            position; /* of the unpacked bytes                    */
    uint32_t            crc;
};

static enum tn_status begin_unpacking(struct packed_source *p,
                                      struct tn_error      *error)
{
    if (p->stream)
        return TN_OK;
    p->window = tn_memory_resize(p->source.memory, NULL, 0, WINDOW_SIZE, error);
    if (!p->window)
        return error->status;
    return tn_deflate_unpacker(&p->stream, p->source.memory,
                               p->entry.data_offset, error);
}

static enum tn_status refill(struct packed_source *p, struct tn_error *error)
{
    size_t size = (size_t)tn_min(p->entry.packed_size - p->taken, WINDOW_SIZE);

    if (p->in.size || size == 0)
        return TN_OK;
    TN_TRY(tn_source_read(p->outer, p->entry.data_offset + p->taken, p->window,
                          size, error));
    p->in = tn_bytes(p->window, size);
    p->taken += size;
    return TN_OK;
}

/* Unpacks at least one more byte, at most `size`; or, with size 0, reads the
 * end. */
static enum tn_status unpack_some(struct packed_source *p, uint8_t *to,
                                  size_t size, size_t *got,
                                  struct tn_error *error)
{
    uint8_t        beyond[1];
    struct tn_flow flow = { .out  = size ? to : beyond,
                            .room = size ? size : 1 };

    do {
        TN_TRY(refill(p, error));
        flow.in      = p->in;
        flow.is_last = p->taken == p->entry.packed_size;
        size_t room  = flow.room;
        size_t left  = flow.in.size;
        TN_TRY(p->stream->ops->step(p->stream, &flow, error));
        p->in = flow.in;
        *got  = room - flow.room;
        if (flow.is_done && size == 0 && *got == 0 && flow.is_last &&
            p->in.size == 0)
            return TN_OK;
        if (flow.is_done || (size == 0 && *got) ||
            (*got == 0 && flow.is_last && flow.in.size == left))
            break;
    } while (*got == 0);
    if (*got && size)
        return TN_OK;
    return tn_error_set(error, TN_MALFORMED, p->entry.data_offset,
                        "deflate does not end with its %" PRIu64 " bytes",
                        p->entry.size);
}

static enum tn_status unpack(struct packed_source *p, uint8_t *to, size_t size,
                             struct tn_error *error)
{
    size_t got = 0;

    for (; size; to += got, size -= got) {
        TN_TRY(tn_watch_poll(p->source.memory, error));
        TN_TRY(unpack_some(p, to, size, &got, error));
        p->crc = tn_crc32(p->crc, to, got);
        p->position += got;
    }
    if (p->position < p->entry.size)
        return TN_OK;
    TN_TRY(unpack_some(p, NULL, 0, &got, error));
    return compare_crc(&p->entry, p->crc, error);
}

/* Skips up to the place where the read begins. */
static enum tn_status skip_to(struct packed_source *p, uint64_t offset,
                              struct tn_error *error)
{
    uint8_t window[4096];

    while (p->position < offset)
        TN_TRY(unpack(p, window,
                      (size_t)tn_min(offset - p->position, sizeof window),
                      error));
    return TN_OK;
}

static enum tn_status spool(struct packed_source *p, struct tn_error *error)
{
    struct tn_spool to;

    TN_TRY(tn_spool_open(&to, p->source.memory, error));
    if (stream_entry(p->outer, p->source.memory, &p->entry, &to.sink, error) ==
        TN_OK)
        return tn_spool_finish(&to, &p->spooled, p->source.name, error);
    tn_spool_drop(&to);
    return error->status;
}

static enum tn_status read_large(struct packed_source *p, uint64_t offset,
                                 void *to, size_t size, struct tn_error *error)
{
    if (!p->spooled && offset < p->position)
        TN_TRY(spool(p, error));
    if (p->spooled)
        return tn_source_read(p->spooled, offset, to, size, error);
    TN_TRY(begin_unpacking(p, error));
    TN_TRY(skip_to(p, offset, error));
    return unpack(p, to, size, error);
}

static enum tn_status read_small(struct packed_source *p, uint64_t offset,
                                 void *to, size_t size, struct tn_error *error)
{
    if (!p->is_kept)
        TN_TRY(load_bytes(p->outer, &p->entry, &p->kept, error));
    p->is_kept = true;
    memcpy(to, p->kept.data + offset, size);
    return TN_OK;
}

/* A failure stays: a second read must not begin in the middle of the damage. */
static enum tn_status packed_read_at(struct tn_source *source, uint64_t offset,
                                     void *to, size_t size,
                                     struct tn_error *error)
{
    struct packed_source *p      = (struct packed_source *)source;
    struct tn_error       result = TN_ERROR_INIT;

    pthread_mutex_lock(&p->lock);
    result = p->failure;
    if (!tn_failed(&result) && p->entry.size <= MOST_KEPT)
        read_small(p, offset, to, size, &result);
    else if (!tn_failed(&result))
        read_large(p, offset, to, size, &result);
    if (result.status == TN_MALFORMED)
        p->failure = result;
    pthread_mutex_unlock(&p->lock);
    if (tn_failed(&result) && !tn_failed(error))
        *error = result;
    return result.status;
}

static void packed_close(struct tn_source *source)
{
    struct packed_source *p = (struct packed_source *)source;

    tn_buffer_done(&p->kept);
    tn_source_close(p->spooled);
    tn_stream_close(p->stream);
    tn_memory_free(source->memory, p->window, WINDOW_SIZE);
    pthread_mutex_destroy(&p->lock);
    tn_memory_free(source->memory, p, p->block_size);
}

static enum tn_status open_packed(const struct tn_zip       *zip,
                                  const struct tn_zip_entry *e,
                                  struct tn_source         **source,
                                  struct tn_error           *error)
{
    static const struct tn_source_ops ops = { packed_read_at, packed_close };
    struct packed_source             *p = new_source(zip, e, sizeof *p, error);

    if (!p)
        return error->status;
    if (pthread_mutex_init(&p->lock, NULL) != 0) {
        tn_memory_free(zip->memory, p, sizeof *p + e->name.size + 1);
        return tn_error_set(error, TN_NO_MEMORY, TN_NOWHERE, "no lock");
    }
    p->block_size = sizeof *p + e->name.size + 1;
    p->outer      = zip->source;
    p->entry      = *e;
    p->entry.name = tn_bytes(p->source.name, e->name.size);
    p->failure    = (struct tn_error)TN_ERROR_INIT;
    p->source.ops = &ops;
    tn_buffer_init(&p->kept, zip->memory, &p->failure);
    *source = &p->source;
    return TN_OK;
}

enum tn_status tn_zip_source(const struct tn_zip       *zip,
                             const struct tn_zip_entry *entry,
                             struct tn_source **source, struct tn_error *error)
{
    *source = NULL;
    return entry->method == TN_ZIP_STORED
               ? open_view(zip, entry, source, error)
               : open_packed(zip, entry, source, error);
}

/* ---- a sink that takes the checksum of what passes ---------------------- */

/*
 * Ranges of files are read once for both.  Holes stay holes: their checksum is
 * a matter of arithmetic.
 */

/* Less than that goes through the stack. */
#define SMALL ((size_t)16 << 10)

static enum tn_status sum_write(struct tn_sink *sink, struct tn_bytes bytes,
                                struct tn_error *error)
{
    struct zip_sum *sum = (struct zip_sum *)sink;

    sum->crc = tn_crc32(sum->crc, bytes.data, bytes.size);
    return sum->to ? tn_sink_write(sum->to, bytes, error) : TN_OK;
}

static enum tn_status sum_zeros(struct tn_sink *sink, uint64_t count,
                                struct tn_error *error)
{
    struct zip_sum *sum = (struct zip_sum *)sink;

    sum->crc = tn_crc32_zeros(sum->crc, count);
    return sum->to ? tn_sink_zeros(sum->to, count, error) : TN_OK;
}

static enum tn_status pass_small(struct zip_sum *sum, struct tn_span span,
                                 struct tn_error *error)
{
    uint8_t window[SMALL];
    size_t  size = (size_t)span.length;

    TN_TRY(tn_source_read(span.source, span.offset, window, size, error));
    return sum_write(&sum->sink, tn_bytes(window, size), error);
}

struct passing {
    struct zip_sum *sum;
    struct tn_span  left;
};

static enum tn_status read_window(void *context, uint8_t *window, size_t size,
                                  struct tn_error *error)
{
    struct passing *passing = context;
    struct tn_span *left    = &passing->left;

    TN_TRY(tn_source_read(left->source, left->offset, window, size, error));
    passing->sum->crc = tn_crc32(passing->sum->crc, window, size);
    left->offset += size;
    left->length -= size;
    return TN_OK;
}

/* Memory that does not belong to a file is used in place. */
static enum tn_status pass_data(struct zip_sum *sum, struct tn_span span,
                                struct tn_error *error)
{
    struct passing passing = { sum, span };

    if (span.source->map && tn_source_descriptor(span.source) < 0)
        return sum_write(
            &sum->sink,
            tn_bytes(span.source->map + span.offset, (size_t)span.length),
            error);
    if (span.length <= SMALL)
        return pass_small(sum, span, error);
    return tn_relay(span.length, sum->to, read_window, &passing, sum->memory,
                    error);
}

static enum tn_status sum_splice(struct tn_sink *sink, struct tn_span span,
                                 struct tn_error *error)
{
    struct zip_sum *sum = (struct zip_sum *)sink;

    while (span.length) {
        struct tn_span part    = span;
        bool           is_hole = false;
        if (span.source->extent)
            part.length = span.source->extent(span.source, span.offset,
                                              span.length, &is_hole);
        if (is_hole)
            TN_TRY(sum_zeros(sink, part.length, error));
        else
            TN_TRY(pass_data(sum, part, error));
        span.offset += part.length;
        span.length -= part.length;
    }
    return TN_OK;
}

static const struct tn_sink_ops sum_ops = {
    .write  = sum_write,
    .splice = sum_splice,
    .zeros  = sum_zeros,
};

void tn_zip_sum_init(struct zip_sum *sum, struct tn_sink *to,
                     struct tn_memory *memory)
{
    *sum = (struct zip_sum){ .sink   = { .ops = &sum_ops },
                             .to     = to,
                             .memory = memory };
}

/* ---- every checksum of a zip, on several threads ------------------------ */

/*
 * A stored entry is cut into pieces, so that one large tensor keeps all
 * threads busy: checksums of neighbours can be joined.  A deflated one can
 * only be unpacked from its begin.
 */

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

/* What is wrong with a piece is reported later, in order. */
static enum tn_status sum_piece(void *context, uint64_t index,
                                struct tn_error *error)
{
    struct verifying *v     = context;
    struct piece     *piece = tn_list_at(&v->pieces, struct piece, index);
    struct tn_error   inner = TN_ERROR_INIT;
    struct zip_sum    sum;

    if (piece->entry->method == TN_ZIP_STORED) {
        tn_zip_sum_init(&sum, NULL, v->zip->memory);
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

/* The pieces of the entry that begins at `first`; *next is after them. */
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
    if (is_wrong) /* again, for the message */
        return tn_zip_stream(v->zip, e, NULL, error);
    tn_error_set(error, TN_MALFORMED, e->data_offset,
                 "crc %08" PRIx32 ", the directory says %08" PRIx32, crc,
                 e->crc);
    tn_zip_where(e, error);
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
