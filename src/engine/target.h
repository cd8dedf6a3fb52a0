/* target.h - one file for a caller: filled, then committed */
#ifndef TN_ENGINE_TARGET_H
#define TN_ENGINE_TARGET_H

#include "base/expand.h"
#include "engine/opened.h"
#include "io/output.h"

typedef enum tn_status tn_fill(void *context, struct tn_sink *to,
                               struct tn_error *error);

/* INVALID when the target is a file that the bundle is read from, and what is
 * written there is only a part of it. */
enum tn_status tn_target_spares(const struct tn_target *target,
                                const struct tn_bundle *bundle,
                                struct tn_memory       *memory,
                                struct tn_error        *error);

/* The same for a verb that takes a file as it is and opens nothing beside it:
 * when there is a file at `path`, the model at `input` says which files are its
 * own.  What is no model has no others. */
enum tn_status tn_target_spares_input(const char *path, const char *input,
                                      enum tn_output_place     place,
                                      const struct tn_options *options,
                                      struct tn_error         *error);

/* Opens the target, lets `fill` write it, and commits unless it is a dry run.
 * The progress of the options (which may be NULL) is told, and may stop it.
 * *written (which may be NULL) counts the bytes.  More than `max_expand` of
 * them are LIMIT; 0: any number. */
enum tn_status tn_target_write(const struct tn_target  *target,
                               const struct tn_options *options,
                               uint64_t max_expand, struct tn_memory *memory,
                               tn_fill *fill, void *context, uint64_t *written,
                               struct tn_error *error);

/* How the io floor is to write it. */
struct tn_output_options tn_target_options(const struct tn_target *target);

#endif
