/*
 * sd_node.h - arguments of one operation, for reading and writing
 *
 * Used by sd_attr.c, which shows the arguments as attributes, and by the
 * writers.  Arguments come from the table of a file of any version, or from an
 * edit or rules.
 */
#ifndef TN_FORMAT_SD_NODE_H
#define TN_FORMAT_SD_NODE_H

#include "format/samediff/samediff.h"
#include "ir/nd4j_calls.h"

/* Whether arrays of the model's files have plain dimensions (SDNB), unless the
 * array itself shows it. */
bool tn_sd_is_plain(const struct tn_model *model);

/* The lists whose arguments may have names, in the order of enum
 * tn_vocab_list from TN_VOCAB_IARGS on. */
enum tn_sd_arg_list {
    TN_SD_I, /* ints                                                          */
    TN_SD_T, /* doubles                                                       */
    TN_SD_B, /* bools                                                         */
    TN_SD_D, /* ints: the numbers that types have in the file                 */
    TN_SD_S, /* strings                                                       */
    TN_SD_ARG_LISTS,
};

/* All arguments of an op.  Types are the numbers of the file.  After the
 * arguments were put in order, only names that the vocabulary does not have are
 * left. */
struct tn_sd_args {
    int8_t               op_type;
    int64_t              op_num;
    struct tn_attr_value lists[TN_SD_ARG_LISTS];
    struct tn_sd_names   names[TN_SD_ARG_LISTS]; /* as many as there are
                                                    arguments, or none   */
    uint32_t                  dimension_count;
    const int64_t            *dimensions;
    uint32_t                  output_type_count;
    const int8_t             *output_types;
    const struct tn_elements *scalar; /* NULL: none                           */
    uint32_t                  property_count;
    const struct tn_fb_table *properties; /* FlatProperties                   */
};

/* nd4j's vocabulary for one task, loaded on first use. */
struct tn_sd_calls {
    struct tn_arena    *arena; /* that lives as long as this                  */
    struct tn_nd4j_book book;
    bool                has_book;
};

/* Missing fields get the values of a custom operation of the op's type.
 * Arguments are in the order in which kernels count them, whatever their order
 * in the file is: see nd4j_calls.h. */
enum tn_status tn_sd_args_read(const struct tn_model *model, uint32_t op,
                               struct tn_sd_calls *calls,
                               struct tn_arena *arena, struct tn_sd_args *args,
                               struct tn_error *error);

/* Whether a name is left that is not empty; for a known operator, none is. */
bool tn_sd_args_have_names(const struct tn_sd_args *args);

/* Kind and number of an operator: those in the vocabulary, or those of a custom
 * operator of that name. */
void tn_sd_args_by_name(struct tn_sd_args *args, struct tn_nd4j_book *book,
                        struct tn_bytes type);

/* The operator that the arguments belong to; NULL if it is unknown. */
const struct tn_vocab_op *tn_sd_args_op(struct tn_sd_calls      *calls,
                                        struct tn_bytes          type,
                                        const struct tn_sd_args *args,
                                        struct tn_error         *error);

/* Copies one FlatProperties table; its arrays may get another form. */
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

/* Copies a vector of strings; 0 if there are none. */
uint32_t tn_sd_strings_put(struct tn_fb_builder  *b,
                           const struct tn_bytes *texts, uint32_t count);
/* Writes numbers of types, one byte each. */
uint32_t tn_sd_codes_put(struct tn_fb_builder       *b,
                         const struct tn_attr_value *list);
/* Reads names from a table into the arena. */
struct tn_sd_names tn_sd_names_read(const struct tn_fb_table *table,
                                    uint16_t slot, struct tn_arena *arena,
                                    struct tn_error *error);

/* A table of a vector that may not have nulls; the verifier allows them in SDNB
 * files.  MALFORMED if it is null. */
struct tn_fb_table tn_sd_table_in(const struct tn_fb_vector *vector,
                                  uint32_t                   index);

#endif
