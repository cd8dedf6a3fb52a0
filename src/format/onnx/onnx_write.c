/*
 * onnx_write.c - a model back into a file, and weights from here to there
 *
 * The file is written from the one that was read.  All that does not change is
 * a span of it, and neighbours are one span, so a million nodes cost as much as
 * one.  What changes are tensors: each has a fate, and those that move are
 * patches in the walk, which rewrites the messages around them for the sake of
 * their lengths.
 *
 * Weights for a side file are written first, so that their offsets are known
 * when the model is.
 */
#include "format/onnx/onnx_write.h"

#include <stdio.h>

#include "base/arith.h"
#include "base/sort.h"

/* Where a tensor may begin in a side file: on a page for those that are worth
 * mapping, so that a file system can share its blocks too. */
#define PAGE_WORTH (UINT64_C(64) << 10)
#define PAGE       UINT64_C(4096)
#define LINE       UINT64_C(64)

/* ---- fates -------------------------------------------------------------- */

static const struct tn_tensor *row_at(const struct tn_onnx_writer *w,
                                      uint64_t                     index)
{
    return tn_list_at(&w->model->tensors, struct tn_tensor, index);
}

/* Names the tensor in an error. */
static enum tn_status fail_at_row(struct tn_onnx_writer *w, uint64_t index)
{
    char path[sizeof w->error->where];

    tn_tensor_path(row_at(w, index), path, sizeof path);
    tn_error_where(w->error, "%s", path);
    return w->error->status;
}

/* Strings have no raw form.  The indices of a sparse tensor stay inside: other
 * programs look for them there alone. */
static bool may_leave(const struct tn_tensor *row)
{
    return row->elements.shape.dtype != TN_STRING &&
           row->elements.shape.dtype != TN_UNDEFINED &&
           row->role != TN_ROLE_SPARSE_INDICES;
}

static enum tn_status decide(struct tn_onnx_writer *w, uint64_t index)
{
    const struct tn_tensor *row  = row_at(w, index);
    struct tn_onnx_fate    *fate = &w->fates[index];
    uint64_t                count;

    if (!w->options->external && !w->options->is_inline)
        return TN_OK;
    if (!may_leave(row) && !row->is_external)
        return TN_OK;
    if (!tn_onnx_raw_size(&row->elements, &fate->length)) {
        if (!tn_shape_count(&row->elements.shape, &count))
            tn_shape_refuse(&row->elements.shape, row->wire.offset, w->error);
        else if (row->is_external)
            tn_error_set(w->error, TN_MALFORMED, row->wire.offset,
                         "external data of no known size");
        else /* nothing that could be moved */
            return TN_OK;
        return fail_at_row(w, index);
    }
    if (!w->options->is_inline && may_leave(row) &&
        fate->length >= w->options->threshold)
        fate->move = TN_ONNX_EXTERNAL;
    else
        fate->move = row->is_external ? TN_ONNX_INLINE : TN_ONNX_STAYS;
    if (fate->move == TN_ONNX_STAYS)
        return TN_OK;
    ++*w->options->tensors_moved;
    if (fate->move == TN_ONNX_EXTERNAL && w->options->tensors_outside)
        ++*w->options->tensors_outside;
    if (tn_payload_check(&row->elements, w->error) != TN_OK)
        return fail_at_row(w, index);
    return TN_OK;
}

static enum tn_status decide_all(struct tn_onnx_writer *w)
{
    w->fates = tn_new(&w->arena, struct tn_onnx_fate, w->model->tensors.count,
                      w->error);
    if (tn_failed(w->error))
        return w->error->status;
    for (uint64_t i = 0; i < w->model->tensors.count; i++)
        TN_TRY(decide(w, i));
    return TN_OK;
}

/* ---- the side file ------------------------------------------------------ */

/* Tensors that shared a range of a side file go on sharing it. */
struct shared {
    struct tn_intern keys;
    struct tn_list   offsets; /* uint64_t by key                             */
};

static bool is_shareable(const struct tn_tensor *row)
{
    return row->is_external &&
           row->elements.payload.encoding == TN_ENCODING_RAW;
}

/* The offset of the range if it has been written; else room for it. */
static uint64_t *find_shared(struct tn_onnx_writer *w, struct shared *shared,
                             const struct tn_tensor *row, bool *is_new)
{
    struct tn_span span = row->elements.payload.span;
    uint64_t key[3]     = { (uintptr_t)span.source, span.offset, span.length };
    uint32_t id =
        tn_intern_copy(&shared->keys, tn_bytes(key, sizeof key), w->error);

    if (id == TN_NO_NAME)
        return NULL;
    *is_new = id == shared->offsets.count;
    if (*is_new && !tn_list_push(&shared->offsets, uint64_t, w->error))
        return NULL;
    return tn_list_at(&shared->offsets, uint64_t, id);
}

static enum tn_status put_elements(struct tn_onnx_writer    *w,
                                   const struct tn_elements *elements,
                                   struct tn_sink           *sink)
{
    struct tn_payload_producer producer;
    struct tn_span             span;

    if (tn_payload_is_plain(elements, true, &span))
        return tn_sink_splice(sink, span, w->error);
    TN_TRY(tn_payload_producer_init(&producer, elements, w->model->memory, true,
                                    w->error));
    return producer.producer.produce(&producer.producer, sink, w->error);
}

static enum tn_status put_aligned(struct tn_onnx_writer *w, uint64_t index,
                                  struct tn_sink *sink)
{
    struct tn_onnx_fate *fate = &w->fates[index];
    uint64_t             begin;

    if (!tn_align(sink->offset, fate->length >= PAGE_WORTH ? PAGE : LINE,
                  &begin))
        return tn_error_set(w->error, TN_LIMIT, TN_NOWHERE,
                            "more than 2^64 bytes to write");
    TN_TRY(tn_sink_zeros(sink, begin - sink->offset, w->error));
    fate->offset = begin;
    TN_TRY(put_elements(w, &row_at(w, index)->elements, sink));
    if (w->options->meter)
        TN_TRY(tn_meter_add(w->options->meter, fate->length, w->error));
    return TN_OK;
}

static enum tn_status move_out(struct tn_onnx_writer *w, struct shared *shared,
                               uint64_t index, struct tn_sink *sink)
{
    uint64_t *offset = NULL;
    bool      is_new = true;

    if (is_shareable(row_at(w, index))) {
        offset = find_shared(w, shared, row_at(w, index), &is_new);
        if (!offset)
            return w->error->status;
        w->fates[index].offset = *offset;
    }
    if (!is_new)
        return TN_OK;
    if (put_aligned(w, index, sink) != TN_OK)
        return fail_at_row(w, index);
    if (offset)
        *offset = w->fates[index].offset;
    return TN_OK;
}

static enum tn_status move_all_out(struct tn_onnx_writer *w)
{
    struct tn_sink *sink = NULL;
    struct shared   shared;
    enum tn_status  status = TN_OK;

    tn_intern_init(&shared.keys, &w->arena);
    tn_list_init(&shared.offsets, w->model->memory, sizeof(uint64_t));
    for (uint64_t i = 0; i < w->model->tensors.count && status == TN_OK; i++) {
        if (w->fates[i].move != TN_ONNX_EXTERNAL)
            continue;
        if (!sink)
            status =
                tn_output_side(w->to, w->options->external, &sink, w->error);
        if (status == TN_OK)
            status = move_out(w, &shared, i, sink);
    }
    tn_list_done(&shared.offsets);
    tn_intern_done(&shared.keys);
    return status;
}

/* ---- side files that stay ----------------------------------------------- */

static enum tn_status copy_side(struct tn_onnx_writer *w,
                                struct tn_source      *source)
{
    struct tn_sink *sink;

    if (tn_output_has(w->to, source->name, source))
        return TN_OK; /* the output goes into the same folder */
    TN_TRY(tn_output_side(w->to, source->name, &sink, w->error));
    TN_TRY(tn_sink_splice(sink, (struct tn_span){ source, 0, source->size },
                          w->error));
    if (w->options->meter)
        return tn_meter_add(w->options->meter, source->size, w->error);
    return TN_OK;
}

/* Data that stays outside goes along: every side file once, whole, under its
 * own name, so that offsets hold. */
static enum tn_status copy_sides(struct tn_onnx_writer *w)
{
    struct tn_intern seen;
    enum tn_status   status = TN_OK;

    tn_intern_init(&seen, &w->arena);
    for (uint64_t i = 0; i < w->model->tensors.count && status == TN_OK; i++) {
        const struct tn_tensor *row    = row_at(w, i);
        struct tn_source       *source = row->elements.payload.span.source;
        uint32_t                count  = tn_intern_count(&seen);
        if (!row->is_external || !row->wire.source ||
            w->fates[i].move != TN_ONNX_STAYS)
            continue;
        tn_intern_copy(&seen, tn_bytes(&source, sizeof source), w->error);
        if (tn_failed(w->error))
            status = w->error->status;
        else if (tn_onnx_absent_of(source))
            status = tn_source_read(source, 0, &(char){ 0 }, 1, w->error);
        else if (tn_intern_count(&seen) > count)
            status = copy_side(w, source);
        if (status != TN_OK)
            fail_at_row(w, i);
    }
    tn_intern_done(&seen);
    return status;
}

/* ---- patches ------------------------------------------------------------ */

static int by_wire(const void *left, const void *right, void *context)
{
    const struct tn_onnx_patch *a = left, *b = right;

    (void)context;
    if (a->wire.source != b->wire.source)
        return (uintptr_t)a->wire.source < (uintptr_t)b->wire.source ? -1 : 1;
    return (a->wire.offset > b->wire.offset) -
           (a->wire.offset < b->wire.offset);
}

static enum tn_status list_patches(struct tn_onnx_writer *w)
{
    for (uint64_t i = 0; i < w->model->tensors.count; i++) {
        if (w->fates[i].move == TN_ONNX_STAYS || !row_at(w, i)->wire.source)
            continue;
        struct tn_onnx_patch *patch =
            tn_list_push(&w->patches, struct tn_onnx_patch, w->error);
        if (!patch)
            return w->error->status;
        *patch = (struct tn_onnx_patch){ row_at(w, i)->wire, (uint32_t)i };
    }
    if (w->patches.count)
        tn_sort_items(w->patches.items, w->patches.count,
                      sizeof(struct tn_onnx_patch), by_wire, NULL);
    return TN_OK;
}

static const struct tn_onnx_patch *patch_at(const struct tn_onnx_writer *w,
                                            uint64_t                     index)
{
    if (index >= w->patches.count)
        return NULL;
    return tn_list_at(&w->patches, struct tn_onnx_patch, index);
}

/* The first patch at or after the beginning of the span, in its source. */
static uint64_t first_patch(const struct tn_onnx_writer *w, struct tn_span span)
{
    struct tn_onnx_patch wanted = { span, 0 };
    uint64_t             low = 0, high = w->patches.count;

    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (by_wire(patch_at(w, middle), &wanted, NULL) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_within(const struct tn_onnx_patch *patch, struct tn_span span)
{
    return patch && patch->wire.source == span.source &&
           patch->wire.offset >= span.offset &&
           patch->wire.offset - span.offset <= span.length &&
           patch->wire.length <=
               span.length - (patch->wire.offset - span.offset);
}

/* ---- a tensor, written anew --------------------------------------------- */

static void put_entry(struct tn_rope *to, struct tn_arena *arena,
                      const char *key, const char *value)
{
    struct tn_rope entry;

    tn_rope_init(&entry, arena, to->error);
    tn_pb_put_text(&entry, ENTRY_KEY, key);
    tn_pb_put_text(&entry, ENTRY_VALUE, value);
    tn_pb_put_message(to, TENSOR_EXTERNAL_DATA, &entry);
}

static void put_location(struct tn_onnx_writer *w, struct tn_rope *to,
                         const struct tn_onnx_fate *fate)
{
    char number[24];

    put_entry(to, &w->arena, "location", w->options->external);
    snprintf(number, sizeof number, "%" PRIu64, fate->offset);
    put_entry(to, &w->arena, "offset", number);
    snprintf(number, sizeof number, "%" PRIu64, fate->length);
    put_entry(to, &w->arena, "length", number);
    tn_pb_put_varint(to, TENSOR_DATA_LOCATION, 1);
}

static void put_raw(struct tn_onnx_writer *w, struct tn_rope *to,
                    const struct tn_elements *elements)
{
    struct tn_span span;

    if (tn_payload_is_plain(elements, true, &span)) {
        tn_pb_put_span(to, TENSOR_RAW_DATA, span);
        return;
    }
    struct tn_payload_producer *producer =
        tn_new(&w->arena, struct tn_payload_producer, 1, w->error);
    if (producer &&
        tn_payload_producer_init(producer, elements, w->model->memory, true,
                                 w->error) == TN_OK)
        tn_pb_put_producer(to, TENSOR_RAW_DATA, &producer->producer);
}

struct string_writer {
    struct tn_rope *to;
};

static enum tn_status put_string(void *context, uint64_t index,
                                 struct tn_span text, struct tn_error *error)
{
    struct string_writer *strings = context;

    (void)index;
    tn_pb_put_span(strings->to, TENSOR_STRING_DATA, text);
    return error->status;
}

void tn_onnx_put_holder(struct tn_onnx_writer *w, struct tn_rope *to,
                        const struct tn_elements *elements, uint32_t tensor)
{
    struct string_writer strings = { to };
    uint64_t             count   = 0;

    if (tensor != TN_NONE && w->fates[tensor].move == TN_ONNX_EXTERNAL)
        put_location(w, to, &w->fates[tensor]);
    else if (elements->shape.dtype != TN_STRING)
        put_raw(w, to, elements);
    else if (tn_shape_count(&elements->shape, &count))
        tn_payload_strings(elements, 0, count, put_string, &strings, w->error);
    else
        tn_shape_refuse(&elements->shape, TN_NOWHERE, w->error);
}

/* Fields that say where the elements are. */
static bool is_carrier(uint32_t number)
{
    switch (number) {
    case TENSOR_FLOAT_DATA:
    case TENSOR_INT32_DATA:
    case TENSOR_STRING_DATA:
    case TENSOR_INT64_DATA:
    case TENSOR_RAW_DATA:
    case TENSOR_DOUBLE_DATA:
    case TENSOR_UINT64_DATA:
    case TENSOR_EXTERNAL_DATA:
    case TENSOR_DATA_LOCATION: return true;
    default: return false;
    }
}

/* The old message with another carrier, which goes where its number belongs
 * among fields that usually ascend. */
static void put_patched(struct tn_onnx_writer *w, struct tn_rope *to,
                        const struct tn_onnx_patch *patch)
{
    const struct tn_elements *elements = &row_at(w, patch->tensor)->elements;
    struct tn_cursor          c        = tn_cursor_span(patch->wire, w->error);
    uint32_t carrier = w->fates[patch->tensor].move == TN_ONNX_EXTERNAL
                           ? TENSOR_EXTERNAL_DATA
                           : TENSOR_RAW_DATA;
    struct tn_pb_field field;
    bool               is_put = false;

    while (tn_pb_next(&c, &field)) {
        if (!is_put && field.number > carrier) {
            tn_onnx_put_holder(w, to, elements, patch->tensor);
            is_put = true;
        }
        if (!is_carrier(field.number))
            tn_rope_span(to, tn_pb_field_span(&c, &field));
    }
    if (!is_put)
        tn_onnx_put_holder(w, to, elements, patch->tensor);
}

/* ---- splicing around patches -------------------------------------------- */

/* A message on the way down to a patch.  The stack is ours: how deep it goes
 * is the file's choice. */
struct level {
    struct tn_cursor c;
    struct tn_rope   rope;
    uint32_t         number; /* of the field that holds it                   */
};

struct descent {
    struct tn_onnx_writer *w;
    struct tn_list         levels; /* struct level                           */
    uint64_t               next;   /* patch                                  */
};

static struct level *top_of(struct descent *d)
{
    return tn_list_at(&d->levels, struct level, d->levels.count - 1);
}

static void push_level(struct descent *d, struct tn_cursor c, uint32_t number)
{
    struct level *level = tn_list_push(&d->levels, struct level, d->w->error);

    if (!level)
        return;
    level->c      = c;
    level->number = number;
    tn_rope_init(&level->rope, &d->w->arena, d->w->error);
}

/* Puts the finished message on top into the one below it. */
static void pop_level(struct descent *d)
{
    struct level *level = top_of(d);
    struct level *below = level - 1;

    d->levels.count--;
    tn_pb_put_message(&below->rope, level->number, &level->rope);
    tn_rope_done(&level->rope);
}

static void put_patch(struct descent *d, uint32_t number)
{
    struct tn_rope message;

    tn_rope_init(&message, &d->w->arena, d->w->error);
    put_patched(d->w, &message, patch_at(d->w, d->next++));
    tn_pb_put_message(&top_of(d)->rope, number, &message);
}

static void splice_field(struct descent *d, const struct tn_pb_field *field)
{
    const struct tn_onnx_patch *patch = patch_at(d->w, d->next);
    struct tn_span              body  = { NULL, 0, 0 };

    if (field->type == TN_WIRE_LEN)
        body = tn_pb_body_span(field);
    if (!is_within(patch, body)) {
        struct level *top = top_of(d);
        tn_rope_span(&top->rope, tn_pb_field_span(&top->c, field));
    } else if (patch->wire.offset == body.offset) {
        put_patch(d, field->number);
    } else {
        push_level(d, field->body, field->number);
    }
}

static void descend(struct descent *d)
{
    struct tn_pb_field field;

    while (!tn_failed(d->w->error)) {
        if (tn_pb_next(&top_of(d)->c, &field))
            splice_field(d, &field);
        else if (d->levels.count > 1)
            pop_level(d);
        else
            return;
    }
}

/* The bytes of a message, spliced, with the patches that fall into it. */
static void put_spliced(struct tn_onnx_writer *w, struct tn_rope *to,
                        struct tn_span message)
{
    struct descent d = { .w = w, .next = first_patch(w, message) };

    if (!is_within(patch_at(w, d.next), message)) {
        tn_rope_span(to, message);
        return;
    }
    if (patch_at(w, d.next)->wire.offset == message.offset) {
        put_patched(w, to, patch_at(w, d.next));
        return;
    }
    tn_list_init(&d.levels, w->model->memory, sizeof(struct level));
    push_level(&d, tn_cursor_span(message, w->error), 0);
    if (!tn_failed(w->error))
        descend(&d);
    if (!tn_failed(w->error))
        tn_rope_append(to, &top_of(&d)->rope);
    while (d.levels.count > 0) {
        tn_rope_done(&top_of(&d)->rope);
        d.levels.count--;
    }
    tn_list_done(&d.levels);
}

void tn_onnx_put_spliced_field(struct tn_onnx_writer *w, struct tn_rope *to,
                               uint32_t number, struct tn_span message)
{
    struct tn_rope body;

    tn_rope_init(&body, &w->arena, w->error);
    put_spliced(w, &body, message);
    tn_pb_put_message(to, number, &body);
}

/* ---- from the top ------------------------------------------------------- */

static enum tn_status put_model(struct tn_onnx_writer *w)
{
    struct tn_sink *sink;
    struct tn_rope  model;

    tn_rope_init(&model, &w->arena, w->error);
    if (w->model->is_edited)
        tn_onnx_put_edited(w, &model);
    else
        put_spliced(w, &model, w->model->wire);
    if (!tn_failed(w->error) && model.length >= TN_ONNX_FILE_LIMIT)
        tn_error_set(w->error, TN_LIMIT, TN_NOWHERE,
                     "an ONNX file of %" PRIu64 " bytes, but no other program "
                     "opens more than %" PRIu64 ": put the weights into a "
                     "side file (--external NAME)",
                     model.length, TN_ONNX_FILE_LIMIT - 1);
    if (!tn_failed(w->error) && tn_output_main(w->to, &sink, w->error) == TN_OK)
        tn_rope_write(&model, sink, w->error);
    if (!tn_failed(w->error) && w->options->meter)
        tn_meter_add(w->options->meter, model.length, w->error);
    tn_rope_done(&model);
    return w->error->status;
}

static enum tn_status write_all(struct tn_onnx_writer *w)
{
    TN_TRY(decide_all(w));
    TN_TRY(list_patches(w));
    TN_TRY(move_all_out(w));
    TN_TRY(copy_sides(w));
    return put_model(w);
}

enum tn_status tn_onnx_write(const struct tn_model         *model,
                             const struct tn_write_options *options,
                             struct tn_output *to, struct tn_error *error)
{
    struct tn_onnx_writer w = {
        .model = model, .options = options, .to = to, .error = error
    };

    tn_arena_init(&w.arena, model->memory);
    tn_list_init(&w.patches, model->memory, sizeof(struct tn_onnx_patch));
    tn_pairs_init(&w.values, model->memory);
    write_all(&w);
    tn_pairs_done(&w.values);
    tn_list_done(&w.patches);
    tn_arena_done(&w.arena);
    return error->status;
}
