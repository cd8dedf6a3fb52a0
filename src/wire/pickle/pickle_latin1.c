/* pickle_latin1.c - decodes bytes that were pickled as text */
#include "wire/pickle/pickle_latin1.h"

#include <inttypes.h>
#include <pthread.h>

#include "base/arith.h"

#define STEP   (UINT64_C(64) << 10)
#define WINDOW 4096

struct latin1 {
    struct tn_source source; /* first */
    struct tn_span   text;
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

/* The byte at p, of which `left` follow; how much text it took, 0: none. */
static unsigned decode(const uint8_t *p, size_t left, uint8_t *byte)
{
    *byte = p[0];
    if (p[0] < 0x80)
        return 1;
    if (left < 2 || (p[0] != 0xc2 && p[0] != 0xc3) || (p[1] & 0xc0) != 0x80)
        return 0;
    *byte = (uint8_t)(p[0] << 6 | (p[1] & 0x3f));
    return 2;
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
    size_t i = 0;

    while (i < size && pass->at < pass->end) {
        uint8_t  byte;
        unsigned used = decode(window + i, size - i, &byte);
        if (used == 0 && i > 0 && i + 1 == size)
            break; /* its second half is in the next window */
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

enum tn_status tn_pickle_latin1(struct tn_source **out, struct tn_span text,
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
                    .name   = text.source ? text.source->name : "",
                    .memory = memory },
        .text   = text,
    };
    pthread_mutex_init(&latin1->lock, NULL);
    tn_list_init(&latin1->marks, memory, sizeof(uint64_t));
    tn_arena_init(&latin1->source.pins, memory);
    *out = &latin1->source;
    return TN_OK;
}

/* Each byte from 0x80 on is two of the text, of which the second is counted. */
enum tn_status tn_pickle_latin1_all(struct tn_source **out, struct tn_span text,
                                    struct tn_memory *memory,
                                    struct tn_error  *error)
{
    uint64_t size = 0;
    uint8_t  window[WINDOW];

    *out = NULL;
    for (uint64_t at = 0; at < text.length;) {
        size_t n = (size_t)tn_min(text.length - at, sizeof window);
        TN_TRY(tn_source_read(text.source, text.offset + at, window, n, error));
        for (size_t i = 0; i < n; i++)
            size += (window[i] & 0xc0) != 0x80;
        at += n;
    }
    return tn_pickle_latin1(out, text, size, memory, error);
}
