/*
 * infer_types.c - what the rules of shapes know of every value of a model
 *
 *   infer_types DIALECT [TARGET] < paths > out
 *
 * For each path a line with it, then a line for each value that a node makes:
 * name, type and dims, tab-separated; `?` is what is not known.  What the model
 * itself says of them is forgotten first.  With a target the same of the net
 * that our rules make of it, or "- " and the op that they do not carry.
 */
#include <stdio.h>
#include <string.h>

#include <tenon/tenon.h>

#include "map/lang/lang_apply.h"
#include "map/tidy/onnx_tidy.h"
#include "map/lang/rule_sets.h"
#include "map/net/net_build.h"
#include "map/net/net_load.h"

static void forget(struct tn_net *net)
{
    for (uint32_t i = 0; i < net->values.count; i++)
        if (tn_net_value(net, i).producer != TN_NONE)
            tn_net_set_type(net, i, &tn_net_unknown);
}

static void print_value(const struct tn_net_value *value)
{
    static const char *const  wraps[] = { "", "seq:", "optional:", "handle:" };
    const struct tn_net_type *type    = value->type;

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

struct tool {
    struct tn_error      error;
    struct tn_memory     memory;
    struct tn_arena      arena; /* of rules */
    const char          *dialect, *target;
    struct tn_lang_file  shapes, target_shapes;
    struct tn_rule_cache cache;
    struct tn_rule_set   rules;
};

static void print_net(struct tn_net *net, const struct tn_lang_file *shapes)
{
    forget(net);
    tn_infer(net, shapes);
    for (uint32_t i = 0; i < net->values.count; i++) {
        const struct tn_net_value value = tn_net_value(net, i);
        if (value.producer != TN_NONE && !value.is_inner)
            print_value(&value);
    }
}

static struct tn_bytes unmapped(const struct tn_net        *net,
                                const struct tn_map_report *report)
{
    for (uint32_t i = 0; i < report->rules.count; i++)
        if (!tn_map_rule(report, i) && !tn_net_node(net, i).is_removed)
            return tn_net_node(net, i).op->type;
    return tn_text("?");
}

static void print_target(struct tool *tool, struct tn_net *net)
{
    struct tn_infer     *facts = NULL, *made = NULL;
    struct tn_map_report report;
    struct tn_net        to;

    if (!strcmp(tool->dialect, "onnx"))
        tn_onnx_tidy(net);
    tn_net_prune(net);
    tn_map_report_init(&report, net->arena);
    tn_net_init(&to, net->arena, tool->target, net->error);
    if (tn_infer_open(&facts, net, &tool->shapes) == TN_OK &&
        tn_infer_run(facts) == TN_OK &&
        tn_infer_open(&made, &to, &tool->target_shapes) == TN_OK)
        tn_lang_apply(tool->rules.files, tool->rules.count, facts, net, made,
                      &to, &report);
    if (report.unmapped_count)
        printf("- %.*s\n", TN_FMT(unmapped(net, &report)));
    else if (!tn_failed(net->error))
        print_net(&to, &tool->target_shapes);
    tn_infer_close(made);
    tn_infer_close(facts);
    tn_net_done(&to);
    tn_map_report_done(&report);
}

static enum tn_status infer_file(struct tool *tool, const char *path)
{
    struct tn_options options = { .wants_graph = true };
    struct tn_model  *model;
    struct tn_arena   arena;
    struct tn_net     net;
    struct tn_error  *error = &tool->error;

    TN_TRY(tn_model_open(&model, path, &options, error));
    tn_arena_init(&arena, &tool->memory);
    tn_net_init(&net, &arena, tool->dialect, error);
    if (tn_net_load(&net, model, NULL) == TN_OK) {
        if (tool->target)
            print_target(tool, &net);
        else
            print_net(&net, &tool->shapes);
    }
    tn_net_done(&net);
    tn_arena_done(&arena);
    tn_model_close(model);
    return error->status;
}

static enum tn_status read_rules(struct tool *tool)
{
    TN_TRY(tn_shapes_read(&tool->shapes, &tool->arena, tool->dialect,
                          &tool->error));
    if (!tool->target)
        return TN_OK;
    TN_TRY(tn_shapes_read(&tool->target_shapes, &tool->arena, tool->target,
                          &tool->error));
    TN_TRY(tn_rule_cache_init(&tool->cache, &tool->arena, &tool->error));
    return tn_rule_set_read(&tool->rules, &tool->arena, &tool->cache,
                            tool->dialect, tool->target, NULL, 0, &tool->error);
}

int main(int argc, char **argv)
{
    struct tool tool = { .error = TN_ERROR_INIT };
    char        path[4096];

    if (argc < 2 || argc > 3)
        return 2;
    tool.dialect = argv[1];
    tool.target  = argv[2];
    tn_memory_init(&tool.memory, NULL, 0);
    tn_arena_init(&tool.arena, &tool.memory);
    if (read_rules(&tool) != TN_OK) {
        fprintf(stderr, "infer_types: %s: %s\n", tool.error.where,
                tool.error.what);
        return 1;
    }
    while (fgets(path, sizeof path, stdin)) {
        path[strcspn(path, "\n")] = '\0';
        printf("= %s\n", path);
        tool.error = (struct tn_error)TN_ERROR_INIT;
        if (infer_file(&tool, path) != TN_OK)
            printf("! %s\n", tool.error.what);
    }
    if (tool.target) {
        tn_rule_set_done(&tool.rules);
        tn_rule_cache_done(&tool.cache);
        tn_lang_done(&tool.target_shapes);
    }
    tn_lang_done(&tool.shapes);
    tn_arena_done(&tool.arena);
    return 0;
}
