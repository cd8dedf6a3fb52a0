/* lang_parse_test.c - the rule language: what is read, and what is refused */
#include "map/lang/lang.h"

#include <math.h>
#include <stdio.h>

#include "support/hostile.h"

static enum tn_status parse(struct tn_bytes input, struct tn_memory *memory,
                            struct tn_error *error)
{
    struct tn_arena     arena;
    struct tn_lang_file file;

    tn_arena_init(&arena, memory);
    tn_lang_parse(&file, &arena, "a.rules", input, error);
    tn_lang_done(&file);
    tn_arena_done(&arena);
    return error->status;
}

/* ---- expressions, printed with all their parentheses -------------------- */

static const char *const operators[] = {
    [TN_LANG_OR] = "or",    [TN_LANG_AND] = "and",  [TN_LANG_EQ] = "==",
    [TN_LANG_NE] = "!=",    [TN_LANG_LT] = "<",     [TN_LANG_LE] = "<=",
    [TN_LANG_GT] = ">",     [TN_LANG_GE] = ">=",    [TN_LANG_IN] = "in",
    [TN_LANG_ADD] = "+",    [TN_LANG_SUB] = "-",    [TN_LANG_MUL] = "*",
    [TN_LANG_DIV] = "/",    [TN_LANG_FLOOR] = "//", [TN_LANG_MOD] = "%",
    [TN_LANG_POWER] = "**",
};

static void print(char *to, const struct tn_lang_expr *e);

static void add(char *to, const char *text)
{
    strcat(to, text);
}

static void add_bytes(char *to, struct tn_bytes text)
{
    if (text.size)
        strncat(to, (const char *)text.data, text.size);
}

static void print_list(char *to, const struct tn_lang_expr *e, uint32_t first,
                       const char *between)
{
    for (uint32_t i = first; i < e->item_count; i++) {
        if (i > first)
            add(to, between);
        if (e->items[i])
            print(to, e->items[i]);
    }
}

static const char callees[] = {
    [TN_LANG_TO_BUILTIN] = 'b', [TN_LANG_TO_CONST] = 'c',
    [TN_LANG_TO_DEF] = 'd',     [TN_LANG_TO_TABLE] = 't',
    [TN_LANG_TO_MACRO] = 'm',   [TN_LANG_TO_OP] = 'o',
    [TN_LANG_TO_RESCALED] = 's'
};

static void print_call(char *to, const struct tn_lang_expr *e)
{
    const char callee[] = { callees[e->callee], ' ', 0 };

    add(to, callee);
    if (e->domain.size) {
        add_bytes(to, e->domain);
        add(to, "::");
    }
    add_bytes(to, e->text);
    add(to, "(");
    print_list(to, e, 0, ", ");
    for (uint32_t i = 0; i < e->attr_count; i++) {
        add(to, i ? ", " : "; ");
        add_bytes(to, e->attrs[i].name);
        add(to, ": ");
        print(to, e->attrs[i].value);
    }
    add(to, ")");
}

static void print_each(char *to, const struct tn_lang_expr *e)
{
    add(to, "[");
    print(to, e->items[0]);
    add(to, " for ");
    if (e->second.size) {
        add_bytes(to, e->second);
        add(to, ", ");
    }
    add_bytes(to, e->text);
    add(to, " in ");
    print_list(to, e, 1, " if ");
    add(to, "]");
}

static void print_leaf(char *to, const struct tn_lang_expr *e)
{
    char number[40] = "";

    switch (e->kind) {
    case TN_LANG_NONE: add(to, "none"); break;
    case TN_LANG_UNKNOWN: add(to, "?"); break;
    case TN_LANG_BOOL: add(to, e->number ? "true" : "false"); break;
    case TN_LANG_INT:
        snprintf(number, sizeof number, "%lld", (long long)e->number);
        break;
    case TN_LANG_FLOAT: snprintf(number, sizeof number, "%g", e->real); break;
    case TN_LANG_DTYPE:
        add(to, "<");
        add(to, tn_dtype_name((enum tn_dtype)e->number));
        add(to, ">");
        break;
    case TN_LANG_STRING:
        add(to, "'");
        add_bytes(to, e->text);
        add(to, "'");
        break;
    default: add_bytes(to, e->text); break;
    }
    add(to, number);
}

static void print(char *to, const struct tn_lang_expr *e)
{
    if (e->kind <= TN_LANG_NAME) {
        print_leaf(to, e);
    } else if (e->kind == TN_LANG_CALL) {
        print_call(to, e);
    } else if (e->kind == TN_LANG_EACH) {
        print_each(to, e);
    } else if (e->kind == TN_LANG_LIST) {
        add(to, "[");
        print_list(to, e, 0, ", ");
        add(to, "]");
    } else if (e->kind == TN_LANG_INDEX || e->kind == TN_LANG_SLICE) {
        print(to, e->items[0]);
        add(to, "[");
        print_list(to, e, 1, ":");
        add(to, "]");
    } else if (e->kind == TN_LANG_SPREAD) {
        print(to, e->items[0]);
        add(to, "...");
    } else {
        add(to, e->kind == TN_LANG_IF    ? "(if "
                : e->item_count > 1      ? "("
                : e->kind == TN_LANG_NOT ? "(not "
                                         : "(-");
        print_list(to, e, 0,
                   e->kind == TN_LANG_IF ? " : " : operators[e->kind]);
        add(to, ")");
    }
}

/* The same text: one definition after some to call. */
static const struct {
    const char *text, *tree;
} expressions[] = {
    { "1 + 2 * 3", "(1+(2*3))" },
    { "1 - 2 - 3", "((1-2)-3)" },
    { "2 ** 3 ** 2", "(2**(3**2))" },
    { "-2 ** 2", "(-(2**2))" },
    { "2 ** -1", "(2**-1)" },
    { "-9223372036854775808", "-9223372036854775808" },
    { "- -1", "1" },
    { "-x[0]", "(-x[0])" },
    { "7 // 2 % 3 / 4", "(((7//2)%3)/4)" },
    { "a or b and not c == d", "(aor(band(not (c==d))))" },
    { "not a in b", "(not (ainb))" },
    { "a not in b", "(not (ainb))" },
    { "a <= b and b >= -1", "((a<=b)and(b>=-1))" },
    { "if a then b else if c then d else e", "(if a : b : (if c : d : e))" },
    { "[1, 2.5, 1e-5, \"s\", true, none, inf, float32,]",
      "[1, 2.5, 1e-05, 's', true, none, inf, <float32>]" },
    { "[]", "[]" },
    { "[x + 1 for x in xs if x > 0]", "[(x+1) for x in xs if (x>0)]" },
    { "[i for i, x in xs]", "[i for i, x in xs]" },
    { "[a, xs..., b]", "[a, xs..., b]" },
    { "xs[-1]", "xs[-1]" },
    { "xs[1:2]", "xs[1:2:]" },
    { "xs[:n]", "xs[:n:]" },
    { "xs[::2]", "xs[::2]" },
    { "xs[1::2]", "xs[1::2]" },
    { "xs[a:b:c][0]", "xs[a:b:c][0]" },
    { "xs[:]", "xs[::]" },
    { "rank(X) - 1", "(b rank(X)-1)" },
    { "twice(t(a))", "d twice(t t(a))" },
    { "bool(x)", "b bool(x)" },
    { "\"a\\n\\\"\\\\\\t\"", "'a\n\"\\\t'" },
    { "(a + b)\n  [0] # comment\n  + 1", "((a+b)[0]+1)" },
};

static void test_expressions(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof expressions / sizeof expressions[0]; i++) {
        struct tn_error     error = TN_ERROR_INIT;
        struct tn_memory    memory;
        struct tn_arena     arena;
        struct tn_lang_file file;
        char                text[400], tree[400] = "";

        snprintf(text, sizeof text,
                 "rules a -> b 1\ntable t { 1: 2 }\n"
                 "def twice(x) = 2 * x\ndef f(x) = %s\n",
                 expressions[i].text);
        tn_memory_init(&memory, NULL, 0);
        tn_arena_init(&arena, &memory);
        tn_lang_parse(&file, &arena, "a.rules", tn_text(text), &error);
        assert_string_equal(error.what, "");
        print(tree, tn_list_at(&file.defs, struct tn_lang_def, 1)->body);
        assert_string_equal(tree, expressions[i].tree);
        tn_lang_done(&file);
        tn_arena_done(&arena);
        assert_int_equal(memory.used, 0);
    }
}

/* ---- rules, printed one a line ------------------------------------------ */

static void print_names(char *to, const struct tn_lang_step *step)
{
    for (uint32_t i = 0; i < step->name_count; i++) {
        if (i)
            add(to, ", ");
        add_bytes(to, step->names[i]);
    }
    add(to, step->last_is_many ? "... " : step->name_count ? " " : "");
}

static void print_block(char *to, const struct tn_lang_block *block)
{
    static const char *const words[] = {
        [TN_LANG_LET] = "let ",       [TN_LANG_EMIT] = "",
        [TN_LANG_WHEN] = "if ",       [TN_LANG_FOR] = "for ",
        [TN_LANG_REFUSE] = "refuse ", [TN_LANG_REQUIRE] = "require ",
    };

    add(to, "{");
    for (uint32_t i = 0; i < block->count; i++) {
        const struct tn_lang_step *step = &block->steps[i];

        add(to, i ? " | " : "");
        add(to, words[step->kind]);
        print_names(to, step);
        add(to, step->kind == TN_LANG_EMIT  ? "<- "
                : step->kind == TN_LANG_LET ? "= "
                : step->kind == TN_LANG_FOR ? "in "
                                            : "");
        print(to, step->expr);
        if (step->why.size) {
            add(to, " why ");
            add_bytes(to, step->why);
        }
        if (step->body.steps)
            print_block(to, &step->body);
        if (step->other.steps) {
            add(to, " else ");
            print_block(to, &step->other);
        }
    }
    add(to, "}");
}

static void print_params(char *to, const struct tn_lang_param *params,
                         uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        add(to, i ? ", " : "");
        add_bytes(to, params[i].name);
        add(to, params[i].arity == TN_LANG_MANY       ? "..."
                : params[i].arity == TN_LANG_OPTIONAL ? "?"
                                                      : "");
    }
}

static void print_head(char *to, const struct tn_lang_head *head)
{
    char versions[60] = "";

    add_bytes(to, head->domain);
    add(to, head->domain.size ? "::" : "");
    add_bytes(to, head->op);
    if (head->since || head->until != INT64_MAX)
        snprintf(versions, sizeof versions, "@%lld..%lld",
                 (long long)head->since,
                 head->until == INT64_MAX ? -1 : (long long)head->until);
    add(to, versions);
    add(to, "(");
    print_params(to, head->inputs, head->input_count);
    for (uint32_t i = 0; i < head->attr_count; i++) {
        const struct tn_lang_attr *attr = &head->attrs[i];

        add(to, i ? ", " : "; ");
        add(to, attr->is_ignored ? "-" : "");
        add_bytes(to, attr->name);
        if (!attr->is_ignored && !attr->is_match &&
            !tn_bytes_equal(attr->as, attr->name)) {
            add(to, " as ");
            add_bytes(to, attr->as);
        }
        if (attr->value) {
            add(to, attr->is_match ? ": " : " = ");
            print(to, attr->value);
        }
    }
    add(to, ") -> (");
    print_params(to, head->outputs, head->output_count);
    add(to, ")");
    if (head->guard) {
        add(to, " when ");
        print(to, head->guard);
    }
}

static void print_rules(char *to, const struct tn_list *rules)
{
    for (uint32_t i = 0; i < rules->count; i++) {
        const struct tn_lang_rule *rule =
            tn_list_at(rules, struct tn_lang_rule, i);

        add(to, i ? "\n" : "");
        print_head(to, &rule->head);
        add(to, " ");
        if (rule->native.size) {
            add(to, "native ");
            add_bytes(to, rule->native);
        } else if (!rule->shapes) {
            print_block(to, &rule->body);
        }
        for (uint32_t k = 0; k < rule->shape_count; k++) {
            add(to, k ? "; " : ": ");
            if (rule->shapes[k].dtype)
                print(to, rule->shapes[k].dtype);
            add(to, " ");
            if (rule->shapes[k].dims)
                print(to, rule->shapes[k].dims);
            if (rule->shapes[k].value) {
                add(to, " = ");
                print(to, rule->shapes[k].value);
            }
        }
    }
}

static const struct {
    const char *text, *there, *back;
} files[] = {
    { "rules a -> b 1\nRelu(x) => relu(x; cutoff: 0.0)",
      "Relu(x) -> (=>) {=> <- o relu(x; cutoff: 0)}", "" },
    { "rules a -> b 1\nOp@7..12(x, y?, zs...; a, b = 1, c as d, e as f = 2,\n"
      "  g: \"lin\", -h) -> (o, p?, qs...)\n  when rank(x) == 3 and a =>\n"
      "  m.n::op(x, none, zs[0], zs[1:]...; a, k: [b, d] + f)",
      "Op@7..12(x, y?, zs...; a, b = 1, c as d, e as f = 2, g: 'lin', -h) -> "
      "(o, p?, qs...) when ((b rank(x)==3)and"
      "a) {o, p, qs... <- o m.n::op(x, "
      "none, zs[0], zs[1::]...; a: a, k: ([b, d]+f))}",
      "" },
    { "rules a -> b 1\nA@7(x) => x\nA@13..(x) => x\nA@..6(x) => x\n"
      "com.microsoft::A(x) => native a_to_b",
      "A@7..7(x) -> (=>) {=> <- x}\nA@13..-1(x) -> (=>) {=> <- x}\n"
      "A@0..6(x) -> (=>) {=> <- x}\n"
      "com.microsoft::A(x) -> (=>) native a_to_b",
      "" },
    { "rules a -> b 1\nmacro m(x, b?; k = 1) -> (y) { y <- op(x, b; k) }\n"
      "A(xs...; axis) -> (o, p) {\n"
      "    let n = rank(xs[0])\n"
      "    require n > 1, \"a vector\"\n"
      "    if n == 2 { o <- m(xs[0]; k: 2) } else if n == 3 { refuse \"3\" }\n"
      "    else { o, _ <- const([n], int64) }\n"
      "    for x in xs { p <- add(p, if n > 1 then x else none) }\n"
      "    for i, d in shape(o) { ps... <- split([m(x) for x in xs]...) }\n"
      "}\n",
      "A(xs...; axis) -> (o, p) {let n = b rank(xs[0]) | require (n>1) why a "
      "vector | if (n==2){o <- m m(xs[0]; k: 2)} else {if (n==3){refuse '3'} "
      "else {o, _ <- c const([n], <int64>)}} | for x in xs{p <- o add(p, (if "
      "(n>1) : x : none))} | for i, d in b shape(o){ps... <- o split([m m(x) "
      "for x in xs]...)}}",
      "" },
    { "rules a <-> b 1\nA(X, B?; a, b: 1, -d) when rank(X) == 2 <=>\n"
      "  z(X, B; e: a, f: 2, -h)\n",
      "A(X, B?; a, b: 1, -d) -> (=>) when (b rank(X)==2) {=> <- o z(X, B; e: "
      "a, "
      "f: 2)}",
      "z(X, B?; e as a, f: 2, -h) -> (=>) when (b rank(X)==2) {=> <- o A(X, B; "
      "a: a, b: 1)}" },
    { "rules a <-> b 1\ntable T { \"x\": 0, \"y\": 1 }\n"
      "A(xs...; mode) <=> z(xs...; m: T(mode))",
      "A(xs...; mode) -> (=>) {=> <- o z(xs...; m: t T(mode))}",
      "z(xs...; m as T(mode)) -> (=>) {=> <- o A(xs...; mode: t T(T(mode)))}" },
    { "rules a <-> b 1\nA@..6(X) <=> z(X)\nA(X, Y?) <=> z(X)\nA(X) => z(X)\n"
      "B(Y; p: q) <= z(Y; q) when rank(Y) <= 2",
      "A@0..6(X) -> (=>) {=> <- o z(X)}\nA(X, Y?) -> (=>) {=> <- o z(X)}\n"
      "A(X) -> (=>) {=> <- o z(X)}",
      "z(X) -> (=>) {=> <- o A(X, none)}\n"
      "z(Y; q) -> (=>) when (b rank(Y)<=2) {=> <- o B(Y; p: q)}" },
    { "shapes a 1\nShape(x; s, e) : int64 [len(shape(x)[s:e])] = "
      "shape(x)[s:e]\n"
      "A(x) -> (y, i) : dtype(x) [?, dim(x, 0)]; (if k then int64 else int32) "
      "?\n"
      "B(x) : ? ?",
      "Shape(x; s, e) -> (=>) : <int64> [b len(b shape(x)[s:e:])] = b "
      "shape(x)[s:e:]\n"
      "A(x) -> (y, i) : b dtype(x) [?, b dim(x, 0)]; (if k : <int64> : "
      "<int32>) \nB(x) -> (=>) :  ",
      "" },
};

static void test_files(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        struct tn_error     error = TN_ERROR_INIT;
        struct tn_memory    memory;
        struct tn_arena     arena;
        struct tn_lang_file file;
        char                there[1000] = "", back[1000] = "";

        tn_memory_init(&memory, NULL, 0);
        tn_arena_init(&arena, &memory);
        tn_lang_parse(&file, &arena, "a.rules", tn_text(files[i].text), &error);
        assert_string_equal(error.what, "");
        print_rules(there, &file.rules);
        print_rules(back, &file.back);
        assert_string_equal(there, files[i].there);
        assert_string_equal(back, files[i].back);
        tn_lang_done(&file);
        tn_arena_done(&arena);
    }
}

/* Under a rule, indented or not; the last one of a <= is of the way back. */
static void test_examples_belong_to_rules(void **state)
{
    struct tn_error     error = TN_ERROR_INIT;
    struct tn_memory    memory;
    struct tn_arena     arena;
    struct tn_lang_file file;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_arena_init(&arena, &memory);
    tn_lang_parse(
        &file, &arena, "a.rules",
        tn_text("rules a <-> b 1\nA(x) => z(x)\n"
                "    example A(x:float32[2,3])\n       => z(x) # one\n"
                "    example A(y) => z(y)\n"
                "B(x) => z(x)\nexample B(q) => z(q)\n"
                "C(x) <= z(x)\n  example C(x) <= z(x)"),
        &error);
    assert_string_equal(error.what, "");
    assert_int_equal(file.examples.count, 4);
    const struct tn_lang_example *e = file.examples.items;
    assert_true(tn_bytes_is(tn_lang_text(&file, e[0].text), "A(x:float32[2,3])\n       => z(x)"));
    assert_true(tn_bytes_is(tn_lang_text(&file, e[1].text), "A(y) => z(y)"));
    assert_int_equal(e[1].rule, 0);
    assert_int_equal(e[2].rule, 1);
    assert_true(e[3].is_back && e[3].rule == 0 && e[3].place.line == 9);
    tn_lang_done(&file);
    tn_arena_done(&arena);
}

static void test_names_that_no_head_needs(void **state)
{
    struct tn_error     error = TN_ERROR_INIT;
    struct tn_memory    memory;
    struct tn_arena     arena;
    struct tn_lang_file file;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_arena_init(&arena, &memory);
    tn_lang_parse(&file, &arena, "a.rules",
                  tn_text("rules a -> b 1\nignore one two\n  three\n"
                          "ignore(x) => z(x)\nignore four"),
                  &error);
    assert_string_equal(error.what, "");
    assert_int_equal(file.rules.count, 1);
    assert_int_equal(file.ignored.count, 4);
    assert_true(
        tn_bytes_is(*tn_list_at(&file.ignored, struct tn_bytes, 2), "three"));
    tn_lang_done(&file);
    tn_arena_done(&arena);
}

/* ---- refusals ----------------------------------------------------------- */

#define R "rules a -> b 1\n"
#define B "rules a <-> b 1\n"

static const struct {
    const char *text, *what;
} refused[] = {
    { "", "line 1, column 1: expected 'rules' or 'shapes', not the end of the "
          "file" },
    { "vocabulary onnx 1",
      "line 1, column 1: expected 'rules' or 'shapes', not 'vocabulary'" },
    { "rules a b", "line 1, column 9: expected '->', not 'b'" },
    { "rules a -> b 2", "line 1, column 14: version 2 of the language, not 1" },
    { "shapes a\n1", "line 2, column 1: expected the version of the language, "
                     "not the end of what is indented" },
    { R "  A(x) => b(x)",
      "line 2, column 3: expected the next rule at the left margin, not 'A'" },
    { R "A(x)", "line 2, column 5: expected '=>', '<=>', '{', '->' or 'when', "
                "not the end of the file" },
    { R "A(x)\n=> b(x)",
      "line 3, column 1: expected '=>', '<=>', '{', '->' or 'when', not the "
      "end of what is indented" },
    { R "macro a(x, x) -> (y) { y <- b(x) }",
      "line 2, column 12: 'x' is there already" },
    /* patterns */
    { R "A(B(x)) <=> b(x)",
      "line 2, column 9: expected '=>' or '{': a pattern leads one way, not "
      "'<=>'" },
    { R "macro a(B(x)) -> (y) { y <- b(x) }",
      "line 2, column 9: expected a name: only the left side of '=>' has nodes "
      "in it, not 'B'" },
    { R "A{x} => b(x)",
      "line 2, column 1: '{}' is for two inputs in any order" },
    { R "A{x, y?} => b(x)",
      "line 2, column 1: '{}' is for two inputs in any order" },
    { R "A{x, y) => b(x)", "line 2, column 7: expected ',' or '}', not ')'" },
    { R "A(B(x)[y]) => b(x)",
      "line 2, column 8: expected the number of an output, not 'y'" },
    { R "A(maybe B()) => b()",
      "line 2, column 3: 'maybe' needs a node with an input, and is about its "
      "first output" },
    { R "A(maybe B(x)[1]) => b(x)",
      "line 2, column 3: 'maybe' needs a node with an input, and is about its "
      "first output" },
    { R "A{B{a, b}, C{D{c, d}, E{e, f}}} => b(a)",
      "line 2, column 1: more than 4 nodes with inputs in any order" },
    { R "A(x) -> (B(y)) => b(x)", "line 2, column 10: expected a name: only "
                                  "the left side of '=>' has nodes "
                                  "in it, not 'B'" },
    { R "A(x; a, a) => b(x)", "line 2, column 9: 'a' is there already" },
    { R "A(x; if) => b(x)", "line 2, column 6: expected a name, not 'if'" },
    { R "A(x; if as a) => b(x; a, a: 1)",
      "line 2, column 26: 'a' is set twice" },
    { "rules onnx <-> nd4j 1\nA(x) => b(c(x; -d))",
      "line 2, column 16: expected the name of an attribute, not '-'" },
    { R "A(float32) => b(x)",
      "line 2, column 3: expected a name, not the type 'float32'" },
    { R "A(xs..., y) => b(x)",
      "line 2, column 8: expected ',' or ')', not ','" },
    { R "A@9..7(x) => b(x)", "line 2, column 2: versions from 9 to 7" },
    { R "A@x(x) => b(x)", "line 2, column 3: expected a version, not 'x'" },
    { R "A(x; a: b) => b(x)",
      "line 2, column 9: expected a literal: a number, string, type or list of "
      "these" },
    { R "A(x) => b(x, 1)", "line 2, column 14: expected a value: a name, an op "
                           "or const(), not '1'" },
    { R "A(x) => b(x; a: 1 <- 2)",
      "line 2, column 19: expected ',' or ')', not '<-'" },
    { R "A(x) => b(x; a: 1 < 2 < 3)",
      "line 2, column 23: expected one comparison at a time, not '<'" },
    { R "A(x) => b(x; a: ?)",
      "line 2, column 17: expected an expression, not '?'" },
    { R "A(x) => b(x; a: xs[])",
      "line 2, column 20: expected an index, not ']'" },
    { R "A(x) => b(x; a: 9223372036854775808)",
      "line 2, column 17: 9223372036854775808 is not a 64-bit number" },
    { R "A(x) => b(x; a: 99999999999999999999)",
      "line 2, column 17: 99999999999999999999 is not a 64-bit number" },
    { R "A(x) => b(x; a: 1x)",
      "line 2, column 18: a letter right after a number" },
    { R "A(x) => b(x; a: \"s\n\")",
      "line 2, column 17: a string without an end on its line" },
    { R "A(x) => b(x; a: \"s\x01\")",
      "line 2, column 19: byte 0x01 in a string" },
    { R "A(x) => b(x; a: \"\xc3(\")",
      "line 2, column 18: byte 0xc3 in a string" },
    { R "A(x) => b(x; a: \"\xc3\xa9",
      "line 2, column 17: a string without an end on its line" },
    { R "A(x) => b(x; a: \"\\q\")",
      "line 2, column 18: an escape is \\n, \\t, \\\" or \\\\" },
    { R "A(x) => b(x; a: $)", "line 2, column 17: byte 0x24 begins nothing "
                              "here" },
    { R "A(x) {}", "line 2, column 6: expected '-> (outputs)' before a block, "
                   "not '{'" },
    { R "A(x) -> (y) {\n  y <- x\n", "line 4, column 1: expected a step, not "
                                     "the end of the file" },
    { R "A(x) -> (y) { y = 1 }", "line 2, column 17: expected '<-', not '='" },
    { R "A(x) -> (y) { if 1 then }",
      "line 2, column 20: expected '{', not 'then'" },
    { R "A(x) -> (y) { require 1, x }",
      "line 2, column 26: expected a string that says why not, not 'x'" },
    { R "def f(x) = g(x)\ndef f(y) = 1", "line 3, column 5: 'f' is defined "
                                         "already" },
    { R "macro m(x) -> (y) { y <- x }\nA(x) => b(x; a: m(x))",
      "line 3, column 17: 'm' makes nodes: it cannot stand in an expression" },
    { R "macro m(x) { }", "line 2, column 12: expected '->', not '{'" },
    { R "table t { x: 1 }",
      "line 2, column 11: expected a literal: a number, string, type or list "
      "of these" },
    { R "table t { 1: 1 2: 2 }", "line 2, column 16: expected '}', not '2'" },
    { R "ignore a b\n    1", "line 3, column 5: expected the name of an "
                             "attribute, not '1'" },
    { R "example A(x) => b(x)",
      "line 2, column 1: expected a rule before an example, not 'example'" },
    { R "A(x) <=> b(x)", "line 2, column 1: '<=>' in rules of one direction" },
    { R "A(x) <= b(x)",
      "line 2, column 1: a way back in rules of one direction" },
    { B "A(x) <=> x", "line 2, column 10: the way back needs one op" },
    { B "A(x) <=> b(x, x)", "line 2, column 15: the way back needs each input "
                            "once, by its name" },
    { B "A(x, y) <=> b(x)",
      "line 2, column 6: 'y' does not come back from the right side" },
    { B "A(x; a) <=> b(x)",
      "line 2, column 6: 'a' does not come back from the right side" },
    { B "A(x; a) <=> b(x; c: a, d: a)",
      "line 2, column 27: the way back needs each attribute of the left once, "
      "not 'a'" },
    { B "A(x; a) <=> b(x; c: a + 1)",
      "line 2, column 23: the way back needs a name, a literal or "
      "TABLE(name)" },
    { B "table t { 1: 2,\n 3: 2 }\nA(x; a) <=> b(x; c: t(a))",
      "line 4, column 21: table 't' cannot be inverted: line 3 gives the same "
      "twice" },
    { "shapes a 1\nA(x) => b(x)", "line 2, column 6: expected ':', not '=>'" },
    { "shapes a 1\nA(x) -> (y, z) : int64 [1]",
      "line 2, column 27: expected ';', not the end of the file" },
};

static void test_what_is_wrong_is_refused_where_it_stands(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        struct tn_error   error = TN_ERROR_INIT;
        struct tn_memory  memory;
        struct tn_guarded guarded = tn_guard(tn_text(refused[i].text));

        tn_memory_init(&memory, NULL, 0);
        parse(guarded.bytes, &memory, &error);
        assert_string_equal(error.what, refused[i].what);
        assert_string_equal(error.file, "a.rules");
        assert_int_equal(memory.used, 0);
        tn_unguard(&guarded);
    }
}

/* The stack belongs to us: what nests, or is a long chain, ends at a bound. */
static void test_depth_is_bounded(void **state)
{
    static const struct {
        const char *head, *again;
        unsigned    count;
    } chains[] = {
        { R "def f(x) = ", "(", 100000 },
        { R "def f(x) = ", "[", 100000 },
        { R "def f(x) = ", "- ", 100000 },
        { R "def f(x) = ", "not ", 100000 },
        { R "def f(x) = 1", " + 1", 1000 },
        { R "def f(x) = 1", " ** 1", 1000 },
        { R "def f(x) = x", "[0]", 1000 },
        { R "def f(x) = ", "if 1 then 2 else ", 1000 },
        { R "A(x) => ", "b(", 100000 },
        { R "A(x) -> (y) {", "if 1 {", 100000 },
        { R "A(x) -> (y) { if 1 { }", "else if 1 { }", 1000 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof chains / sizeof chains[0]; i++) {
        struct tn_error  error = TN_ERROR_INIT;
        struct tn_memory memory;
        size_t           piece = strlen(chains[i].again);
        size_t size = strlen(chains[i].head) + piece * chains[i].count;
        char  *text = test_malloc(size + 1);

        strcpy(text, chains[i].head);
        for (unsigned k = 0; k < chains[i].count; k++)
            memcpy(text + strlen(chains[i].head) + k * piece, chains[i].again,
                   piece);
        tn_memory_init(&memory, NULL, 0);
        assert_int_equal(parse(tn_bytes(text, size), &memory, &error),
                         TN_LIMIT);
        test_free(text);
    }
}

/* Definitions that use each other count with what they are made of. */
static void test_depth_counts_through_definitions(void **state)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_memory memory;
    char             text[20000] = R "def f0(x) = x\n";
    size_t           size        = strlen(text);

    (void)state;
    for (unsigned i = 1; i < 300; i++)
        size += (size_t)snprintf(text + size, sizeof text - size,
                                 "def f%u(x) = f%u(x)\n", i, i - 1);
    tn_memory_init(&memory, NULL, 0);
    assert_int_equal(parse(tn_text(text), &memory, &error), TN_LIMIT);
    assert_string_equal(
        error.what,
        "line 202, column 15: an expression of more than 200 levels");
}

static void test_hostility(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        tn_survives_every_flip(parse, tn_text(files[i].text));
        tn_survives_no_memory(parse, tn_text(files[i].text));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_expressions),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_examples_belong_to_rules),
        cmocka_unit_test(test_names_that_no_head_needs),
        cmocka_unit_test(test_what_is_wrong_is_refused_where_it_stands),
        cmocka_unit_test(test_depth_is_bounded),
        cmocka_unit_test(test_depth_counts_through_definitions),
        cmocka_unit_test(test_hostility),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
