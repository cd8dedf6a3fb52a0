/*
 * pb_merge.h - merges messages and writes them in canonical form
 *
 * In protobuf, concatenating the bytes of messages merges them: the last scalar
 * counts, messages merge, repeated fields append, a oneof keeps its last
 * member, a map the last entry of a key.  tn_pb_normalize() applies these rules
 * and writes the result as `protoc --encode` would:
 *
 *   fields ascending by number, numbers in their shortest form, repeated
 *   numbers packed or not as the schema says, zeros of fields without presence
 *   left out, map entries as they come, with key and value both written;
 *   unknown fields last, in their order.
 */
#ifndef TN_WIRE_PB_MERGE_H
#define TN_WIRE_PB_MERGE_H

#include "base/rope.h"
#include "wire/pb/pb_message.h"

/* Appends the message to the rope.  Whatever is already canonical is taken by
 * reference, also whole messages: payloads are neither read nor copied, and a
 * canonical file of any size becomes a single piece. */
enum tn_status tn_pb_normalize(const struct tn_pb_view *view,
                               struct tn_rope          *to);

/* The same with the entries of every map ascending by key: what protobuf calls
 * its deterministic serialization, of which fingerprints are taken. */
enum tn_status tn_pb_normalize_sorted(const struct tn_pb_view *view,
                                      struct tn_rope          *to);

#endif
