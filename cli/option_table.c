/* option_table.c - parsing by the table */
#include "option_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tenon/formats.h>

#include "failure.h"
#include "format_options.h"
#include "pager.h"
#include "print.h"
#include "text.h"

/* ---- what verbs have in common ------------------------------------------ */

#define FIELD(f) offsetof(struct cli_common, f)

/* clang-format off */
static const struct cli_opt reporting[] = {
    { CLI_FLAG,   0,   "json",      FIELD(is_json),     NULL,     "print one JSON document" },
    { 0 },
};

static const struct cli_opt writing[] = {
    { CLI_FILE,   'o', "out",       FIELD(out),         "FILE",   "write FILE; - is standard output" },
    { CLI_FLAG,   'f', "force",     FIELD(is_forced),   NULL,     "overwrite existing files" },
    { CLI_FLAG,   'n', "dry-run",   FIELD(is_dry_run),  NULL,     "do everything but write" },
    { CLI_FLAG,   0,   "sync",      FIELD(is_synced),   NULL,     "return after the data is safe on disk" },
    { 0 },
};

static const struct cli_opt reading[] = {
    { CLI_FORMAT, 0,   "from",      FIELD(from),        "FORMAT", "format of the input; default: detect it" },
    { CLI_TEXT,   0,   "tag",       FIELD(tag),         "NAME",   "version in a container; default: newest" },
    { CLI_SIZE,   0,   "max-mem",   FIELD(max_mem),     "SIZE",   "fail if more memory is needed" },
    { CLI_SIZE,   0,   "max-expand", FIELD(max_expand), "SIZE",   "fail if a file expands to more" },
    { CLI_COUNT,  0,   "workers",   FIELD(workers),     "N",      "number of threads; 0: one per core" },
    { CLI_FLAG,   0,   "unmapped",  FIELD(is_unmapped), NULL,     "read files instead of mapping them" },
    { CLI_FLAG,   'q', "quiet",     FIELD(is_quiet),    NULL,     "no progress, no summary, no hints" },
    { CLI_FLAG,   0,   "verbose",   FIELD(is_verbose),  NULL,     "print requests to servers, bytes and times" },
    { 0 },
};

static const struct cli_opt remote[] = {
    { CLI_FLAG,   0,   "allow-remote-external", FIELD(allows_external), NULL, "open URLs that a model names, too" },
    { CLI_FLAG,   0,   "anonymous", FIELD(is_anonymous), NULL,    "send no credentials" },
    { CLI_FLAG,   0,   "credentials-over-http", FIELD(allows_plain), NULL, "send credentials without encryption" },
    { CLI_SIZE,   0,   "max-fetch", FIELD(max_fetch),   "SIZE",   "fail if more bytes would be fetched" },
    { 0 },
};

static const struct cli_opt showing[] = {
    { CLI_FLAG,   0,   "wide",      FIELD(is_wide),     NULL,     "shorten no names to fit the terminal" },
    { CLI_FLAG,   0,   "no-pager",  FIELD(is_unpaged),  NULL,     "print to the terminal without a pager" },
    { 0 },
};

static const struct cli_opt general[] = {
    { CLI_FLAG,   'h', "help",      FIELD(wants_help),     NULL,  "show this text" },
    { CLI_FLAG,   0,   "help-man",  FIELD(wants_help_man), NULL,  NULL },
    { 0 },
};
/* clang-format on */

static struct cli_section section_of(const char           *title,
                                     const struct cli_opt *rows)
{
    return (struct cli_section){ title, rows, CLI_FIELDS };
}

size_t cli_sections(const struct cli_verb *verb,
                    struct cli_section     sections[CLI_MAX_SECTIONS])
{
    size_t count = 0;

    if (verb->options != NULL)
        sections[count++] = section_of("Options", verb->options);
    if (verb->actions != NULL)
        sections[count++] = section_of("Actions", verb->actions());
    if (verb->groups & CLI_SETTINGS)
        count += cli_format_sections(false, sections + count,
                                     CLI_MAX_SECTIONS - count);
    if (verb->groups & CLI_WRITES)
        sections[count++] = section_of("Writing", writing);
    if (verb->groups & CLI_READS) {
        sections[count++] = section_of("Reading", reading);
        count += cli_format_sections(true, sections + count,
                                     CLI_MAX_SECTIONS - count);
    }
    if (verb->groups & (CLI_READS | CLI_FETCHES))
        sections[count++] = section_of("URLs", remote);
    if (verb->groups & CLI_REPORTS)
        sections[count++] = section_of("Reporting", reporting);
    if (verb->groups & CLI_SHOWS)
        sections[count++] = section_of("Terminal", showing);
    sections[count++] = section_of("General", general);
    return count;
}

bool cli_merge_rows(const struct cli_section *sections, size_t count,
                    const struct cli_opt *row, struct cli_opt *merged,
                    char words[CLI_WORDS_SIZE])
{
    const struct cli_opt *first = NULL;
    size_t                size  = 0;

    *merged = *row;
    for (size_t i = 0; i < count; i++)
        for (const struct cli_opt *r = sections[i].rows; r->kind; r++) {
            if (strcmp(r->name, row->name) != 0)
                continue;
            first = first != NULL ? first : r;
            if (r->kind == CLI_CHOICE && size < CLI_WORDS_SIZE)
                size += (size_t)snprintf(words + size, CLI_WORDS_SIZE - size,
                                         "%s%s", size > 0 ? "|" : "", r->value);
        }
    if (row->kind == CLI_CHOICE)
        merged->value = words;
    return first == row;
}

/* ---- values ------------------------------------------------------------- */

static bool parse_count(const char *text, uint64_t *count)
{
    return text[strspn(text, "0123456789")] == '\0' &&
           tn_parse_size(text, count);
}

size_t cli_next_word(const char **words, const char **word)
{
    *word         = *words;
    size_t length = strcspn(*words, "|");
    *words += length + ((*words)[length] == '|' ? 1 : 0);
    return length;
}

static bool parse_choice(const char *words, const char *text, unsigned *choice)
{
    const char *word;
    size_t      length;

    for (*choice = 1; (length = cli_next_word(&words, &word)) > 0; ++*choice)
        if (strlen(text) == length && memcmp(word, text, length) == 0)
            return true;
    return false;
}

/* ---- the parser --------------------------------------------------------- */

struct parser {
    const struct cli_verb *verb;
    struct cli_section     sections[CLI_MAX_SECTIONS];
    size_t                 section_count;
    char                 **argv;
    int                    argc, at;
    unsigned char         *opts;
    struct cli_args       *args;

    struct cli_action action;  /* the last one that takes several words       */
    int               after;   /* where argv goes on behind it                */
    const char       *further; /* the first argument right behind such a one  */
    struct cli_actions *actions; /* of the verb, once there is one            */
};

/* Walk all rows: begin with *row NULL. */
static bool next_row(const struct parser *p, size_t *section,
                     const struct cli_opt **row)
{
    if (*row == NULL) {
        *section = 0;
        *row     = p->sections[0].rows;
    } else {
        ++*row;
    }
    while ((*row)->kind == CLI_END) {
        if (++*section == p->section_count)
            return false;
        *row = p->sections[*section].rows;
    }
    return true;
}

static const struct cli_opt *find_long(const struct parser *p, const char *name,
                                       size_t length)
{
    const struct cli_opt *row = NULL;
    size_t                section;

    while (next_row(p, &section, &row))
        if (strlen(row->name) == length && memcmp(row->name, name, length) == 0)
            return row;
    return NULL;
}

static const struct cli_opt *find_letter(const struct parser *p, char letter)
{
    const struct cli_opt *row = NULL;
    size_t                section;

    while (next_row(p, &section, &row))
        if (row->letter != 0 && row->letter == letter)
            return row;
    return NULL;
}

static int refuse_value(const struct parser *p, const struct cli_opt *row,
                        const char *value)
{
    static const char *const wanted[] = {
        [CLI_SIZE] = "a size, such as 512MiB or 2GiB", [CLI_COUNT] = "a number",
        [CLI_NUMBER] = "a number from 1 on",           [CLI_CHOICE] = "one of",
        [CLI_ACTION] = "more memory than there is",
    };

    if (row->kind == CLI_CHOICE)
        return cli_usage(p->verb->name, "--%s takes %s %s, not '%s'", row->name,
                         wanted[row->kind], row->value, value);
    return cli_usage(p->verb->name, "--%s takes %s, not '%s'", row->name,
                     wanted[row->kind], value);
}

static bool fits(const struct cli_opt *row, const char *value)
{
    uint64_t size;
    unsigned choice;

    if (row->kind == CLI_SIZE)
        return tn_parse_size(value, &size);
    return row->kind != CLI_CHOICE || parse_choice(row->value, value, &choice);
}

static const struct cli_section *section_with(const struct parser  *p,
                                              const struct cli_opt *row)
{
    const struct cli_opt *other = NULL;
    size_t                section;

    while (next_row(p, &section, &other) && other != row)
        continue;
    return &p->sections[section];
}

/* Formats may have different options of one name; which of them it is will be
 * seen when the format is known. */
static int set(struct parser *p, const struct cli_opt *row, bool is_for_reading,
               const char *value)
{
    struct cli_common *common = (struct cli_common *)(void *)p->opts;
    struct cli_opt     merged;
    char               words[CLI_WORDS_SIZE];

    cli_merge_rows(p->sections, p->section_count, row, &merged, words);
    if (!fits(&merged, value))
        return refuse_value(p, &merged, value);
    if (!cli_set(is_for_reading ? &common->for_reading : &common->for_writing,
                 row->name, value))
        return cli_usage(p->verb->name, "too many options");
    return 0;
}

/* The list has room for as many actions as there are words. */
static bool add_action(struct parser *p, struct cli_actions *actions,
                       const struct cli_opt *row, const char *value)
{
    if (p->further == NULL && row->value != NULL &&
        strchr(row->value, ' ') != NULL) {
        p->action = (struct cli_action){ row->name, value };
        p->after  = p->at;
    }
    p->actions = actions;
    if (actions->items == NULL)
        actions->items = calloc((size_t)p->argc + 1, sizeof(*actions->items));
    if (actions->items == NULL)
        return false;
    actions->items[actions->count++] = (struct cli_action){ row->name, value };
    return true;
}

static bool is_flag(const struct cli_opt *row)
{
    return row->kind == CLI_FLAG ||
           (row->kind == CLI_ACTION && row->value == NULL);
}

static int store(struct parser *p, const struct cli_opt *row, const char *value)
{
    const struct cli_section *section = section_with(p, row);

    if (section->goes_to != CLI_FIELDS)
        return set(p, row, section->goes_to == CLI_FOR_READING, value);
    void *field   = p->opts + row->field;
    bool  is_good = true;

    switch (row->kind) {
    case CLI_FLAG: *(bool *)field = true; break;
    case CLI_TEXT:
    case CLI_FILE:
    case CLI_FORMAT: *(const char **)field = value; break;
    case CLI_SIZE: is_good = tn_parse_size(value, field); break;
    case CLI_COUNT: is_good = parse_count(value, field); break;
    case CLI_NUMBER:
        is_good = parse_count(value, field) && *(uint64_t *)field > 0 &&
                  *(uint64_t *)field <= INT64_MAX;
        break;
    case CLI_CHOICE: is_good = parse_choice(row->value, value, field); break;
    case CLI_ACTION: is_good = add_action(p, field, row, value); break;
    case CLI_END: break;
    }
    return is_good ? 0 : refuse_value(p, row, value);
}

static int refuse_long(const struct parser *p, const char *name, size_t length)
{
    const struct cli_opt *row = NULL, *best = NULL;
    unsigned              nearest = 3;
    size_t                section;
    char                  typed[64];

    snprintf(typed, sizeof(typed), "%.*s", (int)(length < 60 ? length : 60),
             name);
    while (next_row(p, &section, &row)) {
        unsigned distance = cli_distance(typed, row->name, nearest);
        if (row->help != NULL && distance < nearest) {
            nearest = distance;
            best    = row;
        }
    }
    if (best != NULL)
        return cli_usage(p->verb->name,
                         "unknown option --%s; did you mean --%s?", typed,
                         best->name);
    return cli_usage(p->verb->name, "unknown option --%s", typed);
}

/* The value of an option, when it is in the next word. */
static const char *next_value(struct parser *p)
{
    return p->at < p->argc ? p->argv[p->at++] : NULL;
}

static int parse_long(struct parser *p, const char *text)
{
    size_t                length = strcspn(text, "=");
    const struct cli_opt *row    = find_long(p, text, length);

    if (row == NULL)
        return refuse_long(p, text, length);
    bool has_value = text[length] == '=';
    if (is_flag(row) && has_value)
        return cli_usage(p->verb->name, "--%s takes no value", row->name);
    if (is_flag(row))
        return store(p, row, NULL);
    const char *value = has_value ? text + length + 1 : next_value(p);
    if (value == NULL)
        return cli_usage(p->verb->name, "--%s needs %s", row->name, row->value);
    return store(p, row, value);
}

/* A file whose name begins with a dash looks like this. */
static int refuse_letter(const struct parser *p, char letter, const char *word)
{
    if (access(word, F_OK) == 0)
        return cli_usage(
            p->verb->name,
            "unknown option -%c; for a file of this name write './%s'", letter,
            word);
    return cli_usage(p->verb->name, "unknown option -%c", letter);
}

/* -nf, -o FILE, -oFILE, and -nfoFILE. */
static int parse_letters(struct parser *p, const char *word)
{
    const char *text = word + 1;

    for (; *text != '\0'; text++) {
        const struct cli_opt *row = find_letter(p, *text);

        if (row == NULL)
            return refuse_letter(p, *text, word);
        if (!is_flag(row)) {
            const char *value = text[1] != '\0' ? text + 1 : next_value(p);
            if (value == NULL)
                return cli_usage(p->verb->name, "-%c needs %s", *text,
                                 row->value);
            return store(p, row, value);
        }
        int code = store(p, row, NULL);
        if (code != 0)
            return code;
    }
    return 0;
}

/* Arguments move to the front: there are never more of them than words read. */
static int parse_words(struct parser *p)
{
    bool has_ended = false; /* by -- */

    while (p->at < p->argc) {
        char *word = p->argv[p->at++];
        int   code = 0;

        if (has_ended || word[0] != '-' || word[1] == '\0') {
            if (p->action.name != NULL && p->after == p->at - 1)
                p->further = word;
            p->args->items[p->args->count++] = word;
        } else if (strcmp(word, "--") == 0)
            has_ended = true;
        else
            code = word[1] == '-' ? parse_long(p, word + 2)
                                  : parse_letters(p, word);
        if (code != 0)
            return code;
    }
    return 0;
}

static int count_arguments(const struct parser *p, bool has_out)
{
    const struct cli_verb *verb = p->verb;
    const struct cli_args *args = p->args;

    if (args->count > verb->most && p->further != NULL)
        return cli_usage(verb->name,
                         "unexpected argument '%s': the words of an action are "
                         "one argument, as in --%s '%s %s'",
                         p->further, p->action.name, p->action.value,
                         p->further);
    if (args->count == 0 && verb->least > 0 && verb->words != NULL)
        return cli_usage(verb->name, "missing argument: one of %s",
                         verb->words);
    if (args->count < verb->least)
        return cli_usage(verb->name,
                         verb->least == 1 ? "no %s given"
                                          : "too few arguments: it takes %s",
                         verb->least == 1 ? "file" : verb->arguments);
    if (args->count > verb->most && (verb->groups & CLI_WRITES) && !has_out)
        return cli_usage(verb->name,
                         "unexpected argument '%s'; did you mean '-o %s'?",
                         args->items[verb->most], args->items[verb->most]);
    if (args->count > verb->most)
        return cli_usage(verb->name, "unexpected argument '%s'",
                         args->items[verb->most]);
    return 0;
}

static bool parse(struct parser *p, int *code)
{
    const struct cli_common *common = (const struct cli_common *)p->opts;

    *code = parse_words(p);
    if (*code != 0)
        return false;
    if (common->is_wide)
        cli_print_wide();
    if (common->is_unpaged)
        cli_pager_forbid();
    if (common->wants_help)
        cli_print_help(p->verb);
    if (common->wants_help_man)
        cli_print_help_man(p->verb);
    if (common->wants_help || common->wants_help_man)
        return false;
    *code = count_arguments(p, common->out != NULL);
    return *code == 0;
}

bool cli_parse(const struct cli_verb *verb, int argc, char **argv, void *opts,
               struct cli_args *args, int *code)
{
    struct parser p = {
        .verb = verb, .argv = argv, .argc = argc, .opts = opts, .args = args
    };

    p.section_count = cli_sections(verb, p.sections);
    *args           = (struct cli_args){ 0, argv };
    if (parse(&p, code))
        return true;
    if (p.actions != NULL) {
        free(p.actions->items);
        *p.actions = (struct cli_actions){ 0 };
    }
    return false;
}

/* ---- near misses -------------------------------------------------------- */

unsigned cli_nearness(const char *typed)
{
    size_t changes = strlen(typed) / 3;

    return 1 + (unsigned)(changes > 3 ? 3 : changes);
}

unsigned cli_distance(const char *left, const char *right, unsigned limit)
{
    enum { LONGEST = 63 };
    unsigned above[LONGEST + 1], row[LONGEST + 1];
    size_t   left_size = strlen(left), right_size = strlen(right);

    if (left_size > LONGEST || right_size > LONGEST)
        return limit;
    for (unsigned j = 0; j <= right_size; j++)
        above[j] = j;
    for (unsigned i = 1; i <= left_size; i++) {
        row[0] = i;
        for (size_t j = 1; j <= right_size; j++) {
            unsigned slip = above[j - 1] + (left[i - 1] != right[j - 1]);
            unsigned skip = (above[j] < row[j - 1] ? above[j] : row[j - 1]) + 1;
            row[j]        = slip < skip ? slip : skip;
        }
        memcpy(above, row, sizeof(above));
    }
    return above[right_size] < limit ? above[right_size] : limit;
}
