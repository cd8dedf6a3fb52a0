/* tf_tidy_test.c - saved TensorFlow graphs become graphs that compute */
#include "map/net/net_build.h"
#include "map/net/net_load.h"
#include "map/tidy/tf_testing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <tenon/model.h>

struct bench {
    struct tn_error  error;
    struct tn_memory memory;
    struct tn_arena  arena;
    struct tn_net    net;
    struct tn_model *model;
    struct tn_list   notes;
};

static bool open_model(struct bench *b, const char *path)
{
    struct tn_options options = { .wants_graph = true };
    FILE             *file    = fopen(path, "rb");

    b->error = (struct tn_error)TN_ERROR_INIT;
    if (!file) {
        printf("skipped: wants real models\n");
        return false;
    }
    fclose(file);
    if (tn_model_open(&b->model, path, &options, &b->error) != TN_OK)
        fail_msg("%s: %s", path, b->error.what);
    tn_memory_init(&b->memory, NULL, 0);
    tn_arena_init(&b->arena, &b->memory);
    tn_net_init(&b->net, &b->arena, "tensorflow", &b->error);
    tn_list_init(&b->notes, &b->memory, sizeof(struct tn_tidy_note));
    return true;
}

static void close_model(struct bench *b)
{
    tn_list_done(&b->notes);
    tn_net_done(&b->net);
    tn_arena_done(&b->arena);
    assert_int_equal(b->memory.used, 0);
    tn_model_close(b->model);
}

static unsigned count_of(struct tn_net *net, const char *type)
{
    unsigned count = 0;

    for (uint32_t i = 0; i < net->nodes.count; i++)
        if (!tn_net_node(net, i).is_removed &&
            (!type || tn_bytes_is(tn_net_node(net, i).op->type, type)))
            count++;
    return count;
}

static unsigned count_trained(struct tn_net *net)
{
    unsigned count = 0;

    for (uint32_t i = 0; i < net->values.count; i++)
        if (tn_net_value(net, i).is_trained)
            count++;
    return count;
}

#define DATA TN_SHARED_DATA "/tensorflow/"

static const char *const gone[] = { "VarHandleOp",
                                    "ReadVariableOp",
                                    "VariableV2",
                                    "PartitionedCall",
                                    "Const",
                                    "StatefulPartitionedCall",
                                    "Placeholder",
                                    "NoOp",
                                    "AssignVariableOp",
                                    "RestoreV2",
                                    "While",
                                    "StatelessWhile",
                                    NULL };

static const struct {
    const char *path;
    unsigned    nodes, trained, inputs, outputs;
} saved[] = {
    { DATA "saved_model/VarsAndArithmeticObjectGraph/saved_model.pb", 7, 3, 2,
      1 },
    { DATA "saved_model/while_loop/saved_model.pb", 13, 0, 1, 1 },
    { DATA "saved_model/half_plus_two/00000123/saved_model.pb", 4, 2, 1, 1 },
    { DATA "saved_model/basic-pitch/saved_model.pb", 333, 24, 1, 3 },
    { DATA "frozen/kws-gru-s.pb", 48, 0, 1, 1 },
};

static void saved_models_become_graphs(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof saved / sizeof *saved; i++) {
        struct bench b;
        if (!open_model(&b, saved[i].path))
            continue;
        if (tn_net_load(&b.net, b.model, NULL) != TN_OK ||
            testing_tidy(&b.net, &b.notes) != TN_OK)
            fail_msg("%s: %s", saved[i].path, b.error.what);
        for (const char *const *type = gone; *type; type++)
            if (count_of(&b.net, *type))
                fail_msg("%s: %s is still there", saved[i].path, *type);
        assert_int_equal(count_of(&b.net, NULL), saved[i].nodes);
        assert_int_equal(count_trained(&b.net), saved[i].trained);
        assert_int_equal(tn_net_graph(&b.net, 0)->inputs.count,
                         saved[i].inputs);
        assert_int_equal(tn_net_graph(&b.net, 0)->outputs.count,
                         saved[i].outputs);
        close_model(&b);
    }
}

/* The three equal-looking numbers 1, 2, 3 of that model go where its own saver
 * puts them: (a + x) * (b + y) / z. */
static void variables_are_those_of_the_saver(void **state)
{
    static const char *const names[] = { "variable_x", "variable_y",
                                         "child_variable" };
    struct bench             b;

    (void)state;
    if (!open_model(&b, saved[0].path))
        return;
    assert_int_equal(tn_net_load(&b.net, b.model, NULL), TN_OK);
    assert_int_equal(testing_tidy(&b.net, NULL), TN_OK);
    for (uint32_t k = 0; k < 3; k++) {
        float held = 0;
        for (uint32_t i = 0; i < b.net.values.count; i++) {
            const struct tn_net_value v = tn_net_value(&b.net, i);
            if (v.is_trained && tn_bytes_is(v.name, names[k]))
                assert_int_equal(
                    tn_tensor_read(v.origin, 0, &held, sizeof held, &b.error),
                    TN_OK);
        }
        assert_true(held == (float)(k + 1));
    }
    close_model(&b);
}

static bool has_op(const struct tn_net *net, const char *type)
{
    for (uint32_t i = 0; i < net->nodes.count; i++)
        if (!tn_net_node(net, i).is_removed &&
            tn_bytes_is(tn_net_node(net, i).op->type, type))
            return true;
    return false;
}

static void tables_become_constants(void **state)
{
    struct bench b;

    (void)state;
    if (!open_model(&b,
                    DATA "saved_model/StaticHashTableModule/saved_model.pb"))
        return;
    assert_int_equal(tn_net_load(&b.net, b.model, NULL), TN_OK);
    assert_int_equal(testing_tidy(&b.net, NULL), TN_OK);
    assert_true(has_op(&b.net, "Lookup"));
    assert_false(has_op(&b.net, "HashTableV2"));
    close_model(&b);
}

static void memory_may_run_out(void **state)
{
    (void)state;
    for (uint64_t limit = 4096;; limit += 1531) {
        struct bench b;
        if (!open_model(&b, saved[1].path))
            return;
        assert_int_equal(tn_net_load(&b.net, b.model, NULL), TN_OK);
        b.memory.limit        = b.memory.used + limit;
        enum tn_status status = testing_tidy(&b.net, NULL);
        b.memory.limit        = UINT64_MAX;
        close_model(&b);
        if (status == TN_OK)
            return;
        assert_int_equal(status, TN_LIMIT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(saved_models_become_graphs),
        cmocka_unit_test(variables_are_those_of_the_saver),
        cmocka_unit_test(tables_become_constants),
        cmocka_unit_test(memory_may_run_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
