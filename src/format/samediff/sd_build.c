/*
 * sd_build.c - writes the tables of a model as a FlatGraph
 *
 * Vectors that Deeplearning4j's Java writer always writes are written when they
 * are empty, too; what only later versions have is left out when it is empty,
 * so that old readers see no unknown slots.
 */
#include "format/samediff/sd_build.h"

#include <stdio.h>

#include "base/mix.h"
#include "base/sort.h"
#include "format/registry.h"

enum { NODE_SLOTS = TN_SD_NODE_S_ARGS + 1, OUTPUT_MODE = 3, KNOWN = 1024 };

/* Arguments of ops of one type that share their attributes, read once. */
struct known_args {
    uint32_t          type, first_attr, attr_count;
    struct tn_sd_args args;
};

struct building {
    const struct tn_sd_content *content;
    struct tn_sd_part           part;
    struct tn_arena            *arena;
    struct tn_error            *error;
    struct tn_memory           *memory;
    struct tn_fb_builder       *fb;
    const struct known_args **known; /* KNOWN by hash; NULL: too few ops      */
    bool is_learned; /* arguments are kept and arrays counted: tables can be
                        made on any thread                                    */
};

/* For tables that are made one by one, and again when they are written. */
static struct building building_with(const struct building *all,
                                     struct tn_fb_builder  *fb)
{
    struct building b = *all;

    b.fb    = fb;
    b.arena = fb->arena;
    b.error = fb->error;
    return b;
}

static uint32_t put_names(struct building *b, struct tn_sd_names names)
{
    return names.count ? tn_sd_strings_put(b->fb, names.items, names.count) : 0;
}

static uint32_t put_pair(struct building *b, int32_t first, int32_t second)
{
    tn_fb_begin(b->fb);
    tn_fb_add_i32(b->fb, 0, first, 0);
    tn_fb_add_i32(b->fb, 1, second, 0);
    return tn_fb_end(b->fb);
}

static uint32_t put_array(struct building          *b,
                          const struct tn_elements *elements,
                          struct tn_bytes           name)
{
    uint32_t ref = tn_sd_array_put(b->fb, elements, &b->part.how, b->memory);

    if (!ref)
        tn_error_where(b->error, "%.*s", TN_FMT(name));
    return ref;
}

/* Once, however often it is made. */
static void count_array(const struct building *b)
{
    if (!b->fb->is_again && !b->is_learned)
        ++*b->content->options->tensors_moved;
}

/* ---- variables ---------------------------------------------------------- */

/* Classic files have no shape beside an array, but for placeholders. */
static uint32_t put_shape(struct building *b, const struct tn_sd_entry *entry)
{
    const struct tn_sd_variable *said     = entry->said;
    bool                         has_dims = entry->elements != NULL;
    bool                         is_input = entry->kind == TN_SD_PLACEHOLDER;
    int64_t                     *dims;

    if (!b->part.is_sdnb && !is_input && has_dims)
        return 0;
    if (said->has_shape && (!has_dims || is_input))
        return tn_fb_put_i64s(b->fb, said->shape, said->rank);
    if (!has_dims || !b->part.is_sdnb)
        return 0;
    const struct tn_shape *shape = &entry->elements->shape;
    dims = tn_new(b->arena, int64_t, shape->rank, b->error);
    for (uint32_t i = 0; dims && i < shape->rank; i++)
        dims[i] = (int64_t)shape->dims[i];
    return tn_fb_put_i64s(b->fb, dims, dims ? shape->rank : 0);
}

/* SDNB has no array where there are no elements. */
static bool has_inline(const struct building    *b,
                       const struct tn_sd_entry *entry, uint32_t index)
{
    uint64_t count = 0;

    if (!entry->elements || !b->part.has_data ||
        (b->part.is_away && b->part.is_away[index]))
        return false;
    tn_shape_count(&entry->elements->shape, &count);
    return count > 0 || !b->part.is_sdnb;
}

/* Only if they tell more than the shape does. */
static uint32_t put_dim_names(struct building             *b,
                              const struct tn_sd_variable *said, uint32_t shape)
{
    if (!shape || !said->has_dim_names)
        return 0;
    return said->dim_names.count ? put_names(b, said->dim_names)
                                 : tn_fb_put_refs(b->fb, NULL, 0);
}

static uint32_t put_variable(struct building *b, uint32_t index, int32_t own_id)
{
    const struct tn_sd_entry     row   = tn_sd_content_entry(b->content, index);
    const struct tn_sd_entry    *entry = &row;
    const struct tn_sd_variable *said  = entry->said;
    uint32_t                     array = has_inline(b, entry, index)
                                             ? put_array(b, entry->elements, entry->name)
                                             : 0;
    uint32_t                     id    = own_id ? put_pair(b, own_id, 0)
                                                : put_pair(b, entry->first, entry->second);
    uint32_t                     name  = tn_fb_put_string(b->fb, entry->name);
    uint32_t                     shape = put_shape(b, entry);
    uint32_t                     dims  = put_dim_names(b, said, shape);
    uint32_t                     deps  = put_names(b, said->deps);
    uint32_t                     for_op  = put_names(b, said->for_op);
    uint32_t                     for_var = put_names(b, said->for_var);

    if (array)
        count_array(b);
    tn_fb_begin(b->fb);
    tn_fb_add_ref(b->fb, TN_SD_VARIABLE_ID, id);
    tn_fb_add_ref(b->fb, TN_SD_VARIABLE_NAME, name);
    tn_fb_add_i8(b->fb, TN_SD_VARIABLE_DTYPE, entry->dtype, 0);
    tn_fb_add_ref(b->fb, TN_SD_VARIABLE_SHAPE, shape);
    tn_fb_add_ref(b->fb, TN_SD_VARIABLE_ARRAY, array);
    tn_fb_add_i32(b->fb, TN_SD_VARIABLE_DEVICE,
                  b->content->row ? said->device : -1, 0);
    tn_fb_add_i8(b->fb, TN_SD_VARIABLE_KIND, entry->kind, 0);
    tn_fb_add_ref(b->fb, TN_SD_VARIABLE_CONTROL_DEPS, deps);
    tn_fb_add_ref(b->fb, TN_SD_VARIABLE_CONTROL_FOR_OP, for_op);
    tn_fb_add_ref(b->fb, TN_SD_VARIABLE_CONTROL_FOR_VAR, for_var);
    tn_fb_add_ref(b->fb, TN_SD_VARIABLE_DIM_NAMES, dims);
    return tn_fb_end(b->fb);
}

static uint32_t make_variable(struct tn_fb_builder *fb, void *context,
                              uint32_t index)
{
    struct building          b    = building_with(context, fb);
    const struct tn_sd_part *part = &b.part;

    return put_variable(&b, part->picks ? part->picks[index] : index,
                        part->has_graph ? 0 : (int32_t)index + 1);
}

/* Constants that rules made are in memory and only read while tables are made,
 * except for names of arguments, which come from the vocabulary. */
static const bool *solo(const struct building *b)
{
    return b->is_learned ? &b->content->calls->has_book : NULL;
}

static uint32_t put_variables(struct building *b)
{
    return tn_fb_put_tables(
        b->fb, b->part.picks ? b->part.pick_count : b->content->count,
        make_variable, b, solo(b));
}

/* ---- operations --------------------------------------------------------- */

static struct tn_bytes ref_name(const struct building *b, uint64_t ref)
{
    return tn_model_value_name(b->content->model,
                               tn_model_ref_at(b->content->model, ref));
}

/* TN_NONE after a failure. */
static uint32_t entry_at(struct building *b, uint64_t ref)
{
    uint32_t entry = tn_sd_content_value(
        b->content, tn_model_ref_at(b->content->model, ref));

    if (entry == TN_NONE)
        tn_error_set(b->error, TN_INVALID, TN_NOWHERE,
                     "'%.*s' is not a variable of the graph",
                     TN_FMT(ref_name(b, ref)));
    return entry;
}

/* The number of an entry. */
static uint32_t put_number(struct building *b, uint32_t entry)
{
    const struct tn_sd_entry_row *row = &b->content->entries[entry];

    return put_pair(b, row->first, row->second);
}

static uint32_t put_inputs(struct building *b, const struct tn_op *op)
{
    uint32_t  count = op->input_count - op->control_count;
    uint32_t *refs  = tn_new(b->arena, uint32_t, count, b->error);

    for (uint32_t i = 0; refs && i < count; i++) {
        uint32_t entry = entry_at(b, (uint64_t)op->first_input + i);
        if (entry == TN_NONE)
            return 0;
        refs[i] = put_number(b, entry);
    }
    return tn_fb_put_refs(b->fb, refs, count);
}

struct outputs {
    uint32_t names, types, indices;
};

static void put_outputs(struct building *b, const struct tn_op *op,
                        const struct tn_sd_args *args, struct outputs *to)
{
    uint32_t         count = op->output_count;
    struct tn_bytes *names = tn_new(b->arena, struct tn_bytes, count, b->error);
    int32_t         *index = tn_new(b->arena, int32_t, count, b->error);
    int8_t          *types = tn_new(b->arena, int8_t, count, b->error);

    if (tn_failed(b->error))
        return;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = entry_at(b, (uint64_t)op->first_output + i);
        if (at == TN_NONE)
            return;
        const struct tn_sd_entry entry = tn_sd_content_entry(b->content, at);
        names[i]                       = entry.name;
        index[i]                       = (int32_t)at;
        types[i] = args->output_type_count == count ? args->output_types[i]
                                                    : entry.dtype;
    }
    to->names   = count ? tn_sd_strings_put(b->fb, names, count)
                        : tn_fb_put_refs(b->fb, NULL, 0);
    to->types   = tn_fb_put_vector(b->fb, tn_bytes(types, count), 1, 1);
    to->indices = tn_fb_put_i32s(b->fb, index, b->part.is_sdnb ? 0 : count);
}

static uint32_t put_properties(struct building         *b,
                               const struct tn_sd_args *args)
{
    if (!args->property_count)
        return tn_fb_put_refs(b->fb, NULL, 0);
    uint32_t *refs = tn_new(b->arena, uint32_t, args->property_count, b->error);
    bool      is_plain = tn_sd_is_plain(b->content->model);

    for (uint32_t i = 0; refs && i < args->property_count; i++)
        refs[i] = tn_sd_property_put(b->fb, &args->properties[i], is_plain,
                                     &b->part.how, b->memory);
    return tn_fb_put_refs(b->fb, refs, args->property_count);
}

static uint32_t put_bools(struct building *b, const struct tn_attr_value *list)
{
    if (!list->count)
        return tn_fb_put_refs(b->fb, NULL, 0);
    uint8_t *bytes = tn_new(b->arena, uint8_t, list->count, b->error);

    for (uint32_t i = 0; bytes && i < list->count; i++)
        bytes[i] = list->of.ints[i] != 0;
    return tn_fb_put_vector(b->fb, tn_bytes(bytes, bytes ? list->count : 0), 1,
                            1);
}

static uint32_t put_dimensions(struct building         *b,
                               const struct tn_sd_args *args)
{
    uint32_t count = args->dimension_count;

    if (!count)
        return tn_fb_put_i32s(b->fb, NULL, 0);
    int32_t *to = tn_new(b->arena, int32_t, count, b->error);

    for (uint32_t i = 0; to && i < count; i++) {
        if (args->dimensions[i] > INT32_MAX || args->dimensions[i] < INT32_MIN)
            tn_error_set(b->error, TN_INVALID, TN_NOWHERE,
                         "dimension %" PRId64 " does not fit",
                         args->dimensions[i]);
        to[i] = (int32_t)args->dimensions[i];
    }
    return tn_fb_put_i32s(b->fb, to, to ? count : 0);
}

static void put_args(struct building *b, const struct tn_sd_args *args,
                     uint32_t refs[NODE_SLOTS])
{
    const struct tn_attr_value *lists = args->lists;

    refs[TN_SD_NODE_T_ARGS] =
        tn_fb_put_f64s(b->fb, lists[TN_SD_T].of.doubles, lists[TN_SD_T].count);
    refs[TN_SD_NODE_I_ARGS] =
        tn_fb_put_i64s(b->fb, lists[TN_SD_I].of.ints, lists[TN_SD_I].count);
    refs[TN_SD_NODE_B_ARGS]     = put_bools(b, &lists[TN_SD_B]);
    refs[TN_SD_NODE_DIMENSIONS] = put_dimensions(b, args);
    if (lists[TN_SD_D].count)
        refs[TN_SD_NODE_D_ARGS] = tn_sd_codes_put(b->fb, &lists[TN_SD_D]);
    if (lists[TN_SD_S].count)
        refs[TN_SD_NODE_S_ARGS] = tn_sd_strings_put(
            b->fb, lists[TN_SD_S].of.strings, lists[TN_SD_S].count);
    if (args->scalar) {
        refs[TN_SD_NODE_SCALAR] = put_array(b, args->scalar, tn_text("scalar"));
        count_array(b);
    }
}

/* As the file has them; of an op that is in no file, its control inputs. */
static void put_controls(struct building *b, const struct tn_op *op,
                         uint32_t refs[NODE_SLOTS])
{
    struct tn_sd_names names = { NULL, op->control_count };
    struct tn_fb       fb;

    if (!op->wire_length) {
        struct tn_bytes *items =
            tn_new(b->arena, struct tn_bytes, names.count, b->error);
        uint64_t first =
            (uint64_t)op->first_input + op->input_count - op->control_count;
        for (uint32_t i = 0; items && i < names.count; i++)
            items[i] = ref_name(b, first + i);
        names.items                   = items;
        refs[TN_SD_NODE_CONTROL_DEPS] = items ? put_names(b, names) : 0;
        return;
    }
    struct tn_span wire = tn_model_op_wire(b->content->model, op);
    tn_fb_view(&fb, wire.source, b->error);
    struct tn_fb_table table = tn_fb_table_at(&fb, wire.offset);
    for (uint16_t slot = TN_SD_NODE_CONTROL_DEPS;
         slot <= TN_SD_NODE_CONTROL_FOR; slot++) {
        refs[slot] =
            put_names(b, tn_sd_names_read(&table, slot, b->arena, b->error));
    }
}

/* As the file had it; .fb is NULL when it comes from elsewhere. */
static struct tn_fb_table old_node(const struct building *b,
                                   const struct tn_op *op, struct tn_fb *fb)
{
    struct tn_span     wire = tn_model_op_wire(b->content->model, op);
    struct tn_fb_table none = { 0 };

    if (!wire.source || b->content->model->dialect != &tn_dialect_nd4j)
        return none;
    tn_fb_view(fb, wire.source, b->error);
    return tn_fb_table_at(fb, wire.offset);
}

/* Where the arguments of an op like this one are kept. */
static const struct known_args **known_at(struct building    *b,
                                          const struct tn_op *op)
{
    uint32_t first = op->attr_count ? op->first_attr : 0;

    return &b->known[tn_mix(op->type, UINT64_C(0x9fb21c651e98df25) ^ first) %
                     KNOWN];
}

static bool is_like(const struct known_args *known, const struct tn_op *op)
{
    return known->type == op->type && known->attr_count == op->attr_count &&
           (!op->attr_count || known->first_attr == op->first_attr);
}

/* The first time they are read and kept; errors are kept, too. */
static const struct tn_sd_args *keep_args(struct building *b, uint32_t index,
                                          const struct known_args **at)
{
    const struct tn_op *op = tn_model_op_at(b->content->model, index);
    struct known_args  *kept =
        tn_new(b->content->arena, struct known_args, 1, b->error);

    if (!kept ||
        tn_sd_args_read(b->content->model, index, b->content->calls,
                        b->content->arena, &kept->args, b->error) != TN_OK)
        return NULL;
    kept->type       = op->type;
    kept->first_attr = op->first_attr;
    kept->attr_count = op->attr_count;
    *at              = kept;
    return &kept->args;
}

/* NULL after a failure. */
static const struct tn_sd_args *args_of(struct building *b, uint32_t index,
                                        struct tn_sd_args *own)
{
    const struct tn_op       *op = tn_model_op_at(b->content->model, index);
    const struct known_args **at = NULL;

    if (b->known && op->first_attr != TN_NONE) {
        at = known_at(b, op);
        if (*at && is_like(*at, op))
            return &(*at)->args;
        if (!*at && !b->fb->is_again && !b->is_learned)
            return keep_args(b, index, at);
    }
    return tn_sd_args_read(b->content->model, index, b->content->calls,
                           b->arena, own, b->error) == TN_OK
               ? own
               : NULL;
}

/* Whether the model is of a kind whose tables need nothing but what is learned
 * here, before any is made. */
static void learn(struct building *b)
{
    const struct tn_sd_content *content = b->content;
    uint64_t                    arrays  = 0;
    struct tn_sd_args           own;

    if (!b->known || b->part.picks || !content->model->is_edited ||
        tn_sd_detail_of(content->model))
        return;
    for (uint32_t i = 0; i < content->count; i++) {
        const struct tn_sd_entry entry = tn_sd_content_entry(content, i);
        arrays += has_inline(b, &entry, i);
    }
    for (uint32_t i = 0; b->part.has_graph && i < content->op_count; i++) {
        const struct tn_sd_args *args = args_of(b, content->first_op + i, &own);
        if (!args)
            return;
        arrays += args->scalar != NULL;
    }
    *content->options->tensors_moved += arrays;
    b->is_learned = true;
}

static uint32_t put_node(struct building *b, uint32_t ordinal)
{
    const struct tn_model *model            = b->content->model;
    uint32_t               index            = b->content->first_op + ordinal;
    const struct tn_op    *op               = tn_model_op_at(model, index);
    uint32_t               refs[NODE_SLOTS] = { 0 };
    struct outputs         outputs          = { 0 };
    struct tn_sd_args      own;
    struct tn_fb           fb;
    struct tn_fb_table     old = old_node(b, op, &fb);

    const struct tn_sd_args *args = args_of(b, index, &own);
    if (!args)
        return 0;
    refs[TN_SD_NODE_PROPERTIES]   = put_properties(b, args);
    refs[TN_SD_NODE_INPUT_PAIRED] = put_inputs(b, op);
    refs[TN_SD_NODE_INPUT]        = tn_fb_put_i32s(b->fb, NULL, 0);
    put_args(b, args, refs);
    put_controls(b, op, refs);
    put_outputs(b, op, args, &outputs);
    refs[TN_SD_NODE_OUTPUT]       = outputs.indices;
    refs[TN_SD_NODE_OUTPUT_NAMES] = outputs.names;
    refs[TN_SD_NODE_OUTPUT_TYPES] = outputs.types;
    refs[TN_SD_NODE_NAME] =
        tn_fb_put_string(b->fb, tn_model_name(model, op->name));
    refs[TN_SD_NODE_OP_NAME] =
        tn_fb_put_string(b->fb, tn_model_name(model, op->type));
    refs[TN_SD_NODE_SCOPE_NAME] =
        tn_fb_put_string(b->fb, tn_fb_string(&old, TN_SD_NODE_SCOPE_NAME));
    tn_fb_begin(b->fb);
    tn_fb_add_i32(b->fb, TN_SD_NODE_ID,
                  tn_sd_content_op_id(b->content, ordinal), 0);
    tn_fb_add_i8(b->fb, TN_SD_NODE_OP_TYPE, args->op_type, 0);
    tn_fb_add_i64(b->fb, TN_SD_NODE_OP_NUM, args->op_num, 0);
    tn_fb_add_i32(b->fb, TN_SD_NODE_DEVICE,
                  tn_fb_i32(&old, TN_SD_NODE_DEVICE, old.fb ? 0 : -1), 0);
    tn_fb_add_i32(b->fb, TN_SD_NODE_SCOPE_ID,
                  tn_fb_i32(&old, TN_SD_NODE_SCOPE_ID, 0), 0);
    for (uint16_t slot = 0; slot < NODE_SLOTS; slot++)
        tn_fb_add_ref(b->fb, slot, refs[slot]);
    return tn_fb_end(b->fb);
}

static uint32_t make_node(struct tn_fb_builder *fb, void *context,
                          uint32_t index)
{
    struct building b   = building_with(context, fb);
    uint32_t        ref = put_node(&b, index);

    if (tn_failed(fb->error))
        tn_error_where(fb->error, "nodes[%" PRIu32 "]", index);
    return ref;
}

static uint32_t put_nodes(struct building *b)
{
    return tn_fb_put_tables(b->fb, b->part.has_graph ? b->content->op_count : 0,
                            make_node, b, solo(b));
}

/* ---- states ------------------------------------------------------------- */

/* A state goes where its parameter is, or else to the first shard of data. */
static bool is_picked(const struct building *b, struct tn_bytes param)
{
    uint32_t entry = tn_sd_content_find(b->content, param);

    if (!b->part.shard_of)
        return true;
    return b->part.shard == (entry == TN_NONE ? 1 : b->part.shard_of[entry]);
}

static uint32_t put_state(struct building *b, const struct tn_sd_kept *state)
{
    uint32_t *refs = tn_new(b->arena, uint32_t, state->count, b->error);

    for (uint32_t i = 0; refs && i < state->count; i++)
        refs[i] = put_array(b, state->values[i], state->param);
    *b->content->options->tensors_moved += state->count;
    uint32_t values = tn_fb_put_refs(b->fb, refs, refs ? state->count : 0);
    uint32_t keys   = state->count
                          ? tn_sd_strings_put(b->fb, state->keys, state->count)
                          : tn_fb_put_refs(b->fb, NULL, 0);
    uint32_t name   = tn_fb_put_string(b->fb, state->param);
    tn_fb_begin(b->fb);
    tn_fb_add_ref(b->fb, 0, name);
    tn_fb_add_ref(b->fb, 1, keys);
    tn_fb_add_ref(b->fb, 2, values);
    return tn_fb_end(b->fb);
}

static uint32_t put_states(struct building *b)
{
    uint32_t  count = 0;
    uint32_t *refs =
        tn_new(b->arena, uint32_t, b->content->state_count, b->error);

    if (!b->part.has_states || !refs)
        return 0;
    for (uint32_t i = 0; i < b->content->state_count; i++)
        if (is_picked(b, b->content->states[i].param))
            refs[count++] = put_state(b, &b->content->states[i]);
    return count ? tn_fb_put_refs(b->fb, refs, count) : 0;
}

/* ---- metadata ----------------------------------------------------------- */

static bool is_before(const void *left, const void *right)
{
    const struct tn_fact *a = left, *b = right;

    return tn_bytes_compare(a->key, b->key) < 0;
}

static void add_meta(struct tn_sd_metas *metas, const char *key,
                     const char *value)
{
    metas->items[metas->count++] =
        (struct tn_fact){ tn_text(key), tn_text(value ? value : "") };
}

enum { OWN_METAS = 4 };

/* With those that say how the file is written. */
static enum tn_status collect_metas(struct building    *b,
                                    struct tn_sd_metas *metas)
{
    const struct tn_sd_content *content = b->content;
    struct tn_sd_metas          said;

    TN_TRY(tn_sd_metas_now(content->model, content->options, content->graph,
                           content->graph == 0 && b->part.has_graph, false,
                           b->arena, &said, b->error));
    *metas = (struct tn_sd_metas){ tn_new(b->arena, struct tn_fact,
                                          (uint64_t)said.count + OWN_METAS,
                                          b->error),
                                   said.count };
    TN_TRY(b->error->status);
    if (said.count)
        memcpy(metas->items, said.items, said.count * sizeof *said.items);
    add_meta(metas, "nd4j.format.version", "1");
    add_meta(metas, "nd4j.format.type", "APPENDED_BLOB");
    if (b->part.shard_count) {
        add_meta(metas, "shard.index",
                 tn_text_format(b->arena, b->error, "%" PRIu32, b->part.shard));
        add_meta(metas, "shard.type", b->part.has_graph ? "graph" : "weights");
    }
    return b->error->status;
}

static void put_meta(struct building *b, uint32_t *keys, uint32_t *values)
{
    struct tn_sd_metas metas;

    if (collect_metas(b, &metas) != TN_OK)
        return;
    uint32_t         count = metas.count;
    const void     **order = tn_new(b->arena, const void *, count, b->error);
    struct tn_bytes *texts =
        tn_new(b->arena, struct tn_bytes, 2 * (uint64_t)count, b->error);

    if (!order || !texts)
        return;
    for (uint32_t i = 0; i < count; i++)
        order[i] = &metas.items[i];
    tn_sort(order, count, is_before);
    for (uint32_t i = 0; i < count; i++) {
        texts[i]         = ((const struct tn_fact *)order[i])->key;
        texts[count + i] = ((const struct tn_fact *)order[i])->value;
    }
    *values = tn_sd_strings_put(b->fb, texts + count, count);
    *keys   = tn_sd_strings_put(b->fb, texts, count);
}

/* ---- graphs in the graph ------------------------------------------------ */

/* The content stays in the arena, for tables that are made when they are
 * written. */
static uint32_t put_sub(struct building *b, uint32_t graph)
{
    const struct tn_model *model = b->content->model;
    struct tn_sd_part      part  = {
              .how = b->part.how, .has_graph = true, .has_data = true, .is_sdnb = true
    };
    uint32_t              data = 0;
    struct tn_sd_content *content =
        tn_new(b->arena, struct tn_sd_content, 1, b->error);
    struct tn_rope rope;

    if (!content)
        return 0;
    tn_rope_init(&rope, b->arena, b->error);
    if (tn_sd_content_make(content, model, graph, b->content->options, b->arena,
                           b->error) == TN_OK) {
        content->calls = b->content->calls;
        if (tn_sd_build(content, &part, &rope) == TN_OK)
            data = tn_fb_put_rope(b->fb, &rope, 1, 8);
    }
    content->next     = *b->content->subs;
    *b->content->subs = content;
    tn_rope_done(&rope);
    uint32_t name = tn_fb_put_string(
        b->fb, tn_model_name(model, tn_model_graph_at(model, graph)->name));
    tn_fb_begin(b->fb);
    tn_fb_add_ref(b->fb, 0, name);
    tn_fb_add_ref(b->fb, 1, data);
    return tn_fb_end(b->fb);
}

/* The reader limits how deep they lie in each other, and so the recursion. */
static uint32_t put_subs(struct building *b)
{
    const struct tn_model *model = b->content->model;
    uint32_t               count = 0;
    uint32_t *refs = tn_new(b->arena, uint32_t, model->graphs.count, b->error);

    if (!b->part.is_sdnb || !b->part.has_graph || !refs)
        return 0;
    for (uint32_t i = 1; i < model->graphs.count && !tn_failed(b->error); i++)
        if (tn_model_graph_at(model, i)->parent_graph == b->content->graph)
            refs[count++] = put_sub(b, i);
    return count ? tn_fb_put_refs(b->fb, refs, count) : 0;
}

/* ---- the whole ---------------------------------------------------------- */

static struct tn_fb_table root_of(struct building *b, struct tn_fb *fb)
{
    struct tn_fb_table none = { 0 };

    if (!b->content->row || !b->content->row->at ||
        b->content->model->dialect != &tn_dialect_nd4j)
        return none;
    tn_fb_view(fb, b->content->row->source, b->error);
    return tn_fb_table_at(fb, b->content->row->at);
}

/* The old value, or the one that Java writes. */
static uint32_t put_configuration(struct building          *b,
                                  const struct tn_fb_table *root)
{
    struct tn_fb_table old = tn_fb_child(root, TN_SD_GRAPH_CONFIGURATION);

    tn_fb_begin(b->fb);
    tn_fb_add_i64(b->fb, 0, tn_fb_i64(&old, 0, old.fb ? 0 : -1), 0);
    tn_fb_add_i8(b->fb, 1, tn_fb_i8(&old, 1, 0), 0);
    tn_fb_add_i8(b->fb, 2, tn_fb_i8(&old, 2, 0), 0);
    tn_fb_add_i8(b->fb, 3, tn_fb_i8(&old, 3, old.fb ? 0 : OUTPUT_MODE), 0);
    tn_fb_add_bool(b->fb, 4, tn_fb_bool(&old, 4, !old.fb), false);
    tn_fb_add_i64(b->fb, 5, tn_fb_i64(&old, 5, 0), 0);
    tn_fb_add_i64(b->fb, 6, tn_fb_i64(&old, 6, 0), 0);
    tn_fb_add_i8(b->fb, 7, tn_fb_i8(&old, 7, 0), 0);
    return tn_fb_end(b->fb);
}

static uint32_t count_placeholders(const struct tn_sd_content *content)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < content->count; i++)
        count += content->entries[i].kind == TN_SD_PLACEHOLDER;
    return count;
}

static uint32_t put_placeholders(struct building *b)
{
    const struct tn_sd_content *content = b->content;
    struct tn_sd_names          names   = { NULL, 0 };
    struct tn_bytes            *items   = tn_new(b->arena, struct tn_bytes,
                                                 count_placeholders(content), b->error);

    for (uint32_t i = 0; items && i < content->count; i++)
        if (content->entries[i].kind == TN_SD_PLACEHOLDER)
            items[names.count++] = tn_sd_content_entry(content, i).name;
    names.items = items;
    if (content->row && content->row->placeholders.count &&
        !tn_model_graph_at(content->model, content->graph)->has_other_io)
        names = content->row->placeholders;
    return names.count ? put_names(b, names) : tn_fb_put_refs(b->fb, NULL, 0);
}

/* A graph of a file without a list of outputs stays without one. */
static bool knows_outputs(const struct tn_sd_content *content,
                          struct tn_io_list           ends)
{
    const struct tn_sd_graph *row = content->row;
    bool                      is_listed =
        !row || tn_model_graph_at(content->model, content->graph)->has_other_io;

    for (uint32_t i = 0; i < ends.count; i++)
        if (ends.items[i].is_guessed)
            return false;
    for (uint32_t i = 0; row && i < row->variable_count; i++)
        is_listed |= row->variables[i].is_listed;
    return is_listed;
}

/* All outputs in their order.  For a graph that lists none, only those that
 * would not be recognized as outputs: they are inputs. */
static uint32_t put_listed(struct building *b)
{
    struct tn_io_list ends =
        tn_model_graph_at(b->content->model, b->content->graph)->outputs;
    uint32_t *refs     = tn_new(b->arena, uint32_t, ends.count, b->error);
    uint32_t  count    = 0;
    bool      is_known = b->part.has_graph && knows_outputs(b->content, ends);

    for (uint32_t i = 0; refs && i < ends.count; i++) {
        uint32_t entry = tn_sd_content_find(b->content, ends.items[i].name);
        if (entry != TN_NONE &&
            (is_known || b->content->entries[entry].kind == TN_SD_PLACEHOLDER))
            refs[count++] = put_number(b, entry);
    }
    return tn_fb_put_refs(b->fb, refs, count);
}

static uint32_t put_graph(struct building *b)
{
    const struct tn_sd_content *content = b->content;
    struct tn_fb                fb;
    struct tn_fb_table          old                        = root_of(b, &fb);
    uint32_t                    refs[TN_SD_GRAPH_SUBS + 1] = { 0 };

    refs[TN_SD_GRAPH_VARIABLES] = put_variables(b);
    refs[TN_SD_GRAPH_UPDATER]   = put_states(b);
    refs[TN_SD_GRAPH_NODES]     = put_nodes(b);
    refs[TN_SD_GRAPH_SUBS]      = put_subs(b);
    if (b->part.is_sdnb)
        put_meta(b, &refs[TN_SD_GRAPH_META_KEYS],
                 &refs[TN_SD_GRAPH_META_VALUES]);
    refs[TN_SD_GRAPH_OUTPUTS] = put_listed(b);
    if (b->part.has_graph) {
        refs[TN_SD_GRAPH_CONFIGURATION] = put_configuration(b, &old);
        refs[TN_SD_GRAPH_PLACEHOLDERS]  = put_placeholders(b);
        refs[TN_SD_GRAPH_LOSS]          = put_names(b, content->loss);
        if (content->training.size)
            refs[TN_SD_GRAPH_TRAINING] =
                tn_fb_put_string(b->fb, content->training);
    }
    tn_fb_begin(b->fb);
    tn_fb_add_i64(b->fb, TN_SD_GRAPH_ID, tn_fb_i64(&old, TN_SD_GRAPH_ID, 0), 0);
    for (uint16_t slot = 1; slot <= TN_SD_GRAPH_SUBS; slot++)
        tn_fb_add_ref(b->fb, slot, refs[slot]);
    return tn_fb_end(b->fb);
}

enum tn_status tn_sd_build(const struct tn_sd_content *content,
                           const struct tn_sd_part *part, struct tn_rope *to)
{
    struct building *b =
        tn_new(content->arena, struct building, 1, content->error);
    struct tn_fb_builder fb;

    if (!b)
        return content->error->status;
    *b = (struct building){ .content = content,
                            .part    = *part,
                            .arena   = content->arena,
                            .error   = content->error,
                            .memory  = content->model->memory,
                            .fb      = &fb };
    tn_fb_build_init(&fb, content->arena, content->error);
    if (content->op_count >= KNOWN && !content->row)
        b->known = tn_new(content->arena, const struct known_args *, KNOWN,
                          content->error);
    learn(b);
    uint32_t root = put_graph(b);
    if (!tn_failed(content->error))
        tn_fb_finish(&fb, root, NULL, to);
    tn_fb_build_done(&fb);
    return content->error->status;
}

/* ---- what is left behind ------------------------------------------------ */

static void lose_classic(const struct tn_sd_content *content)
{
    const struct tn_about *about = content->options->about;
    struct tn_sd_metas     metas;

    if (tn_sd_metas_now(content->model, content->options, 0, true, false,
                        content->arena, &metas, content->error) != TN_OK)
        return;
    for (uint32_t i = 0; i < metas.count; i++) /* all others are told already */
        if (!about || !tn_about_has(about, metas.items[i].key))
            tn_sd_lose_meta(content->options, metas.items[i].key);
    for (uint32_t i = 1; i < content->model->graphs.count; i++) {
        const struct tn_graph *graph = tn_model_graph_at(content->model, i);
        /* bodies that a conversion inlined have no ops left */
        if (graph->op_count > 0 || !content->model->is_edited)
            tn_lose(content->options, TN_NOWHERE, graph->path,
                    "left behind: a graph that is called by name");
    }
}

/* Names that the vocabulary has come back with it. */
static bool has_own_names(const struct tn_sd_content *content, uint32_t op)
{
    struct tn_sd_args args;
    struct tn_error   error = TN_ERROR_INIT;

    return tn_sd_args_read(content->model, op, content->calls, content->arena,
                           &args, &error) == TN_OK &&
           tn_sd_args_have_names(&args);
}

void tn_sd_build_losses(const struct tn_sd_content *content,
                        const struct tn_sd_part    *part)
{
    const struct tn_sd_detail *detail = tn_sd_detail_of(content->model);
    char                       path[200];

    if (part->is_sdnb)
        tn_sd_lose_taken_keys(content->options);
    else
        lose_classic(content);
    if (content->row && content->row->sequences)
        tn_lose(content->options, content->row->at, "sequences",
                "left behind: sequences of arrays");
    if (detail && detail->nulls)
        tn_lose(content->options, detail->null_where, "properties",
                "left behind: nulls among the arrays of properties");
    if (content->model->dialect == &tn_dialect_nd4j)
        return;
    for (uint32_t i = 0; i < content->op_count; i++)
        if (has_own_names(content, content->first_op + i)) {
            tn_op_path(content->model, content->first_op + i, path,
                       sizeof path);
            tn_lose(content->options, TN_NOWHERE, path,
                    "left behind: names of arguments");
        }
}

bool tn_sd_is_as_read(const struct tn_model         *model,
                      const struct tn_write_options *options,
                      const struct tn_format        *format)
{
    return tn_sd_detail_of(model) && !model->is_edited &&
           !options->shard_size && tn_is_of_format(model, format);
}
