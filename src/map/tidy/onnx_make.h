/*
 * onnx_make.h - makes nodes of an ONNX net, one after the other
 *
 * Each function adds a node and returns its first output; TN_NONE once the net
 * has failed.
 */
#ifndef TN_MAP_ONNX_MAKE_H
#define TN_MAP_ONNX_MAKE_H

#include "map/net/net.h"

struct tn_onnx_make {
    struct tn_net *net;
    uint32_t       graph; /* where nodes go                                   */
    uint32_t       like;  /* node that they come from: its name and source    */
};

uint32_t tn_onnx_add(const struct tn_onnx_make *m, const char *op,
                     const uint32_t *inputs, uint32_t input_count,
                     const struct tn_net_attr *attr);

/* Adds outputs to the node that makes `first`; `made` gets all of them. */
void tn_onnx_more(const struct tn_onnx_make *m, uint32_t first, uint32_t *made,
                  uint32_t count);

/* Constants of integers: a list, or a list of one. */
uint32_t tn_onnx_ints(const struct tn_onnx_make *m, const int64_t *items,
                      uint64_t count);
uint32_t tn_onnx_int(const struct tn_onnx_make *m, int64_t item);

struct tn_net_attr tn_onnx_attr(const struct tn_onnx_make *m, const char *name,
                                const int64_t *items, uint32_t count,
                                bool is_list);

uint32_t tn_onnx_slice(const struct tn_onnx_make *m, uint32_t value,
                       int64_t from, int64_t to, int64_t axis);

/* Of one value, the value itself. */
uint32_t tn_onnx_concat(const struct tn_onnx_make *m, const uint32_t *values,
                        uint32_t count, int64_t axis);

/* Squeeze and Unsqueeze. */
uint32_t tn_onnx_on_axis(const struct tn_onnx_make *m, const char *op,
                         uint32_t value, int64_t axis);

uint32_t tn_onnx_transpose(const struct tn_onnx_make *m, uint32_t value,
                           const int64_t *perm, uint32_t rank);

#endif
