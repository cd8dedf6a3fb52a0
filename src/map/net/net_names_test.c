/* net_names_test.c - every value has a name of its own, the model's where it
 * can */
#include "map/net/net_build.h"

#include "support/hostile.h"

/* The same wishes twice: with the model's table, and without. */
static const struct {
    const char *wish, *name;
} rows[] = {
    { "x", "x" },  { "x", "x_1" },   { "x_1", "x_1_1" }, { "x", "x_2" },
    { "y", "y" },  { "y_1", "y_1" }, { "y", "y_2" },     { "", "v" },
    { "", "v_1" }, { "new", "new" }, { "new", "new_1" },
};

static enum tn_status name_all(struct tn_bytes input, struct tn_memory *memory,
                               struct tn_error *error)
{
    struct tn_arena  arena;
    struct tn_intern given;
    struct tn_net    net;

    tn_arena_init(&arena, memory);
    tn_intern_init(&given, &arena);
    tn_net_init(&net, &arena, "onnx", error);
    tn_intern_borrow(&given, tn_text("x"), error);
    tn_intern_borrow(&given, tn_text("y"), error);
    tn_intern_borrow(&given, tn_text("y_1"), error);
    if (input.size && !tn_failed(error))
        tn_net_give_names(&net, &given);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct tn_bytes name = tn_net_name(&net, tn_text(rows[i].wish));
        if (tn_failed(error))
            break;
        if (!tn_bytes_is(name, rows[i].name))
            fail_msg("%s: %.*s, not %s", rows[i].wish, TN_FMT(name),
                     rows[i].name);
    }
    tn_net_done(&net);
    tn_intern_done(&given);
    tn_arena_done(&arena);
    return error->status;
}

static void names_are_unique(void **state)
{
    (void)state;
    tn_survives_no_memory(name_all, tn_bytes(NULL, 0));
    tn_survives_no_memory(name_all, tn_bytes("given", 5));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_unique),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
