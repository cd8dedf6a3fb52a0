/* flow_test.c - control flow of graphs in both forms: little nets, whole words,
 * and every graph of the import suite that has some */
#include "map/flow/flow.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <tenon/model.h>

#include "map/tidy/tf_tidy.h"
#include "support/hostile.h"
#include "support/net_text.h"

struct bench {
    struct tn_error  error;
    struct tn_memory memory;
    struct tn_arena  arena;
    struct tn_net    net;
};

static void set_up(struct bench *b, const char *dialect)
{
    b->error = (struct tn_error)TN_ERROR_INIT;
    tn_memory_init(&b->memory, NULL, 0);
    tn_arena_init(&b->arena, &b->memory);
    tn_net_init(&b->net, &b->arena, dialect, &b->error);
    tn_net_add_graph(&b->net, TN_GRAPH_MAIN, tn_text("g"), TN_NONE);
}

static void tear_down(struct bench *b)
{
    tn_net_done(&b->net);
    tn_arena_done(&b->arena);
    assert_int_equal(b->memory.used, 0);
}

/* ---- nets out of lines: "a,b = Type x,y" -------------------------------- */

static uint32_t find_or_make(struct tn_net *net, const char *name, size_t size)
{
    struct tn_bytes text = tn_bytes(name, size);

    if (size == 0 || (size == 1 && *name == '_'))
        return TN_NONE;
    for (uint32_t i = 0; i < net->values.count; i++)
        if (tn_bytes_equal(tn_net_value(net, i)->name, text))
            return i;
    if (*name == '#') /* a constant */
        return tn_net_add_ints(net, 0, text, TN_INT32, (int64_t[]){ 7 }, 0,
                               NULL);
    return tn_net_add_value(net, 0, text);
}

static uint32_t read_values(struct tn_net *net, const char **at, uint32_t *to)
{
    uint32_t count = 0;

    while (**at && **at != ' ') {
        size_t size = strcspn(*at, ", ");
        to[count++] = find_or_make(net, *at, size);
        *at += size + ((*at)[size] == ',');
    }
    *at += **at == ' ';
    return count;
}

static void add_line(struct tn_net *net, const char *line, const char *frame)
{
    uint32_t           inputs[8], outputs[8];
    struct tn_net_node node = { .inputs  = inputs,
                                .outputs = outputs,
                                .source  = TN_NONE };
    struct tn_bytes    name = tn_text(frame);
    struct tn_net_attr attr = {
        tn_text("frame_name"),
        { .kind = TN_ATTR_STRING, .count = 1, .of.strings = &name }
    };

    node.output_count = read_values(net, &line, outputs);
    line += 2; /* "= " */
    size_t size = strcspn(line, " ");
    node.op     = tn_net_op(net, tn_bytes(line, size), tn_text(""));
    node.name =
        tn_net_value(net, outputs[0] == TN_NONE ? outputs[1] : outputs[0])
            ->name;
    line += size + (line[size] == ' ');
    node.input_count = read_values(net, &line, inputs);
    if (tn_bytes_is(node.op->type, "Enter")) {
        struct tn_bytes *kept =
            tn_new(net->arena, struct tn_bytes, 1, net->error);
        *kept                 = name;
        attr.value.of.strings = kept;
        node.attrs            = &attr;
        node.attr_count       = 1;
    }
    tn_net_add_node(net, &node);
}

static void fill(struct tn_net *net, const char *const *lines,
                 const char *outputs)
{
    for (; *lines; lines++)
        add_line(net, *lines, "f");
    uint32_t values[8];
    uint32_t count = read_values(net, &outputs, values);
    for (uint32_t i = 0; i < count; i++)
        tn_net_add_output(net, 0, values[i], tn_text(""));
}

static char *text_of(struct bench *b)
{
    static char      text[65536];
    struct tn_buffer to;

    tn_buffer_init(&to, &b->memory, &b->error);
    net_text_graph(&to, &b->net, 0);
    snprintf(text, sizeof text, "%s", tn_buffer_string(&to));
    tn_buffer_done(&to);
    return text;
}

/* x = p ? f(a) : a */
static const char *const cond[] = { "s0,s1 = Switch a,p", "t = F s1",
                                    "x,_ = Merge s0,t", NULL };

/* two outputs of one condition, and a second condition on the first's output */
static const char *const twice[] = {
    "s0,s1 = Switch a,p", "t = F s1",          "e = G s0",
    "x,_ = Merge e,t",    "y,_ = Merge s0,s1", "u0,u1 = Switch x,p",
    "v = F u1",           "z,_ = Merge u0,v",  NULL
};

/* while c(i): i = f(i, k) */
static const char *const loop[] = {
    "ei = Enter i",       "ek = Enter k",
    "mi,_ = Merge ei,ni", "c = C mi",
    "lc = LoopCond c",    "s0,s1 = Switch mi,lc",
    "b = F s1,ek",        "ni = NextIteration b",
    "x = Exit s0",        NULL
};

/* a condition inside of a loop */
static const char *const cond_in_loop[] = { "ei = Enter i",
                                            "mi,_ = Merge ei,ni",
                                            "c = C mi",
                                            "lc = LoopCond c",
                                            "s0,s1 = Switch mi,lc",
                                            "q = Q s1",
                                            "r0,r1 = Switch s1,q",
                                            "t = F r1",
                                            "w,_ = Merge r0,t",
                                            "ni = NextIteration w",
                                            "x = Exit s0",
                                            NULL };

/* a condition that is the same in every round, of values that are, too */
static const char *const same_in_every_round[] = { "ei = Enter i",
                                                   "ea = Enter a",
                                                   "ep = Enter p",
                                                   "mi,_ = Merge ei,ni",
                                                   "c = C mi",
                                                   "lc = LoopCond c",
                                                   "s0,s1 = Switch mi,lc",
                                                   "r0,r1 = Switch ea,ep",
                                                   "t = F r1",
                                                   "w,_ = Merge r0,t",
                                                   "b = G s1,w",
                                                   "ni = NextIteration b",
                                                   "x = Exit s0",
                                                   NULL };

/* the same, where one side is a variable of the loop */
static const char *const other_in_one_branch[] = { "ei = Enter i",
                                                   "ea = Enter a",
                                                   "ep = Enter p",
                                                   "mi,_ = Merge ei,ni",
                                                   "c = C mi",
                                                   "lc = LoopCond c",
                                                   "s0,s1 = Switch mi,lc",
                                                   "r0,_ = Switch ea,ep",
                                                   "_,q1 = Switch s1,ep",
                                                   "w,_ = Merge r0,q1",
                                                   "ni = NextIteration w",
                                                   "x = Exit s0",
                                                   NULL };

static const char *const wild[] = { "s0,s1 = Switch a,p", "u0,u1 = Switch a,q",
                                    "x,_ = Merge s0,u1", NULL };

static const char *const which[] = { "s0,s1 = Switch a,p", "x,k = Merge s0,s1",
                                     "y = F k", NULL };

static const struct {
    const char        *name;
    const char *const *lines;
    const char        *outputs;
    const char        *want; /* NULL: refused                                 */
} raised[] = {
    { "If", cond, "x",
      "x:If(p)[t_1:F(a) t_1_1:Identity(t_1) ->t_1_1][a_1:Identity(a) ->a_1] "
      "->x" },
    { "two Ifs of one condition", twice, "z,y",
      "y,x:If(p)[a_2:Identity(a) t_1:F(a) t_1_1:Identity(t_1) ->a_2,t_1_1]"
      "[a_1:Identity(a) e_1:G(a) e_1_1:Identity(e_1) ->a_1,e_1_1] "
      "z:If(p)[v_1:F(x) v_1_1:Identity(v_1) ->v_1_1][x_1:Identity(x) ->x_1] "
      "->z,y" },
    { "Loop", loop, "x",
      "c_1:C(i) x:Loop(,c_1,i)[iteration,keep_going,mi_1| b_1:F(mi_1,k) "
      "c_2:C(b_1) c_2_1:Identity(c_2) b_1_1:Identity(b_1) ->c_2_1,b_1_1] "
      "->x" },
    { "If in Loop", cond_in_loop, "x",
      "c_1:C(i) x:Loop(,c_1,i)[iteration,keep_going,mi_1| q_1:Q(mi_1) "
      "w_1:If(q_1)[t_1:F(mi_1) t_1_1:Identity(t_1) ->t_1_1]"
      "[mi_1_1:Identity(mi_1) ->mi_1_1] c_2:C(w_1) c_2_1:Identity(c_2) "
      "w_1_1:Identity(w_1) ->c_2_1,w_1_1] ->x" },
    { "If of what is the same in every round", same_in_every_round, "x",
      "c_1:C(i) x:Loop(,c_1,i)[iteration,keep_going,mi_1| w_1:If(p)[t_1:F(a) "
      "t_1_1:Identity(t_1) ->t_1_1][a_1:Identity(a) ->a_1] b_1:G(mi_1,w_1) "
      "c_2:C(b_1) c_2_1:Identity(c_2) b_1_1:Identity(b_1) ->c_2_1,b_1_1] "
      "->x" },
    { "If of a variable and of what is not", other_in_one_branch, "x",
      "c_1:C(i) x:Loop(,c_1,i)[iteration,keep_going,mi_1| "
      "w_1:If(p)[mi_1_1:Identity(mi_1) ->mi_1_1][a_1:Identity(a) ->a_1] "
      "c_2:C(w_1) c_2_1:Identity(c_2) w_1_1:Identity(w_1) ->c_2_1,w_1_1] "
      "->x" },
    { "two conditions in one Merge", wild, "x", NULL },
    { "which input came", which, "y",
      "k:If(p)[which_3_1:Size(a) which_4_1:Mul(which_3_1,number_2) "
      "which_5_1:AddV2(which_4_1,number_3) which_5_1_1:Identity(which_5_1) "
      "->which_5_1_1][which_6:Size(a) which_1_1:Mul(which_6,number) "
      "which_2_1:AddV2(which_1_1,number_1) which_2_1_1:Identity(which_2_1) "
      "->which_2_1_1] y:F(k) ->y" },
};

/* ---- dataflow that no structure describes ------------------------------- */

static const char *const stray_exit[] = { "f = F a", "x = Exit f", NULL };
static const char *const bare_exit[]  = { "x = Exit a", NULL };
static const char *const early_exit[] = {
    "ei = Enter i",         "mi,_ = Merge ei,ni", "b = F mi",
    "ni = NextIteration b", "x = Exit mi",        NULL
};
static const char *const two_exits[] = { "ei = Enter i",
                                         "mi,_ = Merge ei,ni",
                                         "c = C mi",
                                         "lc = LoopCond c",
                                         "s0,s1 = Switch mi,lc",
                                         "b = F s1",
                                         "ni = NextIteration b",
                                         "x = Exit s0",
                                         "y = Exit s0",
                                         NULL };
static const char *const two_tests[] = { "ei = Enter i",
                                         "ej = Enter j",
                                         "mi,_ = Merge ei,ni",
                                         "mj,_ = Merge ej,nj",
                                         "c = C mi",
                                         "d = C mj",
                                         "s0,s1 = Switch mi,c",
                                         "r0,r1 = Switch mj,d",
                                         "ni = NextIteration s1",
                                         "nj = NextIteration r1",
                                         "x = Exit s0",
                                         "y = Exit r0",
                                         NULL };
static const char *const no_enter[]  = {
     "mi,_ = Merge i,ni",     "c = C mi",    "s0,s1 = Switch mi,c",
     "ni = NextIteration s1", "x = Exit s0", NULL
};
static const char *const next_outside[] = { "n = NextIteration a", "x = F n",
                                            NULL };
static const char *const merge_of_one[] = { "s0,s1 = Switch a,p",
                                            "x,_ = Merge s0", NULL };
static const char *const same_side[]    = { "s0,s1 = Switch a,p",
                                            "r0,r1 = Switch b,p",
                                            "x,_ = Merge s1,r1", NULL };
static const char *const half_dead[]    = { "s0,s1 = Switch a,p", "x = F s1",
                                            NULL };

static const struct {
    const char        *name;
    const char *const *lines;
    const char        *outputs, *what;
} refused[] = {
    { "an Exit of nothing that turns", stray_exit, "x",
      "x (Exit): no variable of a loop is behind it" },
    { "an Exit of an input", bare_exit, "x",
      "x (Exit): no variable of a loop is behind it" },
    { "a loop without a test", early_exit, "x",
      "x (Exit): no Switch lets it out of its loop" },
    { "a variable that leaves twice", two_exits, "x,y",
      "x (Exit): its variable has left the loop before" },
    { "a loop with two tests", two_tests, "x,y",
      "y (Exit): its loop has two conditions" },
    { "a loop without a frame", no_enter, "x",
      "x (Exit): no variable of a loop is behind it" },
    { "a round outside of a loop", next_outside, "x",
      "n (NextIteration): used outside of its loop" },
    { "a Merge of one", merge_of_one, "x",
      "x (Merge): no condition decides between its inputs" },
    { "a Merge of one side", same_side, "x",
      "x (Merge): no condition decides between its inputs" },
    { "an output that may be dead", half_dead, "x",
      "x (F): it is used where it does not live" },
    { "which input came, unnumbered", which, "y",
      "x (Merge): which of its inputs came is asked for" },
};

static void what_no_structure_describes_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct bench b;
        set_up(&b, "tensorflow");
        fill(&b.net, refused[i].lines, refused[i].outputs);
        assert_int_equal(tn_flow_raise(&b.net), TN_UNSUPPORTED);
        if (strcmp(b.error.what, refused[i].what) != 0)
            fail_msg("%s: %s", refused[i].name, b.error.what);
        tear_down(&b);
    }
}

/* Outputs that nobody named are no outputs when they may be dead; the names of
 * those that stay are theirs. */
static void loose_ends_are_dropped(void **state)
{
    struct bench b;

    (void)state;
    set_up(&b, "tensorflow");
    fill(&b.net, cond, "x,t,s0");
    tn_net_graph(&b.net, 0)->are_outputs_guessed = true;
    assert_int_equal(tn_flow_raise(&b.net), TN_OK);
    assert_string_equal(text_of(&b), raised[0].want);
    tear_down(&b);
}

static void dataflow_becomes_structure(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof raised / sizeof *raised; i++) {
        struct bench b;
        set_up(&b, "tensorflow");
        fill(&b.net, raised[i].lines, raised[i].outputs);
        tn_flow_number(&b.net);
        enum tn_status status = tn_flow_raise(&b.net);
        if (!raised[i].want) {
            assert_int_equal(status, TN_UNSUPPORTED);
        } else {
            if (status != TN_OK)
                fail_msg("%s: %s", raised[i].name, b.error.what);
            if (strcmp(text_of(&b), raised[i].want) != 0)
                fail_msg("%s:\n%s\n%s", raised[i].name, text_of(&b),
                         raised[i].want);
        }
        tear_down(&b);
    }
}

/* Down again: no structure is left, and it can be raised once more to the same
 * number of Ifs and Loops. */
static void count_types(struct tn_net *net, const char *type, uint32_t *count)
{
    for (uint32_t i = 0; i < net->nodes.count; i++)
        if (!tn_net_node(net, i)->is_removed &&
            tn_bytes_is(tn_net_node(net, i)->op->type, type))
            ++*count;
}

static void structure_becomes_dataflow_and_back(void **state)
{
    static const char *const types[] = { "If", "Loop" };

    (void)state;
    for (size_t i = 0; i < sizeof raised / sizeof *raised; i++) {
        struct bench b;
        uint32_t     first[2] = { 0 }, flat[2] = { 0 }, again[2] = { 0 };
        if (!raised[i].want)
            continue;
        set_up(&b, "tensorflow");
        fill(&b.net, raised[i].lines, raised[i].outputs);
        tn_flow_number(&b.net);
        assert_int_equal(tn_flow_raise(&b.net), TN_OK);
        for (int k = 0; k < 2; k++)
            count_types(&b.net, types[k], &first[k]);
        if (tn_flow_lower(&b.net) != TN_OK)
            fail_msg("%s: %s", raised[i].name, b.error.what);
        for (int k = 0; k < 2; k++)
            count_types(&b.net, types[k], &flat[k]);
        assert_int_equal(flat[0] + flat[1], 0);
        if (tn_flow_raise(&b.net) != TN_OK)
            fail_msg("%s: %s", raised[i].name, b.error.what);
        for (int k = 0; k < 2; k++)
            count_types(&b.net, types[k], &again[k]);
        assert_memory_equal(first, again, sizeof first);
        tear_down(&b);
    }
}

static void any_allocation_may_fail(void **state)
{
    (void)state;
    for (uint64_t limit = 1024; limit < 1 << 17; limit += 509) {
        struct bench b;
        set_up(&b, "tensorflow");
        fill(&b.net, cond_in_loop, "x");
        b.memory.limit        = b.memory.used + limit;
        enum tn_status status = tn_flow_raise(&b.net);
        if (status == TN_OK)
            status = tn_flow_lower(&b.net);
        assert_true(status == TN_OK || status == TN_LIMIT);
        b.memory.limit = UINT64_MAX;
        tear_down(&b);
        if (status == TN_OK)
            return;
    }
    fail_msg("never enough");
}

/* ---- real graphs -------------------------------------------------------- */

static bool has_flow(const struct tn_model *model)
{
    for (uint32_t i = 0; i < tn_model_op_kind_count(model); i++)
        if (tn_bytes_is(tn_model_op_kind(model, i)->type, "Merge") ||
            tn_bytes_is(tn_model_op_kind(model, i)->type, "merge"))
            return true;
    return false;
}

static void raise_file(const char *path, const char *dialect, unsigned *count)
{
    struct tn_options options = { .wants_graph = true };
    struct tn_model  *model;
    struct tn_error   error = TN_ERROR_INIT;
    struct bench      b;
    uint32_t          left = 0;

    if (tn_model_open(&model, path, &options, &error) != TN_OK)
        fail_msg("%s: %s", path, error.what);
    if (has_flow(model)) {
        b.error = (struct tn_error)TN_ERROR_INIT;
        tn_memory_init(&b.memory, NULL, 0);
        tn_arena_init(&b.arena, &b.memory);
        tn_net_init(&b.net, &b.arena, dialect, &b.error);
        if (tn_net_load(&b.net, model, NULL) != TN_OK ||
            (*dialect == 't' ? tn_tf_tidy(&b.net, NULL)
                             : tn_flow_raise(&b.net)) != TN_OK)
            fail_msg("%s: %s", path, b.error.what);
        count_types(&b.net, "Merge", &left);
        count_types(&b.net, "merge", &left);
        assert_int_equal(left, 0);
        ++*count;
        tear_down(&b);
    }
    tn_model_close(model);
}

static void raise_folder(const char *folder, const char *tail,
                         const char *dialect, unsigned *count)
{
    DIR           *dir = opendir(folder);
    struct dirent *entry;
    char           path[1024];

    while (dir && (entry = readdir(dir))) {
        snprintf(path, sizeof path, "%s/%s%s", folder, entry->d_name, tail);
        FILE *file = entry->d_name[0] == '.' ? NULL : fopen(path, "rb");
        if (!file)
            continue;
        fclose(file);
        if (*tail || tn_text_ends_with(path, ".fb"))
            raise_file(path, dialect, count);
    }
    if (dir)
        closedir(dir);
}

static void real_graphs_have_structure(void **state)
{
    unsigned tensorflow = 0, nd4j = 0;

    (void)state;
    raise_folder(TN_SHARED_DATA "/tensorflow/import-suite", "/model.pb",
                 "tensorflow", &tensorflow);
    raise_folder(TN_SHARED_DATA "/samediff/libnd4j", "", "nd4j", &nd4j);
    if (!tensorflow && !nd4j)
        puts("skipped: no graphs under ../shared/data");
    else
        printf("%u and %u graphs\n", tensorflow, nd4j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dataflow_becomes_structure),
        cmocka_unit_test(what_no_structure_describes_is_refused),
        cmocka_unit_test(loose_ends_are_dropped),
        cmocka_unit_test(structure_becomes_dataflow_and_back),
        cmocka_unit_test(any_allocation_may_fail),
        cmocka_unit_test(real_graphs_have_structure),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
