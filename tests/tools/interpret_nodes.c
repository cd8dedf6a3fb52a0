/*
 * interpret_nodes.c - what mapping rules make of nodes of ONNX
 *
 *   interpret_nodes VOCABULARY RULES < paths > out
 *
 * Each path is of a file with the bytes of a NodeProto.  For it a line with the
 * path, nd4j's op and how many known defects its mapper has, then a line for
 * each argument that got a value: list, place, name and value, tab-separated.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tenon/interpret.h>

static char letter_of(enum tn_arg_type type)
{
    switch (type) {
    case TN_ARG_FLOAT:
    case TN_ARG_DOUBLE: return 't';
    case TN_ARG_INT32:
    case TN_ARG_INT64: return 'i';
    case TN_ARG_BOOL: return 'b';
    case TN_ARG_DATA_TYPE: return 'd';
    case TN_ARG_STRING: return 's';
    default: return 0;
    }
}

static void print_arg(const struct tn_arg *arg)
{
    char letter = letter_of(arg->type);

    if (!letter || !arg->has_value)
        return;
    printf("%c\t%d\t%.*s\t", letter, (int)arg->index, (int)arg->name.size,
           (const char *)arg->name.data);
    if (letter == 't')
        printf("%.17g\n", arg->real);
    else if (letter == 's')
        printf("%.*s\n", (int)arg->text.size, (const char *)arg->text.data);
    else
        printf("%lld\n", (long long)arg->number);
}

static uint32_t defects_of(const struct tn_interpreter *interpreter,
                           struct tn_bytes              op)
{
    for (uint32_t i = 0; i < tn_interpreter_mapper_count(interpreter); i++) {
        struct tn_mapper_info info = tn_interpreter_mapper(interpreter, i);
        if (info.op_type.size == op.size &&
            !memcmp(info.op_type.data, op.data, op.size) &&
            info.framework.size == 4)
            return info.defect_count;
    }
    return 0;
}

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
    struct tn_bytes node = { (const uint8_t *)bytes, size };
    if (tn_interpret_onnx(&made, interpreter, node, &around, &error) != TN_OK) {
        printf("%s\t-\t0\n", path);
        return;
    }
    struct tn_bytes type = { (const uint8_t *)op_type, strlen(op_type) };
    printf("%s\t%.*s\t%u\n", path, (int)made->name.size,
           (const char *)made->name.data,
           (unsigned)defects_of(interpreter, type));
    for (uint32_t i = 0; i < made->args.count; i++)
        print_arg(&made->args.items[i]);
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
