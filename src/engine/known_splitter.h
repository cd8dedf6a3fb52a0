/*
 * known_splitter.h - takes out what is too large, by the type of the message
 */
#ifndef TN_ENGINE_KNOWN_SPLITTER_H
#define TN_ENGINE_KNOWN_SPLITTER_H

#include <tenon/chunk.h>

/* By the type of the splitter's message: a GraphDef or SavedModel by the rules
 * of TensorFlow, a ModelProto by weights and size, any other by size. */
enum tn_status tn_split_known(struct tn_splitter         *splitter,
                              const struct tn_split_rule *rule,
                              struct tn_error            *error);

#endif
