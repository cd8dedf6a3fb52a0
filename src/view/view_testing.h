/* view_testing.h - pictures of sketched models, for tests */
#ifndef TN_VIEW_VIEW_TESTING_H
#define TN_VIEW_VIEW_TESTING_H

#include "base/buffer.h"
#include "support/sketch.h"
#include "support/picture_check.h"

struct tn_view_bench {
    struct tn_error   error;
    struct tn_memory  memory;
    struct tn_model   model;
    struct tn_picture picture;
    uint64_t          dims[16];
};

/* A model with these ops (sketch.h); "": none. */
static inline void tn_view_bench_begin(struct tn_view_bench *b, const char *ops)
{
    b->error = (struct tn_error)TN_ERROR_INIT;
    tn_memory_init(&b->memory, NULL, 0);
    tn_model_init(&b->model, &b->memory);
    b->model.dialect = &sketch_dialect;
    if (ops[0])
        sketch_graph(&b->model, TN_GRAPH_MAIN, "graph", ops, &b->error);
    tn_picture_init(&b->picture, &b->model, &b->memory, &b->error);
}

/* A tensor of bytes, for a model without a graph. */
static inline void tn_view_bench_tensor(struct tn_view_bench *b,
                                        const char *name, uint64_t count)
{
    struct tn_tensor *tensor = tn_model_add_tensor(&b->model, &b->error);

    assert_non_null(tensor);
    uint64_t *dims         = &b->dims[b->model.tensors.count - 1];
    *dims                  = count;
    tensor->model          = &b->model;
    tensor->name           = sketch_name(&b->model, name, &b->error);
    tensor->graph          = TN_NONE;
    tensor->node           = TN_NONE;
    tensor->elements.shape = (struct tn_shape){ TN_UINT8, 1, dims };
}

static inline void tn_view_bench_draw(struct tn_view_bench *b)
{
    if (tn_picture_draw(&b->picture) != TN_OK)
        fail_msg("%s", b->error.what);
    tn_check_picture(&b->picture);
}

static inline void tn_view_bench_end(struct tn_view_bench *b)
{
    tn_picture_done(&b->picture);
    tn_model_done(&b->model);
    assert_int_equal(b->memory.used, 0);
}

/* Graphs that any step must survive: loops, a node that takes itself, one value
 * many times, names that are empty, of separators alone, or not UTF-8. */
static const char *const tn_view_hostile[] = {
    "a = Add(b); b = Mul(a); c = Neg(c)",
    "a/b = Relu(x); a = Relu(a/b); a/b/c = Relu(a); a/b/c/ = Relu(a/b/c)",
    "/ = Relu(x); // = Relu(/); /// = Relu(//); . = Relu(///); .. = Relu(.)",
    "a\xff\xfe = Re\xc3lu(x); \xed\xa0\x80/b = Relu(a\xff\xfe)",
    "a = </script><b>(x); b = ]]>&\"(a)",
    "a = Add(x, x, x, x, x, x, x, x); b = Add(a, a, a, a, a, a); a = Neg(b)",
    "a = Const(); b = Shape(a); c = Reshape(a, b); d = Const()",
};

enum { TN_VIEW_HOSTILE = sizeof tn_view_hostile / sizeof *tn_view_hostile };

#endif
