/*
 * sink.h - where bytes go: the interface; the implementations are in `io`
 *
 * Splicing moves a range of a source by reference: a sink over a file lets the
 * kernel copy it and keeps holes; one over memory reads it in windows.
 */
#ifndef TN_BASE_SINK_H
#define TN_BASE_SINK_H

#include "base/byte_view.h"
#include "base/error.h"
#include "base/source.h"

struct tn_sink;

struct tn_sink_ops {
    enum tn_status (*write)(struct tn_sink *sink, struct tn_bytes bytes,
                            struct tn_error *error);
    /* NULL: tn_sink_splice reads windows and writes them. */
    enum tn_status (*splice)(struct tn_sink *sink, struct tn_span span,
                             struct tn_error *error);
    /* As `splice`, and passes the bytes to another sink, too.  NULL: that one
     * reads them itself. */
    enum tn_status (*show)(struct tn_sink *sink, struct tn_span span,
                           struct tn_sink *watcher, struct tn_error *error);
    /* Writes `count` zero bytes.  NULL: as ordinary bytes. */
    enum tn_status (*zeros)(struct tn_sink *sink, uint64_t count,
                            struct tn_error *error);
    /* Announces `count` bytes, so that space can be reserved.  NULL: no
     * need. */
    enum tn_status (*expect)(struct tn_sink *sink, uint64_t count,
                             struct tn_error *error);
    /* Overwrites the bytes that begin `back` before the end.  NULL: what was
     * written cannot change. */
    enum tn_status (*patch)(struct tn_sink *sink, uint64_t back,
                            struct tn_bytes bytes, struct tn_error *error);
    /* `gap` skips `count` bytes that are written later, by `fill`.  Both
     * functions exist or neither.  Several threads may fill at once, and while
     * one writes. */
    enum tn_status (*gap)(struct tn_sink *sink, uint64_t count,
                          struct tn_error *error);
    enum tn_status (*fill)(struct tn_sink *sink, uint64_t offset,
                           struct tn_bytes bytes, struct tn_error *error);
};

struct tn_sink {
    const struct tn_sink_ops *ops;
    uint64_t                  offset; /* bytes taken so far                   */
};

enum tn_status tn_sink_write(struct tn_sink *sink, struct tn_bytes bytes,
                             struct tn_error *error);
enum tn_status tn_sink_splice(struct tn_sink *sink, struct tn_span span,
                              struct tn_error *error);
enum tn_status tn_sink_zeros(struct tn_sink *sink, uint64_t count,
                             struct tn_error *error);

/* Splices into both, reading once if possible: for a checksum of what is
 * copied. */
enum tn_status tn_sink_show(struct tn_sink *sink, struct tn_span span,
                            struct tn_sink *watcher, struct tn_error *error);

/* A `splice` for sinks that look at bytes and keep none of them: mapped bytes
 * are passed to their `write` without a copy. */
enum tn_status tn_sink_look(struct tn_sink *sink, struct tn_span span,
                            struct tn_error *error);

/* Overwrites what begins `back` bytes before the end: for a checksum that is
 * stored before the bytes it covers.  INVALID unless tn_sink_can_patch(). */
enum tn_status tn_sink_patch(struct tn_sink *sink, uint64_t back,
                             struct tn_bytes bytes, struct tn_error *error);

/* Announces many writes that belong together.  Only a hint. */
static inline enum tn_status tn_sink_expect(struct tn_sink  *sink,
                                            uint64_t         count,
                                            struct tn_error *error)
{
    return sink->ops->expect ? sink->ops->expect(sink, count, error) : TN_OK;
}

static inline bool tn_sink_can_patch(const struct tn_sink *sink)
{
    return sink->ops->patch != NULL;
}

/* A gap may be filled by any thread, in any order, but completely before the
 * sink is finished.  `offset` is counted like the sink's own. */
enum tn_status tn_sink_gap(struct tn_sink *sink, uint64_t count,
                           struct tn_error *error);
enum tn_status tn_sink_fill(struct tn_sink *sink, uint64_t offset,
                            struct tn_bytes bytes, struct tn_error *error);

static inline bool tn_sink_can_fill(const struct tn_sink *sink)
{
    return sink->ops->fill != NULL;
}

#endif
