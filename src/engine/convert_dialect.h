/*
 * convert_dialect.h - converts a model to another dialect
 *
 *   struct tn_conversion c;
 *   status = tn_conversion_make(&c, model, format, map, error);
 *   ... c.model is the result: write it, report where its tensors came from ...
 *   tn_conversion_done(&c);
 */
#ifndef TN_ENGINE_CONVERT_DIALECT_H
#define TN_ENGINE_CONVERT_DIALECT_H

#include "engine/convert_losses.h"
#include "engine/convert_valid.h"
#include "engine/dialect_path.h"
#include "engine/opened.h"
#include "ir/vocab.h"
#include "map/lang/lang_apply.h"
#include "map/lang/lang_dl4j.h"
#include "map/net/net_load.h"

struct tn_conversion;

/* One pass of a conversion, as convert_passes.c lists them. */
struct tn_pass {
    const char *name; /* "raise": what --plan prints                          */
    const char *what; /* "Switch and Merge become If and Loop" */
    enum tn_status (*run)(struct tn_conversion *c);
};

enum { TN_PASSES_MAX = 64 };

/* A node that the last step changed, within the dialect. */
struct tn_touched {
    struct tn_bytes name, type;
    const char *rule; /* "onnx_onnxruntime.rules:30", or what else was done */
};

struct tn_conversion {
    const struct tn_map_options *how;
    const struct tn_options     *options;
    struct tn_error             *error;
    const struct tn_format      *format;
    const struct tn_model       *from; /* with its graph                     */
    struct tn_model             *loaded; /* `from`, when its graph was read
                                            here; else NULL                   */
    struct tn_opened      *store; /* nets, rules, and their results     */
    struct tn_opened      *result;
    const struct tn_model *model;   /* the result's; NULL: none               */
    struct tn_list         origins; /* const struct tn_tensor *, by tensor
                                       of the result; NULL: made        */
    struct tn_list touched;         /* struct tn_touched                */
    struct tn_list files_taken; /* struct tn_bytes: files beside the model that
                                   became a part of the graph               */
    struct tn_list model_ops;   /* const struct tn_net_op *, by op of
                                   the model: for refusals          */
    struct tn_rule_text *own;   /* the caller's rule files; read here
                                   unless they are given              */
    uint32_t                    own_count;
    struct tn_interpreter      *mapped; /* mappers of these files; NULL: none */
    struct tn_mapper_rules     *mapper_rules; /* by framework               */
    struct tn_rule_cache       *cache, own_cache; /* of our rules             */
    const struct tn_lang_file **files; /* of the step that is reported       */
    uint32_t                    file_count;
    struct tn_dialect_path      path;
    struct tn_dialect_path      detour; /* where rules of the path do not take
                                           all operators; no steps: none      */
    struct tn_bytes      signature;     /* of inputs and outputs, or ""  */
    struct tn_net       *net;      /* that passes work on                   */
    const struct tn_net *inferred; /* the types of this one are known  */
    bool is_settled;    /* the net is pruned and in order; a pass that leaves it
                           so says it again                                     */
    bool is_all_needed; /* as loaded: nothing is to be pruned                 */
    bool was_settled, was_all_needed; /* before this pass                     */
    bool may_stay;     /* so far all is as the source has it                  */
    bool is_unchanged; /* nor did simplifying change it: it is the result     */
    char did[96];      /* the current pass: "73 variables"  */
    struct tn_list nets; /* struct tn_net *: all that were made  */
    uint32_t       step; /* of the path, that rules have led to  */
    const struct tn_plan_listener *plan; /* NULL: a missing rule is a failure */
    struct tn_plan_summary        *summary; /* of a plan                      */
    tn_on_loss                    *loss;
    void                          *loss_context;
    tn_on_loss                    *note; /* no loss, but worth mentioning */
    void                          *note_context;
    struct tn_validity             validity;
    struct tn_judging              judging; /* the source, then the result    */
    bool judges_beside; /* what is judged is, while something else is done    */
    struct tn_op_names op_names; /* of the source, found in the same way      */
    bool is_part; /* a part of a larger model: a node of a loop is accepted
                     without its loop                                         */
};

/* The caller fills in how, options, format and loss; plan and summary only for
 * a plan.  With `judges_beside`, a check of the result may still be running:
 * the caller waits for it by tn_judging_end_made() before the file gets its
 * name, or before bytes go into a pipe.  Call tn_conversion_done() also after a
 * failure. */
enum tn_status tn_conversion_make(struct tn_conversion  *c,
                                  const struct tn_model *model,
                                  struct tn_error       *error);
void           tn_conversion_done(struct tn_conversion *c);

/* Waits for the check of the source: called by the first pass that needs its
 * outcome, at the latest by lay_out(). */
enum tn_status tn_conversion_end_source(struct tn_conversion *c);

/* Whether the dialect changes, or other inputs or outputs were requested. */
bool tn_conversion_is_needed(const struct tn_model           *model,
                             const struct tn_format          *format,
                             const struct tn_convert_options *convert);

/* The detour becomes the path. */
void tn_conversion_take_detour(struct tn_conversion *c);

/* ---- convert_passes.c --------------------------------------------------- */

/* Everything from loading to the model that is made. */
enum tn_status tn_conversion_run_passes(struct tn_conversion *c);

/* ---- convert_plan.c ----------------------------------------------------- */

/* Reports what a step did to c->plan.  Without a plan it fails if something has
 * no rule and is not allowed. */
enum tn_status tn_conversion_report(struct tn_conversion *c,
                                    const struct tn_net *from, const char *to,
                                    const struct tn_map_report *report);

/* The same for a step within a dialect, where ops without a rule stay as they
 * are: fills c->touched. */
enum tn_status tn_conversion_note(struct tn_conversion       *c,
                                  const struct tn_net        *from,
                                  const struct tn_map_report *report);

/* Rows of c->touched for ops that make random numbers, as part of a pattern
 * whose result has none. */
void tn_conversion_note_chance(struct tn_conversion       *c,
                               const struct tn_net        *from,
                               const struct tn_map_report *report);

/* One more row of c->touched. */
void tn_conversion_note_node(struct tn_conversion *c, const struct tn_net *net,
                             uint32_t node, const char *how);

/* The vocabulary of a net's dialect, read on first use. */
struct tn_conversion_words {
    struct tn_vocab vocab;
    bool            is_read;
};

/* The vocabulary's definition of a node's op; NULL if it has none. */
const struct tn_vocab_op *tn_conversion_definition(
    struct tn_conversion_words *words, const struct tn_net *net,
    const struct tn_net_node *node);

/* The path of a node in the original model; "" if a rule made it. */
void tn_conversion_node_path(const struct tn_net *net, uint32_t node, char *to,
                             size_t size);

/* ---- convert_shapes.c --------------------------------------------------- */

/* Gives the inputs of a net that was just loaded the shapes of c->how. */
enum tn_status tn_conversion_set_shapes(struct tn_conversion *c);

/* Refuses a given shape that operators of the net cannot take; the types of the
 * net are known. */
enum tn_status tn_conversion_check_shapes(struct tn_conversion *c,
                                          struct tn_net        *net);

/* ---- convert_refusal.c -------------------------------------------------- */

/* Nodes of one operator to which no rule applied. */
struct tn_refused_op {
    uint32_t first; /* node of the net                                        */
    uint64_t count;
};

/* Records which ops the model has: after the rules ran, the nodes are others
 * and the model may have been closed. */
enum tn_status tn_conversion_keep_ops(struct tn_conversion *c);

/* A refusal of another pass than rules says what the user asked for, too. */
void tn_conversion_name_target(struct tn_conversion *c);

/* Fails with a message about all of them, which this sorts. */
enum tn_status tn_conversion_refuse(struct tn_conversion       *c,
                                    const struct tn_net        *from,
                                    const struct tn_map_report *report,
                                    struct tn_refused_op *ops, uint32_t count);

/* ---- convert_stub.c ----------------------------------------------------- */

/* A rule to fill in for the op of a node; `op` may be NULL: unknown. */
void tn_conversion_stub(struct tn_buffer *to, const struct tn_net_node *node,
                        const struct tn_vocab_op *op);

/* ---- convert_dropped.c -------------------------------------------------- */

/* Reports attributes that neither the rule of an op nor the vocabulary
 * names. */
void tn_conversion_dropped(struct tn_conversion *c, const struct tn_net *from,
                           const struct tn_map_report *report);

/* ---- convert_mapped.c --------------------------------------------------- */

/* Reports what the mappers of the caller's files dropped, their known mistakes,
 * and which nodes they refused. */
void tn_conversion_mapped(struct tn_conversion *c, const struct tn_net *from,
                          const char *to, const struct tn_map_report *report);

/* ---- convert_needs.c ---------------------------------------------------- */

/* Reports operators, functions and signatures of a newly loaded net that no
 * output needs; true: there are none, and nothing would be pruned.  The second:
 * weights, of a net that was tidied. */
bool tn_conversion_unneeded(const struct tn_conversion *c, struct tn_net *net);
void tn_conversion_unused(const struct tn_conversion *c, struct tn_net *net);

/* Whether the net uses each tensor of the source, and all are in its file. */
bool tn_conversion_is_whole(const struct tn_conversion *c, struct tn_net *net);

/* ---- convert_receipt.c -------------------------------------------------- */

/* Fills an open output, and does not commit it: the model comes first. */
enum tn_status tn_conversion_receipt(const struct tn_conversion *c,
                                     const struct tn_losses     *losses,
                                     struct tn_output           *receipt);

#endif
