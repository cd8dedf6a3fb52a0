/*
 * remote.h - models at URLs: what a caller may set, and what was requested
 *
 * Wherever a function takes the path of a file or folder that is read, it may
 * be an http:// or https:// URL; one that ends in '/' is a folder.  Ranges are
 * requested as they are needed; a model is never downloaded whole.  Transport
 * is libcurl (libcurl.so.4), which is loaded when the first URL is opened.
 *
 * A file is pinned when it is opened: by its ETag, or by Last-Modified and
 * size.  If it changes, or if an answer is not what was requested, the call
 * fails with a reason of status.h; wrong bytes are never returned.
 */
#ifndef TENON_REMOTE_H
#define TENON_REMOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tenon/options.h>

/* One request that was answered, or failed. */
struct tn_request {
    const char *url;     /* without its query, which may have a signature     */
    uint64_t    offset;  /* of the range                                      */
    uint64_t    bytes;   /* of the body that arrived                          */
    unsigned    status;  /* of HTTP; 0: there was no answer                   */
    unsigned    attempt; /* 1: the first                                      */
    double      seconds; /* from the start of the request to its end          */
};
typedef void tn_on_request(void *context, const struct tn_request *request);

/* Must outlive what is opened with it. */
struct tn_remote_options {
    size_t size; /* see options.h                                             */

    bool allows_external; /* also open URLs that a model names, such as external
                             data; without credentials if the host is another */
    bool is_anonymous;    /* send no credentials at all                       */
    bool allows_plain;    /* send credentials over http:// to hosts other than
                             this one, too                                    */
    uint64_t max_bytes;   /* LIMIT beyond that many, for one model; 0: none   */
    unsigned timeout;     /* seconds without progress; 0: TENON_TIMEOUT in the
                             environment, or 30                               */
    unsigned attempts;    /* of each request; 0: TENON_ATTEMPTS, or 5         */

    /* NULL: none.  Called from any thread that reads, one at a time. */
    tn_on_request *on_request;
    void          *context;
};
#define TN_REMOTE_OPTIONS_INIT TN_SIZED_INIT(struct tn_remote_options)

#endif
