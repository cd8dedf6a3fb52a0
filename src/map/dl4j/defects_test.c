/* defects_test.c - mistakes that are known of the shipped mappers */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "map/dl4j/explain.h"

static unsigned count(const char *(*next)(struct tn_bytes, struct tn_bytes,
                                          unsigned),
                      const char *framework, const char *op_type)
{
    unsigned found = 0;

    while (next(tn_text(framework), tn_text(op_type), found))
        found++;
    return found;
}

static void every_mistake_of_an_op_is_found(void **state)
{
    (void)state;
    assert_int_equal(count(tn_map_defect, "tensorflow", "NonMaxSuppression"),
                     2);
    assert_int_equal(count(tn_map_defect, "onnx", "Round"), 1);
    assert_int_equal(count(tn_map_defect, "tensorflow", "Round"), 0);
    assert_int_equal(count(tn_map_defect, "onnx", "NoSuchOp"), 0);
}

/* A node shows by itself that its attribute is dropped. */
static void mistakes_that_a_node_shows_are_left_out(void **state)
{
    (void)state;
    assert_int_equal(count(tn_map_defect, "onnx", "HardSigmoid"), 1);
    assert_int_equal(count(tn_map_unseen_defect, "onnx", "HardSigmoid"), 0);
    assert_int_equal(count(tn_map_unseen_defect, "onnx", "Round"), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mistake_of_an_op_is_found),
        cmocka_unit_test(mistakes_that_a_node_shows_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
