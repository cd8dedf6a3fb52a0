/* paddle_pir_desc.h - a ProgramDesc in memory, for the writer of PIR */
#ifndef TN_FORMAT_PADDLE_PIR_DESC_H
#define TN_FORMAT_PADDLE_PIR_DESC_H

#include "format/paddle/paddle_pir.h"

struct tn_desc_slot {
    struct tn_bytes        name;
    const struct tn_bytes *args;
    uint32_t               count;
};

struct tn_desc_attr {
    struct tn_bytes     name;
    struct tn_pir_value value;
    bool                is_used; /* a rule has translated it already          */
};

struct tn_desc_op {
    struct tn_bytes            type;
    const struct tn_desc_slot *in, *out;
    struct tn_desc_attr       *attrs;
    uint32_t                   in_count, out_count, attr_count;
    uint64_t                   offset;
};

struct tn_desc_var {
    struct tn_paddle_var var;
    bool                 stop_gradient;
    struct tn_bytes      flags; /* flags of a parameter that our reader kept  */
    struct tn_bytes      kept;  /* the type as our reader kept it, or empty   */
    struct tn_bytes      type;  /* as JSON; empty: not made yet               */
};

struct tn_desc_block {
    struct tn_desc_var *vars;
    struct tn_desc_op  *ops;
    uint32_t            var_count, op_count;
};

struct tn_desc {
    struct tn_desc_block *blocks;
    uint32_t              block_count;
    uint64_t              callstack_count;
    bool                  has_op_versions;
    int64_t               version; /* of Paddle; -1: the program does not say */
};

enum tn_status tn_desc_read(struct tn_desc *desc, struct tn_span program,
                            struct tn_arena *arena, struct tn_error *error);

/* By name, or NULL. */
const struct tn_desc_slot *tn_desc_slot(const struct tn_desc_slot *slots,
                                        uint32_t count, struct tn_bytes name);
struct tn_desc_attr       *tn_desc_attr(const struct tn_desc_op *op,
                                        struct tn_bytes          name);

/* Argument `index` of a slot; "" if there is no slot or no such argument. */
static inline struct tn_bytes tn_desc_arg(const struct tn_desc_slot *slot,
                                          uint32_t                   index)
{
    return slot && index < slot->count ? slot->args[index] : tn_bytes("", 0);
}

#endif
