/* simplify.c - tenon simplify: the same ONNX graph with fewer nodes */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "convert.h"
#include "failure.h"
#include "format_options.h"
#include "json.h"
#include "losses.h"
#include "onnxruntime.h"
#include "print.h"
#include "session.h"
#include "show.h"
#include "verb_table.h"

struct simplify_opts {
    struct cli_common common;
    uint64_t          fold_limit;
    const char       *receipt;
    unsigned          fold; /* enum cli_fold */
    bool              is_strict, force_invalid, checks;
};

#define FIELD(f) offsetof(struct simplify_opts, f)
/* clang-format off */
static const struct cli_opt options[] = {
    { CLI_CHOICE, 0, "fold",       FIELD(fold),       "all|shapes|none", "what to compute from constants; default: all" },
    { CLI_SIZE,   0, "fold-limit", FIELD(fold_limit), "SIZE",     "a constant may grow by this much; default: 64KiB" },
    { CLI_FILE,   0, "receipt",    FIELD(receipt),    "FILE",     "write what became of tensors and nodes, as JSON lines" },
    { CLI_FLAG,   0, "check",      FIELD(checks),     NULL,       "compare OUT with FILE: types, shapes, results" },
    { CLI_FLAG,   0, "strict",     FIELD(is_strict),  NULL,       "fail if anything would be lost" },
    { CLI_FLAG,   0, "force-invalid", FIELD(force_invalid), NULL, "simplify even if 'tenon check' finds errors" },
    { 0 },
};
/* clang-format on */

/* ---- operators before and after ----------------------------------------- */

/* How often an operator is there, before and after. */
struct row {
    const struct tn_op_kind *kind;
    uint64_t                 before, after;
};

/* Those whose number has changed. */
struct operators {
    uint64_t    nodes_before, nodes_after;
    struct row *rows;
    size_t      count;
    bool        is_known; /* false: nobody counted them */
};

static int compare_bytes(struct tn_bytes a, struct tn_bytes b)
{
    size_t size = a.size < b.size ? a.size : b.size;
    int    sign = size > 0 ? memcmp(a.data, b.data, size) : 0;

    return sign != 0 ? sign : (a.size > b.size) - (a.size < b.size);
}

static int compare_kinds(const struct tn_op_kind *a, const struct tn_op_kind *b)
{
    int sign = compare_bytes(a->domain, b->domain);

    return sign != 0 ? sign : compare_bytes(a->type, b->type);
}

static int by_name(const void *left, const void *right)
{
    const struct row *a = left, *b = right;

    return compare_kinds(a->kind, b->kind);
}

static int by_number(const void *left, const void *right)
{
    const struct row *a = left, *b = right;

    if (a->before != b->before)
        return a->before < b->before ? 1 : -1;
    if (a->after != b->after)
        return a->after < b->after ? 1 : -1;
    return compare_kinds(a->kind, b->kind);
}

static size_t add_rows(struct row *rows, const struct tn_model *model,
                       bool is_after)
{
    uint32_t count = tn_model_op_kind_count(model);

    for (uint32_t i = 0; i < count; i++) {
        const struct tn_op_kind *kind = tn_model_op_kind(model, i);
        rows[i] = (struct row){ kind, is_after ? 0 : kind->count,
                                is_after ? kind->count : 0 };
    }
    return count;
}

/* Two rows of one operator become one; those that say the same go. */
static size_t merge_rows(struct row *rows, size_t count)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        struct row row = rows[i];
        if (i + 1 < count && compare_kinds(row.kind, rows[i + 1].kind) == 0) {
            i++;
            row.before += rows[i].before;
            row.after += rows[i].after;
        }
        if (row.before != row.after)
            rows[kept++] = row;
    }
    return kept;
}

static void count_operators(struct operators      *ops,
                            const struct tn_model *before,
                            const struct tn_model *after)
{
    size_t room =
        (size_t)tn_model_op_kind_count(before) + tn_model_op_kind_count(after);

    ops->is_known     = true;
    ops->nodes_before = tn_model_node_count(before);
    ops->nodes_after  = tn_model_node_count(after);
    ops->rows         = cli_allocate(room + 1, sizeof *ops->rows);
    ops->count        = add_rows(ops->rows, before, false);
    ops->count += add_rows(ops->rows + ops->count, after, true);
    qsort(ops->rows, ops->count, sizeof *ops->rows, by_name);
    ops->count = merge_rows(ops->rows, ops->count);
    qsort(ops->rows, ops->count, sizeof *ops->rows, by_number);
}

static void fill_row(void *context, uint64_t index, struct cli_text *cells)
{
    const struct operators *ops = context;
    const struct row       *row = &ops->rows[index];

    if (index == ops->count) {
        cli_text_add(&cells[0], "all nodes");
        cli_text_number(&cells[1], ops->nodes_before);
        cli_text_number(&cells[2], ops->nodes_after);
        return;
    }
    cli_text_safe(&cells[0], row->kind->type);
    cli_text_number(&cells[1], row->before);
    cli_text_number(&cells[2], row->after);
    cli_text_safe(&cells[3], row->kind->domain);
}

static void print_operators(struct operators *ops)
{
    static const struct cli_column columns[] = {
        { .title = "operator" },
        { .title = "before", .is_right = true },
        { .title = "after", .is_right = true },
        { .colour = CLI_DIM },
    };
    struct cli_table table = {
        .indent       = 2,
        .column_count = 4,
        .columns      = columns,
        .row_count    = ops->count + 1,
        .on_row       = fill_row,
        .context      = ops,
    };

    cli_print_table(stdout, &table);
}

static void put_operators(struct cli_json *json, const struct operators *ops)
{
    cli_json_put_number(json, "nodes_before", ops->nodes_before);
    cli_json_put_number(json, "nodes_after", ops->nodes_after);
    cli_json_key(json, "operators");
    cli_json_open(json, '[');
    for (uint64_t i = 0; i < ops->count; i++) {
        cli_json_open_flat(json, '{');
        cli_json_put_bytes(json, "type", ops->rows[i].kind->type);
        cli_json_put_bytes(json, "domain", ops->rows[i].kind->domain);
        cli_json_put_number(json, "before", ops->rows[i].before);
        cli_json_put_number(json, "after", ops->rows[i].after);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

/* ---- comparing ---------------------------------------------------------- */

/* Of --check. */
struct verdict {
    bool                  is_asked, is_same; /* inputs and outputs            */
    char                  what[160];         /* that is not                   */
    struct cli_comparison outputs;
};

/* Whether everything that is known about the old input or output still holds
 * for the new one. */
static bool is_same_io(const struct tn_io *was, const struct tn_io *is)
{
    bool is_same = compare_bytes(was->name, is->name) == 0 &&
                   was->dtype == is->dtype && strcmp(was->note, is->note) == 0;

    if (!is_same || !was->has_rank)
        return is_same;
    is_same = is->has_rank && was->rank == is->rank;
    for (uint32_t i = 0; is_same && i < was->rank; i++)
        is_same =
            was->dims[i].value < 0 || was->dims[i].value == is->dims[i].value;
    return is_same;
}

/* Inputs with a default become constants. */
static bool are_same(struct tn_io_list was, struct tn_io_list is,
                     struct verdict *verdict)
{
    uint32_t at = 0;

    for (uint32_t i = 0; i < was.count; i++) {
        if (was.items[i].has_default)
            continue;
        if (at < is.count && is_same_io(&was.items[i], &is.items[at++]))
            continue;
        snprintf(verdict->what, sizeof verdict->what, "'%.*s'",
                 (int)was.items[i].name.size,
                 (const char *)was.items[i].name.data);
        return false;
    }
    return at == is.count;
}

static int judge(const struct tn_model *before, const struct tn_model *after,
                 struct verdict *verdict)
{
    verdict->is_same =
        are_same(tn_model_inputs(before), tn_model_inputs(after), verdict) &&
        are_same(tn_model_outputs(before), tn_model_outputs(after), verdict);
    if (verdict->is_same)
        cli_compare_outputs(before, tn_model_path(after), &verdict->outputs);
    return verdict->is_same && verdict->outputs.agreement != CLI_DIFFER
               ? 0
               : CLI_NO;
}

static void print_verdict(const struct verdict *verdict)
{
    static const char *const words[] = {
        [CLI_AGREE]        = "the same on random inputs",
        [CLI_DIFFER]       = "DIFFERENT on random inputs",
        [CLI_NOT_COMPARED] = "not compared",
    };
    struct cli_text text = { 0 };

    cli_text_add(&text, "  types and shapes of inputs and outputs: ");
    if (verdict->is_same) {
        cli_text_addf(&text, "the same\n  outputs: %s (",
                      words[verdict->outputs.agreement]);
        cli_text_safe(&text, cli_bytes(verdict->outputs.told));
        cli_text_add(&text, ")\n");
    } else {
        cli_text_add(&text, "DIFFERENT at ");
        cli_text_safe(&text, cli_bytes(verdict->what));
        cli_text_add(&text, "\n");
    }
    fwrite(text.data, 1, text.size, stdout);
    cli_text_done(&text);
}

static void put_verdict(struct cli_json *json, const struct verdict *verdict)
{
    static const char *const words[] = { [CLI_AGREE]        = "same",
                                         [CLI_DIFFER]       = "different",
                                         [CLI_NOT_COMPARED] = "not-compared" };

    cli_json_key(json, "check");
    cli_json_open_flat(json, '{');
    cli_json_put_bool(json, "same_types", verdict->is_same);
    cli_json_put_string(json, "outputs",
                        words[verdict->is_same ? verdict->outputs.agreement
                                               : CLI_NOT_COMPARED]);
    cli_json_put_string(
        json, "what", verdict->is_same ? verdict->outputs.told : verdict->what);
    cli_json_close(json, '}');
}

/* ---- telling ------------------------------------------------------------ */

static void put_report(const struct cli_common *common, const char *path,
                       const struct operators          *ops,
                       const struct verdict            *verdict,
                       const struct tn_convert_summary *summary,
                       const struct cli_losses         *losses)
{
    struct cli_json json;

    cli_json_begin(&json, "tenon.simplify/1");
    cli_json_put_string(&json, "path", path);
    cli_json_put_string(&json, "out", cli_path_shown(common->out));
    if (ops->is_known)
        put_operators(&json, ops);
    if (verdict->is_asked)
        put_verdict(&json, verdict);
    cli_json_put_number(&json, "bytes_written", summary->bytes_written);
    cli_json_put_number(&json, "losses", summary->losses);
    cli_losses_put(losses, &json);
    cli_json_put_bool(&json, "is_dry_run", common->is_dry_run);
    cli_json_end(&json);
}

/* Reads the result again, as any reader would. Output to a pipe, or of a dry
 * run, is not read. */
static int tell(struct cli_session *session, const struct simplify_opts *opts,
                const struct tn_model           *model,
                const struct tn_convert_summary *summary,
                const struct cli_losses         *losses)
{
    struct operators ops     = { 0 };
    struct verdict   verdict = { .is_asked = opts->checks };
    struct tn_model *after   = NULL;
    bool             is_file =
        strcmp(opts->common.out, "-") != 0 && !opts->common.is_dry_run;
    bool is_told = opts->common.is_json || !opts->common.is_quiet;
    int  code = 0, answer = 0;

    if (is_file && (is_told || opts->checks))
        code = cli_session_open(session, opts->common.out, &after);
    if (after != NULL)
        count_operators(&ops, model, after);
    if (after != NULL && opts->checks)
        answer = judge(model, after, &verdict);
    if (code == 0 && opts->common.is_json)
        put_report(&opts->common, tn_model_path(model), &ops, &verdict, summary,
                   losses);
    else if (code == 0 && after != NULL && is_told)
        print_operators(&ops);
    if (code == 0 && !opts->common.is_json && opts->checks && is_told)
        print_verdict(&verdict);
    if (code == 0 && !opts->common.is_json)
        cli_convert_receipt(&opts->common, tn_model_path(model), summary,
                            losses, losses);
    free(ops.rows);
    tn_model_close(after);
    return code != 0 ? code : answer;
}

/* ---- running ------------------------------------------------------------ */

static int simplify(struct cli_session         *session,
                    const struct simplify_opts *opts,
                    const struct tn_model      *model)
{
    struct tn_target      target = cli_target(&opts->common, opts->common.out);
    struct tn_error       error  = TN_ERROR_INIT;
    struct cli_losses     losses = { 0 };
    struct tn_map_options map    = { .simplifies   = true,
                                     .fold_limit   = opts->fold_limit,
                                     .receipt      = opts->receipt,
                                     .folds_shapes = opts->fold == CLI_FOLD_SHAPES,
                                     .folds_nothing =
                                         opts->fold == CLI_FOLD_NONE };
    struct tn_convert_summary summary = { 0 };
    struct tn_convert_options convert = {
        .settings      = opts->common.for_writing.items,
        .setting_count = opts->common.for_writing.count,
        .loss          = cli_losses_add,
        .loss_context  = &losses,
        .map           = &map,
        .is_strict     = opts->is_strict,
        .force_invalid = opts->force_invalid,
    };
    enum tn_status status = tn_convert(model, &convert, &target,
                                       &session->options, &summary, &error);
    int            code;

    cli_session_clear(session);
    if (!opts->common.is_quiet && (status == TN_OK || opts->is_strict))
        cli_losses_print(&losses, opts->common.out);
    if (status == TN_OK) {
        code = tell(session, opts, model, &summary, &losses);
    } else {
        code = cli_fail_writing(&opts->common, tn_model_path(model),
                                opts->common.out, &error);
        if (summary.findings > 0 && !opts->common.is_quiet)
            cli_hint("--force-invalid simplifies it anyway");
    }
    cli_losses_done(&losses);
    return code;
}

static int check_usage(const struct simplify_opts *opts)
{
    if (opts->common.out == NULL)
        return cli_usage("simplify", "give the output with -o OUT");
    int code = cli_check_settings("simplify", &opts->common.for_writing);
    if (code != 0)
        return code;
    if (opts->checks &&
        (strcmp(opts->common.out, "-") == 0 || opts->common.is_dry_run))
        return cli_usage("simplify", "--check needs a file to compare with");
    if (strcmp(opts->common.out, "-") == 0 && opts->common.is_json)
        return cli_usage("simplify", "--json and -o - cannot be used together");
    return cli_refuse_terminal("simplify", opts->common.out);
}

static int run_simplify(const void *opts, const struct cli_args *args)
{
    const struct simplify_opts *o     = opts;
    struct tn_model            *model = NULL;
    struct cli_session          session;

    int code = check_usage(o);
    if (code != 0)
        return code;
    cli_session_begin_writing(&session, opts);
    code = cli_session_open(&session, args->items[0], &model);
    if (code == 0)
        code = simplify(&session, o, model);
    tn_model_close(model);
    return code;
}

const struct cli_verb cli_simplify = {
    .name      = "simplify",
    .arguments = "FILE -o OUT",
    .summary   = "make a smaller graph that computes the same (ONNX, nd4j)",
    .details =
        "Computes what follows from constants and shapes, removes nodes that "
        "do nothing,\nmerges equal nodes, and prints the operators before and "
        "after.  Inputs and\noutputs stay the same.  OUT appears when it is "
        "complete.",
    .examples  = "tenon simplify tiny.onnx -o small.onnx",
    .least     = 1,
    .most      = 1,
    .groups    = CLI_READS | CLI_WRITES | CLI_REPORTS | CLI_SETTINGS | CLI_SHOWS,
    .opts_size = sizeof(struct simplify_opts),
    .options   = options,
    .run       = run_simplify,
};
