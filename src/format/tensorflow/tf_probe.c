/*
 * tf_probe.c - is this file TensorFlow's, and which kind?
 *
 *   GraphDef      0a NodeDef, again and again; NodeDef: 0a name, 12 op
 *   MetaGraphDef  0a MetaInfoDef, 12 GraphDef
 *   SavedModel    08 01, 12 MetaGraphDef (older writers drop the 08 01)
 *   checkpoint    ends in 57 fb 80 8b 24 75 47 db
 *   state file    text that begins with model_checkpoint_path
 *
 * Models that are text are known by their root fields: see the engine.
 *
 * A probe sees the head of the file only, so a length may run out of it: then
 * what is there must fit.
 */
#include "format/tensorflow/tf.h"
#include "format/text_model.h"
#include "wire/sstable/sstable.h"

/* Bits of confidence. */
enum {
    SURE     = 64, /* a magic, or a name that is reserved                     */
    LIKELY   = 40,
    PROBABLY = 30,
    PERHAPS  = 24,
    HARDLY   = 8,
};

/* ---- looking at bytes that may be cut ----------------------------------- */

struct look {
    const uint8_t *at, *end;
    bool           is_cut; /* the file continues after these bytes */
};

struct look_field {
    uint64_t    number;
    unsigned    type;
    struct look body;
};

static bool look_varint(struct look *look, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; shift < 64 && look->at < look->end; shift += 7) {
        uint8_t byte = *look->at++;
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return true;
    }
    return false;
}

static bool look_skip(struct look *look, uint64_t size)
{
    uint64_t left = (uint64_t)(look->end - look->at);

    if (size > left && !look->is_cut)
        return false;
    look->at += size > left ? left : size;
    return true;
}

/* The next field; false at the end and for bytes that are no field. `*is_good`
 * tells them apart. */
static bool look_next(struct look *look, struct look_field *field,
                      bool *is_good)
{
    uint64_t tag, size = 0;

    if (look->at >= look->end)
        return false;
    *is_good = false;
    if (!look_varint(look, &tag)) {
        *is_good = look->is_cut;
        return false;
    }
    field->number = tag >> 3;
    field->type   = tag & 7;
    if (field->number == 0 || tag >> 32)
        return false;
    if (field->type == TN_WIRE_FIXED64 || field->type == TN_WIRE_FIXED32)
        size = field->type == TN_WIRE_FIXED64 ? 8 : 4;
    else if (field->type == TN_WIRE_GROUP_BEGIN ||
             field->type > TN_WIRE_FIXED32 || field->type == TN_WIRE_GROUP_END)
        return false;
    else if (!look_varint(look, &size)) {
        *is_good = look->is_cut;
        return false;
    }
    field->body = *look;
    if (field->type != TN_WIRE_VARINT && !look_skip(look, size))
        return false;
    field->body.end    = look->at;
    field->body.is_cut = look->is_cut && look->at == look->end;
    return *is_good    = true;
}

/* Names of operators. */
static bool is_name(const struct look *text)
{
    for (const uint8_t *p = text->at; p < text->end; p++)
        if (*p <= ' ' || *p >= 0x7f)
            return false;
    return text->at < text->end;
}

/* Names of nodes. Files have names that TensorFlow does not take: `check`
 * reports them. */
static bool is_node_name(const struct look *text)
{
    for (const uint8_t *p = text->at; p < text->end; p++)
        if (*p < ' ' || *p == 0x7f)
            return false;
    return text->at < text->end;
}

static bool is_node(struct look look)
{
    struct look_field field;
    bool              is_good = true, has_op = false;
    bool              is_cut = look.is_cut;

    while (look_next(&look, &field, &is_good)) {
        if (field.number > 7 || field.type != TN_WIRE_LEN)
            return false;
        if (field.number <= 3 && !field.body.is_cut &&
            !(field.number == 2 ? is_name : is_node_name)(&field.body))
            return false;
        has_op = has_op || field.number == 2;
    }
    return is_good && (has_op || is_cut);
}

/* GraphDef: how many nodes were seen; -1: it is none. */
static int count_nodes(struct look look)
{
    struct look_field field;
    bool              is_good = true;
    int               nodes   = 0;

    while (look_next(&look, &field, &is_good)) {
        if (field.number > 5 ||
            (field.type == TN_WIRE_VARINT) != (field.number == 3))
            return -1;
        if (field.number == 1 && !is_node(field.body))
            return -1;
        nodes += field.number == 1 && nodes < 16;
    }
    return is_good ? nodes : -1;
}

/* OpList in MetaInfoDef: 0a OpDef {0a name}. */
static bool is_op_list(struct look look)
{
    struct look_field field, name;
    bool              is_good = true;

    while (look_next(&look, &field, &is_good)) {
        struct look op    = field.body;
        bool        is_op = true;
        if (field.number != 1 || field.type != TN_WIRE_LEN)
            return false;
        if (look_next(&op, &name, &is_op) &&
            (name.number != 1 || name.type != TN_WIRE_LEN ||
             (!is_name(&name.body) && !name.body.is_cut)))
            return false;
    }
    return is_good;
}

static bool is_meta_info(struct look look)
{
    struct look_field field;
    bool              is_good = true;

    while (look_next(&look, &field, &is_good)) {
        if (field.number > 8 ||
            (field.type == TN_WIRE_VARINT) != (field.number == 7))
            return false;
        if (field.number == 2 && !is_op_list(field.body))
            return false;
    }
    return is_good;
}

/* MetaGraphDef: 0 it is none, else bits. */
static int meta_bits(struct look look)
{
    struct look_field field;
    bool              is_good = true, has_info = false, has_graph = false;

    while (look_next(&look, &field, &is_good)) {
        if (field.number > 7 || field.type != TN_WIRE_LEN)
            return 0;
        if (field.number == 1 && !is_meta_info(field.body))
            return 0;
        if (field.number == 2 && count_nodes(field.body) < 0)
            return 0;
        has_info  = has_info || field.number == 1;
        has_graph = has_graph || field.number == 2;
    }
    if (!is_good || (!has_info && !has_graph))
        return 0;
    return has_info && has_graph ? PROBABLY + 6 : PROBABLY - 6;
}

static struct look look_at(const struct tn_probe *probe)
{
    return (struct look){ probe->head.data, probe->head.data + probe->head.size,
                          probe->size > probe->head.size };
}

/* ---- the formats -------------------------------------------------------- */

int tn_tf_probe_graph(const struct tn_probe *probe)
{
    if (probe->entries || !probe->head.size)
        return 0;
    int nodes = count_nodes(look_at(probe));
    if (nodes < 0)
        return 0;
    return nodes ? PERHAPS + nodes : HARDLY;
}

int tn_tf_probe_meta_graph(const struct tn_probe *probe)
{
    if (probe->entries || !probe->head.size)
        return 0;
    return meta_bits(look_at(probe));
}

static bool is_named(const struct tn_probe *probe, const char *const *names)
{
    for (; *names; names++)
        if (strcmp(probe->name, *names) == 0)
            return true;
    return false;
}

bool tn_tf_is_version_folder(const char *entry)
{
    const char *p = entry;

    while (*p >= '0' && *p <= '9')
        p++;
    return p > entry && strcmp(p, "/") == 0;
}

static int saved_model_folder_bits(const struct tn_probe *probe)
{
    return tn_probe_has_entry(probe, "saved_model.pb") ||
                   tn_probe_has_entry(probe, "saved_model.pbtxt")
               ? SURE
               : 0;
}

static int saved_model_bits(struct look look)
{
    struct look_field field;
    bool              is_good = true, has_version = false;
    int               bits = 0;

    while (look_next(&look, &field, &is_good)) {
        if (field.number == 1 && field.type == TN_WIRE_VARINT) {
            has_version = true;
        } else if (field.number == 2 && field.type == TN_WIRE_LEN) {
            bits = meta_bits(field.body);
            if (bits == 0)
                return 0;
        } else {
            return 0;
        }
    }
    if (!is_good || bits == 0)
        return 0;
    return has_version ? LIKELY + 4 : bits;
}

int tn_tf_probe_saved_model(const struct tn_probe *probe)
{
    static const char *const main_names[] = { "saved_model.pb",
                                              "saved_model.pbtxt", NULL };
    /* These are not models: open() says what they are and what to open
     * instead. */
    static const char *const side_names[] = {
        "keras_metadata.pb",
        "tfhub_module.pb",
        "fingerprint.pb",
        "saved_model_debug_info.pb",
        NULL,
    };

    if (probe->entries)
        return saved_model_folder_bits(probe);
    if (probe->size && is_named(probe, side_names))
        return SURE;
    if (!probe->head.size)
        return 0;
    int bits = saved_model_bits(look_at(probe));
    return bits && is_named(probe, main_names) ? SURE : bits;
}

bool tn_tf_is_shard_name(const char *name)
{
    const char *data = strstr(name, ".data-");

    return data && strlen(data) == strlen(".data-00000-of-00001") &&
           strncmp(data + 11, "-of-", 4) == 0;
}

int tn_tf_probe_checkpoint(const struct tn_probe *probe)
{
    struct tn_bytes word;

    if (probe->entries)
        return tn_probe_has_entry(probe, "checkpoint") ? LIKELY : 0;
    if (probe->tail.size >= TN_SSTABLE_FOOTER_SIZE &&
        memcmp(probe->tail.data + probe->tail.size - 8, tn_sstable_magic, 8) ==
            0)
        return SURE;
    if (tn_tf_is_shard_name(probe->name))
        return LIKELY + 8;
    if (!tn_is_text(probe->head, &word))
        return 0;
    return tn_bytes_is(word, "model_checkpoint_path") ||
                   tn_bytes_is(word, "all_model_checkpoint_paths")
               ? LIKELY
               : 0;
}
