/*
 * lang_build.h - one rule made ready to run: names become slots, calls callees
 *
 * lang_build.c has the rule itself, lang_build_call.c what its calls refer to.
 * How deep expressions may nest is counted.
 */
#ifndef TN_MAP_LANG_BUILD_H
#define TN_MAP_LANG_BUILD_H

#include "map/lang/lang_code.h"

/* A name in sight, and where it is kept. */
struct tn_sight {
    struct tn_bytes name;
    uint32_t        slot;
};

struct tn_builder {
    struct tn_code_set  *set;
    struct tn_code_file *file;
    struct tn_list       sights; /* struct sight; the last of a name counts   */
    uint32_t             slot_count;
    uint32_t             depth;
    const struct tn_lang_head *outputs; /* of the rule; NULL: not in a rule   */
    uint32_t                   first_output;
    struct tn_error           *error;
};

/* In the arena of the set; NULL on failure. */
struct tn_code_rule *tn_build_rule(struct tn_code_set         *set,
                                   const struct tn_code_entry *entry,
                                   struct tn_error            *error);

/* ---- for each other ----------------------------------------------------- */

/* INVALID, at that place: "what 'name'".  Is false. */
bool tn_build_refuse(struct tn_builder *b, const struct tn_map_place *place,
                     const char *what, struct tn_bytes name);

/* A new slot, whose name is in sight from now on. */
uint32_t tn_build_add_slot(struct tn_builder *b, struct tn_bytes name);

/* False: refused, or failed. */
bool tn_build_code(struct tn_builder *b, const struct tn_lang_expr *expr,
                   struct tn_code *code);
bool tn_build_block(struct tn_builder *b, const struct tn_lang_block *block,
                    struct tn_code_block *code);
bool tn_build_literal(struct tn_builder *b, const struct tn_lang_expr *expr,
                      struct tn_item *item);

/* Slots of what a head names: inputs, attributes with their defaults, outputs.
 * `op` is what the vocabulary says of it, or NULL. */
bool tn_build_frame(struct tn_builder *b, const struct tn_lang_head *head,
                    const struct tn_vocab_op *op, struct tn_code_frame *frame);

/* Whom a call calls; its arguments are made. */
bool tn_build_call(struct tn_builder *b, const struct tn_lang_expr *expr,
                   struct tn_code *code);

#endif
