/* read_file.h - reads small files as a whole: rules, vocabularies, schemas */
#ifndef TN_ENGINE_READ_FILE_H
#define TN_ENGINE_READ_FILE_H

#include "base/memory.h"

/* What a file with a descriptor set should be. */
#define TN_SCHEMA_FILE                                                         \
    "a schema: expected what protoc --descriptor_set_out writes"

/* The file, unpacked if it is gzip, in the arena.  The error names it; `what`
 * is what it should be, such as "a file of rules". */
enum tn_status tn_read_file(struct tn_arena *arena, const char *path,
                            const char *what, struct tn_bytes *bytes,
                            struct tn_error *error);

#endif
