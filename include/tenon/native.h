/*
 * native.h - functions in C, for what rules cannot express as data
 *
 *   rules onnx -> nd4j 1
 *   com.example::Polynomial(X; coefficients) => native horner
 *
 * When the rule matches a node, the function of that name is called in place of
 * a body.  It reads the inputs and attributes that the head names, makes nodes
 * of the target dialect, and binds the node's outputs to their values.  The
 * same conditions hold as for other rules: ops and attributes must exist in the
 * vocabulary, all outputs that are used must be bound, and if the function
 * refuses, everything it made is discarded and the next rule is tried.
 *
 * Functions are registered by tn_map_options and tn_rulebook_add_functions().
 *
 * A value is a number that is valid only during its call.
 */
#ifndef TENON_NATIVE_H
#define TENON_NATIVE_H

#include <tenon/graph.h>

/* The application of one rule to one node. */
struct tn_native_call;

/* A status other than TN_OK, with the error set, ends the conversion.  To end
 * only the rule, see tn_native_refuse(). */
typedef enum tn_status tn_native_run(void *context, struct tn_native_call *call,
                                     struct tn_error *error);

struct tn_native {
    const char    *name; /* what rules call                                   */
    tn_native_run *run;
    void          *context;
};

/* ---- reading the node --------------------------------------------------- */

/* Inputs of the node, in their order; TN_NONE: left out. */
TN_API uint32_t tn_native_input_count(const struct tn_native_call *call);
TN_API uint32_t tn_native_input(struct tn_native_call *call, uint32_t index);
TN_API uint32_t tn_native_output_count(const struct tn_native_call *call);

/* An attribute that the head names, or its default; false if there is neither.
 * Floats have the kind TN_ATTR_FLOAT or TN_ATTR_DOUBLE.  Borrowed until the
 * call returns. */
TN_API bool tn_native_attr(struct tn_native_call *call, const char *name,
                           struct tn_attr_value *value);

struct tn_native_type {
    enum tn_dtype  dtype; /* TN_UNDEFINED: unknown                            */
    bool           has_rank;
    uint32_t       rank;
    const int64_t *dims; /* -1: unknown                                       */
};

TN_API bool tn_native_type(struct tn_native_call *call, uint32_t value,
                           struct tn_native_type *type);

/* Elements of a constant, or of a value that follows from shapes, as a flat
 * list; false if unknown.  Borrowed until the call returns. */
TN_API bool tn_native_elements(struct tn_native_call *call, uint32_t value,
                               struct tn_attr_value *elements);

/* ---- making nodes ------------------------------------------------------- */

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

/* Makes a node; `outputs` receives its values. */
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

/* Makes this value the node's output `index`. */
TN_API enum tn_status tn_native_bind(struct tn_native_call *call,
                                     uint32_t index, uint32_t value,
                                     struct tn_error *error);

/* The rule does not apply; the plan shows the reason.  Whatever the function
 * makes after that is discarded.  Return TN_OK. */
TN_API void tn_native_refuse(struct tn_native_call *call, const char *why);

#endif
