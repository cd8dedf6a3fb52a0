/*
 * json_write.h - writes JSON, pretty or on one line, to a sink
 *
 * It takes care of commas, indentation and escapes; the caller says begin, key,
 * value, end.  Bytes that are not UTF-8 are written as U+FFFD, characters that
 * could control a terminal as escapes.
 */
#ifndef TN_BASE_JSON_WRITE_H
#define TN_BASE_JSON_WRITE_H

#include "base/byte_view.h"
#include "base/sink.h"

struct tn_json_writer {
    struct tn_sink  *to;
    struct tn_error *error; /* sticky */
    uint32_t         depth;
    bool             is_pretty;
    bool             has_items; /* at the current depth                       */
    bool             is_after_key;
};

void tn_json_writer_init(struct tn_json_writer *writer, struct tn_sink *to,
                         bool is_pretty, struct tn_error *error);
void tn_json_object_begin(struct tn_json_writer *writer);
void tn_json_object_end(struct tn_json_writer *writer);
void tn_json_array_begin(struct tn_json_writer *writer);
void tn_json_array_end(struct tn_json_writer *writer);
void tn_json_key(struct tn_json_writer *writer, const char *key);
void tn_json_key_bytes(struct tn_json_writer *writer, struct tn_bytes key);
void tn_json_string(struct tn_json_writer *writer, struct tn_bytes text);
void tn_json_text(struct tn_json_writer *writer, const char *text);
/* A string too long for memory: begin, pieces, end.  A piece must end at the
 * end of a character, or that character is replaced. */
void tn_json_string_begin(struct tn_json_writer *writer);
void tn_json_string_piece(struct tn_json_writer *writer, struct tn_bytes text);
void tn_json_string_end(struct tn_json_writer *writer);
void tn_json_put_int64(struct tn_json_writer *writer, int64_t value);
void tn_json_put_uint64(struct tn_json_writer *writer, uint64_t value);
void tn_json_put_double(struct tn_json_writer *writer, double value);
void tn_json_bool(struct tn_json_writer *writer, bool value);
void tn_json_null(struct tn_json_writer *writer);
/* Writes a character that needs an escape as it appears in a string: "\n",
 * "\u009b", "\udb40\udc01".  Returns the length. */
#define TN_JSON_ESCAPE 13
size_t tn_json_escape(char to[TN_JSON_ESCAPE], uint32_t code);
/* A value that is JSON already. */
void tn_json_raw(struct tn_json_writer *writer, struct tn_bytes json);

#endif
