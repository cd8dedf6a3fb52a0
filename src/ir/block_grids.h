/*
 * block_grids.h - the grids that some types of blocks take their elements from
 *
 * Constants of ggml.  An entry is a list of indices into the values that its
 * type has, lowest bits first: eight of two bits for the types iq1 and iq2
 * (-1, 0, 1, and 8, 25, 43), four of three bits for the types iq3.
 */
#ifndef TN_IR_BLOCK_GRIDS_H
#define TN_IR_BLOCK_GRIDS_H

#include <stdint.h>

extern const uint16_t tn_iq2xxs_grid[256];
extern const uint16_t tn_iq2xs_grid[512];
extern const uint16_t tn_iq2s_grid[1024];
extern const uint16_t tn_iq3xxs_grid[256];
extern const uint16_t tn_iq3s_grid[512];
extern const uint16_t tn_iq1s_grid[2048];

#endif
