/* pb_message_test.c - what a view answers */
#include "support/hostile.h"

#include "base/number.h"
#include "wire/pb/pb_builtin.h"
#include "wire/pb/pb_judge.h"
#include "wire/pb/pb_message.h"

struct bench {
    struct tn_memory    memory;
    struct tn_arena     arena;
    struct tn_error     error;
    struct tn_pb_schema old, new;
    struct tn_bytes     old_set, new_set;
    struct tn_bytes     bytes;
};

static int begin(void **state)
{
    static struct bench b;

    b = (struct bench){ .error   = TN_ERROR_INIT,
                        .old_set = judge_compile("old"),
                        .new_set = judge_compile("new") };
    tn_memory_init(&b.memory, NULL, 0);
    tn_arena_init(&b.arena, &b.memory);
    tn_pb_schema_load(&b.old, &b.arena, b.old_set, &b.error);
    tn_pb_schema_load(&b.new, &b.arena, b.new_set, &b.error);
    assert_int_equal(b.error.status, TN_OK);
    *state = &b;
    return 0;
}

static int end(void **state)
{
    struct bench *b = *state;

    tn_arena_done(&b->arena);
    assert_int_equal(b->memory.used, 0);
    free((void *)b->old_set.data);
    free((void *)b->new_set.data);
    return 0;
}

/* A view of protobuf text, which protoc encodes; several texts are written one
 * after the other, separated by "|". */
static struct tn_pb_view view_text(struct bench *b, const char *type,
                                   const char *text)
{
    bool             is_old = strncmp(type, "old.", 4) == 0;
    struct tn_bytes  set    = is_old ? b->old_set : b->new_set;
    struct tn_buffer all;

    b->error = (struct tn_error)TN_ERROR_INIT;
    tn_buffer_init(&all, &b->memory, &b->error);
    for (;; text += strcspn(text, "|") + 1) {
        size_t          size = strcspn(text, "|");
        struct tn_bytes one =
            judge_run(set, "encode", type, tn_bytes(text, size));
        if (!one.data)
            fail_msg("the test itself is wrong: %s", text);
        tn_buffer_add(&all, one);
        free((void *)one.data);
        if (!text[size])
            break;
    }
    struct tn_bytes copy =
        tn_bytes_dup(&b->arena, tn_buffer_bytes(&all), &b->error);
    tn_buffer_done(&all);
    return tn_pb_view(tn_pb_schema_find(is_old ? &b->old : &b->new, type),
                      tn_cursor_bytes(copy, 0, &b->error), &b->arena);
}

static const struct tn_pb_field_type *named(const struct tn_pb_view *view,
                                            const char              *name)
{
    const struct tn_pb_field_type *field =
        tn_pb_message_field_named(view->type, tn_text(name));

    assert_non_null(field);
    return field;
}

static uint64_t bits(const struct tn_pb_view *view, const char *name)
{
    return tn_pb_view_bits(view, named(view, name));
}

static uint64_t count(const struct tn_pb_view *view, const char *name)
{
    struct tn_pb_items items = tn_pb_view_items(view, named(view, name));
    struct tn_pb_value value;
    uint64_t           found = 0;

    while (tn_pb_items_next(&items, &value))
        found++;
    return found;
}

static double real(const struct tn_pb_view *view, const char *name)
{
    return tn_double_of_bits(bits(view, name));
}

static void numbers(void **state)
{
    struct tn_pb_view v = view_text(
        *state, "old.Everything",
        "f_double: -2.5 f_float: 0.5 f_int64: -3 f_uint64: 4 f_int32: -5 "
        "f_fixed64: 6 f_fixed32: 4000000000 f_bool: true f_uint32: 4000000000 "
        "f_enum: MINUS f_sfixed32: -15 f_sfixed64: -16 f_sint32: -17 "
        "f_sint64: -18 f_string: 'text' f_bytes: '\\000b'");

    assert_true(real(&v, "f_double") == -2.5);
    assert_true(bits(&v, "f_float") == tn_float_bits(0.5f));
    assert_true(bits(&v, "f_int64") == (uint64_t)-3);
    assert_true(bits(&v, "f_uint64") == 4);
    assert_true(bits(&v, "f_int32") == (uint64_t)-5);
    assert_true(bits(&v, "f_fixed64") == 6);
    assert_true(bits(&v, "f_fixed32") == 4000000000);
    assert_true(bits(&v, "f_bool") == 1);
    assert_true(bits(&v, "f_uint32") == 4000000000);
    assert_true(bits(&v, "f_enum") == (uint64_t)-1);
    assert_true(bits(&v, "f_sfixed32") == (uint64_t)-15);
    assert_true(bits(&v, "f_sfixed64") == (uint64_t)-16);
    assert_true(bits(&v, "f_sint32") == (uint64_t)-17);
    assert_true(bits(&v, "f_sint64") == (uint64_t)-18);
    assert_true(
        tn_bytes_is(tn_pb_view_text(&v, named(&v, "f_string")), "text"));
    assert_true(tn_bytes_equal(tn_pb_view_text(&v, named(&v, "f_bytes")),
                               tn_bytes("\0b", 2)));
}

static void last_one_wins(void **state)
{
    struct tn_pb_view v =
        view_text(*state, "old.Everything",
                  "f_int32: 1 f_string: 'a'|f_int32: 2|f_string: 'b'");

    assert_true(bits(&v, "f_int32") == 2);
    assert_true(tn_bytes_is(tn_pb_view_text(&v, named(&v, "f_string")), "b"));
}

static void defaults(void **state)
{
    struct tn_pb_view v = view_text(*state, "old.Defaults", "");

    assert_true(real(&v, "d_double") == -1.5e300);
    assert_true(bits(&v, "d_int32") == (uint64_t)-7);
    assert_true(bits(&v, "d_enum") == (uint64_t)-1);
    assert_true(tn_bytes_is(tn_pb_view_text(&v, named(&v, "d_string")),
                            "h\303\244llo\n"));
    assert_true(tn_bytes_equal(tn_pb_view_text(&v, named(&v, "d_bytes")),
                               tn_bytes("\0\377\"q\\\t", 6)));
}

static void messages_merge(void **state)
{
    struct tn_pb_view v = view_text(
        *state, "old.Everything",
        "f_message { a: 1 names: 'x' inner { a: 5 } }|f_int32: 1|"
        "f_message { names: 'y' inner { names: 'z' } }|f_message { a: 2 }|"
        "Pair { left: 1 }|Pair { right { a: 3 } }");
    struct tn_pb_view m = tn_pb_view_message(&v, named(&v, "f_message"));
    assert_int_equal(m.part_count, 3);
    assert_true(bits(&m, "a") == 2);
    assert_int_equal(count(&m, "names"), 2);
    struct tn_pb_view inner = tn_pb_view_message(&m, named(&m, "inner"));
    assert_int_equal(inner.part_count, 2);
    assert_true(bits(&inner, "a") == 5);
    assert_int_equal(count(&inner, "names"), 1);
    struct tn_pb_view pair  = tn_pb_view_message(&v, named(&v, "pair"));
    struct tn_pb_view right = tn_pb_view_message(&pair, named(&pair, "right"));
    assert_true(bits(&pair, "left") == 1);
    assert_true(bits(&right, "a") == 3);
    struct tn_pb_view absent =
        tn_pb_view_message(&inner, named(&inner, "inner"));
    assert_int_equal(absent.part_count, 0);
    assert_true(bits(&absent, "a") == 0);
}

static void oneof_keeps_the_last(void **state)
{
    struct tn_pb_view v =
        view_text(*state, "old.Everything",
                  "c_message { a: 1 }|c_int: 7|c_message { names: 'x' }|"
                  "c_message { names: 'y' }");
    struct tn_pb_view m = tn_pb_view_message(&v, named(&v, "c_message"));

    assert_true(bits(&v, "c_int") == 0);
    assert_int_equal(m.part_count, 2); /* c_int cleared the first */
    assert_true(bits(&m, "a") == 0);
    assert_int_equal(count(&m, "names"), 2);
    v = view_text(*state, "old.Everything", "c_message { a: 1 }|c_int: 7");
    assert_true(bits(&v, "c_int") == 7);
    assert_int_equal(tn_pb_view_message(&v, named(&v, "c_message")).part_count,
                     0);
}

static uint64_t sum(const struct tn_pb_view *v, const char *name)
{
    struct tn_pb_items items = tn_pb_view_items(v, named(v, name));
    struct tn_pb_value value;
    uint64_t           total = 0, place = 1;

    for (; tn_pb_items_next(&items, &value); place *= 10)
        total += place * value.bits;
    return total;
}

static void repeated(void **state)
{
    struct tn_pb_view v = view_text(
        *state, "old.Everything",
        "r_int32: [1, 2] r_packed: [3, 4]|r_int32: 5 r_packed: [6] "
        "Many { text: 'a' } Many { text: 'b' }|r_double: 1 r_fixed: [7, 8]");

    assert_true(sum(&v, "r_int32") == 521);
    assert_true(sum(&v, "r_packed") == 643);
    assert_true(sum(&v, "r_fixed") == 87);
    assert_int_equal(count(&v, "many"), 2);
    assert_int_equal(count(&v, "r_bytes"), 0);
}

/* Packed where the schema says not and the other way round; numbers that a
 * closed enum lacks; wire types that do not fit. */
static void odd_spellings(void **state)
{
    static const uint8_t bytes[] = {
        0xaa, 0x01, 0x02, 0x01, 0x02, /* r_int32, packed                      */
        0xb0, 0x01, 0x03,             /* r_packed, unpacked                   */
        0xd2, 0x01, 0x03, 0x01, 0x05, 0x00, /* r_enum_packed: ONE, 5, NONE    */
        0x70, 0x01, 0x70, 0x09,             /* f_enum: ONE, then 9            */
        0x28, 0x04, 0x2a, 0x01, 0x05,       /* f_int32: 4, then LEN           */
    };
    struct bench    *b = *state;
    struct tn_cursor c;

    b->error = (struct tn_error)TN_ERROR_INIT;
    c        = tn_cursor_bytes(tn_bytes(bytes, sizeof bytes), 0, &b->error);
    struct tn_pb_view v =
        tn_pb_view(tn_pb_schema_find(&b->old, "old.Everything"), c, &b->arena);
    assert_true(sum(&v, "r_int32") == 21);
    assert_true(sum(&v, "r_packed") == 3);
    assert_true(sum(&v, "r_enum_packed") == 1);
    assert_int_equal(count(&v, "r_enum_packed"), 2);
    assert_true(bits(&v, "f_enum") == 1);
    assert_true(bits(&v, "f_int32") == 4);
    assert_int_equal(b->error.status, TN_OK);
}

static void maps(void **state)
{
    struct tn_pb_view v = view_text(
        *state, "new.Everything",
        "m_message { key: 'a' value { a: 1 } } "
        "m_message { key: 'b' value { a: 2 } }|"
        "m_message { key: 'a' value { list: 3 } } m_int { key: -4 value: 'm' }"
        "m_zigzag { key: -5 value: 1.5 }");
    struct tn_pb_view entry;

    assert_true(
        tn_pb_view_entry(&v, named(&v, "m_message"), tn_text("a"), 0, &entry));
    struct tn_pb_view leaf = tn_pb_view_message(&entry, named(&entry, "value"));
    assert_true(bits(&leaf, "a") == 0); /* replaced, not merged */
    assert_int_equal(count(&leaf, "list"), 1);
    assert_false(
        tn_pb_view_entry(&v, named(&v, "m_message"), tn_text("c"), 0, &entry));
    assert_true(tn_pb_view_entry(&v, named(&v, "m_int"), tn_text(""),
                                 (uint64_t)-4, &entry));
    assert_true(
        tn_bytes_is(tn_pb_view_text(&entry, named(&entry, "value")), "m"));
    assert_false(
        tn_pb_view_entry(&v, named(&v, "m_int"), tn_text(""), 4, &entry));
}

/* ---- hostility ---------------------------------------------------------- */

static const struct tn_pb_message *under_test;

/* Asks everything that can be asked, one level deep and then below. */
static void ask(const struct tn_pb_view *v, unsigned levels)
{
    for (uint32_t i = 0; i < v->type->field_count; i++) {
        const struct tn_pb_field_type *field = &v->type->fields[i];
        struct tn_pb_value             value;
        if (field->label == TN_PB_REPEATED) {
            struct tn_pb_items items = tn_pb_view_items(v, field);
            while (tn_pb_items_next(&items, &value))
                if (field->message && levels) {
                    struct tn_pb_view m = tn_pb_item_message(v, field, &value);
                    ask(&m, levels - 1);
                }
        } else if (field->message && levels) {
            struct tn_pb_view m = tn_pb_view_message(v, field);
            ask(&m, levels - 1);
        } else if (tn_pb_is_packable(field->type)) {
            tn_pb_view_bits(v, field);
        } else if (!field->message) {
            tn_pb_view_text(v, field);
        }
    }
}

static enum tn_status ask_all(struct tn_bytes input, struct tn_memory *memory,
                              struct tn_error *error)
{
    struct tn_arena  arena;
    struct tn_cursor c = tn_cursor_bytes(input, 0, error);

    tn_arena_init(&arena, memory);
    struct tn_pb_view v = tn_pb_view(under_test, c, &arena);
    ask(&v, 3);
    tn_arena_done(&arena);
    return error->status;
}

static void hostility(void **state)
{
    struct bench     *b = *state;
    struct tn_pb_view v =
        view_text(b, "old.Everything",
                  "f_message { a: 1 inner { a: 2 } }|f_message { a: 3 }|"
                  "Pair { left: 1 }|Pair { right { a: 1 } }|c_int: 1 "
                  "m_text { key: 'k' value: 1 } r_packed: [1, 300]");
    struct tn_bytes bytes = tn_bytes(v.part.at, (size_t)tn_left(&v.part));

    under_test = v.type;
    tn_survives_every_flip(ask_all, bytes);
    tn_survives_no_memory(ask_all, bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers),
        cmocka_unit_test(last_one_wins),
        cmocka_unit_test(defaults),
        cmocka_unit_test(messages_merge),
        cmocka_unit_test(oneof_keeps_the_last),
        cmocka_unit_test(repeated),
        cmocka_unit_test(odd_spellings),
        cmocka_unit_test(maps),
        cmocka_unit_test(hostility),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
