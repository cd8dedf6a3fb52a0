/*
 * chunked.h - a chunked file stands in for the message that it makes
 *
 * PREFIX.cpb, and the saved_model.cpb of a folder, are opened as the model that
 * their chunks make together, by reference: nothing is written or loaded.  The
 * bundle gets the merged message as its main source, so that formats never see
 * the difference.
 */
#ifndef TN_ENGINE_CHUNKED_H
#define TN_ENGINE_CHUNKED_H

#include "chunk/cpb.h"
#include "format/format.h"

struct tn_chunked_file {
    struct tn_source  holder;   /* first: what the bundle keeps           */
    struct tn_source *original; /* NULL: a sibling, which is the bundle's */
    uint64_t          file_size;
    struct tn_cpb     cpb;
    struct tn_arena   arena; /* the type, and bytes between the chunks    */
    const struct tn_pb_message *type;
    const struct tn_format     *format; /* whose message it is                */
};

/* Puts the merged message in the place of a chunked file whose root message is
 * one of a format's (`from`: of this format's).  Leaves everything else as it
 * is; a chunked message of some other kind is a file of records. */
enum tn_status tn_chunked_unwrap(struct tn_bundle *bundle, const char *from,
                                 struct tn_error *error);

/* The same as a message of this type; *is_merged says whether.  INVALID when it
 * is a chunked one, by its name too, whose paths lead elsewhere in the type. */
enum tn_status tn_chunked_unwrap_as(struct tn_bundle           *bundle,
                                    const struct tn_pb_message *type,
                                    bool *is_merged, struct tn_error *error);

/* The file that was unwrapped, or NULL. */
struct tn_chunked_file *tn_chunked_file_of(const struct tn_bundle *bundle);

/* Everything that is wrong with a chunked file that could not be unwrapped.
 * False: it is none. */
struct tn_report;
bool tn_chunked_check_damaged(struct tn_bundle *bundle, const char *from,
                              const char *sibling, struct tn_report *report,
                              struct tn_error *error);

/* How many chunks, how large, of which version, and where they go. */
void tn_chunked_facts(const struct tn_chunked_file *file,
                      struct tn_model *model, struct tn_error *error);

/* The same of a file of records that is a chunked message of a kind which no
 * format has; of others nothing. */
enum tn_status tn_chunked_bare_facts(struct tn_bundle *bundle,
                                     struct tn_model  *model,
                                     struct tn_error  *error);

#endif
