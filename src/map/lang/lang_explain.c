/* lang_explain.c - what a rule reads, ignores and makes */
#include "map/lang/lang_explain.h"

#include <inttypes.h>

#include "base/buffer.h"
#include "base/number.h"

/* ---- ops that are made -------------------------------------------------- */

struct visit {
    const struct tn_lang_file *file;
    tn_on_lang_op             *on;
    void                      *context;
    uint32_t                   left; /* macros that may still be unfolded     */
};

/* Macros use macros above them, perhaps several times: the total of unfolded
 * macros is limited, not how a file uses them. */
#define MACRO_LIMIT 1000

static void visit_block(struct visit *v, const struct tn_lang_block *block);

static void visit_expr(struct visit *v, const struct tn_lang_expr *expr)
{
    for (uint32_t i = 0; i < expr->item_count; i++)
        if (expr->items[i])
            visit_expr(v, expr->items[i]);
    if (expr->kind != TN_LANG_CALL)
        return;
    if (expr->callee == TN_LANG_TO_OP)
        v->on(v->context, expr);
    if (expr->callee == TN_LANG_TO_MACRO && v->left > 0) {
        v->left--;
        visit_block(
            v, &tn_list_at(&v->file->macros, struct tn_lang_macro, expr->target)
                    ->body);
    }
}

static void visit_block(struct visit *v, const struct tn_lang_block *block)
{
    for (uint32_t i = 0; i < block->count; i++) {
        const struct tn_lang_step *step = &block->steps[i];

        visit_expr(v, step->expr);
        visit_block(v, &step->body);
        visit_block(v, &step->other);
    }
}

void tn_lang_each_op(const struct tn_lang_file *file,
                     const struct tn_lang_rule *rule, tn_on_lang_op *on,
                     void *context)
{
    struct visit v = { file, on, context, MACRO_LIMIT };

    visit_block(&v, &rule->body);
}

/* ---- in words ----------------------------------------------------------- */

struct explaining {
    struct tn_buffer line;
    tn_on_explain   *on;
    void            *context;
};

static void say(struct explaining *x, enum tn_explain_kind kind)
{
    x->on(x->context, kind, tn_buffer_string(&x->line));
    tn_buffer_clear(&x->line);
}

static void add_literal(struct tn_buffer *to, const struct tn_lang_expr *expr)
{
    char number[TN_NUMBER_ROOM];

    switch (expr->kind) {
    case TN_LANG_BOOL:
        tn_buffer_text(to, expr->number ? "true" : "false");
        break;
    case TN_LANG_INT: tn_buffer_format(to, "%" PRId64, expr->number); break;
    case TN_LANG_FLOAT:
        tn_double_print(number, expr->real);
        tn_buffer_text(to, number);
        break;
    case TN_LANG_STRING:
        tn_buffer_format(to, "\"%.*s\"", TN_FMT(expr->text));
        break;
    case TN_LANG_DTYPE:
        tn_buffer_text(to, tn_dtype_name((enum tn_dtype)expr->number));
        break;
    case TN_LANG_LIST:
        tn_buffer_byte(to, '[');
        for (uint32_t i = 0; i < expr->item_count; i++) {
            tn_buffer_text(to, i ? ", " : "");
            add_literal(to, expr->items[i]);
        }
        tn_buffer_byte(to, ']');
        break;
    default: tn_buffer_text(to, "none"); break;
    }
}

static void explain_head(struct explaining *x, const struct tn_lang_head *head,
                         bool is_inner);

/* "an Add before it, which only it uses" */
static void explain_maker(struct explaining            *x,
                          const struct tn_lang_pattern *maker)
{
    tn_buffer_format(&x->line, "the node %.*s before it",
                     TN_FMT(maker->head.op));
    if (maker->output)
        tn_buffer_format(&x->line, ", output %" PRIu32, maker->output);
    tn_buffer_text(&x->line, maker->is_once ? ", which only it uses" : "");
    tn_buffer_text(&x->line, maker->is_maybe ? ", if there is one" : "");
    say(x, TN_EXPLAIN_READS);
    explain_head(x, &maker->head, true);
}

static void explain_input(struct explaining          *x,
                          const struct tn_lang_param *input)
{
    static const char *const marks[] = { "", "?", "..." };

    if (input->maker) {
        explain_maker(x, input->maker);
        return;
    }
    if (input->literal) {
        tn_buffer_text(&x->line, "a constant whose elements are ");
        add_literal(&x->line, input->literal);
    } else {
        tn_buffer_format(&x->line, "input %.*s%s", TN_FMT(input->name),
                         marks[input->arity]);
    }
    say(x, TN_EXPLAIN_READS);
}

/* `is_inner`: of a node before the one that the rule is for. */
static void explain_head(struct explaining *x, const struct tn_lang_head *head,
                         bool is_inner)
{
    for (uint32_t i = 0; i < head->input_count; i++)
        explain_input(x, &head->inputs[i]);
    for (uint32_t i = 0; i < head->attr_count; i++) {
        const struct tn_lang_attr *attr = &head->attrs[i];

        tn_buffer_format(&x->line, "attribute %.*s", TN_FMT(attr->name));
        if (is_inner)
            tn_buffer_format(&x->line, " of %.*s", TN_FMT(head->op));
        if (attr->is_match) {
            tn_buffer_text(&x->line, ", which must be ");
            add_literal(&x->line, attr->value);
        }
        say(x, attr->is_ignored ? TN_EXPLAIN_DROPS : TN_EXPLAIN_READS);
    }
}

static void explain_op(void *context, const struct tn_lang_expr *call)
{
    struct explaining *x = context;

    if (call->domain.size)
        tn_buffer_format(&x->line, "%.*s::", TN_FMT(call->domain));
    tn_buffer_add(&x->line, call->text);
    for (uint32_t i = 0; i < call->attr_count; i++)
        tn_buffer_format(&x->line, "%s%.*s", i ? ", " : " with ",
                         TN_FMT(call->attrs[i].name));
    say(x, TN_EXPLAIN_GIVES);
}

enum tn_status tn_lang_explain(const struct tn_lang_file *file,
                               const struct tn_lang_rule *rule,
                               struct tn_memory *memory, tn_on_explain *on,
                               void *context, struct tn_error *error)
{
    struct explaining x = { .on = on, .context = context };

    tn_buffer_init(&x.line, memory, error);
    explain_head(&x, &rule->head, false);
    tn_lang_each_op(file, rule, explain_op, &x);
    if (rule->native.size) {
        tn_buffer_format(&x.line, "what %.*s() in C makes",
                         TN_FMT(rule->native));
        say(&x, TN_EXPLAIN_GIVES);
    }
    tn_buffer_done(&x.line);
    return error->status;
}
