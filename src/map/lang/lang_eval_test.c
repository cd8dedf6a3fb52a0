/* lang_eval_test.c - expressions: what they amount to, and where they refuse */
#include "map/lang/lang_eval.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "map/lang/infer.h"
#include "map/lang/lang_match.h"
#include "map/net/net_build.h"
#include "support/hostile.h"
#include "support/item_text.h"
#include "support/net_make.h"

#define TABLES                                                                 \
    "table code { \"a\": 1, 2: \"two\", float32: 3 }\n"                        \
    "def twice(x) = x + x\n"                                                   \
    "def many(x) = twice(twice(twice(twice(x))))\n"

/* x is float32 [2, ?, 4], s the constant [1, 2, 3], u not known, n not given;
 * axis = 1, list = [3, 1, 2], alpha = 0.1, text = "abc", missing is none. */
#define HEAD "T(x, s, u, c, n?; axis, list, alpha, text, missing) : ? ?\n = "

static const struct {
    const char *expr, *result; /* "!C: why" is a refusal at column C */
} cases[] = {
    /* literals and names */
    { "1", "1" },
    { "-2", "-2" },
    { "0.5", "0.5" },
    { "\"a\"", "\"a\"" },
    { "true", "true" },
    { "none", "none" },
    { "float32", "float32" },
    { "axis", "1" },
    { "list", "[3, 1, 2]" },
    { "missing", "none" },
    { "?", "?" },
    /* arithmetic */
    { "1 + 2 * 3", "7" },
    { "7 // 2", "3" },
    { "-7 // 2", "-4" },
    { "-7 % 3", "2" },
    { "7 % -3", "-2" },
    { "7 / 2", "3.5" },
    { "2 ** 10", "1024" },
    { "2 ** -1", "0.5" },
    { "1.5 + 1", "2.5" },
    { "true + 1", "2" },
    { "[1] + [2, 3]", "[1, 2, 3]" },
    { "\"a\" + \"b\"", "\"ab\"" },
    { "9223372036854775807 + 1", "!24: the result does not fit 64 bits" },
    { "3037000500 * 3037000500", "!15: the result does not fit 64 bits" },
    { "10 ** 40", "!7: the result does not fit 64 bits" },
    { "1 // 0", "!6: 1 divided by zero" },
    { "1 % 0", "!6: 1 divided by zero" },
    { "1.0 / 0", "!8: 1 divided by zero" },
    { "1 + \"a\"", "!6: found a string, expected a number" },
    { "[1] * 2", "!8: found a list, expected a number" },
    /* comparing */
    { "1 == 1.0", "true" },
    { "alpha == 0.1", "true" },
    { "alpha == 0.1000001", "false" },
    { "1 != 2", "true" },
    { "\"a\" < \"b\"", "true" },
    { "2 >= 3", "false" },
    { "[1, 2] == [1, 2]", "true" },
    { "[1, ?] == [2, ?]", "false" },
    { "[1, ?] == [1, 2]", "?" },
    { "text == \"abc\"", "true" },
    { "float32 == float64", "false" },
    { "1 < \"a\"", "!6: found a string, expected a number" },
    { "2 in list", "true" },
    { "4 in list", "false" },
    { "4 in [1, ?]", "?" },
    { "1 in [1, ?]", "true" },
    { "\"b\" in text", "true" },
    { "1 in 2", "!6: found an int, expected a list" },
    /* logic, where unknown may not matter */
    { "false and ?", "false" },
    { "? and false", "false" },
    { "true and ?", "?" },
    { "true or ?", "true" },
    { "? or true", "true" },
    { "not ?", "?" },
    { "if true then 1 else ?", "1" },
    { "if ? then 1 else 2", "?" },
    { "if \"a\" then 1 else 2", "!7: found a string, expected a bool" },
    { "1 + ?", "?" },
    /* lists */
    { "list[0]", "3" },
    { "list[-1]", "2" },
    { "list[3]", "!4: item 3 is wanted of a list that has 3" },
    { "list[-4]", "!4: item -4 is wanted of a list that has 3" },
    { "list[1:]", "[1, 2]" },
    { "list[:-1]", "[3, 1]" },
    { "list[::-1]", "[2, 1, 3]" },
    { "list[5:]", "[]" },
    { "list[none:2]", "[3, 1]" },
    { "list[::0]", "!4: a slice of step 0" },
    { "text[1:]", "\"bc\"" },
    { "[i * v for i, v in list]", "[0, 1, 4]" },
    { "[v for v in list if v > 1]", "[3, 2]" },
    { "[axis for axis in list] + [axis]", "[3, 1, 2, 1]" },
    { "[1, list..., 2]", "[1, 3, 1, 2, 2]" },
    { "[v for v in 3]", "!4: found an int, expected a list" },
    /* tables and defs */
    { "code(\"a\")", "1" },
    { "code(2)", "\"two\"" },
    { "code(float32)", "3" },
    { "code(7)", "!4: code has no row for 7" },
    { "twice(4)", "8" },
    { "many(1)", "16" },
    /* values */
    { "rank(x)", "3" },
    { "shape(x)", "[2, ?, 4]" },
    { "dim(x, -1)", "4" },
    { "dim(x, 1)", "?" },
    { "dim(x, 3)", "!4: dim: there is no such dimension" },
    { "dtype(x)", "float32" },
    { "rank(u)", "?" },
    { "dtype(u)", "?" },
    { "size(s)", "3" },
    { "size(x)", "?" },
    { "value(s)", "[1, 2, 3]" },
    { "scalar(s)", "!4: scalar: expected exactly one element" },
    { "value(x)", "?" },
    { "value(n)", "none" },
    { "is_const(s)", "true" },
    { "is_const(x)", "false" },
    { "is_const(c)", "true" },
    { "given(n)", "false" },
    { "given(x)", "true" },
    { "known(rank(u))", "false" },
    { "known(shape(x))", "false" },
    { "known(rank(x))", "true" },
    { "name(x)", "\"x\"" },
    { "rank(1)", "!4: rank: expected a value" },
    { "or_else(rank(u), 7)", "7" },
    { "or_else(1, 1 // 0)", "1" },
    /* functions of numbers */
    { "sum(list)", "6" },
    { "prod(list)", "6" },
    { "sum([])", "0" },
    { "prod([])", "1" },
    { "sum([1, 0.5])", "1.5" },
    { "prod([4294967296, 4294967296])",
      "!4: prod: the result does not fit 64 bits" },
    { "min(list)", "1" },
    { "max(4, 9, 2)", "9" },
    { "max([])", "!4: max: an empty list" },
    { "max(1, ?)", "?" },
    { "abs(-3)", "3" },
    { "int(3.9)", "3" },
    { "int(\"12\")", "12" },
    { "int(1e30)", "!4: int: the number is not a 64-bit integer" },
    { "float(2)", "2.0" },
    { "floor(-1.5)", "-2" },
    { "ceil(1.2)", "2" },
    { "round(2.5)", "2" },
    { "sqrt(9.0)", "3.0" },
    { "exp(0)", "1.0" },
    { "log(1)", "0.0" },
    { "str(12)", "\"12\"" },
    { "str(float16)", "\"float16\"" },
    { "bool(0)", "false" },
    /* functions of types */
    { "is_float(bfloat16)", "true" },
    { "is_int(float32)", "false" },
    { "is_int(uint4)", "true" },
    { "is_signed(uint8)", "false" },
    { "bits(int16)", "16" },
    { "seq(int8)", "seq:int8" },
    { "elem(seq(int8))", "int8" },
    { "dtype_named(\"int32\")", "int32" },
    { "is_float(1)", "!4: is_float: expected a dtype" },
    /* functions of lists */
    { "len(list)", "3" },
    { "len(shape(x))", "3" },
    { "range(3)", "[0, 1, 2]" },
    { "range(1, 7, 2)", "[1, 3, 5]" },
    { "range(3, 0, -1)", "[3, 2, 1]" },
    { "range(0, 1, 0)",
      "!4: a list of 18446744073709551615 items, limit 1048576" },
    { "range(10000000)", "!4: a list of 10000000 items, limit 1048576" },
    { "reverse(list)", "[2, 1, 3]" },
    { "sorted(list)", "[1, 2, 3]" },
    { "index(list, 2)", "2" },
    { "index(list, 9)", "-1" },
    { "zip(list, [\"a\", \"b\"])", "[[3, \"a\"], [1, \"b\"]]" },
    { "join([[1], [2, 3], []])", "[1, 2, 3]" },
    { "unique([1, 2, 1])", "[1, 2]" },
    { "fill(2, 7)", "[7, 7]" },
    { "fill(-1, 7)", "!4: fill: a negative count" },
    { "all([true, ?, false])", "false" },
    { "any([false, ?])", "?" },
    { "first_known([?, 3])", "3" },
    { "slice_count(10, -3, none, 1)", "3" },
    { "slice_count(10, none, none, -3)", "4" },
    /* functions of shapes */
    { "broadcast([2, 1], [3])", "[2, 3]" },
    { "broadcast([?, 3], [5, 1])", "[5, 3]" },
    { "broadcast([?], [1])", "[?]" },
    { "broadcast([2], [3])", "!4: broadcast: the shapes do not fit" },
    { "broadcast_all([[1], [4, 1], [3]])", "[4, 3]" },
    { "merged([[1, 2], [1, 3]])", "[1, ?]" },
    { "merged([[1, 2], [1]])", "?" },
    { "axes([-1, 0], 3)", "[2, 0]" },
    { "axes(-1, 3)", "2" },
    { "axes([3], 3)", "!4: axis 3 of rank 3" },
    { "axes([1], rank(u))", "[1]" },
    { "perm_inverse([2, 0, 1])", "[1, 2, 0]" },
    { "perm_inverse([0, 0])", "!4: perm_inverse: this is not a permutation" },
    { "reshaped([2, 6], [4, -1], true)", "[4, 3]" },
    { "reshaped([2, 6], [0, -1], true)", "[2, 6]" },
    { "reshaped([2, 5], [4, -1], true)",
      "!4: reshaped: the elements do not fit that shape" },
    { "reshaped(shape(u), [-1, 4], true)", "[?, 4]" },
    { "einsum_dims(\"bij,bjk->bik\", [[2, 3, 4], [2, 4, 5]])", "[2, 3, 5]" },
    { "einsum_dims(\"...ij->...ji\", [[7, 3, 4]])", "[7, 4, 3]" },
    { "einsum_dims(\"ij,jk\", [[3, 4], [4, 5]])", "[3, 5]" },
    { "strided([5, 6], [1, 0], [4, 0], [2, 1], [0, 0, 2, 0, 0])[0]", "[2, 6]" },
    { "strided([5, 6], [-1], [0], [1], [0, 0, 0, 0, 1])[0]", "[6]" },
    { "strided([5, 6], [0, 0, 1], [0, 0, 3], [1, 1, 1], [0, 1, 0, 2, 0])[0]",
      "[5, 1, 2]" },
    /* functions of texts */
    { "chars(text)", "[\"a\", \"b\", \"c\"]" },
    { "split(\"a,b,\", \",\")", "[\"a\", \"b\", \"\"]" },
    { "find(text, \"c\")", "2" },
    { "find(text, \"d\")", "-1" },
    { "upper(text)", "\"ABC\"" },
    { "lower(\"AbC\")", "\"abc\"" },
    /* functions of elements */
    { "calc(\"add\", s, s)", "[2, 4, 6]" },
    { "calc(\"less\", s, s)", "[false, false, false]" },
    { "calc(\"add\", s, x)", "?" },
    { "cast([1, 300], uint8)", "[1, 44]" },
    { "cast([1.5, -1.5], int32)", "[1, -1]" },
    { "gathered([1, 2, 3, 4], [2, 2], [1], 0)", "[3, 4]" },
    { "gathered([1, 2, 3, 4], [2, 2], [-1, 0], 1)", "[2, 1, 4, 3]" },
    { "gathered([1, 2], [2], [2], 0)", "!4: gathered: an index out of bounds" },
    { "scattered([1, 2, 3], [2, 0], [7, 8])", "[8, 2, 7]" },
    { "scattered([1, 2], [2], [7])", "!4: scattered: a place out of bounds" },
    { "scattered([1, 2], [1], [7, 8])", "!4: scattered: expected as many places as elements" },
    { "sliced([1, 2, 3, 4, 5], [5], [1], [-1], [2])", "[2, 4]" },
    { "sliced([1, 2, 3], [3], [none], [none], [-1])", "[3, 2, 1]" },
    { "joined([[1, 2], [3]], [[2], [1]], 0)", "[1, 2, 3]" },
    { "joined([[1, 2], [3, 4]], [[2, 1], [2, 1]], 1)", "[1, 3, 2, 4]" },
    { "transposed([1, 2, 3, 4, 5, 6], [2, 3], [1, 0])", "[1, 4, 2, 5, 3, 6]" },
    { "expanded([1, 2], [2, 1], [2, 2])", "[1, 1, 2, 2]" },
    { "reduced(\"add\", [1, 2, 3, 4], [2, 2], [0])", "[4, 6]" },
    { "reduced(\"max\", [1, 2, 3, ?], [2, 2], [1])", "[2, ?]" },
};

struct bench {
    struct tn_error     error;
    struct tn_memory    memory;
    struct tn_arena     arena, scratch;
    struct tn_net       net;
    struct tn_lang_file file;
    struct tn_code_set  set;
    struct tn_infer    *facts;
    uint32_t            node;
};

static const int64_t one = 1, three[] = { 3, 1, 2 };
static const float   alpha = 0.1F;

static void make_net(struct bench *b)
{
    static const int64_t items[] = { 1, 2, 3 };
    struct tn_bytes      text    = tn_text("abc");
    struct tn_net_attr   attrs[] = {
          make_int("axis", &one),
          { tn_text("list"), { TN_ATTR_INT, true, 3, { .ints = three } } },
          { tn_text("alpha"), { TN_ATTR_FLOAT, false, 1, { .floats = &alpha } } },
          { tn_text("text"), { TN_ATTR_STRING, false, 1, { .strings = NULL } } },
    };
    struct tn_bytes *kept = tn_new(&b->arena, struct tn_bytes, 1, &b->error);

    *kept                     = text;
    attrs[3].value.of.strings = kept;
    tn_net_add_graph(&b->net, TN_GRAPH_MAIN, tn_text("g"), TN_NONE);
    uint32_t inputs[] = {
        make_input(&b->net, "x", TN_FLOAT32, (int64_t[]){ 2, -1, 4, -2 }),
        make_ints(&b->net, "s", items, 3),
        make_input(&b->net, "u", TN_UNDEFINED, NULL),
        TN_NONE,
    };

    inputs[3] = make_node(&b->net, "Identity", "c", &inputs[1], 1, NULL, 0);
    make_node(&b->net, "T", "y", inputs, 4, attrs, 4);
}

static void set_up(struct bench *b, const char *rule, char *text, size_t size)
{
    b->error = (struct tn_error)TN_ERROR_INIT;
    tn_memory_init(&b->memory, NULL, 0);
    tn_arena_init(&b->arena, &b->memory);
    tn_arena_init(&b->scratch, &b->memory);
    tn_net_init(&b->net, &b->arena, "onnx", &b->error);
    make_net(b);
    snprintf(text, size, "shapes onnx 1\n" TABLES HEAD "%s", rule);
    tn_lang_parse(&b->file, &b->arena, "t", tn_text(text), &b->error);
    if (tn_failed(&b->error))
        fail_msg("%s: %s: %s", rule, b->error.where, b->error.what);
    tn_code_init(&b->set, &b->memory, &b->net, NULL, 0, &b->error);
    tn_code_add(&b->set, &b->file, &b->error);
    tn_infer_open(&b->facts, &b->net, &b->file);
}

static void tear_down(struct bench *b)
{
    tn_infer_close(b->facts);
    tn_code_done(&b->set);
    tn_lang_done(&b->file);
    tn_net_done(&b->net);
    tn_arena_done(&b->scratch);
    tn_arena_done(&b->arena);
    assert_int_equal(b->memory.used, 0);
}

static void run(struct bench *b, char *to, size_t size)
{
    const struct tn_net_node   node = tn_net_node(&b->net, 1);
    struct tn_eval             e    = { .net     = &b->net,
                                        .facts   = b->facts,
                                        .node    = &node,
                                        .scratch = &b->scratch,
                                        .missing = TN_NONE,
                                        .error   = &b->error };
    const struct tn_code_rule *rule =
        tn_code_find(&b->set, tn_text("T"), tn_text(""), &b->error);

    if (!rule || !tn_rule_enter(&e, rule))
        fail_msg("%s %s", b->error.what, e.refusal.text);
    struct tn_item item = tn_eval(&e, &rule->shapes[0].value);
    if (e.refusal.is_set)
        snprintf(to, size, "!%u: %s", e.refusal.place.column, e.refusal.text);
    else
        print_item(item, to, size);
}

static void test_expressions(void **state)
{
    char     text[2048], result[400];
    unsigned wrong = 0;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bench b;
        set_up(&b, cases[i].expr, text, sizeof text);
        run(&b, result, sizeof result);
        if (strcmp(result, cases[i].result)) {
            print_error("%s: %s, not %s\n", cases[i].expr, result,
                        cases[i].result);
            wrong++;
        }
        tear_down(&b);
    }
    assert_int_equal(wrong, 0);
}

/* Rules that would take forever, or all the memory, refuse. */
static const char *const bombs[] = {
    "[[[i + j + k for i in range(1000)] for j in range(1000)]"
    " for k in range(1000)]",
    "len([join([range(1000000) for i in range(100)]) for j in range(100)])",
    "unique(range(1000000))",
    "join([range(1000000), range(1000000)])",
    "range(-9223372036854775807, 9223372036854775807, 1)",
    "fill(1000000000, 1)",
    "zip(range(1000000), range(1000000))",
    "fill(1000000, fill(1000000, 1)) == fill(1000000, fill(1000000, 1))",
    "[known(xs) for xs in fill(1000, range(100000))]",
    "[-1 in xs for xs in fill(1000, range(100000))]",
    "index(fill(100, fill(100000, 1)), fill(99999, 1) + [2])",
};

static void test_bombs_do_not_go_off(void **state)
{
    char text[2048], result[400];

    (void)state;
    for (size_t i = 0; i < sizeof bombs / sizeof *bombs; i++) {
        struct bench b;
        set_up(&b, bombs[i], text, sizeof text);
        b.memory.limit = UINT64_C(512) << 20;
        run(&b, result, sizeof result);
        if (result[0] != '!' && result[0] != '?' && !tn_failed(&b.error))
            fail_msg("%s: %s", bombs[i], result);
        tear_down(&b);
    }
}

/* Sixteen levels of four calls each, though nothing recurses. */
static void test_defs_that_double_are_counted(void **state)
{
    char text[2048] = "shapes onnx 1\ndef d0(x) = x\n", result[400], all[4096];
    struct bench b;

    (void)state;
    for (unsigned i = 1; i <= 16; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 "def d%u(x) = d%u(d%u(x)) + d%u(d%u(x))\n", i, i - 1, i - 1,
                 i - 1, i - 1);
    snprintf(all, sizeof all, "%s" HEAD "d16(0)", text);
    set_up(&b, "1", text, sizeof text);
    tn_infer_close(b.facts);
    tn_code_done(&b.set);
    tn_lang_done(&b.file);
    tn_lang_parse(&b.file, &b.arena, "t", tn_text(all), &b.error);
    assert_string_equal(b.error.what, "");
    tn_code_init(&b.set, &b.memory, &b.net, NULL, 0, &b.error);
    tn_code_add(&b.set, &b.file, &b.error);
    tn_infer_open(&b.facts, &b.net, &b.file);
    run(&b, result, sizeof result);
    assert_non_null(strstr(result, "the rule takes more than"));
    tear_down(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_expressions),
        cmocka_unit_test(test_bombs_do_not_go_off),
        cmocka_unit_test(test_defs_that_double_are_counted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
