/*
 * remote_transfer.h - requests to servers: made, repeated, redirected, answered
 *
 * A struct tn_remote has the connections of one bundle.  It starts no thread:
 * a thread that waits for an answer moves all transfers of the bundle on, until
 * its own is done; others wait for it, or take over.
 *
 * A transfer is one request with everything that it takes to get an answer:
 * redirects, which are followed by hand so that credentials stay with the host
 * that they are for; repetition after what may pass, with growing pauses.
 */
#ifndef TN_IO_REMOTE_TRANSFER_H
#define TN_IO_REMOTE_TRANSFER_H

#include <pthread.h>

#include <tenon/remote.h>

#include "base/memory.h"
#include "io/remote_answer.h"
#include "io/remote_curl.h"
#include "io/remote_place.h"
#include "io/remote_sign.h"
#include "io/remote_url.h"

struct tn_transfer;

#define TN_REMOTE_IDLE 8

struct tn_remote {
    struct tn_memory        *memory;
    struct tn_arena          arena; /* of URLs                               */
    struct tn_curl           curl;
    struct tn_remote_options options;
    pthread_mutex_t          lock;
    pthread_cond_t           changed; /* something is done, or may be driven */
    bool                     is_driven; /* by a thread that waits             */
    void                    *multi;
    void                    *idle[TN_REMOTE_IDLE]; /* handles for reuse    */
    unsigned                 idle_count;
    struct tn_transfer      *all; /* queued or under way                */
    unsigned                 active;
    unsigned                 told;        /* by all transfers                 */
    uint64_t                 gives_up_at; /* time when all waiting ends, and
                                             until which the caller is not
                                             asked; 0: never               */
    uint64_t        bytes;  /* of all bodies                      */
    uint64_t        chance; /* state of the pauses' jitter        */
    struct tn_login s3, hub;
    char            commit[64]; /* of the hub: a revision is resolved
                                   once                             */
};

/* UNSUPPORTED if libcurl is missing.  `options` may be NULL. */
enum tn_status tn_remote_open(struct tn_remote **out, struct tn_memory *memory,
                              const struct tn_remote_options *options,
                              struct tn_error                *error);
/* After all that was opened with it.  NULL is fine. */
void tn_remote_close(struct tn_remote *remote);

#define TN_TRANSFER_SIGNED  4   /* headers of a transfer that are signed, too */
#define TN_TRANSFER_REFUSAL 512 /* bytes of a refusal that are looked at */

enum tn_refusal {
    TN_REFUSAL_ERROR,
    TN_REFUSAL_ANSWER,
    TN_REFUSAL_ASK_AGAIN,
};

/* What the owner of a transfer is asked.  All but on_body() are called with the
 * lock held. */
struct tn_transfer_ops {
    /* Before every attempt: adds the headers of the request. */
    void (*prepare)(struct tn_transfer *transfer);
    /* At the end of the headers of an answer of status 2xx: whether its body
     * is wanted, and how long it must be (`expected`).  Called without the
     * lock, as on_body() is. */
    enum tn_status (*judge)(struct tn_transfer *transfer);
    enum tn_status (*on_body)(struct tn_transfer *transfer,
                              struct tn_bytes     bytes);
    /* A redirect: NULL, or the place to ask next is checked. */
    enum tn_status (*redirected)(struct tn_transfer *transfer);
    /* The bucket is in another region, which is now that of the login: `at` is
     * where.  NULL: never. */
    enum tn_status (*moved)(struct tn_transfer *transfer);
    /* A status that is neither 2xx nor repeated: an error, unless it is an
     * answer, too, or a reason to ask in another way.  NULL: always an error.
     */
    enum tn_refusal (*accepts)(struct tn_transfer *transfer);
    /* The answer is complete.  Returns true to ask again, for more. */
    bool (*done)(struct tn_transfer *transfer);
};

enum tn_transfer_state {
    TN_TRANSFER_IDLE,
    TN_TRANSFER_QUEUED,
    TN_TRANSFER_ACTIVE,
    TN_TRANSFER_DONE, /* `error` says how                                     */
};

struct tn_transfer {
    struct tn_transfer           *next;
    struct tn_remote             *remote;
    const struct tn_transfer_ops *ops;
    const struct tn_url          *url; /* what is asked for                   */
    struct tn_url                 at;  /* where, after redirects              */
    enum tn_place_kind            kind;
    const char     *method;    /* NULL: GET                                   */
    struct tn_bytes body;      /* that is sent; borrowed                      */
    const char     *body_hash; /* SHA-256 of it in hexadecimal; NULL: no body */
    struct tn_sign_header signed_headers[TN_TRANSFER_SIGNED];
    unsigned              signed_count;
    bool                  is_signed_again; /* for another region      */
    bool                  is_trusted;      /* the user named it: it may get
                                              credentials                  */
    enum tn_transfer_state state;
    struct tn_answer       answer;
    struct tn_error        error;
    uint64_t               offset;   /* for on_request                 */
    uint64_t               expected; /* bytes of the body              */
    uint64_t               received;
    bool                   is_long;    /* gains by a connection of its own  */
    bool                   is_ignored; /* the body of this answer       */
    bool     is_held;        /* its owner wants no bytes until it says so    */
    bool     is_paused;      /* so that libcurl has stopped receiving them */
    bool     has_any_length; /* `expected` is the most there may be           */
    char     refusal[TN_TRANSFER_REFUSAL]; /* the body of one, cut            */
    bool     is_resolved_again;
    unsigned attempt, redirects;
    unsigned told;       /* times that its owner told of something     */
    unsigned waiting;    /* threads                                    */
    uint64_t not_before; /* milliseconds                               */
    uint64_t began;      /* microseconds                               */
    uint64_t answered;   /* after how many its headers had come        */
    void    *easy, *headers;
    char     message[TN_CURL_ERROR_SIZE];
};

/* Milliseconds of a monotonic clock. */
uint64_t tn_remote_now(void);

/* Moves transfers on without waiting, so that they go on while what has arrived
 * is being used.  With the lock held, as the next four. */
void tn_remote_nudge(struct tn_remote *remote);

void tn_transfer_start(struct tn_transfer *transfer, struct tn_remote *remote);
void tn_transfer_add_header(struct tn_transfer *transfer, const char *format,
                            ...) TN_PRINTF(2, 3);
/* A header "x-amz-...", which is part of the signature; the texts are borrowed.
 */
void tn_transfer_add_signed(struct tn_transfer *transfer, const char *name,
                            const char *value);
/* Room for the code of a store's refusal, such as "NoSuchBucket". */
#define TN_TRANSFER_CODE 64
/* Waits until it is done, or its owner tells of something. */
enum tn_status tn_transfer_wait(struct tn_transfer *transfer,
                                struct tn_error    *error);
/* What has arrived can be used before the rest is there. */
void tn_transfer_tell(struct tn_transfer *transfer);
/* It is held no more. */
void tn_transfer_go_on(struct tn_transfer *transfer);
/* Does nothing to one that is done. */
void tn_transfer_cancel(struct tn_transfer *transfer);

#endif
