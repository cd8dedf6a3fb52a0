/* dump_message.c - any protobuf message as text or JSON, and back; what is a
 * FlatBuffer goes to dump_flat.c */
#include <inttypes.h>
#include <stdio.h>

#include "base/arith.h"
#include "base/expect.h"
#include "base/sized.h"
#include "engine/chunked.h"
#include "engine/dump_flat.h"
#include "engine/dumping.h"
#include "engine/read_file.h"
#include "engine/target.h"
#include "format/registry.h"
#include "format/text_model.h"
#include "io/file_source.h"
#include "io/meter.h"
#include "wire/riegeli/riegeli.h"
#include "wire/pb/pb_json_read.h"
#include "wire/pb/pb_json_write.h"
#include "wire/pb/pb_losses.h"
#include "wire/pb/pb_text_read.h"
#include "wire/pb/pb_text_write.h"

static const enum tn_pb_builtin builtins[] = { TN_PB_ONNX, TN_PB_TENSORFLOW,
                                               TN_PB_IMPORT_IR };

/* A message type and the schema that it came from. */
struct typed {
    struct tn_arena             arena;
    struct tn_pb_schema         schema;
    const struct tn_pb_message *type;
};

/* ---- which type --------------------------------------------------------- */

static enum tn_status load_file(struct typed *typed, const char *path,
                                struct tn_error *error)
{
    struct tn_bytes set;

    TN_TRY(tn_read_file(&typed->arena, path, TN_SCHEMA_FILE, &set, error));
    if (tn_pb_schema_load(&typed->schema, &typed->arena, set, error) != TN_OK)
        tn_error_file(error, path);
    return error->status;
}

static enum tn_status find_builtin(struct typed *typed, const char *type,
                                   struct tn_error *error)
{
    for (size_t i = 0; i < sizeof builtins / sizeof builtins[0]; i++) {
        TN_TRY(tn_pb_schema_load(&typed->schema, &typed->arena,
                                 tn_pb_builtin_set(builtins[i]), error));
        typed->type = tn_pb_schema_find(&typed->schema, type);
        if (typed->type)
            return TN_OK;
    }
    return tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE,
                        "unknown message '%s'; give its schema with --schema",
                        type);
}

static bool is_of_records(const struct tn_format *format)
{
    return format == &tn_format_riegeli;
}

/* By the caller's schema and type, by the type alone, or by the format. */
static enum tn_status find_type(struct typed                 *typed,
                                const struct tn_dump_options *dump,
                                const struct tn_format       *format,
                                struct tn_error              *error)
{
    if (!dump->schema && dump->type)
        return find_builtin(typed, dump->type, error);
    if (!dump->schema && !format->message)
        return tn_error_set(error, TN_UNSUPPORTED, TN_NOWHERE,
                            "%s is not one protobuf message%s", format->name,
                            is_of_records(format)
                                ? ": give the type of each record with --type"
                                : "; 'tenon formats' lists the formats that "
                                  "can be dumped");
    if (!dump->schema)
        TN_TRY(tn_pb_schema_load(&typed->schema, &typed->arena,
                                 tn_pb_builtin_set(format->schema), error));
    else if (!dump->type)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "--schema needs --type, the message's full name");
    else
        TN_TRY(load_file(typed, dump->schema, error));
    const char *name = dump->type ? dump->type : format->message;
    typed->type      = tn_pb_schema_find(&typed->schema, name);
    if (!typed->type)
        return tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE,
                            "the schema has no message '%s'", name);
    return TN_OK;
}

/* ---- dump --------------------------------------------------------------- */

/* A message and how it is to be spelt. */
struct dumping {
    const struct typed    *typed;
    struct tn_span         message;
    enum tn_dump_form      form;
    bool                   use_json_names;
    const struct tn_model *records; /* each is a message; NULL: the one above */
};

static enum tn_status spell_message(const struct dumping *d,
                                    struct tn_span message, struct tn_sink *to,
                                    struct tn_error *error)
{
    struct tn_memory         *memory = d->typed->arena.memory;
    struct tn_pb_json_options how    = {
           .schema                = &d->typed->schema,
           .is_pretty             = true,
           .has_lower_camel_names = d->use_json_names,
    };

    if (d->form == TN_DUMP_TEXT)
        return tn_pb_text_write(d->typed->type, message, to, memory, error);
    return tn_pb_json_write(d->typed->type, message, &how, to, memory, error);
}

/* One after the other; in text a comment says which. */
static enum tn_status spell_records(const struct dumping *d, struct tn_sink *to,
                                    struct tn_error *error)
{
    uint64_t count = tn_model_tensor_count(d->records);

    for (uint64_t i = 0; i < count && !tn_failed(error); i++) {
        const struct tn_tensor *record = tn_model_tensor(d->records, i);
        char                    head[40];
        snprintf(head, sizeof head, "# record[%" PRIu64 "]\n", i);
        if (d->form == TN_DUMP_TEXT)
            TN_TRY(tn_sink_write(to, tn_text(head), error));
        if (spell_message(d, record->elements.payload.span, to, error) != TN_OK)
            tn_error_where(error, "record[%" PRIu64 "]", i);
    }
    return error->status;
}

static enum tn_status fill_dump(void *context, struct tn_sink *to,
                                struct tn_error *error)
{
    const struct dumping *d = context;

    return d->records ? spell_records(d, to, error)
                      : spell_message(d, d->message, to, error);
}

enum tn_status tn_dump_model(const struct tn_model   *model,
                             enum tn_dump_form        form,
                             const struct tn_target  *target,
                             const struct tn_options *options,
                             uint64_t *written, struct tn_error *error)
{
    static const struct tn_dump_options none;
    struct typed                        typed;

    if (!model->wire.source || model->is_edited)
        return tn_error_set(error, TN_UNSUPPORTED, TN_NOWHERE,
                            "write this model as a file first, then dump it");
    tn_arena_init(&typed.arena, model->memory);
    struct dumping dumping = { &typed, model->wire, form, false, NULL };
    if (find_type(&typed, &none, tn_opened_of(model)->format, error) == TN_OK)
        tn_target_write(target, options,
                        tn_opened_may_expand(tn_opened_of(model), options),
                        model->memory, fill_dump, &dumping, written, error);
    tn_arena_done(&typed.arena);
    return error->status;
}

/* The message to dump: the whole file, or what a folder's model says. */
static enum tn_status find_message(struct tn_opened             *opened,
                                   const struct tn_dump_options *dump,
                                   struct tn_span               *message,
                                   struct tn_error              *error)
{
    struct tn_source *source = opened->bundle.main;

    if (!source) {
        TN_TRY(tn_opened_read(opened, false, error));
        *message = opened->model.wire;
        return TN_OK;
    }
    if (!dump->schema && opened->format && !dump->type)
        TN_TRY(tn_format_binary(&opened->bundle, source, opened->format->schema,
                                opened->format->message, &source, error));
    *message = (struct tn_span){ source, 0, source->size };
    return TN_OK;
}

struct loss_listener {
    tn_on_loss *each;
    void       *context;
    uint64_t    count;
};

static void hear_loss(void *context, const struct tn_pb_loss *loss)
{
    struct loss_listener *listener = context;

    listener->count++;
    if (listener->each)
        listener->each(listener->context, loss->offset, loss->where,
                       loss->what);
}

static enum tn_status check_losses(const struct typed           *typed,
                                   struct tn_span                message,
                                   const struct tn_dump_options *dump,
                                   tn_on_loss *loss, void *context,
                                   struct tn_error *error)
{
    struct loss_listener listener = { loss, context, 0 };

    if (!dump->is_strict)
        return TN_OK;
    struct tn_pb_losses losses = {
        .schema   = &typed->schema,
        .spelling = dump->form == TN_DUMP_JSON ? TN_PB_AS_JSON : TN_PB_AS_TEXT,
        .report   = hear_loss,
        .context  = &listener,
    };
    TN_TRY(tn_pb_losses_find(&losses, typed->type, message, typed->arena.memory,
                             error));
    if (listener.count == 0)
        return TN_OK;
    return tn_error_set(error, TN_UNSUPPORTED, TN_NOWHERE,
                        "%" PRIu64
                        " things could not be restored from the dump",
                        listener.count);
}

static bool are_records(struct tn_opened *opened)
{
    struct tn_error   quiet = TN_ERROR_INIT;
    struct tn_riegeli file;

    return !opened->format && opened->bundle.main &&
           tn_riegeli_open(&file, opened->bundle.main, &opened->memory,
                           &quiet) == TN_OK;
}

/* A file of records, opened; NULL if it is not one, or if its records are
 * chunks of a message that the bundle has now.  With a type, the file has not
 * been examined yet. */
static enum tn_status find_records(struct tn_opened             *opened,
                                   const struct tn_dump_options *dump,
                                   const struct tn_options      *options,
                                   const struct tn_pb_message   *type,
                                   const struct tn_model       **records,
                                   struct tn_error              *error)
{
    bool as_they_are = options && options->from &&
                       tn_format_named(options->from) == &tn_format_riegeli;
    bool is_merged = false;

    *records = NULL;
    if (!are_records(opened))
        return TN_OK;
    if (!as_they_are)
        TN_TRY(tn_chunked_unwrap_as(&opened->bundle, type, &is_merged, error));
    if (is_merged)
        return TN_OK;
    if (dump->is_strict)
        return tn_error_set(error, TN_UNSUPPORTED, TN_NOWHERE,
                            "undump makes one message, not a file of records");
    TN_TRY(tn_find_format(&opened->bundle, tn_format_riegeli.name,
                          &opened->format, error));
    TN_TRY(tn_opened_read(opened, false, error));
    *records = &opened->model;
    return TN_OK;
}

static enum tn_status dump_opened(struct tn_opened             *opened,
                                  const struct tn_dump_options *dump,
                                  const struct tn_target       *target,
                                  const struct tn_options      *options,
                                  tn_on_loss *loss, void *context,
                                  struct tn_error *error)
{
    struct typed   typed;
    struct dumping dumping = {
        &typed, { 0 }, dump->form, dump->use_json_names, NULL
    };

    tn_arena_init(&typed.arena, &opened->memory);
    if (find_type(&typed, dump, opened->format, error) == TN_OK &&
        find_records(opened, dump, options, typed.type, &dumping.records,
                     error) == TN_OK &&
        (dumping.records ||
         (find_message(opened, dump, &dumping.message, error) == TN_OK &&
          check_losses(&typed, dumping.message, dump, loss, context, error) ==
              TN_OK)))
        tn_target_write(target, options, tn_opened_may_expand(opened, options),
                        &opened->memory, fill_dump, &dumping, NULL, error);
    tn_arena_done(&typed.arena);
    return error->status;
}

/* The whole file, or that part of it which the format means. */
static enum tn_status find_flat(struct tn_opened             *opened,
                                const struct tn_dump_options *dump,
                                const struct tn_options      *options,
                                struct tn_span *span, struct tn_error *error)
{
    const struct tn_format *format = dump->type ? NULL : opened->format;
    struct tn_source       *source = opened->bundle.main;

    *span = (struct tn_span){ source, 0, source->size };
    if (!format || !format->flat_span)
        return TN_OK;
    TN_TRY(format->flat_span(&opened->bundle,
                             options && options->tag ? tn_text(options->tag)
                                                     : tn_bytes(NULL, 0),
                             span, error));
    if (dump->is_strict &&
        (span->source != source || span->length != source->size))
        return tn_error_set(error, TN_UNSUPPORTED, TN_NOWHERE,
                            "what is stored beside the graph could not be "
                            "restored from the dump");
    return TN_OK;
}

/* A FlatBuffer, when the type or the format is one; *is_flat says so. */
static enum tn_status dump_flat(struct tn_opened             *opened,
                                const struct tn_dump_options *dump,
                                const struct tn_target       *target,
                                const struct tn_options *options,
                                tn_on_loss *loss, void *context, bool *is_flat,
                                struct tn_error *error)
{
    const char    *type = dump->type ? dump->type : opened->format->flat;
    struct tn_span span;
    struct tn_flat flat;

    *is_flat = opened->bundle.main &&
               tn_flat_find(&flat, &opened->memory, dump->schema, type,
                            error) == TN_OK &&
               flat.type;
    if (*is_flat && find_flat(opened, dump, options, &span, error) == TN_OK)
        tn_flat_dump(&flat, span, dump->is_strict, target, options, error);
    if (*is_flat && !tn_failed(error) && loss &&
        span.source == opened->bundle.main && span.offset == 0 &&
        span.length < span.source->size)
        loss(context, span.length, "",
             "what is stored after the FlatBuffer is left out");
    if (opened->bundle.main)
        tn_flat_done(&flat);
    return error->status;
}

static enum tn_status fill_own(void *context, struct tn_sink *to,
                               struct tn_error *error)
{
    const struct tn_opened *opened = context;

    return opened->format->dump(&opened->model, to, error);
}

/* In the JSON that the format has for itself. */
static enum tn_status dump_own(struct tn_opened             *opened,
                               const struct tn_dump_options *dump,
                               const struct tn_target       *target,
                               const struct tn_options      *options,
                               struct tn_error              *error)
{
    if (dump->is_strict)
        return tn_error_set(error, TN_UNSUPPORTED, TN_NOWHERE,
                            "weights could not be restored from the dump");
    TN_TRY(tn_opened_read(opened, false, error));
    return tn_target_write(target, options,
                           tn_opened_may_expand(opened, options),
                           &opened->memory, fill_own, opened, NULL, error);
}

enum tn_status tn_dump(const char *path, const struct tn_options *options,
                       const struct tn_dump_options *dump,
                       const struct tn_target *target, tn_on_loss *loss,
                       void *context, struct tn_error *error)
{
    TN_ERROR_OR_OWN(error);
    TN_EXPECT_PATH(path, error);
    TN_EXPECT_TARGET(target, error);
    TN_TAKE_OPTIONS(options);
    TN_TAKE_DUMP(dump);
    struct tn_opened *opened;
    struct tn_asking  asking;
    bool              is_flat;

    TN_TRY(tn_target_check_input(target->path, path, TN_OVERWRITE_NONE, options,
                                 error));
    TN_TRY(tn_opened_files(&opened, path, options, error));
    tn_asking_begin(&asking, options, "reading", &opened->memory);
    bool has_format =
        dump->type ||
        tn_find_format(&opened->bundle, options ? options->from : NULL,
                       &opened->format, error) == TN_OK;
    if (has_format && !dump->type && opened->format->dump)
        dump_own(opened, dump, target, options, error);
    else if (has_format &&
        dump_flat(opened, dump, target, options, loss, context, &is_flat,
                  error) == TN_OK &&
        !is_flat)
        dump_opened(opened, dump, target, options, loss, context, error);
    tn_asking_end(&asking);
    tn_opened_release(opened);
    return error->status;
}

/* ---- undump ------------------------------------------------------------- */

static bool begins_with_brace(struct tn_source *source, struct tn_error *error)
{
    size_t         size = (size_t)tn_min(source->size, 4096);
    const uint8_t *head = tn_source_pin(source, 0, size, error);

    for (size_t i = 0; head && i < size; i++)
        if (head[i] != ' ' && head[i] != '\t' && head[i] != '\n' &&
            head[i] != '\r')
            return head[i] == '{';
    return false;
}

static enum tn_status fill_rope(void *context, struct tn_sink *to,
                                struct tn_error *error)
{
    return tn_rope_write(context, to, error);
}

static enum tn_status undump_opened(struct tn_opened             *opened,
                                    const struct tn_dump_options *undump,
                                    const struct tn_target       *target,
                                    const struct tn_options      *options,
                                    struct tn_error              *error)
{
    struct tn_source *source = opened->bundle.main;
    struct typed      typed;
    struct tn_rope    rope;

    if (!source)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "this is a folder; undump reads one text file");
    struct tn_span text = { source, 0, source->size };
    tn_arena_init(&typed.arena, &opened->memory);
    tn_rope_init(&rope, &typed.arena, error);
    if (find_type(&typed, undump, opened->format, error) == TN_OK) {
        if (begins_with_brace(source, error))
            tn_pb_json_read(&typed.schema, typed.type, text, &rope, error);
        else if (!tn_failed(error))
            tn_pb_text_read(&typed.schema, typed.type, text, &rope, error);
    }
    if (!tn_failed(error))
        tn_target_write(target, options, 0, &opened->memory, fill_rope, &rope,
                        NULL, error);
    tn_rope_done(&rope);
    tn_arena_done(&typed.arena);
    return error->status;
}

static enum tn_status undump_flat(struct tn_opened             *opened,
                                  const struct tn_dump_options *undump,
                                  const struct tn_target       *target,
                                  const struct tn_options      *options,
                                  bool *is_flat, struct tn_error *error)
{
    struct tn_source *source = opened->bundle.main;
    const char       *type = undump->type ? undump->type : opened->format->flat;
    struct tn_flat    flat;

    *is_flat = source &&
               tn_flat_find(&flat, &opened->memory, undump->schema, type,
                            error) == TN_OK &&
               flat.type;
    if (*is_flat)
        tn_flat_undump(&flat, (struct tn_span){ source, 0, source->size },
                       target, options, error);
    if (source)
        tn_flat_done(&flat);
    return error->status;
}

/* The format that the suffix of the path stands for, if it has a text form. */
static const struct tn_format *format_called(const char *path)
{
    for (const struct tn_format *const *f = tn_formats; *f; f++)
        for (const char *const *end = (*f)->suffixes; end && *end; end++)
            if (((*f)->message || (*f)->flat) && !(*f)->is_folder &&
                tn_text_ends_with(path, *end))
                return *f;
    return NULL;
}

/* JSON that is to become a FlatBuffer: names of fields, such as "version", may
 * also be those of a message. */
static bool is_flat_text(struct tn_opened        *opened,
                         const struct tn_options *options,
                         const struct tn_target *target, struct tn_error *error)
{
    const struct tn_format *wanted = format_called(target->path);

    if ((options && options->from) || !opened->bundle.main || !wanted ||
        !wanted->flat || !begins_with_brace(opened->bundle.main, error))
        return false;
    opened->format = wanted;
    return true;
}

/* By the names of its fields; if no format has them, the name of the output
 * tells which format they should be of. */
static enum tn_status find_text(struct tn_opened        *opened,
                                const struct tn_options *options,
                                const struct tn_target  *target,
                                struct tn_error         *error)
{
    struct tn_error own   = TN_ERROR_INIT;
    struct tn_probe probe = { 0 };
    const char     *from  = options ? options->from : NULL;

    if (is_flat_text(opened, options, target, error) || tn_failed(error))
        return error->status;
    if (tn_find_format(&opened->bundle, from, &opened->format, &own) == TN_OK)
        return TN_OK;
    opened->format = NULL;
    if (own.status == TN_NOT_FOUND && !from && opened->bundle.main &&
        tn_probe_of(&opened->bundle, &probe, error) == TN_OK &&
        !tn_not_a_model(&probe))
        opened->format = format_called(target->path);
    if (!opened->format && !tn_failed(error))
        *error = own;
    return error->status;
}

enum tn_status tn_undump(const char *path, const struct tn_options *options,
                         const struct tn_dump_options *undump,
                         const struct tn_target *target, struct tn_error *error)
{
    TN_ERROR_OR_OWN(error);
    TN_EXPECT_PATH(path, error);
    TN_EXPECT_TARGET(target, error);
    TN_TAKE_OPTIONS(options);
    TN_TAKE_DUMP(undump);
    struct tn_opened *opened;
    struct tn_asking  asking;
    bool              is_flat;

    TN_TRY(tn_opened_files(&opened, path, options, error));
    tn_asking_begin(&asking, options, "reading", &opened->memory);
    if ((undump->type || find_text(opened, options, target, error) == TN_OK) &&
        undump_flat(opened, undump, target, options, &is_flat, error) ==
            TN_OK &&
        !is_flat)
        undump_opened(opened, undump, target, options, error);
    tn_asking_end(&asking);
    tn_opened_release(opened);
    return error->status;
}
