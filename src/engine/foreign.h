/*
 * foreign.h - models in formats that are not read here, by what they are
 *
 * Many of them are protobuf, FlatBuffers or zip, so that a reader of ours would
 * begin, and call them damaged.
 */
#ifndef TN_ENGINE_FOREIGN_H
#define TN_ENGINE_FOREIGN_H

#include "format/format.h"

/* What it is and what opens it: "a TensorFlow Lite model; ...".  NULL: none
 * that is known.  *bits as of tn_format.probe(). */
const char *tn_foreign_model(const struct tn_probe *probe, int *bits);

#endif
