/* net_laying.h - a net on its way into a model: what net_lay_out.c and
 * net_lay_names.c share */
#ifndef TN_MAP_NET_LAYING_H
#define TN_MAP_NET_LAYING_H

#include "ir/pairs.h"
#include "map/net/net.h"

/* An identity that gives an output. */
struct tn_lay_relay {
    uint32_t graph;
    uint32_t from; /* value */
    uint32_t to;   /* name */
};

/* Names among which each may be there once; all are in the model's table. */
struct tn_lay_scope {
    struct tn_list taken; /* uint64_t: a bit for each name of the model       */
    struct tn_list tries; /* uint32_t by name: the last _N made of it         */
};

/* What is known of a constant once the values of the net are gone. */
struct tn_lay_constant {
    const struct tn_elements *elements;
    const struct tn_tensor   *origin;
    uint32_t                  name, graph; /* of the model                    */
    bool                      is_trained;
};

struct tn_laying {
    struct tn_net   *net;
    struct tn_model *model;
    struct tn_list  *origins; /* by tensor; NULL: nobody asks            */
    struct tn_error *error;
    struct tn_arena  scratch;
    const struct tn_dialect_facts *facts;
    uint32_t *names; /* by value: the model's name; TN_NO_NAME: none yet      */
    bool     *is_used; /* by value: by a node that stays                    */
    bool *is_input; /* by value: of a graph                                  */
    uint8_t *plain; /* by node: 1, all that it makes are outputs and no more; 2,
                       not; 0, not asked                                      */
    uint8_t *wanted;     /* by value: 1, once an output of the main graph; 2,
                            more often                                        */
    bool     *is_output; /* by value: it has an output's name                 */
    uint32_t *holder;    /* by graph: the node that holds it                  */
    uint32_t *slot;      /* by graph: in which attribute                      */
    uint32_t *placed;    /* by graph: TN_NONE: it is not needed               */
    uint32_t *numbers;   /* by graph: in the model                            */
    uint32_t **end_names; /* by graph: of its outputs                       */
    struct tn_io_list *inputs, *outputs; /* by graph                          */
    uint32_t *ordinal; /* by node: in its graph; NULL: there is but one     */
    struct tn_list  relays; /* struct tn_lay_relay */
    struct tn_list  queue;  /* uint32_t: graphs whose nodes stay              */
    struct tn_list  constants; /* struct tn_lay_constant */
    struct tn_pairs lists; /* address of a list of attributes -> first slot  */
    struct tn_lay_scope value_names, op_names;
};

void tn_lay_scope_init(struct tn_lay_scope *scope, struct tn_memory *memory);
void tn_lay_scope_done(struct tn_lay_scope *scope);

/* A name that nobody in the scope has, made of the wish, which outlives the
 * model; TN_NO_NAME on failure. */
uint32_t tn_lay_name(struct tn_laying *l, struct tn_lay_scope *scope,
                     struct tn_bytes wish);

/* Names for all values that are needed, and the identities that outputs need.
 */
void tn_lay_name_values(struct tn_laying *l);

/* Whether a node that stays makes it. */
bool tn_lay_is_made(const struct tn_laying *l, uint32_t value);

#endif
