/*
 * interpret_graphs.c - what mapping rules make of the nodes of GraphDefs
 *
 *   interpret_graphs VOCABULARY RULES < paths > out
 *
 * Each path is of a binary GraphDef.  For each node that a mapper takes there
 * is a line with the path, the node, its op, nd4j's op and how many known
 * defects the mapper has, tab-separated, then its arguments as
 * print_descriptor.h has them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "print_descriptor.h"

/* ---- fields of a message; a broken one ends ----------------------------- */

struct field {
    unsigned        number;
    struct tn_bytes bytes; /* of one with a length, else empty                */
};

static bool read_varint(struct tn_bytes *rest, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; rest->size && shift < 64; shift += 7) {
        uint8_t byte = *rest->data++;
        rest->size--;
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return true;
    }
    return false;
}

static bool next_field(struct tn_bytes *rest, struct field *field)
{
    uint64_t key, size = 0;

    field->bytes = (struct tn_bytes){ NULL, 0 };
    if (!read_varint(rest, &key))
        return false;
    field->number = (unsigned)(key >> 3);
    if ((key & 7) == 0)
        return read_varint(rest, &size);
    if ((key & 7) == 2 && !read_varint(rest, &size))
        return false;
    if ((key & 7) != 2)
        size = (key & 7) == 1 ? 8 : 4;
    if (size > rest->size)
        return false;
    field->bytes = (struct tn_bytes){ rest->data, (size_t)size };
    rest->data += size;
    rest->size -= (size_t)size;
    return true;
}

static struct tn_bytes find_field(struct tn_bytes message, unsigned number)
{
    struct field field;

    while (next_field(&message, &field))
        if (field.number == number)
            return field.bytes;
    return (struct tn_bytes){ NULL, 0 };
}

static bool equal(struct tn_bytes a, struct tn_bytes b)
{
    return a.size == b.size && (!a.size || !memcmp(a.data, b.data, a.size));
}

static bool is_text(struct tn_bytes a, const char *text)
{
    return equal(a, (struct tn_bytes){ (const uint8_t *)text, strlen(text) });
}

/* ---- constants of a graph ----------------------------------------------- */

enum { NODE = 1, NODE_NAME = 1, NODE_OP = 2, NODE_ATTR = 5, ATTR_TENSOR = 8 };

static struct tn_bytes tensor_of(struct tn_bytes node)
{
    struct field field;

    while (next_field(&node, &field))
        if (field.number == NODE_ATTR &&
            is_text(find_field(field.bytes, 1), "value"))
            return find_field(find_field(field.bytes, 2), ATTR_TENSOR);
    return (struct tn_bytes){ NULL, 0 };
}

/* What `w/read` reads is `w`. */
static struct tn_bytes without_read(struct tn_bytes name)
{
    static const char tail[] = "/read";
    size_t            size   = sizeof tail - 1;

    if (name.size > size && !memcmp(name.data + name.size - size, tail, size))
        name.size -= size;
    return name;
}

static bool find_constant(void *context, struct tn_bytes name,
                          struct tn_bytes *tensor)
{
    struct tn_bytes graph = *(struct tn_bytes *)context;
    struct field    field;

    while (next_field(&graph, &field))
        if (field.number == NODE &&
            equal(find_field(field.bytes, NODE_NAME), without_read(name)) &&
            is_text(find_field(field.bytes, NODE_OP), "Const")) {
            *tensor = tensor_of(field.bytes);
            return tensor->data != NULL;
        }
    return false;
}

static void interpret_node(struct tn_interpreter *interpreter, const char *path,
                           struct tn_bytes graph, struct tn_bytes node)
{
    struct tn_error             error  = TN_ERROR_INIT;
    struct tn_interpret_context around = { .constant = find_constant,
                                           .context  = &graph };
    struct tn_bytes             name   = find_field(node, NODE_NAME);
    struct tn_bytes             op     = find_field(node, NODE_OP);
    int defects = count_defects(interpreter, "tensorflow", op);
    struct tn_op_descriptor *made;

    if (defects < 0 || tn_interpret_tensorflow(&made, interpreter, node,
                                               &around, &error) != TN_OK) {
        printf("%s\t%.*s\t%.*s\t-\t0\n", path, (int)name.size,
               (const char *)name.data, (int)op.size, (const char *)op.data);
        return;
    }
    printf("%s\t%.*s\t%.*s\t%.*s\t%d\n", path, (int)name.size,
           (const char *)name.data, (int)op.size, (const char *)op.data,
           (int)made->name.size, (const char *)made->name.data, defects);
    print_descriptor(made);
    tn_op_descriptor_close(made);
}

static void interpret_graph(struct tn_interpreter *interpreter,
                            const char            *path)
{
    static uint8_t bytes[8 << 20];
    FILE          *file = fopen(path, "rb");
    struct field   field;

    if (!file)
        return;
    struct tn_bytes graph = { bytes, fread(bytes, 1, sizeof bytes, file) };
    fclose(file);
    struct tn_bytes rest = graph;
    while (next_field(&rest, &field))
        if (field.number == NODE)
            interpret_node(interpreter, path, graph, field.bytes);
}

int main(int argc, char **argv)
{
    struct tn_interpreter_options what  = { .files =
                                                (const char *const *)argv + 1,
                                            .file_count = (uint32_t)argc - 1 };
    struct tn_error               error = TN_ERROR_INIT;
    struct tn_interpreter        *interpreter;
    char                          path[900];

    if (tn_interpreter_open(&interpreter, &what, NULL, &error) != TN_OK) {
        fprintf(stderr, "%s: %s\n", error.file, error.what);
        return 1;
    }
    while (scanf("%899s", path) == 1)
        interpret_graph(interpreter, path);
    tn_interpreter_close(interpreter);
    return 0;
}
