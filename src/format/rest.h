/*
 * rest.h - the fields of a protobuf message that a conversion leaves behind
 *
 * A conversion lists the fields that it uses, message by message; this walks
 * the whole message and reports every other field that has a value.  So fields
 * are reported even if nobody thought of them.
 *
 *   { "onnx.NodeProto", NULL, "input! output! op_type! attribute" }
 *
 * `!` means the field with everything in it; without it, the fields of that
 * message are examined one by one.  A message without a row counts as used
 * completely.
 */
#ifndef TN_FORMAT_REST_H
#define TN_FORMAT_REST_H

#include <tenon/verbs.h>

#include "base/memory.h"
#include "base/source.h"
#include "wire/pb/pb_builtin.h"

struct tn_rest_row {
    const char *message; /* full name; NULL ends the table                    */
    const char *within;  /* only if this field of the enclosing message holds
                            it; NULL: everywhere.  Such rows come first       */
    const char *fields;
};

struct tn_rest {
    enum tn_pb_builtin        schema;
    const char               *message; /* type of the message                 */
    const struct tn_rest_row *taken;
    const char               *path; /* of the message in its file, or ""      */
    tn_on_loss               *loss;
    void                     *loss_context;
};

/* Calls `loss` once for each field of each message type, with the first place
 * and the number of places in words.  Empty fields and zeros are not
 * reported. */
enum tn_status tn_rest_report(const struct tn_rest *rest,
                              struct tn_span message, struct tn_memory *memory,
                              struct tn_error *error);

#endif
