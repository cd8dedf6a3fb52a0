/* pickle_latin1_test.c - text as bytes, from any byte on */
#include <stdio.h>
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
    struct tn_pickle_string string = { .span      = { text, 0, bytes.size },
                                       .is_latin1 = true };
    assert_int_equal(tn_pickle_latin1(&latin1, &string, size, memory, &error),
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

/* ---- lines of protocol 0 --------------------------------------------------
 */

static size_t encode_line(uint8_t *to)
{
    size_t size = 0;

    for (uint64_t i = 0; i < SIZE; i++) {
        uint8_t byte = byte_at(i);
        if (byte && byte != '\\' && byte != '\n' && byte != '\r')
            to[size++] = byte;
        else
            size += (size_t)sprintf((char *)to + size, "\\u%04x", byte);
    }
    return size;
}

static size_t encode_quoted(uint8_t *to)
{
    size_t size = 0;

    for (uint64_t i = 0; i < SIZE; i++) {
        uint8_t byte = byte_at(i);
        if (byte == '\\' || byte == '\'')
            size += (size_t)sprintf((char *)to + size, "\\%c", byte);
        else if (byte == '\n')
            size += (size_t)sprintf((char *)to + size, "\\n");
        else if (byte < ' ' || byte >= 0x7f)
            size += (size_t)sprintf((char *)to + size,
                                    i % 2 ? "\\x%02X" : "\\%03o", byte);
        else
            to[size++] = byte;
    }
    return size;
}

static void expect_bytes(const struct tn_pickle_string *string,
                         struct tn_memory              *memory)
{
    static uint8_t    got[SIZE];
    struct tn_error   error = TN_ERROR_INIT;
    struct tn_source *bytes;

    assert_int_equal(tn_pickle_latin1_all(&bytes, string, memory, &error),
                     TN_OK);
    assert_int_equal(bytes->size, SIZE);
    for (uint64_t at = 0; at < SIZE; at += 50000) {
        size_t size = SIZE - at < 50000 ? (size_t)(SIZE - at) : 50000;
        assert_int_equal(tn_source_read(bytes, at, got, size, &error), TN_OK);
        for (size_t i = 0; i < size; i++)
            assert_int_equal(got[i], byte_at(at + i));
    }
    tn_source_close(bytes);
}

static void test_lines(void **state)
{
    uint8_t         *text = malloc(SIZE * 6 + 1);
    struct tn_memory memory;
    struct tn_source source;

    (void)state;
    assert_non_null(text);
    tn_memory_init(&memory, NULL, 0);
    for (int is_quoted = 0; is_quoted < 2; is_quoted++) {
        size_t size = is_quoted ? encode_quoted(text) : encode_line(text);
        tn_source_memory(&source, &memory, tn_bytes(text, size));
        source.name = "";
        expect_bytes(&(struct tn_pickle_string){ .span = { &source, 0, size },
                                                 .is_latin1 = !is_quoted,
                                                 .is_coded  = true },
                     &memory);
        tn_source_close(&source);
    }
    assert_int_equal(memory.used, 0);
    free(text);
}

/* What an escape is, and what is none. */
static const struct {
    const char *text, *bytes;
    bool        is_line;
    size_t      size; /* how far it goes                                      */
} escapes[] = {
    { "a\\u0041\xe9", "aA\xe9", true, 3 },
    { "a\\u0141", "a", true, 1 },
    { "a\\n", "a", true, 1 },
    { "a\\u00", "a", true, 1 },
    { "\\n\\t\\\\\\'\\x41\\101\\7.", "\n\t\\'AA\7.", false, 8 },
    { "\\q\\x4\\", "\\q\\x4\\", false, 6 },
};

static void test_escapes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof escapes / sizeof escapes[0]; i++) {
        uint8_t text[32];
        size_t  size = strlen(escapes[i].text);
        memcpy(text, escapes[i].text, size);
        struct tn_pickle_string string = { .is_latin1 = escapes[i].is_line,
                                           .is_coded  = true };
        size = tn_pickle_latin1_head(&string, text, size);
        if (size != escapes[i].size ||
            memcmp(text, escapes[i].bytes, size) != 0)
            fail_msg("%s: %d bytes", escapes[i].text, (int)size);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_any_place),
                                        cmocka_unit_test(test_hostile),
                                        cmocka_unit_test(test_lines),
                                        cmocka_unit_test(test_escapes) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
