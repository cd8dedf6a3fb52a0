/* view_svg_test.c - any names give well-formed SVG, the same each time */
#define _GNU_SOURCE
#include "view/view_svg.h"

#include "base/utf8.h"
#include "view/view_testing.h"

static const struct tn_view_about about = { "a<b>&\".onnx", "0", 1 };

static struct tn_bytes write_svg(struct tn_view_bench *b, struct tn_buffer *out)
{
    tn_buffer_init(out, &b->memory, &b->error);
    tn_view_write_svg(&b->picture, &about, &out->sink, &b->error);
    assert_int_equal(b->error.status, TN_OK);
    return tn_buffer_bytes(out);
}

/* Every element ends, and no text has what XML forbids. */
static void check_xml(struct tn_bytes svg)
{
    int depth = 0;

    assert_true(tn_utf8_is_valid(svg));
    for (size_t i = 0; i < svg.size; i++) {
        assert_true(svg.data[i] >= 0x20 || svg.data[i] == '\n');
        if (svg.data[i] != '<')
            continue;
        bool ends = svg.data[i + 1] == '/';
        while (svg.data[i] != '>') {
            i++;
            assert_true(i < svg.size && svg.data[i] != '<');
        }
        depth += ends ? -1 : svg.data[i - 1] != '/';
        assert_true(depth >= 0);
    }
    assert_int_equal(depth, 0);
}

static void svg_is_well_formed(void **state)
{
    (void)state;
    for (size_t i = 0; i < TN_VIEW_HOSTILE; i++) {
        struct tn_view_bench b;
        struct tn_buffer     first, second;
        tn_view_bench_begin(&b, tn_view_hostile[i]);
        tn_view_bench_draw(&b);
        struct tn_bytes svg = write_svg(&b, &first);
        check_xml(svg);
        assert_true(tn_bytes_equal(svg, write_svg(&b, &second)));
        tn_buffer_done(&first);
        tn_buffer_done(&second);
        tn_view_bench_end(&b);
    }
}

/* Each operator that is shown is named. */
static void svg_names_what_is_shown(void **state)
{
    struct tn_view_bench b;
    struct tn_buffer     out;

    (void)state;
    tn_view_bench_begin(&b, "a = Conv(x); b = Relu(a)");
    tn_view_bench_draw(&b);
    struct tn_bytes svg = write_svg(&b, &out);
    for (const char *word = "Conv\0Relu\0a&lt;b&gt;&amp;&quot;.onnx\0"; *word;
         word += strlen(word) + 1)
        assert_non_null(memmem(svg.data, svg.size, word, strlen(word)));
    tn_buffer_done(&out);
    tn_view_bench_end(&b);
}

/* What borders of a comparison mean is told, for those that occur. */
static void svg_has_a_key(void **state)
{
    static const uint8_t states[] = { TN_VIEW_SAME, TN_VIEW_ADDED };
    struct tn_view_bench b;
    struct tn_buffer     out;

    (void)state;
    tn_view_bench_begin(&b, "a = Conv(x); b = Relu(a)");
    b.picture.op_states = states;
    tn_view_bench_draw(&b);
    struct tn_bytes svg = write_svg(&b, &out);
    check_xml(svg);
    assert_non_null(memmem(svg.data, svg.size, "added (1)", 9));
    assert_null(memmem(svg.data, svg.size, "removed (", 9));
    tn_buffer_done(&out);
    tn_view_bench_end(&b);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(svg_is_well_formed),
        cmocka_unit_test(svg_names_what_is_shown),
        cmocka_unit_test(svg_has_a_key),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
