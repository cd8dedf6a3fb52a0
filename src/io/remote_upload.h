/*
 * remote_upload.h - files put to a server, all of them or none
 *
 * Files of a store are sent in parts that nobody sees before the upload is
 * completed; small files, and files of a web server, in one request.  First all
 * parts are sent; then the files get their names, the last of them last: it is
 * the one that names the others.  After a failure uploads are aborted, and what
 * had its name already is removed, unless it replaced something.
 */
#ifndef TN_IO_REMOTE_UPLOAD_H
#define TN_IO_REMOTE_UPLOAD_H

#include "io/remote_transfer.h"

/* UNSUPPORTED for a place that cannot be written to. */
enum tn_status tn_upload_check_place(const char *url, struct tn_error *error);

/* EXISTS if there is something under that URL: a file or, for a URL that ends
 * in '/', any file in the folder, whose name is not one of `names`.  A server
 * that does not tell is no error.  NOT_FOUND if there is no such bucket. */
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
