/*
 * sketch.h - small graphs for tests, written as lines of text
 *
 *   "a = Add(x, y); b = Mul(a, a)"
 *
 * The sketch dialect has no wire: ops are their table rows.
 */
#ifndef TN_TESTS_SKETCH_H
#define TN_TESTS_SKETCH_H

#include <stdio.h>
#include <string.h>

#include "ir/attr.h"
#include "ir/model_tables.h"
#include "support/hostile.h"

static bool sketch_next_attr(struct tn_cursor *node, struct tn_bytes *name,
                             struct tn_span *wire)
{
    (void)node;
    (void)name;
    (void)wire;
    return false;
}

static const char *const sketch_loops[] = { "Loop", NULL };

static const struct tn_dialect sketch_dialect = {
    .name          = "sketch",
    .next_attr     = sketch_next_attr,
    .loop_ops      = sketch_loops,
    .names_outputs = true,
};

static const struct tn_dialect sketch_ordered = {
    .name          = "sketch",
    .next_attr     = sketch_next_attr,
    .is_ordered    = true,
    .names_outputs = true,
};

static inline uint32_t sketch_name(struct tn_model *model, const char *text,
                                   struct tn_error *error)
{
    return tn_intern_copy(&model->names, tn_text(text), error);
}

static inline void sketch_input(struct tn_model *model, uint32_t graph,
                                const char *name, struct tn_error *error)
{
    uint32_t value =
        tn_model_value(model, graph, sketch_name(model, name, error), error);

    tn_model_define(model, value, TN_VALUE_INPUT, TN_NONE, 0);
}

/* One op: "a = Add(x, y)". */
static inline void sketch_op(struct tn_model *model, uint32_t graph,
                             const char *line, struct tn_error *error)
{
    char output[32], type[32], rest[128] = "";

    assert_true(sscanf(line, " %31[^ =] = %31[^( ] ( %127[^)]", output, type,
                       rest) >= 2);
    uint32_t id = tn_model_add_op(model, graph, error);
    if (id == TN_NONE)
        return;
    tn_model_op_at(model, id)->name = sketch_name(model, output, error);
    tn_model_op_at(model, id)->type = sketch_name(model, type, error);
    tn_model_count_op(model, TN_NO_NAME, tn_model_op_at(model, id)->type,
                      error);
    tn_model_graph_at(model, graph)->op_count++;
    for (char *save = NULL, *word = strtok_r(rest, ", ", &save); word;
         word       = strtok_r(NULL, ", ", &save))
        tn_model_add_input(
            model,
            tn_model_value(model, graph, sketch_name(model, word, error),
                           error),
            error);
    uint32_t value = tn_model_value(
        model, graph, tn_model_op_at(model, id)->name, error);
    tn_model_add_output(model, value, error);
    tn_model_define(model, value, TN_VALUE_OUTPUT, id, 0);
}

/* Ops separated by ';' in a new graph; returns its index. */
static inline uint32_t sketch_graph(struct tn_model *model,
                                    enum tn_graph_kind kind, const char *path,
                                    const char *text, struct tn_error *error)
{
    char     copy[512];
    uint32_t graph = tn_model_add_graph(model, kind, path, "node", error);

    snprintf(copy, sizeof copy, "%s", text);
    for (char *save = NULL, *line = strtok_r(copy, ";", &save); line;
         line       = strtok_r(NULL, ";", &save))
        sketch_op(model, graph, line, error);
    return graph;
}

#endif
