/*
 * view_attrs.c - attributes of operators as text, each distinct list once
 *
 * A million nodes have a few hundred distinct lists.  What is equal in the file
 * is decoded once; what looks equal as text is one list.
 */
#include "view/view_attrs.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/number.h"
#include "base/utf8.h"
#include "ir/attr_key.h"
#include "ir/element.h"
#include "view/view_digits.h"

/* As much of a list, and of a text, as a reader wants to see. */
enum {
    MOST_ITEMS     = 64,
    MOST_ELEMENTS  = 16,
    MOST_FRACTIONS = 2,
    MOST_TEXT      = 1024,
    MOST_KEY       = 256,
    MOST_WIRE      = 1024
};

void tn_view_attr_reader_init(struct tn_view_attr_reader *reader,
                              struct tn_picture          *picture)
{
    *reader = (struct tn_view_attr_reader){ .picture = picture };
    tn_arena_init(&reader->arena, picture->memory);
    tn_list_init(&reader->attrs, picture->memory, sizeof(struct tn_attr_named));
    tn_list_init(&reader->slots, picture->memory, sizeof(uint32_t));
    tn_buffer_init(&reader->text, picture->memory, picture->error);
    reader->key_error = (struct tn_error)TN_ERROR_INIT;
    tn_buffer_init(&reader->key, picture->memory, &reader->key_error);
    tn_intern_init(&reader->wires, &picture->arena);
    tn_intern_init(&reader->keys, &picture->arena);
    tn_intern_init(&reader->rendered, &picture->arena);
    tn_list_init(&reader->of_wires, picture->memory, sizeof(uint32_t));
    tn_list_init(&reader->of_texts, picture->memory, sizeof(uint32_t));
    tn_list_init(&reader->of_keys, picture->memory, sizeof(uint32_t));
    tn_list_init(&reader->of_rendered, picture->memory, sizeof(uint32_t));
}

void tn_view_attr_reader_done(struct tn_view_attr_reader *reader)
{
    struct tn_memory *memory = reader->picture->memory;

    tn_list_done(&reader->attrs);
    tn_list_done(&reader->slots);
    tn_list_done(&reader->of_wires);
    tn_list_done(&reader->of_texts);
    tn_list_done(&reader->of_keys);
    tn_list_done(&reader->of_rendered);
    tn_buffer_done(&reader->text);
    tn_buffer_done(&reader->key);
    tn_intern_done(&reader->wires);
    tn_intern_done(&reader->keys);
    tn_intern_done(&reader->rendered);
    tn_memory_free(memory, reader->of_alike,
                   reader->of_alike
                       ? (TN_ALIKE_MAX + UINT64_C(1)) * sizeof *reader->of_alike
                       : 0);
    tn_arena_done(&reader->arena);
}

/* ---- values as text ----------------------------------------------------- */

static void add_number(struct tn_buffer *to, double value)
{
    char text[TN_NUMBER_ROOM];

    tn_buffer_add(to, tn_bytes(text, tn_double_print(text, value)));
}

static void add_float(struct tn_buffer *to, float value)
{
    uint8_t bytes[4];
    char    text[TN_ELEMENT_TEXT];

    tn_element_from_double(TN_FLOAT32, value, bytes);
    tn_buffer_text(to, tn_element_text(TN_FLOAT32, bytes, text));
}

static void add_shape(struct tn_buffer *to, const struct tn_attr_shape *shape)
{
    if (!shape->has_rank) {
        tn_buffer_text(to, "[...]");
        return;
    }
    tn_buffer_byte(to, '[');
    for (uint32_t i = 0; i < shape->rank && i < MOST_ITEMS; i++) {
        tn_buffer_text(to, i ? ", " : "");
        if (shape->dims[i] < 0)
            tn_buffer_byte(to, '?');
        else
            tn_view_add_int64(to, shape->dims[i]);
    }
    tn_buffer_byte(to, ']');
}

static void add_dims(struct tn_buffer *to, const struct tn_tensor *tensor)
{
    const uint64_t *dims = tn_tensor_dims(tensor);
    uint32_t        rank = tn_tensor_rank(tensor);

    tn_buffer_byte(to, '[');
    for (uint32_t i = 0; i < rank && i < MOST_ITEMS; i++) {
        tn_buffer_text(to, i ? ", " : "");
        tn_view_add_uint64(to, dims[i]);
    }
    tn_buffer_byte(to, ']');
}

/* Fractions take long to print, and few of them mean anything. */
static bool shows_elements(const struct tn_tensor *tensor)
{
    enum tn_element_kind kind = tn_element_kind(tn_tensor_dtype(tensor));

    return tn_tensor_count(tensor) <=
           (kind == TN_ELEMENT_FLOAT || kind == TN_ELEMENT_COMPLEX
                ? MOST_FRACTIONS
                : MOST_ELEMENTS);
}

/* The elements of a small tensor, which are often what a reader looks for: a
 * shape, a permutation, an epsilon. */
static void add_elements(struct tn_buffer *to, const struct tn_tensor *tensor)
{
    enum tn_dtype   dtype = tn_tensor_dtype(tensor);
    size_t          unit  = tn_dtype_size(dtype);
    uint64_t        count = tn_tensor_count(tensor);
    uint8_t         bytes[MOST_ELEMENTS * TN_ELEMENT_MAX];
    char            text[TN_ELEMENT_TEXT];
    struct tn_error none = TN_ERROR_INIT;

    if (count == 0 || !shows_elements(tensor) || unit == 0 ||
        unit > TN_ELEMENT_MAX ||
        tn_tensor_read(tensor, 0, bytes, (size_t)count * unit, &none) != TN_OK)
        return;
    tn_buffer_text(to, " = ");
    for (uint64_t i = 0; i < count; i++) {
        tn_buffer_text(to, i ? ", " : "");
        tn_buffer_text(to, tn_element_text(dtype, bytes + i * unit, text));
    }
}

static void add_tensor(struct tn_buffer *to, const struct tn_tensor *tensor)
{
    if (!tensor)
        return;
    tn_buffer_format(to, "%s ", tn_picture_type_name(tensor));
    add_dims(to, tensor);
    add_elements(to, tensor);
}

static void add_item(struct tn_buffer *to, const struct tn_attr_value *value,
                     uint32_t i)
{
    switch (value->kind) {
    case TN_ATTR_INT: tn_view_add_int64(to, value->of.ints[i]); break;
    case TN_ATTR_BOOL:
        tn_buffer_text(to, value->of.ints[i] ? "true" : "false");
        break;
    case TN_ATTR_DTYPE:
        tn_buffer_text(to, tn_dtype_name((enum tn_dtype)value->of.ints[i]));
        break;
    case TN_ATTR_GRAPH: tn_buffer_text(to, "graph"); break;
    case TN_ATTR_FLOAT: add_float(to, value->of.floats[i]); break;
    case TN_ATTR_DOUBLE: add_number(to, value->of.doubles[i]); break;
    case TN_ATTR_SHAPE: add_shape(to, &value->of.shapes[i]); break;
    case TN_ATTR_TENSOR: add_tensor(to, value->of.tensors[i]); break;
    case TN_ATTR_STRING:
    case TN_ATTR_FUNCTION:
    case TN_ATTR_REFERENCE:
        tn_buffer_add(to, tn_utf8_cut(value->of.strings[i], MOST_TEXT));
        break;
    case TN_ATTR_OTHER:
        tn_buffer_format(to, "(%zu bytes)", value->of.strings[i].size);
        break;
    case TN_ATTR_NONE: break;
    }
}

static void add_value(struct tn_buffer *to, const struct tn_attr_value *value)
{
    uint32_t shown = value->count < MOST_ITEMS ? value->count : MOST_ITEMS;

    if (value->is_list)
        tn_buffer_byte(to, '[');
    for (uint32_t i = 0; i < shown && to->size < 4 * MOST_TEXT; i++) {
        tn_buffer_text(to, i ? ", " : "");
        add_item(to, value, i);
    }
    if (shown < value->count)
        tn_buffer_format(to, ", ... (%" PRIu32 ")", value->count);
    if (value->is_list)
        tn_buffer_byte(to, ']');
}

/* ---- how nodes look ----------------------------------------------------- */

/* Texts that name something, such as a variable or a scope, differ from layer
 * to layer and say nothing about the work. */
static bool is_name(struct tn_bytes text)
{
    if (text.size > 64)
        return true;
    for (size_t i = 0; i < text.size; i++)
        if (text.data[i] == '/' || (text.data[i] >= '0' && text.data[i] <= '9'))
            return true;
    return false;
}

static uint64_t tensor_look(const struct tn_tensor *tensor)
{
    uint64_t        look = tensor ? (uint64_t)tn_tensor_dtype(tensor) : 0;
    const uint64_t *dims = tensor ? tn_tensor_dims(tensor) : NULL;

    for (uint32_t i = 0; tensor && i < tn_tensor_rank(tensor); i++)
        look = tn_view_mix(look, dims[i]);
    return look;
}

static uint64_t value_look(const struct tn_attr_value *value,
                           struct tn_bytes             text)
{
    uint64_t look = tn_view_mix(value->kind, value->count);

    switch (value->kind) {
    case TN_ATTR_TENSOR:
        for (uint32_t i = 0; i < value->count && i < MOST_ITEMS; i++)
            look = tn_view_mix(look, tensor_look(value->of.tensors[i]));
        return look;
    case TN_ATTR_STRING:
        for (uint32_t i = 0; i < value->count; i++)
            if (is_name(value->of.strings[i]))
                return look;
        return tn_view_mix(look, tn_view_hash_text(text));
    case TN_ATTR_FUNCTION:
    case TN_ATTR_GRAPH:
    case TN_ATTR_OTHER: return look;
    default: return tn_view_mix(look, tn_view_hash_text(text));
    }
}

/* ---- lists -------------------------------------------------------------- */

static uint32_t text_id(struct tn_view_attr_reader *reader,
                        struct tn_bytes             text)
{
    struct tn_picture *picture = reader->picture;
    uint8_t            clean[3 * TN_VIEW_STRING_MOST];

    uint32_t id = tn_intern_copy(&picture->texts, tn_picture_clean(text, clean),
                                 picture->error);
    return id == TN_NO_NAME ? 0 : id;
}

static void render_one(struct tn_view_attr_reader *reader,
                       const struct tn_attr_named *attr, uint64_t *look)
{
    uint32_t *slot = tn_list_grow(&reader->slots, 2, reader->picture->error);

    if (!slot)
        return;
    tn_buffer_clear(&reader->text);
    add_value(&reader->text, &attr->value);
    slot[0] = text_id(reader, attr->name);
    slot[1] = text_id(reader, tn_buffer_bytes(&reader->text));
    *look =
        tn_view_mix(tn_view_mix(*look, tn_view_hash_text(attr->name)),
                    value_look(&attr->value, tn_buffer_bytes(&reader->text)));
}

/* The functions that the attributes name. */
static void keep_calls(struct tn_view_attr_reader *reader,
                       struct tn_view_attrs       *list)
{
    struct tn_picture *picture = reader->picture;

    list->first_call = (uint32_t)picture->calls.count;
    for (uint64_t i = 0; i < reader->attrs.count; i++) {
        const struct tn_attr_named *attr =
            tn_list_at(&reader->attrs, struct tn_attr_named, i);
        if (attr->value.kind != TN_ATTR_FUNCTION)
            continue;
        for (uint32_t k = 0; k < attr->value.count && k < MOST_ITEMS; k++) {
            uint32_t             name = tn_intern_find(&picture->model->names,
                                                       attr->value.of.strings[k]);
            struct tn_view_call *call =
                name == TN_NO_NAME
                    ? NULL
                    : tn_list_push(&picture->calls, struct tn_view_call,
                                   picture->error);
            if (!call)
                continue;
            *call =
                (struct tn_view_call){ tn_picture_string(picture, attr->name),
                                       name };
            list->call_count++;
        }
    }
}

static struct tn_bytes text_of(const struct tn_view_attr_reader *reader,
                               const char                       *name)
{
    const struct tn_intern *texts = &reader->picture->texts;
    const uint32_t         *slots = reader->slots.items;

    for (uint64_t i = 0; i + 1 < reader->slots.count; i += 2)
        if (tn_bytes_is(tn_intern_text(texts, slots[i]), name))
            return tn_intern_text(texts, slots[i + 1]);
    return tn_bytes(NULL, 0);
}

/* "[[?, 8], [4]]" of the attribute that lists the shapes of outputs: the first
 * one, with the type that the usual attributes tell. */
static uint32_t type_of_output(struct tn_view_attr_reader *reader)
{
    static const char *const names[] = { "dtype", "DstT", "output_type", "T" };
    struct tn_bytes          shapes  = text_of(reader, "_output_shapes");
    struct tn_bytes          type    = { NULL, 0 };

    if (shapes.size < 3 || shapes.data[1] != '[')
        return 0;
    shapes             = tn_bytes(shapes.data + 1, shapes.size - 1);
    const uint8_t *end = tn_bytes_find(shapes, ']');
    if (!end)
        return 0;
    for (size_t i = 0; i < sizeof names / sizeof *names && !type.size; i++)
        type = text_of(reader, names[i]);
    tn_buffer_clear(&reader->text);
    tn_buffer_add(&reader->text, type);
    tn_buffer_text(&reader->text, type.size ? " " : "");
    tn_buffer_add(&reader->text,
                  tn_bytes(shapes.data, (size_t)(end - shapes.data) + 1));
    return tn_picture_string(reader->picture, tn_buffer_bytes(&reader->text));
}

/* A list with these slots that nobody has met.  0 on failure. */
static uint32_t new_list(struct tn_view_attr_reader *reader, uint64_t look)
{
    struct tn_picture    *picture = reader->picture;
    struct tn_view_attrs *list =
        tn_list_push(&picture->lists, struct tn_view_attrs, picture->error);
    uint32_t *texts =
        tn_list_grow(&picture->attr_texts, reader->slots.count, picture->error);

    if (!list || !texts)
        return 0;
    memcpy(texts, reader->slots.items,
           (size_t)reader->slots.count * sizeof(uint32_t));
    *list = (struct tn_view_attrs){
        .first = (uint32_t)(picture->attr_texts.count - reader->slots.count),
        .count = (uint32_t)(reader->slots.count / 2),
        .look  = look,
    };
    uint32_t index = (uint32_t)picture->lists.count - 1;
    keep_calls(reader, list);
    list->type = type_of_output(reader);
    return index;
}

static bool has_slots(const struct tn_view_attr_reader *reader, uint32_t list)
{
    const struct tn_picture    *picture = reader->picture;
    const struct tn_view_attrs *row =
        tn_list_at(&picture->lists, struct tn_view_attrs, list);

    return 2 * (uint64_t)row->count == reader->slots.count &&
           memcmp(tn_list_at(&picture->attr_texts, uint32_t, row->first),
                  reader->slots.items,
                  (size_t)reader->slots.count * sizeof(uint32_t)) == 0;
}

/* Lists of texts that were all known before. */
static uint32_t keep_rendered(struct tn_view_attr_reader *reader, uint64_t look)
{
    struct tn_error *error  = reader->picture->error;
    uint32_t         before = tn_intern_count(&reader->rendered);
    uint32_t         id =
        tn_intern_copy(&reader->rendered,
                       tn_bytes(reader->slots.items,
                                (size_t)reader->slots.count * sizeof(uint32_t)),
                       error);

    if (id == TN_NO_NAME)
        return 0;
    if (id < before)
        return *tn_list_at(&reader->of_rendered, uint32_t, id);
    uint32_t *of = tn_list_push(&reader->of_rendered, uint32_t, error);
    if (!of)
        return 0;
    uint32_t made                                   = new_list(reader, look);
    *tn_list_at(&reader->of_rendered, uint32_t, id) = made;
    return made;
}

/* The list with these slots, a new one if there is none.  Most new lists bring
 * a text that is new, too, since the first `known` were there before: by the
 * last of them such a list is found without a table of its own. */
static uint32_t keep_list(struct tn_view_attr_reader *reader, uint64_t look,
                          uint32_t known)
{
    struct tn_list *of_texts = &reader->of_texts;
    const uint32_t *slots    = reader->slots.items;
    uint32_t        last     = 0;

    for (uint64_t i = 0; i < reader->slots.count; i++)
        last = slots[i] > last ? slots[i] : last;
    if (last < known) {
        uint32_t list =
            last < of_texts->count ? *tn_list_at(of_texts, uint32_t, last) : 0;
        return list && has_slots(reader, list) ? list
                                               : keep_rendered(reader, look);
    }
    uint64_t more = last + UINT64_C(1) - of_texts->count;
    if (!tn_list_grow(of_texts, more, reader->picture->error))
        return 0;
    uint32_t made                         = new_list(reader, look);
    *tn_list_at(of_texts, uint32_t, last) = made;
    return made;
}

static uint32_t decode(struct tn_view_attr_reader *reader, uint32_t op)
{
    struct tn_error none  = TN_ERROR_INIT;
    uint64_t        look  = 0;
    uint32_t        known = tn_intern_count(&reader->picture->texts);

    reader->attrs.count = reader->slots.count = 0;
    tn_arena_rewind(&reader->arena);
    tn_attr_list(reader->picture->model, op, &reader->arena, &reader->attrs,
                 &none);
    if (none.status == TN_NO_MEMORY || none.status == TN_LIMIT)
        *reader->picture->error = none;
    for (uint64_t i = 0; i < reader->attrs.count; i++)
        render_one(reader, tn_list_at(&reader->attrs, struct tn_attr_named, i),
                   &look);
    if (!reader->slots.count)
        return 0;
    return keep_list(reader, look, known);
}

static uint32_t *slot_of_alike(struct tn_view_attr_reader *reader,
                               uint32_t                    alike)
{
    uint64_t size = (TN_ALIKE_MAX + UINT64_C(1)) * sizeof *reader->of_alike;

    if (!reader->of_alike) {
        reader->of_alike = tn_memory_resize(reader->picture->memory, NULL, 0,
                                            size, reader->picture->error);
        if (reader->of_alike)
            memset(reader->of_alike, 0, (size_t)size);
    }
    return reader->of_alike ? &reader->of_alike[alike] : NULL;
}

/* The tensor in an attribute of a constant, if its elements are not shown:
 * then they make no difference. */
static const struct tn_tensor *hidden_tensor(
    const struct tn_view_attr_reader *reader, uint32_t op)
{
    const struct tn_picture *picture = reader->picture;
    const struct tn_op      *row     = tn_model_op_at(picture->model, op);

    if (!row->output_count || !picture->model->dialect->find_attrs)
        return NULL;
    uint32_t value = tn_model_ref_at(picture->model, row->first_output);
    uint32_t index = value == TN_NONE ? TN_NONE : picture->weights[value];
    if (index == TN_NONE)
        return NULL;
    const struct tn_tensor *tensor = tn_model_tensor(picture->model, index);
    return tensor->node != TN_NONE && !shows_elements(tensor) ? tensor : NULL;
}

/* The bytes of the attributes, but for those of the tensor. */
static bool key_around(struct tn_view_attr_reader *reader, uint32_t op,
                       const struct tn_tensor *tensor)
{
    const struct tn_model *model = reader->picture->model;
    struct tn_span   wire = tn_model_op_wire(model, tn_model_op_at(model, op));
    struct tn_cursor node = tn_cursor_span(wire, &reader->key_error);

    if (tensor->wire.source != wire.source)
        return false;
    model->dialect->find_attrs(&node);
    uint64_t left = tn_left(&node);
    if (tn_failed(&reader->key_error) || tensor->wire.offset < node.offset ||
        tensor->wire.offset - node.offset > left ||
        tensor->wire.length > left - (tensor->wire.offset - node.offset) ||
        left - tensor->wire.length > MOST_KEY)
        return false;
    uint64_t       head  = tensor->wire.offset - node.offset;
    uint64_t       tail  = left - tensor->wire.length - head;
    uint64_t       look  = tensor_look(tensor);
    const uint8_t *first = tn_take(&node, head);
    tn_buffer_add(&reader->key, tn_bytes(first, first ? (size_t)head : 0));
    tn_span(&node, tensor->wire.length);
    const uint8_t *last = tn_take(&node, tail);
    tn_buffer_add(&reader->key, tn_bytes(last, last ? (size_t)tail : 0));
    tn_buffer_add(&reader->key, tn_bytes(&look, sizeof look));
    tn_buffer_byte(&reader->key, '+'); /* no key of the other kind is like it */
    return !tn_failed(&reader->key_error);
}

/* Attributes of which some bytes do not count, or that are in no mapped file:
 * false if they have no key. */
static bool find_key(struct tn_view_attr_reader *reader, uint32_t op,
                     const struct tn_tensor *hidden)
{
    reader->key_error = (struct tn_error)TN_ERROR_INIT;
    tn_buffer_clear(&reader->key);
    if (hidden && key_around(reader, op, hidden))
        return true;
    reader->key_error = (struct tn_error)TN_ERROR_INIT;
    tn_buffer_clear(&reader->key);
    return tn_attr_key(reader->picture->model, op, MOST_KEY, &reader->key);
}

/* The list of number `id` of a table that had `before`; its texts are those of
 * the op. */
static uint32_t list_of(struct tn_view_attr_reader *reader, uint32_t op,
                        struct tn_list *lists, uint32_t id, uint32_t before)
{
    if (id == TN_NO_NAME)
        return 0;
    if (id < before)
        return *tn_list_at(lists, uint32_t, id);
    uint32_t  list = decode(reader, op);
    uint32_t *of   = tn_list_push(lists, uint32_t, reader->picture->error);
    if (of)
        *of = list;
    return list;
}

static uint32_t find_by_key(struct tn_view_attr_reader *reader, uint32_t op)
{
    struct tn_error        *error  = reader->picture->error;
    const struct tn_tensor *hidden = hidden_tensor(reader, op);
    struct tn_bytes         wire   = { NULL, 0 };
    uint32_t                before, id;

    if (!hidden)
        wire = tn_attr_bytes(reader->picture->model, op);
    if (wire.size && wire.size <= MOST_WIRE) {
        before = tn_intern_count(&reader->wires);
        id     = tn_intern_borrow(&reader->wires, wire, error);
        return list_of(reader, op, &reader->of_wires, id, before);
    }
    if (!find_key(reader, op, hidden))
        return decode(reader, op);
    before = tn_intern_count(&reader->keys);
    id = tn_intern_copy(&reader->keys, tn_buffer_bytes(&reader->key), error);
    return list_of(reader, op, &reader->of_keys, id, before);
}

uint32_t tn_view_attr_list(struct tn_view_attr_reader *reader, uint32_t op)
{
    const struct tn_op *row = tn_model_op_at(reader->picture->model, op);

    if (!row->alike)
        return find_by_key(reader, op);
    uint32_t *slot = slot_of_alike(reader, (uint32_t)row->alike);
    if (!slot)
        return 0;
    if (!*slot)
        *slot = find_by_key(reader, op) + 1;
    return *slot - 1;
}
