/* convert.c - tenon convert: the same model in another container or dialect */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "convert.h"
#include "failure.h"
#include "format_options.h"
#include "json.h"
#include "print.h"
#include "session.h"
#include "show.h"
#include "verb_table.h"

struct convert_opts {
    struct cli_common common;
    const char       *to;
    bool              is_plan, is_strict, force_invalid;

    struct cli_map_words map;
};

#define FIELD(f) offsetof(struct convert_opts, f)
/* clang-format off */
static const struct cli_opt options[] = {
    { CLI_FORMAT, 't', "to",         FIELD(to),         "FORMAT", "write FORMAT, whatever OUT is called" },
    { CLI_FLAG,   0,   "strict",     FIELD(is_strict),  NULL,     "fail if anything would be lost" },
    { CLI_FLAG,   'p', "plan",       FIELD(is_plan),    NULL,     "write nothing; print the passes and the rules" },
    { CLI_TEXT,   0,   "inputs",     FIELD(map.inputs), "NAMES",  "values that become the inputs: NAME[,NAME...]" },
    { CLI_TEXT,   0,   "outputs",    FIELD(map.outputs), "NAMES", "outputs to keep; what only others need is left out" },
    { CLI_TEXT,   0,   "shape",      FIELD(map.shapes), "NAME=DIMS", "shape of an input: x=1,224,224,3[,NAME=DIMS...]" },
    { CLI_TEXT,   0,   "signature",  FIELD(map.signature), "NAME", "use this signature; all: each as OUT/NAME.onnx" },
    { CLI_FILE,   0,   "rules",      FIELD(map.rules),  "FILES",  "your own rules, tried first: FILE[,FILE...]" },
    { CLI_FLAG,   0,   "only-rules", FIELD(map.only_rules), NULL,  "use only --rules where these lead to the target" },
    { CLI_TEXT,   0,   "allow",      FIELD(map.allow),  "OPS",    "ops that may stay as they are: OP[,OP...]" },
    { CLI_CHOICE, 0,   "fold",       FIELD(map.fold),   "all|shapes|none", "what to compute from constants; default: all" },
    { CLI_CHOICE, 0,   "simplify",   FIELD(map.simplify), "no|yes", "fewer ONNX nodes; default: yes, but not from ONNX" },
    { CLI_NUMBER, 0,   "opset",      FIELD(map.opset),  "N",      "ONNX opset, 11 or later; default: 17" },
    { CLI_FLAG,   0,   "nchw",       FIELD(map.nchw),   NULL,     "to ONNX: inputs and outputs as NCHW" },
    { CLI_FLAG,   0,   "keep-quantized", FIELD(map.keep_quantized), NULL, "to ONNX: weights of 8 bits stay 8 bits" },
    { CLI_TEXT,   0,   "via",        FIELD(map.via),    "DIALECT", "convert through this dialect: nd4j" },
    { CLI_FLAG,   0,   "force-invalid", FIELD(force_invalid), NULL, "convert even if 'tenon check' finds errors" },
    { CLI_FILE,   0,   "receipt",    FIELD(map.receipt), "FILE",  "write where each tensor came from, as JSON lines" },
    { 0 },
};
/* clang-format on */

static const char *out_name(const char *out)
{
    return strcmp(out, "-") == 0 ? "standard output" : cli_path_shown(out);
}

static void print_receipt(const struct cli_common         *common,
                          const struct tn_convert_summary *summary)
{
    struct cli_text text = { 0 };

    cli_text_safe(&text, cli_bytes(out_name(common->out)));
    cli_text_addf(&text, ": %s, ", summary->format);
    cli_text_bytes(&text, summary->bytes_written);
    cli_text_add(&text, common->is_dry_run ? " to write" : " written");
    if (summary->tensors_moved > 0) {
        cli_text_add(&text, ", ");
        cli_show_plural(&text, summary->tensors_moved, "tensor", "tensors");
        cli_text_add(&text, common->is_dry_run ? " to move" : " moved");
    }
    cli_text_add(&text,
                 common->is_dry_run ? " (nothing done: --dry-run)\n" : "\n");
    cli_print(stderr, CLI_PLAIN, &text);
    cli_text_done(&text);
}

/* With --json the receipt is the report, unless the model itself goes there. */
static void put_receipt(const struct cli_common *common, const char *path,
                        const struct tn_convert_summary *summary,
                        const struct cli_losses         *losses,
                        const struct cli_losses         *notes)
{
    struct cli_json json;

    cli_json_begin(&json, "tenon.convert/1");
    cli_json_put_string(&json, "path", cli_path_shown(path));
    cli_json_put_string(&json, "out", cli_path_shown(common->out));
    cli_json_put_string(&json, "format", summary->format);
    cli_json_put_number(&json, "bytes_written", summary->bytes_written);
    cli_json_put_number(&json, "tensors_moved", summary->tensors_moved);
    cli_json_put_number(&json, "losses", summary->losses);
    cli_losses_put(losses, &json);
    cli_notes_put(notes, &json);
    cli_json_put_number(&json, "findings", summary->findings);
    cli_json_put_bool(&json, "is_dry_run", common->is_dry_run);
    cli_json_end(&json);
}

enum tn_status cli_write_edited(struct cli_session *session, bool force_invalid,
                                const struct tn_model     *made,
                                struct cli_losses         *losses,
                                struct tn_convert_summary *summary,
                                struct tn_error           *error)
{
    const struct cli_common  *common  = session->common;
    struct tn_convert_options convert = {
        .settings      = common->for_writing.items,
        .setting_count = common->for_writing.count,
        .loss          = cli_losses_add,
        .loss_context  = losses,
        .force_invalid = force_invalid,
    };
    struct tn_target target = cli_target(common, common->out);

    return tn_edit_write(made, &convert, &target, &session->options, summary,
                         error);
}

void cli_convert_receipt(const struct cli_common *common, const char *path,
                         const struct tn_convert_summary *summary,
                         const struct cli_losses         *losses,
                         const struct cli_losses         *notes)
{
    if (common->is_json)
        put_receipt(common, path, summary, losses, notes);
    else if (!common->is_quiet)
        print_receipt(common, summary);
}

/* Errors in the graph that is converted, or in what became of it. */
struct findings {
    struct cli_text first; /* "graph.node[0]: ... [unknown-op]"              */
    uint64_t        count;
};

static int on_finding(void *context, const struct tn_finding *finding)
{
    struct findings *findings = context;

    if (findings->count++ > 0)
        return 0;
    cli_text_add(&findings->first, finding->where);
    cli_text_addf(&findings->first, ": %s [%s]", finding->what, finding->rule);
    return 0;
}

/* With --force-invalid, the errors are still printed. */
static void say_findings(struct findings *findings, const char *path,
                         const struct convert_opts *opts)
{
    struct cli_text text = { 0 };

    if (findings->count > 0 && opts->force_invalid && !opts->common.is_quiet) {
        cli_text_add(&text, "tenon: ");
        cli_text_safe(&text, cli_bytes(path));
        cli_text_add(&text, ": --force-invalid ignores ");
        cli_show_plural(&text, findings->count, "error", "errors");
        cli_text_add(&text, findings->count == 1 ? ": " : ", the first: ");
        cli_text_safe(&text, cli_text_view(&findings->first));
        cli_text_add(&text, "\n");
        cli_print(stderr, CLI_PLAIN, &text);
    }
    cli_text_done(&text);
    cli_text_done(&findings->first);
}

/* Where the name is one that another verb writes, say which. */
static void advise_format(const char *out, const char *to,
                          enum tn_status status)
{
    size_t      size = strlen(out);
    const char *end  = size > 4 ? out + size - 4 : "";

    if (strcmp(end, ".npy") == 0)
        cli_hint("'tenon get' writes one tensor as .npy");
    else if (strcmp(end, ".cpb") == 0)
        cli_hint("'tenon split' writes chunks");
    else if (status == TN_NOT_FOUND)
        cli_hint(to == NULL
                     ? "give it with --to; 'tenon formats' lists the formats"
                     : "'tenon formats' lists the formats that can be written");
}

static bool ends_in_slash(const char *path)
{
    size_t size = strlen(path);

    return size > 0 && path[size - 1] == '/';
}

#define NAMES_HINT "'tenon ls --ops' lists what each op takes and gives"

/* Most refusals of a conversion can be avoided with another option. */
static const char *advice_for(const struct tn_error *error)
{
    switch (error->reason) {
    case TN_REASON_NO_RULE:
        return "write rules for --rules (--plan prints stubs to fill in), keep "
               "operators as they are with --allow, or leave parts of the "
               "graph out with --inputs and --outputs";
    case TN_REASON_RULE_REFUSED:
        return "--inputs and --outputs leave parts of the graph out; --plan "
               "shows the rule of each operator, --rules adds your own";
    case TN_REASON_UNKNOWN_TYPE:
        return "the model does not say it: --inputs can begin the graph behind "
               "it";
    case TN_REASON_UNKNOWN_SIGNATURE:
        return "'tenon info' lists the signatures";
    case TN_REASON_SEVERAL_SIGNATURES: return "--signature chooses one";
    case TN_REASON_NO_SIGNATURE:
        return "--inputs and --outputs do; " NAMES_HINT;
    case TN_REASON_UNKNOWN_INPUT:
    case TN_REASON_UNKNOWN_OUTPUT:
        return "'tenon info' lists inputs and outputs, 'tenon ls --ops' what "
               "each op takes and gives";
    case TN_REASON_MISSING_INPUT: return "add it to --inputs; " NAMES_HINT;
    case TN_REASON_MISSING_VARIABLE:
        return "a graph alone holds no values of variables: convert the folder "
               "of the SavedModel, or freeze the graph first";
    case TN_REASON_NO_RECEIPT: return "'tenon hash' says what each tensor is";
    case TN_REASON_LOSSES: return "without --strict all the rest is written";
    default: return NULL;
    }
}

static bool is_open(const struct tn_io *input, const struct tn_map_options *map)
{
    bool is_any = !input->has_rank;

    for (uint32_t i = 0; i < map->shape_count; i++)
        if (input->name.size == strlen(map->shapes[i].name) &&
            memcmp(input->name.data, map->shapes[i].name, input->name.size) ==
                0)
            return false; /* given already */
    for (uint32_t i = 0; i < input->rank; i++)
        is_any |= input->dims[i].value < 0;
    return is_any;
}

/* "x=?,224,224,3,y=DIMS": inputs whose shapes are open, with what is known of
 * them; empty: there are none. */
static void add_open_shapes(struct cli_text *text, const struct tn_model *model,
                            const struct tn_map_options *map)
{
    enum { MOST = 5 };
    struct tn_io_list inputs = tn_model_inputs(model);
    uint32_t          count  = 0;

    for (uint32_t i = 0; i < inputs.count && count < MOST; i++) {
        const struct tn_io *input = &inputs.items[i];
        if (!is_open(input, map))
            continue;
        cli_text_add(text, count++ > 0 ? "," : "");
        cli_text_safe(text, input->name);
        cli_text_add(text, input->has_rank ? "=" : "=DIMS");
        for (uint32_t k = 0; k < input->rank; k++) {
            cli_text_add(text, k > 0 ? "," : "");
            if (input->dims[k].value < 0)
                cli_text_add(text, "?");
            else
                cli_text_addf(text, "%" PRId64, input->dims[k].value);
        }
    }
}

/* --shape helps if the missing facts follow from the shapes of inputs. */
static void advise_shape(const struct tn_map_options *map,
                         const struct tn_model       *model,
                         const struct tn_error       *error)
{
    struct cli_text text     = { 0 };
    bool            is_value = error->reason == TN_REASON_UNKNOWN_VALUE;

    if (map->input_count > 0) {
        cli_hint("--shape NAME=DIMS gives the shape of a chosen input");
        return;
    }
    add_open_shapes(&text, model, map);
    if (text.size > 0)
        cli_hint("shapes follow from those of the inputs: give them with "
                 "--shape '%.*s'%s%s",
                 (int)text.size, text.data,
                 memchr(text.data, '?', text.size)
                     ? ", with a number for each ?"
                     : "",
                 is_value ? "; a value that does not follow from shapes must "
                            "be a constant"
                          : "");
    else if (is_value)
        cli_hint("the conversion needs a constant there; --inputs can begin "
                 "the graph behind it");
    else
        cli_hint("--inputs can begin the graph behind it, and --shape tells "
                 "the shapes of these inputs");
    cli_text_done(&text);
}

static int fail(const struct convert_opts   *opts,
                const struct tn_map_options *map, const struct tn_model *model,
                const struct tn_error *error, bool is_invalid)
{
    const char *advice = advice_for(error);
    const char *codec  = cli_setting(&opts->common.for_writing, "compress");

    if (codec != NULL && cli_is_about_codec(error))
        return cli_refuse_codec("convert", codec);
    if (cli_is_about_rules(map, error))
        return cli_fail_rules(&opts->common, error);
    int code = cli_fail_writing(&opts->common, tn_model_path(model),
                                opts->common.out, error);
    if (opts->common.is_quiet)
        return code;
    if (error->reason == TN_REASON_UNKNOWN_TARGET_FORMAT ||
        error->reason == TN_REASON_UNWRITABLE_FORMAT)
        advise_format(opts->common.out, opts->to, error->status);
    if (error->reason == TN_REASON_NO_RULES && opts->to == NULL &&
        ends_in_slash(opts->common.out))
        cli_hint("an output whose name ends in '/' becomes a SavedModel; to "
                 "put a file there, add its name");
    if (advice != NULL)
        cli_hint("%s", advice);
    if (error->reason == TN_REASON_UNKNOWN_SHAPE ||
        error->reason == TN_REASON_UNKNOWN_VALUE)
        advise_shape(map, model, error);
    if (is_invalid && !opts->force_invalid)
        cli_hint("--force-invalid converts it anyway");
    return code;
}

/* Mentions a file that was requested but not written. */
static void say_nothing_outside(const struct convert_opts       *opts,
                                const struct tn_convert_summary *summary)
{
    const struct cli_settings *settings  = &opts->common.for_writing;
    const char                *external  = cli_setting(settings, "external");
    const char                *threshold = cli_setting(settings, "threshold");

    if (external != NULL && !opts->common.is_quiet &&
        cli_format_has(summary->format, "threshold") &&
        summary->tensors_outside == 0)
        cli_hint("all tensors are smaller than %s, so '%s' is not written; "
                 "--threshold 0 puts all of them there",
                 threshold != NULL ? threshold : "1KiB", external);
}

static int convert_model(struct cli_session          *session,
                         const struct convert_opts   *opts,
                         const struct tn_map_options *map,
                         const struct tn_model       *model)
{
    struct tn_target  target = cli_target(&opts->common, opts->common.out);
    struct tn_error   error  = TN_ERROR_INIT;
    struct cli_losses losses = { 0 }, notes = { 0 };
    struct findings   findings        = { 0 };
    struct tn_convert_summary summary = { 0 };
    struct tn_convert_options convert = {
        .to              = opts->to,
        .settings        = opts->common.for_writing.items,
        .setting_count   = opts->common.for_writing.count,
        .loss            = cli_losses_add,
        .loss_context    = &losses,
        .map             = map,
        .is_strict       = opts->is_strict,
        .force_invalid   = opts->force_invalid,
        .finding         = on_finding,
        .finding_context = &findings,
        .note            = cli_losses_add,
        .note_context    = &notes,
    };

    if (opts->is_plan)
        return cli_convert_plan(session, model, &convert);
    enum tn_status status = tn_convert(model, &convert, &target,
                                       &session->options, &summary, &error);

    cli_session_clear(session);
    /* If the model was not written for another reason, nothing was lost. */
    if (!opts->common.is_quiet && (status == TN_OK || opts->is_strict))
        cli_losses_print(&losses, opts->common.out);
    if (!opts->common.is_quiet && status == TN_OK)
        cli_losses_print(&notes, opts->common.out);
    if (status == TN_OK) {
        cli_convert_receipt(&opts->common, tn_model_path(model), &summary,
                            &losses, &notes);
        say_nothing_outside(opts, &summary);
    }
    cli_losses_done(&losses);
    cli_losses_done(&notes);
    say_findings(&findings, tn_model_path(model), opts);
    return status == TN_OK
               ? 0
               : fail(opts, map, model, &error, summary.findings > 0);
}

/* ---- every signature ---------------------------------------------------- */

static bool is_text(struct tn_bytes name, const char *text)
{
    return name.size == strlen(text) && memcmp(name.data, text, name.size) == 0;
}

static bool wants_all(const struct convert_opts *opts,
                      const struct tn_model     *model)
{
    if (opts->map.signature == NULL || strcmp(opts->map.signature, "all") != 0)
        return false;
    for (uint32_t i = 0; i < tn_model_signature_count(model); i++)
        if (is_text(tn_model_signature(model, i)->name, "all"))
            return false; /* that one */
    return true;
}

/* Signatures of the framework's own begin with two of these. */
static bool is_called(struct tn_bytes name)
{
    return name.size < 2 || memcmp(name.data, "__", 2) != 0;
}

#define SIGNATURE_MAX 200

/* A name of a file and nothing else. */
static bool is_file_name(struct tn_bytes name)
{
    for (size_t i = 0; i < name.size; i++)
        if (name.data[i] == '/' || name.data[i] < ' ' || name.data[i] == 127)
            return false;
    return name.size > 0 && name.size < SIGNATURE_MAX && name.data[0] != '.';
}

static int convert_signature(struct cli_session          *session,
                             const struct convert_opts   *opts,
                             const struct tn_map_options *map,
                             const struct tn_model *model, struct tn_bytes name)
{
    struct convert_opts   one = *opts;
    struct tn_map_options its = *map;
    char                  signature[SIGNATURE_MAX], out[4096];

    snprintf(signature, sizeof signature, "%.*s", (int)name.size,
             (const char *)name.data);
    int size =
        snprintf(out, sizeof out, "%s/%s.onnx", opts->common.out, signature);
    if (size < 0 || (size_t)size >= sizeof out)
        return cli_usage("convert", "the name of the folder is too long");
    one.common.out = out;
    one.to         = "onnx";
    its.signature  = signature;
    return convert_model(session, &one, &its, model);
}

/* Names come from the file, and must not lead outside of the folder. */
static int refuse_names(const struct tn_model *model)
{
    for (uint32_t i = 0; i < tn_model_signature_count(model); i++) {
        struct tn_bytes name = tn_model_signature(model, i)->name;
        struct cli_text safe = { 0 };
        if (!is_called(name) || is_file_name(name))
            continue;
        cli_text_safe(&safe, name);
        int code = cli_usage("convert",
                             "the signature '%.*s' cannot be the name of a "
                             "file: choose it with --signature",
                             (int)safe.size, safe.data);
        cli_text_done(&safe);
        return code;
    }
    return 0;
}

static int fail_without_signatures(const struct tn_model *model)
{
    struct tn_error error = { .status = TN_INVALID, .offset = TN_NOWHERE };

    snprintf(error.what, sizeof error.what,
             "the model has no signatures: --signature all has nothing to "
             "convert");
    return cli_print_error(tn_model_path(model), &error);
}

static int make_folder(const char *path)
{
    struct stat about;

    if (mkdir(path, 0777) == 0 ||
        (errno == EEXIST && stat(path, &about) == 0 && S_ISDIR(about.st_mode)))
        return 0;
    return errno == EEXIST ? cli_usage("convert",
                                       "--signature all writes into a folder, "
                                       "and '%s' is a file",
                                       path)
                           : cli_fail_errno("create the folder", path, errno);
}

/* Each into a file of its own. After a failure the remaining ones are not
 * converted. */
static int convert_all(struct cli_session          *session,
                       const struct convert_opts   *opts,
                       const struct tn_map_options *map,
                       const struct tn_model       *model)
{
    if (opts->is_plan || opts->common.is_json || map->receipt != NULL ||
        strcmp(opts->common.out, "-") == 0 || opts->to != NULL)
        return cli_usage("convert", "--signature all writes ONNX files into a "
                                    "folder, without --to, --plan, --json and "
                                    "--receipt");
    uint32_t count = 0;
    for (uint32_t i = 0; i < tn_model_signature_count(model); i++)
        count += is_called(tn_model_signature(model, i)->name);
    if (count == 0)
        return fail_without_signatures(model);
    int code = refuse_names(model);
    if (code == 0 && !opts->common.is_dry_run)
        code = make_folder(opts->common.out);
    for (uint32_t i = 0; code == 0 && i < tn_model_signature_count(model);
         i++) {
        struct tn_bytes name = tn_model_signature(model, i)->name;
        if (is_called(name))
            code = convert_signature(session, opts, map, model, name);
    }
    return code;
}

static int check_usage(const struct convert_opts *opts)
{
    if (opts->common.out == NULL)
        return cli_usage("convert", "give the output with -o OUT");
    int code = cli_check_settings("convert", &opts->common.for_writing);
    if (code != 0)
        return code;
    bool is_stream = strcmp(opts->common.out, "-") == 0;
    if (opts->is_plan)
        return 0;
    if (is_stream && opts->common.is_json)
        return cli_usage("convert", "--json and -o - cannot be used together");
    bool is_told = opts->map.receipt != NULL && !strcmp(opts->map.receipt, "-");
    if (is_told && (is_stream || opts->common.is_json))
        return cli_usage("convert",
                         "--receipt - and %s cannot be used together",
                         is_stream ? "-o -" : "--json");
    return cli_refuse_terminal("convert", opts->common.out);
}

static int run_convert(const void *opts, const struct cli_args *args)
{
    const struct convert_opts *o     = opts;
    struct tn_model           *model = NULL;
    struct cli_session         session;
    struct cli_map             map;

    int code = check_usage(opts);
    if (code != 0)
        return code;
    code = cli_map_init(&map, &o->map);
    if (code != 0) {
        cli_map_done(&map);
        return code;
    }
    cli_session_begin_writing(&session, opts);
    code = cli_session_open(&session, args->items[0], &model);
    if (code == 0)
        code = wants_all(o, model)
                   ? convert_all(&session, opts, &map.options, model)
                   : convert_model(&session, opts, &map.options, model);
    tn_model_close(model);
    cli_map_done(&map);
    return code;
}

const struct cli_verb cli_convert = {
    .name      = "convert",
    .arguments = "FILE -o OUT",
    .summary   = "convert a model to another format or dialect",
    .details   = "The format comes from the name of OUT, or from --to; 'tenon "
                 "formats' lists them.\n-o - keeps that of FILE.  OUT appears "
                 "when it is complete.",
    .examples  = "tenon convert tiny.onnx -o tiny.samediff\n"
                 "tenon convert --plan tiny.onnx -o tiny.fb\n"
                 "tenon convert tiny.onnx -o big.onnx --external big.bin "
                 "--threshold 100",
    .least     = 1,
    .most      = 1,
    .groups    = CLI_READS | CLI_WRITES | CLI_REPORTS | CLI_SETTINGS | CLI_SHOWS,
    .opts_size = sizeof(struct convert_opts),
    .options   = options,
    .run       = run_convert,
};
