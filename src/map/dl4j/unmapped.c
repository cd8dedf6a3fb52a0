/* unmapped.c - finds values of a node that its mapper ignores */
#include "map/dl4j/unmapped.h"

#include <inttypes.h>

#include "base/buffer.h"
#include "base/number.h"
#include "map/dl4j/explain.h"
#include "map/dl4j/rule_call.h"

struct looking {
    const struct tn_map_job       *job;
    const struct tn_op_descriptor *made;
    bool                          *is_asked; /* by input of the node          */
    struct tn_arena               *arena;    /* of one run, then forgotten    */
    struct tn_buffer               what;
    tn_on_unmapped                *on;
    void                          *context;
    struct tn_error               *error;
};

/* ---- two ops ------------------------------------------------------------ */

static bool is_same_arg(const struct tn_arg *a, const struct tn_arg *b)
{
    return a->type == b->type && a->number == b->number &&
           memcmp(&a->real, &b->real, sizeof a->real) == 0 &&
           tn_bytes_equal(a->text, b->text) &&
           tn_bytes_equal(a->tensor, b->tensor);
}

static bool is_same_op(const struct tn_op_descriptor *a,
                       const struct tn_op_descriptor *b)
{
    for (unsigned list = 0; list < TN_LIST_COUNT; list++) {
        struct tn_args x = a->lists[list], y = b->lists[list];
        if (x.count != y.count)
            return false;
        for (uint32_t i = 0; i < x.count; i++)
            if (!is_same_arg(&x.items[i], &y.items[i]))
                return false;
    }
    return true;
}

/* ---- running again ------------------------------------------------------ */

/* A tn_map_constant. */
static enum tn_status tell_constant(void *context, struct tn_bytes name,
                                    struct tn_map_tensor *tensor,
                                    bool *is_known, struct tn_arena *arena,
                                    struct tn_error *error)
{
    struct looking              *l      = context;
    const struct tn_map_context *around = l->job->context;

    for (uint32_t i = 0; i < l->job->node->input_count; i++)
        if (tn_bytes_equal(l->job->node->inputs[i], name))
            l->is_asked[i] = true;
    if (!around || !around->constant)
        return TN_OK;
    return around->constant(around->context, name, tensor, is_known, arena,
                            error);
}

/* Whether the mapper makes the same op of a node with these attributes.  A node
 * that it cannot map counts as another op. */
static bool is_same_with(struct looking *l, const struct tn_map_attr *attrs,
                         uint32_t count)
{
    struct tn_map_context   around = { .is_strict = true,
                                       .constant  = tell_constant,
                                       .context   = l };
    struct tn_error         error  = TN_ERROR_INIT;
    struct tn_map_node      node   = *l->job->node;
    struct tn_map_job       job    = *l->job;
    struct tn_op_descriptor op;

    node.attrs            = attrs;
    node.attr_count       = count;
    job.node              = &node;
    job.context           = &around;
    job.made              = NULL;
    enum tn_status status = tn_map_run(&job, &op, l->arena, &error);
    bool           is_same =
        status == TN_OK && is_same_op(&op, l->made) && !tn_failed(l->error);
    if (status == TN_NO_MEMORY || status == TN_LIMIT || status == TN_CANCELLED)
        *l->error = error;
    tn_arena_rewind(l->arena);
    return is_same;
}

/* With attribute `index` changed; NULL: without it. */
static bool is_same_changed(struct looking *l, uint32_t index,
                            const struct tn_attr_value *value)
{
    const struct tn_map_node *node  = l->job->node;
    uint32_t                  count = 0;
    struct tn_map_attr       *attrs =
        tn_new(l->arena, struct tn_map_attr, node->attr_count, l->error);

    for (uint32_t i = 0; attrs && i < node->attr_count; i++) {
        if (i == index && !value)
            continue;
        attrs[count] = node->attrs[i];
        if (i == index)
            attrs[count].value = *value;
        count++;
    }
    return attrs && is_same_with(l, attrs, count);
}

/* ---- values ------------------------------------------------------------- */

static bool is_whole(const struct tn_attr_value *value)
{
    return value->kind == TN_ATTR_INT || value->kind == TN_ATTR_BOOL ||
           value->kind == TN_ATTR_DTYPE;
}

static bool is_real(const struct tn_attr_value *value)
{
    return value->kind == TN_ATTR_FLOAT || value->kind == TN_ATTR_DOUBLE;
}

static double real_at(const struct tn_attr_value *value, uint32_t i)
{
    return value->kind == TN_ATTR_FLOAT ? (double)value->of.floats[i]
                                        : value->of.doubles[i];
}

static bool is_same_element(const struct tn_attr_value *a,
                            const struct tn_attr_value *b, uint32_t i)
{
    if (is_whole(a) && is_whole(b))
        return a->of.ints[i] == b->of.ints[i];
    if (is_real(a) && is_real(b)) /* one of them may have been rounded */
        return !((float)real_at(a, i) < (float)real_at(b, i)) &&
               !((float)real_at(a, i) > (float)real_at(b, i));
    return a->kind == TN_ATTR_STRING && b->kind == TN_ATTR_STRING &&
           tn_bytes_equal(a->of.strings[i], b->of.strings[i]);
}

static bool is_same_value(const struct tn_attr_value *a,
                          const struct tn_attr_value *b)
{
    if (a->count != b->count)
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (!is_same_element(a, b, i))
            return false;
    return true;
}

static void put_element(struct tn_buffer *to, const struct tn_attr_value *value,
                        uint32_t i)
{
    char number[TN_NUMBER_ROOM];

    if (value->kind == TN_ATTR_DTYPE) {
        tn_buffer_text(to, tn_dtype_name((enum tn_dtype)value->of.ints[i]));
    } else if (is_whole(value)) {
        tn_buffer_format(to, "%" PRId64, value->of.ints[i]);
    } else if (is_real(value)) {
        tn_float_print(number, (float)real_at(value, i));
        tn_buffer_text(to, number);
    } else if (value->kind == TN_ATTR_STRING) {
        tn_buffer_format(to, "'%.*s'", TN_FMT(value->of.strings[i]));
    } else {
        tn_buffer_text(to, "...");
    }
}

static void put_value(struct tn_buffer *to, const struct tn_attr_value *value)
{
    enum { MOST = 8 };

    tn_buffer_text(to, value->is_list ? "[" : "");
    for (uint32_t i = 0; i < value->count && i < MOST; i++) {
        tn_buffer_text(to, i ? ", " : "");
        put_element(to, value, i);
    }
    tn_buffer_text(to, value->count > MOST ? ", ..." : "");
    tn_buffer_text(to, value->is_list ? "]" : "");
}

/* ---- attributes --------------------------------------------------------- */

static void tell(struct looking *l, struct tn_bytes name)
{
    if (!tn_failed(l->error))
        l->on(l->context, name, tn_buffer_string(&l->what));
    tn_buffer_clear(&l->what);
}

static void tell_attr(struct looking *l, const struct tn_map_attr *attr)
{
    tn_buffer_format(&l->what, "attribute '%.*s' = ", TN_FMT(attr->name));
    put_value(&l->what, &attr->value);
    tell(l, attr->name);
}

/* A required word is used if one of the other allowed words gives another
 * op. */
static bool is_word_carried(struct looking *l, uint32_t index,
                            const struct tn_vocab_attr *declared)
{
    for (uint32_t i = 0; i < declared->string_count; i++) {
        struct tn_attr_value other = { .kind       = TN_ATTR_STRING,
                                       .count      = 1,
                                       .of.strings = &declared->strings[i] };
        if (!is_same_changed(l, index, &other))
            return true;
    }
    return false;
}

static bool is_attr_carried(struct looking *l, uint32_t index,
                            const struct tn_vocab_attr *declared)
{
    const struct tn_attr_value *value = &l->job->node->attrs[index].value;

    if (value->kind == TN_ATTR_STRING && declared && !declared->has_default &&
        declared->string_count)
        return is_word_carried(l, index, declared);
    return !is_same_changed(l, index, NULL);
}

/* The neutral value of an element: sizes and strides are 1.  Others are changed
 * into a different value. */
static int64_t other_number(struct tn_bytes name, int64_t value)
{
    if (tn_bytes_is(name, "strides") || tn_bytes_is(name, "dilations") ||
        tn_bytes_is(name, "kernel_shape") || tn_bytes_is(name, "ksize"))
        return 1;
    if (tn_bytes_is(name, "output_padding"))
        return 0;
    return value < INT64_MAX ? value + 1 : 0;
}

static bool is_element_carried(struct looking *l, uint32_t index, uint32_t at)
{
    const struct tn_map_attr *attr  = &l->job->node->attrs[index];
    struct tn_attr_value      value = attr->value;
    struct tn_bytes          *texts;
    int64_t                  *ints;
    float                    *floats;

    if (value.kind == TN_ATTR_INT) {
        ints = tn_new(l->arena, int64_t, value.count, l->error);
        for (uint32_t i = 0; ints && i < value.count; i++)
            ints[i] = value.of.ints[i];
        if (!ints || ints[at] == other_number(attr->name, ints[at]))
            return true;
        ints[at]      = other_number(attr->name, ints[at]);
        value.of.ints = ints;
    } else if (value.kind == TN_ATTR_FLOAT) {
        floats = tn_new(l->arena, float, value.count, l->error);
        for (uint32_t i = 0; floats && i < value.count; i++)
            floats[i] = value.of.floats[i] + (i == at ? 1 : 0);
        value.of.floats = floats;
        if (!floats)
            return true;
    } else {
        texts = tn_new(l->arena, struct tn_bytes, value.count, l->error);
        for (uint32_t i = 0; texts && i < value.count; i++)
            texts[i] = i == at ? tn_text("") : value.of.strings[i];
        value.of.strings = texts;
        if (!texts)
            return true;
    }
    return !is_same_changed(l, index, &value);
}

/* ONNX lists all begins, then all ends: one side may stand for both. */
static bool is_mirrored(const struct tn_map_attr *attr, uint32_t at)
{
    uint32_t half = attr->value.count / 2;

    return tn_bytes_is(attr->name, "pads") && attr->value.count % 2 == 0 &&
           attr->value.of.ints[at] ==
               attr->value.of.ints[at < half ? at + half : at - half];
}

static void look_at_elements(struct looking *l, uint32_t index)
{
    enum { MOST = 64 };
    const struct tn_map_attr *attr  = &l->job->node->attrs[index];
    uint32_t                  count = 0;

    if (attr->value.kind != TN_ATTR_INT && attr->value.kind != TN_ATTR_FLOAT &&
        attr->value.kind != TN_ATTR_STRING)
        return;
    for (uint32_t i = 0; i < attr->value.count && i < MOST; i++) {
        if (is_element_carried(l, index, i) ||
            (attr->value.kind == TN_ATTR_INT && is_mirrored(attr, i)))
            continue;
        tn_buffer_format(&l->what, "%s%" PRIu32, count++ ? ", " : "element ",
                         i);
    }
    if (!count)
        return;
    tn_buffer_format(&l->what, " of attribute '%.*s' = ", TN_FMT(attr->name));
    put_value(&l->what, &attr->value);
    tell(l, attr->name);
}

static void look_at_attr(struct looking *l, uint32_t index)
{
    const struct tn_vocab_op   *op   = l->job->definition;
    const struct tn_map_attr   *attr = &l->job->node->attrs[index];
    const struct tn_vocab_attr *declared =
        op ? tn_vocab_find_attr(op, attr->name) : NULL;

    /* An attribute that the framework does not declare is a note of whoever
     * wrote the file. */
    if ((op && !declared) || (op && tn_map_is_implied(op, attr->name)) ||
        attr->value.count == 0 ||
        tn_map_node_attr(l->job->node, attr->name) != attr)
        return; /* of several of one name the first counts */
    if (declared && declared->has_default &&
        is_same_value(&attr->value, &declared->value))
        return;
    if (!is_attr_carried(l, index, declared))
        tell_attr(l, attr);
    else if (attr->value.is_list)
        look_at_elements(l, index);
}

/* ---- inputs ------------------------------------------------------------- */

static bool is_input_carried(const struct looking *l, uint32_t index)
{
    struct tn_args in = l->made->lists[TN_LIST_IN];

    for (uint32_t i = 0; i < in.count; i++)
        if (!in.items[i].tensor.size &&
            tn_bytes_equal(in.items[i].name, l->job->node->inputs[index]))
            return true;
    return l->is_asked[index];
}

static void look_at_inputs(struct looking *l)
{
    const struct tn_vocab_op *op = l->job->definition;

    for (uint32_t i = 0; i < l->job->node->input_count; i++) {
        if (!l->job->node->inputs[i].size || is_input_carried(l, i))
            continue;
        struct tn_bytes name =
            op && i < op->input_count ? op->inputs[i].name : tn_text("");
        tn_buffer_format(&l->what, "input %" PRIu32 "%s%.*s%s", i,
                         name.size ? " '" : "", TN_FMT(name),
                         name.size ? "'" : "");
        tell(l, name);
    }
}

enum tn_status tn_map_unmapped(const struct tn_map_job       *job,
                               const struct tn_op_descriptor *made,
                               tn_on_unmapped *on, void *context,
                               struct tn_memory *memory, struct tn_error *error)
{
    struct tn_arena arena, asked;
    struct looking  l = { .job     = job,
                          .made    = made,
                          .arena   = &arena,
                          .on      = on,
                          .context = context,
                          .error   = error };

    tn_arena_init(&arena, memory);
    tn_arena_init(&asked, memory);
    tn_buffer_init(&l.what, memory, error);
    l.is_asked = tn_new(&asked, bool, job->node->input_count, error);
    if (l.is_asked) {
        is_same_with(&l, job->node->attrs, job->node->attr_count);
        look_at_inputs(&l);
    }
    for (uint32_t i = 0; i < job->node->attr_count && !tn_failed(error); i++)
        look_at_attr(&l, i);
    tn_buffer_done(&l.what);
    tn_arena_done(&asked);
    tn_arena_done(&arena);
    return error->status;
}
