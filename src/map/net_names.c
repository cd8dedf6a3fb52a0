/*
 * net_names.c - what the values of a net are called
 *
 * Names that come with a model are in its own table: a bit for each says
 * whether a value has taken it, and no second table is made of a million texts
 * that are known to differ.  All others are in the table of the net.
 */
#include "map/net.h"

#include <inttypes.h>

void tn_net_names_init(struct tn_net_names *names, struct tn_arena *arena)
{
    names->given = NULL;
    names->taken = NULL;
    tn_intern_init(&names->table, arena);
    tn_list_init(&names->tries, arena->memory, sizeof(uint32_t));
}

void tn_net_names_done(struct tn_net_names *names)
{
    tn_intern_done(&names->table);
    tn_list_done(&names->tries);
}

enum tn_status tn_net_give_names(struct tn_net          *net,
                                 const struct tn_intern *given)
{
    uint64_t *taken = tn_new(net->arena, uint64_t,
                             tn_intern_count(given) / 64 + 1, net->error);

    if (taken) {
        net->names.given = given;
        net->names.taken = taken;
    }
    return net->error->status;
}

void tn_net_move_names(struct tn_net *to, struct tn_net *from)
{
    tn_net_names_done(&to->names);
    to->names = from->names;
    tn_net_names_init(&from->names, from->arena);
}

/* False: somebody had it before. */
static bool take_given(struct tn_net_names *names, uint32_t id)
{
    uint64_t *word = &names->taken[id / 64], bit = UINT64_C(1) << id % 64;
    bool      is_free = !(*word & bit);

    *word |= bit;
    return is_free;
}

/* Takes the name if it is free. */
static bool take(struct tn_net *net, struct tn_bytes *name, bool is_borrowed)
{
    struct tn_net_names *names  = &net->names;
    uint32_t             before = tn_intern_count(&names->table);
    uint32_t             id =
        names->given ? tn_intern_find(names->given, *name) : TN_NO_NAME;

    if (id != TN_NO_NAME) {
        *name = tn_intern_text(names->given, id);
        return take_given(names, id);
    }
    id    = is_borrowed ? tn_intern_borrow(&names->table, *name, net->error)
                        : tn_intern_copy(&names->table, *name, net->error);
    *name = tn_intern_text(&names->table, id);
    return id == TN_NO_NAME || id >= before;
}

/* wish_1, wish_2...: each wish remembers how far it got, so that a million
 * equal ones cost no more than different ones. */
static struct tn_bytes numbered(struct tn_net *net, struct tn_bytes wish)
{
    struct tn_list *tries = &net->names.tries;
    uint32_t        id    = tn_intern_copy(&net->names.table, wish, net->error);

    if (id == TN_NO_NAME ||
        (id >= tries->count &&
         !tn_list_grow(tries, id + 1 - tries->count, net->error)))
        return wish;
    for (;;) {
        uint32_t n    = ++*tn_list_at(tries, uint32_t, id);
        char    *text = tn_text_format(net->arena, net->error, "%.*s_%" PRIu32,
                                       TN_FMT(wish), n);
        if (!text)
            return wish;
        struct tn_bytes name = tn_text(text);
        if (take(net, &name, true))
            return name;
    }
}

struct tn_bytes tn_net_name(struct tn_net *net, struct tn_bytes wish)
{
    struct tn_bytes name = wish.size ? wish : tn_text("v");

    return take(net, &name, false) ? name : numbered(net, name);
}

struct tn_bytes tn_net_given_name(struct tn_net *net, uint32_t id)
{
    struct tn_bytes name = tn_intern_text(net->names.given, id);

    if (!name.size)
        return tn_net_name(net, name);
    return take_given(&net->names, id) ? name : numbered(net, name);
}
