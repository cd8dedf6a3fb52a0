/* naive_scan.c - the floor under opening: a pass over wire tags */
#include "naive_scan.h"

enum { VARINT = 0, FIXED64 = 1, LEN = 2, FIXED32 = 5 };
enum { DEPTH_MAX = 100 };

/* --- ONNX: what ModelProto is made of ---------------------------------- */

static const struct naive_message leaf;
static const struct naive_message onnx_graph;

static const struct naive_message onnx_tensor = { { [13] = &leaf } };

static const struct naive_message onnx_sparse = {
    { [1] = &onnx_tensor, [2] = &onnx_tensor }
};

static const struct naive_message onnx_shape = { { [1] = &leaf } };

static const struct naive_message onnx_tensor_type = { { [2] = &onnx_shape } };

static const struct naive_message onnx_type = {
    { [1] = &onnx_tensor_type, [8] = &onnx_tensor_type }
};

static const struct naive_message onnx_value = { { [2] = &onnx_type } };

static const struct naive_message onnx_attribute = { { [5]  = &onnx_tensor,
                                                       [6]  = &onnx_graph,
                                                       [10] = &onnx_tensor,
                                                       [11] = &onnx_graph,
                                                       [22] = &onnx_sparse,
                                                       [23] = &onnx_sparse } };

static const struct naive_message onnx_node = { { [5] = &onnx_attribute } };

static const struct naive_message onnx_graph = { { [1]  = &onnx_node,
                                                   [5]  = &onnx_tensor,
                                                   [11] = &onnx_value,
                                                   [12] = &onnx_value,
                                                   [13] = &onnx_value,
                                                   [15] = &onnx_sparse } };

static const struct naive_message onnx_function = {
    { [7] = &onnx_node, [11] = &onnx_attribute }
};

const struct naive_message naive_onnx_model = {
    { [7] = &onnx_graph, [8] = &leaf, [14] = &leaf, [25] = &onnx_function }
};

/* --- TensorFlow: what GraphDef is made of ------------------------------ */

static const struct naive_message tf_attr_entry;

static const struct naive_message tf_shape = { { [2] = &leaf } };

static const struct naive_message tf_tensor = { { [2] = &tf_shape } };

static const struct naive_message tf_names = { { [2] = &tf_attr_entry } };

static const struct naive_message tf_list = {
    { [7] = &tf_shape, [8] = &tf_tensor, [9] = &tf_names }
};

static const struct naive_message tf_attr = {
    { [1] = &tf_list, [7] = &tf_shape, [8] = &tf_tensor, [10] = &tf_names }
};

static const struct naive_message tf_attr_entry = { { [2] = &tf_attr } };

static const struct naive_message tf_node = { { [5] = &tf_attr_entry } };

static const struct naive_message tf_function = { { [3] = &tf_node } };

static const struct naive_message tf_library = { { [1] = &tf_function } };

const struct naive_message naive_tf_graph = {
    { [1] = &tf_node, [2] = &tf_library, [4] = &leaf }
};

/* --- the pass ----------------------------------------------------------- */

static const uint8_t *read_varint(const uint8_t *at, const uint8_t *end,
                                  uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; at < end && shift < 64; shift += 7) {
        uint8_t byte = *at++;

        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return at;
    }
    return NULL;
}

/* How many bytes the value has, and where they begin; NULL: no wire type. */
static const uint8_t *read_size(const uint8_t *at, const uint8_t *end,
                                unsigned type, uint64_t *size)
{
    const uint8_t *behind;

    switch (type) {
    case VARINT:
        behind = read_varint(at, end, size);
        *size  = behind ? (uint64_t)(behind - at) : 0;
        return behind ? at : NULL;
    case FIXED64: *size = 8; return at;
    case FIXED32: *size = 4; return at;
    case LEN: return read_varint(at, end, size);
    default: return NULL;
    }
}

static bool scan(const struct naive_message *type, const uint8_t *at,
                 const uint8_t *end, unsigned depth, struct naive_sums *sums)
{
    while (at < end) {
        uint64_t tag, size;

        at = read_varint(at, end, &tag);
        at = at ? read_size(at, end, tag & 7, &size) : NULL;
        if (!at || size > (uint64_t)(end - at))
            return false;
        const struct naive_message *inner =
            (tag & 7) == LEN && tag >> 3 < NAIVE_FIELDS ? type->fields[tag >> 3]
                                                        : NULL;
        if (inner &&
            (depth == 0 || !scan(inner, at, at + size, depth - 1, sums)))
            return false;
        sums->fields++;
        sums->skipped += inner ? 0 : size;
        at += size;
    }
    return true;
}

bool naive_scan(const struct naive_message *type, const uint8_t *data,
                size_t size, struct naive_sums *sums)
{
    *sums = (struct naive_sums){ 0, 0 };
    return scan(type, data, data + size, DEPTH_MAX, sums);
}
