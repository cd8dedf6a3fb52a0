/* view_scopes_test.c - the scopes of names, with and without a thread */
#include "view/view_scopes.h"

#include "view/view_testing.h"

/* "a|b" for an operator in scope "b" of scope "a". */
static void put_path(const struct tn_view_scopes *scopes, uint32_t op,
                     struct tn_buffer *to)
{
    uint32_t way[TN_VIEW_SCOPES_MOST], count = 0;

    for (uint32_t i = scopes->homes[op] & ~TN_VIEW_SLASH;
         tn_view_scope(scopes, i)->parent != TN_NONE;
         i = tn_view_scope(scopes, i)->parent)
        way[count++] = i;
    while (count-- > 0) {
        uint32_t word = tn_view_scope(scopes, way[count])->word;
        tn_buffer_add(to, tn_intern_text(&scopes->words, word));
        tn_buffer_text(to, count ? "|" : "");
    }
    tn_buffer_text(to, scopes->homes[op] & TN_VIEW_SLASH ? "/ " : " ");
}

/* The paths of all operators, as one text. */
static void put_paths(struct tn_view_bench *b, struct tn_buffer *to)
{
    struct tn_view_scopes scopes;

    tn_view_scopes_begin(&scopes, &b->picture, false);
    assert_int_equal(tn_view_scopes_end(&scopes, &b->error), TN_OK);
    for (uint32_t i = 0; i < b->model.ops.count; i++)
        put_path(&scopes, i, to);
    tn_view_scopes_done(&scopes);
}

static void check_paths(const char *ops, const char *expected)
{
    struct tn_view_bench b;
    struct tn_buffer     text;

    tn_view_bench_begin(&b, ops);
    tn_buffer_init(&text, &b.memory, &b.error);
    put_paths(&b, &text);
    tn_buffer_byte(&text, 0);
    assert_string_equal((const char *)text.data, expected);
    tn_buffer_done(&text);
    tn_view_bench_end(&b);
}

static void names_say_what_scopes_they_are_in(void **state)
{
    (void)state;
    check_paths("a = R(x)", " ");
    check_paths("a/b/c = R(x); a/b/d = R(x); a/e = R(x); b/f = R(x)",
                "a|b/ a|b/ a/ b/ ");
    check_paths("a.b.c = R(x); a.b.d = R(x); e = R(x)", "a|b a|b  ");
    /* a slash, and dots mean nothing */
    check_paths("a.b.c = R(x); a.b/c = R(x); a.b.d = R(x)", "a|b a.b/ a|b ");
    /* nothing between separators, or after the last */
    check_paths("/a//b = R(x); a/b = R(x); a/ = R(x); / = R(x)", "a/ a/ / / ");
}

/* `count` operators: "layer_2/1/a15" is the 15th. */
static void sketch_layers(struct tn_view_bench *b, unsigned count,
                          unsigned layers)
{
    char line[64];

    tn_view_bench_begin(b, "");
    sketch_graph(&b->model, TN_GRAPH_MAIN, "graph", "", &b->error);
    for (unsigned i = 0; i < count; i++) {
        snprintf(line, sizeof line, "layer_%u/%u/a%u = R(x)", i % layers, i % 7,
                 i);
        sketch_op(&b->model, 0, line, &b->error);
    }
    assert_int_equal(b->model.ops.count, count);
}

/* More scopes in one than are looked at one by one, each of them met twice. */
static void many_scopes_in_one_are_found_again(void **state)
{
    struct tn_view_bench  b;
    struct tn_view_scopes scopes;

    (void)state;
    sketch_layers(&b, 280, 20);
    tn_view_scopes_begin(&scopes, &b.picture, false);
    assert_int_equal(tn_view_scopes_end(&scopes, &b.error), TN_OK);
    for (uint32_t i = 0; i < 140; i++)
        assert_int_equal(scopes.homes[i], scopes.homes[i + 140]);
    tn_view_scopes_done(&scopes);
    tn_view_bench_end(&b);
}

/* Enough for a thread of its own. */
static void threads_change_nothing(void **state)
{
    struct tn_view_bench b;
    struct tn_buffer     first, text;

    (void)state;
    sketch_layers(&b, 20000, 300);
    tn_buffer_init(&first, &b.memory, &b.error);
    tn_buffer_init(&text, &b.memory, &b.error);
    b.memory.workers = 1;
    put_paths(&b, &first);
    assert_true(tn_bytes_starts_with(tn_buffer_bytes(&first),
                                     "layer_0|0/ layer_1|1/ layer_2|2/ "));
    for (unsigned workers = 2; workers <= 4; workers++) {
        b.memory.workers = workers;
        tn_buffer_clear(&text);
        put_paths(&b, &text);
        assert_true(
            tn_bytes_equal(tn_buffer_bytes(&first), tn_buffer_bytes(&text)));
    }
    tn_buffer_done(&text);
    tn_buffer_done(&first);
    tn_view_bench_end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_say_what_scopes_they_are_in),
        cmocka_unit_test(many_scopes_in_one_are_found_again),
        cmocka_unit_test(threads_change_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
