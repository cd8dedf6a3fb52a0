/* apply_script.c - a model, a script of actions, and the result as a file */
#include <tenon/edit.h>

#include "base/sized.h"

static enum tn_status run(struct tn_edit                *edit,
                          const struct tn_apply_options *apply,
                          struct tn_model **made, struct tn_error *error)
{
    if (apply && apply->script)
        TN_TRY(tn_edit_run_patch(edit, apply->script, error));
    if (apply && apply->actions.size)
        TN_TRY(tn_edit_run(edit, apply->actions, error));
    return tn_edit_commit(edit, made, error);
}

enum tn_status tn_apply(const char *path, const struct tn_options *options,
                        const struct tn_apply_options *apply,
                        const struct tn_target        *target,
                        struct tn_convert_summary     *summary,
                        struct tn_error               *error)
{
    TN_ERROR_OR_OWN(error);
    TN_TAKE_OPTIONS(options);
    TN_TAKE_APPLY(apply);
    struct tn_options reading = TN_OPTIONS_INIT;
    struct tn_model  *model = NULL, *made = NULL;
    struct tn_edit   *edit = NULL;

    if (options)
        reading = *options;
    reading.wants_graph = true;
    if (tn_model_open(&model, path, &reading, error) == TN_OK &&
        tn_edit_open(&edit, model, &reading, error) == TN_OK &&
        run(edit, apply, &made, error) == TN_OK)
        tn_edit_write(made, apply ? apply->convert : NULL, target, &reading,
                      summary, error);
    tn_model_close(made);
    tn_edit_close(edit);
    tn_model_close(model);
    return error->status;
}
