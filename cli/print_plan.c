/*
 * print_plan.c - tenon convert --plan: which rule carries which op
 *
 *   onnx -> nd4j
 *   Conv       53  onnx_nd4j.rules:140
 *   Foo         1  -  graph.node[3]
 *                     there is no rule for it
 *
 * Then, for each op without a rule, one to fill in, all of a step in one file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "convert.h"
#include "failure.h"
#include "json.h"
#include "print.h"
#include "show.h"
#include "verb_table.h"

/* ---- names with commas between them ------------------------------------- */

/* "\\," is a comma that belongs to a name. */
static bool is_escaped(const char *text)
{
    return text[0] == '\\' && text[1] == ',';
}

static size_t count_names(const char *list)
{
    size_t count = list != NULL && list[0] != '\0';

    for (; count > 0 && *list != '\0'; list++) {
        if (is_escaped(list))
            list++;
        else
            count += *list == ',';
    }
    return count;
}

/* Copies a name up to its comma; returns what follows that in the list. */
static const char *take_name(const char *list, char *to)
{
    while (*list != '\0' && *list != ',') {
        list += is_escaped(list);
        *to++ = *list++;
    }
    *to = '\0';
    return *list == ',' ? list + 1 : list;
}

/* Takes the names of a list apart, where the last one ended. */
static const char *const *take_names(struct cli_map *map, const char *list,
                                     size_t *used, size_t *size,
                                     uint32_t *count)
{
    const char **first = map->names + *used;

    *count = (uint32_t)count_names(list);
    for (uint32_t i = 0; i < *count; i++) {
        first[i] = map->texts + *size;
        list     = take_name(list, map->texts + *size);
        *size += strlen(first[i]) + 1;
    }
    *used += *count;
    return *count > 0 ? first : NULL;
}

void cli_map_init(struct cli_map *map, const struct cli_map_words *words)
{
    const char *lists[] = { words->inputs, words->outputs, words->rules,
                            words->allow };
    size_t      names = 0, bytes = 0, used = 0, size = 0;

    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        names += count_names(lists[i]);
        bytes += lists[i] != NULL ? strlen(lists[i]) + 1 : 0;
    }
    map->names   = cli_allocate(names + 1, sizeof *map->names);
    map->texts   = cli_allocate(bytes + 1, 1);
    map->options = (struct tn_map_options){
        .signature     = words->signature,
        .receipt       = words->receipt,
        .folds_nothing = words->fold == 2,
        .only_rules    = words->only_rules,
    };
    struct tn_map_options *o = &map->options;
    o->inputs  = take_names(map, lists[0], &used, &size, &o->input_count);
    o->outputs = take_names(map, lists[1], &used, &size, &o->output_count);
    o->rules   = take_names(map, lists[2], &used, &size, &o->rule_count);
    o->allow   = take_names(map, lists[3], &used, &size, &o->allow_count);
}

void cli_map_done(struct cli_map *map)
{
    free(map->names);
    free(map->texts);
}

/* ---- files of rules ----------------------------------------------------- */

bool cli_is_about_rules(const struct tn_map_options *map,
                        const struct tn_error       *error)
{
    size_t most = sizeof error->file - 1; /* a longer name is cut */

    for (uint32_t i = 0; i < map->rule_count; i++)
        if (error->file[0] != '\0' &&
            strncmp(error->file, map->rules[i], most) == 0)
            return true;
    return false;
}

int cli_fail_rules(const struct cli_common *common,
                   const struct tn_error   *error)
{
    struct tn_error copy = *error;
    int             code = cli_complain_file(&copy);

    size_t      size   = strlen(error->file);
    const char *ending = size > 6 ? error->file + size - 6 : "";
    if (!common->is_quiet && error->status == TN_MALFORMED)
        cli_hint_command(strcmp(ending, ".rules") == 0 ? "rules check"
                                                       : "rules ls",
                         error->file, "tries it without a model");
    return code;
}

/* ---- rows --------------------------------------------------------------- */

struct plan {
    struct cli_json json;
    struct cli_text stubs;
    const char     *from; /* of the step being printed; NULL: none yet        */
    const char *stub_from; /* of the last stub; NULL: none yet             */
    uint64_t    later;     /* ops with a rule that rules have made            */
    bool        is_first;  /* the step being printed takes the model's own */
    bool        is_json;
};

static void add_op(struct cli_text *text, const struct tn_plan_row *row)
{
    if (row->domain.size > 0) {
        cli_text_safe(text, row->domain);
        cli_text_add(text, "::");
    }
    cli_text_safe(text, row->op);
}

static void print_reasons(const struct tn_plan_row *row)
{
    struct cli_text text = { 0 };

    for (const char *line = row->why; line != NULL && *line != '\0';) {
        size_t size = strcspn(line, "\n");
        cli_text_add(&text, "        ");
        cli_text_safe(&text, (struct tn_bytes){ (const uint8_t *)line, size });
        cli_text_add(&text, "\n");
        line += size + (line[size] == '\n');
    }
    cli_print(stdout, CLI_PLAIN, &text);
    cli_text_done(&text);
}

/* A stub is a whole file: a line that says from where to where, and a rule.
 * The rules of one step go into one file, which has that line once. */
static void keep_stub(struct plan *plan, const struct tn_plan_row *row)
{
    const char *stub = row->stub;

    if (row->is_allowed || stub == NULL)
        return;
    cli_text_add(&plan->stubs, "\n");
    if (plan->stub_from != row->from)
        cli_text_add(&plan->stubs, "# to fill in, in a file for --rules\n");
    else
        stub += strcspn(stub, "\n");
    while (plan->stub_from == row->from && *stub == '\n')
        stub++;
    plan->stub_from = row->from;
    cli_text_add(&plan->stubs, stub);
}

static void print_row(struct plan *plan, const struct tn_plan_row *row)
{
    struct cli_text text = { 0 };

    if (plan->from != row->from) {
        printf("%s%s -> %s\n", plan->from != NULL ? "\n" : "", row->from,
               row->to);
        plan->is_first = plan->from == NULL;
    }
    plan->from = row->from;
    if (row->rule != NULL && !plan->is_first)
        plan->later += row->count;
    cli_text_add(&text, "  ");
    add_op(&text, row);
    while (cli_text_width(&text) < 30)
        cli_text_add(&text, " ");
    cli_text_addf(&text, " %6llu  ", (unsigned long long)row->count);
    cli_text_safe(&text, cli_bytes(row->rule != NULL ? row->rule
                                   : row->is_allowed ? "allowed"
                                                     : "no rule"));
    if (row->rule == NULL && row->where[0] != '\0') {
        cli_text_add(&text, ": ");
        cli_text_safe(&text, cli_bytes(row->where));
    }
    cli_text_add(&text, "\n");
    cli_print(stdout,
              row->rule == NULL && !row->is_allowed ? CLI_RED : CLI_PLAIN,
              &text);
    cli_text_done(&text);
    if (row->rule == NULL)
        print_reasons(row);
}

static void put_row(struct plan *plan, const struct tn_plan_row *row)
{
    struct cli_json *json = &plan->json;

    cli_json_open_flat(json, '{');
    cli_json_put_string(json, "from", row->from);
    cli_json_put_string(json, "to", row->to);
    cli_json_put_bytes(json, "op", row->op);
    cli_json_put_bytes(json, "domain", row->domain);
    cli_json_put_number(json, "count", row->count);
    cli_json_put_string(json, "where", row->where);
    cli_json_key(json, "rule");
    if (row->rule != NULL)
        cli_json_string(json, row->rule);
    else
        cli_json_null(json);
    if (row->rule == NULL) {
        cli_json_put_string(json, "why", row->why);
        cli_json_put_string(json, "stub", row->stub);
        cli_json_put_bool(json, "is_allowed", row->is_allowed);
    }
    cli_json_close(json, '}');
}

static void on_row(void *context, const struct tn_plan_row *row)
{
    struct plan *plan = context;

    if (plan->is_json) {
        put_row(plan, row);
        return;
    }
    print_row(plan, row);
    if (row->rule == NULL)
        keep_stub(plan, row);
}

/* ---- the whole ---------------------------------------------------------- */

static void print_end(const struct plan            *plan,
                      const struct tn_plan_summary *summary)
{
    struct cli_text text = { 0 };

    cli_print(stdout, CLI_PLAIN, &plan->stubs);
    if (strstr(summary->way, "->") == NULL) {
        printf("%s: the dialect stays, and needs no rule\n", summary->way);
        return;
    }
    cli_text_addf(&text, "\n%s: ", summary->way);
    cli_show_plural(&text, summary->mapped - plan->later, "op has", "ops have");
    cli_text_add(&text, " a rule");
    if (summary->allowed > 0) {
        cli_text_add(&text, ", ");
        cli_show_plural(&text, summary->allowed, "is allowed", "are allowed");
    }
    if (summary->unmapped > 0) {
        cli_text_add(&text, ", ");
        cli_show_plural(&text, summary->unmapped, "has none", "have none");
    }
    cli_text_add(&text, "\n");
    cli_print(stdout, CLI_PLAIN, &text);
    cli_text_done(&text);
}

static void put_end(struct plan *plan, const struct tn_plan_summary *summary)
{
    cli_json_close(&plan->json, ']');
    cli_json_put_string(&plan->json, "format", summary->format);
    cli_json_put_string(&plan->json, "way", summary->way);
    cli_json_put_number(&plan->json, "mapped", summary->mapped);
    cli_json_put_number(&plan->json, "allowed", summary->allowed);
    cli_json_put_number(&plan->json, "unmapped", summary->unmapped);
    cli_json_end(&plan->json);
}

int cli_convert_plan(struct cli_session *session, const struct tn_model *model,
                     const struct tn_convert_options *convert)
{
    const struct cli_common *common  = session->common;
    struct tn_error          error   = TN_ERROR_INIT;
    struct tn_plan_summary   summary = { 0 };
    struct plan              plan    = { .is_json = common->is_json };

    if (plan.is_json) {
        cli_json_begin(&plan.json, "tenon.plan/1");
        cli_json_put_string(&plan.json, "path", tn_model_path(model));
        cli_json_key(&plan.json, "ops");
        cli_json_open(&plan.json, '[');
    }
    enum tn_status status =
        tn_plan(model, convert, common->out, &session->options, on_row, &plan,
                &summary, &error);
    cli_session_clear(session);
    if (plan.is_json)
        put_end(&plan, &summary);
    else if (status == TN_OK)
        print_end(&plan, &summary);
    cli_text_done(&plan.stubs);
    if (status != TN_OK && cli_is_about_rules(convert->map, &error))
        return cli_fail_rules(common, &error);
    if (status != TN_OK)
        return cli_fail(common, tn_model_path(model), &error);
    return summary.unmapped > 0 ? 1 : 0;
}
