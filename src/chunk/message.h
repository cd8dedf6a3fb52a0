/*
 * message.h - the structs behind message and schema handles
 *
 * A message is a source and a type.  The source may be a file, bytes or chunks;
 * the code that created it sets `close`, which releases what belongs to it.
 */
#ifndef TN_CHUNK_MESSAGE_H
#define TN_CHUNK_MESSAGE_H

#include <tenon/chunk.h>

#include "base/rope.h"
#include "io/bundle.h"
#include "io/meter.h"
#include "wire/pb/pb_schema.h"

struct tn_schema {
    struct tn_memory    memory;
    struct tn_arena     arena;
    struct tn_pb_schema types;
};

struct tn_message {
    struct tn_memory            memory;
    struct tn_arena             arena;
    const struct tn_pb_schema  *schema;
    const struct tn_pb_message *type;   /* NULL: bytes of a field             */
    struct tn_source           *source; /* NULL until it is set               */
    void (*close)(struct tn_message *message); /* NULL: closes the source     */
    /* Writes the message in its own way; NULL: the source is copied. */
    enum tn_status (*write)(struct tn_message    *message,
                            const struct tn_rope *pieces, struct tn_sink *to,
                            struct tn_error *error);
    void            *more;
    const char      *warning; /* from the merge; NULL: none                  */
    struct tn_source plain; /* over bytes                                    */
    struct tn_bundle files; /* of a message in a file                        */
    struct tn_meter *meter; /* of writing it; NULL: none                     */
    struct tn_meter  own_meter; /* for the question in its options          */
    unsigned         workers; /* for bulk work; 0: one per core              */
    uint64_t max_expand; /* bytes that may be written; 0: no limit           */
};

/* A new handle with a budget; the caller sets its source.  NOT_FOUND if the
 * schema has no such type. */
enum tn_status tn_message_new(struct tn_message     **out,
                              const struct tn_schema *schema, const char *type,
                              const struct tn_options *options,
                              struct tn_error         *error);

static inline struct tn_span tn_message_span(const struct tn_message *message)
{
    return (struct tn_span){ message->source, 0, message->source->size };
}

#endif
