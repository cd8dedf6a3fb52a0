/*
 * stored.h - compressed bytes inside the library
 *
 *   u32  size of the content
 *   u32  count of blocks
 *        for each block: u32 where it ends in the content, u32 stored bytes
 *        the blocks, each a zstd frame
 *
 * rules/compile.c writes them while the library is built.
 */
#ifndef TN_CODEC_STORED_H
#define TN_CODEC_STORED_H

#include "base/memory.h"
#include "base/pack.h"

/* As rules/compile.c writes it, with room for the content, which all threads
 * share and which stays until the process ends. */
struct tn_stored {
    const unsigned char   *bytes;
    size_t                 size;
    unsigned char         *content;
    _Atomic unsigned char *is_there; /* of each block                        */
};

/* The content; .data is NULL on failure.  Each block is unpacked when one of
 * `*blocks` is first asked for bytes of it. */
struct tn_bytes tn_stored_open(const struct tn_stored *stored,
                               struct tn_arena        *arena,
                               struct tn_pack_blocks **blocks,
                               struct tn_error        *error);

/* All of a content that is rarely needed, in the arena. */
struct tn_bytes tn_stored_read(struct tn_bytes stored, struct tn_arena *arena,
                               struct tn_error *error);

#endif
