/* diff_text.c - values of attributes, types and shapes as short text */
#include "diff/diff_text.h"

#include <inttypes.h>

#include "ir/element.h"

enum { ITEMS_MOST = 16, TEXT_MOST = 120 };

void tn_diff_plain_text(struct tn_buffer *to, struct tn_bytes text, size_t most)
{
    if (text.size <= most) {
        tn_buffer_add(to, text);
        return;
    }
    tn_buffer_add(to, tn_bytes(text.data, most / 2));
    tn_buffer_text(to, "...");
    tn_buffer_add(to, tn_bytes(text.data + text.size - most / 4, most / 4));
}

void tn_diff_shape_text(struct tn_buffer *to, const struct tn_shape *shape)
{
    tn_buffer_format(to, "%s [", tn_dtype_name(shape->dtype));
    for (uint32_t i = 0; i < shape->rank; i++)
        tn_buffer_format(to, "%s%" PRIu64, i ? "," : "", shape->dims[i]);
    tn_buffer_text(to, "]");
}

void tn_diff_io_text(struct tn_buffer *to, const struct tn_io *io)
{
    if (io->note && io->note[0])
        tn_buffer_format(to, "%s of ", io->note);
    tn_buffer_text(to, tn_dtype_name(io->dtype));
    if (!io->has_rank) {
        tn_buffer_text(to, " [...]");
        return;
    }
    tn_buffer_text(to, " [");
    for (uint32_t i = 0; i < io->rank; i++) {
        tn_buffer_text(to, i ? "," : "");
        if (io->dims[i].symbol.size)
            tn_diff_plain_text(to, io->dims[i].symbol, TEXT_MOST);
        else if (io->dims[i].value < 0)
            tn_buffer_text(to, "?");
        else
            tn_buffer_format(to, "%" PRId64, io->dims[i].value);
    }
    tn_buffer_text(to, "]");
}

static void add_shape(struct tn_buffer *to, const struct tn_attr_shape *shape)
{
    if (!shape->has_rank) {
        tn_buffer_text(to, "[...]");
        return;
    }
    tn_buffer_text(to, "[");
    for (uint32_t i = 0; i < shape->rank; i++)
        if (shape->dims[i] < 0)
            tn_buffer_format(to, "%s?", i ? "," : "");
        else
            tn_buffer_format(to, "%s%" PRId64, i ? "," : "", shape->dims[i]);
    tn_buffer_text(to, "]");
}

static void add_item(struct tn_buffer *to, const struct tn_attr_value *value,
                     uint32_t i)
{
    char    text[TN_ELEMENT_TEXT];
    uint8_t bits[TN_ELEMENT_MAX];

    switch (value->kind) {
    case TN_ATTR_NONE: tn_buffer_text(to, "nothing"); break;
    case TN_ATTR_INT:
        tn_buffer_format(to, "%" PRId64, value->of.ints[i]);
        break;
    case TN_ATTR_BOOL:
        tn_buffer_text(to, value->of.ints[i] ? "true" : "false");
        break;
    case TN_ATTR_DTYPE:
        tn_buffer_text(to, tn_dtype_name((enum tn_dtype)value->of.ints[i]));
        break;
    case TN_ATTR_GRAPH: tn_buffer_text(to, "graph"); break;
    case TN_ATTR_FLOAT:
        tn_element_from_double(TN_FLOAT32, (double)value->of.floats[i], bits);
        tn_buffer_text(to, tn_element_text(TN_FLOAT32, bits, text));
        break;
    case TN_ATTR_DOUBLE:
        tn_element_from_double(TN_FLOAT64, value->of.doubles[i], bits);
        tn_buffer_text(to, tn_element_text(TN_FLOAT64, bits, text));
        break;
    case TN_ATTR_STRING:
    case TN_ATTR_FUNCTION:
    case TN_ATTR_REFERENCE:
        tn_diff_plain_text(to, value->of.strings[i], TEXT_MOST);
        break;
    case TN_ATTR_OTHER:
        tn_buffer_format(to, "%zu bytes", value->of.strings[i].size);
        break;
    case TN_ATTR_SHAPE: add_shape(to, &value->of.shapes[i]); break;
    case TN_ATTR_TENSOR:
        tn_diff_shape_text(to, &value->of.tensors[i]->elements.shape);
        break;
    }
}

void tn_diff_value_text(struct tn_buffer *to, const struct tn_attr_value *value)
{
    if (!value->is_list && value->count == 1) {
        add_item(to, value, 0);
        return;
    }
    tn_buffer_text(to, "[");
    for (uint32_t i = 0; i < value->count && i < ITEMS_MOST; i++) {
        tn_buffer_text(to, i ? "," : "");
        add_item(to, value, i);
    }
    if (value->count > ITEMS_MOST)
        tn_buffer_format(to, ",... (%" PRIu32 ")", value->count);
    tn_buffer_text(to, "]");
}
