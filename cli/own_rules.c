/* own_rules.c - rule files in Tenon's own language, for `tenon rules` */
#include "rules.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "failure.h"
#include "option_table.h"
#include "print.h"
#include "show.h"

bool cli_are_own_rules(const char *const *files, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        size_t size = strlen(files[i]);

        if (size < 6 || strcmp(files[i] + size - 6, ".rules") != 0)
            return false;
    }
    return true;
}

static int open_book(const struct cli_own_rules *rules,
                     struct tn_rulebook        **book)
{
    struct tn_error error = TN_ERROR_INIT;

    if (tn_rulebook_open(book, rules->files, rules->count,
                         &rules->session->options, &error) == TN_OK)
        return 0;
    return cli_print_file_error(&error);
}

bool cli_are_rules(const struct cli_own_rules *rules)
{
    struct tn_error     unheard = TN_ERROR_INIT;
    struct tn_rulebook *book    = NULL;

    if (cli_are_own_rules(rules->files, rules->count))
        return true;
    if (tn_rulebook_open(&book, rules->files, rules->count,
                         &rules->session->options, &unheard) != TN_OK)
        return false;
    tn_rulebook_close(book);
    return true;
}

/* ---- one rule in words -------------------------------------------------- */

/* Softmax@13.., com.microsoft::Gelu */
static void add_op(struct cli_text *to, const struct tn_rule_info *rule)
{
    if (rule->domain.size > 0) {
        cli_text_safe(to, rule->domain);
        cli_text_add(to, "::");
    }
    cli_text_safe(to, rule->op_type);
    if (rule->since == 0 && rule->until == INT64_MAX)
        return;
    cli_text_add(to, "@");
    if (rule->since > 0)
        cli_text_addf(to, "%" PRId64, rule->since);
    if (rule->since == rule->until)
        return;
    cli_text_add(to, "..");
    if (rule->until != INT64_MAX)
        cli_text_addf(to, "%" PRId64, rule->until);
}

static void add_made(void *context, struct tn_bytes op)
{
    struct cli_text *to = context;

    if (to->size > 0)
        cli_text_add(to, " ");
    cli_text_safe(to, op);
}

/* ---- ls ----------------------------------------------------------------- */

/* Columns stay narrow: of a rule with twenty ops only the first is shown. */
#define MADE_WIDTH 32

static void shorten(struct cli_text *text)
{
    if (text->size <= MADE_WIDTH)
        return;
    while (text->size > 0 &&
           (text->size > MADE_WIDTH - 4 || text->data[text->size] != ' '))
        text->size--;
    cli_text_add(text, text->size > 0 ? " ..." : "...");
}

static void fill_rule(void *context, uint64_t row, struct cli_text *cells)
{
    struct tn_error     error = TN_ERROR_INIT;
    struct tn_rule_info rule  = tn_rulebook_rule(context, (uint32_t)row);

    cli_text_safe(&cells[0], rule.from);
    add_op(&cells[1], &rule);
    cli_text_safe(&cells[2], rule.to);
    tn_rulebook_makes(context, (uint32_t)row, add_made, &cells[3], &error);
    shorten(&cells[3]);
    cli_text_safe(&cells[4], cli_bytes(rule.file));
    cli_text_addf(&cells[4], ":%u", (unsigned)rule.line);
}

static void put_made(void *context, struct tn_bytes op)
{
    cli_json_bytes(context, op);
}

static void list_for_programs(struct tn_rulebook *book)
{
    struct cli_json json;

    cli_json_begin_list(&json, "tenon.rulebook/1", "rules");
    for (uint32_t i = 0; i < tn_rulebook_count(book); i++) {
        struct tn_error     error = TN_ERROR_INIT;
        struct tn_rule_info rule  = tn_rulebook_rule(book, i);
        cli_json_open_flat(&json, '{');
        cli_json_put_bytes(&json, "from", rule.from);
        cli_json_put_bytes(&json, "domain", rule.domain);
        cli_json_put_bytes(&json, "operator", rule.op_type);
        cli_json_put_number(&json, "since", (uint64_t)rule.since);
        if (rule.until != INT64_MAX)
            cli_json_put_number(&json, "until", (uint64_t)rule.until);
        cli_json_put_bytes(&json, "to", rule.to);
        cli_json_key(&json, "makes");
        cli_json_open_flat(&json, '[');
        tn_rulebook_makes(book, i, put_made, &json, &error);
        cli_json_close(&json, ']');
        cli_json_put_bool(&json, "native", rule.is_native);
        cli_json_put_string(&json, "file", rule.file);
        cli_json_put_number(&json, "line", rule.line);
        cli_json_close(&json, '}');
    }
    cli_json_end_list(&json);
}

static void list_for_people(struct tn_rulebook *book)
{
    static const struct cli_column columns[] = {
        { .title = "FROM" },  { .title = "OPERATOR", .colour = CLI_BOLD },
        { .title = "TO" },    { .title = "MAKES" },
        { .title = "WHERE" },
    };
    struct cli_table table = {
        .column_count = 5,
        .columns      = columns,
        .row_count    = tn_rulebook_count(book),
        .on_row       = fill_rule,
        .context      = book,
    };

    if (table.row_count > 0)
        cli_print_table(stdout, &table);
}

int cli_own_rules_ls(const struct cli_own_rules *rules)
{
    struct tn_rulebook *book;
    int                 code = open_book(rules, &book);

    if (code != 0)
        return code;
    if (rules->is_json)
        list_for_programs(book);
    else
        list_for_people(book);
    tn_rulebook_close(book);
    return cli_finish(0);
}

/* ---- explain ------------------------------------------------------------ */

static const char *const explain_words[] = { "rule",  "reads", "ignores",
                                             "makes", "unset", "defect" };

static void print_line(const struct cli_explaining *explaining,
                       enum tn_explain_kind kind, const char *what)
{
    struct cli_text line = { 0 };

    cli_text_addf(&line, "  %-*s", explaining->width, explaining->words[kind]);
    cli_text_safe(&line, cli_bytes(what));
    cli_text_add(&line, "\n");
    cli_print(stdout,
              kind == TN_EXPLAIN_DEFECT  ? CLI_RED
              : kind == TN_EXPLAIN_DROPS ? CLI_YELLOW
                                         : CLI_PLAIN,
              &line);
    cli_text_done(&line);
}

void cli_explain_line(void *context, enum tn_explain_kind kind,
                      const char *what)
{
    const struct cli_explaining *explaining = context;
    struct cli_json             *json       = explaining->json;

    if (json == NULL) {
        print_line(explaining, kind, what);
        return;
    }
    cli_json_open_flat(json, '{');
    cli_json_put_string(json, "kind", explaining->words[kind]);
    cli_json_put_string(json, "what", what);
    cli_json_close(json, '}');
}

static struct cli_explaining explaining_with(struct cli_json *json)
{
    return (struct cli_explaining){ explain_words, 8, json };
}

/* The text of the rule, line by line and made harmless. */
static void print_text(struct tn_bytes text)
{
    while (text.size > 0) {
        const uint8_t  *end  = memchr(text.data, '\n', text.size);
        size_t          size = end ? (size_t)(end - text.data) : text.size;
        struct cli_text line = { 0 };

        cli_text_add(&line, "  | ");
        cli_text_safe(&line, (struct tn_bytes){ text.data, size });
        cli_text_add(&line, "\n");
        cli_print(stdout, CLI_CYAN, &line);
        cli_text_done(&line);
        size += end != NULL;
        text.data += size;
        text.size -= size;
    }
}

static void print_rule(struct tn_rulebook *book, uint32_t index,
                       struct tn_error *error)
{
    struct tn_rule_info rule = tn_rulebook_rule(book, index);
    struct cli_text     line = { 0 };

    cli_text_safe(&line, rule.from);
    cli_text_add(&line, " ");
    add_op(&line, &rule);
    cli_text_add(&line, " -> ");
    cli_text_safe(&line, rule.to);
    cli_text_add(&line, "  ");
    cli_text_safe(&line, cli_bytes(rule.file));
    cli_text_addf(&line, ":%u%s\n", (unsigned)rule.line,
                  rule.is_reversed ? ", backwards" : "");
    cli_print(stdout, CLI_BOLD, &line);
    cli_text_done(&line);
    print_text(rule.text);
    struct cli_explaining as_text = explaining_with(NULL);
    tn_rulebook_explain(book, index, cli_explain_line, &as_text, error);
}

static void put_explained(struct cli_json *json, struct tn_rulebook *book,
                          uint32_t index, struct tn_error *error)
{
    struct tn_rule_info rule = tn_rulebook_rule(book, index);

    cli_json_open(json, '{');
    cli_json_put_bytes(json, "from", rule.from);
    cli_json_put_bytes(json, "operator", rule.op_type);
    cli_json_put_bytes(json, "to", rule.to);
    cli_json_put_string(json, "file", rule.file);
    cli_json_put_number(json, "line", rule.line);
    cli_json_put_bytes(json, "text", rule.text);
    cli_json_key(json, "lines");
    cli_json_open(json, '[');
    struct cli_explaining as_json = explaining_with(json);
    tn_rulebook_explain(book, index, cli_explain_line, &as_json, error);
    cli_json_close(json, ']');
    cli_json_close(json, '}');
}

struct asking {
    struct tn_bytes op;
    bool            is_made;
};

static bool is_same(struct tn_bytes a, struct tn_bytes b)
{
    return a.size == b.size && (a.size == 0 || !memcmp(a.data, b.data, a.size));
}

static void look_for(void *context, struct tn_bytes op)
{
    struct asking *asking = context;

    asking->is_made |= is_same(asking->op, op);
}

/* com.microsoft::Gelu, as ls and --plan have it, or Gelu alone. */
static bool is_called(const struct tn_rule_info *rule, struct tn_bytes op)
{
    size_t all = rule->domain.size + 2 + rule->op_type.size;

    if (is_same(rule->op_type, op))
        return true;
    return rule->domain.size > 0 && op.size == all &&
           !memcmp(op.data, rule->domain.data, rule->domain.size) &&
           !memcmp(op.data + rule->domain.size, "::", 2) &&
           (rule->op_type.size == 0 ||
            !memcmp(op.data + rule->domain.size + 2, rule->op_type.data,
                    rule->op_type.size));
}

/* Rules that read it, or make it. */
static bool is_asked(struct tn_rulebook *book, uint32_t index, const char *op)
{
    struct tn_error     error  = TN_ERROR_INIT;
    struct asking       asking = { .op = cli_bytes(op) };
    struct tn_rule_info rule   = tn_rulebook_rule(book, index);

    if (is_called(&rule, asking.op))
        return true;
    tn_rulebook_makes(book, index, look_for, &asking, &error);
    return asking.is_made;
}

static uint32_t explain_all(struct tn_rulebook *book, const char *op,
                            struct cli_json *json, struct tn_error *error)
{
    uint32_t found = 0;

    for (uint32_t i = 0; i < tn_rulebook_count(book); i++) {
        if (!is_asked(book, i, op))
            continue;
        found++;
        if (json != NULL)
            put_explained(json, book, i, error);
        else
            print_rule(book, i, error);
    }
    return found;
}

/* The operator whose name is nearest to what was typed, when one is near. */
static void find_nearest(struct tn_rulebook *book, const char *typed,
                         struct cli_text *best)
{
    struct cli_text name    = { 0 };
    unsigned        nearest = cli_nearness(typed);

    for (uint32_t i = 0; i < tn_rulebook_count(book); i++) {
        cli_text_clear(&name);
        cli_text_safe(&name, tn_rulebook_rule(book, i).op_type);
        cli_text_put(&name, "", 1);
        unsigned distance = cli_distance(typed, name.data, nearest);
        if (distance < nearest) {
            nearest = distance;
            cli_text_clear(best);
            cli_text_put(best, name.data, name.size);
        }
    }
    cli_text_done(&name);
}

static void say_unknown(struct tn_rulebook *book, const char *op)
{
    struct cli_text best = { 0 };

    cli_say("no rule reads or produces '%s'", op);
    find_nearest(book, op, &best);
    if (best.size > 0)
        cli_hint_name(best.data);
    else
        cli_hint("'tenon rules ls' lists all rules");
    cli_text_done(&best);
}

int cli_own_rules_explain(const struct cli_own_rules *rules, const char *op)
{
    struct tn_error     error = TN_ERROR_INIT;
    struct tn_rulebook *book;
    struct cli_json     json;
    int                 code = open_book(rules, &book);

    if (code != 0)
        return code;
    if (rules->is_json)
        cli_json_begin_list(&json, "tenon.rulebook-explain/1", "rules");
    uint32_t found =
        explain_all(book, op, rules->is_json ? &json : NULL, &error);
    if (rules->is_json)
        cli_json_end_list(&json);
    if (error.status == TN_OK && found == 0)
        say_unknown(book, op);
    tn_rulebook_close(book);
    if (error.status != TN_OK)
        return cli_fail(rules->session->common, op, &error);
    return cli_finish(found > 0 ? 0 : CLI_NO);
}

/* ---- check -------------------------------------------------------------- */

static void print_finding(void *context, const struct tn_rule_finding *finding)
{
    struct cli_text line = { 0 };

    (void)context;
    cli_text_safe(&line, cli_bytes(finding->file));
    cli_text_addf(&line, ":%u:%u: ", (unsigned)finding->line,
                  (unsigned)finding->column);
    cli_text_safe(&line, cli_bytes(finding->what));
    cli_text_add(&line, "\n");
    cli_print(stdout, CLI_PLAIN, &line);
    cli_text_done(&line);
}

static void put_finding(void *context, const struct tn_rule_finding *finding)
{
    struct cli_json *json = context;

    cli_json_open_flat(json, '{');
    cli_json_put_string(json, "file", finding->file);
    cli_json_put_number(json, "line", finding->line);
    cli_json_put_number(json, "column", finding->column);
    cli_json_put_string(json, "what", finding->what);
    cli_json_close(json, '}');
}

static void print_fine(const struct tn_rulebook *book)
{
    struct cli_text line = { 0 };

    cli_show_plural(&line, tn_rulebook_count(book), "rule", "rules");
    cli_text_add(&line, ", nothing is wrong\n");
    cli_print(stdout, CLI_BOLD, &line);
    cli_text_done(&line);
}

int cli_own_rules_check(const struct cli_own_rules *rules)
{
    struct tn_error     error = TN_ERROR_INIT;
    struct tn_rulebook *book;
    struct cli_json     json;
    int                 code = open_book(rules, &book);

    if (code != 0)
        return code;
    if (rules->is_json)
        cli_json_begin_list(&json, "tenon.rulebook-check/1", "findings");
    uint64_t count = tn_rulebook_check(
        book, rules->is_json ? put_finding : print_finding, &json, &error);
    if (rules->is_json)
        cli_json_end_list(&json);
    else if (count == 0 && error.status == TN_OK)
        print_fine(book);
    tn_rulebook_close(book);
    if (error.status != TN_OK)
        return cli_fail(rules->session->common, "rules", &error);
    return cli_finish(count > 0 ? CLI_NO : 0);
}

/* ---- test --------------------------------------------------------------- */

/* Prints only examples that do not hold. */
static void print_example(void *context, const struct tn_rule_example *example)
{
    struct cli_text line = { 0 };

    (void)context;
    if (example->why == NULL)
        return;
    cli_text_safe(&line, cli_bytes(example->file));
    cli_text_addf(&line, ":%u: ", (unsigned)example->line);
    cli_text_safe(&line, cli_bytes(example->why));
    cli_text_add(&line, "\n");
    cli_print(stdout, CLI_PLAIN, &line);
    cli_text_done(&line);
}

static void put_example(void *context, const struct tn_rule_example *example)
{
    struct cli_json *json = context;

    cli_json_open_flat(json, '{');
    cli_json_put_string(json, "file", example->file);
    cli_json_put_number(json, "line", example->line);
    cli_json_put_bool(json, "holds", example->why == NULL);
    if (example->why != NULL)
        cli_json_put_string(json, "why", example->why);
    cli_json_close(json, '}');
}

static void print_sum(const struct tn_rule_examples *sum)
{
    struct cli_text line = { 0 };

    if (sum->count > 0)
        cli_show_plural(&line, sum->count, "example", "examples");
    if (sum->count == 0)
        cli_text_add(&line, "no examples\n");
    else if (sum->failed == 0)
        cli_text_add(&line, sum->count == 1 ? ", it holds\n" : ", all hold\n");
    else
        cli_text_addf(&line, ", %" PRIu64 " %s\n", sum->failed,
                      sum->failed == 1 ? "does not hold" : "do not hold");
    cli_print(stdout, CLI_BOLD, &line);
    cli_text_done(&line);
}

int cli_own_rules_test(const struct cli_own_rules *rules)
{
    struct tn_error         error = TN_ERROR_INIT;
    struct tn_rule_examples sum;
    struct tn_rulebook     *book;
    struct cli_json         json;
    int                     code = open_book(rules, &book);

    if (code != 0)
        return code;
    if (rules->is_json)
        cli_json_begin_list(&json, "tenon.rulebook-test/1", "examples");
    tn_rulebook_test(book, &sum, rules->is_json ? put_example : print_example,
                     &json, &error);
    if (rules->is_json)
        cli_json_end_list(&json);
    tn_rulebook_close(book);
    if (error.status != TN_OK)
        return cli_print_file_error(&error);
    if (!rules->is_json)
        print_sum(&sum);
    return cli_finish(sum.failed > 0 ? CLI_NO : 0);
}
