/*
 * format_options.h - options that formats declare, as rows of the tables
 *
 * The library says which options its formats have; here they become sections of
 * --help, of the manual and of completion: "For onnx", "For tf-checkpoint,
 * sdz".  Options of different formats may have the same name.
 */
#ifndef CLI_FORMAT_OPTIONS_H
#define CLI_FORMAT_OPTIONS_H

#include "option_table.h"

/* The sections of options for reading or for writing, as many as fit into
 * `room`; returns how many.  They stay valid. */
size_t cli_format_sections(bool is_for_reading, struct cli_section *sections,
                           size_t room);

/* Whether the format of that name has such an option for writing. */
bool cli_format_has(const char *format, const char *option);

/* The value that was given for an option ("" for a flag); NULL if it was not
 * given. */
const char *cli_setting(const struct cli_settings *settings, const char *name);

/* Stores the value of an option.  False if there is no room. */
bool cli_set(struct cli_settings *settings, const char *name,
             const char *value);

/* Checks which options need or exclude each other.  Returns 0, or CLI_USAGE
 * after a message that names them. */
int cli_check_settings(const char *verb, const struct cli_settings *settings);

#endif
