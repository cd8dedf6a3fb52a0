/*
 * lang_example.c - examples under rules, run
 */
#include <inttypes.h>

#include "base/buffer.h"
#include "base/number.h"
#include "map/lang/infer.h"
#include "map/lang/lang_apply.h"
#include "map/lang/lang_attr.h"
#include "map/lang/lang_check.h"
#include "map/lang/lang_example.h"
#include "map/lang/lang_parser.h"
#include "map/lang/rule_sets.h"
#include "map/net/net_build.h"

/* Limits of a node: examples are small. */
#define TN_EXAMPLE_IO_MAX   64
#define TN_EXAMPLE_RANK_MAX 16

struct tn_example_node;

struct tn_example_input {
    struct tn_example_node *maker;  /* NULL: none in the example     */
    uint32_t                output; /* which of its outputs it is    */
    struct tn_bytes         name;   /* empty: not given                      */
    enum tn_dtype           dtype;
    bool                    has_rank;
    uint32_t                rank;
    int64_t dims[TN_EXAMPLE_RANK_MAX]; /* -1: not known             */
    const struct tn_lang_expr *value;  /* NULL: not a constant      */
};

struct tn_example_node {
    struct tn_bytes op, domain;
    int64_t         version; /* -1: it does not say                       */
    struct tn_example_input inputs[TN_EXAMPLE_IO_MAX];
    uint32_t                input_count;
    struct tn_list          attrs; /* struct tn_lang_attr                 */
    struct tn_bytes         outputs[TN_EXAMPLE_IO_MAX];
    uint32_t                output_count;
    struct tn_example_node *next; /* of all nodes of the example          */
};

struct tn_example {
    const struct tn_lang_file      *file;
    const struct tn_example_shapes *both;
    const struct tn_lang_example   *example;
    const struct tn_lang_rule      *rule;
    struct tn_lang_file   words; /* nothing is defined in an example  */
    struct tn_lang_parser p;
    struct tn_arena      *arena;
    struct tn_error      *error;
    struct tn_net         from, to;

    struct tn_example_node    *node;  /* whose rule is run                   */
    struct tn_example_node    *nodes; /* all of them, for names              */
    uint32_t                   id;    /* of the node, in `from`              */
    const struct tn_lang_expr *wanted;
};

/* ---- the grammar of examples -------------------------------------------- */

/*
 *   EXAMPLE  NODE => VALUE | VALUE <= NODE
 *   NODE     op@version(input, ...; name: literal, ...) -> (name, ...)
 *   input    none | name | name:dtype | name:dtype[dim, ...], then = literal
 *            | NODE | NODE[N], which makes it
 */

/* [2, ?, 3] */
static bool read_dims(struct tn_example *r, struct tn_example_input *input)
{
    input->has_rank = true;
    while (!tn_lang_is(&r->p, "]")) {
        const struct tn_token *token = tn_lang_look(&r->p);

        if (input->rank == TN_EXAMPLE_RANK_MAX)
            return tn_lang_expected(&r->p, "at most 16 dims");
        if (token->kind != TN_TOKEN_INT && !tn_lang_is(&r->p, "?"))
            return tn_lang_expected(&r->p, "a dim");
        input->dims[input->rank++] =
            token->kind == TN_TOKEN_INT ? (int64_t)token->number : -1;
        r->p.at++;
        if (!tn_lang_accept(&r->p, ","))
            break;
    }
    return tn_lang_expect(&r->p, "]");
}

static struct tn_example_node *read_node(struct tn_example *r);

/* NODE, or NODE[N] for its output N. */
static bool read_maker(struct tn_example *r, struct tn_example_input *input)
{
    struct tn_lang_parser *p = &r->p;

    if (!tn_lang_enter(p) || !(input->maker = read_node(r)))
        return false;
    tn_lang_leave(p);
    if (!tn_lang_accept(p, "["))
        return true;
    if (tn_lang_look(p)->kind != TN_TOKEN_INT ||
        tn_lang_look(p)->number >= TN_EXAMPLE_IO_MAX)
        return tn_lang_expected(p, "the number of an output");
    input->output = (uint32_t)tn_lang_look(p)->number;
    p->at++;
    return tn_lang_expect(p, "]");
}

static bool read_input(struct tn_example *r, struct tn_example_input *input)
{
    struct tn_lang_parser *p    = &r->p;
    const struct tn_token *next = tn_lang_look(p) + 1;

    if (tn_lang_accept(p, "none"))
        return true;
    if (tn_token_is(next, "(") || tn_token_is(next, "::") ||
        tn_token_is(next, "@"))
        return read_maker(r, input);
    input->name = tn_lang_name(p, "an input");
    if (!input->name.size)
        return false;
    if (tn_lang_accept(p, ":")) {
        input->dtype = tn_lang_dtype(tn_lang_look(p)->text);
        if (input->dtype == TN_UNDEFINED)
            return tn_lang_expected(p, "a type");
        p->at++;
        if (tn_lang_accept(p, "[") && !read_dims(r, input))
            return false;
    }
    if (!tn_lang_accept(p, "="))
        return true;
    if (input->dtype == TN_UNDEFINED)
        return tn_lang_expected(p, "a type before a value");
    input->value = tn_lang_literal(p);
    return input->value;
}

static bool read_inputs(struct tn_example *r, struct tn_example_node *node)
{
    while (!tn_lang_is(&r->p, ";") && !tn_lang_is(&r->p, ")")) {
        if (node->input_count == TN_EXAMPLE_IO_MAX)
            return tn_lang_expected(&r->p, "at most 64 inputs");
        if (!read_input(r, &node->inputs[node->input_count++]))
            return false;
        if (!tn_lang_accept(&r->p, ","))
            break;
    }
    return true;
}

static bool read_attrs(struct tn_example *r, struct tn_example_node *node)
{
    do {
        struct tn_lang_attr *attr =
            tn_list_push(&node->attrs, struct tn_lang_attr, r->error);
        if (!attr)
            return false;
        attr->place = tn_lang_look(&r->p)->place;
        attr->name  = tn_lang_word(&r->p, "the name of an attribute");
        if (!attr->name.size || !tn_lang_expect(&r->p, ":") ||
            !(attr->value = tn_lang_literal(&r->p)))
            return false;
    } while (tn_lang_accept(&r->p, ","));
    return true;
}

/* -> (a, b); without it there is one. */
static bool read_outputs(struct tn_example *r, struct tn_example_node *node)
{
    node->outputs[0]   = tn_text("out");
    node->output_count = 1;
    if (!tn_lang_accept(&r->p, "->"))
        return true;
    if (!tn_lang_expect(&r->p, "("))
        return false;
    node->output_count = 0;
    do {
        if (node->output_count == TN_EXAMPLE_IO_MAX)
            return tn_lang_expected(&r->p, "at most 64 outputs");
        struct tn_bytes name = tn_lang_name(&r->p, "an output");
        if (!name.size)
            return false;
        node->outputs[node->output_count++] = name;
    } while (tn_lang_accept(&r->p, ","));
    return tn_lang_expect(&r->p, ")");
}

static struct tn_example_node *new_node(struct tn_example *r)
{
    struct tn_example_node *node =
        tn_new(r->arena, struct tn_example_node, 1, r->error);

    if (!node)
        return NULL;
    tn_list_init(&node->attrs, r->arena->memory, sizeof(struct tn_lang_attr));
    node->version = -1;
    node->next    = r->nodes;
    r->nodes      = node;
    return node;
}

/* NULL: failed. */
static struct tn_example_node *read_node(struct tn_example *r)
{
    struct tn_lang_parser  *p    = &r->p;
    struct tn_example_node *node = new_node(r);

    if (!node)
        return NULL;
    node->op = tn_lang_word(p, "an op");
    if (tn_lang_accept(p, "::")) {
        node->domain = node->op;
        node->op     = tn_lang_word(p, "an op");
    }
    if (tn_lang_accept(p, "@")) {
        if (tn_lang_look(p)->kind != TN_TOKEN_INT) {
            tn_lang_expected(p, "a version");
            return NULL;
        }
        node->version = (int64_t)tn_lang_look(p)->number;
        p->at++;
    }
    if (!node->op.size || !tn_lang_expect(p, "(") || !read_inputs(r, node) ||
        (tn_lang_accept(p, ";") && !read_attrs(r, node)) ||
        !tn_lang_expect(p, ")") || !read_outputs(r, node))
        return NULL;
    return node;
}

/* Fills in the node and what is wanted; false: it failed. */
static bool read(struct tn_example *r)
{
    struct tn_lang_parser *p = &r->p;

    if (!tn_lang_parser_open(p, &r->words,
                             tn_lang_text(r->file, r->example->text),
                             &r->example->place, r->error))
        return false;
    if (r->example->is_back) {
        r->wanted = tn_lang_value(p);
        if (!r->wanted || !tn_lang_expect(p, "<=") || !(r->node = read_node(r)))
            return false;
    } else {
        if (!(r->node = read_node(r)) || !tn_lang_expect(p, "=>") ||
            !(r->wanted = tn_lang_value(p)))
            return false;
    }
    return tn_lang_look(p)->kind == TN_TOKEN_END ||
           tn_lang_expected(p, "the end of the example");
}

/* A literal of the example as an item. */
static struct tn_item item(struct tn_example         *r,
                           const struct tn_lang_expr *expr)
{
    switch (expr->kind) {
    case TN_LANG_BOOL: return tn_item_bool(expr->number);
    case TN_LANG_INT: return tn_item_int(expr->number);
    case TN_LANG_FLOAT: return tn_item_float(expr->real);
    case TN_LANG_STRING: return tn_item_text(expr->text);
    case TN_LANG_DTYPE:
        return tn_item_dtype((enum tn_dtype)expr->number, TN_NET_TENSOR);
    case TN_LANG_LIST: break;
    default: return tn_item_none();
    }
    struct tn_item *items =
        tn_new(r->arena, struct tn_item, expr->item_count, r->error);
    for (uint32_t i = 0; items && i < expr->item_count; i++)
        items[i] = item(r, expr->items[i]);
    return tn_item_list(items, items ? expr->item_count : 0);
}

/* ---- what an example has made, and what it should have ------------------ */

/*
 * Both are printed the same way, and the texts compared: a failure then shows
 * the difference.
 */

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
    case TN_ITEM_FLOAT: /* as an attribute of 32 bits keeps it */
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

/* Constants with a name in the example are printed as that name. */
static bool is_input_name(const struct tn_example *r, struct tn_bytes name)
{
    for (const struct tn_example_node *n = r->nodes; n; n = n->next)
        for (uint32_t i = 0; i < n->input_count; i++)
            if (tn_bytes_equal(n->inputs[i].name, name))
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
        attrs[i].item = call->attrs[i].value ? item(x->r, call->attrs[i].value)
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
        print_item(x->to, item(x->r, expr));
}

/* ---- comparing ---------------------------------------------------------- */

/* Several outputs are those of one op, or as many values in brackets. */
static void print_all_wanted(struct printing *x)
{
    const struct tn_lang_expr *wanted = x->r->wanted;

    for (uint32_t i = 0; i < x->r->node->output_count; i++) {
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

/* NULL: what was made is what is wanted; else "makes this, not that". */
static const char *compare(struct tn_example *r, struct tn_infer *made)
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

/* ---- the node ----------------------------------------------------------- */

/* What the vocabulary wants an attribute to be. */
static struct tn_attr_wish wish_of(const struct tn_example  *r,
                                   const struct tn_vocab_op *op,
                                   struct tn_bytes           name)
{
    struct tn_attr_wish wish = { .has_doubles = r->from.facts->has_doubles };
    const struct tn_vocab_attr *attr = op ? tn_vocab_find_attr(op, name) : NULL;

    if (attr) {
        wish.kind    = tn_attr_kind_of(attr->type);
        wish.is_list = attr->is_list;
    }
    return wish;
}

static bool make_attrs(struct tn_example *r, const struct tn_example_node *node,
                       const struct tn_vocab_op *op, struct tn_net_attr *attrs)
{
    for (uint64_t i = 0; i < node->attrs.count; i++) {
        const struct tn_lang_attr *attr =
            tn_list_at(&node->attrs, struct tn_lang_attr, i);
        struct tn_attr_wish wish  = wish_of(r, op, attr->name);
        const char         *wrong = tn_attr_from_item(
                    item(r, attr->value), &wish, r->arena, &attrs[i].value, r->error);

        attrs[i].name = attr->name;
        if (wrong)
            return tn_location_fail(r->error, &attr->place, TN_MALFORMED,
                                    "'%.*s' %s", TN_FMT(attr->name),
                                    wrong) == TN_OK;
    }
    return !tn_failed(r->error);
}

/* The numbers of a constant, flat. */
static bool flatten(struct tn_example *r, const struct tn_lang_expr *expr,
                    struct tn_list *ints, struct tn_list *doubles)
{
    if (expr->kind == TN_LANG_LIST) {
        for (uint32_t i = 0; i < expr->item_count; i++)
            if (!flatten(r, expr->items[i], ints, doubles))
                return false;
        return true;
    }
    int64_t *number = tn_list_push(ints, int64_t, r->error);
    double  *real   = tn_list_push(doubles, double, r->error);
    if (!number || !real)
        return false;
    if (expr->kind != TN_LANG_INT && expr->kind != TN_LANG_FLOAT &&
        expr->kind != TN_LANG_BOOL)
        return tn_location_fail(r->error, &expr->place, TN_MALFORMED,
                                "expected numbers") == TN_OK;
    *number = expr->number;
    *real   = expr->kind == TN_LANG_FLOAT ? expr->real : (double)expr->number;
    return true;
}

static uint32_t add_constant(struct tn_example             *r,
                             const struct tn_example_input *input)
{
    struct tn_list ints, doubles;
    uint64_t       dims[TN_EXAMPLE_RANK_MAX], count = 1;
    uint32_t       value = TN_NONE;

    tn_list_init(&ints, r->arena->memory, sizeof(int64_t));
    tn_list_init(&doubles, r->arena->memory, sizeof(double));
    for (uint32_t i = 0; i < input->rank; i++) {
        dims[i] = input->dims[i] < 0 ? 0 : (uint64_t)input->dims[i];
        count   = dims[i] > 0x10000 ? 0x10000 : count * dims[i] % 0x10000;
    }
    if (flatten(r, input->value, &ints, &doubles)) {
        if (count != ints.count)
            tn_location_fail(r->error, &input->value->place, TN_MALFORMED,
                             "%" PRIu64 " numbers, and dims for another count",
                             ints.count);
        else if (tn_item_is_real(input->dtype))
            value = tn_net_add_doubles(&r->from, 0, input->name, input->dtype,
                                       doubles.items, input->rank, dims);
        else
            value = tn_net_add_ints(&r->from, 0, input->name, input->dtype,
                                    ints.items, input->rank, dims);
    }
    tn_list_done(&ints);
    tn_list_done(&doubles);
    return value;
}

static uint32_t add_input(struct tn_example             *r,
                          const struct tn_example_input *input)
{
    if (!input->name.size)
        return TN_NONE;
    if (input->value)
        return add_constant(r, input);
    uint32_t value = tn_net_add_value(&r->from, 0, input->name);
    if (tn_failed(r->error))
        return TN_NONE;
    tn_net_set_type(&r->from, value,
                    &(struct tn_net_type){ .dtype    = input->dtype,
                                           .has_rank = input->has_rank,
                                           .rank     = input->rank,
                                           .dims     = input->dims });
    tn_net_add_input(&r->from, 0, value, input->name);
    return value;
}

static uint32_t make_node(struct tn_example *r, const struct tn_lang_side *side,
                          const struct tn_example_node *node);

/* The output of a node inside; TN_NONE if it has none of that number. */
static uint32_t make_maker(struct tn_example             *r,
                           const struct tn_lang_side     *side,
                           const struct tn_example_input *input)
{
    uint32_t node = make_node(r, side, input->maker);

    if (node == TN_NONE)
        return TN_NONE;
    const struct tn_net_node made = tn_net_node(&r->from, node);
    if (input->output < made.output_count)
        return made.outputs[input->output];
    tn_location_fail(r->error, &r->example->place, TN_MALFORMED,
                     "'%.*s' has no output %" PRIu32
                     ": name them with -> (...)",
                     TN_FMT(input->maker->op), input->output);
    return TN_NONE;
}

/* The same name is the same value. */
static uint32_t input_value(struct tn_example             *r,
                            const struct tn_lang_side     *side,
                            const struct tn_example_input *input)
{
    if (input->maker)
        return make_maker(r, side, input);
    for (uint32_t i = 0; input->name.size && i < r->from.values.count; i++)
        if (tn_bytes_equal(tn_net_value(&r->from, i).name, input->name))
            return i;
    return add_input(r, input);
}

static const struct tn_vocab_op *find_op(struct tn_example            *r,
                                         const struct tn_lang_side    *side,
                                         const struct tn_example_node *node)
{
    struct tn_error ignored = TN_ERROR_INIT;

    if (!side->vocab)
        return NULL;
    return tn_vocab_find(side->vocab, node->domain, node->op, r->from.version,
                         &ignored);
}

/* Adds a node, after the nodes that make its inputs; TN_NONE: failed. */
static uint32_t make_node(struct tn_example *r, const struct tn_lang_side *side,
                          const struct tn_example_node *node)
{
    uint32_t            inputs[TN_EXAMPLE_IO_MAX], outputs[TN_EXAMPLE_IO_MAX];
    struct tn_net_attr *attrs =
        tn_new(r->arena, struct tn_net_attr, node->attrs.count, r->error);

    if (!attrs || !make_attrs(r, node, find_op(r, side, node), attrs))
        return TN_NONE;
    for (uint32_t i = 0; i < node->input_count; i++)
        inputs[i] = input_value(r, side, &node->inputs[i]);
    for (uint32_t i = 0; i < node->output_count && !tn_failed(r->error); i++)
        outputs[i] = tn_net_add_value(&r->from, 0, node->outputs[i]);
    if (tn_failed(r->error))
        return TN_NONE;
    return tn_net_add_node(
        &r->from, &(struct tn_net_node){
                      .op     = tn_net_op(&r->from, node->op, node->domain),
                      .inputs = inputs,
                      .input_count  = node->input_count,
                      .outputs      = outputs,
                      .output_count = node->output_count,
                      .attrs        = attrs,
                      .attr_count   = (uint32_t)node->attrs.count,
                      .source       = TN_NONE,
                  });
}

static bool make_graph(struct tn_example *r, const struct tn_lang_side *side)
{
    tn_net_add_graph(&r->from, TN_GRAPH_MAIN, tn_text("example"), TN_NONE);
    r->id = make_node(r, side, r->node);
    if (r->id == TN_NONE || tn_failed(r->error))
        return false;
    for (uint32_t i = 0; i < r->node->output_count; i++)
        tn_net_add_output(&r->from, 0, tn_net_node(&r->from, r->id).outputs[i],
                          r->node->outputs[i]);
    return !tn_failed(r->error);
}

/* ---- running ------------------------------------------------------------ */

/* Why the rule did not take it. */
static const char *refusal(struct tn_example          *r,
                           const struct tn_map_report *report)
{
    const struct tn_lang_rule *taken =
        report->rules.count ? tn_map_rule(report, r->id) : NULL;
    uint32_t                    count;
    const struct tn_map_reason *reason = tn_map_reasons(report, r->id, &count);

    if (taken == r->rule)
        return NULL;
    if (taken)
        return tn_text_format(r->arena, r->error,
                              "the rule of line %u takes it before",
                              (unsigned)taken->place.line);
    for (uint32_t i = 0; i < count; i++, reason++) {
        if (reason->rule == r->rule)
            return tn_text_format(r->arena, r->error,
                                  "the rule does not take it: line %u, column "
                                  "%u: %s",
                                  (unsigned)reason->place.line,
                                  (unsigned)reason->place.column, reason->text);
    }
    return "the rule does not take it";
}

static const char *apply(struct tn_example *r, struct tn_infer *facts,
                         struct tn_infer *made)
{
    const struct tn_lang_file *file = r->file;
    struct tn_map_report       report;
    const char                *why = NULL;

    tn_map_report_init(&report, r->arena);
    if (tn_infer_run(facts) == TN_OK &&
        tn_lang_apply(&file, 1, facts, &r->from, made, &r->to, &report) ==
            TN_OK)
        why = refusal(r, &report);
    tn_map_report_done(&report);
    return why || tn_failed(r->error) ? why : compare(r, made);
}

static const char *run_nets(struct tn_example *r)
{
    struct tn_infer *facts = NULL, *made = NULL;
    const char      *why     = NULL;
    bool             is_back = r->example->is_back;

    if (tn_infer_open(&facts, &r->from, &r->both->shapes[is_back]) == TN_OK &&
        tn_infer_open(&made, &r->to, &r->both->shapes[!is_back]) == TN_OK)
        why = apply(r, facts, made);
    tn_infer_close(made);
    tn_infer_close(facts);
    return why;
}

/* The version that the example is of: as it says, or the newest that the rule
 * is for, if that is known. */
static int64_t version_of(const struct tn_example   *r,
                          const struct tn_lang_side *side)
{
    if (r->node->version >= 0)
        return r->node->version;
    if (r->rule->head.until != INT64_MAX)
        return r->rule->head.until;
    if (side->version == INT64_MAX)
        return 0;
    return r->rule->head.since > side->version ? r->rule->head.since
                                               : side->version;
}

static const char *run_example(struct tn_example *r, const char *from,
                               const char *to)
{
    struct tn_vocab     vocabs[2];
    struct tn_lang_side sides[2];
    const char         *why = NULL;

    if (tn_lang_side_open(&sides[0], &vocabs[0], r->arena, tn_text(from),
                          r->error) != TN_OK ||
        tn_lang_side_open(&sides[1], &vocabs[1], r->arena, tn_text(to),
                          r->error) != TN_OK)
        return NULL;
    r->from.version = version_of(r, &sides[0]);
    r->to.version   = sides[1].version == INT64_MAX ? 0 : sides[1].version;
    if (make_graph(r, &sides[0]))
        why = run_nets(r);
    return why;
}

/* A dialect's name with a zero after it. */
static const char *name_of(struct tn_example *r, struct tn_bytes dialect)
{
    return (const char *)tn_bytes_dup(r->arena, dialect, r->error).data;
}

enum tn_status tn_example_shapes_open(struct tn_example_shapes  *both,
                                      const struct tn_lang_file *file,
                                      struct tn_arena           *arena,
                                      struct tn_error           *error)
{
    struct tn_bytes names[] = { file->from, file->to };

    *both = (struct tn_example_shapes){ 0 };
    for (int i = 0; i < 2; i++) {
        struct tn_bytes name = tn_bytes_dup(arena, names[i], error);
        if (!name.data)
            return error->status;
        TN_TRY(tn_shapes_read(&both->shapes[i], arena, (const char *)name.data,
                              error));
    }
    return TN_OK;
}

void tn_example_shapes_done(struct tn_example_shapes *both)
{
    tn_lang_done(&both->shapes[0]);
    tn_lang_done(&both->shapes[1]);
}

enum tn_status tn_lang_example_run(const struct tn_lang_file      *file,
                                   const struct tn_example_shapes *both,
                                   const struct tn_lang_example   *example,
                                   struct tn_arena *arena, const char **why,
                                   struct tn_error *error)
{
    const struct tn_list *rules = example->is_back ? &file->back : &file->rules;
    struct tn_example    *r     = tn_new(arena, struct tn_example, 1, error);

    *why = NULL;
    if (!r)
        return error->status;
    r->file    = file;
    r->both    = both;
    r->example = example;
    r->rule    = tn_list_at(rules, struct tn_lang_rule, example->rule);
    r->arena   = arena;
    r->error   = error;
    r->words   = (struct tn_lang_file){ .name = file->name, .arena = arena };
    const char *from = name_of(r, example->is_back ? file->to : file->from);
    const char *to   = name_of(r, example->is_back ? file->from : file->to);
    if (from && to) {
        tn_net_init(&r->from, arena, from, error);
        tn_net_init(&r->to, arena, to, error);
        if (read(r))
            *why = run_example(r, from, to);
        tn_lang_parser_close(&r->p);
        tn_net_done(&r->to);
        tn_net_done(&r->from);
    }
    for (struct tn_example_node *node = r->nodes; node; node = node->next)
        tn_list_done(&node->attrs);
    return error->status;
}
