/*
 * net.h - a graph that can be changed: its structs, and reading it
 *
 * A model in `ir` is flat, immutable and refers to spans of its file.  Rules
 * need the opposite: decoded attributes, values with what is known about their
 * type, nodes that are added and removed.  So a conversion loads the model into
 * a net, tidies it, converts it to a net of another dialect, and lays that out
 * as a model again.
 *
 *   model --load--> net (onnx) --tidy--> --infer--> --rules--> net (nd4j) ...
 *         ... --lay out--> model
 *
 * A net has graphs (the first is the main one; others are values of graph
 * attributes, or functions), nodes and values, by 32-bit ids.  Ids of values
 * count over all graphs: a subgraph uses a value of an enclosing graph by its
 * id.  Weights stay where they are: a constant is a payload by reference.
 *
 * A net keeps narrow rows (net_rows.h).  tn_net_node() and tn_net_value()
 * return a copy of one, with ids resolved to names, types and lists.  The lists
 * that a copy points to are the net's own.  net_build.h makes and changes nets,
 * net_load.h loads them from models and lays models out.
 *
 * Everything lives in the net's arena and is released with it, but for rows and
 * lists of inputs and outputs, which go with the net.
 */
#ifndef TN_MAP_NET_H
#define TN_MAP_NET_H

#include <tenon/graph.h>

#include "base/memory.h"
#include "ir/dialect_facts.h"
#include "ir/model_tables.h"
#include "ir/payload.h"
#include "map/net/net_rows.h"

/* How the value of a type is represented. */
enum tn_net_wrap {
    TN_NET_TENSOR,
    TN_NET_SEQUENCE, /* of tensors of that dtype; shape is of the elements    */
    TN_NET_OPTIONAL,
    TN_NET_HANDLE, /* of a tensor array, a variable, a table: no tensor       */
};

/* What is known of a value.  Equal types of a net are one struct, which never
 * changes: a million values of the same shape take one, and two values have the
 * same type when the pointers are equal. */
struct tn_net_type {
    uint32_t         id;    /* net_type.c's own: as rows of values have it    */
    enum tn_dtype    dtype; /* TN_UNDEFINED: not known                        */
    enum tn_net_wrap wrap;
    bool             has_rank;
    uint32_t         rank;
    const int64_t   *dims; /* -1: not known                                   */
    const struct tn_bytes *symbols; /* names of unknown dims, some empty; may be
                                       NULL                                   */
};

extern const struct tn_net_type tn_net_unknown;

/* A value, as tn_net_value() returns it. */
struct tn_net_value {
    struct tn_bytes           name; /* unique among values; see tn_net_name() */
    const struct tn_net_type *type; /* never NULL; see tn_net_set_type()      */
    const struct tn_elements *constant; /* NULL: it is computed or an input   */
    const struct tn_tensor   *origin; /* of a constant: the tensor of the source
                                         model that it comes from, or NULL    */
    uint32_t graph;
    uint32_t producer; /* node; TN_NONE: a constant, an input                 */
    uint32_t output;   /* which output of it                                  */
    bool is_trained;   /* a variable or weight; for dialects that tell it from a
                          constant                                              */
    bool is_inner; /* an intermediate value of a rule that makes the value of
                      that name: the final name also has the op, "Y/add",
                      "Y/const"                                               */
};

struct tn_net_attr {
    struct tn_bytes      name;
    struct tn_attr_value value; /* GRAPH: an index in the net's graphs        */
};

/* The operator of a node; equal ones are stored once in a net. */
struct tn_net_op {
    struct tn_bytes type, domain;
    uint32_t        id; /* net_ops.c's own: in the table of its net           */
};

extern const struct tn_net_op tn_net_no_op; /* has no name                    */

/* A node, as tn_net_node() returns it and tn_net_add_node() takes it. */
struct tn_net_node {
    struct tn_bytes           name; /* may be empty; lay-out makes it unique  */
    const struct tn_net_op   *op;   /* never NULL; see tn_net_op()        */
    const uint32_t           *inputs;   /* values; TN_NONE: not given         */
    const uint32_t           *controls; /* nodes that must have run before    */
    const uint32_t           *outputs;  /* values; TN_NONE: not used          */
    const struct tn_net_attr *attrs;
    uint32_t                  input_count, control_count, output_count;
    uint32_t                  attr_count;
    uint32_t                  graph;
    uint32_t                  source; /* op of the model it comes from, through
                                         every step, or TN_NONE               */
    bool is_removed;
    bool has_common_attrs; /* two such lists are equal when their addresses
                              are                                             */
};

/* The name of an input or output belongs to the graph, not to the value: two
 * outputs may be one value, and an output may turn out to be an input. */
struct tn_net_graph {
    struct tn_bytes    name, domain;
    enum tn_graph_kind kind;
    uint32_t           parent; /* graph that encloses it; TN_NONE: none       */
    struct tn_list     nodes;  /* uint32_t: nodes in order, removed ones too  */
    struct tn_list inputs, outputs; /* uint32_t: values; see net_build.h   */
    struct tn_list input_names, output_names; /* struct tn_bytes          */
    struct tn_list output_types; /* const struct tn_net_type *: what the model
                                    says of outputs; NULL: nothing; may end
                                    before they do                            */
    bool are_outputs_guessed; /* not named anywhere: values that are not used */
    const struct tn_net_attr *defaults; /* functions: attributes that a call
                                           may leave out                      */
    uint32_t default_count;
};

struct tn_net {
    struct tn_arena *arena;
    struct tn_arena  edges;   /* net.c's own: what nodes take and make   */
    const char      *dialect; /* "onnx"                                */
    const struct tn_dialect_facts *facts; /* of the dialect                  */
    const struct tn_model *source;  /* whose ops nodes come from             */
    int64_t                version; /* opset of the dialect's own domain, or
                                       producer version; 0: has none         */
    struct tn_list  nodes;          /* struct tn_net_node_row                */
    struct tn_list  values;         /* struct tn_net_value_row               */
    struct tn_list  graphs;         /* struct tn_net_graph                   */
    struct tn_bytes signature; /* that named inputs and outputs; empty: none */
    struct tn_list  versions;  /* struct tn_net_version: other domains */
    struct tn_net_pool own, *pool; /* own, or that of the net it went to    */
    struct tn_list
        uses; /* for net_uses.c: of values, after the first replacement */
    struct tn_list first_uses; /* uint32_t by value: in `uses`, + 1         */
    bool           has_uses;
    uint64_t       replaced; /* users that were given another value           */
    uint64_t most_nodes;     /* that rules may make of the model; 0: not counted
                                yet                                               */
    uint64_t most_steps;  /* that rules may take for its nodes; 0: in proportion
                             to their number                                   */
    bool keeps_quantized; /* for rules: weights stay in few bits       */
    uint32_t         beats; /* net.c's own: counts calls, to ask now and then */
    struct tn_error *error; /* where every call leaves its first failure      */
};

struct tn_net_version {
    struct tn_bytes domain;
    int64_t         version;
};

/* Long steps call this often: now and then it asks the caller whether to go on.
 * False if the net has failed, now perhaps with CANCELLED. */
bool tn_net_goes_on(struct tn_net *net);

static inline struct tn_net_node_row *tn_net_node_row(const struct tn_net *net,
                                                      uint32_t             node)
{
    return tn_list_at(&net->nodes, struct tn_net_node_row, node);
}

static inline struct tn_net_value_row *tn_net_value_row(
    const struct tn_net *net, uint32_t value)
{
    return tn_list_at(&net->values, struct tn_net_value_row, value);
}

/* The name of that id; empty for TN_NO_NAME. */
static inline struct tn_bytes tn_net_text(const struct tn_net *net, uint32_t id)
{
    const struct tn_net_names *names = &net->pool->names;

    if (id < names->given_count)
        return tn_intern_text(names->given, id);
    return tn_intern_text(&names->table,
                          id == TN_NO_NAME ? id : id - names->given_count);
}

/* `id` as a row of a value has it. */
static inline const struct tn_net_type *tn_net_type_at(const struct tn_net *net,
                                                       uint32_t             id)
{
    return id ? *tn_list_at(&net->pool->types.types, const struct tn_net_type *,
                            id - 1)
              : &tn_net_unknown;
}

/* An operator without a name for TN_NONE. */
static inline const struct tn_net_op *tn_net_op_at(const struct tn_net *net,
                                                   uint32_t             id)
{
    return id == TN_NONE
               ? &tn_net_no_op
               : *tn_list_at(&net->pool->ops.ops, const struct tn_net_op *, id);
}

/* `attrs` as a row of a node has it. */
static inline struct tn_net_list tn_net_list_at(const struct tn_net *net,
                                                uint32_t             attrs)
{
    if (!attrs)
        return (struct tn_net_list){ NULL, 0, true };
    return *tn_list_at(&net->pool->lists.lists, struct tn_net_list, attrs - 1);
}

/* All zeros if the value is not a constant. */
static inline struct tn_net_constant tn_net_constant_of(
    const struct tn_net *net, const struct tn_net_value_row *row)
{
    if (!row->is_constant)
        return (struct tn_net_constant){ NULL, NULL };
    return *tn_list_at(&net->pool->constants, struct tn_net_constant,
                       row->maker);
}

/* The node as it is now.  A copy: it does not follow later changes. */
static inline struct tn_net_node tn_net_node(const struct tn_net *net,
                                             uint32_t             node)
{
    const struct tn_net_node_row *row     = tn_net_node_row(net, node);
    struct tn_net_list            list    = tn_net_list_at(net, row->attrs);
    const uint32_t               *outputs = row->edges + row->input_count;

    return (struct tn_net_node){
        .name             = tn_net_text(net, row->name),
        .op               = tn_net_op_at(net, row->op),
        .inputs           = row->edges,
        .controls         = outputs + row->output_count,
        .outputs          = outputs,
        .attrs            = list.attrs,
        .input_count      = row->input_count,
        .control_count    = row->control_count,
        .output_count     = row->output_count,
        .attr_count       = list.count,
        .graph            = row->graph,
        .source           = row->source,
        .is_removed       = row->is_removed,
        .has_common_attrs = list.is_common,
    };
}

/* The value as it is now, a copy, too. */
static inline struct tn_net_value tn_net_value(const struct tn_net *net,
                                               uint32_t             value)
{
    const struct tn_net_value_row *row      = tn_net_value_row(net, value);
    struct tn_net_constant         constant = tn_net_constant_of(net, row);

    return (struct tn_net_value){
        .name       = tn_net_text(net, row->name),
        .type       = tn_net_type_at(net, row->type),
        .constant   = constant.elements,
        .origin     = constant.origin,
        .graph      = row->graph,
        .producer   = row->is_constant ? TN_NONE : row->maker,
        .output     = row->output,
        .is_trained = row->is_trained,
        .is_inner   = row->is_inner,
    };
}

static inline struct tn_net_graph *tn_net_graph(const struct tn_net *net,
                                                uint32_t             graph)
{
    return tn_list_at(&net->graphs, struct tn_net_graph, graph);
}

/* "" for every name of the dialect's own domain: as ops and graphs have it. */
struct tn_bytes tn_net_domain(const struct tn_net *net, struct tn_bytes domain);

/* Reads the first elements of a constant, as bytes; false: they cannot be read,
 * and the caller goes on without them.  But if there is no memory, the net
 * fails: otherwise the result of a pass would depend on how much memory there
 * is. */
bool tn_net_try_read(const struct tn_net      *net,
                     const struct tn_elements *elements, uint64_t count,
                     struct tn_sink *to);

/* NULL if the node has no attribute of that name. */
const struct tn_attr_value *tn_net_attr(const struct tn_net_node *node,
                                        const char               *name);
const struct tn_attr_value *tn_net_attr_of(const struct tn_net *net,
                                           uint32_t node, const char *name);

/* Whether the input is there, and is given. */
static inline bool tn_net_has_input(const struct tn_net_node *node,
                                    uint32_t                  index)
{
    return index < node->input_count && node->inputs[index] != TN_NONE;
}

/* An attribute that is one integer; `otherwise` if it is missing or not one. */
int64_t tn_net_int_attr(const struct tn_net_node *node, const char *name,
                        int64_t otherwise);

/* Whether an attribute of the node is a graph. */
bool tn_net_holds_graphs(const struct tn_net_node *node);

/* Whether there may be nodes of that operator, of any domain.  Looks only at
 * the table of operators, which is short, and may say true in vain. */
bool tn_net_may_have_op(const struct tn_net *net, const char *type);

/* Whether a node waits for others whose results it does not take. */
bool tn_net_has_controls(const struct tn_net *net);

/* The name of an input or output of a graph, and the type that the model
 * declares for an output, NULL if it declares none. */
struct tn_bytes tn_net_input_name(const struct tn_net *net, uint32_t graph,
                                  uint32_t index);
struct tn_bytes tn_net_output_name(const struct tn_net *net, uint32_t graph,
                                   uint32_t index);
const struct tn_net_type *tn_net_told_output(const struct tn_net *net,
                                             uint32_t graph, uint32_t index);

/* By value: whether it is an output of a graph.  In the arena; NULL: the net
 * has failed. */
bool *tn_net_find_outputs(struct tn_net *net, struct tn_arena *arena);

/* By value: how often it is used, by nodes and as an output of a graph.  In the
 * arena; NULL: the net has failed. */
uint32_t *tn_net_count_uses(struct tn_net *net, struct tn_arena *arena);

/* For each node, whether an output of its graph depends on it: by data alone,
 * or by control edges, too.  In the arena; NULL if the net has failed. */
const bool *tn_net_needed(struct tn_net *net, bool skips_controls,
                          struct tn_arena *arena);

#endif
