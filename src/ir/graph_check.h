/* graph_check.h - checks any graph: values are defined once, before they are
 * used, without cycles */
#ifndef TN_IR_GRAPH_CHECK_H
#define TN_IR_GRAPH_CHECK_H

#include "base/report.h"
#include "ir/model_tables.h"

/* Reports dangling-input, duplicate-output, not-topological and cycle, each with
 * the byte offset of the node and its path.  Linear in nodes and edges. */
enum tn_status tn_graph_check(const struct tn_model *model,
                              struct tn_report *report, struct tn_error *error);

#endif
