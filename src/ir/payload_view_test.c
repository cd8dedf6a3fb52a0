/*
 * payload_view_test.c - views against a naive model of them
 *
 * A model is a tensor with all its elements in memory.  Random leaves are
 * stored in random encodings, random views are put on top of each other, and
 * what streams out of them must be what the model says, whole and in parts.
 */
#include "ir/payload_view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arith.h"
#include "base/buffer.h"
#include "base/varint.h"
#include "ir/element.h"
#include "support/hostile.h"

#define RANK 4
#define POOL 64

struct model {
    enum tn_dtype dtype;
    uint32_t      rank;
    uint64_t      dims[RANK];
    uint8_t      *data;
};

/* A tensor under test, its model, and all that its view points at. */
struct node {
    struct model       model;
    struct tn_elements elements;
    struct tn_view     view;
    struct tn_elements inputs[3];
    uint32_t           axes[RANK];
    uint64_t           begin[RANK];
    int64_t            step[RANK];
    double             factors[16];
    double             offsets[16];
    struct tn_buffer   stored;
    struct tn_source   source;
};

struct world {
    uint64_t         seed;
    struct tn_memory memory;
    struct tn_error  error;
    struct node      nodes[POOL];
    unsigned         count;
    bool             is_mapped;
};

static uint64_t pick(struct world *w, uint64_t below)
{
    w->seed = w->seed * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (w->seed >> 33) % below;
}

static uint64_t model_count(const struct model *m)
{
    uint64_t n = 1;

    for (uint32_t i = 0; i < m->rank; i++)
        n *= m->dims[i];
    return n;
}

static void model_alloc(struct model *m)
{
    m->data = calloc(1, (size_t)(model_count(m) * tn_dtype_size(m->dtype)) + 1);
    assert_non_null(m->data);
}

/* The element at coordinates, in C order. */
static uint8_t *model_at(const struct model *m, const uint64_t *at)
{
    uint64_t index = 0;

    for (uint32_t i = 0; i < m->rank; i++)
        index = index * m->dims[i] + at[i];
    return m->data + index * tn_dtype_size(m->dtype);
}

/* All coordinates in C order; false after the last. */
static bool next_at(const struct model *m, uint64_t *at)
{
    for (uint32_t i = m->rank; i-- > 0;) {
        if (++at[i] < m->dims[i])
            return true;
        at[i] = 0;
    }
    return false;
}

static enum tn_status far_read(struct tn_source *source, uint64_t offset,
                               void *to, size_t size, struct tn_error *error)
{
    struct node *node =
        (struct node *)((char *)source - offsetof(struct node, source));

    (void)error;
    memcpy(to, node->stored.data + offset, size);
    return TN_OK;
}

static void far_close(struct tn_source *source)
{
    (void)source;
}

static const struct tn_source_ops far_ops = { far_read, far_close };

static const enum tn_dtype dtypes[] = {
    TN_FLOAT32, TN_FLOAT64, TN_FLOAT16, TN_INT8, TN_INT32,     TN_INT64,
    TN_INT4,    TN_UINT2,   TN_UINT8,   TN_BOOL, TN_COMPLEX64, TN_COMPLEX128,
};

static bool is_complex(enum tn_dtype dtype)
{
    return dtype == TN_COMPLEX64 || dtype == TN_COMPLEX128;
}

static bool has_varints(enum tn_dtype dtype)
{
    return dtype != TN_FLOAT32 && dtype != TN_FLOAT64 && !is_complex(dtype);
}

/* Small whole numbers: exact in every type, so casts have one answer. */
static void fill_model(struct world *w, struct model *m)
{
    unsigned size = tn_dtype_size(m->dtype);
    uint64_t n    = model_count(m);

    model_alloc(m);
    for (uint64_t i = 0; i < n; i++)
        tn_element_from_int64(m->dtype, (int64_t)pick(w, 200) - 100,
                              m->data + i * size);
}

static void store_fortran(struct node *node)
{
    const struct model *m        = &node->model;
    unsigned            size     = tn_dtype_size(m->dtype);
    struct model        turned   = *m;
    uint64_t            at[RANK] = { 0 }, reversed[RANK];

    /* Walk the reversed dims in C order: the first axis runs fastest. */
    for (uint32_t i = 0; i < m->rank; i++)
        turned.dims[i] = m->dims[m->rank - 1 - i];
    if (model_count(m) == 0)
        return;
    do {
        for (uint32_t i = 0; i < m->rank; i++)
            reversed[i] = at[m->rank - 1 - i];
        tn_buffer_add(&node->stored, tn_bytes(model_at(m, reversed), size));
    } while (next_at(&turned, at));
}

static void store_big(struct node *node)
{
    const struct model *m     = &node->model;
    unsigned            unit  = tn_dtype_size(m->dtype);
    uint64_t            units = model_count(m);

    if (is_complex(m->dtype)) {
        unit /= 2;
        units *= 2;
    }
    for (uint64_t i = 0; i < units; i++) {
        for (unsigned k = unit; k-- > 0;)
            tn_buffer_byte(&node->stored, m->data[i * unit + k]);
    }
}

static void store_varints(struct node *node, bool is_field)
{
    const struct model *m    = &node->model;
    unsigned            size = tn_dtype_size(m->dtype);

    for (uint64_t i = 0; i < model_count(m); i++) {
        uint64_t bits = 0;
        memcpy(&bits, m->data + i * size, size);
        if (is_field)
            tn_buffer_varint(&node->stored, tn_tag(7, TN_WIRE_VARINT));
        tn_buffer_varint(&node->stored, bits);
    }
}

static void store_packed(struct node *node, unsigned per_byte)
{
    const struct model *m    = &node->model;
    unsigned            bits = 8 / per_byte, byte = 0;
    uint64_t            n = model_count(m);

    for (uint64_t i = 0; i < n; i++) {
        byte |= (m->data[i] & ((1u << bits) - 1)) << (i % per_byte * bits);
        if (i % per_byte == per_byte - 1 || i == n - 1) {
            tn_buffer_byte(&node->stored, (uint8_t)byte);
            byte = 0;
        }
    }
}

static uint8_t choose_encoding(struct world *w, const struct model *m)
{
    static const uint8_t any[]  = { TN_ENCODING_RAW, TN_ENCODING_RAW,
                                    TN_ENCODING_RAW_BIG, TN_ENCODING_FORTRAN };
    static const uint8_t more[] = { TN_ENCODING_VARINTS, TN_ENCODING_FIELD };

    if (has_varints(m->dtype) && pick(w, 3) == 0)
        return more[pick(w, 2)];
    return any[pick(w, 4)];
}

static void store_leaf(struct world *w, struct node *node)
{
    const struct model *m       = &node->model;
    struct tn_payload  *payload = &node->elements.payload;
    unsigned            bits    = tn_dtype_bits(m->dtype);

    payload->encoding = choose_encoding(w, m);
    payload->per_byte = 1;
    payload->field    = 7;
    tn_buffer_init(&node->stored, &w->memory, &w->error);
    if (payload->encoding == TN_ENCODING_RAW && bits < 8 && pick(w, 2)) {
        payload->per_byte = (uint8_t)(8 / bits);
        store_packed(node, payload->per_byte);
    } else if (payload->encoding == TN_ENCODING_RAW) {
        tn_buffer_add(&node->stored,
                      tn_bytes(m->data, (size_t)model_count(m) *
                                            tn_dtype_size(m->dtype)));
    } else if (payload->encoding == TN_ENCODING_RAW_BIG) {
        store_big(node);
    } else if (payload->encoding == TN_ENCODING_FORTRAN) {
        store_fortran(node);
    } else {
        store_varints(node, payload->encoding == TN_ENCODING_FIELD);
    }
    tn_source_memory(&node->source, &w->memory, tn_buffer_bytes(&node->stored));
    if (!w->is_mapped) {
        node->source.map = NULL;
        node->source.ops = &far_ops;
    }
    payload->span = (struct tn_span){ &node->source, 0, node->source.size };
    payload->stored =
        tn_payload_needed(&node->elements.shape, payload->per_byte);
}

static struct node *new_node(struct world *w, const struct model *like)
{
    struct node *node = &w->nodes[w->count++];

    assert_true(w->count <= POOL);
    memset(node, 0, sizeof *node);
    node->model      = *like;
    node->model.data = NULL;
    node->elements.shape =
        (struct tn_shape){ like->dtype, like->rank, node->model.dims };
    return node;
}

static struct node *new_leaf(struct world *w, const struct model *like)
{
    struct node *node = new_node(w, like);

    fill_model(w, &node->model);
    store_leaf(w, node);
    return node;
}

static struct node *new_view(struct world *w, struct node *input,
                             enum tn_view_kind kind)
{
    struct node *node = new_node(w, &input->model);

    node->inputs[0]        = input->elements;
    node->view             = (struct tn_view){ .kind        = kind,
                                               .inputs      = node->inputs,
                                               .input_count = 1,
                                               .axes        = node->axes,
                                               .begin       = node->begin,
                                               .step        = node->step };
    node->elements.payload = (struct tn_payload){ .encoding = TN_ENCODING_VIEW,
                                                  .view     = &node->view };
    return node;
}

/* Each element of the view from where the view's definition says. */
static void model_view(struct node *node, const struct model *from)
{
    struct model *m          = &node->model;
    uint64_t      at[RANK]   = { 0 }, source[RANK];
    bool          is_permute = node->view.kind == TN_VIEW_PERMUTE;

    model_alloc(m);
    if (model_count(m) == 0)
        return;
    do {
        for (uint32_t i = 0; i < m->rank; i++) {
            if (is_permute)
                source[node->axes[i]] = at[i];
            else
                source[i] = node->begin[i] + at[i] * (uint64_t)node->step[i];
        }
        memcpy(model_at(m, at), model_at(from, source),
               tn_dtype_size(m->dtype));
    } while (next_at(m, at));
}

static struct node *put_permute(struct world *w, struct node *input)
{
    struct node *node = new_view(w, input, TN_VIEW_PERMUTE);
    uint32_t     rank = input->model.rank;

    for (uint32_t i = 0; i < rank; i++)
        node->axes[i] = i;
    for (uint32_t i = rank; i > 1; i--) {
        uint32_t k        = (uint32_t)pick(w, i);
        uint32_t axis     = node->axes[k];
        node->axes[k]     = node->axes[i - 1];
        node->axes[i - 1] = axis;
    }
    for (uint32_t i = 0; i < rank; i++)
        node->model.dims[i] = input->model.dims[node->axes[i]];
    model_view(node, &input->model);
    return node;
}

static struct node *put_slice(struct world *w, struct node *input)
{
    struct node *node = new_view(w, input, TN_VIEW_SLICE);

    for (uint32_t i = 0; i < input->model.rank; i++) {
        uint64_t size        = input->model.dims[i];
        uint64_t stride      = 1 + pick(w, 3);
        bool     is_backward = pick(w, 3) == 0;
        node->begin[i]       = size ? pick(w, size) : 0;
        uint64_t room =
            is_backward ? node->begin[i] + 1 : size - node->begin[i];
        uint64_t fits       = size ? (room + stride - 1) / stride : 0;
        node->step[i]       = is_backward ? -(int64_t)stride : (int64_t)stride;
        node->model.dims[i] = fits - (fits > 1 ? pick(w, 2) : 0);
    }
    model_view(node, &input->model);
    return node;
}

/* Any walk over a row: elements may repeat, and overlap. */
static struct node *put_strides(struct world *w, struct node *input)
{
    struct node  *node = new_view(w, input, TN_VIEW_STRIDES);
    struct model *m    = &node->model;
    uint64_t      size = input->model.dims[0], at[RANK] = { 0 };
    uint64_t      left = size ? size - 1 : 0;

    m->rank = node->elements.shape.rank = (uint32_t)pick(w, RANK + 1);
    node->begin[0]                      = left ? pick(w, left) : 0;
    left -= node->begin[0];
    for (uint32_t i = 0; i < m->rank; i++) {
        node->step[i] = (int64_t)pick(w, 4);
        m->dims[i]    = 1 + pick(w, 4);
        if ((m->dims[i] - 1) * (uint64_t)node->step[i] > left)
            m->dims[i] = 1;
        left -= (m->dims[i] - 1) * (uint64_t)node->step[i];
    }
    if (size == 0 && m->rank == 0)
        m->rank = node->elements.shape.rank = 1;
    if (size == 0)
        m->dims[0] = 0;
    model_alloc(m);
    if (model_count(m) == 0)
        return node;
    do {
        uint64_t from = node->begin[0];
        for (uint32_t i = 0; i < m->rank; i++)
            from += at[i] * (uint64_t)node->step[i];
        memcpy(model_at(m, at), model_at(&input->model, &from),
               tn_dtype_size(m->dtype));
    } while (next_at(m, at));
    return node;
}

static struct node *put_cast(struct world *w, struct node *input)
{
    struct node  *node = new_view(w, input, TN_VIEW_CAST);
    struct model *m    = &node->model;

    m->dtype = dtypes[pick(w, sizeof dtypes / sizeof dtypes[0])];
    node->elements.shape.dtype = m->dtype;
    model_alloc(m);
    tn_element_convert(m->dtype, m->data, input->model.dtype, input->model.data,
                       (size_t)model_count(m));
    return node;
}

static struct node *put_reshape(struct world *w, struct node *input)
{
    struct node  *node = new_view(w, input, TN_VIEW_RESHAPE);
    struct model *m    = &node->model;
    uint64_t      left = model_count(&input->model);

    m->rank = node->elements.shape.rank = (uint32_t)pick(w, RANK) + 1;
    for (uint32_t i = 0; i + 1 < m->rank; i++) {
        uint64_t dim = 1 + pick(w, 4);
        m->dims[i]   = left % dim == 0 ? dim : 1;
        left /= m->dims[i];
    }
    m->dims[m->rank - 1] = left;
    model_alloc(m);
    memcpy(m->data, input->model.data,
           (size_t)model_count(m) * tn_dtype_size(m->dtype));
    return node;
}

static void copy_piece(struct model *to, const struct model *piece,
                       uint32_t axis, uint64_t begin)
{
    uint64_t at[RANK] = { 0 }, target[RANK];

    if (model_count(piece) == 0)
        return;
    do {
        memcpy(target, at, sizeof target);
        target[axis] += begin;
        memcpy(model_at(to, target), model_at(piece, at),
               tn_dtype_size(to->dtype));
    } while (next_at(piece, at));
}

static struct node *put_concat(struct world *w, struct node *input)
{
    struct node *pieces[3] = { input };
    uint32_t     axis      = (uint32_t)pick(w, input->model.rank);
    uint64_t     sum = input->model.dims[axis], begin = 0;
    struct model like = input->model;

    for (int i = 1; i < 3; i++) {
        like.dims[axis] = pick(w, 4);
        pieces[i]       = new_leaf(w, &like);
        sum += like.dims[axis];
    }
    struct node *node      = new_view(w, input, TN_VIEW_CONCAT);
    node->view.axis        = axis;
    node->view.input_count = 3;
    node->model.dims[axis] = sum;
    model_alloc(&node->model);
    for (int i = 0; i < 3; i++) {
        node->inputs[i] = pieces[i]->elements;
        copy_piece(&node->model, &pieces[i]->model, axis, begin);
        begin += pieces[i]->model.dims[axis];
    }
    return node;
}

static double make_normal(double was, double is, enum tn_dtype dtype)
{
    double least = dtype == TN_FLOAT32 ? 0x1p-126 : 0x1p-1022;

    return fabs(was) >= least && fabs(is) < least ? copysign(0, is) : is;
}

/* Exact, so that it does not matter where it is rounded. */
static struct node *put_scale(struct world *w, struct node *input)
{
    static const double powers[] = { 0.25, -1, 2, 0 };
    struct node        *node     = new_view(w, input, TN_VIEW_SCALE);
    struct model       *m        = &node->model;
    uint64_t            at[RANK] = { 0 };

    bool is_one = pick(w, 3) == 0;

    node->view.axis    = is_one ? TN_VIEW_NO_AXIS : (uint32_t)pick(w, m->rank);
    node->view.factors = node->factors;
    node->view.offsets = pick(w, 2) ? node->offsets : NULL;
    for (size_t i = 0; i < sizeof node->factors / sizeof(double); i++) {
        node->factors[i] = powers[pick(w, 4)];
        node->offsets[i] = powers[pick(w, 4)];
    }
    model_alloc(m);
    if (model_count(m) == 0)
        return node;
    do {
        double   x = tn_element_double(m->dtype, model_at(&input->model, at));
        uint64_t k = is_one ? 0 : at[node->view.axis];
        double   y = x * node->factors[k];
        y += node->view.offsets ? node->offsets[k] : -0.0;
        tn_element_from_double(m->dtype, make_normal(x, y, m->dtype),
                               model_at(m, at));
    } while (next_at(m, at));
    return node;
}

/* Bounds in the order that is met, for floats and for integers. */
static struct node *put_clamp(struct world *w, struct node *input)
{
    struct node  *node     = new_view(w, input, TN_VIEW_CLAMP);
    struct model *m        = &node->model;
    uint64_t      at[RANK] = { 0 };

    node->view.axis    = (uint32_t)pick(w, m->rank);
    node->view.factors = node->factors;
    node->view.offsets = node->offsets;
    for (size_t i = 0; i < sizeof node->factors / sizeof(double); i++) {
        node->factors[i] = -(double)pick(w, 100);
        node->offsets[i] = pick(w, 4) ? (double)pick(w, 100) : 100;
    }
    model_alloc(m);
    if (model_count(m) == 0)
        return node;
    do {
        double   x = tn_element_double(m->dtype, model_at(&input->model, at));
        uint64_t k = at[node->view.axis];
        if (x < node->factors[k])
            x = node->factors[k];
        tn_element_from_double(m->dtype,
                               x > node->offsets[k] ? node->offsets[k] : x,
                               model_at(m, at));
    } while (next_at(m, at));
    return node;
}

static double nearest(double x, double least, double most)
{
    return x > least ? x < most ? x : most : least;
}

static struct node *put_quantize(struct world *w, struct node *input)
{
    struct node  *node     = new_view(w, input, TN_VIEW_QUANTIZE);
    struct model *m        = &node->model;
    bool          is_small = pick(w, 2);
    uint64_t      at[RANK] = { 0 };

    m->dtype                   = is_small ? TN_INT8 : TN_UINT16;
    node->elements.shape.dtype = m->dtype;
    node->view.axis = pick(w, 3) ? (uint32_t)pick(w, m->rank) : TN_VIEW_NO_AXIS;
    node->view.factors = node->factors;
    node->view.offsets = pick(w, 2) ? node->offsets : NULL;
    for (size_t i = 0; i < sizeof node->factors / sizeof(double); i++) {
        node->factors[i] = (double)(float)(0.1 * (double)(1 + pick(w, 40)));
        node->offsets[i] = (double)pick(w, 100);
    }
    model_alloc(m);
    if (model_count(m) == 0)
        return node;
    do {
        enum tn_dtype from = input->model.dtype;
        float x = (float)tn_element_double(from, model_at(&input->model, at));
        uint64_t k =
            node->view.axis == TN_VIEW_NO_AXIS ? 0 : at[node->view.axis];
        x /= (float)node->factors[k];
        double y =
            rint((double)x) + (node->view.offsets ? node->offsets[k] : 0);
        tn_element_from_double(
            m->dtype, is_small ? nearest(y, -128, 127) : nearest(y, 0, 65535),
            model_at(m, at));
    } while (next_at(m, at));
    return node;
}

static bool can_scale(const struct model *m)
{
    bool is_float = m->dtype == TN_FLOAT32 || m->dtype == TN_FLOAT64;

    for (uint32_t i = 0; i < m->rank; i++)
        is_float = is_float && m->dims[i] <= 16;
    return is_float && m->rank > 0;
}

static struct node *put_any(struct world *w, struct node *input)
{
    if (can_scale(&input->model) && pick(w, 2)) {
        switch (pick(w, 4)) {
        case 0: return put_clamp(w, input);
        case 1: return put_quantize(w, input);
        default: return put_scale(w, input);
        }
    }
    if (input->model.rank == 1 && pick(w, 2))
        return put_strides(w, input);
    switch (pick(w, 6)) {
    case 0: return put_cast(w, input);
    case 1: return put_reshape(w, input);
    case 2:
        if (input->model.rank > 0)
            return put_concat(w, input);
        return put_cast(w, input);
    case 3: return put_slice(w, input);
    default: return put_permute(w, input);
    }
}

static void world_open(struct world *w, uint64_t seed, bool is_mapped)
{
    memset(w, 0, sizeof *w);
    w->seed      = seed * 77 + 1;
    w->is_mapped = is_mapped;
    w->error     = (struct tn_error)TN_ERROR_INIT;
    tn_memory_init(&w->memory, NULL, 0);
}

static void world_close(struct world *w)
{
    for (unsigned i = 0; i < w->count; i++) {
        struct node *node = &w->nodes[i];
        free(node->model.data);
        if (node->stored.memory) {
            tn_source_close(&node->source);
            tn_buffer_done(&node->stored);
        }
    }
    assert_int_equal(w->memory.used, 0);
}

static struct node *random_leaf(struct world *w, uint64_t largest)
{
    struct model like = {
        .dtype = dtypes[pick(w, sizeof dtypes / sizeof dtypes[0])],
        .rank  = (uint32_t)pick(w, RANK + 1),
    };

    for (uint32_t i = 0; i < like.rank; i++)
        like.dims[i] = pick(w, 40) ? 1 + pick(w, largest) : 0;
    return new_leaf(w, &like);
}

static void assert_range(struct world *w, struct node *node, uint64_t first,
                         uint64_t count)
{
    unsigned         size = tn_dtype_size(node->model.dtype);
    uint64_t         used = w->memory.used;
    struct tn_memory elsewhere;
    struct tn_buffer out;

    tn_memory_init(&elsewhere, NULL, 0);
    tn_buffer_init(&out, &elsewhere, &w->error);
    if (tn_payload_stream(&node->elements, first, count, &w->memory, &out.sink,
                          &w->error) != TN_OK)
        fail_msg("seed %d: %s", (int)w->seed, w->error.what);
    assert_int_equal(out.size, count * size);
    if (count && memcmp(out.data, node->model.data + first * size, out.size))
        fail_msg("%d elements from %d on differ", (int)count, (int)first);
    assert_int_equal(w->memory.used, used);
    tn_buffer_done(&out);
}

static void random_views(bool is_mapped, int rounds, uint64_t largest)
{
    static struct world w;

    for (int round = 0; round < rounds; round++) {
        world_open(&w, (uint64_t)round, is_mapped);
        struct node *node  = random_leaf(&w, largest);
        uint64_t     views = pick(&w, 6);
        while (views-- > 0)
            node = put_any(&w, node);
        uint64_t count = model_count(&node->model);
        assert_int_equal(tn_payload_check(&node->elements, &w.error), TN_OK);
        assert_range(&w, node, 0, count);
        for (int i = 0; i < 5 && count > 0; i++) {
            uint64_t first = pick(&w, count);
            assert_range(&w, node, first, pick(&w, count - first) + 1);
        }
        world_close(&w);
    }
}

static void views_equal_their_model_mapped(void **state)
{
    (void)state;
    random_views(true, 4000, 6);
}

static void views_equal_their_model_unmapped(void **state)
{
    (void)state;
    random_views(false, 4000, 6);
}

static void larger_views_equal_their_model(void **state)
{
    (void)state;
    random_views(true, 40, 40);
    random_views(false, 40, 40);
}

/* Past one box of a megabyte, in both directions. */
static void large_transposes_take_windows(void **state)
{
    static const uint64_t shapes[][2] = { { 1500, 700 },
                                          { 3, 400000 },
                                          { 400000, 3 } };
    static struct world   w;

    (void)state;
    for (int i = 0; i < 6; i++) {
        world_open(&w, (uint64_t)i, i % 2);
        struct model like = { .dtype = TN_INT32, .rank = 2 };
        memcpy(like.dims, shapes[i / 2], sizeof shapes[0]);
        struct node *leaf = new_node(&w, &like);
        fill_model(&w, &leaf->model);
        tn_buffer_init(&leaf->stored, &w.memory, &w.error);
        tn_buffer_add(&leaf->stored, tn_bytes(leaf->model.data,
                                              (size_t)model_count(&like) * 4));
        tn_source_memory(&leaf->source, &w.memory,
                         tn_buffer_bytes(&leaf->stored));
        if (!w.is_mapped) {
            leaf->source.map = NULL;
            leaf->source.ops = &far_ops;
        }
        leaf->elements.payload = tn_payload_raw(
            &leaf->elements.shape,
            (struct tn_span){ &leaf->source, 0, leaf->source.size }, 1);
        struct node *node   = new_view(&w, leaf, TN_VIEW_PERMUTE);
        node->axes[0]       = 1;
        node->model.dims[0] = like.dims[1];
        node->model.dims[1] = like.dims[0];
        model_view(node, &leaf->model);
        w.memory.limit = w.memory.used + (3 << 20) / 2;
        assert_range(&w, node, 0, model_count(&node->model));
        assert_range(&w, node, 12345, 300000);
        world_close(&w);
    }
}

static void bad_views_are_refused(void **state)
{
    static const uint64_t dims[] = { 2, 3 }, turned[] = { 3, 2 },
                          four[] = { 4, 3 }, zeros[] = { 0, 0 };
    static const uint64_t far[]  = { 1, 2 };
    static const uint32_t swap[] = { 1, 0 }, twice[] = { 1, 1 },
                          out[] = { 0, 2 };
    static const int64_t one[] = { 1, 1 }, back[] = { -1, -1 },
                         wild[] = { INT64_MIN, INT64_MIN };
    struct tn_elements in       = { { TN_INT8, 2, dims }, { .encoding = 0 } };
    struct tn_elements row      = { { TN_INT8, 1, four }, { .encoding = 0 } };
    struct tn_elements reals = { { TN_FLOAT32, 2, dims }, { .encoding = 0 } };
    const struct {
        struct tn_shape shape;
        struct tn_view  view;
    } cases[] = {
        { { TN_INT8, 2, dims },
          { TN_VIEW_PERMUTE, &in, 1, swap, 0, 0, 0, 0, 0, 0 } },
        { { TN_INT8, 2, turned },
          { TN_VIEW_PERMUTE, &in, 1, twice, 0, 0, 0, 0, 0, 0 } },
        { { TN_INT8, 2, turned },
          { TN_VIEW_PERMUTE, &in, 1, out, 0, 0, 0, 0, 0, 0 } },
        { { TN_INT8, 1, turned },
          { TN_VIEW_PERMUTE, &in, 1, swap, 0, 0, 0, 0, 0, 0 } },
        { { TN_INT16, 2, turned },
          { TN_VIEW_PERMUTE, &in, 1, swap, 0, 0, 0, 0, 0, 0 } },
        { { TN_INT8, 2, turned },
          { TN_VIEW_PERMUTE, &in, 0, swap, 0, 0, 0, 0, 0, 0 } },
        { { TN_INT8, 2, turned },
          { TN_VIEW_PERMUTE, &in, 2, swap, 0, 0, 0, 0, 0, 0 } },
        { { TN_INT8, 2, turned },
          { TN_VIEW_CAST, &in, 1, 0, 0, 0, 0, 0, 0, 0 } },
        { { TN_INT8, 2, dims },
          { TN_VIEW_SLICE, &in, 1, 0, far, one, 0, 0, 0, 0 } },
        { { TN_INT8, 2, dims },
          { TN_VIEW_SLICE, &in, 1, 0, zeros, back, 0, 0, 0, 0 } },
        { { TN_INT8, 2, dims },
          { TN_VIEW_SLICE, &in, 1, 0, zeros, wild, 0, 0, 0, 0 } },
        { { TN_INT8, 2, four },
          { TN_VIEW_SLICE, &in, 1, 0, zeros, one, 0, 0, 0, 0 } },
        { { TN_INT8, 2, dims },
          { TN_VIEW_STRIDES, &in, 1, 0, zeros, one, 0, 0, 0, 0 } },
        { { TN_INT8, 2, dims },
          { TN_VIEW_STRIDES, &row, 1, 0, far, one, 0, 0, 0, 0 } },
        { { TN_INT8, 2, dims },
          { TN_VIEW_STRIDES, &row, 1, 0, zeros, back, 0, 0, 0, 0 } },
        { { TN_INT8, 2, four },
          { TN_VIEW_CONCAT, &in, 1, 0, 0, 0, 0, 0, 0, 0 } },
        { { TN_INT8, 2, dims },
          { TN_VIEW_CONCAT, &in, 1, 0, 0, 0, 2, 0, 0, 0 } },
        { { TN_INT8, 2, dims },
          { TN_VIEW_CONCAT, &in, 0, 0, 0, 0, 0, 0, 0, 0 } },
        { { TN_INT8, 2, four },
          { TN_VIEW_RESHAPE, &in, 1, 0, 0, 0, 0, 0, 0, 0 } },
        { { TN_INT8, 2, dims },
          { TN_VIEW_SCALE, &in, 1, 0, 0, 0, 0, (double[]){ 1, 1 }, 0, 0 } },
        { { TN_FLOAT32, 2, dims },
          { TN_VIEW_SCALE, &reals, 1, 0, 0, 0, 0, 0, 0, 0 } },
        { { TN_FLOAT32, 2, dims },
          { TN_VIEW_SCALE, &reals, 1, 0, 0, 0, 2, (double[]){ 1, 1 }, 0, 0 } },
        { { TN_FLOAT32, 2, turned },
          { TN_VIEW_SCALE, &reals, 1, 0, 0, 0, 0, (double[]){ 1, 1, 1 }, 0,
            0 } },
        { { TN_FLOAT32, 2, dims },
          { TN_VIEW_SIGN, &reals, 1, 0, 0, 0, 0, (double[]){ 1, 1 },
            (double[]){ 1, 1 }, 0 } },
        { { TN_FLOAT32, 2, dims },
          { TN_VIEW_CLAMP, &reals, 1, 0, 0, 0, 0, (double[]){ 1, 1 }, 0, 0 } },
        { { TN_INT8, 2, dims },
          { TN_VIEW_CLAMP, &in, 1, 0, 0, 0, 2, (double[]){ 1, 1 },
            (double[]){ 1, 1 }, 0 } },
        { { TN_INT8, 2, dims },
          { TN_VIEW_QUANTIZE, &in, 1, 0, 0, 0, 0, (double[]){ 1, 1 }, 0, 0 } },
        { { TN_INT32, 2, dims },
          { TN_VIEW_QUANTIZE, &reals, 1, 0, 0, 0, 0, (double[]){ 1, 1 }, 0,
            0 } },
        { { TN_INT8, 2, dims },
          { TN_VIEW_QUANTIZE, &reals, 1, 0, 0, 0, 0, 0, 0, 0 } },
        { { TN_INT8, 2, dims },
          { (enum tn_view_kind)10, &in, 1, swap, far, one, 0, 0, 0, 0 } },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tn_error    error = TN_ERROR_INIT;
        struct tn_memory   memory;
        struct tn_buffer   buffer;
        struct tn_elements e = { cases[i].shape,
                                 { .encoding = TN_ENCODING_VIEW,
                                   .view     = &cases[i].view } };
        tn_memory_init(&memory, NULL, 0);
        tn_buffer_init(&buffer, &memory, &error);
        if (tn_payload_check(&e, &error) != TN_INVALID)
            fail_msg("row %d passed the check", (int)i);
        error = (struct tn_error)TN_ERROR_INIT;
        if (tn_payload_stream(&e, 0, 1, &memory, &buffer.sink, &error) !=
            TN_INVALID)
            fail_msg("row %d streamed", (int)i);
        assert_int_equal(memory.used, 0);
        tn_buffer_done(&buffer);
    }
}

/* What becomes subnormal is zero, what was so stays; each rounded once. */
static void scaled_floats_are_normal(void **state)
{
    static const uint64_t dims[] = { 2, 3 };
    const float     in[] = { 0x1p-126F, -0x1p-126F, 3, 0x1p-140F, 7, -0x1p-1F };
    const double    by[] = { 0.5, 4 };
    const float     out[] = { 0, -0.0F, 1.5F, 0x1p-138F, 28, -2 };
    struct tn_error error = TN_ERROR_INIT;
    struct tn_memory   memory;
    struct tn_buffer   buffer;
    struct tn_source   source;
    struct tn_elements input = { { TN_FLOAT32, 2, dims }, { .encoding = 0 } };
    struct tn_view     view  = {
             .kind = TN_VIEW_SCALE, .inputs = &input, .input_count = 1, .factors = by
    };
    struct tn_elements e = { input.shape,
                             { .encoding = TN_ENCODING_VIEW, .view = &view } };

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_source_memory(&source, &memory, tn_bytes(in, sizeof in));
    input.payload = tn_payload_raw(
        &input.shape, (struct tn_span){ &source, 0, sizeof in }, 1);
    tn_buffer_init(&buffer, &memory, &error);
    assert_int_equal(tn_payload_stream(&e, 0, 6, &memory, &buffer.sink, &error),
                     TN_OK);
    assert_memory_equal(tn_buffer_bytes(&buffer).data, out, sizeof out);
    tn_buffer_done(&buffer);
    tn_source_close(&source);
}

static void views_nest_to_a_limit(void **state)
{
    static const uint64_t          dims[] = { 2, 3 };
    struct tn_elements             e[TN_VIEW_DEPTH_LIMIT + 2];
    struct tn_view                 views[TN_VIEW_DEPTH_LIMIT + 2];
    static const uint64_t          begin[] = { 0, 0 };
    static const int64_t           step[]  = { 1, 1 };
    static const enum tn_view_kind kinds[] = { TN_VIEW_CAST, TN_VIEW_RESHAPE,
                                               TN_VIEW_SLICE, TN_VIEW_CONCAT };
    struct tn_memory               memory;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    e[0] = (struct tn_elements){ { TN_INT8, 2, dims }, { .encoding = 0 } };
    for (int k = 0; k < 4; k++) {
        for (int i = 1; i < TN_VIEW_DEPTH_LIMIT + 2; i++) {
            views[i] = (struct tn_view){ .kind        = kinds[k],
                                         .inputs      = &e[i - 1],
                                         .input_count = 1,
                                         .begin       = begin,
                                         .step        = step };
            e[i]     = (struct tn_elements){ { TN_INT8, 2, dims },
                                             { .encoding = TN_ENCODING_VIEW,
                                               .view     = &views[i] } };
        }
        for (int i = TN_VIEW_DEPTH_LIMIT; i < TN_VIEW_DEPTH_LIMIT + 2; i++) {
            struct tn_error  error = TN_ERROR_INIT;
            struct tn_buffer buffer;
            enum tn_status   want = i > TN_VIEW_DEPTH_LIMIT ? TN_LIMIT : TN_OK;
            tn_buffer_init(&buffer, &memory, &error);
            assert_int_equal(
                tn_payload_stream(&e[i], 0, 6, &memory, &buffer.sink, &error),
                want);
            error = (struct tn_error)TN_ERROR_INIT;
            assert_int_equal(tn_payload_check(&e[i], &error), want);
            tn_buffer_done(&buffer);
        }
    }
}

/* What must be decoded to be turned around is held to the caller's limit, and
 * a few bytes that claim a terabyte do not get one. */
static void memory_is_limited(void **state)
{
    static const uint64_t dims[]   = { 1 << 10, 1 << 11 };
    static const uint64_t turned[] = { 1 << 11, 1 << 10 };
    static const uint32_t axes[]   = { 1, 0 };
    static const uint8_t  bytes[]  = { 0x3d, 0, 0, 0x80, 0x3f };
    struct tn_error       error    = TN_ERROR_INIT;
    struct tn_memory      memory, plenty;
    struct tn_source      source;
    struct tn_buffer      buffer;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_memory_init(&plenty, NULL, 0);
    tn_source_memory(&source, &memory, tn_bytes(bytes, sizeof bytes));
    struct tn_elements in   = { { TN_FLOAT32, 2, dims },
                                { .span         = { &source, 0, sizeof bytes },
                                  .is_uncounted = true,
                                  .field        = 7,
                                  .encoding     = TN_ENCODING_FIELD } };
    struct tn_view     view = {
            TN_VIEW_PERMUTE, &in, 1, axes, NULL, NULL, 0, 0, 0, 0
    };
    struct tn_elements e = { { TN_FLOAT32, 2, turned },
                             { .encoding = TN_ENCODING_VIEW, .view = &view } };
    tn_buffer_init(&buffer, &plenty, &error);
    assert_int_equal(
        tn_payload_stream(&e, 0, 1 << 21, &memory, &buffer.sink, &error),
        TN_LIMIT);
    assert_int_equal(memory.used, 0);
    tn_buffer_done(&buffer);
    tn_source_close(&source);
}

/* The n-th allocation fails, for all n. */
static struct node   *node_under_test;
static enum tn_status read_views(struct tn_bytes   input,
                                 struct tn_memory *memory,
                                 struct tn_error  *error)
{
    struct tn_memory plenty;
    struct tn_buffer buffer;

    (void)input;
    tn_memory_init(&plenty, NULL, 0);
    tn_buffer_init(&buffer, &plenty, error);
    tn_payload_stream(&node_under_test->elements, 0,
                      model_count(&node_under_test->model), memory,
                      &buffer.sink, error);
    tn_buffer_done(&buffer);
    return error->status;
}

static void views_survive_poverty(void **state)
{
    static struct world w;

    (void)state;
    for (int round = 0; round < 20; round++) {
        world_open(&w, (uint64_t)round, round % 2);
        node_under_test = random_leaf(&w, 5);
        for (int i = 0; i < 4; i++)
            node_under_test = put_any(&w, node_under_test);
        tn_survives_no_memory(read_views, tn_bytes("", 0));
        world_close(&w);
    }
}

static enum tn_status add_text(void *context, uint64_t index,
                               struct tn_span text, struct tn_error *error)
{
    char *all    = context;
    char  one[8] = "";

    (void)index;
    TN_TRY(text.length ? tn_source_read(text.source, text.offset, one,
                                        (size_t)text.length, error)
                       : TN_OK);
    snprintf(all + strlen(all), 64 - strlen(all), "%s,", one);
    return TN_OK;
}

/* Views over 2 x 3 strings: a,b,c / d,ee, and an empty one. */
static const struct {
    const char       *name;
    enum tn_view_kind kind;
    uint32_t          rank;
    uint64_t          dims[3];
    uint32_t          axes[2], axis;
    uint64_t          begin[2];
    int64_t           step[2];
    uint64_t          first, count;
    const char       *text;
} string_views[] = {
    { "turned",
      TN_VIEW_PERMUTE,
      2,
      { 3, 2 },
      { 1, 0 },
      0,
      { 0, 0 },
      { 0, 0 },
      0,
      6,
      "a,d,b,ee,c,," },
    { "part of it",
      TN_VIEW_PERMUTE,
      2,
      { 3, 2 },
      { 1, 0 },
      0,
      { 0, 0 },
      { 0, 0 },
      1,
      3,
      "d,b,ee," },
    { "backwards",
      TN_VIEW_SLICE,
      2,
      { 2, 2 },
      { 0, 0 },
      0,
      { 1, 2 },
      { -1, -2 },
      0,
      4,
      ",d,c,a," },
    { "a column",
      TN_VIEW_SLICE,
      2,
      { 2, 1 },
      { 0, 0 },
      0,
      { 0, 1 },
      { 1, 1 },
      0,
      2,
      "b,ee," },
    { "beside itself",
      TN_VIEW_CONCAT,
      2,
      { 2, 6 },
      { 0, 0 },
      1,
      { 0, 0 },
      { 0, 0 },
      0,
      12,
      "a,b,c,a,b,c,d,ee,,d,ee,," },
    { "below itself",
      TN_VIEW_CONCAT,
      2,
      { 4, 3 },
      { 0, 0 },
      0,
      { 0, 0 },
      { 0, 0 },
      4,
      4,
      "ee,,a,b," },
    { "flat",
      TN_VIEW_RESHAPE,
      1,
      { 6 },
      { 0, 0 },
      0,
      { 0, 0 },
      { 0, 0 },
      3,
      2,
      "d,ee," },
};

static const uint8_t  six[]      = "\x01\x01\x01\x01\x02\x00"
                                   "abcdee";
static const uint64_t six_dims[] = { 2, 3 };
static size_t         view_under_test;

static enum tn_status read_string_view(struct tn_bytes   input,
                                       struct tn_memory *memory,
                                       struct tn_error  *error)
{
    size_t             i = view_under_test;
    struct tn_source   source;
    char               text[64]  = "";
    bool               is_concat = string_views[i].kind == TN_VIEW_CONCAT;
    struct tn_elements in[2];

    tn_source_memory(&source, memory, input);
    in[0] = in[1]       = (struct tn_elements){ { TN_STRING, 2, six_dims },
                                                { .span = { &source, 0, input.size },
                                                  .stored   = 6,
                                                  .encoding = TN_ENCODING_LENGTHS } };
    struct tn_view view = {
        .kind        = string_views[i].kind,
        .inputs      = in,
        .input_count = is_concat ? 2 : 1,
        .axes        = string_views[i].axes,
        .begin       = string_views[i].begin,
        .step        = string_views[i].step,
        .axis        = string_views[i].axis,
    };
    struct tn_elements e = { { TN_STRING, string_views[i].rank,
                               string_views[i].dims },
                             { .encoding = TN_ENCODING_VIEW, .view = &view } };
    tn_payload_strings(&e, string_views[i].first, string_views[i].count,
                       add_text, text, error);
    if (!tn_failed(error) && input.size == 12)
        assert_string_equal(text, string_views[i].text);
    tn_source_close(&source);
    return error->status;
}

static void strings_have_views_too(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof string_views / sizeof string_views[0]; i++) {
        struct tn_error  error = TN_ERROR_INIT;
        struct tn_memory memory;
        tn_memory_init(&memory, NULL, 0);
        view_under_test = i;
        if (read_string_view(tn_bytes(six, 12), &memory, &error) != TN_OK)
            fail_msg("%s: %s", string_views[i].name, error.what);
        assert_int_equal(memory.used, 0);
        tn_survives_no_memory(read_string_view, tn_bytes(six, 12));
        tn_refuses_every_prefix(read_string_view, tn_bytes(six, 12), NULL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(views_equal_their_model_mapped),
        cmocka_unit_test(views_equal_their_model_unmapped),
        cmocka_unit_test(larger_views_equal_their_model),
        cmocka_unit_test(large_transposes_take_windows),
        cmocka_unit_test(bad_views_are_refused),
        cmocka_unit_test(scaled_floats_are_normal),
        cmocka_unit_test(views_nest_to_a_limit),
        cmocka_unit_test(memory_is_limited),
        cmocka_unit_test(views_survive_poverty),
        cmocka_unit_test(strings_have_views_too),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
