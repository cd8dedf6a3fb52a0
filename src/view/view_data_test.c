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

static void begin_long(struct tn_view_bench *b)
{
    char line[96];

    tn_view_bench_begin(b, "n0 = Relu(x)");
    for (unsigned i = 1; i < 20000; i++) {
        snprintf(line, sizeof line, "n%u = Op%u(n%u, n%u)", i, i * 7 % 31,
                 i - 1, i * 5 % i);
        sketch_op(&b->model, 0, line, &b->error);
    }
}

/* Also with more threads. */
static void pages_are_the_same_each_time(void **state)
{
    struct tn_view_bench b;
    struct tn_buffer     one, two;

    (void)state;
    begin_long(&b);
    tn_view_bench_draw(&b);
    assert_true(
        tn_bytes_equal(write_page(&b, 1, &one), write_page(&b, 4, &two)));
    tn_buffer_done(&one);
    tn_buffer_done(&two);
    tn_view_bench_end(&b);
}

/* Much of a page may be written while the picture is drawn, by any crew. */
static void pages_may_begin_early(void **state)
{
    struct tn_view_bench b;
    struct tn_buffer     late, early;

    (void)state;
    begin_long(&b);
    tn_view_bench_draw(&b);
    struct tn_bytes page = write_page(&b, 1, &late);
    for (unsigned workers = 1; workers <= 4; workers++) {
        struct tn_view_about about = { "</script>.onnx", "0", workers };
        tn_picture_done(&b.picture);
        tn_picture_init(&b.picture, &b.model, &b.memory, &b.error);
        struct tn_view_page *begun =
            tn_view_page_open(&b.picture, &about, &b.error);
        b.picture.hear     = tn_view_page_hear;
        b.picture.listener = begun;
        tn_view_bench_draw(&b);
        tn_buffer_init(&early, &b.memory, &b.error);
        assert_int_equal(tn_view_page_write(begun, &early.sink, &b.error),
                         TN_OK);
        assert_true(tn_bytes_equal(page, tn_buffer_bytes(&early)));
        tn_view_page_close(begun);
        tn_buffer_done(&early);
    }
    /* Nobody may want it in the end. */
    struct tn_view_about about = { "</script>.onnx", "0", 4 };
    tn_picture_done(&b.picture);
    tn_picture_init(&b.picture, &b.model, &b.memory, &b.error);
    b.picture.listener = tn_view_page_open(&b.picture, &about, &b.error);
    b.picture.hear     = tn_view_page_hear;
    tn_view_bench_draw(&b);
    tn_view_page_close(b.picture.listener);
    tn_buffer_done(&late);
    tn_view_bench_end(&b);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_stay_in_their_element),
        cmocka_unit_test(pages_are_the_same_each_time),
        cmocka_unit_test(pages_may_begin_early),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
