/*
 * tagged_args.c - whether arguments have the names that their operator uses
 *
 * The names are those of the vocabulary: rules/nd4j.ops.  In a file of version
 * 1 without names there is nothing to check.  For an unknown operator, only
 * names that are used twice are reported.
 */
#include "format/samediff/tagged.h"

#include <stdio.h>

struct checking {
    const struct tn_model *model;
    struct tn_report      *report;
    struct tn_error       *error;
    struct tn_arena        arena; /* of one operation                       */
    struct tn_arena        book;  /* of the vocabulary                      */
    struct tn_sd_calls     calls;

    /* of the operation and list at hand */
    uint32_t                  op;
    const struct tn_vocab_op *known;
    enum tn_vocab_list        list;
    const char               *path;
};

static void find(struct checking *c, const char *rule,
                 enum tn_finding_level level, struct tn_bytes name,
                 const char *what)
{
    const struct tn_op *row  = tn_model_op_at(c->model, c->op);
    struct tn_span      wire = tn_model_op_wire(c->model, row);
    char                where[240];

    snprintf(where, sizeof where, "%s.%s", c->path, tn_call_list_name(c->list));
    tn_report_format(c->report, level, rule, wire.source->name, wire.offset,
                     where, "'%.*s' of %.*s %s", TN_FMT(name),
                     TN_FMT(tn_model_name(c->model, row->type)), what);
}

static void tell(void *context, enum tn_arg_fault fault, uint32_t index,
                 struct tn_bytes name)
{
    static const char *const rules[] = {
        [TN_ARG_UNKNOWN]   = "unknown-argument",
        [TN_ARG_TWICE]     = "duplicate-argument",
        [TN_ARG_SPLIT]     = "duplicate-argument",
        [TN_ARG_SAME_SLOT] = "duplicate-argument",
        [TN_ARG_MISSING]   = "missing-argument",
    };

    (void)index;
    find(context, rules[fault], TN_LEVEL_ERROR, name,
         tn_arg_fault_words(fault));
}

/* ---- one list ----------------------------------------------------------- */

static bool is_named(struct tn_sd_names names)
{
    for (uint32_t i = 0; i < names.count; i++)
        if (names.items[i].size)
            return true;
    return false;
}

/* Beside arguments with names, one that could have one. */
static void check_unnamed(struct checking *c, struct tn_sd_names names)
{
    for (uint32_t i = 0; i < names.count; i++) {
        struct tn_bytes name = tn_arg_name(c->known, c->list, i);
        if (!names.items[i].size && name.size)
            find(c, "unnamed-argument", TN_LEVEL_WARNING, name,
                 "stands there without its name");
    }
}

/* Names repeat where an argument is a list, and there side by side. */
static void check_strange(struct checking *c, struct tn_sd_names names)
{
    struct tn_intern known;

    tn_intern_init(&known, &c->arena);
    for (uint32_t i = 0; i < names.count && !tn_failed(c->error); i++) {
        struct tn_bytes name  = names.items[i];
        uint32_t        count = tn_intern_count(&known);
        if (!name.size || (i && tn_bytes_equal(name, names.items[i - 1])))
            continue;
        if (tn_intern_borrow(&known, name, c->error) != count &&
            !tn_failed(c->error))
            find(c, "duplicate-argument", TN_LEVEL_ERROR, name,
                 tn_arg_fault_words(TN_ARG_SPLIT));
    }
    tn_intern_done(&known);
}

static bool has_name(struct tn_sd_names names, struct tn_bytes name)
{
    for (uint32_t i = 0; i < names.count; i++)
        if (tn_bytes_equal(names.items[i], name))
            return true;
    return false;
}

/* Required arguments that no earlier slot would miss.  Old writers left out
 * whole lists: one without names proves nothing. */
static void check_required(struct checking *c, struct tn_sd_names names)
{
    for (uint32_t i = 0; is_named(names) && i < c->known->attr_count; i++) {
        const struct tn_vocab_attr *attr = &c->known->attrs[i];
        bool                        stands_there =
            attr->slot < names.count && !names.items[attr->slot].size;
        if (attr->list == c->list && attr->is_required && !stands_there &&
            !has_name(names, attr->name))
            find(c, "missing-argument", TN_LEVEL_ERROR, attr->name,
                 "is not given");
    }
}

static void check_list(struct checking *c, struct tn_sd_names names)
{
    struct tn_arg_slots places;

    if (!c->known) {
        check_strange(c, names);
        return;
    }
    if (!tn_args_assign(c->known, c->list, names.items, names.count, &c->arena,
                        &places, tell, c, c->error) ||
        tn_failed(c->error))
        return;
    check_unnamed(c, names);
    check_required(c, names);
}

/* ---- operations --------------------------------------------------------- */

static const uint16_t name_slots[TN_SD_ARG_LISTS] = {
    TN_TAGGED_OP_I_NAMES, TN_TAGGED_OP_T_NAMES, TN_TAGGED_OP_B_NAMES,
    TN_TAGGED_OP_D_NAMES, TN_TAGGED_OP_S_NAMES,
};

static void check_op(struct checking *c, const struct tn_fb_table *table)
{
    struct tn_sd_args args = { .op_type = tn_fb_i8(table, TN_TAGGED_OP_TYPE, 0),
                               .op_num =
                                   tn_fb_i64(table, TN_TAGGED_OP_NUM, 0) };
    struct tn_sd_names names[TN_SD_ARG_LISTS];
    bool               is_any = false;
    char               path[200];

    for (int i = 0; i < TN_SD_ARG_LISTS; i++) {
        names[i] = tn_sd_names_read(table, name_slots[i], &c->arena, c->error);
        is_any |= is_named(names[i]);
    }
    if (!is_any || tn_failed(c->error))
        return;
    tn_op_path(c->model, c->op, path, sizeof path);
    c->path  = path;
    c->known = tn_sd_args_op(
        &c->calls,
        tn_model_name(c->model, tn_model_op_at(c->model, c->op)->type), &args,
        c->error);
    for (int i = 0; i < TN_SD_ARG_LISTS && !tn_failed(c->error); i++) {
        c->list = (enum tn_vocab_list)(TN_VOCAB_IARGS + i);
        check_list(c, names[i]);
    }
}

enum tn_status tn_tagged_check_args(const struct tn_model *model,
                                    struct tn_report      *report,
                                    struct tn_error       *error)
{
    struct checking c = { .model = model, .report = report, .error = error };

    tn_arena_init(&c.book, model->memory);
    c.calls.arena = &c.book;
    for (c.op = 0;
         c.op < model->ops.count && !tn_failed(error) && !report->is_stopped;
         c.op++) {
        const struct tn_op *row  = tn_model_op_at(model, c.op);
        struct tn_span      wire = tn_model_op_wire(model, row);
        struct tn_fb        fb;
        if (!wire.length)
            continue;
        tn_arena_init(&c.arena, model->memory);
        tn_fb_view(&fb, wire.source, error);
        struct tn_fb_table table = tn_fb_table_at(&fb, wire.offset);
        check_op(&c, &table);
        tn_arena_done(&c.arena);
    }
    tn_arena_done(&c.book);
    return error->status;
}
