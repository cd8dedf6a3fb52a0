/*
 * not_a_model.c - recognizes files that are not models
 *
 * Users pass files that their tools left behind.  A clear message saves them an
 * hour.
 */
#include "engine/foreign.h"
#include "engine/opened.h"

struct signature {
    const char *bytes; /* at the start of the file                            */
    size_t      size;
    const char *what;
};

#define SIGNATURE(bytes, what)                                                 \
    {                                                                          \
        bytes, sizeof(bytes) - 1, what                                         \
    }

static const struct signature signatures[] = {
    SIGNATURE("version https://git-lfs",
              "a Git LFS pointer, not the file itself: run `git lfs pull`"),
    SIGNATURE("<!DOCTYPE", "an HTML page: the download gave a web page "
                           "instead of the file"),
    SIGNATURE("<!doctype", "an HTML page: the download gave a web page "
                           "instead of the file"),
    SIGNATURE("<html", "an HTML page: the download gave a web page instead "
                       "of the file"),
    SIGNATURE("<?xml", "an XML document, perhaps an error of an object store"),
    SIGNATURE("\x1f\x8b", "gzip data: unpack it first (gunzip)"),
    SIGNATURE("\x28\xb5\x2f\xfd", "zstd data: unpack it first (unzstd)"),
    SIGNATURE("BZh", "bzip2 data: unpack it first (bunzip2)"),
    SIGNATURE("\xfd"
              "7zXZ",
              "xz data: unpack it first (unxz)"),
    SIGNATURE("7z\xbc\xaf\x27\x1c", "a 7z archive: unpack it first"),
    SIGNATURE("PK\x05\x06", "an empty zip archive"),
    SIGNATURE("\x80\x02", "a Python pickle; pickles can run code and are not "
                          "opened"),
    SIGNATURE("\x80\x03", "a Python pickle; pickles can run code and are not "
                          "opened"),
    SIGNATURE("\x80\x04\x95", "a Python pickle; pickles can run code and are "
                              "not opened"),
    SIGNATURE("\x80\x05\x95", "a Python pickle; pickles can run code and are "
                              "not opened"),
    SIGNATURE("\x7f"
              "ELF",
              "a program or shared library"),
    SIGNATURE("%PDF", "a PDF document"),
    SIGNATURE("\x89PNG", "a PNG picture"),
    SIGNATURE("\xff\xd8\xff", "a JPEG picture"),
    SIGNATURE("#!", "a script"),
};

static bool starts_with(struct tn_bytes head, const char *bytes, size_t size)
{
    return head.size >= size && memcmp(head.data, bytes, size) == 0;
}

static bool has_at(struct tn_bytes head, size_t offset, const char *text)
{
    return head.size >= offset + strlen(text) &&
           memcmp(head.data + offset, text, strlen(text)) == 0;
}

static bool is_all_zero(struct tn_bytes bytes)
{
    for (size_t i = 0; i < bytes.size; i++)
        if (bytes.data[i])
            return false;
    return bytes.size > 0;
}

static struct tn_bytes skip_space(struct tn_bytes text)
{
    while (text.size && (*text.data == ' ' || *text.data == '\n' ||
                         *text.data == '\r' || *text.data == '\t')) {
        text.data++;
        text.size--;
    }
    return text;
}

static bool contains(struct tn_bytes text, const char *word)
{
    for (size_t i = 0; i < text.size; i++)
        if (has_at(text, i, word))
            return true;
    return false;
}

/* Files beside the weights on Hugging Face. */
static const char *beside_weights(struct tn_bytes head)
{
    if (!starts_with(head, "{", 1))
        return NULL;
    if (contains(head, "\"added_tokens\"") && contains(head, "\"truncation\""))
        return "a tokenizer (tokenizer.json): the weights are in the "
               ".safetensors beside it";
    if (contains(head, "\"model_type\"") ||
        contains(head, "\"transformers_version\""))
        return "a configuration (config.json): the weights are in the "
               ".safetensors beside it";
    return NULL;
}

/* configuration.json is its first entry, or one that the directory lists. */
static bool is_dl4j_zip(const struct tn_probe *probe)
{
    static const char name[] = "configuration.json";
    size_t            size   = sizeof name - 1;

    if (!starts_with(probe->head, "PK\x03\x04", 4))
        return false;
    if (has_at(probe->head, 30, name))
        return true;
    for (size_t i = 0; i + 46 + size <= probe->tail.size; i++)
        if (has_at(probe->tail, i, "PK\x01\x02") &&
            probe->tail.data[i + 28] == size &&
            has_at(probe->tail, i + 46, name))
            return true;
    return false;
}

bool tn_is_unknown_zip(const struct tn_probe *probe)
{
    int bits;

    return starts_with(probe->head, "PK\x03\x04", 4) && !is_dl4j_zip(probe) &&
           !tn_foreign_model(probe, &bits);
}

const char *tn_not_a_model(const struct tn_probe *probe)
{
    struct tn_bytes head = skip_space(probe->head);
    int             bits;
    const char     *foreign = tn_foreign_model(probe, &bits);

    if (foreign)
        return foreign;
    if (probe->entries) /* inside.c says what is in others */
        return probe->entry_count ? NULL : "an empty folder";
    if (probe->size == 0)
        return "an empty file; a download or copy may have failed";
    if (is_dl4j_zip(probe))
        return "a Deeplearning4j MultiLayerNetwork or ComputationGraph zip; "
               "that format is not read here";
    if (tn_is_unknown_zip(probe))
        return "a zip archive, but not of a model format read here";
    for (size_t i = 0; i < sizeof signatures / sizeof signatures[0]; i++)
        if (starts_with(head, signatures[i].bytes, signatures[i].size))
            return signatures[i].what;
    if (has_at(probe->head, 257, "ustar"))
        return "a tar archive: unpack it first (tar xf)";
    if (beside_weights(head))
        return beside_weights(head);
    if (is_all_zero(probe->head) && is_all_zero(probe->tail))
        return "nothing but zeros: a download that was never filled in?";
    return NULL;
}
