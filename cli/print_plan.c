/*
 * print_plan.c - tenon convert --plan: the rule of every op
 *
 *   onnx -> nd4j
 *   Conv       53  onnx_nd4j.rules:140
 *   Foo         1  -  graph.node[3]
 *                     there is no rule for it
 *
 * Then, for each op without a rule, one to fill in, all of a step in one file.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "convert.h"
#include "failure.h"
#include "json.h"
#include "pager.h"
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

/* "batch": letters and digits, a letter first. */
static bool is_dim_name(const char *text)
{
    static const char signs[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

    return text[0] != '\0' && (text[0] < '0' || text[0] > '9') &&
           strspn(text, signs) == strlen(text);
}

/* "224", or "?" or a name for a dimension that stays open. */
static bool take_dim(const char *text, int64_t *dim, const char **name)
{
    char *end;

    if (strcmp(text, "?") == 0 || is_dim_name(text)) {
        *dim  = -1;
        *name = text[0] == '?' ? "" : text;
        return true;
    }
    errno = 0;
    long long value =
        text[0] >= '0' && text[0] <= '9' ? strtoll(text, &end, 10) : -1;
    *dim = value;
    return value >= 0 && errno == 0 && *end == '\0';
}

/* "x=1", "224", "y=": what has '=' begins the shape of another input. */
static bool take_shapes(struct cli_map *map, const char **words, uint32_t count)
{
    struct tn_map_options *o = &map->options;

    map->shapes  = cli_allocate(count + 1, sizeof *map->shapes);
    map->dims    = cli_allocate(count + 1, sizeof *map->dims);
    map->symbols = cli_allocate(count + 1, sizeof *map->symbols);
    for (uint32_t i = 0; i < count; i++) {
        char       *equals = strrchr(words[i], '=');
        const char *dim    = equals != NULL ? equals + 1 : words[i];
        if (equals != NULL) {
            *equals = '\0';
            map->shapes[o->shape_count++] =
                (struct tn_input_shape){ .name    = words[i],
                                         .dims    = map->dims + i,
                                         .symbols = map->symbols + i };
        }
        if (o->shape_count == 0 ||
            map->shapes[o->shape_count - 1].name[0] == '\0')
            return false;
        if (equals != NULL && *dim == '\0') {
            if (i + 1 < count && strchr(words[i + 1], '=') == NULL)
                return false; /* "x=,3" */
            continue;         /* a scalar has no dims */
        }
        struct tn_input_shape *shape = &map->shapes[o->shape_count - 1];
        if (!take_dim(dim, &map->dims[i], &map->symbols[i]))
            return false;
        shape->rank++;
    }
    o->shapes = map->shapes;
    return true;
}

int cli_map_init(struct cli_map *map, const struct cli_map_words *words)
{
    const char *lists[] = { words->inputs, words->outputs, words->rules,
                            words->allow, words->shapes };
    uint32_t    pieces;
    size_t      names = 0, bytes = 0, used = 0, size = 0;

    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        names += count_names(lists[i]);
        bytes += lists[i] != NULL ? strlen(lists[i]) + 1 : 0;
    }
    map->names   = cli_allocate(names + 1, sizeof *map->names);
    map->texts   = cli_allocate(bytes + 1, 1);
    map->options = (struct tn_map_options){
        .signature       = words->signature,
        .receipt         = words->receipt,
        .folds_nothing   = words->fold == CLI_FOLD_NONE,
        .folds_shapes    = words->fold == CLI_FOLD_SHAPES,
        .only_rules      = words->only_rules,
        .simplifies      = words->simplify == 2,
        .keeps_nodes     = words->simplify == 1,
        .fold_limit      = words->fold_limit,
        .via             = words->via,
        .channels_first  = words->nchw,
        .keeps_quantized = words->keep_quantized,
        .opset =
            words->opset > UINT32_MAX ? UINT32_MAX : (uint32_t)words->opset,
    };
    struct tn_map_options *o = &map->options;
    o->inputs  = take_names(map, lists[0], &used, &size, &o->input_count);
    o->outputs = take_names(map, lists[1], &used, &size, &o->output_count);
    o->rules   = take_names(map, lists[2], &used, &size, &o->rule_count);
    o->allow   = take_names(map, lists[3], &used, &size, &o->allow_count);
    const char **shapes = map->names + used;
    take_names(map, lists[4], &used, &size, &pieces);
    map->shapes  = NULL;
    map->dims    = NULL;
    map->symbols = NULL;
    if (words->shapes != NULL &&
        (pieces == 0 || !take_shapes(map, shapes, pieces)))
        return cli_usage("convert",
                         "--shape takes NAME=DIMS, such as x=1,224,224,3 or "
                         "x=1,3,y=?,10, not '%s'",
                         words->shapes);
    return 0;
}

void cli_map_done(struct cli_map *map)
{
    free(map->shapes);
    free(map->dims);
    free(map->symbols);
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
    int             code = cli_print_file_error(&copy);

    size_t      size   = strlen(error->file);
    const char *ending = size > 6 ? error->file + size - 6 : "";
    if (!common->is_quiet && error->status == TN_MALFORMED)
        cli_hint_command(strcmp(ending, ".rules") == 0 ? "rules check"
                                                       : "rules ls",
                         error->file, "tries it without a model");
    return code;
}

/* ---- rows --------------------------------------------------------------- */

enum { FROM, TO, OP, DOMAIN, WHERE, RULE, WHY, STUB, TEXTS };

/* A row that is kept until all passes are printed. */
struct kept {
    struct tn_plan_row row; /* its texts are in `text`                        */
    struct cli_text    text;
    size_t             starts[TEXTS];
};

struct plan {
    struct cli_json json;
    struct cli_text stubs;
    struct kept    *rows;
    size_t          count, room;
    const char     *from; /* of the step being printed; NULL: none yet        */
    const char *stub_from; /* of the last stub; NULL: none yet             */
    uint64_t    later;     /* ops with a rule that rules have made            */
    bool        is_first;  /* the step being printed takes the model's own */
    bool        is_json, has_passes;
    const struct tn_plan_summary *summary;
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
        cli_text_clear(&text);
        cli_text_add(&text, "        ");
        cli_text_safe(&text, (struct tn_bytes){ (const uint8_t *)line, size });
        cli_print_wrapped(stdout, CLI_PLAIN, 0, 10, &text);
        line += size + (line[size] == '\n');
    }
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
    bool is_next =
        plan->stub_from == NULL || strcmp(plan->stub_from, row->from) != 0;
    if (is_next)
        cli_text_add(&plan->stubs, "# to fill in, in a file for --rules\n");
    else
        stub += strcspn(stub, "\n");
    while (!is_next && *stub == '\n')
        stub++;
    plan->stub_from = row->from;
    cli_text_add(&plan->stubs, stub);
}

static void print_row(struct plan *plan, const struct tn_plan_row *row)
{
    struct cli_text text = { 0 };

    if (plan->from == NULL || strcmp(plan->from, row->from) != 0) {
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
    cli_print_wrapped(
        stdout, row->rule == NULL && !row->is_allowed ? CLI_RED : CLI_PLAIN, 0,
        8, &text);
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

static struct kept *add_kept(struct plan *plan)
{
    if (plan->count == plan->room) {
        size_t       room = plan->room > 0 ? 2 * plan->room : 64;
        struct kept *rows = cli_allocate(room, sizeof *rows);

        if (plan->count > 0)
            memcpy(rows, plan->rows, plan->count * sizeof *rows);
        free(plan->rows);
        plan->rows = rows;
        plan->room = room;
    }
    plan->rows[plan->count] = (struct kept){ .text = { 0 } };
    return &plan->rows[plan->count++];
}

/* The library's texts end with its call. */
static void keep_row(void *context, const struct tn_plan_row *row)
{
    const char *texts[TEXTS] = {
        [FROM] = row->from, [TO] = row->to,   [WHERE] = row->where,
        [RULE] = row->rule, [WHY] = row->why, [STUB] = row->stub
    };
    struct kept *kept = add_kept(context);

    kept->row = *row;
    for (int i = 0; i < TEXTS; i++) {
        struct tn_bytes text = i == OP ? row->op
                               : i == DOMAIN
                                   ? row->domain
                                   : cli_bytes(texts[i] ? texts[i] : "");
        kept->starts[i]      = kept->text.size;
        cli_text_put(&kept->text, text.data, text.size);
        cli_text_put(&kept->text, "", 1);
    }
}

static const char *text_of(const struct kept *kept, int which, bool is_there)
{
    return is_there ? kept->text.data + kept->starts[which] : NULL;
}

static const struct tn_plan_row *look_at(struct kept *kept)
{
    struct tn_plan_row *row = &kept->row;

    row->from        = text_of(kept, FROM, true);
    row->to          = text_of(kept, TO, true);
    row->where       = text_of(kept, WHERE, true);
    row->rule        = text_of(kept, RULE, row->rule != NULL);
    row->why         = text_of(kept, WHY, row->why != NULL);
    row->stub        = text_of(kept, STUB, row->stub != NULL);
    row->op.data     = (const uint8_t *)text_of(kept, OP, true);
    row->domain.data = (const uint8_t *)text_of(kept, DOMAIN, true);
    return row;
}

static void print_rows(struct plan *plan)
{
    for (size_t i = 0; i < plan->count; i++) {
        const struct tn_plan_row *row = look_at(&plan->rows[i]);
        if (plan->is_json) {
            put_row(plan, row);
            continue;
        }
        print_row(plan, row);
        if (row->rule == NULL)
            keep_stub(plan, row);
    }
}

/* ---- passes ------------------------------------------------------------- */

static void print_pass(const struct tn_plan_pass *pass)
{
    struct cli_text text = { 0 };

    cli_pager_begin();
    cli_text_addf(&text, "  %-8s %s", pass->name, pass->what);
    while (cli_text_width(&text) < 62)
        cli_text_add(&text, " ");
    cli_text_add(&text, " ");
    cli_show_plural(&text, pass->nodes, "node", "nodes");
    if (pass->did[0] != '\0')
        cli_text_addf(&text, ", %s", pass->did);
    cli_print_wrapped(stdout, CLI_PLAIN, 0, 11, &text);
    cli_text_done(&text);
}

static void put_pass(struct cli_json *json, const struct tn_plan_pass *pass)
{
    cli_json_open_flat(json, '{');
    cli_json_put_string(json, "dialect", pass->dialect);
    cli_json_put_string(json, "name", pass->name);
    cli_json_put_string(json, "what", pass->what);
    cli_json_put_string(json, "did", pass->did);
    cli_json_put_number(json, "nodes", pass->nodes);
    cli_json_close(json, '}');
}

static void on_pass(void *context, const struct tn_plan_pass *pass)
{
    struct plan *plan = context;

    if (!plan->is_json && !plan->has_passes)
        printf("%s\n", plan->summary->way);
    plan->has_passes = true;
    if (plan->is_json)
        put_pass(&plan->json, pass);
    else
        print_pass(pass);
}

/* ---- the whole ---------------------------------------------------------- */

/* After the passes. */
static void print_table(struct plan *plan)
{
    cli_pager_begin();
    if (plan->has_passes && plan->count > 0)
        printf("\n");
    print_rows(plan);
}

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
    cli_json_key(&plan->json, "ops");
    cli_json_open(&plan->json, '[');
    print_rows(plan);
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
    struct plan plan = { .is_json = common->is_json, .summary = &summary };
    struct tn_plan_listener listener = { .pass    = on_pass,
                                         .op      = keep_row,
                                         .context = &plan };

    if (plan.is_json) {
        cli_json_begin(&plan.json, "tenon.plan/2");
        cli_json_put_string(&plan.json, "path", tn_model_path(model));
        cli_json_key(&plan.json, "passes");
        cli_json_open(&plan.json, '[');
    }
    enum tn_status status =
        tn_plan(model, convert, common->out, &session->options, &listener,
                &summary, &error);
    cli_session_clear(session);
    if (plan.is_json)
        put_end(&plan, &summary);
    else
        print_table(&plan);
    if (!plan.is_json && status == TN_OK)
        print_end(&plan, &summary);
    cli_text_done(&plan.stubs);
    for (size_t i = 0; i < plan.count; i++)
        cli_text_done(&plan.rows[i].text);
    free(plan.rows);
    if (status != TN_OK && cli_is_about_rules(convert->map, &error))
        return cli_fail_rules(common, &error);
    if (status != TN_OK)
        return cli_fail(common, tn_model_path(model), &error);
    return summary.unmapped > 0 ? 1 : 0;
}
