/* fb_builtin.c - the binary schemas that are built into the library */
#include "wire/fb/fb_builtin.h"

/* Made from schemas/ when the library is built. */
extern const unsigned char tn_schema_samediff_graph[];
extern const size_t        tn_schema_samediff_graph_size;
extern const unsigned char tn_schema_samediff_array[];
extern const size_t        tn_schema_samediff_array_size;
extern const unsigned char tn_schema_samediff_training[];
extern const size_t        tn_schema_samediff_training_size;
extern const unsigned char tn_schema_samediff_classic[];
extern const size_t        tn_schema_samediff_classic_size;
extern const unsigned char tn_schema_samediff_ui[];
extern const size_t        tn_schema_samediff_ui_size;
extern const unsigned char tn_schema_tflite[];
extern const size_t        tn_schema_tflite_size;

struct tn_bytes tn_fb_builtin_schema(enum tn_fb_builtin which)
{
    switch (which) {
    case TN_FB_SAMEDIFF_GRAPH:
        return tn_bytes(tn_schema_samediff_graph,
                        tn_schema_samediff_graph_size);
    case TN_FB_SAMEDIFF_ARRAY:
        return tn_bytes(tn_schema_samediff_array,
                        tn_schema_samediff_array_size);
    case TN_FB_SAMEDIFF_TRAINING:
        return tn_bytes(tn_schema_samediff_training,
                        tn_schema_samediff_training_size);
    case TN_FB_SAMEDIFF_CLASSIC:
        return tn_bytes(tn_schema_samediff_classic,
                        tn_schema_samediff_classic_size);
    case TN_FB_SAMEDIFF_UI:
        return tn_bytes(tn_schema_samediff_ui, tn_schema_samediff_ui_size);
    case TN_FB_TFLITE: return tn_bytes(tn_schema_tflite, tn_schema_tflite_size);
    case TN_FB_BUILTIN_COUNT: break;
    }
    return tn_bytes(NULL, 0);
}
