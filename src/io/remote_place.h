/*
 * remote_place.h - what s3:// and hf:// URLs stand for, and their credentials
 *
 *   s3://bucket/key                   an object of a store; signed requests
 *   hf://owner/repo[@revision]/path   a file of a hub of models
 *
 * Keys and paths are written as they are, without %XX.  A '/' in a revision is
 * written as %2F, but for those of the hub itself (refs/pr/7).  "datasets/" or
 * "spaces/" before an owner is another kind of repository.  Credentials come
 * from the environment and from files in the home folder, as the tools of both
 * have them; they are read when they are first needed.
 */
#ifndef TN_IO_REMOTE_PLACE_H
#define TN_IO_REMOTE_PLACE_H

#include "base/memory.h"

enum tn_place_kind {
    TN_PLACE_WEB, /* http:// and https://: .netrc                            */
    TN_PLACE_S3,
    TN_PLACE_HUB,
};

#define TN_PLACE_KEY 256 /* of an identifier or a region, longest */

/* Credentials of one kind; empty: none. */
struct tn_login {
    bool is_read;
    char access[TN_PLACE_KEY];
    char secret[TN_PLACE_KEY];
    char token[4096];
    char region[TN_PLACE_KEY];
    char endpoint[TN_PLACE_KEY]; /* of the profile                           */
    char services[TN_PLACE_KEY]; /* the section with its endpoints           */
    bool has_profile;  /* a file has the section                            */
    char how[32];      /* how the profile gets them, if not known here      */
    char problem[256]; /* why there are none; "" if there are               */
};

enum tn_place_kind tn_place_kind_of(const char *url);

/* A bucket or repository is a folder: its URL with the '/' that says so.  Any
 * other URL or path as it is. */
const char *tn_place_whole(struct tn_arena *arena, const char *url,
                           struct tn_error *error);

/* The http or https URL of it.  `commit` replaces the revision of a hub, if it
 * is not empty; `store` has the region of a bucket, or the endpoint that a
 * profile names.  NULL on failure: INVALID. */
const char *tn_place_url(struct tn_arena *arena, const char *url,
                         const char *commit, const struct tn_login *store,
                         struct tn_error *error);

/* The URL of a document that lists what is in a folder, which `url` names with
 * a '/' at its end.  `is_recursive` also lists what is in its folders; web
 * servers do not.  The names in it begin with *prefix, which is encoded
 * nowhere. */
const char *tn_place_list_url(struct tn_arena *arena, const char *url,
                              const char *commit, const struct tn_login *store,
                              bool is_recursive, const char **prefix,
                              struct tn_error *error);

/* That of a document that has the commit of a hub's revision. */
const char *tn_place_revision_url(struct tn_arena *arena, const char *url,
                                  struct tn_error *error);

/* Reads what the environment says, once.  A file that is missing is no error;
 * one that cannot be used is: INVALID. */
enum tn_status tn_login_read(struct tn_login *login, enum tn_place_kind kind,
                             struct tn_memory *memory, struct tn_error *error);

/* Takes what a section of such a file says ("[name]" or "[profile name]"), for
 * values that are not there yet. */
void tn_login_parse(struct tn_login *login, struct tn_bytes text,
                    const char *profile);

#endif
