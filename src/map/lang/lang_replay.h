/*
 * lang_replay.h - what a rule made of a node, made again of an equal one
 *
 * Models repeat themselves: a million nodes are a few dozen, again and again.
 * What a rule can see of a node is its op, its attributes, and of each input
 * and output what is known of it in both nets.  Nodes for which all of that is
 * the same become the same; so the first is mapped by the rule, and what the
 * rule made is written down as a recording for the others.
 *
 * A rule that looked further (at the elements of a value, or at its name) saw
 * something else, and no recording is made.
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
    uint64_t         words[TN_INFER_NODE_WORDS + 3 * TN_INFER_IO_MAX];
    uint32_t         word_count; /* 0: the node at hand is like no other      */
};

void tn_replay_init(struct tn_replay *replay, struct tn_emit *emit);
void tn_replay_done(struct tn_replay *replay);

/* Makes of emit->eval.node what was made of an equal one, its outputs bound and
 * named.  The rule that it was made by, or NULL: there is no recording. */
const struct tn_lang_rule *tn_replay_run(struct tn_replay *replay);

/* Writes down what the rule has just made, unless that depends on more than the
 * node at hand. */
void tn_replay_note(struct tn_replay *replay, const struct tn_lang_rule *rule);

#endif
