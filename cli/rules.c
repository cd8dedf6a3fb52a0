/* rules.c - tenon rules: op descriptors and mapping rules, shown and exported
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules.h"
#include "failure.h"
#include "pager.h"
#include "print.h"
#include "session.h"
#include "show.h"
#include "verb_table.h"

struct rules_opts {
    struct cli_common common;
    const char       *vocabulary, *rules, *to, *inputs;
    uint64_t          opset;
    bool              exports_ops, exports_rules;
    bool              is_strict, is_list, is_binary;
};

#define FIELD(f) offsetof(struct rules_opts, f)
/* clang-format off */
static const struct cli_opt options[] = {
    { CLI_FILE, 0, "vocabulary", FIELD(vocabulary),    "FILE", "op definitions of nd4j, TensorFlow or ONNX" },
    { CLI_FILE, 0, "rules",      FIELD(rules),         "FILE", "mapping rules" },
    { CLI_TEXT, 0, "to",         FIELD(to),            "FORMAT", "coverage: the target format" },
    { CLI_TEXT, 0, "inputs",     FIELD(inputs),        "TYPES", "interpret: input types: x:float32[2,?] k:int64=3" },
    { CLI_NUMBER, 0, "opset",    FIELD(opset),         "N",    "interpret: opset of an ONNX node; default: newest" },
    { CLI_FLAG, 0, "strict",     FIELD(is_strict),     NULL,   "interpret: fail instead of assuming anything" },
    { CLI_FLAG, 0, "list",       FIELD(is_list),       NULL,   "interpret: always print an OpDescriptorList" },
    { CLI_FLAG, 0, "binary",     FIELD(is_binary),     NULL,   "interpret: binary protobuf, not text" },
    { CLI_FLAG, 0, "ops",        FIELD(exports_ops),   NULL,   "export op descriptors; the default without rules" },
    { CLI_FLAG, 0, "mappings",   FIELD(exports_rules), NULL,   "export mapping rules; the default with rules" },
    { 0 },
};
/* clang-format on */

/* ---- files -------------------------------------------------------------- */

/* Files of the options first, then those among the arguments. */
struct files {
    const char *items[64];
    uint32_t    count;
};

static bool add_file(struct files *files, const char *path)
{
    if (path == NULL)
        return true;
    if (files->count == sizeof files->items / sizeof files->items[0])
        return false;
    files->items[files->count++] = path;
    return true;
}

static bool gather(struct files *files, const struct rules_opts *opts,
                   const struct cli_args *args, int first)
{
    bool is_ok =
        add_file(files, opts->vocabulary) && add_file(files, opts->rules);

    for (int i = first; i < args->count; i++)
        is_ok = is_ok && add_file(files, args->items[i]);
    return is_ok;
}

static int open_files(struct cli_session *session, const struct files *files,
                      struct tn_interpreter **interpreter)
{
    struct tn_error               error = TN_ERROR_INIT;
    struct tn_interpreter_options what  = { .files      = files->items,
                                            .file_count = files->count };

    if (tn_interpreter_open(interpreter, &what, &session->options, &error) ==
        TN_OK)
        return 0;
    return cli_print_file_error(&error);
}

/* ---- ls ----------------------------------------------------------------- */

static void fill_mapper(void *context, uint64_t row, struct cli_text *cells)
{
    struct tn_mapper_info info = tn_interpreter_mapper(context, (uint32_t)row);

    cli_text_safe(&cells[0], info.framework);
    cli_text_safe(&cells[1], info.op_type);
    cli_text_safe(&cells[2], info.name);
    cli_text_addf(&cells[3], "%u", (unsigned)info.rule_count);
    if (info.defect_count > 0)
        cli_text_addf(&cells[4], "%u", (unsigned)info.defect_count);
}

static void fill_op(void *context, uint64_t row, struct cli_text *cells)
{
    const struct tn_op_descriptor *op =
        tn_interpreter_op(context, (uint32_t)row);

    cli_text_safe(&cells[0], op->name);
    cli_text_addf(&cells[1], "%d", (int)op->in_count);
    cli_text_addf(&cells[2], "%d", (int)op->out_count);
    cli_text_addf(&cells[3], "%d", (int)op->t_count);
    cli_text_addf(&cells[4], "%d", (int)op->i_count);
    cli_text_add(&cells[5], op->is_inplaceable ? "yes" : "-");
    cli_text_add(&cells[6], tn_declaration_name(op->declaration));
}

static void list_for_people(struct tn_interpreter *interpreter)
{
    static const struct cli_column mappers[] = {
        { .title = "FROM" },
        { .title = "OPERATOR", .colour = CLI_BOLD },
        { .title = "ND4J" },
        { .title = "RULES", .is_right = true },
        { .title = "DEFECTS", .is_right = true, .colour = CLI_YELLOW },
    };
    static const struct cli_column ops[] = {
        { .title = "OPERATOR", .colour = CLI_BOLD },
        { .title = "IN", .is_right = true },
        { .title = "OUT", .is_right = true },
        { .title = "T", .is_right = true },
        { .title = "I", .is_right = true },
        { .title = "INPLACE" },
        { .title = "DECLARED AS" },
    };
    uint32_t         count = tn_interpreter_mapper_count(interpreter);
    struct cli_table table = {
        .column_count = count > 0 ? 5 : 7,
        .columns      = count > 0 ? mappers : ops,
        .row_count = count > 0 ? count : tn_interpreter_op_count(interpreter),
        .on_row    = count > 0 ? fill_mapper : fill_op,
        .context   = interpreter,
    };

    if (table.row_count > 0)
        cli_print_table(stdout, &table);
}

static void put_names(struct cli_json *json, const struct tn_op_descriptor *op)
{
    for (unsigned k = 0; k < TN_LIST_COUNT; k++) {
        cli_json_key(json, tn_arg_list_name((enum tn_arg_list)k));
        cli_json_open_flat(json, '[');
        for (uint32_t i = 0; i < op->lists[k].count; i++)
            cli_json_bytes(json, op->lists[k].items[i].name);
        cli_json_close(json, ']');
    }
}

static void list_for_programs(const struct tn_interpreter *interpreter)
{
    struct cli_json json;

    cli_json_begin(&json, "tenon.rules/1");
    cli_json_key(&json, "mappers");
    cli_json_open(&json, '[');
    for (uint32_t i = 0; i < tn_interpreter_mapper_count(interpreter); i++) {
        struct tn_mapper_info info = tn_interpreter_mapper(interpreter, i);
        cli_json_open_flat(&json, '{');
        cli_json_put_bytes(&json, "framework", info.framework);
        cli_json_put_bytes(&json, "operator", info.op_type);
        cli_json_put_bytes(&json, "nd4j", info.name);
        cli_json_put_number(&json, "rules", info.rule_count);
        cli_json_put_number(&json, "defects", info.defect_count);
        cli_json_close(&json, '}');
    }
    cli_json_close(&json, ']');
    cli_json_key(&json, "operators");
    cli_json_open(&json, '[');
    for (uint32_t i = 0; i < tn_interpreter_op_count(interpreter); i++) {
        const struct tn_op_descriptor *op = tn_interpreter_op(interpreter, i);
        cli_json_open_flat(&json, '{');
        cli_json_put_bytes(&json, "name", op->name);
        cli_json_put_string(&json, "declared_as",
                            tn_declaration_name(op->declaration));
        cli_json_put_bool(&json, "inplaceable", op->is_inplaceable);
        put_names(&json, op);
        cli_json_close(&json, '}');
    }
    cli_json_end_list(&json);
}

static int run_ls(struct cli_session *session, const struct rules_opts *opts,
                  const struct files *files)
{
    struct tn_interpreter *interpreter;
    int                    code = open_files(session, files, &interpreter);

    if (code != 0)
        return code;
    if (opts->common.is_json)
        list_for_programs(interpreter);
    else
        list_for_people(interpreter);
    tn_interpreter_close(interpreter);
    return cli_finish(0);
}

/* ---- explain ------------------------------------------------------------ */

static const char *const explain_words[] = { "rule",  "reads", "drops",
                                             "gives", "unset", "defect" };

static bool is_asked(struct tn_mapper_info info, const char *op)
{
    struct tn_bytes name = cli_bytes(op);

    return name.size > 0 &&
           ((info.op_type.size == name.size &&
             !memcmp(info.op_type.data, name.data, name.size)) ||
            (info.name.size == name.size &&
             !memcmp(info.name.data, name.data, name.size)));
}

static void print_head(struct tn_mapper_info info)
{
    struct cli_text line = { 0 };

    cli_text_safe(&line, info.framework);
    cli_text_add(&line, " ");
    cli_text_safe(&line, info.op_type);
    cli_text_add(&line, " -> nd4j ");
    cli_text_safe(&line, info.name);
    cli_text_add(&line, "\n");
    cli_print(stdout, CLI_BOLD, &line);
    cli_text_done(&line);
}

static enum tn_status explain_one(struct tn_interpreter *interpreter,
                                  uint32_t mapper, struct cli_json *json,
                                  struct tn_error *error)
{
    struct tn_mapper_info info = tn_interpreter_mapper(interpreter, mapper);
    struct cli_explaining explaining = { explain_words, 7, json };

    if (json == NULL) {
        print_head(info);
        return tn_interpreter_explain(interpreter, mapper, cli_explain_line,
                                      &explaining, error);
    }
    cli_json_open(json, '{');
    cli_json_put_bytes(json, "framework", info.framework);
    cli_json_put_bytes(json, "operator", info.op_type);
    cli_json_put_bytes(json, "nd4j", info.name);
    cli_json_key(json, "lines");
    cli_json_open(json, '[');
    tn_interpreter_explain(interpreter, mapper, cli_explain_line, &explaining,
                           error);
    cli_json_close(json, ']');
    cli_json_close(json, '}');
    return error->status;
}

static int explain_all(struct cli_session    *session,
                       struct tn_interpreter *interpreter, const char *op,
                       struct cli_json *json)
{
    struct tn_error error = TN_ERROR_INIT;
    uint32_t        found = 0;

    for (uint32_t i = 0; i < tn_interpreter_mapper_count(interpreter); i++) {
        if (!is_asked(tn_interpreter_mapper(interpreter, i), op))
            continue;
        found++;
        if (explain_one(interpreter, i, json, &error) != TN_OK)
            return cli_fail(session->common, op, &error);
    }
    return found > 0 ? 0 : CLI_NO;
}

static int run_explain(struct cli_session      *session,
                       const struct rules_opts *opts, const char *op,
                       const struct files *files)
{
    struct tn_interpreter *interpreter;
    struct cli_json        json;
    int                    code = open_files(session, files, &interpreter);

    if (code != 0)
        return code;
    if (opts->common.is_json)
        cli_json_begin_list(&json, "tenon.rules-explain/1", "mappers");
    code = explain_all(session, interpreter, op,
                       opts->common.is_json ? &json : NULL);
    if (opts->common.is_json)
        cli_json_end_list(&json);
    tn_interpreter_close(interpreter);
    if (code == CLI_NO)
        cli_say("no mapper reads or produces '%s'", op);
    return cli_finish(code);
}

/* ---- check -------------------------------------------------------------- */

struct checking {
    struct tn_mapper_info mapper;
    struct cli_json      *json; /* NULL: for people                           */
    uint64_t              count;
};

static void put_defect(struct checking *c, const char *what)
{
    cli_json_open_flat(c->json, '{');
    cli_json_put_bytes(c->json, "framework", c->mapper.framework);
    cli_json_put_bytes(c->json, "operator", c->mapper.op_type);
    cli_json_put_bytes(c->json, "nd4j", c->mapper.name);
    cli_json_put_string(c->json, "what", what);
    cli_json_close(c->json, '}');
}

static void print_defect(const struct checking *c, const char *what)
{
    struct cli_text line = { 0 };

    cli_text_safe(&line, c->mapper.framework);
    cli_text_add(&line, " ");
    cli_text_safe(&line, c->mapper.op_type);
    cli_text_add(&line, ": ");
    cli_text_safe(&line, cli_bytes(what));
    cli_text_add(&line, "\n");
    cli_print(stdout, CLI_PLAIN, &line);
    cli_text_done(&line);
}

static void on_line(void *context, enum tn_explain_kind kind, const char *what)
{
    struct checking *c = context;

    if (kind != TN_EXPLAIN_DEFECT)
        return;
    c->count++;
    if (c->json)
        put_defect(c, what);
    else
        print_defect(c, what);
}

static void print_fine(const struct tn_interpreter *interpreter)
{
    struct cli_text line = { 0 };

    cli_show_plural(&line, tn_interpreter_mapper_count(interpreter), "mapper",
                    "mappers");
    cli_text_add(&line, ", nothing is wrong\n");
    cli_print(stdout, CLI_BOLD, &line);
    cli_text_done(&line);
}

static void check_all(struct tn_interpreter *interpreter, struct checking *c,
                      struct tn_error *error)
{
    for (uint32_t i = 0; i < tn_interpreter_mapper_count(interpreter); i++) {
        c->mapper = tn_interpreter_mapper(interpreter, i);
        if (c->mapper.defect_count > 0 &&
            tn_interpreter_explain(interpreter, i, on_line, c, error) != TN_OK)
            return;
    }
}

/* Mapping rules of Deeplearning4j: opening them checks them against both
 * vocabularies. */
static int run_check(struct cli_session *session, const struct rules_opts *opts,
                     const struct files *files)
{
    struct tn_error        error = TN_ERROR_INIT;
    struct cli_json        json;
    struct checking        c = { .json = opts->common.is_json ? &json : NULL };
    struct tn_interpreter *interpreter;
    int                    code = open_files(session, files, &interpreter);

    if (code != 0)
        return code;
    if (c.json)
        cli_json_begin_list(&json, "tenon.rules-check/1", "findings");
    check_all(interpreter, &c, &error);
    if (c.json)
        cli_json_end_list(&json);
    else if (c.count == 0 && error.status == TN_OK)
        print_fine(interpreter);
    tn_interpreter_close(interpreter);
    if (error.status != TN_OK)
        return cli_fail(session->common, "rules", &error);
    return cli_finish(c.count > 0 ? CLI_NO : 0);
}

/* ---- export and extract ------------------------------------------------- */

static int write_out(struct cli_session *session, const struct rules_opts *opts,
                     struct tn_interpreter *interpreter)
{
    const char      *out    = opts->common.out != NULL ? opts->common.out : "-";
    struct tn_target target = cli_target(&opts->common, out);
    struct tn_error  error  = TN_ERROR_INIT;
    bool             wants_rules =
        opts->exports_rules ||
        (!opts->exports_ops && tn_interpreter_mapper_count(interpreter) > 0);
    enum tn_status status = tn_interpreter_export(
        interpreter, wants_rules ? TN_EXPORT_RULES : TN_EXPORT_OPS,
        opts->common.is_json ? TN_DUMP_JSON : TN_DUMP_TEXT, &target, &error);

    tn_interpreter_close(interpreter);
    return status == TN_OK ? 0 : cli_fail(session->common, out, &error);
}

static int run_export(struct cli_session      *session,
                      const struct rules_opts *opts, const struct files *files)
{
    struct tn_interpreter *interpreter;
    int                    code = open_files(session, files, &interpreter);

    return code != 0 ? code : write_out(session, opts, interpreter);
}

static int run_extract(struct cli_session      *session,
                       const struct rules_opts *opts,
                       const struct cli_args   *args)
{
    struct tn_error        error = TN_ERROR_INIT;
    struct tn_interpreter *interpreter;

    if (tn_interpreter_extract(
            &interpreter, (const char *const *)(args->items + 1),
            (uint32_t)(args->count - 1), &session->options, &error) != TN_OK)
        return cli_print_file_error(&error);
    if (tn_interpreter_op_count(interpreter) == 0) {
        tn_interpreter_close(interpreter);
        cli_say("no op declarations found in %s",
                args->count > 2 ? "these files" : args->items[1]);
        return CLI_NO;
    }
    return write_out(session, opts, interpreter);
}

/* ---- the verb ----------------------------------------------------------- */

/* Rule files in our own language; -1: the action is not for them. */
static int run_own(struct cli_session *session, const struct rules_opts *opts,
                   const struct cli_args *args, const struct files *files)
{
    struct cli_own_rules own  = { session, files->items, files->count,
                                  opts->common.is_json };
    const char          *word = args->items[0];

    if (!strcmp(word, "check") && cli_are_rules(&own))
        return cli_own_rules_check(&own);
    if (!strcmp(word, "test"))
        return cli_own_rules_test(&own);
    if (!cli_are_own_rules(files->items, files->count))
        return -1;
    if (!strcmp(word, "ls"))
        return cli_own_rules_ls(&own);
    if (!strcmp(word, "explain"))
        return cli_own_rules_explain(&own, args->items[1]);
    return -1;
}

static int run_coverage(struct cli_session      *session,
                        const struct rules_opts *opts,
                        const struct cli_args   *args)
{
    struct files files = { .count = 0 };

    if (args->count < 2)
        return cli_usage("rules", "coverage needs a model");
    if (!gather(&files, opts, args, 2))
        return cli_usage("rules", "too many files");
    const struct cli_coverage what = { args->items[1], opts->to, files.items,
                                       files.count };
    session->options.wants_graph   = true;
    return cli_coverage(session, &what);
}

static int run_interpret(struct cli_session      *session,
                         const struct rules_opts *opts,
                         const struct cli_args   *args)
{
    struct files files = { .count = 0 };

    if (args->count < 2)
        return cli_usage("rules", "interpret needs a node or a file");
    if (!gather(&files, opts, args, 2))
        return cli_usage("rules", "too many files");
    const struct cli_interpret how = {
        .what       = args->items[1],
        .inputs     = opts->inputs,
        .opset      = opts->opset,
        .is_strict  = opts->is_strict,
        .is_list    = opts->is_list,
        .is_binary  = opts->is_binary,
        .files      = files.items,
        .file_count = files.count,
    };
    if (how.is_binary && cli_refuse_terminal("rules", opts->common.out) != 0)
        return CLI_USAGE;
    return cli_interpret(session, &how);
}

/* The output must not overwrite an input: rules, vocabularies, nodes,
 * models. */
static int spare_files(const struct rules_opts *opts,
                       const struct cli_args   *args)
{
    int code = cli_refuse_input(&opts->common, opts->vocabulary);

    if (code == 0)
        code = cli_refuse_input(&opts->common, opts->rules);
    for (int i = 1; i < args->count && code == 0; i++)
        code = cli_refuse_input(&opts->common, args->items[i]);
    return code;
}

static int run_rules(const void *opts, const struct cli_args *args)
{
    const struct rules_opts *o          = opts;
    const char              *word       = args->items[0];
    struct files             files      = { .count = 0 };
    bool                     is_explain = !strcmp(word, "explain");
    struct cli_session       session;
    int                      code;

    if (o->exports_ops && o->exports_rules)
        return cli_usage("rules",
                         "--ops and --mappings cannot be used together");
    if (is_explain && args->count < 2)
        return cli_usage("rules", "explain needs an operator");
    if ((code = spare_files(o, args)) != 0)
        return code;
    cli_session_begin_writing(&session, opts);
    if (!strcmp(word, "coverage"))
        return run_coverage(&session, o, args);
    if (!strcmp(word, "interpret"))
        return run_interpret(&session, o, args);
    if (!strcmp(word, "extract"))
        return args->count < 2 ? cli_usage("rules", "extract needs C++ files")
                               : run_extract(&session, o, args);
    if (!gather(&files, o, args, is_explain ? 2 : 1))
        return cli_usage("rules", "too many files");
    if (is_explain || !strcmp(word, "ls"))
        cli_pager_begin();
    code = run_own(&session, o, args, &files);
    if (code >= 0)
        return code;
    if (!strcmp(word, "ls"))
        return run_ls(&session, o, &files);
    if (is_explain)
        return run_explain(&session, o, args->items[1], &files);
    if (!strcmp(word, "check"))
        return run_check(&session, o, &files);
    if (!strcmp(word, "export"))
        return run_export(&session, o, &files);
    return cli_usage("rules",
                     "unknown action '%s': use ls, explain, check, test, "
                     "coverage, interpret, export or extract",
                     word);
}

const struct cli_verb cli_rules = {
    .name      = "rules",
    .arguments = "ACTION [FILE...]",
    .summary   = "list, check, explain and export conversion rules",
    .details   = "  ls                       list all rules, one per line\n"
                 "  explain OP               explain the rules that read or "
                 "make OP\n"
                 "  check                    find mistakes in rules\n"
                 "  test                     run the examples under rules\n"
                 "  coverage MODEL           show the rule for each operator "
                 "of MODEL;\n"
                 "                           rules in FILEs come first\n"
                 "  interpret NODE           print the op descriptors that a "
                 "node becomes;\n"
                 "                           NODE is a file or text, or a model "
                 "for all nodes\n"
                 "  export                   print import-ir messages, for "
                 "Deeplearning4j\n"
                 "  extract FILE...          read op descriptors from "
                 "libnd4j's C++\n\n"
                 "FILEs are vocabularies and rules, recognized by their "
                 "content.  Without FILEs,\nthe built-in rules are used.",
    .examples  = "tenon rules explain Conv\n"
                 "tenon rules coverage tiny.onnx\n"
                 "tenon rules interpret 'op_type: \"Relu\" input: \"x\"'\n"
                 "tenon rules check my.rules",
    .words     = "ls|explain|check|test|coverage|interpret|export|extract",
    .least     = 1,
    .most      = CLI_MANY,
    .groups    = CLI_FETCHES | CLI_WRITES | CLI_REPORTS | CLI_SHOWS,
    .opts_size = sizeof(struct rules_opts),
    .options   = options,
    .run       = run_rules,
};
