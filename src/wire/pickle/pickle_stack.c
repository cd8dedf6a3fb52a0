/* pickle_stack.c - the stack of the machine, its containers and its memo */
#include "wire/pickle/pickle_machine.h"

#include "base/arith.h"

#define MEMO_SLACK 256 /* how far a memo slot may be ahead of those in use */

/* ---- the stack ------------------------------------------------------------
 */

void tn_pickle_refuse(struct tn_pickle_machine *m, enum tn_status status,
                      const char *what)
{
    tn_fail_at(m->c, m->at, status, "%s", what);
}

struct tn_pickle *tn_pickle_make(struct tn_pickle_machine *m,
                                 enum tn_pickle_kind       kind)
{
    struct tn_pickle *value = tn_new(m->arena, struct tn_pickle, 1, m->error);

    if (value) {
        value->kind   = kind;
        value->offset = m->at;
    }
    return value;
}

void tn_pickle_push(struct tn_pickle_machine *m, struct tn_pickle *value)
{
    struct tn_pickle **slot =
        value ? tn_list_push(&m->stack, struct tn_pickle *, m->error) : NULL;

    if (slot)
        *slot = value;
}

struct tn_pickle *tn_pickle_push_new(struct tn_pickle_machine *m,
                                     enum tn_pickle_kind       kind)
{
    struct tn_pickle *value = tn_pickle_make(m, kind);

    tn_pickle_push(m, value);
    return value;
}

/* Values below the last mark belong to whoever set it. */
static uint64_t stack_floor(const struct tn_pickle_machine *m)
{
    return m->marks.count ? *tn_list_at(&m->marks, uint64_t, m->marks.count - 1)
                          : 0;
}

struct tn_pickle *tn_pickle_pop(struct tn_pickle_machine *m)
{
    if (m->stack.count == stack_floor(m)) {
        tn_pickle_refuse(m, TN_MALFORMED, "the stack is empty");
        return NULL;
    }
    return *tn_list_at(&m->stack, struct tn_pickle *, --m->stack.count);
}

struct tn_pickle *tn_pickle_top(struct tn_pickle_machine *m)
{
    struct tn_pickle *value = tn_pickle_pop(m);

    if (value)
        m->stack.count++;
    return value;
}

struct slice {
    struct tn_pickle **items;
    uint64_t           count;
};

/* What lies above some height of the stack, taken from it. */
static struct slice pop_from(struct tn_pickle_machine *m, uint64_t floor)
{
    uint64_t count = m->stack.count - floor;

    m->stack.count = floor;
    return count ? (struct slice){ tn_list_at(&m->stack, struct tn_pickle *,
                                              floor),
                                   count }
                 : (struct slice){ NULL, 0 };
}

void tn_pickle_push_mark(struct tn_pickle_machine *m)
{
    uint64_t *mark = tn_list_push(&m->marks, uint64_t, m->error);

    if (mark)
        *mark = m->stack.count;
}

/* What was pushed since the last mark, which is gone then. */
static struct slice pop_mark(struct tn_pickle_machine *m)
{
    if (m->marks.count == 0) {
        tn_pickle_refuse(m, TN_MALFORMED, "no mark on the stack");
        return (struct slice){ NULL, 0 };
    }
    return pop_from(m, *tn_list_at(&m->marks, uint64_t, --m->marks.count));
}

/* ---- containers -----------------------------------------------------------
 */

static bool make_room(struct tn_pickle_machine *m, struct tn_pickle *to,
                      uint64_t count)
{
    uint64_t room = to->as.list.room;

    if (count <= room - to->as.list.count)
        return true;
    room = tn_max(to->as.list.count + count, room * 2);
    const struct tn_pickle **items =
        tn_new(m->arena, const struct tn_pickle *, room, m->error);
    if (!items)
        return false;
    if (to->as.list.count)
        memcpy(items, to->as.list.items,
               (size_t)to->as.list.count * sizeof *items);
    to->as.list.items = items;
    to->as.list.room  = room;
    return true;
}

static void append(struct tn_pickle_machine *m, struct tn_pickle *to,
                   struct slice items)
{
    if (tn_failed(m->error) || !make_room(m, to, items.count))
        return;
    for (uint64_t i = 0; i < items.count; i++) {
        if (items.items[i]->kind == TN_PICKLE_NAME)
            tn_pickle_refuse(m, TN_UNSUPPORTED, "a name as a value");
        to->as.list.items[to->as.list.count++] = items.items[i];
    }
}

static void push_tuple(struct tn_pickle_machine *m, struct slice items)
{
    struct tn_pickle *tuple = tn_pickle_make(m, TN_PICKLE_TUPLE);

    if (!tuple || tn_failed(m->error) || !make_room(m, tuple, items.count))
        return;
    for (uint64_t i = 0; i < items.count; i++)
        tuple->as.list.items[tuple->as.list.count++] = items.items[i];
    tn_pickle_push(m, tuple);
}

void tn_pickle_push_tuple(struct tn_pickle_machine *m)
{
    push_tuple(m, pop_mark(m));
}

void tn_pickle_push_short_tuple(struct tn_pickle_machine *m, uint64_t count)
{
    if (m->stack.count - stack_floor(m) < count) {
        tn_pickle_refuse(m, TN_MALFORMED, "the stack is empty");
        return;
    }
    m->stack.count -= count;
    push_tuple(
        m, (struct slice){ (struct tn_pickle **)m->stack.items + m->stack.count,
                           count });
}

static void set_items(struct tn_pickle_machine *m, struct slice items)
{
    struct tn_pickle *dict = tn_pickle_top(m);

    if (!dict)
        return;
    if (dict->kind != TN_PICKLE_DICT || items.count % 2) {
        tn_pickle_refuse(m, TN_MALFORMED,
                         "items for something that is not a dict");
        return;
    }
    for (uint64_t i = 0; i < items.count; i += 2) {
        if (items.items[i]->kind == TN_PICKLE_NONE ||
            items.items[i]->kind > TN_PICKLE_TUPLE)
            tn_pickle_refuse(m, TN_UNSUPPORTED,
                             "a key that is neither a number nor a string");
    }
    append(m, dict, items);
}

void tn_pickle_set_items(struct tn_pickle_machine *m)
{
    set_items(m, pop_mark(m));
}

void tn_pickle_set_item(struct tn_pickle_machine *m)
{
    if (m->stack.count - stack_floor(m) < 3) {
        tn_pickle_refuse(m, TN_MALFORMED, "the stack is empty");
        return;
    }
    set_items(m, pop_from(m, m->stack.count - 2));
}

static void append_items(struct tn_pickle_machine *m, struct slice items)
{
    struct tn_pickle *list = tn_pickle_top(m);

    if (!list)
        return;
    if (list->kind != TN_PICKLE_LIST)
        tn_pickle_refuse(m, TN_MALFORMED,
                         "items for something that is not a list");
    append(m, list, items);
}

void tn_pickle_append_items(struct tn_pickle_machine *m)
{
    append_items(m, pop_mark(m));
}

void tn_pickle_append_item(struct tn_pickle_machine *m)
{
    struct tn_pickle *item = tn_pickle_pop(m);

    if (item)
        append_items(m, (struct slice){ &item, 1 });
}

/* ---- the memo -------------------------------------------------------------
 */

void tn_pickle_memoize(struct tn_pickle_machine *m, uint64_t slot)
{
    struct tn_pickle *value = tn_pickle_top(m);

    if (!value)
        return;
    if (slot > m->memoized + MEMO_SLACK) {
        tn_fail_at(m->c, m->at, TN_LIMIT,
                   "memo slot %" PRIu64 " when %" PRIu64 " are in use", slot,
                   m->memoized);
        return;
    }
    if (slot >= m->memo.count &&
        !tn_list_grow(&m->memo, slot + 1 - m->memo.count, m->error))
        return;
    *tn_list_at(&m->memo, struct tn_pickle *, slot) = value;
    m->memoized++;
}

/* A container holds others; used twice, a few of them unfold to any size. */
static bool is_sharable(const struct tn_pickle *value)
{
    if (value->kind == TN_PICKLE_LIST || value->kind == TN_PICKLE_DICT)
        return false;
    if (value->kind != TN_PICKLE_TUPLE)
        return true;
    for (uint64_t i = 0; i < value->as.list.count; i++) {
        enum tn_pickle_kind kind = value->as.list.items[i]->kind;
        if (kind == TN_PICKLE_LIST || kind == TN_PICKLE_DICT ||
            kind == TN_PICKLE_TUPLE)
            return false;
    }
    return true;
}

void tn_pickle_fetch(struct tn_pickle_machine *m, uint64_t slot)
{
    struct tn_pickle *value =
        slot < m->memo.count ? *tn_list_at(&m->memo, struct tn_pickle *, slot)
                             : NULL;

    if (tn_failed(m->error))
        return;
    if (!value)
        tn_fail_at(m->c, m->at, TN_MALFORMED, "memo slot %" PRIu64 " is empty",
                   slot);
    else if (!is_sharable(value))
        tn_pickle_refuse(m, TN_UNSUPPORTED, "one container in two places");
    else
        tn_pickle_push(m, value);
}
