/*
 * lang_mapper.h - rules of our language as mappers of the import IR
 *
 * A mapper has no versions, no guards and only one op.  A rule that needs none
 * of these (one op, whose inputs are inputs and whose attributes are attributes
 * or constants) and is the only one for its op is equivalent to a mapper, and
 * can be exported to programs that read Deeplearning4j's rules.
 */
#ifndef TN_MAP_LANG_MAPPER_H
#define TN_MAP_LANG_MAPPER_H

#include "ir/vocab.h"
#include "map/dl4j/dl4j_ops.h"
#include "map/lang/lang.h"
#include "map/dl4j/mapper.h"

/* Adds a mapper for every such rule of a file that leads to nd4j. */
enum tn_status tn_lang_mappers(struct tn_mappers         *mappers,
                               const struct tn_lang_file *file,
                               struct tn_vocab *source, struct tn_vocab *nd4j,
                               struct tn_error *error);

/* Adds a descriptor for every op of nd4j's vocabulary. */
enum tn_status tn_vocab_descriptors(struct tn_dl4j_ops *ops,
                                    struct tn_vocab    *nd4j,
                                    struct tn_error    *error);

#endif
