/*
 * metadata_fuzz.c - texts about a model are written into the copy, or told
 *
 * The bytes choose: a small valid model of one of the formats, and what it says
 * about itself: producer, versions, documentation, licence, tags and metadata.
 * Keys and values are empty, long, the same twice, controls, no UTF-8, or the
 * names that a writer of ours uses itself.  The model is converted to every
 * format and opened again.  Of each text one of these must hold, or the process
 * ends:
 *
 *   the copy says it under the same key, in the same words
 *   a line of the list of losses names its key or its field
 *   it is one of those that a line counts: no UTF-8, a key for the second time,
 *   "and 3 more"
 */
#define _GNU_SOURCE
#include <inttypes.h>

#include "base/buffer.h"
#include "base/json_write.h"
#include "base/utf8.h"
#include "engine/opened.h"
#include "support/choices.h"
#include "support/rewrite.h"
#include "wire/fb/fb_builtin.h"
#include "wire/fb/fb_json_read.h"
#include "wire/pb/pb_write.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_ITEMS = 40, MOST_ENTRIES = 6, LONG = 5000 };

struct item {
    struct tn_bytes key, value;
    const char *field; /* that a loss may name instead of the key; or NULL */
};

struct built {
    struct tn_choices choices;
    struct tn_arena  *arena;
    struct tn_error  *error;
    struct item       items[MOST_ITEMS];
    size_t            count;
    bool              has_node_text;
};

/* ---- texts -------------------------------------------------------------- */

#define TEXT(literal)                                                          \
    {                                                                          \
        (const uint8_t *)(literal), sizeof(literal) - 1                        \
    }

static const struct tn_bytes texts[] = {
    TEXT("MIT"),
    TEXT(""),
    TEXT("a"),
    TEXT("licence"),
    TEXT("two\nlines\r\n"),
    TEXT("\x01\x1b[31mred\x7f"),
    TEXT("a\0b"),
    TEXT("\0"),
    TEXT("\xff\xfe"),
    TEXT("cut \xc3"),
    TEXT("\xe2\x80\xae override"),
    TEXT("\"quoted\\\", 'and'"),
    TEXT("a, b"),
    TEXT("7"),
    TEXT("007"),
    TEXT("0"),
    TEXT("-9223372036854775808"),
    TEXT("9223372036854775808"),
    TEXT("onnx.model_version"),
    TEXT("onnx.doc_string"),
    TEXT("onnx.producer_name"),
    TEXT("onnx.graph_name"),
    TEXT("onnx.graph_metadata."),
    TEXT("onnx.graph_metadata.a"),
    TEXT("tensorflow.version"),
    TEXT("tensorflow.tags"),
    TEXT("tensorflow.signature"),
    TEXT("paddle.version"),
    TEXT("shard.index"),
    TEXT("shard.type"),
    TEXT("nd4j.format.version"),
    TEXT("nd4j.format.type"),
    TEXT("comment"),
    TEXT("__metadata__"),
};

static struct tn_bytes choose_text(struct built *b)
{
    struct tn_bytes text = TN_CHOOSE(&b->choices, texts);

    if (!tn_seldom(&b->choices, 16))
        return text;
    uint8_t *many = tn_new(b->arena, uint8_t, LONG, b->error);
    if (!many)
        return text;
    memset(many, 'z', LONG);
    memcpy(many, text.data, text.size);
    return tn_bytes(many, LONG);
}

/* A key of ONNX's own fields with nothing behind it: not set, and not missed.
 */
static bool is_unset(struct tn_bytes key, struct tn_bytes value)
{
    return !value.size && tn_bytes_starts_with(key, "onnx.") &&
           !tn_bytes_starts_with(key, "onnx.graph_metadata.");
}

static void note(struct built *b, struct tn_bytes key, struct tn_bytes value,
                 const char *field)
{
    if (b->count < MOST_ITEMS && !is_unset(key, value))
        b->items[b->count++] = (struct item){ key, value, field };
}

/* Of a field: that it is empty says nothing. */
static void note_field(struct built *b, const char *key, struct tn_bytes value,
                       const char *field)
{
    if (value.size)
        note(b, tn_text(key), value, field);
}

static uint32_t entries(struct built *b)
{
    return tn_choose(&b->choices, MOST_ENTRIES);
}

/* ---- files -------------------------------------------------------------- */

static void end(struct tn_rope *to, uint32_t field, struct tn_rope *body)
{
    tn_pb_put_message(to, field, body);
}

static bool put_rope(struct built *b, struct tn_rope *rope, const char *name)
{
    struct tn_buffer bytes;

    tn_buffer_init(&bytes, b->arena->memory, b->error);
    bool is_put = tn_rope_write(rope, &bytes.sink, b->error) == TN_OK &&
                  rewrite_put(name, bytes.data, bytes.size);
    tn_buffer_done(&bytes);
    tn_rope_done(rope);
    return is_put;
}

static void put_field(struct built *b, struct tn_rope *to, uint32_t number,
                      const char *key, const char *field)
{
    if (tn_seldom(&b->choices, 2)) {
        struct tn_bytes value = choose_text(b);
        tn_pb_put_bytes(to, number, value);
        note_field(b, key, value, field);
    }
}

/* ---- ONNX: y = x + w ---------------------------------------------------- */

static void put_entries(struct built *b, struct tn_rope *to, uint32_t number,
                        const char *prefix)
{
    struct tn_rope body;

    for (uint32_t i = entries(b); i > 0; i--) {
        struct tn_bytes key = choose_text(b), value = choose_text(b);
        size_t          size  = strlen(prefix) + key.size;
        uint8_t        *whole = tn_new(b->arena, uint8_t, size + 1, b->error);
        if (!whole)
            return;
        memcpy(whole, prefix, strlen(prefix));
        memcpy(whole + strlen(prefix), key.data, key.size);
        tn_rope_init(&body, b->arena, b->error);
        tn_pb_put_bytes(&body, 1, key);
        tn_pb_put_bytes(&body, 2, value);
        end(to, number, &body);
        note(b, tn_bytes(whole, size), value, NULL);
    }
}

static void put_onnx_value(struct built *b, struct tn_rope *to, uint32_t number,
                           const char *name)
{
    struct tn_rope value, type, tensor, shape, dim;

    tn_rope_init(&dim, b->arena, b->error);
    tn_pb_put_varint(&dim, 1, 2);
    tn_rope_init(&shape, b->arena, b->error);
    end(&shape, 1, &dim);
    tn_rope_init(&tensor, b->arena, b->error);
    tn_pb_put_varint(&tensor, 1, 1);
    end(&tensor, 2, &shape);
    tn_rope_init(&type, b->arena, b->error);
    end(&type, 1, &tensor);
    tn_rope_init(&value, b->arena, b->error);
    tn_pb_put_text(&value, 1, name);
    end(&value, 2, &type);
    end(to, number, &value);
}

static void put_onnx_graph(struct built *b, struct tn_rope *to)
{
    static const uint8_t weights[8] = { 0, 0, 0x80, 0x3f, 0, 0, 0, 0x40 };
    struct tn_rope       graph, node, weight;

    tn_rope_init(&node, b->arena, b->error);
    tn_pb_put_text(&node, 1, "x");
    tn_pb_put_text(&node, 1, "w");
    tn_pb_put_text(&node, 2, "y");
    tn_pb_put_text(&node, 4, "Add");
    if (tn_seldom(&b->choices, 4)) {
        struct tn_bytes doc = choose_text(b);
        tn_pb_put_bytes(&node, 6, doc);
        b->has_node_text = doc.size > 0;
    }
    tn_rope_init(&weight, b->arena, b->error);
    tn_pb_put_varint(&weight, 1, 2);
    tn_pb_put_varint(&weight, 2, 1);
    tn_pb_put_text(&weight, 8, "w");
    tn_pb_put_bytes(&weight, 9, tn_bytes(weights, sizeof weights));
    tn_rope_init(&graph, b->arena, b->error);
    end(&graph, 1, &node);
    put_field(b, &graph, 2, "onnx.graph_name", NULL);
    end(&graph, 5, &weight);
    put_field(b, &graph, 10, "onnx.graph_doc_string", NULL);
    put_onnx_value(b, &graph, 11, "x");
    put_onnx_value(b, &graph, 12, "y");
    put_entries(b, &graph, 16, "onnx.graph_metadata.");
    end(to, 7, &graph);
}

static const char *build_onnx(struct built *b)
{
    static const int64_t versions[] = { 0, 1, 7, -1, INT64_MIN, INT64_MAX };
    struct tn_rope       model, import;
    int64_t              version = TN_CHOOSE(&b->choices, versions);

    tn_rope_init(&model, b->arena, b->error);
    tn_pb_put_varint(&model, 1, 8);
    put_field(b, &model, 2, "onnx.producer_name", NULL);
    put_field(b, &model, 3, "onnx.producer_version", NULL);
    put_field(b, &model, 4, "onnx.domain", NULL);
    tn_pb_put_varint(&model, 5, (uint64_t)version);
    if (version)
        note_field(
            b, "onnx.model_version",
            tn_text(tn_text_format(b->arena, b->error, "%" PRId64, version)),
            NULL);
    put_field(b, &model, 6, "onnx.doc_string", NULL);
    put_onnx_graph(b, &model);
    tn_rope_init(&import, b->arena, b->error);
    tn_pb_put_varint(&import, 2, 17);
    end(&model, 8, &import);
    put_entries(b, &model, 14, "");
    return put_rope(b, &model, "in.onnx") ? "in.onnx" : NULL;
}

/* ---- TensorFlow --------------------------------------------------------- */

/* An attribute that is a type, float. */
static void put_type(struct built *b, struct tn_rope *to, const char *name)
{
    struct tn_rope attr, value;

    tn_rope_init(&value, b->arena, b->error);
    tn_pb_put_varint(&value, 6, 1);
    tn_rope_init(&attr, b->arena, b->error);
    tn_pb_put_text(&attr, 1, name);
    end(&attr, 2, &value);
    end(to, 5, &attr);
}

static void put_node(struct built *b, struct tn_rope *to, const char *name,
                     const char *op, const char *input)
{
    struct tn_rope node;

    tn_rope_init(&node, b->arena, b->error);
    tn_pb_put_text(&node, 1, name);
    tn_pb_put_text(&node, 2, op);
    if (input)
        tn_pb_put_text(&node, 3, input);
    put_type(b, &node, input ? "T" : "dtype");
    end(to, 1, &node);
}

static void put_tags(struct built *b, struct tn_rope *info)
{
    struct tn_buffer joined;
    uint32_t         count = tn_choose(&b->choices, 3);

    tn_buffer_init(&joined, b->arena->memory, b->error);
    for (uint32_t i = 0; i < count; i++) {
        struct tn_bytes tag = choose_text(b);
        tn_pb_put_bytes(info, 4, tag);
        if (i)
            tn_buffer_byte(&joined, ',');
        tn_buffer_add(&joined, tag);
    }
    uint8_t *copy = tn_new(b->arena, uint8_t, joined.size + 1, b->error);
    if (copy && joined.size) {
        memcpy(copy, joined.data, joined.size);
        note_field(b, "tensorflow.tags", tn_bytes(copy, joined.size),
                   "meta_info_def");
    }
    tn_buffer_done(&joined);
}

static const char *build_meta_graph(struct built *b)
{
    bool           is_folder = tn_seldom(&b->choices, 2);
    struct tn_rope info, graph, meta, model;

    tn_rope_init(&info, b->arena, b->error);
    put_field(b, &info, 1, "tensorflow.meta_graph_version", "meta_info_def");
    put_tags(b, &info);
    put_field(b, &info, 5, "tensorflow.version", "meta_info_def");
    put_field(b, &info, 6, "tensorflow.git_version", "meta_info_def");
    tn_rope_init(&graph, b->arena, b->error);
    put_node(b, &graph, "x", "Placeholder", NULL);
    put_node(b, &graph, "y", "Relu", "x");
    tn_rope_init(&meta, b->arena, b->error);
    end(&meta, 1, &info);
    end(&meta, 2, &graph);
    if (!is_folder)
        return put_rope(b, &meta, "in.meta") ? "in.meta" : NULL;
    tn_rope_init(&model, b->arena, b->error);
    tn_pb_put_varint(&model, 1, 1);
    end(&model, 2, &meta);
    return put_rope(b, &model, "in/saved_model.pb") ? "in" : NULL;
}

/* ---- comments of models that are written as text ------------------------ */

static const char graph_text[] =
    "node { name: 'x' op: 'Placeholder'\n"
    "  attr { key: 'dtype' value { type: DT_FLOAT } } }\n"
    "node { name: 'y' op: 'Relu' input: 'x'\n"
    "  attr { key: 'T' value { type: DT_FLOAT } } }\n";

static const char program_text[] =
    "blocks { idx: 0 parent_idx: -1\n"
    "  vars { name: 'x' type { type: LOD_TENSOR lod_tensor {\n"
    "    tensor { data_type: FP32 dims: 2 } } } need_check_feed: true }\n"
    "  vars { name: 'y' type { type: LOD_TENSOR lod_tensor {\n"
    "    tensor { data_type: FP32 dims: 2 } } } }\n"
    "  ops { type: 'relu' inputs { parameter: 'X' arguments: 'x' }\n"
    "    outputs { parameter: 'Out' arguments: 'y' } } }\n";

/* A comment ends with its line, and controls are no text. */
static void put_comment(struct built *b, struct tn_buffer *to)
{
    struct tn_bytes text = choose_text(b);

    tn_buffer_text(to, "# ");
    for (size_t i = 0; i < text.size; i++)
        tn_buffer_byte(to, text.data[i] < 0x20 ? ' ' : text.data[i]);
    tn_buffer_byte(to, '\n');
}

static const char *build_text(struct built *b)
{
    bool        is_graph = tn_seldom(&b->choices, 2);
    const char *name     = is_graph ? "in.pbtxt" : "in.pdmodel.txt";
    uint32_t    count    = entries(b);
    uint32_t    repeat   = tn_seldom(&b->choices, 16) ? 40 : 1;

    struct tn_buffer text;
    tn_buffer_init(&text, b->arena->memory, b->error);
    for (uint32_t i = 0; i < count * repeat; i++)
        put_comment(b, &text);
    uint8_t *copy = tn_new(b->arena, uint8_t, text.size + 1, b->error);
    if (copy && text.size) {
        memcpy(copy, text.data, text.size);
        note(b, tn_text("comment"), tn_bytes(copy, text.size - 1),
             "comments at the beginning");
    }
    tn_buffer_text(&text, is_graph ? graph_text : program_text);
    bool is_put =
        !tn_failed(b->error) && rewrite_put(name, text.data, text.size);
    tn_buffer_done(&text);
    return is_put ? name : NULL;
}

/* ---- safetensors and SameDiff ------------------------------------------- */

/* In UTF-8 by all means: JSON has nothing else. */
static struct tn_bytes in_utf8(struct tn_bytes text)
{
    return tn_utf8_is_valid(text) ? text : tn_text("no UTF-8");
}

static const char *build_safetensors(struct built *b)
{
    static const char weight[] =
        "\"w\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}";
    struct tn_buffer      header, file;
    struct tn_json_writer json;
    uint8_t               size[8] = { 0 };

    tn_buffer_init(&header, b->arena->memory, b->error);
    tn_buffer_init(&file, b->arena->memory, b->error);
    tn_buffer_text(&header, "{\"__metadata__\":");
    tn_json_writer_init(&json, &header.sink, false, b->error);
    tn_json_object_begin(&json);
    for (uint32_t i = entries(b); i > 0; i--) {
        struct tn_bytes key   = in_utf8(choose_text(b));
        struct tn_bytes value = in_utf8(choose_text(b));
        tn_json_key_bytes(&json, key);
        tn_json_string(&json, value);
        note(b, key, value, NULL);
    }
    tn_json_object_end(&json);
    tn_buffer_byte(&header, ',');
    tn_buffer_text(&header, weight);
    while (header.size % 8 && !tn_failed(b->error))
        tn_buffer_byte(&header, ' ');
    for (unsigned i = 0; i < 8; i++)
        size[i] = (uint8_t)((uint64_t)header.size >> 8 * i);
    tn_buffer_add(&file, tn_bytes(size, 8));
    tn_buffer_add(&file, tn_buffer_bytes(&header));
    tn_buffer_add(&file, tn_bytes(size, 8));
    bool is_put = !tn_failed(b->error) &&
                  rewrite_put("in.safetensors", file.data, file.size);
    tn_buffer_done(&header);
    tn_buffer_done(&file);
    return is_put ? "in.safetensors" : NULL;
}

static const char flat_text[] =
    "{\"variables\":[{\"id\":{\"first\":1},\"name\":\"x\",\"dtype\":\"FLOAT\","
    "\"shape\":[2,2],\"device\":-1,\"variabletype\":\"PLACEHOLDER\"},"
    "{\"id\":{\"first\":2},\"name\":\"y\",\"dtype\":\"FLOAT\","
    "\"variabletype\":\"ARRAY\"}],\"nodes\":[{\"id\":2,\"name\":\"y\","
    "\"opType\":\"CUSTOM\",\"opNum\":-273014250715117663,"
    "\"opName\":\"matmul\",\"inputPaired\":[{\"first\":1},{\"first\":1}],"
    "\"outputNames\":[\"y\"],\"outputTypes\":[\"FLOAT\"],"
    "\"extraInteger\":[0,0,0]}],\"placeholders\":[\"x\"],";

/* What JSON cannot say is written as "~", and put in afterwards. */
static struct tn_bytes spelt(struct built *b, struct tn_bytes text)
{
    uint8_t *copy = tn_new(b->arena, uint8_t, text.size + 1, b->error);

    for (size_t i = 0; copy && i < text.size; i++)
        copy[i] =
            tn_utf8_is_valid(text) || text.data[i] < 0x80 ? text.data[i] : '~';
    return tn_bytes(copy, copy ? text.size : 0);
}

/* As the file has it in the end. */
static struct tn_bytes unspelt(struct built *b, struct tn_bytes text)
{
    uint8_t *copy = tn_new(b->arena, uint8_t, text.size + 1, b->error);

    for (size_t i = 0; copy && i < text.size; i++)
        copy[i] = text.data[i] == '~' ? 0xff : text.data[i];
    return tn_bytes(copy, copy ? text.size : 0);
}

/* Format and shards are the container's own, and not noted. */
static bool is_own(struct tn_bytes key)
{
    return tn_bytes_starts_with(key, "shard.") ||
           tn_bytes_starts_with(key, "nd4j.format.");
}

static void put_flat_metadata(struct built *b, struct tn_buffer *json)
{
    struct tn_bytes       keys[MOST_ENTRIES], values[MOST_ENTRIES];
    struct tn_json_writer writer;
    uint32_t              count = entries(b);

    for (uint32_t i = 0; i < count; i++) {
        keys[i]   = spelt(b, choose_text(b));
        values[i] = spelt(b, choose_text(b));
        if (!is_own(keys[i]))
            note(b, unspelt(b, keys[i]), unspelt(b, values[i]), "metadataKeys");
    }
    for (unsigned side = 0; side < 2; side++) {
        tn_buffer_text(json,
                       side ? ",\"metadataValues\":" : "\"metadataKeys\":");
        tn_json_writer_init(&writer, &json->sink, false, b->error);
        tn_json_array_begin(&writer);
        for (uint32_t i = 0; i < count; i++)
            tn_json_string(&writer, side ? values[i] : keys[i]);
        tn_json_array_end(&writer);
    }
}

static const char *build_flat(struct built *b)
{
    struct tn_buffer    json, flat;
    struct tn_source    source;
    struct tn_rope      rope;
    struct tn_fb_schema schema;

    tn_buffer_init(&json, b->arena->memory, b->error);
    tn_buffer_init(&flat, b->arena->memory, b->error);
    tn_buffer_text(&json, flat_text);
    put_flat_metadata(b, &json);
    tn_buffer_text(&json, "}");
    tn_source_memory(&source, b->arena->memory, tn_buffer_bytes(&json));
    tn_rope_init(&rope, b->arena, b->error);
    tn_fb_schema_load_builtin(&schema, b->arena, TN_FB_SAMEDIFF_CLASSIC,
                              b->error);
    tn_fb_json_read(&schema, tn_fb_schema_find(&schema, "sd.graph.FlatGraph"),
                    (struct tn_span){ &source, 0, json.size }, &rope, b->error);
    tn_rope_write(&rope, &flat.sink, b->error);
    for (size_t i = 0; !tn_failed(b->error) && i < flat.size; i++)
        flat.data[i] = flat.data[i] == '~' ? 0xff : flat.data[i];
    bool is_put =
        !tn_failed(b->error) && rewrite_put("in.fb", flat.data, flat.size);
    tn_rope_done(&rope);
    tn_source_close(&source);
    tn_buffer_done(&json);
    tn_buffer_done(&flat);
    return is_put ? "in.fb" : NULL;
}

/* ---- the list of losses ------------------------------------------------- */

struct heard {
    struct tn_buffer text; /* lines, each "where|what" between zeros          */
    uint64_t         more; /* texts that a line counts and does not name      */
    uint64_t count;        /* texts that are no UTF-8, or a key again         */
};

static void hear(void *context, uint64_t offset, const char *where,
                 const char *what)
{
    struct heard *heard = context;
    const char   *more  = strstr(what, ", and ");
    uint64_t      number;

    (void)offset;
    tn_buffer_add(&heard->text, tn_bytes((const uint8_t *)"", 1));
    tn_buffer_format(&heard->text, "%s|%s", where, what);
    if (more && strstr(what, "texts about the model: ") &&
        sscanf(more, ", and %" SCNu64 " more", &number) == 1)
        heard->more += number;
    if (strstr(what, "about the model: no UTF-8") &&
        sscanf(what, "left behind: %" SCNu64, &number) == 1)
        heard->count += number;
    if (!strcmp(tn_loss_kind(what), "other"))
        abort();
}

static bool has_word(const struct heard *heard, const char *before,
                     struct tn_bytes word)
{
    char wanted[80];

    snprintf(wanted, sizeof wanted, "%s%.*s", before,
             (int)(word.size < 40 ? word.size : 40), (const char *)word.data);
    return heard->text.size && memmem(heard->text.data, heard->text.size,
                                      wanted, strlen(wanted)) != NULL;
}

static bool is_named(const struct heard *heard, const struct item *item)
{
    return (item->field && has_word(heard, "", tn_text(item->field))) ||
           has_word(heard, "about the model: ", item->key) ||
           has_word(heard, ", ", item->key) || has_word(heard, "'", item->key);
}

/* ---- one copy ----------------------------------------------------------- */

static bool is_kept(const struct tn_about *about, const struct item *item)
{
    for (uint64_t i = 0; i < about->items.count; i++) {
        const struct tn_fact *fact =
            tn_list_at(&about->items, struct tn_fact, i);
        if (rewrite_same_text(fact->key, item->key) &&
            rewrite_same_text(fact->value, item->value))
            return true;
    }
    return false;
}

/* No UTF-8, without a key, or with one that another has: these are counted. */
static bool is_odd(const struct built *b, const struct item *item)
{
    bool is_again = false;

    for (size_t i = 0; i < b->count; i++)
        is_again |= &b->items[i] != item &&
                    rewrite_same_text(b->items[i].key, item->key);
    return is_again || !item->key.size || !tn_utf8_is_valid(item->key) ||
           !tn_utf8_is_valid(item->value);
}

static void account(const struct built *b, const struct tn_about *about,
                    const struct heard *heard, const char *format)
{
    uint64_t odd = heard->count + about->others, more = heard->more;

    for (size_t i = 0; i < b->count; i++) {
        const struct item *item = &b->items[i];
        if (is_kept(about, item) || is_named(heard, item))
            continue;
        if (is_odd(b, item) && odd > 0) {
            odd--;
        } else if (more > 0) {
            more--;
        } else {
            fprintf(stderr, "%s: neither written nor told: '%.*s' = '%.*s'\n",
                    format, TN_FMT(item->key), TN_FMT(item->value));
            abort();
        }
    }
    if (b->has_node_text && strcmp(format, "onnx") != 0 &&
        !has_word(heard, "", tn_text("NodeProto.doc_string")) &&
        !has_word(heard, "", tn_text("the graph is left behind")))
        rewrite_die(&(struct rewrite){ format, "once", NULL, NULL },
                    "not told:", tn_text("NodeProto.doc_string"));
}

static void try_format(struct built *b, const struct tn_model *model,
                       uint32_t format)
{
    const char               *name  = tn_format_at(format).name;
    struct tn_map_options     map   = { .book = rewrite_book() };
    struct tn_error           error = TN_ERROR_INIT;
    struct tn_convert_summary summary;
    struct heard              heard = { .more = 0 };
    struct tn_about           about;
    char                      path[600];

    rewrite_path(path, sizeof path, format, "first");
    tn_buffer_init(&heard.text, b->arena->memory, b->error);
    struct tn_convert_options how = {
        .to = name, .map = &map, .loss = hear, .loss_context = &heard
    };
    struct tn_target target = { .path = path, .can_replace = true };
    enum tn_status   status =
        tn_convert(model, &how, &target, &rewrite_options, &summary, &error);
    if (status != TN_OK && !error.what[0])
        abort();
    struct tn_model *copy =
        status == TN_OK ? rewrite_open(name, path, "written once") : NULL;
    if (copy) {
        const struct tn_format *of = tn_opened_of(copy)->format;
        tn_about_init(&about, b->arena, b->error);
        if (of->describe)
            of->describe(copy, &about);
        account(b, &about, &heard, name);
        tn_about_done(&about);
    }
    tn_model_close(copy);
    tn_buffer_done(&heard.text);
}

static const char *build(struct built *b)
{
    switch (tn_choose(&b->choices, 8)) {
    default: return build_onnx(b);
    case 3: return build_meta_graph(b);
    case 4: return build_text(b);
    case 5: return build_safetensors(b);
    case 6:
    case 7: return build_flat(b);
    }
}

static struct tn_model *open_built(const char *name)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_model *model = NULL;
    char             path[400];

    snprintf(path, sizeof path, "%s/%s", rewrite_folder, name);
    if (tn_model_open(&model, path, &rewrite_options, &error) != TN_OK &&
        !error.what[0])
        abort();
    return model;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_memory memory;
    struct tn_arena  arena;
    struct built     b     = { .choices = { data, data + size },
                               .arena   = &arena,
                               .error   = &error };
    uint32_t         count = tn_format_count();

    rewrite_enter();
    tn_memory_init(&memory, NULL, 0);
    tn_arena_init(&arena, &memory);
    /* One format, seldom all: rules of another dialect take their time. */
    uint32_t         wanted = tn_choose(&b.choices, 5 * count + 1);
    const char      *name   = build(&b);
    struct tn_model *model  = name ? open_built(name) : NULL;
    for (uint32_t i = 0; model && i < count; i++)
        if (tn_format_at(i).can_write && (!wanted || i == wanted % count))
            try_format(&b, model, i);
    tn_model_close(model);
    rewrite_empty();
    tn_arena_done(&arena);
    return 0;
}
