/*
 * bare.h - the tensors of any model, for formats that hold nothing else
 *
 * safetensors and npz are sets of named tensors.  A model of any format can be
 * written as one; everything else is reported as a loss.
 */
#ifndef TN_FORMAT_BARE_H
#define TN_FORMAT_BARE_H

#include "format/format.h"

struct tn_bare_tensor {
    struct tn_bytes           name; /* unique                                 */
    const struct tn_elements *elements;
};

struct tn_bare_set {
    struct tn_bare_tensor *items; /* in the order of the model                */
    uint64_t               count;
};

/* Why a format cannot hold such a tensor; NULL if it can. */
typedef const char *tn_bare_refusal(const struct tn_elements *elements);

/* All tensors that the format can hold, renamed by the table of options->names
 * if there is one.  A tensor without a name, or with a name that another one
 * has, gets its path in the model as its name; weights have precedence over
 * tensors in attributes.  If a model keeps its variables apart (a SavedModel),
 * only these are collected, unless options->all_tensors is set.  Reports losses
 * through options->loss: the graph, names, dimensions of sparse tensors, and
 * each tensor that was refused.  INVALID if no tensor remains. */
enum tn_status tn_bare_collect(const struct tn_model         *model,
                               const struct tn_write_options *options,
                               tn_bare_refusal *refuse, struct tn_arena *arena,
                               struct tn_bare_set *set, struct tn_error *error);

/* Reports the graph as a loss, if there is one. */
void tn_bare_lose_graph(const struct tn_model         *model,
                        const struct tn_write_options *options);

/* Reports that the elements of a tensor are written in another type. */
void tn_bare_lose_type(const struct tn_write_options *options,
                       const struct tn_bare_tensor   *tensor,
                       enum tn_dtype                  written);

/* The type that is written instead of one that neither safetensors nor numpy
 * has: the integer of the same size.  Other types are returned as they are. */
enum tn_dtype tn_bare_substitute(enum tn_dtype dtype);

/* For each tensor of the set the index of the first one that is the same bytes
 * of the same file, of the same type and shape (tied weights): its own index if
 * there is no earlier one.  NULL on failure. */
const uint64_t *tn_bare_find_shared(const struct tn_bare_set *set,
                                    struct tn_arena          *arena,
                                    struct tn_error          *error);

/* Streams the elements, by reference if they are stored as they are needed.
 * Types of less than a byte are packed if `is_packed`. */
enum tn_status tn_bare_stream(const struct tn_elements      *elements,
                              const struct tn_write_options *options,
                              struct tn_memory *memory, bool is_packed,
                              struct tn_sink *to, struct tn_error *error);

#endif
