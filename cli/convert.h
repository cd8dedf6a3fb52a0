/* convert.h - what the files of `tenon convert` share */
#ifndef CLI_CONVERT_H
#define CLI_CONVERT_H

#include <tenon/tenon.h>

#include "session.h"

/* Options that matter between dialects, as they were given: names with commas
 * between them. */
struct cli_map_words {
    const char *inputs, *outputs, *rules, *allow, *signature, *receipt;
    unsigned    fold; /* 0: not given, 1: shapes, 2: none                     */
};

/* The same taken apart.  Done when it is no longer needed. */
struct cli_map {
    struct tn_map_options options;
    char                 *texts;
    const char          **names;
};

void cli_map_init(struct cli_map *map, const struct cli_map_words *words);
void cli_map_done(struct cli_map *map);

/* --plan: what would be done; 1 when something has no rule. */
int cli_convert_plan(struct cli_session              *session,
                     const struct tn_model           *model,
                     const struct tn_convert_options *convert);

#endif
