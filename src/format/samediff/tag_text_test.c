/* tag_text_test.c - claims about tags.txt, params.txt and updater.txt */
#include "format/samediff/tag_text.h"

#include <stdio.h>

#include "support/hostile.h"

struct doubts {
    char rules[256];
};

static int note(void *context, enum tn_finding_level level, const char *rule,
                const struct tn_error *finding)
{
    struct doubts *doubts = context;

    (void)finding;
    assert_int_equal(level, TN_LEVEL_WARNING);
    strcat(doubts->rules, rule);
    strcat(doubts->rules, " ");
    return 0;
}

/* ---- tags.txt ----------------------------------------------------------- */

static const struct {
    const char *name, *text;
    const char *tags; /* separated by commas                                 */
    uint64_t    offset; /* of the complaint, TN_NOWHERE: there is none       */
    const char *doubts;
} tag_cases[] = {
    /* clang-format off */
    { "two",                "a\nb\n",             "a,b",  TN_NOWHERE, "" },
    { "no last line feed",  "a\nb",               "a,b",  TN_NOWHERE, "" },
    { "CRLF",               "a\r\nb\r\n",         "a,b",  TN_NOWHERE, "" },
    { "nothing",            "",                   "",     TN_NOWHERE, "" },
    { "blank lines",        "a\n\n \t\nb\n",      "a,b",  TN_NOWHERE, "tag-text-blank-line " },
    { "byte order mark",    "\xef\xbb\xbf" "a\n", "a",    TN_NOWHERE, "tag-text-bom " },
    { "spaces around",      " a \n",              "a",    TN_NOWHERE, "" },
    { "not ASCII",          "\xc3\xa4\n",         "\xc3\xa4", TN_NOWHERE, "" },
    { "twice",              "a\nb\na\n",          "",     4,  "" },
    { "twice but for case", "Ab\naB\n",           "",     3,  "" },
    { "mark in a name",     "a\n\xef\xbb\xbf" "b\n", "", 2,  "" },
    { "two words",          "a b\nmy  tag \t\n",  "a b,my  tag", TN_NOWHERE, "" },
    { "a tab inside",       "x\na\tb\n",          "",     2,  "" },
    { "twice, one as two codes", "\xc3\x84 1\na\xcc\x88 1\n", "", 5, "" },
    { "not twice",          "ss\n\xc3\x9f\n",     "ss,\xc3\x9f", TN_NOWHERE, "" },
    { "a path",             "a/b\n",              "",     0,  "" },
    { "up",                 "x\n..\n",            "",     2,  "" },
    { "control",            "a\x01\n",            "",     0,  "" },
    { "CR inside",          "a\rb\n",             "",     0,  "" },
    { "no UTF-8",           "a\n\xff\n",          "",     2,  "" },
    /* clang-format on */
};

static void tags_are_lines(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof tag_cases / sizeof tag_cases[0]; i++) {
        struct doubts    doubts = { "" };
        struct tn_report report = { .each = note, .context = &doubts };
        struct tn_error  error  = TN_ERROR_INIT;
        struct tn_memory memory;
        struct tn_arena  arena;
        char             got[256] = "";
        uint32_t         count;

        const struct tn_bytes *tags;
        struct tn_tag_text text = { tn_text(tag_cases[i].text), 0, "tags.txt",
                                    &report };

        tn_memory_init(&memory, NULL, 0);
        tn_arena_init(&arena, &memory);
        if (tn_tag_text_tags(&text, &arena, &tags, &count, &error) == TN_OK)
            for (uint32_t k = 0; k < count; k++)
                snprintf(got + strlen(got), sizeof got - strlen(got), "%s%.*s",
                         k ? "," : "", TN_FMT(tags[k]));
        print_message("%s: %s\n", tag_cases[i].name, error.what);
        assert_string_equal(got, tag_cases[i].tags);
        assert_string_equal(doubts.rules, tag_cases[i].doubts);
        assert_int_equal(error.offset, tag_cases[i].offset);
        assert_int_equal(tn_failed(&error), tag_cases[i].offset != TN_NOWHERE);
        tn_arena_done(&arena);
        assert_int_equal(memory.used, 0);
    }
}

/* ---- lines -------------------------------------------------------------- */

static const struct {
    const char      *name;
    enum tn_tag_file which;
    const char      *text;
    const char      *back; /* as it is written; NULL: as it was              */
    uint64_t         offset;
    const char      *doubts;
} line_cases[] = {
    /* clang-format off */
    { "the design's",      TN_TAG_PARAMS,  "my_normal_param 0\nshared other/7\n", NULL, TN_NOWHERE, "" },
    { "names of paths",    TN_TAG_PARAMS,  "a/b:0 0\n&MyParam* 1\n", NULL, TN_NOWHERE, "" },
    { "a kind",            TN_TAG_PARAMS,  "map_param 0 MAP\n", NULL, TN_NOWHERE, "" },
    { "states",            TN_TAG_UPDATER, "w 0 1\nb 2 fp32/3\n", NULL, TN_NOWHERE, "" },
    { "states of a kind",  TN_TAG_UPDATER, "w 0 1 MAP_2\n", NULL, TN_NOWHERE, "" },
    { "escapes",           TN_TAG_PARAMS,  "my%20name%25%0A%00 0\n", NULL, TN_NOWHERE, "" },
    { "small hex",         TN_TAG_PARAMS,  "a%0a 0\n", "a%0A 0\n", TN_NOWHERE, "" },
    { "needless escape",   TN_TAG_PARAMS,  "%41 0\n", "A 0\n", TN_NOWHERE, "" },
    { "no escape",         TN_TAG_PARAMS,  "50%x 0\n", "50%25x 0\n", TN_NOWHERE, "tag-text-percent " },
    { "runs of blanks",    TN_TAG_UPDATER, " w \t 0\t1 \r\n", "w 0 1\n", TN_NOWHERE, "" },
    { "two names, a file", TN_TAG_PARAMS,  "a 0\nb 0\n", NULL, TN_NOWHERE, "" },
    { "case matters",      TN_TAG_PARAMS,  "a 0\nA 1\n", NULL, TN_NOWHERE, "" },
    { "own tag",           TN_TAG_PARAMS,  "a OWN/0\n", "a 0\n", TN_NOWHERE, "" },
    { "odd ids",           TN_TAG_PARAMS,  "a x-_.9\nb Map\n", NULL, TN_NOWHERE, "" },
    { "a mark in a name",  TN_TAG_PARAMS,  "a 0\n\xef\xbb\xbfw 1\n", "a 0\n%EF%BB%BFw 1\n", TN_NOWHERE, "" },
    { "the same first",    TN_TAG_PARAMS,  "%EF%BB%BFw 1\n", NULL, TN_NOWHERE, "" },
    { "tag with a space",  TN_TAG_PARAMS,  "a my%20tag/0\n", NULL, TN_NOWHERE, "" },
    { "tag with a percent", TN_TAG_PARAMS, "a 5%25/0\n", NULL, TN_NOWHERE, "" },
    { "tag not of ASCII",  TN_TAG_UPDATER, "a \xc3\xa4/0 %C3%84/1\n", "a \xc3\xa4/0 \xc3\x84/1\n", TN_NOWHERE, "" },
    { "a path by escape",  TN_TAG_PARAMS,  "a b%2Fc/0\n", NULL, 2, "" },
    { "up by escape",      TN_TAG_PARAMS,  "a %2E%2E/0\n", NULL, 2, "" },
    { "a name alone",      TN_TAG_PARAMS,  "a 0\nb\n", NULL, 5, "" },
    { "a kind alone",      TN_TAG_PARAMS,  "a MAP\n", NULL, 2, "" },
    { "kinds everywhere",  TN_TAG_UPDATER, "a 0 MAP MAP\n", NULL, 4, "" },
    { "two files",         TN_TAG_PARAMS,  "a 0 1\n", NULL, 0, "" },
    { "twice",             TN_TAG_PARAMS,  "a 0\n\na 1\n", NULL, 5, "tag-text-blank-line " },
    { "twice by escape",   TN_TAG_PARAMS,  "a 0\n%61 1\n", NULL, 4, "" },
    { "id up",             TN_TAG_PARAMS,  "a ..\n", NULL, 2, "" },
    { "tag up",            TN_TAG_PARAMS,  "a ../0\n", NULL, 2, "" },
    { "path",              TN_TAG_PARAMS,  "a b/c/0\n", NULL, 2, "" },
    { "no id",             TN_TAG_PARAMS,  "a b/\n", NULL, 2, "" },
    { "no tag",            TN_TAG_PARAMS,  "a /0\n", NULL, 2, "" },
    { "long id",           TN_TAG_PARAMS,  "a 00000000000000000000000000000000000000000000000000000000000000000\n", NULL, 2, "" },
    { "control",           TN_TAG_PARAMS,  "a\x7f 0\n", NULL, 1, "" },
    { "escaped no UTF-8",  TN_TAG_PARAMS,  "%FF 0\n", NULL, 0, "" },
    { "no UTF-8",          TN_TAG_PARAMS,  "a 0\n\xc0\x80 1\n", NULL, 4, "" },
    /* clang-format on */
};

static void lines_are_read_and_written(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof line_cases / sizeof line_cases[0]; i++) {
        struct doubts       doubts = { "" };
        struct tn_report    report = { .each = note, .context = &doubts };
        struct tn_error     error  = TN_ERROR_INIT;
        struct tn_memory    memory;
        struct tn_arena     arena;
        struct tn_buffer    back;
        struct tn_tag_lines lines;
        struct tn_tag_text  text = { tn_text(line_cases[i].text), 0, "x",
                                     &report };

        tn_memory_init(&memory, NULL, 0);
        tn_arena_init(&arena, &memory);
        tn_buffer_init(&back, &memory, &error);
        print_message("%s\n", line_cases[i].name);
        if (tn_tag_text_lines(&text, line_cases[i].which, &arena, &lines,
                              &error) == TN_OK) {
            for (uint32_t k = 0; k < lines.count; k++)
                tn_tag_text_put(&back, &lines.items[k], tn_text("own"));
            assert_string_equal(tn_buffer_string(&back),
                                line_cases[i].back ? line_cases[i].back
                                                   : line_cases[i].text);
            assert_int_equal(lines.count, tn_tag_text_count(text.bytes));
        }
        assert_string_equal(doubts.rules, line_cases[i].doubts);
        assert_int_equal(error.offset, line_cases[i].offset);
        tn_buffer_done(&back);
        tn_arena_done(&arena);
        assert_int_equal(memory.used, 0);
    }
}

static void what_a_line_says(void **state)
{
    struct tn_error     error = TN_ERROR_INIT;
    struct tn_memory    memory;
    struct tn_arena     arena;
    struct tn_tag_lines lines;
    struct tn_tag_text  text = { tn_text("x 9\nmy%20w A/0 1 MAP\n"), 100, "u",
                                 NULL };

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_arena_init(&arena, &memory);
    assert_int_equal(
        tn_tag_text_lines(&text, TN_TAG_UPDATER, &arena, &lines, &error),
        TN_OK);
    assert_int_equal(lines.count, 2);
    const struct tn_tag_line *line = &lines.items[1];
    assert_true(tn_bytes_is(line->name, "my w"));
    assert_true(tn_bytes_is(line->kind, "MAP"));
    assert_int_equal(line->ref_count, 2);
    assert_true(tn_bytes_is(line->refs[0].tag, "A"));
    assert_true(tn_bytes_is(line->refs[0].id, "0"));
    assert_int_equal(line->refs[1].tag.size, 0);
    assert_int_equal(line->offset, 104);
    tn_arena_done(&arena);
}

/* ---- names of tags ------------------------------------------------------ */

static const struct {
    const char *tag;
    bool        is_new, is_old; /* may be                                    */
} names[] = {
    /* clang-format off */
    { "fp32", true, true },      { "step-1000", true, true },
    { "_x", true, true },        { "v1.2", true, true },
    { "-x", true, true },        { ".x", true, true },
    { "a b", true, true },       { "100%", true, true },
    { "\xc3\xa4", true, true },  { "\xe6\xa8\xa1\xe5\x9e\x8b 2", true, true },
    { "com0", true, true },      { "console", true, true },
    { "tags", true, true },      { "com12", true, true },
    { "", false, false },        { ".", false, false },
    { "..", false, false },      { "x.", false, true },
    { "x ", false, true },       { " x", false, true },
    { "a/b", false, false },     { "a\\b", false, false },
    { "a:b", false, false },     { "a*", false, false },
    { "a?", false, false },      { "a\"b", false, false },
    { "a<b", false, false },     { "a>b", false, false },
    { "a|b", false, false },     { "a\nb", false, false },
    { "a\tb", false, false },    { "a\x7f" "b", false, false },
    { "con", false, true },      { "Nul.txt", false, true },
    { "nul .txt", false, true }, { "COM1", false, true },
    { "lpt9.x.y", false, true }, { "com\xc2\xb2", false, true },
    { "CONIN$", false, true },   { "Tags.TXT", false, true },
    { "a\xc2\x85", false, true }, { "a\xe2\x80\xa8", false, true },
    { "a\xff", false, true },    { "\xed\xa0\x80", false, true },
    { "\xef\xbb\xbf" "a", false, false },
    /* clang-format on */
};

static void names_of_tags(void **state)
{
    char            long_name[256];
    struct tn_error error = TN_ERROR_INIT;

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        print_message("'%s'\n", names[i].tag);
        assert_int_equal(!tn_tag_new_refusal(tn_text(names[i].tag)),
                         names[i].is_new);
        assert_int_equal(!tn_tag_old_refusal(tn_text(names[i].tag)),
                         names[i].is_old);
    }
    memset(long_name, 'x', sizeof long_name);
    assert_null(tn_tag_new_refusal(tn_bytes(long_name, 255)));
    assert_non_null(tn_tag_new_refusal(tn_bytes(long_name, 256)));
    /* The reason is told, however long the tag is, and no half character. */
    memcpy(long_name + 99, "\xc3\xa4", 2);
    tn_tag_refuse_new(tn_bytes(long_name, 256), &error);
    assert_int_equal(error.status, TN_INVALID);
    assert_non_null(strstr(error.what, "x...': a tag has at most 255 bytes"));
}

/* ---- hostile ------------------------------------------------------------ */

static enum tn_status read_both(struct tn_bytes input, struct tn_memory *memory,
                                struct tn_error *error)
{
    struct tn_arena        arena;
    struct tn_tag_lines    lines;
    struct tn_error        own  = TN_ERROR_INIT;
    struct tn_tag_text     text = { input, 0, "updater.txt", NULL };
    const struct tn_bytes *tags;
    uint32_t               count;

    tn_arena_init(&arena, memory);
    tn_tag_text_tags(&text, &arena, &tags, &count, &own);
    if (own.status == TN_NO_MEMORY)
        *error = own;
    else
        tn_tag_text_lines(&text, TN_TAG_UPDATER, &arena, &lines, error);
    tn_arena_done(&arena);
    return error->status;
}

static void text_is_hostile(void **state)
{
    struct tn_bytes good =
        tn_text("my%20w A/0 1 MAP\r\n\nb 2 c/3\n\xc3\xa4 0 1");

    (void)state;
    tn_survives_every_flip(read_both, good);
    tn_survives_no_memory(read_both, good);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tags_are_lines),
        cmocka_unit_test(lines_are_read_and_written),
        cmocka_unit_test(what_a_line_says),
        cmocka_unit_test(names_of_tags),
        cmocka_unit_test(text_is_hostile),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
