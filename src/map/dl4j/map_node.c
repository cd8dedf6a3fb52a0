/*
 * map_node.c - a node of a framework, taken out of its bytes
 *
 *   NodeDef    1 name  2 op  3 input*  5 attr* { 1 key  2 AttrValue }
 *   AttrValue  1 list  2 s  3 i  4 f  5 b  6 type  7 shape  8 tensor  10 func
 *   list       2 s*  3 i*  4 f*  5 b*  6 type*  7 shape*  8 tensor*  9 func*
 *
 *   NodeProto       1 input*  2 output*  3 name  4 op_type  5 attribute*  7
 * domain AttributeProto  1 name  2 f  3 i  4 s  5 t  6 g  7 floats*  8 ints* 9
 * strings*  10 tensors*  11 graphs*  20 type
 *
 *   OpDesc  1 inputs*  2 outputs* { 1 parameter  2 arguments* }  3 type  4
 * attrs* Attr    1 name  3 i  4 f  5 s  6 ints*  7 floats*  8 strings*  10 b 11
 * bools*  13 l  15 longs*
 */
#include "map/dl4j/map_node.h"

#include "base/number.h"
#include "map/dl4j/ir_types.h"
#include "wire/pb/pb_wire.h"

const char *tn_framework_name(enum tn_framework framework)
{
    static const char *const names[TN_FRAMEWORK_COUNT] = { "tensorflow", "onnx",
                                                           "paddle" };

    return names[framework];
}

bool tn_framework_named(struct tn_bytes name, enum tn_framework *framework)
{
    for (int i = 0; i < TN_FRAMEWORK_COUNT; i++)
        if (tn_bytes_is(name, tn_framework_name(i))) {
            *framework = i;
            return true;
        }
    return false;
}

struct reading {
    struct tn_arena *arena;
    struct tn_error *error;
    struct tn_list   inputs, outputs; /* struct tn_bytes    */
    struct tn_list   slots;           /* struct tn_bytes    */
    struct tn_list   attrs;           /* struct tn_map_attr */
};

/* ---- runs of values ----------------------------------------------------- */

/* Every value of the field `number` in the message. */
static uint32_t gather_numbers(struct reading *r, struct tn_cursor message,
                               uint32_t number, enum tn_wire_type type,
                               const void **values)
{
    struct tn_list     list;
    struct tn_pb_field f;
    uint64_t           bits;

    tn_list_init(&list, r->arena->memory, sizeof(int64_t));
    while (tn_pb_next(&message, &f))
        while (f.number == number && tn_pb_number(&message, &f, type, &bits)) {
            int64_t *value = tn_list_push(&list, int64_t, r->error);
            if (!value)
                break;
            *value = (int64_t)bits;
        }
    *values        = tn_list_keep(&list, int64_t, r->arena, r->error);
    uint32_t count = (uint32_t)list.count;
    tn_list_done(&list);
    return *values ? count : 0;
}

static uint32_t gather_bytes(struct reading *r, struct tn_cursor message,
                             uint32_t number, const struct tn_bytes **values)
{
    struct tn_list     list;
    struct tn_pb_field f;

    tn_list_init(&list, r->arena->memory, sizeof(struct tn_bytes));
    while (tn_pb_next(&message, &f)) {
        if (f.number != number || !tn_pb_expect(&message, &f, TN_WIRE_LEN))
            continue;
        struct tn_bytes *value = tn_list_push(&list, struct tn_bytes, r->error);
        if (!value)
            break;
        *value = tn_pb_text(&f);
    }
    *values        = tn_list_keep(&list, struct tn_bytes, r->arena, r->error);
    uint32_t count = (uint32_t)list.count;
    tn_list_done(&list);
    return *values ? count : 0;
}

static void set_ints(struct reading *r, struct tn_attr_value *value,
                     enum tn_attr_kind kind, struct tn_cursor message,
                     uint32_t number)
{
    const void *ints;

    value->kind    = kind;
    value->count   = gather_numbers(r, message, number, TN_WIRE_VARINT, &ints);
    value->of.ints = ints;
}

static void set_floats(struct reading *r, struct tn_attr_value *value,
                       struct tn_cursor message, uint32_t number)
{
    const void *bits;

    value->kind   = TN_ATTR_FLOAT;
    value->count  = gather_numbers(r, message, number, TN_WIRE_FIXED32, &bits);
    float *floats = tn_new(r->arena, float, value->count, r->error);
    for (uint32_t i = 0; floats && i < value->count; i++)
        floats[i] = tn_float_of_bits((uint32_t)((const int64_t *)bits)[i]);
    value->of.floats = floats;
    value->count     = floats ? value->count : 0;
}

static void set_strings(struct reading *r, struct tn_attr_value *value,
                        enum tn_attr_kind kind, struct tn_cursor message,
                        uint32_t number)
{
    value->kind  = kind;
    value->count = gather_bytes(r, message, number, &value->of.strings);
}

/* ---- TensorFlow --------------------------------------------------------- */

static void set_types(struct reading *r, struct tn_attr_value *value,
                      struct tn_cursor message)
{
    set_ints(r, value, TN_ATTR_DTYPE, message, 6);
    int64_t *types = tn_new(r->arena, int64_t, value->count, r->error);
    for (uint32_t i = 0; types && i < value->count; i++)
        types[i] = tn_ir_of_tensorflow(value->of.ints[i]);
    value->of.ints = types;
    value->count   = types ? value->count : 0;
}

static struct tn_attr_shape read_shape(struct reading  *r,
                                       struct tn_cursor message)
{
    struct tn_attr_shape   shape = { .has_rank = true };
    const struct tn_bytes *dims;
    const void            *unknown;
    const void            *size;

    if (gather_numbers(r, message, 3, TN_WIRE_VARINT, &unknown) > 0)
        shape.has_rank = ((const int64_t *)unknown)[0] == 0;
    shape.rank    = gather_bytes(r, message, 2, &dims);
    int64_t *kept = tn_new(r->arena, int64_t, shape.rank, r->error);
    for (uint32_t i = 0; kept && i < shape.rank; i++) {
        struct tn_cursor dim = tn_cursor_bytes(dims[i], 0, r->error);
        uint32_t count       = gather_numbers(r, dim, 1, TN_WIRE_VARINT, &size);
        kept[i]              = count ? ((const int64_t *)size)[count - 1] : 0;
    }
    shape.dims = kept;
    shape.rank = kept ? shape.rank : 0;
    return shape;
}

static void set_shapes(struct reading *r, struct tn_attr_value *value,
                       struct tn_cursor message)
{
    const struct tn_bytes *bodies;

    value->kind  = TN_ATTR_SHAPE;
    value->count = gather_bytes(r, message, 7, &bodies);
    struct tn_attr_shape *shapes =
        tn_new(r->arena, struct tn_attr_shape, value->count, r->error);
    for (uint32_t i = 0; shapes && i < value->count; i++)
        shapes[i] = read_shape(r, tn_cursor_bytes(bodies[i], 0, r->error));
    value->of.shapes = shapes;
    value->count     = shapes ? value->count : 0;
}

/* Fields 2 to 8 mean the same in a value and in a list of values. */
static void set_field(struct reading *r, struct tn_attr_value *value,
                      struct tn_cursor message, uint32_t number)
{
    switch (number) {
    case 2: set_strings(r, value, TN_ATTR_STRING, message, 2); break;
    case 3: set_ints(r, value, TN_ATTR_INT, message, 3); break;
    case 4: set_floats(r, value, message, 4); break;
    case 5: set_ints(r, value, TN_ATTR_BOOL, message, 5); break;
    case 6: set_types(r, value, message); break;
    case 7: set_shapes(r, value, message); break;
    case 8: set_strings(r, value, TN_ATTR_OTHER, message, 8); break;
    case 9:
    case 10: value->kind = TN_ATTR_FUNCTION; break;
    default: break;
    }
}

static uint32_t last_known(struct tn_cursor message, uint32_t most)
{
    struct tn_pb_field f;
    uint32_t           last = 0;

    while (tn_pb_next(&message, &f))
        if (f.number <= most)
            last = f.number;
    return last;
}

/* Of one value the last that was written counts. */
static void take_last(struct tn_attr_value *value)
{
    if (value->count == 0)
        return;
    uint32_t last = value->count - 1;
    if (value->kind == TN_ATTR_FLOAT)
        value->of.floats += last;
    else if (value->kind == TN_ATTR_SHAPE)
        value->of.shapes += last;
    else if (value->kind == TN_ATTR_STRING || value->kind == TN_ATTR_OTHER)
        value->of.strings += last;
    else
        value->of.ints += last;
    value->count = 1;
}

/* An empty list says nothing about what it is a list of. */
static void read_tensorflow_value(struct reading *r, struct tn_cursor message,
                                  struct tn_attr_value *value)
{
    struct tn_pb_field f;
    uint32_t           which = last_known(message, 10);

    if (which != 1) {
        set_field(r, value, message, which);
        take_last(value);
        return;
    }
    value->is_list = true;
    while (tn_pb_next(&message, &f))
        if (f.number == 1 && tn_pb_expect(&message, &f, TN_WIRE_LEN))
            set_field(r, value, f.body, last_known(f.body, 9));
}

static void add_tensorflow_attr(struct reading *r, struct tn_cursor entry)
{
    struct tn_map_attr *attr =
        tn_list_push(&r->attrs, struct tn_map_attr, r->error);
    struct tn_pb_field f;

    while (attr && tn_pb_next(&entry, &f)) {
        if (f.number == 1 && tn_pb_expect(&entry, &f, TN_WIRE_LEN))
            attr->name = tn_pb_text(&f);
        else if (f.number == 2 && tn_pb_expect(&entry, &f, TN_WIRE_LEN))
            read_tensorflow_value(r, f.body, &attr->value);
    }
}

static void add_name(struct reading *r, struct tn_list *to,
                     struct tn_bytes name)
{
    struct tn_bytes *added = tn_list_push(to, struct tn_bytes, r->error);

    if (added)
        *added = name;
}

static struct tn_bytes without_zero(struct tn_bytes name)
{
    if (name.size > 2 && tn_bytes_ends_with(name, ":0"))
        name.size -= 2;
    return name;
}

/* "x:1", or in a function "x:out:1": the last part counts outputs. */
static bool has_port(struct tn_bytes name)
{
    size_t  digits = 0;
    int64_t port   = 0;

    while (digits < name.size && name.data[name.size - 1 - digits] != ':')
        digits++;
    if (digits == name.size)
        return true; /* there is no colon */
    for (size_t i = name.size - digits; i < name.size; i++) {
        uint8_t c = name.data[i];
        port      = port * 10 + (c - '0');
        if (c < '0' || c > '9' || port > INT32_MAX)
            return false;
    }
    return digits > 0 && digits + 1 < name.size;
}

static void add_tensorflow_input(struct reading *r, struct tn_bytes name)
{
    if (name.size > 0 && name.data[0] == '^')
        return; /* no data */
    if (!has_port(name)) {
        tn_error_set(r->error, TN_MALFORMED, TN_NOWHERE,
                     "input '%.*s' is neither NODE nor NODE:NUMBER",
                     TN_FMT(name));
        return;
    }
    add_name(r, &r->inputs, without_zero(name));
}

static void read_tensorflow(struct reading *r, struct tn_cursor *c,
                            struct tn_map_node *node)
{
    struct tn_pb_field f;

    while (tn_pb_next(c, &f)) {
        if ((f.number > 3 && f.number != 5) ||
            !tn_pb_expect(c, &f, TN_WIRE_LEN))
            continue;
        struct tn_cursor body = f.body;
        struct tn_bytes  text = tn_pb_text(&f);
        if (f.number == 1)
            node->name = text;
        else if (f.number == 2)
            node->op_type = text;
        else if (f.number == 5)
            add_tensorflow_attr(r, body);
        else
            add_tensorflow_input(r, text);
    }
}

/* ---- ONNX --------------------------------------------------------------- */

enum {
    ONNX_FLOAT = 1,
    ONNX_INT,
    ONNX_STRING,
    ONNX_TENSOR,
    ONNX_GRAPH,
    ONNX_FLOATS,
    ONNX_INTS,
    ONNX_STRINGS,
    ONNX_TENSORS,
    ONNX_GRAPHS,
};

/* Old writers leave the type out: the field that is there tells it. */
static int64_t guess_type(struct tn_cursor message)
{
    static const int64_t types[] = { 0,
                                     0,
                                     ONNX_FLOAT,
                                     ONNX_INT,
                                     ONNX_STRING,
                                     ONNX_TENSOR,
                                     ONNX_GRAPH,
                                     ONNX_FLOATS,
                                     ONNX_INTS,
                                     ONNX_STRINGS,
                                     ONNX_TENSORS,
                                     ONNX_GRAPHS };
    struct tn_pb_field   f;
    int64_t              type = 0;

    while (tn_pb_next(&message, &f))
        if (f.number < sizeof types / sizeof types[0] && types[f.number])
            type = types[f.number];
    return type;
}

static void read_onnx_value(struct reading *r, struct tn_cursor message,
                            int64_t type, struct tn_attr_value *value)
{
    value->is_list = type >= ONNX_FLOATS && type <= ONNX_GRAPHS;
    switch (type) {
    case ONNX_FLOAT: set_floats(r, value, message, 2); break;
    case ONNX_INT: set_ints(r, value, TN_ATTR_INT, message, 3); break;
    case ONNX_STRING: set_strings(r, value, TN_ATTR_STRING, message, 4); break;
    case ONNX_TENSOR: set_strings(r, value, TN_ATTR_OTHER, message, 5); break;
    case ONNX_FLOATS: set_floats(r, value, message, 7); break;
    case ONNX_INTS: set_ints(r, value, TN_ATTR_INT, message, 8); break;
    case ONNX_STRINGS: set_strings(r, value, TN_ATTR_STRING, message, 9); break;
    case ONNX_TENSORS: set_strings(r, value, TN_ATTR_OTHER, message, 10); break;
    default: value->kind = TN_ATTR_GRAPH; break;
    }
    if (!value->is_list)
        take_last(value);
}

static void add_onnx_attr(struct reading *r, struct tn_cursor message)
{
    struct tn_map_attr *attr =
        tn_list_push(&r->attrs, struct tn_map_attr, r->error);
    struct tn_cursor   c    = message;
    int64_t            type = 0;
    struct tn_pb_field f;

    while (attr && tn_pb_next(&c, &f)) {
        if (f.number == 1 && tn_pb_expect(&c, &f, TN_WIRE_LEN))
            attr->name = tn_pb_text(&f);
        else if (f.number == 20 && tn_pb_expect(&c, &f, TN_WIRE_VARINT))
            type = (int64_t)f.value;
    }
    if (attr)
        read_onnx_value(r, message, type ? type : guess_type(message),
                        &attr->value);
}

static void read_onnx(struct reading *r, struct tn_cursor *c,
                      struct tn_map_node *node)
{
    struct tn_pb_field f;

    while (tn_pb_next(c, &f)) {
        if (f.number > 7 || f.number == 6 || !tn_pb_expect(c, &f, TN_WIRE_LEN))
            continue;
        struct tn_cursor body = f.body;
        struct tn_bytes  text = tn_pb_text(&f);
        if (f.number <= 2)
            add_name(r, f.number == 1 ? &r->inputs : &r->outputs, text);
        else if (f.number == 3)
            node->name = text;
        else if (f.number == 4)
            node->op_type = text;
        else if (f.number == 5)
            add_onnx_attr(r, body);
        else
            node->domain = text;
    }
}

/* ---- Paddle ------------------------------------------------------------- */

static void add_arguments(struct reading *r, struct tn_cursor slot,
                          struct tn_list *to)
{
    struct tn_cursor   c    = slot;
    struct tn_bytes    name = { NULL, 0 };
    struct tn_pb_field f;

    while (tn_pb_next(&c, &f))
        if (f.number == 1 && tn_pb_expect(&c, &f, TN_WIRE_LEN))
            name = tn_pb_text(&f);
    while (tn_pb_next(&slot, &f)) {
        if (f.number != 2 || !tn_pb_expect(&slot, &f, TN_WIRE_LEN))
            continue;
        add_name(r, to, tn_pb_text(&f));
        if (to == &r->inputs)
            add_name(r, &r->slots, name);
    }
}

static void read_paddle_value(struct reading *r, struct tn_cursor message,
                              uint32_t number, struct tn_attr_value *value)
{
    value->is_list =
        (number >= 6 && number <= 8) || number == 11 || number == 15;
    switch (number) {
    case 3:
    case 6:
    case 13:
    case 15: set_ints(r, value, TN_ATTR_INT, message, number); break;
    case 4:
    case 7: set_floats(r, value, message, number); break;
    case 5:
    case 8: set_strings(r, value, TN_ATTR_STRING, message, number); break;
    case 10:
    case 11: set_ints(r, value, TN_ATTR_BOOL, message, number); break;
    default: value->kind = TN_ATTR_OTHER; break;
    }
    if (!value->is_list)
        take_last(value);
}

static void add_paddle_attr(struct reading *r, struct tn_cursor message)
{
    struct tn_map_attr *attr =
        tn_list_push(&r->attrs, struct tn_map_attr, r->error);
    struct tn_cursor   c      = message;
    uint32_t           number = 0;
    struct tn_pb_field f;

    while (attr && tn_pb_next(&c, &f)) {
        if (f.number == 1 && tn_pb_expect(&c, &f, TN_WIRE_LEN))
            attr->name = tn_pb_text(&f);
        else if (f.number > 2)
            number = f.number;
    }
    if (attr)
        read_paddle_value(r, message, number, &attr->value);
}

static void read_paddle(struct reading *r, struct tn_cursor *c,
                        struct tn_map_node *node)
{
    struct tn_pb_field f;

    while (tn_pb_next(c, &f)) {
        if (f.number > 4 || !tn_pb_expect(c, &f, TN_WIRE_LEN))
            continue;
        if (f.number <= 2)
            add_arguments(r, f.body, f.number == 1 ? &r->inputs : &r->outputs);
        else if (f.number == 3)
            node->op_type = tn_pb_text(&f);
        else
            add_paddle_attr(r, f.body);
    }
}

/* ---- all ---------------------------------------------------------------- */

enum tn_status tn_map_node_read(struct tn_map_node *node,
                                enum tn_framework   framework,
                                struct tn_bytes bytes, struct tn_arena *arena,
                                struct tn_error *error)
{
    struct tn_cursor c = tn_cursor_bytes(bytes, 0, error);
    struct reading   r = { .arena = arena, .error = error };

    *node = (struct tn_map_node){ .framework = framework };
    tn_list_init(&r.inputs, arena->memory, sizeof(struct tn_bytes));
    tn_list_init(&r.outputs, arena->memory, sizeof(struct tn_bytes));
    tn_list_init(&r.slots, arena->memory, sizeof(struct tn_bytes));
    tn_list_init(&r.attrs, arena->memory, sizeof(struct tn_map_attr));
    if (framework == TN_FRAMEWORK_ONNX)
        read_onnx(&r, &c, node);
    else if (framework == TN_FRAMEWORK_PADDLE)
        read_paddle(&r, &c, node);
    else
        read_tensorflow(&r, &c, node);
    node->inputs      = tn_list_keep(&r.inputs, struct tn_bytes, arena, error);
    node->input_count = (uint32_t)r.inputs.count;
    node->outputs     = tn_list_keep(&r.outputs, struct tn_bytes, arena, error);
    node->output_count = (uint32_t)r.outputs.count;
    node->slots        = tn_list_keep(&r.slots, struct tn_bytes, arena, error);
    node->attrs      = tn_list_keep(&r.attrs, struct tn_map_attr, arena, error);
    node->attr_count = (uint32_t)r.attrs.count;
    tn_list_done(&r.inputs);
    tn_list_done(&r.outputs);
    tn_list_done(&r.slots);
    tn_list_done(&r.attrs);
    if (!tn_failed(error) && node->op_type.size == 0)
        tn_error_set(error, TN_MALFORMED, 0, "a node without an op type");
    return error->status;
}

const struct tn_map_attr *tn_map_node_attr(const struct tn_map_node *node,
                                           struct tn_bytes           name)
{
    const struct tn_map_attr *found = NULL;

    for (uint32_t i = 0; i < node->attr_count; i++)
        if (tn_bytes_equal(node->attrs[i].name, name))
            found = &node->attrs[i];
    return found;
}
