/*
 * lang_pack_test.c - the rules that were read when the library was built are
 * those of the text
 */
#include "map/lang/lang_pack.h"

#include "codec/stored.h"
#include <stdio.h>

#include "map/lang/rule_sets.h"
#include "support/same_structs.h"
#include "support/rules_text.h"

/* ---- the same, to the last byte ----------------------------------------- */

static void same_place(const struct tn_location *a, const struct tn_location *b)
{
    assert_string_equal(a->file, b->file);
    assert_int_equal(a->offset, b->offset);
    assert_int_equal(a->line, b->line);
    assert_int_equal(a->column, b->column);
}

static void same_expr(const struct tn_lang_expr *const *left,
                      const struct tn_lang_expr *const *right);

static void same_attr(const struct tn_lang_attr *left,
                      const struct tn_lang_attr *right)
{
    struct tn_lang_attr a = *left, b = *right;

    TN_FOLLOW(same_text, a, b, name);
    TN_FOLLOW(same_expr, a, b, value);
    TN_FOLLOW(same_text, a, b, as);
    TN_FOLLOW(same_place, a, b, place);
    TN_SAME_REST(a, b);
}

static void same_expr(const struct tn_lang_expr *const *left,
                      const struct tn_lang_expr *const *right)
{
    assert_int_equal(!*left, !*right);
    if (!*left)
        return;
    struct tn_lang_expr a = **left, b = **right;
    TN_FOLLOW(same_text, a, b, text);
    TN_FOLLOW(same_text, a, b, second);
    TN_FOLLOW(same_text, a, b, domain);
    TN_FOLLOW_ARRAY(same_expr, a, b, items, item_count);
    TN_FOLLOW_ARRAY(same_attr, a, b, attrs, attr_count);
    TN_FOLLOW(same_place, a, b, place);
    TN_SAME_REST(a, b);
}

static void same_block(const struct tn_lang_block *left,
                       const struct tn_lang_block *right);

static void same_step(const struct tn_lang_step *left,
                      const struct tn_lang_step *right)
{
    struct tn_lang_step a = *left, b = *right;

    TN_FOLLOW_ARRAY(same_text, a, b, names, name_count);
    TN_FOLLOW(same_expr, a, b, expr);
    TN_FOLLOW(same_text, a, b, why);
    TN_FOLLOW(same_block, a, b, body);
    TN_FOLLOW(same_block, a, b, other);
    TN_FOLLOW(same_place, a, b, place);
    TN_SAME_REST(a, b);
}

static void same_block(const struct tn_lang_block *left,
                       const struct tn_lang_block *right)
{
    struct tn_lang_block a = *left, b = *right;

    TN_FOLLOW_ARRAY(same_step, a, b, steps, count);
}

static void same_head(const struct tn_lang_head *left,
                      const struct tn_lang_head *right);

static void same_pattern(const struct tn_lang_pattern *const *left,
                         const struct tn_lang_pattern *const *right)
{
    assert_int_equal(!*left, !*right);
    if (!*left)
        return;
    struct tn_lang_pattern a = **left, b = **right;
    TN_FOLLOW(same_head, a, b, head);
    TN_SAME_REST(a, b);
}

static void same_param(const struct tn_lang_param *left,
                       const struct tn_lang_param *right)
{
    struct tn_lang_param a = *left, b = *right;

    TN_FOLLOW(same_text, a, b, name);
    TN_FOLLOW(same_pattern, a, b, maker);
    TN_FOLLOW(same_expr, a, b, literal);
    TN_FOLLOW(same_place, a, b, place);
    TN_SAME_REST(a, b);
}

static void same_head(const struct tn_lang_head *left,
                      const struct tn_lang_head *right)
{
    struct tn_lang_head a = *left, b = *right;

    TN_FOLLOW(same_text, a, b, op);
    TN_FOLLOW(same_text, a, b, domain);
    TN_FOLLOW_ARRAY(same_param, a, b, inputs, input_count);
    TN_FOLLOW_ARRAY(same_param, a, b, outputs, output_count);
    TN_FOLLOW_ARRAY(same_attr, a, b, attrs, attr_count);
    TN_FOLLOW(same_expr, a, b, guard);
    TN_FOLLOW(same_place, a, b, place);
    TN_SAME_REST(a, b);
}

static void same_shape(const struct tn_lang_shape *left,
                       const struct tn_lang_shape *right)
{
    struct tn_lang_shape a = *left, b = *right;

    TN_FOLLOW(same_expr, a, b, dtype);
    TN_FOLLOW(same_expr, a, b, dims);
    TN_FOLLOW(same_expr, a, b, value);
    TN_SAME_REST(a, b);
}

static void same_rule(const struct tn_lang_rule *left,
                      const struct tn_lang_rule *right)
{
    struct tn_lang_rule a = *left, b = *right;

    TN_FOLLOW(same_head, a, b, head);
    TN_FOLLOW(same_block, a, b, body);
    TN_FOLLOW(same_text, a, b, native);
    TN_FOLLOW_ARRAY(same_shape, a, b, shapes, shape_count);
    TN_FOLLOW(same_place, a, b, place);
    TN_SAME_REST(a, b);
}

static void same_def(const struct tn_lang_def *left,
                     const struct tn_lang_def *right)
{
    struct tn_lang_def a = *left, b = *right;

    TN_FOLLOW(same_text, a, b, name);
    TN_FOLLOW_ARRAY(same_text, a, b, params, param_count);
    TN_FOLLOW(same_expr, a, b, body);
    TN_FOLLOW(same_place, a, b, place);
    TN_SAME_REST(a, b);
}

static void same_table(const struct tn_lang_table *left,
                       const struct tn_lang_table *right)
{
    struct tn_lang_table a = *left, b = *right;

    TN_FOLLOW(same_text, a, b, name);
    TN_FOLLOW_ARRAY(same_expr, a, b, keys, count);
    TN_FOLLOW_ARRAY(same_expr, a, b, values, count);
    TN_FOLLOW(same_place, a, b, place);
    TN_SAME_REST(a, b);
}

static void same_macro(const struct tn_lang_macro *left,
                       const struct tn_lang_macro *right)
{
    struct tn_lang_macro a = *left, b = *right;

    TN_FOLLOW(same_text, a, b, name);
    TN_FOLLOW(same_head, a, b, head);
    TN_FOLLOW(same_block, a, b, body);
    TN_FOLLOW(same_place, a, b, place);
    TN_SAME_REST(a, b);
}

static void same_example(const struct tn_lang_example *left,
                         const struct tn_lang_example *right)
{
    struct tn_lang_example a = *left, b = *right;

    TN_FOLLOW(same_place, a, b, place);
    TN_SAME_REST(a, b);
}

#define SAME_LIST(same, a, b, list, T)                                         \
    do {                                                                       \
        assert_int_equal((a).list.count, (b).list.count);                      \
        for (uint64_t i_ = 0; i_ < (a).list.count; i_++)                       \
            same(tn_list_at(&(a).list, T, i_), tn_list_at(&(b).list, T, i_));  \
        memset(&(a).list, 0, sizeof(a).list);                                  \
        memset(&(b).list, 0, sizeof(b).list);                                  \
    } while (0)

/* What one has because it was packed is not compared. */
static void same_file(const struct tn_lang_file *left,
                      const struct tn_lang_file *right)
{
    struct tn_lang_file a = *left, b = *right;

    SAME_LIST(same_rule, a, b, rules, struct tn_lang_rule);
    SAME_LIST(same_rule, a, b, back, struct tn_lang_rule);
    SAME_LIST(same_def, a, b, defs, struct tn_lang_def);
    SAME_LIST(same_table, a, b, tables, struct tn_lang_table);
    SAME_LIST(same_macro, a, b, macros, struct tn_lang_macro);
    SAME_LIST(same_example, a, b, examples, struct tn_lang_example);
    SAME_LIST(same_text, a, b, ignored, struct tn_bytes);
    TN_FOLLOW(same_text, a, b, from);
    TN_FOLLOW(same_text, a, b, to);
    a.text   = b.text;
    a.packed = b.packed;
    TN_SAME_REST(a, b);
}

/* ---- ours --------------------------------------------------------------- */

struct fixture {
    struct tn_error     error;
    struct tn_memory    memory;
    struct tn_arena     arena;
    struct tn_lang_file parsed, unpacked;
};

static void open_fixture(struct fixture *d)
{
    *d = (struct fixture){ .error = TN_ERROR_INIT };
    tn_memory_init(&d->memory, NULL, 0);
    tn_arena_init(&d->arena, &d->memory);
}

static void close_fixture(struct fixture *d)
{
    tn_lang_done(&d->parsed);
    tn_lang_done(&d->unpacked);
    tn_arena_done(&d->arena);
    assert_int_equal(d->memory.used, 0);
}

static void compare(struct fixture *d, const char *name, struct tn_bytes text)
{
    assert_true(text.size > 0);
    tn_lang_parse(&d->parsed, &d->arena, name, text, &d->error);
    tn_lang_complete(&d->unpacked, &d->error);
    assert_string_equal(d->error.what, "");
    assert_string_equal(d->unpacked.name, name);
    d->unpacked.name = d->parsed.name;
    same_file(&d->parsed, &d->unpacked);
}

static void unpack(struct fixture *d, const struct tn_rule_text *ours)
{
    struct tn_pack_blocks *blocks;
    struct tn_bytes        packed =
        tn_stored_open(ours->stored, &d->arena, &blocks, &d->error);

    tn_lang_unpack(&d->unpacked, &d->arena, ours->name, packed, blocks,
                   &d->error);
}

static void our_rules_are_those_of_the_text(void **state)
{
    struct tn_rule_text text;
    uint32_t            count = 0;

    (void)state;
    for (; tn_rules_builtin_at(count, &text); count++) {
        struct fixture d;

        open_fixture(&d);
        unpack(&d, &text);
        compare(&d, text.name, rules_text(text.name));
        struct tn_bytes stored =
            tn_stored_read(text.stored_text, &d.arena, &d.error);
        assert_true(tn_bytes_equal(stored, rules_text(text.name)));
        close_fixture(&d);
    }
    assert_int_equal(count, 11);
}

static void our_shapes_are_those_of_the_text(void **state)
{
    static const char *const dialects[] = { "onnx", "nd4j", "tensorflow",
                                            "paddle", "tflite" };

    (void)state;
    for (size_t i = 0; i < sizeof dialects / sizeof dialects[0]; i++) {
        struct fixture d;
        char           name[32];

        open_fixture(&d);
        snprintf(name, sizeof name, "%s.shapes", dialects[i]);
        tn_shapes_read(&d.unpacked, &d.arena, dialects[i], &d.error);
        compare(&d, name, rules_text(name));
        close_fixture(&d);
    }
}

/* ---- one by one --------------------------------------------------------- */

static const char rules[] =
    "rules onnx -> nd4j 1\n"
    "table kinds { \"a\": 1, \"b\\n\": -2.5 }\n"
    "def twice(x) = [y * 2 for i, y in x if i > 0]\n"
    "macro both(X; n) -> (Y) {\n    Y <- add(X, X)\n}\n"
    "ignore doc\n"
    "Relu@6..13(X; -alpha, mode as m = \"a\") -> (Y) when rank(X) == 4 {\n"
    "    require kinds(m) > 0, \"why\"\n"
    "    if true { Y <- both(X; n: twice([1, 2])) } else { refuse \"no\" }\n"
    "}\n"
    "Mul{x, once Sigmoid(maybe Cast@13..(x; to as t))} when t == 1 =>\n"
    "    swish(x)\n"
    "Add(Split(x; -axis)[1] as part, -2.5) => add(x, part)\n"
    "Abs(X) => abs(X)\n"
    "    example Abs(f32[2]) => abs(f32[2])\n";

static enum tn_status pack_and_unpack(struct tn_bytes   input,
                                      struct tn_memory *memory,
                                      struct tn_error  *error)
{
    struct tn_arena     arena;
    struct tn_buffer    packed;
    struct tn_lang_file parsed, file;

    tn_arena_init(&arena, memory);
    tn_buffer_init(&packed, memory, error);
    tn_lang_init(&file, &arena, "a.rules");
    if (tn_lang_parse(&parsed, &arena, "a.rules", input, error) == TN_OK)
        tn_lang_pack(&parsed, &packed, NULL);
    if (!tn_failed(error) &&
        tn_lang_unpack(&file, &arena, "a.rules", tn_buffer_bytes(&packed), NULL,
                       error) == TN_OK &&
        tn_lang_complete(&file, error) == TN_OK)
        same_file(&parsed, &file);
    tn_lang_done(&file);
    tn_lang_done(&parsed);
    tn_buffer_done(&packed);
    tn_arena_done(&arena);
    return error->status;
}

static void every_construct_comes_back(void **state)
{
    (void)state;
    tn_survives_no_memory(pack_and_unpack, tn_text(rules));
}

/* Before somebody asks there is the outline alone; asking twice costs once. */
static void a_rule_is_read_when_it_is_asked_for(void **state)
{
    struct tn_rule_text text;
    struct fixture      d;

    (void)state;
    open_fixture(&d);
    tn_rules_builtin_at(0, &text);
    unpack(&d, &text);
    struct tn_lang_rule *rule =
        tn_list_at(&d.unpacked.rules, struct tn_lang_rule, 0);
    assert_true(rule->head.op.size > 0 && rule->place.line > 0);
    assert_true(rule->rest > 0 && !rule->head.inputs);
    tn_lang_complete_rule(&d.unpacked, rule, &d.error);
    assert_true(rule->rest == 0 && rule->head.inputs);
    assert_true(rule[1].rest > 0);
    const struct tn_lang_param *inputs = rule->head.inputs;
    tn_lang_complete_rule(&d.unpacked, rule, &d.error);
    assert_ptr_equal(rule->head.inputs, inputs);
    assert_int_equal(d.error.status, TN_OK);
    close_fixture(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(our_rules_are_those_of_the_text),
        cmocka_unit_test(our_shapes_are_those_of_the_text),
        cmocka_unit_test(every_construct_comes_back),
        cmocka_unit_test(a_rule_is_read_when_it_is_asked_for),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
