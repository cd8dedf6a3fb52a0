/*
 * paddle_program_fuzz.c - programs that are built, not bent
 *
 * The bytes choose: blocks, variables, operators by the table of PIR's names
 * and odd ones, slots and attributes with too few and too many parts.  Most of
 * what comes out is a program that opens.  It is checked, and written as a
 * program, as text, as PIR and as ONNX, and each of these is read again.
 */
#define _GNU_SOURCE
#include "format/paddle/paddle_building.h"
#include "wire/pb/pb_write.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct built {
    struct tn_choices choices;
    struct tn_arena  *arena;
    struct tn_error  *error;
    struct tn_buffer  params;   /* records of the stored variables            */
    char              last[16]; /* name of the last one of them             */
};

/* ---- words -------------------------------------------------------------- */

/* Some have parameters: their names are in the order of the alphabet. */
static const char *const var_names[] = {
    "x",    "y",     "z", "a",       "b",   "c",     "d",
    "feed", "fetch", "",  "@EMPTY@", "a/b", "x\xff", "conv2d_0.tmp_0"
};
static const char *const texts[] = {
    "",
    "1.relu_",
    "nan",
    "-inf",
    "inf",
    "1e400",
    "0.5",
    "{\"#\":\"0.a_i32\",\"D\":3}",
    "{\"#\":5}",
    "[1,2]",
    "{",
    "{\"#\":\"1.a_place\",\"D\":[0,0,\"\"]}",
    "x",
    "1 0 1",
    "\xff",
    "{\"#\":\"0.a_f32\",\"D\":1e999}",
    "{\"#\":\"0.t_dtensor\",\"D\":[{\"#\":\"0.t_f32\"},[2],\"NHWC\",[],0]}"
};
static const int64_t numbers[] = { 1,         0,         2,        -1, 3,
                                   5,         6,         20,       22, 36,
                                   INT32_MAX, INT64_MIN, INT64_MAX };

static struct tn_bytes var_name(struct built *b)
{
    return tn_text(TN_CHOOSE(&b->choices, var_names));
}

static int64_t number(struct built *b)
{
    return TN_CHOOSE(&b->choices, numbers);
}

static void begin(struct built *b, struct tn_rope *rope)
{
    tn_rope_init(rope, b->arena, b->error);
}

static void end(struct tn_rope *to, uint32_t field, struct tn_rope *body)
{
    tn_pb_put_message(to, field, body);
}

/* ---- variables ---------------------------------------------------------- */

struct shape {
    uint32_t type, rank;
    int64_t  dims[4];
};

static void put_tensor(struct built *b, struct tn_rope *to, uint32_t field,
                       struct shape *shape)
{
    static const uint8_t types[] = { 5,  5,  3,  2, 0,  6,  4, 22,
                                     21, 20, 19, 1, 23, 29, 99 };
    static const int64_t dims[]  = { 2, 3, 1, -1, 0, INT64_MAX };
    struct tn_rope       body;

    begin(b, &body);
    shape->type = TN_CHOOSE(&b->choices, types);
    shape->rank = tn_choose(&b->choices, 4);
    tn_pb_put_varint(&body, 1, shape->type);
    for (uint32_t i = 0; i < shape->rank; i++) {
        shape->dims[i] = TN_CHOOSE(&b->choices, dims);
        tn_pb_put_varint(&body, 2, (uint64_t)shape->dims[i]);
    }
    end(to, field, &body);
}

static uint32_t put_var_type(struct built *b, struct tn_rope *to,
                             struct shape *shape)
{
    static const uint8_t types[] = { 7, 7, 7, 7, 13, 8, 9, 10, 17, 11, 27, 99 };
    uint32_t             type    = TN_CHOOSE(&b->choices, types);
    struct tn_rope       body, outer;

    begin(b, &body);
    tn_pb_put_varint(&body, 1, type);
    if ((type == 7 || type == 13) && !tn_seldom(&b->choices, 8)) {
        begin(b, &outer);
        put_tensor(b, &outer, 1, shape);
        if (tn_seldom(&b->choices, 4))
            tn_pb_put_varint(&outer, 2, (uint64_t)number(b));
        end(&body, type == 7 ? 3 : 4, &outer);
    } else if (type == 8) {
        put_tensor(b, &body, 2, shape);
    }
    end(to, VAR_TYPE, &body);
    return type;
}

static void put_note(struct built *b, struct tn_rope *to)
{
    struct tn_rope body;

    begin(b, &body);
    tn_pb_put_text(&body, 1,
                   tn_seldom(&b->choices, 2) ? "pir.flags" : "pir.type");
    tn_pb_put_varint(&body, 2, TN_DESC_STRING);
    tn_pb_put_text(&body, 4, TN_CHOOSE(&b->choices, texts));
    end(to, 7, &body);
}

/* A record of the variable, when it comes behind all before by its name. */
static void put_record(struct built *b, struct tn_bytes name,
                       const struct shape *shape)
{
    struct tn_lod_record record = { .layout = TN_LOD_SHIPPED,
                                    .type   = shape->type,
                                    .rank   = shape->rank };
    uint64_t             size   = tn_dtype_size(tn_lod_dtype(shape->type));

    for (uint32_t i = 0; i < shape->rank; i++) {
        if (shape->dims[i] < 0 || shape->dims[i] > 3)
            return;
        record.dims[i] = (uint64_t)shape->dims[i];
        size *= record.dims[i];
    }
    if (size == 0 || tn_bytes_compare(name, tn_text(b->last)) <= 0)
        return;
    snprintf(b->last, sizeof b->last, "%.*s", TN_FMT(name));
    tn_lod_write_head(&b->params, &record);
    for (uint64_t i = 0; i < size; i++)
        tn_buffer_byte(&b->params, (uint8_t)(i % 2));
}

static void put_var(struct built *b, struct tn_rope *to)
{
    struct shape    shape = { .rank = 0 };
    struct tn_bytes name  = var_name(b);
    struct tn_rope  body;

    begin(b, &body);
    if (!tn_seldom(&b->choices, 32))
        tn_pb_put_bytes(&body, VAR_NAME, name);
    uint32_t type =
        tn_seldom(&b->choices, 16) ? 0 : put_var_type(b, &body, &shape);
    bool is_kept = tn_seldom(&b->choices, 4);
    tn_pb_put_varint(&body, VAR_PERSISTABLE, is_kept);
    if (is_kept && type == TN_PADDLE_LOD_TENSOR)
        put_record(b, name, &shape);
    if (tn_seldom(&b->choices, 3))
        tn_pb_put_varint(&body, VAR_NEED_CHECK_FEED, 1);
    if (tn_seldom(&b->choices, 8))
        tn_pb_put_varint(&body, 6, 1);
    if (tn_seldom(&b->choices, 8))
        put_note(b, &body);
    end(to, BLOCK_VARS, &body);
}

/* ---- operators ---------------------------------------------------------- */

static void put_slot(struct built *b, struct tn_rope *to, uint32_t field,
                     struct tn_bytes name, uint32_t count)
{
    struct tn_rope body;

    begin(b, &body);
    tn_pb_put_bytes(&body, SLOT_PARAMETER, name);
    for (uint32_t i = 0; i < count; i++)
        tn_pb_put_bytes(&body, SLOT_ARGUMENTS, var_name(b));
    end(to, field, &body);
}

/* How many: nearly always one. */
static uint32_t few(struct built *b)
{
    static const uint8_t counts[] = { 1, 1, 1, 1, 1, 2, 3, 0 };

    return TN_CHOOSE(&b->choices, counts);
}

static void put_element(struct built *b, struct tn_rope *to, uint32_t field,
                        uint32_t type)
{
    static const uint64_t reals[] = { 0, UINT64_C(0x3fe0000000000000),
                                      UINT64_C(0x7ff8000000000000),
                                      UINT64_C(0x7ff0000000000000),
                                      UINT64_C(0x47efffffffffffff) };
    struct tn_rope        body;

    switch (type) {
    case TN_DESC_FLOAT:
    case TN_DESC_FLOATS:
        tn_pb_put_fixed32(to, field,
                          (uint32_t)(TN_CHOOSE(&b->choices, reals) >> 32));
        break;
    case TN_DESC_DOUBLE:
    case TN_DESC_DOUBLES:
        tn_pb_put_fixed64(to, field, TN_CHOOSE(&b->choices, reals));
        break;
    case TN_DESC_STRING:
    case TN_DESC_STRINGS:
        tn_pb_put_text(to, field, TN_CHOOSE(&b->choices, texts));
        break;
    case TN_DESC_VAR:
    case TN_DESC_VARS: tn_pb_put_bytes(to, field, var_name(b)); break;
    case TN_DESC_SCALAR:
    case TN_DESC_SCALARS:
        begin(b, &body);
        tn_pb_put_varint(&body, 1, tn_choose(&b->choices, 4));
        tn_pb_put_varint(&body, 3, (uint64_t)number(b));
        end(to, field, &body);
        break;
    default: tn_pb_put_varint(to, field, (uint64_t)number(b)); break;
    }
}

static void put_attr(struct built *b, struct tn_rope *to, struct tn_bytes name,
                     uint32_t type)
{
    static const uint8_t fields[] = { 3,  4,  5,  6,  7,  8,  10, 11, 12,
                                      13, 14, 15, 16, 17, 18, 19, 20, 21 };
    struct tn_rope       body;

    begin(b, &body);
    if (type >= sizeof fields || tn_seldom(&b->choices, 8))
        type = tn_choose(&b->choices, sizeof fields);
    tn_pb_put_bytes(&body, ATTR_NAME, name);
    tn_pb_put_varint(&body, ATTR_TYPE, type);
    for (uint32_t i = few(b); i > 0; i--)
        put_element(b, &body, fields[type], type);
    end(to, OP_ATTRS, &body);
}

static void put_odd_attr(struct built *b, struct tn_rope *to)
{
    static const char *const names[] = {
        "axis",      "pir.op",       "pir.name", "col",         "value",
        "str_value", "sub_block",    "pir.axis", "struct_name", "",
        "legacy.q",  "op_callstack", "shape",    "dtype",       "op_device"
    };

    put_attr(b, to, tn_text(TN_CHOOSE(&b->choices, names)),
             tn_choose(&b->choices, 18));
}

static void put_ports(struct built *b, struct tn_rope *to,
                      const struct tn_pir_port *ports, uint32_t count,
                      uint32_t field)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t how = tn_choose(&b->choices, 16);
        if (ports[i].slot.size && how < 13)
            put_slot(b, to, field, ports[i].slot, few(b));
        if (ports[i].parts.size && how == 13)
            put_slot(b, to, field, ports[i].parts, few(b));
        if (ports[i].attr.size && how > 4)
            put_attr(b, to, ports[i].attr, tn_pir_kind_type(ports[i].kind));
    }
}

static void put_by_rule(struct built *b, struct tn_rope *to)
{
    const struct tn_list     *rows = &the_rules()->rows;
    const struct tn_pir_rule *rule =
        tn_list_at(rows, struct tn_pir_rule,
                   tn_choose(&b->choices, (uint32_t)rows->count));

    put_ports(b, to, rule->in, rule->in_count, OP_INPUTS);
    put_ports(b, to, rule->out, rule->out_count, OP_OUTPUTS);
    for (uint32_t i = 0; i < rule->attr_count; i++)
        if (!tn_seldom(&b->choices, 4))
            put_attr(b, to, rule->attrs[i].legacy,
                     tn_pir_kind_type(rule->attrs[i].kind));
    tn_pb_put_bytes(to, OP_TYPE, rule->legacy);
}

static void put_flow(struct built *b, struct tn_rope *to)
{
    static const char *const types[] = { "while", "conditional_block",
                                         "select_input" };
    const char              *type    = TN_CHOOSE(&b->choices, types);

    put_slot(b, to, OP_INPUTS,
             tn_text(type[0] == 'w'   ? "Condition"
                     : type[0] == 'c' ? "Cond"
                                      : "Mask"),
             few(b));
    put_slot(b, to, OP_INPUTS, tn_text("X"), 2);
    put_slot(b, to, OP_OUTPUTS, tn_text("Out"), few(b));
    tn_pb_put_text(to, OP_TYPE, type);
    if (type[0] != 's')
        put_attr(b, to, tn_text("sub_block"), TN_DESC_BLOCK);
}

static void put_odd_op(struct built *b, struct tn_rope *to)
{
    static const char *const types[] = { "feed",      "fetch", "my",
                                         "pir.1.foo", "",      "pir.",
                                         "legacy.x",  "relu" };
    static const char *const in[]    = { "X", "I0", "V1", "I2", "", "I99" };
    static const char *const out[]   = { "Out", "O0", "W1", "O2", "", "O99" };

    for (uint32_t i = tn_choose(&b->choices, 3); i > 0; i--)
        put_slot(b, to, OP_INPUTS, tn_text(TN_CHOOSE(&b->choices, in)), few(b));
    for (uint32_t i = tn_choose(&b->choices, 3); i > 0; i--)
        put_slot(b, to, OP_OUTPUTS, tn_text(TN_CHOOSE(&b->choices, out)),
                 few(b));
    tn_pb_put_text(to, OP_TYPE, TN_CHOOSE(&b->choices, types));
}

static void put_op(struct built *b, struct tn_rope *to)
{
    struct tn_rope body;
    uint32_t       sort = tn_choose(&b->choices, 8);

    begin(b, &body);
    if (sort < 5)
        put_by_rule(b, &body);
    else if (sort < 7)
        put_odd_op(b, &body);
    else
        put_flow(b, &body);
    for (uint32_t i = tn_choose(&b->choices, 4); i > 2; i--)
        put_odd_attr(b, &body);
    end(to, BLOCK_OPS, &body);
}

/* ---- programs ----------------------------------------------------------- */

static void put_block(struct built *b, struct tn_rope *to, uint32_t index)
{
    struct tn_rope body;

    begin(b, &body);
    tn_pb_put_varint(&body, BLOCK_IDX,
                     tn_seldom(&b->choices, 32) ? (uint64_t)number(b) : index);
    tn_pb_put_varint(&body, BLOCK_PARENT,
                     tn_seldom(&b->choices, 32) ? (uint64_t)number(b)
                                                : (uint64_t)index - 1);
    for (uint32_t i = tn_choose(&b->choices, 8); i > 0; i--)
        put_var(b, &body);
    for (uint32_t i = tn_choose(&b->choices, 5); i > 0; i--)
        put_op(b, &body);
    end(to, PROGRAM_BLOCKS, &body);
}

static void put_program(struct built *b, struct tn_rope *to)
{
    static const uint8_t counts[] = { 1, 1, 2, 3, 0 };
    uint32_t             count    = TN_CHOOSE(&b->choices, counts);
    struct tn_rope       body;

    for (uint32_t i = 0; i < count; i++)
        put_block(b, to, i);
    begin(b, &body);
    tn_pb_put_varint(&body, 1, (uint64_t)number(b));
    end(to, PROGRAM_VERSION, &body);
    if (tn_seldom(&b->choices, 8)) {
        begin(b, &body);
        end(to, PROGRAM_OP_VERSIONS, &body);
    }
}

/* ---- trying one --------------------------------------------------------- */

static void try_program(void)
{
    static const char *const formats[] = { "paddle", "paddle-text",
                                           "paddle-pir", "onnx", NULL };
    struct tn_model         *model     = rewrite_open_built("in.pdmodel");

    if (!model)
        return;
    if (rewrite_is_small(model))
        rewrite_everywhere(model, formats);
    tn_model_close(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_memory memory;
    struct tn_arena  arena;
    struct tn_rope   rope;
    struct tn_buffer program;
    struct built     b = { .choices = { data, data + size },
                           .arena   = &arena,
                           .error   = &error };

    rewrite_enter();
    tn_memory_init(&memory, NULL, 0);
    tn_arena_init(&arena, &memory);
    tn_rope_init(&rope, &arena, &error);
    tn_buffer_init(&program, &memory, &error);
    tn_buffer_init(&b.params, &memory, &error);
    put_program(&b, &rope);
    bool has_params = !tn_seldom(&b.choices, 4) && b.params.size;
    tn_rope_write(&rope, &program.sink, &error);
    if (error.status == TN_OK &&
        rewrite_put("in.pdmodel", program.data, program.size) &&
        (!has_params ||
         rewrite_put("in.pdiparams", b.params.data, b.params.size)))
        try_program();
    rewrite_empty();
    tn_buffer_done(&b.params);
    tn_buffer_done(&program);
    tn_rope_done(&rope);
    tn_arena_done(&arena);
    return 0;
}
