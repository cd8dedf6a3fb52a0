/* paddle_pir_maker.h - what the files that read PIR share */
#ifndef TN_FORMAT_PADDLE_PIR_MAKER_H
#define TN_FORMAT_PADDLE_PIR_MAKER_H

#include "base/intern.h"
#include "format/paddle/paddle_pir_scan.h"

/* A block of the program that is made. */
struct tn_pir_made_block {
    struct tn_rope vars, ops;
    uint32_t       parent;
};

struct tn_pir_maker {
    struct tn_pir_scan *scan;
    struct tn_arena    *arena;
    struct tn_error    *error;
    struct tn_list blocks; /* struct tn_pir_made_block                        */
    struct tn_list  *told; /* struct tn_pir_note; NULL: nobody asks     */
    struct tn_intern names;    /* that are taken                           */
    struct tn_intern counters; /* types of operators, by                   */
    struct tn_list   counts;   /* uint32_t, how many there were            */
    struct tn_list   feeds;    /* uint32_t, ops                            */
    struct tn_buffer text;     /* scratch                                  */
    uint32_t         fetch_count;
    uint32_t         ordinal; /* in its block, of the operator being made */
};

/* A variable on its way into a block. */
struct tn_pir_var {
    struct tn_bytes       name;
    const struct tn_tree *type;
    bool     is_persistable, needs_feed, is_parameter, stop_gradient;
    int64_t  lod_level;
    uint32_t raw_type; /* instead of `type`: FEED and so on; 0: none          */
    const char     *note; /* an attribute, and what it says                   */
    struct tn_bytes note_text;
};

/* A slot of the operator that is made. */
struct tn_pir_slot {
    struct tn_bytes        name;
    const struct tn_bytes *args;
    uint32_t               count;
};

#define TN_PIR_SLOT_LIMIT 32

struct tn_pir_made_op {
    struct tn_bytes    type;
    struct tn_pir_slot in[TN_PIR_SLOT_LIMIT], out[TN_PIR_SLOT_LIMIT];
    uint32_t           in_count, out_count;
    struct tn_rope     attrs;
};

/* ---- names and variables ------------------------------------------------ */

struct tn_pir_made_block *tn_pirm_block_at(struct tn_pir_maker *m,
                                           uint32_t             block);
/* A tree as it is printed, in the arena; empty for NULL. */
struct tn_bytes tn_pirm_text_of(struct tn_pir_maker  *m,
                                const struct tn_tree *tree);

/* False: somebody has it. */
bool tn_pirm_take_name(struct tn_pir_maker *m, struct tn_bytes name);
/* STEM, or STEM_1, STEM_2 when that is taken. */
struct tn_bytes tn_pirm_fresh_name(struct tn_pir_maker *m, const char *stem);
/* How many operators of that type there were before; `conv2d_3.tmp_0`. */
uint32_t tn_pirm_next_count(struct tn_pir_maker *m, struct tn_bytes type);
struct tn_bytes tn_pirm_temporary(struct tn_pir_maker *m, struct tn_bytes type,
                                  uint32_t count, uint32_t index);

/* What a value is called: by one name, or by those of another. */
void tn_pirm_set_name(struct tn_pir_maker *m, struct tn_pir_result *row,
                      struct tn_bytes name);
void tn_pirm_same_names(struct tn_pir_result       *row,
                        const struct tn_pir_result *as);

/* is_shape_note: the dims are 0 and those of the type, as of XShape. */
void tn_pirm_put_var(struct tn_pir_maker *m, uint32_t block,
                     const struct tn_pir_var *var, bool is_shape_note);

/* A result without a type is none; one of several tensors is a vector. */
bool tn_pirm_is_missing(const struct tn_pir_result *row);
bool tn_pirm_is_vector(const struct tn_pir_result *row);

/* Names and variables of a result, unless it has them. */
void tn_pirm_declare(struct tn_pir_maker *m, uint32_t block,
                     struct tn_pir_result *row, struct tn_bytes type,
                     uint32_t count);

/* ---- operators ---------------------------------------------------------- */

/* Begin, add slots and attributes in any order, end: it is then in `to`. */
void tn_pirm_op_begin(struct tn_pir_maker *m, struct tn_pir_made_op *op,
                      struct tn_bytes type);
void tn_pirm_add_slot(struct tn_pir_maker *m, struct tn_pir_slot *slots,
                      uint32_t *count, struct tn_bytes name,
                      const struct tn_bytes *args, uint32_t arg_count);
void tn_pirm_add_in(struct tn_pir_maker *m, struct tn_pir_made_op *op,
                    const char *name, const struct tn_bytes *args,
                    uint32_t count);
void tn_pirm_add_out(struct tn_pir_maker *m, struct tn_pir_made_op *op,
                     const char *name, const struct tn_bytes *args,
                     uint32_t count);
void tn_pirm_op_end(struct tn_pir_made_op *op, struct tn_rope *to);
void tn_pirm_put_int(struct tn_pir_maker *m, struct tn_pir_made_op *op,
                     const char *name, uint8_t type, int64_t number);
void tn_pirm_put_text(struct tn_pir_maker *m, struct tn_pir_made_op *op,
                      const char *name, struct tn_bytes text);

/* An attribute that no rule names: as what it is, or else as its JSON. */
void tn_pirm_put_natural(struct tn_pir_maker *m, struct tn_pir_made_op *op,
                         struct tn_bytes name, const struct tn_tree *attr);

/* Operand `index`, or one without a name. */
const struct tn_pir_result *tn_pirm_operand(struct tn_pir_maker    *m,
                                            const struct tn_pir_op *op,
                                            uint32_t                index);

/* By a rule; one that our writer had no rule for; any other. */
void tn_pirm_make_ruled(struct tn_pir_maker *m, const struct tn_pir_op *from);
void tn_pirm_make_legacy(struct tn_pir_maker *m, const struct tn_pir_op *from);
void tn_pirm_make_unknown(struct tn_pir_maker *m, const struct tn_pir_op *from);

/* With regions. */
void tn_pirm_make_if(struct tn_pir_maker *m, const struct tn_pir_op *from);
void tn_pirm_make_while(struct tn_pir_maker *m, const struct tn_pir_op *from);

/* All operators of a block, into the block of the same number. */
void tn_pirm_make_block(struct tn_pir_maker *m, uint32_t block);

#endif
