/*
 * tagged_put.c - graph.fb and trainingConfig.fb from the tables of a model
 *
 * The mirror of tagged_graph.c.  Graphs inside are built before the graph they
 * are in, which has the smaller number.
 */
#include "format/samediff/tagged_write.h"

static const struct tn_sd_array_how array_how = { TN_SD_FORM_LITTLE, 8, NULL };

struct putting {
    struct tn_tagged_writer    *w;
    const struct tn_sd_content *content; /* of the graph at hand */
    struct tn_fb_builder       *b;
    struct tn_error            *error;
    uint32_t *nothing; /* the empty string, once               */
};

/* For what is made one by one, and again when it is written. */
static struct putting putting_with(const struct putting *all,
                                   struct tn_fb_builder *b)
{
    struct putting p = *all;

    p.b     = b;
    p.error = b->error;
    return p;
}

static uint32_t put_names(struct putting *p, struct tn_sd_names names)
{
    return tn_sd_strings_put(p->b, names.items, names.count);
}

/* ---- variables ---------------------------------------------------------- */

static uint32_t put_shape(struct putting *p, const struct tn_sd_entry *entry)
{
    const struct tn_sd_variable *said = entry->said;
    const struct tn_shape       *shape =
        entry->elements ? &entry->elements->shape : NULL;
    int64_t *dims;

    if (!shape || entry->kind == TN_SD_PLACEHOLDER)
        return said->has_shape ? tn_fb_put_i64s(p->b, said->shape, said->rank)
                               : 0;
    dims = tn_new(p->b->arena, int64_t, shape->rank, p->error);
    for (uint32_t i = 0; dims && i < shape->rank; i++)
        dims[i] = (int64_t)shape->dims[i];
    return tn_fb_put_i64s(p->b, dims, dims ? shape->rank : 0);
}

static bool owns_array(const struct tn_sd_entry *entry)
{
    return entry->elements &&
           (entry->kind == TN_SD_VARIABLE || entry->kind == TN_SD_CONSTANT);
}

static uint32_t put_dim_names(struct putting              *p,
                              const struct tn_sd_variable *said, uint32_t shape)
{
    if (!shape || !said->has_dim_names)
        return 0;
    return said->dim_names.count ? put_names(p, said->dim_names)
                                 : tn_fb_put_refs(p->b, NULL, 0);
}

static uint32_t put_variable(struct putting *p, const struct tn_sd_entry *entry)
{
    const struct tn_sd_variable *said  = entry->said;
    int8_t                       dtype = entry->dtype;
    uint32_t                     refs[5];

    if (owns_array(entry))
        dtype = tn_sd_dtype_code(entry->elements->shape.dtype);
    refs[0]        = put_names(p, said->for_var);
    refs[1]        = put_names(p, said->for_op);
    refs[2]        = put_names(p, said->deps);
    refs[3]        = put_shape(p, entry);
    refs[4]        = put_dim_names(p, said, refs[3]);
    uint32_t named = tn_fb_put_string(p->b, entry->name);
    tn_fb_begin(p->b);
    tn_fb_add_ref(p->b, TN_TAGGED_VARIABLE_NAME, named);
    tn_fb_add_ref(p->b, TN_TAGGED_VARIABLE_SHAPE, refs[3]);
    tn_fb_add_ref(p->b, TN_TAGGED_VARIABLE_DEPS, refs[2]);
    tn_fb_add_ref(p->b, TN_TAGGED_VARIABLE_FOR_OP, refs[1]);
    tn_fb_add_ref(p->b, TN_TAGGED_VARIABLE_FOR_VAR, refs[0]);
    tn_fb_add_ref(p->b, TN_TAGGED_VARIABLE_DIM_NAMES, refs[4]);
    tn_fb_add_i8(p->b, TN_TAGGED_VARIABLE_DTYPE, dtype, 0);
    tn_fb_add_i8(p->b, TN_TAGGED_VARIABLE_KIND, entry->kind, 0);
    return tn_fb_end(p->b);
}

static uint32_t make_variable(struct tn_fb_builder *b, void *context,
                              uint32_t index)
{
    struct putting           p     = putting_with(context, b);
    const struct tn_sd_entry entry = tn_sd_content_entry(p.content, index);

    return put_variable(&p, &entry);
}

static uint32_t put_variables(struct putting *p)
{
    return p->content->count ? tn_fb_put_tables(p->b, p->content->count,
                                                make_variable, p, NULL)
                             : 0;
}

/* ---- operations --------------------------------------------------------- */

static uint32_t put_i8s(struct putting *p, const int8_t *values, uint32_t count)
{
    return count ? tn_fb_put_vector(p->b, tn_bytes(values, count), 1, 1) : 0;
}

static uint32_t put_bools(struct putting *p, const struct tn_attr_value *list)
{
    uint8_t *bytes = tn_new(p->b->arena, uint8_t, list->count, p->error);

    for (uint32_t i = 0; bytes && i < list->count; i++)
        bytes[i] = list->of.ints[i] != 0;
    return bytes ? tn_fb_put_vector(p->b, tn_bytes(bytes, list->count), 1, 1)
                 : 0;
}

static struct tn_bytes arg_name(const struct tn_sd_args  *args,
                                const struct tn_vocab_op *op, int list,
                                uint32_t index)
{
    struct tn_bytes own = { NULL, 0 };

    if (args->names[list].count)
        own = args->names[list].items[index];
    return own.size || !op
               ? own
               : tn_arg_name(op, (enum tn_vocab_list)(TN_VOCAB_IARGS + list),
                             index);
}

/* A name for each value; empty if it is unknown. */
static uint32_t put_arg_names(struct putting *p, const struct tn_sd_args *args,
                              const struct tn_vocab_op *op, int list)
{
    uint32_t  count = args->lists[list].count;
    uint32_t *refs  = tn_new(p->b->arena, uint32_t, count, p->error);

    if (!refs)
        return 0;
    if (!*p->nothing || *p->nothing > p->b->size) /* made again: not yet */
        *p->nothing = tn_fb_put_string(p->b, tn_text(""));
    for (uint32_t i = 0; i < count; i++) {
        struct tn_bytes name = arg_name(args, op, list, i);
        bool            is_more =
            i && tn_bytes_equal(name, arg_name(args, op, list, i - 1));
        refs[i] = !name.size ? *p->nothing
                  : is_more  ? refs[i - 1]
                             : tn_fb_put_string(p->b, name);
    }
    return tn_fb_put_refs(p->b, refs, count);
}

static uint32_t put_list(struct putting *p, const struct tn_attr_value *list,
                         int which)
{
    switch (which) {
    case TN_SD_I: return tn_fb_put_i64s(p->b, list->of.ints, list->count);
    case TN_SD_T: return tn_fb_put_f64s(p->b, list->of.doubles, list->count);
    case TN_SD_B: return put_bools(p, list);
    case TN_SD_D: return tn_sd_codes_put(p->b, list);
    default: return tn_sd_strings_put(p->b, list->of.strings, list->count);
    }
}

static uint32_t put_properties(struct putting *p, const struct tn_sd_args *args)
{
    const struct tn_model *model = p->w->model;
    uint32_t              *refs =
        tn_new(p->b->arena, uint32_t, args->property_count, p->error);
    uint32_t count = 0;

    for (uint32_t i = 0; refs && i < args->property_count; i++)
        if (args->properties[i].fb)
            refs[count++] = tn_sd_property_put(p->b, &args->properties[i],
                                               tn_sd_is_plain(model),
                                               &array_how, p->w->memory);
    return count ? tn_fb_put_refs(p->b, refs, count) : 0;
}

/* The slots of names and values, in the order of enum tn_sd_arg_list. */
static const uint16_t arg_slots[TN_SD_ARG_LISTS][2] = {
    { TN_TAGGED_OP_I_NAMES, TN_TAGGED_OP_I },
    { TN_TAGGED_OP_T_NAMES, TN_TAGGED_OP_T },
    { TN_TAGGED_OP_B_NAMES, TN_TAGGED_OP_B },
    { TN_TAGGED_OP_D_NAMES, TN_TAGGED_OP_D },
    { TN_TAGGED_OP_S_NAMES, TN_TAGGED_OP_S },
};

static void put_args(struct putting *p, const struct tn_sd_args *a,
                     const struct tn_vocab_op *op, uint32_t refs[])
{
    refs[TN_TAGGED_OP_PROPERTIES] = put_properties(p, a);
    if (a->scalar)
        refs[TN_TAGGED_OP_SCALAR] =
            tn_sd_array_put(p->b, a->scalar, &array_how, p->w->memory);
    refs[TN_TAGGED_OP_OUTPUT_TYPES] =
        put_i8s(p, a->output_types, a->output_type_count);
    if (a->dimension_count)
        refs[TN_TAGGED_OP_DIMENSIONS] =
            tn_fb_put_i64s(p->b, a->dimensions, a->dimension_count);
    for (int i = TN_SD_ARG_LISTS - 1; i >= 0; i--) {
        if (!a->lists[i].count)
            continue;
        refs[arg_slots[i][1]] = put_list(p, &a->lists[i], i);
        refs[arg_slots[i][0]] = put_arg_names(p, a, op, i);
    }
}

static uint32_t put_values(struct putting *p, uint64_t first, uint32_t count)
{
    const struct tn_model *model = p->w->model;
    struct tn_bytes       *names =
        tn_new(p->b->arena, struct tn_bytes, count, p->error);

    for (uint32_t i = 0; names && i < count; i++)
        names[i] =
            tn_model_value_name(model, tn_model_ref_at(model, first + i));
    return names ? tn_sd_strings_put(p->b, names, count) : 0;
}

/* Where the file of the op says what waits for what; its slots have the same
 * numbers in every format. */
static void copy_controls(struct putting *p, const struct tn_op *op,
                          uint32_t refs[])
{
    struct tn_span wire = tn_model_op_wire(p->w->model, op);
    struct tn_fb   fb;

    tn_fb_view(&fb, wire.source, p->error);
    struct tn_fb_table table = tn_fb_table_at(&fb, wire.offset);
    for (uint16_t slot = TN_TAGGED_OP_DEPS; slot <= TN_TAGGED_OP_FOR; slot++) {
        refs[slot] =
            put_names(p, tn_sd_names_read(&table, slot, p->b->arena, p->error));
    }
}

static void put_controls(struct putting *p, const struct tn_op *op,
                         uint32_t refs[])
{
    if (op->wire_length)
        copy_controls(p, op, refs);
    else
        refs[TN_TAGGED_OP_DEPS] = put_values(
            p, (uint64_t)op->first_input + op->input_count - op->control_count,
            op->control_count);
}

/* An op that its file gave no name for what it does has none here either. */
static bool has_type(struct putting *p, const struct tn_op *op)
{
    const struct tn_model *model = p->w->model;
    struct tn_span         wire  = tn_model_op_wire(model, op);
    struct tn_fb           fb;

    if (!wire.length)
        return true;
    tn_fb_view(&fb, wire.source, p->error);
    struct tn_fb_table table = tn_fb_table_at(&fb, wire.offset);
    return tn_fb_string(&table, model->dialect == &tn_dialect_nd4j_tagged
                                    ? TN_TAGGED_OP_OP_NAME
                                    : TN_SD_NODE_OP_NAME)
               .size > 0;
}

static uint32_t put_op(struct putting *p, uint32_t id)
{
    const struct tn_model *model = p->w->model;
    const struct tn_op    *op    = tn_model_op_at(model, id);
    uint32_t               refs[TN_TAGGED_OP_PROPERTIES + 1] = { 0 };
    struct tn_sd_args      args;

    if (tn_sd_args_read(model, id, p->content->calls, p->b->arena, &args,
                        p->error) != TN_OK)
        return 0;
    put_args(p, &args,
             tn_sd_args_op(p->content->calls, tn_model_name(model, op->type),
                           &args, p->error),
             refs);
    put_controls(p, op, refs);
    refs[TN_TAGGED_OP_OUTPUTS] =
        put_values(p, op->first_output, op->output_count);
    refs[TN_TAGGED_OP_INPUTS] =
        put_values(p, op->first_input, op->input_count - op->control_count);
    if (has_type(p, op))
        refs[TN_TAGGED_OP_OP_NAME] =
            tn_fb_put_string(p->b, tn_model_name(model, op->type));
    if (op->name != TN_NO_NAME)
        refs[TN_TAGGED_OP_NAME] =
            tn_fb_put_string(p->b, tn_model_name(model, op->name));
    tn_fb_begin(p->b);
    for (uint16_t slot = 0; slot <= TN_TAGGED_OP_PROPERTIES; slot++)
        tn_fb_add_ref(p->b, slot, refs[slot]);
    tn_fb_add_i8(p->b, TN_TAGGED_OP_TYPE, args.op_type, 0);
    tn_fb_add_i64(p->b, TN_TAGGED_OP_NUM, args.op_num, 0);
    return tn_fb_end(p->b);
}

static uint32_t make_op(struct tn_fb_builder *b, void *context, uint32_t index)
{
    struct putting p   = putting_with(context, b);
    uint32_t       ref = put_op(&p, p.content->first_op + index);

    if (tn_failed(b->error))
        tn_error_where(b->error, "operations[%" PRIu32 "]", index);
    return ref;
}

static uint32_t put_ops(struct putting *p)
{
    return p->content->op_count
               ? tn_fb_put_tables(p->b, p->content->op_count, make_op, p, NULL)
               : 0;
}

/* ---- graphs ------------------------------------------------------------- */

static uint32_t put_sub(struct putting *p, uint32_t graph, uint32_t table)
{
    const struct tn_graph *row = tn_model_graph_at(p->w->model, graph);
    uint32_t               name =
        tn_fb_put_string(p->b, tn_model_name(p->w->model, row->name));

    tn_fb_begin(p->b);
    tn_fb_add_ref(p->b, 0, name);
    tn_fb_add_ref(p->b, 1, table);
    return tn_fb_end(p->b);
}

/* Those whose parent this is; they have been built. */
static uint32_t put_subs(struct putting *p, uint32_t graph,
                         const uint32_t *tables)
{
    const struct tn_model *model = p->w->model;
    uint32_t               count = 0;
    uint32_t              *refs =
        tn_new(p->b->arena, uint32_t, model->graphs.count, p->error);

    for (uint32_t i = graph + 1; refs && i < model->graphs.count; i++)
        if (tn_model_graph_at(model, i)->parent_graph == graph)
            refs[count++] = put_sub(p, i, tables[i]);
    return count ? tn_fb_put_refs(p->b, refs, count) : 0;
}

static bool is_any_listed(const struct tn_sd_graph *graph)
{
    for (uint32_t i = 0; i < graph->variable_count; i++)
        if (graph->variables[i].is_listed)
            return true;
    return false;
}

/* What a file lists stays listed.  A graph that was made of another kind of
 * model knows its outputs; one of Deeplearning4j's has to guess. */
static uint32_t put_outputs(struct putting *p, uint32_t graph)
{
    const struct tn_tagged_detail *tagged = tn_tagged_detail_of(p->w->model);
    const struct tn_sd_detail     *detail = tn_sd_detail_of(p->w->model);
    struct tn_io_list io_list = tn_model_graph_at(p->w->model, graph)->outputs;
    bool is_other = tn_model_graph_at(p->w->model, graph)->has_other_io;

    if (graph != 0 ||
        (!tagged && detail && !is_other && !is_any_listed(&detail->graphs[0])))
        return 0;
    if (tagged && !is_other &&
        (!tagged->outputs.count || !p->w->model->is_edited))
        return put_names(p, tagged->outputs);
    for (uint32_t i = 0; i < io_list.count; i++)
        if (io_list.items[i].is_guessed)
            return 0;
    struct tn_bytes *names =
        tn_new(p->b->arena, struct tn_bytes, io_list.count, p->error);
    for (uint32_t i = 0; names && i < io_list.count; i++)
        names[i] = io_list.items[i].name;
    return put_names(p,
                     (struct tn_sd_names){ names, names ? io_list.count : 0 });
}

/* What the file says about itself: as many keys as values. */
static void put_metas(struct putting *p, uint32_t graph, uint32_t *keys,
                      uint32_t *values)
{
    struct tn_sd_metas metas;
    struct tn_bytes   *texts;

    if (tn_sd_metas_now(p->w->model, p->w->options, graph, graph == 0, true,
                        p->b->arena, &metas, p->error) != TN_OK)
        return;
    texts = tn_new(p->b->arena, struct tn_bytes, metas.count, p->error);
    for (uint32_t i = 0; texts && i < metas.count; i++)
        texts[i] = metas.items[i].value;
    *values =
        put_names(p, (struct tn_sd_names){ texts, texts ? metas.count : 0 });
    for (uint32_t i = 0; texts && i < metas.count; i++)
        texts[i] = metas.items[i].key;
    *keys =
        put_names(p, (struct tn_sd_names){ texts, texts ? metas.count : 0 });
}

static uint32_t put_graph(struct putting *p, uint32_t graph,
                          const uint32_t *tables)
{
    const struct tn_sd_content *content                       = p->content;
    uint32_t                    refs[TN_TAGGED_SUBGRAPHS + 1] = { 0 };

    refs[TN_TAGGED_SUBGRAPHS] = put_subs(p, graph, tables);
    put_metas(p, graph, &refs[TN_TAGGED_META_KEYS],
              &refs[TN_TAGGED_META_VALUES]);
    refs[TN_TAGGED_OUTPUTS]    = put_outputs(p, graph);
    refs[TN_TAGGED_LOSS]       = put_names(p, content->loss);
    refs[TN_TAGGED_OPERATIONS] = put_ops(p);
    refs[TN_TAGGED_VARIABLES]  = put_variables(p);
    tn_fb_begin(p->b);
    tn_fb_add_u32(p->b, TN_TAGGED_VERSION_SLOT, TN_TAGGED_VERSION, 0);
    for (uint16_t slot = TN_TAGGED_VARIABLES; slot <= TN_TAGGED_SUBGRAPHS;
         slot++)
        tn_fb_add_ref(p->b, slot, refs[slot]);
    return tn_fb_end(p->b);
}

/* In the arena, since operations and variables are made again with it. */
static struct putting *new_putting(struct tn_tagged_writer *w, uint32_t graph,
                                   struct tn_fb_builder *b, uint32_t *nothing)
{
    struct putting *p = tn_new(&w->arena, struct putting, 1, w->error);

    if (p)
        *p = (struct putting){ w, &w->plans[graph], b, w->error, nothing };
    return p;
}

enum tn_status tn_tagged_put_graph(struct tn_tagged_writer *w,
                                   struct tn_rope          *rope)
{
    uint32_t *tables  = tn_new(&w->arena, uint32_t, w->plan_count, w->error);
    uint32_t *nothing = tn_new(&w->arena, uint32_t, 1, w->error);
    struct tn_fb_builder b;

    tn_fb_build_init(&b, &w->arena, w->error);
    for (uint32_t i = w->plan_count; !tn_failed(w->error) && i > 0; i--) {
        struct putting *p = new_putting(w, i - 1, &b, nothing);
        if (p)
            tables[i - 1] = put_graph(p, i - 1, tables);
    }
    if (!tn_failed(w->error))
        tn_fb_finish(&b, tables[0], "SDGR", rope);
    tn_fb_build_done(&b);
    return w->error->status;
}

/* ---- trainingConfig.fb -------------------------------------------------- */

enum tn_status tn_tagged_put_training(struct tn_tagged_writer *w,
                                      struct tn_rope          *rope)
{
    struct tn_bytes      json = w->plans[0].training;
    struct tn_fb_builder b;

    tn_fb_build_init(&b, &w->arena, w->error);
    uint32_t keys = tn_sd_strings_put(&b, w->columns.items, w->columns.count);
    uint32_t text = json.data ? tn_fb_put_string(&b, json) : 0;
    tn_fb_begin(&b);
    tn_fb_add_u32(&b, TN_TAGGED_TRAINING_VERSION, TN_TAGGED_VERSION, 0);
    tn_fb_add_ref(&b, TN_TAGGED_TRAINING_JSON, text);
    tn_fb_add_ref(&b, TN_TAGGED_TRAINING_KEYS, keys);
    tn_fb_finish(&b, tn_fb_end(&b), "SDTC", rope);
    tn_fb_build_done(&b);
    return w->error->status;
}
