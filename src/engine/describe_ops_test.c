/* describe_ops_test.c - models of nd4j as op descriptors */
#define _GNU_SOURCE /* asprintf, in the scratch folder */
#include "engine/describe_ops.h"

#include <stdlib.h>

#include <tenon/edit.h>

#include "base/buffer.h"
#include "support/hostile.h"
#include "support/little_models.h"

struct bench {
    struct tn_error        error;
    struct tn_interpreter *interpreter;
    struct tn_memory       memory;
    struct tn_arena        arena;
    struct tn_edit        *edit;
    struct tn_model       *model;
};

static int set_up(void **state)
{
    const struct tn_interpreter_options none = { .file_count = 0 };
    struct bench                       *b    = calloc(1, sizeof *b);

    b->error = (struct tn_error)TN_ERROR_INIT;
    tn_memory_init(&b->memory, NULL, 0);
    tn_arena_init(&b->arena, &b->memory);
    assert_int_equal(
        tn_interpreter_open(&b->interpreter, &none, NULL, &b->error), TN_OK);
    assert_int_equal(tn_edit_new(&b->edit, "samediff-fb", NULL, &b->error),
                     TN_OK);
    *state = b;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *b = *state;

    tn_model_close(b->model);
    tn_edit_close(b->edit);
    tn_interpreter_close(b->interpreter);
    tn_arena_done(&b->arena);
    assert_int_equal(b->memory.used, 0);
    free(b);
    return 0;
}

/* ---- a model by hand ---------------------------------------------------- */

static void add_input(struct bench *b, const char *name)
{
    struct tn_io io = { .name     = tn_text(name),
                        .dtype    = TN_FLOAT32,
                        .has_rank = true };

    assert_int_equal(tn_edit_add_input(b->edit, 0, &io, &b->error), TN_OK);
}

static uint32_t add_op(struct bench *b, const char *type, const char *first,
                       const char *second, const char *output)
{
    struct tn_op_spec spec = { .name   = output,
                               .type   = type,
                               .inputs = (const char *const[]){ first, second },
                               .outputs      = &output,
                               .input_count  = second ? 2 : 1,
                               .output_count = 1 };
    uint32_t          op;

    if (tn_edit_add_op(b->edit, 0, TN_NONE, &spec, &op, &b->error) != TN_OK)
        fail_msg("%s: %s", type, b->error.what);
    return op;
}

static void set_ints(struct bench *b, uint32_t op, const char *name,
                     enum tn_attr_kind kind, uint32_t count,
                     const int64_t *ints)
{
    struct tn_attr_value value = {
        .kind = kind, .is_list = true, .count = count, .of.ints = ints
    };

    if (tn_edit_set_attr(b->edit, op, name, &value, &b->error) != TN_OK)
        fail_msg("%s: %s", name, b->error.what);
}

static void add_output(struct bench *b, const char *name)
{
    struct tn_io io = { .name = tn_text(name), .dtype = TN_FLOAT32 };

    assert_int_equal(tn_edit_add_output(b->edit, 0, &io, &b->error), TN_OK);
}

/* ---- what comes of it --------------------------------------------------- */

static void print_arg(struct tn_buffer *out, const struct tn_arg *arg)
{
    tn_buffer_format(out, " %.*s", TN_FMT(arg->name));
    if (arg->type == TN_ARG_DOUBLE)
        tn_buffer_format(out, "=%g", arg->real);
    else if (arg->type == TN_ARG_OUTPUT_TENSOR)
        tn_buffer_format(out, "=%.*s", TN_FMT(arg->text));
    else if (arg->type != TN_ARG_INPUT_TENSOR)
        tn_buffer_format(out, "=%d", (int)arg->number);
    else if (arg->tensor.size)
        tn_buffer_text(out, "(made)");
}

/* "add in: a b out: outputs=c" */
static void print_op(struct tn_buffer *out, const struct tn_op_descriptor *op)
{
    tn_buffer_format(out, "%.*s", TN_FMT(op->name));
    for (int list = 0; list < TN_LIST_COUNT; list++) {
        if (op->lists[list].count)
            tn_buffer_format(out, " %s:", tn_arg_list_name(list));
        for (uint32_t i = 0; i < op->lists[list].count; i++) {
            assert_true(op->lists[list].items[i].has_value);
            print_arg(out, &op->lists[list].items[i]);
        }
    }
    tn_buffer_text(out, "; ");
}

static void assert_described(struct bench *b, struct tn_describing how,
                             const char *want)
{
    struct tn_op_descriptor first;
    struct tn_buffer        out;

    if (!b->model)
        tn_edit_commit(b->edit, &b->model, &b->error);
    how.interpreter = b->interpreter;
    how.model       = b->model;
    how.arena       = &b->arena;
    if (tn_failed(&b->error) ||
        tn_describe_ops(&how, &first, &b->error) != TN_OK)
        fail_msg("%s", b->error.what);
    tn_buffer_init(&out, &b->memory, &b->error);
    for (const struct tn_op_descriptor *op = &first; op; op = op->next)
        print_op(&out, op);
    if (strcmp(tn_buffer_string(&out), want))
        fail_msg("%s", tn_buffer_string(&out));
    tn_buffer_done(&out);
}

static void test_ops_are_wired_in_order(void **state)
{
    static const int64_t       axes[] = { 2, 0, 1 };
    static const int64_t       type   = TN_FLOAT16;
    const struct tn_describing plain  = { .name = NULL };
    struct bench              *b      = *state;

    add_input(b, "x");
    add_input(b, "y");
    add_op(b, "add", "x", "y", "sum");
    set_ints(b, add_op(b, "permute", "sum", NULL, "turned"), "iArgs",
             TN_ATTR_INT, 3, axes);
    set_ints(b, add_op(b, "cast", "turned", NULL, "z"), "dArgs", TN_ATTR_DTYPE,
             1, &type);
    assert_described(b, plain,
                     "add in: x y out: outputs=sum; "
                     "permute in: sum out: outputs=turned i: reverseDims=2 "
                     "reverseDims=0 reverseDims=1; "
                     "cast in: turned out: outputs=z d: dtype=10; ");
}

/* ---- names, constants, copies ------------------------------------------- */

static struct tn_bytes rename_x(const void *context, struct tn_bytes name)
{
    return tn_bytes_is(name, "x") ? tn_text(context) : name;
}

static bool is_k(const void *context, struct tn_bytes name)
{
    (void)context;
    return tn_bytes_is(name, "k");
}

static void add_constant(struct bench *b, const char *name)
{
    static const float elements[] = { 1, 2 };
    const uint64_t     two        = 2;

    tn_edit_add_elements(b->edit, 0, name, TN_FLOAT32, 1, &two,
                         tn_bytes(elements, sizeof elements), &b->error);
}

static void test_names_and_constants_are_the_callers(void **state)
{
    const struct tn_describing plain  = { .name = NULL };
    const struct tn_describing theirs = { .name     = rename_x,
                                          .is_known = is_k,
                                          .context  = "node:1" };
    struct bench              *b      = *state;

    add_input(b, "x");
    add_constant(b, "k");
    add_constant(b, "l");
    add_op(b, "add", "x", "k", "y");
    add_op(b, "add", "y", "l", "z");
    assert_described(b, plain,
                     "add in: x k(made) out: outputs=y; "
                     "add in: y l(made) out: outputs=z; ");
    assert_described(b, theirs,
                     "add in: node:1 k out: outputs=y; "
                     "add in: y l(made) out: outputs=z; ");
}

static void test_outputs_that_no_op_makes_are_copies(void **state)
{
    const struct tn_describing plain = { .name = NULL };
    struct bench              *b     = *state;

    add_input(b, "x");
    add_constant(b, "k");
    add_op(b, "add", "x", "x", "y");
    add_output(b, "y");
    add_output(b, "k");
    assert_described(b, plain,
                     "add in: x x out: outputs=y; "
                     "identity in: k(made) out: output=k; ");
}

/* ---- declarations ------------------------------------------------------- */

static void declare_add(struct bench *b)
{
    static const char text[] =
        "opList { name: 'add' opDeclarationType: BROADCASTABLE_OP_IMPL\n"
        "  argDescriptor { name: 'input' argType: INPUT_TENSOR }\n"
        "  argDescriptor { name: 'y' argType: INPUT_TENSOR argIndex: 1 }\n"
        "  argDescriptor { name: 'inPlace' argType: BOOL } }\n";
    struct tn_scratch                   scratch = tn_scratch_open();
    const char                         *file = tn_in_scratch(&scratch, "ops");
    const struct tn_interpreter_options with = { .files      = &file,
                                                 .file_count = 1 };

    tn_write_text(&scratch, "ops", text);
    tn_interpreter_close(b->interpreter);
    if (tn_interpreter_open(&b->interpreter, &with, NULL, &b->error) != TN_OK)
        fail_msg("%s", b->error.what);
    tn_scratch_close(&scratch);
}

/* Axes of an op that is called by the number of a kernel are its own. */
static void test_declarations(void **state)
{
    static const int64_t    axes[] = { 1 };
    struct bench           *b      = *state;
    struct tn_op_descriptor first;

    add_input(b, "x");
    set_ints(b, add_op(b, "any", "x", NULL, "y"), "dimensions", TN_ATTR_INT, 1,
             axes);
    add_op(b, "add", "y", "y", "z");
    assert_int_equal(tn_edit_commit(b->edit, &b->model, &b->error), TN_OK);
    for (int is_declared = 0; is_declared < 2; is_declared++) {
        struct tn_describing how = { .interpreter = b->interpreter,
                                     .model       = b->model,
                                     .arena       = &b->arena };
        assert_int_equal(tn_describe_ops(&how, &first, &b->error), TN_OK);
        assert_int_equal(first.declaration, TN_LEGACY_XYZ);
        assert_int_equal(first.lists[TN_LIST_AXIS].count, 1);
        assert_int_equal(first.lists[TN_LIST_AXIS].items[0].number, 1);
        assert_int_equal(first.in_count, 1);
        assert_int_equal(first.out_count, 1);
        assert_int_equal(first.next->declaration, is_declared
                                                      ? TN_BROADCASTABLE_OP_IMPL
                                                      : TN_CUSTOM_OP_IMPL);
        assert_int_equal(first.next->is_inplaceable, is_declared);
        assert_int_equal(first.next->in_count, 2);
        declare_add(b);
    }
}

static void test_nothing_is_no_op(void **state)
{
    struct bench           *b   = *state;
    struct tn_describing    how = { .interpreter = b->interpreter,
                                    .arena       = &b->arena };
    struct tn_op_descriptor first;

    add_input(b, "x");
    assert_int_equal(tn_edit_commit(b->edit, &b->model, &b->error), TN_OK);
    how.model = b->model;
    assert_int_equal(tn_describe_ops(&how, &first, &b->error), TN_UNSUPPORTED);
    assert_string_equal(b->error.what, "nothing is left to compute");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_ops_are_wired_in_order),
        TEST(test_names_and_constants_are_the_callers),
        TEST(test_outputs_that_no_op_makes_are_copies),
        TEST(test_declarations),
        TEST(test_nothing_is_no_op),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
