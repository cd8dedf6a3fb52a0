/* rules_report.c - reports on an interpreter's mappers and ops, for people and
 * programs */
#include "engine/interpreter.h"
#include "engine/target.h"
#include "map/dl4j/dl4j_write.h"
#include "map/dl4j/explain.h"
#include "wire/pb/pb_builtin.h"
#include "wire/pb/pb_json_write.h"
#include "wire/pb/pb_text_write.h"

/* ---- mappers ------------------------------------------------------------ */

uint32_t tn_interpreter_mapper_count(const struct tn_interpreter *i)
{
    return (uint32_t)i->mappers.list.count;
}

/* In order of framework and op type. */
static const struct tn_mapper *mapper_at(const struct tn_interpreter *i,
                                         uint32_t                     index)
{
    if (index >= i->mappers.list.count)
        return NULL;
    return tn_mappers_at(&i->mappers, i->mappers.sorted[index]);
}

struct tn_mapper_info tn_interpreter_mapper(const struct tn_interpreter *i,
                                            uint32_t                     index)
{
    const struct tn_mapper *mapper = mapper_at(i, index);
    struct tn_mapper_info   info   = { 0 };

    if (!mapper)
        return info;
    info.framework  = mapper->framework;
    info.op_type    = mapper->op_type;
    info.name       = mapper->target;
    info.rule_count = mapper->rule_count;
    while (tn_map_defect(mapper->framework, mapper->op_type, info.defect_count))
        info.defect_count++;
    return info;
}

enum tn_status tn_interpreter_explain(struct tn_interpreter *i, uint32_t index,
                                      tn_on_explain *on, void *context,
                                      struct tn_error *error)
{
    TN_ERROR_OR_OWN(error);
    const struct tn_mapper *mapper = mapper_at(i, index);

    if (!mapper)
        return tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE, "no mapper %u",
                            (unsigned)index);
    const struct tn_vocab_op *definition =
        tn_interpreter_definition(i, mapper->framework, tn_bytes(NULL, 0),
                                  mapper->op_type, TN_RULES_OPSET, error);
    if (tn_failed(error))
        return error->status;
    return tn_map_explain(mapper, tn_dl4j_ops_find(&i->ops, mapper->target),
                          definition, &i->memory, on, context, error);
}

/* ---- export ------------------------------------------------------------- */

/* A message and how it is to be spelt. */
struct exporting {
    struct tn_pb_schema         schema;
    const struct tn_pb_message *type;
    struct tn_span              message;
    enum tn_dump_form           form;
    struct tn_memory           *memory;
};

static enum tn_status fill_export(void *context, struct tn_sink *to,
                                  struct tn_error *error)
{
    const struct exporting   *e   = context;
    struct tn_pb_json_options how = { .schema = &e->schema, .is_pretty = true };

    if (e->form == TN_DUMP_TEXT)
        return tn_pb_text_write(e->type, e->message, to, e->memory, error);
    return tn_pb_json_write(e->type, e->message, &how, to, e->memory, error);
}

static enum tn_status write_message(struct tn_interpreter  *i,
                                    const struct tn_buffer *message,
                                    struct exporting       *e,
                                    const struct tn_target *target,
                                    struct tn_error        *error)
{
    struct tn_source source;

    tn_source_memory(&source, &i->memory, tn_buffer_bytes(message));
    e->message = (struct tn_span){ &source, 0, message->size };
    tn_target_write(target, &i->options, 0, &i->memory, fill_export, e, NULL,
                    error);
    tn_source_close(&source);
    return error->status;
}

enum tn_status tn_interpreter_export(struct tn_interpreter  *i,
                                     enum tn_export          what,
                                     enum tn_dump_form       form,
                                     const struct tn_target *target,
                                     struct tn_error        *error)
{
    TN_ERROR_OR_OWN(error);
    bool             is_ops = what == TN_EXPORT_OPS;
    struct exporting e      = { .form = form, .memory = &i->memory };
    struct tn_arena  arena;
    struct tn_buffer message;

    tn_arena_init(&arena, &i->memory);
    tn_buffer_init(&message, &i->memory, error);
    if (is_ops)
        tn_dl4j_ops_write(&i->ops, &arena, &message, error);
    else
        tn_dl4j_rules_write(&i->mappers, &arena, &message, error);
    if (!tn_failed(error) &&
        tn_pb_schema_load(&e.schema, &arena, tn_pb_builtin_set(TN_PB_IMPORT_IR),
                          error) == TN_OK) {
        e.type = tn_pb_schema_find(&e.schema,
                                   is_ops ? "org.nd4j.ir.OpDescriptorList"
                                          : "org.nd4j.ir.MappingDefinitionSet");
        write_message(i, &message, &e, target, error);
    }
    tn_buffer_done(&message);
    tn_arena_done(&arena);
    return error->status;
}

/* ---- one op ------------------------------------------------------------- */

static enum tn_status spell(struct exporting *e, struct tn_bytes message,
                            bool is_list, struct tn_arena *arena,
                            struct tn_buffer *to, struct tn_error *error)
{
    struct tn_source source;

    TN_TRY(tn_pb_schema_load(&e->schema, arena,
                             tn_pb_builtin_set(TN_PB_IMPORT_IR), error));
    e->type =
        tn_pb_schema_find(&e->schema, is_list ? "org.nd4j.ir.OpDescriptorList"
                                              : "org.nd4j.ir.OpDescriptor");
    tn_source_memory(&source, arena->memory, message);
    e->message = (struct tn_span){ &source, 0, message.size };
    fill_export(e, &to->sink, error);
    tn_source_close(&source);
    return error->status;
}

/* In text it is a comment: readers of text refuse fields that they do not know.
 */
static void tell_assumed(struct tn_bytes assumed, struct tn_buffer *to)
{
    if (!assumed.size)
        return;
    tn_buffer_text(to, "# assumed: ");
    for (size_t i = 0; i < assumed.size; i++)
        tn_buffer_byte(to, assumed.data[i] < ' ' ? '?' : assumed.data[i]);
    tn_buffer_byte(to, '\n');
}

/* Appends the op to `to`, which takes its memory where the arena does. */
static enum tn_status encode(const struct tn_op_descriptor *descriptor,
                             enum tn_descriptor_form form, bool is_list,
                             struct tn_arena *arena, struct tn_buffer *to,
                             struct tn_error *error)
{
    bool                    is_json = form == TN_DESCRIPTOR_JSON;
    struct exporting        e = { .form = is_json ? TN_DUMP_JSON : TN_DUMP_TEXT,
                                  .memory = arena->memory };
    struct tn_op_descriptor first = *descriptor;
    struct tn_buffer        message;

    if ((unsigned)form > TN_DESCRIPTOR_JSON)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "unknown descriptor form %u", (unsigned)form);
    if (form == TN_DESCRIPTOR_BINARY)
        return tn_dl4j_call_write(descriptor, is_list, arena, to, error);
    if (!is_json) {
        tell_assumed(descriptor->assumed, to);
        first.assumed = tn_bytes(NULL, 0);
    }
    tn_buffer_init(&message, arena->memory, error);
    if (tn_dl4j_call_write(&first, is_list, arena, &message, error) == TN_OK)
        spell(&e, tn_buffer_bytes(&message), is_list, arena, to, error);
    tn_buffer_done(&message);
    return error->status;
}

enum tn_status tn_op_descriptor_encode(
    const struct tn_op_descriptor *descriptor, enum tn_descriptor_form form,
    bool is_list, void *to, size_t room, size_t *size, struct tn_error *error)
{
    TN_ERROR_OR_OWN(error);
    struct tn_memory memory;
    struct tn_arena  arena;
    struct tn_buffer all;

    *size = 0;
    tn_memory_init(&memory, NULL, 0);
    tn_arena_init(&arena, &memory);
    tn_buffer_init(&all, &memory, error);
    if (encode(descriptor, form, is_list, &arena, &all, error) == TN_OK) {
        *size = all.size;
        if (room && all.size)
            memcpy(to, all.data, room < all.size ? room : all.size);
    }
    tn_buffer_done(&all);
    tn_arena_done(&arena);
    return error->status;
}

static enum tn_status fill_descriptor(void *context, struct tn_sink *to,
                                      struct tn_error *error)
{
    const struct tn_buffer *all = context;

    return tn_sink_write(to, tn_buffer_bytes(all), error);
}

enum tn_status tn_op_descriptor_write(const struct tn_op_descriptor *descriptor,
                                      enum tn_descriptor_form        form,
                                      bool                           is_list,
                                      const struct tn_target        *target,
                                      struct tn_error               *error)
{
    TN_ERROR_OR_OWN(error);
    struct tn_options defaults = { 0 };
    struct tn_memory  memory;
    struct tn_arena   arena;
    struct tn_buffer  all;

    tn_memory_init(&memory, NULL, 0);
    tn_arena_init(&arena, &memory);
    tn_buffer_init(&all, &memory, error);
    if (encode(descriptor, form, is_list, &arena, &all, error) == TN_OK) {
        if (form != TN_DESCRIPTOR_BINARY && all.size &&
            all.data[all.size - 1] != '\n')
            tn_buffer_byte(&all, '\n');
        tn_target_write(target, &defaults, 0, &memory, fill_descriptor, &all,
                        NULL, error);
    }
    tn_buffer_done(&all);
    tn_arena_done(&arena);
    return error->status;
}
