/*
 * strip_model.c - removes from a model what should not be published
 *
 *   paddle       the attribute op_callstack; operators of training, by their
 *                op_role, and the variables that only they use
 *   onnx         doc strings and metadata of nodes, where exporters put stack
 *                traces; training_info
 *   tensorflow   debug information of nodes and graphs; debug/ of a folder
 *   tflite       the same, of operators and subgraphs
 *
 * PaddlePaddle's is an edit, since variables follow their operators.  The
 * others lose whole fields of their message, which is then opened in place of
 * the file.
 */
#include <tenon/edit.h>

#include "base/expect.h"
#include "base/intern.h"
#include "base/rope.h"
#include "base/sized.h"
#include "engine/convert_model.h"
#include "engine/opened.h"
#include "format/format.h"
#include "format/registry.h"
#include "format/text_model.h"
#include "format/tflite/tflite.h"
#include "io/meter.h"
#include "io/spool.h"
#include "wire/pb/pb_schema.h"
#include "wire/pb/pb_wire.h"
#include "wire/pb/pb_write.h"

/* ---- a protobuf message without fields that must not ship --------------- */

struct stripping {
    const struct tn_strip_field *without;
    uint64_t                    *fields, *bytes;
    struct tn_error             *error;
};

static bool is_unwanted(const struct stripping     *s,
                        const struct tn_pb_message *type, uint32_t number)
{
    for (const struct tn_strip_field *f = s->without; f->message; f++)
        if (f->number == number && strcmp(f->message, type->full_name) == 0)
            return true;
    return false;
}

static void strip(struct stripping *s, const struct tn_pb_message *type,
                  struct tn_cursor c, struct tn_rope *to, unsigned depth);

/* A field that is a message: written again if something in it was removed, else
 * as it is. */
static void strip_field(struct stripping *s, const struct tn_pb_message *type,
                        const struct tn_cursor   *c,
                        const struct tn_pb_field *field, struct tn_rope *to,
                        unsigned depth)
{
    uint64_t       before = *s->fields;
    struct tn_rope body;

    tn_rope_init(&body, to->arena, s->error);
    strip(s, type, field->body, &body, depth + 1);
    if (*s->fields != before)
        tn_pb_put_message(to, field->number, &body);
    else
        tn_rope_span(to, tn_pb_field_span(c, field));
    tn_rope_done(&body);
}

static void strip(struct stripping *s, const struct tn_pb_message *type,
                  struct tn_cursor c, struct tn_rope *to, unsigned depth)
{
    struct tn_pb_field field;

    if (depth > TN_PB_DEPTH_LIMIT) {
        tn_fail(&c, TN_LIMIT, "messages nested deeper than %d",
                TN_PB_DEPTH_LIMIT);
        return;
    }
    while (tn_pb_next(&c, &field)) {
        const struct tn_pb_field_type *known =
            tn_pb_message_field(type, field.number);
        if (is_unwanted(s, type, field.number)) {
            ++*s->fields;
            *s->bytes += tn_pb_field_span(&c, &field).length;
        } else if (known && known->type == TN_PB_MESSAGE &&
                   field.type == TN_WIRE_LEN) {
            strip_field(s, known->message, &c, &field, to, depth);
        } else {
            tn_rope_span(to, tn_pb_field_span(&c, &field));
        }
    }
}

/* Appends the message without those fields (a list that ends with NULL) at any
 * depth; *fields and *bytes count what was removed. */
static enum tn_status strip_wire(const struct tn_pb_message  *type,
                                 struct tn_span               message,
                                 const struct tn_strip_field *without,
                                 struct tn_rope *to, uint64_t *fields,
                                 uint64_t *bytes, struct tn_error *error)
{
    struct stripping s = { without, fields, bytes, error };

    *fields = *bytes = 0;
    strip(&s, type, tn_cursor_span(message, error), to, 0);
    return error->status;
}

/* ---- PaddlePaddle ------------------------------------------------------- */

enum { ROLE_BACKWARD = 1, ROLE_OPTIMIZE = 2, ROLE_LR = 16 };

struct editing {
    const struct tn_model   *model;
    struct tn_edit          *edit;
    struct tn_strip_summary *summary;
    struct tn_error         *error;
    struct tn_arena          arena;
    struct tn_intern         used; /* names that operators use which stay  */
    struct tn_intern released;     /* and those of operators that went     */
};

/* The value of an attribute that is one number; 0 if there is none. */
static int64_t number_of(struct editing *e, uint32_t op, const char *name)
{
    struct tn_attr *attr;
    struct tn_error none   = TN_ERROR_INIT;
    int64_t         number = 0;

    if (tn_attr_find(&attr, e->model, op, name, &none) != TN_OK) {
        if (none.status != TN_NOT_FOUND)
            *e->error = none;
        return 0;
    }
    const struct tn_attr_value *value = tn_attr_get(attr);
    if (value->kind == TN_ATTR_INT && !value->is_list)
        number = value->of.ints[0];
    tn_attr_close(attr);
    return number;
}

static enum tn_status drop_callstack(struct editing *e, uint32_t op)
{
    struct tn_error none = TN_ERROR_INIT;
    struct tn_attr *attr;

    if (tn_attr_find(&attr, e->model, op, "op_callstack", &none) != TN_OK) {
        if (none.status != TN_NOT_FOUND)
            *e->error = none;
        return e->error->status;
    }
    tn_attr_close(attr);
    e->summary->fields++;
    return tn_edit_remove_attr(e->edit, op, "op_callstack", e->error);
}

static void note_names(struct editing *e, uint32_t op, struct tn_intern *names)
{
    const struct tn_op *row = tn_model_op_at(e->model, op);

    for (uint32_t i = 0; i < row->input_count; i++)
        tn_intern_borrow(
            names, tn_model_value_name(e->model, tn_op_input(e->model, op, i)),
            e->error);
    for (uint32_t i = 0; i < row->output_count; i++)
        tn_intern_borrow(
            names, tn_model_value_name(e->model, tn_op_output(e->model, op, i)),
            e->error);
}

static enum tn_status strip_op(struct editing                *e,
                               const struct tn_strip_options *strip,
                               uint32_t                       op)
{
    int64_t role = strip->training ? number_of(e, op, "op_role") : 0;

    if (tn_failed(e->error))
        return e->error->status;
    if (role & (ROLE_BACKWARD | ROLE_OPTIMIZE | ROLE_LR)) {
        e->summary->ops++;
        note_names(e, op, &e->released);
        return tn_edit_remove_op(e->edit, op, e->error);
    }
    if (strip->training)
        note_names(e, op, &e->used);
    return strip->callstack ? drop_callstack(e, op) : e->error->status;
}

/* Moments and learning rates, which only removed operators used. */
static enum tn_status strip_tensors(struct editing *e)
{
    for (uint64_t i = 0; i < e->model->tensors.count; i++) {
        const struct tn_tensor *row  = tn_model_tensor(e->model, i);
        struct tn_bytes         name = tn_tensor_name(row);
        if (row->graph == TN_NONE || row->node != TN_NONE ||
            tn_intern_find(&e->used, name) != TN_NO_NAME ||
            tn_intern_find(&e->released, name) == TN_NO_NAME)
            continue;
        struct tn_bytes text = tn_bytes_dup(&e->arena, name, e->error);
        if (!text.data)
            return e->error->status;
        e->summary->tensors++;
        TN_TRY(tn_edit_remove_tensor(e->edit, row->graph,
                                     (const char *)text.data, e->error));
    }
    return TN_OK;
}

static enum tn_status edit_all(struct editing                *e,
                               const struct tn_strip_options *strip)
{
    for (uint32_t i = 0; i < e->model->ops.count; i++)
        TN_TRY(strip_op(e, strip, i));
    return strip->training ? strip_tensors(e) : TN_OK;
}

static enum tn_status strip_paddle(const struct tn_model         *model,
                                   const struct tn_strip_options *strip,
                                   const struct tn_options       *options,
                                   struct tn_model              **stripped,
                                   struct tn_strip_summary       *summary,
                                   struct tn_error               *error)
{
    struct editing e = { .model = model, .summary = summary, .error = error };

    TN_TRY(tn_edit_open(&e.edit, model, options, error));
    tn_arena_init(&e.arena, model->memory);
    tn_intern_init(&e.used, &e.arena);
    tn_intern_init(&e.released, &e.arena);
    if (edit_all(&e, strip) == TN_OK)
        tn_edit_commit(e.edit, stripped, error);
    tn_intern_done(&e.released);
    tn_intern_done(&e.used);
    tn_arena_done(&e.arena);
    tn_edit_close(e.edit);
    return error->status;
}

/* ---- messages of others ------------------------------------------------- */

static const struct tn_strip_field nothing[] = { { NULL, 0 } };

static enum tn_status fields_of(const struct tn_format        *format,
                                const struct tn_strip_options *strip,
                                struct tn_strip_field         *fields,
                                struct tn_error               *error)
{
    const struct tn_strip_field *lists[] = {
        strip->callstack ? format->trace_fields : nothing,
        strip->training ? format->training_fields : nothing,
    };

    if (!format->trace_fields)
        return tn_error_set(
            error, TN_UNSUPPORTED, TN_NOWHERE,
            "strip supports ONNX, TensorFlow, TFLite and PaddlePaddle models, not %s",
            format->name);
    if (strip->training && !format->training_fields)
        return tn_error_set(error, TN_UNSUPPORTED, TN_NOWHERE,
                            "%s does not mark what belongs to training; a "
                            "frozen graph has no such parts",
                            format->name);
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        for (const struct tn_strip_field *f = lists[i]; f->message; f++)
            *fields++ = *f;
    *fields = nothing[0];
    return TN_OK;
}

static enum tn_status make_message(struct tn_opened            *opened,
                                   struct tn_source            *file,
                                   const struct tn_strip_field *without,
                                   struct tn_source           **stripped,
                                   struct tn_strip_summary     *summary,
                                   struct tn_error             *error)
{
    const struct tn_format *format = opened->format;
    struct tn_source       *binary;
    struct tn_pb_schema     schema;
    struct tn_arena         arena;
    struct tn_rope          rope;

    TN_TRY(tn_format_binary(&opened->bundle, file, format->schema,
                            format->message, &binary, error));
    tn_arena_init(&arena, &opened->memory);
    tn_rope_init(&rope, &arena, error);
    if (tn_pb_schema_load(&schema, &arena, tn_pb_builtin_set(format->schema),
                          error) == TN_OK &&
        strip_wire(tn_pb_schema_find(&schema, format->message),
                   (struct tn_span){ binary, 0, binary->size }, without, &rope,
                   &summary->fields, &summary->bytes, error) == TN_OK)
        tn_source_from_rope(stripped, &opened->memory, &rope, "", error);
    tn_rope_done(&rope);
    tn_arena_done(&arena);
    return error->status;
}

/* The file that is the message; of a folder, the one in it. */
static enum tn_status find_file(struct tn_opened  *opened,
                                struct tn_source **file, struct tn_error *error)
{
    static const char *const names[] = { "saved_model.pb",
                                         "saved_model.pbtxt" };
    struct tn_bundle        *bundle  = &opened->bundle;

    *file = bundle->main;
    for (size_t i = 0; !*file && i < sizeof names / sizeof names[0]; i++)
        if (tn_bundle_has(bundle, names[i]))
            TN_TRY(tn_bundle_sibling(bundle, tn_text(names[i]), file, error));
    if (!*file)
        return tn_error_set(
            error, TN_UNSUPPORTED, TN_NOWHERE,
            "strip cannot process a folder of this format: give a file in it");
    return TN_OK;
}

/* The stripped message stands in for the file, whose siblings stay. */
static enum tn_status stand_in(struct tn_opened              *opened,
                               const struct tn_strip_options *strip,
                               struct tn_strip_summary       *summary,
                               struct tn_error               *error)
{
    struct tn_strip_field fields[16];
    struct tn_source     *file, *stripped, *was = opened->bundle.main;

    TN_TRY(fields_of(opened->format, strip, fields, error));
    TN_TRY(find_file(opened, &file, error));
    TN_TRY(make_message(opened, file, fields, &stripped, summary, error));
    /* Together with the size of the opened file, this is the size of all files;
     * those of a folder include it. */
    summary->bytes_read      = (was ? file->size : 0) - stripped->size;
    opened->bundle.is_folder = opened->bundle.is_folder || !was;
    opened->bundle.main      = stripped;
    return was ? tn_bundle_keep(&opened->bundle, was, error) : TN_OK;
}

/* ---- from the top ------------------------------------------------------- */

static enum tn_status write_model(const struct tn_model         *model,
                                  const struct tn_strip_options *strip,
                                  const struct tn_target        *target,
                                  const struct tn_options       *options,
                                  struct tn_strip_summary       *summary,
                                  struct tn_error               *error)
{
    struct tn_convert_options convert = { .loss         = strip->loss,
                                          .loss_context = strip->loss_context };
    struct tn_convert_summary written;

    TN_TRY(tn_convert_whole(model, &convert, strip->callstack, target, options,
                            &written, error));
    summary->bytes_written = written.bytes_written;
    memcpy(summary->format, written.format, sizeof summary->format);
    return TN_OK;
}

/* For formats whose writer leaves out these parts. */
static enum tn_status strip_tflite(struct tn_opened              *opened,
                                   const struct tn_strip_options *strip,
                                   const struct tn_target        *target,
                                   const struct tn_options       *options,
                                   struct tn_strip_summary       *summary,
                                   struct tn_error               *error)
{
    if (strip->training && !strip->callstack)
        return tn_error_set(error, TN_UNSUPPORTED, TN_NOWHERE,
                            "a TFLite model has nothing that only training "
                            "needs");
    TN_TRY(tn_opened_read(opened, true, error));
    summary->fields = tn_tfl_debug_count(&opened->model);
    summary->bytes_read += opened->model.file_size;
    return write_model(&opened->model, strip, target, options, summary, error);
}

static enum tn_status strip_opened(struct tn_opened              *opened,
                                   const struct tn_strip_options *strip,
                                   const struct tn_target        *target,
                                   const struct tn_options       *options,
                                   struct tn_strip_summary       *summary,
                                   struct tn_error               *error)
{
    bool             strips_ops = opened->format->strips_ops;
    struct tn_model *edited     = NULL;

    if (opened->format == &tn_format_tflite)
        return strip_tflite(opened, strip, target, options, summary, error);
    if (!strips_ops)
        TN_TRY(stand_in(opened, strip, summary, error));
    TN_TRY(tn_opened_read(opened, strips_ops, error));
    summary->bytes_read += opened->model.file_size;
    if (!strips_ops)
        return write_model(&opened->model, strip, target, options, summary,
                           error);
    TN_TRY(
        strip_paddle(&opened->model, strip, options, &edited, summary, error));
    write_model(edited, strip, target, options, summary, error);
    tn_model_close(edited);
    return error->status;
}

enum tn_status tn_strip(const char *path, const struct tn_options *options,
                        const struct tn_strip_options *strip,
                        const struct tn_target        *target,
                        struct tn_strip_summary       *summary,
                        struct tn_error               *error)
{
    TN_ERROR_OR_OWN(error);
    TN_EXPECT_PATH(path, error);
    TN_EXPECT_TARGET(target, error);
    TN_TAKE_OPTIONS(options);
    TN_TAKE_STRIP(strip);
    struct tn_strip_summary unused;
    struct tn_opened       *opened;
    struct tn_asking        asking;

    summary  = summary ? summary : &unused;
    *summary = (struct tn_strip_summary){ 0 };
    if (!strip || (!strip->callstack && !strip->training))
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "nothing to strip was chosen");
    TN_TRY(tn_opened_files(&opened, path, options, error));
    tn_asking_begin(&asking, options, "reading", &opened->memory);
    if (tn_find_format(&opened->bundle, options ? options->from : NULL,
                       &opened->format, error) == TN_OK)
        strip_opened(opened, strip, target, options, summary, error);
    tn_asking_end(&asking);
    tn_opened_release(opened);
    return error->status;
}
