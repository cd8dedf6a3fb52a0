/* framework_ops_test.c - the frameworks' own definitions as vocabularies:
 * TensorFlow's say what ours say */
#include "map/dl4j/framework_ops.h"

#include <stdio.h>
#include <stdlib.h>

#include "codec/gzip.h"
#include "support/hostile.h"

struct loaded {
    struct tn_memory memory;
    struct tn_arena  arena;
    struct tn_error  error;
    struct tn_vocab  ours, theirs;
};

/* ONNX's definitions are nodes. */
static void read_ops(struct tn_vocab *vocab, struct tn_arena *arena,
                     struct tn_bytes text, struct tn_error *error)
{
    struct tn_text_field root;
    bool                 is_onnx = tn_bytes_starts_with(text, "node");

    if (tn_text_tree_read(&root, arena, text, error) == TN_OK)
        (is_onnx ? tn_onnx_ops_read : tn_tensorflow_ops_read)(vocab, arena,
                                                              &root, error);
}

static void load(struct loaded *l, struct tn_bytes text)
{
    l->error = (struct tn_error)TN_ERROR_INIT;
    tn_memory_init(&l->memory, NULL, 0);
    tn_arena_init(&l->arena, &l->memory);
    read_ops(&l->theirs, &l->arena, text, &l->error);
}

static void unload(struct loaded *l)
{
    tn_arena_done(&l->arena);
    assert_int_equal(l->memory.used, 0);
}

static void assert_args(const struct tn_vocab_arg *a,
                        const struct tn_vocab_arg *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        assert_true(tn_bytes_equal(a[i].name, b[i].name));
        assert_true(tn_bytes_equal(a[i].list, b[i].list));
        assert_true(tn_bytes_equal(a[i].variable, b[i].variable));
        assert_int_equal(a[i].arity, b[i].arity);
        assert_int_equal(a[i].is_ref, b[i].is_ref);
        assert_int_equal(a[i].types.tensors, b[i].types.tensors);
    }
}

static void assert_same(const struct tn_vocab_op *a,
                        const struct tn_vocab_op *b)
{
    assert_int_equal(a->input_count, b->input_count);
    assert_int_equal(a->output_count, b->output_count);
    assert_int_equal(a->attr_count, b->attr_count);
    assert_int_equal(a->is_stateful, b->is_stateful);
    assert_int_equal(a->deprecated, b->deprecated);
    assert_args(a->inputs, b->inputs, a->input_count);
    assert_args(a->outputs, b->outputs, a->output_count);
    for (uint32_t i = 0; i < a->attr_count; i++) {
        const struct tn_vocab_attr *x = &a->attrs[i];
        const struct tn_vocab_attr *y = tn_vocab_find_attr(b, x->name);

        assert_non_null(y);
        assert_true(tn_bytes_equal(x->type, y->type));
        assert_int_equal(x->has_default, y->has_default);
        assert_int_equal(x->types, y->types);
        assert_int_equal(x->string_count, y->string_count);
        if (x->has_default && x->value.kind == TN_ATTR_INT && !x->is_list)
            assert_int_equal(x->value.of.ints[0], y->value.of.ints[0]);
    }
}

static void compare_all(struct loaded *l)
{
    assert_int_equal(
        tn_vocab_open(&l->ours, &l->arena, "tensorflow", &l->error), TN_OK);
    assert_int_equal(l->theirs.row_count, 1563);
    for (uint32_t i = 0; i < l->theirs.row_count; i++) {
        const struct tn_vocab_op *op = tn_vocab_at(&l->theirs, i, &l->error);

        if (!op)
            fail_msg("%s: %s", l->error.where, l->error.what);
        const struct tn_vocab_op *own =
            tn_vocab_find(&l->ours, tn_bytes(NULL, 0), op->name, 1, &l->error);
        if (!own)
            fail_msg("ours lacks %.*s", TN_FMT(op->name));
        assert_same(op, own);
    }
}

static void test_our_vocabulary_agrees(void **state)
{
    struct tn_bytes packed =
        tn_load_file(TN_SHARED_DATA "/import/tensorflow-ops.pbtxt.gz");
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_memory memory;
    struct tn_buffer text;
    struct loaded    l;

    (void)state;
    if (!packed.data) {
        puts("skipped: wants real models");
        return;
    }
    tn_memory_init(&memory, NULL, 0);
    tn_buffer_init(&text, &memory, &error);
    assert_int_equal(tn_gzip_decode(packed, 1 << 24, &text, &error), TN_OK);
    load(&l, tn_buffer_bytes(&text));
    assert_string_equal(l.error.what, "");
    compare_all(&l);
    unload(&l);
    tn_buffer_done(&text);
    free((void *)(uintptr_t)packed.data);
}

static const struct {
    const char *text, *what;
} refused[] = {
    { "op { }", "line 1, column 1: 'op' without 'name'" },
    { "op { name: 'a b' }", "line 1, column 6: 'a b' is not a name" },
    { "op { name: 'A' input_arg { name: 'x' } }",
      "line 1, column 16: an argument without a type" },
    { "op { name: 'A' input_arg { name: 'x' type: DT_NONE } }",
      "line 1, column 38: unknown type 'DT_NONE'" },
    { "op { name: 'A' attr { name: 'x' } }",
      "line 1, column 16: an attribute without type" },
    { "op { name: 'A' attr { name: 'x' type: 'int' default_value { q: 3 } } }",
      "line 1, column 61: a value cannot be 'q'" },
    { "op { name: 'A' attr { name: 'x' type: 'tensor' default_value { tensor { "
      "} } } }",
      "line 1, column 64: a tensor without dtype" },
    { "op { name: 3 }", "line 1, column 6: 'name' takes a string" },
    { "node { }", "line 1, column 1: 'node' without 'op_type'" },
    { "node: 3", "line 1, column 1: 'node' takes a message" },
    { "node { op_type: 'A' input: 'x y' }",
      "line 1, column 21: 'x y' is not a name" },
    { "node { op_type: 'A' output: '' }", "line 1, column 21: '' is not a name" },
    { "node { op_type: 'A' attribute { name: 'x' } }",
      "line 1, column 21: an attribute needs name and type" },
    { "node { op_type: 'A' attribute { type: INT } }",
      "line 1, column 21: an attribute needs name and type" },
    { "node { op_type: 'A' attribute { name: 3 type: INT } }",
      "line 1, column 33: 'name' takes a string" },
    { "node { op_type: 'A' attribute { name: 'x' type: INTEGER } }",
      "line 1, column 43: unknown type 'INTEGER'" },
    { "node { op_type: 'A' attribute { name: 'x' type: INT i: 'a' } }",
      "line 1, column 53: 'i' takes a whole number of 64 bits" },
    { "node { op_type: 'A' } node { op_type: 'A' }",
      "'A' must come before the one above it" },
};

static void test_broken_definitions_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        struct loaded l;

        load(&l, tn_text(refused[i].text));
        assert_string_equal(l.error.what, refused[i].what);
        unload(&l);
    }
}

/* ---- definitions made for tests ----------------------------------------- */

static void print_args(struct tn_buffer *out, const struct tn_vocab_arg *args,
                       uint32_t count)
{
    tn_buffer_byte(out, '(');
    for (uint32_t i = 0; i < count; i++)
        tn_buffer_format(out, "%s%.*s", i ? " " : "", TN_FMT(args[i].name));
    tn_buffer_byte(out, ')');
}

static void print_shape(struct tn_buffer           *out,
                        const struct tn_attr_shape *shape)
{
    tn_buffer_byte(out, shape->has_rank ? '[' : '?');
    for (uint32_t i = 0; shape->has_rank && i < shape->rank; i++)
        tn_buffer_format(out, " %lld", (long long)shape->dims[i]);
    tn_buffer_text(out, shape->has_rank ? " ]" : "");
}

static void print_value(struct tn_buffer *out, const struct tn_attr_value *v)
{
    for (uint32_t i = 0; i < v->count; i++)
        if (v->kind == TN_ATTR_INT || v->kind == TN_ATTR_BOOL)
            tn_buffer_format(out, "%lld", (long long)v->of.ints[i]);
        else if (v->kind == TN_ATTR_FLOAT)
            tn_buffer_format(out, "%g", v->of.floats[i]);
        else if (v->kind == TN_ATTR_STRING)
            tn_buffer_add(out, v->of.strings[i]);
        else if (v->kind == TN_ATTR_SHAPE)
            print_shape(out, &v->of.shapes[i]);
}

/* "Op(x y)->(z) i?int s:string=SAME": all that a definition says. */
static void print_op(struct tn_buffer *out, const struct tn_vocab_op *op)
{
    tn_buffer_add(out, op->name);
    print_args(out, op->inputs, op->input_count);
    tn_buffer_text(out, "->");
    print_args(out, op->outputs, op->output_count);
    for (uint32_t i = 0; i < op->attr_count; i++) {
        const struct tn_vocab_attr *attr = &op->attrs[i];
        tn_buffer_format(out, " %.*s:%.*s", TN_FMT(attr->name),
                         TN_FMT(attr->type));
        if (attr->has_default) {
            tn_buffer_byte(out, '=');
            print_value(out, &attr->value);
        }
    }
}

static const struct {
    const char *text, *op;
} read_as[] = {
    { "node { op_type: 'A' input: 'x' input: 'y' output: 'z' }",
      "A(x y)->(z)" },
    { "node { op_type: 'A' attribute { name: 'f' type: FLOAT f: 0.5 } "
      "attribute { name: 'i' type: INT i: -3 } "
      "attribute { name: 's' type: STRING s: 'a\\t\\n\\\\\\\"b' } "
      "attribute { name: 'e' type: STRING s: '' } "
      "attribute { name: 'is' type: INTS } "
      "attribute { name: 'x-types' type: STRINGS strings: 'float' } "
      "attribute { name: 'g' type: GRAPH } }",
      "A()->() f:float=0.5 i:int=-3 s:string=a\t\n\\\"b e:string "
      "is:list(int) g:graph" },
    { "op { name: 'B' input_arg { name: 'x' type: DT_INT32 } attr { name: 's' "
      "type: 'string' default_value { s: 'a\\\"b' } } attr { name: 'b' type: "
      "'bool' default_value { b: true } } attr { name: 'sh' type: 'shape' "
      "default_value { shape { unknown_rank: true } } } }",
      "B(x)->() s:string=a\"b b:bool=1 sh:shape=?" },
    { "op { name: 'B' attr { name: 'a' type: 'shape' default_value { shape { "
      "unknown_rank: false dim { size: 3 } dim { name: 'n' } } } } attr { "
      "name: 'b' type: 'shape' default_value { shape { } } } }",
      "B()->() a:shape=[ 3 0 ] b:shape=[ ]" },
};

static void definitions_are_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof read_as / sizeof *read_as; i++) {
        struct loaded    l;
        struct tn_buffer out;
        load(&l, tn_text(read_as[i].text));
        assert_string_equal(l.error.what, "");
        const struct tn_vocab_op *op = tn_vocab_at(&l.theirs, 0, &l.error);
        if (!op)
            fail_msg("%s", l.error.what);
        tn_buffer_init(&out, &l.memory, &l.error);
        print_op(&out, op);
        if (strcmp(tn_buffer_string(&out), read_as[i].op) != 0)
            fail_msg("%s", tn_buffer_string(&out));
        tn_buffer_done(&out);
        unload(&l);
    }
}

static enum tn_status read_under_test(struct tn_bytes   text,
                                      struct tn_memory *memory,
                                      struct tn_error  *error)
{
    struct tn_arena arena;
    struct tn_vocab vocab;

    tn_arena_init(&arena, memory);
    read_ops(&vocab, &arena, text, error);
    tn_arena_done(&arena);
    return error->status;
}

static void definitions_survive_hostility(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof read_as / sizeof *read_as; i++) {
        tn_survives_every_flip(read_under_test, tn_text(read_as[i].text));
        tn_survives_no_memory(read_under_test, tn_text(read_as[i].text));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_our_vocabulary_agrees),
        cmocka_unit_test(test_broken_definitions_are_refused),
        cmocka_unit_test(definitions_are_read),
        cmocka_unit_test(definitions_survive_hostility),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
