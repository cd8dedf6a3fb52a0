/* chunk_tags_test.c - paths: built, read, ordered, printed */
#include "support/hostile.h"

#include <stdio.h>
#include <stdlib.h>

#include "chunk/the_judge_testing.h"
#include "chunk/chunk_tags.h"

#define MOST 8

/* 1 is field 1, @2 index 2, then keys by kind: s"x", b1, u7, U7, i-7, I-7. */
static struct tn_tags tags_of(const char *text, struct tn_field_tag *room)
{
    static const char kinds[] = "?sbuUiI";
    struct tn_tags    tags    = { room, 0 };

    for (char *next = (char *)(uintptr_t)text; *next; tags.count++) {
        struct tn_field_tag *tag  = &room[tags.count];
        const char          *kind = strchr(kinds, *next);
        assert_true(tags.count < MOST);
        if (*next == '?') {
            *tag = (struct tn_field_tag){ .kind =
                                              next[1] == 'k' ? TN_TAG_KEY : 0 };
            next += 2;
        } else if (kind) {
            *tag       = (struct tn_field_tag){ .kind = TN_TAG_KEY,
                                                .key  = (uint8_t)(kind - kinds) };
            char *word = ++next;
            if (tag->key == TN_KEY_TEXT) {
                next         = word + strcspn(word, " ");
                tag->size    = (uint32_t)(next - word);
                tag->at.text = (const uint8_t *)word;
            } else {
                tag->at.number = tag->key == TN_KEY_UINT64
                                     ? strtoull(word, &next, 10)
                                     : (uint64_t)strtoll(word, &next, 10);
            }
        } else if (*next == '@') {
            *tag = tn_tag_index(strtoull(next + 1, &next, 10));
        } else {
            *tag = tn_tag_field((uint32_t)strtoul(next, &next, 10));
        }
        next += *next == ' ';
    }
    return tags;
}

static const struct build_row {
    const char    *name;
    struct tn_step steps[MOST];
    uint64_t       count;
    const char    *tags; /* NULL: refused */
    const char    *words;
} build_rows[] = {
    { "bool keys and an index",
      { TN_NAME("nested_map_bool"), TN_AT(1), TN_AT(2), TN_AT(50), TN_AT(7),
        TN_AT(0) },
      6,
      "7 b1 2 @50 7 b0",
      "nested_map_bool[true].repeated_field[50].nested_map_bool[false]" },
    { "bool keys as text",
      { TN_NAME("nested_map_bool"), TN_NAME("true"), TN_NAME("nested_map_bool"),
        TN_NAME("false") },
      4,
      "7 b1 7 b0",
      "nested_map_bool[true].nested_map_bool[false]" },
    { "a signed key",
      { TN_NAME("map_field_int64"), TN_AT(-4234) },
      2,
      "6 I-4234",
      "map_field_int64[-4234]" },
    { "an index and a key",
      { TN_NAME("repeated_field"), TN_AT(1505), TN_NAME("map_field_uint32"),
        TN_AT(123) },
      4,
      "2 @1505 5 u123",
      "repeated_field[1505].map_field_uint32[123]" },
    { "the same as text",
      { TN_NAME("repeated_field"), TN_NAME("1505"), TN_NAME("map_field_uint32"),
        TN_NAME("123") },
      4,
      "2 @1505 5 u123",
      "repeated_field[1505].map_field_uint32[123]" },
    { "five tags",
      { TN_NAME("field_one"), TN_NAME("repeated_field"), TN_AT(15),
        TN_NAME("map_field_uint32"), TN_AT(10) },
      5,
      "1 2 @15 5 u10",
      "field_one.repeated_field[15].map_field_uint32[10]" },
    { "the message itself", { TN_AT(0) }, 0, "", "" },
    { "an unknown name",
      { TN_NAME("INVALID") },
      1,
      NULL,
      "unable to find field INVALID" },
    { "an unknown number",
      { TN_AT(10000) },
      1,
      NULL,
      "unable to find field 10000" },
    { "a number that is none",
      { TN_AT(-1) },
      1,
      NULL,
      "unable to find field -1" },
    { "into a scalar",
      { TN_NAME("string_field"), TN_NAME("x") },
      2,
      NULL,
      "field not found" },
    { "into the value of a map",
      { TN_NAME("map_field_uint32"), TN_AT(1), TN_AT(1) },
      3,
      NULL,
      "field not found" },
    { "no element",
      { TN_NAME("repeated_field") },
      1,
      NULL,
      "the index of an element is missing" },
    { "an index below 0",
      { TN_NAME("repeated_field"), TN_AT(-1) },
      2,
      NULL,
      "an index comes next" },
    { "an index of letters",
      { TN_NAME("repeated_field"), TN_NAME("x") },
      2,
      NULL,
      "an index comes next" },
    { "a key past its type",
      { TN_NAME("map_field_uint32"), TN_AT(4294967296) },
      2,
      NULL,
      "no key of the map" },
    { "a key of letters",
      { TN_NAME("nested_map_bool"), TN_NAME("maybe") },
      2,
      NULL,
      "no key of the map" },
};

static void assert_built(const struct build_row *row, struct tn_tags tags)
{
    struct tn_field_tag room[MOST];
    char                text[200];
    struct tn_tags      want = tags_of(row->tags, room);

    assert_int_equal(tags.count, want.count);
    assert_int_equal(tn_tags_compare(tags, want), 0);
    assert_int_equal(tn_tags_print(tags, judge.many, text, sizeof text),
                     strlen(row->words));
    assert_string_equal(text, row->words);
}

static void test_build(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof build_rows / sizeof *build_rows; i++) {
        const struct build_row *row   = &build_rows[i];
        struct tn_error         error = TN_ERROR_INIT;
        struct tn_tags          tags;

        tn_tags_build(&tags, judge.many, row->steps, row->count, false,
                      &judge.arena, &error);
        assert_int_equal(error.status, row->tags ? TN_OK : TN_INVALID);
        if (row->tags)
            assert_built(row, tags);
        else
            assert_non_null(strstr(error.what, row->words));
    }
}

static void test_key_text(void **state)
{
    const struct tn_step steps[] = { TN_NAME("attr"), TN_NAME("value"),
                                     TN_NAME("tensor") };
    struct tn_error      error   = TN_ERROR_INIT;
    struct tn_field_tag  room[MOST];
    struct tn_tags       tags;

    (void)state;
    const struct tn_pb_message *node =
        tn_pb_schema_find(&judge.tensorflow, "tensorflow.NodeDef");
    tn_tags_build(&tags, node, steps, 3, false, &judge.arena, &error);
    assert_int_equal(error.status, TN_OK);
    assert_int_equal(tn_tags_compare(tags, tags_of("5 svalue 8", room)), 0);
}

/* Steps of a path: "2@1505 5u123" says fields with their elements. */
static void test_read(void **state)
{
    static const struct {
        const char *tags;
        uint64_t    steps; /* that are good                                   */
        const char *complaint;
    } cases[] = {
        { "2 @1505 5 u123", 2, NULL },
        { "7 b1 2 @50 7 b0", 3, NULL },
        { "1 1 3", 3, NULL },
        { "@1", 0, "index doesn't belong to any field" },
        { "2 @1505 @3", 1, "index doesn't belong to any field" },
        { "5 u123 @3", 1, "index doesn't belong to any field" },
        { "u123", 0, "map key doesn't belong to any field" },
        { "7 b1 b0", 1, "map key doesn't belong to any field" },
        { "2 @1505 u123", 1, "map key doesn't belong to any field" },
        { "??", 0, "unknown field kind" },
        { "1 ??", 1, "unknown field kind" },
        { "5 ?k", 0, "unknown map key type" },
        { "99999", 0, "not found in message descriptor" },
        { "1 99999", 1, "not found in message descriptor" },
        { "3 1", 1, "not found in message descriptor" },
        { "2", 0, "repeated and needs an index" },
        { "2 3", 0, "repeated and needs an index" },
        { "1 @0", 0, "not repeated and has no index" },
        { "5", 0, "needs a key" },
        { "5 @0", 0, "needs a key" },
        { "5 i1", 0, "of another type" },
        { "1 b1", 0, "is not a map" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tn_error             error = TN_ERROR_INIT;
        struct tn_field_tag         room[MOST];
        struct tn_tags              tags = tags_of(cases[i].tags, room);
        const struct tn_pb_message *type = judge.many;
        struct tn_tag_step          step;
        uint64_t                    good = 0;

        while (tags.count &&
               tn_tags_step(&tags, type, &step, &error) == TN_OK) {
            type = tn_step_message(&step);
            good++;
        }
        assert_int_equal(good, cases[i].steps);
        assert_int_equal(error.status,
                         cases[i].complaint ? TN_MALFORMED : TN_OK);
        if (cases[i].complaint)
            assert_non_null(strstr(error.what, cases[i].complaint));
    }
}

/* Each row is before all that follow it. */
static void test_order(void **state)
{
    static const char *const rows[] = {
        "",       "??",      "1",         "1 1",    "1 2",
        "1 2 ?k", "1 2 sa",  "1 2 sab",   "1 2 sb", "1 2 b0",
        "1 2 b1", "1 2 u0",  "1 2 u10",   "1 2 U2", "1 2 i-3",
        "1 2 i4", "1 2 I-9", "1 2 I-9 1", "1 2 I8", "1 2 @0",
        "1 2 @1", "2",       "2 1",       "2 1 @2", "2 1 @10",
    };
    size_t count = sizeof rows / sizeof *rows;

    (void)state;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++) {
            struct tn_field_tag a[MOST], b[MOST];
            int                 order =
                tn_tags_compare(tags_of(rows[i], a), tags_of(rows[j], b));
            assert_int_equal((order > 0) - (order < 0), (i > j) - (i < j));
        }
}

static void test_common(void **state)
{
    static const struct {
        const char *other;
        uint64_t    common;
    } cases[] = {
        { "2 @1505", 2 },
        { "5 u123", 0 },
        { "2 @1505 5 u123", 4 },
        { "2 @1505 5 u123 6", 4 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tn_field_tag a[MOST], b[MOST];
        assert_int_equal(tn_tags_common(tags_of("2 @1505 5 u123", a),
                                        tags_of(cases[i].other, b)),
                         cases[i].common);
    }
}

static void test_where(void **state)
{
    struct tn_error     error = TN_ERROR_INIT;
    struct tn_field_tag room[MOST];
    char                few[6];

    (void)state;
    struct tn_tags tags = tags_of("2 @1 99 3", room);
    tn_tags_where(tags, judge.many, &error);
    assert_string_equal(error.where, "");
    tn_error_set(&error, TN_MALFORMED, 0, "x");
    tn_tags_where(tags, judge.many, &error);
    assert_string_equal(error.where, "repeated_field[1].99.3");
    assert_int_equal(tn_tags_print(tags, judge.many, few, sizeof few), 22);
    assert_string_equal(few, "repea");
}

/* All types that protobuf takes for keys. */
static void test_key_kinds(void **state)
{
    static const struct {
        enum tn_pb_type  type;
        enum tn_key_kind kind;
    } rows[] = {
        { TN_PB_STRING, TN_KEY_TEXT },    { TN_PB_BOOL, TN_KEY_BOOL },
        { TN_PB_INT32, TN_KEY_INT32 },    { TN_PB_INT64, TN_KEY_INT64 },
        { TN_PB_SINT32, TN_KEY_INT32 },   { TN_PB_SINT64, TN_KEY_INT64 },
        { TN_PB_SFIXED32, TN_KEY_INT32 }, { TN_PB_SFIXED64, TN_KEY_INT64 },
        { TN_PB_UINT32, TN_KEY_UINT32 },  { TN_PB_UINT64, TN_KEY_UINT64 },
        { TN_PB_FIXED32, TN_KEY_UINT32 }, { TN_PB_FIXED64, TN_KEY_UINT64 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(tn_key_kind_of(rows[i].type), rows[i].kind);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_build),     cmocka_unit_test(test_key_text),
        cmocka_unit_test(test_key_kinds), cmocka_unit_test(test_read),
        cmocka_unit_test(test_order),     cmocka_unit_test(test_common),
        cmocka_unit_test(test_where),
    };

    return cmocka_run_group_tests(tests, open_judge, close_judge);
}
