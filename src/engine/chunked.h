/*
 * chunked.h - opens a chunked file as the message that it contains
 *
 * PREFIX.cpb, and the saved_model.cpb of a folder, are opened as the model that
 * their chunks form, by reference: nothing is written or loaded.  The bundle
 * gets the merged message as its main source, so that formats do not see a
 * difference.
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

/* Replaces a chunked file by its merged message, if that is the root message of
 * a format (with `from`: of this one).  Does nothing otherwise; a chunked
 * message of another kind is a file of records. */
enum tn_status tn_chunked_unwrap(struct tn_bundle *bundle, const char *from,
                                 struct tn_error *error);

/* The same for a message of this type; *is_merged says whether it was done.
 * INVALID if the file is chunked, also judging by its name, but its paths do
 * not fit the type. */
enum tn_status tn_chunked_unwrap_as(struct tn_bundle           *bundle,
                                    const struct tn_pb_message *type,
                                    bool *is_merged, struct tn_error *error);

/* The file that was unwrapped, or NULL. */
struct tn_chunked_file *tn_chunked_file_of(const struct tn_bundle *bundle);

/* Reports everything that is wrong with a chunked file that could not be
 * unwrapped.  False if it is not a chunked file. */
struct tn_report;
bool tn_chunked_check_damaged(struct tn_bundle *bundle, const char *from,
                              const char *sibling, struct tn_report *report,
                              struct tn_error *error);

/* How many chunks there are, their sizes, version and places. */
void tn_chunked_facts(const struct tn_chunked_file *file,
                      struct tn_model *model, struct tn_error *error);

/* The same for a file of records that is a chunked message of a kind that no
 * format has; nothing for other files. */
enum tn_status tn_chunked_bare_facts(struct tn_bundle *bundle,
                                     struct tn_model  *model,
                                     struct tn_error  *error);

#endif
