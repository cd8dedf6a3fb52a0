/*
 * net_build.h - making a net and changing it
 *
 * Everything is added and changed by calls; what net.h returns are copies.  A
 * call that fails sets net->error, and later calls are then harmless: check the
 * error once, at the end.
 */
#ifndef TN_MAP_NET_BUILD_H
#define TN_MAP_NET_BUILD_H

#include "map/net/net.h"

struct tn_vocab; /* ir/vocab.h */
struct tn_vocab_op;

void tn_net_init(struct tn_net *net, struct tn_arena *arena,
                 const char *dialect, struct tn_error *error);
void tn_net_done(struct tn_net *net);

/* ---- adding; TN_NONE on failure ----------------------------------------- */

/* Makes room in an empty net, so that it need not grow step by step.  False on
 * failure. */
bool tn_net_reserve(struct tn_net *net, uint64_t values, uint64_t nodes);

uint32_t tn_net_add_graph(struct tn_net *net, enum tn_graph_kind kind,
                          struct tn_bytes name, uint32_t parent);

/* Returns a name that no value of the net has, and reserves it: `wish`, or else
 * wish_1, wish_2... */
struct tn_bytes tn_net_name(struct tn_net *net, struct tn_bytes wish);

/* Gives a value such a name. */
void tn_net_rename(struct tn_net *net, uint32_t value, struct tn_bytes wish);

/* For a value that replaces another, which will be removed. */
void tn_net_swap_names(struct tn_net *net, uint32_t a, uint32_t b);

/* Takes the names of a model from the model's own table, which must outlive the
 * net; to be called before the net has values.  The second gives a value one of
 * these names, or one made from it if it is taken. */
enum tn_status tn_net_give_names(struct tn_net          *net,
                                 const struct tn_intern *given);
void tn_net_name_as_given(struct tn_net *net, uint32_t value, uint32_t id);

/* Copies a name that need not be unique.  TN_NO_NAME for an empty one and on
 * failure. */
uint32_t tn_net_keep_name(struct tn_net *net, struct tn_bytes name);

/* `to`, which is empty, takes over the tables that rows of `from` refer to.
 * `from` must not outlive it, and cannot be added to from now on. */
void tn_net_take_over(struct tn_net *to, struct tn_net *from);

/* `from` has them again, and `to` can only be released.  Names that `to` took
 * stay taken. */
void tn_net_give_back(struct tn_net *to, struct tn_net *from);

/* Makes a value an input or output of a graph, under that name, or its own when
 * that is empty. */
void tn_net_add_input(struct tn_net *net, uint32_t graph, uint32_t value,
                      struct tn_bytes name);
void tn_net_add_output(struct tn_net *net, uint32_t graph, uint32_t value,
                       struct tn_bytes name);

/* Notes the type that the model declares for the output that was added last, in
 * case none follows from the nodes; see tn_net_told_output(). */
void tn_net_tell_output(struct tn_net *net, uint32_t graph,
                        const struct tn_net_type *type);

/* Adds a value without a name, which it gets later. */
uint32_t tn_net_add_nameless(struct tn_net *net, uint32_t graph);

/* Adds a value; its name is made unique.  A wish that is NULL leaves it without
 * a name. */
uint32_t tn_net_add_value(struct tn_net *net, uint32_t graph,
                          struct tn_bytes wish);
uint32_t tn_net_add_constant(struct tn_net *net, uint32_t graph,
                             struct tn_bytes           wish,
                             const struct tn_elements *elements,
                             const struct tn_tensor   *origin);

/* Sets what is known of a value; dims are copied, symbols are not.  The second
 * only keeps the type, the third takes types that this net has kept. */
void                      tn_net_set_type(struct tn_net *net, uint32_t value,
                                          const struct tn_net_type *type);
const struct tn_net_type *tn_net_keep_type(struct tn_net            *net,
                                           const struct tn_net_type *type);
static inline void tn_net_set_own_type(struct tn_net *net, uint32_t value,
                                       const struct tn_net_type *type)
{
    tn_net_value_row(net, value)->type = type->id;
}
void tn_net_copy_type(struct tn_net *net, uint32_t value, uint32_t like);
void tn_net_set_dtype(struct tn_net *net, uint32_t value, enum tn_dtype dtype);
void tn_net_set_scalar(struct tn_net *net, uint32_t value, enum tn_dtype dtype);
void tn_net_set_shape(struct tn_net *net, uint32_t value,
                      const struct tn_shape *shape);

/* Makes a constant of a value; the second makes it the same constant as `like`.
 * Elements are copied, unless they are those of `origin`, which must outlive
 * the net. */
void tn_net_set_constant(struct tn_net *net, uint32_t value,
                         const struct tn_elements *elements,
                         const struct tn_tensor   *origin);
void tn_net_copy_constant(struct tn_net *net, uint32_t value, uint32_t like);

void tn_net_set_trained(struct tn_net *net, uint32_t value, bool is_trained);

/* Sets the node that makes a value; TN_NONE for an input or what will be a
 * constant. */
static inline void tn_net_set_producer(struct tn_net *net, uint32_t value,
                                       uint32_t node, uint32_t output)
{
    struct tn_net_value_row *row = tn_net_value_row(net, value);

    row->maker       = node;
    row->output      = output & TN_NET_OUTPUTS_MAX;
    row->is_constant = false;
}

/* Adds a small constant of that dtype from an array; `dims` are copied, too. */
uint32_t tn_net_add_ints(struct tn_net *net, uint32_t graph,
                         struct tn_bytes wish, enum tn_dtype dtype,
                         const int64_t *items, uint32_t rank,
                         const uint64_t *dims);
uint32_t tn_net_add_doubles(struct tn_net *net, uint32_t graph,
                            struct tn_bytes wish, enum tn_dtype dtype,
                            const double *items, uint32_t rank,
                            const uint64_t *dims);

uint32_t tn_net_add_strings(struct tn_net *net, uint32_t graph,
                            struct tn_bytes wish, const struct tn_bytes *items,
                            uint32_t rank, const uint64_t *dims);

/* The operator of that name; the second takes it from the dialect's own domain.
 * Never NULL: after a failure its name is empty. */
const struct tn_net_op *tn_net_op(struct tn_net *net, struct tn_bytes type,
                                  struct tn_bytes domain);
const struct tn_net_op *tn_net_own_op(struct tn_net *net, const char *type);

/* Its id, as a row has it; TN_NONE after a failure. */
uint32_t tn_net_op_id(struct tn_net *net, struct tn_bytes type,
                      struct tn_bytes domain);

/* Adds a node at the end of its graph.  Its name and arrays are copied; it
 * becomes the producer of its outputs. */
uint32_t tn_net_add_node(struct tn_net *net, const struct tn_net_node *node);

/* A node of the dialect's own operators with one new output, which is returned
 * and named like the node; and a new input of a graph.  TN_NONE after a
 * failure. */
uint32_t tn_net_add_call(struct tn_net *net, uint32_t graph, const char *type,
                         const uint32_t *inputs, uint32_t count,
                         struct tn_bytes wish);
uint32_t tn_net_new_input(struct tn_net *net, uint32_t graph, const char *wish);

/* The same for callers that have the ids.  Of `node`, only the lists of inputs,
 * outputs and controls are read. */
uint32_t tn_net_add_row(struct tn_net *net, const struct tn_net_node_row *row,
                        const struct tn_net_node *node);

/* Keeps a list of attributes, once for all nodes that have the same.  Returns
 * it as a row has it; 0 for an empty list and on failure. */
uint32_t tn_net_keep_attrs(struct tn_net *net, const struct tn_net_attr *attrs,
                           uint32_t count);

/* ---- changing a node ---------------------------------------------------- */

/* Replaces a list by a copy of another.  The node becomes the producer of its
 * new outputs, and stays that of its old ones. */
void tn_net_set_inputs(struct tn_net *net, uint32_t node,
                       const uint32_t *inputs, uint32_t count);
void tn_net_set_outputs(struct tn_net *net, uint32_t node,
                        const uint32_t *outputs, uint32_t count);
/* Replaces one output in place. */
void tn_net_set_output(struct tn_net *net, uint32_t node, uint32_t output,
                       uint32_t value);
void tn_net_set_controls(struct tn_net *net, uint32_t node,
                         const uint32_t *controls, uint32_t count);

/* Replaces all attributes, whose values are not copied; adds one, or replaces
 * the one of that name; takes those of another node. */
void tn_net_set_attrs(struct tn_net *net, uint32_t node,
                      const struct tn_net_attr *attrs, uint32_t count);
void tn_net_set_attr(struct tn_net *net, uint32_t node, const char *name,
                     const struct tn_attr_value *value);
/* One integer, of a kind that holds integers; integers, of which only a list
 * may be of another number than one; one text, which is not copied.  Nothing is
 * set if `node` is TN_NONE. */
void tn_net_set_int(struct tn_net *net, uint32_t node, const char *name,
                    enum tn_attr_kind kind, int64_t number);
void tn_net_set_ints(struct tn_net *net, uint32_t node, const char *name,
                     const int64_t *items, uint32_t count, bool is_list);
void tn_net_set_text(struct tn_net *net, uint32_t node, const char *name,
                     struct tn_bytes text);

/* Attributes that hold one graph each, in the net's arena; NULL on failure. */
const struct tn_net_attr *tn_net_graph_attrs(struct tn_net     *net,
                                             const char *const *names,
                                             const uint32_t    *graphs,
                                             uint32_t           count);

void tn_net_copy_attrs(struct tn_net *net, uint32_t node, uint32_t like);

void tn_net_set_op(struct tn_net *net, uint32_t node,
                   const struct tn_net_op *op);

/* Moves a node and its outputs to the end of another graph.  The list of nodes
 * of the graph it was in is not changed. */
void tn_net_move_node(struct tn_net *net, uint32_t node, uint32_t graph);
void tn_net_remove(struct tn_net *net, uint32_t node);

/* Nodes and outputs of graphs that use `from` use `to` from now on.  The first
 * call makes a table of users; the second function releases it. */
void tn_net_replace(struct tn_net *net, uint32_t from, uint32_t to);
void tn_net_forget_uses(struct tn_net *net);

/* Removes nodes that no output of their graph depends on, and all nodes in the
 * graphs of removed nodes. */
void tn_net_prune(struct tn_net *net);

/* Sorts the nodes of each graph so that they come after what they use, and
 * otherwise stay in order; a node with a subgraph uses what is used in there.
 * Removed nodes are dropped from the lists.  Edges from ops in `loop_ops` (NULL
 * at the end; may be NULL) do not count.  INVALID for a cycle. */
enum tn_status tn_net_order(struct tn_net *net, const char *const *loop_ops);

/* For ONNX: raises the version of the net to the one that introduced each of
 * its operators, and gives every domain in use a version. */
void tn_net_set_versions(struct tn_net *net);

/* The version that introduced the node's operator, for strings if it takes any;
 * -1: there is none. */
int64_t tn_net_first_version(const struct tn_net *net, struct tn_vocab *vocab,
                             const struct tn_net_node *node);

/* Gives every output in the definition `op` of a node a value, used or not;
 * with `has_holes` not the optional ones, which files of the dialect may leave
 * out. */
void tn_net_complete_outputs(struct tn_net *net, uint32_t node,
                             const struct tn_vocab_op *op, bool has_holes);

/* The same for every node of an ONNX net. */
enum tn_status tn_net_complete_onnx(struct tn_net *net);

#endif
