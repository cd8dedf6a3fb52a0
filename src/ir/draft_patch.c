/* draft_patch.c - changes of whole lists and of the order of ops, new graphs */
#include <inttypes.h>

#include "ir/dialect_facts.h"
#include "ir/draft.h"

static struct tn_bytes *keep_names(struct tn_draft   *draft,
                                   const char *const *names, uint32_t count,
                                   struct tn_error *error)
{
    struct tn_bytes *kept = tn_new(draft->arena, struct tn_bytes, count, error);

    for (uint32_t i = 0; kept && i < count; i++)
        kept[i] = tn_bytes_dup(draft->arena, tn_text(names[i]), error);
    return tn_failed(error) ? NULL : kept;
}

enum tn_status tn_draft_set_operator(struct tn_draft *draft, uint32_t op,
                                     struct tn_bytes  type,
                                     struct tn_bytes  domain,
                                     struct tn_error *error)
{
    TN_TRY(tn_draft_expect_op(draft, op, error));
    struct tn_draft_change *change = tn_draft_touch_op(draft, op, error);
    if (!change)
        return error->status;
    change->type   = tn_bytes_dup(draft->arena, type, error);
    change->domain = tn_bytes_dup(draft->arena, domain, error);
    for (const char *const *name = draft->dialect->operator_attrs;
         name && *name && !tn_failed(error); name++) {
        struct tn_error absent = TN_ERROR_INIT;
        tn_draft_remove_attr(draft, op, *name, &absent);
    }
    return error->status;
}

enum tn_status tn_draft_set_inputs(struct tn_draft *draft, uint32_t op,
                                   const char *const *names, uint32_t count,
                                   uint32_t         control_count,
                                   struct tn_error *error)
{
    TN_TRY(tn_draft_expect_op(draft, op, error));
    struct tn_draft_change *change = tn_draft_touch_op(draft, op, error);
    struct tn_bytes        *kept   = keep_names(draft, names, count, error);
    if (!change || !kept)
        return error->status;
    change->inputs        = kept;
    change->input_count   = count;
    change->control_count = control_count;
    return TN_OK;
}

enum tn_status tn_draft_set_outputs(struct tn_draft *draft, uint32_t op,
                                    const char *const *names, uint32_t count,
                                    struct tn_error *error)
{
    TN_TRY(tn_draft_expect_op(draft, op, error));
    if (!draft->dialect->names_outputs)
        return tn_error_set(error, TN_UNSUPPORTED, TN_NOWHERE,
                            "outputs of %s are named by their node",
                            draft->dialect->name);
    struct tn_draft_change *change = tn_draft_touch_op(draft, op, error);
    struct tn_bytes        *kept   = keep_names(draft, names, count, error);
    if (!change || !kept)
        return error->status;
    change->outputs      = kept;
    change->output_count = count;
    return TN_OK;
}

static void unlink_op(struct tn_draft *draft, uint32_t op)
{
    struct tn_draft_op    *o = tn_draft_op_at(draft, op);
    struct tn_draft_graph *g = tn_draft_graph_at(draft, o->graph);

    if (o->previous == TN_NONE)
        g->first = o->next;
    else
        tn_draft_op_at(draft, o->previous)->next = o->next;
    if (o->next == TN_NONE)
        g->last = o->previous;
    else
        tn_draft_op_at(draft, o->next)->previous = o->previous;
}

static void link_op(struct tn_draft *draft, uint32_t op, uint32_t before)
{
    struct tn_draft_op    *o = tn_draft_op_at(draft, op);
    struct tn_draft_graph *g = tn_draft_graph_at(draft, o->graph);

    o->next = before;
    o->previous =
        before == TN_NONE ? g->last : tn_draft_op_at(draft, before)->previous;
    if (o->previous == TN_NONE)
        g->first = op;
    else
        tn_draft_op_at(draft, o->previous)->next = op;
    if (before == TN_NONE)
        g->last = op;
    else
        tn_draft_op_at(draft, before)->previous = op;
}

enum tn_status tn_draft_move_op(struct tn_draft *draft, uint32_t op,
                                uint32_t before, struct tn_error *error)
{
    TN_TRY(tn_draft_expect_op(draft, op, error));
    if (before != TN_NONE) {
        TN_TRY(tn_draft_expect_op(draft, before, error));
        if (before == op || tn_draft_op_at(draft, before)->graph !=
                                tn_draft_op_at(draft, op)->graph)
            return tn_error_set(
                error, TN_INVALID, TN_NOWHERE,
                "op %" PRIu32 " cannot be put before op %" PRIu32 ": %s", op,
                before,
                before == op ? "they are the same" : "they are in two graphs");
    }
    TN_TRY(
        tn_draft_touch_graph(draft, tn_draft_op_at(draft, op)->graph, error));
    unlink_op(draft, op);
    link_op(draft, op, before);
    return TN_OK;
}

/* ---- graphs in attributes ----------------------------------------------- */

/* The list of new graphs that an attribute has so far; NULL if it has none. */
static const struct tn_attr_value *list_of_graphs(
    const struct tn_draft_change *change, struct tn_bytes attr)
{
    for (uint64_t i = 0; i < change->attrs.count; i++) {
        const struct tn_draft_attr *at =
            tn_list_at(&change->attrs, struct tn_draft_attr, i);
        if (tn_bytes_equal(at->name, attr) && at->value && !at->wire.source &&
            at->value->kind == TN_ATTR_GRAPH && at->value->is_list)
            return at->value;
    }
    return NULL;
}

static enum tn_status name_graph(struct tn_draft *draft, uint32_t op,
                                 const char *attr, uint32_t graph, bool in_list,
                                 struct tn_error *error)
{
    struct tn_draft_change *change = tn_draft_touch_op(draft, op, error);

    if (!change)
        return error->status;
    const struct tn_attr_value *old =
        in_list ? list_of_graphs(change, tn_text(attr)) : NULL;
    uint32_t count = old ? old->count : 0;
    int64_t *ids   = tn_new(draft->arena, int64_t, (uint64_t)count + 1, error);
    if (!ids)
        return error->status;
    if (count)
        memcpy(ids, old->of.ints, count * sizeof *ids);
    ids[count]                 = graph;
    struct tn_attr_value value = { .kind    = TN_ATTR_GRAPH,
                                   .is_list = in_list,
                                   .count   = count + 1,
                                   .of.ints = ids };
    return tn_draft_set_attr(draft, op, attr, &value, error);
}

/* No file has graphs in graphs that are deeper (TN_ONNX_DEPTH_LIMIT), and what
 * looks for names in the graphs around one relies on it. */
#define DEPTH_MOST 200

static bool is_deepest(const struct tn_draft *draft, uint32_t graph)
{
    uint32_t depth = 0;

    while (depth < DEPTH_MOST && graph != TN_NONE) {
        graph = tn_draft_graph_at(draft, graph)->parent;
        depth += graph != TN_NONE;
    }
    return depth == DEPTH_MOST;
}

enum tn_status tn_draft_add_graph(struct tn_draft *draft, uint32_t op,
                                  const char *attr, const char *name,
                                  bool in_list, uint32_t *graph,
                                  struct tn_error *error)
{
    const struct tn_dialect_facts *facts =
        tn_dialect_facts(draft->dialect ? draft->dialect->name : "");

    TN_TRY(tn_draft_expect_op(draft, op, error));
    if (!facts->lists_io)
        return tn_error_set(error, TN_UNSUPPORTED, TN_NOWHERE,
                            "attributes of %s are not graphs", facts->title);
    if (is_deepest(draft, tn_draft_op_at(draft, op)->graph))
        return tn_error_set(error, TN_LIMIT, TN_NOWHERE,
                            "graphs nested more than %d deep", DEPTH_MOST);
    struct tn_bytes kept = tn_bytes_dup(draft->arena, tn_text(name), error);
    uint32_t        id   = (uint32_t)draft->graphs.count;
    struct tn_draft_graph *g =
        tn_list_push(&draft->graphs, struct tn_draft_graph, error);
    if (!g || !kept.data)
        return error->status;
    *g = (struct tn_draft_graph){ .first      = TN_NONE,
                                  .last       = TN_NONE,
                                  .parent     = tn_draft_op_at(draft, op)->graph,
                                  .parent_op  = op,
                                  .name       = kept,
                                  .kind       = TN_GRAPH_SUBGRAPH,
                                  .is_touched = true };
    if (graph)
        *graph = id;
    return name_graph(draft, op, attr, id, in_list, error);
}
