/*
 * paddle.h - PaddlePaddle's programs and parameters, inside the format
 *
 *   ProgramDesc   blocks = 1, old version = 2, op_compatible_map = 3,
 *                 version = 4, op_version_map = 5
 *   BlockDesc     idx = 1, parent_idx = 2, vars = 3, ops = 4
 *   VarDesc       name = 1, type = 2, persistable = 3, need_check_feed = 4
 *   OpDesc        inputs = 1, outputs = 2, type = 3, attrs = 4
 *   Attr          name = 1, type = 2, then a field for each type
 *   Var           parameter = 1, arguments = 2
 *
 * Block k is graph k of the model.  Inputs of an op are the arguments of all
 * its slots, in the order of the file; the slots are read from the file when
 * they are needed.
 */
#ifndef TN_FORMAT_PADDLE_H
#define TN_FORMAT_PADDLE_H

#include "format/format.h"
#include "ir/attr.h"
#include "wire/lod/lod.h"
#include "wire/pb/pb_wire.h"

/* A name is looked up in a block and in all blocks that enclose it. */
#define TN_PADDLE_DEPTH_LIMIT 128

#define TN_PADDLE_MESSAGE "paddle.framework.proto.ProgramDesc"

enum {
    PROGRAM_BLOCKS      = 1,
    PROGRAM_OLD_VERSION = 2,
    PROGRAM_COMPATIBLE  = 3,
    PROGRAM_VERSION     = 4,
    PROGRAM_OP_VERSIONS = 5,
    BLOCK_IDX           = 1,
    BLOCK_PARENT        = 2,
    BLOCK_VARS          = 3,
    BLOCK_OPS           = 4,
    BLOCK_FORWARD       = 5,
    VAR_NAME            = 1,
    VAR_TYPE            = 2,
    VAR_PERSISTABLE     = 3,
    VAR_NEED_CHECK_FEED = 4,
    OP_INPUTS           = 1,
    OP_OUTPUTS          = 2,
    OP_TYPE             = 3,
    OP_ATTRS            = 4,
    SLOT_PARAMETER      = 1,
    SLOT_ARGUMENTS      = 2,
    ATTR_NAME           = 1,
    ATTR_TYPE           = 2,
};

/* Element and container types beyond those of wire/lod. */
enum tn_paddle_type {
    TN_PADDLE_LOD_TENSOR    = 7,
    TN_PADDLE_SELECTED_ROWS = 8,
    TN_PADDLE_FEED          = 9,
    TN_PADDLE_FETCH         = 10,
    TN_PADDLE_TENSOR_ARRAY  = 13,
    TN_PADDLE_READER        = 15,
    TN_PADDLE_RAW           = 17,
    TN_PADDLE_VOCAB         = 27,
};

/* A variable of a block. */
struct tn_paddle_var {
    struct tn_bytes name;
    struct tn_span  wire;
    uint32_t        block;
    uint32_t        type;      /* kind of variable: LOD_TENSOR and so on      */
    uint32_t        data_type; /* of its elements, if has_desc                */
    uint32_t        rank;
    const int64_t  *dims; /* -1: not known                                    */
    int32_t         lod_level;
    bool            has_type, has_desc;
    bool            is_persistable, needs_feed;
};

/* Kept as model->detail. */
struct tn_paddle_detail {
    const struct tn_paddle_var *vars; /* by block, in the order of the file   */
    uint64_t                    var_count;
    const struct tn_paddle_var **named;  /* all of them, sorted by name, then by
                                            block                             */
    const struct tn_paddle_var **stored; /* those with data, sorted by name,
                                            without duplicates: the order of a
                                            combined file                     */
    uint64_t              stored_count;
    const uint64_t       *first_vars; /* by block, and one more               */
    const struct tn_span *blocks;     /* their bytes                          */
    uint32_t              block_count;
    bool                 *has_data; /* by variable: a tensor was found for it */
    uint64_t              missing_count; /* of the stored ones                */
    bool                  is_separate;   /* each has a file of its own        */
    uint64_t              callstack_size; /* bytes of op_callstack            */
    bool                  has_version;
    int64_t               version;
    bool                  is_old; /* VarDesc of 0.11 or early 2018      */
    bool                  has_pickled_io; /* a pickle beside the program names
                                               its inputs and outputs         */
    struct tn_span info;       /* PREFIX.pdiparams.info, or none     */
    struct tn_span meta;       /* PREFIX.meta, or none               */
    const char    *info_fault; /* why it could not be read       */
};

/* A variable; `body` is the VarDesc.  Also reads the schemas of 0.11 and of
 * early 2018, in which the type is a number and the fields differ. */
void tn_paddle_var_read(struct tn_cursor *body, struct tn_arena *arena,
                        struct tn_paddle_var *var, bool *is_old);

/* Whether its value is stored in the parameter files. */
bool tn_paddle_var_is_stored(const struct tn_paddle_var *var);

/* Reads the program in `wire` into an empty model: everything but the
 * parameters. */
enum tn_status tn_paddle_program_read(struct tn_model *model,
                                      struct tn_span   wire,
                                      struct tn_error *error);

/* Reads the tensors of the stored variables from one file that holds all of
 * them. */
enum tn_status tn_paddle_combined_read(struct tn_model  *model,
                                       struct tn_source *file,
                                       struct tn_error  *error);
/* Whether the file holds exactly these, with these shapes. */
bool tn_paddle_combined_fits(struct tn_model *model, struct tn_source *file);

/* The same for a file that holds the variables of several programs. */
enum tn_status tn_paddle_shared_read(struct tn_model        *model,
                                     struct tn_source       *file,
                                     const struct tn_intern *names,
                                     struct tn_error        *error);
/* The same from files that are named like the variables. */
enum tn_status tn_paddle_separate_read(struct tn_model  *model,
                                       struct tn_bundle *bundle,
                                       struct tn_error  *error);

/* For the dialect: what a block declares about a variable. */
bool tn_paddle_declared(const struct tn_model *model, uint32_t graph,
                        struct tn_bytes name, struct tn_declared *to);

/* The stored variable of that name, or NULL. */
const struct tn_paddle_var *tn_paddle_find_stored(
    const struct tn_paddle_detail *detail, struct tn_bytes name);

/* Whether a file that begins with these bytes consists of tensor records. */
bool tn_paddle_is_records(struct tn_bytes head);

/* Whether the shape is that of the variable, apart from dimensions of 1 and
 * unknown ones. */
bool tn_paddle_dims_fit(const struct tn_paddle_var *var, uint32_t rank,
                        const uint64_t *dims);

/* Adds a tensor for the variable, without elements yet.  And sets its elements
 * from a record; the shape is shared with the variable (may be NULL) if it is
 * the same. */
struct tn_tensor *tn_paddle_add_row(struct tn_model            *model,
                                    const struct tn_paddle_var *var,
                                    struct tn_error            *error);
void              tn_paddle_fill_row(struct tn_tensor           *row,
                                     const struct tn_lod_record *record,
                                     const struct tn_paddle_var *var, struct tn_arena *arena,
                                     struct tn_error *error);

/* Sets inputs and outputs of a program of 0.11, which are named by its
 * pickle. */
struct tn_pickle;
void tn_paddle_pickled_io(struct tn_model *model, const struct tn_pickle *dict,
                          struct tn_error *error);

/* The record that a tensor was read from; the layout is NONE if it was not read
 * from a record. */
enum tn_status tn_paddle_record(const struct tn_tensor *row,
                                struct tn_lod_record   *record,
                                struct tn_error        *error);

/* Makes a record for a tensor that was not read from one, with a layout of
 * NONE. */
enum tn_status tn_paddle_make_record(const struct tn_shape *shape,
                                     struct tn_lod_record  *record,
                                     struct tn_error       *error);

/* The parameters of a model with a program, in the order of their names. */
enum tn_status tn_paddle_params(const struct tn_model    *model,
                                struct tn_arena          *arena,
                                const struct tn_tensor ***rows, uint64_t *count,
                                struct tn_error *error);

/* All tensors that records can hold, in the order of their names. */
struct tn_bare_tensor;
enum tn_status tn_paddle_collect(const struct tn_model         *model,
                                 const struct tn_write_options *options,
                                 struct tn_arena               *arena,
                                 const struct tn_bare_tensor ***order,
                                 uint64_t *count, struct tn_error *error);

/* Writes records to a file.  Adjacent records that do not change are copied
 * together, so start with a zeroed `pending` and flush at the end. */
struct tn_paddle_records {
    const struct tn_write_options *options;
    struct tn_memory              *memory;
    struct tn_sink                *sink;
    struct tn_error               *error;
    enum tn_lod_layout             layout; /* NONE: each keeps its own        */
    struct tn_span                 pending;
};
enum tn_status tn_paddle_records_put(struct tn_paddle_records *records,
                                     const struct tn_tensor   *row);
enum tn_status tn_paddle_records_flush(struct tn_paddle_records *records);

/* The layout that --layout names; NONE if it is not given. */
enum tn_lod_layout tn_paddle_layout(const struct tn_write_options *options);

/* Reports the loss of a pickle that names inputs and outputs: a program has no
 * place for it. */
void tn_paddle_lose_io(const struct tn_model         *model,
                       const struct tn_write_options *options);

/* Program and parameters. */
enum tn_status tn_paddle_write(const struct tn_model         *model,
                               const struct tn_write_options *options,
                               struct tn_output *to, struct tn_error *error);
enum tn_status tn_paddle_write_text(const struct tn_model         *model,
                                    const struct tn_write_options *options,
                                    struct tn_output              *to,
                                    struct tn_error               *error);

/* The bytes of the program, as they were read or as an edit changed them. */
enum tn_status tn_paddle_encode(const struct tn_model *model,
                                struct tn_arena *arena, struct tn_rope *to,
                                struct tn_error *error);

/* An attribute that an edit has set; `blocks` maps numbers of graphs to numbers
 * of blocks (NULL: they are the same). */
void tn_paddle_put_attr(struct tn_rope *to, struct tn_arena *arena,
                        struct tn_bytes name, const struct tn_attr_value *value,
                        const uint32_t *blocks, uint32_t block_count);

/* Fails unless a variable's name can be the name of a file in the folder:
 * relative, without `.` or `..`, backslash or zero byte. */
enum tn_status tn_paddle_check_name(struct tn_bytes  name,
                                    struct tn_error *error);

extern const struct tn_dialect tn_dialect_paddle;
extern const struct tn_format  tn_format_paddle;

/* ---- paddle_check.c ----------------------------------------------------- */

enum tn_status tn_paddle_check(struct tn_bundle      *bundle,
                               const struct tn_model *model,
                               struct tn_report      *report,
                               struct tn_error       *error);
/* tn_format.check_graph of all formats with a program. */
enum tn_status tn_paddle_check_graph(const struct tn_model *model,
                                     struct tn_report      *report,
                                     struct tn_error       *error);

/* ---- paddle_format.c ---------------------------------------------------- */

void tn_paddle_describe(const struct tn_model *model, struct tn_about *about);
enum tn_status tn_paddle_report_rest(const struct tn_model         *model,
                                     const struct tn_write_options *options,
                                     bool is_bare, struct tn_error *error);
extern const struct tn_format_setting tn_paddle_setting_external;
extern const struct tn_format_setting tn_paddle_setting_layout;
extern const struct tn_rest_row       tn_paddle_taken_by_graph[];
extern const struct tn_rest_row       tn_paddle_taken_by_tensors[];

#endif
