/*
 * paddle_format.c - the format paddle: a program and its parameters
 *
 *   DIR/__model__ + DIR/NAME...        one file for each stored variable
 *   DIR/MODEL + DIR/PARAMS             `__params__` or `params`: all in one
 *   PREFIX.pdmodel + PREFIX.pdiparams  the same under the names of 2.x
 *
 * There is no magic number: a program is known by the fields of its first
 * block, never by its name.
 */
#include "format/paddle/paddle.h"
#include "format/paddle/paddle_files.h"
#include "format/settings.h"
#include "format/text_model.h"

/* ---- texts about a program, and fields that are left behind -------------- */

void tn_paddle_describe(const struct tn_model *model, struct tn_about *about)
{
    const struct tn_paddle_detail *detail = model->detail;

    if (detail && detail->has_version)
        tn_about_add_number(about, "paddle.version", detail->version);
}

/* clang-format off */

/* Where sequences begin (lod_level) goes along when an input NAME@lod is asked
 * for; that a tensor may have them does not. */
const struct tn_rest_row tn_paddle_taken_by_graph[] = {
    { TN_PADDLE_MESSAGE, NULL, "blocks version!" },
    { "paddle.framework.proto.BlockDesc", NULL, "idx! parent_idx! vars ops" },
    { "paddle.framework.proto.VarDesc", NULL, "name! type persistable!" },
    { "paddle.framework.proto.VarType", NULL, "type! selected_rows! lod_tensor tensor_array reader! string! strings! vocab! sparse_coo! sparse_csr!" },
    { "paddle.framework.proto.VarType.LoDTensorDesc", NULL, "tensor!" },
    { "paddle.framework.proto.VarType.LoDTensorArrayDesc", NULL, "tensor!" },
    { "paddle.framework.proto.OpDesc", NULL, "inputs! outputs! type! attrs!" },
    { NULL, NULL, NULL },
};

/* "The graph is left behind" stands for the blocks. */
const struct tn_rest_row tn_paddle_taken_by_tensors[] = {
    { TN_PADDLE_MESSAGE, NULL, "blocks! version! op_version_map!" },
    { NULL, NULL, NULL },
};
/* clang-format on */

enum tn_status tn_paddle_report_rest(const struct tn_model         *model,
                                     const struct tn_write_options *options,
                                     bool is_bare, struct tn_error *error)
{
    const struct tn_paddle_detail *detail = model->detail;

    (void)is_bare;
    if (detail && (detail->info.source || detail->meta.source))
        tn_lose(options, TN_NOWHERE, "",
                "left behind: the files .info and .meta beside the parameters");
    return error->status;
}

/* ---- looking ------------------------------------------------------------ */

struct words {
    bool has_blocks, has_stranger;
};

static bool note_word(void *context, struct tn_bytes name)
{
    struct words *words    = context;
    bool          is_block = tn_bytes_is(name, "blocks");

    words->has_blocks |= is_block;
    words->has_stranger = !is_block && !tn_bytes_is(name, "version") &&
                          !tn_bytes_is(name, "op_version_map") &&
                          !tn_bytes_is(name, "opVersionMap"); /* JSON */
    return !words->has_stranger;
}

/* Many JSON files have a "version"; a program has blocks, and no other fields
 * at its root. */
static bool is_program_text(struct tn_bytes head)
{
    struct tn_bytes word;
    struct words    words = { 0 };

    if (!tn_is_text(head, &word) || !note_word(&words, word))
        return false;
    tn_text_roots(head, note_word, &words);
    return words.has_blocks && !words.has_stranger;
}

static int probe_folder(const struct tn_probe *probe)
{
    bool has_model = false, has_params = false;

    for (uint64_t i = 0; i < probe->entry_count; i++) {
        if (!strcmp(probe->entries[i], "__model__"))
            return 32;
        has_model |= !strcmp(probe->entries[i], "model");
        has_params |= !strcmp(probe->entries[i], "params") ||
                      !strcmp(probe->entries[i], "__params__");
    }
    return has_model && has_params ? 20 : 0;
}

static int paddle_probe(const struct tn_probe *probe)
{
    if (probe->entries)
        return probe_folder(probe);
    if (tn_paddle_is_pickled_program(probe->head))
        return 64;
    return tn_paddle_is_program(probe->head) ? 56 : 0;
}

static int text_probe(const struct tn_probe *probe)
{
    return !probe->entries && is_program_text(probe->head) ? 24 : 0;
}

/* ---- opening ------------------------------------------------------------ */

static enum tn_status paddle_open(struct tn_bundle *bundle,
                                  struct tn_model  *model,
                                  struct tn_error  *error)
{
    const char *name = bundle->name;

    if (!bundle->main)
        TN_TRY(tn_paddle_program_in(bundle, &name, error));
    return tn_paddle_open_program(bundle, model, name, error);
}

static const struct tn_format_setting *const settings[] = {
    &tn_paddle_setting_external,
    &tn_paddle_setting_layout,
    NULL,
};

const struct tn_format tn_format_paddle = {
    .name        = "paddle",
    .has_levels  = true,
    .title       = "PaddlePaddle program",
    .dialect     = "paddle",
    .dialect_ops = &tn_dialect_paddle,
    .suffixes    = (const char *const[]){ ".pdmodel", "__model__", NULL },
    .schema      = TN_PB_PADDLE,
    .message     = TN_PADDLE_MESSAGE,
    .probe       = paddle_probe,
    .open        = paddle_open,
    .is_part_of  = tn_paddle_is_part_of,
    .check       = tn_paddle_check,
    .check_graph = tn_paddle_check_graph,
    .write       = tn_paddle_write,

    .describe         = tn_paddle_describe,
    .report_rest      = tn_paddle_report_rest,
    .taken_by_graph   = tn_paddle_taken_by_graph,
    .strips_ops       = true,
    .settings         = settings,
    .taken_by_tensors = tn_paddle_taken_by_tensors,
};

const struct tn_format tn_format_paddle_text = {
    .name        = "paddle-text",
    .has_levels  = true,
    .title       = "PaddlePaddle program as text",
    .dialect     = "paddle",
    .dialect_ops = &tn_dialect_paddle,
    .suffixes = (const char *const[]){ ".pdmodel.txt", "__model__.txt", NULL },
    .schema   = TN_PB_PADDLE,
    .message  = TN_PADDLE_MESSAGE,
    .probe    = text_probe,
    .open     = paddle_open,
    .check    = tn_paddle_check,
    .check_graph = tn_paddle_check_graph,
    .write       = tn_paddle_write_text,

    .describe         = tn_paddle_describe,
    .report_rest      = tn_paddle_report_rest,
    .taken_by_graph   = tn_paddle_taken_by_graph,
    .strips_ops       = true,
    .settings         = settings,
    .taken_by_tensors = tn_paddle_taken_by_tensors,
};
