/* pickle_test.c - what is read, what is refused, and Python as the judge */
#define _GNU_SOURCE
#include "wire/pickle/pickle.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/hostile.h"

#define P2 "80 02 "
#define P4 "80 04 "
#define F4 "63 6e 75 6d 70 79 0a 64 74 79 70 65 0a 8c 02 66 34 89 88 87 52 "
#define LE "28 4b 03 8c 01 3c 74 62 "
#define ND "63 6e 75 6d 70 79 0a 6e 64 61 72 72 61 79 0a "
#define REC                                                                    \
    "63 6e 75 6d 70 79 2e 63 6f 72 65 2e 6d 75 6c 74 69 61 72 72 61 79 0a 5f " \
    "72 65 63 6f 6e 73 74 72 75 63 74 0a "
#define FROM                                                                   \
    "63 6e 75 6d 70 79 2e 63 6f 72 65 2e 6e 75 6d 65 72 69 63 0a 5f 66 72 6f " \
    "6d 62 75 66 66 65 72 0a 28 "
#define NEW REC ND "4b 00 85 43 01 62 87 52 "

/* clang-format off */
static const struct {
    const char         *name, *bytes;
    enum tn_status      status;
    uint64_t            offset; /* where the complaint must point */
    enum tn_pickle_kind kind;
} cases[] = {
    { "none", P2 "4e 2e", TN_OK, 0, TN_PICKLE_NONE },
    { "true", P2 "88 2e", TN_OK, 0, TN_PICKLE_BOOL },
    { "an int", P2 "4d 01 02 2e", TN_OK, 0, TN_PICKLE_INT },
    { "a double", P2 "47 3f f0 00 00 00 00 00 00 2e", TN_OK, 0, TN_PICKLE_REAL },
    { "text", P4 "95 05 00 00 00 00 00 00 00 8c 02 61 62 94 2e", TN_OK, 0, TN_PICKLE_TEXT },
    { "Python 2's text", P2 "55 02 61 62 2e", TN_OK, 0, TN_PICKLE_BYTES },
    { "a list", P2 "5d 28 4b 01 4b 02 65 2e", TN_OK, 0, TN_PICKLE_LIST },
    { "a dict", P2 "7d 71 00 28 58 01 00 00 00 61 4e 75 2e", TN_OK, 0, TN_PICKLE_DICT },
    { "an array", P4 NEW "28 4b 01 4b 01 85 " F4 LE "89 43 04 00 00 80 3f 74 62 2e", TN_OK, 0, TN_PICKLE_ARRAY },
    { "an array of protocol 5", "80 05 " FROM "96 04 00 00 00 00 00 00 00 00 00 80 3f " F4 LE "4b 01 85 8c 01 43 74 52 2e", TN_OK, 0, TN_PICKLE_ARRAY },
    { "an ordered dict", P2 "63 63 6f 6c 6c 65 63 74 69 6f 6e 73 0a 4f 72 64 65 72 65 64 44 69 63 74 0a 29 52 2e", TN_OK, 0, TN_PICKLE_DICT },
    { "no bytes", "", TN_TRUNCATED, 0, 0 },
    { "protocol 0", "28 6c 70 30 0a 2e", TN_MALFORMED, 0, 0 },
    { "protocol 9", "80 09 4e 2e", TN_UNSUPPORTED, 0, 0 },
    { "no stop", P2 "4e", TN_TRUNCATED, 3, 0 },
    { "stop on nothing", P2 "2e", TN_MALFORMED, 2, 0 },
    { "two values", P2 "4e 4e 2e", TN_MALFORMED, 4, 0 },
    { "a mark left", P2 "4e 28 2e", TN_MALFORMED, 4, 0 },
    { "no opcode", P2 "ff", TN_MALFORMED, 2, 0 },
    { "os.system", P2 "63 6f 73 0a 73 79 73 74 65 6d 0a 58 02 00 00 00 6c 73 85 52 2e", TN_UNSUPPORTED, 2, 0 },
    { "posix.system by stack", P4 "8c 05 70 6f 73 69 78 8c 06 73 79 73 74 65 6d 93 2e", TN_UNSUPPORTED, 17, 0 },
    { "eval of code", P4 "8c 08 62 75 69 6c 74 69 6e 73 8c 04 65 76 61 6c 93 8c 03 31 2b 31 7d 86 52 2e", TN_UNSUPPORTED, 26, 0 },
    { "a global with no end", P2 "63 6f 73", TN_TRUNCATED, 5, 0 },
    { "GET in text", P2 "67 30 0a 2e", TN_UNSUPPORTED, 2, 0 },
    { "a buffer beside the file", "80 05 97 2e", TN_UNSUPPORTED, 2, 0 },
    { "a buffer too short", "80 05 " FROM "96 03 00 00 00 00 00 00 00 00 00 80 " F4 LE "4b 01 85 8c 01 43 74 52 2e", TN_MALFORMED, 35, 0 },
    { "a buffer in no order", "80 05 " FROM "96 04 00 00 00 00 00 00 00 00 00 80 3f " F4 LE "4b 01 85 8c 01 58 74 52 2e", TN_UNSUPPORTED, 84, 0 },
    { "PERSID", P2 "50 30 0a 2e", TN_UNSUPPORTED, 2, 0 },
    { "an extension", P2 "82 01 2e", TN_UNSUPPORTED, 2, 0 },
    { "a call of a number", P2 "4b 01 29 52 2e", TN_MALFORMED, 5, 0 },
    { "pop below the mark", P2 "4e 28 85 2e", TN_MALFORMED, 4, 0 },
    { "tuple without a mark", P2 "4e 74 2e", TN_MALFORMED, 3, 0 },
    { "items for a list", P2 "5d 28 4b 01 4b 02 75 2e", TN_MALFORMED, 8, 0 },
    { "half an item", P2 "7d 28 4b 01 75 2e", TN_MALFORMED, 6, 0 },
    { "a dict as a key", P2 "7d 7d 4e 73 2e", TN_UNSUPPORTED, 5, 0 },
    { "append to a dict", P2 "7d 4e 61 2e", TN_MALFORMED, 4, 0 },
    { "an empty memo slot", P2 "68 05 2e", TN_MALFORMED, 2, 0 },
    { "a memo slot far away", P2 "4e 72 ff ff ff ff 2e", TN_LIMIT, 3, 0 },
    { "a list in itself", P2 "5d 71 00 68 00 61 2e", TN_UNSUPPORTED, 5, 0 },
    { "text of 4 GiB", P2 "58 ff ff ff ff 61", TN_TRUNCATED, 7, 0 },
    { "bytes of 2^64", P4 "8e ff ff ff ff ff ff ff ff", TN_TRUNCATED, 11, 0 },
    { "a long of 9 bytes", P2 "8a 09 01 02 03 04 05 06 07 08 09 2e", TN_LIMIT, 2, 0 },
    { "an array too short", P4 NEW "28 4b 01 4b 02 85 " F4 LE "89 43 04 00 00 80 3f 74 62 2e", TN_MALFORMED, 97, 0 },
    { "an array of objects", P4 "63 6e 75 6d 70 79 0a 64 74 79 70 65 0a 8c 02 4f 38 89 88 87 52 2e", TN_UNSUPPORTED, 22, 0 },
    { "a name as the result", P2 ND "2e", TN_UNSUPPORTED, 17, 0 },
    { "a name in a list", P2 "5d " ND "61 2e", TN_UNSUPPORTED, 18, 0 },
    { "state for a list", P2 "5d 29 62 2e", TN_UNSUPPORTED, 4, 0 },
    { "a shape that wraps", P4 NEW "28 4b 01 8a 08 00 00 00 00 00 00 00 40 4b 04 86 " F4 LE "89 43 00 74 62 2e", TN_UNSUPPORTED, 110, 0 },
};
/* clang-format on */

/* ---- described, not run --------------------------------------------------- */

/* clang-format off */
static const struct {
    const char         *name, *bytes;
    enum tn_status      status;
    enum tn_pickle_kind kind;
    const char         *seen; /* n: a name, c: a call, p: an id, o: odd */
} described[] = {
    { "protocol 0", "28 6c 70 30 0a 49 31 0a 61 2e", TN_OK, TN_PICKLE_LIST, "" },
    { "truths of protocol 0", "49 30 31 0a 2e", TN_OK, TN_PICKLE_BOOL, "" },
    { "a long of text", "4c 39 39 39 39 39 39 39 39 39 39 39 39 39 39 39 39 39 39 39 39 39 4c 0a 2e", TN_OK, TN_PICKLE_LONG, "" },
    { "a float of text", "46 31 2e 35 0a 2e", TN_OK, TN_PICKLE_REAL, "" },
    { "quoted text", "53 27 61 62 27 0a 2e", TN_OK, TN_PICKLE_BYTES, "" },
    { "a long of 9 bytes", P2 "8a 09 01 02 03 04 05 06 07 08 09 2e", TN_OK, TN_PICKLE_LONG, "" },
    { "a call", P2 "63 6f 73 0a 73 79 73 74 65 6d 0a 58 02 00 00 00 6c 73 85 52 2e", TN_OK, TN_PICKLE_CALL, "nc" },
    { "a call by INST", "28 53 27 6c 73 27 0a 69 6f 73 0a 73 79 73 74 65 6d 0a 2e", TN_OK, TN_PICKLE_CALL, "nc" },
    { "a call by OBJ", "28 63 6f 73 0a 73 79 73 74 65 6d 0a 53 27 6c 73 27 0a 6f 2e", TN_OK, TN_PICKLE_CALL, "nc" },
    { "a call of a call", P2 "63 61 0a 62 0a 29 52 29 52 2e", TN_OK, TN_PICKLE_CALL, "ncc" },
    { "a class and keywords", P4 "63 61 0a 62 0a 29 7d 92 2e", TN_OK, TN_PICKLE_CALL, "nc" },
    { "a state", P2 "63 61 0a 62 0a 29 81 7d 62 2e", TN_OK, TN_PICKLE_CALL, "ncc" },
    { "items of an object", P2 "63 61 0a 62 0a 29 81 4e 4e 73 2e", TN_OK, TN_PICKLE_CALL, "ncc" },
    { "an id", P2 "4e 51 2e", TN_OK, TN_PICKLE_PERSISTENT, "p" },
    { "an id of text", "50 61 0a 2e", TN_OK, TN_PICKLE_PERSISTENT, "p" },
    { "an extension", P2 "82 01 2e", TN_OK, TN_PICKLE_OUTSIDE, "o" },
    { "a buffer beside the file", "80 05 97 98 2e", TN_OK, TN_PICKLE_OUTSIDE, "o" },
    { "a name that is a number", P4 "4b 01 4b 02 93 2e", TN_OK, TN_PICKLE_NAME, "on" },
    { "items for a number", P2 "4b 01 4e 4e 73 2e", TN_OK, TN_PICKLE_INT, "o" },
    { "a set", P4 "8f 28 4b 01 90 2e", TN_OK, TN_PICKLE_SET, "" },
    { "a frozen set", P4 "28 4b 01 91 2e", TN_OK, TN_PICKLE_SET, "" },
    { "a list in itself", P2 "5d 71 00 68 00 61 2e", TN_OK, TN_PICKLE_LIST, "" },
    { "dropped and doubled", P2 "4e 4b 01 30 32 30 28 31 28 30 2e", TN_OK, TN_PICKLE_NONE, "" },
    { "an array of objects", P4 "63 6e 75 6d 70 79 0a 64 74 79 70 65 0a 8c 02 4f 38 89 88 87 52 2e", TN_OK, TN_PICKLE_CALL, "nc" },
    { "a matrix of numpy", P4 "63 6e 75 6d 70 79 2e 63 6f 72 65 2e 6d 75 6c 74 69 61 72 72 61 79 0a 5f 72 65 63 6f 6e 73 74 72 75 63 74 0a 63 6e 75 6d 70 79 0a 6d 61 74 72 69 78 0a 4b 00 85 43 01 62 87 52 2e", TN_OK, TN_PICKLE_ARRAY, "nnc" },
    { "an array", P4 NEW "28 4b 01 4b 01 85 " F4 LE "89 43 04 00 00 80 3f 74 62 2e", TN_OK, TN_PICKLE_ARRAY, "nncnc" },
    { "code, then an error", P2 "63 61 0a 62 0a 29 52 ff", TN_MALFORMED, 0, "nc" },
    { "no line", "49 31", TN_TRUNCATED, 0, "" },
    { "slots that end at a zero", "4e 70 31 00 78 0a 30 67 31 00 0a 2e", TN_OK, TN_PICKLE_NONE, "oo" },
    { "slots of large numbers", "4e 70 39 39 39 39 39 39 39 39 39 39 39 39 39 39 39 39 39 39 39 39 0a 30 67 2b 39 39 39 39 39 39 39 39 39 39 39 39 39 39 39 39 39 39 39 39 0a 2e", TN_OK, TN_PICKLE_OUTSIDE, "oo" },
    { "a slot that is a word", P2 "4e 70 61 0a 2e", TN_MALFORMED, 0, "" },
    { "an object of nothing", "28 6f 2e", TN_MALFORMED, 0, "" },
    { "a dict of one", "28 4e 64 2e", TN_MALFORMED, 0, "" },
};
/* clang-format on */

static void note(void *context, char what)
{
    char *seen = context;

    assert_true(strlen(seen) < 15);
    seen[strlen(seen)] = what;
}

static void note_name(void *context, uint64_t offset, const char *by,
                      const struct tn_pickle *name)
{
    (void)offset;
    assert_true(name->kind == TN_PICKLE_NAME && by[0]);
    note(context, 'n');
}

static void note_call(void *context, uint64_t offset, const char *by,
                      const struct tn_pickle *callee,
                      const struct tn_pickle *args)
{
    (void)offset;
    (void)args;
    assert_true(callee && by[0]);
    note(context, 'c');
}

static void note_id(void *context, uint64_t offset, const struct tn_pickle *id)
{
    (void)offset;
    assert_non_null(id);
    note(context, 'p');
}

static void note_odd(void *context, uint64_t offset, const char *by,
                     const char *what)
{
    (void)offset;
    assert_true(by[0] && what[0]);
    note(context, 'o');
}

static void test_described(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof described / sizeof described[0]; i++) {
        char                   seen[16] = "";
        struct tn_pickle_watch watch = { .context    = seen,
                                         .name       = note_name,
                                         .call       = note_call,
                                         .persistent = note_id,
                                         .odd        = note_odd };
        struct tn_error        error = TN_ERROR_INIT;
        struct tn_bytes bytes = tn_hex(described[i].bytes);
        struct tn_cursor c    = tn_cursor_bytes(bytes, 0, &error);
        struct tn_memory memory;
        struct tn_arena  arena;
        const struct tn_pickle *value;
        tn_memory_init(&memory, NULL, 0);
        tn_arena_init(&arena, &memory);
        tn_pickle_describe(&c, &arena, &watch, &value);
        if (error.status != described[i].status ||
            (value && value->kind != described[i].kind) ||
            strcmp(seen, described[i].seen) != 0)
            fail_msg("%s: status %d, kind %d, seen %s: %s", described[i].name,
                     error.status, value ? (int)value->kind : -1, seen,
                     error.what);
        tn_arena_done(&arena);
        free((void *)bytes.data);
    }
}

static enum tn_status read_pickle(struct tn_bytes   input,
                                  struct tn_memory *memory,
                                  struct tn_error  *error)
{
    struct tn_cursor        c = tn_cursor_bytes(input, 0, error);
    struct tn_arena         arena;
    const struct tn_pickle *result;

    tn_arena_init(&arena, memory);
    tn_pickle_read(&c, &arena, &result);
    tn_arena_done(&arena);
    return error->status;
}

static void test_cases(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tn_error         error = TN_ERROR_INIT;
        struct tn_bytes         hex   = tn_hex(cases[i].bytes);
        struct tn_guarded       bytes = tn_guard(hex);
        struct tn_cursor        c     = tn_cursor_bytes(bytes.bytes, 0, &error);
        struct tn_memory        memory;
        struct tn_arena         arena;
        const struct tn_pickle *result;

        tn_memory_init(&memory, NULL, 0);
        tn_arena_init(&arena, &memory);
        tn_pickle_read(&c, &arena, &result);
        if (error.status != cases[i].status ||
            (tn_failed(&error) && error.offset != cases[i].offset))
            fail_msg("%s: status %d at %" PRIu64 ": %s", cases[i].name,
                     error.status, error.offset, error.what);
        if (!tn_failed(&error))
            assert_int_equal(result->kind, cases[i].kind);
        tn_arena_done(&arena);
        tn_unguard(&bytes);
        free((void *)hex.data);
    }
}

static void test_hostility(void **state)
{
    struct tn_bytes good =
        tn_hex(P4 "7d 94 28 8c 01 77 " NEW "94 28 4b 01 4b 01 85 " F4 LE
                  "89 43 04 00 00 80 3f 74 62 8c 01 76 68 01 75 2e");

    (void)state;
    tn_survives_hostility(read_pickle, good);
    free((void *)good.data);
}

/* Whatever a small file asks for, it gets no more than its size justifies. */
static void test_no_unfolding(void **state)
{
    uint8_t          bytes[4096];
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_memory memory;
    size_t           size = 0;

    (void)state;
    bytes[size++] = 0x80;
    bytes[size++] = 4;
    bytes[size++] = 'N';
    for (unsigned i = 0; size + 8 < sizeof bytes; i++) { /* t = (t, t) */
        bytes[size++] = 0x94;
        bytes[size++] = 'j';
        bytes[size++] = (uint8_t)i;
        bytes[size++] = (uint8_t)(i >> 8);
        bytes[size++] = 0;
        bytes[size++] = 0;
        bytes[size++] = 0x86;
    }
    bytes[size++] = '.';
    tn_memory_init(&memory, NULL, 0);
    read_pickle(tn_bytes(bytes, size), &memory, &error);
    assert_int_equal(error.status, TN_UNSUPPORTED);
}

/* The hand-made state dicts beside us */

/* As they lie in a file, whatever the order of this machine. */
static void put_floats(struct tn_buffer *to, const float *floats, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &floats[i], sizeof bits);
        for (int shift = 0; shift < 32; shift += 8)
            tn_buffer_byte(to, (uint8_t)(bits >> shift));
    }
}

static void same_floats(const struct tn_pickle *value, uint32_t rank,
                        const float *floats, size_t count)
{
    assert_non_null(value);
    assert_int_equal(value->kind, TN_PICKLE_ARRAY);
    assert_int_equal(value->as.array.dtype, TN_FLOAT32);
    assert_int_equal(value->as.array.rank, rank);
    assert_int_equal(value->as.array.size, count * 4);
    if (value->as.array.data.is_latin1)
        return;
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_memory memory;
    struct tn_buffer stored;
    tn_memory_init(&memory, NULL, 0);
    tn_buffer_init(&stored, &memory, &error);
    put_floats(&stored, floats, count);
    assert_memory_equal(value->as.array.data.text.data, stored.data, count * 4);
    tn_buffer_done(&stored);
}

static void test_examples(void **state)
{
    static const float weight[] = { 1, -2, 3.5f, -0.001f };
    static const float bias[]   = { 0.25f, -0.75f };

    (void)state;
    for (int protocol = 2; protocol <= 4; protocol += 2) {
        struct tn_error         error = TN_ERROR_INIT;
        struct tn_memory        memory;
        struct tn_arena         arena;
        const struct tn_pickle *dict;
        char                    path[256];

        snprintf(path, sizeof path,
                 TN_SHARED_DATA
                 "/paddle/layout-examples/state-dict-protocol%d.pdparams",
                 protocol);
        struct tn_bytes file = tn_load_file(path);
        if (!file.data) {
            print_message("skipped: wants real models\n");
            return;
        }
        tn_memory_init(&memory, NULL, 0);
        tn_arena_init(&arena, &memory);
        struct tn_cursor c = tn_cursor_bytes(file, 0, &error);
        assert_int_equal(tn_pickle_read(&c, &arena, &dict), TN_OK);
        assert_int_equal(tn_left(&c), 0);
        same_floats(tn_pickle_find(dict, "fc.weight"), 2, weight, 4);
        same_floats(tn_pickle_find(dict, "fc.bias"), 1, bias, 2);
        const struct tn_pickle *table =
            tn_pickle_find(dict, "StructuredToParameterName@@");
        assert_non_null(table);
        assert_true(tn_bytes_is(
            tn_pickle_text(tn_pickle_find(table, "fc.bias")), "linear_0.b_0"));
        tn_arena_done(&arena);
        free((void *)file.data);
    }
}

/* Python reads what we write, and we read what Python writes */

#define PYTHON "/usr/bin/python3"

static void write_sample(struct tn_buffer *to)
{
    static const float    floats[] = { 1, 2, 3, 4, 5, 6 };
    static const uint64_t dims[]   = { 2, 3 };

    tn_pickle_begin(to);
    tn_pickle_open_dict(to);
    tn_pickle_put_text(to, tn_text("w"));
    tn_pickle_array_head(to, TN_FLOAT32, 2, dims);
    put_floats(to, floats, 6);
    tn_pickle_array_tail(to);
    tn_pickle_put_text(to, tn_text("s"));
    tn_pickle_array_head(to, TN_INT8, 0, NULL);
    tn_buffer_byte(to, 0xfe);
    tn_pickle_array_tail(to);
    tn_pickle_put_text(to, tn_text("more"));
    tn_pickle_open_dict(to);
    tn_pickle_put_text(to, tn_text("name"));
    tn_pickle_put_text(to, tn_text("linear_0.w_0"));
    tn_pickle_close_dict(to);
    tn_pickle_close_dict(to);
    tn_pickle_end(to);
}

static void test_python_reads(void **state)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_memory memory;
    struct tn_buffer bytes;

    (void)state;
    if (system(PYTHON " -c 'import numpy' 2>/dev/null") != 0) {
        print_message("skipped: no numpy to judge\n");
        return;
    }
    tn_memory_init(&memory, NULL, 0);
    tn_buffer_init(&bytes, &memory, &error);
    write_sample(&bytes);
    assert_int_equal(error.status, TN_OK);
    FILE *python = popen(
        PYTHON
        " -c 'import pickle, sys, numpy as n\n"
        "d = pickle.load(sys.stdin.buffer)\n"
        "assert sys.stdin.buffer.read() == b\"\"\n"
        "assert list(d) == [\"w\", \"s\", \"more\"]\n"
        "assert d[\"w\"].dtype == n.float32 and d[\"w\"].shape == (2, 3)\n"
        "assert d[\"w\"].tolist() == [[1, 2, 3], [4, 5, 6]]\n"
        "assert d[\"s\"].dtype == n.int8 and d[\"s\"].item() == -2\n"
        "assert d[\"more\"] == {\"name\": \"linear_0.w_0\"}'",
        "w");
    assert_non_null(python);
    assert_int_equal(fwrite(bytes.data, 1, bytes.size, python), bytes.size);
    assert_int_equal(pclose(python), 0);
    tn_buffer_done(&bytes);
}

/* A dict of arrays of many kinds, under each protocol. */
#define MAKE                                                                   \
    "import pickle, sys, collections, numpy as n\n"                            \
    "d = collections.OrderedDict()\n"                                          \
    "for t in \"b1 i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 c8 c16 >f4\".split():\n"   \
    "    d[t] = n.arange(200).astype(t).reshape(2, 100)\n"                     \
    "d[\"fortran\"] = n.asfortranarray(n.ones((3, 4)))\n"                      \
    "d[\"empty\"] = n.zeros((0, 5), n.float32)\n"                              \
    "d[\"scalar\"] = n.float64(0.5)\n"                                         \
    "d[\"tied\"] = d[\"f4\"]\n"                                                \
    "d[\"nested\"] = {\"lr\": 0.1, \"steps\": [1, 2 ** 40, -3], \"t\": (1, "   \
    "2)}\n"                                                                    \
    "sys.stdout.buffer.write(pickle.dumps(d, int(sys.argv[1])))\n"

static void check_python(struct tn_bytes bytes)
{
    struct tn_error         error = TN_ERROR_INIT;
    struct tn_memory        memory;
    struct tn_arena         arena;
    const struct tn_pickle *dict, *value;

    tn_memory_init(&memory, NULL, 0);
    tn_arena_init(&arena, &memory);
    struct tn_cursor c = tn_cursor_bytes(bytes, 0, &error);
    tn_pickle_read(&c, &arena, &dict);
    if (tn_failed(&error))
        fail_msg("%s at %" PRIu64, error.what, error.offset);
    assert_int_equal(dict->as.list.count, 2 * 20);
    for (uint64_t i = 0; i < 15; i++) {
        value = dict->as.list.items[2 * i + 1];
        assert_int_equal(value->kind, TN_PICKLE_ARRAY);
        assert_int_equal(value->as.array.rank, 2);
        assert_int_equal(value->as.array.dims[1], 100);
    }
    assert_true(tn_pickle_find(dict, ">f4")->as.array.is_big_endian);
    assert_true(tn_pickle_find(dict, "fortran")->as.array.is_fortran);
    assert_int_equal(tn_pickle_find(dict, "empty")->as.array.size, 0);
    assert_int_equal(tn_pickle_find(dict, "scalar")->as.array.rank, 0);
    assert_ptr_equal(tn_pickle_find(dict, "tied"), tn_pickle_find(dict, "f4"));
    value = tn_pickle_find(tn_pickle_find(dict, "nested"), "steps");
    assert_int_equal(value->as.list.items[1]->as.integer, INT64_C(1) << 40);
    assert_int_equal(value->as.list.items[2]->as.integer, -3);
    tn_arena_done(&arena);
}

static void test_reads_python(void **state)
{
    (void)state;
    for (int protocol = 2; protocol <= 5; protocol++) {
        char command[1600], bytes[65536];
        snprintf(command, sizeof command, PYTHON " -c '%s' %d 2>/dev/null",
                 MAKE, protocol);
        FILE  *python = popen(command, "r");
        size_t size   = python ? fread(bytes, 1, sizeof bytes, python) : 0;
        if (!python || pclose(python) != 0) {
            print_message("skipped: no numpy to judge\n");
            return;
        }
        check_python(tn_bytes(bytes, size));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_described),
        cmocka_unit_test(test_hostility),
        cmocka_unit_test(test_no_unfolding),
        cmocka_unit_test(test_examples),
        cmocka_unit_test(test_python_reads),
        cmocka_unit_test(test_reads_python),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
