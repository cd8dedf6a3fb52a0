/*
 * tfl_write.c - writes a TFLite model
 *
 * A model without changes is written as its file. An edited one is built anew
 * and refers to data of the old file: every table is copied field by field with
 * the schema, and rows of the model replace what they change: which tensors,
 * operators and subgraphs there are, names, inputs and outputs, options, data.
 *
 * Numbers of tensors, buffers and subgraphs change when some of them go, and
 * with them every index.  Data that lay after the FlatBuffer do so again, and
 * so does a zip archive at the end; if the buffer would be too large for 31-bit
 * offsets, all longer data go there.
 */
#include <stdio.h>

#include "base/arith.h"
#include "base/intern.h"
#include "base/rope.h"
#include "format/tflite/tflite.h"
#include "ir/changes.h"
#include "wire/fb/fb_build.h"
#include "wire/fb/fb_builtin.h"
#include "wire/zip/zip.h"

enum { DATA_ALIGN = 16 };

/* Data that are shorter than this stay in the FlatBuffer in any case. */
#define SHORT_DATA 1024

/* The most bytes of data in a FlatBuffer, which leaves room for its tables. */
#define INSIDE_LIMIT (UINT64_C(1) << 30)

/* A tensor of the new file. */
struct entry {
    struct tn_bytes         name;
    uint32_t                old;    /* in the old subgraph; TN_NONE: it is new */
    const struct tn_tensor *data;   /* its new data; NULL: those of the old    */
    uint32_t                buffer; /* in `outs`, of new data                  */
    const struct tn_io     *io; /* what an edit says of it; NULL: nothing  */
};

/* A subgraph of the new file. */
struct plan {
    uint32_t                   graph; /* of the model                         */
    uint32_t                   old;   /* subgraph of the old file             */
    const struct tn_tfl_graph *row;
    struct tn_list             entries;  /* struct entry                      */
    struct tn_intern           names;    /* ids are positions in `entries`    */
    uint32_t                  *by_old;   /* old tensor -> entry, or TN_NONE   */
};

/* A buffer of the new file. */
struct out {
    uint32_t                    old;  /* in the old file; TN_NONE: it is new  */
    struct tn_span              span; /* what it has, if that is a span       */
    struct tn_payload_producer *producer; /* else, if not NULL                */
    struct tn_bytes             text;     /* else                             */
    uint64_t                    size;
    bool                        is_outside; /* after the FlatBuffer           */
    uint64_t                    offset;     /* then: where                    */
};

/* An operator code of the new file. */
struct code {
    uint32_t old;             /* TN_NONE: it is new                           */
    uint32_t type, domain;    /* of the model, interned; new ones only        */
};

struct writer {
    const struct tn_model         *model;
    const struct tn_tfl_detail    *detail;
    const struct tn_write_options *options;
    struct tn_arena               *arena;
    struct tn_error               *error;
    struct tn_fb_schema            schema;
    struct tn_fb                   fb; /* of the old file                     */
    struct tn_fb_table             root;
    struct tn_fb_vector            codes, subgraphs, buffers;
    struct tn_fb_builder           b;
    struct plan                   *plans;
    uint32_t                       plan_count;
    uint32_t                      *new_graph; /* old subgraph -> new          */
    struct tn_list                 outs;      /* struct out                   */
    uint32_t                      *new_buffer; /* old buffer -> new           */
    uint32_t *text_buffer; /* of metadata, by change of a text                */
    struct tn_list                 new_codes; /* struct code                  */
};

/* ---- where things came from ---------------------------------------------- */

/* Metadata with the source line that made each operator; operators and
 * subgraphs have an index in it. */
static bool is_debug(struct tn_bytes name)
{
    return tn_bytes_is(name, "debug_metadata");
}

uint64_t tn_tfl_debug_count(const struct tn_model *model)
{
    const struct tn_tfl_detail *detail  = tn_tfl_detail_of(model);
    struct tn_error             ignored = TN_ERROR_INIT;
    uint64_t                    count   = 0;
    struct tn_fb                fb;

    if (!detail)
        return 0;
    tn_fb_view(&fb, detail->source, &ignored);
    struct tn_fb_table  root = tn_fb_table_at(&fb, detail->root);
    struct tn_fb_vector rows = tn_fb_vector(&root, TN_TFL_MODEL_METADATA, 4);
    struct tn_fb_vector graphs =
        tn_fb_vector(&root, TN_TFL_MODEL_SUBGRAPHS, 4);
    for (uint32_t i = 0; i < rows.count; i++) {
        struct tn_fb_table row = tn_fb_vector_table(&rows, i);
        count += is_debug(tn_fb_string(&row, TN_TFL_METADATA_NAME));
    }
    for (uint32_t g = 0; g < graphs.count; g++) {
        struct tn_fb_table  graph = tn_fb_vector_table(&graphs, g);
        struct tn_fb_vector ops =
            tn_fb_vector(&graph, TN_TFL_SUBGRAPH_OPERATORS, 4);
        count += tn_fb_has(&graph, TN_TFL_SUBGRAPH_DEBUG);
        for (uint32_t i = 0; i < ops.count; i++) {
            struct tn_fb_table op = tn_fb_vector_table(&ops, i);
            count += tn_fb_has(&op, TN_TFL_OPERATOR_DEBUG);
        }
    }
    return count;
}

/* ---- a table, field by field -------------------------------------------- */

enum { SLOT_LIMIT = 32 };

struct field {
    bool     is_there, is_ref;
    uint8_t  size;
    uint64_t bits;
};

struct copy {
    struct field fields[SLOT_LIMIT];
};

static uint32_t copy_table(struct writer *w, const struct tn_fb_object *type,
                           const struct tn_fb_table *from);

static const struct tn_fb_object *object(const struct writer *w,
                                         const char          *name)
{
    return tn_fb_schema_find(&w->schema, name);
}

static void set_ref(struct copy *copy, uint16_t slot, uint32_t ref)
{
    copy->fields[slot] = (struct field){ ref != 0, true, 4, ref };
}

static void set_number(struct copy *copy, uint16_t slot, uint64_t bits,
                       uint8_t size)
{
    copy->fields[slot] = (struct field){ true, false, size, bits };
}

/* Zero is the default, which is only written where it was. */
static void set_index(struct copy *copy, uint16_t slot, uint32_t index)
{
    if (index || copy->fields[slot].is_there)
        set_number(copy, slot, index, 4);
}

static void unset(struct copy *copy, uint16_t slot)
{
    copy->fields[slot].is_there = false;
}

static uint32_t copy_tables(struct writer *w, const struct tn_fb_object *type,
                            const struct tn_fb_vector *from)
{
    uint32_t *refs = tn_new(w->arena, uint32_t, from->count, w->error);

    for (uint32_t i = 0; refs && i < from->count && !tn_failed(w->error); i++) {
        struct tn_fb_table one = tn_fb_vector_table(from, i);
        refs[i]                = copy_table(w, type, &one);
    }
    return refs && !tn_failed(w->error)
               ? tn_fb_put_refs(&w->b, refs, from->count)
               : 0;
}

static uint32_t copy_vector(struct writer *w, const struct tn_fb_field *field,
                            const struct tn_fb_table *from, uint16_t slot)
{
    const struct tn_fb_type *type = &field->type;
    struct tn_fb_vector      list = tn_fb_vector(from, slot, type->size);

    if (type->element == TN_FB_OBJECT)
        return copy_tables(w, type->object, &list);
    if (type->element == TN_FB_STRING) {
        uint32_t *refs = tn_new(w->arena, uint32_t, list.count, w->error);
        for (uint32_t i = 0; refs && i < list.count; i++)
            refs[i] = tn_fb_put_string(&w->b, tn_fb_vector_string(&list, i));
        return refs ? tn_fb_put_refs(&w->b, refs, list.count) : 0;
    }
    uint32_t align = type->force > type->align ? type->force : type->align;
    if (!list.count)
        return tn_fb_put_vector(&w->b, tn_bytes("", 0), type->size, align);
    return tn_fb_put_span(&w->b, tn_fb_vector_span(&list), type->size, align);
}

static uint32_t copy_member(struct writer *w, const struct tn_fb_field *field,
                            const struct tn_fb_table *from, uint16_t slot)
{
    const struct tn_fb_name *member = tn_fb_enum_name(
        field->type.names, tn_fb_u8(from, (uint16_t)(slot - 1), 0));
    struct tn_fb_table table = tn_fb_child(from, slot);

    return member && member->type.object && table.fb
               ? copy_table(w, member->type.object, &table)
               : 0;
}

/* A set of slots. */
#define SLOT(slot) (UINT32_C(1) << (slot))

/* Reads all fields of a table except those of `but`, which the caller writes;
 * children are copied. */
static void copy_fields(struct writer *w, const struct tn_fb_object *type,
                        const struct tn_fb_table *from, uint32_t but,
                        struct copy *to)
{
    *to = (struct copy){ 0 };
    for (uint16_t i = 0; i < type->count && i < SLOT_LIMIT; i++) {
        const struct tn_fb_field *field = &type->fields[i];
        uint64_t                  at    = tn_fb_field(from, i);
        if (!at || !field->name || (but & SLOT(i)) || tn_failed(w->error))
            continue;
        if (tn_fb_is_scalar(field->type.base)) {
            uint32_t       size  = tn_fb_scalar_size(field->type.base);
            const uint8_t *bytes = tn_fb_take(from->fb, at, size);
            if (bytes)
                set_number(to, i, tn_load_little(bytes, size), (uint8_t)size);
        } else if (field->type.base == TN_FB_STRING) {
            set_ref(to, i, tn_fb_put_string(&w->b, tn_fb_string(from, i)));
        } else if (field->type.base == TN_FB_VECTOR) {
            set_ref(to, i, copy_vector(w, field, from, i));
        } else if (field->type.base == TN_FB_UNION) {
            set_ref(to, i, copy_member(w, field, from, i));
        } else {
            struct tn_fb_table child = tn_fb_child(from, i);
            set_ref(to, i, copy_table(w, field->type.object, &child));
        }
    }
}

static uint32_t put_copy(struct writer *w, const struct copy *copy)
{
    if (tn_failed(w->error))
        return 0;
    tn_fb_begin(&w->b);
    for (uint16_t i = 0; i < SLOT_LIMIT; i++) {
        const struct field *f = &copy->fields[i];
        if (f->is_there && f->is_ref)
            tn_fb_add_ref(&w->b, i, (uint32_t)f->bits);
        else if (f->is_there)
            tn_fb_add(&w->b, i, f->bits, f->size);
    }
    return tn_fb_end(&w->b);
}

static uint32_t copy_table(struct writer *w, const struct tn_fb_object *type,
                           const struct tn_fb_table *from)
{
    struct copy copy;

    copy_fields(w, type, from, 0, &copy);
    return put_copy(w, &copy);
}

/* ---- which tensors there are -------------------------------------------- */

static struct tn_fb_table tensor_at(struct writer *w, const struct plan *p,
                                    uint32_t old)
{
    return tn_fb_table_at(&w->fb, p->row->tensors[old].at);
}

static struct entry *entry_at(const struct plan *p, uint32_t index)
{
    return tn_list_at(&p->entries, struct entry, index);
}

/* The entry of a name; one that is missing is added. */
static uint32_t take_name(struct writer *w, struct plan *p, struct tn_bytes name)
{
    uint32_t id = tn_intern_borrow(&p->names, name, w->error);

    if (id == TN_NO_NAME || id < p->entries.count)
        return id;
    struct entry *entry = tn_list_push(&p->entries, struct entry, w->error);
    if (!entry)
        return TN_NO_NAME;
    *entry = (struct entry){ name, TN_NONE, NULL, TN_NONE, NULL };
    return id;
}

static void mark(bool *is_used, uint32_t count, int64_t index)
{
    if (index >= 0 && index < count)
        is_used[index] = true;
}

static void mark_list(bool *is_used, uint32_t count,
                      const struct tn_fb_vector *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        mark(is_used, count, tn_fb_vector_i32(list, i));
}

/* Values of the model by their names, as far as they are in use. */
static void mark_names(struct writer *w, const struct plan *p,
                       struct tn_intern *used)
{
    const struct tn_model *m = w->model;
    const struct tn_graph *g = tn_model_graph_at(m, p->graph);

    for (uint64_t i = 0; i < g->op_count && !tn_failed(w->error); i++) {
        uint32_t            id = g->first_op + (uint32_t)i;
        const struct tn_op *op = tn_model_op_at(m, id);
        for (uint32_t k = 0; k < op->input_count + op->output_count; k++) {
            uint32_t value = k < op->input_count
                                 ? tn_op_input(m, id, k)
                                 : tn_op_output(m, id, k - op->input_count);
            if (value != TN_NONE)
                tn_intern_borrow(used, tn_model_value_name(m, value), w->error);
        }
    }
    for (uint32_t i = 0; i < g->inputs.count; i++)
        tn_intern_borrow(used, g->inputs.items[i].name, w->error);
    for (uint32_t i = 0; i < g->outputs.count; i++)
        tn_intern_borrow(used, g->outputs.items[i].name, w->error);
    for (uint64_t i = 0; i < m->tensors.count; i++) {
        const struct tn_tensor *t = tn_model_tensor(m, i);
        if (t->graph == p->graph)
            tn_intern_borrow(used, tn_model_name(m, t->name), w->error);
    }
}

/* Tensors that operators and other tensors of the file use by number, without
 * being values of the graph. */
static void mark_hidden(struct writer *w, const struct plan *p, bool *is_used)
{
    const struct tn_model *m     = w->model;
    const struct tn_graph *g     = tn_model_graph_at(m, p->graph);
    uint32_t               count = p->row->count;

    for (uint64_t i = 0; i < g->op_count; i++) {
        const struct tn_op *op = tn_model_op_at(m, g->first_op + (uint32_t)i);
        if (!op->wire_length)
            continue;
        struct tn_fb_table  table = tn_fb_table_at(&w->fb, op->wire_offset);
        struct tn_fb_vector list =
            tn_fb_vector(&table, TN_TFL_OPERATOR_INTERMEDIATES, 4);
        mark_list(is_used, count, &list);
    }
    for (uint32_t i = 0; i < count; i++) {
        struct tn_fb_table tensor = tensor_at(w, p, i);
        if (!is_used[i] || !tn_fb_has(&tensor, TN_TFL_TENSOR_QUANTIZATION))
            continue;
        struct tn_fb_table q = tn_fb_child(&tensor, TN_TFL_TENSOR_QUANTIZATION);
        uint8_t type = tn_fb_u8(&q, TN_TFL_QUANTIZATION_DETAILS_TYPE, 0);
        if (type < TN_TFL_DETAILS_BLOCKS ||
            !tn_fb_has(&q, TN_TFL_QUANTIZATION_DETAILS))
            continue;
        struct tn_fb_table d = tn_fb_child(&q, TN_TFL_QUANTIZATION_DETAILS);
        mark(is_used, count, tn_fb_i32(&d, 0, 0));
        mark(is_used, count, tn_fb_i32(&d, 1, 0));
    }
}

static void plan_types(struct plan *p, struct tn_io_list list)
{
    for (uint32_t i = 0; i < list.count; i++) {
        uint32_t id = tn_intern_find(&p->names, list.items[i].name);
        if (id != TN_NO_NAME)
            entry_at(p, id)->io = &list.items[i];
    }
}

/* An unchanged graph keeps all tensors. */
static void plan_tensors(struct writer *w, struct plan *p)
{
    const struct tn_graph *g       = tn_model_graph_at(w->model, p->graph);
    uint32_t               count   = p->row->count;
    bool                  *is_used = tn_new(w->arena, bool, count, w->error);
    struct tn_intern       used;

    p->by_old = tn_new(w->arena, uint32_t, count, w->error);
    tn_intern_init(&used, w->arena);
    if (!tn_failed(w->error))
        mark_names(w, p, &used);
    for (uint32_t i = 0; i < count && !tn_failed(w->error); i++) {
        struct tn_bytes now = tn_changes_name(w->model->changes, p->graph,
                                              p->row->tensors[i].name);
        is_used[i] = !g->is_touched || tn_intern_find(&used, now) != TN_NO_NAME;
    }
    if (!tn_failed(w->error))
        mark_hidden(w, p, is_used);
    for (uint32_t i = 0; i < count && !tn_failed(w->error); i++) {
        p->by_old[i] = TN_NONE;
        if (!is_used[i])
            continue;
        uint32_t id =
            take_name(w, p, tn_changes_name(w->model->changes, p->graph,
                                            p->row->tensors[i].name));
        if (id == TN_NO_NAME)
            break;
        entry_at(p, id)->old = i;
        p->by_old[i]         = id;
    }
    for (uint32_t i = 0; i < tn_intern_count(&used) && !tn_failed(w->error); i++)
        take_name(w, p, tn_intern_text(&used, i));
    tn_intern_done(&used);
    if (g->has_other_io) {
        plan_types(p, g->inputs);
        plan_types(p, g->outputs);
    }
    plan_types(p, g->values);
}

/* ---- data --------------------------------------------------------------- */

/* Whether a constant is unchanged since the old file. */
static bool is_old_data(struct writer *w, const struct plan *p, uint32_t old,
                        const struct tn_tensor *t)
{
    struct tn_fb_table         table = tensor_at(w, p, old);
    const struct tn_payload   *now   = &t->elements.payload;
    const struct tn_shape     *shape = &t->elements.shape;
    struct tn_fb_vector        dims = tn_fb_vector(&table, TN_TFL_TENSOR_SHAPE, 4);
    uint32_t       buffer = tn_fb_u32(&table, TN_TFL_TENSOR_BUFFER, 0);
    struct tn_span was    = { 0 };
    bool is_same = shape->rank == dims.count &&
                   tn_tfl_dtype(tn_fb_i8(&table, TN_TFL_TENSOR_TYPE, 0)) ==
                       shape->dtype;

    for (uint32_t i = 0; is_same && i < dims.count; i++)
        is_same = shape->dims[i] ==
                  (uint64_t)(int64_t)tn_fb_vector_i32(&dims, i);
    if (!is_same)
        return false;
    if (t->is_external)
        return tn_fb_u32(&table, TN_TFL_TENSOR_EXTERNAL, 0) > 0;
    if (buffer < w->buffers.count) {
        struct tn_fb_table row = tn_fb_vector_table(&w->buffers, buffer);
        tn_tfl_buffer(&row, &was, w->error);
    }
    if (now->encoding == TN_ENCODING_NONE)
        return was.length == 0;
    if (now->encoding == TN_ENCODING_VIEW && now->view->kind != TN_VIEW_SPARSE)
        return false;
    return now->span.source == was.source && now->span.offset == was.offset &&
           now->span.length == was.length;
}

static struct out *add_out(struct writer *w, uint32_t old)
{
    struct out *out = tn_list_push(&w->outs, struct out, w->error);

    if (out)
        *out = (struct out){ .old = old };
    return out;
}

/* Data that an edit made. */
static void add_data(struct writer *w, struct entry *entry)
{
    const struct tn_elements *e = &entry->data->elements;
    struct out               *out;

    if (tn_tfl_type_number(e->shape.dtype) < 0) {
        tn_error_set(w->error, TN_UNSUPPORTED, TN_NOWHERE,
                     "'%.*s': TFLite has no elements of type %s",
                     TN_FMT(entry->name), tn_dtype_name(e->shape.dtype));
        return;
    }
    if (e->shape.dtype == TN_STRING &&
        e->payload.encoding != TN_ENCODING_PLACES) {
        tn_error_set(w->error, TN_UNSUPPORTED, TN_NOWHERE,
                     "'%.*s': strings of another format cannot be stored in a "
                     "TFLite model",
                     TN_FMT(entry->name));
        return;
    }
    entry->buffer = (uint32_t)w->outs.count;
    if (!(out = add_out(w, TN_NONE)))
        return;
    if (e->shape.dtype == TN_STRING ||
        tn_payload_is_plain(e, true, &out->span)) {
        if (e->shape.dtype == TN_STRING)
            out->span = e->payload.span;
        out->size = out->span.length;
        return;
    }
    struct tn_payload_producer *producer =
        tn_new(w->arena, struct tn_payload_producer, 1, w->error);
    if (!producer || tn_payload_producer_init(producer, e, w->model->memory,
                                              true, w->error) != TN_OK)
        return;
    out->producer = producer;
    out->size     = producer->producer.length;
}

static void plan_data(struct writer *w, struct plan *p)
{
    const struct tn_model *m = w->model;

    for (uint64_t i = 0; i < m->tensors.count && !tn_failed(w->error); i++) {
        const struct tn_tensor *t = tn_model_tensor(m, i);
        if (t->graph != p->graph)
            continue;
        uint32_t id = tn_intern_find(&p->names, tn_model_name(m, t->name));
        if (id == TN_NO_NAME)
            continue;
        struct entry *entry = entry_at(p, id);
        if (entry->old != TN_NONE && is_old_data(w, p, entry->old, t))
            continue;
        entry->data = t;
    }
}

static const struct tn_text_change *change_of(const struct writer      *w,
                                              const struct tn_fb_table *row)
{
    return tn_changes_text(w->model->changes, TN_TEXT_METADATA,
                           tn_fb_string(row, TN_TFL_METADATA_NAME));
}

/* Bytes that are not text could not be restored. */
static void expect_text(struct writer *w, const struct tn_fb_table *row)
{
    uint64_t        left = w->fb.span.length;
    struct tn_bytes text;

    if (!tn_tfl_metadata_text(&w->buffers, row, w->arena, &left, &text,
                              w->error))
        tn_error_set(w->error, TN_UNSUPPORTED, TN_NOWHERE,
                     "the metadata '%.*s' are no text, and are not edited",
                     TN_FMT(tn_fb_string(row, TN_TFL_METADATA_NAME)));
}

/* Buffers for texts that an edit set. */
static void plan_texts(struct writer *w)
{
    const struct tn_changes *changes = w->model->changes;
    uint32_t                 count   = changes ? changes->text_count : 0;

    w->text_buffer = tn_new(w->arena, uint32_t, count, w->error);
    for (uint32_t i = 0; w->text_buffer && i < count; i++) {
        const struct tn_text_change *text = &changes->texts[i];
        if (text->kind != TN_TEXT_METADATA || !text->value.data)
            continue;
        w->text_buffer[i] = (uint32_t)w->outs.count;
        struct out *out   = add_out(w, TN_NONE);
        if (!out)
            return;
        out->text = text->value;
        out->size = text->value.size;
    }
}

/* Buffers that are still used, in their order, then new ones. */
static void plan_buffers(struct writer *w)
{
    uint32_t count   = w->buffers.count;
    bool    *is_used = tn_new(w->arena, bool, (uint64_t)count + 1, w->error);
    struct tn_fb_vector metadata =
        tn_fb_vector(&w->root, TN_TFL_MODEL_METADATA, 4);
    struct tn_fb_vector olds =
        tn_fb_vector(&w->root, TN_TFL_MODEL_METADATA_BUFFER, 4);

    w->new_buffer = tn_new(w->arena, uint32_t, (uint64_t)count + 1, w->error);
    if (tn_failed(w->error))
        return;
    is_used[0] = true;
    for (uint32_t g = 0; g < w->plan_count; g++)
        for (uint32_t i = 0; i < w->plans[g].entries.count; i++) {
            const struct entry *entry = entry_at(&w->plans[g], i);
            if (entry->old == TN_NONE || entry->data)
                continue;
            struct tn_fb_table t = tensor_at(w, &w->plans[g], entry->old);
            mark(is_used, count, tn_fb_u32(&t, TN_TFL_TENSOR_BUFFER, 0));
        }
    for (uint32_t i = 0; i < metadata.count; i++) {
        struct tn_fb_table row = tn_fb_vector_table(&metadata, i);
        if (change_of(w, &row))
            expect_text(w, &row);
        else if (!w->options->leaves_debug ||
                 !is_debug(tn_fb_string(&row, TN_TFL_METADATA_NAME)))
            mark(is_used, count, tn_fb_u32(&row, TN_TFL_METADATA_BUFFER, 0));
    }
    mark_list(is_used, count, &olds);
    for (uint32_t i = 0; i < count && !tn_failed(w->error); i++) {
        struct tn_fb_table buffer = tn_fb_vector_table(&w->buffers, i);
        if (!is_used[i])
            continue;
        w->new_buffer[i] = (uint32_t)w->outs.count;
        struct out *out  = add_out(w, i);
        if (out && tn_tfl_buffer(&buffer, &out->span, w->error)) {
            out->size = out->span.length;
            out->is_outside =
                !tn_fb_vector(&buffer, TN_TFL_BUFFER_DATA, 1).count;
        }
    }
    if (!w->outs.count)
        add_out(w, TN_NONE); /* tensors without data refer to the first */
    for (uint32_t g = 0; g < w->plan_count; g++)
        for (uint32_t i = 0;
             i < w->plans[g].entries.count && !tn_failed(w->error); i++)
            if (entry_at(&w->plans[g], i)->data)
                add_data(w, entry_at(&w->plans[g], i));
    plan_texts(w);
}

/* Whether all data fit into the FlatBuffer; otherwise long ones are outside. */
static void choose_places(struct writer *w)
{
    uint64_t inside = 0;

    for (uint64_t i = 0; i < w->outs.count; i++) {
        const struct out *out = tn_list_at(&w->outs, struct out, i);
        if (!out->is_outside && !tn_add(inside, out->size, &inside))
            inside = UINT64_MAX;
    }
    for (uint64_t i = 0; i < w->outs.count && inside > INSIDE_LIMIT; i++) {
        struct out *out = tn_list_at(&w->outs, struct out, i);
        out->is_outside |= out->size >= SHORT_DATA;
    }
}

/* ---- building: tensors -------------------------------------------------- */

static uint32_t put_dims(struct writer *w, const struct tn_shape *shape)
{
    int32_t *dims = tn_new(w->arena, int32_t, shape->rank, w->error);

    for (uint32_t i = 0; dims && i < shape->rank; i++) {
        if (shape->dims[i] > INT32_MAX) {
            tn_error_set(w->error, TN_UNSUPPORTED, TN_NOWHERE,
                         "a dimension of %" PRIu64
                         ", but TFLite has 31 bits for it",
                         shape->dims[i]);
            return 0;
        }
        dims[i] = (int32_t)shape->dims[i];
    }
    return dims ? tn_fb_put_i32s(&w->b, dims, shape->rank) : 0;
}

/* Type, shape and buffer of data that an edit made. */
static void set_data(struct writer *w, const struct entry *entry,
                     struct copy *copy)
{
    const struct tn_shape *shape = &entry->data->elements.shape;

    set_ref(copy, TN_TFL_TENSOR_SHAPE, put_dims(w, shape));
    set_number(copy, TN_TFL_TENSOR_TYPE,
               (uint8_t)tn_tfl_type_number(shape->dtype), 1);
    set_number(copy, TN_TFL_TENSOR_BUFFER, entry->buffer, 4);
    if (w->detail->says_ranks)
        set_number(copy, TN_TFL_TENSOR_HAS_RANK, 1, 1);
    unset(copy, TN_TFL_TENSOR_SIGNATURE);
    unset(copy, TN_TFL_TENSOR_SPARSITY);
    unset(copy, TN_TFL_TENSOR_EXTERNAL);
}

/* Indices of the tensors that hold scales. */
static uint32_t put_quantization(struct writer *w, const struct plan *p,
                                 const struct tn_fb_table *q)
{
    uint8_t type = tn_fb_u8(q, TN_TFL_QUANTIZATION_DETAILS_TYPE, 0);
    struct copy copy, inner;

    bool has_blocks = type >= TN_TFL_DETAILS_BLOCKS &&
                      tn_fb_has(q, TN_TFL_QUANTIZATION_DETAILS);

    copy_fields(w, object(w, "tflite.QuantizationParameters"), q,
                has_blocks ? SLOT(TN_TFL_QUANTIZATION_DETAILS) : 0, &copy);
    if (has_blocks) {
        struct tn_fb_table details =
            tn_fb_child(q, TN_TFL_QUANTIZATION_DETAILS);
        copy_fields(w,
                    object(w, type == TN_TFL_DETAILS_BLOCKS
                                  ? "tflite.BlockwiseQuantization"
                                  : "tflite.MultiAxisQuantization"),
                    &details, 0, &inner);
        for (uint16_t slot = 0; slot < 2; slot++) {
            int32_t index = tn_fb_i32(&details, slot, 0);
            if (index >= 0 && (uint32_t)index < p->row->count &&
                p->by_old[index] != TN_NONE && inner.fields[slot].is_there)
                set_number(&inner, slot, p->by_old[index], 4);
        }
        set_ref(&copy, TN_TFL_QUANTIZATION_DETAILS, put_copy(w, &inner));
    }
    return put_copy(w, &copy);
}

/* Type and shape of a value that is no constant. */
static const struct tn_io *find_io(struct writer *w, const struct plan *p,
                                   struct tn_bytes name)
{
    const struct tn_graph  *g = tn_model_graph_at(w->model, p->graph);
    const struct tn_io_list lists[] = { g->inputs, g->outputs, g->values };

    for (unsigned k = 0; k < 3; k++)
        for (uint32_t i = 0; i < lists[k].count; i++)
            if (tn_bytes_equal(lists[k].items[i].name, name))
                return &lists[k].items[i];
    return NULL;
}

static void set_shape(struct writer *w, const struct tn_io *io,
                      struct copy *copy)
{
    int32_t *shape, *open;
    bool     is_open = false;

    shape = tn_new(w->arena, int32_t, io->rank, w->error);
    open  = tn_new(w->arena, int32_t, io->rank, w->error);
    for (uint32_t i = 0; shape && open && i < io->rank; i++) {
        bool has_size = io->dims[i].value >= 0 && io->dims[i].value <= INT32_MAX;
        open[i]  = has_size ? (int32_t)io->dims[i].value : -1;
        shape[i] = has_size ? open[i] : 1;
        is_open |= !has_size;
    }
    if (tn_failed(w->error))
        return;
    if (io->has_rank)
        set_ref(copy, TN_TFL_TENSOR_SHAPE,
                tn_fb_put_i32s(&w->b, shape, io->rank));
    if (is_open)
        set_ref(copy, TN_TFL_TENSOR_SIGNATURE,
                tn_fb_put_i32s(&w->b, open, io->rank));
}

/* A value that is new and is no constant. */
static void set_value(struct writer *w, const struct plan *p,
                      const struct entry *entry, struct copy *copy)
{
    const struct tn_io *io = find_io(w, p, entry->name);

    if (!io || tn_tfl_type_number(io->dtype) < 0) {
        tn_error_set(w->error, TN_UNSUPPORTED, TN_NOWHERE,
                     "the type of '%.*s' is not known; TFLite needs it",
                     TN_FMT(entry->name));
        return;
    }
    set_shape(w, io, copy);
    if (tn_failed(w->error))
        return;
    set_number(copy, TN_TFL_TENSOR_TYPE, (uint8_t)tn_tfl_type_number(io->dtype),
               1);
    if (io->has_rank)
        set_number(copy, TN_TFL_TENSOR_HAS_RANK, 1, 1);
}

/* Whether an edit changed the type or shape of a value. */
static bool has_other_type(const struct plan *p, const struct entry *entry,
                           const struct tn_fb_table *t)
{
    const struct tn_io *io   = entry->io;
    struct tn_fb_vector dims = tn_fb_vector(t, TN_TFL_TENSOR_SIGNATURE, 4);

    if (!io || !io->has_rank || entry->data ||
        p->row->tensors[entry->old].tensor != TN_NONE)
        return false;
    if (!dims.count)
        dims = tn_fb_vector(t, TN_TFL_TENSOR_SHAPE, 4);
    if (dims.count != io->rank ||
        (io->dtype != TN_UNDEFINED &&
         io->dtype != tn_tfl_dtype(tn_fb_i8(t, TN_TFL_TENSOR_TYPE, 0))))
        return true;
    for (uint32_t i = 0; i < dims.count; i++)
        if (tn_fb_vector_i32(&dims, i) !=
            (io->dims[i].value < 0 ? -1 : io->dims[i].value))
            return true;
    return false;
}

static uint32_t put_tensor(struct writer *w, const struct plan *p,
                           const struct entry *entry)
{
    struct copy copy = { 0 };

    if (entry->old != TN_NONE) {
        const struct tn_tfl_tensor *row = &p->row->tensors[entry->old];
        struct tn_fb_table          t   = tensor_at(w, p, entry->old);
        uint32_t buffer = tn_fb_u32(&t, TN_TFL_TENSOR_BUFFER, 0);
        bool     is_renamed = !tn_bytes_equal(entry->name, row->name);
        uint32_t but        = SLOT(TN_TFL_TENSOR_QUANTIZATION);
        if (is_renamed)
            but |= SLOT(TN_TFL_TENSOR_NAME);
        bool is_other = has_other_type(p, entry, &t);
        if (entry->data || is_other)
            but |= SLOT(TN_TFL_TENSOR_SHAPE) | SLOT(TN_TFL_TENSOR_SIGNATURE);
        if (entry->data)
            but |= SLOT(TN_TFL_TENSOR_SPARSITY);
        copy_fields(w, object(w, "tflite.Tensor"), &t, but, &copy);
        if (is_other)
            set_shape(w, entry->io, &copy);
        if (is_other && tn_tfl_type_number(entry->io->dtype) >= 0)
            set_number(&copy, TN_TFL_TENSOR_TYPE,
                       (uint8_t)tn_tfl_type_number(entry->io->dtype), 1);
        if (copy.fields[TN_TFL_TENSOR_BUFFER].is_there &&
            buffer < w->buffers.count)
            set_number(&copy, TN_TFL_TENSOR_BUFFER, w->new_buffer[buffer], 4);
        if (tn_fb_has(&t, TN_TFL_TENSOR_QUANTIZATION)) {
            struct tn_fb_table q = tn_fb_child(&t, TN_TFL_TENSOR_QUANTIZATION);
            set_ref(&copy, TN_TFL_TENSOR_QUANTIZATION,
                    put_quantization(w, p, &q));
        }
        if (is_renamed)
            set_ref(&copy, TN_TFL_TENSOR_NAME,
                    tn_fb_put_string(&w->b, entry->name));
    } else {
        set_ref(&copy, TN_TFL_TENSOR_NAME,
                tn_fb_put_string(&w->b, entry->name));
        if (!entry->data)
            set_value(w, p, entry, &copy);
    }
    if (entry->data)
        set_data(w, entry, &copy);
    return put_copy(w, &copy);
}

/* ---- building: operators ------------------------------------------------ */

/* The code of an operator whose type an edit changed. */
static uint32_t find_code(struct writer *w, const struct tn_op *op)
{
    for (uint64_t i = 0; i < w->new_codes.count; i++) {
        const struct code *code = tn_list_at(&w->new_codes, struct code, i);
        if (code->old == TN_NONE && code->type == op->type &&
            code->domain == op->domain)
            return (uint32_t)i;
    }
    struct code *code = tn_list_push(&w->new_codes, struct code, w->error);
    if (!code)
        return 0;
    *code = (struct code){ TN_NONE, op->type, op->domain };
    return (uint32_t)(w->new_codes.count - 1);
}

/* The number of a builtin operator; -1: there is none of that name. */
static int32_t builtin_number(struct tn_bytes type)
{
    for (uint32_t i = 0; i < tn_tfl_builtin_count; i++)
        if (i != TN_TFL_CUSTOM && tn_bytes_is(type, tn_tfl_builtins[i].name))
            return (int32_t)i;
    return -1;
}

static int32_t code_number(struct writer *w, const struct tn_op *op)
{
    struct tn_bytes domain = tn_model_name(w->model, op->domain);

    if (tn_bytes_is(domain, TN_TFL_CUSTOM_DOMAIN))
        return TN_TFL_CUSTOM;
    return domain.size
               ? -1
               : builtin_number(tn_model_name(w->model, op->type));
}

/* The type of an operator in the old file. */
static bool is_old_type(struct writer *w, const struct tn_op *op,
                        const struct tn_fb_table *table)
{
    uint32_t index = tn_fb_u32(table, TN_TFL_OPERATOR_CODE, 0);

    if (index >= w->codes.count)
        return false;
    struct tn_fb_table code = tn_fb_vector_table(&w->codes, index);
    int32_t            old  = tn_tfl_code(&code);
    if (old != TN_TFL_CUSTOM)
        return code_number(w, op) == old || (uint32_t)old >= tn_tfl_builtin_count;
    return code_number(w, op) == TN_TFL_CUSTOM &&
           tn_bytes_equal(tn_fb_string(&code, TN_TFL_CODE_CUSTOM),
                          tn_model_name(w->model, op->type));
}

static uint32_t put_values(struct writer *w, const struct plan *p, uint32_t op,
                           uint32_t count, bool is_output)
{
    int32_t *list = tn_new(w->arena, int32_t, count, w->error);

    for (uint32_t i = 0; list && i < count; i++) {
        uint32_t value = is_output ? tn_op_output(w->model, op, i)
                                   : tn_op_input(w->model, op, i);
        list[i]        = -1;
        if (value == TN_NONE)
            continue;
        list[i] = (int32_t)tn_intern_find(
            &p->names, tn_model_value_name(w->model, value));
    }
    return list ? tn_fb_put_i32s(&w->b, list, count) : 0;
}

static uint32_t put_old_list(struct writer *w, const struct plan *p,
                             const struct tn_fb_table *table, uint16_t slot)
{
    struct tn_fb_vector from = tn_fb_vector(table, slot, 4);
    int32_t            *list = tn_new(w->arena, int32_t, from.count, w->error);

    for (uint32_t i = 0; list && i < from.count; i++) {
        int32_t index = tn_fb_vector_i32(&from, i);
        list[i]       = index >= 0 && (uint32_t)index < p->row->count
                            ? (int32_t)p->by_old[index]
                            : index;
    }
    return list ? tn_fb_put_i32s(&w->b, list, from.count) : 0;
}

/* The number that a subgraph of that name has now; -1: there is none. */
static int64_t graph_named(const struct writer *w, struct tn_bytes name)
{
    for (uint32_t i = 0; i < w->model->graphs.count; i++)
        if (tn_bytes_equal(
                tn_model_name(w->model,
                              tn_model_graph_at(w->model, i)->name),
                name))
            return i;
    return -1;
}

static enum tn_status refuse_attr(struct writer *w, struct tn_bytes name,
                                  const char *why)
{
    return tn_error_set(w->error, TN_INVALID, TN_NOWHERE,
                        "attribute '%.*s': %s", TN_FMT(name), why);
}

static int64_t enum_number(const struct tn_tfl_field *field,
                           struct tn_bytes            word)
{
    const struct tn_tfl_names *names = &tn_tfl_names[field->names];

    for (uint32_t i = 0; i < names->count; i++)
        if (tn_bytes_is(word, names->names[i]))
            return i;
    return -1;
}

static uint8_t scalar_size(const struct tn_tfl_field *field)
{
    switch (field->kind) {
    case TN_TFL_BOOL:
    case TN_TFL_I8:
    case TN_TFL_TYPE: return 1;
    case TN_TFL_ENUM: return (uint8_t)tn_tfl_names[field->names].size;
    case TN_TFL_I64: return 8;
    default: return 4;
    }
}

/* A scalar; false if the value does not fit the field. */
static bool encode_scalar(struct writer *w, const struct tn_tfl_field *field,
                          const struct tn_attr_value *v, int64_t *bits)
{
    bool is_int = v->kind == TN_ATTR_INT || v->kind == TN_ATTR_BOOL;

    if (v->is_list || v->count != 1)
        return false;
    switch (field->kind) {
    case TN_TFL_TYPE:
        if (v->kind != TN_ATTR_DTYPE)
            return false;
        *bits = tn_tfl_type_number((enum tn_dtype)v->of.ints[0]);
        return *bits >= 0;
    case TN_TFL_ENUM:
        if (v->kind != TN_ATTR_STRING)
            return false;
        *bits = enum_number(field, v->of.strings[0]);
        return *bits >= 0;
    case TN_TFL_SUBGRAPH:
        if (v->kind != TN_ATTR_FUNCTION)
            return false;
        *bits = graph_named(w, v->of.strings[0]);
        return *bits >= 0;
    case TN_TFL_F32: {
        uint32_t raw;
        if (v->kind != TN_ATTR_FLOAT)
            return false;
        memcpy(&raw, v->of.floats, sizeof raw);
        *bits = raw;
        return true;
    }
    case TN_TFL_I8:
        return is_int && (*bits = v->of.ints[0]) >= INT8_MIN && *bits <= INT8_MAX;
    case TN_TFL_I32:
        return is_int && (*bits = v->of.ints[0]) >= INT32_MIN &&
               *bits <= INT32_MAX;
    case TN_TFL_U32:
        return is_int && (*bits = v->of.ints[0]) >= 0 && *bits <= UINT32_MAX;
    case TN_TFL_BOOL:
        *bits = is_int && v->of.ints[0] != 0;
        return is_int;
    default: return is_int && ((*bits = v->of.ints[0]), true);
    }
}

/* A vector or string; 0 if the value does not fit the field. */
static uint32_t encode_list(struct writer *w, const struct tn_tfl_field *field,
                            const struct tn_attr_value *v)
{
    bool     is_word = field->kind == TN_TFL_ENUMS ||
                       field->kind == TN_TFL_SUBGRAPHS;
    uint32_t width = field->kind == TN_TFL_I64S    ? 8
                     : field->kind == TN_TFL_BOOLS ? 1
                                                   : 4;
    uint8_t *bytes;

    if (field->kind == TN_TFL_STRING || field->kind == TN_TFL_BYTES) {
        if (v->kind != TN_ATTR_STRING || v->is_list)
            return 0;
        return field->kind == TN_TFL_STRING
                   ? tn_fb_put_string(&w->b, v->of.strings[0])
                   : tn_fb_put_vector(&w->b, v->of.strings[0], 1, 1);
    }
    enum tn_attr_kind wanted = field->kind == TN_TFL_F32S        ? TN_ATTR_FLOAT
                               : field->kind == TN_TFL_ENUMS     ? TN_ATTR_STRING
                               : field->kind == TN_TFL_SUBGRAPHS ? TN_ATTR_FUNCTION
                               : field->kind == TN_TFL_BOOLS     ? TN_ATTR_BOOL
                                                                 : TN_ATTR_INT;
    if (v->kind != wanted || !v->is_list ||
        !(bytes = tn_new(w->arena, uint8_t, (uint64_t)v->count * width,
                         w->error)))
        return 0;
    for (uint32_t i = 0; i < v->count; i++) {
        uint64_t bits;
        if (is_word) {
            int64_t number = field->kind == TN_TFL_ENUMS
                                 ? enum_number(field, v->of.strings[i])
                                 : graph_named(w, v->of.strings[i]);
            if (number < 0)
                return 0;
            bits = (uint64_t)number;
        } else if (field->kind == TN_TFL_F32S) {
            uint32_t raw;
            memcpy(&raw, &v->of.floats[i], sizeof raw);
            bits = raw;
        } else {
            bits = (uint64_t)v->of.ints[i];
            if (width == 4 && (v->of.ints[i] < INT32_MIN ||
                               v->of.ints[i] > INT32_MAX))
                return 0;
        }
        tn_store_little(bytes + (uint64_t)i * width, bits, width);
    }
    return tn_fb_put_vector(&w->b,
                            tn_bytes(bytes, (size_t)v->count * width), width,
                            width);
}

static const struct tn_tfl_field *find_field(const struct tn_tfl_options *options,
                                             struct tn_bytes name, uint32_t *at)
{
    for (*at = 0; *at < options->count; ++*at)
        if (tn_bytes_is(name, options->fields[*at].name))
            return &options->fields[*at];
    return NULL;
}

/* The options of an operator whose attributes were edited. */
static void put_attrs(struct writer *w, uint32_t id,
                      const struct tn_tfl_options *options, struct copy *inner,
                      struct copy *outer)
{
    struct tn_list attrs;

    tn_list_init(&attrs, w->model->memory, sizeof(struct tn_attr_named));
    tn_attr_list(w->model, id, w->arena, &attrs, w->error);
    for (uint64_t i = 0; i < attrs.count && !tn_failed(w->error); i++) {
        const struct tn_attr_named *a =
            tn_list_at(&attrs, struct tn_attr_named, i);
        uint32_t                   at;
        const struct tn_tfl_field *field = find_field(options, a->name, &at);
        int64_t                    bits  = 0;
        if (!field && tn_bytes_is(a->name, "custom_options") &&
            a->value.kind == TN_ATTR_STRING) {
            set_ref(outer, TN_TFL_OPERATOR_CUSTOM,
                    tn_fb_put_vector(&w->b, a->value.of.strings[0], 1, 1));
            unset(outer, TN_TFL_OPERATOR_CUSTOM_OFFSET);
            unset(outer, TN_TFL_OPERATOR_CUSTOM_SIZE);
        } else if (!field && (tn_bytes_is(a->name, "intermediates") ||
                              tn_bytes_is(a->name, "mutating_variable_inputs"))) {
            continue; /* as they were */
        } else if (!field) {
            refuse_attr(w, a->name, "the operator has none of that name");
        } else if (field->kind <= TN_TFL_SUBGRAPH) {
            if (!encode_scalar(w, field, &a->value, &bits))
                refuse_attr(w, a->name, "a value that does not fit the field");
            else if (bits != field->otherwise)
                set_number(inner, field->slot, (uint64_t)bits,
                           scalar_size(field));
        } else {
            uint32_t ref = encode_list(w, field, &a->value);
            if (!ref && !tn_failed(w->error))
                refuse_attr(w, a->name, "a value that does not fit the field");
            set_ref(inner, field->slot, ref);
        }
    }
    tn_list_done(&attrs);
}

/* Numbers of subgraphs in unchanged options. */
static void renumber_graphs(struct writer *w,
                            const struct tn_tfl_options *options,
                            const struct tn_fb_table *given, struct copy *inner)
{
    for (uint32_t i = 0; i < options->count; i++) {
        const struct tn_tfl_field *field = &options->fields[i];
        if (field->kind != TN_TFL_SUBGRAPH &&
            (field->kind != TN_TFL_SUBGRAPHS || !tn_fb_has(given, field->slot)))
            continue;
        if (field->kind == TN_TFL_SUBGRAPH) {
            int32_t old = tn_fb_i32(given, field->slot, 0);
            if (old > 0 && (uint32_t)old < w->subgraphs.count)
                set_number(inner, field->slot, w->new_graph[old], 4);
            continue;
        }
        struct tn_fb_vector from = tn_fb_vector(given, field->slot, 4);
        int32_t *list = tn_new(w->arena, int32_t, from.count, w->error);
        for (uint32_t k = 0; list && k < from.count; k++) {
            int32_t old = tn_fb_vector_i32(&from, k);
            list[k]     = old > 0 && (uint32_t)old < w->subgraphs.count
                              ? (int32_t)w->new_graph[old]
                              : old;
        }
        if (list)
            set_ref(inner, field->slot,
                    tn_fb_put_i32s(&w->b, list, from.count));
    }
}

static const struct tn_tfl_options *options_of(int32_t number)
{
    return &tn_tfl_options[number >= 0 &&
                                   (uint32_t)number < tn_tfl_builtin_count
                               ? tn_tfl_builtins[number].options
                               : 0];
}

static void set_options(struct copy *copy, const struct tn_tfl_options *options,
                        uint32_t ref)
{
    bool is_first = options->which == 1;

    set_number(copy,
               is_first ? TN_TFL_OPERATOR_OPTIONS_TYPE
                        : TN_TFL_OPERATOR_OPTIONS2_TYPE,
               options->tag, 1);
    set_ref(copy,
            is_first ? TN_TFL_OPERATOR_OPTIONS : TN_TFL_OPERATOR_OPTIONS2, ref);
}

/* Whether attributes differ from those of the file.  An op that only has other
 * arguments keeps them, with nothing added. */
static bool has_other_attrs(struct writer *w, const struct tn_op *op)
{
    struct tn_cursor c = tn_cursor_span(tn_model_op_wire(w->model, op),
                                        w->error);
    struct tn_bytes  name;
    struct tn_span   wire;
    uint32_t         count = 0;

    if (!op->wire_length)
        return true;
    if (op->first_attr == TN_NONE)
        return false;
    for (uint32_t i = 0; i < op->attr_count; i++)
        if (tn_list_at(&w->model->attrs, struct tn_attr_slot,
                       (uint64_t)op->first_attr + i)
                ->value)
            return true;
    while (tn_dialect_tflite.next_attr(&c, &name, &wire))
        count++;
    return count != op->attr_count;
}

static void put_options(struct writer *w, uint32_t id, bool is_old,
                        const struct tn_fb_table *table, struct copy *copy)
{
    const struct tn_op          *op      = tn_model_op_at(w->model, id);
    const struct tn_tfl_options *options = options_of(code_number(w, op));
    struct tn_fb_table           given   = { 0 };
    struct copy                  inner   = { 0 };
    bool is_touched = !is_old || has_other_attrs(w, op);

    if (is_old)
        options = tn_tfl_options_of(table, code_number(w, op), &given);
    if (!is_old) {
        unset(copy, TN_TFL_OPERATOR_OPTIONS_TYPE);
        unset(copy, TN_TFL_OPERATOR_OPTIONS);
        unset(copy, TN_TFL_OPERATOR_OPTIONS2_TYPE);
        unset(copy, TN_TFL_OPERATOR_OPTIONS2);
    }
    if (is_touched) {
        unset(copy, TN_TFL_OPERATOR_CUSTOM);
        put_attrs(w, id, options, &inner, copy);
        if (options->tag)
            set_options(copy, options, put_copy(w, &inner));
    } else if (given.fb) {
        const struct tn_fb_object *type = tn_fb_schema_find(
            &w->schema,
            tn_text_format(w->arena, w->error, "tflite.%s", options->name));
        if (!type)
            return;
        copy_fields(w, type, &given, 0, &inner);
        renumber_graphs(w, options, &given, &inner);
        set_options(copy, options, put_copy(w, &inner));
    }
}

static uint32_t put_operator(struct writer *w, const struct plan *p, uint32_t id)
{
    const struct tn_op *op    = tn_model_op_at(w->model, id);
    struct copy         copy  = { 0 };
    struct tn_fb_table  table = { 0 };
    bool                is_old = false;

    if (op->wire_length) {
        table  = tn_fb_table_at(&w->fb, op->wire_offset);
        is_old = is_old_type(w, op, &table);
        copy_fields(w, object(w, "tflite.Operator"), &table,
                    SLOT(TN_TFL_OPERATOR_INPUTS) |
                        SLOT(TN_TFL_OPERATOR_OUTPUTS) |
                        SLOT(TN_TFL_OPERATOR_OPTIONS) |
                        SLOT(TN_TFL_OPERATOR_OPTIONS2) |
                        SLOT(TN_TFL_OPERATOR_INTERMEDIATES) |
                        (w->options->leaves_debug ? SLOT(TN_TFL_OPERATOR_DEBUG)
                                                  : 0),
                    &copy);
        if (tn_fb_has(&table, TN_TFL_OPERATOR_INTERMEDIATES))
            set_ref(&copy, TN_TFL_OPERATOR_INTERMEDIATES,
                    put_old_list(w, p, &table, TN_TFL_OPERATOR_INTERMEDIATES));
    }
    if (!is_old && code_number(w, op) < 0) {
        tn_error_set(w->error, TN_UNSUPPORTED, TN_NOWHERE,
                     "TFLite has no operator '%.*s'; one that is not built in "
                     "has the domain " TN_TFL_CUSTOM_DOMAIN,
                     TN_FMT(tn_model_name(w->model, op->type)));
        return 0;
    }
    if (!is_old)
        set_index(&copy, TN_TFL_OPERATOR_CODE, find_code(w, op));
    set_ref(&copy, TN_TFL_OPERATOR_INPUTS,
            put_values(w, p, id, op->input_count - op->control_count, false));
    set_ref(&copy, TN_TFL_OPERATOR_OUTPUTS,
            put_values(w, p, id, op->output_count, true));
    put_options(w, id, is_old, &table, &copy);
    struct tn_span large = { 0 };
    if (table.fb && copy.fields[TN_TFL_OPERATOR_CUSTOM_OFFSET].is_there &&
        tn_tfl_custom_options(&table, &large, w->error)) {
        /* Large custom options move back into the buffer. */
        set_ref(&copy, TN_TFL_OPERATOR_CUSTOM,
                tn_fb_put_span(&w->b, large, 1, 1));
        unset(&copy, TN_TFL_OPERATOR_CUSTOM_OFFSET);
        unset(&copy, TN_TFL_OPERATOR_CUSTOM_SIZE);
    }
    return put_copy(w, &copy);
}

/* ---- building: the rest ------------------------------------------------- */

static uint32_t put_io(struct writer *w, const struct plan *p,
                       struct tn_io_list io)
{
    int32_t *list = tn_new(w->arena, int32_t, io.count, w->error);

    for (uint32_t i = 0; list && i < io.count; i++)
        list[i] = (int32_t)tn_intern_find(&p->names, io.items[i].name);
    return list ? tn_fb_put_i32s(&w->b, list, io.count) : 0;
}

static uint32_t put_subgraph(struct writer *w, const struct plan *p)
{
    const struct tn_graph *g = tn_model_graph_at(w->model, p->graph);
    struct tn_fb_table     old = tn_fb_table_at(&w->fb, p->row->at);
    uint32_t *tensors = tn_new(w->arena, uint32_t, p->entries.count, w->error);
    uint32_t *ops     = tn_new(w->arena, uint32_t, g->op_count, w->error);
    struct copy copy  = { 0 };

    for (uint32_t i = 0; tensors && i < p->entries.count && !tn_failed(w->error);
         i++)
        tensors[i] = put_tensor(w, p, entry_at(p, i));
    for (uint32_t i = 0; ops && i < g->op_count && !tn_failed(w->error); i++)
        ops[i] = put_operator(w, p, g->first_op + i);
    if (tn_failed(w->error))
        return 0;
    set_ref(&copy, TN_TFL_SUBGRAPH_TENSORS,
            tn_fb_put_refs(&w->b, tensors, (uint32_t)p->entries.count));
    set_ref(&copy, TN_TFL_SUBGRAPH_INPUTS, put_io(w, p, g->inputs));
    set_ref(&copy, TN_TFL_SUBGRAPH_OUTPUTS, put_io(w, p, g->outputs));
    set_ref(&copy, TN_TFL_SUBGRAPH_OPERATORS,
            tn_fb_put_refs(&w->b, ops, (uint32_t)g->op_count));
    struct tn_bytes now = tn_model_name(w->model, g->name);
    struct tn_bytes name =
        tn_bytes_equal(now, p->row->name)
            ? tn_fb_string(&old, TN_TFL_SUBGRAPH_NAME)
            : now;
    if (name.data)
        set_ref(&copy, TN_TFL_SUBGRAPH_NAME, tn_fb_put_string(&w->b, name));
    if (tn_fb_has(&old, TN_TFL_SUBGRAPH_DEBUG) && !w->options->leaves_debug)
        set_number(&copy, TN_TFL_SUBGRAPH_DEBUG,
                   (uint32_t)tn_fb_i32(&old, TN_TFL_SUBGRAPH_DEBUG, -1), 4);
    return put_copy(w, &copy);
}

static bool is_listed(const struct plan *p, struct tn_io_list io, uint32_t entry)
{
    for (uint32_t i = 0; i < io.count; i++)
        if (tn_bytes_equal(io.items[i].name, entry_at(p, entry)->name))
            return true;
    return false;
}

/* Arguments of a signature whose tensors are still inputs or outputs. */
static uint32_t put_arguments(struct writer *w, const struct plan *p,
                              const struct tn_fb_table *from, uint16_t slot)
{
    const struct tn_graph *g    = tn_model_graph_at(w->model, p->graph);
    struct tn_fb_vector    maps = tn_fb_vector(from, slot, 4);
    uint32_t *refs = tn_new(w->arena, uint32_t, maps.count, w->error);
    uint32_t  count = 0;

    for (uint32_t i = 0; refs && i < maps.count && !tn_failed(w->error); i++) {
        struct tn_fb_table map   = tn_fb_vector_table(&maps, i);
        uint32_t           old   = tn_fb_u32(&map, 1, 0);
        uint32_t entry = old < p->row->count ? p->by_old[old] : TN_NONE;
        struct copy copy;
        if (entry == TN_NONE ||
            (g->has_other_io &&
             !is_listed(p, slot == TN_TFL_SIGNATURE_INPUTS ? g->inputs
                                                           : g->outputs,
                        entry)))
            continue;
        copy_fields(w, object(w, "tflite.TensorMap"), &map, 0, &copy);
        set_index(&copy, 1, entry);
        refs[count++] = put_copy(w, &copy);
    }
    return refs && !tn_failed(w->error) ? tn_fb_put_refs(&w->b, refs, count)
                                        : 0;
}

static bool is_signature_set(const struct writer *w, struct tn_bytes name)
{
    return tn_changes_text(w->model->changes, TN_TEXT_SIGNATURE, name);
}

/* A list of TensorMaps: name, tensor. */
static uint32_t put_new_arguments(struct writer *w, const struct plan *p,
                                  struct tn_io_list io)
{
    uint32_t *refs = tn_new(w->arena, uint32_t, io.count, w->error);

    for (uint32_t i = 0; refs && i < io.count && !tn_failed(w->error); i++) {
        uint32_t    entry = tn_intern_find(&p->names, io.items[i].name);
        struct copy copy  = { 0 };
        if (entry == TN_NO_NAME) {
            tn_error_set(w->error, TN_NOT_FOUND, TN_NOWHERE,
                         "no value '%.*s', which a signature names",
                         TN_FMT(io.items[i].name));
            return 0;
        }
        set_ref(&copy, 0, tn_fb_put_string(&w->b, io.items[i].key));
        set_index(&copy, 1, entry);
        refs[i] = put_copy(w, &copy);
    }
    return refs && !tn_failed(w->error) ? tn_fb_put_refs(&w->b, refs, io.count)
                                        : 0;
}

/* A signature that an edit set; TFLite has no methods of signatures. */
static uint32_t put_new_signature(struct writer *w, uint32_t index)
{
    const struct tn_signature *one   = tn_model_signature(w->model, index);
    uint32_t                   graph =
        w->model->signature_graphs ? w->model->signature_graphs[index] : 0;
    struct copy copy = { 0 };

    if (graph == TN_NONE) {
        tn_error_set(w->error, TN_NOT_FOUND, TN_NOWHERE,
                     "the subgraph of the signature '%.*s' was removed",
                     TN_FMT(one->name));
        return 0;
    }
    const struct plan *p = &w->plans[graph];
    set_ref(&copy, TN_TFL_SIGNATURE_INPUTS,
            put_new_arguments(w, p, one->inputs));
    set_ref(&copy, TN_TFL_SIGNATURE_OUTPUTS,
            put_new_arguments(w, p, one->outputs));
    if (!tn_failed(w->error))
        set_ref(&copy, TN_TFL_SIGNATURE_KEY,
                tn_fb_put_string(&w->b, one->name));
    set_index(&copy, TN_TFL_SIGNATURE_SUBGRAPH, graph);
    return put_copy(w, &copy);
}

static bool has_new_signatures(const struct writer *w)
{
    for (uint32_t i = 0; i < w->model->signatures.count; i++)
        if (is_signature_set(w, tn_model_signature(w->model, i)->name))
            return true;
    return false;
}

static uint32_t put_signatures(struct writer *w)
{
    struct tn_fb_vector all =
        tn_fb_vector(&w->root, TN_TFL_MODEL_SIGNATURES, 4);
    uint32_t *refs = tn_new(w->arena, uint32_t,
                            all.count + w->model->signatures.count, w->error);
    uint32_t  count = 0;

    for (uint32_t i = 0; refs && i < all.count && !tn_failed(w->error); i++) {
        struct tn_fb_table row = tn_fb_vector_table(&all, i);
        uint32_t old   = tn_fb_u32(&row, TN_TFL_SIGNATURE_SUBGRAPH, 0);
        uint32_t graph = old < w->subgraphs.count ? w->new_graph[old] : TN_NONE;
        struct copy copy;
        if (graph == TN_NONE || is_signature_set(w, tn_fb_string(
                                    &row, TN_TFL_SIGNATURE_KEY)))
            continue; /* its subgraph was removed, or it is another one now */
        copy_fields(w, object(w, "tflite.SignatureDef"), &row,
                    SLOT(TN_TFL_SIGNATURE_INPUTS) |
                        SLOT(TN_TFL_SIGNATURE_OUTPUTS),
                    &copy);
        set_ref(&copy, TN_TFL_SIGNATURE_INPUTS,
                put_arguments(w, &w->plans[graph], &row,
                              TN_TFL_SIGNATURE_INPUTS));
        set_ref(&copy, TN_TFL_SIGNATURE_OUTPUTS,
                put_arguments(w, &w->plans[graph], &row,
                              TN_TFL_SIGNATURE_OUTPUTS));
        set_index(&copy, TN_TFL_SIGNATURE_SUBGRAPH, graph);
        refs[count++] = put_copy(w, &copy);
    }
    for (uint32_t i = 0; refs && i < w->model->signatures.count; i++)
        if (is_signature_set(w, tn_model_signature(w->model, i)->name))
            refs[count++] = put_new_signature(w, i);
    return refs && !tn_failed(w->error) ? tn_fb_put_refs(&w->b, refs, count)
                                        : 0;
}

static bool has_new_texts(const struct writer *w)
{
    const struct tn_changes *changes = w->model->changes;

    for (uint32_t i = 0; changes && i < changes->text_count; i++)
        if (changes->texts[i].kind == TN_TEXT_METADATA)
            return true;
    return false;
}

static uint32_t put_new_text(struct writer *w, uint32_t change)
{
    struct copy copy = { 0 };

    set_ref(&copy, TN_TFL_METADATA_NAME,
            tn_fb_put_string(&w->b, w->model->changes->texts[change].key));
    set_number(&copy, TN_TFL_METADATA_BUFFER, w->text_buffer[change], 4);
    return put_copy(w, &copy);
}

/* Adds what an edit added; returns how many there are now. */
static uint32_t put_new_texts(struct writer *w, const bool *is_made,
                              uint32_t *refs, uint32_t count)
{
    const struct tn_changes *changes = w->model->changes;

    for (uint32_t i = 0; changes && i < changes->text_count; i++) {
        const struct tn_text_change *text = &changes->texts[i];
        if (text->kind != TN_TEXT_METADATA || is_made[i])
            continue;
        if (text->value.data)
            refs[count++] = put_new_text(w, i);
        else
            tn_changes_miss(text, w->error);
    }
    return count;
}

static uint32_t put_metadata(struct writer *w)
{
    const struct tn_changes *changes = w->model->changes;
    uint32_t                 added   = changes ? changes->text_count : 0;
    struct tn_fb_vector rows = tn_fb_vector(&w->root, TN_TFL_MODEL_METADATA, 4);
    uint32_t           *refs =
        tn_new(w->arena, uint32_t, (uint64_t)rows.count + added, w->error);
    bool    *is_made = tn_new(w->arena, bool, added, w->error);
    uint32_t count   = 0;

    if (tn_failed(w->error))
        return 0;

    for (uint32_t i = 0; refs && i < rows.count && !tn_failed(w->error); i++) {
        struct tn_fb_table row    = tn_fb_vector_table(&rows, i);
        uint32_t           buffer = tn_fb_u32(&row, TN_TFL_METADATA_BUFFER, 0);
        struct copy        copy;
        if (w->options->leaves_debug &&
            is_debug(tn_fb_string(&row, TN_TFL_METADATA_NAME)))
            continue;
        const struct tn_text_change *change = change_of(w, &row);
        if (change) { /* of several with the key, one stays */
            bool *is_put = &is_made[change - changes->texts];
            if (change->value.data && !*is_put)
                refs[count++] =
                    put_new_text(w, (uint32_t)(change - changes->texts));
            *is_put = true;
            continue;
        }
        copy_fields(w, object(w, "tflite.Metadata"), &row, 0, &copy);
        if (copy.fields[TN_TFL_METADATA_BUFFER].is_there)
            set_number(&copy, TN_TFL_METADATA_BUFFER, w->new_buffer[buffer], 4);
        refs[count++] = put_copy(w, &copy);
    }
    count = put_new_texts(w, is_made, refs, count);
    return refs && !tn_failed(w->error) ? tn_fb_put_refs(&w->b, refs, count)
                                        : 0;
}

static uint32_t put_buffer(struct writer *w, const struct out *out)
{
    struct copy copy = { 0 };

    if (out->size && out->is_outside) {
        set_number(&copy, TN_TFL_BUFFER_OFFSET, out->offset, 8);
        set_number(&copy, TN_TFL_BUFFER_SIZE, out->size, 8);
    } else if (out->text.data) {
        set_ref(&copy, TN_TFL_BUFFER_DATA,
                tn_fb_put_vector(&w->b, out->text, 1, DATA_ALIGN));
    } else if (out->size) {
        set_ref(&copy, TN_TFL_BUFFER_DATA,
                out->producer
                    ? tn_fb_put_producer(&w->b, &out->producer->producer, 1,
                                         DATA_ALIGN)
                    : tn_fb_put_span(&w->b, out->span, 1, DATA_ALIGN));
    } else if (out->old != TN_NONE) {
        struct tn_fb_table old = tn_fb_vector_table(&w->buffers, out->old);
        if (tn_fb_has(&old, TN_TFL_BUFFER_DATA))
            set_ref(&copy, TN_TFL_BUFFER_DATA,
                    tn_fb_put_vector(&w->b, tn_bytes("", 0), 1, DATA_ALIGN));
    }
    return put_copy(w, &copy);
}

static uint32_t put_code(struct writer *w, const struct code *code)
{
    struct copy copy = { 0 };

    if (code->old != TN_NONE) {
        struct tn_fb_table old = tn_fb_vector_table(&w->codes, code->old);
        return copy_table(w, object(w, "tflite.OperatorCode"), &old);
    }
    struct tn_bytes type   = tn_model_name(w->model, code->type);
    int32_t         number = tn_model_name(w->model, code->domain).size
                                 ? TN_TFL_CUSTOM
                                 : builtin_number(type);
    if (number == TN_TFL_CUSTOM)
        set_ref(&copy, TN_TFL_CODE_CUSTOM, tn_fb_put_string(&w->b, type));
    set_number(&copy, TN_TFL_CODE_OLD,
               (uint64_t)(number < TN_TFL_PLACEHOLDER ? number
                                                      : TN_TFL_PLACEHOLDER),
               1);
    set_number(&copy, TN_TFL_CODE_BUILTIN, (uint64_t)number, 4);
    return put_copy(w, &copy);
}

static uint32_t put_old_buffers(struct writer *w)
{
    struct tn_fb_vector from =
        tn_fb_vector(&w->root, TN_TFL_MODEL_METADATA_BUFFER, 4);
    int32_t *list = tn_new(w->arena, int32_t, from.count, w->error);

    for (uint32_t i = 0; list && i < from.count; i++) {
        int32_t old = tn_fb_vector_i32(&from, i);
        list[i]     = old >= 0 && (uint32_t)old < w->buffers.count
                          ? (int32_t)w->new_buffer[old]
                          : old;
    }
    return list ? tn_fb_put_i32s(&w->b, list, from.count) : 0;
}

/* The root.  Subgraphs come before codes, which they may add to. */
static uint32_t put_model(struct writer *w)
{
    uint32_t *graphs  = tn_new(w->arena, uint32_t, w->plan_count, w->error);
    uint32_t *buffers = tn_new(w->arena, uint32_t, w->outs.count, w->error);
    struct copy copy  = { 0 };

    set_number(&copy, TN_TFL_MODEL_VERSION,
               tn_fb_u32(&w->root, TN_TFL_MODEL_VERSION, 0), 4);
    for (uint32_t i = 0; buffers && i < w->outs.count && !tn_failed(w->error);
         i++)
        buffers[i] = put_buffer(w, tn_list_at(&w->outs, struct out, i));
    for (uint32_t i = 0; graphs && i < w->plan_count && !tn_failed(w->error);
         i++)
        graphs[i] = put_subgraph(w, &w->plans[i]);
    uint32_t *codes = tn_new(w->arena, uint32_t, w->new_codes.count, w->error);
    for (uint32_t i = 0; codes && i < w->new_codes.count && !tn_failed(w->error);
         i++)
        codes[i] = put_code(w, tn_list_at(&w->new_codes, struct code, i));
    if (tn_failed(w->error))
        return 0;
    set_ref(&copy, TN_TFL_MODEL_BUFFERS,
            tn_fb_put_refs(&w->b, buffers, (uint32_t)w->outs.count));
    set_ref(&copy, TN_TFL_MODEL_SUBGRAPHS,
            tn_fb_put_refs(&w->b, graphs, w->plan_count));
    set_ref(&copy, TN_TFL_MODEL_CODES,
            tn_fb_put_refs(&w->b, codes, (uint32_t)w->new_codes.count));
    struct tn_bytes text = tn_fb_string(&w->root, TN_TFL_MODEL_DESCRIPTION);
    const struct tn_text_change *change =
        tn_changes_text(w->model->changes, TN_TEXT_DOC, tn_bytes("", 0));
    if (change)
        text = change->value;
    if (text.data && (text.size || !change))
        set_ref(&copy, TN_TFL_MODEL_DESCRIPTION,
                tn_fb_put_string(&w->b, text));
    if (tn_fb_has(&w->root, TN_TFL_MODEL_METADATA_BUFFER))
        set_ref(&copy, TN_TFL_MODEL_METADATA_BUFFER, put_old_buffers(w));
    if (tn_fb_has(&w->root, TN_TFL_MODEL_METADATA) || has_new_texts(w))
        set_ref(&copy, TN_TFL_MODEL_METADATA, put_metadata(w));
    if (tn_fb_has(&w->root, TN_TFL_MODEL_SIGNATURES) || has_new_signatures(w))
        set_ref(&copy, TN_TFL_MODEL_SIGNATURES, put_signatures(w));
    for (uint16_t slot = TN_TFL_MODEL_GROUPS; slot <= TN_TFL_MODEL_EXTERNAL;
         slot++)
        if (tn_fb_has(&w->root, slot))
            set_ref(&copy, slot,
                    copy_vector(w, &object(w, "tflite.Model")->fields[slot],
                                &w->root, slot));
    return put_copy(w, &copy);
}

/* ---- the file ----------------------------------------------------------- */

/* Builds the FlatBuffer with the offsets as they are now. */
static enum tn_status build(struct writer *w, struct tn_rope *to)
{
    w->new_codes.count = w->codes.count; /* new ones are added again */
    tn_fb_build_init(&w->b, w->arena, w->error);
    uint32_t root = put_model(w);
    if (!tn_failed(w->error))
        tn_fb_finish(&w->b, root, TN_TFL_IDENTIFIER, to);
    tn_fb_build_done(&w->b);
    return w->error->status;
}

static uint64_t aligned(uint64_t size)
{
    return (size + DATA_ALIGN - 1) / DATA_ALIGN * DATA_ALIGN;
}

/* Data after the FlatBuffer begin where it ends.  Returns where they end. */
static uint64_t place_outside(struct writer *w, uint64_t at)
{
    for (uint64_t i = 0; i < w->outs.count; i++) {
        struct out *out = tn_list_at(&w->outs, struct out, i);
        if (!out->size || !out->is_outside)
            continue;
        at          = aligned(at);
        out->offset = at;
        at += out->size;
    }
    return at;
}

static void append_outside(struct writer *w, struct tn_rope *to)
{
    static const uint8_t zeros[DATA_ALIGN];

    for (uint64_t i = 0; i < w->outs.count && !tn_failed(w->error); i++) {
        const struct out *out = tn_list_at(&w->outs, struct out, i);
        if (!out->size || !out->is_outside)
            continue;
        tn_rope_bytes(to, tn_bytes(zeros, (size_t)(out->offset - to->length)));
        if (out->producer)
            tn_rope_producer(to, &out->producer->producer);
        else if (out->text.data)
            tn_rope_bytes(to, out->text);
        else
            tn_rope_span(to, out->span);
    }
}

struct tn_span tn_tfl_attached(struct tn_source *source,
                               struct tn_memory *memory)
{
    struct tn_zip_options options = { .is_foreign = true, .has_keys = true };
    struct tn_span        span    = { source, 0, 0 };
    struct tn_error       ignored = TN_ERROR_INIT;
    struct tn_zip         zip;
    uint8_t               tail[22];

    /* Most models have none: look for the end record of an archive without a
     * comment before anything else. */
    if (source->size < sizeof tail ||
        tn_source_read(source, source->size - sizeof tail, tail, sizeof tail,
                       &ignored) != TN_OK ||
        memcmp(tail, "PK\5\6", 4) != 0)
        return span;
    if (tn_zip_open(&zip, source, memory, &options, &ignored) ==
            TN_OK &&
        tn_zip_count(&zip)) {
        span.offset = tn_zip_in_order(&zip, 0)->offset;
        span.length = source->size - span.offset;
    }
    tn_zip_close(&zip);
    return span;
}

/* The directory of an archive counts from the beginning of the file, and the
 * archive moves by `delta` bytes.  False if it is not such a directory. */
static bool move_directory(uint8_t *bytes, uint64_t size, uint64_t start,
                           uint64_t delta)
{
    uint8_t *end = bytes + size - 22;

    if (tn_load32(end + 16) != start)
        return false;
    for (uint64_t at = 0; at + 46 <= size - 22;) {
        uint8_t *row = bytes + at;
        if (memcmp(row, "PK\1\2", 4) != 0)
            return false;
        tn_store_little(row + 42, tn_load32(row + 42) + delta, 4);
        at += 46 + tn_load_little(row + 28, 2) + tn_load_little(row + 30, 2) +
              tn_load_little(row + 32, 2);
    }
    tn_store_little(end + 16, start + delta, 4);
    return true;
}

/* Directories are small; one that is not is copied as it is. */
#define DIRECTORY_LIMIT (UINT64_C(1) << 24)

static void append_archive(struct writer *w, struct tn_span zip,
                           struct tn_rope *to)
{
    uint64_t delta = to->length - zip.offset, size;
    uint8_t  end[22], *bytes;

    if (zip.length < sizeof end ||
        tn_source_read(zip.source, zip.offset + zip.length - sizeof end, end,
                       sizeof end, w->error) != TN_OK)
        return;
    size = tn_load32(end + 12) + (uint64_t)sizeof end;
    if (size > zip.length || size > DIRECTORY_LIMIT ||
        to->length > UINT32_MAX - zip.length) {
        tn_rope_span(to, zip);
        return;
    }
    uint64_t start = zip.offset + zip.length - size;
    bytes          = tn_new(w->arena, uint8_t, size, w->error);
    if (!bytes || tn_source_read(zip.source, start, bytes, (size_t)size,
                                 w->error) != TN_OK)
        return;
    if (!move_directory(bytes, size, start, delta)) {
        tn_rope_span(to, zip);
        return;
    }
    tn_rope_span(to, (struct tn_span){ zip.source, zip.offset,
                                       zip.length - size });
    tn_rope_borrow(to, tn_bytes(bytes, (size_t)size));
}

/* Subgraphs of the model by their place in the old file. */
static void plan_graphs(struct writer *w)
{
    const struct tn_model *m = w->model;

    w->plan_count = (uint32_t)m->graphs.count;
    w->plans      = tn_new(w->arena, struct plan, w->plan_count, w->error);
    w->new_graph  = tn_new(w->arena, uint32_t,
                           (uint64_t)w->detail->graph_count + 1, w->error);
    for (uint32_t i = 0; w->new_graph && i < w->detail->graph_count; i++)
        w->new_graph[i] = TN_NONE;
    for (uint32_t g = 0; w->plans && g < w->plan_count; g++) {
        struct plan *p = &w->plans[g];
        p->graph       = g;
        p->old         = TN_NONE;
        tn_list_init(&p->entries, m->memory, sizeof(struct entry));
        tn_intern_init(&p->names, w->arena);
        for (uint32_t i = 0; i < w->detail->graph_count; i++)
            if (tn_model_graph_at(m, g)->wire.source &&
                tn_model_graph_at(m, g)->wire.offset == w->detail->graphs[i].at)
                p->old = i;
        if (p->old == TN_NONE) {
            tn_error_set(w->error, TN_UNSUPPORTED, TN_NOWHERE,
                         "a subgraph that no TFLite file has had");
            continue;
        }
        p->row                 = &w->detail->graphs[p->old];
        w->new_graph[p->old] = g;
    }
}

static void close_plans(struct writer *w)
{
    for (uint32_t g = 0; w->plans && g < w->plan_count; g++) {
        tn_list_done(&w->plans[g].entries);
        tn_intern_done(&w->plans[g].names);
    }
}

static void plan_all(struct writer *w)
{
    for (uint32_t i = 0; i < w->codes.count; i++) {
        struct code *code = tn_list_push(&w->new_codes, struct code, w->error);
        if (code)
            code->old = i;
    }
    plan_graphs(w);
    for (uint32_t g = 0; g < w->plan_count && !tn_failed(w->error); g++)
        plan_tensors(w, &w->plans[g]);
    for (uint32_t g = 0; g < w->plan_count && !tn_failed(w->error); g++)
        plan_data(w, &w->plans[g]);
    if (!tn_failed(w->error))
        plan_buffers(w);
    if (!tn_failed(w->error))
        choose_places(w);
}

/* Offsets of data are after the buffer, whose size does not depend on them. */
static void write_parts(struct writer *w, struct tn_sink *sink)
{
    struct tn_rope first, rope;
    struct tn_span zip = tn_tfl_attached(w->detail->source, w->model->memory);

    tn_rope_init(&first, w->arena, w->error);
    tn_rope_init(&rope, w->arena, w->error);
    bool has_outside = place_outside(w, DATA_ALIGN) > DATA_ALIGN;
    if (has_outside && build(w, &first) == TN_OK)
        place_outside(w, first.length);
    if (!tn_failed(w->error) && build(w, &rope) == TN_OK) {
        append_outside(w, &rope);
        if (zip.length)
            append_archive(w, zip, &rope);
        tn_rope_write(&rope, sink, w->error);
    }
    tn_rope_done(&first);
    tn_rope_done(&rope);
}

static enum tn_status write_edited(const struct tn_model         *model,
                                   const struct tn_write_options *options,
                                   struct tn_sink *sink, struct tn_error *error)
{
    struct tn_arena arena;
    struct writer   w = { .model   = model,
                          .detail  = tn_tfl_detail_of(model),
                          .options = options,
                          .arena   = &arena,
                          .error   = error };

    if (!w.detail)
        return tn_error_set(error, TN_UNSUPPORTED, TN_NOWHERE,
                            "TFLite models can be edited, but not be made of "
                            "other models");
    tn_arena_init(&arena, model->memory);
    tn_list_init(&w.outs, model->memory, sizeof(struct out));
    tn_list_init(&w.new_codes, model->memory, sizeof(struct code));
    if (tn_fb_schema_load_builtin(&w.schema, &arena, TN_FB_TFLITE, error) ==
        TN_OK) {
        tn_fb_view(&w.fb, w.detail->source, error);
        w.root      = tn_fb_table_at(&w.fb, w.detail->root);
        w.codes     = tn_fb_vector(&w.root, TN_TFL_MODEL_CODES, 4);
        w.subgraphs = tn_fb_vector(&w.root, TN_TFL_MODEL_SUBGRAPHS, 4);
        w.buffers   = tn_fb_vector(&w.root, TN_TFL_MODEL_BUFFERS, 4);
        plan_all(&w);
        if (!tn_failed(error))
            write_parts(&w, sink);
    }
    close_plans(&w);
    tn_list_done(&w.outs);
    tn_list_done(&w.new_codes);
    tn_arena_done(&arena);
    return error->status;
}

enum tn_status tn_tfl_write(const struct tn_model         *model,
                            const struct tn_write_options *options,
                            struct tn_output *to, struct tn_error *error)
{
    struct tn_sink *sink;

    TN_TRY(tn_output_main(to, &sink, error));
    if (!model->is_edited && tn_tfl_detail_of(model) &&
        !(options->leaves_debug && tn_tfl_debug_count(model)))
        TN_TRY(tn_sink_splice(sink, model->wire, error));
    else
        TN_TRY(write_edited(model, options, sink, error));
    *options->tensors_moved += model->tensors.count;
    return options->meter ? tn_meter_add(options->meter, sink->offset, error)
                          : TN_OK;
}
