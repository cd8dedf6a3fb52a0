/*
 * tf_work.h - the state of tidying a TensorFlow graph, for its files
 *
 * Tidying is driven by need: from the outputs of the main graph backwards, node
 * by node.  A node that calls a function is replaced by the function's body,
 * one that reads a variable by the constant; what they need is needed in turn.
 * Nodes that are not reached are removed at the end.
 */
#ifndef TN_MAP_TF_WORK_H
#define TN_MAP_TF_WORK_H

#include "map/tidy/calls.h"
#include "map/tidy/tf_tidy.h"

/* A body that was put in place of a call. */
struct tn_tf_instance {
    uint32_t function; /* graph                                               */
    uint32_t parent;   /* the instance that the call is in, or TN_NONE        */
    uint32_t depth;
};

/* What a node is, kept for later questions. */
enum tn_tf_mark {
    TN_TF_NEEDED  = 1,
    TN_TF_WATCHED = 2, /* checked for side effects                            */
    TN_TF_COPIED  = 4, /* in the body being copied                           */
};

/* A table with what fills it. */
struct tn_tf_table {
    uint32_t node;   /* that makes it                                         */
    uint32_t filler; /* the node that fills it                                */
    const struct tn_elements *given_keys, *given_values; /* NULL: by a file   */
    const struct tn_asset    *file;
    uint32_t keys, values; /* the constants, once they are made, or TN_NONE   */
};

struct tn_tf_work {
    struct tn_net   *net;
    struct tn_error *error;
    struct tn_list  *notes; /* NULL: not wanted                               */

    struct tn_intern functions;       /* names                                */
    struct tn_list   function_graphs; /* uint32_t by name                     */

    struct tn_list marks;  /* uint8_t by node: enum tn_tf_mark                */
    struct tn_list places; /* uint32_t by node: instance + 1; 0: the graph    */
    struct tn_list wanted; /* bool by value                                   */
    struct tn_list
        inputs; /* uint32_t by value: 1 if it is an input of the graph */
    struct tn_list queue; /* uint32_t: nodes to look at                      */
    struct tn_list instances; /* struct tn_tf_instance                        */

    struct tn_list keys;   /* uint32_t by node: tensor + 1 of a variable      */
    struct tn_list frozen; /* uint32_t by node: its constant + 1              */

    struct tn_list states; /* uint32_t by node: 1 for a variable that changes */
    struct tn_list changing; /* uint32_t by graph: tf_state.c's own           */
    uint64_t       looked;   /* nodes of the queue that were looked at        */
    struct tn_list tables;   /* struct tn_tf_table                            */
    struct tn_list table_of; /* uint32_t by node that makes it: table + 1     */

    struct tn_list copies;  /* uint32_t by value of a function: its copy + 1  */
    struct tn_list touched; /* uint32_t: values with a copy                   */
    uint64_t       walked;  /* steps taken to look for assignments            */
    struct tn_calls calls;  /* limits what calls add                          */
};

/* Marks by number; lists grow with the net. */
uint8_t  *tn_tf_mark_of(struct tn_tf_work *work, uint32_t node);
uint32_t *tn_tf_slot(struct tn_tf_work *work, struct tn_list *list,
                     uint32_t index);

/* The value is needed: its producer will be visited. */
void tn_tf_need(struct tn_tf_work *work, uint32_t value);
void tn_tf_need_node(struct tn_tf_work *work, uint32_t node);

/* Users of `from` use `to`, which is needed if `from` was. */
void tn_tf_replace(struct tn_tf_work *work, uint32_t from, uint32_t to);

/* The value that reaches this one through Identity and similar ops, Enter and
 * Switch: it has the same data. */
uint32_t tn_tf_behind(const struct tn_net *net, uint32_t value);
bool     tn_tf_is_identity(struct tn_bytes type);
bool     tn_tf_type_in(struct tn_bytes type, const char *const *names);

/* ---- tf_inline.c -------------------------------------------------------- */

/* The graph of the function of that name, or TN_NONE. */
uint32_t tn_tf_function(const struct tn_tf_work *work, struct tn_bytes name);
void     tn_tf_find_functions(struct tn_tf_work *work);

/* The function that a node calls, or TN_NONE. */
uint32_t tn_tf_callee(const struct tn_tf_work  *work,
                      const struct tn_net_node *node);

/* A copy of the body of `function` in `graph`, `args` bound to its arguments;
 * `rets` has room for its outputs.  `node` is the call. */
struct tn_tf_call {
    uint32_t        function, graph, node;
    const uint32_t *args;
    uint32_t        arg_count;
    const char     *prefix; /* of names                                       */
};
enum tn_status tn_tf_instantiate(struct tn_tf_work       *work,
                                 const struct tn_tf_call *call, uint32_t *rets);
enum tn_status tn_tf_inline_call(struct tn_tf_work *work, uint32_t node);

/* ---- tf_signature.c ----------------------------------------------------- */

/* If inputs and outputs of the main graph come from a signature: puts them in
 * the order of the function that it calls. */
enum tn_status tn_tf_order_signature(struct tn_tf_work *work);

/* ---- tf_structure.c: functional If, Case and While ---------------------- */

bool           tn_tf_is_structure(const struct tn_net_node *node);
enum tn_status tn_tf_structure(struct tn_tf_work *work, uint32_t node);

/* ---- tf_freeze.c -------------------------------------------------------- */

/* Finds the tensor of the checkpoint for each variable. */
enum tn_status tn_tf_bind_variables(struct tn_tf_work *work);

/* Whether a node creates a variable; and the tensor of the variable, or
 * TN_NONE. */
bool     tn_tf_is_variable(const struct tn_net_node *node);
uint32_t tn_tf_variable_tensor(struct tn_tf_work *work, uint32_t node);

/* Whether a node reads the value of a variable: VariableV2, ReadVariableOp and
 * so on. */
bool           tn_tf_is_read(const struct tn_net_node *node);
enum tn_status tn_tf_freeze(struct tn_tf_work *work, uint32_t node);

/* The assignment of the same graph that the read comes after, or TN_NONE: then
 * it reads the value before the run.  Fails if that cannot be decided. */
enum tn_status tn_tf_find_assignment(struct tn_tf_work *work, uint32_t node,
                                     uint32_t *assignment);

/* ---- tf_state.c --------------------------------------------------------- */

/* Whether a node changes a variable; whether a function does, or one that it
 * calls. */
bool tn_tf_is_change(const struct tn_net_node *node);
bool tn_tf_changes(struct tn_tf_work *work, uint32_t graph);

/* The variable behind the handle becomes an input and an output of the main
 * graph; `next` is its value after the change.  `value` is the other input of
 * the node.  Without a signature there is a note, and `next` is TN_NONE. */
enum tn_status tn_tf_add_state(struct tn_tf_work        *work,
                               const struct tn_net_node *node, uint32_t handle,
                               uint32_t value, uint32_t *next);
enum tn_status tn_tf_refuse_change(struct tn_tf_work        *work,
                                   const struct tn_net_node *node);
enum tn_status tn_tf_end_states(struct tn_tf_work *work);

/* ---- tf_tables.c -------------------------------------------------------- */

/* Finds what fills each table. */
enum tn_status tn_tf_bind_tables(struct tn_tf_work *work);

/* Whether a node reads a table; then the second makes it compute with constants
 * instead.  *is_done is false if the model does not have what is in the
 * table. */
bool           tn_tf_is_lookup(const struct tn_net_node *node);
enum tn_status tn_tf_look_up(struct tn_tf_work *work, uint32_t node,
                             bool *is_done);

/* ---- tf_gate.c ---------------------------------------------------------- */

/* Values that only a control edge keeps in a branch of a Merge get a Switch. */
enum tn_status tn_tf_gate(struct tn_tf_work *work);

#endif
