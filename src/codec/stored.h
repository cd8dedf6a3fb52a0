/*
 * stored.h - bytes that the library carries compressed
 *
 *   u32  size of the content
 *        the content, as one zstd frame
 *
 * rules/compile.c writes them while the library is built.
 */
#ifndef TN_CODEC_STORED_H
#define TN_CODEC_STORED_H

#include "base/memory.h"

/* The content, in the arena; .data is NULL on failure. */
struct tn_bytes tn_stored_read(struct tn_bytes stored, struct tn_arena *arena,
                               struct tn_error *error);

#endif
