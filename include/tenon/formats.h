/*
 * formats.h - the formats of this build, and the options that each has
 *
 * What is special about one format is not a field of a struct but an option of
 * that format, which is set by name: tn_convert_options.settings when a model
 * is written, tn_options.settings when one is read.
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
TN_API uint32_t              tn_format_count(void);
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
    const char *value;    /* what it takes, for people: "SIZE"; NULL: a flag  */
    const char *standard; /* the value that it has when nobody sets it; NULL:
                             `help` says what happens then                    */
    const char *help;     /* one line                                         */
    const char *needs;    /* an option without which it has no effect; NULL   */
    const char *excludes; /* one that contradicts it; NULL: none              */
};

/* The option number `index` of the format number `format`; NULL past the last
 * one.  Formats that share an option give the same pointer, which stays valid.
 */
TN_API const struct tn_format_option *tn_format_option(uint32_t format,
                                                       uint32_t index);

/* "1500", "64KiB", "1.5G", "2GB": K, M, G, T, P, E and KiB ... count in 1024s,
 * KB ... in 1000s.  False: not a size. */
TN_API bool tn_parse_size(const char *text, uint64_t *size);

#endif
