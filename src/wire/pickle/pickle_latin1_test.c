/* pickle_latin1_test.c - text as bytes, from any byte on */
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "support/hostile.h"
#include "wire/pickle/pickle_latin1.h"

/* Long enough for several marks; every third byte takes two. */
#define SIZE 300001

static uint8_t byte_at(uint64_t i)
{
    return (uint8_t)(i % 3 ? i * 7 & 0x7f : 0x80 | (i * 13 & 0x7f));
}

static size_t encode(uint8_t *to)
{
    size_t size = 0;

    for (uint64_t i = 0; i < SIZE; i++) {
        uint8_t byte = byte_at(i);
        if (byte < 0x80) {
            to[size++] = byte;
        } else {
            to[size++] = (uint8_t)(0xc0 | byte >> 6);
            to[size++] = (uint8_t)(0x80 | (byte & 0x3f));
        }
    }
    return size;
}

static struct tn_source *open_text(struct tn_memory *memory,
                                   struct tn_source *text,
                                   struct tn_bytes bytes, uint64_t size)
{
    struct tn_error   error = TN_ERROR_INIT;
    struct tn_source *latin1;

    tn_source_memory(text, memory, bytes);
    assert_int_equal(tn_pickle_latin1(&latin1,
                                      (struct tn_span){ text, 0, bytes.size },
                                      size, memory, &error),
                     TN_OK);
    return latin1;
}

/* Forward, backward, across marks and windows: always the same bytes. */
static void test_any_place(void **state)
{
    static const struct {
        uint64_t offset;
        size_t   size;
    } reads[] = { { 0, 10 },    { 299990, 11 },   { 5, 70000 },
                  { 65535, 2 }, { 131072, 4096 }, { 65536, 65536 },
                  { 0, SIZE },  { 200000, 0 } };
    struct tn_memory memory;
    struct tn_source text;
    uint8_t         *bytes = malloc(SIZE * 2), *got = malloc(SIZE);

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    struct tn_source *latin1 =
        open_text(&memory, &text, tn_bytes(bytes, encode(bytes)), SIZE);
    for (size_t i = 0; i < sizeof reads / sizeof reads[0]; i++) {
        struct tn_error error = TN_ERROR_INIT;
        assert_int_equal(
            tn_source_read(latin1, reads[i].offset, got, reads[i].size, &error),
            TN_OK);
        for (size_t k = 0; k < reads[i].size; k++)
            assert_int_equal(got[k], byte_at(reads[i].offset + k));
    }
    tn_source_close(latin1);
    tn_source_close(&text);
    assert_int_equal(memory.used, 0);
    free(bytes);
    free(got);
}

static const struct {
    const char *name, *text;
    uint64_t    size, offset;
} hostile[] = {
    { "ends early", "abc", 4, 3 },
    { "goes on", "abcd", 3, 3 },
    { "a code point of 256", "ab\xc4\x80", 3, 2 },
    { "half a code point", "ab\xc3", 3, 2 },
    { "a stray second half", "a\x80", 2, 1 },
    { "three bytes", "\xe2\x82\xac", 1, 0 },
};

static void test_hostile(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof hostile / sizeof hostile[0]; i++) {
        struct tn_error  error = TN_ERROR_INIT;
        struct tn_memory memory;
        struct tn_source text;
        uint8_t          got[8];
        tn_memory_init(&memory, NULL, 0);
        struct tn_source *latin1 = open_text(
            &memory, &text, tn_text(hostile[i].text), hostile[i].size);
        enum tn_status status =
            tn_source_read(latin1, 0, got, (size_t)hostile[i].size, &error);
        if (status != TN_MALFORMED || error.offset != hostile[i].offset)
            fail_msg("%s: status %d at %llu", hostile[i].name, (int)status,
                     (unsigned long long)error.offset);
        tn_source_close(latin1);
        tn_source_close(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_any_place),
                                        cmocka_unit_test(test_hostile) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
