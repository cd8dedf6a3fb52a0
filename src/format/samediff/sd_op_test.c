/* sd_op_test.c - nodes of a FlatGraph as ops: old spellings, gaps and lies */
#include "format/samediff/sd_testing.h"
#include "ir/attr_key.h"

#define INPUT   "\"inputPaired\": [{\"first\": 4}]"
#define OUTPUTS "\"outputNames\": [\"out\"], "
#define IN_LIST "\"a\": [{ " SD_SCALAR " }]"
#define SCALAR  "\"scalar\": { " SD_SCALAR " }"
#define LIE     "\"shape\": [9], \"dtype\": \"FLOAT\", \"buffer\": [0]"

/* What the second op is, and what its first input and output are. */
static const struct {
    const char        *name;
    const char        *old, *new;
    const char        *type, *input, *output;
    enum tn_value_kind input_kind;
} rows[] = {
    { "as it is", INPUT, INPUT, "add_scalar", "mmul", "out", TN_VALUE_OUTPUT },
    { "no name of an op: its numbers", "\"opName\": \"add_scalar\", ", "",
      "SCALAR:1", "mmul", "out", TN_VALUE_OUTPUT },
    { "numbers without a second", INPUT, "\"input\": [4]", "add_scalar", "mmul",
      "out", TN_VALUE_OUTPUT },
    { "a number that nothing has", INPUT,
      "\"inputPaired\": [{\"first\": 77, \"second\": 2}]", "add_scalar",
      "(77,2)", "out", TN_VALUE_UNDEFINED },
    { "no names of outputs: by number", OUTPUTS, "", "add_scalar", "mmul",
      "out", TN_VALUE_OUTPUT },
};

static struct tn_bytes make_other(const char *old, const char *new)
{
    char           *text  = sd_replace(sd_little, old, new);
    struct tn_bytes bytes = sd_make(text);

    free(text);
    return bytes;
}

static void ops_are_read_in_every_spelling(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tn_bytes  bytes = make_other(rows[i].old, rows[i].new);
        struct sd_opened o;

        sd_must_open(&o, &tn_format_samediff_fb, bytes);
        struct tn_op_info    op = tn_model_op(&o.model, 1);
        struct tn_value_info input =
            tn_model_value_info(&o.model, tn_op_input(&o.model, 1, 0));
        struct tn_value_info output =
            tn_model_value_info(&o.model, tn_op_output(&o.model, 1, 0));
        if (!tn_bytes_is(op.type, rows[i].type) ||
            !tn_bytes_is(input.name, rows[i].input) ||
            !tn_bytes_is(output.name, rows[i].output))
            fail_msg("%s: %.*s(%.*s) -> %.*s", rows[i].name, TN_FMT(op.type),
                     TN_FMT(input.name), TN_FMT(output.name));
        assert_int_equal(input.kind, rows[i].input_kind);
        assert_int_equal(output.producer, 1);
        assert_true(tn_bytes_is(op.name, "add"));
        sd_close(&o);
        sd_free(bytes);
    }
}

static void outputs_are_in_order(void **state)
{
    static const char *const names[] = { "out", "second", "third" };
    struct tn_bytes          bytes   = make_other(
                   OUTPUTS, "\"outputNames\": [\"out\", \"second\", \"third\"], ");
    struct sd_opened o;

    (void)state;
    sd_must_open(&o, &tn_format_samediff_fb, bytes);
    assert_int_equal(tn_model_op(&o.model, 1).output_count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        struct tn_value_info output =
            tn_model_value_info(&o.model, tn_op_output(&o.model, 1, i));
        assert_true(tn_bytes_is(output.name, names[i]));
        assert_int_equal(output.producer, 1);
    }
    sd_close(&o);
    sd_free(bytes);
}

/* In a list of a property, and the scalar, which is in none. */
static void arrays_know_their_place(void **state)
{
    struct tn_bytes  bytes = sd_make(sd_little);
    struct sd_opened o;
    uint32_t         found = 0;

    (void)state;
    sd_must_open(&o, &tn_format_samediff_fb, bytes);
    for (uint64_t i = 0; i < o.model.tensors.count; i++) {
        const struct tn_tensor *tensor = tn_model_tensor(&o.model, i);
        if (tensor->role != TN_ROLE_ATTRIBUTE)
            continue;
        assert_int_equal(tensor->node, found);
        assert_int_equal(tensor->slot, found ? TN_NONE : 0);
        assert_int_equal(tensor->part, found ? TN_NONE : 0);
        found++;
    }
    assert_int_equal(found, 2);
    sd_close(&o);
    sd_free(bytes);
}

static void refuse(const char *old, const char *new, const char *where)
{
    struct tn_bytes  bytes = make_other(old, new);
    struct sd_opened o;

    assert_int_equal(sd_open(&o, &tn_format_samediff_fb, bytes), TN_MALFORMED);
    assert_string_equal(o.error.where, where);
    sd_free(bytes);
}

static void a_broken_array_is_named(void **state)
{
    (void)state;
    refuse(IN_LIST, "\"a\": [{ " LIE " }]", "nodes[0].properties[0].a[0]");
    refuse(SCALAR, "\"scalar\": { " LIE " }", "nodes[1].scalar");
}

/* Tables that begin with the same bytes may refer to other arguments: no key
 * says that two ops have the same. */
static void attributes_are_not_told_by_their_tables(void **state)
{
    struct tn_bytes  bytes = sd_make(sd_little);
    struct sd_opened o;
    struct tn_buffer key;
    struct tn_error  error = TN_ERROR_INIT;

    (void)state;
    sd_must_open(&o, &tn_format_samediff_fb, bytes);
    tn_buffer_init(&key, o.model.memory, &error);
    assert_false(tn_attr_key(&o.model, 1, 512, &key));
    assert_int_equal(error.status, TN_OK);
    tn_buffer_done(&key);
    sd_close(&o);
    sd_free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ops_are_read_in_every_spelling),
        cmocka_unit_test(outputs_are_in_order),
        cmocka_unit_test(arrays_know_their_place),
        cmocka_unit_test(a_broken_array_is_named),
        cmocka_unit_test(attributes_are_not_told_by_their_tables),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
