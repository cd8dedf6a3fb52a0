/*
 * lang_native.h - rules whose body is a function in C
 */
#ifndef TN_MAP_LANG_NATIVE_H
#define TN_MAP_LANG_NATIVE_H

#include <tenon/native.h>

#include "map/lang/lang_emit.h"

/* The function of that name that the file was given; NULL: none. */
const struct tn_native *tn_native_find(const struct tn_lang_file *file,
                                       struct tn_bytes            name);

/* For our own functions: the node whose rule runs, its net, and the definition
 * of an op in the target's vocabulary; NULL if it has none, or on failure. */
const struct tn_net_node *tn_native_node(const struct tn_native_call *call);
const struct tn_net      *tn_native_net(const struct tn_native_call *call);
const struct tn_vocab_op *tn_native_target(struct tn_native_call *call,
                                           struct tn_bytes        type,
                                           struct tn_error       *error);

/* Calls the function of a rule that has been entered: what it binds is in the
 * frame then. */
void tn_native_enter(struct tn_emit *e, struct tn_code_set *set,
                     const struct tn_code_rule *rule);

#endif
