/*
 * verbs.h - the jobs of the command, for programs
 *
 * Paths of outputs may be "-" for standard output.  Nothing appears under its
 * final name before it is complete; nothing is replaced unless asked.
 */
#ifndef TENON_VERBS_H
#define TENON_VERBS_H

#include <tenon/formats.h>
#include <tenon/model.h>

/* How outputs are written. */
struct tn_target {
    const char *path;
    bool        can_replace; /* --force                                      */
    bool        is_dry_run;  /* do everything but write                      */
    bool        is_durable;  /* synced to disk before the call returns       */
};

/* ---- texts -------------------------------------------------------------- */

/* Calls `on` once, with a file of text as a whole, such as a list of names or a
 * manifest, which is valid until `on` returns.  The path may be a URL, or "-"
 * for standard input; a file of gzip is unpacked.  LIMIT beyond 256 MiB. */
TN_API enum tn_status tn_text_read(const char              *path,
                                   const struct tn_options *options,
                                   void (*on)(void           *context,
                                              struct tn_bytes text),
                                   void *context, struct tn_error *error);

/* ---- check -------------------------------------------------------------- */

enum tn_severity { TN_SEVERITY_NOTE, TN_SEVERITY_WARNING, TN_SEVERITY_ERROR };

struct tn_finding {
    enum tn_severity severity;
    const char      *rule;   /* stable name: "dangling-input"                */
    const char      *file;   /* "" is the main file                          */
    uint64_t         offset; /* byte in that file, or TN_NOWHERE             */
    const char      *where;  /* path in the model; may be ""                 */
    const char      *what;   /* one line                                     */
    enum tn_reason   reason; /* if the finding is a failure to read          */
};

/* One call per problem, in the order found.  Return non-zero to stop. */
typedef int tn_on_finding(void *context, const struct tn_finding *finding);

struct tn_check_options {
    size_t   size;      /* options.h: how structs of options grow */
    bool     skip_data; /* structure only: no checksums of weights          */
    uint64_t max_findings; /* stop after so many; 0: all                     */
};
#define TN_CHECK_OPTIONS_INIT TN_SIZED_INIT(struct tn_check_options)

struct tn_check_summary {
    uint64_t errors, warnings, notes;
    char     format[32]; /* "" when it is no model                        */
    uint64_t nodes, tensors;
    uint64_t bytes_verified; /* of payload, by checksum                   */
    bool     has_records;    /* records of unknown content instead of tensors;
                                `tensors` counts them                        */
    bool can_repair;         /* tn_tag_repair() works for this format        */
};

/* TN_OK when the check ran, whatever it found: malformed input is a finding,
 * and so is a file that is not a model.  Other statuses: the file could not be
 * read. */
TN_API enum tn_status tn_check(const char                    *path,
                               const struct tn_options       *options,
                               const struct tn_check_options *check,
                               tn_on_finding *on_finding, void *context,
                               struct tn_check_summary *summary,
                               struct tn_error         *error);

/* ---- get ---------------------------------------------------------------- */

enum tn_get_form { TN_GET_NPY, TN_GET_RAW, TN_GET_TEXT };

struct tn_get_options {
    size_t           size; /* options.h: how structs of options grow */
    enum tn_get_form form;
    const char      *slice; /* Python's syntax: "0:10,::2,-1"; NULL: all     */
};
#define TN_GET_OPTIONS_INIT TN_SIZED_INIT(struct tn_get_options)

/* Writes a tensor, or a slice of it. */
TN_API enum tn_status tn_get(const struct tn_tensor      *tensor,
                             const struct tn_get_options *get,
                             const struct tn_target      *target,
                             const struct tn_options     *options,
                             struct tn_error             *error);

/* ---- hash --------------------------------------------------------------- */

/* SHA-256 over dtype, shape and little-endian elements: the same for equal
 * tensors in every format.  docs/hash.md has the exact bytes. */
#define TN_HASH_SIZE 32
TN_API enum tn_status tn_tensor_hash(const struct tn_tensor *tensor,
                                     uint8_t          digest[TN_HASH_SIZE],
                                     struct tn_error *error);

/* All tensors on several workers; `digests` has room for one per tensor. */
TN_API enum tn_status tn_model_hash(const struct tn_model   *model,
                                    const struct tn_options *options,
                                    uint8_t (*digests)[TN_HASH_SIZE],
                                    struct tn_error *error);

/* ---- dump and undump ---------------------------------------------------- */

enum tn_dump_form { TN_DUMP_TEXT, TN_DUMP_JSON };

struct tn_dump_options {
    size_t            size; /* options.h: how structs of options grow */
    enum tn_dump_form form;
    const char       *schema; /* a descriptor set, or a binary schema of flatc
                                 (.bfbs), whose buffers are always JSON; NULL: the
                                 format's own                                      */
    const char *type;         /* full name of the message or table; NULL: the
                                 format's root                                     */
    bool is_strict;      /* fail if something could not be read back       */
    bool use_json_names; /* lowerCamelCase instead of field names     */
};
#define TN_DUMP_OPTIONS_INIT TN_SIZED_INIT(struct tn_dump_options)

/* Called for each thing that `undump` could not restore, and for each thing
 * that `convert` leaves behind; `offset` may be TN_NOWHERE, `where` may be
 * empty. */
typedef void tn_on_loss(void *context, uint64_t offset, const char *where,
                        const char *what);

/* A word for what a conversion leaves behind, for programs: "field",
 * "operator", "variable" and so on, as listed in docs/json.md; "other" if
 * `what` is not the text of a loss.  Never NULL; static. */
TN_API const char *tn_loss_kind(const char *what);

/* Writes a whole file as text or JSON, losslessly; tn_undump() reverses it. */
TN_API enum tn_status tn_dump(const char                   *path,
                              const struct tn_options      *options,
                              const struct tn_dump_options *dump,
                              const struct tn_target *target, tn_on_loss *loss,
                              void *context, struct tn_error *error);
/* Whether the input is text or JSON is detected from its bytes. */
TN_API enum tn_status tn_undump(const char                   *path,
                                const struct tn_options      *options,
                                const struct tn_dump_options *undump,
                                const struct tn_target       *target,
                                struct tn_error              *error);

/* ---- convert ------------------------------------------------------------ */

/* A model is converted to another dialect by rules, op by op.  Weights are
 * passed by reference.  An op without a rule is an error. */
struct tn_native;
struct tn_rulebook;

/* The shape of an input that the model leaves open. */
struct tn_input_shape {
    const char    *name; /* of the input, as in tn_model_inputs()             */
    const int64_t *dims; /* -1: left open                                     */
    uint32_t       rank;
    const char *const
        *symbols; /* names of dimensions that are left open, one
                     for each; NULL or "": none.  NULL: no names */
};

struct tn_map_options {
    size_t size; /* options.h: how structs of options grow */
    /* Inputs and outputs of the converted graph, by their names in the model,
     * which they keep.  NULL: those of the signature, else those of the model,
     * else the values that no op uses. */
    const char *const *inputs, *const *outputs;
    uint32_t    input_count, output_count;
    const char *signature; /* NULL: the only one, or serving_default   */

    /* Files of rules, which are tried before ours.  They are in Tenon's own
     * language, or mapping rules as Deeplearning4j has them (interpret.h). */
    const char *const *rules;
    uint32_t           rule_count;
    const char *const *allow; /* ops that may stay as they are without a rule:
                                 "Swirl" or "com.acme::Swirl"                 */
    uint32_t allow_count;

    /* Do not compute values that follow from shapes: a rule that needs one does
     * not apply. */
    bool folds_nothing;
    /* Convert a graph even if tn_check() finds errors in it, and write a result
     * even if it is invalid in its own dialect.  Without this, either is
     * refused with the first finding. */
    bool        force_invalid;
    const char *receipt; /* a file: a line of JSON for each tensor: its name,
                            the tensor it was made of, what was done to it, its
                            hash; then a line for each thing left behind.
                            INVALID if no rules are needed.  NULL: none       */

    const struct tn_native *functions; /* native.h: those that rules call     */
    uint32_t                function_count;

    /* rules.h: a book that was opened without files, to share rules between
     * conversions: what the book has read is not read again.  NULL: this
     * conversion reads the rules that it needs. */
    struct tn_rulebook *book;

    /* Where `rules` lead from one dialect to another, do not use ours: a node
     * that they do not match is an error. */
    bool only_rules;

    /* Convert the model for inputs of these shapes.  INVALID if an input does
     * not exist, or a shape contradicts the model. */
    const struct tn_input_shape *shapes;
    uint32_t                     shape_count;

    /* A graph that becomes ONNX is simplified at the end, and so is one that
     * stays ONNX or nd4j when `simplifies` is set (INVALID for other dialects).
     * Values that follow from constants become constants when they have at most
     * `fold_limit` bytes more than these (0: 65,536); with `folds_shapes` only
     * those that follow from shapes, and constants that are merely transposed,
     * reshaped or cast.  With `keeps_nodes` nothing is simplified. */
    bool     simplifies;
    uint64_t fold_limit;
    bool     folds_shapes;
    bool     keeps_nodes;

    /* The dialect that the conversion leads through: "nd4j".  NULL: the path
     * with the fewest steps whose rules take all operators. */
    const char *via;

    /* The opset of what becomes ONNX, or stays ONNX: 11 or newer.  UNSUPPORTED
     * if an operator cannot be written in it.  0: 17 for what becomes ONNX, or
     * the first that has all its operators. */
    uint32_t opset;

    /* Of what becomes ONNX: inputs and outputs of rank 4 and 5, whose channels
     * are the last axis, have them as the second.  INVALID for others. */
    bool channels_first;

    /* Of what becomes ONNX: weights that are stored in eight bits, with a range
     * beside them, stay so, before a DequantizeLinear.  Else they become
     * numbers of the type that the model computes in. */
    bool keeps_quantized;
};
#define TN_MAP_OPTIONS_INIT TN_SIZED_INIT(struct tn_map_options)

struct tn_convert_options {
    size_t      size; /* options.h: how structs of options grow */
    const char *to;   /* format name; NULL: by the suffix of the path     */
    /* Options of the output format: formats.h.  INVALID if the format does not
     * have such an option.  If an option is set twice, the last one counts. */
    const struct tn_setting *settings;
    uint32_t                 setting_count;
    tn_on_loss *loss; /* called for each thing that is left behind, in the order
                         of the list of losses                                */
    void *loss_context;
    bool  force_invalid; /* as in tn_map_options; also for a conversion between
                            formats of one dialect                             */
    tn_on_finding *finding; /* called for each error found in the graph that is
                               converted, and in the result                   */
    void                        *finding_context;
    const struct tn_map_options *map; /* between dialects; NULL: defaults     */
    bool is_strict;   /* UNSUPPORTED if anything would be left behind; nothing
                         is written then                                        */
    tn_on_loss *note; /* called for what is worth mentioning but no loss,
                         such as nodes that a mapper of map->rules refused and
                         that our own rules converted                         */
    void *note_context;
};
#define TN_CONVERT_OPTIONS_INIT TN_SIZED_INIT(struct tn_convert_options)

struct tn_convert_summary {
    uint64_t bytes_written;
    uint64_t tensors_moved; /* stored elsewhere: inline to external, ...      */
    uint64_t losses;        /* things that were left behind                   */
    char     format[32];
    uint64_t findings; /* errors in the graph; see force_invalid              */
    uint64_t tensors_outside; /* put into the file of the option "external",
                                 if there is a threshold                      */
};

/* Converts to another dialect if the output format has one.  This needs the
 * graph: if the model was opened without it, the graph is read from the open
 * files; no file is opened again.  MALFORMED if tn_check() finds an error in
 * the graph, unless force_invalid. */
TN_API enum tn_status tn_convert(const struct tn_model           *model,
                                 const struct tn_convert_options *convert,
                                 const struct tn_target          *target,
                                 const struct tn_options         *options,
                                 struct tn_convert_summary       *summary,
                                 struct tn_error                 *error);

/* What a conversion between dialects would do, without writing: one row for
 * each op, rule and step. */
struct tn_plan_row {
    const char     *from, *to; /* dialects of the step                        */
    struct tn_bytes op, domain;
    uint64_t        count; /* ops to which it applies                         */
    const char     *where; /* the first of them in the model, or ""           */
    const char     *rule;  /* "onnx_nd4j.rules:14"; NULL: there is none       */
    const char     *why;   /* without a rule: why none applies, a line each   */
    const char     *stub;  /* without a rule: one to fill in                  */
    bool            is_allowed;
};

/* A pass of the conversion, after it ran. */
struct tn_plan_pass {
    const char *dialect; /* whose pass it is                                  */
    const char *name;    /* "raise"                                           */
    const char *what;    /* "Switch and Merge become If and Loop"             */
    const char *did;     /* "73 variables, 104 calls", or ""                  */
    uint64_t    nodes;   /* of the graph, after it                            */
};

/* Called in the order in which things happen; pointers are valid during the
 * call.  Each function may be NULL. */
struct tn_plan_listener {
    void (*pass)(void *context, const struct tn_plan_pass *pass);
    void (*op)(void *context, const struct tn_plan_row *row);
    void *context;
};

struct tn_plan_summary {
    uint64_t mapped, unmapped, allowed; /* ops of the model, and those that
                                           rules made of them, in all steps   */
    char format[32];
    char way[120]; /* "tensorflow -> nd4j -> onnx"                        */
};

/* `path` determines the format, as for tn_convert(); nothing is written to it.
 * If it is NULL and no format is named: the format that models of this dialect
 * are usually converted to.  Also returns TN_OK if ops have no rule; the passes
 * after the rules are not run then.  `listener` may be NULL. */
TN_API enum tn_status tn_plan(const struct tn_model           *model,
                              const struct tn_convert_options *convert,
                              const char                      *path,
                              const struct tn_options         *options,
                              const struct tn_plan_listener   *listener,
                              struct tn_plan_summary          *summary,
                              struct tn_error                 *error);

/* ---- split and merge ---------------------------------------------------- */

/* TensorFlow has two splitters, which differ in details. */
enum tn_split_rules { TN_SPLIT_CPP, TN_SPLIT_PYTHON };

/* How chunks are laid out in files.  All zeros are version 1: one file, which
 * TensorFlow's merger reads.  The rest is for version 2, which needs a merger
 * that knows it:
 *   - BYTES chunks are no longer than max_bytes: a field may have several
 *   - metadata longer than max_metadata is itself split
 *   - chunks that do not fit into PREFIX.cpb are in PREFIX.00001-of-00002.cpb
 *     and so on
 *   - separates_bytes: BYTES chunks are in PREFIX.bytes.cpb, and messages in
 *     transposed records */
struct tn_split_format {
    unsigned version; /* 0, 1 or 2                                       */
    bool     separates_bytes;
    uint64_t max_bytes;    /* 0: no limit but that of a file                  */
    uint64_t max_metadata; /* at least 256; 0: what protobuf can parse        */
    uint64_t max_file;     /* at least 1024; 0: no limit                      */
};

/* GraphDefs and SavedModels are split by `rules`, ONNX models by weights and
 * size, other messages by size. */
struct tn_split_options {
    size_t      size;   /* options.h: how structs of options grow */
    const char *schema; /* a descriptor set; NULL: the library's own          */
    const char *type;   /* full name of the message; NULL: the format's root  */
    enum tn_split_rules rules;
    uint64_t max_size;   /* of a chunk that is a message; 0: what the rules
                            say                                              */
    const char *records; /* as for tn_splitter_write(): "zstd:9,transpose"   */
    struct tn_split_format format; /* max_bytes 0: max_size                   */
};
#define TN_SPLIT_OPTIONS_INIT TN_SIZED_INIT(struct tn_split_options)

struct tn_split_summary {
    uint64_t message_size;
    uint64_t chunks;     /* 1 when nothing was split                          */
    bool     is_chunked; /* target->path + ".cpb" was written, else + ".pb"   */
    bool     is_folder;  /* target->path is a folder                          */
    bool     drops_fingerprint; /* it is no longer valid and was left out     */
    char     warning[240]; /* of a merge: tn_message_warning(), or empty      */
};

/* Splits one file into target->path + ".cpb", or ".pb" if it need not be
 * divided; or a folder with a SavedModel into a whole folder. */
TN_API enum tn_status tn_split(const char                    *path,
                               const struct tn_options       *options,
                               const struct tn_split_options *split,
                               const struct tn_target        *target,
                               struct tn_split_summary       *summary,
                               struct tn_error               *error);

/* Merges chunks into one message.  `path` is a file, or a prefix: PREFIX.cpb if
 * it exists, else PREFIX.pb, else PREFIX itself; or a folder with a SavedModel,
 * which becomes a whole folder with saved_model.pb.  Rules, sizes and records
 * of the options are ignored.  The result may have any size; protobuf's
 * libraries read at most 2 GiB. */
TN_API enum tn_status tn_merge_file(const char                    *path,
                                    const struct tn_options       *options,
                                    const struct tn_split_options *merge,
                                    const struct tn_target        *target,
                                    struct tn_split_summary       *summary,
                                    struct tn_error               *error);

/* ---- strip -------------------------------------------------------------- */

/* What to remove. */
struct tn_strip_options {
    size_t size;      /* options.h: how structs of options grow */
    bool   callstack; /* source paths, stack traces, debug information: Paddle's
                         op_callstack, ONNX's doc strings and metadata of nodes,
                         TensorFlow's debug infos, debug/ of a SavedModel       */
    bool training; /* Paddle's backward, optimizer and learning rate operators
                      and what only they use; ONNX's training_info           */
    tn_on_loss *loss; /* called for what else was removed: a fingerprint */
    void       *loss_context;
};
#define TN_STRIP_OPTIONS_INIT TN_SIZED_INIT(struct tn_strip_options)

struct tn_strip_summary {
    uint64_t fields; /* attributes or fields that were removed               */
    uint64_t ops;    /* operators                                            */
    uint64_t tensors;
    uint64_t bytes; /* of the fields, where they are counted: not for Paddle */
    uint64_t bytes_read, bytes_written; /* all files of the model             */
    char     format[32];
};

/* Writes the model without them, in the format of the target's name.
 * UNSUPPORTED for formats that store none of this. */
TN_API enum tn_status tn_strip(const char                    *path,
                               const struct tn_options       *options,
                               const struct tn_strip_options *strip,
                               const struct tn_target        *target,
                               struct tn_strip_summary       *summary,
                               struct tn_error               *error);

/* TN_VERSION_STRING of the library that is running. */
TN_API const char *tn_version(void);

#endif
