/* sd_array_test.c - FlatArray: both dialects, both byte orders, lies */
#include <stdio.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "format/samediff/samediff.h"
#include "support/hostile.h"
#include "wire/fb/fb_builtin.h"
#include "wire/fb/fb_verify.h"

struct bench {
    struct tn_memory memory;
    struct tn_arena  arena;
    struct tn_error  error;
};

static void bench_init(struct bench *b)
{
    tn_memory_init(&b->memory, NULL, 0);
    tn_arena_init(&b->arena, &b->memory);
    b->error = (struct tn_error)TN_ERROR_INIT;
}

static void bench_done(struct bench *b)
{
    tn_arena_done(&b->arena);
    assert_int_equal(b->memory.used, 0);
}

/* An array as it would be in a file, made number by number. */
struct made {
    int64_t     shape[10];
    uint32_t    shape_count;
    const char *hex;
    int8_t      dtype, order;
};

static struct tn_bytes make(struct bench *b, const struct made *made)
{
    struct tn_bytes      data = tn_hex(made->hex), bytes;
    struct tn_fb_builder fb;
    struct tn_rope       rope;
    struct tn_buffer     buffer;

    tn_fb_build_init(&fb, &b->arena, &b->error);
    tn_rope_init(&rope, &b->arena, &b->error);
    tn_buffer_init(&buffer, &b->memory, &b->error);
    uint32_t dims = tn_fb_put_i64s(&fb, made->shape, made->shape_count);
    uint32_t body = made->hex[0] ? tn_fb_put_vector(&fb, data, 1, 1) : 0;
    tn_fb_begin(&fb);
    tn_fb_add_ref(&fb, TN_SD_ARRAY_SHAPE, dims);
    tn_fb_add_ref(&fb, TN_SD_ARRAY_BUFFER, body);
    tn_fb_add_i8(&fb, TN_SD_ARRAY_DTYPE, made->dtype, 0);
    tn_fb_add_i8(&fb, TN_SD_ARRAY_BYTE_ORDER, made->order, 0);
    tn_fb_finish(&fb, tn_fb_end(&fb), NULL, &rope);
    tn_rope_write(&rope, &buffer.sink, &b->error);
    bytes = tn_bytes_dup(&b->arena, tn_buffer_bytes(&buffer), &b->error);
    tn_buffer_done(&buffer);
    tn_rope_done(&rope);
    tn_fb_build_done(&fb);
    free((void *)(uintptr_t)data.data);
    return bytes;
}

static enum tn_status read_bytes(struct bench *b, struct tn_source *source,
                                 struct tn_bytes bytes, bool prefers_plain,
                                 struct tn_sd_array *array)
{
    struct tn_fb *fb = tn_new(&b->arena, struct tn_fb, 1, &b->error);

    tn_source_memory(source, &b->memory, bytes);
    if (tn_fb_open(fb, (struct tn_span){ source, 0, bytes.size }, &b->arena,
                   &b->error) != TN_OK)
        return b->error.status;
    struct tn_fb_table root = tn_fb_root(fb);
    return tn_sd_array_read(&root, prefers_plain, &b->arena, array);
}

/* The elements as text: "1,2,3". */
static void show(struct bench *b, const struct tn_elements *e, char *to,
                 size_t size)
{
    struct tn_buffer buffer;
    uint64_t         count = 0;
    size_t           at    = 0;

    to[0] = 0;
    tn_buffer_init(&buffer, &b->memory, &b->error);
    tn_shape_count(&e->shape, &count);
    assert_int_equal(
        tn_payload_stream(e, 0, count, &b->memory, &buffer.sink, &b->error),
        TN_OK);
    unsigned unit = tn_dtype_size(e->shape.dtype);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t value = 0;
        for (unsigned k = unit; k-- > 0;)
            value = value << 8 | buffer.data[i * unit + k];
        at += (size_t)snprintf(to + at, size - at, "%s%llu", i ? "," : "",
                               (unsigned long long)value);
    }
    tn_buffer_done(&buffer);
}

enum { I16 = TN_SD_INT16, I16_FLAG = 65536, C = 99, F = 102 };

#define SIX_BIG    "00 01 00 02 00 03 00 04 00 05 00 06"
#define SIX_LITTLE "01 00 02 00 03 00 04 00 05 00 06 00"

static const struct {
    const char    *name;
    struct made    made;
    bool           prefers_plain;
    enum tn_status status;
    const char    *values;
} arrays[] = {
    { "big-endian rows",
      { { 2, 2, 3, 3, 1, I16_FLAG, 1, C }, 8, SIX_BIG, I16, 1 },
      false,
      TN_OK,
      "1,2,3,4,5,6" },
    { "little-endian rows",
      { { 2, 2, 3, 3, 1, I16_FLAG, 1, C }, 8, SIX_LITTLE, I16, 0 },
      false,
      TN_OK,
      "1,2,3,4,5,6" },
    { "little-endian columns",
      { { 2, 2, 3, 1, 2, I16_FLAG, 1, F }, 8, SIX_LITTLE, I16, 0 },
      false,
      TN_OK,
      "1,3,5,2,4,6" },
    { "big-endian columns",
      { { 2, 2, 3, 1, 2, I16_FLAG, 1, F }, 8, SIX_BIG, I16, 1 },
      false,
      TN_OK,
      "1,3,5,2,4,6" },
    { "a record inside SDNB",
      { { 2, 2, 3, 3, 1, I16_FLAG, 1, C }, 8, SIX_BIG, I16, 1 },
      true,
      TN_OK,
      "1,2,3,4,5,6" },
    { "strides of one mean nothing",
      { { 2, 1, 6, 77, 1, I16_FLAG, 1, C }, 8, SIX_BIG, I16, 1 },
      false,
      TN_OK,
      "1,2,3,4,5,6" },
    { "scalar",
      { { 0, I16_FLAG, 1, C }, 4, "00 07", I16, 1 },
      false,
      TN_OK,
      "7" },
    { "scalar of six numbers",
      { { 0, 0, 1, I16_FLAG, 1, C }, 6, "00 07", I16, 1 },
      false,
      TN_OK,
      "7" },
    { "plain rows",
      { { 2, 3 }, 2, SIX_LITTLE, I16, 0 },
      true,
      TN_OK,
      "1,2,3,4,5,6" },
    { "plain columns",
      { { 2, 3 }, 2, SIX_LITTLE, I16, 1 },
      true,
      TN_OK,
      "1,3,5,2,4,6" },
    { "plain scalar", { { 0 }, 0, "07 00", I16, 0 }, true, TN_OK, "7" },
    { "bytes have no order",
      { { 1, 2, 1, 32768, 1, C }, 6, "01 02", TN_SD_INT8, 1 },
      false,
      TN_OK,
      "1,2" },
    { "no elements",
      { { 1, 0, 1, I16_FLAG | 8, 1, C }, 6, "", I16, 1 },
      false,
      TN_OK,
      "" },
    { "empty, and a shape of four",
      { { 1, 4, 1, I16_FLAG | 8, 1, C }, 6, "", I16, 1 },
      false,
      TN_OK,
      "" },
    { "empty by its flags, of another type",
      { { 1, 0, 1, I16_FLAG | 8, 1, C }, 6, "", TN_SD_DOUBLE, 1 },
      false,
      TN_OK,
      "" },
    { "too short a buffer",
      { { 2, 2, 3, 3, 1, I16_FLAG, 1, C }, 8, "00 01", I16, 1 },
      false,
      TN_MALFORMED,
      NULL },
    { "no buffer",
      { { 2, 2, 3, 3, 1, I16_FLAG, 1, C }, 8, "", I16, 1 },
      false,
      TN_MALFORMED,
      NULL },
    { "elements twice",
      { { 2, 2, 3, 0, 1, I16_FLAG, 1, C }, 8, SIX_BIG, I16, 1 },
      false,
      TN_MALFORMED,
      NULL },
    { "strides past the end",
      { { 2, 2, 3, 100, 1, I16_FLAG, 1, C }, 8, SIX_BIG, I16, 1 },
      false,
      TN_MALFORMED,
      NULL },
    { "a negative dimension",
      { { 2, -2, 3, 3, 1, I16_FLAG, 1, C }, 8, SIX_BIG, I16, 1 },
      false,
      TN_MALFORMED,
      NULL },
    { "a product that wraps",
      { { 2, INT64_MAX, 4, 3, 1, I16_FLAG, 1, C }, 8, SIX_BIG, I16, 1 },
      false,
      TN_MALFORMED,
      NULL },
    { "no such type",
      { { 1, 2, 1, I16_FLAG, 1, C }, 6, "01 02", 99, 1 },
      false,
      TN_UNSUPPORTED,
      NULL },
    { "FLOAT8",
      { { 1, 2, 1, 1024, 1, C }, 6, "01 02", 2, 1 },
      false,
      TN_UNSUPPORTED,
      NULL },
};

static void arrays_are_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        struct bench       b;
        struct tn_source   source;
        struct tn_sd_array array;
        char               text[200];
        bench_init(&b);
        struct tn_bytes bytes = make(&b, &arrays[i].made);
        enum tn_status  status =
            read_bytes(&b, &source, bytes, arrays[i].prefers_plain, &array);
        if (status != arrays[i].status)
            fail_msg("%s: %s, %s", arrays[i].name, tn_status_name(status),
                     b.error.what);
        if (status == TN_OK) {
            show(&b, &array.elements, text, sizeof text);
            assert_string_equal(text, arrays[i].values);
        } else {
            assert_true(b.error.offset < bytes.size);
        }
        tn_source_close(&source);
        bench_done(&b);
    }
}

/* ---- strings ------------------------------------------------------------ */

#define Z7 "00 00 00 00 00 00 00 "

static const struct {
    const char    *name;
    const char    *hex;
    enum tn_status status;
    const char    *text;
} strings[] = {
    { "S1", "00 " Z7 "01 " Z7 "03 " Z7 "61 62 63", TN_OK, "a|bc|" },
    { "S0", Z7 "02 " Z7 "00 " Z7 "01 " Z7 "03 61 62 63", TN_OK, "a|bc|" },
    { "S0 of three strings", Z7 "03 " Z7 "00 " Z7 "01 " Z7 "03 61 62 63",
      TN_MALFORMED, NULL },
    { "no table", "00 00", TN_MALFORMED, NULL },
    { "offsets past the end", "00 " Z7 "01 " Z7 "09 " Z7 "61", TN_OK, NULL },
};

static enum tn_status join(void *context, uint64_t index, struct tn_span text,
                           struct tn_error *error)
{
    char *to = context;

    (void)index;
    (void)error;
    memcpy(to + strlen(to), text.source->map + text.offset,
           (size_t)text.length);
    strcat(to, "|");
    return TN_OK;
}

static void strings_are_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof strings / sizeof strings[0]; i++) {
        struct made made = {
            { 1, 2, 1, 1048576, 1, C }, 6, strings[i].hex, TN_SD_UTF8, 1
        };
        struct bench       b;
        struct tn_source   source;
        struct tn_sd_array array;
        char               text[64] = "";
        bench_init(&b);
        enum tn_status status =
            read_bytes(&b, &source, make(&b, &made), false, &array);
        assert_int_equal(status, strings[i].status);
        if (status == TN_OK) {
            tn_payload_strings(&array.elements, 0, 2, join, text, &b.error);
            assert_int_equal(strings[i].text == NULL, tn_failed(&b.error));
            if (strings[i].text)
                assert_string_equal(text, strings[i].text);
        }
        tn_source_close(&source);
        bench_done(&b);
    }
}

/* ---- writing ------------------------------------------------------------ */

static struct tn_bytes put(struct bench *b, const struct tn_elements *elements,
                           enum tn_sd_array_form form)
{
    struct tn_sd_array_how how = { form, 1, NULL };
    struct tn_fb_builder   fb;
    struct tn_rope         rope;
    struct tn_buffer       buffer;

    tn_fb_build_init(&fb, &b->arena, &b->error);
    tn_rope_init(&rope, &b->arena, &b->error);
    tn_buffer_init(&buffer, &b->memory, &b->error);
    uint32_t root = tn_sd_array_put(&fb, elements, &how, &b->memory);
    if (tn_fb_finish(&fb, root, NULL, &rope) == TN_OK)
        tn_rope_write(&rope, &buffer.sink, &b->error);
    struct tn_bytes bytes =
        tn_bytes_dup(&b->arena, tn_buffer_bytes(&buffer), &b->error);
    tn_buffer_done(&buffer);
    tn_rope_done(&rope);
    tn_fb_build_done(&fb);
    return bytes;
}

/* Each array in each form: the same elements, the same order. */
static void arrays_are_written(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        for (int form = TN_SD_FORM_BIG; form <= TN_SD_FORM_PLAIN; form++) {
            struct bench       b;
            struct tn_source   from, to;
            struct tn_sd_array first, second;
            char               text[200];
            if (arrays[i].status != TN_OK)
                continue;
            bench_init(&b);
            read_bytes(&b, &from, make(&b, &arrays[i].made),
                       arrays[i].prefers_plain, &first);
            struct tn_bytes bytes =
                put(&b, &first.elements, (enum tn_sd_array_form)form);
            assert_int_equal(b.error.status, TN_OK);
            read_bytes(&b, &to, bytes, form == TN_SD_FORM_PLAIN, &second);
            assert_int_equal(b.error.status, TN_OK);
            show(&b, &second.elements, text, sizeof text);
            assert_string_equal(text, arrays[i].values);
            assert_int_equal(second.is_plain, form == TN_SD_FORM_PLAIN);
            if (first.elements.shape.rank > 1 &&
                arrays[i].made.shape_count == 8)
                assert_int_equal(second.order, first.order);
            tn_source_close(&to);
            tn_source_close(&from);
            bench_done(&b);
        }
}

static void types_that_are_not_there_are_refused(void **state)
{
    uint64_t           dim = 1;
    struct tn_elements e   = { { TN_COMPLEX64, 1, &dim },
                               { .encoding = TN_ENCODING_NONE } };
    struct bench       b;

    (void)state;
    bench_init(&b);
    put(&b, &e, TN_SD_FORM_BIG);
    assert_int_equal(b.error.status, TN_INVALID);
    bench_done(&b);
    e.shape.dtype = TN_STRING;
    bench_init(&b);
    put(&b, &e, TN_SD_FORM_PLAIN);
    assert_int_equal(b.error.status, TN_INVALID);
    bench_done(&b);
}

/* ---- numbers of operations ---------------------------------------------- */

/* Old files have numbers of names that an operator no longer has. */
static void old_names_have_numbers(void **state)
{
    struct tn_nd4j_hasher hasher;

    (void)state;
    tn_nd4j_hasher_init(&hasher);
    int64_t matmul = tn_nd4j_hash(&hasher, tn_text("matmul"));
    int64_t add    = tn_nd4j_hash(&hasher, tn_text("add"));
    assert_true(tn_sd_hash_is(&hasher, tn_text("mmul"), matmul));
    assert_false(tn_sd_hash_is(&hasher, tn_text("mmul"), add));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_are_read),
        cmocka_unit_test(strings_are_read),
        cmocka_unit_test(arrays_are_written),
        cmocka_unit_test(types_that_are_not_there_are_refused),
        cmocka_unit_test(old_names_have_numbers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
