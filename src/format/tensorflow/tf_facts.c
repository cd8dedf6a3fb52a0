/* tf_facts.c - what a TensorFlow model says about itself, for people */
#include "format/tensorflow/tf.h"

void tn_tf_add_version_facts(struct tn_model             *model,
                             const struct tn_tf_versions *versions,
                             struct tn_error             *error)
{
    if (!versions->is_present)
        return;
    tn_model_add_fact_format(model, error, "graph_version", "%" PRId32,
                             versions->producer);
    tn_model_add_fact_format(model, error, "min_consumer", "%" PRId32,
                             versions->min_consumer);
}

void tn_tf_add_size_fact(struct tn_model *model, uint64_t size,
                         struct tn_error *error)
{
    if (size > TN_TF_MESSAGE_MAX)
        tn_model_add_fact_format(
            model, error, "size_limit",
            "%" PRIu64 " bytes: TensorFlow reads messages of at most %" PRIu64,
            size, TN_TF_MESSAGE_MAX);
}
