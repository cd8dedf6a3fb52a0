/* edit_pairs_test.c - nodes that change nothing or little */
#define _GNU_SOURCE
#include "engine/edit_pairs.h"
#include "engine/edit_testing.h"

/* x -> copy -> add -> copy -> y: the first copy is used in a graph, too. */
static const char copies[] =
    "ir_version: 8 opset_import { version: 17 }\n"
    "graph { name: \"g\"\n"
    "  node { input: \"x\" output: \"a\" name: \"first\" op_type: \"Identity\" "
    "}\n"
    "  node { input: \"a\" input: \"w\" output: \"b\" name: \"add\" op_type: "
    "\"Add\" }\n"
    "  node { input: \"t\" output: \"c\" name: \"if\" op_type: \"If\"\n"
    "    attribute { name: \"then_branch\" type: GRAPH g { name: \"then\"\n"
    "      node { input: \"a\" output: \"p\" op_type: \"Neg\" } output " FLOATS(
        "p", "2") "    } }\n"
                  "    attribute { name: \"else_branch\" type: GRAPH g { name: "
                  "\"else\"\n"
                  "      node { input: \"b\" output: \"q\" op_type: "
                  "\"Identity\" } output " FLOATS(
                      "q",
                      "2") "    } } }\n"
                           "  node { input: \"c\" output: \"y\" name: \"last\" "
                           "op_type: \"Identity\" }\n"
                           "  initializer { dims: 2 data_type: 1 name: \"w\" "
                           "float_data: 1 float_data: 2 }\n"
                           "  input " FLOATS(
                               "x",
                               "2") "  input { name: \"t\" type { tensor_type "
                                    "{ elem_type: 9 shape { } } } }\n"
                                    "  output " FLOATS("y", "2") "}\n";

/* The branch of an If must give a value of its own: its Identity stays. */
static void copies_go(void **state)
{
    struct scene s;
    uint64_t     count;

    (void)state;
    begin(&s, copies);
    assert_int_equal(tn_draft_remove_pairs(tn_edit_draft(s.edit),
                                           TN_PAIR_IDENTITY, &count, &s.error),
                     TN_OK);
    assert_int_equal(count, 2);
    finish(&s);
    assert_int_equal(tn_model_op_count(s.again), 4);
    assert_true(tn_bytes_is(tn_model_outputs(s.again).items[0].name, "y"));
    end(&s);
}

static void pairs_come_and_go(void **state)
{
    static const struct tn_pair pairs[] = {
        { .kind = TN_PAIR_IDENTITY },
        { .kind = TN_PAIR_CAST, .dtype = TN_FLOAT64 },
        { .kind = TN_PAIR_QDQ, .dtype = TN_INT8, .scale = 0.5f },
    };

    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct scene     s;
        struct tn_pair   pair = pairs[i];
        struct tn_model *with;
        struct tn_edit  *edit;
        uint64_t         count;
        begin(&s, little_onnx);
        pair.value = tn_text("x");
        assert_int_equal(
            tn_draft_insert_pair(tn_edit_draft(s.edit), &pair, &s.error),
            TN_OK);
        assert_int_equal(tn_edit_commit(s.edit, &with, &s.error), TN_OK);
        assert_int_equal(tn_model_op_count(with), i == 0 ? 2 : 3);
        assert_int_equal(tn_edit_open(&edit, with, NULL, &s.error), TN_OK);
        assert_int_equal(tn_draft_remove_pairs(tn_edit_draft(edit), pair.kind,
                                               &count, &s.error),
                         TN_OK);
        assert_int_equal(count, 1);
        tn_edit_close(s.edit);
        s.edit = edit;
        finish(&s);
        assert_int_equal(tn_model_op_count(s.again), 1);
        tn_model_close(with);
        end(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_go),
        cmocka_unit_test(pairs_come_and_go),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
