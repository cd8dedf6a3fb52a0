/*
 * tfl_format.c - the format tflite: TensorFlow Lite and LiteRT models
 */
#include "format/registry.h"
#include "format/tflite/tflite.h"

/* The identifier, and a root table that is inside. */
#define IDENTIFIER_BITS 32
#define ROOT_BITS       48

static int tfl_probe(const struct tn_probe *probe)
{
    struct tn_bytes head = probe->head;

    if (probe->entries || head.size < 8 ||
        memcmp(head.data + 4, TN_TFL_IDENTIFIER, 4) != 0)
        return 0;
    uint32_t root = tn_load32(head.data);
    return root >= 8 && root < probe->size ? ROOT_BITS : IDENTIFIER_BITS;
}

static enum tn_status flat_span(struct tn_bundle *bundle, struct tn_bytes tag,
                                struct tn_span *span, struct tn_error *error)
{
    (void)tag;
    (void)error;
    *span = tn_tfl_flat_span(bundle->main);
    return TN_OK;
}

const struct tn_format tn_format_tflite = {
    .name        = "tflite",
    .title       = "TensorFlow Lite model",
    .dialect     = "tflite",
    .suffixes    = (const char *const[]){ ".tflite", NULL },
    .flat        = "tflite.Model",
    .flat_span   = flat_span,
    .dialect_ops = &tn_dialect_tflite,
    .probe       = tfl_probe,
    .open        = tn_tfl_open,
    .check_bytes = tn_tfl_check_bytes,
    .check       = tn_tfl_check,
    .check_graph = tn_tfl_check_graph,
};
