/* foreign.c - recognizes models in formats that are not read here */
#include "engine/foreign.h"

#include <string.h>

#include "base/arith.h"
#include "format/paddle/paddle.h"

/* How certain a match is: a magic of eight bytes, a grammar that holds, a
 * suffix with bytes that do not contradict it, a suffix alone. */
enum { BY_MAGIC = 64, BY_GRAMMAR = 48, BY_SUFFIX = 28, BY_NAME = 1 };

#define DLC                                                                    \
    "a DLC container: Qualcomm's SNPE or QNN tools open it; convert from "     \
    "what "                                                                    \
    "it was made of"

/* ---- magics ------------------------------------------------------------- */

static const struct magic {
    size_t      at;
    const char *bytes;
    size_t      size;
    const char *what;
} magics[] = {
    { 4, "ORTM", 4,
      "an ONNX Runtime `ort` file: ONNX Runtime opens it; convert from the "
      ".onnx it was made of" },
    { 4, "PTMF", 4,
      "a PyTorch model for mobile devices (.ptl): torch.jit.mobile loads it; "
      "convert from the TorchScript or the module it was made of" },
    { 4, "ET12", 4,
      "an ExecuTorch program (.pte): ExecuTorch runs it; convert from the "
      "module it was made of" },
    { 0, "lmgg", 4, "a GGML file: old versions of llama.cpp open it" },
    { 0, "tjgg", 4, "a GGML file: old versions of llama.cpp open it" },
    { 0, "fmgg", 4, "a GGML file: old versions of llama.cpp open it" },
    { 0, "algg", 4, "a GGML file: old versions of llama.cpp open it" },
    { 0, "\x89HDF\r\n\x1a\n", 8,
      "an HDF5 file, as Keras writes (.h5): Keras opens it, and model.export() "
      "writes a SavedModel" },
    { 0, "ftrt", 4,
      "a TensorRT plan: TensorRT opens it, of the version and on the kind of "
      "device that made it; convert from the .onnx" },
    { 0, "ptrt", 4,
      "a TensorRT plan: TensorRT opens it, of the version and on the kind of "
      "device that made it; convert from the .onnx" },
    { 0, "7767517\n", 8, "an ncnn model (.param): ncnn opens it" },
    { 0, "7767517\r", 8, "an ncnn model (.param): ncnn opens it" },
    { 0, "\xdd\x85\x76\x00", 4, "an ncnn model (.param.bin): ncnn opens it" },
    { 0, "\x12\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16,
      "arrays of MXNet (.params): MXNet opens it, and its onnx module writes "
      "what is read here" },
};

static const char *by_magic(const struct tn_probe *probe)
{
    for (size_t i = 0; i < sizeof magics / sizeof magics[0]; i++) {
        const struct magic *m = &magics[i];
        if (probe->head.size >= m->at + m->size &&
            memcmp(probe->head.data + m->at, m->bytes, m->size) == 0)
            return m->what;
    }
    return NULL;
}

/* ---- zips --------------------------------------------------------------- */

static bool ends_with(struct tn_bytes name, const char *suffix)
{
    size_t size = strlen(suffix);

    return name.size >= size &&
           memcmp(name.data + name.size - size, suffix, size) == 0;
}

/* Names of entries in the bytes that were read, from local headers or the
 * directory. */
static bool lists(struct tn_bytes bytes, const char *magic, size_t before,
                  size_t size_at, const char *suffix)
{
    for (size_t i = 0; i + before <= bytes.size; i++) {
        if (memcmp(bytes.data + i, magic, 4) != 0)
            continue;
        size_t size = (size_t)bytes.data[i + size_at] |
                      (size_t)bytes.data[i + size_at + 1] << 8;
        if (size <= bytes.size - i - before &&
            ends_with(tn_bytes(bytes.data + i + before, size), suffix))
            return true;
    }
    return false;
}

static bool zip_has(const struct tn_probe *probe, const char *suffix)
{
    return lists(probe->head, "PK\3\4", 30, 26, suffix) ||
           lists(probe->tail, "PK\1\2", 46, 28, suffix);
}

static const char *by_entries(const struct tn_probe *probe)
{
    if (probe->head.size < 4 || memcmp(probe->head.data, "PK\3\4", 4) != 0)
        return NULL;
    if (zip_has(probe, "/constants.pkl") || zip_has(probe, ".debug_pkl"))
        return "a TorchScript model: torch.jit.load opens it, and "
               "torch.onnx.export writes what is read here";
    if (zip_has(probe, "serialized_exported_program.json") ||
        zip_has(probe, "/archive_format"))
        return "an exported program of PyTorch (.pt2): torch.export.load opens "
               "it, and torch.onnx.export writes what is read here";
    if (zip_has(probe, "/.data/extern_modules"))
        return "a package of PyTorch: torch.package.PackageImporter opens it, "
               "and torch.save writes what is read here";
    if (zip_has(probe, "/data.pkl"))
        return "a zip with a pickle of PyTorch deeper than torch.load and we "
               "look for it: NAME/data.pkl, and NAME/data/ beside it";
    if (zip_has(probe, "model.weights.h5"))
        return "a Keras model (.keras): Keras opens it, and model.export() "
               "writes a SavedModel";
    if (zip_has(probe, "dlc.metadata"))
        return DLC;
    return NULL;
}

/* ---- protobuf ----------------------------------------------------------- */

struct walk {
    struct tn_bytes left;
    uint64_t        tag, value; /* of a field that has bytes: their number    */
};

static bool take_varint(struct walk *w, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; shift < 64 && w->left.size; shift += 7) {
        uint8_t byte = *w->left.data++;
        w->left.size--;
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return true;
    }
    return false;
}

/* The head of the next field of numbers or bytes. */
static bool next_field(struct walk *w)
{
    return take_varint(w, &w->tag) &&
           ((w->tag & 7) == 0 || (w->tag & 7) == 2) &&
           take_varint(w, &w->value);
}

static bool skip_bytes(struct walk *w)
{
    if (w->value > w->left.size)
        return false;
    w->left.data += w->value;
    w->left.size -= (size_t)w->value;
    return true;
}

static bool is_bytes(const struct walk *w, uint64_t field)
{
    return w->tag == (field << 3 | 2);
}

/* Model: specificationVersion 1, description 2, then one of a kind of model,
 * 200 to 3000. */
static bool is_core_ml(const struct tn_probe *probe)
{
    struct walk w = { probe->head, 0, 0 };

    if (!next_field(&w) || w.tag != 8 || w.value < 1 || w.value > 99)
        return false;
    while (next_field(&w)) {
        if ((w.tag & 7) == 2 && w.tag >> 3 >= 200 && w.tag >> 3 <= 3000)
            return true;
        if ((!is_bytes(&w, 2) && w.tag != (10 << 3)) ||
            (is_bytes(&w, 2) && !skip_bytes(&w)))
            return false;
    }
    return false;
}

/* NetParameter: name 1, layers 2 (old) or 100, each of which begins with a name
 * or an input. */
static bool is_caffe(const struct tn_probe *probe)
{
    struct walk w = { probe->head, 0, 0 };

    if (!next_field(&w) || !is_bytes(&w, 1) || !skip_bytes(&w))
        return false;
    while (next_field(&w)) {
        if (is_bytes(&w, 100))
            return w.left.size && *w.left.data == 0x0a;
        bool is_input = is_bytes(&w, 3) || is_bytes(&w, 8);
        if (w.tag != (4 << 3) && w.tag != (5 << 3) &&
            !(is_input && skip_bytes(&w)))
            return false;
    }
    return false;
}

/* ---- texts -------------------------------------------------------------- */

static bool contains(struct tn_bytes text, const char *word)
{
    size_t size = strlen(word);

    for (size_t i = 0; i + size <= text.size; i++)
        if (text.data[i] == (uint8_t)*word &&
            memcmp(text.data + i, word, size) == 0)
            return true;
    return false;
}

static bool begins(struct tn_bytes text, const char *word)
{
    return text.size >= strlen(word) &&
           memcmp(text.data, word, strlen(word)) == 0;
}

/* A message of protobuf text: its name, then a brace. */
static bool has_message(struct tn_bytes text, const char *name)
{
    size_t size = strlen(name), i = 0;

    while (i + size < text.size) {
        const uint8_t *found =
            memchr(text.data + i, name[0], text.size - size - i);
        if (!found)
            return false;
        i         = (size_t)(found - text.data) + 1;
        size_t at = i - 1 + size;
        if (memcmp(found, name, size) != 0)
            continue;
        while (at < text.size && text.data[at] <= ' ')
            at++;
        if (at < text.size && text.data[at] == '{')
            return true;
    }
    return false;
}

/* From the first byte on that is neither a space nor in a line of comment. */
static struct tn_bytes past_comments(struct tn_bytes text)
{
    size_t at = 0;

    while (at < text.size && (text.data[at] <= ' ' || text.data[at] == '#' ||
                              text.data[at] == ';')) {
        if (text.data[at] > ' ')
            while (at + 1 < text.size && text.data[at] != '\n')
                at++;
        at++;
    }
    return tn_bytes(text.data + at, text.size - at);
}

static const char *by_words(const struct tn_probe *probe)
{
    struct tn_bytes text = past_comments(probe->head);

    if (begins(text, "<") && contains(text, "<net ") &&
        contains(text, "<layers>"))
        return "an OpenVINO model (.xml, weights in the .bin beside it): "
               "OpenVINO opens it; convert from the .onnx it was made of";
    if (begins(text, "{") && contains(text, "\"nodes\"") &&
        contains(text, "\"op\"") &&
        (contains(text, "\"arg_nodes\"") ||
         contains(probe->tail, "\"arg_nodes\"")))
        return "a graph of MXNet (-symbol.json): MXNet opens it, and its onnx "
               "module writes what is read here";
    if (begins(text, "{") && contains(text, "\"modelTopology\"") &&
        (contains(text, "\"weightsManifest\"") ||
         contains(probe->tail, "\"weightsManifest\"")))
        return "a model of TensorFlow.js (model.json, weights in the .bin "
               "beside it): TensorFlow.js opens it; convert from the "
               "SavedModel it was made of";
    if (begins(text, "{\"learner\":"))
        return "a model of XGBoost (.json): XGBoost opens it, and onnxmltools "
               "writes what is read here";
    if (begins(text, "tree\nversion=v"))
        return "a model of LightGBM (.txt): LightGBM opens it, and onnxmltools "
               "writes what is read here";
    if (begins(text, "[net]") || begins(text, "[network]"))
        return "a network of darknet (.cfg): darknet opens it, with its "
               ".weights";
    if (text.size && !memchr(text.data, 0, text.size) && /* or it is no text */
        (has_message(text, "layer") || has_message(text, "layers")) &&
        !has_message(text, "node") && contains(text, "type:") &&
        (contains(text, "bottom:") || contains(text, "top:")))
        return "a network of Caffe (.prototxt): Caffe opens it, with its "
               ".caffemodel";
    return NULL;
}

/* ---- tensor records of another version ---------------------------------- */

static uint32_t u32_at(struct tn_bytes bytes, size_t at)
{
    return bytes.size < at + 4
               ? UINT32_MAX
               : (uint32_t)bytes.data[at] | (uint32_t)bytes.data[at + 1] << 8 |
                     (uint32_t)bytes.data[at + 2] << 16 |
                     (uint32_t)bytes.data[at + 3] << 24;
}

static uint64_t u64_at(const uint8_t *bytes)
{
    uint64_t value = 0;

    for (int i = 7; i >= 0; i--)
        value = value << 8 | bytes[i];
    return value;
}

/* The place of a record's second version: after its levels. */
static size_t behind_levels(struct tn_bytes head)
{
    uint64_t levels = u64_at(head.data + 4);
    size_t   at     = 12;

    while (levels-- > 0 && head.size - at >= 8) {
        uint64_t length = u64_at(head.data + at);
        if (length > head.size - at - 8)
            return head.size;
        at += 8 + (size_t)length;
    }
    return at;
}

enum { LAST_VERSION = 99 }; /* more are random bytes */

/* Whether the desc and what follows it would be a record of version 0 after so
 * many bytes of zeros. */
static bool is_record_behind_zeros(size_t zeros, struct tn_bytes head,
                                   size_t at)
{
    uint8_t bytes[1024] = { 0 };
    size_t  size        = tn_min_size(head.size - at, sizeof bytes - zeros);

    memcpy(bytes + zeros, head.data + at, size);
    return tn_paddle_is_records(tn_bytes(bytes, zeros + size));
}

/* One that would be a record if its versions were 0, the only one there is.  A
 * record as it is shipped has two: its own, and after its levels its
 * tensor's. */
static bool is_record_of_another_version(const struct tn_probe *probe)
{
    struct tn_bytes head = probe->head;

    if (head.size < 16)
        return false;
    uint32_t first = u32_at(head, 0);
    if (first > LAST_VERSION)
        return false;
    if (first && is_record_behind_zeros(4, head, 4))
        return true;
    size_t   at     = behind_levels(head);
    uint32_t second = u32_at(head, at);
    return second <= LAST_VERSION && (first || second) &&
           is_record_behind_zeros(16, head, at + 4);
}

/* ---- suffixes, where the bytes say little ------------------------------- */

static const char *by_suffix(const struct tn_probe *probe, int *bits)
{
    struct tn_bytes name = tn_text(probe->name ? probe->name : "");
    struct tn_bytes head = probe->head;

    *bits = BY_SUFFIX;
    if (ends_with(name, ".mnn") && u32_at(head, 0) < probe->size)
        return "an MNN model: MNN opens it; convert from what it was made of";
    if (ends_with(name, ".weights") && u32_at(head, 0) == 0 &&
        u32_at(head, 4) <= 9 && u32_at(head, 8) <= 9)
        return "weights of darknet: darknet opens them, with their .cfg";
    *bits = BY_NAME;
    if (ends_with(name, ".dlc"))
        return DLC;
    if (ends_with(name, ".plan") || ends_with(name, ".engine"))
        return "perhaps a TensorRT plan, by its name: TensorRT opens it; "
               "convert from the .onnx";
    return NULL;
}

/* ---- folders ------------------------------------------------------------ */

static const char *by_folder(const struct tn_probe *probe)
{
    if (tn_probe_has_entry(probe, "Manifest.json") &&
        tn_probe_has_entry(probe, "Data/"))
        return "a Core ML package (.mlpackage): Core ML opens it; convert from "
               "what it was made of";
    if (tn_probe_has_entry(probe, "coremldata.bin"))
        return "a compiled Core ML model (.mlmodelc): Core ML opens it; "
               "convert from what it was made of";
    return NULL;
}

const char *tn_foreign_model(const struct tn_probe *probe, int *bits)
{
    const char *what = probe->entries ? by_folder(probe) : by_magic(probe);

    *bits = BY_MAGIC;
    if (what || probe->entries)
        return what;
    *bits = BY_GRAMMAR;
    if ((what = by_entries(probe)) != NULL || (what = by_words(probe)) != NULL)
        return what;
    if (is_core_ml(probe))
        return "a Core ML model (.mlmodel): Core ML opens it; convert from "
               "what it was made of";
    if (is_caffe(probe))
        return "a Caffe model (.caffemodel): Caffe opens it, with its "
               ".prototxt";
    if (is_record_of_another_version(probe))
        return "a tensor record of PaddlePaddle, of another version than 0, "
               "which is the only one known";
    return by_suffix(probe, bits);
}
