/* target.h - an output of the caller: filled, then committed */
#ifndef TN_ENGINE_TARGET_H
#define TN_ENGINE_TARGET_H

#include "base/expand.h"
#include "engine/opened.h"
#include "io/output.h"

typedef enum tn_status tn_fill(void *context, struct tn_sink *to,
                               struct tn_error *error);

/* INVALID if the target is a file of the bundle, and only a part of that file
 * would be written there. */
enum tn_status tn_target_check_bundle(const struct tn_target *target,
                                      const struct tn_bundle *bundle,
                                      struct tn_memory       *memory,
                                      struct tn_error        *error);

/* The same for a verb that copies a file and opens nothing beside it: if there
 * is a file at `path`, the model at `input` tells which files belong to it.  A
 * file that is not a model has no others. */
enum tn_status tn_target_check_input(const char *path, const char *input,
                                     enum tn_output_overwrite place,
                                     const struct tn_options *options,
                                     struct tn_error         *error);

/* Opens the target, lets `fill` write it, and commits unless it is a dry run.
 * Reports progress through the options (which may be NULL), and can be stopped
 * by them.  *written (which may be NULL) counts the bytes.  LIMIT if there are
 * more than `max_expand`; 0: any number. */
enum tn_status tn_target_write(const struct tn_target  *target,
                               const struct tn_options *options,
                               uint64_t max_expand, struct tn_memory *memory,
                               tn_fill *fill, void *context, uint64_t *written,
                               struct tn_error *error);

#endif
