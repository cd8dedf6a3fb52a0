/* wire_watch_test.c - the verdict is that of a walk, however windows are cut */
#include "chunk/wire_watch.h"

#include <stdlib.h>

#include "chunk/wire_walk.h"
#include "support/hostile.h"

static bool watch_in(struct tn_bytes bytes, size_t window)
{
    struct tn_wire_watch watch;

    tn_wire_watch_init(&watch);
    for (size_t at = 0; at < bytes.size; at += window)
        tn_wire_watch_see(&watch,
                          tn_bytes(bytes.data + at, bytes.size - at < window
                                                        ? bytes.size - at
                                                        : window));
    return tn_wire_watch_is_whole(&watch);
}

static bool walk_over(struct tn_bytes bytes, struct tn_memory *memory)
{
    struct tn_error     error = TN_ERROR_INIT;
    struct tn_wire_walk walk;
    struct tn_pb_field  field;
    struct tn_span      whole;
    struct tn_source    source;

    tn_source_memory(&source, memory, bytes);
    tn_wire_walk_init(&walk, (struct tn_span){ &source, 0, bytes.size },
                      &error);
    while (tn_wire_walk_next(&walk, &field, &whole))
        ;
    tn_wire_walk_done(&walk);
    tn_source_close(&source);
    return !tn_failed(&error);
}

static const struct {
    const char *name, *hex;
    bool        is_whole;
} cases[] = {
    { "nothing", "", true },
    { "a number", "08 96 01", true },
    { "eight bytes", "09 01 02 03 04 05 06 07 08", true },
    { "four bytes", "0d 01 02 03 04", true },
    { "bytes", "12 03 61 62 63", true },
    { "no bytes", "12 00", true },
    { "all of them", "08 01 12 02 61 62 0d 01 02 03 04 12 00 08 7f", true },
    { "the longest number", "08 ff ff ff ff ff ff ff ff ff 01", true },
    { "a number of 65 bits", "08 ff ff ff ff ff ff ff ff ff 02", false },
    { "a number of eleven bytes", "08 ff ff ff ff ff ff ff ff ff ff 01",
      false },
    { "the largest tag", "f8 ff ff ff 0f 01", true },
    { "a tag of 33 bits", "f8 ff ff ff 1f 01", false },
    { "field 0", "00 01", false },
    { "wire type 6", "0e 01", false },
    { "a tag alone", "08", false },
    { "half a tag", "88", false },
    { "half a number", "08 80", false },
    { "half a length", "12 80", false },
    { "bytes cut off", "12 03 61 62", false },
    { "eight bytes cut off", "09 01 02 03", false },
    { "a length past everything", "12 ff ff ff ff ff ff ff ff ff 01", false },
    { "the end of a group", "0c", false },
};

static void test_verdicts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tn_memory memory;
        struct tn_bytes  bytes = tn_hex(cases[i].hex);
        tn_memory_init(&memory, NULL, 0);
        if (walk_over(bytes, &memory) != cases[i].is_whole)
            fail_msg("%s: a walk says otherwise", cases[i].name);
        for (size_t window = 1; window <= bytes.size + 1; window++)
            if (watch_in(bytes, window) != cases[i].is_whole)
                fail_msg("%s: in windows of %zu", cases[i].name, window);
        free((void *)(uintptr_t)bytes.data);
    }
}

/* Groups are whole fields, but not for us. */
static void test_groups(void **state)
{
    static const uint8_t group[] = { 0x0b, 0x10, 0x01, 0x0c };
    struct tn_memory     memory;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    assert_true(walk_over(tn_bytes(group, sizeof group), &memory));
    assert_false(watch_in(tn_bytes(group, sizeof group), 4));
}

/* What is not whole for a walk is never whole for a watch. */
static void test_noise(void **state)
{
    uint32_t seed = 1;

    (void)state;
    for (int round = 0; round < 20000; round++) {
        struct tn_memory memory;
        uint8_t          bytes[24];
        size_t           size = 1 + seed % sizeof bytes;
        for (size_t i = 0; i < size; i++) {
            seed     = seed * 1664525 + 1013904223;
            bytes[i] = (uint8_t)(seed >> 24) & (round % 2 ? 0x1f : 0xff);
        }
        tn_memory_init(&memory, NULL, 0);
        bool is_whole = walk_over(tn_bytes(bytes, size), &memory);
        bool is_seen  = watch_in(tn_bytes(bytes, size), 1 + seed % 7);
        assert_true(is_whole || !is_seen);
        assert_int_equal(is_seen, watch_in(tn_bytes(bytes, size), size));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_verdicts),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
