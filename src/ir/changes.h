/*
 * changes.h - what an edit changed that the rows of a model do not show
 *
 * Writers splice what the rows do not hold from the old file.  Names in there
 * may have changed, and so may texts about the model.
 */
#ifndef TN_IR_CHANGES_H
#define TN_IR_CHANGES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/byte_view.h"
#include "base/error.h"

/* A text about the model. */
enum tn_text_kind {
    TN_TEXT_METADATA, /* by key                                               */
    TN_TEXT_DOC,
    TN_TEXT_PRODUCER,
    TN_TEXT_PRODUCER_VERSION,
    TN_TEXT_DOMAIN,
    TN_TEXT_VERSION,    /* of the model: a number                             */
    TN_TEXT_GRAPH_NAME, /* in the row of the graph                            */
    TN_TEXT_SIGNATURE,  /* by name: it is that of the model now               */
};

struct tn_text_change {
    struct tn_bytes key;   /* of metadata                                     */
    struct tn_bytes value; /* .data NULL: it goes                             */
    uint8_t         kind;  /* enum tn_text_kind                               */
    bool may_miss; /* what goes was set by an edit: the file may lack it      */
};

/* A value of a graph, or a tensor of no graph (TN_NONE). */
struct tn_rename {
    uint32_t        graph;
    struct tn_bytes old, now; /* in the file that was read, and in the model  */
};

struct tn_changes {
    const struct tn_rename *renames; /* by graph, then by old name            */
    uint32_t                rename_count;

    const struct tn_text_change *texts;
    uint32_t                     text_count;
};

/* The change of a text; NULL if it stays.  `changes` may be NULL. */
const struct tn_text_change *tn_changes_text(const struct tn_changes *changes,
                                             enum tn_text_kind        kind,
                                             struct tn_bytes          key);

/* For a text that goes and that the file does not have: an error, unless an
 * edit had set it. */
void tn_changes_miss(const struct tn_text_change *text, struct tn_error *error);

/* What a value that the file calls `name` is called now: `name` itself if it
 * did not change.  `changes` may be NULL. */
struct tn_bytes tn_changes_name(const struct tn_changes *changes,
                                uint32_t graph, struct tn_bytes name);

#endif
