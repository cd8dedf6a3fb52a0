/* known_splitter.c - splitters of GraphDefs, SavedModels and ONNX models */
#include "engine/known_splitter.h"

#include "chunk/splitter.h"
#include "format/onnx/onnx_split.h"
#include "format/tensorflow/tf_split.h"

#define SAVED_MODEL "tensorflow.SavedModel"
#define GRAPH_DEF   "tensorflow.GraphDef"
#define ONNX_MODEL  "onnx.ModelProto"

enum tn_status tn_split_known(struct tn_splitter         *splitter,
                              const struct tn_split_rule *rule,
                              struct tn_error            *error)
{
    struct tn_tf_split_options how  = { rule->rules, rule->max_size };
    const char                *type = splitter->type->full_name;

    if (!how.max_size)
        how.max_size = tn_tf_split_limit(how.rules);
    if (strcmp(type, SAVED_MODEL) == 0)
        return tn_tf_split_saved_model(splitter, &how, error);
    if (strcmp(type, GRAPH_DEF) == 0)
        return tn_tf_split_graph(splitter, &how, error);
    if (strcmp(type, ONNX_MODEL) == 0)
        return tn_onnx_split(splitter, how.max_size, error);
    return tn_splitter_by_size(splitter, how.max_size, error);
}

/* ---- of a whole message -------------------------------------------------- */

static enum tn_status check_type(const struct tn_pb_message *type,
                                 const char *wanted, struct tn_error *error)
{
    if (type && strcmp(type->full_name, wanted) == 0)
        return TN_OK;
    return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                        "a splitter of %s cannot split %s", wanted,
                        type ? type->full_name : "the bytes of a field");
}

static enum tn_status open_known(struct tn_splitter **out,
                                 struct tn_message *message, const char *type,
                                 const struct tn_split_rule *rule,
                                 struct tn_error            *error)
{
    static const struct tn_split_rule defaults;
    struct tn_splitter               *splitter;

    *out = NULL;
    TN_TRY(check_type(message->type, type, error));
    TN_TRY(tn_splitter_open(&splitter, message, error));
    if (tn_split_known(splitter, rule ? rule : &defaults, error) == TN_OK)
        *out = splitter;
    else
        tn_splitter_close(splitter);
    return error->status;
}

enum tn_status tn_splitter_graph_def(struct tn_splitter        **out,
                                     struct tn_message          *message,
                                     const struct tn_split_rule *rule,
                                     struct tn_error            *error)
{
    TN_ERROR_OR_OWN(error);
    return open_known(out, message, GRAPH_DEF, rule, error);
}

enum tn_status tn_splitter_saved_model(struct tn_splitter        **out,
                                       struct tn_message          *message,
                                       const struct tn_split_rule *rule,
                                       struct tn_error            *error)
{
    TN_ERROR_OR_OWN(error);
    return open_known(out, message, SAVED_MODEL, rule, error);
}

enum tn_status tn_splitter_model_proto(struct tn_splitter        **out,
                                       struct tn_message          *message,
                                       const struct tn_split_rule *rule,
                                       struct tn_error            *error)
{
    TN_ERROR_OR_OWN(error);
    return open_known(out, message, ONNX_MODEL, rule, error);
}

/* ---- of a message inside ------------------------------------------------- */

/* Where a child is to be. */
struct place {
    struct tn_splitter   *parent;
    const struct tn_step *steps;
    uint64_t              count;
};

static enum tn_status open_child(struct tn_splitter **out, struct place at,
                                 const char                 *type,
                                 const struct tn_split_rule *rule,
                                 struct tn_error            *error)
{
    static const struct tn_split_rule defaults;
    struct tn_splitter               *child;
    uint64_t                          size;

    *out = NULL;
    TN_TRY(tn_splitter_child(&child, at.parent, at.steps, at.count, error));
    TN_TRY(check_type(child->type, type, error));
    TN_TRY(tn_splitter_size(child, NULL, 0, &size, error)); /* it is there */
    TN_TRY(tn_split_known(child, rule ? rule : &defaults, error));
    *out = child;
    return TN_OK;
}

enum tn_status tn_splitter_graph_def_child(struct tn_splitter        **out,
                                           struct tn_splitter         *parent,
                                           const struct tn_step       *steps,
                                           uint64_t                    count,
                                           const struct tn_split_rule *rule,
                                           struct tn_error            *error)
{
    TN_ERROR_OR_OWN(error);
    return open_child(out, (struct place){ parent, steps, count }, GRAPH_DEF,
                      rule, error);
}

enum tn_status tn_splitter_saved_model_child(struct tn_splitter        **out,
                                             struct tn_splitter         *parent,
                                             const struct tn_step       *steps,
                                             uint64_t                    count,
                                             const struct tn_split_rule *rule,
                                             struct tn_error            *error)
{
    TN_ERROR_OR_OWN(error);
    return open_child(out, (struct place){ parent, steps, count }, SAVED_MODEL,
                      rule, error);
}

enum tn_status tn_splitter_model_proto_child(struct tn_splitter        **out,
                                             struct tn_splitter         *parent,
                                             const struct tn_step       *steps,
                                             uint64_t                    count,
                                             const struct tn_split_rule *rule,
                                             struct tn_error            *error)
{
    TN_ERROR_OR_OWN(error);
    return open_child(out, (struct place){ parent, steps, count }, ONNX_MODEL,
                      rule, error);
}
