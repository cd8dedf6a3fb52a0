/*
 * one_program.c - a program of Paddle that has nothing but one operator
 *
 *   ProgramDesc  1 blocks*  4 version { 1 version }
 *   BlockDesc    1 idx  2 parent_idx  3 vars*  4 ops*
 *   VarDesc      1 name  2 type { 1 type  3 lod_tensor { 1 tensor {
 *                1 data_type  2 dims* } } }  3 persistable
 *   OpDesc       1 inputs*  2 outputs* { 1 parameter  2 arguments* }  3 type
 *                4 attrs* { 1 name  2 type  3 i  6 ints*  7 floats*
 *                           15 longs* }
 *
 * Inputs are fed, those with a value are made by assign_value; all outputs are
 * fetched.
 */
#include "base/number.h"
#include "engine/bare_node.h"
#include "engine/one_node.h"
#include "format/paddle/paddle.h"
#include "wire/lod/lod.h"
#include "wire/pb/pb_write.h"

enum {
    WRITTEN_VERSION = 3000000,
    ATTR_INT        = 0,
    ATTR_INTS       = 3,
    ATTR_FLOATS     = 4,
    ATTR_LONGS      = 11,
};

struct writing {
    struct tn_one_node *one;
    struct tn_arena    *arena;
    struct tn_error    *error;
    struct tn_rope      vars, ops;
    uint32_t            feeds;
};

static struct tn_rope begin(const struct writing *w)
{
    struct tn_rope rope;

    tn_rope_init(&rope, w->arena, w->error);
    return rope;
}

/* ---- variables ---------------------------------------------------------- */

/* A tensor without dims is a scalar: of one of unknown rank nothing is said. */
static void put_var(struct writing *w, struct tn_bytes name, uint32_t kind,
                    const struct tn_native_type *known)
{
    struct tn_rope var = begin(w), type = begin(w);
    int number = known && known->has_rank ? tn_lod_type(known->dtype) : -1;

    tn_pb_put_bytes(&var, 1, name);
    tn_pb_put_varint(&type, 1, kind);
    if (number >= 0) {
        struct tn_rope lod = begin(w), tensor = begin(w);
        tn_pb_put_varint(&tensor, 1, (uint64_t)number);
        for (uint32_t i = 0; known->has_rank && i < known->rank; i++)
            tn_pb_put_varint(&tensor, 2, (uint64_t)known->dims[i]);
        tn_pb_put_message(&lod, 1, &tensor);
        tn_pb_put_message(&type, 3, &lod);
    }
    tn_pb_put_message(&var, 2, &type);
    if (kind != TN_PADDLE_LOD_TENSOR)
        tn_pb_put_varint(&var, 3, 1);
    tn_pb_put_message(&w->vars, 3, &var);
}

/* ---- operators ---------------------------------------------------------- */

static void put_slot(const struct writing *w, struct tn_rope *op,
                     uint32_t number, const char *slot, struct tn_bytes name)
{
    struct tn_rope var = begin(w);

    tn_pb_put_text(&var, 1, slot);
    tn_pb_put_bytes(&var, 2, name);
    tn_pb_put_message(op, number, &var);
}

/* A message that an attribute goes into; `field` of it are the values. */
static struct tn_rope begin_attr(const struct writing *w, const char *name,
                                 uint32_t type)
{
    struct tn_rope attr = begin(w);

    tn_pb_put_text(&attr, 1, name);
    tn_pb_put_varint(&attr, 2, type);
    return attr;
}

static void put_column(struct writing *w, const char *type,
                       struct tn_bytes from, struct tn_bytes to,
                       uint32_t column)
{
    struct tn_rope op = begin(w), attr = begin_attr(w, "col", ATTR_INT);

    put_slot(w, &op, 1, "X", from);
    put_slot(w, &op, 2, "Out", to);
    tn_pb_put_text(&op, 3, type);
    tn_pb_put_varint(&attr, 3, column);
    tn_pb_put_message(&op, 4, &attr);
    tn_pb_put_message(&w->ops, 4, &op);
}

static void put_elements(const struct writing *w, struct tn_rope *op,
                         const struct tn_map_tensor *tensor)
{
    bool           is_real = tensor->dtype == TN_FLOAT32;
    bool           is_long = tensor->dtype == TN_INT64;
    const char    *name    = is_real                    ? "fp32_values"
                             : is_long                  ? "int64_values"
                             : tensor->dtype == TN_BOOL ? "bool_values"
                                                        : "int32_values";
    struct tn_rope attr    = begin_attr(w, name,
                                     is_real   ? ATTR_FLOATS
                                        : is_long ? ATTR_LONGS
                                                  : ATTR_INTS);

    for (uint64_t i = 0; tensor->has_values && i < tensor->count; i++)
        if (is_real)
            tn_pb_put_fixed32(
                &attr, 7, tn_float_bits(tn_double_to_float(tensor->reals[i])));
        else
            tn_pb_put_varint(&attr, is_long ? 15 : 6,
                             (uint64_t)tensor->ints[i]);
    tn_pb_put_message(op, 4, &attr);
}

/* assign_value has lists for these types alone. */
static bool has_list(enum tn_dtype dtype)
{
    return dtype == TN_FLOAT32 || dtype == TN_INT64 || dtype == TN_INT32 ||
           dtype == TN_BOOL;
}

static void put_constant(struct writing *w, struct tn_bytes name,
                         struct tn_bytes bytes)
{
    struct tn_map_tensor tensor;

    if (tn_bare_tensor_read(&tensor, TN_FRAMEWORK_PADDLE, bytes, w->arena,
                            w->error) == TN_OK &&
        !has_list(tensor.dtype))
        tn_error_set(w->error, TN_UNSUPPORTED, TN_NOWHERE,
                     "Paddle has no constants of type %s in a program",
                     tn_dtype_name(tensor.dtype));
    if (tn_failed(w->error))
        return;
    struct tn_rope op    = begin(w);
    struct tn_rope shape = begin_attr(w, "shape", ATTR_INTS);
    struct tn_rope type  = begin_attr(w, "dtype", ATTR_INT);
    put_slot(w, &op, 2, "Out", name);
    tn_pb_put_text(&op, 3, "assign_value");
    for (uint32_t i = 0; i < tensor.rank; i++)
        tn_pb_put_varint(&shape, 6, (uint64_t)tensor.dims[i]);
    tn_pb_put_varint(&type, 3, (uint64_t)tn_lod_type(tensor.dtype));
    tn_pb_put_message(&op, 4, &shape);
    tn_pb_put_message(&op, 4, &type);
    put_elements(w, &op, &tensor);
    tn_pb_put_message(&w->ops, 4, &op);
}

static void put_input(struct writing *w, uint32_t input)
{
    const struct tn_node_input *known = &w->one->inputs[input];
    struct tn_bytes             name  = w->one->known.node->inputs[input];

    put_var(w, name, TN_PADDLE_LOD_TENSOR, &known->type);
    if (known->tensor.data)
        put_constant(w, name, known->tensor);
    else
        put_column(w, "feed", tn_text("feed"), name, w->feeds++);
}

void tn_one_program(struct tn_one_node *one, struct tn_arena *arena,
                    struct tn_rope *to, struct tn_error *error)
{
    const struct tn_map_node *node = one->known.node;
    struct writing w       = { .one = one, .arena = arena, .error = error };
    struct tn_rope version = begin(&w), block = begin(&w);

    w.vars = begin(&w);
    w.ops  = begin(&w);
    put_var(&w, tn_text("feed"), TN_PADDLE_FEED, NULL);
    put_var(&w, tn_text("fetch"), TN_PADDLE_FETCH, NULL);
    for (uint32_t i = 0; i < node->input_count; i++)
        if (tn_one_node_is_first(one, i))
            put_input(&w, i);
    tn_pb_put_bytes(&w.ops, 4, one->bytes);
    for (uint32_t i = 0; i < node->output_count; i++) {
        put_var(&w, node->outputs[i], TN_PADDLE_LOD_TENSOR, NULL);
        put_column(&w, "fetch", node->outputs[i], tn_text("fetch"), i);
    }
    tn_pb_put_varint(&block, 1, 0);
    tn_pb_put_varint(&block, 2, UINT64_MAX);
    tn_rope_append(&block, &w.vars);
    tn_rope_append(&block, &w.ops);
    tn_pb_put_message(to, 1, &block);
    tn_pb_put_varint(&version, 1, WRITTEN_VERSION);
    tn_pb_put_message(to, 4, &version);
    tn_rope_done(&w.vars);
    tn_rope_done(&w.ops);
}
