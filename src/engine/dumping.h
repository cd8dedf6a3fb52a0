/* dumping.h - a message as text or JSON: for dump and convert */
#ifndef TN_ENGINE_DUMPING_H
#define TN_ENGINE_DUMPING_H

#include "engine/opened.h"

/* The root message of an opened model. */
enum tn_status tn_dump_model(const struct tn_model   *model,
                             enum tn_dump_form        form,
                             const struct tn_target  *target,
                             const struct tn_options *options,
                             uint64_t *written, struct tn_error *error);

#endif
