/*
 * view_attrs.c - attributes of operators as text, each distinct list once
 *
 * A million nodes have a few hundred distinct lists, or one for each weight.
 * What is equal in the file is decoded once; what looks equal as text is one
 * list.
 */
#include "view/view_attrs.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/number.h"
#include "base/utf8.h"
#include "ir/attr_key.h"
#include "ir/element.h"
#include "view/view_digits.h"

/* The most items of a list, and the longest text, that are shown. */
enum {
    MOST_ITEMS     = 64,
    MOST_ELEMENTS  = 16,
    MOST_FRACTIONS = 2,
    MOST_TEXT      = 1024,
    MOST_KEY       = 256,
    MOST_WIRE      = 1024
};

/* Of ops, in one part; and of a graph for which a second thread is worth it. */
enum { PART_OPS = 4096, MANY_OPS = 5000 };

/* A list of attributes as text. */
struct rendered {
    uint64_t look;
    uint32_t attr_count, call_count;
};

struct rendered_call {
    uint32_t attr;     /* of the list: which one names it                     */
    uint32_t function; /* name, in the model's names                          */
};

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

/* Fractions take long to print, so only few are shown. */
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
 * to layer without any effect on what the operator does. */
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

/* ---- rendering: by one thread at a time, part by part ------------------- */

static void put_text(struct tn_view_attr_renderer *r, struct tn_bytes text)
{
    uint8_t clean[3 * TN_VIEW_STRING_MOST];
    size_t *size = tn_list_push(&r->part->texts, size_t, &r->error);

    if (!size)
        return;
    text  = tn_picture_clean(text, clean);
    *size = text.size;
    tn_buffer_add(&r->part->bytes, text);
}

/* The functions that the attribute names. */
static void put_calls(struct tn_view_attr_renderer *r, uint32_t index,
                      const struct tn_attr_value *value, struct rendered *list)
{
    for (uint32_t k = 0;
         value->kind == TN_ATTR_FUNCTION && k < value->count && k < MOST_ITEMS;
         k++) {
        uint32_t name =
            tn_intern_find(&r->picture->model->names, value->of.strings[k]);
        struct rendered_call *call =
            name == TN_NO_NAME ? NULL
                               : tn_list_push(&r->part->calls,
                                              struct rendered_call, &r->error);
        if (!call)
            continue;
        *call = (struct rendered_call){ index, name };
        list->call_count++;
    }
}

static void render_one(struct tn_view_attr_renderer *r, uint32_t index,
                       struct rendered *list)
{
    const struct tn_attr_named *attr =
        tn_list_at(&r->attrs, struct tn_attr_named, index);

    tn_buffer_clear(&r->text);
    add_value(&r->text, &attr->value);
    struct tn_bytes text = tn_buffer_bytes(&r->text);
    put_text(r, attr->name);
    put_text(r, text);
    put_calls(r, index, &attr->value, list);
    list->look =
        tn_view_mix(tn_view_mix(list->look, tn_view_hash_text(attr->name)),
                    value_look(&attr->value, text));
    list->attr_count++;
}

/* The number of the new list. */
static uint32_t render(struct tn_view_attr_renderer *r, uint32_t op)
{
    struct tn_error none = TN_ERROR_INIT;
    struct rendered list = { 0 };

    r->attrs.count = 0;
    tn_arena_rewind(&r->arena);
    tn_attr_list(r->picture->model, op, &r->arena, &r->attrs, &none);
    if (none.status == TN_NO_MEMORY || none.status == TN_LIMIT ||
        none.status == TN_CANCELLED)
        r->error = none;
    for (uint32_t i = 0; i < r->attrs.count; i++)
        render_one(r, i, &list);
    struct rendered *kept =
        list.attr_count
            ? tn_list_push(&r->part->lists, struct rendered, &r->error)
            : NULL;
    if (!kept)
        return 0;
    *kept = list;
    return ++r->count;
}

static uint32_t *slot_of_alike(struct tn_view_attr_renderer *r, uint32_t alike)
{
    uint64_t size = (TN_ALIKE_MAX + UINT64_C(1)) * sizeof *r->of_alike;

    if (!r->of_alike) {
        r->of_alike =
            tn_memory_resize(r->picture->memory, NULL, 0, size, &r->error);
        if (r->of_alike)
            memset(r->of_alike, 0, (size_t)size);
    }
    return r->of_alike ? &r->of_alike[alike] : NULL;
}

/* The tensor in an attribute of a constant, if its elements are not shown: then
 * they do not distinguish nodes. */
static const struct tn_tensor *hidden_tensor(const struct tn_picture *picture,
                                             uint32_t                 op)
{
    const struct tn_op *row = tn_model_op_at(picture->model, op);

    if (!row->output_count || !picture->model->dialect->find_attrs)
        return NULL;
    uint32_t value = tn_model_ref_at(picture->model, row->first_output);
    uint32_t index = value == TN_NONE ? TN_NONE : picture->weights[value];
    if (index == TN_NONE)
        return NULL;
    const struct tn_tensor *tensor = tn_model_tensor(picture->model, index);
    return tensor->node != TN_NONE && !shows_elements(tensor) ? tensor : NULL;
}

/* The bytes of the attributes, if all of them count; else empty. */
static struct tn_bytes wire_of(const struct tn_picture *picture, uint32_t op)
{
    struct tn_bytes wire = { NULL, 0 };

    if (!hidden_tensor(picture, op))
        wire = tn_attr_bytes(picture->model, op);
    return wire.size <= MOST_WIRE ? wire : tn_bytes(NULL, 0);
}

/* The bytes of the attributes, but for those of the tensor. */
static bool key_around(struct tn_view_attr_renderer *r, uint32_t op,
                       const struct tn_tensor *tensor)
{
    const struct tn_model *model = r->picture->model;
    struct tn_span   wire = tn_model_op_wire(model, tn_model_op_at(model, op));
    struct tn_cursor node = tn_cursor_span(wire, &r->key_error);

    if (tensor->wire.source != wire.source)
        return false;
    model->dialect->find_attrs(&node);
    uint64_t left = tn_left(&node);
    if (tn_failed(&r->key_error) || tensor->wire.offset < node.offset ||
        tensor->wire.offset - node.offset > left ||
        tensor->wire.length > left - (tensor->wire.offset - node.offset) ||
        left - tensor->wire.length > MOST_KEY)
        return false;
    uint64_t       head  = tensor->wire.offset - node.offset;
    uint64_t       tail  = left - tensor->wire.length - head;
    uint64_t       look  = tensor_look(tensor);
    const uint8_t *first = tn_take(&node, head);
    tn_buffer_add(&r->key, tn_bytes(first, first ? (size_t)head : 0));
    tn_span(&node, tensor->wire.length);
    const uint8_t *last = tn_take(&node, tail);
    tn_buffer_add(&r->key, tn_bytes(last, last ? (size_t)tail : 0));
    tn_buffer_add(&r->key, tn_bytes(&look, sizeof look));
    tn_buffer_byte(&r->key, '+'); /* no key of the other kind is like it */
    return !tn_failed(&r->key_error);
}

/* Attributes of which some bytes do not count, or that are in no mapped file:
 * false if they have no key. */
static bool find_key(struct tn_view_attr_renderer *r, uint32_t op,
                     const struct tn_tensor *hidden)
{
    r->key_error = (struct tn_error)TN_ERROR_INIT;
    tn_buffer_clear(&r->key);
    if (hidden && key_around(r, op, hidden))
        return true;
    r->key_error = (struct tn_error)TN_ERROR_INIT;
    tn_buffer_clear(&r->key);
    return tn_attr_key(r->picture->model, op, MOST_KEY, &r->key);
}

/* The number that belongs to `id` of a table that had `before`. */
static uint32_t number_of(struct tn_view_attr_renderer *r, uint32_t op,
                          struct tn_list *numbers, uint32_t id, uint32_t before)
{
    if (id == TN_NO_NAME)
        return 0;
    if (id < before)
        return *tn_list_at(numbers, uint32_t, id);
    uint32_t  number = render(r, op);
    uint32_t *of     = tn_list_push(numbers, uint32_t, &r->error);
    if (of)
        *of = number;
    return number;
}

static uint32_t find_by_key(struct tn_view_attr_renderer *r, uint32_t op,
                            struct tn_bytes wire)
{
    uint32_t before, id;

    if (wire.size) {
        before = tn_intern_count(&r->wires);
        id     = tn_intern_borrow(&r->wires, wire, &r->error);
        return number_of(r, op, &r->of_wires, id, before);
    }
    if (!find_key(r, op, hidden_tensor(r->picture, op)))
        return render(r, op);
    before = tn_intern_count(&r->keys);
    id     = tn_intern_copy(&r->keys, tn_buffer_bytes(&r->key), &r->error);
    return number_of(r, op, &r->of_keys, id, before);
}

static uint32_t find_number(struct tn_view_attr_renderer *r, uint32_t op,
                            struct tn_bytes wire)
{
    uint32_t alike = tn_op_alike(tn_model_op_at(r->picture->model, op));

    if (!alike)
        return find_by_key(r, op, wire);
    uint32_t *slot = slot_of_alike(r, alike);
    if (!slot)
        return 0;
    if (!*slot)
        *slot = find_by_key(r, op, wire_of(r->picture, op)) + 1;
    return *slot - 1;
}

static void render_part(void *context, uint32_t slot)
{
    struct tn_view_attr_reader   *reader = context;
    struct tn_view_attr_renderer *r      = &reader->renderer;
    struct tn_view_attr_part     *part   = &reader->parts[slot];

    r->part           = part;
    part->lists.count = part->texts.count = part->calls.count = 0;
    part->bytes.error                                         = &r->error;
    tn_buffer_clear(&part->bytes);
    for (uint32_t i = 0; i < part->count && !tn_failed(&r->error); i++)
        *tn_list_at(&part->numbers, uint32_t, i) = find_number(
            r, part->first + i, *tn_list_at(&part->wires, struct tn_bytes, i));
    part->error = r->error;
}

/* ---- where attributes are: by any thread -------------------------------- */

static void find_wires(void *context, uint32_t slot)
{
    struct tn_view_attr_reader *reader = context;
    struct tn_view_attr_part   *part   = &reader->parts[slot];
    const struct tn_model      *model  = reader->picture->model;
    struct tn_bytes            *wires  = part->wires.items;

    for (uint32_t i = 0; i < part->count; i++) {
        uint32_t op = part->first + i;
        wires[i]    = tn_op_alike(tn_model_op_at(model, op))
                          ? tn_bytes(NULL, 0) /* seldom asked for */
                          : wire_of(reader->picture, op);
    }
}

/* ---- lists: by the caller's thread -------------------------------------- */

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

/* The label of a call is the name of its attribute. */
static void keep_calls(struct tn_view_attr_reader *reader,
                       const struct rendered *from, struct tn_view_attrs *list)
{
    struct tn_picture *picture = reader->picture;

    list->first_call = (uint32_t)picture->calls.count;
    for (uint32_t i = 0; i < from->call_count; i++) {
        const struct rendered_call *call = tn_list_at(
            &reader->part->calls, struct rendered_call, reader->next_call + i);
        uint32_t text =
            *tn_list_at(&reader->slots, uint32_t, (uint64_t)call->attr * 2);
        struct tn_view_call *kept =
            tn_list_push(&picture->calls, struct tn_view_call, picture->error);
        if (!kept)
            return;
        *kept = (struct tn_view_call){
            tn_picture_string(picture, tn_intern_text(&picture->texts, text)),
            call->function,
        };
        list->call_count++;
    }
}

/* Adds a list with these slots, which is new.  0 on failure. */
static uint32_t new_list(struct tn_view_attr_reader *reader,
                         const struct rendered      *from)
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
        .count = from->attr_count,
        .look  = from->look,
    };
    uint32_t index = (uint32_t)picture->lists.count - 1;
    keep_calls(reader, from, list);
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
static uint32_t keep_rendered(struct tn_view_attr_reader *reader,
                              const struct rendered      *from)
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
    uint32_t made                                   = new_list(reader, from);
    *tn_list_at(&reader->of_rendered, uint32_t, id) = made;
    return made;
}

/* The list with these slots, a new one if there is none.  Most new lists bring
 * a text that is new, too, since the first `known` were there before: by the
 * last of them such a list is found without a table of its own. */
static uint32_t keep_list(struct tn_view_attr_reader *reader,
                          const struct rendered *from, uint32_t known)
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
                                               : keep_rendered(reader, from);
    }
    uint64_t more = last + UINT64_C(1) - of_texts->count;
    if (!tn_list_grow(of_texts, more, reader->picture->error))
        return 0;
    uint32_t made                         = new_list(reader, from);
    *tn_list_at(of_texts, uint32_t, last) = made;
    return made;
}

/* The next list of the part that is in use. */
static uint32_t keep_next(struct tn_view_attr_reader *reader)
{
    struct tn_picture              *picture = reader->picture;
    const struct tn_view_attr_part *part    = reader->part;
    const struct rendered          *from =
        tn_list_at(&part->lists, struct rendered, reader->next_list);
    uint32_t known = tn_intern_count(&picture->texts);
    uint64_t count = 2 * (uint64_t)from->attr_count;

    reader->slots.count = 0;
    uint32_t *slots     = tn_list_grow(&reader->slots, count, picture->error);
    for (uint64_t i = 0; slots && i < count; i++) {
        size_t size = *tn_list_at(&part->texts, size_t, reader->next_text + i);
        uint32_t id =
            tn_intern_copy(&picture->texts,
                           tn_bytes(part->bytes.data + reader->next_byte, size),
                           picture->error);
        slots[i] = id == TN_NO_NAME ? 0 : id;
        reader->next_byte += size;
    }
    uint32_t list =
        tn_failed(picture->error) ? 0 : keep_list(reader, from, known);
    reader->next_list++;
    reader->next_text += count;
    reader->next_call += from->call_count;
    return list;
}

/* ---- parts -------------------------------------------------------------- */

/* As many as have room, graph by graph. */
static void add_parts(struct tn_view_attr_reader *reader)
{
    const struct tn_model *model = reader->picture->model;
    struct tn_error       *error = reader->picture->error;

    while (!tn_pipeline_is_full(&reader->pipeline) &&
           reader->graph < model->graphs.count && !tn_failed(error)) {
        const struct tn_graph *graph = tn_model_graph_at(model, reader->graph);
        if (reader->ordinal >= graph->op_count) {
            reader->graph++;
            reader->ordinal = 0;
            continue;
        }
        struct tn_view_attr_part *part =
            &reader->parts[tn_pipeline_next(&reader->pipeline)];
        uint64_t left     = graph->op_count - reader->ordinal;
        part->first       = (uint32_t)(graph->first_op + reader->ordinal);
        part->count       = left < PART_OPS ? (uint32_t)left : PART_OPS;
        part->wires.count = part->numbers.count = 0;
        if (!tn_list_grow(&part->wires, part->count, error) ||
            !tn_list_grow(&part->numbers, part->count, error))
            return;
        reader->ordinal += part->count;
        tn_pipeline_add(&reader->pipeline);
    }
}

static bool next_part(struct tn_view_attr_reader *reader)
{
    struct tn_error *error = reader->picture->error;

    reader->part = NULL;
    add_parts(reader);
    if (tn_failed(error) || !tn_pipeline_count(&reader->pipeline))
        return false;
    reader->part      = &reader->parts[tn_pipeline_take(&reader->pipeline)];
    reader->at        = 0;
    reader->next_list = reader->next_text = reader->next_call =
        reader->next_byte                 = 0;
    if (tn_failed(&reader->part->error))
        *error = reader->part->error;
    return !tn_failed(error);
}

uint32_t tn_view_attr_list(struct tn_view_attr_reader *reader, uint32_t op)
{
    struct tn_error *error = reader->picture->error;

    if ((!reader->part || reader->at == reader->part->count) &&
        !next_part(reader))
        return 0;
    assert(op == reader->part->first + reader->at);
    uint32_t number =
        *tn_list_at(&reader->part->numbers, uint32_t, reader->at++);
    while (reader->of_numbers.count <= number) {
        uint32_t *of = tn_list_push(&reader->of_numbers, uint32_t, error);
        if (!of)
            return 0;
        if (reader->of_numbers.count > 1) {
            uint32_t list                             = keep_next(reader);
            *tn_list_at(&reader->of_numbers, uint32_t,
                        reader->of_numbers.count - 1) = list;
        }
    }
    return *tn_list_at(&reader->of_numbers, uint32_t, number);
}

/* ---- all ---------------------------------------------------------------- */

static void renderer_init(struct tn_view_attr_renderer *r,
                          const struct tn_picture      *picture)
{
    struct tn_memory *memory = picture->memory;

    *r       = (struct tn_view_attr_renderer){ .picture = picture };
    r->error = r->key_error = (struct tn_error)TN_ERROR_INIT;
    tn_arena_init(&r->arena, memory);
    tn_arena_init(&r->kept, memory);
    tn_list_init(&r->attrs, memory, sizeof(struct tn_attr_named));
    tn_buffer_init(&r->text, memory, &r->error);
    tn_buffer_init(&r->key, memory, &r->key_error);
    tn_intern_init(&r->wires, &r->kept);
    tn_intern_init(&r->keys, &r->kept);
    tn_list_init(&r->of_wires, memory, sizeof(uint32_t));
    tn_list_init(&r->of_keys, memory, sizeof(uint32_t));
}

static void renderer_done(struct tn_view_attr_renderer *r)
{
    tn_list_done(&r->attrs);
    tn_buffer_done(&r->text);
    tn_buffer_done(&r->key);
    tn_intern_done(&r->wires);
    tn_intern_done(&r->keys);
    tn_list_done(&r->of_wires);
    tn_list_done(&r->of_keys);
    tn_memory_free(
        r->picture->memory, r->of_alike,
        r->of_alike ? (TN_ALIKE_MAX + UINT64_C(1)) * sizeof *r->of_alike : 0);
    tn_arena_done(&r->kept);
    tn_arena_done(&r->arena);
}

void tn_view_attr_reader_init(struct tn_view_attr_reader *reader,
                              struct tn_picture          *picture)
{
    struct tn_memory *memory = picture->memory;
    unsigned          workers =
        picture->model->ops.count > MANY_OPS ? memory->workers : 1;

    *reader = (struct tn_view_attr_reader){ .picture = picture };
    renderer_init(&reader->renderer, picture);
    for (unsigned i = 0; i < TN_VIEW_ATTR_PARTS; i++) {
        struct tn_view_attr_part *part = &reader->parts[i];
        tn_list_init(&part->wires, memory, sizeof(struct tn_bytes));
        tn_list_init(&part->numbers, memory, sizeof(uint32_t));
        tn_list_init(&part->lists, memory, sizeof(struct rendered));
        tn_list_init(&part->texts, memory, sizeof(size_t));
        tn_list_init(&part->calls, memory, sizeof(struct rendered_call));
        tn_buffer_init(&part->bytes, memory, &reader->renderer.error);
        part->error = (struct tn_error)TN_ERROR_INIT;
    }
    tn_list_init(&reader->of_numbers, memory, sizeof(uint32_t));
    tn_list_init(&reader->slots, memory, sizeof(uint32_t));
    tn_buffer_init(&reader->text, memory, picture->error);
    tn_list_init(&reader->of_texts, memory, sizeof(uint32_t));
    tn_intern_init(&reader->rendered, &picture->arena);
    tn_list_init(&reader->of_rendered, memory, sizeof(uint32_t));
    tn_pipeline_open(&reader->pipeline, workers, TN_VIEW_ATTR_PARTS, find_wires,
                     reader);
    tn_pipeline_ends_by(&reader->pipeline, render_part);
}

void tn_view_attr_reader_done(struct tn_view_attr_reader *reader)
{
    tn_pipeline_close(&reader->pipeline);
    for (unsigned i = 0; i < TN_VIEW_ATTR_PARTS; i++) {
        struct tn_view_attr_part *part = &reader->parts[i];
        tn_list_done(&part->wires);
        tn_list_done(&part->numbers);
        tn_list_done(&part->lists);
        tn_list_done(&part->texts);
        tn_list_done(&part->calls);
        tn_buffer_done(&part->bytes);
    }
    tn_list_done(&reader->of_numbers);
    tn_list_done(&reader->slots);
    tn_buffer_done(&reader->text);
    tn_list_done(&reader->of_texts);
    tn_intern_done(&reader->rendered);
    tn_list_done(&reader->of_rendered);
    renderer_done(&reader->renderer);
}
