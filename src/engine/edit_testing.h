/* edit_testing.h - a model, an edit of it, and the result, for tests of the
 * actions of an edit */
#ifndef TN_ENGINE_EDIT_TESTING_H
#define TN_ENGINE_EDIT_TESTING_H

#include <stdio.h>

#include "engine/edit_draft.h"
#include "support/little_models.h"

static const struct tn_options with_graph = { .wants_graph = true };

/* A value of one dimension, in the text of a model. */
#define FLOATS(name, n)                                                        \
    "{ name: \"" name "\" type { tensor_type { elem_type: 1 shape { dim { "    \
    "dim_value: " n " } } } } }\n"

struct scene {
    struct tn_scratch scratch;
    struct tn_model  *model, *made, *again;
    struct tn_edit   *edit;
    struct tn_error   error;
};

static inline void begin(struct scene *s, const char *text)
{
    s->scratch = tn_scratch_open();
    s->error   = (struct tn_error)TN_ERROR_INIT;
    s->made = s->again = NULL;
    tn_make_model(&s->scratch, "in.onnx", text);
    assert_int_equal(tn_model_open(&s->model,
                                   tn_in_scratch(&s->scratch, "in.onnx"),
                                   &with_graph, &s->error),
                     TN_OK);
    assert_int_equal(tn_edit_open(&s->edit, s->model, NULL, &s->error), TN_OK);
}

static inline int fail_finding(void *context, const struct tn_finding *finding)
{
    (void)context;
    fail_msg("%s: %s: %s", finding->rule, finding->where, finding->what);
    return 0;
}

static inline void finish(struct scene *s)
{
    struct tn_target target = { .path =
                                    tn_in_scratch(&s->scratch, "out.onnx") };

    if (tn_edit_commit(s->edit, &s->made, &s->error) != TN_OK ||
        tn_convert(s->made, NULL, &target, NULL, NULL, &s->error) != TN_OK)
        fail_msg("%s: %s", s->error.where, s->error.what);
    assert_int_equal(
        tn_check(target.path, NULL, NULL, fail_finding, NULL, NULL, &s->error),
        TN_OK);
    assert_int_equal(
        tn_model_open(&s->again, target.path, &with_graph, &s->error), TN_OK);
}

static inline void end(struct scene *s)
{
    tn_model_close(s->again);
    tn_model_close(s->made);
    tn_edit_close(s->edit);
    tn_model_close(s->model);
    tn_scratch_close(&s->scratch);
}

#endif
