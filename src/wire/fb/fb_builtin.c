/* fb_builtin.c - the binary schemas that are built into the library */
#include "wire/fb/fb_builtin.h"

#include "codec/stored.h"

/* Made from schemas/ when the library is built. */
#define DECLARE(name)                                                          \
    extern const unsigned char tn_schema_##name##_text[];                      \
    extern const size_t        tn_schema_##name##_text_size

DECLARE(samediff_graph);
DECLARE(samediff_array);
DECLARE(samediff_training);
DECLARE(samediff_classic);
DECLARE(samediff_ui);
DECLARE(tflite);

#define STORED(name)                                                           \
    tn_bytes(tn_schema_##name##_text, tn_schema_##name##_text_size)

static struct tn_bytes stored_schema(enum tn_fb_builtin which)
{
    switch (which) {
    case TN_FB_SAMEDIFF_GRAPH: return STORED(samediff_graph);
    case TN_FB_SAMEDIFF_ARRAY: return STORED(samediff_array);
    case TN_FB_SAMEDIFF_TRAINING: return STORED(samediff_training);
    case TN_FB_SAMEDIFF_CLASSIC: return STORED(samediff_classic);
    case TN_FB_SAMEDIFF_UI: return STORED(samediff_ui);
    case TN_FB_TFLITE: return STORED(tflite);
    case TN_FB_BUILTIN_COUNT: break;
    }
    return tn_bytes(NULL, 0);
}

struct tn_bytes tn_fb_builtin_schema(enum tn_fb_builtin which,
                                     struct tn_arena   *arena,
                                     struct tn_error   *error)
{
    return tn_stored_read(stored_schema(which), arena, error);
}
