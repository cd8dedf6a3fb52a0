/* paddle_about.c - what a program says about itself, and what else is in it */
#include "format/paddle/paddle.h"

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

enum tn_status tn_paddle_tell_rest(const struct tn_model         *model,
                                   const struct tn_write_options *options,
                                   bool is_bare, struct tn_error *error)
{
    const struct tn_paddle_detail *detail = model->detail;

    (void)is_bare;
    if (detail && options->loss && (detail->info.source || detail->meta.source))
        options->loss(options->loss_context, TN_NOWHERE, "",
                      "left behind: the files .info and .meta beside the "
                      "parameters");
    return error->status;
}
