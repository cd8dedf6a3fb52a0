/* npz_testing.h - little zips of little arrays, for the tests and the fuzzer */
#ifndef TN_FORMAT_NPZ_TESTING_H
#define TN_FORMAT_NPZ_TESTING_H

#include <stdio.h>

#include "wire/zip/zip_write.h"

#define NPY_HEAD(descr, order, shape)                                          \
    "{'descr': " descr ", 'fortran_order': " order ", 'shape': " shape ", }\n"

/* Magic, dict, data. */
static inline void npz_put_array(struct tn_buffer *to, const char *dict,
                                 struct tn_bytes data)
{
    size_t size = strlen(dict);

    tn_buffer_add(to, tn_bytes("\x93NUMPY\1\0", 8));
    tn_buffer_byte(to, (uint8_t)size);
    tn_buffer_byte(to, (uint8_t)(size >> 8));
    tn_buffer_text(to, dict);
    tn_buffer_add(to, data);
}

/* One entry of a zip. */
static inline void npz_put_entry(struct tn_zip_writer *zip, const char *name,
                                 struct tn_bytes bytes, bool is_deflated)
{
    struct tn_arena arena;
    struct tn_rope  rope;

    tn_arena_init(&arena, zip->memory);
    tn_rope_init(&rope, &arena, zip->error);
    tn_rope_bytes(&rope, bytes);
    if (is_deflated)
        tn_zip_add_deflated(zip, tn_text(name), &rope, 0);
    else
        tn_zip_add(zip, tn_text(name), &rope);
    tn_rope_done(&rope);
    tn_arena_done(&arena);
}

#endif
