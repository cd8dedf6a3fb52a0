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
#include "io/pipeline.h"

/* Comments at the beginning of a model that is written as text, which often are
 * licences.  They go into `about`, as "comment", or are reported as a loss. */
enum tn_status tn_convert_comments(const struct tn_model *model,
                                   struct tn_about       *about,
                                   struct tn_error       *error);
void           tn_convert_lose_comments(const struct tn_about *about,
                                        struct tn_losses      *losses);

/* Finds texts about a model, and fields that are left behind, ahead of time:
 * walks over all nodes, which read nothing but the file.  It must outlive the
 * texts. */
struct tn_rest_ahead {
    const struct tn_model  *model;
    const struct tn_format *to;
    struct tn_arena         arena;
    struct tn_about         about;
    struct tn_list          found; /* struct tn_rest_loss                     */
    struct tn_error         error;
    bool                    is_begun, is_done;
    struct tn_pipeline      pipeline;
};

void tn_rest_ahead_init(struct tn_rest_ahead   *ahead,
                        const struct tn_model  *model,
                        const struct tn_format *to);
void tn_rest_ahead_done(struct tn_rest_ahead *ahead);

/* Runs while the caller goes on, until it calls the other; does nothing if the
 * model is small. */
void tn_rest_ahead_begin(struct tn_rest_ahead *ahead, unsigned workers);
void tn_rest_ahead_end(struct tn_rest_ahead *ahead);

/* Fills `about`, which is initialised, and reports the rest as losses,
 * including texts that `to` has no place for.  `ahead` may be NULL. */
enum tn_status tn_convert_rest(const struct tn_model  *model,
                               const struct tn_format *to,
                               struct tn_about *about, struct tn_losses *losses,
                               const struct tn_rest_ahead *ahead);

#endif
