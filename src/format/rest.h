/*
 * rest.h - the fields of a protobuf message that a conversion leaves behind
 *
 * A conversion lists the fields that it uses, message by message; this walks
 * the whole message and reports every other field that has a value.  So fields
 * that were not thought of are reported, and only listed ones can be forgotten.
 *
 *   { "onnx.NodeProto", NULL, "input! output! op_type! attribute" }
 *
 * `!` takes the field with everything in it; without it, the fields of a
 * message are looked at one by one.  A message without a row is taken whole.
 */
#ifndef TN_FORMAT_REST_H
#define TN_FORMAT_REST_H

#include <tenon/verbs.h>

#include "base/memory.h"
#include "base/source.h"
#include "wire/pb/pb_builtin.h"

struct tn_rest_row {
    const char *message; /* full name; NULL ends the table                    */
    const char *within;  /* only where this field of the message around holds
                            it; NULL: everywhere.  Such rows stand first      */
    const char *fields;
};

struct tn_rest {
    enum tn_pb_builtin        schema;
    const char               *message; /* what the bytes are                  */
    const struct tn_rest_row *taken;
    const char               *path; /* of the message in its file, or ""      */
    tn_on_loss               *loss;
    void                     *loss_context;
};

/* One call of `loss` for each field of each message type: the first place, and
 * in words how often.  Fields that hold zero or nothing are not told. */
enum tn_status tn_rest_tell(const struct tn_rest *rest, struct tn_span message,
                            struct tn_memory *memory, struct tn_error *error);

#endif
