/* dl4j_write.h - op descriptors and rules as messages of the import IR */
#ifndef TN_MAP_DL4J_WRITE_H
#define TN_MAP_DL4J_WRITE_H

#include "base/buffer.h"
#include "map/dl4j/dl4j_ops.h"
#include "map/dl4j/mapper.h"

/* Appends an org.nd4j.ir.OpDescriptorList or MappingDefinitionSet. */
enum tn_status tn_dl4j_ops_write(const struct tn_dl4j_ops *ops,
                                 struct tn_arena *arena, struct tn_buffer *to,
                                 struct tn_error *error);

/* Appends an OpDescriptor of an op with its arguments; with `is_list` an
 * OpDescriptorList of it and those that follow it. */
enum tn_status tn_dl4j_call_write(const struct tn_op_descriptor *op,
                                  bool is_list, struct tn_arena *arena,
                                  struct tn_buffer *to, struct tn_error *error);
enum tn_status tn_dl4j_rules_write(const struct tn_mappers *mappers,
                                   struct tn_arena *arena, struct tn_buffer *to,
                                   struct tn_error *error);

#endif
