/* stored_test.c - what the build stored is read again */
#include "codec/stored.h"

#include "base/buffer.h"
#include "base/varint.h"
#include "codec/zstd.h"
#include "support/hostile.h"

static enum tn_status store_and_read(struct tn_bytes   content,
                                     struct tn_memory *memory,
                                     struct tn_error  *error)
{
    struct tn_buffer stored;
    struct tn_arena  arena;

    tn_arena_init(&arena, memory);
    tn_buffer_init(&stored, memory, error);
    tn_buffer_u32(&stored, (uint32_t)content.size);
    if (tn_zstd_encode(content, 19, 0, &stored, error) == TN_OK) {
        struct tn_bytes read =
            tn_stored_read(tn_buffer_bytes(&stored), &arena, error);

        if (read.data)
            assert_true(tn_bytes_equal(read, content));
        else
            assert_true(tn_failed(error));
    }
    tn_buffer_done(&stored);
    tn_arena_done(&arena);
    return error->status;
}

static void content_comes_back(void **state)
{
    (void)state;
    tn_survives_no_memory(store_and_read, tn_text("Relu(X) => relu(X)\n"));
    tn_survives_no_memory(store_and_read, tn_text(""));
}

static void damage_is_an_error(void **state)
{
    static const uint8_t cut[] = { 1, 0, 0 }, no_frame[] = { 1, 0, 0, 0, 7, 7 };
    struct tn_error      error = TN_ERROR_INIT;
    struct tn_memory     memory;
    struct tn_arena      arena;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_arena_init(&arena, &memory);
    assert_null(tn_stored_read(tn_bytes(cut, sizeof cut), &arena, &error).data);
    assert_int_equal(error.status, TN_TRUNCATED);
    error = (struct tn_error)TN_ERROR_INIT;
    assert_null(
        tn_stored_read(tn_bytes(no_frame, sizeof no_frame), &arena, &error)
            .data);
    assert_int_equal(error.status, TN_MALFORMED);
    tn_arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(content_comes_back),
        cmocka_unit_test(damage_is_an_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
