/*
 * arrow_write.h - tables as Arrow IPC, in the stream form and in the file form
 *
 *   message   ff ff ff ff, i32 size of the metadata, the metadata (a FlatBuffer,
 *             schemas/arrow.fbs), zeros to a multiple of 8; then the body: the
 *             buffers of a batch, each padded to a multiple of 8
 *   stream    the message of the schema, a message per batch of rows, and
 *             ff ff ff ff 00 00 00 00
 *   file      "ARROW1" 00 00, a stream, a footer (FlatBuffer) that has the
 *             schema again and the place of every batch, i32 size of the
 *             footer, "ARROW1"
 *
 * Numbers are little-endian.  Rows are added column by column and written in
 * batches; memory is that of one batch.  The same rows give the same bytes.
 */
#ifndef TN_ENGINE_ARROW_WRITE_H
#define TN_ENGINE_ARROW_WRITE_H

#include "base/buffer.h"

enum tn_arrow_type {
    TN_ARROW_TEXT,   /* utf8                                                  */
    TN_ARROW_UINT64,
    TN_ARROW_DOUBLE,
    TN_ARROW_UINT64_LIST,
};

struct tn_arrow_field {
    const char        *name;
    enum tn_arrow_type type; /* every column may have nulls                   */
};

struct tn_arrow_writer; /* yours to close */

/* Fields, sink and error are borrowed.  Sticky: after a failure calls do
 * nothing, and the error is checked at the end. */
enum tn_status tn_arrow_open(struct tn_arrow_writer **out,
                             struct tn_memory *memory, struct tn_sink *to,
                             const struct tn_arrow_field *fields,
                             uint32_t count, bool is_file,
                             struct tn_error *error);

/* The value of a column in the current row; columns without one are null.
 * Texts must be UTF-8. */
void tn_arrow_text(struct tn_arrow_writer *writer, uint32_t column,
                   struct tn_bytes text);
void tn_arrow_uint64(struct tn_arrow_writer *writer, uint32_t column,
                     uint64_t value);
void tn_arrow_double(struct tn_arrow_writer *writer, uint32_t column,
                     double value);
void tn_arrow_list(struct tn_arrow_writer *writer, uint32_t column,
                   const uint64_t *items, uint32_t count);

/* Ends the row. */
enum tn_status tn_arrow_end_row(struct tn_arrow_writer *writer);

/* Writes what is left, and the end. */
enum tn_status tn_arrow_finish(struct tn_arrow_writer *writer);

/* NULL is fine. */
void tn_arrow_close(struct tn_arrow_writer *writer);

#endif
