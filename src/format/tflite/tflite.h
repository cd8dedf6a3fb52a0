/*
 * tflite.h - TensorFlow Lite and LiteRT models
 *
 *   u32    offset of the root table
 *   "TFL3"
 *   ...    one FlatBuffer, schemas/tflite.fbs: Model { operator_codes,
 *          subgraphs { tensors, operators }, buffers, metadata,
 *          signature_defs }
 *   ...    bytes of buffers and custom options that are too large for it, at
 *          offsets from the beginning of the file
 *   ...    a zip archive, if files were attached
 *
 * Graph i of a model is subgraph i of its file: the first is the main graph,
 * the others are functions, which IF, WHILE and others call by name.
 */
#ifndef TN_FORMAT_TFLITE_H
#define TN_FORMAT_TFLITE_H

#include "format/format.h"
#include "format/tflite/tfl_tables.h"
#include "ir/attr.h"
#include "wire/fb/fb.h"
#include "wire/fb/fb_schema.h"

#define TN_TFL_IDENTIFIER "TFL3"
#define TN_TFL_VERSION    3

/* Operators whose number needs more than seven bits have this one in the old
 * field. */
#define TN_TFL_PLACEHOLDER 127
#define TN_TFL_CUSTOM      32

/* The domain of operators that are not built in. */
#define TN_TFL_CUSTOM_DOMAIN "custom"

enum tn_tfl_model_slot {
    TN_TFL_MODEL_VERSION,
    TN_TFL_MODEL_CODES,
    TN_TFL_MODEL_SUBGRAPHS,
    TN_TFL_MODEL_DESCRIPTION,
    TN_TFL_MODEL_BUFFERS,
    TN_TFL_MODEL_METADATA_BUFFER,
    TN_TFL_MODEL_METADATA,
    TN_TFL_MODEL_SIGNATURES,
    TN_TFL_MODEL_GROUPS,
    TN_TFL_MODEL_EXTERNAL,
};

enum tn_tfl_subgraph_slot {
    TN_TFL_SUBGRAPH_TENSORS,
    TN_TFL_SUBGRAPH_INPUTS,
    TN_TFL_SUBGRAPH_OUTPUTS,
    TN_TFL_SUBGRAPH_OPERATORS,
    TN_TFL_SUBGRAPH_NAME,
    TN_TFL_SUBGRAPH_DEBUG,
};

enum tn_tfl_tensor_slot {
    TN_TFL_TENSOR_SHAPE,
    TN_TFL_TENSOR_TYPE,
    TN_TFL_TENSOR_BUFFER,
    TN_TFL_TENSOR_NAME,
    TN_TFL_TENSOR_QUANTIZATION,
    TN_TFL_TENSOR_IS_VARIABLE,
    TN_TFL_TENSOR_SPARSITY,
    TN_TFL_TENSOR_SIGNATURE, /* of its shape: -1 for open dimensions          */
    TN_TFL_TENSOR_HAS_RANK,
    TN_TFL_TENSOR_VARIANTS,
    TN_TFL_TENSOR_EXTERNAL,
};

enum tn_tfl_operator_slot {
    TN_TFL_OPERATOR_CODE,
    TN_TFL_OPERATOR_INPUTS,
    TN_TFL_OPERATOR_OUTPUTS,
    TN_TFL_OPERATOR_OPTIONS_TYPE,
    TN_TFL_OPERATOR_OPTIONS,
    TN_TFL_OPERATOR_CUSTOM,
    TN_TFL_OPERATOR_CUSTOM_FORMAT,
    TN_TFL_OPERATOR_MUTATING,
    TN_TFL_OPERATOR_INTERMEDIATES,
    TN_TFL_OPERATOR_CUSTOM_OFFSET,
    TN_TFL_OPERATOR_CUSTOM_SIZE,
    TN_TFL_OPERATOR_OPTIONS2_TYPE,
    TN_TFL_OPERATOR_OPTIONS2,
    TN_TFL_OPERATOR_DEBUG,
};

enum tn_tfl_code_slot {
    TN_TFL_CODE_OLD,
    TN_TFL_CODE_CUSTOM,
    TN_TFL_CODE_VERSION,
    TN_TFL_CODE_BUILTIN,
};

enum tn_tfl_buffer_slot {
    TN_TFL_BUFFER_DATA,
    TN_TFL_BUFFER_OFFSET,
    TN_TFL_BUFFER_SIZE,
};

enum tn_tfl_quantization_slot {
    TN_TFL_QUANTIZATION_MIN,
    TN_TFL_QUANTIZATION_MAX,
    TN_TFL_QUANTIZATION_SCALE,
    TN_TFL_QUANTIZATION_ZERO_POINT,
    TN_TFL_QUANTIZATION_DETAILS_TYPE,
    TN_TFL_QUANTIZATION_DETAILS,
    TN_TFL_QUANTIZATION_DIMENSION,
};

enum tn_tfl_sparsity_slot {
    TN_TFL_SPARSITY_ORDER,
    TN_TFL_SPARSITY_BLOCKS,
    TN_TFL_SPARSITY_LEVELS,
};

enum tn_tfl_level_slot {
    TN_TFL_LEVEL_FORMAT, /* 0: dense, 1: sparse                               */
    TN_TFL_LEVEL_SIZE,
    TN_TFL_LEVEL_SEGMENTS_TYPE,
    TN_TFL_LEVEL_SEGMENTS,
    TN_TFL_LEVEL_INDICES_TYPE,
    TN_TFL_LEVEL_INDICES,
};

/* Members of the union of details. */
enum { TN_TFL_DETAILS_CUSTOM = 1, TN_TFL_DETAILS_BLOCKS, TN_TFL_DETAILS_AXES };

enum tn_tfl_metadata_slot { TN_TFL_METADATA_NAME, TN_TFL_METADATA_BUFFER };

enum tn_tfl_signature_slot {
    TN_TFL_SIGNATURE_INPUTS,
    TN_TFL_SIGNATURE_OUTPUTS,
    TN_TFL_SIGNATURE_KEY,
    TN_TFL_SIGNATURE_TAG,
    TN_TFL_SIGNATURE_SUBGRAPH,
};

enum tn_tfl_external_slot {
    TN_TFL_EXTERNAL_ID,
    TN_TFL_EXTERNAL_GROUP,
    TN_TFL_EXTERNAL_OFFSET,
    TN_TFL_EXTERNAL_LENGTH,
    TN_TFL_EXTERNAL_PACKING,
};

/* A tensor of a subgraph: a value of the graph, perhaps a constant. */
struct tn_tfl_tensor {
    struct tn_bytes name;   /* unique in its graph                            */
    uint64_t        at;     /* of its table in the source                     */
    uint32_t        tensor; /* in model->tensors; TN_NONE: it has no data     */
    bool is_renamed;        /* the file says another name, or none            */
};

struct tn_tfl_graph {
    struct tn_bytes             name; /* as the model calls it                */
    uint64_t                    at;
    const struct tn_tfl_tensor *tensors;
    uint32_t                    count;
    const uint32_t             *by_name; /* tensors, sorted                   */
};

/* model->detail */
struct tn_tfl_detail {
    struct tn_source          *source;
    const struct tn_tfl_graph *graphs;
    uint32_t                   graph_count;
    uint64_t                   root; /* of the root table in the source       */
    bool says_ranks; /* tensors say whether they have a rank                  */
};

extern const struct tn_dialect tn_dialect_tflite;

/* NULL if the model was not read from such a file. */
const struct tn_tfl_detail *tn_tfl_detail_of(const struct tn_model *model);

/* ---- tfl_read.c: what tables say ---------------------------------------- */

/* TN_UNDEFINED if there is no such type. */
enum tn_dtype tn_tfl_dtype(int number);

/* The number of a type; -1: TFLite does not have it. */
int tn_tfl_type_number(enum tn_dtype dtype);

/* Elements of a type in one byte. */
unsigned tn_tfl_per_byte(enum tn_dtype dtype);

/* The builtin operator of a code: the larger of both fields. */
int32_t tn_tfl_code(const struct tn_fb_table *code);

/* Options of an operator: the row of the table that it has, else of the one
 * that operators of its code have.  `table` is NULL-like (.fb) if it has
 * none. */
const struct tn_tfl_options *tn_tfl_options_of(const struct tn_fb_table *op,
                                               int32_t                   code,
                                               struct tn_fb_table       *table);

/* Where the data of a buffer are; false if it has none.  `whole` is the file.
 * Fails with TRUNCATED if they are past its end. */
bool tn_tfl_buffer(const struct tn_fb_table *buffer, struct tn_span *data,
                   struct tn_error *error);

/* The text that an entry of the metadata is, in the arena: UTF-8 without zeros.
 * False if it is something else, such as the version of the runtime, or longer
 * than `*left`, of which its size is taken: many entries can name one buffer.
 */
#define TN_TFL_MIN_RUNTIME "min_runtime_version"
bool tn_tfl_metadata_text(const struct tn_fb_vector *buffers,
                          const struct tn_fb_table  *entry,
                          struct tn_arena *arena, uint64_t *left,
                          struct tn_bytes *text, struct tn_error *error);

/* The same for custom options. */
bool tn_tfl_custom_options(const struct tn_fb_table *op, struct tn_span *data,
                           struct tn_error *error);

/* The shape of a tensor: with open dimensions, if it has them. */
struct tn_fb_vector tn_tfl_shape_of(const struct tn_fb_table *tensor);

/* An empty shape means a scalar, or an unknown shape: newer files
 * (`says_ranks`) say which. */
bool tn_tfl_has_rank(const struct tn_fb_table *tensor, bool says_ranks);

/* The elements of a sparse tensor: a view of what is stored.  Memory from the
 * arena; tn_view_check() refuses a tensor whose levels make no sense. */
struct tn_payload tn_tfl_sparse(const struct tn_fb_table *sparsity,
                                const struct tn_shape    *shape,
                                struct tn_span data, struct tn_arena *arena,
                                struct tn_error *error);

/* The tensor of that name in a graph, or TN_NONE. */
uint32_t tn_tfl_find_tensor(const struct tn_tfl_graph *graph,
                            struct tn_bytes            name);

/* ---- tfl_open.c --------------------------------------------------------- */

/* The bytes that the FlatBuffer may have: the file, as far as offsets reach. */
struct tn_span tn_tfl_flat_span(struct tn_source *source);

/* Opens and verifies the FlatBuffer; .fb is NULL on failure.  `fb` and what it
 * refers to live in the arena. */
struct tn_fb_table tn_tfl_root(struct tn_source *source, struct tn_arena *arena,
                               struct tn_error *error);

enum tn_status tn_tfl_open(struct tn_bundle *bundle, struct tn_model *model,
                           struct tn_error *error);

/* ---- tfl_about.c -------------------------------------------------------- */

#define TN_TFL_ABOUT_DESCRIPTION "tflite.description"

void tn_tfl_describe(const struct tn_model *model, struct tn_about *about);
enum tn_status tn_tfl_report_rest(const struct tn_model         *model,
                                  const struct tn_write_options *options,
                                  bool is_bare, struct tn_error *error);

/* ---- tfl_check.c -------------------------------------------------------- */

enum tn_status tn_tfl_check_bytes(struct tn_bundle *bundle,
                                  struct tn_report *report,
                                  struct tn_error  *error);
enum tn_status tn_tfl_check(struct tn_bundle      *bundle,
                            const struct tn_model *model,
                            struct tn_report *report, struct tn_error *error);
enum tn_status tn_tfl_check_graph(const struct tn_model *model,
                                  struct tn_report      *report,
                                  struct tn_error       *error);

/* ---- tfl_write.c -------------------------------------------------------- */

/* Fields that say which program made a part of the model, which are left out if
 * options->leaves_debug; the model must have been opened with its graph. */
uint64_t tn_tfl_debug_count(const struct tn_model *model);

/* Files that are attached to a model as a zip archive; length 0: none. */
struct tn_span tn_tfl_attached(struct tn_source *source,
                               struct tn_memory *memory);

enum tn_status tn_tfl_write(const struct tn_model         *model,
                            const struct tn_write_options *options,
                            struct tn_output *to, struct tn_error *error);

#endif
