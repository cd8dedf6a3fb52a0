/*
 * lang_replay.c - repeats what a rule made of a node for equal nodes
 *
 * In a recording a value is a number: of the values that the rule made, in
 * their order, or, with OF_INPUT set, of the inputs of the node.
 */
#include "map/lang/lang_replay.h"
#include "map/net/net_build.h"

#define OF_INPUT (UINT32_C(1) << 31)

/* Ids of a recording, recordings. */
enum { IDS_MAX = 256, PLANS_MAX = 1 << 16 };

struct value_record {
    uint32_t input; /* that is passed on; TN_NONE: it is made                 */
    uint32_t named; /* after which output; TN_NONE: it is inside              */
    struct tn_net_value_row row; /* of a value that is made                   */
};

struct tn_recording {
    const struct tn_lang_rule *rule;
    struct value_record       *values;
    struct tn_net_node_row    *nodes;   /* edges as above                     */
    uint32_t                  *outputs; /* of the node; TN_NONE: not bound    */
    uint32_t                   value_count, node_count;
};

void tn_replay_init(struct tn_replay *replay, struct tn_emit *emit)
{
    *replay                  = (struct tn_replay){ .emit = emit };
    struct tn_memory *memory = emit->to->arena->memory;
    tn_arena_init(&replay->arena, memory);
    tn_intern_init(&replay->keys, &replay->arena);
    tn_list_init(&replay->recordings, memory, sizeof(struct tn_recording *));
}

void tn_replay_done(struct tn_replay *replay)
{
    tn_list_done(&replay->recordings);
    tn_intern_done(&replay->keys);
    tn_arena_done(&replay->arena);
}

/* ---- what a rule can see ------------------------------------------------ */

static void say(struct tn_replay *replay, uint64_t word)
{
    replay->words[replay->word_count++] = word;
}

/* False if a loop has used it before the node was reached. */
static bool say_output(struct tn_replay *replay, uint32_t value)
{
    const struct tn_emit *e = replay->emit;

    if (value == TN_NONE) {
        say(replay, 0);
        return true;
    }
    say(replay, (uintptr_t)tn_net_value(e->eval.net, value).type |
                    (e->eval.uses[value] ? 2 : 1));
    return *tn_list_at(&e->ids, uint32_t, value) == TN_NONE;
}

/* False if no other node can equal this one. */
static bool say_node(struct tn_replay *replay)
{
    const struct tn_net_node *node = replay->emit->eval.node;

    replay->word_count = 0;
    if (!tn_infer_has_words(node) || node->control_count)
        return false;
    replay->word_count = tn_infer_node_words(node, replay->words);
    for (uint32_t i = 0; i < node->input_count; i++) {
        /* In both nets. */
        uint32_t              value = node->inputs[i];
        const struct tn_emit *e     = replay->emit;
        say(replay, tn_infer_word(e->eval.net, value));
        uint32_t id =
            value == TN_NONE ? TN_NONE : *tn_list_at(&e->ids, uint32_t, value);
        say(replay, tn_infer_word(e->to, id));
    }
    for (uint32_t i = 0; i < node->output_count; i++)
        if (!say_output(replay, node->outputs[i]))
            return false;
    return true;
}

static struct tn_bytes key_of(const struct tn_replay *replay)
{
    return tn_bytes(replay->words, replay->word_count * sizeof(uint64_t));
}

/* ---- making it again ---------------------------------------------------- */

static uint32_t id_of(const struct tn_emit *e, uint32_t number)
{
    if (number == TN_NONE)
        return TN_NONE;
    if (number & OF_INPUT)
        return *tn_list_at(&e->ids, uint32_t,
                           e->eval.node->inputs[number & ~OF_INPUT]);
    return e->first_value + number;
}

static bool make_value(struct tn_emit *e, const struct value_record *recording)
{
    const struct tn_net_node *node = e->eval.node;

    if (recording->input != TN_NONE)
        return tn_emit_unchanged(e, node->inputs[recording->input]) != TN_NONE;
    uint32_t id = tn_emit_value(e);
    if (id == TN_NONE)
        return false;
    struct tn_net_value_row *row = tn_net_value_row(e->to, id);
    *row                         = recording->row;
    row->graph                   = e->graph;
    if (recording->named != TN_NONE)
        row->name =
            tn_net_value_row(e->eval.net, node->outputs[recording->named])
                ->name;
    else
        tn_emit_name_inner(e, row);
    return true;
}

static bool make_node(struct tn_emit               *e,
                      const struct tn_net_node_row *recording)
{
    uint32_t               ids[IDS_MAX];
    struct tn_net_node_row row  = *recording;
    struct tn_net_node     node = { .inputs      = ids,
                                    .input_count = recording->input_count,
                                    .outputs     = ids + recording->input_count,
                                    .output_count = recording->output_count };

    for (uint32_t i = 0; i < recording->input_count + recording->output_count;
         i++)
        ids[i] = id_of(e, recording->edges[i]);
    row.graph  = e->graph;
    row.source = e->eval.node->source;
    return tn_net_add_row(e->to, &row, &node) != TN_NONE;
}

static void make_all(struct tn_emit *e, const struct tn_recording *recording)
{
    const struct tn_net_node *node = e->eval.node;

    for (uint32_t i = 0; i < recording->value_count; i++)
        if (!make_value(e, &recording->values[i]))
            return;
    for (uint32_t i = 0; i < recording->node_count; i++)
        if (!make_node(e, &recording->nodes[i]))
            return;
    for (uint32_t i = 0; i < node->output_count; i++)
        if (recording->outputs[i] != TN_NONE)
            *tn_list_at(&e->ids, uint32_t, node->outputs[i]) =
                id_of(e, recording->outputs[i]);
}

const struct tn_lang_rule *tn_replay_run(struct tn_replay *replay)
{
    if (!say_node(replay)) {
        replay->word_count = 0;
        return NULL;
    }
    uint32_t id = tn_intern_find(&replay->keys, key_of(replay));
    if (id == TN_NO_NAME)
        return NULL;
    const struct tn_recording *recording =
        *tn_list_at(&replay->recordings, struct tn_recording *, id);
    make_all(replay->emit, recording);
    return recording->rule;
}

/* ---- writing it down ---------------------------------------------------- */

/* Which input of the node has become that value; TN_NONE: none has. */
static uint32_t input_of(const struct tn_emit *e, uint32_t id)
{
    const struct tn_net_node *node = e->eval.node;

    for (uint32_t i = 0; i < node->input_count; i++)
        if (node->inputs[i] != TN_NONE &&
            *tn_list_at(&e->ids, uint32_t, node->inputs[i]) == id)
            return i;
    return TN_NONE;
}

/* Whether a value was copied from the source while the rule ran. */
static bool is_carried(const struct tn_emit *e, uint32_t id)
{
    for (uint64_t i = 0; i < e->carried.count; i++)
        if (*tn_list_at(&e->ids, uint32_t,
                        *tn_list_at(&e->carried, uint32_t, i)) == id)
            return true;
    return false;
}

/* The number of a value in the recording; false if it has none. */
static bool number_of(const struct tn_emit *e, uint32_t id, uint32_t *number)
{
    *number = id;
    if (id == TN_NONE)
        return true;
    *number = id - e->first_value;
    if (id >= e->first_value)
        return true;
    uint32_t input = input_of(e, id);
    *number        = input | OF_INPUT;
    return input != TN_NONE;
}

static bool note_value(const struct tn_emit *e, uint32_t id,
                       struct value_record *recording)
{
    const struct tn_net_node *node = e->eval.node;

    recording->input = recording->named = TN_NONE;
    recording->row                      = *tn_net_value_row(e->to, id);
    recording->row.output               = 0;
    if (!recording->row.is_constant)
        recording->row.maker = TN_NONE;
    if (is_carried(e, id)) {
        recording->input = input_of(e, id);
        return recording->input != TN_NONE;
    }
    for (uint32_t i = node->output_count; i-- > 0;)
        if (!recording->row.is_inner && node->outputs[i] != TN_NONE &&
            *tn_list_at(&e->ids, uint32_t, node->outputs[i]) == id)
            recording->named = i;
    return recording->row.graph == e->graph &&
           (recording->row.is_inner || recording->named != TN_NONE);
}

static bool note_node(struct tn_replay *replay, uint32_t id,
                      struct tn_net_node_row *recording)
{
    *recording     = *tn_net_node_row(replay->emit->to, id);
    uint64_t count = (uint64_t)recording->input_count + recording->output_count;

    if (count > IDS_MAX || recording->control_count)
        return false;
    const uint32_t *ids = recording->edges;
    recording->edges =
        tn_new(&replay->arena, uint32_t, count, replay->emit->to->error);
    for (uint64_t i = 0; recording->edges && i < count; i++)
        if (!number_of(replay->emit, ids[i], &recording->edges[i]))
            return false;
    return recording->edges != NULL;
}

static bool note_outputs(struct tn_replay    *replay,
                         struct tn_recording *recording)
{
    const struct tn_emit     *e    = replay->emit;
    const struct tn_net_node *node = e->eval.node;

    for (uint32_t i = 0; i < node->output_count; i++) {
        uint32_t id = node->outputs[i] == TN_NONE
                          ? TN_NONE
                          : *tn_list_at(&e->ids, uint32_t, node->outputs[i]);
        if (!number_of(e, id, &recording->outputs[i]))
            return false;
    }
    return true;
}

/* A recording can be repeated only if, apart from types, the rule asked only
 * for elements of its own constants and of values that follow from them. */
static bool has_looked_far(const struct tn_emit *e)
{
    const uint32_t *asked;

    if (e->eval.looks_far || tn_infer_asked(e->eval.facts, &asked))
        return true;
    uint32_t count = tn_infer_asked(e->eval.made_facts, &asked);
    if (count > TN_INFER_ASKED_MAX)
        return true;
    for (uint32_t i = 0; i < count; i++)
        if (asked[i] < e->first_value || is_carried(e, asked[i]))
            return true;
    return false;
}

static struct tn_recording *new_plan(struct tn_replay          *replay,
                                     const struct tn_lang_rule *rule)
{
    const struct tn_emit *e     = replay->emit;
    struct tn_error      *error = e->to->error;
    struct tn_recording  *recording =
        tn_new(&replay->arena, struct tn_recording, 1, error);

    if (!recording)
        return NULL;
    recording->rule        = rule;
    recording->value_count = (uint32_t)e->to->values.count - e->first_value;
    recording->node_count  = (uint32_t)e->to->nodes.count - e->first_node;
    recording->values      = tn_new(&replay->arena, struct value_record,
                                    recording->value_count, error);
    recording->nodes       = tn_new(&replay->arena, struct tn_net_node_row,
                                    recording->node_count, error);
    recording->outputs =
        tn_new(&replay->arena, uint32_t, e->eval.node->output_count, error);
    return tn_failed(error) ? NULL : recording;
}

static bool note_all(struct tn_replay *replay, struct tn_recording *recording)
{
    const struct tn_emit *e = replay->emit;

    for (uint32_t i = 0; i < recording->value_count; i++)
        if (!note_value(e, e->first_value + i, &recording->values[i]))
            return false;
    for (uint32_t i = 0; i < recording->node_count; i++)
        if (!note_node(replay, e->first_node + i, &recording->nodes[i]))
            return false;
    return note_outputs(replay, recording);
}

void tn_replay_note(struct tn_replay *replay, const struct tn_lang_rule *rule)
{
    struct tn_emit *e = replay->emit;

    if (!replay->word_count || replay->recordings.count >= PLANS_MAX ||
        e->to->values.count - e->first_value > IDS_MAX ||
        e->to->nodes.count - e->first_node > IDS_MAX || has_looked_far(e))
        return;
    struct tn_recording  *recording = new_plan(replay, rule);
    struct tn_recording **slot;
    if (!recording || !note_all(replay, recording))
        return;
    slot =
        tn_list_push(&replay->recordings, struct tn_recording *, e->to->error);
    if (!slot)
        return;
    *slot = recording;
    if (tn_intern_copy(&replay->keys, key_of(replay), e->to->error) ==
        TN_NO_NAME)
        replay->recordings.count--;
}
