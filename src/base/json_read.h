/*
 * json_read.h - pull reader for JSON, strict, with byte offsets
 *
 * Each call returns one event; all that is kept is a stack of open brackets,
 * one bit per level.  Text is returned unescaped.  Duplicate keys are left to
 * the caller.
 */
#ifndef TN_BASE_JSON_READ_H
#define TN_BASE_JSON_READ_H

#include "base/buffer.h"
#include "base/cursor.h"

#define TN_JSON_DEPTH_LIMIT 1000

enum tn_json_event {
    TN_JSON_END, /* after the one value of the text, and after a failure */
    TN_JSON_OBJECT_BEGIN,
    TN_JSON_OBJECT_END,
    TN_JSON_ARRAY_BEGIN,
    TN_JSON_ARRAY_END,
    TN_JSON_KEY,    /* text: the name; its value follows                      */
    TN_JSON_STRING, /* text                                                   */
    TN_JSON_NUMBER, /* text: as written                                       */
    TN_JSON_TRUE,
    TN_JSON_FALSE,
    TN_JSON_NULL,
};

struct tn_json_reader {
    struct tn_cursor  *cursor;
    struct tn_buffer   scratch; /* unescaped text                             */
    struct tn_bytes    text;    /* of the last event; valid until the next    */
    uint64_t           offset;  /* where the last event begins                */
    uint32_t           depth;
    uint8_t            state;
    uint8_t            stack[(TN_JSON_DEPTH_LIMIT + 7) / 8];
};

void tn_json_open(struct tn_json_reader *reader, struct tn_cursor *cursor,
                  struct tn_memory *memory);
void tn_json_close(struct tn_json_reader *reader);

/* Strict RFC 8259: UTF-8 and surrogate pairs checked, no trailing commas, no
 * comments, nothing after the value. */
enum tn_json_event tn_json_next(struct tn_json_reader *reader);

/* Takes the next event.  If it is another one than `wanted`, fails the cursor
 * with "WHAT was expected" and returns false. */
bool tn_json_expect(struct tn_json_reader *reader, enum tn_json_event wanted,
                    const char *what);

/* Steps over the value that comes next (after a KEY or inside an array). */
void tn_json_skip(struct tn_json_reader *reader);

/* The last NUMBER (or STRING, as protobuf's JSON allows) as a number.  Fails
 * the cursor at the event's offset if it is not a number or does not fit. */
int64_t  tn_json_int64(struct tn_json_reader *reader);
uint64_t tn_json_uint64(struct tn_json_reader *reader);
double   tn_json_double(struct tn_json_reader *reader);

#endif
