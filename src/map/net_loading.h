/* net_loading.h - a model on its way into a net: what net_load.c and net_ends.c
 * share */
#ifndef TN_MAP_NET_LOADING_H
#define TN_MAP_NET_LOADING_H

#include "ir/attr.h"
#include "ir/vocab.h"
#include "map/net.h"

struct tn_net_loading {
    struct tn_net            *net;
    const struct tn_model    *model;
    const struct tn_net_ends *ends;
    struct tn_arena           scratch;
    struct tn_list attrs; /* struct tn_attr_named: of the op at hand */
    uint32_t *now;   /* by value of the model: the net's, as the name stands  */
    bool *is_cut;    /* by value of the model: an input, whoever produces it  */
    uint32_t *nodes; /* by op of the model: the net's node, or TN_NONE        */
    uint32_t *made;  /* values of the model by producing op: first_made says  */
    uint32_t *first_made; /* where those of an op begin */
    uint32_t *tensors;    /* by op: the tensor in its attributes, or TN_NONE    */
    bool *is_used; /* by value of the model: an op takes it; NULL: not asked */
    struct tn_vocab vocab; /* TensorFlow's, for the outputs of functions */
    bool            has_vocab;
};

/* What the model's or the caller's words say the inputs and outputs are.  The
 * inputs come first: they cut off what would produce them. */
enum tn_status tn_net_load_inputs(struct tn_net_loading *l);
enum tn_status tn_net_load_outputs(struct tn_net_loading *l);

/* How many outputs an op of the vocabulary has; -1: not known. */
int tn_net_known_outputs(struct tn_net_loading *l, uint32_t op);

/* What the model says of an end. */
void tn_net_load_type(struct tn_net *net, uint32_t value,
                      const struct tn_end *end);

#endif
