/*
 * lang_code.h - rules compiled for running
 *
 * The tree of a rule file refers to everything by name.  Before a rule runs,
 * every name gets a slot in the rule's frame, every call its callee, every
 * literal its item, and rules are indexed by op.  So names are looked up once
 * for each rule, not for each node.
 *
 *   frame of a rule    inputs, attributes, outputs, then what steps bind
 *   frame of a def     parameters, then loops
 *   frame of a macro   as of a rule
 *
 * A name is one slot in all of its rule: binding it again, in a loop or a
 * branch, changes it.  Only the variables of loops end with them.
 */
#ifndef TN_MAP_LANG_CODE_H
#define TN_MAP_LANG_CODE_H

#include "ir/vocab.h"
#include "map/lang/lang_eval.h"

struct tn_builtin;
struct tn_code_op;
struct tn_code_def;
struct tn_code_table;
struct tn_code_macro;

struct tn_code {
    uint16_t                   kind;   /* enum tn_lang_kind                   */
    uint16_t                   callee; /* enum tn_lang_callee                 */
    uint32_t                   item_count;
    uint32_t                   slot;   /* NAME; EACH: the item                */
    uint32_t                   second; /* EACH: the index, or TN_NONE         */
    const struct tn_code      *items;
    const struct tn_lang_expr *expr; /* NULL: left out (in a slice)         */
    union {
        struct tn_item              item; /* leaves                           */
        const struct tn_builtin    *builtin;
        const struct tn_code_def   *def;
        const struct tn_code_table *table;
        const struct tn_code_macro *macro;
        const struct tn_code_op    *op;
    } of;
};

struct tn_code_attr {
    struct tn_bytes   name;
    struct tn_code    value;
    enum tn_attr_kind kind; /* what the vocabulary requires; NONE: anything   */
    bool              is_list;
    uint32_t          slot; /* of a macro's parameter                       */
    struct tn_location place;
};

/* A call of an op or macro: what comes after the semicolon. */
struct tn_code_op {
    const struct tn_code_macro *macro; /* NULL: an op                         */
    struct tn_bytes             type, domain;
    const struct tn_code_attr  *attrs;
    uint32_t                    attr_count;
};

struct tn_code_def {
    struct tn_code  body;
    uint32_t        param_count, slot_count;
    struct tn_bytes name;
};

struct tn_code_table {
    const struct tn_item *keys, *values;
    uint32_t              count;
    struct tn_bytes       name;
};

struct tn_code_step;

struct tn_code_block {
    const struct tn_code_step *steps;
    uint32_t                   count;
};

struct tn_code_step {
    enum tn_lang_step_kind kind;
    bool                   last_is_many;
    const uint32_t        *slots; /* TN_NONE: not wanted                      */
    uint32_t               slot_count;
    struct tn_code         expr;
    struct tn_code_block   body, other;
    const struct tn_lang_step *step;
};

/* An attribute of a head. */
struct tn_code_head_attr {
    struct tn_bytes    name;
    uint32_t           slot;
    struct tn_item     fallback; /* ours, else the vocabulary's, else none   */
    struct tn_item     wanted;   /* of a match                               */
    bool               is_match;
    bool               is_ignored;
    struct tn_location place;
};

struct tn_code_frame;

/* An input of a head that has more than a name. */
struct tn_code_input {
    uint32_t same_as;              /* slot of the input that has its name, or
                                      TN_NONE: both must be one value         */
    struct tn_code_frame *maker;   /* the node that makes it; NULL: any       */
    struct tn_item        literal; /* NONE: its elements may be anything      */
};

struct tn_code_frame {
    const struct tn_lang_head    *head;
    const struct tn_lang_pattern *pattern; /* NULL: the node of the rule      */
    struct tn_code_head_attr     *attrs; /* as many as the head has           */
    struct tn_code_input         *inputs; /* as many as the head has; NULL: they
                                             have only names                  */
    const struct tn_code_set *set;
    uint32_t                  swap; /* bit of the order that is tried     */
    uint32_t                  first_input, first_output;
    uint32_t                  slot_count;
};

struct tn_code_macro {
    struct tn_code_frame frame;
    struct tn_code_block body;
    uint32_t             index;
};

struct tn_code_shape {
    struct tn_code dtype, dims, value; /* expr NULL: not known                */
};

struct tn_code_rule {
    const struct tn_lang_rule  *rule;
    const struct tn_lang_file  *file;
    struct tn_code_frame        frame;
    struct tn_code              guard; /* expr NULL: always                   */
    struct tn_code_block        body;
    const struct tn_code_shape *shapes;
    const struct tn_code_rule  *next; /* of the same op, in order             */
    uint32_t                    swap_count; /* nodes whose inputs are tried in
                                               both orders                    */
};

/* What was compiled of a file so far; NULL: not yet. */
struct tn_code_file {
    const struct tn_lang_file   *file;
    const struct tn_code_def   **defs;
    const struct tn_code_table **tables;
    const struct tn_code_macro **macros;
};

/* A rule that fits the versions in use; rules of one op are chained. */
struct tn_code_entry {
    struct tn_bytes      domain;
    struct tn_lang_rule *rule; /* complete once it is made ready        */
    struct tn_code_file *file;
    struct tn_code_rule *code; /* NULL: not used yet                    */
    uint32_t             next; /* entry of the same type, or TN_NONE    */
};

struct tn_code_set {
    struct tn_arena      arena;
    struct tn_intern     types;   /* op types                                 */
    struct tn_list       heads;   /* struct tn_code_head, by id of the type   */
    struct tn_list       entries; /* struct tn_code_entry                     */
    struct tn_vocab      from, to;
    bool                 has_from, has_to;
    bool                 has_patterns; /* in a rule of the set                */
    bool                 has_pairs;    /* rules for complex numbers among them */
    const struct tn_net *net; /* versions of what is read                     */
    int64_t              to_version;
    const char          *to_dialect; /* NULL: rules of shapes                 */
};

struct tn_code_head {
    uint32_t first, last;
};

/* An empty set of rules over `net`, for a net of dialect `to` (NULL: shapes).
 * Done also after a failure. */
enum tn_status tn_code_init(struct tn_code_set *set, struct tn_memory *memory,
                            const struct tn_net *net, const char *to,
                            int64_t to_version, struct tn_error *error);
void           tn_code_done(struct tn_code_set *set);

/* Adds the rules of a file that lead from the one dialect to the other and are
 * for the versions of the net.  The file must outlive the set. */
enum tn_status tn_code_add(struct tn_code_set        *set,
                           const struct tn_lang_file *file,
                           struct tn_error           *error);

/* The first rule for that op, or NULL; what follows hangs on `next`.  It is
 * compiled on first use, which may fail into `error`. */
const struct tn_code_rule *tn_code_find(struct tn_code_set *set,
                                        struct tn_bytes     type,
                                        struct tn_bytes     domain,
                                        struct tn_error    *error);

/* The definition of an op in the target's vocabulary; NULL if it has none, or
 * if there is no vocabulary. */
const struct tn_vocab_op *tn_code_target(struct tn_code_set *set,
                                         struct tn_bytes     domain,
                                         struct tn_bytes     type,
                                         struct tn_error    *error);

/* The version of a domain that nodes of the net are of; 0: not known. */
int64_t tn_code_version(const struct tn_code_set *set, struct tn_bytes domain);

/* Whether two names of domains of the source mean the same. */
bool tn_code_same_domain(const struct tn_code_set *set, struct tn_bytes a,
                         struct tn_bytes b);

/* Whether rules name that op, if only for other versions. */
bool tn_code_knows(const struct tn_code_set *set, struct tn_bytes type);

#endif
