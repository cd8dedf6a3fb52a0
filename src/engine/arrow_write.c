/* arrow_write.c - tables as Arrow IPC */
#include "engine/arrow_write.h"

#include "base/little.h"
#include "wire/fb/fb_build.h"

/* Rows of a batch, and bytes of it, unless one row has more. */
#define BATCH_ROWS  4096
#define BATCH_BYTES (UINT64_C(16) << 20)

/* Fields of the tables in schemas/arrow.fbs. */
enum { MESSAGE_VERSION, MESSAGE_KIND, MESSAGE_HEADER, MESSAGE_BODY };
enum { SCHEMA_FIELDS = 1 };
enum { FIELD_NAME, FIELD_NULLABLE, FIELD_TYPE_KIND, FIELD_TYPE };
enum { FIELD_CHILDREN = 5 };
enum { INT_WIDTH, INT_SIGNED };
enum { FLOAT_PRECISION };
enum { BATCH_LENGTH, BATCH_NODES, BATCH_BUFFERS };
enum { FOOTER_VERSION, FOOTER_SCHEMA, FOOTER_DICTIONARIES, FOOTER_BATCHES };
enum { HEADER_SCHEMA = 1, HEADER_BATCH = 3 };
enum { TYPE_INT = 2, TYPE_FLOAT = 3, TYPE_UTF8 = 5, TYPE_LIST = 12 };
enum { PRECISION_DOUBLE = 2 };
enum { VERSION_5 = 4 };

struct arrow_column {
    struct tn_buffer valid;   /* a byte per row                               */
    struct tn_buffer offsets; /* i32 each, of texts and lists                 */
    struct tn_buffer values;
    uint64_t         nulls;
    bool             has_value; /* in this row                                */
};

/* As in the footer. */
struct arrow_block {
    uint64_t offset, metadata, body;
};

struct tn_arrow_writer {
    struct tn_memory            *memory;
    struct tn_error             *error;
    struct tn_sink              *to;
    const struct tn_arrow_field *fields;
    struct arrow_column         *columns;
    uint32_t                     count;
    bool                         is_file;
    uint64_t                     rows, bytes; /* of this batch                */
    uint64_t                     written;     /* to the sink                  */
    struct tn_list               blocks;      /* struct arrow_block           */
};

static void put(struct tn_arrow_writer *w, struct tn_bytes bytes)
{
    if (!tn_failed(w->error))
        tn_sink_write(w->to, bytes, w->error);
    w->written += bytes.size;
}

static void pad(struct tn_arrow_writer *w)
{
    static const uint8_t zeros[8];

    put(w, tn_bytes(zeros, (size_t)(-w->written & 7)));
}

static void add_little(struct tn_buffer *to, uint64_t value, unsigned size)
{
    uint8_t *at = tn_buffer_room(to, size);

    if (!at)
        return;
    tn_store_little(at, value, size);
    to->size += size;
}

/* ---- metadata ------------------------------------------------------------- */

static uint32_t build_type(struct tn_fb_builder *b, enum tn_arrow_type type,
                           uint8_t *kind)
{
    tn_fb_begin(b);
    switch (type) {
    case TN_ARROW_TEXT: *kind = TYPE_UTF8; break;
    case TN_ARROW_UINT64:
        *kind = TYPE_INT;
        tn_fb_add_i32(b, INT_WIDTH, 64, 0);
        tn_fb_add_bool(b, INT_SIGNED, false, false);
        break;
    case TN_ARROW_DOUBLE:
        *kind = TYPE_FLOAT;
        tn_fb_add(b, FLOAT_PRECISION, PRECISION_DOUBLE, 2);
        break;
    case TN_ARROW_UINT64_LIST: *kind = TYPE_LIST; break;
    }
    return tn_fb_end(b);
}

static uint32_t build_field(struct tn_fb_builder *b, const char *title,
                            enum tn_arrow_type type, uint32_t child)
{
    uint8_t  kind = 0;
    uint32_t name = tn_fb_put_string(b, tn_text(title));
    uint32_t held = build_type(b, type, &kind);
    uint32_t children = tn_fb_put_refs(b, &child, child ? 1 : 0);

    tn_fb_begin(b);
    tn_fb_add_ref(b, FIELD_NAME, name);
    tn_fb_add_bool(b, FIELD_NULLABLE, true, false);
    tn_fb_add(b, FIELD_TYPE_KIND, kind, 1);
    tn_fb_add_ref(b, FIELD_TYPE, held);
    tn_fb_add_ref(b, FIELD_CHILDREN, children);
    return tn_fb_end(b);
}

static uint32_t build_schema(struct tn_arrow_writer *w, struct tn_fb_builder *b)
{
    uint32_t *refs = tn_new(b->arena, uint32_t, w->count, w->error);

    for (uint32_t i = 0; refs && i < w->count; i++) {
        bool     is_list = w->fields[i].type == TN_ARROW_UINT64_LIST;
        uint32_t child =
            is_list ? build_field(b, "item", TN_ARROW_UINT64, 0) : 0;
        refs[i] = build_field(b, w->fields[i].name, w->fields[i].type, child);
    }
    uint32_t fields = refs ? tn_fb_put_refs(b, refs, w->count) : 0;
    tn_fb_begin(b);
    tn_fb_add_ref(b, SCHEMA_FIELDS, fields);
    return tn_fb_end(b);
}

/* Writes the metadata around a header; *size is that of the whole message
 * before its body. */
static void put_message(struct tn_arrow_writer *w, struct tn_fb_builder *b,
                        uint8_t kind, uint32_t header, uint64_t body,
                        uint64_t *size)
{
    struct tn_rope rope;
    uint8_t        head[8];

    tn_fb_begin(b);
    tn_fb_add(b, MESSAGE_VERSION, VERSION_5, 2);
    tn_fb_add(b, MESSAGE_KIND, kind, 1);
    tn_fb_add_ref(b, MESSAGE_HEADER, header);
    tn_fb_add(b, MESSAGE_BODY, body, 8);
    tn_rope_init(&rope, b->arena, w->error);
    tn_fb_finish(b, tn_fb_end(b), NULL, &rope);
    uint64_t padded = (rope.length + 7) & ~UINT64_C(7);
    tn_store_little(head, UINT32_MAX, 4);
    tn_store_little(head + 4, padded, 4);
    put(w, tn_bytes(head, sizeof head));
    if (!tn_failed(w->error))
        tn_rope_write(&rope, w->to, w->error);
    w->written += rope.length;
    pad(w);
    *size = padded + sizeof head;
    tn_rope_done(&rope);
}

static void put_schema(struct tn_arrow_writer *w)
{
    struct tn_fb_builder b;
    struct tn_arena      arena;
    uint64_t             size;

    tn_arena_init(&arena, w->memory);
    tn_fb_build_init(&b, &arena, w->error);
    put_message(w, &b, HEADER_SCHEMA, build_schema(w, &b), 0, &size);
    tn_fb_build_done(&b);
    tn_arena_done(&arena);
}

/* ---- a batch -------------------------------------------------------------- */

/* What a batch consists of, in the order of the fields. */
struct layout {
    struct tn_buffer nodes;   /* length and nulls, u64 each                   */
    struct tn_buffer buffers; /* offset and length, u64 each                  */
    uint64_t         size;    /* of the body                                  */
};

static void lay_node(struct layout *l, uint64_t length, uint64_t nulls)
{
    add_little(&l->nodes, length, 8);
    add_little(&l->nodes, nulls, 8);
}

static void lay_buffer(struct layout *l, uint64_t size)
{
    add_little(&l->buffers, l->size, 8);
    add_little(&l->buffers, size, 8);
    l->size += (size + 7) & ~UINT64_C(7);
}

static bool has_offsets(enum tn_arrow_type type)
{
    return type == TN_ARROW_TEXT || type == TN_ARROW_UINT64_LIST;
}

static void lay_out(const struct tn_arrow_writer *w, struct layout *l)
{
    for (uint32_t i = 0; i < w->count; i++) {
        const struct arrow_column *c    = &w->columns[i];
        enum tn_arrow_type         type = w->fields[i].type;
        lay_node(l, w->rows, c->nulls);
        lay_buffer(l, (w->rows + 7) / 8);
        if (has_offsets(type))
            lay_buffer(l, (w->rows + 1) * 4);
        if (type == TN_ARROW_UINT64_LIST) {
            lay_node(l, c->values.size / 8, 0);
            lay_buffer(l, 0); /* no item is null */
        }
        lay_buffer(l, c->values.size);
    }
}

/* Bits, the first in the lowest. */
static void put_validity(struct tn_arrow_writer *w, const struct arrow_column *c)
{
    for (uint64_t i = 0; i < w->rows && !tn_failed(w->error); i += 8) {
        uint8_t bits = 0;
        for (unsigned k = 0; k < 8 && i + k < w->rows; k++)
            bits |= (uint8_t)(c->valid.data[i + k] << k);
        put(w, tn_bytes(&bits, 1));
    }
    pad(w);
}

static void put_body(struct tn_arrow_writer *w)
{
    for (uint32_t i = 0; i < w->count && !tn_failed(w->error); i++) {
        struct arrow_column *c = &w->columns[i];
        put_validity(w, c);
        if (has_offsets(w->fields[i].type)) {
            put(w, tn_buffer_bytes(&c->offsets));
            pad(w);
        }
        put(w, tn_buffer_bytes(&c->values));
        pad(w);
    }
}

static void clear(struct tn_arrow_writer *w)
{
    for (uint32_t i = 0; i < w->count; i++) {
        struct arrow_column *c = &w->columns[i];
        tn_buffer_clear(&c->valid);
        tn_buffer_clear(&c->offsets);
        tn_buffer_clear(&c->values);
        if (has_offsets(w->fields[i].type))
            add_little(&c->offsets, 0, 4);
        c->nulls = 0;
    }
    w->rows  = 0;
    w->bytes = 0;
}

static void put_batch(struct tn_arrow_writer *w)
{
    struct layout        l = { 0 };
    struct tn_fb_builder b;
    struct tn_arena      arena;
    struct arrow_block  *block =
        tn_list_push(&w->blocks, struct arrow_block, w->error);

    tn_arena_init(&arena, w->memory);
    tn_buffer_init(&l.nodes, w->memory, w->error);
    tn_buffer_init(&l.buffers, w->memory, w->error);
    tn_fb_build_init(&b, &arena, w->error);
    lay_out(w, &l);
    uint32_t nodes =
        tn_fb_put_vector(&b, tn_buffer_bytes(&l.nodes), 16, 8);
    uint32_t buffers =
        tn_fb_put_vector(&b, tn_buffer_bytes(&l.buffers), 16, 8);
    tn_fb_begin(&b);
    tn_fb_add(&b, BATCH_LENGTH, w->rows, 8);
    tn_fb_add_ref(&b, BATCH_NODES, nodes);
    tn_fb_add_ref(&b, BATCH_BUFFERS, buffers);
    uint32_t header = tn_fb_end(&b);
    if (block && !tn_failed(w->error)) {
        block->offset = w->written;
        block->body   = l.size;
        put_message(w, &b, HEADER_BATCH, header, l.size, &block->metadata);
        put_body(w);
    }
    tn_fb_build_done(&b);
    tn_buffer_done(&l.nodes);
    tn_buffer_done(&l.buffers);
    tn_arena_done(&arena);
    clear(w);
}

/* ---- rows ----------------------------------------------------------------- */

void tn_arrow_uint64(struct tn_arrow_writer *w, uint32_t column, uint64_t value)
{
    add_little(&w->columns[column].values, value, 8);
    w->columns[column].has_value = true;
    w->bytes += 8;
}

void tn_arrow_double(struct tn_arrow_writer *w, uint32_t column, double value)
{
    tn_arrow_uint64(w, column, tn_double_bits(value));
}

void tn_arrow_text(struct tn_arrow_writer *w, uint32_t column,
                   struct tn_bytes text)
{
    if (text.size > INT32_MAX - BATCH_BYTES) {
        tn_error_set(w->error, TN_LIMIT, TN_NOWHERE,
                     "a text of %zu bytes; Arrow's have fewer than 2^31",
                     text.size);
        return;
    }
    tn_buffer_add(&w->columns[column].values, text);
    w->columns[column].has_value = true;
    w->bytes += text.size;
}

void tn_arrow_list(struct tn_arrow_writer *w, uint32_t column,
                   const uint64_t *items, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        add_little(&w->columns[column].values, items[i], 8);
    w->columns[column].has_value = true;
    w->bytes += (uint64_t)count * 8;
}

static void end_column(struct tn_arrow_writer *w, uint32_t i)
{
    struct arrow_column *c = &w->columns[i];

    tn_buffer_byte(&c->valid, c->has_value);
    c->nulls += !c->has_value;
    switch (w->fields[i].type) {
    case TN_ARROW_TEXT: add_little(&c->offsets, c->values.size, 4); break;
    case TN_ARROW_UINT64_LIST:
        add_little(&c->offsets, c->values.size / 8, 4);
        break;
    case TN_ARROW_UINT64:
    case TN_ARROW_DOUBLE:
        if (!c->has_value)
            add_little(&c->values, 0, 8);
        break;
    }
    c->has_value = false;
}

enum tn_status tn_arrow_end_row(struct tn_arrow_writer *w)
{
    for (uint32_t i = 0; i < w->count && !tn_failed(w->error); i++)
        end_column(w, i);
    w->rows++;
    if (!tn_failed(w->error) &&
        (w->rows == BATCH_ROWS || w->bytes >= BATCH_BYTES))
        put_batch(w);
    return w->error->status;
}

/* ---- the whole ------------------------------------------------------------ */

static void put_footer(struct tn_arrow_writer *w)
{
    struct tn_fb_builder b;
    struct tn_arena      arena;
    struct tn_buffer     blocks;
    struct tn_rope       rope;

    tn_arena_init(&arena, w->memory);
    tn_buffer_init(&blocks, w->memory, w->error);
    tn_fb_build_init(&b, &arena, w->error);
    for (uint64_t i = 0; i < w->blocks.count; i++) {
        const struct arrow_block *block =
            tn_list_at(&w->blocks, struct arrow_block, i);
        add_little(&blocks, block->offset, 8);
        add_little(&blocks, block->metadata, 8); /* i32, and padding */
        add_little(&blocks, block->body, 8);
    }
    uint32_t schema = build_schema(w, &b);
    uint32_t none   = tn_fb_put_vector(&b, tn_bytes(NULL, 0), 24, 8);
    uint32_t all = tn_fb_put_vector(&b, tn_buffer_bytes(&blocks), 24, 8);
    tn_fb_begin(&b);
    tn_fb_add(&b, FOOTER_VERSION, VERSION_5, 2);
    tn_fb_add_ref(&b, FOOTER_SCHEMA, schema);
    tn_fb_add_ref(&b, FOOTER_DICTIONARIES, none);
    tn_fb_add_ref(&b, FOOTER_BATCHES, all);
    tn_rope_init(&rope, &arena, w->error);
    tn_fb_finish(&b, tn_fb_end(&b), NULL, &rope);
    if (!tn_failed(w->error))
        tn_rope_write(&rope, w->to, w->error);
    uint8_t size[4];
    tn_store_little(size, rope.length, 4);
    put(w, tn_bytes(size, sizeof size));
    put(w, tn_text("ARROW1"));
    tn_rope_done(&rope);
    tn_fb_build_done(&b);
    tn_buffer_done(&blocks);
    tn_arena_done(&arena);
}

enum tn_status tn_arrow_finish(struct tn_arrow_writer *w)
{
    static const uint8_t end[8] = { 0xff, 0xff, 0xff, 0xff };

    if (w->rows && !tn_failed(w->error))
        put_batch(w);
    put(w, tn_bytes(end, sizeof end));
    if (w->is_file && !tn_failed(w->error))
        put_footer(w);
    return w->error->status;
}

enum tn_status tn_arrow_open(struct tn_arrow_writer **out,
                             struct tn_memory *memory, struct tn_sink *to,
                             const struct tn_arrow_field *fields,
                             uint32_t count, bool is_file,
                             struct tn_error *error)
{
    struct tn_arrow_writer *w =
        tn_memory_resize(memory, NULL, 0, sizeof *w, error);

    *out = NULL;
    if (!w)
        return error->status;
    *w = (struct tn_arrow_writer){ .memory  = memory,
                                   .error   = error,
                                   .to      = to,
                                   .fields  = fields,
                                   .is_file = is_file };
    tn_list_init(&w->blocks, memory, sizeof(struct arrow_block));
    w->columns = tn_memory_resize(memory, NULL, 0, count * sizeof *w->columns,
                                  error);
    for (uint32_t i = 0; w->columns && i < count; i++) {
        struct arrow_column *c = &w->columns[i];
        *c                     = (struct arrow_column){ 0 };
        tn_buffer_init(&c->valid, memory, error);
        tn_buffer_init(&c->offsets, memory, error);
        tn_buffer_init(&c->values, memory, error);
    }
    w->count = w->columns ? count : 0;
    clear(w);
    if (is_file)
        put(w, tn_bytes("ARROW1\0", 8));
    if (!tn_failed(error))
        put_schema(w);
    if (tn_failed(error))
        tn_arrow_close(w);
    else
        *out = w;
    return error->status;
}

void tn_arrow_close(struct tn_arrow_writer *w)
{
    if (!w)
        return;
    for (uint32_t i = 0; i < w->count; i++) {
        tn_buffer_done(&w->columns[i].valid);
        tn_buffer_done(&w->columns[i].offsets);
        tn_buffer_done(&w->columns[i].values);
    }
    tn_memory_free(w->memory, w->columns, w->count * sizeof *w->columns);
    tn_list_done(&w->blocks);
    tn_memory_free(w->memory, w, sizeof *w);
}
