/*
 * fb_verify.h - verifies that a buffer is a FlatBuffer of a type
 *
 * Checks what the reader relies on: positions are inside and aligned, vtables
 * complete, fields inside their table, strings terminated, vectors inside; also
 * required fields, members of unions and nested buffers.  Bytes of scalar
 * vectors are not read: a vector costs the same whatever its length.
 *
 * Time is linear in the size: shared objects are walked once, and objects that
 * overlap, by which a small buffer could hold far more than its size, are
 * refused.  There is no limit on the number of tables.
 */
#ifndef TN_WIRE_FB_VERIFY_H
#define TN_WIRE_FB_VERIFY_H

#include "wire/fb/fb.h"
#include "wire/fb/fb_schema.h"

#define TN_FB_DEPTH_LIMIT 64

struct tn_fb_verify_options {
    uint32_t depth_limit; /* of tables in tables; 0: TN_FB_DEPTH_LIMIT        */
    /* A table in a vector may be a reference to the very end of the buffer:
     * Deeplearning4j's SDNB writer uses it as null. */
    bool allow_end_as_null;
};

struct tn_fb_verified {
    uint64_t nulls;      /* references to the end that were allowed           */
    uint64_t null_where; /* place in the source of the first                  */
};

/* The error has the byte in the source and the path from the root, such as
 * variables[3].ndarray.buffer.  `options` and `found` may be NULL. */
enum tn_status tn_fb_verify(struct tn_fb *fb, const struct tn_fb_object *root,
                            const struct tn_fb_verify_options *options,
                            struct tn_fb_verified             *found,
                            struct tn_memory                  *memory);

#endif
