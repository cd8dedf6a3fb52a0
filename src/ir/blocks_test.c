/* blocks_test.c - blocks against formulas, vectors against plain loops */
#include "ir/blocks.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/number.h"
#include "ir/payload.h"
#include "support/hostile.h"

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static void fill_random(uint8_t *bytes, size_t size, uint32_t seed)
{
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)next_random(&seed);
}

static void layouts_fill_their_blocks(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < TN_BLOCK_COUNT; kind++) {
        const struct tn_block_type *type = tn_block_type(kind);
        unsigned                    sum  = 0;
        for (unsigned i = 0; i < 6; i += 2)
            sum += type->layout[i] * type->layout[i + 1];
        assert_int_equal(sum, type->bytes);
        assert_true(type->bytes <= TN_BLOCK_BYTES_MAX);
        assert_true(type->elements <= TN_BLOCK_ELEMENTS_MAX);
        assert_int_equal(tn_block_find(type->name), kind);
    }
    assert_null(tn_block_type(TN_BLOCK_COUNT));
    assert_int_equal(tn_block_find("Q4_k"), TN_BLOCK_Q4_K);
    assert_int_equal(tn_block_find("q4"), TN_BLOCK_COUNT);
}

/* Bits are compared: NaN is equal to itself, and 0 is not -0. */
static void vectors_agree_with_plain_loops(void **state)
{
    enum { COUNT = 40 };
    static uint8_t  blocks[COUNT * TN_BLOCK_BYTES_MAX];
    static float    a[COUNT * TN_BLOCK_ELEMENTS_MAX];
    static float    b[COUNT * TN_BLOCK_ELEMENTS_MAX];

    (void)state;
    for (unsigned kind = 0; kind < TN_BLOCK_COUNT; kind++) {
        fill_random(blocks, sizeof blocks, kind + 1);
        tn_block_decode(kind, blocks, COUNT, a);
        tn_block_decode_plainly(kind, blocks, COUNT, b);
        size_t size = COUNT * tn_block_type(kind)->elements * sizeof(float);
        assert_memory_equal(a, b, size);
    }
}

/* One block of each of the small types, by hand. */
static void blocks_are_their_formulas(void **state)
{
    static const struct {
        unsigned    kind;
        const char *hex;
        unsigned    index;
        float       value;
    } rows[] = {
        /* d = 0.5 */
        { TN_BLOCK_Q4_0, "00 38 9f", 0, 3.5f },
        { TN_BLOCK_Q4_0, "00 38 9f", 16, 0.5f },
        { TN_BLOCK_Q4_0, "00 38 9f", 1, -4.0f },
        { TN_BLOCK_Q4_1, "00 38 00 3c 9f", 0, 8.5f },
        { TN_BLOCK_Q5_0, "00 38 01 00 00 80 9f", 0, 7.5f },
        { TN_BLOCK_Q5_0, "00 38 01 00 00 80 9f", 31, 0.0f },
        { TN_BLOCK_Q5_1, "00 38 00 3c 01 00 00 00 9f", 0, 16.5f },
        { TN_BLOCK_Q8_0, "00 38 81", 0, -63.5f },
        { TN_BLOCK_Q8_0, "01 00 01", 0, 0x1p-24f }, /* subnormal half */
        { TN_BLOCK_Q8_1, "00 38 00 00 02", 0, 1.0f },
        { TN_BLOCK_IQ4_NL, "00 3c 0f", 0, 113.0f },
        { TN_BLOCK_IQ4_NL, "00 3c 0f", 16, -127.0f },
        { TN_BLOCK_MXFP4, "80 17", 0, 12.0f },
        { TN_BLOCK_MXFP4, "80 17", 16, 1.0f },
        { TN_BLOCK_MXFP4, "00 01", 0, 0x1p-128f },
        { TN_BLOCK_NVFP4, "38 00 00 00 01", 0, 0.5f },
        { TN_BLOCK_NVFP4, "7f 00 00 00 01", 0, 0.0f },
        { TN_BLOCK_Q1_0, "00 3c 02", 0, -1.0f },
        { TN_BLOCK_Q1_0, "00 3c 02", 1, 1.0f },
        { TN_BLOCK_Q2_0, "00 3c 0e", 0, 1.0f },
        { TN_BLOCK_Q2_0, "00 3c 0e", 1, 2.0f },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint8_t         block[TN_BLOCK_BYTES_MAX] = { 0 };
        float           y[TN_BLOCK_ELEMENTS_MAX];
        struct tn_bytes bytes = tn_hex(rows[i].hex);
        memcpy(block, bytes.data, bytes.size);
        tn_block_decode(rows[i].kind, block, 1, y);
        if (tn_float_bits(y[rows[i].index]) != tn_float_bits(rows[i].value))
            fail_msg("row %zu: %g, not %g", i, (double)y[rows[i].index],
                     (double)rows[i].value);
        free((void *)(uintptr_t)bytes.data);
    }
}

static void numbers_turn_around_and_back(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < TN_BLOCK_COUNT; kind++) {
        uint8_t blocks[2 * TN_BLOCK_BYTES_MAX], before[sizeof blocks];
        fill_random(blocks, sizeof blocks, kind);
        memcpy(before, blocks, sizeof blocks);
        tn_block_reverse(kind, blocks, 2);
        if (tn_block_type(kind)->layout[0] == 2)
            assert_int_equal(blocks[0], before[1]);
        tn_block_reverse(kind, blocks, 2);
        assert_memory_equal(blocks, before, sizeof blocks);
    }
}

/* ---- as payloads ---------------------------------------------------------- */

/* Elements [first, first + count) of random blocks, as bytes. */
static struct tn_bytes stream(unsigned kind, bool is_big, struct tn_buffer *to,
                              uint64_t rows, uint64_t first, uint64_t count,
                              struct tn_memory *memory)
{
    const struct tn_block_type *type  = tn_block_type(kind);
    struct tn_error             error = TN_ERROR_INIT;
    uint64_t        dims[2] = { rows, 3u * type->elements };
    struct tn_shape shape   = { TN_FLOAT32, 2, dims };
    size_t          size    = (size_t)rows * 3 * type->bytes;
    uint8_t        *bytes   = malloc(size);
    struct tn_source source;

    assert_non_null(bytes);
    fill_random(bytes, size, 7);
    if (is_big)
        tn_block_reverse(kind, bytes, (size_t)rows * 3);
    tn_source_memory(&source, memory, tn_bytes(bytes, size));
    struct tn_elements elements = {
        shape, tn_payload_blocks(
                   &shape, (struct tn_span){ &source, 0, size }, kind, is_big)
    };
    tn_buffer_init(to, memory, &error);
    assert_int_equal(tn_payload_check(&elements, &error), TN_OK);
    assert_int_equal(tn_payload_stream(&elements, first, count, memory,
                                       &to->sink, &error),
                     TN_OK);
    elements.payload.span.length--;
    assert_int_equal(tn_payload_check(&elements, &error), TN_MALFORMED);
    error           = (struct tn_error)TN_ERROR_INIT;
    dims[1]         = 3u * type->elements - 1;
    assert_int_equal(tn_payload_check(&elements, &error), TN_MALFORMED);
    tn_source_close(&source);
    free(bytes);
    return tn_buffer_bytes(to);
}

/* From any element on, across windows, of both byte orders. */
static void payloads_stream_from_anywhere(void **state)
{
    static const unsigned kinds[] = { TN_BLOCK_Q8_0, TN_BLOCK_Q6_K,
                                      TN_BLOCK_IQ2_XXS, TN_BLOCK_Q8_K };
    struct tn_memory      memory;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    for (unsigned i = 0; i < 4; i++) {
        uint64_t rows = 70, row = 3u * tn_block_type(kinds[i])->elements;
        uint64_t count = rows * row;
        struct tn_buffer all, part;
        stream(kinds[i], false, &all, rows, 0, count, &memory);
        assert_int_equal(all.size, count * 4);
        for (unsigned is_big = 0; is_big < 2; is_big++) {
            uint64_t first = row + 17, n = count - first - 5;
            stream(kinds[i], is_big, &part, rows, first, n, &memory);
            assert_int_equal(part.size, n * 4);
            assert_memory_equal(part.data, all.data + first * 4, part.size);
            tn_buffer_done(&part);
        }
        tn_buffer_done(&all);
    }
    assert_int_equal(memory.used, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layouts_fill_their_blocks),
        cmocka_unit_test(vectors_agree_with_plain_loops),
        cmocka_unit_test(blocks_are_their_formulas),
        cmocka_unit_test(numbers_turn_around_and_back),
        cmocka_unit_test(payloads_stream_from_anywhere),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
