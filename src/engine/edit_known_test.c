/* edit_known_test.c - types of values by name, and names that are free */
#define _GNU_SOURCE
#include "engine/edit_known.h"
#include "engine/edit_testing.h"

static void types_are_found_by_name(void **state)
{
    struct scene    s;
    struct tn_known known;
    struct tn_arena arena;

    (void)state;
    begin(&s, little_onnx);
    tn_arena_init(&arena, tn_edit_draft(s.edit)->memory);
    assert_int_equal(tn_known_open(&known, arena.memory, s.model, &s.error),
                     TN_OK);
    assert_int_equal(tn_known_infer(&known), TN_OK);
    struct tn_io y = tn_known_io(&known, tn_text("y"), &arena, &s.error);
    assert_int_equal(y.dtype, TN_FLOAT32);
    assert_int_equal(y.rank, 1);
    assert_int_equal(y.dims[0].value, 2);
    struct tn_io z = tn_known_io(&known, tn_text("z"), &arena, &s.error);
    assert_int_equal(z.dtype, TN_UNDEFINED);
    assert_false(z.has_rank);
    tn_known_close(&known);
    tn_arena_done(&arena);
    end(&s);
}

static void names_are_free(void **state)
{
    struct scene    s;
    struct tn_fresh fresh;
    struct tn_arena arena;

    (void)state;
    begin(&s, little_onnx);
    tn_arena_init(&arena, tn_edit_draft(s.edit)->memory);
    tn_fresh_init(&fresh, s.model, &arena);
    assert_string_equal(tn_fresh_name(&fresh, tn_text("new"), "", &s.error),
                        "new");
    assert_string_not_equal(tn_fresh_name(&fresh, tn_text("new"), "", &s.error),
                            "new");
    assert_string_not_equal(tn_fresh_name(&fresh, tn_text("w"), "", &s.error),
                            "w");
    tn_fresh_done(&fresh);
    tn_arena_done(&arena);
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_are_found_by_name),
        cmocka_unit_test(names_are_free),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
