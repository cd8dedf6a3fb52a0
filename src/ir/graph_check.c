/* graph_check.c - checks any graph: values are defined once, and before they
 * are used */
#include "ir/graph_check.h"

#include "ir/attr.h"

static uint64_t offset_of(const struct tn_op *op)
{
    return op->wire_length ? op->wire_offset : TN_NOWHERE;
}

static const char *file_of(const struct tn_model *model, const struct tn_op *op)
{
    const struct tn_source *source = tn_model_op_wire(model, op).source;

    return source ? source->name : "";
}

static void complain(const struct tn_model *model, struct tn_report *report,
                     uint32_t op, const char *rule, struct tn_bytes name,
                     const char *what)
{
    const struct tn_op *o = tn_model_op_at(model, op);
    char                where[120];

    tn_op_path(model, op, where, sizeof where);
    tn_report_format(report, TN_LEVEL_ERROR, rule, file_of(model, o),
                     offset_of(o), where, "'%.*s' %s", TN_FMT(name), what);
}

/* False: an input is produced by the op itself or later. */
static bool check_inputs(const struct tn_model *model, uint32_t op,
                         struct tn_report *report)
{
    const struct tn_op *o        = tn_model_op_at(model, op);
    bool                is_after = true;

    for (uint32_t i = 0; i < o->input_count; i++) {
        uint32_t id = tn_model_ref_at(model, (uint64_t)o->first_input + i);
        if (id == TN_NONE)
            continue;
        const struct tn_value *value = tn_model_value_at(model, id);
        bool is_later = value->kind == TN_VALUE_OUTPUT && value->producer >= op;
        is_after &= !is_later;
        if (value->kind == TN_VALUE_UNDEFINED)
            complain(model, report, op, "dangling-input",
                     tn_model_name(model, value->name),
                     "is an input, but is not defined anywhere");
        else if (model->dialect->is_ordered && is_later)
            complain(model, report, op, "not-topological",
                     tn_model_name(model, value->name),
                     "is an input, but is produced here or later");
    }
    return is_after;
}

static void check_outputs(const struct tn_model *model, uint32_t op,
                          struct tn_report *report)
{
    const struct tn_op *o = tn_model_op_at(model, op);

    for (uint32_t i = 0; i < o->output_count; i++) {
        uint32_t id = tn_model_ref_at(model, (uint64_t)o->first_output + i);
        if (id == TN_NONE)
            continue;
        const struct tn_value *value = tn_model_value_at(model, id);
        if (value->kind != TN_VALUE_OUTPUT || value->producer != op ||
            value->output != i)
            complain(model, report, op, "duplicate-name",
                     tn_model_name(model, value->name),
                     "is an output and defined already");
    }
}

/* ---- cycles: depth first along inputs, with a stack of our own ---------- */

enum colour { WHITE, GREY, BLACK };

struct frame {
    uint32_t op;
    uint32_t next_input;
};

struct search {
    const struct tn_model *model;
    struct tn_report      *report;
    struct tn_error       *error;
    uint8_t               *colours;
    struct tn_list         stack; /* struct frame */
};

static bool may_close_a_cycle(const struct tn_model *model, uint32_t op)
{
    const char *const *loop = model->dialect->loop_ops;
    struct tn_bytes    type = tn_model_op(model, op).type;

    for (; loop && *loop; loop++)
        if (tn_bytes_is(type, *loop))
            return true;
    return false;
}

/* The op that must run first because it makes input `index`; TN_NONE: no op of
 * this graph makes it. */
static uint32_t predecessor(const struct tn_model *model, uint32_t op,
                            uint32_t index)
{
    uint32_t id = tn_op_input(model, op, index);

    if (id == TN_NONE)
        return TN_NONE;
    const struct tn_value *value = tn_model_value_at(model, id);
    if (value->kind != TN_VALUE_OUTPUT || value->producer == TN_NONE)
        return TN_NONE;
    return may_close_a_cycle(model, value->producer) ? TN_NONE
                                                     : value->producer;
}

static bool push(struct search *search, uint32_t op)
{
    struct frame *frame =
        tn_list_push(&search->stack, struct frame, search->error);

    if (!frame)
        return false;
    *frame                = (struct frame){ op, 0 };
    search->colours[op] = GREY;
    return true;
}

static void step(struct search *search)
{
    const struct tn_model *model = search->model;
    struct frame          *frame = tn_list_at(&search->stack, struct frame,
                                              search->stack.count - 1);

    if (frame->next_input == tn_model_op_at(model, frame->op)->input_count) {
        search->colours[frame->op] = BLACK;
        search->stack.count--;
        return;
    }
    uint32_t op     = frame->op;
    uint32_t before = predecessor(model, op, frame->next_input++);
    if (before == TN_NONE || search->colours[before] == BLACK)
        return;
    if (search->colours[before] == WHITE)
        push(search, before);
    else
        complain(model, search->report, op, "cycle",
                 tn_model_op(model, before).name,
                 "must run before this node and waits for it");
}

static void find_cycles(struct search *search)
{
    uint32_t count = tn_model_op_count(search->model);

    for (uint32_t op = 0; op < count; op++) {
        if (search->colours[op] != WHITE || !push(search, op))
            continue;
        while (search->stack.count && !search->report->is_stopped)
            step(search);
    }
}

static enum tn_status check_cycles(const struct tn_model *model,
                                   struct tn_report      *report,
                                   struct tn_error       *error)
{
    uint32_t      count = tn_model_op_count(model);
    struct search search = { model, report, error, NULL, { 0 } };

    if (count == 0)
        return TN_OK;
    tn_list_init(&search.stack, model->memory, sizeof(struct frame));
    search.colours = tn_memory_resize(model->memory, NULL, 0, count, error);
    if (search.colours) {
        memset(search.colours, WHITE, count);
        find_cycles(&search);
    }
    tn_memory_free(model->memory, search.colours, count);
    tn_list_done(&search.stack);
    return error->status;
}

enum tn_status tn_graph_check(const struct tn_model *model,
                              struct tn_report *report, struct tn_error *error)
{
    uint32_t count      = tn_model_op_count(model);
    bool     is_ordered = true; /* then there are no cycles */

    for (uint32_t op = 0; op < count && !report->is_stopped; op++) {
        is_ordered &= check_inputs(model, op, report);
        check_outputs(model, op, report);
    }
    return is_ordered ? TN_OK : check_cycles(model, report, error);
}
