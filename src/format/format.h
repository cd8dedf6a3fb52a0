/*
 * format.h - a model format: a const struct of functions
 *
 * All formats work the same way: after reading one, you know the others.  They
 * are listed in registry.c.
 */
#ifndef TN_FORMAT_FORMAT_H
#define TN_FORMAT_FORMAT_H

#include <stdio.h>

#include <tenon/verbs.h>

#include "base/buffer.h"
#include "base/report.h"
#include "format/about.h"
#include "format/rest.h"
#include "io/bundle.h"
#include "io/output.h"
#include "io/meter.h"
#include "ir/model_tables.h"
#include "wire/pb/pb_builtin.h"

/* What a probe sees: the beginning and the end of the file, or the names in the
 * folder. */
struct tn_probe {
    struct tn_bytes    head; /* the first 64 KiB at most                      */
    struct tn_bytes    tail; /* the last 4 KiB at most                        */
    uint64_t           size; /* of the file; 0 for a folder                   */
    const char        *name; /* of the file or folder                         */
    const char *const *entries; /* of a folder, sorted; NULL for a file       */
    uint64_t           entry_count;
};

static inline bool tn_probe_has_entry(const struct tn_probe *probe,
                                      const char            *name)
{
    for (uint64_t i = 0; i < probe->entry_count; i++)
        if (strcmp(probe->entries[i], name) == 0)
            return true;
    return false;
}

/* How a model is read. */
struct tn_read_options {
    /* By the options of formats. */
    bool is_lax; /* missing files are not an error                            */
};

/* How a model is written. */
struct tn_write_options {
    /* Set by the options of formats; zero if a format does not have the
     * option. */
    const char *external; /* NULL: leave each payload as it is                */
    bool        is_inline;
    uint64_t    threshold;
    uint64_t    shard_size;  /* 0: one file                                   */
    bool        is_image;    /* a SavedModel in chunks, if it is too large    */
    uint64_t    image_size;  /* of a chunk that is a message; 0: by the rules */
    const char *compress;    /* of the file of chunks; NULL: brotli:6         */
    const char *layout;      /* NULL: as it was                               */
    bool        all_tensors; /* of a SavedModel, not only the variables       */
    const char *names;       /* a table of names of tensors; NULL: none       */
    const char *quantize;    /* GGUF: a type; NULL: as they are               */
    const char *byte_order;  /* GGUF: "little", "big"; NULL: as it was        */
    const char *gguf_version; /* "2", "3"; NULL: as it was                    */
    uint64_t    alignment; /* GGUF: of tensors; 0: as it was                */

    bool             leaves_debug; /* a SavedModel without debug/             */
    struct tn_meter *meter; /* NULL: none                                     */
    uint64_t   *tensors_moved; /* counted for the receipt; never NULL         */
    uint64_t   *tensors_outside; /* ONNX: put into the external file; or NULL */
    tn_on_loss *loss; /* called for what the format cannot hold; may be NULL  */
    void       *loss_context;
    tn_on_loss *note; /* called for what is worth mentioning; may be NULL     */
    void       *note_context;
    /* Texts of a model of another format, for formats that have a place for
     * them (has_about); NULL: the model has this format's dialect. */
    const struct tn_about *about;
};

/* Reports what the format cannot hold. */
static inline void tn_lose(const struct tn_write_options *options,
                           uint64_t offset, const char *where, const char *what)
{
    if (options->loss)
        options->loss(options->loss_context, offset, where, what);
}

/* The same for a loss that a name of the model identifies. */
static inline void tn_lose_named(const struct tn_write_options *options,
                                 struct tn_bytes name, const char *what)
{
    char where[640];

    snprintf(where, sizeof where, "%.*s", TN_FMT(name));
    tn_lose(options, TN_NOWHERE, where, what);
}

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

    /* How its graphs store attributes; NULL if it holds tensors only. */
    const struct tn_dialect *dialect_ops;

    /* The protobuf message that a file consists of, for dump and undump; type
     * NULL if it is not protobuf. */
    enum tn_pb_builtin schema;
    const char        *message;
    /* The FlatBuffers table in a file, from the built-in schemas
     * ("sd.graph.FlatGraph"); NULL if there is none.  And a function that finds
     * it in the file; NULL if it is the whole file.  `tag` may be empty: the
     * newest. */
    const char *flat;
    enum tn_status (*flat_span)(struct tn_bundle *bundle, struct tn_bytes tag,
                                struct tn_span *span, struct tn_error *error);

    /* The options that it has, for reading and for writing (settings.h); ends
     * with NULL.  NULL: none. */
    const struct tn_format_setting *const *settings;

    /* A file holds several versions of a model: model->wants_tag says which. */
    bool has_tags;

    /* It stores the levels of tensors (tn_tensor.levels). */
    bool has_levels;

    /* It is written as a folder, not as one file. */
    bool is_folder;

    /* A graph that was read from another format of the same dialect is built
     * again, not copied.  So it is checked before it is written: either its
     * formats always read the graph, or check_graph() walks the bytes. */
    bool lays_out_anew;

    /* It holds a graph, and no values of variables: when a model of another
     * format of the dialect is written, its variables become constants. */
    bool freezes_variables;

    /* What strip removes, as lists of fields of `message` that end with NULL:
     * source locations, and what belongs to training.  NULL if there are no
     * such fields.  Or strip decides operator by operator. */
    const struct tn_strip_field *trace_fields, *training_fields;
    bool                         strips_ops;

    /* `tag repair` can restore a file that was truncated. */
    bool can_repair;

    /* It holds records of unknown content, not tensors. */
    bool is_of_records;

    /* Confidence in bits: 0 is "not mine", 32 is "a four-byte magic matched".
     * Cannot fail, allocate or seek.  A folder is claimed only if it has a file
     * whose full name proves that the folder is one model ("saved_model.pb").
     * In other folders, the models are counted, and a single one is opened. */
    int (*probe)(const struct tn_probe *probe);

    /* Whether the file `name` is a part of the model in the file `other` beside
     * it, and not a model itself: a shard, or a function that was saved
     * separately.  NULL: never. */
    bool (*is_part_of)(const char *name, const char *other);

    /* The skeleton: facts, inputs and outputs, names, shapes, types, offsets,
     * and the ops if model->wants_graph.  Never touches weights: the cost grows
     * with the number of tensors and nodes, not with their size.  Fails at the
     * first byte that contradicts the format. */
    enum tn_status (*open)(struct tn_bundle *bundle, struct tn_model *model,
                           struct tn_error *error);

    /* Reports all damage to the bytes, even if open() fails.  NULL if the
     * schema of `message` is enough to find it. */
    enum tn_status (*check_bytes)(struct tn_bundle *bundle,
                                  struct tn_report *report,
                                  struct tn_error  *error);

    /* Reports every problem beyond the grammar.  The model was opened with its
     * graph; payload checksums are verified unless report->skip_data. */
    enum tn_status (*check)(struct tn_bundle      *bundle,
                            const struct tn_model *model,
                            struct tn_report *report, struct tn_error *error);

    /* The part of these that is about the graph itself: definitions, operators,
     * types.  Reads no weights and no other files, and also accepts models that
     * were made by an edit or a conversion.  NULL if there is no graph. */
    enum tn_status (*check_graph)(const struct tn_model *model,
                                  struct tn_report      *report,
                                  struct tn_error       *error);

    /* Lists the texts about the model that the file has; NULL if there are
     * none.  And whether the format can write options->about. */
    void (*describe)(const struct tn_model *model, struct tn_about *about);
    bool has_about;

    /* Texts about the model that edits may change: bits by enum tn_text_kind
     * (ir/changes.h). */
    uint32_t texts;

    /* Fields of `message` that need not be reported as losses: those that
     * describe() lists and those that another graph is made of, or that belong
     * to the graph, of which a set of tensors already reports the loss.  All
     * others are reported.  NULL: see report_rest(). */
    const struct tn_rest_row *taken_by_graph, *taken_by_tensors;

    /* Reports what else only this format can hold, when the model is written in
     * another dialect or as a set of tensors; NULL: nothing. */
    enum tn_status (*report_rest)(const struct tn_model         *model,
                                  const struct tn_write_options *options,
                                  bool is_bare, struct tn_error *error);

    /* Reports what is stored outside of `message` and is therefore missing in a
     * dump; NULL: nothing. */
    enum tn_status (*lose_beside)(const struct tn_model         *model,
                                  const struct tn_write_options *options,
                                  struct tn_error               *error);

    /* Writes all of a file but its weights as JSON, for dump, if it is neither
     * a protobuf message nor a FlatBuffer; NULL: there is no such form.  The
     * model was opened without its graph. */
    enum tn_status (*dump)(const struct tn_model *model, struct tn_sink *to,
                           struct tn_error *error);

    /* For an edit that writes over the file it was read from: the bytes of that
     * file before its data, as write() would write them, if the data stay where
     * they are; else nothing.  `file` is that file.  NULL: never. */
    enum tn_status (*head)(const struct tn_model *model, struct tn_buffer *head,
                           struct tn_source **file, struct tn_error *error);

    /* Writes a model of this format's dialect.  What the model did not change
     * is spliced from where it was read. */
    enum tn_status (*write)(const struct tn_model         *model,
                            const struct tn_write_options *options,
                            struct tn_output *to, struct tn_error *error);
};

/* All of them; ends with NULL. */
extern const struct tn_format *const tn_formats[];

#endif
