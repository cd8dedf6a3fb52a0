/* tf_graph_test.c - nodes, references, functions, attributes, and hostility */
#include "format/tensorflow/tf_testing.h"

/* Loops, control edges, several outputs, functions, lists: a bit of all. */
#define EVERYTHING                                                             \
    "node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: "    \
    "DT_FLOAT } } attr { key: 'shape' value { shape { dim { size: -1 } dim { " \
    "size: 4 } } } } }"                                                        \
    "node { name: 'axis' op: 'Const' attr { key: 'dtype' value { type: "       \
    "DT_INT32 } } attr { key: 'value' value { tensor { dtype: DT_INT32 "       \
    "int_val: 1 } } } }"                                                       \
    "node { name: 'split' op: 'Split' input: 'axis:0' input: 'x' attr { key: " \
    "'num_split' value { i: 2 } } }"                                           \
    "node { name: 'call' op: 'twice' input: 'split:1' input: '^axis' }"        \
    "node { name: 'pc' op: 'PartitionedCall' input: 'split' attr { key: 'f' "  \
    "value { func { name: 'twice' } } } }"                                     \
    "library { function { signature { name: 'twice' input_arg { name: 'a' "    \
    "type: DT_FLOAT } output_arg { name: 'b' type: DT_FLOAT } } node_def { "   \
    "name: 'sum' op: 'AddV2' input: 'a' input: 'a:0' attr { key: 'T' value { " \
    "placeholder: 'U' } } } node_def { name: 'id' op: 'Identity' input: "      \
    "'sum:z:0' } ret { key: 'b' value: 'id:output:0' } } }"                    \
    "versions { producer: 1087 min_consumer: 12 }"

static void expect_input(const struct tn_model *model, const char *op,
                         uint32_t index, const char *from, uint32_t output)
{
    uint32_t             value = tn_op_input(model, op_named(model, op), index);
    struct tn_value_info info  = tn_model_value_info(model, value);

    if (!from) {
        assert_int_equal(info.kind, TN_VALUE_INPUT);
    } else {
        assert_int_equal(info.kind, TN_VALUE_OUTPUT);
        assert_int_equal(info.producer, op_named(model, from));
    }
    assert_int_equal(info.output, output);
}

static void test_references(void **state)
{
    struct opened o;

    (void)state;
    open_text(&o, &tn_format_tf_graph, EVERYTHING);
    expect_input(&o.model, "split", 0, "axis", 0);
    expect_input(&o.model, "call", 0, "split", 1);
    expect_input(&o.model, "call", 1, "axis", 0); /* control */
    expect_input(&o.model, "sum", 0, NULL, 0);
    expect_input(&o.model, "sum", 1, NULL, 0);
    expect_input(&o.model, "id", 0, "sum", 0);
    struct tn_op_info call = tn_model_op(&o.model, op_named(&o.model, "call"));
    assert_int_equal(call.input_count, 1);
    assert_int_equal(call.control_count, 1);
    close_model(&o);
}

static void test_shape_of_the_model(void **state)
{
    struct opened o;
    char          path[100];

    (void)state;
    open_text(&o, &tn_format_tf_graph, EVERYTHING);
    assert_int_equal(tn_model_node_count(&o.model), 7);
    assert_int_equal(tn_model_function_count(&o.model), 1);
    struct tn_io_list in = tn_model_inputs(&o.model);
    assert_int_equal(in.count, 1);
    assert_int_equal(in.items[0].dims[0].value, -1);
    assert_int_equal(in.items[0].dims[1].value, 4);
    struct tn_io_list out = tn_model_outputs(&o.model);
    assert_int_equal(out.count, 2);
    assert_true(tn_bytes_is(out.items[0].name, "call"));
    struct tn_graph_info f = tn_model_graph(&o.model, 1);
    assert_string_equal(f.path, "library.function[0]");
    assert_true(tn_bytes_is(f.outputs.items[0].key, "b"));
    assert_true(tn_bytes_is(f.outputs.items[0].name, "id:output:0"));
    tn_op_path(&o.model, op_named(&o.model, "id"), path, sizeof path);
    assert_string_equal(path, "library.function[0].node_def[1]");
    tn_tensor_path(tn_model_tensor(&o.model, 0), path, sizeof path);
    assert_string_equal(path, "node[1].attr[1].value.tensor");
    close_model(&o);
}

/* Without the graph the same is counted, and ends are the same. */
static void test_summary_agrees(void **state)
{
    struct tn_bytes bytes = binary_of(&tn_format_tf_graph, EVERYTHING);
    struct opened   with, without;

    (void)state;
    assert_int_equal(open_bytes(&with, &tn_format_tf_graph, bytes, true),
                     TN_OK);
    assert_int_equal(open_bytes(&without, &tn_format_tf_graph, bytes, false),
                     TN_OK);
    assert_int_equal(tn_model_op_count(&without.model), 0);
    assert_int_equal(tn_model_node_count(&without.model), 7);
    assert_int_equal(tn_model_op_kind_count(&with.model),
                     tn_model_op_kind_count(&without.model));
    struct tn_io_list a = tn_model_outputs(&with.model);
    struct tn_io_list b = tn_model_outputs(&without.model);
    assert_int_equal(a.count, b.count);
    for (uint32_t i = 0; i < a.count; i++)
        assert_true(tn_bytes_equal(a.items[i].name, b.items[i].name));
    close_model(&with);
    close_model(&without);
    free((void *)(uintptr_t)bytes.data);
}

/* Three nodes with the same bytes from the value of their first attribute on;
 * but that of the third is all of them. */
static void test_equal_attributes(void **state)
{
#define T            "\x0a\x01T\x12\x02\x30\x01"
#define U            "\x2a\x07\x0a\x01U\x12\x02\x30\x01"
#define NODE(a, len) "\x0a\x18\x0a\x01" a "\x12\x01P\x2a" len T U
    static const char                                           file[] =
        NODE("a", "\x07") NODE("b", "\x07") NODE("c", "\x10");
    struct opened   o;
    struct tn_bytes bytes = tn_bytes(file, sizeof file - 1);

    (void)state;
    assert_int_equal(open_bytes(&o, &tn_format_tf_graph, bytes, true), TN_OK);
    assert_int_equal(tn_op_attr_count(&o.model, 1), 2);
    assert_int_equal(tn_op_attr_count(&o.model, 2), 1);
    uint32_t alike = tn_model_op_at(&o.model, 0)->alike;
    assert_int_not_equal(alike, 0);
    assert_int_equal(tn_model_op_at(&o.model, 1)->alike, alike);
    assert_int_not_equal(tn_model_op_at(&o.model, 2)->alike, alike);
    close_model(&o);
}

/* Attributes of constants; neighbours have the same size. */
#define VALUE(tensor) "attr { key: 'value' value { " tensor " } }"
#define TWO           "tensor_shape { dim { size: 2 } }"
#define CONTENT(bytes)                                                         \
    "tensor { dtype: DT_FLOAT " TWO " tensor_content: '" bytes "' }"
static const char *const constants[] = {
    VALUE(CONTENT("12345678")),
    VALUE(CONTENT("abcdefgh")),
    VALUE("tensor { dtype: DT_INT32 " TWO " tensor_content: '12345678' }"),
    VALUE("tensor { dtype: DT_FLOAT tensor_shape { dim { size: 3 } } "
          "tensor_content: '12345678' }"),
    VALUE("tensor { dtype: DT_FLOAT " TWO " float_val: [1, 2] }"),
    VALUE("tensor { dtype: DT_FLOAT " TWO " float_val: [3, 4] }"),
    VALUE("tensor { dtype: DT_INT32 " TWO " int_val: 300 }"),
    VALUE("tensor { dtype: DT_INT32 " TWO " int_val: [4, 5] }"),
    VALUE("tensor { dtype: DT_INT32 " TWO " int_val: [4, 6] }"),
    VALUE("tensor { dtype: DT_FLOAT " TWO " }"),
    VALUE("tensor { dtype: DT_INT32 " TWO " }"),
    VALUE("list { " CONTENT("12345678") " }"),
    VALUE("list { " CONTENT("12345678") " " CONTENT("abcdefgh") " }"),
    VALUE(CONTENT("12345678")) "attr { key: 'z' value { i: 1 } }",
    VALUE(CONTENT("abcdefgh")) "attr { key: 'z' value { i: 1 } }",
    VALUE(CONTENT("12345678")) "attr { key: 'z' value { b: true } }",
    "attr { key: 'a' value { i: 1 } }" VALUE(CONTENT("12345678")),
    "attr { key: 'a' value { b: true } }" VALUE(CONTENT("12345678")),
    VALUE(CONTENT("12345678")) VALUE(CONTENT("abcdefgh")),
};

static void expect_same_tensor(const struct tn_tensor *a,
                               const struct tn_tensor *b)
{
    const struct tn_payload *of_a = &a->elements.payload;
    const struct tn_payload *of_b = &b->elements.payload;
    uint8_t                  bytes_a[16], bytes_b[16];
    struct tn_error          error = TN_ERROR_INIT, other = TN_ERROR_INIT;

    assert_true(tn_shape_equal(&a->elements.shape, &b->elements.shape));
    assert_int_equal(a->slot, b->slot);
    assert_int_equal(a->part, b->part);
    assert_int_equal(a->role, b->role);
    assert_int_equal(a->wire.length, b->wire.length);
    assert_int_equal(of_a->encoding, of_b->encoding);
    assert_int_equal(of_a->stored, of_b->stored);
    assert_int_equal(of_a->span.length, of_b->span.length);
    assert_int_equal(of_a->span.offset - a->wire.offset,
                     of_b->span.offset - b->wire.offset);
    assert_int_equal(tn_tensor_read(a, 0, bytes_a, tn_tensor_size(a), &error),
                     tn_tensor_read(b, 0, bytes_b, tn_tensor_size(b), &other));
    if (!tn_failed(&error))
        assert_memory_equal(bytes_a, bytes_b, tn_tensor_size(a));
}

/* A constant is the same among others as alone. */
static void test_equal_constants(void **state)
{
    enum { COUNT = sizeof constants / sizeof *constants };
    char         *text;
    size_t        size;
    FILE         *all   = open_memstream(&text, &size);
    uint64_t      index = 0;
    struct opened together, alone;

    (void)state;
    for (unsigned i = 0; i < 2 * COUNT; i++)
        fprintf(all, "node { name: 'c%u' op: 'Const' %s }\n", i,
                constants[i % COUNT]);
    fclose(all);
    open_text(&together, &tn_format_tf_graph, text);
    for (unsigned i = 0; i < 2 * COUNT; i++) {
        char one[600];
        snprintf(one, sizeof one, "node { name: 'c%u' op: 'Const' %s }\n", i,
                 constants[i % COUNT]);
        open_text(&alone, &tn_format_tf_graph, one);
        for (uint64_t k = 0; k < tn_model_tensor_count(&alone.model); k++) {
            const struct tn_tensor *tensor =
                tn_model_tensor(&together.model, index++);
            expect_same_tensor(tensor, tn_model_tensor(&alone.model, k));
            assert_int_equal(tensor->node, i);
            assert_true(tn_bytes_equal(tn_tensor_name(tensor),
                                       tn_model_op(&alone.model, 0).name));
        }
        close_model(&alone);
    }
    assert_int_equal(index, tn_model_tensor_count(&together.model));
    close_model(&together);
    free(text);
}

/* `ret` is a map: its order is nobody's. */
static void test_many_returns(void **state)
{
    enum { COUNT = 6000 };
    char         *text = malloc(COUNT * 80 + 100);
    size_t        size = 0;
    struct opened o;

    (void)state;
    assert_non_null(text);
    size += (size_t)sprintf(text, "library { function { signature { name: 'f'");
    for (int i = 0; i < COUNT; i++)
        size += (size_t)sprintf(text + size, " output_arg { name: 'o%d' }", i);
    size += (size_t)sprintf(text + size, " }");
    for (int i = COUNT; i-- > 0;)
        size += (size_t)sprintf(text + size, " ret { key: 'o%d' value: 'r%d' }",
                                i, i);
    sprintf(text + size, " } }");
    open_text(&o, &tn_format_tf_graph, text);
    struct tn_io_list outputs = tn_model_graph(&o.model, 1).outputs;
    assert_int_equal(outputs.count, COUNT);
    for (uint32_t i = 0; i < outputs.count; i++) {
        char expected[20];
        snprintf(expected, sizeof expected, "r%u", i);
        assert_true(tn_bytes_is(outputs.items[i].name, expected));
    }
    close_model(&o);
    free(text);
}

/* ---- attributes --------------------------------------------------------- */

/* Of several values the last one counts, and lists may mix kinds. */
static void test_tensors_behind_others(void **state)
{
    static const char *const graphs[] = {
        /* value { i: 1 tensor { dtype: DT_FLOAT float_val: 1 } } */
        "0a 21 0a 01 63 12 05 43 6f 6e 73 74 2a 15 0a 05 76 61 6c 75 65"
        " 12 0c 18 01 42 08 08 01 2a 04 00 00 80 3f",
        /* value { list { s: 'a' tensor { dtype: DT_FLOAT float_val: 1 } } } */
        "0a 24 0a 01 63 12 05 43 6f 6e 73 74 2a 18 0a 05 76 61 6c 75 65"
        " 12 0f 0a 0d 12 01 61 42 08 08 01 2a 04 00 00 80 3f",
    };

    (void)state;
    for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++) {
        struct tn_bytes bytes = tn_hex(graphs[i]);
        struct opened   o;
        assert_int_equal(open_bytes(&o, &tn_format_tf_graph, bytes, true),
                         TN_OK);
        assert_int_equal(tn_model_tensor_count(&o.model), 1);
        close_model(&o);
        free((void *)(uintptr_t)bytes.data);
    }
}

#define ATTR(value)                                                            \
    "node { name: 'n' op: 'Op' attr { key: 'k' value { " value " } } }"

static const struct {
    const char       *text;
    enum tn_attr_kind kind;
    bool              is_list;
    uint32_t          count;
    int64_t           last; /* of numbers                                     */
    const char       *string;
} attrs[] = {
    { ATTR("i: -3"), TN_ATTR_INT, false, 1, -3, NULL },
    { ATTR("b: true"), TN_ATTR_BOOL, false, 1, 1, NULL },
    { ATTR("f: 2.5"), TN_ATTR_FLOAT, false, 1, 2, NULL },
    { ATTR("s: 'SAME'"), TN_ATTR_STRING, false, 1, 0, "SAME" },
    { ATTR("type: DT_HALF"), TN_ATTR_DTYPE, false, 1, TN_FLOAT16, NULL },
    { ATTR("type: DT_HALF_REF"), TN_ATTR_DTYPE, false, 1, TN_FLOAT16, NULL },
    { ATTR("placeholder: 'T'"), TN_ATTR_REFERENCE, false, 1, 0, "T" },
    { ATTR("func { name: 'f' attr { key: 'a' value { i: 1 } } }"),
      TN_ATTR_FUNCTION, false, 1, 0, "f" },
    { ATTR("list { i: [1, 2, 3] }"), TN_ATTR_INT, true, 3, 3, NULL },
    { ATTR("list { b: [true, false] }"), TN_ATTR_BOOL, true, 2, 0, NULL },
    { ATTR("list { f: [1, 7] }"), TN_ATTR_FLOAT, true, 2, 7, NULL },
    { ATTR("list { s: ['a', 'b'] }"), TN_ATTR_STRING, true, 2, 0, "b" },
    { ATTR("list { type: [DT_INT8, DT_FLOAT] }"), TN_ATTR_DTYPE, true, 2,
      TN_FLOAT32, NULL },
    { ATTR("list { func { name: 'f' } func { name: 'g' } }"), TN_ATTR_FUNCTION,
      true, 2, 0, "g" },
    { ATTR("list { }"), TN_ATTR_NONE, true, 0, 0, NULL },
    { ATTR(""), TN_ATTR_NONE, false, 0, 0, NULL },
    /* The last one counts. */
    { ATTR("i: 1") "node { name: 'm' op: 'Op' attr { key: 'k' value { i: 1 } } "
                   "attr { key: 'k' value { s: 'x' } } }",
      TN_ATTR_STRING, false, 1, 0, "x" },
};

static void test_attributes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof attrs / sizeof *attrs; i++) {
        struct opened   o;
        struct tn_attr *attr;
        open_text(&o, &tn_format_tf_graph, attrs[i].text);
        uint32_t last = tn_model_op_count(&o.model) - 1;
        assert_int_equal(tn_op_attr_count(&o.model, last), 1);
        assert_int_equal(tn_attr_find(&attr, &o.model, last, "k", &o.error),
                         TN_OK);
        const struct tn_attr_value *value = tn_attr_get(attr);
        assert_int_equal(value->kind, attrs[i].kind);
        assert_int_equal(value->is_list, attrs[i].is_list);
        assert_int_equal(value->count, attrs[i].count);
        if (attrs[i].string)
            assert_true(tn_bytes_is(value->of.strings[value->count - 1],
                                    attrs[i].string));
        else if (value->kind == TN_ATTR_FLOAT)
            assert_int_equal((int64_t)value->of.floats[value->count - 1],
                             attrs[i].last);
        else if (value->count)
            assert_int_equal(value->of.ints[value->count - 1], attrs[i].last);
        tn_attr_close(attr);
        close_model(&o);
    }
}

static void test_shapes_and_tensors(void **state)
{
    struct opened   o;
    struct tn_attr *attr;

    (void)state;
    open_text(&o, &tn_format_tf_graph,
              ATTR("list { shape { dim { size: 2 } dim { size: -1 } } shape { "
                   "unknown_rank: true } shape { } }"));
    assert_int_equal(tn_attr_open(&attr, &o.model, 0, 0, &o.error), TN_OK);
    const struct tn_attr_shape *shapes = tn_attr_get(attr)->of.shapes;
    assert_int_equal(tn_attr_get(attr)->count, 3);
    assert_int_equal(shapes[0].dims[1], -1);
    assert_false(shapes[1].has_rank);
    assert_true(shapes[2].has_rank);
    tn_attr_close(attr);
    close_model(&o);

    open_text(&o, &tn_format_tf_graph,
              ATTR("list { tensor { dtype: DT_INT8 int_val: 4 } tensor { "
                   "dtype: DT_INT8 int_val: 5 } }"));
    assert_int_equal(tn_attr_open(&attr, &o.model, 0, 0, &o.error), TN_OK);
    uint8_t byte = 0;
    assert_int_equal(
        tn_tensor_read(tn_attr_get(attr)->of.tensors[1], 0, &byte, 1, &o.error),
        TN_OK);
    assert_int_equal(byte, 5);
    assert_int_equal(tn_model_tensor_count(&o.model), 2);
    tn_attr_close(attr);
    close_model(&o);
}

/* ---- what must be survived ---------------------------------------------- */

static enum tn_status read_all(struct tn_bytes input, struct tn_memory *memory,
                               const struct tn_format *format,
                               struct tn_error        *error)
{
    struct tn_report report = { .each = NULL };
    struct tn_source source;
    struct tn_bundle bundle;
    struct tn_model  model;

    tn_source_memory(&source, memory, input);
    source.name = "";
    if (tn_bundle_from_source(&bundle, memory, &source, "x", error) != TN_OK)
        return error->status;
    tn_model_init(&model, memory);
    model.wants_graph = true;
    model.format      = format->name;
    if (format->open(&bundle, &model, error) == TN_OK &&
        tn_model_finish(&model, error) == TN_OK)
        format->check(&bundle, &model, &report, error);
    tn_model_done(&model);
    tn_bundle_close(&bundle);
    return error->status;
}

static enum tn_status read_graph(struct tn_bytes   input,
                                 struct tn_memory *memory,
                                 struct tn_error  *error)
{
    return read_all(input, memory, &tn_format_tf_graph, error);
}

static enum tn_status read_saved_model(struct tn_bytes   input,
                                       struct tn_memory *memory,
                                       struct tn_error  *error)
{
    return read_all(input, memory, &tn_format_tf_saved_model, error);
}

/* A message ends where its fields do, so a prefix between two is good. */
static bool ends_between_fields(struct tn_bytes prefix)
{
    struct tn_error    error = TN_ERROR_INIT;
    struct tn_cursor   c     = tn_cursor_bytes(prefix, 0, &error);
    struct tn_pb_field field;

    while (tn_pb_next(&c, &field))
        ;
    return !tn_failed(&error);
}

#define SIGNED                                                                 \
    "saved_model_schema_version: 1 meta_graphs { meta_info_def { tags: "       \
    "'serve' tensorflow_version: '2.4' } graph_def { " EVERYTHING " } "        \
    "signature_def { key: 'serving_default' value { inputs { key: 'in' value " \
    "{ name: 'x:0' dtype: DT_FLOAT } } outputs { key: 'out' value { name: "    \
    "'call:0' } } method_name: 'predict' } } object_graph_def { nodes { "      \
    "children { node_id: 1 local_name: 'v' } } nodes { variable { dtype: "     \
    "DT_FLOAT name: 'v' } } } }"

static void survive(const struct tn_format *format, const char *text,
                    tn_reader_under_test *read)
{
    struct tn_bytes bytes = binary_of(format, text);

    tn_refuses_every_prefix(read, bytes, ends_between_fields);
    tn_survives_every_flip(read, bytes);
    tn_survives_no_memory(read, bytes);
    free((void *)(uintptr_t)bytes.data);
}

static void test_hostility(void **state)
{
    (void)state;
    survive(&tn_format_tf_graph, EVERYTHING, read_graph);
    survive(&tn_format_tf_saved_model, SIGNED, read_saved_model);
}

static void test_signatures(void **state)
{
    struct opened o;

    (void)state;
    open_text(&o, &tn_format_tf_saved_model, SIGNED);
    assert_int_equal(tn_model_signature_count(&o.model), 1);
    const struct tn_signature *s = tn_model_signature(&o.model, 0);
    assert_true(tn_bytes_is(s->method, "predict"));
    assert_true(tn_bytes_is(s->inputs.items[0].key, "in"));
    assert_true(tn_bytes_is(s->outputs.items[0].name, "call:0"));
    assert_true(tn_bytes_is(tn_model_tag(&o.model, 0), "serve"));
    assert_string_equal(tn_model_graph(&o.model, 1).path,
                        "meta_graphs[0].graph_def.library.function[0]");
    close_model(&o);
}

/* Errors say where they are. */
static void test_places(void **state)
{
    static const struct {
        const char *hex;
        uint64_t    offset;
        const char *where;
    } rows[] = {
        { "0a 05 0a 01 61 12 05", 7, "node[0]" }, /* op runs out            */
        { "0a 04 0a 01 61 0b", 6, "node[0]" },    /* a group without an end */
        { "0a 03 0a 01 61 0a 02 18 01", 7, "node[1]" }, /* input is a varint */
        { "12 06 0a 04 1a 02 10 01", 6, "library.function[0].node_def[0]" },
        { "20 01", 0, "" }, /* versions is no varint */
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tn_bytes bytes = tn_hex(rows[i].hex);
        struct opened   o;
        assert_int_not_equal(open_bytes(&o, &tn_format_tf_graph, bytes, true),
                             TN_OK);
        assert_int_equal(o.error.offset, rows[i].offset);
        assert_string_equal(o.error.where, rows[i].where);
        free((void *)(uintptr_t)bytes.data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_references),
        cmocka_unit_test(test_shape_of_the_model),
        cmocka_unit_test(test_summary_agrees),
        cmocka_unit_test(test_equal_attributes),
        cmocka_unit_test(test_equal_constants),
        cmocka_unit_test(test_many_returns),
        cmocka_unit_test(test_tensors_behind_others),
        cmocka_unit_test(test_attributes),
        cmocka_unit_test(test_shapes_and_tensors),
        cmocka_unit_test(test_signatures),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_hostility),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
