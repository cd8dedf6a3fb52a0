/*
 * tag.h - the versions in a tagged SameDiff container
 *
 * A container holds any number of tags.  Each is a whole model: graph,
 * parameters, training configuration, updater state.  What did not change from
 * one tag to the next is stored once.  tn_options.tag opens one of them as a
 * model; without it the newest is opened.
 *
 * Adding and removing a tag append to the file.  If that is interrupted, the
 * file has either the old state or the new one; the new state is on disk before
 * the call returns.  Only one process can write at a time: others wait or get
 * BUSY.
 */
#ifndef TENON_TAG_H
#define TENON_TAG_H

#include <tenon/model.h>
#include <tenon/verbs.h>

/* Whether two names mean the same tag: tags are compared by Unicode's simple
 * case folding after normalization to NFC, independent of the locale. */
TN_API bool tn_tag_is_same(const char *left, const char *right);

/* Why a new tag cannot have this name; NULL if it can.  A tag must be a valid
 * folder name on every system: UTF-8 of 1 to 255 bytes without control
 * characters and / \ : * ? " < > |, without a leading space or a trailing space
 * or dot, and not the name of a device such as CON or NUL. */
TN_API const char *tn_tag_refusal(const char *tag);

struct tn_tag_info {
    struct tn_bytes name;
    bool            is_listed; /* false: in the file, but not in its list    */
    bool            is_newest;
    uint64_t        parameters; /* variables with an array                    */
    /* Only with details: */
    uint64_t        states;  /* arrays of the updater                      */
    uint64_t        shared;  /* arrays that belong to another tag          */
    uint64_t        bytes;   /* stored for this tag alone                  */
    struct tn_bytes updater; /* "Adam"; empty: no training configuration   */
};

/* Oldest first.  Return non-zero to stop. */
typedef int tn_on_tag(void *context, const struct tn_tag_info *info);

TN_API enum tn_status tn_tag_list(const char              *path,
                                  const struct tn_options *options,
                                  bool wants_details, tn_on_tag *each,
                                  void *context, struct tn_error *error);

enum tn_tag_change_kind {
    TN_TAG_ONLY_LEFT, /* an array that only the first tag has                */
    TN_TAG_ONLY_RIGHT,
    TN_TAG_OTHER_TYPE, /* or shape                                            */
    TN_TAG_OTHER_VALUES,
    TN_TAG_OTHER_FILE, /* graph.fb or trainingConfig.fb                       */
};

struct tn_tag_change {
    enum tn_tag_change_kind kind;
    struct tn_bytes         name; /* as tensors are called in the model       */
};
typedef int tn_on_tag_change(void *context, const struct tn_tag_change *change);

/* Called for every difference between two tags. */
TN_API enum tn_status tn_tag_diff(const char *path, const char *left,
                                  const char              *right,
                                  const struct tn_options *options,
                                  tn_on_tag_change *each, void *context,
                                  struct tn_error *error);

struct tn_tag_options {
    size_t      size; /* options.h: how structs of options grow               */
    bool        can_replace; /* an existing tag; what others share stays      */
    bool        is_dry_run;
    bool        can_wait; /* for another writer; else BUSY                 */
    tn_on_loss *loss; /* called for each thing the container cannot hold      */
    void       *loss_context;
    const struct tn_map_options *map; /* to add a model that is not of nd4j: how
                                         it is converted; NULL: defaults      */
};
#define TN_TAG_OPTIONS_INIT TN_SIZED_INIT(struct tn_tag_options)

struct tn_tag_summary {
    uint64_t arrays;    /* of the tag: parameters and states                 */
    uint64_t shared;    /* of these, already in the file                     */
    uint64_t copied;    /* rm: shared by others, which now have their own    */
    uint64_t new_bytes; /* of arrays that are new or copied                  */
    uint64_t size_before, size_after; /* of the file                          */
};

/* Adds a model as a tag, which is then the newest.  A model of another dialect
 * is first converted to nd4j, as by tn_convert().  A model without a graph is a
 * set of tensors for the graph of the newest tag: it replaces those of the same
 * names, the others stay.  The file is created if it does not exist.
 * tn_tag_refusal() says which names are allowed. */
TN_API enum tn_status tn_tag_add(const char *path, const char *tag,
                                 const struct tn_model       *model,
                                 const struct tn_tag_options *add,
                                 const struct tn_options     *options,
                                 struct tn_tag_summary       *summary,
                                 struct tn_error             *error);

/* Arrays that other tags share are copied to the oldest of those tags.  The
 * bytes stay in the file until it is compacted. */
TN_API enum tn_status tn_tag_remove(const char *path, const char *tag,
                                    const struct tn_tag_options *remove,
                                    const struct tn_options     *options,
                                    struct tn_tag_summary       *summary,
                                    struct tn_error             *error);

/* Rewrites the file without the data that no tag needs. */
TN_API enum tn_status tn_tag_compact(const char                  *path,
                                     const struct tn_tag_options *compact,
                                     const struct tn_options     *options,
                                     struct tn_tag_summary       *summary,
                                     struct tn_error             *error);

/* Removes a commit that was cut short; if the directory is lost, rebuilds the
 * file from the entries that are intact.  Reports what cannot be saved.
 * *is_changed is false if there was nothing to do. */
TN_API enum tn_status tn_tag_repair(const char              *path,
                                    const struct tn_options *options,
                                    tn_on_finding *on_finding, void *context,
                                    bool *is_changed, struct tn_error *error);

#endif
