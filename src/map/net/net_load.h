/*
 * net_load.h - a net from a model, and a model from a net
 */
#ifndef TN_MAP_NET_LOAD_H
#define TN_MAP_NET_LOAD_H

#include "map/net/net.h"

/* The inputs and outputs that the caller chose, by names as the user gives
 * them. */
struct tn_net_io {
    const char *const *inputs, *const *outputs;
    uint32_t    input_count, output_count;
    const char *signature; /* NULL: the only one, or serving_default */
};

/* Loads the main graph and the graphs that it uses into an empty net.  The
 * model must outlive the net. */
enum tn_status tn_net_load(struct tn_net *net, const struct tn_model *model,
                           const struct tn_net_io *chosen);

/* Which names occur on more than one node of a model.  Laying out a net needs
 * this, and for a million nodes it takes long; so it can be found before, on
 * another thread, since it only reads the names. */
struct tn_op_names {
    bool                    is_done; /* else the rest says nothing            */
    const struct tn_intern *of;
    struct tn_arena         arena;
    struct tn_intern_slot  *slots; /* the first node of each name             */
    uint64_t                slot_count;
    uint64_t               *bits; /* two by name: see net_lay_out.c           */
};

/* If memory runs out, nothing is found. */
void tn_op_names_find(struct tn_op_names *names, const struct tn_model *model);
void tn_op_names_done(struct tn_op_names *names);

/* Lays the net out as an edited model of `dialect`, onnx or nd4j, which any
 * writer of a format of that dialect takes.  Tensors share their payloads with
 * the source model, names and attributes are those of the net: its arena must
 * outlive the model.  Afterwards the net can only be released.  `origins` gets
 * one const struct tn_tensor * for each tensor of the model: the tensor of the
 * source that it comes from, or NULL.  May be NULL itself.  `given` belongs to
 * the model whose names `model` has now, or is NULL. */
enum tn_status tn_net_lay_out(struct tn_net           *net,
                              const struct tn_dialect *dialect,
                              struct tn_model *model, struct tn_list *origins,
                              struct tn_op_names *given,
                              struct tn_error    *error);

#endif
