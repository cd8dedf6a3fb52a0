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

/* How many bytes the text stands for; false when it is no base64, and then
 * *bad is the first byte that is wrong. */
bool tn_base64_size(struct tn_bytes text, uint64_t *size, size_t *bad);

/* Decodes text that tn_base64_size() accepted. */
enum tn_status tn_base64_decode(struct tn_bytes text, struct tn_sink *to,
                                struct tn_error *error);

#endif
