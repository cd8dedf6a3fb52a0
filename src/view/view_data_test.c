/* view_data_test.c - pages: no name gets out of the data, and always the same
 */
#define _GNU_SOURCE
#include "view/view_data.h"

#include "view/view_page.h"
#include "view/view_testing.h"

static struct tn_bytes write_page(struct tn_view_bench *b, unsigned workers,
                                  struct tn_buffer *out)
{
    struct tn_view_about about = { "</script>.onnx", "0", workers };

    tn_buffer_init(out, &b->memory, &b->error);
    tn_view_write_html(&b->picture, &about, &out->sink, &b->error);
    assert_int_equal(b->error.status, TN_OK);
    return tn_buffer_bytes(out);
}

static unsigned count_of(struct tn_bytes in, const char *word)
{
    unsigned       count = 0;
    const uint8_t *end   = in.data + in.size;

    for (const uint8_t *at = in.data;
         (at = memmem(at, (size_t)(end - at), word, strlen(word))); at++)
        count++;
    return count;
}

/* Streams are base64: whatever names are, the elements are those of a page
 * without them. */
static void names_stay_in_their_element(void **state)
{
    struct tn_view_bench plain;
    struct tn_buffer     out;

    (void)state;
    tn_view_bench_begin(&plain, "a = Relu(x); b = Neg(a)");
    tn_view_bench_draw(&plain);
    struct tn_bytes page   = write_page(&plain, 1, &out);
    unsigned        starts = count_of(page, "<script"),
             ends          = count_of(page, "</script>");
    tn_buffer_done(&out);
    tn_view_bench_end(&plain);
    assert_true(starts > 3);
    for (size_t i = 0; i < TN_VIEW_HOSTILE; i++) {
        struct tn_view_bench b;
        tn_view_bench_begin(&b, tn_view_hostile[i]);
        tn_view_bench_draw(&b);
        page = write_page(&b, 1, &out);
        assert_int_equal(count_of(page, "<script"), starts);
        assert_int_equal(count_of(page, "</script>"), ends);
        tn_buffer_done(&out);
        tn_view_bench_end(&b);
    }
}

/* Also with more threads. */
static void pages_are_the_same_each_time(void **state)
{
    struct tn_view_bench b;
    struct tn_buffer     one, two;
    char                 line[96];

    (void)state;
    tn_view_bench_begin(&b, "n0 = Relu(x)");
    for (unsigned i = 1; i < 20000; i++) {
        snprintf(line, sizeof line, "n%u = Op%u(n%u, n%u)", i, i * 7 % 31,
                 i - 1, i * 5 % i);
        sketch_op(&b.model, 0, line, &b.error);
    }
    tn_view_bench_draw(&b);
    assert_true(
        tn_bytes_equal(write_page(&b, 1, &one), write_page(&b, 4, &two)));
    tn_buffer_done(&one);
    tn_buffer_done(&two);
    tn_view_bench_end(&b);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_stay_in_their_element),
        cmocka_unit_test(pages_are_the_same_each_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
