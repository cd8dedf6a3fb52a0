/*
 * tag_edit.h - changing and looking at the tags of a container on disk
 *
 *   tag_edit.c  adds a tag, sharing arrays that exist already; removes one and
 *               copies its arrays to tags that share them; rewrites the
 *               container without what no tag needs
 *   tag_look.c  lists the tags, and how two of them differ
 *
 * Adding and removing append a commit: the old state stays valid until the new
 * one is on disk.  Compacting writes a second file and renames it.
 */
#ifndef TN_FORMAT_TAG_EDIT_H
#define TN_FORMAT_TAG_EDIT_H

#include <tenon/tag.h>

#include "format/samediff/tagged_write.h"
#include "io/append.h"
#include "wire/zip/zip_edit.h"

struct tn_tag_how {
    struct tn_append_options       append;
    bool                           can_replace; /* an existing tag            */
    bool                           is_dry;
    const struct tn_write_options *write; /* for reporting losses             */
    struct tn_meter               *meter; /* of what is compared; NULL: none  */
};

/* `tensors_only`: the model is a set of tensors for the newest tag's graph. */
enum tn_status tn_tagged_add(struct tn_memory *memory, const char *path,
                             struct tn_bytes tag, const struct tn_model *model,
                             bool tensors_only, const struct tn_tag_how *how,
                             struct tn_tag_summary *summary,
                             struct tn_error       *error);

enum tn_status tn_tagged_remove(struct tn_memory *memory, const char *path,
                                struct tn_bytes          tag,
                                const struct tn_tag_how *how,
                                struct tn_tag_summary   *summary,
                                struct tn_error         *error);

enum tn_status tn_tagged_compact(struct tn_memory *memory, const char *path,
                                 const struct tn_tag_how *how,
                                 struct tn_tag_summary   *summary,
                                 struct tn_error         *error);

/* Removes an incomplete commit; rebuilds a file whose directory is lost or that
 * another tool has changed.  *is_changed may be NULL. */
enum tn_status tn_tagged_repair(struct tn_memory *memory, const char *path,
                                const struct tn_tag_how *how,
                                struct tn_report *report, bool *is_changed,
                                struct tn_error *error);

/* ---- looking ------------------------------------------------------------ */

enum tn_status tn_tagged_list(struct tn_tagged *t, bool wants_details,
                              tn_on_tag *each, void *context,
                              struct tn_error *error);
enum tn_status tn_tagged_diff(struct tn_tagged *t, struct tn_bytes left,
                              struct tn_bytes right, tn_on_tag_change *each,
                              void *context, struct tn_error *error);

/* ---- inside ------------------------------------------------------------- */

/* A container that is being changed, or only read in a dry run. */
struct tn_tag_edit {
    struct tn_zip_edit edit;
    struct tn_source  *source; /* of a dry run                                */
    struct tn_zip      dry;
    struct tn_zip     *zip; /* its current entries                            */
    struct tn_tagged   box;
    bool               has_box;
    bool               is_dry;
};

struct tn_tag_shares {
    struct tn_tagged *t;
    struct tn_pairs   by_size; /* (low, high) -> entry + 1                    */
    uint32_t         *next;    /* by entry: another of that size + 1, or 0    */
    struct tn_meter  *meter;
};

#endif
