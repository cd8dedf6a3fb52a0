/*
 * pb_assemble.h - the bytes of a message whose fields come in any order
 *
 * Used by the readers of text and JSON.  Fields are added in any order and are
 * written as protobuf writes them: ascending by number, packed ones together,
 * unknown ones at the end, zeros of fields without presence left out, map
 * entries with key and value.
 *
 * Small parts are in memory; a large payload is a producer that runs when the
 * result is written.
 */
#ifndef TN_WIRE_PB_ASSEMBLE_H
#define TN_WIRE_PB_ASSEMBLE_H

#include "base/buffer.h"
#include "base/rope.h"
#include "wire/pb/pb_schema.h"
#include "wire/pb/pb_wire.h"

/* A message that is being filled. */
struct tn_pb_frame {
    const struct tn_pb_message *type;  /* NULL: unknown fields only           */
    struct tn_buffer            bytes; /* encoded fields, in the order in which
                                          they were added                     */
    struct tn_list series;  /* struct tn_pb_series, of `bytes`        */
    struct tn_list outside; /* producers and where they belong   */
    uint64_t       outside_length;
    struct tn_list counts; /* uint64_t by field: how many so far */
};

struct tn_pb_assembly {
    struct tn_arena   *arena;
    struct tn_error   *error; /* sticky: after a failure adding does nothing  */
    unsigned           depth; /* frames in use                                */
    unsigned           ready; /* frames that have been initialised            */
    struct tn_pb_frame frames[TN_PB_DEPTH_LIMIT + 1];
};

/* The arena must outlive the rope that tn_pb_finish() fills. */
void tn_pb_assembly_init(struct tn_pb_assembly *a, struct tn_arena *arena,
                         struct tn_error *error);
void tn_pb_assembly_done(struct tn_pb_assembly *a);

/* Begins a message inside the current one (the first: the message itself).
 * False if that is too deep, with TN_LIMIT at `offset`, or if memory runs
 * out. */
bool tn_pb_begin(struct tn_pb_assembly *a, const struct tn_pb_message *type,
                 uint64_t offset);

/* Ends it: it becomes a value of `field` of the enclosing message. */
void tn_pb_end(struct tn_pb_assembly *a, const struct tn_pb_field_type *field);
/* The same for a field known by number only, as a group or with a length. */
void tn_pb_end_unknown(struct tn_pb_assembly *a, uint32_t number,
                       bool is_group);
/* Ends the outermost message: its bytes go to the rope. */
void tn_pb_finish(struct tn_pb_assembly *a, struct tn_rope *to);

/* How many values this field of the current message has so far. */
uint64_t tn_pb_count(const struct tn_pb_assembly   *a,
                     const struct tn_pb_field_type *field);

/* Another member of the field's oneof that is already set, or NULL. */
const struct tn_pb_field_type *tn_pb_other_member(
    const struct tn_pb_assembly *a, const struct tn_pb_field_type *field);

/* One value (pb_rules.h says what `value` holds), packed if the schema says
 * so. */
void tn_pb_add_number(struct tn_pb_assembly         *a,
                      const struct tn_pb_field_type *field, uint64_t value);
void tn_pb_add_blob(struct tn_pb_assembly         *a,
                    const struct tn_pb_field_type *field,
                    struct tn_bytes                bytes);
void tn_pb_add_producer(struct tn_pb_assembly         *a,
                        const struct tn_pb_field_type *field,
                        const struct tn_producer      *producer);

/* Fields known by number only: VARINT, FIXED32 or FIXED64 bits; LEN bodies. */
void tn_pb_add_unknown(struct tn_pb_assembly *a, uint32_t number,
                       enum tn_wire_type type, uint64_t bits);
void tn_pb_add_unknown_blob(struct tn_pb_assembly *a, uint32_t number,
                            struct tn_bytes bytes);
void tn_pb_add_unknown_producer(struct tn_pb_assembly *a, uint32_t number,
                                const struct tn_producer *producer);

#endif
