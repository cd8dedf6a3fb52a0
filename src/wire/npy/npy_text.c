/* npy_text.c - numpy's unicode strings as UTF-8 */
#include "wire/npy/npy_text.h"

#include <inttypes.h>

#include "base/arith.h"
#include "base/utf8.h"

#define WINDOW 256 /* characters */

struct text_source {
    struct tn_source source; /* first */
    struct tn_span   span;
    uint32_t         item_size;
    bool             is_big_endian;
};

/* One read: the bytes [begin, end) of an item, into `to`. */
struct piece {
    uint8_t *to;
    uint64_t begin, end;
    uint64_t at; /* bytes of the item so far                                  */
};

static uint32_t load(const uint8_t *p, bool is_big_endian)
{
    unsigned a = is_big_endian ? 3 : 0;

    return (uint32_t)p[a] | (uint32_t)p[a ^ 1] << 8 | (uint32_t)p[a ^ 2] << 16 |
           (uint32_t)p[a ^ 3] << 24;
}

static void put(struct piece *piece, uint8_t byte)
{
    if (piece->at >= piece->begin && piece->at < piece->end)
        piece->to[piece->at - piece->begin] = byte;
    piece->at++;
}

static enum tn_status put_characters(struct text_source *text,
                                     struct piece *piece, const uint8_t *p,
                                     size_t size, uint64_t offset,
                                     struct tn_error *error)
{
    uint8_t bytes[4];

    for (size_t i = 0; i < size && piece->at < piece->end; i += 4) {
        uint32_t code = load(p + i, text->is_big_endian);
        if (!(code <= 0x10ffff && (code < 0xd800 || code > 0xdfff))) {
            tn_error_set(error, TN_MALFORMED, offset + i,
                         "0x%" PRIx32 " is not a character", code);
            tn_error_file(error, text->span.source->name);
            return error->status;
        }
        unsigned count = tn_utf8_put(bytes, code);
        for (unsigned k = 0; k < count; k++)
            put(piece, bytes[k]);
    }
    return TN_OK;
}

static enum tn_status read_item(struct text_source *text, uint64_t item,
                                struct piece *piece, struct tn_error *error)
{
    uint8_t  window[WINDOW * 4];
    uint64_t start = text->span.offset + item * text->item_size;

    for (uint64_t done = 0; done < text->item_size && piece->at < piece->end;) {
        size_t size = (size_t)tn_min(text->item_size - done, sizeof window);
        TN_TRY(tn_source_read(text->span.source, start + done, window, size,
                              error));
        TN_TRY(put_characters(text, piece, window, size, start + done, error));
        done += size;
    }
    while (piece->at < piece->end)
        put(piece, 0);
    return TN_OK;
}

static enum tn_status text_read(struct tn_source *source, uint64_t offset,
                                void *to, size_t size, struct tn_error *error)
{
    struct text_source *text = (struct text_source *)source;
    uint8_t            *out  = to;

    while (size > 0) {
        uint64_t     begin = offset % text->item_size;
        uint64_t     count = tn_min(size, text->item_size - begin);
        struct piece piece = { out, begin, begin + count, 0 };
        TN_TRY(read_item(text, offset / text->item_size, &piece, error));
        out += count;
        offset += count;
        size -= (size_t)count;
    }
    return TN_OK;
}

static void text_close(struct tn_source *source)
{
    struct tn_memory *memory = source->memory;

    tn_arena_done(&source->pins);
    tn_memory_free(memory, source, sizeof(struct text_source));
}

static const struct tn_source_ops text_ops = { text_read, text_close };

enum tn_status tn_npy_text_source(struct tn_source **out, struct tn_span span,
                                  uint32_t item_size, bool is_big_endian,
                                  struct tn_memory *memory,
                                  struct tn_error  *error)
{
    struct text_source *text =
        tn_memory_resize(memory, NULL, 0, sizeof *text, error);

    *out = NULL;
    if (!text)
        return error->status;
    *text = (struct text_source){
        .source        = { .ops    = &text_ops,
                           .size   = span.length,
                           .name   = span.source ? span.source->name : "",
                           .memory = memory },
        .span          = span,
        .item_size     = item_size,
        .is_big_endian = is_big_endian,
    };
    tn_arena_init(&text->source.pins, memory);
    *out = &text->source;
    return TN_OK;
}
