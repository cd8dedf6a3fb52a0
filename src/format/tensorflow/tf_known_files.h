/*
 * tf_known_files.h - files of a SavedModel whose names are known
 *
 * A folder tells which files it has.  A web server often does not: then a
 * SavedModel has the files that the model names (shards of its variables,
 * assets), and those that have one name in every SavedModel.
 */
#ifndef TN_FORMAT_TENSORFLOW_TF_KNOWN_FILES_H
#define TN_FORMAT_TENSORFLOW_TF_KNOWN_FILES_H

#include "io/bundle.h"
#include "ir/model_tables.h"

/* Called for each that is there, once.  The name is relative to the folder, and
 * in the arena. */
typedef enum tn_status tn_tf_on_file(void *context, const char *name,
                                     struct tn_error *error);

enum tn_status tn_tf_known_files(const struct tn_model *model,
                                 struct tn_bundle      *bundle,
                                 struct tn_arena *arena, tn_tf_on_file *on,
                                 void *context, struct tn_error *error);

#endif
