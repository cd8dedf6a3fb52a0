/*
 * tf.h - tensors, graphs and meta graphs of TensorFlow's files
 *
 * A GraphDef is read by tf_graph_read.c, the messages around it by
 * tf_meta_read.c; both fill the same model.  What check and write need later is
 * in model->detail, a tn_tf_detail.
 */
#ifndef TN_FORMAT_TF_H
#define TN_FORMAT_TF_H

#include "format/format.h"
#include "format/tensorflow/tf_slice_key.h"
#include "ir/attr.h"
#include "wire/pb/pb_tail.h"
#include "wire/pb/pb_wire.h"

/* Any protobuf message that TensorFlow is to read back. */
#define TN_TF_MESSAGE_MAX ((UINT64_C(1) << 31) - 1)

extern const struct tn_dialect tn_dialect_tensorflow;

/* [A-Za-z0-9.][A-Za-z0-9_./-]*, and a little more. */
bool tn_tf_is_node_name(struct tn_bytes name);

struct tn_tf_bundle;

/* ---- tf_tensor.c: shapes and tensors ------------------------------------ */

/* TensorShapeProto.  A missing size is 0, an unknown one -1. */
struct tn_tf_shape {
    bool     unknown_rank;
    uint32_t rank;
    int64_t  dims[TN_TF_RANK_LIMIT];
};
void tn_tf_shape_init(struct tn_tf_shape *shape);

/* Adds the fields of a message: several occurrences of a message are merged. */
void tn_tf_shape_read(struct tn_cursor *c, struct tn_tf_shape *shape);

/* A TensorProto: its description, and which units it stores. */
struct tn_tf_tensor {
    struct tn_span     wire;
    uint64_t           type; /* DataType, as written                          */
    struct tn_tf_shape shape;
    struct tn_span     content; /* tensor_content, if length > 0              */
    uint32_t           field;   /* where values of this type go; 0: nowhere   */
    uint64_t           occurrences; /* of that field                          */
    uint64_t           packed_occurrences;
    struct tn_span     last_occurrence; /* that is LEN, with its tag          */
    struct tn_span     values; /* its body                                    */
    uint64_t           value_bytes; /* of all LEN occurrences                 */
};
void tn_tf_tensor_read(struct tn_cursor *c, struct tn_tf_tensor *tensor);

/* Elements of the shape with the payload of the message.  If no tensor can have
 * such a type or shape, the elements are of undefined type, so that the rest of
 * the model can be opened; a check reports the cause. */
void tn_tf_tensor_elements(const struct tn_tf_tensor *tensor,
                           struct tn_arena *arena, struct tn_elements *elements,
                           struct tn_error *error);

/* ---- tf_graph_read.c: GraphDef ------------------------------------------ */

struct tn_tf_versions {
    bool    is_present;
    int32_t producer;
    int32_t min_consumer;
};

/* The nodes read last, by name: most inputs come from a node nearby, which is
 * then found without a hash. */
#define TN_TF_NEAR 16
struct tn_tf_near {
    uint64_t        tails[TN_TF_NEAR]; /* last bytes of the name              */
    struct tn_bytes names[TN_TF_NEAR];
    uint32_t        values[TN_TF_NEAR];
    unsigned        next;
};

/* A type of nodes that was counted before. */
#define TN_TF_TYPES 64
struct tn_tf_type {
    struct tn_bytes text;
    uint32_t        name;
    uint32_t        kind; /* of the model                                     */
    bool            is_known;
};

/* How a node with one tensor ended.  Of another node whose attributes are the
 * same bytes but for the elements, the tensor is the same but for its place. */
#define TN_TF_CONSTANTS 64
struct tn_tf_constant {
    struct tn_bytes head; /* up to the elements; empty: none                  */
    struct tn_bytes rest; /* what follows them                                */
    uint64_t        size; /* of all of it                                     */
    uint64_t        offset;
    uint64_t        tensor; /* its index                                      */
    uint32_t        number; /* of those with the same head and rest           */
};

/* Reads a GraphDef into a model: begin, feed every occurrence of the message,
 * end.  Failures are in `error`, with the path of what was being read. */
struct tn_tf_reader {
    struct tn_model      *model;
    struct tn_error      *error;
    uint32_t              graph;
    uint32_t              source;
    const char           *path; /* of the GraphDef: "", "graph_def"           */
    struct tn_tf_versions versions;
    struct tn_list        libraries; /* struct tn_cursor                      */
    struct tn_list     placeholders; /* inputs: placeholders found so far     */
    struct tn_tf_uses *uses;         /* NULL: not wanted                      */
    uint32_t           function_count;
    uint32_t           first_value; /* of the graph being filled           */
    struct tn_tf_type  types[TN_TF_TYPES]; /* by a few bytes of the text */
    struct tn_tf_near  near;
    struct tn_pb_tails tails; /* of nodes, from the first attribute on       */
    struct tn_tf_constant constants[TN_TF_CONSTANTS]; /* by size             */
};
void tn_tf_reader_begin(struct tn_tf_reader *reader, struct tn_model *model,
                        enum tn_graph_kind kind, const char *path,
                        struct tn_error *error);
void tn_tf_reader_feed(struct tn_tf_reader *reader, struct tn_cursor graph_def);
void tn_tf_reader_end(struct tn_tf_reader *reader);

/* Sets the shape of an input or output from a TensorShapeProto. */
void tn_tf_io_shape(struct tn_io *io, struct tn_cursor *c,
                    struct tn_arena *arena);

/* "name", "name:3", "^name", "node:out:0", parsed. */
struct tn_tf_ref {
    struct tn_bytes node;  /* up to the first colon (in functions), or to the
                              last one that digits follow (in graphs)         */
    struct tn_bytes value; /* the text without "^" and ":0"                   */
    uint32_t        output;
    bool            is_control;
};
struct tn_tf_ref tn_tf_ref_parse(struct tn_bytes text, bool in_function);

/* ---- tf_meta_read.c: MetaGraphDef --------------------------------------- */

/* What a MetaGraphDef holds besides its graph; in the model's arena. */
struct tn_tf_meta {
    struct tn_span         wire;
    struct tn_span         graph_def; /* the last occurrence                  */
    uint32_t               graph_def_count;
    uint32_t               graph; /* index of its main graph in the model    */
    uint32_t               graph_end; /* one past its last function           */
    struct tn_tf_versions  versions;
    struct tn_bytes        tensorflow_version;
    struct tn_bytes        tags; /* joined by commas                          */
    struct tn_bytes        restore_op;
    struct tn_span         object_graph; /* length 0 if there is none         */
    uint32_t               first_signature, signature_count;
    uint32_t               asset_count;
    const struct tn_bytes *assets; /* file names, below assets/               */
    const struct tn_bytes *asset_tensors; /* that their names are in          */
    const uint64_t        *asset_offsets;
};

/* Reads one into the model: graph, signatures, facts that only it has. */
enum tn_status tn_tf_meta_read(struct tn_model *model, struct tn_cursor c,
                               enum tn_graph_kind kind, const char *path,
                               struct tn_tf_meta *meta, struct tn_error *error);

/* Makes inputs and outputs of serving_default, or of the only signature, those
 * of the model: without this they would be the nodes that save the model,
 * because nothing uses their outputs. */
void tn_tf_use_signature_io(struct tn_model *model);

/* ---- what open leaves for check and write ------------------------------- */

struct tn_tf_detail {
    struct tn_bundle *bundle;
    struct tn_span    message;        /* binary: GraphDef, MetaGraphDef or
                                         SavedModel; length 0: a checkpoint   */
    const char           *model_file; /* "saved_model.pb"; "" is the main  */
    struct tn_tf_meta    *metas;
    uint32_t              meta_count;
    struct tn_tf_versions versions; /* of a bare GraphDef                  */
    int64_t               schema_version;
    const char           *prefix; /* of the checkpoint; may be NULL */
    struct tn_tf_bundle  *table;  /* the bundle owns it; NULL: none        */
    uint64_t              first_entry; /* its first tensor in the model    */
};

/* Never NULL: for a model that was made by an edit, all fields are empty. */
static inline const struct tn_tf_detail *tn_tf_detail_of(
    const struct tn_model *model)
{
    static const struct tn_tf_detail none = { .model_file = "" };

    return model->detail ? model->detail : &none;
}

/* Signatures of a meta graph.  If there is only one meta graph, these are all
 * signatures of the model, which an edit may have changed. */
static inline uint32_t tn_tf_signature_count(const struct tn_model   *model,
                                             const struct tn_tf_meta *meta)
{
    uint32_t all = (uint32_t)model->signatures.count;

    if (tn_tf_detail_of(model)->meta_count == 1)
        return all;
    return meta->first_signature + meta->signature_count <= all
               ? meta->signature_count
               : 0;
}

/* Opens a file that is one message of that type: turns text into bytes, makes
 * the detail, sets the model's dialect and wire. */
enum tn_status tn_tf_open_message(struct tn_bundle *bundle,
                                  struct tn_source *source, const char *message,
                                  struct tn_model      *model,
                                  struct tn_tf_detail **detail,
                                  struct tn_error      *error);

/* ---- tf_checkpoint.c: a table in a model -------------------------------- */

/* tn_tf_bundle_open(), for a table that is closed with the bundle. */
enum tn_status tn_tf_table_open(struct tn_tf_bundle **table,
                                struct tn_bundle *bundle, const char *prefix,
                                struct tn_error *error);
enum tn_status tn_tf_table_tensors(struct tn_model           *model,
                                   const struct tn_tf_bundle *table,
                                   struct tn_error           *error);
void tn_tf_table_facts(struct tn_model *model, const struct tn_tf_bundle *table,
                       struct tn_error *error);

/* The tensor of that key among those from `first` on; NULL if there is none. */
struct tn_tensor *tn_tf_find_entry(const struct tn_model *model, uint64_t first,
                                   struct tn_bytes key);

/* Whether a key belongs to training state or bookkeeping of a checkpoint. */
bool tn_tf_is_state_key(struct tn_bytes key);

/* ---- tf_write.c --------------------------------------------------------- */

enum tn_status tn_tf_write_graph(const struct tn_model         *model,
                                 const struct tn_write_options *options,
                                 struct tn_output *to, struct tn_error *error);
enum tn_status tn_tf_write_meta_graph(const struct tn_model         *model,
                                      const struct tn_write_options *options,
                                      struct tn_output              *to,
                                      struct tn_error               *error);
enum tn_status tn_tf_write_saved_model(const struct tn_model         *model,
                                       const struct tn_write_options *options,
                                       struct tn_output              *to,
                                       struct tn_error               *error);
enum tn_status tn_tf_write_checkpoint(const struct tn_model         *model,
                                      const struct tn_write_options *options,
                                      struct tn_output              *to,
                                      struct tn_error               *error);

/* ---- tf_check.c --------------------------------------------------------- */

enum tn_status tn_tf_check_graph(struct tn_bundle      *bundle,
                                 const struct tn_model *model,
                                 struct tn_report      *report,
                                 struct tn_error       *error);
/* Checks definitions, operators and types, for every format that holds a
 * graph. */
enum tn_status tn_tf_check_structure(const struct tn_model *model,
                                     struct tn_report      *report,
                                     struct tn_error       *error);
enum tn_status tn_tf_check_saved_model(struct tn_bundle      *bundle,
                                       const struct tn_model *model,
                                       struct tn_report      *report,
                                       struct tn_error       *error);
enum tn_status tn_tf_check_checkpoint(struct tn_bundle      *bundle,
                                      const struct tn_model *model,
                                      struct tn_report      *report,
                                      struct tn_error       *error);

/* ---- tf_meta_read.c ----------------------------------------------------- */

void tn_tf_add_version_facts(struct tn_model             *model,
                             const struct tn_tf_versions *versions,
                             struct tn_error             *error);

/* Adds a fact if a message is larger than TensorFlow can read. */
void tn_tf_add_size_fact(struct tn_model *model, uint64_t size,
                         struct tn_error *error);

/* Adds a fact if a graph without a checkpoint has variables. */
void tn_tf_add_variable_fact(struct tn_model *model, struct tn_error *error);

/* ---- tf_probe.c: what a file looks like --------------------------------- */

int tn_tf_probe_graph(const struct tn_probe *probe);
int tn_tf_probe_meta_graph(const struct tn_probe *probe);
int tn_tf_probe_saved_model(const struct tn_probe *probe);
int tn_tf_probe_checkpoint(const struct tn_probe *probe);

/* "model.data-00000-of-00002": a shard, which is useless without its index. */
bool tn_tf_is_shard_name(const char *name);

/* "00000123/": a version, the folder of a SavedModel on a model server. */
bool tn_tf_is_version_folder(const char *entry);

/* ---- tf_attr.c: the attributes of a node -------------------------------- */

/* Field 1 of a message, which is a text: the name of a NameAttrList, whose
 * attributes stay on the wire, or that of a TensorInfo. */
struct tn_bytes tn_tf_first_text(struct tn_cursor *c);

/* The map entries of a NodeDef or NameAttrList (`field` 5 or 2), as they are
 * written; `value` is the body of the AttrValue. */
struct tn_tf_entry {
    uint64_t         offset;
    struct tn_bytes  key;
    struct tn_cursor value;
};
bool tn_tf_entry_next(struct tn_cursor *c, uint32_t field,
                      struct tn_tf_entry *entry);

/* The body of a map entry: key and value, in any order. */
void tn_tf_entry_read(struct tn_cursor *body, struct tn_tf_entry *entry);

/* The kind of an AttrValue: its field number, 0 if it is empty.  *field is the
 * last value of the oneof. */
uint32_t tn_tf_attr_kind(struct tn_cursor value, struct tn_pb_field *field);

/* Inputs or outputs that were gathered, kept by the model. */
struct tn_io_list tn_tf_keep_io(struct tn_model      *model,
                                const struct tn_list *list,
                                struct tn_error      *error);

#endif
