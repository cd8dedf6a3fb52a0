/*
 * remote_answer.h - answers of a server, compared with the request
 *
 * Header lines come from a server that may be broken, or hostile.  They are
 * limited in size and number, and every answer is compared with its request
 * before a byte of the body is used.
 */
#ifndef TN_IO_REMOTE_ANSWER_H
#define TN_IO_REMOTE_ANSWER_H

#include "base/memory.h"

#define TN_ANSWER_MOST_HEADERS (64u << 10) /* bytes of all lines */
#define TN_ANSWER_TAG          200         /* of an ETag, longest             */
#define TN_ANSWER_LOCATION     8192

#define TN_ANSWER_UNKNOWN UINT64_MAX

struct tn_answer {
    unsigned status;      /* 0: no status line so far                        */
    uint64_t header_size; /* of all lines                                    */
    bool     has_begun;   /* a status line, or what stands for it */
    bool     is_over;     /* the empty line came                             */
    bool     has_range;   /* Content-Range, with these                       */
    uint64_t first, last; /* UNKNOWN in "bytes * / 99", of 416               */
    uint64_t total;       /* UNKNOWN if it is '*'                            */
    uint64_t length;      /* Content-Length, or UNKNOWN                      */
    uint64_t retry_after; /* seconds, or UNKNOWN                             */
    bool     is_encoded;  /* Content-Encoding other than identity, or
                             Transfer-Encoding other than chunked            */
    bool is_multipart;
    bool is_bad; /* a header that matters contradicts itself        */
    char etag[TN_ANSWER_TAG];
    char modified[64]; /* Last-Modified, as it was sent                */
    char linked_etag[TN_ANSWER_TAG]; /* X-Linked-ETag of a redirect      */
    char commit[64];   /* X-Repo-Commit                                */
    char region[64];   /* x-amz-bucket-region                          */
    char checksum[16]; /* x-amz-checksum-crc32c                        */
    char upload[32];   /* x-amz-meta-tenon-upload                      */
    char location[TN_ANSWER_LOCATION];
    char next[TN_ANSWER_LOCATION]; /* of Link with rel="next"            */
};

/* Before the first line. */
void tn_answer_begin(struct tn_answer *answer);

/* One line, with or without its end.  A status line begins an answer anew.
 * `now` is the time in seconds, for dates.  False if there are too many
 * headers.
 */
bool tn_answer_line(struct tn_answer *answer, struct tn_bytes line,
                    int64_t now);

/* "bytes 0-99/1000", "bytes 0-99/\*", "bytes *\/1000".  False if it is none of
 * them, or contradicts itself. */
bool tn_answer_parse_range(struct tn_bytes text, uint64_t *first,
                           uint64_t *last, uint64_t *total);

/* "Fri, 31 Dec 1999 23:59:59 GMT", in seconds of Unix. */
bool tn_answer_parse_date(struct tn_bytes text, int64_t *seconds);

/* Whether an ETag names exact bytes: weak ones, which begin with "W/", do not.
 */
bool tn_answer_is_strong(const char *etag);

/* Which version of a file is read: what later answers are compared with. */
struct tn_version {
    char     etag[TN_ANSWER_TAG];
    char     modified[64];
    uint64_t size; /* UNKNOWN before it is known                              */
};

/* What was asked for; `is_first` before a version is known. */
struct tn_asked {
    uint64_t                 first, last;
    bool                     is_suffix; /* the last `last` bytes             */
    bool                     is_first;
    bool                     is_whole; /* all of a short file is fine        */
    const struct tn_version *version;
};

/* Judges an answer of status 200 or 206 by its headers.  The body then has
 * exactly *length bytes from *first on.  Errors have a reason. */
enum tn_status tn_answer_judge(const struct tn_answer *answer,
                               const struct tn_asked *asked, uint64_t *first,
                               uint64_t *length, struct tn_error *error);

#endif
