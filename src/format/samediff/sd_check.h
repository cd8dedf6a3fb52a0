/* sd_check.h - checks whether a SameDiff model is consistent */
#ifndef TN_FORMAT_SD_CHECK_H
#define TN_FORMAT_SD_CHECK_H

#include "format/samediff/sd_graph.h"

/* tn_format.check of formats whose graphs are FlatGraphs. */
enum tn_status tn_sd_check(struct tn_bundle      *bundle,
                           const struct tn_model *model,
                           struct tn_report *report, struct tn_error *error);

/* tn_format.check_graph of all formats of the dialect. */
enum tn_status tn_sd_check_graph(const struct tn_model *model,
                                 struct tn_report      *report,
                                 struct tn_error       *error);

/* Checks element types and ranks of inputs and outputs of operations. */
enum tn_status tn_sd_check_types(const struct tn_model *model,
                                 struct tn_report      *report,
                                 struct tn_error       *error);

#endif
