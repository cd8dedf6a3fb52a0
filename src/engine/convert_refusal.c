/*
 * convert_refusal.c - why a model cannot be converted, in one message
 *
 *   cannot convert to ONNX: 2 operators have no rule: RFFT (12 nodes), Angle
 *   (3); MaxPool (1 node): needs the rank of 'x', which is unknown
 *
 * It names the target that the user asked for, not a dialect in between, and
 * every operator that cannot be converted, the most frequent first.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/sort.h"
#include "engine/convert_dialect.h"
#include "map/net/net_build.h"

enum { MOST_LISTED = 20, MOST_ARGUMENTS = 8 };

struct refusing {
    struct tn_conversion       *c;
    const struct tn_net        *from;
    const struct tn_map_report *report;
    struct tn_buffer           *to; /* the message                            */
    struct tn_buffer            item;
    uint64_t                    left; /* items that may still be listed       */
};

/* ---- one operator ------------------------------------------------------- */

/* What a pass has made of the model's operator (tf_tables.c): the user knows it
 * by the name that it had. */
static bool is_of_a_pass(const struct tn_net_op *op)
{
    return tn_bytes_is(op->domain, "tenon");
}

static const struct tn_net_op *op_of(struct tn_conversion *c, uint32_t node,
                                     uint32_t source)
{
    const struct tn_net_op *op = tn_net_node(c->net, node).op;

    if (!is_of_a_pass(op))
        return op;
    return tn_net_op(c->net, tn_model_op(c->from, source).type, tn_text(""));
}

enum tn_status tn_conversion_keep_ops(struct tn_conversion *c)
{
    uint32_t count = tn_model_op_count(c->from);

    for (uint32_t i = 0; i < count; i++) {
        const struct tn_net_op **op =
            tn_list_push(&c->model_ops, const struct tn_net_op *, c->error);
        if (!op)
            return c->error->status;
        *op = NULL;
    }
    for (uint32_t i = 0; i < c->net->nodes.count; i++) {
        uint32_t source = tn_net_node_row(c->net, i)->source;
        if (source < count)
            *tn_list_at(&c->model_ops, const struct tn_net_op *, source) =
                op_of(c, i, source);
    }
    return TN_OK;
}

/* The op of the model from which rules have made the node; NULL: the node is
 * the model's own. */
static const struct tn_net_op *model_op(const struct refusing    *r,
                                        const struct tn_net_node *node)
{
    if (node->source >= r->c->model_ops.count ||
        r->from->facts == tn_dialect_facts(r->c->path.dialects[0]))
        return NULL;
    return *tn_list_at(&r->c->model_ops, const struct tn_net_op *,
                       node->source);
}

static void add_op(struct tn_buffer *to, const struct tn_net_op *op)
{
    tn_buffer_add(to, op->domain);
    tn_buffer_text(to, op->domain.size ? "::" : "");
    tn_buffer_add(to, op->type);
}

static const struct tn_net_op *own_op(const struct refusing    *r,
                                      const struct tn_net_node *node)
{
    if (!is_of_a_pass(node->op) || node->source >= r->c->model_ops.count)
        return node->op;
    return *tn_list_at(&r->c->model_ops, const struct tn_net_op *,
                       node->source);
}

/* "MaxPool (as nd4j's maxpool2d; 3 nodes)", and "MaxPool (3 nodes)" where the
 * rules are those for the model's own operators. */
static void add_counted(struct refusing *r, const struct tn_refused_op *op,
                        bool is_first)
{
    const struct tn_net_node node = tn_net_node(r->from, op->first);
    const struct tn_net_op  *made = model_op(r, &node);
    const char *word = !is_first ? "" : op->count == 1 ? " node" : " nodes";

    if (!made) {
        add_op(&r->item, own_op(r, &node));
        tn_buffer_text(&r->item, " (");
    } else {
        add_op(&r->item, made);
        tn_buffer_format(&r->item, " (as %s's %.*s; ", r->from->dialect,
                         TN_FMT(node.op->type));
    }
    tn_buffer_format(&r->item, "%" PRIu64 "%s)", op->count, word);
}

/* ---- why no rule took a node -------------------------------------------- */

static void add_type(struct tn_buffer *to, const struct tn_net_type *type)
{
    tn_buffer_text(
        to, type->dtype == TN_UNDEFINED ? "?" : tn_dtype_name(type->dtype));
    if (!type->has_rank) {
        tn_buffer_text(to, "[...]");
        return;
    }
    tn_buffer_byte(to, '[');
    for (uint32_t i = 0; i < type->rank && i < MOST_ARGUMENTS; i++) {
        tn_buffer_text(to, i ? "," : "");
        if (type->dims[i] < 0)
            tn_buffer_byte(to, '?');
        else
            tn_buffer_format(to, "%" PRId64, type->dims[i]);
    }
    tn_buffer_byte(to, ']');
}

static bool add_number(struct tn_buffer *to, const struct tn_attr_value *value,
                       uint32_t index)
{
    switch (value->kind) {
    case TN_ATTR_INT:
        tn_buffer_format(to, "%" PRId64, value->of.ints[index]);
        return true;
    case TN_ATTR_BOOL:
        tn_buffer_text(to, value->of.ints[index] ? "true" : "false");
        return true;
    case TN_ATTR_DTYPE:
        tn_buffer_text(to, tn_dtype_name((enum tn_dtype)value->of.ints[index]));
        return true;
    case TN_ATTR_FLOAT:
        tn_buffer_format(to, "%g", (double)value->of.floats[index]);
        return true;
    case TN_ATTR_DOUBLE:
        tn_buffer_format(to, "%g", value->of.doubles[index]);
        return true;
    case TN_ATTR_STRING:
        tn_buffer_format(to, "\"%.*s\"",
                         (int)(value->of.strings[index].size < 40
                                   ? value->of.strings[index].size
                                   : 40),
                         (const char *)value->of.strings[index].data);
        return true;
    default: tn_buffer_text(to, "..."); return false;
    }
}

static void add_attr(struct tn_buffer *to, const struct tn_net_attr *attr)
{
    const struct tn_attr_value *value = &attr->value;
    uint32_t                    count = value->count;

    tn_buffer_format(to, ", %.*s=%s", TN_FMT(attr->name),
                     value->is_list ? "[" : "");
    for (uint32_t i = 0; i < count && i < MOST_ARGUMENTS; i++) {
        tn_buffer_text(to, i ? "," : "");
        if (!add_number(to, value, i))
            break;
    }
    tn_buffer_text(to, count > MOST_ARGUMENTS ? ",..." : "");
    tn_buffer_text(to, value->is_list ? "]" : "");
}

/* "float32[1,?], axis=1": what the rules were asked to take. */
static void add_use(struct refusing *r, uint32_t id)
{
    const struct tn_net_node node = tn_net_node(r->from, id);

    tn_buffer_text(&r->item, "no rule fits its use here: ");
    if (!node.input_count)
        tn_buffer_text(&r->item, "no inputs");
    for (uint32_t i = 0; i < node.input_count && i < MOST_ARGUMENTS; i++) {
        tn_buffer_text(&r->item, i ? ", " : "");
        if (node.inputs[i] == TN_NONE)
            tn_buffer_text(&r->item, "none");
        else
            add_type(&r->item, tn_net_value(r->from, node.inputs[i]).type);
    }
    for (uint32_t i = 0; i < node.attr_count && i < MOST_ARGUMENTS; i++)
        add_attr(&r->item, &node.attrs[i]);
}

static bool is_own(const struct refusing *r, const struct tn_lang_rule *rule)
{
    for (uint32_t i = 0; rule && rule->place.file && i < r->c->own_count; i++)
        if (strcmp(r->c->own[i].name, rule->place.file) == 0)
            return true;
    return false;
}

/* The last reason that tells what cannot be converted, rather than that a rule
 * is for other nodes; NULL if there is none. */
static const struct tn_map_reason *telling(const struct refusing *r,
                                           uint32_t               node)
{
    uint32_t                    count;
    const struct tn_map_reason *reasons =
        tn_map_reasons(r->report, node, &count);
    const struct tn_map_reason *best = NULL;

    for (uint32_t i = 0; i < count; i++)
        if (reasons[i].reason != TN_REASON_NONE)
            best = &reasons[i];
    return best;
}

static enum tn_reason reason_of(const struct refusing *r, uint32_t node)
{
    const struct tn_map_reason *reason = telling(r, node);

    return reason ? reason->reason : TN_REASON_RULE_REFUSED;
}

/* The words of a rule are written for users.  What happened during its
 * evaluation only helps those who know the rule; others see how the operator is
 * used. */
static void add_why(struct refusing *r, uint32_t node)
{
    const struct tn_map_reason *reason = telling(r, node);

    if (!reason) {
        add_use(r, node);
        return;
    }
    if (!reason->is_plain) {
        add_use(r, node);
        tn_buffer_format(&r->item, " (%s:%" PRIu32 ": %s)",
                         reason->place.file ? reason->place.file : "rules",
                         reason->place.line, reason->text);
        return;
    }
    if (is_own(r, reason->rule))
        tn_buffer_format(&r->item, "%s:%" PRIu32 ": ", reason->place.file,
                         reason->place.line);
    tn_buffer_text(&r->item, reason->text);
}

/* ---- the message -------------------------------------------------------- */

static bool has_no_rule(const struct refusing      *r,
                        const struct tn_refused_op *op)
{
    return reason_of(r, op->first) == TN_REASON_NO_RULE;
}

/* Those with a rule, or those without, as many as fit. */
static void add_list(struct refusing *r, const struct tn_refused_op *ops,
                     uint32_t count, bool without_rule)
{
    size_t   room   = sizeof r->c->error->what - sizeof " and 4294967295 more";
    uint32_t listed = 0, all = 0;
    bool     is_full = false;

    for (uint32_t i = 0; i < count; i++) {
        if (has_no_rule(r, &ops[i]) != without_rule)
            continue;
        all++;
        tn_buffer_clear(&r->item);
        tn_buffer_text(&r->item, !listed ? "" : without_rule ? ", " : "; ");
        add_counted(r, &ops[i], !listed);
        if (!without_rule) {
            tn_buffer_text(&r->item, ": ");
            add_why(r, ops[i].first);
        }
        is_full |= !r->left || r->to->size + r->item.size > room;
        if (is_full && listed)
            continue;
        listed++;
        r->left -= r->left > 0;
        tn_buffer_add(r->to, tn_buffer_bytes(&r->item));
    }
    if (all > listed)
        tn_buffer_format(r->to, " and %" PRIu32 " more", all - listed);
}

static void add_message(struct refusing *r, const struct tn_refused_op *ops,
                        uint32_t count, uint32_t without)
{
    uint32_t refused = count - without;

    tn_buffer_format(r->to, "cannot convert to %s: ",
                     tn_dialect_facts(r->c->format->dialect)->title);
    if (without > 1)
        tn_buffer_format(r->to,
                         "%" PRIu32 " operators have no rule: ", without);
    else if (without)
        tn_buffer_text(r->to, "an operator has no rule: ");
    add_list(r, ops, count, true);
    if (without && refused)
        tn_buffer_text(r->to, "; ");
    if (refused > 1)
        tn_buffer_format(r->to, "%" PRIu32 " operators%s cannot be converted: ",
                         refused, without ? " with rules" : "");
    add_list(r, ops, count, false);
}

/* ---- inputs behind which the rest can be converted ----------------------- */

enum { MOST_CUTS = 6 };

/* A walk from the outputs of the main graph back to operators that cannot be
 * converted. */
struct cutting {
    const struct refusing *r;
    uint32_t              *owners; /* by graph: the node of the main graph that
                                      it is inside of; TN_NONE: none      */
    uint32_t *first, *next; /* by node, by graph: the next graph inside of the
                               same node; 0: none                          */
    bool *is_lost;                 /* by node of the main graph: it, or one
                                      inside of it, cannot be converted   */
    bool          *is_seen;        /* by value                            */
    struct tn_list found;          /* uint32_t: values still to be walked */
    uint32_t       cuts[MOST_CUTS];
    uint32_t       count, kept;
    bool           is_useless;
};

static void reach(struct cutting *x, uint32_t value)
{
    if (value == TN_NONE || x->is_seen[value] ||
        tn_net_value(x->r->from, value).graph != 0)
        return;
    x->is_seen[value] = true;
    uint32_t *slot    = tn_list_push(&x->found, uint32_t, x->r->c->error);
    if (slot)
        *slot = value;
}

static bool is_input(const struct tn_net *net, uint32_t value)
{
    const struct tn_list *inputs = &tn_net_graph(net, 0)->inputs;

    for (uint64_t i = 0; i < inputs->count; i++)
        if (*tn_list_at(inputs, uint32_t, i) == value)
            return true;
    return false;
}

/* Whether it is a node of the model's own graph: nodes of inlined calls have no
 * name there. */
static bool is_of_model(const struct refusing *r, uint32_t node)
{
    char where[256];

    tn_conversion_node_path(r->from, node, where, sizeof where);
    return where[0] && !strstr(where, "function");
}

/* Whether a name needs no quotes, neither for a shell nor in a list. */
static bool is_plain(struct tn_bytes name)
{
    static const char signs[] = "abcdefghijklmnopqrstuvwxyz0123456789"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ_./:-";

    for (size_t i = 0; i < name.size; i++)
        if (!memchr(signs, ((const char *)name.data)[i], sizeof signs - 1))
            return false;
    return name.size > 0;
}

/* Whether the value can be an input that --inputs names. */
static bool can_be_input(const struct cutting *x, uint32_t value)
{
    const struct tn_net_value it = tn_net_value(x->r->from, value);

    return is_plain(it.name) && it.type->wrap == TN_NET_TENSOR &&
           (it.producer == TN_NONE || is_of_model(x->r, it.producer));
}

/* Adds the values of the main graph that graphs inside the node use. */
static void reach_from_inside(struct cutting *x, uint32_t owner)
{
    const struct tn_net *net = x->r->from;

    for (uint32_t g = x->first[owner]; g; g = x->next[g]) {
        const struct tn_list *nodes = &tn_net_graph(net, g)->nodes;
        for (uint64_t i = 0; i < nodes->count; i++) {
            const struct tn_net_node node =
                tn_net_node(net, *tn_list_at(nodes, uint32_t, i));
            for (uint32_t k = 0; !node.is_removed && k < node.input_count; k++)
                reach(x, node.inputs[k]);
        }
        const struct tn_list *outputs = &tn_net_graph(net, g)->outputs;
        for (uint64_t i = 0; i < outputs->count; i++)
            reach(x, *tn_list_at(outputs, uint32_t, i));
    }
}

static void walk_from(struct cutting *x, uint32_t value)
{
    uint32_t maker = tn_net_value(x->r->from, value).producer;
    bool     ends =
        maker == TN_NONE ? is_input(x->r->from, value) : x->is_lost[maker];

    x->is_useless |= ends && !can_be_input(x, value);
    if (ends && x->count < MOST_CUTS)
        x->cuts[x->count] = value;
    x->count += ends;
    if (ends || maker == TN_NONE)
        return;
    const struct tn_net_node node = tn_net_node(x->r->from, maker);
    x->kept++;
    for (uint32_t i = 0; i < node.input_count; i++)
        reach(x, node.inputs[i]);
    for (uint32_t i = 0; i < node.attr_count; i++)
        if (node.attrs[i].value.kind == TN_ATTR_GRAPH) {
            reach_from_inside(x, maker);
            break;
        }
}

static void begin_walk(struct cutting *x)
{
    const struct tn_net  *net     = x->r->from;
    const struct tn_list *outputs = &tn_net_graph(net, 0)->outputs;

    for (uint64_t i = 0; i < outputs->count; i++) {
        uint32_t value = *tn_list_at(outputs, uint32_t, i);
        uint32_t maker =
            value == TN_NONE ? TN_NONE : tn_net_value(net, value).producer;
        x->is_useless |= maker == TN_NONE || x->is_lost[maker];
        reach(x, value);
    }
}

/* The node of the main graph that a graph is inside of, at any depth. */
static void find_owners(struct cutting *x)
{
    const struct tn_net *net = x->r->from;

    for (uint32_t g = 0; g < net->graphs.count; g++)
        x->owners[g] = TN_NONE;
    for (uint32_t i = 0; i < net->nodes.count; i++) {
        const struct tn_net_node node = tn_net_node(net, i);
        for (uint32_t a = 0; !node.is_removed && a < node.attr_count; a++) {
            const struct tn_attr_value *value = &node.attrs[a].value;
            for (uint32_t k = 0;
                 value->kind == TN_ATTR_GRAPH && k < value->count; k++)
                x->owners[value->of.ints[k]] = i;
        }
    }
    for (uint32_t g = 0; g < net->graphs.count; g++)
        for (uint32_t up = 0; up < net->graphs.count; up++) {
            uint32_t graph = x->owners[g] == TN_NONE
                                 ? 0
                                 : tn_net_node_row(net, x->owners[g])->graph;
            if (!graph)
                break;
            x->owners[g] = x->owners[graph];
        }
    for (uint32_t g = (uint32_t)net->graphs.count; g-- > 1;)
        if (x->owners[g] != TN_NONE) {
            x->next[g]             = x->first[x->owners[g]];
            x->first[x->owners[g]] = g;
        }
}

static void find_lost(struct cutting *x)
{
    const struct tn_net *net = x->r->from;

    for (uint32_t i = 0; i < net->nodes.count; i++) {
        const struct tn_net_node_row *row = tn_net_node_row(net, i);
        if (row->is_removed || tn_map_rule(x->r->report, i))
            continue;
        uint32_t owner = row->graph ? x->owners[row->graph] : i;
        if (owner != TN_NONE)
            x->is_lost[owner] = true;
    }
}

/* The outputs of operators that cannot be converted come first. */
static int by_place(const void *a, const void *b, void *context)
{
    const struct tn_net *net = context;
    uint32_t             x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    bool                 is_first  = tn_net_value(net, x).producer != TN_NONE;
    bool                 is_second = tn_net_value(net, y).producer != TN_NONE;

    if (is_first != is_second)
        return is_first ? -1 : 1;
    return x < y ? -1 : x > y;
}

static void add_cut(struct refusing *r, struct tn_arena *arena, bool is_one)
{
    struct cutting x = { .r = r };

    x.is_seen = tn_new(arena, bool, r->from->values.count, r->c->error);
    x.is_lost = tn_new(arena, bool, r->from->nodes.count, r->c->error);
    x.owners  = tn_new(arena, uint32_t, r->from->graphs.count, r->c->error);
    x.first   = tn_new(arena, uint32_t, r->from->nodes.count, r->c->error);
    x.next    = tn_new(arena, uint32_t, r->from->graphs.count, r->c->error);
    if (!x.is_seen || !x.is_lost || !x.owners || !x.first || !x.next ||
        r->from->facts != tn_dialect_facts(r->c->path.dialects[0]))
        return;
    tn_list_init(&x.found, r->from->arena->memory, sizeof(uint32_t));
    find_owners(&x);
    find_lost(&x);
    begin_walk(&x);
    for (uint64_t i = 0; !x.is_useless && i < x.found.count; i++)
        walk_from(&x, *tn_list_at(&x.found, uint32_t, i));
    tn_list_done(&x.found);
    if (x.is_useless || !x.kept || !x.count || x.count > MOST_CUTS)
        return;
    tn_sort_items(x.cuts, x.count, sizeof x.cuts[0], by_place,
                  (void *)(uintptr_t)r->from);
    tn_buffer_clear(&r->item);
    tn_buffer_format(&r->item, "; begin behind %s: --inputs ",
                     is_one ? "it" : "them");
    for (uint32_t i = 0; i < x.count; i++)
        tn_buffer_format(&r->item, "%s%.*s", i ? "," : "",
                         TN_FMT(tn_net_value(r->from, x.cuts[i]).name));
    if (r->to->size + r->item.size < sizeof r->c->error->what)
        tn_buffer_add(r->to, tn_buffer_bytes(&r->item));
}

/* Whether knowing more about the inputs would not help. */
static bool is_for_good(const struct refusing      *r,
                        const struct tn_refused_op *op)
{
    enum tn_reason reason = reason_of(r, op->first);

    return reason == TN_REASON_NO_RULE || reason == TN_REASON_RULE_REFUSED;
}

static int by_count(const void *a, const void *b, void *context)
{
    const struct tn_refused_op *x = a, *y = b;

    (void)context;
    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    return x->first < y->first ? -1 : x->first > y->first;
}

enum tn_status tn_conversion_refuse(struct tn_conversion       *c,
                                    const struct tn_net        *from,
                                    const struct tn_map_report *report,
                                    struct tn_refused_op *ops, uint32_t count)
{
    struct tn_memory *memory = from->arena->memory;
    struct tn_error   own    = TN_ERROR_INIT;
    struct tn_buffer  message;
    struct refusing   r       = { .c      = c,
                                  .from   = from,
                                  .report = report,
                                  .to     = &message,
                                  .left   = MOST_LISTED };
    uint32_t          without = 0, lasting = 0;
    char              where[sizeof c->error->where] = "";

    tn_sort_items(ops, count, sizeof *ops, by_count, NULL);
    for (uint32_t i = 0; i < count; i++) {
        without += has_no_rule(&r, &ops[i]);
        lasting += is_for_good(&r, &ops[i]);
    }
    tn_buffer_init(&message, memory, &own);
    tn_buffer_init(&r.item, memory, &own);
    add_message(&r, ops, count, without);
    if (lasting == count)
        add_cut(&r, from->arena, count == 1 && ops[0].count == 1);
    tn_error_because(c->error, TN_UNSUPPORTED,
                     without ? TN_REASON_NO_RULE : reason_of(&r, ops[0].first),
                     TN_NOWHERE, "%s", tn_buffer_string(&message));
    if (count == 1)
        tn_conversion_node_path(from, ops[0].first, where, sizeof where);
    tn_error_where(c->error, "%s", where);
    tn_buffer_done(&r.item);
    tn_buffer_done(&message);
    return c->error->status;
}

void tn_conversion_name_target(struct tn_conversion *c)
{
    char what[sizeof c->error->what];

    if (!c->path.steps || c->error->reason != TN_REASON_NONE)
        return;
    snprintf(what, sizeof what, "%s", c->error->what);
    int size = snprintf(
        c->error->what, sizeof c->error->what,
        "cannot convert to %s: ", tn_dialect_facts(c->format->dialect)->title);
    snprintf(c->error->what + size, sizeof c->error->what - (size_t)size, "%s",
             what);
    c->error->reason = TN_REASON_RULE_REFUSED;
}
