/* block_encode_test.c - quantising: bit by bit as the reference does it */
#include "ir/block_encode.h"

#include <math.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/number.h"
#include "support/hostile.h"

static const unsigned kinds[] = { TN_BLOCK_Q4_0, TN_BLOCK_Q4_1, TN_BLOCK_Q5_0,
                                  TN_BLOCK_Q5_1, TN_BLOCK_Q8_0 };

/* Elements i * step + from. */
static void fill(float *x, float from, float step)
{
    for (unsigned i = 0; i < 32; i++)
        x[i] = from + step * (float)i;
}

static void blocks_are_those_of_the_reference(void **state)
{
    static const struct {
        unsigned    kind;
        float       from, step;
        const char *hex; /* the first bytes */
    } rows[] = {
        /* all zero: no scale, and the code of zero */
        { TN_BLOCK_Q4_0, 0, 0, "00 80 88" },
        { TN_BLOCK_Q4_1, 0, 0, "00 00 00 00 00" },
        { TN_BLOCK_Q5_0, 0, 0, "00 80 ff ff ff ff 00" },
        { TN_BLOCK_Q8_0, 0, 0, "00 00 00 00" },
        /* 0 .. 31: d = 31 / -8 = -3.875 */
        { TN_BLOCK_Q4_0, 0, 1, "c0 c3 48 48 37" },
        /* the scale is 31 / 15, rounded to a half */
        { TN_BLOCK_Q4_1, 0, 1, "22 40 00 00 80 80 91" },
        /* the scale is 1: a fifth bit from element 16 on */
        { TN_BLOCK_Q5_1, 0, 1, "00 3c 00 00 00 00 ff ff 00 11 22" },
        /* -127 .. 28: d is 1, of the element of the largest magnitude */
        { TN_BLOCK_Q8_0, -127, 5, "00 3c 81 86 8b" },
        /* halves are rounded away from zero: d = 2 */
        { TN_BLOCK_Q8_0, -254, 1, "00 40 81 81 82 82" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint8_t         block[64];
        float           x[32];
        struct tn_bytes expected = tn_hex(rows[i].hex);
        fill(x, rows[i].from, rows[i].step);
        tn_block_encode(rows[i].kind, x, 1, block);
        for (size_t k = 0; k < expected.size; k++)
            if (block[k] != expected.data[k])
                fail_msg("row %zu, byte %zu: %02x, not %02x", i, k, block[k],
                         expected.data[k]);
        free((void *)(uintptr_t)expected.data);
    }
}

/* What was quantised once is quantised to the same again, and no element is
 * further away than a step. */
static void decoded_blocks_come_back(void **state)
{
    uint32_t seed = 5;

    (void)state;
    for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        for (unsigned round = 0; round < 50; round++) {
            float   x[32], y[32], most = 0;
            uint8_t block[64];
            for (unsigned k = 0; k < 32; k++) {
                seed = seed * 1664525u + 1013904223u;
                x[k] = (float)(int32_t)seed * 0x1p-28f;
                most = fmaxf(most, fabsf(x[k]));
            }
            tn_block_encode(kinds[i], x, 1, block);
            tn_block_decode(kinds[i], block, 1, y);
            for (unsigned k = 0; k < 32; k++)
                assert_true(fabsf(x[k] - y[k]) <= most / 7);
        }
}

static enum tn_status quantise(const float *x, uint64_t rank, uint64_t row,
                               unsigned kind, struct tn_buffer *to,
                               struct tn_error *error)
{
    struct tn_memory *memory  = to->memory;
    uint64_t          dims[2] = { 64 / row, row };
    struct tn_source  source;
    struct tn_shape   shape = { TN_FLOAT32, (uint32_t)rank, dims };

    tn_source_memory(&source, memory, tn_bytes(x, 64 * sizeof *x));
    struct tn_elements elements = {
        shape, tn_payload_raw(&shape, (struct tn_span){ &source, 0, 64 * 4 }, 1)
    };
    tn_payload_quantise(&elements, kind, memory, &to->sink, error);
    tn_source_close(&source);
    return error->status;
}

static void streams_are_checked(void **state)
{
    struct tn_memory memory;
    float            x[64];

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    for (unsigned i = 0; i < 5; i++) {
        struct tn_error  error = TN_ERROR_INIT, ignored = TN_ERROR_INIT;
        struct tn_buffer to;
        uint8_t          blocks[128];
        fill(x, -1, 0.125f);
        fill(x + 32, 3, 0.0625f);
        tn_buffer_init(&to, &memory, &ignored);
        assert_int_equal(quantise(x, 2, 32, kinds[i], &to, &error), TN_OK);
        tn_block_encode(kinds[i], x, 2, blocks);
        assert_int_equal(to.size, 2u * tn_block_type(kinds[i])->bytes);
        assert_memory_equal(to.data, blocks, to.size);
        assert_int_equal(quantise(x, 2, 16, kinds[i], &to, &error), TN_INVALID);
        error = (struct tn_error)TN_ERROR_INIT;
        x[40] = i % 2 ? NAN : INFINITY;
        assert_int_equal(quantise(x, 2, 32, kinds[i], &to, &error), TN_INVALID);
        assert_non_null(strstr(error.what, "element 40"));
        tn_buffer_done(&to);
    }
    assert_false(tn_block_can_encode(TN_BLOCK_Q4_K));
    assert_int_equal(memory.used, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_those_of_the_reference),
        cmocka_unit_test(decoded_blocks_come_back),
        cmocka_unit_test(streams_are_checked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
