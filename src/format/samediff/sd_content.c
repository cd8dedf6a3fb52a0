/* sd_content.c - the content of a SameDiff file, for models of any origin */
#include "format/samediff/sd_content.h"

#include <stdio.h>

#include "ir/changes.h"

void tn_sd_lose_beside(const struct tn_write_options *options,
                       struct tn_bytes                name)
{
    tn_lose_named(options, name,
                  "left behind: no part of the model, but beside it");
}

void tn_sd_lose_all_beside(const struct tn_write_options *options,
                           const struct tn_model         *model)
{
    const struct tn_sd_detail *detail = tn_sd_detail_of(model);

    for (uint32_t i = 0; detail && i < detail->beside.count; i++)
        tn_sd_lose_beside(options, detail->beside.items[i]);
}

void tn_sd_lose_meta(const struct tn_write_options *options,
                     struct tn_bytes                key)
{
    char what[200];

    snprintf(what, sizeof what, "left behind: metadata '%.*s'", TN_FMT(key));
    tn_lose(options, TN_NOWHERE, "metadataKeys", what);
}

void tn_sd_lose_taken_keys(const struct tn_write_options *options)
{
    const struct tn_about *about = options->about;

    for (uint64_t i = 0; about && i < about->items.count; i++) {
        struct tn_bytes key = tn_list_at(&about->items, struct tn_fact, i)->key;
        if (tn_sd_is_own_meta(key))
            tn_sd_lose_meta(options, key);
    }
}

/* ---- metadata ----------------------------------------------------------- */

struct metas {
    struct tn_sd_metas      *now;
    const struct tn_changes *changes; /* NULL: none are left to make          */
    bool                    *is_made; /* by change                            */
    struct tn_error         *error;
};

static const struct tn_text_change *change_of(const struct metas *m,
                                              struct tn_bytes     key)
{
    return tn_changes_text(m->changes, TN_TEXT_METADATA, key);
}

/* An entry of the file.  Of several with the key of a change, one stays. */
static void take_said(struct metas *m, struct tn_fact entry)
{
    const struct tn_text_change *change = change_of(m, entry.key);

    if (change) {
        bool *is_made = &m->is_made[change - m->changes->texts];
        entry.value   = change->value;
        if (*is_made || !entry.value.data) {
            *is_made = true;
            return;
        }
        *is_made = true;
    }
    m->now->items[m->now->count++] = entry;
}

static void take_added(struct metas *m, uint32_t index)
{
    const struct tn_text_change *change = &m->changes->texts[index];

    if (change->kind != TN_TEXT_METADATA || m->is_made[index])
        return;
    if (tn_sd_is_own_meta(change->key))
        tn_error_set(m->error, TN_INVALID, TN_NOWHERE,
                     "'%.*s' follows from how the file is written",
                     TN_FMT(change->key));
    else if (!change->value.data)
        tn_changes_miss(change, m->error);
    else
        m->now->items[m->now->count++] =
            (struct tn_fact){ change->key, change->value };
}

static void take_of_others(struct metas *m, const struct tn_about *about)
{
    for (uint64_t i = 0; about && i < about->items.count; i++) {
        const struct tn_fact *item =
            tn_list_at(&about->items, struct tn_fact, i);
        if (!tn_sd_is_own_meta(item->key))
            m->now->items[m->now->count++] = *item;
    }
}

/* What a model of another format said has the changes already. */
enum tn_status tn_sd_metas_now(const struct tn_model         *model,
                               const struct tn_write_options *options,
                               uint32_t graph, bool is_main, bool keeps_own,
                               struct tn_arena *arena, struct tn_sd_metas *now,
                               struct tn_error *error)
{
    const struct tn_sd_detail *detail = tn_sd_detail_of(model);
    const struct tn_sd_graph  *row =
        detail && graph < detail->graph_count ? &detail->graphs[graph] : NULL;
    const struct tn_about *about = is_main ? options->about : NULL;
    struct metas           m     = {
                      .now = now,
                      .changes = graph == 0 && tn_sd_is_ours(model) ? model->changes : NULL,
                      .error = error,
    };
    uint32_t said    = row ? tn_sd_meta_count(row) : 0;
    uint32_t changed = m.changes ? m.changes->text_count : 0;

    now->count = 0;
    now->items = tn_new(
        arena, struct tn_fact,
        (uint64_t)said + changed + (about ? about->items.count : 0), error);
    m.is_made = tn_new(arena, bool, changed, error);
    TN_TRY(error->status);
    for (uint32_t i = 0; i < said; i++) {
        struct tn_fact entry = tn_sd_meta(row, i);
        if (!tn_sd_is_own_meta(entry.key))
            take_said(&m, entry);
        else if (keeps_own)
            now->items[now->count++] = entry;
    }
    for (uint32_t i = 0; is_main && i < changed; i++)
        take_added(&m, i);
    take_of_others(&m, about);
    return error->status;
}

uint64_t tn_sd_entry_size(const struct tn_sd_entry *entry)
{
    uint64_t size = 0;

    if (entry->elements && !tn_shape_bytes(&entry->elements->shape, &size))
        size = entry->elements->payload.span.length; /* strings */
    return size;
}

/* For values that neither a file nor an input or output declares. */
static const struct tn_sd_variable unsaid = { .tensor = TN_NONE, .device = -1 };

static const struct tn_sd_variable *said_of(const struct tn_sd_content *content,
                                            const struct tn_sd_entry_row *row)
{
    return row->said ? *tn_list_at(&content->said,
                                   const struct tn_sd_variable *, row->said - 1)
                     : &unsaid;
}

struct tn_sd_entry tn_sd_content_entry(const struct tn_sd_content *content,
                                       uint32_t                    entry)
{
    const struct tn_sd_entry_row *row   = &content->entries[entry];
    const struct tn_model        *model = content->model;

    return (struct tn_sd_entry){
        .name     = row->is_named ? tn_intern_text(&content->names, row->name)
                                  : tn_model_name(model, row->name),
        .elements = row->tensor == TN_NONE
                        ? NULL
                        : &tn_model_tensor(model, row->tensor)->elements,
        .said     = said_of(content, row),
        .first    = row->first,
        .second   = row->second,
        .dtype    = row->dtype,
        .kind     = row->kind,
    };
}

/* The shape of values that have one of their own. */
static uint32_t entry_of(const struct tn_sd_content *content, uint32_t value)
{
    if (content->is_of_values)
        return value;
    return content->by_value && content->by_value[value]
               ? content->by_value[value] - 1
               : TN_NONE;
}

uint32_t tn_sd_content_value(const struct tn_sd_content *content,
                             uint32_t                    value)
{
    uint32_t entry = value == TN_NONE ? TN_NONE : entry_of(content, value);

    if (value == TN_NONE || entry != TN_NONE)
        return entry;
    return tn_sd_content_find(content,
                              tn_model_value_name(content->model, value));
}

uint32_t tn_sd_content_find(const struct tn_sd_content *content,
                            struct tn_bytes             name)
{
    uint32_t value = content->row ? TN_NONE
                                  : tn_model_find_named(content->model,
                                                        content->graph, name);
    uint32_t entry = value == TN_NONE ? TN_NONE : entry_of(content, value);

    if (entry != TN_NONE)
        return entry;
    uint32_t id = tn_intern_find(&content->names, name);
    return id == TN_NO_NAME ? TN_NONE
                            : *tn_list_at(&content->named, uint32_t, id);
}

/* ---- entries ------------------------------------------------------------ */

static struct tn_sd_entry_row *add_entry(struct tn_sd_content *content,
                                         struct tn_bytes text, uint32_t name)
{
    struct tn_sd_entry_row *entry = &content->entries[content->count++];

    if (text.size == 0) /* our reader refuses it */
        tn_error_set(content->error, TN_UNSUPPORTED, TN_NOWHERE,
                     "a variable without a name cannot be written");
    *entry = (struct tn_sd_entry_row){ .name = name, .tensor = TN_NONE };
    return entry;
}

/* One that is found by its name. */
static struct tn_sd_entry_row *add_named(struct tn_sd_content *content,
                                         struct tn_bytes       name)
{
    uint32_t *slot = tn_list_push(&content->named, uint32_t, content->error);

    if (!slot)
        return NULL;
    *slot       = content->count;
    uint32_t id = tn_intern_borrow(&content->names, name, content->error);
    if (id == content->named.count - 1) {
        struct tn_sd_entry_row *entry = add_entry(content, name, id);
        entry->is_named               = true;
        return entry;
    }
    tn_error_set(content->error, TN_INVALID, TN_NOWHERE,
                 "two variables are named '%.*s'", TN_FMT(name));
    return NULL;
}

static void say(struct tn_sd_content *content, struct tn_sd_entry_row *entry,
                const struct tn_sd_variable *said)
{
    const struct tn_sd_variable **slot = tn_list_push(
        &content->said, const struct tn_sd_variable *, content->error);

    if (!slot)
        return;
    *slot       = said;
    entry->said = (uint32_t)content->said.count;
}

static void take_variables(struct tn_sd_content *content)
{
    const struct tn_sd_graph *row = content->row;

    content->entries = tn_new(content->arena, struct tn_sd_entry_row,
                              row->variable_count, content->error);
    for (uint32_t i = 0; i < row->variable_count && !tn_failed(content->error);
         i++) {
        const struct tn_sd_variable *v     = &row->variables[i];
        struct tn_sd_entry_row      *entry = add_named(content, v->name);
        if (!entry)
            return;
        say(content, entry, v);
        entry->first      = v->first;
        entry->second     = v->second;
        entry->dtype      = v->dtype;
        entry->kind       = v->kind;
        entry->has_number = v->has_id;
        entry->tensor     = v->tensor;
    }
}

/* Variables of the file that the model was made from, by name. */
static const struct tn_sd_variable **old_variables(
    struct tn_sd_content *content, struct tn_intern *names)
{
    const struct tn_sd_detail    *detail = tn_sd_detail_of(content->model);
    const struct tn_sd_graph     *row;
    const struct tn_sd_variable **old;

    if (!detail || content->graph >= detail->graph_count)
        return NULL;
    row = &detail->graphs[content->graph];
    old = tn_new(content->arena, const struct tn_sd_variable *,
                 row->variable_count, content->error);
    for (uint32_t i = 0; old && i < row->variable_count; i++) {
        uint32_t id =
            tn_intern_borrow(names, row->variables[i].name, content->error);
        if (id != TN_NO_NAME && !old[id])
            old[id] = &row->variables[i];
    }
    return old;
}

/* Properties in the file that the tables do not have. */
static void take_old(struct tn_sd_content        *content,
                     struct tn_sd_entry_row      *entry,
                     const struct tn_sd_variable *old)
{
    entry->dtype = old->dtype;
    say(content, entry, old);
}

/* Names of dimensions, where there are some or the shape says nothing. */
static void take_dim_names(struct tn_sd_content  *content,
                           struct tn_sd_variable *said, const struct tn_io *io)
{
    struct tn_bytes *names =
        tn_new(content->arena, struct tn_bytes, io->rank, content->error);
    bool has_names = io->rank == 0;

    for (uint32_t i = 0; names && i < io->rank; i++) {
        names[i] = io->dims[i].symbol;
        has_names |= names[i].size > 0;
    }
    said->has_dim_names = names && has_names;
    said->dim_names     = (struct tn_sd_names){ names, names ? io->rank : 0 };
}

/* The shape in the file, if there is one, else that of the input or output. */
static void take_io(struct tn_sd_content   *content,
                    struct tn_sd_entry_row *entry, const struct tn_io *io)
{
    struct tn_sd_variable *said =
        tn_new(content->arena, struct tn_sd_variable, 1, content->error);
    int64_t *shape = tn_new(content->arena, int64_t, io->rank, content->error);

    entry->dtype = tn_sd_dtype_code(io->dtype);
    if (!io->has_rank || !said || !shape)
        return;
    for (uint32_t i = 0; i < io->rank; i++)
        shape[i] = io->dims[i].value;
    *said           = *said_of(content, entry);
    said->has_shape = true;
    said->rank      = io->rank;
    said->shape     = shape;
    take_dim_names(content, said, io);
    say(content, entry, said);
}

static int8_t kind_of(uint32_t kind)
{
    return kind == TN_VALUE_INPUT         ? TN_SD_PLACEHOLDER
           : kind == TN_VALUE_INITIALIZER ? TN_SD_CONSTANT
                                          : TN_SD_ARRAY;
}

/* Tensors without a place in the graph: an edit makes values of them, too. */
static void collect_states(const struct tn_sd_content *content,
                           struct tn_intern           *names)
{
    for (uint64_t i = 0; i < content->model->tensors.count; i++) {
        const struct tn_tensor *t = tn_model_tensor(content->model, i);
        if (t->role == TN_ROLE_STATE)
            tn_intern_borrow(names, tn_tensor_name(t), content->error);
    }
}

/* Whether it has no value, and will be found by its name. */
static bool is_beside(const struct tn_sd_content *content,
                      const struct tn_tensor     *t)
{
    return t->graph == content->graph && t->node == TN_NONE &&
           t->role != TN_ROLE_STATE &&
           tn_model_find_value(content->model, content->graph, t->name) ==
               TN_NONE;
}

static uint64_t most_entries(const struct tn_sd_content *content)
{
    const struct tn_model *model = content->model;
    uint64_t count = tn_model_graph_at(model, content->graph)->inputs.count;

    for (uint32_t i = 0; i < model->values.count; i++)
        count += tn_model_value_at(model, i)->graph == content->graph;
    for (uint64_t i = 0; i < model->tensors.count; i++)
        count += is_beside(content, tn_model_tensor(model, i));
    return count;
}

static bool has_states(const struct tn_model *model)
{
    for (uint64_t i = 0; i < model->tensors.count; i++)
        if (tn_model_tensor(model, i)->role == TN_ROLE_STATE)
            return true;
    return false;
}

static bool make_entries(struct tn_sd_content *content)
{
    const struct tn_model *model = content->model;

    content->is_of_values = model->graphs.count == 1 && !has_states(model);
    content->entries      = tn_new(content->arena, struct tn_sd_entry_row,
                                   most_entries(content), content->error);
    if (!content->is_of_values)
        content->by_value = tn_new(content->arena, uint32_t,
                                   model->values.count, content->error);
    return !tn_failed(content->error);
}

static void take_value(struct tn_sd_content *content, uint32_t id,
                       const struct tn_sd_variable *const *old,
                       const struct tn_intern             *old_names)
{
    const struct tn_value  *value = tn_model_value_at(content->model, id);
    struct tn_bytes         name  = tn_model_name(content->model, value->name);
    struct tn_sd_entry_row *entry = add_entry(content, name, value->name);
    uint32_t before = old ? tn_intern_find(old_names, name) : TN_NO_NAME;

    if (content->by_value)
        content->by_value[id] = content->count;
    entry->kind = kind_of(value->kind);
    if (before != TN_NO_NAME)
        take_old(content, entry, old[before]);
}

static void take_values(struct tn_sd_content *content)
{
    const struct tn_model        *model = content->model;
    const struct tn_sd_variable **old;
    struct tn_intern              names, states;

    tn_intern_init(&names, content->arena);
    tn_intern_init(&states, content->arena);
    collect_states(content, &states);
    old = old_variables(content, &names);
    for (uint32_t i = 0; !tn_failed(content->error) && i < model->values.count;
         i++) {
        const struct tn_value *value = tn_model_value_at(model, i);
        if (value->graph != content->graph)
            continue;
        if (content->is_of_values ||
            tn_intern_find(&states, tn_model_name(model, value->name)) ==
                TN_NO_NAME)
            take_value(content, i, old, &names);
    }
    tn_intern_done(&names);
    tn_intern_done(&states);
}

static struct tn_sd_entry_row *row_named(const struct tn_sd_content *content,
                                         struct tn_bytes             name)
{
    uint32_t entry = tn_sd_content_find(content, name);

    return entry == TN_NONE ? NULL : &content->entries[entry];
}

static void take_inputs(struct tn_sd_content *content)
{
    struct tn_io_list io_list =
        tn_model_graph_at(content->model, content->graph)->inputs;
    bool is_other =
        tn_model_graph_at(content->model, content->graph)->has_other_io;

    for (uint32_t i = 0; i < io_list.count && !tn_failed(content->error); i++) {
        struct tn_sd_entry_row *entry =
            row_named(content, io_list.items[i].name);
        if (!entry)
            entry = add_named(content, io_list.items[i].name);
        if (!entry)
            return;
        entry->kind = TN_SD_PLACEHOLDER;
        if (!said_of(content, entry)->has_shape || is_other)
            take_io(content, entry, &io_list.items[i]);
    }
}

/* For results: their declarations as outputs of the graph. */
static void take_outputs(struct tn_sd_content *content)
{
    struct tn_io_list io_list =
        tn_model_graph_at(content->model, content->graph)->outputs;

    for (uint32_t i = 0; i < io_list.count && !tn_failed(content->error); i++) {
        const struct tn_io     *io    = &io_list.items[i];
        struct tn_sd_entry_row *entry = row_named(content, io->name);
        if (entry && entry->kind == TN_SD_ARRAY &&
            !said_of(content, entry)->has_shape && io->dtype != TN_UNDEFINED &&
            (!io->note || !io->note[0]))
            take_io(content, entry, io);
    }
}

/* Most tensors are values: those need not be looked for by text. */
static struct tn_sd_entry_row *row_of(const struct tn_sd_content *content,
                                      const struct tn_tensor     *t)
{
    uint32_t value =
        tn_model_find_value(content->model, content->graph, t->name);
    uint32_t entry = value == TN_NONE ? TN_NONE : entry_of(content, value);

    return entry == TN_NONE ? row_named(content, tn_tensor_name(t))
                            : &content->entries[entry];
}

static void take_tensors(struct tn_sd_content *content)
{
    for (uint64_t i = 0;
         i < content->model->tensors.count && !tn_failed(content->error); i++) {
        const struct tn_tensor *t = tn_model_tensor(content->model, i);
        if (t->graph != content->graph || t->node != TN_NONE ||
            t->role == TN_ROLE_STATE)
            continue;
        struct tn_sd_entry_row *entry = row_of(content, t);
        if (!entry)
            entry = add_named(content, tn_tensor_name(t));
        if (!entry)
            return;
        entry->tensor = (uint32_t)i;
        entry->dtype  = tn_sd_dtype_code(t->elements.shape.dtype);
        if (entry->kind != TN_SD_PLACEHOLDER)
            entry->kind =
                t->role == TN_ROLE_VARIABLE ? TN_SD_VARIABLE : TN_SD_CONSTANT;
    }
}

/* What an op says of its results in an attribute that was made. */
static const struct tn_attr_value *made_types(const struct tn_model *model,
                                              const struct tn_op    *op)
{
    for (uint32_t i = 0; op->first_attr != TN_NONE && i < op->attr_count; i++) {
        const struct tn_attr_slot *slot = tn_list_at(
            &model->attrs, struct tn_attr_slot, (uint64_t)op->first_attr + i);
        if (slot->value && slot->value->kind == TN_ATTR_DTYPE &&
            tn_bytes_is(tn_model_name(model, slot->name), "outputTypes"))
            return slot->value;
    }
    return NULL;
}

/* The variable that is a result of an op if nothing else says its type. */
static struct tn_sd_entry_row *untyped(const struct tn_sd_content *content,
                                       const struct tn_op *op, uint32_t k)
{
    uint32_t entry = tn_sd_content_value(
        content,
        tn_model_ref_at(content->model, (uint64_t)op->first_output + k));

    return entry != TN_NONE && content->entries[entry].dtype == TN_SD_INHERIT
               ? &content->entries[entry]
               : NULL;
}

static void give_types(struct tn_sd_content *content, const struct tn_op *op,
                       const struct tn_attr_value *types)
{
    for (uint32_t k = 0; k < op->output_count && k < types->count; k++) {
        struct tn_sd_entry_row *entry = untyped(content, op, k);
        if (entry)
            entry->dtype = tn_sd_dtype_code((enum tn_dtype)types->of.ints[k]);
    }
}

/* An op of the file that has other results than there. */
static void give_types_of_file(struct tn_sd_content *content, uint32_t index)
{
    const struct tn_op *op   = tn_model_op_at(content->model, index);
    struct tn_error     none = TN_ERROR_INIT;
    struct tn_attr     *attr;
    bool                is_typed = true;

    for (uint32_t k = 0; k < op->output_count; k++)
        is_typed &= untyped(content, op, k) == NULL;
    if (is_typed || tn_attr_find(&attr, content->model, index, "outputTypes",
                                 &none) != TN_OK)
        return;
    give_types(content, op, tn_attr_get(attr));
    tn_attr_close(attr);
}

static void take_types(struct tn_sd_content *content)
{
    const struct tn_model *model = content->model;

    for (uint32_t i = 0; i < content->op_count; i++) {
        const struct tn_op *op = tn_model_op_at(model, content->first_op + i);
        const struct tn_attr_value *types = made_types(model, op);
        if (types)
            give_types(content, op, types);
        else if (op->wire_length)
            give_types_of_file(content, content->first_op + i);
    }
}

/* ---- numbers ------------------------------------------------------------ */

static int32_t wire_id(const struct tn_sd_content *content,
                       const struct tn_op         *op)
{
    struct tn_span wire = tn_model_op_wire(content->model, op);
    struct tn_fb   fb;

    tn_fb_view(&fb, wire.source, content->error);
    struct tn_fb_table table = tn_fb_table_at(&fb, wire.offset);
    return tn_fb_i32(&table, TN_SD_NODE_ID, 0);
}

static void keep_numbers(struct tn_sd_content *content)
{
    int32_t *ids =
        tn_new(content->arena, int32_t, content->op_count, content->error);

    for (uint32_t i = 0; ids && i < content->op_count; i++)
        ids[i] = wire_id(content,
                         tn_model_op_at(content->model, content->first_op + i));
    content->op_ids = ids;
}

static void give_numbers(struct tn_sd_content *content)
{
    const struct tn_model *model = content->model;
    int32_t                next  = (int32_t)content->op_count + 1;

    for (uint32_t i = 0; i < content->count; i++)
        content->entries[i].has_number = false;
    for (uint32_t i = 0; i < content->op_count; i++) {
        const struct tn_op *op = tn_model_op_at(model, content->first_op + i);
        for (uint32_t k = 0; k < op->output_count; k++) {
            uint32_t found = tn_sd_content_value(
                content,
                tn_model_ref_at(model, (uint64_t)op->first_output + k));
            if (found == TN_NONE || content->entries[found].has_number)
                continue;
            content->entries[found].first      = (int32_t)i + 1;
            content->entries[found].second     = (int32_t)k;
            content->entries[found].has_number = true;
        }
    }
    for (uint32_t i = 0; i < content->count; i++)
        if (!content->entries[i].has_number) {
            content->entries[i].has_number = true;
            content->entries[i].first      = next++;
            content->entries[i].second     = 0;
        }
}

static void number(struct tn_sd_content *content)
{
    if (content->op_count > INT32_MAX / 2 || content->count > INT32_MAX / 2)
        tn_error_set(content->error, TN_LIMIT, TN_NOWHERE,
                     "more than 2^30 operations or variables");
    else if (content->row && content->model->dialect == &tn_dialect_nd4j)
        keep_numbers(content);
    else
        give_numbers(content);
}

/* ---- states ------------------------------------------------------------- */

static void take_states(struct tn_sd_content      *content,
                        const struct tn_sd_detail *detail)
{
    content->states = tn_new(content->arena, struct tn_sd_kept,
                             detail->state_count, content->error);
    for (uint32_t i = 0; i < detail->state_count && !tn_failed(content->error);
         i++) {
        const struct tn_sd_state *from = &detail->states[i];
        struct tn_sd_kept        *to = &content->states[content->state_count++];
        const struct tn_elements **values =
            tn_new(content->arena, const struct tn_elements *,
                   from->value_count, content->error);
        to->param = from->param;
        to->keys  = from->keys.items;
        for (uint32_t k = 0; values && k < from->value_count; k++) {
            if (k >= from->keys.count || from->tensors[k] == TN_NONE)
                break;
            values[to->count++] =
                &tn_model_tensor(content->model, from->tensors[k])->elements;
        }
        to->values = values;
    }
}

enum { KEY_LIMIT = 8 };

static struct tn_sd_kept *state_of(struct tn_sd_content *content,
                                   struct tn_intern     *params,
                                   struct tn_bytes       param)
{
    uint32_t id = tn_intern_borrow(params, param, content->error);

    if (id == TN_NO_NAME)
        return NULL;
    struct tn_sd_kept *state = &content->states[id];
    if (id == content->state_count) {
        content->state_count++;
        state->param = param;
        state->keys =
            tn_new(content->arena, struct tn_bytes, KEY_LIMIT, content->error);
        state->values = tn_new(content->arena, const struct tn_elements *,
                               KEY_LIMIT, content->error);
    }
    return tn_failed(content->error) || state->count == KEY_LIMIT ? NULL
                                                                  : state;
}

/* For a model that was edited, or has another origin: by their names. */
static void find_states(struct tn_sd_content *content)
{
    uint64_t         count = content->model->tensors.count, most = 0;
    struct tn_intern params;
    struct tn_bytes  key, param;

    for (uint64_t i = 0; i < count; i++)
        most += tn_model_tensor(content->model, i)->role == TN_ROLE_STATE;
    content->states =
        tn_new(content->arena, struct tn_sd_kept, most, content->error);
    tn_intern_init(&params, content->arena);
    for (uint64_t i = 0; i < count && !tn_failed(content->error); i++) {
        const struct tn_tensor *t = tn_model_tensor(content->model, i);
        if (t->role != TN_ROLE_STATE ||
            !tn_sd_state_split(tn_tensor_name(t), &key, &param))
            continue;
        struct tn_sd_kept *state = state_of(content, &params, param);
        if (!state)
            continue;
        ((struct tn_bytes *)(uintptr_t)state->keys)[state->count] = key;
        state->values[state->count++] = &t->elements;
    }
    tn_intern_done(&params);
}

/* ---- from the top ------------------------------------------------------- */

static void take_rest(struct tn_sd_content *content)
{
    const struct tn_sd_detail *detail = tn_sd_detail_of(content->model);

    if (detail && content->graph < detail->graph_count)
        content->loss = detail->graphs[content->graph].loss;
    if (content->graph != 0)
        return;
    content->loss     = (struct tn_sd_names){ content->model->losses,
                                              content->model->loss_count };
    content->training = content->model->training;
    if (content->row)
        take_states(content, detail);
    else
        find_states(content);
}

static void fill_plan(struct tn_sd_content *content)
{
    if (content->row) {
        take_variables(content);
    } else if (make_entries(content)) {
        take_values(content);
        if (!tn_failed(content->error))
            take_inputs(content);
        if (!tn_failed(content->error))
            take_outputs(content);
        if (!tn_failed(content->error))
            take_tensors(content);
        if (!tn_failed(content->error))
            take_types(content);
    }
    if (!tn_failed(content->error))
        number(content);
    if (!tn_failed(content->error))
        take_rest(content);
}

enum tn_status tn_sd_content_make(struct tn_sd_content  *content,
                                  const struct tn_model *model, uint32_t graph,
                                  const struct tn_write_options *options,
                                  struct tn_arena               *arena,
                                  struct tn_error               *error)
{
    const struct tn_sd_detail *detail = tn_sd_detail_of(model);

    *content = (struct tn_sd_content){ .model   = model,
                                       .options = options,
                                       .arena   = arena,
                                       .error   = error,
                                       .graph   = graph };
    if (detail && !model->is_edited && graph < detail->graph_count)
        content->row = &detail->graphs[graph];
    content->first_op = tn_model_graph_at(model, graph)->first_op;
    content->op_count = (uint32_t)tn_model_graph_at(model, graph)->op_count;
    tn_intern_init(&content->names, arena);
    tn_list_init(&content->named, arena->memory, sizeof(uint32_t));
    tn_list_init(&content->said, arena->memory,
                 sizeof(const struct tn_sd_variable *));
    content->subs  = tn_new(arena, struct tn_sd_content *, 1, error);
    content->calls = tn_new(arena, struct tn_sd_calls, 1, error);
    if (!content->subs || !content->calls)
        return error->status;
    content->calls->arena = arena;
    if (!model->wants_graph)
        tn_error_set(error, TN_INVALID, TN_NOWHERE,
                     "the model was opened without its graph");
    else
        fill_plan(content);
    return error->status;
}

/* Readers limit how deep graphs lie in each other. */
void tn_sd_content_done(struct tn_sd_content *content)
{
    for (struct tn_sd_content *sub = content->subs ? *content->subs : NULL; sub;
         sub                       = sub->next)
        tn_sd_content_done(sub);
    tn_intern_done(&content->names);
    tn_list_done(&content->named);
    tn_list_done(&content->said);
}
