/*
 * lang_attr.c - attributes of nodes as items of the rule language, and back
 *
 * From an attribute to an item, numbers stay numbers and lists stay lists; what
 * rules can only pass on (functions, types) is opaque.  From an item to an
 * attribute, the vocabulary of the target decides the type: 1 becomes a float
 * if the attribute is one.
 */
#include "map/lang/lang_attr.h"

#include "base/number.h"

/* ---- in ----------------------------------------------------------------- */

static struct tn_item shape_item(const struct tn_attr_shape *shape,
                                 struct tn_arena *arena, struct tn_error *error)
{
    if (!shape->has_rank)
        return tn_item_unknown(NULL);
    struct tn_item *dims = tn_new(arena, struct tn_item, shape->rank, error);
    for (uint32_t i = 0; dims && i < shape->rank; i++)
        dims[i] = shape->dims[i] < 0 ? tn_item_unknown(NULL)
                                     : tn_item_int(shape->dims[i]);
    return tn_item_list(dims, dims ? shape->rank : 0);
}

static struct tn_item one_item(const struct tn_attr_value *value, uint32_t i,
                               struct tn_arena *arena, struct tn_error *error)
{
    switch (value->kind) {
    case TN_ATTR_INT: return tn_item_int(value->of.ints[i]);
    case TN_ATTR_BOOL: return tn_item_bool(value->of.ints[i] != 0);
    case TN_ATTR_FLOAT: return tn_item_float((double)value->of.floats[i]);
    case TN_ATTR_DOUBLE: return tn_item_float(value->of.doubles[i]);
    case TN_ATTR_STRING: return tn_item_text(value->of.strings[i]);
    case TN_ATTR_DTYPE:
        return tn_item_dtype((enum tn_dtype)value->of.ints[i], TN_NET_TENSOR);
    case TN_ATTR_SHAPE: return shape_item(&value->of.shapes[i], arena, error);
    case TN_ATTR_TENSOR:
        return (struct tn_item){ .kind      = TN_ITEM_TENSOR,
                                 .of.tensor = value->of.tensors[i] };
    case TN_ATTR_GRAPH:
        return (struct tn_item){ .kind      = TN_ITEM_GRAPH,
                                 .of.number = value->of.ints[i] };
    default: return (struct tn_item){ .kind = TN_ITEM_OTHER, .of.attr = value };
    }
}

bool tn_attr_to_item(const struct tn_attr_value *value, struct tn_arena *arena,
                     struct tn_item *out, struct tn_error *error)
{
    bool is_opaque = value->kind == TN_ATTR_FUNCTION ||
                     value->kind == TN_ATTR_REFERENCE ||
                     value->kind == TN_ATTR_OTHER;

    if (value->kind == TN_ATTR_NONE) {
        *out = tn_item_none();
        return true;
    }
    if (!value->is_list || is_opaque) {
        *out = one_item(value, 0, arena, error);
        return !tn_failed(error);
    }
    struct tn_item *items = tn_new(arena, struct tn_item, value->count, error);
    for (uint32_t i = 0; items && i < value->count; i++)
        items[i] = one_item(value, i, arena, error);
    *out = tn_item_list(items, value->count);
    return items && !tn_failed(error);
}

/* ---- out ---------------------------------------------------------------- */

struct tn_bytes tn_attr_item_type(struct tn_bytes type)
{
    const size_t frame = sizeof "list()" - 1;

    if (type.size > frame && tn_bytes_starts_with(type, "list("))
        return tn_bytes(type.data + 5, type.size - frame);
    return type;
}

enum tn_attr_kind tn_attr_kind_of(struct tn_bytes type)
{
    static const struct {
        const char       *word;
        enum tn_attr_kind kind;
    } words[] = {
        { "int", TN_ATTR_INT },       { "float", TN_ATTR_FLOAT },
        { "bool", TN_ATTR_BOOL },     { "string", TN_ATTR_STRING },
        { "type", TN_ATTR_DTYPE },    { "shape", TN_ATTR_SHAPE },
        { "tensor", TN_ATTR_TENSOR }, { "graph", TN_ATTR_GRAPH },
        { "func", TN_ATTR_FUNCTION },
    };

    type = tn_attr_item_type(type);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (tn_bytes_is(type, words[i].word))
            return words[i].kind;
    return TN_ATTR_NONE;
}

/* The type of items if the vocabulary gives none: float if one of them is a
 * float. */
static enum tn_attr_kind natural_kind(const struct tn_item *items,
                                      uint32_t              count)
{
    static const enum tn_attr_kind kinds[] = {
        [TN_ITEM_BOOL] = TN_ATTR_BOOL,   [TN_ITEM_INT] = TN_ATTR_INT,
        [TN_ITEM_FLOAT] = TN_ATTR_FLOAT, [TN_ITEM_STRING] = TN_ATTR_STRING,
        [TN_ITEM_DTYPE] = TN_ATTR_DTYPE, [TN_ITEM_TENSOR] = TN_ATTR_TENSOR,
        [TN_ITEM_GRAPH] = TN_ATTR_GRAPH, [TN_ITEM_LIST] = TN_ATTR_SHAPE,
        [TN_ITEM_OTHER] = TN_ATTR_OTHER,
    };

    if (!count)
        return TN_ATTR_INT;
    for (uint32_t i = 0; i < count; i++)
        if (items[i].kind == TN_ITEM_FLOAT)
            return TN_ATTR_FLOAT;
    return kinds[items[0].kind];
}

static bool put_ints(enum tn_attr_kind kind, const struct tn_item *items,
                     uint32_t count, int64_t *to)
{
    uint32_t wanted = kind == TN_ATTR_DTYPE   ? TN_ITEM_DTYPE
                      : kind == TN_ATTR_GRAPH ? TN_ITEM_GRAPH
                                              : TN_ITEM_INT;

    for (uint32_t i = 0; i < count; i++) {
        if (wanted != TN_ITEM_INT && items[i].kind != wanted)
            return false;
        if (wanted != TN_ITEM_INT)
            to[i] = items[i].of.number;
        else if (!tn_item_to_int(items[i], &to[i]))
            return false;
        if (kind == TN_ATTR_BOOL)
            to[i] = to[i] != 0;
    }
    return true;
}

static bool put_shape(struct tn_item item, struct tn_arena *arena,
                      struct tn_attr_shape *to, struct tn_error *error)
{
    if (item.kind == TN_ITEM_UNKNOWN)
        return true;
    if (item.kind != TN_ITEM_LIST)
        return false;
    int64_t *dims = tn_new(arena, int64_t, item.count, error);
    for (uint32_t i = 0; dims && i < item.count; i++)
        if (item.of.items[i].kind == TN_ITEM_UNKNOWN)
            dims[i] = -1;
        else if (!tn_item_to_int(item.of.items[i], &dims[i]))
            return false;
    *to = (struct tn_attr_shape){ true, item.count, dims };
    return dims != NULL;
}

static bool put_texts(const struct tn_item *items, uint32_t count,
                      struct tn_arena *arena, struct tn_bytes *to,
                      struct tn_error *error)
{
    for (uint32_t i = 0; i < count; i++) {
        if (items[i].kind != TN_ITEM_STRING)
            return false;
        to[i] = tn_bytes_dup(arena, tn_item_bytes(items[i]), error);
        if (!to[i].data)
            return false;
    }
    return true;
}

static bool put_reals(const struct tn_item *items, uint32_t count,
                      float *floats, double *doubles)
{
    for (uint32_t i = 0; i < count; i++) {
        double real;
        if (!tn_item_to_double(items[i], &real))
            return false;
        if (floats)
            floats[i] = tn_double_to_float(real);
        else
            doubles[i] = real;
    }
    return true;
}

static bool make_reals(const struct tn_item *items, uint32_t count,
                       bool has_doubles, struct tn_arena *arena,
                       struct tn_attr_value *out, struct tn_error *error)
{
    float  *floats  = NULL;
    double *doubles = NULL;

    if (has_doubles)
        out->of.doubles = doubles = tn_new(arena, double, count, error);
    else
        out->of.floats = floats = tn_new(arena, float, count, error);
    out->kind = has_doubles ? TN_ATTR_DOUBLE : TN_ATTR_FLOAT;
    return (floats || doubles) && put_reals(items, count, floats, doubles);
}

static bool make_ints(const struct tn_item *items, uint32_t count,
                      struct tn_arena *arena, struct tn_attr_value *out,
                      struct tn_error *error)
{
    int64_t *ints = tn_new(arena, int64_t, count, error);

    out->of.ints = ints;
    return ints && put_ints(out->kind, items, count, ints);
}

static bool make_texts(const struct tn_item *items, uint32_t count,
                       struct tn_arena *arena, struct tn_attr_value *out,
                       struct tn_error *error)
{
    struct tn_bytes *texts = tn_new(arena, struct tn_bytes, count, error);

    out->of.strings = texts;
    return texts && put_texts(items, count, arena, texts, error);
}

static bool make_shapes(const struct tn_item *items, uint32_t count,
                        struct tn_arena *arena, struct tn_attr_value *out,
                        struct tn_error *error)
{
    struct tn_attr_shape *shapes =
        tn_new(arena, struct tn_attr_shape, count, error);

    out->of.shapes = shapes;
    for (uint32_t i = 0; shapes && i < count; i++)
        if (!put_shape(items[i], arena, &shapes[i], error))
            return false;
    return shapes != NULL;
}

static bool make_tensors(const struct tn_item *items, uint32_t count,
                         struct tn_arena *arena, struct tn_attr_value *out,
                         struct tn_error *error)
{
    const struct tn_tensor **tensors =
        tn_new(arena, const struct tn_tensor *, count, error);

    out->of.tensors = tensors;
    for (uint32_t i = 0; tensors && i < count; i++) {
        if (items[i].kind != TN_ITEM_TENSOR)
            return false;
        tensors[i] = items[i].of.tensor;
    }
    return tensors != NULL;
}

static bool make_value(const struct tn_item *items, uint32_t count,
                       bool has_doubles, struct tn_arena *arena,
                       struct tn_attr_value *out, struct tn_error *error)
{
    switch (out->kind) {
    case TN_ATTR_INT:
    case TN_ATTR_BOOL:
    case TN_ATTR_DTYPE:
    case TN_ATTR_GRAPH: return make_ints(items, count, arena, out, error);
    case TN_ATTR_FLOAT:
        return make_reals(items, count, has_doubles, arena, out, error);
    case TN_ATTR_STRING: return make_texts(items, count, arena, out, error);
    case TN_ATTR_SHAPE: return make_shapes(items, count, arena, out, error);
    case TN_ATTR_TENSOR: return make_tensors(items, count, arena, out, error);
    default: return false;
    }
}

static const char *const wanted[] = {
    [TN_ATTR_NONE]     = "is of no kind that an attribute can be",
    [TN_ATTR_INT]      = "is to be of ints",
    [TN_ATTR_FLOAT]    = "is to be of floats",
    [TN_ATTR_BOOL]     = "is to be of bools",
    [TN_ATTR_STRING]   = "is to be of strings",
    [TN_ATTR_DTYPE]    = "is to be a type",
    [TN_ATTR_SHAPE]    = "is to be a shape",
    [TN_ATTR_TENSOR]   = "is to be a tensor",
    [TN_ATTR_GRAPH]    = "is to be a graph",
    [TN_ATTR_FUNCTION] = "is to be a function",
};

const char *tn_attr_from_item(struct tn_item             item,
                              const struct tn_attr_wish *wish,
                              struct tn_arena *arena, struct tn_attr_value *out,
                              struct tn_error *error)
{
    /* A list is the value of one shape, unless shapes are wanted. */
    bool is_shape               = wish->kind == TN_ATTR_SHAPE && !wish->is_list;
    bool is_list                = item.kind == TN_ITEM_LIST && !is_shape;
    const struct tn_item *items = is_list ? item.of.items : &item;
    uint32_t              count = is_list ? item.count : 1;

    if (item.kind == TN_ITEM_OTHER) {
        *out = *item.of.attr;
        return NULL;
    }
    if (wish->kind != TN_ATTR_NONE && wish->is_list && !is_list)
        return "is to be a list";
    if (wish->kind != TN_ATTR_NONE && !wish->is_list && is_list)
        return "is not to be a list";
    *out = (struct tn_attr_value){
        .kind    = wish->kind != TN_ATTR_NONE ? wish->kind
                                              : natural_kind(items, count),
        .is_list = is_list,
        .count   = count,
    };
    enum tn_attr_kind kind = out->kind;
    if (make_value(items, count, wish->has_doubles, arena, out, error))
        return NULL;
    return tn_failed(error) ? "" : wanted[kind <= TN_ATTR_FUNCTION ? kind : 0];
}
