/*
 * unmapped.h - values of a node that its mapper ignores
 *
 * A mapper that drops an attribute gives the same op whatever the attribute's
 * value is.  So every value that is not the framework's default is changed, one
 * by one and lists element by element, and the mapper runs again: if the op
 * stays the same, the mapper ignores that value.  This also finds attributes
 * that a rule reads without effect, such as a word that it compares with
 * another.  An input is used if it is an input of the op, or if a rule asked
 * for its value.
 */
#ifndef TN_MAP_UNMAPPED_H
#define TN_MAP_UNMAPPED_H

#include "map/dl4j/run_mapper.h"

/* `name` is the attribute or the formal input; `what` says which value of it is
 * ignored: "attribute 'group' = 2". */
typedef void tn_on_unmapped(void *context, struct tn_bytes name,
                            const char *what);

/* `made` is what tn_map_run() gave for the job.  The job's inputs have names
 * that differ. */
enum tn_status tn_map_unmapped(const struct tn_map_job       *job,
                               const struct tn_op_descriptor *made,
                               tn_on_unmapped *on, void *context,
                               struct tn_memory *memory,
                               struct tn_error  *error);

#endif
