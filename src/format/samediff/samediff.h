/*
 * samediff.h - what every SameDiff file shares, whatever its container
 *
 *   sd_array.c   FlatArray: tn_sd_array_read(), tn_sd_array_put()
 *   sd_dtype.c   numbers of element types, operation types, kinds, operations
 *   sd_attr.c    the dialect nd4j: arguments of operations as attributes
 *   sd_node.c    one operation: tn_sd_args_read() and others (sd_node.h)
 *   sd_config.c  the training configuration in a few words
 *   sd_graph.c   a FlatGraph into the tables of a model
 *   sd_build.c   the tables of a model into a FlatGraph
 *   sd_about.c   metadata, and what other formats have no place for
 *
 * Containers: sd_classic.c (samediff-fb), sdnb_*.c (sdnb), sdz_*.c (sdz), and
 * the tagged container (samediff) in tagged_*.c and tag_*.c.
 */
#ifndef TN_FORMAT_SAMEDIFF_H
#define TN_FORMAT_SAMEDIFF_H

#include "base/nd4j_hash.h"
#include "base/number.h"
#include "format/format.h"
#include "ir/attr.h"
#include "wire/fb/fb.h"
#include "wire/fb/fb_build.h"

/* ---- slots of the tables ------------------------------------------------ */

/* The most dimensions that an array of nd4j can have. */
#define TN_SD_RANK_LIMIT 32

enum tn_sd_array_slot {
    TN_SD_ARRAY_SHAPE,
    TN_SD_ARRAY_BUFFER,
    TN_SD_ARRAY_DTYPE,
    TN_SD_ARRAY_BYTE_ORDER,
    TN_SD_ARRAY_CHUNKS,
    TN_SD_ARRAY_TOTAL,
    TN_SD_ARRAY_EXTERNAL,
    TN_SD_ARRAY_IS_EXTERNAL,
};

enum tn_sd_property_slot {
    TN_SD_PROPERTY_NAME,
    TN_SD_PROPERTY_I,
    TN_SD_PROPERTY_L,
    TN_SD_PROPERTY_D,
    TN_SD_PROPERTY_A,
    TN_SD_PROPERTY_B,
    TN_SD_PROPERTY_S,
    TN_SD_PROPERTY_SHAPE,
};

enum tn_sd_variable_slot {
    TN_SD_VARIABLE_ID,
    TN_SD_VARIABLE_NAME,
    TN_SD_VARIABLE_DTYPE,
    TN_SD_VARIABLE_SHAPE,
    TN_SD_VARIABLE_ARRAY,
    TN_SD_VARIABLE_DEVICE,
    TN_SD_VARIABLE_KIND,
    TN_SD_VARIABLE_CONTROL_DEPS,
    TN_SD_VARIABLE_CONTROL_FOR_OP,
    TN_SD_VARIABLE_CONTROL_FOR_VAR,
    TN_SD_VARIABLE_DIM_NAMES,
};

enum tn_sd_node_slot {
    TN_SD_NODE_ID,
    TN_SD_NODE_NAME,
    TN_SD_NODE_OP_TYPE,
    TN_SD_NODE_OP_NUM,
    TN_SD_NODE_PROPERTIES,
    TN_SD_NODE_INPUT,
    TN_SD_NODE_INPUT_PAIRED,
    TN_SD_NODE_OUTPUT,
    TN_SD_NODE_T_ARGS,
    TN_SD_NODE_I_ARGS,
    TN_SD_NODE_B_ARGS,
    TN_SD_NODE_DIMENSIONS,
    TN_SD_NODE_DEVICE,
    TN_SD_NODE_SCOPE_ID,
    TN_SD_NODE_SCOPE_NAME,
    TN_SD_NODE_OUTPUT_NAMES,
    TN_SD_NODE_OP_NAME,
    TN_SD_NODE_OUTPUT_TYPES,
    TN_SD_NODE_SCALAR,
    TN_SD_NODE_CONTROL_DEPS,
    TN_SD_NODE_VAR_CONTROL_DEPS,
    TN_SD_NODE_CONTROL_FOR,
    TN_SD_NODE_D_ARGS,
    TN_SD_NODE_S_ARGS,
};

enum tn_sd_graph_slot {
    TN_SD_GRAPH_ID,
    TN_SD_GRAPH_VARIABLES,
    TN_SD_GRAPH_NODES,
    TN_SD_GRAPH_OUTPUTS,
    TN_SD_GRAPH_CONFIGURATION,
    TN_SD_GRAPH_PLACEHOLDERS,
    TN_SD_GRAPH_LOSS,
    TN_SD_GRAPH_TRAINING,
    TN_SD_GRAPH_UPDATER,
    TN_SD_GRAPH_META_KEYS, /* slot 10 is not declared: M2 wrote sequences
                              there */
    TN_SD_GRAPH_META_VALUES,
    TN_SD_GRAPH_SUBS,
};

/* ---- numbers (sd_dtype.c) ----------------------------------------------- */

enum tn_sd_dtype {
    TN_SD_INHERIT  = 0,
    TN_SD_BOOL     = 1,
    TN_SD_HALF     = 3,
    TN_SD_FLOAT    = 5,
    TN_SD_DOUBLE   = 6,
    TN_SD_INT8     = 7,
    TN_SD_INT16    = 8,
    TN_SD_INT32    = 9,
    TN_SD_INT64    = 10,
    TN_SD_UINT8    = 11,
    TN_SD_UINT16   = 12,
    TN_SD_UINT32   = 13,
    TN_SD_UINT64   = 14,
    TN_SD_QINT8    = 15,
    TN_SD_QINT16   = 16,
    TN_SD_BFLOAT16 = 17,
    TN_SD_UTF8     = 50,
};

/* TN_UNDEFINED for INHERIT and for unknown numbers. */
enum tn_dtype tn_sd_dtype(int code);
/* TN_SD_INHERIT for a type that SameDiff does not have. */
int8_t tn_sd_dtype_code(enum tn_dtype dtype);
/* "FLOAT"; NULL if the number is not a type. */
const char *tn_sd_dtype_name(int code);
/* The bits of a shape record for a type; 0 if it has none. */
int64_t tn_sd_dtype_flags(enum tn_dtype dtype);
/* The type by the bits of a shape record; TN_UNDEFINED if there is none, or
 * more than one. */
enum tn_dtype tn_sd_flags_dtype(int64_t flags);

enum tn_sd_kind {
    TN_SD_VARIABLE,
    TN_SD_CONSTANT,
    TN_SD_ARRAY,
    TN_SD_PLACEHOLDER,
    TN_SD_SEQUENCE, /* an internal kind that M2 wrote into files by mistake */
};

enum tn_sd_op_type { TN_SD_CUSTOM = 21, TN_SD_LOGIC = 119, TN_SD_UDF = 120 };

/* "CUSTOM"; NULL if the number is not an operation type. */
const char *tn_sd_op_type_name(int op_type);
/* The number for "CUSTOM" or "21"; -1 if there is none. */
int tn_sd_op_type_find(struct tn_bytes name);

/* ---- the number of an operation (sd_dtype.c) ---------------------------- */

/* Whether a custom operation of that name may have that number: the hash of its
 * name, or of its kernel's name if the name is an alias. */
bool tn_sd_hash_is(const struct tn_nd4j_hasher *hasher, struct tn_bytes op_name,
                   int64_t number);

/* ---- FlatArray (sd_array.c) --------------------------------------------- */

struct tn_sd_array {
    struct tn_elements elements; /* no bytes if is_external or is_empty       */
    uint64_t           at;       /* of the table, in the source               */
    int8_t             dtype;    /* as in the file                            */
    char               order;    /* 'c' or 'f'                                */
    bool               is_plain; /* dimensions, not a shape record            */
    bool               is_empty; /* according to a flag                       */
    bool               is_big;   /* stored big-endian                         */
    bool               is_external;
    struct tn_bytes    external; /* name of the file with the bytes           */
    uint64_t           total;    /* their number                              */
    const char        *doubt;    /* what is suspicious about it; NULL:
                                    nothing */
};

/* Reads the description, never the elements (for strings, their first 8 bytes).
 * `prefers_plain`: the file has arrays with dimensions instead of shape records
 * (SDNB).  Fails into the error of the table. */
enum tn_status tn_sd_array_read(const struct tn_fb_table *table,
                                bool prefers_plain, struct tn_arena *arena,
                                struct tn_sd_array *array);

/* How an array is written. */
enum tn_sd_array_form {
    TN_SD_FORM_BIG,    /* shape record, big-endian: Java up to M2.1           */
    TN_SD_FORM_LITTLE, /* shape record, little-endian: the tagged container   */
    TN_SD_FORM_PLAIN,  /* dimensions, little-endian: SDNB                     */
};

struct tn_sd_array_how {
    enum tn_sd_array_form form;
    uint32_t              align; /* of the elements; 1: as Java does          */
    /* If not NULL, the elements are in this file, which the array names. */
    const char *external;
};

/* Why an array of that type cannot be written in this form; NULL if it can. */
const char *tn_sd_array_refusal(const struct tn_elements *elements,
                                enum tn_sd_array_form     form);

/* Writes the array as a table of the buffer, with its elements by reference;
 * column-major order is kept.  0 after a failure. */
uint32_t tn_sd_array_put(struct tn_fb_builder         *b,
                         const struct tn_elements     *elements,
                         const struct tn_sd_array_how *how,
                         struct tn_memory             *memory);

/* Appends all elements to a rope, little-endian and row-major. */
enum tn_status tn_sd_rope_elements(struct tn_rope           *rope,
                                   const struct tn_elements *elements,
                                   struct tn_memory         *memory);

/* ---- the dialect (sd_attr.c) -------------------------------------------- */

/*
 * The wire of an op is the first four bytes of its table, FlatNode in classic
 * files and SDNB, Operation in the tagged container; its attributes are
 *
 *   opType        string: CUSTOM, TRANSFORM_SAME, ...
 *   opNum         int
 *   iArgs, tArgs, bArgs, dArgs, sArgs  lists: int, double, bool, dtype, string
 *   iArgNames, ...                     lists of string, of the tagged container
 *   dimensions    list of int
 *   scalar        tensor
 *   outputTypes   list of dtype
 *   properties    list of other: FlatBuffers of one FlatProperties each
 *
 * Empty lists are not attributes.  Both dialects have the name "nd4j".
 */
extern const struct tn_dialect tn_dialect_nd4j;
extern const struct tn_dialect tn_dialect_nd4j_tagged;

/* ---- what a model keeps beside the tables (sd_graph.c) ------------------ */

struct tn_sd_names {
    const struct tn_bytes *items;
    uint32_t               count;
};

struct tn_sd_variable {
    struct tn_bytes name;
    uint64_t        at; /* of its table in the source; 0: made of tables   */
    int32_t         first, second; /* id: which op produces it, as which
                                      output                               */
    int32_t device;
    int8_t  dtype;
    int8_t  kind; /* enum tn_sd_kind, or what the file says        */
    bool    has_id, has_shape;
    bool    has_array;            /* in the table itself                     */
    bool    is_result;            /* produced by an op, and usable as an
                                     output */
    bool               is_listed; /* among the outputs of the graph          */
    uint32_t           rank;
    const int64_t     *shape; /* -1: not known                               */
    struct tn_sd_names dim_names;
    bool               has_dim_names; /* then an empty shape means a scalar   */
    uint32_t           tensor; /* in model->tensors; TN_NONE: no data         */
    const char        *doubt;  /* about its array; NULL: none                 */
    struct tn_sd_names deps, for_op, for_var; /* control dependencies         */
};

struct tn_sd_graph {
    struct tn_source            *source;
    uint64_t                     at; /* of its table                          */
    const struct tn_sd_variable *variables;
    uint32_t                     variable_count;
    struct tn_sd_names           placeholders, loss;
    struct tn_sd_names           meta_keys, meta_values;
    bool                         has_placeholders; /* the list, if empty      */
    uint32_t                     sub_count;
    uint32_t                     graph_slots, node_slots; /* of vtables       */
    uint32_t                     sequences; /* in slot 9, where M2 wrote them */
};

/* What an updater stores for one parameter. */
struct tn_sd_state {
    struct tn_bytes    param;
    uint64_t           at;
    struct tn_sd_names keys;
    uint32_t           value_count;
    const uint32_t *tensors; /* in model->tensors, by value                  */
};

/* The name of the tensor that is the state `key` of a parameter:
 * "updater/KEY/PARAM".  And the reverse; false if it is not such a name. */
const char *tn_sd_state_name(struct tn_bytes key, struct tn_bytes param,
                             struct tn_arena *arena, struct tn_error *error);
bool        tn_sd_state_split(struct tn_bytes name, struct tn_bytes *key,
                              struct tn_bytes *param);

/* model->detail of every SameDiff format. */
struct tn_sd_detail {
    const struct tn_sd_graph *graphs; /* by graph of the model                */
    uint32_t                  graph_count;
    struct tn_bytes           training; /* JSON; .data NULL: none             */
    uint64_t                  training_at;
    const struct tn_sd_state *states;
    uint32_t                  state_count;
    uint64_t                  nulls; /* references to the end of a buffer, which
                                        stand for null                        */
    uint64_t           null_where;
    struct tn_span     file;   /* all of the SDNB file, if it is one     */
    struct tn_sd_names beside; /* other entries of the container, which
                                  are not part of the model            */
    const void *container;     /* the format's own                  */
};

/* Copies the training configuration from the detail to the model. */
void tn_sd_take_training(struct tn_model *model);

/* ---- sd_about.c --------------------------------------------------------- */

/* A key of metadata that every SDNB file has, whatever the model. */
bool tn_sd_is_own_meta(struct tn_bytes key);

/* Metadata are two lists.  If one of them is longer, the missing keys or values
 * are empty. */
uint32_t       tn_sd_meta_count(const struct tn_sd_graph *graph);
struct tn_fact tn_sd_meta(const struct tn_sd_graph *graph, uint32_t index);

/* Metadata as facts: what Deeplearning4j writes into every file, such as the
 * number of a shard, is about the file and not about the model. */
void tn_sd_meta_facts(struct tn_model *model, const struct tn_sd_graph *graph,
                      struct tn_error *error);

void tn_sd_describe(const struct tn_model *model, struct tn_about *about);
enum tn_status tn_sd_report_rest(const struct tn_model         *model,
                                 const struct tn_write_options *options,
                                 bool is_bare, struct tn_error *error);

/* Reports what a classic graph or SDNB has and the tagged container cannot
 * hold. */
enum tn_status tn_sd_lose_untagged(const struct tn_model         *model,
                                   const struct tn_write_options *options,
                                   struct tn_error               *error);

/* Whether it has a dialect of SameDiff. */
bool tn_sd_is_ours(const struct tn_model *model);

/* NULL when the model was not read from a SameDiff file. */
const struct tn_sd_detail *tn_sd_detail_of(const struct tn_model *model);

#endif
