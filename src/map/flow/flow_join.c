/*
 * flow_join.c - Merges of one decision become outputs of one If
 *
 * flow_survey.c groups Merges of a decision by depth, which is always right,
 * but tells apart the outputs of an If when one of them comes from an If in its
 * branch and another does not.  Here groups of one decision become one when
 * neither waits for the other, however far apart: an If waits for all that any
 * of its outputs wants, a Loop for all of its variables.
 */
#include "map/flow/flow_raise.h"

/* How many nodes may be looked at, for each that there is. */
enum { LOOKS_PER_NODE = 32 };

struct joining {
    struct tn_raising *r;
    struct tn_list     seen;  /* uint32_t by node: in which search            */
    struct tn_list     stack; /* uint32_t: nodes                              */
    struct tn_list     same;  /* uint32_t by group: the one before of the same
                                 decision, + 1                                */
    uint32_t search;
    uint64_t looks;
};

static struct tn_raise_group *group_at(const struct joining *j, uint32_t group)
{
    return tn_list_at(&j->r->groups, struct tn_raise_group, group);
}

static const struct tn_raise_member *member_at(const struct joining *j,
                                               uint32_t              number)
{
    return tn_list_at(&j->r->members, struct tn_raise_member, number - 1);
}

/* ---- who waits for whom ------------------------------------------------- */

static void look_at(struct joining *j, uint32_t node)
{
    if (node == TN_NONE || node >= j->seen.count)
        return;
    uint32_t *seen = tn_list_at(&j->seen, uint32_t, node);
    if (*seen == j->search)
        return;
    *seen = j->search;
    j->looks++;
    tn_raise_push(j->r, &j->stack, node);
}

static void look_behind(struct joining *j, uint32_t id)
{
    const struct tn_net_node node = tn_net_node(j->r->net, id);

    for (uint32_t i = 0; i < node.input_count; i++)
        look_at(j, tn_raise_producer(j->r, node.inputs[i]));
}

/* All variables of its frame. */
static void look_round(struct joining *j, uint32_t merge)
{
    const struct tn_guard *guard =
        tn_guard_at(&j->r->guards, tn_raise_guard(j->r, merge));
    const uint32_t *first = j->r->frame_first.items;

    if (!guard->is_frame ||
        guard->what + UINT64_C(1) >= j->r->frame_first.count)
        return;
    for (uint32_t i = first[guard->what]; i < first[guard->what + 1]; i++)
        look_at(j, *tn_list_at(&j->r->variables, uint32_t, i));
}

static void look_at_group(struct joining *j, uint32_t group)
{
    for (uint32_t m = group_at(j, group)->first; m; m = member_at(j, m)->next)
        look_at(j, member_at(j, m)->node);
}

static bool waits_for(struct joining *j, uint32_t group, uint32_t other)
{
    struct tn_raising *r = j->r;

    j->search++;
    j->stack.count = 0;
    look_at_group(j, group);
    for (uint64_t i = 0; i < j->stack.count && !tn_failed(r->net->error); i++) {
        uint32_t node = *tn_list_at(&j->stack, uint32_t, i);
        uint32_t of   = *tn_list_at(&r->group, uint32_t, node);
        if (of == other + 1)
            return true;
        if (of && of != group + 1)
            look_at_group(j, of - 1);
        else if (!of && tn_raise_kind(r, node) == TN_FLOW_MERGE)
            look_round(j, node);
        look_behind(j, node);
    }
    return false;
}

/* ---- making one of two -------------------------------------------------- */

static void join(struct joining *j, uint32_t group, uint32_t other)
{
    uint32_t last = 0;

    for (uint32_t m = group_at(j, other)->first; m; m = member_at(j, m)->next) {
        *tn_list_at(&j->r->group, uint32_t, member_at(j, m)->node) = group + 1;
        last                                                       = m;
    }
    if (!last)
        return;
    tn_list_at(&j->r->members, struct tn_raise_member, last - 1)->next =
        group_at(j, group)->first;
    group_at(j, group)->first = group_at(j, other)->first;
    group_at(j, other)->first = 0;
}

/* With the first one before it that it need not wait for. */
static void join_one(struct joining *j, uint32_t group)
{
    uint64_t most = LOOKS_PER_NODE * j->r->old_count;

    for (uint32_t before = *tn_list_at(&j->same, uint32_t, group);
         before && j->looks < most && !tn_failed(j->r->net->error);
         before = *tn_list_at(&j->same, uint32_t, before - 1)) {
        if (!group_at(j, before - 1)->first ||
            waits_for(j, group, before - 1) || waits_for(j, before - 1, group))
            continue;
        join(j, before - 1, group);
        return;
    }
}

/* `last` is by the first group of a decision: the one that was met last, + 1.
 */
static void note_same(struct joining *j)
{
    struct tn_raising *r = j->r;
    struct tn_pairs    firsts;
    struct tn_list     last;

    tn_pairs_init(&firsts, r->net->arena->memory);
    tn_list_init(&last, r->net->arena->memory, sizeof(uint32_t));
    tn_list_grow(&last, r->groups.count, r->net->error);
    for (uint32_t i = 0; i < r->groups.count && !tn_failed(r->net->error);
         i++) {
        const struct tn_raise_group *group = group_at(j, i);
        uint32_t first = tn_pairs_add(&firsts, group->above, group->condition,
                                      i, r->net->error);
        if (first == UINT32_MAX)
            break;
        *tn_list_at(&j->same, uint32_t, i) =
            *tn_list_at(&last, uint32_t, first);
        *tn_list_at(&last, uint32_t, first) = i + 1;
    }
    tn_list_done(&last);
    tn_pairs_done(&firsts);
}

enum tn_status tn_raise_join(struct tn_raising *r)
{
    struct joining    j      = { .r = r };
    struct tn_memory *memory = r->net->arena->memory;

    if (r->groups.count < 2)
        return TN_OK;
    tn_list_init(&j.seen, memory, sizeof(uint32_t));
    tn_list_init(&j.stack, memory, sizeof(uint32_t));
    tn_list_init(&j.same, memory, sizeof(uint32_t));
    if (tn_list_grow(&j.seen, r->old_count, r->net->error) &&
        tn_list_grow(&j.same, r->groups.count, r->net->error)) {
        note_same(&j);
        for (uint32_t i = 1; i < r->groups.count && !tn_failed(r->net->error);
             i++)
            join_one(&j, i);
    }
    tn_list_done(&j.seen);
    tn_list_done(&j.stack);
    tn_list_done(&j.same);
    return r->net->error->status;
}
