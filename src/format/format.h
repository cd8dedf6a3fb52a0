/*
 * format.h - what a model format is: a const struct of functions
 *
 * All formats work the same way: after reading one, you know the others.  They
 * are listed in registry.c.
 */
#ifndef TN_FORMAT_FORMAT_H
#define TN_FORMAT_FORMAT_H

#include <tenon/verbs.h>

#include "base/report.h"
#include "format/about.h"
#include "format/rest.h"
#include "io/bundle.h"
#include "io/output.h"
#include "io/meter.h"
#include "ir/model_tables.h"
#include "wire/pb/pb_builtin.h"

/* What a probe may see: the head and the tail of the file, or the names in
 * the folder. */
struct tn_probe {
    struct tn_bytes    head; /* the first 64 KiB at most                      */
    struct tn_bytes    tail; /* the last 4 KiB at most                        */
    uint64_t           size; /* of the file; 0 for a folder                   */
    const char        *name; /* of the file or folder                         */
    const char *const *entries; /* of a folder, sorted; NULL for a file       */
    uint64_t           entry_count;
};

/* How a model is read. */
struct tn_read_options {
    /* By the options of formats. */
    bool is_lax; /* what is missing may be                                    */
};

/* How a model is written. */
struct tn_write_options {
    /* By the options of formats, which see; zero where a format has none. */
    const char *external; /* NULL: leave each payload as it is                */
    bool        is_inline;
    uint64_t    threshold;
    uint64_t    shard_size;  /* 0: one file                                   */
    bool        is_image;    /* a SavedModel in chunks, if it is too large    */
    uint64_t    image_size;  /* of a chunk that is a message; 0: by the rules */
    const char *compress;    /* of the file of chunks; NULL: brotli:6         */
    const char *layout;      /* NULL: as it was                               */
    bool        all_tensors; /* of a SavedModel, not the variables alone      */

    bool             leaves_debug; /* a SavedModel without debug/             */
    struct tn_meter *meter; /* NULL: none                                     */
    uint64_t   *tensors_moved; /* counted for the receipt; never NULL         */
    uint64_t   *tensors_outside; /* ONNX: put into the external file; or NULL */
    tn_on_loss *loss; /* told what the format cannot hold; NULL: not wanted   */
    void       *loss_context;
    /* Texts of a model of another format, for formats that have a place for
     * them (has_about); NULL: the model has this format's dialect. */
    const struct tn_about *about;
};

/* A field of a message. */
struct tn_strip_field {
    const char *message; /* full name                                         */
    uint32_t    number;
};

struct tn_format_setting;

struct tn_format {
    const char        *name; /* "onnx": what --from accepts               */
    const char        *title;
    const char        *dialect;  /* "onnx"; "" when it holds tensors only     */
    const char *const *suffixes; /* hints for people; never proof             */

    /* How its graphs keep their attributes; NULL when it holds tensors only. */
    const struct tn_dialect *dialect_ops;

    /* The protobuf message that a file is, for dump and undump; type NULL: it
     * is none. */
    enum tn_pb_builtin schema;
    const char        *message;
    /* The table in a file, of the built-in schemas ("sd.graph.FlatGraph"), else
     * NULL.  And where it is in the file; NULL: it is the whole file.  `tag`
     * may be empty: the newest. */
    const char *flat;
    enum tn_status (*flat_span)(struct tn_bundle *bundle, struct tn_bytes tag,
                                struct tn_span *span, struct tn_error *error);

    /* The options that it has, for reading and for writing (settings.h); ends
     * with NULL.  NULL: none. */
    const struct tn_format_setting *const *settings;

    /* A file holds several versions of a model: model->wants_tag says which. */
    bool has_tags;

    /* Tensors keep their levels (tn_tensor.levels). */
    bool has_levels;

    /* Written as a folder of files, not as one file. */
    bool is_folder;

    /* A graph that was read from another format of the dialect is laid out
     * anew, not copied.  Such a graph is there whatever the model wants, or its
     * check_graph() walks the bytes. */
    bool lays_out_anew;

    /* Holds a graph, and no values of variables beside it: those of other
     * formats of the dialect become constants. */
    bool freezes_variables;

    /* What strip takes out, as lists of fields of `message` that end with NULL:
     * where the graph was made, and what belongs to training.  NULL: the
     * message does not say.  Or operators are asked one by one. */
    const struct tn_strip_field *trace_fields, *training_fields;
    bool                         strips_ops;

    /* `tag` and `check` mend a file of it that was cut short. */
    bool can_repair;

    /* Holds records of unknown meaning, not tensors. */
    bool is_of_records;

    /* Confidence in bits: 0 is "not mine", 32 is "a four-byte magic matched".
     * Cannot fail, allocate or seek.  Of a folder: only when it has a file
     * whose full name says that the folder is one model ("saved_model.pb");
     * others are counted, and opened when there is one. */
    int (*probe)(const struct tn_probe *probe);

    /* Whether its file `name` belongs to the model that the file `other` beside
     * it is, and is no model of its own: a shard, or a function that was saved
     * apart.  NULL: never. */
    bool (*is_part_of)(const char *name, const char *other);

    /* The skeleton: facts, inputs and outputs, names, shapes, types, offsets,
     * and the ops if model->wants_graph.  Never touches weights: the cost grows
     * with the number of tensors and nodes, not with their size.  Fails at the
     * first byte that contradicts the format. */
    enum tn_status (*open)(struct tn_bundle *bundle, struct tn_model *model,
                           struct tn_error *error);

    /* Every damage of the bytes themselves, also when open() fails; NULL where
     * the schema of `message` says what is right. */
    enum tn_status (*check_bytes)(struct tn_bundle *bundle,
                                  struct tn_report *report,
                                  struct tn_error  *error);

    /* Every problem beyond the grammar.  The model was opened with its graph;
     * payload checksums are verified unless report->skip_data. */
    enum tn_status (*check)(struct tn_bundle      *bundle,
                            const struct tn_model *model,
                            struct tn_report *report, struct tn_error *error);

    /* Of these, what is wrong with the graph itself: definitions, operators,
     * types.  Reads no weights and no other files, and takes models that an
     * edit or a conversion made, too.  NULL: there is no graph. */
    enum tn_status (*check_graph)(const struct tn_model *model,
                                  struct tn_report      *report,
                                  struct tn_error       *error);

    /* What the file says about itself; NULL: nothing.  And whether this one
     * writes options->about. */
    void (*describe)(const struct tn_model *model, struct tn_about *about);
    bool has_about;

    /* Fields of `message` that need not be reported as losses: those that
     * describe() lists and those that another graph is made of, or that belong
     * to the graph, of which a set of tensors already reports the loss.  All
     * others are reported.  NULL: see tell_rest(). */
    const struct tn_rest_row *taken_by_graph, *taken_by_tensors;

    /* What else of the model only this format can hold, when it is written in
     * another dialect or as bare tensors; NULL: nothing. */
    enum tn_status (*tell_rest)(const struct tn_model         *model,
                                const struct tn_write_options *options,
                                bool is_bare, struct tn_error *error);

    /* What lies beside `message` and a text of it leaves out; NULL: nothing. */
    enum tn_status (*lose_beside)(const struct tn_model         *model,
                                  const struct tn_write_options *options,
                                  struct tn_error               *error);

    /* Writes a model of this format's dialect.  What the model did not change
     * is spliced from where it was read. */
    enum tn_status (*write)(const struct tn_model         *model,
                            const struct tn_write_options *options,
                            struct tn_output *to, struct tn_error *error);
};

/* All of them; ends with NULL. */
extern const struct tn_format *const tn_formats[];

#endif
