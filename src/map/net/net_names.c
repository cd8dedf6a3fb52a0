/*
 * net_names.c - names of the values of a net
 *
 * Names that come with a model are in its own table: a bit for each says
 * whether a value has taken it, and no second table is made of a million texts
 * that are known to differ.  All others are in the table of the net.
 */
#include "map/net/net_build.h"

#include <inttypes.h>

void tn_net_names_init(struct tn_net_names *names, struct tn_arena *arena)
{
    names->given       = NULL;
    names->given_count = 0;
    names->taken       = NULL;
    tn_intern_init(&names->table, arena);
    tn_pairs_init(&names->tries, arena->memory);
    tn_list_init(&names->numbers, arena->memory, sizeof(uint32_t));
}

void tn_net_names_done(struct tn_net_names *names)
{
    tn_intern_done(&names->table);
    tn_pairs_done(&names->tries);
    tn_list_done(&names->numbers);
}

enum tn_status tn_net_give_names(struct tn_net          *net,
                                 const struct tn_intern *given)
{
    uint64_t *taken = tn_new(net->arena, uint64_t,
                             tn_intern_count(given) / 64 + 1, net->error);

    if (taken) {
        net->pool->names.given       = given;
        net->pool->names.given_count = tn_intern_count(given);
        net->pool->names.taken       = taken;
    }
    return net->error->status;
}

/* False if it was taken before. */
static bool take_given(struct tn_net_names *names, uint32_t id)
{
    uint64_t *word = &names->taken[id / 64], bit = UINT64_C(1) << id % 64;
    bool      is_free = !(*word & bit);

    *word |= bit;
    return is_free;
}

/* Of the table, after the given ones. */
static uint32_t number(struct tn_net *net, uint32_t id)
{
    uint32_t given = net->pool->names.given_count;

    if (id < TN_NO_NAME - given)
        return id + given;
    if (id != TN_NO_NAME)
        tn_error_set(net->error, TN_LIMIT, TN_NOWHERE, "more than 2^32 names");
    return TN_NO_NAME;
}

/* Takes the name if it is free; else returns the id of its owner. */
static bool take(struct tn_net *net, struct tn_bytes name, bool is_borrowed,
                 uint32_t *id)
{
    struct tn_net_names *names  = &net->pool->names;
    uint32_t             before = tn_intern_count(&names->table);

    *id = names->given ? tn_intern_find(names->given, name) : TN_NO_NAME;
    if (*id != TN_NO_NAME)
        return take_given(names, *id);
    *id = is_borrowed ? tn_intern_borrow(&names->table, name, net->error)
                      : tn_intern_copy(&names->table, name, net->error);
    bool is_free = *id >= before;
    *id          = number(net, *id);
    return is_free;
}

/* "wish_12"; printf takes as long as all the rest of a name.  Empty on failure.
 */
static struct tn_bytes with_number(struct tn_net *net, struct tn_bytes wish,
                                   uint32_t number)
{
    char     digits[12];
    char    *at = digits + sizeof digits;
    uint8_t *text;

    do
        *--at = (char)('0' + number % 10);
    while (number /= 10);
    *--at       = '_';
    size_t size = (size_t)(digits + sizeof digits - at);
    text = tn_arena_take(net->arena, wish.size + size + 1, 1, net->error);
    if (!text)
        return tn_bytes(NULL, 0);
    memcpy(text, wish.data, wish.size);
    memcpy(text + wish.size, at, size);
    text[wish.size + size] = '\0';
    return tn_bytes(text, wish.size + size);
}

/* The last number that was made for a name; NULL on failure. */
static uint32_t *last_number(struct tn_net *net, uint32_t id)
{
    struct tn_net_names *names = &net->pool->names;
    uint32_t             next  = (uint32_t)names->numbers.count;
    uint32_t at = tn_pairs_add(&names->tries, id, 0, next, net->error);

    if (at == TN_NONE)
        return NULL;
    return at < next ? tn_list_at(&names->numbers, uint32_t, at)
                     : tn_list_push(&names->numbers, uint32_t, net->error);
}

/* wish_1, wish_2...: each wish remembers how far it got, so that a million
 * equal ones cost no more than different ones. */
static uint32_t numbered(struct tn_net *net, uint32_t id, struct tn_bytes wish)
{
    uint32_t *last = last_number(net, id), made;

    while (last) {
        struct tn_bytes text = with_number(net, wish, ++*last);
        if (!text.size)
            return TN_NO_NAME;
        if (take(net, text, true, &made))
            return made;
    }
    return TN_NO_NAME;
}

static uint32_t unique(struct tn_net *net, struct tn_bytes wish)
{
    struct tn_bytes name = wish.size ? wish : tn_text("v");
    uint32_t        id;

    return take(net, name, false, &id) ? id : numbered(net, id, name);
}

struct tn_bytes tn_net_name(struct tn_net *net, struct tn_bytes wish)
{
    return tn_net_text(net, unique(net, wish));
}

void tn_net_rename(struct tn_net *net, uint32_t value, struct tn_bytes wish)
{
    tn_net_value_row(net, value)->name = unique(net, wish);
}

void tn_net_swap_names(struct tn_net *net, uint32_t a, uint32_t b)
{
    uint32_t name = tn_net_value_row(net, a)->name;

    tn_net_value_row(net, a)->name = tn_net_value_row(net, b)->name;
    tn_net_value_row(net, b)->name = name;
}

void tn_net_name_as_given(struct tn_net *net, uint32_t value, uint32_t id)
{
    struct tn_bytes name    = tn_net_text(net, id);
    bool            is_free = name.size && take_given(&net->pool->names, id);

    if (is_free)
        tn_net_value_row(net, value)->name = id;
    else
        tn_net_rename(net, value, name);
}

uint32_t tn_net_keep_name(struct tn_net *net, struct tn_bytes name)
{
    struct tn_bytes kept = { NULL, 0 };

    if (name.size)
        kept = tn_bytes_dup(net->arena, name, net->error);
    if (!kept.size)
        return TN_NO_NAME;
    return number(net,
                  tn_intern_append(&net->pool->names.table, kept, net->error));
}
