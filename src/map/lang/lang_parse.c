/*
 * lang_parse.c - reads the rule language: what a file says, item by item
 *
 *   rules FROM -> TO 1 | rules FROM <-> TO 1 | shapes DIALECT 1
 *
 *   table NAME { literal: literal, ... }
 *   def NAME(names) = expr
 *   macro NAME(inputs; attrs) -> (outputs) { steps }
 *   HEAD => value             HEAD => native NAME
 *   HEAD { steps }            HEAD <=> call
 *   call <= HEAD
 *   HEAD : dtype dims = value; ...          in files of shapes
 *   example ...
 *   ignore NAME NAME ...
 *
 *   HEAD  domain::Op@since..until(inputs; attrs) -> (outputs) when expr
 *
 * An item begins at the left margin; what belongs to it is indented, or stands
 * in its braces.
 */
#include <inttypes.h>

#include "map/lang/lang_both.h"
#include "map/lang/lang_parser.h"

/* Definitions of a kind: they are searched one by one. */
#define DEFINITION_LIMIT 1024

/* ---- bodies ------------------------------------------------------------- */

bool tn_lang_one_step(struct tn_lang_parser *p, struct tn_lang_rule *rule,
                      const struct tn_lang_expr *value)
{
    const struct tn_lang_head *head = &rule->head;
    struct tn_lang_step       *step =
        tn_new(p->arena, struct tn_lang_step, 1, p->error);
    struct tn_bytes *names =
        tn_new(p->arena, struct tn_bytes, head->output_count, p->error);

    if (!step || !names)
        return false;
    for (uint32_t i = 0; i < head->output_count; i++) {
        names[i]           = head->outputs[i].name;
        step->last_is_many = head->outputs[i].arity == TN_LANG_MANY;
    }
    step->kind       = TN_LANG_EMIT;
    step->names      = names;
    step->name_count = head->output_count;
    step->expr       = value;
    step->place      = value->place;
    rule->body       = (struct tn_lang_block){ step, 1 };
    return true;
}

/* => value, or => native NAME */
static bool read_way_there(struct tn_lang_parser *p, struct tn_lang_rule *rule)
{
    const struct tn_token *next = tn_lang_look(p) + 1;

    if (tn_lang_is(p, "native") && next->kind == TN_TOKEN_WORD &&
        !next->is_margin) {
        tn_lang_accept(p, "native");
        rule->native = tn_lang_word(p, "a function");
        return rule->native.size;
    }
    const struct tn_lang_expr *value = tn_lang_value(p);
    return value && tn_lang_one_step(p, rule, value);
}

static bool read_steps(struct tn_lang_parser *p, struct tn_lang_rule *rule)
{
    if (rule->head.output_count &&
        tn_bytes_is(rule->head.outputs[0].name, TN_LANG_OUTPUT))
        return tn_lang_expected(p, "'-> (outputs)' before a block");
    return tn_lang_read_block(p, &rule->body);
}

/* ---- shapes ------------------------------------------------------------- */

/* dtype dims [= value]; ? is what is not known. */
static bool read_shape(struct tn_lang_parser *p, struct tn_lang_shape *shape)
{
    if (!tn_lang_accept(p, "?") && !(shape->dtype = tn_lang_operand(p)))
        return false;
    if (!tn_lang_accept(p, "?") && !(shape->dims = tn_lang_expr(p)))
        return false;
    return !tn_lang_accept(p, "=") || (shape->value = tn_lang_expr(p));
}

static bool read_shapes(struct tn_lang_parser *p, struct tn_lang_rule *rule)
{
    struct tn_lang_shape *shapes = tn_new(p->arena, struct tn_lang_shape,
                                          rule->head.output_count, p->error);

    if (!shapes || !tn_lang_expect(p, ":"))
        return false;
    for (uint32_t i = 0; i < rule->head.output_count; i++)
        if ((i && !tn_lang_expect(p, ";")) || !read_shape(p, &shapes[i]))
            return false;
    rule->shapes      = shapes;
    rule->shape_count = rule->head.output_count;
    return true;
}

/* ---- rules -------------------------------------------------------------- */

/* From the margin to the last token that was read. */
static struct tn_bytes text_of_item(const struct tn_lang_parser *p)
{
    uint64_t begin = tn_list_at(&p->tokens, struct tn_token, p->item)->begin;
    uint64_t end   = tn_list_at(&p->tokens, struct tn_token, p->at - 1)->end;

    return tn_bytes(p->text.data + begin, (size_t)(end - begin));
}

static bool add_rule(struct tn_lang_parser *p, struct tn_list *to,
                     const struct tn_lang_rule *rule)
{
    struct tn_lang_rule *added =
        tn_list_push(to, struct tn_lang_rule, p->error);

    if (!added)
        return false;
    *added      = *rule;
    added->text = text_of_item(p);
    return true;
}

/* call <= HEAD: whether the parenthesis that the op opens is followed by <=. */
static bool is_way_back(struct tn_lang_parser *p)
{
    const struct tn_token *token =
        tn_list_at(&p->tokens, struct tn_token, p->at);
    uint32_t open = 0;

    for (; token->kind != TN_TOKEN_END; token++) {
        if (token->kind != TN_TOKEN_MARK)
            continue;
        if (tn_bytes_is(token->text, "("))
            open++;
        else if (tn_bytes_is(token->text, ")") && --open == 0)
            return token[1].kind == TN_TOKEN_MARK &&
                   tn_bytes_is(token[1].text, "<=");
        if (!open && !tn_bytes_is(token->text, "::"))
            return false;
    }
    return false;
}

static bool read_back_rule(struct tn_lang_parser *p)
{
    struct tn_lang_rule        rule  = { .place = tn_lang_look(p)->place };
    const struct tn_lang_expr *value = tn_lang_value(p);

    if (!value || !tn_lang_expect(p, "<=") || !tn_lang_read_head(p, &rule.head))
        return false;
    if (!p->file->is_both_ways)
        return tn_map_fail(p->error, &rule.place, TN_MALFORMED,
                           "a way back in rules of one direction") == TN_OK;
    return tn_lang_one_step(p, &rule, value) &&
           add_rule(p, &p->file->back, &rule);
}

/* HEAD <=> call: one rule each way. */
static bool read_both(struct tn_lang_parser *p, struct tn_lang_rule *rule)
{
    struct tn_lang_rule back = { .place = rule->place };

    p->may_ignore                   = true;
    const struct tn_lang_expr *call = tn_lang_value(p);
    p->may_ignore                   = false;
    if (!call)
        return false;
    if (!p->file->is_both_ways)
        return tn_map_fail(p->error, &rule->place, TN_MALFORMED,
                           "'<=>' in rules of one direction") == TN_OK;
    if (!tn_lang_both(p, rule, call, &back) ||
        !add_rule(p, &p->file->rules, rule))
        return false;
    return !back.head.op.size || add_rule(p, &p->file->back, &back);
}

static bool read_rule(struct tn_lang_parser *p)
{
    struct tn_lang_rule rule = { .place = tn_lang_look(p)->place };

    if (!p->file->is_shapes && is_way_back(p))
        return read_back_rule(p);
    if (!tn_lang_read_head(p, &rule.head))
        return false;
    if (p->file->is_shapes)
        return read_shapes(p, &rule) && add_rule(p, &p->file->rules, &rule);
    if (tn_lang_accept(p, "<=>"))
        return read_both(p, &rule);
    if (tn_lang_is(p, "{"))
        return read_steps(p, &rule) && add_rule(p, &p->file->rules, &rule);
    if (!tn_lang_accept(p, "=>"))
        return tn_lang_expected(p, "'=>', '<=>', '{', '->' or 'when'");
    return read_way_there(p, &rule) && add_rule(p, &p->file->rules, &rule);
}

/* ---- definitions -------------------------------------------------------- */

static bool is_defined(const struct tn_lang_file *file, struct tn_bytes name)
{
    for (uint64_t i = 0; i < file->defs.count; i++)
        if (tn_bytes_equal(tn_list_at(&file->defs, struct tn_lang_def, i)->name,
                           name))
            return true;
    for (uint64_t i = 0; i < file->tables.count; i++)
        if (tn_bytes_equal(
                tn_list_at(&file->tables, struct tn_lang_table, i)->name, name))
            return true;
    for (uint64_t i = 0; i < file->macros.count; i++)
        if (tn_bytes_equal(
                tn_list_at(&file->macros, struct tn_lang_macro, i)->name, name))
            return true;
    return false;
}

/* The name of a def, table or macro: new in the file. */
static struct tn_bytes new_name(struct tn_lang_parser *p, struct tn_list *list)
{
    struct tn_map_place place = tn_lang_look(p)->place;
    struct tn_bytes     name  = tn_lang_name(p, "a name");

    if (name.size && is_defined(p->file, name))
        tn_map_fail(p->error, &place, TN_MALFORMED, "'%.*s' is defined already",
                    TN_FMT(name));
    else if (name.size && list->count >= DEFINITION_LIMIT)
        tn_map_fail(p->error, &place, TN_LIMIT, "more than %d of a kind",
                    DEFINITION_LIMIT);
    else
        return name;
    return tn_bytes(NULL, 0);
}

/* def NAME(x, y) = expr */
static bool read_def(struct tn_lang_parser *p)
{
    struct tn_lang_def def  = { .place = tn_lang_look(p)->place };
    uint64_t           mark = p->names.count;

    def.name = new_name(p, &p->file->defs);
    if (!def.name.size || !tn_lang_expect(p, "("))
        return false;
    if (!tn_lang_is(p, ")"))
        do
            if (!tn_lang_push_name(p, tn_lang_bound_name(p, "a name")))
                return false;
        while (tn_lang_accept(p, ","));
    def.params = tn_lang_cut(p, &p->names, mark, &def.param_count);
    if (!def.params || !tn_lang_expect(p, ")") || !tn_lang_expect(p, "=") ||
        !(def.body = tn_lang_expr(p)))
        return false;
    struct tn_lang_def *to =
        tn_list_push(&p->file->defs, struct tn_lang_def, p->error);
    if (to)
        *to = def;
    return to;
}

static bool push_literal(struct tn_lang_parser *p)
{
    const struct tn_lang_expr  *expr = tn_lang_literal(p);
    const struct tn_lang_expr **to =
        expr ? tn_list_push(&p->exprs, const struct tn_lang_expr *, p->error)
             : NULL;

    if (to)
        *to = expr;
    return to;
}

/* { literal: literal, ... }; keys and values lie in turn on the stack. */
static bool read_pairs(struct tn_lang_parser *p, struct tn_lang_table *table)
{
    uint64_t mark = p->exprs.count;

    while (!tn_lang_is(p, "}")) {
        if (!push_literal(p) || !tn_lang_expect(p, ":") || !push_literal(p))
            return false;
        if (!tn_lang_accept(p, ","))
            break;
    }
    table->count = (uint32_t)(p->exprs.count - mark) / 2;
    table->keys =
        tn_new(p->arena, const struct tn_lang_expr *, table->count, p->error);
    table->values =
        tn_new(p->arena, const struct tn_lang_expr *, table->count, p->error);
    if (!table->keys || !table->values)
        return false;
    for (uint32_t i = 0; i < table->count; i++) {
        const struct tn_lang_expr **pair = tn_list_at(
            &p->exprs, const struct tn_lang_expr *, mark + 2 * (uint64_t)i);
        table->keys[i]   = pair[0];
        table->values[i] = pair[1];
    }
    p->exprs.count = mark;
    return true;
}

static bool read_table(struct tn_lang_parser *p)
{
    struct tn_lang_table table = { .place = tn_lang_look(p)->place };

    table.name = new_name(p, &p->file->tables);
    if (!table.name.size || !tn_lang_expect(p, "{"))
        return false;
    p->braces++;
    if (!read_pairs(p, &table) || !tn_lang_expect(p, "}"))
        return false;
    p->braces--;
    struct tn_lang_table *to =
        tn_list_push(&p->file->tables, struct tn_lang_table, p->error);
    if (to)
        *to = table;
    return to;
}

/* macro NAME(inputs; attrs) -> (outputs) { steps } */
static bool read_macro(struct tn_lang_parser *p)
{
    struct tn_lang_macro macro = { .place = tn_lang_look(p)->place };

    macro.name       = new_name(p, &p->file->macros);
    macro.head.op    = macro.name;
    macro.head.until = INT64_MAX;
    macro.head.place = macro.place;
    if (!macro.name.size || !tn_lang_read_arguments(p, &macro.head))
        return false;
    if (!tn_lang_is(p, "->"))
        return tn_lang_expected(p, "'->'");
    if (!tn_lang_read_outputs(p, &macro.head) ||
        !tn_lang_read_block(p, &macro.body))
        return false;
    struct tn_lang_macro *to =
        tn_list_push(&p->file->macros, struct tn_lang_macro, p->error);
    if (to)
        *to = macro;
    return to;
}

/* ---- examples ----------------------------------------------------------- */

static bool is_example_next(struct tn_lang_parser *p)
{
    const struct tn_token *token = tn_lang_look(p);

    return tn_lang_is(p, "example") && token->is_first &&
           token[1].kind == TN_TOKEN_WORD;
}

/* The text up to the next example or item. */
static bool read_example(struct tn_lang_parser *p, bool is_back)
{
    struct tn_list        *rules   = is_back ? &p->file->back : &p->file->rules;
    struct tn_lang_example example = { .is_back = is_back,
                                       .rule    = (uint32_t)rules->count - 1,
                                       .place   = tn_lang_look(p)[1].place };
    const struct tn_token *first = tn_lang_look(p) + 1, *last = first;

    if (!rules->count)
        return tn_lang_expected(p, "a rule before an example");
    for (p->at++; tn_lang_look(p)->kind != TN_TOKEN_END && !is_example_next(p);
         p->at++)
        last = tn_lang_look(p);
    struct tn_lang_example *to =
        tn_list_push(&p->file->examples, struct tn_lang_example, p->error);
    if (!to)
        return false;
    example.text =
        tn_bytes(first->text.data, (size_t)(last->end - first->begin));
    *to = example;
    return true;
}

/* ---- the file ----------------------------------------------------------- */

/* ignore NAME NAME ...: attributes that no head of the file needs to name. */
static bool read_ignored(struct tn_lang_parser *p)
{
    do {
        struct tn_bytes  name = tn_lang_word(p, "the name of an attribute");
        struct tn_bytes *to =
            name.size
                ? tn_list_push(&p->file->ignored, struct tn_bytes, p->error)
                : NULL;
        if (!to)
            return false;
        *to = name;
    } while (tn_lang_look(p)->kind != TN_TOKEN_END);
    return true;
}

/* Words that begin definitions may be ops too: those have a parenthesis. */
static bool is_item(struct tn_lang_parser *p, const char *word)
{
    if (!tn_lang_is(p, word) || tn_lang_look(p)[1].kind != TN_TOKEN_WORD)
        return false;
    p->at++;
    return true;
}

static bool read_item(struct tn_lang_parser *p, bool *is_back)
{
    uint64_t backs = p->file->back.count, rules = p->file->rules.count;

    if (is_item(p, "table"))
        return read_table(p);
    if (is_item(p, "def"))
        return read_def(p);
    if (is_item(p, "ignore"))
        return read_ignored(p);
    if (!p->file->is_shapes && is_item(p, "macro"))
        return read_macro(p);
    if (is_example_next(p))
        return read_example(p, *is_back);
    if (!read_rule(p))
        return false;
    *is_back = p->file->back.count > backs && p->file->rules.count == rules;
    while (is_example_next(p))
        if (!read_example(p, *is_back))
            return false;
    return true;
}

static bool read_items(struct tn_lang_parser *p)
{
    bool is_back = false;

    for (;;) {
        const struct tn_token *token =
            tn_list_at(&p->tokens, struct tn_token, p->at);

        if (token->kind == TN_TOKEN_END)
            return true;
        if (!token->is_margin)
            return tn_lang_expected(p, "the next rule at the left margin");
        p->item = p->at;
        if (!read_item(p, &is_back))
            return false;
    }
}

static bool read_header(struct tn_lang_parser *p)
{
    struct tn_lang_file *file = p->file;

    file->is_shapes = tn_lang_accept(p, "shapes");
    if (!file->is_shapes && !tn_lang_accept(p, "rules"))
        return tn_lang_expected(p, "'rules' or 'shapes'");
    file->from = tn_lang_word(p, "a dialect");
    if (file->from.size && !file->is_shapes) {
        file->is_both_ways = tn_lang_accept(p, "<->");
        if (!file->is_both_ways && !tn_lang_expect(p, "->"))
            return false;
        file->to = tn_lang_word(p, "a dialect");
    }
    if (tn_failed(p->error))
        return false;
    const struct tn_token *token = tn_lang_look(p);
    if (token->kind != TN_TOKEN_INT)
        return tn_lang_expected(p, "the version of the language");
    if (token->number != 1)
        return tn_map_fail(p->error, &token->place, TN_UNSUPPORTED,
                           "version %" PRIu64 " of the language, not 1",
                           token->number) == TN_OK;
    p->at++;
    return true;
}

void tn_lang_init(struct tn_lang_file *file, struct tn_arena *arena,
                  const char *name)
{
    struct tn_memory *memory = arena->memory;

    *file = (struct tn_lang_file){ .name = name, .arena = arena };
    tn_list_init(&file->rules, memory, sizeof(struct tn_lang_rule));
    tn_list_init(&file->back, memory, sizeof(struct tn_lang_rule));
    tn_list_init(&file->defs, memory, sizeof(struct tn_lang_def));
    tn_list_init(&file->tables, memory, sizeof(struct tn_lang_table));
    tn_list_init(&file->macros, memory, sizeof(struct tn_lang_macro));
    tn_list_init(&file->examples, memory, sizeof(struct tn_lang_example));
    tn_list_init(&file->ignored, memory, sizeof(struct tn_bytes));
}

enum tn_status tn_lang_parse(struct tn_lang_file *file, struct tn_arena *arena,
                             const char *name, struct tn_bytes text,
                             struct tn_error *error)
{
    const struct tn_map_place begin = { name, 0, 1, 1 };
    struct tn_lang_parser     p;

    tn_lang_init(file, arena, name);
    if (tn_lang_parser_open(&p, file, text, &begin, error) && read_header(&p))
        read_items(&p);
    tn_lang_parser_close(&p);
    return error->status;
}

void tn_lang_done(struct tn_lang_file *file)
{
    tn_list_done(&file->rules);
    tn_list_done(&file->back);
    tn_list_done(&file->defs);
    tn_list_done(&file->tables);
    tn_list_done(&file->macros);
    tn_list_done(&file->examples);
    tn_list_done(&file->ignored);
}
