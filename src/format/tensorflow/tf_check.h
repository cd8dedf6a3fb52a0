/* tf_check.h - what the checks of this folder share */
#ifndef TN_FORMAT_TF_CHECK_H
#define TN_FORMAT_TF_CHECK_H

#include "format/tensorflow/tf.h"
#include "format/tensorflow/tf_callers.h"
#include "ir/vocab_check.h"

struct tn_tf_checking {
    struct tn_bundle      *bundle;
    const struct tn_model *model;
    struct tn_report      *report;
    struct tn_error       *error; /* of the machine, not of the file          */
    struct tn_arena        arena; /* scratch                                  */
    const char            *file;  /* of the model's message                   */
    struct tn_pairs        functions; /* (main graph, name) -> graph          */
    struct tn_list         calls;     /* struct tn_tf_call                    */
    struct tn_arena        kept;
    uint8_t               *lists; /* by graph: TN_TF_LIST_...                 */
};

/* A function that takes or gives a list, of any length. */
#define TN_TF_TAKES_LIST 1
#define TN_TF_GIVES_LIST 2

/* Function `from` has a node that runs function `to`: graph indices. */
struct tn_tf_call {
    uint32_t from, to;
    uint64_t offset; /* of the node                                           */
};

/* Every node of every graph: names, attributes, constants, calls. */
void tn_tf_check_nodes(struct tn_tf_checking *c);

/* The same against the operators that TensorFlow has. */
void tn_tf_check_vocab(struct tn_tf_checking *c);

/* ---- calls: tf_check_calls.c -------------------------------------------- */

/* What a signature says of a value. */
struct tn_tf_claim {
    struct tn_value_claim      said;
    const struct tn_io        *end;
    const struct tn_signature *signature; /* NULL: of the function `graph`    */
    uint32_t                   graph, index;
    bool                       is_output;
};

struct tn_tf_calls {
    struct tn_tf_checking *c;
    const uint32_t        *mains; /* by graph: whose library it can call      */
    struct tn_pairs        callers; /* (type, 0): in tn_tf_callers()          */
    struct tn_list         claims;  /* struct tn_tf_claim                     */
    struct tn_pairs lists; /* (value, 0): an argument that is a list          */
    uint32_t        op, graph, body; /* the last ones asked for               */
    bool            is_in_step;      /* of them                               */
    struct tn_tf_plan plan;
};

void tn_tf_calls_init(struct tn_tf_calls *calls, struct tn_tf_checking *c,
                      const uint32_t *mains);
void tn_tf_calls_done(struct tn_tf_calls *calls);

/* Finds what signatures say. */
void tn_tf_calls_survey(struct tn_tf_calls *calls);

/* As struct tn_vocab_use has them. */
uint32_t tn_tf_check_callee(const struct tn_tf_calls *calls, uint32_t op,
                            uint32_t number);
bool tn_tf_check_pass(struct tn_tf_calls *calls, const struct tn_crossing *c,
                      struct tn_passing *to);
uint32_t tn_tf_check_result_number(const struct tn_tf_calls *calls,
                                   uint32_t                  value);
void tn_tf_claim_path(const struct tn_tf_calls *calls, uint64_t index, char *to,
                      size_t size);

#endif
