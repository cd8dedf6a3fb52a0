/* view_data.c - a picture as bytes: sections, deflate, base64 */
#include "view/view_data.h"

#include <stdatomic.h>

#include "base/json_write.h"
#include "base/utf8.h"
#include "base/varint.h"
#include "codec/deflate.h"
#include "codec/stored.h"
#include "io/pipeline.h"
#include "view/view_digits.h"
#include "view/view_page.h"
#include "view/view_nodes.h"

enum stream {
    PICTURE,
    NODES,
    NAMES,
    VALUES,
    TYPES,
    ATTRIBUTES,
    TENSORS,
    OVERLAY,
    STREAM_COUNT
};

static const char *const stream_names[STREAM_COUNT] = {
    "picture", "nodes",      "names",   "values",
    "types",   "attributes", "tensors", "overlay",
};

struct section {
    const char *name, *kind;
    uint64_t    count, bytes;
};

/* Units that are encoded and packed by any idle thread. */
enum job {
    TENSOR_JOB,
    ATTRIBUTE_JOB,
    NODE_JOB,
    NAME_JOB,
    VALUE_JOB, /* if values were numbered with the nodes meanwhile            */
    TYPE_JOB,  /* likewise                                                    */
    PICTURE_JOB,
    OVERLAY_JOB,
    JOB_COUNT
};

/* The columns of nodes, filled while values are numbered: nodes are many, and
 * not in the order of their ids. */
enum {
    NODE_KIND,
    NODE_OP,
    NODE_DOMAIN,
    NODE_CLASS,
    NODE_ATTRS,
    NODE_IN,
    NODE_CONTROL,
    NODE_OWN,
    NODE_OUT,
    COLUMNS
};

struct writer {
    const struct tn_picture    *p;
    const struct tn_model      *model;
    const struct tn_view_about *about;
    struct tn_memory           *memory;
    struct tn_error            *error;
    struct tn_arena             arena;
    struct tn_buffer            streams[STREAM_COUNT];
    struct tn_buffer            header;
    struct tn_list              sections[STREAM_COUNT]; /* struct section     */
    enum stream                 stream; /* of the section being written     */
    struct tn_buffer           *to;     /* likewise                         */
    uint64_t                    begin;
    int64_t                     before; /* for deltas                         */
    struct tn_buffer            last, clean; /* texts that are made here      */
    struct tn_bytes             front; /* the last text that was front coded  */
    uint32_t                   *numbers; /* by value of the model: its number
                                            in the picture, or TN_NONE        */
    uint32_t *values;                    /* by number                         */
    uint32_t  value_count;
    uint32_t *firsts; /* by position: number of the first own value           */
    struct tn_buffer *columns; /* of nodes, while they are filled             */
    uint32_t          last_domain, domain; /* of a node: name and string      */
    struct {
        uint64_t dims[8];
        uint32_t rank, word;
    } last_shape;
    const char      *last_word;
    uint32_t         last_word_id;
    struct tn_buffer packed[STREAM_COUNT];
    struct tn_error  failures[STREAM_COUNT];
};

struct tn_view_page {
    struct writer      writer;
    struct tn_buffer   columns[COLUMNS];
    _Atomic bool       is_numbered; /* what the next two jobs need            */
    bool               has_values, has_types; /* they were done               */
    struct tn_pipeline pipeline; /* slots are jobs                            */
};

/* ---- sections ----------------------------------------------------------- */

static void begin(struct writer *w, enum stream stream, const char *name,
                  const char *kind, uint64_t count)
{
    struct section *section =
        tn_list_push(&w->sections[stream], struct section, w->error);

    w->stream = stream;
    w->to     = &w->streams[stream];
    w->begin  = w->to->size;
    w->before = 0;
    if (section)
        *section =
            (struct section){ .name = name, .kind = kind, .count = count };
}

static void end(struct writer *w)
{
    static const uint8_t zeros[4];

    if (tn_failed(w->error))
        return;
    struct tn_list *sections = &w->sections[w->stream];
    tn_list_at(sections, struct section, sections->count - 1)->bytes =
        w->to->size - w->begin;
    tn_buffer_add(w->to, tn_bytes(zeros, (size_t)(-w->to->size & 3)));
}

/* Most numbers are small, and there are tens of millions. */
static inline void put_number(struct tn_buffer *to, uint64_t number)
{
    if (number < 0x80 && to->size < to->room)
        to->data[to->size++] = (uint8_t)number;
    else
        tn_buffer_varint(to, number);
}

static void put(struct writer *w, uint64_t number)
{
    put_number(w->to, number);
}

static void put_delta(struct writer *w, int64_t number)
{
    put_number(w->to, tn_zigzag_encode(number - w->before));
    w->before = number;
}

static struct tn_bytes clean_text(struct writer *w, struct tn_bytes text)
{
    static const uint8_t mark[] = { 0xef, 0xbf, 0xbd };

    if (tn_utf8_is_valid(text))
        return text;
    tn_buffer_clear(&w->clean);
    for (size_t at = 0; at < text.size;) {
        unsigned size = tn_utf8_check(text.data + at, text.data + text.size);
        tn_buffer_add(&w->clean, size ? tn_bytes(text.data + at, size)
                                      : tn_bytes(mark, sizeof mark));
        at += size ? size : 1;
    }
    return tn_buffer_bytes(&w->clean);
}

static void begin_front(struct writer *w, enum stream stream, const char *name,
                        uint64_t count)
{
    begin(w, stream, name, "front", count);
    w->front = tn_bytes(NULL, 0);
}

/* Texts are examined from the last character that both share: everything before
 * it was examined with the text before.  Names stay where they are; a text that
 * had to be made valid is copied, since the next one may be made in the same
 * place. */
static void put_front(struct writer *w, struct tn_bytes text)
{
    size_t shared = tn_bytes_shared(text, w->front);
    bool   is_ascii =
        tn_utf8_skip_ascii(text, shared ? shared - 1 : 0) == text.size;

    if (!is_ascii) {
        text   = clean_text(w, text);
        shared = tn_bytes_shared(text, w->front);
    }
    put(w, shared);
    put(w, text.size - shared);
    tn_buffer_add(w->to, tn_bytes(text.data + shared, text.size - shared));
    if (text.data == w->clean.data) {
        tn_buffer_clear(&w->last);
        tn_buffer_add(&w->last, text);
        text = tn_buffer_bytes(&w->last);
    }
    w->front = text;
}

static void put_strings(struct writer *w, enum stream stream, const char *name,
                        const struct tn_intern *strings)
{
    uint32_t count = tn_intern_count(strings);

    begin(w, stream, name, "text", count);
    for (uint32_t i = 0; i < count; i++)
        put(w, tn_intern_text(strings, i).size);
    for (uint32_t i = 0; i < count; i++)
        tn_buffer_add(w->to, tn_intern_text(strings, i));
    end(w);
}

/* ---- the picture -------------------------------------------------------- */

#define EACH_BLOCK(w, name, kind, put_it)                                      \
    begin(w, PICTURE, name, kind, (w)->p->blocks.count);                       \
    for (uint32_t i = 0; i < (w)->p->blocks.count; i++) {                      \
        const struct tn_view_block *block = tn_picture_block((w)->p, i);       \
        put_it;                                                                \
    }                                                                          \
    end(w)

#define EACH_ITEM(w, name, kind, put_it)                                       \
    begin(w, PICTURE, name, kind, (w)->p->items.count);                        \
    for (uint32_t b = 0; b < (w)->p->blocks.count; b++) {                      \
        const struct tn_view_block *block = tn_picture_block((w)->p, b);       \
        for (uint32_t i = 0; i < block->item_count; i++) {                     \
            const struct tn_view_item *item =                                  \
                tn_picture_item((w)->p, block->first_item + i);                \
            put_it;                                                            \
        }                                                                      \
    }                                                                          \
    end(w)

#define EACH_EDGE(w, name, kind, put_it)                                       \
    begin(w, PICTURE, name, kind, (w)->p->edges.count);                        \
    for (uint32_t b = 0; b < (w)->p->blocks.count; b++) {                      \
        const struct tn_view_block *block = tn_picture_block((w)->p, b);       \
        for (uint32_t i = 0; i < block->edge_count; i++) {                     \
            const struct tn_view_edge *edge =                                  \
                tn_picture_edge((w)->p, block->first_edge + i);                \
            put_it;                                                            \
        }                                                                      \
    }                                                                          \
    end(w)

static void put_blocks(struct writer *w)
{
    EACH_BLOCK(w, "block_kind", "u8", tn_buffer_byte(w->to, block->kind));
    EACH_BLOCK(w, "block_items", "varint", put(w, block->item_count));
    EACH_BLOCK(w, "block_edges", "varint", put(w, block->edge_count));
    EACH_BLOCK(w, "block_size", "varint", put(w, block->size));
    EACH_BLOCK(w, "block_lead", "u8", tn_buffer_byte(w->to, block->has_lead));
    EACH_BLOCK(w, "block_home", "varint", put(w, (uint32_t)(block->home + 1)));
    EACH_BLOCK(w, "block_caller", "varint",
               put(w, (uint32_t)(block->caller + 1)));
    EACH_BLOCK(w, "block_width", "varint", put(w, (uint32_t)block->width));
    EACH_BLOCK(w, "block_height", "varint", put(w, (uint32_t)block->height));
}

static void put_items(struct writer *w)
{
    EACH_ITEM(w, "item_block", "varint", put(w, item->block));
    EACH_ITEM(w, "item_offset", "varint", put(w, item->offset));
    EACH_ITEM(w, "item_repeat", "varint", put(w, item->repeat));
    EACH_ITEM(w, "item_x", "delta", put_delta(w, item->x));
    EACH_ITEM(w, "item_y", "delta", put_delta(w, item->y));
    EACH_ITEM(w, "item_w", "delta", put_delta(w, item->w));
    EACH_ITEM(w, "item_h", "delta", put_delta(w, item->h));
    EACH_ITEM(w, "item_layer", "delta", put_delta(w, item->layer));
    EACH_ITEM(w, "item_label", "varint", put(w, item->label));
    EACH_ITEM(w, "item_detail", "varint", put(w, item->detail));
    EACH_ITEM(w, "item_class", "u8", tn_buffer_byte(w->to, item->class));
    EACH_ITEM(w, "item_open", "u8", tn_buffer_byte(w->to, item->is_open));
    if (w->p->op_states) {
        EACH_ITEM(w, "item_state", "u8", tn_buffer_byte(w->to, item->state));
    }
}

static void put_edges(struct writer *w)
{
    EACH_EDGE(w, "edge_from", "varint", put(w, (uint32_t)(edge->from + 1)));
    EACH_EDGE(w, "edge_to", "varint", put(w, (uint32_t)(edge->to + 1)));
    EACH_EDGE(w, "edge_kind", "u8", tn_buffer_byte(w->to, edge->kind));
    EACH_EDGE(w, "edge_weight", "varint", put(w, edge->weight));
    EACH_EDGE(w, "edge_label", "varint", put(w, edge->label));
    EACH_EDGE(w, "edge_lane", "varint", put(w, (uint32_t)(edge->lane + 1)));
    EACH_EDGE(w, "edge_port_from", "varint", put(w, (uint32_t)edge->out));
    EACH_EDGE(w, "edge_port_to", "varint", put(w, (uint32_t)edge->in));
}

/* ---- nodes and values --------------------------------------------------- */

static uint32_t node_count(const struct writer *w)
{
    return tn_picture_node_count(w->p);
}

static const struct tn_view_node *node_at(const struct writer *w,
                                          uint32_t             position)
{
    return tn_picture_node(w->p, w->p->order[position]);
}

static const struct tn_op *op_of(const struct writer       *w,
                                 const struct tn_view_node *node)
{
    return node->kind == TN_VIEW_OP ? tn_model_op_at(w->model, node->what)
                                    : NULL;
}

static uint32_t output_count(const struct writer       *w,
                             const struct tn_view_node *node)
{
    const struct tn_op *op = op_of(w, node);

    if (op)
        return op->output_count;
    return node->kind == TN_VIEW_INPUT || node->kind == TN_VIEW_WEIGHTS;
}

static uint32_t output_at(const struct writer       *w,
                          const struct tn_view_node *node, uint32_t index)
{
    const struct tn_op *op = op_of(w, node);

    return op ? tn_model_ref_at(w->model, (uint64_t)op->first_output + index)
              : node->what;
}

static uint32_t value_used(const struct writer *w, uint32_t node, uint32_t use)
{
    uint32_t value = tn_picture_use(w->p, node, use)->value;

    return value == TN_NONE ? TN_NONE
                            : tn_model_defining_value(w->model, value);
}

/* Marks what nodes list as outputs: these are numbered there. */
static void mark_outputs(struct writer *w)
{
    for (uint32_t i = 0; i < node_count(w); i++) {
        const struct tn_view_node *node  = tn_picture_node(w->p, i);
        uint32_t                   count = output_count(w, node);
        for (uint32_t k = 0; k < count; k++) {
            uint32_t value = output_at(w, node, k);
            if (value != TN_NONE)
                w->numbers[value] = TN_NONE - 1;
        }
    }
}

static const struct {
    const char *name, *kind;
} columns[COLUMNS] = {
    { "node_kind", "u8" },        { "node_op", "varint" },
    { "node_domain", "varint" },  { "node_class", "u8" },
    { "node_attrs", "varint" },   { "node_in", "varint" },
    { "node_control", "varint" }, { "node_own", "varint" },
    { "node_out", "varint" },
};

static void put_columns(struct writer *w, const struct tn_view_node *node,
                        uint32_t uses, uint32_t own, uint32_t outs)
{
    const struct tn_op *op = op_of(w, node);
    struct tn_buffer   *to = w->columns;

    if (op && op->domain != w->last_domain) {
        w->last_domain = op->domain;
        w->domain      = tn_pairs_find(&w->p->domains, op->domain, 0);
    }
    put_number(&to[NODE_KIND], node->kind);
    put_number(&to[NODE_OP], node->op);
    put_number(&to[NODE_DOMAIN], op ? w->domain : 0);
    put_number(&to[NODE_CLASS], node->class);
    put_number(&to[NODE_ATTRS], node->attrs);
    put_number(&to[NODE_IN], uses);
    put_number(&to[NODE_CONTROL], op ? op->control_count : 0);
    put_number(&to[NODE_OWN], own);
    put_number(&to[NODE_OUT], outs);
}

/* Output slots always get a number, so that the next node's begin after them;
 * a value that is the output of two is the first's. */
static void number_values(struct writer *w)
{
    uint32_t next = 0;

    mark_outputs(w);
    for (uint32_t i = 0; i < node_count(w); i++) {
        uint32_t                   id    = w->p->order[i];
        const struct tn_view_node *node  = node_at(w, i);
        uint32_t                   uses  = tn_picture_use_count(w->p, id);
        uint32_t                   count = output_count(w, node);
        w->firsts[i]                     = next;
        if (node->kind == TN_VIEW_TENSOR)
            w->values[next++] = TN_NONE;
        else
            for (uint32_t k = 0; k < uses; k++) {
                uint32_t value = value_used(w, id, k);
                if (value == TN_NONE || w->numbers[value] != TN_NONE)
                    continue;
                w->values[next]   = value;
                w->numbers[value] = next++;
            }
        put_columns(w, node, uses, next - w->firsts[i], count);
        for (uint32_t k = 0; k < count; k++) {
            uint32_t value  = output_at(w, node, k);
            w->values[next] = value;
            if (value != TN_NONE && w->numbers[value] == TN_NONE - 1)
                w->numbers[value] = next;
            next++;
        }
    }
    w->firsts[node_count(w)] = next;
    w->value_count           = next;
}

static void prepare_values(struct writer *w, struct tn_error *error)
{
    uint64_t values = w->model->values.count + 1;
    uint64_t slots =
        w->p->uses.count + w->model->refs.count + w->p->nodes.count + 1;

    w->numbers = tn_arena_take(&w->arena, values * sizeof *w->numbers,
                               alignof(uint32_t), error);
    w->values  = tn_arena_take(&w->arena, slots * sizeof *w->values,
                               alignof(uint32_t), error);
    w->firsts = tn_new(&w->arena, uint32_t, node_count(w) + UINT64_C(1), error);
    if (tn_failed(error))
        return;
    memset(w->numbers, 0xff, (size_t)values * sizeof *w->numbers);
    w->last_domain = TN_NONE;
    number_values(w);
}

static void put_inputs(struct writer *w)
{
    uint64_t count = 0;

    begin(w, NODES, "node_inputs", "varint", w->p->uses.count);
    for (uint32_t i = 0; i < node_count(w); i++) {
        uint32_t id    = w->p->order[i];
        uint32_t uses  = tn_picture_use_count(w->p, id);
        int64_t  first = w->firsts[i + 1];
        first -= output_count(w, tn_picture_node(w->p, id));
        for (uint32_t k = 0; k < uses; k++, count++) {
            uint32_t value  = value_used(w, id, k);
            uint32_t number = value == TN_NONE ? TN_NONE : w->numbers[value];
            put(w, number >= TN_NONE - 1
                       ? 0
                       : tn_zigzag_encode(first - (int64_t)number) + 1);
        }
    }
    end(w);
}

static void put_nodes(struct writer *w)
{
    for (unsigned i = 0; i < COLUMNS; i++) {
        begin(w, NODES, columns[i].name, columns[i].kind, node_count(w));
        tn_buffer_add(w->to, tn_buffer_bytes(&w->columns[i]));
        end(w);
        tn_buffer_done(&w->columns[i]);
    }
    put_inputs(w);
    if (!w->p->op_states)
        return;
    begin(w, NODES, "node_state", "u8", node_count(w));
    for (uint32_t i = 0; i < node_count(w); i++)
        tn_buffer_byte(w->to, node_at(w, i)->state);
    end(w);
    begin(w, NODES, "node_changes", "varint", node_count(w));
    for (uint32_t i = 0; i < node_count(w); i++)
        put(w, node_at(w, i)->changes);
    end(w);
}

static void put_names(struct writer *w)
{
    begin_front(w, NAMES, "node_name", node_count(w));
    for (uint32_t i = 0; i < node_count(w); i++) {
        tn_picture_fetch_name(w->p, w->p->order + i, node_count(w) - i);
        put_front(w, tn_picture_node_name(w->p, w->p->order[i]));
    }
    end(w);
}

static uint32_t tensor_of(const struct writer *w, uint32_t number)
{
    uint32_t value = w->values[number];

    return value == TN_NONE ? TN_NONE : w->p->weights[value];
}

/* The first output of an op is often called like the op. */
static bool has_name_of_node(const struct writer *w, uint32_t number,
                             uint32_t position)
{
    const struct tn_op *op    = op_of(w, node_at(w, position));
    uint32_t            value = w->values[number];

    return op && value != TN_NONE && op->name != TN_NO_NAME &&
           tn_model_value_at(w->model, value)->name == op->name;
}

/* As tn_picture_fetch_name() does for nodes. */
static void fetch_value_name(const struct writer *w, uint32_t number)
{
    enum { AHEAD = 12 };

    if (w->value_count - number > AHEAD &&
        w->values[number + AHEAD] != TN_NONE)
        tn_view_fetch_text(
            tn_model_value_name(w->model, w->values[number + AHEAD]));
}

static void put_values(struct writer *w)
{
    uint32_t position = 0;

    begin_front(w, VALUES, "value_name", w->value_count);
    for (uint32_t i = 0; i < w->value_count; i++) {
        while (w->firsts[position + 1] <= i)
            position++;
        fetch_value_name(w, i);
        put_front(w, has_name_of_node(w, i, position)
                         ? tn_text("")
                         : tn_model_value_name(w->model, w->values[i]));
    }
    end(w);
}

/* The types and the weights of values: names alone are as much work again. */
static void put_types(struct writer *w)
{
    uint32_t position = 0;

    begin(w, TYPES, "value_type", "varint", w->value_count);
    for (uint32_t i = 0; i < w->value_count; i++)
        put(w, w->values[i] == TN_NONE ? 0 : w->p->types[w->values[i]]);
    end(w);
    begin(w, TYPES, "value_tensor", "varint", w->value_count);
    for (uint32_t i = 0; i < w->value_count; i++) {
        while (w->firsts[position + 1] <= i)
            position++;
        const struct tn_view_node *node = node_at(w, position);
        put(w, node->kind == TN_VIEW_TENSOR ? (uint64_t)node->what + 1
                                            : (uint32_t)(tensor_of(w, i) + 1));
    }
    end(w);
}

/* ---- attributes and tensors --------------------------------------------- */

static void put_attributes(struct writer *w)
{
    const struct tn_picture *p = w->p;

    begin(w, ATTRIBUTES, "list_count", "varint", p->lists.count);
    for (uint64_t i = 0; i < p->lists.count; i++)
        put(w, tn_list_at(&p->lists, struct tn_view_attrs, i)->count);
    end(w);
    for (unsigned part = 0; part < 2; part++) {
        begin(w, ATTRIBUTES, part ? "attr_text" : "attr_name", "varint",
              p->attr_texts.count / 2);
        for (uint64_t i = part; i < p->attr_texts.count; i += 2)
            put(w, *tn_list_at(&p->attr_texts, uint32_t, i));
        end(w);
    }
    put_strings(w, ATTRIBUTES, "attr_texts", &p->texts);
}

#define EACH_TENSOR(w, name, kind, put_it)                                     \
    begin(w, TENSORS, name, kind, (w)->model->tensors.count);                  \
    for (uint64_t i = 0; i < (w)->model->tensors.count; i++) {                 \
        const struct tn_tensor *tensor = tn_model_tensor((w)->model, i);       \
        put_it;                                                                \
    }                                                                          \
    end(w)

static void put_shape(struct writer *w, struct tn_intern *shapes,
                      const struct tn_tensor *tensor)
{
    const uint64_t *dims = tn_tensor_dims(tensor);
    uint32_t        rank = tn_tensor_rank(tensor);

    if (w->last_shape.word && w->last_shape.rank == rank &&
        (!rank || !memcmp(w->last_shape.dims, dims, rank * sizeof *dims))) {
        put(w, w->last_shape.word);
        return;
    }
    tn_buffer_clear(&w->last);
    tn_buffer_byte(&w->last, '[');
    for (uint32_t i = 0; i < tn_tensor_rank(tensor); i++) {
        tn_buffer_text(&w->last, i ? ", " : "");
        tn_view_add_uint64(&w->last, dims[i]);
    }
    tn_buffer_byte(&w->last, ']');
    uint32_t id = tn_intern_copy(shapes, tn_buffer_bytes(&w->last), w->error);
    id          = id == TN_NO_NAME ? 0 : id;
    put(w, id);
    if (rank <= sizeof w->last_shape.dims / sizeof *dims) {
        w->last_shape.rank = rank;
        w->last_shape.word = id;
        if (rank)
            memcpy(w->last_shape.dims, dims, rank * sizeof *dims);
    }
}

/* A word that is often the one before. */
static void put_word(struct writer *w, struct tn_intern *words,
                     const char *text)
{
    if (w->last_word != text) {
        uint32_t id =
            tn_intern_copy(words, clean_text(w, tn_text(text)), w->error);
        w->last_word    = text;
        w->last_word_id = id == TN_NO_NAME ? 0 : id;
    }
    put(w, w->last_word_id);
}

static void put_double(struct writer *w, double number)
{
    uint64_t bits;

    memcpy(&bits, &number, sizeof bits);
    tn_buffer_u64(w->to, bits);
}

#define EACH_STATISTIC(w, name, kind, put_it)                                  \
    begin(w, TENSORS, name, kind, (w)->model->tensors.count);                  \
    for (uint64_t i = 0; i < (w)->model->tensors.count; i++) {                 \
        const struct tn_statistics *s = &(w)->p->statistics[i];                \
        put_it;                                                                \
    }                                                                          \
    end(w)

static void put_statistics(struct writer *w)
{
    EACH_STATISTIC(w, "tensor_has_stats", "u8",
                   tn_buffer_byte(w->to, s->bin_count > 0));
    EACH_STATISTIC(w, "tensor_min", "f64", put_double(w, s->min));
    EACH_STATISTIC(w, "tensor_max", "f64", put_double(w, s->max));
    EACH_STATISTIC(w, "tensor_mean", "f64", put_double(w, s->mean));
    EACH_STATISTIC(w, "tensor_deviation", "f64", put_double(w, s->deviation));
    EACH_STATISTIC(w, "tensor_zeros", "varint", put(w, s->zeros));
    EACH_STATISTIC(w, "tensor_nans", "varint", put(w, s->nans));
    EACH_STATISTIC(w, "tensor_infinities", "varint", put(w, s->infinities));
    EACH_STATISTIC(w, "tensor_low", "f64", put_double(w, s->low));
    EACH_STATISTIC(w, "tensor_bin_width", "f64", put_double(w, s->width));
    begin(w, TENSORS, "tensor_bins", "varint",
          w->model->tensors.count * TN_STATISTICS_BINS);
    for (uint64_t i = 0; i < w->model->tensors.count; i++)
        for (unsigned k = 0; k < TN_STATISTICS_BINS; k++)
            put(w, w->p->statistics[i].bins[k]);
    end(w);
}

static void put_tensors(struct writer *w)
{
    struct tn_intern words;

    tn_intern_init(&words, &w->arena);
    tn_intern_copy(&words, tn_text(""), w->error);
    begin_front(w, TENSORS, "tensor_name", w->model->tensors.count);
    for (uint64_t i = 0; i < w->model->tensors.count; i++)
        put_front(w, tn_tensor_name(tn_model_tensor(w->model, i)));
    end(w);
    EACH_TENSOR(w, "tensor_dtype", "varint",
                put_word(w, &words, tn_picture_type_name(tensor)));
    EACH_TENSOR(w, "tensor_shape", "varint", put_shape(w, &words, tensor));
    EACH_TENSOR(w, "tensor_bytes", "varint",
                put(w, tn_picture_tensor_bytes(tensor)));
    EACH_TENSOR(w, "tensor_role", "u8",
                tn_buffer_byte(w->to, (uint8_t)tn_tensor_role(tensor)));
    EACH_TENSOR(w, "tensor_file", "varint",
                put_word(w, &words, tn_tensor_file(tensor)));
    EACH_TENSOR(w, "tensor_offset", "varint",
                put(w, tn_tensor_offset(tensor) == TN_NOWHERE
                           ? 0
                           : tn_tensor_offset(tensor) + 1));
    put_strings(w, TENSORS, "tensor_words", &words);
    tn_intern_done(&words);
    if (w->p->statistics)
        put_statistics(w);
}

static void put_overlay(struct writer *w)
{
    if (!w->p->numbers)
        return;
    begin(w, OVERLAY, "node_number", "f32", node_count(w));
    for (uint32_t i = 0; i < node_count(w); i++) {
        uint32_t bits;
        memcpy(&bits, &w->p->numbers[w->p->order[i]], sizeof bits);
        tn_buffer_u32(w->to, bits);
    }
    end(w);
}

/* ---- the header --------------------------------------------------------- */

static void put_pair(struct tn_json_writer *json, const char *key,
                     uint64_t value)
{
    tn_json_key(json, key);
    tn_json_put_uint64(json, value);
}

static void put_list(struct tn_json_writer *json, const char *key,
                     const char *const *names, size_t count)
{
    tn_json_key(json, key);
    tn_json_array_begin(json);
    for (size_t i = 0; i < count; i++)
        tn_json_text(json, names[i]);
    tn_json_array_end(json);
}

static void put_row(struct tn_json_writer *json, const char *key,
                    struct tn_bytes value)
{
    tn_json_array_begin(json);
    tn_json_text(json, key);
    tn_json_string(json, value);
    tn_json_array_end(json);
}

/* "1,234" */
static void put_thousands(struct tn_buffer *to, uint64_t number)
{
    char     text[32];
    unsigned at = sizeof text, digits = 0;

    do {
        if (digits && digits % 3 == 0)
            text[--at] = ',';
        text[--at] = (char)('0' + number % 10);
        digits++;
    } while (number /= 10);
    tn_buffer_add(to, tn_bytes(text + at, sizeof text - at));
}

static void put_io(struct writer *w, struct tn_json_writer *json,
                   const char *key, struct tn_io_list list)
{
    enum { MOST_ROWS = 32 };

    for (uint32_t i = 0, shown = 0; i < list.count && shown < MOST_ROWS; i++) {
        const struct tn_io *io = &list.items[i];
        if (io->has_default) /* a weight that callers may replace */
            continue;
        shown++;
        tn_buffer_clear(&w->last);
        tn_buffer_add(&w->last, io->key.size ? io->key : io->name);
        size_t size = w->last.size + 2;
        tn_buffer_text(&w->last, "  ");
        tn_view_type_text(&w->last, io);
        if (w->last.size == size)
            w->last.size -= 2;
        put_row(json, key, tn_utf8_cut(tn_buffer_bytes(&w->last), 400));
    }
}

/* How a model is called: by its signatures, else by what its graph takes. */
static void put_calls(struct writer *w, struct tn_json_writer *json)
{
    enum { MOST_SIGNATURES = 8 };
    uint64_t count = w->model->signatures.count;

    for (uint64_t i = 0; i < count && i < MOST_SIGNATURES; i++) {
        const struct tn_signature *s =
            tn_list_at(&w->model->signatures, struct tn_signature, i);
        put_row(json, "signature", s->name);
        put_io(w, json, "input", s->inputs);
        put_io(w, json, "output", s->outputs);
    }
    if (count)
        return;
    put_io(w, json, "input", tn_model_inputs(w->model));
    put_io(w, json, "output", tn_model_outputs(w->model));
}

static void put_summary(struct writer *w, struct tn_json_writer *json)
{
    uint64_t elements = 0, tensors = w->model->tensors.count;

    tn_json_key(json, "summary");
    tn_json_array_begin(json);
    put_calls(w, json);
    for (uint64_t i = 0; i < tensors; i++) {
        uint64_t count = tn_tensor_count(tn_model_tensor(w->model, i));
        elements =
            count > UINT64_MAX - elements ? UINT64_MAX : elements + count;
    }
    tn_buffer_clear(&w->last);
    put_thousands(&w->last, elements);
    tn_buffer_text(&w->last, " in ");
    put_thousands(&w->last, tensors);
    tn_buffer_text(&w->last, tensors == 1 ? " tensor" : " tensors");
    if (tensors)
        put_row(json, "parameters", tn_buffer_bytes(&w->last));
    for (uint32_t i = 0; i < tn_model_fact_count(w->model) && i < 32; i++) {
        struct tn_fact fact = tn_model_fact(w->model, i);
        tn_json_array_begin(json);
        tn_json_string(json, fact.key);
        tn_json_string(json, tn_utf8_cut(fact.value, 400));
        tn_json_array_end(json);
    }
    tn_json_array_end(json);
}

static void put_counts(struct writer *w, struct tn_json_writer *json)
{
    tn_json_key(json, "counts");
    tn_json_object_begin(json);
    put_pair(json, "nodes", node_count(w));
    put_pair(json, "ops", w->model->ops.count);
    put_pair(json, "blocks", w->p->blocks.count);
    put_pair(json, "items", w->p->items.count);
    put_pair(json, "edges", w->p->edges.count);
    put_pair(json, "values", w->value_count);
    put_pair(json, "tensors", w->model->tensors.count);
    put_pair(json, "shown", w->p->shown);
    tn_json_object_end(json);
}

static void put_section_list(struct writer *w, struct tn_json_writer *json)
{
    tn_json_key(json, "sections");
    tn_json_array_begin(json);
    for (unsigned stream = 0; stream < STREAM_COUNT; stream++)
        for (uint64_t i = 0; i < w->sections[stream].count; i++) {
            const struct section *s =
                tn_list_at(&w->sections[stream], struct section, i);
            tn_json_object_begin(json);
            tn_json_key(json, "name");
            tn_json_text(json, s->name);
            put_pair(json, "stream", stream);
            tn_json_key(json, "kind");
            tn_json_text(json, s->kind);
            put_pair(json, "count", s->count);
            put_pair(json, "bytes", s->bytes);
            tn_json_object_end(json);
        }
    tn_json_array_end(json);
}

static void put_file(struct writer *w, struct tn_json_writer *json)
{
    tn_json_key(json, "title");
    tn_json_text(json, w->about->name);
    tn_json_key(json, "format");
    tn_json_text(json, w->model->format);
    tn_json_key(json, "format_title");
    tn_json_text(json, w->model->title);
    tn_json_key(json, "dialect");
    tn_json_text(json, tn_model_dialect(w->model));
    tn_json_key(json, "file");
    tn_json_object_begin(json);
    tn_json_key(json, "name");
    tn_json_text(json, w->about->name);
    put_pair(json, "size", w->model->file_size);
    tn_json_object_end(json);
}

static void put_overlay_range(struct writer *w, struct tn_json_writer *json)
{
    tn_json_key(json, "overlay");
    if (!w->p->numbers) {
        tn_json_null(json);
        return;
    }
    tn_json_object_begin(json);
    tn_json_key(json, "label");
    tn_json_string(json, tn_picture_text(w->p, w->p->number_label));
    tn_json_key(json, "min");
    tn_json_put_double(json, w->p->least);
    tn_json_key(json, "max");
    tn_json_put_double(json, w->p->most);
    put_pair(json, "count", w->p->number_count);
    tn_json_object_end(json);
}

static void put_clean(struct tn_json_writer *json, struct tn_bytes text)
{
    uint8_t clean[3 * TN_VIEW_STRING_MOST];

    tn_json_string(json, tn_picture_clean(text, clean));
}

static void put_changes(const struct tn_view_changes *changes,
                        struct tn_json_writer        *json)
{
    tn_json_key(json, "changes");
    tn_json_array_begin(json);
    for (uint32_t i = 0; changes && i < changes->count; i++) {
        tn_json_array_begin(json);
        put_clean(json, changes->items[i].name);
        put_clean(json, changes->items[i].text);
        tn_json_array_end(json);
    }
    tn_json_array_end(json);
}

static void put_diff(struct writer *w, struct tn_json_writer *json)
{
    uint64_t counts[TN_VIEW_DIFFERS_INSIDE + 1] = { 0 };

    tn_json_key(json, "diff");
    if (!w->p->op_states) {
        tn_json_null(json);
        return;
    }
    for (uint32_t i = 0; i < node_count(w); i++)
        counts[tn_picture_node(w->p, i)->state %
               (TN_VIEW_DIFFERS_INSIDE + 1)]++;
    tn_json_object_begin(json);
    put_pair(json, "added", counts[TN_VIEW_ADDED]);
    put_pair(json, "removed", counts[TN_VIEW_REMOVED]);
    put_pair(json, "changed", counts[TN_VIEW_CHANGED]);
    put_changes(w->p->model_changes, json);
    tn_json_object_end(json);
}

static void put_header(struct writer *w)
{
    static const char *const kinds[] = {
#define KIND_NAME(name, text) text,
        TN_VIEW_KINDS(KIND_NAME)
#undef KIND_NAME
    };
    struct tn_buffer      json_text;
    struct tn_json_writer json;

    tn_buffer_init(&json_text, w->memory, w->error);
    tn_json_writer_init(&json, &json_text.sink, false, w->error);
    tn_json_object_begin(&json);
    put_pair(&json, "version", 1);
    tn_json_key(&json, "generator");
    tn_buffer_clear(&w->last);
    tn_buffer_format(&w->last, "tenon %s", w->about->version);
    tn_json_string(&json, tn_buffer_bytes(&w->last));
    put_file(w, &json);
    put_summary(w, &json);
    put_counts(w, &json);
    put_list(&json, "classes", tn_view_class_names, TN_VIEW_CLASS_COUNT);
    put_list(&json, "kinds", kinds, TN_VIEW_KIND_COUNT);
    put_diff(w, &json);
    put_overlay_range(w, &json);
    put_list(&json, "streams", stream_names, STREAM_COUNT);
    put_section_list(w, &json);
    tn_json_object_end(&json);

    struct tn_buffer *to = &w->header;
    tn_buffer_text(to, "TNV1");
    tn_buffer_u32(to, (uint32_t)json_text.size);
    tn_buffer_add(to, tn_buffer_bytes(&json_text));
    while (to->size & 3 && !tn_failed(w->error))
        tn_buffer_byte(to, 0);
    tn_buffer_add(to, tn_buffer_bytes(&w->streams[PICTURE]));
    tn_buffer_done(&json_text);
}

/* ---- streams ------------------------------------------------------------ */

static void put_picture(struct writer *w)
{
    put_strings(w, PICTURE, "strings", &w->p->strings);
    put_blocks(w);
    put_items(w);
    put_edges(w);
}

static void (*const put_streams[STREAM_COUNT])(struct writer *w) = {
    put_picture, put_nodes,      put_names,   put_values,
    put_types,   put_attributes, put_tensors, put_overlay,
};

static enum tn_status pack_stream(struct tn_bytes bytes, struct tn_buffer *to,
                                  struct tn_error *error)
{
    if (!bytes.size)
        return TN_OK;
    /* Compresses more if that costs no time. */
    int level = bytes.size < 1 << 20 ? 9 : bytes.size < 8 << 20 ? 5 : 1;
    return tn_deflate_encode(bytes, level, to, error);
}

/* Streams share nothing but the picture: any idle thread encodes and packs the
 * next one. */
static void make_stream(struct writer *w, enum stream stream)
{
    struct tn_error *failure = &w->failures[stream];
    struct writer    own     = { .p      = w->p,
                                 .model  = w->model,
                                 .about  = w->about,
                                 .memory = w->memory,
                                 .error  = failure };

    if (stream == NODES || stream == VALUES || stream == TYPES) {
        own.numbers     = w->numbers; /* as counted by the job of nodes */
        own.values      = w->values;
        own.value_count = w->value_count;
        own.firsts      = w->firsts;
        own.columns     = w->columns;
    }
    /* Not a copy of the whole struct: other threads change their parts of it
     * meanwhile. */
    own.streams[stream]  = w->streams[stream];
    own.sections[stream] = w->sections[stream];
    tn_arena_init(&own.arena, w->memory);
    tn_buffer_init(&own.last, w->memory, failure);
    tn_buffer_init(&own.clean, w->memory, failure);
    put_streams[stream](&own);
    w->streams[stream]  = own.streams[stream];
    w->sections[stream] = own.sections[stream];
    tn_buffer_done(&own.clean);
    tn_buffer_done(&own.last);
    tn_arena_done(&own.arena);
    if (!tn_failed(failure) && stream != PICTURE)
        pack_stream(tn_buffer_bytes(&w->streams[stream]), &w->packed[stream],
                    failure);
}

/* The picture is packed later, since its header says how long all sections
 * are. */
static void do_job(void *context, uint32_t slot)
{
    static const enum stream streams[JOB_COUNT] = {
        [TENSOR_JOB] = TENSORS,  [ATTRIBUTE_JOB] = ATTRIBUTES,
        [NODE_JOB] = NODES,      [NAME_JOB] = NAMES,
        [VALUE_JOB] = VALUES,    [TYPE_JOB] = TYPES,
        [PICTURE_JOB] = PICTURE, [OVERLAY_JOB] = OVERLAY,
    };
    struct tn_view_page *page = context;
    struct writer       *w    = &page->writer;

    if (slot == NODE_JOB) {
        prepare_values(w, &w->failures[NODES]);
        page->is_numbered = !tn_failed(&w->failures[NODES]);
    }
    if (slot == VALUE_JOB || slot == TYPE_JOB) {
        bool is_numbered = page->is_numbered;
        *(slot == VALUE_JOB ? &page->has_values : &page->has_types) =
            is_numbered;
        if (!is_numbered)
            return;
    }
    if (!tn_failed(&w->failures[streams[slot]]))
        make_stream(w, streams[slot]);
}

/* ---- base64 ------------------------------------------------------------- */

static void encode64(const uint8_t *from, size_t size, uint8_t *to)
{
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    for (; size >= 3; size -= 3, from += 3) {
        uint32_t bits =
            (uint32_t)from[0] << 16 | (uint32_t)from[1] << 8 | from[2];
        *to++ = (uint8_t)digits[bits >> 18];
        *to++ = (uint8_t)digits[bits >> 12 & 63];
        *to++ = (uint8_t)digits[bits >> 6 & 63];
        *to++ = (uint8_t)digits[bits & 63];
    }
    if (!size)
        return;
    uint32_t bits =
        (uint32_t)from[0] << 16 | (size > 1 ? (uint32_t)from[1] << 8 : 0);
    to[0] = (uint8_t)digits[bits >> 18];
    to[1] = (uint8_t)digits[bits >> 12 & 63];
    to[2] = (uint8_t)(size > 1 ? digits[bits >> 6 & 63] : '=');
    to[3] = '=';
}

static enum tn_status write_base64(struct tn_bytes bytes, struct tn_sink *to,
                                   struct tn_error *error)
{
    enum { PORTION = 3 * 4096 };
    uint8_t text[PORTION / 3 * 4];

    for (size_t at = 0; at < bytes.size; at += PORTION) {
        size_t size = bytes.size - at < PORTION ? bytes.size - at : PORTION;
        encode64(bytes.data + at, size, text);
        TN_TRY(tn_sink_write(to, tn_bytes(text, (size + 2) / 3 * 4), error));
    }
    return TN_OK;
}

static enum tn_status write_stream(struct writer *w, unsigned stream,
                                   struct tn_sink *to)
{
    if (!w->packed[stream].size)
        return TN_OK;
    TN_TRY(tn_sink_write(
        to, tn_text("<script type=\"application/octet-stream\" id=\"tenon-"),
        w->error));
    TN_TRY(tn_sink_write(to, tn_text(stream_names[stream]), w->error));
    TN_TRY(tn_sink_write(to, tn_text("\">"), w->error));
    TN_TRY(write_base64(tn_buffer_bytes(&w->packed[stream]), to, w->error));
    return tn_sink_write(to, tn_text("</script>\n"), w->error);
}

static enum tn_status write_stored(struct writer *w, struct tn_bytes stored,
                                   struct tn_sink *to)
{
    struct tn_bytes text = tn_stored_read(stored, &w->arena, w->error);

    return text.data ? tn_sink_write(to, text, w->error) : w->error->status;
}

static enum tn_status write_page(struct writer *w, struct tn_sink *to)
{
    TN_TRY(write_stored(
        w, tn_bytes(tn_viewer_head_text, tn_viewer_head_text_size), to));
    for (unsigned i = 0; i < STREAM_COUNT; i++)
        TN_TRY(write_stream(w, i, to));
    return write_stored(
        w, tn_bytes(tn_viewer_tail_text, tn_viewer_tail_text_size), to);
}

static void add_jobs(struct tn_view_page *page, unsigned end)
{
    while (page->pipeline.added < end)
        tn_pipeline_add(&page->pipeline);
}

static enum tn_status put_all(struct tn_view_page *page)
{
    struct writer *w = &page->writer;

    add_jobs(page, JOB_COUNT);
    while (tn_pipeline_count(&page->pipeline))
        tn_pipeline_take(&page->pipeline);
    if (page->is_numbered && !page->has_values)
        make_stream(w, VALUES);
    if (page->is_numbered && !page->has_types)
        make_stream(w, TYPES);
    for (unsigned i = 0; i < STREAM_COUNT; i++)
        if (tn_failed(&w->failures[i]))
            return *w->error = w->failures[i], w->error->status;
    put_header(w);
    if (tn_failed(w->error))
        return w->error->status;
    return pack_stream(tn_buffer_bytes(&w->header), &w->packed[PICTURE],
                       w->error);
}

struct tn_view_page *tn_view_page_open(const struct tn_picture    *picture,
                                       const struct tn_view_about *about,
                                       struct tn_error            *error)
{
    struct tn_memory    *memory = picture->memory;
    struct tn_view_page *page =
        tn_memory_resize(memory, NULL, 0, sizeof *page, error);

    if (!page)
        return NULL;
    *page            = (struct tn_view_page){ 0 };
    struct writer *w = &page->writer;
    w->p             = picture;
    w->model         = picture->model;
    w->about         = about;
    w->memory        = memory;
    w->error         = error;
    tn_arena_init(&w->arena, memory);
    tn_buffer_init(&w->header, memory, error);
    tn_buffer_init(&w->last, memory, error);
    tn_buffer_init(&w->clean, memory, error);
    for (unsigned i = 0; i < STREAM_COUNT; i++) {
        w->failures[i] = (struct tn_error)TN_ERROR_INIT;
        tn_list_init(&w->sections[i], memory, sizeof(struct section));
        tn_buffer_init(&w->streams[i], memory, &w->failures[i]);
        tn_buffer_init(&w->packed[i], memory, &w->failures[i]);
    }
    for (unsigned i = 0; i < COLUMNS; i++)
        tn_buffer_init(&page->columns[i], memory, &w->failures[NODES]);
    w->columns = page->columns;
    tn_pipeline_open(&page->pipeline, about->workers, JOB_COUNT, do_job, page);
    return page;
}

void tn_view_page_hear(void *context, enum tn_picture_step step)
{
    add_jobs(context, step == TN_PICTURE_FOUND ? NODE_JOB : PICTURE_JOB);
}

enum tn_status tn_view_page_write(struct tn_view_page *page, struct tn_sink *to,
                                  struct tn_error *error)
{
    page->writer.error = error;
    TN_TRY(put_all(page));
    return write_page(&page->writer, to);
}

void tn_view_page_close(struct tn_view_page *page)
{
    if (!page)
        return;
    struct writer    *w      = &page->writer;
    struct tn_memory *memory = w->memory;
    tn_pipeline_close(&page->pipeline);
    for (unsigned i = 0; i < COLUMNS; i++)
        tn_buffer_done(&page->columns[i]);
    for (unsigned i = 0; i < STREAM_COUNT; i++) {
        tn_list_done(&w->sections[i]);
        tn_buffer_done(&w->streams[i]);
        tn_buffer_done(&w->packed[i]);
    }
    tn_buffer_done(&w->clean);
    tn_buffer_done(&w->last);
    tn_buffer_done(&w->header);
    tn_arena_done(&w->arena);
    tn_memory_free(memory, page, sizeof *page);
}
