/* model.c - filling in a model's tables */
#include "ir/model_tables.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/sort.h"

void tn_model_init(struct tn_model *model, struct tn_memory *memory)
{
    *model = (struct tn_model){ .memory = memory, .format = "", .title = "" };
    tn_arena_init(&model->arena, memory);
    tn_intern_init(&model->names, &model->arena);
    tn_list_init(&model->facts, memory, sizeof(struct tn_fact));
    tn_list_init(&model->tags, memory, sizeof(struct tn_bytes));
    tn_list_init(&model->signatures, memory, sizeof(struct tn_signature));
    tn_list_init(&model->kinds, memory, sizeof(struct tn_op_kind));
    tn_pairs_init(&model->kind_index, memory);
    tn_list_init(&model->tensors, memory, sizeof(struct tn_tensor));
    tn_list_init(&model->graphs, memory, sizeof(struct tn_graph));
    tn_list_init(&model->ops, memory, sizeof(struct tn_op));
    tn_list_init(&model->refs, memory, sizeof(uint32_t));
    tn_list_init(&model->values, memory, sizeof(struct tn_value));
    tn_list_init(&model->first_values, memory, sizeof(uint32_t));
    tn_pairs_init(&model->more_values, memory);
    tn_list_init(&model->attrs, memory, sizeof(struct tn_attr_slot));
    tn_list_init(&model->sources, memory, sizeof(struct tn_source *));
    tn_list_init(&model->assets, memory, sizeof(struct tn_asset));
}

void tn_model_done(struct tn_model *model)
{
    tn_list_done(&model->facts);
    tn_list_done(&model->tags);
    tn_list_done(&model->signatures);
    tn_list_done(&model->kinds);
    tn_pairs_done(&model->kind_index);
    tn_list_done(&model->tensors);
    tn_list_done(&model->graphs);
    tn_model_drop_ops(model);
    tn_list_done(&model->sources);
    tn_list_done(&model->assets);
    tn_intern_done(&model->names);
    tn_arena_done(&model->arena);
}

static int by_count_then_name(const void *left, const void *right,
                              void *context)
{
    const struct tn_op_kind *a = left, *b = right;

    (void)context;
    if (a->count != b->count)
        return a->count < b->count ? 1 : -1;
    int order = tn_bytes_compare(a->type, b->type);
    return order ? order : tn_bytes_compare(a->domain, b->domain);
}

enum tn_status tn_model_finish(struct tn_model *model, struct tn_error *error)
{
    if (model->kinds.count)
        tn_sort_items(model->kinds.items, model->kinds.count,
                      sizeof(struct tn_op_kind), by_count_then_name, NULL);
    tn_pairs_done(&model->kind_index); /* the indices have moved */
    tn_list_trim(&model->tensors);
    tn_list_trim(&model->ops);
    tn_list_trim(&model->refs);
    tn_list_trim(&model->values);
    tn_list_trim(&model->first_values);
    return error->status;
}

bool tn_model_is_mapped(const struct tn_model *model)
{
    bool is_mapped = true;

    for (uint64_t i = 0; is_mapped && i < model->tensors.count; i++) {
        const struct tn_payload *p =
            &tn_model_tensor(model, i)->elements.payload;
        is_mapped = !p->view && (!p->span.source || p->span.source->map);
    }
    return is_mapped;
}

void tn_model_drop_ops(struct tn_model *model)
{
    model->wants_graph = false;
    tn_list_done(&model->ops);
    tn_list_done(&model->refs);
    tn_list_done(&model->values);
    tn_list_done(&model->first_values);
    tn_pairs_done(&model->more_values);
    tn_list_done(&model->attrs);
}

/* Its id in a table that has fewer. */
static uint32_t keep_name(const struct tn_model *model, struct tn_intern *kept,
                          uint32_t name, struct tn_error *error)
{
    if (name >= tn_intern_count(&model->names))
        return name;
    return tn_intern_borrow(kept, tn_model_name(model, name), error);
}

/* Hands over the memory: fresh pages cost as much time as filling them. */
static void hand(struct tn_list *from, struct tn_list *to)
{
    tn_list_done(to);
    *to        = *from;
    to->count  = 0;
    from->room = from->count = 0;
    from->items              = NULL;
}

void tn_model_hand_tables(struct tn_model *model, struct tn_model *to)
{
    hand(&model->ops, &to->ops);
    hand(&model->refs, &to->refs);
    hand(&model->values, &to->values);
    hand(&model->first_values, &to->first_values);
    tn_model_drop_ops(model);
}

enum tn_status tn_model_hand_names(struct tn_model *model, struct tn_intern *to,
                                   struct tn_error *error)
{
    struct tn_intern kept;

    tn_intern_init(&kept, &model->arena);
    for (uint32_t i = 0; i < model->graphs.count; i++) {
        struct tn_graph *graph = tn_model_graph_at(model, i);
        graph->name            = keep_name(model, &kept, graph->name, error);
        graph->domain          = keep_name(model, &kept, graph->domain, error);
    }
    for (uint64_t i = 0; i < model->tensors.count; i++) {
        struct tn_tensor *tensor =
            tn_list_at(&model->tensors, struct tn_tensor, i);
        tensor->name = keep_name(model, &kept, tensor->name, error);
    }
    *to          = model->names;
    model->names = kept;
    return error->status;
}

void tn_model_add_fact(struct tn_model *model, const char *key,
                       struct tn_bytes value, struct tn_error *error)
{
    struct tn_fact *fact = tn_list_push(&model->facts, struct tn_fact, error);

    if (fact)
        *fact = (struct tn_fact){ tn_text(key), value };
}

void tn_model_add_fact_format(struct tn_model *model, struct tn_error *error,
                              const char *key, const char *format, ...)
{
    char text[512];

    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    struct tn_bytes value = tn_bytes_dup(&model->arena, tn_text(text), error);
    if (value.data)
        tn_model_add_fact(model, key, value, error);
}

uint32_t tn_model_count_op(struct tn_model *model, uint32_t domain,
                           uint32_t type, struct tn_error *error)
{
    uint32_t next = (uint32_t)model->kinds.count;
    uint32_t index =
        tn_pairs_add(&model->kind_index, domain, type, next, error);

    if (index == TN_NONE)
        return TN_NONE;
    if (index == next) {
        struct tn_op_kind *kind =
            tn_list_push(&model->kinds, struct tn_op_kind, error);
        if (!kind)
            return TN_NONE;
        kind->type   = tn_model_name(model, type);
        kind->domain = tn_model_name(model, domain);
    }
    tn_model_count_kind(model, index);
    return index;
}

struct tn_tensor *tn_model_add_tensor(struct tn_model *model,
                                      struct tn_error *error)
{
    struct tn_tensor *tensor =
        tn_list_push(&model->tensors, struct tn_tensor, error);

    if (tensor) {
        tensor->model = model;
        tensor->name = tensor->graph = tensor->node = TN_NONE;
        tensor->slot = tensor->part       = TN_NONE;
        tensor->elements.payload.per_byte = 1;
    }
    return tensor;
}

/* Ids have 32 bits; a longer list is refused with TN_LIMIT and does not wrap
 * around. */
static bool has_room(const struct tn_list *list, const char *what,
                     struct tn_error *error)
{
    if (list->count < TN_NONE - 1)
        return true;
    tn_error_set(error, TN_LIMIT, TN_NOWHERE, "more than 2^32 %s", what);
    return false;
}

uint32_t tn_model_add_graph(struct tn_model *model, enum tn_graph_kind kind,
                            const char *path, const char *node_word,
                            struct tn_error *error)
{
    if (!has_room(&model->graphs, "graphs", error))
        return TN_NONE;
    if (model->graphs.count == TN_GRAPHS_MAX) {
        tn_error_set(error, TN_LIMIT, TN_NOWHERE,
                     "more than %" PRIu32 " graphs", TN_GRAPHS_MAX);
        return TN_NONE;
    }
    struct tn_graph *graph =
        tn_list_push(&model->graphs, struct tn_graph, error);
    if (!graph)
        return TN_NONE;
    *graph = (struct tn_graph){
        .kind         = (uint8_t)kind,
        .name         = TN_NO_NAME,
        .domain       = TN_NO_NAME,
        .parent_graph = TN_NONE,
        .parent_node  = TN_NONE,
        .parent_slot  = TN_NONE,
        .path         = path,
        .node_word    = node_word,
        .first_op     = (uint32_t)model->ops.count,
    };
    return (uint32_t)model->graphs.count - 1;
}

uint32_t tn_model_source_id(struct tn_model *model, struct tn_source *source,
                            struct tn_error *error)
{
    for (uint64_t i = model->sources.count; i-- > 0;)
        if (*tn_list_at(&model->sources, struct tn_source *, i) == source)
            return (uint32_t)i;
    struct tn_source **slot =
        tn_list_push(&model->sources, struct tn_source *, error);
    if (!slot)
        return TN_NONE;
    *slot = source;
    return (uint32_t)model->sources.count - 1;
}

uint32_t tn_model_add_op(struct tn_model *model, uint32_t graph,
                         struct tn_error *error)
{
    if (!has_room(&model->ops, "nodes", error))
        return TN_NONE;
    struct tn_op *op = tn_list_push(&model->ops, struct tn_op, error);
    if (!op)
        return TN_NONE;
    *op = (struct tn_op){
        .name         = TN_NO_NAME,
        .type         = TN_NO_NAME,
        .domain       = TN_NO_NAME,
        .graph        = graph,
        .first_input  = (uint32_t)model->refs.count,
        .first_output = (uint32_t)model->refs.count,
        .first_attr   = TN_NONE,
        .source       = TN_NONE,
    };
    return (uint32_t)model->ops.count - 1;
}

static bool add_ref(struct tn_model *model, uint32_t value,
                    struct tn_error *error)
{
    if (!has_room(&model->refs, "edges", error))
        return false;
    uint32_t *ref = tn_list_push(&model->refs, uint32_t, error);
    if (ref)
        *ref = value;
    return ref != NULL;
}

void tn_model_add_input(struct tn_model *model, uint32_t value,
                        struct tn_error *error)
{
    struct tn_op *op =
        tn_list_at(&model->ops, struct tn_op, model->ops.count - 1);

    if (!add_ref(model, value, error))
        return;
    op->input_count++;
    op->first_output = (uint32_t)model->refs.count;
}

void tn_model_add_output(struct tn_model *model, uint32_t value,
                         struct tn_error *error)
{
    struct tn_op *op =
        tn_list_at(&model->ops, struct tn_op, model->ops.count - 1);

    if (add_ref(model, value, error))
        op->output_count++;
}

/* The first value of that name in any graph, or TN_NONE. */
static uint32_t first_value(const struct tn_model *model, uint32_t name)
{
    if (name >= model->first_values.count)
        return TN_NONE;
    return *tn_list_at(&model->first_values, uint32_t, name) - 1;
}

/* Most names are used in one graph, where an array by name finds their value:
 * names come in the order of the file, so that neighbours are neighbours. */
static uint32_t add_to_index(struct tn_model *model, uint32_t graph,
                             uint32_t name, uint32_t next,
                             struct tn_error *error)
{
    struct tn_list *firsts = &model->first_values;
    uint32_t        first  = first_value(model, name);

    if (first < model->values.count) /* else it was never made */
        return tn_model_value_at(model, first)->graph == graph
                   ? first
                   : tn_pairs_add(&model->more_values, graph, name, next,
                                  error);
    if (name >= firsts->count &&
        !tn_list_grow(firsts, name + UINT64_C(1) - firsts->count, error))
        return TN_NONE;
    *tn_list_at(firsts, uint32_t, name) = next + 1;
    return next;
}

uint32_t tn_model_value(struct tn_model *model, uint32_t graph, uint32_t name,
                        struct tn_error *error)
{
    if (name == TN_NO_NAME || !has_room(&model->values, "values", error))
        return TN_NONE;
    uint32_t next  = (uint32_t)model->values.count;
    uint32_t index = add_to_index(model, graph, name, next, error);
    if (index != next)
        return index;
    struct tn_value *value =
        tn_list_push(&model->values, struct tn_value, error);
    if (!value)
        return TN_NONE;
    *value = (struct tn_value){ .name     = name,
                                .graph    = graph & TN_GRAPHS_MAX,
                                .producer = TN_NONE,
                                .kind     = TN_VALUE_UNDEFINED };
    return next;
}

uint32_t tn_model_find_value(const struct tn_model *model, uint32_t graph,
                             uint32_t name)
{
    uint32_t value = first_value(model, name);

    if (value < model->values.count &&
        tn_model_value_at(model, value)->graph != graph)
        value = tn_pairs_find(&model->more_values, graph, name);
    return value < model->values.count ? value : TN_NONE;
}

uint32_t tn_model_find_named(const struct tn_model *model, uint32_t graph,
                             struct tn_bytes name)
{
    uint32_t id = tn_intern_find(&model->names, name);

    return id == TN_NO_NAME ? TN_NONE : tn_model_find_value(model, graph, id);
}

uint64_t tn_model_elements_size(const struct tn_model *model)
{
    uint64_t total = 0;

    for (uint64_t i = 0; i < model->tensors.count; i++)
        total += tn_tensor_size(tn_model_tensor(model, i));
    return total;
}

void tn_model_define(struct tn_model *model, uint32_t value,
                     enum tn_value_kind kind, uint32_t producer,
                     uint32_t output)
{
    if (value >= model->values.count)
        return;
    struct tn_value *v = tn_model_value_at(model, value);
    if (v->kind != TN_VALUE_UNDEFINED)
        return;
    v->kind     = kind;
    v->producer = producer;
    v->output   = output;
}

/* The value of that name in an enclosing graph, or TN_NONE. */
static uint32_t find_outside(const struct tn_model *model,
                             const struct tn_value *inner)
{
    uint32_t graph = tn_model_graph_at(model, inner->graph)->parent_graph;

    while (graph != TN_NONE) {
        uint32_t outer = tn_model_find_value(model, graph, inner->name);
        if (outer != TN_NONE &&
            tn_model_value_at(model, outer)->kind != TN_VALUE_UNDEFINED)
            return outer;
        graph = tn_model_graph_at(model, graph)->parent_graph;
    }
    return TN_NONE;
}

uint32_t tn_model_outer_value(const struct tn_model *model, uint32_t value)
{
    const struct tn_value *row = tn_model_value_at(model, value);

    while (row->kind == TN_VALUE_OUTER) {
        uint32_t outer = find_outside(model, row);
        if (outer == TN_NONE)
            break;
        value = outer;
        row   = tn_model_value_at(model, value);
    }
    return value;
}

void tn_model_resolve(struct tn_model *model)
{
    for (uint64_t i = 0; i < model->values.count; i++) {
        struct tn_value *value = tn_list_at(&model->values, struct tn_value, i);
        if (value->kind != TN_VALUE_UNDEFINED)
            continue;
        uint32_t outer = find_outside(model, value);
        if (outer == TN_NONE)
            continue;
        value->kind     = TN_VALUE_OUTER;
        value->producer = tn_model_value_at(model, outer)->producer;
        value->output   = tn_model_value_at(model, outer)->output;
    }
}

size_t tn_model_path_of(const struct tn_model *model, uint32_t graph,
                        uint32_t node, char *to, size_t size)
{
    int length = 0;

    if (size)
        to[0] = '\0';
    if (graph >= model->graphs.count)
        return 0;
    const struct tn_graph *g   = tn_model_graph_at(model, graph);
    const char            *dot = g->path[0] ? "." : "";
    if (node == TN_NONE)
        length = snprintf(to, size, "%s", g->path);
    else
        length = snprintf(to, size, "%s%s%s[%" PRIu32 "]", g->path, dot,
                          g->node_word, node);
    return length > 0 ? (size_t)length : 0;
}
