/* gguf_text.c - values of GGUF's metadata as JSON, and for people */
#include "format/gguf/gguf.h"

#include <math.h>
#include <stdio.h>

#include "base/arith.h"
#include "base/number.h"
#include "base/utf8.h"

/* The most of a text, and of an array, that `info` shows. */
#define SHOWN_BYTES    4096
#define SHOWN_ELEMENTS 6

/* ---- JSON ----------------------------------------------------------------- */

static void put_double(struct tn_json_writer *json, double value)
{
    if (isnan(value))
        tn_json_text(json, "NaN");
    else if (isinf(value))
        tn_json_text(json, value < 0 ? "-Infinity" : "Infinity");
    else
        tn_json_put_double(json, value);
}

static void put_float(struct tn_json_writer *json, float value)
{
    char     text[TN_NUMBER_ROOM];
    unsigned size = tn_float_print(text, value);

    if (isnan(value) || isinf(value))
        put_double(json, (double)value);
    else
        tn_json_raw(json, tn_bytes(text, size));
}

/* Floats are written so that they are read back: as short as float32 allows
 * for people, and as the double that they are for programs. */
static void put_number(struct tn_json_writer *json, uint32_t type,
                       uint64_t bits, bool is_short)
{
    float value = tn_float_of_bits((uint32_t)bits);

    switch (type) {
    case TN_GGUF_INT8: tn_json_put_int64(json, (int8_t)bits); break;
    case TN_GGUF_INT16: tn_json_put_int64(json, (int16_t)bits); break;
    case TN_GGUF_INT32: tn_json_put_int64(json, (int32_t)bits); break;
    case TN_GGUF_INT64: tn_json_put_int64(json, (int64_t)bits); break;
    case TN_GGUF_BOOL: tn_json_bool(json, bits != 0); break;
    case TN_GGUF_FLOAT32:
        if (is_short)
            put_float(json, value);
        else
            put_double(json, (double)value);
        break;
    case TN_GGUF_FLOAT64: put_double(json, tn_double_of_bits(bits)); break;
    default: tn_json_put_uint64(json, bits); break;
    }
}

/* The size of the last character of a window, if the window cuts it. */
static size_t cut_character(const uint8_t *bytes, size_t size)
{
    for (size_t back = 1; back <= 3 && back <= size; back++) {
        uint8_t byte = bytes[size - back];
        if ((byte & 0xc0) == 0x80)
            continue;
        return tn_utf8_size(byte) > back ? back : 0;
    }
    return 0;
}

/* UTF-8 as it is, and a replacement character for other bytes. */
static void put_piece(struct tn_json_writer *json, struct tn_bytes text)
{
    size_t begin = 0, at = 0;

    while (at < text.size) {
        unsigned size = tn_utf8_check(text.data + at, text.data + text.size);
        if (size) {
            at += size;
            continue;
        }
        tn_json_string_piece(json, tn_bytes(text.data + begin, at - begin));
        tn_json_string_piece(json, tn_text("\xef\xbf\xbd"));
        begin = ++at;
    }
    tn_json_string_piece(json, tn_bytes(text.data + begin, at - begin));
}

static enum tn_status put_text(struct tn_json_writer *json, struct tn_span text,
                               struct tn_error *error)
{
    uint8_t window[SHOWN_BYTES];

    tn_json_string_begin(json);
    while (text.length > 0) {
        size_t size = tn_min_size(text.length, sizeof window);
        TN_TRY(tn_source_read(text.source, text.offset, window, size, error));
        if (size < text.length)
            size -= cut_character(window, size);
        put_piece(json, tn_bytes(window, size));
        text.offset += size;
        text.length -= size;
    }
    tn_json_string_end(json);
    return error->status;
}

static enum tn_status put_element(void *context, uint32_t type, uint64_t bits,
                                  struct tn_span text, struct tn_error *error)
{
    if (type == TN_GGUF_STRING)
        return put_text(context, text, error);
    put_number(context, type, bits, false);
    return error->status;
}

static enum tn_status put_open(void *context, uint32_t type, uint64_t count,
                               struct tn_error *error)
{
    (void)type;
    (void)count;
    tn_json_array_begin(context);
    return error->status;
}

static enum tn_status put_close(void *context, struct tn_error *error)
{
    tn_json_array_end(context);
    return error->status;
}

static enum tn_status put_array(struct tn_json_writer     *json,
                                const struct tn_gguf_file *file,
                                const struct tn_gguf_pair *pair, uint64_t limit,
                                struct tn_memory *memory,
                                struct tn_error  *error)
{
    struct tn_gguf_walk walk = { .context = json,
                                 .element = put_element,
                                 .open    = put_open,
                                 .close   = put_close };

    tn_json_array_begin(json);
    TN_TRY(tn_gguf_walk_array(file, pair->element, pair->count, pair->value,
                              limit, &walk, memory, NULL, error));
    tn_json_array_end(json);
    return error->status;
}

enum tn_status tn_gguf_put_value(struct tn_json_writer     *json,
                                 const struct tn_gguf_file *file,
                                 const struct tn_gguf_pair *pair,
                                 struct tn_memory          *memory,
                                 struct tn_error           *error)
{
    if (pair->type == TN_GGUF_ARRAY)
        return put_array(json, file, pair, UINT64_MAX, memory, error);
    if (pair->type == TN_GGUF_STRING)
        return put_text(json, pair->value, error);
    put_number(json, pair->type, pair->bits, false);
    return error->status;
}

/* ---- the whole file --------------------------------------------------------- */

static void dump_pair(struct tn_json_writer *json, const struct tn_gguf_file *file,
                      const struct tn_gguf_pair *pair, struct tn_memory *memory,
                      struct tn_error *error)
{
    struct tn_span key = { pair->wire.source,
                           pair->wire.offset + (file->version == 1 ? 4 : 8),
                           pair->key.size };

    tn_json_object_begin(json);
    tn_json_key(json, "key");
    put_text(json, key, error);
    tn_json_key(json, "type");
    tn_json_text(json, tn_gguf_value_name(pair->type));
    if (pair->type == TN_GGUF_ARRAY) {
        tn_json_key(json, "elements");
        tn_json_text(json, tn_gguf_value_name(pair->element));
    }
    tn_json_key(json, "value");
    tn_gguf_put_value(json, file, pair, memory, error);
    tn_json_object_end(json);
}

static void dump_tensor(struct tn_json_writer  *json,
                        const struct tn_tensor *tensor)
{
    const struct tn_elements *e = &tensor->elements;
    struct tn_bytes           name = tn_tensor_name(tensor);
    uint32_t                  number = tn_gguf_type_of_elements(e);

    tn_json_object_begin(json);
    tn_json_key(json, "name");
    tn_json_string_begin(json);
    put_piece(json, name);
    tn_json_string_end(json);
    tn_json_key(json, "type");
    tn_json_text(json, tn_gguf_type(number)->name);
    tn_json_key(json, "shape");
    tn_json_array_begin(json);
    for (uint32_t i = 0; i < e->shape.rank; i++)
        tn_json_put_uint64(json, e->shape.dims[i]);
    tn_json_array_end(json);
    tn_json_key(json, "file");
    tn_json_text(json, tn_tensor_file(tensor));
    tn_json_key(json, "offset");
    tn_json_put_uint64(json, e->payload.span.offset);
    tn_json_key(json, "bytes");
    tn_json_put_uint64(json, e->payload.span.length);
    tn_json_object_end(json);
}

enum tn_status tn_gguf_dump(const struct tn_model *model, struct tn_sink *to,
                            struct tn_error *error)
{
    const struct tn_gguf_detail *detail = model->detail;
    const struct tn_gguf_file   *file   = &detail->files[0];
    struct tn_json_writer        json;

    tn_json_writer_init(&json, to, true, error);
    tn_json_object_begin(&json);
    tn_json_key(&json, "version");
    tn_json_put_uint64(&json, file->version);
    tn_json_key(&json, "byte_order");
    tn_json_text(&json, file->is_big ? "big" : "little");
    tn_json_key(&json, "alignment");
    tn_json_put_uint64(&json, file->alignment);
    tn_json_key(&json, "shards");
    tn_json_put_uint64(&json, detail->count);
    tn_json_key(&json, "metadata");
    tn_json_array_begin(&json);
    for (uint64_t i = 0; i < file->pairs.count && !tn_failed(error); i++)
        dump_pair(&json, file, tn_list_at(&file->pairs, struct tn_gguf_pair, i),
                  model->memory, error);
    tn_json_array_end(&json);
    tn_json_key(&json, "tensors");
    tn_json_array_begin(&json);
    for (uint64_t i = 0; i < model->tensors.count && !tn_failed(error); i++)
        dump_tensor(&json, tn_model_tensor(model, i));
    tn_json_array_end(&json);
    tn_json_object_end(&json);
    if (!tn_failed(error))
        tn_sink_write(to, tn_text("\n"), error);
    return error->status;
}

/* ---- for people ----------------------------------------------------------- */

static void show_text(struct tn_buffer *to, struct tn_span text,
                      struct tn_error *error)
{
    size_t   size  = tn_min_size(text.length, SHOWN_BYTES);
    uint8_t *bytes = size ? tn_buffer_room(to, size) : NULL;

    if (!bytes || tn_source_read(text.source, text.offset, bytes, size,
                                 error) != TN_OK)
        return;
    to->size += size;
    if (size < text.length)
        tn_buffer_format(to, "... (%" PRIu64 " bytes)", text.length);
}

static enum tn_status show_element(void *context, uint32_t type, uint64_t bits,
                                   struct tn_span text, struct tn_error *error)
{
    text.length = tn_min(text.length, 64);
    if (type == TN_GGUF_STRING)
        return put_text(context, text, error);
    put_number(context, type, bits, true);
    return error->status;
}

static void show_array(struct tn_buffer *to, const struct tn_gguf_file *file,
                       const struct tn_gguf_pair *pair,
                       struct tn_memory *memory, struct tn_error *error)
{
    struct tn_json_writer json;
    struct tn_gguf_walk   walk = { .context = &json,
                                   .element = show_element,
                                   .open    = put_open,
                                   .close   = put_close };

    tn_buffer_format(to, "%" PRIu64 " x %s", pair->count,
                     tn_gguf_value_name(pair->element));
    if (!pair->count)
        return;
    tn_buffer_text(to, ": ");
    tn_json_writer_init(&json, &to->sink, false, error);
    tn_json_array_begin(&json);
    if (tn_gguf_walk_array(file, pair->element, pair->count, pair->value,
                           SHOWN_ELEMENTS, &walk, memory, NULL,
                           error) != TN_OK)
        return;
    if (pair->count > SHOWN_ELEMENTS)
        tn_buffer_text(to, ",...]");
    else
        tn_json_array_end(&json);
}

void tn_gguf_show_value(struct tn_buffer *to, const struct tn_gguf_file *file,
                        const struct tn_gguf_pair *pair,
                        struct tn_memory *memory, struct tn_error *error)
{
    struct tn_json_writer json;

    if (pair->type == TN_GGUF_ARRAY) {
        show_array(to, file, pair, memory, error);
    } else if (pair->type == TN_GGUF_STRING) {
        show_text(to, pair->value, error);
    } else {
        tn_json_writer_init(&json, &to->sink, false, error);
        put_number(&json, pair->type, pair->bits, true);
    }
}
