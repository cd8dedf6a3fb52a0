/*
 * net_bench.h - one net, set up and torn down, for tests of what is done to it
 */
#ifndef TN_TESTS_NET_BENCH_H
#define TN_TESTS_NET_BENCH_H

#include "map/net/net_build.h"
#include "support/hostile.h"
#include "support/net_text.h"

struct bench {
    struct tn_budget budget;
    struct tn_error  error;
    struct tn_memory memory;
    struct tn_arena  arena;
    struct tn_net    net;
};

/* Without a graph, for who loads one. */
static inline void set_up_empty(struct bench *b, const char *dialect)
{
    struct tn_allocator allocator = { tn_budget_resize, &b->budget };

    b->budget = (struct tn_budget){ .left = UINT64_MAX };
    b->error  = (struct tn_error)TN_ERROR_INIT;
    tn_memory_init(&b->memory, &allocator, 0);
    tn_arena_init(&b->arena, &b->memory);
    tn_net_init(&b->net, &b->arena, dialect, &b->error);
}

static inline void set_up(struct bench *b, const char *dialect)
{
    set_up_empty(b, dialect);
    assert_int_equal(
        tn_net_add_graph(&b->net, TN_GRAPH_MAIN, tn_text("g"), TN_NONE), 0);
}

static inline void tear_down(struct bench *b)
{
    tn_net_done(&b->net);
    tn_arena_done(&b->arena);
    assert_int_equal(b->memory.used, 0);
    assert_int_equal(b->budget.blocks, 0);
}

static inline void assert_net(struct bench *b, const char *want)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_buffer text;

    tn_buffer_init(&text, &b->memory, &error);
    net_text_graph(&text, &b->net, 0);
    assert_string_equal(tn_buffer_string(&text), want);
    tn_buffer_done(&text);
}

static inline unsigned count_nodes(const struct tn_net *net, const char *type)
{
    unsigned count = 0;

    for (uint32_t i = 0; i < net->nodes.count; i++)
        if (!tn_net_node(net, i).is_removed &&
            tn_bytes_is(tn_net_node(net, i).op->type, type))
            count++;
    return count;
}

/* Takes what is left of the arena's block, but for `room` bytes. */
static inline void leave_room(struct tn_arena *arena, uint64_t room)
{
    uint64_t        left  = (uint64_t)(arena->end - arena->at);
    struct tn_error error = TN_ERROR_INIT;

    if (left > room)
        tn_arena_alloc(arena, left - room, 1, &error);
}

/* The n-th allocation of a change fails, for all n until it succeeds.  Pieces
 * of an arena's block are no allocations; so all of it begins again with more
 * and more room in the block, and each piece once is the one that needs
 * another. `want` is the net in the end, as text. */
static inline void survives_no_memory(const char *dialect,
                                      void (*fill)(struct tn_net *),
                                      enum tn_status (*change)(struct tn_net *),
                                      const char *want)
{
    for (uint64_t room = 0; room <= 2048; room += 40) {
        enum tn_status status = TN_NO_MEMORY;
        for (uint64_t n = 0; status != TN_OK; n++) {
            struct bench b;
            set_up(&b, dialect);
            fill(&b.net);
            leave_room(&b.arena, room);
            b.budget.left = n;
            status        = change(&b.net);
            assert_int_equal(status, b.error.status);
            assert_true(status == TN_OK || status == TN_NO_MEMORY);
            b.budget.left = UINT64_MAX;
            if (status == TN_OK)
                assert_net(&b, want);
            tear_down(&b);
        }
    }
}

#endif
