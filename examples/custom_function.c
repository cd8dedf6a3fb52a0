/*
 * custom_function.c - a function of one's own for Deeplearning4j's rule files
 *
 *   custom_function OPS.pbtxt RULES.pbtxt NODE
 *
 * NODE is a file with one tensorflow.NodeDef in binary.  A rule of the file
 * says `ruleName: "percent"`: for each of its pairs, an attribute of the node
 * becomes an argument of nd4j's op, a hundredth of it.  Prints the arguments.
 */
#include <stdio.h>
#include <stdlib.h>

#include <tenon/tenon.h>

static enum tn_status percent(void *context, struct tn_rule_call *call,
                              struct tn_error *error)
{
    enum tn_status status = TN_OK;

    (void)context;
    for (uint32_t i = 0; status == TN_OK && i < tn_call_pair_count(call); i++) {
        struct tn_attr_value value;
        struct tn_arg        arg = { .type = TN_ARG_DOUBLE, .has_value = true };
        if (!tn_call_attr(call, tn_call_pair_framework(call, i), &value) ||
            value.kind != TN_ATTR_INT)
            continue;
        arg.name  = tn_call_pair_nd4j(call, i);
        arg.index = tn_call_index(call, arg.name, TN_ARG_DOUBLE);
        arg.real  = (double)value.of.ints[0] / 100;
        status    = tn_call_emit(call, &arg, error);
    }
    return status;
}

static void print_args(const struct tn_op_descriptor *op)
{
    const struct tn_args *t = &op->lists[TN_LIST_T];

    printf("%.*s\n", (int)op->name.size, (const char *)op->name.data);
    for (uint32_t i = 0; i < t->count; i++)
        printf("%.*s = %g\n", (int)t->items[i].name.size,
               (const char *)t->items[i].name.data, t->items[i].real);
}

static enum tn_status interpret(const char *const *files, struct tn_bytes node,
                                struct tn_error *error)
{
    const struct tn_custom_function     functions[] = { { "percent", percent,
                                                          NULL } };
    const struct tn_interpreter_options how         = { .files          = files,
                                                        .file_count     = 2,
                                                        .functions      = functions,
                                                        .function_count = 1 };
    const struct tn_interpret_context   around      = { 0 };
    struct tn_interpreter              *interpreter;
    struct tn_op_descriptor            *op;

    if (tn_interpreter_open(&interpreter, &how, NULL, error) == TN_OK &&
        tn_interpret_tensorflow(&op, interpreter, node, &around, error) ==
            TN_OK) {
        print_args(op);
        tn_op_descriptor_close(op);
    }
    tn_interpreter_close(interpreter);
    return error->status;
}

int main(int argc, char **argv)
{
    struct tn_error error = TN_ERROR_INIT;
    static char     bytes[1 << 16];

    if (argc != 4) {
        fprintf(stderr, "usage: custom_function OPS RULES NODE\n");
        return 2;
    }
    FILE *file = fopen(argv[3], "rb");
    if (!file) {
        perror(argv[3]);
        return 1;
    }
    struct tn_bytes node = { .data = (const uint8_t *)bytes,
                             .size = fread(bytes, 1, sizeof bytes, file) };
    fclose(file);
    if (interpret((const char *const *)argv + 1, node, &error) == TN_OK)
        return 0;
    fprintf(stderr, "custom_function: %s: %s\n", error.where, error.what);
    return 1;
}
