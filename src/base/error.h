/*
 * error.h - filling in the caller's tn_error
 *
 * The first failure is kept; later ones are consequences of it.  Lower layers
 * report what is wrong at which byte, upper layers add where in the model.
 */
#ifndef TN_BASE_ERROR_H
#define TN_BASE_ERROR_H

#include <stdbool.h>

#include <tenon/status.h>

#if defined(__GNUC__)
#define TN_PRINTF(text, first) __attribute__((format(printf, text, first)))
#define TN_COLD                __attribute__((cold))
#else
#define TN_PRINTF(text, first)
#define TN_COLD
#endif

/* The first line of every public function: callers that only need the status
 * pass NULL for the error. */
#define TN_ERROR_OR_OWN(error)                                                 \
    struct tn_error tn_own_error = TN_ERROR_INIT;                              \
    if (!(error))                                                              \
    (error) = &tn_own_error

/* Resets an error without clearing its texts, which take a kilobyte: for code
 * that does this a million times. */
static inline void tn_error_clear(struct tn_error *error)
{
    error->status  = TN_OK;
    error->reason  = TN_REASON_NONE;
    error->offset  = TN_NOWHERE;
    error->file[0] = error->where[0] = error->what[0] = '\0';
}

/* Returns from the calling function if a call fails. */
#define TN_TRY(call)                                                           \
    do {                                                                       \
        enum tn_status tn_try_status_ = (call);                                \
        if (tn_try_status_ != TN_OK)                                           \
            return tn_try_status_;                                             \
    } while (0)

/* Records a failure, unless there is one already.  Returns the status that is
 * now in the error, so that `return tn_error_set(...)` reads well. */
TN_COLD enum tn_status tn_error_set(struct tn_error *error,
                                    enum tn_status status, uint64_t offset,
                                    const char *format, ...) TN_PRINTF(4, 5);

/* The same with a reason that callers can act on. */
TN_COLD enum tn_status tn_error_because(struct tn_error *error,
                                        enum tn_status   status,
                                        enum tn_reason reason, uint64_t offset,
                                        const char *format, ...)
    TN_PRINTF(5, 6);

/* The operating system refused: adds the text of errno. */
TN_COLD enum tn_status tn_error_errno(struct tn_error *error, int number,
                                      const char *format, ...) TN_PRINTF(3, 4);

/* Adds a step to the front of the path in the model: "node[15]" before
 * "attr[2]" gives node[15].attr[2].  Does nothing if there is no failure. */
TN_COLD void tn_error_where(struct tn_error *error, const char *format, ...)
    TN_PRINTF(2, 3);

/* Sets the file of the bundle, unless a lower layer already did. */
TN_COLD void tn_error_file(struct tn_error *error, const char *file);

static inline bool tn_failed(const struct tn_error *error)
{
    return error->status != TN_OK;
}

/* The failure is not about the bytes of the file: a check stops, and does not
 * report it as a finding. */
static inline bool tn_machine_failed(const struct tn_error *error)
{
    return error->status == TN_NO_MEMORY || error->status == TN_IO ||
           error->status == TN_CANCELLED;
}

/* Memory ran out, or the caller stops the call: whoever can do without what
 * failed ends, too. */
static inline bool tn_call_ended(const struct tn_error *error)
{
    return error->status == TN_NO_MEMORY || error->status == TN_CANCELLED;
}

/* Forgets file, offset and path, which mean nothing to the caller if they are
 * those of something that was made for the call.  Returns the status. */
enum tn_status tn_error_without_place(struct tn_error *error);

#endif
