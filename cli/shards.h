/* shards.h - split and merge of sets of tensors, into files instead of chunks
 */
#ifndef CLI_SHARDS_H
#define CLI_SHARDS_H

#include "session.h"

#define CLI_NO_SHARDS (-1)

/* Writes the model anew in its own format: PREFIX with the suffix of several
 * files of at most max_size bytes, or, if max_size is 0, one file of that name.
 * A path that does not exist may be the prefix of such a set, if max_size is 0.
 * Returns an exit code, or CLI_NO_SHARDS if the model is not a set of tensors
 * in a format that has shards; nothing was printed then. */
int cli_shards(struct cli_session *session, const char *path, const char *out,
               uint64_t max_size);

#endif
