/*
 * fb_json_read.h - a FlatBuffer from JSON: what fb_json_write and flatc print
 *
 * Accepts enums by name, with or without the name of the enum, or by number;
 * flags as names separated by spaces; numbers also as strings; null for an
 * absent field; a union's type before or after the union; a nested buffer as an
 * object or as its bytes.  Unknown and duplicate keys are refused.  A field
 * with its default value is not written, as with flatc.
 */
#ifndef TN_WIRE_FB_JSON_READ_H
#define TN_WIRE_FB_JSON_READ_H

#include "base/rope.h"
#include "wire/fb/fb_schema.h"

/* Appends the buffer to the rope, whose arena keeps it; with the identifier of
 * the schema when `root` is its root.  The error's offset is the byte in the
 * text, its path the field. */
enum tn_status tn_fb_json_read(const struct tn_fb_schema *schema,
                               const struct tn_fb_object *root,
                               struct tn_span text, struct tn_rope *to,
                               struct tn_error *error);

#endif
