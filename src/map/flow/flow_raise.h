/*
 * flow_raise.h - what the parts of tn_flow_raise() have in common
 *
 * flow_survey.c finds out which nodes are wanted and which of them are one If
 * or one Loop, flow_join.c makes those Ifs fewer, flow_place.c has values and
 * nodes in places, flow_structure.c makes If and Loop, flow_raise.c runs them;
 * it says what a place is.
 */
#ifndef TN_MAP_FLOW_RAISE_H
#define TN_MAP_FLOW_RAISE_H

#include "map/flow/flow_guard.h"

enum tn_raise_place_kind {
    TN_PLACE_PLAIN, /* the graph, a branch, the body of a loop                */
    TN_PLACE_FIRST,
    TN_PLACE_BODY, /* around the body: under the frame's own guard            */
    TN_PLACE_AGAIN,
};

struct tn_raise_place {
    enum tn_raise_place_kind kind;
    uint32_t                 parent; /* place; TN_NONE: none                  */
    uint32_t                 guard;
    uint32_t                 graph;
    uint32_t                 loop; /* of a frame's places: which              */
};

/* A node that is to be made in a place. */
struct tn_raise_job {
    uint32_t place, node;
};

/* A frame, copied into a place: one Loop. */
struct tn_raise_loop {
    uint32_t body;   /* place: where the condition holds                      */
    uint32_t inputs; /* in `inputs`: of the body, one for each variable       */
};

/* Merges that take back one decision together. */
struct tn_raise_group {
    uint32_t above, condition; /* of the decision: see flow_guard.h           */
    uint32_t first;            /* in members, + 1                             */
};

/* A Merge of a group, or an Exit of a frame, and the next one, + 1. */
struct tn_raise_member {
    uint32_t node, next;
};

struct tn_raising {
    struct tn_net   *net;
    struct tn_guards guards;
    uint64_t         old_count; /* of nodes                                   */

    /* flow_survey.c */
    struct tn_list needed;  /* bool by node                                   */
    struct tn_list depth;   /* uint32_t by node: Merges on the way to it      */
    struct tn_list group;   /* uint32_t by Merge: which decision it takes back,
                               + 1                                            */
    struct tn_list  groups; /* struct tn_raise_group                          */
    struct tn_pairs group_index; /* (guard of the decision, depth)            */
    struct tn_list  members;     /* struct tn_raise_member: of groups         */
    struct tn_list  variables;   /* uint32_t: Merges of loops, by frame       */
    struct tn_list  frame_first; /* uint32_t by frame: in variables; the next
                                    one's is where it ends                    */
    struct tn_list slots;        /* uint32_t by Merge of a loop: which one    */
    struct tn_list exits;        /* struct tn_raise_member: needed ones       */
    struct tn_list frame_exits;  /* uint32_t by frame: in exits, + 1          */

    /* flow_place.c and flow_structure.c */
    struct tn_list places;  /* struct tn_raise_place; the first is the main
                               graph                                          */
    struct tn_list  loops;  /* struct tn_raise_loop                           */
    struct tn_list  inputs; /* uint32_t: values                               */
    struct tn_pairs made;   /* (place, value): the value there                */
    struct tn_pairs queued; /* (place, node)                                  */
    struct tn_list  jobs;   /* struct tn_raise_job                            */
    struct tn_list  kept;   /* bool by node: stays in the main graph          */
};

static inline struct tn_raise_place *tn_raise_place_at(
    const struct tn_raising *r, uint32_t place)
{
    return tn_list_at(&r->places, struct tn_raise_place, place);
}

static inline enum tn_flow_kind tn_raise_kind(const struct tn_raising *r,
                                              uint32_t                 node)
{
    return tn_flow_kind(tn_net_node(r->net, node).op);
}

static inline uint32_t tn_raise_guard(const struct tn_raising *r, uint32_t node)
{
    return *tn_list_at(&r->guards.of_node, uint32_t, node);
}

static inline uint32_t tn_raise_producer(const struct tn_raising *r,
                                         uint32_t                 value)
{
    return value == TN_NONE ? TN_NONE : tn_net_value(r->net, value).producer;
}

void tn_raise_push(struct tn_raising *r, struct tn_list *list, uint32_t item);

/* ---- flow_survey.c ------------------------------------------------------ */

/* Fills needed, depth, groups, variables and exits. */
enum tn_status tn_raise_survey(struct tn_raising *r);

/* The Merge whose last value an Exit hands out; TN_NONE: none. */
uint32_t tn_raise_merge_behind(const struct tn_raising *r, uint32_t exit);

/* ---- flow_join.c -------------------------------------------------------- */

/* After the survey: groups of one decision become one where they can. */
enum tn_status tn_raise_join(struct tn_raising *r);

/* ---- flow_place.c ------------------------------------------------------- */

uint32_t tn_raise_new_place(struct tn_raising *r, struct tn_raise_place place);

/* The value that stands for another in a place, made if new. */
void tn_raise_make_value(struct tn_raising *r, uint32_t place, uint32_t value);

/* The node is to be made there, once; its outputs are there right away. */
void tn_raise_queue(struct tn_raising *r, uint32_t place, uint32_t node);

/* What the value is in that place; TN_NONE on failure. */
uint32_t tn_raise_seen_from(struct tn_raising *r, uint32_t place,
                            uint32_t value);

/* A value, seen from inside of a subgraph, as an output of it. */
void tn_raise_add_output(struct tn_raising *r, uint32_t graph, uint32_t value);

uint32_t *tn_raise_new_ids(struct tn_raising *r, uint64_t count);

/* The node itself in the main graph, a copy of it elsewhere. */
enum tn_status tn_raise_add_node(struct tn_raising *r, uint32_t place,
                                 uint32_t id);

/* An If or Loop in that place, called after the node `like`; `node` has op,
 * inputs, outputs and the number of graphs. */
void tn_raise_add_structure(struct tn_raising *r, uint32_t place, uint32_t like,
                            struct tn_net_node node, const char *const *names,
                            const uint32_t *graphs);

/* ---- flow_structure.c --------------------------------------------------- */

/* The If whose outputs that Merge and all others of its group are, and the Loop
 * whose outputs are all Exits of a frame. */
enum tn_status tn_raise_add_if(struct tn_raising *r, uint32_t place,
                               uint32_t merge);
enum tn_status tn_raise_add_loop(struct tn_raising *r, uint32_t place,
                                 uint32_t exit);

#endif
