/* pb_write_test.c - the bytes that are written, and those never read */
#include "support/hostile.h"

#include <stdlib.h>

#include "wire/pb/pb_wire.h"
#include "wire/pb/pb_write.h"

struct bench {
    struct tn_memory memory;
    struct tn_arena  arena;
    struct tn_error  error;
    struct tn_rope   rope;
};

static void begin(struct bench *b)
{
    *b = (struct bench){ .error = TN_ERROR_INIT };
    tn_memory_init(&b->memory, NULL, 0);
    tn_arena_init(&b->arena, &b->memory);
    tn_rope_init(&b->rope, &b->arena, &b->error);
}

static void end(struct bench *b)
{
    tn_rope_done(&b->rope);
    tn_arena_done(&b->arena);
    assert_int_equal(b->memory.used, 0);
}

static void writes(struct bench *b, const char *hex)
{
    struct tn_bytes  expected = tn_hex(hex);
    struct tn_buffer buffer;

    tn_buffer_init(&buffer, &b->memory, &b->error);
    assert_int_equal(tn_rope_write(&b->rope, &buffer.sink, &b->error), TN_OK);
    assert_int_equal(buffer.size, b->rope.length);
    assert_int_equal(buffer.size, expected.size);
    if (expected.size)
        assert_memory_equal(buffer.data, expected.data, expected.size);
    tn_buffer_done(&buffer);
    free((void *)expected.data);
}

static void every_kind(void **state)
{
    struct bench b;

    (void)state;
    begin(&b);
    tn_pb_put_varint(&b.rope, 1, 150);
    tn_pb_put_varint(&b.rope, 16, 0);
    tn_pb_put_varint(&b.rope, (1u << 29) - 1, UINT64_MAX);
    tn_pb_put_fixed32(&b.rope, 2, 0x84030201);
    tn_pb_put_fixed64(&b.rope, 3, UINT64_C(0x8807060504030201));
    tn_pb_put_text(&b.rope, 4, "hi");
    tn_pb_put_bytes(&b.rope, 5, tn_bytes(NULL, 0));
    tn_pb_put_number(&b.rope, 6, TN_WIRE_FIXED32, 9);
    tn_pb_put_len(&b.rope, 7, 3);
    tn_pb_put_bare(&b.rope, TN_WIRE_VARINT, 300);
    tn_pb_put_bare(&b.rope, TN_WIRE_VARINT, 1);
    writes(&b, "08 96 01  80 01 00  f8 ff ff ff 0f ff ff ff ff ff ff ff ff ff "
               "01  15 01 02 03 84  19 01 02 03 04 05 06 07 88  22 02 68 69  "
               "2a 00  35 09 00 00 00  3a 03 ac 02 01");
    end(&b);
}

static void nested_lengths(void **state)
{
    struct bench   b;
    struct tn_rope inner, innermost;

    (void)state;
    begin(&b);
    tn_rope_init(&inner, &b.arena, &b.error);
    tn_rope_init(&innermost, &b.arena, &b.error);
    tn_pb_put_text(&innermost, 1, "x");
    tn_pb_put_message(&inner, 2, &innermost);
    tn_pb_put_message(&inner, 3, &innermost); /* empty by now */
    tn_pb_put_varint(&innermost, 4, 1);
    tn_pb_put_group(&inner, 5, &innermost);
    tn_pb_put_message(&b.rope, 1, &inner);
    writes(&b, "0a 0b 12 03 0a 01 78 1a 00 2b 20 01 2c");
    tn_rope_done(&inner);
    tn_rope_done(&innermost);
    end(&b);
}

static enum tn_status refuse_read(struct tn_source *source, uint64_t offset,
                                  void *to, size_t size, struct tn_error *error)
{
    (void)source;
    (void)offset;
    (void)to;
    (void)size;
    (void)error;
    fail_msg("a payload was read");
    return TN_IO;
}

static void no_close(struct tn_source *source)
{
    (void)source;
}

/* A sink that knows splices. */
struct counting_sink {
    struct tn_sink sink;
    uint64_t       written, spliced;
};

static enum tn_status count_write(struct tn_sink *sink, struct tn_bytes bytes,
                                  struct tn_error *error)
{
    (void)error;
    ((struct counting_sink *)(void *)sink)->written += bytes.size;
    return TN_OK;
}

static enum tn_status count_splice(struct tn_sink *sink, struct tn_span span,
                                   struct tn_error *error)
{
    (void)error;
    ((struct counting_sink *)(void *)sink)->spliced += span.length;
    return TN_OK;
}

static void payloads_are_spliced(void **state)
{
    static const struct tn_source_ops ops      = { refuse_read, no_close };
    static const struct tn_sink_ops   sink_ops = { .write = count_write, .splice = count_splice,
                                                   .zeros = NULL };
    uint64_t                          size     = UINT64_C(5) << 30;
    struct tn_source     source = { .ops = &ops, .size = size, .name = "" };
    struct counting_sink sink   = { .sink = { &sink_ops, 0 } };
    struct bench         b;
    struct tn_rope       tensor;

    (void)state;
    begin(&b);
    tn_rope_init(&tensor, &b.arena, &b.error);
    tn_pb_put_text(&tensor, 8, "w");
    tn_pb_put_span(&tensor, 9, (struct tn_span){ &source, 0, size });
    tn_pb_put_message(&b.rope, 5, &tensor);
    /* 2a, five bytes of length { 42 01 77  4a, five of length, the span } */
    assert_true(b.rope.length == 1 + 5 + 3 + 1 + 5 + size);
    assert_int_equal(tn_rope_write(&b.rope, &sink.sink, &b.error), TN_OK);
    assert_true(sink.spliced == size);
    assert_int_equal(sink.written, 15);
    assert_true(b.memory.used < 1 << 16);
    tn_rope_done(&tensor);
    end(&b);
}

static void lengths_that_overflow(void **state)
{
    static const struct tn_source_ops ops = { refuse_read, no_close };
    struct tn_source source = { .ops = &ops, .size = UINT64_MAX, .name = "" };
    struct bench     b;

    (void)state;
    begin(&b);
    tn_pb_put_span(&b.rope, 1, (struct tn_span){ &source, 0, UINT64_MAX });
    assert_int_equal(b.error.status, TN_LIMIT);
    end(&b);
}

static enum tn_status write_some(struct tn_bytes   input,
                                 struct tn_memory *memory,
                                 struct tn_error  *error)
{
    struct tn_arena arena;
    struct tn_rope  rope, inner;

    tn_arena_init(&arena, memory);
    tn_rope_init(&rope, &arena, error);
    tn_rope_init(&inner, &arena, error);
    for (uint32_t i = 1; i < 40; i++) {
        tn_pb_put_bytes(&inner, i, input);
        tn_rope_borrow(&inner, input);
        tn_pb_put_message(&rope, i, &inner);
    }
    tn_rope_done(&inner);
    tn_rope_done(&rope);
    tn_arena_done(&arena);
    return error->status;
}

static void memory_runs_dry(void **state)
{
    uint8_t bytes[2000] = { 0 };

    (void)state;
    tn_survives_no_memory(write_some, tn_bytes(bytes, sizeof bytes));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind),
        cmocka_unit_test(nested_lengths),
        cmocka_unit_test(payloads_are_spliced),
        cmocka_unit_test(lengths_that_overflow),
        cmocka_unit_test(memory_runs_dry),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
