/* pb_wire_test.c - what the walker sees, and where it stops */
#include "support/hostile.h"

#include <stdlib.h>

#include "wire/pb/pb_wire.h"

#define G4  "0b 0b 0b 0b "
#define G20 G4 G4 G4 G4 G4
#define E20 "0c 0c 0c 0c 0c 0c 0c 0c 0c 0c 0c 0c 0c 0c 0c 0c 0c 0c 0c 0c "

static const struct {
    const char    *name, *bytes;
    enum tn_status status;
    uint64_t       offset; /* where the complaint must point                  */
    uint64_t       count;  /* fields seen before it                           */
} cases[] = {
    { "nothing", "", TN_OK, 0, 0 },
    { "a varint", "08 96 01", TN_OK, 0, 1 },
    { "all wire types",
      "08 01 11 01 02 03 04 05 06 07 08 1a 01 61 23 08 01 24"
      " 2d 01 02 03 04",
      TN_OK, 0, 5 },
    { "tag spelled with three bytes", "88 80 00 01", TN_OK, 0, 1 },
    { "largest field number", "f8 ff ff ff 0f 01", TN_OK, 0, 1 },
    { "largest number", "08 ff ff ff ff ff ff ff ff ff 01", TN_OK, 0, 1 },
    { "zero in ten bytes", "08 80 80 80 80 80 80 80 80 80 00", TN_OK, 0, 1 },
    { "hundred groups", G20 G20 G20 G20 G20 E20 E20 E20 E20 E20, TN_OK, 0, 1 },

    { "field number 0", "08 01 00 01", TN_MALFORMED, 2, 1 },
    { "field number 0 as LEN", "02 00", TN_MALFORMED, 0, 0 },
    { "wire type 6", "08 01 0e", TN_MALFORMED, 2, 1 },
    { "wire type 7", "0f", TN_MALFORMED, 0, 0 },
    { "tag of 33 bits", "80 80 80 80 10 01", TN_MALFORMED, 0, 0 },
    { "tag of 64 bits", "08 01 f8 ff ff ff ff ff ff ff ff 01 01", TN_MALFORMED,
      2, 1 },
    { "tag cut short", "08 01 80", TN_TRUNCATED, 3, 1 },
    { "varint of 65 bits", "08 ff ff ff ff ff ff ff ff ff 02", TN_MALFORMED, 1,
      0 },
    { "varint of eleven bytes", "08 80 80 80 80 80 80 80 80 80 80 00",
      TN_MALFORMED, 1, 0 },
    { "varint cut short", "08 ff ff", TN_TRUNCATED, 3, 0 },
    { "value missing", "08", TN_TRUNCATED, 1, 0 },
    { "seven of eight bytes", "09 01 02 03 04 05 06 07", TN_TRUNCATED, 1, 0 },
    { "three of four bytes", "0d 01 02 03", TN_TRUNCATED, 1, 0 },
    { "length past the end", "0a 02 61", TN_TRUNCATED, 2, 0 },
    { "length of 2^63", "08 01 0a 80 80 80 80 80 80 80 80 80 01 61",
      TN_TRUNCATED, 13, 1 },
    { "length that wraps an offset", "0a ff ff ff ff ff ff ff ff ff 01 61 61",
      TN_TRUNCATED, 11, 0 },
    { "length of 2^32 + 1", "0a 81 80 80 80 10 61", TN_TRUNCATED, 6, 0 },
    { "group not closed", "0b 08 01", TN_TRUNCATED, 3, 0 },
    { "group closed as another", "08 01 0b 08 01 14", TN_MALFORMED, 5, 1 },
    { "inner group closed as the outer", "0b 13 0c 14", TN_MALFORMED, 2, 0 },
    { "group that never began", "08 01 0c", TN_MALFORMED, 2, 1 },
    { "length past the group", "0b 12 05 0c", TN_TRUNCATED, 3, 0 },
    { "hundred and one groups",
      G20 G20 G20 G20 G20 "0b " E20 E20 E20 E20 E20 "0c", TN_LIMIT, 100, 0 },
};

static void walker_sees(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tn_bytes    bytes   = tn_hex(cases[i].bytes);
        struct tn_guarded  guarded = tn_guard(bytes);
        struct tn_error    error   = TN_ERROR_INIT;
        struct tn_cursor   c       = tn_cursor_bytes(guarded.bytes, 0, &error);
        struct tn_pb_field f;
        uint64_t           count = 0;

        while (tn_pb_next(&c, &f))
            count++;
        if (error.status != cases[i].status || count != cases[i].count ||
            (error.status && error.offset != cases[i].offset))
            fail_msg("%s: %s at %lld after %lld fields", cases[i].name,
                     tn_status_name(error.status), (long long)error.offset,
                     (long long)count);
        assert_false(tn_more(&c));
        tn_unguard(&guarded);
        free((void *)bytes.data);
    }
}

static void fields_have_values(void **state)
{
    struct tn_bytes    bytes = tn_hex("08 96 01 11 01 02 03 04 05 06 07 88 "
                                         "1d 01 02 03 84 22 02 68 69 2b 08 07 2c");
    struct tn_error    error = TN_ERROR_INIT;
    struct tn_cursor   c     = tn_cursor_bytes(bytes, 1000, &error);
    struct tn_pb_field f, inner;

    (void)state;
    assert_true(tn_pb_next(&c, &f));
    assert_int_equal(f.number, 1);
    assert_int_equal(f.value, 150);
    assert_int_equal(f.offset, 1000);
    assert_int_equal(tn_pb_field_span(&c, &f).length, 3);
    assert_true(tn_pb_next(&c, &f));
    assert_true(f.value == UINT64_C(0x8807060504030201));
    assert_true(tn_pb_next(&c, &f));
    assert_int_equal(f.value, 0x84030201);
    assert_true(tn_pb_next(&c, &f));
    assert_int_equal(tn_pb_body_span(&f).offset, 1019);
    assert_true(tn_bytes_is(tn_pb_text(&f), "hi"));
    assert_true(tn_pb_next(&c, &f)); /* the group: its body has no end tag */
    assert_int_equal(f.type, TN_WIRE_GROUP_BEGIN);
    assert_int_equal(tn_pb_field_span(&c, &f).length, 4);
    assert_true(tn_pb_next(&f.body, &inner));
    assert_int_equal(inner.value, 7);
    assert_false(tn_pb_next(&f.body, &inner));
    assert_false(tn_pb_next(&c, &f));
    assert_false(tn_failed(&error));
    free((void *)bytes.data);
}

static const struct {
    const char       *name, *bytes;
    enum tn_wire_type type;
    enum tn_status    status;
    uint64_t          offset, sum, count;
} number_cases[] = {
    { "unpacked", "08 01 08 02", TN_WIRE_VARINT, TN_OK, 0, 3, 2 },
    { "packed", "0a 03 01 ac 02", TN_WIRE_VARINT, TN_OK, 0, 301, 2 },
    { "packed, nothing in it", "0a 00", TN_WIRE_VARINT, TN_OK, 0, 0, 0 },
    { "both mixed", "08 01 0a 02 02 03 08 04", TN_WIRE_VARINT, TN_OK, 0, 10,
      4 },
    { "packed fixed32", "0a 08 01 00 00 00 02 00 00 00", TN_WIRE_FIXED32, TN_OK,
      0, 3, 2 },
    { "packed fixed64", "0a 08 01 00 00 00 02 00 00 00", TN_WIRE_FIXED64, TN_OK,
      0, UINT64_C(0x200000001), 1 },
    { "unpacked of another type", "08 01 09 01 02 03 04 05 06 07 08",
      TN_WIRE_VARINT, TN_MALFORMED, 2, 1, 1 },
    { "group for numbers", "0b 0c", TN_WIRE_VARINT, TN_MALFORMED, 0, 0, 0 },
    { "packed run ends inside a number", "0a 02 01 80 08 07", TN_WIRE_VARINT,
      TN_TRUNCATED, 4, 1, 1 },
    { "packed fixed32 of 6 bytes", "0a 06 01 00 00 00 02 00 08 01",
      TN_WIRE_FIXED32, TN_TRUNCATED, 6, 1, 1 },
};

static void numbers_come_packed_and_not(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof number_cases / sizeof *number_cases; i++) {
        struct tn_bytes    bytes = tn_hex(number_cases[i].bytes);
        struct tn_error    error = TN_ERROR_INIT;
        struct tn_cursor   c     = tn_cursor_bytes(bytes, 0, &error);
        struct tn_pb_field f;
        uint64_t           value, sum = 0, count = 0;

        while (tn_pb_next(&c, &f))
            for (; tn_pb_number(&c, &f, number_cases[i].type, &value); count++)
                sum += value;
        if (error.status != number_cases[i].status ||
            sum != number_cases[i].sum || count != number_cases[i].count ||
            (error.status && error.offset != number_cases[i].offset))
            fail_msg("%s: %s at %lld, %lld numbers", number_cases[i].name,
                     tn_status_name(error.status), (long long)error.offset,
                     (long long)count);
        free((void *)bytes.data);
    }
}

/*
 * A source that is not mapped: 6 GiB, of which only the tags exist.
 *   0  0a len           a LEN body of 5 GiB - 6
 *      10 07            at 5 GiB
 */
#define FAR (UINT64_C(5) << 30)

static uint64_t largest_read_end;
static uint64_t bytes_read;

static enum tn_status sparse_read_at(struct tn_source *source, uint64_t offset,
                                     void *to, size_t size,
                                     struct tn_error *error)
{
    static const uint8_t head[] = { 0x0a, 0xfa, 0xff, 0xff, 0xff, 0x13 };
    static const uint8_t tail[] = { 0x10, 0x07 };

    (void)source;
    (void)error;
    memset(to, 0, size);
    if (offset == 0)
        memcpy(to, head, size < sizeof head ? size : sizeof head);
    if (offset == FAR)
        memcpy(to, tail, size < sizeof tail ? size : sizeof tail);
    bytes_read += size;
    if (offset + size > largest_read_end && offset < FAR)
        largest_read_end = offset + size;
    return TN_OK;
}

static void sparse_close(struct tn_source *source)
{
    (void)source;
}

static void skipped_bodies_are_not_read(void **state)
{
    static const struct tn_source_ops ops   = { sparse_read_at, sparse_close };
    struct tn_error                   error = TN_ERROR_INIT;
    struct tn_memory                  memory;
    struct tn_pb_field                f;

    (void)state;
    tn_memory_init(&memory, NULL, 1 << 20);
    struct tn_source source = {
        .ops = &ops, .size = FAR + 2, .name = "", .memory = &memory
    };
    tn_arena_init(&source.pins, &memory);
    largest_read_end = bytes_read = 0;
    struct tn_cursor c =
        tn_cursor_span((struct tn_span){ &source, 0, FAR + 2 }, &error);
    assert_true(tn_pb_next(&c, &f));
    assert_true(tn_pb_body_span(&f).length == FAR - 6);
    assert_true(tn_pb_next(&c, &f));
    assert_true(f.offset == FAR);
    assert_int_equal(f.value, 7);
    assert_false(tn_pb_next(&c, &f));
    assert_false(tn_failed(&error));
    assert_true(largest_read_end <= 64 << 10);
    assert_true(bytes_read <= 2 * (64 << 10));
    tn_source_close(&source);
    assert_int_equal(memory.used, 0);
}

/* Where the quick way reads a field, the slow way reads the same. */
static void expect_same_field(struct tn_bytes input)
{
    struct tn_error    error = TN_ERROR_INIT;
    struct tn_cursor   quick = tn_cursor_bytes(input, 100, &error);
    struct tn_cursor   slow  = quick;
    struct tn_pb_field a, b;

    if (!tn_pb_next_quickly(&quick, &a)) {
        assert_ptr_equal(quick.at, slow.at);
        assert_true(quick.offset == slow.offset);
        return;
    }
    assert_true(tn_pb_next_slowly(&slow, &b));
    assert_ptr_equal(quick.at, slow.at);
    assert_true(quick.offset == slow.offset);
    assert_int_equal(a.number, b.number);
    assert_int_equal(a.type, b.type);
    assert_true(a.offset == b.offset && a.value == b.value);
    if (a.type != TN_WIRE_LEN)
        return;
    assert_ptr_equal(a.body.at, b.body.at);
    assert_ptr_equal(a.body.end, b.body.end);
    assert_true(a.body.offset == b.body.offset);
    assert_true(a.body.beyond == b.body.beyond);
    assert_ptr_equal(a.body.error, b.body.error);
}

/* All texts of up to five bytes out of those that decide something. */
static void quick_and_slow_agree(void **state)
{
    static const uint8_t bytes[] = { 0x00, 0x01, 0x02, 0x03, 0x05, 0x08,
                                     0x0a, 0x7f, 0x80, 0x82, 0xff };
    enum { KINDS = sizeof bytes, LONGEST = 5 };

    (void)state;
    for (size_t size = 0, count = 1; size <= LONGEST; size++, count *= KINDS)
        for (size_t i = 0; i < count; i++) {
            uint8_t text[LONGEST + 1];
            for (size_t k = 0, rest = i; k < size; k++, rest /= KINDS)
                text[k] = bytes[rest % KINDS];
            expect_same_field(tn_bytes(text, size));
        }
}

static void a_failure_stops_every_cursor(void **state)
{
    static const uint8_t text[] = { 0x08, 0x01, 0x08, 0x01 };
    struct tn_error      error  = TN_ERROR_INIT;
    struct tn_cursor     c      = tn_cursor_bytes(tn_bytes(text, 4), 0, &error);
    struct tn_cursor     other  = c;
    struct tn_pb_field   f;

    (void)state;
    assert_true(tn_pb_next(&c, &f));
    tn_fail(&other, TN_MALFORMED, "elsewhere");
    assert_false(tn_pb_next(&c, &f));
}

static void messages_are_found_with_their_names(void **state)
{
    static const struct {
        const char    *name, *bytes, *names; /* each with a comma behind it   */
        enum tn_status status;
        uint64_t       offset;
    } rows[] = {
        { "none", "08 01", "", TN_OK, 0 },
        { "two", "12 03 0a 01 61 08 07 12 05 10 01 0a 01 62", "a,b,", TN_OK,
          0 },
        { "one without a name", "12 02 10 01", ",", TN_OK, 0 },
        { "the last name counts", "12 06 0a 01 61 0a 01 62", "b,", TN_OK, 0 },
        { "a number in place of one", "12 03 0a 01 61 10 01", "a,",
          TN_MALFORMED, 5 },
        { "a name that is a number", "12 02 08 01", "", TN_MALFORMED, 2 },
        { "a name cut short", "12 02 0a 05", "", TN_TRUNCATED, 4 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tn_bytes  bytes = tn_hex(rows[i].bytes), name;
        struct tn_error  error = TN_ERROR_INIT;
        struct tn_cursor c     = tn_cursor_bytes(bytes, 0, &error);
        struct tn_span   message;
        char             seen[16] = "";

        while (tn_pb_next_named(&c, 2, 1, &name, &message)) {
            strncat(seen, (const char *)name.data, name.size);
            strcat(seen, ",");
        }
        if (strcmp(seen, rows[i].names) || error.status != rows[i].status ||
            (error.status != TN_OK && error.offset != rows[i].offset))
            fail_msg("%s: %s, status %d at %" PRIu64, rows[i].name, seen,
                     error.status, error.offset);
        free((void *)bytes.data);
    }
}

static void a_cursor_steps_to_a_field(void **state)
{
    static const struct {
        const char *bytes;
        uint64_t    offset; /* of the first field 5                           */
    } rows[] = {
        { "", 0 },
        { "2a 00", 0 },
        { "0a 01 61 12 02 2a 00 2a 00 2a 00", 7 },
        { "08 05 0a 01 61 15 01 02 03 04 28 01 0a 00", 10 },
        { "0a 80 01 61", 0 }, /* cut short */
        { "0a 01 61 2b 2c", 3 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tn_bytes    bytes = tn_hex(rows[i].bytes);
        struct tn_error    error = TN_ERROR_INIT;
        struct tn_cursor   c     = tn_cursor_bytes(bytes, 0, &error);
        struct tn_pb_field field;

        tn_pb_step_to(&c, 5);
        if (tn_pb_next(&c, &field) &&
            (field.number != 5 || field.offset != rows[i].offset))
            fail_msg("row %zu: field %u at %" PRIu64, i, field.number,
                     field.offset);
        assert_int_equal(tn_failed(&error), i == 4);
        free((void *)bytes.data);
    }
}

static enum tn_status walk(struct tn_bytes input, struct tn_memory *memory,
                           struct tn_error *error)
{
    struct tn_cursor   c = tn_cursor_bytes(input, 0, error);
    struct tn_pb_field f;
    uint64_t           count = 0;

    (void)memory;
    while (tn_pb_next(&c, &f))
        count++;
    if (!count)
        tn_fail(&c, TN_TRUNCATED, "nothing");
    return error->status;
}

static void hostility(void **state)
{
    struct tn_bytes one = tn_hex("0b 12 03 61 62 63 19 01 02 03 04 05 06 07 08 "
                                 "25 01 02 03 04 23 24 0c");

    (void)state;
    tn_survives_hostility(walk, one);
    free((void *)one.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walker_sees),
        cmocka_unit_test(fields_have_values),
        cmocka_unit_test(numbers_come_packed_and_not),
        cmocka_unit_test(skipped_bodies_are_not_read),
        cmocka_unit_test(quick_and_slow_agree),
        cmocka_unit_test(a_failure_stops_every_cursor),
        cmocka_unit_test(messages_are_found_with_their_names),
        cmocka_unit_test(a_cursor_steps_to_a_field),
        cmocka_unit_test(hostility),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
