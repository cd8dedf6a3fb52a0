/*
 * riegeli_size_test.c - records past 4 GiB, and how little of a file is read
 *
 * The file is one that keeps holes: only what is not zeros takes memory.
 */
#include "support/hostile.h"

#include "base/arith.h"
#include "wire/riegeli/riegeli_write.h"

#define HUGE_SIZE ((UINT64_C(5) << 30) + 3)

struct extent {
    uint64_t offset;
    size_t   size;
    uint8_t *bytes;
};

struct holed {
    struct tn_sink   sink; /* first */
    struct tn_source source;
    struct tn_arena  arena;
    struct tn_list   extents;
    uint64_t         read_bytes, read_count;
};

static struct tn_memory memory;
static struct tn_error  error;

static enum tn_status holed_write(struct tn_sink *sink, struct tn_bytes bytes,
                                  struct tn_error *complaint)
{
    struct holed  *file = (struct holed *)sink;
    struct extent *extent =
        tn_list_push(&file->extents, struct extent, complaint);

    if (!extent)
        return complaint->status;
    *extent = (struct extent){ sink->offset, bytes.size,
                               tn_arena_alloc(&file->arena, bytes.size, 1,
                                              complaint) };
    if (extent->bytes)
        memcpy(extent->bytes, bytes.data, bytes.size);
    return complaint->status;
}

static enum tn_status holed_zeros(struct tn_sink *sink, uint64_t count,
                                  struct tn_error *complaint)
{
    (void)sink;
    (void)count;
    return complaint->status;
}

/* The first extent that ends after `offset`. */
static uint64_t find_extent(const struct tn_list *extents, uint64_t offset)
{
    uint64_t low = 0, high = extents->count;

    while (low < high) {
        uint64_t       middle = low + (high - low) / 2;
        struct extent *extent = tn_list_at(extents, struct extent, middle);
        if (extent->offset + extent->size <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static enum tn_status holed_read_at(struct tn_source *source, uint64_t offset,
                                    void *to, size_t size,
                                    struct tn_error *complaint)
{
    struct holed *file =
        (struct holed *)((uint8_t *)source - offsetof(struct holed, source));

    file->read_bytes += size;
    file->read_count++;
    memset(to, 0, size);
    for (uint64_t i = find_extent(&file->extents, offset);
         i < file->extents.count; i++) {
        struct extent *e = tn_list_at(&file->extents, struct extent, i);
        if (e->offset >= offset + size)
            break;
        uint64_t begin = tn_max(e->offset, offset);
        uint64_t end   = tn_min(e->offset + e->size, offset + size);
        memcpy((uint8_t *)to + (begin - offset), e->bytes + (begin - e->offset),
               (size_t)(end - begin));
    }
    return complaint->status;
}

static void holed_close(struct tn_source *source)
{
    (void)source;
}

static void holed_init(struct holed *file)
{
    static const struct tn_sink_ops   to   = { .write = holed_write,
                                               .zeros = holed_zeros };
    static const struct tn_source_ops from = { holed_read_at, holed_close };

    *file = (struct holed){
        .sink   = { .ops = &to },
        .source = { .ops = &from, .name = "", .memory = &memory },
    };
    tn_arena_init(&file->arena, &memory);
    tn_arena_init(&file->source.pins, &memory);
    tn_list_init(&file->extents, &memory, sizeof(struct extent));
}

static enum tn_status produce_zeros(const struct tn_producer *producer,
                                    struct tn_sink           *to,
                                    struct tn_error          *complaint)
{
    return tn_sink_zeros(to, producer->length, complaint);
}

/* "first", a record past 4 GiB, "last". */
static void write_huge(struct holed *file, uint64_t positions[3])
{
    static const struct tn_producer zeros   = { produce_zeros, HUGE_SIZE };
    struct tn_riegeli_options       options = { .workers = 1 };
    struct tn_riegeli_writer        w;
    struct tn_arena                 arena;
    struct tn_rope                  rope;

    tn_arena_init(&arena, &memory);
    tn_rope_init(&rope, &arena, &error);
    tn_rope_producer(&rope, &zeros);
    tn_riegeli_writer_init(&w, &file->sink, &options, &memory, &error);
    tn_riegeli_add(&w, tn_text("first"));
    tn_riegeli_add_rope(&w, &rope);
    tn_riegeli_add(&w, tn_text("last"));
    for (uint64_t i = 0; i < 3; i++)
        tn_riegeli_position_of(&w, i, &positions[i]);
    assert_int_equal(tn_riegeli_finish(&w), TN_OK);
    tn_riegeli_writer_done(&w);
    tn_rope_done(&rope);
    tn_arena_done(&arena);
    file->source.size = file->sink.offset;
}

static void expect_text(const struct tn_riegeli_record *record,
                        const char                     *text)
{
    uint8_t bytes[8] = { 0 };

    assert_int_equal(record->bytes.length, strlen(text));
    tn_source_read(record->bytes.source, record->bytes.offset, bytes,
                   (size_t)record->bytes.length, &error);
    assert_memory_equal(bytes, text, strlen(text));
}

static void five_gigabytes(void **state)
{
    struct tn_riegeli_record record;
    struct tn_riegeli        riegeli;
    struct tn_riegeli_walk   walk;
    struct holed             file;
    uint64_t                 positions[3];

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    error = (struct tn_error)TN_ERROR_INIT;
    holed_init(&file);
    write_huge(&file, positions);
    assert_true(positions[2] > HUGE_SIZE);

    assert_int_equal(tn_riegeli_open(&riegeli, &file.source, &memory, &error),
                     TN_OK);
    tn_riegeli_walk_init(&walk, &riegeli, &error);
    file.read_bytes = file.read_count = 0;
    assert_true(tn_riegeli_last(&walk, &record));
    expect_text(&record, "last");
    assert_int_equal(tn_riegeli_position(&record), positions[2]);
    assert_true(file.read_bytes < 1000 && file.read_count < 20);

    assert_int_equal(tn_riegeli_seek(&walk, positions[0]), TN_OK);
    assert_true(tn_riegeli_next(&walk, &record));
    expect_text(&record, "first");
    uint64_t before = memory.used;
    assert_true(tn_riegeli_next(&walk, &record));
    assert_int_equal(record.bytes.length, HUGE_SIZE);
    assert_int_equal(tn_riegeli_position(&record), positions[1]);
    assert_true(memory.used < before + 65536); /* it is where it was */
    assert_true(tn_riegeli_next(&walk, &record));
    expect_text(&record, "last");
    assert_false(tn_riegeli_next(&walk, &record));
    assert_int_equal(error.status, TN_OK);

    tn_riegeli_walk_done(&walk);
    tn_source_close(&file.source);
    tn_arena_done(&file.arena);
    tn_list_done(&file.extents);
    assert_int_equal(memory.used, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(five_gigabytes) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
