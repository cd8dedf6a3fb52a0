/*
 * pb_base64.h - base64 as protobuf's JSON reads it
 *
 * Both alphabets (+/ and -_), with padding or without.
 */
#ifndef TN_WIRE_PB_BASE64_H
#define TN_WIRE_PB_BASE64_H

#include "base/byte_view.h"
#include "base/error.h"
#include "base/sink.h"

/* The length of the decoded bytes; false if the text is not base64: then *bad
 * is the first wrong byte. */
bool tn_base64_size(struct tn_bytes text, uint64_t *size, size_t *bad);

/* Decodes text that tn_base64_size() accepted. */
enum tn_status tn_base64_decode(struct tn_bytes text, struct tn_sink *to,
                                struct tn_error *error);

#endif
