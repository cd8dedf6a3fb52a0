/*
 * status.h - how every call says what happened
 *
 * A call returns a status; the details go into a tn_error that the caller
 * owns.  The library keeps no "last error" of its own.  NULL is allowed for the
 * error of every call, by callers that need the status alone.
 */
#ifndef TENON_STATUS_H
#define TENON_STATUS_H

#include <stdint.h>

#if defined(__GNUC__)
#define TN_VISIBLE __attribute__((visibility("default")))
#else
#define TN_VISIBLE
#endif
#if defined(__cplusplus)
#define TN_API extern "C" TN_VISIBLE
#else
#define TN_API TN_VISIBLE
#endif

/* X(name, exit code of the command, sentence).  Append only: the positions
 * are the ABI's numbers. */
#define TN_STATUS_MAP(X)                                                       \
    X(OK, 0, "no error")                                                       \
    X(TRUNCATED, 3, "the bytes end before the structure does")                 \
    X(MALFORMED, 3, "the bytes contradict the format")                         \
    X(LIMIT, 4, "well formed, but past a limit the caller set")                \
    X(UNSUPPORTED, 5, "well formed, but beyond this build")                    \
    X(NOT_FOUND, 6, "no such tensor, node, tag or format")                     \
    X(IO, 7, "the operating system refused")                                   \
    X(NO_MEMORY, 8, "out of memory")                                           \
    X(EXISTS, 9, "the target exists, and nobody said --force")                 \
    X(BUSY, 10, "another process is writing it")                               \
    X(INVALID, 11, "the caller's mistake")                                     \
    X(CANCELLED, 12, "stopped on request")

enum tn_status {
#define X(name, code, sentence) TN_##name,
    TN_STATUS_MAP(X)
#undef X
};

/* An offset that points at nothing: the complaint is about no single byte. */
#define TN_NOWHERE UINT64_MAX

struct tn_error {
    enum tn_status status; /* TN_OK until the first failure                  */
    uint64_t       offset; /* byte in the outermost file, or TN_NOWHERE      */
    char           file[120];  /* which file of the bundle; empty: the main  */
    char           where[120]; /* path in the model: graph.node[15].attr     */
    char           what[200];  /* one line; no newline, no file name         */
};

/* A fresh error, to be handed to a call: no failure, no place. */
#define TN_ERROR_INIT { TN_OK, TN_NOWHERE, "", "", "" }

/* "malformed": the name of a status, for messages.  Never NULL. */
TN_API const char *tn_status_name(enum tn_status status);

/* "the bytes contradict the format".  Never NULL. */
TN_API const char *tn_status_sentence(enum tn_status status);

/* What the command exits with for this status. */
TN_API int tn_status_exit_code(enum tn_status status);

#endif
