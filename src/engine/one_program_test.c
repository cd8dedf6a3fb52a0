/* one_program_test.c - programs of Paddle that have nothing but one operator */
#include "engine/one_node.h"

#include <tenon/model.h>

#include "engine/node_testing.h"

#define TWO                                                                    \
    "type: 'op' inputs { parameter: 'X' arguments: 'a' } "                     \
    "inputs { parameter: 'Y' arguments: 'b' } "                                \
    "outputs { parameter: 'Out' arguments: 'c' }"

static void write_program(struct testing_known *t, struct tn_buffer *to)
{
    const struct tn_bytes *sorted[4]; /* the tests name them in order */
    struct tn_one_node     one = { .bytes  = t->bytes,
                                   .known  = t->known,
                                   .inputs = t->inputs,
                                   .sorted = sorted };
    struct tn_rope         rope;

    assert_true(t->bare.node.input_count <= 4);
    for (uint32_t i = 0; i < t->bare.node.input_count; i++)
        sorted[i] = &t->bare.node.inputs[i];
    tn_rope_init(&rope, &t->arena, &t->error);
    tn_buffer_init(to, &t->memory, &t->error);
    tn_one_program(&one, &t->arena, &rope, &t->error);
    if (!tn_failed(&t->error))
        tn_rope_write(&rope, &to->sink, &t->error);
    tn_rope_done(&rope);
}

/* Which operators there are, in order; then the ends. */
static void print_program(struct tn_buffer *out, const struct tn_model *model)
{
    struct tn_graph_info graph = tn_model_graph(model, 0);

    for (uint32_t i = 0; i < tn_model_op_count(model); i++)
        tn_buffer_format(out, "%.*s ", TN_FMT(tn_model_op(model, i).type));
    for (uint32_t i = 0; i < graph.inputs.count; i++) {
        const struct tn_io *io = &graph.inputs.items[i];
        tn_buffer_format(out, "| %.*s %s", TN_FMT(io->name),
                         tn_dtype_name(io->dtype));
        for (uint32_t k = 0; io->has_rank && k < io->rank; k++)
            tn_buffer_format(out, " %d", (int)io->dims[k].value);
    }
    for (uint32_t i = 0; i < graph.outputs.count; i++)
        tn_buffer_format(out, "> %.*s", TN_FMT(graph.outputs.items[i].name));
}

static const struct {
    const char *node, *told, *program;
} rows[] = {
    { TWO, "a:float32[2,?] b:int64[3]",
      "feed feed op fetch | a float32 2 -1| b int64 3> c" },
    { TWO, NULL, "feed feed op fetch | a undefined| b undefined> c" },
    { TWO, "a:float32 b:float32[]",
      "feed feed op fetch | a undefined| b float32> c" },
    { TWO, "a:float32[1] b:float32=[1,2]",
      "feed assign_value op fetch | a float32 1> c" },
    { "type: 'op' inputs { parameter: 'X' arguments: 'a' } "
      "inputs { parameter: 'Y' arguments: 'a' } "
      "outputs { parameter: 'Out' arguments: 'c' arguments: 'd' }",
      "a:bool[4]", "feed op fetch fetch | a bool 4> c> d" },
};

static void test_programs(void **state)
{
    (void)state;
    for (size_t row = 0; row < sizeof rows / sizeof rows[0]; row++) {
        struct tn_options    how = { .from = "paddle", .wants_graph = true };
        struct testing_known t;
        struct tn_buffer     bytes, out;
        struct tn_model     *model;

        testing_know(&t, rows[row].node, NULL, rows[row].told);
        write_program(&t, &bytes);
        tn_buffer_init(&out, &t.memory, &t.error);
        if (tn_failed(&t.error) ||
            tn_model_open_source(&model, "program", bytes.size,
                                 tn_buffer_read_at, &bytes, &how,
                                 &t.error) != TN_OK)
            fail_msg("row %zu: %s", row, t.error.what);
        print_program(&out, model);
        if (strcmp(tn_buffer_string(&out), rows[row].program))
            fail_msg("row %zu: %s", row, tn_buffer_string(&out));
        tn_model_close(model);
        tn_buffer_done(&out);
        tn_buffer_done(&bytes);
        testing_forget(&t);
    }
}

/* What assign_value is given; NULL: it has no list for that type. */
static const struct {
    const char *value, *attr;
    double      second;
} constants[] = {
    { "a:float32[1] b:float32=[1,0.5]", "fp32_values", 0.5 },
    { "a:float32[1] b:int64=[1,-7]", "int64_values", -7 },
    { "a:float32[1] b:int32=[1,-7]", "int32_values", -7 },
    { "a:float32[1] b:bool=[true,false]", "bool_values", 0 },
    { "a:float32[1] b:float64=[1,2]", NULL, 0 },
    { "a:float32[1] b:string=\"text\"", NULL, 0 },
};

static double second_of(const struct tn_attr_value *value)
{
    assert_int_equal(value->count, 2);
    return value->kind == TN_ATTR_FLOAT ? (double)value->of.floats[1]
                                        : (double)value->of.ints[1];
}

static void check_constant(const struct tn_model *model, size_t row,
                           struct tn_error *error)
{
    struct tn_attr *attr = NULL, *shape = NULL;
    uint32_t        op = 1; /* after the feed */

    assert_true(tn_bytes_is(tn_model_op(model, op).type, "assign_value"));
    if (tn_attr_find(&attr, model, op, constants[row].attr, error) != TN_OK)
        fail_msg("row %zu: %s", row, error->what);
    assert_true(second_of(tn_attr_get(attr)) == constants[row].second);
    tn_attr_find(&shape, model, op, "shape", error);
    assert_int_equal(tn_attr_get(shape)->count, 1);
    assert_int_equal(tn_attr_get(shape)->of.ints[0], 2);
    tn_attr_close(attr);
    tn_attr_close(shape);
}

static void test_constants(void **state)
{
    (void)state;
    for (size_t row = 0; row < sizeof constants / sizeof constants[0]; row++) {
        struct tn_options    how = { .from = "paddle", .wants_graph = true };
        struct testing_known t;
        struct tn_buffer     bytes;
        struct tn_model     *model = NULL;

        testing_know(&t, TWO, NULL, constants[row].value);
        write_program(&t, &bytes);
        assert_int_equal(t.error.status,
                         constants[row].attr ? TN_OK : TN_UNSUPPORTED);
        if (constants[row].attr) {
            assert_int_equal(tn_model_open_source(&model, "program", bytes.size,
                                                  tn_buffer_read_at, &bytes,
                                                  &how, &t.error),
                             TN_OK);
            check_constant(model, row, &t.error);
        }
        tn_model_close(model);
        tn_buffer_done(&bytes);
        testing_forget(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_programs),
        cmocka_unit_test(test_constants),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
