/* flow_guard_test.c - under which conditions values live, and what a Merge
 * takes back */
#include "map/flow/flow_guard.h"
#include "map/net/net_build.h"

#include <stdio.h>

#include "support/net_bench.h"
#include "support/net_lines.h"

/* A guard as a path: "[f]c+q-" is in frame f, where c holds and q does not. */
static void guard_text(const struct tn_guards *guards, uint32_t guard, char *to,
                       size_t size)
{
    char above[128] = "";

    *to = '\0';
    if (!guard)
        return;
    const struct tn_guard *row = tn_guard_at(guards, guard);
    guard_text(guards, row->parent, above, sizeof above);
    if (row->is_frame)
        snprintf(to, size, "%.100s[%.*s]", above,
                 TN_FMT(tn_intern_text(&guards->frames, row->what)));
    else
        snprintf(to, size, "%.100s%.*s%c", above,
                 TN_FMT(tn_net_value(guards->net, row->what).name),
                 row->side ? '+' : '-');
}

static const char *const in_loop[] = { "ei = Enter i frameName=f",
                                       "mi,_ = merge ei,ni",
                                       "c = C mi",
                                       "lc = loop_cond c",
                                       "s0,s1 = switch mi,lc",
                                       "q = Q s1",
                                       "r0,r1 = switch s1,q",
                                       "w,_ = merge r0,r1",
                                       "ni = next_iteration w",
                                       "x = exit s0",
                                       NULL };

static const char *const twice_the_same[] = {
    "s0,s1 = Switch a,p", "p1 = Identity p", "t0,t1 = Switch s1,p1",
    "f = F t1,b",         "g = G _,s0",      NULL
};

static const char *const frame_later_deeper[] = { "e = Enter a frame_name=f",
                                                  "s0,s1 = Switch b,p",
                                                  "d = Enter s1 frame_name=f",
                                                  NULL };

static const char *const bare[] = {
    "e = Enter a",      "h = Enter a frame_name={0}",
    "s0,s1 = Switch a", "t0,_ = Switch a,_",
    "m = Merge",        "n = Merge _,s0",
    "i = Identity",     "c0,_ = Switch a,i",
    "k = LoopCond _",   "d0,_ = Switch a,k",
    "x = Exit a",       NULL
};

static const char *const three_inputs[] = {
    "s0,s1 = Switch a,p",   "t0,t1 = Switch s1,q",  "u0,u1 = Switch s1,r",
    "m,_ = Merge t0,t1,u0", "n,_ = Merge t0,s0,u0", NULL
};

static const struct {
    const char *const *lines;
    const char        *value, *path;
} rows[] = {
    { in_loop, "i", "" },
    { in_loop, "ei", "[f]" },
    { in_loop, "mi", "[f]" },
    { in_loop, "lc", "[f]" },
    { in_loop, "s0", "[f]c-" },
    { in_loop, "q", "[f]c+" },
    { in_loop, "r0", "[f]c+q-" },
    { in_loop, "w", "[f]c+" },
    { in_loop, "x", "" },
    { twice_the_same, "t1", "p+" },
    { twice_the_same, "t0", "p+p-" }, /* never */
    { twice_the_same, "f", "p+" },
    { twice_the_same, "g", "p-" },
    { frame_later_deeper, "e", "p+[f]" },
    { frame_later_deeper, "d", "p+[f]" },
    { bare, "e", "[]" },
    { bare, "h", "[]" },
    { bare, "s0", "" },
    { bare, "t0", "" },
    { bare, "m", "" },
    { bare, "n", "" },
    { bare, "c0", "i-" },
    { bare, "d0", "k-" },
    { bare, "x", "" },
    { three_inputs, "m", "p+" },
    { three_inputs, "n", "" },
};

static void values_live_under_guards(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bench     b;
        struct tn_guards guards;
        char             path[128];
        set_up(&b, "nd4j");
        net_add_lines(&b.net, 0, rows[i].lines);
        tn_guards_init(&guards, &b.net);
        assert_int_equal(tn_guards_find(&guards, false), TN_OK);
        uint32_t value = net_line_find(&b.net, rows[i].value);
        guard_text(&guards, tn_guard_of(&guards, value), path, sizeof path);
        if (strcmp(path, rows[i].path) != 0)
            fail_msg("%s: %s, not %s", rows[i].value, path, rows[i].path);
        tn_guards_done(&guards);
        tear_down(&b);
    }
}

/* What nothing decides may still be kept in a branch by what must run before.
 */
static void controls_keep_nodes_in_branches(void **state)
{
    (void)state;
    for (int with = 0; with < 2; with++) {
        struct bench     b;
        struct tn_guards guards;
        char             path[128];
        set_up(&b, "tensorflow");
        net_add_line(&b.net, 0, "s0,s1 = Switch a,p");
        uint32_t before = net_add_line(&b.net, 0, "t = F s1");
        uint32_t node   = net_add_line(&b.net, 0, "x = Const");
        tn_net_set_controls(&b.net, node, &before, 1);
        tn_guards_init(&guards, &b.net);
        assert_int_equal(tn_guards_find(&guards, with), TN_OK);
        guard_text(&guards, tn_guard_of(&guards, net_line_find(&b.net, "x")),
                   path, sizeof path);
        assert_string_equal(path, with ? "p+" : "");
        tn_guards_done(&guards);
        tear_down(&b);
    }
}

/* ---- what a Merge takes back -------------------------------------------- */

/* A constant lives everywhere; "same" in a loop is decided before its own
 * condition is. */
static const char *const choices[] = {
    "s0,s1 = Switch a,p",        "t0,t1 = Switch s1,q",
    "u0,u1 = Switch a,q",        "v0,v1 = Switch s0,q",
    "ei = Enter i frame_name=f", "ep = Enter p frame_name=f",
    "k0,k1 = Switch ei,c",       "l0,l1 = Switch k1,ep",
    "o0,o1 = Switch ei,ep",      NULL
};

static const struct {
    const char *inputs[2];
    const char *decision; /* above, condition, sides; NULL: none             */
} merged[] = {
    { { "s0", "s1" }, " p 0 1" },
    { { "s1", "s0" }, " p 1 0" },
    { { "t0", "s0" }, " p 1 0" },
    { { "t0", "t1" }, "p+ q 0 1" },
    { { "a", "s1" }, " p 0 1" },
    { { "t0", "a" }, "p+ q 0 1" },
    { { "t1", "s1" }, "p+ q 1 0" },
    { { "t0", "u1" }, "p+ q 0 1" },
    { { "u1", "t0" }, "p+ q 1 0" },
    { { "s0", "u1" }, NULL },
    { { "s1", "s1" }, NULL },
    { { "t0", "u0" }, NULL },
    { { "a", "ei" }, NULL },
    { { "ei", "a" }, NULL },
    { { "s0", "ei" }, NULL },
    { { "ei", "s0" }, NULL },
    { { "l0", "o1" }, "[f]c+ ep 0 1" },
    { { "o0", "l1" }, "[f]c+ ep 0 1" },
    { { "k0", "o1" }, NULL },
    { { "v0", "t1" }, " p 0 1" },
};

static void a_merge_takes_back_a_decision(void **state)
{
    struct bench     b;
    struct tn_guards guards;

    (void)state;
    set_up(&b, "tensorflow");
    net_add_lines(&b.net, 0, choices);
    tn_guards_init(&guards, &b.net);
    assert_int_equal(tn_guards_find(&guards, true), TN_OK);
    for (size_t i = 0; i < sizeof merged / sizeof *merged; i++) {
        uint32_t inputs[] = { net_line_find(&b.net, merged[i].inputs[0]),
                              net_line_find(&b.net, merged[i].inputs[1]) };
        struct tn_flow_decision d;
        char                    above[128], text[160] = "none";
        if (tn_flow_decision(&guards, inputs, &d)) {
            guard_text(&guards, d.above, above, sizeof above);
            snprintf(text, sizeof text, "%s %.*s %u %u", above,
                     TN_FMT(tn_net_value(&b.net, d.condition).name), d.sides[0],
                     d.sides[1]);
        }
        const char *want = merged[i].decision ? merged[i].decision : "none";
        if (strcmp(text, want) != 0)
            fail_msg("%s and %s: %s, not %s", merged[i].inputs[0],
                     merged[i].inputs[1], text, want);
    }
    tn_guards_done(&guards);
    tear_down(&b);
}

/* ---- bounds ------------------------------------------------------------- */

static enum tn_status find_guards(struct tn_net *net)
{
    struct tn_guards guards;

    tn_guards_init(&guards, net);
    if (!tn_failed(net->error))
        tn_guards_find(&guards, true);
    tn_guards_done(&guards);
    return net->error->status;
}

/* s[k] = Switch s[k-1], p[k] */
static void conditions_nest_within_a_limit(void **state)
{
    (void)state;
    for (int depth = 128; depth <= 129; depth++) {
        struct bench b;
        set_up(&b, "tensorflow");
        uint32_t value = tn_net_add_value(&b.net, 0, tn_text("s"));
        for (int k = 0; k < depth; k++) {
            uint32_t inputs[]  = { value,
                                   tn_net_add_value(&b.net, 0, tn_text("p")) };
            uint32_t outputs[] = { TN_NONE,
                                   tn_net_add_value(&b.net, 0, tn_text("s")) };
            tn_net_add_node(&b.net, &(struct tn_net_node){
                                        .op = tn_net_own_op(&b.net, "Switch"),
                                        .inputs       = inputs,
                                        .input_count  = 2,
                                        .outputs      = outputs,
                                        .output_count = 2,
                                        .source       = TN_NONE });
            value = outputs[1];
        }
        assert_int_equal(find_guards(&b.net), depth == 128 ? TN_OK : TN_LIMIT);
        if (depth > 128)
            assert_string_equal(b.error.what,
                                "conditions and loops nest deeper than 128");
        tear_down(&b);
    }
}

/* Frame k is entered from outside first, and later from frame k - 1: each pass
 * over the nodes finds it one deeper. */
static void frames_nest_within_a_limit(void **state)
{
    (void)state;
    for (int depth = 20; depth <= 80; depth += 60) {
        struct bench b;
        char         line[64];
        set_up(&b, "tensorflow");
        for (int k = 0; k < depth; k++) {
            snprintf(line, sizeof line, "e%d = Enter a frame_name=%c%c", k,
                     'a' + k / 26, 'a' + k % 26);
            net_add_line(&b.net, 0, line);
        }
        for (int k = 1; k < depth; k++) {
            snprintf(line, sizeof line, "d%d = Enter e%d frame_name=%c%c", k,
                     k - 1, 'a' + k / 26, 'a' + k % 26);
            net_add_line(&b.net, 0, line);
        }
        assert_int_equal(find_guards(&b.net), depth == 20 ? TN_OK : TN_LIMIT);
        if (depth > 20)
            assert_string_equal(b.error.what, "loops nest deeper than 64");
        tear_down(&b);
    }
}

static void fill_in_loop(struct tn_net *net)
{
    net_add_lines(net, 0, in_loop);
}

static void any_allocation_may_fail(void **state)
{
    (void)state;
    survives_no_memory("nd4j", fill_in_loop, find_guards,
                       "ei:Enter(i) mi,:merge(ei,ni) c:C(mi) lc:loop_cond(c) "
                       "s0,s1:switch(mi,lc) q:Q(s1) r0,r1:switch(s1,q) "
                       "w,:merge(r0,r1) ni:next_iteration(w) x:exit(s0) ->");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_live_under_guards),
        cmocka_unit_test(controls_keep_nodes_in_branches),
        cmocka_unit_test(a_merge_takes_back_a_decision),
        cmocka_unit_test(conditions_nest_within_a_limit),
        cmocka_unit_test(frames_nest_within_a_limit),
        cmocka_unit_test(any_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
