/*
 * dialect_path.c - which rule sets lead from one dialect to another
 *
 * Dialects are few: names found so far are the queue of a breadth-first search.
 */
#include "engine/dialect_path.h"

#include <stdio.h>
#include <string.h>

#include "ir/dialect_facts.h"

enum { DIALECT_LIMIT = 32 };

struct search {
    const char *names[DIALECT_LIMIT];
    uint32_t    before[DIALECT_LIMIT]; /* where it was reached from           */
    uint32_t    depth[DIALECT_LIMIT];
    uint32_t    count;
    const char *not_at_once; /* a dialect that one step may not lead to; NULL:
                                none                                          */
};

static void reach(struct search *s, const char *name, uint32_t before)
{
    if (before == 0 && s->not_at_once &&
        tn_is_same_dialect(name, s->not_at_once))
        return;
    for (uint32_t i = 0; i < s->count; i++)
        if (tn_is_same_dialect(s->names[i], name))
            return;
    if (s->count == DIALECT_LIMIT || s->depth[before] == TN_PATH_MAX)
        return;
    s->names[s->count]  = name;
    s->before[s->count] = before;
    s->depth[s->count]  = s->depth[before] + 1;
    s->count++;
}

static void follow(struct search *s, uint32_t at,
                   const struct tn_rule_text *file)
{
    if (tn_is_same_dialect(file->from, s->names[at]))
        reach(s, file->to, at);
    else if (file->is_both_ways && tn_is_same_dialect(file->to, s->names[at]))
        reach(s, file->from, at);
}

static void write_path(const struct search *s, uint32_t at,
                       struct tn_dialect_path *path)
{
    path->steps = s->depth[at];
    for (uint32_t i = path->steps; i > 0; i--) {
        path->dialects[i] = s->names[at];
        at                = s->before[at];
    }
    path->dialects[0] = s->names[0];
}

/* Dialects that only rules of the caller know have no title. */
static const char *title_of(const char *dialect)
{
    const struct tn_dialect_facts *facts = tn_dialect_facts(dialect);

    return facts->name[0] ? facts->title : dialect;
}

/* The message also lists other dialects that are possible. */
static enum tn_status refuse(const struct search *s, const char *to,
                             struct tn_error *error)
{
    char   others[80] = "";
    size_t used       = 0;

    for (uint32_t i = 1; i < s->count && used < sizeof others; i++)
        used += (size_t)snprintf(others + used, sizeof others - used, "%s%s",
                                 i == 1 ? "; it can be converted to " : " and ",
                                 title_of(s->names[i]));
    return tn_error_because(error, TN_UNSUPPORTED, TN_REASON_NO_RULES,
                            TN_NOWHERE,
                            "cannot convert %s to %s: there are no rules for "
                            "this%s",
                            title_of(s->names[0]), title_of(to), others);
}

static bool find(struct search *s, const char *to,
                 const struct tn_rule_text *own, uint32_t own_count,
                 struct tn_dialect_path *path)
{
    struct tn_rule_text file;

    for (uint32_t at = 0; at < s->count; at++) {
        if (tn_is_same_dialect(s->names[at], to)) {
            write_path(s, at, path);
            return true;
        }
        for (uint32_t i = 0; i < own_count; i++)
            follow(s, at, &own[i]);
        for (uint32_t i = 0; tn_rules_builtin_at(i, &file); i++)
            follow(s, at, &file);
    }
    return false;
}

enum tn_status tn_dialect_path_find(struct tn_dialect_path *path,
                                    const char *from, const char *to,
                                    const struct tn_rule_text *own,
                                    uint32_t own_count, struct tn_error *error)
{
    struct search s = { .names = { from }, .count = 1 };

    return find(&s, to, own, own_count, path) ? TN_OK : refuse(&s, to, error);
}

void tn_dialect_path_detour(struct tn_dialect_path *path, const char *from,
                            const char *to, const struct tn_rule_text *own,
                            uint32_t own_count)
{
    struct search s = { .names = { from }, .count = 1, .not_at_once = to };

    path->steps = 0;
    find(&s, to, own, own_count, path);
}

void tn_dialect_path_join(struct tn_dialect_path       *path,
                          const struct tn_dialect_path *next)
{
    for (uint32_t i = 1; i <= next->steps && path->steps < TN_PATH_MAX; i++)
        path->dialects[++path->steps] = next->dialects[i];
}
