/* dialect_path.h - which rule sets lead from one dialect to another */
#ifndef TN_ENGINE_DIALECT_PATH_H
#define TN_ENGINE_DIALECT_PATH_H

#include "map/lang/rule_sets.h"

enum { TN_PATH_MAX = 8 };

/* dialects[0] is the first, dialects[steps] the last. */
struct tn_dialect_path {
    const char *dialects[TN_PATH_MAX + 1];
    uint32_t    steps;
};

/* The shortest path over our rule sets and the user's own.  UNSUPPORTED:
 * none. */
enum tn_status tn_dialect_path_find(struct tn_dialect_path *path,
                                    const char *from, const char *to,
                                    const struct tn_rule_text *own,
                                    uint32_t own_count, struct tn_error *error);

/* The shortest path of more than one step; its `steps` are 0 if there is
 * none. */
void tn_dialect_path_detour(struct tn_dialect_path *path, const char *from,
                            const char *to, const struct tn_rule_text *own,
                            uint32_t own_count);

/* Adds a path that begins where the other one ends. */
void tn_dialect_path_join(struct tn_dialect_path       *path,
                          const struct tn_dialect_path *next);

#endif
