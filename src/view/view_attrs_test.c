/* view_attrs_test.c - attributes as text; equal lists are one */
#include "view/view_attrs.h"

#include "view/view_testing.h"

static const int64_t         ints[100] = { 3, -1, INT64_MIN };
static const float           floats[]  = { 0.5f, 1e-5f };
static const struct tn_bytes strings[] = { { (const uint8_t *)"SAME", 4 },
                                           { (const uint8_t *)"a\xff", 2 },
                                           { (const uint8_t *)"layer_1/w", 9 },
                                           { (const uint8_t *)"layer_2/w", 9 },
                                           { (const uint8_t *)"VALID", 5 } };

/* Each op has one attribute: its row. */
static const struct {
    struct tn_attr_value value;
    const char          *text; /* as it begins */
} rows[] = {
    { { TN_ATTR_INT, false, 1, { .ints = ints } }, "3" },
    { { TN_ATTR_INT, true, 3, { .ints = ints } },
      "[3, -1, -9223372036854775808]" },
    { { TN_ATTR_INT, true, 0, { .ints = ints } }, "[]" },
    { { TN_ATTR_INT, true, 100, { .ints = ints } },
      "[3, -1, -9223372036854775808, 0, " },
    { { TN_ATTR_BOOL, true, 1, { .ints = ints } }, "[true]" },
    { { TN_ATTR_FLOAT, true, 2, { .floats = floats } }, "[0.5, 1e-05]" },
    { { TN_ATTR_STRING, false, 1, { .strings = strings } }, "SAME" },
    { { TN_ATTR_STRING, false, 1, { .strings = strings + 1 } },
      "a\xef\xbf\xbd" },
    { { TN_ATTR_OTHER, false, 1, { .strings = strings } }, "(4 bytes)" },
    { { TN_ATTR_STRING, false, 1, { .strings = strings + 2 } }, "layer_1/w" },
    { { TN_ATTR_STRING, false, 1, { .strings = strings + 3 } }, "layer_2/w" },
    { { TN_ATTR_STRING, false, 1, { .strings = strings + 4 } }, "VALID" },
    { { TN_ATTR_INT, false, 1, { .ints = ints } }, "3" },
};

enum {
    COUNT      = sizeof rows / sizeof *rows,
    SAME       = 6,
    FIRST_NAME = 9,
    VALID      = 11
};

static bool has_given; /* the one attribute of a node */

static bool give_one(struct tn_cursor *node, struct tn_bytes *name,
                     struct tn_span *wire)
{
    (void)node;
    *name     = tn_text("a");
    *wire     = (struct tn_span){ NULL, 0, UINT64_C(1) << 40 };
    has_given = !has_given;
    return has_given;
}

static enum tn_status decode_row(const struct tn_model *model, uint32_t op,
                                 struct tn_span wire, struct tn_arena *arena,
                                 struct tn_attr_value *value,
                                 struct tn_error      *error)
{
    (void)model, (void)wire, (void)arena, (void)error;
    *value = rows[op].value;
    return TN_OK;
}

static struct tn_bytes text_of(const struct tn_picture    *p,
                               const struct tn_view_attrs *list)
{
    return tn_intern_text(
        &p->texts, *tn_list_at(&p->attr_texts, uint32_t, list->first + 1));
}

static void lists_are_text(void **state)
{
    struct tn_dialect           dialect = sketch_dialect;
    struct tn_view_bench        b;
    struct tn_view_attr_reader  reader;
    const struct tn_view_attrs *lists[COUNT];
    uint32_t                    ids[COUNT];
    char                        line[32];

    (void)state;
    dialect.next_attr       = give_one;
    dialect.decode          = decode_row;
    dialect.refers_to_attrs = true;
    tn_view_bench_begin(&b, "n0 = Relu(x)");
    for (unsigned i = 1; i < COUNT; i++) {
        snprintf(line, sizeof line, "n%u = Relu(n%u)", i, i - 1);
        sketch_op(&b.model, 0, line, &b.error);
    }
    b.model.dialect = &dialect;
    tn_view_attr_reader_init(&reader, &b.picture);
    for (uint32_t i = 0; i < COUNT; i++) {
        has_given = false;
        ids[i]    = tn_view_attr_list(&reader, i);
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        lists[i] = tn_list_at(&b.picture.lists, struct tn_view_attrs, ids[i]);
        assert_int_equal(lists[i]->count, 1);
        struct tn_bytes text = text_of(&b.picture, lists[i]);
        assert_true(tn_bytes_starts_with(text, rows[i].text));
        assert_true(rows[i].value.count == 100
                        ? text.size < 300
                        : tn_bytes_is(text, rows[i].text));
    }
    assert_true(
        tn_bytes_ends_with(text_of(&b.picture, lists[3]), ", ... (100)]"));
    assert_int_equal(ids[0], ids[COUNT - 1]);
    /* Words make a difference to the look; names of variables do not. */
    assert_true(lists[FIRST_NAME]->look == lists[FIRST_NAME + 1]->look);
    assert_true(lists[SAME]->look != lists[VALID]->look);
    assert_true(lists[0]->look != lists[1]->look);
    tn_view_attr_reader_done(&reader);
    assert_int_equal(b.error.status, TN_OK);
    tn_view_bench_end(&b);
}

enum { MANY = 20000, DISTINCT = 7000 };

static enum tn_status decode_number(const struct tn_model *model, uint32_t op,
                                    struct tn_span wire, struct tn_arena *arena,
                                    struct tn_attr_value *value,
                                    struct tn_error      *error)
{
    int64_t *number = tn_new(arena, int64_t, 1, error);

    (void)model, (void)wire;
    assert_non_null(number);
    *number = op % DISTINCT;
    *value =
        (struct tn_attr_value){ TN_ATTR_INT, false, 1, { .ints = number } };
    return TN_OK;
}

/* Many ops are read in parts, ahead and by any crew: lists have the numbers in
 * which ops come. */
static void lists_come_in_the_order_of_ops(void **state)
{
    struct tn_dialect          dialect = sketch_dialect;
    struct tn_view_bench       b;
    struct tn_view_attr_reader reader;
    char                       line[32];

    (void)state;
    dialect.next_attr       = give_one;
    dialect.decode          = decode_number;
    dialect.refers_to_attrs = true;
    tn_view_bench_begin(&b, "n0 = Relu(x)");
    for (unsigned i = 1; i < MANY; i++) {
        snprintf(line, sizeof line, "n%u = Relu(n%u)", i, i - 1);
        sketch_op(&b.model, 0, line, &b.error);
    }
    b.model.dialect = &dialect;
    for (unsigned workers = 1; workers <= 4; workers++) {
        b.memory.workers = workers;
        tn_picture_done(&b.picture);
        tn_picture_init(&b.picture, &b.model, &b.memory, &b.error);
        has_given = false;
        tn_view_attr_reader_init(&reader, &b.picture);
        for (uint32_t i = 0; i < MANY; i++)
            assert_int_equal(tn_view_attr_list(&reader, i), i % DISTINCT + 1);
        assert_true(tn_bytes_is(
            text_of(&b.picture,
                    tn_list_at(&b.picture.lists, struct tn_view_attrs, 6999)),
            "6998"));
        tn_view_attr_reader_done(&reader);
        /* Or not to the end. */
        tn_view_attr_reader_init(&reader, &b.picture);
        tn_view_attr_list(&reader, 0);
        tn_view_attr_reader_done(&reader);
        assert_int_equal(b.error.status, TN_OK);
    }
    tn_view_bench_end(&b);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_are_text),
        cmocka_unit_test(lists_come_in_the_order_of_ops),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
