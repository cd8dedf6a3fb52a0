/*
 * infer_types.c - what the rules of shapes know of every value of a model
 *
 *   infer_types DIALECT < paths > out
 *
 * For each path a line with it, then a line for each value that a node makes:
 * name, type and dims, tab-separated; `?` is what is not known.  What the model
 * itself says of them is forgotten first.
 */
#include <stdio.h>
#include <string.h>

#include <tenon/tenon.h>

#include "map/infer.h"
#include "map/rule_sets.h"

static void forget(struct tn_net *net)
{
    for (uint32_t i = 0; i < net->values.count; i++) {
        struct tn_net_value *value = tn_net_value(net, i);
        if (value->producer != TN_NONE)
            value->type = (struct tn_net_type){ .dtype = TN_UNDEFINED };
    }
}

static void print_value(const struct tn_net_value *value)
{
    static const char *const  wraps[] = { "", "seq:", "optional:", "handle:" };
    const struct tn_net_type *type    = &value->type;

    printf("%.*s\t%s%s\t", TN_FMT(value->name), wraps[type->wrap],
           type->dtype == TN_UNDEFINED ? "?" : tn_dtype_name(type->dtype));
    if (!type->has_rank) {
        printf("?\n");
        return;
    }
    printf("[");
    for (uint32_t i = 0; i < type->rank; i++)
        if (type->dims[i] < 0)
            printf("%s?", i ? " " : "");
        else
            printf("%s%lld", i ? " " : "", (long long)type->dims[i]);
    printf("]\n");
}

static enum tn_status infer_file(const char *path, const char *dialect,
                                 const struct tn_lang_file *shapes,
                                 struct tn_error           *error)
{
    struct tn_options options = { .wants_graph = true };
    struct tn_model  *model;
    struct tn_memory  memory;
    struct tn_arena   arena;
    struct tn_net     net;

    TN_TRY(tn_model_open(&model, path, &options, error));
    tn_memory_init(&memory, NULL, 0);
    tn_arena_init(&arena, &memory);
    tn_net_init(&net, &arena, dialect, error);
    if (tn_net_load(&net, model, NULL) == TN_OK) {
        forget(&net);
        tn_infer(&net, shapes);
        for (uint32_t i = 0; i < net.values.count; i++)
            if (tn_net_value(&net, i)->producer != TN_NONE)
                print_value(tn_net_value(&net, i));
    }
    tn_net_done(&net);
    tn_arena_done(&arena);
    tn_model_close(model);
    return error->status;
}

int main(int argc, char **argv)
{
    struct tn_error     error = TN_ERROR_INIT;
    struct tn_memory    memory;
    struct tn_arena     arena;
    struct tn_lang_file shapes;
    char                path[4096];

    if (argc != 2)
        return 2;
    tn_memory_init(&memory, NULL, 0);
    tn_arena_init(&arena, &memory);
    if (tn_shapes_read(&shapes, &arena, argv[1], &error) != TN_OK) {
        fprintf(stderr, "infer_types: %s: %s\n", error.where, error.what);
        return 1;
    }
    while (fgets(path, sizeof path, stdin)) {
        path[strcspn(path, "\n")] = '\0';
        printf("= %s\n", path);
        error = (struct tn_error)TN_ERROR_INIT;
        if (infer_file(path, argv[1], &shapes, &error) != TN_OK)
            printf("! %s\n", error.what);
    }
    tn_lang_done(&shapes);
    tn_arena_done(&arena);
    return 0;
}
