/* onnx_forms_test.c - forms that change, and forms that stay */
#include "map/tidy/onnx_forms.h"

#include "base/buffer.h"
#include "support/net_bench.h"
#include "support/net_make.h"

static const int64_t known[] = { 2, 1, 3, 5, -2 }, open[] = { 2, 1, -1, 5, -2 };

static void make_conv(struct tn_net *net, const char *type, const int64_t *dims,
                      const struct tn_net_attr *attrs, uint32_t attr_count)
{
    static const int64_t image[]  = { 1, 1, 9, 9, -2 };
    uint32_t             inputs[] = { make_input(net, "x", TN_FLOAT32, image),
                                      make_input(net, "w", TN_FLOAT32, dims) };

    tn_net_add_output(net, 0,
                      make_node(net, type, "y", inputs, 2, attrs, attr_count),
                      tn_text(""));
}

static const struct tn_attr_value *kernel_of(struct tn_net *net)
{
    assert_int_equal(tn_onnx_forms(net), TN_OK);
    return tn_net_attr_of(net, 0, "kernel_shape");
}

static void test_told(void **state)
{
    static const char *const types[] = { "Conv", "ConvTranspose" };

    (void)state;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        struct bench b;

        set_up(&b, "onnx");
        make_conv(&b.net, types[i], known, NULL, 0);
        const struct tn_attr_value *kernel = kernel_of(&b.net);
        assert_non_null(kernel);
        assert_true(kernel->is_list);
        assert_int_equal(kernel->count, 2);
        assert_int_equal(kernel->of.ints[0], 3);
        assert_int_equal(kernel->of.ints[1], 5);
        tear_down(&b);
    }
}

static void test_left(void **state)
{
    static const struct {
        const char    *type;
        const int64_t *dims;
    } cases[] = { { "Conv", open }, { "Conv", NULL }, { "Add", known } };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bench b;

        set_up(&b, "onnx");
        make_conv(&b.net, cases[i].type, cases[i].dims, NULL, 0);
        assert_null(kernel_of(&b.net));
        tear_down(&b);
    }
}

/* What a model says stays. */
static void test_said(void **state)
{
    static const int64_t said = 7;
    struct tn_net_attr   attr = make_int("kernel_shape", &said);
    struct bench         b;

    (void)state;
    set_up(&b, "onnx");
    make_conv(&b.net, "Conv", known, &attr, 1);
    assert_int_equal(kernel_of(&b.net)->of.ints[0], 7);
    tear_down(&b);
}

/* ---- Gemm ---------------------------------------------------------------- */

static uint32_t weight(struct tn_net *net)
{
    static const double items[] = { 1, 2, 3, 4, 5, 6 };
    uint64_t            dims[]  = { 2, 3 };

    return tn_net_add_doubles(net, 0, tn_text("w"), TN_FLOAT32, items, 2, dims);
}

static void make_gemm(struct tn_net *net, const struct tn_net_attr *attrs,
                      uint32_t attr_count, bool is_tied)
{
    static const int64_t rows[] = { -1, 2, -2 };
    uint32_t inputs[] = { make_input(net, "x", TN_FLOAT32, rows), weight(net) };

    tn_net_add_output(net, 0,
                      make_node(net, "Gemm", "y", inputs, 2, attrs, attr_count),
                      tn_text(""));
    if (is_tied)
        tn_net_add_output(net, 0, inputs[1], tn_text("z"));
}

static void assert_elements(const struct tn_elements *elements,
                            const float *want, uint64_t count)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_memory memory;
    struct tn_buffer buffer;

    tn_memory_init(&memory, NULL, UINT64_MAX);
    tn_buffer_init(&buffer, &memory, &error);
    tn_payload_stream(elements, 0, count, &memory, &buffer.sink, &error);
    assert_int_equal(error.status, TN_OK);
    assert_memory_equal(buffer.data, want, (size_t)count * sizeof *want);
    tn_buffer_done(&buffer);
}

static void test_weights_are_turned(void **state)
{
    static const float want[] = { 1, 4, 2, 5, 3, 6 };
    struct bench       b;

    (void)state;
    set_up(&b, "onnx");
    make_gemm(&b.net, NULL, 0, false);
    assert_int_equal(tn_onnx_forms(&b.net), TN_OK);
    assert_net(&b, "y:Gemm(x,w) ->y");
    const struct tn_attr_value *turned = tn_net_attr_of(&b.net, 0, "transB");
    assert_non_null(turned);
    assert_int_equal(turned->of.ints[0], 1);
    const struct tn_elements *elements =
        tn_net_value(&b.net, tn_net_node(&b.net, 0).inputs[1]).constant;
    assert_int_equal(elements->shape.dims[0], 3);
    assert_int_equal(elements->shape.dims[1], 2);
    assert_elements(elements, want, 6);
    tear_down(&b);
}

/* Those that others use, and those that are as they should be. */
static void test_weights_stay(void **state)
{
    static const int64_t yes  = 1;
    struct tn_net_attr   attr = make_int("transB", &yes);

    (void)state;
    for (int is_tied = 0; is_tied < 2; is_tied++) {
        struct bench b;

        set_up(&b, "onnx");
        make_gemm(&b.net, &attr, !is_tied, is_tied);
        uint32_t was = tn_net_node(&b.net, 0).inputs[1];
        assert_int_equal(tn_onnx_forms(&b.net), TN_OK);
        assert_int_equal(tn_net_node(&b.net, 0).inputs[1], was);
        tear_down(&b);
    }
}

/* ---- Squeeze ------------------------------------------------------------- */

static void make_squeeze(struct tn_net *net, const int64_t *dims)
{
    static const int64_t from[]   = { -1, 1, 3, -2 };
    uint32_t             inputs[] = { make_input(net, "x", TN_FLOAT32, from),
                                      make_ints(net, "axes", (int64_t[]){ 1 }, 1) };
    uint32_t             y = make_node(net, "Squeeze", "y", inputs, 2, NULL, 0);
    uint32_t             rank = 0;

    while (dims && dims[rank] != -2)
        rank++;
    if (y == TN_NONE)
        return;
    tn_net_set_type(net, y,
                    &(struct tn_net_type){ .dtype    = TN_FLOAT32,
                                           .has_rank = dims != NULL,
                                           .rank     = rank,
                                           .dims     = dims });
    tn_net_add_output(net, 0, y, tn_text(""));
}

static void test_squeezes(void **state)
{
    static const int64_t one[] = { -1, 3, -2 }, two[] = { -1, -1, -2 };
    static const int64_t nothing[] = { 0, 3, -2 };
    static const struct {
        const int64_t *dims;
        const char    *type;
    } cases[] = { { one, "Reshape" },
                  { two, "Squeeze" },
                  { nothing, "Squeeze" },
                  { NULL, "Squeeze" } };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bench b;

        set_up(&b, "onnx");
        make_squeeze(&b.net, cases[i].dims);
        assert_int_equal(tn_onnx_forms(&b.net), TN_OK);
        assert_true(
            tn_bytes_is(tn_net_node(&b.net, 0).op->type, cases[i].type));
        tear_down(&b);
    }
}

/* -------------------------------------------------------------------------- */

static void fill(struct tn_net *net)
{
    make_gemm(net, NULL, 0, false);
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    survives_no_memory("onnx", fill, tn_onnx_forms, "y:Gemm(x,w) ->y");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_told),
        cmocka_unit_test(test_left),
        cmocka_unit_test(test_said),
        cmocka_unit_test(test_weights_are_turned),
        cmocka_unit_test(test_weights_stay),
        cmocka_unit_test(test_squeezes),
        cmocka_unit_test(test_every_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
