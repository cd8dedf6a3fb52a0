/*
 * paddle_pir_scan.h - a PIR program as tables: operators, values, blocks
 *
 * The first half of reading: the JSON is understood, every value is defined
 * once and before it is used, and it is known what folds into what.
 */
#ifndef TN_FORMAT_PADDLE_PIR_SCAN_H
#define TN_FORMAT_PADDLE_PIR_SCAN_H

#include "format/paddle/paddle_pir.h"
#include "ir/pairs.h"

/* Regions inside regions. */
#define TN_PIR_REGION_LIMIT 16

struct tn_pir_result {
    int64_t               number;
    const struct tn_tree *type;  /* TT; NULL: none                           */
    uint32_t              op;    /* TN_NONE: an argument of a block          */
    uint32_t              index; /* which result of it, or which argument    */
    uint32_t              block;
    uint32_t              uses, plain_uses; /* plain: not folded away         */
    bool                  is_gone; /* its block is closed                     */
    bool                  stop_gradient, persistable;
    struct tn_bytes       wish;  /* how it shall be called; empty: no matter  */
    struct tn_bytes      *names; /* one, or those of a vector                 */
    uint32_t              name_count;
};

struct tn_pir_op {
    const struct tn_tree     *tree, *attrs; /* attrs: the list A, or NULL     */
    struct tn_bytes           id;           /* "1.conv2d"                     */
    const struct tn_pir_rule *rule;         /* NULL: none                     */
    const uint32_t           *operands;     /* results; TN_NONE: not given    */
    uint32_t                  operand_count;
    uint32_t                  first_result, result_count;
    uint32_t                  block;
    uint32_t                  next; /* in its block; TN_NONE: it is the last  */
    uint32_t                  first_block, block_count; /* its regions        */
};

struct tn_pir_block {
    uint32_t first_op, last_op;
    uint32_t first_arg, arg_count; /* results                                 */
    uint32_t next;                 /* region of the same operator             */
};

struct tn_pir_scan {
    struct tn_arena    *arena;
    struct tn_error    *error;
    struct tn_pir_rules rules;
    struct tn_list      ops;     /* struct tn_pir_op                          */
    struct tn_list      results; /* struct tn_pir_result                      */
    struct tn_list      blocks; /* struct tn_pir_block; the first is the root */
    struct tn_pairs     numbers; /* of a value -> its result                  */
};

enum tn_status tn_pir_scan_init(struct tn_pir_scan *scan,
                                struct tn_arena *arena, struct tn_error *error);
void           tn_pir_scan_done(struct tn_pir_scan *scan);
enum tn_status tn_pir_scan_read(struct tn_pir_scan   *scan,
                                const struct tn_tree *root);

/* The attribute of an operator, {"#":..., "D":...}, or NULL. */
const struct tn_tree *tn_pir_op_attr(const struct tn_pir_op *op,
                                     const char             *name);

/* Operand `index` is a constant that becomes an attribute: its value. */
bool tn_pir_folds(struct tn_pir_scan *scan, const struct tn_pir_op *op,
                  uint32_t index, struct tn_pir_value *value);

/* Operand `index` is made by an operator that our writer put there, and which
 * goes again: `mark` is the attribute that says so. */
const struct tn_pir_op *tn_pir_helper(const struct tn_pir_scan *scan,
                                      const struct tn_pir_op   *op,
                                      uint32_t index, const char *mark);

static inline struct tn_pir_op *tn_pir_op_at(const struct tn_pir_scan *scan,
                                             uint32_t                  op)
{
    return tn_list_at(&scan->ops, struct tn_pir_op, op);
}

static inline struct tn_pir_result *tn_pir_result_at(
    const struct tn_pir_scan *scan, uint32_t result)
{
    return tn_list_at(&scan->results, struct tn_pir_result, result);
}

static inline struct tn_pir_block *tn_pir_block_at(
    const struct tn_pir_scan *scan, uint32_t block)
{
    return tn_list_at(&scan->blocks, struct tn_pir_block, block);
}

#endif
