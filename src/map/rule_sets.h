/*
 * rule_sets.h - the rule files that the library carries, and the user's own
 *
 * A rule set is everything that leads from one dialect to another: files of the
 * user first, since the first rule that applies is taken, then ours.
 */
#ifndef TN_MAP_RULE_SETS_H
#define TN_MAP_RULE_SETS_H

#include "map/lang.h"

/* A file that the library carries. */
struct tn_rule_text {
    const char     *name; /* "onnx_nd4j.rules"                                */
    const char     *from, *to;
    bool            is_both_ways;
    struct tn_bytes text;
    const struct tn_native *functions; /* that its rules may call             */
    uint32_t                function_count;
};

/* The file `index`; false: there are no more. */
bool tn_rules_builtin_at(uint32_t index, struct tn_rule_text *out);

/* The text of `rules FROM -> TO` or `FROM <-> TO`, in this order of dialects;
 * empty: there is none. */
struct tn_bytes tn_rules_builtin(const char *from, const char *to);

/* What says types and shapes of a dialect; empty: there is none. */
struct tn_bytes tn_shapes_builtin(const char *dialect);

struct tn_rule_set {
    struct tn_arena     *arena;
    struct tn_lang_file *files; /* the first are tried first                  */
    uint32_t             count;
};

/* Reads the texts of the user, which may lead anywhere, and then those of ours
 * that lead from `from` to `to`.  The user's are checked (lang_check.h).
 * Everything but the texts lives in the arena. Done also after a failure. */
enum tn_status tn_rule_set_read(struct tn_rule_set *set, struct tn_arena *arena,
                                const char *from, const char *to,
                                const struct tn_rule_text *own,
                                uint32_t own_count, struct tn_error *error);
void           tn_rule_set_done(struct tn_rule_set *set);

/* The shapes of a dialect; an empty file when there is nothing to say. */
enum tn_status tn_shapes_read(struct tn_lang_file *file, struct tn_arena *arena,
                              const char *dialect, struct tn_error *error);

#endif
