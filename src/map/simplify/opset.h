/*
 * opset.h - writes a graph of ONNX in an older or newer opset
 *
 * Each opset that changed an operator is a step, by rules for that operator
 * (rules/onnx_older.rules, onnx_newer.rules).  Where the graph has none of
 * these, nothing is done.
 */
#ifndef TN_MAP_OPSET_H
#define TN_MAP_OPSET_H

#include "map/lang/infer.h"
#include "map/lang/lang_report.h"

struct tn_opset_how {
    const struct tn_lang_file *shapes;        /* of ONNX                      */
    const struct tn_lang_file *older, *newer; /* rules                        */
    int64_t                    wanted;
    bool is_wish; /* where it cannot be reached, the nearest one will do      */
    bool is_made; /* rules made the graph: Reshape to a computed shape need not
                   * be exact for arrays of no elements, see opset.c         */

    /* A new net of the dialect; NULL: it failed. */
    struct tn_net *(*new_net)(void *context);
    void *context;
};

/* Returns the net with the result; earlier nets are released.  `net` has the
 * version that its operators need.  NULL on failure, with the net's error set:
 * UNSUPPORTED names the operator that has no form in that opset. */
struct tn_net *tn_set_opset(struct tn_net *net, const struct tn_opset_how *how);

#endif
