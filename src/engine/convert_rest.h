/*
 * convert_rest.h - what a model has beside its graph and its tensors
 *
 * Between dialects, and into sets of tensors: texts about the model go along
 * where the new format has a place for them (about.h), and everything else
 * that only the old format can hold is told as a loss.
 */
#ifndef TN_ENGINE_CONVERT_REST_H
#define TN_ENGINE_CONVERT_REST_H

#include "engine/convert_losses.h"
#include "format/format.h"

/* Comments at the beginning of a model that is written as text, where licences
 * stand: into `about`, as "comment"; told, where that goes nowhere. */
enum tn_status tn_convert_comments(const struct tn_model *model,
                                   struct tn_about       *about,
                                   struct tn_error       *error);
void           tn_convert_lose_comments(const struct tn_about *about,
                                        struct tn_losses      *losses);

/* Fills `about`, which is initialised, and tells the rest.  Texts that `to` has
 * no place for are told, too. */
enum tn_status tn_convert_rest(const struct tn_model  *model,
                               const struct tn_format *to,
                               struct tn_about        *about,
                               struct tn_losses       *losses);

#endif
