/*
 * edit_dims.c - changes the size or the name of a dimension of the inputs
 *
 * The graph is loaded twice: `old` as it is, `now` with the new size.  Types of
 * `now` are inferred node by node, and before each node the constants that it
 * takes are looked at.  A dimension that differs between the two nets is one
 * that follows the input: nothing else has to be known about operators.
 *
 * Reshape is a question of where elements are.  In row-major order, what is
 * outside of a dimension are the dimensions before it; a reshape moves
 * boundaries between dimensions, but no element.  So the dimension that changes
 * is put where the number of elements outside of it stays the same; see
 * find_place().
 *
 * For rows (`is_batch`) two more conditions hold: every value that is computed
 * from rows has exactly one dimension that follows, and no operator combines
 * elements along it.  The first is checked for all results.  The second is
 * known from a table of operators; an operator that is not in it is refused.
 *
 * An open size is tried with a number that no constant equals by chance.
 *
 * Operators of other dialects have sizes as inputs or as attributes, as a table
 * says.  Whether their rows stay independent is checked in the graph as ONNX;
 * see edit_proof.h.
 */
#include "engine/edit_dims.h"

#include "engine/convert_valid.h"
#include "engine/edit_draft.h"
#include "engine/edit_known.h"
#include "engine/edit_proof.h"
#include "ir/dialect_facts.h"
#include "map/net/net_build.h"
#include "map/net/net_load.h"
#include "map/tidy/paddle_tidy.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define RANK_MOST 32

/* Where an operator has its integers: in an input, or in an attribute if there
 * is no such input. */
struct size_place {
    uint32_t    input; /* TN_NONE: only the attribute                         */
    const char *attr;  /* NULL: only the input                                */
};

/* Ints that replace an input of an op, or an attribute. */
struct new_ints {
    uint32_t       op, input, graph;
    const char    *attr;  /* NULL: the input                                 */
    const char    *also;  /* attribute that repeats the input; NULL: none    */
    uint32_t       value; /* of the nets: what it replaces                   */
    enum tn_dtype  dtype;
    uint32_t       count;
    const int64_t *items, *was;
};

/* An input of an op that is repeated along an axis. */
struct new_rows {
    uint32_t        op, input, graph;
    struct tn_bytes name;
    enum tn_dtype   dtype;
    uint32_t        rank, axis;
};

struct changing {
    struct tn_edit        *edit;
    struct tn_draft       *draft;
    const struct tn_model *model;
    struct tn_error       *error;
    struct tn_arena        arena;
    struct tn_known        old, now;
    int64_t                from, to; /* sizes; `from` -1: it was open         */
    struct tn_bytes        symbol;   /* of an open size                       */
    struct tn_bytes        was;      /* what the dimension was called         */
    struct tn_bytes        input;    /* the first that has it                 */
    uint32_t               source, source_axis; /* an input that has the size */
    bool                   is_open, is_batch;
    bool                   is_onnx; /* else operators are of another dialect  */
    const struct tn_dialect_facts *facts;
    const struct tn_net_type **declared; /* by value: what the file says      */
    bool    *has_rows; /* by value of the nets: computed from rows            */
    bool    *is_done;  /* by node: its constants were looked at               */
    int64_t *left;     /* by value: how often the rows are repeated outside of
                          the rows, in the dimension that follows; 0: unknown */
    struct tn_list ints; /* struct new_ints */
    struct tn_list rows; /* struct new_rows */
};

/* ---- types of a value, before and now ------------------------------------ */

static const struct tn_net_type *old_type(const struct changing *c, uint32_t v)
{
    return v < c->old.net.values.count ? tn_net_value(&c->old.net, v).type
                                       : &tn_net_unknown;
}

static const struct tn_net_type *now_type(const struct changing *c, uint32_t v)
{
    return tn_net_value(&c->now.net, v).type;
}

/* Both ranks are known, and equal. */
static bool is_comparable(const struct changing *c, uint32_t v)
{
    const struct tn_net_type *a = old_type(c, v), *b = now_type(c, v);

    return a->has_rank && b->has_rank && a->rank == b->rank &&
           a->rank <= RANK_MOST;
}

static bool follows_at(const struct changing *c, uint32_t v, uint32_t axis)
{
    return old_type(c, v)->dims[axis] != now_type(c, v)->dims[axis];
}

/* How many dimensions of a value follow, and the last of them. */
static uint32_t count_following(const struct changing *c, uint32_t v,
                                uint32_t *axis)
{
    uint32_t count = 0;

    *axis = TN_NONE;
    for (uint32_t i = 0; is_comparable(c, v) && i < old_type(c, v)->rank; i++)
        if (follows_at(c, v, i)) {
            *axis = i;
            count++;
        }
    return count;
}

static uint32_t following_axis(const struct changing *c, uint32_t v)
{
    uint32_t axis;

    return v != TN_NONE && count_following(c, v, &axis) == 1 ? axis : TN_NONE;
}

/* "x:0" is "x". */
static struct tn_bytes plain_name(const struct changing *c,
                                  struct tn_bytes        name)
{
    uint32_t output = 0;

    if (!c->model->dialect->producer_of)
        return name;
    struct tn_bytes node = c->model->dialect->producer_of(name, &output);
    return output ? name : node;
}

static uint32_t find_value(const struct changing *c, struct tn_bytes name)
{
    uint32_t value = tn_known_find(&c->now, name);

    return value != TN_NONE ? value
                            : tn_known_find(&c->now, plain_name(c, name));
}

/* Whether the user's word is this input. */
static bool is_called(const struct changing *c, const struct tn_io *io,
                      struct tn_bytes word)
{
    return word.size &&
           (tn_bytes_equal(io->name, word) || tn_bytes_equal(io->key, word) ||
            tn_bytes_equal(plain_name(c, io->name), word));
}

/* ---- refusals ------------------------------------------------------------ */

static void refuse(struct changing *c, const struct tn_net_node *node,
                   const char *why)
{
    struct tn_bytes name = node->name;
    char            size[40];

    if (tn_failed(c->error))
        return;
    if (!name.size && node->output_count && node->outputs[0] != TN_NONE)
        name = tn_net_value(&c->now.net, node->outputs[0]).name;
    if (c->is_open)
        snprintf(size, sizeof size, "an open size");
    else
        snprintf(size, sizeof size, "size %" PRId64, c->to);
    tn_error_because(c->error, TN_UNSUPPORTED, TN_REASON_RULE_REFUSED,
                     TN_NOWHERE, "%.*s '%.*s' does not work with %s: %s",
                     TN_FMT(node->op->type), TN_FMT(name), size, why);
}

/* ---- where a dimension goes in a reshape --------------------------------- */

/* A dimension, or the rows in it: `outside` elements are outside of it, and it
 * goes from one size to another. */
struct atom {
    int64_t outside, from, to;
};

static bool multiply(int64_t a, int64_t b, int64_t *to)
{
    return a >= 0 && b >= 0 && !__builtin_mul_overflow(a, b, to);
}

/* The atom of an axis of a value; false: what is outside is not known. */
static bool find_atom(const struct changing *c, uint32_t v, uint32_t axis,
                      struct atom *atom)
{
    const struct tn_net_type *was = old_type(c, v), *is = now_type(c, v);
    int64_t                   a, b;

    *atom = (struct atom){ 1, was->dims[axis], is->dims[axis] };
    for (uint32_t i = 0; i < axis; i++)
        if (!multiply(atom->outside, was->dims[i], &atom->outside))
            return false;
    if (atom->from < 0 || atom->to < 0)
        return false;
    /* Rows that others were merged with are still told apart. */
    if (c->left[v] > 0 && multiply(atom->to, c->from, &a) &&
        multiply(atom->from, c->to, &b) && a == b) {
        atom->from = c->from;
        atom->to   = c->to;
        return multiply(atom->outside, c->left[v], &atom->outside);
    }
    return true;
}

/* Which of the dims of a reshape the atom goes to: one that has as many
 * elements outside, and that it divides.  One of exactly that size is taken
 * first, and among such the one at the same position.  TN_NONE: none.  *left is
 * what remains outside within the dimension. */
static uint32_t find_place(const struct atom *atom, const int64_t *dims,
                           uint32_t rank, uint32_t axis, int64_t *left)
{
    int64_t  outside = 1, best_left = 0;
    uint32_t best       = TN_NONE;
    int      best_grade = 0;

    for (uint32_t i = 0; i < rank; i++) {
        int64_t k = outside > 0 && atom->outside % outside == 0
                        ? atom->outside / outside
                        : 0;
        int64_t inside;
        bool fits = k > 0 && multiply(k, atom->from, &inside) && inside > 0 &&
                    dims[i] >= 0 && dims[i] % inside == 0;
        int grade = !fits                                          ? 0
                    : k == 1 && dims[i] == atom->from && i == axis ? 4
                    : k == 1 && dims[i] == atom->from              ? 3
                    : k == 1                                       ? 2
                                                                   : 1;
        if (grade > best_grade) {
            best       = i;
            best_grade = grade;
            best_left  = k;
        }
        if (!multiply(outside, dims[i], &outside))
            break;
    }
    *left = best_left;
    return best;
}

/* ---- elements of inputs -------------------------------------------------- */

static bool fold_ints(struct tn_known *known, uint32_t value, int64_t *items,
                      uint32_t *count)
{
    struct tn_item list;

    if (value == TN_NONE || tn_fold(known->facts, value, &list) != TN_OK ||
        list.kind != TN_ITEM_LIST || list.count > RANK_MOST)
        return false;
    *count = list.count;
    for (uint32_t i = 0; i < list.count; i++)
        if (!tn_item_to_int(list.of.items[i], &items[i]))
            return false;
    return true;
}

/* The ints that an input of a node has in both nets: constants, or what follows
 * from constants alone.  False: it follows from shapes, or is not known. */
static bool same_ints(struct changing *c, uint32_t value, int64_t *items,
                      uint32_t *count)
{
    int64_t  old[RANK_MOST];
    uint32_t old_count;

    if (value == TN_NONE || value >= c->old.net.values.count ||
        !fold_ints(&c->old, value, old, &old_count) ||
        !fold_ints(&c->now, value, items, count) || old_count != *count)
        return false;
    return memcmp(old, items, *count * sizeof *old) == 0;
}

static bool attr_ints(const struct tn_net_node *node, const char *name,
                      int64_t *items, uint32_t *count)
{
    const struct tn_attr_value *value = tn_net_attr(node, name);

    if (!value || value->kind != TN_ATTR_INT || value->count > RANK_MOST)
        return false;
    *count = value->count;
    memcpy(items, value->of.ints, value->count * sizeof *items);
    return true;
}

/* The same for ints that a node has in one of two places. */
static bool ints_at(struct changing *c, const struct tn_net_node *node,
                    const struct size_place *at, int64_t *items,
                    uint32_t *count)
{
    if (tn_net_has_input(node, at->input))
        return same_ints(c, node->inputs[at->input], items, count);
    return at->attr && attr_ints(node, at->attr, items, count);
}

static const int64_t *keep_ints(struct changing *c, const int64_t *items,
                                uint32_t count)
{
    int64_t *kept = tn_new(&c->arena, int64_t, count, c->error);

    if (kept)
        memcpy(kept, items, count * sizeof *kept);
    return kept;
}

/* Sets other ints for a node: in the net now, and in the draft later. */
static void put_ints(struct changing *c, uint32_t id,
                     const struct size_place *at, const int64_t *items,
                     uint32_t count)
{
    struct tn_net           *net      = &c->now.net;
    const struct tn_net_node node     = tn_net_node(net, id);
    bool                     is_input = tn_net_has_input(&node, at->input);
    uint64_t                 dims     = count;
    int64_t                  was[RANK_MOST];
    uint32_t                 was_count;
    uint32_t *inputs = tn_new(&c->arena, uint32_t, node.input_count, c->error);
    struct new_ints *row = tn_list_push(&c->ints, struct new_ints, c->error);

    if (!inputs || !row)
        return;
    *row = (struct new_ints){ .op    = node.source,
                              .input = at->input,
                              .graph = node.graph,
                              .value = TN_NONE,
                              .count = count,
                              .items = keep_ints(c, items, count) };
    if (node.source == TN_NONE) {
        refuse(c, &node, "it stands for several nodes of the file");
        return;
    }
    if (!is_input) {
        attr_ints(&node, at->attr, was, &was_count);
        row->attr = at->attr;
        row->was  = keep_ints(c, was, was_count);
        tn_net_set_attr(net, id, at->attr,
                        &(struct tn_attr_value){ .kind    = TN_ATTR_INT,
                                                 .is_list = true,
                                                 .count   = count,
                                                 .of.ints = row->items });
        return;
    }
    memcpy(inputs, node.inputs, node.input_count * sizeof *inputs);
    row->also  = at->attr && tn_net_attr(&node, at->attr) ? at->attr : NULL;
    row->value = inputs[at->input];
    row->dtype = now_type(c, row->value)->dtype == TN_INT32 && !c->is_onnx
                     ? TN_INT32
                     : TN_INT64;
    inputs[at->input] = tn_net_add_ints(
        net, node.graph, tn_text("dims"),
        now_type(c, row->value)->dtype == TN_INT32 ? TN_INT32 : TN_INT64, items,
        1, &dims);
    tn_net_set_inputs(net, id, inputs, node.input_count);
}

/* ---- operators with sizes ------------------------------------------------ */

/* The meaning of the ints. */
enum size_use {
    SIZES_RESHAPE,
    SIZES_FLATTEN, /* it has no ints, but merges dimensions */
    SIZES_EXPAND,
    SIZES_RESIZE,
    SIZES_ENDS,    /* of a slice, with `other` where it begins                */
    SIZES_LENGTHS, /* of a slice: -1 is all that is left                      */
    SIZES_RESULT,  /* of an image that is made of a smaller one               */
    SIZES_COUNT, /* it gives a value for each element along `axis`           */
    SIZES_CONCAT,
    SIZES_STATES,
};

struct size_op {
    enum tn_dialect_id dialect;
    const char        *op;
    enum size_use      use;
    struct size_place  at;
    struct size_place other; /* ends, lengths: where it begins                */
    struct size_place axes;  /* ends: of which dimensions; or of all          */
    int64_t           same;  /* expand, ends: "as it is"; 0: nothing says so  */
    bool              copies; /* reshape: 0 is the size that the input has    */
};

/* clang-format off */
#define IN(n)        { n, NULL }
#define ATTR(a)      { TN_NONE, a }
#define EITHER(n, a) { n, a }
#define NOT          { TN_NONE, NULL }

static const struct size_op size_ops[] = {
    { TN_DIALECT_ONNX,       "Reshape",               SIZES_RESHAPE, IN(1),                  NOT,                 NOT,               0,         true },
    { TN_DIALECT_ONNX,       "Flatten",               SIZES_FLATTEN, NOT,                    NOT,                 NOT,               0,         false },
    { TN_DIALECT_ONNX,       "Expand",                SIZES_EXPAND,  IN(1),                  NOT,                 NOT,               1,         false },
    { TN_DIALECT_ONNX,       "Resize",                SIZES_RESIZE,  IN(3),                  NOT,                 NOT,               0,         false },
    { TN_DIALECT_ONNX,       "Concat",                SIZES_CONCAT,  NOT,                    NOT,                 NOT,               0,         false },
    { TN_DIALECT_ONNX,       "LSTM",                  SIZES_STATES,  NOT,                    NOT,                 NOT,               0,         false },
    { TN_DIALECT_ONNX,       "GRU",                   SIZES_STATES,  NOT,                    NOT,                 NOT,               0,         false },
    { TN_DIALECT_ONNX,       "RNN",                   SIZES_STATES,  NOT,                    NOT,                 NOT,               0,         false },
    { TN_DIALECT_ONNX,       "Slice",                 SIZES_ENDS,    EITHER(2, "ends"),      EITHER(1, "starts"), EITHER(3, "axes"), INT64_MAX, false },
    { TN_DIALECT_TENSORFLOW, "Reshape",               SIZES_RESHAPE, IN(1),                  NOT,                 NOT,               0,         false },
    { TN_DIALECT_TENSORFLOW, "BroadcastTo",           SIZES_EXPAND,  IN(1),                  NOT,                 NOT,               0,         false },
    { TN_DIALECT_TENSORFLOW, "Slice",                 SIZES_LENGTHS, IN(2),                  IN(1),               NOT,               -1,        false },
    { TN_DIALECT_TENSORFLOW, "StridedSlice",          SIZES_ENDS,    IN(2),                  IN(1),               NOT,               INT32_MAX, false },
    { TN_DIALECT_TENSORFLOW, "Conv2DBackpropInput",   SIZES_RESULT,  IN(0),                  NOT,                 NOT,               0,         false },
    { TN_DIALECT_TENSORFLOW, "Conv3DBackpropInputV2", SIZES_RESULT,  IN(0),                  NOT,                 NOT,               0,         false },
    { TN_DIALECT_TENSORFLOW, "Unpack",                SIZES_COUNT,   NOT,                    NOT,                 NOT,               0,         false },
    { TN_DIALECT_TFLITE,     "BROADCAST_TO",          SIZES_EXPAND,  IN(1),                  NOT,                 NOT,               0,         false },
    { TN_DIALECT_TFLITE,     "SLICE",                 SIZES_LENGTHS, IN(2),                  IN(1),               NOT,               -1,        false },
    { TN_DIALECT_TFLITE,     "STRIDED_SLICE",         SIZES_ENDS,    IN(2),                  IN(1),               NOT,               INT32_MAX, false },
    { TN_DIALECT_TFLITE,     "TRANSPOSE_CONV",        SIZES_RESULT,  IN(0),                  NOT,                 NOT,               0,         false },
    { TN_DIALECT_TFLITE,     "UNPACK",                SIZES_COUNT,   NOT,                    NOT,                 NOT,               0,         false },
    { TN_DIALECT_TFLITE,     "RESHAPE",               SIZES_RESHAPE, EITHER(1, "new_shape"), NOT,                 NOT,               0,         false },
    { TN_DIALECT_PADDLE,     "unstack",               SIZES_COUNT,   NOT,                    NOT,                 NOT,               0,         false },
    { TN_DIALECT_PADDLE,     "reshape",               SIZES_RESHAPE, EITHER(1, "shape"),     NOT,                 NOT,               0,         true },
    { TN_DIALECT_PADDLE,     "reshape2",              SIZES_RESHAPE, EITHER(1, "shape"),     NOT,                 NOT,               0,         true },
    { TN_DIALECT_PADDLE,     "expand_v2",             SIZES_EXPAND,  EITHER(1, "shape"),     NOT,                 NOT,               -1,        false },
    { TN_DIALECT_PADDLE,     "slice",                 SIZES_ENDS,    EITHER(2, "ends"),      EITHER(1, "starts"), ATTR("axes"),      INT32_MAX, false },
    { TN_DIALECT_ND4J,       "unstack",               SIZES_COUNT,   NOT,                    NOT,                 NOT,               0,         false },
    { TN_DIALECT_ND4J,       "broadcast_to",          SIZES_EXPAND,  IN(1),                  NOT,                 NOT,               0,         false },
    { TN_DIALECT_ND4J,       "strided_slice",         SIZES_ENDS,    IN(2),                  IN(1),               NOT,               INT32_MAX, false },
    { TN_DIALECT_ND4J,       "reshape",               SIZES_RESHAPE, EITHER(1, "shapeArr"),  NOT,                 NOT,               0,         false },
    { TN_DIALECT_ND4J,       "slice",                 SIZES_LENGTHS, EITHER(2, "size"),      EITHER(1, "begin"),  NOT,               -1,        false },
};
/* clang-format on */

/* ---- Reshape ------------------------------------------------------------- */

/* The dims that the node gives in the old graph. */
static bool old_dims(const struct changing *c, const struct tn_net_node *node,
                     int64_t *dims, uint32_t count)
{
    const struct tn_net_type *type =
        node->output_count && node->outputs[0] != TN_NONE
            ? old_type(c, node->outputs[0])
            : &tn_net_unknown;

    if (!type->has_rank || type->rank != count)
        return false;
    memcpy(dims, type->dims, count * sizeof *dims);
    return true;
}

/* For an open size: 0 copies the dimension at the same position, -1 is what is
 * left over. */
static bool open_dim(int64_t *items, uint32_t count, const int64_t *dims,
                     uint32_t place, bool can_copy)
{
    if (can_copy) {
        items[place] = 0;
        return true;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (items[i] != -1 || i == place)
            continue;
        if (dims[i] < 0)
            return false;
        items[i] = dims[i];
    }
    items[place] = -1;
    return true;
}

/* Another constant for one dimension of the input that follows. */
static bool place_dim(struct changing *c, const struct tn_net_node *node,
                      bool copies, uint32_t axis, const int64_t *dims,
                      int64_t *items, uint32_t count, bool *is_new)
{
    uint32_t    in = node->inputs[0];
    struct atom atom;
    int64_t     left = 0;

    if (!find_atom(c, in, axis, &atom)) {
        refuse(c, node, "the sizes before the dimension are not known");
        return false;
    }
    uint32_t place = find_place(&atom, dims, count, axis, &left);
    /* A 0 copies the new size. */
    if (copies && axis < count && items[axis] == 0)
        place = axis;
    if (place == TN_NONE) {
        refuse(c, node,
               "its constant shape has no dimension that the new size "
               "could go to");
        return false;
    }
    if (node->outputs[0] != TN_NONE &&
        node->outputs[0] < c->old.net.values.count)
        c->left[node->outputs[0]] =
            place == axis && items[axis] == 0 && copies ? c->left[in] : left;
    if (items[place] == -1 || (copies && items[place] == 0))
        return true;
    *is_new = true;
    if (!c->is_open) {
        items[place] = items[place] / atom.from * atom.to;
        return true;
    }
    if (open_dim(items, count, dims, place,
                 copies && place == axis && left == 1 &&
                     dims[place] == old_type(c, in)->dims[axis]))
        return true;
    refuse(c, node, "its constant shape has another dimension of unknown size");
    return false;
}

/* A shape that follows from other shapes must put the dimension where it
 * belongs. */
static void check_computed(struct changing *c, const struct tn_net_node *node,
                           uint32_t shape)
{
    uint32_t in = node->inputs[0], out = node->outputs[0];
    uint32_t axis  = following_axis(c, in);
    int64_t  left  = 0, dims[RANK_MOST], now[RANK_MOST];
    uint32_t count = old_type(c, out)->rank, now_count = 0;

    struct atom atom;
    if (axis == TN_NONE || !old_type(c, out)->has_rank || count > RANK_MOST ||
        !tn_net_has_input(node, shape) ||
        !fold_ints(&c->now, node->inputs[shape], now, &now_count) ||
        now_count != count || !find_atom(c, in, axis, &atom))
        return;
    memcpy(dims, old_type(c, out)->dims, count * sizeof *dims);
    for (uint32_t i = 0; i < count; i++) {
        bool is_there = now[i] == -1 || now[i] == 0 || now[i] != dims[i];
        if (!is_there)
            dims[i] = -dims[i] - 1; /* no place, but the size counts */
    }
    int64_t outside = 1;
    for (uint32_t i = 0; i < count; i++) {
        int64_t size = dims[i] < 0 ? -dims[i] - 1 : dims[i];
        int64_t k    = outside > 0 && atom.outside % outside == 0
                           ? atom.outside / outside
                           : 0;
        int64_t inside;
        if (dims[i] >= 0 && k > 0 && multiply(k, atom.from, &inside) &&
            inside > 0 && size % inside == 0) {
            left = k;
            break;
        }
        if (!multiply(outside, size, &outside))
            break;
    }
    c->left[out] = left;
}

static void change_reshape(struct changing *c, uint32_t id,
                           const struct size_op *op)
{
    const struct tn_net_node node = tn_net_node(&c->now.net, id);
    int64_t                  items[RANK_MOST], dims[RANK_MOST];
    uint32_t                 count, axis;
    bool                     is_new = false;
    bool copies = op->copies && tn_net_int_attr(&node, "allowzero", 0) == 0;

    if (node.outputs[0] == TN_NONE ||
        !count_following(c, node.inputs[0], &axis))
        return;
    if (!ints_at(c, &node, &op->at, items, &count)) {
        check_computed(c, &node, op->at.input);
        return;
    }
    if (!old_dims(c, &node, dims, count)) {
        refuse(c, &node, "the shape that it gives is not known");
        return;
    }
    for (uint32_t i = 0; i < old_type(c, node.inputs[0])->rank; i++)
        if (follows_at(c, node.inputs[0], i) &&
            !place_dim(c, &node, copies, i, dims, items, count, &is_new))
            return;
    if (is_new)
        put_ints(c, id, &op->at, items, count);
}

/* Notes how many elements are outside of the rows within the dimension that
 * they are merged into. */
static void follow_flatten(struct changing *c, uint32_t id,
                           const struct size_op *op)
{
    (void)op;
    const struct tn_net_node node = tn_net_node(&c->now.net, id);
    uint32_t                 in = node.inputs[0], out = node.outputs[0];
    uint32_t                 at = following_axis(c, in);
    int64_t                  left, axis = tn_net_int_attr(&node, "axis", 1);

    if (at == TN_NONE || out == TN_NONE)
        return;
    if (axis < 0)
        axis += old_type(c, in)->rank;
    left = c->left[in];
    for (uint32_t i = at < axis ? 0 : (uint32_t)axis; i < at; i++)
        if (!multiply(left, old_type(c, in)->dims[i], &left))
            left = 0;
    c->left[out] = left;
}

/* ---- other constants ----------------------------------------------------- */

/* A computed shape may follow although the repeated value does not: then only
 * one element can be repeated.  Constant shapes are judged with the others. */
static void check_expand(struct changing *c, const struct tn_net_node *node,
                         const struct size_op *op)
{
    uint32_t                  in   = node->inputs[0];
    const struct tn_net_type *type = now_type(c, in);
    struct tn_item            shape;
    int64_t                   to;
    char                      why[200];

    if (!type->has_rank || !tn_net_has_input(node, op->at.input) ||
        tn_fold(c->now.facts, node->inputs[op->at.input], &shape) != TN_OK ||
        shape.kind != TN_ITEM_LIST)
        return;
    for (uint32_t i = 0; i < type->rank && i < shape.count; i++) {
        int64_t is = type->dims[type->rank - 1 - i];
        if (!tn_item_to_int(shape.of.items[shape.count - 1 - i], &to) ||
            is <= 1 || to <= 1 || is == to)
            continue;
        snprintf(why, sizeof why,
                 "dimension %" PRIu32 " of '%.*s' is %" PRId64
                 ", and only one element can be repeated",
                 type->rank - 1 - i, TN_FMT(tn_net_value(&c->now.net, in).name),
                 is);
        refuse(c, node, why);
        return;
    }
}

/* Dims are aligned at the end; those that mean "as it is" follow by
 * themselves. */
static void change_expand(struct changing *c, uint32_t id,
                          const struct size_op *op)
{
    const struct tn_net_node node = tn_net_node(&c->now.net, id);
    int64_t                  items[RANK_MOST];
    uint32_t                 count, axis;
    bool                     is_new = false;

    if (!ints_at(c, &node, &op->at, items, &count)) {
        check_expand(c, &node, op);
        return;
    }
    if (!count_following(c, node.inputs[0], &axis))
        return;
    uint32_t rank = old_type(c, node.inputs[0])->rank;
    for (uint32_t i = 0; i < rank && i < count; i++) {
        uint32_t at   = rank - 1 - i;
        int64_t *item = &items[count - 1 - i];
        if (!follows_at(c, node.inputs[0], at) ||
            (op->same && *item == op->same))
            continue;
        if (*item != old_type(c, node.inputs[0])->dims[at]) {
            refuse(c, &node,
                   "it repeats the dimension a constant number of "
                   "times");
            return;
        }
        if (c->is_open && !op->same) {
            refuse(c, &node, "it has a constant shape");
            return;
        }
        *item  = c->is_open ? op->same : now_type(c, node.inputs[0])->dims[at];
        is_new = true;
    }
    if (is_new)
        put_ints(c, id, &op->at, items, count);
}

/* Sizes of Resize: along axes that are not scaled, the size follows. */
static void change_resize(struct changing *c, uint32_t id,
                          const struct size_op *op)
{
    const struct tn_net_node node = tn_net_node(&c->now.net, id);
    int64_t                  items[RANK_MOST];
    uint32_t                 count, axis;
    bool                     is_new = false;

    if (!count_following(c, node.inputs[0], &axis) ||
        tn_net_attr(&node, "axes") ||
        !ints_at(c, &node, &op->at, items, &count) ||
        count != old_type(c, node.inputs[0])->rank)
        return;
    for (uint32_t i = 0; i < count; i++) {
        if (!follows_at(c, node.inputs[0], i) ||
            items[i] != old_type(c, node.inputs[0])->dims[i])
            continue;
        if (c->is_open) {
            refuse(c, &node, "it has a constant size, not a scale");
            return;
        }
        items[i] = now_type(c, node.inputs[0])->dims[i];
        is_new   = true;
    }
    if (is_new)
        put_ints(c, id, &op->at, items, count);
}

/* The output sizes of a transposed convolution: its rows are those of the
 * input; strides enlarge the image, and another number contradicts them. */
static void change_result(struct changing *c, uint32_t id,
                          const struct size_op *op)
{
    const struct tn_net_node node = tn_net_node(&c->now.net, id);
    int64_t                  items[RANK_MOST];
    uint32_t                 count, axis;

    if (!tn_net_has_input(&node, 2) ||
        !count_following(c, node.inputs[2], &axis) ||
        !ints_at(c, &node, &op->at, items, &count))
        return;
    if (following_axis(c, node.inputs[2]) != 0 || c->is_open || !count ||
        items[0] != old_type(c, node.inputs[2])->dims[0]) {
        refuse(c, &node, "the size of what it gives is constant");
        return;
    }
    items[0] = now_type(c, node.inputs[2])->dims[0];
    put_ints(c, id, &op->at, items, count);
}

static int64_t axis_of(int64_t axis, uint32_t rank)
{
    return axis < 0 ? axis + (int64_t)rank : axis;
}

/* An operator with one output for each element of the dimension: their number
 * is fixed. */
static void expect_count(struct changing *c, uint32_t id,
                         const struct size_op *op)
{
    const struct tn_net_node node = tn_net_node(&c->now.net, id);
    uint32_t                 axis;

    (void)op;
    if (!count_following(c, node.inputs[0], &axis))
        return;
    int64_t at = axis_of(tn_net_int_attr(&node, "axis", 0),
                         old_type(c, node.inputs[0])->rank);
    if (at >= 0 && at < old_type(c, node.inputs[0])->rank &&
        follows_at(c, node.inputs[0], (uint32_t)at))
        refuse(c, &node, "it gives a value for each element of the dimension");
}

/* A slice from the beginning up to the old size took everything, and so did one
 * of that length. */
static void change_slice(struct changing *c, uint32_t id,
                         const struct size_op *op)
{
    const struct tn_net_node node = tn_net_node(&c->now.net, id);
    int64_t  starts[RANK_MOST], ends[RANK_MOST], axes[RANK_MOST];
    uint32_t start_count, end_count, axes_count = 0, axis;
    bool     is_new = false;

    if (!count_following(c, node.inputs[0], &axis) ||
        !ints_at(c, &node, &op->other, starts, &start_count) ||
        !ints_at(c, &node, &op->at, ends, &end_count) ||
        start_count != end_count ||
        tn_net_int_attr(&node, "ellipsis_mask", 0) ||
        tn_net_int_attr(&node, "new_axis_mask", 0))
        return;
    bool has_axes = tn_net_has_input(&node, op->axes.input) ||
                    (op->axes.attr && tn_net_attr(&node, op->axes.attr));
    if (has_axes && (!ints_at(c, &node, &op->axes, axes, &axes_count) ||
                     axes_count != end_count))
        return;
    const struct tn_net_type *was = old_type(c, node.inputs[0]);
    for (uint32_t i = 0; i < end_count; i++) {
        int64_t at = has_axes ? axis_of(axes[i], was->rank) : i;
        if (at < 0 || at >= was->rank ||
            !follows_at(c, node.inputs[0], (uint32_t)at) || starts[i] != 0 ||
            ends[i] != was->dims[at] || ends[i] <= 1)
            continue;
        ends[i] = op->same;
        is_new  = true;
    }
    if (is_new)
        put_ints(c, id, &op->at, ends, end_count);
}

/* ---- values that must have as many rows as others ------------------------ */

/* Repeats an input of a node along an axis, if it has one row there and does
 * not follow. */
static void repeat_rows(struct changing *c, uint32_t id, uint32_t input,
                        uint32_t axis)
{
    struct tn_net            *net  = &c->now.net;
    const struct tn_net_node  node = tn_net_node(net, id);
    uint32_t                  in   = node.inputs[input];
    const struct tn_net_type *type = in == TN_NONE ? NULL : now_type(c, in);

    if (!type || in >= c->old.net.values.count || !is_comparable(c, in) ||
        axis >= type->rank || follows_at(c, in, axis) || type->dims[axis] != 1)
        return;
    uint32_t *inputs = tn_new(&c->arena, uint32_t, node.input_count, c->error);
    int64_t  *dims   = tn_new(&c->arena, int64_t, type->rank, c->error);
    struct new_rows *row = tn_list_push(&c->rows, struct new_rows, c->error);
    if (!inputs || !dims || !row)
        return;
    *row = (struct new_rows){ .op    = node.source,
                              .input = input,
                              .graph = node.graph,
                              .name  = tn_net_value(net, in).name,
                              .dtype = type->dtype,
                              .rank  = type->rank,
                              .axis  = axis };
    memcpy(inputs, node.inputs, node.input_count * sizeof *inputs);
    memcpy(dims, type->dims, type->rank * sizeof *dims);
    dims[axis]      = c->to;
    inputs[input]   = tn_net_add_value(net, node.graph, tn_text("rows"));
    uint64_t rank   = type->rank;
    uint32_t args[] = { in, tn_net_add_ints(net, node.graph, tn_text("dims"),
                                            TN_INT64, dims, 1, &rank) };
    tn_net_add_node(net,
                    &(struct tn_net_node){ .op = tn_net_own_op(net, "Expand"),
                                           .inputs       = args,
                                           .input_count  = 2,
                                           .outputs      = &inputs[input],
                                           .output_count = 1,
                                           .graph        = node.graph,
                                           .source       = TN_NONE });
    tn_net_set_type(net, inputs[input],
                    &(struct tn_net_type){ .dtype    = type->dtype,
                                           .has_rank = true,
                                           .rank     = type->rank,
                                           .dims     = dims });
    tn_net_set_inputs(net, id, inputs, node.input_count);
}

/* All inputs of Concat are equal, but for one axis. */
static void repeat_concat(struct changing *c, uint32_t id,
                          const struct size_op *op)
{
    (void)op;
    const struct tn_net_node node = tn_net_node(&c->now.net, id);

    for (uint32_t i = 0; c->from == 1 && i < node.input_count; i++) {
        uint32_t axis = following_axis(c, node.inputs[i]);
        if (axis == TN_NONE ||
            now_type(c, node.inputs[i])->dims[axis] != c->to ||
            axis == axis_of(tn_net_int_attr(&node, "axis", 0),
                            now_type(c, node.inputs[i])->rank))
            continue;
        for (uint32_t k = 0; k < node.input_count; k++)
            repeat_rows(c, id, k, axis);
        return;
    }
}

/* The first states of recurrent layers: [directions, rows, size]. */
static void repeat_states(struct changing *c, uint32_t id,
                          const struct size_op *op)
{
    (void)op;
    const struct tn_net_node node = tn_net_node(&c->now.net, id);
    uint32_t layout = (uint32_t)tn_net_int_attr(&node, "layout", 0);
    uint32_t rows   = layout ? 0 : 1;

    if (c->from != 1 || !node.input_count || layout > 1 ||
        following_axis(c, node.inputs[0]) != rows)
        return;
    for (uint32_t i = 5; i < node.input_count && i < 7; i++)
        repeat_rows(c, id, i, rows);
}

/* ---- rows that stay independent ------------------------------------------ */

/* How an operator uses rows. */
enum row_use {
    ROWS_ANYWHERE, /* the result for a row is computed from that row, as long as
                      it has the dimension */
    ROWS_FIRST,    /* the same if rows are the first dimension                */
    ROWS_OFF_AXIS, /* if they are another dimension than attribute `axis`     */
    ROWS_BEFORE,   /* if they are before attribute `axis`                     */
    ROWS_STATES,   /* recurrent layers                                        */
    ROWS_INSIDE,   /* what it does is done by graphs in it                    */
    ROWS_SHAPE,    /* it looks at shapes alone                                */
};

struct row_rule {
    const char  *op;
    enum row_use use;
    int64_t      axis; /* if the attribute is missing */
};

/* clang-format off */
static const char *const anywhere[] = {
    "Abs", "Acos", "Acosh", "Add", "And", "ArgMax", "ArgMin", "Asin", "Asinh",
    "Atan", "Atanh", "BitShift", "BitwiseAnd", "BitwiseNot", "BitwiseOr",
    "BitwiseXor", "Cast", "CastLike", "Ceil", "Celu", "Clip", "Cos", "Cosh",
    "DequantizeLinear", "Div", "Dropout", "Einsum", "Elu", "Equal", "Erf",
    "Exp", "Expand", "Flatten", "Floor", "Gelu", "Gemm", "Greater",
    "GreaterOrEqual", "HardSigmoid", "HardSwish", "Identity", "IsInf",
    "IsNaN", "LeakyRelu", "Less", "LessOrEqual", "Log", "MatMul",
    "MatMulInteger", "Max", "Mean", "Min", "Mish", "Mod", "Mul", "Neg", "Not",
    "OneHot", "Or", "PRelu", "Pad", "Pow", "QLinearMatMul", "QuantizeLinear",
    "Reciprocal", "ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp",
    "ReduceMax", "ReduceMean", "ReduceMin", "ReduceProd", "ReduceSum",
    "ReduceSumSquare", "Relu", "Reshape", "Round", "Selu", "Shrink",
    "Sigmoid", "Sign", "Sin", "Sinh", "Softplus", "Softsign", "Sqrt",
    "Squeeze", "Sub", "Sum", "Swish", "Tan", "Tanh", "ThresholdedRelu",
    "Transpose", "Unsqueeze", "Where", "Xor",
};

static const char *const only_first[] = {
    "AveragePool", "BatchNormalization", "Conv", "ConvInteger",
    "ConvTranspose", "DepthToSpace", "GlobalAveragePool", "GlobalLpPool",
    "GlobalMaxPool", "GridSample", "GroupNormalization",
    "InstanceNormalization", "LRN", "LpPool", "MaxPool", "QLinearConv",
    "Resize", "SpaceToDepth", "Trilu", "Upsample",
};
/* clang-format on */

static const struct row_rule row_rules[] = {
    { "Concat", ROWS_OFF_AXIS, 0 },
    { "Gather", ROWS_OFF_AXIS, 0 },
    { "GatherElements", ROWS_OFF_AXIS, 0 },
    { "Hardmax", ROWS_BEFORE, -1 },
    { "LayerNormalization", ROWS_BEFORE, -1 },
    { "LogSoftmax", ROWS_BEFORE, -1 },
    { "LpNormalization", ROWS_OFF_AXIS, -1 },
    { "RMSNormalization", ROWS_BEFORE, -1 },
    { "ScatterElements", ROWS_OFF_AXIS, 0 },
    { "Slice", ROWS_OFF_AXIS, 0 },
    { "Softmax", ROWS_BEFORE, -1 },
    { "Split", ROWS_OFF_AXIS, 0 },
    { "TopK", ROWS_OFF_AXIS, -1 },
    { "GRU", ROWS_STATES, 0 },
    { "LSTM", ROWS_STATES, 0 },
    { "RNN", ROWS_STATES, 0 },
    { "If", ROWS_INSIDE, 0 },
    { "Loop", ROWS_INSIDE, 0 },
    { "Scan", ROWS_INSIDE, 0 },
    { "ConstantOfShape", ROWS_SHAPE, 0 },
    { "Shape", ROWS_SHAPE, 0 },
    { "Size", ROWS_SHAPE, 0 },
};

static bool is_among(const char *const *ops, size_t count, struct tn_bytes op)
{
    for (size_t i = 0; i < count; i++)
        if (tn_bytes_is(op, ops[i]))
            return true;
    return false;
}

static const struct row_rule *rule_of(const struct tn_net_node *node)
{
    static const struct row_rule any   = { "", ROWS_ANYWHERE, 0 },
                                 first = { "", ROWS_FIRST, 0 };
    struct tn_bytes op                 = node->op->type;

    if (node->op->domain.size)
        return NULL;
    if (is_among(anywhere, sizeof anywhere / sizeof *anywhere, op))
        return &any;
    if (is_among(only_first, sizeof only_first / sizeof *only_first, op))
        return &first;
    for (size_t i = 0; i < sizeof row_rules / sizeof *row_rules; i++)
        if (tn_bytes_is(op, row_rules[i].op))
            return &row_rules[i];
    return NULL;
}

/* Softmax of old opsets treats all dimensions from its axis on as one. */
static int64_t rule_axis(const struct changing    *c,
                         const struct tn_net_node *node,
                         const struct row_rule    *rule)
{
    bool is_old = c->now.net.version < 13 && rule->use == ROWS_BEFORE &&
                  !tn_bytes_is(node->op->type, "LayerNormalization");

    return tn_net_int_attr(node, "axis", is_old ? 1 : rule->axis);
}

/* Whether a slice goes through an axis backwards; or it cannot be told. */
static bool is_backwards(struct changing *c, const struct tn_net_node *node,
                         uint32_t axis)
{
    int64_t  steps[RANK_MOST], axes[RANK_MOST];
    uint32_t count, axes_count = 0;
    uint32_t rank = old_type(c, node->inputs[0])->rank;

    if (node->input_count < 5 || node->inputs[4] == TN_NONE)
        return false;
    bool has_axes = node->inputs[3] != TN_NONE;
    if (!same_ints(c, node->inputs[4], steps, &count) ||
        (has_axes && (!same_ints(c, node->inputs[3], axes, &axes_count) ||
                      axes_count != count)))
        return true;
    for (uint32_t i = 0; i < count; i++)
        if (steps[i] < 0 && (has_axes ? axis_of(axes[i], rank) : i) == axis)
            return true;
    return false;
}

/* A slice along rows takes some of them; if it takes all, its end shows
 * that. */
static bool slices_rows(struct changing *c, const struct tn_net_node *node,
                        uint32_t axis)
{
    uint32_t out = node->outputs[0];

    return out == TN_NONE || !is_comparable(c, out) ||
           now_type(c, out)->dims[axis] !=
               now_type(c, node->inputs[0])->dims[axis] ||
           is_backwards(c, node, axis);
}

static bool keeps_rows(struct changing *c, const struct tn_net_node *node,
                       const struct row_rule *rule, uint32_t input,
                       uint32_t axis)
{
    int64_t  at   = rule_axis(c, node, rule);
    uint32_t rank = now_type(c, node->inputs[input])->rank;

    switch (rule->use) {
    case ROWS_FIRST:
        return axis == 0 && input == 0 &&
               (rank > 2 || !tn_bytes_is(node->op->type, "Trilu"));
    case ROWS_STATES:
        return axis == (tn_net_int_attr(node, "layout", 0) ? 0 : 1) ||
               (input == 4 && axis == 0);
    case ROWS_BEFORE:
        /* since opset 13 it is along one axis */
        if (c->now.net.version >= 13 &&
            !tn_bytes_is(node->op->type, "LayerNormalization") &&
            !tn_bytes_is(node->op->type, "RMSNormalization"))
            return axis != axis_of(at, rank);
        return axis < axis_of(at, rank);
    case ROWS_OFF_AXIS:
        if (tn_bytes_is(node->op->type, "Gather") && input == 1)
            return !c->has_rows[node->inputs[0]];
        if (tn_bytes_is(node->op->type, "Slice"))
            return input == 0 && (!slices_rows(c, node, axis));
        return axis != axis_of(at, rank);
    default: return true;
    }
}

/* Before types are known: finds operators that would combine rows. */
static void check_inputs(struct changing *c, const struct tn_net_node *node)
{
    const struct row_rule *rule = rule_of(node);
    uint32_t               axis;

    for (uint32_t i = 0; i < node->input_count; i++) {
        uint32_t in = node->inputs[i];
        if (in == TN_NONE || in >= c->old.net.values.count || !c->has_rows[in])
            continue;
        if (!rule) {
            refuse(c, node,
                   "it is not known whether it computes every row by "
                   "itself");
            return;
        }
        if (rule->use == ROWS_INSIDE || rule->use == ROWS_SHAPE)
            continue;
        if (count_following(c, in, &axis) != 1) {
            refuse(c, node, "the shape of what it takes is not known");
            return;
        }
        bool is_slice = tn_bytes_is(node->op->type, "Slice");
        if (!is_slice && !keeps_rows(c, node, rule, i, axis)) {
            refuse(c, node, "it combines rows");
            return;
        }
    }
}

/* After: what is computed from rows has them in exactly one dimension. */
static void check_results(struct changing *c)
{
    const struct tn_net *net = &c->now.net;

    for (uint32_t i = 0; i < c->old.net.nodes.count && !tn_failed(c->error);
         i++) {
        const struct tn_net_node node = tn_net_node(net, i);
        const struct row_rule   *rule = rule_of(&node);
        uint32_t                 axis;
        for (uint32_t k = 0; !node.is_removed && k < node.output_count; k++) {
            uint32_t out = node.outputs[k];
            if (out == TN_NONE || !c->has_rows[out])
                continue;
            uint32_t count = count_following(c, out, &axis);
            if (count == 1)
                continue;
            refuse(c, &node,
                   count ? "it gives a value with two dimensions that follow"
                   : is_comparable(c, out)
                       ? "what it gives does not have the dimension any more"
                       : "the shape of what it gives is not known");
        }
        if (rule && tn_bytes_is(node.op->type, "Slice") &&
            c->has_rows[node.inputs[0]] && !tn_failed(c->error) &&
            (axis = following_axis(c, node.inputs[0])) != TN_NONE &&
            !keeps_rows(c, &node, rule, 0, axis))
            refuse(c, &node, "it takes some of the rows");
        if (tn_bytes_is(node.op->type, "Range") && node.outputs[0] != TN_NONE &&
            following_axis(c, node.outputs[0]) != TN_NONE)
            refuse(c, &node, "it counts the rows");
    }
}

/* ---- node by node -------------------------------------------------------- */

typedef void size_changer(struct changing *c, uint32_t node,
                          const struct size_op *op);

static size_changer *const changers[] = {
    [SIZES_RESHAPE] = change_reshape, [SIZES_FLATTEN] = follow_flatten,
    [SIZES_EXPAND] = change_expand,   [SIZES_RESIZE] = change_resize,
    [SIZES_ENDS] = change_slice,      [SIZES_LENGTHS] = change_slice,
    [SIZES_RESULT] = change_result,   [SIZES_COUNT] = expect_count,
    [SIZES_CONCAT] = repeat_concat,   [SIZES_STATES] = repeat_states,
};

static void mark_rows(struct changing *c, const struct tn_net_node *node)
{
    const struct row_rule *rule = rule_of(node);
    bool                   has  = false;

    for (uint32_t i = 0; i < node->input_count; i++)
        has |= node->inputs[i] != TN_NONE &&
               node->inputs[i] < c->old.net.values.count &&
               c->has_rows[node->inputs[i]];
    if (!has || (rule && rule->use == ROWS_SHAPE))
        return;
    for (uint32_t i = 0; i < node->output_count; i++)
        if (node->outputs[i] != TN_NONE)
            c->has_rows[node->outputs[i]] = true;
}

/* Passes on what a graph in a node takes from the node's inputs; the results of
 * the node count as computed from rows if any value in the graph may be. */
static void enter_graphs(struct changing *c, const struct tn_net_node *node)
{
    for (uint32_t a = 0; a < node->attr_count; a++) {
        const struct tn_attr_value *value = &node->attrs[a].value;
        for (uint32_t k = 0; value->kind == TN_ATTR_GRAPH && k < value->count;
             k++) {
            if ((uint64_t)value->of.ints[k] >= c->now.net.graphs.count)
                continue;
            const struct tn_net_graph *g =
                tn_net_graph(&c->now.net, (uint32_t)value->of.ints[k]);
            for (uint32_t i = 0; i < g->inputs.count && i < node->input_count;
                 i++)
                if (node->inputs[i] != TN_NONE &&
                    node->inputs[i] < c->old.net.values.count)
                    c->has_rows[*tn_list_at(&g->inputs, uint32_t, i)] |=
                        c->has_rows[node->inputs[i]];
        }
    }
}

/* Merged rows stay merged where the dimension stays. */
static void follow_left(struct changing *c, const struct tn_net_node *node)
{
    for (uint32_t i = 0; i < node->input_count; i++) {
        uint32_t in = node->inputs[i];
        if (in == TN_NONE || in >= c->old.net.values.count ||
            following_axis(c, in) == TN_NONE)
            continue;
        for (uint32_t k = 0; k < node->output_count; k++)
            if (node->outputs[k] != TN_NONE)
                c->left[node->outputs[k]] = c->left[in];
        return;
    }
}

static void visit(void *context, uint32_t id)
{
    struct changing         *c    = context;
    const struct tn_net_node node = tn_net_node(&c->now.net, id);

    if (id >= c->old.net.nodes.count || tn_failed(c->error))
        return;
    /* else the file allows any number, or the graph is judged as ONNX */
    if (c->is_batch && c->is_onnx && c->from >= 0) {
        mark_rows(c, &node);
        enter_graphs(c, &node);
        check_inputs(c, &node);
    }
    follow_left(c, &node);
    if (c->from < 0 || c->is_done[id] || node.op->domain.size)
        return;
    c->is_done[id] = true;
    for (size_t i = 0; i < sizeof size_ops / sizeof *size_ops; i++)
        if (tn_bytes_is(node.op->type, size_ops[i].op) &&
            size_ops[i].dialect == c->facts->id)
            changers[size_ops[i].use](c, id, &size_ops[i]);
}

/* ---- the inputs ---------------------------------------------------------- */

/* Declarations of results in the file are those of the old size. */
static void forget_declared(struct changing *c, struct tn_net *net)
{
    const struct tn_list *inputs = &tn_net_graph(net, 0)->inputs;
    bool *is_input = tn_new(&c->arena, bool, net->values.count, c->error);

    c->declared = tn_new(&c->arena, const struct tn_net_type *,
                         net->values.count, c->error);
    for (uint32_t i = 0; c->declared && i < net->values.count; i++)
        c->declared[i] = tn_net_value(net, i).type;
    for (uint64_t i = 0; is_input && i < inputs->count; i++)
        is_input[*tn_list_at(inputs, uint32_t, i)] = true;
    for (uint32_t i = 0; is_input && i < net->values.count; i++) {
        const struct tn_net_value v = tn_net_value(net, i);
        if (v.constant || !v.type->has_rank || is_input[i] ||
            v.type->wrap != TN_NET_TENSOR)
            continue;
        struct tn_net_type type = *v.type;
        type.has_rank           = false;
        type.rank               = 0;
        type.dims               = NULL;
        type.symbols            = NULL;
        tn_net_set_type(net, i, &type);
    }
}

static void set_input_dim(struct changing *c, uint32_t value, uint32_t axis)
{
    struct tn_net_type type = *now_type(c, value);
    int64_t           *dims = tn_new(&c->arena, int64_t, type.rank, c->error);

    if (!dims)
        return;
    memcpy(dims, type.dims, type.rank * sizeof *dims);
    dims[axis]   = c->to;
    type.dims    = dims;
    type.symbols = NULL;
    tn_net_set_type(&c->now.net, value, &type);
    c->has_rows[value] = true;
}

static bool make_tables(struct changing *c)
{
    uint64_t values = c->old.net.values.count;

    c->has_rows = tn_new(&c->arena, bool, values, c->error);
    c->left     = tn_new(&c->arena, int64_t, values, c->error);
    c->is_done  = tn_new(&c->arena, bool, c->old.net.nodes.count, c->error);
    for (uint64_t i = 0; c->left && i < values; i++)
        c->left[i] = 1;
    return !tn_failed(c->error);
}

/* ---- the draft ----------------------------------------------------------- */

/* Ints as elements of a tensor. */
static bool make_elements(struct changing *c, enum tn_dtype dtype,
                          const int64_t *items, uint32_t count,
                          struct tn_elements *made)
{
    struct tn_arena  *arena  = c->draft->arena;
    unsigned          width  = dtype == TN_INT32 ? 4 : 8;
    uint64_t          size   = (uint64_t)count * width;
    struct tn_source *source = tn_new(arena, struct tn_source, 1, c->error);
    uint8_t          *bytes  = tn_new(arena, uint8_t, size, c->error);
    uint64_t         *dims   = tn_new(arena, uint64_t, 1, c->error);

    if (!source || !bytes || !dims)
        return false;
    for (uint32_t i = 0; i < count; i++)
        for (unsigned k = 0; k < width; k++)
            bytes[i * width + k] = (uint8_t)((uint64_t)items[i] >> (8 * k));
    dims[0] = count;
    tn_source_memory(source, c->draft->memory, tn_bytes(bytes, (size_t)size));
    made->shape = (struct tn_shape){ dtype, 1, dims };
    made->payload =
        tn_payload_raw(&made->shape, (struct tn_span){ source, 0, size }, 1);
    return true;
}

static enum tn_status set_one(struct changing *c, uint32_t op, const char *name,
                              struct tn_attr_value value)
{
    return tn_draft_set_attr(c->draft, op, name, &value, c->error);
}

/* A constant of a dialect whose constants are nodes. */
static enum tn_status add_constant_op(struct changing *c, uint32_t graph,
                                      uint32_t before, const char *name,
                                      const struct tn_elements *elements)
{
    struct tn_tensor *tensor =
        tn_new(c->draft->arena, struct tn_tensor, 1, c->error);
    const struct tn_tensor **one =
        tn_new(c->draft->arena, const struct tn_tensor *, 1, c->error);
    int64_t  dtype = (int64_t)elements->shape.dtype;
    uint32_t op;

    if (!tensor || !one)
        return c->error->status;
    tensor->elements = *elements;
    tensor->node = tensor->slot = tensor->part = TN_NONE;
    *one                                       = tensor;
    TN_TRY(tn_draft_add_op(c->draft, graph, before,
                           &(struct tn_op_spec){ .name         = name,
                                                 .type         = "Const",
                                                 .outputs      = &name,
                                                 .output_count = 1 },
                           &op, c->error));
    TN_TRY(set_one(c, op, "dtype",
                   (struct tn_attr_value){
                       .kind = TN_ATTR_DTYPE, .count = 1, .of.ints = &dtype }));
    return set_one(c, op, "value",
                   (struct tn_attr_value){
                       .kind = TN_ATTR_TENSOR, .count = 1, .of.tensors = one });
}

/* `before`: the op that takes the constant. */
static enum tn_status add_typed(struct changing *c, struct tn_fresh *fresh,
                                uint32_t before, const char *wish,
                                enum tn_dtype dtype, const int64_t *items,
                                uint32_t count, const char **name)
{
    uint32_t           graph = tn_model_op_at(c->model, before)->graph;
    struct tn_elements made;

    *name = tn_fresh_name(fresh, tn_text(wish), "", c->error);
    if (tn_failed(c->error) || !make_elements(c, dtype, items, count, &made))
        return c->error->status;
    if (c->facts->has_constant_ops)
        return add_constant_op(c, graph, before, *name, &made);
    return tn_draft_add_tensor(c->draft, graph, *name, &made, c->error);
}

static enum tn_status add_ints(struct changing *c, struct tn_fresh *fresh,
                               uint32_t before, const char *wish,
                               const int64_t *items, uint32_t count,
                               const char **name)
{
    return add_typed(c, fresh, before, wish, TN_INT64, items, count, name);
}

/* Graphs of the net and of the model are the same, and op ids are the model's.
 */
static uint32_t graph_of(const struct changing *c, uint32_t op)
{
    return tn_model_op_at(c->model, op)->graph;
}

/* In a file of SameDiff, the ints are the last of a list of all arguments. */
static enum tn_status put_attr(struct changing *c, const struct new_ints *row)
{
    struct tn_error      none = TN_ERROR_INIT;
    struct tn_attr_value old;
    const char          *name  = row->attr;
    uint32_t             count = row->count, before = 0;

    if (tn_draft_get_attr(c->draft, row->op, name, &c->arena, &old, &none) !=
        TN_OK) {
        name = "iArgs";
        TN_TRY(tn_draft_get_attr(c->draft, row->op, name, &c->arena, &old,
                                 c->error));
        before = old.kind == TN_ATTR_INT && old.count >= count
                     ? old.count - count
                     : UINT32_MAX;
        if (before == UINT32_MAX || memcmp(old.of.ints + before, row->was,
                                           count * sizeof *row->was) != 0)
            return tn_error_set(c->error, TN_UNSUPPORTED, TN_NOWHERE,
                                "'%.*s' has sizes among other arguments",
                                TN_FMT(tn_model_op(c->model, row->op).name));
    }
    int64_t *all =
        tn_new(c->draft->arena, int64_t, (uint64_t)before + count, c->error);
    if (!all)
        return c->error->status;
    if (before)
        memcpy(all, old.of.ints, before * sizeof *all);
    memcpy(all + before, row->items, count * sizeof *all);
    return set_one(c, row->op, name,
                   (struct tn_attr_value){ .kind    = TN_ATTR_INT,
                                           .is_list = true,
                                           .count   = before + count,
                                           .of.ints = all });
}

/* Equal ones of a graph are one. */
static enum tn_status put_constants(struct changing *c, struct tn_fresh *fresh)
{
    struct tn_intern known; /* graph and items, as bytes */
    struct tn_list   names; /* const char *, by what is known */
    int64_t          key[RANK_MOST + 2];

    tn_intern_init(&known, &c->arena);
    tn_list_init(&names, c->draft->memory, sizeof(const char *));
    for (uint64_t i = 0; i < c->ints.count && !tn_failed(c->error); i++) {
        const struct new_ints *row = tn_list_at(&c->ints, struct new_ints, i);
        if (row->attr) {
            put_attr(c, row);
            continue;
        }
        key[0] = graph_of(c, row->op);
        key[1] = row->dtype;
        memcpy(key + 2, row->items, row->count * sizeof *key);
        uint32_t id = tn_intern_copy(
            &known, tn_bytes(key, (row->count + 2) * sizeof *key), c->error);
        if (id == names.count) {
            const char **slot = tn_list_push(&names, const char *, c->error);
            if (slot)
                add_typed(c, fresh, row->op, "dims", row->dtype, row->items,
                          row->count, slot);
        }
        if (!tn_failed(c->error))
            tn_draft_set_input(c->draft, row->op, row->input,
                               *tn_list_at(&names, const char *, id), c->error);
        if (!tn_failed(c->error) && row->also)
            set_one(c, row->op, row->also,
                    (struct tn_attr_value){ .kind    = TN_ATTR_INT,
                                            .is_list = true,
                                            .count   = row->count,
                                            .of.ints = row->items });
    }
    tn_list_done(&names);
    tn_intern_done(&known);
    return c->error->status;
}

/* Constants that nothing uses any more. */
static enum tn_status drop_replaced(struct changing *c)
{
    uint32_t *uses = tn_net_count_uses(&c->old.net, &c->arena);

    if (!uses)
        return c->error->status;
    for (uint64_t i = 0; i < c->ints.count; i++)
        if (!tn_list_at(&c->ints, struct new_ints, i)->attr)
            uses[tn_list_at(&c->ints, struct new_ints, i)->value]--;
    for (uint64_t i = 0; i < c->ints.count; i++) {
        uint32_t value = tn_list_at(&c->ints, struct new_ints, i)->value;
        if (value == TN_NONE)
            continue;
        const struct tn_net_value v = tn_net_value(&c->old.net, value);
        if (uses[value])
            continue;
        uses[value] = 1; /* once */
        if (v.producer != TN_NONE) {
            const struct tn_net_node node =
                tn_net_node(&c->old.net, v.producer);
            if (node.source != TN_NONE && node.input_count == 0 &&
                node.output_count == 1)
                TN_TRY(tn_draft_remove_op(c->draft, node.source, c->error));
        } else if (v.origin && v.origin->node != TN_NONE &&
                   v.origin->graph != TN_NONE) {
            TN_TRY(tn_draft_remove_op(
                c->draft,
                tn_model_graph_at(c->model, v.origin->graph)->first_op +
                    v.origin->node,
                c->error));
        } else if (v.origin && v.origin->node == TN_NONE) {
            uint64_t row =
                (uint64_t)(v.origin -
                           (const struct tn_tensor *)c->model->tensors.items);
            uint32_t there =
                tn_model_find_value(c->model, v.origin->graph, v.origin->name);
            if (row < c->draft->tensors.count && there != TN_NONE &&
                tn_model_value_at(c->model, there)->kind ==
                    TN_VALUE_INITIALIZER)
                tn_list_at(&c->draft->tensors, struct tn_draft_tensor, row)
                    ->is_removed = true;
        }
    }
    return TN_OK;
}

static enum tn_status add_node(struct changing *c, uint32_t graph,
                               uint32_t before, const char *type,
                               const char *name, const char *const *inputs,
                               uint32_t count, uint32_t *op)
{
    return tn_draft_add_op(c->draft, graph, before,
                           &(struct tn_op_spec){ .name         = name,
                                                 .type         = type,
                                                 .inputs       = inputs,
                                                 .input_count  = count,
                                                 .outputs      = &name,
                                                 .output_count = 1 },
                           op, c->error);
}

/* The shape that Expand repeats to: ones, and the size; an open size is that of
 * an input. */
static enum tn_status put_target(struct changing *c, struct tn_fresh *fresh,
                                 const struct new_rows *row, uint32_t graph,
                                 const char **name)
{
    int64_t         ones[RANK_MOST];
    int64_t         axis = c->source_axis, zero = 0;
    const char     *shape, *index, *size, *before, *after;
    uint32_t        op;
    struct tn_bytes input = tn_bytes_dup(
        &c->arena, tn_net_value(&c->now.net, c->source).name, c->error);

    for (uint32_t i = 0; i < RANK_MOST; i++)
        ones[i] = 1;
    if (!c->is_open) {
        ones[row->axis] = c->to;
        return add_ints(c, fresh, row->op, "rows_shape", ones, row->rank, name);
    }
    shape = tn_fresh_name(fresh, tn_text("rows_of"), "", c->error);
    size  = tn_fresh_name(fresh, tn_text("rows_size"), "", c->error);
    *name = tn_fresh_name(fresh, tn_text("rows_shape"), "", c->error);
    TN_TRY(add_node(c, graph, row->op, "Shape", shape,
                    (const char *const[]){ (const char *)input.data }, 1, &op));
    TN_TRY(add_ints(c, fresh, row->op, "rows_axis", &axis, 1, &index));
    TN_TRY(add_node(c, graph, row->op, "Gather", size,
                    (const char *const[]){ shape, index }, 2, &op));
    const char *parts[3];
    uint32_t    count = 0;
    if (row->axis) {
        TN_TRY(
            add_ints(c, fresh, row->op, "rows_ones", ones, row->axis, &before));
        parts[count++] = before;
    }
    parts[count++] = size;
    if (row->axis + 1 < row->rank) {
        TN_TRY(add_ints(c, fresh, row->op, "rows_ones", ones,
                        row->rank - row->axis - 1, &after));
        parts[count++] = after;
    }
    TN_TRY(add_node(c, graph, row->op, "Concat", *name, parts, count, &op));
    return tn_draft_set_attr(c->draft, op, "axis",
                             &(struct tn_attr_value){ .kind    = TN_ATTR_INT,
                                                      .count   = 1,
                                                      .of.ints = &zero },
                             c->error);
}

static enum tn_status put_repeats(struct changing *c, struct tn_fresh *fresh)
{
    for (uint64_t i = 0; i < c->rows.count; i++) {
        const struct new_rows *row = tn_list_at(&c->rows, struct new_rows, i);
        struct tn_bytes from = tn_bytes_dup(&c->arena, row->name, c->error);
        const char     *target, *made;
        uint32_t        graph = graph_of(c, row->op), op;
        if (tn_failed(c->error))
            return c->error->status;
        TN_TRY(put_target(c, fresh, row, graph, &target));
        made = tn_fresh_name(fresh, row->name, "_rows", c->error);
        TN_TRY(add_node(
            c, graph, row->op, "Expand", made,
            (const char *const[]){ (const char *)from.data, target }, 2, &op));
        TN_TRY(
            tn_draft_set_input(c->draft, row->op, row->input, made, c->error));
    }
    return TN_OK;
}

/* The dims of `io` that follow, as numbers, or open. */
static struct tn_io follow_io(struct changing *c, const struct tn_io *io,
                              uint32_t value)
{
    struct tn_io   made = *io;
    struct tn_dim *dims = tn_new(&c->arena, struct tn_dim, io->rank, c->error);

    if (!dims || !io->has_rank || value == TN_NONE)
        return made;
    for (uint32_t i = 0; i < io->rank; i++) {
        const struct tn_net_type *is = now_type(c, value);
        dims[i]                      = io->dims[i];
        if (is_comparable(c, value) && is->rank == io->rank) {
            if (!follows_at(c, value, i))
                continue;
            bool is_size = is->dims[i] == c->to;
            dims[i]      = c->is_open || is->dims[i] < 0
                               ? (struct tn_dim){ .value  = -1,
                                                  .symbol = c->is_open && is_size
                                                                ? c->symbol
                                                                : tn_text("") }
                               : (struct tn_dim){ .value = is->dims[i] };
        } else if (c->was.size && tn_bytes_equal(dims[i].symbol, c->was)) {
            dims[i] = c->is_open ? (struct tn_dim){ -1, c->symbol }
                                 : (struct tn_dim){ .value = c->to };
        } else if (c->from >= 0) {
            dims[i] = (struct tn_dim){ .value = -1 }; /* perhaps another now */
        }
    }
    made.dims = dims;
    return made;
}

static struct tn_io_list follow_ios(struct changing *c, struct tn_io_list was)
{
    struct tn_io *all = tn_new(&c->arena, struct tn_io, was.count, c->error);

    for (uint32_t i = 0; all && i < was.count; i++) {
        uint32_t value = find_value(c, was.items[i].name);
        bool     is_constant =
            value != TN_NONE && tn_net_value(&c->now.net, value).constant;
        all[i] =
            is_constant ? was.items[i] : follow_io(c, &was.items[i], value);
    }
    return (struct tn_io_list){ all ? was.count : 0, all };
}

static struct tn_io_list follow_list(struct changing *c, uint32_t graph,
                                     bool is_input)
{
    const struct tn_graph *row = tn_model_graph_at(c->model, graph);

    return follow_ios(c, is_input ? row->inputs : row->outputs);
}

/* Declarations of inner graphs are removed: they follow from the graph. */
static enum tn_status open_inner_lists(struct changing *c)
{
    for (uint32_t g = 1; g < c->model->graphs.count; g++) {
        const struct tn_graph *row = tn_model_graph_at(c->model, g);
        if (row->kind != TN_GRAPH_SUBGRAPH)
            continue;
        struct tn_io_list lists[2] = { row->inputs, row->outputs };
        for (int k = 0; k < 2; k++) {
            struct tn_io *all =
                tn_new(&c->arena, struct tn_io, lists[k].count, c->error);
            for (uint32_t i = 0; all && i < lists[k].count; i++) {
                all[i] = lists[k].items[i];
                struct tn_dim *dims =
                    tn_new(&c->arena, struct tn_dim, all[i].rank, c->error);
                for (uint32_t d = 0; dims && d < all[i].rank; d++)
                    dims[d].value = -1;
                all[i].dims = dims;
            }
            lists[k].items = all;
        }
        if (tn_failed(c->error))
            return c->error->status;
        TN_TRY(tn_draft_list_io(c->draft, g, lists[0], lists[1], c->error));
        TN_TRY(tn_draft_set_values(c->draft, g, (struct tn_io_list){ 0, NULL },
                                   true, c->error));
    }
    return TN_OK;
}

/* The new declaration of a value, in files that declare all: sizes that are no
 * longer known are open. */
static struct tn_io declare(struct changing *c, uint32_t value,
                            struct tn_bytes name)
{
    struct tn_io was =
        tn_known_io_of(c->declared[value], name, &c->arena, c->error);

    return follow_io(c, &was, value);
}

/* Value infos: other dims for those that the file has. */
static enum tn_status follow_values(struct changing *c)
{
    uint64_t      most  = c->old.net.values.count;
    struct tn_io *all   = tn_new(&c->arena, struct tn_io, most, c->error);
    uint32_t      count = 0;

    for (uint32_t i = 0; all && i < most; i++) {
        const struct tn_net_value v = tn_net_value(&c->now.net, i);
        if (v.graph != 0 || v.producer == TN_NONE)
            continue;
        uint32_t axis;
        if (is_comparable(c, i) && !count_following(c, i, &axis))
            continue;
        if (!c->is_onnx) {
            if (c->declared[i]->has_rank)
                all[count++] = declare(c, i, v.name);
            continue;
        }
        all[count] = (struct tn_io){ .name = v.name, .note = "" };
        if (is_comparable(c, i)) {
            struct tn_io was =
                tn_known_io_of(old_type(c, i), v.name, &c->arena, c->error);
            all[count]            = follow_io(c, &was, i);
            all[count].is_guessed = true;
        }
        count++;
    }
    return all ? tn_draft_set_values(c->draft, 0,
                                     (struct tn_io_list){ count, all }, false,
                                     c->error)
               : c->error->status;
}

/* Inputs that are nodes have their shape as an attribute; a second attribute
 * with it is removed. */
static enum tn_status set_placeholder(struct changing *c, uint32_t op,
                                      const struct tn_io *io)
{
    int64_t *dims = tn_new(c->draft->arena, int64_t, io->rank, c->error);
    struct tn_attr_shape shape = { .has_rank = true,
                                   .rank     = io->rank,
                                   .dims     = dims };

    for (uint32_t i = 0; dims && i < io->rank; i++)
        dims[i] = io->dims[i].value;
    return dims ? set_one(c, op, "shape",
                          (struct tn_attr_value){ .kind      = TN_ATTR_SHAPE,
                                                  .count     = 1,
                                                  .of.shapes = &shape })
                : c->error->status;
}

static enum tn_status set_placeholders(struct changing  *c,
                                       struct tn_io_list inputs)
{
    struct tn_arena *arena = &c->arena;

    for (uint32_t i = 0; i < inputs.count; i++) {
        uint32_t value = find_value(c, inputs.items[i].name), axis;
        uint32_t there = tn_model_find_value(
            c->model, 0,
            tn_intern_find(&c->model->names,
                           plain_name(c, inputs.items[i].name)));
        if (there != TN_NONE && value != TN_NONE &&
            count_following(c, value, &axis))
            TN_TRY(set_placeholder(c,
                                   tn_model_value_at(c->model, there)->producer,
                                   &inputs.items[i]));
    }
    for (uint32_t i = 0; i < c->model->ops.count; i++) {
        struct tn_error      none = TN_ERROR_INIT;
        struct tn_attr_value old;
        if (tn_draft_get_attr(c->draft, i, "_output_shapes", arena, &old,
                              &none) == TN_OK)
            TN_TRY(
                tn_draft_remove_attr(c->draft, i, "_output_shapes", c->error));
    }
    return TN_OK;
}

/* Signatures repeat what inputs and outputs are. */
static enum tn_status follow_signatures(struct changing *c)
{
    for (uint64_t i = 0; i < c->model->signatures.count; i++) {
        const struct tn_signature *old =
            tn_list_at(&c->model->signatures, struct tn_signature, i);
        struct tn_signature now = *old;
        now.inputs              = follow_ios(c, old->inputs);
        now.outputs             = follow_ios(c, old->outputs);
        if (tn_failed(c->error))
            return c->error->status;
        TN_TRY(tn_edit_set_signature(c->edit, &now, c->error));
    }
    return TN_OK;
}

static enum tn_status write_lists(struct changing *c)
{
    struct tn_io_list inputs  = follow_list(c, 0, true);
    struct tn_io_list outputs = follow_list(c, 0, false);

    if (tn_failed(c->error))
        return c->error->status;
    TN_TRY(tn_draft_list_io(c->draft, 0, inputs, outputs, c->error));
    if (c->model->dialect->producer_of) {
        TN_TRY(follow_signatures(c));
        return set_placeholders(c, inputs);
    }
    if (c->facts->types_values)
        TN_TRY(follow_values(c));
    return c->is_onnx ? open_inner_lists(c) : TN_OK;
}

static enum tn_status write_draft(struct changing *c)
{
    struct tn_fresh fresh;

    tn_fresh_init(&fresh, c->model, c->draft->arena);
    if (put_constants(c, &fresh) == TN_OK && put_repeats(c, &fresh) == TN_OK &&
        drop_replaced(c) == TN_OK)
        write_lists(c);
    tn_fresh_done(&fresh);
    return c->error->status;
}

/* ---- findings with the new size ------------------------------------------ */

/* The first finding about sizes. */
struct misfit {
    bool is_found;
    char where[120], what[400];
};

static int hear(void *context, const struct tn_finding *finding)
{
    static const char *const rules[] = { "size-mismatch", "wrong-length",
                                         "rank-mismatch" };
    struct misfit           *misfit  = context;

    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (!misfit->is_found && !strcmp(finding->rule, rules[i])) {
            misfit->is_found = true;
            snprintf(misfit->where, sizeof misfit->where, "%s", finding->where);
            snprintf(misfit->what, sizeof misfit->what, "%s", finding->what);
        }
    return misfit->is_found;
}

/* Replaces "graph.node[3]" by the name of the node. */
static struct tn_bytes name_at(const struct tn_model *made, const char *where)
{
    const char *open = strrchr(where, '[');
    uint64_t    at   = open ? strtoul(open + 1, NULL, 10) : UINT64_MAX;

    if (!open || strncmp(where, "graph.node[", 11) != 0 || strchr(open, '.') ||
        at >= tn_model_graph_at(made, 0)->op_count)
        return tn_text(where);
    struct tn_bytes name = tn_model_op(made, (uint32_t)at).name;
    return name.size ? name : tn_text(where);
}

/* The graph with the new size, judged as a conversion would judge it.  It takes
 * the net apart. */
static enum tn_status judge_sizes(struct changing *c)
{
    const struct tn_format *format  = tn_opened_of(c->model)->format;
    struct tn_error         failure = TN_ERROR_INIT;
    struct misfit           misfit  = { .is_found = false };
    struct tn_validity      how     = { .is_forced = true,
                                        .each      = hear,
                                        .context   = &misfit };
    struct tn_opened       *made;

    TN_TRY(tn_opened_new(&made, NULL, c->error));
    made->format       = format;
    made->model.format = format->name;
    made->model.title  = format->title;
    if (tn_net_order(&c->now.net, NULL) == TN_OK &&
        tn_net_lay_out(&c->now.net, format->dialect_ops, &made->model, NULL,
                       NULL, &failure) == TN_OK)
        tn_refuse_made(&made->model, format, &how, &failure);
    if (failure.status == TN_NO_MEMORY || failure.status == TN_CANCELLED)
        *c->error = failure;
    else if (misfit.is_found)
        tn_error_because(
            c->error, TN_UNSUPPORTED, TN_REASON_RULE_REFUSED, TN_NOWHERE,
            "'%.*s' does not work with another size: %s",
            TN_FMT(name_at(&made->model, misfit.where)), misfit.what);
    tn_opened_release(made);
    return c->error->status;
}

/* ---- the whole ----------------------------------------------------------- */

/* A number for an open size that is not a size of the graph. */
enum { PROBE = 13, OTHER_PROBE = 17 };

/* Arguments as rules about shapes know them. */
static enum tn_status prepare(struct changing *c, struct tn_known *known)
{
    if (c->facts->id == TN_DIALECT_PADDLE)
        return tn_paddle_tidy(&known->net, NULL);
    if (tn_failed(&known->refusal))
        *c->error = known->refusal;
    return c->error->status;
}

static enum tn_status load_both(struct changing *c)
{
    TN_TRY(tn_known_open(&c->old, c->draft->memory, c->model, c->error));
    TN_TRY(tn_known_open(&c->now, c->draft->memory, c->model, c->error));
    TN_TRY(prepare(c, &c->old));
    TN_TRY(prepare(c, &c->now));
    forget_declared(c, &c->old.net);
    forget_declared(c, &c->now.net);
    return make_tables(c) ? TN_OK : c->error->status;
}

static enum tn_status infer_both(struct changing *c)
{
    TN_TRY(tn_known_infer(&c->old));
    TN_TRY(tn_infer_open(&c->now.facts, &c->now.net, c->now.shapes));
    tn_infer_visit(c->now.facts, visit, c);
    TN_TRY(tn_infer_run(c->now.facts));
    if (c->is_batch && c->is_onnx && c->from >= 0)
        check_results(c);
    return c->error->status;
}

/* Which inputs have the dimension: by name, by the same symbol, or, for rows,
 * the first of those that are equal. */
static bool is_meant(const struct changing *c, const struct tn_dim_change *how,
                     const struct tn_io *io, uint32_t axis)
{
    const struct tn_dim *dim = &io->dims[axis];

    if (c->was.size && tn_bytes_equal(dim->symbol, c->was))
        return true;
    if (!how)
        return axis == 0 && !c->was.size && dim->value == c->from &&
               !dim->symbol.size;
    return is_called(c, io, how->input) && axis == how->axis;
}

/* NULL: for rows. */
static enum tn_status find_first(struct changing            *c,
                                 const struct tn_dim_change *how)
{
    struct tn_io_list inputs   = tn_model_graph_at(c->model, 0)->inputs;
    bool              is_there = false;

    const struct tn_io *unknown = NULL;
    for (uint32_t i = 0; i < inputs.count; i++) {
        const struct tn_io *io = &inputs.items[i];
        if (!io->has_rank && !unknown)
            unknown = io;
        is_there |= how && is_called(c, io, how->input);
        for (uint32_t k = 0; io->has_rank && !io->has_default && k < io->rank;
             k++) {
            bool is_it = !how ? k == 0
                         : how->input.size
                             ? is_called(c, io, how->input) && k == how->axis
                             : tn_bytes_equal(io->dims[k].symbol, how->was);
            if (!is_it)
                continue;
            c->from        = io->dims[k].symbol.size ? -1 : io->dims[k].value;
            c->was         = io->dims[k].symbol;
            c->input       = io->name;
            c->source_axis = k;
            return TN_OK;
        }
    }
    if (!how && unknown)
        return tn_error_set(c->error, TN_UNSUPPORTED, TN_NOWHERE,
                            "the rank of input '%.*s' is not known: the file "
                            "does not say its shape",
                            TN_FMT(unknown->name));
    if (!how)
        return tn_error_set(c->error, TN_INVALID, TN_NOWHERE,
                            "no input has a first dimension of its own");
    if (!how->input.size)
        return tn_error_set(c->error, TN_NOT_FOUND, TN_NOWHERE,
                            "no dimension of an input is called '%.*s'",
                            TN_FMT(how->was));
    if (!is_there)
        return tn_error_set(c->error, TN_NOT_FOUND, TN_NOWHERE,
                            "no input is called '%.*s'", TN_FMT(how->input));
    return tn_error_set(c->error, TN_INVALID, TN_NOWHERE,
                        "input '%.*s' has no dimension %" PRIu32
                        ", or its rank is not known",
                        TN_FMT(how->input), how->axis);
}

static enum tn_status set_inputs(struct changing            *c,
                                 const struct tn_dim_change *how)
{
    struct tn_io_list inputs   = tn_model_graph_at(c->model, 0)->inputs;
    bool              is_first = true;

    for (uint32_t i = 0; i < inputs.count; i++) {
        const struct tn_io *io    = &inputs.items[i];
        uint32_t            value = find_value(c, io->name);
        for (uint32_t k = 0; io->has_rank && !io->has_default &&
                             value != TN_NONE && k < io->rank;
             k++) {
            if (!is_meant(c, how, io, k))
                continue;
            set_input_dim(c, value, k);
            if (is_first)
                c->source = value;
            is_first = false;
        }
    }
    return c->error->status;
}

static enum tn_status run_change(struct changing            *c,
                                 const struct tn_dim_change *how)
{
    TN_TRY(find_first(c, how));
    if (!c->is_open && c->from == c->to)
        return TN_OK;
    if (c->is_open)
        c->to = c->from == PROBE ? OTHER_PROBE : PROBE;
    TN_TRY(load_both(c));
    TN_TRY(set_inputs(c, how));
    TN_TRY(infer_both(c));
    TN_TRY(write_draft(c));
    return c->is_onnx ? judge_sizes(c) : TN_OK;
}

static enum tn_status change_dims(struct tn_edit             *edit,
                                  const struct tn_dim_change *how, int64_t size,
                                  struct tn_bytes  symbol,
                                  struct tn_error *error)
{
    struct tn_draft *draft = &edit->draft;
    struct changing  c     = { .edit     = edit,
                               .draft    = draft,
                               .model    = draft->base,
                               .error    = error,
                               .to       = size,
                               .symbol   = symbol,
                               .is_open  = size < 0,
                               .is_batch = !how };

    if (size == 0)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "a dimension of size 0 has no elements: give at "
                            "least 1");
    c.facts   = tn_dialect_facts(draft->dialect->name);
    c.is_onnx = c.facts->lists_io;
    tn_arena_init(&c.arena, draft->memory);
    tn_list_init(&c.ints, draft->memory, sizeof(struct new_ints));
    tn_list_init(&c.rows, draft->memory, sizeof(struct new_rows));
    run_change(&c, how);
    bool needs_proof = !c.is_onnx && c.from >= 0 && c.from != size;
    tn_known_close(&c.now);
    tn_known_close(&c.old);
    tn_list_done(&c.rows);
    tn_list_done(&c.ints);
    tn_arena_done(&c.arena);
    if (tn_failed(error) || !needs_proof)
        return error->status;
    struct tn_dim_change same =
        how ? *how : (struct tn_dim_change){ .axis = 0 };
    if (same.input.size)
        same.input = c.input;
    return tn_edit_prove_dims(edit, how ? &same : NULL, size, symbol, c.to,
                              error);
}

enum tn_status tn_edit_change_dim(struct tn_edit             *edit,
                                  const struct tn_dim_change *change,
                                  struct tn_error            *error)
{
    return change_dims(edit, change, change->size, change->symbol, error);
}

enum tn_status tn_edit_change_rows(struct tn_edit *edit, int64_t size,
                                   struct tn_bytes  symbol,
                                   struct tn_error *error)
{
    return change_dims(edit, NULL, size, symbol, error);
}
