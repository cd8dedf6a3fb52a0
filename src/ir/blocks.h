/*
 * blocks.h - elements that are stored in blocks: quantised, with scales
 *
 * A block holds some 32 to 256 elements of a row as small integers and what
 * they are multiplied by.  The types are those of ggml; a payload names one
 * (TN_ENCODING_BLOCKS), and its elements are float32.  Products and sums are
 * computed in float32 in the order that ggml has, so that results are the same
 * bit by bit.
 */
#ifndef TN_IR_BLOCKS_H
#define TN_IR_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* X(NAME, text, elements, bytes, layout).  The layout lists the numbers of a
 * block in order: how many bytes each has, and how many there are. */
#define TN_BLOCK_MAP(X)                                                        \
    X(Q4_0, "q4_0", 32, 18, 2, 1, 1, 16)                                       \
    X(Q4_1, "q4_1", 32, 20, 2, 2, 1, 16)                                       \
    X(Q5_0, "q5_0", 32, 22, 2, 1, 1, 20)                                       \
    X(Q5_1, "q5_1", 32, 24, 2, 2, 1, 20)                                       \
    X(Q8_0, "q8_0", 32, 34, 2, 1, 1, 32)                                       \
    X(Q8_1, "q8_1", 32, 36, 2, 2, 1, 32)                                       \
    X(Q2_K, "q2_K", 256, 84, 1, 80, 2, 2)                                      \
    X(Q3_K, "q3_K", 256, 110, 1, 108, 2, 1)                                    \
    X(Q4_K, "q4_K", 256, 144, 2, 2, 1, 140)                                    \
    X(Q5_K, "q5_K", 256, 176, 2, 2, 1, 172)                                    \
    X(Q6_K, "q6_K", 256, 210, 1, 208, 2, 1)                                    \
    X(Q8_K, "q8_K", 256, 292, 4, 1, 1, 256, 2, 16)                             \
    X(IQ2_XXS, "iq2_xxs", 256, 66, 2, 33)                                      \
    X(IQ2_XS, "iq2_xs", 256, 74, 2, 33, 1, 8)                                  \
    X(IQ2_S, "iq2_s", 256, 82, 2, 1, 1, 80)                                    \
    X(IQ3_XXS, "iq3_xxs", 256, 98, 2, 1, 1, 96)                                \
    X(IQ3_S, "iq3_s", 256, 110, 2, 1, 1, 108)                                  \
    X(IQ1_S, "iq1_s", 256, 50, 2, 1, 1, 32, 2, 8)                              \
    X(IQ1_M, "iq1_m", 256, 56, 1, 56)                                          \
    X(IQ4_NL, "iq4_nl", 32, 18, 2, 1, 1, 16)                                   \
    X(IQ4_XS, "iq4_xs", 256, 136, 2, 2, 1, 132)                                \
    X(TQ1_0, "tq1_0", 256, 54, 1, 52, 2, 1)                                    \
    X(TQ2_0, "tq2_0", 256, 66, 1, 64, 2, 1)                                    \
    X(MXFP4, "mxfp4", 32, 17, 1, 17)                                           \
    X(NVFP4, "nvfp4", 64, 36, 1, 36)                                           \
    X(Q1_0, "q1_0", 128, 18, 2, 1, 1, 16)                                      \
    X(Q2_0, "q2_0", 64, 18, 2, 1, 1, 16)

enum tn_block_kind {
#define X(name, ...) TN_BLOCK_##name,
    TN_BLOCK_MAP(X)
#undef X
    TN_BLOCK_COUNT
};

#define TN_BLOCK_ELEMENTS_MAX 256
#define TN_BLOCK_BYTES_MAX    292

struct tn_block_type {
    const char *name;     /* as ggml calls it                                 */
    uint16_t    elements; /* of a block                                       */
    uint16_t    bytes;
    uint16_t    layout[6]; /* pairs: bytes of a number, how many; until 0     */
};

/* NULL for a number that is not a kind. */
const struct tn_block_type *tn_block_type(unsigned kind);

/* The kind of that name, in any case; TN_BLOCK_COUNT: none. */
unsigned tn_block_find(const char *name);

/* The elements of `count` blocks. */
void tn_block_decode(unsigned kind, const uint8_t *blocks, size_t count,
                     float *to);

/* The same without vector instructions, for tests. */
void tn_block_decode_plainly(unsigned kind, const uint8_t *blocks, size_t count,
                             float *to);

/* Turns the numbers in the blocks around: big-endian to little-endian, or
 * back. */
void tn_block_reverse(unsigned kind, uint8_t *blocks, size_t count);

#endif
