/* framework_ops_test.c - TensorFlow's own definitions say what ours say */
#include "map/dl4j/framework_ops.h"

#include <stdio.h>
#include <stdlib.h>

#include "codec/gzip.h"
#include "support/hostile.h"

struct loaded {
    struct tn_memory     memory;
    struct tn_arena      arena;
    struct tn_error      error;
    struct tn_text_field root;
    struct tn_vocab      ours, theirs;
};

static void load(struct loaded *l, struct tn_bytes text)
{
    l->error = (struct tn_error)TN_ERROR_INIT;
    tn_memory_init(&l->memory, NULL, 0);
    tn_arena_init(&l->arena, &l->memory);
    if (tn_text_tree_read(&l->root, &l->arena, text, &l->error) == TN_OK)
        tn_tensorflow_ops_read(&l->theirs, &l->arena, &l->root, &l->error);
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
    assert_int_equal(tn_vocab_index(&l->ours, &l->arena,
                                    tn_vocab_builtin("tensorflow"), &l->error),
                     TN_OK);
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
        puts("skipped: ../shared/data/import is not there");
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
    { "op { name: 'a b' }", "line 1, column 6: 'a b' is no name" },
    { "op { name: 'A' input_arg { name: 'x' } }",
      "line 1, column 16: an argument without a type" },
    { "op { name: 'A' input_arg { name: 'x' type: DT_NONE } }",
      "line 1, column 38: no type is 'DT_NONE'" },
    { "op { name: 'A' attr { name: 'x' } }",
      "line 1, column 16: an attribute without type" },
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_our_vocabulary_agrees),
        cmocka_unit_test(test_broken_definitions_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
