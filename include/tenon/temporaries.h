/*
 * temporaries.h - removing temporary files when a signal ends the process
 *
 * A call that fails or is cancelled removes its own temporary files.  A process
 * that is about to end by a signal cannot wait for that.  It may keep a list of
 * the temporary files that exist (tn_options.temporaries) and remove them in
 * the signal handler:
 *
 *     static struct tn_temporaries *list;
 *
 *     static void on_signal(int number)
 *     {
 *         tn_temporaries_remove(list);
 *         signal(number, SIG_DFL);
 *         raise(number);
 *     }
 */
#ifndef TENON_TEMPORARIES_H
#define TENON_TEMPORARIES_H

#include <tenon/allocator.h>
#include <tenon/status.h>

struct tn_temporaries;

/* `allocator` may be NULL for malloc.  Any number of calls in any number of
 * threads may share a list.  It must outlive every model and handle that was
 * opened with it. */
TN_API enum tn_status tn_temporaries_new(struct tn_temporaries    **out,
                                         const struct tn_allocator *allocator,
                                         struct tn_error           *error);

/* Removes the temporary files of all calls in progress.  Safe in a signal
 * handler.  Only for a process that is about to end: whatever these calls were
 * writing is lost.  NULL is fine. */
TN_API void tn_temporaries_remove(struct tn_temporaries *temporaries);

/* NULL is fine. */
TN_API void tn_temporaries_close(struct tn_temporaries *temporaries);

#endif
