/*
 * tf_split_test.c - the chunks that TensorFlow's splitters make
 *
 * The real files are split by both rule sets and must give the sizes, paths and
 * order that TensorFlow gives; the others are composed here.
 */
#define _GNU_SOURCE
#include "format/tensorflow/tf_split.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/varint.h"
#include "chunk/splitter.h"
#include "support/hostile.h"

#define GOLDEN TN_SHARED_DATA "/tensorflow/proto_splitter/"

static struct tn_schema *schema;

static int begin(void **state)
{
    struct tn_error error = TN_ERROR_INIT;

    (void)state;
    return tn_schema_builtin(&schema, "tensorflow", NULL, &error);
}

static int end(void **state)
{
    (void)state;
    tn_schema_close(schema);
    return 0;
}

/* ---- helpers --------------------------------------------------------------
 */

struct split {
    struct tn_message  *message;
    struct tn_splitter *splitter;
    struct tn_error     error;
};

static enum tn_status split_bytes(struct split *s, const char *type,
                                  struct tn_bytes     bytes,
                                  enum tn_split_rules rules, uint64_t most)
{
    struct tn_tf_split_options options = { rules, most };

    s->error = (struct tn_error)TN_ERROR_INIT;
    assert_int_equal(
        tn_message_bytes(&s->message, schema, type, bytes, NULL, &s->error),
        TN_OK);
    assert_int_equal(tn_splitter_open(&s->splitter, s->message, &s->error),
                     TN_OK);
    if (strstr(type, "SavedModel"))
        tn_tf_split_saved_model(s->splitter, &options, &s->error);
    else
        tn_tf_split_graph(s->splitter, &options, &s->error);
    if (s->error.status == TN_OK)
        tn_splitter_split(s->splitter, &s->error);
    return s->error.status;
}

static void close_split(struct split *s)
{
    tn_splitter_close(s->splitter);
    tn_message_close(s->message);
}

static struct tn_bytes read_chunk(struct split *s, uint64_t index)
{
    size_t   size  = (size_t)tn_splitter_chunk_size(s->splitter, index);
    uint8_t *bytes = malloc(size + 1);

    assert_non_null(bytes);
    assert_int_equal(
        tn_splitter_chunk_read(s->splitter, index, 0, bytes, size, &s->error),
        TN_OK);
    return tn_bytes(bytes, size);
}

static void drop(struct tn_bytes bytes)
{
    free((void *)(uintptr_t)bytes.data);
}

/* Shorter names for long paths. */
static void shorten(char *text, const char *from, const char *to)
{
    char *at;

    while ((at = strstr(text, from)) != NULL) {
        size_t old = strlen(from), new = strlen(to);
        memmove(at + new, at + old, strlen(at + old) + 1);
        memcpy(at, to, new);
    }
}

/* "239 964b: 1 node[2].."; the sizes, then the fields in their stored order. */
static const char *describe(const struct split *s)
{
    static char              text[4000];
    const struct tn_chunked *result = &s->splitter->result;
    char                     path[300];
    size_t                   used  = 0;
    uint64_t                 count = tn_splitter_chunk_count(s->splitter);

    for (uint64_t i = 0; i < count; i++)
        used += (size_t)snprintf(
            text + used, sizeof text - used, "%s%llu%s", i ? " " : "",
            (unsigned long long)tn_splitter_chunk_size(s->splitter, i),
            tn_splitter_chunk_type(s->splitter, i) == TN_CHUNK_BYTES ? "b"
                                                                     : "");
    for (uint64_t i = 0; i < result->field_count; i++) {
        tn_tags_print(result->fields[i].tags, s->message->type, path,
                      sizeof path);
        shorten(path, ".attr[\"value\"].tensor.tensor_content", "..");
        shorten(path, "meta_graphs[0].graph_def", "G");
        shorten(path, "library", "L");
        shorten(path, "function", "F");
        used += (size_t)snprintf(
            text + used, sizeof text - used, "; %llu %s",
            (unsigned long long)result->fields[i].message.chunk, path);
    }
    return text;
}

/* The chunks in memory, joined, are the message again. */
static void assert_joins(struct split *s, struct tn_bytes want)
{
    uint64_t           count  = tn_splitter_chunk_count(s->splitter);
    struct tn_bytes   *chunks = calloc((size_t)count, sizeof *chunks);
    struct tn_message *merged;

    assert_non_null(chunks);
    for (uint64_t i = 0; i < count; i++)
        chunks[i] = read_chunk(s, i);
    assert_int_equal(
        tn_merge(&merged, schema, s->message->type->full_name, chunks, count,
                 tn_splitter_chunked_message(s->splitter), NULL, &s->error),
        TN_OK);
    assert_int_equal(tn_message_size(merged), want.size);
    tn_message_close(merged);
    for (uint64_t i = 0; i < count; i++)
        drop(chunks[i]);
    free(chunks);
}

/* ---- the real files -------------------------------------------------------
 */

#define GRAPH "tensorflow.GraphDef"
#define SAVED "tensorflow.SavedModel"

/* TensorFlow's C++ makes chunk 0 of the first two longer by an empty library.
 * clang-format off */
static const struct golden {
    const char *file, *type;
    uint64_t    most;
    const char *cpp, *python;
} goldens[] = {
    { "split-large-constant.pb", GRAPH, 500,
      "239 964b 964b; 1 node[2]..; 2 node[4]..",
      "239 964b 964b; 1 node[2]..; 2 node[4].." },
    { "split-large-nodes.pb", GRAPH, 200,
      "114 95 95 95 95; 1 node[1]; 2 node[2]; 3 node[3]; 4 node[5]",
      "114 95 95 95 95; 1 node[1]; 2 node[2]; 3 node[3]; 4 node[5]" },
    { "function-large-nodes.pb", GRAPH, 200,
      "124 95 95 95 95; 1 L.F[0].node_def[1]; 2 L.F[0].node_def[2]; "
      "3 L.F[0].node_def[3]; 4 L.F[0].node_def[5]",
      "124 95 95 95 95; 1 L.F[0].node_def[1]; 2 L.F[0].node_def[2]; "
      "3 L.F[0].node_def[3]; 4 L.F[0].node_def[5]" },
    { "function-lots-of-nodes.pb", GRAPH, 500,
      "10 485 485 490; 1 L.F[0]; 2 L.F[0]; 3 L.F[0]",
      "2 485 490 494; 1 L.F[0]; 2 L.F[0]; 3 L" },
    { "graph-def-and-function.pb", GRAPH, 200,
      "193 166 159 159; 1 L.F[0]; 2 ; 3 ",
      "159 190 166 159; 2 L.F[0]; 3 ; 1 L" },
    { "split-standard.pb", SAVED, 500,
      "276 964b 964b 464b 434 315 316 460b 211; 1 G.node[2]..; "
      "2 G.node[4]..; 3 G.node[5]..; 4 G; 5 G; 6 G.L.F[0]; "
      "7 G.L.F[1].node_def[1]..; 8 G.L.F[3]",
      "440 267 964b 964b 464b 315 316 460b 211; 2 G.node[2]..; "
      "3 G.node[4]..; 4 G.node[5]..; 5 G; 6 G.L.F[0]; "
      "7 G.L.F[1].node_def[1]..; 8 G.L.F[3]; 1 G.L" },
};
/* clang-format on */

static void check_golden(const struct golden *golden, struct tn_bytes bytes,
                         enum tn_split_rules rules, const char *want)
{
    struct split s;

    split_bytes(&s, golden->type, bytes, rules, golden->most);
    assert_string_equal(s.error.what, "");
    assert_string_equal(describe(&s), want);
    assert_joins(&s, bytes);
    close_split(&s);
}

static void real_files_give_tensorflows_chunks(void **state)
{
    char path[300];

    (void)state;
    for (size_t i = 0; i < sizeof goldens / sizeof *goldens; i++) {
        snprintf(path, sizeof path, GOLDEN "%s", goldens[i].file);
        struct tn_bytes bytes = tn_load_file(path);
        if (!bytes.data) {
            print_message("skipped: wants real models: %s\n", path);
            continue;
        }
        check_golden(&goldens[i], bytes, TN_SPLIT_CPP, goldens[i].cpp);
        check_golden(&goldens[i], bytes, TN_SPLIT_PYTHON, goldens[i].python);
        drop(bytes);
    }
}

/* ---- composed graphs ------------------------------------------------------
 */

/* A message that grows at its end. */
struct wire {
    uint8_t bytes[8000];
    size_t  size;
};

static void put(struct wire *to, uint32_t number, const void *bytes,
                size_t size)
{
    assert_true(to->size + size + 20 < sizeof to->bytes);
    to->size += tn_varint_put(to->bytes + to->size, number << 3 | 2);
    to->size += tn_varint_put(to->bytes + to->size, size);
    if (size)
        memcpy(to->bytes + to->size, bytes, size);
    to->size += size;
}

static void put_wire(struct wire *to, uint32_t number, const struct wire *from)
{
    put(to, number, from->bytes, from->size);
}

static void put_number(struct wire *to, uint32_t number, uint64_t value)
{
    to->size += tn_varint_put(to->bytes + to->size, number << 3);
    to->size += tn_varint_put(to->bytes + to->size, value);
}

/* A TensorProto with the shape [count] and a type. */
static struct wire tensor_of(uint64_t type, uint64_t count)
{
    struct wire dim = { .size = 0 }, shape = { .size = 0 },
                tensor = { .size = 0 };

    put_number(&dim, 1, count);
    put_wire(&shape, 2, &dim);
    put_number(&tensor, 1, type);
    put_wire(&tensor, 2, &shape);
    return tensor;
}

static struct wire node_of(const char *op, const struct wire *tensor)
{
    struct wire value = { .size = 0 }, entry = { .size = 0 },
                node = { .size = 0 };

    put_wire(&value, 8, tensor);
    put(&entry, 1, "value", 5);
    put_wire(&entry, 2, &value);
    put(&node, 1, "Const_1", 7);
    put(&node, 2, op, strlen(op));
    put_wire(&node, 5, &entry);
    return node;
}

/* A constant of so many bytes. */
static struct wire constant(size_t size)
{
    static const uint8_t zeros[2000];
    struct wire          node = { .size = SIZE_MAX };

    for (size_t content = size; node.size > size; content--) {
        struct wire tensor = tensor_of(1, content / 4);
        put(&tensor, 4, zeros, content);
        node = node_of("Const", &tensor);
    }
    assert_int_equal(node.size, size);
    return node;
}

static void put_nodes(struct wire *to, uint32_t number, const size_t *sizes)
{
    for (; *sizes; sizes++) {
        struct wire node = constant(*sizes);
        put_wire(to, number, &node);
    }
}

#define MOST 16
static const struct composed {
    const char         *claim;
    enum tn_split_rules rules;
    uint64_t            most;
    size_t              nodes[MOST];
    size_t              functions[4][MOST]; /* sizes of their nodes           */
    uint64_t            chunks;
    const char         *fields; /* as describe() has them                     */
} composeds[] = {
    { "a graph that fits is one chunk",
      TN_SPLIT_CPP,
      500,
      { 56, 100, 56, 56, 100 },
      { { 0 } },
      1,
      "" },
    { "C++ counts the heads of elements: four of 96 fit into 5 * 96",
      TN_SPLIT_CPP,
      96 * 5,
      { 96, 96, 96, 96, 96, 96, 96, 96, 96, 96, 96, 96, 96, 96, 96 },
      { { 0 } },
      5,
      "; 1 ; 2 ; 3 ; 4 " },
    { "Python leaves the first slice in the graph",
      TN_SPLIT_PYTHON,
      500,
      { 96, 96, 96, 96, 96, 96, 96, 96, 96, 96, 96, 96, 96, 96, 96 },
      { { 0 } },
      3,
      "; 1 ; 2 " },
    { "a function past a third of the limit is a chunk",
      TN_SPLIT_PYTHON,
      294,
      { 0 },
      { { 56, 56, 56, 56, 56 } },
      2,
      "; 1 L.F[0]" },
    { "constants in a function",
      TN_SPLIT_PYTHON,
      200,
      { 0 },
      { { 500, 500, 56, 500 } },
      4,
      "; 1 L.F[0].node_def[0]..; 2 L.F[0].node_def[1]..; "
      "3 L.F[0].node_def[3].." },
    { "a Python slice stands before what is taken out of it later",
      TN_SPLIT_PYTHON,
      300,
      { 90, 90, 90, 90, 90, 500 },
      { { 0 } },
      3,
      "; 1 ; 2 node[5].." },
    { "a C++ slice stands after it",
      TN_SPLIT_CPP,
      300,
      { 90, 90, 90, 90, 90, 500 },
      { { 0 } },
      4,
      "; 1 node[5]..; 2 ; 3 " },
};

static struct wire compose(const struct composed *c)
{
    struct wire graph = { .size = 0 }, library = { .size = 0 };

    put_nodes(&graph, 1, c->nodes);
    for (size_t i = 0; i < 4 && c->functions[i][0]; i++) {
        struct wire function = { .size = 0 };
        put_nodes(&function, 3, c->functions[i]);
        put_wire(&library, 1, &function);
    }
    if (library.size)
        put_wire(&graph, 2, &library);
    return graph;
}

/* Chunks of messages hold to the limit; Python's may pass it by the heads of
 * their elements. */
static void assert_sizes(const struct split *s, const struct composed *c)
{
    for (uint64_t i = 0; i < c->chunks; i++)
        if (tn_splitter_chunk_type(s->splitter, i) == TN_CHUNK_MESSAGE)
            assert_in_range(tn_splitter_chunk_size(s->splitter, i), 0,
                            c->most +
                                (c->rules == TN_SPLIT_PYTHON ? 5 * MOST : 0));
}

static void composed_graphs_split_by_the_rules(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof composeds / sizeof *composeds; i++) {
        const struct composed *c     = &composeds[i];
        struct wire            graph = compose(c);
        struct tn_bytes        bytes = tn_bytes(graph.bytes, graph.size);
        struct split           s;

        split_bytes(&s, GRAPH, bytes, c->rules, c->most);
        assert_string_equal(s.error.what, "");
        const char *fields = strchr(describe(&s), ';');
        if (strcmp(fields ? fields : "", c->fields) ||
            tn_splitter_chunk_count(s.splitter) != c->chunks)
            fail_msg("%s: %s", c->claim, describe(&s));
        assert_sizes(&s, c);
        assert_joins(&s, bytes);
        close_split(&s);
    }
}

/* ---- constants ------------------------------------------------------------
 */

static void assert_content(const struct wire *tensor, const void *want,
                           size_t size)
{
    struct wire  node = node_of("Const", tensor), graph = { .size = 0 };
    struct split s;

    put_wire(&graph, 1, &node);
    split_bytes(&s, GRAPH, tn_bytes(graph.bytes, graph.size), TN_SPLIT_PYTHON,
                50);
    assert_string_equal(s.error.what, "");
    struct tn_bytes chunk = read_chunk(&s, 1);
    assert_int_equal(tn_splitter_chunk_type(s.splitter, 1), TN_CHUNK_BYTES);
    assert_int_equal(chunk.size, size);
    assert_memory_equal(chunk.data, want, size);
    drop(chunk);
    close_split(&s);
}

static void values_become_content(void **state)
{
    static const int32_t numbers[] = { 1, 2, 3, 3 };
    struct wire          ints = tensor_of(3, 4), texts = tensor_of(7, 2);

    (void)state;
    put(&ints, 7, "\1\2\3", 3); /* the last one stands for the fourth, too */
    put(&ints, 5, "a field of floats that does not count", 36);
    assert_content(&ints, numbers, sizeof numbers);
    put(&texts, 8, "one string that is long enough to be split", 42);
    put(&texts, 8, "another", 7);
    assert_content(&texts,
                   "\x2a\x07one string that is long enough to be splitanother",
                   51);
}

static void assert_refused(const char *op, const struct wire *tensor,
                           enum tn_status status, const char *what)
{
    struct wire  node = node_of(op, tensor), graph = { .size = 0 };
    struct split s;

    put_wire(&graph, 1, &node);
    assert_int_equal(split_bytes(&s, GRAPH, tn_bytes(graph.bytes, graph.size),
                                 TN_SPLIT_CPP, 30),
                     status);
    assert_non_null(strstr(s.error.what, what));
    close_split(&s);
}

static void what_the_rules_do_not_know_is_refused(void **state)
{
    struct wire huge = tensor_of(3, UINT64_C(1) << 50), few = tensor_of(3, 3);

    (void)state;
    put(&huge, 7, "\1", 1);
    put(&few, 7, "\1\2\3", 3);
    assert_refused("Const", &huge, TN_LIMIT, "repeats its last value");
    assert_refused("Constant", &few, TN_UNSUPPORTED, "is no constant");
}

/* ---- saved models ---------------------------------------------------------
 */

static void a_saved_model_is_split_through_its_graph(void **state)
{
    static const size_t sizes[] = { 100, 900, 0 };
    struct wire  graph = { .size = 0 }, meta = { .size = 0 }, model = meta;
    struct split s;

    (void)state;
    put_nodes(&graph, 1, sizes);
    put_wire(&meta, 2, &graph);
    put_wire(&model, 2, &meta);
    struct tn_bytes bytes = tn_bytes(model.bytes, model.size);
    split_bytes(&s, SAVED, bytes, TN_SPLIT_PYTHON, 500);
    assert_string_equal(strchr(describe(&s), ';'), "; 1 G.node[1]..");
    assert_joins(&s, bytes);
    close_split(&s);
    split_bytes(&s, SAVED, bytes, TN_SPLIT_CPP, 0);
    assert_int_equal(tn_splitter_chunk_count(s.splitter), 1);
    close_split(&s);
    split_bytes(&s, SAVED, tn_bytes(NULL, 0), TN_SPLIT_CPP, 0);
    assert_int_equal(s.error.status, TN_OK);
    close_split(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_files_give_tensorflows_chunks),
        cmocka_unit_test(composed_graphs_split_by_the_rules),
        cmocka_unit_test(values_become_content),
        cmocka_unit_test(what_the_rules_do_not_know_is_refused),
        cmocka_unit_test(a_saved_model_is_split_through_its_graph),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
