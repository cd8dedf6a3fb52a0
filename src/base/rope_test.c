/* rope_test.c - pieces in order, neighbours joined, lengths known */
#include "base/rope.h"

#include "support/hostile.h"

/* A sink with nothing but `write`, which can fail at a byte. */
struct plain_sink {
    struct tn_sink sink;
    uint8_t        bytes[1 << 18];
    size_t         size, room;
    int            writes;
};

static enum tn_status plain_write(struct tn_sink *sink, struct tn_bytes bytes,
                                  struct tn_error *error)
{
    struct plain_sink *plain = (struct plain_sink *)sink;

    plain->writes++;
    if (bytes.size > plain->room - plain->size)
        return tn_error_set(error, TN_IO, TN_NOWHERE, "full");
    memcpy(plain->bytes + plain->size, bytes.data, bytes.size);
    plain->size += bytes.size;
    return TN_OK;
}

static struct plain_sink *plain_sink(size_t room)
{
    static const struct tn_sink_ops ops = { .write = plain_write };
    static struct plain_sink        plain;

    plain = (struct plain_sink){ .sink = { .ops = &ops }, .room = room };
    return &plain;
}

struct rig {
    struct tn_memory memory;
    struct tn_arena  arena;
    struct tn_error  error;
    struct tn_source source;
    struct tn_rope   rope;
};

static void set_up(struct rig *rig)
{
    rig->error = (struct tn_error)TN_ERROR_INIT;
    tn_memory_init(&rig->memory, NULL, 0);
    tn_arena_init(&rig->arena, &rig->memory);
    tn_source_memory(&rig->source, &rig->memory,
                     tn_text("0123456789abcdefghij"));
    tn_rope_init(&rig->rope, &rig->arena, &rig->error);
}

static void tear_down(struct rig *rig)
{
    tn_rope_done(&rig->rope);
    tn_source_close(&rig->source);
    tn_arena_done(&rig->arena);
    assert_int_equal(rig->memory.used, 0);
}

static void assert_writes(struct rig *rig, const char *text)
{
    struct plain_sink *plain = plain_sink(1000);
    struct tn_error    error = TN_ERROR_INIT;

    assert_int_equal(rig->rope.length, strlen(text));
    assert_int_equal(tn_rope_write(&rig->rope, &plain->sink, &error), TN_OK);
    assert_true(tn_bytes_is(tn_bytes(plain->bytes, plain->size), text));
    assert_int_equal(plain->sink.offset, strlen(text));
}

static enum tn_status produce_stars(const struct tn_producer *producer,
                                    struct tn_sink *to, struct tn_error *error)
{
    for (uint64_t i = 0; i < producer->length; i++)
        TN_TRY(tn_sink_write(to, tn_text("*"), error));
    return TN_OK;
}

static enum tn_status produce_too_little(const struct tn_producer *producer,
                                         struct tn_sink           *to,
                                         struct tn_error          *error)
{
    (void)producer;
    return tn_sink_write(to, tn_text("*"), error);
}

static void pieces_come_in_order(void **state)
{
    struct tn_producer stars  = { produce_stars, 3 };
    char               text[] = "copied";
    struct rig         rig;

    (void)state;
    set_up(&rig);
    tn_rope_bytes(&rig.rope, tn_text(text));
    text[0] = 'X';
    tn_rope_span(&rig.rope, (struct tn_span){ &rig.source, 2, 3 });
    tn_rope_producer(&rig.rope, &stars);
    tn_rope_borrow(&rig.rope, tn_text(text));
    assert_writes(&rig, "copied234***Xopied");
    assert_writes(&rig, "copied234***Xopied"); /* as often as you like */
    tear_down(&rig);
}

static void neighbours_are_joined(void **state)
{
    static const char text[] = "abcdef";
    struct rig        rig;

    (void)state;
    set_up(&rig);
    for (uint64_t i = 0; i < 10; i++)
        tn_rope_span(&rig.rope, (struct tn_span){ &rig.source, i * 2, 2 });
    assert_int_equal(rig.rope.pieces.count, 1);
    for (int i = 0; i < 100; i++)
        tn_rope_bytes(&rig.rope, tn_text("z"));
    assert_int_equal(rig.rope.pieces.count, 2);
    tn_rope_borrow(&rig.rope, tn_bytes(text, 3));
    tn_rope_borrow(&rig.rope, tn_bytes(text + 3, 3));
    assert_int_equal(rig.rope.pieces.count, 3);
    tn_rope_span(&rig.rope, (struct tn_span){ &rig.source, 0, 2 });
    tn_rope_span(&rig.rope, (struct tn_span){ &rig.source, 3, 2 }); /* a gap */
    assert_int_equal(rig.rope.pieces.count, 5);
    tear_down(&rig);
}

static void nothing_adds_nothing(void **state)
{
    struct tn_producer none = { produce_stars, 0 };
    struct rig         rig;

    (void)state;
    set_up(&rig);
    tn_rope_bytes(&rig.rope, tn_bytes(NULL, 0));
    tn_rope_borrow(&rig.rope, tn_bytes(NULL, 0));
    tn_rope_span(&rig.rope, (struct tn_span){ NULL, 0, 0 });
    tn_rope_producer(&rig.rope, &none);
    assert_int_equal(rig.rope.pieces.count, 0);
    assert_writes(&rig, "");
    tear_down(&rig);
}

static void appending_moves(void **state)
{
    struct rig     rig;
    struct tn_rope tail;

    (void)state;
    set_up(&rig);
    tn_rope_init(&tail, &rig.arena, &rig.error);
    tn_rope_span(&rig.rope, (struct tn_span){ &rig.source, 0, 4 });
    tn_rope_span(&tail, (struct tn_span){ &rig.source, 4, 4 });
    tn_rope_bytes(&tail, tn_text("!"));
    tn_rope_append(&rig.rope, &tail);
    assert_int_equal(tail.length, 0);
    assert_int_equal(tail.pieces.count, 0);
    assert_int_equal(rig.rope.pieces.count, 2); /* joined at the seam */
    assert_writes(&rig, "01234567!");
    tn_rope_done(&tail);
    tear_down(&rig);
}

/* A tail that is incomplete makes the whole incomplete. */
static void a_failed_tail_fails_the_rope(void **state)
{
    struct tn_error tails = TN_ERROR_INIT;
    struct rig      rig;
    struct tn_rope  tail;

    (void)state;
    set_up(&rig);
    tn_rope_init(&tail, &rig.arena, &tails);
    tn_rope_bytes(&tail, tn_text("half"));
    (void)tn_error_set(&tails, TN_LIMIT, TN_NOWHERE, "no room");
    tn_rope_append(&rig.rope, &tail);
    assert_int_equal(rig.error.status, TN_LIMIT);
    tn_rope_done(&tail);
    tear_down(&rig);
}

static void lengths_may_not_wrap(void **state)
{
    struct tn_producer huge  = { produce_stars, UINT64_MAX };
    struct tn_error    error = TN_ERROR_INIT;
    struct rig         rig;

    (void)state;
    set_up(&rig);
    tn_rope_bytes(&rig.rope, tn_text("12"));
    tn_rope_producer(&rig.rope, &huge);
    assert_int_equal(rig.error.status, TN_LIMIT);
    assert_int_equal(rig.rope.length, 2);
    tn_rope_bytes(&rig.rope, tn_text("34")); /* sticky */
    assert_int_equal(rig.rope.length, 2);
    struct plain_sink *plain = plain_sink(1000);
    assert_int_equal(tn_rope_write(&rig.rope, &plain->sink, &error), TN_LIMIT);
    assert_int_equal(plain->writes, 0);
    tear_down(&rig);
}

static void a_producer_must_keep_its_word(void **state)
{
    struct tn_producer liar  = { produce_too_little, 2 };
    struct tn_error    error = TN_ERROR_INIT;
    struct rig         rig;

    (void)state;
    set_up(&rig);
    tn_rope_producer(&rig.rope, &liar);
    assert_int_equal(tn_rope_write(&rig.rope, &plain_sink(10)->sink, &error),
                     TN_MALFORMED);
    assert_string_equal(error.what, "a payload of 2 bytes gave 1");
    tear_down(&rig);
}

static void every_write_can_fail(void **state)
{
    struct tn_producer stars = { produce_stars, 3 };
    struct rig         rig;

    (void)state;
    set_up(&rig);
    tn_rope_bytes(&rig.rope, tn_text("head"));
    tn_rope_span(&rig.rope, (struct tn_span){ &rig.source, 0, 5 });
    tn_rope_producer(&rig.rope, &stars);
    for (size_t room = 0; room < 12; room++) {
        struct tn_error    error = TN_ERROR_INIT;
        struct plain_sink *plain = plain_sink(room);
        assert_int_equal(tn_rope_write(&rig.rope, &plain->sink, &error), TN_IO);
        assert_int_equal(plain->sink.offset, plain->size);
    }
    tear_down(&rig);
}

static enum tn_status build(struct tn_bytes input, struct tn_memory *memory,
                            struct tn_error *error)
{
    struct tn_arena arena;
    struct tn_rope  rope;

    (void)input;
    tn_arena_init(&arena, memory);
    tn_rope_init(&rope, &arena, error);
    for (int i = 0; i < 100; i++) {
        tn_rope_bytes(&rope, tn_text("some bytes of our own"));
        tn_rope_borrow(&rope, tn_text("and some borrowed"));
    }
    tn_rope_done(&rope);
    tn_arena_done(&arena);
    return error->status;
}

static void every_allocation_fails_once(void **state)
{
    (void)state;
    tn_survives_no_memory(build, tn_bytes(NULL, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_come_in_order),
        cmocka_unit_test(neighbours_are_joined),
        cmocka_unit_test(nothing_adds_nothing),
        cmocka_unit_test(appending_moves),
        cmocka_unit_test(a_failed_tail_fails_the_rope),
        cmocka_unit_test(lengths_may_not_wrap),
        cmocka_unit_test(a_producer_must_keep_its_word),
        cmocka_unit_test(every_write_can_fail),
        cmocka_unit_test(every_allocation_fails_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
