/* flow_guard.c - under which conditions the values of a dataflow graph live */
#include "map/flow/flow_guard.h"

/* The deepest nesting of conditions and frames: in dataflow a value passes one
 * node for each of them, so that the work grows with the square.  It also
 * limits how often a frame may turn out to be deeper than assumed. */
#define DEPTH_LIMIT 128
#define PASS_LIMIT  64

enum tn_status tn_flow_refuse(struct tn_net *net, uint32_t node,
                              const char *why)
{
    const struct tn_net_node n = tn_net_node(net, node);

    return tn_error_set(net->error, TN_UNSUPPORTED, TN_NOWHERE,
                        "%.*s (%.*s): %s", TN_FMT(n.name), TN_FMT(n.op->type),
                        why);
}

const char *const tn_flow_loop_ops[] = { "NextIteration", "next_iteration",
                                         "RefNextIteration", NULL };

enum tn_flow_kind tn_flow_kind(const struct tn_net_op *op)
{
    static const struct {
        const char       *name;
        enum tn_flow_kind kind;
    } rows[] = {
        { "Identity", TN_FLOW_IDENTITY },
        { "identity", TN_FLOW_IDENTITY },
        { "StopGradient", TN_FLOW_IDENTITY },
        { "Switch", TN_FLOW_SWITCH },
        { "switch", TN_FLOW_SWITCH },
        { "RefSwitch", TN_FLOW_SWITCH },
        { "Merge", TN_FLOW_MERGE },
        { "merge", TN_FLOW_MERGE },
        { "RefMerge", TN_FLOW_MERGE },
        { "Enter", TN_FLOW_ENTER },
        { "enter", TN_FLOW_ENTER },
        { "RefEnter", TN_FLOW_ENTER },
        { "Exit", TN_FLOW_EXIT },
        { "exit", TN_FLOW_EXIT },
        { "RefExit", TN_FLOW_EXIT },
        { "NextIteration", TN_FLOW_NEXT },
        { "next_iteration", TN_FLOW_NEXT },
        { "RefNextIteration", TN_FLOW_NEXT },
        { "LoopCond", TN_FLOW_COND },
        { "loop_cond", TN_FLOW_COND },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (tn_bytes_is(op->type, rows[i].name))
            return rows[i].kind;
    return TN_FLOW_OTHER;
}

/* The name of the frame of an Enter; empty if it has none. */
static struct tn_bytes frame_of(const struct tn_net_node *node)
{
    const struct tn_attr_value *name = tn_net_attr(node, "frame_name");

    if (!name)
        name = tn_net_attr(node, "frameName");
    if (!name || name->kind != TN_ATTR_STRING || name->count != 1)
        return tn_bytes(NULL, 0);
    return name->of.strings[0];
}

uint32_t tn_flow_condition(const struct tn_net *net, uint32_t value)
{
    for (uint64_t step = 0; step < net->nodes.count; step++) {
        uint32_t producer = tn_net_value(net, value).producer;
        if (producer == TN_NONE)
            break;
        const struct tn_net_node node = tn_net_node(net, producer);
        enum tn_flow_kind        kind = tn_flow_kind(node.op);
        if ((kind != TN_FLOW_IDENTITY && kind != TN_FLOW_COND) ||
            !node.input_count || node.inputs[0] == TN_NONE)
            break;
        value = node.inputs[0];
    }
    return value;
}

static bool comes_round(const struct tn_net *net, uint32_t value)
{
    uint32_t producer =
        value == TN_NONE ? TN_NONE : tn_net_value(net, value).producer;

    return producer != TN_NONE &&
           tn_flow_kind(tn_net_node(net, producer).op) == TN_FLOW_NEXT;
}

struct tn_flow_merge tn_flow_merge(const struct tn_net *net, uint32_t node)
{
    const struct tn_net_node n     = tn_net_node(net, node);
    struct tn_flow_merge     merge = { .enter = TN_NONE, .next = TN_NONE };

    for (uint32_t i = 0; i < n.input_count; i++)
        if (comes_round(net, n.inputs[i]))
            merge.next = n.inputs[i];
        else
            merge.enter = n.inputs[i];
    merge.is_loop = merge.next != TN_NONE && merge.enter != TN_NONE;
    return merge;
}

/* ---- the tree ----------------------------------------------------------- */

void tn_guards_init(struct tn_guards *guards, struct tn_net *net)
{
    struct tn_memory *memory = net->arena->memory;

    guards->net = net;
    tn_list_init(&guards->rows, memory, sizeof(struct tn_guard));
    tn_pairs_init(&guards->index, memory);
    tn_intern_init(&guards->frames, net->arena);
    tn_list_init(&guards->frame_parents, memory, sizeof(uint32_t));
    tn_list_init(&guards->of_value, memory, sizeof(uint32_t));
    tn_list_init(&guards->of_node, memory, sizeof(uint32_t));
    struct tn_guard *root =
        tn_list_push(&guards->rows, struct tn_guard, net->error);
    if (root)
        root->parent = TN_NONE;
}

void tn_guards_done(struct tn_guards *guards)
{
    tn_list_done(&guards->rows);
    tn_pairs_done(&guards->index);
    tn_intern_done(&guards->frames);
    tn_list_done(&guards->frame_parents);
    tn_list_done(&guards->of_value);
    tn_list_done(&guards->of_node);
}

static uint32_t step_down(struct tn_guards *guards, uint32_t parent,
                          bool is_frame, uint32_t what, uint32_t side)
{
    struct tn_error *error = guards->net->error;
    uint32_t         key   = what * 2 + side;
    uint32_t         depth = tn_guard_at(guards, parent)->depth + 1;

    if (is_frame) /* frames count down from the top, conditions up */
        key = UINT32_MAX - 1 - what;
    uint32_t found = tn_pairs_find(&guards->index, parent, key);
    if (found != TN_NONE)
        return found;
    if (depth > DEPTH_LIMIT) {
        tn_error_set(error, TN_LIMIT, TN_NOWHERE,
                     "conditions and loops nest deeper than %d", DEPTH_LIMIT);
        return parent;
    }
    uint32_t         id  = (uint32_t)guards->rows.count;
    struct tn_guard *row = tn_list_push(&guards->rows, struct tn_guard, error);
    if (!row)
        return parent;
    *row = (struct tn_guard){ parent, depth, is_frame, what, side };
    tn_pairs_add(&guards->index, parent, key, id, error);
    return id;
}

uint32_t tn_guard_child(struct tn_guards *guards, uint32_t parent,
                        uint32_t condition, uint32_t side)
{
    return step_down(guards, parent, false, condition, side);
}

static uint32_t climb(const struct tn_guards *guards, uint32_t guard,
                      uint32_t depth)
{
    while (tn_guard_at(guards, guard)->depth > depth)
        guard = tn_guard_at(guards, guard)->parent;
    return guard;
}

/* What two guards have in common. */
static uint32_t common_guard(const struct tn_guards *guards, uint32_t a,
                             uint32_t b)
{
    a = climb(guards, a, tn_guard_at(guards, b)->depth);
    b = climb(guards, b, tn_guard_at(guards, a)->depth);
    while (a != b) {
        a = tn_guard_at(guards, a)->parent;
        b = tn_guard_at(guards, b)->parent;
    }
    return a;
}

/* The step below `above` on the way to `guard`; TN_NONE: not below it. */
static uint32_t guard_below(const struct tn_guards *guards, uint32_t guard,
                            uint32_t above)
{
    uint32_t depth = tn_guard_at(guards, above)->depth;

    if (tn_guard_at(guards, guard)->depth <= depth)
        return TN_NONE;
    guard = climb(guards, guard, depth + 1);
    return tn_guard_at(guards, guard)->parent == above ? guard : TN_NONE;
}

/* One of the two guards, `deep`, is inside of a branch, and the other is
 * outside of it. */
static bool decide_by_one(const struct tn_guards *guards, uint32_t deep,
                          uint32_t which, struct tn_flow_decision *decision)
{
    const struct tn_guard *row = tn_guard_at(guards, deep);

    if (!deep || row->is_frame)
        return false;
    decision->above         = row->parent;
    decision->condition     = row->what;
    decision->sides[which]  = row->side;
    decision->sides[!which] = !row->side;
    return true;
}

static bool is_same_step(const struct tn_guard *a, const struct tn_guard *b)
{
    return a->is_frame == b->is_frame && a->what == b->what &&
           a->side == b->side;
}

bool tn_guard_holds(const struct tn_guards *guards, uint32_t under,
                    uint32_t guard)
{
    for (; guard; guard = tn_guard_at(guards, guard)->parent) {
        while (under && !is_same_step(tn_guard_at(guards, under),
                                      tn_guard_at(guards, guard)))
            under = tn_guard_at(guards, under)->parent;
        if (!under)
            return false;
        under = tn_guard_at(guards, under)->parent;
    }
    return true;
}

/* Both inputs come from the last decision on their paths, but one path has more
 * decisions before it: a value that is the same in every round of a loop does
 * not wait for the loop's condition. */
static bool decide_by_last(const struct tn_guards *guards, uint32_t a,
                           uint32_t b, struct tn_flow_decision *decision)
{
    const struct tn_guard *x = tn_guard_at(guards, a),
                          *y = tn_guard_at(guards, b);
    bool is_first_deeper     = x->depth > y->depth;

    if (x->is_frame || y->is_frame || x->what != y->what || x->side == y->side)
        return false;
    decision->above     = is_first_deeper ? x->parent : y->parent;
    decision->condition = x->what;
    decision->sides[0]  = x->side;
    decision->sides[1]  = y->side;
    return tn_guard_holds(guards, decision->above,
                          is_first_deeper ? y->parent : x->parent);
}

bool tn_flow_decision(const struct tn_guards *guards, const uint32_t *inputs,
                      struct tn_flow_decision *decision)
{
    uint32_t a      = tn_guard_of(guards, inputs[0]);
    uint32_t b      = tn_guard_of(guards, inputs[1]);
    uint32_t common = common_guard(guards, a, b);

    if (a == b)
        return false;
    if (a == common)
        return decide_by_one(guards, b, 1, decision);
    if (b == common)
        return decide_by_one(guards, a, 0, decision);
    const struct tn_guard *x =
        tn_guard_at(guards, guard_below(guards, a, common));
    const struct tn_guard *y =
        tn_guard_at(guards, guard_below(guards, b, common));
    if (x->is_frame || y->is_frame || x->what != y->what || x->side == y->side)
        return decide_by_last(guards, a, b, decision);
    *decision =
        (struct tn_flow_decision){ common, x->what, { x->side, y->side } };
    return true;
}

static uint32_t deeper(const struct tn_guards *guards, uint32_t a, uint32_t b)
{
    return tn_guard_at(guards, b)->depth > tn_guard_at(guards, a)->depth ? b
                                                                         : a;
}

/* ---- one node ----------------------------------------------------------- */

struct finding {
    struct tn_guards *guards;
    bool              with_controls;
    bool              has_changed; /* a frame is deeper than assumed */
};

static uint32_t guard_of_inputs(const struct finding     *f,
                                const struct tn_net_node *node)
{
    uint32_t guard = 0;

    for (uint32_t i = 0; i < node->input_count; i++)
        if (node->inputs[i] != TN_NONE)
            guard = deeper(f->guards, guard,
                           tn_guard_of(f->guards, node->inputs[i]));
    for (uint32_t i = 0; f->with_controls && i < node->control_count; i++)
        guard = deeper(
            f->guards, guard,
            *tn_list_at(&f->guards->of_node, uint32_t, node->controls[i]));
    return guard;
}

static uint32_t frame_number(struct tn_guards         *guards,
                             const struct tn_net_node *node)
{
    uint32_t id =
        tn_intern_copy(&guards->frames, frame_of(node), guards->net->error);

    while (id != TN_NO_NAME && guards->frame_parents.count <= id &&
           tn_list_push(&guards->frame_parents, uint32_t, guards->net->error))
        ;
    return id;
}

/* A frame is as deep as the deepest of its Enters. */
static uint32_t guard_of_enter(struct finding           *f,
                               const struct tn_net_node *node, uint32_t guard)
{
    uint32_t frame = frame_number(f->guards, node);

    if (frame >= f->guards->frame_parents.count)
        return guard;
    uint32_t *parent = tn_list_at(&f->guards->frame_parents, uint32_t, frame);
    if (deeper(f->guards, *parent, guard) != *parent) {
        *parent        = guard;
        f->has_changed = true;
    }
    return step_down(f->guards, *parent, true, frame, 0);
}

static uint32_t guard_outside(const struct tn_guards *guards, uint32_t guard)
{
    while (guard && !tn_guard_at(guards, guard)->is_frame)
        guard = tn_guard_at(guards, guard)->parent;
    return guard ? tn_guard_at(guards, guard)->parent : 0;
}

static uint32_t guard_of_merge(struct finding *f, uint32_t id,
                               const struct tn_net_node *node)
{
    struct tn_flow_merge    merge = tn_flow_merge(f->guards->net, id);
    struct tn_flow_decision decision;
    uint32_t                guard = TN_NONE;

    if (merge.is_loop)
        return tn_guard_of(f->guards, merge.enter);
    if (node->input_count == 2 && node->inputs[0] != TN_NONE &&
        node->inputs[1] != TN_NONE &&
        tn_flow_decision(f->guards, node->inputs, &decision))
        return decision.above;
    for (uint32_t i = 0; i < node->input_count; i++) {
        uint32_t of = node->inputs[i] == TN_NONE
                          ? 0
                          : tn_guard_of(f->guards, node->inputs[i]);
        guard = guard == TN_NONE ? of : common_guard(f->guards, guard, of);
    }
    return guard == TN_NONE ? 0 : guard;
}

/* If the condition is known already, there is nothing to decide. */
static uint32_t guard_behind(struct tn_guards *guards, uint32_t guard,
                             uint32_t condition, uint32_t side)
{
    for (uint32_t at = guard; at; at = tn_guard_at(guards, at)->parent) {
        const struct tn_guard *row = tn_guard_at(guards, at);
        if (!row->is_frame && row->what == condition && row->side == side)
            return guard;
    }
    return step_down(guards, guard, false, condition, side);
}

static void set_outputs(struct finding *f, const struct tn_net_node *node,
                        uint32_t guard)
{
    struct tn_guards *guards    = f->guards;
    bool              is_switch = tn_flow_kind(node->op) == TN_FLOW_SWITCH;

    for (uint32_t i = 0; i < node->output_count; i++) {
        uint32_t of = guard;
        if (node->outputs[i] == TN_NONE)
            continue;
        if (is_switch && node->input_count > 1 && node->inputs[1] != TN_NONE)
            of = guard_behind(guards, guard,
                              tn_flow_condition(guards->net, node->inputs[1]),
                              i ? 1 : 0);
        *tn_list_at(&guards->of_value, uint32_t, node->outputs[i]) = of;
    }
}

static void find_guard(struct finding *f, uint32_t id)
{
    const struct tn_net_node node  = tn_net_node(f->guards->net, id);
    uint32_t                 guard = 0;

    switch (tn_flow_kind(node.op)) {
    case TN_FLOW_MERGE: guard = guard_of_merge(f, id, &node); break;
    case TN_FLOW_ENTER:
        guard = guard_of_enter(f, &node, guard_of_inputs(f, &node));
        break;
    case TN_FLOW_EXIT:
        guard = guard_outside(f->guards, guard_of_inputs(f, &node));
        break;
    default: guard = guard_of_inputs(f, &node); break;
    }
    *tn_list_at(&f->guards->of_node, uint32_t, id) = guard;
    set_outputs(f, &node, guard);
}

/* ---- all of them -------------------------------------------------------- */

static void clear(struct tn_list *list, uint64_t count, struct tn_error *error)
{
    list->count = 0;
    if (count)
        tn_list_grow(list, count, error);
}

enum tn_status tn_guards_find(struct tn_guards *guards, bool with_controls)
{
    struct tn_net *net = guards->net;
    struct finding f   = { .guards        = guards,
                           .with_controls = with_controls,
                           .has_changed   = true };

    for (int pass = 0; f.has_changed; pass++) {
        if (pass == PASS_LIMIT)
            return tn_error_set(net->error, TN_LIMIT, TN_NOWHERE,
                                "loops nest deeper than %d", PASS_LIMIT);
        f.has_changed = false;
        clear(&guards->of_value, net->values.count, net->error);
        clear(&guards->of_node, net->nodes.count, net->error);
        const struct tn_list *nodes = &tn_net_graph(net, 0)->nodes;
        for (uint64_t i = 0; i < nodes->count && !tn_failed(net->error); i++) {
            uint32_t id = *tn_list_at(nodes, uint32_t, i);
            if (!tn_net_node(net, id).is_removed)
                find_guard(&f, id);
        }
        if (tn_failed(net->error))
            return net->error->status;
    }
    return TN_OK;
}
