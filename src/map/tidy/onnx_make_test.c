/* onnx_make_test.c - nodes that are made one after the other */
#include "map/tidy/onnx_make.h"

#include "support/net_bench.h"
#include "support/net_lines.h"

static void fill(struct tn_net *net)
{
    net_add_io(net, 0, "x -> y");
    net_add_line(net, 0, "y = F x");
}

static enum tn_status make(struct tn_net *net)
{
    static const int64_t      perm[] = { 1, 0 };
    const struct tn_onnx_make m      = { net, 0, 0 };
    uint32_t                  made[2];
    uint32_t                  x     = net_line_find(net, "x");
    uint32_t                  t     = tn_onnx_transpose(&m, x, perm, 2);
    uint32_t                  two[] = { tn_onnx_slice(&m, t, 0, 4, 1),
                                        tn_onnx_on_axis(&m, "Squeeze", t, 0) };

    tn_onnx_more(&m,
                 tn_onnx_add(&m, "Split",
                             (uint32_t[]){ tn_onnx_concat(&m, two, 2, 0) }, 1,
                             NULL),
                 made, 2);
    if (tn_failed(net->error))
        return net->error->status;
    tn_net_replace(net, net_line_find(net, "y"),
                   tn_onnx_concat(&m, &made[1], 1, 0));
    tn_net_prune(net);
    tn_net_forget_uses(net);
    return net->error->status;
}

static void nodes_are_named_after_what_they_come_from(void **state)
{
    (void)state;
    survives_no_memory("onnx", fill, make,
                       "y/Transpose:Transpose(x) "
                       "y/Slice:Slice(y/Transpose,,,) "
                       "y/Squeeze:Squeeze(y/Transpose,) "
                       "y/Concat:Concat(y/Slice,y/Squeeze) "
                       "y/Split,y/Split_1:Split(y/Concat) ->y/Split_1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_are_named_after_what_they_come_from),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
