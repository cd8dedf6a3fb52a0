/*
 * sd_content.h - the content of a SameDiff file, for models of any origin
 *
 * Variables with their data, numbers of operations, states.  For a model that
 * was read and not edited, they are those of its file.  Otherwise they are made
 * from the tables: tensors are VARIABLE or CONSTANT by their role, inputs are
 * PLACEHOLDER, outputs of ops are ARRAY.
 */
#ifndef TN_FORMAT_SD_CONTENT_H
#define TN_FORMAT_SD_CONTENT_H

#include "base/intern.h"
#include "format/samediff/sd_node.h"

/* A variable of the file. */
struct tn_sd_entry {
    struct tn_bytes              name;
    const struct tn_elements    *elements; /* NULL: no data                   */
    const struct tn_sd_variable *said; /* its declaration in the file or as an
                                          input or output of the graph: shape,
                                          control dependencies; never NULL    */
    int32_t first, second; /* id: which op produces it, as which output       */
    int8_t  dtype;
    int8_t  kind; /* enum tn_sd_kind, or what the file says                   */
};

/* As it is kept: there may be millions. */
struct tn_sd_entry_row {
    uint32_t name;   /* of the model, or of content->names                    */
    uint32_t tensor; /* of the model; TN_NONE: no data                        */
    uint32_t said;   /* in content->said, + 1; 0: nothing                     */
    int32_t  first, second;
    int8_t   dtype, kind;
    bool     is_named; /* in content->names                                   */
    bool     has_number;
};

struct tn_sd_kept {
    struct tn_bytes            param;
    uint32_t                   count;
    const struct tn_bytes     *keys;
    const struct tn_elements **values;
};

struct tn_sd_content {
    const struct tn_model         *model;
    const struct tn_write_options *options;
    struct tn_arena               *arena;
    struct tn_error               *error;
    uint32_t                       graph;
    const struct tn_sd_graph      *row; /* NULL: not read from a file         */
    struct tn_sd_entry_row        *entries;
    uint32_t                       count;
    struct tn_list                 said; /* const struct tn_sd_variable *     */
    bool is_of_values; /* entries are the values of the model, in order       */
    uint32_t *by_value; /* if they are not: by value of the model, entry + 1;
                           NULL if it was read from a file                    */
    struct tn_intern    names; /* of the other entries             */
    struct tn_list      named; /* uint32_t: entries by id of the name */
    struct tn_sd_calls *calls; /* one for all graphs of a model               */
    struct tn_sd_content **subs; /* of graphs in it, released with it   */
    struct tn_sd_content  *next; /* in such a list   */
    const int32_t *op_ids; /* by ordinal; NULL: they are counted from 1     */
    uint32_t       first_op, op_count;
    struct tn_sd_names loss;
    struct tn_bytes    training;
    struct tn_sd_kept *states;
    uint32_t           state_count;
};

enum tn_status tn_sd_content_make(struct tn_sd_content  *content,
                                  const struct tn_model *model, uint32_t graph,
                                  const struct tn_write_options *options,
                                  struct tn_arena               *arena,
                                  struct tn_error               *error);
void           tn_sd_content_done(struct tn_sd_content *content);

struct tn_sd_entry tn_sd_content_entry(const struct tn_sd_content *content,
                                       uint32_t                    entry);

/* The entry by name, or by value of the model; TN_NONE if there is none. */
uint32_t tn_sd_content_find(const struct tn_sd_content *content,
                            struct tn_bytes             name);
uint32_t tn_sd_content_value(const struct tn_sd_content *content,
                             uint32_t                    value);

/* The number of an operation. */
static inline int32_t tn_sd_content_op_id(const struct tn_sd_content *content,
                                          uint32_t                    ordinal)
{
    return content->op_ids ? content->op_ids[ordinal] : (int32_t)ordinal + 1;
}

/* Reports that another file of the container is lost, or all that the model
 * has. */
void tn_sd_lose_beside(const struct tn_write_options *options,
                       struct tn_bytes                name);
void tn_sd_lose_all_beside(const struct tn_write_options *options,
                           const struct tn_model         *model);

/* The same for an entry of metadata; and for all texts of another format whose
 * keys are reserved for Deeplearning4j (tn_sd_is_own_meta). */
void tn_sd_lose_meta(const struct tn_write_options *options,
                     struct tn_bytes                key);
void tn_sd_lose_taken_keys(const struct tn_write_options *options);

/* The metadata that a graph is written with, in the arena. */
struct tn_sd_metas {
    struct tn_fact *items;
    uint32_t        count;
};

/* What the file said about the graph, with the changes of edits.  The file of
 * the main graph (`is_main`) also takes what edits added and what another
 * format said.  Keys that are reserved for Deeplearning4j stay if they were
 * there and `keeps_own`. */
enum tn_status tn_sd_metas_now(const struct tn_model         *model,
                               const struct tn_write_options *options,
                               uint32_t graph, bool is_main, bool keeps_own,
                               struct tn_arena *arena, struct tn_sd_metas *now,
                               struct tn_error *error);

/* Bytes of the elements; 0 if there are none. */
uint64_t tn_sd_entry_size(const struct tn_sd_entry *entry);

#endif
