/* progress.h - how long work tells where it is, and how it is stopped */
#ifndef TENON_PROGRESS_H
#define TENON_PROGRESS_H

#include <stdint.h>

/* Called now and then from the thread that made the call, about ten times a
 * second; what is done sooner than that may not call at all.  `done` of `total`
 * bytes (total 0: unknown; both 0: it is not bytes that take the time).  Return
 * non-zero to stop: the call then fails with TN_CANCELLED and leaves nothing
 * half written. */
typedef int tn_progress(void *context, const char *doing, uint64_t done,
                        uint64_t total);

#endif
