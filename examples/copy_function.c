/*
 * copy_function.c - copies a function from one graph into another, and calls it
 *
 *   copy_function FROM FUNCTION TO OUT
 *
 * FROM and TO are models of one dialect, both ONNX or both TensorFlow.  A node
 * that calls the function is put behind the first node of TO, on its output,
 * and everything that read that output reads the result of the call instead.
 * The new model shares all weights with the old ones: nothing is copied until
 * it is written.
 */
#include <stdio.h>
#include <string.h>

#include <tenon/tenon.h>

#define TRY(call)                                                              \
    do {                                                                       \
        if ((call) != TN_OK)                                                   \
            goto out;                                                          \
    } while (0)

static uint32_t find_function(const struct tn_model *model, const char *name)
{
    for (uint32_t i = 0; i < tn_model_graph_count(model); i++) {
        struct tn_graph_info graph = tn_model_graph(model, i);
        if (graph.kind == TN_GRAPH_FUNCTION &&
            graph.name.size == strlen(name) &&
            memcmp(graph.name.data, name, graph.name.size) == 0)
            return i;
    }
    return TN_NONE;
}

/* Every later node that reads `value` reads `instead`. */
static enum tn_status redirect(struct tn_edit *edit, const struct tn_model *to,
                               uint32_t value, const char *instead,
                               struct tn_error *error)
{
    struct tn_graph_info main_graph = tn_model_graph(to, 0);

    for (uint64_t i = 0; i < main_graph.op_count; i++) {
        uint32_t          op   = main_graph.first_op + (uint32_t)i;
        struct tn_op_info info = tn_model_op(to, op);
        for (uint32_t k = 0; k < info.input_count; k++) {
            if (tn_op_input(to, op, k) != value)
                continue;
            if (tn_edit_set_input(edit, op, k, instead, error) != TN_OK)
                return error->status;
        }
    }
    return TN_OK;
}

static enum tn_status call_behind_first(struct tn_edit        *edit,
                                        const struct tn_model *to,
                                        struct tn_bytes domain,
                                        const char *function,
                                        struct tn_error *error)
{
    uint32_t first = tn_model_graph(to, 0).first_op;
    uint32_t value = tn_op_output(to, first, 0);
    char     input[256], domain_name[256];

    struct tn_bytes name = tn_model_value_info(to, value).name;
    snprintf(input, sizeof input, "%.*s", (int)name.size, name.data);
    snprintf(domain_name, sizeof domain_name, "%.*s", (int)domain.size,
             domain.data);
    struct tn_op_spec call = {
        .name         = "inserted_call",
        .type         = function,
        .domain       = domain_name,
        .inputs       = (const char *const[]){ input },
        .input_count  = 1,
        .outputs      = (const char *const[]){ "inserted_call" },
        .output_count = 1,
    };
    uint32_t before = tn_model_graph(to, 0).op_count > 1 ? first + 1 : TN_NONE;
    if (redirect(edit, to, value, "inserted_call", error) != TN_OK)
        return error->status;
    return tn_edit_add_op(edit, 0, before, &call, NULL, error);
}

int main(int argc, char **argv)
{
    struct tn_options options = { .wants_graph = true };
    struct tn_error   error   = TN_ERROR_INIT;
    struct tn_model  *from = NULL, *to = NULL, *result = NULL;
    struct tn_edit   *edit     = NULL;
    uint32_t          function = TN_NONE;

    if (argc != 5) {
        fprintf(stderr, "usage: copy_function FROM FUNCTION TO OUT\n");
        return 2;
    }
    TRY(tn_model_open(&from, argv[1], &options, &error));
    TRY(tn_model_open(&to, argv[3], &options, &error));
    function = find_function(from, argv[2]);
    if (function == TN_NONE) {
        fprintf(stderr, "%s has no function '%s'\n", argv[1], argv[2]);
        goto out;
    }
    TRY(tn_edit_open(&edit, to, NULL, &error));
    TRY(tn_edit_copy_function(edit, from, function, NULL, NULL, &error));
    TRY(call_behind_first(edit, to, tn_model_graph(from, function).domain,
                          argv[2], &error));
    TRY(tn_edit_commit(edit, &result, &error));
    struct tn_target target = { .path = argv[4], .can_replace = true };
    TRY(tn_convert(result, NULL, &target, NULL, NULL, &error));
    printf("%s: %u functions, %llu nodes\n", argv[4],
           tn_model_function_count(result),
           (unsigned long long)tn_model_node_count(result));
out:
    if (error.status != TN_OK)
        fprintf(stderr, "copy_function: %s: %s\n", error.where, error.what);
    tn_model_close(result);
    tn_edit_close(edit);
    tn_model_close(to);
    tn_model_close(from);
    return error.status != TN_OK || function == TN_NONE;
}
