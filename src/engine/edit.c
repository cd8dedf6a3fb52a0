/*
 * edit.c - edits for callers: a draft, and what it keeps alive
 *
 * What an edit adds is stored in a context of its own, which is counted like
 * an opened model: results hold it, and it holds every model it took from.
 */
#include <stdio.h>

#include "base/arith.h"
#include "base/buffer.h"
#include "base/expect.h"
#include "base/given.h"
#include "base/sized.h"
#include "base/varint.h"
#include "engine/edit_action.h"
#include "engine/convert_model.h"
#include "engine/convert_valid.h"
#include "engine/opened.h"
#include "base/json_read.h"
#include "format/samediff/samediff.h"
#include "io/file_source.h"
#include "io/meter.h"
#include "io/overwrite.h"
#include "ir/dialect_facts.h"
#include "ir/unused_ops.h"

#include <inttypes.h>

static enum tn_status begin(struct tn_edit **out, struct tn_opened *base,
                            const struct tn_format  *format,
                            const struct tn_dialect *dialect,
                            const struct tn_options *options,
                            struct tn_error         *error)
{
    struct tn_opened *store;

    *out = NULL;
    TN_TRY(tn_opened_new(&store, options, error));
    store->format = format;
    struct tn_edit *edit =
        tn_new(&store->model.arena, struct tn_edit, 1, error);
    if (edit && (!base || tn_opened_hold(store, base, error) == TN_OK)) {
        edit->store = edit->home = store;
        edit->origin             = base ? &base->model : NULL;
        if (options)
            edit->options = *options;
        tn_edit_index_init(edit);
        bool has_graph = base ? base->model.graphs.count != 0 : dialect != NULL;
        edit->graph    = has_graph ? 0 : TN_NONE;
        tn_draft_init(&edit->draft, &store->model.arena,
                      base ? &base->model : NULL, dialect, error);
        *out = edit;
    }
    if (!tn_failed(error))
        return TN_OK;
    if (*out) {
        tn_edit_index_done(edit);
        tn_draft_done(&edit->draft);
    }
    tn_opened_release(store);
    *out = NULL;
    return error->status;
}

enum tn_status tn_edit_open(struct tn_edit **out, const struct tn_model *base,
                            const struct tn_options *options,
                            struct tn_error         *error)
{
    TN_ERROR_OR_OWN(error);
    *out = NULL;
    TN_TAKE_OPTIONS(options);
    TN_EXPECT_GIVEN(base, "model", error);
    struct tn_opened *opened = tn_opened_of(base);

    if (!base->wants_graph)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "to edit a model, open it with wants_graph");
    return begin(out, opened, opened->format, base->dialect, options, error);
}

enum tn_status tn_edit_new(struct tn_edit **out, const char *format,
                           const struct tn_options *options,
                           struct tn_error         *error)
{
    TN_ERROR_OR_OWN(error);
    *out = NULL;
    TN_TAKE_OPTIONS(options);
    TN_EXPECT_GIVEN(format, "format", error);
    const struct tn_format *f = tn_format_named(format);

    if (!f || !f->write)
        return tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE,
                            "no format '%s' can be written", format);
    return begin(out, NULL, f, f->dialect_ops, options, error);
}

void tn_edit_close(struct tn_edit *edit)
{
    if (!edit)
        return;
    tn_edit_index_done(edit);
    tn_draft_done(&edit->draft);
    if (edit->store != edit->home)
        tn_opened_release(edit->store);
    tn_opened_release(edit->home); /* the edit itself is in there */
}

struct tn_draft *tn_edit_draft(struct tn_edit *edit)
{
    return &edit->draft;
}

/* A model that was committed holds the store that it was made from.  So later
 * changes are stored elsewhere: a store must not hold a model that holds it. */
enum tn_status tn_edit_restart(struct tn_edit *edit, struct tn_model *model,
                               struct tn_error *error)
{
    struct tn_opened *before  = edit->store, *store;
    struct tn_options options = {
        .allocator = &before->memory.allocator,
        .max_memory =
            before->memory.limit == UINT64_MAX ? 0 : before->memory.limit,
    };

    TN_TRY(tn_opened_new(&store, &options, error));
    if (tn_opened_hold(store, tn_opened_of(model), error) != TN_OK ||
        tn_opened_hold(store, before, error) != TN_OK) {
        tn_opened_release(store);
        return error->status;
    }
    store->format = tn_opened_of(model)->format;
    tn_edit_index_done(edit);
    tn_draft_done(&edit->draft);
    if (before != edit->home)
        tn_opened_release(before); /* the new one holds it */
    edit->store = store;
    edit->graph = model->graphs.count == 0 ? TN_NONE : 0;
    tn_edit_index_init(edit);
    return tn_draft_init(&edit->draft, &store->model.arena, model,
                         model->dialect, error);
}

enum tn_status tn_edit_add_op(struct tn_edit *edit, uint32_t graph,
                              uint32_t before, const struct tn_op_spec *spec,
                              uint32_t *op, struct tn_error *error)
{
    TN_EDIT_CHANGES(edit, error);
    TN_EXPECT_GIVEN(spec, "op", error);
    return tn_draft_add_op(&edit->draft, graph, before, spec, op, error);
}

enum tn_status tn_edit_replace_op(struct tn_edit *edit, uint32_t op,
                                  const struct tn_op_spec *spec,
                                  struct tn_error         *error)
{
    TN_EDIT_CHANGES(edit, error);
    TN_EXPECT_GIVEN(spec, "op", error);
    return tn_draft_replace_op(&edit->draft, op, spec, error);
}

enum tn_status tn_edit_remove_op(struct tn_edit *edit, uint32_t op,
                                 struct tn_error *error)
{
    TN_EDIT_CHANGES(edit, error);
    return tn_draft_remove_op(&edit->draft, op, error);
}

enum tn_status tn_edit_set_input(struct tn_edit *edit, uint32_t op,
                                 uint32_t index, const char *value,
                                 struct tn_error *error)
{
    TN_EDIT_CHANGES(edit, error);
    TN_EXPECT_GIVEN(value, "value", error);
    return tn_draft_set_input(&edit->draft, op, index, value, error);
}

/* Tensors in attributes come from models that must then stay. */
static enum tn_status hold_tensors(struct tn_edit             *edit,
                                   const struct tn_attr_value *value,
                                   struct tn_error            *error)
{
    if (value->kind != TN_ATTR_TENSOR)
        return TN_OK;
    for (uint32_t i = 0; i < value->count; i++)
        TN_TRY(tn_opened_hold(
            edit->store, tn_opened_of(value->of.tensors[i]->model), error));
    return TN_OK;
}

enum tn_status tn_edit_set_attr(struct tn_edit *edit, uint32_t op,
                                const char                 *name,
                                const struct tn_attr_value *value,
                                struct tn_error            *error)
{
    TN_EDIT_CHANGES(edit, error);
    TN_EXPECT_GIVEN(name, "name", error);
    TN_EXPECT_GIVEN(value && (!value->count || value->of.ints), "value", error);
    TN_TRY(hold_tensors(edit, value, error));
    return tn_draft_set_attr(&edit->draft, op, name, value, error);
}

enum tn_status tn_edit_remove_attr(struct tn_edit *edit, uint32_t op,
                                   const char *name, struct tn_error *error)
{
    TN_EDIT_CHANGES(edit, error);
    TN_EXPECT_GIVEN(name, "name", error);
    return tn_draft_remove_attr(&edit->draft, op, name, error);
}

/* A model without graphs has its tensors in none, and callers may say 0. */
static uint32_t place_of(const struct tn_edit *edit, uint32_t graph)
{
    return graph == 0 && edit->draft.graphs.count == 0 ? TN_NONE : graph;
}

/* To a graph, or to a set of tensors. */
static enum tn_status add_elements(struct tn_edit *edit, uint32_t graph,
                                   const char               *name,
                                   const struct tn_elements *elements,
                                   struct tn_error          *error)
{
    graph = place_of(edit, graph);
    if (graph != TN_NONE || edit->draft.graphs.count)
        return tn_draft_add_tensor(&edit->draft, graph, name, elements, error);
    if (tn_edit_find_tensor(edit, TN_NONE, name, error))
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "there is a tensor '%s' already", name);
    return tn_failed(error)
               ? error->status
               : tn_draft_add_variable(&edit->draft, name, elements, error);
}

enum tn_status tn_edit_add_tensor(struct tn_edit *edit, uint32_t graph,
                                  const char             *name,
                                  const struct tn_tensor *from,
                                  struct tn_error        *error)
{
    TN_EDIT_CHANGES(edit, error);
    TN_EXPECT_GIVEN(name, "name", error);
    TN_EXPECT_TENSOR(from, error);
    TN_TRY(tn_opened_hold(edit->store, tn_opened_of(from->model), error));
    return add_elements(edit, graph, name, &from->elements, error);
}

/* A tensor may be what a node holds, as those of TensorFlow are. */
static enum tn_status replace_elements(struct tn_edit *edit, uint32_t graph,
                                       const char               *name,
                                       const struct tn_elements *elements,
                                       struct tn_error          *error)
{
    struct tn_error none = TN_ERROR_INIT;

    if (tn_failed(error) ||
        tn_draft_replace_tensor(&edit->draft, place_of(edit, graph), name,
                                elements, error) != TN_NOT_FOUND)
        return error->status;
    if (tn_edit_replace_constant(edit, graph, name, elements, &none))
        *error = none;
    return error->status;
}

enum tn_status tn_edit_replace_tensor(struct tn_edit *edit, uint32_t graph,
                                      const char             *name,
                                      const struct tn_tensor *from,
                                      struct tn_error        *error)
{
    TN_EDIT_CHANGES(edit, error);
    TN_EXPECT_GIVEN(name, "name", error);
    TN_EXPECT_TENSOR(from, error);
    TN_TRY(tn_opened_hold(edit->store, tn_opened_of(from->model), error));
    return replace_elements(edit, graph, name, &from->elements, error);
}

enum tn_status tn_edit_remove_tensor(struct tn_edit *edit, uint32_t graph,
                                     const char *name, struct tn_error *error)
{
    TN_EDIT_CHANGES(edit, error);
    TN_EXPECT_GIVEN(name, "name", error);
    return tn_draft_remove_tensor(&edit->draft, place_of(edit, graph), name,
                                  error);
}

/* A source in the store over a copy of the elements. */
static struct tn_source *keep_elements(struct tn_edit  *edit,
                                       struct tn_bytes  bytes,
                                       struct tn_error *error)
{
    struct tn_arena  *arena  = &edit->store->model.arena;
    struct tn_source *source = tn_new(arena, struct tn_source, 1, error);
    struct tn_bytes   copy   = tn_bytes_dup(arena, bytes, error);

    if (!source || !copy.data)
        return NULL;
    tn_source_memory(source, &edit->store->memory, copy);
    return source;
}

/* As a file has them: each level after its number of bytes. */
static const struct tn_levels *keep_levels(struct tn_edit  *edit,
                                           uint64_t         level_count,
                                           const uint64_t  *counts,
                                           const uint64_t  *offsets,
                                           struct tn_error *error)
{
    struct tn_levels *levels =
        tn_new(&edit->store->model.arena, struct tn_levels, 1, error);
    struct tn_buffer buffer;

    tn_buffer_init(&buffer, &edit->store->memory, error);
    for (uint64_t i = 0; i < level_count; i++) {
        tn_buffer_u64(&buffer, counts[i] * 8);
        for (uint64_t k = 0; k < counts[i]; k++)
            tn_buffer_u64(&buffer, *offsets++);
    }
    struct tn_source *source =
        tn_failed(error) ? NULL
                         : keep_elements(edit, tn_buffer_bytes(&buffer), error);
    if (levels && source)
        *levels = (struct tn_levels){ level_count, { source, 0, buffer.size } };
    tn_buffer_done(&buffer);
    return source ? levels : NULL;
}

enum tn_status tn_edit_set_levels(struct tn_edit *edit, uint32_t graph,
                                  const char *name, uint64_t level_count,
                                  const uint64_t  *counts,
                                  const uint64_t  *offsets,
                                  struct tn_error *error)
{
    TN_EDIT_CHANGES(edit, error);
    TN_EXPECT_GIVEN(name, "name", error);
    TN_EXPECT_GIVEN((counts && offsets) || !level_count, "level", error);
    const struct tn_levels *levels =
        level_count ? keep_levels(edit, level_count, counts, offsets, error)
                    : NULL;

    if (tn_failed(error))
        return error->status;
    return tn_draft_set_levels(&edit->draft, place_of(edit, graph), name,
                               levels, error);
}

/* The shape of new elements, in the store; *size is their bytes. */
static enum tn_status make_shape(struct tn_edit *edit, const char *name,
                                 enum tn_dtype dtype, uint32_t rank,
                                 const uint64_t *dims, uint64_t *size,
                                 struct tn_elements *made,
                                 struct tn_error    *error)
{
    uint64_t *kept = tn_new(&edit->store->model.arena, uint64_t, rank, error);

    if (!kept)
        return error->status;
    if (rank)
        memcpy(kept, dims, rank * sizeof *kept);
    *made = (struct tn_elements){ .shape = { dtype, rank, kept } };
    if (!tn_shape_bytes(&made->shape, size))
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "tensor '%s': %s elements of that shape cannot be "
                            "counted",
                            name, tn_dtype_name(dtype));
    return TN_OK;
}

static void set_source(struct tn_edit *edit, struct tn_elements *made,
                       struct tn_source *source, uint64_t size)
{
    if (!source)
        return;
    made->payload =
        tn_payload_raw(&made->shape, (struct tn_span){ source, 0, size }, 1);
    if (!tn_add(edit->store->given, size, &edit->store->given))
        edit->store->given = UINT64_MAX;
}

static enum tn_status make_elements(struct tn_edit *edit, const char *name,
                                    enum tn_dtype dtype, uint32_t rank,
                                    const uint64_t *dims,
                                    struct tn_bytes elements, bool is_borrowed,
                                    struct tn_elements *made,
                                    struct tn_error    *error)
{
    struct tn_arena  *arena = &edit->store->model.arena;
    struct tn_source *source;
    uint64_t          size;

    TN_TRY(make_shape(edit, name, dtype, rank, dims, &size, made, error));
    if (size != elements.size)
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "tensor '%s': %zu bytes do not match its shape",
                            name, elements.size);
    if (!is_borrowed) {
        source = keep_elements(edit, elements, error);
    } else {
        source = tn_new(arena, struct tn_source, 1, error);
        if (source)
            tn_source_memory(source, &edit->store->memory, elements);
    }
    set_source(edit, made, source, size);
    return error->status;
}

enum tn_status tn_edit_add_elements(struct tn_edit *edit, uint32_t graph,
                                    const char *name, enum tn_dtype dtype,
                                    uint32_t rank, const uint64_t *dims,
                                    struct tn_bytes  elements,
                                    struct tn_error *error)
{
    TN_EDIT_CHANGES(edit, error);
    TN_EXPECT_GIVEN(name, "name", error);
    TN_EXPECT_GIVEN(dims || !rank, "shape", error);
    struct tn_elements made;

    TN_TRY(make_elements(edit, name, dtype, rank, dims, elements, false, &made,
                         error));
    return add_elements(edit, graph, name, &made, error);
}

enum tn_status tn_edit_add_borrowed(struct tn_edit *edit, uint32_t graph,
                                    const char *name, enum tn_dtype dtype,
                                    uint32_t rank, const uint64_t *dims,
                                    struct tn_bytes  elements,
                                    struct tn_error *error)
{
    TN_EDIT_CHANGES(edit, error);
    TN_EXPECT_GIVEN(name, "name", error);
    TN_EXPECT_GIVEN(dims || !rank, "shape", error);
    struct tn_elements made;

    TN_TRY(make_elements(edit, name, dtype, rank, dims, elements, true, &made,
                         error));
    return add_elements(edit, graph, name, &made, error);
}

enum tn_status tn_edit_add_source(struct tn_edit *edit, uint32_t graph,
                                  const char *name, enum tn_dtype dtype,
                                  uint32_t rank, const uint64_t *dims,
                                  tn_read_at *read_at, void *context,
                                  struct tn_error *error)
{
    TN_EDIT_CHANGES(edit, error);
    TN_EXPECT_GIVEN(name, "name", error);
    TN_EXPECT_GIVEN(dims || !rank, "shape", error);
    TN_EXPECT_GIVEN(read_at, "function", error);
    struct tn_elements made;
    struct tn_source  *source;
    uint64_t           size;

    TN_TRY(make_shape(edit, name, dtype, rank, dims, &size, &made, error));
    TN_TRY(tn_source_callback(&source, &edit->store->memory, size, read_at,
                              context, "", error));
    TN_TRY(tn_opened_keep(edit->store, source, error));
    set_source(edit, &made, source, size);
    return add_elements(edit, graph, name, &made, error);
}

enum tn_status tn_edit_replace_elements(struct tn_edit *edit, uint32_t graph,
                                        const char *name, enum tn_dtype dtype,
                                        uint32_t rank, const uint64_t *dims,
                                        struct tn_bytes  elements,
                                        struct tn_error *error)
{
    TN_EDIT_CHANGES(edit, error);
    TN_EXPECT_GIVEN(name, "name", error);
    TN_EXPECT_GIVEN(dims || !rank, "shape", error);
    struct tn_elements made;

    TN_TRY(make_elements(edit, name, dtype, rank, dims, elements, false, &made,
                         error));
    return replace_elements(edit, graph, name, &made, error);
}

/* ---- training ----------------------------------------------------------- */

enum tn_status tn_edit_set_variable(struct tn_edit *edit, uint32_t graph,
                                    const char           *name,
                                    enum tn_variable_kind kind,
                                    struct tn_error      *error)
{
    TN_EDIT_CHANGES(edit, error);
    TN_EXPECT_GIVEN(name, "name", error);
    return tn_draft_set_variable(&edit->draft, graph, name, kind, error);
}

static enum tn_status expect_json(struct tn_edit *edit, struct tn_bytes text,
                                  struct tn_error *error)
{
    struct tn_error       own    = TN_ERROR_INIT;
    struct tn_cursor      cursor = tn_cursor_bytes(text, 0, &own);
    struct tn_json_reader reader;

    tn_json_open(&reader, &cursor, &edit->store->memory);
    while (tn_json_next(&reader) != TN_JSON_END)
        continue;
    tn_json_close(&reader);
    if (own.status == TN_MALFORMED || own.status == TN_TRUNCATED)
        return tn_error_set(error, TN_INVALID, own.offset,
                            "the training configuration is not JSON: %s",
                            own.what);
    if (tn_failed(&own))
        *error = own;
    return error->status;
}

enum tn_status tn_edit_set_training(struct tn_edit *edit, const char *json,
                                    struct tn_error *error)
{
    TN_EDIT_CHANGES(edit, error);
    struct tn_bytes text = json ? tn_text(json) : tn_bytes(NULL, 0);

    if (json)
        TN_TRY(expect_json(edit, text, error));
    return tn_draft_set_training(&edit->draft, text, error);
}

enum tn_status tn_edit_set_losses(struct tn_edit    *edit,
                                  const char *const *names, uint32_t count,
                                  struct tn_error *error)
{
    TN_EDIT_CHANGES(edit, error);
    return tn_draft_set_losses(&edit->draft, names, count, error);
}

static enum tn_status set_state(struct tn_edit *edit, const char *parameter,
                                const char               *key,
                                const struct tn_elements *elements,
                                struct tn_error          *error)
{
    const char *name;

    if (!key[0] || strchr(key, '/'))
        return tn_error_set(error, TN_INVALID, TN_NOWHERE, "unknown state '%s'",
                            key);
    name = tn_sd_state_name(tn_text(key), tn_text(parameter),
                            &edit->store->model.arena, error);
    return name ? tn_draft_set_state(&edit->draft, parameter, name, elements,
                                     error)
                : error->status;
}

enum tn_status tn_edit_set_state(struct tn_edit *edit, const char *parameter,
                                 const char *key, const struct tn_tensor *from,
                                 struct tn_error *error)
{
    TN_EDIT_CHANGES(edit, error);
    TN_EXPECT_GIVEN(parameter && key, "name", error);
    TN_EXPECT_TENSOR(from, error);
    TN_TRY(tn_opened_hold(edit->store, tn_opened_of(from->model), error));
    return set_state(edit, parameter, key, &from->elements, error);
}

enum tn_status tn_edit_set_state_elements(struct tn_edit  *edit,
                                          const char      *parameter,
                                          const char      *key,
                                          struct tn_bytes  elements,
                                          struct tn_error *error)
{
    TN_EDIT_CHANGES(edit, error);
    TN_EXPECT_GIVEN(parameter && key, "name", error);
    const struct tn_shape *shape = tn_draft_shape(&edit->draft, 0, parameter);
    struct tn_elements     made;

    if (!shape)
        return tn_error_set(error, TN_NOT_FOUND, TN_NOWHERE, "no tensor '%s'",
                            parameter);
    TN_TRY(make_elements(edit, parameter, shape->dtype, shape->rank,
                         shape->dims, elements, false, &made, error));
    return set_state(edit, parameter, key, &made, error);
}

/* Whether a state is one of the parameter; NULL: of any. */
static bool is_state_of(void *context, struct tn_bytes name)
{
    const char     *parameter = context;
    struct tn_bytes key, param;

    return !parameter || (tn_sd_state_split(name, &key, &param) &&
                          tn_bytes_is(param, parameter));
}

enum tn_status tn_edit_remove_states(struct tn_edit  *edit,
                                     const char      *parameter,
                                     struct tn_error *error)
{
    TN_EDIT_CHANGES(edit, error);
    return tn_draft_remove_states(&edit->draft, is_state_of,
                                  (void *)(uintptr_t)parameter, error);
}

bool tn_tensor_state(const struct tn_tensor *tensor, struct tn_bytes *parameter,
                     struct tn_bytes *key)
{
    const struct tn_dialect *dialect = tensor->model->dialect;

    return tensor->role == TN_ROLE_STATE && dialect &&
           tn_dialect_facts(dialect->name)->has_training &&
           tn_sd_state_split(tn_tensor_name(tensor), key, parameter);
}

enum tn_status tn_edit_add_function(
    struct tn_edit *edit, const char *name, const char *domain,
    const char *const *inputs, uint32_t input_count, const char *const *outputs,
    uint32_t output_count, uint32_t *graph, struct tn_error *error)
{
    TN_EDIT_CHANGES(edit, error);
    TN_EXPECT_GIVEN(name, "name", error);
    return tn_draft_add_function(&edit->draft, name, domain, inputs,
                                 input_count, outputs, output_count, graph,
                                 error);
}

enum tn_status tn_edit_add_input(struct tn_edit *edit, uint32_t graph,
                                 const struct tn_io *io, struct tn_error *error)
{
    TN_EDIT_CHANGES(edit, error);
    TN_EXPECT_GIVEN(io, "input", error);
    return tn_draft_add_io(&edit->draft, graph, true, io, error);
}

enum tn_status tn_edit_add_output(struct tn_edit *edit, uint32_t graph,
                                  const struct tn_io *io,
                                  struct tn_error    *error)
{
    TN_EDIT_CHANGES(edit, error);
    TN_EXPECT_GIVEN(io, "output", error);
    return tn_draft_add_io(&edit->draft, graph, false, io, error);
}

enum tn_status tn_edit_type_io(struct tn_edit *edit, uint32_t graph,
                               const char *name, enum tn_dtype dtype,
                               struct tn_error *error)
{
    TN_EDIT_CHANGES(edit, error);
    TN_EXPECT_GIVEN(name, "name", error);
    return tn_draft_type_io(&edit->draft, graph, name, dtype, error);
}

enum tn_status tn_edit_copy_function(struct tn_edit        *edit,
                                     const struct tn_model *from,
                                     uint32_t graph, const char *name,
                                     uint32_t        *new_graph,
                                     struct tn_error *error)
{
    TN_EDIT_CHANGES(edit, error);
    TN_EXPECT_GIVEN(from, "model", error);
    TN_TRY(tn_opened_hold(edit->store, tn_opened_of(from), error));
    return tn_draft_copy_function(&edit->draft, from, graph, name, new_graph,
                                  error);
}

enum tn_status tn_edit_remove_function(struct tn_edit *edit, uint32_t graph,
                                       struct tn_error *error)
{
    TN_EDIT_CHANGES(edit, error);
    return tn_draft_remove_function(&edit->draft, graph, error);
}

static bool has_value(const struct tn_model *model, struct tn_bytes name)
{
    for (uint32_t i = 0; i < model->values.count; i++)
        if (tn_model_value_at(model, i)->graph == 0 &&
            tn_bytes_equal(tn_model_value_name(model, i), name))
            return true;
    return false;
}

/* `base` may be NULL. */
static bool was_loss(const struct tn_model *base, struct tn_bytes name)
{
    for (uint32_t i = 0; base && i < base->loss_count; i++)
        if (tn_bytes_equal(base->losses[i], name))
            return true;
    return false;
}

/* Checks only losses that the edit set, not those of the file. */
static enum tn_status check_losses(const struct tn_edit  *edit,
                                   const struct tn_model *made,
                                   struct tn_error       *error)
{
    const struct tn_draft *draft = &edit->draft;

    if (draft->base && draft->losses == draft->base->losses)
        return TN_OK;
    for (uint32_t i = 0; i < draft->loss_count; i++)
        if (!was_loss(draft->base, draft->losses[i]) &&
            !has_value(made, draft->losses[i]))
            return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                                "'%.*s' cannot be a loss: the graph has no "
                                "such variable",
                                TN_FMT(draft->losses[i]));
    return TN_OK;
}

/* Where outputs are the ops that nobody uses, those that an edit added are, and
 * those that it uses are not. */
static enum tn_status find_outputs(struct tn_model *model,
                                   struct tn_error *error)
{
    if (model->dialect && model->graphs.count &&
        tn_dialect_facts(model->dialect->name)->id == TN_DIALECT_TENSORFLOW)
        tn_unused_ops_refresh(model, 0, error);
    return error->status;
}

enum tn_status tn_edit_commit(struct tn_edit *edit, struct tn_model **out,
                              struct tn_error *error)
{
    TN_ERROR_OR_OWN(error);
    struct tn_options options = {
        .allocator  = &edit->store->memory.allocator,
        .max_memory = edit->store->memory.limit == UINT64_MAX
                          ? 0
                          : edit->store->memory.limit,
    };
    struct tn_opened *result;
    struct tn_asking  asking;

    *out = NULL;
    TN_TRY(tn_opened_new(&result, &options, error));
    result->format       = edit->store->format;
    result->model.format = result->format->name;
    result->model.title  = result->format->title;
    tn_asking_begin(&asking, &edit->options, "editing", &result->memory);
    if (tn_opened_hold(result, edit->store, error) == TN_OK &&
        tn_draft_commit(&edit->draft, &result->model, error) == TN_OK &&
        find_outputs(&result->model, error) == TN_OK)
        check_losses(edit, &result->model, error);
    tn_asking_end(&asking);
    if (tn_failed(error)) {
        tn_opened_release(result);
        return error->status;
    }
    result->edited = edit->origin;
    *out           = &result->model;
    return TN_OK;
}

/* The bytes of a header that differ, if they are in one page: begin and size.
 * A size of 0: none differs, or too many. */
static struct tn_bytes find_difference(const struct tn_buffer *head,
                                       const uint8_t *old, uint64_t *offset,
                                       bool *is_same)
{
    size_t begin = 0, end = head->size;

    while (begin < end && head->data[begin] == old[begin])
        begin++;
    while (end > begin && head->data[end - 1] == old[end - 1])
        end--;
    *offset  = begin;
    *is_same = begin == end;
    if (*is_same || begin / TN_OVERWRITE_PAGE != (end - 1) / TN_OVERWRITE_PAGE)
        return tn_bytes(NULL, 0);
    return tn_bytes(head->data + begin, end - begin);
}

static enum tn_status overwrite_head(const struct tn_buffer    *head,
                                     struct tn_source          *file,
                                     const struct tn_target    *target,
                                     struct tn_convert_summary *summary,
                                     bool *is_done, struct tn_error *error)
{
    bool           is_same;
    uint64_t       offset;
    const uint8_t *old = tn_source_pin(file, 0, head->size, error);

    if (!old)
        return error->status;
    struct tn_bytes other = find_difference(head, old, &offset, &is_same);
    if (!is_same && !other.size)
        return TN_OK;
    TN_TRY(
        tn_overwrite(target->path, offset, other, target->is_durable, error));
    *is_done               = true;
    summary->bytes_written = other.size;
    return TN_OK;
}

/* If a model replaces the file it was read from, and differs from it in one
 * page of its header, only that page is written. */
static enum tn_status write_in_place(const struct tn_model     *model,
                                     const struct tn_format    *format,
                                     const struct tn_target    *target,
                                     struct tn_convert_summary *summary,
                                     bool *is_done, struct tn_error *error)
{
    struct tn_source *file = NULL;
    struct tn_buffer  head;

    *is_done = false;
    if (!format->head || format->name != model->format ||
        !target->can_replace || target->is_dry_run)
        return TN_OK;
    tn_buffer_init(&head, model->memory, error);
    if (format->head(model, &head, &file, error) == TN_OK && head.size &&
        tn_overwrite_is_file(target->path, file))
        overwrite_head(&head, file, target, summary, is_done, error);
    tn_buffer_done(&head);
    return error->status;
}

enum tn_status tn_edit_write(const struct tn_model           *model,
                             const struct tn_convert_options *convert,
                             const struct tn_target          *target,
                             const struct tn_options         *options,
                             struct tn_convert_summary       *summary,
                             struct tn_error                 *error)
{
    TN_ERROR_OR_OWN(error);
    TN_EXPECT_GIVEN(model, "model", error);
    TN_EXPECT_TARGET(target, error);
    struct tn_convert_options none = TN_CONVERT_OPTIONS_INIT;
    const char               *format, *dialect;

    TN_TAKE_OPTIONS(options);
    TN_TAKE_CONVERT(convert);
    struct tn_convert_summary unseen;
    struct tn_convert_options how   = convert ? *convert : none;
    struct tn_error           quiet = TN_ERROR_INIT;
    if (!how.to &&
        tn_convert_format(model, &how, target->path, &format, &dialect,
                          &quiet) != TN_OK &&
        quiet.reason == TN_REASON_UNKNOWN_TARGET_FORMAT)
        how.to = model->format; /* the path does not name a format: keep the old
                                   one */
    TN_TRY(
        tn_convert_format(model, &how, target->path, &format, &dialect, error));
    if (!tn_is_same_dialect(dialect, tn_model_dialect(model)))
        return tn_error_set(
            error, TN_UNSUPPORTED, TN_NOWHERE,
            "an edit of %s cannot be written as %s: edit first, "
            "then use 'tenon convert'",
            model->format, format);
    summary = summary ? summary : &unseen;
    bool is_done;
    *summary = (struct tn_convert_summary){ 0 };
    if (!how.force_invalid || how.finding)
        TN_TRY(tn_refuse_edited(
            model, tn_opened_of(model)->edited,
            &(struct tn_validity){ .is_forced = how.force_invalid,
                                   .each      = how.finding,
                                   .context   = how.finding_context,
                                   .count     = &summary->findings },
            error));
    snprintf(summary->format, sizeof summary->format, "%s", format);
    if (!how.setting_count)
        TN_TRY(write_in_place(model, tn_format_named(format), target, summary,
                              &is_done, error));
    if (!how.setting_count && is_done)
        return TN_OK;
    return tn_convert_whole(model, &how, false, target, options, summary,
                            error);
}
