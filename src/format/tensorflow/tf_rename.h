/*
 * tf_rename.h - renames nodes in the fields of a meta graph beside its graph
 *
 * Signatures, savers, assets, collections and constants of the object graph
 * name nodes ("x", "x:0", "^x").  Where an edit renamed nodes, these follow.
 */
#ifndef TN_FORMAT_TF_RENAME_H
#define TN_FORMAT_TF_RENAME_H

#include "ir/changes.h"
#include "ir/model_tables.h"
#include "wire/pb/pb_wire.h"
#include "wire/pb/pb_write.h"

/* Appends a field of a MetaGraphDef, or of a FunctionDef, with the new names of
 * nodes of `graph`. */
void tn_tf_put_meta_field(struct tn_rope *to, struct tn_arena *arena,
                          const struct tn_changes *changes, uint32_t graph,
                          struct tn_cursor *c, const struct tn_pb_field *field);
void tn_tf_put_function_field(struct tn_rope *to, struct tn_arena *arena,
                              const struct tn_changes *changes, uint32_t graph,
                              struct tn_cursor         *c,
                              const struct tn_pb_field *field);

/* Appends the signatures that an edit set, as fields of a MetaGraphDef, and
 * says whether this field of it is one that is no longer there. */
void tn_tf_put_signatures(struct tn_rope *to, struct tn_arena *arena,
                          const struct tn_model *model);
bool tn_tf_is_old_signature(const struct tn_changes  *changes,
                            const struct tn_pb_field *field);

#endif
