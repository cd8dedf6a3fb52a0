/*
 * edit_float16_typed.c - 16-bit floats where attributes say the types
 * (TensorFlow)
 *
 * A node computes in 16 bits if its operator allows them for the attributes
 * that say float32 now.  Every argument whose type is one of these attributes
 * is then taken or given in 16 bits, all others as before; a Cast stands behind
 * the node that makes a value, and serves all users of the other type.
 *
 * Values are called as their nodes, so a node that makes an output of the model
 * stays as it is, unless outputs change, too.
 */
#include "engine/edit_float16_typed.h"

#include "base/buffer.h"
#include "engine/edit_known.h"
#include "engine/edit_pair_ops.h"
#include "ir/attr.h"
#include "ir/vocab.h"

#include <math.h>

/* Operators that begin like this stay float32: quantisation, coordinates, sums
 * over many elements, casts, and what moves values between the passes of a
 * loop. */
/* clang-format off */
static const char *const stays[] = {
    "BlockLSTM", "Bucketize", "Cast", "Const", "CropAndResize", "Cum",
    "Dequantize", "Enter", "Exit", "FakeQuant", "GRUBlock", "LSTMBlock",
    "LinSpace", "LoopCond", "Merge", "NextIteration", "NonMaxSuppression",
    "Placeholder", "Quantize", "Range", "RefEnter", "RefSwitch", "Requantize",
    "Resize", "Switch", NULL,
};
/* clang-format on */

/* Constants of at most this many elements are numbers of a formula, and not
 * weights. */
#define FEW 4

struct typing {
    struct tn_draft           *draft;
    const struct tn_model     *model;
    const struct tn_narrow    *how;
    struct tn_error           *error;
    struct tn_arena            arena;
    struct tn_vocab            vocab;
    struct tn_fresh            fresh;
    const struct tn_vocab_op **kind; /* by op                                 */
    uint64_t       *changed;   /* by op: bits of the kind's attributes        */
    uint8_t        *users;     /* by op, if it is a constant: bits, as below  */
    const char    **copy;      /* by op, if it is a constant: another one     */
    bool           *is_output; /* by op                                       */
    struct tn_pairs made;      /* (op, output and width) -> name              */
    struct tn_list  names;     /* const char *                                */
    uint64_t        count;     /* of ops that compute in 16 bits              */
};

enum { WIDE_USER = 1, NARROW_USER = 2 };

/* ---- attributes and arguments -------------------------------------------- */

static bool get_attr(struct typing *t, uint32_t op, struct tn_bytes name,
                     struct tn_attr_value *value)
{
    struct tn_error             none = TN_ERROR_INIT;
    const struct tn_vocab_attr *attr =
        t->kind[op] ? tn_vocab_find_attr(t->kind[op], name) : NULL;
    const char *text =
        tn_text_format(&t->arena, t->error, "%.*s", TN_FMT(name));

    if (text &&
        tn_draft_get_attr(t->draft, op, text, &t->arena, value, &none) == TN_OK)
        return true;
    if (!attr || !attr->has_default)
        return false;
    *value = attr->value;
    return true;
}

/* Whether an attribute is there, and is one element type: float32. */
static bool is_float32(struct typing *t, uint32_t op, struct tn_bytes name)
{
    struct tn_attr_value value;

    return get_attr(t, op, name, &value) && value.kind == TN_ATTR_DTYPE &&
           !value.is_list && value.of.ints[0] == TN_FLOAT32;
}

static uint32_t arg_width(struct typing *t, uint32_t op,
                          const struct tn_vocab_arg *arg)
{
    struct tn_attr_value value;

    switch (arg->arity) {
    case TN_VOCAB_ONE:
    case TN_VOCAB_OPTIONAL: return 1;
    case TN_VOCAB_COUNTED:
        return get_attr(t, op, arg->list, &value) &&
                       value.kind == TN_ATTR_INT && !value.is_list &&
                       value.of.ints[0] >= 0
                   ? (uint32_t)value.of.ints[0]
                   : UINT32_MAX;
    case TN_VOCAB_BY_TYPES:
        return get_attr(t, op, arg->list, &value) ? value.count : UINT32_MAX;
    case TN_VOCAB_MANY:
    case TN_VOCAB_SOME: break;
    }
    return UINT32_MAX;
}

/* The argument that an input or output belongs to; NULL: none is known. */
static const struct tn_vocab_arg *arg_at(struct typing *t, uint32_t op,
                                         bool is_output, uint32_t index)
{
    const struct tn_vocab_op  *kind = t->kind[op];
    const struct tn_vocab_arg *args = is_output ? kind->outputs : kind->inputs;
    uint32_t count = is_output ? kind->output_count : kind->input_count;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t width = arg_width(t, op, &args[i]);
        if (index < width)
            return &args[i];
        index -= width;
    }
    return NULL;
}

/* Whether the op takes or gives it in 16 bits. */
static bool is_narrow(struct typing *t, uint32_t op, bool is_output,
                      uint32_t index)
{
    const struct tn_vocab_arg *arg =
        t->changed[op] ? arg_at(t, op, is_output, index) : NULL;

    if (!arg || arg->arity == TN_VOCAB_BY_TYPES || !arg->variable.size)
        return false;
    for (uint32_t i = 0; i < t->kind[op]->attr_count && i < 64; i++)
        if (t->changed[op] >> i & 1 &&
            tn_bytes_equal(t->kind[op]->attrs[i].name, arg->variable))
            return true;
    return false;
}

static uint32_t data_count(const struct typing *t, uint32_t op)
{
    const struct tn_op *row = tn_model_op_at(t->model, op);

    return row->input_count - row->control_count;
}

/* The op of the main graph that makes an input; TN_NONE: none. */
static uint32_t maker_of(const struct typing *t, uint32_t op, uint32_t index,
                         uint32_t *output)
{
    uint32_t value = tn_op_input(t->model, op, index);

    if (value == TN_NONE)
        return TN_NONE;
    const struct tn_value *v = tn_model_value_at(t->model, value);
    *output                  = v->output;
    return v->producer != TN_NONE &&
                   tn_model_op_at(t->model, v->producer)->graph == 0
               ? v->producer
               : TN_NONE;
}

static bool is_constant(const struct typing *t, uint32_t op)
{
    return tn_bytes_is(tn_model_op(t->model, op).type, "Const");
}

/* ---- which ops compute in 16 bits ---------------------------------------- */

static bool begins_like_one(struct tn_bytes type)
{
    for (const char *const *word = stays; *word; word++)
        if (type.size >= strlen(*word) &&
            memcmp(type.data, *word, strlen(*word)) == 0)
            return true;
    return false;
}

static bool is_kept(const struct typing *t, const struct tn_op_info *info)
{
    for (uint32_t i = 0; i < t->how->kept_count; i++)
        if (tn_bytes_is(info->type, t->how->kept[i]) ||
            tn_bytes_is(info->name, t->how->kept[i]))
            return true;
    return false;
}

/* Whether a few numbers, such as the 1e-10 in log(x + 1e-10), would become 0.
 */
static bool vanishes(struct typing *t, uint32_t constant)
{
    const float least = t->how->dtype == TN_FLOAT16 ? 0x1p-15f : 0x1p-127f;
    struct tn_attr_value value;
    struct tn_buffer     bytes;
    uint64_t             count;
    bool                 any = false;

    if (!get_attr(t, constant, tn_text("value"), &value) ||
        value.kind != TN_ATTR_TENSOR)
        return false;
    const struct tn_elements *elements = &value.of.tensors[0]->elements;
    if (elements->shape.dtype != TN_FLOAT32 ||
        !tn_shape_count(&elements->shape, &count) || count > FEW)
        return false;
    tn_buffer_init(&bytes, t->draft->memory, t->error);
    tn_payload_stream(elements, 0, count, t->draft->memory, &bytes.sink,
                      t->error);
    struct tn_bytes got = tn_buffer_bytes(&bytes);
    for (size_t i = 0; i + 4 <= got.size; i += 4) {
        uint32_t bits = (uint32_t)got.data[i] | (uint32_t)got.data[i + 1] << 8 |
                        (uint32_t)got.data[i + 2] << 16 |
                        (uint32_t)got.data[i + 3] << 24;
        float number;
        memcpy(&number, &bits, sizeof number);
        any |= number != 0 && fabsf(number) <= least;
    }
    tn_buffer_done(&bytes);
    return any;
}

static bool has_vanishing(struct typing *t, uint32_t op)
{
    uint32_t output;

    for (uint32_t i = 0; i < data_count(t, op); i++) {
        uint32_t maker = maker_of(t, op, i, &output);
        if (maker != TN_NONE && is_constant(t, maker) && vanishes(t, maker))
            return true;
    }
    return false;
}

static bool is_free(struct typing *t, uint32_t op)
{
    const struct tn_op_info info = tn_model_op(t->model, op);

    return t->kind[op] && t->kind[op]->has_signature &&
           !t->kind[op]->is_stateful && !begins_like_one(info.type) &&
           !is_kept(t, &info) && (t->how->takes_io || !t->is_output[op]) &&
           !has_vanishing(t, op);
}

static bool types_argument(const struct tn_vocab_op *kind, struct tn_bytes attr)
{
    for (uint32_t i = 0; i < kind->input_count + kind->output_count; i++) {
        const struct tn_vocab_arg *arg =
            i < kind->input_count ? &kind->inputs[i]
                                  : &kind->outputs[i - kind->input_count];
        if (arg->arity != TN_VOCAB_BY_TYPES && !arg->is_ref &&
            tn_bytes_equal(arg->variable, attr))
            return true;
    }
    return false;
}

/* The attributes that say float32 and may say 16 bits. */
static uint64_t changeable(struct typing *t, uint32_t op)
{
    const struct tn_vocab_op *kind = t->kind[op];
    uint64_t                  bits = 0;

    for (uint32_t i = 0; i < kind->attr_count && i < 64; i++) {
        const struct tn_vocab_attr *attr = &kind->attrs[i];
        if (!tn_bytes_is(attr->type, "type") ||
            (attr->is_restricted &&
             !(attr->types & TN_VOCAB_TYPE(t->how->dtype))) ||
            !types_argument(kind, attr->name) || !is_float32(t, op, attr->name))
            continue;
        bits |= UINT64_C(1) << i;
    }
    return bits;
}

static void mark_outputs(struct typing *t, struct tn_io_list list)
{
    for (uint32_t i = 0; i < list.count; i++) {
        uint32_t value = tn_model_find_named(t->model, 0, list.items[i].name);
        if (value != TN_NONE &&
            tn_model_value_at(t->model, value)->producer != TN_NONE)
            t->is_output[tn_model_value_at(t->model, value)->producer] = true;
    }
}

static enum tn_status choose_ops(struct typing *t)
{
    const struct tn_model *m = t->model;

    mark_outputs(t, tn_model_graph_at(m, 0)->outputs);
    for (uint32_t i = 0; i < tn_model_signature_count(m); i++)
        mark_outputs(t, tn_model_signature(m, i)->outputs);
    for (uint32_t op = 0; op < m->ops.count && !tn_failed(t->error); op++) {
        const struct tn_op_info info = tn_model_op(m, op);
        if (tn_model_op_at(m, op)->graph != 0)
            continue;
        t->kind[op]   = tn_vocab_find(&t->vocab, info.domain, info.type,
                                      INT64_MAX, t->error);
        bool is_input = tn_bytes_is(info.type, "Placeholder") &&
                        t->how->takes_io && t->kind[op];
        if (is_input || is_free(t, op))
            t->changed[op] = changeable(t, op);
        t->count += t->changed[op] && !is_input;
    }
    return t->error->status;
}

/* ---- constants ----------------------------------------------------------- */

static void find_users(struct typing *t)
{
    uint32_t output;

    for (uint32_t op = 0; op < t->model->ops.count; op++) {
        if (tn_model_op_at(t->model, op)->graph != 0)
            continue;
        if (t->is_output[op])
            t->users[op] |= WIDE_USER;
        for (uint32_t i = 0; i < data_count(t, op); i++) {
            uint32_t maker = maker_of(t, op, i, &output);
            if (maker != TN_NONE)
                t->users[maker] |=
                    is_narrow(t, op, false, i) ? NARROW_USER : WIDE_USER;
        }
    }
}

static enum tn_status set_constant(struct typing *t, uint32_t op,
                                   const struct tn_tensor *tensor)
{
    const int64_t              dtype = t->how->dtype;
    const struct tn_attr_value type  = { .kind    = TN_ATTR_DTYPE,
                                         .count   = 1,
                                         .of.ints = &dtype };
    const struct tn_attr_value value = { .kind       = TN_ATTR_TENSOR,
                                         .count      = 1,
                                         .of.tensors = &tensor };

    TN_TRY(tn_draft_set_attr(t->draft, op, "dtype", &type, t->error));
    return tn_draft_set_attr(t->draft, op, "value", &value, t->error);
}

/* A constant that is used only in 16 bits becomes one of 16 bits; if it is used
 * in both, there are two. */
static enum tn_status narrow_constant(struct typing *t, uint32_t op)
{
    struct tn_attr_value value;
    struct tn_bytes      name = tn_model_op(t->model, op).name;
    uint32_t             at   = op;

    if (!is_float32(t, op, tn_text("dtype")) ||
        tn_draft_get_attr(t->draft, op, "value", t->draft->arena, &value,
                          t->error) != TN_OK ||
        value.kind != TN_ATTR_TENSOR)
        return t->error->status;
    struct tn_tensor tensor = *value.of.tensors[0];
    tensor.elements =
        tn_narrow_elements(t->draft, t->how, name, &tensor.elements, t->error);
    tensor.wire = (struct tn_span){ NULL, 0, 0 };
    if (tn_failed(t->error))
        return t->error->status;
    if (t->users[op] & WIDE_USER) {
        t->copy[op] = tn_fresh_name(&t->fresh, name, "_narrow", t->error);
        TN_TRY(tn_draft_add_op(
            t->draft, 0, op,
            &(struct tn_op_spec){ .name = t->copy[op], .type = "Const" }, &at,
            t->error));
    }
    return set_constant(t, at, &tensor);
}

/* ---- the draft ----------------------------------------------------------- */

static enum tn_status change_attrs(struct typing *t, uint32_t op)
{
    const int64_t              dtype = t->how->dtype;
    const struct tn_attr_value type  = { .kind    = TN_ATTR_DTYPE,
                                         .count   = 1,
                                         .of.ints = &dtype };

    for (uint32_t i = 0; i < t->kind[op]->attr_count && i < 64; i++) {
        if (!(t->changed[op] >> i & 1))
            continue;
        const char *name = tn_text_format(&t->arena, t->error, "%.*s",
                                          TN_FMT(t->kind[op]->attrs[i].name));
        if (!name)
            return t->error->status;
        TN_TRY(tn_draft_set_attr(t->draft, op, name, &type, t->error));
    }
    return TN_OK;
}

/* The name of a Cast of a value, which is made when it is first asked for. */
static const char *cast_of(struct typing *t, uint32_t maker, uint32_t output,
                           struct tn_bytes seen, bool to_narrow)
{
    uint32_t key   = output * 2 + to_narrow, op;
    uint32_t known = tn_pairs_find(&t->made, maker, key);

    if (known != UINT32_MAX)
        return *tn_list_at(&t->names, const char *, known);
    struct tn_bytes from = tn_bytes_dup(&t->arena, seen, t->error);
    const char    **slot = tn_list_push(&t->names, const char *, t->error);
    if (!slot || !from.data)
        return "";
    const char *input = (const char *)from.data;
    const char *name  = *slot =
        tn_fresh_name(&t->fresh, tn_model_op(t->model, maker).name,
                      to_narrow ? "_narrow" : "_wide", t->error);
    tn_pairs_add(&t->made, maker, key, (uint32_t)t->names.count - 1, t->error);
    if (tn_draft_add_op(t->draft, 0, tn_draft_op_at(t->draft, maker)->next,
                        &(struct tn_op_spec){ .name        = name,
                                              .type        = "Cast",
                                              .inputs      = &input,
                                              .input_count = 1 },
                        &op, t->error) == TN_OK)
        tn_pair_describe(t->draft, op, to_narrow ? TN_FLOAT32 : t->how->dtype,
                         to_narrow ? t->how->dtype : TN_FLOAT32, t->error);
    return name;
}

static enum tn_status rewire(struct typing *t, uint32_t op)
{
    uint32_t output = 0;

    for (uint32_t i = 0; i < data_count(t, op) && !tn_failed(t->error); i++) {
        uint32_t maker = maker_of(t, op, i, &output);
        if (maker == TN_NONE)
            continue;
        bool wants = is_narrow(t, op, false, i);
        bool has   = is_constant(t, maker) ? t->users[maker] == NARROW_USER
                                           : is_narrow(t, maker, true, output);
        if (wants == has)
            continue;
        struct tn_bytes seen =
            tn_model_value_name(t->model, tn_op_input(t->model, op, i));
        const char *name = t->copy[maker] && wants
                               ? t->copy[maker]
                               : cast_of(t, maker, output, seen, wants);
        TN_TRY(tn_draft_set_input(t->draft, op, i, name, t->error));
    }
    return t->error->status;
}

static enum tn_status change_ops(struct typing *t)
{
    uint64_t count = t->model->ops.count;

    for (uint32_t op = 0; op < count; op++)
        if (is_constant(t, op) && t->users[op] & NARROW_USER)
            TN_TRY(narrow_constant(t, op));
    for (uint32_t op = 0; op < count; op++)
        if (tn_model_op_at(t->model, op)->graph == 0)
            TN_TRY(rewire(t, op));
    for (uint32_t op = 0; op < count; op++)
        if (t->changed[op])
            TN_TRY(change_attrs(t, op));
    return TN_OK;
}

static enum tn_status expect_io(const struct typing *t)
{
    if (!t->how->takes_io || !tn_model_signature_count(t->model))
        return TN_OK;
    return tn_error_set(t->error, TN_UNSUPPORTED, TN_NOWHERE,
                        "this model is called by its signatures, whose types "
                        "stay: use 'tenon convert' to make a GraphDef first");
}

static enum tn_status run(struct typing *t)
{
    uint64_t ops = t->model->ops.count;

    TN_TRY(expect_io(t));
    TN_TRY(
        tn_vocab_open(&t->vocab, &t->arena, t->draft->dialect->name, t->error));
    t->kind      = tn_new(&t->arena, const struct tn_vocab_op *, ops, t->error);
    t->changed   = tn_new(&t->arena, uint64_t, ops, t->error);
    t->users     = tn_new(&t->arena, uint8_t, ops, t->error);
    t->copy      = tn_new(&t->arena, const char *, ops, t->error);
    t->is_output = tn_new(&t->arena, bool, ops, t->error);
    if (tn_failed(t->error))
        return t->error->status;
    TN_TRY(choose_ops(t));
    if (!t->count)
        return tn_error_set(
            t->error, TN_UNSUPPORTED, TN_NOWHERE,
            "no node of the main graph can compute in %s%s",
            tn_dtype_name(t->how->dtype),
            t->model->graphs.count > 1
                ? "; functions stay as they are: use 'tenon convert' to make "
                  "a GraphDef without them first"
                : "");
    find_users(t);
    return change_ops(t);
}

enum tn_status tn_draft_narrow_typed(struct tn_draft        *draft,
                                     const struct tn_narrow *how,
                                     struct tn_error        *error)
{
    struct typing t = {
        .draft = draft, .model = draft->base, .how = how, .error = error
    };

    tn_arena_init(&t.arena, draft->memory);
    tn_pairs_init(&t.made, draft->memory);
    tn_list_init(&t.names, draft->memory, sizeof(const char *));
    tn_fresh_init(&t.fresh, draft->base, draft->arena);
    run(&t);
    tn_fresh_done(&t.fresh);
    tn_list_done(&t.names);
    tn_pairs_done(&t.made);
    tn_arena_done(&t.arena);
    return error->status;
}
