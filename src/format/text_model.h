/*
 * text_model.h - models written as protobuf text or JSON
 *
 * They are converted to binary, in an unnamed temporary file, and then opened
 * like any other model.
 */
#ifndef TN_FORMAT_TEXT_MODEL_H
#define TN_FORMAT_TEXT_MODEL_H

#include "io/bundle.h"
#include "wire/pb/pb_builtin.h"

/* Whether these bytes are text.  *word is the first name in it, such as "node"
 * or "irVersion", by which formats recognize their files. */
bool tn_is_text(struct tn_bytes head, struct tn_bytes *word);

/* How much is read to recognize a file. */
#define TN_TEXT_HEAD (64u << 10)

/* Where the text begins after comments that fill half of the head or more; 0 if
 * there are no such comments, if it is not text, or if the comments never
 * end. */
uint64_t tn_text_begin(struct tn_source *source, struct tn_error *error);

/* The first bytes from there on. */
struct tn_bytes tn_text_head(struct tn_source *source, struct tn_error *error);

/* Calls `each` with the name of every field at the root of a text or JSON
 * message, as far as the head shows them, until it returns false. */
void tn_text_roots(struct tn_bytes head,
                   bool (*each)(void *context, struct tn_bytes name),
                   void *context);

/* The source itself if it is binary; else its binary form, which belongs to the
 * bundle.  A text is parsed once, however often this is called: it is always
 * the same message, that of the format. */
enum tn_status tn_format_binary(struct tn_bundle  *bundle,
                                struct tn_source  *source,
                                enum tn_pb_builtin schema, const char *message,
                                struct tn_source **binary,
                                struct tn_error   *error);

#endif
