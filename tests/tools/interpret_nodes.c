/*
 * interpret_nodes.c - what mapping rules make of nodes of ONNX
 *
 *   interpret_nodes VOCABULARY RULES < paths > out
 *
 * Each path is of a file with the bytes of a NodeProto.  For it a line with the
 * path, nd4j's op and how many known defects its mapper has, tab-separated,
 * then its arguments as print_descriptor.h has them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "print_descriptor.h"

static bool read_file(const char *path, char *to, size_t room, size_t *size)
{
    FILE *file = fopen(path, "rb");

    if (!file)
        return false;
    *size = fread(to, 1, room, file);
    fclose(file);
    return *size < room;
}

static void interpret(struct tn_interpreter *interpreter, const char *path,
                      const char *op_type, long long opset)
{
    static char                 bytes[1 << 20];
    struct tn_error             error = TN_ERROR_INIT;
    struct tn_op_descriptor    *made;
    struct tn_interpret_context around = { .opset = opset };
    size_t                      size;

    if (!read_file(path, bytes, sizeof bytes, &size)) {
        printf("%s\t-\t0\n", path);
        return;
    }
    struct tn_bytes node    = { (const uint8_t *)bytes, size };
    struct tn_bytes type    = { (const uint8_t *)op_type, strlen(op_type) };
    int             defects = count_defects(interpreter, "onnx", type);
    if (defects < 0 ||
        tn_interpret_onnx(&made, interpreter, node, &around, &error) != TN_OK) {
        printf("%s\t-\t0\n", path);
        return;
    }
    printf("%s\t%.*s\t%d\n", path, (int)made->name.size,
           (const char *)made->name.data, defects);
    print_descriptor(made);
    tn_op_descriptor_close(made);
}

int main(int argc, char **argv)
{
    struct tn_interpreter_options what  = { .files =
                                                (const char *const *)argv + 1,
                                            .file_count = (uint32_t)argc - 1 };
    struct tn_error               error = TN_ERROR_INIT;
    struct tn_interpreter        *interpreter;
    char                          path[900], op_type[90];
    long long                     opset;

    if (tn_interpreter_open(&interpreter, &what, NULL, &error) != TN_OK) {
        fprintf(stderr, "%s: %s\n", error.file, error.what);
        return 1;
    }
    while (scanf("%899s %89s %lld", path, op_type, &opset) == 3)
        interpret(interpreter, path, op_type, opset);
    tn_interpreter_close(interpreter);
    return 0;
}
