/* wire_walk_test.c - all fields of long wire, in little memory */
#include "chunk/wire_walk.h"

#include "base/arith.h"
#include "io/file_source.h"
#include "support/hostile.h"

#define FIELDS 400000
#define BUDGET ((uint64_t)3 << 20)

static int read_at(void *context, uint64_t offset, void *to, size_t size)
{
    const struct tn_buffer *bytes = context;

    memcpy(to, bytes->data + offset, size);
    return 0;
}

/* Fields 1 and 2 by turns: a number, and a string of some letters. */
static void fill(struct tn_buffer *bytes)
{
    for (uint64_t i = 0; i < FIELDS; i++) {
        tn_buffer_varint(bytes, tn_tag(1, TN_WIRE_VARINT));
        tn_buffer_varint(bytes, i);
        tn_buffer_varint(bytes, tn_tag(2, TN_WIRE_LEN));
        tn_buffer_varint(bytes, i % 40);
        for (uint64_t n = i % 40; n; n--)
            tn_buffer_byte(bytes, (uint8_t)('a' + i % 26));
    }
}

static uint64_t walk_all(struct tn_source *source, uint64_t skip,
                         struct tn_error *error)
{
    struct tn_wire_walk walk;
    struct tn_pb_field  field;
    struct tn_span      whole;
    uint64_t            count = 0, at = skip;

    tn_wire_walk_init(
        &walk, (struct tn_span){ source, skip, source->size - skip }, error);
    for (; tn_wire_walk_next(&walk, &field, &whole); count++) {
        assert_ptr_equal(whole.source, source);
        assert_int_equal(whole.offset, at);
        at += whole.length;
        if (field.number == 1) {
            assert_int_equal(field.value, count / 2);
            continue;
        }
        assert_ptr_equal(tn_wire_body(&field, whole).source, source);
        struct tn_bytes text = tn_pb_text(&field);
        assert_int_equal(text.size, count / 2 % 40);
        assert_true(!text.size || text.data[0] == 'a' + count / 2 % 26);
    }
    tn_wire_walk_done(&walk);
    return count;
}

static void test_walk(void **state)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_memory memory, small;
    struct tn_buffer bytes;
    struct tn_source mapped, *unmapped;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_memory_init(&small, NULL, BUDGET);
    tn_buffer_init(&bytes, &memory, &error);
    fill(&bytes);
    assert_true(bytes.size > 3 * BUDGET);
    tn_source_memory(&mapped, &small, tn_buffer_bytes(&bytes));
    tn_source_callback(&unmapped, &small, bytes.size, read_at, &bytes, "",
                       &error);
    assert_int_equal(walk_all(&mapped, 0, &error), 2 * FIELDS);
    assert_int_equal(walk_all(unmapped, 0, &error), 2 * FIELDS);
    assert_string_equal(error.what, "");

    /* Cut in the last field: the complaint points there. */
    unmapped->size -= 1;
    assert_int_equal(walk_all(unmapped, 0, &error), 2 * FIELDS - 1);
    assert_int_equal(error.status, TN_TRUNCATED);
    assert_true(error.offset > bytes.size - 64);
    tn_source_close(unmapped);
    tn_source_close(&mapped);
    assert_int_equal(small.used, 0);
    tn_buffer_done(&bytes);
}

/* ---- rows ---------------------------------------------------------------- */

#define MOST_FIELDS 4000

/* Where all fields are, by rows as far as there are some. */
static uint64_t walk_rows(struct tn_source *source, bool takes_rows,
                          struct tn_wire_row *found, uint32_t *numbers,
                          struct tn_error *error)
{
    struct tn_wire_walk walk;
    struct tn_pb_field  field;
    struct tn_span      whole;
    uint64_t            count = 0;

    tn_wire_walk_init(&walk, (struct tn_span){ source, 0, source->size },
                      error);
    for (;;) {
        uint32_t number = 0;
        uint64_t some =
            takes_rows ? tn_wire_walk_rows(&walk, &number, found + count, 7)
                       : 0;
        for (uint64_t i = 0; i < some; i++)
            numbers[count++] = number;
        if (some)
            continue;
        if (!tn_wire_walk_next(&walk, &field, &whole))
            break;
        found[count] = (struct tn_wire_row){ whole.offset, whole.length, 0 };
        numbers[count++] = field.number;
        if (field.type == TN_WIRE_LEN)
            found[count - 1].head =
                (uint32_t)(field.body.offset - whole.offset);
    }
    tn_wire_walk_done(&walk);
    return count;
}

/* Every length of a length, runs of one number, and others between them. */
static void fill_rows(struct tn_buffer *bytes)
{
    static const uint32_t lengths[] = {
        0, 1, 127, 128, 300, 5, 16383, 16384, 2097151, 2097152, 77, 3
    };
    static uint8_t body[2097152];

    for (uint32_t i = 0; i < 200; i++) {
        uint32_t length =
            lengths[i % 12] > 20000 && i > 12 ? 9 : lengths[i % 12];
        tn_buffer_varint(bytes, tn_tag(1 + i / 30 % 20, TN_WIRE_LEN));
        tn_buffer_varint(bytes, length);
        tn_buffer_add(bytes, tn_bytes(body, length));
        if (i % 50 == 49) {
            tn_buffer_varint(bytes, tn_tag(1, TN_WIRE_VARINT));
            tn_buffer_varint(bytes, i);
        }
    }
}

static void compare_rows(struct tn_source *source)
{
    static struct tn_wire_row rows[2][MOST_FIELDS];
    static uint32_t           numbers[2][MOST_FIELDS];
    struct tn_error           errors[2] = { TN_ERROR_INIT, TN_ERROR_INIT };
    uint64_t                  counts[2];

    for (int i = 0; i < 2; i++)
        counts[i] = walk_rows(source, i == 1, rows[i], numbers[i], &errors[i]);
    assert_int_equal(counts[0], counts[1]);
    assert_int_equal(errors[0].status, errors[1].status);
    assert_int_equal(errors[0].offset, errors[1].offset);
    for (uint64_t i = 0; i < counts[0]; i++) {
        assert_int_equal(rows[0][i].offset, rows[1][i].offset);
        assert_int_equal(rows[0][i].length, rows[1][i].length);
        assert_int_equal(rows[0][i].head, rows[1][i].head);
        assert_int_equal(numbers[0][i], numbers[1][i]);
    }
}

static void test_rows(void **state)
{
    struct tn_error   error = TN_ERROR_INIT;
    struct tn_memory  memory;
    struct tn_buffer  bytes;
    struct tn_source *unmapped;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_buffer_init(&bytes, &memory, &error);
    fill_rows(&bytes);
    for (size_t cut = 0; cut < 40; cut++) {
        struct tn_guarded guarded =
            tn_guard(tn_bytes(bytes.data, bytes.size - cut));
        struct tn_source mapped;
        tn_source_memory(&mapped, &memory, guarded.bytes);
        compare_rows(&mapped);
        tn_source_close(&mapped);
        tn_unguard(&guarded);
    }
    tn_source_callback(&unmapped, &memory, bytes.size, read_at, &bytes, "",
                       &error);
    compare_rows(unmapped);
    tn_source_close(unmapped);
    tn_buffer_done(&bytes);
}

/* Strips have what a walk over each alone has, also where the wire is cut. */
static void compare_strips(struct tn_bytes bytes, const size_t *begins)
{
    enum { COUNT = 4, MOST = 20 };
    const uint8_t       *end = bytes.data + bytes.size;
    struct tn_wire_strip strips[COUNT];

    for (unsigned i = 0; i < COUNT; i++)
        strips[i] = (struct tn_wire_strip){
            .at   = bytes.data + tn_min(begins[i], bytes.size),
            .stop = bytes.data + tn_min(begins[i + 1], bytes.size)
        };
    for (unsigned turn = 0; turn < 6; turn++) {
        struct tn_row_sum alone[COUNT] = { { 0 } };
        const uint8_t    *at[COUNT];
        for (unsigned i = 0; i < COUNT; i++) {
            at[i] = strips[i].at;
            if (at[i] < strips[i].stop && *at[i] == 0x0a)
                alone[i] = tn_wire_sum(at[i], strips[i].stop, end, MOST);
        }
        tn_wire_sum_strips(strips, COUNT, 0x0a, end, MOST);
        for (unsigned i = 0; i < COUNT; i++) {
            assert_memory_equal(&strips[i].sum, &alone[i], sizeof alone[i]);
            assert_ptr_equal(strips[i].at, at[i] + alone[i].size);
        }
    }
}

static void test_strips(void **state)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_memory memory;
    struct tn_buffer bytes;
    size_t           begins[5] = { 0 };

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_buffer_init(&bytes, &memory, &error);
    for (unsigned i = 0; i < 200; i++) {
        begins[i / 50] = i % 50 ? begins[i / 50] : bytes.size;
        tn_buffer_varint(&bytes, i == 120 ? 0x12 : 0x0a);
        tn_buffer_varint(&bytes, i * 3);
        memset(tn_buffer_room(&bytes, i * 3 + 1), 'x', i * 3);
        bytes.size += i * 3;
    }
    begins[4] = bytes.size;
    for (size_t cut = 0; cut < 700; cut += 7) {
        struct tn_guarded guarded =
            tn_guard(tn_bytes(bytes.data, bytes.size - cut));
        compare_strips(guarded.bytes, begins);
        tn_unguard(&guarded);
    }
    tn_buffer_done(&bytes);
}

static void test_nothing(void **state)
{
    struct tn_error     error = TN_ERROR_INIT;
    struct tn_wire_walk walk;
    struct tn_pb_field  field;
    struct tn_span      whole;

    (void)state;
    tn_wire_walk_init(&walk, (struct tn_span){ NULL, 0, 0 }, &error);
    assert_false(tn_wire_walk_next(&walk, &field, &whole));
    tn_wire_walk_done(&walk);
    assert_int_equal(error.status, TN_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_walk),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_strips),
        cmocka_unit_test(test_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
