/*
 * infer.c - the types of what a node makes, by rules of shapes
 *
 * What the model declares stays, a rule fills in what it leaves open.  Of equal
 * nodes with inputs of equal types, which large models are made of, the rule
 * sees one.
 */
#include "map/lang/infer_facts.h"
#include "map/net/net_build.h"

/* More than any dialect has: what follows from such a value stays unknown, or
 * one would make all others large. */
#define RANK_MAX 255

/* ---- open and close ----------------------------------------------------- */

static struct tn_infer *new_infer(struct tn_net *net)
{
    struct tn_memory *memory = net->arena->memory;
    struct tn_infer  *infer =
        tn_memory_resize(memory, NULL, 0, sizeof *infer, net->error);

    if (!infer)
        return NULL;
    memset(infer, 0, sizeof *infer);
    infer->net = net;
    tn_arena_init(&infer->arena, memory);
    tn_arena_init(&infer->scratch, memory);
    tn_arena_init(&infer->fold_scratch, memory);
    tn_list_init(&infer->states, memory, sizeof(uint32_t));
    tn_list_init(&infer->memos, memory, sizeof(struct tn_item));
    tn_list_init(&infer->stack, memory, sizeof(uint32_t));
    tn_list_init(&infer->seen, memory, sizeof(uint8_t));
    tn_intern_init(&infer->nodes, &infer->arena);
    tn_list_init(&infer->outcomes, memory, sizeof(uint32_t));
    tn_list_init(&infer->types, memory, sizeof(const struct tn_net_type *));
    return infer;
}

enum tn_status tn_infer_open(struct tn_infer **out, struct tn_net *net,
                             const struct tn_lang_file *shapes)
{
    struct tn_infer *infer = new_infer(net);

    *out = NULL;
    if (!infer)
        return net->error->status;
    tn_code_init(&infer->set, net->arena->memory, net, NULL, 0, net->error);
    if (!tn_failed(net->error) && shapes)
        tn_code_add(&infer->set, shapes, net->error);
    if (tn_failed(net->error)) {
        tn_infer_close(infer);
        return net->error->status;
    }
    *out = infer;
    return TN_OK;
}

void tn_infer_close(struct tn_infer *infer)
{
    if (!infer)
        return;
    tn_code_done(&infer->set);
    tn_list_done(&infer->types);
    tn_list_done(&infer->outcomes);
    tn_intern_done(&infer->nodes);
    tn_list_done(&infer->seen);
    tn_list_done(&infer->stack);
    tn_list_done(&infer->memos);
    tn_list_done(&infer->states);
    tn_arena_done(&infer->fold_scratch);
    tn_arena_done(&infer->scratch);
    tn_arena_done(&infer->arena);
    tn_memory_free(infer->net->arena->memory, infer, sizeof *infer);
}

const struct tn_code_rule *tn_infer_enter(struct tn_infer *infer,
                                          struct tn_eval  *e)
{
    const struct tn_code_rule *rule = tn_code_find(
        &infer->set, e->node->op->type, e->node->op->domain, infer->net->error);

    for (; rule; rule = rule->next)
        if (tn_rule_enter(e, rule) || e->missing != TN_NONE)
            return rule;
    return NULL;
}

/* ---- types -------------------------------------------------------------- */

static void set_dtype(struct tn_net_type *type, struct tn_item dtype)
{
    if (dtype.kind != TN_ITEM_DTYPE || type->dtype != TN_UNDEFINED)
        return;
    type->dtype = tn_item_to_dtype(dtype);
    type->wrap  = tn_item_to_wrap(dtype);
}

/* A dim as types have it. */
static int64_t dim_of(struct tn_item item)
{
    int64_t dim;

    return tn_item_to_int(item, &dim) && dim >= 0 ? dim : -1;
}

/* Whether the rule knows a dim that the model leaves open. */
static bool is_better(const struct tn_net_type *type, struct tn_item dims)
{
    if (!type->has_rank)
        return true;
    if (type->rank != dims.count)
        return false;
    for (uint32_t i = 0; i < dims.count; i++)
        if (type->dims[i] < 0 && dim_of(dims.of.items[i]) >= 0)
            return true;
    return false;
}

/* The dims lie in the scratch arena. */
static void set_dims(struct tn_infer *infer, struct tn_net_type *type,
                     struct tn_item list)
{
    if (list.kind != TN_ITEM_LIST || list.count > RANK_MAX ||
        !is_better(type, list))
        return;
    int64_t *dims =
        tn_new(&infer->scratch, int64_t, list.count, infer->net->error);
    if (!dims)
        return;
    for (uint32_t i = 0; i < list.count; i++)
        dims[i] = type->has_rank && type->dims[i] >= 0
                      ? type->dims[i]
                      : dim_of(list.of.items[i]);
    type->dims     = dims;
    type->rank     = list.count;
    type->has_rank = true;
}

/* A refusal in one part leaves the others alone. */
static struct tn_item part_of(struct tn_eval *e, const struct tn_code *code)
{
    struct tn_item item = tn_item_unknown(NULL);

    if (code->expr)
        item = tn_eval(e, code);
    if (e->refusal.is_set)
        item = tn_item_unknown(NULL);
    e->refusal.is_set = false;
    return item;
}

static void infer_outputs(struct tn_infer *infer, struct tn_eval *e,
                          const struct tn_code_rule *rule)
{
    for (e->output = 0; e->output < e->node->output_count; e->output++) {
        uint32_t                    value = e->node->outputs[e->output];
        const struct tn_code_shape *shape = tn_infer_shape(rule, e->output);
        if (value == TN_NONE || !shape)
            continue;
        struct tn_item     dtype = part_of(e, &shape->dtype);
        struct tn_item     dims  = part_of(e, &shape->dims);
        struct tn_net_type type  = *tn_net_value(infer->net, value).type;
        set_dtype(&type, dtype);
        set_dims(infer, &type, dims);
        tn_net_set_type(infer->net, value, &type);
    }
}

/* ---- equal nodes -------------------------------------------------------- */

bool tn_infer_has_words(const struct tn_net_node *node)
{
    return node->has_common_attrs && node->input_count <= TN_INFER_IO_MAX &&
           node->output_count <= TN_INFER_IO_MAX;
}

/* Which inputs are the same value: of each the first that is, in four bits. */
static uint64_t twins_of(const struct tn_net_node *node)
{
    uint64_t twins = 0;

    for (uint32_t i = 0; i < node->input_count; i++) {
        uint64_t first = 0;
        while (node->inputs[first] != node->inputs[i])
            first++;
        twins |= first << 4 * i;
    }
    return twins;
}

uint32_t tn_infer_node_words(const struct tn_net_node *node, uint64_t *words)
{
    words[0] = (uintptr_t)node->op;
    words[1] = (uint64_t)node->input_count << 32 | node->output_count;
    words[2] = node->attr_count ? (uintptr_t)node->attrs : 0;
    words[3] = twins_of(node);
    return TN_INFER_NODE_WORDS;
}

/* Types are aligned, so that the lowest bits of where they are are free. */
uint64_t tn_infer_word(const struct tn_net *net, uint32_t value)
{
    if (value == TN_NONE)
        return 0;
    const struct tn_net_value v = tn_net_value(net, value);
    unsigned kind = v.constant ? 1 : v.producer == TN_NONE ? 2 : 3;
    return (uintptr_t)v.type | kind;
}

struct node_words {
    uint64_t words[TN_INFER_NODE_WORDS + 2 * TN_INFER_IO_MAX];
    uint32_t count;
};

static struct tn_bytes say_node(const struct tn_net      *net,
                                const struct tn_net_node *node,
                                struct node_words        *to)
{
    to->count = tn_infer_node_words(node, to->words);
    for (uint32_t i = 0; i < node->input_count; i++)
        to->words[to->count++] = tn_infer_word(net, node->inputs[i]);
    for (uint32_t i = 0; i < node->output_count; i++)
        to->words[to->count++] = tn_infer_word(net, node->outputs[i]);
    return tn_bytes(to->words, to->count * sizeof *to->words);
}

/* The types that an equal node gave its outputs; false: there was none. */
static bool infer_again(struct tn_infer *infer, const struct tn_net_node *node,
                        struct tn_bytes key)
{
    uint32_t id = tn_intern_find(&infer->nodes, key);

    if (id == TN_NO_NAME)
        return false;
    uint32_t first = *tn_list_at(&infer->outcomes, uint32_t, id);
    for (uint32_t i = 0; i < node->output_count; i++)
        if (node->outputs[i] != TN_NONE)
            tn_net_set_own_type(infer->net, node->outputs[i],
                                *tn_list_at(&infer->types,
                                            const struct tn_net_type *,
                                            first + i));
    return true;
}

#define OUTCOMES_MAX (UINT64_C(1) << 16)

static void note_outcome(struct tn_infer *infer, const struct tn_net_node *node,
                         struct tn_bytes key)
{
    struct tn_error *error = infer->net->error;
    uint32_t         first = (uint32_t)infer->types.count;

    if (infer->outcomes.count >= OUTCOMES_MAX || tn_failed(error))
        return;
    for (uint32_t i = 0; i < node->output_count; i++) {
        const struct tn_net_type **type =
            tn_list_push(&infer->types, const struct tn_net_type *, error);
        if (!type)
            return;
        *type = node->outputs[i] == TN_NONE
                    ? NULL
                    : tn_net_value(infer->net, node->outputs[i]).type;
    }
    uint32_t *outcome = tn_list_push(&infer->outcomes, uint32_t, error);
    if (!outcome)
        return;
    *outcome = first;
    if (tn_intern_copy(&infer->nodes, key, error) == TN_NO_NAME)
        infer->outcomes.count--;
}

void tn_infer_node(struct tn_infer *infer, uint32_t node)
{
    const struct tn_net_node n     = tn_net_node(infer->net, node);
    struct tn_eval           e     = tn_infer_eval(infer, &n, &infer->scratch);
    uint32_t                 asked = infer->asked_count;
    struct tn_bytes          key   = { NULL, 0 };
    struct node_words        words;

    if (!tn_infer_has_time(infer))
        return;
    if (tn_infer_has_words(e.node))
        key = say_node(infer->net, e.node, &words);
    if (key.size && infer_again(infer, e.node, key))
        return;
    tn_arena_rewind(&infer->scratch);
    const struct tn_code_rule *rule = tn_infer_enter(infer, &e);
    if (rule)
        infer_outputs(infer, &e, rule);
    tn_infer_count_steps(infer, &e);
    if (key.size && infer->asked_count == asked && !e.looks_far)
        note_outcome(infer, e.node, key);
}
