/*
 * fb_json_write.h - any FlatBuffer as JSON, as flatc --strict-json prints it
 *
 * Prints fields that are present, in the order of their slots; enums by name,
 * flags as names separated by spaces; a union's type before the union; a nested
 * buffer as an object.  Unlike flatc's, floats have all significant digits, and
 * "nan", "inf" and "-inf" are strings, which flatc reads, too.
 *
 * Not printed: fields and members that the schema does not know, and bytes of
 * strings that are not UTF-8.  A strict dump is refused at the first of them.
 */
#ifndef TN_WIRE_FB_JSON_WRITE_H
#define TN_WIRE_FB_JSON_WRITE_H

#include "base/sink.h"
#include "wire/fb/fb.h"
#include "wire/fb/fb_schema.h"

struct tn_fb_json_options {
    bool is_pretty;
    bool is_strict; /* refuse what fb_json_read could not give back */
};

/* The buffer must have been verified.  The error's offset is in the source, its
 * path begins at the root.  An object that several places share is printed for
 * each of them; TN_LIMIT if the output becomes far larger than the buffer. */
enum tn_status tn_fb_json_write(struct tn_fb                    *fb,
                                const struct tn_fb_object       *root,
                                const struct tn_fb_json_options *options,
                                struct tn_sink *to, struct tn_memory *memory);

#endif
