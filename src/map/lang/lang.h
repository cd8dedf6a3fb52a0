/*
 * lang.h - the language of rules: what a rule file says, as a tree
 *
 * rules/README.md teaches the language.  A file has one of two kinds:
 *
 *   rules onnx -> nd4j 1       how ops of one dialect become ops of another
 *   rules onnx <-> nd4j 1      the same; rules with <=> run both ways
 *   rules onnx -> onnx 1 simplify
 *                              fewer nodes: repeated as long as a rule applies
 *   rules onnx -> onnx 1 older
 *                              ops as they were before a version; newer: as
 *                              they are since
 *   shapes onnx 1              what type and shape the outputs of ops have, and
 *                              their values where they follow from shapes
 *
 * lang_parse.c reads text into this tree, lang_check.c checks it against the
 * vocabularies, lang_eval.c computes expressions over a net, lang_apply.c makes
 * nodes.  Nothing here can run forever: definitions may use only what comes
 * before them, loops run over lists, and lists and nodes are counted.
 */
#ifndef TN_MAP_LANG_H
#define TN_MAP_LANG_H

#include <tenon/dtype.h>

#include "base/location.h"
#include "base/pack.h"

/* ---- expressions -------------------------------------------------------- */

enum tn_lang_kind {
    /* leaves */
    TN_LANG_NONE,    /* none: not given                                       */
    TN_LANG_UNKNOWN, /* ?: in files of shapes                                 */
    TN_LANG_BOOL,    /* .number                                               */
    TN_LANG_INT,     /* .number                                               */
    TN_LANG_FLOAT,   /* .real                                                 */
    TN_LANG_STRING,  /* .text                                                 */
    TN_LANG_DTYPE,   /* .number: enum tn_dtype                                */
    TN_LANG_NAME,    /* .text: a value, attribute, let or variable of a loop  */

    /* of items */
    TN_LANG_LIST,  /* [a, b]                                                  */
    TN_LANG_EACH,  /* [items[0] for .text in items[1] if items[2]]; .second is
                      the index's name in [... for i, x in ...], or empty;
                      items[2] may be missing                                 */
    TN_LANG_INDEX, /* items[0][items[1]]                                      */
    TN_LANG_SLICE, /* items[0][items[1]:items[2]:items[3]]; NULL: left out    */
    TN_LANG_CALL,  /* .text(items...; attrs...): .callee says of what         */
    TN_LANG_IF,    /* if items[0] then items[1] else items[2]                 */
    TN_LANG_SPREAD, /* items[0]...: its elements, in a list of arguments      */

    /* operators of one or two items */
    TN_LANG_NOT,
    TN_LANG_NEGATE,
    TN_LANG_OR,
    TN_LANG_AND,
    TN_LANG_EQ,
    TN_LANG_NE,
    TN_LANG_LT,
    TN_LANG_LE,
    TN_LANG_GT,
    TN_LANG_GE,
    TN_LANG_IN,
    TN_LANG_ADD, /* numbers; lists and strings are joined                     */
    TN_LANG_SUB,
    TN_LANG_MUL,
    TN_LANG_DIV,   /* of floats                                               */
    TN_LANG_FLOOR, /* //: floor of the quotient                               */
    TN_LANG_MOD,   /* sign of the divisor                                     */
    TN_LANG_POWER, /* **                                                      */
};

/* In place of values (inputs of calls, the right side of <-), calls are of
 * macros, ops or const; elsewhere they are of builtins, defs and tables.  So an
 * op may have the name of a builtin. */
enum tn_lang_callee {
    TN_LANG_TO_BUILTIN, /* rank(X), value(X), ... by name: the parser does not
                           know them                                          */
    TN_LANG_TO_CONST,   /* const(EXPR, DTYPE[, DIMS]): a constant             */
    TN_LANG_TO_RESCALED, /* rescaled(W, FACTORS, AXIS[, PLUS])                 */
    TN_LANG_TO_DEF,     /* .target: index in file->defs                       */
    TN_LANG_TO_TABLE,   /* .target: index in file->tables                     */
    TN_LANG_TO_MACRO,   /* .target: index in file->macros                     */
    TN_LANG_TO_OP,      /* emits a node of the target dialect                 */
};

/* name: expression, in a call or in a head. */
struct tn_lang_attr {
    struct tn_bytes            name;
    const struct tn_lang_expr *value; /* in a call: what it is set to; in a
                                         head: NULL, or the default, or what it
                                         must be (see is_match)               */
    struct tn_bytes    as;         /* head: the name it goes by in the body  */
    bool               is_ignored; /* head: -name                            */
    bool               is_match;   /* head: name: literal                    */
    struct tn_location place;
};

/* No tree is deeper, counting a def with its body: code that walks one may
 * recurse. */
#define TN_LANG_DEPTH 200

struct tn_lang_expr {
    enum tn_lang_kind   kind;
    uint32_t            depth;
    enum tn_lang_callee callee;
    uint32_t            target;
    int64_t             number;
    double              real;
    struct tn_bytes     text, second;
    struct tn_bytes     domain; /* of an op: com.microsoft::Gelu       */
    const struct tn_lang_expr **items;
    uint32_t                    item_count;
    const struct tn_lang_attr  *attrs;
    uint32_t                    attr_count;
    struct tn_location          place;
};

/* ---- statements --------------------------------------------------------- */

enum tn_lang_step_kind {
    TN_LANG_LET,     /* let names[0] = expr                                   */
    TN_LANG_EMIT,    /* names <- expr; a name that is "_" is not wanted       */
    TN_LANG_WHEN,    /* if expr { body } else { other }                       */
    TN_LANG_FOR,     /* for names[0] in expr { body }; two names: index, item */
    TN_LANG_REFUSE,  /* refuse expr: a string that says why not               */
    TN_LANG_REQUIRE, /* require expr, "why"                                   */
};

struct tn_lang_block {
    const struct tn_lang_step *steps;
    uint32_t                   count;
};

struct tn_lang_step {
    enum tn_lang_step_kind     kind;
    const struct tn_bytes     *names;
    uint32_t                   name_count;
    bool                       last_is_many; /* EMIT: a, bs... <- expr        */
    const struct tn_lang_expr *expr;
    struct tn_bytes            why; /* REQUIRE                                */
    struct tn_lang_block       body, other;
    struct tn_location         place;
};

/* ---- heads, rules, files ------------------------------------------------ */

enum tn_lang_arity {
    TN_LANG_ONE,
    TN_LANG_OPTIONAL, /* B?                                                   */
    TN_LANG_MANY,     /* xs...: a list                                        */
};

struct tn_lang_pattern;

struct tn_lang_param {
    struct tn_bytes    name; /* "_": it has none                             */
    enum tn_lang_arity arity;
    struct tn_location place;
    /* In the head of a rule: the node that must make it, or what all elements
     * of it must be; NULL: it may be anything. */
    const struct tn_lang_pattern *maker;
    const struct tn_lang_expr    *literal;
};

/* Conv@1..10(X, W, B?; pads, -auto_pad) -> (Y) when rank(X) == 4
 * Where the text names no outputs there is one, TN_LANG_OUTPUT. */
#define TN_LANG_OUTPUT "=>"

struct tn_lang_head {
    struct tn_bytes             op, domain;
    int64_t                     since, until; /* both included; 0, INT64_MAX  */
    const struct tn_lang_param *inputs, *outputs;
    uint32_t                    input_count, output_count;
    const struct tn_lang_attr  *attrs;
    uint32_t                    attr_count;
    const struct tn_lang_expr  *guard; /* NULL: always                        */
    bool               is_any_order; /* Add{x, y}: two inputs, also swapped  */
    struct tn_location place;
};

/* once Conv(X, W, B?; pads)[0]: a node inside of the head of a rule.  It has
 * neither names of outputs nor a guard. */
struct tn_lang_pattern {
    struct tn_lang_head head;
    uint32_t            output;   /* of the node, that the input is           */
    bool                is_once;  /* no other node takes that output          */
    bool                is_maybe; /* without it, its first input is the value */
};

/* Nodes of a pattern, and those of them whose inputs may be swapped: all orders
 * are tried. */
#define TN_LANG_PATTERN_NODES 32
#define TN_LANG_PATTERN_SWAPS 4

/* Whether the head describes more than one node. */
static inline bool tn_lang_has_pattern(const struct tn_lang_head *head)
{
    for (uint32_t i = 0; i < head->input_count; i++)
        if (head->inputs[i].maker || head->inputs[i].literal)
            return true;
    return head->is_any_order;
}

/* In a file of shapes: what an output is; of ys... each of them. */
struct tn_lang_shape {
    const struct tn_lang_expr *dtype, *dims; /* NULL: not known               */
    const struct tn_lang_expr *value;        /* flat list; NULL: not known    */
};

/* A piece of the text of a file: see tn_lang_text(). */
struct tn_lang_piece {
    uint32_t at, size;
};

struct tn_lang_rule {
    struct tn_lang_head         head;
    struct tn_lang_block        body;
    struct tn_bytes             native; /* => native NAME: a function in C    */
    const struct tn_lang_shape *shapes; /* one for each output; of a file of
                                           shapes                             */
    uint32_t           shape_count;
    bool               is_reversed; /* the way back of a <=>         */
    bool               has_pattern; /* the head describes several nodes */
    bool               takes_pairs; /* it is for complex numbers     */
    struct tn_lang_piece text;      /* as in the file                */
    struct tn_location place;
    uint32_t           rest; /* of a packed file; 0: it is complete  */
};

struct tn_lang_def {
    struct tn_bytes            name;
    const struct tn_bytes     *params;
    uint32_t                   param_count;
    const struct tn_lang_expr *body;
    struct tn_location         place;
    uint32_t                   rest; /* as of a rule                         */
};

struct tn_lang_table {
    struct tn_bytes             name;
    const struct tn_lang_expr **keys, **values; /* literals                   */
    uint32_t                    count;
    struct tn_location          place;
    uint32_t                    rest; /* as of a rule                         */
};

struct tn_lang_macro {
    struct tn_bytes      name;
    struct tn_lang_head  head; /* inputs, attrs (= parameters), outputs       */
    struct tn_lang_block body;
    struct tn_location   place;
    uint32_t             rest; /* as of a rule                                */
};

/* example NODE => NODES after a rule: what `tenon rules test` runs. */
struct tn_lang_example {
    uint32_t           rule;    /* in rules, or in back                     */
    bool               is_back; /* of a <=                                  */
    struct tn_lang_piece text; /* NODE => NODES, as in the file             */
    struct tn_location   place;
};

struct tn_lang_file {
    const char     *name;
    struct tn_bytes from, to; /* dialects; `to` is empty for shapes           */
    bool            is_both_ways;
    bool            is_shapes;
    bool            is_simplifier; /* simplifies a graph of one dialect       */
    bool is_older, is_newer; /* an op of a version as one before it, or after */
    struct tn_arena *arena;
    struct tn_list   rules;  /* struct tn_lang_rule: from -> to              */
    struct tn_list   back;   /* struct tn_lang_rule: to -> from, of <=>, <=  */
    struct tn_list   defs;   /* struct tn_lang_def                           */
    struct tn_list   tables; /* struct tn_lang_table                         */
    struct tn_list   macros; /* struct tn_lang_macro                         */
    struct tn_list examples; /* struct tn_lang_example                       */
    struct tn_list ignored;  /* struct tn_bytes: attributes that no head of
                                the file needs to name                       */
    const struct tn_native *functions; /* set by the caller of the parser     */
    uint32_t                function_count;
    struct tn_bytes text; /* empty: it is not known                           */

    /* Of a packed file (lang_pack.h). */
    struct tn_packed packed; /* where the rest of its items is                */
    uint32_t         rest;   /* that of examples, as of a rule                */
};

/* Empty where the text of the file is not known. */
static inline struct tn_bytes tn_lang_text(const struct tn_lang_file *file,
                                           struct tn_lang_piece       piece)
{
    return file->text.data ? tn_bytes(file->text.data + piece.at, piece.size)
                           : tn_bytes(NULL, 0);
}

/* Reads a file; everything lives in the arena, the text must outlive it.  What
 * is wrong is refused with line and column, and what was expected there.
 * Done also after a failure. */
enum tn_status tn_lang_parse(struct tn_lang_file *file, struct tn_arena *arena,
                             const char *name, struct tn_bytes text,
                             struct tn_error *error);
void           tn_lang_done(struct tn_lang_file *file);

/* A file without items. */
void tn_lang_init(struct tn_lang_file *file, struct tn_arena *arena,
                  const char *name);

/* Whether two literals are the same. */
bool tn_lang_is_same(const struct tn_lang_expr *a,
                     const struct tn_lang_expr *b);

#endif
