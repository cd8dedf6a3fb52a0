/* edit_cut_test.c - parts of graphs, written and read again */
#define _GNU_SOURCE
#include "engine/edit_cut.h"
#include "engine/edit_testing.h"

/* x -> enc/a -> enc/b -> dec/c -> y; an If takes enc/a's value from outside. */
static const char chain[] =
    "ir_version: 8 opset_import { version: 17 }\n"
    "graph { name: \"g\"\n"
    "  node { input: \"x\" input: \"w\" output: \"a\" name: \"/enc/a\" "
    "op_type: \"Add\" }\n"
    "  node { input: \"a\" output: \"b\" name: \"/enc/b\" op_type: \"Relu\" }\n"
    "  node { input: \"b\" input: \"v\" output: \"c\" name: \"/dec/c\" "
    "op_type: \"Mul\" }\n"
    "  node { input: \"t\" output: \"y\" name: \"/if\" op_type: \"If\"\n"
    "    attribute { name: \"then_branch\" type: GRAPH g { name: \"then\"\n"
    "      node { input: \"a\" output: \"p\" op_type: \"Neg\" } output " FLOATS(
        "p", "2") "    } }\n"
                  "    attribute { name: \"else_branch\" type: GRAPH g { name: "
                  "\"else\"\n"
                  "      node { input: \"c\" output: \"q\" op_type: \"Neg\" } "
                  "output " FLOATS(
                      "q",
                      "2") "    } } }\n"
                           "  initializer { dims: 2 data_type: 1 name: \"w\" "
                           "float_data: 1 float_data: 2 }\n"
                           "  initializer { dims: 2 data_type: 1 name: \"v\" "
                           "float_data: 3 float_data: 4 }\n"
                           "  input " FLOATS(
                               "x",
                               "2") "  input { name: \"t\" type { tensor_type "
                                    "{ elem_type: 9 shape { } } } }\n"
                                    "  output " FLOATS(
                                        "y",
                                        "2") "  value_info " FLOATS("b",
                                                                    "2") "}\n";

static void cut(struct scene *s, const char *input, const char *output)
{
    struct tn_bytes in  = tn_text(input ? input : ""),
                    out = tn_text(output ? output : "");

    tn_draft_cut(tn_edit_draft(s->edit),
                 &(struct tn_cut){ .inputs       = &in,
                                   .input_count  = input != NULL,
                                   .outputs      = &out,
                                   .output_count = output != NULL },
                 &s->error);
}

static void the_end_can_go(void **state)
{
    struct scene s;

    (void)state;
    begin(&s, chain);
    cut(&s, NULL, "b");
    finish(&s);
    assert_int_equal(tn_model_op_count(s.again), 2);
    assert_int_equal(tn_model_inputs(s.again).count, 1);
    assert_true(tn_bytes_is(tn_model_outputs(s.again).items[0].name, "b"));
    assert_int_equal(tn_model_outputs(s.again).items[0].dims[0].value, 2);
    assert_int_equal(tn_model_tensor_count(s.again), 1);
    end(&s);
}

static void the_beginning_can_go(void **state)
{
    struct scene s;

    (void)state;
    begin(&s, chain);
    cut(&s, "b", "c");
    finish(&s);
    assert_int_equal(tn_model_op_count(s.again), 1);
    assert_true(tn_bytes_is(tn_model_inputs(s.again).items[0].name, "b"));
    assert_int_equal(tn_model_inputs(s.again).items[0].dtype, TN_FLOAT32);
    end(&s);
}

/* What the branches use is needed. */
static void graphs_in_nodes_come_along(void **state)
{
    struct scene s;

    (void)state;
    begin(&s, chain);
    cut(&s, NULL, NULL);
    finish(&s);
    assert_int_equal(tn_model_op_count(s.again), 6);
    assert_int_equal(tn_model_tensor_count(s.again), 2);
    end(&s);
}

static void a_scope_can_be_taken_out(void **state)
{
    static const struct {
        const char *scope, *input, *output;
        uint32_t    ops;
    } cases[] = {
        { "dec", "b", "c", 1 },
        { "/dec", "b", "c", 1 },
        { "enc/b", "a", "b", 1 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene s;
        begin(&s, chain);
        tn_draft_extract(tn_edit_draft(s.edit), cases[i].scope, &s.error);
        finish(&s);
        assert_int_equal(tn_model_op_count(s.again), cases[i].ops);
        assert_true(tn_bytes_is(tn_model_inputs(s.again).items[0].name,
                                cases[i].input));
        assert_true(tn_bytes_is(tn_model_outputs(s.again).items[0].name,
                                cases[i].output));
        end(&s);
    }
}

static void mistakes_are_refused(void **state)
{
    static const struct {
        const char    *input, *output, *what;
        enum tn_status status;
    } cases[] = {
        { NULL, "nope", "no value 'nope'", TN_NOT_FOUND },
        { "p", NULL, "no value 'p'", TN_NOT_FOUND },
        { "t", "b", "no output depends on 't'", TN_INVALID },
        { "x", NULL, "also need 't'", TN_INVALID },
        { "b", "b", "cannot be an input and an output", TN_INVALID },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene s;
        begin(&s, chain);
        cut(&s, cases[i].input, cases[i].output);
        assert_int_equal(s.error.status, cases[i].status);
        if (!strstr(s.error.what, cases[i].what))
            fail_msg("%s", s.error.what);
        end(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_end_can_go),
        cmocka_unit_test(the_beginning_can_go),
        cmocka_unit_test(graphs_in_nodes_come_along),
        cmocka_unit_test(a_scope_can_be_taken_out),
        cmocka_unit_test(mistakes_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
