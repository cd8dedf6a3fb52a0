/* convert_model.h - tn_convert() for other verbs */
#ifndef TN_ENGINE_CONVERT_MODEL_H
#define TN_ENGINE_CONVERT_MODEL_H

#include <tenon/verbs.h>

/* tn_convert() with complete structs (base/sized.h). leaves_debug: leave out
 * the folder debug/ of a SavedModel. */
enum tn_status tn_convert_whole(const struct tn_model           *model,
                                const struct tn_convert_options *convert,
                                bool                             leaves_debug,
                                const struct tn_target          *target,
                                const struct tn_options         *options,
                                struct tn_convert_summary       *summary,
                                struct tn_error                 *error);

/* The format that tn_convert() would write. */
enum tn_status tn_convert_format(const struct tn_model           *model,
                                 const struct tn_convert_options *convert,
                                 const char *path, const char **format,
                                 const char **dialect, struct tn_error *error);

#endif
