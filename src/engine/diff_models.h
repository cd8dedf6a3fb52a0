/* diff_models.h - the matching behind a diff, for the writers of patches */
#ifndef TN_ENGINE_DIFF_MODELS_H
#define TN_ENGINE_DIFF_MODELS_H

#include <tenon/diff.h>

#include "diff/diff_match.h"

/* Borrowed until tn_diff_close(). */
const struct tn_diff_match *tn_diff_matching(const struct tn_diff *diff);

/* Whether elements were compared without a tolerance. */
bool tn_diff_is_exact(const struct tn_diff *diff);

#endif
