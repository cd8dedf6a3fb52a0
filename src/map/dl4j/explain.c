/* explain.c - what a mapper reads, ignores and sets, and its known mistakes */
#include "map/dl4j/explain.h"

#include "base/buffer.h"
#include "base/number.h"
#include "map/dl4j/ir_types.h"
#include "map/dl4j/rule_table.h"

struct explaining {
    const struct tn_mapper        *mapper;
    const struct tn_op_descriptor *target;
    const struct tn_vocab_op      *definition;
    struct tn_buffer               line;
    tn_on_explain                 *on;
    void                          *context;
};

static void say(struct explaining *e, enum tn_explain_kind kind)
{
    e->on(e->context, kind, tn_buffer_string(&e->line));
    tn_buffer_clear(&e->line);
}

/* ---- rules -------------------------------------------------------------- */

static void put_value(struct tn_buffer *line, const struct tn_arg *arg)
{
    char number[TN_NUMBER_ROOM];

    if (arg->text.size > 0) {
        tn_buffer_format(line, "\"%.*s\"", TN_FMT(arg->text));
    } else if (arg->real != 0 || arg->type == TN_ARG_DOUBLE) {
        tn_double_print(number, arg->real);
        tn_buffer_text(line, number);
    } else if (arg->type == TN_ARG_BOOL) {
        tn_buffer_text(line, arg->number ? "true" : "false");
    } else if (arg->type == TN_ARG_DATA_TYPE) {
        tn_buffer_text(line, tn_ir_type_name(arg->number));
    } else {
        tn_buffer_format(line, "%lld", (long long)arg->number);
    }
}

static void put_group(struct tn_buffer *line, const struct tn_map_group *group)
{
    tn_buffer_format(line, " %.*s{", TN_FMT(group->key));
    for (uint32_t i = 0; i < group->count; i++) {
        tn_buffer_format(line, "%s%.*s=", i ? " " : "",
                         TN_FMT(group->items[i].name));
        put_value(line, &group->items[i]);
    }
    tn_buffer_byte(line, '}');
}

static void say_rule(struct explaining *e, const struct tn_map_rule *rule)
{
    tn_buffer_text(&e->line, rule->function->name);
    for (uint32_t i = 0; i < rule->pair_count; i++)
        tn_buffer_format(&e->line, "%s %.*s <- %.*s", i ? "," : "",
                         TN_FMT(rule->pairs[i].target),
                         TN_FMT(rule->pairs[i].source));
    for (uint32_t i = 0; i < rule->group_count; i++)
        put_group(&e->line, &rule->groups[i]);
    say(e, TN_EXPLAIN_RULE);
}

/* ---- what is read ------------------------------------------------------- */

/* Some parameters name an attribute that is read as well. */
static bool names_attr(const struct tn_map_rule *rule, struct tn_bytes name)
{
    for (uint32_t g = 0; g < rule->group_count; g++)
        for (uint32_t i = 0; i < rule->groups[g].count; i++)
            if (tn_bytes_is(rule->groups[g].items[i].name,
                            "attributeNameOfListAttribute") &&
                tn_bytes_equal(rule->groups[g].items[i].text, name))
                return true;
    return false;
}

static bool is_read(const struct tn_mapper *mapper, struct tn_bytes name,
                    bool is_input)
{
    for (uint32_t r = 0; r < mapper->rule_count; r++) {
        const struct tn_map_rule *rule = &mapper->rules[r];

        if (names_attr(rule, name) ||
            (is_input && !strcmp(rule->function->name, "passthrough")))
            return true;
        for (uint32_t i = 0; i < rule->pair_count; i++)
            if (tn_bytes_equal(rule->pairs[i].source, name))
                return true;
    }
    return false;
}

bool tn_map_is_implied(const struct tn_vocab_op *op, struct tn_bytes name)
{
    for (uint32_t i = 0; i < op->input_count; i++)
        if (tn_bytes_equal(op->inputs[i].variable, name) ||
            tn_bytes_equal(op->inputs[i].list, name))
            return true;
    return false;
}

static void say_source(struct explaining *e, const char *what,
                       struct tn_bytes name, bool is_input)
{
    bool read = is_read(e->mapper, name, is_input);

    if (!read && !is_input && tn_map_is_implied(e->definition, name))
        return;
    tn_buffer_format(&e->line, "%s %.*s", what, TN_FMT(name));
    say(e, read ? TN_EXPLAIN_READS : TN_EXPLAIN_DROPS);
}

static void say_sources(struct explaining *e)
{
    const struct tn_vocab_op *op = e->definition;

    for (uint32_t i = 0; op && i < op->input_count; i++)
        say_source(e, "input", op->inputs[i].name, true);
    for (uint32_t i = 0; op && i < op->attr_count; i++)
        say_source(e, "attribute", op->attrs[i].name, false);
}

/* ---- what is given ------------------------------------------------------ */

static bool is_given(const struct tn_mapper *mapper, const struct tn_arg *arg)
{
    for (uint32_t r = 0; r < mapper->rule_count; r++) {
        const struct tn_map_rule *rule = &mapper->rules[r];

        for (uint32_t i = 0; i < rule->pair_count; i++)
            if (tn_bytes_equal(rule->pairs[i].target, arg->name) &&
                rule->function->to >> arg->type & 1)
                return true;
        if (strcmp(rule->function->name, "argdescriptorconstant") != 0)
            continue;
        for (uint32_t g = 0; g < rule->group_count; g++)
            for (uint32_t i = 0; i < rule->groups[g].count; i++)
                if (rule->groups[g].items[i].type == arg->type &&
                    rule->groups[g].items[i].index == arg->index)
                    return true;
    }
    return false;
}

static void say_targets(struct explaining *e)
{
    for (uint32_t i = 0; e->target && i < e->target->args.count; i++) {
        const struct tn_arg *arg = &e->target->args.items[i];

        if (arg->type == TN_ARG_OUTPUT_TENSOR)
            continue;
        tn_buffer_format(&e->line, "%s %d %.*s", tn_arg_type_name(arg->type),
                         (int)arg->index, TN_FMT(arg->name));
        say(e, is_given(e->mapper, arg) ? TN_EXPLAIN_GIVES : TN_EXPLAIN_UNSET);
    }
}

enum tn_status tn_map_explain(const struct tn_mapper        *mapper,
                              const struct tn_op_descriptor *target,
                              const struct tn_vocab_op      *definition,
                              struct tn_memory *memory, tn_on_explain *on,
                              void *context, struct tn_error *error)
{
    struct explaining e = {
        .mapper     = mapper,
        .target     = target,
        .definition = definition,
        .on         = on,
        .context    = context,
    };
    const char *defect;

    tn_buffer_init(&e.line, memory, error);
    for (uint32_t i = 0; i < mapper->rule_count; i++)
        say_rule(&e, &mapper->rules[i]);
    say_sources(&e);
    say_targets(&e);
    for (unsigned i = 0;
         (defect = tn_map_defect(mapper->framework, mapper->op_type, i)); i++)
        on(context, TN_EXPLAIN_DEFECT, defect);
    tn_buffer_done(&e.line);
    return error->status;
}
