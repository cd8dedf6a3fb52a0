/*
 * status.h - how every call reports what happened
 *
 * A call returns a status; the details go into a tn_error that the caller owns.
 * The library keeps no "last error" of its own.  Every call accepts NULL for
 * the error, for callers that only need the status.
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
    X(EXISTS, 9, "the target exists; --force replaces it")                     \
    X(BUSY, 10, "another process is writing it")                               \
    X(INVALID, 11, "the caller's mistake")                                     \
    X(CANCELLED, 12, "stopped on request")

enum tn_status {
#define X(name, code, sentence) TN_##name,
    TN_STATUS_MAP(X)
#undef X
};

/*
 * Why a call failed, for programs that want to act on it: more exact than the
 * status, and stable, unlike the text of a message.  Most failures need none:
 * the status is enough, and the reason is TN_REASON_NONE.
 *
 * X(name, word, sentence).  Append only: the positions are the ABI's numbers,
 * and the words are what the command prints as JSON.
 */
#define TN_REASON_MAP(X)                                                       \
    X(NONE, "", "the status says it all")                                      \
    X(UNKNOWN_FORMAT, "unknown-format", "the file is in no format read here")  \
    X(NOT_A_MODEL, "not-a-model", "the file is not a model")                   \
    X(SEVERAL_MODELS, "several-models", "the folder has more than one model")  \
    X(UNKNOWN_TARGET_FORMAT, "unknown-target-format",                          \
      "the name of the output tells no format, or no format has that name")    \
    X(UNWRITABLE_FORMAT, "unwritable-format", "the format is only read")       \
    X(TARGET_EXISTS, "target-exists", "a file to write exists already")        \
    X(TARGET_BUSY, "target-busy", "another process writes the file")           \
    X(MISSING_FILE, "missing-file", "a file the model refers to is missing")   \
    X(MISSING_SHARD, "missing-shard", "a shard of the model is missing")       \
    X(SYMBOLIC_LINK, "symbolic-link",                                          \
      "a file of the model is reached by a symbolic link only")                \
    X(CUT_SHORT, "cut-short", "an archive ends before its directory")          \
    X(EXPANSION_LIMIT, "expansion-limit",                                      \
      "the file expands to more bytes than max_expand allows")                 \
    X(MEMORY_LIMIT, "memory-limit", "max_memory is used up")                   \
    X(BAD_OPTION, "bad-option", "an option has a value that it cannot have")   \
    X(BAD_RULES, "bad-rules", "a file of rules has a mistake")                 \
    X(INVALID_MODEL, "invalid-model", "tn_check() finds errors in the model")  \
    X(INVALID_RESULT, "invalid-result",                                        \
      "tn_check() would find errors in the converted model")                   \
    X(LOSSES, "losses", "something would be lost, and is_strict is set")       \
    X(NO_RULES, "no-rules", "no rules lead from one dialect to the other")     \
    X(NO_RULE, "no-rule", "an operator has no rule")                           \
    X(RULE_REFUSED, "rule-refused",                                            \
      "no rule fits the way an operator is used")                              \
    X(UNKNOWN_TYPE, "unknown-type", "an element type has to be known")         \
    X(UNKNOWN_SHAPE, "unknown-shape", "a rank or a size has to be known")      \
    X(UNKNOWN_VALUE, "unknown-value",                                          \
      "elements are computed when the model runs, and have to be constant")    \
    X(UNKNOWN_SIGNATURE, "unknown-signature", "no signature has that name")    \
    X(SEVERAL_SIGNATURES, "several-signatures",                                \
      "one of them has to be chosen")                                          \
    X(NO_SIGNATURE, "no-signature", "inputs and outputs have to be named")     \
    X(UNKNOWN_INPUT, "unknown-input", "the graph has no such input")           \
    X(UNKNOWN_OUTPUT, "unknown-output", "the graph has no such output")        \
    X(MISSING_INPUT, "missing-input",                                          \
      "the outputs need a value that is not among the chosen inputs")          \
    X(MISSING_VARIABLE, "missing-variable", "a variable has no value")         \
    X(NO_RECEIPT, "no-receipt", "a receipt makes sense only with rules")       \
    X(BAD_SHAPE, "bad-shape",                                                  \
      "a shape given for an input contradicts the model")                      \
    X(FOREIGN_OPTION, "foreign-option", "the format has no such option")       \
    X(NO_TRANSPORT, "no-transport", "URLs need libcurl, which is missing")     \
    X(UNREACHABLE, "unreachable",                                              \
      "a server does not answer, or breaks off, again and again")              \
    X(SERVER_BUSY, "server-busy", "a server answers that it is busy")          \
    X(ACCESS_DENIED, "access-denied", "a server denies access")                \
    X(BAD_ANSWER, "bad-answer", "a server answers what was not asked for")     \
    X(NO_RANGES, "no-ranges", "a server sends no parts of a file")             \
    X(REMOTE_CHANGED, "remote-changed",                                        \
      "a file on a server changed while it was read")                          \
    X(REMOTE_LIMIT, "remote-limit",                                            \
      "more headers, redirects or bytes than are allowed")                     \
    X(URL_IN_FILE, "url-in-file", "a model names a URL, which is not opened")

enum tn_reason {
#define X(name, word, sentence) TN_REASON_##name,
    TN_REASON_MAP(X)
#undef X
};

/* No offset: the message is not about a particular byte. */
#define TN_NOWHERE UINT64_MAX

struct tn_error {
    enum tn_status status; /* TN_OK until the first failure                  */
    enum tn_reason reason; /* decide by this, never by the text of `what`    */
    uint64_t       offset; /* byte in the outermost file, or TN_NOWHERE      */
    char           file[120];  /* the file, unless it is the main one        */
    char           where[120]; /* path in the model: graph.node[15].attr     */
    char           what[768];  /* one line, for people                       */
};

/* An error to pass to a call: no failure, no place. */
#define TN_ERROR_INIT                                                          \
    {                                                                          \
        TN_OK, TN_REASON_NONE, TN_NOWHERE, "", "", ""                          \
    }

/* "malformed": the name of a status, for messages.  Never NULL. */
TN_API const char *tn_status_name(enum tn_status status);

/* "the bytes contradict the format".  Never NULL. */
TN_API const char *tn_status_sentence(enum tn_status status);

/* The command's exit code for this status. */
TN_API int tn_status_exit_code(enum tn_status status);

/* "no-rule": a stable word for a reason; "" for TN_REASON_NONE.  Never NULL. */
TN_API const char *tn_reason_word(enum tn_reason reason);

/* "an operator has no rule".  Never NULL. */
TN_API const char *tn_reason_sentence(enum tn_reason reason);

#endif
