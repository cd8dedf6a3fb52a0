/* net_loading.h - a model on its way into a net: what net_load.c, net_ends.c
 * and net_blocks.c share */
#ifndef TN_MAP_NET_LOADING_H
#define TN_MAP_NET_LOADING_H

#include "ir/attr_key.h"
#include "ir/vocab.h"
#include "map/net/net_load.h"

/* A variable that a block writes, of those of a block around it. */
struct tn_net_written {
    uint32_t home;
    uint32_t next; /* of the same block, + 1; 0: it is the last               */
};

struct tn_net_loading {
    struct tn_net          *net;
    const struct tn_model  *model;
    const struct tn_net_io *ends;
    struct tn_arena         scratch, op_scratch; /* of all; of one op         */
    struct tn_list decoded;   /* struct tn_attr_named                         */
    struct tn_net_list attrs; /* of the op at hand                            */
    uint32_t           list;  /* the same, as a row has it                    */
    struct tn_buffer   key; /* its attributes, as the file says them          */
    struct tn_intern keys;  /* of lists that are the same for equal ops       */
    struct tn_list   lists; /* uint32_t: as a row has them, by id of the key  */
    struct tn_pairs  op_ids; /* (type, domain) of the model -> in net->ops    */
    uint32_t *now;   /* by value of the model: the net's, as the name stands  */
    bool *is_cut;    /* by value of the model: an input, whoever produces it  */
    uint32_t *nodes; /* by op of the model: the net's node, or TN_NONE        */
    uint32_t *made;  /* values of the model by producing op: first_made says  */
    uint32_t *first_made; /* where those of an op begin */
    uint32_t *tensors; /* by op: the tensor in its attributes, or TN_NONE    */
    bool *is_used; /* by value of the model: an op takes it; NULL: not asked */
    struct tn_vocab vocab; /* TensorFlow's, for the outputs of functions */
    bool            has_vocab;
    uint64_t output_budget; /* how many outputs may still be named       */

    /* Where graphs declare variables, else NULL; by value of the model: */
    uint32_t *home; /* the one that stands for the variable                   */
    uint32_t *stamps; /* net_blocks.c's own */
    bool *is_handed;  /* of homes: `now` is what a loop hands to its block  */
    struct tn_list written;  /* struct tn_net_written                     */
    uint32_t *first_written; /* by graph: in `written`, + 1               */
    uint32_t *first_inner, *next_inner; /* by graph: those directly inside */
};

/* What the model's or the caller's words say the inputs and outputs are.  The
 * inputs come first: they cut off what would produce them. */
enum tn_status tn_net_load_inputs(struct tn_net_loading *l);
enum tn_status tn_net_load_outputs(struct tn_net_loading *l);

/* One op; and what an error in it says. */
enum tn_status tn_net_load_op(struct tn_net_loading *l, uint32_t op);
enum tn_status tn_net_place_op(const struct tn_net_loading *l, uint32_t op);

/* In dialects whose graphs declare variables: before anything is loaded; and
 * all ops, with the blocks that they hold. */
enum tn_status tn_net_find_homes(struct tn_net_loading *l);
enum tn_status tn_net_load_blocks(struct tn_net_loading *l);

/* The array that a write_to_array writes, before it does and without the
 * element that it writes; TN_NONE on failure. */
uint32_t tn_net_array_before(struct tn_net_loading *l, uint32_t op);

/* How many outputs an op of the vocabulary has; -1: not known. */
int tn_net_known_outputs(struct tn_net_loading *l, uint32_t op);

/* What the model says of an end. */
void tn_net_load_type(struct tn_net *net, uint32_t value,
                      const struct tn_io *end);

#endif
