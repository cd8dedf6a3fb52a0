/*
 * native.h - functions in C, for rules that data cannot say
 *
 *   rules onnx -> nd4j 1
 *   com.example::Polynomial(X; coefficients) => native horner
 *
 * When the rule takes a node, the function of that name is called instead of a
 * body: it looks at what the head names, makes nodes of the target and binds
 * outputs to what they give.  Everything that holds for rules holds for it: the
 * vocabulary has the say over ops and attributes, all outputs that somebody
 * uses must be bound, and when it refuses, nothing is left of what it made and
 * the next rule is tried.
 *
 * Functions are handed over by tn_map_options and tn_rulebook_add_functions().
 *
 * A value is a number that means something to its call alone.
 */
#ifndef TENON_NATIVE_H
#define TENON_NATIVE_H

#include <tenon/graph.h>

/* One rule at work on one node. */
struct tn_native_call;

/* Fails by its status and the error, which ends the conversion; see
 * tn_native_refuse() for what only ends the rule. */
typedef enum tn_status tn_native_run(void *context, struct tn_native_call *call,
                                     struct tn_error *error);

struct tn_native {
    const char    *name; /* what rules call                                   */
    tn_native_run *run;
    void          *context;
};

/* ---- what there is ------------------------------------------------------ */

/* Inputs of the node, in their order; TN_NONE: not given. */
TN_API uint32_t tn_native_input_count(const struct tn_native_call *call);
TN_API uint32_t tn_native_input(struct tn_native_call *call, uint32_t index);
TN_API uint32_t tn_native_output_count(const struct tn_native_call *call);

/* An attribute that the head names, or its default; false: none.  Floats are
 * of kind TN_ATTR_FLOAT or TN_ATTR_DOUBLE.  Borrowed until the call returns. */
TN_API bool tn_native_attr(struct tn_native_call *call, const char *name,
                           struct tn_attr_value *value);

struct tn_native_type {
    enum tn_dtype  dtype; /* TN_UNDEFINED: not known                          */
    bool           has_rank;
    uint32_t       rank;
    const int64_t *dims; /* -1: not known                                     */
};

TN_API bool tn_native_type(struct tn_native_call *call, uint32_t value,
                           struct tn_native_type *type);

/* Elements of a constant, or of what follows from shapes, as a flat list;
 * false: not known.  Borrowed until the call returns. */
TN_API bool tn_native_elements(struct tn_native_call *call, uint32_t value,
                               struct tn_attr_value *elements);

/* ---- what is made ------------------------------------------------------- */

struct tn_native_attr {
    const char          *name;
    struct tn_attr_value value; /* INT, FLOAT, DOUBLE, BOOL, STRING, DTYPE    */
};

struct tn_native_node {
    const char                  *op; /* of the target's own domain            */
    const uint32_t              *inputs; /* values; TN_NONE: left out         */
    uint32_t                     input_count;
    const struct tn_native_attr *attrs;
    uint32_t                     attr_count;
};

/* Makes a node; `outputs` is filled in with the values that it gives. */
TN_API enum tn_status tn_native_make(struct tn_native_call       *call,
                                     const struct tn_native_node *node,
                                     uint32_t *outputs, uint32_t output_count,
                                     struct tn_error *error);

/* A constant: elements of kind INT, FLOAT, DOUBLE or STRING, as many as the
 * dims say. */
TN_API enum tn_status tn_native_constant(struct tn_native_call      *call,
                                         enum tn_dtype               dtype,
                                         const struct tn_attr_value *elements,
                                         const uint64_t *dims, uint32_t rank,
                                         uint32_t        *value,
                                         struct tn_error *error);

/* Output `index` of the node is this value. */
TN_API enum tn_status tn_native_bind(struct tn_native_call *call,
                                     uint32_t index, uint32_t value,
                                     struct tn_error *error);

/* The rule does not apply, and the plan says why.  What is made after that does
 * not matter; return TN_OK. */
TN_API void tn_native_refuse(struct tn_native_call *call, const char *why);

#endif
