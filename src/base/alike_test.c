/* alike_test.c - names that are the same to people */
#include "base/alike.h"

#include <stdlib.h>

#include "support/hostile.h"

static const struct {
    const char *name, *a, *b;
    bool        is_alike;
} cases[] = {
    /* clang-format off */
    { "nothing",             "", "", true },
    { "itself",              "fp32", "fp32", true },
    { "letters A to Z",      "Fp32", "fP32", true },
    { "another letter",      "fp32", "fp33", false },
    { "a part",              "fp3", "fp32", false },
    { "[ is not {",          "a[", "a{", false },
    { "German capital",      "\xc3\x84pfel", "\xc3\xa4PFEL", true },
    { "one or two codes",    "\xc3\xa4", "a\xcc\x88", true },
    { "and their capitals",  "\xc3\x84", "a\xcc\x88", true },
    { "marks in any order",  "q\xcc\xa3\xcc\x87", "q\xcc\x87\xcc\xa3", true },
    { "of one class not",    "q\xcc\x81\xcc\x87", "q\xcc\x87\xcc\x81", false },
    { "sharp s, capital",    "stra\xc3\x9f" "e", "STRA\xe1\xba\x9e" "E", true },
    { "no full folding",     "stra\xc3\x9f" "e", "strasse", false },
    { "ligatures stay",      "\xef\xac\x80", "ff", false },
    { "Kelvin is k",         "\xe2\x84\xaa", "k", true },
    { "Angstrom",            "\xe2\x84\xab", "\xc3\xa5", true },
    { "three sigmas",        "\xce\xa3", "\xcf\x82", true },
    { "dotless i apart",     "\xc4\xb1", "i", false },
    { "I with dot apart",    "\xc4\xb0", "i", false },
    { "Cyrillic",            "\xd0\xb2\xd0\xb5\xd1\x81", "\xd0\x92\xd0\x95\xd0\xa1", true },
    { "Cherokee",            "\xea\xad\xb0", "\xe1\x8e\xa0", true },
    { "Deseret",             "\xf0\x90\x90\x80", "\xf0\x90\x90\xa8", true },
    { "Hangul",              "\xea\xb0\x81", "\xe1\x84\x80\xe1\x85\xa1\xe1\x86\xa8", true },
    { "half Hangul",         "\xea\xb0\x80\xe1\x86\xa8", "\xea\xb0\x81", true },
    { "Bengali vowel",       "\xe0\xa7\x8b", "\xe0\xa7\x87\xe0\xa6\xbe", true },
    { "excluded again",      "\xe0\xa5\x98", "\xe0\xa4\x95\xe0\xa4\xbc", true },
    { "no compatibility",    "\xef\xbc\xa1", "a", false },
    { "but its case",        "\xef\xbc\xa1", "\xef\xbd\x81", true },
    { "stray bytes",         "a\xff", "A\xff", true },
    { "other stray bytes",   "a\xff", "a\xfe", false },
    { "byte and letter",     "\xc3", "\xc3\x83", false },
    /* clang-format on */
};

static void names_are_alike(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tn_bytes a = tn_text(cases[i].a), b = tn_text(cases[i].b);
        uint8_t         left[64], right[64];
        print_message("%s\n", cases[i].name);
        assert_int_equal(tn_alike(a, b), cases[i].is_alike);
        assert_int_equal(tn_alike(b, a), cases[i].is_alike);
        assert_int_equal(
            tn_bytes_equal(tn_bytes(left, tn_alike_key(left, a)),
                           tn_bytes(right, tn_alike_key(right, b))),
            cases[i].is_alike);
    }
}

static void copies_are_keys(void **state)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_memory memory;
    struct tn_arena  arena;
    struct tn_bytes  plain = tn_text("step-1"), key;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_arena_init(&arena, &memory);
    assert_ptr_equal(tn_alike_copy(&arena, plain, &error).data, plain.data);
    key = tn_alike_copy(&arena, tn_text("A\xcc\x88"), &error);
    assert_true(tn_bytes_is(key, "\xc3\xa4"));
    assert_int_equal(tn_failed(&error), false);
    tn_arena_done(&arena);
    assert_int_equal(memory.used, 0);
}

/* Accents without end, in the worst order: time grows with the name, and the
 * key is no longer than promised. */
static void accents_without_end(void **state)
{
    enum { COUNT = 30000 };
    static uint8_t name[2 * COUNT], key[TN_ALIKE_GROWTH * 2 * COUNT];

    (void)state;
    for (size_t i = 0; i < COUNT; i++)
        memcpy(name + 2 * i, i % 2 ? "\xcc\xa3" : "\xcc\x81", 2);
    for (int i = 0; i < 20; i++)
        assert_int_equal(tn_alike_key(key, tn_bytes(name, sizeof name)),
                         sizeof name);
}

/* U+1D160 grows most: four bytes become twelve. */
static void growth_is_bounded(void **state)
{
    uint8_t key[TN_ALIKE_GROWTH * 4];

    (void)state;
    assert_int_equal(tn_alike_key(key, tn_text("\xf0\x9d\x85\xa0")), 12);
}

static enum tn_status make_key(struct tn_bytes input, struct tn_memory *memory,
                               struct tn_error *error)
{
    struct tn_arena arena;

    tn_arena_init(&arena, memory);
    struct tn_bytes key = tn_alike_copy(&arena, input, error);
    if (!tn_failed(error))
        assert_true(tn_alike(key, key));
    tn_arena_done(&arena);
    return error->status;
}

static void names_are_hostile(void **state)
{
    struct tn_bytes good = tn_text(
        "A\xcc\x88 \xea\xb0\x81 \xf0\x90\x90\x80 \xe1\x84\x80\xe1\x85\xa1");

    (void)state;
    tn_survives_every_flip(make_key, good);
    tn_survives_no_memory(make_key, good);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_alike),
        cmocka_unit_test(copies_are_keys),
        cmocka_unit_test(accents_without_end),
        cmocka_unit_test(growth_is_bounded),
        cmocka_unit_test(names_are_hostile),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
