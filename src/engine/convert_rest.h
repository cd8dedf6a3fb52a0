/*
 * convert_rest.h - what a model has besides its graph and its tensors
 *
 * For conversions between dialects, and into sets of tensors: texts about the
 * model are kept if the new format has a place for them (about.h), and
 * everything else that only the old format can hold is reported as a loss.
 */
#ifndef TN_ENGINE_CONVERT_REST_H
#define TN_ENGINE_CONVERT_REST_H

#include "engine/convert_losses.h"
#include "format/format.h"

/* Comments at the beginning of a model that is written as text, which often are
 * licences.  They go into `about`, as "comment", or are reported as a loss. */
enum tn_status tn_convert_comments(const struct tn_model *model,
                                   struct tn_about       *about,
                                   struct tn_error       *error);
void           tn_convert_lose_comments(const struct tn_about *about,
                                        struct tn_losses      *losses);

/* Fills `about`, which is initialised, and reports the rest as losses,
 * including texts that `to` has no place for. */
enum tn_status tn_convert_rest(const struct tn_model  *model,
                               const struct tn_format *to,
                               struct tn_about        *about,
                               struct tn_losses       *losses);

#endif
