/* tf_state_test.c - which variables become inputs and outputs.  What they are
 * after a run is judged by tests/judges/tensorflow_state.py. */
#include "map/net/net_build.h"
#include "map/tidy/tf_tidy.h"

#include <stdio.h>

#include "support/net_bench.h"
#include "support/net_lines.h"

#define VARIABLE "v = VarHandleOp _"

struct net_case {
    const char *name;
    const char *lines[6];
    bool        has_signature;
    const char *want; /* outputs of the main graph; NULL: refused             */
};

/* y waits for what is called p. */
static const struct net_case rows[] = {
    { "nothing is changed", { VARIABLE, "y = F x" }, true, "y" },
    { "assigned",
      { VARIABLE, "z = G x", "p = AssignVariableOp v,z", "y = F x" },
      true,
      "y,v_next" },
    { "assigned, without a signature",
      { VARIABLE, "z = G x", "p = AssignVariableOp v,z", "y = F x" },
      false,
      "y" },
    { "in a way that has no rule",
      { VARIABLE, "p = ResourceScatterUpdate v,x,x", "y = F x" },
      true,
      NULL },
    { "not a variable",
      { "v = G x", "p = AssignVariableOp v,x", "y = F x" },
      true,
      NULL },
};

static void fill(struct tn_net *net, const struct net_case *row)
{
    uint32_t first = TN_NONE, last = TN_NONE;

    net_add_io(net, 0, "x -> y");
    for (size_t i = 0; i < 6 && row->lines[i]; i++)
        net_add_line(net, 0, row->lines[i]);
    for (uint32_t i = 0; i < net->nodes.count; i++) {
        if (tn_bytes_is(tn_net_node(net, i).name, "p"))
            first = i;
        if (tn_bytes_is(tn_net_node(net, i).name, "y"))
            last = i;
    }
    if (first != TN_NONE && last != TN_NONE)
        tn_net_set_controls(net, last, &first, 1);
    if (row->has_signature)
        net->signature = tn_text("serving_default");
}

static void assert_outputs(const struct tn_net *net, const char *want)
{
    char     text[64] = "";
    uint64_t count    = tn_net_graph(net, 0)->outputs.count;

    for (uint32_t i = 0; i < count; i++) {
        struct tn_bytes name = tn_net_output_name(net, 0, i);
        size_t          at   = strlen(text);
        snprintf(text + at, sizeof text - at, "%s%.*s", i ? "," : "",
                 TN_FMT(name));
    }
    assert_string_equal(text, want);
}

static void changes_become_outputs(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bench b;
        printf("%s\n", rows[i].name);
        set_up(&b, "tensorflow");
        fill(&b.net, &rows[i]);
        assert_int_equal(tn_tf_resolve(&b.net, NULL, NULL),
                         rows[i].want ? TN_OK : TN_UNSUPPORTED);
        if (rows[i].want)
            assert_outputs(&b.net, rows[i].want);
        tear_down(&b);
    }
}

static void fill_assigned(struct tn_net *net)
{
    fill(net, &rows[1]);
}

static enum tn_status run(struct tn_net *net)
{
    enum tn_status status = tn_tf_resolve(net, NULL, NULL);

    return status;
}

static void any_allocation_may_fail(void **state)
{
    (void)state;
    survives_no_memory("tensorflow", fill_assigned, run, "z:G(x) y:F(x) ->y,z");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changes_become_outputs),
        cmocka_unit_test(any_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
