/*
 * fb_json_write.h - any FlatBuffer as JSON, as flatc --strict-json prints it
 *
 * Fields that are present, in the order of their slots; enums by name, flags
 * as names with spaces between; a union's type before the union; a buffer in a
 * buffer as an object.  Other than flatc's, floats have all the digits that
 * matter, and "nan", "inf" and "-inf" are strings, which flatc reads too.
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

/* Of a buffer that is verified.  The error's offset is in the source, its path
 * from the root.  What many places share is printed for each of them; TN_LIMIT
 * when that makes far more than the buffer. */
enum tn_status tn_fb_json_write(struct tn_fb                    *fb,
                                const struct tn_fb_object       *root,
                                const struct tn_fb_json_options *options,
                                struct tn_sink *to, struct tn_memory *memory);

#endif
