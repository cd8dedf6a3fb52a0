/* view_order_test.c - producers come before what takes their values */
#include "view/view_order.h"

#include <stdlib.h>
#include <time.h>

#include "support/sketch.h"
#include "view/view_nodes.h"

static const struct {
    const char *name, *graph;
    const char *order; /* of the ops; NULL: only producers first             */
} cases[] = {
    { "as in the file", "a = Relu(x); b = Relu(a); c = Relu(a); d = Add(b,c)", "abcd" },
    { "backwards", "d = Relu(c); c = Relu(b); b = Relu(a); a = Relu(x)", "abcd" },
    { "mixed", "d = Add(b,c); b = Relu(a); a = Relu(x); c = Relu(a)", NULL },
    { "a loop", "a = Add(x,b); b = Relu(a); c = Relu(b)", NULL },
    { "of itself", "a = Add(a,a); b = Relu(a)", "ab" },
    { "apart", "a = Relu(x); b = Relu(y)", "ab" },
};

static bool is_loop(size_t i)
{
    return strcmp(cases[i].name, "a loop") == 0 ||
           strcmp(cases[i].name, "of itself") == 0;
}

static void check_order(struct tn_picture *p, const uint32_t *order,
                        uint32_t count, size_t which)
{
    char     text[64];
    size_t   at    = 0;
    uint32_t place[64];

    for (uint32_t i = 0; i < count; i++)
        place[order[i]] = i;
    for (uint32_t i = 0; i < count; i++) {
        const struct tn_view_node *node = tn_picture_node(p, order[i]);
        if (node->kind == TN_VIEW_OP)
            text[at++] =
                (char)tn_model_op(p->model, node->what).name.data[0];
    }
    text[at] = '\0';
    if (cases[which].order)
        assert_string_equal(text, cases[which].order);
    for (uint32_t op = 0; op < p->model->ops.count && !is_loop(which); op++)
        for (uint32_t k = 0; k < tn_model_op(p->model, op).input_count; k++) {
            uint32_t from = tn_model_value_at(p->model,
                                              tn_op_input(p->model, op, k))
                                ->producer;
            uint32_t a = TN_NONE, b = TN_NONE;
            for (uint32_t i = 0; i < count; i++) {
                const struct tn_view_node *node = tn_picture_node(p, i);
                a = node->kind == TN_VIEW_OP && node->what == from ? i : a;
                b = node->kind == TN_VIEW_OP && node->what == op ? i : b;
            }
            if (from != TN_NONE)
                assert_true(place[a] < place[b]);
        }
}

static void producers_come_first(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tn_error       error = TN_ERROR_INIT;
        struct tn_memory      memory;
        struct tn_model       model;
        struct tn_picture     picture;
        struct tn_view_sorter sorter;
        uint32_t              order[64];

        tn_memory_init(&memory, NULL, 0);
        tn_model_init(&model, &memory);
        model.dialect     = &sketch_dialect;
        model.wants_graph = true;
        sketch_graph(&model, TN_GRAPH_MAIN, "graph", cases[i].graph, &error);
        tn_picture_init(&picture, &model, &memory, &error);
        assert_int_equal(tn_view_find_nodes(&picture), TN_OK);
        assert_true(picture.nodes.count <= 64);
        tn_view_sorter_init(&sorter, &picture);
        tn_view_sort(&sorter, 0, order);
        assert_int_equal(error.status, TN_OK);
        check_order(&picture, order, (uint32_t)picture.nodes.count, i);
        tn_picture_done(&picture);
        tn_model_done(&model);
        assert_int_equal(memory.used, 0);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(producers_come_first),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
