/* edit_append_test.c - two models end to end, with the graphs in their nodes */
#define _GNU_SOURCE
#include "engine/edit_append.h"
#include "engine/edit_testing.h"

/* y = if t then -x else w: names that the first model has, too. */
static const char chooser[] =
    "ir_version: 8 opset_import { version: 17 }\n"
    "graph { name: \"g\"\n"
    "  node { input: \"t\" output: \"y\" name: \"sum\" op_type: \"If\"\n"
    "    attribute { name: \"then_branch\" type: GRAPH g { name: \"then\"\n"
    "      node { input: \"x\" output: \"p\" op_type: \"Neg\" } output " FLOATS(
        "p", "2") "    } }\n"
                  "    attribute { name: \"else_branch\" type: GRAPH g { name: "
                  "\"else\"\n"
                  "      node { input: \"w\" output: \"q\" op_type: \"Neg\" } "
                  "output " FLOATS(
                      "q",
                      "2") "    } } }\n"
                           "  initializer { dims: 2 data_type: 1 name: \"w\" "
                           "float_data: 3 float_data: 4 }\n"
                           "  input " FLOATS(
                               "x",
                               "2") "  input { name: \"t\" type { tensor_type "
                                    "{ elem_type: 9 shape { } } } }\n"
                                    "  output " FLOATS("y", "2") "}\n";

static void open_other(struct scene *s, const char *text,
                       struct tn_model **other)
{
    tn_make_model(&s->scratch, "other.onnx", text);
    assert_int_equal(tn_model_open(other,
                                   tn_in_scratch(&s->scratch, "other.onnx"),
                                   &with_graph, &s->error),
                     TN_OK);
}

static void names_stay_apart(void **state)
{
    struct scene      s;
    struct tn_model  *other;
    const char *const pairs[] = { "y", "x" };

    (void)state;
    begin(&s, little_onnx);
    open_other(&s, chooser, &other);
    assert_int_equal(tn_draft_append_model(
                         tn_edit_draft(s.edit),
                         &(struct tn_append){
                             .model = other, .pairs = pairs, .pair_count = 2 },
                         &s.error),
                     TN_OK);
    finish(&s);
    assert_int_equal(tn_model_op_count(s.again), 4);
    assert_int_equal(tn_model_tensor_count(s.again), 2);
    assert_int_equal(tn_model_inputs(s.again).count, 2);
    assert_true(tn_bytes_is(tn_model_inputs(s.again).items[1].name, "t"));
    assert_int_equal(tn_model_outputs(s.again).count, 1);
    assert_false(tn_bytes_is(tn_model_outputs(s.again).items[0].name, "y"));
    tn_model_close(other);
    end(&s);
}

static void mistakes_are_refused(void **state)
{
    static const struct {
        const char *pairs[4];
        uint32_t    count;
        const char *what;
    } cases[] = {
        { { NULL }, 0, "as OUTPUT=INPUT" },
        { { "y", "z" }, 2, "no input 'z'" },
        { { "z", "x" }, 2, "no output 'z'" },
        { { "y", "t" }, 2, "they have other types" },
        { { "y", "x", "y", "x" }, 4, "given twice" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene     s;
        struct tn_model *other;
        begin(&s, little_onnx);
        open_other(&s, chooser, &other);
        assert_int_not_equal(
            tn_draft_append_model(
                tn_edit_draft(s.edit),
                &(struct tn_append){ .model      = other,
                                     .pairs      = cases[i].pairs,
                                     .pair_count = cases[i].count },
                &s.error),
            TN_OK);
        if (!strstr(s.error.what, cases[i].what))
            fail_msg("%s", s.error.what);
        tn_model_close(other);
        end(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_stay_apart),
        cmocka_unit_test(mistakes_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
