/*
 * chunk_scalar.h - a number, an enum or a bool as a chunk of its own
 *
 *               text (what TensorFlow reads)   binary (what numpy's tobytes()
 * is) bool        true, false                    one byte enum        the name
 * of the value          4 bytes others      decimal                        4 or
 * 8 bytes, little-endian
 *
 * A file does not say which of the two it has: callers do.
 */
#ifndef TN_CHUNK_SCALAR_H
#define TN_CHUNK_SCALAR_H

#include <tenon/chunk.h>

#include "base/source.h"
#include "wire/pb/pb_schema.h"

/* The bits of the number (pb_rules.h) that a chunk is.  MALFORMED when it is no
 * value of the field.  Any text but "true" is a false bool, as TensorFlow reads
 * it. */
enum tn_status tn_scalar_read(const struct tn_pb_field_type *field,
                              enum tn_scalar_form form, struct tn_span chunk,
                              uint64_t *bits, struct tn_error *error);

/* For writers, who must not leave it to the reader what was meant.  INVALID
 * when a merger would not read it, or not as everybody else. */
enum tn_status tn_scalar_check(const struct tn_pb_field_type *field,
                               enum tn_scalar_form form, struct tn_bytes chunk,
                               struct tn_error *error);

/* The chunk of a number; in the arena.  .data is NULL on failure. */
struct tn_bytes tn_scalar_make(const struct tn_pb_field_type *field,
                               enum tn_scalar_form form, uint64_t bits,
                               struct tn_arena *arena, struct tn_error *error);

#endif
