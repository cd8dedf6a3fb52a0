/* option_table_test.c - what may stand on a command line */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "option_table.h"

struct test_opts {
    struct cli_common common;
    bool              is_a, is_b;
    const char       *text;
    uint64_t          size, count, number;
    unsigned          choice;
};

#define FIELD(f) offsetof(struct test_opts, f)
static const struct cli_opt options[] = {
    { CLI_FLAG, 'a', "alpha", FIELD(is_a), NULL, "a flag" },
    { CLI_FLAG, 'b', "beta", FIELD(is_b), NULL, "a flag" },
    { CLI_TEXT, 't', "text", FIELD(text), "TEXT", "a text" },
    { CLI_SIZE, 0, "size", FIELD(size), "SIZE", "a size" },
    { CLI_COUNT, 'c', "count", FIELD(count), "N", "a count" },
    { CLI_NUMBER, 'n', "number", FIELD(number), "N", "a number" },
    { CLI_CHOICE, 0, "pick", FIELD(choice), "one|two", "a choice" },
    { 0 },
};

static const struct cli_verb verb = { .name      = "test",
                                      .arguments = "FILE...",
                                      .summary   = "for tests",
                                      .least     = 1,
                                      .most      = 2,
                                      .groups    = CLI_READS,
                                      .opts_size = sizeof(struct test_opts),
                                      .options   = options };

enum { MAX_WORDS = 12 };

static bool parse(struct test_opts *opts, struct cli_args *args, int *code,
                  const char *line)
{
    static char  words[400];
    static char *argv[MAX_WORDS];
    int          argc = 0;

    snprintf(words, sizeof(words), "%s", line);
    for (char *word = strtok(words, " "); word != NULL;
         word       = strtok(NULL, " "))
        argv[argc++] = word;
    *opts = (struct test_opts){ 0 };
    return cli_parse(&verb, argc, argv, opts, args, code);
}

static void good_lines(void **state)
{
    struct test_opts opts;
    struct cli_args  args;
    int              code;

    (void)state;
    assert_true(parse(&opts, &args, &code, "one -ab --text=x --size 2K two"));
    assert_true(opts.is_a && opts.is_b);
    assert_string_equal(opts.text, "x");
    assert_int_equal(opts.size, 2048);
    assert_int_equal(args.count, 2);
    assert_string_equal(args.items[0], "one");
    assert_string_equal(args.items[1], "two");

    assert_true(parse(&opts, &args, &code, "-abtx f -c7 --pick two"));
    assert_string_equal(opts.text, "x");
    assert_int_equal(opts.count, 7);
    assert_int_equal(opts.choice, 2);

    assert_true(parse(&opts, &args, &code, "-t -1 -- --alpha -"));
    assert_string_equal(opts.text, "-1");
    assert_false(opts.is_a);
    assert_string_equal(args.items[0], "--alpha");
    assert_string_equal(args.items[1], "-");

    assert_true(parse(&opts, &args, &code, "--text= f --text=last"));
    assert_string_equal(opts.text, "last");
    assert_true(parse(&opts, &args, &code, "f --number 9223372036854775807"));
    assert_int_equal(opts.number, INT64_MAX);
}

static const char *const bad_lines[] = {
    "",         "one two three", "f --gamma",    "f -z",    "f --text",
    "f -t",     "f --size many", "f --alpha=1",  "f -c x",  "f --pick three",
    "f --pick", "f --count -1", "f --number 0",
    "f -n 9223372036854775808",  "f --count 1x", "f --alp", "f ---",
};

static void refused_lines(void **state)
{
    struct test_opts opts;
    struct cli_args  args;

    (void)state;
    for (size_t i = 0; i < sizeof(bad_lines) / sizeof(bad_lines[0]); i++) {
        int code = 0;
        if (parse(&opts, &args, &code, bad_lines[i]) || code != 2)
            fail_msg("'%s' was taken", bad_lines[i]);
    }
}

static void distances(void **state)
{
    (void)state;
    assert_int_equal(cli_distance("sort", "sort", 3), 0);
    assert_int_equal(cli_distance("sotr", "sort", 3), 2);
    assert_int_equal(cli_distance("inf", "info", 3), 1);
    assert_int_equal(cli_distance("", "info", 9), 4);
    assert_int_equal(cli_distance("convert", "check", 3), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_lines),
        cmocka_unit_test(refused_lines),
        cmocka_unit_test(distances),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
