/*
 * large_blocks.h - large blocks of memory that go back to the system at once
 *
 * malloc keeps blocks of up to 32 MiB that were freed, in the hope that
 * somebody wants them again.  A conversion frees whole graphs when they have
 * served, and wants the next one in blocks of other sizes: a quarter of its
 * memory was such hope.
 */
#ifndef TN_IO_LARGE_BLOCKS_H
#define TN_IO_LARGE_BLOCKS_H

#include <tenon/allocator.h>

/* Blocks of less than a megabyte are malloc's. */
struct tn_allocator tn_large_blocks(void);

#endif
