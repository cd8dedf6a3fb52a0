/* picture_test.c - strings of a picture are valid, short and kept once */
#include "view/picture.h"

#include "base/utf8.h"
#include "view/view_testing.h"

#define REPLACED "\xef\xbf\xbd"

static const struct {
    const char *text, *kept;
} texts[] = {
    { "", "" },
    { "Conv", "Conv" },
    { "\xc3\xa4", "\xc3\xa4" },
    { "a\xff"
      "b",
      "a" REPLACED "b" },
    { "\xc3", REPLACED },                           /* cut short         */
    { "\xc0\x80", REPLACED REPLACED },              /* too long a form   */
    { "\xed\xa0\x80", REPLACED REPLACED REPLACED }, /* half of a pair    */
};

static void strings_are_utf8(void **state)
{
    struct tn_view_bench b;

    (void)state;
    tn_view_bench_begin(&b, "");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        uint32_t id = tn_picture_string(&b.picture, tn_text(texts[i].text));
        assert_true(
            tn_bytes_is(tn_picture_text(&b.picture, id), texts[i].kept));
        assert_int_equal(id,
                         tn_picture_string(&b.picture, tn_text(texts[i].kept)));
    }
    assert_int_equal(tn_picture_string(&b.picture, tn_text("")), 0);
    tn_view_bench_end(&b);
}

/* Neither inside a character, nor past the end. */
static void long_strings_are_cut(void **state)
{
    static uint8_t       bytes[3 * TN_VIEW_STRING_MOST];
    struct tn_view_bench b;

    (void)state;
    tn_view_bench_begin(&b, "");
    for (unsigned first = 0; first < 3; first++) {
        memset(bytes, 'a', first);
        for (size_t i = first; i + 2 < sizeof bytes; i += 3)
            memcpy(bytes + i, "\xe2\x82\xac", 3);
        struct tn_bytes kept = tn_picture_text(
            &b.picture,
            tn_picture_string(&b.picture, tn_bytes(bytes, sizeof bytes - 3)));
        assert_true(tn_utf8_is_valid(kept));
        assert_true(kept.size <= TN_VIEW_STRING_MOST &&
                    kept.size + 3 > TN_VIEW_STRING_MOST);
    }
    memset(bytes, 0xff, sizeof bytes); /* three bytes for each of them */
    struct tn_bytes kept = tn_picture_text(
        &b.picture,
        tn_picture_string(&b.picture, tn_bytes(bytes, sizeof bytes)));
    assert_true(tn_utf8_is_valid(kept) && kept.size <= sizeof bytes);
    tn_view_bench_end(&b);
}

/* A node without a name is called as its first output. */
static void nodes_have_names(void **state)
{
    struct tn_view_bench b;

    (void)state;
    tn_view_bench_begin(&b, "a = Relu(x); b = Neg(a)");
    tn_model_op_at(&b.model, 1)->name = sketch_name(&b.model, "", &b.error);
    tn_view_bench_draw(&b);
    for (uint32_t i = 0; i < tn_picture_node_count(&b.picture); i++) {
        const struct tn_view_node *node = tn_picture_node(&b.picture, i);
        if (node->kind == TN_VIEW_OP)
            assert_true(tn_bytes_is(tn_picture_node_name(&b.picture, i),
                                    node->what ? "b" : "a"));
    }
    tn_view_bench_end(&b);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(strings_are_utf8),
        cmocka_unit_test(long_strings_are_cut),
        cmocka_unit_test(nodes_have_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
