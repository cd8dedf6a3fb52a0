/*
 * list.h - all tensors, operators or texts of a model at once
 *
 * For programs in other languages, where a call costs as much as a hundred
 * tensors: the properties are columns, which can be read without calls.  Row i
 * is tensor i of tn_model_tensor(), or op i of tn_model_op().  A list is a copy:
 * it does not need the model that it came from.
 */
#ifndef TENON_LIST_H
#define TENON_LIST_H

#include <tenon/graph.h>

/* Many texts.  Text i begins at ends[i - 1] + 1 (the first one at 0) and ends
 * before ends[i]; the byte at ends[i] is zero, and so the bytes can be split at
 * zeros if no text contains one. */
struct tn_texts {
    uint64_t        count;
    const char     *bytes;
    uint64_t        size; /* of all bytes, with the zeros                     */
    const uint64_t *ends;
    bool            has_zeros; /* a text contains a zero byte                 */
};

/* Made by the library alone, so that later versions may add members at the
 * end. */
struct tn_tensor_list {
    uint64_t        count;
    struct tn_texts names;
    const uint8_t  *dtypes; /* enum tn_dtype                                  */
    const uint8_t  *roles;  /* enum tn_role                                   */
    const uint32_t *ranks;
    const uint64_t *dims;  /* of the first tensor, then of the second, ...    */
    uint64_t        dim_count;
    const uint64_t *sizes;   /* tn_tensor_size()                              */
    const uint64_t *offsets; /* tn_tensor_offset()                            */
};

/* Yours to close. */
TN_API enum tn_status tn_tensor_list_open(const struct tn_tensor_list **out,
                                          const struct tn_model   *model,
                                          const struct tn_options *options,
                                          struct tn_error         *error);
TN_API void           tn_tensor_list_close(const struct tn_tensor_list *list);

/* Made by the library alone, so that later versions may add members at the
 * end. */
struct tn_op_list {
    uint64_t        count;
    struct tn_texts names;
    struct tn_texts kinds;         /* distinct types of operators             */
    struct tn_texts domains;       /* of each of them                         */
    const uint32_t *kind_of;       /* of each op: index in kinds              */
    const uint32_t *graphs;        /* of each op                              */
    const uint32_t *input_counts;  /* of each op, with control inputs         */
    const uint32_t *control_counts;
    const uint32_t *output_counts;
    const uint32_t *inputs;  /* value ids of the first op, then of the second */
    uint64_t        input_total;
    const uint32_t *outputs;
    uint64_t        output_total;
    struct tn_texts values; /* names of all values                            */
};

/* INVALID for a model that was opened without wants_graph. */
TN_API enum tn_status tn_op_list_open(const struct tn_op_list **out,
                                      const struct tn_model    *model,
                                      const struct tn_options  *options,
                                      struct tn_error          *error);
TN_API void           tn_op_list_close(const struct tn_op_list *list);

/* Texts about the model, whole, each key once: what tn_edit_set_metadata()
 * sets, also if it was set and not yet written, and other texts under the keys
 * that a conversion gives them ("onnx.doc_string").  The facts of
 * tn_model_fact() are for people, and long ones are cut. */
struct tn_metadata_list {
    uint64_t        count;
    struct tn_texts keys;
    struct tn_texts values;
};

/* Yours to close. */
TN_API enum tn_status tn_metadata_list_open(const struct tn_metadata_list **out,
                                            const struct tn_model   *model,
                                            const struct tn_options *options,
                                            struct tn_error         *error);
TN_API void tn_metadata_list_close(const struct tn_metadata_list *list);

#endif
