/*
 * vocab_pack_test.c - the vocabularies that were read when the library was
 * built are those of the text
 */
#include "ir/vocab_pack.h"

#include "ir/vocab_lines.h"
#include "support/same_structs.h"
#include "support/rules_text.h"

/* ---- the same, to the last byte ----------------------------------------- */

static void same_int(const int64_t *a, const int64_t *b)
{
    assert_true(*a == *b);
}

static void same_float(const float *a, const float *b)
{
    assert_memory_equal(a, b, sizeof *a);
}

static void same_dims(const struct tn_attr_shape *left,
                      const struct tn_attr_shape *right)
{
    struct tn_attr_shape a = *left, b = *right;

    TN_FOLLOW_ARRAY(same_int, a, b, dims, rank);
    TN_SAME_REST(a, b);
}

static void same_value(const struct tn_attr_value *left,
                       const struct tn_attr_value *right)
{
    struct tn_attr_value a = *left, b = *right;

    if (a.kind == TN_ATTR_FLOAT)
        TN_FOLLOW_ARRAY(same_float, a, b, of.floats, count);
    else if (a.kind == TN_ATTR_SHAPE)
        TN_FOLLOW_ARRAY(same_dims, a, b, of.shapes, count);
    else if (a.kind == TN_ATTR_STRING || a.kind == TN_ATTR_OTHER)
        TN_FOLLOW_ARRAY(same_text, a, b, of.strings, count);
    else
        TN_FOLLOW_ARRAY(same_int, a, b, of.ints, count);
    TN_SAME_REST(a, b);
}

static void same_arg(const struct tn_vocab_arg *left,
                     const struct tn_vocab_arg *right)
{
    struct tn_vocab_arg a = *left, b = *right;

    TN_FOLLOW(same_text, a, b, name);
    TN_FOLLOW(same_text, a, b, list);
    TN_FOLLOW(same_text, a, b, variable);
    TN_SAME_REST(a, b);
}

static void same_attr(const struct tn_vocab_attr *left,
                      const struct tn_vocab_attr *right)
{
    struct tn_vocab_attr a = *left, b = *right;

    TN_FOLLOW(same_text, a, b, name);
    TN_FOLLOW(same_text, a, b, type);
    TN_FOLLOW(same_value, a, b, value);
    TN_FOLLOW_ARRAY(same_text, a, b, strings, string_count);
    TN_SAME_REST(a, b);
}

static void same_variable(const struct tn_vocab_variable *left,
                          const struct tn_vocab_variable *right)
{
    struct tn_vocab_variable a = *left, b = *right;

    TN_FOLLOW(same_text, a, b, name);
    TN_SAME_REST(a, b);
}

static void same_claim(const struct tn_vocab_claim *left,
                       const struct tn_vocab_claim *right)
{
    struct tn_vocab_claim a = *left, b = *right;

    TN_FOLLOW(same_text, a, b, left_text);
    TN_FOLLOW(same_text, a, b, right_text);
    TN_SAME_REST(a, b);
}

static void same_term(const struct tn_vocab_term *a,
                      const struct tn_vocab_term *b)
{
    assert_memory_equal(a, b, sizeof *a);
}

static void same_facts(const struct tn_vocab_fact *const *left,
                       const struct tn_vocab_fact *const *right)
{
    const struct tn_vocab_fact *l = *left, *r = *right;

    for (; l && r; l = l->next, r = r->next) {
        struct tn_vocab_fact a = *l, b = *r;

        TN_FOLLOW_ARRAY(same_term, a, b, terms, term_count);
        TN_FOLLOW(same_claim, a, b, claim);
        TN_FOLLOW(same_claim, a, b, conditions[0]);
        TN_FOLLOW(same_claim, a, b, conditions[1]);
        a.next = b.next = NULL;
        TN_SAME_REST(a, b);
    }
    assert_true(!l && !r);
}

static void same_op(const struct tn_vocab_op *left,
                    const struct tn_vocab_op *right)
{
    struct tn_vocab_op a = *left, b = *right;

    TN_FOLLOW(same_text, a, b, name);
    TN_FOLLOW(same_text, a, b, kernel);
    TN_FOLLOW_ARRAY(same_arg, a, b, inputs, input_count);
    TN_FOLLOW_ARRAY(same_arg, a, b, outputs, output_count);
    TN_FOLLOW_ARRAY(same_attr, a, b, attrs, attr_count);
    TN_FOLLOW_ARRAY(same_variable, a, b, variables, variable_count);
    TN_FOLLOW(same_facts, a, b, facts);
    TN_SAME_REST(a, b);
}

static void same_set(const struct tn_vocab_set *left,
                     const struct tn_vocab_set *right)
{
    struct tn_vocab_set a = *left, b = *right;

    TN_FOLLOW(same_text, a, b, name);
    TN_SAME_REST(a, b);
}

static void same_domain(const struct tn_vocab_domain *left,
                        const struct tn_vocab_domain *right)
{
    struct tn_vocab_domain a = *left, b = *right;

    TN_FOLLOW(same_text, a, b, names[0]);
    TN_FOLLOW(same_text, a, b, names[1]);
    TN_SAME_REST(a, b);
}

static void same_vocab(struct tn_vocab *left, struct tn_vocab *right,
                       struct tn_error *error)
{
    struct tn_vocab a = *left, b = *right;

    same_text(&a.dialect, &b.dialect);
    assert_int_equal(a.row_count, b.row_count);
    for (uint32_t i = 0; i < a.row_count; i++) {
        const struct tn_vocab_op *l        = tn_vocab_at(left, i, error);
        const struct tn_vocab_op *r        = tn_vocab_at(right, i, error);
        struct tn_bytes           names[2] = { tn_vocab_row_name(left, i),
                                               tn_vocab_row_name(right, i) };

        if (!l || !r)
            return; /* no memory */
        same_text(&names[0], &names[1]);
        same_op(l, r);
    }
    TN_FOLLOW_ARRAY(same_set, a, b, sets, set_count);
    TN_FOLLOW_ARRAY(same_domain, a, b, domains, domain_count);
}

/* ---- ours --------------------------------------------------------------- */

static void our_vocabularies_are_those_of_the_text(void **state)
{
    static const char *const dialects[] = { "nd4j", "onnx", "paddle",
                                            "tensorflow", "tflite" };

    (void)state;
    for (size_t i = 0; i < sizeof dialects / sizeof dialects[0]; i++) {
        struct tn_error  error = TN_ERROR_INIT;
        struct tn_memory memory;
        struct tn_arena  arena;
        struct tn_vocab  read, opened;

        tn_memory_init(&memory, NULL, 0);
        tn_arena_init(&arena, &memory);
        char name[32];
        snprintf(name, sizeof name, "%s.ops", dialects[i]);
        tn_vocab_load(&read, &arena, rules_text(name), &error);
        tn_vocab_open(&opened, &arena, dialects[i], &error);
        assert_string_equal(error.what, "");
        assert_true(read.row_count > 100 && !opened.rows);
        same_vocab(&read, &opened, &error);
        assert_int_equal(error.status, TN_OK);
        tn_arena_done(&arena);
    }
}

static void others_have_none(void **state)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_memory memory;
    struct tn_arena  arena;
    struct tn_vocab  vocab;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_arena_init(&arena, &memory);
    assert_int_equal(tn_vocab_open(&vocab, &arena, "basic", &error),
                     TN_NOT_FOUND);
    assert_string_equal(error.what, "no vocabulary of 'basic'");
    tn_arena_done(&arena);
}

/* ---- one by one --------------------------------------------------------- */

static const char words[] =
    "vocabulary x 1\n"
    "types floats = {float16 float32}\n"
    "domain ai.x \"\"\n"
    "op A@3 (x $T[s], ys* ~$T|int8[r 2..]) -> (z &$T[..r]) stateful "
    "deprecated@7\n"
    "    $T in {floats seq(int8) map(int64,string)}\n"
    "    a? list(int) = [1 -2]\n"
    "    b float = 0.5\n"
    "    c string = \"q\\\"\" in {\"q\\\"\" \"r\"}\n"
    "    d shape = [2 -1]\n"
    "    e int >= 1\n"
    "op B () -> () legacy(X 3)\n"
    "    n int @i0\n"
    "facts A @3..\n"
    "    where len(a) == 2 * (r - 2) if c is \"r\" and e >= 3\n"
    "    makes z = x[1:]\n"
    "domain com.y open\n"
    "op A (x int8) -> () outputs{0 2}\n";

static enum tn_status pack_and_unpack(struct tn_bytes   input,
                                      struct tn_memory *memory,
                                      struct tn_error  *error)
{
    struct tn_arena  arena;
    struct tn_buffer packed;
    struct tn_vocab  read, opened;

    tn_arena_init(&arena, memory);
    tn_buffer_init(&packed, memory, error);
    if (tn_vocab_load(&read, &arena, input, error) == TN_OK)
        tn_vocab_pack(&read, &packed, NULL);
    if (!tn_failed(error) &&
        tn_vocab_unpack(&opened, &arena, tn_buffer_bytes(&packed), NULL,
                        error) ==
            TN_OK)
        same_vocab(&read, &opened, error);
    tn_buffer_done(&packed);
    tn_arena_done(&arena);
    return error->status;
}

static void every_construct_comes_back(void **state)
{
    (void)state;
    tn_survives_no_memory(pack_and_unpack, tn_text(words));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(our_vocabularies_are_those_of_the_text),
        cmocka_unit_test(others_have_none),
        cmocka_unit_test(every_construct_comes_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
