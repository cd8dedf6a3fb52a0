/* rule_read.h - files of rules and vocabularies, whole */
#ifndef TN_ENGINE_RULE_READ_H
#define TN_ENGINE_RULE_READ_H

#include "base/memory.h"

/* The file, unpacked if it is gzip, in the arena.  The error names it. */
enum tn_status tn_rule_read(struct tn_arena *arena, const char *path,
                            struct tn_bytes *bytes, struct tn_error *error);

#endif
