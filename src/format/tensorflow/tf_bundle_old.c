/*
 * tf_bundle_old.c - checkpoints of version 1: one table, data in the values
 *
 *   SavedTensorSlices    { meta = 1, data = 2 }
 *   SavedTensorSliceMeta { tensor = 1 (repeated), versions = 2 }
 *   SavedSliceMeta       { name = 1, shape = 2, type = 3, slice = 4 (repeated)
 * } SavedSlice           { name = 1, slice = 2, data = 3 (TensorProto) }
 *
 * The TensorProto has neither type nor shape, only values in a typed field.
 * Values in packed blocks are kept unpacked, in counted memory, for as long as
 * the checkpoint is open: these tables are old, small and few.
 */
#include "format/tensorflow/tf_bundle_read.h"
#include "format/tensorflow/tf_dtype.h"

enum { SAVED_META = 1, SAVED_DATA = 2 };
enum { META_TENSOR = 1 };
enum { TENSOR_NAME = 1, TENSOR_SHAPE = 2, TENSOR_TYPE = 3, TENSOR_SLICE = 4 };
enum { SLICE_DATA = 3 };

static void read_tensor_field(struct tn_tf_bundle_reader *r,
                              struct tn_cursor *c, struct tn_pb_field *f,
                              struct tn_tf_bundle_entry *e)
{
    switch (f->number) {
    case TENSOR_NAME:
        if (tn_pb_expect(c, f, TN_WIRE_LEN))
            e->key = tn_bytes_dup(&r->index->arena, tn_pb_text(f), r->error);
        break;
    case TENSOR_SHAPE:
        if (tn_pb_expect(c, f, TN_WIRE_LEN))
            tn_tf_read_dims(r, &f->body);
        break;
    case TENSOR_TYPE:
        if (tn_pb_expect(c, f, TN_WIRE_VARINT))
            e->elements.shape.dtype = tn_tf_dtype(f->value);
        break;
    case TENSOR_SLICE:
        if (tn_pb_expect(c, f, TN_WIRE_LEN))
            tn_tf_read_extents(r, &f->body);
        break;
    }
}

static void read_tensor(struct tn_tf_bundle_reader *r, struct tn_cursor *c,
                        uint64_t place)
{
    struct tn_pb_field  f;
    struct tn_tf_draft *draft =
        tn_list_push(&r->tensors, struct tn_tf_draft, r->error);

    if (!draft)
        return;
    draft->entry.place = place;
    while (tn_pb_next(c, &f))
        read_tensor_field(r, c, &f, &draft->entry);
    if (!tn_failed(r->error) &&
        (draft->entry.elements.shape.dtype == TN_UNDEFINED ||
         r->ranks.count == 0))
        tn_fail(c, TN_MALFORMED, "a tensor without a type or without slices");
    tn_tf_keep_shape(r, c, draft);
    if (tn_failed(r->error))
        tn_error_where(r->error, "%.*s", TN_FMT(draft->entry.key));
}

void tn_tf_read_old_meta(struct tn_tf_bundle_reader *r,
                         struct tn_sstable_entry    *entry)
{
    struct tn_cursor  *c = &entry->value;
    struct tn_pb_field f, t;

    r->index->version = 1;
    while (tn_pb_next(c, &f)) {
        if (f.number != SAVED_META || !tn_pb_expect(c, &f, TN_WIRE_LEN))
            continue;
        while (tn_pb_next(&f.body, &t))
            if (t.number == META_TENSOR &&
                tn_pb_expect(&f.body, &t, TN_WIRE_LEN))
                read_tensor(r, &t.body,
                            entry->is_packed ? entry->offset : t.offset);
    }
}

/* A source over a copy of the bytes that ends with the checkpoint. */
static struct tn_cursor keep_unpacked(struct tn_tf_bundle_reader *r,
                                      struct tn_cursor            value)
{
    struct tn_arena  *arena  = &r->index->arena;
    struct tn_source *source = tn_new(arena, struct tn_source, 1, r->error);
    struct tn_bytes   copy =
        tn_bytes_dup(arena, tn_take_bytes(&value, tn_left(&value)), r->error);

    if (!source || !copy.data)
        return tn_cursor_bytes(tn_bytes(NULL, 0), 0, r->error);
    tn_source_memory(source, r->index->memory, copy);
    source->name = r->index->index->name;
    return tn_cursor_span((struct tn_span){ source, 0, copy.size }, r->error);
}

void tn_tf_read_old_slice(struct tn_tf_bundle_reader *r,
                          struct tn_sstable_entry    *entry)
{
    struct tn_cursor   c = entry->value;
    struct tn_pb_field f, data;
    struct tn_span     tensor = { NULL, 0, 0 };

    if (entry->is_packed)
        c = keep_unpacked(r, entry->value);
    while (tn_pb_next(&c, &f)) {
        if (f.number != SAVED_DATA || !tn_pb_expect(&c, &f, TN_WIRE_LEN))
            continue;
        while (tn_pb_next(&f.body, &data))
            if (data.number == SLICE_DATA &&
                tn_pb_expect(&f.body, &data, TN_WIRE_LEN))
                tensor = tn_pb_body_span(&data);
    }
    if (!tn_failed(r->error) && !tensor.source)
        tn_fail(&c, TN_MALFORMED, "a slice without data");
    tn_sstable_blame(entry, r->error);
    struct tn_tf_draft *draft =
        tn_list_push(&r->slices, struct tn_tf_draft, r->error);
    if (!draft)
        return;
    draft->entry.place = entry->offset;
    draft->entry.data  = tensor;
    draft->entry.key   = tn_bytes_dup(&r->index->arena, entry->key, r->error);
}

/* The last body of a LEN field, or nothing. */
static struct tn_span last_body(struct tn_tf_bundle_reader      *r,
                                const struct tn_tf_bundle_entry *slice,
                                uint32_t                         number)
{
    struct tn_cursor   c    = tn_cursor_span(slice->data, r->error);
    struct tn_span     body = { NULL, 0, 0 };
    struct tn_pb_field f;

    while (tn_pb_next(&c, &f))
        if (f.number == number && tn_pb_expect(&c, &f, TN_WIRE_LEN))
            body = tn_pb_body_span(&f);
    if (tn_failed(r->error) && slice->data.source != r->index->index)
        r->error->offset = slice->place; /* it was unpacked */
    return body;
}

void tn_tf_shape_old_slice(struct tn_tf_bundle_reader *r,
                           struct tn_tf_bundle_entry  *slice,
                           const struct tn_shape      *shape)
{
    struct tn_elements *elements = &slice->elements;
    uint32_t            field    = tn_tf_value_field(shape->dtype);
    struct tn_span      content  = last_body(r, slice, TN_TF_TENSOR_CONTENT);

    if (field == TN_TF_FLOAT8_VAL && content.length == 0)
        content = last_body(r, slice, field);
    elements->shape   = *shape;
    elements->payload = tn_payload_raw(shape, content, 1);
    if (content.length && !tn_dtype_size(shape->dtype))
        elements->payload.encoding = TN_ENCODING_LENGTHS;
    if (content.length)
        return;
    elements->payload.encoding = TN_ENCODING_FIELD;
    elements->payload.span     = slice->data;
    elements->payload.field    = field;
}
