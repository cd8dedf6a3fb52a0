/* onnx_read.h - what the files that open a model share */
#ifndef TN_FORMAT_ONNX_READ_H
#define TN_FORMAT_ONNX_READ_H

#include "format/onnx/onnx.h"

/* Nodes of a few types make up most graphs. */
#define TN_ONNX_CACHE_SIZE 64

struct tn_onnx_cached_name {
    struct tn_bytes text;
    uint32_t        id;
};

/* Most inputs were made a few nodes before: found here, a name costs no walk
 * through tables that are larger than the machine's caches. */
#define TN_ONNX_RECENT_SIZE 1024

struct tn_onnx_recent_value {
    struct tn_bytes text;
    uint32_t        graph;
    uint32_t        value;
};

struct tn_onnx_reader {
    struct tn_bundle      *bundle;
    struct tn_model       *model;
    struct tn_arena       *arena;
    struct tn_error       *error;
    struct tn_onnx_detail *detail;
    struct tn_onnx_sides   sides;
    struct tn_pairs        initializers; /* (graph, name) -> any number      */
    struct tn_list         imports;      /* struct tn_onnx_import            */
    struct tn_list         parts;        /* struct tn_onnx_part              */
    struct tn_list         inputs;       /* struct tn_io, of the graph read */
    struct tn_list         outputs;      /* struct tn_io                    */
    struct tn_list         produced; /* uint32_t: values, of the node read   */
    uint32_t               source;   /* of the main file                     */
    struct tn_onnx_cached_name  types[TN_ONNX_CACHE_SIZE];
    struct tn_onnx_recent_value recent[TN_ONNX_RECENT_SIZE];

    struct tn_bytes producer_name, producer_version, domain, doc;
    int64_t         version;
    uint64_t        metadata_count, training_count, configuration_count;
    uint64_t        value_info_count, annotation_count, function_count;
    bool            has_graph;
};

/* A further piece of a graph that is known already. */
void tn_onnx_add_part(struct tn_onnx_reader *r, uint32_t graph,
                      struct tn_span wire);

/* Reads every graph of the model, and those that are met on the way. */
void tn_onnx_read_graphs(struct tn_onnx_reader *r);

#endif
