/*
 * lang_example_run.h - one example on its way: read, run, compared
 *
 * lang_example_read.c has its grammar, lang_example.c makes a net of it and
 * runs the rules, lang_example_print.c compares what they made with what is
 * wanted.
 */
#ifndef TN_MAP_LANG_EXAMPLE_RUN_H
#define TN_MAP_LANG_EXAMPLE_RUN_H

#include "map/lang/infer.h"
#include "map/lang/lang_example.h"
#include "map/lang/lang_parser.h"

/* What a node may be: examples are small. */
#define TN_EXAMPLE_IO_MAX   64
#define TN_EXAMPLE_RANK_MAX 16

struct tn_example_input {
    struct tn_bytes name; /* empty: not given                      */
    enum tn_dtype   dtype;
    bool            has_rank;
    uint32_t        rank;
    int64_t         dims[TN_EXAMPLE_RANK_MAX]; /* -1: not known             */
    const struct tn_lang_expr *value;          /* NULL: not a constant      */
};

struct tn_example {
    const struct tn_lang_file      *file;
    const struct tn_example_shapes *both;
    const struct tn_lang_example   *example;
    const struct tn_lang_rule      *rule;
    struct tn_lang_file   words; /* nothing is defined in an example  */
    struct tn_lang_parser p;
    struct tn_arena      *arena;
    struct tn_error      *error;
    struct tn_net         from, to;

    struct tn_bytes op, domain;
    int64_t         version; /* -1: it does not say                       */
    struct tn_example_input inputs[TN_EXAMPLE_IO_MAX];
    uint32_t                input_count;
    struct tn_list  attrs; /* struct tn_lang_attr                         */
    struct tn_bytes outputs[TN_EXAMPLE_IO_MAX];
    uint32_t        output_count;
    const struct tn_lang_expr *wanted;
};

/* Fills in the node and what is wanted; false: it failed. */
bool tn_example_read(struct tn_example *r);

/* A literal of the example as an item. */
struct tn_item tn_example_item(struct tn_example         *r,
                               const struct tn_lang_expr *expr);

/* NULL: what was made is what is wanted; else "makes this, not that". */
const char *tn_example_compare(struct tn_example *r, struct tn_infer *made);

#endif
