/*
 * tf_object_graph.c - which checkpoint entry holds which variable
 *
 *   SavedObjectGraph      1 nodes: SavedObject {1 children, 3 slot_variables,
 *                         7 variable}
 *   TrackableObjectGraph  1 nodes: {1 children, 2 attributes {1 name,
 *                         3 checkpoint_key}, 3 slot_variables}
 *   children              {1 node_id, 2 local_name}
 *   slot_variables        {1 original_variable, 2 slot_name, 3 slot_variable}
 *   SavedVariable         1 dtype, 2 shape, 6 name
 *
 * Cycles and shared objects are normal; each saved object is visited once, by
 * the first path that reaches it, so the walk is linear in the edges.  The
 * state of an optimizer for a variable is found by both objects, not by a name:
 * these slots are resolved last.
 */
#include "format/tensorflow/tf_object_graph.h"

#include "ir/pairs.h"

/* A TrackableObjectGraph, ready to be walked. */
struct trackable {
    struct tn_intern names; /* local names                                    */
    struct tn_pairs  children; /* (node, name) -> node                        */
    struct tn_pairs  slots; /* (variable, "optimizer/slot") -> node           */
    struct tn_list   keys;  /* struct tn_bytes by node: of VARIABLE_VALUE  */
};

struct visit {
    uint32_t saved, trackable;
};

struct walk {
    struct tn_tf_objects *objects;
    struct tn_memory     *memory;
    struct tn_arena      *arena;
    struct tn_error      *error;
    struct tn_list        bodies; /* struct tn_cursor: SavedObjects           */
    struct trackable      trackable;
    struct tn_list        queue; /* struct visit                              */
};

/* ObjectReference. */
struct child {
    uint64_t        node;
    struct tn_bytes name;
};

static struct child read_child(struct tn_cursor *c)
{
    struct child       child = { 0, { NULL, 0 } };
    struct tn_pb_field field;

    while (tn_pb_next(c, &field)) {
        if (field.number == 1 && tn_pb_expect(c, &field, TN_WIRE_VARINT))
            child.node = field.value;
        else if (field.number == 2 && tn_pb_expect(c, &field, TN_WIRE_LEN))
            child.name = tn_pb_text(&field);
    }
    return child;
}

/* SlotVariableReference. */
struct slot {
    uint64_t        variable;
    struct tn_bytes name;
    uint64_t        node;
};

static struct slot read_slot(struct tn_cursor *c)
{
    struct slot        slot = { 0, { NULL, 0 }, 0 };
    struct tn_pb_field field;

    while (tn_pb_next(c, &field)) {
        if (field.number == 1 && tn_pb_expect(c, &field, TN_WIRE_VARINT))
            slot.variable = field.value;
        else if (field.number == 2 && tn_pb_expect(c, &field, TN_WIRE_LEN))
            slot.name = tn_pb_text(&field);
        else if (field.number == 3 && tn_pb_expect(c, &field, TN_WIRE_VARINT))
            slot.node = field.value;
    }
    return slot;
}

/* Which slot of which optimizer, as one name: "12/m". */
static uint32_t slot_name(struct walk *w, uint32_t optimizer,
                          struct tn_bytes name)
{
    struct tn_buffer text;

    tn_buffer_init(&text, w->memory, w->error);
    tn_buffer_format(&text, "%" PRIu32 "/", optimizer);
    tn_buffer_add(&text, name);
    uint32_t id =
        tn_intern_copy(&w->trackable.names, tn_buffer_bytes(&text), w->error);
    tn_buffer_done(&text);
    return id;
}

/* ---- the SavedObjectGraph ------------------------------------------------ */

static void read_variable(struct walk *w, struct tn_tf_object *object,
                          struct tn_cursor *c)
{
    struct tn_pb_field field;

    object->is_variable = true;
    if (!object->shape)
        object->shape = tn_new(w->arena, struct tn_tf_shape, 1, w->error);
    while (object->shape && tn_pb_next(c, &field)) {
        if (field.number == 1 && tn_pb_expect(c, &field, TN_WIRE_VARINT))
            object->type = field.value;
        else if (field.number == 2 && tn_pb_expect(c, &field, TN_WIRE_LEN))
            tn_tf_shape_read(&field.body, object->shape);
        else if (field.number == 6 && tn_pb_expect(c, &field, TN_WIRE_LEN))
            object->name = tn_pb_text(&field);
    }
}

static void read_object(struct walk *w, struct tn_tf_object *object,
                        struct tn_cursor c)
{
    struct tn_pb_field field;

    object->offset = c.offset;
    while (tn_pb_next(&c, &field))
        if (field.number == 7 && tn_pb_expect(&c, &field, TN_WIRE_LEN))
            read_variable(w, object, &field.body);
}

static void read_saved(struct walk *w, struct tn_span saved)
{
    struct tn_cursor   c = tn_cursor_span(saved, w->error);
    struct tn_pb_field field;

    while (tn_pb_next(&c, &field)) {
        if (field.number != 1 || !tn_pb_expect(&c, &field, TN_WIRE_LEN))
            continue;
        struct tn_cursor *body =
            tn_list_push(&w->bodies, struct tn_cursor, w->error);
        if (body)
            *body = field.body;
    }
    w->objects->items =
        tn_new(w->arena, struct tn_tf_object, w->bodies.count, w->error);
    if (!w->objects->items)
        return;
    w->objects->count = (uint32_t)w->bodies.count;
    for (uint32_t i = 0; i < w->objects->count; i++)
        read_object(w, &w->objects->items[i],
                    *tn_list_at(&w->bodies, struct tn_cursor, i));
}

static void mark_optimizers(struct walk *w)
{
    for (uint32_t i = 0; i < w->objects->count; i++) {
        /* An object with slots is an optimizer; the variables that it has
         * itself (its step, its rates) train the model and are not part of
         * it. */
        struct tn_cursor   c     = *tn_list_at(&w->bodies, struct tn_cursor, i);
        struct tn_cursor   again = c;
        bool               has_slot = false;
        struct tn_pb_field field;
        while (!has_slot && tn_pb_next(&c, &field))
            has_slot = field.number == 3 && field.type == TN_WIRE_LEN;
        while (has_slot && tn_pb_next(&again, &field)) {
            if (field.number != 1 || !tn_pb_expect(&again, &field, TN_WIRE_LEN))
                continue;
            struct child child = read_child(&field.body);
            if (child.node < w->objects->count)
                w->objects->items[child.node].is_of_optimizer = true;
        }
    }
}

/* ---- the side of the checkpoint ----------------------------------------- */

static void read_attribute(struct tn_cursor *c, struct tn_bytes *key)
{
    struct tn_bytes    name = { NULL, 0 }, found = { NULL, 0 };
    struct tn_pb_field field;

    while (tn_pb_next(c, &field)) {
        if (field.number == 1 && tn_pb_expect(c, &field, TN_WIRE_LEN))
            name = tn_pb_text(&field);
        else if (field.number == 3 && tn_pb_expect(c, &field, TN_WIRE_LEN))
            found = tn_pb_text(&field);
    }
    if (tn_bytes_is(name, "VARIABLE_VALUE"))
        *key = found;
}

static void read_trackable_node(struct walk *w, struct tn_cursor *c)
{
    struct trackable  *t    = &w->trackable;
    uint32_t           node = (uint32_t)t->keys.count;
    struct tn_bytes   *key  = tn_list_push(&t->keys, struct tn_bytes, w->error);
    struct tn_pb_field field;

    while (key && tn_pb_next(c, &field)) {
        if (field.number == 1 && tn_pb_expect(c, &field, TN_WIRE_LEN)) {
            struct child child = read_child(&field.body);
            uint32_t name = tn_intern_borrow(&t->names, child.name, w->error);
            if (child.node < UINT32_MAX && name != TN_NO_NAME)
                tn_pairs_add(&t->children, node, name, (uint32_t)child.node,
                             w->error);
        } else if (field.number == 2 && tn_pb_expect(c, &field, TN_WIRE_LEN)) {
            read_attribute(&field.body, key);
        } else if (field.number == 3 && tn_pb_expect(c, &field, TN_WIRE_LEN)) {
            struct slot slot = read_slot(&field.body);
            uint32_t    name = slot_name(w, node, slot.name);
            if (slot.node < UINT32_MAX && slot.variable < UINT32_MAX)
                tn_pairs_add(&t->slots, (uint32_t)slot.variable, name,
                             (uint32_t)slot.node, w->error);
        }
    }
}

static enum tn_status read_trackable(void *context, uint64_t index,
                                     struct tn_span   text,
                                     struct tn_error *error)
{
    struct walk       *w = context;
    struct tn_cursor   c = tn_cursor_span(text, error);
    struct tn_pb_field field;

    (void)index;
    while (tn_pb_next(&c, &field))
        if (field.number == 1 && tn_pb_expect(&c, &field, TN_WIRE_LEN))
            read_trackable_node(w, &field.body);
    return error->status;
}

static void load_trackable(struct walk *w, const struct tn_tf_bundle *table)
{
    const struct tn_tf_bundle_entry *entry =
        tn_tf_bundle_find(table, tn_text(TN_TF_OBJECT_GRAPH_KEY));

    if (entry && entry->elements.shape.dtype == TN_STRING)
        tn_payload_strings(&entry->elements, 0, 1, read_trackable, w, w->error);
    tn_error_where(w->error, TN_TF_OBJECT_GRAPH_KEY);
}

/* ---- both together ------------------------------------------------------ */

static void reach(struct walk *w, uint32_t saved, uint32_t trackable)
{
    struct tn_tf_object *object = &w->objects->items[saved];

    object->is_reached = true;
    object->twin       = trackable;
    object->key = *tn_list_at(&w->trackable.keys, struct tn_bytes, trackable);
}

static void enqueue(struct walk *w, uint32_t saved, uint32_t trackable)
{
    if (w->objects->items[saved].is_reached)
        return;
    reach(w, saved, trackable);
    struct visit *visit = tn_list_push(&w->queue, struct visit, w->error);
    if (visit)
        *visit = (struct visit){ saved, trackable };
}

/* The slots of an optimizer, whose variables have their twins by now. */
static void tie_slots(struct walk *w, struct visit at)
{
    struct tn_cursor   c = *tn_list_at(&w->bodies, struct tn_cursor, at.saved);
    struct tn_pb_field field;

    while (tn_pb_next(&c, &field)) {
        if (field.number != 3 || !tn_pb_expect(&c, &field, TN_WIRE_LEN))
            continue;
        struct slot slot = read_slot(&field.body);
        if (slot.variable >= w->objects->count ||
            slot.node >= w->objects->count ||
            !w->objects->items[slot.variable].is_reached ||
            w->objects->items[slot.node].is_reached)
            continue;
        uint32_t other = tn_pairs_find(&w->trackable.slots,
                                       w->objects->items[slot.variable].twin,
                                       slot_name(w, at.trackable, slot.name));
        if (other < w->trackable.keys.count)
            reach(w, (uint32_t)slot.node, other);
    }
}

static void walk_both(struct walk *w)
{
    if (!w->objects->count || !w->trackable.keys.count)
        return;
    enqueue(w, 0, 0);
    for (uint64_t i = 0; i < w->queue.count && !tn_failed(w->error); i++) {
        struct visit     at = *tn_list_at(&w->queue, struct visit, i);
        struct tn_cursor c =
            *tn_list_at(&w->bodies, struct tn_cursor, at.saved);
        struct tn_pb_field field;
        while (tn_pb_next(&c, &field)) {
            if (field.number != 1 || !tn_pb_expect(&c, &field, TN_WIRE_LEN))
                continue;
            struct child child = read_child(&field.body);
            uint32_t     name = tn_intern_find(&w->trackable.names, child.name);
            if (name == TN_NO_NAME || child.node >= w->objects->count)
                continue;
            uint32_t other =
                tn_pairs_find(&w->trackable.children, at.trackable, name);
            if (other < w->trackable.keys.count)
                enqueue(w, (uint32_t)child.node, other);
        }
    }
    for (uint64_t i = 0; i < w->queue.count && !tn_failed(w->error); i++)
        tie_slots(w, *tn_list_at(&w->queue, struct visit, i));
}

static void count_variables(struct walk *w, const struct tn_tf_bundle *table)
{
    for (uint32_t i = 0; i < w->objects->count; i++) {
        const struct tn_tf_object *object = &w->objects->items[i];
        if (!object->is_variable)
            continue;
        w->objects->variable_count++;
        w->objects->tied_count +=
            table && object->key.size && tn_tf_bundle_find(table, object->key);
    }
}

enum tn_status tn_tf_objects_read(struct tn_tf_objects      *objects,
                                  struct tn_span             saved,
                                  const struct tn_tf_bundle *table,
                                  struct tn_arena           *arena,
                                  struct tn_error           *error)
{
    struct walk w = { .objects = objects,
                      .memory  = arena->memory,
                      .arena   = arena,
                      .error   = error };

    *objects = (struct tn_tf_objects){ NULL, 0, 0, 0 };
    tn_list_init(&w.bodies, w.memory, sizeof(struct tn_cursor));
    tn_list_init(&w.queue, w.memory, sizeof(struct visit));
    tn_list_init(&w.trackable.keys, w.memory, sizeof(struct tn_bytes));
    tn_intern_init(&w.trackable.names, w.arena);
    tn_pairs_init(&w.trackable.children, w.memory);
    tn_pairs_init(&w.trackable.slots, w.memory);
    read_saved(&w, saved);
    mark_optimizers(&w);
    if (table && !tn_failed(error))
        load_trackable(&w, table);
    if (!tn_failed(error))
        walk_both(&w);
    if (!tn_failed(error))
        count_variables(&w, table);
    tn_list_done(&w.bodies);
    tn_list_done(&w.queue);
    tn_list_done(&w.trackable.keys);
    tn_intern_done(&w.trackable.names);
    tn_pairs_done(&w.trackable.children);
    tn_pairs_done(&w.trackable.slots);
    return error->status;
}

/* ---- other names of a variable ----------------------------------------- */

/*
 * TensorFlow 2 stores a variable under the path of objects that leads to it,
 * with a constant suffix: dense/kernel/.ATTRIBUTES/VARIABLE_VALUE.  Users know
 * it by the path alone, or by its name in the graph, which is in the object
 * graphs.
 */

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
static void meet_attribute(struct searching *s, struct tn_cursor *c)
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

static enum tn_status search_trackable(void *context, uint64_t index,
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
                meet_attribute(s, &field.body);
    }
    return error->status;
}

static void search_checkpoint(struct searching *s)
{
    const struct tn_tf_bundle_entry *entry =
        tn_tf_bundle_find(s->table, tn_text(TN_TF_OBJECT_GRAPH_KEY));

    if (entry && entry->elements.shape.dtype == TN_STRING)
        tn_payload_strings(&entry->elements, 0, 1, search_trackable, s,
                           s->error);
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
