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

/* A graph taken out of a SavedModel refers to variables and has none of their
 * values: people should know before they look for the weights. */
void tn_tf_add_variable_fact(struct tn_model *model, struct tn_error *error)
{
    static const char *const types[] = { "VarHandleOp", "VariableV2",
                                         "Variable" };
    uint64_t                 count   = 0;

    for (uint64_t i = 0; i < model->kinds.count; i++)
        for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
            const struct tn_op_kind *kind =
                tn_list_at(&model->kinds, struct tn_op_kind, i);
            if (tn_bytes_is(kind->type, types[k]))
                count += kind->count;
        }
    if (count)
        tn_model_add_fact_format(model, error, "variables",
                                 "%" PRIu64 ", whose values are in a "
                                 "checkpoint and not in this file",
                                 count);
}
