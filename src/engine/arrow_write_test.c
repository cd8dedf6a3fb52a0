/* arrow_write_test.c - the frame of Arrow's messages; apache-arrow and polars
 * judge what is in them (tests/fleet/forms.py) */
#include "engine/arrow_write.h"

#include "base/little.h"
#include "support/hostile.h"

static const struct tn_arrow_field fields[] = {
    { "text", TN_ARROW_TEXT },
    { "number", TN_ARROW_UINT64 },
    { "real", TN_ARROW_DOUBLE },
    { "list", TN_ARROW_UINT64_LIST },
};

static enum tn_status write_rows(struct tn_buffer *to, uint64_t count,
                                 bool is_file, struct tn_memory *memory,
                                 struct tn_error *error)
{
    struct tn_arrow_writer *writer;
    uint64_t                items[] = { 1, 2, 3 };

    TN_TRY(tn_arrow_open(&writer, memory, &to->sink, fields, 4, is_file,
                         error));
    for (uint64_t i = 0; i < count; i++) {
        if (i % 2)
            tn_arrow_text(writer, 0, tn_text("some text"));
        if (i % 3)
            tn_arrow_uint64(writer, 1, i);
        if (i % 5)
            tn_arrow_double(writer, 2, (double)i / 2);
        if (i % 7)
            tn_arrow_list(writer, 3, items, (uint32_t)(i % 4));
        tn_arrow_end_row(writer);
    }
    tn_arrow_finish(writer);
    tn_arrow_close(writer);
    return error->status;
}

/* Walks over the messages of a stream; returns how many there are. */
static unsigned count_messages(struct tn_bytes bytes, size_t at, size_t *end)
{
    unsigned count = 0;

    for (;;) {
        assert_true(at % 8 == 0 && at + 8 <= bytes.size);
        assert_int_equal(tn_load_little(bytes.data + at, 4), UINT32_MAX);
        size_t size = (size_t)tn_load_little(bytes.data + at + 4, 4);
        at += 8;
        if (size == 0)
            break;
        assert_true(size % 8 == 0 && at + size <= bytes.size);
        /* The table of the message, its vtable, and the length of the body. */
        const uint8_t *root =
            bytes.data + at + tn_load_little(bytes.data + at, 4);
        const uint8_t *vtable = root - (int32_t)tn_load_little(root, 4);
        size_t field = (size_t)tn_load_little(vtable + 4 + 2 * 3, 2);
        at += size + (size_t)tn_load_little(root + field, 8);
        count++;
    }
    *end = at;
    return count;
}

static void test_frames(void **state)
{
    static const struct {
        uint64_t rows;
        unsigned messages;
    } cases[] = { { 0, 1 }, { 1, 2 }, { 4096, 2 }, { 4097, 3 }, { 10000, 4 } };

    (void)state;
    for (size_t i = 0; i < 2 * sizeof cases / sizeof cases[0]; i++) {
        bool             is_file = i % 2;
        struct tn_error  error   = TN_ERROR_INIT;
        struct tn_memory memory;
        struct tn_buffer to;
        size_t           end;
        tn_memory_init(&memory, NULL, 0);
        tn_buffer_init(&to, &memory, &error);
        assert_int_equal(write_rows(&to, cases[i / 2].rows, is_file, &memory,
                                    &error),
                         TN_OK);
        struct tn_bytes bytes = tn_buffer_bytes(&to);
        assert_int_equal(count_messages(bytes, is_file ? 8 : 0, &end),
                         cases[i / 2].messages);
        if (is_file) {
            assert_true(tn_bytes_starts_with(bytes, "ARROW1"));
            assert_true(tn_bytes_ends_with(bytes, "ARROW1"));
            size_t footer =
                (size_t)tn_load_little(bytes.data + bytes.size - 10, 4);
            assert_int_equal(end + footer + 10, bytes.size);
        } else
            assert_int_equal(end, bytes.size);
        tn_buffer_done(&to);
        assert_int_equal(memory.used, 0);
    }
}

static enum tn_status write_some(struct tn_bytes input,
                                 struct tn_memory *memory,
                                 struct tn_error  *error)
{
    struct tn_buffer to;

    (void)input;
    tn_buffer_init(&to, memory, error);
    write_rows(&to, 30, true, memory, error);
    tn_buffer_done(&to);
    return error->status;
}

static void test_no_memory(void **state)
{
    (void)state;
    tn_survives_no_memory(write_some, tn_text(""));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_frames),
                                        cmocka_unit_test(test_no_memory) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
