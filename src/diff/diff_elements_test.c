/* diff_elements_test.c - elements of two tensors, and their errors */
#include "diff/diff_elements.h"

#include <math.h>

#include "diff/diff_transpose.h"
#include "ir/element.h"
#include "support/hostile.h"

enum { MOST = 16 };

struct made {
    struct tn_source   source;
    struct tn_elements elements;
    uint64_t           dims[4];
    uint8_t            bytes[MOST * TN_ELEMENT_MAX];
};

static void make(struct made *made, struct tn_memory *memory,
                 enum tn_dtype dtype, uint32_t rank, const uint64_t *dims,
                 const double *numbers)
{
    size_t   size  = tn_dtype_size(dtype);
    uint64_t count = 1;

    for (uint32_t i = 0; i < rank; i++) {
        made->dims[i] = dims[i];
        count *= dims[i];
    }
    for (uint64_t i = 0; i < count; i++)
        tn_element_from_double(dtype, numbers[i], made->bytes + i * size);
    tn_source_memory(&made->source, memory,
                     tn_bytes(made->bytes, (size_t)count * size));
    made->elements.shape = (struct tn_shape){ dtype, rank, made->dims };
    made->elements.payload =
        tn_payload_raw(&made->elements.shape,
                       (struct tn_span){ &made->source, 0, count * size }, 1);
}

static const struct {
    const char   *claim;
    enum tn_dtype left, right;
    double        a[3], b[3], tolerance;
    uint64_t      changed;
    double        absolute, relative;
} cases[] = {
    { "equal", TN_FLOAT32, TN_FLOAT32, { 1, 2, 3 }, { 1, 2, 3 }, 0, 0, 0, 0 },
    { "one differs",
      TN_FLOAT32,
      TN_FLOAT32,
      { 1, 2, 4 },
      { 1, 2, 3 },
      0,
      1,
      1,
      0.25 },
    { "within tolerance",
      TN_FLOAT32,
      TN_FLOAT32,
      { 1, 2, 100 },
      { 1, 2, 101 },
      0.01,
      0,
      0,
      0 },
    { "beyond it",
      TN_FLOAT32,
      TN_FLOAT32,
      { 0, 2, 100 },
      { 0.5, 2, 101 },
      0.01,
      1,
      0.5,
      1 },
    { "another type",
      TN_FLOAT32,
      TN_FLOAT16,
      { 1, 2, 3 },
      { 1, 2, 3 },
      0,
      0,
      0,
      0 },
    { "integers", TN_INT8, TN_INT64, { -1, 2, 3 }, { -1, 2, 5 }, 0, 1, 2, 0.4 },
    { "none became a number",
      TN_FLOAT32,
      TN_FLOAT32,
      { NAN, 2, 3 },
      { 1, 2, 3 },
      0,
      1,
      INFINITY,
      INFINITY },
    { "zero with a sign",
      TN_FLOAT32,
      TN_FLOAT32,
      { 0, 2, 3 },
      { -0.0, 2, 3 },
      0,
      1,
      0,
      0 },
    { "zero with a sign, within tolerance",
      TN_FLOAT32,
      TN_FLOAT32,
      { 0, 2, 3 },
      { -0.0, 2, 3 },
      1e-9,
      0,
      0,
      0 },
    { "zero with a sign, in another type",
      TN_FLOAT32,
      TN_FLOAT16,
      { 0, 2, 3 },
      { -0.0, 2, 3 },
      0,
      0,
      0,
      0 },
    { "none with a sign",
      TN_FLOAT64,
      TN_FLOAT64,
      { NAN, 2, 3 },
      { -NAN, 2, 4 },
      0,
      2,
      1,
      0.25 },
    { "none stays none",
      TN_FLOAT32,
      TN_FLOAT16,
      { NAN, 2, 3 },
      { NAN, 2, 3 },
      0,
      0,
      0,
      0 },
};

static void errors_are_measured(void **state)
{
    static const uint64_t three[] = { 3 };
    struct tn_memory      memory;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tn_error       error = TN_ERROR_INIT;
        struct tn_diff_values values;
        struct made           a, b;

        make(&a, &memory, cases[i].left, 1, three, cases[i].a);
        make(&b, &memory, cases[i].right, 1, three, cases[i].b);
        assert_int_equal(tn_diff_elements(&a.elements, &b.elements,
                                          cases[i].tolerance, &memory, &values,
                                          &error),
                         TN_OK);
        if (values.changed != cases[i].changed ||
            values.max_absolute != cases[i].absolute ||
            values.max_relative != cases[i].relative)
            fail_msg("%s: %u changed, %g, %g", cases[i].claim,
                     (unsigned)values.changed, values.max_absolute,
                     values.max_relative);
        assert_int_equal(values.count, 3);
    }
    assert_int_equal(memory.used, 0);
}

static void transpositions_are_found(void **state)
{
    static const uint64_t a_dims[] = { 2, 3 }, b_dims[] = { 3, 2 };
    static const double   a_data[] = { 1, 2, 3, 4, 5, 6 },
                        b_data[]   = { 1, 4, 2, 5, 3, 6 };
    struct tn_error  error         = TN_ERROR_INIT;
    struct tn_memory memory;
    struct made      a, b, c;
    uint32_t         axes[TN_DIFF_AXES];
    uint64_t         left, right;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    make(&a, &memory, TN_FLOAT32, 2, a_dims, a_data);
    make(&b, &memory, TN_FLOAT16, 2, b_dims, b_data);
    make(&c, &memory, TN_FLOAT32, 2, b_dims, a_data);
    assert_true(
        tn_diff_transposed(&a.elements, &b.elements, &memory, axes, &error));
    assert_int_equal(axes[0], 1);
    assert_int_equal(axes[1], 0);
    assert_false(
        tn_diff_transposed(&a.elements, &c.elements, &memory, axes, &error));
    assert_int_equal(
        tn_diff_element_sum(&a.elements, TN_FLOAT16, &memory, &left, &error),
        TN_OK);
    assert_int_equal(
        tn_diff_element_sum(&b.elements, TN_FLOAT16, &memory, &right, &error),
        TN_OK);
    assert_true(left == right);
    assert_int_equal(memory.used, 0);
}

/* Bytes that are fewer than the shape says are an error, and not equal. */
static void lies_about_sizes_are_errors(void **state)
{
    static const uint64_t three[] = { 3 };
    static const double   data[]  = { 1, 2, 3 };
    struct tn_error       error   = TN_ERROR_INIT;
    struct tn_diff_values values;
    struct tn_memory      memory;
    struct made           a, b;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    make(&a, &memory, TN_FLOAT32, 1, three, data);
    make(&b, &memory, TN_FLOAT32, 1, three, data);
    a.elements.payload.span.length = 8;
    assert_int_not_equal(
        tn_diff_elements(&a.elements, &b.elements, 0, &memory, &values, &error),
        TN_OK);
    assert_int_equal(memory.used, 0);
}

/* Whole numbers beyond 2^53, of which doubles have not all. */
static void large_whole_numbers_are_exact(void **state)
{
    static const struct {
        enum tn_dtype left, right;
        uint64_t      a, b;
        double        tolerance, apart;
    } rows[] = {
        { TN_INT64, TN_INT64, UINT64_C(1) << 60 | 1, UINT64_C(1) << 60, 0, 1 },
        { TN_INT64, TN_INT64, UINT64_MAX - (UINT64_C(1) << 60), UINT64_MAX, 0,
          0x1p60 },
        { TN_UINT64, TN_UINT64, UINT64_MAX, UINT64_MAX - 3, 0, 3 },
        { TN_INT64, TN_UINT64, UINT64_MAX, UINT64_MAX, 0, 0x1p64 },
        { TN_INT64, TN_UINT64, UINT64_C(1) << 60, UINT64_C(1) << 60, 0, 0 },
        { TN_INT64, TN_INT64, UINT64_C(1) << 60 | 1, UINT64_C(1) << 60, 1e-9,
          0 },
    };
    static const uint64_t one[] = { 1 };
    static const double   none[1];

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tn_error       error = TN_ERROR_INIT;
        struct tn_diff_values values;
        struct tn_memory      memory;
        struct made           a, b;
        tn_memory_init(&memory, NULL, 0);
        make(&a, &memory, rows[i].left, 1, one, none);
        make(&b, &memory, rows[i].right, 1, one, none);
        memcpy(a.bytes, &rows[i].a, 8);
        memcpy(b.bytes, &rows[i].b, 8);
        assert_int_equal(tn_diff_elements(&a.elements, &b.elements,
                                          rows[i].tolerance, &memory, &values,
                                          &error),
                         TN_OK);
        assert_int_equal(values.changed, rows[i].apart != 0);
        assert_true(values.max_absolute == rows[i].apart);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_are_measured),
        cmocka_unit_test(transpositions_are_found),
        cmocka_unit_test(lies_about_sizes_are_errors),
        cmocka_unit_test(large_whole_numbers_are_exact),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
