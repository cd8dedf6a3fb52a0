/*
 * pt.h - the parts of the format pytorch
 *
 * torch.save() writes a pickle in which tensors are calls: a rebuild function,
 * a storage, an offset, a shape and strides. pt_tree.c reads the pickle into
 * storages and named tensors; nothing is imported or called.  The container
 * decides where storages are: a zip (pt_zip.c), a stream of pickles and bytes
 * (pt_stream.c) or a tar of both (pt_tar.c).
 */
#ifndef TN_FORMAT_PT_H
#define TN_FORMAT_PT_H

#include "format/format.h"
#include "wire/pickle/pickle.h"

/* A sequence of elements, of which tensors are views. */
struct tn_pt_storage {
    struct tn_bytes key;
    enum tn_dtype   dtype;      /* TN_UNDEFINED: the tensors say it           */
    uint8_t         per_byte;   /* elements in one byte, mostly 1             */
    bool            is_untyped; /* bytes, whose type the tensors say          */
    bool            is_without_data; /* on the device "meta"                  */
    bool            is_used;         /* by a tensor                           */
    uint64_t        count; /* elements; bytes, if untyped or if a byte has
                              several                                         */
    uint64_t        offset; /* of its id in the pickle                        */
    struct tn_span  span;   /* set by the container; no source: not there     */
};

/* Bytes that the storage takes; false if they cannot be counted. */
bool tn_pt_storage_size(const struct tn_pt_storage *storage, uint64_t *size);

enum tn_pt_kind {
    TN_PT_DENSE,
    TN_PT_WITHOUT_DATA,
    TN_PT_ARRAY, /* numpy's */
};

/* A tensor of the tree.  Names are keys joined by dots. */
struct tn_pt_tensor {
    struct tn_bytes name;
    enum tn_pt_kind kind;
    enum tn_dtype   dtype;
    uint32_t        storage; /* of a DENSE one                                */
    uint64_t        start;   /* in elements of the storage                    */
    uint32_t        rank;
    uint64_t       *dims;
    int64_t        *strides;
    uint64_t        offset; /* of its call in the pickle                      */
    uint8_t         role;   /* enum tn_role                                   */
    bool is_conjugate, is_negative; /* marks: the stored elements are not
                                       changed yet                            */
    bool is_pairs; /* the last dimension is real and imaginary part           */
    const struct tn_pickle_array *array;
};

/* A value that is neither a tensor nor a container of some. */
struct tn_pt_other {
    struct tn_bytes name;
    const char     *kind; /* "text"                                           */
    uint64_t        offset;
};

struct tn_pt_tree {
    struct tn_arena *arena;
    struct tn_error *error;
    struct tn_bundle *bundle; /* keeps bytes that were decoded                */
    const char      *folder; /* of the storages of the next pickle: "data/"   */
    struct tn_intern keys;   /* folder and key                                */
    struct tn_list   storages; /* struct tn_pt_storage by id of the key       */
    struct tn_list   tensors;  /* struct tn_pt_tensor                         */
    struct tn_intern tensor_keys; /* of a tar                                 */
    struct tn_list   keyed;       /* struct tn_pt_tensor by id of the key     */
    uint64_t         other_count;
    struct tn_pt_other first_other; /* the first of them                      */
    struct tn_intern   classes;     /* named, and not PyTorch's containers    */
    uint64_t           limit;       /* values that a walk may visit           */
    bool               is_refused;  /* what the pickle says contradicts itself */
    bool               is_nested;   /* in a storage of another pickle         */
};

void tn_pt_tree_init(struct tn_pt_tree *tree, struct tn_arena *arena,
                     struct tn_error *error);
void tn_pt_tree_done(struct tn_pt_tree *tree);

/* Lists all storages as rows of their elements, if there is no tensor: nothing
 * more is known about the contents of the file. */
void tn_pt_tree_list_storages(struct tn_pt_tree *tree);

/* Reads a pickle and adds its storages and tensors, with `prefix` before their
 * names.  The tree borrows what the cursor reads. */
enum tn_status tn_pt_tree_read(struct tn_pt_tree *tree, struct tn_cursor *c,
                               struct tn_bytes prefix);

static inline struct tn_pt_storage *tn_pt_storage_at(
    const struct tn_pt_tree *tree, uint64_t index)
{
    return tn_list_at(&tree->storages, struct tn_pt_storage, index);
}

/* The type of a storage class or of a dtype of torch; false: neither. */
bool tn_pt_find_type(struct tn_bytes name, enum tn_dtype *dtype,
                     uint8_t *per_byte);
/* What torch calls a type: "float32"; NULL if it has no such type.  And the
 * class of its storages; NULL if only an untyped one. */
const char *tn_pt_dtype_name(enum tn_dtype dtype);
const char *tn_pt_storage_class(enum tn_dtype dtype);

/* What tn_model.detail is. */
struct tn_pt_detail {
    struct tn_source *source;      /* the whole file; NULL: there are several */
    uint64_t          other_count; /* values that are not tensors             */
    struct tn_bytes   first_other; /* the name of one                         */
    uint64_t          code_count;  /* modules of TorchScript                  */
    uint64_t          empty_count; /* tensors of the device meta                */
    bool              is_pickle;   /* alone, which torch.load() does not read */
};

/* Reports what is not a tensor, as struct tn_format says. */
enum tn_status tn_pt_report_rest(const struct tn_model         *model,
                                 const struct tn_write_options *options,
                                 bool is_bare, struct tn_error *error);

enum tn_status tn_pt_write(const struct tn_model         *model,
                           const struct tn_write_options *options,
                           struct tn_output *to, struct tn_error *error);

/* ---- containers ---------------------------------------------------------- */

enum tn_pt_container {
    TN_PT_ZIP,
    TN_PT_SCRIPT,
    TN_PT_STREAM,
    TN_PT_PICKLE,
    TN_PT_TAR
};

/* A file that was read. */
struct tn_pt_file {
    enum tn_pt_container kind;
    struct tn_pt_tree    tree;
    bool                 is_big_endian;
    struct tn_bytes      version, byte_order; /* records of the zip           */
    uint64_t             code_count, extra_count; /* files of TorchScript     */
    struct tn_bytes      unread; /* why the pickle was not read; empty: it was */
};

/* Reads the container and places its storages.  With a report, problems of the
 * container are findings where it can go on. */
enum tn_status tn_pt_zip_read(struct tn_pt_file *file, struct tn_bundle *bundle,
                              struct tn_source *source,
                              struct tn_report *report);
enum tn_status tn_pt_stream_read(struct tn_pt_file *file,
                                 struct tn_source  *source,
                                 struct tn_report  *report);

/* A pickle alone, as pickle.dump() writes it: storages are streams inside of
 * it. */
enum tn_status tn_pt_pickle_read(struct tn_pt_file *file,
                                 struct tn_source  *source,
                                 struct tn_report  *report);
bool           tn_pt_is_pickle(struct tn_bytes head);
bool tn_pt_begins_pickle(struct tn_bytes head);

/* The tar of the first versions, and the tensor that an id in its pickle is the
 * key of; NULL: none. */
enum tn_status             tn_pt_tar_read(struct tn_pt_file *file,
                                          struct tn_source  *source);
bool                       tn_pt_is_tar(struct tn_bytes head);
const struct tn_pt_tensor *tn_pt_keyed_tensor(const struct tn_pt_tree *tree,
                                              const struct tn_pickle  *id);

/* The storage that a stream in a pickle holds, placed; false: there is none. */
bool tn_pt_nested_storage(struct tn_pt_tree *tree, struct tn_span stream,
                          struct tn_pt_storage *storage);

/* Whether these are the first bytes of a stream: its magic number as a
 * pickle. */
#define TN_PT_STREAM_HEAD 28
bool tn_pt_is_stream(struct tn_bytes head);

/* The elements of a tensor of the file; what they need lives in the arena. */
enum tn_status tn_pt_elements(const struct tn_pt_file   *file,
                              const struct tn_pt_tensor *tensor,
                              struct tn_bundle *bundle, struct tn_arena *arena,
                              struct tn_elements *elements,
                              struct tn_error    *error);

#endif
