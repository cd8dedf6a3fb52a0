/* tf_writing.h - the state of writing a TensorFlow model, for the files that do
 * it */
#ifndef TN_FORMAT_TENSORFLOW_WRITING_H
#define TN_FORMAT_TENSORFLOW_WRITING_H

#include "format/tensorflow/tf.h"
#include "format/registry.h"
#include "format/tensorflow/tf_encode.h"

struct tn_tf_writing {
    const struct tn_model         *model;
    const struct tn_write_options *options;
    struct tn_output              *to;
    struct tn_error               *error;
    const struct tn_tf_detail     *detail; /* never NULL                      */
    struct tn_arena                arena;
    struct tn_tf_encoder           encoder;
    uint64_t                       checkpoint; /* hash of a new index         */
};

/* Whether it was read from a SavedModel, whose other files are copied. */
static inline bool tn_tf_is_saved_model(const struct tn_tf_writing *w)
{
    return w->model->detail &&
           tn_is_of_format(w->model, &tn_format_tf_saved_model);
}

/* Whether a tensor goes into a checkpoint. */
static inline bool tn_tf_is_weight(const struct tn_tensor *tensor)
{
    return tensor->role == TN_ROLE_VARIABLE || tensor->role == TN_ROLE_STATE ||
           tensor->role == TN_ROLE_INITIALIZER;
}

/* ---- tf_about.c --------------------------------------------------------- */

void tn_tf_describe(const struct tn_model *model, struct tn_about *about);
enum tn_status                  tn_tf_report_rest(const struct tn_model         *model,
                                                  const struct tn_write_options *options,
                                                  bool is_bare, struct tn_error *error);
enum tn_status                  tn_tf_lose_beside(const struct tn_model         *model,
                                                  const struct tn_write_options *options,
                                                  struct tn_error               *error);
extern const struct tn_rest_row tn_tf_taken_by_graph[];

/* For tn_format.trace_fields. */
extern const struct tn_strip_field tn_tf_trace_fields[];
extern const struct tn_rest_row    tn_tf_taken_by_tensors[];

/* Reports what a GraphDef or a MetaGraphDef lacks of a SavedModel, and a
 * GraphDef of a MetaGraphDef. */
enum tn_status tn_tf_lose_around(const struct tn_model         *model,
                                 const struct tn_write_options *options,
                                 bool is_graph, struct tn_error *error);

/* Reports the loss of the other files of a SavedModel, except those of the
 * variables. */
enum tn_status tn_tf_lose_files(const struct tn_model         *model,
                                const struct tn_write_options *options,
                                struct tn_error               *error);

#endif
