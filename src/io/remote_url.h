/*
 * remote_url.h - URLs: taken apart, joined with names, shown without secrets
 *
 * Only what requests need: scheme, host, path and query.  A URL with a user
 * name or password in it is refused: command lines are seen by others.
 */
#ifndef TN_IO_REMOTE_URL_H
#define TN_IO_REMOTE_URL_H

#include "base/memory.h"

struct tn_url {
    bool        is_secure; /* https                                          */
    bool        is_local;  /* the host is this machine                       */
    const char *origin;    /* "https://host:8443"; lower case, and without the
                              port that the scheme implies                   */
    const char *host;      /* "host:8443" of it                              */
    const char *path;      /* "/a/b%20c", at least "/"                       */
    const char *query;     /* "a=b" or ""                                    */
};

/* Whether a path is a URL of a scheme that is opened here. */
bool tn_url_is(const char *path);

/* Whether a text is a URL of any scheme: "x://". */
bool tn_url_is_any(struct tn_bytes text);

/* "https:/host/x": a URL that lost a '/', as paths of Python make of it. */
bool tn_url_is_cut(const char *path);

/* Takes an http or https URL apart, into the arena.  INVALID if it is not one,
 * is longer than TN_URL_MOST, or has bytes that a URL cannot have. */
#define TN_URL_MOST 8192
enum tn_status tn_url_parse(struct tn_url *url, struct tn_arena *arena,
                            const char *text, struct tn_error *error);

/* The text of it, with the query.  NULL on failure. */
const char *tn_url_text(const struct tn_url *url, struct tn_arena *arena,
                        struct tn_error *error);

/* The same without query, fragment and user ("...@"), for messages. */
const char *tn_url_shown(const char *text, struct tn_arena *arena,
                         struct tn_error *error);

/* Whether a URL is signed, as stores do it: its path names the file, and its
 * query is another one every time.  Any other query names a file, too. */
bool tn_url_is_signed(const char *text);

/* Whether the signature in its query is one for whole folders (an access
 * signature of Azure): then it belongs to the files beside this one, too. */
bool tn_url_covers_folder(const char *text);

/* What a redirect's Location means at `base`. */
enum tn_status tn_url_follow(struct tn_url *to, struct tn_arena *arena,
                             const struct tn_url *base, const char *location,
                             struct tn_error *error);

/* The URL of a file below the folder of `base` (what is up to its last '/'),
 * by a clean relative name (beneath.h), whose bytes are encoded.  The query of
 * `base` is its own, and is left out. */
const char *tn_url_beside(struct tn_arena *arena, const char *base,
                          const char *name, struct tn_error *error);

/* Bytes other than letters, digits and "-._~" become %XX; '/' stays if
 * `keeps_slashes`.  NULL on failure. */
const char *tn_url_encode(struct tn_arena *arena, struct tn_bytes text,
                          bool keeps_slashes, struct tn_error *error);

#endif
