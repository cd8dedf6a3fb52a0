/*
 * opened.h - the struct behind a model handle
 *
 * A memory budget, the files, the tables, and the format that filled them in.
 * A model that came out of an edit keeps the models alive whose payloads it
 * shares.
 */
#ifndef TN_ENGINE_OPENED_H
#define TN_ENGINE_OPENED_H

#include <pthread.h>
#include <stdatomic.h>

#include <tenon/verbs.h>

#include "format/format.h"

struct tn_opened {
    struct tn_model  model; /* first: the public handle               */
    struct tn_memory memory;
    struct tn_bundle bundle;
    uint64_t         max_expand; /* the caller's; 0: default; of an edit that of
                                    the model that it began with         */
    const struct tn_format *format;
    struct tn_list          held; /* struct tn_opened *: the models whose
                                     payloads it shares                   */
    struct tn_list origins;   /* const struct tn_opened *: those among the held,
                                 and what they hold, that have files or
                                 elements of the caller, each once        */
    uint64_t given;           /* bytes of elements that the caller gave to an
                                 edit                                     */
    struct tn_list sources;   /* struct tn_source *: of an edit, which the
                                 caller's callbacks provide           */
    _Atomic unsigned holders; /* the handle, and models sharing it    */
    pthread_mutex_t  reading; /* of the bundle, by tn_opened_read_graph() */
    bool is_shared; /* other threads read the files while it is opened        */
    const struct tn_model *edited; /* the model that an edit turned into this
                                      one; held, or NULL                      */
};

static inline struct tn_opened *tn_opened_of(const struct tn_model *model)
{
    return (struct tn_opened *)model->owner;
}

/* A new, empty model with a budget; the bundle is not open yet. */
enum tn_status tn_opened_new(struct tn_opened       **out,
                             const struct tn_options *options,
                             struct tn_error         *error);
void           tn_opened_release(struct tn_opened *opened);

/* Keeps `other` alive as long as this one. */
enum tn_status tn_opened_hold(struct tn_opened *opened, struct tn_opened *other,
                              struct tn_error *error);

/* Closes a source together with the model (at once on failure). */
enum tn_status tn_opened_keep(struct tn_opened *opened,
                              struct tn_source *source, struct tn_error *error);

/* Only the files: for verbs that look at bytes that need not be a model. */
enum tn_status tn_opened_files(struct tn_opened **out, const char *path,
                               const struct tn_options *options,
                               struct tn_error         *error);

/* The format of the files: by name if the caller gave it, else by their bytes.
 * NOT_FOUND says what the file is instead, as far as we can tell. */
enum tn_status tn_find_format(struct tn_bundle *bundle, const char *from,
                              const struct tn_format **format,
                              struct tn_error         *error);

/* The same from the first and last bytes, or the names in a folder: NULL if
 * they are of no format that is read here.  Chunks are not merged, and text is
 * examined only if it may be a model. */
enum tn_status tn_find_kind(struct tn_bundle *bundle, bool may_be_text,
                            const struct tn_format **format,
                            struct tn_error         *error);

/* The format of that name, or NULL. */
const struct tn_format *tn_format_named(const char *name);

/* The most bytes that its files, and those of the models whose payloads it
 * shares, may expand to: from the options of the verb, else from those it was
 * opened with, else by the size of the files.  Elements that the caller gave to
 * an edit count as files do. */
uint64_t tn_opened_may_expand(const struct tn_opened  *opened,
                              const struct tn_options *options);

/* Before elements are read: MALFORMED if a payload contradicts its type and
 * shape, in the words of `check`; LIMIT if the elements of a tensor, or of all
 * tensors of a model together, are more than `most` bytes.  The bytes of
 * strings are not counted. */
enum tn_status tn_opened_check_tensor(const struct tn_tensor *tensor,
                                      uint64_t most, struct tn_error *error);
enum tn_status tn_opened_check_expansion(const struct tn_model *model,
                                         uint64_t most, struct tn_error *error);

/* Only the first of these checks, for all tensors. */
enum tn_status tn_opened_check_payloads(const struct tn_model *model,
                                        struct tn_error       *error);

/* Chooses a model from a container of several; INVALID if there is no
 * choice. */
enum tn_status tn_opened_choose_tag(struct tn_opened        *opened,
                                    const struct tn_options *options,
                                    struct tn_error         *error);

/* Fills in the model of opened files. */
enum tn_status tn_opened_read(struct tn_opened *opened, bool wants_graph,
                              struct tn_error *error);

/* The graph of a model that was opened without it, as another model over the
 * same files, which are not opened again.  INVALID if it has no files. */
enum tn_status tn_opened_read_graph(struct tn_model        **out,
                                    const struct tn_model   *model,
                                    const struct tn_options *options,
                                    struct tn_error         *error);

/* What a file is if it is not a model: "a Git LFS pointer, not the file itself:
 * run `git lfs pull`".  NULL if unknown. */
const char *tn_not_a_model(const struct tn_probe *probe);

/* A zip archive that we do not recognize: perhaps a damaged model. */
bool tn_is_unknown_zip(const struct tn_probe *probe);

/* What a probe sees of a bundle; points into the bundle. */
enum tn_status tn_probe_of(struct tn_bundle *bundle, struct tn_probe *probe,
                           struct tn_error *error);

/* The caller's callback for findings, which may be NULL; and the function that
 * a tn_report calls, with a tn_listener as its context. */
struct tn_listener {
    tn_on_finding *each;
    void          *context;
};
int tn_listener_report(void *context, enum tn_finding_level level,
                       const char *rule, const struct tn_error *finding);

#endif
