/* vocab_test.c - vocabularies: what they say, and how broken ones are refused
 */
#include "ir/vocab.h"

#include <stdio.h>

#include "support/hostile.h"
#include "support/rules_text.h"

#define HEAD "vocabulary tiny 1\ntypes two = {int8 float32}\ndomain d \"\"\n"

static const char sample[] =
    HEAD "op Add@1 (A $T, B? $T) -> (C+ ~$T) commutative\n"
         "    $T in {two seq(two) optional(seq(int8)) map(string,float32)}\n"
         "    axis? int\n"
         "    mode string = \"a\\\"\\n\" in {\"a\\\"\\n\" \"b c\"}\n"
         "op Add@7 deprecated@7\n"
         "# a comment\n"
         "op Mul (x N*$T, y *Ts, z &int8) -> (o int8, p? int8) outputs{1 2}\n"
         "    N int = 2 >= 1\n"
         "    T type = int8 in {two bool}\n"
         "    Ts list(type)\n"
         "    sizes list(shape) = [[1 -1] ? []]\n"
         "    e list(float) = [1 -2.5 inf]\n"
         "    t tensor = uint8[1 2]\n"
         "    b bool = true # not false\n"
         "\n"
         "domain other open\n"
         "op Old legacy stateful aggregate loose\n"
         "op abs (x two) -> (z two) legacy(TRANSFORM_SAME 0)\n"
         "op conv (x two) -> (z two)\n"
         "    kH int @i0\n"
         "    mode? int @i1 = 1 >= 0\n"
         "    dims list(int) @i3.. = []\n"
         "    eps float @t0 = 1e-5\n"
         "    keep bool @b0 = false\n"
         "    to type @d0\n"
         "    frame string @s0\n"
         "    axes list(int) @axis\n"
         "    by float @scalar = 0";

struct loaded {
    struct tn_memory memory;
    struct tn_arena  arena;
    struct tn_vocab  vocab;
    struct tn_error  error;
};

static void load(struct loaded *l, struct tn_bytes text)
{
    l->error = (struct tn_error)TN_ERROR_INIT;
    tn_memory_init(&l->memory, NULL, 0);
    tn_arena_init(&l->arena, &l->memory);
    tn_vocab_load(&l->vocab, &l->arena, text, &l->error);
}

static void unload(struct loaded *l)
{
    tn_arena_done(&l->arena);
    assert_int_equal(l->memory.used, 0);
}

static const struct tn_vocab_op *find(struct loaded *l, const char *domain,
                                      const char *name, int64_t version)
{
    return tn_vocab_find(&l->vocab, tn_text(domain), tn_text(name), version,
                         &l->error);
}

static void assert_text(struct tn_bytes text, const char *expected)
{
    if (!tn_bytes_is(text, expected))
        fail_msg("'%.*s', not '%s'", TN_FMT(text), expected);
}

/* ---- the sample --------------------------------------------------------- */

static void says_what_an_operator_takes(void **state)
{
    struct loaded l;

    (void)state;
    load(&l, tn_text(sample));
    assert_int_equal(l.error.status, TN_OK);
    const struct tn_vocab_op *add = find(&l, "d", "Add", 6);
    assert_int_equal(add->since, 1);
    assert_true(add->is_commutative && !add->is_stateful);
    assert_int_equal(add->input_count, 2);
    assert_text(add->inputs[1].name, "B");
    assert_text(add->inputs[1].variable, "T");
    assert_int_equal(add->inputs[1].arity, TN_VOCAB_OPTIONAL);
    assert_int_equal(add->min_inputs, 1);
    assert_int_equal(add->max_inputs, 2);
    assert_int_equal(add->outputs[0].arity, TN_VOCAB_SOME);
    assert_true(add->outputs[0].is_mixed);
    assert_int_equal(add->min_outputs, 1);
    assert_int_equal(add->max_outputs, UINT32_MAX);
    const struct tn_vocab_types *types = &add->variables[0].types;
    uint64_t two = TN_VOCAB_TYPE(TN_INT8) | TN_VOCAB_TYPE(TN_FLOAT32);
    assert_int_equal(types->tensors, two);
    assert_int_equal(types->sequences, two);
    assert_int_equal(types->optionals, 0);
    assert_int_equal(types->optional_sequences, TN_VOCAB_TYPE(TN_INT8));
    assert_int_equal(types->maps[0], 0);
    assert_int_equal(types->maps[1], TN_VOCAB_TYPE(TN_FLOAT32));
    unload(&l);
}

static uint32_t count_facts(struct loaded *l, int64_t version)
{
    const struct tn_vocab_op *op    = find(l, "d", "Conv", version);
    uint32_t                  count = 0;

    for (const struct tn_vocab_fact *fact = op->facts; fact; fact = fact->next)
        count++;
    return count;
}

/* An operator has the facts of its versions that speak of what it has. */
static void says_what_sizes_have_to_be(void **state)
{
    static const char text[] =
        HEAD "op Conv@1 (x int8[s]) -> (y int8[s])\n"
             "    pads? list(int)\n"
             "op Conv@7 (x int8[s], w int8) -> (y int8[s])\n"
             "    pads? list(int)\n"
             "    group int = 1\n"
             "op Conv@11 (x int8[..s]) -> (y int8[s])\n"
             "facts Conv # of all\n"
             "    where len(pads) == 2 * (r - 2)\n"
             "\n"
             "    where x[1] == w[1] * group if group >= 1\n"
             "facts Conv @..7\n"
             "    makes y = [x[0] ...]\n"
             "facts Conv @7..10\n"
             "    where w permutes r";
    struct loaded               l;
    const struct tn_vocab_fact *fact;

    (void)state;
    load(&l, tn_text(text));
    assert_int_equal(l.error.status, TN_OK);
    assert_int_equal(count_facts(&l, 1), 2);
    assert_int_equal(count_facts(&l, 7), 4);
    assert_int_equal(count_facts(&l, 11), 0);
    const struct tn_vocab_op *op = find(&l, "d", "Conv", 8);
    assert_true(op->has_shapes && op->inputs[0].rank.is_shape);
    assert_int_equal(op->fact_attrs, 3);
    assert_int_equal(op->fact_elements, 2);
    fact = op->facts->next;
    assert_text(fact->claim.left_text, "x[1]");
    assert_text(fact->claim.right_text, "w[1] * group");
    assert_int_equal(fact->condition_count, 1);
    assert_int_equal(fact->conditions[0].relation, TN_RELATION_LEAST);
    assert_int_equal(fact->output, UINT32_MAX);
    assert_int_equal(fact->next->output, 0);
    assert_int_equal(fact->next->next->claim.relation, TN_RELATION_PERMUTES);
    unload(&l);
}

static void says_what_attributes_are(void **state)
{
    struct loaded l;

    (void)state;
    load(&l, tn_text(sample));
    const struct tn_vocab_op   *add  = find(&l, "", "Add", 1);
    const struct tn_vocab_attr *axis = tn_vocab_find_attr(add, tn_text("axis"));
    assert_false(axis->is_required || axis->has_default || axis->is_list);
    const struct tn_vocab_attr *mode = tn_vocab_find_attr(add, tn_text("mode"));
    assert_true(mode->has_default && mode->is_restricted);
    assert_text(mode->value.of.strings[0], "a\"\n");
    assert_int_equal(mode->string_count, 2);
    assert_text(mode->strings[0], "a\"\n");
    assert_text(mode->strings[1], "b c");
    assert_null(tn_vocab_find_attr(add, tn_text("mod")));

    const struct tn_vocab_op   *mul = find(&l, "d", "Mul", 0);
    const struct tn_vocab_attr *at  = mul->attrs;
    assert_int_equal(mul->attr_count, 7);
    assert_true(at[0].has_minimum && at[0].minimum == 1);
    assert_int_equal(at[0].value.of.ints[0], 2);
    assert_int_equal(at[1].value.of.ints[0], TN_INT8);
    assert_true(at[1].types & TN_VOCAB_TYPE(TN_BOOL));
    assert_true(at[2].is_required && at[2].is_list);
    assert_text(at[2].type, "list(type)");
    assert_int_equal(at[3].value.count, 3);
    assert_int_equal(at[3].value.of.shapes[0].dims[1], -1);
    assert_false(at[3].value.of.shapes[1].has_rank);
    assert_true(at[3].value.of.shapes[2].has_rank);
    assert_int_equal(at[4].value.count, 3);
    assert_true(at[4].value.of.floats[1] == -2.5f);
    assert_text(at[5].value.of.strings[0], "uint8[1 2]");
    assert_int_equal(at[6].value.of.ints[0], 1);
    unload(&l);
}

static void says_lists_and_flags(void **state)
{
    struct loaded l;

    (void)state;
    load(&l, tn_text(sample));
    const struct tn_vocab_op *mul = find(&l, "d", "Mul", 99);
    assert_true(mul->has_lists);
    assert_int_equal(mul->inputs[0].arity, TN_VOCAB_COUNTED);
    assert_text(mul->inputs[0].list, "N");
    assert_int_equal(mul->inputs[1].arity, TN_VOCAB_BY_TYPES);
    assert_text(mul->inputs[1].list, "Ts");
    assert_true(mul->inputs[2].is_ref);
    assert_int_equal(mul->output_counts, 6);
    const struct tn_vocab_op *old = find(&l, "other", "Old", 0);
    assert_true(old->is_legacy && old->is_stateful && old->is_aggregate);
    assert_true(old->is_loose && !mul->is_loose);
    assert_false(old->has_signature);
    assert_true(tn_vocab_domain(&l.vocab, tn_text("other"))->is_open);
    assert_false(tn_vocab_domain(&l.vocab, tn_text(""))->is_open);
    unload(&l);
}

static void says_where_attributes_sit(void **state)
{
    struct loaded l;

    (void)state;
    load(&l, tn_text(sample));
    const struct tn_vocab_op *absolute = find(&l, "other", "abs", 0);
    assert_text(absolute->kernel, "TRANSFORM_SAME");
    assert_int_equal(absolute->kernel_number, 0);
    assert_false(absolute->is_legacy);
    const struct tn_vocab_op *conv = find(&l, "other", "conv", 0);
    assert_int_equal(conv->kernel.size, 0);
    assert_int_equal(conv->attr_count, 9);
    for (uint32_t i = 0; i < conv->attr_count; i++) {
        const struct tn_vocab_attr *attr = &conv->attrs[i];
        assert_ptr_equal(tn_vocab_find_slot(conv, attr->list, attr->slot),
                         attr);
    }
    assert_null(tn_vocab_find_slot(conv, TN_VOCAB_IARGS, 2));
    assert_ptr_equal(tn_vocab_find_slot(conv, TN_VOCAB_IARGS, 9),
                     &conv->attrs[2]);
    assert_null(tn_vocab_find_slot(conv, TN_VOCAB_TARGS, 1));
    assert_int_equal(conv->attrs[1].value.of.ints[0], 1);
    assert_int_equal(find(&l, "d", "Mul", 0)->attrs[0].list, TN_VOCAB_NAMED);
    unload(&l);
}

static void finds_by_version(void **state)
{
    struct loaded   l;
    struct tn_bytes d = tn_text("d"), add = tn_text("Add");

    (void)state;
    load(&l, tn_text(sample));
    assert_null(find(&l, "d", "Add", 0));
    assert_int_equal(find(&l, "d", "Add", 7)->deprecated, 7);
    assert_int_equal(find(&l, "d", "Add", INT64_MAX)->since, 7);
    assert_null(find(&l, "d", "Ad", 7));
    assert_null(find(&l, "d", "Addy", 7));
    assert_null(find(&l, "other", "Add", 7));
    assert_null(find(&l, "nowhere", "Add", 7));
    assert_int_equal(l.error.status, TN_OK);
    assert_int_equal(tn_vocab_first_version(&l.vocab, d, add), 1);
    assert_int_equal(tn_vocab_next_version(&l.vocab, d, add, 1), 7);
    assert_int_equal(tn_vocab_next_version(&l.vocab, d, add, 7), -1);
    assert_int_equal(tn_vocab_first_version(&l.vocab, d, tn_text("Ad")), -1);
    unload(&l);
}

/* ---- broken ones -------------------------------------------------------- */

static const struct {
    const char    *text;
    enum tn_status status;
    uint64_t       offset;
    const char    *where;
} broken[] = {
    { "", TN_MALFORMED, 0, "line 1, column 1" },
    { "vocabulary x 2", TN_UNSUPPORTED, 13, "line 1, column 14" },
    { "vocabulary x 1 y", TN_MALFORMED, 15, "line 1, column 16" },
    { "vocabulary x 1\nop A", TN_MALFORMED, 15, "line 2, column 1" },
    { "vocabulary x 1\n    a int", TN_MALFORMED, 15, "line 2, column 1" },
    { "vocabulary x 1\nhello", TN_MALFORMED, 15, "line 2, column 1" },
    { "vocabulary x 1\ntypes a = {int9}", TN_MALFORMED, 26,
      "line 2, column 12" },
    { "vocabulary x 1\ntypes a = {int8", TN_MALFORMED, 30,
      "line 2, column 16" },
    { "vocabulary x 1\ntypes a = {}\ntypes a = {}", TN_MALFORMED, 34,
      "line 3, column 7" },
    { "vocabulary x 1\ndomain a\ndomain a", TN_MALFORMED, 31,
      "line 3, column 8" },
    { "vocabulary x 1\ndomain a b c", TN_MALFORMED, 26, "line 2, column 12" },
#define OPS "vocabulary x 1\ndomain a\n" /* 24 bytes */
    { OPS "op B\nop A", TN_MALFORMED, 32, "line 4, column 4" },
    { OPS "op A@2\nop A@2", TN_MALFORMED, 34, "line 4, column 4" },
    { OPS "op A@99999999999", TN_LIMIT, 29, "line 3, column 6" },
    { OPS "op A (x", TN_MALFORMED, 31, "line 3, column 8" },
    { OPS "op A (x int8", TN_MALFORMED, 36, "line 3, column 13" },
    { OPS "op A (x int8)", TN_MALFORMED, 37, "line 3, column 14" },
    { OPS "op A (x* int8, y int8) -> ()", TN_MALFORMED, 39,
      "line 3, column 16" },
    { OPS "op A (x float33) -> ()", TN_MALFORMED, 32, "line 3, column 9" },
    { OPS "op A (x int8[) -> ()", TN_MALFORMED, 37, "line 3, column 14" },
    { OPS "op A (x int8[q]) -> ()", TN_MALFORMED, 37, "line 3, column 14" },
    { OPS "op A (x int8[33]) -> ()", TN_LIMIT, 37, "line 3, column 14" },
    { OPS "op A (x int8[2..r]) -> ()", TN_MALFORMED, 40, "line 3, column 17" },
    { OPS "op A (x int8[..2]) -> ()", TN_MALFORMED, 39, "line 3, column 16" },
    { OPS "op A (x $T|) -> ()", TN_MALFORMED, 35, "line 3, column 12" },
    { OPS "op A () -> () big", TN_MALFORMED, 38, "line 3, column 15" },
    { OPS "op A () -> () outputs{64}", TN_LIMIT, 48, "line 3, column 25" },
    { OPS "op A\n    a", TN_MALFORMED, 34, "line 4, column 6" },
    { OPS "op A\n    a number", TN_MALFORMED, 35, "line 4, column 7" },
    { OPS "op A\n    a int = x", TN_MALFORMED, 41, "line 4, column 13" },
    { OPS "op A\n    a int = 1 2", TN_MALFORMED, 43, "line 4, column 15" },
    { OPS "op A\n    a bool = yes", TN_MALFORMED, 42, "line 4, column 14" },
    { OPS "op A\n    a string = \"x", TN_MALFORMED, 44, "line 4, column 16" },
    { OPS "op A\n    a string = \"\\q\"", TN_MALFORMED, 45,
      "line 4, column 17" },
    { OPS "op A\n    a list(int) = [1", TN_MALFORMED, 49, "line 4, column 21" },
    { OPS "op A\n    a shape = [1#", TN_MALFORMED, 45, "line 4, column 17" },
    { OPS "op A\n    a graph = 1", TN_MALFORMED, 43, "line 4, column 15" },
    { OPS "op A\n    a int in {1}", TN_MALFORMED, 42, "line 4, column 14" },
    { OPS "op A\n    a int\n    a int", TN_MALFORMED, 43, "line 5, column 5" },
    { OPS "op A legacy(3)", TN_MALFORMED, 37, "line 3, column 14" },
    { OPS "op A legacy(X 3", TN_MALFORMED, 39, "line 3, column 16" },
    { OPS "op A\n    a int @x0", TN_MALFORMED, 40, "line 4, column 12" },
    { OPS "op A\n    a int @i", TN_MALFORMED, 41, "line 4, column 13" },
    { OPS "op A\n    a int @i256", TN_LIMIT, 41, "line 4, column 13" },
    { OPS "op A\n    a int @t0", TN_MALFORMED, 40, "line 4, column 12" },
    { OPS "op A\n    a int @i0..", TN_MALFORMED, 40, "line 4, column 12" },
    { OPS "op A\n    a list(int) @i0", TN_MALFORMED, 46, "line 4, column 18" },
    { OPS "op A\n    a int @axis", TN_MALFORMED, 40, "line 4, column 12" },
    { OPS "op A\n    a int @i0\n    b int @i0", TN_MALFORMED, 54,
      "line 5, column 12" },
    { OPS "op A\n    a list(int) @i1..\n    b int @i7", TN_MALFORMED, 62,
      "line 5, column 12" },
    { OPS "op A\n    $T in {map(bool,int8)}", TN_MALFORMED, 44,
      "line 4, column 16" },
    { "vocabulary x 1\nfacts A", TN_MALFORMED, 21, "line 2, column 7" },
    { OPS "facts A\n    where a == 1", TN_MALFORMED, 31, "line 3, column 8" },
#define FACT OPS "op A (x int8[s]) -> (y int8[s])\n    a int\nfacts A\n    "
    { FACT "where b == 1", TN_MALFORMED, 78, "line 6, column 5" },
    { FACT "makes z = x[:]", TN_MALFORMED, 78, "line 6, column 5" },
    { FACT "that a == 1", TN_MALFORMED, 78, "line 6, column 5" },
    { FACT "where a = 1", TN_MALFORMED, 86, "line 6, column 13" },
    { FACT "where a ==", TN_MALFORMED, 88, "line 6, column 15" },
    { FACT "where a == 1 2", TN_MALFORMED, 91, "line 6, column 18" },
    { FACT "where a in 1", TN_MALFORMED, 90, "line 6, column 17" },
    { FACT "where (a == 1", TN_MALFORMED, 87, "line 6, column 14" },
    { FACT "where x[1 == 1", TN_MALFORMED, 88, "line 6, column 15" },
    { FACT "where least(a) == 1", TN_MALFORMED, 84, "line 6, column 11" },
    { FACT "where a is b", TN_MALFORMED, 89, "line 6, column 16" },
    { FACT "where a == 1 if a == 1 and a == 2 and a == 3", TN_LIMIT, 116,
      "line 6, column 43" },
    { FACT "where ((((((((((((((((a == 1", TN_LIMIT, 100, "line 6, column 27" },
    { OPS "op A\nfacts A @x\n", TN_MALFORMED, 38, "line 4, column 10" },
};

static void refuses_with_line_and_column(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
        struct loaded l;

        load(&l, tn_text(broken[i].text));
        if (l.error.status != broken[i].status ||
            l.error.offset != broken[i].offset ||
            strcmp(l.error.where, broken[i].where) != 0)
            fail_msg("'%s': status %d at %d, %s: %s", broken[i].text,
                     (int)l.error.status, (int)l.error.offset, l.error.where,
                     l.error.what);
        unload(&l);
    }
}

static enum tn_status read_any(struct tn_bytes text, struct tn_memory *memory,
                               struct tn_error *error)
{
    struct tn_arena arena;
    struct tn_vocab vocab;

    tn_arena_init(&arena, memory);
    tn_vocab_load(&vocab, &arena, text, error);
    tn_arena_done(&arena);
    return error->status;
}

/* A prefix that ends with a line is a vocabulary too; any other is refused at a
 * place inside. */
static void survives_hostility(void **state)
{
    struct tn_bytes good = tn_text(sample);

    (void)state;
    for (size_t i = 0; i < good.size; i++) {
        struct tn_error   error = TN_ERROR_INIT;
        struct tn_memory  memory;
        struct tn_guarded cut = tn_guard(tn_bytes(good.data, i));
        tn_memory_init(&memory, NULL, 0);
        if (read_any(cut.bytes, &memory, &error) != TN_OK)
            assert_true(error.what[0] && error.where[0] && error.offset <= i);
        assert_int_equal(memory.used, 0);
        tn_unguard(&cut);
    }
    tn_survives_every_flip(read_any, good);
    tn_survives_no_memory(read_any, good);
}

/* ---- the ones we carry -------------------------------------------------- */

static void carries_onnx(void **state)
{
    struct loaded l;

    (void)state;
    load(&l, rules_text("onnx.ops"));
    if (l.error.status != TN_OK)
        fail_msg("%s: %s", l.error.where, l.error.what);
    assert_int_equal(l.vocab.row_count, 653);
    assert_int_equal(find(&l, "ai.onnx", "Conv", 17)->since, 11);
    assert_int_equal(find(&l, "", "Conv", 10)->since, 1);
    assert_int_equal(find(&l, "", "Upsample", 10)->deprecated, 10);
    assert_int_equal(find(&l, "", "Loop", 13)->min_inputs, 2);
    assert_int_equal(find(&l, "", "BatchNormalization", 9)->output_counts,
                     1 << 1 | 1 << 5);
    assert_int_equal(find(&l, "ai.onnx.ml", "ZipMap", 1)
                         ->variables[0]
                         .types.map_sequences[0],
                     TN_VOCAB_TYPE(TN_FLOAT32));
    assert_true(find(&l, "", "ATen", 1)->is_legacy);
    assert_null(find(&l, "", "Gelu", 19));
    assert_non_null(find(&l, "", "Gelu", 20));
    assert_int_equal(
        tn_vocab_domain(&l.vocab, tn_text("ai.onnx.training"))->row_count, 0);
    unload(&l);
}

static void carries_tensorflow(void **state)
{
    struct loaded l;

    (void)state;
    load(&l, rules_text("tensorflow.ops"));
    if (l.error.status != TN_OK)
        fail_msg("%s: %s", l.error.where, l.error.what);
    assert_int_equal(l.vocab.row_count, 1570);
    const struct tn_vocab_op *conv = find(&l, "", "Conv2D", 2000);
    assert_int_equal(
        tn_vocab_find_attr(conv, tn_text("dilations"))->value.count, 4);
    const struct tn_vocab_attr *training = tn_vocab_find_attr(
        find(&l, "", "FusedBatchNormV3", 0), tn_text("is_training"));
    assert_int_equal(training->value.of.ints[0], 1);
    assert_int_equal(find(&l, "", "AddN", 0)->inputs[0].arity,
                     TN_VOCAB_COUNTED);
    assert_true(find(&l, "", "VarHandleOp", 0)->is_stateful);
    assert_int_equal(find(&l, "", "BatchMatrixBandPart", 0)->deprecated, 14);
    unload(&l);
}

/* tests/rules/nd4j_vocab.py holds it against the shipped declarations. */
static void carries_nd4j(void **state)
{
    struct loaded l;

    (void)state;
    load(&l, rules_text("nd4j.ops"));
    if (l.error.status != TN_OK)
        fail_msg("%s: %s", l.error.where, l.error.what);
    assert_int_equal(l.vocab.row_count, 718);
    const struct tn_vocab_op   *conv = find(&l, "", "conv2d", 0);
    const struct tn_vocab_attr *format =
        tn_vocab_find_slot(conv, TN_VOCAB_IARGS, 10);
    assert_text(format->name, "wFormat");
    assert_int_equal(format->value.of.ints[0], 0);
    assert_int_equal(conv->inputs[2].arity, TN_VOCAB_OPTIONAL);
    const struct tn_vocab_op *sum = find(&l, "nd4j", "reduce_sum", 0);
    assert_text(sum->kernel, "REDUCE_SAME");
    assert_text(tn_vocab_find_slot(sum, TN_VOCAB_AXIS, 0)->name, "dimensions");
    const struct tn_vocab_op *cumsum = find(&l, "", "cumsum", 0);
    assert_int_equal(tn_vocab_find_attr(cumsum, tn_text("exclusive_b"))->list,
                     TN_VOCAB_BARGS);
    assert_true(tn_vocab_find_slot(cumsum, TN_VOCAB_IARGS, 2)->is_rest);
    assert_int_equal(find(&l, "", "concat", 0)->max_inputs, UINT32_MAX);
    unload(&l);
}

/* Slots of many arguments stand last; the first of two is counted. */
static void carries_paddle(void **state)
{
    struct loaded l;

    (void)state;
    load(&l, rules_text("paddle.ops"));
    if (l.error.status != TN_OK)
        fail_msg("%s: %s", l.error.where, l.error.what);
    assert_true(l.vocab.row_count >= 342);
    const struct tn_vocab_op *slice = find(&l, "", "slice", 0);
    assert_text(slice->inputs[3].name, "StartsTensorList");
    assert_int_equal(slice->inputs[3].arity, TN_VOCAB_COUNTED);
    assert_text(slice->inputs[3].list, "starts_count");
    assert_int_equal(slice->inputs[4].arity, TN_VOCAB_MANY);
    assert_text(find(&l, "paddle", "batch_norm", 0)->inputs[3].name, "Mean");
    unload(&l);
}

/* Only what is asked for is parsed. */
static void index_is_lazy(void **state)
{
    struct loaded   l   = { .error = TN_ERROR_INIT };
    struct tn_bytes bad = tn_text(OPS "op A () -> ()\nop B ((((");

    (void)state;
    tn_memory_init(&l.memory, NULL, 0);
    tn_arena_init(&l.arena, &l.memory);
    assert_int_equal(tn_vocab_index(&l.vocab, &l.arena, bad, &l.error), TN_OK);
    assert_non_null(find(&l, "a", "A", 0));
    assert_int_equal(l.error.status, TN_OK);
    assert_null(find(&l, "a", "B", 0));
    assert_int_equal(l.error.status, TN_MALFORMED);
    unload(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_what_an_operator_takes),
        cmocka_unit_test(says_what_attributes_are),
        cmocka_unit_test(says_what_sizes_have_to_be),
        cmocka_unit_test(says_lists_and_flags),
        cmocka_unit_test(says_where_attributes_sit),
        cmocka_unit_test(finds_by_version),
        cmocka_unit_test(refuses_with_line_and_column),
        cmocka_unit_test(survives_hostility),
        cmocka_unit_test(carries_onnx),
        cmocka_unit_test(carries_tensorflow),
        cmocka_unit_test(carries_nd4j),
        cmocka_unit_test(carries_paddle),
        cmocka_unit_test(index_is_lazy),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
