/* format_options.c - options that formats declare, as rows of the tables */
#include "format_options.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "failure.h"

enum { MOST_OPTIONS = 64, TITLE_SIZE = 240, HELP_SIZE = 96 };

/* Formats that have the same options, and these. */
struct group {
    char                           title[TITLE_SIZE];
    uint64_t                       formats; /* a bit each */
    struct cli_opt                 rows[MOST_OPTIONS];
    const struct tn_format_option *options[MOST_OPTIONS];
    size_t                         count;
};

struct groups {
    struct group items[CLI_MAX_SECTIONS];
    size_t       count;
    char         help[MOST_OPTIONS][HELP_SIZE];
    size_t       help_count;
    bool         is_made;
};

/* ---- the tables --------------------------------------------------------- */

static const struct tn_format_option *find_in(uint32_t format, const char *name,
                                              bool is_for_reading)
{
    const struct tn_format_option *option;

    for (uint32_t i = 0; (option = tn_format_option(format, i)) != NULL; i++)
        if (option->is_for_reading == is_for_reading &&
            strcmp(option->name, name) == 0)
            return option;
    return NULL;
}

static uint64_t formats_with(const struct tn_format_option *option)
{
    uint64_t formats = 0;

    for (uint32_t i = 0; i < tn_format_count() && i < 64; i++)
        if (find_in(i, option->name, option->is_for_reading) == option)
            formats |= UINT64_C(1) << i;
    return formats;
}

static struct group *group_of(struct groups *groups, uint64_t formats,
                              bool is_for_reading)
{
    for (size_t i = 0; i < groups->count; i++)
        if (groups->items[i].formats == formats)
            return &groups->items[i];
    assert(groups->count < CLI_MAX_SECTIONS);
    struct group *group = &groups->items[groups->count++];
    const char   *space = is_for_reading ? "Reading " : "For ";
    size_t        size  = 0;
    for (uint32_t i = 0; i < tn_format_count() && i < 64; i++) {
        if (!(formats >> i & 1))
            continue;
        size +=
            (size_t)snprintf(group->title + size, sizeof group->title - size,
                             "%s%s", space, tn_format_at(i).name);
        assert(size < sizeof group->title);
        space = ", ";
    }
    group->formats = formats;
    return group;
}

/* "largest chunk; default: 2GiB" */
static const char *help_of(struct groups                 *groups,
                           const struct tn_format_option *option)
{
    if (option->standard == NULL)
        return option->help;
    assert(groups->help_count < MOST_OPTIONS);
    char *help = groups->help[groups->help_count++];
    snprintf(help, HELP_SIZE, "%s; default: %s", option->help, option->standard);
    return help;
}

static bool has_row(const struct group            *group,
                    const struct tn_format_option *option)
{
    for (size_t i = 0; i < group->count; i++)
        if (group->options[i] == option)
            return true;
    return false;
}

static void add_option(struct groups                 *groups,
                       const struct tn_format_option *option)
{
    static const enum cli_kind kinds[] = {
        [TN_OPTION_FLAG] = CLI_FLAG,     [TN_OPTION_TEXT] = CLI_TEXT,
        [TN_OPTION_FILE] = CLI_FILE,     [TN_OPTION_SIZE] = CLI_SIZE,
        [TN_OPTION_CHOICE] = CLI_CHOICE,
    };
    struct group *group =
        group_of(groups, formats_with(option), option->is_for_reading);

    if (has_row(group, option))
        return;
    assert(group->count < MOST_OPTIONS - 1);
    group->options[group->count] = option;
    group->rows[group->count++] =
        (struct cli_opt){ .kind   = kinds[option->kind],
                          .letter = option->letter,
                          .name   = option->name,
                          .value  = option->value,
                          .help   = help_of(groups, option) };
}

static void make(struct groups *groups, bool is_for_reading)
{
    const struct tn_format_option *option;

    groups->is_made = true;
    for (uint32_t i = 0; i < tn_format_count(); i++)
        for (uint32_t k = 0; (option = tn_format_option(i, k)) != NULL; k++)
            if (option->is_for_reading == is_for_reading)
                add_option(groups, option);
}

size_t cli_format_sections(bool is_for_reading, struct cli_section *sections,
                           size_t room)
{
    static struct groups made[2];
    struct groups       *groups = &made[is_for_reading];

    if (!groups->is_made)
        make(groups, is_for_reading);
    assert(groups->count <= room);
    for (size_t i = 0; i < groups->count && i < room; i++)
        sections[i] =
            (struct cli_section){ groups->items[i].title, groups->items[i].rows,
                                  is_for_reading ? CLI_FOR_READING
                                                 : CLI_FOR_WRITING };
    return groups->count;
}

bool cli_format_has(const char *format, const char *option)
{
    for (uint32_t i = 0; i < tn_format_count(); i++)
        if (strcmp(tn_format_at(i).name, format) == 0)
            return find_in(i, option, false) != NULL;
    return false;
}

/* ---- what was given ----------------------------------------------------- */

const char *cli_setting(const struct cli_settings *settings, const char *name)
{
    for (uint32_t i = 0; i < settings->count; i++)
        if (strcmp(settings->items[i].name, name) == 0)
            return settings->items[i].value != NULL ? settings->items[i].value
                                                    : "";
    return NULL;
}

bool cli_set(struct cli_settings *settings, const char *name, const char *value)
{
    uint32_t at = 0;

    while (at < settings->count && strcmp(settings->items[at].name, name) != 0)
        at++;
    if (at == CLI_MAX_SETTINGS)
        return false;
    settings->items[at] = (struct tn_setting){ name, value };
    settings->count += at == settings->count;
    return true;
}

/* An option of the same name may need another option, which depends on the
 * format: what it needs in all formats is reported as missing. */
static int check_setting(const char *verb, const struct cli_settings *settings,
                         const char *name)
{
    const struct tn_format_option *bad = NULL;

    for (uint32_t i = 0; i < tn_format_count(); i++) {
        const struct tn_format_option *option = find_in(i, name, false);
        if (option == NULL)
            continue;
        bool is_alone = option->needs != NULL &&
                        cli_setting(settings, option->needs) == NULL;
        bool is_too_many = option->excludes != NULL &&
                           cli_setting(settings, option->excludes) != NULL;
        if (is_too_many)
            return cli_usage(verb, "--%s and --%s cannot be used together", name,
                             option->excludes);
        if (!is_alone)
            return 0;
        bad = option;
    }
    return bad == NULL ? 0
                       : cli_usage(verb, "--%s needs --%s", name, bad->needs);
}

int cli_check_settings(const char *verb, const struct cli_settings *settings)
{
    for (uint32_t i = 0; i < settings->count; i++) {
        int code = check_setting(verb, settings, settings->items[i].name);
        if (code != 0)
            return code;
    }
    return 0;
}
