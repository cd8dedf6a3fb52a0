/* bare_node_test.c - nodes and tensors without a model around them */
#include "engine/bare_node.h"

#include "engine/node_text.h"
#include "support/hostile.h"

#define SLOT(kind, name, values) kind " { parameter: '" name "' " values " } "

/* `said` is what was read of a node, "!" begins a refusal. */
static const struct {
    const char *node, *said;
} rows[] = {
    { "name: 'c' op: 'Add' input: 'a' input: 'b:0' input: 'd:1' input: '^e' "
      "attr { key: 'T' value { type: DT_FLOAT } }",
      "tensorflow c Add(a, b, d:1) -> () T" },
    { "op: 'Concat' input: 'x' attr { key: 'N' value { i: 2 } } "
      "attr { key: 'N' value { i: 3 } }",
      "tensorflow  Concat(x) -> () N" },
    { "op_type: 'Clip' input: 'x' input: '' input: 'm' output: 'y' "
      "domain: 'my' attribute { name: 'a' type: INT i: 1 } "
      "attribute { name: 'b' type: FLOATS }",
      "onnx  my.Clip(x, , m) -> (y) a b" },
    { "op_type: 'Split' name: 's' input: 'x' output: '' output: 'y'",
      "onnx s Split(x) -> (, y)" },
    { SLOT("inputs", "X", "arguments: 'a' arguments: 'b'")
          SLOT("inputs", "Axis", "arguments: 'c'")
              SLOT("outputs", "Out",
                   "arguments: 'd'") "type: 'concat' "
                                     "attrs { name: 'axis' type: INT i: 1 }",
      "paddle  concat(X=a, X=b, Axis=c) -> (d) axis" },
    { "op: 'Neg' input: 'x:-1'",
      "!input 'x:-1' is neither NODE nor NODE:NUMBER" },
    { "doc_string: 'x'", "!a node without an op type" },
};

static void print_list(struct tn_buffer *to, const struct tn_bytes *names,
                       uint32_t count, const struct tn_bytes *slots)
{
    for (uint32_t i = 0; i < count; i++) {
        tn_buffer_text(to, i ? ", " : "");
        if (slots)
            tn_buffer_format(to, "%.*s=", TN_FMT(slots[i]));
        tn_buffer_add(to, names[i]);
    }
}

static void print_node(struct tn_buffer *to, const struct tn_map_node *n)
{
    tn_buffer_format(to, "%s %.*s %.*s%s%.*s(", tn_framework_name(n->framework),
                     TN_FMT(n->name), TN_FMT(n->domain),
                     n->domain.size ? "." : "", TN_FMT(n->op_type));
    print_list(to, n->inputs, n->input_count, n->slots);
    tn_buffer_text(to, ") -> (");
    print_list(to, n->outputs, n->output_count, NULL);
    tn_buffer_byte(to, ')');
    for (uint32_t i = 0; i < n->attr_count; i++)
        tn_buffer_format(to, " %.*s", TN_FMT(n->attrs[i].name));
}

static void nodes_are_read_by_their_formats(void **state)
{
    (void)state;
    for (size_t row = 0; row < sizeof rows / sizeof rows[0]; row++) {
        struct tn_error     error = TN_ERROR_INIT, none = TN_ERROR_INIT;
        struct tn_bare_node bare = { .model = NULL };
        struct tn_memory    memory;
        struct tn_arena     arena;
        enum tn_framework   framework;
        struct tn_bytes     bytes;
        struct tn_buffer    said;

        tn_memory_init(&memory, NULL, 0);
        tn_arena_init(&arena, &memory);
        tn_buffer_init(&said, &memory, &none);
        if (tn_node_bytes(&arena, tn_text(rows[row].node), &framework, &bytes,
                          &error) == TN_OK)
            tn_bare_node_open(&bare, framework, bytes, &arena, &error);
        if (tn_failed(&error))
            tn_buffer_format(&said, "!%s", error.what);
        else
            print_node(&said, &bare.node);
        assert_string_equal(tn_buffer_string(&said), rows[row].said);
        tn_buffer_done(&said);
        tn_bare_node_close(&bare);
        tn_arena_done(&arena);
        assert_int_equal(memory.used, 0);
    }
}

/* A GraphDef would find a place for it; a node is told no such thing. */
static void a_refusal_has_no_place_in_a_model(void **state)
{
    const struct tn_bytes cut   = tn_bytes("\012\005ab", 4);
    struct tn_error       error = TN_ERROR_INIT;
    struct tn_bare_node   bare;
    struct tn_memory      memory;
    struct tn_arena       arena;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_arena_init(&arena, &memory);
    assert_int_equal(
        tn_bare_node_open(&bare, TN_FRAMEWORK_TENSORFLOW, cut, &arena, &error),
        TN_TRUNCATED);
    assert_string_equal(error.where, "");
    assert_string_equal(error.file, "");
    assert_true(error.offset == TN_NOWHERE);
    tn_bare_node_close(&bare);
    tn_arena_done(&arena);
}

/* ---- tensors ------------------------------------------------------------ */

/* What is written is read as the same, whatever the framework. */
static void assert_same(enum tn_framework framework, enum tn_dtype dtype,
                        struct tn_arena *arena)
{
    static const int64_t   ints[] = { 0, 1, -7 }, dims[] = { 1, 3 };
    static const double    reals[] = { 0.5, -2, 1024 };
    const struct tn_bytes  texts[] = { tn_text("a"), tn_text(""),
                                       tn_text("\302\265") };
    struct tn_attr_value   items   = { .is_list = true, .count = 3 };
    struct tn_map_elements from    = { dtype, 2, dims, &items };
    struct tn_error        error   = TN_ERROR_INIT;
    struct tn_map_tensor   want, got;
    struct tn_bytes        bytes;

    if (dtype == TN_STRING) {
        items.kind       = TN_ATTR_STRING;
        items.of.strings = texts;
    } else if (dtype == TN_FLOAT32 || dtype == TN_FLOAT16) {
        items.kind       = TN_ATTR_DOUBLE;
        items.of.doubles = reals;
    } else {
        items.kind    = TN_ATTR_INT;
        items.of.ints = ints;
    }
    tn_map_tensor_fill(&want, &from, arena, &error);
    tn_bare_tensor_write(&from, framework, arena, &bytes, &error);
    assert_int_equal(tn_bare_tensor_read(&got, framework, bytes, arena, &error),
                     TN_OK);
    assert_int_equal(got.dtype, dtype);
    assert_int_equal(got.rank, 2);
    assert_memory_equal(got.dims, dims, sizeof dims);
    assert_true(got.has_values && got.count == 3);
    for (int i = 0; i < 3; i++)
        if (dtype == TN_STRING)
            assert_true(tn_bytes_equal(got.strings[i], texts[i]));
        else
            assert_true(got.ints[i] == want.ints[i] &&
                        !(got.reals[i] < want.reals[i]) &&
                        !(got.reals[i] > want.reals[i]));
}

static void tensors_are_written_and_read(void **state)
{
    static const enum tn_dtype dtypes[] = { TN_INT64, TN_INT8,    TN_UINT32,
                                            TN_BOOL,  TN_FLOAT32, TN_FLOAT16,
                                            TN_STRING };
    struct tn_memory           memory;
    struct tn_arena            arena;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_arena_init(&arena, &memory);
    for (int framework = 0; framework < TN_FRAMEWORK_COUNT; framework++)
        for (size_t i = 0; i < sizeof dtypes / sizeof dtypes[0]; i++)
            assert_same(framework, dtypes[i], &arena);
    tn_arena_done(&arena);
    assert_int_equal(memory.used, 0);
}

static void types_that_nd4j_lacks_are_not_written(void **state)
{
    static const int64_t       one   = 1;
    const struct tn_attr_value items = { .kind    = TN_ATTR_INT,
                                         .count   = 1,
                                         .of.ints = &one };
    struct tn_map_elements     from  = { TN_QINT8, 0, NULL, &items };
    struct tn_error            error = TN_ERROR_INIT;
    struct tn_bytes            bytes;
    struct tn_memory           memory;
    struct tn_arena            arena;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_arena_init(&arena, &memory);
    assert_int_equal(tn_bare_tensor_write(&from, TN_FRAMEWORK_TENSORFLOW,
                                          &arena, &bytes, &error),
                     TN_UNSUPPORTED);
    assert_string_equal(error.what,
                        "no constant of type qint8 can be made here");
    tn_arena_done(&arena);
}

/* ---- hostile bytes ------------------------------------------------------ */

static enum tn_status open_as(enum tn_framework framework,
                              struct tn_bytes bytes, struct tn_memory *memory,
                              struct tn_error *error)
{
    struct tn_bare_node  bare;
    struct tn_map_tensor tensor;
    struct tn_arena      arena;
    struct tn_error      other = TN_ERROR_INIT;

    tn_arena_init(&arena, memory);
    tn_bare_tensor_read(&tensor, framework, bytes, &arena, &other);
    tn_bare_node_open(&bare, framework, bytes, &arena, error);
    tn_bare_node_close(&bare);
    tn_arena_done(&arena);
    return other.status == TN_NO_MEMORY
               ? tn_error_set(error, TN_NO_MEMORY, TN_NOWHERE, "no memory")
               : error->status;
}

static enum tn_status open_tensorflow(struct tn_bytes   bytes,
                                      struct tn_memory *memory,
                                      struct tn_error  *error)
{
    return open_as(TN_FRAMEWORK_TENSORFLOW, bytes, memory, error);
}

static enum tn_status open_onnx(struct tn_bytes bytes, struct tn_memory *memory,
                                struct tn_error *error)
{
    return open_as(TN_FRAMEWORK_ONNX, bytes, memory, error);
}

static enum tn_status open_paddle(struct tn_bytes   bytes,
                                  struct tn_memory *memory,
                                  struct tn_error  *error)
{
    return open_as(TN_FRAMEWORK_PADDLE, bytes, memory, error);
}

static void survives_hostility(void **state)
{
    static tn_reader_under_test *const readers[] = { open_tensorflow, open_onnx,
                                                     open_paddle };

    (void)state;
    for (size_t row = 0; row < 5; row += 2) {
        struct tn_error   error = TN_ERROR_INIT;
        struct tn_memory  memory;
        struct tn_arena   arena;
        enum tn_framework framework;
        struct tn_bytes   bytes;

        tn_memory_init(&memory, NULL, 0);
        tn_arena_init(&arena, &memory);
        assert_int_equal(tn_node_bytes(&arena, tn_text(rows[row].node),
                                       &framework, &bytes, &error),
                         TN_OK);
        tn_survives_every_flip(readers[framework], bytes);
        tn_survives_no_memory(readers[framework], bytes);
        tn_arena_done(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_are_read_by_their_formats),
        cmocka_unit_test(a_refusal_has_no_place_in_a_model),
        cmocka_unit_test(tensors_are_written_and_read),
        cmocka_unit_test(types_that_nd4j_lacks_are_not_written),
        cmocka_unit_test(survives_hostility),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
