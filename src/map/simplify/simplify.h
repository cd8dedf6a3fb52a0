/*
 * simplify.h - the same graph with fewer nodes
 *
 * Repeats three steps until nothing changes:
 *
 *   fold      values that follow from constants and shapes become constants
 *   rules     small graphs become smaller ones (rules/onnx_simplify.rules)
 *   share     equal nodes become one, and so do equal small constants
 *
 * Then it looks for layers that another dialect wrote as several operators
 * (rules/onnx_layers.rules), and begins again if it found any.
 *
 * An If with a known condition is replaced by one of its graphs; a Loop that
 * counts by itself gets the number of its runs as an input (loops.h).  At the
 * end equal weights are stored once.
 *
 * Inputs and outputs of the graph, their names and their order stay.  Results
 * stay the same bit by bit, unless the kernel of a folded operator rounds
 * differently, or factors go into weights.
 */
#ifndef TN_MAP_SIMPLIFY_H
#define TN_MAP_SIMPLIFY_H

#include "map/lang/infer.h"
#include "map/lang/lang_report.h"

struct tn_simplify_how {
    const struct tn_lang_file *shapes; /* of the dialect                      */
    const struct tn_lang_file *rules;  /* that simplify it                    */
    const struct tn_lang_file *layers; /* that find layers in what is left;
                                          NULL: none are looked for */
    uint64_t fold_limit; /* how many more bytes a folded value may have than the
                            constants that it is made of                      */
    bool folds_nothing;
    bool folds_shapes; /* only what follows from shapes, and constants that are
                          merely moved around                                 */
    bool one_scale; /* a DequantizeLinear will have no scale for each index of
                       an axis                                                */
    bool is_pruned; /* the net has only what outputs need, in order          */

    /* A new net of the dialect; NULL on failure. */
    struct tn_net *(*new_net)(void *context);
    /* Called after rules made one net of another; NULL: not wanted. */
    void (*on_rules)(void *context, const struct tn_net *from,
                     const struct tn_map_report *report);
    /* Called for each node whose reals were computed here, before it goes: a
     * kernel might have rounded them otherwise.  NULL: not wanted. */
    void (*on_folded)(void *context, const struct tn_net *net, uint32_t node);
    void *context;
};

/* The default: 64 KiB. */
#define TN_FOLD_LIMIT (UINT64_C(64) << 10)

struct tn_simplified {
    uint64_t folded, rewritten, shared; /* nodes                              */
    uint64_t tied; /* weights that are the same as others                     */
    uint32_t rounds;
    bool     is_same; /* at most some Transposes are elsewhere, as many       */
    bool     has_types; /* types of the result are inferred                   */
};

/* Returns the net with the result; the others are released.  NULL on failure,
 * with the net's error set. */
struct tn_net *tn_simplify(struct tn_net                *net,
                           const struct tn_simplify_how *how,
                           struct tn_simplified         *did);

#endif
