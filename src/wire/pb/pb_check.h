/*
 * pb_check.h - reports every place where bytes contradict their schema
 *
 * The check does not stop at a damaged message: it is reported with byte offset
 * and path, and the check continues after it, where it ends according to its
 * parent.
 */
#ifndef TN_WIRE_PB_CHECK_H
#define TN_WIRE_PB_CHECK_H

#include "base/report.h"
#include "wire/pb/pb_schema.h"
#include "wire/pb/pb_wire.h"

/* Rules: truncated-file, malformed-message, wrong-wire-type, too-deep, and as
 * warnings unknown-enum and not-utf8.  Bodies of bytes fields are not read. */
enum tn_status tn_pb_check(const struct tn_pb_message *type,
                           struct tn_span message, struct tn_report *report,
                           struct tn_error *error);

#endif
