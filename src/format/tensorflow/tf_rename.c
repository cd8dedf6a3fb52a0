/* tf_rename.c - renames nodes in the fields of a meta graph beside its graph */
#include "format/tensorflow/tf_rename.h"

#include "format/tensorflow/tf.h"
#include "format/tensorflow/tf_dtype.h"

/* The path of field numbers to a name; ends with 0. No path is longer than
 * MOST. */
enum { MOST = 8 };
struct way {
    uint32_t numbers[MOST];
};

/*
 *   3 saver_def        1 filename_tensor_name  2 save_tensor_name
 *                      3 restore_op_name
 *   4 collection_def   {2 {1 node_list {1 value}}}
 *                      {2 {2 bytes_list {1 VariableDef {1, 2, 3, 6 names}}}}
 *   5 signature_def    {2 {1 inputs, 2 outputs {2 TensorInfo}}}
 *   6 asset_file_def   {1 TensorInfo}
 *   7 object_graph_def {1 node {9 constant {1 operation}}}
 *   TensorInfo         1 name  4 coo_sparse {1, 2, 3}
 *                      5 composite {2 TensorInfo}
 */
static const struct way meta_ways[] = {
    { { 3, 1 } },
    { { 3, 2 } },
    { { 3, 3 } },
    { { 4, 2, 1, 1 } },
    { { 4, 2, 2, 1, 1 } },
    { { 4, 2, 2, 1, 2 } },
    { { 4, 2, 2, 1, 3 } },
    { { 4, 2, 2, 1, 6 } },
    { { 5, 2, 1, 2, 1 } },
    { { 5, 2, 1, 2, 4, 1 } },
    { { 5, 2, 1, 2, 4, 2 } },
    { { 5, 2, 1, 2, 4, 3 } },
    { { 5, 2, 1, 2, 5, 2, 1 } },
    { { 5, 2, 2, 2, 1 } },
    { { 5, 2, 2, 2, 4, 1 } },
    { { 5, 2, 2, 2, 4, 2 } },
    { { 5, 2, 2, 2, 4, 3 } },
    { { 5, 2, 2, 2, 5, 2, 1 } },
    { { 6, 1, 1 } },
    { { 7, 1, 9, 1 } },
};

/* control_ret {2 node} */
static const struct way function_ways[] = {
    { { 6, 2 } },
};

struct walk {
    struct tn_arena         *arena;
    const struct tn_changes *changes;
    uint32_t                 graph;
    const struct way        *ways;
    size_t                   count;
};

/* The paths that continue with this field, as bits; *is_name: one ends
 * there. */
static uint32_t follow(const struct walk *w, uint32_t open, unsigned depth,
                       uint32_t number, bool *is_name)
{
    uint32_t left = 0;

    *is_name = false;
    for (size_t i = 0; i < w->count; i++) {
        if (!(open >> i & 1) || w->ways[i].numbers[depth] != number)
            continue;
        if (w->ways[i].numbers[depth + 1] == 0)
            *is_name = true;
        else
            left |= UINT32_C(1) << i;
    }
    return left;
}

/* "x", "x:0" and "^x" are renamed with "x". */
static void put_name(const struct walk *w, struct tn_rope *to, uint32_t number,
                     struct tn_bytes name)
{
    size_t          skip = name.size && name.data[0] == '^';
    struct tn_bytes rest = tn_bytes(name.data + skip, name.size - skip);
    size_t          size = 0;

    while (size < rest.size && rest.data[size] != ':')
        size++;
    struct tn_bytes old = tn_bytes(rest.data, size);
    struct tn_bytes now = tn_changes_name(w->changes, w->graph, old);
    if (now.data == old.data || tn_bytes_equal(now, old)) {
        tn_pb_put_bytes(to, number, name);
        return;
    }
    const char *text = tn_text_format(
        w->arena, to->error, "%s%.*s%.*s", skip ? "^" : "", TN_FMT(now),
        (int)(rest.size - size), (const char *)rest.data + size);
    if (text)
        tn_pb_put_text(to, number, text);
}

/* Some values of a collection are not messages: then they are left alone. */
static bool is_message(struct tn_cursor body)
{
    struct tn_error    quiet = TN_ERROR_INIT;
    struct tn_pb_field field;

    body.error = &quiet;
    while (tn_pb_next(&body, &field))
        continue;
    return !tn_failed(&quiet);
}

static void put_field(const struct walk *w, struct tn_rope *to,
                      struct tn_cursor *c, const struct tn_pb_field *field,
                      uint32_t open, unsigned depth)
{
    bool             is_name = false;
    uint32_t         left    = follow(w, open, depth, field->number, &is_name);
    struct tn_cursor body    = field->body;

    if (field->type != TN_WIRE_LEN || (!left && !is_name)) {
        tn_rope_span(to, tn_pb_field_span(c, field));
    } else if (is_name) {
        put_name(w, to, field->number, tn_take_bytes(&body, tn_left(&body)));
    } else if (!is_message(field->body)) {
        tn_rope_span(to, tn_pb_field_span(c, field));
    } else {
        struct tn_rope     message;
        struct tn_pb_field inner;
        tn_rope_init(&message, w->arena, to->error);
        while (tn_pb_next(&body, &inner))
            put_field(w, &message, &body, &inner, left, depth + 1);
        tn_pb_put_message(to, field->number, &message);
    }
}

void tn_tf_put_meta_field(struct tn_rope *to, struct tn_arena *arena,
                          const struct tn_changes *changes, uint32_t graph,
                          struct tn_cursor *c, const struct tn_pb_field *field)
{
    struct walk w = { arena, changes, graph, meta_ways,
                      sizeof meta_ways / sizeof meta_ways[0] };

    if (!changes || changes->rename_count == 0)
        tn_rope_span(to, tn_pb_field_span(c, field));
    else
        put_field(&w, to, c, field, UINT32_MAX, 0);
}

void tn_tf_put_function_field(struct tn_rope *to, struct tn_arena *arena,
                              const struct tn_changes *changes, uint32_t graph,
                              struct tn_cursor         *c,
                              const struct tn_pb_field *field)
{
    struct walk w = { arena, changes, graph, function_ways,
                      sizeof function_ways / sizeof function_ways[0] };

    if (!changes || changes->rename_count == 0)
        tn_rope_span(to, tn_pb_field_span(c, field));
    else
        put_field(&w, to, c, field, UINT32_MAX, 0);
}

/* ---- signatures --------------------------------------------------------- */

/* An entry of a map: 1 key, 2 value. */
static void put_entry(struct tn_rope *to, struct tn_arena *arena,
                      uint32_t number, struct tn_bytes key,
                      struct tn_rope *value)
{
    struct tn_rope entry;

    tn_rope_init(&entry, arena, to->error);
    tn_pb_put_bytes(&entry, 1, key);
    tn_pb_put_message(&entry, 2, value);
    tn_pb_put_message(to, number, &entry);
}

/* TensorShapeProto: 2 dim {1 size, 2 name}, 3 unknown_rank */
static void put_io_shape(struct tn_rope *to, struct tn_arena *arena,
                         const struct tn_io *io)
{
    struct tn_rope shape;

    tn_rope_init(&shape, arena, to->error);
    for (uint32_t i = 0; io->has_rank && i < io->rank; i++) {
        struct tn_rope dim;

        tn_rope_init(&dim, arena, to->error);
        tn_pb_put_varint(&dim, 1, (uint64_t)io->dims[i].value);
        if (io->dims[i].symbol.size)
            tn_pb_put_bytes(&dim, 2, io->dims[i].symbol);
        tn_pb_put_message(&shape, 2, &dim);
    }
    if (!io->has_rank)
        tn_pb_put_varint(&shape, 3, 1);
    tn_pb_put_message(to, 3, &shape);
}

/* A map of TensorInfo: 1 name  2 dtype  3 shape */
static void put_io_list(struct tn_rope *to, struct tn_arena *arena,
                        uint32_t number, struct tn_io_list list)
{
    for (uint32_t i = 0; i < list.count; i++) {
        struct tn_rope info;

        tn_rope_init(&info, arena, to->error);
        tn_pb_put_bytes(&info, 1, list.items[i].name);
        tn_pb_put_varint(&info, 2, tn_tf_dtype_number(list.items[i].dtype));
        put_io_shape(&info, arena, &list.items[i]);
        put_entry(to, arena, number, list.items[i].key, &info);
    }
}

static void expect_values(const struct tn_model *model, struct tn_io_list list,
                          struct tn_error *error)
{
    for (uint32_t i = 0; i < list.count; i++) {
        struct tn_tf_ref ref   = tn_tf_ref_parse(list.items[i].name, false);
        uint32_t         value = tn_model_find_named(model, 0, ref.node);

        if (value == TN_NONE ||
            tn_model_value_at(model, value)->kind == TN_VALUE_UNDEFINED)
            tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE,
                         "no value '%.*s', which a signature names",
                         TN_FMT(list.items[i].name));
    }
}

void tn_tf_put_signatures(struct tn_rope *to, struct tn_arena *arena,
                          const struct tn_model *model)
{
    for (uint64_t i = 0; i < model->signatures.count; i++) {
        const struct tn_signature *one =
            tn_list_at(&model->signatures, struct tn_signature, i);
        struct tn_rope signature;

        if (!tn_changes_text(model->changes, TN_TEXT_SIGNATURE, one->name))
            continue;
        expect_values(model, one->inputs, to->error);
        expect_values(model, one->outputs, to->error);
        tn_rope_init(&signature, arena, to->error);
        put_io_list(&signature, arena, 1, one->inputs);
        put_io_list(&signature, arena, 2, one->outputs);
        tn_pb_put_bytes(&signature, 3, one->method);
        put_entry(to, arena, 5, one->name, &signature);
    }
}

bool tn_tf_is_old_signature(const struct tn_changes  *changes,
                            const struct tn_pb_field *field)
{
    struct tn_cursor   body = field->body;
    struct tn_tf_entry entry;

    if (field->number != 5 || field->type != TN_WIRE_LEN)
        return false;
    tn_tf_entry_read(&body, &entry);
    return tn_changes_text(changes, TN_TEXT_SIGNATURE, entry.key);
}
