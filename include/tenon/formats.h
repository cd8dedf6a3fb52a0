/*
 * formats.h - the formats of this build and their options
 *
 * An option that only one format has is not a field of a struct.  It belongs to
 * the format and is set by name: in tn_convert_options.settings when a model is
 * written, in tn_options.settings when a model is read.
 */
#ifndef TENON_FORMATS_H
#define TENON_FORMATS_H

#include <stdbool.h>
#include <stdint.h>

#include <tenon/status.h>

struct tn_format_info {
    const char        *name;
    const char        *title;
    const char        *dialect;  /* or ""                                     */
    const char *const *suffixes; /* ends with NULL                            */
    bool               can_read, can_write, can_check, has_text;
};
TN_API uint32_t tn_format_count(void);
/* All zeros after the last one. */
TN_API struct tn_format_info tn_format_at(uint32_t index);

/* What the value of an option is. */
enum tn_option_kind {
    TN_OPTION_FLAG,   /* "true" or "false"; NULL is "true"                    */
    TN_OPTION_TEXT,
    TN_OPTION_FILE,   /* the name of a file                                   */
    TN_OPTION_SIZE,   /* bytes, as tn_parse_size() reads them                 */
    TN_OPTION_CHOICE, /* one of the words of `value`: "seed|shipped"          */
};

struct tn_format_option {
    const char         *name; /* "shard-size"                                 */
    enum tn_option_kind kind;
    char                letter; /* for commands: 'x' for -x; 0: none          */
    bool                is_for_reading; /* else for writing                   */
    const char *value;    /* its argument, for help: "SIZE"; NULL: a flag   */
    const char *standard; /* the default; NULL: `help` says what happens without
                             the option                                       */
    const char *help;     /* one line                                         */
    const char *needs;    /* an option without which it has no effect; NULL   */
    const char *excludes; /* one that contradicts it; NULL: none              */
};

/* Option `index` of format `format`; NULL after the last one.  Formats that
 * share an option return the same pointer, which stays valid. */
TN_API const struct tn_format_option *tn_format_option(uint32_t format,
                                                       uint32_t index);

/* "1500", "64KiB", "1.5G", "2GB": K, M, G, T, P, E and KiB ... count in 1024s,
 * KB ... in 1000s.  False: not a size. */
TN_API bool tn_parse_size(const char *text, uint64_t *size);

#endif
