/*
 * onnx.h - messages, element types and tensors of ONNX files
 *
 * An ONNX file is one protobuf message, ModelProto, with nothing around it.
 * This header has the field numbers of its messages, the table of element
 * types, a tensor as it is in the file, and what an opened model keeps for
 * later.
 */
#ifndef TN_FORMAT_ONNX_H
#define TN_FORMAT_ONNX_H

#include "io/bundle.h"
#include "ir/attr.h"
#include "ir/model_tables.h"
#include "wire/pb/pb_wire.h"

/* The depth of graphs inside nodes.  Real files reach thirty. */
#define TN_ONNX_DEPTH_LIMIT 200

/* The newest version of the format that we know. */
#define TN_ONNX_IR_NEWEST 14

/* No protobuf library opens a message of this size or more. */
#define TN_ONNX_FILE_LIMIT (UINT64_C(1) << 31)

enum { /* ModelProto */
       MODEL_IR_VERSION       = 1,
       MODEL_PRODUCER_NAME    = 2,
       MODEL_PRODUCER_VERSION = 3,
       MODEL_DOMAIN           = 4,
       MODEL_VERSION          = 5,
       MODEL_DOC              = 6,
       MODEL_GRAPH            = 7,
       MODEL_OPSET_IMPORT     = 8,
       MODEL_METADATA         = 14,
       MODEL_TRAINING         = 20,
       MODEL_FUNCTIONS        = 25,
       MODEL_CONFIGURATION    = 26,
};

enum { /* GraphProto */
       GRAPH_NODE               = 1,
       GRAPH_NAME               = 2,
       GRAPH_INITIALIZER        = 5,
       GRAPH_INPUT              = 11,
       GRAPH_OUTPUT             = 12,
       GRAPH_VALUE_INFO         = 13,
       GRAPH_QUANTIZATION       = 14,
       GRAPH_SPARSE_INITIALIZER = 15,
       GRAPH_METADATA           = 16,
};

enum { /* FunctionProto */
       FUNCTION_NAME            = 1,
       FUNCTION_INPUT           = 4,
       FUNCTION_OUTPUT          = 5,
       FUNCTION_ATTRIBUTE       = 6,
       FUNCTION_NODE            = 7,
       FUNCTION_OPSET_IMPORT    = 9,
       FUNCTION_DOMAIN          = 10,
       FUNCTION_ATTRIBUTE_PROTO = 11,
       FUNCTION_VALUE_INFO      = 12,
       FUNCTION_OVERLOAD        = 13,
};

enum { /* NodeProto */
       NODE_INPUT     = 1,
       NODE_OUTPUT    = 2,
       NODE_NAME      = 3,
       NODE_OP_TYPE   = 4,
       NODE_ATTRIBUTE = 5,
       NODE_DOMAIN    = 7,
       NODE_OVERLOAD  = 8,
       NODE_METADATA  = 9,
       NODE_DEVICES   = 10,
};

enum { /* AttributeProto */
       ATTR_NAME           = 1,
       ATTR_F              = 2,
       ATTR_I              = 3,
       ATTR_S              = 4,
       ATTR_T              = 5,
       ATTR_G              = 6,
       ATTR_FLOATS         = 7,
       ATTR_INTS           = 8,
       ATTR_STRINGS        = 9,
       ATTR_TENSORS        = 10,
       ATTR_GRAPHS         = 11,
       ATTR_TP             = 14,
       ATTR_TYPE_PROTOS    = 15,
       ATTR_TYPE           = 20,
       ATTR_REF            = 21,
       ATTR_SPARSE_TENSOR  = 22,
       ATTR_SPARSE_TENSORS = 23,
};

enum { /* TensorProto */
       TENSOR_DIMS          = 1,
       TENSOR_DATA_TYPE     = 2,
       TENSOR_SEGMENT       = 3,
       TENSOR_FLOAT_DATA    = 4,
       TENSOR_INT32_DATA    = 5,
       TENSOR_STRING_DATA   = 6,
       TENSOR_INT64_DATA    = 7,
       TENSOR_NAME          = 8,
       TENSOR_RAW_DATA      = 9,
       TENSOR_DOUBLE_DATA   = 10,
       TENSOR_UINT64_DATA   = 11,
       TENSOR_EXTERNAL_DATA = 13,
       TENSOR_DATA_LOCATION = 14,
       TENSOR_FIELDS = 17, /* one past the last that we know             */
};

enum { SPARSE_VALUES = 1, SPARSE_INDICES = 2, SPARSE_DIMS = 3 };
enum { VALUE_NAME = 1, VALUE_TYPE = 2 };
enum { ENTRY_KEY = 1, ENTRY_VALUE = 2 };
enum { IMPORT_DOMAIN = 1, IMPORT_VERSION = 2 };
enum { SHAPE_DIM = 1, DIM_VALUE = 1, DIM_PARAM = 2 };
enum { TENSOR_TYPE_ELEM = 1, TENSOR_TYPE_SHAPE = 2 };
enum { MAP_KEY_TYPE = 1, MAP_VALUE_TYPE = 2, OPAQUE_NAME = 2 };
enum { ANNOTATION_TENSOR = 1, ANNOTATION_PARAMETERS = 2 };
enum { DEVICE_NAME = 1, DEVICE_COUNT = 2, DEVICE_DEVICE = 3 };

enum { /* TypeProto */
       TYPE_TENSOR   = 1,
       TYPE_SEQUENCE = 4,
       TYPE_MAP      = 5,
       TYPE_OPAQUE   = 7,
       TYPE_SPARSE   = 8,
       TYPE_OPTIONAL = 9,
};

enum { /* TrainingInfoProto */
       TRAINING_INITIALIZATION = 1,
       TRAINING_ALGORITHM      = 2,
       TRAINING_INIT_BINDING   = 3,
       TRAINING_UPDATE_BINDING = 4,
};

/* ---- element types ------------------------------------------------------ */

struct tn_onnx_type {
    const char       *name; /* "FLOAT"                                      */
    enum tn_dtype     dtype;
    uint32_t          field; /* of TensorProto that holds it if it is not raw */
    enum tn_wire_type wire;  /* of one entry there                           */
    uint8_t           per_byte; /* elements a byte                           */
    uint8_t           since;    /* IR version                                */
};

/* By its number in the file; NULL for UNDEFINED and for numbers that we do not
 * know. */
const struct tn_onnx_type *tn_onnx_type(uint64_t number);

/* The number of a type; 0 if ONNX has no such type. */
uint32_t tn_onnx_type_number(enum tn_dtype dtype);

/* ---- tensors ------------------------------------------------------------ */

/* What was found of one of the data fields. */
struct tn_onnx_holder {
    uint64_t       count; /* occurrences                                     */
    bool           is_packed; /* the last one                                */
    struct tn_span body;      /* of the last one                             */
};

/* A TensorProto; names and spans point into the file. */
struct tn_onnx_tensor {
    struct tn_span  wire;
    struct tn_bytes name;
    bool            has_type;
    bool            has_segment;
    bool            is_external;
    bool            has_external; /* entries, whatever the location   */
    bool            has_strange_key;
    uint64_t        location_kind; /* data_location as it is in the
                                      file */
    uint64_t              data_type;
    uint32_t              rank;
    const uint64_t       *dims; /* negative ones wrapped                    */
    struct tn_onnx_holder holders[TENSOR_UINT64_DATA + 1];    /* by field     */
    struct tn_bytes       location, offset, length, checksum; /* data NULL:
                                                                 not given  */
};

/* A failure is in the cursor's error. */
void tn_onnx_tensor_read(struct tn_cursor *body, struct tn_arena *arena,
                         struct tn_onnx_tensor *tensor);

/* Type, shape and payload of data inside the message.  If the data cannot be
 * read, the payload gets a source whose reads fail and say why
 * (tn_onnx_absent). */
void tn_onnx_tensor_locate(const struct tn_onnx_tensor *tensor,
                           struct tn_arena *arena, struct tn_elements *elements,
                           struct tn_error *error);

/* The bytes of the elements in raw_data or in an external file.  False for
 * strings, or if the number is too large. */
bool tn_onnx_raw_size(const struct tn_elements *elements, uint64_t *size);

/*
 * Elements that cannot be read: an external file that is missing or whose name
 * is not allowed, a range beyond its end, a tensor without data.  Such a model
 * can be opened; reading the tensor fails with this message, and check reports
 * it under `rule`.
 */
struct tn_onnx_absent {
    struct tn_source source; /* first; every read fails                      */
    enum tn_status   status;
    enum tn_reason   reason;
    const char      *rule;
    const char      *what;
};

/* What a source stands for, or NULL if it is a real one. */
const struct tn_onnx_absent *tn_onnx_absent_of(const struct tn_source *source);

/* ---- external files ----------------------------------------------------- */

/* The external files found so far; each name is looked up once. */
struct tn_onnx_external {
    struct tn_bundle *bundle;
    struct tn_arena  *arena;
    struct tn_intern  names;
    struct tn_list    sources; /* struct tn_source *, by name; absent or real */
};

void tn_onnx_external_init(struct tn_onnx_external *external,
                           struct tn_bundle *bundle, struct tn_arena *arena);
void tn_onnx_external_done(struct tn_onnx_external *external);

/* The payload of a tensor whose data_location is EXTERNAL, under all rules for
 * untrusted file names and ranges. */
void tn_onnx_external_locate(struct tn_onnx_external     *external,
                             const struct tn_onnx_tensor *tensor,
                             struct tn_elements          *elements,
                             struct tn_error             *error);

/* ---- an opened model ---------------------------------------------------- */

struct tn_onnx_import {
    struct tn_bytes domain;
    int64_t         version;
    uint64_t        offset;
};

/* A further part of a graph's message: protobuf merges a message that occurs
 * several times. */
struct tn_onnx_part {
    uint32_t graph;
    uint64_t first; /* offset of the first part, which identifies the
                       graph: an edit changes the numbers of graphs     */
    struct tn_span wire;
};

/* tn_model.detail; in the arena. */
struct tn_onnx_detail {
    bool                         has_ir_version;
    int64_t                      ir_version;
    const struct tn_onnx_import *imports;
    uint64_t                     import_count;
    const struct tn_onnx_part   *parts; /* ascending by `first`              */
    uint64_t                     part_count;
    const uint32_t *graphs_by_offset; /* all of them, ascending              */
    bool has_other_imports;           /* than the wire of the model           */
};

/* Gives `made`, a new graph that was made from `base`, what the file of `base`
 * says about the model (producer, documentation, metadata, unknown fields);
 * `made` has its own opsets.  `base` must outlive it. */
enum tn_status tn_onnx_keep_texts(struct tn_model       *made,
                                  const struct tn_model *base,
                                  struct tn_error       *error);

/* Part `index` of a graph's message; false if there are no more.  Also works in
 * an edited model, for graphs of the model that was edited. */
bool tn_onnx_graph_piece(const struct tn_model *model, uint32_t graph,
                         uint64_t index, struct tn_span *piece);

/* Parses "ai.onnx 17", the form that facts have; false if it is something
 * else. */
bool tn_onnx_opset_read(struct tn_bytes fact, struct tn_bytes *domain,
                        uint64_t *version);

/* "" and "ai.onnx" are the same operator set; returns "" for both. */
static inline struct tn_bytes tn_onnx_domain(struct tn_bytes domain)
{
    return tn_bytes_is(domain, "ai.onnx") ? tn_bytes(NULL, 0) : domain;
}

/* A StringStringEntryProto. */
void tn_onnx_entry_read(struct tn_cursor *body, struct tn_bytes *key,
                        struct tn_bytes *value);

/* The field that holds the values of an AttributeType; 0 if we do not know it.
 * And the AttributeType of a decoded value; 0 if there is none. */
uint32_t tn_onnx_attr_field(uint64_t type);
uint32_t tn_onnx_attr_type(enum tn_attr_kind kind, bool is_list);

/* One input or output, with its type (onnx_io.c). */
void tn_onnx_io_read(struct tn_cursor *body, struct tn_arena *arena,
                     struct tn_io *io);

/* ---- what a format is made of ------------------------------------------- */

struct tn_report;
struct tn_output;
struct tn_write_options;

extern const struct tn_dialect tn_dialect_onnx;

enum tn_status tn_onnx_open(struct tn_bundle *bundle, struct tn_model *model,
                            struct tn_error *error);
enum tn_status tn_onnx_check(struct tn_bundle      *bundle,
                             const struct tn_model *model,
                             struct tn_report *report, struct tn_error *error);
enum tn_status tn_onnx_check_graph(const struct tn_model *model,
                                   struct tn_report      *report,
                                   struct tn_error       *error);
/* The same for a file that is a single tensor. */
enum tn_status tn_onnx_check_lone(struct tn_bundle      *bundle,
                                  const struct tn_model *model,
                                  struct tn_report      *report,
                                  struct tn_error       *error);
enum tn_status tn_onnx_write(const struct tn_model         *model,
                             const struct tn_write_options *options,
                             struct tn_output *to, struct tn_error *error);

#endif
