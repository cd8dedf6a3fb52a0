/*
 * rule_sets.h - the built-in rule files, and the user's own
 *
 * A rule set is everything that leads from one dialect to another: the user's
 * files first, since the first rule that applies is taken, then ours.
 */
#ifndef TN_MAP_RULE_SETS_H
#define TN_MAP_RULE_SETS_H

#include "map/lang/lang.h"

enum tn_rule_purpose {
    TN_FOR_ALL,  /* whenever a conversion leads there                        */
    TN_FOR_LESS, /* simplifies                                               */
    TN_FOR_LAYERS, /* finds layers that another dialect wrote out             */
    TN_FOR_OLDER, /* the same in an older version of the dialect, or a newer  */
    TN_FOR_NEWER,
};

struct tn_stored; /* codec/stored.h */

/* A built-in file. */
struct tn_rule_text {
    const char     *name; /* "onnx_nd4j.rules"                                */
    const char     *from, *to;
    bool            is_both_ways;
    struct tn_bytes text; /* of a user's file                                 */
    struct tn_bytes stored_text; /* of ours (codec/stored.h)                  */
    const struct tn_stored *stored;    /* what the parser made of it
                                          (lang_pack.h)                          */
    const struct tn_native *functions; /* that its rules may call             */
    uint32_t                function_count;
    const struct tn_location *places; /* by rule, its place in the original
                                         file, for a text that was made from
                                         one, which is not checked; NULL: its
                                         place in the text                    */
    enum tn_rule_purpose purpose;
};

/* The file `index`; false: there are no more. */
bool tn_rules_builtin_at(uint32_t index, struct tn_rule_text *out);

/* Our files that have been read: each is read on first use, and once.  For one
 * thread at a time. */
struct tn_rule_cache {
    struct tn_arena     *arena;
    struct tn_lang_file *rules;  /* by index; no name: not read yet           */
    struct tn_lang_file *shapes; /* the last is that of dialects without any  */
};

enum tn_status tn_rule_cache_init(struct tn_rule_cache *cache,
                                  struct tn_arena      *arena,
                                  struct tn_error      *error);
void           tn_rule_cache_done(struct tn_rule_cache *cache);

/* The file `index`, or the shapes of a dialect; NULL: it cannot be read. */
const struct tn_lang_file *tn_rule_cache_rules(struct tn_rule_cache *cache,
                                               uint32_t              index,
                                               struct tn_error      *error);
const struct tn_lang_file *tn_rule_cache_shapes(struct tn_rule_cache *cache,
                                                const char           *dialect,
                                                struct tn_error      *error);

/* The same with all of its items (tn_lang_complete()) and its text. */
enum tn_status tn_rule_cache_complete(struct tn_rule_cache *cache,
                                      uint32_t index, struct tn_error *error);

/* Our rules within the dialect for that purpose; NULL if there are none, or if
 * they cannot be read. */
const struct tn_lang_file *tn_rule_cache_within(struct tn_rule_cache *cache,
                                                const char           *dialect,
                                                enum tn_rule_purpose  purpose,
                                                struct tn_error      *error);

struct tn_rule_set {
    struct tn_arena            *arena;
    struct tn_lang_file        *own; /* read for this set alone               */
    uint32_t                    own_count;
    const struct tn_lang_file **files; /* the first are tried first           */
    uint32_t                    count;
};

/* Whether one of these leads from `from` to `to`. */
bool tn_rule_text_leads(const struct tn_rule_text *own, uint32_t own_count,
                        const char *from, const char *to);

/* Reads the user's texts, which may be for any dialects, and takes from the
 * cache those of our files that lead from `from` to `to`; NULL: none.  The
 * user's are checked (lang_check.h).  What is read for the set is in the arena,
 * but not the texts.  Call tn_rule_set_done() also after a failure, and before
 * the cache is closed. */
enum tn_status tn_rule_set_read(struct tn_rule_set *set, struct tn_arena *arena,
                                struct tn_rule_cache *cache, const char *from,
                                const char *to, const struct tn_rule_text *own,
                                uint32_t own_count, struct tn_error *error);
void           tn_rule_set_done(struct tn_rule_set *set);

/* The shapes of a dialect; an empty file if it has none. */
enum tn_status tn_shapes_read(struct tn_lang_file *file, struct tn_arena *arena,
                              const char *dialect, struct tn_error *error);

#endif
