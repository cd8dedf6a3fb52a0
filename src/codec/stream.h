/*
 * stream.h - packing and unpacking in portions, whatever the codec
 *
 * A stream transforms bytes: it is a packer or an unpacker of one codec.  A
 * filter is a sink in front of a stream: what is written to it goes through the
 * stream into a buffer or another sink.  So a rope can be packed and a span
 * unpacked through a window, however long they are.
 */
#ifndef TN_CODEC_STREAM_H
#define TN_CODEC_STREAM_H

#include "base/buffer.h"

struct tn_stream;

/* One portion.  A step advances both views by what it read and wrote. */
struct tn_flow {
    struct tn_bytes in;
    uint8_t        *out;
    size_t          room;
    bool            is_last; /* nothing comes after `in`                      */
    bool            is_done; /* set by the step: it has given everything      */
};

struct tn_stream_ops {
    /* Fails if an unpacker finds damage, or if memory runs out. */
    enum tn_status (*step)(struct tn_stream *stream, struct tn_flow *flow,
                           struct tn_error *error);
    void (*close)(struct tn_stream *stream);
};

struct tn_stream {
    const struct tn_stream_ops *ops;
    struct tn_memory           *memory;
    const char                 *name; /* of the codec, for messages           */
    uint64_t offset; /* of the packed bytes in the file, for messages         */
};

/* NULL is fine. */
void tn_stream_close(struct tn_stream *stream);

struct tn_filter {
    struct tn_sink    sink; /* first */
    struct tn_stream *stream;
    struct tn_buffer *to;     /* receives the bytes directly                  */
    struct tn_sink   *onward; /* or: receives them through a window           */
    uint8_t          *window;
    size_t            filled; /* of the window                                */
    uint64_t          most; /* more than that is refused                      */
    uint64_t          given;
    bool              is_done;
};

/* Both borrow everything.  `most` is how many bytes may come out. */
void tn_filter_to_buffer(struct tn_filter *filter, struct tn_stream *stream,
                         struct tn_buffer *to, uint64_t most);
void tn_filter_to_sink(struct tn_filter *filter, struct tn_stream *stream,
                       struct tn_sink *onward, uint64_t most);
void tn_filter_done(struct tn_filter *filter);

/* The last bytes.  Fails if the stream expects more. */
enum tn_status tn_filter_last(struct tn_filter *filter, struct tn_bytes bytes,
                              struct tn_error *error);

#endif
