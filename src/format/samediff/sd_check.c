/*
 * sd_check.c - checks whether a SameDiff model is consistent
 *
 * Every rule has a stable name, listed in docs/formats/samediff.md.  What
 * occurs in Deeplearning4j's own files is a note at most.
 */
#include <stdio.h>

#include "base/json_read.h"
#include "base/utf8.h"
#include "format/samediff/sd_check.h"
#include "format/samediff/tagged.h"
#include "ir/graph_check.h"
#include "ir/vocab_check.h"

/* ---- element types and ranks of values, against what operations of nd4j take
 * - */

/*
 * Types of arrays and placeholders are known.  Declared types of results are
 * ignored: kernels determine them, as the vocabulary says.
 */

typedef void noting(uint8_t *to, enum tn_dtype dtype, bool has_rank,
                    uint32_t rank);

static void note_type(uint8_t *to, enum tn_dtype dtype, bool has_rank,
                      uint32_t rank)
{
    (void)has_rank;
    (void)rank;
    if (dtype != TN_UNDEFINED)
        *to = TN_TYPE(dtype, TN_WRAP_NONE);
}

/* No shape and that of a scalar look the same in some files. */
static void note_rank(uint8_t *to, enum tn_dtype dtype, bool has_rank,
                      uint32_t rank)
{
    (void)dtype;
    if (has_rank && rank)
        *to = TN_RANK(rank);
}

static void note_inputs(const struct tn_model *model, uint32_t graph,
                        uint8_t *by_value, noting *note)
{
    const struct tn_io_list *inputs = &tn_model_graph_at(model, graph)->inputs;

    for (uint32_t i = 0; i < inputs->count; i++) {
        const struct tn_io *io    = &inputs->items[i];
        uint32_t            value = tn_model_find_named(model, graph, io->name);
        if (value != TN_NONE && !io->note[0])
            note(&by_value[value], io->dtype, io->has_rank, io->rank);
    }
}

static void note_array(const struct tn_model *model, uint64_t index,
                       uint8_t *by_value, noting *note)
{
    const struct tn_tensor *row =
        tn_list_at(&model->tensors, struct tn_tensor, index);
    uint32_t value;

    if (row->node != TN_NONE || row->graph == TN_NONE ||
        row->name == TN_NO_NAME ||
        (row->role != TN_ROLE_INITIALIZER && row->role != TN_ROLE_VARIABLE))
        return;
    value = tn_model_find_value(model, row->graph, row->name);
    if (value != TN_NONE)
        note(&by_value[value], row->elements.shape.dtype, true,
             row->elements.shape.rank);
}

static void note_all(const struct tn_model *model, uint8_t *by_value,
                     noting *note)
{
    for (uint32_t i = 0; i < model->graphs.count; i++)
        note_inputs(model, i, by_value, note);
    for (uint64_t i = 0; i < model->tensors.count; i++)
        note_array(model, i, by_value, note);
}

static void declare(void *context, uint8_t *types)
{
    note_all(context, types, note_type);
}

static void declare_ranks(void *context, uint8_t *ranks)
{
    note_all(context, ranks, note_rank);
}

static bool is_merge(void *context, uint32_t op)
{
    const struct tn_model *model = context;

    return tn_bytes_is(tn_model_name(model, tn_model_op_at(model, op)->type),
                       "merge");
}

enum tn_status tn_sd_check_types(const struct tn_model *model,
                                 struct tn_report      *report,
                                 struct tn_error       *error)
{
    struct tn_vocab_use use = {
        .context        = (void *)(uintptr_t)model,
        .declare        = declare,
        .declare_ranks  = declare_ranks,
        .is_merge       = is_merge,
        .compares_types = true,
        .half           = TN_VOCAB_VALUES,
        .file           = "",
    };

    return tn_vocab_check_builtin(model, &use, "nd4j", report, error);
}

struct checking {
    const struct tn_model     *model;
    const struct tn_sd_detail *detail;
    bool                       is_all; /* else nothing but the graph          */
    struct tn_report          *report;
    struct tn_error           *error;
    struct tn_arena            arena;
    struct tn_nd4j_hasher      hasher;

    /* of the graph being checked */
    uint32_t                  graph;
    const struct tn_sd_graph *row;
    const char               *path; /* "" or "subInstances[0]."               */
    struct tn_intern          names;
    const struct tn_sd_variable **by_name; /* by id of the name               */
};

#define FIND(c, level, rule, offset, where, ...)                               \
    tn_report_format((c)->report, level, rule, (c)->row->source->name, offset, \
                     where, __VA_ARGS__)

static const char *variable_path(const struct checking       *c,
                                 const struct tn_sd_variable *v, char *to,
                                 size_t size)
{
    snprintf(to, size, "%svariables[%td]", c->path, v - c->row->variables);
    return to;
}

static const struct tn_sd_variable *find(const struct checking *c,
                                         struct tn_bytes        name)
{
    uint32_t id = tn_intern_find(&c->names, name);

    return id == TN_NO_NAME ? NULL : c->by_name[id];
}

/* ---- variables ---------------------------------------------------------- */

static void check_data(struct checking *c, const struct tn_sd_variable *v,
                       const char *path)
{
    const struct tn_tensor *t     = tn_model_tensor(c->model, v->tensor);
    enum tn_dtype           dtype = tn_tensor_dtype(t);
    struct tn_error         error = TN_ERROR_INIT;
    uint64_t                count = tn_tensor_count(t);

    if (count && v->dtype != tn_sd_dtype_code(dtype))
        FIND(c, TN_LEVEL_ERROR, "wrong-dtype", v->at, path,
             "'%.*s' is %s, its array is %s", TN_FMT(v->name),
             tn_dtype_name(tn_sd_dtype(v->dtype)), tn_dtype_name(dtype));
    if (v->doubt)
        FIND(c, count ? TN_LEVEL_WARNING : TN_LEVEL_NOTE, "wrong-flags",
             t->wire.offset, path, "%s", v->doubt);
    if (tn_payload_check(&t->elements, &error) == TN_OK)
        return;
    if (tn_machine_failed(&error))
        *c->error = error;
    else
        FIND(c, TN_LEVEL_ERROR, "bad-strings", error.offset, path, "%s",
             error.what);
}

/* Only strings may be missing: SDNB's writer in Deeplearning4j drops them. */
static void check_missing(struct checking *c, const struct tn_sd_variable *v,
                          const char *path)
{
    if (v->kind != TN_SD_VARIABLE && v->kind != TN_SD_CONSTANT)
        return;
    if (v->dtype == TN_SD_UTF8 && tn_sd_is_plain(c->model))
        FIND(c, TN_LEVEL_WARNING, "dropped-strings", v->at, path,
             "'%.*s' is of strings, which its writer did not write",
             TN_FMT(v->name));
    else
        FIND(c, TN_LEVEL_ERROR, "missing-data", v->at, path,
             "'%.*s' is %s and has no array", TN_FMT(v->name),
             v->kind == TN_SD_VARIABLE ? "trained" : "constant");
}

static void check_variable(struct checking *c, const struct tn_sd_variable *v)
{
    char path[200];

    variable_path(c, v, path, sizeof path);
    if (v->kind < 0 || v->kind > TN_SD_SEQUENCE)
        FIND(c, TN_LEVEL_ERROR, "unknown-kind", v->at, path,
             "a variable of kind %d", v->kind);
    else if (v->kind == TN_SD_SEQUENCE)
        FIND(c, TN_LEVEL_WARNING, "sequence", v->at, path,
             "'%.*s' is a sequence, which no file can hold", TN_FMT(v->name));
    if (!tn_sd_dtype_name(v->dtype))
        FIND(c, TN_LEVEL_ERROR, "unknown-dtype", v->at, path,
             "elements of type %d", v->dtype);
    if (!tn_utf8_is_valid(v->name))
        FIND(c, TN_LEVEL_WARNING, "not-utf8", v->at, path,
             "a name that is not UTF-8");
    if (v->tensor != TN_NONE)
        check_data(c, v, path);
    else
        check_missing(c, v, path);
}

static void index_variables(struct checking *c)
{
    struct tn_pairs ids;
    char            path[200];

    tn_pairs_init(&ids, c->model->memory);
    c->by_name = tn_new(&c->arena, const struct tn_sd_variable *,
                        c->row->variable_count, c->error);
    for (uint32_t i = 0; i < c->row->variable_count && !tn_failed(c->error);
         i++) {
        const struct tn_sd_variable *v     = &c->row->variables[i];
        uint32_t                     known = tn_intern_count(&c->names);
        variable_path(c, v, path, sizeof path);
        if (tn_intern_borrow(&c->names, v->name, c->error) == known)
            c->by_name[known] = v;
        else if (!tn_failed(c->error))
            FIND(c, TN_LEVEL_ERROR, "duplicate-variable", v->at, path,
                 "'%.*s' once more", TN_FMT(v->name));
        if (v->has_id && tn_pairs_add(&ids, (uint32_t)v->first,
                                      (uint32_t)v->second, i, c->error) != i)
            FIND(c, TN_LEVEL_ERROR, "duplicate-number", v->at, path,
                 "number (%" PRId32 ", %" PRId32 ") once more", v->first,
                 v->second);
    }
    tn_pairs_done(&ids);
}

/* ---- lists of names ----------------------------------------------------- */

static void check_loss(struct checking *c)
{
    for (uint32_t i = 0; i < c->row->loss.count; i++)
        if (!find(c, c->row->loss.items[i]))
            FIND(c, TN_LEVEL_ERROR, "unknown-loss", c->row->at, "lossVariables",
                 "'%.*s' is not a variable", TN_FMT(c->row->loss.items[i]));
}

static void check_placeholders(struct checking *c)
{
    const struct tn_sd_names *names = &c->row->placeholders;
    uint32_t                  count = 0;

    for (uint32_t i = 0; i < names->count; i++) {
        const struct tn_sd_variable *v = find(c, names->items[i]);
        if (!v || v->kind != TN_SD_PLACEHOLDER)
            FIND(c, TN_LEVEL_ERROR, "wrong-placeholders", c->row->at,
                 "placeholders", "'%.*s' is not a placeholder",
                 TN_FMT(names->items[i]));
        count += v && v->kind == TN_SD_PLACEHOLDER;
    }
    for (uint32_t i = 0; i < c->row->variable_count; i++)
        count -= c->row->variables[i].kind == TN_SD_PLACEHOLDER;
    if ((int32_t)count < 0)
        FIND(c, TN_LEVEL_ERROR, "wrong-placeholders", c->row->at,
             "placeholders", "%" PRId32 " of the placeholders not in the list",
             -(int32_t)count);
}

/* ---- operations --------------------------------------------------------- */

struct node {
    uint32_t           ordinal;
    uint64_t           at;
    struct tn_fb_table table;
    char               path[200];
};

static void check_output(struct checking *c, const struct node *n,
                         struct tn_bytes name, uint32_t position)
{
    const struct tn_sd_variable *v  = find(c, name);
    int32_t                      id = tn_fb_i32(&n->table, TN_SD_NODE_ID, 0);

    if (!v)
        FIND(c, TN_LEVEL_ERROR, "unknown-output", n->at, n->path,
             "output '%.*s' is not a variable", TN_FMT(name));
    else if (v->has_id && (v->first != id || v->second != (int32_t)position))
        FIND(c, TN_LEVEL_ERROR, "wrong-number", v->at, n->path,
             "output %" PRIu32 " of node %" PRId32 " has the number (%" PRId32
             ", %" PRId32 ")",
             position, id, v->first, v->second);
}

static void check_outputs(struct checking *c, const struct node *n)
{
    struct tn_fb_vector names =
        tn_fb_vector(&n->table, TN_SD_NODE_OUTPUT_NAMES, 4);
    struct tn_fb_vector types =
        tn_fb_vector(&n->table, TN_SD_NODE_OUTPUT_TYPES, 1);

    for (uint32_t i = 0; i < names.count; i++)
        check_output(c, n, tn_fb_vector_string(&names, i), i);
    if (types.count && types.count != names.count)
        FIND(c, TN_LEVEL_ERROR, "wrong-output-types", n->at, n->path,
             "%" PRIu32 " types of %" PRIu32 " outputs", types.count,
             names.count);
}

static void check_op(struct checking *c, const struct node *n)
{
    int             type = tn_fb_i8(&n->table, TN_SD_NODE_OP_TYPE, 0);
    int64_t         num  = tn_fb_i64(&n->table, TN_SD_NODE_OP_NUM, 0);
    struct tn_bytes name = tn_fb_string(&n->table, TN_SD_NODE_OP_NAME);

    if (!tn_sd_op_type_name(type))
        FIND(c, TN_LEVEL_ERROR, "unknown-op-type", n->at, n->path,
             "an operation of type %d", type);
    if (type == TN_SD_CUSTOM && name.size &&
        !tn_sd_hash_is(&c->hasher, name, num))
        FIND(c, TN_LEVEL_NOTE, "wrong-hash", n->at, n->path,
             "number %" PRId64 " is not that of '%.*s'", num, TN_FMT(name));
    if (tn_bytes_is(name, "invoke") && c->detail->graphs[0].sub_count == 0)
        FIND(c, TN_LEVEL_NOTE, "missing-subgraph", n->at, n->path,
             "calls a graph that the file does not have");
}

static void check_controls(struct checking *c, const struct node *n,
                           const struct tn_intern *names)
{
    for (uint16_t slot = TN_SD_NODE_CONTROL_DEPS;
         slot <= TN_SD_NODE_VAR_CONTROL_DEPS; slot++) {
        struct tn_fb_vector deps = tn_fb_vector(&n->table, slot, 4);
        for (uint32_t i = 0; i < deps.count; i++) {
            struct tn_bytes name = tn_fb_vector_string(&deps, i);
            if (!find(c, name) && tn_intern_find(names, name) == TN_NO_NAME)
                FIND(c, TN_LEVEL_NOTE, "stale-control", n->at, n->path,
                     "waits for '%.*s', which is nothing", TN_FMT(name));
        }
    }
}

static struct node node_at(struct checking *c, struct tn_fb *fb, uint32_t i)
{
    const struct tn_graph *graph = tn_model_graph_at(c->model, c->graph);
    struct node            n     = { .ordinal = i };

    n.at    = tn_model_op_at(c->model, graph->first_op + i)->wire_offset;
    n.table = tn_fb_table_at(fb, n.at);
    snprintf(n.path, sizeof n.path, "%snodes[%" PRIu32 "]", c->path, i);
    return n;
}

static void check_name(struct checking *c, const struct node *n,
                       struct tn_intern *names)
{
    struct tn_bytes name  = tn_fb_string(&n->table, TN_SD_NODE_NAME);
    uint32_t        known = tn_intern_count(names);

    if (name.size && tn_intern_borrow(names, name, c->error) != known &&
        !tn_failed(c->error))
        FIND(c, TN_LEVEL_ERROR, "duplicate-node", n->at, n->path,
             "'%.*s' once more", TN_FMT(name));
}

static void check_nodes(struct checking *c)
{
    const struct tn_graph *graph = tn_model_graph_at(c->model, c->graph);
    struct tn_intern       names;
    struct tn_fb           fb;

    tn_fb_view(&fb, c->row->source, c->error);
    tn_intern_init(&names, &c->arena);
    for (uint32_t i = 0; i < graph->op_count && !tn_failed(c->error); i++) {
        struct node n = node_at(c, &fb, i);
        check_name(c, &n, &names);
    }
    for (uint32_t i = 0;
         i < graph->op_count && !tn_failed(c->error) && !c->report->is_stopped;
         i++) {
        struct node n = node_at(c, &fb, i);
        check_outputs(c, &n);
        check_controls(c, &n, &names);
        check_op(c, &n);
    }
    tn_intern_done(&names);
    if (graph->op_count == 0 && c->graph == 0)
        FIND(c, TN_LEVEL_WARNING, "no-nodes", c->row->at, "",
             "a graph without operations");
}

/* ---- training ----------------------------------------------------------- */

static void check_state(struct checking *c, const struct tn_sd_state *state,
                        const char *path)
{
    const struct tn_sd_variable *v = find(c, state->param);

    if (state->keys.count != state->value_count)
        FIND(c, TN_LEVEL_ERROR, "wrong-state", state->at, path,
             "%" PRIu32 " keys and %" PRIu32 " arrays", state->keys.count,
             state->value_count);
    if (!v)
        FIND(c, TN_LEVEL_ERROR, "unknown-parameter", state->at, path,
             "'%.*s' is not a variable", TN_FMT(state->param));
    if (!v || v->tensor == TN_NONE)
        return;
    const struct tn_tensor *param = tn_model_tensor(c->model, v->tensor);
    for (uint32_t i = 0; i < state->value_count; i++) {
        if (state->tensors[i] == TN_NONE)
            continue;
        const struct tn_tensor *t =
            tn_model_tensor(c->model, state->tensors[i]);
        if (!tn_shape_equal(&t->elements.shape, &param->elements.shape))
            FIND(c, TN_LEVEL_ERROR, "wrong-state", t->wire.offset, path,
                 "an array of another type or shape than '%.*s' has",
                 TN_FMT(state->param));
    }
}

static void check_config(struct checking *c)
{
    struct tn_error  broken = TN_ERROR_INIT;
    struct tn_cursor cursor = tn_cursor_bytes(
        c->detail->training, c->detail->training_at + 4, &broken);
    struct tn_json_reader reader;

    tn_json_open(&reader, &cursor, c->model->memory);
    while (tn_json_next(&reader) != TN_JSON_END)
        ;
    tn_json_close(&reader);
    if (tn_machine_failed(&broken))
        *c->error = broken;
    else if (tn_failed(&broken))
        FIND(c, TN_LEVEL_ERROR, "bad-training", broken.offset, "trainingConfig",
             "%s", broken.what);
}

static void check_training(struct checking *c)
{
    char path[60];

    for (uint32_t i = 0; i < c->detail->state_count; i++) {
        snprintf(path, sizeof path, "updaterState[%" PRIu32 "]", i);
        check_state(c, &c->detail->states[i], path);
    }
    if (c->detail->training.size)
        check_config(c);
    else if (c->detail->state_count)
        FIND(c, TN_LEVEL_WARNING, "no-training", c->row->at, "updaterState",
             "states of an updater, and no training configuration");
}

/* ---- from the top ------------------------------------------------------- */

static void check_graph(struct checking *c, uint32_t graph)
{
    c->graph = graph;
    c->row   = &c->detail->graphs[graph];
    c->path  = graph == 0
                   ? ""
                   : tn_text_format(&c->arena, c->error, "%s.",
                                    tn_model_graph_at(c->model, graph)->path);
    if (!c->path)
        return;
    tn_intern_init(&c->names, &c->arena);
    index_variables(c);
    for (uint32_t i = 0; c->is_all && i < c->row->variable_count &&
                         !tn_failed(c->error) && !c->report->is_stopped;
         i++)
        check_variable(c, &c->row->variables[i]);
    if (c->is_all)
        check_loss(c);
    if (c->row->has_placeholders)
        check_placeholders(c);
    if (!tn_failed(c->error))
        check_nodes(c);
    if (!tn_failed(c->error) && graph == 0 && c->is_all)
        check_training(c);
    tn_intern_done(&c->names);
}

static enum tn_status run(const struct tn_model *model, bool is_all,
                          struct tn_report *report, struct tn_error *error)
{
    struct checking c = { .model  = model,
                          .detail = tn_sd_detail_of(model),
                          .is_all = is_all,
                          .report = report,
                          .error  = error };

    tn_arena_init(&c.arena, model->memory);
    tn_nd4j_hasher_init(&c.hasher);
    for (uint32_t i = 0;
         i < c.detail->graph_count && !tn_failed(error) && !report->is_stopped;
         i++)
        check_graph(&c, i);
    if (c.detail->nulls && is_all)
        FIND(&c, TN_LEVEL_WARNING, "null-array", c.detail->null_where,
             "properties", "%" PRIu64 " arrays that are nothing",
             c.detail->nulls);
    tn_arena_done(&c.arena);
    return error->status;
}

enum tn_status tn_sd_check(struct tn_bundle      *bundle,
                           const struct tn_model *model,
                           struct tn_report *report, struct tn_error *error)
{
    (void)bundle;
    TN_TRY(tn_graph_check(model, report, error));
    TN_TRY(tn_sd_check_types(model, report, error));
    return run(model, true, report, error);
}

enum tn_status tn_sd_check_graph(const struct tn_model *model,
                                 struct tn_report      *report,
                                 struct tn_error       *error)
{
    TN_TRY(tn_graph_check(model, report, error));
    TN_TRY(tn_sd_check_types(model, report, error));
    if (model->is_edited)
        return TN_OK;
    if (model->dialect == &tn_dialect_nd4j_tagged)
        return tn_tagged_check_args(model, report, error);
    if (model->dialect != &tn_dialect_nd4j)
        return TN_OK;
    return run(model, false, report, error);
}
