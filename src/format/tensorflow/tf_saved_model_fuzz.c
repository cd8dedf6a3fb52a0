/*
 * tf_saved_model_fuzz.c - any bytes as saved_model.pb, and as a probe
 *
 * The claims of tf_graph_fuzz.c; object graphs are walked too.
 */
#include "format/tensorflow/tf_fuzzing.h"

extern const struct tn_format tn_format_tf_saved_model;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void probe_all(struct tn_bytes bytes)
{
    struct tn_probe probe = { .head = bytes,
                              .tail = bytes,
                              .size = bytes.size,
                              .name = "saved_model.pb" };

    assert(tn_tf_probe_graph(&probe) >= 0);
    assert(tn_tf_probe_meta_graph(&probe) >= 0);
    assert(tn_tf_probe_saved_model(&probe) >= 0);
    assert(tn_tf_probe_checkpoint(&probe) >= 0);
    probe.size++; /* the head is only a part */
    assert(tn_tf_probe_graph(&probe) >= 0);
    assert(tn_tf_probe_saved_model(&probe) >= 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    probe_all(tn_bytes(data, size));
    fuzz_model(&tn_format_tf_saved_model, tn_bytes(data, size));
    return 0;
}
