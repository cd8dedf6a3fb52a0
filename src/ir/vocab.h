/*
 * vocab.h - a vocabulary: the operators of a dialect and their arguments
 *
 * The type system of a dialect, as data: for every operator and version its
 * inputs, outputs, attributes with defaults and bounds, and type constraints.
 * rules/README.md explains the text format; the vocabularies of the dialects
 * that we know are built into the library.
 *
 * The lines of a text are indexed when it is loaded; an operator is parsed, or
 * unpacked, on first use and kept.  So finding one changes the vocabulary: it
 * belongs to one job, in that job's arena.
 */
#ifndef TN_IR_VOCAB_H
#define TN_IR_VOCAB_H

#include <tenon/graph.h>

#include "base/pack.h"

/* A set of types: bits by enum tn_dtype, for each way to wrap one. */
struct tn_vocab_types {
    uint64_t tensors;
    uint64_t sequences;
    uint64_t optionals;
    uint64_t optional_sequences;
    uint64_t maps[2]; /* by key: int64, string; bits are of the values        */
    uint64_t map_sequences[2];
};

#define TN_VOCAB_TYPE(dtype) (UINT64_C(1) << (dtype))

/* A type variable and what it may stand for (ONNX). */
struct tn_vocab_variable {
    struct tn_bytes       name;
    struct tn_vocab_types types;
};

enum tn_vocab_arity {
    TN_VOCAB_ONE,
    TN_VOCAB_OPTIONAL,
    TN_VOCAB_MANY,     /* any number, none too; always the last               */
    TN_VOCAB_SOME,     /* one or more; always the last                        */
    TN_VOCAB_COUNTED,  /* as many as the attribute `list` says: N*T           */
    TN_VOCAB_BY_TYPES, /* one for each type in the attribute `list`: *Tlist   */
};

/* Larger ranks count as this one. */
#define TN_VOCAB_RANK_LIMIT 32

/* Ranks that an argument may have.  Arguments of the operator's variable, `r`,
 * have one rank, or that of the largest of them. */
struct tn_vocab_rank {
    bool    is_said; /* else any will do                                      */
    bool    is_variable;
    bool    is_up_to; /* [..r]: they are broadcast to the largest             */
    bool    is_shape; /* [s], [..s]: the sizes of the dimensions, too         */
    uint8_t least, most;
};

/* What facts are made of: numbers, and lists of them.  What is not known stays
 * so in all that is computed from it. */
enum tn_vocab_term_kind {
    TN_TERM_NUMBER,   /* `number`                                            */
    TN_TERM_UNKNOWN,  /* ?                                                   */
    TN_TERM_REST,     /* ...: as many unknown as the rank, r, has room for   */
    TN_TERM_RANK,     /* r                                                   */
    TN_TERM_ATTR,     /* attribute `number`                                  */
    TN_TERM_ELEMENTS, /* of input `number`, when it is a small constant      */
    TN_TERM_DIMS,     /* sizes of the dimensions of input `number`           */
    TN_TERM_LENGTH,   /* of attribute or input `left`                        */
    TN_TERM_RANK_OF,  /* input `number`                                      */
    TN_TERM_GIVEN,    /* 1: attribute or input `left` is there, 0: it is not */
    TN_TERM_COUNT,    /* of the values that output `number` and those after it
                         are                                                  */
    TN_TERM_NEGATIVE,
    TN_TERM_ADD,
    TN_TERM_SUBTRACT,
    TN_TERM_MULTIPLY,
    TN_TERM_DIVIDE,
    TN_TERM_REMAINDER,
    TN_TERM_ITEM,  /* left[right], which may be a list: several items        */
    TN_TERM_SLICE, /* left[right:last]                                       */
    TN_TERM_EMPTY, /* []                                                     */
    TN_TERM_JOIN,  /* [left right]                                           */
    TN_TERM_SUM,
    TN_TERM_PRODUCT,
    TN_TERM_LEAST,
    TN_TERM_REVERSE,
    TN_TERM_BROADCAST, /* dims that left and right have in common            */
    TN_TERM_INSERT,    /* left, with 1 at the places right of the result     */
    TN_TERM_REMOVE,    /* left, without the places right                     */
    TN_TERM_REPLACE,   /* left, with last at the places right                */
};

#define TN_TERM_NONE UINT16_MAX

struct tn_vocab_term {
    uint8_t  kind;              /* enum tn_vocab_term_kind                    */
    uint16_t left, right, last; /* terms of the same fact; TN_TERM_NONE: none */
    int64_t  number;
};

enum tn_vocab_relation {
    TN_RELATION_EQUAL,    /* ==                                              */
    TN_RELATION_UNEQUAL,  /* !=                                              */
    TN_RELATION_LEAST,    /* >=                                              */
    TN_RELATION_MOST,     /* <=                                              */
    TN_RELATION_WITHIN,   /* in RIGHT..LAST                                  */
    TN_RELATION_PERMUTES, /* each of 0 to RIGHT - 1 once                     */
    TN_RELATION_FITS,     /* can be broadcast to RIGHT                       */
    TN_RELATION_MEETS,    /* can be broadcast with RIGHT                     */
    TN_RELATION_ALIKE,    /* several inputs, of the same sizes but at RIGHT  */
    TN_RELATION_IS,       /* an attribute that is that text                  */
};

struct tn_vocab_claim {
    uint8_t         relation; /* enum tn_vocab_relation                       */
    bool            is_once;  /* WITHIN: none of them twice                   */
    uint16_t        left, right, last;
    struct tn_bytes left_text, right_text; /* as written; of IS what it is    */
};

/* `where CLAIM if CONDITION and CONDITION`, or `makes OUTPUT = LEFT if ...` */
struct tn_vocab_fact {
    const struct tn_vocab_fact *next;
    const struct tn_vocab_term *terms;
    uint32_t                    term_count;
    uint32_t                    output; /* makes: which; TN_NONE: a claim     */
    struct tn_vocab_claim       claim;
    struct tn_vocab_claim       conditions[2];
    uint32_t                    condition_count;
};

/* An input or output. */
struct tn_vocab_arg {
    struct tn_bytes     name;
    enum tn_vocab_arity arity;
    bool                is_mixed; /* several, each of its own type          */
    bool                is_ref;   /* a reference to a variable              */
    struct tn_bytes     list;     /* an attribute; see arity                */
    struct tn_bytes     variable; /* or attribute that says the type; empty:
                                     `types` does                           */
    bool
        has_others; /* $T|any: also `types`, which do not follow the variable */
    struct tn_vocab_types types;
    struct tn_vocab_rank  rank;
};

/* Where the calls of a dialect without named arguments keep an attribute: nd4j
 * has a list of numbers for each kind of value. */
enum tn_vocab_list {
    TN_VOCAB_NAMED,  /* by its name                                           */
    TN_VOCAB_IARGS,  /* @i: integers                                          */
    TN_VOCAB_TARGS,  /* @t: real numbers                                      */
    TN_VOCAB_BARGS,  /* @b: truth values                                      */
    TN_VOCAB_DARGS,  /* @d: element types                                     */
    TN_VOCAB_SARGS,  /* @s: texts                                             */
    TN_VOCAB_AXIS,   /* @axis: the call's dimensions, all of them             */
    TN_VOCAB_SCALAR, /* @scalar: the call's scalar                            */
};

struct tn_vocab_attr {
    struct tn_bytes name;
    struct tn_bytes type; /* "int", "list(int)": the dialect's words   */
    bool            is_list;
    bool            is_required; /* neither optional nor with a default       */
    bool            has_default;
    bool            has_minimum;
    bool            is_restricted; /* to `types` or `strings`                 */
    struct tn_attr_value   value;  /* the default                             */
    int64_t                minimum; /* of the value, or of the list's length  */
    uint64_t               types;   /* allowed: bits by enum tn_dtype         */
    const struct tn_bytes *strings; /* allowed                                */
    uint32_t               string_count;
    enum tn_vocab_list     list;
    uint32_t               slot;    /* place in that list                   */
    bool                   is_rest; /* @i3..: that slot and all after it    */
};

struct tn_vocab_op {
    struct tn_bytes name;
    uint32_t        since;
    uint32_t        deprecated; /* since that version; 0: it is not           */
    bool            has_signature;
    bool            is_legacy; /* known by name only                          */
    bool            is_loose;  /* takes attributes that are not listed        */
    bool            is_stateful, is_commutative, is_aggregate;
    bool            is_promoting; /* arguments of one variable may differ     */
    struct tn_bytes kernel; /* legacy(TRANSFORM_SAME 12): called by that type
                               and number, not by its name; empty: by name    */
    uint32_t kernel_number;

    const struct tn_vocab_arg      *inputs, *outputs;
    const struct tn_vocab_attr     *attrs;
    const struct tn_vocab_variable *variables;
    uint32_t input_count, output_count, attr_count, variable_count;

    /* How many values; UINT32_MAX: no limit.  Not for operators whose
     * lists are counted by attributes (has_lists). */
    uint32_t min_inputs, max_inputs, min_outputs, max_outputs;
    uint64_t output_counts; /* bits: the only ones allowed; 0: all in between */
    bool     has_lists;
    bool     has_ranks;  /* some argument says which it may have              */
    bool     has_shapes; /* some argument has [s]                            */
    const struct tn_vocab_fact *facts;
    uint64_t fact_attrs;    /* bits: attributes that facts speak of           */
    uint64_t fact_elements; /* the same: inputs whose elements matter         */
};

struct tn_vocab_row;
struct tn_vocab_set;
struct tn_vocab_facts;

struct tn_vocab_domain {
    struct tn_bytes names[2]; /* "ai.onnx" and "" are one                     */
    uint32_t        name_count;
    bool            is_open; /* others may add operators                      */
    uint32_t        first_row, row_count;
};

struct tn_vocab {
    struct tn_arena        *arena;
    struct tn_bytes         text;
    struct tn_bytes         dialect;
    struct tn_vocab_domain *domains;
    uint32_t                domain_count;
    struct tn_vocab_row    *rows; /* by domain, name, version; NULL: it is
                                     packed                                   */
    uint32_t               row_count;
    struct tn_vocab_set   *sets; /* named types                              */
    uint32_t               set_count;
    struct tn_vocab_facts *facts; /* about operators, by the names of these   */
    uint32_t               facts_count;

    /* Of a packed one (vocab_pack.h). */
    struct tn_packed           packed;
    const uint8_t             *packed_rows;
    const struct tn_vocab_op **ops; /* by row; NULL: not used yet             */
};

/* Whether a dialect has a built-in vocabulary. */
bool tn_vocab_is_builtin(const char *dialect);

/* Opens a built-in vocabulary, which was parsed when the library was built: no
 * line is read again.  NOT_FOUND if there is none. */
enum tn_status tn_vocab_open(struct tn_vocab *vocab, struct tn_arena *arena,
                             const char *dialect, struct tn_error *error);

/* Index the text, which must outlive the vocabulary.  A broken line is refused
 * with its byte, line and column when it is reached: tn_vocab_load() reaches
 * all of them, tn_vocab_index() leaves the operators until they are used. */
enum tn_status tn_vocab_load(struct tn_vocab *vocab, struct tn_arena *arena,
                             struct tn_bytes text, struct tn_error *error);
enum tn_status tn_vocab_index(struct tn_vocab *vocab, struct tn_arena *arena,
                              struct tn_bytes text, struct tn_error *error);

/* The element types that the dialect has, as bits by enum tn_dtype: its set
 * `any`.  All of them when it names no such set. */
uint64_t tn_vocab_any(const struct tn_vocab *vocab);

/* The domain of that name, or NULL. */
const struct tn_vocab_domain *tn_vocab_domain(const struct tn_vocab *vocab,
                                              struct tn_bytes        name);

/* The newest one that is not newer than `version`; NULL if there is none, or
 * `error` says what is wrong with its lines.  Borrowed from the arena. */
const struct tn_vocab_op *tn_vocab_find(struct tn_vocab *vocab,
                                        struct tn_bytes  domain,
                                        struct tn_bytes name, int64_t version,
                                        struct tn_error *error);

/* The version that brought it first, and the one that replaced the one of
 * `version`; -1: there is none. */
int64_t tn_vocab_first_version(const struct tn_vocab *vocab,
                               struct tn_bytes domain, struct tn_bytes name);
int64_t tn_vocab_next_version(const struct tn_vocab *vocab,
                              struct tn_bytes domain, struct tn_bytes name,
                              int64_t version);

/* Operators in order, for callers that need all: `index` below row_count. */
const struct tn_vocab_op *tn_vocab_at(struct tn_vocab *vocab, uint32_t index,
                                      struct tn_error *error);

/* The name of one of them. */
struct tn_bytes tn_vocab_row_name(const struct tn_vocab *vocab, uint32_t index);

const struct tn_vocab_attr *tn_vocab_find_attr(const struct tn_vocab_op *op,
                                               struct tn_bytes           name);

/* The attribute that sits in that slot, or takes all from a lower one on. */
const struct tn_vocab_attr *tn_vocab_find_slot(const struct tn_vocab_op *op,
                                               enum tn_vocab_list        list,
                                               uint32_t                  slot);

#endif
