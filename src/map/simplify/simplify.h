/*
 * simplify.h - the same graph with fewer nodes
 *
 * Three things, again and again until nothing changes:
 *
 *   fold      values that follow from constants and shapes become constants
 *   rules     small graphs become smaller ones (rules/onnx_simplify.rules)
 *   share     nodes that compute the same become one, and small constants
 *
 * Inputs and outputs of the graph, their names and their order stay.  Results
 * stay what they are, bit by bit, but for what the kernels of folded operators
 * round otherwise.
 */
#ifndef TN_MAP_SIMPLIFY_H
#define TN_MAP_SIMPLIFY_H

#include "map/lang/infer.h"
#include "map/lang/lang_report.h"

struct tn_simplify_how {
    const struct tn_lang_file *shapes; /* of the dialect                      */
    const struct tn_lang_file *rules;  /* that simplify it                    */
    uint64_t fold_limit; /* bytes that a folded value may have more than the
                            constants that it is made of                      */
    bool folds_nothing;

    /* A new net of the dialect; NULL: it failed. */
    struct tn_net *(*new_net)(void *context);
    /* Called after rules made one net of another; NULL: not wanted. */
    void (*on_rules)(void *context, const struct tn_net *from,
                     const struct tn_map_report *report);
    void *context;
};

/* The default: 64 KiB. */
#define TN_FOLD_LIMIT (UINT64_C(64) << 10)

struct tn_simplified {
    uint64_t folded, rewritten, shared; /* nodes                              */
    uint32_t rounds;
};

/* The net that has the result, with types inferred; the others are done.  NULL:
 * it failed, as the error of the net says. */
struct tn_net *tn_simplify(struct tn_net                *net,
                           const struct tn_simplify_how *how,
                           struct tn_simplified         *did);

#endif
