/* flex_test.c - maps of FlexBuffers */
#include "wire/fb/flex.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/byte_view.h"

/* {"a": 300, "b": 0.5, "c": true}, as flatbuffers' own library writes it but
 * for the width: keys at 0, 2 and 4, all numbers of 32 bits. */
static const uint8_t good[] = {
    'a', 0, 'b', 0, 'c', 0, 0, 0,                   /* 0 */
    3, 0, 0, 0, 12, 0, 0, 0, 14, 0, 0, 0, 16, 0, 0, 0, /* 8: keys at 12 */
    12, 0, 0, 0, 4, 0, 0, 0, 3, 0, 0, 0,               /* 24 */
    0x2c, 1, 0, 0, 0, 0, 0, 0x3f, 1, 0, 0, 0,          /* 36: values */
    1 << 2 | 2, 3 << 2 | 2, 26 << 2 | 2,               /* 48: types */
    15, 9 << 2 | 2, 1,                                 /* 51: the root */
};

static void items_have_their_kinds(void **state)
{
    struct tn_flex_map  map;
    struct tn_flex_item item;

    (void)state;
    assert_true(tn_flex_open(&map, tn_bytes(good, sizeof good)));
    assert_int_equal(map.count, 3);
    assert_true(tn_flex_at(&map, 0, &item));
    assert_true(tn_bytes_is(item.key, "a"));
    assert_int_equal(item.kind, TN_FLEX_INT);
    assert_int_equal(item.number, 300);
    assert_true(tn_flex_at(&map, 1, &item));
    assert_int_equal(item.kind, TN_FLEX_FLOAT);
    assert_true(item.real == 0.5);
    assert_true(tn_flex_at(&map, 2, &item));
    assert_true(tn_bytes_is(item.key, "c"));
    assert_int_equal(item.kind, TN_FLEX_BOOL);
    assert_int_equal(item.number, 1);
}

static void look_at_all(const uint8_t *bytes, size_t size)
{
    struct tn_flex_map  map;
    struct tn_flex_item item;

    if (!tn_flex_open(&map, tn_bytes(bytes, size)))
        return;
    for (uint64_t i = 0; i < map.count; i++)
        if (tn_flex_at(&map, i, &item) && item.key.size)
            assert_in_range((uintptr_t)item.key.data, (uintptr_t)bytes,
                            (uintptr_t)bytes + size);
}

/* Copies have no byte behind them that a sanitizer would not see. */
static void damage_is_seen(void **state)
{
    (void)state;
    for (size_t size = 0; size < sizeof good; size++) {
        uint8_t *part = malloc(size ? size : 1);
        assert_non_null(part);
        memcpy(part, good, size);
        look_at_all(part, size);
        free(part);
    }
    uint8_t *all = malloc(sizeof good);
    assert_non_null(all);
    for (size_t at = 0; at < sizeof good; at++)
        for (unsigned value = 0; value < 256; value++) {
            memcpy(all, good, sizeof good);
            all[at] = (uint8_t)value;
            look_at_all(all, sizeof good);
        }
    free(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_have_their_kinds),
        cmocka_unit_test(damage_is_seen),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
