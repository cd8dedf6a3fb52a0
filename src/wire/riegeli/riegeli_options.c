/* riegeli_options.c - the writer's options as text, in Google's words */
#include <inttypes.h>
#include <stdlib.h>

#include "base/arith.h"
#include "codec/brotli.h"
#include "codec/zstd.h"
#include "wire/riegeli/riegeli_write.h"

#define BLOCK_SIZE UINT64_C(65536)

/* "name" or "name:value". */
struct word {
    struct tn_bytes name, value;
    bool            has_value;
};

static enum tn_status refuse(const struct word *word, const char *why,
                             struct tn_error *error)
{
    return tn_error_because(error, TN_INVALID, TN_REASON_BAD_OPTION, TN_NOWHERE,
                            "option %.*s%s%.*s: %s", TN_FMT(word->name),
                            word->has_value ? ":" : "", TN_FMT(word->value),
                            why);
}

static enum tn_status parse_number(const struct word *word, long low, long high,
                                   int *number, struct tn_error *error)
{
    char  text[16] = "";
    char *end;

    if (!word->has_value)
        return TN_OK;
    if (word->value.size == 0 || word->value.size >= sizeof text)
        return refuse(word, "not a number", error);
    memcpy(text, word->value.data, word->value.size);
    long value = strtol(text, &end, 10);
    if (*end || end == text)
        return refuse(word, "not a number", error);
    if (value < low || value > high)
        return refuse(word, "out of range", error);
    *number = (int)value;
    return TN_OK;
}

/* Digits and perhaps one of the letters, powers of 1024. */
static enum tn_status parse_size(const struct word *word, uint64_t *size,
                                 struct tn_error *error)
{
    static const char letters[] = "BKMGTPE";
    uint64_t          value     = 0;
    size_t            i         = 0;

    for (; i < word->value.size && word->value.data[i] >= '0' &&
           word->value.data[i] <= '9';
         i++)
        if (!tn_mul(value, 10, &value) ||
            !tn_add(value, (uint64_t)(word->value.data[i] - '0'), &value))
            return refuse(word, "too large", error);
    if (i == 0)
        return refuse(word, "not a size", error);
    if (i < word->value.size) {
        char        letter = (char)word->value.data[i];
        const char *found =
            letter ? strchr(letters, letter == 'k' ? 'K' : letter) : NULL;
        if (!found || i + 1 != word->value.size)
            return refuse(word, "not a size", error);
        if (!tn_mul(value, UINT64_C(1) << 10 * (found - letters), &value))
            return refuse(word, "too large", error);
    }
    *size = value;
    return TN_OK;
}

static enum tn_status parse_flag(const struct word *word, bool *flag,
                                 struct tn_error *error)
{
    *flag = !word->has_value || tn_bytes_is(word->value, "true");
    if (*flag || tn_bytes_is(word->value, "false"))
        return TN_OK;
    return refuse(word, "neither true nor false", error);
}

static enum tn_status parse_fraction(const struct word *word, double *fraction,
                                     struct tn_error *error)
{
    char  text[32] = "";
    char *end;

    if (word->value.size == 0 || word->value.size >= sizeof text)
        return refuse(word, "not a number", error);
    memcpy(text, word->value.data, word->value.size);
    *fraction = strtod(text, &end);
    if (*end || end == text)
        return refuse(word, "not a number", error);
    if (!(*fraction >= 0 && *fraction <= 1))
        return refuse(word, "not between 0 and 1", error);
    return TN_OK;
}

static enum tn_status parse_auto_size(const struct word *word, uint64_t *size,
                                      struct tn_error *error)
{
    if (tn_bytes_is(word->value, "auto")) {
        *size = 0;
        return TN_OK;
    }
    TN_TRY(parse_size(word, size, error));
    return *size ? TN_OK : refuse(word, "must not be 0", error);
}

static enum tn_status parse_padding(const struct word *word, uint64_t *size,
                                    struct tn_error *error)
{
    *size = BLOCK_SIZE;
    if (!word->has_value || tn_bytes_is(word->value, "true"))
        return TN_OK;
    *size = 1;
    if (tn_bytes_is(word->value, "false") ||
        tn_bytes_is(word->value, "initially"))
        return TN_OK;
    TN_TRY(parse_size(word, size, error));
    return *size ? TN_OK : refuse(word, "must not be 0", error);
}

static enum tn_status parse_codec(const struct word          *word,
                                  struct tn_riegeli_options  *options,
                                  enum tn_riegeli_compression type, int usual,
                                  int low, int high, struct tn_error *error)
{
    options->codec.type  = type;
    options->codec.level = usual;
    if (type == TN_RIEGELI_NONE && word->has_value)
        return refuse(word, "takes no value", error);
    return parse_number(word, low, high, &options->codec.level, error);
}

static enum tn_status parse_window_log(const struct word *word, int *log,
                                       struct tn_error *error)
{
    *log = 0;
    if (tn_bytes_is(word->value, "auto"))
        return TN_OK;
    return parse_number(word, TN_BROTLI_WINDOW_LOG_MIN, TN_ZSTD_WINDOW_LOG_MAX,
                        log, error);
}

static enum tn_status parse_word(const struct word         *word,
                                 struct tn_riegeli_options *o,
                                 struct tn_error           *error)
{
    struct tn_bytes name = word->name;
    uint64_t        ignored;
    int             threads = 0;

    if (tn_bytes_is(name, "default"))
        return TN_OK;
    if (tn_bytes_is(name, "uncompressed"))
        return parse_codec(word, o, TN_RIEGELI_NONE, 0, 0, 0, error);
    if (tn_bytes_is(name, "brotli"))
        return parse_codec(word, o, TN_RIEGELI_BROTLI, 6, 0,
                           TN_BROTLI_QUALITY_MAX, error);
    if (tn_bytes_is(name, "zstd"))
        return parse_codec(word, o, TN_RIEGELI_ZSTD, 3, TN_ZSTD_LEVEL_MIN,
                           TN_ZSTD_LEVEL_MAX, error);
    if (tn_bytes_is(name, "snappy"))
        return parse_codec(word, o, TN_RIEGELI_SNAPPY, 1, 1, 2, error);
    if (tn_bytes_is(name, "transpose"))
        return parse_flag(word, &o->is_transposed, error);
    if (tn_bytes_is(name, "chunk_size"))
        return parse_auto_size(word, &o->chunk_size, error);
    if (tn_bytes_is(name, "bucket_fraction"))
        return parse_fraction(word, &o->bucket_fraction, error);
    if (tn_bytes_is(name, "window_log"))
        return parse_window_log(word, &o->codec.window_log, error);
    if (tn_bytes_is(name, "padding") || tn_bytes_is(name, "final_padding") ||
        tn_bytes_is(name, "pad_to_block_boundary"))
        return parse_padding(word, &o->final_padding, error);
    if (tn_bytes_is(name, "initial_padding")) /* of files that go on */
        return parse_padding(word, &ignored, error);
    if (tn_bytes_is(name, "parallelism")) /* the bytes do not depend on it */
        return parse_number(word, 0, INT32_MAX, &threads, error);
    return refuse(word, "there is no such option", error);
}

/* A window is a matter of two codecs, and each has its own. */
static enum tn_status check_window(const struct tn_riegeli_codec *codec,
                                   struct tn_error               *error)
{
    bool has_window =
        codec->type == TN_RIEGELI_BROTLI || codec->type == TN_RIEGELI_ZSTD;
    int most = codec->type == TN_RIEGELI_BROTLI ? TN_BROTLI_WINDOW_LOG_MAX
                                                : TN_ZSTD_WINDOW_LOG_MAX;

    if (codec->window_log == 0 || (has_window && codec->window_log <= most))
        return TN_OK;
    return tn_error_because(error, TN_INVALID, TN_REASON_BAD_OPTION, TN_NOWHERE,
                            "option window_log:%d: not with this compression",
                            codec->window_log);
}

enum tn_status tn_riegeli_options_parse(struct tn_riegeli_options *options,
                                        const char                *text,
                                        struct tn_error           *error)
{
    while (*text) {
        size_t      size = strcspn(text, ",");
        size_t      name = strcspn(text, ":,");
        struct word word = { .name      = tn_bytes(text, name),
                             .has_value = name < size };
        if (word.has_value)
            word.value = tn_bytes(text + name + 1, size - name - 1);
        TN_TRY(parse_word(&word, options, error));
        text += size;
        text += *text == ',';
    }
    return check_window(&options->codec, error);
}
