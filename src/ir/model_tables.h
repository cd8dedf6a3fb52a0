/*
 * model_tables.h - a model in memory: flat tables, 32-bit ids, names stored
 * once
 *
 * A format's open() fills the skeleton: facts, inputs and outputs, tensors with
 * payloads, and how often each operator occurs.  If the caller wants the graph,
 * it fills the tables of ops and values in the same pass.  Attributes stay in
 * the file: an op knows its span, and its attributes are decoded from there on
 * request (attr.h).
 *
 * Graphs are filled one after the other, never nested: a format queues the
 * graphs it finds inside nodes and comes back to them, so the ops of a graph
 * are contiguous and depth costs no stack.
 */
#ifndef TN_IR_MODEL_TABLES_H
#define TN_IR_MODEL_TABLES_H

#include <tenon/graph.h>
#include <tenon/model.h>

#include "base/intern.h"
#include "base/memory.h"
#include "ir/pairs.h"
#include "ir/payload.h"

struct tn_changes; /* changes.h */
struct tn_dialect;

/* Where the sequences of a tensor begin, level by level (PaddlePaddle's LoD):
 * each level is a u64, the bytes of its offsets, and the offsets. */
struct tn_levels {
    uint64_t       count;
    struct tn_span wire;
};

struct tn_tensor {
    const struct tn_model *model;
    uint32_t               name; /* interned                                 */
    uint32_t graph;              /* whose constant it is; TN_NONE: no graph's */
    uint32_t node;               /* ordinal of the node in that graph, or
                                    TN_NONE for the graph's own list         */
    uint32_t slot;               /* ordinal in the list, or of the attribute */
    uint32_t part;               /* in a list of tensors, or TN_NONE         */
    uint8_t  role;               /* enum tn_role                             */
    bool     is_external;        /* in a side file by the format's own
                                    rules (ONNX external data, shards) */
    struct tn_elements elements;
    struct tn_span     wire; /* the whole message that describes it       */
    const struct tn_levels *levels; /* NULL: no sequences                     */
};

/* For a public call that returns a status: callers pass on what tn_model_find()
 * returned, which may be NULL. */
#define TN_EXPECT_TENSOR(tensor, error)                                        \
    do {                                                                       \
        if (!(tensor))                                                         \
            return tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE,               \
                                "there is no such tensor (NULL was given)");   \
    } while (0)

/* Whether it is in an attribute, where its name is not visible to others. */
bool tn_tensor_is_attribute(const struct tn_tensor *tensor);

/* tn_graph_kind is public. */
struct tn_graph {
    uint8_t     kind;
    uint32_t    name;
    uint32_t    domain;       /* functions                                 */
    uint32_t    parent_graph; /* subgraphs: where the node is              */
    uint32_t    parent_node;  /* its ordinal there                         */
    uint32_t    parent_slot;  /* ordinal of the attribute                  */
    uint32_t    depth;        /* 0: not inside another                     */
    const char *path;         /* "graph.node[3].attribute[0].g"            */
    const char *node_word;    /* "node": what paths call nodes */
    uint64_t    op_count;
    uint32_t    first_op; /* when the ops are indexed                      */
    struct tn_io_list inputs;
    struct tn_io_list outputs;
    struct tn_span    wire;
    bool is_touched;   /* by an edit: the file no longer has all of it */
    bool has_other_io; /* inputs and outputs are not those of the wire        */
    bool drops_values; /* only value infos that `values` names stay           */
    struct tn_io_list values; /* value infos that an edit changed: of `key`, or
                                 `name` if that is empty, in the wire; one of
                                 an unknown type goes                         */
};

/*
 * What a writer does with an edited model (is_edited).  Functions are those of
 * model->graphs, in that order; ones of the old file that are missing there
 * were removed.  A graph that is not touched is its wire.  One that is touched
 * is written from the tables: name, ops, initializers, with has_other_io inputs
 * and outputs (`key` is what the wire calls one, if that is another name); what
 * the tables do not hold (value infos that did not change, doc strings, unknown
 * fields) is spliced from its wire.  An
 * op with first_attr == TN_NONE and a wire is its wire; any other is written
 * from its row: names, inputs, outputs, attribute slots, and what the tables do
 * not hold from its wire, if it has one.
 */

/* As many as a value can name. */
#define TN_GRAPHS_MAX ((UINT32_C(1) << 29) - 1)

/* tn_value_kind is public. */
struct tn_value {
    uint32_t name;
    uint32_t graph : 29;
    uint32_t kind : 3;
    uint32_t producer; /* op id, or TN_NONE                                   */
    uint32_t output;   /* which output of it                                  */
};

struct tn_op {
    uint32_t name;
    uint32_t type;
    uint32_t domain;
    uint32_t graph;
    uint32_t first_input; /* in model->refs: value ids, TN_NONE for ""        */
    uint32_t input_count; /* control inputs included, which come last         */
    uint32_t first_output;
    uint32_t output_count;
    uint32_t control_count;
    uint32_t first_attr; /* in model->attrs; TN_NONE: still on the wire       */
    uint32_t attr_count;
    uint32_t source; /* in model->sources: which file the wire is in      */
    uint64_t wire_offset;
    uint64_t wire_length : 43; /* 0: made by an edit; no message is as large  */
    uint64_t alike : 20; /* ops with the same number have the same attributes in
                            the same bytes, as their file has them; 0: not
                            known                                             */
    uint64_t has_elements : 1; /* but for those of a tensor, of which there are
                                  as many; see tn_op_alike()                  */
};

#define TN_WIRE_LENGTH_MAX ((UINT64_C(1) << 43) - 1)
#define TN_ALIKE_MAX       ((UINT32_C(1) << 20) - 1)

/* The number of all that have the same attributes, elements included; 0: not
 * known. */
static inline uint32_t tn_op_alike(const struct tn_op *op)
{
    return op->has_elements ? 0 : (uint32_t)op->alike;
}

/* An attribute of an op that an edit has touched. */
struct tn_attr_slot {
    uint32_t                    name;
    const struct tn_attr_value *value; /* NULL: unchanged, still on the wire  */
    struct tn_span              wire;
};

/* A file beside the model that its graph reads. */
struct tn_asset {
    struct tn_bytes   tensor; /* "name:0": the tensor that its name is in     */
    struct tn_bytes   file;
    struct tn_source *source; /* NULL: it is not there                        */
};

struct tn_model {
    struct tn_memory        *memory;
    struct tn_arena          arena;
    struct tn_intern         names;
    const char              *format; /* name of the format it was read by     */
    const char              *title;
    const struct tn_dialect *dialect; /* NULL: tensors only                   */
    bool                     wants_graph;
    const char              *wants_tag; /* NULL: the newest                   */
    bool                     is_lax;    /* missing files are not an error     */
    bool has_optional_inputs; /* an input with a value is one that callers may
                                 leave out, and no weight                     */
    bool is_edited;
    bool is_called_by_signature; /* outputs that no signature names do not
                                    count: they save and restore the model    */
    struct tn_span wire;         /* the root message, where there is one */
    uint64_t       file_size;

    struct tn_list facts;      /* struct tn_fact                              */
    struct tn_list tags;       /* struct tn_bytes                             */
    struct tn_list signatures; /* struct tn_signature                         */
    const uint32_t *signature_graphs; /* by signature: the graph that it
                                         calls; NULL: the main one            */
    struct tn_list  kinds; /* struct tn_op_kind; sorted by finish         */
    struct tn_pairs kind_index; /* (domain, type) -> index in kinds           */
    struct tn_list  tensors; /* struct tn_tensor                            */
    struct tn_list  graphs;  /* struct tn_graph; the main one is first      */
    uint64_t        node_count;

    struct tn_list  ops;    /* struct tn_op                                   */
    struct tn_list  refs;   /* uint32_t                                       */
    struct tn_list  values; /* struct tn_value                                */
    struct tn_list  first_values; /* uint32_t by name: value + 1, 0: none     */
    struct tn_pairs more_values;  /* (graph, name) -> value, where the name has
                                     a first value, which is another graph's   */
    struct tn_list attrs;   /* struct tn_attr_slot                            */
    struct tn_list sources; /* struct tn_source *                            */
    struct tn_list assets;  /* struct tn_asset; of models with a graph        */

    /* How the model is trained: JSON (.data NULL: nothing said), and the
     * variables of the main graph that are its loss. */
    struct tn_bytes        training;
    const struct tn_bytes *losses;
    uint32_t               loss_count;

    /* Finds a tensor by another name; NULL if tensors have no other names. */
    const struct tn_tensor *(*find_alias)(const struct tn_model *model,
                                          struct tn_bytes        name);

    /* Weights are tensors of TN_ROLE_VARIABLE; constants of the graph and what
     * an optimizer keeps are not. */
    bool has_variables_apart;

    /* What an edit changed that the rows do not show; NULL: nothing. */
    const struct tn_changes *changes;

    const void *detail; /* the format's own, in the arena; see its header     */
    void       *owner;  /* the engine's: what to release on close             */
};

void tn_model_init(struct tn_model *model, struct tn_memory *memory);
void tn_model_done(struct tn_model *model);

/* Sorts the histogram and frees spare memory: called at the end of open(). */
enum tn_status tn_model_finish(struct tn_model *model, struct tn_error *error);

/* Whether several threads can read the elements of all tensors: they lie in
 * memory or in mapped files. */
bool tn_model_is_mapped(const struct tn_model *model);

/* Frees the tables of ops when they are no longer needed; paths of ops still
 * work. */
void tn_model_drop_ops(struct tn_model *model);

/* The same, but the memory of the tables becomes that of empty ones of `to`,
 * which must not outlive the model. */
void tn_model_hand_tables(struct tn_model *model, struct tn_model *to);

/* After that, moves the table of names to `to`, which must not outlive the
 * model.  Names of tensors and graphs stay, with new ids. */
enum tn_status tn_model_hand_names(struct tn_model *model, struct tn_intern *to,
                                   struct tn_error *error);

/* ---- filling it in; every call fails softly into `error` ---------------- */

/* key is a literal; value is borrowed when it outlives the model. */
void tn_model_add_fact(struct tn_model *model, const char *key,
                       struct tn_bytes value, struct tn_error *error);
void tn_model_add_fact_format(struct tn_model *model, struct tn_error *error,
                              const char *key, const char *format, ...)
    TN_PRINTF(4, 5);

/* Counts one node of that type.  Returns which of the model's kinds it is, or
 * TN_NONE on failure. */
uint32_t tn_model_count_op(struct tn_model *model, uint32_t domain,
                           uint32_t type, struct tn_error *error);

/* One more node of a kind. */
static inline void tn_model_count_kind(struct tn_model *model, uint32_t kind)
{
    tn_list_at(&model->kinds, struct tn_op_kind, kind)->count++;
    model->node_count++;
}

/* A new tensor, zeroed, with its model set; NULL on failure.  The pointer
 * moves with the next one. */
struct tn_tensor *tn_model_add_tensor(struct tn_model *model,
                                      struct tn_error *error);

/* A new graph; returns its index or TN_NONE.  Set the rest through the
 * pointer of tn_model_graph_at(), which moves with the next one. */
uint32_t tn_model_add_graph(struct tn_model *model, enum tn_graph_kind kind,
                            const char *path, const char *node_word,
                            struct tn_error *error);

static inline struct tn_graph *tn_model_graph_at(const struct tn_model *model,
                                                 uint32_t               index)
{
    return tn_list_at(&model->graphs, struct tn_graph, index);
}

static inline struct tn_op *tn_model_op_at(const struct tn_model *model,
                                           uint32_t               op)
{
    return tn_list_at(&model->ops, struct tn_op, op);
}

/* Where the node is in its file; no source if an edit made it. */
static inline struct tn_span tn_model_op_wire(const struct tn_model *model,
                                              const struct tn_op    *op)
{
    struct tn_source *source =
        op->source == TN_NONE
            ? NULL
            : *tn_list_at(&model->sources, struct tn_source *, op->source);

    return (struct tn_span){ source, op->wire_offset, op->wire_length };
}

static inline struct tn_value *tn_model_value_at(const struct tn_model *model,
                                                 uint32_t               value)
{
    return tn_list_at(&model->values, struct tn_value, value);
}

static inline uint32_t tn_model_ref_at(const struct tn_model *model,
                                       uint64_t               ref)
{
    return *tn_list_at(&model->refs, uint32_t, ref);
}

/* The id of a source, for tn_op.source. */
uint32_t tn_model_source_id(struct tn_model *model, struct tn_source *source,
                            struct tn_error *error);

/* A new op at the end of `graph`, which must be the graph being filled. */
uint32_t tn_model_add_op(struct tn_model *model, uint32_t graph,
                         struct tn_error *error);

/* To the op added last: all inputs first, then all outputs.  `value` may be
 * TN_NONE for an optional one that is not given. */
void tn_model_add_input(struct tn_model *model, uint32_t value,
                        struct tn_error *error);
void tn_model_add_output(struct tn_model *model, uint32_t value,
                         struct tn_error *error);

/* The value of that name in that graph, made if new (kind UNDEFINED). */
uint32_t tn_model_value(struct tn_model *model, uint32_t graph, uint32_t name,
                        struct tn_error *error);

/* Bytes of the elements of all tensors. */
uint64_t tn_model_elements_size(const struct tn_model *model);

/* The value of that name in that graph, or TN_NONE. */
uint32_t tn_model_find_value(const struct tn_model *model, uint32_t graph,
                             uint32_t name);
uint32_t tn_model_find_named(const struct tn_model *model, uint32_t graph,
                             struct tn_bytes name);

/* For a value that a graph takes from an enclosing graph: that graph's own
 * value.  Other values are returned as they are. */
uint32_t tn_model_outer_value(const struct tn_model *model, uint32_t value);

static inline uint32_t tn_model_defining_value(const struct tn_model *model,
                                               uint32_t               value)
{
    return tn_model_value_at(model, value)->kind == TN_VALUE_OUTER
               ? tn_model_outer_value(model, value)
               : value;
}

/* Records what defines a value.  The first definition is kept, so that a check
 * finds a second one by comparing. */
void tn_model_define(struct tn_model *model, uint32_t value,
                     enum tn_value_kind kind, uint32_t producer,
                     uint32_t output);

/* After all graphs: values that a subgraph uses and an enclosing graph defines
 * become TN_VALUE_OUTER with the producer found there. */
void tn_model_resolve(struct tn_model *model);

static inline struct tn_bytes tn_model_name(const struct tn_model *model,
                                            uint32_t               name)
{
    return tn_intern_text(&model->names, name);
}

/* The name of a value; "" for TN_NONE. */
static inline struct tn_bytes tn_model_value_name(const struct tn_model *model,
                                                  uint32_t               value)
{
    if (value == TN_NONE)
        return tn_text("");
    return tn_model_name(model, tn_model_value_at(model, value)->name);
}

/* "graph.node[15].attribute[0]": paths, cut to fit, always terminated.
 * `node` is an ordinal in the graph; TN_NONE leaves out what follows. */
size_t tn_model_path_of(const struct tn_model *model, uint32_t graph,
                        uint32_t node, char *to, size_t size);

#endif
