/*
 * pickle_call.c - constructors: recognised by name and arguments, never called
 *
 * A pickle builds what is no plain data by calls (REDUCE, NEWOBJ) of a name
 * with a tuple of arguments, and by states given to what a call made (BUILD).
 * Those that data needs are listed here, with the shapes that numpy and Paddle
 * give to their arguments.
 */
#include "base/arith.h"
#include "wire/pickle/pickle_machine.h"

/* Names a pickle may use, and what they make. */
enum name {
    NAME_RECONSTRUCT,
    NAME_FROM_BUFFER,
    NAME_NDARRAY,
    NAME_DTYPE,
    NAME_SCALAR,
    NAME_ORDERED_DICT,
    NAME_ENCODE,
    NAME_BYTES,
    NAME_TUPLE,
    NAME_EVAL
};

static const struct {
    const char *module, *name;
    enum name   is;
} names[] = {
    { "numpy.core.multiarray", "_reconstruct", NAME_RECONSTRUCT },
    { "numpy._core.multiarray", "_reconstruct", NAME_RECONSTRUCT },
    { "numpy.core.numeric", "_frombuffer", NAME_FROM_BUFFER },
    { "numpy._core.numeric", "_frombuffer", NAME_FROM_BUFFER },
    { "numpy.core.multiarray", "scalar", NAME_SCALAR },
    { "numpy._core.multiarray", "scalar", NAME_SCALAR },
    { "numpy", "ndarray", NAME_NDARRAY },
    { "numpy", "dtype", NAME_DTYPE },
    { "collections", "OrderedDict", NAME_ORDERED_DICT },
    { "_codecs", "encode", NAME_ENCODE },
    { "builtins", "bytes", NAME_BYTES },
    { "__builtin__", "bytes", NAME_BYTES },
    { "builtins", "tuple", NAME_TUPLE },
    { "__builtin__", "tuple", NAME_TUPLE },
    { "builtins", "eval", NAME_EVAL },
    { "__builtin__", "eval", NAME_EVAL },
};

void tn_pickle_push_name(struct tn_pickle_machine *m, struct tn_bytes module,
                         struct tn_bytes name)
{
    if (tn_failed(m->error))
        return;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (tn_bytes_is(module, names[i].module) &&
            tn_bytes_is(name, names[i].name)) {
            struct tn_pickle *value = tn_pickle_push_new(m, TN_PICKLE_NAME);
            if (value)
                value->as.name = names[i].is;
            return;
        }
    }
    tn_fail_at(m->c, m->at, TN_UNSUPPORTED,
               "the pickle calls %.*s.%.*s, which is never done",
               (int)tn_min(module.size, 60), (const char *)module.data,
               (int)tn_min(name.size, 60), (const char *)name.data);
}

typedef const struct tn_pickle *const *arguments;

static bool is_name(const struct tn_pickle *value, enum name name)
{
    return value->kind == TN_PICKLE_NAME && value->as.name == name;
}

/* Python 2 has no bool in these places; 0 and 1 stand for it. */
static bool get_truth(const struct tn_pickle *value, bool *truth)
{
    if (value->kind == TN_PICKLE_BOOL)
        *truth = value->as.truth;
    else if (value->kind == TN_PICKLE_INT && value->as.integer >> 1 == 0)
        *truth = value->as.integer == 1;
    else
        return false;
    return true;
}

static const struct {
    const char   *code;
    enum tn_dtype dtype;
} codes[] = {
    { "b1", TN_BOOL },      { "i1", TN_INT8 },        { "i2", TN_INT16 },
    { "i4", TN_INT32 },     { "i8", TN_INT64 },       { "u1", TN_UINT8 },
    { "u2", TN_UINT16 },    { "u4", TN_UINT32 },      { "u8", TN_UINT64 },
    { "f2", TN_FLOAT16 },   { "f4", TN_FLOAT32 },     { "f8", TN_FLOAT64 },
    { "c8", TN_COMPLEX64 }, { "c16", TN_COMPLEX128 },
};

#define CODE_COUNT (sizeof codes / sizeof codes[0])

const char *tn_pickle_code(enum tn_dtype dtype)
{
    for (size_t i = 0; i < CODE_COUNT; i++)
        if (codes[i].dtype == dtype)
            return codes[i].code;
    return NULL;
}

/* dtype('f4', False, True) */
static bool call_dtype(struct tn_pickle_machine *m, arguments args,
                       uint64_t count)
{
    bool align, copy;

    if (count != 3 || !get_truth(args[1], &align) || !get_truth(args[2], &copy))
        return false;
    for (size_t i = 0; i < CODE_COUNT; i++) {
        if (!tn_pickle_is_text(args[0], codes[i].code))
            continue;
        struct tn_pickle *value = tn_pickle_push_new(m, TN_PICKLE_DTYPE);
        if (value)
            value->as.array.dtype = codes[i].dtype;
        return true;
    }
    struct tn_bytes code = tn_pickle_text(args[0]);
    tn_fail_at(m->c, m->at, TN_UNSUPPORTED, "an array of type '%.*s'",
               (int)tn_min(code.size, 40), (const char *)code.data);
    return true;
}

/* _reconstruct(ndarray, (0,), b'b') */
static bool call_reconstruct(struct tn_pickle_machine *m, arguments args,
                             uint64_t count)
{
    if (count != 3 || !is_name(args[0], NAME_NDARRAY) ||
        args[1]->kind != TN_PICKLE_TUPLE || args[1]->as.list.count != 1 ||
        !tn_pickle_is_text(args[2], "b"))
        return false;
    tn_pickle_push_new(m, TN_PICKLE_ARRAY);
    return true;
}

static bool take_data(struct tn_pickle_machine *m,
                      struct tn_pickle_array   *array,
                      const struct tn_pickle   *data)
{
    bool is_run = data->kind == TN_PICKLE_BYTES || data->kind == TN_PICKLE_TEXT;

    if (!is_run)
        return false;
    array->data   = data->as.run;
    uint64_t size = array->size, held = array->data.span.length;
    /* As text a byte takes one or two, and which is seen when it is read. */
    bool fits =
        array->data.is_latin1 ? size <= held && held / 2 <= size : size == held;
    if (!fits)
        tn_fail_at(m->c, data->offset, TN_MALFORMED,
                   "an array of %" PRIu64 " bytes holds %" PRIu64, size, held);
    array->is_filled = true;
    return true;
}

static bool take_shape(struct tn_pickle_machine *m,
                       struct tn_pickle_array   *array,
                       const struct tn_pickle   *shape)
{
    if (shape->kind != TN_PICKLE_TUPLE ||
        shape->as.list.count > TN_PICKLE_RANK_LIMIT)
        return false;
    array->rank   = (uint32_t)shape->as.list.count;
    array->dims   = tn_new(m->arena, uint64_t, array->rank, m->error);
    array->size   = tn_dtype_size(array->dtype);
    bool is_empty = false;
    for (uint32_t i = 0; i < array->rank && array->dims; i++) {
        const struct tn_pickle *dim = shape->as.list.items[i];
        if (dim->kind != TN_PICKLE_INT || dim->as.integer < 0)
            return false;
        array->dims[i] = (uint64_t)dim->as.integer;
        is_empty |= array->dims[i] == 0;
    }
    for (uint32_t i = 0; i < array->rank && array->dims && !is_empty; i++) {
        if (!tn_mul(array->size, array->dims[i], &array->size))
            return false;
    }
    if (is_empty)
        array->size = 0;
    return true;
}

/* _frombuffer(bytes, dtype, shape, 'C'): what protocol 5 makes of an array
 * whose elements lie in one piece. */
static bool call_from_buffer(struct tn_pickle_machine *m, arguments args,
                             uint64_t count)
{
    if (count != 4 || args[1]->kind != TN_PICKLE_DTYPE ||
        !(tn_pickle_is_text(args[3], "C") || tn_pickle_is_text(args[3], "F")))
        return false;
    struct tn_pickle *value = tn_pickle_push_new(m, TN_PICKLE_ARRAY);
    if (!value)
        return true;
    value->as.array            = args[1]->as.array;
    value->as.array.is_fortran = tn_pickle_is_text(args[3], "F");
    return take_shape(m, &value->as.array, args[2]) &&
           take_data(m, &value->as.array, args[0]);
}

/* scalar(dtype, bytes) */
static bool call_scalar(struct tn_pickle_machine *m, arguments args,
                        uint64_t count)
{
    if (count != 2 || args[0]->kind != TN_PICKLE_DTYPE)
        return false;
    struct tn_pickle *value = tn_pickle_push_new(m, TN_PICKLE_ARRAY);
    if (!value)
        return true;
    value->as.array      = args[0]->as.array;
    value->as.array.size = tn_dtype_size(args[0]->as.array.dtype);
    return take_data(m, &value->as.array, args[1]);
}

/* encode(text, 'latin1') */
static bool call_encode(struct tn_pickle_machine *m, arguments args,
                        uint64_t count)
{
    if (count != 2 || args[0]->kind != TN_PICKLE_TEXT ||
        !(tn_pickle_is_text(args[1], "latin1") ||
          tn_pickle_is_text(args[1], "latin-1")))
        return false;
    struct tn_pickle *value = tn_pickle_push_new(m, TN_PICKLE_BYTES);
    if (value) {
        value->as.run           = args[0]->as.run;
        value->as.run.is_latin1 = true;
    }
    return true;
}

/* tuple((name, array)): how a tensor inside an object is stored. */
static bool call_tuple(struct tn_pickle_machine *m, arguments args,
                       uint64_t count)
{
    if (count != 1 ||
        (args[0]->kind != TN_PICKLE_TUPLE && args[0]->kind != TN_PICKLE_LIST))
        return false;
    struct tn_pickle *value = tn_pickle_push_new(m, TN_PICKLE_TUPLE);
    if (value)
        value->as.list = args[0]->as.list;
    return true;
}

/* eval('data', {'data': array}): the other way. */
static bool call_eval(struct tn_pickle_machine *m, arguments args,
                      uint64_t count)
{
    if (count != 2 || !tn_pickle_is_text(args[0], "data") ||
        args[1]->kind != TN_PICKLE_DICT || args[1]->as.list.count != 2)
        return false;
    arguments item = args[1]->as.list.items;
    if (!tn_pickle_is_text(item[0], "data") || item[1]->kind != TN_PICKLE_ARRAY)
        return false;
    struct tn_pickle *value = tn_pickle_push_new(m, TN_PICKLE_ARRAY);
    if (value)
        value->as.array = item[1]->as.array;
    return true;
}

static bool call(struct tn_pickle_machine *m, enum name name, arguments args,
                 uint64_t count)
{
    switch (name) {
    case NAME_RECONSTRUCT: return call_reconstruct(m, args, count);
    case NAME_FROM_BUFFER: return call_from_buffer(m, args, count);
    case NAME_DTYPE: return call_dtype(m, args, count);
    case NAME_SCALAR: return call_scalar(m, args, count);
    case NAME_ENCODE: return call_encode(m, args, count);
    case NAME_TUPLE: return call_tuple(m, args, count);
    case NAME_EVAL: return call_eval(m, args, count);
    case NAME_ORDERED_DICT:
        return count == 0 && (tn_pickle_push_new(m, TN_PICKLE_DICT), true);
    case NAME_BYTES:
        return count == 0 && (tn_pickle_push_new(m, TN_PICKLE_BYTES), true);
    case NAME_NDARRAY: break;
    }
    return false;
}

void tn_pickle_reduce(struct tn_pickle_machine *m)
{
    struct tn_pickle *args = tn_pickle_pop(m), *name = tn_pickle_pop(m);

    if (!args || !name)
        return;
    if (name->kind != TN_PICKLE_NAME || args->kind != TN_PICKLE_TUPLE)
        tn_pickle_refuse(m, TN_MALFORMED,
                         "a call of something that is not a name");
    else if (!call(m, (enum name)name->as.name, args->as.list.items,
                   args->as.list.count))
        tn_pickle_refuse(m, TN_UNSUPPORTED,
                         "a call with other arguments than expected");
}

/* (3, '<', None, None, None, -1, -1, 0) */
static bool build_dtype(struct tn_pickle *value, arguments state,
                        uint64_t count)
{
    if (count < 2)
        return false;
    struct tn_bytes order = tn_pickle_text(state[1]);
    if (order.size != 1 || !memchr("<>|=", order.data[0], 4))
        return false;
    value->as.array.is_big_endian = order.data[0] == '>';
    return true;
}

/* (1, shape, dtype, is_fortran, data) */
static bool build_array(struct tn_pickle_machine *m, struct tn_pickle *value,
                        arguments state, uint64_t count)
{
    struct tn_pickle_array *array = &value->as.array;

    if (count != 5 || array->is_filled || state[2]->kind != TN_PICKLE_DTYPE)
        return false;
    array->dtype         = state[2]->as.array.dtype;
    array->is_big_endian = state[2]->as.array.is_big_endian;
    return get_truth(state[3], &array->is_fortran) &&
           take_shape(m, array, state[1]) && take_data(m, array, state[4]);
}

void tn_pickle_build(struct tn_pickle_machine *m)
{
    struct tn_pickle *state = tn_pickle_pop(m), *value = tn_pickle_top(m);

    if (!state || !value)
        return;
    bool is_tuple = state->kind == TN_PICKLE_TUPLE;
    bool is_known =
        is_tuple && value->kind == TN_PICKLE_DTYPE
            ? build_dtype(value, state->as.list.items, state->as.list.count)
        : is_tuple && value->kind == TN_PICKLE_ARRAY
            ? build_array(m, value, state->as.list.items, state->as.list.count)
            : false;
    if (!is_known && !tn_failed(m->error))
        tn_pickle_refuse(m, TN_UNSUPPORTED, "a state that is not an array's");
}
