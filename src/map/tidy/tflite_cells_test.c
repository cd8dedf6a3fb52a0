/* tflite_cells_test.c - which sequences of LSTM cells become loops */
#include "map/net/net_build.h"
#include "map/tidy/tflite_tidy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "support/net_bench.h"

static uint32_t add_input(struct tn_net *net, const char *name, uint32_t rank)
{
    static const uint64_t dims[] = { 2, 4, 3 };
    struct tn_shape       shape  = { TN_FLOAT32, rank, dims };
    uint32_t              value  = tn_net_add_value(net, 0, tn_text(name));

    tn_net_set_shape(net, value, &shape);
    tn_net_add_input(net, 0, value, tn_text(""));
    return value;
}

/* A sequence, with or without a projection. */
static void fill(struct tn_net *net, bool is_projected, uint32_t rank)
{
    uint32_t x = add_input(net, "x", rank), w = add_input(net, "w", 2);
    uint32_t inputs[20];

    for (uint32_t i = 0; i < 20; i++)
        inputs[i] = i >= 9 && i <= 11 ? TN_NONE : w;
    inputs[0]  = x;
    inputs[16] = is_projected ? w : TN_NONE;
    inputs[17] = TN_NONE;
    uint32_t y = tn_net_add_value(net, 0, tn_text("y"));
    tn_net_add_node(
        net, &(struct tn_net_node){
                 .op = tn_net_own_op(net, "UNIDIRECTIONAL_SEQUENCE_LSTM"),
                 .inputs       = inputs,
                 .input_count  = 20,
                 .outputs      = &y,
                 .output_count = 1,
                 .source       = TN_NONE });
    tn_net_add_output(net, 0, y, tn_text(""));
}

static void fill_projected(struct tn_net *net)
{
    fill(net, true, 3);
}

static enum tn_status tidy(struct tn_net *net)
{
    struct tn_tflite_tidied did = { 0 };

    TN_TRY(tn_tflite_tidy(net, NULL, &did));
    return tn_net_order(net, NULL);
}

static void expect(bool is_projected, uint32_t rank, uint32_t loops)
{
    struct bench b;

    set_up(&b, "tflite");
    fill(&b.net, is_projected, rank);
    assert_int_equal(tidy(&b.net), TN_OK);
    assert_int_equal(count_nodes(&b.net, "Loop"), loops);
    assert_int_equal(count_nodes(&b.net, "LSTM"), loops);
    assert_int_equal(count_nodes(&b.net, "TRANSPOSE"), 2 * loops);
    assert_int_equal(count_nodes(&b.net, "UNIDIRECTIONAL_SEQUENCE_LSTM"),
                     1 - loops);
    assert_true(tn_bytes_is(
        tn_net_value(&b.net, *tn_list_at(&tn_net_graph(&b.net, 0)->outputs,
                                         uint32_t, 0))
            .name,
        "y"));
    tear_down(&b);
}

static void a_projection_needs_a_loop(void **state)
{
    (void)state;
    expect(true, 3, 1);
}

static void a_layer_stays_one(void **state)
{
    (void)state;
    expect(false, 3, 0);
}

/* The rule refuses it, and says why. */
static void steps_must_be_known(void **state)
{
    (void)state;
    expect(true, 2, 0);
}

static void no_memory(void **state)
{
    (void)state;
    survives_no_memory("tflite", fill_projected, tidy,
                       ":TRANSPOSE(x,) ,,:Loop(,,w,w)[round,going,h,c| "
                       ":GATHER(,round) ,,:LSTM(,w,w,w,w,w,w,w,w,,,,w,w,w,w,w,,"
                       "h,c) ->going,,,] y:TRANSPOSE(,) ->y");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_projection_needs_a_loop),
        cmocka_unit_test(a_layer_stays_one),
        cmocka_unit_test(steps_must_be_known),
        cmocka_unit_test(no_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
