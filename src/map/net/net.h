/*
 * net.h - a graph in motion: what rules read and what they write
 *
 * A model in `ir` is flat, immutable and speaks in spans of its file.  Rules
 * want the opposite: attributes decoded, values with what is known of their
 * type, nodes that come and go.  So a conversion loads the model into a net,
 * tidies it, carries it to a net of another dialect, and lays that out as a
 * model again.
 *
 *   model --load--> net (onnx) --tidy--> --infer--> --rules--> net (nd4j) ...
 *         ... --lay out--> model
 *
 * A net has graphs (the first is the main one; others are values of graph
 * attributes, or functions), nodes and values, by 32-bit ids.  Ids of values
 * count over all graphs: a subgraph uses a value of an enclosing graph by its
 * id.  Weights stay where they are: a constant is a payload by reference.
 *
 * A net keeps narrow rows (net_rows.h).  tn_net_node() and tn_net_value() give
 * a look at one, filled in and with pointers; to change it, say so by a call.
 *
 * Everything lives in the net's arena and is released with it, but for rows and
 * lists of inputs and outputs, which go with the net.
 */
#ifndef TN_MAP_NET_H
#define TN_MAP_NET_H

#include <tenon/graph.h>
#include <tenon/progress.h>

#include "base/memory.h"
#include "ir/dialect_facts.h"
#include "ir/model_tables.h"
#include "ir/payload.h"
#include "map/net/net_rows.h"

/* What a value is made of. */
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

/* A look at a value. */
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
    bool is_inner; /* a rule made it on the way to what has that name: lay-out
                      calls it after that and what it is, "Y/add", "Y/const"  */
};

struct tn_net_attr {
    struct tn_bytes      name;
    struct tn_attr_value value; /* GRAPH: an index in the net's graphs        */
};

/* What a node is, kept once for all of a net that are the same. */
struct tn_net_op {
    struct tn_bytes type, domain;
    uint32_t        id; /* net_ops.c's own: in the table of its net           */
};

extern const struct tn_net_op tn_net_no_op; /* is called nothing            */

/* A look at a node, and what one is made from. */
struct tn_net_node {
    struct tn_bytes           name; /* may be empty; lay-out makes it unique  */
    const struct tn_net_op   *op;   /* never NULL; see tn_net_op()        */
    const uint32_t           *inputs;   /* values; TN_NONE: not given         */
    const uint32_t           *controls; /* nodes that must have run before    */
    const uint32_t           *outputs;  /* values; TN_NONE: nobody wants it   */
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

/* What the world calls an end is the end's, not the value's: two outputs may be
 * one value, and an output may turn out to be an input. */
struct tn_net_graph {
    struct tn_bytes    name, domain;
    enum tn_graph_kind kind;
    uint32_t           parent; /* graph that encloses it; TN_NONE: none       */
    struct tn_list     nodes;  /* uint32_t: nodes in order, removed ones too  */
    struct tn_list     inputs, outputs; /* uint32_t: values; added to by the
                                           calls below                        */
    struct tn_list input_names, output_names; /* struct tn_bytes          */
    struct tn_list output_types; /* const struct tn_net_type *: what the model
                                    says of outputs; NULL: nothing; may end
                                    before they do                            */
    bool are_outputs_guessed; /* nobody named them, nobody uses them          */
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
    struct tn_list     nodes;       /* struct tn_net_node_row                */
    struct tn_list     values;      /* struct tn_net_value_row               */
    struct tn_list     graphs;      /* struct tn_net_graph                   */
    struct tn_bytes    signature;   /* that named the ends; empty: none did   */
    struct tn_list     versions;    /* struct tn_net_version: other domains */
    struct tn_net_pool own, *pool;  /* own, or that of who took it over      */
    struct tn_list
        uses; /* net_uses.c's own: of values, once somebody replaces */
    struct tn_list first_uses; /* uint32_t by value: in `uses`, + 1         */
    bool           has_uses;
    uint64_t       replaced; /* users that were given another value           */
    uint64_t most_nodes;     /* that rules may make of the model; 0: nobody has
                                counted yet                                       */
    uint64_t most_steps; /* that rules may take for its nodes; 0: in proportion
                            to their number                                   */
    tn_progress     *progress; /* asked whether to go on; NULL: nobody is     */
    void            *progress_context;
    uint32_t         beats; /* net.c's own: since it was asked                */
    struct tn_error *error; /* every call below fails softly into it          */
};

struct tn_vocab_op; /* ir/vocab.h */

struct tn_net_version {
    struct tn_bytes domain;
    int64_t         version;
};

/* Of net.c; see net_uses.c, net_names.c, net_ops.c, net_attrs.c and net_type.c.
 * Users are noted while net->has_uses. */
void tn_net_uses_init(struct tn_net *net);
void tn_net_note_output(struct tn_net *net, uint32_t graph, uint64_t index);
void tn_net_note_inputs(struct tn_net *net, uint32_t node);
void tn_net_ops_init(struct tn_net_ops *ops, struct tn_arena *arena,
                     struct tn_error *error);
void tn_net_ops_done(struct tn_net_ops *ops);
void tn_net_names_init(struct tn_net_names *names, struct tn_arena *arena);
void tn_net_names_done(struct tn_net_names *names);
void tn_net_lists_init(struct tn_net_lists *lists, struct tn_arena *arena,
                       struct tn_error *error);
void tn_net_lists_done(struct tn_net_lists *lists);
void tn_net_types_init(struct tn_net_types *types, struct tn_arena *arena);
void tn_net_types_done(struct tn_net_types *types);

void tn_net_init(struct tn_net *net, struct tn_arena *arena,
                 const char *dialect, struct tn_error *error);
void tn_net_done(struct tn_net *net);

/* For long work, often: now and then asks the caller whether to go on.  False:
 * the net has failed, by now with CANCELLED. */
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

/* Called nothing, for TN_NONE. */
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

/* Nothing of a value that is none. */
static inline struct tn_net_constant tn_net_constant_of(
    const struct tn_net *net, const struct tn_net_value_row *row)
{
    if (!row->is_constant)
        return (struct tn_net_constant){ NULL, NULL };
    return *tn_list_at(&net->pool->constants, struct tn_net_constant,
                       row->maker);
}

static inline const struct tn_net_node *tn_net_fill_node(
    const struct tn_net *net, uint32_t node, struct tn_net_node *look)
{
    const struct tn_net_node_row *row  = tn_net_node_row(net, node);
    struct tn_net_list            list = tn_net_list_at(net, row->attrs);

    look->name             = tn_net_text(net, row->name);
    look->op               = tn_net_op_at(net, row->op);
    look->inputs           = row->edges;
    look->outputs          = row->edges + row->input_count;
    look->controls         = look->outputs + row->output_count;
    look->attrs            = list.attrs;
    look->input_count      = row->input_count;
    look->control_count    = row->control_count;
    look->output_count     = row->output_count;
    look->attr_count       = list.count;
    look->graph            = row->graph;
    look->source           = row->source;
    look->is_removed       = row->is_removed;
    look->has_common_attrs = list.is_common;
    return look;
}

static inline const struct tn_net_value *tn_net_fill_value(
    const struct tn_net *net, uint32_t value, struct tn_net_value *look)
{
    const struct tn_net_value_row *row      = tn_net_value_row(net, value);
    struct tn_net_constant         constant = tn_net_constant_of(net, row);

    look->name       = tn_net_text(net, row->name);
    look->type       = tn_net_type_at(net, row->type);
    look->constant   = constant.elements;
    look->origin     = constant.origin;
    look->graph      = row->graph;
    look->producer   = row->is_constant ? TN_NONE : row->maker;
    look->output     = row->output;
    look->is_trained = row->is_trained;
    look->is_inner   = row->is_inner;
    return look;
}

/* A look at a node or a value as it is now, which lasts as long as the block
 * that asks for it. */
#define tn_net_node(net, node)                                                 \
    tn_net_fill_node((net), (node), &(struct tn_net_node){ .name = { 0 } })
#define tn_net_value(net, value)                                               \
    tn_net_fill_value((net), (value), &(struct tn_net_value){ .name = { 0 } })

static inline struct tn_net_graph *tn_net_graph(const struct tn_net *net,
                                                uint32_t             graph)
{
    return tn_list_at(&net->graphs, struct tn_net_graph, graph);
}

/* ---- making one; TN_NONE on failure ------------------------------------- */

/* Room in an empty net, which need not be moved then.  False on failure. */
bool tn_net_reserve(struct tn_net *net, uint64_t values, uint64_t nodes);

uint32_t tn_net_add_graph(struct tn_net *net, enum tn_graph_kind kind,
                          struct tn_bytes name, uint32_t parent);

/* A name that no value of the net has: `wish`, or else wish_1, wish_2...  The
 * name is then taken. */
struct tn_bytes tn_net_name(struct tn_net *net, struct tn_bytes wish);

/* The same, and the value is called so from now on. */
void tn_net_rename(struct tn_net *net, uint32_t value, struct tn_bytes wish);

/* For a value that stands for another, which will go. */
void tn_net_swap_names(struct tn_net *net, uint32_t a, uint32_t b);

/* The names of a model, which outlives the net, are looked up in its table from
 * now on; before there is any value.  The second calls a value by one of them,
 * or by one that is made of it. */
enum tn_status tn_net_give_names(struct tn_net          *net,
                                 const struct tn_intern *given);
void tn_net_name_as_given(struct tn_net *net, uint32_t value, uint32_t id);

/* A name that nobody looks up, copied; TN_NO_NAME for none and on failure. */
uint32_t tn_net_keep_name(struct tn_net *net, struct tn_bytes name);

/* `to`, which has nothing yet, takes over what rows of `from` refer to.  `from`
 * must not outlive it, and will make no more. */
void tn_net_take_over(struct tn_net *to, struct tn_net *from);

/* An end of a graph, known to the world by that name (the value's own when
 * NULL or empty). */
void tn_net_add_input(struct tn_net *net, uint32_t graph, uint32_t value,
                      struct tn_bytes name);
void tn_net_add_output(struct tn_net *net, uint32_t graph, uint32_t value,
                       struct tn_bytes name);

/* What the model says of the output that was added last, for where nothing
 * follows from the nodes; and what it said of one, NULL for nothing. */
void tn_net_tell_output(struct tn_net *net, uint32_t graph,
                        const struct tn_net_type *type);

const struct tn_net_type *tn_net_told_output(const struct tn_net *net,
                                             uint32_t graph, uint32_t index);
struct tn_bytes tn_net_input_name(const struct tn_net *net, uint32_t graph,
                                  uint32_t index);
struct tn_bytes tn_net_output_name(const struct tn_net *net, uint32_t graph,
                                   uint32_t index);

/* A value that gets its name later, from who knows better. */
uint32_t tn_net_add_nameless(struct tn_net *net, uint32_t graph);

/* Its name is made unique; a wish without bytes, not even "", leaves it
 * nameless. */
uint32_t tn_net_add_value(struct tn_net *net, uint32_t graph,
                          struct tn_bytes wish);
uint32_t tn_net_add_constant(struct tn_net *net, uint32_t graph,
                             struct tn_bytes           wish,
                             const struct tn_elements *elements,
                             const struct tn_tensor   *origin);

/* What is known of a value from now on; dims are copied, symbols are kept as
 * they are.  The second only keeps the type, the third is for types of this net
 * alone. */
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

/* Makes a constant of a value; or one that `like`, a constant, is, too.
 * Elements are copied, unless they are those of `origin`, which outlives the
 * net. */
void tn_net_set_constant(struct tn_net *net, uint32_t value,
                         const struct tn_elements *elements,
                         const struct tn_tensor   *origin);
void tn_net_copy_constant(struct tn_net *net, uint32_t value, uint32_t like);

void tn_net_set_trained(struct tn_net *net, uint32_t value, bool is_trained);

/* Which node makes a value; TN_NONE: none, it is an input or will be a
 * constant. */
static inline void tn_net_set_producer(struct tn_net *net, uint32_t value,
                                       uint32_t node, uint32_t output)
{
    struct tn_net_value_row *row = tn_net_value_row(net, value);

    row->maker       = node;
    row->output      = output & TN_NET_OUTPUTS_MAX;
    row->is_constant = false;
}

/* A small constant in memory: numbers of that dtype; `dims` are copied. */
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

/* What a node is that is called so; the second is of the dialect's own domain.
 * Never NULL: after a failure it is called nothing. */
const struct tn_net_op *tn_net_op(struct tn_net *net, struct tn_bytes type,
                                  struct tn_bytes domain);
const struct tn_net_op *tn_net_own_op(struct tn_net *net, const char *type);

/* The same in two steps, for who has many; the id is TN_NONE after a failure.
 */
uint32_t tn_net_op_id(struct tn_net *net, struct tn_bytes type,
                      struct tn_bytes domain);

/* A node at the end of its graph.  Its name and arrays are copied; outputs get
 * it as their producer. */
uint32_t tn_net_add_node(struct tn_net *net, const struct tn_net_node *node);

/* The same for who has the ids; of `node` nothing counts but its lists of
 * inputs, outputs and controls. */
uint32_t tn_net_add_row(struct tn_net *net, const struct tn_net_node_row *row,
                        const struct tn_net_node *node);

/* The list of the net that says the same, or a copy, as a row has it; 0 when
 * there are none, and on failure. */
uint32_t tn_net_keep_attrs(struct tn_net *net, const struct tn_net_attr *attrs,
                           uint32_t count);

/* ---- changing a node ---------------------------------------------------- */

/* Other lists, copied; outputs get the node as their producer, and those that
 * it had keep it. */
void tn_net_set_inputs(struct tn_net *net, uint32_t node,
                       const uint32_t *inputs, uint32_t count);
void tn_net_set_outputs(struct tn_net *net, uint32_t node,
                        const uint32_t *outputs, uint32_t count);
/* One of those that it has, in place. */
void tn_net_set_output(struct tn_net *net, uint32_t node, uint32_t output,
                       uint32_t value);
void tn_net_set_controls(struct tn_net *net, uint32_t node,
                         const uint32_t *controls, uint32_t count);

/* Other attributes, whose values are kept as they are; one more, or another of
 * that name; those of another node. */
void tn_net_set_attrs(struct tn_net *net, uint32_t node,
                      const struct tn_net_attr *attrs, uint32_t count);
void tn_net_set_attr(struct tn_net *net, uint32_t node, const char *name,
                     const struct tn_attr_value *value);

void tn_net_copy_attrs(struct tn_net *net, uint32_t node, uint32_t like);

void tn_net_set_op(struct tn_net *net, uint32_t node,
                   const struct tn_net_op *op);

/* To the end of another graph, with what it makes; the list of the graph that
 * had it is not changed. */
void tn_net_move_node(struct tn_net *net, uint32_t node, uint32_t graph);
void tn_net_remove(struct tn_net *net, uint32_t node);

/* Everybody who used `from` uses `to`: nodes and outputs of graphs.  For this
 * the net notes who uses what; the second call gives that back. */
void tn_net_replace(struct tn_net *net, uint32_t from, uint32_t to);
void tn_net_forget_uses(struct tn_net *net);

/* NULL: it has none of that name. */
const struct tn_attr_value *tn_net_attr(const struct tn_net_node *node,
                                        const char               *name);

/* By node: whether an output of its graph needs it, by its data alone or by
 * controls, too.  In the arena; NULL: the net has failed. */
const bool *tn_net_needed(struct tn_net *net, bool skips_controls,
                          struct tn_arena *arena);

/* Removes nodes that no output of their graph and no control needs; graphs of
 * removed nodes have no nodes then. */
void tn_net_prune(struct tn_net *net);

/* Nodes after what they use, graph by graph, and else as they were; a node with
 * a subgraph uses what is used in there.  Removed ones are gone from the lists.
 * Edges from ops in `loop_ops` (NULL at the end; may be NULL) do not count.
 * INVALID for a cycle. */
enum tn_status tn_net_order(struct tn_net *net, const char *const *loop_ops);

/* Of an ONNX net: its version is at least the one that brought each of its ops,
 * and every domain of a node has one. */
void tn_net_set_versions(struct tn_net *net);

/* Every output that the definition `op` of a node has gets a value, used or
 * not.  `has_holes`: but for optional ones, which files of the dialect can
 * leave out. */
void tn_net_complete_outputs(struct tn_net *net, uint32_t node,
                             const struct tn_vocab_op *op, bool has_holes);

/* The same for every node of a net of ONNX. */
enum tn_status tn_net_complete_onnx(struct tn_net *net);

/* ---- from a model and to one -------------------------------------------- */

/* What the ends are when the caller says it; names as the user gives them. */
struct tn_net_io {
    const char *const *inputs, *const *outputs;
    uint32_t    input_count, output_count;
    const char *signature; /* NULL: the only one, or serving_default   */
};

/* The main graph and what it uses.  The model must outlive the net. */
enum tn_status tn_net_load(struct tn_net *net, const struct tn_model *model,
                           const struct tn_net_io *ends);

/* Lays it out as an edited model of `dialect`, onnx or nd4j, which any writer
 * of a format of that dialect takes.  Tensors share their payloads with the
 * sources, names and attributes are those of the net: its arena must outlive
 * the model.  The net itself is taken apart, and can only be released.  To
 * `origins` goes, for each tensor of the model, the one of the source that it
 * comes from, or NULL (const struct tn_tensor *); may be NULL.
 */
enum tn_status tn_net_lay_out(struct tn_net           *net,
                              const struct tn_dialect *dialect,
                              struct tn_model *model, struct tn_list *origins,
                              struct tn_error *error);

#endif
