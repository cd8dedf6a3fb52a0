/* progress.h - how long-running calls report progress and are stopped */
#ifndef TENON_PROGRESS_H
#define TENON_PROGRESS_H

#include <stdint.h>

/* Called about ten times a second, at most, from the thread that made the call;
 * calls that finish sooner may not call it at all.  `done` of `total` bytes are
 * processed (total 0: unknown; both 0: the work is not measured in bytes).
 * Return non-zero to stop: the call then fails with TN_CANCELLED and leaves
 * nothing half written. */
typedef int tn_progress(void *context, const char *doing, uint64_t done,
                        uint64_t total);

#endif
