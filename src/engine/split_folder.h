/* split_folder.h - a SavedModel folder, with its message as chunks */
#ifndef TN_ENGINE_SPLIT_FOLDER_H
#define TN_ENGINE_SPLIT_FOLDER_H

#include "chunk/splitter.h"
#include "engine/opened.h"

/* The message of the folder, as bytes. */
enum tn_status tn_split_folder_source(struct tn_opened  *opened,
                                      struct tn_source **source,
                                      struct tn_error   *error);

/* Writes a folder of that name: saved_model.cpb, or saved_model.pb if nothing
 * was split, and everything else unchanged.  The fingerprint is recomputed
 * unless the message is unchanged; *drops_fingerprint if that was not
 * possible. */
enum tn_status tn_split_folder_write(struct tn_splitter     *splitter,
                                     struct tn_opened       *opened,
                                     const struct tn_target *target,
                                     const char             *records,
                                     bool                   *drops_fingerprint,
                                     struct tn_error        *error);

#endif
