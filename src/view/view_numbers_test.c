/* view_numbers_test.c - numbers for nodes, from JSON and from lines */
#include "view/view_numbers.h"

#include <math.h>

#include "support/sketch.h"
#include "view/view_nodes.h"

static const struct {
    const char    *name, *text;
    enum tn_status status;
    uint64_t       offset; /* of the complaint                               */
    uint32_t       count;  /* nodes that get a number                        */
    const char    *label;
    double         of_b; /* NAN: none                                        */
} cases[] = {
    /* clang-format off */
    { "an object",        "{\"a\": 1, \"b\": 2.5}",                  TN_OK, 0, 2, "", 2.5 },
    { "with a label",     "{\"label\": \"ms\", \"nodes\": {\"b\": 3}}", TN_OK, 0, 1, "ms", 3 },
    { "pairs",            "[[\"a\", 1], [\"b\", -2]]",               TN_OK, 0, 2, "", -2 },
    { "records",          "[{\"name\": \"b\", \"ms\": 7, \"n\": 9}]", TN_OK, 0, 1, "", 7 },
    { "added up",         "[[\"b\", 1], [\"b\", 2]]",                TN_OK, 0, 1, "", 3 },
    { "lines",            "a\t1\nb\t2\n",                            TN_OK, 0, 2, "", 2 },
    { "a heading",        "node\ttime\n# all\nb\t4",                 TN_OK, 0, 1, "time", 4 },
    { "some unknown",     "{\"a\": 1, \"nobody\": 2}",               TN_OK, 0, 1, "", NAN },
    { "nobody",           "{\"nobody\": 2}",                         TN_NOT_FOUND, TN_NOWHERE, 0, "", NAN },
    { "nothing",          "",                                        TN_NOT_FOUND, TN_NOWHERE, 0, "", NAN },
    { "no number",        "a\t1\nb\tmuch\n",                         TN_MALFORMED, 4, 0, "", NAN },
    { "infinite",         "a\t1\nb\tinf\n",                          TN_MALFORMED, 4, 0, "", NAN },
    { "too large",        "{\"a\": 1e999}",                          TN_MALFORMED, 6, 0, "", NAN },
    { "a text",           "{\"a\": \"x\"}",                          TN_MALFORMED, 6, 0, "", NAN },
    { "deeper",           "[[\"a\", [1]]]",                          TN_MALFORMED, 7, 0, "", NAN },
    { "cut",              "{\"a\": 1",                               TN_TRUNCATED, 7, 0, "", NAN },
    /* clang-format on */
};

static void read(struct tn_picture *p, size_t i)
{
    assert_int_equal(tn_view_find_nodes(p), TN_OK);
    tn_view_read_numbers(p, tn_text(cases[i].text));
    if (p->error->status != cases[i].status)
        fail_msg("%s: %s", cases[i].name, p->error->what);
    if (cases[i].status != TN_OK) {
        if (p->error->offset != cases[i].offset)
            fail_msg("%s: at %d", cases[i].name, (int)p->error->offset);
        return;
    }
    assert_int_equal(p->number_count, cases[i].count);
    assert_true(tn_bytes_is(tn_picture_text(p, p->number_label),
                            cases[i].label));
    for (uint32_t k = 0; k < p->nodes.count; k++) {
        const struct tn_view_node *node = tn_picture_node(p, k);
        if (node->kind == TN_VIEW_OP && node->what == 1)
            assert_true(isnan(cases[i].of_b)
                            ? isnan(p->numbers[k])
                            : p->numbers[k] == (float)cases[i].of_b);
    }
}

static void numbers_are_read_or_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tn_error   error = TN_ERROR_INIT;
        struct tn_memory  memory;
        struct tn_model   model;
        struct tn_picture picture;

        tn_memory_init(&memory, NULL, 0);
        tn_model_init(&model, &memory);
        model.dialect     = &sketch_dialect;
        model.wants_graph = true;
        sketch_graph(&model, TN_GRAPH_MAIN, "graph", "a = Relu(x); b = Relu(a)",
                     &error);
        tn_picture_init(&picture, &model, &memory, &error);
        read(&picture, i);
        tn_picture_done(&picture);
        tn_model_done(&model);
        assert_int_equal(memory.used, 0);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_read_or_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
