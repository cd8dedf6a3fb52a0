/*
 * tf_object_graph_test.c - variables tied to checkpoint keys, two ways
 *
 * The object graphs tell which object has which key; `bound_inputs` of a
 * concrete function tell which node of the main graph holds the object.  The
 * restore function tells the same by assigning what it reads to its resource
 * arguments.  Both must agree on every variable that both reach.
 */
#include "support/hostile.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <tenon/tenon.h>

#include "format/tensorflow/tf_object_graph.h"

#define DATA TN_SHARED_DATA "/tensorflow/saved_model/"

#define ROOM 200

/* Node of the main graph -> key. */
struct binding {
    struct tn_bytes node, key;
};

struct bindings {
    struct binding items[ROOM];
    unsigned       count;
};

static const struct tn_bytes *find_node(const struct bindings *bindings,
                                        struct tn_bytes        node)
{
    for (unsigned i = 0; i < bindings->count; i++)
        if (tn_bytes_equal(bindings->items[i].node, node))
            return &bindings->items[i].key;
    return NULL;
}

static void bind(struct bindings *bindings, struct tn_bytes node,
                 struct tn_bytes key)
{
    if (find_node(bindings, node))
        return;
    assert_true(bindings->count < ROOM);
    bindings->items[bindings->count++] = (struct binding){ node, key };
}

static uint32_t op_named(const struct tn_model *model, uint32_t graph,
                         struct tn_bytes name)
{
    struct tn_graph_info g = tn_model_graph(model, graph);

    for (uint64_t i = 0; i < g.op_count; i++)
        if (tn_bytes_equal(tn_model_op(model, g.first_op + (uint32_t)i).name,
                           name))
            return g.first_op + (uint32_t)i;
    return TN_NONE;
}

static uint32_t function_named(const struct tn_model *model,
                               struct tn_bytes        name)
{
    for (uint32_t i = 1; i < tn_model_graph_count(model); i++)
        if (tn_bytes_equal(tn_model_graph(model, i).name, name))
            return i;
    return TN_NONE;
}

/* The function that an op calls by its attribute `f`; TN_NONE: none. */
static uint32_t callee_of(const struct tn_model *model, uint32_t op)
{
    struct tn_error error = TN_ERROR_INIT;
    struct tn_attr *attr;
    uint32_t        graph = TN_NONE;

    if (tn_attr_find(&attr, model, op, "f", &error) != TN_OK)
        return TN_NONE;
    if (tn_attr_get(attr)->kind == TN_ATTR_FUNCTION)
        graph = function_named(model, tn_attr_get(attr)->of.strings[0]);
    tn_attr_close(attr);
    return graph;
}

static struct tn_value_info input_of(const struct tn_model *model, uint32_t op,
                                     uint32_t index)
{
    return tn_model_value_info(model, tn_op_input(model, op, index));
}

/* The node that an input of a main graph's op comes from. */
static struct tn_bytes source_node(const struct tn_model *model, uint32_t op,
                                   uint32_t index)
{
    uint32_t producer = input_of(model, op, index).producer;

    return producer == TN_NONE ? (struct tn_bytes){ NULL, 0 }
                               : tn_model_op(model, producer).name;
}

/* ---- by the restore function -------------------------------------------- */

struct wanted_string {
    uint64_t        index;
    struct tn_bytes text;
};

static enum tn_status take_string(void *context, uint64_t index,
                                  struct tn_span text, struct tn_error *error)
{
    struct wanted_string *wanted = context;

    if (index == wanted->index)
        wanted->text = tn_bytes(
            tn_source_pin(text.source, text.offset, (size_t)text.length, error),
            (size_t)text.length);
    return error->status;
}

/* The K-th string of the Const that feeds `tensor_names` of RestoreV2. */
static struct tn_bytes restored_key(const struct tn_model *model, uint32_t op,
                                    uint64_t output)
{
    struct wanted_string wanted = { output, { NULL, 0 } };
    struct tn_error      error  = TN_ERROR_INIT;
    struct tn_attr      *attr;
    uint32_t             names = input_of(model, op, 1).producer;

    assert_int_equal(tn_attr_find(&attr, model, names, "value", &error), TN_OK);
    const struct tn_tensor *tensor = tn_attr_get(attr)->of.tensors[0];
    assert_int_equal(tn_payload_strings(&tensor->elements, 0,
                                        tn_tensor_count(tensor), take_string,
                                        &wanted, &error),
                     TN_OK);
    tn_attr_close(attr);
    return wanted.text;
}

static bool is_type(const struct tn_model *model, uint32_t op, const char *type)
{
    return tn_bytes_is(tn_model_op(model, op).type, type);
}

/* What is assigned comes from RestoreV2 through Identity nodes. */
static struct tn_bytes assigned_key(const struct tn_model *model, uint32_t op)
{
    struct tn_value_info value = input_of(model, op, 1);

    while (value.producer != TN_NONE &&
           is_type(model, value.producer, "Identity"))
        value = input_of(model, value.producer, 0);
    if (value.producer == TN_NONE ||
        !is_type(model, value.producer, "RestoreV2"))
        return (struct tn_bytes){ NULL, 0 };
    return restored_key(model, value.producer, value.output);
}

static uint32_t argument_index(const struct tn_model *model, uint32_t graph,
                               struct tn_bytes name)
{
    struct tn_io_list inputs = tn_model_graph(model, graph).inputs;

    for (uint32_t i = 0; i < inputs.count; i++)
        if (tn_bytes_equal(inputs.items[i].name, name))
            return i;
    return TN_NONE;
}

static void bind_by_restoring(const struct tn_model *model,
                              struct bindings       *bindings)
{
    const struct tn_tf_detail *d = tn_tf_detail_of(model);
    uint32_t call                = op_named(model, 0, d->metas[0].restore_op);
    uint32_t graph = call == TN_NONE ? TN_NONE : callee_of(model, call);

    if (graph == TN_NONE)
        return;
    struct tn_graph_info g = tn_model_graph(model, graph);
    for (uint64_t i = 0; i < g.op_count; i++) {
        uint32_t op = g.first_op + (uint32_t)i;
        if (!is_type(model, op, "AssignVariableOp"))
            continue;
        uint32_t argument =
            argument_index(model, graph, input_of(model, op, 0).name);
        struct tn_bytes key = assigned_key(model, op);
        if (argument != TN_NONE && key.size)
            bind(bindings, source_node(model, call, argument), key);
    }
}

/* ---- by the object graph ------------------------------------------------ */

/* One concrete function: {1 name, 2 {2 bound_inputs}}. */
static uint32_t read_bound(struct tn_cursor body, struct tn_bytes *name,
                           uint64_t bound[ROOM])
{
    struct tn_tf_entry entry;
    struct tn_pb_field field;
    uint64_t           id;
    uint32_t           count = 0;

    tn_tf_entry_read(&body, &entry);
    *name = entry.key;
    while (tn_pb_next(&entry.value, &field))
        while (field.number == 2 &&
               tn_pb_number(&entry.value, &field, TN_WIRE_VARINT, &id)) {
            assert_true(count < ROOM);
            bound[count++] = id;
        }
    return count;
}

static void bind_calls(const struct tn_model *model, uint32_t graph,
                       const struct tn_tf_objects *objects,
                       const uint64_t *bound, uint32_t count,
                       struct bindings *bindings)
{
    struct tn_graph_info main = tn_model_graph(model, 0);

    for (uint32_t op = main.first_op; op < main.first_op + main.op_count;
         op++) {
        uint32_t inputs = tn_model_op(model, op).input_count;
        if (callee_of(model, op) != graph || inputs < count)
            continue;
        for (uint32_t i = 0; i < count; i++)
            if (objects->items[bound[i]].is_variable &&
                objects->items[bound[i]].key.size)
                bind(bindings, source_node(model, op, inputs - count + i),
                     objects->items[bound[i]].key);
    }
}

static void bind_by_objects(const struct tn_model *model,
                            struct tn_arena *arena, struct bindings *bindings,
                            struct tn_tf_objects *objects)
{
    const struct tn_tf_detail *d     = tn_tf_detail_of(model);
    struct tn_error            error = TN_ERROR_INIT;
    struct tn_pb_field         field;
    uint64_t                   bound[ROOM];
    struct tn_bytes            name;

    assert_int_equal(tn_tf_objects_read(objects, d->metas[0].object_graph,
                                        d->table, arena, &error),
                     TN_OK);
    struct tn_cursor c = tn_cursor_span(d->metas[0].object_graph, &error);
    while (tn_pb_next(&c, &field)) {
        if (field.number != 2)
            continue;
        uint32_t count = read_bound(field.body, &name, bound);
        uint32_t graph = function_named(model, name);
        if (graph != TN_NONE)
            bind_calls(model, graph, objects, bound, count, bindings);
    }
}

/* ---- both --------------------------------------------------------------- */

/* Whatever is restored belongs to a variable of the object graph. */
static void check_restored(const struct bindings      *restored,
                           const struct tn_tf_objects *objects)
{
    for (unsigned i = 0; i < restored->count; i++) {
        bool is_known = false;
        for (uint32_t k = 0; k < objects->count && !is_known; k++)
            is_known =
                objects->items[k].is_variable &&
                tn_bytes_equal(objects->items[k].key, restored->items[i].key);
        assert_true(is_known);
    }
}

/* How many variables are restored, and of how many both ways say the same. */
static unsigned compare_model(const char *folder, unsigned *restored_count)
{
    static struct bindings restored, tied;
    struct tn_options      options = { .wants_graph = true };
    struct tn_error        error   = TN_ERROR_INIT;
    struct tn_model       *model;
    struct tn_tf_objects   objects;
    struct tn_arena        arena;
    char                   path[400];
    unsigned               agreed = 0;

    snprintf(path, sizeof path, DATA "%s", folder);
    assert_int_equal(tn_model_open(&model, path, &options, &error), TN_OK);
    restored.count = tied.count = 0;
    tn_arena_init(&arena, model->memory);
    bind_by_restoring(model, &restored);
    bind_by_objects(model, &arena, &tied, &objects);
    check_restored(&restored, &objects);
    *restored_count = restored.count;
    for (unsigned i = 0; i < tied.count; i++) {
        const struct tn_bytes *key = find_node(&restored, tied.items[i].node);
        if (!key)
            continue;
        assert_true(tn_bytes_equal(*key, tied.items[i].key));
        agreed++;
    }
    assert_int_equal(agreed, tied.count);
    tn_arena_done(&arena);
    tn_model_close(model);
    return agreed;
}

static void test_both_ways_agree(void **state)
{
    static const struct {
        const char *folder;
        unsigned    restored, agreed;
    } rows[] = {
        { "basic-pitch", 73, 24 },
        { "VarsAndArithmeticObjectGraph", 3, 3 },
        { "tftrt_2.0_saved_model", 1, 0 },
        { "OptimizerSlotVariableModule", 8, 0 },
        { "CyclicModule", 1, 0 },
        { "x_plus_y_v2_debuginfo", 0, 0 },
    };
    unsigned restored;

    (void)state;
    if (access(DATA, R_OK) != 0) {
        print_message("skipped: wants real models\n");
        skip();
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        unsigned agreed = compare_model(rows[i].folder, &restored);
        if (restored != rows[i].restored || agreed != rows[i].agreed)
            print_error("%s: %u restored, %u agreed\n", rows[i].folder,
                        restored, agreed);
        assert_int_equal(restored, rows[i].restored);
        assert_int_equal(agreed, rows[i].agreed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_both_ways_agree),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
