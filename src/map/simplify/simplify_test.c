/* simplify_test.c - fewer nodes, and what has to stay */
#include "map/simplify/simplify.h"

#include <stdio.h>

#include "map/lang/rule_sets.h"
#include "support/hostile.h"
#include "support/net_make.h"
#include "support/net_text.h"

struct fixture {
    struct tn_memory     memory;
    struct tn_arena      arena;
    struct tn_rule_cache cache;
    struct tn_net        nets[18];
    uint32_t             used;
    struct tn_error      error;
    struct tn_simplified did;
};

static struct tn_net *new_net(void *context)
{
    struct fixture *f   = context;
    struct tn_net  *net = &f->nets[f->used++];

    tn_net_init(net, &f->arena, "onnx", &f->error);
    return net;
}

static void set_up(struct fixture *f, const struct tn_allocator *allocator)
{
    *f = (struct fixture){ .error = TN_ERROR_INIT };
    tn_memory_init(&f->memory, allocator, 0);
    tn_arena_init(&f->arena, &f->memory);
}

static void tear_down(struct fixture *f)
{
    for (uint32_t i = 0; i < f->used; i++)
        tn_net_done(&f->nets[i]);
    tn_rule_cache_done(&f->cache);
    tn_arena_done(&f->arena);
    assert_int_equal(f->memory.used, 0);
}

static struct tn_net *run(struct fixture *f, void (*make)(struct tn_net *),
                          uint64_t fold_limit, bool comes_from_afar)
{
    struct tn_net *net = new_net(f);

    tn_rule_cache_init(&f->cache, &f->arena, &f->error);
    net->version = 17;
    if (!tn_failed(&f->error) &&
        tn_net_add_graph(net, TN_GRAPH_MAIN, tn_text("g"), TN_NONE) != TN_NONE)
        make(net);
    if (tn_failed(&f->error))
        return NULL;
    struct tn_simplify_how how = {
        .shapes = tn_rule_cache_shapes(&f->cache, "onnx", &f->error),
        .rules =
            tn_rule_cache_within(&f->cache, "onnx", TN_FOR_LESS, &f->error),
        .layers       = comes_from_afar
                            ? tn_rule_cache_within(&f->cache, "onnx", TN_FOR_LAYERS,
                                                   &f->error)
                            : NULL,
        .new_net      = new_net,
        .fold_limit   = fold_limit ? fold_limit : TN_FOLD_LIMIT,
        .folds_shapes = !fold_limit,
        .context      = f,
    };
    return tn_failed(&f->error) ? NULL : tn_simplify(net, &how, &f->did);
}

static uint32_t pair(struct tn_net *net, const char *type, const char *name,
                     uint32_t a, uint32_t b)
{
    return make_node(net, type, name, (uint32_t[]){ a, b }, 2, NULL, 0);
}

static uint32_t one(struct tn_net *net, const char *type, const char *name,
                    uint32_t a)
{
    return make_node(net, type, name, &a, 1, NULL, 0);
}

static uint32_t input(struct tn_net *net)
{
    return make_input(net, "x", TN_FLOAT32, (int64_t[]){ 2, 3, -2 });
}

/* y = x reshaped to its own shape, plus itself twice over. */
static void make_shapes(struct tn_net *net)
{
    uint32_t x = input(net), s = one(net, "Shape", "s", x);
    uint32_t r = pair(net, "Reshape", "r", one(net, "Identity", "i", x), s);
    uint32_t a = one(net, "Exp", "a", r), b = one(net, "Exp", "b", x);

    tn_net_add_output(net, 0, pair(net, "Add", "y", a, b), tn_text(""));
}

/* Each draws numbers of its own. */
static void make_random(struct tn_net *net)
{
    uint32_t x = input(net);
    uint32_t a = one(net, "RandomNormalLike", "a", x);
    uint32_t b = one(net, "RandomNormalLike", "b", x);

    tn_net_add_output(net, 0, pair(net, "Sub", "y", a, b), tn_text(""));
}

/* What quantises is neither computed nor joined. */
static void make_quantised(struct tn_net *net)
{
    static const int64_t three[] = { 1, 2, 3 };
    uint64_t             count   = 3;
    uint32_t             w =
        tn_net_add_ints(net, 0, tn_text("w"), TN_INT8, three, 1, &count);
    uint32_t scale = tn_net_add_doubles(net, 0, tn_text("k"), TN_FLOAT32,
                                        (double[]){ 0.5 }, 0, NULL);
    uint32_t a     = pair(net, "DequantizeLinear", "a", w, scale);
    uint32_t b     = pair(net, "DequantizeLinear", "b", w, scale);
    uint32_t y = pair(net, "Add", "y", pair(net, "Mul", "m", input(net), a), b);

    tn_net_add_output(net, 0, y, tn_text(""));
}

/* An output is made by a node, whatever it is. */
static void make_outputs(struct tn_net *net)
{
    static const int64_t items[] = { 4, 5 };
    uint32_t             c       = make_ints(net, "c", items, 2);

    input(net);
    tn_net_add_output(net, 0, pair(net, "Add", "y", c, c), tn_text(""));
    tn_net_add_output(net, 0, pair(net, "Add", "z", c, c), tn_text(""));
}

/* 2 KiB of the same number out of 16 bytes. */
static void make_large(struct tn_net *net)
{
    static const int64_t dims[] = { 256 };
    static const int64_t one_[] = { 7 };
    uint64_t             single = 1;
    uint32_t             c =
        tn_net_add_ints(net, 0, tn_text("c"), TN_INT64, one_, 1, &single);
    uint32_t large = pair(net, "Expand", "e", c, make_ints(net, "d", dims, 1));
    uint32_t x     = make_input(net, "x", TN_INT64, (int64_t[]){ 256, -2 });

    tn_net_add_output(net, 0, pair(net, "Gather", "y", x, large), tn_text(""));
}

/* A product with what is computed of sizes, a difference with what is computed
 * of constants. */
static void make_sizes(struct tn_net *net)
{
    uint32_t x = input(net);
    uint32_t c = make_ints(net, "c", (int64_t[]){ 1, 3, 2 }, 3);
    uint32_t s = pair(net, "Add", "s", c, c);
    uint32_t t = pair(net, "Add", "t", one(net, "Size", "n", x),
                      make_ints(net, "k", (int64_t[]){ 5 }, 1));
    uint32_t y = make_input(net, "y0", TN_INT64, (int64_t[]){ 2, 3, -2 });

    tn_net_add_output(net, 0,
                      pair(net, "Mul", "y", pair(net, "Sub", "r", y, s), t),
                      tn_text(""));
}

static uint32_t make_image(struct tn_net *net)
{
    return make_input(net, "x", TN_FLOAT32, (int64_t[]){ 1, 2, 4, 4, -2 });
}

static uint32_t make_reals(struct tn_net *net, const char *name,
                           const double *items, uint32_t rank,
                           const uint64_t *dims)
{
    return tn_net_add_doubles(net, 0, tn_text(name), TN_FLOAT32, items, rank,
                              dims);
}

static uint32_t make_weights(struct tn_net *net, const char *name)
{
    return make_reals(net, name, (double[]){ 1, 2, 3, 4 }, 4,
                      (uint64_t[]){ 2, 2, 1, 1 });
}

static uint32_t make_factors(struct tn_net *net)
{
    return make_reals(net, "c", (double[]){ 0.5, 8 }, 3,
                      (uint64_t[]){ 2, 1, 1 });
}

/* Factors of the channels go into the weights. */
static void make_scaled(struct tn_net *net)
{
    uint32_t conv =
        pair(net, "Conv", "a", make_image(net), make_weights(net, "w"));

    tn_net_add_output(net, 0, pair(net, "Mul", "y", conv, make_factors(net)),
                      tn_text(""));
}

/* Not into those of others. */
static void make_tied(struct tn_net *net)
{
    uint32_t x = make_image(net), w = make_weights(net, "w");
    uint32_t c = make_factors(net), b = pair(net, "Conv", "b", x, w);
    uint32_t a = pair(net, "Mul", "m", pair(net, "Conv", "a", b, w), c);

    tn_net_add_output(net, 0, a, tn_text(""));
}

/* Equal weights of 64 bytes and more are one. */
static void make_equal(struct tn_net *net)
{
    double   items[40] = { 1, 2, 3 };
    uint64_t many      = 40;
    uint32_t x = make_input(net, "x", TN_FLOAT32, (int64_t[]){ 3, 40, -2 });
    uint32_t u = make_reals(net, "u", items, 1, &many);
    uint32_t v = make_reals(net, "v", items, 1, &many);
    items[39]  = 1; /* begins alike */
    uint32_t w = make_reals(net, "w", items, 1, &many);

    x = pair(net, "Mul", "a", pair(net, "Add", "b", x, u), v);
    tn_net_add_output(net, 0, pair(net, "Sub", "y", x, w), tn_text(""));
}

/* A weight that is transposed and too large to be computed. */
static void make_transposed(struct tn_net *net)
{
    static double items[70000];
    uint32_t      x = make_input(net, "x", TN_FLOAT32, (int64_t[]){ 1, 7, -2 });
    uint32_t      w = make_reals(net, "w", items, 2, (uint64_t[]){ 10000, 7 });
    uint32_t y = pair(net, "MatMul", "y", x, one(net, "Transpose", "t", w));

    tn_net_add_output(net, 0, y, tn_text(""));
}

/* -(-x) and, over the same nodes, -(-(-x)): each is a pattern, and what one of
 * them leaves out is what the other one needs. */
static void make_overlapping(struct tn_net *net)
{
    uint32_t a = one(net, "Neg", "a", input(net)), b = one(net, "Neg", "b", a);
    uint32_t y = one(net, "Exp", "y", b);
    uint32_t z = one(net, "Exp", "z", one(net, "Neg", "c", b));

    tn_net_add_output(net, 0, y, tn_text(""));
    tn_net_add_output(net, 0, z, tn_text(""));
}

/* y = if c then -x else exp(x) */
static void make_choice(struct tn_net *net, int64_t condition)
{
    static const int64_t     graphs[] = { 1, 2 };
    const struct tn_net_attr attrs[]  = {
         { tn_text("then_branch"),
           { .kind = TN_ATTR_GRAPH, .count = 1, .of.ints = &graphs[0] } },
         { tn_text("else_branch"),
           { .kind = TN_ATTR_GRAPH, .count = 1, .of.ints = &graphs[1] } },
    };
    uint32_t x = input(net);
    uint32_t c =
        tn_net_add_ints(net, 0, tn_text("c"), TN_BOOL, &condition, 0, NULL);

    for (uint32_t i = 1; i < 3; i++) {
        tn_net_add_graph(net, TN_GRAPH_SUBGRAPH, tn_text("b"), 0);
        uint32_t z = one(net, i == 1 ? "Neg" : "Exp", i == 1 ? "n" : "e", x);
        if (tn_failed(net->error))
            return;
        uint32_t node = (uint32_t)net->nodes.count - 1;
        tn_net_graph(net, 0)->nodes.count--;
        tn_net_move_node(net, node, i);
        tn_net_add_output(net, i, z, tn_text(""));
    }
    tn_net_add_output(net, 0, make_node(net, "If", "y", &c, 1, attrs, 2),
                      tn_text("y"));
}

static void make_true(struct tn_net *net)
{
    make_choice(net, 1);
}

static void make_false(struct tn_net *net)
{
    make_choice(net, 0);
}

/* y = exp(x), of any size, as rows of two: the first size is asked of x. */
static void make_any_size_by(struct tn_net *net, const char *op, int64_t last)
{
    static const int64_t size = 7, zero = 0;
    uint64_t             one_   = 1;
    int64_t              rest[] = { -1, last };
    uint32_t x = make_input(net, "x", TN_FLOAT32, (int64_t[]){ -1, -1, 4, -2 });
    uint32_t z = make_input(net, "z", TN_FLOAT32, (int64_t[]){ -1, 1, 1, -2 });
    uint32_t e = op[0] == 'A' ? pair(net, op, "e", x, z) : one(net, op, "e", x);
    const struct tn_net_attr to    = make_int("to", &size);
    uint32_t                 shape = one(net, "Shape", "s", x);
    uint32_t                 first =
        pair(net, "Gather", "f", make_node(net, "Cast", "t", &shape, 1, &to, 1),
             tn_net_add_ints(net, 0, tn_text("k"), TN_INT64, &zero, 1, &one_));
    const struct tn_net_attr axis = make_int("axis", &zero);
    if (op[0] == 'N') /* the number of rows, with another sign */
        first = one(net, op, "n", first);
    uint32_t pieces[] = { first, make_ints(net, "r", rest, 2) };
    uint32_t to_shape = make_node(net, "Concat", "c", pieces, 2, &axis, 1);

    tn_net_add_output(net, 0, pair(net, "Reshape", "y", e, to_shape),
                      tn_text(""));
}

static void make_any_size(struct tn_net *net)
{
    make_any_size_by(net, "Exp", 2);
}

static void make_minus_size(struct tn_net *net)
{
    make_any_size_by(net, "Neg", 2);
}

/* The sum may have more rows than x. */
static void make_other_size(struct tn_net *net)
{
    make_any_size_by(net, "Add", 2);
}

/* x [?, ?, 4] as rows, times w, plus b, and with its axes again; `spy`: another
 * user of the rows. */
static void make_rows_by(struct tn_net *net, const char *spy)
{
    static const int64_t     flat[] = { -1, 4 }, two[] = { 0, 1 };
    const struct tn_net_attr axis = {
        tn_text("axis"), { .kind = TN_ATTR_INT, .count = 1, .of.ints = &two[0] }
    };
    uint32_t x = make_input(net, "x", TN_FLOAT32, (int64_t[]){ -1, -1, 4, -2 });
    uint32_t w = make_input(net, "w", TN_FLOAT32, (int64_t[]){ 4, 2, -2 });
    uint32_t b = make_input(net, "b", TN_FLOAT32, (int64_t[]){ 2, -2 });
    uint32_t r = pair(net, "Reshape", "r", x, make_ints(net, "f", flat, 2));
    uint32_t of[]      = { r, w, b };
    uint32_t p         = make_node(net, "Gemm", "p", of, 3, NULL, 0);
    uint32_t d         = pair(net, "Gather", "d", one(net, "Shape", "s", x),
                              make_ints(net, "k", two, 2));
    uint32_t of_dims[] = { d, make_ints(net, "n", (int64_t[]){ 2 }, 1) };
    uint32_t c         = make_node(net, "Concat", "c", of_dims, 2, &axis, 1);

    tn_net_add_output(net, 0,
                      pair(net, "Reshape", "y", one(net, "Relu", "a", p), c),
                      tn_text(""));
    if (spy)
        tn_net_add_output(net, 0, one(net, spy, "z", p), tn_text(""));
}

static void make_rows(struct tn_net *net)
{
    make_rows_by(net, NULL);
}

static void make_seen_rows(struct tn_net *net)
{
    make_rows_by(net, "ReduceMax");
}

/* Sizes of x in 32 bits for a while; `spy` as above. */
static void make_short_sizes_by(struct tn_net *net, const char *spy)
{
    static const int64_t     six = 6, seven = 7, last = 1, many = 3;
    const struct tn_net_attr narrow = {
        tn_text("to"), { .kind = TN_ATTR_INT, .count = 1, .of.ints = &six }
    };
    const struct tn_net_attr wide = {
        tn_text("to"), { .kind = TN_ATTR_INT, .count = 1, .of.ints = &seven }
    };
    uint32_t x = make_input(net, "x", TN_FLOAT32, (int64_t[]){ -1, -1, -2 });
    uint32_t s = one(net, "Shape", "s", x);
    uint32_t h = make_node(net, "Cast", "h", &s, 1, &narrow, 1);
    uint32_t g =
        pair(net, "Gather", "g", h,
             tn_net_add_ints(net, 0, tn_text("k"), TN_INT64, &last, 0, NULL));
    uint32_t m =
        pair(net, "Mul", "m", g,
             tn_net_add_ints(net, 0, tn_text("t"), TN_INT32, &many, 0, NULL));
    uint32_t n = make_node(net, "Cast", "n", &m, 1, &wide, 1);

    tn_net_add_output(net, 0,
                      pair(net, "Expand", "y", one(net, "ReduceMax", "q", x),
                           pair(net, "Unsqueeze", "u", n,
                                make_ints(net, "z", (int64_t[]){ 0 }, 1))),
                      tn_text(""));
    if (spy)
        tn_net_add_output(net, 0, one(net, spy, "v", m), tn_text(""));
}

static void make_short_sizes(struct tn_net *net)
{
    make_short_sizes_by(net, NULL);
}

static void make_seen_sizes(struct tn_net *net)
{
    make_short_sizes_by(net, "Neg");
}

/* x / 2 (1 + erf(x)), written from the inside out. */
static void make_half(struct tn_net *net)
{
    uint32_t x = input(net);
    uint32_t h = make_reals(net, "h", (double[]){ 0.5 }, 0, NULL);
    uint32_t o = make_reals(net, "o", (double[]){ 1 }, 0, NULL);
    uint32_t a = pair(net, "Add", "a", o, one(net, "Erf", "e", x));

    tn_net_add_output(net, 0,
                      pair(net, "Mul", "y", x, pair(net, "Mul", "m", h, a)),
                      tn_text(""));
}

/* A node of one or two inputs in graph 1, of which a type is known. */
static uint32_t inside(struct tn_net *net, const char *type, const char *name,
                       uint32_t a, uint32_t b)
{
    uint32_t made =
        b == TN_NONE ? one(net, type, name, a) : pair(net, type, name, a, b);

    if (!tn_failed(net->error)) {
        tn_net_graph(net, 0)->nodes.count--;
        tn_net_move_node(net, (uint32_t)net->nodes.count - 1, 1);
    }
    return made;
}

static uint32_t body_input(struct tn_net *net, const char *name,
                           enum tn_dtype dtype)
{
    uint32_t id = tn_net_add_value(net, 1, tn_text(name));

    if (id == TN_NONE)
        return id;
    tn_net_set_type(net, id,
                    &(struct tn_net_type){ .dtype = dtype, .has_rank = true });
    tn_net_add_input(net, 1, id, tn_text(""));
    return id;
}

/* i = 0; while (i < n && go) { x = x + w * i; i = i + step; } */
static void make_counted_by(struct tn_net *net, int64_t step)
{
    static const int64_t     body = 1, zero = 0;
    const struct tn_net_attr attr = {
        tn_text("body"), { .kind = TN_ATTR_GRAPH, .count = 1, .of.ints = &body }
    };
    static const int64_t none[] = { -2 };
    uint32_t             n      = make_input(net, "n", TN_INT64, none);
    uint32_t             go     = make_input(net, "go", TN_BOOL, none);
    uint32_t             x      = make_input(net, "x", TN_INT64, none);
    uint32_t             w      = make_input(net, "w", TN_INT64, none);
    uint32_t             from =
        tn_net_add_ints(net, 0, tn_text("zero"), TN_INT64, &zero, 0, NULL);
    uint32_t by =
        tn_net_add_ints(net, 0, tn_text("by"), TN_INT64, &step, 0, NULL);
    uint32_t c = pair(net, "And", "c", pair(net, "Less", "l", from, n), go);

    tn_net_add_graph(net, TN_GRAPH_SUBGRAPH, tn_text("b"), 0);
    body_input(net, "t", TN_INT64);
    body_input(net, "k", TN_BOOL);
    uint32_t i  = body_input(net, "i", TN_INT64);
    uint32_t v  = body_input(net, "v", TN_INT64);
    uint32_t g  = body_input(net, "g", TN_BOOL);
    uint32_t m  = body_input(net, "m", TN_INT64);
    uint32_t i1 = inside(net, "Add", "i1", i, by);
    uint32_t l1 = inside(net, "Less", "l1", i1, n);
    uint32_t v1 = inside(net, "Add", "v1", v, inside(net, "Mul", "p", m, i));
    tn_net_add_output(net, 1, inside(net, "And", "c1", l1, g), tn_text(""));
    tn_net_add_output(net, 1, i1, tn_text(""));
    tn_net_add_output(net, 1, v1, tn_text(""));
    tn_net_add_output(net, 1, g, tn_text(""));
    tn_net_add_output(net, 1, m, tn_text(""));
    uint32_t outputs[4];
    for (int k = 0; k < 4; k++)
        outputs[k] = tn_net_add_value(net, 0, tn_text("y"));
    tn_net_add_node(net,
                    &(struct tn_net_node){
                        .op     = tn_net_own_op(net, "Loop"),
                        .inputs = (uint32_t[]){ TN_NONE, c, from, x, go, w },
                        .input_count  = 6,
                        .outputs      = outputs,
                        .output_count = 4,
                        .attrs        = &attr,
                        .attr_count   = 1,
                        .source       = TN_NONE });
    tn_net_add_output(net, 0, outputs[1], tn_text("y"));
}

static void make_counted(struct tn_net *net)
{
    make_counted_by(net, 1);
}

static void make_counted_by_two(struct tn_net *net)
{
    make_counted_by(net, 2);
}

struct row {
    const char *name;
    void (*make)(struct tn_net *);
    uint64_t    fold_limit; /* 0: only what follows from shapes */
    const char *net;
};

static const struct row cases[] = {
    { "shapes", make_shapes, TN_FOLD_LIMIT, "a:Exp(x) y:Add(a,a) ->y" },
    { "random", make_random, TN_FOLD_LIMIT,
      "a:RandomNormalLike(x) b:RandomNormalLike(x) y:Sub(a,b) ->y" },
    { "quantised", make_quantised, TN_FOLD_LIMIT,
      "a:DequantizeLinear(w,k) b:DequantizeLinear(w,k) m:Mul(x,a) y:Add(m,b) "
      "->y" },
    { "outputs", make_outputs, TN_FOLD_LIMIT, "y:Add(c,c) z:Add(c,c) ->y,z" },
    { "large", make_large, TN_FOLD_LIMIT, "y:Gather(x,e) ->y" },
    { "too large", make_large, 1024, "e:Expand(c,d) y:Gather(x,e) ->y" },
    { "sizes alone", make_sizes, 0, "s:Add(c,c) r:Sub(y0,s) y:Mul(r,t) ->y" },
    { "sizes and constants", make_sizes, TN_FOLD_LIMIT,
      "r:Sub(y0,s) y:Mul(r,t) ->y" },
    { "scaled", make_scaled, TN_FOLD_LIMIT, "y:Conv(x,w) ->y" },
    { "tied", make_tied, TN_FOLD_LIMIT,
      "b:Conv(x,w) a:Conv(b,w) m:Mul(a,c) ->m" },
    { "equal", make_equal, TN_FOLD_LIMIT,
      "b:Add(x,u) a:Mul(b,u) y:Sub(a,w) ->y" },
    { "transposed", make_transposed, TN_FOLD_LIMIT, "y:MatMul(x,t) ->y" },
    { "overlapping", make_overlapping, TN_FOLD_LIMIT,
      "a:Neg(x) y:Exp(x) z:Exp(a) ->y,z" },
    { "any size", make_any_size, TN_FOLD_LIMIT,
      "e:Exp(x) y:Reshape(e,c_1) ->y" },
    { "less than no size", make_minus_size, TN_FOLD_LIMIT,
      "e:Neg(x) s:Shape(x) f:Gather(s,k) n:Neg(f) c:Concat(n,r) "
      "y:Reshape(e,c) ->y" },
    { "another size", make_other_size, TN_FOLD_LIMIT,
      "e:Add(x,z) s:Shape(x) f:Gather(s,k) c:Concat(f,r) y:Reshape(e,c) ->y" },
    { "rows", make_rows, TN_FOLD_LIMIT,
      "p_1:MatMul(x,w) p:Add(p_1,b) a:Relu(p) ->a" },
    { "rows that others use", make_seen_rows, TN_FOLD_LIMIT,
      "r:Reshape(x,f) p:Gemm(r,w,b) s:Shape(x) d:Gather(s,k) c:Concat(d,n) "
      "a:Relu(p) "
      "y:Reshape(a,c) z:ReduceMax(p) ->y,z" },
    { "half of our own", make_half, TN_FOLD_LIMIT,
      "e:Erf(x) a:Add(o,e) m:Mul(h,a) y:Mul(x,m) ->y" },
    { "counted", make_counted, TN_FOLD_LIMIT,
      "y_1:Loop(n,go,x)[t,k,v| p:Mul(w,t) v1:Add(v,p) ->go,v1] ->y_1" },
    { "counted by two", make_counted_by_two, TN_FOLD_LIMIT,
      "l:Less(zero,n) c:And(l,go) y,y_1:Loop(,c,zero,x)[t,k,i,v| i1:Add(i,by) "
      "l1:Less(i1,n) p:Mul(w,i) v1:Add(v,p) c1:And(l1,go) ->c1,i1,v1] ->y_1" },
    { "true", make_true, TN_FOLD_LIMIT, "n:Neg(x) ->n" },
    { "false", make_false, TN_FOLD_LIMIT, "e:Exp(x) ->e" },
};

/* Of graphs that come from another dialect. */
static const struct row from_afar[] = {
    { "short sizes", make_short_sizes, TN_FOLD_LIMIT,
      "s:Shape(x) g:Gather(s,k) m:Mul(g,t_1) u:Unsqueeze(m,z) q:ReduceMax(x) "
      "y:Expand(q,u) ->y" },
    { "short sizes that others use", make_seen_sizes, TN_FOLD_LIMIT,
      "s:Shape(x) h:Cast(s) g:Gather(h,k) m:Mul(g,t) n:Cast(m) "
      "u:Unsqueeze(n,z) q:ReduceMax(x) y:Expand(q,u) v:Neg(m) ->y,v" },
    { "half", make_half, TN_FOLD_LIMIT,
      "y/Mul:Mul(x,h) y/Erf:Erf(x) y/Add:Add(y/Erf,y/const) y:Mul(y/Mul,y/Add) "
      "->y" },
};

static void run_row(const struct row *row, bool comes_from_afar)
{
    struct fixture   f;
    struct tn_buffer text;

    set_up(&f, NULL);
    struct tn_net *net = run(&f, row->make, row->fold_limit, comes_from_afar);
    if (!net)
        fail_msg("%s: %s", row->name, f.error.what);
    tn_buffer_init(&text, &f.memory, &f.error);
    net_text_graph(&text, net, 0);
    if (strcmp(tn_buffer_string(&text), row->net) != 0)
        fail_msg("%s: %s", row->name, tn_buffer_string(&text));
    tn_buffer_done(&text);
    tear_down(&f);
}

static void test_graphs(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        run_row(&cases[i], false);
    for (size_t i = 0; i < sizeof from_afar / sizeof from_afar[0]; i++)
        run_row(&from_afar[i], true);
}

/* Elements of the constant that is input 1 of the only node. */
static void test_weights(void **state)
{
    static const float wanted[] = { 0.5F, 1, 24, 32 };
    struct fixture     f;
    struct tn_buffer   bytes;

    (void)state;
    set_up(&f, NULL);
    const struct tn_net *net = run(&f, make_scaled, TN_FOLD_LIMIT, false);
    assert_non_null(net);
    uint32_t node = *tn_list_at(&tn_net_graph(net, 0)->nodes, uint32_t, 0);
    const struct tn_net_value w =
        tn_net_value(net, tn_net_node(net, node).inputs[1]);
    tn_buffer_init(&bytes, &f.memory, &f.error);
    assert_int_equal(
        tn_payload_stream(w.constant, 0, 4, &f.memory, &bytes.sink, &f.error),
        TN_OK);
    assert_memory_equal(bytes.data, wanted, sizeof wanted);
    tn_buffer_done(&bytes);
    tear_down(&f);
}

/* Simplified again, it stays what it is. */
static void test_it_ends(void **state)
{
    struct fixture f;

    (void)state;
    set_up(&f, NULL);
    assert_non_null(run(&f, make_shapes, TN_FOLD_LIMIT, false));
    assert_true(f.did.rounds >= 2 && f.did.rounds <= 4);
    assert_int_equal(f.did.folded, 1);
    assert_int_equal(f.did.shared, 1);
    tear_down(&f);
}

static void fail_allocations(void (*make)(struct tn_net *))
{
    for (uint64_t n = 0;; n += 1 + n / 16) {
        struct tn_budget    budget    = { .left = n };
        struct tn_allocator allocator = { tn_budget_resize, &budget };
        struct fixture      f;

        set_up(&f, &allocator);
        bool is_done = run(&f, make, TN_FOLD_LIMIT, true) != NULL;
        if (!is_done)
            assert_int_equal(f.error.status, TN_NO_MEMORY);
        tear_down(&f);
        assert_int_equal(budget.blocks, 0);
        if (is_done)
            break;
    }
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    fail_allocations(make_shapes);
    fail_allocations(make_scaled);
    fail_allocations(make_equal);
    fail_allocations(make_true);
    fail_allocations(make_counted);
    fail_allocations(make_rows);
    fail_allocations(make_short_sizes);
    fail_allocations(make_half);
    fail_allocations(make_any_size);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_graphs),
        cmocka_unit_test(test_weights),
        cmocka_unit_test(test_it_ends),
        cmocka_unit_test(test_every_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
