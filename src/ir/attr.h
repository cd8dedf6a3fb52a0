/*
 * attr.h - how a dialect keeps its attributes on the wire
 *
 * The graph holds no attributes: an op knows where its node lies in the file.
 * A dialect says how to find and decode them there, and what is special about
 * its graphs.  The formats provide one const struct each; `ir` never looks
 * into bytes itself.
 */
#ifndef TN_IR_ATTR_H
#define TN_IR_ATTR_H

#include "base/cursor.h"
#include "ir/model_tables.h"

/* What a file says of a value beside its ops. */
struct tn_declared {
    enum tn_dtype  dtype;
    uint32_t       number; /* of the dtype, as the dialect counts them        */
    uint32_t       rank;
    const int64_t *dims; /* -1: not known                                     */
    bool           has_type; /* else nothing is said but that it is there    */
    bool           is_list;  /* of tensors of that type                      */
    uint32_t       levels; /* of sequences that rows are: mostly 0           */
};

struct tn_dialect {
    const char *name; /* "onnx" */

    /* Where the attributes of a node are: steps `node` (a cursor over the
     * node's message) to the next one; false at the end or on failure. */
    bool (*next_attr)(struct tn_cursor *node, struct tn_bytes *name,
                      struct tn_span *wire);

    /* If an attribute may be repeated and only the last counts, next_attr looks
     * ahead and skips the others.  This one does not, for callers that compare
     * the names themselves.  NULL: next_attr does not skip any. */
    bool (*next_entry)(struct tn_cursor *node, struct tn_bytes *name,
                       struct tn_span *wire);

    /* The same for what a function says of attributes that a call leaves out
     * (`function`: a cursor over the function's message).  NULL: nothing. */
    bool (*next_default)(struct tn_cursor *function, struct tn_bytes *name,
                         struct tn_span *wire);

    /* Where arguments are in named slots (Paddle): steps `node` to the next
     * one; how many arguments it holds.  May be NULL. */
    bool (*next_slot)(struct tn_cursor *node, bool is_output,
                      struct tn_bytes *name, uint32_t *count);

    /* Where graphs declare their variables (Paddle): false, when `graph` has
     * none of that name.  May be NULL. */
    bool (*declared)(const struct tn_model *model, uint32_t graph,
                     struct tn_bytes name, struct tn_declared *to);

    /* Decode one; memory from the arena.  Tensors inside become tn_tensors of
     * the model with payloads; graphs are given by index (`op` says whose). */
    enum tn_status (*decode)(const struct tn_model *model, uint32_t op,
                             struct tn_span wire, struct tn_arena *arena,
                             struct tn_attr_value *value,
                             struct tn_error      *error);

    /* The wire of an attribute only says where it is (a table of a FlatBuffer
     * refers to what lies elsewhere): equal bytes are not equal attributes. */
    bool refers_to_attrs;

    /* The type of one, without decoding it, in the words of vocab.h: "int",
     * "list(int)"; "list()" for an empty list, "reference" for one that is
     * the caller's to say, "" for none. */
    const char *(*attr_type)(struct tn_span wire);

    /* How a tensor is called in paths, after its graph or node: "initializer"
     * or "attribute", and what follows its number: ".t".  May be NULL. */
    const char *(*tensor_word)(const struct tn_tensor *tensor);
    const char *(*tensor_tail)(const struct tn_tensor *tensor);

    /* Edges from the outputs of these ops may close a cycle (NextIteration). */
    const char *const *loop_ops; /* ends with NULL; may be NULL               */

    /* Of inputs that may be left out, those behind move up (nd4j). */
    bool closes_gaps;

    /* Nodes must come after what they use. */
    bool is_ordered;

    /* Ops say how their outputs are called (ONNX); otherwise the first output
     * is called like the op, and producer_of() tells from the name of a value
     * ("split:2") whose output it is and which. */
    bool names_outputs;
    struct tn_bytes (*producer_of)(struct tn_bytes value, uint32_t *output);
};

/* One attribute, decoded. */
struct tn_attr_named {
    struct tn_bytes      name;
    struct tn_attr_value value;
};

/* All attributes of an op, onto the end of a list of struct tn_attr_named; they
 * live in the arena and refer to the model. */
enum tn_status tn_attr_list(const struct tn_model *model, uint32_t op,
                            struct tn_arena *arena, struct tn_list *to,
                            struct tn_error *error);

#endif
