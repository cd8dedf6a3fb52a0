/* map_tensor_test.c - small constants of both frameworks: what is read of them,
 * and what the import IR gets */
#include "map/dl4j/map_tensor.h"

#include <stdio.h>

#include "map/dl4j/ir_types.h"
#include "support/node_model.h"
#include "support/node_text.h"

#define TF(type, dims, values)                                                 \
    "dtype: " type " tensor_shape { " dims " } " values
#define DIM(n) "dim { size: " #n " } "
#define DIMS8  DIM(1) DIM(1) DIM(1) DIM(1) DIM(1) DIM(1) DIM(1) DIM(1)

/* `read` is what was understood, "!" a refusal, "?" a type and a shape alone.
 * `written` is an org.nd4j.ir.TensorProto; NULL: nothing is to be written. */
static const struct {
    bool        is_onnx;
    const char *text, *read, *written;
} rows[] = {
    { false, TF("DT_INT32", DIM(3), "int_val: [7, -8, 9]"), "int32[3] 7 -8 9",
      "dims: 3 data_type: 7 int64_data: [7, -8, 9]" },
    { false, TF("DT_INT32", "", "int_val: 5"), "int32[] 5",
      "data_type: 7 int64_data: 5" },
    { false, TF("DT_INT64", DIM(2), "int64_val: 5"), "int64[2] 5 5",
      "dims: 2 data_type: 7 int64_data: [5, 5]" },
    { false, TF("DT_INT64", DIM(2), ""), "int64[2] 0 0",
      "dims: 2 data_type: 7 int64_data: [0, 0]" },
    { false, TF("DT_INT64", DIM(0), ""), "int64[0]", "dims: 0 data_type: 7" },
    { false, TF("DT_INT64_REF", DIM(1), "int64_val: 5"),
      "!a constant of unknown type or impossible shape", NULL },
    { false, TF("DT_BOOL", DIM(2), "bool_val: [true, false]"), "bool[2] 1 0",
      "dims: 2 data_type: 7 int64_data: [1, 0]" },
    { false, TF("DT_HALF", DIM(1), "half_val: 0x3800"), "float16[1] 0.5",
      "dims: 1 data_type: 11 double_data: 0.5" },
    { false, TF("DT_BFLOAT16", DIM(1), "half_val: 0x3f00"), "bfloat16[1] 0.5",
      "dims: 1 data_type: 11 double_data: 0.5" },
    { false, TF("DT_FLOAT", DIM(2), "float_val: [0.5, 1.5]"),
      "float32[2] 0.5 1.5", "dims: 2 data_type: 1 float_data: [0.5, 1.5]" },
    { false, TF("DT_DOUBLE", "", "double_val: 0.25"), "float64[] 0.25",
      "data_type: 11 double_data: 0.25" },
    { false, TF("DT_UINT32", "", "uint32_val: 4294967295"),
      "uint32[] 4294967295", "data_type: 7 int64_data: 4294967295" },
    { false, TF("DT_UINT64", "", "uint64_val: 7"), "uint64[] 7",
      "data_type: 7 int64_data: 7" },
    { false, TF("DT_INT16", DIM(2), "tensor_content: '\\001\\000\\377\\377'"),
      "int16[2] 1 -1", "dims: 2 data_type: 7 int64_data: [1, -1]" },
    { false, TF("DT_STRING", DIM(2), "string_val: ['a', 'b']"), "string[2] a b",
      "dims: 2 data_type: 8 string_data: ['a', 'b']" },
    { false, TF("DT_STRING", DIM(2), "string_val: 'a'"), "string[2] a a",
      "dims: 2 data_type: 8 string_data: ['a', 'a']" },
    { false, TF("DT_STRING", DIM(2), ""), "string[2]  ",
      "dims: 2 data_type: 8 string_data: ['', '']" },
    { false, TF("DT_COMPLEX64", DIM(2), "scomplex_val: [1, 0]"),
      "?complex64[2]", NULL },
    { false, TF("DT_FLOAT", DIM(65537), "float_val: 0.5"), "?float32[65537]",
      NULL },
    { false, TF("DT_FLOAT", DIM(4294967296) DIM(4294967296), ""),
      "!a constant of unknown type or impossible shape", NULL },
    { false, TF("DT_FLOAT", DIM(-1), ""),
      "!a constant of unknown type or impossible shape", NULL },
    { false,
      TF("DT_FLOAT", DIMS8 DIMS8 DIMS8 DIMS8 DIMS8 DIMS8 DIMS8 DIMS8 DIM(1),
         ""),
      "!a constant of more than 64 dimensions", NULL },
    { false, TF("DT_INT32", DIM(1), "int_val: [1, 2]"),
      "!needs 1 values, has 2", NULL },
    { false, TF("DT_INT32", DIM(2), "tensor_content: '\\001\\000'"),
      "!needs 8 bytes, has 2", NULL },

    { true, "dims: 2 data_type: 7 int64_data: [7, -8]", "int64[2] 7 -8",
      "dims: 2 data_type: 7 int64_data: [7, -8]" },
    { true, "dims: [1, 2] data_type: 6 int32_data: [7, 8]", "int32[1,2] 7 8",
      "dims: [1, 2] data_type: 7 int64_data: [7, 8]" },
    { true, "dims: 2 data_type: 1 float_data: [0.5, 1]", "float32[2] 0.5 1",
      "dims: 2 data_type: 1 float_data: [0.5, 1]" },
    { true, "data_type: 11 double_data: 0.25", "float64[] 0.25",
      "data_type: 11 double_data: 0.25" },
    { true, "data_type: 13 uint64_data: 3", "uint64[] 3",
      "data_type: 7 int64_data: 3" },
    { true, "data_type: 3 raw_data: '\\377'", "int8[] -1",
      "data_type: 7 int64_data: -1" },
    { true, "dims: 1 data_type: 8 string_data: 'a'", "string[1] a",
      "dims: 1 data_type: 8 string_data: 'a'" },
    { true, "dims: 2 data_type: 7 int64_data: 7", "!needs 2 values, has 1",
      NULL },
    { true, "dims: 2 data_type: 99",
      "!a constant of unknown type or impossible shape", NULL },
    { true, "dims: 2 data_type: 22 raw_data: '\\021'", "?int4[2]", NULL },
};

struct bench {
    struct tn_error      error;
    struct tn_memory     memory;
    struct tn_arena      arena;
    struct tn_map_tensor tensor;
};

static void set_up(struct bench *b, struct tn_allocator *allocator)
{
    b->error = (struct tn_error)TN_ERROR_INIT;
    tn_memory_init(&b->memory, allocator, 0);
    tn_arena_init(&b->arena, &b->memory);
}

static void tear_down(struct bench *b)
{
    tn_arena_done(&b->arena);
    assert_int_equal(b->memory.used, 0);
}

static void print_value(struct tn_buffer *out, const struct tn_map_tensor *t,
                        uint64_t i)
{
    char number[TN_NUMBER_ROOM];

    tn_buffer_byte(out, ' ');
    if (t->strings) {
        tn_buffer_add(out, t->strings[i]);
        return;
    }
    tn_double_print(number, t->reals[i]);
    tn_buffer_text(out, number);
    assert_true((double)t->ints[i] == (double)(int64_t)t->reals[i]);
}

static void print_tensor(struct tn_buffer *out, const struct tn_map_tensor *t)
{
    tn_buffer_format(out, "%s%s[", t->has_values ? "" : "?",
                     tn_dtype_name(t->dtype));
    for (uint32_t i = 0; i < t->rank; i++)
        tn_buffer_format(out, "%s%lld", i ? "," : "", (long long)t->dims[i]);
    tn_buffer_byte(out, ']');
    for (uint64_t i = 0; t->has_values && i < t->count; i++)
        print_value(out, t, i);
}

static void assert_written(struct bench *b, unsigned row)
{
    struct tn_bytes written, wanted;

    if (!rows[row].written)
        return;
    assert_int_equal(
        tn_map_tensor_write(&b->tensor, &b->arena, &written, &b->error), TN_OK);
    wanted =
        encode(TN_PB_IMPORT_IR, "org.nd4j.ir.TensorProto", rows[row].written);
    if (!tn_bytes_equal(written, wanted))
        fail_msg("row %u is not written as %s", row, rows[row].written);
    encoded_free(wanted);
}

static void assert_row(unsigned row)
{
    struct bench     b     = { 0 };
    struct tn_bytes  bytes = encode_tensor(rows[row].is_onnx, rows[row].text);
    struct tn_buffer out;

    set_up(&b, NULL);
    node_model_tensor(&b.tensor, rows[row].is_onnx, bytes, &b.arena, &b.error);
    bool            is_refused = tn_failed(&b.error);
    struct tn_error none       = TN_ERROR_INIT;
    tn_buffer_init(&out, &b.memory, &none);
    if (is_refused)
        tn_buffer_format(&out, "!%s", b.error.what);
    else
        print_tensor(&out, &b.tensor);
    if (strcmp(tn_buffer_string(&out), rows[row].read) != 0)
        fail_msg("row %u: %s, not %s", row, tn_buffer_string(&out),
                 rows[row].read);
    tn_buffer_done(&out);
    if (!is_refused)
        assert_written(&b, row);
    tear_down(&b);
    encoded_free(bytes);
}

static void constants_are_read_and_written(void **state)
{
    (void)state;
    for (unsigned row = 0; row < sizeof rows / sizeof rows[0]; row++)
        assert_row(row);
}

/* Read, and written when it has values. */
static enum tn_status carry(bool is_onnx, struct tn_bytes input,
                            struct tn_memory *memory, struct tn_error *error)
{
    struct tn_arena      arena;
    struct tn_map_tensor tensor;
    struct tn_bytes      written;

    tn_arena_init(&arena, memory);
    if (node_model_tensor(&tensor, is_onnx, input, &arena, error) == TN_OK &&
        tensor.has_values)
        tn_map_tensor_write(&tensor, &arena, &written, error);
    tn_arena_done(&arena);
    return error->status;
}

static enum tn_status carry_tensorflow(struct tn_bytes   input,
                                       struct tn_memory *memory,
                                       struct tn_error  *error)
{
    return carry(false, input, memory, error);
}

static enum tn_status carry_onnx(struct tn_bytes   input,
                                 struct tn_memory *memory,
                                 struct tn_error  *error)
{
    return carry(true, input, memory, error);
}

/* Prefixes of a message are messages; flips and want of memory do no harm. */
static void survives_hostility(void **state)
{
    (void)state;
    for (unsigned row = 0; row < sizeof rows / sizeof rows[0]; row++) {
        struct tn_bytes bytes =
            encode_tensor(rows[row].is_onnx, rows[row].text);
        tn_reader_under_test *read =
            rows[row].is_onnx ? carry_onnx : carry_tensorflow;

        tn_survives_every_flip(read, bytes);
        if (rows[row].read[0] != '!')
            tn_survives_no_memory(read, bytes);
        encoded_free(bytes);
    }
}

/* ---- numbers of types --------------------------------------------------- */

static void types_have_one_number_each(void **state)
{
    int64_t number;

    (void)state;
    for (int64_t ir = 1; ir <= 16; ir++) {
        enum tn_dtype dtype = tn_ir_dtype(ir);

        assert_int_equal(tn_ir_type(dtype), ir);
        assert_true(tn_ir_type_named(tn_text(tn_ir_type_name(ir)), &number));
        assert_int_equal(number, ir);
    }
    assert_int_equal(tn_ir_dtype(0), TN_UNDEFINED);
    assert_int_equal(tn_ir_dtype(-1), TN_UNDEFINED);
    assert_int_equal(tn_ir_dtype(17), TN_UNDEFINED);
    assert_string_equal(tn_ir_type_name(-1), "UNDEFINED");
    assert_string_equal(tn_ir_type_name(99), "UNDEFINED");
    assert_false(tn_ir_type_named(tn_text("FLOAT8"), &number));
    assert_int_equal(tn_ir_type(TN_QINT8), 0);
    assert_int_equal(tn_nd4j_type(TN_INT32), 9);
    assert_int_equal(tn_nd4j_type(TN_QINT8), -1);
    assert_int_equal(tn_nd4j_type(TN_COMPLEX64), -1);
    assert_int_equal(tn_ir_of_tensorflow_name(tn_text("DT_HALF")), TN_FLOAT16);
    assert_int_equal(tn_ir_of_tensorflow_name(tn_text("DT_INT4")), TN_INT4);
    assert_int_equal(tn_ir_of_tensorflow_name(tn_text("DT_NONE")),
                     TN_UNDEFINED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constants_are_read_and_written),
        cmocka_unit_test(survives_hostility),
        cmocka_unit_test(types_have_one_number_each),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
