/*
 * sd_node.h - one operation on its way between a model and a file
 *
 * Under sd_attr.c, which shows the arguments as attributes, and under the
 * writers, which take them from wherever they are: the table of a file of any
 * age, or what an edit or a set of rules made of them.
 */
#ifndef TN_FORMAT_SD_NODE_H
#define TN_FORMAT_SD_NODE_H

#include "format/samediff/samediff.h"

/* The arrays of the model's files are plain (SDNB), if nothing else tells. */
bool tn_sd_is_plain(const struct tn_model *model);

/* All arguments of an op.  Types are the numbers of the file. */
struct tn_sd_args {
    int8_t                 op_type;
    int64_t                op_num;
    uint32_t               i_count, t_count, b_count, d_count, s_count;
    const int64_t         *i;
    const double          *t;
    const int64_t         *b;
    const int8_t          *d;
    const struct tn_bytes *s;
    const struct tn_bytes *i_names, *t_names, *b_names; /* as many, or NULL */
    const struct tn_bytes *d_names, *s_names;
    uint32_t               dimension_count;
    const int64_t         *dimensions;
    uint32_t               output_type_count;
    const int8_t          *output_types;
    const struct tn_elements *scalar; /* NULL: none                           */
    uint32_t                  property_count;
    const struct tn_fb_table *properties; /* FlatProperties                   */
    bool                      has_names;  /* one that is not empty            */
};

/* What is not said is what a custom operation of the op's type has. */
enum tn_status tn_sd_args_read(const struct tn_model *model, uint32_t op,
                               struct tn_arena *arena, struct tn_sd_args *args,
                               struct tn_error *error);

/* One FlatProperties table, copied; arrays in another form. */
uint32_t tn_sd_property_put(struct tn_fb_builder         *b,
                            const struct tn_fb_table     *property,
                            bool                          prefers_plain,
                            const struct tn_sd_array_how *how,
                            struct tn_memory             *memory);

/* The same as a FlatBuffer of its own. */
struct tn_bytes tn_sd_property_pack(const struct tn_fb_table *property,
                                    bool prefers_plain, struct tn_arena *arena,
                                    struct tn_memory *memory,
                                    struct tn_error  *error);

/* Vectors of strings, copied; 0 when there are none. */
uint32_t tn_sd_strings_put(struct tn_fb_builder  *b,
                           const struct tn_bytes *texts, uint32_t count);
/* Of a table, into the arena. */
struct tn_sd_names tn_sd_names_read(const struct tn_fb_table *table,
                                    uint16_t slot, struct tn_arena *arena,
                                    struct tn_error *error);

/* A table of a vector that has no nulls, which the verifier lets pass in SDNB
 * files: one is MALFORMED. */
struct tn_fb_table tn_sd_table_in(const struct tn_fb_vector *vector,
                                  uint32_t                   index);

#endif
