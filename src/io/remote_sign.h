/*
 * remote_sign.h - Signature Version 4 of Amazon's services
 *
 * Ours, because libcurl 7.88 signs some queries wrongly.  A request is signed
 * by a key that is derived from the secret, the day, the region and the
 * service, so that a signature is of no use elsewhere.
 */
#ifndef TN_IO_REMOTE_SIGN_H
#define TN_IO_REMOTE_SIGN_H

#include "base/memory.h"

/* SHA-256 of nothing: the body of a GET. */
#define TN_SIGN_EMPTY                                                          \
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

struct tn_sign_header {
    const char *name;  /* in lower case                                       */
    const char *value; /* without spaces at its ends                          */
};

struct tn_sign {
    const char *method;
    const char *path;  /* encoded, as it is sent                              */
    const char *query; /* encoded, in any order                               */
    const struct tn_sign_header *headers; /* that are signed: sorted by name,
                                             with host                        */
    unsigned    header_count;
    const char *body_hash; /* SHA-256 in hexadecimal                          */
    const char *date;      /* "20130524T000000Z": x-amz-date                  */
    const char *region, *service;
    const char *access, *secret;
};

/* The value of the header Authorization, in the arena; NULL on failure. */
const char *tn_sign_request(struct tn_arena *arena, const struct tn_sign *sign,
                            struct tn_error *error);

/* "20130524T000000Z" */
#define TN_SIGN_DATE 17
void tn_sign_date(int64_t now, char date[TN_SIGN_DATE]);

#endif
