/*
 * bare.h - the tensors of any model, for formats that hold nothing else
 *
 * safetensors and npz are sets of named tensors.  A model of any format can be
 * written as one, and what they cannot hold is left behind and said.
 */
#ifndef TN_FORMAT_BARE_H
#define TN_FORMAT_BARE_H

#include "format/format.h"

struct tn_bare_tensor {
    struct tn_bytes           name; /* each is given once                     */
    const struct tn_elements *elements;
};

struct tn_bare_set {
    struct tn_bare_tensor *items; /* in the order of the model                */
    uint64_t               count;
};

/* Why a format cannot hold such a tensor; NULL: it can. */
typedef const char *tn_bare_refusal(const struct tn_elements *elements);

/* All tensors that the format can hold.  One whose name is empty or taken goes
 * by its path in the model; the name of a weight is not taken by a tensor in an
 * attribute.  Of a model whose variables are apart (a SavedModel) only these,
 * unless options->all_tensors.  Says through options->loss what is left behind:
 * the graph, names, dimensions of sparse tensors, and each tensor that was
 * refused.  INVALID when nothing is left. */
enum tn_status tn_bare_collect(const struct tn_model         *model,
                               const struct tn_write_options *options,
                               tn_bare_refusal *refuse, struct tn_arena *arena,
                               struct tn_bare_set *set, struct tn_error *error);

/* Says that the graph is left behind, if there is one. */
void tn_bare_lose_graph(const struct tn_model         *model,
                        const struct tn_write_options *options);

/* Says that something of a tensor is lost. */
void tn_bare_lose(const struct tn_write_options *options, struct tn_bytes name,
                  const char *what);

/* The same when its elements are written as others. */
void tn_bare_stands_in(const struct tn_write_options *options,
                       const struct tn_bare_tensor   *tensor,
                       enum tn_dtype                  written);

/* The type that stands for one which neither safetensors nor numpy knows: the
 * integer that holds it.  Others stand for themselves. */
enum tn_dtype tn_bare_stand_in(enum tn_dtype dtype);

/* Streams the elements: by reference where they lie as they are wanted.  Types
 * below a byte are packed when `is_packed`. */
enum tn_status tn_bare_stream(const struct tn_elements      *elements,
                              const struct tn_write_options *options,
                              struct tn_memory *memory, bool is_packed,
                              struct tn_sink *to, struct tn_error *error);

#endif
