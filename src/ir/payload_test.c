/* payload_test.c - every encoding and type, from both ends and in the dark */
#include "ir/payload.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/arith.h"
#include "base/buffer.h"
#include "base/cursor.h"
#include "base/varint.h"
#include "ir/element.h"
#include "support/hostile.h"

/* A source that is not mapped, and whose reads run out. */
struct dim_source {
    struct tn_source source; /* first */
    struct tn_bytes  bytes;
    uint64_t         reads_left;
};

static enum tn_status dim_read(struct tn_source *source, uint64_t offset,
                               void *to, size_t size, struct tn_error *error)
{
    struct dim_source *dim = (struct dim_source *)source;

    assert_true(tn_inside(offset, size, dim->bytes.size));
    if (dim->reads_left == 0)
        return tn_error_set(error, TN_IO, offset, "the disk is tired");
    dim->reads_left--;
    memcpy(to, dim->bytes.data + offset, size);
    return TN_OK;
}

static void dim_close(struct tn_source *source)
{
    (void)source;
}

static void dim_open(struct dim_source *dim, struct tn_memory *memory,
                     struct tn_bytes bytes)
{
    static const struct tn_source_ops ops = { dim_read, dim_close };

    *dim = (struct dim_source){
        { .ops = &ops, .size = bytes.size, .name = "dim", .memory = memory },
        bytes,
        UINT64_MAX
    };
    tn_arena_init(&dim->source.pins, memory);
}

#define ALL      0xa11 /* of this table alone: the row is not counted */
#define HUGE_DIM (UINT64_C(1) << 40)

enum {
    NONE    = TN_ENCODING_NONE,
    RAW     = TN_ENCODING_RAW,
    BIG     = TN_ENCODING_RAW_BIG,
    VARINTS = TN_ENCODING_VARINTS,
    FIELD   = TN_ENCODING_FIELD,
    LENGTHS = TN_ENCODING_LENGTHS,
    OFFSETS = TN_ENCODING_OFFSETS,
    OFFSETS_BIG = TN_ENCODING_OFFSETS_BIG,
    BUNDLE  = TN_ENCODING_BUNDLE,
    PADDED  = TN_ENCODING_PADDED,
    FORTRAN = TN_ENCODING_FORTRAN
};

/* The span begins after two bytes that are not its own. */
#define BEFORE 2

struct row {
    const char    *name;
    enum tn_dtype  dtype;
    uint64_t       dims[3]; /* until the first 0; all 0: a scalar             */
    uint8_t        encoding, per_byte;
    uint64_t       stored;
    const char    *hex;
    const char    *text;   /* elements, or NULL when streaming fails          */
    enum tn_status check;  /* what tn_payload_check() says                    */
    uint64_t       offset; /* where, inside the span                          */
};

#define F7 "3a " /* tag of field 7, LEN */
#define OTHERS                                                                 \
    "08 96 01 "                   /* field 1, varint  */                       \
    "11 00 01 02 03 04 05 06 07 " /* field 2, fixed64 */                       \
    "1a 03 3a 01 05 "             /* field 3, LEN: looks like ours inside */   \
    "23 38 05 2b 2c 24 "          /* field 4, groups: so does this */          \
    "35 01 02 03 04 "             /* field 6, fixed32 */

/* clang-format off */
static const struct row rows[] = {
    { "no data", TN_FLOAT32, { 3 }, NONE, 1, 0, "", "0 0 0", TN_OK, 0 },
    { "no bool", TN_BOOL, { 2 }, NONE, 0, 0, "", "false false", TN_OK, 0 },

    { "float32", TN_FLOAT32, { 2 }, RAW, 1, 2, "00 00 80 3f 00 00 00 c0", "1 -2", TN_OK, 0 },
    { "a scalar", TN_INT16, { 0 }, RAW, 1, 1, "ff ff", "-1", TN_OK, 0 },
    { "float64", TN_FLOAT64, { 1 }, RAW, 1, 1, "00 00 00 00 00 00 f8 3f", "1.5", TN_OK, 0 },
    { "float16", TN_FLOAT16, { 2 }, RAW, 1, 2, "00 3c 00 80", "1 -0", TN_OK, 0 },
    { "bfloat16", TN_BFLOAT16, { 2 }, RAW, 1, 2, "80 3f 00 c0", "1 -2", TN_OK, 0 },
    { "e4m3fn", TN_FLOAT8E4M3FN, { 2 }, RAW, 1, 2, "7e 38", "448 1", TN_OK, 0 },
    { "e4m3fnuz", TN_FLOAT8E4M3FNUZ, { 2 }, RAW, 1, 2, "7f 80", "240 nan", TN_OK, 0 },
    { "e4m3b11", TN_FLOAT8E4M3B11FNUZ, { 1 }, RAW, 1, 1, "7f", "30", TN_OK, 0 },
    { "e5m2", TN_FLOAT8E5M2, { 2 }, RAW, 1, 2, "7c 3c", "inf 1", TN_OK, 0 },
    { "e5m2fnuz", TN_FLOAT8E5M2FNUZ, { 1 }, RAW, 1, 1, "40", "1", TN_OK, 0 },
    { "e8m0", TN_FLOAT8E8M0, { 2 }, RAW, 1, 2, "7f 81", "1 4", TN_OK, 0 },
    { "bool", TN_BOOL, { 2 }, RAW, 1, 2, "00 01", "false true", TN_OK, 0 },
    { "complex64", TN_COMPLEX64, { 1 }, RAW, 1, 2, "00 00 80 3f 00 00 00 40", "(1+2j)", TN_OK, 0 },
    { "uint64", TN_UINT64, { 1 }, RAW, 1, 1, "ff ff ff ff ff ff ff ff", "18446744073709551615", TN_OK, 0 },
    { "qint32", TN_QINT32, { 1 }, RAW, 1, 1, "fe ff ff ff", "-2", TN_OK, 0 },

    { "big float32", TN_FLOAT32, { 2 }, BIG, 1, 2, "3f 80 00 00 c0 00 00 00", "1 -2", TN_OK, 0 },
    { "big int16", TN_INT16, { 2 }, BIG, 1, 2, "01 00 ff fe", "256 -2", TN_OK, 0 },
    { "big int8", TN_INT8, { 2 }, BIG, 1, 2, "01 ff", "1 -1", TN_OK, 0 },
    { "big complex64", TN_COMPLEX64, { 1 }, BIG, 1, 2, "3f 80 00 00 40 00 00 00", "(1+2j)", TN_OK, 0 },

    { "int4", TN_INT4, { 3 }, RAW, 2, 2, "f1 07", "1 -1 7", TN_OK, 0 },
    { "uint4", TN_UINT4, { 4 }, RAW, 2, 2, "f1 87", "1 15 7 8", TN_OK, 0 },
    { "fp4", TN_FLOAT4E2M1, { 2 }, RAW, 2, 1, "f2", "1 -6", TN_OK, 0 },
    { "int2", TN_INT2, { 5 }, RAW, 4, 2, "1b 02", "-1 -2 1 0 -2", TN_OK, 0 },
    { "uint2", TN_UINT2, { 4 }, RAW, 4, 1, "1b", "3 2 1 0", TN_OK, 0 },
    { "int4 a byte each", TN_INT4, { 3 }, RAW, 1, 3, "0f ff 07", "-1 -1 7", TN_OK, 0 },
    { "uint4 with dirt", TN_UINT4, { 2 }, RAW, 1, 2, "f3 1f", "3 15", TN_OK, 0 },
    { "int4 in varints", TN_INT4, { 3 }, VARINTS, 2, 2, "f1 01 07", "1 -1 7", TN_OK, 0 },
    { "int4 in varints, odd writer", TN_INT4, { 3 }, FIELD, 2, 2, F7 "0b f1 ff ff ff ff ff ff ff ff 01 07", "1 -1 7", TN_OK, 0 },
    { "int4 varint each", TN_INT4, { 2 }, VARINTS, 1, 2, "ff ff ff ff ff ff ff ff ff 01 05", "-1 5", TN_OK, 0 },

    { "int32 varints", TN_INT32, { 3 }, VARINTS, 1, 3, "01 96 01 ff ff ff ff ff ff ff ff ff 01", "1 150 -1", TN_OK, 0 },
    { "int8 varints", TN_INT8, { 2 }, VARINTS, 1, 2, "80 01 ff 01", "-128 -1", TN_OK, 0 },
    { "bool varints", TN_BOOL, { 3 }, VARINTS, 1, 3, "00 01 80 02", "false true true", TN_OK, 0 },
    { "float16 varints", TN_FLOAT16, { 2 }, VARINTS, 1, 2, "80 78 80 80 fe ff ff ff ff ff ff 01", "1 -0", TN_OK, 0 },
    { "bfloat16 varints", TN_BFLOAT16, { 1 }, VARINTS, 1, 1, "80 7f", "1", TN_OK, 0 },
    { "e4m3 varints", TN_FLOAT8E4M3FN, { 1 }, VARINTS, 1, 1, "b8 01", "-1", TN_OK, 0 },
    { "uint32 varints", TN_UINT32, { 1 }, VARINTS, 1, 1, "ff ff ff ff 0f", "4294967295", TN_OK, 0 },
    { "uint64 varints", TN_UINT64, { 1 }, VARINTS, 1, 1, "ff ff ff ff ff ff ff ff ff 01", "18446744073709551615", TN_OK, 0 },

    { "packed floats", TN_FLOAT32, { 2 }, FIELD, 1, 2, F7 "08 00 00 80 3f 00 00 00 c0", "1 -2", TN_OK, 0 },
    { "unpacked floats", TN_FLOAT32, { 2 }, FIELD, 1, 2, "3d 00 00 80 3f 3d 00 00 00 c0", "1 -2", TN_OK, 0 },
    { "mixed floats", TN_FLOAT32, { 3 }, FIELD, 1, 3, OTHERS "3d 00 00 80 3f " OTHERS F7 "08 00 00 00 c0 00 00 80 3f " OTHERS, "1 -2 1", TN_OK, 0 },
    { "packed doubles", TN_FLOAT64, { 1 }, FIELD, 1, 1, F7 "08 00 00 00 00 00 00 f8 3f", "1.5", TN_OK, 0 },
    { "unpacked double", TN_FLOAT64, { 1 }, FIELD, 1, 1, "39 00 00 00 00 00 00 f8 3f", "1.5", TN_OK, 0 },
    { "complex in floats", TN_COMPLEX64, { 1 }, FIELD, 1, 2, F7 "08 00 00 80 3f 00 00 00 c0", "(1-2j)", TN_OK, 0 },
    { "a complex in two fields", TN_COMPLEX64, { 1 }, FIELD, 1, 2, "3d 00 00 80 3f " F7 "04 00 00 00 c0", "(1-2j)", TN_OK, 0 },
    { "mixed integers", TN_INT64, { 5 }, FIELD, 1, 5, "38 01 " OTHERS F7 "03 02 96 01 " F7 "00 38 04 38 05", "1 2 150 4 5", TN_OK, 0 },
    { "bools of a field", TN_BOOL, { 2 }, FIELD, 1, 2, F7 "02 01 00", "true false", TN_OK, 0 },

    { "a splat", TN_FLOAT32, { 2, 2 }, FIELD, 1, ALL, F7 "04 00 00 80 3f", "1 1 1 1", TN_OK, 0 },
    { "a tail left out", TN_INT32, { 5 }, FIELD, 1, ALL, F7 "03 01 02 07", "1 2 7 7 7", TN_OK, 0 },
    { "a tail left out, said so", TN_INT32, { 5 }, VARINTS, 1, 3, "01 02 07", "1 2 7 7 7", TN_OK, 0 },
    { "minus zero stays", TN_FLOAT32, { 3 }, FIELD, 1, ALL, "3d 00 00 00 80", "-0 -0 -0", TN_OK, 0 },
    { "nothing at all", TN_FLOAT32, { 3 }, FIELD, 1, ALL, OTHERS, "0 0 0", TN_OK, 0 },
    { "pairs repeat", TN_COMPLEX64, { 3 }, FIELD, 1, ALL, F7 "08 00 00 80 3f 00 00 00 c0", "(1-2j) (1-2j) (1-2j)", TN_OK, 0 },
    { "raw splat", TN_FLOAT8E5M2, { 3 }, RAW, 1, ALL, "3c", "1 1 1", TN_OK, 0 },
    { "raw splat, big", TN_INT16, { 3 }, BIG, 1, ALL, "00 01 00 02", "1 2 2", TN_OK, 0 },
    { "packed splat", TN_INT4, { 5 }, RAW, 2, ALL, "21", "1 2 2 2 2", TN_OK, 0 },
    { "raw nothing", TN_INT16, { 3 }, RAW, 1, ALL, "", "0 0 0", TN_OK, 0 },
    { "a field's first N", TN_INT32, { 2 }, FIELD, 1, ALL, F7 "03 01 02 03", "1 2", TN_MALFORMED, 0 },
    { "the first of many", TN_INT32, { 2 }, VARINTS, 1, 2, "01 02 03", "1 2", TN_MALFORMED, 0 },
    { "half a pair", TN_COMPLEX64, { 2 }, FIELD, 1, ALL, F7 "0c 00 00 80 3f 00 00 00 c0 00 00 00 00", "(1-2j) (1-2j)", TN_MALFORMED, 0 },
    { "half a unit", TN_INT16, { 2 }, RAW, 1, ALL, "01 00 02", NULL, TN_MALFORMED, 0 },

    { "too short", TN_FLOAT32, { 2 }, RAW, 1, 2, "00 00 80 3f 00 00 00", NULL, TN_MALFORMED, 0 },
    { "too long", TN_INT8, { 2 }, RAW, 1, 2, "01 02 03", NULL, TN_MALFORMED, 0 },
    { "short big", TN_INT16, { 2 }, BIG, 1, 2, "01 02 03", NULL, TN_MALFORMED, 0 },
    { "short int4", TN_INT4, { 5 }, RAW, 2, 3, "01 02", NULL, TN_MALFORMED, 0 },
    { "more than the shape", TN_INT8, { 2 }, RAW, 1, 3, "01 02 03", NULL, TN_MALFORMED, 0 },
    { "few varints", TN_INT32, { 3 }, VARINTS, 1, 3, "01 02", NULL, TN_MALFORMED, 0 },
    { "few in a field", TN_INT32, { 3 }, FIELD, 1, 3, F7 "02 01 02", NULL, TN_MALFORMED, 0 },
    { "cut varint", TN_INT32, { 2 }, VARINTS, 1, 2, "01 80", NULL, TN_TRUNCATED, 2 },
    { "endless varint", TN_INT32, { 2 }, VARINTS, 1, 2, "01 ff ff ff ff ff ff ff ff ff ff 01", NULL, TN_MALFORMED, 1 },
    { "varint over the wall", TN_INT32, { 2 }, FIELD, 1, 2, F7 "02 01 80 01", NULL, TN_TRUNCATED, 3 },
    { "length over the wall", TN_INT32, { 2 }, FIELD, 1, 2, F7 "05 01 02", NULL, TN_TRUNCATED, 2 },
    { "huge length", TN_FLOAT32, { 2 }, FIELD, 1, 2, F7 "fc ff ff ff ff ff ff ff ff 01", NULL, TN_TRUNCATED, 11 },
    { "uneven packing", TN_FLOAT32, { 2 }, FIELD, 1, 2, F7 "05 00 00 80 3f 00", NULL, TN_MALFORMED, 2 },
    { "floats as varints", TN_FLOAT32, { 2 }, FIELD, 1, 2, "38 05", NULL, TN_MALFORMED, 0 },
    { "integers as fixed", TN_INT32, { 2 }, FIELD, 1, 2, "3d 00 00 80 3f", NULL, TN_MALFORMED, 0 },
    { "cut fixed", TN_FLOAT32, { 2 }, FIELD, 1, 2, "3d 00 00 80", NULL, TN_TRUNCATED, 1 },
    { "field number 0", TN_INT32, { 2 }, FIELD, 1, 2, "38 01 00 01", NULL, TN_MALFORMED, 2 },
    { "wire type 7", TN_INT32, { 2 }, FIELD, 1, 2, "38 01 0f", NULL, TN_MALFORMED, 2 },
    { "a group ends alone", TN_INT32, { 2 }, FIELD, 1, 2, "0c", NULL, TN_MALFORMED, 0 },
    { "a group ends as another", TN_INT32, { 2 }, FIELD, 1, 2, "0b 14", NULL, TN_MALFORMED, 1 },
    { "a group never ends", TN_INT32, { 2 }, FIELD, 1, 2, "0b 08 01", NULL, TN_TRUNCATED, 3 },
    { "cut other field", TN_INT32, { 2 }, FIELD, 1, 2, "0a 7f 01", NULL, TN_TRUNCATED, 2 },
    { "claims more than a file can hold", TN_INT8, { HUGE_DIM, HUGE_DIM }, RAW, 1, 1, "01", NULL, TN_MALFORMED, 0 },

    { "fortran", TN_INT8, { 2, 3 }, FORTRAN, 1, 6, "01 04 02 05 03 06", "1 2 3 4 5 6", TN_OK, 0 },
    { "fortran vector", TN_INT16, { 2 }, FORTRAN, 1, 2, "01 00 02 00", "1 2", TN_OK, 0 },
    { "fortran cut short", TN_INT8, { 2, 3 }, FORTRAN, 1, 6, "01 04 02 05 03", NULL, TN_MALFORMED, 0 },
};
/* clang-format on */

#define ROW_COUNT (sizeof rows / sizeof rows[0])

static struct tn_elements elements_of(const struct row *row,
                                      struct tn_source *source, uint64_t length)
{
    struct tn_elements e = {
        { row->dtype, 0, row->dims },
        { .span         = { source, BEFORE, length },
          .stored       = row->stored,
          .field        = 7,
          .encoding     = row->encoding,
          .per_byte     = row->per_byte,
          .is_uncounted = row->stored == ALL },
    };

    while (e.shape.rank < 3 && row->dims[e.shape.rank])
        e.shape.rank++;
    return e;
}

/* The row's bytes after BEFORE others, at the end of a page. */
static struct tn_guarded row_bytes(const struct row *row, uint64_t *length)
{
    struct tn_bytes   hex = tn_hex(row->hex);
    uint8_t          *all = calloc(1, hex.size + BEFORE);
    struct tn_guarded guarded;

    assert_non_null(all);
    memcpy(all + BEFORE, hex.data, hex.size);
    guarded = tn_guard(tn_bytes(all, hex.size + BEFORE));
    *length = hex.size;
    free(all);
    free((void *)hex.data);
    return guarded;
}

static void assert_elements(const struct row *row, const struct tn_buffer *got)
{
    char     text[1024] = "", one[TN_ELEMENT_TEXT];
    unsigned size       = tn_dtype_size(row->dtype);

    for (size_t i = 0; i < got->size / size; i++) {
        if (i)
            strcat(text, " ");
        strcat(text, tn_element_text(row->dtype, got->data + i * size, one));
    }
    if (strcmp(text, row->text) != 0)
        fail_msg("%s: %s, not %s", row->name, text, row->text);
}

/* Any part is the same part of the whole. */
static void assert_ranges(const struct row *row, const struct tn_elements *e,
                          struct tn_memory       *memory,
                          const struct tn_buffer *whole)
{
    unsigned size  = tn_dtype_size(row->dtype);
    uint64_t count = whole->size / size;

    for (uint64_t first = 0; first <= count; first++) {
        for (uint64_t n = 0; n <= count - first; n++) {
            struct tn_error  error = TN_ERROR_INIT;
            struct tn_buffer part;
            tn_buffer_init(&part, memory, &error);
            if (tn_payload_stream(e, first, n, memory, &part.sink, &error))
                fail_msg("%s: %s", row->name, error.what);
            assert_int_equal(part.size, n * size);
            if (n && memcmp(part.data, whole->data + first * size, part.size))
                fail_msg("%s: from %d on %d differ", row->name, (int)first,
                         (int)n);
            tn_buffer_done(&part);
        }
    }
}

static void stream_row(const struct row *row, const struct tn_elements *e,
                       struct tn_memory *memory)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_buffer whole;
    uint64_t         count = 0;

    tn_shape_count(&e->shape, &count);
    tn_buffer_init(&whole, memory, &error);
    tn_payload_stream(e, 0, count, memory, &whole.sink, &error);
    if (row->text) {
        if (error.status != TN_OK)
            fail_msg("%s: %s", row->name, error.what);
        assert_elements(row, &whole);
        assert_ranges(row, e, memory, &whole);
    } else {
        if (error.status != row->check)
            fail_msg("%s: status %d: %s", row->name, error.status, error.what);
        assert_int_equal(error.offset, row->offset + BEFORE);
    }
    tn_buffer_done(&whole);
}

static void check_row(const struct row *row, const struct tn_elements *e)
{
    struct tn_error error = TN_ERROR_INIT;

    tn_payload_check(e, &error);
    if (error.status != row->check)
        fail_msg("%s: check says %d: %s", row->name, error.status, error.what);
    if (row->check != TN_OK && error.offset != row->offset + BEFORE)
        fail_msg("%s: check points at %d: %s", row->name,
                 (int)error.offset - BEFORE, error.what);
}

static void every_row_streams_mapped(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROW_COUNT; i++) {
        struct tn_memory  memory;
        struct tn_source  source;
        uint64_t          length;
        struct tn_guarded guarded = row_bytes(&rows[i], &length);
        tn_memory_init(&memory, NULL, 0);
        tn_source_memory(&source, &memory, guarded.bytes);
        struct tn_elements e = elements_of(&rows[i], &source, length);
        stream_row(&rows[i], &e, &memory);
        check_row(&rows[i], &e);
        tn_source_close(&source);
        assert_int_equal(memory.used, 0);
        tn_unguard(&guarded);
    }
}

static void every_row_streams_unmapped(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROW_COUNT; i++) {
        struct tn_memory  memory;
        struct dim_source dim;
        uint64_t          length;
        struct tn_guarded guarded = row_bytes(&rows[i], &length);
        tn_memory_init(&memory, NULL, 0);
        dim_open(&dim, &memory, guarded.bytes);
        struct tn_elements e = elements_of(&rows[i], &dim.source, length);
        stream_row(&rows[i], &e, &memory);
        check_row(&rows[i], &e);
        assert_int_equal(memory.used, 0); /* nothing stays pinned */
        tn_source_close(&dim.source);
        tn_unguard(&guarded);
    }
}

static void no_read_may_fail_unnoticed(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROW_COUNT; i++) {
        uint64_t          length, count, reads = 0;
        struct tn_guarded guarded = row_bytes(&rows[i], &length);
        enum tn_status    status  = rows[i].text ? TN_IO : TN_OK;
        while (status == TN_IO) {
            struct tn_error   error = TN_ERROR_INIT;
            struct tn_memory  memory;
            struct dim_source dim;
            struct tn_buffer  buffer;
            tn_memory_init(&memory, NULL, 0);
            dim_open(&dim, &memory, guarded.bytes);
            dim.reads_left       = reads++;
            struct tn_elements e = elements_of(&rows[i], &dim.source, length);
            assert_true(tn_shape_count(&e.shape, &count));
            tn_buffer_init(&buffer, &memory, &error);
            status =
                tn_payload_stream(&e, 0, count, &memory, &buffer.sink, &error);
            assert_int_equal(status, error.status);
            if (status != TN_OK)
                assert_string_equal(error.file, "dim");
            else
                assert_elements(&rows[i], &buffer);
            tn_buffer_done(&buffer);
            assert_int_equal(memory.used, 0);
        }
        assert_int_equal(status, TN_OK);
        tn_unguard(&guarded);
    }
}

/* Room for the answer, from elsewhere: only the work is short of memory. */
static const struct row *row_under_test;
static enum tn_status read_row(struct tn_bytes input, struct tn_memory *memory,
                               struct tn_error *error)
{
    struct tn_memory  plenty;
    struct dim_source dim;
    struct tn_buffer  buffer;
    uint64_t          count = 0;

    tn_memory_init(&plenty, NULL, 0);
    dim_open(&dim, memory, input);
    struct tn_elements e =
        elements_of(row_under_test, &dim.source, input.size - BEFORE);
    tn_shape_count(&e.shape, &count);
    tn_buffer_init(&buffer, &plenty, error);
    tn_payload_stream(&e, 0, count, memory, &buffer.sink, error);
    if (!tn_failed(error))
        tn_payload_check(&e, error);
    tn_buffer_done(&buffer);
    return error->status;
}

static void rows_survive_flips_and_poverty(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROW_COUNT; i++) {
        uint64_t          length;
        struct tn_guarded guarded = row_bytes(&rows[i], &length);
        row_under_test            = &rows[i];
        tn_survives_every_flip(read_row, guarded.bytes);
        if (rows[i].text && rows[i].check == TN_OK)
            tn_survives_no_memory(read_row, guarded.bytes);
        tn_unguard(&guarded);
    }
}

static void messages_name_both_numbers(void **state)
{
    static const uint64_t dims[] = { 1024 };
    static uint8_t        bytes[4092];
    struct tn_error       error = TN_ERROR_INIT;
    struct tn_memory      memory;
    struct tn_source      source;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_source_memory(&source, &memory, tn_bytes(bytes, sizeof bytes));
    struct tn_elements e = { { TN_FLOAT32, 1, dims }, { .stored = 0 } };
    e.payload            = tn_payload_raw(&e.shape,
                                          (struct tn_span){ &source, 0, sizeof bytes }, 1);
    assert_int_equal(tn_payload_check(&e, &error), TN_MALFORMED);
    assert_string_equal(error.what, "needs 4096 bytes, has 4092");

    error                 = (struct tn_error)TN_ERROR_INIT;
    e.payload.span.length = 4096;
    assert_int_equal(tn_payload_check(&e, &error), TN_TRUNCATED);
    tn_source_close(&source);
}

static void callers_mistakes_are_refused(void **state)
{
    static const uint64_t dims[] = { 4 };
    static const struct {
        enum tn_dtype dtype;
        uint8_t       encoding, per_byte;
        uint64_t      first, count;
    } cases[] = {
        { TN_FLOAT32, RAW, 2, 0, 4 },
        { TN_INT4, RAW, 3, 0, 4 },
        { TN_INT4, RAW, 4, 0, 4 },
        { TN_FLOAT32, NONE, 1, 3, 2 },
        { TN_FLOAT32, NONE, 1, 5, 0 },
        { TN_STRING, RAW, 1, 0, 1 },
        { TN_UNDEFINED, RAW, 1, 0, 1 },
        { TN_FLOAT32, LENGTHS, 1, 0, 1 },
        { TN_FLOAT32, 99, 1, 0, 1 },
        { TN_FLOAT32, NONE, 1, UINT64_MAX, 2 },
        { TN_INT8, TN_ENCODING_VIEW, 1, 0, 1 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tn_error  error = TN_ERROR_INIT;
        struct tn_memory memory;
        struct tn_buffer buffer;
        tn_memory_init(&memory, NULL, 0);
        struct tn_elements e = { { cases[i].dtype, 1, dims },
                                 { .encoding = cases[i].encoding,
                                   .per_byte = cases[i].per_byte } };
        tn_buffer_init(&buffer, &memory, &error);
        assert_int_equal(tn_payload_stream(&e, cases[i].first, cases[i].count,
                                           &memory, &buffer.sink, &error),
                         TN_INVALID);
        assert_int_equal(buffer.size, 0);
        tn_buffer_done(&buffer);
    }
}

/* Counts, and keeps nothing. */
struct counter {
    struct tn_sink sink; /* first */
    uint64_t       zeros, spliced, written;
};

static enum tn_status count_write(struct tn_sink *sink, struct tn_bytes bytes,
                                  struct tn_error *error)
{
    (void)error;
    ((struct counter *)sink)->written += bytes.size;
    return TN_OK;
}

static enum tn_status count_splice(struct tn_sink *sink, struct tn_span span,
                                   struct tn_error *error)
{
    (void)error;
    ((struct counter *)sink)->spliced += span.length;
    return TN_OK;
}

static enum tn_status count_zeros(struct tn_sink *sink, uint64_t count,
                                  struct tn_error *error)
{
    (void)error;
    ((struct counter *)sink)->zeros += count;
    return TN_OK;
}

static const struct tn_sink_ops counter_ops = { .write = count_write, .splice = count_splice,
                                                .zeros = count_zeros };

/* A tiny file that claims a terabyte costs a window, and no time for zeros. */
static void huge_shapes_cost_nothing(void **state)
{
    static const uint64_t dims[]  = { HUGE_DIM };
    static const uint8_t  bytes[] = { 1, 0, 0, 0, 5 };
    struct tn_error       error   = TN_ERROR_INIT;
    struct tn_memory      memory;
    struct tn_source      source;
    struct counter        counter = { .sink = { .ops = &counter_ops } };

    (void)state;
    tn_memory_init(&memory, NULL, 200 << 10);
    tn_source_memory(&source, &memory, tn_bytes(bytes, sizeof bytes));
    struct tn_elements e = { { TN_FLOAT32, 1, dims }, { .encoding = NONE } };
    assert_int_equal(
        tn_payload_stream(&e, 0, HUGE_DIM, &memory, &counter.sink, &error),
        TN_OK);
    assert_int_equal(counter.zeros, HUGE_DIM * 4);

    e.payload = (struct tn_payload){ .span         = { &source, 0, 4 },
                                     .encoding     = RAW,
                                     .is_uncounted = true };
    assert_int_equal(tn_payload_stream(&e, HUGE_DIM - (1 << 20), 1 << 20,
                                       &memory, &counter.sink, &error),
                     TN_OK);
    assert_int_equal(counter.written, 4 << 20);
    tn_source_close(&source);
}

#define MANY 300000

/* Varints across many windows, of a source that is not mapped. */
static void windows_join_seamlessly(void **state)
{
    static const uint64_t dims[] = { MANY };
    struct tn_error       error  = TN_ERROR_INIT;
    struct tn_memory      memory, limited;
    struct tn_buffer      message, packed, out;
    struct dim_source     dim;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_memory_init(&limited, NULL, 200 << 10);
    tn_buffer_init(&message, &memory, &error);
    tn_buffer_init(&packed, &memory, &error);
    tn_buffer_init(&out, &memory, &error);
    for (uint64_t i = 0; i < MANY; i++)
        tn_buffer_varint(&packed, (uint64_t)((int64_t)(i * i) - 5000));
    tn_buffer_varint(&message, tn_tag(7, TN_WIRE_LEN));
    tn_buffer_varint(&message, packed.size);
    tn_buffer_add(&message, tn_buffer_bytes(&packed));
    dim_open(&dim, &limited, tn_buffer_bytes(&message));
    struct tn_elements e = { { TN_INT64, 1, dims },
                             { .span     = { &dim.source, 0, message.size },
                               .stored   = MANY,
                               .field    = 7,
                               .encoding = FIELD } };
    assert_int_equal(
        tn_payload_stream(&e, 100, MANY - 100, &limited, &out.sink, &error),
        TN_OK);
    assert_int_equal(out.size, (MANY - 100) * 8);
    for (uint64_t i = 100; i < MANY; i++)
        assert_int_equal(tn_load64(out.data + (i - 100) * 8),
                         (uint64_t)((int64_t)(i * i) - 5000));
    assert_int_equal(tn_payload_check(&e, &error), TN_OK);
    tn_buffer_done(&out);
    tn_buffer_done(&packed);
    tn_buffer_done(&message);
    tn_source_close(&dim.source);
}

/* Raw data and long packed floats go by reference. */
static void large_runs_are_spliced(void **state)
{
    static const uint64_t dims[] = { 2500 };
    static uint8_t        bytes[10004];
    struct tn_error       error   = TN_ERROR_INIT;
    struct counter        counter = { .sink = { .ops = &counter_ops } };
    struct tn_memory      memory;
    struct tn_source      source;
    struct tn_span        span;

    (void)state;
    memcpy(bytes, "\x3a\x90\x4e", 3); /* field 7, 10000 bytes */
    tn_memory_init(&memory, NULL, 0);
    tn_source_memory(&source, &memory, tn_bytes(bytes, 10003));
    struct tn_elements e = { { TN_FLOAT32, 1, dims },
                             { .span     = { &source, 0, 10003 },
                               .stored   = 2500,
                               .field    = 7,
                               .encoding = FIELD } };
    assert_int_equal(
        tn_payload_stream(&e, 0, 2500, &memory, &counter.sink, &error), TN_OK);
    assert_int_equal(counter.spliced, 10000);
    assert_int_equal(counter.written, 0);
    assert_false(tn_payload_is_plain(&e, false, &span));

    e.payload =
        tn_payload_raw(&e.shape, (struct tn_span){ &source, 3, 10000 }, 1);
    assert_int_equal(
        tn_payload_stream(&e, 1, 2, &memory, &counter.sink, &error), TN_OK);
    assert_int_equal(counter.spliced, 10008);
    assert_true(tn_payload_is_plain(&e, false, &span));
    assert_int_equal(span.offset, 3);
    assert_int_equal(span.length, 10000);
    e.payload.encoding = BIG;
    assert_false(tn_payload_is_plain(&e, false, &span));
    tn_source_close(&source);
}

static void deep_groups_are_refused(void **state)
{
    static const uint64_t dims[] = { 1 };
    uint8_t               bytes[202];
    struct tn_memory      memory;
    struct tn_source      source;
    struct tn_buffer      buffer;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    for (unsigned depth = 100; depth <= 101; depth++) {
        struct tn_error error = TN_ERROR_INIT;
        memset(bytes, 0x0b, depth);
        memset(bytes + depth, 0x0c, depth);
        tn_source_memory(&source, &memory, tn_bytes(bytes, 2 * depth));
        struct tn_elements e = { { TN_INT8, 1, dims },
                                 { .span     = { &source, 0, 2 * depth },
                                   .field    = 7,
                                   .encoding = FIELD,
                                   .is_uncounted = true } };
        tn_buffer_init(&buffer, &memory, &error);
        assert_int_equal(
            tn_payload_stream(&e, 0, 1, &memory, &buffer.sink, &error),
            depth == 100 ? TN_OK : TN_LIMIT);
        tn_buffer_done(&buffer);
        tn_source_close(&source);
    }
}

static void producers_pack_what_onnx_packs(void **state)
{
    static const struct {
        enum tn_dtype dtype;
        uint8_t       per_byte;
        bool          is_packed, is_plain;
        uint64_t      dim;
        const char   *in, *out;
    } cases[] = {
        { TN_INT4, 1, true, false, 3, "0f 01 f7", "1f 07" },
        { TN_INT4, 2, true, true, 3, "1f 07", "1f 07" },
        { TN_INT4, 2, false, false, 3, "1f 07", "ff 01 07" },
        { TN_UINT2, 1, true, false, 5, "03 02 01 00 02", "1b 02" },
        { TN_INT8, 1, true, true, 2, "01 02", "01 02" },
        { TN_FLOAT4E2M1, 1, false, false, 2, "0f 01", "0f 01" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tn_error            error = TN_ERROR_INIT;
        struct tn_memory           memory;
        struct tn_source           source;
        struct tn_buffer           buffer;
        struct tn_payload_producer producer;
        struct tn_span             span;
        struct tn_bytes            in  = tn_hex(cases[i].in);
        struct tn_bytes            out = tn_hex(cases[i].out);

        tn_memory_init(&memory, NULL, 0);
        tn_source_memory(&source, &memory, in);
        struct tn_elements e = { { cases[i].dtype, 1, &cases[i].dim },
                                 { .stored = 0 } };
        e.payload =
            tn_payload_raw(&e.shape, (struct tn_span){ &source, 0, in.size },
                           cases[i].per_byte);
        tn_buffer_init(&buffer, &memory, &error);
        assert_int_equal(tn_payload_producer_init(&producer, &e, &memory,
                                                  cases[i].is_packed, &error),
                         TN_OK);
        assert_int_equal(producer.producer.length, out.size);
        assert_int_equal(
            producer.producer.produce(&producer.producer, &buffer.sink, &error),
            TN_OK);
        assert_true(tn_bytes_equal(tn_buffer_bytes(&buffer), out));
        assert_int_equal(tn_payload_is_plain(&e, cases[i].is_packed, &span),
                         cases[i].is_plain);
        tn_buffer_done(&buffer);
        tn_source_close(&source);
        free((void *)in.data);
        free((void *)out.data);
    }
}

/* Strings: what they are, joined with commas. */
/* clang-format off */
static const struct row strings[] = {
    { "none", TN_STRING, { 3 }, NONE, 1, 0, "", ",,", TN_OK, 0 },
    { "a field", TN_STRING, { 2 }, FIELD, 1, 2, F7 "01 61 " OTHERS F7 "02 62 63", "a,bc", TN_OK, 0 },
    { "empty ones", TN_STRING, { 3 }, FIELD, 1, 3, F7 "00 " F7 "01 61 " F7 "00", ",a,", TN_OK, 0 },
    { "a tail left out", TN_STRING, { 3 }, FIELD, 1, ALL, F7 "01 61 " F7 "01 62", "a,b,b", TN_OK, 0 },
    { "all left out", TN_STRING, { 2 }, FIELD, 1, ALL, OTHERS, ",", TN_OK, 0 },
    { "handles are not repeated", TN_RESOURCE, { 3 }, FIELD, 1, ALL, F7 "01 61", "a,,", TN_OK, 0 },
    { "too many", TN_STRING, { 1 }, FIELD, 1, ALL, F7 "01 61 " F7 "01 62", "a", TN_MALFORMED, 0 },
    { "too few", TN_STRING, { 3 }, FIELD, 1, 3, F7 "01 61", NULL, TN_MALFORMED, 0 },
    { "no strings", TN_STRING, { 1 }, FIELD, 1, 1, "38 05", NULL, TN_MALFORMED, 0 },
    { "cut", TN_STRING, { 1 }, FIELD, 1, 1, F7 "05 61", NULL, TN_TRUNCATED, 2 },
    { "lengths", TN_STRING, { 3 }, LENGTHS, 1, 3, "01 00 02 61 62 63", "a,,bc", TN_OK, 0 },
    { "lengths and more", TN_STRING, { 1 }, LENGTHS, 1, 1, "01 61 62", "a", TN_MALFORMED, 0 },
    { "too long a string", TN_STRING, { 2 }, LENGTHS, 1, 2, "01 02 61 62", NULL, TN_TRUNCATED, 1 },
    { "a string of 2^63", TN_STRING, { 2 }, LENGTHS, 1, 2, "01 80 80 80 80 80 80 80 80 80 01 61", NULL, TN_TRUNCATED, 1 },
    { "lengths end", TN_STRING, { 3 }, LENGTHS, 1, 3, "01 01", NULL, TN_TRUNCATED, 2 },
    { "offsets", TN_STRING, { 2 }, OFFSETS, 1, 2, "00 00 00 00 00 00 00 00 01 00 00 00 00 00 00 00 03 00 00 00 00 00 00 00 61 62 63", "a,bc", TN_OK, 0 },
    { "offsets, big-endian", TN_STRING, { 2 }, OFFSETS_BIG, 1, 2, "00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 01 00 00 00 00 00 00 00 03 61 62 63", "a,bc", TN_OK, 0 },
    { "offsets of none", TN_STRING, { 1 }, OFFSETS, 1, 1, "00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 ", "", TN_OK, 0 },
    { "offsets and more", TN_STRING, { 1 }, OFFSETS, 1, 1, "00 00 00 00 00 00 00 00 01 00 00 00 00 00 00 00 61 62", "a", TN_MALFORMED, 0 },
    { "offsets from one", TN_STRING, { 1 }, OFFSETS, 1, 1, "01 00 00 00 00 00 00 00 02 00 00 00 00 00 00 00 61 62", "b", TN_MALFORMED, 0 },
    { "offsets that go back", TN_STRING, { 2 }, OFFSETS, 1, 2, "00 00 00 00 00 00 00 00 01 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 61", NULL, TN_MALFORMED, 16 },
    { "an offset past the end", TN_STRING, { 1 }, OFFSETS, 1, 1, "00 00 00 00 00 00 00 00 02 00 00 00 00 00 00 00 61", NULL, TN_MALFORMED, 8 },
    { "too few offsets", TN_STRING, { 2 }, OFFSETS, 1, 2, "00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 ", NULL, TN_MALFORMED, 0 },
    { "a trillion offsets", TN_STRING, { HUGE_DIM }, OFFSETS, 1, 3, "00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 ", NULL, TN_MALFORMED, 0 },
    { "a trillion lengths", TN_STRING, { HUGE_DIM }, LENGTHS, 1, 3, "01 01", NULL, TN_TRUNCATED, 2 },
    { "bundle", TN_STRING, { 2 }, BUNDLE, 1, 2, "02 01 aa bb cc dd 61 62 63", "ab,c", TN_OK, 0 },
    { "bundle without checksum", TN_STRING, { 1 }, BUNDLE, 1, 1, "00 aa bb", NULL, TN_MALFORMED, 0 },
    { "bundle cut", TN_STRING, { 1 }, BUNDLE, 1, 1, "02 aa bb cc dd 61", NULL, TN_TRUNCATED, 0 },
    { "variants", TN_VARIANT, { 2 }, BUNDLE, 1, 2, "02 61 62 aa bb cc dd 01 63 aa bb cc dd", "ab,c", TN_OK, 0 },
    { "variants cut", TN_VARIANT, { 1 }, BUNDLE, 1, 1, "02 61 62 aa bb cc", NULL, TN_TRUNCATED, 3 },
    { "padded", TN_STRING, { 3 }, PADDED, 1, 3, "61 62 63 64 65 66 67 00 00 00 00 00 00 00 61 62 00 00 00 00 00", "abcdefg,,ab", TN_OK, 0 },
    { "padded, too short", TN_STRING, { 2 }, PADDED, 1, 2, "61 62 63 64 65 66 67 61 62 63 64 65 66", NULL, TN_MALFORMED, 0 },
    { "padded, too long", TN_STRING, { 1 }, PADDED, 1, 1, "61 62 63 64 65 66 67 00", NULL, TN_MALFORMED, 0 },
    { "a trillion padded", TN_STRING, { HUGE_DIM }, PADDED, 1, 3, "61 62 63 64 65 66 67", NULL, TN_MALFORMED, 0 },
    { "raw strings", TN_STRING, { 1 }, RAW, 1, 1, "61", NULL, TN_INVALID, TN_NOWHERE },
};
/* clang-format on */

#define STRING_COUNT (sizeof strings / sizeof strings[0])

struct join {
    char     text[256];
    uint64_t next, stop_at;
};

static enum tn_status join_one(void *context, uint64_t index,
                               struct tn_span text, struct tn_error *error)
{
    struct join *join      = context;
    char         bytes[64] = "";

    assert_int_equal(index, join->next++);
    if (index == join->stop_at)
        return tn_error_set(error, TN_CANCELLED, TN_NOWHERE, "enough");
    if (text.length)
        assert_int_equal(tn_source_read(text.source, text.offset, bytes,
                                        (size_t)text.length, error),
                         TN_OK);
    if (join->text[0] || join->next > 1)
        strcat(join->text, ",");
    strcat(join->text, bytes);
    return TN_OK;
}

static void strings_row(const struct row *row, const struct tn_elements *e)
{
    struct tn_error error = TN_ERROR_INIT;
    struct join     join  = { .stop_at = UINT64_MAX };
    uint64_t        count = 0;

    tn_shape_count(&e->shape, &count);
    tn_payload_strings(e, 0, count, join_one, &join, &error);
    if (row->text) {
        if (error.status != TN_OK)
            fail_msg("%s: %s", row->name, error.what);
        assert_string_equal(join.text, row->text);
        for (uint64_t first = 0; first < count; first++) {
            join = (struct join){ .next = first, .stop_at = UINT64_MAX };
            assert_int_equal(
                tn_payload_strings(e, first, 1, join_one, &join, &error),
                TN_OK);
            assert_int_equal(join.next, first + 1);
        }
    } else if (error.status != row->check) {
        fail_msg("%s: status %d: %s", row->name, error.status, error.what);
    }
    error = (struct tn_error)TN_ERROR_INIT;
    tn_payload_check(e, &error);
    if (error.status != row->check)
        fail_msg("%s: check says %d: %s", row->name, error.status, error.what);
    if (row->check && row->offset != TN_NOWHERE)
        assert_int_equal(error.offset, row->offset + BEFORE);
}

static void every_string_is_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < STRING_COUNT; i++) {
        struct tn_memory  memory;
        struct tn_source  source;
        struct dim_source dim;
        uint64_t          length;
        struct tn_guarded guarded = row_bytes(&strings[i], &length);

        tn_memory_init(&memory, NULL, 0);
        tn_source_memory(&source, &memory, guarded.bytes);
        dim_open(&dim, &memory, guarded.bytes);
        struct tn_elements e = elements_of(&strings[i], &source, length);
        strings_row(&strings[i], &e);
        e = elements_of(&strings[i], &dim.source, length);
        strings_row(&strings[i], &e);
        assert_int_equal(memory.used, 0);
        tn_source_close(&source);
        tn_source_close(&dim.source);
        tn_unguard(&guarded);
    }
}

static void visitors_may_stop(void **state)
{
    struct tn_error    error = TN_ERROR_INIT;
    struct join        join  = { .stop_at = 1 };
    uint64_t           dim   = HUGE_DIM;
    struct tn_elements e     = { { TN_STRING, 1, &dim }, { .encoding = NONE } };

    (void)state;
    assert_int_equal(
        tn_payload_strings(&e, 0, HUGE_DIM, join_one, &join, &error),
        TN_CANCELLED);
    assert_int_equal(join.next, 2);
    assert_string_equal(error.what, "enough");
}

/* No number of units means something else: shapes whose size comes near to
 * 2^64 are refused before anything is read, whatever the encoding. */
static void no_size_means_all_of_it(void **state)
{
    static const struct {
        enum tn_dtype dtype;
        uint64_t      dims[3];
        const char   *what;
    } cases[] = {
        { TN_UINT8, { UINT64_MAX }, "dimension 0 is -1" },
        { TN_UINT8, { 3, UINT64_MAX }, "dimension 1 is -1" },
        { TN_UINT8, { UINT64_MAX, 0 }, "dimension 0 is -1" },
        /* 3 * 5 * 17 * 257 * 641 * 65537 * 6700417 = 2^64 - 1 */
        { TN_UINT8,
          { 4294967295, 4294967297 },
          "a shape of more than 2^63 - 1 bytes" },
        { TN_INT64,
          { UINT64_C(1) << 60 },
          "a shape of more than 2^63 - 1 bytes" },
        { TN_COMPLEX64,
          { UINT64_C(1) << 63 },
          "dimension 0 is -9223372036854775808" },
        { TN_STRING, { UINT64_MAX }, "dimension 0 is -1" },
    };
    static const uint8_t encodings[] = { NONE, RAW, BIG, VARINTS, FIELD };

    (void)state;
    for (size_t i = 0; i < 5 * sizeof cases / sizeof cases[0]; i++) {
        const uint64_t  *dims    = cases[i / 5].dims;
        struct tn_error  error   = TN_ERROR_INIT;
        struct counter   counter = { .sink = { .ops = &counter_ops } };
        struct tn_memory memory;
        struct tn_source source;
        tn_memory_init(&memory, NULL, 0);
        tn_source_memory(&source, &memory, tn_bytes("abcdefgh", 8));
        struct tn_elements e = { { cases[i / 5].dtype,
                                   dims[1] || i / 5 == 2 ? 2 : 1, dims },
                                 { .per_byte = 1 } };
        e.payload =
            tn_payload_raw(&e.shape, (struct tn_span){ &source, 3, 5 }, 1);
        e.payload.field    = 7;
        e.payload.encoding = encodings[i % 5];
        if (tn_dtype_size(e.shape.dtype))
            tn_payload_stream(&e, 0, 0, &memory, &counter.sink, &error);
        else
            tn_payload_strings(&e, 0, 0, NULL, NULL, &error);
        assert_int_equal(error.status, TN_MALFORMED);
        assert_string_equal(error.what, cases[i / 5].what);
        assert_int_equal(error.offset, 3);
        assert_int_equal(counter.zeros + counter.written, 0);
        tn_source_close(&source);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_streams_mapped),
        cmocka_unit_test(every_row_streams_unmapped),
        cmocka_unit_test(no_read_may_fail_unnoticed),
        cmocka_unit_test(rows_survive_flips_and_poverty),
        cmocka_unit_test(messages_name_both_numbers),
        cmocka_unit_test(no_size_means_all_of_it),
        cmocka_unit_test(callers_mistakes_are_refused),
        cmocka_unit_test(huge_shapes_cost_nothing),
        cmocka_unit_test(windows_join_seamlessly),
        cmocka_unit_test(large_runs_are_spliced),
        cmocka_unit_test(deep_groups_are_refused),
        cmocka_unit_test(producers_pack_what_onnx_packs),
        cmocka_unit_test(every_string_is_found),
        cmocka_unit_test(visitors_may_stop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
