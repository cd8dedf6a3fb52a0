/* deflate_test.c - deflate, whole and in portions: each undoes the other */
#include "codec/deflate.h"

#include <stdlib.h>

#include "support/hostile.h"

#define SIZE 300000u

struct fixture {
    struct tn_error  error;
    struct tn_memory memory;
    struct tn_buffer plain, packed, again;
};

static void setup(struct fixture *f)
{
    f->error = (struct tn_error)TN_ERROR_INIT;
    tn_memory_init(&f->memory, NULL, 0);
    tn_buffer_init(&f->plain, &f->memory, &f->error);
    tn_buffer_init(&f->packed, &f->memory, &f->error);
    tn_buffer_init(&f->again, &f->memory, &f->error);
    for (uint32_t i = 0; i < SIZE; i++)
        tn_buffer_byte(&f->plain, (uint8_t)(i * i >> 7 ^ i >> 11));
}

static void teardown(struct fixture *f)
{
    tn_buffer_done(&f->plain);
    tn_buffer_done(&f->packed);
    tn_buffer_done(&f->again);
    assert_int_equal(f->memory.used, 0);
}

/* Portions of a size that fits nothing. */
static void pump(struct fixture *f, struct tn_stream *stream,
                 struct tn_bytes bytes, struct tn_buffer *to, uint64_t most)
{
    struct tn_filter filter;

    tn_filter_to_buffer(&filter, stream, to, most);
    for (size_t at = 0; at < bytes.size && !tn_failed(&f->error); at += 777) {
        size_t size = bytes.size - at < 777 ? bytes.size - at : 777;
        tn_sink_write(&filter.sink, tn_bytes(bytes.data + at, size), &f->error);
    }
    if (!tn_failed(&f->error))
        tn_filter_last(&filter, tn_bytes(NULL, 0), &f->error);
    tn_filter_done(&filter);
    tn_stream_close(stream);
}

static void pack(struct fixture *f, bool is_whole)
{
    struct tn_stream *stream;

    if (is_whole) {
        tn_deflate_encode(tn_buffer_bytes(&f->plain), 6, &f->packed, &f->error);
        return;
    }
    assert_int_equal(tn_deflate_packer(&stream, &f->memory, 6, &f->error),
                     TN_OK);
    pump(f, stream, tn_buffer_bytes(&f->plain), &f->packed, UINT64_MAX);
}

static void unpack(struct fixture *f, bool is_whole, uint64_t size)
{
    struct tn_stream *stream;

    if (is_whole) {
        tn_deflate_decode(tn_buffer_bytes(&f->packed), 100, size, &f->again,
                          &f->error);
        return;
    }
    assert_int_equal(tn_deflate_unpacker(&stream, &f->memory, 100, &f->error),
                     TN_OK);
    pump(f, stream, tn_buffer_bytes(&f->packed), &f->again, size);
}

static void all_ways_undo_each_other(void **state)
{
    (void)state;
    for (int way = 0; way < 4; way++) {
        struct fixture f;
        setup(&f);
        pack(&f, way & 1);
        unpack(&f, way & 2, SIZE);
        assert_int_equal(f.error.status, TN_OK);
        assert_true(f.packed.size < SIZE);
        assert_true(tn_bytes_equal(tn_buffer_bytes(&f.plain),
                                   tn_buffer_bytes(&f.again)));
        teardown(&f);
    }
}

enum harm { LESS, MORE, CUT, LONGER, DAMAGED };

static void harm_is_told_where_it_is(void **state)
{
    (void)state;
    for (int way = 0; way < 2; way++)
        for (int harm = LESS; harm <= DAMAGED; harm++) {
            struct fixture f;
            setup(&f);
            pack(&f, true);
            if (harm == CUT)
                f.packed.size -= 5;
            if (harm == LONGER)
                tn_buffer_byte(&f.packed, 0);
            if (harm == DAMAGED)
                memset(f.packed.data, 0xff, 40);
            if (harm == MORE && way == 0)
                f.again.size = 0; /* a filter only knows the most */
            unpack(&f, way, harm == LESS ? SIZE - 1 : SIZE + (harm == MORE));
            if (harm == MORE && way == 0)
                assert_int_equal(f.error.status, TN_OK);
            else
                assert_int_not_equal(f.error.status, TN_OK);
            if (tn_failed(&f.error))
                assert_true(f.error.offset >= 100 &&
                            f.error.offset <= 100 + f.packed.size);
            f.error = (struct tn_error)TN_ERROR_INIT;
            teardown(&f);
        }
}

/* No memory is asked for what a stream cannot hold. */
static void a_bomb_costs_nothing(void **state)
{
    struct fixture f;
    const uint8_t  empty[] = { 3, 0 };

    (void)state;
    setup(&f);
    tn_buffer_add(&f.packed, tn_bytes(empty, 2));
    uint64_t before = f.memory.used;
    unpack(&f, true, UINT64_C(1) << 50);
    assert_int_equal(f.error.status, TN_MALFORMED);
    assert_int_equal(f.memory.used, before);
    f.error = (struct tn_error)TN_ERROR_INIT;
    teardown(&f);
}

static enum tn_status stream_all(struct tn_bytes   input,
                                 struct tn_memory *memory,
                                 struct tn_error  *error)
{
    struct tn_buffer  to;
    struct tn_stream *stream;
    struct tn_filter  filter;

    tn_buffer_init(&to, memory, error);
    if (tn_deflate_unpacker(&stream, memory, 0, error) == TN_OK) {
        tn_filter_to_buffer(&filter, stream, &to, 1 << 20);
        tn_filter_last(&filter, input, error);
        tn_filter_done(&filter);
        tn_stream_close(stream);
    }
    tn_buffer_done(&to);
    return error->status;
}

static void survives_hostility(void **state)
{
    struct fixture f;

    (void)state;
    setup(&f);
    f.plain.size = 3000;
    pack(&f, true);
    tn_survives_hostility(stream_all, tn_buffer_bytes(&f.packed));
    teardown(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_ways_undo_each_other),
        cmocka_unit_test(harm_is_told_where_it_is),
        cmocka_unit_test(a_bomb_costs_nothing),
        cmocka_unit_test(survives_hostility),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
