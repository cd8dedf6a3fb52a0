/*
 * chunk_scalar.h - a number, an enum or a bool as a chunk of its own
 *
 *             text (what TensorFlow reads)   binary (as numpy's tobytes())
 *   bool      true, false                    one byte
 *   enum      the name of the value          4 bytes
 *   others    decimal                        4 or 8 bytes, little-endian
 *
 * The file does not record which form it has: the caller must know.
 */
#ifndef TN_CHUNK_SCALAR_H
#define TN_CHUNK_SCALAR_H

#include <tenon/chunk.h>

#include "base/source.h"
#include "wire/pb/pb_schema.h"

/* Bytes that a number takes at most, in either form. */
#define TN_SCALAR_LONGEST 400

/* The bits of the number (pb_rules.h) in a chunk.  MALFORMED if it is not a
 * value of the field.  Any text but "true" is a false bool, as TensorFlow reads
 * it. */
enum tn_status tn_scalar_read(const struct tn_pb_field_type *field,
                              enum tn_scalar_form form, struct tn_span chunk,
                              uint64_t *bits, struct tn_error *error);

/* For writers, whose chunks must be unambiguous.  INVALID if a merger would not
 * read it, or would read it differently from others. */
enum tn_status tn_scalar_check(const struct tn_pb_field_type *field,
                               enum tn_scalar_form form, struct tn_bytes chunk,
                               struct tn_error *error);

/* The chunk of a number; in the arena.  .data is NULL on failure. */
struct tn_bytes tn_scalar_make(const struct tn_pb_field_type *field,
                               enum tn_scalar_form form, uint64_t bits,
                               struct tn_arena *arena, struct tn_error *error);

#endif
