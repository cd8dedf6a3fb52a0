/* tf_tables_test.c - lookup tables whose contents are in the model */
#include "map/net/net_build.h"
#include "map/tidy/tf_tidy.h"

#include <stdio.h>

#include "support/hostile.h"

/* ---- a small graph ------------------------------------------------------ */

static uint32_t add_node(struct tn_net *net, uint32_t graph, const char *type,
                         const char *name, const uint32_t *inputs,
                         uint32_t count, const struct tn_net_attr *attrs,
                         uint32_t attr_count)
{
    uint32_t value = tn_net_add_value(net, graph, tn_text(name));

    if (value == TN_NONE)
        return TN_NONE;
    tn_net_add_node(net, &(struct tn_net_node){ .name = tn_text(name),
                                                .op = tn_net_own_op(net, type),
                                                .graph        = graph,
                                                .inputs       = inputs,
                                                .input_count  = count,
                                                .outputs      = &value,
                                                .output_count = 1,
                                                .attrs        = attrs,
                                                .attr_count   = attr_count,
                                                .source       = TN_NONE });
    return tn_failed(net->error) ? TN_NONE : value;
}

static uint32_t add_call(struct tn_net *net, uint32_t graph, const char *name,
                         struct tn_bytes *callee, const uint32_t *inputs,
                         uint32_t count)
{
    struct tn_net_attr f = {
        tn_text("f"), { TN_ATTR_FUNCTION, false, 1, { .strings = callee } }
    };

    return add_node(net, graph, "StatefulPartitionedCall", name, inputs, count,
                    &f, 1);
}

/* A function of a handle and a name, which hands both on. */
static uint32_t add_function(struct tn_net *net, const char *name,
                             uint32_t *args)
{
    uint32_t graph =
        tn_net_add_graph(net, TN_GRAPH_FUNCTION, tn_text(name), TN_NONE);

    for (uint32_t i = 0; i < 2 && graph != TN_NONE; i++) {
        args[i] = tn_net_add_value(net, graph, tn_text("arg"));
        if (args[i] != TN_NONE)
            tn_net_add_input(net, graph, args[i], tn_text(""));
    }
    return tn_failed(net->error) ? TN_NONE : graph;
}

/* ---- files -------------------------------------------------------------- */

static const struct file_row {
    const char   *text;
    int64_t       key, value, size, offset;
    const char   *delimiter;
    enum tn_dtype keys, values;
    const char   *found; /* "key=value" of each line; NULL: it is not read    */
    uint32_t      again; /* calls of itself inside the function               */
} files[] = {
    { "a\nb\nc", -2, -1, -1, 0, "\t", TN_STRING, TN_INT64, "a=0 b=1 c=2 ", 1 },
    { "a\r\nb\r\n", -2, -1, -1, 0, "\t", TN_STRING, TN_INT64, "a=0 b=1 ", 1 },
    { "a\nb\nc\n", -2, -1, 2, 0, "\t", TN_STRING, TN_INT64, "a=0 b=1 ", 1 },
    { "a\nb\nc\n", -2, -1, 9, 1, "\t", TN_STRING, TN_INT64, "b=0 c=1 ", 1 },
    { "a\nb\n", -1, -2, -1, 0, "\t", TN_INT64, TN_STRING, "0=a 1=b ", 1 },
    { "x;5;y\n;-6;\n", 0, 1, -1, 0, ";", TN_STRING, TN_INT64, "x=5 =-6 ", 1 },
    { "x 5 y\n z z\n", 2, 0, -1, 0, " ", TN_STRING, TN_STRING, "y=x z= ", 1 },
    { "1\n2\n", -2, -1, -1, 0, "\t", TN_INT32, TN_INT64, "1=0 2=1 ", 1 },
    { "k\t0.5\n", 0, 1, -1, 0, "\t", TN_STRING, TN_FLOAT32, "k=0.5 ", 1 },
    { "", -2, -1, -1, 0, "\t", TN_STRING, TN_INT64, "", 1 },
    { "k\tx\n", 0, 1, -1, 0, "\t", TN_STRING, TN_INT64, NULL, 1 },
    { "k\tx\n", 0, 2, -1, 0, "\t", TN_STRING, TN_STRING, NULL, 1 },
    { "k\n", -2, -1, -1, 2, "\t", TN_STRING, TN_INT64, NULL, 1 },
    { "k\n", -2, -1, -1, 0, "\t", TN_STRING, TN_INT32, NULL, 1 },
    { "k\n", -3, -1, -1, 0, "\t", TN_STRING, TN_INT64, NULL, 1 },
    { "k\n", 0, -1, -1, 0, "", TN_STRING, TN_INT64, NULL, 1 },
    { "k\n", -2, -1, -1, 0, "\t", TN_BOOL, TN_INT64, NULL, 1 },
};

struct numbers {
    int64_t         keys, values, key, value, size, offset;
    struct tn_bytes delimiter, outer, inner;
};

/* main: t = HashTableV2; v = VarHandleOp <- asset; outer(t, Read(v))
 * outer(h, n): inner(h, n), and itself; inner(h, n): Initialize(h, n) */
static uint32_t fill(struct tn_net *net, const struct file_row *row,
                     struct numbers *n)
{
    struct tn_net_attr types[] = {
        { tn_text("key_dtype"),
          { TN_ATTR_DTYPE, false, 1, { .ints = &n->keys } } },
        { tn_text("value_dtype"),
          { TN_ATTR_DTYPE, false, 1, { .ints = &n->values } } },
    };
    struct tn_net_attr how[] = {
        { tn_text("key_index"),
          { TN_ATTR_INT, false, 1, { .ints = &n->key } } },
        { tn_text("value_index"),
          { TN_ATTR_INT, false, 1, { .ints = &n->value } } },
        { tn_text("vocab_size"),
          { TN_ATTR_INT, false, 1, { .ints = &n->size } } },
        { tn_text("offset"),
          { TN_ATTR_INT, false, 1, { .ints = &n->offset } } },
        { tn_text("delimiter"),
          { TN_ATTR_STRING, false, 1, { .strings = &n->delimiter } } },
    };
    uint32_t main[2], outer[2], inner[2], graph;

    *n            = (struct numbers){ row->keys,
                                      row->values,
                                      row->key,
                                      row->value,
                                      row->size,
                                      row->offset,
                                      tn_text(row->delimiter),
                                      tn_text("outer"),
                                      tn_text("inner") };
    main[0]       = add_node(net, 0, "HashTableV2", "t", NULL, 0, types, 2);
    uint32_t v    = add_node(net, 0, "VarHandleOp", "v", NULL, 0, NULL, 0);
    uint32_t name = add_node(net, 0, "Placeholder", "asset", NULL, 0, NULL, 0);
    if (tn_failed(net->error))
        return TN_NONE;
    add_node(net, 0, "AssignVariableOp", "set", (uint32_t[]){ v, name }, 2,
             NULL, 0);
    main[1] = add_node(net, 0, "ReadVariableOp", "read", &v, 1, NULL, 0);
    if (tn_failed(net->error))
        return TN_NONE;
    add_call(net, 0, "init", &n->outer, main, 2);
    graph = add_function(net, "outer", outer);
    if (graph == TN_NONE)
        return TN_NONE;
    for (uint32_t i = 0; i < row->again; i++)
        add_call(net, graph, "again", &n->outer, outer, 2);
    add_call(net, graph, "on", &n->inner, outer, 2);
    graph = add_function(net, "inner", inner);
    if (graph == TN_NONE)
        return TN_NONE;
    add_node(net, graph, "InitializeTableFromTextFileV2", "fill", inner, 2, how,
             5);
    uint32_t x = add_node(net, 0, "Placeholder", "x", NULL, 0, NULL, 0);
    uint32_t d = add_node(net, 0, "Placeholder", "d", NULL, 0, NULL, 0);
    if (tn_failed(net->error))
        return TN_NONE;
    uint32_t y = add_node(net, 0, "LookupTableFindV2", "y",
                          (uint32_t[]){ main[0], x, d }, 3, NULL, 0);
    if (y != TN_NONE)
        tn_net_add_output(net, 0, y, tn_text("y"));
    return y;
}

/* ---- what comes of it --------------------------------------------------- */

struct said {
    char  *at;
    size_t left;
};

static enum tn_status say_string(void *context, uint64_t index,
                                 struct tn_span text, struct tn_error *error)
{
    char *to = context;

    (void)index;
    to[text.length] = '\0';
    return text.length ? tn_source_read(text.source, text.offset, to,
                                        (size_t)text.length, error)
                       : TN_OK;
}

static void say_item(const struct tn_elements *e, uint64_t at, char *text,
                     size_t size, struct tn_memory *memory,
                     struct tn_error *error)
{
    struct tn_buffer bytes;
    int64_t          number = 0;
    int32_t          small  = 0;
    float            real   = 0;

    if (e->shape.dtype == TN_STRING) {
        tn_payload_strings(e, at, 1, say_string, text, error);
        return;
    }
    tn_buffer_init(&bytes, memory, error);
    tn_payload_stream(e, at, 1, memory, &bytes.sink, error);
    if (!tn_failed(error)) {
        struct tn_bytes got = tn_buffer_bytes(&bytes);
        memcpy(e->shape.dtype == TN_INT64   ? (void *)&number
               : e->shape.dtype == TN_INT32 ? (void *)&small
                                            : (void *)&real,
               got.data, got.size);
        if (e->shape.dtype == TN_FLOAT32)
            snprintf(text, size, "%g", (double)real);
        else
            snprintf(text, size, "%d", (int)(number + small));
    }
    tn_buffer_done(&bytes);
}

static void look(const struct tn_net *net, uint32_t y, const char *found,
                 struct tn_memory *memory, struct tn_error *error)
{
    const struct tn_net_node node =
        tn_net_node(net, tn_net_value(net, y).producer);
    char all[200] = "", key[32], value[32];

    assert_true(
        tn_bytes_is(node.op->type, found ? "Lookup" : "LookupTableFindV2"));
    if (!found)
        return;
    assert_true(tn_bytes_is(node.op->domain, "tenon"));
    const struct tn_elements *k = tn_net_value(net, node.inputs[0]).constant;
    const struct tn_elements *v = tn_net_value(net, node.inputs[1]).constant;
    for (uint64_t i = 0; i < k->shape.dims[0] && !tn_failed(error); i++) {
        say_item(k, i, key, sizeof key, memory, error);
        if (!tn_failed(error))
            say_item(v, i, value, sizeof value, memory, error);
        if (!tn_failed(error))
            snprintf(all + strlen(all), sizeof all - strlen(all), "%s=%s ", key,
                     value);
    }
    if (!tn_failed(error))
        assert_string_equal(all, found);
}

static const struct file_row *current;

static enum tn_status try_file(struct tn_bytes input, struct tn_memory *memory,
                               struct tn_error *error)
{
    struct tn_arena  arena;
    struct tn_net    net;
    struct tn_model  model;
    struct tn_source source;
    struct numbers   n;
    struct tn_asset *asset;

    (void)input;
    tn_arena_init(&arena, memory);
    tn_model_init(&model, memory);
    tn_source_memory(&source, memory,
                     tn_bytes(current->text, strlen(current->text)));
    tn_net_init(&net, &arena, "tensorflow", error);
    net.source = &model;
    asset      = tn_list_push(&model.assets, struct tn_asset, error);
    if (asset)
        *asset = (struct tn_asset){ tn_text("asset:0"), tn_text("words.txt"),
                                    &source };
    tn_net_add_graph(&net, TN_GRAPH_MAIN, tn_text("g"), TN_NONE);
    uint32_t y = tn_failed(error) ? TN_NONE : fill(&net, current, &n);
    if (!tn_failed(error) && tn_tf_resolve(&net, NULL, NULL) == TN_OK)
        look(&net, y, current->found, memory, error);
    tn_net_done(&net);
    tn_source_close(&source);
    tn_model_done(&model);
    tn_arena_done(&arena);
    return error->status;
}

/* Each calls itself twice, and so on: they are not followed for ever. */
static void functions_that_double_end(void **state)
{
    static const struct file_row row   = { "a\nb",     -2,   -1,        -1,
                                           0,          "\t", TN_STRING, TN_INT64,
                                           "a=0 b=1 ", 40 };
    struct tn_error              error = TN_ERROR_INIT;
    struct tn_memory             memory;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    current = &row;
    assert_int_equal(try_file(tn_bytes(NULL, 0), &memory, &error), TN_OK);
}

static void files_fill_tables(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        current = &files[i];
        tn_survives_no_memory(try_file, tn_bytes(NULL, 0));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_fill_tables),
        cmocka_unit_test(functions_that_double_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
