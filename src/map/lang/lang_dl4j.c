/* lang_dl4j.c - mappers of the import IR as rules, for whole models */
#include "map/lang/lang_dl4j.h"

#include <stdio.h>

#include "base/buffer.h"
#include "map/dl4j/ir_types.h"
#include "map/dl4j/map_tensor.h"
#include "map/dl4j/run_mapper.h"
#include "map/dl4j/unmapped.h"
#include "map/lang/lang_native.h"

/* ---- as text ------------------------------------------------------------ */

/* Names of ops that the language can express; no op has others. */
static bool is_word(struct tn_bytes name)
{
    for (size_t i = 0; i < name.size; i++) {
        char c = (char)name.data[i];
        if (!(c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
              (i && c >= '0' && c <= '9')))
            return false;
    }
    return name.size > 0;
}

static enum tn_status run(void *context, struct tn_native_call *call,
                          struct tn_error *error);

enum tn_status tn_mapper_rules_write(struct tn_mapper_rules *rules,
                                     struct tn_rule_text    *text,
                                     struct tn_arena *arena, uint32_t *count,
                                     struct tn_error *error)
{
    const char         *framework = tn_framework_name(rules->framework);
    uint64_t            most      = rules->mappers->list.count;
    struct tn_location *places = tn_new(arena, struct tn_location, most, error);
    struct tn_buffer    out;

    *count = 0;
    tn_buffer_init(&out, arena->memory, error);
    tn_buffer_format(&out, "rules %s -> nd4j 1\n", framework);
    for (uint32_t i = 0; places && i < most; i++) {
        const struct tn_mapper *m = tn_mappers_at(rules->mappers, i);
        if (!tn_bytes_is(m->framework, framework) || !is_word(m->op_type))
            continue;
        places[(*count)++] = m->place;
        tn_buffer_format(
            &out, "%.*s(xs...) -> (ys...) => native " TN_MAPPER_FUNCTION "\n",
            TN_FMT(m->op_type));
    }
    rules->function = (struct tn_native){ TN_MAPPER_FUNCTION, run, rules };
    rules->arena    = arena;
    rules->last     = &rules->unmapped;
    *text           = (struct tn_rule_text){
                  .name           = *count ? places[0].file : "mappers",
                  .from           = framework,
                  .to             = "nd4j",
                  .text           = tn_bytes_dup(arena, tn_buffer_bytes(&out), error),
                  .functions      = &rules->function,
                  .function_count = 1,
                  .places         = places,
    };
    tn_buffer_done(&out);
    return error->status;
}

/* ---- a node of a net as a mapper sees it -------------------------------- */

struct work {
    struct tn_mapper_rules   *rules;
    struct tn_native_call    *call;
    struct tn_arena          *arena;
    struct tn_error          *error; /* of the mapper: a refusal          */
    const struct tn_vocab_op *op;    /* that is called                    */
    struct tn_list            attrs; /* struct tn_native_attr             */
    struct tn_list            made;  /* struct tn_map_made                */
};

/* Inputs are called by their numbers: two may be one value. */
static struct tn_bytes input_name(const struct work *w, uint32_t index)
{
    const char *name =
        tn_text_format(w->arena, w->error, "%u", (unsigned)index);

    return name && tn_native_input(w->call, index) != TN_NONE ? tn_text(name)
                                                              : tn_text("");
}

static uint32_t input_named(struct tn_bytes name)
{
    uint32_t index = 0;

    for (size_t i = 0; i < name.size; i++)
        index = index * 10 + (uint32_t)(name.data[i] - '0');
    return name.size ? index : TN_NONE;
}

/* A tn_map_constant. */
static enum tn_status tell_constant(void *context, struct tn_bytes name,
                                    struct tn_map_tensor *tensor,
                                    bool *is_known, struct tn_arena *arena,
                                    struct tn_error *error)
{
    struct work          *w     = context;
    uint32_t              value = input_named(name);
    struct tn_native_type type;
    struct tn_attr_value  elements;

    if (value >= tn_native_input_count(w->call) ||
        !tn_native_type(w->call, value, &type) || !type.has_rank ||
        !tn_native_elements(w->call, value, &elements))
        return TN_OK;
    uint64_t count = 1;
    for (uint32_t i = 0; i < type.rank; i++)
        count *= type.dims[i] >= 0 ? (uint64_t)type.dims[i] : TN_MAP_ELEMENTS;
    *is_known = count == elements.count && count <= TN_MAP_ELEMENTS;
    if (!*is_known)
        return TN_OK;
    return tn_map_tensor_fill(tensor,
                              &(struct tn_map_elements){ type.dtype, type.rank,
                                                         type.dims, &elements },
                              arena, error);
}

static bool holds_graphs(const struct tn_net_node *node)
{
    for (uint32_t i = 0; i < node->attr_count; i++)
        if (node->attrs[i].value.kind == TN_ATTR_GRAPH ||
            node->attrs[i].value.kind == TN_ATTR_FUNCTION)
            return true;
    return false;
}

/* Attributes mean the same on both sides.  Tensors are left out: mappers want
 * them only of definitions that no net has any more. */
static enum tn_status read_node(struct work *w, struct tn_map_node *to)
{
    const struct tn_net_node *node = tn_native_node(w->call);
    struct tn_bytes          *inputs =
        tn_new(w->arena, struct tn_bytes, node->input_count, w->error);
    struct tn_map_attr *attrs =
        tn_new(w->arena, struct tn_map_attr, node->attr_count, w->error);

    if (!inputs || !attrs)
        return w->error->status;
    *to = (struct tn_map_node){ .framework   = w->rules->framework,
                                .name        = node->name,
                                .op_type     = node->op->type,
                                .inputs      = inputs,
                                .input_count = node->input_count,
                                .attrs       = attrs };
    for (uint32_t i = 0; i < node->input_count; i++)
        inputs[i] = input_name(w, i);
    for (uint32_t i = 0; i < node->attr_count; i++)
        if (node->attrs[i].value.kind != TN_ATTR_TENSOR)
            attrs[to->attr_count++] =
                (struct tn_map_attr){ node->attrs[i].name,
                                      node->attrs[i].value };
    return w->error->status;
}

/* ---- the call ------------------------------------------------------------ */

static enum tn_status refuse(struct work *w, const char *what,
                             struct tn_bytes name)
{
    return tn_error_set(w->error, TN_UNSUPPORTED, TN_NOWHERE, "%s: %.*s", what,
                        TN_FMT(name));
}

static bool is_nothing(const struct tn_arg *arg)
{
    return arg->number == 0 && !(arg->real < 0 || arg->real > 0) &&
           arg->text.size == 0;
}

/* Values of a list from `first` on, as one attribute. */
static enum tn_status add_attr(struct work *w, const struct tn_vocab_attr *attr,
                               const struct tn_arg *from, uint32_t count,
                               bool is_list)
{
    struct tn_native_attr *to =
        tn_list_push(&w->attrs, struct tn_native_attr, w->error);
    int64_t         *ints  = tn_new(w->arena, int64_t, count, w->error);
    double          *reals = tn_new(w->arena, double, count, w->error);
    struct tn_bytes *texts = tn_new(w->arena, struct tn_bytes, count, w->error);
    const char      *name =
        tn_text_format(w->arena, w->error, "%.*s", TN_FMT(attr->name));

    if (!to || !ints || !reals || !texts || !name)
        return w->error->status;
    for (uint32_t i = 0; i < count; i++) {
        ints[i]  = from[i].type == TN_ARG_DATA_TYPE
                       ? (int64_t)tn_ir_dtype(from[i].number)
                       : from[i].number;
        reals[i] = from[i].real;
        texts[i] = from[i].text;
    }
    *to =
        (struct tn_native_attr){ name, { .is_list = is_list, .count = count } };
    switch (from[0].type) {
    case TN_ARG_DOUBLE:
    case TN_ARG_FLOAT:
        to->value.kind       = TN_ATTR_DOUBLE;
        to->value.of.doubles = reals;
        break;
    case TN_ARG_STRING:
        to->value.kind       = TN_ATTR_STRING;
        to->value.of.strings = texts;
        break;
    default:
        to->value.kind    = from[0].type == TN_ARG_BOOL        ? TN_ATTR_BOOL
                            : from[0].type == TN_ARG_DATA_TYPE ? TN_ATTR_DTYPE
                                                               : TN_ATTR_INT;
        to->value.of.ints = ints;
        break;
    }
    return TN_OK;
}

/* The places of a list have names in the vocabulary. */
static enum tn_status add_list(struct work *w, enum tn_vocab_list list,
                               const struct tn_arg *args, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct tn_vocab_attr *attr = tn_vocab_find_slot(w->op, list, i);
        if (attr && (attr->is_rest || list == TN_VOCAB_AXIS))
            return add_attr(w, attr, &args[i], count - i, true);
        if (attr)
            TN_TRY(add_attr(w, attr, &args[i], 1, attr->is_list));
        else if (!is_nothing(&args[i]))
            return refuse(w, "nd4j has no place for an argument of the mapper",
                          args[i].name);
    }
    return TN_OK;
}

static bool has_list(const struct work *w, enum tn_vocab_list list)
{
    for (uint32_t i = 0; i < w->op->attr_count; i++)
        if (w->op->attrs[i].list == list)
            return true;
    return false;
}

/* In descriptors the operand of a scalar op is its first number, and the axes
 * of a legacy op are integers. */
static enum tn_status add_numbers(struct work                   *w,
                                  const struct tn_op_descriptor *op)
{
    struct tn_args t = op->lists[TN_LIST_T], i = op->lists[TN_LIST_I];
    bool           has_scalar = has_list(w, TN_VOCAB_SCALAR);
    bool           has_axes   = has_list(w, TN_VOCAB_AXIS);

    if (has_scalar && t.count) {
        TN_TRY(add_attr(w, tn_vocab_find_slot(w->op, TN_VOCAB_SCALAR, 0),
                        t.items, 1, false));
        t = (struct tn_args){ t.count - 1, t.items + 1 };
    }
    TN_TRY(add_list(w, TN_VOCAB_TARGS, t.items, t.count));
    TN_TRY(add_list(w,
                    has_axes && !has_list(w, TN_VOCAB_IARGS) ? TN_VOCAB_AXIS
                                                             : TN_VOCAB_IARGS,
                    i.items, i.count));
    if (op->lists[TN_LIST_AXIS].count)
        TN_TRY(add_list(w, has_axes ? TN_VOCAB_AXIS : TN_VOCAB_IARGS,
                        op->lists[TN_LIST_AXIS].items,
                        op->lists[TN_LIST_AXIS].count));
    TN_TRY(add_list(w, TN_VOCAB_BARGS, op->lists[TN_LIST_B].items,
                    op->lists[TN_LIST_B].count));
    TN_TRY(add_list(w, TN_VOCAB_DARGS, op->lists[TN_LIST_D].items,
                    op->lists[TN_LIST_D].count));
    return add_list(w, TN_VOCAB_SARGS, op->lists[TN_LIST_S].items,
                    op->lists[TN_LIST_S].count);
}

static const struct tn_map_tensor *find_made(const struct work *w,
                                             struct tn_bytes    bytes)
{
    for (uint64_t i = 0; i < w->made.count; i++) {
        const struct tn_map_made *made =
            tn_list_at(&w->made, struct tn_map_made, i);
        if (made->bytes == bytes.data)
            return &made->tensor;
    }
    return NULL;
}

/* Of the type that descriptors have for it. */
static enum tn_status make_constant(struct work *w, struct tn_bytes bytes,
                                    uint32_t *value)
{
    const struct tn_map_tensor *tensor   = find_made(w, bytes);
    struct tn_attr_value        elements = { .is_list = true };
    uint64_t                    dims[TN_MAP_RANK];

    if (!tensor || tensor->rank > TN_MAP_RANK)
        return refuse(w, "the mapper makes a constant without values",
                      tn_text(""));
    enum tn_dtype dtype = tn_map_tensor_written(tensor->dtype);
    for (uint32_t i = 0; i < tensor->rank; i++)
        dims[i] = (uint64_t)tensor->dims[i];
    elements.count = (uint32_t)tensor->count;
    if (dtype == TN_STRING) {
        elements.kind       = TN_ATTR_STRING;
        elements.of.strings = tensor->strings;
    } else if (dtype == TN_FLOAT32 || dtype == TN_FLOAT64) {
        elements.kind       = TN_ATTR_DOUBLE;
        elements.of.doubles = tensor->reals;
    } else {
        elements.kind    = TN_ATTR_INT;
        elements.of.ints = tensor->ints;
    }
    return tn_native_constant(w->call, dtype, &elements, dims, tensor->rank,
                              value, w->error);
}

/* An output must keep its type and shape, as far as they are known: a mapper
 * that rounds sizes differently, or has no argument for a type, changes the
 * meaning of the node. */
static enum tn_status compare_output(struct work *w, uint32_t index,
                                     uint32_t made)
{
    const struct tn_net_node *node = tn_native_node(w->call);
    struct tn_native_type     type;

    if (node->outputs[index] == TN_NONE ||
        !tn_native_type(w->call, made, &type))
        return TN_OK;
    const struct tn_net_type *want =
        tn_net_value(tn_native_net(w->call), node->outputs[index]).type;
    if (want->wrap != TN_NET_TENSOR)
        return TN_OK;
    if (type.dtype != want->dtype && type.dtype && want->dtype)
        return tn_error_set(w->error, TN_UNSUPPORTED, TN_NOWHERE,
                            "output %u is %s, the mapper makes it %s",
                            (unsigned)index, tn_dtype_name(want->dtype),
                            tn_dtype_name(type.dtype));
    if (!type.has_rank || !want->has_rank)
        return TN_OK;
    bool is_same = type.rank == want->rank;
    for (uint32_t i = 0; is_same && i < type.rank; i++)
        is_same = type.dims[i] == want->dims[i] || type.dims[i] < 0 ||
                  want->dims[i] < 0;
    if (is_same)
        return TN_OK;
    return tn_error_set(w->error, TN_UNSUPPORTED, TN_NOWHERE,
                        "the mapper gives output %u another shape",
                        (unsigned)index);
}

/* Inputs whose known rank the op does not accept: a mapper for pooling names
 * one op for all ranks, while nd4j has several. */
static bool is_refused(struct work *w, uint32_t value,
                       const struct tn_vocab_arg *arg)
{
    struct tn_native_type type;

    if (value == TN_NONE || !tn_native_type(w->call, value, &type))
        return false;
    if (type.has_rank && arg->rank.is_said && !arg->rank.is_variable &&
        (type.rank < arg->rank.least || type.rank > arg->rank.most))
        return true;
    return type.dtype != TN_UNDEFINED && !arg->variable.size &&
           arg->types.tensors &&
           !(arg->types.tensors & TN_VOCAB_TYPE(type.dtype));
}

/* Kernels of pairs do not broadcast. */
static bool are_no_pair(struct work *w, uint32_t left, uint32_t right)
{
    struct tn_native_type a, b;

    if (!tn_native_type(w->call, left, &a) ||
        !tn_native_type(w->call, right, &b) || !a.has_rank || !b.has_rank)
        return false;
    bool is_same = a.rank == b.rank;
    for (uint32_t i = 0; is_same && i < a.rank; i++)
        is_same = a.dims[i] == b.dims[i] || a.dims[i] < 0 || b.dims[i] < 0;
    return !is_same;
}

static bool is_hole(const struct tn_arg *input)
{
    return !input->tensor.size && !input->name.size;
}

static enum tn_status make_call(struct work                   *w,
                                const struct tn_op_descriptor *op)
{
    struct tn_args in      = op->lists[TN_LIST_IN];
    uint32_t       count   = tn_native_output_count(w->call);
    uint32_t      *inputs  = tn_new(w->arena, uint32_t, in.count, w->error);
    uint32_t      *outputs = tn_new(w->arena, uint32_t, count, w->error);
    const char    *name =
        tn_text_format(w->arena, w->error, "%.*s", TN_FMT(op->name));

    if (!inputs || !outputs || !name)
        return w->error->status;
    while (in.count && is_hole(&in.items[in.count - 1]))
        in.count--;
    if (count > w->op->max_outputs || in.count > w->op->max_inputs ||
        in.count < w->op->min_inputs)
        return refuse(w, "the node has other inputs or outputs than the op",
                      op->name);
    for (uint32_t i = 0; i < in.count; i++) {
        if (is_hole(&in.items[i]))
            return refuse(w,
                          "an input is left out, which nd4j does not support",
                          op->name);
        if (in.items[i].tensor.size)
            TN_TRY(make_constant(w, in.items[i].tensor, &inputs[i]));
        else
            inputs[i] = input_named(in.items[i].name);
        if (i < w->op->input_count &&
            is_refused(w, inputs[i], &w->op->inputs[i]))
            return refuse(w, "the op takes no such input",
                          w->op->inputs[i].name);
    }
    if (tn_bytes_starts_with(w->op->kernel, "PAIRWISE") && in.count == 2 &&
        are_no_pair(w, inputs[0], inputs[1]))
        return refuse(w, "the op takes two inputs of one shape", op->name);
    struct tn_native_node node = { name, inputs, in.count, w->attrs.items,
                                   (uint32_t)w->attrs.count };
    TN_TRY(tn_native_make(w->call, &node, outputs, count, w->error));
    for (uint32_t i = 0; i < count; i++) {
        TN_TRY(compare_output(w, i, outputs[i]));
        TN_TRY(tn_native_bind(w->call, i, outputs[i], w->error));
    }
    return TN_OK;
}

/* ---- what mappers ignore ------------------------------------------------ */

/* A tn_on_unmapped. */
struct noting {
    struct work            *w;
    const struct tn_mapper *mapper;
};

static void note_unmapped(void *context, struct tn_bytes name, const char *what)
{
    const struct noting      *n     = context;
    struct tn_mapper_rules   *rules = n->w->rules;
    const struct tn_net_node *node  = tn_native_node(n->w->call);
    struct tn_unmapped       *row =
        tn_new(rules->arena, struct tn_unmapped, 1, n->w->error);

    if (!row)
        return;
    *row      = (struct tn_unmapped){ .op     = node->op,
                                      .node   = node->name,
                                      .source = node->source,
                                      .place  = &n->mapper->place };
    row->name = tn_bytes_dup(rules->arena, name, n->w->error);
    row->what = tn_text_dup(rules->arena, what, n->w->error);
    if (!row->what)
        return;
    *rules->last = row;
    rules->last  = &row->next;
}

/* read_node() leaves tensors out. */
static void note_tensors(struct noting *n)
{
    const struct tn_net_node *node = tn_native_node(n->w->call);
    char                      what[200];

    for (uint32_t i = 0; i < node->attr_count; i++) {
        if (node->attrs[i].value.kind != TN_ATTR_TENSOR)
            continue;
        snprintf(what, sizeof what, "the tensor of attribute '%.*s'",
                 TN_FMT(node->attrs[i].name));
        note_unmapped(n, node->attrs[i].name, what);
    }
}

/* ---- the function ------------------------------------------------------- */

static enum tn_status find_job(struct work *w, struct tn_map_job *job)
{
    const struct tn_mapper_rules *rules   = w->rules;
    int64_t                       version = tn_native_net(w->call)->version;

    job->mapper = tn_mappers_find(rules->mappers,
                                  tn_text(tn_framework_name(rules->framework)),
                                  job->node->op_type);
    if (!job->mapper)
        return refuse(w, "there is no mapper", job->node->op_type);
    if (tn_mapper_is_open(job->mapper))
        return refuse(w, "the mapper does not say what its rules read",
                      job->node->op_type);
    /* Deeplearning4j imports such a node in code that it does not ship as a
     * rule. */
    if (tn_bytes_is(job->mapper->target, "noop") &&
        tn_native_output_count(w->call))
        return refuse(w, "the mapper maps it to noop, which computes nothing",
                      job->node->op_type);
    job->target = tn_dl4j_ops_find(rules->ops, job->mapper->target);
    w->op       = tn_native_target(w->call, job->mapper->target, w->error);
    if (!w->op || !job->target)
        return refuse(w, "nd4j does not have this op", job->mapper->target);
    job->definition =
        tn_vocab_find(rules->source, tn_text(""), job->node->op_type,
                      version ? version : INT64_MAX, w->error);
    if (tn_failed(w->error))
        return w->error->status;
    return tn_mapper_check_loosely(job->mapper, job->target, job->definition,
                                   w->error);
}

static enum tn_status map(struct work *w)
{
    struct tn_map_node      node;
    struct tn_op_descriptor op;
    struct tn_map_context   around = { .is_strict = true,
                                       .constant  = tell_constant,
                                       .context   = w };
    struct tn_map_job       job    = { .node    = &node,
                                       .context = &around,
                                       .made    = &w->made };

    if (holds_graphs(tn_native_node(w->call)))
        return refuse(w, "mappers lose the graphs of a node",
                      tn_native_node(w->call)->op->type);
    TN_TRY(read_node(w, &node));
    TN_TRY(find_job(w, &job));
    TN_TRY(tn_map_run(&job, &op, w->arena, w->error));
    TN_TRY(add_numbers(w, &op));
    TN_TRY(make_call(w, &op));
    struct noting n = { w, job.mapper };
    note_tensors(&n);
    return tn_map_unmapped(&job, &op, note_unmapped, &n, w->arena->memory,
                           w->error);
}

/* If a mapper fails, the rule refuses, and the conversion continues. */
static enum tn_status run(void *context, struct tn_native_call *call,
                          struct tn_error *error)
{
    struct tn_error failure = TN_ERROR_INIT;
    struct tn_arena arena;
    struct work     w = {
            .rules = context, .call = call, .arena = &arena, .error = &failure
    };

    tn_arena_init(&arena, tn_native_net(call)->arena->memory);
    tn_list_init(&w.attrs, arena.memory, sizeof(struct tn_native_attr));
    tn_list_init(&w.made, arena.memory, sizeof(struct tn_map_made));
    enum tn_status status = map(&w);
    tn_list_done(&w.attrs);
    tn_list_done(&w.made);
    if (status == TN_NO_MEMORY || status == TN_LIMIT || status == TN_CANCELLED)
        *error = failure;
    else if (status != TN_OK)
        tn_native_refuse(call, failure.what);
    tn_arena_done(&arena);
    return error->status;
}
