/* patch_tensor_test.c - tensors as bytes of a patch, and back */
#include "engine/patch_tensor.h"

#include "ir/blocks.h"
#include "support/hostile.h"

static const uint64_t two_three[] = { 2, 3 }, four[] = { 4 }, row[] = { 1, 32 };

struct bench {
    struct tn_memory memory;
    struct tn_arena  arena;
    struct tn_source source;
    struct tn_buffer word;
    struct tn_error  error;
};

static void begin(struct bench *b, struct tn_bytes bytes)
{
    b->error = (struct tn_error)TN_ERROR_INIT;
    tn_memory_init(&b->memory, NULL, UINT64_MAX);
    tn_arena_init(&b->arena, &b->memory);
    tn_buffer_init(&b->word, &b->memory, &b->error);
    tn_source_memory(&b->source, &b->memory, bytes);
}

static void finish(struct bench *b)
{
    tn_source_close(&b->source);
    tn_buffer_done(&b->word);
    tn_arena_done(&b->arena);
    assert_int_equal(b->memory.used, 0);
}

struct sum {
    struct tn_buffer text;
    uint64_t         count;
};

static enum tn_status add(void *context, uint64_t index, struct tn_span text,
                          struct tn_error *error)
{
    struct sum *sum = context;
    uint8_t    *to  = tn_buffer_room(&sum->text, (size_t)text.length + 1);

    assert_int_equal(index, sum->count++);
    if (!to || (text.length && tn_source_read(text.source, text.offset, to,
                                              (size_t)text.length,
                                              error) != TN_OK))
        return error->status;
    to[text.length] = '|';
    sum->text.size += (size_t)text.length + 1;
    return TN_OK;
}

/* Fields of a message, of which the last is repeated. */
static void strings_come_back(void **state)
{
    static const uint8_t bytes[] = { 10, 1, 'a', 10, 0,   10,  2,
                                     'b', 0, 10,  3, 'c', 'd', 'e' };
    struct tn_elements   from = { { TN_STRING, 2, two_three }, { .stored = 4 } };
    struct tn_elements   packed, back;
    struct bench         b;
    struct sum           sum = { .count = 0 };

    (void)state;
    begin(&b, tn_bytes(bytes, sizeof bytes));
    from.payload.span     = (struct tn_span){ &b.source, 0, sizeof bytes };
    from.payload.encoding = TN_ENCODING_FIELD;
    from.payload.field    = 1;
    assert_false(tn_patch_is_plain(&from));
    assert_int_equal(tn_patch_pack(&from, &b.arena, &packed, &b.word, &b.error),
                     TN_OK);
    assert_string_equal(tn_buffer_string(&b.word), "string[2,3]");
    assert_int_equal(packed.shape.dtype, TN_UINT8);
    assert_int_equal(packed.shape.dims[0], 6 + 1 + 2 + 3 * 3);
    assert_int_equal(tn_patch_unpack(&packed, "string[2,3]", &b.arena, &back,
                                     &b.error),
                     TN_OK);
    tn_buffer_init(&sum.text, &b.memory, &b.error);
    assert_int_equal(tn_payload_strings(&back, 0, 6, add, &sum, &b.error),
                     TN_OK);
    assert_int_equal(sum.text.size, 18);
    assert_memory_equal(sum.text.data, "a||b\0|cde|cde|cde|", 18);
    tn_buffer_done(&sum.text);
    finish(&b);
}

/* What is side by side is not copied. */
static void numbers_and_blocks_stay_where_they_are(void **state)
{
    static const uint8_t bytes[32] = { 1, 2, 3, 4 };
    struct tn_elements   packed, back;
    struct bench         b;

    (void)state;
    begin(&b, tn_bytes(bytes, sizeof bytes));
    struct tn_elements numbers = { { TN_COMPLEX64, 1, four }, { .field = 0 } };
    numbers.payload            = tn_payload_raw(
                   &numbers.shape, (struct tn_span){ &b.source, 0, 32 }, 1);
    assert_int_equal(
        tn_patch_pack(&numbers, &b.arena, &packed, &b.word, &b.error), TN_OK);
    assert_string_equal(tn_buffer_string(&b.word), "complex64[4]");
    assert_ptr_equal(packed.payload.span.source, &b.source);
    assert_int_equal(tn_patch_unpack(&packed, "complex64[4]", &b.arena, &back,
                                     &b.error),
                     TN_OK);
    assert_true(tn_shape_equal(&back.shape, &numbers.shape));

    struct tn_elements blocks = { { TN_FLOAT32, 2, row }, { .field = 0 } };
    blocks.payload            = tn_payload_blocks(
                   &blocks.shape, (struct tn_span){ &b.source, 0, 18 }, TN_BLOCK_Q4_0,
                   false);
    assert_false(tn_patch_is_plain(&blocks));
    tn_buffer_clear(&b.word);
    assert_int_equal(
        tn_patch_pack(&blocks, &b.arena, &packed, &b.word, &b.error), TN_OK);
    assert_string_equal(tn_buffer_string(&b.word), "q4_0[1,32]");
    assert_int_equal(tn_patch_unpack(&packed, "q4_0[1,32]", &b.arena, &back,
                                     &b.error),
                     TN_OK);
    assert_true(tn_payload_is_blocks(&back.payload));
    assert_int_equal(back.payload.field, TN_BLOCK_Q4_0);
    finish(&b);
}

static void other_bytes_are_refused(void **state)
{
    static const char *const words[] = {
        "string",      "string[]",  "string[2",       "string[2,]",
        "string[-1]",  "string[9]", "float32[2]",     "float33[1]",
        "q4_0[1,31]",  "q4_0[32]",  "float32[2,0]x",  "[4]",
        "string[4][4]", "",         "string[18446744073709551615]",
    };
    static const uint8_t bytes[] = { 1, 2, 3, 4 };
    struct bench         b;

    (void)state;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        struct tn_elements from = { { TN_UINT8, 1, four }, { .field = 0 } };
        struct tn_elements back;
        begin(&b, tn_bytes(bytes, sizeof bytes));
        from.payload = tn_payload_raw(&from.shape,
                                      (struct tn_span){ &b.source, 0, 4 }, 1);
        if (tn_patch_unpack(&from, words[i], &b.arena, &back, &b.error) !=
            TN_INVALID)
            fail_msg("'%s' is taken", words[i]);
        finish(&b);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(strings_come_back),
        cmocka_unit_test(numbers_and_blocks_stay_where_they_are),
        cmocka_unit_test(other_bytes_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
