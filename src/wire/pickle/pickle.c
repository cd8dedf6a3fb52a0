/* pickle.c - the stack machine of pickles; pickle.h says what it refuses */
#include "wire/pickle/pickle.h"

#include <stdalign.h>
#include <stddef.h>

#include "base/arith.h"
#include "base/intern.h"
#include "base/little.h"
#include "base/number.h"
#include "base/utf8.h"
#include "base/varint.h"

/* ---- the machine -------------------------------------------------------- */

/* Failures are in the error of the cursor; after one, all functions are
 * harmless. */
struct machine {
    struct tn_cursor *c;
    struct tn_arena  *arena;
    struct tn_error  *error;
    struct tn_list    stack; /* struct tn_pickle *              */
    struct tn_list    marks; /* uint64_t: heights of the stack   */
    struct tn_list    memo;  /* struct tn_pickle *; NULL: unused */
    uint64_t          memoized; /* slots in use                     */
    /* Slots far ahead of those in use, by their number as eight bytes. */
    struct tn_intern  far_slots;
    struct tn_list    far_values; /* struct tn_pickle * by id         */
    uint64_t          begin; /* offset of the pickle          */
    uint64_t          at; /* offset of the opcode being run   */
    const char       *by; /* its name                         */
    bool              is_done;
    bool              describes; /* every opcode; refuses no name        */
    const struct tn_pickle_watch *watch; /* never NULL                       */
};

/* Whether it is this text, as text or bytes. */
static bool is_text(const struct tn_pickle *value, const char *text)
{
    return tn_bytes_is(tn_pickle_text(value), text);
}

/* ---- the stack of the machine, its containers and its memo -------------- */

/* How far a slot may be ahead of those in use.  Data has none further; of
 * described pickles those are kept apart, so that a number in the file does not
 * become an array of that size. */
#define MEMO_SLACK 256

/* ---- the stack ------------------------------------------------------------
 */

/* Fails at the opcode being run. */
static void refuse(struct machine *m, enum tn_status status, const char *what)
{
    tn_fail_at(m->c, m->at, status, "%s", what);
}

/* Values take as much memory as their kind needs: most are small, and there are
 * as many as opcodes. */
#define UP_TO(member)                                                          \
    (offsetof(struct tn_pickle, as) + sizeof((struct tn_pickle *)0)->as.member)

static size_t size_of_kind(enum tn_pickle_kind kind)
{
    switch (kind) {
    case TN_PICKLE_NONE:
    case TN_PICKLE_BOOL:
    case TN_PICKLE_INT:
    case TN_PICKLE_REAL:
    case TN_PICKLE_PERSISTENT:
    case TN_PICKLE_OUTSIDE: return UP_TO(integer);
    case TN_PICKLE_TEXT:
    case TN_PICKLE_BYTES:
    case TN_PICKLE_LONG: return UP_TO(string);
    case TN_PICKLE_LIST:
    case TN_PICKLE_TUPLE:
    case TN_PICKLE_DICT:
    case TN_PICKLE_SET: return UP_TO(list);
    case TN_PICKLE_NAME: return UP_TO(name);
    case TN_PICKLE_CALL: return UP_TO(call);
    case TN_PICKLE_ARRAY:
    case TN_PICKLE_DTYPE: break;
    }
    return sizeof(struct tn_pickle);
}

/* A new value, not yet on the stack; NULL after a failure. */
static struct tn_pickle *make(struct machine *m, enum tn_pickle_kind kind)
{
    struct tn_pickle *value =
        tn_arena_alloc(m->arena, size_of_kind(kind), alignof(struct tn_pickle),
                       m->error);

    if (value) {
        value->kind   = kind;
        value->offset = m->at;
    }
    return value;
}

static void push(struct machine *m, struct tn_pickle *value)
{
    struct tn_pickle **slot =
        value ? tn_list_push(&m->stack, struct tn_pickle *, m->error) : NULL;

    if (slot)
        *slot = value;
}

static struct tn_pickle *push_new(struct machine *m, enum tn_pickle_kind kind)
{
    struct tn_pickle *value = make(m, kind);

    push(m, value);
    return value;
}

/* Values below the last mark belong to the opcode that set it. */
static uint64_t stack_floor(const struct machine *m)
{
    return m->marks.count ? *tn_list_at(&m->marks, uint64_t, m->marks.count - 1)
                          : 0;
}

/* The value on top, taken or left there; NULL when there is none above the
 * last mark. */
static struct tn_pickle *pop(struct machine *m)
{
    if (m->stack.count == stack_floor(m)) {
        refuse(m, TN_MALFORMED, "the stack is empty");
        return NULL;
    }
    return *tn_list_at(&m->stack, struct tn_pickle *, --m->stack.count);
}

static struct tn_pickle *top(struct machine *m)
{
    struct tn_pickle *value = pop(m);

    if (value)
        m->stack.count++;
    return value;
}

struct slice {
    struct tn_pickle **items;
    uint64_t           count;
};

/* What is above some height of the stack, taken from it. */
static struct slice pop_from(struct machine *m, uint64_t floor)
{
    uint64_t count = m->stack.count - floor;

    m->stack.count = floor;
    return count ? (struct slice){ tn_list_at(&m->stack, struct tn_pickle *,
                                              floor),
                                   count }
                 : (struct slice){ NULL, 0 };
}

/* Values below a mark cannot be reached until the mark is removed. */
static void push_mark(struct machine *m)
{
    uint64_t *mark = tn_list_push(&m->marks, uint64_t, m->error);

    if (mark)
        *mark = m->stack.count;
}

/* Takes what was pushed since the last mark, and the mark. */
static struct slice pop_mark(struct machine *m)
{
    if (m->marks.count == 0) {
        refuse(m, TN_MALFORMED, "no mark on the stack");
        return (struct slice){ NULL, 0 };
    }
    return pop_from(m, *tn_list_at(&m->marks, uint64_t, --m->marks.count));
}

/* ---- containers -----------------------------------------------------------
 */

static bool make_room(struct machine *m, struct tn_pickle_items *to,
                      uint64_t count)
{
    uint64_t room = to->room;

    if (count <= room - to->count)
        return true;
    room = tn_max(to->count + count, room * 2);
    const struct tn_pickle **items =
        tn_new(m->arena, const struct tn_pickle *, room, m->error);
    if (!items)
        return false;
    if (to->count)
        memcpy(items, to->items, (size_t)to->count * sizeof *items);
    to->items = items;
    to->room  = room;
    return true;
}

static void append(struct machine *m, struct tn_pickle_items *to,
                   struct slice items)
{
    if (tn_failed(m->error) || !make_room(m, to, items.count))
        return;
    for (uint64_t i = 0; i < items.count; i++) {
        if (items.items[i]->kind == TN_PICKLE_NAME && !m->describes)
            refuse(m, TN_UNSUPPORTED, "a name as a value");
        to->items[to->count++] = items.items[i];
    }
}

/* A new container with these items, onto the stack. */
static void push_filled(struct machine *m, enum tn_pickle_kind kind,
                        struct slice items)
{
    struct tn_pickle *value = make(m, kind);

    if (!value || tn_failed(m->error) ||
        !make_room(m, &value->as.list, items.count))
        return;
    for (uint64_t i = 0; i < items.count; i++)
        value->as.list.items[value->as.list.count++] = items.items[i];
    push(m, value);
}

/* Makes containers of all that was pushed since the last mark, which is taken
 * too, or of the few values on top. */
static void push_marked(struct machine *m, uint64_t kind)
{
    struct slice items = pop_mark(m);

    if (kind == TN_PICKLE_DICT && items.count % 2)
        refuse(m, TN_MALFORMED, "a key without a value");
    push_filled(m, (enum tn_pickle_kind)kind, items);
}

static void push_short_tuple(struct machine *m, uint64_t count)
{
    if (m->stack.count - stack_floor(m) < count) {
        refuse(m, TN_MALFORMED, "the stack is empty");
        return;
    }
    m->stack.count -= count;
    push_filled(
        m, TN_PICKLE_TUPLE,
        (struct slice){ (struct tn_pickle **)m->stack.items + m->stack.count,
                        count });
}

/* Reports an object that is changed by code of its own; false for others. */
static bool tell_change(struct machine *m, const struct tn_pickle *object,
                        const struct tn_pickle *with)
{
    if (!m->describes || object->kind != TN_PICKLE_CALL)
        return false;
    if (m->watch->call)
        m->watch->call(m->watch->context, m->at, m->by, object, with);
    return true;
}

static void tell_odd(struct machine *m, const char *what)
{
    if (m->watch->odd)
        m->watch->odd(m->watch->context, m->at, m->by, what);
}

/* The bytes on top. */
static void tell_bytes(struct machine *m)
{
    if (m->watch->bytes && !tn_failed(m->error))
        m->watch->bytes(m->watch->context, &top(m)->as.string);
}

/* Items for a value that takes none: an error in data. */
static void refuse_items(struct machine *m, const char *what)
{
    if (m->describes)
        tell_odd(m, what);
    else
        refuse(m, TN_MALFORMED, what);
}

static void set_items(struct machine *m, struct slice items)
{
    struct tn_pickle *dict = top(m);

    if (!dict)
        return;
    if (items.count % 2) {
        refuse(m, TN_MALFORMED, "a key without a value");
        return;
    }
    if (tell_change(m, dict, NULL)) {
        dict->as.call.has_keys = true;
        append(m, &dict->as.call.items, items);
        return;
    }
    if (dict->kind != TN_PICKLE_DICT) {
        refuse_items(m, "items for something that is not a dict");
        return;
    }
    for (uint64_t i = 0; i < items.count && !m->describes; i += 2) {
        if (items.items[i]->kind == TN_PICKLE_NONE ||
            items.items[i]->kind > TN_PICKLE_TUPLE)
            refuse(m, TN_UNSUPPORTED,
                   "a key that is neither a number nor a string");
    }
    append(m, &dict->as.list, items);
}

static void set_marked(struct machine *m)
{
    set_items(m, pop_mark(m));
}

static void set_item(struct machine *m)
{
    if (m->stack.count - stack_floor(m) < 3) {
        refuse(m, TN_MALFORMED, "the stack is empty");
        return;
    }
    set_items(m, pop_from(m, m->stack.count - 2));
}

static void append_items(struct machine *m, struct slice items)
{
    struct tn_pickle *list = top(m);

    if (!list)
        return;
    if (tell_change(m, list, NULL))
        append(m, &list->as.call.items, items);
    else if (list->kind == TN_PICKLE_LIST)
        append(m, &list->as.list, items);
    else
        refuse_items(m, "items for something that is not a list");
}

static void add_marked(struct machine *m)
{
    struct slice      items = pop_mark(m);
    struct tn_pickle *set   = top(m);

    if (!set)
        return;
    if (tell_change(m, set, NULL))
        append(m, &set->as.call.items, items);
    else if (set->kind == TN_PICKLE_SET)
        append(m, &set->as.list, items);
    else
        refuse_items(m, "items for something that is not a set");
}

static void append_marked(struct machine *m)
{
    append_items(m, pop_mark(m));
}

static void append_item(struct machine *m)
{
    struct tn_pickle *item = pop(m);

    if (item)
        append_items(m, (struct slice){ &item, 1 });
}

/* ---- the memo -------------------------------------------------------------
 */

/* Where a slot is; NULL if nothing was put there yet. */
static struct tn_pickle **find_slot(struct machine *m, uint64_t slot)
{
    uint8_t            key[8];
    struct tn_pickle **near = slot < m->memo.count
                                  ? tn_list_at(&m->memo, struct tn_pickle *,
                                               slot)
                                  : NULL;

    if ((near && *near) || m->far_values.count == 0)
        return near && *near ? near : NULL;
    tn_store_little(key, slot, sizeof key);
    uint32_t id = tn_intern_find(&m->far_slots, tn_bytes(key, sizeof key));
    return id == TN_NO_NAME ? NULL
                         : tn_list_at(&m->far_values, struct tn_pickle *, id);
}

static struct tn_pickle **add_far_slot(struct machine *m, uint64_t slot)
{
    uint8_t key[8];

    tn_store_little(key, slot, sizeof key);
    tn_intern_copy(&m->far_slots, tn_bytes(key, sizeof key), m->error);
    return tn_failed(m->error)
               ? NULL
               : tn_list_push(&m->far_values, struct tn_pickle *, m->error);
}

static struct tn_pickle **add_slot(struct machine *m, uint64_t slot)
{
    if (slot > m->memoized + MEMO_SLACK && slot >= m->memo.count) {
        if (m->describes)
            return add_far_slot(m, slot);
        tn_fail_at(m->c, m->at, TN_LIMIT,
                   "memo slot %" PRIu64 " when %" PRIu64 " are in use", slot,
                   m->memoized);
        return NULL;
    }
    if (slot >= m->memo.count &&
        !tn_list_grow(&m->memo, slot + 1 - m->memo.count, m->error))
        return NULL;
    return tn_list_at(&m->memo, struct tn_pickle *, slot);
}

/* Stores the value on top in a slot of the memo, and pushes the value of a
 * slot.  A slot that is used again does not count twice: MEMOIZE takes the slot
 * whose number is how many are in use. */
static void memoize(struct machine *m, uint64_t slot)
{
    struct tn_pickle *value = top(m), **at;

    if (!value)
        return;
    if ((at = find_slot(m, slot))) {
        *at = value;
    } else if ((at = add_slot(m, slot))) {
        *at = value;
        m->memoized++;
    }
}

/* Containers hold containers: if they may be used twice, a few of them expand
 * to any size. */
static bool is_sharable(const struct tn_pickle *value)
{
    if (value->kind == TN_PICKLE_LIST || value->kind == TN_PICKLE_DICT)
        return false;
    if (value->kind != TN_PICKLE_TUPLE)
        return true;
    for (uint64_t i = 0; i < value->as.list.count; i++) {
        enum tn_pickle_kind kind = value->as.list.items[i]->kind;
        if (kind == TN_PICKLE_LIST || kind == TN_PICKLE_DICT ||
            kind == TN_PICKLE_TUPLE)
            return false;
    }
    return true;
}

static void fetch(struct machine *m, uint64_t slot)
{
    struct tn_pickle **at    = find_slot(m, slot);
    struct tn_pickle  *value = at ? *at : NULL;

    if (tn_failed(m->error))
        return;
    if (!value)
        tn_fail_at(m->c, m->at, TN_MALFORMED, "memo slot %" PRIu64 " is empty",
                   slot);
    else if (!m->describes && !is_sharable(value))
        refuse(m, TN_UNSUPPORTED, "one container in two places");
    else
        push(m, value);
}

/* ---- constructors: recognised by name and arguments, never called ------- */

/*
 * A pickle builds what is not plain data by calls (REDUCE, NEWOBJ) of a name
 * with a tuple of arguments, and by states given to what a call made (BUILD).
 * Those that data needs are listed here, with the shapes that numpy and Paddle
 * give to their arguments.
 */

/* The names that a pickle may use, and what they make. */
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
    NAME_EVAL,
    NAME_OTHER
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

static enum name find_name(struct tn_bytes module, struct tn_bytes name)
{
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (tn_bytes_is(module, names[i].module) &&
            tn_bytes_is(name, names[i].name))
            return names[i].is;
    return NAME_OTHER;
}

/* A name that pickles may use; UNSUPPORTED for all others, unless the pickle is
 * only described.  The texts must last as long as the arena. */
static void push_name(struct machine *m, struct tn_bytes module,
                      struct tn_bytes name)
{
    enum name known = find_name(module, name);

    if (tn_failed(m->error))
        return;
    if (known != NAME_OTHER || m->describes) {
        struct tn_pickle *value = push_new(m, TN_PICKLE_NAME);
        if (!value)
            return;
        value->as.name = (struct tn_pickle_name){ module, name, known };
        if (m->watch->name)
            m->watch->name(m->watch->context, m->at, m->by, value);
        return;
    }
    tn_fail_at(m->c, m->at, TN_UNSUPPORTED,
               "the pickle calls %.*s.%.*s, which is never done",
               (int)tn_min(module.size, 60), (const char *)module.data,
               (int)tn_min(name.size, 60), (const char *)name.data);
}

typedef const struct tn_pickle *const *arguments;

static bool is_name(const struct tn_pickle *value, enum name name)
{
    return value->kind == TN_PICKLE_NAME && value->as.name.known == name;
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
static bool call_dtype(struct machine *m, arguments args, uint64_t count)
{
    bool align, copy;

    if (count != 3 || !get_truth(args[1], &align) || !get_truth(args[2], &copy))
        return false;
    for (size_t i = 0; i < CODE_COUNT; i++) {
        if (!is_text(args[0], codes[i].code))
            continue;
        struct tn_pickle *value = push_new(m, TN_PICKLE_DTYPE);
        if (value)
            value->as.array.dtype = codes[i].dtype;
        return true;
    }
    struct tn_bytes code = tn_pickle_text(args[0]);
    if (m->describes)
        return false;
    tn_fail_at(m->c, m->at, TN_UNSUPPORTED, "an array of type '%.*s'",
               (int)tn_min(code.size, 40), (const char *)code.data);
    return true;
}

/* Classes of numpy that pickle their elements as ndarray does. */
static bool is_array_class(const struct machine   *m,
                           const struct tn_pickle *value)
{
    static const char *const classes[] = { "matrix", "memmap", "recarray" };

    if (is_name(value, NAME_NDARRAY))
        return true;
    if (!m->describes || value->kind != TN_PICKLE_NAME ||
        !tn_bytes_starts_with(value->as.name.module, "numpy"))
        return false;
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++)
        if (tn_bytes_is(value->as.name.name, classes[i]))
            return true;
    return false;
}

/* _reconstruct(ndarray, (0,), b'b') */
static bool call_reconstruct(struct machine *m, arguments args, uint64_t count)
{
    if (count != 3 || !is_array_class(m, args[0]) ||
        args[1]->kind != TN_PICKLE_TUPLE || args[1]->as.list.count != 1 ||
        !is_text(args[2], "b"))
        return false;
    push_new(m, TN_PICKLE_ARRAY);
    return true;
}

static bool take_data(struct machine *m, struct tn_pickle_array *array,
                      const struct tn_pickle *data)
{
    bool is_run = data->kind == TN_PICKLE_BYTES || data->kind == TN_PICKLE_TEXT;

    if (!is_run || (data->kind == TN_PICKLE_TEXT && data->as.string.is_coded))
        return false;
    array->data   = data->as.string;
    uint64_t size = array->size, held = array->data.span.length;
    /* As text a byte takes one or two, or an escape of six, and which is seen
     * when it is read. */
    uint64_t most = array->data.is_coded ? 6 : array->data.is_latin1 ? 2 : 1;
    bool     fits = size <= held && held / most <= size;
    if (most == 1)
        fits = size == held;
    if (!fits && m->describes)
        return false;
    if (!fits)
        tn_fail_at(m->c, data->offset, TN_MALFORMED,
                   "an array of %" PRIu64 " bytes holds %" PRIu64, size, held);
    array->is_filled = true;
    return true;
}

static bool take_shape(struct machine *m, struct tn_pickle_array *array,
                       const struct tn_pickle *shape)
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
 * whose elements are in one piece. */
static bool call_from_buffer(struct machine *m, arguments args, uint64_t count)
{
    if (count != 4 || args[1]->kind != TN_PICKLE_DTYPE ||
        !(is_text(args[3], "C") || is_text(args[3], "F")))
        return false;
    struct tn_pickle *value = push_new(m, TN_PICKLE_ARRAY);
    if (!value)
        return true;
    value->as.array            = args[1]->as.array;
    value->as.array.is_fortran = is_text(args[3], "F");
    return take_shape(m, &value->as.array, args[2]) &&
           take_data(m, &value->as.array, args[0]);
}

/* scalar(dtype, bytes) */
static bool call_scalar(struct machine *m, arguments args, uint64_t count)
{
    if (count != 2 || args[0]->kind != TN_PICKLE_DTYPE)
        return false;
    struct tn_pickle *value = push_new(m, TN_PICKLE_ARRAY);
    if (!value)
        return true;
    value->as.array      = args[0]->as.array;
    value->as.array.size = tn_dtype_size(args[0]->as.array.dtype);
    return take_data(m, &value->as.array, args[1]);
}

/* encode(text, 'latin1') */
static bool call_encode(struct machine *m, arguments args, uint64_t count)
{
    if (count != 2 || args[0]->kind != TN_PICKLE_TEXT ||
        !(is_text(args[1], "latin1") || is_text(args[1], "latin-1")))
        return false;
    struct tn_pickle *value = push_new(m, TN_PICKLE_BYTES);
    if (value) {
        value->as.string           = args[0]->as.string;
        value->as.string.is_latin1 = true;
        tell_bytes(m);
    }
    return true;
}

/* tuple((name, array)): how a tensor inside an object is stored. */
static bool call_tuple(struct machine *m, arguments args, uint64_t count)
{
    if (count != 1 ||
        (args[0]->kind != TN_PICKLE_TUPLE && args[0]->kind != TN_PICKLE_LIST))
        return false;
    struct tn_pickle *value = push_new(m, TN_PICKLE_TUPLE);
    if (value)
        value->as.list = args[0]->as.list;
    return true;
}

/* eval('data', {'data': array}): the other way. */
static bool call_eval(struct machine *m, arguments args, uint64_t count)
{
    if (count != 2 || !is_text(args[0], "data") ||
        args[1]->kind != TN_PICKLE_DICT || args[1]->as.list.count != 2)
        return false;
    arguments item = args[1]->as.list.items;
    if (!is_text(item[0], "data") || item[1]->kind != TN_PICKLE_ARRAY)
        return false;
    struct tn_pickle *value = push_new(m, TN_PICKLE_ARRAY);
    if (value)
        value->as.array = item[1]->as.array;
    return true;
}

static bool call(struct machine *m, enum name name, arguments args,
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
        return count == 0 && (push_new(m, TN_PICKLE_DICT), true);
    case NAME_BYTES: return count == 0 && (push_new(m, TN_PICKLE_BYTES), true);
    case NAME_NDARRAY:
    case NAME_OTHER: break;
    }
    return false;
}

/* Describes a call: data if it is one that data needs. */
static void describe_call(struct machine *m, const struct tn_pickle *callee,
                          const struct tn_pickle *args)
{
    uint64_t height = m->stack.count;

    if (m->watch->call)
        m->watch->call(m->watch->context, m->at, m->by, callee, args);
    if (callee->kind == TN_PICKLE_NAME && args->kind == TN_PICKLE_TUPLE &&
        callee->as.name.known != NAME_EVAL &&
        call(m, (enum name)callee->as.name.known, args->as.list.items,
             args->as.list.count))
        return;
    if (tn_failed(m->error))
        return;
    m->stack.count         = height;
    struct tn_pickle *made = push_new(m, TN_PICKLE_CALL);
    if (made)
        made->as.call = (struct tn_pickle_call){ .callee = callee, .args = args };
}

/* Replaces the values on top by the result of a call, or of a state. */
static void reduce(struct machine *m)
{
    struct tn_pickle *args = pop(m), *name = pop(m);

    if (!args || !name)
        return;
    if (m->describes)
        describe_call(m, name, args);
    else if (name->kind != TN_PICKLE_NAME || args->kind != TN_PICKLE_TUPLE)
        refuse(m, TN_MALFORMED, "a call of something that is not a name");
    else if (!call(m, (enum name)name->as.name.known, args->as.list.items,
                   args->as.list.count))
        refuse(m, TN_UNSUPPORTED, "a call with other arguments than expected");
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
static bool build_array(struct machine *m, struct tn_pickle *value,
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

static void build(struct machine *m)
{
    struct tn_pickle *state = pop(m), *value = top(m);

    if (!state || !value)
        return;
    bool is_tuple = state->kind == TN_PICKLE_TUPLE;
    bool is_known =
        is_tuple && value->kind == TN_PICKLE_DTYPE
            ? build_dtype(value, state->as.list.items, state->as.list.count)
        : is_tuple && value->kind == TN_PICKLE_ARRAY
            ? build_array(m, value, state->as.list.items, state->as.list.count)
            : false;
    if (is_known || tn_failed(m->error))
        return;
    if (!m->describes)
        refuse(m, TN_UNSUPPORTED, "a state that is not an array's");
    else if (tell_change(m, value, state))
        value->as.call.state = state;
    else if (value->kind != TN_PICKLE_DICT && value->kind != TN_PICKLE_ARRAY &&
             value->kind != TN_PICKLE_DTYPE)
        /* Data does not depend on attributes of an OrderedDict, and numpy
         * refuses a state that is not its own. */
        tell_odd(m, "a state for something that takes none");
}

/* ---- what only described pickles have ----------------------------------- */

/* cls(*args, **kwargs); the keywords are the last argument here. */
static void reduce_with_keywords(struct machine *m)
{
    struct tn_pickle *keywords = pop(m), *args = pop(m), *callee = pop(m);

    if (!keywords || !args || !callee)
        return;
    if (args->kind == TN_PICKLE_TUPLE)
        append(m, &args->as.list, (struct slice){ &keywords, 1 });
    describe_call(m, callee, args);
}

/* The class and its arguments since the mark. */
static void make_object(struct machine *m)
{
    struct slice items = pop_mark(m);

    if (items.count == 0) {
        refuse(m, TN_MALFORMED, "an object without a class");
        return;
    }
    const struct tn_pickle *callee = items.items[0];
    push_filled(m, TN_PICKLE_TUPLE,
                (struct slice){ items.items + 1, items.count - 1 });
    const struct tn_pickle *args = pop(m);
    if (args)
        describe_call(m, callee, args);
}

/* Python drops a mark when there is nothing above it. */
static void drop(struct machine *m)
{
    if (m->marks.count && m->stack.count == stack_floor(m))
        m->marks.count--;
    else
        pop(m);
}

static void drop_marked(struct machine *m)
{
    pop_mark(m);
}

static void duplicate(struct machine *m)
{
    push(m, top(m));
}

static void push_outside(struct machine *m, uint64_t code)
{
    (void)code;
    tell_odd(m, "a value that is not in the file");
    push_new(m, TN_PICKLE_OUTSIDE);
}

static void push_persistent(struct machine *m)
{
    struct tn_pickle *id    = pop(m);
    struct tn_pickle *value = id ? push_new(m, TN_PICKLE_PERSISTENT) : NULL;

    if (!value)
        return;
    value->as.id = id;
    if (m->watch->persistent)
        m->watch->persistent(m->watch->context, m->at, id);
}

/* The buffer on top does not change. */
static void keep_buffer(struct machine *m)
{
    top(m);
}

#define NAME_LIMIT 256

/* ---- values that are in the file ---------------------------------------- */

static void push_run(struct machine *m, enum tn_pickle_kind kind,
                     uint64_t length)
{
    struct tn_pickle *value = make(m, kind);

    if (!value)
        return;
    value->as.string.span =
        (struct tn_span){ m->c->source, m->c->offset, length };
    if (length <= TN_PICKLE_TEXT_LIMIT)
        value->as.string.text = tn_take_bytes(m->c, length);
    else
        tn_skip(m->c, length);
    push(m, value);
}

static void push_text(struct machine *m, uint64_t length)
{
    push_run(m, TN_PICKLE_TEXT, length);
}

static void push_bytes(struct machine *m, uint64_t length)
{
    push_run(m, TN_PICKLE_BYTES, length);
    tell_bytes(m);
}

/* A container without items, or None. */
static void push_empty(struct machine *m, uint64_t kind)
{
    push_new(m, (enum tn_pickle_kind)kind);
}

static void push_int(struct machine *m, uint64_t integer)
{
    struct tn_pickle *value = push_new(m, TN_PICKLE_INT);

    if (value)
        value->as.integer = (int64_t)integer;
}

static void push_int32(struct machine *m, uint64_t bits)
{
    push_int(m, (uint64_t)(int32_t)(uint32_t)bits);
}

/* Little-endian, two's complement, of any length; Python's longs. */
static void push_long(struct machine *m, uint64_t size)
{
    const uint8_t *bytes = tn_take(m->c, size);
    uint64_t       value = 0;

    if (!bytes)
        return;
    if (size > 8 && m->describes) {
        struct tn_pickle *large = push_new(m, TN_PICKLE_LONG);
        if (large)
            large->as.string.span =
                (struct tn_span){ m->c->source, m->c->offset - size, size };
        return;
    }
    if (size > 8) {
        tn_fail_at(m->c, m->at, TN_LIMIT, "an integer of %" PRIu64 " bytes",
                   size);
        return;
    }
    if (size > 0 && bytes[size - 1] & 0x80)
        value = UINT64_MAX;
    for (uint64_t i = size; i-- > 0;)
        value = value << 8 | bytes[i];
    push_int(m, value);
}

/* Reals are big-endian, unlike everything else. */
static void push_real(struct machine *m, uint64_t swapped)
{
    struct tn_pickle *value = push_new(m, TN_PICKLE_REAL);

    if (value)
        value->as.real = tn_double_of_bits(__builtin_bswap64(swapped));
}

static void push_bool(struct machine *m, uint64_t truth)
{
    struct tn_pickle *value = push_new(m, TN_PICKLE_BOOL);

    if (value)
        value->as.truth = truth;
}

/* ---- names -------------------------------------------------------------- */

/* Byte by byte, because a longer read of a source that is not mapped would pin
 * memory. */
static struct tn_bytes read_line(struct machine *m, char line[NAME_LIMIT])
{
    size_t size = 0;

    while (tn_more(m->c)) {
        uint8_t byte = tn_u8(m->c);
        if (byte == '\n' || tn_failed(m->error))
            return tn_bytes(line, size);
        if (size == NAME_LIMIT) {
            refuse(m, TN_LIMIT, "a name of more than 256 bytes");
            break;
        }
        line[size++] = (char)byte;
    }
    if (!tn_failed(m->error))
        tn_fail(m->c, TN_TRUNCATED, "the name has no end");
    return tn_bytes(line, 0);
}

/* A line that lasts as long as the values. */
static struct tn_bytes keep_line(struct machine *m)
{
    char            line[NAME_LIMIT];
    struct tn_bytes text = read_line(m, line);
    uint8_t        *copy = tn_new(m->arena, uint8_t, text.size, m->error);

    if (!copy)
        return tn_bytes(NULL, 0);
    if (text.size)
        memcpy(copy, text.data, text.size);
    return tn_bytes(copy, text.size);
}

static void push_stack_global(struct machine *m)
{
    struct tn_pickle *name = pop(m), *module = pop(m);

    if (!name || !module)
        return;
    if (name->kind != TN_PICKLE_TEXT || module->kind != TN_PICKLE_TEXT) {
        if (!m->describes)
            refuse(m, TN_MALFORMED, "a name that is not text");
        tell_odd(m, "a name that is not text");
        push_name(m, tn_pickle_text(module), tn_pickle_text(name));
        return;
    }
    push_name(m, module->as.string.text, name->as.string.text);
}

/* ---- values that are text, as protocol 0 has them ------------------------ */

/* How many bytes there are before the end of the line; false if it has none.
 * What is not in memory is read through a window, which keeps none of it. */
static bool measure_line(struct machine *m, uint64_t *size)
{
    uint8_t  window[4096];
    uint64_t here = (uint64_t)(m->c->end - m->c->at), left = tn_left(m->c);
    const uint8_t *end = here ? memchr(m->c->at, '\n', (size_t)here) : NULL;

    if (end) {
        *size = (uint64_t)(end - m->c->at);
        return true;
    }
    for (*size = here; *size < left;) {
        size_t n = (size_t)tn_min(left - *size, sizeof window);
        if (tn_source_read(m->c->source, m->c->offset + *size, window, n,
                           m->error) != TN_OK)
            return false;
        end = memchr(window, '\n', n);
        if (end) {
            *size += (uint64_t)(end - window);
            return true;
        }
        *size += n;
    }
    return false;
}

/* The rest of the line. If it is long, only its position is kept. */
static struct tn_pickle_string take_line(struct machine *m)
{
    struct tn_pickle_string line = { .is_latin1 = false };
    uint64_t                size;

    if (tn_failed(m->error))
        return line;
    if (!measure_line(m, &size)) {
        if (!tn_failed(m->error))
            tn_fail(m->c, TN_TRUNCATED, "the line has no end");
        return line;
    }
    line.span = (struct tn_span){ m->c->source, m->c->offset, size };
    if (size <= TN_PICKLE_TEXT_LIMIT)
        line.text = tn_take_bytes(m->c, size);
    else
        tn_skip(m->c, size);
    tn_u8(m->c);
    return line;
}

/* A name of any length that a described pickle may have; a very long one has no
 * text here, so it is never a known name. */
static struct tn_bytes take_name(struct machine *m)
{
    return m->describes ? take_line(m).text : keep_line(m);
}

static void push_global(struct machine *m)
{
    struct tn_bytes module = take_name(m);

    push_name(m, module, take_name(m));
}

/* INST: a name in the file, its arguments since the mark. */
static void make_instance(struct machine *m)
{
    push_global(m);
    struct tn_pickle *callee = pop(m);
    push_marked(m, TN_PICKLE_TUPLE);
    struct tn_pickle *args = pop(m);

    if (callee && args)
        describe_call(m, callee, args);
}

static bool is_blank(uint8_t byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

/* As Python's int() takes it: blanks around, a sign, underscores between
 * digits; and the L of Python 2. */
static bool read_decimal(struct tn_bytes text, int64_t *value)
{
    const uint8_t *at = text.data, *end = at + text.size;
    uint64_t       sum         = 0;
    bool           is_negative = false, was_digit = false;

    for (; at < end && is_blank(*at); at++)
        ;
    for (; end > at && is_blank(end[-1]); end--)
        ;
    if (at < end && (*at == '-' || *at == '+'))
        is_negative = *at++ == '-';
    if (at < end && end[-1] == 'L')
        end--;
    for (; at < end; at++) {
        if (*at == '_' && was_digit) {
            was_digit = false;
            continue;
        }
        if (*at < '0' || *at > '9' || !tn_mul(sum, 10, &sum) ||
            sum > (uint64_t)INT64_MAX - 9)
            return false;
        sum += (uint64_t)(*at - '0');
        was_digit = true;
    }
    *value = is_negative ? -(int64_t)sum : (int64_t)sum;
    return was_digit;
}

/* "12", "-3L"; "01" and "00" are True and False. */
static void push_decimal(struct machine *m)
{
    struct tn_pickle_string line = take_line(m);
    int64_t                 integer;

    if (tn_failed(m->error))
        return;
    bool is_bool = tn_bytes_is(line.text, "01") || tn_bytes_is(line.text, "00");
    if (is_bool && m->by[0] == 'I') {
        push_bool(m, line.text.data[1] == '1');
    } else if (read_decimal(line.text, &integer)) {
        push_int(m, (uint64_t)integer);
    } else {
        struct tn_pickle *value = push_new(m, TN_PICKLE_LONG);
        if (value)
            value->as.string = line;
    }
}

static void push_line(struct machine *m, uint64_t kind)
{
    struct tn_pickle_string line  = take_line(m);
    struct tn_pickle       *value = push_new(m, (enum tn_pickle_kind)kind);

    if (value)
        value->as.string = line;
}

/* Text that is not a number for us ('nan', '1_0') becomes zero: only keys are
 * printed. */
static void push_real_line(struct machine *m, uint64_t given)
{
    struct tn_bytes   text  = take_line(m).text;
    struct tn_pickle *value = push_new(m, TN_PICKLE_REAL);

    (void)given;
    if (value && !tn_double_parse(text, &value->as.real))
        value->as.real = 0;
}

unsigned tn_pickle_digits(const uint8_t *at, size_t left, unsigned most,
                          unsigned base, uint32_t *value)
{
    unsigned n = 0;

    for (*value = 0; n < most && n < left; n++) {
        int digit = tn_hex_digit(at[n]);
        if (digit < 0 || (unsigned)digit >= base)
            break;
        *value = *value * base + (unsigned)digit;
    }
    return n;
}

/* One escape of a quoted string, after its backslash; how many bytes it has.
 * 0: the backslash stands for itself. */
static size_t read_byte_escape(const uint8_t *at, size_t left, uint8_t *to,
                               size_t *used)
{
    static const char letters[] = "\\'\"abfnrtv", bytes[] = "\\'\"\a\b\f\n\r\t\v";
    uint32_t          value;
    size_t            n;

    const char *known = left && at[0] ? strchr(letters, (char)at[0]) : NULL;
    if (known) {
        to[(*used)++] = (uint8_t)bytes[known - letters];
        return 1;
    }
    if ((n = tn_pickle_digits(at, left, 3, 8, &value)) > 0) {
        to[(*used)++] = (uint8_t)value;
        return n;
    }
    if (left && at[0] == 'x' &&
        tn_pickle_digits(at + 1, left - 1, 2, 16, &value) == 2) {
        to[(*used)++] = (uint8_t)value;
        return 3;
    }
    return 0;
}

/* The same of a line of text: \\u and \\U alone. */
static size_t read_text_escape(const uint8_t *at, size_t left, uint8_t *to,
                               size_t *used)
{
    unsigned digits = left && at[0] == 'u' ? 4 : left && at[0] == 'U' ? 8 : 0;
    uint32_t code;

    if (digits &&
        tn_pickle_digits(at + 1, left - 1, digits, 16, &code) == digits &&
        code <= 0x10ffff) {
        *used += tn_utf8_put(to + *used, code);
        return 1 + digits;
    }
    if (left && at[0] == '\\') {
        to[(*used)++] = '\\';
        to[(*used)++] = '\\';
        return 1;
    }
    return 0;
}

/* Whether the bytes of a line are the text. */
static bool is_plain(struct tn_bytes line)
{
    for (size_t i = 0; i < line.size; i++)
        if (line.data[i] == '\\' || line.data[i] >= 0x80)
            return false;
    return true;
}

/* What the text of a line stands for.  The place in the file stays that of the
 * line.  In lines of text, bytes from 0x80 on are code points, which take two
 * bytes here. */
static void unescape(struct machine *m, struct tn_bytes *text,
                     bool is_text_line)
{
    if (tn_failed(m->error) || is_plain(*text))
        return;
    uint8_t *to = tn_new(m->arena, uint8_t, text->size * (is_text_line ? 2 : 1),
                         m->error);
    size_t (*escape)(const uint8_t *, size_t, uint8_t *, size_t *) =
        is_text_line ? read_text_escape : read_byte_escape;
    size_t used = 0;
    for (size_t i = 0; to && i < text->size;) {
        size_t n = text->data[i] == '\\'
                       ? escape(text->data + i + 1, text->size - i - 1, to,
                                &used)
                       : 0;
        if (n == 0 && is_text_line)
            used += tn_utf8_put(to + used, text->data[i]);
        else if (n == 0)
            to[used++] = text->data[i];
        i += 1 + n;
    }
    *text = tn_bytes(to, to ? used : 0);
}

/* The text between quotes. */
static void push_quoted(struct machine *m, uint64_t given)
{
    (void)given;
    push_line(m, TN_PICKLE_BYTES);
    struct tn_pickle *value = tn_failed(m->error) ? NULL : top(m);
    if (!value || value->as.string.span.length < 2)
        return;
    struct tn_bytes *text = &value->as.string.text;
    if (text->size)
        *text = tn_bytes(text->data + 1, text->size - 2);
    value->as.string.span.offset += 1;
    value->as.string.span.length -= 2;
    unescape(m, text, false);
    value->as.string.is_coded = text->size != value->as.string.span.length;
    tell_bytes(m);
}

/* Long ones are not read. */
static bool is_as_it_is(const struct tn_pickle_string *line)
{
    return line->text.size == line->span.length && is_plain(line->text);
}

static void push_text_line(struct machine *m, uint64_t given)
{
    (void)given;
    push_line(m, TN_PICKLE_TEXT);
    struct tn_pickle *value = tn_failed(m->error) ? NULL : top(m);
    if (!value)
        return;
    value->as.string.is_coded = !is_as_it_is(&value->as.string);
    unescape(m, &value->as.string.text, true);
}

static void push_persistent_line(struct machine *m, uint64_t given)
{
    (void)given;
    push_line(m, TN_PICKLE_TEXT);
    push_persistent(m);
}

/* A slot number that is too large here; Python's machine accepts any. */
static bool is_large(struct tn_bytes text)
{
    for (size_t i = 0; i < text.size; i++)
        if (!(text.data[i] >= '0' && text.data[i] <= '9') &&
            !is_blank(text.data[i]) && text.data[i] != '_' &&
            text.data[i] != '+')
            return false;
    return text.size >= 18;
}

static void memo_line(struct machine *m, void (*use)(struct machine *, uint64_t))
{
    struct tn_bytes text = take_line(m).text;
    int64_t         slot;

    if (tn_failed(m->error))
        return;
    /* Python's machine, which is in C, reads up to a zero byte. */
    const uint8_t *zero = m->describes ? tn_bytes_find(text, 0) : NULL;
    if (zero) {
        tell_odd(m, "a memo slot with a zero byte");
        text.size = (size_t)(zero - text.data);
    }
    if (read_decimal(text, &slot) && slot >= 0)
        use(m, (uint64_t)slot);
    else if (!m->describes || !is_large(text))
        refuse(m, TN_MALFORMED, "a memo slot that is not a number");
    else if (use == fetch)
        push_outside(m, 0);
    else
        tell_odd(m, "a memo slot of a number that is too large");
}

static void put_line(struct machine *m)
{
    memo_line(m, memoize);
}

static void get_line(struct machine *m)
{
    memo_line(m, fetch);
}

/* ---- the opcodes -------------------------------------------------------- */

/* Stores the value in the next slot. */
static void memoize_next(struct machine *m)
{
    memoize(m, m->memoized);
}

/* The beginning of a frame has no effect on the values. */
static void skip_frame(struct machine *m, uint64_t length)
{
    (void)m;
    (void)length;
}

/* The protocol makes no difference here, but it must come first. */
static void take_protocol(struct machine *m, uint64_t protocol)
{
    (void)protocol;
    if (m->at != m->begin)
        tell_odd(m, "a protocol that is not at the beginning");
}

static void stop(struct machine *m)
{
    m->is_done = true;
}

/* An opcode runs on what is on the stack, or takes an argument: `size` bytes of
 * the file, little-endian, or `given` when that is 0. */
struct opcode {
    const char *name; /* Python's */
    void (*run)(struct machine *m);
    void (*take)(struct machine *m, uint64_t argument);
    uint8_t size, given;
    bool    is_refused; /* unless the pickle is only described */
};

/* Begins a pickle; Python takes it elsewhere, too. */
#define PROTO 0x80

/* clang-format off */
#define RUN(function)         .run = function
#define GIVE(value, function) .take = function, .given = value
#define READ(bytes, function) .take = function, .size = bytes
#define ONLY_CODE             .is_refused = true

static const struct opcode opcodes[256] = {
    ['(']  = { "MARK",             RUN(push_mark) },
    ['.']  = { "STOP",             RUN(stop) },
    ['N']  = { "NONE",             GIVE(TN_PICKLE_NONE, push_empty) },
    [0x88] = { "NEWTRUE",          GIVE(true, push_bool) },
    [0x89] = { "NEWFALSE",         GIVE(false, push_bool) },
    ['K']  = { "BININT1",          READ(1, push_int) },
    ['M']  = { "BININT2",          READ(2, push_int) },
    ['J']  = { "BININT",           READ(4, push_int32) },
    [0x8a] = { "LONG1",            READ(1, push_long) },
    ['G']  = { "BINFLOAT",         READ(8, push_real) },
    [0x8c] = { "SHORT_BINUNICODE", READ(1, push_text) },
    ['X']  = { "BINUNICODE",       READ(4, push_text) },
    [0x8d] = { "BINUNICODE8",      READ(8, push_text) },
    ['C']  = { "SHORT_BINBYTES",   READ(1, push_bytes) },
    ['B']  = { "BINBYTES",         READ(4, push_bytes) },
    [0x8e] = { "BINBYTES8",        READ(8, push_bytes) },
    [0x96] = { "BYTEARRAY8",       READ(8, push_bytes) },
    ['U']  = { "SHORT_BINSTRING",  READ(1, push_bytes) },
    ['T']  = { "BINSTRING",        READ(4, push_bytes) },
    ['}']  = { "EMPTY_DICT",       GIVE(TN_PICKLE_DICT, push_empty) },
    ['s']  = { "SETITEM",          RUN(set_item) },
    ['u']  = { "SETITEMS",         RUN(set_marked) },
    [']']  = { "EMPTY_LIST",       GIVE(TN_PICKLE_LIST, push_empty) },
    ['a']  = { "APPEND",           RUN(append_item) },
    ['e']  = { "APPENDS",          RUN(append_marked) },
    [')']  = { "EMPTY_TUPLE",      GIVE(TN_PICKLE_TUPLE, push_empty) },
    [0x85] = { "TUPLE1",           GIVE(1, push_short_tuple) },
    [0x86] = { "TUPLE2",           GIVE(2, push_short_tuple) },
    [0x87] = { "TUPLE3",           GIVE(3, push_short_tuple) },
    ['t']  = { "TUPLE",            GIVE(TN_PICKLE_TUPLE, push_marked) },
    [0x94] = { "MEMOIZE",          RUN(memoize_next) },
    ['q']  = { "BINPUT",           READ(1, memoize) },
    ['r']  = { "LONG_BINPUT",      READ(4, memoize) },
    ['h']  = { "BINGET",           READ(1, fetch) },
    ['j']  = { "LONG_BINGET",      READ(4, fetch) },
    ['c']  = { "GLOBAL",           RUN(push_global) },
    [0x93] = { "STACK_GLOBAL",     RUN(push_stack_global) },
    ['R']  = { "REDUCE",           RUN(reduce) },
    [0x81] = { "NEWOBJ",           RUN(reduce) },
    ['b']  = { "BUILD",            RUN(build) },
    [0x95] = { "FRAME",            READ(8, skip_frame) },

    /* Opcodes that data does not need. */
    ['0']  = { "POP",              RUN(drop), ONLY_CODE },
    ['1']  = { "POP_MARK",         RUN(drop_marked), ONLY_CODE },
    ['2']  = { "DUP",              RUN(duplicate), ONLY_CODE },
    ['F']  = { "FLOAT",            GIVE(0, push_real_line), ONLY_CODE },
    ['I']  = { "INT",              RUN(push_decimal), ONLY_CODE },
    ['L']  = { "LONG",             RUN(push_decimal), ONLY_CODE },
    [0x8b] = { "LONG4",            READ(4, push_long), ONLY_CODE },
    ['S']  = { "STRING",           GIVE(0, push_quoted), ONLY_CODE },
    ['V']  = { "UNICODE",          GIVE(0, push_text_line), ONLY_CODE },
    ['d']  = { "DICT",             GIVE(TN_PICKLE_DICT, push_marked), ONLY_CODE },
    ['l']  = { "LIST",             GIVE(TN_PICKLE_LIST, push_marked), ONLY_CODE },
    [0x8f] = { "EMPTY_SET",        GIVE(TN_PICKLE_SET, push_empty), ONLY_CODE },
    [0x90] = { "ADDITEMS",         RUN(add_marked), ONLY_CODE },
    [0x91] = { "FROZENSET",        GIVE(TN_PICKLE_SET, push_marked), ONLY_CODE },
    ['g']  = { "GET",              RUN(get_line), ONLY_CODE },
    ['p']  = { "PUT",              RUN(put_line), ONLY_CODE },
    ['P']  = { "PERSID",           GIVE(0, push_persistent_line), ONLY_CODE },
    ['Q']  = { "BINPERSID",        RUN(push_persistent), ONLY_CODE },
    [0x82] = { "EXT1",             READ(1, push_outside), ONLY_CODE },
    [0x83] = { "EXT2",             READ(2, push_outside), ONLY_CODE },
    [0x84] = { "EXT4",             READ(4, push_outside), ONLY_CODE },
    ['i']  = { "INST",             RUN(make_instance), ONLY_CODE },
    ['o']  = { "OBJ",              RUN(make_object), ONLY_CODE },
    [0x92] = { "NEWOBJ_EX",        RUN(reduce_with_keywords), ONLY_CODE },
    [0x97] = { "NEXT_BUFFER",      GIVE(0, push_outside), ONLY_CODE },
    [0x98] = { "READONLY_BUFFER",  RUN(keep_buffer), ONLY_CODE },
    [PROTO] = { "PROTO",           READ(1, take_protocol), ONLY_CODE },
};
/* clang-format on */

static TN_COLD void refuse_opcode(struct machine *m, uint8_t opcode)
{
    if (opcodes[opcode].name)
        tn_fail_at(m->c, m->at, TN_UNSUPPORTED,
                   "the opcode %s, which data does not need",
                   opcodes[opcode].name);
    else
        tn_fail_at(m->c, m->at, TN_MALFORMED, "0x%02x is not an opcode",
                   opcode);
}

static uint64_t read_argument(struct tn_cursor *c, unsigned size)
{
    const uint8_t *bytes = tn_take(c, size);

    return bytes ? tn_load_little(bytes, size) : 0;
}

static void step(struct machine *m)
{
    m->at                       = m->c->offset;
    uint8_t              opcode = tn_u8(m->c);
    const struct opcode *op     = &opcodes[opcode];
    uint64_t argument = op->size ? read_argument(m->c, op->size) : op->given;

    if (tn_failed(m->error))
        return;
    m->by = op->name;
    if (op->is_refused && !m->describes)
        refuse_opcode(m, opcode);
    else if (op->run)
        op->run(m);
    else if (op->take)
        op->take(m, argument);
    else
        refuse_opcode(m, opcode);
}

static void expect_protocol(struct machine *m)
{
    m->at            = m->c->offset;
    uint8_t opcode   = tn_u8(m->c);
    uint8_t protocol = tn_u8(m->c);

    if (tn_failed(m->error))
        return;
    if (opcode != PROTO)
        refuse(m, TN_MALFORMED, "not a pickle of protocol 2 or later");
    else if (protocol < 2 || protocol > 5)
        tn_fail_at(m->c, m->at, TN_UNSUPPORTED, "pickle protocol %u", protocol);
}

/* Like Python, it takes the value on top and ignores what is below. */
static struct tn_pickle *finish(struct machine *m)
{
    if (m->stack.count != 1 || m->marks.count != 0) {
        if (!m->describes || m->stack.count == 0) {
            refuse(m, TN_MALFORMED,
                   "the pickle ends with other than one value");
            return NULL;
        }
        tell_odd(m, "values that are left on the stack");
    }
    struct tn_pickle *result = pop(m);
    if (result && result->kind == TN_PICKLE_NAME && !m->describes)
        refuse(m, TN_UNSUPPORTED, "a name as a value");
    return result;
}

static enum tn_status run(struct machine *m, const struct tn_pickle **result)
{
    struct tn_memory *memory = m->arena->memory;

    m->error = m->c->error;
    m->begin = m->c->offset;
    *result  = NULL;
    tn_list_init(&m->stack, memory, sizeof(struct tn_pickle *));
    tn_list_init(&m->marks, memory, sizeof(uint64_t));
    tn_list_init(&m->memo, memory, sizeof(struct tn_pickle *));
    tn_list_init(&m->far_values, memory, sizeof(struct tn_pickle *));
    tn_intern_init(&m->far_slots, m->arena);
    if (!m->describes)
        expect_protocol(m);
    while (!m->is_done && !tn_failed(m->error))
        step(m);
    if (!tn_failed(m->error))
        *result = finish(m);
    tn_list_done(&m->stack);
    tn_list_done(&m->marks);
    tn_list_done(&m->memo);
    tn_list_done(&m->far_values);
    tn_intern_done(&m->far_slots);
    return m->error->status;
}

static const struct tn_pickle_watch nobody;

enum tn_status tn_pickle_read(struct tn_cursor *c, struct tn_arena *arena,
                              const struct tn_pickle **result)
{
    struct machine m = { .c = c, .arena = arena, .watch = &nobody };

    return run(&m, result);
}

enum tn_status tn_pickle_describe(struct tn_cursor *c, struct tn_arena *arena,
                                  const struct tn_pickle_watch *watch,
                                  const struct tn_pickle      **result)
{
    struct machine m = { .c         = c,
                         .arena     = arena,
                         .describes = true,
                         .watch     = watch ? watch : &nobody };

    return run(&m, result);
}

/* ---- looking at the result ---------------------------------------------- */

struct tn_bytes tn_pickle_text(const struct tn_pickle *value)
{
    bool is_run =
        value->kind == TN_PICKLE_BYTES || value->kind == TN_PICKLE_TEXT;

    return is_run ? value->as.string.text : tn_bytes(NULL, 0);
}

bool tn_pickle_is_name(const struct tn_pickle *value, const char *module,
                       const char *name)
{
    return value->kind == TN_PICKLE_NAME &&
           tn_bytes_is(value->as.name.module, module) &&
           tn_bytes_is(value->as.name.name, name);
}

const struct tn_pickle *tn_pickle_find_key(const struct tn_pickle *dict,
                                           struct tn_bytes         key)
{
    if (dict->kind != TN_PICKLE_DICT)
        return NULL;
    for (uint64_t i = 0; i + 1 < dict->as.list.count; i += 2) {
        const struct tn_pickle *item = dict->as.list.items[i];
        if ((item->kind == TN_PICKLE_TEXT || item->kind == TN_PICKLE_BYTES) &&
            tn_bytes_equal(tn_pickle_text(item), key))
            return dict->as.list.items[i + 1];
    }
    return NULL;
}

const struct tn_pickle *tn_pickle_find(const struct tn_pickle *dict,
                                       const char             *key)
{
    return tn_pickle_find_key(dict, tn_text(key));
}

/* ---- writing ------------------------------------------------------------ */

static void put_short_text(struct tn_buffer *to, const char *text)
{
    tn_buffer_byte(to, 0x8c);
    tn_buffer_byte(to, (uint8_t)strlen(text));
    tn_buffer_text(to, text);
}

static void put_name(struct tn_buffer *to, const char *module, const char *name)
{
    put_short_text(to, module);
    put_short_text(to, name);
    tn_buffer_byte(to, 0x93);
}

void tn_pickle_begin(struct tn_buffer *to)
{
    tn_buffer_byte(to, 0x80);
    tn_buffer_byte(to, 4);
}

void tn_pickle_end(struct tn_buffer *to)
{
    tn_buffer_byte(to, '.');
}

void tn_pickle_put_text(struct tn_buffer *to, struct tn_bytes text)
{
    if (text.size < 256) {
        tn_buffer_byte(to, 0x8c);
        tn_buffer_byte(to, (uint8_t)text.size);
    } else {
        tn_buffer_byte(to, 0x8d);
        tn_buffer_u64(to, text.size);
    }
    tn_buffer_add(to, text);
}

static void put_int(struct tn_buffer *to, int64_t value)
{
    if (value >= INT32_MIN && value <= INT32_MAX) {
        tn_buffer_byte(to, 'J');
        tn_buffer_u32(to, (uint32_t)value);
    } else {
        tn_buffer_byte(to, 0x8a);
        tn_buffer_byte(to, 8);
        tn_buffer_u64(to, (uint64_t)value);
    }
}

void tn_pickle_open_dict(struct tn_buffer *to)
{
    tn_buffer_text(to, "}(");
}

void tn_pickle_close_dict(struct tn_buffer *to)
{
    tn_buffer_byte(to, 'u');
}

/* bfloat16 goes as the integers that its bits are. */
static const char *code_of(enum tn_dtype dtype)
{
    return tn_pickle_code(dtype == TN_BFLOAT16 ? TN_UINT16 : dtype);
}

/* dtype('f4', False, True), then its state: the byte order and no fields */
static void put_dtype(struct tn_buffer *to, enum tn_dtype dtype)
{
    put_name(to, "numpy", "dtype");
    put_short_text(to, code_of(dtype));
    tn_buffer_text(to, "\x89\x88\x87R(");
    put_int(to, 3);
    put_short_text(to, tn_dtype_size(dtype) == 1 ? "|" : "<");
    tn_buffer_text(to, "NNN");
    put_int(to, -1);
    put_int(to, -1);
    put_int(to, 0);
    tn_buffer_text(to, "tb");
}

/* _reconstruct(ndarray, (0,), b'b'), then the first four parts of its state */
enum tn_status tn_pickle_array_head(struct tn_buffer *to, enum tn_dtype dtype,
                                    uint32_t rank, const uint64_t *dims)
{
    uint64_t size = tn_dtype_size(dtype);

    if (!code_of(dtype))
        return tn_error_set(to->error, TN_UNSUPPORTED, TN_NOWHERE,
                            "numpy has no %s", tn_dtype_name(dtype));
    put_name(to, "numpy.core.multiarray", "_reconstruct");
    put_name(to, "numpy", "ndarray");
    put_int(to, 0);
    tn_buffer_text(to, "\x85"
                       "C\x01"
                       "b\x87R(");
    put_int(to, 1);
    tn_buffer_byte(to, '(');
    for (uint32_t i = 0; i < rank; i++) {
        put_int(to, (int64_t)dims[i]);
        size *= dims[i];
    }
    tn_buffer_byte(to, 't');
    put_dtype(to, dtype);
    tn_buffer_text(to, "\x89\x8e"); /* not Fortran's order; the bytes */
    tn_buffer_u64(to, size);
    return to->error->status;
}

void tn_pickle_array_tail(struct tn_buffer *to)
{
    tn_buffer_text(to, "tb");
}
