/*
 * interpret.c - tenon rules interpret: a node as nd4j ops
 *
 * What is given is a file with a node or with a whole model, or the node
 * itself, as protobuf text.
 */
#include "rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "failure.h"
#include "text.h"
#include "verb_table.h"

/* ---- what is given ------------------------------------------------------ */

/* Text of a node has a colon or a brace, and a file is there or is not. */
static bool is_node(const char *what)
{
    struct stat status;

    if (strcmp(what, "-") == 0 || stat(what, &status) == 0)
        return false;
    return strpbrk(what, ":{") != NULL && strpbrk(what, " \"'{") != NULL;
}

/* ---- interpreting ------------------------------------------------------- */

static enum tn_status of_node(const struct cli_interpret *how, bool is_quiet,
                              struct tn_interpreter    *interpreter,
                              struct tn_bytes           node,
                              struct tn_op_descriptor **op,
                              struct tn_error          *error)
{
    struct tn_interpret_context context = { .opset     = (int64_t)how->opset,
                                            .is_strict = true,
                                            .inputs    = how->inputs };

    if (tn_interpret_node(op, interpreter, node, &context, error) == TN_OK ||
        how->is_strict ||
        (error->status != TN_UNSUPPORTED && error->status != TN_MALFORMED))
        return error->status;
    context.is_strict = false;
    *error            = (struct tn_error)TN_ERROR_INIT;
    if (tn_interpret_node(op, interpreter, node, &context, error) != TN_OK)
        return error->status;
    if (is_quiet)
        return TN_OK;
    if ((*op)->assumed.size > 0)
        cli_say("assumed, because it is not given: %.*s",
                (int)(*op)->assumed.size, (const char *)(*op)->assumed.data);
    else
        cli_say("the value of an input is unknown; 0 is assumed");
    cli_hint("--inputs 'NAME:TYPE[DIMS]' describes an input");
    return TN_OK;
}

/* A model that has operators; NULL if it is not one. */
static struct tn_model *open_model(const struct cli_session *session,
                                   const char               *path)
{
    struct tn_options options = session->options;
    struct tn_error   unheard = TN_ERROR_INIT;
    struct tn_model  *model   = NULL;

    options.wants_graph = true;
    if (strcmp(path, "-") == 0 ||
        tn_model_open(&model, path, &options, &unheard) != TN_OK)
        return NULL;
    if (tn_model_op_count(model) > 0)
        return model;
    tn_model_close(model);
    return NULL;
}

/* Weights that are beside the model are its own as well. */
static int spare_weights(const struct cli_session *session,
                         const struct tn_model    *model)
{
    const char     *path = tn_model_path(model), *slash = strrchr(path, '/');
    struct stat     about;
    struct cli_text file = { 0 };
    int             code = 0;

    if (session->common->out == NULL || stat(session->common->out, &about) != 0)
        return 0;
    for (uint64_t i = 0; i < tn_model_tensor_count(model) && code == 0; i++) {
        const char *name = tn_tensor_file(tn_model_tensor(model, i));
        if (name == NULL || name[0] == '\0')
            continue;
        cli_text_clear(&file);
        cli_text_put(&file, path,
                     slash != NULL ? (size_t)(slash - path) + 1 : 0);
        cli_text_put(&file, name, strlen(name) + 1);
        code = cli_refuse_input(session->common, file.data);
    }
    cli_text_done(&file);
    return code;
}

/* Would it help to tell more about the node's inputs? */
static bool is_unknown(enum tn_reason reason)
{
    return reason == TN_REASON_UNKNOWN_TYPE ||
           reason == TN_REASON_UNKNOWN_SHAPE ||
           reason == TN_REASON_UNKNOWN_VALUE;
}

static int interpret(struct cli_session         *session,
                     const struct cli_interpret *how,
                     struct tn_interpreter      *interpreter,
                     struct tn_op_descriptor   **op)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct cli_text  bytes = { 0 };
    struct tn_model *model = NULL;
    int              code  = 0;

    if (is_node(how->what))
        of_node(how, session->common->is_quiet, interpreter,
                cli_bytes(how->what), op, &error);
    else if ((model = open_model(session, how->what)) != NULL) {
        code =
            how->inputs != NULL || how->opset > 0
                ? cli_usage(
                      "rules",
                      "--inputs and --opset need a node, but '%s' is a model",
                      how->what)
                : spare_weights(session, model);
        if (code == 0)
            tn_interpret_model(op, interpreter, model, &error);
    } else if ((code = cli_session_read(session, how->what, &bytes)) == 0)
        of_node(how, session->common->is_quiet, interpreter,
                cli_text_view(&bytes), op, &error);
    bool is_model = model != NULL;
    tn_model_close(model);
    cli_text_done(&bytes);
    if (code != 0 || error.status == TN_OK)
        return code;
    if (is_model)
        return cli_fail(session->common, how->what, &error);
    code = cli_print_error(is_node(how->what) ? "node" : how->what, &error);
    if (!session->common->is_quiet && is_unknown(error.reason))
        cli_hint("--inputs 'NAME:TYPE[DIMS]' describes an input");
    return code;
}

/* ---- printing ----------------------------------------------------------- */

static int print(const struct cli_session      *session,
                 const struct cli_interpret    *how,
                 const struct tn_op_descriptor *op)
{
    const char *out = session->common->out != NULL ? session->common->out : "-";
    struct tn_target        target = cli_target(session->common, out);
    struct tn_error         error  = TN_ERROR_INIT;
    enum tn_descriptor_form form   = how->is_binary ? TN_DESCRIPTOR_BINARY
                                     : session->common->is_json
                                         ? TN_DESCRIPTOR_JSON
                                         : TN_DESCRIPTOR_TEXT;

    if (tn_op_descriptor_write(op, form, how->is_list || op->next != NULL,
                               &target, &error) != TN_OK)
        return cli_fail(session->common, out, &error);
    return 0;
}

int cli_interpret(struct cli_session *session, const struct cli_interpret *how)
{
    struct tn_interpreter_options files = { .files      = how->files,
                                            .file_count = how->file_count };
    struct tn_error               error = TN_ERROR_INIT;
    struct tn_interpreter        *interpreter;
    struct tn_op_descriptor      *op = NULL;

    if (tn_interpreter_open(&interpreter, &files, &session->options, &error) !=
        TN_OK)
        return cli_print_file_error(&error);
    int code = interpret(session, how, interpreter, &op);
    if (code == 0)
        code = print(session, how, op);
    tn_op_descriptor_close(op);
    tn_interpreter_close(interpreter);
    return code;
}
