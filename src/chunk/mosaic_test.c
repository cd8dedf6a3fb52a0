/*
 * mosaic_test.c - tiles: what a path finds or makes, what is set, and what is
 * taken out
 *
 * A row is a message of text, one thing that is done to it, and the text of
 * what is left and of what was taken.
 */
#include "support/hostile.h"

#include "chunk/the_judge_testing.h"
#include "chunk/mosaic_index.h"
#include "io/rope_source.h"
#include "wire/pb/pb_text_write.h"

/* ---- one message --------------------------------------------------------- */

struct table {
    struct tn_error   error;
    struct tn_arena   arena;
    struct tn_mosaics all;
    struct tn_buffer  bytes;
    struct tn_source  source;
    struct tn_mosaic *m;
};

/* The message of a text, on the table. */
static void lay(struct table *t, const struct tn_pb_message *type,
                const char *text, struct tn_memory *memory)
{
    t->error = (struct tn_error)TN_ERROR_INIT;
    judge_encode(&judge,
                 strncmp(type->full_name, "new", 3) ? &judge.testdata
                                                    : &judge.new,
                 type->full_name, text, &t->bytes);
    tn_arena_init(&t->arena, memory);
    tn_mosaics_init(&t->all, &t->arena, &t->error);
    tn_source_memory(&t->source, memory, tn_buffer_bytes(&t->bytes));
    t->m = tn_mosaic_new(&t->all, type);
    if (t->m)
        tn_mosaic_merge(t->m, (struct tn_span){ &t->source, 0, t->bytes.size });
}

static void clear(struct table *t)
{
    tn_source_close(&t->source);
    tn_mosaics_done(&t->all);
    tn_arena_done(&t->arena);
    tn_buffer_done(&t->bytes);
}

/* The text of a rope. */
static void print(struct table *t, const struct tn_pb_message *type,
                  struct tn_rope *rope, char *to, size_t size)
{
    struct tn_source *joined = NULL;
    struct tn_buffer  text;

    tn_buffer_init(&text, &judge.memory, &t->error);
    tn_source_rope(&joined, &judge.memory, rope, "", &t->error);
    tn_pb_text_write(type, (struct tn_span){ joined, 0, joined->size },
                     &text.sink, &judge.memory, &t->error);
    assert_string_equal(t->error.what, "");
    snprintf(to, size, "%s", tn_buffer_string(&text));
    size_t used = 0; /* all on one line, one space between words */
    for (const char *at = to; *at; at++)
        if (*at != ' ' && *at != '\n')
            to[used++] = *at;
        else if (used && to[used - 1] != ' ')
            to[used++] = ' ';
    to[used] = '\0';
    tn_source_close(joined);
    tn_buffer_done(&text);
}

static void assert_left(struct table *t, const char *name, const char *want)
{
    struct tn_rope rope;
    char           text[1000];

    tn_rope_init(&rope, &t->arena, &t->error);
    tn_mosaic_write(t->m, &rope);
    assert_int_equal(rope.length, tn_mosaic_size(t->m));
    print(t, t->m->type, &rope, text, sizeof text);
    if (strcmp(text, want))
        fail_msg("%s: %s", name, text);
    tn_rope_done(&rope);
}

/* ---- rows ---------------------------------------------------------------- */

enum doing { TAKE, HOLLOW, SLICE, CLEAR, SET, FIND, MAKE };

static const struct row {
    const char    *name, *text;
    enum doing     what;
    struct tn_step steps[5];
    uint64_t       count;
    const char    *taken; /* of TAKE and HOLLOW; SET: the chunk               */
    const char    *left;
    enum tn_status status;
} rows[] = {
#define TEXT "string_field: \"a\" repeated_string_field: [\"b\", \"c\"]"
    { "a string goes",
      TEXT,
      TAKE,
      { TN_AT(3) },
      1,
      "a",
      "repeated_string_field: \"b\" repeated_string_field: \"c\" ",
      TN_OK },
    { "a string stays empty",
      TEXT,
      HOLLOW,
      { TN_AT(3) },
      1,
      "a",
      "repeated_string_field: \"b\" repeated_string_field: \"c\" ",
      TN_OK },
    { "an element always stays",
      TEXT,
      TAKE,
      { TN_AT(4), TN_AT(1) },
      2,
      "c",
      "string_field: \"a\" repeated_string_field: \"b\" "
      "repeated_string_field: \"\" ",
      TN_OK },
    { "no such element",
      TEXT,
      TAKE,
      { TN_AT(4), TN_AT(2) },
      2,
      NULL,
      NULL,
      TN_NOT_FOUND },
    { "no such string", "", TAKE, { TN_AT(3) }, 1, NULL, NULL, TN_NOT_FOUND },
#undef TEXT
#define TEXT "field_one { string_field: \"a\" } string_field: \"z\""
    { "a message goes",
      TEXT,
      TAKE,
      { TN_AT(1) },
      1,
      "\x1a\x01"
      "a",
      "string_field: \"z\" ",
      TN_OK },
    { "a message stays empty",
      TEXT,
      HOLLOW,
      { TN_AT(1) },
      1,
      "\x1a\x01"
      "a",
      "field_one { } string_field: \"z\" ",
      TN_OK },
    { "a string in it",
      TEXT,
      TAKE,
      { TN_AT(1), TN_AT(3) },
      2,
      "a",
      "field_one { } string_field: \"z\" ",
      TN_OK },
    { "a message that is not there",
      "",
      TAKE,
      { TN_AT(1) },
      1,
      NULL,
      NULL,
      TN_NOT_FOUND },
#undef TEXT
#define TEXT                                                                   \
    "map_field_uint32 { key: 1 value: \"a\" } "                                \
    "map_field_uint32 { key: 2 value: \"b\" }"
    { "the value of an entry",
      TEXT,
      TAKE,
      { TN_AT(5), TN_AT(2) },
      2,
      "b",
      "map_field_uint32 { key: 1 value: \"a\" } "
      "map_field_uint32 { key: 2 value: \"\" } ",
      TN_OK },
    { "no such key",
      TEXT,
      TAKE,
      { TN_AT(5), TN_AT(3) },
      2,
      NULL,
      NULL,
      TN_NOT_FOUND },
    { "a map is cleared", TEXT, CLEAR, { TN_AT(5) }, 1, NULL, "", TN_OK },
    { "a value is set",
      TEXT,
      SET,
      { TN_AT(5), TN_AT(1) },
      2,
      "new",
      "map_field_uint32 { key: 1 value: \"new\" } "
      "map_field_uint32 { key: 2 value: \"b\" } ",
      TN_OK },
    { "an entry is made",
      TEXT,
      SET,
      { TN_AT(5), TN_AT(9) },
      2,
      "new",
      "map_field_uint32 { key: 1 value: \"a\" } "
      "map_field_uint32 { key: 2 value: \"b\" } "
      "map_field_uint32 { key: 9 value: \"new\" } ",
      TN_OK },
    { "the first entry is sliced off",
      TEXT,
      SLICE,
      { TN_AT(5) },
      1,
      NULL,
      "map_field_uint32 { key: 2 value: \"b\" } ",
      TN_OK },
#undef TEXT
    { "a slice of nothing",
      "",
      SLICE,
      { TN_AT(5) },
      1,
      NULL,
      NULL,
      TN_NOT_FOUND },
    { "a string is set",
      "string_field: \"a\"",
      SET,
      { TN_AT(3) },
      1,
      "new",
      "string_field: \"new\" ",
      TN_OK },
    { "a string is made",
      "",
      SET,
      { TN_AT(3) },
      1,
      "new",
      "string_field: \"new\" ",
      TN_OK },
    { "an element too far",
      "",
      SET,
      { TN_AT(4), TN_AT(1) },
      2,
      "new",
      NULL,
      TN_MALFORMED },
    { "what is found is left",
      "field_one {}",
      FIND,
      { TN_AT(1) },
      1,
      NULL,
      "field_one { } ",
      TN_OK },
    { "what is not there is not found",
      "",
      FIND,
      { TN_AT(1) },
      1,
      NULL,
      NULL,
      TN_NOT_FOUND },
    { "messages are made on the way",
      "",
      MAKE,
      { TN_AT(1), TN_AT(2), TN_AT(0) },
      3,
      NULL,
      "field_one { repeated_field { } } ",
      TN_OK },
    { "elements are made one by one",
      "",
      MAKE,
      { TN_AT(2), TN_AT(1) },
      2,
      NULL,
      NULL,
      TN_MALFORMED },
};

static void steps_to_tags(const struct row *row, struct tn_tags *tags)
{
    struct tn_error error = TN_ERROR_INIT;

    tn_tags_build(tags, judge.many, row->steps, row->count, true, &judge.arena,
                  &error);
    assert_string_equal(error.what, "");
}

/* Along all tags but the last step, and that step. */
static struct tn_mosaic *walk(struct table *t, struct tn_tags tags,
                              enum tn_mosaic_how how, struct tn_tag_step *step)
{
    struct tn_mosaic *m = t->m;

    while (m && tags.count) {
        if (tn_tags_step(&tags, m->type, step, &t->error) != TN_OK)
            return NULL;
        if (tags.count)
            m = tn_mosaic_step(m, step, how);
    }
    return m;
}

static void assert_taken(const struct tn_rope *rope, const char *want)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_buffer bytes;

    tn_buffer_init(&bytes, &judge.memory, &error);
    tn_rope_write(rope, &bytes.sink, &error);
    assert_true(tn_bytes_is(tn_buffer_bytes(&bytes), want));
    tn_buffer_done(&bytes);
}

static void take(struct table *t, const struct row *row,
                 const struct tn_tag_step *step, struct tn_mosaic *m)
{
    struct tn_rope rope;

    tn_rope_init(&rope, &t->arena, &t->error);
    enum tn_status status = row->what == TAKE
                                ? tn_mosaic_take(m, step, &rope)
                                : tn_mosaic_hollow(m, step, &rope);
    if (status == TN_OK && row->taken)
        assert_taken(&rope, row->taken);
    tn_rope_done(&rope);
}

static void act(struct table *t, const struct row *row)
{
    struct tn_tag_step step = { NULL, NULL };
    struct tn_tags     tags;
    struct tn_source   chunk;
    struct tn_rope     rope;

    steps_to_tags(row, &tags);
    bool is_field = row->what == SLICE || row->what == CLEAR;
    const struct tn_pb_field_type *field =
        tn_pb_message_field(judge.many, (uint32_t)tags.at[0].at.number);
    struct tn_mosaic *m =
        is_field
            ? t->m
            : walk(t, tags, row->what == MAKE ? TN_MOSAIC_MAKE : TN_MOSAIC_FIND,
                   &step);
    if (!m)
        return;
    tn_rope_init(&rope, &t->arena, &t->error);
    tn_source_memory(&chunk, &judge.memory, tn_text("new"));
    switch (row->what) {
    case TAKE:
    case HOLLOW: take(t, row, &step, m); break;
    case SLICE: tn_mosaic_slice(m, field, 0, 1, &rope); break;
    case CLEAR: tn_mosaic_clear(m, field); break;
    case SET: tn_mosaic_set(m, &step, (struct tn_span){ &chunk, 0, 3 }); break;
    case FIND: tn_mosaic_step(m, &step, TN_MOSAIC_FIND); break;
    case MAKE: tn_mosaic_step(m, &step, TN_MOSAIC_MAKE); break;
    }
    if (row->left && !tn_failed(&t->error))
        assert_left(t, row->name, row->left);
    tn_rope_done(&rope);
    tn_source_close(&chunk);
}

static void rows_hold(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct table t;
        lay(&t, judge.many, rows[i].text, &judge.memory);
        act(&t, &rows[i]);
        if (t.error.status != rows[i].status)
            fail_msg("%s: %s", rows[i].name, t.error.what);
        clear(&t);
    }
}

/* ---- indices ------------------------------------------------------------- */

/* Wire that is merged later goes on where the index was. */
static void an_index_grows_with_the_message(void **state)
{
    struct table                   t;
    const struct tn_pb_field_type *field = tn_pb_message_field(judge.many, 4);

    (void)state;
    lay(&t, judge.many, "repeated_string_field: [\"a\", \"b\"]", &judge.memory);
    assert_int_equal(tn_mosaic_count(t.m, field), 2);
    tn_mosaic_merge(t.m, (struct tn_span){ &t.source, 0, t.bytes.size });
    assert_int_equal(tn_mosaic_count(t.m, field), 4);
    struct tn_mosaic_index *index = tn_mosaic_index(t.m, field);
    assert_ptr_equal(index, tn_mosaic_index(t.m, field));
    assert_int_equal(tn_place_at(index, 0)->offset,
                     tn_place_at(index, 2)->offset);
    assert_ptr_not_equal(tn_place_at(index, 0)->tile,
                         tn_place_at(index, 2)->tile);
    clear(&t);
}

/* Of a key that comes again the last entry is found; the first stays. */
static void the_last_entry_of_a_key_counts(void **state)
{
    struct table                   t;
    const struct tn_pb_field_type *map = tn_pb_message_field(judge.many, 5);
    struct tn_field_tag            key = { .kind      = TN_TAG_KEY,
                                           .key       = TN_KEY_UINT32,
                                           .at.number = 7 };

    (void)state;
    lay(&t, judge.many, "map_field_uint32 { key: 7 value: \"a\" }",
        &judge.memory);
    tn_mosaic_merge(t.m, (struct tn_span){ &t.source, 0, t.bytes.size });
    struct tn_mosaic_index *index = tn_mosaic_index(t.m, map);
    assert_int_equal(index->places.count, 2);
    assert_ptr_equal(tn_place_of_key(index, &key), tn_place_at(index, 1));
    key.at.number = 8;
    assert_null(tn_place_of_key(index, &key));
    clear(&t);
}

/* Another member of a oneof: what was there is dead, and known as such. */
static void rivals_of_a_oneof_clear_each_other(void **state)
{
    const struct tn_pb_message *type =
        tn_pb_schema_find(&judge.new, "new.Everything");
    struct table                   t;
    const struct tn_pb_field_type *text = tn_pb_message_field(type, 33);
    const struct tn_pb_field_type *leaf = tn_pb_message_field(type, 32);
    struct tn_source               more;

    (void)state;
    lay(&t, type, "c_string: \"a\"", &judge.memory);
    assert_int_equal(tn_mosaic_count(t.m, text), 1);
    tn_source_memory(&more, &judge.memory, tn_bytes("\x82\x02\0", 3));
    tn_mosaic_merge(t.m, (struct tn_span){ &more, 0, 3 });
    assert_int_equal(tn_mosaic_count(t.m, text), 0);
    assert_int_equal(tn_mosaic_index(t.m, text)->dead.count, 1);
    assert_int_equal(tn_mosaic_count(t.m, leaf), 1);
    clear(&t);
    tn_source_close(&more);
}

/* 300 strings of 0 to 299 bytes, before and behind 300 more. */
static void lay_many(struct table *t, bool has_outline)
{
    const char *empty = "repeated_string_field: []";

    lay(t, judge.many, empty, &judge.memory);
    t->all.survey.notes_groups = has_outline;
    for (uint64_t i = 0; i < 300; i++) {
        tn_buffer_varint(&t->bytes, tn_tag(4, TN_WIRE_LEN));
        tn_buffer_varint(&t->bytes, i);
        memset(tn_buffer_room(&t->bytes, (size_t)i + 1), 'x', (size_t)i);
        t->bytes.size += (size_t)i;
    }
    tn_source_memory(&t->source, &judge.memory, tn_buffer_bytes(&t->bytes));
    for (unsigned i = 0; i < 2; i++)
        tn_mosaic_merge(t->m, (struct tn_span){ &t->source, 0, t->bytes.size });
}

/* Slices in the middle, over the end of one wire, and from the begin. */
static void slice_some(struct table *t, struct tn_rope *to)
{
    const struct tn_pb_field_type *field = tn_pb_message_field(judge.many, 4);
    static const uint64_t          slices[][2] = { { 100, 150 }, { 100, 130 },
                                                   { 200, 290 }, { 0, 70 },
                                                   { 10, 11 },   { 350, 359 } };

    for (size_t i = 0; i < sizeof slices / sizeof *slices; i++)
        tn_mosaic_slice(t->m, field, slices[i][0], slices[i][1], to);
    assert_int_equal(t->error.status, TN_OK);
    assert_int_equal(tn_mosaic_count(t->m, field), 350);
}

static uint64_t sum_of(const struct tn_mosaic_index *index,
                       struct tn_error              *error)
{
    uint64_t sum = 0, most = 0, bodies[TN_GROUP_FIELDS];

    for (uint64_t i = 0; i < tn_index_count(index);) {
        struct tn_measured some = tn_index_measure(index, i, error);
        tn_index_lengths(index, i, some.count, bodies, error);
        uint64_t all = 0;
        for (uint64_t k = 0; k < some.count; k++)
            all += bodies[k];
        assert_int_equal(all, some.bodies);
        sum += all;
        most = some.count > most ? some.count : most;
        i += some.count;
    }
    assert_int_equal(most, tn_index_is_outline(index) ? TN_GROUP_FIELDS : 1);
    return sum;
}

static void outlines_do_what_places_do(void **state)
{
    const struct tn_pb_field_type *field = tn_pb_message_field(judge.many, 4);
    struct table                   rough, fine;
    struct tn_rope                 some, same;

    (void)state;
    lay_many(&rough, true);
    lay_many(&fine, false);
    tn_rope_init(&some, &rough.arena, &rough.error);
    tn_rope_init(&same, &fine.arena, &fine.error);
    slice_some(&rough, &some);
    slice_some(&fine, &same);
    assert_int_equal(some.length, same.length);
    assert_true(some.pieces.count <= 7);
    struct tn_mosaic_index *outline = tn_mosaic_outline(rough.m, field);
    struct tn_mosaic_index *index   = tn_mosaic_index(fine.m, field);
    assert_true(tn_index_is_outline(outline));
    uint64_t sum = sum_of(outline, &rough.error);
    assert_int_equal(sum, sum_of(index, &fine.error));
    assert_int_equal(tn_mosaic_size(rough.m), tn_mosaic_size(fine.m));
    outline = tn_mosaic_index(rough.m, field); /* and now with places */
    assert_int_equal(outline->places.count, index->places.count);
    for (uint64_t i = 0; i < index->places.count; i++)
        assert_int_equal(tn_place_at(outline, i)->offset,
                         tn_place_at(index, i)->offset);
    assert_int_equal(sum, sum_of(outline, &rough.error));
    tn_rope_done(&some);
    tn_rope_done(&same);
    clear(&rough);
    clear(&fine);
}

/* ---- parts --------------------------------------------------------------- */

static const struct {
    const char *name, *text;
    uint64_t    most;
    const char *sizes; /* NULL: refused                                       */
} parts[] = {
    { "nothing", "", 10, "" },
    { "all of it", "string_field: \"0123\"", 6, "6 " },
    { "between fields", "repeated_string_field: [\"01\", \"23\", \"45\"]", 8,
      "8 4 " },
    { "each alone", "repeated_string_field: [\"01\", \"23\", \"45\"]", 4,
      "4 4 4 " },
    { "a field that is longer", "string_field: \"0123\"", 5, NULL },
};

static void keep_part(void *context, struct tn_rope *part)
{
    struct tn_rope *kept = tn_list_push(context, struct tn_rope, part->error);

    tn_rope_init(kept, part->arena, part->error);
    tn_rope_append(kept, part);
}

static void parts_are_whole_fields(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        struct table   t;
        struct tn_list ropes;
        char           sizes[100] = "";
        size_t         used       = 0;

        lay(&t, judge.many, parts[i].text, &judge.memory);
        tn_list_init(&ropes, &judge.memory, sizeof(struct tn_rope));
        enum tn_status status =
            tn_mosaic_parts(t.m, parts[i].most, keep_part, &ropes);
        assert_int_equal(status, parts[i].sizes ? TN_OK : TN_LIMIT);
        for (uint64_t k = 0; k < ropes.count; k++) {
            struct tn_rope *rope = tn_list_at(&ropes, struct tn_rope, k);
            used += (size_t)snprintf(sizes + used, sizeof sizes - used, "%d ",
                                     (int)rope->length);
            tn_rope_done(rope);
        }
        if (parts[i].sizes && strcmp(sizes, parts[i].sizes))
            fail_msg("%s: %s", parts[i].name, sizes);
        tn_list_done(&ropes);
        clear(&t);
    }
}

/* ---- hostile ------------------------------------------------------------- */

/* Every path of the rows, over bytes that are what they are. */
static enum tn_status use(struct tn_bytes input, struct tn_memory *memory,
                          struct tn_error *error)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows && !tn_failed(error);
         i++) {
        struct table t;
        lay(&t, judge.many, "", memory);
        tn_source_close(&t.source);
        tn_source_memory(&t.source, memory, input);
        if (t.m)
            tn_mosaic_merge(t.m, (struct tn_span){ &t.source, 0, input.size });
        if (!tn_failed(&t.error)) {
            struct row silent = rows[i];
            silent.left       = NULL;
            silent.taken      = NULL;
            act(&t, &silent);
        }
        bool is_ours =
            t.error.status == TN_NOT_FOUND || t.error.status == TN_MALFORMED;
        if (tn_failed(&t.error) && !(is_ours && t.error.offset == TN_NOWHERE))
            *error = t.error;
        clear(&t);
    }
    return error->status;
}

static void survives_flips_and_no_memory(void **state)
{
    struct tn_buffer bytes;

    (void)state;
    judge_encode(&judge, &judge.testdata, judge.many->full_name,
                 "field_one { repeated_field {} string_field: \"a\" } "
                 "repeated_field {} repeated_string_field: \"x\" "
                 "map_field_uint32 { key: 1 value: \"a\" }",
                 &bytes);
    tn_survives_every_flip(use, tn_buffer_bytes(&bytes));
    tn_survives_no_memory(use, tn_buffer_bytes(&bytes));
    tn_buffer_done(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_hold),
        cmocka_unit_test(an_index_grows_with_the_message),
        cmocka_unit_test(the_last_entry_of_a_key_counts),
        cmocka_unit_test(rivals_of_a_oneof_clear_each_other),
        cmocka_unit_test(outlines_do_what_places_do),
        cmocka_unit_test(parts_are_whole_fields),
        cmocka_unit_test(survives_flips_and_no_memory),
    };

    return cmocka_run_group_tests(tests, open_judge, close_judge);
}
