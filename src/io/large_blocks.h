/*
 * large_blocks.h - large blocks of memory that go back to the system at once
 *
 * malloc keeps freed blocks of up to 32 MiB for later requests.  A conversion
 * frees whole graphs and then needs blocks of other sizes for the next one: a
 * quarter of its memory was such free blocks.
 */
#ifndef TN_IO_LARGE_BLOCKS_H
#define TN_IO_LARGE_BLOCKS_H

#include <tenon/allocator.h>

/* Blocks of less than a megabyte come from malloc(). */
struct tn_allocator tn_large_blocks(void);

/* The same for a model, whose passes take and free tables of one size again and
 * again: such blocks are kept for the next pass, unless that would make the
 * peak higher.  Fresh pages cost more than clearing old ones.  `given` is NULL,
 * or the allocator to use, which may be that of another model.  Each call needs
 * one of tn_large_blocks_drop(), after the last block has been freed. */
struct tn_allocator tn_large_blocks_hold(const struct tn_allocator *given);
void                tn_large_blocks_drop(struct tn_allocator held);

#endif
