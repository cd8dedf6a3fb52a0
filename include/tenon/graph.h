/*
 * graph.h - the flat graph: ops, values and attributes of a model
 *
 * It exists if the model was opened with options.wants_graph.  Ids are numbers
 * from 0; the ops of a graph are contiguous.  Everything is borrowed until
 * tn_model_close(), except attributes, which are decoded on request.
 */
#ifndef TENON_GRAPH_H
#define TENON_GRAPH_H

#include <tenon/model.h>

enum tn_graph_kind {
    TN_GRAPH_MAIN,     /* the model's own                                     */
    TN_GRAPH_SUBGRAPH, /* the value of a node's attribute                     */
    TN_GRAPH_FUNCTION, /* called by name                                      */
    TN_GRAPH_OTHER,    /* training graphs and the like                        */
};

struct tn_graph_info {
    enum tn_graph_kind kind;
    struct tn_bytes    name;
    struct tn_bytes    domain;
    const char        *path;         /* "graph.node[3].attribute[0].g"        */
    uint32_t           parent_graph; /* TN_NONE: not inside another           */
    uint64_t           op_count;
    uint32_t           first_op;
    struct tn_io_list  inputs;
    struct tn_io_list  outputs;
};

TN_API uint32_t tn_model_graph_count(const struct tn_model *model);
TN_API struct tn_graph_info tn_model_graph(const struct tn_model *model,
                                           uint32_t               graph);

/* ---- ops and values ----------------------------------------------------- */

struct tn_op_info {
    struct tn_bytes name;
    struct tn_bytes type;
    struct tn_bytes domain;
    uint32_t        graph;
    uint32_t        input_count;   /* without control inputs                  */
    uint32_t        control_count; /* ops that must have run before           */
    uint32_t        output_count;
};

TN_API uint32_t          tn_model_op_count(const struct tn_model *model);
TN_API struct tn_op_info tn_model_op(const struct tn_model *model, uint32_t op);

/* Value ids.  An optional input that was left out is TN_NONE.  Inputs from
 * input_count on are the control inputs. */
TN_API uint32_t tn_op_input(const struct tn_model *model, uint32_t op,
                            uint32_t index);
TN_API uint32_t tn_op_output(const struct tn_model *model, uint32_t op,
                             uint32_t index);

/* The path in the model, such as graph.node[15]; works like
 * tn_tensor_path(). */
TN_API size_t tn_op_path(const struct tn_model *model, uint32_t op, char *to,
                         size_t size);

enum tn_value_kind {
    TN_VALUE_UNDEFINED,   /* used, but not defined anywhere                   */
    TN_VALUE_INPUT,       /* of its graph or function                         */
    TN_VALUE_INITIALIZER, /* a constant of its graph                          */
    TN_VALUE_OUTPUT,      /* of an op                                         */
    TN_VALUE_OUTER,       /* of an enclosing graph                            */
};

struct tn_value_info {
    struct tn_bytes    name;
    enum tn_value_kind kind;
    uint32_t           graph;
    uint32_t           producer; /* op, or TN_NONE                            */
    uint32_t           output;   /* which of its outputs                      */
};

TN_API uint32_t             tn_model_value_count(const struct tn_model *model);
TN_API struct tn_value_info tn_model_value_info(const struct tn_model *model,
                                                uint32_t               value);

/* ---- attributes --------------------------------------------------------- */

enum tn_attr_kind {
    TN_ATTR_NONE, /* no value: reserved for attributes that are empty         */
    TN_ATTR_INT,
    TN_ATTR_FLOAT,
    TN_ATTR_BOOL,
    TN_ATTR_STRING,
    TN_ATTR_DTYPE,
    TN_ATTR_SHAPE,
    TN_ATTR_TENSOR,
    TN_ATTR_GRAPH,     /* a subgraph, by graph index                          */
    TN_ATTR_FUNCTION,  /* a function, by name                                 */
    TN_ATTR_REFERENCE, /* inside functions: the caller's attribute of a name  */
    TN_ATTR_OTHER,     /* kept as bytes of the file: types, sparse tensors    */
    TN_ATTR_DOUBLE,    /* of dialects that have 64-bit floats: paddle, nd4j   */
};

/* A shape in an attribute. */
struct tn_attr_shape {
    bool           has_rank;
    uint32_t       rank;
    const int64_t *dims; /* -1: not known                                     */
};

/* What an attribute holds: one value, or a list of them. */
struct tn_attr_value {
    enum tn_attr_kind kind;
    bool              is_list;
    uint32_t          count; /* 1 unless it is a list                         */
    union {
        const int64_t              *ints; /* INT, BOOL, DTYPE (enum tn_dtype),
                                             GRAPH (index)                    */
        const float                *floats;
        const double               *doubles;
        const struct tn_bytes      *strings; /* STRING, FUNCTION, REFERENCE,
                                                OTHER (bytes of the file)     */
        const struct tn_attr_shape *shapes;
        const struct tn_tensor *const *tensors;
    } of;
};

TN_API uint32_t tn_op_attr_count(const struct tn_model *model, uint32_t op);

/* A decoded attribute; yours to close.  By index or by name. */
struct tn_attr;
TN_API enum tn_status tn_attr_open(struct tn_attr       **out,
                                   const struct tn_model *model, uint32_t op,
                                   uint32_t index, struct tn_error *error);
TN_API enum tn_status tn_attr_find(struct tn_attr       **out,
                                   const struct tn_model *model, uint32_t op,
                                   const char *name, struct tn_error *error);
TN_API struct tn_bytes             tn_attr_name(const struct tn_attr *attr);
TN_API const struct tn_attr_value *tn_attr_get(const struct tn_attr *attr);
TN_API void                        tn_attr_close(struct tn_attr *attr);

#endif
