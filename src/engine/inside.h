/*
 * inside.h - finds the model for a path that is not itself a model
 *
 * Users name a checkpoint by its prefix, a folder with one model in it, a
 * folder of numbered versions.  If only one model can be meant, it is opened;
 * if there are several, they are listed.
 */
#ifndef TN_ENGINE_INSIDE_H
#define TN_ENGINE_INSIDE_H

#include "engine/opened.h"

/* Opens the path, or PATH.index if only that file exists.  A folder that is not
 * a model and has exactly one model in it stands for that one.  On failure
 * *bundle is closed already. */
enum tn_status tn_inside_open(struct tn_bundle *bundle,
                              struct tn_memory *memory, const char *path,
                              const struct tn_bundle_options *how,
                              const char *from, struct tn_error *error);

/* NOT_FOUND, with a list of what is in a folder that is not a model. */
enum tn_status tn_inside_refuse(struct tn_bundle *folder,
                                struct tn_error  *error);

#endif
