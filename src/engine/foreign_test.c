/* foreign_test.c - models of others are called what they are */
#include "engine/foreign.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/hostile.h"

#define HEAD(text) text, sizeof(text) - 1

/* A local header of a zip and the name of an entry; sizes are not looked at. */
#define ENTRY(size, name)                                                      \
    "PK\3\4\24\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0" size "\0\0\0" name

static const struct {
    const char *name;
    const char *head;
    size_t      size;
    const char *says; /* NULL: nothing */
    bool        beats_onnx;
} cases[] = {
    { "x", HEAD("\x10\x00\x00\x00ORTM"), "`ort` file", true },
    { "x", HEAD("\x40\x00\x00\x00PTMF"), "(.ptl)", true },
    { "x", HEAD("\x3c\x00\x00\x00" "ET12"), "ExecuTorch", true },
    { "x", HEAD("tjgg\x01\x00\x00\x00"), "GGML", true },
    { "x", HEAD("algg\x01\x00\x00\x00"), "GGML", true },
    { "x", HEAD("\x89HDF\r\n\x1a\n"), "Keras opens it", true },
    { "x", HEAD("ftrt\0\0\0\0"), "a TensorRT plan", true },
    { "x", HEAD("7767517\n75 83\nInput data 0 1 data"), "ncnn", true },
    { "x", HEAD("\xdd\x85\x76\x00\x4b\0\0\0"), ".param.bin", true },
    { "x", HEAD("\x12\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x02"), "MXNet (.params)",
      true },
    { "x", HEAD(ENTRY("\x0c", "a/b/data.pkl")), "deeper than torch.load", true },
    { "x", HEAD(ENTRY("\x20", "serialized_exported_program.json")),
      "an exported program of PyTorch", true },
    { "x", HEAD(ENTRY("\x10", "m/archive_format")),
      "an exported program of PyTorch", true },
    { "x",
      HEAD(ENTRY("\x11", "m/.data/0.storage") ENTRY("\x16", "m/.data/extern_modules")),
      "a package of PyTorch", true },
    { "x",
      HEAD(ENTRY("\x0b", "net/version") ENTRY("\x11", "net/constants.pkl")),
      "TorchScript", true },
    { "x", HEAD(ENTRY("\x0b", "config.json") ENTRY("\x10", "model.weights.h5")),
      ".keras", true },
    { "x", HEAD(ENTRY("\x0c", "dlc.metadata")), "DLC", true },
    { "x", HEAD(ENTRY("\x08", "data.npy")), NULL, false },
    { "x", HEAD("\x08\x04\x12\x03\x0a\x01x\xa2\x1f\x10"), "Core ML", true },
    { "x",
      HEAD("\x08\x07\x12\x07pytorch\x1a\x03"
           "2.1:\x02\x08\x01"),
      NULL, false },
    { "x",
      HEAD("\x0a\x03net\xa2\x06\x08\x0a\x05"
           "conv1"),
      "Caffe model", true },
    { "x",
      HEAD("\x0a\x03net\x12\x08\x0a\x05"
           "conv1"),
      NULL, false },
    { "x", HEAD("name: \"n\"\nlayer {\n  type: \"ReLU\"\n  bottom: \"x\"\n}"),
      "a network of Caffe", true },
    { "x", HEAD("node {\n  name: \"layer {\" type: top: }"), NULL, false },
    { "x",
      HEAD("<?xml version=\"1.0\"?>\n<net name=\"n\" version=\"11\">\n"
           "<layers>"),
      "OpenVINO", true },
    { "x", HEAD("<?xml version=\"1.0\"?><Error>"), NULL, false },
    { "x", HEAD("{\"nodes\": [{\"op\": \"null\"}], \"arg_nodes\": [0]}"),
      "MXNet (-symbol.json)", true },
    { "x",
      HEAD("{\"format\": \"graph-model\", \"modelTopology\": {}, "
           "\"weightsManifest\": []}"),
      "TensorFlow.js", true },
    { "x", HEAD("{\"learner\":{\"attributes\":{}}"), "XGBoost", true },
    { "x", HEAD("tree\nversion=v4\nnum_class=1\n"), "LightGBM", true },
    { "x", HEAD("[net]\nbatch=1\n"), "darknet (.cfg)", true },
    { "x", HEAD("# for two\n; classes\n\n[net]\nbatch=1\n"), "darknet (.cfg)",
      true },
    { "x", HEAD("# [net]"), NULL, false },
    { "x", HEAD("# AlexNet\nlayer{\ntype:\"Input\" top:\"x\"}"),
      "Caffe (.prototxt)", true },
    { "yolo.weights", HEAD("\0\0\0\0\2\0\0\0\5\0\0\0\0\1"),
      "weights of darknet", true },
    { "yolo.bin", HEAD("\0\0\0\0\2\0\0\0\5\0\0\0\0\1"), NULL, false },
    { "face.mnn", HEAD("\4\0\0\0\0\0\0\0\0"), "MNN", true },
    { "a.engine", HEAD("whatever"), "perhaps a TensorRT plan", false },
    { "x",
      HEAD("\1\0\0\0"
           "\0\0\0\0\0\0\0\0"
           "\1\0\0\0"
           "\4\0\0\0"
           "\x08\x05\x10\x01"
           "abcd"),
      "of another version than 0", true },
    { "x",
      HEAD("\2\0\0\0"
           "\1\0\0\0\0\0\0\0"
           "\x10\0\0\0\0\0\0\0"
           "\0\0\0\0\0\0\0\0"
           "\1\0\0\0\0\0\0\0"
           "\2\0\0\0"
           "\4\0\0\0"
           "\x08\x05\x10\x01"
           "abcd"),
      "of another version than 0", true },
    { "x",
      HEAD("\7\0\0\0"
           "\4\0\0\0"
           "\x08\x05\x10\x01"
           "abcdefgh"),
      "of another version than 0", true },
    { "x",
      HEAD("\0\0\0\0"
           "\1\0\0\0\0\0\0\0"
           "\x10\0\0\0\0\0\0\0"
           "\0\0\0\0\0\0\0\0"
           "\1\0\0\0\0\0\0\0"
           "\3\0\0\0" /* the tensor's alone */
           "\4\0\0\0"
           "\x08\x05\x10\x01"
           "abcd"),
      "of another version than 0", true },
    { "x",
      HEAD("\0\0\0\0"
           "\0\0\0\0\0\0\0\0"
           "\x64\0\0\0" /* a number past 99: some other file */
           "\4\0\0\0"
           "\x08\x05\x10\x01"
           "abcd"),
      NULL, false },
    { "x", HEAD("\x08\x04"), NULL, false },
    { "x", HEAD("PK\3\4"), NULL, false },
};

static void names_what_it_sees(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tn_guarded head =
            tn_guard(tn_bytes(cases[i].head, cases[i].size));
        struct tn_probe probe = { .head = head.bytes,
                                  .tail = head.bytes,
                                  .size = cases[i].size,
                                  .name = cases[i].name };
        int             bits;
        const char     *says = tn_foreign_model(&probe, &bits);
        if (!cases[i].says != !says || (says && !strstr(says, cases[i].says)))
            fail_msg("row %zu: '%s'", i, says ? says : "nothing");
        if (says) /* ONNX's own probe says 20 of what begins like one */
            assert_int_equal(bits > 20, cases[i].beats_onnx);
        tn_unguard(&head);
    }
}

/* Nothing is read past what there is. */
static void heads_that_end_anywhere(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (size_t size = 0; size < cases[i].size; size++) {
            struct tn_guarded head  = tn_guard(tn_bytes(cases[i].head, size));
            struct tn_probe   probe = { .head = head.bytes,
                                        .tail = head.bytes,
                                        .size = size,
                                        .name = cases[i].name };
            int               bits;
            tn_foreign_model(&probe, &bits);
            tn_unguard(&head);
        }
}

static void folders(void **state)
{
    static const char *const package[] = { "Data/", "Manifest.json" };
    static const char *const notes[]   = { "notes.txt" };
    struct tn_probe          probe     = { .name        = "x",
                                           .entries     = package,
                                           .entry_count = 2 };
    int                      bits;

    (void)state;
    assert_non_null(strstr(tn_foreign_model(&probe, &bits), ".mlpackage"));
    probe.entries     = notes;
    probe.entry_count = 1;
    assert_null(tn_foreign_model(&probe, &bits));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_what_it_sees),
        cmocka_unit_test(heads_that_end_anywhere),
        cmocka_unit_test(folders),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
