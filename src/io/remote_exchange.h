/*
 * remote_exchange.h - a request whose answer is a small document
 *
 * Used for lists of files, for the commit of a revision, and for writing files
 * (remote_upload.h).
 */
#ifndef TN_IO_REMOTE_EXCHANGE_H
#define TN_IO_REMOTE_EXCHANGE_H

#include "base/buffer.h"
#include "io/remote_transfer.h"

#define TN_EXCHANGE_MOST  (UINT64_C(32) << 20) /* bytes of an answer */
#define TN_EXCHANGE_LINES 4

struct tn_exchange {
    struct tn_transfer transfer; /* first; its method and body are set by the
                                    caller                                    */
    struct tn_url url;
    const char   *place; /* as it was named: of a region that is found
                            later; NULL: only `url`                      */
    const char *query;   /* instead of that of a place; NULL: its own    */
    bool        is_list, is_recursive;         /* the place is a folder: what is
                                                  in it                       */
    const char      *lines[TN_EXCHANGE_LINES]; /* headers of the request    */
    unsigned         line_count;
    char             linked[TN_ANSWER_TAG]; /* identity by a redirect      */
    unsigned           accepted[4]; /* statuses that are answers, not errors  */
    struct tn_buffer body;        /* of the answer                          */
    struct tn_error  body_error;
};

/* `place` is a URL of any kind; `query` replaces that of it, unless it is NULL.
 * Reads the credentials.  Borrows the texts. */
enum tn_status tn_exchange_open(struct tn_exchange *exchange,
                                struct tn_remote *remote, const char *place,
                                const char *query, struct tn_error *error);

/* What is in a folder, which ends in '/'; *prefix as in tn_place_list_url(). */
enum tn_status tn_exchange_open_list(struct tn_exchange *exchange,
                                     struct tn_remote   *remote,
                                     const char *folder, bool is_recursive,
                                     const char     **prefix,
                                     struct tn_error *error);

/* The same for an http or https URL that belongs to a place of that kind. */
enum tn_status tn_exchange_open_url(struct tn_exchange *exchange,
                                    struct tn_remote   *remote,
                                    enum tn_place_kind kind, const char *url,
                                    struct tn_error *error);

/* Sends the request and waits for the answer. */
enum tn_status tn_exchange_run(struct tn_exchange *exchange,
                               struct tn_error    *error);

/* The two halves of it; both lock. */
void           tn_exchange_start(struct tn_exchange *exchange);
enum tn_status tn_exchange_wait(struct tn_exchange *exchange,
                                struct tn_error    *error);

/* Cancels what is under way.  One that was never opened, but is zero, is
 * fine. */
void tn_exchange_close(struct tn_exchange *exchange);

#endif
