/*
 * attr.h - how a dialect stores attributes in its files
 *
 * The graph holds no attributes: an op knows where its node is in the file.  A
 * dialect has functions that find and decode them there, and says what is
 * special about its graphs.  Each format provides one const struct; `ir` itself
 * never decodes bytes.
 */
#ifndef TN_IR_ATTR_H
#define TN_IR_ATTR_H

#include "base/cursor.h"
#include "ir/model_tables.h"
#include "ir/value_about.h"

/* What a file declares about a value. */
struct tn_declared {
    enum tn_dtype  dtype;
    uint32_t       number; /* of the dtype, as the dialect counts them        */
    uint32_t       rank;
    const int64_t *dims; /* -1: not known                                     */
    bool           has_type; /* otherwise the file only says that it exists   */
    bool           is_list;  /* of tensors of that type                      */
    uint32_t       levels;   /* levels of sequences that its rows form: usually
                                0 */
};

struct tn_attr_named;

struct tn_dialect {
    const char *name; /* "onnx" */

    /* Moves `node`, a cursor as below, to its first attribute without reading
     * it: the bytes from there on are all that determines the attributes, and
     * refer to no other place.  NULL: no such place is known. */
    void (*find_attrs)(struct tn_cursor *node);

    /* Where the attributes of a node are: steps `node` (a cursor over the
     * node's message) to the next one; false at the end or on failure. */
    bool (*next_attr)(struct tn_cursor *node, struct tn_bytes *name,
                      struct tn_span *wire);

    /* If an attribute may be repeated and only the last counts, next_attr looks
     * ahead and skips the others.  This one does not, for callers that compare
     * the names themselves.  NULL: next_attr does not skip any. */
    bool (*next_entry)(struct tn_cursor *node, struct tn_bytes *name,
                       struct tn_span *wire);

    /* The same for a function's defaults of attributes that a call leaves out
     * (`function`: a cursor over the function's message).  NULL: nothing. */
    bool (*next_default)(struct tn_cursor *function, struct tn_bytes *name,
                         struct tn_span *wire);

    /* If arguments are in named slots (Paddle): steps `node` to the next slot
     * and returns how many arguments it holds.  May be NULL. */
    bool (*next_slot)(struct tn_cursor *node, bool is_output,
                      struct tn_bytes *name, uint32_t *count);

    /* If graphs declare their variables (Paddle): false if `graph` has none of
     * that name.  May be NULL. */
    bool (*declared)(const struct tn_model *model, uint32_t graph,
                     struct tn_bytes name, struct tn_declared *to);

    /* If files describe every value (TFLite): false if `graph` has none of that
     * name, or on failure.  Memory from the arena.  May be NULL. */
    bool (*describe_value)(const struct tn_model *model, uint32_t graph,
                           struct tn_bytes name, struct tn_arena *arena,
                           struct tn_value_about *to, struct tn_error *error);

    /* Decode one; memory from the arena.  Tensors inside become tn_tensors of
     * the model with payloads; graphs are given by index (`op` says whose). */
    enum tn_status (*decode)(const struct tn_model *model, uint32_t op,
                             struct tn_span wire, struct tn_arena *arena,
                             struct tn_attr_value *value,
                             struct tn_error      *error);

    /* The bytes of an attribute refer to other places (the tables of a
     * FlatBuffer do): equal bytes do not mean equal attributes. */
    bool refers_to_attrs;

    /* The type of one, without decoding it, in the words of vocab.h: "int",
     * "list(int)"; "list()" for an empty list, "reference" for an attribute of
     * the caller, "" for none. */
    const char *(*attr_type)(struct tn_span wire);

    /* Whether a file has this attribute, with this value, if the op was given
     * none of the name (number of an nd4j operator, usual names of arguments),
     * or `old`, when it had other results; that may be NULL.  NULL: there are
     * no such attributes. */
    bool (*is_implied)(const struct tn_model *model, uint32_t op,
                       const struct tn_attr_named *attr,
                       const struct tn_attr_value *old);

    /* Attributes that follow from the operator and that files have nevertheless
     * (kind and number of an operator of nd4j): an edit that sets another
     * operator removes them, and writers derive them.  Ends with NULL; may be
     * NULL. */
    const char *const *operator_attrs;

    /* What paths call a tensor, after its graph or node: "initializer" or
     * "attribute", and what follows its number: ".t".  May be NULL. */
    const char *(*tensor_word)(const struct tn_tensor *tensor);
    const char *(*tensor_tail)(const struct tn_tensor *tensor);

    /* Edges from the outputs of these ops may close a cycle (NextIteration). */
    const char *const *loop_ops; /* ends with NULL; may be NULL               */

    /* If an optional input is left out, later inputs move up (nd4j). */
    bool closes_gaps;

    /* Nodes must come after what they use. */
    bool is_ordered;

    /* Ops name their outputs (ONNX).  Otherwise the first output has the name
     * of the op, and producer_of() finds from the name of a value ("split:2")
     * which output of which op it is. */
    bool names_outputs;
    struct tn_bytes (*producer_of)(struct tn_bytes value, uint32_t *output);

    /* Whether an op can have that name.  NULL: any. */
    bool (*is_op_name)(struct tn_bytes name);
};

/* One attribute, decoded. */
struct tn_attr_named {
    struct tn_bytes      name;
    struct tn_attr_value value;
};

/* Appends all attributes of an op to a list of struct tn_attr_named; they live
 * in the arena and refer to the model. */
enum tn_status tn_attr_list(const struct tn_model *model, uint32_t op,
                            struct tn_arena *arena, struct tn_list *to,
                            struct tn_error *error);

#endif
