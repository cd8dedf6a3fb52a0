/* pb_builtin.c - the descriptor sets that the library carries */
#include "wire/pb/pb_builtin.h"

/* Made from schemas/ when the library is built. */
extern const unsigned char tn_schema_import_ir[];
extern const size_t        tn_schema_import_ir_size;
extern const unsigned char tn_schema_onnx[];
extern const size_t        tn_schema_onnx_size;
extern const unsigned char tn_schema_paddle[];
extern const size_t        tn_schema_paddle_size;
extern const unsigned char tn_schema_tensorflow[];
extern const size_t        tn_schema_tensorflow_size;
extern const unsigned char tn_schema_proto_splitter[];
extern const size_t        tn_schema_proto_splitter_size;

struct tn_bytes tn_pb_builtin_set(enum tn_pb_builtin which)
{
    switch (which) {
    case TN_PB_ONNX: return tn_bytes(tn_schema_onnx, tn_schema_onnx_size);
    case TN_PB_IMPORT_IR:
        return tn_bytes(tn_schema_import_ir, tn_schema_import_ir_size);
    case TN_PB_PADDLE: return tn_bytes(tn_schema_paddle, tn_schema_paddle_size);
    case TN_PB_TENSORFLOW:
        return tn_bytes(tn_schema_tensorflow, tn_schema_tensorflow_size);
    case TN_PB_PROTO_SPLITTER:
        return tn_bytes(tn_schema_proto_splitter,
                        tn_schema_proto_splitter_size);
    }
    return tn_bytes(NULL, 0);
}
