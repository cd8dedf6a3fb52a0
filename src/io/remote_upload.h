/*
 * remote_upload.h - uploads files to a server, all of them or none
 *
 * Files for a store are sent in parts, which are invisible until the upload is
 * completed; small files, and files for a web server, in one request.  First
 * all parts are sent, then the files get their names.  The file that refers to
 * the others comes last.  After a failure uploads are aborted, and files that
 * already have their names are removed, unless they replaced others.
 */
#ifndef TN_IO_REMOTE_UPLOAD_H
#define TN_IO_REMOTE_UPLOAD_H

#include "io/remote_transfer.h"

/* UNSUPPORTED for a place that cannot be written to. */
enum tn_status tn_upload_check_place(const char *url, struct tn_error *error);

/* EXISTS if there is something under that URL: a file or, for a URL that ends
 * in '/', any file in the folder, whose name is not one of `names`.  A server
 * that does not answer this is not an error.  NOT_FOUND if there is no such
 * bucket. */
enum tn_status tn_upload_check_target(struct tn_remote *remote, const char *url,
                                      struct tn_error *error);

/* NOT_FOUND if there is no such bucket. */
enum tn_status tn_upload_check_bucket(struct tn_remote *remote, const char *url,
                                      struct tn_error *error);

struct tn_upload_file {
    const char     *url;
    struct tn_bytes bytes; /* all of it; mapped                              */
};

/* `can_replace`: --force.  EXISTS if a file is there, and may not be replaced,
 * also if another process made it meanwhile. */
enum tn_status tn_upload(struct tn_remote            *remote,
                         const struct tn_upload_file *files, uint64_t count,
                         bool can_replace, struct tn_error *error);

#endif
