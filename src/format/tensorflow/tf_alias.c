/*
 * tf_alias.c - the other names of a variable in a checkpoint
 *
 * TensorFlow 2 stores a variable under the path of objects that leads to it,
 * with a constant suffix: dense/kernel/.ATTRIBUTES/VARIABLE_VALUE.  Users know
 * it by the path alone, or by its name in the graph, which is in the object
 * graphs.
 */
#include "format/tensorflow/tf_object_graph.h"

#define VALUE_END "/.ATTRIBUTES/VARIABLE_VALUE"

/* The one key that has the name in the graph. */
struct searching {
    const struct tn_tf_bundle *table;
    struct tn_bytes            name;
    struct tn_bytes            key; /* empty: none so far                     */
    bool                       is_ambiguous;
    struct tn_arena           *arena;
    struct tn_error           *error;
};

static void meet(struct searching *s, struct tn_bytes name, struct tn_bytes key)
{
    if (!key.size || !tn_bytes_equal(name, s->name) ||
        tn_tf_is_state_key(key) || tn_bytes_equal(key, s->key))
        return;
    s->is_ambiguous |= s->key.size > 0;
    s->key = tn_bytes_dup(s->arena, key, s->error);
}

/* TrackableObject.SerializedTensor {1 name, 2 full_name, 3 checkpoint_key} */
static void read_attribute(struct searching *s, struct tn_cursor *c)
{
    struct tn_bytes    full = { NULL, 0 }, key = { NULL, 0 };
    struct tn_pb_field field;

    while (tn_pb_next(c, &field)) {
        if (field.number == 2 && tn_pb_expect(c, &field, TN_WIRE_LEN))
            full = tn_pb_text(&field);
        else if (field.number == 3 && tn_pb_expect(c, &field, TN_WIRE_LEN))
            key = tn_pb_text(&field);
    }
    meet(s, full, key);
}

static enum tn_status read_trackable(void *context, uint64_t index,
                                     struct tn_span   text,
                                     struct tn_error *error)
{
    struct searching  *s = context;
    struct tn_cursor   c = tn_cursor_span(text, error);
    struct tn_pb_field node, field;

    (void)index;
    while (tn_pb_next(&c, &node)) {
        if (node.number != 1 || !tn_pb_expect(&c, &node, TN_WIRE_LEN))
            continue;
        while (tn_pb_next(&node.body, &field))
            if (field.number == 2 &&
                tn_pb_expect(&node.body, &field, TN_WIRE_LEN))
                read_attribute(s, &field.body);
    }
    return error->status;
}

static void search_checkpoint(struct searching *s)
{
    const struct tn_tf_bundle_entry *entry =
        tn_tf_bundle_find(s->table, tn_text(TN_TF_OBJECT_GRAPH_KEY));

    if (entry && entry->elements.shape.dtype == TN_STRING)
        tn_payload_strings(&entry->elements, 0, 1, read_trackable, s, s->error);
}

static void search_objects(struct searching *s, struct tn_span graph)
{
    struct tn_tf_objects objects;

    if (!graph.length || tn_tf_objects_read(&objects, graph, s->table, s->arena,
                                            s->error) != TN_OK)
        return;
    for (uint32_t i = 0; i < objects.count; i++)
        if (objects.items[i].is_variable)
            meet(s, objects.items[i].name, objects.items[i].key);
}

/* "dense/kernel:0" is what the variable's op gives. */
static struct tn_bytes without_output(struct tn_bytes name)
{
    if (tn_bytes_ends_with(name, ":0"))
        name.size -= 2;
    return name;
}

static const struct tn_tensor *find_path(const struct tn_model     *model,
                                         const struct tn_tf_detail *detail,
                                         struct searching          *s)
{
    const char *key =
        tn_text_format(s->arena, s->error, "%.*s" VALUE_END, TN_FMT(s->name));
    const struct tn_tensor *found = NULL;

    if (key)
        found = tn_tf_find_entry(model, detail->first_entry, tn_text(key));
    return found ? found
                 : tn_tf_find_entry(model, detail->first_entry, s->name);
}

const struct tn_tensor *tn_tf_find_alias(const struct tn_model *model,
                                         struct tn_bytes        name)
{
    const struct tn_tf_detail *detail = tn_tf_detail_of(model);
    const struct tn_tensor    *found  = NULL;
    struct tn_error            error  = TN_ERROR_INIT;
    struct tn_arena            arena;
    struct searching           s = { .name  = without_output(name),
                                     .arena = &arena,
                                     .error = &error };

    if (!detail || !detail->table)
        return NULL;
    s.table = detail->table;
    tn_arena_init(&arena, model->memory);
    found = find_path(model, detail, &s);
    if (!found)
        search_checkpoint(&s);
    if (!found && !tn_failed(&error) && detail->meta_count)
        search_objects(&s, detail->metas[0].object_graph);
    if (!found && s.key.size && !s.is_ambiguous)
        found = tn_tf_find_entry(model, detail->first_entry, s.key);
    tn_arena_done(&arena);
    return found;
}
