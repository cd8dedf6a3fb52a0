/* edit_opset.c - writes a model in another opset, as an action of an edit */
#include "engine/edit_opset.h"

#include "engine/convert_dialect.h"
#include "format/onnx/onnx.h"

enum tn_status tn_edit_set_opset(struct tn_edit *edit, uint32_t opset,
                                 struct tn_error *error)
{
    const struct tn_model *base = edit->draft.base;
    struct tn_map_options  map  = { .opset = opset };
    struct tn_conversion   c    = { .how     = &map,
                                    .options = &edit->options,
                                    .format  = tn_opened_of(base)->format };

    if (!tn_dialect_facts(tn_model_dialect(base))->lists_io)
        return tn_error_set(
            error, TN_INVALID, TN_NOWHERE,
            "an opset can be chosen only for ONNX, and this is %s",
            base->title);
    if (tn_conversion_make(&c, base, error) == TN_OK &&
        tn_onnx_keep_texts(&c.result->model, base, error) == TN_OK)
        tn_edit_restart(edit, &c.result->model, error);
    tn_conversion_done(&c);
    return error->status;
}
