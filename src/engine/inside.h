/*
 * inside.h - what a path leads to when it is not a model itself
 *
 * People name a checkpoint by its prefix, a folder with one model in it, a
 * folder of numbered versions.  Where only one model can be meant, that one is
 * opened; where there are several, they are listed.
 */
#ifndef TN_ENGINE_INSIDE_H
#define TN_ENGINE_INSIDE_H

#include "engine/opened.h"

/* Opens the path, or PATH.index when there is no such file and that is there.
 * A folder that is no model and has exactly one model in it becomes that one.
 * On failure *bundle is closed already. */
enum tn_status tn_inside_open(struct tn_bundle *bundle,
                              struct tn_memory *memory, const char *path,
                              const struct tn_bundle_options *how,
                              const char *from, struct tn_error *error);

/* NOT_FOUND: of a folder that is no model, what is in it. */
enum tn_status tn_inside_refuse(struct tn_bundle *folder,
                                struct tn_error  *error);

#endif
