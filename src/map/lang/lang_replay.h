/*
 * lang_replay.h - repeats what a rule made of a node for equal nodes
 *
 * Models repeat themselves: a million nodes are often a few dozen different
 * ones.  A rule sees the op and the attributes of a node, and what is known of
 * each input and output in both nets.  If all of that is the same for two
 * nodes, the result is the same.  So the rule is applied to the first of them,
 * and its result is recorded for the others.
 *
 * If a rule used more than that (the elements of a value, or its name), nothing
 * is recorded.
 */
#ifndef TN_MAP_LANG_REPLAY_H
#define TN_MAP_LANG_REPLAY_H

#include "map/lang/lang_emit.h"

struct tn_recording;

struct tn_replay {
    struct tn_emit  *emit;
    struct tn_arena  arena; /* recordings */
    struct tn_intern keys;  /* what was seen of a node, as words              */
    struct tn_list recordings; /* struct tn_recording *, by id of the key     */
    uint64_t       words[TN_INFER_NODE_WORDS + 3 * TN_INFER_IO_MAX];
    uint32_t       word_count; /* 0: the current node cannot be recorded    */
};

void tn_replay_init(struct tn_replay *replay, struct tn_emit *emit);
void tn_replay_done(struct tn_replay *replay);

/* Repeats for emit->eval.node what was recorded for an equal node, with its
 * outputs bound and named.  Returns the rule that was applied then, or NULL if
 * there is no recording. */
const struct tn_lang_rule *tn_replay_run(struct tn_replay *replay);

/* Records what the rule has just made, unless that depends on more than the
 * current node. */
void tn_replay_note(struct tn_replay *replay, const struct tn_lang_rule *rule);

#endif
