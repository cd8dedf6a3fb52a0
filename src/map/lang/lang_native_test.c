/* lang_native_test.c - rules whose body is a function in C */
#include "map/lang/lang_native.h"
#include "map/net/net_build.h"

#include <stdio.h>

#include "support/hostile.h"
#include "support/net_make.h"
#include "support/net_text.h"
#include "support/rule_bench.h"

#define RULES "rules onnx -> nd4j 1\n"

/* y = Relu(x, w; axis 1), where w = [3, 1] is a constant and x float32[2, ?].
 */
static const int64_t one = 1;

static void make_net(struct tn_net *net)
{
    static const int64_t items[] = { 3, 1 };

    if (tn_net_add_graph(net, TN_GRAPH_MAIN, tn_text("g"), TN_NONE) == TN_NONE)
        return;
    uint32_t x = make_input(net, "x", TN_FLOAT32, (int64_t[]){ 2, -1, -2 });
    uint32_t w = make_ints(net, "w", items, 2);
    struct tn_net_attr axis = make_int("axis", &one);
    uint32_t y = make_node(net, "Relu", "y", (uint32_t[]){ x, w }, 2, &axis, 1);
    if (!tn_failed(net->error))
        tn_net_add_output(net, 0, y, tn_text(""));
}

static enum tn_status apply(struct bench *b, struct tn_bytes rules,
                            const struct tn_native *functions, uint32_t count)
{
    return apply_rules(b, make_net, rules, functions, count);
}

/* ---- functions ---------------------------------------------------------- */

/* lrelu(x + [3, 1, axis]; alpha: rank) */
static enum tn_status grow(void *context, struct tn_native_call *call,
                           struct tn_error *error)
{
    uint32_t              x = tn_native_input(call, 0), sum, y, c;
    struct tn_native_type type;
    struct tn_attr_value  items, axis;
    int64_t               numbers[3];
    uint64_t              three = 3;

    (void)context;
    if (!tn_native_type(call, x, &type) || !type.has_rank ||
        !tn_native_elements(call, tn_native_input(call, 1), &items) ||
        !tn_native_attr(call, "axis", &axis) || items.count != 2) {
        tn_native_refuse(call, "too little is known");
        return TN_OK;
    }
    memcpy(numbers, items.of.ints, sizeof *numbers * 2);
    numbers[2]                = axis.of.ints[0];
    struct tn_attr_value list = { .kind    = TN_ATTR_INT,
                                  .count   = 3,
                                  .of.ints = numbers };
    TN_TRY(tn_native_constant(call, TN_FLOAT32, &list, &three, 1, &c, error));
    struct tn_native_node add = { "add", (uint32_t[]){ x, c }, 2, NULL, 0 };
    TN_TRY(tn_native_make(call, &add, &sum, 1, error));
    int64_t               rank  = type.rank;
    struct tn_native_attr alpha = {
        "alpha", { .kind = TN_ATTR_INT, .count = 1, .of.ints = &rank }
    };
    struct tn_native_node lrelu = { "lrelu", &sum, 1, &alpha, 1 };
    TN_TRY(tn_native_make(call, &lrelu, &y, 1, error));
    return tn_native_bind(call, 0, y, error);
}

static enum tn_status refuse_silently(void                  *context,
                                      struct tn_native_call *call,
                                      struct tn_error       *error)
{
    (void)context;
    tn_native_refuse(call, NULL);
    return error->status;
}

static enum tn_status refuse_late(void *context, struct tn_native_call *call,
                                  struct tn_error *error)
{
    uint32_t              x   = tn_native_input(call, 0), y;
    struct tn_native_node neg = { "neg", &x, 1, NULL, 0 };

    (void)context;
    TN_TRY(tn_native_make(call, &neg, &y, 1, error));
    tn_native_refuse(call, "not today");
    return tn_native_bind(call, 0, y, error);
}

static enum tn_status pass_on(void *context, struct tn_native_call *call,
                              struct tn_error *error)
{
    (void)context;
    assert_int_equal(tn_native_input_count(call), 2);
    assert_int_equal(tn_native_input(call, 2), TN_NONE);
    assert_int_equal(tn_native_output_count(call), 1);
    return tn_native_bind(call, 0, tn_native_input(call, 0), error);
}

static enum tn_status nothing(void *context, struct tn_native_call *call,
                              struct tn_error *error)
{
    (void)context;
    (void)call;
    (void)error;
    return TN_OK;
}

static enum tn_status endless(void *context, struct tn_native_call *call,
                              struct tn_error *error)
{
    uint32_t x = tn_native_input(call, 0);

    (void)context;
    for (int i = 0; i < 20000; i++) {
        struct tn_native_node neg = { "neg", &x, 1, NULL, 0 };
        TN_TRY(tn_native_make(call, &neg, &x, 1, error));
    }
    return tn_native_bind(call, 0, x, error);
}

static enum tn_status give_up(void *context, struct tn_native_call *call,
                              struct tn_error *error)
{
    (void)context;
    (void)call;
    (void)error;
    return TN_UNSUPPORTED;
}

static enum tn_status bind_far(void *context, struct tn_native_call *call,
                               struct tn_error *error)
{
    (void)context;
    return tn_native_bind(call, 7, 0, error);
}

static enum tn_status use_stranger(void *context, struct tn_native_call *call,
                                   struct tn_error *error)
{
    uint32_t              x   = 7, y;
    struct tn_native_node neg = { "neg", &x, 1, NULL, 0 };

    (void)context;
    return tn_native_make(call, &neg, &y, 1, error);
}

static enum tn_status make_strange(void *context, struct tn_native_call *call,
                                   struct tn_error *error)
{
    uint32_t              y;
    struct tn_native_node node = { context, NULL, 0, NULL, 0 };

    return tn_native_make(call, &node, &y, 1, error);
}

static enum tn_status set_strange(void *context, struct tn_native_call *call,
                                  struct tn_error *error)
{
    uint32_t              y;
    struct tn_native_attr attr = {
        context, { .kind = TN_ATTR_INT, .count = 1, .of.ints = &one }
    };
    struct tn_native_node node = { "lrelu", NULL, 0, &attr, 1 };

    return tn_native_make(call, &node, &y, 1, error);
}

static enum tn_status badly_shaped(void *context, struct tn_native_call *call,
                                   struct tn_error *error)
{
    uint64_t             dims[] = { UINT64_C(1) << 63, 2 };
    uint32_t             c;
    struct tn_attr_value list = { .kind = TN_ATTR_INT, .of.ints = &one };

    (void)context;
    return tn_native_constant(call, TN_INT64, &list, dims, 2, &c, error);
}

static char no_op[] = "noSuchOp", no_attr[] = "noSuchAttr";

static const struct tn_native functions[] = {
    { "grow", grow, NULL },
    { "refuse_late", refuse_late, NULL },
    { "refuse_silently", refuse_silently, NULL },
    { "pass_on", pass_on, NULL },
    { "nothing", nothing, NULL },
    { "endless", endless, NULL },
    { "give_up", give_up, NULL },
    { "bind_far", bind_far, NULL },
    { "use_stranger", use_stranger, NULL },
    { "make_strange", make_strange, no_op },
    { "set_strange", set_strange, no_attr },
    { "badly_shaped", badly_shaped, NULL },
};

#define COUNT (uint32_t)(sizeof functions / sizeof *functions)

/* ---- claims ------------------------------------------------------------- */

static const struct {
    const char *rules, *what; /* the net, "!" and a reason, "?" and an error */
} cases[] = {
    { "Relu(X, w; axis) => native grow",
      "y/add:add(x,y/const) y:lrelu(y/add) ->y" },
    { "Relu(X, w; axis) => native refuse_late\nRelu(X, w; axis) => neg(X)",
      "y:neg(x) ->y" },
    { "Relu(X, w; axis) => native refuse_late", "!2:1 not today" },
    { "Relu(X, w; axis) => native refuse_silently",
      "!2:1 the function gives no reason" },
    { "Relu(X, w; axis) -> (ys...) => native pass_on", "->x" },
    { "Relu(X, w; axis) => native nothing",
      "!2:1 nothing is bound to its output" },
    { "Relu(X, w; axis) => native endless", "!2:1 more than 10000 nodes" },
    { "Relu(X, w; axis) => native unheard", "!2:1 unknown function 'unheard'" },
    { "Relu(X, w; -axis) => native grow", "!2:1 too little is known" },
    { "Relu(X, w; axis) => native give_up", "?function 'give_up' failed" },
    { "Relu(X, w; axis) => native bind_far",
      "?function 'bind_far': it binds an output that the rule does not have" },
    { "Relu(X, w; axis) => native use_stranger",
      "?function 'use_stranger': an input is not a value of this call" },
    { "Relu(X, w; axis) => native make_strange",
      "?function 'make_strange': it makes an op that the target does not "
      "have" },
    { "Relu(X, w; axis) => native set_strange",
      "?function 'set_strange': it sets an attribute that the op does not "
      "have" },
    { "Relu(X, w; axis) => native badly_shaped",
      "?function 'badly_shaped': the dims of a constant do not fit" },
};

static void print(struct bench *b, char *to, size_t size)
{
    struct tn_buffer text;
    uint32_t         count;

    if (tn_failed(&b->error)) {
        snprintf(to, size, "?%s", b->error.what);
        return;
    }
    if (!tn_map_rule(&b->report, 0)) {
        const struct tn_map_reason *reason =
            tn_map_reasons(&b->report, 0, &count);
        snprintf(to, size, "!%u:%u %s", reason->place.line,
                 reason->place.column, reason->text);
        return;
    }
    tn_buffer_init(&text, &b->memory, &b->error);
    net_text_graph(&text, &b->to, 0);
    snprintf(to, size, "%.*s", TN_FMT(tn_buffer_bytes(&text)));
    tn_buffer_done(&text);
}

static void test_what_functions_do(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bench b;
        char         rules[400], result[400];
        set_up(&b);
        snprintf(rules, sizeof rules, RULES "%s", cases[i].rules);
        apply(&b, tn_text(rules), functions, COUNT);
        print(&b, result, sizeof result);
        assert_string_equal(result, cases[i].what);
        tear_down(&b);
    }
}

/* The target's vocabulary makes a double of an int. */
static void test_attributes_are_what_the_target_wants(void **state)
{
    struct bench b;

    (void)state;
    set_up(&b);
    assert_int_equal(apply(&b, tn_text(RULES "Relu(X, w; axis) => native grow"),
                           functions, COUNT),
                     TN_OK);
    const struct tn_attr_value *alpha = tn_net_attr_of(&b.to, 1, "alpha");
    assert_int_equal(alpha->kind, TN_ATTR_DOUBLE);
    assert_true(alpha->of.doubles[0] == 2.0);
    tear_down(&b);
}

static enum tn_status apply_any(struct tn_bytes input, struct tn_memory *memory,
                                struct tn_error *error)
{
    struct bench b = { .error = TN_ERROR_INIT };

    tn_memory_init(&b.memory, &memory->allocator, memory->limit);
    tn_arena_init(&b.arena, &b.memory);
    apply(&b, input, functions, COUNT);
    *error = b.error;
    tear_down(&b);
    return error->status;
}

static void test_no_memory(void **state)
{
    (void)state;
    tn_survives_no_memory(apply_any,
                          tn_text(RULES "Relu(X, w; axis) => native grow"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_functions_do),
        cmocka_unit_test(test_attributes_are_what_the_target_wants),
        cmocka_unit_test(test_no_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
