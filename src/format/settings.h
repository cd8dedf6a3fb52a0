/*
 * settings.h - the options that formats declare, and what callers set them to
 *
 * A format lists its options (tn_format.settings), each with the field that its
 * value goes to.  Defaults are texts, like the values that callers give.
 */
#ifndef TN_FORMAT_SETTINGS_H
#define TN_FORMAT_SETTINGS_H

#include "format/format.h"

struct tn_format_setting {
    struct tn_format_option says;
    size_t field; /* of struct tn_write_options, or of tn_read_options: bool for
                     flags, uint64_t for sizes, const char * for all others */
};

#define TN_WRITE_FIELD(f) offsetof(struct tn_write_options, f)
#define TN_READ_FIELD(f)  offsetof(struct tn_read_options, f)

/* Options that several families of formats have. */
extern const struct tn_format_setting tn_setting_shard_size;
extern const struct tn_format_setting tn_setting_all_tensors;
extern const struct tn_format_setting tn_setting_names;

/* Applies the caller's options for writing a format: INVALID for an option that
 * the format does not have, with a list of the formats that have it.  Sets only
 * the fields that belong to options; texts are borrowed from the caller. */
enum tn_status tn_settings_write(const struct tn_format  *format,
                                 const struct tn_setting *settings,
                                 uint32_t count, struct tn_write_options *to,
                                 struct tn_error *error);

/* The same for reading: options of other formats have no effect. */
enum tn_status tn_settings_read(const struct tn_format  *format,
                                const struct tn_setting *settings,
                                uint32_t count, struct tn_read_options *to,
                                struct tn_error *error);

#endif
