/*
 * tagged.h - the tagged container: versions of a model in one zip
 *
 *   tags.txt                   tags, one a line, oldest first, newest last
 *   <tag>/graph.fb             SDGR: the graph, without arrays
 *   <tag>/params.txt           variable -> file          (tag_text.h)
 *   <tag>/params/<id>.fb       SDAR: an array each
 *   <tag>/params/<id>.bin      the elements of one that is too long for that
 *   <tag>/trainingConfig.fb    SDTC: optional
 *   <tag>/updater.txt          parameter -> files, a column a state; optional
 *   <tag>/updater/<id>.fb
 *
 * A line may name a file of another tag, so that what did not change is stored
 * once.  Names of tags are compared without regard to case.
 *
 *   tagged_box.c    entries: tags, texts, arrays
 *   tagged_graph.c  graph.fb into the tables of a model
 *   tagged_open.c   one tag as a model: graph, arrays, states, training
 *   tagged_put.c    graph.fb and trainingConfig.fb from the tables
 *   tagged_write.c  what is written of a model, what is shared; the entries in
 *                   their order
 *   tagged_check.c  everything that is wrong with all tags
 *   tagged_args.c   what is wrong with the names of arguments
 *   tag_edit.c      adding and removing tags, compacting
 */
#ifndef TN_FORMAT_TAGGED_H
#define TN_FORMAT_TAGGED_H

#include "format/samediff/sd_graph.h"
#include "format/samediff/tag_text.h"
#include "wire/fb/fb_builtin.h"
#include "wire/zip/zip.h"

#define TN_TAGGED_VERSION 1

/* Longer arrays do not fit into a FlatBuffer and are in a file of their own. */
#define TN_TAGGED_ARRAY_LIMIT ((UINT64_C(1) << 31) - (UINT64_C(1) << 16))

/* ---- slots -------------------------------------------------------------- */

enum tn_tagged_graph_slot {
    TN_TAGGED_VERSION_SLOT,
    TN_TAGGED_VARIABLES,
    TN_TAGGED_OPERATIONS,
    TN_TAGGED_LOSS,
    TN_TAGGED_OUTPUTS,
    TN_TAGGED_META_KEYS,
    TN_TAGGED_META_VALUES,
    TN_TAGGED_SUBGRAPHS,
};

enum tn_tagged_variable_slot {
    TN_TAGGED_VARIABLE_NAME,
    TN_TAGGED_VARIABLE_DTYPE,
    TN_TAGGED_VARIABLE_KIND,
    TN_TAGGED_VARIABLE_SHAPE,
    TN_TAGGED_VARIABLE_DEPS,
    TN_TAGGED_VARIABLE_FOR_OP,
    TN_TAGGED_VARIABLE_FOR_VAR,
    TN_TAGGED_VARIABLE_DIM_NAMES,
};

enum tn_tagged_op_slot {
    TN_TAGGED_OP_NAME,
    TN_TAGGED_OP_OP_NAME,
    TN_TAGGED_OP_TYPE,
    TN_TAGGED_OP_NUM,
    TN_TAGGED_OP_INPUTS,
    TN_TAGGED_OP_OUTPUTS,
    TN_TAGGED_OP_I_NAMES,
    TN_TAGGED_OP_I,
    TN_TAGGED_OP_T_NAMES,
    TN_TAGGED_OP_T,
    TN_TAGGED_OP_B_NAMES,
    TN_TAGGED_OP_B,
    TN_TAGGED_OP_D_NAMES,
    TN_TAGGED_OP_D,
    TN_TAGGED_OP_S_NAMES,
    TN_TAGGED_OP_S,
    TN_TAGGED_OP_DIMENSIONS,
    TN_TAGGED_OP_SCALAR,
    TN_TAGGED_OP_OUTPUT_TYPES,
    TN_TAGGED_OP_DEPS,
    TN_TAGGED_OP_VAR_DEPS,
    TN_TAGGED_OP_FOR,
    TN_TAGGED_OP_PROPERTIES,
};

enum tn_tagged_training_slot {
    TN_TAGGED_TRAINING_VERSION,
    TN_TAGGED_TRAINING_JSON,
    TN_TAGGED_TRAINING_KEYS,
};

/* ---- the entries (tagged_box.c) ----------------------------------------- */

struct tn_tagged {
    struct tn_zip         *zip; /* borrowed, open, perhaps lazy               */
    struct tn_memory      *memory;
    struct tn_bundle      *bundle; /* keeps unpacked entries; NULL: `kept`    */
    struct tn_report      *report; /* gets what is suspicious; may be NULL    */
    struct tn_arena        arena;
    struct tn_list         kept; /* struct tn_source *                        */
    const struct tn_bytes *tags; /* oldest first; in the arena                */
    uint32_t               tag_count;
    struct tn_fb_schema    schemas[3]; /* by enum tn_fb_builtin               */
    bool                   has_schema[3];
};

/* Reads tags.txt of an open zip.  Call tn_tagged_end() also after a failure. */
enum tn_status tn_tagged_begin(struct tn_tagged *t, struct tn_zip *zip,
                               struct tn_memory *memory,
                               struct tn_bundle *bundle,
                               struct tn_report *report,
                               struct tn_error  *error);
void           tn_tagged_end(struct tn_tagged *t);

/* The index of a tag in the list; TN_NONE if it is not listed. */
uint32_t tn_tagged_find(const struct tn_tagged *t, struct tn_bytes tag);

/* NOT_FOUND, with the existing tags, as many as fit into a line. */
void tn_tagged_no_tag(const struct tn_tagged *t, struct tn_bytes tag,
                      struct tn_error *error);

/* <tag>/<name>, by exact spelling and then without regard to case. */
const struct tn_zip_entry *tn_tagged_entry(const struct tn_tagged *t,
                                           struct tn_bytes         tag,
                                           const char             *name);

/* The entry that a reference means; suffix is ".fb" or ".bin".  NULL if it is
 * missing. */
const struct tn_zip_entry *tn_tagged_ref(const struct tn_tagged  *t,
                                         struct tn_bytes          tag,
                                         enum tn_tag_file         which,
                                         const struct tn_tag_ref *ref,
                                         const char              *suffix);

/* "params" or "updater". */
const char *tn_tagged_folder(enum tn_tag_file which);

/* Whether a path below a tag is in that folder. */
bool tn_tagged_is_in(struct tn_bytes path, enum tn_tag_file which);

/* Whether an entry is below a tag, and is not only its folder. */
bool tn_tag_is_below(const struct tn_zip_entry *entry, struct tn_bytes tag);

/* "params.txt" or "updater.txt". */
const char *tn_tagged_text_name(enum tn_tag_file which);

/* The lines of params.txt or updater.txt; none if there is no such entry. */
enum tn_status tn_tagged_lines(struct tn_tagged *t, struct tn_bytes tag,
                               enum tn_tag_file which, struct tn_arena *arena,
                               struct tn_tag_lines *lines,
                               struct tn_error     *error);

/* The text of an entry, in the arena; its checksum is verified. */
enum tn_status tn_tagged_load(const struct tn_tagged    *t,
                              const struct tn_zip_entry *entry,
                              struct tn_arena *arena, struct tn_bytes *bytes,
                              struct tn_error *error);

/* The unpacked bytes of an entry; in place if it is not compressed. */
enum tn_status tn_tagged_span(struct tn_tagged          *t,
                              const struct tn_zip_entry *entry,
                              struct tn_span *span, struct tn_error *error);

/* The verified root of an entry that is a FlatBuffer; .fb NULL on failure.  A
 * missing identifier is only reported. */
struct tn_fb_table tn_tagged_root(struct tn_tagged          *t,
                                  const struct tn_zip_entry *entry,
                                  enum tn_fb_builtin schema, struct tn_fb *fb,
                                  struct tn_arena *arena,
                                  struct tn_error *error);

/* An array, and where its elements are. */
struct tn_tagged_array {
    struct tn_sd_array         array;
    const struct tn_zip_entry *entry;
    const struct tn_zip_entry *data; /* of <id>.bin; NULL: in `entry`         */
};
enum tn_status tn_tagged_array_read(struct tn_tagged *t, struct tn_bytes tag,
                                    enum tn_tag_file         which,
                                    const struct tn_tag_ref *ref,
                                    struct tn_arena         *arena,
                                    struct tn_tagged_array  *array,
                                    struct tn_error         *error);

/* ---- a tag as a model ---------------------------------------------------- */

/* A line of a kind that we do not know, which is kept as it is, with its
 * files. */
struct tn_tagged_extra {
    enum tn_tag_file          which;
    const struct tn_tag_line *line;
    const struct tn_span     *files; /* of .fb, by ref                        */
};

/* An unknown entry below the tag. */
struct tn_tagged_stranger {
    struct tn_bytes name; /* without the tag                                  */
    struct tn_span  bytes;
};

/* tn_sd_detail.container of this format. */
struct tn_tagged_detail {
    struct tn_bytes                  tag;
    struct tn_sd_names               outputs; /* as graph.fb lists them       */
    struct tn_sd_names               state_keys;
    const struct tn_tagged_extra    *extras;
    uint32_t                         extra_count;
    const struct tn_tagged_stranger *strangers;
    uint32_t                         stranger_count;
};

/* NULL when the model is of another format. */
const struct tn_tagged_detail *tn_tagged_detail_of(
    const struct tn_model *model);

/* tagged_graph.c: variables, ops, inputs and outputs of all graphs of graph.fb.
 * Arrays are not in there; `find` of the reader returns them. */
enum tn_status tn_tagged_graph_read(struct tn_sd_reader      *r,
                                    const struct tn_fb_table *root,
                                    struct tn_sd_names       *outputs);

/* The name that params.txt has for a variable of a subgraph that is called by
 * name: the path of graphs and the name, separated by zero bytes. */
struct tn_bytes tn_tagged_param_name(const struct tn_model *model,
                                     uint32_t graph, struct tn_bytes name,
                                     struct tn_arena *arena,
                                     struct tn_error *error);

/* Whether the dimensions that graph.fb declares are those of the array. */
bool tn_tagged_has_shape(const struct tn_sd_variable *v,
                         const struct tn_shape       *shape);

/* Reads everything of one tag; .data NULL: of the newest. */
enum tn_status tn_tagged_read(struct tn_tagged *t, struct tn_bytes tag,
                              struct tn_model *model, struct tn_error *error);

/* tagged_args.c: reports names of arguments that the operators do not have,
 * that are repeated, or that are missing. */
enum tn_status tn_tagged_check_args(const struct tn_model *model,
                                    struct tn_report      *report,
                                    struct tn_error       *error);

/* Reports every finding about all tags. */
enum tn_status tn_tagged_check(struct tn_bundle *bundle,
                               struct tn_report *report,
                               struct tn_error  *error);

#endif
