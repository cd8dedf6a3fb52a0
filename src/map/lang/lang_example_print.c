/*
 * lang_example_print.c - what an example has made, and what it should have
 *
 * Both are printed the same way, and the texts compared: a failure then shows
 * the difference.
 */
#include <inttypes.h>

#include "base/buffer.h"
#include "base/number.h"
#include "map/lang/lang_attr.h"
#include "map/lang/lang_example_run.h"

#define PRINT_LIMIT (64 << 10)
#define PRINT_DEPTH 64

/* ---- printing ----------------------------------------------------------- */

struct printing {
    struct tn_example *r;
    struct tn_infer   *made;
    struct tn_buffer  *to;
    uint32_t           depth;
};

static void print_item(struct tn_buffer *to, struct tn_item item)
{
    char number[TN_NUMBER_ROOM];

    switch (item.kind) {
    case TN_ITEM_BOOL:
        tn_buffer_text(to, item.of.number ? "true" : "false");
        break;
    case TN_ITEM_INT: tn_buffer_format(to, "%" PRId64, item.of.number); break;
    case TN_ITEM_FLOAT: /* what attributes of 32 bits keep of it */
        tn_float_print(number, tn_double_to_float(item.of.real));
        tn_buffer_text(to, number);
        break;
    case TN_ITEM_STRING:
        tn_buffer_format(to, "\"%.*s\"", TN_FMT(tn_item_bytes(item)));
        break;
    case TN_ITEM_DTYPE:
        tn_buffer_text(to, tn_dtype_name(tn_item_to_dtype(item)));
        break;
    case TN_ITEM_LIST:
        tn_buffer_byte(to, '[');
        for (uint32_t i = 0; i < item.count; i++) {
            tn_buffer_text(to, i ? ", " : "");
            print_item(to, item.of.items[i]);
        }
        tn_buffer_byte(to, ']');
        break;
    case TN_ITEM_NONE: tn_buffer_text(to, "none"); break;
    default: tn_buffer_byte(to, '?'); break;
    }
}

/* Attributes in order of their names: which was set first does not matter. */
struct printed_attr {
    struct tn_bytes name;
    struct tn_item  item;
};

static void print_attrs(struct tn_buffer *to, struct printed_attr *attrs,
                        uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        for (uint32_t k = i;
             k && tn_bytes_compare(attrs[k - 1].name, attrs[k].name) > 0; k--) {
            struct printed_attr other = attrs[k];
            attrs[k]                  = attrs[k - 1];
            attrs[k - 1]              = other;
        }
    for (uint32_t i = 0; i < count; i++) {
        tn_buffer_format(to, "%s%.*s: ", i ? ", " : "; ",
                         TN_FMT(attrs[i].name));
        print_item(to, attrs[i].item);
    }
}

static bool may_print(const struct printing *x)
{
    return x->to->size < PRINT_LIMIT && x->depth < PRINT_DEPTH &&
           !tn_failed(x->r->error);
}

static void print_op(struct tn_buffer *to, struct tn_bytes domain,
                     struct tn_bytes op)
{
    if (domain.size)
        tn_buffer_format(to, "%.*s::", TN_FMT(domain));
    tn_buffer_format(to, "%.*s(", TN_FMT(op));
}

/* ---- what was made ------------------------------------------------------ */

/* The elements of a constant as lists in lists. */
static void print_elements(struct printing *x, const struct tn_net_type *type,
                           uint32_t axis, const struct tn_item **next,
                           const struct tn_item *end)
{
    if (axis == type->rank) {
        if (*next < end)
            print_item(x->to, *(*next)++);
        return;
    }
    tn_buffer_byte(x->to, '[');
    for (int64_t i = 0; i < type->dims[axis] && *next < end; i++) {
        tn_buffer_text(x->to, i ? ", " : "");
        print_elements(x, type, axis + 1, next, end);
    }
    tn_buffer_byte(x->to, ']');
}

static void print_constant(struct printing *x, uint32_t value)
{
    const struct tn_net_type *type = tn_net_value(&x->r->to, value).type;
    struct tn_item            items;

    if (tn_fold(x->made, value, &items) != TN_OK)
        return;
    tn_buffer_text(x->to, "const(");
    if (items.kind == TN_ITEM_LIST) {
        const struct tn_item *next = items.of.items;
        print_elements(x, type, 0, &next, items.of.items + items.count);
    } else {
        tn_buffer_byte(x->to, '?');
    }
    tn_buffer_format(x->to, ", %s)", tn_dtype_name(type->dtype));
}

static void print_made_attrs(struct printing *x, const struct tn_net_node *node)
{
    struct printed_attr *attrs =
        tn_new(x->r->arena, struct printed_attr, node->attr_count, x->r->error);

    for (uint32_t i = 0; attrs && i < node->attr_count; i++) {
        attrs[i].name = node->attrs[i].name;
        if (!tn_attr_to_item(&node->attrs[i].value, x->r->arena, &attrs[i].item,
                             x->r->error))
            return;
    }
    if (attrs)
        print_attrs(x->to, attrs, node->attr_count);
}

static void print_value(struct printing *x, uint32_t value, uint32_t output);

static void print_made(struct printing *x, const struct tn_net_node *node)
{
    uint32_t count = node->input_count;

    while (count && node->inputs[count - 1] == TN_NONE)
        count--;
    print_op(x->to, node->op->domain, node->op->type);
    x->depth++;
    for (uint32_t i = 0; i < count; i++) {
        tn_buffer_text(x->to, i ? ", " : "");
        print_value(x, node->inputs[i], 0);
    }
    x->depth--;
    print_made_attrs(x, node);
    tn_buffer_byte(x->to, ')');
}

/* Constants that the example gave by name stay names. */
static bool is_input_name(const struct tn_example *r, struct tn_bytes name)
{
    for (uint32_t i = 0; i < r->input_count; i++)
        if (tn_bytes_equal(r->inputs[i].name, name))
            return true;
    return false;
}

/* A value as the call that makes it; `output`: which of its outputs it is
 * expected to be. */
static void print_value(struct printing *x, uint32_t id, uint32_t output)
{
    if (!may_print(x))
        return;
    if (id == TN_NONE) {
        tn_buffer_text(x->to, "none");
        return;
    }
    const struct tn_net_value value = tn_net_value(&x->r->to, id);
    if (value.producer == TN_NONE && value.constant &&
        (value.is_inner || !is_input_name(x->r, value.name))) {
        print_constant(x, id);
    } else if (value.producer == TN_NONE) {
        tn_buffer_add(x->to, value.name);
    } else {
        const struct tn_net_node node = tn_net_node(&x->r->to, value.producer);
        print_made(x, &node);
        if (value.output != output)
            tn_buffer_format(x->to, "[%" PRIu32 "]", value.output);
    }
}

/* ---- what should have been made ----------------------------------------- */

static void print_wanted(struct printing *x, const struct tn_lang_expr *expr);

static void print_wanted_call(struct printing           *x,
                              const struct tn_lang_expr *call)
{
    struct printed_attr *attrs =
        tn_new(x->r->arena, struct printed_attr, call->attr_count, x->r->error);

    if (!attrs)
        return;
    print_op(x->to, call->domain, call->text);
    x->depth++;
    for (uint32_t i = 0; i < call->item_count; i++) {
        tn_buffer_text(x->to, i ? ", " : "");
        print_wanted(x, call->items[i]);
    }
    x->depth--;
    for (uint32_t i = 0; i < call->attr_count; i++) {
        attrs[i].name = call->attrs[i].name;
        attrs[i].item = call->attrs[i].value
                            ? tn_example_item(x->r, call->attrs[i].value)
                            : tn_item_none();
    }
    print_attrs(x->to, attrs, call->attr_count);
    tn_buffer_byte(x->to, ')');
}

static void print_wanted(struct printing *x, const struct tn_lang_expr *expr)
{
    if (!may_print(x))
        return;
    if (expr->kind == TN_LANG_CALL)
        print_wanted_call(x, expr);
    else if (expr->kind == TN_LANG_NAME)
        tn_buffer_add(x->to, expr->text);
    else
        print_item(x->to, tn_example_item(x->r, expr));
}

/* ---- comparing ---------------------------------------------------------- */

/* Several outputs are those of one op, or as many values in brackets. */
static void print_all_wanted(struct printing *x)
{
    const struct tn_lang_expr *wanted = x->r->wanted;

    for (uint32_t i = 0; i < x->r->output_count; i++) {
        tn_buffer_text(x->to, i ? ", " : "");
        if (wanted->kind != TN_LANG_LIST)
            print_wanted(x, wanted);
        else if (i < wanted->item_count)
            print_wanted(x, wanted->items[i]);
        else
            tn_buffer_text(x->to, "nothing");
    }
}

static void print_all_made(struct printing *x)
{
    const struct tn_list *outputs   = &tn_net_graph(&x->r->to, 0)->outputs;
    bool                  is_one_op = x->r->wanted->kind != TN_LANG_LIST;

    for (uint32_t i = 0; i < outputs->count; i++) {
        tn_buffer_text(x->to, i ? ", " : "");
        print_value(x, *tn_list_at(outputs, uint32_t, i), is_one_op ? i : 0);
    }
}

const char *tn_example_compare(struct tn_example *r, struct tn_infer *made)
{
    struct tn_buffer is, should;
    const char      *why = NULL;

    tn_buffer_init(&is, r->arena->memory, r->error);
    tn_buffer_init(&should, r->arena->memory, r->error);
    print_all_made(&(struct printing){ .r = r, .made = made, .to = &is });
    print_all_wanted(&(struct printing){ .r = r, .made = made, .to = &should });
    if (!tn_bytes_equal(tn_buffer_bytes(&is), tn_buffer_bytes(&should)))
        why = tn_text_format(r->arena, r->error, "makes %.*s, not %.*s",
                             TN_FMT(tn_buffer_bytes(&is)),
                             TN_FMT(tn_buffer_bytes(&should)));
    tn_buffer_done(&is);
    tn_buffer_done(&should);
    return why;
}
