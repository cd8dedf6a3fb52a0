/* nd4j_calls_test.c - arguments by name, for every operator of nd4j */
#include "ir/nd4j_calls.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

struct bench {
    struct tn_error     error;
    struct tn_memory    memory;
    struct tn_arena     arena;
    struct tn_nd4j_book book;
};

static int set_up(void **state)
{
    struct bench *b = calloc(1, sizeof *b);

    tn_memory_init(&b->memory, NULL, 0);
    tn_arena_init(&b->arena, &b->memory);
    *state = b;
    return tn_nd4j_book_init(&b->book, &b->arena, &b->error);
}

static int tear_down(void **state)
{
    struct bench *b = *state;

    tn_arena_done(&b->arena);
    assert_int_equal(b->memory.used, 0);
    free(b);
    return 0;
}

/* ---- which operator ----------------------------------------------------- */

static void test_a_number_beats_a_name(void **state)
{
    struct bench   *b      = *state;
    struct tn_bytes custom = tn_text("CUSTOM");
    int64_t         add    = tn_nd4j_hash(&b->book.hasher, tn_text("add"));
    static const struct {
        const char *name, *type;
        int64_t     number;
        const char *meant; /* NULL: none */
    } cases[] = {
        { "matmul", "CUSTOM", 0, "matmul" },
        { "Reciprocal", "TRANSFORM_SAME", 11, "Reciprocal" },
        { "relu", "TRANSFORM_SAME", 11, "Reciprocal" },
        { "no such thing", "TRANSFORM_SAME", 11, "Reciprocal" },
        { "matmul", "TRANSFORM_SAME", 9999, "matmul" },
        { "no such thing", "CUSTOM", 12345, NULL },
        { "no such thing", "", 0, NULL },
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct tn_vocab_op *op =
            tn_nd4j_meant(&b->book, tn_text(cases[i].name),
                          tn_text(cases[i].type), cases[i].number);
        assert_int_equal(op != NULL, cases[i].meant != NULL);
        assert_true(!op || tn_bytes_is(op->name, cases[i].meant));
    }
    assert_true(tn_bytes_is(
        tn_nd4j_meant(&b->book, tn_text("matmul"), custom, add)->name, "add"));
}

/* ---- every operator, every list, permuted ------------------------------- */

enum { MOST = 64, REST = 3 };

struct call {
    struct tn_bytes names[MOST];
    int64_t         ints[MOST];
    double          doubles[MOST];
    struct tn_bytes strings[MOST];
    uint32_t        count;
};

/* A value of its own for each slot; REST of them for a list. */
static void fill_call(struct call *call, const struct tn_vocab_op *op,
                      enum tn_vocab_list list)
{
    static const char texts[MOST][4] = { "a", "b", "c", "d", "e", "f", "g" };

    call->count = 0;
    for (uint32_t slot = 0; slot < MOST; slot++) {
        const struct tn_vocab_attr *attr = tn_vocab_find_slot(op, list, slot);
        if (!attr || (attr->is_rest && slot >= attr->slot + REST))
            break;
        call->names[slot]   = attr->name;
        call->ints[slot]    = 100 + slot;
        call->doubles[slot] = 0.5 + slot;
        call->strings[slot] = tn_text(texts[slot]);
        call->count         = slot + 1;
    }
}

static void swap(struct call *call, uint32_t a, uint32_t b)
{
    struct call old = *call;

    call->names[a] = old.names[b], call->names[b] = old.names[a];
    call->ints[a] = old.ints[b], call->ints[b] = old.ints[a];
    call->doubles[a] = old.doubles[b], call->doubles[b] = old.doubles[a];
    call->strings[a] = old.strings[b], call->strings[b] = old.strings[a];
}

/* The whole call from the `by`-th argument on, then the others: what belongs
 * to a list stays side by side. */
static void rotate(struct call *call, uint32_t by)
{
    struct call old  = *call;
    uint32_t    next = 0;

    for (uint32_t i = 0; i < old.count; i++) {
        uint32_t from         = (by + i) % old.count;
        call->names[next]     = old.names[from];
        call->ints[next]      = old.ints[from];
        call->doubles[next]   = old.doubles[from];
        call->strings[next++] = old.strings[from];
    }
}

static void reverse_singles(struct call *call, const struct tn_vocab_op *op,
                            enum tn_vocab_list list)
{
    uint32_t singles = 0;

    while (singles < call->count &&
           !tn_vocab_find_slot(op, list, singles)->is_rest)
        singles++;
    for (uint32_t i = 0; i < singles / 2; i++)
        swap(call, i, singles - 1 - i);
}

static struct tn_attr_value value_of(const struct call *call,
                                     enum tn_vocab_list list)
{
    struct tn_attr_value value = { .is_list = true, .count = call->count };

    switch (list) {
    case TN_VOCAB_TARGS:
        value.kind       = TN_ATTR_DOUBLE;
        value.of.doubles = call->doubles;
        break;
    case TN_VOCAB_SARGS:
        value.kind       = TN_ATTR_STRING;
        value.of.strings = call->strings;
        break;
    default:
        value.kind    = list == TN_VOCAB_BARGS   ? TN_ATTR_BOOL
                        : list == TN_VOCAB_DARGS ? TN_ATTR_DTYPE
                                                 : TN_ATTR_INT;
        value.of.ints = call->ints;
    }
    return value;
}

static void same(const struct tn_attr_value *a, const struct tn_attr_value *b)
{
    assert_int_equal(a->count, b->count);
    for (uint32_t i = 0; i < a->count; i++) {
        if (a->kind == TN_ATTR_DOUBLE)
            assert_true(a->of.doubles[i] == b->of.doubles[i]);
        else if (a->kind == TN_ATTR_STRING)
            assert_true(tn_bytes_equal(a->of.strings[i], b->of.strings[i]));
        else
            assert_int_equal(a->of.ints[i], b->of.ints[i]);
    }
}

static void must_be_same(struct bench *b, const struct tn_vocab_op *op,
                         enum tn_vocab_list list, const struct call *call,
                         const struct call *moved)
{
    struct tn_attr_value want = value_of(call, list);
    struct tn_attr_value have = value_of(moved, list);

    if (tn_args_in_order(op, list, moved->names, &have, NULL, &b->arena,
                         &b->error) != TN_OK)
        fail_msg("%.*s: %s", TN_FMT(op->name), b->error.what);
    same(&want, &have);
}

/* The slots of a list have no holes, and no name stands in one list twice. */
static void test_every_operator_permuted(void **state)
{
    struct bench *b     = *state;
    uint32_t      moved = 0;

    for (uint32_t i = 0; i < b->book.vocab.row_count; i++) {
        const struct tn_vocab_op *op =
            tn_vocab_at(&b->book.vocab, i, &b->error);
        assert_non_null(op);
        for (enum tn_vocab_list list = TN_VOCAB_IARGS; list <= TN_VOCAB_SARGS;
             list++) {
            struct call call, other;
            fill_call(&call, op, list);
            for (uint32_t by = 0; by < call.count; by++) {
                other = call;
                rotate(&other, by);
                /* a cut inside a list would be two of them */
                if (by && tn_bytes_equal(call.names[by - 1], call.names[by]))
                    continue;
                must_be_same(b, op, list, &call, &other);
                moved += by > 0;
            }
            other = call;
            reverse_singles(&other, op, list);
            must_be_same(b, op, list, &call, &other);
        }
    }
    assert_true(moved > 500);
}

/* ---- faults ------------------------------------------------------------- */

struct told {
    char   text[400];
    size_t size;
};

static void tell(void *context, enum tn_arg_fault fault, uint32_t index,
                 struct tn_bytes name)
{
    struct told *told = context;

    told->size += (size_t)snprintf(
        told->text + told->size, sizeof told->text - told->size,
        "%u '%.*s' %s; ", index, TN_FMT(name), tn_arg_fault_words(fault));
}

static void test_faults(void **state)
{
    struct bench *b = *state;
    static const struct {
        const char *op;
        const char *names[6]; /* NULL: the end */
        const char *told;     /* "": it is right */
        uint32_t    length;
        uint32_t    slots[6];
    } cases[] = {
        { "matmul", { "transX", "transY" }, "", 2, { 0, 1 } },
        { "matmul", { "transY" }, "", 2, { 1 } },
        { "matmul", { "", "transY" }, "", 2, { 0, 1 } },
        { "matmul", { "transY", "transX", "" }, "", 3, { 1, 0, 2 } },
        { "matmul",
          { "transY", "" },
          "1 'transY' belongs where an argument without a name stands; ",
          0,
          { 0 } },
        { "matmul",
          { "transX", "transX" },
          "1 'transX' is given twice; ",
          0,
          { 0 } },
        { "matmul",
          { "bogus", "transX", "kW" },
          "0 'bogus' is not an argument that the operator has; "
          "2 'kW' is not an argument that the operator has; ",
          0,
          { 0 } },
        { "conv2d",
          { "kW", "kH", "dW" },
          "2 'sH' is not given, and an argument after it is; "
          "3 'sW' is not given, and an argument after it is; "
          "4 'pH' is not given, and an argument after it is; "
          "5 'pW' is not given, and an argument after it is; "
          "6 'dH' is not given, and an argument after it is; ",
          0,
          { 0 } },
        { "dilation2d",
          { "rates", "rates", "isSameMode", "rates" },
          "3 'rates' is a list with other arguments inside it; ",
          0,
          { 0 } },
        { "dilation2d",
          { "rates", "rates", "isSameMode" },
          "",
          3,
          { 1, 2, 0 } },
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tn_bytes      names[6];
        uint32_t             count = 0;
        struct told          told  = { .size = 0 };
        struct tn_arg_slots  places;
        for (; count < 6 && cases[i].names[count]; count++)
            names[count] = tn_text(cases[i].names[count]);
        bool is_good = tn_args_assign(
            tn_nd4j_named(&b->book, tn_text(cases[i].op)), TN_VOCAB_IARGS,
            names, count, &b->arena, &places, tell, &told, &b->error);
        assert_string_equal(told.text, cases[i].told);
        assert_int_equal(is_good, !*cases[i].told);
        if (!is_good)
            continue;
        assert_int_equal(places.length, cases[i].length);
        for (uint32_t k = 0; !places.are_in_order && k < count; k++)
            assert_int_equal(places.slots[k], cases[i].slots[k]);
    }
}

static int64_t code_of(enum tn_dtype dtype)
{
    return 1000 + (int64_t)dtype;
}

/* The types of defaults are written as the list writes types. */
static void test_holes_get_defaults(void **state)
{
    struct bench        *b     = *state;
    struct tn_bytes      name  = tn_text("transY");
    int64_t              one   = 1;
    struct tn_attr_value value = { TN_ATTR_INT, true, 1, { .ints = &one } };

    tn_args_in_order(tn_nd4j_named(&b->book, tn_text("matmul")), TN_VOCAB_IARGS,
                     &name, &value, code_of, &b->arena, &b->error);
    assert_int_equal(value.count, 2);
    assert_int_equal(value.of.ints[0], 0);
    assert_int_equal(value.of.ints[1], 1);

    static const char text[] = "vocabulary nd4j 1\n"
                               "types any = {float32 int32}\n"
                               "domain nd4j \"\"\n"
                               "op two (input any) -> (output any)\n"
                               "    first type @d0 = float32\n"
                               "    second? type @d1\n"
                               "    a float @t0 = 2\n"
                               "    b? float @t1\n";
    struct tn_vocab   vocab;
    double            half = 0.5;
    assert_int_equal(tn_vocab_load(&vocab, &b->arena, tn_text(text), &b->error),
                     TN_OK);
    const struct tn_vocab_op *two =
        tn_vocab_find(&vocab, tn_text(""), tn_text("two"), 1, &b->error);
    name  = tn_text("second");
    value = (struct tn_attr_value){ TN_ATTR_INT, true, 1, { .ints = &one } };
    tn_args_in_order(two, TN_VOCAB_DARGS, &name, &value, code_of, &b->arena,
                     &b->error);
    assert_int_equal(value.of.ints[0], 1000 + TN_FLOAT32);
    assert_int_equal(value.of.ints[1], 1);
    name  = tn_text("b");
    value = (struct tn_attr_value){
        .kind = TN_ATTR_DOUBLE, .is_list = true, .count = 1, .of.doubles = &half
    };
    tn_args_in_order(two, TN_VOCAB_TARGS, &name, &value, NULL, &b->arena,
                     &b->error);
    assert_true(value.of.doubles[0] == 2 && value.of.doubles[1] == 0.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_number_beats_a_name, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_every_operator_permuted, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_faults, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_holes_get_defaults, set_up,
                                        tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
