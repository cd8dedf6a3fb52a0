/* fb_builtin.h - the binary schemas that are built into the library */
#ifndef TN_WIRE_FB_BUILTIN_H
#define TN_WIRE_FB_BUILTIN_H

#include "base/byte_view.h"
#include "base/memory.h"

enum tn_fb_builtin {
    TN_FB_SAMEDIFF_GRAPH,    /* sd.tagged.Graph, SDGR                         */
    TN_FB_SAMEDIFF_ARRAY,    /* sd.graph.FlatArray, SDAR                      */
    TN_FB_SAMEDIFF_TRAINING, /* sd.tagged.TrainingConfig, SDTC                */
    TN_FB_SAMEDIFF_CLASSIC,  /* sd.graph.FlatGraph, and FlatGraphM2           */
    TN_FB_SAMEDIFF_UI,       /* sd.graph.UIEvent and others                   */
    TN_FB_TFLITE,            /* tflite.Model, TFL3                            */
    TN_FB_BUILTIN_COUNT
};

/* For tn_fb_schema_load(), unpacked in the arena. */
struct tn_bytes tn_fb_builtin_schema(enum tn_fb_builtin which,
                                     struct tn_arena   *arena,
                                     struct tn_error   *error);

#endif
