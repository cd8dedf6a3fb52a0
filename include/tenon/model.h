/*
 * model.h - an opened model: its format, graphs, inputs, outputs and tensors
 *
 * Opening reads names, shapes, types and offsets; weights stay where they are.
 * A model is immutable and may be shared by threads.  What is returned is
 * borrowed until tn_model_close(); names are views without a terminator.  An
 * index past the end returns NULL or zeros, and so does a model that is NULL.
 */
#ifndef TENON_MODEL_H
#define TENON_MODEL_H

#include <tenon/bytes.h>
#include <tenon/dtype.h>
#include <tenon/options.h>
#include <tenon/status.h>

struct tn_model;
struct tn_tensor;

/* "None" for a 32-bit number. */
#define TN_NONE UINT32_MAX

/* Yours to close.  On failure *out is NULL, and closing NULL is fine.  The path
 * is a file, a folder, or "-" for standard input.  It may be the prefix of a
 * checkpoint ("model.ckpt" for model.ckpt.index).  A folder that contains
 * exactly one model stands for that model; tn_folder_models() lists several. */
TN_API enum tn_status tn_model_open(struct tn_model **out, const char *path,
                                    const struct tn_options *options,
                                    struct tn_error *error);

/* The same for bytes that the caller provides: object storage, a database, an
 * archive.  `read_at` copies exactly `size` bytes and returns 0, or an errno.
 * Functions with several workers (tn_model_hash, unless options.workers is 1)
 * call it from several threads at once.  Such a model has no folder, so other
 * files that it refers to cannot be found. */
typedef int tn_read_at(void *context, uint64_t offset, void *to, size_t size);
TN_API enum tn_status tn_model_open_source(struct tn_model **out,
                                           const char *name, uint64_t size,
                                           tn_read_at *read_at, void *context,
                                           const struct tn_options *options,
                                           struct tn_error *error);
TN_API void tn_model_close(struct tn_model *model);

/* Lists the models in a folder that is not itself a model: files, then
 * subfolders; numbered ones (versions) by number, others by name.
 * Links to files are listed with the format of their target; broken links come
 * last, without a format.  Links to folders are not followed.  Return non-zero
 * to stop. */
struct tn_folder_model {
    const char *path;   /* below the folder; ends in '/' for a folder         */
    const char *format; /* "onnx"; "": a folder of several models             */
    const char *title;
};
typedef int tn_on_folder_model(void *context,
                               const struct tn_folder_model *model);
TN_API enum tn_status tn_folder_models(const char              *path,
                                       const struct tn_options *options,
                                       tn_on_folder_model *each, void *context,
                                       struct tn_error *error);

/* ---- what it is --------------------------------------------------------- */

/* The format's name ("onnx") and its title for people; the dialect of the
 * graph's operators ("tensorflow"; "" for sets of tensors); and the path it was
 * opened from. */
TN_API const char *tn_model_format(const struct tn_model *model);
TN_API const char *tn_model_title(const struct tn_model *model);
TN_API const char *tn_model_dialect(const struct tn_model *model);
TN_API const char *tn_model_path(const struct tn_model *model);

/* Bytes on disk: the main file and every file it refers to. */
TN_API uint64_t tn_model_file_size(const struct tn_model *model);

/* What the file says about itself, in its order: "ir_version" "8", "opset"
 * "ai.onnx 17", "producer" "pytorch 2.1". */
struct tn_fact {
    struct tn_bytes key;
    struct tn_bytes value;
};
TN_API uint32_t       tn_model_fact_count(const struct tn_model *model);
TN_API struct tn_fact tn_model_fact(const struct tn_model *model,
                                    uint32_t               index);

/* Tags: the variants of a SavedModel's graph, the versions of a container. */
TN_API uint32_t        tn_model_tag_count(const struct tn_model *model);
TN_API struct tn_bytes tn_model_tag(const struct tn_model *model,
                                    uint32_t               index);

/* ---- training ------------------------------------------------------------ */

/* How a SameDiff model is trained: its training configuration as JSON, empty if
 * it has none; and the variables whose sum is the loss.  Variables that are
 * trained have tensors of TN_ROLE_VARIABLE, constants have TN_ROLE_INITIALIZER,
 * and placeholders are inputs. */
TN_API struct tn_bytes tn_model_training(const struct tn_model *model);
TN_API uint32_t        tn_model_loss_count(const struct tn_model *model);
TN_API struct tn_bytes tn_model_loss(const struct tn_model *model,
                                     uint32_t               index);

/* ---- inputs and outputs, of graphs and of signatures -------------------- */

struct tn_dim {
    int64_t         value;  /* -1: unknown                                   */
    struct tn_bytes symbol; /* a name instead of a number; may be empty      */
};

/* An input or an output of a graph. */
struct tn_io {
    struct tn_bytes      name;
    struct tn_bytes      key;   /* in a signature: the argument's name       */
    enum tn_dtype        dtype; /* TN_UNDEFINED: unknown, or not a tensor    */
    bool                 has_rank;
    bool                 has_default; /* an input with an initial value      */
    bool                 is_guessed;  /* the file does not list outputs; this
                                         value is one because no op uses it  */
    uint32_t             rank;
    const struct tn_dim *dims;
    const char          *note;  /* "sequence", "optional", "map": else ""    */
};

struct tn_io_list {
    uint32_t            count;
    const struct tn_io *items;
};

/* A signature: a named way to call the model. */
struct tn_signature {
    struct tn_bytes   name;
    struct tn_bytes   method;
    struct tn_io_list inputs;
    struct tn_io_list outputs;
};
TN_API uint32_t tn_model_signature_count(const struct tn_model *model);
TN_API const struct tn_signature *
tn_model_signature(const struct tn_model *model, uint32_t index);

/* Inputs and outputs of the main graph. */
TN_API struct tn_io_list tn_model_inputs(const struct tn_model *model);
TN_API struct tn_io_list tn_model_outputs(const struct tn_model *model);

/* ---- the operators, counted --------------------------------------------- */

struct tn_op_kind {
    struct tn_bytes type;   /* "Conv"                                        */
    struct tn_bytes domain; /* "com.microsoft"; empty: the dialect's own     */
    uint64_t        count;  /* in all graphs and functions                   */
};

/* Most frequent first, then by name. */
TN_API uint32_t tn_model_op_kind_count(const struct tn_model *model);
TN_API const struct tn_op_kind *tn_model_op_kind(const struct tn_model *model,
                                                 uint32_t index);

/* Nodes in all graphs and functions; graphs inside nodes; functions. */
TN_API uint64_t tn_model_node_count(const struct tn_model *model);
TN_API uint32_t tn_model_subgraph_count(const struct tn_model *model);
TN_API uint32_t tn_model_function_count(const struct tn_model *model);

/* ---- tensors ------------------------------------------------------------ */

enum tn_role {
    TN_ROLE_INITIALIZER, /* a named constant of a graph                      */
    TN_ROLE_ATTRIBUTE,   /* the value of a node's attribute: TensorFlow Const */
    TN_ROLE_VARIABLE,    /* a variable's value in a checkpoint               */
    TN_ROLE_SPARSE_VALUES,
    TN_ROLE_SPARSE_INDICES,
    TN_ROLE_STATE, /* of an optimizer, or bookkeeping of a checkpoint        */
};

/* In the order of the file, depth first. */
TN_API uint64_t tn_model_tensor_count(const struct tn_model *model);
TN_API const struct tn_tensor *tn_model_tensor(const struct tn_model *model,
                                               uint64_t               index);

/* By name, else by path; NULL if there is none.  If several have the name: the
 * first that is not a tensor in an attribute, else the first.  A variable of a
 * TensorFlow checkpoint is also found by the path of objects that leads to it
 * ("dense/w" for dense/w/.ATTRIBUTES/VARIABLE_VALUE), and by its name in the
 * graph.  Calls that return a status may be given the NULL, and answer
 * NOT_FOUND. */
TN_API const struct tn_tensor *tn_model_find(const struct tn_model *model,
                                             const char            *name);

TN_API struct tn_bytes tn_tensor_name(const struct tn_tensor *tensor);
TN_API enum tn_dtype   tn_tensor_dtype(const struct tn_tensor *tensor);
TN_API uint32_t        tn_tensor_rank(const struct tn_tensor *tensor);
TN_API const uint64_t *tn_tensor_dims(const struct tn_tensor *tensor);
TN_API enum tn_role    tn_tensor_role(const struct tn_tensor *tensor);

/* Sequences of different lengths in one tensor (PaddlePaddle's LoD): level k is
 * a list of offsets, of which the last is the number of sequences of level k +
 * 1, or of rows.  A tensor without sequences has 0 levels.  The offsets of a
 * level are copied to `to`, as many as fit into `room`; *count is how many
 * there are. */
TN_API uint64_t       tn_tensor_level_count(const struct tn_tensor *tensor);
TN_API enum tn_status tn_tensor_level(const struct tn_tensor *tensor,
                                      uint64_t level, uint64_t *to,
                                      uint64_t room, uint64_t *count,
                                      struct tn_error *error);

/* For a tensor that is state of a SameDiff updater (TN_ROLE_STATE): the
 * parameter it belongs to, and its key ("M" and "V" of Adam).  Returns false
 * for other tensors. */
TN_API bool tn_tensor_state(const struct tn_tensor *tensor,
                            struct tn_bytes *parameter, struct tn_bytes *key);

/* Number of elements: the product of the dims. */
TN_API uint64_t tn_tensor_count(const struct tn_tensor *tensor);

/* Bytes of all elements as tn_tensor_read() returns them; 0 for strings. */
TN_API uint64_t tn_tensor_size(const struct tn_tensor *tensor);

/* Where the tensor is stored: the file ("" is the main one), the offset
 * (TN_NOWHERE if no byte is stored), the number of bytes, and how: "raw",
 * "typed" (a field of its type), "strings", "splat" (the last value fills the
 * rest), "zeros" (nothing is stored), "empty" (nothing to store), "external" or
 * "shard" (in another file), "view" (computed from what is stored: parts
 * joined, or reordered). */
TN_API const char *tn_tensor_file(const struct tn_tensor *tensor);
TN_API uint64_t    tn_tensor_offset(const struct tn_tensor *tensor);
TN_API uint64_t    tn_tensor_stored_size(const struct tn_tensor *tensor);
TN_API const char *tn_tensor_storage(const struct tn_tensor *tensor);

/* Its path in the model, such as graph.node[15].attribute[0].t; truncated to
 * fit, and terminated.  Returns the full length. */
TN_API size_t tn_tensor_path(const struct tn_tensor *tensor, char *to,
                             size_t size);

/* Works for every type of fixed size: little-endian, C order, whatever the file
 * has.  `offset` and `size` are in bytes, and must be whole elements.
 * UNSUPPORTED for strings: see below. */
TN_API enum tn_status tn_tensor_read(const struct tn_tensor *tensor,
                                     uint64_t offset, void *to, size_t size,
                                     struct tn_error *error);

/* The same for strings, and for elements that are stored as serialized
 * messages: one call for each of `count` elements from `first` on.  The text is
 * valid only during the call and has no terminator.  Return non-zero to stop,
 * which is not an error. */
typedef int tn_on_string(void *context, uint64_t index, struct tn_bytes text);
TN_API enum tn_status tn_tensor_strings(const struct tn_tensor *tensor,
                                        uint64_t first, uint64_t count,
                                        tn_on_string *each, void *context,
                                        struct tn_error *error);

#endif
