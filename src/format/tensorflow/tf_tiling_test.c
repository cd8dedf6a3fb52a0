/*
 * tf_tiling_test.c - random tilings of small boxes, put together again
 *
 * The tensor counts: its elements are 0, 1, 2, ... as bytes.  Each tile holds
 * its part of them, and the whole must count again.
 */
#include "base/buffer.h"
#include "format/tensorflow/tf_tiling.h"
#include "support/hostile.h"

#define RANK 3
#define MOST 64

struct box {
    uint64_t begin[RANK], dims[RANK];
};

static const uint64_t whole[RANK] = { 5, 4, 6 };

static struct tn_memory memory;
static struct tn_error  error;
static struct tn_arena  arena;
static uint32_t         seed;

static uint32_t any(uint32_t below)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 16) % below;
}

/* Cuts boxes in two until there are enough; some stay as they are. */
static unsigned cut_at_random(struct box *boxes, unsigned wanted)
{
    unsigned count = 1;

    boxes[0] = (struct box){ { 0 }, { whole[0], whole[1], whole[2] } };
    for (unsigned tries = 0; count < wanted && tries < 200; tries++) {
        struct box *b    = &boxes[any(count)];
        unsigned    axis = any(RANK);
        if (b->dims[axis] < 2)
            continue;
        uint64_t   at    = 1 + any((uint32_t)b->dims[axis] - 1);
        struct box right = *b;
        right.begin[axis] += at;
        right.dims[axis] -= at;
        b->dims[axis]  = at;
        boxes[count++] = right;
    }
    return count;
}

static void put_box(struct tn_buffer *to, const struct box *b)
{
    for (uint64_t x = 0; x < b->dims[0]; x++)
        for (uint64_t y = 0; y < b->dims[1]; y++)
            for (uint64_t z = 0; z < b->dims[2]; z++)
                tn_buffer_byte(to, (uint8_t)(((b->begin[0] + x) * whole[1] +
                                              b->begin[1] + y) *
                                                 whole[2] +
                                             b->begin[2] + z));
}

/* Tiles in any order, their elements in one source. */
static void make_tiles(struct tn_tf_tile *tiles, struct tn_tf_tile **order,
                       const struct box *boxes, unsigned count,
                       struct tn_source *source, struct tn_buffer *bytes)
{
    for (unsigned i = 0; i < count; i++) {
        struct tn_shape shape = { TN_UINT8, RANK, boxes[i].dims };
        struct tn_span  span  = { source, bytes->size, 0 };
        put_box(bytes, &boxes[i]);
        span.length = bytes->size - span.offset;
        tiles[i]    = (struct tn_tf_tile){ .begin    = boxes[i].begin,
                                           .elements = { .shape = shape } };
        tiles[i].elements.payload = tn_payload_raw(&shape, span, 1);
        order[i]                  = &tiles[i];
        unsigned           other  = any(i + 1);
        struct tn_tf_tile *last   = order[i];
        order[i]                  = order[other];
        order[other]              = last;
    }
    tn_source_memory(source, &memory, tn_buffer_bytes(bytes));
}

static void start(struct tn_buffer *bytes)
{
    tn_memory_init(&memory, NULL, 0);
    tn_arena_init(&arena, &memory);
    error = (struct tn_error)TN_ERROR_INIT;
    tn_buffer_init(bytes, &memory, &error);
}

static void finish(struct tn_source *source, struct tn_buffer *bytes)
{
    tn_source_close(source);
    tn_buffer_done(bytes);
    tn_arena_done(&arena);
    assert_int_equal(memory.used, 0);
}

static void expect_counting(struct tn_elements *all)
{
    struct tn_buffer out;
    uint64_t         count = whole[0] * whole[1] * whole[2];

    tn_buffer_init(&out, &memory, &error);
    tn_payload_stream(all, 0, count, &memory, &out.sink, &error);
    if (tn_failed(&error))
        fail_msg("%s", error.what);
    assert_int_equal(out.size, count);
    for (uint64_t i = 0; i < count; i++)
        assert_int_equal(out.data[i], i);
    tn_buffer_done(&out);
}

static void random_tilings_come_together(void **state)
{
    struct box         boxes[MOST];
    struct tn_tf_tile  tiles[MOST], *order[MOST];
    struct tn_source   source;
    struct tn_buffer   bytes;
    struct tn_elements all = { .shape = { TN_UINT8, RANK, whole } };

    (void)state;
    for (seed = 0; seed < 300; seed++) {
        uint32_t this_seed = seed;
        start(&bytes);
        unsigned count = cut_at_random(boxes, 1 + any(MOST - 1));
        make_tiles(tiles, order, boxes, count, &source, &bytes);
        tn_tf_join_tiles(&all.shape, order, count, &arena, 0, &all.payload,
                         &error);
        if (tn_failed(&error))
            fail_msg("%u tiles: %s", count, error.what);
        expect_counting(&all);
        finish(&source, &bytes);
        seed = this_seed;
    }
}

/* Moving one tile makes an overlap and a gap of the same size. */
static void a_moved_tile_is_noticed(void **state)
{
    struct box        boxes[MOST];
    struct tn_tf_tile tiles[MOST], *order[MOST];
    struct tn_source  source;
    struct tn_buffer  bytes;
    struct tn_shape   shape = { TN_UINT8, RANK, whole };
    struct tn_payload payload;

    (void)state;
    for (seed = 0; seed < 300; seed++) {
        uint32_t this_seed = seed;
        start(&bytes);
        unsigned    count = cut_at_random(boxes, 2 + any(MOST - 2));
        struct box *moved = &boxes[any(count)];
        unsigned    axis  = 0;
        while (axis < RANK && moved->dims[axis] == whole[axis])
            axis++;
        moved->begin[axis] += moved->begin[axis] > 0 ? UINT64_MAX : 1;
        make_tiles(tiles, order, boxes, count, &source, &bytes);
        tn_tf_join_tiles(&shape, order, count, &arena, 77, &payload, &error);
        if (error.status != TN_MALFORMED || error.offset != 77)
            fail_msg("seed %u: %u tiles: %s", this_seed, count, error.what);
        finish(&source, &bytes);
        seed = this_seed;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_tilings_come_together),
        cmocka_unit_test(a_moved_tile_is_noticed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
