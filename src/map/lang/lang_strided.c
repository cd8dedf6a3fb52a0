/*
 * lang_strided.c - slices with masks, as TensorFlow has them
 *
 *   strided(dims, begin, end, steps, masks)
 *
 * gives dims of the result, then starts, ends and steps of every axis, for
 * sliced().
 */
#include "map/lang/lang_shape.h"

enum {
    MASK_BEGIN,
    MASK_ELLIPSIS,
    MASK_END,
    MASK_NEW,
    MASK_SHRINK,
    MASK_COUNT,
};

/* What comes of strided(): four lists that grow together. */
struct strided {
    struct tn_item *dims, *starts, *ends, *steps;
    uint32_t        out_count, axis;
    int64_t         masks[MASK_COUNT];
    struct tn_item  shape, begin, end, stride;
};

static bool has_bit(const struct strided *s, int mask, uint32_t i)
{
    return s->masks[mask] >> i & 1;
}

/* An axis that is taken as a whole. */
static void whole_axis(struct strided *s)
{
    s->dims[s->out_count++] = s->shape.of.items[s->axis];
    s->starts[s->axis] = s->ends[s->axis] = tn_item_none();
    s->steps[s->axis++]                   = tn_item_int(1);
}

/* One index alone: the axis is gone. */
static void shrunk_axis(const struct tn_call *call, struct strided *s,
                        uint32_t i)
{
    struct tn_item first = s->begin.of.items[i];
    int64_t        at;

    s->starts[s->axis] = first;
    s->ends[s->axis]   = tn_builtin_unknown(call);
    if (tn_item_to_int(first, &at))
        s->ends[s->axis] = at == -1 ? tn_item_none() : tn_item_int(at + 1);
    s->steps[s->axis++] = tn_item_int(1);
}

static struct tn_item range_dim(const struct tn_call *call, struct tn_item dim,
                                struct tn_item start, struct tn_item end,
                                struct tn_item step_item)
{
    int64_t n, a = 0, b = 0, stride;
    bool has_a = start.kind != TN_ITEM_NONE, has_b = end.kind != TN_ITEM_NONE;

    if (!has_a && !has_b && tn_item_to_int(step_item, &stride) && stride == 1)
        return dim;
    if (!tn_item_to_int(dim, &n) || n < 0 ||
        (has_a && !tn_item_to_int(start, &a)) ||
        (has_b && !tn_item_to_int(end, &b)) ||
        !tn_item_to_int(step_item, &stride) || stride == 0)
        return tn_builtin_unknown(call);
    return tn_item_int(
        tn_item_slice(n, has_a ? &a : NULL, has_b ? &b : NULL, stride).count);
}

static void ranged_axis(const struct tn_call *call, struct strided *s,
                        uint32_t i)
{
    uint32_t       at    = s->axis++;
    bool           has_a = !has_bit(s, MASK_BEGIN, i);
    bool           has_b = !has_bit(s, MASK_END, i);
    struct tn_item one   = tn_item_int(1);

    s->starts[at]           = has_a ? s->begin.of.items[i] : tn_item_none();
    s->ends[at]             = has_b ? s->end.of.items[i] : tn_item_none();
    s->steps[at]            = i < s->stride.count ? s->stride.of.items[i] : one;
    s->dims[s->out_count++] = range_dim(
        call, s->shape.of.items[at], s->starts[at], s->ends[at], s->steps[at]);
}

/* Axes that "..." stands for: what the other entries do not take. */
static uint32_t ellipsis_axes(const struct strided *s)
{
    uint32_t taken = 0;

    for (uint32_t i = 0; i < s->begin.count; i++)
        taken += !has_bit(s, MASK_ELLIPSIS, i) && !has_bit(s, MASK_NEW, i);
    return taken < s->shape.count ? s->shape.count - taken : 0;
}

static void strided_entry(const struct tn_call *call, struct strided *s,
                          uint32_t i)
{
    if (has_bit(s, MASK_ELLIPSIS, i)) {
        for (uint32_t left = ellipsis_axes(s); left; left--)
            if (s->axis < s->shape.count)
                whole_axis(s);
    } else if (has_bit(s, MASK_NEW, i)) {
        s->dims[s->out_count++] = tn_item_int(1);
    } else if (s->axis >= s->shape.count) {
        tn_builtin_refuse(call, "more entries than axes");
    } else if (has_bit(s, MASK_SHRINK, i)) {
        shrunk_axis(call, s, i);
    } else {
        ranged_axis(call, s, i);
    }
}

static bool read_strided(const struct tn_call *call, struct strided *s)
{
    struct tn_item masks = call->args[4];

    s->shape  = call->args[0];
    s->begin  = call->args[1];
    s->end    = call->args[2];
    s->stride = call->args[3];
    if (s->shape.kind != TN_ITEM_LIST || s->begin.kind != TN_ITEM_LIST ||
        s->end.kind != TN_ITEM_LIST || s->stride.kind != TN_ITEM_LIST ||
        masks.kind != TN_ITEM_LIST || masks.count != MASK_COUNT ||
        s->begin.count != s->end.count || s->begin.count > 32)
        return false;
    for (uint32_t i = 0; i < MASK_COUNT; i++)
        if (!tn_item_to_int(masks.of.items[i], &s->masks[i]))
            return false;
    uint64_t room = (uint64_t)s->shape.count + s->begin.count;
    s->dims       = tn_eval_list(call->eval, call->expr, room);
    s->starts     = tn_eval_list(call->eval, call->expr, s->shape.count);
    s->ends       = tn_eval_list(call->eval, call->expr, s->shape.count);
    s->steps      = tn_eval_list(call->eval, call->expr, s->shape.count);
    return s->dims && s->starts && s->ends && s->steps;
}

struct tn_item tn_shape_strided(const struct tn_call *call)
{
    struct strided s = { 0 };

    if (!read_strided(call, &s))
        return tn_builtin_refuse(call,
                                 "expected dims, begin, end, steps and masks");
    for (uint32_t i = 0; i < s.begin.count; i++)
        strided_entry(call, &s, i);
    while (s.axis < s.shape.count)
        whole_axis(&s);
    struct tn_item *lists = tn_eval_list(call->eval, call->expr, 4);
    if (!lists || tn_eval_stopped(call->eval))
        return tn_item_none();
    lists[0] = tn_item_list(s.dims, s.out_count);
    lists[1] = tn_item_list(s.starts, s.shape.count);
    lists[2] = tn_item_list(s.ends, s.shape.count);
    lists[3] = tn_item_list(s.steps, s.shape.count);
    return tn_item_list(lists, 4);
}
