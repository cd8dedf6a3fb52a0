/*
 * sd_plan.h - what a SameDiff writer writes, wherever the model came from
 *
 * Variables of the file with their data, numbers of operations, states.  Of a
 * model that was read and not edited they are those of its file; else they are
 * made of the tables: what has data is VARIABLE or CONSTANT by its role, inputs
 * are PLACEHOLDER, outputs of ops are ARRAY.
 */
#ifndef TN_FORMAT_SD_PLAN_H
#define TN_FORMAT_SD_PLAN_H

#include "base/intern.h"
#include "format/samediff/sd_node.h"

struct tn_sd_entry {
    struct tn_sd_variable     v; /* its number is set                         */
    const struct tn_elements *elements; /* NULL: no data                      */
};

struct tn_sd_kept {
    struct tn_bytes            param;
    uint32_t                   count;
    const struct tn_bytes     *keys;
    const struct tn_elements **values;
};

struct tn_sd_plan {
    const struct tn_model         *model;
    const struct tn_write_options *options;
    struct tn_arena               *arena;
    struct tn_error               *error;
    uint32_t                       graph;
    const struct tn_sd_graph      *row; /* NULL: not of a file                */
    struct tn_sd_entry            *entries;
    uint32_t                       count;
    struct tn_intern               names; /* of entries; ids are indices      */
    const int32_t                 *op_ids; /* by ordinal                      */
    uint32_t                       first_op, op_count;
    struct tn_sd_names             loss;
    struct tn_bytes                training;
    struct tn_sd_kept             *states;
    uint32_t                       state_count;
};

enum tn_status tn_sd_plan_make(struct tn_sd_plan     *plan,
                               const struct tn_model *model, uint32_t graph,
                               const struct tn_write_options *options,
                               struct tn_arena *arena, struct tn_error *error);
void           tn_sd_plan_done(struct tn_sd_plan *plan);

/* The entry of that name; NULL: none. */
struct tn_sd_entry *tn_sd_plan_find(const struct tn_sd_plan *plan,
                                    struct tn_bytes          name);

/* Says what is left behind. */
void tn_sd_lose(const struct tn_write_options *options, uint64_t offset,
                const char *where, const char *what);

/* The same of a file beside the model, and of all that the model has. */
void tn_sd_lose_beside(const struct tn_write_options *options,
                       struct tn_bytes                name);
void tn_sd_lose_all_beside(const struct tn_write_options *options,
                           const struct tn_model         *model);

/* Bytes of the elements; 0 when there are none. */
uint64_t tn_sd_entry_size(const struct tn_sd_entry *entry);

#endif
