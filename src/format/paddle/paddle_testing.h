/* paddle_testing.h - opening and writing, for tests that need both to succeed
 */
#ifndef TN_FORMAT_PADDLE_TESTING_H
#define TN_FORMAT_PADDLE_TESTING_H

#include "support/hostile.h"
#include "support/little_models.h"

/* With its graph. */
static inline struct tn_model *must_open(const char *path)
{
    struct tn_error   error   = TN_ERROR_INIT;
    struct tn_options options = { .wants_graph = true };
    struct tn_model  *model;

    if (tn_model_open(&model, path, &options, &error) != TN_OK)
        fail_msg("%s: %s: %s", path, error.where, error.what);
    return model;
}

/* layout NULL: each record keeps its own. */
static inline void must_write(const struct tn_model *model, const char *path,
                              const char *layout)
{
    struct tn_error           error   = TN_ERROR_INIT;
    struct tn_target          target  = { .path = path, .can_replace = true };
    struct tn_setting         setting = { "layout", layout };
    struct tn_convert_options convert = { .settings      = &setting,
                                          .setting_count = layout ? 1 : 0 };

    if (tn_convert(model, &convert, &target, NULL, NULL, &error) != TN_OK)
        fail_msg("%s: %s: %s", path, error.where, error.what);
}

#endif
