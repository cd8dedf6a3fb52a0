/*
 * foreign.h - recognizes models in formats that Tenon does not read
 *
 * Many of them are protobuf, FlatBuffers or zip, so that one of our readers
 * would accept the beginning and then call them damaged.
 */
#ifndef TN_ENGINE_FOREIGN_H
#define TN_ENGINE_FOREIGN_H

#include "format/format.h"

/* What it is and which program opens it: "a TensorFlow Lite model; ...".  NULL
 * if it is none that we know.  *bits as for tn_format.probe(). */
const char *tn_foreign_model(const struct tn_probe *probe, int *bits);

#endif
