/* pb_builtin.h - the descriptor sets that are built into the library */
#ifndef TN_WIRE_PB_BUILTIN_H
#define TN_WIRE_PB_BUILTIN_H

#include "base/byte_view.h"

enum tn_pb_builtin {
    TN_PB_ONNX,
    TN_PB_TENSORFLOW,
    TN_PB_PROTO_SPLITTER,
    TN_PB_PADDLE,
    TN_PB_IMPORT_IR
};

/* A FileDescriptorSet for tn_pb_schema_load(); lives as long as the program. */
struct tn_bytes tn_pb_builtin_set(enum tn_pb_builtin which);

#endif
