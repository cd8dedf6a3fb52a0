/* settings.c - the options that formats declare, and what callers set them to
 */
#include "format/settings.h"

#include <stdio.h>
#include <string.h>

/* ---- options of several families ---------------------------------------- */

const struct tn_format_setting tn_setting_shard_size = {
    .says  = { .name  = "shard-size",
               .kind  = TN_OPTION_SIZE,
               .value = "SIZE",
               .help  = "largest file that holds weights" },
    .field = TN_WRITE_FIELD(shard_size),
};

const struct tn_format_setting tn_setting_all_tensors = {
    .says  = { .name = "all-tensors",
               .kind = TN_OPTION_FLAG,
               .help = "SavedModel: also optimizer state and constants" },
    .field = TN_WRITE_FIELD(all_tensors),
};

const struct tn_format_setting tn_setting_names = {
    .says  = { .name  = "names",
               .kind  = TN_OPTION_FILE,
               .value = "FILE",
               .help  = "rename tensors by the lines OLD NEW of a table" },
    .field = TN_WRITE_FIELD(names),
};

/* ---- which formats have it ---------------------------------------------- */

static const struct tn_format_setting *find(const struct tn_format *format,
                                            const char             *name,
                                            bool is_for_reading)
{
    const struct tn_format_setting *const *s = format->settings;

    for (; s && *s; s++)
        if (!strcmp((*s)->says.name, name) &&
            (*s)->says.is_for_reading == is_for_reading)
            return *s;
    return NULL;
}

static bool is_known(const char *name, bool is_for_reading)
{
    for (const struct tn_format *const *f = tn_formats; *f; f++)
        if (find(*f, name, is_for_reading))
            return true;
    return false;
}

static enum tn_status refuse_unknown(const char *name, struct tn_error *error)
{
    return tn_error_because(error, TN_INVALID, TN_REASON_FOREIGN_OPTION,
                            TN_NOWHERE, "no format has an option '%s'", name);
}

static enum tn_status refuse_foreign(const struct tn_format *format,
                                     const char *name, struct tn_error *error)
{
    char   list[140] = "";
    size_t size      = 0;

    for (const struct tn_format *const *f = tn_formats; *f; f++)
        if (find(*f, name, false) && size < sizeof list)
            size += (size_t)snprintf(list + size, sizeof list - size, "%s%s",
                                     size ? ", " : "", (*f)->name);
    if (!size)
        return refuse_unknown(name, error);
    return tn_error_because(error, TN_INVALID, TN_REASON_FOREIGN_OPTION,
                            TN_NOWHERE, "--%s is for %s, not for %s", name,
                            list, format->name);
}

/* ---- values ------------------------------------------------------------- */

static bool is_choice(const char *words, const char *text)
{
    size_t size = strlen(text);

    while (size) {
        size_t length = strcspn(words, "|");
        if (length == size && !memcmp(words, text, size))
            return true;
        if (!words[length])
            break;
        words += length + 1;
    }
    return false;
}

static bool store_flag(const char *text, bool *to)
{
    *to = !text || !strcmp(text, "true");
    return *to || !strcmp(text, "false");
}

/* False: the value is none of its kind. */
static bool store(const struct tn_format_setting *s, const char *text,
                  void *options)
{
    void *to = (char *)options + s->field;

    if (s->says.kind == TN_OPTION_FLAG)
        return store_flag(text, to);
    if (!text)
        return false;
    if (s->says.kind == TN_OPTION_SIZE)
        return tn_parse_size(text, to);
    *(const char **)to = text;
    return s->says.kind != TN_OPTION_CHOICE || is_choice(s->says.value, text);
}

static enum tn_status refuse_value(const struct tn_format_option *option,
                                   const char *text, struct tn_error *error)
{
    if (!text)
        return tn_error_because(error, TN_INVALID, TN_REASON_BAD_OPTION,
                                TN_NOWHERE, "--%s needs %s", option->name,
                                option->value);
    return tn_error_because(error, TN_INVALID, TN_REASON_BAD_OPTION, TN_NOWHERE,
                            "--%s takes %s, not '%s'", option->name,
                            option->value ? option->value : "true or false",
                            text);
}

static void store_defaults(const struct tn_format *format, bool is_for_reading,
                           void *options)
{
    const struct tn_format_setting *const *s = format->settings;

    for (; s && *s; s++)
        if ((*s)->says.is_for_reading == is_for_reading && (*s)->says.standard)
            store(*s, (*s)->says.standard, options);
}

/* ---- options that go together ------------------------------------------- */

/* The last of that name counts, and a flag may be off. */
static bool is_set(const struct tn_format *format, const char *name,
                   const struct tn_setting *settings, uint32_t count)
{
    const struct tn_format_setting *s = find(format, name, false);

    while (count && strcmp(settings[count - 1].name, name) != 0)
        count--;
    if (!s || !count)
        return false;
    const char *value = settings[count - 1].value;
    return s->says.kind != TN_OPTION_FLAG || !value || !strcmp(value, "true");
}

static enum tn_status check_company(const struct tn_format        *format,
                                    const struct tn_format_option *option,
                                    const struct tn_setting       *settings,
                                    uint32_t count, struct tn_error *error)
{
    if (!is_set(format, option->name, settings, count))
        return TN_OK;
    if (option->needs && !is_set(format, option->needs, settings, count))
        return tn_error_because(error, TN_INVALID, TN_REASON_BAD_OPTION,
                                TN_NOWHERE, "--%s needs --%s", option->name,
                                option->needs);
    if (option->excludes && is_set(format, option->excludes, settings, count))
        return tn_error_because(error, TN_INVALID, TN_REASON_BAD_OPTION,
                                TN_NOWHERE, "--%s and --%s cannot be used together",
                                option->name, option->excludes);
    return TN_OK;
}

/* ---- from callers ------------------------------------------------------- */

enum tn_status tn_settings_write(const struct tn_format  *format,
                                 const struct tn_setting *settings,
                                 uint32_t count, struct tn_write_options *to,
                                 struct tn_error *error)
{
    store_defaults(format, false, to);
    for (uint32_t i = 0; i < count; i++) {
        const struct tn_format_setting *s =
            find(format, settings[i].name, false);
        if (!s)
            return refuse_foreign(format, settings[i].name, error);
        if (!store(s, settings[i].value, to))
            return refuse_value(&s->says, settings[i].value, error);
        TN_TRY(check_company(format, &s->says, settings, count, error));
    }
    return TN_OK;
}

enum tn_status tn_settings_read(const struct tn_format  *format,
                                const struct tn_setting *settings,
                                uint32_t count, struct tn_read_options *to,
                                struct tn_error *error)
{
    store_defaults(format, true, to);
    for (uint32_t i = 0; i < count; i++) {
        const struct tn_format_setting *s =
            find(format, settings[i].name, true);
        if (s && !store(s, settings[i].value, to))
            return refuse_value(&s->says, settings[i].value, error);
        if (!s && !is_known(settings[i].name, true))
            return refuse_unknown(settings[i].name, error);
    }
    return TN_OK;
}
