/* rest_test.c - fields that a table does not take are told, and only those */
#include "format/rest.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "format/format.h"
#include "wire/pb/pb_schema.h"

struct heard {
    char text[400];
};

static void hear(void *context, uint64_t offset, const char *where,
                 const char *what)
{
    struct heard *heard = context;
    size_t        used  = strlen(heard->text);

    (void)offset;
    snprintf(heard->text + used, sizeof heard->text - used, "%s: %s\n", where,
             what);
}

/* clang-format off */

/* ModelProto: 2 is producer_name, 5 model_version, 6 doc_string, 7 the graph,
 * 14 metadata_props; of a graph 1 is a node, 10 its doc_string; of a node 6. */
#define PRODUCER "\x12\x01p"
#define VERSION  "\x28\x07"
#define NO_DOC   "\x32\x00"
#define GRAPH(bytes, size) "\x3a" size bytes
#define NODE_DOC "\x0a\x03\x32\x01n"
#define UNKNOWN  "\xa2\x06\x01x"

static const struct {
    const char *name, *bytes;
    size_t      size;
    const char *model, *graph, *expected;
} cases[] = {
    { "all taken", PRODUCER VERSION, 5, "producer_name! model_version!", "", "" },
    { "one told", PRODUCER VERSION, 5, "model_version!", "", "producer_name: left behind: ModelProto.producer_name\n" },
    { "a number told", PRODUCER VERSION, 5, "producer_name", "", "model_version: left behind: ModelProto.model_version\n" },
    { "nothing is in it", NO_DOC, 2, "", "", "" },
    { "taken whole", GRAPH(NODE_DOC NODE_DOC, "\x0a"), 12, "graph!", "", "" },
    { "the field around it", GRAPH(NODE_DOC, "\x05"), 7, "", "", "graph: left behind: ModelProto.graph\n" },
    { "looked into, twice", GRAPH(NODE_DOC NODE_DOC, "\x0a"), 12, "graph", "node", "graph.node[0].doc_string: left behind: NodeProto.doc_string (2 times)\n" },
    { "a name in another name", PRODUCER, 3, "reproducer_name! producer_name_too!", "", "producer_name: left behind: ModelProto.producer_name\n" },
    { "not in the schema", UNKNOWN UNKNOWN, 8, "", "", ": left behind: fields of ModelProto that its schema does not have (2 times)\n" },
};
/* clang-format on */

static void what_is_not_taken_is_told(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct tn_rest_row taken[] = {
            { "onnx.ModelProto", NULL, cases[i].model },
            { "onnx.GraphProto", NULL, cases[i].graph },
            { "onnx.NodeProto", NULL, "" },
            { NULL, NULL, NULL },
        };
        struct heard     heard = { "" };
        struct tn_error  error = TN_ERROR_INIT;
        struct tn_source source;
        struct tn_memory memory;
        struct tn_rest   rest = { .schema       = TN_PB_ONNX,
                                  .message      = "onnx.ModelProto",
                                  .taken        = taken,
                                  .path         = "",
                                  .loss         = hear,
                                  .loss_context = &heard };

        tn_memory_init(&memory, NULL, 0);
        tn_source_memory(&source, &memory,
                         tn_bytes(cases[i].bytes, cases[i].size));
        tn_rest_report(&rest, (struct tn_span){ &source, 0, cases[i].size },
                       &memory, &error);
        if (error.status != TN_OK || strcmp(heard.text, cases[i].expected) != 0)
            fail_msg("%s: %s%s", cases[i].name, error.what, heard.text);
        tn_source_close(&source);
    }
}

/* ---- the tables of the formats ------------------------------------------ */

static void check_row(const struct tn_pb_schema *schema,
                      const struct tn_rest_row  *row)
{
    const struct tn_pb_message *message =
        tn_pb_schema_find(schema, row->message);
    const char *at = row->fields;

    if (!message)
        fail_msg("no message %s", row->message);
    while (*(at += strspn(at, " !")) != '\0') {
        size_t size = strcspn(at, " !");
        if (!tn_pb_message_field_named(message, tn_bytes(at, size)))
            fail_msg("%s has no field %.*s", row->message, (int)size, at);
        at += size;
    }
}

/* A name that is no field would take nothing, and nobody would know. */
static void tables_name_fields(void **state)
{
    unsigned rows = 0;

    (void)state;
    for (const struct tn_format *const *f = tn_formats; *f; f++) {
        const struct tn_rest_row *tables[] = { (*f)->taken_by_graph,
                                               (*f)->taken_by_tensors };
        struct tn_error           error    = TN_ERROR_INIT;
        struct tn_memory          memory;
        struct tn_arena           arena;
        struct tn_pb_schema       schema;
        tn_memory_init(&memory, NULL, 0);
        tn_arena_init(&arena, &memory);
        if (tables[0] || tables[1])
            assert_int_equal(tn_pb_schema_load(&schema, &arena,
                                               tn_pb_builtin_set((*f)->schema),
                                               &error),
                             TN_OK);
        for (unsigned i = 0; i < 2; i++)
            for (const struct tn_rest_row *row = tables[i]; row && row->message;
                 row++, rows++)
                check_row(&schema, row);
        tn_arena_done(&arena);
    }
    assert_true(rows > 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_taken_is_told),
        cmocka_unit_test(tables_name_fields),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
