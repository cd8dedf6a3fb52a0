/*
 * lang_dl4j.h - mappers of the import IR as rules, for whole models
 *
 * A mapper takes a node and determines the nd4j call.  Here each becomes a rule
 * of our language,
 *
 *   rules tensorflow -> nd4j 1
 *   Conv2D(xs...) -> (ys...) => native dl4j
 *
 * whose function runs the mapper and makes that call.  So everything about
 * rules also holds for mappers: the first that applies is taken; one that does
 * not give what nd4j needs, or gives another type or shape than the node has,
 * refuses; plans show which did what.  Values of a node that its mapper ignores
 * are recorded.
 */
#ifndef TN_MAP_LANG_DL4J_H
#define TN_MAP_LANG_DL4J_H

#include <tenon/native.h>

#include "ir/vocab.h"
#include "map/dl4j/dl4j_ops.h"
#include "map/dl4j/map_node.h"
#include "map/dl4j/mapper.h"
#include "map/lang/rule_sets.h"

/* A value of a node that its mapper ignores. */
struct tn_unmapped {
    struct tn_unmapped       *next;
    const struct tn_net_op   *op;
    struct tn_bytes           node;   /* its name                            */
    uint32_t                  source; /* op of the model, or TN_NONE         */
    struct tn_bytes           name;   /* of the attribute or input           */
    const char               *what;   /* "attribute 'group' = 2"             */
    const struct tn_location *place;  /* of the mapper                       */
};

/* How rules call the function that applies a mapper. */
#define TN_MAPPER_FUNCTION "dl4j"

/* What the function knows; lives as long as the rules. */
struct tn_mapper_rules {
    const struct tn_mappers  *mappers;
    const struct tn_dl4j_ops *ops;
    struct tn_vocab          *source; /* the framework's                      */
    enum tn_framework         framework;
    struct tn_native          function;
    struct tn_arena          *arena; /* of what follows                       */
    struct tn_unmapped       *unmapped, **last; /* in the order of the nodes */
};

/* Fills in a text of rules for the mappers of `rules`, whose function it
 * names.  *count is how many there are.  In the arena. */
enum tn_status tn_mapper_rules_write(struct tn_mapper_rules *rules,
                                     struct tn_rule_text    *text,
                                     struct tn_arena *arena, uint32_t *count,
                                     struct tn_error *error);

#endif
