/*
 * vocab_check.h - the operators of a model against a vocabulary
 *
 * Rules: unknown-op, deprecated-op, wrong-arity, missing-input,
 * unknown-attribute, wrong-attribute-type, missing-attribute,
 * bad-attribute-value; type-mismatch and type-not-allowed, which value_types.h
 * explains; rank-mismatch and rank-not-allowed: value_ranks.h; bad-axis,
 * wrong-length and size-mismatch: value_sizes.h.  value_flow.h says how they go
 * through graphs that nodes run.  Each finding has the byte offset of the node
 * (or of the attribute) and its path.
 */
#ifndef TN_IR_VOCAB_CHECK_H
#define TN_IR_VOCAB_CHECK_H

#include "base/report.h"
#include "ir/model_tables.h"
#include "ir/vocab.h"

/* The type of a value in a byte: the type of its elements, and what wraps
 * them. */
enum tn_wrap {
    TN_WRAP_NONE,
    TN_WRAP_SEQUENCE,
    TN_WRAP_OPTIONAL,
    TN_WRAP_OPTIONAL_SEQUENCE,
};
#define TN_TYPE(dtype, wrap)                                                   \
    ((uint8_t)((unsigned)(wrap) << 6 | (unsigned)(dtype)))

/* An argument that stands for several values: their number is not known. */
#define TN_TYPE_MANY UINT8_MAX

/* A rank in a byte; 0: not known. */
#define TN_RANK(rank)                                                          \
    ((uint8_t)(1 +                                                             \
               ((rank) < TN_VOCAB_RANK_LIMIT ? (rank) : TN_VOCAB_RANK_LIMIT)))

/* Results of a node that runs graphs, by output; 0: unknown. */
struct tn_results {
    uint32_t count;
    uint8_t *types, *ranks;
};

/* An input or output of a graph that a node runs. */
struct tn_crossing {
    uint32_t                  op;
    const struct tn_vocab_op *kind;  /* of the op; NULL: not known            */
    uint32_t                  graph; /* a subgraph of it, or a function       */
    uint32_t                  body;  /* which one of those that the op runs   */
    bool                      is_output;
    uint32_t                  index; /* of the graph's inputs or outputs      */
};

/* Which input or output of the node it is. */
struct tn_passing {
    uint32_t number;  /* of the node's input or output; TN_NONE: neither     */
    uint32_t start;   /* outputs of loops: the graph's input that it becomes,
                         which has the same type; TN_NONE: none              */
    uint8_t type;     /* where number is TN_NONE: what it has to be;         */
    uint8_t rank;     /* 0: not told                                         */
    bool    has_rank; /* ranks inside follow from those outside: they are    */
    int8_t  deeper;   /* larger by this                                      */
    bool    is_element; /* outside it is a sequence, inside one of its
                           elements */
    bool is_choice;     /* inputs: the graph may be one that never runs, made
                           for other ranks                                   */
    bool is_carried;    /* inputs of loops: this holds for the first round; in
                           later rounds it is a result of the round before    */
};

struct tn_dims;
struct tn_sizing;

/* What one place in a file declares about a value. */
struct tn_value_claim {
    uint32_t              value;
    uint8_t               type, rank; /* 0: nothing                           */
    const struct tn_dims *dims;       /* NULL: nothing                        */
    uint64_t              offset;
};

/* What is checked.  The two halves need nothing of each other, so that they can
 * be checked by two threads, with a use each. */
enum tn_vocab_half {
    TN_VOCAB_BOTH,
    TN_VOCAB_OPS,    /* operators, what they are given, and their attributes;
                        types, where these say them                          */
    TN_VOCAB_VALUES, /* types, where values say them, ranks and sizes         */
};

/* How a format uses a vocabulary.  Graphs of one scope share versions and
 * functions; `scope` returns its number. */
struct tn_vocab_use {
    struct tn_vocab *vocab;
    void            *context; /* of the calls below                           */
    uint32_t (*scope)(void *context, uint32_t graph); /* NULL: all in one     */

    /* The version of a domain that is in use there; -1: none is.  NULL: there
     * are no versions. */
    int64_t (*version)(void *context, uint32_t scope, struct tn_bytes domain);

    /* Whether ops of that kind call a function.  Asked once per kind; NULL:
     * none does. */
    bool (*is_call)(void *context, uint32_t scope, const struct tn_op *op);

    /* Whether an input of that op may stand for several (TensorFlow's function
     * bodies).  Asked when the count is wrong; NULL: none does. */
    bool (*has_list_input)(void *context, uint32_t op);

    /* Types of values that the file says itself, by value; they are 0 before,
     * which is "not known".  NULL: it says none. */
    void (*declare)(void *context, uint8_t *types);

    /* The same for ranks, as TN_RANK().  NULL: they are not compared. */
    void (*declare_ranks)(void *context, uint8_t *ranks);

    /* The same for sizes of dimensions, through tn_sizing_tell() and
     * tn_sizing_tell_constant().  NULL: they are not compared. */
    void (*declare_sizes)(void *context, struct tn_sizing *to);

    /* The type of an output that neither the inputs nor the vocabulary tell
     * (ONNX's Cast).  NULL if there are none. */
    uint8_t (*made)(void *context, uint32_t op, const struct tn_vocab_op *kind,
                    uint32_t output);

    /* The same for ranks, as TN_RANK(), to be compared with what is declared.
     * NULL if there are none. */
    uint8_t (*made_rank)(void *context, uint32_t op,
                         const struct tn_vocab_op *kind, uint32_t output);

    /* Functions that the op calls, by number; TN_NONE: no more.  NULL if there
     * are none. */
    uint32_t (*callee)(void *context, uint32_t op, uint32_t number);

    /* What an input or output of a graph is to the node that runs it.  False:
     * nothing is known of it, nor of those that follow.  NULL: of none. */
    bool (*pass)(void *context, const struct tn_crossing *crossing,
                 struct tn_passing *to);

    /* Whether the op gives one of its inputs (TensorFlow's Merge), which may
     * come from after it, through an op that the dialect has in `loop_ops`.
     * NULL: none does. */
    bool (*is_merge)(void *context, uint32_t op);

    /* Which output of the node that made it a value is.  NULL: values say it
     * themselves. */
    uint32_t (*result_number)(void *context, uint32_t value);

    /* What the file says of values, place by place, to be compared with what
     * they are; false: no more.  NULL: nothing. */
    bool (*claim)(void *context, uint64_t index, struct tn_value_claim *to);
    void (*claim_path)(void *context, uint64_t index, char *to, size_t size);

    /* Called when ops were checked, and types that attributes say were not
     * compared yet: what is wrong with values is reported in between.  May be
     * NULL. */
    void (*after_ops)(void *context);

    bool compares_types; /* of producers and consumers                       */

    /* Of values only, where the vocabulary does not list all operators and
     * attributes that there are (Paddle, nd4j). */
    enum tn_vocab_half half;

    const char *file;        /* of the findings; "": the main one            */
    const char *free_prefix; /* attributes that anybody may add              */
    const char *attr_word;   /* how attributes are called in paths; NULL: by
                                name, after "attr."                          */
    enum tn_finding_level unknown; /* ops of domains that are not open,
                                      and attributes                      */
    enum tn_finding_level deprecated;
};

/* `error` is for failures that are not about the model: memory, or the
 * vocabulary. */
enum tn_status tn_vocab_check(const struct tn_model     *model,
                              const struct tn_vocab_use *use,
                              struct tn_report *report, struct tn_error *error);

/* The same against a built-in vocabulary; `use` has none. */
enum tn_status tn_vocab_check_builtin(const struct tn_model     *model,
                                      const struct tn_vocab_use *use,
                                      const char                *dialect,
                                      struct tn_report          *report,
                                      struct tn_error           *error);

#endif
