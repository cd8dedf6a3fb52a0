/* paddle_check_order_test.c - variables that are read too early */
#define _GNU_SOURCE
#include "format/paddle/paddle_check_testing.h"

#define ROUND(body) /* a loop */                                               \
    BLOCK(VARS FLOATS("z", "dims: 2") TYPED("c", "BOOL", "dims: 1") ENDS OP(   \
        "") "ops { " IN("X", A("x")) IN("Y", A("x"))                           \
              OUT("Out", "c") "type: 'less_than' } ops { " IN(                 \
                  "Condition", A("c")) IN("X", A("y") A("z"))                  \
                  OUT("Out", "y") "type: 'while' attrs { name: "               \
                                  "'sub_block' type: BLOCK block_idx: 1 } }")  \
    " blocks { idx: 1 parent_idx: 0 " body " }"

/* clang-format off */
static const struct paddle_row rows[] = {
    { "read before it is written", BLOCK(VARS FLOATS("z", "dims: 2") ENDS "ops { " IN("X", A("z")) OUT("Out", "y") "type: 'relu' } ops { " IN("X", A("x")) OUT("Out", "z") "type: 'relu' } "), "unset-variable" },
    { "read, and never written", BLOCK(VARS FLOATS("z", "dims: 2") ENDS "ops { " IN("X", A("z")) OUT("Out", "y") "type: 'relu' } "), NULL },
    { "fed by hand", BLOCK(VARS FLOATS("z", "dims: 2") FETCH("y", "0") "ops { " IN("X", A("z")) OUT("Out", "y") "type: 'relu' } ops { " IN("X", A("x")) OUT("Out", "z") "type: 'relu' } "), "no-feed" },
    { "written before it is read", ROUND("ops { " IN("X", A("x")) OUT("Out", "z") "type: 'relu' } ops { " IN("X", A("z")) OUT("Out", "y") "type: 'relu' } "), NULL },
    { "read in the first round", ROUND("ops { " IN("X", A("z")) OUT("Out", "y") "type: 'relu' } ops { " IN("X", A("x")) OUT("Out", "z") "type: 'relu' } "), "unset-variable" },
    { "written around the loop", ROUND("ops { " IN("X", A("y")) OUT("Out", "y") "type: 'relu' } "), NULL },
    { "read in a branch of a loop", ROUND("ops { " IN("Cond", A("c")) "type: 'conditional_block' attrs { name: 'sub_block' type: BLOCK block_idx: 2 } attrs { name: 'is_scalar_condition' type: BOOLEAN b: true } } ops { " IN("X", A("x")) OUT("Out", "z") "type: 'relu' } ") " blocks { idx: 2 parent_idx: 1 ops { " IN("X", A("z")) OUT("Out", "y") "type: 'relu' } }", NULL },
};
/* clang-format on */

static void reads_come_after_writes(void **state)
{
    (void)state;
    hold_programs(rows, sizeof rows / sizeof rows[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_come_after_writes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
