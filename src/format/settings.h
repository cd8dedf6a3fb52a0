/*
 * settings.h - the options that formats declare, and what callers set them to
 *
 * A format lists its options (tn_format.settings), each with the field that its
 * value goes to.  Defaults are values like those of callers.
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

/* What the caller asks of a file of that format that is to be written: INVALID
 * for an option that it does not have, which says what formats have it.  Sets
 * the fields of options alone; texts stay the caller's. */
enum tn_status tn_settings_write(const struct tn_format  *format,
                                 const struct tn_setting *settings,
                                 uint32_t count, struct tn_write_options *to,
                                 struct tn_error *error);

/* And of one that is read: options of other formats have no effect. */
enum tn_status tn_settings_read(const struct tn_format  *format,
                                const struct tn_setting *settings,
                                uint32_t count, struct tn_read_options *to,
                                struct tn_error *error);

#endif
