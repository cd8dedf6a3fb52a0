/* pickle_latin1.c - decodes bytes that were pickled as text */
#include "wire/pickle/pickle_latin1.h"

#include <inttypes.h>
#include <pthread.h>

#include "base/arith.h"

#define STEP   (UINT64_C(64) << 10)
#define WINDOW 4096
#define LONGEST                                                                \
    6 /* the longest escape, \u and four digits                    */

/* Decodes the byte at p, where `left` bytes of text remain.  Returns how many
 * of them it took; 0 if they are not a byte. */
typedef unsigned decode_fn(const uint8_t *p, size_t left, uint8_t *byte);

struct latin1 {
    struct tn_source source; /* first */
    struct tn_span   text;
    decode_fn       *decode;
    pthread_mutex_t  lock;  /* for the marks                                  */
    struct tn_list   marks; /* uint64_t: where byte k * STEP is in the text   */
};

/* One pass over the text: bytes before `begin` are counted only. */
struct pass {
    struct latin1 *latin1;
    uint64_t       at;     /* byte, decoded                                   */
    uint64_t       offset; /* in the text                                     */
    uint64_t       begin, end;
    uint8_t       *to;
};

static enum tn_status complain(const struct pass *pass, struct tn_error *error,
                               const char *what)
{
    tn_error_set(error, TN_MALFORMED, pass->latin1->text.offset + pass->offset,
                 "%s", what);
    tn_error_file(error, pass->latin1->text.source->name);
    return error->status;
}

static unsigned decode_utf8(const uint8_t *p, size_t left, uint8_t *byte)
{
    *byte = p[0];
    if (p[0] < 0x80)
        return 1;
    if (left < 2 || (p[0] != 0xc2 && p[0] != 0xc3) || (p[1] & 0xc0) != 0x80)
        return 0;
    *byte = (uint8_t)(p[0] << 6 | (p[1] & 0x3f));
    return 2;
}

/* Python writes each backslash as an escape. */
static unsigned decode_line(const uint8_t *p, size_t left, uint8_t *byte)
{
    uint32_t code;

    *byte = p[0];
    if (p[0] != '\\')
        return 1;
    if (left < LONGEST || p[1] != 'u' ||
        tn_pickle_digits(p + 2, 4, 4, 16, &code) < 4 || code > 0xff)
        return 0;
    *byte = (uint8_t)code;
    return LONGEST;
}

/* A backslash before anything else stands for itself. */
static unsigned decode_quoted(const uint8_t *p, size_t left, uint8_t *byte)
{
    static const char letters[] = "\\'\"abfnrtv",
                      bytes[]   = "\\'\"\a\b\f\n\r\t\v";
    uint32_t code;
    unsigned n;

    *byte = p[0];
    if (p[0] != '\\' || left < 2 || !p[1])
        return 1;
    const char *known = strchr(letters, p[1]);
    if (known) {
        *byte = (uint8_t)bytes[known - letters];
        return 2;
    }
    if (p[1] == 'x' && tn_pickle_digits(p + 2, left - 2, 2, 16, &code) == 2)
        n = 3;
    else
        n = tn_pickle_digits(p + 1, left - 1, 3, 8, &code);
    if (n)
        *byte = (uint8_t)code;
    return 1 + n;
}

static decode_fn *way_of(const struct tn_pickle_string *text)
{
    return !text->is_coded   ? decode_utf8
           : text->is_latin1 ? decode_line
                             : decode_quoted;
}

static enum tn_status mark(struct pass *pass, struct tn_error *error)
{
    struct tn_list *marks = &pass->latin1->marks;

    if (pass->at / STEP != marks->count)
        return TN_OK;
    uint64_t *slot = tn_list_push(marks, uint64_t, error);
    if (slot)
        *slot = pass->offset;
    return error->status;
}

static enum tn_status decode_window(struct pass *pass, const uint8_t *window,
                                    size_t size, struct tn_error *error)
{
    decode_fn *decode  = pass->latin1->decode;
    bool       is_last = pass->offset + size == pass->latin1->text.length;
    size_t     i       = 0;

    while (i < size && pass->at < pass->end) {
        uint8_t byte;
        if (!is_last && i > 0 && size - i < LONGEST)
            break; /* some of it may be in the next window */
        unsigned used = decode(window + i, size - i, &byte);
        if (used == 0)
            return complain(pass, error, "no byte: a code point past 255");
        if (pass->at % STEP == 0)
            TN_TRY(mark(pass, error));
        if (pass->at >= pass->begin)
            pass->to[pass->at - pass->begin] = byte;
        pass->at++;
        pass->offset += used;
        i += used;
    }
    return TN_OK;
}

static enum tn_status run(struct pass *pass, struct tn_error *error)
{
    struct tn_span text = pass->latin1->text;
    uint8_t        window[WINDOW];

    while (pass->at < pass->end) {
        size_t size = (size_t)tn_min(text.length - pass->offset, sizeof window);
        if (size == 0)
            return complain(pass, error, "the text ends before the array does");
        TN_TRY(tn_source_read(text.source, text.offset + pass->offset, window,
                              size, error));
        TN_TRY(decode_window(pass, window, size, error));
    }
    if (pass->at == pass->latin1->source.size && pass->offset != text.length)
        return complain(pass, error, "the text goes on after the array");
    return TN_OK;
}

static enum tn_status latin1_read(struct tn_source *source, uint64_t offset,
                                  void *to, size_t size, struct tn_error *error)
{
    struct latin1 *latin1 = (struct latin1 *)source;
    struct pass    pass   = {
             .latin1 = latin1, .begin = offset, .end = offset + size, .to = to
    };

    pthread_mutex_lock(&latin1->lock);
    if (latin1->marks.count) {
        uint64_t k  = tn_min(offset / STEP, latin1->marks.count - 1);
        pass.at     = k * STEP;
        pass.offset = *tn_list_at(&latin1->marks, uint64_t, k);
    }
    run(&pass, error);
    pthread_mutex_unlock(&latin1->lock);
    return error->status;
}

static void latin1_close(struct tn_source *source)
{
    struct latin1    *latin1 = (struct latin1 *)source;
    struct tn_memory *memory = source->memory;

    tn_arena_done(&source->pins);
    tn_list_done(&latin1->marks);
    pthread_mutex_destroy(&latin1->lock);
    tn_memory_free(memory, source, sizeof *latin1);
}

static const struct tn_source_ops latin1_ops = { latin1_read, latin1_close };

enum tn_status tn_pickle_latin1(struct tn_source             **out,
                                const struct tn_pickle_string *text,
                                uint64_t size, struct tn_memory *memory,
                                struct tn_error *error)
{
    struct latin1 *latin1 =
        tn_memory_resize(memory, NULL, 0, sizeof *latin1, error);

    *out = NULL;
    if (!latin1)
        return error->status;
    *latin1 = (struct latin1){
        .source = { .ops    = &latin1_ops,
                    .size   = size,
                    .name   = text->span.source ? text->span.source->name : "",
                    .memory = memory },
        .text   = text->span,
        .decode = way_of(text),
    };
    pthread_mutex_init(&latin1->lock, NULL);
    tn_list_init(&latin1->marks, memory, sizeof(uint64_t));
    tn_arena_init(&latin1->source.pins, memory);
    *out = &latin1->source;
    return TN_OK;
}

/* Bytes of a window, and how much of it they took: all of it at the end of the
 * text.  Text that is not a byte is reported when it is read. */
static size_t count_window(decode_fn *decode, const uint8_t *window,
                           size_t size, bool is_last, uint64_t *count)
{
    size_t i = 0;

    while (i < size && (is_last || size - i >= LONGEST)) {
        uint8_t  byte;
        unsigned used = decode(window + i, size - i, &byte);
        i += used ? used : 1;
        ++*count;
    }
    return i;
}

enum tn_status tn_pickle_latin1_all(struct tn_source             **out,
                                    const struct tn_pickle_string *text,
                                    struct tn_memory              *memory,
                                    struct tn_error               *error)
{
    uint64_t size = 0, length = text->span.length;
    uint8_t  window[WINDOW];

    *out = NULL;
    for (uint64_t at = 0; at < length;) {
        size_t n = (size_t)tn_min(length - at, sizeof window);
        TN_TRY(tn_source_read(text->span.source, text->span.offset + at, window,
                              n, error));
        at += count_window(way_of(text), window, n, at + n == length, &size);
    }
    return tn_pickle_latin1(out, text, size, memory, error);
}

size_t tn_pickle_latin1_head(const struct tn_pickle_string *text,
                             uint8_t *bytes, size_t size)
{
    decode_fn *decode = way_of(text);
    size_t     used   = 0;

    for (size_t i = 0; i < size;) {
        uint8_t  byte;
        unsigned n = decode(bytes + i, size - i, &byte);
        if (n == 0)
            break;
        bytes[used++] = byte;
        i += n;
    }
    return used;
}
